"""Bands that hold a whole ROC or precision-recall curve at once, calibrated by the bootstrap.

A ROC curve is moved up and to the left, and down and to the right, by so many standard steps of both rates (one over
the root of each class's size) that the bands of the given share of resampled curves would hold the sample's. Along the
direction of the move a curve is a function of one coordinate, so that the distance of two curves is that of two
functions. The band keeps its width where the curve meets an end of an axis, and with it its promise.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.inference.effective_size import effective
from cutline.inference.one import proportions
from cutline.inference.resampling.bootstrap import bootstrap
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler

_PLACES = 201  # along the curve, at which two of them are held against each other


class Displacement(NamedTuple):
    """How far a ROC curve may be displaced: in recall, and in the false positive rate."""

    up: float
    along: float


def displacement(
    r: Ranking, level: float, resamples: int, seed: int, groups: GroupSampler | None = None
) -> Displacement:
    """The displacement whose bands hold the whole curve at a level."""
    roots = np.sqrt([float(size) for size in effective(r)])
    if groups is not None:  # correlated cases are worth fewer, in both classes alike
        roots = roots * np.sqrt(min(1.0, groups.groups / float(r.total)))
    places = np.linspace(0, float(roots.sum()), _PLACES)
    along = partial(_heights, roots=roots, places=places)
    draws = bootstrap(groups or CaseSampler(r), [lambda stack: _each(along, stack)], resamples, seed).values[0]
    apart = np.sort(np.abs(draws - along(r)).max(axis=1))
    # Resampled curves go in steps, one for each case; that of the population does not: part of a step less is enough.
    part = float((1 / roots).sum()) / 6
    reach = max(float(apart[min(int(np.ceil(level * (len(apart) + 1))) - 1, len(apart) - 1)]) - part, part)
    return Displacement(reach / float(roots[0]), reach / float(roots[1]))


def _heights(r: Ranking, *, roots: Array, places: Array) -> Array:
    """How far a curve is from the middle at given places of the coordinate that displacing it leaves as it is."""
    up, right = r.tpr * roots[0], r.fpr * roots[1]
    return np.asarray(np.interp(places, up + right, (up - right) / 2))


def _each(curve: Any, stack: Ranking) -> Array:
    return curve(stack) if stack.pos.ndim == 1 else np.stack([curve(one) for one in stack.one_by_one()])


def displaced(curve: Any, x: Array, by: Displacement) -> tuple[Array, Array]:
    """The limits of a ROC curve, given as a function of the false positive rate, that is displaced both ways."""
    low = np.where(x > by.along, curve(np.maximum(x - by.along, 0)) - by.up, 0)
    high = np.where(x + by.along < 1, curve(np.minimum(x + by.along, 1)) + by.up, 1)
    return np.maximum(low, 0), np.minimum(high, 1)


def precision_limits(
    recall: Array, specificity: tuple[Array, Array], prevalence: tuple[float, float]
) -> tuple[Array, Array]:
    """The limits of the precision at each recall, given those of the specificity there and of the prevalence."""
    found = []
    for spec, share in zip(specificity, prevalence, strict=True):
        hits, alarms = share * recall, (1 - share) * (1 - spec)
        found.append(np.divide(hits, hits + alarms, out=np.ones_like(recall), where=hits + alarms > 0))
    return found[0], found[1]


def wilson_at_the_ends(tpr: Array, low: Array, high: Array, positives: float, level: float, few: int) -> Any:
    """Limits point by point, at least Wilson's where few positives lie on one side, so that resamples hardly vary."""
    limits = proportions.wilson(tpr * positives, positives, level)
    at_end = np.minimum(tpr, 1 - tpr) * positives < few
    return np.where(at_end, np.minimum(low, limits.low), low), np.where(at_end, np.maximum(high, limits.high), high)
