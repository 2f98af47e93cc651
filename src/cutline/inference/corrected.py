"""Bias-corrected values: calibration errors, and maxima over all cuts, which chance moves one way.

Chance raises a calibration error and the best over all cuts, and raises that of a finer score or a smaller sample
more. Two such values are compared without the bias of each (`CorrectedDifference`); the interval and the test of their
difference are one thing, so that they agree at every level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from cutline.core.table import ComparedByFields
from cutline.results.estimate import quantile, student_quantile

LEVEL = 0.95  # of the limits from which the standard errors of either side are taken
_EQUAL = 1e-12  # what rounding alone can make of nothing


class Corrected(NamedTuple):
    """A bias-corrected value and its 95 % limits, which include it."""

    centre: float
    low: float
    high: float

    @classmethod
    def of(cls, centre: float, low: float, high: float) -> Corrected:
        """Return a value with limits widened to include it."""
        return cls(centre, min(low, centre), max(high, centre))


@dataclass(frozen=True, eq=False)
class CorrectedDifference(ComparedByFields):
    """A difference around its bias-corrected value, with a standard error for either side.

    The interval includes the difference that was observed; of what lies between that and the corrected one nothing is
    rejected.

    >>> found = CorrectedDifference(value=0.05, centre=0.01, below=0.02, above=0.02)
    >>> round(found.p_value(), 3), [round(limit, 3) for limit in found.interval(0.95)]
    (0.617, [-0.029, 0.05])
    """

    value: float
    centre: float
    below: float
    above: float
    freedom: float = math.inf

    @property
    def se(self) -> float:
        """Return the mean of the standard errors of both sides."""
        return (self.below + self.above) / 2

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value: 1 minus the level of the interval that just reaches `null`."""
        from scipy.special import ndtr, stdtr

        if min(self.value, self.centre) - _EQUAL <= null <= max(self.value, self.centre) + _EQUAL:
            return 1.0
        if not min(self.below, self.above) > _EQUAL:
            return math.nan
        side = self.below if null < self.centre else self.above
        t = -abs(null - self.centre) / side
        return float(2 * (ndtr(t) if math.isinf(self.freedom) else stdtr(self.freedom, t)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the limits at a level; NaN when a side has no standard error."""
        if min(self.below, self.above) <= _EQUAL < abs(self.value):
            return math.nan, math.nan
        reach = student_quantile(level, self.freedom) if level > _EQUAL else 0.0
        low, high = self.centre - reach * self.below, self.centre + reach * self.above
        return min(low, self.value), max(high, self.value)


def subtract_corrected(values: tuple[float, float], a: Corrected, b: Corrected) -> CorrectedDifference:
    """Return the difference of two values from the intervals of both, one by one (MOVER, Zou and Donner 2008).

    It is valid for models on the same cases too, where it is conservative.

    Args:
        values: The two values that were observed.
        a: The first without its bias.
        b: The second without its bias.
    """
    z = quantile(LEVEL)
    below, above = math.hypot(a.centre - a.low, b.high - b.centre), math.hypot(a.high - a.centre, b.centre - b.low)
    return CorrectedDifference(values[0] - values[1], a.centre - b.centre, below / z, above / z)
