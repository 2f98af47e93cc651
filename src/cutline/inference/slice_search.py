"""Search of slices whose mean loss is higher than that of the other cases, with one error rate for the whole search.

A slice is a conjunction of conditions on columns. Its statistic is the difference of mean losses in standard errors;
p-values compare it with the largest statistic of all slices when the losses are permuted over the cases (Westfall and
Young 1993). That controls false finds when the losses of cases in different slices are exchangeable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.parallel import stop_if_unwanted
from cutline.inference.simultaneous import westfall_young

PERMUTATIONS = 999
FEWEST_ROWS = 20_000  # of a search that cannot afford all rows
MOST_WORK = 10**10  # additions: rows times permutations times slices that a row belongs to
_AT_ONCE = 32  # permutations that are summed together
_QUARTILES = (0.25, 0.5, 0.75)
_FEW_NUMBERS = 6  # distinct numbers of a column that are taken as they are
_ROUNDING = 1e-4  # of a statistic in single precision: equal statistics must count as equal
_OVERLAP = 0.8  # of the cases of two slices from which on they are one finding


class SliceCondition(NamedTuple):
    """A column and the values that it has in a slice."""

    column: str
    text: str

    def __str__(self) -> str:
        return self.text


class CodedFeature(NamedTuple):
    """A column as numbers of its conditions."""

    codes: Array
    conditions: tuple[SliceCondition, ...]


def code_column(name: str, values: Array) -> CodedFeature:
    """Turn a column into conditions: a number with many values is cut at its quartiles, all else is a category.

    >>> coded = code_column("age", np.arange(8.0))
    >>> [str(condition) for condition in coded.conditions]
    ['age < 1.75', '1.75 <= age < 3.5', '3.5 <= age < 5.25', 'age >= 5.25']
    """
    values = np.asarray(values)
    is_number = values.dtype.kind in "iuf"
    absent = np.isnan(values) if values.dtype.kind == "f" else np.array([v is None or v != v for v in values.tolist()])
    present = values[~absent]
    if is_number and len(np.unique(present)) > _FEW_NUMBERS:
        edges = np.unique(np.quantile(present, _QUARTILES))
        codes, texts = np.searchsorted(edges, values, side="right"), _make_ranges(name, edges)
    else:
        distinct, inverse = np.unique(present.astype(str) if values.dtype.kind == "O" else present, return_inverse=True)
        codes = np.zeros(len(values), np.int64)
        codes[~absent] = inverse
        shown = [f"{value:g}" if isinstance(value, float) else value for value in distinct.tolist()]
        texts = [f"{name} = {value}" for value in shown]
    if absent.any():
        codes = np.where(absent, len(texts), codes)
        texts.append(f"{name} is missing")
    return CodedFeature(codes.astype(np.int64), tuple(SliceCondition(name, text) for text in texts))


def _make_ranges(name: str, edges: Array) -> list[str]:
    shown = [f"{edge:.6g}" for edge in edges]
    middle = [f"{low} <= {name} < {high}" for low, high in pairwise(shown)]
    return [f"{name} < {shown[0]}", *middle, f"{name} >= {shown[-1]}"]


# ---------------------------------------------------------------------- the slices


@dataclass(frozen=True, eq=False)
class Lattice:
    """The slices that are searched, and which of them each row belongs to."""

    conditions: tuple[tuple[SliceCondition, ...], ...]
    members: Any  # a sparse matrix, slices x rows

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def sizes(self) -> Array:
        """Number of cases in each slice."""
        return np.asarray(self.members.sum(axis=1)).ravel()

    def cases(self, number: int) -> Array:
        """Return the rows of a slice."""
        return np.asarray(self._by_slice.indices[slice(*self._by_slice.indptr[number : number + 2])])

    @cached_property
    def _by_slice(self) -> Any:
        return self.members.tocsr()

    def of_rows(self, rows: Array, slices: Array) -> Lattice:
        """Return some slices of some rows."""
        members = self._by_slice[slices][:, rows]
        return Lattice(tuple(self.conditions[i] for i in slices), members.tocsc())


def build_lattice(
    columns: Mapping[str, CodedFeature], depth: int, least: int, classes: Sequence[Array] = ()
) -> Lattice:
    """Return all conjunctions of up to `depth` conditions on different columns with enough cases.

    A slice must leave as many cases outside, and differ from the slices whose conditions it adds to.

    Args:
        columns: The columns.
        depth: The largest number of conditions.
        least: The smallest number of cases.
        classes: The cases of each class, as masks; of each, a slice needs a third of `least`.
    """
    from scipy.sparse import coo_matrix

    rows = len(next(iter(columns.values())).codes)
    conditions: list[tuple[SliceCondition, ...]] = []
    row_parts, slice_parts = [], []
    for number in range(1, depth + 1):
        for chosen in combinations(columns.values(), number):
            code = np.zeros(rows, np.int64)
            for column in chosen:
                code = code * len(column.conditions) + column.codes
            shape = tuple(len(column.conditions) for column in chosen)
            size = np.bincount(code, minlength=int(np.prod(shape)))
            good = (size >= least) & (rows - size >= least)
            for of_class in classes:
                good &= np.bincount(code[of_class], minlength=len(size)) >= least / 3
            good &= _differs_from_parents(size, shape)
            large = np.flatnonzero(good)
            if not len(large):
                continue
            numbers = np.full(len(size), -1)
            numbers[large] = np.arange(len(conditions), len(conditions) + len(large))
            conditions += [
                tuple(c.conditions[i] for c, i in zip(chosen, place, strict=True))
                for place in zip(*np.unravel_index(large, shape), strict=True)
            ]
            here = np.flatnonzero(good[code])
            row_parts.append(here.astype(np.int32))
            slice_parts.append(numbers[code[here]].astype(np.int32))
    if not conditions:
        return Lattice((), None)
    place = (np.concatenate(slice_parts), np.concatenate(row_parts))
    members = coo_matrix((np.ones(len(place[0]), np.float32), place), shape=(len(conditions), rows))
    return Lattice(tuple(conditions), members.tocsc())


def _differs_from_parents(size: Array, shape: tuple[int, ...]) -> Array:
    """Return which cells have fewer cases than each slice with one condition less."""
    if len(shape) == 1:
        return np.ones(len(size), bool)
    table = size.reshape(shape)
    differs = np.ones(shape, bool)
    for axis in range(len(shape)):
        differs &= table < table.sum(axis=axis, keepdims=True)
    return differs.ravel()


# ---------------------------------------------------------------------- the search


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses of the cases, with the strata and groups that permutations respect."""

    values: Array
    strata: Array | None = None  # a number for each case: losses are permuted within
    groups: Array | None = None  # a number for each case: the losses of a group move together

    def subset(self, rows: Array) -> Losses:
        """Return some cases."""
        strata, groups = (None if codes is None else codes[rows] for codes in (self.strata, self.groups))
        return Losses(self.values[rows], strata, groups)

    @property
    def centred(self) -> Array:
        """Losses less the mean of their stratum."""
        if self.strata is None:
            return np.asarray(self.values - self.values.mean())
        means = np.bincount(self.strata, weights=self.values) / np.maximum(np.bincount(self.strata), 1)
        return np.asarray(self.values - means[self.strata])

    def permuted(self, rng: np.random.Generator, count: int) -> Array:
        """Return permuted losses, a column for each permutation."""
        losses = self.centred.astype(np.float32)
        if self.groups is not None:
            return _permute_groups(losses, self.groups, rng, count)
        strata = np.zeros(len(losses), np.int64) if self.strata is None else self.strata
        permuted = np.empty((len(losses), count), np.float32)
        for stratum in np.unique(strata):
            rows = np.flatnonzero(strata == stratum)
            permuted[rows] = rng.permuted(np.tile(losses[rows], (count, 1)), axis=1).T
        return permuted


