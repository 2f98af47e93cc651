"""Samplers of the bootstrap: the cases of a ranking, one by one or in groups."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import Argument, InputError, ParameterError, Text
from cutline.core.ranking import Ranking, find_scores
from cutline.core.table import ComparedByFields
from cutline.core.validation import encode_groups
from cutline.inference.resampling.binning import ScoreBins
from cutline.inputs import in_memory
from cutline.inputs.alignment import align_groups
from cutline.inputs.rank import Cases, WeightsAre

_PARTS = 2**16  # of the numbers from 0 to 1: what 16 bits tell apart
_OPEN = -1
_BELOW = 4.5  # standard deviations by which the total is expected below the number of rows


class RowsByCell(NamedTuple):
    """Rows in the order of their cells: where the rows of each cell start, and the cell of each row."""

    starts: Array
    cell: Array

    @classmethod
    def of(cls, sizes: Array) -> RowsByCell:
        """Return the rows of cells with these numbers of rows, at least one each."""
        ends = sizes.cumsum()
        starts = np.concatenate(([0], ends[:-1]))
        # Counting wants numbers of the width of a pointer; those of many rows should rather be short.
        width = np.intp if ends[-1] <= MANY else np.int32
        return cls(starts, np.repeat(np.arange(len(sizes), dtype=width), sizes))


class _Poisson(NamedTuple):
    """The Poisson distribution at some rate: of each of 65536 equal chances its count, where it has only one."""

    cumulated: Array
    only_count: Array


@lru_cache(maxsize=16)
def _tabulate_poisson(rate: float) -> _Poisson:
    count = np.arange(60)  # the chance of more is below what a float can tell
    logs = count * math.log(rate) - rate - np.array([math.lgamma(1.0 + k) for k in count])
    cumulated = np.exp(logs).cumsum()
    edges = np.searchsorted(cumulated, np.arange(_PARTS + 1) / _PARTS, side="right")
    only = np.where(edges[1:] == edges[:-1], edges[:-1], _OPEN)
    return _Poisson(cumulated, only.astype(np.int8))


def draw_times(rng: np.random.Generator, n: int, rows: RowsByCell | None = None) -> Array:
    """Draw how often each of n rows, or each cell of rows, is in a resample of n, for n from a few hundred on.

    Args:
        rng: What draws.
        n: How many rows there are.
        rows: The rows by cell; None when each row is a cell of its own.

    >>> int(draw_times(np.random.default_rng(0), 1000).sum())
    1000
    >>> len(draw_times(np.random.default_rng(0), 1000, RowsByCell.of(np.array([400, 600]))))
    2
    """
    poisson = _tabulate_poisson(1 - _BELOW / math.sqrt(n))
    while True:
        words = rng.integers(0, 2**64 - 1, -(-n // 4), dtype=np.uint64, endpoint=True)
        part = words.astype("<u8", copy=False).view("<u2")[:n]
        counts, undecided = _decide_counts(part, poisson.only_count, rows)
        # Where the end of a count lies inside the part, more digits tell.
        chance = (part[undecided] + rng.random(len(undecided))) / _PARTS
        more = np.searchsorted(poisson.cumulated, chance, side="right")
        missing = n - int(counts.sum()) - int(more.sum())
        if missing >= 0:
            extra = np.concatenate((np.repeat(undecided, more), rng.integers(0, n, missing)))
            np.add.at(counts, extra if rows is None else rows.cell[extra], 1)
            return counts


def _decide_counts(part: Array, only_count: Array, rows: RowsByCell | None) -> tuple[Array, Array]:
    """Return the counts that the high bits of the draws decide, and the draws that need more bits."""
    if in_memory.compiled is not None and rows is not None:
        counts, found = np.empty(len(rows.starts), np.int64), np.empty(len(part), np.int64)
        number = in_memory.compiled.draw(part.astype(np.uint16, copy=False), only_count, rows.starts, counts, found)
        return counts, found[:number]
    counts = only_count.take(part).astype(np.int64)
    undecided = np.flatnonzero(counts == _OPEN)
    counts[undecided] = 0
    return counts if rows is None else np.add.reduceat(counts, rows.starts), undecided


def check_strata(strata: Any, weights_are: WeightsAre | None) -> None:
    """Refuse strata of a plain sample, whose weights say how much a case counts.

    Args:
        strata: The strata, or None.
        weights_are: What the weights are.
    """
    if strata is not None and isinstance(weights_are, str) and weights_are == "importance":
        raise ParameterError(
            "is given, but weights that say how much a case counts are of a plain sample",
            Text("pass ", Argument("weights_are", "sampling"), ", or leave strata out"),
            argument="strata",
        )


def make_sampler(
    ranking: Ranking, cases: Cases, groups: Any, strata: Any, weights_are: WeightsAre | None
) -> GroupSampler:
    """Return the sampler of a design: of the groups, or of its cases, within their strata.

    Args:
        ranking: The ranking of the cases.
        cases: The cases, row by row.
        groups: The group of each case; None where each is one by itself.
        strata: The stratum of each case; None where there are none.
        weights_are: What the weights are.
    """
    check_strata(strata, weights_are)
    together = None if groups is None else align_groups(groups, cases)
    apart = None if strata is None else align_groups(strata, cases, "strata")
    return GroupSampler.of(ranking, cases.is_positive, cases.scores, cases.weights, together, apart)


MOST_LEFT_OUT = 200  # cells, or groups, up to which a jackknife leaves out each in turn; of more, lots of them
LOTS = 100
LONG = 2**13  # a ranking of more scores is resampled one at a time, without the scores that were not drawn
MANY = 2**13  # rows, from which on a resample is drawn without drawing row by row


class Cells(NamedTuple):
    """The positives and the negatives at each score, for some resamples, one a row; and how often each counts.

    The squared weights of the cases are there only where weights are not counts.
    """

    score: Array
    pos: Array
    neg: Array
    pos2: Array | None = None
    neg2: Array | None = None
    times: Array = np.ones(1)

    @property
    def columns(self) -> tuple[Array, Array, Array, Array]:
        """Return the weights and the squared weights of both classes, as a ranking has them."""
        pos2, neg2 = (self.pos if self.pos2 is None else self.pos2), (self.neg if self.neg2 is None else self.neg2)
        return self.pos, self.neg, pos2, neg2

    def put(self, row: int, other: Cells) -> None:
        """Replace a resample by the only one of other cells."""
        for mine, new in zip(self.columns, other.columns, strict=True):
            mine[row] = new[0]

    def only_drawn(self) -> Cells:
        """Drop the scores of a single resample at which no case was drawn."""
        cells = np.flatnonzero(np.add(self.pos[0], self.neg[0]) > 0)
        pos, neg = self.pos.take(cells, 1), self.neg.take(cells, 1)
        pos2, neg2 = (column if column is None else column.take(cells, 1) for column in (self.pos2, self.neg2))
        return Cells(self.score.take(cells), pos, neg, pos2, neg2, self.times)


class Sampler(Protocol):
    """Interface to resample the cases of several models, or groups of cases."""

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Return the models."""

    @property
    def cells(self) -> int:
        """Count, or nearly, the cells of cases that can be drawn: the cost of a resample."""

    def draw_models(self, rng: np.random.Generator, count: int) -> Sequence[Cells]:
        """Draw resamples, as each model sees them."""


