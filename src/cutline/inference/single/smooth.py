"""Intervals from a standard error: of declared variances, of influence functions, and by linearisation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.blocks import condense_ranking
from cutline.core.ranking import Ranking
from cutline.inference import constants, effective_size, influence
from cutline.inference.caveats import BELOW, EQUAL, note_effective_cases
from cutline.inference.influence import Influence
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import compute_freedom_of_ranking, linearise
from cutline.measures.forms import Form, MeanOfCases, Moments, RankStatistic, VarianceFormula
from cutline.results.estimate import Interval, Limits, quantile, student_quantile
from cutline.results.notes import Caveat

NO_STANDARD_ERROR = "The standard error cannot be estimated from these data: there is no interval."
_NO_SLOPE = (
    "The infinitesimal jackknife needs a measure that changes smoothly with the order of the cases, and "
    f"{influence.FEW_FOR_THE_ORDER} cases of each class: use the bootstrap instead."
)
NO_LIMITS = Limits(math.nan, math.nan)

# ---------------------------------------------------------------------- scales on which an estimate is about normal

_LARGEST = 300.0  # of a logarithm, so that its inverse is a number


class Scale(NamedTuple):
    """The logit scale of a range, the logarithm of the distance from its one end, or the range itself if it has none.

    `room` is how near to an end a value is taken to come: as a share of the range, or, if it has one end, a distance.
    """

    least: float
    most: float
    room: float

    def transform(self, values: Any) -> Array:
        """Return values of the measure on this scale, which keeps their order."""
        values = np.asarray(values, dtype=float)
        if math.isfinite(self.least) and math.isfinite(self.most):
            share = np.clip((values - self.least) / (self.most - self.least), self.room, 1 - self.room)
            return np.asarray(np.log(share / (1 - share)))
        if math.isfinite(self.least):
            return np.asarray(np.log(np.maximum(values - self.least, self.room)))
        return np.asarray(-np.log(np.maximum(self.most - values, self.room)) if math.isfinite(self.most) else values)

    def invert(self, value: float) -> float:
        """Return the value of the measure for a value on this scale."""
        if math.isfinite(self.least) and math.isfinite(self.most):
            return self.least + (self.most - self.least) * logistic(value)
        if math.isfinite(self.least):
            return self.least + math.exp(min(value, _LARGEST))
        return self.most - math.exp(min(-value, _LARGEST)) if math.isfinite(self.most) else value


def normal_limits_on_scale(value: float, se: float, allowed: tuple[float, float], level: float) -> Limits:
    """Return a normal interval on the logit scale of a range, or on the log scale where the range has one end."""
    least, most = allowed
    reach = quantile(level) * se
    if math.isinf(most):
        factor = math.exp(min(reach / (value - least), 700.0))
        return Limits(least + (value - least) / factor, least + (value - least) * factor)
    centre = math.log((value - least) / (most - value))
    half = reach * (most - least) / ((value - least) * (most - value))
    return Limits(*(least + (most - least) * logistic(centre + side) for side in (-half, half)))


def logistic(x: float) -> float:
    """Return scipy's `expit` to the bit, without loading scipy, which takes longer than a small file's interval."""
    return 1 / (1 + math.exp(-x)) if x > -709.78 else 0.0


def has_scale(value: Any, variance: Any, allowed: tuple[float, float]) -> Any:
    """Whether a value lies inside its range, and its variance says how uncertain it is."""
    return (variance > EQUAL**2) & (value > allowed[0]) & (value < allowed[1])


def student_limits_on_scale(
    value: Any, variance: Any, freedom: Any, allowed: tuple[float, float], level: float
) -> Limits:
    """Return limits on the logit scale of a range, or on the log scale where the range has one end; it can be traced.

    Args:
        value: The measure, inside its range.
        variance: Its variance.
        freedom: The degrees of freedom of the variance.
        allowed: The range.
        level: The level of the interval.
    """
    least, most = allowed
    above = value - least
    reach = student_quantile(level, freedom) * np.sqrt(variance) / above
    if math.isinf(most):
        return Limits(least + above * np.exp(-reach), least + above * np.exp(reach))
    odds, half = above / (most - value), reach * (most - least) / (most - value)
    shares = (odds * np.exp(side) / (1 + odds * np.exp(side)) for side in (-half, half))
    return Limits(*(least + (most - least) * share for share in shares))


def normal_limits_on_log_scale(value: Any, variance: Any, level: float) -> Limits:
    """Return the limits of a positive number, given the variance of its logarithm."""
    low, high = influence.normal_limits(np.log(value), variance, level)
    return Limits(np.exp(low), np.exp(high))


# ---------------------------------------------------------------------- declared variances


def declared_variance_limits(
    estimand: Estimand,
    level: float,
    *,
    method: str,
) -> Interval:
    """Return the limits of a number whose variance its definition gives, on the scale that it names.

    Args:
        estimand: The calibration line, or the O:E ratio.
        level: The level of the interval.
        method: Which of the variances of the definition.
    """
    form = estimand.form_as(VarianceFormula)
    variance = float(form.methods[method](estimand.ranking, **estimand.parameters))
    if (
        not 0 <= variance < math.inf
        or not math.isfinite(estimand.value)
        or (form.scale == "log" and not estimand.value)
    ):
        return Interval(NO_LIMITS, [NO_STANDARD_ERROR])
    if form.scale == "log":
        return Interval(normal_limits_on_log_scale(estimand.value, variance, level))
    fewest = float(min(effective_size.compute_effective_sizes(estimand.ranking)))
    if method == form.robust:
        half, freedom = _compute_robust_reach(estimand, level)
        return Interval(
            Limits(estimand.value - half, estimand.value + half), note_effective_cases(min(freedom, 2 * fewest))
        )
    limits = influence.normal_limits(estimand.value, variance, level)
    notes = [*note_effective_cases(2 * fewest), *_warn_of_assumed_line(estimand, variance)]
    return Interval(limits, notes)


def _compute_robust_reach(estimand: Estimand, level: float) -> tuple[float, float]:
    """Return the half width of the robust interval, and its degrees of freedom.

    These are few with few cases of a class, or where a few cases make most of the variance.
    """
    of_robust = cast("Callable[..., Moments]", estimand.form_as(VarianceFormula).moments)
    moments = of_robust(estimand.ranking, **estimand.parameters)
    freedom = float(effective_size.compute_freedom_of_moments(moments))
    fewest = float(min(effective_size.compute_effective_sizes(estimand.ranking)))
    return student_quantile(level, max(min(freedom, fewest - 1), 1.0)) * math.sqrt(moments.second), freedom


def _warn_of_assumed_line(estimand: Estimand, variance: float) -> list[str]:
    """Return a warning if a variance is smaller than the robust one, because it assumes more than the data show.

    Standard errors are compared, not limits: Student's quantile alone makes the robust limits wider with few cases.

    Args:
        estimand: The calibration line.
        variance: The variance that assumes that the line is correct.
    """
    form = estimand.form_as(VarianceFormula)
    if not form.robust or not variance > 0:
        return []
    moments = cast("Callable[..., Moments]", form.moments)(estimand.ranking, **estimand.parameters)
    larger = math.sqrt(moments.second / variance) - 1
    if not larger > constants.SANDWICH_LARGER:
        return []
    assumed = "Assumes that the calibration line is correct; the standard error by the method"
    return [
        Caveat(
            "assumes-the-line",
            f"{assumed} {form.robust!r}, which does not, is {100 * larger:.0f} % larger: {BELOW}.",
            "below",
        )
    ]


# ---------------------------------------------------------------------- the influence function


def influence_limits_of_mean(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a mean over the cases, from the losses of single cases."""
    form = estimand.form_as(MeanOfCases)
    r, parameters = estimand.ranking, estimand.parameters
    few = condense_ranking(r) if form.is_smooth(**parameters) else r
    second = effective_size.square_weights(r) if few is r else few
    return normal_limits(estimand, influence.compute_variance_of_mean(few, second, *form.of(few, **parameters)), level)


