"""The bootstrap on the ranking: a resample of the cases is a multinomial draw over the cells of the table.

All statistics asked for share the same resamples. These come in blocks of a fixed size, each with a random stream of
its own, so that neither threads nor the size of what is held in memory at once can change a result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking
from cutline.inference.resampling.samplers import LONG, Cells, Sampler
from cutline.results.estimate import Limits

BLOCK = 250  # resamples to a random stream
SMALL_BLOCK = 10  # ... of a very long ranking, which has few resamples to share among threads
VERY_LONG = 100_000  # scores, from which on a resample takes a tenth of a second
CELLS = 2**18  # cells held at once by a thread

Statistic = Callable[[Ranking], Any]


class Replicates(NamedTuple):
    """The values of some statistics on the same resamples, and how many resamples of one class were drawn anew."""

    values: list[Array]
    redrawn: int


def bootstrap(sampler: Sampler, statistics: Sequence[Statistic], resamples: int, seed: int) -> Replicates:
    """The values of the statistics on resamples, all of which hold both classes if the data do."""
    size = SMALL_BLOCK if len(sampler.ranking) > VERY_LONG else BLOCK
    streams = np.random.SeedSequence(seed).spawn(-(-resamples // size))
    counts = [min(size, resamples - size * i) for i in range(len(streams))]

    def block(item: tuple[np.random.SeedSequence, int]) -> tuple[list[Array], int]:
        first, again = (np.random.default_rng(stream) for stream in item[0].spawn(2))
        return _block(sampler, statistics, first, again, item[1])

    done = parallel.each(block, zip(streams, counts, strict=True), resamples * len(sampler.ranking), told=True)
    values = [np.concatenate([found[i] for found, _ in done]) for i in range(len(statistics))]
    return Replicates(values, sum(redrawn for _, redrawn in done))


def _block(
    sampler: Sampler,
    statistics: Sequence[Statistic],
    first: np.random.Generator,
    again: np.random.Generator,
    resamples: int,
) -> tuple[list[Array], int]:
    values: list[list[Array]] = [[] for _ in statistics]
    redrawn, at_once = 0, _at_once(sampler.ranking)
    for start in range(0, resamples, at_once):
        cells, redraws = _draw(sampler, first, again, min(at_once, resamples - start))
        redrawn += redraws
        _measure(sampler.ranking, cells, statistics, values)
    return [np.concatenate(found) for found in values], redrawn


def _draw(sampler: Sampler, first: np.random.Generator, again: np.random.Generator, count: int) -> tuple[Cells, int]:
    """Some resamples, those of one class drawn anew until they have both, and how often that was."""
    parallel.stop_if_unwanted()
    cells = sampler.draw(first, count)
    redrawn = 0
    if sampler.ranking.positives and sampler.ranking.negatives:
        for i in np.flatnonzero(~(cells.pos.any(-1) & cells.neg.any(-1))):
            while not (cells.pos[i].any() and cells.neg[i].any()):
                redrawn += 1
                one = sampler.draw(again, 1)
                if count == 1:
                    cells = one
                else:
                    cells.pos[i], cells.neg[i] = one.pos[0], one.neg[0]
    return cells, redrawn


def _at_once(r: Ranking) -> int:
    return 1 if len(r) > LONG else max(1, CELLS // len(r))


def _measure(r: Ranking, cells: Cells, statistics: Sequence[Statistic], values: list[list[Array]]) -> None:
    """Add the values of the statistics on some resamples to those found so far."""
    pos, neg = (column[0] if len(column) == 1 else column for column in (cells.pos, cells.neg))  # one needs no stack
    stack = replace(r, score=cells.score, pos=pos, neg=neg, pos2=pos, neg2=neg)
    for statistic, found in zip(statistics, values, strict=True):
        parallel.stop_if_unwanted()
        value = np.asarray(statistic(stack), dtype=float)
        found.append(value[None] if pos.ndim == 1 else value)


# ---------------------------------------------------------------------- limits


def percentile(draws: Array, level: float) -> Limits:
    """The percentile interval of draws in order, its limits two of them; NaN when there are too few for the level.

    With further axes, the draws are along the first.

    >>> percentile(np.arange(1.0, 40.0), 0.95)  # of 39 draws, the first and the last
    Limits(low=np.float64(1.0), high=np.float64(39.0))
    """
    rank = min(_rank(draws, (1 - level) / 2), (len(draws) + 1) // 2)
    if rank < 1:
        return Limits(*[np.full(draws.shape[1:], np.nan)[()]] * 2)
    return Limits(draws[rank - 1], draws[len(draws) - rank])


def _rank(draws: Array, tail: float) -> int:
    """The number of the draw below which a share of them lies, the data at hand counted as one more."""
    return math.floor((len(draws) + 1) * tail + 1e-9)


def bca(draws: Array, value: float, acceleration: float, level: float) -> Limits | None:
    """Efron's (1987) percentiles corrected for bias and acceleration; None when all draws are on one side.

    The draws are in order, and the limits two of them.
    """
    from statistics import NormalDist

    normal = NormalDist()
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    if not 0 < below < 1 or not np.isfinite(acceleration):
        return None
    bias = normal.inv_cdf(float(below))

    def tail(at: float) -> float:
        z = bias + normal.inv_cdf(at)
        if acceleration * z >= 1:  # beyond the pole of the correction, on the side of z
            return 1.0 if z > 0 else 0.0
        return normal.cdf(bias + z / (1 - acceleration * z))

    last = len(draws) - 1
    low = _rank(draws, tail((1 - level) / 2)) - 1
    high = len(draws) - _rank(draws, 1 - tail((1 + level) / 2))
    return Limits(*(draws[min(max(place, 0), last)] for place in (low, high)))


# ---------------------------------------------------------------------- acceleration


def accelerations(sampler: Sampler, statistics: Sequence[Statistic], seed: int) -> list[float]:
    """The acceleration of each statistic: a sixth of the skewness of what leaving out one case changes.

    With up to five hundred kinds of cases each is left out in turn; with more, the cases are dealt at random into a
    hundred lots, and each lot is left out, which estimates the same number. It shrinks with the root of the number of
    cases: for a very long ranking it is taken as 0, which leaves the correction for bias.
    """
    if len(sampler.ranking) > VERY_LONG:
        return [0.0] * len(statistics)
    r, times = sampler.ranking, []
    values: list[list[Array]] = [[] for _ in statistics]
    for cells in sampler.left_out(np.random.default_rng(seed), _at_once(r)):
        _measure(r, cells, statistics, values)
        times.append(cells.times)
    return [_skewness(np.concatenate(found), np.concatenate(times)) / 6 for found in values]


def _skewness(values: Array, times: Array) -> float:
    """The third moment of the changes over the 3/2th power of the second, each change happening some times."""
    known = np.isfinite(values)
    values, times = values[known], times[known]
    if not len(values):
        return 0.0
    change = np.average(values, weights=times) - values
    return float(np.nan_to_num(divide(times @ change**3, (times @ change**2) ** 1.5)))
