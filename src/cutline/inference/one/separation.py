"""Classes that are separated without an error: what an interval can say when every resample is as perfect as the data.

None of P positives and none of N negatives on the wrong side does not mean that none ever will be. The limit is what
the measure would be if the shares of errors of both classes were as large as Wilson's interval allows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cutline.core.counts import Counts
from cutline.inference.effective_size import effective
from cutline.inference.one import proportions
from cutline.inference.one.estimand import Estimand
from cutline.measures import Needs
from cutline.results.estimate import Limits

_PARTS_OF_A_CASE = 1024  # for measures of places, which only whole cases have


def separated(estimand: Estimand, level: float, units: float = np.inf) -> Limits | None:
    """The limits of a measure of the order or of one cut when the classes are separated; None when they are not.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
        units: How many independent units there are, if fewer than cases: the groups.
    """
    sides = _sides(estimand)
    positives, negatives = (min(float(size), units) for size in effective(estimand.ranking))
    if sides is None or not positives >= 1 or not negatives >= 1:
        return None
    right = [float(proportions.wilson(n, n, level).low) for n in (positives, negatives)]
    total, other = float(estimand.ranking.positives), float(estimand.ranking.negatives)
    tp, tn = total * right[0], other * right[1]
    cells = (tp, other - tn, total - tp, tn) if sides > 0 else (total - tp, tn, tp, other - tn)  # tp, fp, fn, tn
    bound = _measured(estimand, *cells)
    if np.isnan(bound):
        return None
    return Limits(min(bound, estimand.value), max(bound, estimand.value))


def _sides(estimand: Estimand) -> int | None:
    """1 when the cut or the order has no error, -1 when it has nothing else, None in between."""
    r = estimand.ranking
    if estimand.of_counts is not None:
        c = estimand.counts
        return 1 if not c.fp and not c.fn else -1 if not c.tp and not c.tn else None
    if estimand.needs is not Needs.RANKING:
        return None
    return 1 if r.pairs.concordant == r.pairs.every else -1 if not r.pairs.concordant and not r.pairs.tied else None


def _measured(estimand: Estimand, tp: float, fp: float, fn: float, tn: float) -> float:
    """The measure of a cut, or of a list of two scores, with some errors."""
    if estimand.of_counts is not None:
        return float(estimand.of_counts(Counts(tp, fp, fn, tn, estimand.counts.threshold)))
    for unit in (None, _PARTS_OF_A_CASE):
        pos, neg = np.array([tp, fn]), np.array([fp, tn])
        if unit is not None:
            pos, neg = (np.rint(unit * column).astype(np.int64) for column in (pos, neg))
        ends = estimand.ranking.score[[0, -1]]
        found = float(estimand.statistic(replace(estimand.ranking, score=ends, pos=pos, neg=neg, pos2=pos, neg2=neg)))
        if not np.isnan(found):
            return found
    return np.nan
