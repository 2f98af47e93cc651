"""The scale on which an estimate is about normal, so that its limits stay within the range of the measure."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Array
from cutline.results.estimate import Limits, quantile

_LARGEST = 300.0  # of a logarithm, so that its inverse is a number


class Scale(NamedTuple):
    """The logit scale of a range, the logarithm of the distance from its one end, or the range itself if it has none.

    `room` is how near to an end a value is taken to come: as a share of the range, or, if it has one end, a distance.
    """

    least: float
    most: float
    room: float

    def of(self, values: Any) -> Array:
        """Values of the measure on this scale, which keeps their order."""
        values = np.asarray(values, dtype=float)
        if math.isfinite(self.least) and math.isfinite(self.most):
            share = np.clip((values - self.least) / (self.most - self.least), self.room, 1 - self.room)
            return np.asarray(np.log(share / (1 - share)))
        if math.isfinite(self.least):
            return np.asarray(np.log(np.maximum(values - self.least, self.room)))
        return np.asarray(-np.log(np.maximum(self.most - values, self.room)) if math.isfinite(self.most) else values)

    def back(self, value: float) -> float:
        """The value of the measure that a value on this scale stands for."""
        if math.isfinite(self.least) and math.isfinite(self.most):
            return self.least + (self.most - self.least) * _logistic(value)
        if math.isfinite(self.least):
            return self.least + math.exp(min(value, _LARGEST))
        return self.most - math.exp(min(-value, _LARGEST)) if math.isfinite(self.most) else value


def on_its_scale(value: float, se: float, allowed: tuple[float, float], level: float) -> Limits:
    """A normal interval on the logit scale of a range, or on the log scale where the range has one end."""
    least, most = allowed
    reach = quantile(level) * se
    if math.isinf(most):
        factor = math.exp(min(reach / (value - least), 700.0))
        return Limits(least + (value - least) / factor, least + (value - least) * factor)
    centre = math.log((value - least) / (most - value))
    half = reach * (most - least) / ((value - least) * (most - value))
    return Limits(*(least + (most - least) * _logistic(centre + side) for side in (-half, half)))


def _logistic(x: float) -> float:
    """As scipy's `expit` to the bit, without loading scipy, which takes longer than the interval of a small file."""
    return 1 / (1 + math.exp(-x)) if x > -709.78 else 0.0
