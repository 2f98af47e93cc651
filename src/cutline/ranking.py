"""The ranking: distinct scores in order, with the weight of the positives and of the negatives at each.

It is a sufficient statistic for all that cutline computes, and it is valid by construction: `rank()` checks
what it is made from, so nothing that takes a `Ranking` has to.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.contingency import Counts, divide, written
from cutline.errors import InputError

Array = npt.NDArray[Any]

__all__ = ["Array", "Bracket", "Counts", "Pairs", "Ranking", "bracket", "merge", "take"]


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

    @classmethod
    def of_counts(cls, score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Ranking:
        """A ranking from its finished columns: distinct scores, descending, and unweighted counts at each."""
        pos, neg = np.asarray(pos), np.asarray(neg)
        return cls(np.asarray(score, dtype=float), pos, neg, pos, neg)

    def __len__(self) -> int:
        return len(self.score)

    # ------------------------------------------------------------------ what many measures need, computed once

    @cached_property
    def tp(self) -> Array:
        """Positives at or above each cut; the first cut flags nobody."""
        return _cumulate(self.pos)

    @cached_property
    def fp(self) -> Array:
        """Negatives at or above each cut; the first cut flags nobody."""
        return _cumulate(self.neg)

    @property
    def positives(self) -> Any:
        """P, the weight of the positives."""
        return self._sum("pos", "tp")

    @property
    def negatives(self) -> Any:
        """N, the weight of the negatives."""
        return self._sum("neg", "fp")

    def _sum(self, cells: str, cumulated: str) -> Any:
        # Whole numbers add up to the same in any order, so they need not be cumulated first.
        if self.integral and cumulated not in self.__dict__:
            return getattr(self, cells).sum(-1)
        return getattr(self, cumulated)[..., -1]

    @property
    def total(self) -> Any:
        """n, the weight of all cases."""
        return self.positives + self.negatives

    @cached_property
    def thresholds(self) -> Array:
        """The threshold of each cut: beyond every score for the one that flags nobody, then each score."""
        nobody = np.inf if self.higher_is_positive else -np.inf
        return np.concatenate(([nobody], self.score))

    @cached_property
    def counts(self) -> Counts:
        """The contingency tables of all cuts."""
        tp, fp = self.tp, self.fp
        return Counts(tp, fp, tp[..., -1:] - tp, fp[..., -1:] - fp, self.thresholds)

    @cached_property
    def ends(self) -> Array:
        """How many places of the list each cut takes."""
        return self.tp + self.fp

    @cached_property
    def tpr(self) -> Array:
        """Recall at each cut; NaN when there is no positive."""
        return np.asarray(divide(self.tp, self.tp[..., -1:]))

    @cached_property
    def fpr(self) -> Array:
        """False positive rate at each cut; NaN when there is no negative."""
        return np.asarray(divide(self.fp, self.fp[..., -1:]))

    @cached_property
    def precision(self) -> Array:
        """Precision at each cut; 0 where nothing is flagged, as Berrar starts the curve."""
        precision = np.asarray(divide(self.tp, self.ends))
        np.copyto(precision, 0.0, where=self.ends == 0)
        return precision

    @cached_property
    def size(self) -> Array:
        """The weight of the cases at each score."""
        return self.pos + self.neg

    @cached_property
    def share(self) -> Array:
        """The share of positives at each score: Arbel & Rokach's t of the places there; 0 where there is no case."""
        share = np.asarray(divide(self.pos, self.size))
        np.copyto(share, 0.0, where=self.size == 0)
        return share

    @cached_property
    def pairs(self) -> Pairs:
        """How a positive and a negative stand to each other, over all pairs of them."""
        pos, positives = self.pos, self.positives
        if self.total.max() >= 2**31:  # too many pairs for integers: floats lose last digits, but do not overflow
            pos, positives = pos.astype(float), positives.astype(float)
        every = positives * self.negatives
        return Pairs(every - np.vecdot(pos, self.fp[..., 1:]), np.vecdot(pos, self.neg), every)

    @cached_property
    def key(self) -> Array:
        """The scores as float64, turned so that higher means more positive."""
        score = self.score.astype(float, copy=False)
        return score if self.higher_is_positive else -score

    @cached_property
    def logs(self) -> tuple[Array, Array]:
        """The logarithms of the scores, read as probabilities, and of their complements."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self.key), np.log1p(-self.key)

    @cached_property
    def hull(self) -> Array:
        """The cuts of one ranking (not of a stack) on its ROC convex hull, the two trivial ones included."""
        from scipy.optimize import isotonic_regression

        cuts = np.append(0, 1 + np.flatnonzero(self.size))
        pos, neg = (cells[cuts[1:] - 1].astype(float) for cells in (self.pos, self.neg))
        for _ in range(4):  # a cut that is not above the line between its neighbours is not on the hull: fewer to pool
            cuts = cuts[np.concatenate(([True], pos[:-1] * neg[1:] > pos[1:] * neg[:-1], [True]))]
            pos, neg = np.diff(self.tp[cuts].astype(float)), np.diff(self.fp[cuts].astype(float))
        # Pooling adjacent violators on the share of positives is the upper hull of the cumulated counts.
        pooled = isotonic_regression(pos / (pos + neg), weights=pos + neg, increasing=False)
        return np.asarray(cuts[pooled.blocks])

    @property
    def integral(self) -> bool:
        """Whether all weights are whole numbers, so that the list has n positions."""
        return self.pos.dtype.kind != "f"

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities of the positive class."""
        return self.higher_is_positive and bool(self.score[0] <= 1 and self.score[-1] >= 0)

    # ------------------------------------------------------------------ one cut

    def cut(self, threshold: float) -> int:
        """How many distinct scores are at or beyond the threshold, which is read in the type of the scores."""
        key, sign = self.score, 1 if self.higher_is_positive else -1
        at = sign * key.dtype.type(threshold)
        return bisect.bisect_left(range(len(key)), True, key=lambda i: sign * key[i] < at)

    def at_threshold(self, threshold: float) -> Counts:
        """The table when every case whose score reaches the threshold is predicted positive."""
        return self.at_cut(self.cut(threshold), threshold)

    def at_cut(self, index: int, threshold: float | None = None) -> Counts:
        """The table of one cut, by its position among all cuts."""
        tp, fp = self.tp[..., index], self.fp[..., index]
        if threshold is None:
            threshold = float(self.thresholds[index])
        return Counts(tp, fp, self.positives - tp, self.negatives - fp, threshold)

    def at_quota(self, quota: Any) -> Counts:
        """The table when the first `quota` places of the list are flagged.

        Inside a tie the places go to its cases at random, so the counts are expectations (Arbel & Rokach, eq. 5).
        `quota` is a number, or an array with the ranking's leading axes.
        """
        index, inside = self.position(quota)
        tp, fp = (
            take(cumulated, index) + inside * take(cells, index)
            for cumulated, cells in ((self.tp, self.pos), (self.fp, self.neg))
        )
        return Counts(tp, fp, self.positives - tp, self.negatives - fp, self.score[index])

    def position(self, place: Any) -> tuple[Array, Array]:
        """The cell that holds a place of the list (counted in weight), and the share of the cell it takes."""
        ends, place = self.ends, np.asarray(place, dtype=float)
        is_one = ends.ndim == 1
        index = np.searchsorted(ends[1:], place) if is_one else (ends[..., 1:] < place[..., None]).sum(-1)
        index = np.minimum(index, len(self) - 1)
        before, after = take(ends, index), take(ends, index + 1)
        inside = divide(place - before, after - before)
        return index, np.where(after > before, inside, 0.0)

    def one_by_one(self) -> list[Ranking]:
        """The rankings of a stack; a single one is a stack of one."""
        columns = np.broadcast_arrays(self.pos, self.neg, self.pos2, self.neg2)
        rows = zip(*(column.reshape(-1, len(self)) for column in columns), strict=True)
        return [replace(self, pos=p, neg=n, pos2=p2, neg2=n2) for p, n, p2, n2 in rows]

    # ------------------------------------------------------------------ new rankings

    def __add__(self, other: Ranking) -> Ranking:
        """The ranking of both sets of cases together."""
        if not isinstance(other, Ranking):
            return NotImplemented
        return merge([self, other])

    def __radd__(self, other: object) -> Ranking:
        return self if other == 0 else NotImplemented  # so that sum() works

    def swapped(self) -> Ranking:
        """The other class in turn positive: the list read from its end."""
        return replace(
            self,
            score=self.score[::-1],
            pos=self.neg[..., ::-1],
            neg=self.pos[..., ::-1],
            pos2=self.neg2[..., ::-1],
            neg2=self.pos2[..., ::-1],
            higher_is_positive=not self.higher_is_positive,
            positive=f"not {self.positive}",
        )

    def coarsen(self, bins: int | npt.ArrayLike) -> Bracket:
        """Forget the order inside bins of the score, and keep what that leaves certain.

        `bins` is a number of bins of about equal weight, or the thresholds that separate them.

        >>> whole = Ranking.of_counts([4, 3, 2, 1], [1, 0, 1, 0], [0, 1, 0, 1])
        >>> low, high = whole.coarsen([2.5])
        >>> low.pairs.concordant, whole.pairs.concordant, high.pairs.concordant
        (np.int64(1), np.int64(3), np.int64(3))
        """
        if isinstance(bins, int):
            ends = self.ends[..., 1:]
            group = np.minimum((ends - 1e-9) * bins / ends[-1], bins - 1).astype(np.intp)
        else:
            edges = np.sort(np.asarray(bins, dtype=float))
            group = np.searchsorted(edges, self.score, side="right")
        first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        last = np.concatenate((first[1:] - 1, [len(self) - 1]))
        columns = (np.add.reduceat(c, first, axis=-1) for c in (self.pos, self.neg, self.pos2, self.neg2))
        return bracket(self.score[first], self.score[last], *columns, like=self)

    # ------------------------------------------------------------------ looks

    def to_dict(self) -> dict[str, list[float]]:
        """The table with one row per distinct score."""
        return {"score": self.score.tolist(), "positives": self.pos.tolist(), "negatives": self.neg.tolist()}

    def __repr__(self) -> str:
        if self.pos.ndim > 1:
            return f"Ranking of {len(self)} distinct scores, a stack of shape {self.pos.shape[:-1]}"
        exact = "" if self.exact else ", binned: a bound, not exact"
        return (
            f"Ranking of {written(self.total)} cases, {written(self.positives)} of them positive, "
            f"at {len(self)} distinct scores{exact}"
        )


