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
    mixed = top != bottom

    def split(first_pos: bool) -> Any:
        # Two cells for each mixed bin, at its top and at its bottom score; one for the others.
        rows = np.repeat(np.arange(len(top)), 1 + mixed)
        is_second = np.concatenate(([False], rows[1:] == rows[:-1]))
        one_cell = ~mixed[rows]
        keep_pos = one_cell | (is_second != first_pos)
        keep_neg = one_cell | (is_second == first_pos)
        return replace(
            like,
            score=np.where(is_second, bottom[rows], top[rows]),
            pos=pos[..., rows] * keep_pos,
            neg=neg[..., rows] * keep_neg,
            pos2=pos2[..., rows] * keep_pos,
            neg2=neg2[..., rows] * keep_neg,
            exact=like.exact and not mixed.any(),
        )

    return Bracket(low=split(first_pos=False), high=split(first_pos=True))
