"""Standard errors by the infinitesimal jackknife, where they are cheap and exact.

What one case more would change, squared and added up over the cases, is the variance of a smooth measure. For one cut
there are four kinds of cases; for the mean of a loss, the change is the loss itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutline.core.counts import Counts, divide
from cutline.core.ranking import Array, Ranking
from cutline.results.estimate import Limits, quantile

_STEP = 1e-5  # of a count: the error of a central difference and of rounding are then both about 1e-10


def of_counts(function: Callable[[Counts], Any], counts: Counts, second: Counts) -> float:
    """The variance of a smooth measure of one cut; `second` holds the squared weights at the same cut.

    >>> c = Counts(tp=30.0, fp=10.0, fn=20.0, tn=40.0)  # recall is 30 of 50: its variance is 0.6 * 0.4 / 50
    >>> round(of_counts(lambda c: c.tp / (c.tp + c.fn), c, c), 9)
    0.0048
    """
    cells, squared = (np.array([t.tp, t.fp, t.fn, t.tn], dtype=float) for t in (counts, second))
    width = cells * _STEP  # a count of 0 has no case whose absence could matter, and stays
    up, down = (function(_table(cells[:, None] + sign * np.diag(width), counts)) for sign in (1, -1))
    with np.errstate(invalid="ignore"):
        slope = np.where(cells > 0, divide(np.subtract(up, down), 2 * width), 0.0)
        centred = slope - cells @ slope / cells.sum()
    return float(squared @ centred**2)


def _table(cells: Array, like: Counts) -> Counts:
    tp, fp, fn, tn = cells
    return Counts(tp, fp, fn, tn, like.threshold)


def of_mean(r: Ranking, second: Ranking, of_positive: Array, of_negative: Array) -> float:
    """The variance of the mean over the cases of a loss that depends on class and score."""
    total = float(r.total)
    mean = divide(_sum(r.pos, of_positive) + _sum(r.neg, of_negative), total)
    squared = _sum(second.pos, (of_positive - mean) ** 2) + _sum(second.neg, (of_negative - mean) ** 2)
    size = total**2 / float(second.total)
    return float(divide(squared * size, total**2 * (size - 1)))


def _sum(weight: Array, loss: Array) -> Any:
    with np.errstate(invalid="ignore"):
        return np.where(weight > 0, weight * loss, 0.0).sum(-1)  # where there is no case, an infinite loss is none


def normal(value: float, variance: float, level: float) -> Limits:
    """The value plus and minus its standard error times the normal quantile."""
    half = quantile(level) * np.sqrt(variance)
    return Limits(value - half, value + half)
