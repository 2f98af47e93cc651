"""Intervals for a proportion: k cases out of n. Neither has to be a whole number: with weights, n is the effective one.

Each function gives the two limits, over arrays too, and checks nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.counts import real
from cutline.results.estimate import Limits, quantile

_FEW_OF_A_KIND = 3  # cases that have a property, or lack it, whose number is Poisson's


def wald(k: Any, n: Any, level: float) -> Limits:
    """Wald's normal approximation (Berrar, Definition 36): only when n p > 5 and n (1 - p) > 5, and not even then.

    Its limits may lie outside [0, 1]; they are not cut here.

    >>> [round(float(limit), 4) for limit in wald(3, 5, 0.95)]
    [0.1706, 1.0294]
    """
    p = np.true_divide(k, n)
    half = quantile(level) * np.sqrt(p * (1 - p) / n)
    return Limits(p - half, p + half)


def wald_holds(k: Any, n: Any) -> Any:
    """Berrar's condition for the Wald interval."""
    return (np.asarray(k) > 5) & (np.subtract(n, k) > 5)


def clopper_pearson(k: Any, n: Any, level: float) -> Limits:
    """Clopper and Pearson (1934), Berrar's Definition 37: never covers less than it says, so it is wide for small n.

    >>> [round(float(limit), 4) for limit in clopper_pearson(3, 5, 0.95)]
    [0.1466, 0.9473]
    """
    from scipy.special import betaincinv

    k, n, tail = np.asarray(k, dtype=float), np.asarray(n, dtype=float), (1 - level) / 2
    rest = n - k
    low = betaincinv(np.where(k > 0, k, 1.0), rest + 1, tail)
    high = betaincinv(k + 1, np.where(rest > 0, rest, 1.0), 1 - tail)
    return Limits(np.where(k > 0, low, 0.0), np.where(rest > 0, high, 1.0))


def wilson(k: Any, n: Any, level: float) -> Limits:
    """Wilson (1927), the score interval: covers about what it says for any p and for n from about 10 on.

    >>> [round(float(limit), 4) for limit in wilson(3, 5, 0.95)]
    [0.2307, 0.8824]
    """
    k, n, z = real(k), real(n), quantile(level)
    centre = (k + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    # At the ends a limit is the end itself, which rounding would miss.
    return Limits(np.where(k > 0, centre - half, 0.0), np.where(k < n, centre + half, 1.0))


def wilson_of_few(k: Any, n: Any, level: float) -> Limits:
    """Wilson's interval with Poisson's limit where up to three cases have a property, or lack it.

    Wilson's is too far from that end for them: 0.1 to 0.2 such cases to be expected give a coverage of 84 to 90 %, and
    0.5 one of 91 % (Brown, Cai and DasGupta, 2001, who call it modified).

    >>> [round(float(limit), 4) for limit in wilson_of_few(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    from scipy.special import gammaincinv

    k, n = real(k), real(n)
    low, high = wilson(k, n, level)
    few = [
        np.where((x > 0) & (x <= _FEW_OF_A_KIND), gammaincinv(np.maximum(x, 1e-9), 1 - level) / n, 1.0)
        for x in (k, n - k)
    ]
    return Limits(np.minimum(low, few[0]), np.maximum(high, 1 - few[1]))


def agresti_coull(k: Any, n: Any, level: float) -> Limits:
    """Agresti and Coull (1998), Wald after adding about two successes and two failures: for n from about 40 on.

    Its limits may lie outside [0, 1]; they are not cut here.

    >>> [round(float(limit), 4) for limit in agresti_coull(3, 5, 0.95)]
    [0.2291, 0.884]
    """
    z = quantile(level)
    return wald(np.add(k, z**2 / 2), np.add(n, z**2), level)


def jeffreys(k: Any, n: Any, level: float) -> Limits:
    """Jeffreys' prior, Beta(1/2, 1/2), equal tails: like Wilson, shorter near 0 and 1, and it may cover less there.

    The limit at an end that was observed is that end (Brown, Cai and DasGupta, 2001).

    >>> [round(float(limit), 4) for limit in jeffreys(3, 5, 0.95)]
    [0.2094, 0.9056]
    """
    from scipy.special import betaincinv

    k, n, tail = np.asarray(k, dtype=float), np.asarray(n, dtype=float), (1 - level) / 2
    low, high = (betaincinv(k + 0.5, n - k + 0.5, at) for at in (tail, 1 - tail))
    return Limits(np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0))


METHODS = {
    "wald": wald,
    "clopper_pearson": clopper_pearson,
    "wilson": wilson,
    "agresti_coull": agresti_coull,
    "jeffreys": jeffreys,
}


def square_and_add(one: tuple[float, float], two: tuple[float, float], level: float) -> Limits:
    """The sum of two independent shares, each as cases out of how many: Newcombe's (1998) squares of Wilson's reach.

    >>> [round(float(limit), 3) for limit in square_and_add((20, 20), (20, 20), 0.95)]  # no error among 40 cases
    [1.772, 2.0]
    """
    shares = [k / n for k, n in (one, two)]
    limits = [wilson(k, n, level) for k, n in (one, two)]
    below = math.hypot(*(share - limit.low for share, limit in zip(shares, limits, strict=True)))
    above = math.hypot(*(limit.high - share for share, limit in zip(shares, limits, strict=True)))
    return Limits(sum(shares) - below, sum(shares) + above)
