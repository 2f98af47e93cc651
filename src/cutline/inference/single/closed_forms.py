"""Intervals by formula of measures of one cut, of means, and of numbers whose standard error is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from cutline.core.blocks import condensed_ranking
from cutline.core.counts import Counts, divide
from cutline.core.ranking import Ranking
from cutline.inference import constants, effective_size, influence
from cutline.inference.caveats import BELOW, EQUAL, rests_on
from cutline.inference.influence import Influence
from cutline.inference.single import proportions, reference
from cutline.inference.single.bootstrap import on_its_scale
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import freedom_of_ranking, linearise
from cutline.measures.forms import (
    Form,
    MeanOfCases,
    Moments,
    Proportion,
    RankStatistic,
    Ratio,
    SumOfRates,
    VarianceFormula,
)
from cutline.results.estimate import Interval, Limits, quantile, student_quantile
from cutline.results.notes import Caveat

NO_STANDARD_ERROR = "The standard error cannot be estimated from these data: there is no interval."
_NO_SLOPE = (
    "The infinitesimal jackknife needs a measure that changes smoothly with the order of the cases, and "
    f"{influence.FEW_FOR_THE_ORDER} cases of each class: use the bootstrap instead."
)
_NO_LIMITS = Limits(math.nan, math.nan)

# ---------------------------------------------------------------------- one cut that a threshold makes


def wilson_share(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits of a share, modified where 1 to 3 cases have the property, or lack it."""
    form, (k, n) = estimand.form_as(Proportion), _cases_of_share(estimand)
    limits = Limits(*map(form.then, proportions.wilson_modified(k, n, level)))
    by = "" if proportions.is_modified(k, n) else "wilson"
    return Interval(limits, rests_on(estimand.freedom_at_cut), by)


def share_by(
    estimand: Estimand,
    level: float,
    *,
    formula: Callable[[Any, Any, float], Limits],
) -> Interval:
    """Return the limits of a share by a formula of how many cases out of how many.

    Args:
        estimand: A share at a threshold.
        level: The level of the interval.
        formula: The limits of k out of n at a level.
    """
    form = estimand.form_as(Proportion)
    k, n = _cases_of_share(estimand)
    notes = []
    if formula is reference.wald and not reference.wald_holds(k, n):
        notes.append(
            f"The Wald interval is not valid here: n p = {k:.4g} and n (1 - p) = {n - k:.4g} must both exceed 5."
        )
    return Interval(Limits(*map(form.then, formula(k, n, level))), notes)


def _cases_of_share(estimand: Estimand) -> tuple[float, float]:
    """Return how many cases out of how many a share is, in effect."""
    form = estimand.form_as(Proportion)
    k, n = map(float, form.of(estimand.counts))
    if estimand.ranking.integral:
        return k, n
    scale = divide(n, float(form.of(estimand.squared_counts)[1]))
    return k * scale, n * scale


def sum_of_shares(estimand: Estimand, level: float) -> Interval:
    """Return Newcombe's limits of a slope times the sum of two independent shares plus an intercept."""
    limits = limits_of_sum(estimand.form_as(SumOfRates), estimand.effective_counts, level)
    return Interval(Limits(*map(float, limits)), rests_on(estimand.freedom_at_cut))


def limits_of_sum(
    form: SumOfRates, c: Counts, level: float, limits: proportions.ShareLimits = proportions.wilson_modified
) -> Limits:
    """Return the limits of `sum_of_shares`; it can be traced.

    Args:
        form: Which shares are added, with the slope and the intercept.
        c: The counts of the cut.
        level: The level of the interval.
        limits: Those of one share.
    """
    among = (c.flagged, c.unflagged) if form.of_flags else (c.positives, c.negatives)
    sum_limits = proportions.square_and_add((c.tp, among[0]), (c.tn, among[1]), level, limits)
    end, other_end = (form.intercept + form.slope * limit for limit in sum_limits)
    return Limits(np.minimum(end, other_end), np.maximum(end, other_end))


def ratio_of_shares(estimand: Estimand, level: float) -> Interval:
    """Return MOVER's limits of a ratio of shares of the two classes."""
    a, b, c, d = _cells_of_ratio(estimand)
    if not (a + b and c + d):
        return Interval(_NO_LIMITS)
    limits = Limits(*(float(limit) for limit in proportions.of_shares(a, b, c, d, level)))
    return Interval(limits, rests_on(estimand.freedom_at_cut))


