"""Linearised variances of measures under a sampling design: weights, groups and strata.

Taylor linearisation, as survey statistics has it: the changes of the cases of a group are added up, and the spread of
these sums within each stratum is the variance. Without groups and strata every case is a group of its own; where only
a ranking is known, the squared weights at its scores say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.inference.effective_size import (
    compute_freedom_of_moments,
    compute_freedom_of_sum,
    compute_moments_of_sum,
    square_weights,
)
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.results.estimate import Limits, student_quantile


class ClusterRatio(NamedTuple):
    """A ratio of two totals, its standard error between clusters, and the number of clusters."""

    value: Any
    se: Any
    clusters: int


def estimate_cluster_ratio(above: Any, below: Any) -> ClusterRatio:
    """Estimate the ratio of two totals over clusters, which are the last axis (Cochran 1977, section 6.3).

    se^2 = D/(D - 1) sum_d (a_d - r b_d)^2 / (sum_d b_d)^2 over D clusters.

    Args:
        above: The numerator of each cluster.
        below: The denominator of each cluster.

    >>> found = estimate_cluster_ratio([1, 3, 2], [4, 4, 4])
    >>> round(float(found.value), 4), round(float(found.se), 4)
    (0.5, 0.1443)
    """
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    total = below.sum(-1)
    value = np.asarray(divide(above.sum(-1), total))
    squares = ((above - value[..., None] * below) ** 2).sum(-1)
    return ClusterRatio(value, compute_standard_error(squares, total, above.shape[-1]), above.shape[-1])


def compute_standard_error(squares: Any, total: Any, clusters: int) -> Any:
    """Return the standard error of a ratio; NaN with one cluster.

    Args:
        squares: The sum of (a_d - r b_d)^2 over the clusters.
        total: The sum of the denominators.
        clusters: The number of clusters.
    """
    factor = clusters / (clusters - 1) if clusters > 1 else np.nan
    return divide(np.sqrt(factor * np.maximum(squares, 0.0)), total)


def student_limits(ratio: ClusterRatio, level: float) -> Limits:
    """Return the ratio plus and minus its standard error times Student's quantile."""
    reach = _find_student_quantile(ratio, level) * ratio.se
    return Limits(ratio.value - reach, ratio.value + reach)


def log_limits(ratio: ClusterRatio, level: float) -> Limits:
    """Return Student's limits on the log scale, for means that are positive and skewed."""
    reach = _find_student_quantile(ratio, level) * divide(ratio.se, ratio.value)
    return Limits(ratio.value * np.exp(-reach), ratio.value * np.exp(reach))


