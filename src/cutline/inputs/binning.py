"""Too many distinct scores to hold: exact counts in bins whose edges follow the data, and what they leave certain.

A bin is a function of the score alone, so that it never splits a tie, and bins do not overlap, so that they are in
order. Each keeps its smallest and its largest score and its exact counts: what is unknown is the order inside a bin.

The first pass groups the scores by their order of magnitude. Each further pass divides the bins that leave the AUC
least certain, each into as many parts as both classes together have cases there. An edge, such as the threshold of the
user, keeps the scores on its two sides apart from the beginning. The parts are halves of halves of the
range of one magnitude, whatever the data: bins that were made for different data are nested or apart, never staggered,
so that they can be added up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutline.core.binned import clusters
from cutline.core.last_axis import Array

WIDTH = 1e-6  # of the AUC's certified bracket, which the bins are made for
MOST = 4_000_000  # distinct scores, or bins, that are held
STEPS = 32  # bins of the first pass to a doubling of the score
PASSES = 5
MIDDLE = 50_000  # the magnitude of the score 1; that of nought is 0
_FINEST = 2.0**50  # parts of a magnitude, by which all floats of it are apart
_POOLED = -1_000_000  # the path of a bin that was made of two: no pass can follow both, so it is not divided


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins in descending order of the score: the scores at their ends, the counts in them, and which path leads there.

    `path` has a row for each pass that divided a bin: the number of the part that it is of its magnitude, -1 where the
    bin was not divided further. `pos2` and `neg2` are the sums of the squared weights, None where all weigh one.
    """

    top: Array
    bottom: Array
    pos: Array
    neg: Array
    path: Array
    pos2: Array | None = None
    neg2: Array | None = None

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

    def taken(self, which: Array) -> Bins:
        """Some of the bins."""
        squares = (None if cells is None else cells[which] for cells in (self.pos2, self.neg2))
        counts = (self.top[which], self.bottom[which], self.pos[which], self.neg[which])
        return Bins(*counts, self.path[:, which], *squares)


class Division(NamedTuple):
    """Bins to divide: the path to each, where its magnitude begins, its span, and into how many parts that is cut."""

    path: Array
    low: Array
    span: Array
    parts: Array


Aggregate = Callable[[list[Division]], Bins]


def binned(aggregate: Aggregate, *, width: float = WIDTH, most: int = MOST) -> Bins:
    """Bins fine enough for a bracket of the AUC of some width, if that many can be held.

    Args:
        aggregate: Reads the data once: groups the scores by the first pass and the divisions that are passed, and gives
            the bins of the last of them.
        width: The width of the bracket to reach.
        most: The most bins to hold.
    """
    divisions: list[Division] = []
    done = in_order(aggregate(divisions))
    for _ in range(PASSES):
        heavy = _heavy(done, width)
        room = most - len(done) - 2 * len(heavy)
        if not len(heavy) or room <= len(heavy):
            break
        divisions = [*divisions, _divided(done, heavy, width, room)]
        parts = aggregate(divisions)
        kept = np.ones(len(done), bool)
        kept[heavy] = False
        done = in_order(_joined(done.taken(kept), parts))
    return done


def _heavy(bins: Bins, width: float) -> Array:
    """The bins that have to be divided, so that the others leave half of the width at most."""
    unknown = np.where(bins.path[0] == _POOLED, 0.0, bins.unknown)
    pairs = float(bins.pos.sum()) * float(bins.neg.sum())
    if not pairs or unknown.sum() <= width * pairs:
        return np.zeros(0, np.intp)
    order = np.argsort(unknown, kind="stable")
    left = np.cumsum(unknown[order])
    return np.sort(order[left > width * pairs / 2])


def _divided(bins: Bins, heavy: Array, width: float, room: int) -> Division:
    """As many parts for each bin as bring it down to its fair share of the width, within the room that there is."""
    pos, neg = (cells[heavy] / max(float(cells.sum()), 1.0) for cells in (bins.pos, bins.neg))
    wanted = np.ceil((pos + neg) / 2 * (4 / width))  # parts of equal mass would need 1 / width; masses are not equal
    wanted = np.maximum(np.floor(wanted * min(1.0, room / max(float(wanted.sum()), 1.0))), 1.0)
    path = bins.path[:, heavy]
    low, span = limits(path[0])
    reach = np.clip((bins.top[heavy] - bins.bottom[heavy]) / span, 2 / _FINEST, 1.0)
    halvings = np.maximum(np.floor(np.log2(wanted / reach)), np.ceil(-np.log2(reach)))
    return Division(path, low, span, np.minimum(2.0**halvings, _FINEST))


