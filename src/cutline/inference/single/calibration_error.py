"""Intervals of calibration errors: which true errors could have given the value that was seen.

A calibration error is 0 for a calibrated model, and chance can only raise it, so that resamples of the data lie too
high. Instead, outcomes are simulated in worlds whose true curve goes a part t of the way from the diagonal (t = 0, a
calibrated model) to the isotonic curve of the data (t = 1) and beyond. The interval holds the true errors of those
worlds in which the value that was seen is between the tails of the simulated ones: tests of every t, inverted.

A simulated study has the scores at hand. Scores drawn with replacement would be tied where those at hand are not, and
ties leave an isotonic curve less chance to follow. That the scores are a sample too is added to the simulated values:
by how much the true error differs between samples of scores. Cases with groups, strata or weights that are not counts
are simulated as as many cases as they are worth for the mean of the outcomes less the probabilities; these few have
scores drawn from those at hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.array_ops import Array
from cutline.core.ranking import BLOCK, Ranking
from cutline.core.table import format_value
from cutline.inference import constants, effective_size
from cutline.inference.caveats import BELOW, make_estimate, note_few_cases, warn_of_class_weights
from cutline.inference.corrected import LEVEL, Corrected
from cutline.inference.effective_size import square_weights
from cutline.inference.influence import Influence
from cutline.inference.quantities import Quantity
from cutline.inference.resampling.binning import SIMULATED, bin_scores
from cutline.inference.resampling.samplers import GroupSampler, Urn
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.notes import describe_design
from cutline.inference.survey import linearise
from cutline.measures.forms import CalibrationError
from cutline.measures.miscalibration import fit_isotonic
from cutline.results.estimate import Estimate, Limits
from cutline.results.notes import Caveat

METHOD = "inversion"
_FIRST = (0.0, 0.4, 0.8, 1.2, 1.6, 2.4)  # worlds that tell where the limits are about
_STEPS = (0.025, 0.05, 0.1, 0.2, 0.4)  # between worlds: the smallest with which few of them reach around the limits
_WORLDS = 9  # between and around which the limits are found, at most
_FEWEST = 40  # simulations of a world, of which the extremes are about the limits at 95 %
_AT_ONCE = 2**18  # cells held at once
_MANY = 1e6  # times as many cases as the sample has a population: what corrects itself for chance finds none there
_WIDE = 2.6  # standard deviations, within which the first worlds look for the limits
_NO_SURPRISES = Caveat(
    "few-surprises",
    "The probabilities are so close to 0 and 1 that a calibrated model would be wrong about {:.1g} times; rare errors "
    f"may not show here: {BELOW}.",
    "below",
)
_NOT_RISING = Caveat(
    "not-rising",
    "The share of positives falls where the probabilities rise, by more than chance, as in no simulated curve: "
    f"{BELOW}.",
    "below",
)
# The first is an error of the isotonic curve by definition, the second is smooth: both held the truth in 95 % there,
# where the others missed it in 25 to 85 %.
_BLIND_TO_FALLS = ("mcb", "smooth_ece")
_OF_PLACES = Caveat("single-places", "It depends on single points of the curve, which are uncertain.")
_NULL = "Chance alone could give such a value: a calibrated model has {} on average."
_RAISED = (
    "Chance probably raised the value: simulations give the upper limit {}, which was moved to include the value; that "
    "can only raise the coverage."
)


class _SimulatedErrors(NamedTuple):
    """The values of one statistic on simulated outcomes, in order."""

    way: float
    values: Array


def invert_tests(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Estimate]:
    """Return the estimates of calibration errors of one sample.

    The outcomes of a world are the same for all of them, and which worlds are simulated for one does not depend on the
    others, so that an interval does not depend on what else is asked for.
    """
    worlds, first, simulated = _simulate_worlds(estimands, options)
    return [
        _make_estimate(worlds, i, simulated[i], float(first[i][0].values.mean()), options.level)
        for i in range(len(estimands))
    ]


def correct_errors(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Corrected]:
    """Return calibration errors of one ranking without what chance added to them, with their limits.

    The corrected error is that of the world in which the value that was seen is the median of the simulated ones.

    Args:
        estimands: Calibration errors of one ranking.
        options: The resamples and the seed.
    """
    worlds, _, simulated = _simulate_worlds(estimands, options)
    made = []
    for i, own in enumerate(simulated):
        ways, values = np.array([world.way for world in own]), np.array([world.values for world in own])
        middle, seen = np.maximum.accumulate(np.median(values, axis=-1)), worlds.seen(i)
        is_null = ways[0] == 0 and seen <= middle[0]
        centre = 0.0 if is_null else worlds.truth(i, _find_crossing(seen, middle, ways))
        made.append(Corrected.of(centre, *_find_limits(worlds, i, own, LEVEL)))
    return made


def _simulate_worlds(
    estimands: Sequence[Estimand], options: IntervalRequest
) -> tuple[_Worlds, list[list[_SimulatedErrors]], list[list[_SimulatedErrors]]]:
    """Return the worlds of a ranking, the first that were simulated and those around the limits."""
    ranking, design = estimands[0].ranking, estimands[0].design
    worth = float(ranking.total) if ranking.integral and design is None else compute_effective_cases(ranking, design)
    quantity = Quantity.CALIBRATION_ERROR
    notes = effective_size.describe_weights(ranking) if design is None else describe_design(design, "counted", quantity)
    simulations = max(_FEWEST, options.resamples // 8)
    # An outcome is simulated for every case, so the bins follow all of them: with few positives, those of the smaller
    # class would give bins so coarse that they move the limits (benchmarks/fewer_resamples.py).
    bins = bin_scores(ranking, per_root=SIMULATED, cases=float(ranking.total) / 2)
    worlds = _Worlds(ranking if bins is None else bins.ranking, estimands, options.seed, simulations, worth, notes)
    first = worlds.simulated([_FIRST] * len(estimands), max(_FEWEST // 2, options.resamples // 20))
    ways = [_choose_worlds(errors, worlds.seen(i), worlds.largest(i)) for i, errors in enumerate(first)]
    return worlds, first, worlds.simulated(ways, simulations)


class _Worlds:
    """The worlds of a ranking, and the outcomes that are simulated in them.

    Args:
        ranking: The scores at hand.
        estimands: The errors.
        seed: Of the simulations.
        most: How many simulations a world has at most.
        worth: How many independent cases the sample is worth.
        notes: About the sample.
    """

    def __init__(
        self, ranking: Ranking, estimands: Sequence[Estimand], seed: int, most: int, worth: float, notes: Sequence[str]
    ) -> None:
        self.ranking, self.estimands, self.seed = ranking, estimands, seed
        self.worth, self.notes = worth, notes
        self.curve = fit_isotonic(ranking)
        self.is_plain = worth == float(ranking.total)  # each case is worth one
        self.urn = Urn.of(ranking.size if self.is_plain else ranking.size * (worth / float(ranking.total)))
        self._known: dict[float, Ranking] = {}
        self._truths: dict[tuple[int, float], float] = {}
        self.whole = [self.truth(i, 1.0) for i in range(len(estimands))]
        self.by_scores = self._simulate_other_scores(most) if self.is_plain else None

    def seen(self, i: int) -> float:
        """Return the value of the sample in its bins at its effective size: an error may depend on both."""
        if self.is_plain and self.ranking is self.estimands[i].ranking:
            return self.estimands[i].value
        return float(self.estimands[i].statistic(self._sample))

    @cached_property
    def _sample(self) -> Ranking:
        scale = self.worth / float(self.ranking.total)
        return self._make_ranking(self.ranking.pos * scale, self.ranking.neg * scale)

    @property
    def surprises(self) -> float:
        """Return the variance of the number of positives, if the model is calibrated."""
        p = self.ranking.key
        return float(self.ranking.size @ (p * (1 - p))) * self.worth / float(self.ranking.total)

    @cached_property
    def is_falling(self) -> bool:
        """Whether the share of positives falls somewhere as probabilities rise, by more than chance.

        Within a stretch where the isotonic curve is flat, what the outcomes add up to beyond it is a Brownian bridge if
        the true curve is flat there too, and less if that rises.
        """
        size, share = self.ranking.size, self.curve
        starts = np.flatnonzero(np.diff(share, prepend=np.nan) != 0)
        surplus = np.abs(np.cumsum(self.ranking.pos - size * share))
        spread = np.sqrt(np.add.reduceat(size * share * (1 - share), starts) * float(self.ranking.total) / self.worth)
        rounding = 1e-9 * float(self.ranking.total)
        return bool((np.maximum.reduceat(surplus, starts) > constants.BRIDGE * spread + rounding).any())

    def risks(self, way: float) -> Array:
        """Return the true share of positives at each score."""
        return np.clip(self.ranking.key + way * (self.curve - self.ranking.key), 0.0, 1.0)

    def truth(self, i: int, way: float) -> float:
        """Return the error in a population where each score has its true share of positives.

        All errors read the same population of a world, which keeps the curve that is fitted to it.
        """
        if way not in self._known:
            self._known[way] = self._make_population(self.ranking.size, way)
        if (i, way) not in self._truths:
            self._truths[i, way] = float(self.estimands[i].statistic(self._known[way]))
        return self._truths[i, way]

    def largest(self, i: int) -> float:
        """Return how far along the way the true error grows: risks that are cut at 0 and 1 add nothing to it."""
        ways = np.array(_FIRST[1:])
        growth = np.diff([self.truth(i, way) for way in ways]) / np.diff(ways)
        ends = np.flatnonzero(growth < constants.GROWS * growth[0])
        return float(ways[ends[0]]) if len(ends) else math.inf

    def simulated(self, ways: Sequence[Sequence[float]], simulations: int) -> list[list[_SimulatedErrors]]:
        """Return the worlds of each statistic, with as many simulations in each."""
        every = sorted({way for own in ways for way in own})
        work = simulations * len(every) * len(self.ranking)
        errors = parallel.map_parallel(lambda way: self._simulate(way, ways, simulations), every, work)
        by_way = dict(zip(every, errors, strict=True))
        return [[_SimulatedErrors(way, by_way[way][i]) for way in own] for i, own in enumerate(ways)]

    def _simulate(self, way: float, ways: Sequence[Sequence[float]], simulations: int) -> dict[int, Array]:
        """Return the values, in one world, of those statistics that need it."""
        indices = [i for i, own in enumerate(ways) if way in own]
        rng = np.random.default_rng([self.seed, simulations, round(way / _STEPS[0])])
        risk = self.risks(way)

        def draw(count: int) -> Ranking:
            size = (
                np.broadcast_to(self.ranking.size, (count, len(risk))) if self.is_plain else self.urn.draw(rng, count)
            )
            pos = rng.binomial(size, risk) if size.max() > 1 else (rng.random(size.shape) < risk).astype(size.dtype)
            return self._make_ranking(pos, size - pos)

        values = self._compute_values(indices, simulations, draw)
        for place, i in enumerate(indices):
            if self.by_scores is not None and way and self.whole[i] > 0:
                values[place] += self.truth(i, way) / self.whole[i] * self.by_scores[i, :simulations]
        return dict(zip(indices, np.sort(values, axis=-1), strict=True))

    def _simulate_other_scores(self, simulations: int) -> Array:
        """Return the deviations of the true error at the end of the way between samples of scores."""
        rng, every = np.random.default_rng([self.seed, simulations]), range(len(self.estimands))
        values = self._compute_values(
            every, simulations, lambda count: self._make_population(self.urn.draw(rng, count), 1.0)
        )
        return np.asarray(values - values.mean(-1, keepdims=True))

    def _compute_values(self, indices: Sequence[int], simulations: int, draw: Callable[[int], Ranking]) -> Array:
        """Return statistics of stacks that are drawn in parts that fit into memory."""
        at_once = max(1, _AT_ONCE // len(self.ranking))
        values = []
        for start in range(0, simulations, at_once):
            parallel.stop_if_unwanted()
            # One row more than one, so that the statistics see a stack.
            stack = draw(max(2, min(at_once, simulations - start)))
            values.append([np.asarray(self.estimands[i].statistic(stack), dtype=float) for i in indices])
        return np.nan_to_num(np.concatenate(values, axis=-1)[:, :simulations], nan=0.0)

    def _make_population(self, size: Array, way: float) -> Ranking:
        """Return a population with these shares of scores, and the true share of positives at each."""
        risk, many = self.risks(way), _MANY * size.astype(float)
        return self._make_ranking(many * risk, many * (1 - risk))

    def _make_ranking(self, pos: Array, neg: Array) -> Ranking:
        return Ranking(self.ranking.score, pos, neg, pos, neg)


def compute_effective_cases(r: Ranking, groups: GroupSampler | None) -> float:
    """Return the effective sample size for the mean of outcomes less probabilities.

    Args:
        r: The ranking of probabilities.
        groups: How the cases were sampled; None where their weights are all that is known.
    """
    total = float(r.total)
    pos, neg = (cases.astype(float) for cases in (r.pos, r.neg))
    mean = float(pos.sum() - (pos + neg) @ r.key) / total
    of_positives, of_negatives = 1 - r.key - mean, -r.key - mean
    spread = float(pos @ of_positives**2 + neg @ of_negatives**2) / total
    variance = float(linearise([Influence(of_positives / total, of_negatives / total)], r, groups).covariance[0, 0])
    most = total**2 / float(r.pos2.sum() + r.neg2.sum()) if not r.integral else total  # Kish's number
    return min(max(spread / variance, 2.0), most) if variance > 0 else most


def _choose_worlds(first: Sequence[_SimulatedErrors], seen: float, largest: float) -> list[float]:
    """Return the worlds between which both limits lie, by the means and spreads of the first ones.

    Args:
        first: Some worlds along the whole way.
        seen: The error of the sample.
        largest: The world with the largest true error.
    """
    ways = np.array([world.way for world in first])
    mean, spread = (np.array([part(world.values) for world in first]) for part in (np.mean, np.std))
    above, below = (np.maximum.accumulate(mean + sign * _WIDE * spread) for sign in (1, -1))
    start, end = float(np.interp(seen, above, ways)), float(np.interp(seen, below, ways))
    margin = 0.05 + 0.1 * (end - start)
    start, end = max(0.0, start - margin), end + margin
    if end > largest:
        start, end = min(start, largest - 2 * _STEPS[2]), largest
    step = next((size for size in _STEPS if (end - start) / size <= _WORLDS - 2), _STEPS[-1])
    places = range(math.floor(start / step + 1e-9), math.ceil(end / step - 1e-9) + 1)
    return [round(place * step, 6) for place in places]


def _make_estimate(
    worlds: _Worlds, i: int, simulated: Sequence[_SimulatedErrors], by_chance: float, level: float
) -> Estimate:
    estimand, measure = worlds.estimands[i], worlds.estimands[i].measure
    assert measure is not None  # noqa: S101 - calibration errors are measures
    values = np.array([world.values for world in simulated])
    tail = (values.shape[-1] + 1) * (1 - level) / 2
    notes = [*worlds.notes, *([measure.caveat] if measure.caveat else [])]
    if tail < 1 - 1e-9:
        notes.append(f"{values.shape[-1]} simulations are too few for a level of {level:g}: their extremes are used.")
    if worlds.surprises < constants.SURPRISES:
        notes.append(_NO_SURPRISES.fill_in(worlds.surprises))
    notes += warn_of_class_weights(measure.name, estimand.ranking)
    if worlds.is_falling and measure.name not in _BLIND_TO_FALLS:
        notes.append(_NOT_RISING)
    low, high = _find_limits(worlds, i, simulated, level)
    is_null = low == 0
    if not is_null and estimand.form_as(CalibrationError).of_places:
        notes.append(_OF_PLACES)
    if is_null:
        notes.append(_NULL.format(format_value(by_chance)))
    if high < estimand.value:
        notes.append(_RAISED.format(format_value(high)))
    else:
        notes += note_few_cases(worlds.ranking)
    limits = Limits(min(low, estimand.value), max(high, estimand.value))
    return make_estimate(estimand.name, estimand.value, limits, estimand.range, level, METHOD, notes)


def _find_limits(worlds: _Worlds, i: int, simulated: Sequence[_SimulatedErrors], level: float) -> Limits:
    """Return the true errors between which the value that was seen is not in a tail of the simulated ones."""
    ways, values, seen = np.array([w.way for w in simulated]), np.array([w.values for w in simulated]), worlds.seen(i)
    lowest, highest = (_smooth_rising(ways, limits) for limits in _compute_tails(values, level))
    low = 0.0 if ways[0] == 0 and seen <= highest[0] else worlds.truth(i, _find_crossing(seen, highest, ways))
    is_less = ways[0] == 0 and seen <= lowest[0]  # no more than chance alone makes of it: nothing to shrink
    high = float(highest[0]) if is_less else worlds.truth(i, _find_crossing(seen, lowest, ways))
    # What samples of the curve at hand have may be the truth: where no world is far enough to say how large the error
    # can be, and for single places of the curve, of which the data tell little.
    likely = Limits(*(float(np.interp(1.0, ways, tail)) for tail in (lowest, highest)))
    is_of_places = worlds.estimands[i].form_as(CalibrationError).of_places
    if is_of_places or seen > lowest[-1]:
        high = max(high, likely.high)
    return Limits(min(low, likely.low) if is_of_places else low, high)


def _compute_tails(values: Array, level: float) -> Array:
    """Return the limits of each world beyond which one more value would be in a tail of the simulations."""
    tail = (1 - level) / 2
    return np.asarray(np.quantile(values, (tail, 1 - tail), axis=-1, method="weibull"))


def _smooth_rising(ways: Array, limits: Array) -> Array:
    """Smooth simulated limits: a parabola along the way that rises, as the true ones do."""
    from scipy.optimize import isotonic_regression

    smooth = np.polynomial.Polynomial.fit(ways, limits, min(2, len(ways) - 1))
    return np.asarray(isotonic_regression(np.maximum(smooth(ways), limits.min())).x)


def _find_crossing(value: float, limits: Array, ways: Array) -> float:
    """Find where along the worlds a limit of the simulated values equals the observed value."""
    return float(np.interp(value, limits, ways))


class CalibrationCheck(NamedTuple):
    """What the probabilities promise and what was seen, each pair with its z value (NaN when there is none).

    `expected` and `observed` are the share of positives; `promised` and `brier` the Brier score.
    """

    expected: float
    observed: float
    z_share: float
    promised: float
    brier: float
    z_brier: float


def check_calibration(r: Ranking) -> CalibrationCheck:
    """Test calibration in the large, and with Spiegelhalter (1986), for probabilities of independent cases.

    >>> found = check_calibration(Ranking.of_counts([0.8, 0.2], [8, 2], [2, 8]))  # just what they say
    >>> found.z_share, abs(round(found.z_brier, 9))
    (0.0, 0.0)
    """
    return r.cached("calibration_check", lambda: _check_calibration(r))


def _check_calibration(r: Ranking) -> CalibrationCheck:
    second, total = square_weights(r), float(r.total)
    blocks = (slice(start, start + BLOCK) for start in range(0, len(r), BLOCK))  # so that a long list takes no copies
    sums = sum(
        _sum_residuals(r.key[at], *(cells[at].astype(float) for cells in (r.pos, r.neg, second.pos, second.neg)))
        for at in blocks
    )
    positives, excess, variance, promised, brier, surplus, spread = (float(total) for total in np.asarray(sums))
    return CalibrationCheck(
        expected=positives / total,
        observed=float(r.positives) / total,
        z_share=_compute_z(excess, variance),
        promised=promised / total,
        brier=brier / total,
        z_brier=_compute_z(surplus, spread),
    )


def _sum_residuals(p: Array, pos: Array, neg: Array, pos2: Array, neg2: Array) -> Array:
    """Return the sums over cells that calibration in the large and Spiegelhalter's test are made of."""
    n, squared, variance = pos + neg, pos2 + neg2, p * (1 - p)
    excess, lean = pos - p * n, 1 - 2 * p
    brier = pos @ (1 - p) ** 2 + neg @ p**2
    in_the_large = p @ n, excess.sum(), squared @ variance
    return np.array([*in_the_large, variance @ n, brier, excess @ lean, squared @ (lean**2 * variance)])


def _compute_z(surplus: float, variance: float) -> float:
    return surplus / math.sqrt(variance) if variance > np.finfo(float).tiny else math.nan
