"""Tools that are not on the Python package index, or too heavy to run in tests: by their documentation, or frozen."""

from __future__ import annotations

from cutline.ledger.tool import Entry, Tool

_FIRST = ("strict", "other_class")  # the first factor level is the event, and a draw goes to it
PROC = Tool(
    "pROC", "1.18.0", "run", "R: pROC::roc and ci.auc; the direction follows from the medians unless it is given",
    (
        Entry("auc", "auc", ("auto_direction",), "ignored"),
        Entry("auc", "auc, percent=TRUE", ("auto_direction", "percent"), "ignored"),
        Entry("partial_auc@max_fpr=0.1", "auc, partial.auc=c(1, 0.9)", ("auto_direction", "partial_raw"), "ignored"),
        Entry("partial_auc@max_fpr=0.1", "auc, partial.auc=c(1, 0.9), partial.auc.correct=TRUE", ("auto_direction",
              "partial_mcclish"), "ignored"),
        Entry("auc.low", "ci.auc, low", ("auto_direction", "limit_delong"), "ignored"),
        Entry("auc.high", "ci.auc, high", ("auto_direction", "limit_delong"), "ignored"),
    ),
)  # fmt: skip
ROCR = Tool(
    "ROCR", "1.0-11", "run", "R: ROCR::performance",
    (
        Entry("auc", "auc", (), "ignored"),
        Entry("average_precision", "aucpr", ("moved_points",), "ignored"),
        Entry("f1", "f", (), "ignored"),
        Entry("mcc", "mat", (), "ignored"),
        Entry("accuracy", "acc", (), "ignored"),
        Entry("precision", "prec", (), "ignored"),
        Entry("recall", "rec", (), "ignored"),
    ),
)  # fmt: skip
PRROC = Tool(
    "PRROC", "1.4", "run", "R: PRROC::pr.curve and roc.curve; weights are shares of membership in a class",
    (
        Entry("auc", "roc.curve, auc", (), "ignored"),
        Entry("average_precision", "pr.curve, auc.integral", ("davis_goadrich",), "ignored"),
    ),
)  # fmt: skip
PRECREC = Tool(
    "precrec", "0.14.4", "run", "R: precrec::evalmod, x_bins=1000",
    (
        Entry("auc", "auc, ROC", (), "ignored"),
        Entry("average_precision", "auc, PRC", ("davis_goadrich",), "ignored", within=1e-5,
              note="the bent curve is drawn with 1000 straight pieces, which shows in the sixth digit"),
    ),
)  # fmt: skip
CARET = Tool(
    "caret", "6.0-93", "run",
        "R: caret::confusionMatrix, twoClassSummary, prSummary; the first factor level is the event",
    (
        Entry("auc", "twoClassSummary, ROC", (), "ignored"),
        Entry("accuracy", "confusionMatrix, Accuracy", ("strict",), "ignored"),
        Entry("accuracy.low", "confusionMatrix, AccuracyLower", ("strict", "limit_clopper_pearson"), "ignored"),
        Entry("accuracy.high", "confusionMatrix, AccuracyUpper", ("strict", "limit_clopper_pearson"), "ignored"),
        Entry("kappa", "confusionMatrix, Kappa", ("strict",), "ignored"),
        Entry("recall", "confusionMatrix, Sensitivity", _FIRST, "ignored"),
        Entry("specificity", "confusionMatrix, Specificity", _FIRST, "ignored"),
        Entry("precision", "confusionMatrix, Pos Pred Value", _FIRST, "ignored"),
        Entry("f1", "confusionMatrix, F1", _FIRST, "ignored"),
        Entry("balanced_accuracy", "confusionMatrix, Balanced Accuracy", ("strict",), "ignored"),
    ),
)  # fmt: skip
YARDSTICK = Tool(
    "yardstick", "1.1.0", "run", "R: yardstick; event_level = 'first' unless it is given",
    (
        Entry("auc", "roc_auc", ()),
        Entry("average_precision", "average_precision", ("other_class",)),
        Entry("average_precision", "pr_auc", ("other_class", "trapezoid")),
        Entry("log_loss", "mn_log_loss", ()),
        Entry("gini", "gain_capture", ()),
        Entry("f1", "f_meas", _FIRST),
        Entry("precision", "precision", _FIRST),
        Entry("recall", "recall", _FIRST),
        Entry("specificity", "specificity", _FIRST),
        Entry("accuracy", "accuracy", ("strict",)),
        Entry("kappa", "kap", ("strict",)),
        Entry("mcc", "mcc", ("strict",)),
        Entry("youden_j", "j_index", ("strict",)),
    ),
)  # fmt: skip
HMEASURE = Tool(
    "hmeasure", "1.0-2", "run", "R: hmeasure::HMeasure; scores are turned round where the AUC is below a half",
    (
        Entry("h_measure", "H", ("better_direction", "prior_severity"), "ignored"),
        Entry("auc", "AUC", ("better_direction",), "ignored"),
        Entry("gini", "Gini", ("better_direction",), "ignored"),
        Entry("auch", "AUCH", ("better_direction",), "ignored"),
        Entry("ks", "KS", ("better_direction", "one_sided"), "ignored"),
        Entry("error_rate", "ER", ("better_direction", "strict"), "ignored"),
        Entry("recall", "Sens", ("better_direction", "strict"), "ignored"),
        Entry("specificity", "Spec", ("better_direction", "strict"), "ignored"),
        Entry("precision", "Precision", ("better_direction", "strict"), "ignored"),
        Entry("f1", "F", ("better_direction", "strict"), "ignored"),
    ),
)  # fmt: skip
WEKA = Tool(
    "Weka", "3.9", "documented", "weka.classifiers.Evaluation; the summary has means of both classes by their size",
    (
        Entry("auc", "ROC Area"),
        Entry("precision", "Precision, Weighted Avg.", ("weighted",)),
        Entry("recall", "Recall, Weighted Avg.", ("weighted",)),
        Entry("f1", "F-Measure, Weighted Avg.", ("weighted",)),
        Entry("kappa", "Kappa statistic"),
        Entry("mae", "Mean absolute error"),
        Entry("brier", "Root mean squared error", ("root",)),
        Entry("accuracy", "Correctly Classified Instances", ("percent",)),
    ),
)  # fmt: skip
SPARK_ML = Tool(
    "Spark ml", "4.3.0", "run", "pyspark.ml.evaluation.BinaryClassificationEvaluator, numBins=1000",
    (
        Entry("auc", "areaUnderROC", ("spark_bins",)),
        Entry("average_precision", "areaUnderPR", ("spark_bins", "trapezoid_first")),
    ),
    ("spark", "pyspark"),
)  # fmt: skip
SPARK_MLLIB = Tool(
    "Spark mllib", "4.3.0", "run", "org.apache.spark.mllib.evaluation.BinaryClassificationMetrics, numBins=0",
    (
        Entry("auc", "areaUnderROC"),
        Entry("average_precision", "areaUnderPR", ("trapezoid_first",)),
    ),
    ("mllib",),
)  # fmt: skip
_H2O_BINS = 400
_H2O_NOTE = "with more than 400 distinct scores its bins follow the rows, and equal frequencies only come close"


