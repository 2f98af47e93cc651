"""Measures of one cut: functions of the four counts of a contingency table.

Each works on numbers and on arrays alike, so one definition serves one table, all cuts of a ranking, and all cuts of
all resamples. Products of counts are taken as floats: at n = 1e10 they would overflow as integers.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Numbers
from cutline.core.counts import Counts, as_floats, divide
from cutline.measures.forms import Equivalent, PairedShare, Proportion
from cutline.measures.metadata import (
    ALL_FLAGGED,
    FLAGGED,
    NO_CASE,
    NO_NEGATIVE,
    NO_POSITIVE,
    NONE_FLAGGED,
    PREVALENCE,
    Parameter,
    ReferenceValue,
)
from cutline.measures.registry import Family, Needs, measure

rate = partial(measure, needs=Needs.COUNTS, family=Family.CUT, range=(0, 1), concordant=True)

BASE = Parameter("base of the logarithm", low=1, includes_low=False, example=2)


def entropy(prevalence: Numbers, base: float = math.e) -> Any:
    """Return the entropy of two classes; 0 log 0 is 0."""
    p = as_floats(prevalence)
    return -(xlogx(p) + xlogx(1 - p)) / math.log(base)


def xlogx(x: Numbers) -> Any:
    """Return x log x, which is 0 at 0."""
    x = as_floats(x)
    return x * np.log(np.where(x > 0, x, 1.0))


# ---------------------------------------------------------------------- shares of all, of a class, of the flagged


@rate(
    title="Accuracy",
    formula=r"\frac{TP + TN}{n}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\pi q + (1-\pi)(1-q)", lambda s, **_: s.prevalence * s.flagged + (1 - s.prevalence) * (1 - s.flagged)
    ),
    aliases=("acc", "accuracy_score"),
    headline=True,
    undefined=NO_CASE,
    form=Proportion(lambda c: (c.tp + c.tn, c.total), paired=PairedShare(None, "right")),
    source={
        "berrar2025": "Definition 1",
        "murphy2007": "Equation 10",
        "arbel2006": "Equation 1",
        "sonnenburg": "Scores I",
    },
    blind_to="Which class the errors fall on: with rare positives, flagging nobody scores nearly 1.",
)
def accuracy(c: Counts) -> Any:
    """Share of the cases that are predicted correctly.

    >>> accuracy(Counts(tp=3, fp=1, fn=2, tn=4))
    0.7
    """
    return divide(c.tp + c.tn, c.total)


@rate(
    title="Error rate",
    formula=r"\frac{FP + FN}{n}",
    better="lower",
    perfect=0,
    baseline=ReferenceValue(
        r"\pi(1-q) + (1-\pi)q", lambda s, **_: s.prevalence * (1 - s.flagged) + (1 - s.prevalence) * s.flagged
    ),
    aliases=("err", "error", "zero_one_loss", "misclassification_rate"),
    undefined=NO_CASE,
    form=Proportion(lambda c: (c.fp + c.fn, c.total), paired=PairedShare(None, "wrong")),
    equivalent=Equivalent("accuracy", "1 - accuracy"),
    source={"berrar2025": "Definition 2", "arbel2006": "Equation 1", "sonnenburg": "Scores I"},
    blind_to="Which class the errors fall on: with rare positives, flagging nobody scores nearly 0.",
)
def error_rate(c: Counts) -> Any:
    """Share of the cases that are predicted wrongly: the mean 0-1 loss."""
    return divide(c.fp + c.fn, c.total)


@rate(
    title="Recall",
    formula=r"\frac{TP}{P}",
    better="higher",
    perfect=1,
    baseline=FLAGGED,
    undefined=NO_POSITIVE,
    aliases=("sensitivity", "tpr", "true_positive_rate", "detection_rate", "recall_score"),
    headline=True,
    form=Proportion(lambda c: (c.tp, c.positives), paired=PairedShare(True, "right")),
    card=True,
    source={
        "berrar2025": "Definition 3",
        "murphy2007": "Equation 6",
        "arbel2006": "Equations 1 and 3",
        "sonnenburg": "Scores II",
    },
    blind_to="False alarms: flagging everybody scores 1.",
)
def recall(c: Counts) -> Any:
    """Share of the positive cases that are flagged.

    >>> recall(Counts(tp=3, fp=1, fn=2, tn=4))
    0.6
    """
    return divide(c.tp, c.positives)


@rate(
    title="Specificity",
    formula=r"\frac{TN}{N}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue("1 - q", lambda s, **_: 1 - s.flagged),
    undefined=NO_NEGATIVE,
    aliases=("tnr", "true_negative_rate", "selectivity"),
    headline=True,
    form=Proportion(lambda c: (c.tn, c.negatives), paired=PairedShare(False, "right")),
    card=True,
    source={
        "berrar2025": "Definition 4",
        "murphy2007": "Equation 9",
        "arbel2006": "Equation 1",
        "sonnenburg": "Scores II",
    },
    blind_to="Missed positives: flagging nobody scores 1.",
)
def specificity(c: Counts) -> Any:
    """Share of the negative cases that are not flagged."""
    return divide(c.tn, c.negatives)


@rate(
    title="False positive rate",
    formula=r"\frac{FP}{N}",
    better="lower",
    perfect=0,
    baseline=FLAGGED,
    undefined=NO_NEGATIVE,
    aliases=("false_positive_rate", "false_acceptance_rate", "fall_out"),
    form=Proportion(lambda c: (c.fp, c.negatives), paired=PairedShare(False, "wrong")),
    equivalent=Equivalent("specificity", "1 - specificity"),
    source={"berrar2025": "Figure 2", "murphy2007": "Equation 7", "arbel2006": "Equation 1", "sonnenburg": "Scores II"},
    blind_to="Missed positives, and how rare positives are: 1 % of very many negatives can be most of the alarms.",
)
def fpr(c: Counts) -> Any:
    """Share of the negative cases that are flagged."""
    return divide(c.fp, c.negatives)


@rate(
    title="False negative rate",
    formula=r"\frac{FN}{P}",
    better="lower",
    perfect=0,
    baseline=ReferenceValue("1 - q", lambda s, **_: 1 - s.flagged),
    undefined=NO_POSITIVE,
    aliases=("false_negative_rate", "false_rejection_rate", "miss_rate"),
    form=Proportion(lambda c: (c.fn, c.positives), paired=PairedShare(True, "wrong")),
    equivalent=Equivalent("recall", "1 - recall"),
    source={"murphy2007": "Equation 8", "arbel2006": "Equation 1", "sonnenburg": "Scores II"},
    blind_to="False alarms: flagging everybody scores 0.",
)
def fnr(c: Counts) -> Any:
    """Share of the positive cases that are missed."""
    return divide(c.fn, c.positives)


@rate(
    title="Precision",
    formula=r"\frac{TP}{TP + FP}",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NONE_FLAGGED,
    aliases=("ppv", "positive_predictive_value", "precision_score"),
    headline=True,
    form=Proportion(lambda c: (c.tp, c.flagged)),
    trained_by="diagonals",
    card=True,
    source={
        "berrar2025": "Definition 5",
        "murphy2007": "Equation 11",
        "arbel2006": "Equations 1 and 2",
        "sonnenburg": "Scores II",
    },
    blind_to="Missed positives: one flagged case that is positive scores 1.",
)
def precision(c: Counts) -> Any:
    """Share of the flagged cases that are positive.

    scikit-learn gives 0 where nothing is flagged; here it is undefined.

    >>> precision(Counts(tp=3, fp=1, fn=2, tn=4))
    0.75
    """
    return divide(c.tp, c.flagged)


@rate(
    title="Negative predictive value",
    formula=r"\frac{TN}{TN + FN}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"1 - \pi", lambda s, **_: 1 - s.prevalence),
    undefined=ALL_FLAGGED,
    aliases=("negative_predictive_value",),
    form=Proportion(lambda c: (c.tn, c.unflagged)),
    source={"berrar2025": "Definition 6", "sonnenburg": "Scores II"},
    blind_to="False alarms; with rare positives even a useless cut scores nearly 1.",
)
def npv(c: Counts) -> Any:
    """Share of the cases not flagged that are negative."""
    return divide(c.tn, c.unflagged)


@rate(
    title="False discovery rate",
    formula=r"\frac{FP}{TP + FP}",
    better="lower",
    perfect=0,
    baseline=ReferenceValue(r"1 - \pi", lambda s, **_: 1 - s.prevalence),
    undefined=NONE_FLAGGED,
    aliases=("false_discovery_rate",),
    form=Proportion(lambda c: (c.fp, c.flagged)),
    equivalent=Equivalent("precision", "1 - precision"),
    source={"berrar2025": "Definition 7", "sonnenburg": "Scores II"},
    blind_to="Missed positives: one flagged case that is positive scores 0.",
)
def fdr(c: Counts) -> Any:
    """Share of the flagged cases that are negative."""
    return divide(c.fp, c.flagged)


@rate(
    title="False omission rate",
    formula=r"\frac{FN}{TN + FN}",
    better="lower",
    perfect=0,
    baseline=PREVALENCE,
    undefined=ALL_FLAGGED,
    aliases=("fdr_minus", "negative_false_discovery_rate"),
    form=Proportion(lambda c: (c.fn, c.unflagged)),
    equivalent=Equivalent("npv", "1 - npv"),
    source={"sonnenburg": "Scores II"},
    blind_to="False alarms; with rare positives even a useless cut scores nearly 0.",
)
def false_omission_rate(c: Counts) -> Any:
    """Share of the cases not flagged that are positive."""
    return divide(c.fn, c.unflagged)


@rate(
    title="Prevalence",
    formula=r"\pi = \frac{P}{n}",
    better=None,
    perfect=PREVALENCE,
    baseline=PREVALENCE,
    aliases=("base_rate",),
    undefined=NO_CASE,
    form=Proportion(lambda c: (c.positives, c.total)),
    source={"berrar2025": "Definition 16"},
    blind_to="The model: it is a fact about the data.",
)
def prevalence(c: Counts) -> Any:
    """Share of the cases that are positive: a fact about the data, not about the model."""
    return divide(c.positives, c.total)


@rate(
    title="Predicted positive rate",
    formula=r"q = \frac{TP + FP}{n}",
    better=None,
    perfect=PREVALENCE,
    baseline=FLAGGED,
    concordant=False,
    aliases=("flagged_rate", "rate_of_positive_predictions"),
    undefined=NO_CASE,
    form=Proportion(lambda c: (c.flagged, c.total), paired=PairedShare(None, "flagged")),
    source={"berrar2025": "Definition 24", "murphy2007": "Equation 15"},
    blind_to="Whether the flagged cases are the right ones: it counts flags, not hits.",
)
def predicted_positive_rate(c: Counts) -> Any:
    """Share of the cases that are flagged."""
    return divide(c.flagged, c.total)
