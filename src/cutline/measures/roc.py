"""Measures of the ranking that live in ROC space: functions of the order of the scores, not of their size.

Tied scores have no order: the ROC curve crosses a tie diagonally, so that the areas are exactly their mean over all
orders of the ties. What is read at single cuts (ks, eer, the hull) is read at the distinct scores, where real cuts are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Ranking, dot, take
from cutline.measures.conditions import ONE_CLASS
from cutline.measures.definition import Family, Needs, measure
from cutline.measures.facts import NULL_PREVALENCE, Condition, Parameter, ReferenceValue
from cutline.measures.kinds import Equivalent, LineOfAuc

order = partial(measure, needs=Needs.RANKING, family=Family.RANKING, range=(0, 1), undefined=ONE_CLASS, concordant=True)


# ---------------------------------------------------------------------- pairs won, and what is linear in their share


@order(
    title="Area under the ROC curve",
    formula=r"P(S^+ > S^-) + \tfrac12 P(S^+ = S^-)",
    better="higher",
    perfect=1,
    baseline=0.5,
    aliases=("roc_auc", "auroc", "c_statistic", "c_index", "concordance"),
    headline=True,
    kind=LineOfAuc(lambda r: (1.0, 0.0)),
    trained_by="pairs",
    card=True,
    source={
        "berrar2025": "Definition 27",
        "murphy2007": "Section 1",
        "arbel2006": "Section 2.3.1",
        "sonnenburg": "Area under the curves",
        "hanley1982": "",
    },
)
def auc(r: Ranking) -> Any:
    """Probability that a positive case outranks a negative one, a tie counting one half.

    >>> auc([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])  # 3 pairs won, 1 tied, of 4
    0.875
    """
    pairs = r.pairs
    share = divide(pairs.concordant + pairs.tied / 2, pairs.every)
    return share if pairs.every.dtype.kind == "i" else np.clip(share, 0, 1)  # rounding may go one bit beyond


@order(
    title="Gini index",
    formula=r"2 \, AUC - 1",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    aliases=("gini_index", "somers_d", "accuracy_ratio"),
    kind=LineOfAuc(lambda r: (2.0, -1.0)),
    equivalent=Equivalent("auc", "2 auc - 1"),
    source={"berrar2025": "Definition 28", "arbel2006": "Section 2.3.4", "sonnenburg": "Area under the curves"},
)
def gini(r: Ranking) -> Any:
    """How many more pairs of a positive and a negative are ranked rightly than wrongly, as a share of all."""
    pairs = r.pairs
    return np.clip(divide(2 * pairs.concordant + pairs.tied - pairs.every, pairs.every), -1, 1)


@order(
    title="Truncated average KS",
    formula=r"\frac{1}{n-1} \sum_{i=1}^{n-1} [TPR(i) - FPR(i)] = \frac{n}{n-1}\left(AUC - \tfrac12\right)",
    range=(-1, 1),
    better="higher",
    perfect=ReferenceValue(r"\frac{n}{2(n-1)}", lambda s, **_: s.n / (s.n - 1) / 2),
    baseline=0,
    undefined=(*ONE_CLASS, Condition("the weights add up to less than 2 cases", lambda r, **_: r.total < 2)),
    scales=False,
    kind=LineOfAuc(lambda r: (r.total / (r.total - 1), -r.total / (r.total - 1) / 2)),
    equivalent=Equivalent("auc", "n / (n - 1) (auc - 1/2)"),
    source={"berrar2025": "Definition 31", "berrar2014": ""},
)
def taks(r: Ranking) -> Any:
    """Mean gap between recall and false positive rate over all places of the list but the last."""
    n = r.total
    return np.where(n >= 2, divide(n, n - 1) * gini.function(r) / 2, np.nan)


def _more_than_null(n: Any, share: Any, prevalence: float | None) -> Any:
    """How many more positives a random order has than the null model expects, averaged over all lengths of the list."""
    return 0.0 if prevalence is None else (n + 1) / 2 * (share - prevalence)


def _line_of_gain(r: Ranking, prevalence: float | None) -> tuple[Any, Any]:
    share = r.positives / r.total
    slope = share * r.negatives
    return slope, _more_than_null(r.total, share, prevalence) - slope / 2


@order(
    title="Average gain",
    formula=r"\frac1n \sum_{j=1}^n \left[g(j) - \pi_0 j\right] = "
    r"\frac{PN}{n}\left(AUC - \tfrac12\right) + \frac{n+1}{2}(\pi - \pi_0)",
    range=(-np.inf, np.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{PN}{2n} + \frac{n+1}{2}(\pi - \pi_0)",
        lambda s, prevalence=None: (
            s.n * s.prevalence * (1 - s.prevalence) / 2 + _more_than_null(s.n, s.prevalence, prevalence)
        ),
    ),
    baseline=ReferenceValue(
        r"\frac{n+1}{2}(\pi - \pi_0)", lambda s, prevalence=None: _more_than_null(s.n, s.prevalence, prevalence)
    ),
    scales=False,
    parameters={"prevalence": NULL_PREVALENCE},
    kind=LineOfAuc(lambda r, prevalence=None: _line_of_gain(r, prevalence)),
    equivalent=Equivalent("auc", "P N / n (auc - 1/2)"),
    source={"berrar2025": "Definition 25"},
)
def average_gain(r: Ranking, *, prevalence: float | None = None) -> Any:
    """How many more positives the model finds than a null model expects, averaged over all lengths of the list."""
    share = divide(r.positives, r.total)
    return share * r.negatives * gini.function(r) / 2 + _more_than_null(r.total, share, prevalence)


@order(
    title="Concordant pairs",
    formula=r"P(S^+ > S^-)",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\tfrac12 (1 - \text{tied})", lambda s, **_: math.nan),
    source="agresti2010",
)
def concordant_pairs(r: Ranking) -> Any:
    """Share of the pairs in which the positive case has the higher score; a tie counts nothing (in `auc`, half)."""
    return np.clip(divide(r.pairs.concordant, r.pairs.every), 0, 1)


@order(
    title="Tied pairs",
    formula=r"P(S^+ = S^-)",
    better="lower",
    perfect=0,
    baseline=ReferenceValue(r"\text{depends on the scores}", lambda s, **_: math.nan),
    concordant=False,
    source="agresti2010",
)
def tied_pairs(r: Ranking) -> Any:
    """Share of the pairs of a positive and a negative case that have the same score."""
    return divide(r.pairs.tied, r.pairs.every)


# ---------------------------------------------------------------------- cuts of the ROC curve


def youden_of_all_cuts(r: Ranking) -> Any:
    """TPR - FPR at every cut."""
    return r.tpr - r.fpr


@order(
    title="Kolmogorov-Smirnov statistic",
    formula=r"\max_t |TPR(t) - FPR(t)|",
    better="higher",
    perfect=1,
    baseline=0,
    concordant=False,
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    found_at=lambda r, **_: int(np.argmax(np.abs(youden_of_all_cuts(r)))),
    headline=True,
    source={"berrar2025": "Definition 30"},
)
def ks(r: Ranking) -> Any:
    """Largest distance between the distributions of the scores in the two classes, whichever is above."""
    return np.abs(youden_of_all_cuts(r)).max(-1)


@order(
    title="Maximal Youden's J",
    formula=r"\max_t \left[TPR(t) - FPR(t)\right]",
    better="higher",
    perfect=1,
    baseline=0,
    aliases=("j_max", "max_youden"),
    found_at=lambda r, **_: int(np.argmax(youden_of_all_cuts(r))),
    source={"berrar2025": "Definition 8", "ruopp2008": ""},
)
def max_youden_j(r: Ranking) -> Any:
    """Youden's J at the best cut; flagging nobody gives 0, so it is never less.

    >>> from cutline import rank
    >>> ten = rank([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
    >>> round(max_youden_j(ten), 6), max_youden_j.threshold(ten)
    (0.6, 0.5)
    """
    return youden_of_all_cuts(r).max(-1)


def _crossing(r: Ranking) -> Any:
    """The first cut at which the false positive rate reaches the false negative rate."""
    return (r.fpr + r.tpr < 1).sum(-1)


@order(
    title="Equal error rate",
    formula=r"FPR = FNR",
    better="lower",
    perfect=0,
    baseline=0.5,
    aliases=("equal_error_rate", "crossover_rate"),
    found_at=lambda r, **_: int(_crossing(r)),
    headline=True,
    source={"murphy2007": "Section 1"},
)
def eer(r: Ranking) -> Any:
    """The error rate at which both classes suffer alike, on the straight line between the two nearest cuts."""
    after = np.maximum(_crossing(r), 1)
    fpr0, fpr1 = (take(r.fpr, cut) for cut in (after - 1, after))
    fnr0, fnr1 = (1 - take(r.tpr, cut) for cut in (after - 1, after))
    way = divide(fnr0 - fpr0, (fnr0 - fpr0) + (fpr1 - fnr1))
    return fpr0 + way * (fpr1 - fpr0)


# ---------------------------------------------------------------------- the hull


def over_stack(function: Callable[[Ranking], Any], r: Ranking) -> Any:
    """A function of one ranking, for each ranking of a stack."""
    if r.pos.ndim == 1:
        return function(r)
    return np.array([function(one) for one in r.one_by_one()]).reshape(r.pos.shape[:-1])


@order(
    title="Area under the ROC convex hull",
    formula=r"\int \text{hull}\left(TPR\right) d\,FPR",
    better="higher",
    perfect=1,
    baseline=0.5,
    source={"berrar2025": "Definition 29", "arbel2006": "Section 2.2.2", "provost2001": ""},
)
def auch(r: Ranking) -> Any:
    """The area under the ROC curve after the best monotone recalibration of the same data: never less than the AUC."""
    row, cut = r.hulls
    fpr, tpr = (rate.reshape(-1, len(r) + 1)[row, cut] for rate in (r.fpr, r.tpr))
    areas = np.where(r.hulls.goes_on, np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2, 0.0)
    return np.bincount(row[1:], weights=areas, minlength=row[-1] + 1).reshape(r.pos.shape[:-1])[()]


# ---------------------------------------------------------------------- the left end of the ROC curve


def area_up_to(r: Ranking, fp: Any) -> Any:
    """The area under tp as a function of fp, from no false positive to a number of them; diagonal inside ties."""
    limit = np.asarray(fp, dtype=float)[..., None]
    stop = int((r.fp[..., :-1] < limit).sum(-1).max())  # no cell from here on begins before the limit
    pos, neg, tp = r.pos[..., :stop], r.neg[..., :stop], r.tp[..., :stop]
    width = np.clip(limit - r.fp[..., :stop], 0, neg)
    inside = divide(width, np.maximum(neg, np.finfo(float).tiny))
    return dot(width, tp + pos * inside / 2)


@order(
    title="ROC_N",
    formula=r"\frac{1}{mP} \int_0^m TP \, d\,FP",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{m}{2N}", lambda s, n=50: n / 2 / negatives if (negatives := s.n * (1 - s.prevalence)) >= n else math.nan
    ),
    undefined=(*ONE_CLASS, Condition("there are fewer than n negative cases", lambda r, n, **_: r.negatives < n)),
    parameters={"n": Parameter("how many false positives to go", low=0, includes_low=False, example=2)},
    scales=False,
    trained_by="first_negatives",
    numbered={r"roc_?(\d+)": "n"},
    source={"sonnenburg": "Extensions", "gribskov1996": ""},
)
def roc_n(r: Ranking, *, n: float = 50) -> Any:
    """Mean recall while the first n false positives come in, which looks at the top of the list only."""
    area = np.clip(divide(area_up_to(r, n), n * r.positives.astype(float)), 0, 1)
    return np.where(r.negatives >= n, area, np.nan)


@order(
    title="Partial area under the ROC curve",
    formula=r"\int_0^{f} TPR \, d\,FPR",
    better="higher",
    perfect=ReferenceValue(
        r"1 \text{ or } f", lambda s, max_fpr=0.1, standardised=True: 1 if standardised else max_fpr
    ),
    baseline=ReferenceValue(
        r"\tfrac12, \tfrac{f}{2} \text{ or } \tfrac{f^2}{2}",
        lambda s, max_fpr=0.1, standardised=True: {True: 0.5, "box": max_fpr / 2, False: max_fpr**2 / 2}[standardised],
    ),
    parameters={
        "max_fpr": Parameter("false positive rate to go up to", low=0, high=1, includes_low=False, example=0.2),
        "standardised": Parameter(
            "True maps chance to 1/2 and perfect to 1 (McClish), 'box' divides by max_fpr, False gives the area",
            choices=(True, False, "box"),
        ),
    },
    aliases=("pauc",),
    trained_by="first_negatives",
    source="mcclish1989",
)
def partial_auc(r: Ranking, *, max_fpr: float = 0.1, standardised: bool | str = True) -> Any:
    """Area under the ROC curve up to a false positive rate, standardised as scikit-learn's `max_fpr` does."""
    area = divide(area_up_to(r, max_fpr * r.negatives), r.pairs.every)
    if standardised == "box":
        return area / max_fpr
    if not standardised:
        return area
    chance = max_fpr**2 / 2
    return (1 + (area - chance) / (max_fpr - chance)) / 2


@order(
    title="Partial AUC above a recall",
    formula=r"\int_{\text{min recall}}^1 (1 - FPR) \, d\,TPR",
    better="higher",
    perfect=ReferenceValue(r"1 - \text{min recall}", lambda s, min_recall=0.8: 1 - min_recall),
    baseline=ReferenceValue(
        r"\frac{(1 - \text{min recall})^2}{2}", lambda s, min_recall=0.8: (1 - min_recall) ** 2 / 2
    ),
    parameters={
        "min_recall": Parameter("recall from which on the area counts", low=0, high=1, includes_high=False, example=0.5)
    },
    source=("vancalster2025", "mcclish1989"),
)
def partial_auc_above_recall(r: Ranking, *, min_recall: float = 0.8) -> Any:
    """Area to the right of the ROC curve where the recall is high enough: 1 - min_recall at most, not standardised."""
    # Read from the end of the list, the classes change places: recall becomes the false positive rate.
    return divide(area_up_to(r.swapped(), (1 - min_recall) * r.positives), r.pairs.every)
