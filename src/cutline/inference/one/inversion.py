"""Intervals of calibration errors: which true errors could have given the value that was seen.

A calibration error is 0 for a calibrated model, and chance can only raise it, so that resamples of the data lie too
high. Instead, outcomes are simulated in worlds whose true curve goes a part t of the way from the diagonal (t = 0, a
calibrated model) to the isotonic curve of the data (t = 1) and beyond. The interval holds the true errors of those
worlds in which the value that was seen is between the tails of the simulated ones: tests of every t, inverted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.ranking import Array, Ranking
from cutline.core.table import shown
from cutline.inference.caveats import finished
from cutline.inference.one.estimand import Estimand
from cutline.inference.one.interval_options import Options
from cutline.inference.resampling.samplers import Urn
from cutline.measures.miscalibration import isotonic
from cutline.results.estimate import Estimate, Limits

METHOD = "inversion"
_FIRST = (0.0, 0.4, 0.8, 1.2, 1.6, 2.4)  # worlds that tell where the limits are about
_WORLDS = 8  # between and around which the limits are found
_FEWEST = 40  # simulations of a world, of which the extremes are the limits at 95 %
_FEW = 500  # cases, below which simulated studies found a coverage of 91 to 97 % for a level of 95 %
_AT_ONCE = 2**18  # cells held at once
_WIDE = 2.6  # standard deviations, within which the first worlds look for the limits


class _World(NamedTuple):
    """Values of some statistics on simulated outcomes, in order, a row for each statistic."""

    way: float
    values: Array


def inverted(estimands: Sequence[Estimand], options: Options) -> list[Estimate]:
    """The estimates of calibration errors of one ranking, all on the same simulations."""
    if not estimands:
        return []
    ranking = estimands[0].ranking
    worlds = _Worlds(ranking, estimands, options.seed)
    seen = np.array([estimand.value for estimand in estimands])
    first = worlds.simulated(_FIRST, max(_FEWEST // 2, options.resamples // 20))
    found = worlds.simulated(_around(first, seen), max(_FEWEST, options.resamples // 8))
    by_chance = first[0].values.mean(-1)
    return [_estimate(worlds, i, found, float(by_chance[i]), options.level) for i in range(len(estimands))]


class _Worlds:
    """The worlds of a ranking, and the outcomes that are simulated in them."""

    def __init__(self, ranking: Ranking, estimands: Sequence[Estimand], seed: int) -> None:
        self.ranking = ranking
        self.estimands = estimands
        self.curve = isotonic(ranking)
        self.urn = Urn.of(ranking.size)
        self.seeds = np.random.SeedSequence(seed)

    def risks(self, way: float) -> Array:
        """The true share of positives at each score."""
        return np.clip(self.ranking.key + way * (self.curve - self.ranking.key), 0.0, 1.0)

    def truth(self, i: int, way: float) -> float:
        """The error in a population where each score has its true share of positives."""
        risk, size = self.risks(way), self.ranking.size.astype(float)
        return float(self.estimands[i].statistic(self._ranking(size * risk, size * (1 - risk))))

    def simulated(self, ways: Sequence[float], simulations: int) -> list[_World]:
        """Some worlds, with as many simulations in each."""
        items = list(zip(ways, self.seeds.spawn(len(ways)), strict=True))
        work = simulations * len(ways) * len(self.ranking)
        return parallel.each(lambda item: self._simulate(*item, simulations), items, work)

    def _simulate(self, way: float, seed: np.random.SeedSequence, simulations: int) -> _World:
        rng, risk = np.random.default_rng(seed), self.risks(way)
        at_once = max(1, _AT_ONCE // len(self.ranking))
        found = []
        for start in range(0, simulations, at_once):
            parallel.stop_if_unwanted()
            # One row more than one, so that the statistics see a stack.
            size = self.urn.draw(rng, max(2, min(at_once, simulations - start)))
            pos = rng.binomial(size, risk)
            stack = self._ranking(pos, size - pos)
            found.append([np.asarray(estimand.statistic(stack), dtype=float) for estimand in self.estimands])
        values = np.concatenate(found, axis=-1)[:, :simulations]
        return _World(way, np.sort(np.nan_to_num(values, nan=0.0), axis=-1))

    def _ranking(self, pos: Array, neg: Array) -> Ranking:
        return Ranking(self.ranking.score, pos, neg, pos, neg)


def _around(first: Sequence[_World], seen: Array) -> list[float]:
    """The worlds between which all limits lie, by what the first ones tell of means and spreads."""
    ways = np.array([world.way for world in first])
    mean, spread = (np.array([part(world.values, axis=-1) for world in first]).T for part in (np.mean, np.std))
    low, high = (np.maximum.accumulate(mean + sign * _WIDE * spread, axis=-1) for sign in (1, -1))
    starts = [float(np.interp(value, row, ways)) for value, row in zip(seen, low, strict=True)]
    ends = [float(np.interp(value, row, ways)) for value, row in zip(seen, high, strict=True)]
    margin = 0.05 + 0.1 * (max(ends) - min(starts))
    start = max(0.0, min(starts) - margin)
    return [float(way) for way in np.linspace(start, max(max(ends) + margin, start + 0.2), _WORLDS)]


def _estimate(worlds: _Worlds, i: int, found: Sequence[_World], by_chance: float, level: float) -> Estimate:
    estimand = worlds.estimands[i]
    ways = np.array([world.way for world in found])
    values = np.array([world.values[i] for world in found])
    tail = (values.shape[-1] + 1) * (1 - level) / 2
    rank = max(1, math.floor(tail + 1e-9))
    notes = [estimand.caveat] if estimand.caveat else []
    if float(estimand.ranking.total) < _FEW:
        notes.append(f"With fewer than {_FEW} cases the actual coverage may be a few points below the nominal level.")
    if tail < 1 - 1e-9:
        notes.append(f"{values.shape[-1]} simulations are too few for a level of {level:g}: their extremes are used.")
    lowest, highest = (np.maximum.accumulate(values[:, place]) for place in (rank - 1, -rank))
    is_null = ways[0] == 0 and estimand.value <= highest[0]
    low = 0.0 if is_null else worlds.truth(i, _crossing(estimand.value, highest, ways))
    if ways[0] == 0 and estimand.value < lowest[0]:  # less than chance alone makes of it: nothing to shrink
        high = float(highest[0])
    else:
        high = worlds.truth(i, _crossing(estimand.value, lowest, ways))
    if is_null:
        notes.append(f"Chance alone could give such a value: a calibrated model has {shown(by_chance)} on average.")
    limits = Limits(min(low, estimand.value), max(high, estimand.value))
    return finished(estimand.name, estimand.value, limits, estimand.range, level, METHOD, notes)


def _crossing(value: float, limits: Array, ways: Array) -> float:
    """Where along the worlds a limit of the simulated values equals the value that was seen."""
    return float(np.interp(value, limits, ways))
