"""Measures of one cut that compare labels and predictions as two variables: correlation, agreement, information."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.counts import Counts, as_floats, divide
from cutline.measures.forms import Ratio, SumOfRates
from cutline.measures.metadata import (
    ALL_FLAGGED,
    NO_CASE,
    NONE_FLAGGED,
    ONE_CLASS,
    Parameter,
    ReferenceValue,
    UndefinedWhen,
)
from cutline.measures.rates import BASE, entropy, fpr, npv, precision, rate, recall


def _scale_counts(c: Counts) -> tuple[Any, Any, Any, Any]:
    """Return the counts as floats, divided by the power of two next to n: exactly, and so that no product overflows."""
    _, exponent = np.frexp(as_floats(c.total))
    tp, fp, fn, tn = [np.ldexp(as_floats(count), -exponent) for count in (c.tp, c.fp, c.fn, c.tn)]
    return tp, fp, fn, tn


@rate(
    title="Matthews correlation coefficient",
    formula=r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{P \cdot N \cdot O_+ \cdot O_-}}",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=(*ONE_CLASS, NONE_FLAGGED, ALL_FLAGGED),
    aliases=("phi", "cc", "matthews_correlation", "matthews_corrcoef"),
    headline=True,
    trained_by="diagonals",
    card=True,
    source={"berrar2025": "Definition 15", "sonnenburg": "Scores III", "matthews1975": ""},
    blind_to=(
        "What an error costs: it weighs both kinds by the sizes of the classes, and different tables share one "
        "value. It sees prevalence, so values from populations with different prevalence do not compare."
    ),
)
def mcc(c: Counts) -> Any:
    """Correlation of the labels and the predictions.

    >>> round(mcc(Counts(tp=3, fp=1, fn=2, tn=4)), 6)
    0.408248
    """
    tp, fp, fn, tn = _scale_counts(c)
    spread = np.sqrt(((tp + fn) * (fp + tn)) * ((tp + fp) * (fn + tn)))
    return np.clip(divide(tp * tn - fp * fn, spread), -1, 1)  # rounding may go one bit beyond


@rate(
    title="Cohen's kappa",
    formula=r"\frac{P_0 - P_e}{1 - P_e}",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=UndefinedWhen(
        "labels and predictions all say the same class, so chance alone agrees fully",
        lambda c, **_: (c.tp == c.total) | (c.tn == c.total),
    ),
    aliases=("cohen_kappa", "cohen_kappa_score"),
    trained_by="diagonals",
    source={"berrar2025": "Definition 24", "cohen1960": ""},
    blind_to=(
        "What an error costs. It sees prevalence and how many are flagged, so that equal recall and specificity "
        "give different values in different populations."
    ),
)
def kappa(c: Counts) -> Any:
    """Agreement of labels and predictions beyond what chance would give.

    >>> round(kappa(Counts(tp=3, fp=1, fn=2, tn=4)), 6)
    0.4
    """
    tp, fp, fn, tn = _scale_counts(c)
    return divide(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


@rate(
    title="Weighted kappa",
    formula=r"\frac{TP \cdot TN - FP \cdot FN}{c P (n - F) + (1 - c) N F}",
    range=(-math.inf, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=UndefinedWhen(
        "no disagreement that counts is expected of the baseline",
        lambda c, weight, **_: _compute_expected_disagreement(c, weight) == 0,
    ),
    parameters={
        "weight": Parameter(
            "what a missed positive costs, as a share of both kinds of error", low=0, high=1, example=0.7
        )
    },
    source="kraemer1992",
    blind_to="Costs other than the one weight that it is told; values with different weights do not compare.",
)
def weighted_kappa(c: Counts, *, weight: float = 0.5) -> Any:
    """Kappa when the two kinds of error do not count alike: 1/2 gives Cohen's, F the flagged cases.

    >>> round(weighted_kappa(Counts(tp=3, fp=1, fn=2, tn=4)), 6)
    0.4
    """
    tp, fp, fn, tn = _scale_counts(c)
    return divide(tp * tn - fp * fn, _compute_expected_disagreement(c, weight))


def _compute_expected_disagreement(c: Counts, weight: float) -> Any:
    tp, fp, fn, tn = _scale_counts(c)
    return weight * (tp + fn) * (fn + tn) + (1 - weight) * (fp + tn) * (tp + fp)


@rate(
    title="Mutual information",
    formula=r"\sum_{\hat y, y} p(\hat y, y) \log \frac{p(\hat y, y)}{p(\hat y) p(y)}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(r"H(\pi)", lambda s, base=math.e: entropy(s.prevalence, base)),
    baseline=0,
    concordant=False,
    parameters={"base": BASE},
    undefined=NO_CASE,
    source={"murphy2007": "Equation 16"},
    blind_to="The direction: predictions that are always wrong tell as much as predictions that are always right.",
)
def mutual_information(c: Counts, *, base: float = math.e) -> Any:
    """What a prediction tells about the label, in nats unless `base` says otherwise."""
    total = np.zeros(np.shape(c.total))
    for cell, row, column in (
        (c.tp, c.flagged, c.positives),
        (c.fp, c.flagged, c.negatives),
        (c.fn, c.unflagged, c.positives),
        (c.tn, c.unflagged, c.negatives),
    ):
        share = divide(cell, c.total)
        expected = divide(row, c.total) * divide(column, c.total)
        total = total + share * np.log(np.where(share > 0, divide(share, expected), 1.0))
    return np.maximum(total, 0.0) / math.log(base)  # rounding may leave -1e-17


@rate(
    title="Markedness",
    formula=r"\text{precision} + NPV - 1",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=(NONE_FLAGGED, ALL_FLAGGED),
    aliases=("delta_p",),
    source="powers2011",
    form=SumOfRates(1, -1, of_flags=True),
    blind_to="How many positives are found: few flags that are right score as well as many.",
)
def markedness(c: Counts) -> Any:
    """How much more often a flagged case is positive than one not flagged."""
    return precision.function(c) - (1 - npv.function(c))


@rate(
    title="Diagnostic odds ratio",
    formula=r"\frac{TP \cdot TN}{FP \cdot FN}",
    range=(0, math.inf),
    better="higher",
    perfect=math.inf,
    baseline=1,
    undefined=UndefinedWhen(
        "the right and the wrong predictions both lack a class",
        lambda c, **_: ((c.tp == 0) | (c.tn == 0)) & ((c.fp == 0) | (c.fn == 0)),
    ),
    aliases=("dor", "odds_ratio"),
    form=Ratio(above=("tp", "fn"), below=("fp", "tn"), odds=True),
    source="glas2003",
    blind_to=(
        "Which kind of error is made: half the odds of a false alarm and twice the odds of a miss cancel out, so "
        "very different cuts share one value."
    ),
)
def diagnostic_odds_ratio(c: Counts) -> Any:
    """Odds of being flagged for a positive case, over those for a negative one."""
    tp, fp, fn, tn = _scale_counts(c)
    return divide(tp * tn, fp * fn)


@rate(
    title="P4",
    formula=r"\frac{4 TP \cdot TN}{4 TP \cdot TN + (TP + TN)(FP + FN)}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{4}{1/\pi + 1/q + 1/(1-\pi) + 1/(1-q)}",
        lambda s, **_: divide(
            4,
            divide(1, s.prevalence) + divide(1, s.flagged) + divide(1, 1 - s.prevalence) + divide(1, 1 - s.flagged),
        ),
    ),
    undefined=UndefinedWhen(
        "nothing is predicted correctly, or everything is and it is of one class",
        lambda c, **_: ((c.tp == 0) | (c.tn == 0)) & ((c.tp + c.tn == 0) | (c.fp + c.fn == 0)),
    ),
    aliases=("p4_metric",),
    source="sitarz2023",
    blind_to="What an error costs, and which of its four parts is low: it is near 0 as soon as one of them is.",
)
def p4(c: Counts) -> Any:
    """Harmonic mean of precision, recall, specificity and negative predictive value."""
    tp, fp, fn, tn = _scale_counts(c)
    return divide(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn))


@rate(
    title="Prevalence threshold",
    formula=r"\frac{\sqrt{FPR}}{\sqrt{TPR} + \sqrt{FPR}}",
    better="lower",
    perfect=0,
    baseline=0.5,
    undefined=(*ONE_CLASS, NONE_FLAGGED),
    source="balayla2020",
    blind_to="How large recall is: only its ratio to the false positive rate counts.",
)
def prevalence_threshold(c: Counts) -> Any:
    """The prevalence below which the precision of this cut falls steeply."""
    missed, caught = np.sqrt(fpr.function(c)), np.sqrt(recall.function(c))
    return divide(missed, caught + missed)
