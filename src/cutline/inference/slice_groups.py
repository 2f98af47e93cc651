"""Comparisons of slices whose cases come in groups, such as patients with visits at several sites.

What a group changes in the measure of each slice is added up over its cases. The covariance of the slices, and that of
a slice and its rest, follow from these sums, whether or not groups span slices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.inference import influence, simultaneous
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.measures import Measure, Needs


def measure_influence(measure: Measure, ranking: Ranking, threshold: float, parameters: Any) -> Influence | None:
    """Return what one case more changes in a measure; None where it has no slope.

    Args:
        measure: The measure.
        ranking: The cases.
        threshold: The cut, for measures of one cut.
        parameters: The other parameters of the measure.
    """
    if measure.needs is Needs.COUNTS:
        parameters = {**parameters, "threshold": threshold}
    elif set(measure.required) - parameters.keys():
        return None
    data, rest = measure.prepare(ranking, parameters)
    return influence.of_measure(measure, ranking, parameters, float(measure.compute(data, **rest)))


def group_sums(changes: Influence, sampler: GroupSampler, codes: Array, count: int) -> Array:
    """Return what each of all groups changes in the measure of one slice.

    Args:
        changes: What one case of the slice changes.
        sampler: The cases of the slice with their groups.
        codes: The number that each group of the slice has among all groups.
        count: The number of all groups.
    """
    own = changes.of_cells(sampler.cell, len(sampler.ranking))
    if sampler.weight is not None:
        own = own * sampler.weight
    return np.bincount(codes[sampler.group], own, count)


def group_covariance(sums: Array) -> Array:
    """Return the covariance of measures from what each group (rows) changes in each of them (columns)."""
    count = len(sums)
    return np.asarray(sums.T @ sums * (count / (count - 1)))


def correlation_of(covariance: Array) -> Array:
    """Return the correlation of estimates; 0 where one does not vary."""
    spread = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(covariance / np.outer(spread, spread), nan=0.0, posinf=0.0, neginf=0.0)


def satterthwaite(variance: Array, freedom: Array, other: Array, other_freedom: Array) -> Array:
    """Return the degrees of freedom of the sum of two variances."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.square(variance + other) / (np.square(variance) / freedom + np.square(other) / other_freedom)
    return np.where(np.isfinite(total), total, np.minimum(freedom, other_freedom))


def as_student(critical: float, freedom: Array) -> Array:
    """Return the quantiles of Student's distributions with the same probability as a normal one.

    >>> as_student(1.959964, np.array([10.0])).round(4).tolist()
    [2.2281]
    """
    from scipy.special import ndtr, stdtrit

    return np.asarray(stdtrit(freedom, ndtr(critical)))


def student_p(t: Array, freedom: Array, alternative: str) -> Array:
    """Return p-values of Student's statistics; `alternative` is two-sided, less or greater."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return np.asarray(2 * stdtr(freedom, -np.abs(t)))
    return np.asarray(stdtr(freedom, t if alternative == "less" else -t))


class RestDifference(NamedTuple):
    """A slice less its rest: value of the rest, standard error of the difference, and the studentised difference."""

    rest: float
    error: float
    statistic: float


def difference_from_rest(
    value: float, rest: float, sums: Array, rest_sums: Array, shift: float, *, is_share: bool
) -> RestDifference:
    """Compare a slice with its rest, which may share groups with it; shares on the logit scale.

    Args:
        value: The value of the slice.
        rest: The value of the rest.
        sums: What each group changes in the slice.
        rest_sums: What each group changes in the rest.
        shift: The difference under the hypothesis.
        is_share: Whether the values lie between 0 and 1.
    """
    count = len(sums)
    factor = count / (count - 1)
    error = float(np.sqrt(factor * np.square(sums - rest_sums).sum()))
    if is_share and 0 < value < 1 and 0 < rest + shift < 1:
        at = rest + shift
        slopes = sums / (value * (1 - value)) - rest_sums / (at * (1 - at))
        distance = float(simultaneous.logit(value) - simultaneous.logit(at))
        spread = float(np.sqrt(factor * np.square(slopes).sum()))
    else:
        distance, spread = value - rest - shift, error
    return RestDifference(rest, error, distance / spread if spread > 0 else np.nan)
