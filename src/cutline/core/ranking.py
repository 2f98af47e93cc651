"""The ranking: distinct scores in order, with the weight of the positives and of the negatives at each.

It is a sufficient statistic for all that cutline computes, and it is valid by construction: `rank()` checks
what it is made from, so nothing that takes a `Ranking` has to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core import validation
from cutline.core.array_ops import Array, PairWeights, Symbol, as_array, count_first, cumulate, dot, fill, take
from cutline.core.caching import Value, cached_column, cached_if_short, cached_value, is_long
from cutline.core.counts import CLASSES, Counts, add_commas, check_count, divide, format_number
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.escaping import html_text
from cutline.core.hull import Hulls, find_hulls, sum_between_cuts
from cutline.core.public import public
from cutline.core.table import Table

_CACHED_APART = 500_000  # cells of a stack
BLOCK = 1 << 15  # cells that are worked on together: their columns stay in the processor's cache
_FEW_QUOTAS = 64  # quotas of a ranking in blocks that are looked up one by one
_IN_BLOCKS = 1 << 18  # cells, from which on a ranking is read in blocks
_LONGEST_NAME = 30  # characters of a class in the head of a table


class Bracket(NamedTuple):
    """Two rankings between which the exact one lies.

    `low` puts the negatives of each bin first and `high` the positives. Every measure that can only gain when a
    positive moves up past a negative (`Measure.concordant`) has its exact value between its values on the two; where
    one of these is undefined, that side has no bound.
    """

    low: Ranking
    high: Ranking


@dataclass(frozen=True, eq=False)
class Ranking:
    """The table of the distinct scores, from the most to the least positive, with both classes' weight at each.

    `pos` and `neg` may have leading axes (a stack of resamples on the same scores); the last axis is the ranking's.
    They are integers where the weights are. `pos2` and `neg2` are the sums of the squared weights.
    """

    score: Array
    pos: Array
    neg: Array
    pos2: Array
    neg2: Array
    higher_is_positive: bool = True
    positive: Any = 1
    dropped: int = 0
    exact: bool = True
    reach: tuple[Array, Array] | None = None  # of bins: the first and the last score in each, as the ranking runs
    negative: Any = None  # the label of the other class, where it is known; a caption, so equality passes over it
    are_scores: bool = False  # no probabilities, though these lie between 0 and 1: others of the same list do not
    read_as: str = ""  # how a file was read, where it is worth a note; a caption too

    def __post_init__(self) -> None:
        if self.reach is not None and len(self.reach[0]) != len(self.score):
            object.__setattr__(self, "reach", None)  # made of other cells than the bins
        if (self.pos.dtype.kind == "f") != (self.neg.dtype.kind == "f"):  # the weights of one class alone are whole
            pos, neg = self.pos.astype(float), self.neg.astype(float)
            squares = (pos, neg) if self.is_unweighted else (self.pos2, self.neg2)
            for name, column in zip(("pos", "neg", "pos2", "neg2"), (pos, neg, *squares), strict=True):
                object.__setattr__(self, name, column)
        for column in (self.score, self.pos, self.neg, self.pos2, self.neg2):
            column.setflags(write=False)  # what is cached would not follow

    @classmethod
    def of_counts(cls, score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Ranking:
        """Return a ranking from its finished columns: distinct scores, descending, and unweighted counts at each.

        Scores without cases are left out, unless `pos` and `neg` hold several rankings.

        Args:
            score: The distinct scores, in descending order.
            pos: The number of positives at each score.
            neg: The number of negatives at each score.
        """
        score = validation.as_scores(score, "score").astype(float)
        pos, neg = (np.array(check_count(cells, name), ndmin=1) for cells, name in ((pos, "pos"), (neg, "neg")))
        for name, cells in (("pos", pos), ("neg", neg)):
            if not len(score) or cells.shape[-1:] != score.shape:
                problem = f"has {len(score)} values but {name} has {cells.shape[-1]}"
                raise InputError(problem, "pass one for each score", argument="score")
        if pos.shape != neg.shape:
            raise InputError("and neg have different shapes", "pass both for the same rankings", argument="pos")
        if not (score[1:] < score[:-1]).all() or np.isnan(score[0]):
            raise InputError("must be distinct and descending", "pass rows to rank() instead", argument="score")
        if pos.ndim == 1 and (some := (pos > 0) | (neg > 0)).any() and not some.all():
            score, pos, neg = score[some], pos[some], neg[some]
        return cls(score, pos, neg, pos, neg)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        same_kind = self.higher_is_positive == other.higher_is_positive and self.positive == other.positive
        same_kind = same_kind and np.array_equal(self.reach or (), other.reach or ())
        names = ("score", "pos", "neg", "pos2", "neg2")
        return same_kind and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew from its fields, so that a copy is as read-only as this one and carries nothing that was cached.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __len__(self) -> int:
        return len(self.score)

    # ---- what many measures need, computed once

    @cached_column
    def tp(self) -> Array:
        """Positives at or above each cut; the first cut flags no case."""
        return cumulate(self.pos)

    @cached_column
    def fp(self) -> Array:
        """Negatives at or above each cut; the first cut flags no case."""
        return cumulate(self.neg)

    # Whole numbers can be added in any order; floats in that of tp and fp, so that what is left at the end is 0.

    @cached_property
    def positives(self) -> Any:
        """P, the weight of the positives."""
        return self.pos.sum(-1) if self.integral else self.tp[..., -1]

    @cached_property
    def negatives(self) -> Any:
        """N, the weight of the negatives."""
        return self.neg.sum(-1) if self.integral else self.fp[..., -1]

    @cached_property
    def total(self) -> Any:
        """n, the weight of all cases."""
        return self.positives + self.negatives

    @cached_property
    def squared_weights(self) -> tuple[Any, Any]:
        """The sums of the squared weights of the positives and of the negatives."""
        return self.pos2.sum(-1), self.neg2.sum(-1)

    @cached_property
    def squared(self) -> Ranking:
        """The ranking whose cells hold the squared weights, for the variance of a sum over the cases."""
        return replace(self, pos=self.pos2, neg=self.neg2)

    @cached_column
    def thresholds(self) -> Array:
        """Threshold of each cut: +inf (flags no case), then the distinct scores in descending order."""
        nobody = np.inf if self.higher_is_positive else -np.inf
        return np.concatenate(([nobody], self.score))

    @cached_if_short
    def counts(self) -> Counts:
        """Return the contingency tables of all cuts."""
        tp, fp = self.tp, self.fp
        return Counts(tp, fp, tp[..., -1:] - tp, fp[..., -1:] - fp, self.thresholds, self.are_probabilities)

    @cached_column
    def ends(self) -> Array:
        """Number of places of the list that each cut takes."""
        return self.tp + self.fp

    @cached_column
    def tpr(self) -> Array:
        """Recall at each cut; NaN when there is no positive."""
        return as_array(divide(self.tp, self.tp[..., -1:]))

    @cached_column
    def fpr(self) -> Array:
        """False positive rate at each cut; NaN when there is no negative."""
        return as_array(divide(self.fp, self.fp[..., -1:]))

    @cached_column
    def precision(self) -> Array:
        """Precision at each cut; 0 where nothing is flagged, as Berrar starts the curve."""
        return fill(divide(self.tp, self.ends), 0.0, where=self.ends == 0)

    @cached_column
    def size(self) -> Array:
        """The weight of the cases at each score."""
        return self.pos + self.neg

    @cached_column
    def share(self) -> Array:
        """The share of positives at each score: Arbel & Rokach's t of the places there; 0 where there is no case."""
        return fill(divide(self.pos, self.size), 0.0, where=self.size == 0)

    @cached_property
    def pairs(self) -> PairWeights:
        """Weights of the concordant, tied and all pairs of a positive and a negative."""
        pos, positives, total = self.pos, self.positives, self.total
        # Too many pairs for integers: floats lose last digits, but do not overflow.
        if pos.dtype.kind != "f" and (total if pos.ndim == 1 else total.max()) >= 2**31:
            pos, positives = pos.astype(float), positives.astype(float)
        every = positives * self.negatives
        if pos.dtype.kind == "f":  # the difference of two large sums would not be exact
            concordant = dot(pos, self.fp[..., -1:] - self.fp[..., 1:])
        elif self.is_in_blocks:
            blocks = enumerate(self.totals_of_blocks[1].tolist())
            concordant = every - sum(_pairs_below(pos, self.neg, i * BLOCK, above) for i, above in blocks)
        else:
            concordant = every - dot(pos, self.fp[..., 1:])
        return PairWeights(concordant, dot(pos, self.neg), every)

    @cached_if_short
    def floats(self) -> tuple[Array, Array]:
        """Return the weights of the positives and of the negatives as floats, for sums of products with floats."""
        return self.pos.astype(float, copy=False), self.neg.astype(float, copy=False)

    @cached_column
    def key(self) -> Array:
        """The scores as float64, negated if low scores mean positive."""
        score = self.score.astype(float, copy=False)
        return score if self.higher_is_positive else -score

    @cached_if_short
    def logs(self) -> tuple[Array, Array]:
        """Return the logarithms of the scores, read as probabilities, and of their complements."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self.key), np.log1p(-self.key)

    @cached_property
    def hulls(self) -> Hulls:
        """The cuts on the ROC convex hull of each ranking of a stack, the two trivial ones included."""
        return find_hulls(*(column.reshape(-1, len(self)) for column in np.broadcast_arrays(self.pos, self.neg)))

    @cached_property
    def hull_totals(self) -> tuple[Array, Array]:
        """True and false positives at the cuts of `hulls`, as floats."""
        row, cut = self.hulls
        if self.is_in_blocks:
            sums = (np.add.reduceat(cells, cut[:-1]).astype(float) for cells in (self.pos, self.neg))
            tp, fp = (np.concatenate(([0.0], np.cumsum(column))) for column in sums)
            return tp, fp
        tp, fp = (column.reshape(-1, len(self) + 1) for column in np.broadcast_arrays(self.tp, self.fp))
        return tp[row, cut].astype(float), fp[row, cut].astype(float)

    @cached_property
    def hull_pools(self) -> tuple[Array, Array]:
        """Positives and negatives between each cut of `hulls` and the next one of its row, as floats.

        Sums of their own: differences of totals would lose a small weight beside large ones.
        """
        row, cut = self.hulls
        pos, neg = (column.reshape(-1, len(self)) for column in np.broadcast_arrays(self.pos, self.neg))
        return sum_between_cuts(pos, row, cut)[1:], sum_between_cuts(neg, row, cut)[1:]

    @property
    def hull(self) -> Array:
        """The cuts of one ranking (not of a stack) on its ROC convex hull, the two trivial ones included."""
        return self.hulls.cut

    @property
    def whole(self) -> Ranking:
        """The ranking itself; of a block of its cells, the ranking that they belong to."""
        return self

    @cached_property
    def is_long(self) -> bool:
        """Whether it, or the stack, is too long to cache many columns."""
        return is_long(self.pos)

    @cached_property
    def is_in_blocks(self) -> bool:
        """Whether it is read block by block, because whole columns would cost more to hold than to compute."""
        return not isinstance(self.pos, Symbol) and self.pos.ndim == 1 and len(self.pos) >= _IN_BLOCKS and self.integral

    @cached_property
    def totals_of_blocks(self) -> tuple[Array, Array]:
        """The positives and the negatives before each block."""
        first = np.arange(0, len(self), BLOCK)
        positives, negatives = (
            np.concatenate(([0], np.cumsum(np.add.reduceat(cells, first, dtype=np.int64))[:-1]))
            for cells in (self.pos, self.neg)
        )
        return positives, negatives

    @cached_property
    def integral(self) -> bool:
        """Whether all weights are whole numbers, so that the list has n positions."""
        return self.pos.dtype.kind != "f"

    @property
    def is_unweighted(self) -> bool:
        """Whether every case counts one, so that squared weights are the weights."""
        return self.pos2 is self.pos and self.neg2 is self.neg

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities of the positive class."""
        if self.are_scores:
            return False
        return self.higher_is_positive and bool(self.score[0] <= 1 and self.score[-1] >= 0)

    @property
    def class_titles(self) -> tuple[str, str]:
        """Titles of the positives and the negatives in tables, with the user's labels."""
        return class_titles(self.positive, self.negative)

    def cached(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the cached value for `key`, computing it on the first call.

        Args:
            key: The name of the value, with the parameters that it depends on.
            make: Computes the value.
        """
        return cached_value(self, key, make)

    @property
    def bracket(self) -> Bracket | None:
        """The two rankings between which the exact ranking of bins lies; None for an exact ranking."""
        return None if self.reach is None else Bracket(self.extreme(first_pos=False), self.extreme(first_pos=True))

    def extreme(self, *, first_pos: bool) -> Ranking:
        """Return one end of the bracket: the positives of each bin at its first score, the negatives at its last, or
        reversed. A bin of one score stays a tie.

        Args:
            first_pos: Whether the positives come first, which is the high end.
        """
        top, bottom = self.reach or (self.score, self.score)
        pos, neg = self.pos, self.neg
        wide = top != bottom
        split = wide & (pos > 0) & (neg > 0)  # two cells for each of these, one for the others
        rows = np.repeat(np.arange(len(top)), 1 + split)
        is_second = np.concatenate(([False], rows[1:] == rows[:-1]))
        one_cell = ~split[rows]
        holds_pos, holds_neg = one_cell | (is_second != first_pos), one_cell | (is_second == first_pos)
        at_bottom = is_second | (one_cell & ((neg == 0) != first_pos)[rows])  # of a bin of one class, its end
        columns = {"pos": pos[rows] * holds_pos, "neg": neg[rows] * holds_neg}
        columns["pos2"] = columns["pos"] if self.pos2 is pos else self.pos2[rows] * holds_pos
        columns["neg2"] = columns["neg"] if self.neg2 is neg else self.neg2[rows] * holds_neg
        score = np.where(at_bottom, bottom[rows], top[rows])
        return replace(self, score=score, **columns, exact=self.exact and not wide.any(), reach=None)

    # ---- one cut

    def cut(self, threshold: float) -> int:
        """Return how many distinct scores are at or beyond the threshold, which is read in the type of the scores."""
        cuts = self.cuts(threshold)
        if cuts.ndim or threshold is None:
            raise ParameterError(f"is {shorten_repr(threshold)}", "pass a number", argument="threshold")
        return int(cuts)

    def cuts(self, thresholds: Any) -> Array:
        """Return how many distinct scores are at or beyond each of several thresholds."""
        try:
            with np.errstate(over="ignore"):  # beyond what the type holds is infinite
                at = np.asarray(thresholds).astype(self.score.dtype)
        except (TypeError, ValueError):
            raise ParameterError(f"is {shorten_repr(thresholds)}", "pass a number", argument="threshold") from None
        if not self.higher_is_positive:
            return np.asarray(self.score.searchsorted(at, side="right"))
        return np.asarray(len(self) - self.score[::-1].searchsorted(at, side="left"))

    @public
    def at_threshold(self, threshold: float) -> Counts:
        """Return the table when every case whose score reaches the threshold is predicted positive.

        The last one is cached: the measures of one cut ask for it one after the other.
        """
        last: Counts | None = self.__dict__.get("_last_cut")
        if last is not None and type(threshold) is float and last.threshold == threshold:
            return last
        counts = self.at_cut(self.cut(threshold), threshold)
        if type(threshold) is float:
            self.__dict__["_last_cut"] = counts
        return counts

    def at_cut(self, index: int, threshold: float | None = None) -> Counts:
        """Return the table of one cut, by its position among all cuts.

        Args:
            index: How many of the distinct scores are flagged: 0 is the cut that flags nobody.
            threshold: The threshold that the table is to name; the score at the cut when None.
        """
        tp, fp = self.totals_at(index)
        fn, tn = self.positives - tp, self.negatives - fp
        at = float(self.thresholds[index]) if threshold is None else threshold
        return Counts(tp, fp, fn, tn, at, self.are_probabilities, self.class_titles)

    def totals_at(self, index: int) -> tuple[Any, Any]:
        """Return the positives and the negatives at or above one cut, by its position among all cuts."""
        if not self.is_in_blocks:
            if not self.is_long:
                return self.tp[..., index], self.fp[..., index]
            # A few numbers, cached because the columns that they are read from may not stay.
            return cached_value(self, ("up to", index), lambda: (self.tp[..., index], self.fp[..., index]))
        positives, negatives = self.totals_of_blocks
        block = min(index // BLOCK, len(positives) - 1)
        rest = slice(block * BLOCK, index)
        return positives[block] + self.pos[rest].sum(), negatives[block] + self.neg[rest].sum()

    def cuts_up_to(self, fp: float) -> int:
        """Return how many cuts of a ranking that is read in blocks, but the first, have at most `fp` false positives.

        Args:
            fp: A number of false positives.
        """
        negatives = self.totals_of_blocks[1]
        block = max(int(np.searchsorted(negatives, fp, side="right")) - 1, 0)
        cells = slice(block * BLOCK, (block + 1) * BLOCK)
        inside = np.cumsum(self.neg[cells], dtype=np.int64)
        return cells.start + int(np.searchsorted(inside + negatives[block], fp, side="right"))

    @public
    def at_quota(self, quota: Any) -> Counts:
        """Return the table when the first `quota` places of the list are flagged.

        Inside a tie the places go to its cases at random, so the counts are expectations (Arbel & Rokach, eq. 5).
        `quota` is a number, or an array with the ranking's leading axes; of one ranking, of any shape.
        """
        if quota is None or isinstance(quota, str):
            validation.check_number(quota, "quota")  # raises
        is_traced = not isinstance(self.pos, np.ndarray)
        if isinstance(quota, int | float) and not is_traced and self.pos.ndim == 1 and not 0 <= quota <= self.total:
            raise ParameterError(
                f"is {quota:g}, but the list has {format_number(self.total)} places",
                "pass a number of places from 0 to all of them",
                argument="quota",
            )
        if self.is_long and np.ndim(quota) == 0:
            return self.cached(("at quota", float(quota)), lambda: self._at_quota(quota))
        return self._at_quota(quota)

    def _at_quota(self, quota: Any) -> Counts:
        if self.is_in_blocks and np.ndim(quota) == 1 and len(quota) <= _FEW_QUOTAS:
            return self._at_quotas(quota)
        index, inside = self.position(quota)
        if self.is_in_blocks and index.ndim == 0:
            tp, fp = (
                total + inside * cells[index]
                for total, cells in zip(self.totals_at(int(index)), (self.pos, self.neg), strict=True)
            )
        else:
            tp = take(self.tp, index) + inside * take(self.pos, index)
            fp = take(self.fp, index) + inside * take(self.neg, index)
        fn, tn = np.maximum(self.positives - tp, 0), np.maximum(self.negatives - fp, 0)
        return Counts(tp, fp, fn, tn, self.score[index], self.are_probabilities, self.class_titles)

    def _at_quotas(self, quotas: Array) -> Counts:
        """Return the tables of a few quotas in a loop, which is faster than computing columns as long as the list."""
        tables = [self._at_quota(quota) for quota in quotas]
        tp, fp, fn, tn, threshold = (
            np.array([getattr(table, name) for table in tables]) for name in ("tp", "fp", "fn", "tn", "threshold")
        )
        return Counts(tp, fp, fn, tn, threshold, self.are_probabilities, self.class_titles)

    def position(self, place: Any) -> tuple[Array, Array]:
        """Return the cell that holds a place of the list (counted in weight), and the share of the cell it takes."""
        place = np.asarray(place, dtype=float)
        if self.is_in_blocks and place.ndim == 0:
            index, before = self._cell_of_place(float(place))
            size = float(self.pos[index] + self.neg[index])
            return np.asarray(index), np.asarray((float(place) - before) / size if size else 0.0)
        ends = self.ends
        first = np.searchsorted(ends[1:], place) if ends.ndim == 1 else count_first(ends[..., 1:] < place[..., None])
        index = np.minimum(first, len(self) - 1)
        before, after = take(ends, index), take(ends, index + 1)
        inside = divide(place - before, after - before)
        return index, np.where(after > before, inside, 0.0)

    def _cell_of_place(self, place: float) -> tuple[int, Any]:
        """Return the cell that holds a place of a ranking that is read in blocks, and how many places are before it."""
        before = np.add(*self.totals_of_blocks)
        block = max(int(np.searchsorted(before, place)) - 1, 0)
        cells = slice(block * BLOCK, (block + 1) * BLOCK)
        ends = np.concatenate(([0], np.cumsum(self.pos[cells] + self.neg[cells]))) + before[block]
        inside = min(int(np.searchsorted(ends[1:], place)), len(ends) - 2)
        return block * BLOCK + inside, ends[inside]

    def one_by_one(self) -> list[Ranking]:
        """Return the rankings of a stack; a single ranking is a stack of one. Those of a small stack are cached."""
        return self.cached("one by one", self._split_stack) if self.pos.size <= _CACHED_APART else self._split_stack()

    def _split_stack(self) -> list[Ranking]:
        columns = np.broadcast_arrays(self.pos, self.neg, self.pos2, self.neg2)
        rows = zip(*(column.reshape(-1, len(self)) for column in columns), strict=True)
        return [replace(self, pos=p, neg=n, pos2=p2, neg2=n2) for p, n, p2, n2 in rows]

    # ---- new rankings

    @public
    def __add__(self, other: Ranking) -> Ranking:
        """Return the ranking of both sets of cases together."""
        if not isinstance(other, Ranking):
            return NotImplemented
        from cutline.core.merging import merge

        return merge([self, other])

    def __radd__(self, other: object) -> Ranking:
        return self if other == 0 else NotImplemented  # so that sum() works

    def swapped(self) -> Ranking:
        """Return the ranking with the classes exchanged: the list read from its end."""
        return replace(
            self,
            score=self.score[::-1],
            pos=self.neg[..., ::-1],
            neg=self.pos[..., ::-1],
            pos2=self.neg2[..., ::-1],
            neg2=self.pos2[..., ::-1],
            higher_is_positive=not self.higher_is_positive,
            positive=f"not {self.positive}" if self.negative is None else self.negative,
            negative=self.positive,
            reach=None if self.reach is None else (self.reach[1][::-1], self.reach[0][::-1]),
        )

    @public
    def coarsen(self, bins: int | npt.ArrayLike) -> Bracket:
        """Drop the order inside bins of the score, and return the bracket that remains certain.

        `bins` is a number of bins of about equal weight, or the thresholds that separate them.

        >>> whole = Ranking.of_counts([4, 3, 2, 1], [1, 0, 1, 0], [0, 1, 0, 1])
        >>> low, high = whole.coarsen([2.5])
        >>> low.pairs.concordant, whole.pairs.concordant, high.pairs.concordant
        (np.int64(1), np.int64(3), np.int64(3))
        """
        from cutline.core.binned_ranking import coarsen

        return coarsen(self, bins)

    @public
    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the ranking to a file that `cutline.load` reads: exact, checked, and far smaller than the rows.

        Args:
            path: The file to write, such as "monday.ranking".
            overwrite: Whether a file of that name is replaced.
        """
        from cutline.core.ranking_file import save

        return save(self, path, overwrite=overwrite)

    # ---- looks

    def to_dict(self) -> dict[str, list[float]]:
        """Return the table with one row per distinct score."""
        return {"score": self.score.tolist(), "positives": self.pos.tolist(), "negatives": self.neg.tolist()}

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the table as a data frame of pandas, polars or pyarrow."""
        return self._table().to_frame(backend)

    def _table(self, rows: int | None = None) -> Table:
        columns = {name: cells[:rows] for name, cells in self.to_dict().items()}
        return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), title=repr(self))

    def _repr_html_(self) -> str:
        return self._table(10)._repr_html_() if self.pos.ndim == 1 else html_text(repr(self))

    def __repr__(self) -> str:
        if self.pos.ndim > 1:
            return f"Ranking of {len(self)} distinct scores, a stack of shape {self.pos.shape[:-1]}"
        where = ("at " if self.reach is None else "in ") + self.cells_in_words
        exact = "" if self.exact or self.reach is not None else ", binned: a bound, not exact"
        return f"Ranking of {format_cases(self)}, {format_number(self.positives)} of them positive, {where}{exact}"

    @property
    def cells_in_words(self) -> str:
        """How many distinct scores there are, or bins of them."""
        if self.reach is not None:
            return f"{len(self):,} bins of scores"
        return f"{add_commas(len(self))} distinct score{'' if len(self) == 1 else 's'}"


def _pairs_below(pos: Array, neg: Array, start: int, above: int) -> Any:
    """Return the pairs of a positive in a block of cells with a negative that is above it or tied; `above` come
    before.
    """
    cells = slice(start, start + BLOCK)
    fp = np.cumsum(neg[cells], dtype=np.int64)
    fp += above
    return dot(pos[cells], fp)


def find_scores(ranking: Ranking, scores: Array) -> Array:
    """Return the position in a ranking of each case that it was made of; sorting is faster than a search.

    >>> find_scores(Ranking.of_counts([0.8, 0.5, 0.2], [1, 0, 1], [0, 2, 1]), np.array([0.2, 0.8, 0.5])).tolist()
    [2, 0, 1]
    """
    sign = -1 if ranking.higher_is_positive else 1
    flat = np.ravel(scores)
    if len(flat) >= len(ranking) > 0:
        order = np.argsort(flat)[::sign]
        ordered = flat[order]
        steps = np.cumsum(ordered[1:] != ordered[:-1], dtype=np.int32)
        if (steps[-1] if len(steps) else 0) == len(ranking) - 1:
            place = np.zeros(len(flat), np.int32)
            place[order[1:]] = steps
            return place.reshape(np.shape(scores))
    return np.searchsorted(sign * ranking.score, sign * scores).astype(np.int32)


# ---------------------------------------------------------------------- its cases and classes in words


def format_cases(ranking: Ranking, number: Callable[[Any], str] = format_number) -> str:
    """Format the number of cases, or their weight; `number` formats the number."""
    if not ranking.is_unweighted:
        return f"cases of weight {number(ranking.total)}"
    return f"{number(ranking.total)} case" + ("" if ranking.total == 1 else "s")


def class_titles(positive: Any, negative: Any) -> tuple[str, str]:
    """Return the titles of the two classes in tables: with their own names, unless the labels are 1 and 0.

    Args:
        positive: The label of the positive class.
        negative: The label of the other; None where nobody knows it.

    >>> class_titles("default", "paid")
    ('default (positive)', 'paid (negative)')
    >>> class_titles(1, 0), class_titles(0, 1)
    (('positive', 'negative'), ('0 (positive)', '1 (negative)'))
    """
    if _is_usual(positive, negative):
        return CLASSES
    return _title_class(positive, CLASSES[0]), CLASSES[1] if negative is None else _title_class(negative, CLASSES[1])


def plural_titles(ranking: Ranking) -> tuple[str, str]:
    """Return the titles of the cases of both classes in a legend.

    Args:
        ranking: The ranking of the cases.
    """
    return ("positives", "negatives") if ranking.class_titles == CLASSES else ranking.class_titles


def describe_classes(ranking: Ranking) -> str:
    """Describe which label is positive, and which is negative if that is not obvious.

    Args:
        ranking: The ranking of the cases.
    """
    is_plain = ranking.negative is None or _is_usual(ranking.positive, ranking.negative)
    return f"positive is {ranking.positive!r}" + ("" if is_plain else f", negative is {ranking.negative!r}")


def describe_unusual_names(ranking: Ranking) -> str:
    """Return this description as the end of a parenthesis; empty for the usual labels 1 and 0.

    Args:
        ranking: The ranking of the cases.
    """
    return "" if _is_usual(ranking.positive, ranking.negative) else f"; {describe_classes(ranking)}"


def format_positive_share(ranking: Ranking) -> str:
    """Return the share of the positives as a percentage.

    Args:
        ranking: The ranking of the cases.
    """
    return f"{100 * (float(ranking.positives) / float(ranking.total)):.3g} %"


def _is_usual(positive: Any, negative: Any) -> bool:
    """Whether labels are so common that they need not be named: 1 or true, and 0, -1 or false."""
    numbers = (bool, int, float, np.number, np.bool_)
    known = isinstance(positive, numbers) and positive == 1
    return known and (negative is None or (isinstance(negative, numbers) and negative in (0, -1)))


def _title_class(label: Any, role: str) -> str:
    name = str(label)
    return f"{name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + '…'} ({role})"