class OneModel(Sampler, Protocol):
    """Interface to resample the cases of one model."""

    @property
    def ranking(self) -> Ranking:
        """Return the model."""

    @property
    def units(self) -> float:
        """Count the units that make a resample: cases, or groups."""

    def left_out(self, rng: np.random.Generator, at_once: int) -> Iterator[Cells]:
        """Return the data without one unit, for all units in turn, or without one of a hundred lots of them."""


class _OfOneModel(ABC):
    """Adapts the sampler of one ranking to the interface for several models."""

    ranking: Ranking

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Return the model."""
        return (self.ranking,)

    @property
    def cells(self) -> int:
        """Return the distinct scores."""
        return len(self.ranking)

    @property
    @abstractmethod
    def units(self) -> float:
        """Count the units that make a resample: cases, or groups."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int) -> Cells:
        """Draw resamples, one a row."""

    def draw_models(self, rng: np.random.Generator, count: int) -> tuple[Cells]:
        """Draw resamples, as the one model sees them."""
        return (self.draw(rng, count),)


class Urn(NamedTuple):
    """The number of cases of each cell, and how many draws make a resample."""

    sizes: Array
    draws: int
    rows: RowsByCell | None  # when single rows are drawn

    @classmethod
    def of(cls, sizes: Array) -> Urn:
        """Return an urn with the cases of each cell, as many draws as cases, and the faster way to draw them."""
        draws = max(round(float(sizes.sum())), 1)
        whole = np.rint(sizes).astype(np.int64)
        # A row costs a few nanoseconds and a cell a hundred; rows exist only in whole numbers.
        by_rows = draws < 30 * len(sizes) and bool(np.allclose(sizes, whole, rtol=1e-9, atol=0))
        return cls(whole if by_rows else sizes, draws, RowsByCell.of(whole) if by_rows else None)

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Draw the number of cases of each cell in each resample, one a row."""
        n, cells = self.draws, len(self.sizes)
        if not cells:
            return np.zeros((count, 0), dtype=np.int64)
        if self.rows is None:
            return rng.multinomial(n, self.sizes / self.sizes.sum(), count)
        if n > MANY:
            each = [draw_times(rng, n, None if cells == n else self.rows) for _ in range(count)]
            return np.stack(each) if count > 1 else each[0][None]  # a stack of one would be a copy
        times = np.empty((count, cells), dtype=np.int64)
        for here, rows in zip(times, rng.integers(0, n, (count, n)), strict=True):
            here[:] = np.bincount(rows if cells == n else self.rows.cell.take(rows), minlength=cells)
        return times


class _FilledCells(NamedTuple):
    """The cells that hold cases: where they are, how many cases each has, what one weighs (None: 1), whose they are."""

    where: Array
    sizes: Array
    unit: Array | None
    positives: Array


@dataclass(frozen=True)
class CaseSampler(_OfOneModel):
    """Draws cases with replacement, all together or (stratified) each class by itself.

    With weights that are not whole numbers, the cases of one score and class count as (sum w)^2 / sum w^2 cases of
    equal weight, which is exact where they are one case or weigh the same, and keeps the variance where not. A resample
    is then brought to the weight of the data.
    """

    ranking: Ranking
    stratified: bool = False

    @cached_property
    def _apart(self) -> bool:
        """Whether each score is of one class, so that the cells with cases are the scores."""
        return not self.stratified and bool(((self.ranking.pos > 0) != (self.ranking.neg > 0)).all())

    @cached_property
    def _filled(self) -> _FilledCells:
        r = self.ranking
        if self._apart:  # then a sum of both columns is one of them
            cells, squared, positives = r.size, r.pos2 + r.neg2, r.pos > 0
            where = np.arange(len(r))
        else:
            cells, squared = np.concatenate((r.pos, r.neg)), np.concatenate((r.pos2, r.neg2))
            where = np.flatnonzero(cells)
            cells, squared, positives = cells[where], squared[where], where < len(r)
        sizes, unit = (cells, None) if r.integral else (cells**2 / squared, squared / cells)
        return _FilledCells(where, sizes, unit, positives)

    @cached_property
    def _urns(self) -> tuple[Urn, ...]:
        sizes, positives = self._filled.sizes, self._filled.positives
        return (Urn.of(sizes[positives]), Urn.of(sizes[~positives])) if self.stratified else (Urn.of(sizes),)

    @property
    def units(self) -> float:
        """Return the effective number of cases."""
        return float(self._filled.sizes.sum())

    def draw(self, rng: np.random.Generator, count: int) -> Cells:
        """Draw resamples, one a row."""
        times = [urn.draw(rng, count) for urn in self._urns]
        return self._make_cells(times[0] if len(times) == 1 else np.concatenate(times, axis=1), rescale=True)

    def _make_cells(self, times: Array, *, rescale: bool = False) -> Cells:
        """Return the weight at each score, from how often each cell was drawn."""
        r, unit, positives = self.ranking, self._filled.unit, self._filled.positives
        columns = [times]
        if unit is not None:
            weight = times * unit
            scale = (float(r.total) / weight.sum(-1))[:, None] if rescale else 1.0
            weight *= scale
            columns = [weight, weight * unit * scale]
        is_long = len(r) > LONG and len(times) == 1
        if not self._apart:
            cells = Cells(r.score, *(part for column in columns for part in self._arrange_by_score(column)))
            return cells.only_drawn() if is_long else cells
        score = r.score
        if is_long:  # as only_drawn would, but faster
            rows = np.flatnonzero(times[0] > 0)
            score, positives = score.take(rows), positives.take(rows)
            columns = [column.take(rows, 1) for column in columns]
        of_positives = [column * positives for column in columns]
        return Cells(score, *(part for c, pos in zip(columns, of_positives, strict=True) for part in (pos, c - pos)))

    def _arrange_by_score(self, column: Array) -> tuple[Array, Array]:
        """Return the columns of positives and of negatives at each score from those of the cells with cases."""
        where, n = self._filled.where, len(self.ranking)
        pos, neg = (np.zeros((len(column), n), column.dtype) for _ in range(2))
        first = int(self._filled.positives.sum())
        pos[:, where[:first]] = column[:, :first]
        neg[:, where[first:] - n] = column[:, first:]
        return pos, neg

    def left_out(self, rng: np.random.Generator, at_once: int) -> Iterator[Cells]:
        """Return the data without one case of each cell; with many cells, without one of a hundred lots of cases."""
        sizes = self._filled.sizes
        if len(sizes) <= MOST_LEFT_OUT:
            for start in range(0, len(sizes), at_once):
                some = np.arange(start, min(start + at_once, len(sizes)))
                left = np.repeat(sizes[None], len(some), axis=0)
                left[np.arange(len(some)), some] -= 1
                yield self._make_cells(left)._replace(times=sizes[some].astype(float))
            return
        rest = np.rint(sizes).astype(np.int64)
        for start in range(0, LOTS, at_once):
            without: list[Array] = []
            for lot in range(start, min(start + at_once, LOTS)):
                removed = rng.binomial(rest, 1 / (LOTS - lot))
                rest = rest - removed
                without.append(sizes - removed)
            yield self._make_cells(np.stack(without))._replace(times=np.ones(len(without)))


def number_strata(strata: Array, group: Array) -> Array:
    """Return the number of each group's stratum; refuse a group in two."""
    code = encode_groups(strata, "strata", "name one for each case")[1]
    stratum_of_group = np.empty(int(group.max()) + 1, np.int64)
    stratum_of_group[group] = code
    if (stratum_of_group[group] != code).any():
        raise InputError("divides a group", "pass strata that hold whole groups", argument="strata")
    return stratum_of_group


