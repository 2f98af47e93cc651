"""Whether the scores of two samples have the same distribution: PSI and Kolmogorov-Smirnov, with their null laws.

Sources: Yurdakul and Naranjo (2020) for the law of the population stability index; Hodges (1958) for the two-sample
Kolmogorov-Smirnov test.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.optimize import brentq
from scipy.special import chdtr, chdtrc, chdtri, chndtr

from cutline.core.array_ops import Array

_ADDED = 0.5  # to the count of each bin, so that an empty one has a logarithm
_PERMUTATIONS = 1999
SMALLEST_P = 1 / (_PERMUTATIONS + 1)  # that permutations can show
_CELLS_TO_PERMUTE = (
    5_000  # distinct scores: beyond, ties are few and the law without ties is only a little conservative
)
_EXACT = 10_000  # cases of the larger sample up to which the exact law is computed


class Psi(NamedTuple):
    """A population stability index with its critical value and interval."""

    value: float
    critical: float  # which it exceeds with probability 1 - level when nothing has changed
    p_value: float
    low: float  # of the interval for the index of the two populations
    high: float
    bins: int


class KolmogorovSmirnov(NamedTuple):
    """The largest distance of two distribution functions, with its p-value and the law that gave it."""

    value: float
    p_value: float
    method: str  # "exact", "permutation" or "asymptotic"


def estimate_psi(
    reference: npt.ArrayLike, sample: npt.ArrayLike, level: float = 0.95, sizes: tuple[float, float] | None = None
) -> Psi:
    """Return the population stability index of two histograms, with its critical value and an interval.

    Without drift the index is distributed as (1/n + 1/m) chi2 with bins - 1 degrees of freedom; with drift, as the
    noncentral one, which is inverted for the interval.

    Args:
        reference: The counts of the bins in the reference sample.
        sample: The counts of the same bins in the other sample.
        level: The confidence level.
        sizes: The numbers of cases that both samples are worth, where weights make them smaller than the counts.

    >>> estimate_psi([50, 50], [50, 50]).value
    0.0
    """
    p, q = (np.asarray(counts, dtype=float) for counts in (reference, sample))
    n, m = (p.sum(), q.sum()) if sizes is None else sizes
    bins, scale = len(p), float(1 / n + 1 / m)
    value = compute_psi(p * (n / p.sum()), q * (m / q.sum()))
    statistic, tail = value / scale, (1 - level) / 2
    low = _solve_noncentrality(statistic, bins - 1, 1 - tail) * scale
    # A statistic below its mean without drift would have an empty interval, so the limit is that of the mean.
    high = _solve_noncentrality(max(statistic, bins - 1), bins - 1, tail) * scale
    return Psi(value, find_critical_psi(n, m, bins, level), float(chdtrc(bins - 1, statistic)), low, high, bins)


def find_critical_psi(n: float, m: float, bins: int, level: float) -> float:
    """Return the critical value, which the index of samples of n and m cases exceeds by chance in a share 1 - level."""
    return float(chdtri(bins - 1, 1 - level)) * (1 / n + 1 / m)


def compute_psi(reference: Array, sample: Array) -> float:
    """Return the sum of (p - q) ln(p / q) over the bins, after adding a half to each count."""
    p, q = (
        (counts + _ADDED) / (counts.sum(-1, keepdims=True) + _ADDED * counts.shape[-1])
        for counts in (reference, sample)
    )
    return float(((p - q) * np.log(p / q)).sum(-1))


def _solve_noncentrality(statistic: float, freedom: int, probability: float) -> float:
    """Return the noncentrality under which a chi-squared statistic is not exceeded with a probability; 0 if none."""

    def excess(parameter: float) -> float:
        return float(chndtr(statistic, freedom, parameter)) - probability

    if chdtr(freedom, statistic) <= probability:
        return 0.0
    return float(brentq(excess, 1e-12, statistic + 10 * np.sqrt(statistic + freedom) + 50))


def run_kolmogorov_smirnov(reference: Array, sample: Array, seed: int = 0) -> KolmogorovSmirnov:
    """Return the two-sample Kolmogorov-Smirnov statistic with its p-value, from the counts at the distinct scores.

    The exact law holds without ties. With ties the p-value comes from permutations of the cases; samples with more
    distinct scores than can be permuted get the asymptotic law, which ties only make conservative.

    Args:
        reference: The counts of the reference sample at each of the pooled distinct scores, in order.
        sample: The counts of the other sample at the same scores.
        seed: The seed of the permutations.
    """
    n, m = float(reference.sum()), float(sample.sum())
    value = float(_measure_distance(reference, sample))
    pooled = reference + sample
    whole = pooled.dtype.kind in "iu"
    if whole and pooled.max() == 1 and max(n, m) <= _EXACT:
        ranks = np.arange(len(pooled))
        result = stats.ks_2samp(ranks[reference > 0], ranks[sample > 0], method="exact")
        return KolmogorovSmirnov(value, float(result.pvalue), "exact")
    if whole and pooled.max() > 1 and len(pooled) <= _CELLS_TO_PERMUTE:
        rng = np.random.default_rng(seed)
        samples = rng.multivariate_hypergeometric(pooled, int(n), size=_PERMUTATIONS, method="marginals")
        reached = int((_measure_distance(samples, pooled - samples) >= value * (1 - 1e-12)).sum())
        return KolmogorovSmirnov(value, (reached + 1) / (_PERMUTATIONS + 1), "permutation")
    p_value = float(stats.kstwobign.sf(value * np.sqrt(n * m / (n + m))))
    return KolmogorovSmirnov(value, p_value, "asymptotic")


def _measure_distance(reference: Array, sample: Array) -> Array:
    """Return the largest distance of the two distribution functions."""
    first, second = (np.cumsum(counts, axis=-1) / counts.sum(-1, keepdims=True) for counts in (reference, sample))
    return np.asarray(np.abs(first - second).max(-1))


def find_quantile_edges(scores: Array, counts: Array, bins: int) -> Array:
    """Return the inner edges of about equally filled bins: distinct scores at which a new bin starts, ascending.

    Args:
        scores: The distinct scores, in descending order.
        counts: The number of cases at each.
        bins: The number of bins, at most; ties make them fewer.
    """
    ascending, below = scores[::-1], np.cumsum(counts[::-1])
    at = np.searchsorted(below, below[-1] * np.arange(1, bins) / bins, side="right")
    edges = np.unique(ascending[np.minimum(at, len(ascending) - 1)])
    inner = edges[edges > ascending[0]]
    return inner if len(inner) else edges[:1]


def count_by_bin(scores: Array, counts: Array, edges: Array) -> Array:
    """Return the counts of the bins that begin at the edges (ascending); the first bin lies below the first edge."""
    position = len(scores) - np.searchsorted(scores[::-1], edges)  # scores that reach each edge
    reached = np.concatenate(([0], np.cumsum(counts)))[position]
    return np.asarray(-np.diff(np.concatenate(([counts.sum()], reached, [0]))))
