"""Bootstrap intervals (percentile, BCa, Student), and the scales on which an estimate is about normal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.validation import counted
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
    few_groups,
    few_resamples,
    has_spread,
    make_estimate,
    one_class,
    redraws,
    rests_on,
    weights_by_class,
    whole_groups,
)
from cutline.inference.quantities import Quantity
from cutline.inference.resampling.binning import note
from cutline.inference.resampling.bootstrap import ResamplingPlan, Shape, bca, bootstrap_in_bins, percentile
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.proportions import wilson
from cutline.inference.single.separation import limits_at_an_end, limits_when_separated
from cutline.measures import MEASURES, Needs
from cutline.measures.forms import (
    CurvePoint,
    LogLossTransform,
    MaximumOverCuts,
    OpenEndedArea,
    PartialArea,
    TopOfList,
    best_cuts,
)
from cutline.results.estimate import Estimate, Interval, Limits, quantile, student_quantile

_LARGEST = 300.0  # of a logarithm, so that its inverse is a number


class Scale(NamedTuple):
    """The logit scale of a range, the logarithm of the distance from its one end, or the range itself if it has none.

    `room` is how near to an end a value is taken to come: as a share of the range, or, if it has one end, a distance.
    """

    least: float
    most: float
    room: float

    def of(self, values: Any) -> Array:
        """Return values of the measure on this scale, which keeps their order."""
        values = np.asarray(values, dtype=float)
        if math.isfinite(self.least) and math.isfinite(self.most):
            share = np.clip((values - self.least) / (self.most - self.least), self.room, 1 - self.room)
            return np.asarray(np.log(share / (1 - share)))
        if math.isfinite(self.least):
            return np.asarray(np.log(np.maximum(values - self.least, self.room)))
        return np.asarray(-np.log(np.maximum(self.most - values, self.room)) if math.isfinite(self.most) else values)

    def back(self, value: float) -> float:
        """Return the value of the measure that a value on this scale stands for."""
        if math.isfinite(self.least) and math.isfinite(self.most):
            return self.least + (self.most - self.least) * _logistic(value)
        if math.isfinite(self.least):
            return self.least + math.exp(min(value, _LARGEST))
        return self.most - math.exp(min(-value, _LARGEST)) if math.isfinite(self.most) else value


def on_its_scale(value: float, se: float, allowed: tuple[float, float], level: float) -> Limits:
    """Return a normal interval on the logit scale of a range, or on the log scale where the range has one end."""
    least, most = allowed
    reach = quantile(level) * se
    if math.isinf(most):
        factor = math.exp(min(reach / (value - least), 700.0))
        return Limits(least + (value - least) / factor, least + (value - least) * factor)
    centre = math.log((value - least) / (most - value))
    half = reach * (most - least) / ((value - least) * (most - value))
    return Limits(*(least + (most - least) * _logistic(centre + side) for side in (-half, half)))


def _logistic(x: float) -> float:
    """Return scipy's `expit` to the bit, without loading scipy, which takes longer than a small file's interval."""
    return 1 / (1 + math.exp(-x)) if x > -709.78 else 0.0


_NAMED = 4  # thresholds that are equally good


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
    shaped = [i for i, function in enumerate(limits) if function is not percentiles]
    how = ResamplingPlan(options.resamples, options.seed, options.stratified, design)
    exact, cuts = [t.value for t in estimands], {cut for t in estimands for cut in t.cuts}
    replicates = bootstrap_in_bins(ranking, statistics, exact, how, cuts=cuts, shaped=shaped)
    shape = {i: replicates.shapes[i] for i in shaped}
    if design is not None:  # the groups of the smaller class tell how well a variance is known
        fewest = min(design.freedom_of_classes)
        shape = {i: estimated._replace(freedom=min(estimated.freedom, fewest)) for i, estimated in shape.items()}
    of_draws = redraws(replicates.redrawn) + few_resamples(options.resamples)
    made = []
    for i, estimand in enumerate(estimands):
        resampled = ResampledValues(estimand, replicates.values[i], options.level, shape.get(i))
        of_sample = effective_size.notes(ranking)
        if design is not None:
            of_sample = design_notes(design, "resampled", estimand.quantity)
        notes = of_sample + of_draws + caveats_of(estimand) + _too_little(estimand)
        made.append(resampled.estimate(limits[i](resampled), notes))
    return [
        _of_bins(estimate, width, replicates.bins) for estimate, width in zip(made, replicates.uncertain, strict=True)
    ]


def _of_bins(estimate: Estimate, uncertain: float, bins: int) -> Estimate:
    """Return an estimate from resamples of bins, widened by what they leave open where that matters."""
    width = estimate.high - estimate.low
    if not uncertain or not width > 0 or not math.isfinite(uncertain):
        return estimate
    low, high = estimate.low - uncertain, estimate.high + uncertain
    return replace(estimate, low=low, high=high, notes=(*estimate.notes, note(bins, uncertain / width)))


def design_notes(groups: GroupSampler, how: str, quantity: Quantity) -> list[str]:
    """Say how the cases were sampled and how many they are worth; `how` groups are used."""
    notes: list[str] = []
    if not groups.are_single:
        notes += few_groups(groups.freedom_of_classes) if quantity.is_of_one_cut else []
        notes.append(whole_groups(groups.groups, how))
    if groups.has_weights:
        worth = groups.effective
        notes.append(
            f"{counted(len(groups.cell), 'case')} with sampling weights count as {worth:.4g} in effect (design effect "
            f"of the weights: {len(groups.cell) / worth:.3g})."
        )
    if groups.stratum is not None:
        strata = "1 stratum" if groups.strata == 1 else f"{groups.strata} strata"
        notes.append(f"The variance is that within {strata}.")
    return notes


def caveats_of(estimand: Estimand) -> list[str]:
    """Return what qualifies the interval of a measure, whatever the method."""
    bracket = [] if estimand.bracket is None else [estimand.bracket.statement]
    caveat = [estimand.measure.caveat] if estimand.measure is not None and estimand.measure.caveat else []
    return [*bracket, *caveat, *_missing_class(estimand), *_inside_a_tie(estimand), *_tied_cuts(estimand)]


def _missing_class(estimand: Estimand) -> list[str]:
    """Return a warning when a class has no case, unless the measure is a share of the other one."""
    r, measure = estimand.ranking, estimand.measure
    among = None if measure is None or measure.paired is None else measure.paired.among
    is_of_the_other = (among is True and not r.negatives) or (among is False and not r.positives)
    return [] if is_of_the_other else one_class(r)


def _tied_cuts(estimand: Estimand) -> list[str]:
    """Say that several cuts are equally good, if they are; `threshold_of` names the first of them."""
    r = estimand.ranking
    if estimand.quantity is not Quantity.BEST_OF_CUTS or r.is_long:
        return []
    form = estimand.form_as(MaximumOverCuts)
    if form.of_all is None:
        return []
    best = best_cuts(form.of_all(r, **estimand.parameters))
    if len(best) < 2:
        return []
    named = [f"{float(threshold):.6g}" for threshold in r.thresholds[best[:_NAMED]]]
    some = f"{', '.join(named)}{', ...' if len(best) > _NAMED else ''}"
    return [f"{len(best)} cuts are equally good, with the thresholds {some}; threshold_of() gives the first of them."]


def _inside_a_tie(estimand: Estimand) -> list[str]:
    """Say that a quota ends among cases of one score, if it does."""
    if estimand.quota is None:
        return []
    r, quota = estimand.ranking, estimand.quota
    index, inside = r.cached(("place", quota), lambda: r.position(quota))
    if not 1e-9 < float(inside) < 1 - 1e-9:
        return []
    tied = float(r.size[int(index)])
    where = f"The quota ends inside a tie of {tied:.6g} cases"
    return [f"{where}: which of them are flagged is left to chance, and the value is the mean over their orders."]


def _too_little(estimand: Estimand) -> list[str]:
    """Return what qualifies an optimum, which hardly shows on resamples."""
    if estimand.quantity is Quantity.BEST_OF_CUTS:
        return [OPTIMISTIC]
    is_searched = estimand.quantity is Quantity.CURVE_POINT and estimand.form_as(CurvePoint).is_searched
    return [SEARCHED_AGAIN] if is_searched else []


def percentiles(resampled: ResampledValues) -> Interval:
    """Return plain percentiles."""
    interval = _percentile_limits(resampled)
    if resampled.estimand.quota is None:
        return interval
    counts = resampled.estimand.ranking.at_quota(resampled.estimand.quota)
    fewest = min(float(counts.tp), float(counts.fp), float(counts.fn))
    return interval._replace(notes=[*rests_on(2 * fewest), *interval.notes])


def accelerated(resampled: ResampledValues) -> Interval:
    """Return bias-corrected and accelerated percentiles (BCa)."""
    estimand, known, shape = resampled.estimand, np.sort(resampled.known), resampled.shape
    plain = _percentile_limits(resampled)
    if shape is None or len(known) < 2:
        return plain._replace(method="bca")
    limits = bca(known, estimand.value, shape.acceleration, resampled.level)
    has_limits = has_spread(known)
    notes = [*rests_on(shape.freedom), *plain.notes]
    if has_limits and (abs(shape.acceleration) > constants.SKEWED or _is_near_an_end(estimand)):
        notes.append(FEW_WEIGH)
    if limits is None:
        notes.append("All resamples are on one side of the value, so BCa fails: these are plain percentiles.")
        return Interval(plain.limits, notes, "bootstrap")
    return Interval(limits if has_limits else plain.limits, notes, "bca")


def _percentile_limits(resampled: ResampledValues) -> Interval:
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
        stand_in = limits_when_separated(estimand, level)
        end = limits_at_an_end(estimand, level)
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


def studentised(resampled: ResampledValues) -> Interval:
    """Return Student's limits, from the spread of the resamples on the scale of the measure's range.

    The degrees of freedom are few where a few cases make most of what changes.
    """
    estimand, level, known = resampled.estimand, resampled.level, resampled.known
    if len(known) < 2 or not has_spread(known) or not np.isfinite(known).all() or not math.isfinite(estimand.value):
        return _percentile_limits(resampled)
    freedom = min(resampled.freedom, max(_in_stretch(estimand) - 1, 1.0))
    notes = [*resampled.undefined_notes, *rests_on(freedom), *_warnings(estimand, freedom)]
    scale, (least, most), tail = _scale(estimand), estimand.range, (1 - level) / 2
    centre, there = float(scale.of(estimand.value)), scale.of(known)
    reach = student_quantile(level, freedom) * float(there.std(ddof=1))
    low, high = scale.back(centre - reach), scale.back(centre + reach)
    # Where many resamples are at an end of the range, it is a limit itself.
    limits = Limits(least if np.mean(known <= least) > tail else low, most if np.mean(known >= most) > tail else high)
    # A value at an end of its range is there by chance, and resamples hardly leave it.
    end = limits_at_an_end(estimand, level)
    if end is not None:
        notes.append(AT_AN_END)
        limits = Limits(min(limits.low, end.low), max(limits.high, end.high))
    return Interval(limits, notes, "student")


def student_of_top(resampled: ResampledValues) -> Interval:
    """Return Student's limits of a measure of the first cases of the list, and Wilson's where these are wider.

    Where hardly any of the first cases is of the other class, resamples hardly vary. The weight that such a measure
    gives to the list is worth a number of first cases, at most all positives, and the value, over that of the best
    order, is about a share of these.
    """
    interval = studentised(resampled)
    if interval.method != "student":
        return interval
    estimand, form = resampled.estimand, resampled.estimand.form_as(TopOfList)
    r, size = estimand.ranking, effective_size.effective(estimand.ranking)
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


def student_with_open_ends(resampled: ResampledValues) -> Interval:
    """Return Student's limits of an area, with what a sample without rare scores may have lost of it added."""
    interval = studentised(resampled)
    if interval.method != "student":
        return interval
    estimand, form = resampled.estimand, resampled.estimand.form_as(OpenEndedArea)
    lost = form.lost(estimand.ranking, **estimand.parameters)
    low, high = float(interval.limits.low), float(interval.limits.high)
    notes = [*interval.notes, *([RARE_SCORES] if abs(lost) > constants.OPEN_END * (high - low) else [])]
    far = float(np.hypot((high if lost > 0 else low) - estimand.value, lost))
    limits = Limits(low, estimand.value + far) if lost > 0 else Limits(estimand.value - far, high)
    return interval._replace(limits=limits, notes=notes)


