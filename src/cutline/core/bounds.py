"""What a binned ranking leaves certain: two rankings between which the exact one lies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.last_axis import Array


class Bracket(NamedTuple):
    """Two rankings between which the exact one lies.

    `low` puts the negatives of each bin first and `high` the positives. Every measure that can only gain when a
    positive moves up past a negative (`Measure.concordant`) has its exact value between its values on the two; where
    one of these is undefined, that side has no bound.
    """

    low: Any
    high: Any


def bracket(top: Array, bottom: Array, pos: Array, neg: Array, pos2: Array, neg2: Array, *, like: Any) -> Bracket:
    """The bracket of bins, each with its extreme scores and its contents; a bin of one score stays a tie."""
    columns = (top, bottom, pos, neg, pos2, neg2)
    return Bracket(low=extreme(*columns, like=like, first_pos=False), high=extreme(*columns, like=like, first_pos=True))


def extreme(
    top: Array, bottom: Array, pos: Array, neg: Array, pos2: Array, neg2: Array, *, like: Any, first_pos: bool
) -> Any:
    """One end of the bracket: the positives of each bin at its top score and the negatives at its bottom, or reversed.

    Args:
        top: The first score of each bin, as the ranking runs.
        bottom: The last.
        pos: The weight of the positives in each.
        neg: That of the negatives.
        pos2: The squared weights of the positives.
        neg2: Those of the negatives.
        like: The ranking whose other fields are taken.
        first_pos: Whether the positives come first.
    """
    wide = top != bottom
    split = wide & (pos > 0) & (neg > 0)  # two cells for each of these, one for the others
    rows = np.repeat(np.arange(len(top)), 1 + split)
    is_second = np.concatenate(([False], rows[1:] == rows[:-1]))
    one_cell = ~split[rows]
    keep_pos, keep_neg = one_cell | (is_second != first_pos), one_cell | (is_second == first_pos)
    at_bottom = is_second | (one_cell & ((neg == 0) != first_pos)[rows])  # of a bin of one class, its end
    chosen = {"pos": pos[rows] * keep_pos, "neg": neg[rows] * keep_neg}
    chosen["pos2"] = chosen["pos"] if pos2 is pos else pos2[rows] * keep_pos
    chosen["neg2"] = chosen["neg"] if neg2 is neg else neg2[rows] * keep_neg
    score = np.where(at_bottom, bottom[rows], top[rows])
    return replace(like, score=score, **chosen, exact=like.exact and not wide.any())
