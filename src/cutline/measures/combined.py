"""Measures of one cut that combine the rates of `counts`: of both classes, or precision with recall."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.counts import Counts, as_floats, divide
from cutline.measures.forms import Equivalent, Proportion, Ratio, SumOfRates
from cutline.measures.metadata import (
    ALL_FLAGGED,
    NO_POSITIVE,
    NONE_FLAGGED,
    NULL_PREVALENCE,
    ONE_CLASS,
    Context,
    Parameter,
    ReferenceValue,
    UndefinedWhen,
    compute_null_share,
)
from cutline.measures.rates import fnr, fpr, precision, rate, recall, specificity

# ---------------------------------------------------------------------- both classes together


@rate(
    title="Youden's J",
    form=SumOfRates(1, -1),
    formula=r"TPR - FPR",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=ONE_CLASS,
    aliases=("informedness", "youden_index", "wracc"),
    equivalent=Equivalent("balanced_accuracy", "2 balanced_accuracy - 1"),
    source={"berrar2025": "Definition 8", "sonnenburg": "Scores III", "youden1950": ""},
    blind_to=(
        "How rare positives are and what an error costs: it trades one point of recall for one point of false "
        "positive rate, which may be a thousand false alarms for each hit."
    ),
)
def youden_j(c: Counts) -> Any:
    """How much more often a positive case is flagged than a negative one.

    >>> round(youden_j(Counts(tp=3, fp=1, fn=2, tn=4)), 6)
    0.4
    """
    return divide(c.tp, c.positives) - divide(c.fp, c.negatives)


@rate(
    title="Weighted relative accuracy",
    formula=r"\pi (1 - \pi)(TPR - FPR)",
    range=(-0.25, 0.25),
    better="higher",
    perfect=ReferenceValue(r"\pi(1-\pi)", lambda s, **_: s.prevalence * (1 - s.prevalence)),
    baseline=0,
    undefined=ONE_CLASS,
    equivalent=Equivalent("balanced_accuracy", "P N / n^2 (2 balanced_accuracy - 1)"),
    source="lavrac1999",
    blind_to="What an error costs; with rare positives it is close to 0 for every model.",
)
def weighted_relative_accuracy(c: Counts) -> Any:
    """Share of the cases that are flagged rightly beyond what chance would give."""
    return divide(c.positives, c.total) * divide(c.negatives, c.total) * youden_j.function(c)


@rate(
    title="Positive likelihood ratio",
    formula=r"\frac{TPR}{FPR}",
    range=(0, math.inf),
    better="higher",
    perfect=math.inf,
    baseline=1,
    undefined=(*ONE_CLASS, NONE_FLAGGED),
    aliases=("positive_likelihood_ratio",),
    form=Ratio(above=("tp", "fn"), below=("fp", "tn")),
    source={"berrar2025": "Definition 9"},
    blind_to="How many positives are found: flagging a single positive and nobody else is infinitely good.",
)
def lr_plus(c: Counts) -> Any:
    """How many times likelier a positive case is flagged than a negative one."""
    return divide(recall.function(c), fpr.function(c))


@rate(
    title="Negative likelihood ratio",
    formula=r"\frac{FNR}{TNR}",
    range=(0, math.inf),
    better="lower",
    perfect=0,
    baseline=1,
    undefined=(*ONE_CLASS, ALL_FLAGGED),
    aliases=("negative_likelihood_ratio",),
    form=Ratio(above=("fn", "tp"), below=("tn", "fp")),
    source={"berrar2025": "Definition 10"},
    blind_to="False alarms, once every positive is flagged: it is 0 then, however few negatives are left alone.",
)
def lr_minus(c: Counts) -> Any:
    """How many times likelier a positive case is left unflagged than a negative one."""
    return divide(fnr.function(c), specificity.function(c))


@rate(
    title="Balanced accuracy",
    form=SumOfRates(0.5, 0),
    formula=r"\frac{TPR + TNR}{2}",
    better="higher",
    perfect=1,
    baseline=0.5,
    undefined=ONE_CLASS,
    aliases=("bacc", "balanced_accuracy_score"),
    headline=True,
    source={"berrar2025": "Definition 11"},
    blind_to=(
        "How rare positives are: with 1 positive in 1,000, a cut that scores 0.95 may give fifty false alarms for "
        "each hit."
    ),
)
def balanced_accuracy(c: Counts) -> Any:
    """Mean of the accuracies within the two classes."""
    return (recall.function(c) + specificity.function(c)) / 2


@rate(
    title="Balanced error rate",
    form=SumOfRates(-0.5, 1),
    formula=r"\frac{FPR + FNR}{2}",
    better="lower",
    perfect=0,
    baseline=0.5,
    undefined=ONE_CLASS,
    aliases=("ber",),
    equivalent=Equivalent("balanced_accuracy", "1 - balanced_accuracy"),
    source={"sonnenburg": "Scores III"},
    blind_to=(
        "How rare positives are: with 1 positive in 1,000, a cut that scores 0.05 may give fifty false alarms for "
        "each hit."
    ),
)
def balanced_error_rate(c: Counts) -> Any:
    """Mean of the error rates within the two classes."""
    return (fpr.function(c) + fnr.function(c)) / 2


@rate(
    title="G-mean",
    formula=r"\sqrt{TPR \cdot TNR}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\sqrt{q(1-q)}", lambda s, **_: np.sqrt(s.flagged * (1 - s.flagged))),
    undefined=ONE_CLASS,
    aliases=("gmean", "geometric_mean"),
    source="kubat1997",
    blind_to="How rare positives are, and which of the two classes is served worse.",
)
def g_mean(c: Counts) -> Any:
    """Geometric mean of the accuracies within the two classes."""
    return np.sqrt(recall.function(c) * specificity.function(c))


# ---------------------------------------------------------------------- precision and recall together

NOTHING_POSITIVE = UndefinedWhen("no case is positive or flagged", lambda c, **_: c.tp + c.fp + c.fn == 0)


def _compute_f_baseline(s: Context, alpha: float) -> Any:
    return divide(s.prevalence * s.flagged, alpha * s.flagged + (1 - alpha) * s.prevalence)


@rate(
    title="F-alpha",
    formula=r"\frac{1}{\alpha / \text{precision} + (1 - \alpha) / \text{recall}}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{\pi q}{\alpha q + (1-\alpha)\pi}", lambda s, alpha=0.5: _compute_f_baseline(s, alpha)
    ),
    undefined=UndefinedWhen(
        "no case is positive or flagged, as far as alpha counts them",
        lambda c, alpha, **_: (c.tp == 0) & (alpha * c.fp + (1 - alpha) * c.fn == 0),
    ),
    parameters={"alpha": Parameter("weight of precision against recall", low=0, high=1, example=0.3)},
    trained_by="rows",
    source={"murphy2007": "Equation 13"},
    blind_to="True negatives: a thousand more negatives that are rightly left alone change nothing.",
)
def f_alpha(c: Counts, *, alpha: float = 0.5) -> Any:
    """Weighted harmonic mean of precision and recall, from the counts, so that it is 0 where they are undefined.

    >>> round(f_alpha(Counts(tp=3, fp=1, fn=2, tn=4), alpha=0.5), 6)
    0.666667
    """
    return divide(c.tp, c.tp + alpha * c.fp + (1 - alpha) * c.fn)


@rate(
    title="F-beta",
    formula=r"\frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + FP + \beta^2 FN}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{(1+\beta^2)\pi q}{\beta^2 \pi + q}", lambda s, beta=1.0: _compute_f_baseline(s, 1 / (1 + beta**2))
    ),
    undefined=UndefinedWhen(
        "no case is positive or flagged, as far as beta counts them",
        lambda c, beta, **_: (c.tp == 0) & (c.fp + beta**2 * c.fn == 0),
    ),
    parameters={"beta": Parameter("how many times recall counts as much as precision", low=0, high=1e100, example=2)},
    trained_by="rows",
    aliases=("fbeta_score",),
    numbered={r"f_?(\d+(?:\.\d+)?)": "beta"},
    source={"berrar2025": "Definition 13"},
    blind_to="True negatives: a thousand more negatives that are rightly left alone change nothing.",
)
def f_beta(c: Counts, *, beta: float = 1.0) -> Any:
    """Harmonic mean of precision and recall, recall counting beta times as much."""
    hits = (1 + beta**2) * as_floats(c.tp)
    return divide(hits, hits + c.fp + beta**2 * as_floats(c.fn))


@rate(
    title="F1",
    formula=r"\frac{2 TP}{2 TP + FP + FN}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\frac{2\pi q}{\pi + q}", lambda s, **_: _compute_f_baseline(s, 0.5)),
    undefined=NOTHING_POSITIVE,
    aliases=("f_measure", "f_score", "f1_score", "dice"),
    headline=True,
    form=Proportion(lambda c: (c.tp, c.tp + c.fp + c.fn), then=lambda jaccard: 2 * jaccard / (1 + jaccard)),
    trained_by="rows",
    source={"berrar2025": "Definition 12", "murphy2007": "Equation 12", "sonnenburg": "Scores III"},
    blind_to="True negatives, and that precision and recall may not matter alike to you: it weighs them equally.",
)
def f1(c: Counts) -> Any:
    """Harmonic mean of precision and recall, from the counts: 0, not undefined, when every flagged case is wrong."""
    return f_alpha.function(c, alpha=0.5)


@rate(
    title="G-measure",
    formula=r"\sqrt{\text{precision} \cdot \text{recall}}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\sqrt{\pi q}", lambda s, **_: np.sqrt(s.prevalence * s.flagged)),
    undefined=(NO_POSITIVE, NONE_FLAGGED),
    aliases=("fowlkes_mallows",),
    source={"berrar2025": "Definition 14"},
    blind_to="True negatives, and that precision and recall may not matter alike to you: it weighs them equally.",
)
def g_measure(c: Counts) -> Any:
    """Geometric mean of precision and recall."""
    return np.sqrt(precision.function(c) * recall.function(c))


@rate(
    title="Jaccard index",
    formula=r"\frac{TP}{TP + FP + FN}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{\pi q}{\pi + q - \pi q}",
        lambda s, **_: divide(s.prevalence * s.flagged, s.prevalence + s.flagged - s.prevalence * s.flagged),
    ),
    undefined=NOTHING_POSITIVE,
    aliases=("csi", "critical_success_index", "threat_score", "jaccard_score"),
    form=Proportion(lambda c: (c.tp, c.tp + c.fp + c.fn)),
    equivalent=Equivalent("f1", "f1 / (2 - f1)"),
    trained_by="rows",
    source="jaccard1912",
    blind_to="True negatives: a thousand more negatives that are rightly left alone change nothing.",
)
def jaccard(c: Counts) -> Any:
    """Share of the cases that are positive or flagged that are both."""
    return divide(c.tp, c.tp + c.fp + c.fn)


@rate(
    title="Lift",
    formula=r"\frac{\text{precision}}{\pi_0}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(r"1/\pi_0", lambda s, prevalence=None: 1 / (prevalence or s.prevalence)),
    baseline=ReferenceValue(r"\pi/\pi_0", lambda s, prevalence=None: s.prevalence / (prevalence or s.prevalence)),
    undefined=(
        NONE_FLAGGED,
        UndefinedWhen(
            "there is no positive case", lambda c, prevalence=None, **_: (c.positives == 0) & (prevalence is None)
        ),
    ),
    parameters={"prevalence": NULL_PREVALENCE},
    equivalent=Equivalent("precision", "precision / prevalence"),
    source={"berrar2025": "Definition 16"},
    blind_to="How many positives are found: a short list that is right has a high lift and may find almost nobody.",
)
def lift(c: Counts, *, prevalence: float | None = None) -> Any:
    """How many times more of the flagged cases are positive than a null model would get right.

    >>> lift(Counts(tp=3, fp=1, fn=2, tn=4))
    1.5
    """
    return divide(precision.function(c), compute_null_share(c.positives, c.total, prevalence))