def student_of_loss(resampled: ResampledValues) -> Interval:
    """Return Student's limits of a function of the log loss, from those of the loss: its scale suits a heavy tail."""
    from cutline.measures.rates import entropy

    estimand, form = resampled.estimand, resampled.estimand.form_as(LogLossTransform)
    r = estimand.ranking
    if not math.isfinite(estimand.value):
        return studentised(resampled)
    null = float(entropy(float(r.positives / r.total)))
    value = float(form.loss(np.asarray(estimand.value), null))
    loss = replace(estimand, value=value, range=(0.0, math.inf))
    interval = studentised(replace(resampled, estimand=loss, values=form.loss(resampled.values, null)))
    return interval._replace(limits=Limits(*(form.back(limit, null) for limit in interval.limits[::-1])))


def _warnings(estimand: Estimand, freedom: float) -> list[str]:
    """Return warnings where the study of coverage has intervals that miss too often (docs/coverage.md)."""
    measure = estimand.measure
    if measure is None:
        return []
    if measure.needs is Needs.PROBABILITIES:
        least, most = estimand.range
        # No scale makes a mean of few, skewed values normal if its range has no end at hand.
        return [FEW_WEIGH] if freedom < constants.HANDFUL and -math.inf < least < 0 < most < math.inf else []
    if measure.needs is not Needs.RANKING:
        return []
    if heavier := weights_by_class(measure.name, estimand.ranking):
        return heavier
    if estimand.quantity is Quantity.TOP_OF_LIST:
        return []
    is_of_a_part = _stretch(estimand)[0] < 1 or estimand.quantity is Quantity.CURVE_POINT
    if is_of_a_part and effective_size.go_with_scores(estimand.ranking):
        return [WEIGHTS_GO_WITH_SCORES]
    fewest = min(effective_size.effective(estimand.ranking))
    is_near = _is_near_an_end(estimand) and fewest < constants.ENOUGH_NEAR_AN_END
    return [NEAR_AN_END] if is_near and estimand.value not in estimand.range else []


