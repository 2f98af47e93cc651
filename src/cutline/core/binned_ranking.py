"""Rankings whose cells are bins of scores, and the width of the bracket of their AUC."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Bracket, Ranking


def rank_bins(
    top: Array,
    bottom: Array,
    pos: Array,
    neg: Array,
    pos2: Array | None = None,
    neg2: Array | None = None,
    *,
    higher_is_positive: bool = True,
    positive: Any = 1,
    negative: Any = None,
    dropped: int = 0,
) -> Ranking:
    """Return the ranking of bins that do not overlap, in descending order of the score; exact where each has one
    score.

    Its cells are ties: where a measure is read from it, the cases of a bin have no order. The score of a bin is the
    middle between its smallest and its largest.

    Args:
        top: The largest score in each bin.
        bottom: The smallest score in each bin.
        pos: The weight of the positives in each bin.
        neg: The weight of the negatives in each bin.
        pos2: Their squared weights; None when each case counts one.
        neg2: Those of the negatives.
        higher_is_positive: Whether high scores mean positive.
        positive: The label of the positive class.
        negative: The label of the other class, where it is known.
        dropped: How many cases were left out for a missing value.
    """

    def orient(column: Array) -> Array:
        return column if higher_is_positive else np.ascontiguousarray(column[::-1])

    top, bottom, pos, neg = (orient(column) for column in (top, bottom, pos, neg))
    squares = (pos, neg) if pos2 is None or neg2 is None else (orient(pos2), orient(neg2))
    with np.errstate(invalid="ignore"):
        middle = np.where(top == bottom, top, bottom + (top - bottom) / 2).astype(top.dtype, copy=False) + 0.0
    first, last = (top, bottom) if higher_is_positive else (bottom, top)
    is_exact = bool((top == bottom).all())
    reach = None if is_exact else (first, last)
    how: dict[str, Any] = {"higher_is_positive": higher_is_positive, "positive": positive, "negative": negative}
    return Ranking(middle, pos, neg, *squares, **how, dropped=dropped, exact=is_exact, reach=reach)


def find_clusters(top: Array, bottom: Array) -> tuple[Array, Array]:
    """Return where runs of bins begin that overlap, and the lowest score of each run; tops are in descending order."""
    if not len(top):
        return np.zeros(0, np.intp), bottom
    lowest = np.minimum.accumulate(bottom)
    first = np.flatnonzero(np.concatenate(([True], top[1:] < lowest[:-1])))
    return first, lowest[np.concatenate((first[1:], [len(top)])) - 1]


def auc_width(ranking: Ranking) -> float:
    """Return the width of the bracket of the AUC: 0 for an exact ranking.

    >>> auc_width(rank_bins(np.array([4, 2]), np.array([3, 1]), np.array([1, 1]), np.array([1, 1])))
    0.5
    """
    if ranking.reach is None:
        return 0.0
    first, last = ranking.reach
    unknown = float((ranking.pos.astype(float) * ranking.neg)[first != last].sum())
    pairs = float(ranking.positives) * float(ranking.negatives)
    return unknown / pairs if pairs else 0.0


def coarsen(ranking: Ranking, bins: int | npt.ArrayLike) -> Bracket:
    """Return the bracket of a ranking without the order inside bins of the score; see `Ranking.coarsen`."""
    if ranking.pos.ndim > 1:
        raise InputError("This is a stack of rankings", "coarsen them one by one")
    if validation.is_single(bins):
        count = validation.check_number(bins, "bins")
        if not 1 <= count <= 2**53 or count != int(count):
            raise ParameterError(
                f"is {count:g}", "pass a whole number of at least 1, or the thresholds between bins", argument="bins"
            )
        group = np.ceil(ranking.ends[1:] * count / ranking.total).astype(np.intp)
    else:
        edges = np.sort(validation.as_numbers(bins, "bins").astype(float))
        group = np.searchsorted(edges, ranking.score, side="right" if ranking.higher_is_positive else "left")
    first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    last = np.concatenate((first[1:] - 1, [len(ranking) - 1]))
    sums = (np.add.reduceat(c, first, axis=-1) for c in (ranking.pos, ranking.neg, ranking.pos2, ranking.neg2))
    pos, neg, pos2, neg2 = sums
    near, far = ranking.reach or (ranking.score, ranking.score)
    reach = near[first], far[last]
    binned = replace(ranking, score=reach[0], pos=pos, neg=neg, pos2=pos2, neg2=neg2, reach=reach)
    return Bracket(binned.extreme(first_pos=False), binned.extreme(first_pos=True))
