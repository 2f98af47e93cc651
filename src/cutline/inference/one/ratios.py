"""Intervals for likelihood ratios and the odds ratio, on the scale of their logarithm or from those of both shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.inference.one.proportions import wilson
from cutline.results.estimate import Limits, quantile


def log_shares(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Katz (1978) for (a / (a + b)) / (c / (c + d)), two shares of separate groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in log_shares(3, 2, 1, 4, 0.95)]
    [0.4516, 19.9278]
    """
    ratio = divide(divide(a, a + b), divide(c, c + d))
    return _around(ratio, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d), level)


def log_odds(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Woolf (1955) for (a / b) / (c / d), the odds in two separate groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in log_odds(3, 2, 1, 4, 0.95)]
    [0.3544, 101.5675]
    """
    return _around(divide(a * d, b * c), 1 / a + 1 / b + 1 / c + 1 / d, level)


def _around(ratio: Any, variance: Any, level: float) -> Limits:
    factor = np.exp(quantile(level) * np.sqrt(variance))
    return Limits(ratio / factor, ratio * factor)


def of_shares(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """MOVER-R (Donner and Zou, 2012) for (a / (a + b)) / (c / (c + d)), from Wilson's limits of both shares.

    Unlike the logarithm's, its limits hold where a share is near 0 or 1, and need nothing added to a count of 0.

    >>> [round(float(limit), 3) for limit in of_shares(30, 10, 10, 40, 0.95)]
    [2.154, 6.758]
    """
    p, q = divide(a, a + b), divide(c, c + d)
    low_p, high_p = wilson(a, a + b, level)
    low_q, high_q = wilson(c, c + d, level)

    def root(end: Any, other: Any, side: int) -> Any:
        inside = (p * q) ** 2 - end * other * (2 * p - end) * (2 * q - other)
        return divide(p * q + side * np.sqrt(np.maximum(inside, 0.0)), other * (2 * q - other))

    return Limits(np.where(p > 0, root(low_p, high_q, -1), 0.0), np.where(low_q > 0, root(high_p, low_q, 1), np.inf))
