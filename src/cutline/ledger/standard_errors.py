"""Standard errors of an AUC, a share or a mean, with the variance divided by n - 1 or by n."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking, dot
from cutline.inference import delong, influence
from cutline.inference.effective_size import effective, squares
from cutline.inputs.in_memory import rank_cases
from cutline.ledger.cases import Material
from cutline.measures import Measure
from cutline.measures.kinds import LineOfAuc, MeanOfCases, Proportion

ONE_LESS = {LineOfAuc: 1, MeanOfCases: 1, Proportion: 0}  # what cutline takes from n, by the kind of the measure


def has_error(measure: Measure) -> bool:
    """Whether a measure has a standard error here: an AUC and its lines, a share itself, a mean over the cases."""
    return isinstance(measure.kind, LineOfAuc | MeanOfCases) or (
        isinstance(measure.kind, Proportion) and measure.kind.then is float
    )


def standard_error(measure: Measure, material: Material, less: int | None = None, **parameters: Any) -> float:
    """Return the standard error of a measure on some cases, its variance divided by n less 0 or 1; NaN where there is
    none.

    Args:
        measure: One that has_error().
        material: The cases.
        less: What is taken from n; what cutline takes when None.
        **parameters: Of the measure.
    """
    kind, r = measure.kind, material.ranking
    less = ONE_LESS[type(kind)] if less is None else less
    if isinstance(kind, LineOfAuc):
        slope = float(kind.of(r, **parameters)[0])
        return abs(slope) * math.sqrt(area_variance(r, less))
    if isinstance(kind, MeanOfCases):
        size = float(r.total) ** 2 / float(squares(r).total)
        variance = influence.of_mean(r, squares(r), *kind.of(r, **parameters)) * _over(size - 1, size - less)
        return math.sqrt(variance) if variance >= 0 else math.nan
    k, n = (float(x) for x in kind.of(material.counts))  # type: ignore[union-attr]
    return math.sqrt(_over(k / n * (1 - k / n), n - less)) if n else math.nan


def area_variance(r: Ranking, less: int) -> float:
    """Return DeLong's variance of the AUC, the variances of both classes divided by n less 0 or 1."""
    of_positives, of_negatives = delong.placements(r)
    area = float(dot(r.pos, of_positives) / r.positives)
    second, sizes = squares(r), effective(r)
    variance = 0.0
    for square, place, weight, size in (
        (second.pos, of_positives, r.positives, float(sizes.positives)),
        (second.neg, of_negatives, r.negatives, float(sizes.negatives)),
    ):
        variance += float(dot(square, (place - area) ** 2)) / float(weight) ** 2 * _over(size, size - less)
    return variance


def paired_p_value(material: Material, less: int) -> float:
    """Return the p-value of DeLong's test of two models on the same cases, its variances divided by n less 0 or 1."""
    from scipy.special import ndtr

    rows = material.rows
    first, second = (_placements(rows.is_positive, s) for s in (rows.scores, rows.other))
    gaps = first - second
    groups = [gaps[rows.is_positive], gaps[~rows.is_positive]]
    if min(map(len, groups)) <= less:
        return math.nan
    variance = sum(float(np.var(gap, ddof=less)) / len(gap) for gap in groups)
    difference = float(np.mean(groups[0]))
    return float(2 * ndtr(-abs(difference) / math.sqrt(variance))) if variance > 0 else math.nan


def _placements(is_positive: Array, scores: Any) -> Array:
    """Return for each case the share of the other class that it is ranked correctly against."""
    ranking = rank_cases(is_positive, scores)
    placements = delong.placements(ranking)
    at = np.searchsorted(-ranking.score, -scores)
    return np.asarray(np.where(is_positive, placements.of_positives[at], placements.of_negatives[at]))


def _over(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan
