"""Bins for more distinct scores than memory holds: exact counts, with edges that follow the data.

A bin is a function of the score alone, so that it never splits a tie, and bins do not overlap, so that they are in
order. Each keeps its smallest and its largest score and its exact counts: what is unknown is the order inside a bin.

The first pass groups the scores by their order of magnitude. Each further pass divides the bins that leave the AUC
least certain. A bin with the shares p and n of the two classes leaves p * n of the pairs open; the fewest bins leave
least open when each is divided into parts in proportion to the square root of p * n. An edge, such as the threshold of
the user, keeps the scores on its two sides apart from the beginning. The parts are halves of halves of the
range of one magnitude, whatever the data: bins that were made for different data are nested or apart, never staggered,
so that they can be added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.binned_ranking import find_clusters

WIDTH = 1e-6  # of the AUC's certified bracket, which the bins are made for
MOST = 4_000_000  # distinct scores, or bins, that are held
STEPS = 32  # bins of the first pass to a doubling of the score
PASSES = 5
MIDDLE = 50_000  # the magnitude of the score 1; that of nought is 0
_SPARE = 1.4  # times the parts that are enough where the scores of a bin are spread evenly over it
_FINEST = 2.0**50  # parts of a magnitude, by which all floats of it are apart
_NUMBERS = 1_000_000  # the number of the first bin of a division: beyond all those of magnitudes
_POOLED = -_NUMBERS  # the number of a bin that was made of two: no pass can follow both, so it is not divided


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins in descending order of the score: the scores at their ends, the counts in them, and the number of each.

    The number of a bin of the first pass is its magnitude and the side of the edge; that of a part is given by the
    division that made it. `magnitude` is the number that its scores had in the first pass. `pos2` and `neg2` are the
    sums of the squared weights, None where all weigh one. `slice` is the number of the slice that the cases of a bin
    belong to, None where there are none.
    """

    top: Array
    bottom: Array
    pos: Array
    neg: Array
    number: Array
    pos2: Array | None = None
    neg2: Array | None = None
    magnitude: Array | None = None
    slice: Array | None = None

    def __len__(self) -> int:
        return len(self.top)

    @property
    def unknown(self) -> Array:
        """The pairs of a positive and a negative in each bin whose order is unknown."""
        return np.where(self.top > self.bottom, self.pos.astype(float) * self.neg, 0.0)

    @property
    def width(self) -> float:
        """The width of the bracket of the AUC."""
        pairs = float(self.pos.sum()) * float(self.neg.sum())
        return float(self.unknown.sum() / pairs) if pairs else 0.0

    def subset(self, which: Array) -> Bins:
        """Return some of the bins."""
        columns: list[Any] = [None if column is None else column[which] for column in self.columns]
        return Bins(*columns)

    @property
    def columns(self) -> tuple[Any, ...]:
        """Columns of the bins, in the order of the constructor."""
        counts = (self.pos, self.neg, self.number, self.pos2, self.neg2)
        return (self.top, self.bottom, *counts, self.magnitude, self.slice)

    def all_slices(self) -> Bins:
        """Merge the bins of all slices by their numbers."""
        order = np.argsort(self.number, kind="stable")
        number = self.number[order]
        first = np.flatnonzero(np.concatenate(([True], number[1:] != number[:-1])))
        reduced: list[Any] = [
            None if column is None else function.reduceat(column[order], first)
            for column, function in (
                *((self.top, np.maximum), (self.bottom, np.minimum), (self.pos, np.add), (self.neg, np.add)),
                *((self.number, np.minimum), (self.pos2, np.add), (self.neg2, np.add)),
            )
        ]
        return Bins(*reduced)

    def by_slice(self, slices: int) -> list[Bins]:
        """Return the bins of each slice by itself."""
        slice_of_bin = np.asarray(self.slice)
        order = np.argsort(slice_of_bin, kind="stable")
        ends = np.searchsorted(slice_of_bin[order], np.arange(slices + 1))
        alone = replace(self, slice=None)
        return [alone.subset(order[start:end]) for start, end in pairwise(ends.tolist())]


class Division(NamedTuple):
    """Bins to divide: where the magnitude of each begins, its span, and into how many parts that is cut.

    The part i of the magnitude gets the number `start` + i.
    """

    number: Array
    low: Array
    span: Array
    parts: Array
    start: Array


Aggregate = Callable[[list[Division]], Bins]


