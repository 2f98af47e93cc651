"""Simultaneous inference for slices: intervals that hold together, the largest gap, equality tests and pooling.

Every function takes arrays with one entry for each slice and checks nothing. Slices that partition the cases are
independent, which is what the critical values of Sidak and of Tukey and Kramer assume; `compute_max_t` needs no
independence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.inference.single.proportions import mid_p
from cutline.results.estimate import Limits, quantile

FEWEST_FOR_MORRIS = 5  # slices; the variance of Morris (1983) divides by their number less three
_DRAWS, _FEWEST_DRAWS = 100_000, 4000  # of normal errors, from which the largest |t| is taken
_MOST_CELLS = 2**27  # of all these draws
_PAIRS_AT_ONCE = 2**22  # of these cells that are held together


def sidak_level(level: float, count: int) -> float:
    """Return the level of each of `count` independent intervals that hold together with probability `level`.

    >>> round(quantile(sidak_level(0.95, 4)), 6)
    2.490915
    """
    return float(level ** (1 / count))


def tukey_quantile(level: float, count: int) -> float:
    """Return the Tukey-Kramer critical value for all pairs of `count` independent estimates, in standard errors.

    >>> round(tukey_quantile(0.95, 4), 5), round(tukey_quantile(0.95, 2), 5)
    (2.56903, 1.95996)
    """
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, count, np.inf) / np.sqrt(2))


def compute_coverage(critical: float) -> float:
    """Return the level of an interval that extends `critical` standard errors to each side.

    >>> round(compute_coverage(1.959964), 6)
    0.95
    """
    from scipy.special import ndtr

    return float(1 - 2 * ndtr(-critical))


# ---------------------------------------------------------------------- pairs and gaps


class PairComparisons(NamedTuple):
    """Differences of all pairs of slices, first minus second, with limits."""

    first: Array
    second: Array
    difference: Array
    low: Array
    high: Array

    @property
    def gap(self) -> tuple[float, Limits]:
        """Largest difference and its interval.

        If all pairs hold at once, the largest lower limit is at most the largest true difference, and that is at most
        the largest upper limit.
        """
        low = np.maximum(self.low, -self.high).max()
        high = np.maximum(self.high, -self.low).max()
        return float(np.abs(self.difference).max()), Limits(max(0.0, float(low)), float(high))

    @property
    def widest(self) -> tuple[int, int]:
        """Slice with the largest value, and the one with the smallest."""
        at = int(np.abs(self.difference).argmax())
        first, second = int(self.first[at]), int(self.second[at])
        return (first, second) if self.difference[at] >= 0 else (second, first)


def compare_by_mover(values: Array, low: Array, high: Array, correlation: Array | None = None) -> PairComparisons:
    """Return all pairs from the limits of each slice: square and add (Newcombe 1998; Zou and Donner 2008).

    With limits at the same distance on both sides it is the value plus and minus the root of the summed variances.

    Args:
        values: The value of each slice.
        low: Its lower limit.
        high: Its upper limit.
        correlation: The correlation of the slices, where they are not independent.
    """
    first, second = np.triu_indices(len(values), 1)
    below, above = values - low, high - values
    difference = values[first] - values[second]
    shared = 0.0 if correlation is None else correlation[first, second]

    def distance(reach: Array, other_reach: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum(reach**2 + other_reach**2 - 2 * shared * reach * other_reach, 0.0)))

    return PairComparisons(
        first,
        second,
        difference,
        difference - distance(below[first], above[second]),
        difference + distance(above[first], below[second]),
    )


def compare_by_wald(values: Array, variances: Array, critical: float) -> PairComparisons:
    """Return all pairs with limits at `critical` standard errors, for estimates that are independent."""
    half = critical * np.sqrt(variances)
    return compare_by_mover(values, values - half, values + half)


def compare_shares(k: Array, n: Array, critical: float) -> PairComparisons:
    """Return all pairs of shares k / n: Newcombe's method, from mid-P limits at `critical` standard errors.

    Wilson's limits, which Newcombe (1998) took, exclude equal shares of ten slices of 20 cases in 6.8 %.
    """
    return compare_by_mover(np.true_divide(k, n), *mid_p(k, n, compute_coverage(critical)))


class RatioGap(NamedTuple):
    """The smallest share over the largest, its interval, and whether 0.5 was added to the counts."""

    value: float
    limits: Limits
    is_corrected: bool


def find_smallest_ratio(k: Array, n: Array, critical: float) -> RatioGap:
    """Return the smallest share over the largest: the gap of the log shares, which becomes a ratio.

    Half a case is added to both counts of every slice when a slice has none (Haldane, Anscombe).
    """
    shares = np.true_divide(k, n)
    value = float(shares.min() / shares.max()) if shares.max() > 0 else float("nan")
    is_corrected = bool((np.asarray(k) == 0).any())
    if is_corrected:
        k, n = np.asarray(k) + 0.5, np.asarray(n) + 1.0
    _, (low, high) = compare_by_wald(np.log(np.true_divide(k, n)), 1 / k - 1 / n, critical).gap
    return RatioGap(value, Limits(float(np.exp(-high)), float(np.exp(-low))), is_corrected)


def find_joint_gap(families: list[PairComparisons]) -> tuple[float, Limits]:
    """Return the largest gap of several families of pairs, which must hold together, as one maximum."""
    gaps = [pairs.gap for pairs in families]
    low, high = (max(getattr(limits, side) for _, limits in gaps) for side in ("low", "high"))
    return max(value for value, _ in gaps), Limits(low, high)


def compute_max_t(covariance: Array, level: float, *, pairs: bool = False, seed: int = 0) -> float:
    """Return the critical value of the largest |t| of estimates that may share cases.

    The Gaussian multiplier bootstrap of Chernozhukov, Chetverikov and Kato (2013) multiplies the influence values of
    whole groups by independent normal numbers. Given the data, the errors are then normal with the covariance of the
    estimates, from which they are drawn here, so that the order of the groups does not matter.

    Args:
        covariance: The covariance of the estimates.
        level: The probability with which all estimates are within the critical value.
        pairs: Whether the differences of all pairs of estimates are meant.
        seed: The seed of the normal numbers.
    """
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(covariance), 1)
    spread = np.diag(covariance)
    if pairs:
        spread = spread[first] + spread[second] - 2 * covariance[first, second]
    spread = np.sqrt(np.where(spread > 0, spread, np.inf))
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T  # symmetric, so that it is unique
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_CELLS // len(spread)))
    largest = []
    for size in _split_in_chunks(draws, max(1, _PAIRS_AT_ONCE // len(spread))):
        error = rng.standard_normal((size, len(root))) @ root
        if pairs:
            error = error[:, first] - error[:, second]
        largest.append(np.abs(error / spread).max(axis=1))
    return float(np.quantile(np.concatenate(largest), level, method="higher"))


def _split_in_chunks(total: int, largest: int) -> list[int]:
    """Split a total into parts of at most `largest`."""
    return [min(largest, total - start) for start in range(0, total, largest)]


# ---------------------------------------------------------------------- p-values


def compute_normal_p(z: Any, alternative: str) -> Array:
    """Return p-values of standard normal statistics; `alternative` is two-sided, less or greater."""
    from scipy.special import ndtr

    z = np.asarray(z, dtype=float)
    if alternative == "two-sided":
        return np.asarray(2 * ndtr(-np.abs(z)))
    return np.asarray(ndtr(z if alternative == "less" else -z))


def compute_student_p(t: Array, freedom: Array, alternative: str) -> Array:
    """Return p-values of Student's statistics; `alternative` is two-sided, less or greater."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return np.asarray(2 * stdtr(freedom, -np.abs(t)))
    return np.asarray(stdtr(freedom, t if alternative == "less" else -t))


