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

from cutline.core.array_ops import Numbers, count_first, take
from cutline.core.blocks import reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import Equivalent, LinearInAuc, MaximumOverCuts, ShareOfPairs, find_best_cuts
from cutline.measures.metadata import NULL_PREVALENCE, ONE_CLASS, ReferenceValue, UndefinedWhen
from cutline.measures.registry import Family, Needs, measure

order = partial(measure, needs=Needs.RANKING, family=Family.RANKING, range=(0, 1), undefined=ONE_CLASS, concordant=True)


# ---------------------------------------------------------------------- pairs won, and what is linear in their share


@order(
    title="Area under the ROC curve",
    formula=r"P(S^+ > S^-) + \tfrac12 P(S^+ = S^-)",
    better="higher",
    perfect=1,
    baseline=0.5,
    aliases=("roc_auc", "auroc", "c_statistic", "c_index", "concordance", "roc_auc_score"),
    headline=True,
    form=LinearInAuc(lambda r: (1.0, 0.0)),
    trained_by="pairs",
    card=True,
    source={
        "berrar2025": "Definition 27",
        "murphy2007": "Section 1",
        "arbel2006": "Section 2.3.1",
        "sonnenburg": "Area under the curves",
        "hanley1982": "",
    },
    blind_to=(
        "Where on the list the errors are: a mistake at the top counts like one at the bottom. It does not see how "
        "rare positives are, whether probabilities are right, or how good the cut is that you will use."
    ),
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
    form=LinearInAuc(lambda r: (2.0, -1.0)),
    equivalent=Equivalent("auc", "2 auc - 1"),
    source={"berrar2025": "Definition 28", "arbel2006": "Section 2.3.4", "sonnenburg": "Area under the curves"},
    blind_to=(
        "All that the AUC is blind to: where on the list the errors are, prevalence, probabilities, and your cut."
    ),
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
    undefined=(*ONE_CLASS, UndefinedWhen("the weights add up to less than 2 cases", lambda r, **_: r.total < 2)),
    scales=False,
    form=LinearInAuc(lambda r: (r.total / (r.total - 1), -r.total / (r.total - 1) / 2)),
    equivalent=Equivalent("auc", "n / (n - 1) (auc - 1/2)"),
    source={"berrar2025": "Definition 31", "berrar2014": ""},
    blind_to="All that the AUC is blind to: where on the list the errors are, probabilities, and your cut.",
)
def taks(r: Ranking) -> Any:
    """Mean gap between recall and false positive rate over all places of the list but the last."""
    n = r.total
    return np.where(n >= 2, divide(n, n - 1) * gini.function(r) / 2, np.nan)


def _compute_excess_over_null(n: Numbers, share: Numbers, prevalence: float | None) -> Any:
    """Return how many more positives a random order has than the null model expects, averaged over all lengths of the
    list.
    """
    return 0.0 if prevalence is None else (n + 1) / 2 * (share - prevalence)


def _compute_gain_line(r: Ranking, prevalence: float | None) -> tuple[Any, Any]:
    share = r.positives / r.total
    slope = share * r.negatives
    return slope, _compute_excess_over_null(r.total, share, prevalence) - slope / 2


@order(
    title="Average gain",
    formula=r"\frac1n \sum_{j=1}^n \left[g(j) - \pi_0 j\right] = "
    r"\frac{PN}{n}\left(AUC - \tfrac12\right) + \frac{n+1}{2}(\pi - \pi_0)",
    range=(-np.inf, np.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{PN}{2n} + \frac{n+1}{2}(\pi - \pi_0)",
        lambda s, prevalence=None: (
            s.n * s.prevalence * (1 - s.prevalence) / 2 + _compute_excess_over_null(s.n, s.prevalence, prevalence)
        ),
    ),
    baseline=ReferenceValue(
        r"\frac{n+1}{2}(\pi - \pi_0)",
        lambda s, prevalence=None: _compute_excess_over_null(s.n, s.prevalence, prevalence),
    ),
    scales=False,
    parameters={"prevalence": NULL_PREVALENCE},
    form=LinearInAuc(lambda r, prevalence=None: _compute_gain_line(r, prevalence)),
    equivalent=Equivalent("auc", "P N / n (auc - 1/2)"),
    source={"berrar2025": "Definition 25"},
    blind_to=(
        "All that the AUC is blind to; it grows with the number of cases, so values of two data sets do not compare."
    ),
    across_sizes="auc",
)
def average_gain(r: Ranking, *, prevalence: float | None = None) -> Any:
    """How many more positives the model finds than a null model expects, averaged over all lengths of the list."""
    share = divide(r.positives, r.total)
    return share * r.negatives * gini.function(r) / 2 + _compute_excess_over_null(r.total, share, prevalence)


@order(
    title="Concordant pairs",
    formula=r"P(S^+ > S^-)",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\tfrac12 (1 - \text{tied})", lambda s, **_: math.nan),
    source="agresti2010",
    blind_to="Whether the other pairs are wrong or only tied, and all that the AUC is blind to.",
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
    form=ShareOfPairs(lambda r: (divide(r.neg, r.negatives), divide(r.pos, r.positives))),
    source="agresti2010",
    blind_to="Whether the pairs that are not tied are in the right order.",
)
def tied_pairs(r: Ranking) -> Any:
    """Share of the pairs of a positive and a negative case that have the same score."""
    return divide(r.pairs.tied, r.pairs.every)


# ---------------------------------------------------------------------- cuts of the ROC curve


