"""Methods for the difference of two samples of different cases, and their table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.errors import ParameterError
from cutline.inference import constants, delong, effective_size
from cutline.inference.caveats import EQUAL, note_few_cases, note_few_resamples
from cutline.inference.corrected import subtract_corrected
from cutline.inference.differences.difference import (
    MoverDifference,
    Outcome,
    ResampledDifference,
    StudentDifference,
)
from cutline.inference.methods import Method, default_method
from cutline.inference.quantities import Quantity, always, choose_default, find_by_name, never
from cutline.inference.resampling.bootstrap import ResamplingPlan, bootstrap, bootstrap_in_bins, describe_shapes
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.bootstrap import ResampledValues, student_limits
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import correct_bias, estimate_by_formula
from cutline.inference.single.separation import find_separated_limits
from cutline.measures import MEASURES, Family
from cutline.measures.forms import LinearInAuc
from cutline.results.estimate import Limits


def find_own_limits(estimand: Estimand, options: IntervalRequest | None = None) -> Callable[[float], Limits] | None:
    """Return the limits of a measure of one model by level; None where nothing gives them.

    There are none for measures whose limits are simulated. Without options, resampled measures have limits only where
    the classes are separated.

    Args:
        estimand: The measure of one model.
        options: The number of resamples and their seed.
    """
    method = default_method(estimand)
    if method.engine == "inversion":
        return None
    if method.engine != "formula":
        if find_separated_limits(estimand, 0.95) is not None:
            return lambda level: find_separated_limits(estimand, level) or Limits(math.nan, math.nan)
        return None if options is None else _find_resampled_limits(estimand, method, options)

    def limits(level: float) -> Limits:
        estimate = estimate_by_formula(estimand, method, level)
        return Limits(estimate.low, estimate.high)

    return limits


def _find_resampled_limits(estimand: Estimand, method: Method, options: IntervalRequest) -> Callable[[float], Limits]:
    """Return the limits by level from one set of resamples and their standard deviation."""
    sampler = estimand.design or CaseSampler(estimand.ranking)
    values = bootstrap(sampler, [estimand.statistic], options.resamples, options.seed).values[0]
    (shape,) = describe_shapes(sampler, [estimand.statistic], options.seed)
    # Percentiles have no limits at high levels; a standard deviation has.
    by = method.limits if method.name in ("student", "bias_corrected") else student_limits

    def limits(level: float) -> Limits:
        resampled = ResampledValues(estimand, values, level, shape)
        estimate = resampled.estimate(by(resampled))
        return Limits(estimate.low, estimate.high)

    return limits


# ---------------------------------------------------------------------- two samples


class Sample(NamedTuple):
    """A measure of one of two samples, with its groups and the options of its interval."""

    estimand: Estimand
    options: IntervalRequest

    @property
    def engine(self) -> str:
        """How the interval of this sample is computed: by a formula, resamples or simulations."""
        return default_method(self.estimand).engine

    @property
    def is_loss(self) -> bool:
        """Whether it is a mean of losses or a smooth function of one, which a few heavy losses may decide."""
        measure = self.estimand.measure
        return measure is not None and measure.name in MEASURES.names and measure.family is Family.PROBABILITY


Samples = tuple[Sample, Sample]


@dataclass(frozen=True)
class UnpairedMethod:
    """A method that compares two samples of different cases.

    `applies` says which measures it is valid for, `by_rule` where it may be the default.
    """

    name: str
    source: str
    compare: Callable[[Samples], Outcome]
    applies: Callable[[Samples], bool] = always
    by_rule: Callable[[Samples], bool] = always
    is_random: Callable[[Samples], bool] = always


def _is_simulated(samples: Samples) -> bool:
    return any(sample.engine in ("inversion", "smoothed") for sample in samples)


def _is_resampled(samples: Samples) -> bool:
    return any(sample.engine == "bootstrap" for sample in samples)


def _list_values(samples: Samples) -> tuple[float, float]:
    return samples[0].estimand.value, samples[1].estimand.value


def compare_by_square_and_add(samples: Samples, *, pooled: bool = False) -> Outcome:
    """Return the difference from the intervals of both samples.

    A small sample without the rare heavy losses has too short an interval; the other sample may have them. With
    `pooled` the larger of Welch's variance (of each sample) and Student's (pooled) is used.

    Args:
        samples: The measure of both samples.
        pooled: Whether the variance is at least the pooled one.
    """
    limits = [find_own_limits(*sample) for sample in samples]
    if limits[0] is None or limits[1] is None:
        name = samples[0].estimand.name.partition("(")[0]
        raise ParameterError(f"square_and_add is not for {name}, which is biased upwards", "pass 'mover'")
    sizes = tuple(float(sum(effective_size.compute_effective_sizes(sample.estimand.ranking))) for sample in samples)
    ratio = sizes[0] / sizes[1] if pooled else None
    notes = note_few_resamples(samples[0].options.resamples) if _is_resampled(samples) else []
    return Outcome(MoverDifference(_list_values(samples), (limits[0], limits[1]), ratio_of_sizes=ratio), notes)


def compare_by_delong(samples: Samples) -> Outcome:
    """Return the difference of two AUCs with the sum of DeLong's variances and Welch's degrees of freedom."""
    targets = [sample.estimand for sample in samples]
    slopes = [float(t.form_as(LinearInAuc).of(t.ranking, **t.parameters)[0]) for t in targets]
    variances = [s**2 * float(delong.compute_variance(t.ranking)) for s, t in zip(slopes, targets, strict=True)]
    total = sum(variances)
    if not total > EQUAL**2:
        return compare_by_square_and_add(samples)
    cases = [float(t.ranking.total) - 1 for t in targets]
    freedom = total**2 / sum(v**2 / n for v, n in zip(variances, cases, strict=True))
    few = (note for t in targets for note in note_few_cases(t.ranking))
    difference = StudentDifference(targets[0].value - targets[1].value, math.sqrt(total), freedom)
    return Outcome(difference, list(dict.fromkeys(few)))


def compare_by_corrected_limits(samples: Samples) -> Outcome:
    """Return the difference of two bias-corrected values from their intervals."""
    a, b = (correct_bias(sample.estimand, sample.options) for sample in samples)
    return Outcome(subtract_corrected(_list_values(samples), a, b), note_few_resamples(samples[0].options.resamples))


def compare_by_percentiles(samples: Samples) -> Outcome:
    """Return the difference with the percentile bootstrap of both samples."""
    draws = []
    for t, options in samples:
        how = ResamplingPlan(options.resamples, options.seed, groups=t.design)
        draws.append(bootstrap_in_bins(t.ranking, [t.statistic], [t.value], how, cuts=t.cuts).values[0])
    a, b = _list_values(samples)
    with np.errstate(invalid="ignore"):
        difference = ResampledDifference(a - b, draws[0] - draws[1])
    return Outcome(difference, note_few_resamples(samples[0].options.resamples))


SQUARE_AND_ADD = UnpairedMethod("square_and_add", "Newcombe 1998", compare_by_square_and_add, is_random=_is_resampled)
POOLED = UnpairedMethod(
    "pooled_losses",
    "Newcombe 1998; Student 1908; Welch 1947",
    partial(compare_by_square_and_add, pooled=True),
    applies=lambda samples: samples[0].is_loss,
    is_random=_is_resampled,
)
DELONG = UnpairedMethod("delong_unpaired", "DeLong et al. 1988; Welch 1947", compare_by_delong, is_random=never)
MOVER = UnpairedMethod("mover", "Zou and Donner 2008", compare_by_corrected_limits, applies=_is_simulated)
BOOTSTRAP = UnpairedMethod("bootstrap", "Efron 1979", compare_by_percentiles)
METHODS = ("auto", *(method.name for method in (DELONG, SQUARE_AND_ADD, POOLED, MOVER, BOOTSTRAP)))

_OTHER = (SQUARE_AND_ADD, BOOTSTRAP)
_BIASED = (MOVER, SQUARE_AND_ADD, BOOTSTRAP)
# The default is the first method of the row that applies.
TABLE: Mapping[Quantity, tuple[UnpairedMethod, ...]] = {
    **dict.fromkeys(Quantity, _OTHER),
    Quantity.AUC: (SQUARE_AND_ADD, DELONG, BOOTSTRAP),
    **dict.fromkeys((Quantity.MEAN, Quantity.SMOOTH, Quantity.GAIN_OF_LIKELIHOOD), (POOLED, *_OTHER)),
    Quantity.BEST_OF_CUTS: _BIASED,
    Quantity.CALIBRATION_ERROR: _BIASED,
}


def choose(samples: Samples, name: str) -> UnpairedMethod:
    """Return the method of that name, or the default for "auto".

    Args:
        samples: The measure of both samples.
        name: One of `METHODS`.

    Raises:
        ParameterError: If no such method applies.
    """
    measure: Any = samples[0].estimand
    row = TABLE[measure.quantity]
    if name == "auto":
        return choose_default(row, samples)
    method = find_by_name(row, name, samples)
    if method is None:
        if name == DELONG.name:
            raise ParameterError(f"{name} is for the AUC, not for {measure.name}", "pass 'auto'")
        named = [method.name for method in row if method.applies(samples)]
        raise ParameterError(f"{name} is not for {measure.name}", f"pass {' or '.join(map(repr, named))}")
    return method


def refuse_few_cases(samples: Samples, names: Sequence[str], method: UnpairedMethod) -> list[str]:
    """Return the refusal if one sample has too few cases for a comparison; nothing if it has enough.

    Shares of 2 flagged cases move in steps of a half: equal models differed significantly in 12 to 14 % of samples of
    25 v 2500. Losses of 2 or 3 cases of a class may all be small by luck, and with no true positive the prevalence
    threshold is at its end, however many false ones there are: 4 to 17 % (40 v 40, 60 v 60).

    Args:
        samples: The measure of both samples.
        names: Their names.
        method: How they are compared.
    """
    least, reasons = constants.FEW_DECISIONS, []
    for (estimand, _), name in zip(samples, names, strict=True):
        groups = estimand.design
        quota = estimand.quota if estimand.quantity is Quantity.AT_QUOTA else None
        if quota is not None and quota < least:
            flagged = f"{quota:g} {'case' if quota == 1 else 'cases'}"
            way_out = f"take a quota or share that flags {least} cases or more, or compare auc"
            reasons.append(f"The quota flags {flagged} of {name}, which says too little: {way_out}.")
        fewest = min(effective_size.compute_effective_sizes(estimand.ranking))
        if groups is not None and not groups.are_single:
            fewest = min(groups.freedom_of_classes) + 1
        if fewest < least and (method is POOLED or estimand.name.partition("(")[0] == "prevalence_threshold"):
            unit = "cases" if groups is None or groups.are_single else "groups"
            too_few = f"too few to compare {estimand.name}: compare auc"
            reasons.append(f"A class has fewer than {least} {unit} in {name}, {too_few}.")
    return reasons
