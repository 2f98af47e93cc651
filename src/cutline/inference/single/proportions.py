"""Intervals for proportions (Wilson and others), ratios of proportions, and functions of three proportions (MOVER).

k of n cases: neither has to be a whole number; with weights, n is the effective sample size. The functions that give
both limits of one proportion work over arrays too, and check nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutline.core.counts import as_floats, divide
from cutline.inference import constants
from cutline.results.estimate import Limits, quantile

_HALVINGS = 55  # of what two exact limits leave open, after which floats are used up


def wilson(k: Any, n: Any, level: float) -> Limits:
    """Return Wilson's (1927) score interval: near its level on average over shares, below it next to 0 and 1.

    >>> [round(float(limit), 4) for limit in wilson(3, 5, 0.95)]
    [0.2307, 0.8824]
    """
    k, n, z = as_floats(k), as_floats(n), quantile(level)
    centre = (k + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    # At the ends a limit is the end itself, which rounding would miss.
    return Limits(np.where(k > 0, centre - half, 0.0), np.where(k < n, centre + half, 1.0))


def wilson_modified(k: Any, n: Any, level: float) -> Limits:
    """Return Wilson's interval with Poisson's limit where 1 to 3 cases have a property, or lack it.

    Brown, Cai and DasGupta (2001). Wilson's limit is too far from the end for so few: with 0.18 such cases to be
    expected it holds the truth in 83.8 % at every n, and the modified one in 98 %.

    >>> [round(float(limit), 4) for limit in wilson_modified(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    k, n = as_floats(k), as_floats(n)
    low, high = wilson(k, n, level)
    if not np.any(is_modified(k, n)):
        return Limits(low, high)
    from scipy.special import gammaincinv

    near, far = (np.where(_are_few(x, n), gammaincinv(np.maximum(x, 1e-9), 1 - level) / n, 1.0) for x in (k, n - k))
    return Limits(np.minimum(low, near), np.maximum(high, 1 - far))


def modified_of_counts(k: Any, n: Any, level: float) -> Limits:
    """Return `wilson_modified` of whole numbers, by arithmetic alone, so that it can be traced for a report.

    >>> [round(float(limit), 4) for limit in modified_of_counts(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    from scipy.special import gammaincinv

    low, high = wilson(k, n, level)
    for few in range(1, constants.FEW_EVENTS + 1):
        bound, is_near = float(gammaincinv(few, 1 - level)) / n, few <= np.multiply(constants.POISSON_UP_TO, n)
        low = np.where((k == few) & is_near, np.minimum(low, bound), low)
        high = np.where((n - k == few) & is_near, np.maximum(high, 1 - bound), high)
    return Limits(low, high)


def is_modified(k: Any, n: Any) -> Any:
    """Whether so few cases have a property, or lack it, that the modified interval is not Wilson's."""
    return _are_few(k, n) | _are_few(np.subtract(n, k), n)


def _are_few(x: Any, n: Any) -> Any:
    return (
        np.greater(x, 0)
        & np.less_equal(x, constants.FEW_EVENTS)
        & np.less_equal(x, np.multiply(constants.POISSON_UP_TO, n))
    )


def mid_p(k: Any, n: Any, level: float) -> Limits:
    """Return the exact interval with half the probability of the observation (Lancaster 1961).

    At a limit, half the probability of k and all of what is further away add up to half of one minus the level. Unlike
    Wilson's it keeps its level where that is far above 95 %, as the intervals of many slices need.

    >>> [round(float(limit), 4) for limit in mid_p(3, 5, 0.95)]
    [0.1824, 0.9265]
    """
    k, n, tail = as_floats(k), as_floats(n), (1 - level) / 2
    return Limits(1 - _find_upper_mid_p(n - k, n, tail), _find_upper_mid_p(k, n, tail))


def _find_upper_mid_p(k: Any, n: Any, tail: float) -> Any:
    """Return the upper limit, between the exact ones of one case less and of k, by halving what lies between them."""
    from scipy.special import betainc, betaincinv

    rest, some, more = n - k, np.maximum(k, 1e-9), np.maximum(n - k, 1e-9)
    low = np.where(k > 0, betaincinv(some, rest + 1, 1 - tail), 0.0)
    high = np.where(rest > 0, betaincinv(k + 1, more, 1 - tail), 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fewer = np.where(k > 0, betainc(rest + 1, some, 1 - middle), 0.0)  # the probability of less than k
        is_below = (fewer + betainc(more, k + 1, 1 - middle)) / 2 > tail
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.where(rest > 0, (low + high) / 2, 1.0)


ShareLimits = Callable[[Any, Any, float], Limits]  # of k of n cases at a level


def square_and_add(
    first: tuple[Any, Any], second: tuple[Any, Any], level: float, limits: ShareLimits = wilson_modified
) -> Limits:
    """Return Newcombe's (1998) limits of the sum of two independent shares, each as cases out of how many.

    >>> [round(float(limit), 3) for limit in square_and_add((20, 20), (20, 20), 0.95)]  # no error among 40 cases
    [1.772, 2.0]
    """
    shares = [k / n for k, n in (first, second)]
    reach = [limits(k, n, level) for k, n in (first, second)]
    below = np.hypot(*(share - end.low for share, end in zip(shares, reach, strict=True)))
    above = np.hypot(*(end.high - share for share, end in zip(shares, reach, strict=True)))
    return Limits(shares[0] + shares[1] - below, shares[0] + shares[1] + above)


def katz(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Return Katz's (1978) limits of (a / (a + b)) / (c / (c + d)), shares of two groups: from counts of 5 on.

    >>> [round(float(limit), 4) for limit in katz(3, 2, 1, 4, 0.95)]
    [0.4516, 19.9278]
    """
    ratio = divide(divide(a, a + b), divide(c, c + d))
    return _exponentiate_limits(ratio, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d), level)


def woolf(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Return Woolf's (1955) limits of (a / b) / (c / d), the odds in two groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in woolf(3, 2, 1, 4, 0.95)]
    [0.3544, 101.5675]
    """
    return _exponentiate_limits(divide(a * d, b * c), 1 / a + 1 / b + 1 / c + 1 / d, level)


def _exponentiate_limits(ratio: Any, variance: Any, level: float) -> Limits:
    factor = np.exp(quantile(level) * np.sqrt(variance))
    return Limits(ratio / factor, ratio * factor)


def mover_ratio(a: Any, b: Any, c: Any, d: Any, level: float, limits: ShareLimits = wilson_modified) -> Limits:
    """Return MOVER-R limits (Donner and Zou 2012) of (a / (a + b)) / (c / (c + d)), from Wilson's of both shares.

    Unlike the logarithm's, its limits hold where a share is near 0 or 1, and need nothing added to a count of 0.

    >>> [round(float(limit), 3) for limit in mover_ratio(30, 10, 10, 40, 0.95)]
    [2.154, 6.758]
    """
    p, q = divide(a, a + b), divide(c, c + d)
    low_p, high_p = limits(a, a + b, level)
    low_q, high_q = limits(c, c + d, level)

    def root(end: Any, other: Any, side: int) -> Any:
        inside = (p * q) ** 2 - end * other * (2 * p - end) * (2 * q - other)
        return divide(p * q + side * np.sqrt(np.maximum(inside, 0.0)), other * (2 * q - other))

    return Limits(np.where(p > 0, root(low_p, high_q, -1), 0.0), np.where(low_q > 0, root(high_p, low_q, 1), np.inf))
