"""The tools of the Python package index: what was seen when they were run (`tests/oracles/ledger_peers.py`)."""

from __future__ import annotations

from typing import Any

from cutline.ledger.tool import Entry, Tool


def _averages(function: str, measure: str, first: tuple[str, ...]) -> tuple[Entry, ...]:
    """One score of scikit-learn with its averages, of the labels that predict() gives."""
    means = (
        Entry(measure, f"{function}, average='{mean}'", ("strict", mean)) for mean in ("macro", "weighted", "micro")
    )
    return (Entry(measure, function, first), *means)


def _of_cut(
    *pairs: tuple[str, str], sides: tuple[str, ...] = ("strict", "undefined_0"), **more: Any
) -> tuple[Entry, ...]:
    """Measures of one cut with the same sides, each with its function."""
    return tuple(Entry(measure, function, sides, **more) for measure, function in pairs)


_HARD = ("strict", "undefined_0")
SCIKIT_LEARN = Tool(
    "scikit-learn", "1.9.1", "run", "sklearn.metrics; hard labels from predict()",
    (
        Entry("auc", "roc_auc_score"),
        Entry("auc", "roc_auc_score, hard labels", ("strict", "hard_labels")),
        Entry("partial_auc@max_fpr=0.1", "roc_auc_score, max_fpr=0.1", ("partial_mcclish",)),
        Entry("average_precision", "average_precision_score"),
        Entry("average_precision", "auc of precision_recall_curve", ("trapezoid",)),
        Entry("brier", "brier_score_loss"),
        Entry("log_loss", "log_loss"),
        Entry("log_loss", "log_loss, normalize=False", ("sum",)),
        Entry("mcfadden_r2", "d2_log_loss_score"),
        *_of_cut(("accuracy", "accuracy_score"), ("balanced_accuracy", "balanced_accuracy_score"),
                 ("error_rate", "zero_one_loss"), ("mcc", "matthews_corrcoef")),
        Entry("kappa", "cohen_kappa_score", ("strict",)),
        *_averages("precision_score", "precision", _HARD),
        *_averages("recall_score", "recall", _HARD),
        *_averages("f1_score", "f1", _HARD),
        *_averages("jaccard_score", "jaccard", _HARD),
    ),
    ("sklearn", "scikit_learn"),
)  # fmt: skip
IMBALANCED_LEARN = Tool(
    "imbalanced-learn", "0.14.2", "run", "imblearn.metrics; hard labels from predict()",
    (
        *_of_cut(("g_mean", "geometric_mean_score"), ("recall", "sensitivity_score")),
        Entry("specificity", "specificity_score", ("strict", "negatives_by_rows")),
    ),
    ("imblearn", "imbalanced_learn"),
)  # fmt: skip
SCIPY = Tool(
    "SciPy", "1.17.1", "run", "scipy.stats",
    (
        Entry("ks", "ks_2samp", weights="ignored"),
        Entry("auc", "mannwhitneyu", weights="ignored", note="the statistic divided by the number of pairs"),
    ),
)  # fmt: skip
XGBOOST = Tool(
    "XGBoost", "3.2.0", "run", "eval_metric; on several workers their mean, not the pooled value",
    (
        Entry("auc", "auc", ("single",), single=True),
        Entry("average_precision", "aucpr", ("single", "davis_goadrich"), single=True),
        Entry("log_loss", "logloss", ("single", "clip_1e-16"), single=True),
        Entry("error_rate", "error", ("single", "strict"), single=True),
        Entry("brier", "rmse", ("single", "root"), single=True),
        Entry("mae", "mae", ("single",), single=True),
    ),
)  # fmt: skip
LIGHTGBM = Tool(
    "LightGBM", "4.7.0", "run", "metric; on several machines their mean by rows, not the pooled value",
    (
        Entry("auc", "auc", single=True),
        Entry("average_precision", "average_precision", single=True),
        Entry("log_loss", "binary_logloss", ("clip_1e-15",), single=True),
        Entry("error_rate", "binary_error", ("strict",), single=True),
        Entry("brier", "l2", single=True),
        Entry("brier", "rmse", ("root",), single=True),
        Entry("mae", "l1", single=True),
    ),
)  # fmt: skip
CATBOOST = Tool(
    "CatBoost", "1.2.10", "run", "catboost.utils.eval_metric of log odds",
    (
        Entry("auc", "AUC", single=True),
        Entry("average_precision", "PRAUC", ("trapezoid",), single=True),
        Entry("brier", "BrierScore", single=True),
        Entry("log_loss", "Logloss", note="of log odds; a probability of 0 or 1 has none", single=True),
        *_of_cut(("accuracy", "Accuracy"), ("precision", "Precision"), ("recall", "Recall"), ("f1", "F1"),
                 ("balanced_accuracy", "BalancedAccuracy"), ("mcc", "MCC"), ("kappa", "Kappa"),
                 ("error_rate", "ZeroOneLoss"), single=True),
        Entry("f1", "TotalF1", ("strict", "weighted"), single=True),
        Entry("gini", "NormalizedGini", single=True),
    ),
)  # fmt: skip
TORCHMETRICS = Tool(
    "torchmetrics", "1.9.0", "run",
        "torchmetrics.functional.classification; a score > threshold is positive, in curves >=",
    (
        Entry("auc", "binary_auroc", ("logistic_outside",), "ignored", single=True),
        Entry("auc", "binary_auroc, thresholds=200", ("logistic_outside", "grid_200_late"), "ignored", single=True),
        Entry("partial_auc@max_fpr=0.1", "binary_auroc, max_fpr=0.1", ("logistic_outside", "partial_mcclish"),
              "ignored", single=True),
        Entry("average_precision", "binary_average_precision", ("logistic_outside",), "ignored", single=True),
        Entry("average_precision", "binary_average_precision, thresholds=200", ("logistic_outside", "grid_200"),
              "ignored", single=True),
        *_of_cut(("accuracy", "binary_accuracy"), ("precision", "binary_precision"), ("recall", "binary_recall"),
                 ("specificity", "binary_specificity"), ("f1", "binary_f1_score"), ("jaccard", "binary_jaccard_index"),
                 ("kappa", "binary_cohen_kappa"),
                 sides=("logistic_outside", "strict", "undefined_0"), weights="ignored", single=True),
        Entry("mcc", "binary_matthews_corrcoef", ("logistic_outside", "strict", "constant"), "ignored", single=True),
        Entry("ece", "binary_calibration_error", ("logistic_outside", "torch_15_bins"), "ignored", single=True),
        Entry("ece", "binary_calibration_error, norm='max'", ("logistic_outside", "torch_15_bins_max"), "ignored",
              single=True),
    ),
)  # fmt: skip
KERAS = Tool(
    "Keras", "3.15.1", "run", "keras.metrics; TensorFlow's tf.keras.metrics are the same",
    (
        Entry("auc", "AUC", ("single", "keras_200"), single=True),
        Entry("average_precision", "AUC, curve='PR'", ("single", "keras_200", "davis_goadrich"), single=True),
        *_of_cut(("accuracy", "BinaryAccuracy"), ("precision", "Precision"), ("recall", "Recall"),
                 sides=("single", "strict", "undefined_0"), single=True),
        Entry("log_loss", "BinaryCrossentropy", ("single", "clip_both_1e-7"), single=True),
        Entry("brier", "MeanSquaredError", ("single",), single=True),
    ),
    ("tensorflow", "tf", "keras/tf"),
)  # fmt: skip
PYCM = Tool(
    "PyCM", "4.6", "run", "pycm.ConfusionMatrix of score >= threshold; weights are whole numbers",
    (
        Entry("auc", "AUC", ("hard_labels",), note="(TPR + TNR) / 2 at one cut"),
        *_of_cut(("precision", "PPV"), ("recall", "TPR"), ("specificity", "TNR"), ("f1", "F1"), ("mcc", "MCC"),
                 ("accuracy", "ACC"), ("kappa", "Kappa"), ("jaccard", "J"), ("lr_plus", "LR+"), ("lr_minus", "LR-"),
                     sides=()),
        *_of_cut(("f1", "F1_Macro"), ("recall", "TPR_Macro"), ("precision", "PPV_Macro"), sides=("macro",)),
    ),
)  # fmt: skip
RIVER = Tool(
    "river", "0.26.1", "run", "river.metrics; hard labels from predict_one()",
    (
        Entry("auc", "ROCAUC", ("river_10",)),
        Entry("log_loss", "LogLoss", ("clip_both_1e-15",)),
        *_of_cut(("accuracy", "Accuracy"), ("precision", "Precision"), ("recall", "Recall"), ("f1", "F1"), ("mcc",
            "MCC"),
                 ("kappa", "CohenKappa"), ("balanced_accuracy", "BalancedAccuracy"), ("g_mean", "GeometricMean")),
        Entry("f1", "MacroF1", ("strict", "macro")),
        Entry("f1", "WeightedF1", ("strict", "weighted")),
    ),
)  # fmt: skip
STATSMODELS = Tool(
    "statsmodels", "0.15.0", "run", "statsmodels.stats.proportion and contingency_tables",
    (
        *(
            Entry("recall.low", f"proportion_confint, method='{method}'", sides, "ignored")
            for method, sides in (("normal", ("limit_wald",)), ("wilson", ("limit_wilson",)), ("beta",
            ("limit_clopper_pearson",)),
                                  ("agresti_coull", ("limit_agresti_coull",)), ("jeffreys", ("limit_jeffreys_open",)))
        ),
        Entry("mcnemar", "mcnemar", ("mcnemar_exact",), "ignored"),
        Entry("mcnemar", "mcnemar, exact=False", ("mcnemar_corrected_open",), "ignored"),
        Entry("mcnemar", "mcnemar, exact=False, correction=False", ("mcnemar_asymptotic",), "ignored"),
    ),
)  # fmt: skip
DCURVES = Tool(
    "dcurves", "1.1.7", "run", "dcurves.dca",
    (
        Entry("net_benefit", "dca", (), "ignored"),
        Entry("net_benefit", "net_intervention_avoided", ("avoided",), "ignored", note="given for 100 cases"),
    ),
)  # fmt: skip
YELLOWBRICK = Tool(
    "yellowbrick", "1.5", "run", "yellowbrick.classifier",
    (
        Entry("auc", "ROCAUC", (), "ignored"),
        Entry("auc", "ROCAUC, micro", ("pooled_columns",), "ignored"),
        Entry("average_precision", "PrecisionRecallCurve", (), "ignored"),
    ),
)  # fmt: skip
TOOLS = (
    SCIKIT_LEARN, IMBALANCED_LEARN, SCIPY, XGBOOST, LIGHTGBM, CATBOOST, TORCHMETRICS, KERAS, PYCM, RIVER, STATSMODELS,
    DCURVES, YELLOWBRICK,
)  # fmt: skip