def compute_youden(r: Ranking) -> Any:
    """Return TPR - FPR at every cut."""
    return r.tpr - r.fpr


def _compute_distances(r: Ranking) -> Any:
    return np.abs(compute_youden(r))


@reduce_over_cells((np.minimum, np.maximum))
def _find_youden_range(r: Ranking) -> tuple[Any, Any]:
    """Return the lowest and the highest Youden's J of a cut."""
    values = compute_youden(r)
    return values.min(-1), values.max(-1)


@order(
    title="Kolmogorov-Smirnov statistic",
    formula=r"\max_t |TPR(t) - FPR(t)|",
    better="higher",
    perfect=1,
    baseline=0,
    concordant=False,
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    found_at=lambda r, **_: int(find_best_cuts(_compute_distances(r))[0]),
    headline=True,
    form=MaximumOverCuts(of_all=lambda r, **_: _compute_distances(r)),
    source={"berrar2025": "Definition 30"},
    blind_to="All of the list but one place, how rare positives are, and in which direction the scores run.",
)
def ks(r: Ranking) -> Any:
    """Largest distance between the distributions of the scores in the two classes, whichever is above."""
    lowest, highest = _find_youden_range(r)
    return np.maximum(-lowest, highest)


@order(
    title="Maximal Youden's J",
    formula=r"\max_t \left[TPR(t) - FPR(t)\right]",
    better="higher",
    perfect=1,
    baseline=0,
    aliases=("j_max", "max_youden"),
    found_at=lambda r, **_: int(find_best_cuts(compute_youden(r))[0]),
    form=MaximumOverCuts(of_all=lambda r, **_: compute_youden(r)),
    source={"berrar2025": "Definition 8", "ruopp2008": ""},
    blind_to="All of the list but its best cut, and how rare positives are.",
)
def max_youden_j(r: Ranking) -> Any:
    """Youden's J at the best cut; flagging nobody gives 0, so it is never less.

    >>> from cutline import rank
    >>> ten = rank([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
    >>> round(max_youden_j(ten), 6), max_youden_j.threshold(ten)
    (0.6, 0.5)
    """
    return _find_youden_range(r)[1]


def _find_crossing(r: Ranking) -> Any:
    """Return the first cut at which the false positive rate reaches the false negative rate."""
    return 1 + _count_cuts_before_crossing(r)


@reduce_over_cells(np.add)
def _count_cuts_before_crossing(r: Ranking) -> Any:
    return count_first(r.fpr[..., 1:] + r.tpr[..., 1:] < 1)


def compute_rates_at(r: Ranking, cut: Any) -> tuple[Any, Any]:
    """Return the false positive rate and the recall at one cut of each ranking of a stack."""
    if r.is_in_blocks:
        tp, fp = r.totals_at(int(cut))
        return divide(fp, r.negatives), divide(tp, r.positives)
    return take(r.fpr, cut), take(r.tpr, cut)


@order(
    title="Equal error rate",
    formula=r"FPR = FNR",
    better="lower",
    perfect=0,
    baseline=0.5,
    aliases=("equal_error_rate", "crossover_rate"),
    found_at=lambda r, **_: int(_find_crossing(r)),
    headline=True,
    source={"murphy2007": "Section 1"},
    blind_to="All of the list but one cut, which is rarely the one that is used, and how rare positives are.",
)
def eer(r: Ranking) -> Any:
    """The error rate at which both classes suffer alike, on the straight line between the two nearest cuts."""
    after = _find_crossing(r)
    (fpr0, tpr0), (fpr1, tpr1) = compute_rates_at(r, after - 1), compute_rates_at(r, after)
    fnr0, fnr1 = 1 - tpr0, 1 - tpr1
    fraction = divide(fnr0 - fpr0, (fnr0 - fpr0) + (fpr1 - fnr1))
    return fpr0 + fraction * (fpr1 - fpr0)


# ---------------------------------------------------------------------- the hull


def map_over_stack(function: Callable[[Ranking], Any], r: Ranking) -> Any:
    """Return a function of one ranking, for each ranking of a stack."""
    if r.pos.ndim == 1:
        return function(r)
    return np.array([function(ranking) for ranking in r.one_by_one()]).reshape(r.pos.shape[:-1])


@order(
    title="Area under the ROC convex hull",
    formula=r"\int \text{hull}\left(TPR\right) d\,FPR",
    better="higher",
    perfect=1,
    baseline=0.5,
    form=MaximumOverCuts(),
    source={"berrar2025": "Definition 29", "arbel2006": "Section 2.2.2", "provost2001": ""},
    blind_to="Dents in the ROC curve, which it bridges: it flatters models with few cases or few distinct scores.",
)
def auch(r: Ranking) -> Any:
    """The area under the ROC curve after the best monotone recalibration of the same data: never less than the AUC."""
    row, (tp, fp) = r.hulls.row, r.hull_totals
    positives, negatives = (np.ravel(n)[row] for n in np.broadcast_arrays(r.positives, r.negatives))
    fpr, tpr = np.asarray(divide(fp, negatives)), np.asarray(divide(tp, positives))
    areas = np.where(r.hulls.is_followed, np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2, 0.0)
    return np.bincount(row[1:], weights=areas, minlength=row[-1] + 1).reshape(r.pos.shape[:-1])[()]


# Statistics that several measures above share, computed in one pass if many measures are computed.
_find_youden_range.share()
_count_cuts_before_crossing.share()
