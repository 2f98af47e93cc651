"""Intervals of calibration errors: true errors for which the observed value is not extreme (test inversion).

A calibration error is 0 for a calibrated model, and chance can only raise it, so that resamples of the data lie too
high. Instead, outcomes are simulated in populations whose true curve lies a fraction t of the way from the diagonal
(t = 0, a calibrated model) to the isotonic curve of the data (t = 1) and beyond. The interval holds the true errors of
the populations in which the observed value is between the tails of the simulated values: tests of every t, inverted.

A simulated sample has the scores at hand. Scores drawn with replacement would be tied where those at hand are not, and
ties leave an isotonic curve less chance to follow. That the scores are a sample too is added to the simulated values:
by how much the true error differs between samples of scores. Cases with groups, strata or weights that are not counts
are simulated as their effective number of cases for the mean of the outcomes less the probabilities; these have scores
drawn from the scores at hand.
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
_FIRST = (0.0, 0.4, 0.8, 1.2, 1.6, 2.4)  # populations that tell where the limits are about
_STEPS = (
    0.025,
    0.05,
    0.1,
    0.2,
    0.4,
)  # between populations: the smallest with which few of them reach around the limits
_POPULATIONS = 9  # between and around which the limits are found, at most
_FEWEST = 40  # simulations of a population, of which the extremes are about the limits at 95 %
_AT_ONCE = 2**18  # cells held at once
_MANY = 1e6  # times as many cases as the sample has a population: what corrects itself for chance finds none there
_WIDE = 2.6  # standard deviations, within which the first populations look for the limits
_FEW_SURPRISES = Caveat(
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

    fraction: float
    values: Array


def invert_tests(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Estimate]:
    """Return the estimates of calibration errors of one sample.

    All measures share the outcomes of a population, and which populations are simulated for a measure does not depend
    on the others, so that an interval does not depend on the other measures.
    """
    populations, first, simulated = _simulate_populations(estimands, options)
    return [
        _make_estimate(populations, i, simulated[i], float(first[i][0].values.mean()), options.level)
        for i in range(len(estimands))
    ]


def correct_errors(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Corrected]:
    """Return bias-corrected calibration errors of one ranking, with their limits.

    The corrected error is that of the population in which the observed value is the median of the simulated values.

    Args:
        estimands: Calibration errors of one ranking.
        options: The resamples and the seed.
    """
    populations, _, simulated = _simulate_populations(estimands, options)
    made = []
    for i, own in enumerate(simulated):
        fractions, values = (
            np.array([population.fraction for population in own]),
            np.array([population.values for population in own]),
        )
        middle, observed = np.maximum.accumulate(np.median(values, axis=-1)), populations.compute_observed(i)
        is_null = fractions[0] == 0 and observed <= middle[0]
        centre = 0.0 if is_null else populations.compute_true_error(i, _find_crossing(observed, middle, fractions))
        made.append(Corrected.of(centre, *_find_limits(populations, i, own, LEVEL)))
    return made


def _simulate_populations(
    estimands: Sequence[Estimand], options: IntervalRequest
) -> tuple[_Populations, list[list[_SimulatedErrors]], list[list[_SimulatedErrors]]]:
    """Return the populations of a ranking, and the errors simulated in the first ones and around the limits."""
    ranking, design = estimands[0].ranking, estimands[0].design
    effective_cases = (
        float(ranking.total) if ranking.integral and design is None else compute_effective_cases(ranking, design)
    )
    quantity = Quantity.CALIBRATION_ERROR
    notes = effective_size.describe_weights(ranking) if design is None else describe_design(design, "counted", quantity)
    simulations = max(_FEWEST, options.resamples // 8)
    # An outcome is simulated for every case, so the bins follow all of them: with few positives, those of the smaller
    # class would give bins so coarse that they move the limits (benchmarks/fewer_resamples.py).
    bins = bin_scores(ranking, per_root=SIMULATED, cases=float(ranking.total) / 2)
    populations = _Populations(
        ranking if bins is None else bins.ranking, estimands, options.seed, simulations, effective_cases, notes
    )
    first = populations.simulate([_FIRST] * len(estimands), max(_FEWEST // 2, options.resamples // 20))
    fractions = [
        _choose_fractions(errors, populations.compute_observed(i), populations.find_largest(i))
        for i, errors in enumerate(first)
    ]
    return populations, first, populations.simulate(fractions, simulations)


class _Populations:
    """Populations with the scores of a ranking, and the calibration errors of outcomes simulated in them.

    Args:
        ranking: The scores at hand.
        estimands: The errors.
        seed: Of the simulations.
        most: How many simulations a population has at most.
        effective_cases: The effective sample size.
        notes: About the sample.
    """

    def __init__(
        self,
        ranking: Ranking,
        estimands: Sequence[Estimand],
        seed: int,
        most: int,
        effective_cases: float,
        notes: Sequence[str],
    ) -> None:
        self.ranking, self.estimands, self.seed = ranking, estimands, seed
        self.effective_cases, self.notes = effective_cases, notes
        self.curve = fit_isotonic(ranking)
        self.is_plain = effective_cases == float(ranking.total)  # each case counts one
        self.urn = Urn.of(ranking.size if self.is_plain else ranking.size * (effective_cases / float(ranking.total)))
        self._populations: dict[float, Ranking] = {}
        self._true_errors: dict[tuple[int, float], float] = {}
        self.full_errors = [self.compute_true_error(i, 1.0) for i in range(len(estimands))]
        self.by_scores = self._simulate_other_scores(most) if self.is_plain else None

    def compute_observed(self, i: int) -> float:
        """Return the error of the sample in its bins and at its effective size: an error may depend on both."""
        if self.is_plain and self.ranking is self.estimands[i].ranking:
            return self.estimands[i].value
        return float(self.estimands[i].statistic(self._sample))

    @cached_property
    def _sample(self) -> Ranking:
        scale = self.effective_cases / float(self.ranking.total)
        return self._make_ranking(self.ranking.pos * scale, self.ranking.neg * scale)

    @property
    def outcome_variance(self) -> float:
        """Return the variance of the number of positives, if the model is calibrated."""
        p = self.ranking.key
        return float(self.ranking.size @ (p * (1 - p))) * self.effective_cases / float(self.ranking.total)

    @cached_property
    def is_falling(self) -> bool:
        """Whether the share of positives falls somewhere as probabilities rise, by more than chance.

        Within a stretch where the isotonic curve is flat, what the outcomes add up to beyond it is a Brownian bridge if
        the true curve is flat there too, and less if that rises.
        """
        size, share = self.ranking.size, self.curve
        starts = np.flatnonzero(np.diff(share, prepend=np.nan) != 0)
        surplus = np.abs(np.cumsum(self.ranking.pos - size * share))
        spread = np.sqrt(
            np.add.reduceat(size * share * (1 - share), starts) * float(self.ranking.total) / self.effective_cases
        )
        rounding = 1e-9 * float(self.ranking.total)
        return bool((np.maximum.reduceat(surplus, starts) > constants.BRIDGE * spread + rounding).any())

    def compute_risks(self, fraction: float) -> Array:
        """Return the true share of positives at each score."""
        return np.clip(self.ranking.key + fraction * (self.curve - self.ranking.key), 0.0, 1.0)

    def compute_true_error(self, i: int, fraction: float) -> float:
        """Return the error in a population where each score has its true share of positives.

        The errors of a fraction share one population, so that its curve is fitted once.
        """
        if fraction not in self._populations:
            self._populations[fraction] = self._make_population(self.ranking.size, fraction)
        if (i, fraction) not in self._true_errors:
            self._true_errors[i, fraction] = float(self.estimands[i].statistic(self._populations[fraction]))
        return self._true_errors[i, fraction]

    def find_largest(self, i: int) -> float:
        """Return the fraction up to which the true error grows: risks clipped to 0 and 1 add nothing to it."""
        fractions = np.array(_FIRST[1:])
        growth = np.diff([self.compute_true_error(i, fraction) for fraction in fractions]) / np.diff(fractions)
        ends = np.flatnonzero(growth < constants.GROWS * growth[0])
        return float(fractions[ends[0]]) if len(ends) else math.inf

    def simulate(self, fractions: Sequence[Sequence[float]], simulations: int) -> list[list[_SimulatedErrors]]:
        """Return the simulated errors of each statistic in each of its populations."""
        every = sorted({fraction for own in fractions for fraction in own})
        work = simulations * len(every) * len(self.ranking)
        errors = parallel.map_parallel(lambda fraction: self._simulate(fraction, fractions, simulations), every, work)
        by_fraction = dict(zip(every, errors, strict=True))
        return [
            [_SimulatedErrors(fraction, by_fraction[fraction][i]) for fraction in own]
            for i, own in enumerate(fractions)
        ]

    def _simulate(self, fraction: float, fractions: Sequence[Sequence[float]], simulations: int) -> dict[int, Array]:
        """Simulate one population: return the values of each statistic that needs it."""
        indices = [i for i, own in enumerate(fractions) if fraction in own]
        rng = np.random.default_rng([self.seed, simulations, round(fraction / _STEPS[0])])
        risk = self.compute_risks(fraction)

        def draw(count: int) -> Ranking:
            size = (
                np.broadcast_to(self.ranking.size, (count, len(risk))) if self.is_plain else self.urn.draw(rng, count)
            )
            pos = rng.binomial(size, risk) if size.max() > 1 else (rng.random(size.shape) < risk).astype(size.dtype)
            return self._make_ranking(pos, size - pos)

        values = self._compute_values(indices, simulations, draw)
        for place, i in enumerate(indices):
            if self.by_scores is not None and fraction and self.full_errors[i] > 0:
                values[place] += (
                    self.compute_true_error(i, fraction) / self.full_errors[i] * self.by_scores[i, :simulations]
                )
        return dict(zip(indices, np.sort(values, axis=-1), strict=True))

    def _simulate_other_scores(self, simulations: int) -> Array:
        """Return how the true error at fraction 1 deviates between samples of scores."""
        rng, every = np.random.default_rng([self.seed, simulations]), range(len(self.estimands))
        values = self._compute_values(
            every, simulations, lambda count: self._make_population(self.urn.draw(rng, count), 1.0)
        )
        return np.asarray(values - values.mean(-1, keepdims=True))

    def _compute_values(self, indices: Sequence[int], simulations: int, draw: Callable[[int], Ranking]) -> Array:
        """Compute statistics of stacks, drawn in parts that fit into memory."""
        at_once = max(1, _AT_ONCE // len(self.ranking))
        values = []
        for start in range(0, simulations, at_once):
            parallel.stop_if_unwanted()
            # One row more than one, so that the statistics see a stack.
            stack = draw(max(2, min(at_once, simulations - start)))
            values.append([np.asarray(self.estimands[i].statistic(stack), dtype=float) for i in indices])
        return np.nan_to_num(np.concatenate(values, axis=-1)[:, :simulations], nan=0.0)

    def _make_population(self, size: Array, fraction: float) -> Ranking:
        """Return a population with these shares of scores, and the true share of positives at each."""
        risk, many = self.compute_risks(fraction), _MANY * size.astype(float)
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


def _choose_fractions(first: Sequence[_SimulatedErrors], observed: float, largest: float) -> list[float]:
    """Return the fractions of the populations to simulate around both limits, from the first populations.

    Args:
        first: The errors in a few populations over the whole range of fractions.
        observed: The error of the sample.
        largest: The fraction with the largest true error.
    """
    fractions = np.array([population.fraction for population in first])
    mean, spread = (np.array([part(population.values) for population in first]) for part in (np.mean, np.std))
    above, below = (np.maximum.accumulate(mean + sign * _WIDE * spread) for sign in (1, -1))
    start, end = float(np.interp(observed, above, fractions)), float(np.interp(observed, below, fractions))
    margin = 0.05 + 0.1 * (end - start)
    start, end = max(0.0, start - margin), end + margin
    if end > largest:
        start, end = min(start, largest - 2 * _STEPS[2]), largest
    step = next((size for size in _STEPS if (end - start) / size <= _POPULATIONS - 2), _STEPS[-1])
    places = range(math.floor(start / step + 1e-9), math.ceil(end / step - 1e-9) + 1)
    return [round(place * step, 6) for place in places]


def _make_estimate(
    populations: _Populations, i: int, simulated: Sequence[_SimulatedErrors], by_chance: float, level: float
) -> Estimate:
    estimand, measure = populations.estimands[i], populations.estimands[i].measure
    assert measure is not None  # noqa: S101 - calibration errors are measures
    values = np.array([population.values for population in simulated])
    tail = (values.shape[-1] + 1) * (1 - level) / 2
    notes = [*populations.notes, *([measure.caveat] if measure.caveat else [])]
    if tail < 1 - 1e-9:
        notes.append(f"{values.shape[-1]} simulations are too few for a level of {level:g}: their extremes are used.")
    if populations.outcome_variance < constants.SURPRISES:
        notes.append(_FEW_SURPRISES.fill_in(populations.outcome_variance))
    notes += warn_of_class_weights(measure.name, estimand.ranking)
    if populations.is_falling and measure.name not in _BLIND_TO_FALLS:
        notes.append(_NOT_RISING)
    low, high = _find_limits(populations, i, simulated, level)
    is_null = low == 0
    if not is_null and estimand.form_as(CalibrationError).of_places:
        notes.append(_OF_PLACES)
    if is_null:
        notes.append(_NULL.format(format_value(by_chance)))
    if high < estimand.value:
        notes.append(_RAISED.format(format_value(high)))
    else:
        notes += note_few_cases(populations.ranking)
    limits = Limits(min(low, estimand.value), max(high, estimand.value))
    return make_estimate(estimand.name, estimand.value, limits, estimand.range, level, METHOD, notes)


def _find_limits(populations: _Populations, i: int, simulated: Sequence[_SimulatedErrors], level: float) -> Limits:
    """Return the true errors between which the observed value is not in a tail of the simulated values."""
    fractions, values, observed = (
        np.array([w.fraction for w in simulated]),
        np.array([w.values for w in simulated]),
        populations.compute_observed(i),
    )
    lowest, highest = (_smooth_rising(fractions, limits) for limits in _compute_tails(values, level))
    low = (
        0.0
        if fractions[0] == 0 and observed <= highest[0]
        else populations.compute_true_error(i, _find_crossing(observed, highest, fractions))
    )
    is_less = fractions[0] == 0 and observed <= lowest[0]  # no more than chance alone makes of it: nothing to shrink
    high = (
        float(highest[0]) if is_less else populations.compute_true_error(i, _find_crossing(observed, lowest, fractions))
    )
    # The errors of samples of the fitted curve may be true: if no population is far enough to tell how large the error
    # can be, and for single points of the curve, which the data hardly determine.
    likely = Limits(*(float(np.interp(1.0, fractions, tail)) for tail in (lowest, highest)))
    is_of_places = populations.estimands[i].form_as(CalibrationError).of_places
    if is_of_places or observed > lowest[-1]:
        high = max(high, likely.high)
    return Limits(min(low, likely.low) if is_of_places else low, high)


def _compute_tails(values: Array, level: float) -> Array:
    """Return the limits of each population beyond which one more value would be in a tail of the simulations."""
    tail = (1 - level) / 2
    return np.asarray(np.quantile(values, (tail, 1 - tail), axis=-1, method="weibull"))


def _smooth_rising(fractions: Array, limits: Array) -> Array:
    """Smooth simulated limits by a rising parabola over the fractions; the true limits rise too."""
    from scipy.optimize import isotonic_regression

    smooth = np.polynomial.Polynomial.fit(fractions, limits, min(2, len(fractions) - 1))
    return np.asarray(isotonic_regression(np.maximum(smooth(fractions), limits.min())).x)


def _find_crossing(value: float, limits: Array, fractions: Array) -> float:
    """Find where along the populations a limit of the simulated values equals the observed value."""
    return float(np.interp(value, limits, fractions))


class CalibrationCheck(NamedTuple):
    """Expected and observed outcomes, each pair with its z value (NaN when there is none).

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