def count_in_bins(aggregate: Aggregate, *, width: float = WIDTH, most: int = MOST) -> Bins:
    """Count the scores in bins that bracket the AUC to a given width, or in as many bins as can be held.

    Args:
        aggregate: Reads the data once: groups the scores by the first pass and the divisions that are passed, one after
            the other, and gives the bins of the last of them.
        width: The width of the bracket to reach.
        most: The most bins to hold.
    """
    divisions: list[Division] = []
    first_pass = aggregate(divisions)
    done, free = sort_bins(replace(first_pass, magnitude=first_pass.number)), _NUMBERS
    for _ in range(PASSES):
        heavy = _find_heavy(done, width)
        room = most - len(done) - 2 * len(heavy)
        if not len(heavy) or room <= len(heavy):
            break
        division, first = _plan_division(done, heavy, width, room, free)
        divisions = [*divisions, division]
        parts = aggregate(divisions)
        of = done.subset(heavy).magnitude[np.searchsorted(first, parts.number, side="right") - 1]  # type: ignore[index]
        is_whole = np.ones(len(done), bool)
        is_whole[heavy] = False
        done = sort_bins(join_bins([done.subset(is_whole), replace(parts, magnitude=of)]))
        free = int(max(parts.number.max(initial=free), first[-1])) + 3
    return done


def _find_heavy(bins: Bins, width: float) -> Array:
    """Return the bins to divide; the others together leave at most an eighth of the width uncertain."""
    unknown = np.where(bins.number == _POOLED, 0.0, bins.unknown)
    pairs = float(bins.pos.sum()) * float(bins.neg.sum())
    if not pairs or unknown.sum() <= width * pairs:
        return np.zeros(0, np.intp)
    order = np.argsort(unknown, kind="stable")
    left = np.cumsum(unknown[order])
    return np.sort(order[left > width * pairs / 8])


def _plan_division(bins: Bins, heavy: Array, width: float, room: int, free: int) -> tuple[Division, Array]:
    """Return the number of parts of each bin that minimises the open pairs within the limit, and the first number of
    each.
    """
    pos, neg = (cells[heavy] / max(float(cells.sum()), 1.0) for cells in (bins.pos, bins.neg))
    mass = np.sqrt(pos * neg)
    shares = np.ceil(mass * float(mass.sum()) * (_SPARE / width))  # even masses would leave the width / _SPARE open
    shares = np.maximum(np.floor(shares * min(1.0, room / max(float(shares.sum()), 1.0))), 1.0)
    low, span = find_magnitude_limits(bins.magnitude[heavy])  # type: ignore[index]
    top, bottom = bins.top[heavy], bins.bottom[heavy]
    reach = np.clip((top - bottom) / span, 2 / _FINEST, 1.0)
    halvings = np.maximum(np.floor(np.log2(shares / reach) + 0.5), np.ceil(-np.log2(reach)))
    parts = np.minimum(2.0**halvings, _FINEST)
    ends = [find_part(end, low, span, parts) for end in (top, bottom)]
    covered = np.abs(ends[0] - ends[1]) + 3  # one more at both ends, should an engine round otherwise
    first = free + np.cumsum(covered) - covered
    return Division(bins.number[heavy], low, span, parts, first + 1 - np.minimum(*ends)), first


def find_magnitude_limits(first: Array) -> tuple[Array, Array]:
    """Return the lowest magnitude of some bins of the first pass, and their span."""
    step = (np.abs(first >> 1) - MIDDLE) / STEPS
    with np.errstate(over="ignore"):
        low, high = np.exp2(step), np.minimum(np.exp2(step + 1 / STEPS), np.finfo(float).max)
        return low, np.maximum(high - low, 5e-324)


def join_bins(parts: Sequence[Bins]) -> Bins:
    """Concatenate several sets of bins."""
    columns = zip(*(part.columns for part in parts), strict=True)
    arrays: list[Any] = [None if column[0] is None else np.concatenate(column) for column in columns]
    return Bins(*arrays)


def sort_bins(bins: Bins) -> Bins:
    """Sort bins by descending score, and merge those that overlap."""
    bins = bins.subset(np.lexsort((-bins.bottom, -bins.top)))
    first, lowest = find_clusters(bins.top, bins.bottom)
    if len(first) == len(bins):
        return bins
    last = np.concatenate((first[1:], [len(bins)])) - 1

    def summed(cells: Array | None) -> Any:
        return None if cells is None else np.add.reduceat(cells, first)

    counts = (summed(bins.pos), summed(bins.neg))
    number = np.where(first != last, _POOLED, bins.number[first])
    magnitude = None if bins.magnitude is None else bins.magnitude[first]
    return Bins(bins.top[first], lowest, *counts, number, summed(bins.pos2), summed(bins.neg2), magnitude)


def find_part(score: Array, low: Array, span: Array, parts: Array) -> Array:
    """Return the part of its magnitude that a score falls into."""
    part = np.clip(np.floor((np.abs(score) - low) / span * parts), 0, parts - 1)
    return np.asarray(part).astype(np.int64)
