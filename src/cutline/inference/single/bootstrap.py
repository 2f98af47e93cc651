"""Bootstrap intervals (percentile, BCa, Student), and the scales on which an estimate is about normal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cutline.core.array_ops import Array
from cutline.inference import constants, effective_size
from cutline.inference.caveats import (
    AT_AN_END,
    FEW_AT_THE_TOP,
    FEW_WEIGH,
    NEAR_AN_END,
    NO_COVERAGE,
    OPTIMISTIC,
    RARE_SCORES,
    SEARCHED_AGAIN,
    SEPARATED,
    WEIGHTS_GO_WITH_SCORES,
    has_spread,
    make_estimate,
    note_effective_cases,
    note_few_resamples,
    note_redraws,
    warn_of_class_weights,
)
from cutline.inference.quantities import Quantity
from cutline.inference.resampling.binning import note_bins
from cutline.inference.resampling.bootstrap import ResamplingPlan, Shape, bca, bootstrap_in_bins, percentile
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.notes import describe_design, find_caveats
from cutline.inference.single.proportions import wilson
from cutline.inference.single.separation import find_limits_at_end, find_separated_limits
from cutline.inference.single.smooth import Scale, normal_limits_on_scale
from cutline.measures import MEASURES, Needs
from cutline.measures.forms import (
    CurvePoint,
    LogLossTransform,
    OpenEndedArea,
    PartialArea,
    TopOfList,
)
from cutline.results.estimate import Estimate, Interval, Limits, quantile, student_quantile


@dataclass(frozen=True)
class ResampledValues:
    """The values of a measure on bootstrap samples, from which a method makes its limits.

    `shape` describes the changes that single cases make; percentiles need none.
    """

    estimand: Estimand
    values: Array
    level: float
    shape: Shape | None = None

    @cached_property
    def known(self) -> Array:
        """Return the values that are defined."""
        return np.asarray(self.values[~np.isnan(self.values)])

    @property
    def undefined_notes(self) -> list[str]:
        """Say how many resamples left the measure undefined, if any."""
        count, total = len(self.values) - len(self.known), len(self.values)
        return [f"It is undefined on {count} of {total} resamples: the limits are from the others."] if count else []

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom of the variance."""
        return math.inf if self.shape is None else max(self.shape.freedom, 1.0)

    def estimate(self, interval: Interval, notes: Sequence[str] = ()) -> Estimate:
        """Return the estimate with an interval from these values."""
        t, every = self.estimand, [*notes, *interval.notes]
        return make_estimate(t.name, t.value, interval.limits, t.range, self.level, interval.method, every)


def estimate_on_resamples(
    estimands: Sequence[Estimand],
    limits: Sequence[Callable[[ResampledValues], Interval]],
    options: IntervalRequest,
) -> list[Estimate]:
    """Return the estimates of measures of one sample, all on the same bootstrap samples.

    Args:
        estimands: The measures.
        limits: The method of each.
        options: The level, the number of resamples and their seed.
    """
    ranking, design, statistics = estimands[0].ranking, estimands[0].design, [t.statistic for t in estimands]
    shaped = [i for i, function in enumerate(limits) if function is not percentile_limits]
    how = ResamplingPlan(options.resamples, options.seed, options.stratified, design)
    exact, cuts = [t.value for t in estimands], {cut for t in estimands for cut in t.cuts}
    replicates = bootstrap_in_bins(ranking, statistics, exact, how, cuts=cuts, shaped=shaped)
    shape = {i: replicates.shapes[i] for i in shaped}
    if design is not None:  # the groups of the smaller class tell how well a variance is known
        fewest = min(design.freedom_of_classes)
        shape = {i: estimated._replace(freedom=min(estimated.freedom, fewest)) for i, estimated in shape.items()}
    of_draws = note_redraws(replicates.redrawn) + note_few_resamples(options.resamples)
    made = []
    for i, estimand in enumerate(estimands):
        resampled = ResampledValues(estimand, replicates.values[i], options.level, shape.get(i))
        of_sample = effective_size.describe_weights(ranking)
        if design is not None:
            of_sample = describe_design(design, "resampled", estimand.quantity)
        notes = of_sample + of_draws + find_caveats(estimand) + _warn_of_optimism(estimand)
        made.append(resampled.estimate(limits[i](resampled), notes))
    return [
        _widen_for_bins(estimate, width, replicates.bins)
        for estimate, width in zip(made, replicates.uncertain, strict=True)
    ]


