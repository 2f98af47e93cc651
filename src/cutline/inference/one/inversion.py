"""Intervals of calibration errors: which true errors could have given the value that was seen.

A calibration error is 0 for a calibrated model, and chance can only raise it, so that resamples of the data lie too
high. Instead, outcomes are simulated in worlds whose true curve goes a part t of the way from the diagonal (t = 0, a
calibrated model) to the isotonic curve of the data (t = 1) and beyond. The interval holds the true errors of those
worlds in which the value that was seen is between the tails of the simulated ones: tests of every t, inverted. Cases
with groups, strata or weights that are not counts are simulated as as many cases as they are worth for the mean of the
outcomes less the probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.ranking import Array, Ranking
from cutline.core.table import shown
from cutline.inference import effective_size
from cutline.inference.caveats import BELOW, finished
from cutline.inference.influence import Influence
from cutline.inference.linearisation import linearised
from cutline.inference.one.estimand import Estimand
from cutline.inference.one.interval_options import Options
from cutline.inference.one.replicates import design_notes
from cutline.inference.resampling.samplers import GroupSampler, Urn
from cutline.measures.miscalibration import isotonic
from cutline.results.estimate import Estimate, Limits

METHOD = "inversion"
_FIRST = (0.0, 0.4, 0.8, 1.2, 1.6, 2.4)  # worlds that tell where the limits are about
_STEPS = (0.025, 0.05, 0.1, 0.2, 0.4)  # between worlds: the smallest with which few of them reach around the limits
_WORLDS = 9  # between and around which the limits are found, at most
_FEWEST = 40  # simulations of a world, of which the extremes are the limits at 95 %
_AT_ONCE = 2**18  # cells held at once
_MANY = 1e6  # times as many cases as the sample has a population: what corrects itself for chance finds none there
_WIDE = 2.6  # standard deviations, within which the first worlds look for the limits
_OF_PLACES = f"Single places of the calibration curve decide it, which the data tell less of than of the mean: {BELOW}."
_NULL = "Chance alone could give such a value: a calibrated model has {} on average."
_RAISED = (
    "Chance probably raised the value: simulations give the upper limit {}, which was moved to include the value; that "
    "can only raise the coverage."
)


class _World(NamedTuple):
    """The values of one statistic on simulated outcomes, in order."""

    way: float
    values: Array


def inverted(estimands: Sequence[Estimand], options: Options, groups: GroupSampler | None = None) -> list[Estimate]:
    """The estimates of calibration errors of one ranking, whose cases may come in groups.

    The outcomes of a world are the same for all of them, and which worlds are simulated for one does not depend on the
    others, so that an interval does not depend on what else is asked for.
    """
    if not estimands:
        return []
    ranking = estimands[0].ranking
    worth = float(ranking.total) if ranking.integral and groups is None else cases_worth(ranking, groups)
    notes = effective_size.notes(ranking) if groups is None else design_notes(groups, "counted")
    worlds = _Worlds(ranking, estimands, options.seed, worth, notes)
    first = worlds.simulated([_FIRST] * len(estimands), max(_FEWEST // 2, options.resamples // 20))
    ways = [_around(one, worlds.seen(i)) for i, one in enumerate(first)]
    found = worlds.simulated(ways, max(_FEWEST, options.resamples // 8))
    return [
        _estimate(worlds, i, found[i], float(first[i][0].values.mean()), options.level) for i in range(len(estimands))
    ]


class _Worlds:
    """The worlds of a ranking, and the outcomes that are simulated in them."""

    def __init__(
        self, ranking: Ranking, estimands: Sequence[Estimand], seed: int, worth: float, notes: Sequence[str]
    ) -> None:
        self.ranking = ranking
        self.estimands = estimands
        self.curve = isotonic(ranking)
        self.urn = Urn.of(ranking.size if worth == ranking.total else ranking.size * (worth / float(ranking.total)))
        self.seed = seed
        self.worth = worth
        self.notes = notes  # about the sample

    def seen(self, i: int) -> float:
        """The value of the sample as so many cases: an error that corrects itself for chance depends on them."""
        if self.worth == self.ranking.total:
            return self.estimands[i].value
        scale = self.worth / float(self.ranking.total)
        return float(self.estimands[i].statistic(self._ranking(self.ranking.pos * scale, self.ranking.neg * scale)))

    def risks(self, way: float) -> Array:
        """The true share of positives at each score."""
        return np.clip(self.ranking.key + way * (self.curve - self.ranking.key), 0.0, 1.0)

    def truth(self, i: int, way: float) -> float:
        """The error in a population where each score has its true share of positives."""
        risk, size = self.risks(way), _MANY * self.ranking.size.astype(float)
        return float(self.estimands[i].statistic(self._ranking(size * risk, size * (1 - risk))))

    def simulated(self, ways: Sequence[Sequence[float]], simulations: int) -> list[list[_World]]:
        """The worlds of each statistic, with as many simulations in each."""
        every = sorted({way for own in ways for way in own})
        work = simulations * len(every) * len(self.ranking)
        found = parallel.each(lambda way: self._simulate(way, ways, simulations), every, work)
        by_way = dict(zip(every, found, strict=True))
        return [[_World(way, by_way[way][i]) for way in own] for i, own in enumerate(ways)]

    def _simulate(self, way: float, ways: Sequence[Sequence[float]], simulations: int) -> dict[int, Array]:
        """The values, in one world, of those statistics that need it."""
        asked = [i for i, own in enumerate(ways) if way in own]
        rng = np.random.default_rng([self.seed, simulations, round(way / _STEPS[0])])
        risk = self.risks(way)
        at_once = max(1, _AT_ONCE // len(self.ranking))
        found = []
        for start in range(0, simulations, at_once):
            parallel.stop_if_unwanted()
            # One row more than one, so that the statistics see a stack.
            size = self.urn.draw(rng, max(2, min(at_once, simulations - start)))
            pos = rng.binomial(size, risk)
            stack = self._ranking(pos, size - pos)
            found.append([np.asarray(self.estimands[i].statistic(stack), dtype=float) for i in asked])
        values = np.sort(np.nan_to_num(np.concatenate(found, axis=-1)[:, :simulations], nan=0.0), axis=-1)
        return dict(zip(asked, values, strict=True))

    def _ranking(self, pos: Array, neg: Array) -> Ranking:
        return Ranking(self.ranking.score, pos, neg, pos, neg)


def cases_worth(r: Ranking, groups: GroupSampler | None) -> float:
    """How many independent cases a sample is worth for the mean of the outcomes less the probabilities.

    Args:
        r: The ranking of probabilities.
        groups: How the cases were sampled; None where their weights are all that is known.
    """
    total = float(r.total)
    pos, neg = (cases.astype(float) for cases in (r.pos, r.neg))
    mean = float(pos.sum() - (pos + neg) @ r.key) / total
    of_positives, of_negatives = 1 - r.key - mean, -r.key - mean
    spread = float(pos @ of_positives**2 + neg @ of_negatives**2) / total
    variance = float(linearised([Influence(of_positives / total, of_negatives / total)], r, groups).covariance[0, 0])
    most = total**2 / float(r.pos2.sum() + r.neg2.sum()) if not r.integral else total  # Kish's number
    return min(max(spread / variance, 2.0), most) if variance > 0 else most


def _around(first: Sequence[_World], seen: float) -> list[float]:
    """The worlds between which both limits lie, by what the first ones tell of means and spreads."""
    ways = np.array([world.way for world in first])
    mean, spread = (np.array([part(world.values) for world in first]) for part in (np.mean, np.std))
    above, below = (np.maximum.accumulate(mean + sign * _WIDE * spread) for sign in (1, -1))
    start, end = float(np.interp(seen, above, ways)), float(np.interp(seen, below, ways))
    margin = 0.05 + 0.1 * (end - start)
    start, end = max(0.0, start - margin), end + margin
    step = next((one for one in _STEPS if (end - start) / one <= _WORLDS - 2), _STEPS[-1])
    places = range(math.floor(start / step + 1e-9), math.ceil(end / step - 1e-9) + 1)
    return [round(place * step, 6) for place in places]


def _estimate(worlds: _Worlds, i: int, found: Sequence[_World], by_chance: float, level: float) -> Estimate:
    estimand = worlds.estimands[i]
    ways = np.array([world.way for world in found])
    values = np.array([world.values for world in found])
    tail = (values.shape[-1] + 1) * (1 - level) / 2
    rank = max(1, math.floor(tail + 1e-9))
    notes = [*worlds.notes, *([estimand.caveat] if estimand.caveat else [])]
    if tail < 1 - 1e-9:
        notes.append(f"{values.shape[-1]} simulations are too few for a level of {level:g}: their extremes are used.")
    seen = worlds.seen(i)
    lowest, highest = (np.maximum.accumulate(values[:, place]) for place in (rank - 1, -rank))
    is_null = ways[0] == 0 and seen <= highest[0]
    low = 0.0 if is_null else worlds.truth(i, _crossing(seen, highest, ways))
    is_less = ways[0] == 0 and seen < lowest[0]  # than chance alone makes of it: nothing to shrink
    high = float(highest[0]) if is_less else worlds.truth(i, _crossing(seen, lowest, ways))
    if not is_null and estimand.kind.of_places:  # type: ignore[union-attr]
        notes.append(_OF_PLACES)
    if is_null:
        notes.append(_NULL.format(shown(by_chance)))
    if high < estimand.value:
        notes.append(_RAISED.format(shown(high)))
    limits = Limits(min(low, estimand.value), max(high, estimand.value))
    return finished(estimand.name, estimand.value, limits, estimand.range, level, METHOD, notes)


def _crossing(value: float, limits: Array, ways: Array) -> float:
    """Where along the worlds a limit of the simulated values equals the value that was seen."""
    return float(np.interp(value, limits, ways))
