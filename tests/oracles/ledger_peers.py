"""What other tools say of labels and scores, run for the ledger: a function for each tool.

Each takes labels (0 or 1), scores and weights (None, or an array), and gives a number for each of its functions, by the
name that the ledger has for it. The tools are imported where they are used, so that a test can run those that are here.
"""

import io
import math
import os
import subprocess
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

PRECISION_DIGITS = 12


def data_sets():
    """Twenty sets: ties, weights, skew, extreme scores, one longer than Spark's bins."""
    sets = []
    for number in range(20):
        rng = np.random.default_rng(1900 + number)
        n = (30, 60, 120, 200, 350)[number % 5] if number != 19 else 2500
        prevalence = (0.5, 0.3, 0.1, 0.04)[number % 4]
        y = (rng.random(n) < prevalence).astype(int)
        y[:3], y[3:6] = 1, 0
        z = rng.normal(size=n) + (0.4 + 0.35 * (number % 5)) * y + math.log(prevalence / (1 - prevalence)) * 0.8
        s = np.round(1 / (1 + np.exp(-z)), (6, 2, 1, 3)[(number // 2) % 4] if number != 19 else 5)
        if number % 3 == 0:  # extreme scores, and some at the threshold
            s[rng.integers(0, n, max(n // 20, 2))] = 0.0
            s[rng.integers(0, n, max(n // 20, 2))] = 1.0
            s[rng.integers(0, n, max(n // 10, 3))] = 0.5
        w = None
        if number % 2:
            w = rng.integers(1, 5, n).astype(float) if number % 4 == 1 else np.round(rng.random(n) * 3 + 0.25, 2)
        sets.append((y, s, w))
    return sets


def decided(s):
    """predict() of scikit-learn's classifiers: the column with the larger probability, the first on a draw."""
    return np.argmax(np.column_stack((1 - s, s)), axis=1)


def scikit_learn(y, s, w):
    from sklearn import metrics as m

    k = {"sample_weight": w}
    hard = decided(s)
    precision, recall, _ = m.precision_recall_curve(y, s, **k)
    found = {
        "roc_auc_score": m.roc_auc_score(y, s, **k),
        "roc_auc_score, hard labels": m.roc_auc_score(y, hard, **k),
        "roc_auc_score, max_fpr=0.1": m.roc_auc_score(y, s, max_fpr=0.1, **k),
        "average_precision_score": m.average_precision_score(y, s, **k),
        "auc of precision_recall_curve": m.auc(recall, precision),
        "brier_score_loss": m.brier_score_loss(y, s, **k),
        "log_loss": m.log_loss(y, s, **k),
        "log_loss, normalize=False": m.log_loss(y, s, normalize=False, **k),
        "accuracy_score": m.accuracy_score(y, hard, **k),
        "balanced_accuracy_score": m.balanced_accuracy_score(y, hard, **k),
        "zero_one_loss": m.zero_one_loss(y, hard, **k),
        "matthews_corrcoef": m.matthews_corrcoef(y, hard, **k),
        "cohen_kappa_score": m.cohen_kappa_score(y, hard, **k),
        "d2_log_loss_score": m.d2_log_loss_score(y, s, **k),
    }
    for name in ("precision", "recall", "f1", "jaccard"):
        score = getattr(m, f"{name}_score")
        found[f"{name}_score"] = score(y, hard, zero_division=0, **k)
        for average in ("macro", "weighted", "micro"):
            found[f"{name}_score, average='{average}'"] = score(y, hard, average=average, zero_division=0, **k)
    return found


def imbalanced_learn(y, s, w):
    from imblearn import metrics as m

    k, hard = {"sample_weight": w}, decided(s)
    return {
        "geometric_mean_score": m.geometric_mean_score(y, hard, **k),
        "sensitivity_score": m.sensitivity_score(y, hard, average="binary", **k),
        "specificity_score": m.specificity_score(y, hard, average="binary", **k),
    }


def scipy(y, s, w):
    from scipy import stats

    positives, negatives = s[y == 1], s[y == 0]
    return {
        "ks_2samp": stats.ks_2samp(positives, negatives, method="asymp").statistic,
        "mannwhitneyu": stats.mannwhitneyu(positives, negatives).statistic / (len(positives) * len(negatives)),
    }


def xgboost(y, s, w):
    import xgboost as xgb

    names = ("auc", "aucpr", "logloss", "error", "rmse", "mae")
    matrix = xgb.DMatrix(np.zeros((len(y), 1)), label=y, weight=w, base_margin=s)
    parameters = {"objective": "reg:squarederror", "base_score": 0.0, "eval_metric": list(names), "verbosity": 0,
                  "nthread": 1, "disable_default_eval_metric": 1}  # fmt: skip
    booster = xgb.train(parameters, matrix, num_boost_round=0)
    text = booster.eval_set([(matrix, "x")])
    return {part.split(":")[0].removeprefix("x-"): float(part.split(":")[1]) for part in text.split("\t")[1:]}


def lightgbm(y, s, w):
    import lightgbm as lgb

    names = ["auc", "average_precision", "binary_logloss", "binary_error", "rmse", "l2", "l1"]
    data = lgb.Dataset(np.arange(len(y), dtype=float)[:, None], label=y, weight=w, init_score=s, free_raw_data=False)
    found = {}

    def nothing(predictions, _):
        return np.zeros(len(predictions)), np.ones(len(predictions))

    parameters = {"objective": nothing, "metric": names, "verbosity": -1, "num_threads": 1,
                  "min_data_in_leaf": 1, "boost_from_average": False}  # fmt: skip
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        lgb.train(parameters, data, num_boost_round=1, valid_sets=[data], valid_names=["x"],
                  callbacks=[lgb.record_evaluation(found)])  # fmt: skip
    return {name: values[0] for name, values in found["x"].items()}


def catboost(y, s, w):
    from catboost.utils import eval_metric

    with np.errstate(divide="ignore"):
        margin = np.clip(np.log(s) - np.log1p(-s), -40, 40)
    names = ("AUC", "PRAUC", "Logloss", "Accuracy", "Precision", "Recall", "F1", "BalancedAccuracy", "MCC",
             "Kappa", "BrierScore", "ZeroOneLoss", "NormalizedGini", "TotalF1")  # fmt: skip
    found = {name: eval_metric(y, margin, name, weight=w, thread_count=1)[0] for name in names}
    return found if s.min() > 0 and s.max() < 1 else found | {"Logloss": math.nan}  # of a margin that we would choose


def torchmetrics(y, s, w):
    import torch
    from torchmetrics import functional as f

    p, t = torch.tensor(s, dtype=torch.float64), torch.tensor(y)
    calls = {
        "binary_auroc": lambda: f.classification.binary_auroc(p, t),
        "binary_auroc, thresholds=200": lambda: f.classification.binary_auroc(p, t, thresholds=200),
        "binary_auroc, max_fpr=0.1": lambda: f.classification.binary_auroc(p, t, max_fpr=0.1),
        "binary_average_precision": lambda: f.classification.binary_average_precision(p, t),
        "binary_average_precision, thresholds=200": lambda: f.classification.binary_average_precision(
            p, t, thresholds=200
        ),
        "binary_accuracy": lambda: f.classification.binary_accuracy(p, t),
        "binary_precision": lambda: f.classification.binary_precision(p, t),
        "binary_recall": lambda: f.classification.binary_recall(p, t),
        "binary_specificity": lambda: f.classification.binary_specificity(p, t),
        "binary_f1_score": lambda: f.classification.binary_f1_score(p, t),
        "binary_jaccard_index": lambda: f.classification.binary_jaccard_index(p, t),
        "binary_matthews_corrcoef": lambda: f.classification.binary_matthews_corrcoef(p, t),
        "binary_cohen_kappa": lambda: f.classification.binary_cohen_kappa(p, t),
        "binary_calibration_error": lambda: f.classification.binary_calibration_error(p, t),
        "binary_calibration_error, norm='max'": lambda: f.classification.binary_calibration_error(p, t, norm="max"),
    }
    return {name: float(call()) for name, call in calls.items()}


def keras(y, s, w):
    os.environ.setdefault("KERAS_BACKEND", "numpy")
    import keras as k

    def of(metric):
        metric.update_state(
            y.astype("float32")[:, None], s.astype("float32")[:, None], None if w is None else w.astype("float32")
        )
        return float(metric.result())

    return {
        "AUC": of(k.metrics.AUC()),
        "AUC, curve='PR'": of(k.metrics.AUC(curve="PR")),
        "BinaryAccuracy": of(k.metrics.BinaryAccuracy()),
        "Precision": of(k.metrics.Precision()),
        "Recall": of(k.metrics.Recall()),
        "BinaryCrossentropy": of(k.metrics.BinaryCrossentropy()),
        "MeanSquaredError": of(k.metrics.MeanSquaredError()),
    }


def pycm(y, s, w):
    from pycm import ConfusionMatrix

    hard = (s >= 0.5).astype(int)
    if w is not None and (w != np.round(w)).any():
        return dict.fromkeys(pycm(y, s, None), math.nan)  # it takes whole numbers alone
    weight = None if w is None else w.astype(int).tolist()
    cm = ConfusionMatrix(y.tolist(), hard.tolist(), sample_weight=weight)
    names = {"AUC": "AUC", "PPV": "PPV", "TPR": "TPR", "TNR": "TNR", "F1": "F1", "MCC": "MCC", "ACC": "ACC",
             "J": "J", "LR+": "PLR", "LR-": "NLR", "dInd": None}  # fmt: skip
    found = {name: getattr(cm, attribute)[1] for name, attribute in names.items() if attribute}
    found |= {"Overall_ACC": cm.Overall_ACC, "Kappa": cm.Kappa, "F1_Macro": cm.F1_Macro, "TPR_Macro": cm.TPR_Macro,
              "PPV_Macro": cm.PPV_Macro, "F1_Micro": cm.F1_Micro}  # fmt: skip
    return {name: value if isinstance(value, float | int) else math.nan for name, value in found.items()}


def river(y, s, w):
    from river import metrics as m

    found = {}
    kinds = {"ROCAUC": m.ROCAUC(), "ROCAUC, n_thresholds=100": m.ROCAUC(n_thresholds=100), "LogLoss": m.LogLoss(),
             "Accuracy": m.Accuracy(), "Precision": m.Precision(), "Recall": m.Recall(), "F1": m.F1(), "MCC": m.MCC(),
             "CohenKappa": m.CohenKappa(), "BalancedAccuracy": m.BalancedAccuracy(),
             "GeometricMean": m.GeometricMean(), "MacroF1": m.MacroF1(), "WeightedF1": m.WeightedF1()}  # fmt: skip
    for name, metric in kinds.items():
        takes_labels = metric.requires_labels
        for i in range(len(y)):
            guess = bool(decided(s[i : i + 1])[0]) if takes_labels else {False: 1 - s[i], True: s[i]}
            metric.update(bool(y[i]), guess, 1.0 if w is None else float(w[i]))
        found[name] = metric.get()
    return found


def statsmodels(y, s, w):
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.proportion import proportion_confint

    flagged = s >= 0.5
    other = second_model(s) >= 0.5
    k, n = int((flagged & (y == 1)).sum()), int(y.sum())
    found = {}
    for method in ("normal", "wilson", "beta", "agresti_coull", "jeffreys"):
        found[f"proportion_confint, method='{method}'"] = proportion_confint(k, n, method=method)[0]
    right, also = flagged == y, other == y
    table = [[int((right & also).sum()), int((right & ~also).sum())], [int((~right & also).sum()), 0]]
    found["mcnemar"] = mcnemar(table).pvalue
    found["mcnemar, exact=False"] = mcnemar(table, exact=False).pvalue
    found["mcnemar, exact=False, correction=False"] = mcnemar(table, exact=False, correction=False).pvalue
    return {name: float(value) for name, value in found.items()}


def second_model(s):
    """Another model of the same cases: the scores moved by their place in the data."""
    return np.clip(s + 0.35 * np.sin(np.arange(len(s))), 0, 1)


def dcurves(y, s, w):
    import pandas as pd
    from dcurves import dca

    frame = pd.DataFrame({"y": y, "p": s})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dca(data=frame, outcome="y", modelnames=["p"], thresholds=np.array([0.2, 0.5]))
    row = found[(found["model"] == "p") & np.isclose(found["threshold"], 0.5)].iloc[0]
    return {"dca": float(row["net_benefit"]), "net_intervention_avoided": float(row["net_intervention_avoided"])}


def yellowbrick(y, s, w):
    import matplotlib as mpl

    mpl.use("Agg")
    from sklearn.base import BaseEstimator, ClassifierMixin
    from yellowbrick.classifier import ROCAUC, PrecisionRecallCurve

    class Given(ClassifierMixin, BaseEstimator):
        """A fitted model that says what it is given."""

        _estimator_type = "classifier"
        classes_ = np.array([0, 1])

        def fit(self, X, y):  # noqa: ARG002
            self.fitted_ = True
            return self

        def predict_proba(self, X):
            return np.column_stack((1 - X[:, 0], X[:, 0]))

        def predict(self, X):
            return decided(X[:, 0])

    X, found = s[:, None], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = ROCAUC(Given(), is_fitted=True)
        curve.fit(X, y)
        curve.score(X, y)
        found |= {
            "ROCAUC": curve.roc_auc[1],
            "ROCAUC, micro": curve.roc_auc["micro"],
            "ROCAUC, macro": curve.roc_auc["macro"],
        }
        line = PrecisionRecallCurve(Given(), is_fitted=True)
        line.fit(X, y)
        line.score(X, y)
        score = line.score_
        found["PrecisionRecallCurve"] = float(score if np.ndim(score) == 0 else score[1])
    import matplotlib.pyplot as plt

    plt.close("all")
    return {name: float(value) for name, value in found.items()}


def mlflow(y, s, w):
    from mlflow.models.evaluation.evaluators import classifier as m

    found = m._get_binary_classifier_metrics(
        y_true=y, y_pred=decided(s), y_proba=np.column_stack((1 - s, s)), labels=[0, 1], pos_label=1, sample_weights=w
    )
    for name, curve in (("roc_auc", "roc"), ("precision_recall_auc", "pr")):
        found[name] = m._gen_classifier_curve(True, y, s, [0, 1], 1, curve, w).auc
    names = (
        "accuracy_score",
        "recall_score",
        "precision_score",
        "f1_score",
        "log_loss",
        "roc_auc",
        "precision_recall_auc",
    )
    from mlflow.models.evaluation.lift_curve import _cumulative_gain_curve

    shares, gains = _cumulative_gain_curve(y, s, 1)
    at = int(np.searchsorted(shares, 0.1 + 1e-9, side="right")) - 1  # the last point of the curve up to 10 %
    lift = gains[at] / shares[at] if at else math.nan
    return {name: float(found[name]) for name in names} | {"lift curve, 10 % of the sample": float(lift)}


def evidently(y, s, w):
    import pandas as pd
    from evidently import BinaryClassification, DataDefinition, Dataset, Report
    from evidently import metrics as m

    task = BinaryClassification(target="y", prediction_probas="p", pos_label=1)
    data = Dataset.from_pandas(pd.DataFrame({"y": y, "p": s}), data_definition=DataDefinition(classification=[task]))
    asked = [m.Accuracy(), m.F1Score(), m.LogLoss(), m.Precision(), m.Recall(), m.RocAuc(), m.TPR(), m.TNR()]
    found = Report(asked).run(data, None).dict()["metrics"]
    from evidently.legacy.calculations.classification_performance import calculate_lift_table

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = calculate_lift_table(list(zip(y.tolist(), s.tolist(), strict=True)))
        except ZeroDivisionError:  # of its F1, where no positive is found yet
            table = []
    lifts = [row[8] for row in table if row[0] == 10]
    numbers = {one["metric_name"].split("(")[0]: float(one["value"]) for one in found}
    return numbers | {"lift table, top 10": float(lifts[0]) if lifts else math.nan}


def h2o(y, s, w):
    import h2o as tool

    tool.init(nthreads=1, max_mem_size="1g", bind_to_localhost=True, verbose=False)
    tool.no_progress()
    columns = {"p": s.tolist(), "y": [str(one) for one in y], "w": (np.ones(len(y)) if w is None else w).tolist()}
    frame = tool.H2OFrame(columns, column_types={"p": "real", "y": "enum", "w": "real"})
    found = tool.make_metrics(frame["p"], frame["y"], domain=["0", "1"], weights=frame["w"])
    tool.remove(frame)
    best = {"max f1": found.F1(), "max accuracy": found.accuracy(), "max absolute_mcc": found.mcc()}
    return {"AUC": found.auc(), "Gini": found.gini(), "AUCPR": found.aucpr(), "LogLoss": found.logloss(),
            "MSE": found.mse(), "RMSE": found.rmse(), **{name: at[0][1] for name, at in best.items()},
            "confusion matrix, precision": found.precision(found.F1()[0][:1])[0][1],
            "confusion matrix, recall": found.recall(found.F1()[0][:1])[0][1]}  # fmt: skip


def spark(y, s, w, bins):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.default.parallelism", 1)
        .config("spark.sql.shuffle.partitions", 1)
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    weights = np.ones(len(y)) if w is None else w
    rows = [(float(a), float(b), float(c)) for a, b, c in zip(y, s, weights, strict=True)]
    frame = session.createDataFrame(rows, ["label", "score", "weight"]).coalesce(1)
    found = {}
    for name in ("areaUnderROC", "areaUnderPR"):
        evaluator = BinaryClassificationEvaluator(
            rawPredictionCol="score", metricName=name, weightCol="weight", numBins=bins
        )
        found[name] = evaluator.evaluate(frame)
    return found


def spark_ml(y, s, w):
    return spark(y, s, w, 1000)


def spark_mllib(y, s, w):
    return spark(y, s, w, 0)


def _number(text):
    return math.nan if text.strip() in ("NA", "NaN") else float(text)


SAY = 'say <- function(n, x) cat(n, formatC(as.numeric(x), digits=15, format="g"), sep="\\t", fill=TRUE)\n'


def r_program(program, y, s, w=None):
    """What an R program prints, one number after a name on each line, with y, s and w in its reach."""
    w = np.ones(len(y)) if w is None else w
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        np.savetxt(path, np.column_stack((y, s, w)), delimiter=",", header="y,s,w", comments="", fmt="%.17g")
        start = f'd <- read.csv("{path}"); y <- d$y; s <- d$s; w <- d$w\n' + SAY
        (Path(folder) / "program.R").write_text(start + program)
        text = subprocess.run(  # noqa: S603 - a program of our own
            ["Rscript", Path(folder) / "program.R"],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return {line.split("\t")[0]: _number(line.split("\t")[1]) for line in text.splitlines() if "\t" in line}


def proc(y, s, w):
    return r_program("""
suppressPackageStartupMessages(library(pROC))
r <- roc(y, s, quiet=TRUE, levels=c(0, 1))
say("auc", auc(r)); say("auc, percent=TRUE", auc(roc(y, s, quiet=TRUE, levels=c(0, 1), percent=TRUE)))
say("auc, partial.auc=c(1, 0.9)", auc(r, partial.auc=c(1, 0.9)))
say("auc, partial.auc=c(1, 0.9), partial.auc.correct=TRUE", suppressWarnings(auc(r, partial.auc=c(1, 0.9),
partial.auc.correct=TRUE)))
limits <- suppressWarnings(ci.auc(r)); say("ci.auc, low", limits[1]); say("ci.auc, high", limits[3])
""", y, s)  # fmt: skip


def rocr(y, s, w):
    return r_program("""
suppressPackageStartupMessages(library(ROCR))
p <- prediction(s, y)
at <- function(n) { f <- performance(p, n); i <- which(f@x.values[[1]] >= 0.5); f@y.values[[1]][i[length(i)]] }
say("auc", performance(p, "auc")@y.values[[1]]); say("aucpr", performance(p, "aucpr")@y.values[[1]])
for (n in c("f", "mat", "acc", "prec", "rec")) say(n, at(n))
""", y, s)  # fmt: skip


def prroc(y, s, w):
    return r_program("""
library(PRROC)
pr <- pr.curve(s[y == 1], s[y == 0])
say("roc.curve, auc", roc.curve(s[y == 1], s[y == 0])$auc)
say("pr.curve, auc.integral", pr$auc.integral); say("pr.curve, auc.davis.goadrich", pr$auc.davis.goadrich)
""", y, s)  # fmt: skip


def precrec(y, s, w):
    return r_program("""
suppressPackageStartupMessages(library(precrec))
a <- auc(evalmod(scores=s, labels=y))
say("auc, ROC", a$aucs[a$curvetypes == "ROC"]); say("auc, PRC", a$aucs[a$curvetypes == "PRC"])
""", y, s)  # fmt: skip


# The class with the larger probability, the first on a draw, as predict() gives it.
CLASSES = "truth <- factor(y, levels=c(0, 1)); guess <- factor(ifelse(s > 0.5, 1, 0), levels=c(0, 1))\n"


def caret(y, s, w):
    return r_program(CLASSES + """
suppressPackageStartupMessages(library(caret))
cm <- confusionMatrix(guess, truth, mode="everything")
for (n in c("Accuracy", "AccuracyLower", "AccuracyUpper", "Kappa")) say(paste0("confusionMatrix, ", n), cm$overall[n])
for (n in c("Sensitivity", "Specificity", "Pos Pred Value", "F1", "Balanced Accuracy"))
  say(paste0("confusionMatrix, ", n), cm$byClass[n])
named <- function(x) factor(x, levels=c(0, 1), labels=c("a", "b"))
frame <- data.frame(obs=named(y), pred=named(as.character(guess)), a=1 - s, b=s)
say("twoClassSummary, ROC", twoClassSummary(frame, lev=c("a", "b"))["ROC"])
""", y, s)  # fmt: skip


def yardstick(y, s, w):
    return r_program(CLASSES + """
suppressPackageStartupMessages({library(yardstick); library(hardhat)})
d <- data.frame(truth=truth, guess=guess, p=1 - s)
d$w <- importance_weights(w)
for (n in c("roc_auc", "average_precision", "pr_auc", "mn_log_loss", "gain_capture"))
  say(n, suppressWarnings(get(n)(d, truth, p, case_weights=w))$.estimate)
for (n in c("f_meas", "precision", "recall", "specificity", "accuracy", "kap", "mcc", "j_index"))
  say(n, suppressWarnings(get(n)(d, truth, guess, case_weights=w))$.estimate)
""", y, s, w)  # fmt: skip


def hmeasure(y, s, w):
    return r_program("""
library(hmeasure)
m <- suppressWarnings(HMeasure(y, s, threshold=0.5))$metrics
for (n in c("H", "AUC", "Gini", "AUCH", "KS", "ER", "Sens", "Spec", "Precision", "F")) say(n, m[[n]])
""", y, s)  # fmt: skip


OF_R = {
    "pROC": proc,
    "ROCR": rocr,
    "PRROC": prroc,
    "precrec": precrec,
    "caret": caret,
    "yardstick": yardstick,
    "hmeasure": hmeasure,
}
PEERS = {
    "scikit-learn": (scikit_learn, "scikit-learn"),
    "imbalanced-learn": (imbalanced_learn, "imbalanced-learn"),
    "SciPy": (scipy, "scipy"),
    "XGBoost": (xgboost, "xgboost-cpu"),
    "LightGBM": (lightgbm, "lightgbm"),
    "CatBoost": (catboost, "catboost"),
    "torchmetrics": (torchmetrics, "torchmetrics"),
    "Keras": (keras, "keras"),
    "PyCM": (pycm, "pycm"),
    "river": (river, "river"),
    "statsmodels": (statsmodels, "statsmodels"),
    "dcurves": (dcurves, "dcurves"),
    "yellowbrick": (yellowbrick, "yellowbrick"),
    "MLflow": (mlflow, "mlflow"),
    "Evidently": (evidently, "evidently"),
    "H2O": (h2o, "h2o"),
    "Spark ml": (spark_ml, "pyspark"),
    "Spark mllib": (spark_mllib, "pyspark"),
    **{name: (ask, "") for name, ask in OF_R.items()},
}