def _permute_groups(losses: Array, groups: Array, rng: np.random.Generator, count: int) -> Array:
    """Exchange the losses of whole groups of the same size."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order][:1] - 1))
    sizes = np.diff(starts, append=len(order))
    permuted = np.empty((len(losses), count), np.float32)
    for size in np.unique(sizes):
        blocks = order[starts[sizes == size][:, None] + np.arange(size)]  # rows of each group of this size
        for column in range(count):
            permuted[blocks, column] = losses[blocks[rng.permutation(len(blocks))]]
    return permuted


@dataclass(frozen=True, eq=False)
class Search:
    """Result of a search: statistics of all slices, adjusted p-values, and the mean of the largest by chance."""

    lattice: Lattice
    statistic: Array
    p_adjusted: Array
    chance_maximum: float
    difference: Array  # of the mean losses, within strata
    standard_error: Array
    rows: int

    @property
    def corrected(self) -> Array:
        """Differences less what the search for the largest adds by chance."""
        return np.maximum(0.0, (self.statistic - self.chance_maximum) * self.standard_error)

    def chosen(self, level: float, most: int = 200) -> list[int]:
        """Return the significant slices, worst first; of slices with nearly the same cases the simplest."""
        order = np.argsort(-self.statistic, kind="stable")[:most]
        return self.distinct([int(i) for i in order if self.p_adjusted[i] <= 1 - level])

    def distinct(self, slices: Sequence[int]) -> list[int]:
        """Return one of each set of slices with nearly the same cases: the one with the fewest conditions."""
        clusters: list[list[int]] = []
        for number in slices:
            cases = self.lattice.cases(number)
            for cluster in clusters:
                if _measure_overlap(cases, self.lattice.cases(cluster[0])) > _OVERLAP:
                    cluster.append(number)
                    break
            else:
                clusters.append([number])
        simplest = [min(c, key=lambda i: (len(self.lattice.conditions[i]), -self.statistic[i])) for c in clusters]
        return self._without_nested(sorted(simplest, key=lambda i: -self.statistic[i]))

    def _without_nested(self, slices: Sequence[int]) -> list[int]:
        """Leave out slices that contain, or are part of, one with a larger statistic: they repeat it."""
        distinct: list[int] = []
        for number in slices:
            own = set(self.lattice.conditions[number])
            others = [set(self.lattice.conditions[i]) for i in distinct]
            if not any(own <= other or other <= own for other in others):
                distinct.append(number)
        return distinct


def _measure_overlap(a: Array, b: Array) -> float:
    """Return the share of the cases of either slice that both have."""
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / (len(a) + len(b) - both)


def search_slices(lattice: Lattice, losses: Losses, *, permutations: int = PERMUTATIONS, seed: int = 0) -> Search:
    """Compare each slice with the other cases.

    Args:
        lattice: The slices.
        losses: The losses of the cases.
        permutations: How many permutations.
        seed: Their seed.
    """
    rng = np.random.default_rng(seed)
    members, centred = lattice.members, losses.centred
    null = np.empty((permutations, len(lattice)), np.float32)
    for start in range(0, permutations, _AT_ONCE):
        stop_if_unwanted()
        count = min(_AT_ONCE, permutations - start)
        null[start : start + count] = (members @ losses.permuted(rng, count)).T
    sums = members.astype(float) @ centred
    variance = (
        np.mean(np.square(null, dtype=float), axis=0)
        if losses.groups is not None
        else _compute_variance(lattice, losses)
    )
    spread = np.sqrt(np.where(variance > 0, variance, np.inf))
    null /= spread.astype(np.float32)
    size = lattice.sizes
    scale = 1 / size + 1 / (len(centred) - size)  # turns a sum of centred losses into a difference of means
    statistic = sums / spread
    adjusted = westfall_young(statistic - _ROUNDING, null)
    chance_maximum = float(null.max(axis=1).mean())
    difference, standard_error = sums * scale, np.sqrt(variance) * scale
    return Search(lattice, statistic, adjusted, chance_maximum, difference, standard_error, len(centred))


def _compute_variance(lattice: Lattice, losses: Losses) -> Array:
    """Return the variance of the sum of each slice's losses under permutation."""
    strata = np.zeros(len(losses.values), np.int64) if losses.strata is None else losses.strata
    centred, variance = losses.centred, np.zeros(len(lattice))
    for stratum in np.unique(strata):
        here = strata == stratum
        inside = lattice.members @ here.astype(np.float32)
        variance += np.var(centred[here], ddof=1) * inside * (here.sum() - inside) / here.sum()
    return variance


def count_affordable_rows(rows: int, slices_of_a_row: int, permutations: int) -> int:
    """Return how many rows are searched so that the work stays within its limit."""
    return min(rows, max(FEWEST_ROWS, MOST_WORK // (slices_of_a_row * permutations)))
