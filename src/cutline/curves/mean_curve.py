"""The mean of several ROC curves over the false positive rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutline.core.ranking import Array, Ranking


def mean_roc(rankings: Sequence[Ranking]) -> tuple[Array, Array]:
    """Return the mean of the recalls of some rankings at every false positive rate; the area under it is the mean
    AUC.

    At a rate where curves rise there are two points, below and above the rise, so that nothing is rounded off.

    >>> one, two = Ranking.of_counts([2, 1], [1, 0], [0, 1]), Ranking.of_counts([2, 1], [0, 1], [1, 0])
    >>> [side.tolist() for side in mean_roc([one, two])]
    [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0]]
    """
    rates = np.unique(np.concatenate([r.fpr for r in rankings]))
    low, high = (np.mean([_at(r, rates, side) for r in rankings], axis=0) for side in ("left", "right"))
    x, y = np.repeat(rates, 2), np.column_stack((low, high)).ravel()
    corners = np.concatenate(([True], (np.diff(x) > 0) | (np.diff(y) > 0)))
    return x[corners], y[corners]


def _at(r: Ranking, rates: Array, side: str) -> Array:
    """Return the recall at some rates, before ("left") or after ("right") it rises there."""
    fpr, tpr = r.fpr, r.tpr
    last = side == "right"
    starts = np.flatnonzero(np.diff(fpr, append=np.inf) > 0) if last else np.flatnonzero(np.diff(fpr, prepend=-1) > 0)
    on_curve = np.interp(rates, fpr[starts], tpr[starts])
    # Between two rates of the curve both sides are one line, from above the one rise to below the next.
    first, end = np.flatnonzero(np.diff(fpr, prepend=-1) > 0), np.flatnonzero(np.diff(fpr, append=np.inf) > 0)
    place = np.searchsorted(fpr[first], rates, side="right") - 1
    exact = fpr[first][place] == rates
    after = np.minimum(place + 1, len(first) - 1)
    width = fpr[first][after] - fpr[first][place]
    share = np.divide(rates - fpr[first][place], width, out=np.zeros_like(rates), where=width > 0)
    between = tpr[end][place] + share * (tpr[first][after] - tpr[end][place])
    return np.where(exact, on_curve, between)