def draw_groups(rng: np.random.Generator, count: int, groups: int, stratum: Array | None) -> Array:
    """Draw the groups of each stratum; return how often each is in each resample, one a row.

    Args:
        rng: The random numbers.
        count: How many resamples.
        groups: How many groups there are.
        stratum: Of each group, the number of its stratum; None when all are of one.
    """
    if stratum is None:
        return Urn.of(np.ones(groups)).draw(rng, count)
    times = np.empty((count, groups), np.int64)
    for code in range(int(stratum.max()) + 1):
        members = np.flatnonzero(stratum == code)
        times[:, members] = Urn.of(np.ones(len(members))).draw(rng, count)
    return times


@dataclass(frozen=True, eq=False)
class GroupSampler(ComparedByFields, _OfOneModel):
    """Draws whole groups of cases with replacement, such as all the visits of a patient, from each stratum apart."""

    ranking: Ranking
    cell: Array  # of each row: where in the ranking it is, the negatives after all scores
    group: Array  # of each row: the number of its group
    weight: Array | None
    groups: int
    stratum: Array | None = None  # of each group: the number of its stratum
    are_single: bool = False  # whether nobody named groups, and every case is one of its own

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        is_positive: Array,
        scores: Array,
        weights: Array | None,
        groups: Array | None = None,
        strata: Array | None = None,
    ) -> Self:
        """Return the sampler of the cases that a ranking was made of, which were read before.

        Args:
            ranking: Their ranking.
            is_positive: Which of them are positive.
            scores: Their scores.
            weights: Their weights; None when each counts one.
            groups: The group of each; None when each is one of its own.
            strata: The stratum of each, from which groups were drawn apart; None when all are of one.
        """
        n = len(is_positive)
        names, code = (np.arange(n), np.arange(n)) if groups is None else encode_groups(groups)
        cell = find_scores(ranking, scores).astype(np.intp)
        cell[~is_positive] += len(ranking)
        apart = None if strata is None else number_strata(strata, code)
        return cls(ranking, cell, code, weights, len(names), apart, groups is None)

    def in_bins(self, bins: ScoreBins) -> Self:
        """Return the same groups of the same cases, the scores in bins."""
        scores = len(self.ranking)
        is_negative = self.cell >= scores
        cell = bins.bin_of(self.cell - scores * is_negative) + len(bins.ranking) * is_negative
        return replace(self, ranking=bins.ranking, cell=cell)

    @property
    def has_weights(self) -> bool:
        """Whether cases have weights that are not counts."""
        return self.weight is not None and not self.ranking.integral

    @property
    def described(self) -> tuple[int, int, int, float]:
        """Count groups (0 where cases are single), strata (0 without), cases, and cases in effect."""
        together, strata = (0 if self.are_single else self.groups), (0 if self.stratum is None else self.strata)
        return together, strata, len(self.cell), self.effective

    @cached_property
    def freedom_of_classes(self) -> tuple[float, float]:
        """Count the groups with a positive, and those with a negative, less their strata: degrees of freedom."""
        freedom = []
        for of_class in (self.cell < len(self.ranking), self.cell >= len(self.ranking)):
            some = np.unique(self.group[of_class])
            freedom.append(float(len(some) - (1 if self.stratum is None else len(np.unique(self.stratum[some])))))
        return freedom[0], freedom[1]

    @property
    def strata(self) -> int:
        """Count the strata."""
        return 1 if self.stratum is None else int(self.stratum.max()) + 1

    def counts(self, at: Counts) -> Counts:
        """Count the cases in the four cells of a cut, whatever they weigh."""
        cut, scores = self.ranking.cut(float(at.threshold)), len(self.ranking)
        number = np.bincount(self.cell, minlength=2 * scores)
        tp, fp = number[:cut].sum(), number[scores : scores + cut].sum()
        return Counts(tp, fp, number[:scores].sum() - tp, number[scores:].sum() - fp, at.threshold)

    @property
    def effective(self) -> float:
        """Return Kish's effective number of cases."""
        if self.weight is None:
            return float(len(self.cell))
        return float(np.sum(self.weight)) ** 2 / float(np.sum(np.square(self.weight, dtype=float)))

    @property
    def units(self) -> float:
        """Count the groups."""
        return float(self.groups)

    def draw(self, rng: np.random.Generator, count: int) -> Cells:
        """Draw resamples, one a row."""
        return self._collect_groups(draw_groups(rng, count, self.groups, self.stratum))

    def _collect_groups(self, times: Array) -> Cells:
        r, columns = self.ranking, [self._sum_by_cell(times, self.weight)]
        if not r.integral and self.weight is not None:
            columns.append(self._sum_by_cell(times, np.square(self.weight)))
        done = Cells(r.score, *(part for cells in columns for part in (cells[:, : len(r)], cells[:, len(r) :])))
        return done.only_drawn() if len(r) > LONG and len(times) == 1 else done

    def _sum_by_cell(self, times: Array, weight: Array | None) -> Array:
        """Return the weight of the drawn groups at each score, of negatives after that of positives."""
        cells = np.empty((len(times), 2 * len(self.ranking)), self.ranking.pos.dtype)
        for row, counts in zip(cells, times, strict=True):
            often = counts[self.group] if weight is None else counts[self.group] * weight
            row[:] = np.bincount(self.cell, weights=often, minlength=cells.shape[1])  # whole up to 2**53, and so exact
        return cells

    def left_out(self, rng: np.random.Generator, at_once: int) -> Iterator[Cells]:
        """Return the data without one group, or without one of a hundred lots of groups."""
        lots = min(self.groups, MOST_LEFT_OUT) if self.groups <= MOST_LEFT_OUT else LOTS
        lot = np.arange(self.groups) if self.groups <= MOST_LEFT_OUT else rng.permutation(self.groups) % lots
        for start in range(0, lots, at_once):
            some = np.arange(start, min(start + at_once, lots))
            is_kept = (lot != some[:, None]).astype(np.int64)
            yield self._collect_groups(is_kept)._replace(times=np.ones(len(some)))
