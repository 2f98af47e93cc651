"""Intervals of the AUC and of measures that are linear in it, from DeLong's variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Array, as_number, choose, dot
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.inference import constants, delong, effective_size
from cutline.inference.caveats import EQUAL, WEIGHTS_GO_WITH_SCORES, note_effective_cases
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.influence import Influence, differentiate_area
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand
from cutline.inference.single.one_cut import compute_effective_share
from cutline.inference.single.proportions import wilson
from cutline.inference.survey import compute_freedom_of_ranking, linearise
from cutline.measures.forms import LinearInAuc, Moments, ShareOfPairs
from cutline.results.estimate import Interval, Limits, quantile, student_quantile


def compute_area(r: Ranking) -> Any:
    """Return the AUC."""
    return as_number(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))


def compute_freedom(r: Ranking) -> Any:
    """Return the degrees of freedom of DeLong's variance.

    They are those of the sum of both classes' variances (Brunner and Munzel), or those of the placements
    (Satterthwaite) if these are fewer.
    """
    return r.cached(
        "freedom_of_area",
        lambda: np.minimum(np.nan_to_num(delong.compute_freedom(r)), _compute_placement_freedom(r)),
    )


def _compute_placement_freedom(r: Ranking) -> Any:
    if not r.is_in_blocks:
        return compute_freedom_of_ranking(differentiate_area(r), r)
    pos2, pos4, neg2, neg4 = delong.compute_placement_moments(r)
    of_positives, of_negatives = (
        Moments(size, second / float(size) ** 2, fourth / float(size) ** 4)
        for size, second, fourth in ((r.positives, pos2, pos4), (r.negatives, neg2, neg4))
    )
    return np.maximum(effective_size.compute_freedom_of_moments(of_positives.plus(of_negatives)), 1.0)


def delong_student_limits(estimand: Estimand, level: float) -> Interval:
    """Return DeLong's limits on the logit scale with Student's quantile, and Newcombe's where few cases decide.

    Args:
        estimand: The AUC, or what is linear in it.
        level: The level of the interval.
    """
    r, sizes = estimand.ranking, effective_size.compute_effective_sizes(estimand.ranking)
    variance = float(np.nan_to_num(delong.compute_variance(r)))
    freedom = float(compute_freedom(r))
    interval = limit_area(compute_area(r), variance, freedom, (float(sizes.positives), float(sizes.negatives)), level)
    return interval._replace(limits=_transform_with_prevalence(estimand, interval.limits, level))


def limit_area(area: float, variance: float, freedom: float, sizes: tuple[float, float], level: float) -> Interval:
    """Return the limits of an AUC, given its variance and the degrees of freedom that it is known with.

    Args:
        area: The AUC.
        variance: Its variance, 0 where the cases tell none.
        freedom: The degrees of freedom of the variance.
        sizes: How many positives and negatives there are, in effect.
        level: The level of the interval.
    """
    limits = student_limits(area, variance, freedom, sizes, level)
    if not is_decided_by_few(area, variance, freedom):
        return Interval(limits)
    return Interval(
        limits, note_effective_cases(compute_shown_freedom(area, variance, freedom, sizes)), "newcombe_delong"
    )


def has_variance(area: Any, variance: Any) -> Any:
    """Whether DeLong's variance is usable: not for an AUC of 0 or 1, nor if a class has a single case."""
    return (variance > EQUAL**2) & (area > 0) & (area < 1)


def is_decided_by_few(area: Any, variance: Any, freedom: Any) -> Any:
    """Whether so few cases decide that the limits are Newcombe's, if these are wider."""
    return np.logical_not(has_variance(area, variance)) | (freedom < constants.FEW)


def compute_shown_freedom(area: Any, variance: Any, freedom: Any, sizes: tuple[Any, Any]) -> Any:
    """Return the degrees of freedom that are shown as the number of cases behind an interval."""
    return choose(has_variance(area, variance), lambda: freedom, lambda: 2 * np.minimum(*sizes))


def student_limits(area: Any, variance: Any, freedom: Any, sizes: tuple[Any, Any], level: float) -> Limits:
    """Return the limits of `limit_area` alone; it can be traced, so that a page computes the same."""
    known = choose(freedom < constants.FEW, lambda: np.maximum(freedom, constants.FEWEST_FREE), lambda: freedom)
    stretch = student_quantile(level, known) / quantile(level)
    limits: Limits = choose(
        is_decided_by_few(area, variance, freedom),
        lambda: delong.newcombe_delong(area, variance * stretch**2, *sizes, level),
        lambda: delong.delong_logit(area, variance * stretch**2, level),
    )
    return limits