def _in_stretch(estimand: Estimand) -> float:
    """Return how many cases of a class the part of the ROC curve holds that an area is over; infinite for the whole."""
    sizes = effective_size.effective(estimand.ranking)
    parts = [share * float(size) for share, size in zip(_stretch(estimand), sizes, strict=True) if share < 1]
    return min(parts, default=math.inf)


def _stretch(estimand: Estimand) -> tuple[float, float]:
    """Return the shares of the positives and of the negatives that an area is over."""
    return estimand.form.shares(**estimand.parameters) if isinstance(estimand.form, PartialArea) else (1.0, 1.0)


def _scale(estimand: Estimand) -> Scale:
    """Return the scale of a measure, on which values that resamples pile up at an end of the range are not far away."""
    least, most = estimand.range
    if math.isfinite(least) and math.isfinite(most):
        cases = max(float(sum(effective_size.effective(estimand.ranking))), 1.0)
        inside = min(estimand.value - least, most - estimand.value) / (most - least)
        return Scale(least, most, max(min(constants.PART_OF_A_CASE / cases, inside / 4), 1e-9))
    end = least if math.isfinite(least) else most
    return Scale(least, most, constants.PART_OF_THE_VALUE * abs(estimand.value - end) or 1.0)


def without_bias(resampled: ResampledValues) -> Interval:
    """Return the limits of a best over all cuts without the bias of its resamples, which that of the sample is like.

    What is left is taken to be normal on the logit scale of the measure's range, with the resamples' standard error and
    Student's quantile.
    """
    estimand, level = resampled.estimand, resampled.level
    known = resampled.values[np.isfinite(resampled.values)]
    least, most = estimand.range
    if len(known) < 2 or not has_spread(known) or not least < estimand.value < most:
        return _percentile_limits(resampled)
    notes = [WEIGHTS_GO_WITH_SCORES] if effective_size.go_with_scores(estimand.ranking) else []
    room = constants.INSIDE * (most - least if math.isfinite(most) else estimand.value - least)
    bias = float(known.mean()) - estimand.value
    centre = min(max(estimand.value - constants.UNSEEN_BIAS * bias, least + room), most - room)
    se = float(known.std(ddof=1)) * student_quantile(level, resampled.freedom) / quantile(level)
    limits = on_its_scale(centre, se, (least, most), level)
    # The bias is an estimate too, and may be none: the other limit is that of the value as it is.
    plain = on_its_scale(estimand.value, se, (least, most), level)
    limits = Limits(limits.low, plain.high) if centre < estimand.value else Limits(plain.low, limits.high)
    return Interval(limits, notes, "bias_corrected")
