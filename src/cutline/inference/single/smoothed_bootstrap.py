"""Smoothed-bootstrap intervals of maxima over all cuts or recalibrations, which are optimistic.

The bias and the standard error of such a value come from samples of a known population: the smoothed sample. Resamples
of the sample itself show too little bias, because they start from an optimum of the sample. The ranks of the scores are
put on the normal scale, where a kernel spreads the cases of each class (as Bantis, Nakas and Reiser do for Youden's
index). If a population without any skill could have given the value too, the interval includes its value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.array_ops import Array
from cutline.core.caching import cached_value
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.inference import constants, effective_size
from cutline.inference.caveats import NO_COVERAGE, SEPARATED, has_spread, make_estimate, note_few_cases
from cutline.inference.corrected import LEVEL, Corrected
from cutline.inference.resampling.binning import SIMULATED, bin_scores
from cutline.inference.resampling.samplers import Urn
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.notes import find_caveats
from cutline.inference.single.separation import find_separated_limits
from cutline.inference.single.smooth import normal_limits_on_scale
from cutline.measures.forms import MaximumOverCuts
from cutline.results.estimate import Estimate, Limits, quantile, student_quantile

METHOD = "smoothed"
_FEWEST = 100  # samples of a population
_PART = 5  # one sample for so many requested resamples: a mean and a spread need fewer than two tails
_NODES = 400  # of the grid on which the kernel works
_AT_ONCE = 2**18  # cells held at once
RAISED = "It is the best over all {}, so it looks better than it is, here by about {}; the interval allows for that."


class _SmoothedSamples(NamedTuple):
    """The value of a measure in a known population, and in samples from it."""

    value: float
    samples: Array

    @property
    def bias(self) -> float:
        return float(self.samples.mean()) - self.value


def estimate_smoothed(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Estimate]:
    """Return the estimates of measures of one ranking that are maxima over cuts or recalibrations.

    All have the same samples of the same populations, so that an interval does not depend on the other measures.
    """
    ranking, samples, populations = _simulate_smoothed_populations(estimands, options)
    limits = [
        _compute_limits(estimand, population, options.level)
        for estimand, population in zip(estimands, populations, strict=True)
    ]
    no_skill = np.full(len(ranking), float(ranking.positives / ranking.total))
    without_skill = make_population(ranking, no_skill)
    near = [
        i for i, population in enumerate(populations) if _may_have_no_skill(estimands[i], population, without_skill)
    ]
    unskilled = _simulate_populations(ranking, no_skill, [estimands[i] for i in near], samples, [options.seed, 1])
    for i, population in zip(near, unskilled, strict=True):
        limits[i] = _extend_to_no_skill(limits[i], estimands[i].value, population, options.level)
    return [_make_estimate(*parts, options.level) for parts in zip(estimands, populations, limits, strict=True)]


def correct_best(estimands: Sequence[Estimand], options: IntervalRequest) -> list[Corrected]:
    """Return the best over something of one ranking without what chance added to it, with its limits.

    Args:
        estimands: Measures of one ranking.
        options: The resamples and the seed.
    """
    _, _, populations = _simulate_smoothed_populations(estimands, options)
    corrected = []
    for estimand, population in zip(estimands, populations, strict=True):
        bias = population.bias if len(population.samples) else 0.0
        corrected.append(Corrected.of(estimand.value - bias, *_compute_limits(estimand, population, LEVEL)))
    return corrected


def _simulate_smoothed_populations(
    estimands: Sequence[Estimand], options: IntervalRequest
) -> tuple[Ranking, int, list[_SmoothedSamples]]:
    """Return the ranking in bins, the number of samples, and each measure in the smoothed population.

    The ranking caches the samples: the interval of a model and its difference from others need the same ones.
    """
    whole = estimands[0].ranking
    bins = bin_scores(whole, per_root=SIMULATED)
    ranking = whole if bins is None else bins.ranking
    samples = max(_FEWEST, options.resamples // _PART)
    cached: dict[str, _SmoothedSamples] = cached_value(whole, ("smoothed populations", samples, options.seed), dict)
    names = [f"{estimand.name} {estimand.parameters}" for estimand in estimands]
    for bandwidth in (constants.SMOOTHING, constants.SMOOTHING_OF_PEAKS):
        missing = {
            name: estimand
            for name, estimand in zip(names, estimands, strict=True)
            if name not in cached and _choose_bandwidth(estimand) == bandwidth
        }
        if missing:
            risks = smooth_risks(ranking, bandwidth)
            smoothed = _simulate_populations(ranking, risks, [*missing.values()], samples, [options.seed, 0])
            cached |= zip(missing, smoothed, strict=True)
    return ranking, samples, [cached[name] for name in names]


def _choose_bandwidth(estimand: Estimand) -> float:
    """Return the bandwidth of the kernel that a measure needs."""
    return constants.SMOOTHING_OF_PEAKS if estimand.form_as(MaximumOverCuts).of_peaks else constants.SMOOTHING


def smooth_risks(r: Ranking, bandwidth: float = constants.SMOOTHING) -> Array:
    """Return the share of positives at each score of the smoothed sample.

    The cases of a class are spread over the scores by a normal kernel on the scale of the normal scores of their ranks,
    in proportion to how many cases have each score: ties stay where they are.

    Args:
        r: The ranking.
        bandwidth: Of the kernel, in units of the spread of a class over the fifth root of its cases.
    """
    from statistics import NormalDist  # scipy takes longer to load than a small file to evaluate

    size = r.size.astype(float)
    # Beside a weight of 1e16 a rank is rounded to an end, where there is no normal score.
    ranks = np.clip((np.cumsum(size) - size / 2) / size.sum(), np.finfo(float).tiny, 1 - np.finfo(float).epsneg)
    z = np.fromiter(map(NormalDist().inv_cdf, ranks.tolist()), float, len(ranks))
    nodes = np.linspace(z[0], z[-1], _NODES) if len(r) > _NODES else z
    everywhere = _assign_to_nodes(z, size, nodes)
    density = []
    for cases in (r.pos, r.neg):
        weight = cases.astype(float)
        count = float(weight.sum())
        spread = math.sqrt(max(float(weight @ (z - weight @ z / count) ** 2) / count, 1e-6))
        kernel = np.exp(-0.5 * ((nodes[:, None] - nodes) / (bandwidth * spread * count**-0.2)) ** 2)
        reached = kernel @ everywhere  # by a case at each node
        smoothed_shares = kernel @ (_assign_to_nodes(z, weight, nodes) / np.maximum(reached, np.finfo(float).tiny))
        density.append(smoothed_shares if nodes is z else np.interp(z, nodes, smoothed_shares))
    return np.asarray(density[0] / np.maximum(density[0] + density[1], np.finfo(float).tiny))


def _assign_to_nodes(z: Array, weight: Array, nodes: Array) -> Array:
    """Return the weights, each at the nearest node."""
    if nodes is z:
        return weight
    place = np.rint((z - nodes[0]) / (nodes[1] - nodes[0])).astype(np.int64)
    return np.bincount(place, weight, len(nodes))


def _simulate_populations(
    r: Ranking, risk: Array, estimands: Sequence[Estimand], samples: int, seed: Sequence[int]
) -> list[_SmoothedSamples]:
    """Return each measure in a population where every score has a share of positives, and in samples of it."""
    if not estimands:
        return []
    statistics, population = [estimand.statistic for estimand in estimands], make_population(r, risk)
    smoothed = []
    for of, values in zip(statistics, sample_population(r, risk, statistics, samples, seed), strict=True):
        smoothed.append(_SmoothedSamples(float(of(population)), values[np.isfinite(values)]))
    return smoothed


def make_population(r: Ranking, risk: Array) -> Ranking:
    """Return the ranking with a given share of positives at each score."""
    pos, neg = r.size * risk, r.size * (1 - risk)
    return Ranking(r.score, pos, neg, pos, neg)


def sample_population(
    r: Ranking, risk: Array, statistics: Sequence[Callable[[Ranking], Any]], samples: int, seed: Sequence[int]
) -> list[Array]:
    """Return statistics in samples of a population where every score has a share of positives, one sample a row.

    Args:
        r: The ranking, of whole cases.
        risk: The share of positives at each of its scores.
        statistics: Functions of a stack of rankings.
        samples: The number of samples.
        seed: The seed of the samples.
    """
    urn, at_once = Urn.of(r.size), max(1, _AT_ONCE // len(r))
    streams = np.random.SeedSequence(list(seed)).spawn(-(-samples // at_once))

    def draw(stream: np.random.SeedSequence) -> list[Array]:
        parallel.stop_if_unwanted()
        rng = np.random.default_rng(stream)
        size = urn.draw(rng, max(2, min(at_once, samples)))  # one row more than one, so that the statistics see a stack
        pos = rng.binomial(size, risk)
        stack = Ranking(r.score, pos, size - pos, pos, size - pos)
        return [np.asarray(of(stack), dtype=float) for of in statistics]

    stacks = parallel.map_parallel(draw, streams, samples * len(r))
    return [np.concatenate(values)[:samples] for values in zip(*stacks, strict=True)]


def _compute_limits(estimand: Estimand, population: _SmoothedSamples, level: float) -> Limits:
    """Return the limits of the value without its bias, on the scale of its range.

    The scale is taken at the value or at the corrected one, whichever is farther from an end: at the end itself there
    is none. Student's quantile has as many degrees of freedom as the smaller class has cases.
    """
    (least, most), separated = estimand.range, find_separated_limits(estimand, level)
    if len(population.samples) < 2 or not has_spread(population.samples) or separated is not None:
        return separated or Limits(estimand.value, estimand.value)
    margin = constants.INSIDE * (most - least if math.isfinite(most) else float(population.samples.max()) - least)
    value = min(max(estimand.value, least + margin), most - margin)
    centre = min(max(value - population.bias, least + margin), most - margin)
    freedom = max(float(min(effective_size.compute_effective_sizes(estimand.ranking))) - 1, 1.0)
    se = math.hypot(float(population.samples.std(ddof=1)), constants.UNCERTAIN_BIAS * population.bias)
    se *= student_quantile(level, freedom) / quantile(level)
    at = max(value, centre, key=lambda x: min(x - least, most - x))
    low, high = normal_limits_on_scale(at, se, (least, most), level)
    if math.isinf(most):  # a value within its error of the only end says little of a logarithm
        reach = quantile(level) * se
        high = min(high, at + (math.e - 1) * max(reach, at - least))
    return Limits(max(low + centre - at, least), min(high + centre - at, most))


def _may_have_no_skill(estimand: Estimand, population: _SmoothedSamples, without_skill: Ranking) -> bool:
    """Whether chance may have given the value in a population without skill."""
    no_skill_value = float(estimand.statistic(without_skill))
    reach = (
        abs(population.bias) + constants.FAR_FROM_NO_SKILL * float(population.samples.std())
        if len(population.samples)
        else math.nan
    )
    return abs(estimand.value - no_skill_value) < reach


def _extend_to_no_skill(limits: Limits, value: float, population: _SmoothedSamples, level: float) -> Limits:
    """Extend the limits to the value of a population without skill, if that could have given the value."""
    if len(population.samples) < 2:
        return limits
    tail = (1 - level) / 2
    low, high = np.quantile(population.samples, [tail, 1 - tail])
    if not low <= value <= high:
        return limits
    return Limits(min(limits.low, population.value), max(limits.high, population.value))


def _make_estimate(estimand: Estimand, population: _SmoothedSamples, limits: Limits, level: float) -> Estimate:
    notes = [*effective_size.describe_weights(estimand.ranking), *find_caveats(estimand)]
    notes += note_few_cases(estimand.ranking)
    if find_separated_limits(estimand, level) is not None:
        notes.append(SEPARATED)
    elif len(population.samples) > 1 and has_spread(population.samples):
        notes.append(RAISED.format(estimand.form_as(MaximumOverCuts).over, format_value(abs(population.bias))))
    elif limits.low == limits.high:
        notes.append(NO_COVERAGE)
    return make_estimate(estimand.name, estimand.value, limits, estimand.range, level, METHOD, notes)
