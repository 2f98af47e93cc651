"""Classes that are separated without an error: what an interval can say when every resample is as perfect as the data.

None of P positives and none of N negatives on the wrong side does not mean that none ever will be. The limit is what
the measure would be if the shares of errors of both classes were as large as Wilson's interval allows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cutline.core.counts import Counts
from cutline.inference import constants
from cutline.inference.caveats import rests_on
from cutline.inference.effective_size import effective
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand
from cutline.measures import Needs
from cutline.results.estimate import Interval, Limits

_OF_A_QUOTA = ("hit_rate", "qrecall", "enrichment")
_PARTS_OF_A_CASE = 1024  # for measures of places, which only whole cases have


def limits_when_separated(estimand: Estimand, level: float) -> Limits | None:
    """Return the limits of a measure of the order or of one cut when the classes are separated; None when they are not.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
    """
    sides = _sides(estimand)
    positives, negatives = _independent_units(estimand)
    if sides is None or not positives >= 1 or not negatives >= 1:
        return None
    right = [float(proportions.wilson(n, n, level).low) for n in (positives, negatives)]
    total, other = float(estimand.ranking.positives), float(estimand.ranking.negatives)
    tp, tn = total * right[0], other * right[1]
    cells = (tp, other - tn, total - tp, tn) if sides > 0 else (total - tp, tn, tp, other - tn)  # tp, fp, fn, tn
    bound = _measure_with_errors(estimand, *cells)
    if np.isnan(bound):
        return None
    return Limits(min(bound, estimand.value), max(bound, estimand.value))


def limits_at_an_end(estimand: Estimand, level: float) -> Limits | None:
    """Return the limits of a value at an end of its range that no resample leaves; None for another value.

    It is taken for a share of none, or of all, of the cases of the smaller class.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
    """
    least, most = estimand.range
    size = min(_independent_units(estimand))
    is_whole = estimand.quota is not None and estimand.quota >= float(estimand.ranking.total)  # all are flagged, always
    if not np.isfinite([least, most]).all() or not size >= 1 or estimand.value not in (least, most) or is_whole:
        return None
    low, high = proportions.wilson(0.0 if estimand.value == least else size, size, level)
    return Limits(*(least + (most - least) * float(share) for share in (low, high)))


def has_few_at_quota(estimand: Estimand) -> bool:
    """Whether resamples hardly vary: a quota flags hardly any positive or negative, or leaves hardly any positive."""
    measure = estimand.measure
    if measure is None or estimand.quota is None or not estimand.ranking.integral:
        return False
    if measure.needs is not Needs.COUNTS and measure.name not in _OF_A_QUOTA:
        return False
    counts = estimand.ranking.at_quota(estimand.quota)
    if (
        constants.NEAR_THE_POSITIVES
        < float(counts.flagged) / max(float(counts.positives), 1.0)
        < 1 / constants.NEAR_THE_POSITIVES
    ):
        return False  # then the number of positives decides, which resamples vary
    return min(float(counts.tp), float(counts.fp), float(counts.fn)) < constants.FEW_DECISIONS


def at_quota(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure of a quota from two shares, and what qualifies them.

    One is that of the positives among the flagged, the other that among the rest. Where hardly any of the flagged is
    negative, the quota ends among positives, and the rest has whatever it leaves of them: the other share is that among
    all. Where hardly any positive is left, the quota has whatever there are of them: the first share is that among all.
    How far the measure moves when one of them goes to its limit is squared and added.
    """
    counts = estimand.ranking.at_quota(estimand.quota)
    tp, fn, flagged, rest = (float(x) for x in (counts.tp, counts.fn, counts.flagged, counts.unflagged))
    total, fp = flagged + rest, flagged - tp
    first = total if fn < constants.FEW_DECISIONS <= min(tp, fp) else flagged
    ends = [(min(first * float(end), flagged), fn) for end in proportions.wilson_modified(tp, first, level)]
    if fp < constants.FEW_DECISIONS:
        shares = proportions.wilson(tp + fn, total, level)
        ends += [(tp, min(max(total * float(end) - tp, 0.0), rest)) for end in shares]
    elif rest:
        ends += [(tp, rest * float(end)) for end in proportions.wilson_modified(fn, rest, level)]
    below = above = 0.0
    for hits, missed in ends:
        move = _measure_with_errors(estimand, hits, flagged - hits, missed, rest - missed) - estimand.value
        below, above = below + min(move, 0.0) ** 2, above + max(move, 0.0) ** 2
    limits = Limits(estimand.value - np.sqrt(below), estimand.value + np.sqrt(above))
    return Interval(limits, rests_on(2 * min(tp, fp, fn)))


def _independent_units(estimand: Estimand) -> tuple[float, float]:
    """Return the effective number of positives and of negatives; at most the number of groups."""
    most = np.inf if estimand.design is None else estimand.design.groups
    positives, negatives = (min(float(size), most) for size in effective(estimand.ranking))
    return positives, negatives


def _sides(estimand: Estimand) -> int | None:
    """Return 1 when the cut or the order has no error, -1 when it has nothing else, None in between."""
    r = estimand.ranking
    if estimand.of_counts is not None:
        c = estimand.counts
        return 1 if not c.fp and not c.fn else -1 if not c.tp and not c.tn else None
    if estimand.needs is not Needs.RANKING:
        return None
    return 1 if r.pairs.concordant == r.pairs.every else -1 if not r.pairs.concordant and not r.pairs.tied else None


def _measure_with_errors(estimand: Estimand, tp: float, fp: float, fn: float, tn: float) -> float:
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
