"""Intervals of the AUC and of what is linear in it, from DeLong's variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import as_number, choose
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.inference import constants, delong, effective_size
from cutline.inference.caveats import EQUAL, WEIGHTS_GO_WITH_SCORES, rests_on
from cutline.inference.influence import Influence, of_area
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import freedom_of_ranking, linearise
from cutline.measures.forms import LinearInAuc, Moments
from cutline.results.estimate import Interval, Limits, quantile, student_quantile


def area_of(r: Ranking) -> Any:
    """Return the AUC."""
    return as_number(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))


def freedom_of_area(r: Ranking) -> Any:
    """Return the degrees of freedom of DeLong's variance.

    They are those of the sum of both classes' variances (Brunner and Munzel), or those of the placements
    (Satterthwaite) if these are fewer.
    """
    return r.cached(
        "freedom_of_area",
        lambda: np.minimum(np.nan_to_num(delong.freedom(r)), _freedom_of_placements(r)),
    )


def _freedom_of_placements(r: Ranking) -> Any:
    if not r.is_in_blocks:
        return freedom_of_ranking(of_area(r), r)
    pos2, pos4, neg2, neg4 = delong.placement_moments(r)
    of_positives, of_negatives = (
        Moments(size, second / float(size) ** 2, fourth / float(size) ** 4)
        for size, second, fourth in ((r.positives, pos2, pos4), (r.negatives, neg2, neg4))
    )
    return np.maximum(effective_size.freedom_of_moments(of_positives.plus(of_negatives)), 1.0)


def student(estimand: Estimand, level: float) -> Interval:
    """Return DeLong's limits on the logit scale with Student's quantile, and Newcombe's where few cases decide.

    Args:
        estimand: The AUC, or what is linear in it.
        level: The level of the interval.
    """
    r, sizes = estimand.ranking, effective_size.effective(estimand.ranking)
    variance = float(np.nan_to_num(delong.variance(r)))
    free = float(freedom_of_area(r))
    interval = limits_of_area(area_of(r), variance, free, (float(sizes.positives), float(sizes.negatives)), level)
    return interval._replace(limits=_of_line(estimand, interval.limits, level))


def limits_of_area(area: float, variance: float, free: float, sizes: tuple[float, float], level: float) -> Interval:
    """Return the limits of an AUC, given its variance and the degrees of freedom that it is known with.

    Args:
        area: The AUC.
        variance: Its variance, 0 where the cases tell none.
        free: The degrees of freedom of the variance.
        sizes: How many positives and negatives there are, in effect.
        level: The level of the interval.
    """
    limits = student_limits(area, variance, free, sizes, level)
    if not is_decided_by_few(area, variance, free):
        return Interval(limits)
    return Interval(limits, rests_on(freedom_to_tell(area, variance, free, sizes)), "newcombe_delong")


def has_variance(area: Any, variance: Any) -> Any:
    """Whether DeLong's variance says anything: not for an AUC of 0 or 1, nor where a class has one case."""
    return (variance > EQUAL**2) & (area > 0) & (area < 1)


def is_decided_by_few(area: Any, variance: Any, free: Any) -> Any:
    """Whether so few cases decide that the limits are Newcombe's, if these are wider."""
    return np.logical_not(has_variance(area, variance)) | (free < constants.FEW)


def freedom_to_tell(area: Any, variance: Any, free: Any, sizes: tuple[Any, Any]) -> Any:
    """Return the degrees of freedom that say on how many cases an interval rests."""
    return choose(has_variance(area, variance), lambda: free, lambda: 2 * np.minimum(*sizes))


def student_limits(area: Any, variance: Any, free: Any, sizes: tuple[Any, Any], level: float) -> Limits:
    """Return the limits of `limits_of_area` alone; it can be traced, so that a page computes the same."""
    known = choose(free < constants.FEW, lambda: np.maximum(free, constants.FEWEST_FREE), lambda: free)
    stretch = student_quantile(level, known) / quantile(level)
    limits: Limits = choose(
        is_decided_by_few(area, variance, free),
        lambda: delong.newcombe_delong(area, variance * stretch**2, *sizes, level),
        lambda: delong.delong_logit(area, variance * stretch**2, level),
    )
    return limits


def linearised(estimand: Estimand, level: float) -> Interval:
    """Return the limits with weights, groups or strata: as `student`, with a linearised variance."""
    r, design = estimand.ranking, estimand.design
    known = linearise([of_area(r)], r, design)
    size = effective_size.effective(r)
    most = math.inf if design is None else float(design.groups)
    sizes = min(float(size.positives), most), min(float(size.negatives), most)
    variance, free = float(known.covariance[0, 0]), known.own_freedom()
    # Few groups have fewer degrees of freedom than the least that single cases are given.
    least = student_quantile(level, max(free, constants.FEWEST_FREE))
    stretch = student_quantile(level, free) / least if free < constants.FEWEST_FREE else 1.0
    interval = limits_of_area(area_of(r), variance * stretch**2, free, sizes, level)
    share, total = float(r.positives / r.total), float(r.total)
    changes = Influence(np.full(len(r), (1 - share) / total), np.full(len(r), -share / total))
    worth, _ = proportions.effective_share(changes, share, float(sum(size)), estimand, level)
    limits = with_prevalence(estimand, on_line(estimand, interval.limits), level, worth)
    notes = [*interval.notes, *([WEIGHTS_GO_WITH_SCORES] if effective_size.go_with_scores(r) else [])]
    return Interval(limits, notes)


