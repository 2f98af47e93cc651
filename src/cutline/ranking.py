"""The ranking: distinct scores in order, with the weight of the positives and of the negatives at each.

It is a sufficient statistic for all that cutline computes, and it is valid by construction: `rank()` checks
what it is made from, so nothing that takes a `Ranking` has to.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.errors import InputError

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """The contingency table of one cut, or of many: each field is a number or an array of numbers.

    Every measure of one cut is an attribute.

    >>> table = Counts(tp=3, fp=1, fn=2, tn=4)
    >>> table.precision, table.recall
    (0.75, 0.6)
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    threshold: Any = field(default=float("nan"), compare=False)

    # The measures of one cut, by name and alias. They know Counts, not the other way round, so they enter themselves.
    measures: ClassVar[dict[str, Callable[[Counts], Any]]] = {}

    @property
    def positives(self) -> Any:
        """P, the weight of the cases that are positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """N, the weight of the cases that are negative."""
        return self.fp + self.tn

    @property
    def flagged(self) -> Any:
        """O+, the weight of the cases that are predicted positive."""
        return self.tp + self.fp

    @property
    def unflagged(self) -> Any:
        """O-, the weight of the cases that are predicted negative."""
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        """n, the weight of all cases."""
        return self.tp + self.fp + self.fn + self.tn

    def __getattr__(self, name: str) -> Any:
        try:
            found = Counts.measures[name]
        except KeyError:
            raise AttributeError(f"Counts has no {name!r}: it is neither a count nor a measure of one cut.") from None
        return found(self)

    @classmethod
    def independent(cls, prevalence: float, flagged: float) -> Counts:
        """The table of a model that flags a share of the cases whatever their class."""
        return cls(
            tp=prevalence * flagged,
            fp=(1 - prevalence) * flagged,
            fn=prevalence * (1 - flagged),
            tn=(1 - prevalence) * (1 - flagged),
        )

    def to_dict(self) -> dict[str, Any]:
        """The threshold (None when there is none) and the four counts, as plain numbers or lists."""
        threshold = np.asarray(self.threshold, dtype=float)
        plain = threshold.tolist() if threshold.ndim else (None if np.isnan(threshold) else float(threshold))
        return {"threshold": plain} | {
            name: np.asarray(getattr(self, name)).tolist() for name in ("tp", "fp", "fn", "tn")
        }

    def __repr__(self) -> str:
        cells = ", ".join(f"{name}={written(getattr(self, name))}" for name in ("tp", "fp", "fn", "tn"))
        at = "" if np.ndim(self.threshold) or np.isnan(self.threshold) else f", threshold={written(self.threshold)}"
        return f"Counts({cells}{at})"

    def _repr_html_(self) -> str:
        if np.ndim(self.tp):
            return f"<code>{self!r}</code>"
        rows = (
            ("predicted positive", self.tp, self.fp, self.flagged),
            ("predicted negative", self.fn, self.tn, self.unflagged),
            ("all", self.positives, self.negatives, self.total),
        )
        body = "".join(
            f"<tr><th scope='row'>{row[0]}</th>" + "".join(f"<td>{written(n)}</td>" for n in row[1:]) + "</tr>"
            for row in rows
        )
        head = "".join(f"<th scope='col'>{title}</th>" for title in ("", "positive", "negative", "all"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


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
        return self.tp[..., -1]

    @property
    def negatives(self) -> Any:
        """N, the weight of the negatives."""
        return self.fp[..., -1]

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
    def pairs(self) -> Pairs:
        """How a positive and a negative stand to each other, over all pairs of them."""
        pos, neg, above = self.pos, self.neg, self.fp[..., 1:]
        every = self.positives.astype(float) * self.negatives
        if np.max(every) > 2**62:  # too many for integers: floats lose their last digits, but do not overflow
            pos = pos.astype(float)
        tied = np.vecdot(pos, neg)
        concordant = self.positives.astype(pos.dtype) * self.negatives - np.vecdot(pos, above)
        return Pairs(concordant, tied, every)

    @cached_property
    def key(self) -> Array:
        """The scores as float64, turned so that higher means more positive."""
        score = self.score.astype(float, copy=False)
        return score if self.higher_is_positive else -score

    @cached_property
    def integral(self) -> bool:
        """Whether all weights are whole numbers, so that the list has n positions."""
        return bool(np.issubdtype(self.pos.dtype, np.integer))

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
            _take(cumulated, index) + inside * _take(cells, index)
            for cumulated, cells in ((self.tp, self.pos), (self.fp, self.neg))
        )
        return Counts(tp, fp, self.positives - tp, self.negatives - fp, self.score[index])

    def position(self, place: Any) -> tuple[Array, Array]:
        """The cell that holds a place of the list (counted in weight), and the share of the cell it takes."""
        ends = self.tp + self.fp
        place = np.asarray(place, dtype=float)
        index = np.minimum((ends[..., 1:] < place[..., None]).sum(-1), len(self) - 1)
        before, after = _take(ends, index), _take(ends, index + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.where(after > before, (place - before) / (after - before), 0.0)
        return index, inside

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
        (np.int64(2), np.int64(3), np.int64(4))
        """
        if isinstance(bins, int):
            ends = np.cumsum(self.pos + self.neg)
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
    dtype = np.int64 if np.issubdtype(cells.dtype, np.integer) else np.float64
    totals = np.zeros((*cells.shape[:-1], cells.shape[-1] + 1), dtype=dtype)
    np.cumsum(cells, axis=-1, out=totals[..., 1:])
    return totals


def _take(values: Array, index: Array) -> Array:
    """The value at one index of the last axis, for each leading position."""
    if index.ndim == 0:
        return values[..., index]
    return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]


def written(number: Any) -> str:
    """A number without a decimal point where it has no decimals.

    >>> written(np.float64(3.0)), written(2.5), written(12345)
    ('3', '2.5', '12345')
    """
    if np.ndim(number):
        return np.array2string(np.asarray(number), threshold=8)
    return f"{int(number)}" if np.isfinite(number) and number == int(number) else f"{float(number):.6g}"