def limits(first: Array) -> tuple[Array, Array]:
    """Where the sizes of some bins of the first pass begin, and how far they reach."""
    step = (np.abs(first >> 1) - MIDDLE) / STEPS
    with np.errstate(over="ignore"):
        low, high = np.exp2(step), np.minimum(np.exp2(step + 1 / STEPS), np.finfo(float).max)
        return low, np.maximum(high - low, 5e-324)


def _joined(bins: Bins, parts: Bins) -> Bins:
    """The bins that were left whole, and the parts of the others."""
    padded = np.full((len(parts.path), len(bins)), -1, dtype=np.int64)
    padded[: len(bins.path)] = bins.path

    def both(name: str) -> Any:
        one, other = getattr(bins, name), getattr(parts, name)
        return None if one is None else np.concatenate((one, other))

    path = np.concatenate((padded, parts.path), axis=1)
    ends, counts = (both("top"), both("bottom")), (both("pos"), both("neg"))
    return Bins(*ends, *counts, path, both("pos2"), both("neg2"))


def in_order(bins: Bins) -> Bins:
    """The bins by descending scores; those that overlap become one."""
    bins = bins.taken(np.lexsort((-bins.bottom, -bins.top)))
    first, lowest = clusters(bins.top, bins.bottom)
    if len(first) == len(bins):
        return bins
    last = np.concatenate((first[1:], [len(bins)])) - 1
    path = bins.path[:, first]
    path[:, first != last] = _POOLED

    def summed(cells: Array | None) -> Any:
        return None if cells is None else np.add.reduceat(cells, first)

    pos, neg = summed(bins.pos), summed(bins.neg)
    return Bins(bins.top[first], lowest, pos, neg, path, summed(bins.pos2), summed(bins.neg2))


# ---------------------------------------------------------------------- the functions that make bins, for arrays


def magnitude(score: Array) -> Array:
    """The bin of the first pass: the sign and the order of magnitude of a score, in `STEPS` steps to a doubling."""
    with np.errstate(divide="ignore"):
        size = np.floor(STEPS * np.log2(np.abs(score)))
    # Infinity is the last, nought the first.
    size = np.where(score == 0, 0.0, np.clip(size, -40_000, 40_000) + MIDDLE)
    return np.asarray(np.copysign(size, score)).astype(np.int64)


def part_of(score: Array, low: Array, span: Array, parts: Array) -> Array:
    """The part of its magnitude that a score falls into."""
    part = np.clip(np.floor((np.abs(score) - low) / span * parts), 0, parts - 1)
    return np.asarray(part).astype(np.int64)


def of_arrays(score: Array, is_positive: Array, weight: Array | None = None, edge: float = np.inf) -> Aggregate:
    """The aggregation of arrays in memory: what the engines have to do, for tests of them."""
    score = score.astype(float, copy=False)

    def aggregate(divisions: list[Division]) -> Bins:
        return _of_rows(score, is_positive, weight, edge, divisions)

    return aggregate


def _of_rows(score: Array, is_positive: Array, weight: Array | None, edge: float, divisions: list[Division]) -> Bins:
    keys = [2 * magnitude(score) + (score >= edge)]
    inside = np.ones(len(score), bool)
    for division in divisions:
        where = _lookup(division.path, np.stack(keys))
        inside &= where >= 0
        at, part = where[inside], np.full(len(score), -1, dtype=np.int64)
        part[inside] = part_of(score[inside], division.low[at], division.span[at], division.parts[at])
        keys.append(part)
    path = np.stack(keys)[:, inside]
    mine, heavy = score[inside], None if weight is None else weight[inside]
    distinct, code = np.unique(path, axis=1, return_inverse=True)
    code = code.reshape(-1)
    count = distinct.shape[1]
    top, bottom = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(top, code, mine)
    np.minimum.at(bottom, code, mine)
    classes = is_positive[inside], ~is_positive[inside]
    pos, neg = (_summed(code, one, heavy, count) for one in classes)
    squares = (None, None) if heavy is None else (_summed(code, one, heavy * heavy, count) for one in classes)
    return Bins(top, bottom, pos, neg, distinct, *squares)


def _summed(code: Array, chosen: Array, weight: Array | None, count: int) -> Array:
    if weight is None:
        return np.bincount(code[chosen], minlength=count)
    return np.bincount(code[chosen], weights=weight[chosen], minlength=count).astype(weight.dtype)


def _lookup(paths: Array, keys: Array) -> Array:
    """Of each row of keys, which of the paths it follows; -1 where none."""
    places: dict[Any, int] = {tuple(path): i for i, path in enumerate(paths.T.tolist())}
    distinct, code = np.unique(keys, axis=1, return_inverse=True)
    found = np.array([places.get(tuple(path), -1) for path in distinct.T.tolist()], dtype=np.int64)
    return np.asarray(found[code.reshape(-1)])
