"""Intervals of statistics of several classes, by formula or by the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from cutline.core.array_ops import Array
from cutline.core.validation import check_choice, check_level, check_whole
from cutline.inference import constants
from cutline.inference.caveats import BELOW, NO_SPREAD, has_spread, make_estimate, note_groups
from cutline.inference.resampling.bootstrap import percentile
from cutline.inputs.multiclass import ClassCases
from cutline.multiclass import influence
from cutline.multiclass.class_means import NO_FORMULA
from cutline.multiclass.statistic import Statistic, ValueWithLimits
from cutline.results.estimate import Estimate, Limits, quantile
from cutline.results.resample_budget import choose_resamples_of_rows

METHODS = ("auto", "normal", "bootstrap")
_AT_ONCE = 2**22  # the largest number of weights in memory
_MOST_REDRAWS = 1000


class ClassIntervalOptions(NamedTuple):
    """The options of an interval."""

    level: float
    method: str = "auto"
    resamples: int | None = None
    seed: int = 0

    def check(self) -> ClassIntervalOptions:
        """Return the options; raise if one is not valid."""
        check_choice(self.method, "method", METHODS)
        resamples = None if self.resamples is None else check_whole(self.resamples, "resamples", 2)
        return ClassIntervalOptions(check_level(self.level), self.method, resamples, check_whole(self.seed, "seed", 0))


class ClassEstimate(NamedTuple):
    """An estimate with its standard error, which is NaN if unknown."""

    estimate: Estimate
    se: float


def estimate_statistic(statistic: Statistic, cases: ClassCases, options: ClassIntervalOptions) -> ClassEstimate:
    """Estimate a statistic with its interval."""
    name, reason = f"{statistic.name} ({statistic.of})", statistic.explain_undefined(cases)
    if reason:
        none = (math.nan, math.nan, math.nan)
        return ClassEstimate(Estimate(name, *none, options.level, "none", (f"undefined: {reason}",)), math.nan)
    if options.method == "bootstrap":
        return _resample(name, statistic, cases, options)
    value = statistic.estimate(cases, options.level)
    spread = compute_standard_error(value, cases)
    if options.method == "normal":
        limits = influence.compute_normal_limits(value.value, spread, statistic.range, options.level)
        why = NO_FORMULA if value.influences is None else influence.NO_SPREAD
        value = value._replace(limits=limits, method="normal", notes=(why,) if math.isnan(limits.low) else ())
    if value.limits.high - value.limits.low <= influence.NOTHING:  # if the influences of the terms cancel
        value = value._replace(limits=Limits(math.nan, math.nan), notes=(*value.notes, influence.NO_SPREAD))
    if cases.group_count and options.method == "auto":
        value = _widen_for_groups(value, cases, options.level)
    notes = [*value.notes, *_list_few_case_warnings(cases), *_note_groups(cases, "counted")]
    estimate = make_estimate(name, value.value, value.limits, statistic.range, options.level, value.method, notes)
    return ClassEstimate(estimate, spread)


def compute_standard_error(value: ValueWithLimits, cases: ClassCases) -> float:
    """Return the standard error by the influences; NaN if they are unknown."""
    return math.nan if value.influences is None else math.sqrt(cases.covariance(value.influences)[0, 0])


def _widen_for_groups(value: ValueWithLimits, cases: ClassCases, level: float) -> ValueWithLimits:
    """Widen the limits by the square root of the design effect of groups of cases.

    The quantile is Student's, since the variance between few groups is itself uncertain. Without errors the groups show
    no variance; the limits then assume that all cases of a group are equal, which is the worst case.
    """
    if value.influences is None:
        return value
    if cases.group_count < 2:
        return value._replace(limits=Limits(math.nan, math.nan), notes=(*value.notes, ONE_GROUP))
    independent = math.sqrt(influence.compute_variance(value.influences, cases.squares))
    grouped = compute_standard_error(value, cases)
    ratio = grouped / independent if independent > influence.NOTHING else math.sqrt(len(cases) / cases.group_count)
    wider = ratio * float(stdtrit(cases.group_count - 1, (1 + level) / 2)) / quantile(level)
    low, high = (value.value + wider * (limit - value.value) for limit in value.limits)
    return value._replace(limits=Limits(low, high))


ONE_GROUP = "All cases are of one group: nothing tells how groups vary."


def _note_groups(cases: ClassCases, how: str) -> list[str]:
    return [note_groups(cases.group_count, how)] if cases.group_count else []


def warn_of_few_cases(cases: ClassCases) -> str:
    """Write a warning of classes with too few cases; empty if every class has enough."""
    few = [c for c, size in enumerate(cases.effective_sizes) if 0 < size < constants.FEW_CASES]
    if not few:
        return ""
    fewest = min(few, key=lambda c: cases.effective_sizes[c])
    size = float(cases.effective_sizes[fewest])
    cases_of = "1 case" if size == 1 else f"{size:.3g} cases"
    return f"Class {cases.classes[fewest]!r} has only {cases_of}: {BELOW}."


def _list_few_case_warnings(cases: ClassCases) -> list[str]:
    note = warn_of_few_cases(cases)
    return [note] if note else []


# ---------------------------------------------------------------------- resampling


def _resample(name: str, statistic: Statistic, cases: ClassCases, options: ClassIntervalOptions) -> ClassEstimate:
    """Estimate a statistic with its bootstrap percentile interval."""
    resamples = choose_resamples_of_rows(len(cases), options.resamples)
    values, redrawn = resample(statistic.make_function(cases), cases, resamples, options.seed)
    value = float(statistic.make_function(cases)(cases.weights))
    draws = np.sort(values[np.isfinite(values)])
    notes = [f"{redrawn} bootstrap samples lacked a class and were redrawn."] if redrawn else []
    if not len(draws) or not has_spread(draws):
        limits, notes = Limits(math.nan, math.nan), [*notes, NO_SPREAD]
    else:
        limits = percentile(draws, options.level)
    notes += [*_list_few_case_warnings(cases), *_note_groups(cases, "resampled")]
    estimate = make_estimate(name, value, limits, statistic.range, options.level, "bootstrap", notes)
    return ClassEstimate(estimate, float(np.std(draws, ddof=1)) if len(draws) > 1 else math.nan)


def resample(function: Callable[[Array], Any], cases: ClassCases, resamples: int, seed: int) -> tuple[Array, int]:
    """Return the values of a function of the weights on bootstrap samples, and the number of samples redrawn.

    Args:
        function: The function, which broadcasts over leading axes of the weights.
        cases: The cases.
        resamples: The number of bootstrap samples.
        seed: The seed.
    """
    rng, width = np.random.default_rng(seed), len(cases) * len(cases.classes)
    at_once = max(1, min(resamples, _AT_ONCE // width))
    replicates, redrawn = [], 0
    for start in range(0, resamples, at_once):
        weights, more_redrawn = _draw_weights(cases, rng, min(at_once, resamples - start))
        replicates.append(np.asarray(function(weights), dtype=float))
        redrawn += more_redrawn
    return np.concatenate(replicates), redrawn


def _draw_weights(cases: ClassCases, rng: np.random.Generator, count: int) -> tuple[Array, int]:
    """Draw bootstrap weights of the cases, such that every class has a case; also return the number of redraws."""
    own = cases.weights
    if cases.groups is not None:
        draws, chances, unit = cases.group_count, np.full(cases.group_count, 1 / cases.group_count), own
    elif cases.integral:  # a whole number is that many equal rows
        draws, chances, unit = int(own.sum()), own / own.sum(), np.ones(1, dtype=np.int64)
    else:
        draws, chances, unit = len(own), np.full(len(own), 1 / len(own)), own

    def draw(size: int) -> Array:
        counts = rng.multinomial(draws, chances, size=size)
        return counts if cases.groups is None else counts[:, cases.groups]  # a group is drawn with all its cases

    times, redrawn = draw(count), 0
    for _ in range(_MOST_REDRAWS):
        lacking = np.flatnonzero(_lacks_a_class(times, cases))
        if not len(lacking):
            break
        times[lacking] = draw(len(lacking))
        redrawn += len(lacking)
    return times * unit, redrawn


def _lacks_a_class(times: Array, cases: ClassCases) -> Array:
    starts = np.flatnonzero(np.diff(cases.truth, prepend=-1))  # the cases are in the order of their classes
    return np.asarray((np.add.reduceat(times, starts, axis=1) == 0).any(1))