def wider_of_two(estimand: Estimand, level: float) -> Interval:
    """Return the wider of Newcombe's and DeLong's limits on the logit scale, each on its side."""
    r, size = estimand.ranking, effective_size.effective(estimand.ranking)
    free = max(float(np.nan_to_num(delong.freedom(r))), constants.FEWEST_FREE)
    variance = float(np.nan_to_num(delong.variance(r))) * (student_quantile(level, free) / quantile(level)) ** 2
    sizes = float(size.positives), float(size.negatives)
    return Interval(_of_line(estimand, delong.newcombe_delong(area_of(r), variance, *sizes, level), level))


def newcombe(estimand: Estimand, level: float) -> Interval:
    """Return Newcombe's limits."""
    size = effective_size.effective(estimand.ranking)
    limits = delong.newcombe(area_of(estimand.ranking), float(size.positives), float(size.negatives), level)
    return Interval(_of_line(estimand, limits, level))


def logit(estimand: Estimand, level: float) -> Interval:
    """Return DeLong's limits on the logit scale with the normal quantile."""
    return _normal(estimand, level, delong.delong_logit)


def plain(estimand: Estimand, level: float) -> Interval:
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
            else "With equal scores within a class"
        )
        note = f"{why}, DeLong's variance is not informative: Newcombe's interval is used instead."
        return newcombe(estimand, level)._replace(notes=[note], method="newcombe")
    free = freedom_of_ranking(of_area(r), r)
    return Interval(_of_line(estimand, formula(area, variance, level), level), rests_on(free))


def _of_line(estimand: Estimand, limits: Limits, level: float) -> Limits:
    """Return the limits of what is linear in the AUC."""
    size = float(sum(effective_size.effective(estimand.ranking)))
    return with_prevalence(estimand, on_line(estimand, limits), level, size)


def on_line(estimand: Estimand, limits: Limits) -> Limits:
    """Return the limits of what is linear in the AUC, the prevalence being what it is in the sample."""
    return limits_on_line(_line_of(estimand), estimand.ranking, limits)


def with_prevalence(estimand: Estimand, limits: Limits, level: float, size: float) -> Limits:
    """Return the limits of a line whose slope depends on the prevalence, which varies too: squared and added.

    Args:
        estimand: What is estimated.
        limits: Those that follow from the AUC.
        level: The level of the interval.
        size: The number of cases that the prevalence is a share of, in effect.
    """
    return add_prevalence(_line_of(estimand), estimand.ranking, estimand.value, limits, level, size)


Line = Callable[[Ranking], tuple[Any, Any]]


def _line_of(estimand: Estimand) -> Line:
    return partial(estimand.form_as(LinearInAuc).of, **estimand.parameters)


def limits_on_line(line: Line, r: Ranking, limits: Limits) -> Limits:
    """Return the limits of what is linear in the AUC.

    Args:
        line: The slope and the intercept that a ranking has.
        r: The ranking.
        limits: Those of the AUC.
    """
    slope, intercept = (as_number(x) for x in line(r))
    return Limits(*(intercept + slope * limit for limit in limits))


def add_prevalence(line: Line, r: Ranking, value: Any, limits: Limits, level: float, size: Any) -> Limits:
    """Return the limits of a line whose slope depends on the prevalence; it can be traced.

    Args:
        line: The slope and the intercept that a ranking has.
        r: The ranking.
        value: What the line gives for its AUC.
        limits: Those that follow from the AUC.
        level: The level of the interval.
        size: The number of cases that the prevalence is a share of, in effect.
    """
    share, area = as_number(r.positives / r.total), area_of(r)
    rest = 1 - share
    if isinstance(rest, float) and rest == 0:  # rounded away beside weights of 1e18
        rest = as_number(r.negatives / r.total)
    changes = []
    for end in proportions.wilson(share * size, size, level):
        scales = end / share, (1 - end) / rest
        # A line needs both sums alone, so that one score is enough.
        pos, neg = (r.pos[:1] * 0.0 + scale * n for scale, n in zip(scales, (r.positives, r.negatives), strict=True))
        there: Any = replace(r, score=r.score[:1], pos=pos, neg=neg, pos2=pos, neg2=neg)
        slope, intercept = line(there)
        changes.append(intercept + slope * area - value)
    least, most = np.minimum(*changes), np.maximum(*changes)
    is_changed = np.maximum(np.absolute(least), np.absolute(most)) > 1e-9 * np.maximum(1.0, np.absolute(value))

    def widened() -> Limits:
        below = np.sqrt(np.square(value - limits.low) + np.square(np.maximum(0.0, -least)))
        above = np.sqrt(np.square(limits.high - value) + np.square(np.maximum(0.0, most)))
        return Limits(value - below, value + above)

    widest: Limits = choose(is_changed, widened, lambda: limits)
    return widest
