"""Intervals for likelihood ratios and the odds ratio, on the scale of their logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core.counts import divide
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
