"""The scale on which an estimate is about normal, so that its limits stay within the range of the measure."""

from __future__ import annotations

import math

from cutline.results.estimate import Limits, quantile


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