def _widen_for_bins(estimate: Estimate, uncertain: float, bins: int) -> Estimate:
    """Widen an estimate from binned resamples by the width of its bracket, if that matters."""
    width = estimate.high - estimate.low
    if not uncertain or not width > 0 or not math.isfinite(uncertain):
        return estimate
    low, high = estimate.low - uncertain, estimate.high + uncertain
    return replace(estimate, low=low, high=high, notes=(*estimate.notes, note_bins(bins, uncertain / width)))


def _warn_of_optimism(estimand: Estimand) -> list[str]:
    """Return a warning for an optimum, whose optimism resamples hardly show."""
    if estimand.quantity is Quantity.BEST_OF_CUTS:
        return [OPTIMISTIC]
    is_searched = estimand.quantity is Quantity.CURVE_POINT and estimand.form_as(CurvePoint).is_searched
    return [SEARCHED_AGAIN] if is_searched else []


def percentile_limits(resampled: ResampledValues) -> Interval:
    """Return plain percentiles."""
    interval = _compute_percentiles(resampled)
    if resampled.estimand.quota is None:
        return interval
    counts = resampled.estimand.ranking.at_quota(resampled.estimand.quota)
    fewest = min(float(counts.tp), float(counts.fp), float(counts.fn))
    return interval._replace(notes=[*note_effective_cases(2 * fewest), *interval.notes])


def bca_limits(resampled: ResampledValues) -> Interval:
    """Return bias-corrected and accelerated percentiles (BCa)."""
    estimand, known, shape = resampled.estimand, np.sort(resampled.known), resampled.shape
    plain = _compute_percentiles(resampled)
    if shape is None or len(known) < 2:
        return plain._replace(method="bca")
    limits = bca(known, estimand.value, shape.acceleration, resampled.level)
    has_limits = has_spread(known)
    notes = [*note_effective_cases(shape.freedom), *plain.notes]
    if has_limits and (abs(shape.acceleration) > constants.SKEWED or _is_near_an_end(estimand)):
        notes.append(FEW_WEIGH)
    if limits is None:
        notes.append("All resamples are on one side of the value, so BCa fails: these are plain percentiles.")
        return Interval(plain.limits, notes, "bootstrap")
    return Interval(limits if has_limits else plain.limits, notes, "bca")


def _compute_percentiles(resampled: ResampledValues) -> Interval:
    """Return the percentiles; if all resamples agree, limits that follow from the number of cases."""
    estimand, level, known = resampled.estimand, resampled.level, np.sort(resampled.known)
    notes = resampled.undefined_notes
    if len(known) < 2:
        return Interval(Limits(math.nan, math.nan), notes, "bootstrap")
    limits = percentile(known, level)
    if math.isnan(limits.low):
        notes.append(
            f"{len(known)} resamples are too few for a level of {level:g}: the limits are the extremes of them."
        )
        limits = Limits(known[0], known[-1])
    if not has_spread(known):
        stand_in = find_separated_limits(estimand, level)
        end = find_limits_at_end(estimand, level)
        notes.append(SEPARATED if stand_in else AT_AN_END if end else NO_COVERAGE)
        limits = stand_in or end or limits
    return Interval(limits, notes, "bootstrap")


def _is_near_an_end(estimand: Estimand) -> bool:
    """Whether a value is so near to an end of its range that resamples are piled up there."""
    least, most = estimand.range
    room = constants.NEAR_AN_END * (most - least)
    if not math.isfinite(room):
        return False
    above = room
    measure = estimand.measure
    if measure is not None and measure.needs is Needs.RANKING and measure.name in MEASURES:
        # Scores without information are near the upper end already where nearly all cases are positive.
        no_skill = measure.baseline_value(estimand.data, **estimand.parameters)
        if (least + most) / 2 < no_skill < most:
            above = constants.NEAR_AN_END * 2 * (most - no_skill)
    return not least + room <= estimand.value <= most - above


