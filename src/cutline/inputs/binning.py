"""Too many distinct scores to hold: exact counts in bins whose edges follow the data, and what they leave certain.

A bin is a function of the score alone, so that it never splits a tie, and bins do not overlap, so that they are in
order. Each keeps its smallest and its largest score and its exact counts: what is unknown is the order inside a bin.

The first pass groups the scores by their order of magnitude. Each further pass divides the bins that leave the AUC
least certain into equal parts between their own smallest and largest score, as many as both classes together have cases
there. Two passes are enough for most data; scores that crowd around one value take another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutline.core.last_axis import Array

WIDTH = 1e-6  # of the AUC's certified bracket, which the bins are made for
MOST = 4_000_000  # bins that are held
STEPS = 32  # bins of the first pass to a doubling of the score
PASSES = 5
_POOLED = -1_000_000  # the path of a bin that was made of two: no pass can follow both, so it is not divided


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins in descending order of the score: the scores at their ends, the counts in them, and which path leads there.

    `path` has a row for each pass that divided a bin: the number of the part that it is of its parent, -1 where the
    bin was not divided further.
    """

    top: Array
    bottom: Array
    pos: Array
    neg: Array
    path: Array

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


class Division(NamedTuple):
    """Bins to divide: the path to each, its smallest score, how far its scores reach, and into how many parts."""

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
    done = _in_order(aggregate(divisions))
    for _ in range(PASSES):
        heavy = _heavy(done, width)
        room = most - len(done)
        if not len(heavy) or room <= len(heavy):
            break
        divisions = [*divisions, _divided(done, heavy, width, room)]
        parts = aggregate(divisions)
        kept = np.ones(len(done), bool)
        kept[heavy] = False
        done = _in_order(_joined(_taken(done, kept), parts))
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
    share = (pos + neg) / 2
    wanted = np.ceil(share * (4 / width))  # parts of equal mass would need 1 / width; masses inside a bin are not equal
    scale = min(1.0, room / max(float(wanted.sum()), 1.0))
    parts = np.maximum(np.floor(wanted * scale), 2.0)
    low, high = bins.bottom[heavy], bins.top[heavy]
    return Division(bins.path[:, heavy], low, high - low, parts)


def _taken(bins: Bins, which: Array) -> Bins:
    return Bins(bins.top[which], bins.bottom[which], bins.pos[which], bins.neg[which], bins.path[:, which])


def _joined(bins: Bins, parts: Bins) -> Bins:
    """The bins that were left whole, and the parts of the others."""
    depth = len(parts.path)
    padded = np.full((depth, len(bins)), -1, dtype=np.int64)
    padded[: len(bins.path)] = bins.path
    return Bins(
        np.concatenate((bins.top, parts.top)),
        np.concatenate((bins.bottom, parts.bottom)),
        np.concatenate((bins.pos, parts.pos)),
        np.concatenate((bins.neg, parts.neg)),
        np.concatenate((padded, parts.path), axis=1),
    )


def _in_order(bins: Bins) -> Bins:
    """The bins by descending scores; two that overlap, which rounding in a logarithm could make, become one."""
    order = np.lexsort((-bins.bottom, -bins.top))
    bins = _taken(bins, order)
    lowest = np.minimum.accumulate(bins.bottom)
    starts = np.concatenate(([True], bins.top[1:] < lowest[:-1])) if len(bins) else np.zeros(0, bool)
    if starts.all():
        return bins
    first = np.flatnonzero(starts)
    last = np.concatenate((first[1:], [len(bins)])) - 1
    path = bins.path[:, first]
    path[:, first != last] = _POOLED
    return Bins(
        bins.top[first],
        lowest[last],
        np.add.reduceat(bins.pos, first),
        np.add.reduceat(bins.neg, first),
        path,
    )


# ---------------------------------------------------------------------- the functions that make bins, for arrays


def magnitude(score: Array) -> Array:
    """The bin of the first pass: the sign and the order of magnitude of a score, in `STEPS` steps to a doubling."""
    with np.errstate(divide="ignore"):
        size = np.floor(STEPS * np.log2(np.abs(score)))
    size = np.where(score == 0, 0.0, np.clip(size, -40_000, 40_000) + 50_000)  # infinity is the last, nought the first
    return np.asarray(np.copysign(size, score)).astype(np.int64)


def part_of(score: Array, low: Array, span: Array, parts: Array) -> Array:
    """The part of its bin that a score falls into."""
    part = np.minimum(np.floor((score - low) / span * parts), parts - 1)
    return np.asarray(part).astype(np.int64)


def of_arrays(score: Array, is_positive: Array, weight: Array | None = None) -> Aggregate:
    """The aggregation of arrays in memory: for tests, and for frames that have no engine of their own."""
    score = score.astype(float, copy=False)

    def aggregate(divisions: list[Division]) -> Bins:
        return _of_rows(score, is_positive, weight, divisions)

    return aggregate


def _of_rows(score: Array, is_positive: Array, weight: Array | None, divisions: list[Division]) -> Bins:
    keys = [magnitude(score)]
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
    pos, neg = (_summed(code, is_positive[inside] == of, heavy, count) for of in (True, False))
    return Bins(top, bottom, pos, neg, distinct)


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