def influence_limits_of_order(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a smooth measure of the order, from what single cases change in it."""
    changes: Influence | None = estimand.influence
    if changes is None:
        return Interval(NO_LIMITS, [_NO_SLOPE])
    return normal_limits(estimand, changes.variance(effective_size.square_weights(estimand.ranking)), level)


def normal_limits(estimand: Estimand, variance: float, level: float) -> Interval:
    """Return normal limits from a variance; none where it is unknown.

    Args:
        estimand: The measure.
        variance: Its variance.
        level: The level of the interval.
    """
    if not math.isfinite(variance):
        return Interval(NO_LIMITS, [NO_STANDARD_ERROR])
    notes = (
        []
        if variance > EQUAL**2
        else ["The standard error is 0, so it says nothing about the uncertainty of the value."]
    )
    return Interval(influence.normal_limits(estimand.value, variance, level), notes)


def influence_student_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure whose influence function is known, on its scale, with Student's quantile."""
    variance, freedom = compute_variance(estimand.form, estimand.ranking, estimand.parameters)
    if not math.isfinite(variance) or not has_scale(estimand.value, variance, estimand.range):
        return Interval(NO_LIMITS, [NO_STANDARD_ERROR])
    limits = student_limits_on_scale(estimand.value, variance, freedom, estimand.range, level)
    return Interval(Limits(*map(float, limits)), note_effective_cases(freedom))


def compute_variance(form: Form, r: Ranking, parameters: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the variance of a measure from its influence function, and its degrees of freedom; it can be traced.

    Args:
        form: A mean over the cases, or a smooth measure of the order.
        r: The ranking.
        parameters: Those of the measure.
    """
    second = effective_size.square_weights(r)
    if isinstance(form, MeanOfCases):
        losses = form.of(r, **parameters)
        changes = influence.differentiate_mean_loss(r, *losses)
        return influence.compute_variance_of_mean(r, second, *losses), compute_freedom_of_ranking(changes, r)
    changes = Influence(*cast("RankStatistic", form).influence(r, **parameters))
    return changes.variance(second), compute_freedom_of_ranking(changes, r)


def has_many_cases(estimand: Estimand) -> bool:
    """Whether a smooth measure has so many cases that its estimate is normal; resamples would only add noise."""
    if (
        not math.isfinite(estimand.value)
        or min(effective_size.compute_effective_sizes(estimand.ranking)) < constants.PLENTY
    ):
        return False
    if estimand.of_counts is not None:
        counts = estimand.effective_counts
        if min(float(count) for count in (counts.tp, counts.fp, counts.fn, counts.tn)) < constants.PLENTY_IN_A_CELL:
            return False
    return not estimand.is_of_order or estimand.influence is not None


# ---------------------------------------------------------------------- weights, groups and strata, by linearisation


def linearised_limits_of_mean(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a mean over the cases, on the scale of its range."""
    form = estimand.form_as(MeanOfCases)
    r = estimand.ranking
    losses = form.of(r, **estimand.parameters)
    of_positives, of_negatives = (
        np.where(cells > 0, loss, 0.0) for cells, loss in zip((r.pos, r.neg), losses, strict=True)
    )
    return _linearised_limits(estimand, influence.differentiate_mean_loss(r, of_positives, of_negatives), level)


def linearised_limits_of_order(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a smooth measure of the order, on the scale of its range."""
    return _linearised_limits(estimand, estimand.influence, level)  # type: ignore[arg-type]


def _linearised_limits(estimand: Estimand, changes: Influence, level: float) -> Interval:
    known = linearise([changes], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0])
    if not math.isfinite(variance):
        return Interval(Limits(math.nan, math.nan), [NO_STANDARD_ERROR])
    se = known.quantile(level) / quantile(level) * float(np.sqrt(variance))
    notes, (least, most) = note_effective_cases(known.own_freedom()), estimand.range
    if math.isfinite(least) and least < estimand.value < most:
        return Interval(normal_limits_on_scale(estimand.value, se, estimand.range, level), notes)
    half = quantile(level) * se
    return Interval(Limits(estimand.value - half, estimand.value + half), notes)