def linearised_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits with weights, groups or strata: as `delong_student_limits`, with a linearised variance."""
    r, design = estimand.ranking, estimand.design
    known = linearise([differentiate_area(r)], r, design)
    size = effective_size.compute_effective_sizes(r)
    most = math.inf if design is None else float(design.groups)
    sizes = min(float(size.positives), most), min(float(size.negatives), most)
    variance, freedom = float(known.covariance[0, 0]), known.own_freedom()
    # Few groups have fewer degrees of freedom than the least that single cases are given.
    least = student_quantile(level, max(freedom, constants.FEWEST_FREE))
    stretch = student_quantile(level, freedom) / least if freedom < constants.FEWEST_FREE else 1.0
    interval = limit_area(compute_area(r), variance * stretch**2, freedom, sizes, level)
    share, total = float(r.positives / r.total), float(r.total)
    changes = Influence(np.full(len(r), (1 - share) / total), np.full(len(r), -share / total))
    worth, _ = compute_effective_share(changes, share, float(sum(size)), estimand, level)
    limits = with_prevalence(estimand, transform_limits(estimand, interval.limits), level, worth)
    notes = [*interval.notes, *([WEIGHTS_GO_WITH_SCORES] if effective_size.has_weight_trend(r) else [])]
    return Interval(limits, notes)


def newcombe_delong_limits(estimand: Estimand, level: float) -> Interval:
    """Return the wider of Newcombe's and DeLong's limits on the logit scale, each on its side."""
    r, size = estimand.ranking, effective_size.compute_effective_sizes(estimand.ranking)
    freedom = max(float(np.nan_to_num(delong.compute_freedom(r))), constants.FEWEST_FREE)
    variance = (
        float(np.nan_to_num(delong.compute_variance(r))) * (student_quantile(level, freedom) / quantile(level)) ** 2
    )
    sizes = float(size.positives), float(size.negatives)
    return Interval(
        _transform_with_prevalence(estimand, delong.newcombe_delong(compute_area(r), variance, *sizes, level), level)
    )


def newcombe_limits(estimand: Estimand, level: float) -> Interval:
    """Return Newcombe's limits."""
    size = effective_size.compute_effective_sizes(estimand.ranking)
    limits = delong.newcombe(compute_area(estimand.ranking), float(size.positives), float(size.negatives), level)
    return Interval(_transform_with_prevalence(estimand, limits, level))


def delong_logit_limits(estimand: Estimand, level: float) -> Interval:
    """Return DeLong's limits on the logit scale with the normal quantile."""
    return _normal_limits(estimand, level, delong.delong_logit)


def delong_limits(estimand: Estimand, level: float) -> Interval:
    """Return DeLong's limits, which may leave the range."""
    return _normal_limits(estimand, level, delong.delong)


def _normal_limits(estimand: Estimand, level: float, formula: Any) -> Interval:
    """Return DeLong's limits by a formula, or Newcombe's where DeLong's variance says nothing."""
    r = estimand.ranking
    area, variance, size = compute_area(r), float(delong.compute_variance(r)), effective_size.compute_effective_sizes(r)
    if not variance > EQUAL**2 or area in (0, 1):
        why = (
            f"With a single {'positive' if size.positives < 2 else 'negative'} case"
            if min(size) < 2
            else f"With an AUC of {area:g}"
            if area in (0, 1)
            else "With equal scores within a class"
        )
        note = f"{why}, DeLong's variance is not informative: Newcombe's interval is used instead."
        return newcombe_limits(estimand, level)._replace(notes=[note], method="newcombe")
    freedom = compute_freedom_of_ranking(differentiate_area(r), r)
    return Interval(
        _transform_with_prevalence(estimand, formula(area, variance, level), level), note_effective_cases(freedom)
    )


def _transform_with_prevalence(estimand: Estimand, limits: Limits, level: float) -> Limits:
    """Return the limits of a measure that is linear in the AUC."""
    size = float(sum(effective_size.compute_effective_sizes(estimand.ranking)))
    return with_prevalence(estimand, transform_limits(estimand, limits), level, size)


def transform_limits(estimand: Estimand, limits: Limits) -> Limits:
    """Return the limits of a measure that is linear in the AUC, with the prevalence of the sample."""
    return transform_limits_linearly(_get_line(estimand), estimand.ranking, limits)


def with_prevalence(estimand: Estimand, limits: Limits, level: float, size: float) -> Limits:
    """Return the limits of a line whose slope depends on the prevalence, which varies too: squared and added.

    Args:
        estimand: What is estimated.
        limits: Those that follow from the AUC.
        level: The level of the interval.
        size: The number of cases that the prevalence is a share of, in effect.
    """
    return add_prevalence(_get_line(estimand), estimand.ranking, estimand.value, limits, level, size)


Line = Callable[[Ranking], tuple[Any, Any]]


def _get_line(estimand: Estimand) -> Line:
    return partial(estimand.form_as(LinearInAuc).of, **estimand.parameters)


def transform_limits_linearly(line: Line, r: Ranking, limits: Limits) -> Limits:
    """Return the limits of a measure that is linear in the AUC.

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
    share, area = as_number(r.positives / r.total), compute_area(r)
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


# ---------------------------------------------------------------------- shares of pairs


def pairs_limits(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits of a share of pairs, with the effective number of pairs.

    Its variance is that of what each case has, as in DeLong's, where single pairs count twice, and at least that of
    independent pairs.
    """
    form = estimand.form_as(ShareOfPairs)
    return Interval(compute_pairs_limits(estimand.ranking, estimand.value, form.of(estimand.ranking), level))


def compute_pairs_limits(r: Ranking, share: Any, of_cases: tuple[Array, Array], level: float) -> Limits:
    """Return the limits of `pairs_limits`; they can be traced, so that a page computes the same.

    Args:
        r: The ranking.
        share: The share of pairs.
        of_cases: The share of the pairs of a positive, and of a negative, of each score.
        level: The level of the interval.
    """
    positives, negatives = (np.maximum(as_number(n), 1.0) for n in compute_effective_sizes(r))
    single = share * (1 - share) / (positives * negatives)
    variance = -single
    for cases, total, mine, n in zip(
        (r.pos, r.neg), (r.positives, r.negatives), of_cases, (positives, negatives), strict=True
    ):
        spread = as_number(dot(cases.astype(float), np.square(mine - share)))
        variance += spread / as_number(total) / np.maximum(n - 1, 1.0)
    worth = choose(
        single > 0, lambda: share * (1 - share) / np.maximum(variance, single), lambda: positives * negatives
    )
    return wilson(share * worth, worth, level)
