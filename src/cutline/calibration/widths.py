"""What so many cases give: widths of intervals and power of tests; functions with names, because plans are pickled."""

from __future__ import annotations

import math

import numpy as np

from cutline.inference import delong


def hanley_mcneil_width(area: float, prevalence: float, z: float, n: int) -> float:
    """The width of the interval of the AUC by Hanley and McNeil's variance."""
    return 2 * z * math.sqrt(hanley_mcneil(area, n * prevalence, n * (1 - prevalence)))


def newcombe_width(area: float, prevalence: float, level: float, n: int) -> float:
    """The width of Newcombe's interval of the AUC."""
    limits = delong.newcombe(area, n * prevalence, n * (1 - prevalence), level)
    return float(limits.high - limits.low)


def power_of_difference(area: float, other: float, correlation: float, prevalence: float, z: float, n: int) -> float:
    """The power of the test that two correlated AUCs differ."""
    sizes = n * prevalence, n * (1 - prevalence)
    one, two = (math.sqrt(hanley_mcneil(a, *sizes)) for a in (area, other))
    spread = math.sqrt(one**2 + two**2 - 2 * correlation * one * two)
    return _normal(abs(area - other) / spread - z)


def oe_width(prevalence: float, z: float, n: int) -> float:
    """The width of the interval of the O:E ratio."""
    return 2 * math.sinh(z * math.sqrt((1 - prevalence) / (n * prevalence)))


def normal_width(variance: float, z: float, n: int) -> float:
    """The width of a normal interval of an estimate with this variance for one case."""
    return 2 * z * math.sqrt(variance / n)


def rate_width(value: float, share: float, level: float, n: int) -> float:
    """The mean width of the exact interval of a rate among a share of the cases."""
    return exact_width(value, math.floor(n * share), level)


def mcnemar_power(both: float, difference: float, z: float, n: int) -> float:
    """The power of McNemar's test."""
    spread = math.sqrt(both - difference**2)
    return _normal((difference * math.sqrt(n) - z * math.sqrt(both)) / spread) if spread else 1.0


def hanley_mcneil(area: float, positives: float, negatives: float) -> float:
    """Hanley and McNeil's (1982) variance of the AUC of so many cases."""
    one, two = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
    whole = area * (1 - area) + max(positives - 1, 0) * one + max(negatives - 1, 0) * two
    return whole / (positives * negatives)


def exact_width(share: float, n: int, level: float) -> float:
    """The mean width of Clopper and Pearson's interval of a share of n cases."""
    from scipy.special import betaincinv
    from scipy.stats import binom

    if n < 1:
        return 1.0
    low, high = binom.ppf((1e-9, 1 - 1e-9), n, share).astype(int)
    k = np.arange(low, high + 1)
    tail = (1 - level) / 2
    least = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    most = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    weight = binom.pmf(k, n, share)
    return float(weight @ (most - least) / weight.sum())


def _normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))
