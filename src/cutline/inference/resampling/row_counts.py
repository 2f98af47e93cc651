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

_PARTS = 2**16  # of the numbers from 0 to 1: what 16 bits tell apart
_OPEN = -1
_BELOW = 4.5  # standard deviations by which the total is expected below the number of rows


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


def times_of_rows(rng: np.random.Generator, n: int) -> Array:
    """How often each of n rows is in a resample of n, for n from a few hundred on.

    >>> int(times_of_rows(np.random.default_rng(0), 1000).sum())
    1000
    """
    poisson = _poisson(1 - _BELOW / math.sqrt(n))
    while True:
        words = rng.integers(0, 2**64 - 1, -(-n // 4), dtype=np.uint64, endpoint=True)
        part = words.astype("<u8", copy=False).view("<u2")[:n]
        found = poisson.only_count.take(part).astype(np.int64)
        undecided = np.flatnonzero(found == _OPEN)  # where the end of a count lies inside the part: more digits tell
        chance = (part[undecided] + rng.random(len(undecided))) / _PARTS
        found[undecided] = np.searchsorted(poisson.cumulated, chance, side="right")
        missing = n - int(found.sum())
        if missing >= 0:
            np.add.at(found, rng.integers(0, n, missing), 1)
            return found
