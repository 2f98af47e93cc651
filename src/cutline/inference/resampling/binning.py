"""Long lists are resampled in bins of scores, so few that it is quick and so many that it does not matter.

The width of a bootstrap interval shrinks with the square root of the smaller class, and the bracket of bins with their
number: twenty times that root leaves a bracket of some hundredths of the interval. How much it is, is measured for each
value; the limits are widened by it where it is more than that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking

LEAST = 10_000  # bins
_PER_ROOT = 20  # bins for each square root of a case of the smaller class
_WORTH = 4  # how many times longer than its bins a list has to be
NEGLIGIBLE = 0.05  # of the width of an interval

Statistic = Callable[[Ranking], Any]


class Coarse(NamedTuple):
    """A long list in bins."""

    ranking: Ranking

    def shifts(self, statistics: Iterable[Statistic], values: Iterable[float]) -> list[float]:
        """By how much each value in the bins differs from the exact one."""
        return [value - float(of(self.ranking)) for of, value in zip(statistics, values, strict=True)]

    def uncertainties(self, statistics: Iterable[Statistic]) -> list[float]:
        """How far apart the ends of the bracket of each value are."""
        listed = list(statistics)
        ends = []
        for first_pos in (False, True):
            part = self.ranking.extreme(first_pos=first_pos)
            ends.append([float(of(part)) for of in listed])
        return [abs(high - low) for low, high in zip(*ends, strict=True)]


def coarse(ranking: Ranking, cuts: Iterable[int] = ()) -> Coarse | None:
    """The list in bins of about equal weight, if it is long enough; no bin straddles one of the cuts.

    Args:
        ranking: The list.
        cuts: How many cells are above each cut that is to stay exact.
    """
    smaller = float(min(ranking.positives, ranking.negatives))
    bins = max(LEAST, math.ceil(_PER_ROOT * math.sqrt(smaller)))
    if len(ranking) < _WORTH * bins or ranking.pos.ndim > 1:
        return None
    group = np.ceil(ranking.ends[1:] * (bins / float(ranking.total))).astype(np.int64)
    starts = np.concatenate(([True], group[1:] != group[:-1]))
    starts[[cut for cut in cuts if 0 < cut < len(ranking)]] = True
    first = np.flatnonzero(starts)
    last = np.concatenate((first[1:], [len(ranking)])) - 1
    near, far = ranking.reach or (ranking.score, ranking.score)
    ends = near[first], far[last]
    middle = np.where(ends[0] == ends[1], ends[0], ends[1] + (ends[0] - ends[1]) / 2).astype(ranking.score.dtype)

    def summed(cells: Array) -> Array:
        return np.add.reduceat(cells, first)

    pos, neg = summed(ranking.pos), summed(ranking.neg)
    squares = (pos, neg) if ranking.pos2 is ranking.pos else (summed(ranking.pos2), summed(ranking.neg2))
    columns: dict[str, Any] = {"score": middle, "pos": pos, "neg": neg, "pos2": squares[0], "neg2": squares[1]}
    return Coarse(replace(ranking, **columns, exact=False, reach=ends))


def note(bins: int, share: float) -> str:
    """What resampling bins did to an interval, in words."""
    part = f"{100 * share:.2g} %" if share >= 0.001 else "less than 0.1 %"
    widened = ", by which they were widened" if share > NEGLIGIBLE else ""
    return (
        f"The resamples are of {bins:,} bins of scores, which can move the limits by {part} of their distance{widened}."
    )