def _of_bins(measure: str, function: str, *sides: str) -> Entry:
    """A number of H2O's histogram of thresholds."""
    return Entry(measure, function, sides, note=_H2O_NOTE, exact_up_to=_H2O_BINS)


H2O = Tool(
    "H2O", "3.46.0.12", "run", "h2o.make_metrics; hex.AUC2, a histogram of at most 400 thresholds",
    (
        _of_bins("auc", "AUC", "frequency_400"),
        _of_bins("gini", "Gini", "frequency_400"),
        _of_bins("average_precision", "AUCPR", "frequency_400", "davis_goadrich"),
        Entry("log_loss", "LogLoss", ("clip_1e-15",)),
        Entry("brier", "MSE"),
        Entry("brier", "RMSE", ("root",)),
        _of_bins("f1", "max f1", "best"),
        _of_bins("accuracy", "max accuracy", "best"),
        _of_bins("mcc", "max absolute_mcc", "best_absolute"),
        _of_bins("precision", "confusion matrix, precision", "at_best_f1"),
        _of_bins("recall", "confusion matrix, recall", "at_best_f1"),
    ),
)  # fmt: skip
MLFLOW = Tool(
    "MLflow", "3.17.2", "run", "mlflow.models.evaluate, default evaluator, which calls scikit-learn",
    (
        Entry("auc", "roc_auc"),
        Entry("average_precision", "precision_recall_auc", note="average precision, whatever the name says"),
        Entry("log_loss", "log_loss"),
        Entry("accuracy", "accuracy_score", ("strict",)),
        Entry("f1", "f1_score", ("strict", "undefined_0")),
        Entry("precision", "precision_score", ("strict", "undefined_0")),
        Entry("recall", "recall_score", ("strict", "undefined_0")),
        Entry("enrichment@share=0.1", "lift curve, 10 % of the sample", ("ties_unstable",), "ignored",
              note="ties stand in an order that depends on the release of numpy and the processor"),
    ),
)  # fmt: skip
EVIDENTLY = Tool(
    "Evidently", "0.7.23", "run", "evidently.metrics of classification quality; score >= threshold",
    (
        Entry("auc", "RocAuc", (), "ignored"),
        Entry("log_loss", "LogLoss", (), "ignored"),
        Entry("accuracy", "Accuracy", (), "ignored"),
        Entry("precision", "Precision", ("undefined_0",), "ignored"),
        Entry("recall", "Recall", ("undefined_0",), "ignored"),
        Entry("f1", "F1Score", ("undefined_0",), "ignored"),
        Entry("recall", "TPR", ("undefined_0",), "ignored"),
        Entry("specificity", "TNR", ("undefined_0",), "ignored"),
        Entry("enrichment@share=0.1", "lift table, top 10", ("ties_by_rows", "lift_rounded"), "ignored"),
    ),
)  # fmt: skip
BIGQUERY = Tool(
    "BigQuery", "2025", "documented", "ML.EVALUATE and ML.ROC_CURVE, 100 quantiles of the score",
    (
        Entry("auc", "roc_auc", ("frequency_100",), "ignored"),
        Entry("log_loss", "log_loss", (), "ignored"),
        Entry("accuracy", "accuracy", (), "ignored"),
        Entry("precision", "precision", ("undefined_0",), "ignored"),
        Entry("recall", "recall", ("undefined_0",), "ignored"),
        Entry("f1", "f1_score", ("undefined_0",), "ignored"),
    ),
)  # fmt: skip
VERTICA = Tool(
    "Vertica", "24", "documented", "ROC, num_bins=100 of equal width; PRC; ERROR_RATE",
    (
        Entry("auc", "ROC", ("width_100",), "ignored"),
        Entry("average_precision", "PRC", ("width_100", "trapezoid_first"), "ignored"),
        Entry("accuracy", "CONFUSION_MATRIX", (), "ignored"),
    ),
)  # fmt: skip
TOOLS = (
    PROC, ROCR, PRROC, PRECREC, CARET, YARDSTICK, HMEASURE, WEKA, SPARK_ML, SPARK_MLLIB, H2O, MLFLOW, EVIDENTLY,
    BIGQUERY, VERTICA,
)  # fmt: skip
