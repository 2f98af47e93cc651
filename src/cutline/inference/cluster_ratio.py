"""Ratios of totals over independent clusters, such as hits over places in periods.

The variance is that of the ratio estimator, between clusters; the quantile is Student's with one degree of freedom
fewer than there are clusters. All functions work over leading axes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.results.estimate import Limits, student_quantile


class ClusterRatio(NamedTuple):
    """A ratio of two totals and its standard error between clusters, of which there are so many."""

    value: Any
    se: Any
    clusters: int


def cluster_ratio(above: Any, below: Any) -> ClusterRatio:
    """Estimate the ratio of two totals over clusters, which are the last axis (Cochran 1977, section 6.3).

    se^2 = D/(D - 1) sum_d (a_d - r b_d)^2 / (sum_d b_d)^2 over D clusters.

    Args:
        above: The numerator of each cluster.
        below: The denominator of each cluster.

    >>> found = cluster_ratio([1, 3, 2], [4, 4, 4])
    >>> round(float(found.value), 4), round(float(found.se), 4)
    (0.5, 0.1443)
    """
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    total = below.sum(-1)
    value = np.asarray(divide(above.sum(-1), total))
    squares = ((above - value[..., None] * below) ** 2).sum(-1)
    return ClusterRatio(value, spread(squares, total, above.shape[-1]), above.shape[-1])


def spread(squares: Any, total: Any, clusters: int) -> Any:
    """The standard error of a ratio; NaN with one cluster.

    Args:
        squares: The sum of (a_d - r b_d)^2 over the clusters.
        total: The sum of the denominators.
        clusters: The number of clusters.
    """
    factor = clusters / (clusters - 1) if clusters > 1 else np.nan
    return divide(np.sqrt(factor * np.maximum(squares, 0.0)), total)


def student_limits(ratio: ClusterRatio, level: float) -> Limits:
    """The ratio plus and minus its standard error times Student's quantile."""
    reach = _quantile(ratio, level) * ratio.se
    return Limits(ratio.value - reach, ratio.value + reach)


def log_limits(ratio: ClusterRatio, level: float) -> Limits:
    """Student's limits on the scale of logarithms, for means that are positive and skewed."""
    reach = _quantile(ratio, level) * divide(ratio.se, ratio.value)
    return Limits(ratio.value * np.exp(-reach), ratio.value * np.exp(reach))


def wilson_limits(ratio: ClusterRatio, level: float) -> Limits:
    """Wilson's limits of a share, for the number of independent cases that its standard error is worth.

    Where the standard error is 0, as when no place was missed, each cluster is worth one case.
    """
    r, t2 = ratio.value, _quantile(ratio, level) ** 2
    variance = np.maximum(r * (1 - r), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(ratio.se > 0, variance / ratio.se**2, float(ratio.clusters))
        reach = np.sqrt(t2 * (variance / size + t2 / (4 * size**2)))
        return Limits((r + t2 / (2 * size) - reach) / (1 + t2 / size), (r + t2 / (2 * size) + reach) / (1 + t2 / size))


def _quantile(ratio: ClusterRatio, level: float) -> float:
    return student_quantile(level, ratio.clusters - 1) if ratio.clusters > 1 else np.nan
