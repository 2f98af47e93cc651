"""The worked examples of the four sources: their cases, and the numbers that must come out.

Where a source prints a wrong number, this is the right one; docs/errata.md says why.
"""

from fractions import Fraction as F  # noqa: N817

BERRAR_LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
BERRAR_SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]
BERRAR_T5 = 0.55  # between the scores 0.6 and 0.5
BERRAR_MARGINS = [1.8, 1.2, 1.0, 0.4, 0.0, -0.2, -0.8, -1.0, -1.2, -1.6]

# Figure 2, a row for each cut below a case: TPR, FPR, precision, cumulated class, lift.
BERRAR_TABLE = [
    (F(1, 5), 0, 1, 1, 2),
    (F(2, 5), 0, 1, 2, 2),
    (F(2, 5), F(1, 5), F(2, 3), 2, F(4, 3)),
    (F(3, 5), F(1, 5), F(3, 4), 3, F(3, 2)),
    (F(4, 5), F(1, 5), F(4, 5), 4, F(8, 5)),
    (F(4, 5), F(2, 5), F(4, 6), 4, F(4, 3)),
    (F(4, 5), F(3, 5), F(4, 7), 4, F(8, 7)),
    (F(5, 5), F(3, 5), F(5, 8), 5, F(5, 4)),
    (F(5, 5), F(4, 5), F(5, 9), 5, F(10, 9)),
    (F(5, 5), F(5, 5), F(5, 10), 5, F(10, 10)),
]

# At t5: tp 3, fp 1, fn 2, tn 4.
BERRAR_AT_T5 = {
    "accuracy": F(7, 10),
    "error_rate": F(3, 10),
    "recall": F(3, 5),
    "specificity": F(4, 5),
    "precision": F(3, 4),
    "npv": F(4, 6),
    "fdr": F(1, 4),
    "youden_j": F(2, 5),
    "lr_plus": 3,
    "lr_minus": F(1, 2),
    "balanced_accuracy": F(7, 10),
    "f1": F(2, 3),
    "g_measure": F(9, 20) ** 0.5,
    "mcc": 10 / 600**0.5,
    "lift": F(3, 2),
    "kappa": F(2, 5),
}

BERRAR_PROBABILITIES = [
    ("mae", {}, F(37, 100)),
    ("brier", {}, F(192, 1000)),
    ("rmse", {}, 0.192**0.5),
    ("log_loss", {"base": 2}, 0.7983895107909581),
    ("focal_loss", {"base": 2, "gamma": 2}, 0.28663408970409576),
]
BERRAR_INFORMATION = [0.926, 0.678, -0.585, 0.263, 0.0, 0.138, 0.485, -0.585, 0.678, 0.848]
BERRAR_RELATIVE_INFORMATION = 0.2846

BERRAR_RANKING = {
    "auc": F(4, 5),
    "gini": F(3, 5),
    "auch": F(22, 25),
    "ks": F(3, 5),
    "max_youden_j": F(3, 5),
    "taks": F(1, 3),
    "average_precision": F(835, 1000),
    "mean_precision": sum(row[2] for row in BERRAR_TABLE) / F(10),
    "average_gain": F(3, 4),
    "average_lift": sum(row[4] for row in BERRAR_TABLE) / F(10),
    "aucpr_min": 0.6476190476190475,
    "aucpr_minmax": 0.7163095238095238,
    "aucpr_max": F(7725, 10000),
}

MURPHY_LABELS = [1, 1, 1, 1, 1, 0, 0, 0, 0]
MURPHY_1 = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
MURPHY_2 = [0.9, 0.8, 0.7, 0.6, 0.2, 0.6, 0.3, 0.2, 0.1]
# Tables 4 and 5: joint probabilities (tp, fp, fn, tn); accuracy, precision, recall, F1, mutual information (nats).
MURPHY_TABLES = [
    ((0.9, 0.1, 0.0, 0.0), (0.9, 0.9, 1.0, 0.947, 0.0)),
    ((0.8, 0.0, 0.1, 0.1), (0.9, 1.0, 0.888, 0.941, 0.1865)),
    ((0.78, 0.0, 0.12, 0.1), (0.88, 1.0, 0.8667, 0.9286, 0.1735)),
]

ARBEL_LABELS = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]
ARBEL_SCORES = [0.45, 0.34, 0.32, 0.26, 0.15, 0.14, 0.09, 0.07, 0.06, 0.03]
ARBEL_FOUND = [1, 1, 2, 3, 3, 3, 4, 4, 4, 4]  # positives among the first j
ARBEL_AVERAGES = {
    "average_qrecall": F(25, 28),
    "average_hit_rate": (1 + F(2, 3) + F(3, 4) + F(4, 7)) / 4,
    "pem": F(7, 12),
    "pearson": 0.537340279840575,
}
ARBEL_AREAS = (F(7, 4), 0, 3)