def convert_to_student(critical: float, freedom: Array) -> Array:
    """Return the quantiles of Student's distributions with the same probability as a normal one.

    >>> convert_to_student(1.959964, np.array([10.0])).round(4).tolist()
    [2.2281]
    """
    from scipy.special import ndtr, stdtrit

    return np.asarray(stdtrit(freedom, ndtr(critical)))


def compute_welch_freedom(variance: Array, freedom: Array, other: Array, other_freedom: Array) -> Array:
    """Return the degrees of freedom of the sum of two variances."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.square(variance + other) / (np.square(variance) / freedom + np.square(other) / other_freedom)
    return np.where(np.isfinite(total), total, np.minimum(freedom, other_freedom))


def compute_logit_z(areas: Array, variances: Array, others: Array, other_variances: Array) -> Array:
    """Return the differences of two AUCs on the scale of the log-odds, in their standard errors.

    >>> float(compute_logit_z(np.array([0.8]), np.array([0.01]), np.array([0.8]), np.array([0.01]))[0])
    0.0
    """
    spread = variances / np.square(areas * (1 - areas)) + other_variances / np.square(others * (1 - others))
    return np.asarray((logit(areas) - logit(others)) / np.sqrt(spread))


def logit(share: Any) -> Array:
    """Return the log-odds."""
    return np.asarray(np.log(share) - np.log1p(-np.asarray(share)))


def expit(log_odds: Any) -> Array:
    """Return the share with these log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(log_odds))))