def student_limits(resampled: ResampledValues) -> Interval:
    """Return Student's limits, from the spread of the resamples on the scale of the measure's range.

    The degrees of freedom are few where a few cases make most of what changes.
    """
    estimand, level, known = resampled.estimand, resampled.level, resampled.known
    if len(known) < 2 or not has_spread(known) or not np.isfinite(known).all() or not math.isfinite(estimand.value):
        return _compute_percentiles(resampled)
    freedom = min(resampled.freedom, max(_count_cases_in_stretch(estimand) - 1, 1.0))
    notes = [*resampled.undefined_notes, *note_effective_cases(freedom), *_find_warnings(estimand, freedom)]
    scale, (least, most), tail = _choose_scale(estimand), estimand.range, (1 - level) / 2
    centre, there = float(scale.transform(estimand.value)), scale.transform(known)
    reach = student_quantile(level, freedom) * float(there.std(ddof=1))
    low, high = scale.invert(centre - reach), scale.invert(centre + reach)
    # Where many resamples are at an end of the range, it is a limit itself.
    limits = Limits(least if np.mean(known <= least) > tail else low, most if np.mean(known >= most) > tail else high)
    # A value at an end of its range is there by chance, and resamples hardly leave it.
    end = find_limits_at_end(estimand, level)
    if end is not None:
        notes.append(AT_AN_END)
        limits = Limits(min(limits.low, end.low), max(limits.high, end.high))
    return Interval(limits, notes, "student")


def student_limits_of_top(resampled: ResampledValues) -> Interval:
    """Return Student's limits of a measure of the first cases of the list, and Wilson's where these are wider.

    Where hardly any of the first cases is of the other class, resamples hardly vary. The weight that such a measure
    gives to the list is worth a number of first cases, at most all positives, and the value, over that of the best
    order, is about a share of these.
    """
    interval = student_limits(resampled)
    if interval.method != "student":
        return interval
    estimand, form = resampled.estimand, resampled.estimand.form_as(TopOfList)
    r, size = estimand.ranking, effective_size.compute_effective_sizes(estimand.ranking)
    most = form.most(float(r.positives / r.total), **estimand.parameters)
    first = min(2 * form.share(**estimand.parameters) * float(sum(size)), float(size.positives))
    share = min(estimand.value / most, 1.0)
    if min(share, 1 - share) * first >= constants.FEW_DECISIONS:
        return interval
    low, high = wilson(share * first, first, resampled.level)
    limits = Limits(
        min(float(interval.limits.low), most * float(low)), max(float(interval.limits.high), most * float(high))
    )
    return interval._replace(limits=limits, notes=[*interval.notes, FEW_AT_THE_TOP.fill_in(first)])


def student_limits_with_open_ends(resampled: ResampledValues) -> Interval:
    """Return Student's limits of an area, with what a sample without rare scores may have lost of it added."""
    interval = student_limits(resampled)
    if interval.method != "student":
        return interval
    estimand, form = resampled.estimand, resampled.estimand.form_as(OpenEndedArea)
    lost = form.lost(estimand.ranking, **estimand.parameters)
    low, high = float(interval.limits.low), float(interval.limits.high)
    notes = [*interval.notes, *([RARE_SCORES] if abs(lost) > constants.OPEN_END * (high - low) else [])]
    far = float(np.hypot((high if lost > 0 else low) - estimand.value, lost))
    limits = Limits(low, estimand.value + far) if lost > 0 else Limits(estimand.value - far, high)
    return interval._replace(limits=limits, notes=notes)


def student_limits_of_loss(resampled: ResampledValues) -> Interval:
    """Return Student's limits of a function of the log loss, from those of the loss: its scale suits a heavy tail."""
    from cutline.measures.rates import entropy

    estimand, form = resampled.estimand, resampled.estimand.form_as(LogLossTransform)
    r = estimand.ranking
    if not math.isfinite(estimand.value):
        return student_limits(resampled)
    null = float(entropy(float(r.positives / r.total)))
    value = float(form.loss(np.asarray(estimand.value), null))
    loss = replace(estimand, value=value, range=(0.0, math.inf))
    interval = student_limits(replace(resampled, estimand=loss, values=form.loss(resampled.values, null)))
    return interval._replace(limits=Limits(*(form.back(limit, null) for limit in interval.limits[::-1])))


