"""Intervals for perfectly separated classes, where every resample is as perfect as the data.

None of P positives and none of N negatives on the wrong side does not mean that none ever will be. The limit is what
the measure would be if the shares of errors of both classes were as large as Wilson's interval allows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cutline.core.counts import Counts
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand
from cutline.measures import Needs
from cutline.results.estimate import Limits

_PARTS_OF_A_CASE = 1024  # for measures of places, which only whole cases have


def find_separated_limits(estimand: Estimand, level: float) -> Limits | None:
    """Return the limits of a measure of the order or of one cut when the classes are separated; None when they are not.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
    """
    sides = _find_side(estimand)
    positives, negatives = _count_independent_units(estimand)
    if sides is None or not positives >= 1 or not negatives >= 1:
        return None
    right = [float(proportions.wilson(n, n, level).low) for n in (positives, negatives)]
    total, other = float(estimand.ranking.positives), float(estimand.ranking.negatives)
    tp, tn = total * right[0], other * right[1]
    cells = (tp, other - tn, total - tp, tn) if sides > 0 else (total - tp, tn, tp, other - tn)  # tp, fp, fn, tn
    bound = compute_with_errors(estimand, *cells)
    if np.isnan(bound):
        return None
    return Limits(min(bound, estimand.value), max(bound, estimand.value))


def find_limits_at_end(estimand: Estimand, level: float) -> Limits | None:
    """Return the limits of a value at an end of its range that no resample leaves; None for other values.

    It is taken for a share of none, or of all, of the cases of the smaller class.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
    """
    least, most = estimand.range
    size = min(_count_independent_units(estimand))
    is_whole = estimand.quota is not None and estimand.quota >= float(estimand.ranking.total)  # all are flagged, always
    if not np.isfinite([least, most]).all() or not size >= 1 or estimand.value not in (least, most) or is_whole:
        return None
    low, high = proportions.wilson(0.0 if estimand.value == least else size, size, level)
    return Limits(*(least + (most - least) * float(share) for share in (low, high)))


def _count_independent_units(estimand: Estimand) -> tuple[float, float]:
    """Return the effective number of positives and of negatives; at most the number of groups."""
    most = np.inf if estimand.design is None else estimand.design.groups
    positives, negatives = (min(float(size), most) for size in compute_effective_sizes(estimand.ranking))
    return positives, negatives


def _find_side(estimand: Estimand) -> int | None:
    """Return 1 when the cut or the order has no error, -1 when it has nothing else, None in between."""
    r = estimand.ranking
    if estimand.of_counts is not None:
        c = estimand.counts
        return 1 if not c.fp and not c.fn else -1 if not c.tp and not c.tn else None
    if estimand.needs is not Needs.RANKING:
        return None
    return 1 if r.pairs.concordant == r.pairs.every else -1 if not r.pairs.concordant and not r.pairs.tied else None


def compute_with_errors(estimand: Estimand, tp: float, fp: float, fn: float, tn: float) -> float:
    """Return the measure of a cut, or of a list of two scores, with some errors."""
    if estimand.of_counts is not None:
        return float(estimand.of_counts(Counts(tp, fp, fn, tn, estimand.counts.threshold)))
    for unit in (None, _PARTS_OF_A_CASE):
        pos, neg = np.array([tp, fn]), np.array([fp, tn])
        if unit is not None:
            pos, neg = (np.rint(unit * column).astype(np.int64) for column in (pos, neg))
        ends = estimand.ranking.score[[0, -1]]
        value = float(estimand.statistic(replace(estimand.ranking, score=ends, pos=pos, neg=neg, pos2=pos, neg2=neg)))
        if not np.isnan(value):
            return value
    return np.nan