def compute_fisher_p(k: Array, n: Array, others: Array, of: Array, alternative: str) -> Array:
    """Return Fisher's exact p-values that shares k / n and others / of are equal; two-sided ones are doubled tails.

    >>> compute_fisher_p(np.array([1]), np.array([10]), np.array([11]), np.array([14]), "less").round(6).tolist()
    [0.00138]
    """
    from scipy.stats import hypergeom

    cases, with_it = np.add(n, of), np.add(k, others)
    tails = {
        "less": lambda: hypergeom.cdf(k, cases, with_it, n),
        "greater": lambda: hypergeom.sf(np.subtract(k, 1), cases, with_it, n),
    }
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(tails["less"](), tails["greater"]())))
    return np.asarray(np.clip(tails[alternative](), 0.0, 1.0))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected by Holm (1979); NaN is not counted and stays NaN.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected = np.full(len(p), np.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(factors * p[order]))
    return corrected.tolist()


def westfall_young(observed: Array, null: Array) -> Array:
    """Return step-down adjusted p-values of statistics that are large under the alternative.

    >>> westfall_young(np.array([3.0, 1.0]), np.array([[0.0, 2.0], [4.0, 0.0], [1.0, 1.0]])).tolist()
    [0.5, 0.75]
    """
    order = np.argsort(-observed, kind="stable")
    remaining = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    p = (1 + (remaining >= observed[order]).sum(axis=0)) / (1 + len(null))
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted


def adjust_p_values(p_values: Any, adjust: str) -> Array:
    """Return adjusted p-values: "holm" (family-wise error), "bh" (false discovery rate) or "none"; NaN stays NaN.

    >>> adjust_p_values([0.01, 0.04, 0.03, float("nan")], "holm").tolist()
    [0.03, 0.06, 0.06, nan]
    >>> adjust_p_values([0.01, 0.04, 0.03], "bh").round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.array(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(p))
    if adjust == "none" or not len(known):
        return p
    if adjust == "holm":
        return np.asarray(holm(p.tolist()), dtype=float)
    order = known[np.argsort(p[known], kind="stable")]
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    p[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return p


# ---------------------------------------------------------------------- all slices equal, and partial pooling


class Equality(NamedTuple):
    """Cochran's test that all slices are equal, and the share of the spread that is not chance (I squared)."""

    statistic: float
    freedom: int
    p_value: float
    inconsistency: float


def run_cochran_test(values: Array, variances: Array) -> Equality:
    """Test that independent estimates with known variances have one mean."""
    from scipy.special import chdtrc

    weight = 1 / variances
    mean = weight @ values / weight.sum()
    q, freedom = float(weight @ np.square(values - mean)), len(values) - 1
    return Equality(q, freedom, float(chdtrc(freedom, q)), max(0.0, 1 - freedom / q) if q > 0 else 0.0)


def estimate_variance_between(values: Array, variances: Array) -> float:
    """Return the variance between slices at which the weighted squares sum to their degrees of freedom; 0 if none."""

    def excess(tau2: float) -> float:
        weight = 1 / (variances + tau2)
        mean = weight @ values / weight.sum()
        return float(weight @ np.square(values - mean)) - (len(values) - 1)

    if excess(0.0) <= 0:
        return 0.0
    from scipy.optimize import brentq

    most = float(np.ptp(values)) ** 2
    while excess(most) > 0:
        most *= 2
    return float(brentq(excess, 0.0, most, xtol=1e-14, rtol=1e-12))


class Pooled(NamedTuple):
    """Slices pulled towards their common mean."""

    mean: float
    tau2: float
    pull: Array  # the weight of the mean in each value
    values: Array
    variances: Array  # of Morris (1983); NaN for fewer than five slices


def pool_partially(values: Array, variances: Array) -> Pooled:
    """Return empirical-Bayes values of a normal-normal model, with the variances of Morris (1983)."""
    count = len(values)
    tau2 = estimate_variance_between(values, variances)
    weight = 1 / (variances + tau2)
    mean = float(weight @ values / weight.sum())
    pull = variances * weight
    shrunk = pull * mean + (1 - pull) * values
    if count < FEWEST_FOR_MORRIS:
        return Pooled(mean, tau2, pull, shrunk, np.full(count, np.nan))
    less = pull * (count - 3) / (count - 1)
    spread = (
        (1 - less) * variances
        + np.square(less) / weight.sum()
        + 2 / (count - 3) * np.square(less) * np.square(values - mean)
    )
    return Pooled(mean, tau2, pull, shrunk, spread)


def morris_limits(pooled: Pooled, level: float) -> Limits:
    """Return the limits of the pooled values."""
    half = quantile(level) * np.sqrt(pooled.variances)
    return Limits(pooled.values - half, pooled.values + half)