class Pairs(NamedTuple):
    """The weight of the pairs of a positive and a negative: the positive ranks higher, the two tie, and all pairs."""

    concordant: Any
    tied: Any
    every: Any


class Bracket(NamedTuple):
    """Two rankings between which the exact one lies.

    `low` puts the negatives of each bin first and `high` the positives. Every measure that can only gain when a
    positive moves up past a negative (`Measure.concordant`) has its exact value between its values on the two.
    """

    low: Ranking
    high: Ranking


def bracket(top: Array, bottom: Array, pos: Array, neg: Array, pos2: Array, neg2: Array, *, like: Ranking) -> Bracket:
    """The bracket of bins, each with its extreme scores and its contents; a bin of one score stays a tie."""
    mixed = top != bottom

    def split(first_pos: bool) -> Ranking:
        # Two cells for each mixed bin, at its top and at its bottom score; one for the others.
        rows = np.repeat(np.arange(len(top)), 1 + mixed)
        is_second = np.concatenate(([False], rows[1:] == rows[:-1]))
        one_cell = ~mixed[rows]
        keep_pos = one_cell | (is_second != first_pos)
        keep_neg = one_cell | (is_second == first_pos)
        return Ranking(
            np.where(is_second, bottom[rows], top[rows]),
            pos[..., rows] * keep_pos,
            neg[..., rows] * keep_neg,
            pos2[..., rows] * keep_pos,
            neg2[..., rows] * keep_neg,
            higher_is_positive=like.higher_is_positive,
            positive=like.positive,
            dropped=like.dropped,
            exact=like.exact and not mixed.any(),
        )

    return Bracket(low=split(first_pos=False), high=split(first_pos=True))