def wilson_limits(ratio: ClusterRatio, level: float) -> Limits:
    """Return Wilson's limits of a share, with the effective sample size that its standard error implies.

    Where the standard error is 0, as when no place was missed, each cluster is worth one case.
    """
    r, t2 = ratio.value, _find_student_quantile(ratio, level) ** 2
    variance = np.maximum(r * (1 - r), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(ratio.se > 0, variance / ratio.se**2, float(ratio.clusters))
        reach = np.sqrt(t2 * (variance / size + t2 / (4 * size**2)))
        return Limits((r + t2 / (2 * size) - reach) / (1 + t2 / size), (r + t2 / (2 * size) + reach) / (1 + t2 / size))


def _find_student_quantile(ratio: ClusterRatio, level: float) -> float:
    return student_quantile(level, ratio.clusters - 1) if ratio.clusters > 1 else np.nan


_ROUNDING = 1e-9  # of the largest change: what is less than that is none
_LEAST = 1.0 + 1e-9  # cases in effect, with which there is a spread


class Linearised(NamedTuple):
    """The covariance of some measures, and its degrees of freedom.

    `freedom` is that of the design, groups less strata. `own` has that of each measure: the groups of the class that it
    is of (of the smaller one, if of both) less their strata, and fewer where a few groups make most of the variance
    (Satterthwaite).
    """

    covariance: Array
    freedom: float
    own: tuple[float, ...] = ()

    def quantile(self, level: float, measure: int = 0) -> float:
        """Return how many standard errors the interval of one of the measures reaches: Student's quantile."""
        return float(student_quantile(level, self.own_freedom(measure)))

    def own_freedom(self, measure: int = 0) -> float:
        """Return the degrees of freedom of the variance of one of the measures."""
        return self.own[measure] if self.own else self.freedom


def linearise(influences: Sequence[Influence], r: Ranking, groups: GroupSampler | None = None) -> Linearised:
    """Return the covariance of measures of one ranking, given their influence values.

    Args:
        influences: What one case more changes, a table for each measure.
        r: The ranking.
        groups: The cases one by one, with their groups and strata; None where the ranking is all that is known.
    """
    if groups is not None:
        return linearise_rows([influence.of_cells(groups.cell, len(r)) for influence in influences], groups)
    second = square_weights(r)
    size = float(r.total) ** 2 / float(second.total) if float(second.total) else np.nan
    tables = [influence.spread(len(r)) for influence in influences]
    pos, neg = second.floats
    covariance = np.array([[pos @ (a[0] * b[0]) + neg @ (a[1] * b[1]) for b in tables] for a in tables])
    return Linearised(covariance * (size / (size - 1)) if size > _LEAST else np.full_like(covariance, np.nan), np.inf)


def compute_freedom_of_ranking(influence: Influence, r: Ranking) -> Any:
    """Return the degrees of freedom of the variance of one measure, without groups (Satterthwaite), at least one.

    It is about twice the number of cases on which the measure rests.

    Args:
        influence: What one case more changes in the measure.
        r: The ranking.
    """
    changes = influence[:2] if influence.entry is None else influence.spread(len(r))
    of_classes = []
    for change, cells, second in zip(changes, (r.pos, r.neg), (r.pos2, r.neg2), strict=True):
        if r.integral:  # without copies: a long list would take much memory
            of_classes.append(compute_moments_of_sum(np.where(cells > 0, change, 0.0), cells))
            continue
        weight = divide(second, cells)
        part, times = (np.where(cells > 0, values, 0.0) for values in (weight * change, divide(cells, weight)))
        of_classes.append(compute_moments_of_sum(part, times))
    return np.maximum(compute_freedom_of_moments(of_classes[0].plus(of_classes[1])), 1.0)


def linearise_rows(changes: Sequence[Array], groups: GroupSampler) -> Linearised:
    """Return the covariance from the changes of single cases: the spread of the groups' sums within their strata.

    Args:
        changes: What each row changes in each measure.
        groups: The rows, with their weights, groups and strata.
    """
    weight = groups.weight
    sums = np.stack(
        [np.bincount(groups.group, change if weight is None else change * weight, groups.groups) for change in changes]
    )
    stratum = np.zeros(groups.groups, np.int64) if groups.stratum is None else groups.stratum
    number = np.bincount(stratum)
    centred = sums - np.stack([np.bincount(stratum, row)[stratum] for row in sums]) / number[stratum]
    # A stratum with a single group has no spread of its own: it is left out, as its group has nothing to differ from.
    factor = np.where(number > 1, number / np.maximum(number - 1, 1), 0.0)[stratum]
    freedom = float(groups.groups - len(number))
    if freedom < 1:
        return Linearised(np.full((len(changes), len(changes)), np.nan), np.nan)
    own = tuple(compute_group_freedom(change, row, groups) for change, row in zip(changes, centred, strict=True))
    return Linearised((centred * factor) @ centred.T, freedom, own)


def compute_group_freedom(change: Array, sums: Array, groups: GroupSampler) -> float:
    """Return the degrees of freedom of the variance of one measure, at least one.

    Args:
        change: What each row changes in it.
        sums: What each group changes.
        groups: The rows, with their groups and strata.
    """
    size, is_positive = np.abs(change), groups.cell < len(groups.ranking)
    matters = size > _ROUNDING * float(size.max(initial=0.0))
    of_class = groups.freedom_of_classes
    least = min(
        (of_class[i] for i, mine in enumerate((is_positive, ~is_positive)) if matters[mine].any()), default=np.inf
    )
    concerned = np.bincount(groups.group[matters], minlength=groups.groups) > 0
    return max(min(least, compute_freedom_of_sum(sums[concerned])), 1.0)