def log_ratio(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a ratio of shares, or of odds, on the log scale; a half is added to counts with a 0."""
    form = estimand.form_as(Ratio)
    a, b, c, d = _cells_of_ratio(estimand)
    notes = []
    if min(a, b, c, d) == 0:
        a, b, c, d = (count + 0.5 for count in (a, b, c, d))
        notes.append("One of the four counts is 0: a half was added to each for the limits (Haldane, Anscombe).")
    low, high = (proportions.log_odds if form.odds else proportions.log_shares)(a, b, c, d, level)
    value = estimand.value
    limits = Limits(0.0 if value == 0 else low, math.inf if math.isinf(value) else high)
    return Interval(limits, notes + rests_on(estimand.freedom_at_cut))


def _cells_of_ratio(estimand: Estimand) -> tuple[float, ...]:
    form = estimand.form_as(Ratio)
    counts = estimand.effective_counts
    return tuple(float(getattr(counts, name)) for name in (*form.above, *form.below))


def three_shares(estimand: Estimand, level: float) -> Interval:
    """Return MOVER's limits of a function of prevalence, recall and false positive rate.

    With groups or weights each share has the cases that its linearised variance is worth.
    """
    free = estimand.freedom_at_cut
    if estimand.design is not None:
        free = min(free, *estimand.design.freedom_of_classes)
    return Interval(proportions.mover_limits(estimand, level), rests_on(free))


# ---------------------------------------------------------------------- standard errors


def by_standard_error(
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
        return Interval(_NO_LIMITS, [NO_STANDARD_ERROR])
    if form.scale == "log":
        return Interval(limits_on_log_scale(estimand.value, variance, level))
    fewest = float(min(effective_size.effective(estimand.ranking)))
    if method == form.robust:
        half, freedom = _robust_reach(estimand, level)
        return Interval(Limits(estimand.value - half, estimand.value + half), rests_on(min(freedom, 2 * fewest)))
    limits = influence.normal(estimand.value, variance, level)
    notes = [*rests_on(2 * fewest), *_assumes_the_line(estimand, level, limits.high - limits.low)]
    return Interval(limits, notes)


def _robust_reach(estimand: Estimand, level: float) -> tuple[float, float]:
    """Return how far the limits of the method that supposes the least are from the value, and its degrees of freedom.

    These are few with few cases of a class, or where a few cases make most of the variance.
    """
    of_robust = cast("Callable[..., Moments]", estimand.form_as(VarianceFormula).moments)
    moments = of_robust(estimand.ranking, **estimand.parameters)
    freedom = float(effective_size.freedom_of_moments(moments))
    fewest = float(min(effective_size.effective(estimand.ranking)))
    return student_quantile(level, max(min(freedom, fewest - 1), 1.0)) * math.sqrt(moments.second), freedom


def limits_on_log_scale(value: Any, variance: Any, level: float) -> Limits:
    """Return the limits of a positive number, given the variance of its logarithm."""
    low, high = influence.normal(np.log(value), variance, level)
    return Limits(np.exp(low), np.exp(high))


def _assumes_the_line(estimand: Estimand, level: float, width: float) -> list[str]:
    """Return a warning where an interval supposes more than the data show: where it is narrower than the robust one."""
    form = estimand.form_as(VarianceFormula)
    if not form.robust:
        return []
    wider = 2 * _robust_reach(estimand, level)[0] / width - 1
    if not wider > constants.SANDWICH_WIDER:
        return []
    assumed = f"Assumes that the calibration line is correct; the method {form.robust!r} does not, and is"
    return [Caveat("assumes-the-line", f"{assumed} {100 * wider:.0f} % wider: {BELOW}.", "below")]


def influence_of_mean(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a mean over the cases, from the losses of single cases."""
    form = estimand.form_as(MeanOfCases)
    r, parameters = estimand.ranking, estimand.parameters
    few = condensed_ranking(r) if form.is_smooth(**parameters) else r
    second = effective_size.squares(r) if few is r else few
    return _normal(estimand, influence.of_mean(few, second, *form.of(few, **parameters)), level)


def influence_of_order(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a smooth measure of the order, from what single cases change in it."""
    changes: Influence | None = estimand.influence
    if changes is None:
        return Interval(_NO_LIMITS, [_NO_SLOPE])
    return _normal(estimand, changes.variance(effective_size.squares(estimand.ranking)), level)


def student_of_influence(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure whose influence function is known, on its scale, with Student's quantile."""
    variance, freedom = variance_and_freedom(estimand.form, estimand.ranking, estimand.parameters)
    if not math.isfinite(variance) or not has_scale(estimand.value, variance, estimand.range):
        return Interval(_NO_LIMITS, [NO_STANDARD_ERROR])
    limits = limits_on_scale(estimand.value, variance, freedom, estimand.range, level)
    return Interval(Limits(*map(float, limits)), rests_on(freedom))


def variance_and_freedom(form: Form, r: Ranking, parameters: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the variance of a measure from its influence function, and its degrees of freedom; it can be traced.

    Args:
        form: A mean over the cases, or a smooth measure of the order.
        r: The ranking.
        parameters: Those of the measure.
    """
    second = effective_size.squares(r)
    if isinstance(form, MeanOfCases):
        losses = form.of(r, **parameters)
        changes = influence.of_losses(r, *losses)
        return influence.of_mean(r, second, *losses), freedom_of_ranking(changes, r)
    changes = Influence(*cast("RankStatistic", form).influence(r, **parameters))
    return changes.variance(second), freedom_of_ranking(changes, r)


def has_scale(value: Any, variance: Any, allowed: tuple[float, float]) -> Any:
    """Whether a value lies inside its range, and its variance says how uncertain it is."""
    return (variance > EQUAL**2) & (value > allowed[0]) & (value < allowed[1])


def limits_on_scale(value: Any, variance: Any, freedom: Any, allowed: tuple[float, float], level: float) -> Limits:
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


def influence_of_cut(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure of one cut, from what single cases change in it."""
    variance = influence.of_counts(estimand.of_counts, estimand.counts, estimand.squared_counts)  # type: ignore[arg-type]
    interval = _normal(estimand, variance, level)
    return interval._replace(notes=[*interval.notes, *rests_on(estimand.freedom_at_cut)])


def _normal(estimand: Estimand, variance: float, level: float) -> Interval:
    if not math.isfinite(variance):
        return Interval(_NO_LIMITS, [NO_STANDARD_ERROR])
    notes = (
        []
        if variance > EQUAL**2
        else ["The standard error is 0, so it says nothing about the uncertainty of the value."]
    )
    return Interval(influence.normal(estimand.value, variance, level), notes)


# ---------------------------------------------------------------------- weights, groups and strata, by linearisation


def _linearised_cut(estimand: Estimand, function: Any) -> Influence:
    counts = estimand.counts
    return influence.of_cut(function, counts, estimand.ranking, estimand.ranking.cut(float(counts.threshold)))


def linearised_share(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits, modified near 0 and 1, for as many cases as the linearised variance is worth."""
    form = estimand.form_as(Proportion)

    def share_of(c: Any) -> Any:
        return divide(*form.of(c))

    k, n = (float(x) for x in form.of(estimand.counts))
    design = estimand.design
    whole = n * divide(n, float(form.of(estimand.squared_counts)[1])) if not estimand.ranking.integral else n
    if design is not None:
        whole = min(float(whole), design.groups)
    p, changes = k / n, _linearised_cut(estimand, share_of)
    size, variance = proportions.effective_share(changes, p, float(whole), estimand, level)
    limits = Limits(*(form.then(limit) for limit in proportions.wilson_modified(p * size, size, level)))
    if design is None or not variance > 0:
        return Interval(limits, rests_on(2 * size * min(p, 1 - p)))
    rows = float(form.of(design.counts(estimand.counts))[1])  # cases among which the share is taken
    worth = p * (1 - p) / variance
    worded = f"The {rows:.0f} cases of the share are worth {worth:.4g} (design effect {rows / worth:.3g})."
    return Interval(limits, [worded, *rests_on(2 * size * min(p, 1 - p))])


def linearised_ratio(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a ratio on the log scale; of 0 or infinity, those of three shares."""
    if not 0 < estimand.value < math.inf:
        return three_shares(estimand, level)
    known = linearise([_linearised_cut(estimand, estimand.of_counts)], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0]) / estimand.value**2
    with np.errstate(over="ignore"):  # of few groups at a high level, infinity
        factor = float(np.exp(known.quantile(level) * math.sqrt(variance))) if variance >= 0 else math.nan
    return Interval(Limits(estimand.value / factor, estimand.value * factor), rests_on(known.own_freedom()))


def linearised_mean(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a mean over the cases, on the scale of its range."""
    form = estimand.form_as(MeanOfCases)
    r = estimand.ranking
    losses = form.of(r, **estimand.parameters)
    of_positives, of_negatives = (
        np.where(cells > 0, loss, 0.0) for cells, loss in zip((r.pos, r.neg), losses, strict=True)
    )
    return _linearised(estimand, influence.of_losses(r, of_positives, of_negatives), level)


def linearised_order(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a smooth measure of the order, on the scale of its range."""
    return _linearised(estimand, estimand.influence, level)  # type: ignore[arg-type]


def _linearised(estimand: Estimand, changes: Influence, level: float) -> Interval:
    known = linearise([changes], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0])
    if not math.isfinite(variance):
        return Interval(Limits(math.nan, math.nan), [NO_STANDARD_ERROR])
    se = known.quantile(level) / quantile(level) * float(np.sqrt(variance))
    notes, (least, most) = rests_on(known.own_freedom()), estimand.range
    if math.isfinite(least) and least < estimand.value < most:
        return Interval(on_its_scale(estimand.value, se, estimand.range, level), notes)
    half = quantile(level) * se
    return Interval(Limits(estimand.value - half, estimand.value + half), notes)


# ---------------------------------------------------------------------- many cases


def has_many_cases(estimand: Estimand) -> bool:
    """Whether a smooth measure has so many cases that its estimate is normal; resamples would only add noise."""
    if not math.isfinite(estimand.value) or min(effective_size.effective(estimand.ranking)) < constants.PLENTY:
        return False
    if estimand.of_counts is not None:
        counts = estimand.effective_counts
        if min(float(count) for count in (counts.tp, counts.fp, counts.fn, counts.tn)) < constants.PLENTY_IN_A_CELL:
            return False
    return not estimand.is_of_order or estimand.influence is not None