def _find_warnings(estimand: Estimand, freedom: float) -> list[str]:
    """Return warnings for intervals that miss too often in the coverage study (docs/coverage.md)."""
    measure = estimand.measure
    if measure is None:
        return []
    if measure.needs is Needs.PROBABILITIES:
        least, most = estimand.range
        # No scale makes a mean of few, skewed values normal if its range has no end at hand.
        return [FEW_WEIGH] if freedom < constants.HANDFUL and -math.inf < least < 0 < most < math.inf else []
    if measure.needs is not Needs.RANKING:
        return []
    if heavier := warn_of_class_weights(measure.name, estimand.ranking):
        return heavier
    if estimand.quantity is Quantity.TOP_OF_LIST:
        return []
    is_of_a_part = _get_stretch(estimand)[0] < 1 or estimand.quantity is Quantity.CURVE_POINT
    if is_of_a_part and effective_size.has_weight_trend(estimand.ranking):
        return [WEIGHTS_GO_WITH_SCORES]
    fewest = min(effective_size.compute_effective_sizes(estimand.ranking))
    is_near = _is_near_an_end(estimand) and fewest < constants.ENOUGH_NEAR_AN_END
    return [NEAR_AN_END] if is_near and estimand.value not in estimand.range else []


def _count_cases_in_stretch(estimand: Estimand) -> float:
    """Return how many cases of a class the part of the ROC curve holds that an area is over; infinite for the whole."""
    sizes = effective_size.compute_effective_sizes(estimand.ranking)
    parts = [share * float(size) for share, size in zip(_get_stretch(estimand), sizes, strict=True) if share < 1]
    return min(parts, default=math.inf)


def _get_stretch(estimand: Estimand) -> tuple[float, float]:
    """Return the shares of the positives and of the negatives that an area is over."""
    return estimand.form.shares(**estimand.parameters) if isinstance(estimand.form, PartialArea) else (1.0, 1.0)


def _choose_scale(estimand: Estimand) -> Scale:
    """Return the scale of a measure, on which values that resamples pile up at an end of the range are not far away."""
    least, most = estimand.range
    if math.isfinite(least) and math.isfinite(most):
        cases = max(float(sum(effective_size.compute_effective_sizes(estimand.ranking))), 1.0)
        inside = min(estimand.value - least, most - estimand.value) / (most - least)
        return Scale(least, most, max(min(constants.PART_OF_A_CASE / cases, inside / 4), 1e-9))
    end = least if math.isfinite(least) else most
    return Scale(least, most, constants.PART_OF_THE_VALUE * abs(estimand.value - end) or 1.0)


def bias_corrected_limits(resampled: ResampledValues) -> Interval:
    """Return the bias-corrected limits of a maximum over all cuts; the bias is that of its resamples.

    What is left is taken to be normal on the logit scale of the measure's range, with the resamples' standard error and
    Student's quantile.
    """
    estimand, level = resampled.estimand, resampled.level
    known = resampled.values[np.isfinite(resampled.values)]
    least, most = estimand.range
    if len(known) < 2 or not has_spread(known) or not least < estimand.value < most:
        return _compute_percentiles(resampled)
    notes = [WEIGHTS_GO_WITH_SCORES] if effective_size.has_weight_trend(estimand.ranking) else []
    room = constants.INSIDE * (most - least if math.isfinite(most) else estimand.value - least)
    bias = float(known.mean()) - estimand.value
    centre = min(max(estimand.value - constants.UNSEEN_BIAS * bias, least + room), most - room)
    se = float(known.std(ddof=1)) * student_quantile(level, resampled.freedom) / quantile(level)
    limits = normal_limits_on_scale(centre, se, (least, most), level)
    # The bias is an estimate too, and may be none: the other limit is that of the value as it is.
    plain = normal_limits_on_scale(estimand.value, se, (least, most), level)
    limits = Limits(limits.low, plain.high) if centre < estimand.value else Limits(plain.low, limits.high)
    return Interval(limits, notes, "bias_corrected")
