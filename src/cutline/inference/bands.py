"""Bands around a curve: the bootstrap of a curve read at fixed places, point by point or as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.errors import ParameterError
from cutline.inference.bootstrap import bootstrap
from cutline.inference.intervals import Options, checked
from cutline.inference.samplers import CaseSampler, Sampler
from cutline.ranking import Array, Ranking


@dataclass(frozen=True, eq=False)
class Band:
    """A curve at some places, with the limits of each point; `simultaneous` limits hold the whole curve at once."""

    x: Array
    y: Array
    low: Array
    high: Array
    level: float
    simultaneous: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[float]]:
        """The columns, as lists."""
        return {name: getattr(self, name).tolist() for name in ("x", "y", "low", "high")}


def tpr_at(r: Ranking, fpr: Array) -> Array:
    """The ROC curve of one ranking at given false positive rates: the highest point there, diagonal inside ties.

    >>> tpr_at(Ranking.of_counts([3, 2, 1], [1, 1, 0], [0, 1, 1]), np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [0.5, 0.75, 1.0, 1.0]
    """
    place = fpr * r.negatives
    after = np.searchsorted(r.fp, place * (1 + 1e-12), side="right")  # the first cut beyond the place; 0.3 * 10 is 3
    before, after = after - 1, np.minimum(after, len(r))
    way = (place - r.fp[before]) / np.maximum(r.fp[after] - r.fp[before], np.finfo(float).tiny)
    return (r.tp[before] + np.clip(way, 0, 1) * (r.tp[after] - r.tp[before])) / r.positives


def band(
    ranking: Ranking,
    curve: Callable[[Ranking], Array],
    x: npt.ArrayLike,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    resamples: int = 2000,
    seed: int = 0,
    stratified: bool = False,
    sampler: Sampler | None = None,
) -> Band:
    """The band of any curve that one ranking gives at the places x.

    Point by point the limits are percentiles. Simultaneous limits are percentiles too, further out by as much as it
    takes for the share `level` of the resampled curves to lie between them everywhere.
    """
    checked(Options(level, resamples=resamples, seed=seed))
    found = bootstrap(sampler or CaseSampler(ranking, stratified), [partial(_each, curve)], resamples, seed)
    y, curves = curve(ranking), found.values[0]
    low, high = _envelope(curves, level) if simultaneous else _pointwise(curves, level)
    notes = (f"{found.redrawn} resamples of one class were drawn again.",) if found.redrawn else ()
    places = np.asarray(x, dtype=float)
    return Band(places, y, np.minimum(low, y), np.maximum(high, y), level, simultaneous, notes)


def roc_band(ranking: Ranking, fpr: npt.ArrayLike | None = None, **options: Any) -> Band:
    """The band of the ROC curve: the true positive rate at given false positive rates, at 101 by default.

    The options are those of `band`: level, simultaneous, resamples, seed, stratified, sampler.
    """
    if not ranking.positives or not ranking.negatives:
        raise ParameterError("All cases are of one class, and one class has no ROC curve: pass cases of both.")
    x = np.linspace(0, 1, 101) if fpr is None else np.asarray(fpr, dtype=float)
    if x.ndim != 1 or not ((x >= 0) & (x <= 1)).all():
        raise ParameterError("fpr must be a flat sequence of rates from 0 to 1.")
    return band(ranking, partial(tpr_at, fpr=x), x, **options)


def _each(curve: Callable[[Ranking], Array], stack: Ranking) -> Array:
    return curve(stack) if stack.pos.ndim == 1 else np.stack([curve(one) for one in stack.one_by_one()])


def _pointwise(curves: Array, level: float) -> Array:
    return np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)


def _envelope(curves: Array, level: float) -> tuple[Array, Array]:
    """The band that holds the share `level` of the curves as a whole: the same rank is cut off at each point."""
    ordered = np.sort(curves, axis=0)
    total, points = curves.shape
    # How far from the end of the order a curve is at its worst point; where all agree, it is far from both.
    depth = np.full(total, total)
    for i in range(points):
        from_below = np.searchsorted(ordered[:, i], curves[:, i], side="right")
        from_above = total - np.searchsorted(ordered[:, i], curves[:, i], side="left")
        depth = np.minimum(depth, np.minimum(from_below, from_above))
    cut_off = max(int(np.sort(depth)[int(np.floor((1 - level) * total))]), 1)
    return ordered[cut_off - 1], ordered[total - cut_off]
