"""From measures to their estimates: the method of each, and the limits that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from cutline.core.errors import ParameterError
from cutline.core.validation import check_text
from cutline.inference import effective_size
from cutline.inference.caveats import IGNORES_THE_DESIGN, INDEPENDENT, make_estimate
from cutline.inference.corrected import LEVEL, Corrected
from cutline.inference.methods import (
    INVERSION,
    NAMES,
    SMOOTHED,
    TABLE,
    Engine,
    Method,
    default,
    methods_of,
    without_resamples,
)
from cutline.inference.quantities import find_by_name
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.bootstrap import caveats_of, design_notes, estimate_on_resamples
from cutline.inference.single.calibration_error import corrected_errors, invert_tests
from cutline.inference.single.estimand import Estimand, IntervalRequest, checked
from cutline.inference.single.smoothed_bootstrap import corrected_best, estimate_smoothed
from cutline.measures.bin_brackets import Bounds
from cutline.results.estimate import Estimate

_NEGLIGIBLE = 0.05  # of the width of an interval: what bins leave open below that is within its own uncertainty
WIDENED = "The limits are widened by what the bins leave uncertain about the value."


def widen_by_bracket(estimate: Estimate, open_to: Bounds | None, allowed: tuple[float, float]) -> Estimate:
    """Return the estimate with limits that allow for the bracket of its value, where that matters.

    Args:
        estimate: The estimate of the value with the cases of each bin tied.
        open_to: Between which values the exact one lies.
        allowed: The range of the measure.
    """
    if open_to is None or not estimate.has_interval:
        return estimate
    below, above = estimate.value - open_to.low, open_to.high - estimate.value
    if not below + above > _NEGLIGIBLE * (estimate.high - estimate.low):
        return estimate
    low, high = max(estimate.low - below, float(allowed[0])), min(estimate.high + above, float(allowed[1]))
    return replace(estimate, low=low, high=high, notes=(*estimate.notes, WIDENED))


__all__ = [
    "IntervalRequest",
    "by_formula",
    "checked",
    "choose",
    "correct_bias",
    "default",
    "estimate_in_closed_form",
    "estimates",
]


def choose(estimand: Estimand, name: str, groups: GroupSampler | None = None) -> Method:
    """Return the method of a name, or of the rule for "auto".

    Args:
        estimand: What is estimated.
        name: The name.
        groups: How the cases were sampled, if not one by one.

    Raises:
        ParameterError: If no such method applies.
    """
    check_text(name, "method", "auto")
    if name == "auto":
        return default(estimand, groups)
    method = find_by_name(TABLE[estimand.quantity], name, estimand, groups)
    if method is None:
        names = dict.fromkeys(suited.name for suited in reversed(methods_of(estimand, groups)))
        listed = ", ".join(map(repr, reversed(names)))
        problem = f"{name!r} does not apply to {estimand.name}" if name in NAMES else f"There is no method {name!r}"
        raise ParameterError(problem, f"pass {listed} or 'auto'")
    return method


def estimate_in_closed_form(
    estimand: Estimand, method: Method, level: float, groups: GroupSampler | None = None
) -> Estimate:
    """Return the estimate by a formula; without an interval where the measure is undefined.

    Args:
        estimand: What is estimated.
        method: The formula.
        level: The level of the interval.
        groups: How the cases were sampled, if not one by one.
    """
    name = estimand.name
    if math.isnan(estimand.value) or method.engine != "formula":
        reason = (f"undefined: {estimand.reason}",) if estimand.reason else ()
        return Estimate(name, estimand.value, math.nan, math.nan, level, method.name, reason)
    is_known = groups is None or method.knows_design or (method.knows_weights and groups.are_single)
    if groups is not None and is_known:
        notes = design_notes(groups, "counted", estimand.quantity)
    else:
        notes = effective_size.notes(estimand.ranking)
    notes += estimand.bins if method.settles_caveat else caveats_of(estimand)
    if groups is not None and not is_known:
        notes.append(IGNORES_THE_DESIGN if groups.are_single else INDEPENDENT)
    interval = method.limits(estimand, level, groups)
    by = interval.method or method.name
    return make_estimate(name, estimand.value, interval.limits, estimand.range, level, by, [*notes, *interval.notes])


def estimates(
    estimands: Sequence[Estimand],
    options: IntervalRequest,
    groups: GroupSampler | None = None,
    methods: Sequence[Method] | None = None,
) -> list[Estimate]:
    """Return the estimates of some measures of one ranking; those that are resampled share their resamples.

    Args:
        estimands: The measures.
        options: The level, the method, the resamples and the seed.
        groups: How the cases were sampled, if not one by one.
        methods: The method of each measure, where they are chosen already.
    """
    options = checked(options)
    chosen = methods or [choose(estimand, options.method, groups) for estimand in estimands]

    def of_engine(engine: Engine) -> list[int]:
        is_known = (lambda x: not math.isnan(x)) if engine == "bootstrap" else math.isfinite
        return [i for i, method in enumerate(chosen) if method.engine == engine and is_known(estimands[i].value)]

    made: dict[int, Estimate] = {}
    resampled_ones, tested, known = (of_engine(engine) for engine in ("bootstrap", "inversion", "smoothed"))
    made |= zip(
        resampled_ones,
        estimate_on_resamples(
            [estimands[i] for i in resampled_ones], [chosen[i].limits for i in resampled_ones], options, groups
        ),
        strict=True,
    )
    made |= zip(tested, invert_tests([estimands[i] for i in tested], options, groups), strict=True)
    made |= zip(known, estimate_smoothed([estimands[i] for i in known], options), strict=True)
    for i, (estimand, method) in enumerate(zip(estimands, chosen, strict=True)):
        if i not in made:
            made[i] = estimate_in_closed_form(estimand, method, options.level, groups)
    return [widen_by_bracket(made[i], estimand.open_to, estimand.range) for i, estimand in enumerate(estimands)]


def correct_bias(estimand: Estimand, options: IntervalRequest, groups: GroupSampler | None = None) -> Corrected:
    """Return a calibration error, or a best over all cuts, without what chance added to it.

    Args:
        estimand: What is estimated.
        options: The number of resamples and their seed.
        groups: How the cases were sampled, if they come in groups.
    """
    engines = {method.engine for method in methods_of(estimand, groups)}
    if INVERSION.engine in engines:
        return corrected_errors([estimand], options, groups)[0]
    if groups is None and SMOOTHED.engine in engines:
        return corrected_best([estimand], options)[0]
    (estimate,) = estimates([estimand], options._replace(level=LEVEL), groups)
    return Corrected.of(estimand.value, estimate.low, estimate.high)


def by_formula(
    estimand: Estimand, level: float, groups: GroupSampler | None = None, *, may_resample: bool = True
) -> Estimate | Method | None:
    """Return the estimate by a formula; the method where the rule draws resamples or simulates; None without both.

    Args:
        estimand: What is estimated.
        level: The level of the interval.
        groups: How the cases were sampled, if not one by one.
        may_resample: Whether others are resampled afterwards; otherwise another formula stands in, where there is one.
    """
    method = default(estimand, groups) if may_resample else without_resamples(estimand, groups)
    return (
        method
        if method is None or method.engine != "formula"
        else estimate_in_closed_form(estimand, method, level, groups)
    )