def merge(rankings: Iterable[Ranking]) -> Ranking:
    """The ranking of all the cases of several rankings; exact, because cells of one score add up."""
    parts = list(rankings)
    first = parts[0]
    for part in parts[1:]:
        if part.higher_is_positive != first.higher_is_positive:
            raise InputError("These rankings run in opposite directions: build both with one higher_is_positive.")
        if part.positive != first.positive:
            raise InputError(
                f"These rankings have different positive labels, {first.positive!r} and {part.positive!r}: "
                "build both with one positive=."
            )
    score = np.concatenate([part.score for part in parts])
    order = np.argsort(-score if first.higher_is_positive else score, kind="stable")  # sorted runs: a linear merge
    score = score[order]
    starts = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))

    def column(name: str) -> Array:
        cells = np.concatenate([getattr(part, name) for part in parts], axis=-1)[..., order]
        return np.add.reduceat(cells, starts, axis=-1)

    pos, neg = column("pos"), column("neg")
    unweighted = all(part.pos2 is part.pos and part.neg2 is part.neg for part in parts)
    return Ranking(
        score[starts],
        pos,
        neg,
        pos if unweighted else column("pos2"),
        neg if unweighted else column("neg2"),
        higher_is_positive=first.higher_is_positive,
        positive=first.positive,
        dropped=sum(part.dropped for part in parts),
        exact=all(part.exact for part in parts),
    )


def _cumulate(cells: Array) -> Array:
    """Running totals along the last axis, from zero."""
    totals = np.zeros((*cells.shape[:-1], cells.shape[-1] + 1), np.float64 if cells.dtype.kind == "f" else np.int64)
    cells.cumsum(-1, out=totals[..., 1:])
    return totals


def take(values: Array, index: Array) -> Array:
    """The value at one index of the last axis, for each leading position."""
    if index.ndim == 0:
        return values[..., index]
    return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]
