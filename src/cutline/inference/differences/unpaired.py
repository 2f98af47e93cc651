"""A difference from the intervals of the two models, one by one: for models on different cases, and as a last resort.

Newcombe's square and add (1998), which Zou and Donner (2008) call MOVER: each limit of the difference is as far away as
the root of the squared distances to the limits of the models. For models on the same cases, whose luck is shared, it
is too wide rather than too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cutline.core.ranking import Ranking
from cutline.inference.caveats import EQUAL
from cutline.inference.methods import Method
from cutline.inference.resampling.bootstrap import bootstrap, shapes
from cutline.inference.resampling.pairing import Pairing, Question
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.inference.single.bootstrap import studentised
from cutline.inference.single.estimand import Estimand, of_measure
from cutline.inference.single.interval_options import Options
from cutline.inference.single.intervals import closed, default
from cutline.inference.single.separation import separated
from cutline.measures import Measure
from cutline.results.estimate import Limits, quantile

_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class SeparateDifference:
    """A difference of two values with intervals of their own at every level."""

    values: tuple[float, float]
    limits: tuple[Callable[[float], Limits], Callable[[float], Limits]]

    @property
    def value(self) -> float:
        """The difference."""
        return self.values[0] - self.values[1]

    @property
    def se(self) -> float:
        """About its standard error: half the interval of 95 % over the normal quantile."""
        low, high = self.interval(0.95)
        return (high - low) / 2 / quantile(0.95)

    def interval(self, level: float) -> tuple[float, float]:
        """The limits, each as far away as the squared distances of the models' limits say."""
        if level <= EQUAL:
            return self.value, self.value
        (low_a, high_a), (low_b, high_b) = (limits(level) for limits in self.limits)
        a, b = self.values
        below, above = math.hypot(a - low_a, high_b - b), math.hypot(high_a - a, b - low_b)
        return self.value - below, self.value + above

    def p_value(self, null: float = 0.0) -> float:
        """One minus the level of the interval that just reaches `null`: test and interval agree."""
        if abs(self.value - null) <= EQUAL:
            return 1.0
        inside, outside = 1 - 1e-12, 0.0  # levels
        low, high = self.interval(inside)
        if math.isnan(low) or math.isnan(high):
            return math.nan
        if not low < null < high:
            return 1 - inside
        for _ in range(_HALVINGS):
            level = (inside + outside) / 2
            low, high = self.interval(level)
            if low < null < high:
                inside = level
            else:
                outside = level
        return 1 - inside


def apart(pairing: Pairing, question: Question, values: tuple[float, float]) -> SeparateDifference | None:
    """The difference of two models on the same cases from the intervals of both, one by one; None without a formula.

    Args:
        pairing: The models.
        question: The measure.
        values: Its value for each.
    """
    found = [
        own_limits(question.measure, pairing.rankings[i], question.parameters[i], pairing.sampler(i)) for i in (0, 1)
    ]
    return None if found[0] is None or found[1] is None else SeparateDifference(values, (found[0], found[1]))


def own_limits(
    measure: Measure,
    ranking: Ranking,
    parameters: Mapping[str, Any],
    groups: GroupSampler | None = None,
    options: Options | None = None,
) -> Callable[[float], Limits] | None:
    """Return the limits of a measure of one model by level; None where nothing gives them.

    Without options, a measure that would be resampled has limits only where the classes are separated.

    Args:
        measure: The measure.
        ranking: The cases.
        parameters: Those of the measure.
        groups: How the cases were sampled, if they come in groups.
        options: The number of resamples and their seed.
    """
    estimand = of_measure(measure, ranking, dict(parameters), grouped=groups is not None)
    method = default(estimand, groups)
    if method.engine == "inversion":  # its limits are those of simulated data
        return None
    if method.engine != "formula":
        units = math.inf if groups is None else groups.groups
        if separated(estimand, 0.95, units) is not None:
            return lambda level: separated(estimand, level, units) or Limits(math.nan, math.nan)
        return None if options is None else _resampled_limits(estimand, method, groups, options)

    def limits(level: float) -> Limits:
        found = closed(estimand, method, level, groups)
        return Limits(found.low, found.high)

    return limits


def _resampled_limits(
    estimand: Estimand, method: Method, groups: GroupSampler | None, options: Options
) -> Callable[[float], Limits]:
    """Return the limits by level from one set of resamples: their spread on the scale of the measure."""
    sampler = groups or CaseSampler(estimand.ranking)
    values = bootstrap(sampler, [estimand.statistic], options.resamples, options.seed).values[0]
    (shape,) = shapes(sampler, [estimand.statistic], options.seed)
    units = math.inf if groups is None else groups.groups
    # A spread has a limit at every level, and percentiles do not.
    by = method.limits if method.name in ("student", "bias_corrected") else studentised

    def limits(level: float) -> Limits:
        found = by(estimand, values, shape, level, [], units)
        return Limits(found.low, found.high)

    return limits
