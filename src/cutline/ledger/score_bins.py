"""The bins into which tools put scores before they rank them: for each score, the number of the bin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.ledger.material import Material, merged

Thresholds = Callable[[], Array]


def at_thresholds(thresholds: Thresholds, *, strict: bool = False) -> Callable[[Material], Material]:
    """Scores that pass the same thresholds are tied: those at or above a threshold pass it, or those above it."""

    def act(material: Material) -> Material:
        grid = thresholds()
        return material.with_scores(lambda s: np.searchsorted(grid, s, side="left" if strict else "right") * 1.0)

    return act


def equal_width(bins: int) -> Thresholds:
    """The inner borders of bins of equal width from 0 to 1."""
    return lambda: np.linspace(0, 1, bins + 1)[1:-1]


def grid(count: int) -> Thresholds:
    """So many thresholds from 0 to 1, both included."""
    return lambda: np.linspace(0, 1, count)


def keras(count: int) -> Thresholds:
    """Keras's grid: evenly spaced, the first below 0 and the last above 1, as 32-bit numbers."""
    inner = (np.arange(count - 2) + 1) / (count - 1)
    return lambda: np.concatenate(([-1e-7], inner, [1 + 1e-7])).astype(np.float32).astype(float)


def river(count: int) -> Thresholds:
    """River's grid, evenly spaced, the first below 0 and the last above 1."""
    return lambda: np.concatenate(([-1e-7], np.arange(1, count - 1) / (count - 1), [1 + 1e-7]))


def equal_frequency(bins: int) -> Callable[[Material], Material]:
    """Neighbours in the list are tied so that about as many cases are in each bin; cases of one score stay together."""

    def act(material: Material) -> Material:
        r = material.ranking
        if len(r) <= bins:
            return material
        before = np.asarray(r.ends[:-1], dtype=float)
        number = np.floor(before * bins / float(r.total))
        return _of_cells(material, r, number)

    return act


def groups_of_scores(bins: int) -> Callable[[Material], Material]:
    """Spark's bins: as many distinct scores in each, whatever their cases; none where that would be fewer than two."""

    def act(material: Material) -> Material:
        r = material.ranking
        size = len(r) // bins
        return material if size < 2 else _of_cells(material, r, np.arange(len(r)) // size)

    return act


def _of_cells(material: Material, ranking: Ranking, number: Array) -> Material:
    """The material in which cells of the same number are tied."""
    return material.with_ranking(merged(ranking, -np.asarray(number, dtype=float)))
