"""How often each of many rows is in a resample, without drawing the rows one by one.

Counts that are Poisson, independently for each row, are multinomial once their total is known. So the counts are drawn
at a rate a little below one, which takes a quarter of a random word a row, and the few rows that are still missing are
drawn one by one; with too many, which next to never happens, all are drawn again.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cutline.core.ranking import Array
from cutline.inputs import in_memory

_PARTS = 2**16  # of the numbers from 0 to 1: what 16 bits tell apart
_OPEN = -1
_BELOW = 4.5  # standard deviations by which the total is expected below the number of rows


class Kinds(NamedTuple):
    """Rows of several kinds, those of a kind one after the other: where each kind starts, and the kind of each row."""

    starts: Array
    owner: Array

    @classmethod
    def of(cls, sizes: Array) -> Kinds:
        """So many rows of each kind, at least one."""
        starts = np.concatenate(([0], sizes.cumsum()[:-1]))
        return cls(starts, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))


class _Poisson(NamedTuple):
    """The Poisson distribution at some rate: of each of 65536 equal chances its count, where it has only one."""

    cumulated: Array
    only_count: Array


@lru_cache(maxsize=16)
def _poisson(rate: float) -> _Poisson:
    count = np.arange(60)  # the chance of more is below what a float can tell
    logs = count * math.log(rate) - rate - np.array([math.lgamma(1.0 + k) for k in count])
    cumulated = np.exp(logs).cumsum()
    edges = np.searchsorted(cumulated, np.arange(_PARTS + 1) / _PARTS, side="right")
    only = np.where(edges[1:] == edges[:-1], edges[:-1], _OPEN)
    return _Poisson(cumulated, only.astype(np.int8))


def times_of_rows(rng: np.random.Generator, n: int, kinds: Kinds | None = None) -> Array:
    """How often each of n rows is in a resample of n, for n from a few hundred on; or each kind of rows.

    Args:
        rng: What draws.
        n: How many rows there are.
        kinds: The kinds of the rows; None when each row is a kind of its own.

    >>> int(times_of_rows(np.random.default_rng(0), 1000).sum())
    1000
    >>> len(times_of_rows(np.random.default_rng(0), 1000, Kinds.of(np.array([400, 600]))))
    2
    """
    poisson = _poisson(1 - _BELOW / math.sqrt(n))
    while True:
        words = rng.integers(0, 2**64 - 1, -(-n // 4), dtype=np.uint64, endpoint=True)
        part = words.astype("<u8", copy=False).view("<u2")[:n]
        counts, undecided = _decided(part, poisson.only_count, kinds)
        # Where the end of a count lies inside the part, more digits tell.
        chance = (part[undecided] + rng.random(len(undecided))) / _PARTS
        more = np.searchsorted(poisson.cumulated, chance, side="right")
        missing = n - int(counts.sum()) - int(more.sum())
        if missing >= 0:
            rows = np.concatenate((np.repeat(undecided, more), rng.integers(0, n, missing)))
            np.add.at(counts, rows if kinds is None else kinds.owner[rows], 1)
            return counts


def _decided(part: Array, only_count: Array, kinds: Kinds | None) -> tuple[Array, Array]:
    """The counts of the kinds, as far as a part of each row tells them, and the rows of which it does not."""
    if in_memory.compiled is not None and kinds is not None:
        counts, rows = np.empty(len(kinds.starts), np.int64), np.empty(len(part), np.int64)
        undecided = in_memory.compiled.draw(part.astype(np.uint16, copy=False), only_count, kinds.starts, counts, rows)
        return counts, rows[:undecided]
    counts = only_count.take(part).astype(np.int64)
    rows = np.flatnonzero(counts == _OPEN)
    counts[rows] = 0
    return counts if kinds is None else np.add.reduceat(counts, kinds.starts), rows
