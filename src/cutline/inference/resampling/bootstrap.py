"""The bootstrap: a resample of the cases is a multinomial draw over the cells that hold them.

One model is the case of several models on the same cases: all of them are measured on the same drawn cases, and all
statistics asked for share the same resamples. These come in blocks of a fixed size, each with a random stream of its
own, so that neither threads nor the size of what is held in memory at once can change a result.

The cells of one model are those of its ranking, and the cells of several the cases that agree in all scores. So the
resamples of one model are its own: its interval is the same alone and in a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core import parallel
from cutline.core.array_ops import Array, keep_freed_memory
from cutline.core.errors import InputError
from cutline.core.ranking import Ranking
from cutline.inference.resampling.binning import WHOLE, are_changed_by_bins, bin_scores
from cutline.inference.resampling.samplers import LONG, CaseSampler, Cells, GroupSampler, OneModel, Sampler
from cutline.results.estimate import Limits
from cutline.results.resample_budget import choose_resamples_of_list

BLOCK = 250  # resamples to a random stream
SMALL_BLOCK = 10  # ... of a very long ranking, which has few resamples to share among threads
VERY_LONG = 100_000  # scores, from which on a resample takes a tenth of a second
CELLS = 2**18  # cells of a model held at once by a thread: more do not stay in the cache, fewer take more calls
ROWS_AT_ONCE = 2**20  # ... kinds of cases of several models
_CELLS_TO_A_ROW = 50  # cells of a statistic that take as long as the work on a row does elsewhere
_REDRAWS = 1000  # of one resample: a class of one case is in two of three, unless its share is lost to rounding
_ROUNDING = 1e-12  # of the largest draw: what a sum in another order may change
_HUGE = 1e60  # values whose fourth powers, added up, might not be numbers

Statistic = Callable[[Ranking], Any]


class Replicates(NamedTuple):
    """The values of some statistics on the same resamples, and how many resamples of one class were drawn anew."""

    values: list[Array]
    redrawn: int


def bootstrap(sampler: OneModel, statistics: Sequence[Statistic], resamples: int, seed: int) -> Replicates:
    """Return the statistics of one model on resamples, which hold both classes if the data do."""

    def compute(stack: Sequence[Ranking]) -> list[Any]:
        values = []
        for statistic in statistics:
            parallel.stop_if_unwanted()
            values.append(statistic(stack[0]))
        return values

    rows = resamples * sampler.cells * len(statistics) // _CELLS_TO_A_ROW
    return resample(sampler, compute, resamples, seed, rows=rows)


class Resampled(NamedTuple):
    """Statistics of one ranking on the same resamples, in bins of scores where these do not change them.

    `values` and `shapes` are those of each statistic, `redrawn` is how many resamples of one class were drawn anew.
    `uncertain` is by how much bins may have changed each statistic, where that matters, and `bins` their number.
    """

    values: list[Array]
    shapes: list[Shape]
    redrawn: int
    uncertain: list[float]
    bins: int


class ResamplingPlan(NamedTuple):
    """Plan of the resamples: their number, the seed, whether each class is drawn by itself, and the groups."""

    resamples: int
    seed: int
    stratified: bool = False
    groups: GroupSampler | None = None

    def sampler(self, ranking: Ranking) -> OneModel:
        """Return the sampler of a ranking that is not in bins."""
        return self.groups or CaseSampler(ranking, self.stratified)


def bootstrap_in_bins(
    ranking: Ranking,
    statistics: Sequence[Statistic],
    values: Sequence[float],
    plan: ResamplingPlan,
    *,
    cuts: Iterable[int] = (),
    shaped: Collection[int] = (),
) -> Resampled:
    """Return the values of statistics on resamples of the scores in bins, shifted to what the whole list has.

    A statistic that bins change by more than a small part of its interval is resampled on the whole list, less often,
    unless that is very long.

    Args:
        ranking: The list.
        statistics: Functions of a ranking, or of a stack of rankings.
        values: Their values on the list.
        plan: How the resamples are drawn.
        cuts: How many scores are above each cut that no bin may straddle.
        shaped: Of which statistics the shape is wanted, by their places.
    """
    every = range(len(statistics))
    per_statistic = [np.empty(0)] * len(statistics)
    shape = dict.fromkeys(every, Shape())
    uncertain, redrawn, whole, size = [0.0] * len(statistics), 0, list(every), 0

    def draw(sampler: OneModel, some: Sequence[int], resamples: int) -> tuple[list[Array], int]:
        columns, again = bootstrap(sampler, [statistics[i] for i in some], resamples, plan.seed)
        with_shape = [i for i in some if i in shaped]
        shape.update(
            zip(with_shape, describe_shapes(sampler, [statistics[i] for i in with_shape], plan.seed), strict=True)
        )
        return columns, again

    bins = bin_scores(ranking, cuts)
    if bins is not None:
        sampler = CaseSampler(bins.ranking, plan.stratified) if plan.groups is None else plan.groups.in_bins(bins)
        columns, redrawn = draw(sampler, every, plan.resamples)
        shifts, size = bins.shifts(statistics, values), len(bins.ranking)
        per_statistic = [column + shift for column, shift in zip(columns, shifts, strict=True)]
        whole = [i for i, is_changed in enumerate(are_changed_by_bins(columns, shifts)) if is_changed]
        if len(ranking) > WHOLE and whole:
            for i, width in zip(whole, bins.uncertainties(statistics[i] for i in whole), strict=True):
                uncertain[i] = max(width, abs(shifts[i]))
            whole = []
    if whole:
        enough = plan.resamples if bins is None else min(plan.resamples, choose_resamples_of_list(len(ranking)))
        columns, again = draw(plan.sampler(ranking), whole, enough)
        for i, column in zip(whole, columns, strict=True):
            per_statistic[i] = column
        redrawn = redrawn if bins is not None else again
    return Resampled(per_statistic, [shape[i] for i in every], redrawn, uncertain, size)


def resample(
    sampler: Sampler,
    ask: Callable[[Sequence[Ranking]], Sequence[Any]],
    resamples: int,
    seed: int,
    rows: int | None = None,
) -> Replicates:
    """Return statistics of the models on resamples of the same cases, which hold both classes if the data do.

    Args:
        sampler: What is drawn from.
        ask: Some numbers of the models' rankings, or of stacks of their rankings with a row for each resample.
        resamples: How many resamples are drawn.
        seed: What fixes them.
        rows: How much work it is, in rows; None for a row of each cell of each resample.
    """
    keep_freed_memory()
    size = SMALL_BLOCK if sampler.cells > VERY_LONG else BLOCK
    streams = np.random.SeedSequence(seed).spawn(-(-resamples // size))
    counts = [min(size, resamples - size * i) for i in range(len(streams))]

    def block(item: tuple[np.random.SeedSequence, int]) -> tuple[list[Array], int]:
        first, again = (np.random.default_rng(stream) for stream in item[0].spawn(2))
        blocks, redrawn, at_once = [], 0, _count_at_once(sampler)
        for start in range(0, item[1], at_once):
            stack, redraws = _draw(sampler, first, again, min(at_once, item[1] - start))
            blocks.append(_compute_statistics(sampler, stack, ask))
            redrawn += redraws
        return [np.concatenate(values) for values in zip(*blocks, strict=True)], redrawn

    rows = resamples * sampler.cells if rows is None else rows
    done = parallel.map_parallel(block, zip(streams, counts, strict=True), rows, reports=True)
    values = [np.concatenate(blocks) for blocks in zip(*(blocks for blocks, _ in done), strict=True)]
    return Replicates(values, sum(redrawn for _, redrawn in done))


def _draw(
    sampler: Sampler, first: np.random.Generator, again: np.random.Generator, count: int
) -> tuple[Sequence[Cells], int]:
    """Draw resamples, again where one class is missing, and count these."""
    parallel.stop_if_unwanted()
    resamples, redrawn = sampler.draw_models(first, count), 0
    stack, whole = resamples[0], sampler.rankings[0]
    if whole.positives and whole.negatives:
        for i in np.flatnonzero(~(stack.pos.any(-1) & stack.neg.any(-1))).tolist():
            most = redrawn + _REDRAWS
            while not (resamples[0].pos[i].any() and resamples[0].neg[i].any()):
                if redrawn == most:
                    raise InputError(
                        "One class is so rare that no resample holds both",
                        "ask for no resamples, or thin the other class",
                    )
                redrawn += 1
                anew = sampler.draw_models(again, 1)
                if count == 1:
                    resamples = anew
                else:
                    for cells, new in zip(resamples, anew, strict=True):
                        cells.put(i, new)
    return resamples, redrawn


def _count_at_once(sampler: Sampler) -> int:
    """Return the number of resamples in one stack: one of a long ranking, else as many as the cache holds."""
    longest = max(map(len, sampler.rankings))
    if longest > LONG:
        return 1
    return max(1, min(CELLS // max(1, longest), ROWS_AT_ONCE // max(1, sampler.cells)))


def _compute_statistics(
    sampler: Sampler, resamples: Sequence[Cells], compute: Callable[[Sequence[Ranking]], Sequence[Any]]
) -> list[Array]:
    """Return the statistics of some resamples, an array for each."""
    stacks = [_make_stack(ranking, cells) for ranking, cells in zip(sampler.rankings, resamples, strict=True)]
    count = len(resamples[0].pos)
    values = [np.asarray(value, dtype=float) for value in compute(stacks)]
    return [value[None] if count == 1 else np.broadcast_to(value, (count, *value.shape[1:])) for value in values]


def _make_stack(ranking: Ranking, cells: Cells) -> Ranking:
    """Return the rankings of some resamples; one needs no stack."""
    pos, neg, pos2, neg2 = [column[0] if len(column) == 1 else column for column in cells.columns]
    return replace(ranking, score=cells.score, pos=pos, neg=neg, pos2=pos2, neg2=neg2)


# ---------------------------------------------------------------------- limits


def percentile(draws: Array, level: float) -> Limits:
    """Return the percentile interval of sorted draws: two of them; NaN when these are too few for the level.

    With further axes, the draws are along the first.

    >>> percentile(np.arange(1.0, 40.0), 0.95)  # of 39 draws, the first and the last
    Limits(low=np.float64(1.0), high=np.float64(39.0))
    """
    rank = min(_rank(draws, (1 - level) / 2), (len(draws) + 1) // 2)
    if rank < 1:
        return Limits(*[np.full(draws.shape[1:], np.nan)[()]] * 2)
    return Limits(draws[rank - 1], draws[len(draws) - rank])


def _rank(draws: Array, tail: float) -> int:
    """Return the number of the draw below which a share of them lies, the data at hand counted as one more."""
    return math.floor((len(draws) + 1) * tail + 1e-9)


def bca(draws: Array, value: float, acceleration: float, level: float) -> Limits | None:
    """Return Efron's (1987) BCa percentiles; None when all draws are on one side.

    The draws are in order, and the limits two of them.
    """
    from statistics import NormalDist

    normal = NormalDist()
    # Draws that differ from the value by rounding alone, which is not the same on all processors, are equal to it.
    rounding = _ROUNDING * max(abs(value), abs(float(draws[0])), abs(float(draws[-1])))
    below = (np.mean(draws < value - rounding) + np.mean(draws <= value + rounding)) / 2
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


class Shape(NamedTuple):
    """Distribution of the changes that single cases make in a statistic.

    The acceleration is a sixth of their skewness. The degrees of freedom say how well their spread is known: those of
    the variance of normal changes, or fewer where a few cases make most of the changes (Satterthwaite).
    """

    acceleration: float = 0.0
    freedom: float = math.inf


def describe_shapes(sampler: OneModel, statistics: Sequence[Statistic], seed: int) -> list[Shape]:
    """Return the shape of each statistic, from what leaving out one case changes.

    With up to two hundred kinds of cases each is left out in turn; with more, the cases are dealt at random into a
    hundred lots, and each lot is left out, which estimates the same numbers. Both corrections shrink with the number
    of cases: for a very long ranking there is none.
    """
    if sampler.cells > VERY_LONG:
        return [Shape()] * len(statistics)
    without_lots, times = [], []
    for cells in sampler.left_out(np.random.default_rng(seed), _count_at_once(sampler)):
        without_lots.append(
            _compute_statistics(sampler, (cells,), lambda stack: [statistic(stack[0]) for statistic in statistics])
        )
        times.append(cells.times)
    often = np.concatenate(times)
    return [
        _describe_changes(np.concatenate(values), often, sampler.units) for values in zip(*without_lots, strict=True)
    ]


def compute_accelerations(sampler: OneModel, statistics: Sequence[Statistic], seed: int) -> list[float]:
    """Return the acceleration of each statistic, for BCa."""
    return [shape.acceleration for shape in describe_shapes(sampler, statistics, seed)]


def _describe_changes(values: Array, times: Array, units: float) -> Shape:
    """Return the shape of changes, each with its number of times, in data of a number of cases or groups."""
    known = np.isfinite(values)
    values, times = values[known], times[known]
    if not len(values):
        return Shape()
    largest = float(np.abs(values).max())
    if largest > _HUGE:  # the shape does not depend on the unit, and fourth powers must be numbers
        values = values / largest
    change = np.average(values, weights=times) - values
    second = float(times @ change**2)
    if not second > 0:
        return Shape()
    lots = float(times.sum())
    excess = max(lots * float(times @ change**4) / second**2 - 3, -2.0)
    # The relative variance of a variance is (2 + excess) / units; lots of units have less excess, in proportion.
    relative = max(2 / units + excess / lots, 1e-9)
    return Shape(float(times @ change**3) / second**1.5 / 6, 2 / relative)
