"""Bins of scores for resampling: few enough to be fast, many enough not to change the limits.

A bootstrap interval is as wide as one over the square root of the smaller class. Twenty bins for each case of that root
leave the spread of the resamples as it is: what the scores of a bin differ by is far less than what chance moves.
Towards both ends of the list the bins shrink to single scores, because few cases there decide a loss, or the precision
of the first places. A bin has the mean of its scores, and a value in bins is shifted by what the whole list adds to it.
benchmarks/coarse_resampling.py compares the limits with those of the whole list, on the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking

RESAMPLED = 20  # bins for each square root of a case of the smaller class, where cases are resampled
SIMULATED = 10  # ... where outcomes are simulated: a calibration error, or the best of all cuts
_MOST = 40_000  # cases of the smaller class from which on there are no more bins: what they shift is taken off
_AT_THE_ENDS = 20  # scores at each end of the list that are bins by themselves; the k-th score is in a bin of k / 20
_WORTH = 2  # how many times longer than its bins a list has to be
NEGLIGIBLE = 0.05  # of the width of an interval
_WIDTH = 4.0  # standard deviations of the resamples: about the width of an interval of 95 %
WHOLE = 40_000  # distinct scores, up to which a measure that bins would change is resampled on the whole list

Statistic = Callable[[Ranking], Any]


class ScoreBins(NamedTuple):
    """A list in bins: its ranking, and the first score of each bin, by its place in the list."""

    ranking: Ranking
    starts: Array

    def shifts(self, statistics: Iterable[Statistic], values: Iterable[float]) -> list[float]:
        """Return the difference of each value in the bins from the exact one."""
        return [value - float(of(self.ranking)) for of, value in zip(statistics, values, strict=True)]

    def bin_of(self, place: Array) -> Array:
        """Return the bin of each score, by its place in the list."""
        number = np.zeros(int(self.starts[-1]) + 1, np.int32)
        number[self.starts[1:]] = 1
        return np.cumsum(number, dtype=np.int32)[np.minimum(place, len(number) - 1)]

    def uncertainties(self, statistics: Iterable[Statistic]) -> list[float]:
        """Return the width of the bracket of each value."""
        listed = list(statistics)
        ends = []
        for first_pos in (False, True):
            part = self.ranking.extreme(first_pos=first_pos)
            ends.append([float(of(part)) for of in listed])
        return [abs(high - low) for low, high in zip(*ends, strict=True)]


def bin_scores(
    ranking: Ranking, cuts: Iterable[int] = (), per_root: float = RESAMPLED, cases: float | None = None
) -> ScoreBins | None:
    """Return the list in bins, or None where that would not make it much shorter; no bin straddles one of the cuts.

    Args:
        ranking: The list.
        cuts: How many scores are above each cut that is to stay exact.
        per_root: How many bins there are for each square root of a case.
        cases: The cases that are counted for it; those of the smaller class by default.
    """
    counted = float(min(ranking.positives, ranking.negatives)) if cases is None else cases
    scores, bins = len(ranking), max(1, math.ceil(per_root * math.sqrt(min(counted, _MOST))))
    if scores < _WORTH * bins or ranking.pos.ndim > 1:
        return None
    is_first = _find_starts(ranking.size * (bins / float(ranking.total)))
    is_first[[cut for cut in cuts if 0 < cut < scores]] = True
    first = np.flatnonzero(is_first)
    if scores < _WORTH * len(first):
        return None

    def summed(cells: Array) -> Array:
        return np.add.reduceat(cells, first)

    pos, neg = summed(ranking.pos), summed(ranking.neg)
    squares = (pos, neg) if ranking.pos2 is ranking.pos else (summed(ranking.pos2), summed(ranking.neg2))
    score, reach = _average_scores(ranking, first, summed)
    columns: dict[str, Any] = {"score": score, "pos": pos, "neg": neg, "pos2": squares[0], "neg2": squares[1]}
    return ScoreBins(replace(ranking, **columns, exact=False, reach=reach), first)


def _find_starts(parts: Array) -> Array:
    """Whether each score starts a bin, given which part of a bin of the middle it is."""
    scores = len(parts)
    from_the_end = np.minimum(np.arange(1, scores + 1), np.arange(scores, 0, -1))
    filled = np.ceil(np.cumsum(np.minimum(np.maximum(parts, _AT_THE_ENDS / from_the_end), 1.0)) - 1e-9)
    is_first = np.concatenate(([True], filled[1:] != filled[:-1]))
    alone = np.flatnonzero(parts >= 1)  # a tie that would fill a bin stays one
    is_first[alone] = True
    is_first[np.minimum(alone + 1, scores - 1)] = True
    return np.asarray(is_first)


def _average_scores(
    ranking: Ranking, first: Array, summed: Callable[[Array], Array]
) -> tuple[Array, tuple[Array, Array]]:
    """Return the mean score of each bin, and the two scores between which those of the bin lie."""
    near, far = ranking.reach or (ranking.score, ranking.score)
    last = np.concatenate((first[1:], [len(ranking)])) - 1
    ends = near[first], far[last]
    count = np.diff(first, append=len(ranking))
    part = ranking.size / np.repeat(summed(ranking.size), count)  # first, so that no sum of scores is too large
    inside = ranking.score[first], ranking.score[last]
    mean = np.clip(summed(ranking.score * part), np.minimum(*inside), np.maximum(*inside))
    return np.where(count == 1, inside[0], mean), ends


def are_changed_by_bins(values: Sequence[Array], shifts: Sequence[float]) -> list[bool]:
    """Whether bins change each statistic by more than a small part of its interval.

    Args:
        values: The values of each statistic on resamples.
        shifts: By how much each value in bins differs from the exact one.
    """
    changed = []
    for column, shift in zip(values, shifts, strict=True):
        known = column[np.isfinite(column)]
        spread = float(known.std()) if len(known) > 1 else 0.0
        changed.append(not abs(shift) <= max(NEGLIGIBLE * _WIDTH * spread, 1e-12))
    return changed


def note_bins(bins: int, share: float) -> str:
    """Return a note on how resampling in bins changed an interval."""
    part = f"{100 * share:.2g} %" if share >= 0.001 else "less than 0.1 %"
    return f"The resamples are of {bins:,} bins of scores, so the interval was widened by {part} on either side."
