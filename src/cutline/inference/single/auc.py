"""Intervals of the AUC and of what is linear in it, from DeLong's variance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.inference import delong, effective_size
from cutline.inference.caveats import EQUAL, FEW, rests_on
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import freedom_of_ranking
from cutline.results.estimate import Interval, Limits, quantile, student_quantile

FEWEST_FREE = 12.0  # degrees of freedom: with fewer, Newcombe's limits are the wider ones (benchmarks/auc_intervals.py)


def area_of(r: Ranking) -> float:
    """Return the AUC."""
    return float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))


def influence_of_area(r: Ranking) -> Influence:
    """Return what one case changes in the AUC: its placement, less their mean."""
    above, below = delong.placements(r)
    area = area_of(r)
    return Influence((above - area) / float(r.positives), (below - area) / float(r.negatives))


def student(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return DeLong's limits on the logit scale with Student's quantile, and Newcombe's where few cases decide.

    The degrees of freedom are those of the sum of both classes' variances (Brunner and Munzel), or those of the
    placements (Satterthwaite) if these are fewer.

    Args:
        estimand: The AUC, or what is linear in it.
        level: The level of the interval.
        groups: None: cases that come in groups have a linearised variance.
    """
    r, sizes = estimand.ranking, effective_size.effective(estimand.ranking)
    variance = float(np.nan_to_num(delong.variance(r)))
    free = min(float(np.nan_to_num(delong.freedom(r))), freedom_of_ranking(influence_of_area(r), r))
    found = limits_of_area(area_of(r), variance, free, (float(sizes.positives), float(sizes.negatives)), level)
    return found._replace(limits=_of_line(estimand, found.limits, level))


def limits_of_area(area: float, variance: float, free: float, sizes: tuple[float, float], level: float) -> Interval:
    """Return the limits of an AUC, given its variance and the degrees of freedom that it is known with.

    Args:
        area: The AUC.
        variance: Its variance, 0 where the cases tell none.
        free: The degrees of freedom of the variance.
        sizes: How many positives and negatives there are, in effect.
        level: The level of the interval.
    """
    if not variance > EQUAL**2 or not 0 < area < 1:
        return Interval(delong.newcombe(area, *sizes, level), rests_on(2 * min(sizes)), "newcombe_delong")
    is_few = free < FEW
    stretch = student_quantile(level, max(free, FEWEST_FREE) if is_few else free) / quantile(level)
    if is_few:
        limits = delong.newcombe_delong(area, variance * stretch**2, *sizes, level)
        return Interval(limits, rests_on(free), "newcombe_delong")
    return Interval(delong.delong_logit(area, variance * stretch**2, level))


def wider_of_two(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return the wider of Newcombe's and DeLong's limits on the logit scale, each on its side."""
    r, size = estimand.ranking, effective_size.effective(estimand.ranking)
    free = max(float(np.nan_to_num(delong.freedom(r))), FEWEST_FREE)
    variance = float(np.nan_to_num(delong.variance(r))) * (student_quantile(level, free) / quantile(level)) ** 2
    sizes = float(size.positives), float(size.negatives)
    return Interval(_of_line(estimand, delong.newcombe_delong(area_of(r), variance, *sizes, level), level))


def newcombe(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return Newcombe's limits."""
    size = effective_size.effective(estimand.ranking)
    found = delong.newcombe(area_of(estimand.ranking), float(size.positives), float(size.negatives), level)
    return Interval(_of_line(estimand, found, level))


def logit(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return DeLong's limits on the logit scale with the normal quantile."""
    return _normal(estimand, level, delong.delong_logit)


def plain(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return DeLong's limits, which may leave the range."""
    return _normal(estimand, level, delong.delong)


def _normal(estimand: Estimand, level: float, formula: Any) -> Interval:
    """Return DeLong's limits by a formula, or Newcombe's where DeLong's variance says nothing."""
    r = estimand.ranking
    area, variance, size = area_of(r), float(delong.variance(r)), effective_size.effective(r)
    if not variance > EQUAL**2 or area in (0, 1):
        why = (
            f"With a single {'positive' if size.positives < 2 else 'negative'} case"
            if min(size) < 2
            else f"With an AUC of {area:g}"
            if area in (0, 1)
            else "As all cases of a class stand alike"
        )
        note = f"{why}, DeLong's variance says nothing: Newcombe's interval stands in for it."
        return newcombe(estimand, level)._replace(notes=[note], method="newcombe")
    free = freedom_of_ranking(influence_of_area(r), r)
    return Interval(_of_line(estimand, formula(area, variance, level), level), rests_on(free))


def _of_line(estimand: Estimand, limits: Limits, level: float) -> Limits:
    """Return the limits of what is linear in the AUC."""
    size = float(sum(effective_size.effective(estimand.ranking)))
    return with_prevalence(estimand, on_line(estimand, limits), level, size)


def on_line(estimand: Estimand, limits: Limits) -> Limits:
    """Return the limits of what is linear in the AUC, the prevalence being what it is in the sample."""
    slope, intercept = (float(x) for x in estimand.kind.of(estimand.ranking, **estimand.parameters))  # type: ignore[union-attr,arg-type]
    return Limits(*(intercept + slope * float(limit) for limit in limits))


def with_prevalence(estimand: Estimand, limits: Limits, level: float, size: float) -> Limits:
    """Return the limits of a line whose slope depends on the prevalence, which varies too: squared and added.

    Args:
        estimand: What is estimated.
        limits: Those that follow from the AUC.
        level: The level of the interval.
        size: The number of cases that the prevalence is a share of, in effect.
    """
    r, kind = estimand.ranking, estimand.kind
    share, area = float(r.positives / r.total), area_of(r)
    moved = []
    for end in proportions.wilson(share * size, size, level):
        scales = float(end) / share, (1 - float(end)) / (1 - share)
        pos, neg = (np.array([scale * n]) for scale, n in zip(scales, (r.positives, r.negatives), strict=True))
        there: Any = replace(r, score=r.score[:1], pos=pos, neg=neg, pos2=pos, neg2=neg)  # a line needs both sums alone
        slope, intercept = kind.of(there, **estimand.parameters)  # type: ignore[union-attr]
        moved.append(float(intercept) + float(slope) * area - estimand.value)
    if not max(map(abs, moved)) > 1e-9 * max(1.0, abs(estimand.value)):
        return limits
    below = math.hypot(estimand.value - float(limits.low), max(0.0, -min(moved)))
    above = math.hypot(float(limits.high) - estimand.value, max(0.0, *moved))
    return Limits(estimand.value - below, estimand.value + above)
