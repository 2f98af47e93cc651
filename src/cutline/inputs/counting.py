"""The aggregation of many cases with few distinct scores on a grid: integers, percents, thousandths.

Such scores need no sort. Each is a whole number of steps of the grid, and the cases at each step are counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core.last_axis import Array
from cutline.core.parallel import each

MANY = 200_000  # cases, from which on it is worth looking for a grid
_STEPS = (1, 10, 100, 1000, 10_000, 256)  # to a unit: points, tenths, percents, thousandths, bytes
_MOST = 2**16  # steps from the lowest score to the highest
_LOOK = 500  # scores that tell whether it is worth trying
_ROUNDED = {2: 0, 4: 2**22, 8: 2**51}  # steps, by bytes of a score, below which the compiled part rounds as numpy does
_PIECE = 2**15  # cases that are worked on at once: they stay in the cache


def counted(scores: Array, is_positive: Array, compiled: Any = None) -> tuple[Array, Array, Array] | None:
    """The distinct scores in ascending order with the positives and the negatives at each; None if they have no grid.

    Args:
        scores: The scores as floats; NaN is on no grid.
        is_positive: A boolean for each case.
        compiled: The module that counts the scores of its type, if it is there; numpy counts otherwise.
    """
    n, half = len(scores), len(scores) // 2 + 1
    steps = None if n < MANY else _steps(scores[:: n // _LOOK])
    if steps is None:
        return None
    starts = (0, half)
    ends = each(lambda start: _ends(scores[start : start + half]), starts, n)
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if not (high - low) * steps < _MOST or abs(low) * steps > 2**53:  # NaN and infinities too
        return None
    first = float(np.rint(low * steps))
    cells = 2 * round((high - low) * steps + 1)

    if max(abs(low), abs(high)) * steps >= _ROUNDED[scores.dtype.itemsize]:
        compiled = None

    def count(start: int) -> Array | None:
        """How often each step occurs in one half, of the negatives and of the positives in turn."""
        mine, labels = scores[start : start + half], is_positive[start : start + half]
        found = np.zeros(cells, dtype=np.int64)
        if compiled is None:
            return _count(mine, labels, steps, first, found)
        columns = np.ascontiguousarray(mine), np.ascontiguousarray(labels)
        return found if compiled.count(*columns, steps, first, found) else None

    halves = [found for found in each(count, starts, n) if found is not None]
    if len(halves) < len(starts):
        return None
    neg, pos = np.add(*halves).reshape(-1, 2).T
    there = np.flatnonzero(neg + pos)
    return (first + there).astype(scores.dtype) / steps, pos[there], neg[there]


def _count(scores: Array, is_positive: Array, steps: int, first: float, found: Array) -> Array | None:
    """The same by numpy: how often each step occurs, added to what was found; None if a score lies between two."""
    for at in range(0, len(scores), _PIECE):
        part = slice(at, at + _PIECE)
        step = _on_grid(scores[part], steps)
        if step is None:
            return None
        step -= first
        cell = step.astype(np.intp)
        cell += cell
        cell += is_positive[part]
        found += np.bincount(cell, minlength=len(found))
    return found


def _steps(sample: Array) -> int | None:
    """How many steps of a grid a unit has, if some scores lie on one."""
    return next((steps for steps in _STEPS if _on_grid(sample, steps) is not None), None)


def _on_grid(scores: Array, steps: int) -> Array | None:
    """The number of steps that each score is, exactly; None if there is one that lies between two."""
    with np.errstate(all="ignore"):
        step = np.rint(scores * steps)
        return step if np.array_equal(step / steps, scores) else None


def _ends(scores: Array) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())
