"""From measures to their estimates: the method of each, and the limits that follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cutline.core.errors import ParameterError
from cutline.core.validation import check_text
from cutline.inference import effective_size
from cutline.inference.caveats import IGNORES_THE_DESIGN, INDEPENDENT, STRATIFIED_GROUPS, make_estimate
from cutline.inference.corrected import LEVEL, Corrected
from cutline.inference.methods import (
    NAMES,
    TABLE,
    Engine,
    Method,
    applicable_methods,
    default_method,
)
from cutline.inference.quantities import find_by_name
from cutline.inference.single.bootstrap import estimate_on_resamples
from cutline.inference.single.calibration_error import correct_errors, invert_tests
from cutline.inference.single.estimand import Estimand, IntervalRequest, check_request
from cutline.inference.single.notes import describe_design, find_caveats
from cutline.inference.single.smoothed_bootstrap import correct_best, estimate_smoothed
from cutline.measures.bin_brackets import Bounds
from cutline.results.estimate import Estimate

_NEGLIGIBLE = 0.05  # of the width of an interval: what bins leave open below that is within its own uncertainty
WIDENED = "The limits are widened by what the bins leave uncertain about the value."


def estimate_measures(
    estimands: Sequence[Estimand], request: IntervalRequest, methods: Sequence[Method] | None = None
) -> list[Estimate]:
    """Return the estimates of measures of one sample; those that are resampled share their resamples.

    Args:
        estimands: The measures.
        request: The level, the method, the resamples and the seed.
        methods: The method of each measure, where they are chosen already.
    """
    request = check_request(request)
    chosen = methods or [choose_method(estimand, request.method) for estimand in estimands]
    if request.stratified and any(estimand.design is not None for estimand in estimands):
        raise ParameterError(STRATIFIED_GROUPS)
    made: dict[int, Estimate] = {}
    for engine, estimate in _ENGINES.items():
        places = [
            i for i, method in enumerate(chosen) if method.engine == engine and _has_interval(estimands[i], method)
        ]
        if places:
            estimated = estimate([estimands[i] for i in places], [chosen[i] for i in places], request)
            made |= zip(places, estimated, strict=True)
    return [
        widen_by_bracket(made[i], estimand.bracket, estimand.range)
        if i in made
        else _make_without_interval(estimand, chosen[i], request.level)
        for i, estimand in enumerate(estimands)
    ]


def choose_method(estimand: Estimand, name: str) -> Method:
    """Return the method of a name, or the default one for "auto".

    Args:
        estimand: The measure.
        name: The name.

    Raises:
        ParameterError: If no such method applies.
    """
    check_text(name, "method", "auto")
    if name == "auto":
        return default_method(estimand)
    method = find_by_name(TABLE[estimand.quantity], name, estimand)
    if method is None:
        names = dict.fromkeys(suited.name for suited in reversed(applicable_methods(estimand)))
        listed = ", ".join(map(repr, reversed(names)))
        problem = f"{name!r} does not apply to {estimand.name}" if name in NAMES else f"There is no method {name!r}"
        raise ParameterError(problem, f"pass {listed} or 'auto'")
    return method


def _has_interval(estimand: Estimand, method: Method) -> bool:
    """Whether the value is known; simulations need a finite one."""
    return math.isfinite(estimand.value) or (math.isinf(estimand.value) and method.engine in ("formula", "bootstrap"))


def _make_without_interval(estimand: Estimand, method: Method, level: float) -> Estimate:
    reason = (f"undefined: {estimand.reason}",) if estimand.reason else ()
    return Estimate(estimand.name, estimand.value, math.nan, math.nan, level, method.name, reason)


def estimate_by_formula(estimand: Estimand, method: Method, level: float) -> Estimate:
    """Return the estimate by a formula; without an interval if the measure is undefined.

    Args:
        estimand: The measure.
        method: The formula.
        level: The level of the interval.
    """
    if math.isnan(estimand.value):
        return _make_without_interval(estimand, method, level)
    design = estimand.design
    notes, ignored = effective_size.describe_weights(estimand.ranking), []
    if design is not None:
        if method.allows_for == "design" or (method.allows_for == "weights" and design.are_single):
            notes = describe_design(design, "counted", estimand.quantity)
        else:
            ignored = [IGNORES_THE_DESIGN if design.are_single else INDEPENDENT]
    if not method.settles_caveat:
        notes += find_caveats(estimand)
    elif estimand.bracket is not None:
        notes.append(estimand.bracket.statement)
    interval = method.limits(estimand, level)
    by, notes = interval.method or method.name, [*notes, *ignored, *interval.notes]
    return make_estimate(estimand.name, estimand.value, interval.limits, estimand.range, level, by, notes)


Batch = Callable[[Sequence[Estimand], Sequence[Method], IntervalRequest], list[Estimate]]
# How the measures of one sample that have a method of an engine are estimated, all together.
_ENGINES: Mapping[Engine, Batch] = {
    "formula": lambda estimands, methods, request: [
        estimate_by_formula(estimand, method, request.level)
        for estimand, method in zip(estimands, methods, strict=True)
    ],
    "bootstrap": lambda estimands, methods, request: estimate_on_resamples(
        estimands, [method.limits for method in methods], request
    ),
    "inversion": lambda estimands, _, request: invert_tests(estimands, request),
    "smoothed": lambda estimands, _, request: estimate_smoothed(estimands, request),
}


def widen_by_bracket(estimate: Estimate, bracket: Bounds | None, allowed: tuple[float, float]) -> Estimate:
    """Return the estimate with limits that allow for the bracket of its value, where that matters.

    Args:
        estimate: The estimate of the value with the cases of each bin tied.
        bracket: Between which values the exact one lies.
        allowed: The range of the measure.
    """
    if bracket is None or not estimate.has_interval:
        return estimate
    below, above = estimate.value - bracket.low, bracket.high - estimate.value
    if not below + above > _NEGLIGIBLE * (estimate.high - estimate.low):
        return estimate
    low, high = max(estimate.low - below, float(allowed[0])), min(estimate.high + above, float(allowed[1]))
    return replace(estimate, low=low, high=high, notes=(*estimate.notes, WIDENED))


def correct_bias(estimand: Estimand, options: IntervalRequest) -> Corrected:
    """Return a calibration error, or a best over all cuts, corrected for its bias.

    Args:
        estimand: The measure.
        options: The number of resamples and their seed.
    """
    engines = {method.engine for method in applicable_methods(estimand)}
    if "inversion" in engines:
        return correct_errors([estimand], options)[0]
    if estimand.design is None and "smoothed" in engines:
        return correct_best([estimand], options)[0]
    (estimate,) = estimate_measures([estimand], options._replace(level=LEVEL))
    return Corrected.of(estimand.value, estimate.low, estimate.high)
