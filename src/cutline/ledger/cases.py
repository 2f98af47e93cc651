"""Cases that conventions change: a ranking, and its rows if their order is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.inputs.in_memory import rank_cases
from cutline.inputs.rank import choose_default_threshold


@dataclass(frozen=True, eq=False)
class Rows:
    """The cases one by one, in the order in which a tool would read them; high scores mean positive."""

    is_positive: Array
    scores: Array
    weights: Array | None = None
    other: Array | None = None  # the scores of a second model
    groups: Array | None = None  # the fold, worker or site of each case, as a number

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, some: Array) -> Rows:
        """Return some of the rows, or all of them in another order."""
        columns = {name: None if values is None else values[some] for name, values in vars(self).items()}
        return Rows(**columns)  # type: ignore[arg-type]

    def rank(self) -> Ranking:
        """Return their ranking."""
        return rank_cases(self.is_positive, self.scores, self.weights)


@dataclass(frozen=True, eq=False)
class Material:
    """A ranking in which high scores mean positive, the threshold of its cut, and the rows if they are known.

    `make_rows` is called when a convention needs the rows, which most do not.
    """

    ranking: Ranking
    threshold: float
    make_rows: Callable[[], Rows] | None = None
    has_order: bool = True  # whether the rows stand as in the data; those of a ranking stand in no order
    training: float | None = None  # the prevalence of the data that the model was made with
    is_default_cut: bool = False  # whether nobody named the threshold

    @classmethod
    def of_rows(cls, rows: Rows, threshold: float | None = None, training: float | None = None) -> Material:
        """Return the material of rows; cut where `evaluate` would cut them unless a threshold is given."""
        ranking = rows.rank()
        cut = choose_default_threshold(ranking) if threshold is None else threshold
        return cls(ranking, cut, lambda: rows, training=training, is_default_cut=threshold is None)

    @classmethod
    def of_ranking(cls, ranking: Ranking, threshold: float) -> Material:
        """Return the material of a ranking alone. Unweighted cases can be listed from it, tied ones in no order."""
        if not ranking.higher_is_positive:
            ranking, threshold = replace(ranking, score=-ranking.score, higher_is_positive=True), -threshold
        if not is_unweighted(ranking):
            return cls(ranking, threshold)
        return cls(ranking, threshold, lambda: _list_cases(ranking), has_order=not has_ties(ranking))

    @cached_property
    def rows(self) -> Rows:
        """The cases one by one."""
        if self.make_rows is None:
            raise ParameterError(
                "This convention looks at the rows, which a weighted ranking no longer holds",
                "pass the labels and scores themselves with rows=",
            )
        return self.make_rows()

    @cached_property
    def ordered(self) -> Rows:
        """The cases one by one in the order of the data."""
        if self.make_rows is not None and not self.has_order:
            raise ParameterError(
                "This convention depends on the order of the rows inside ties, which a ranking does not keep",
                "pass the labels and scores themselves with rows=",
            )
        return self.rows

    @property
    def counts(self) -> Counts:
        """The table at the cut."""
        return self.ranking.at_threshold(self.threshold)

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have weights of their own."""
        return not is_unweighted(self.ranking)

    def with_rows(self, change: Callable[[Rows], Rows]) -> Material:
        """Return the material of changed rows: of the same cut."""
        rows = change(self.rows)
        return replace(self, ranking=rows.rank(), make_rows=lambda: rows)

    def with_scores(self, scores: Callable[[Array], Array], threshold: float | None = None) -> Material:
        """Return the same cases with scores that a function which never changes their order makes of them."""
        score = np.asarray(scores(self.ranking.score), dtype=float)
        make = None
        if self.make_rows is not None:
            source = self.make_rows

            def make() -> Rows:
                rows = source()
                return replace(rows, scores=np.asarray(scores(rows.scores), dtype=float))

        threshold = self.threshold if threshold is None else threshold
        return replace(self, ranking=merge_equal_scores(self.ranking, score), threshold=threshold, make_rows=make)

    def with_ranking(self, ranking: Ranking) -> Material:
        """Return the material with another ranking and without rows, as after breaking ties."""
        return replace(self, ranking=ranking, make_rows=None)


def merge_equal_scores(ranking: Ranking, score: Array) -> Ranking:
    """Return a ranking with other scores, in which neighbours may now be equal: those become one."""
    starts = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))
    if len(starts) == len(score):
        return replace(ranking, score=score, reach=None)
    columns: dict[str, Any] = {name: np.add.reduceat(getattr(ranking, name), starts) for name in ("pos", "neg")}
    same = ranking.is_unweighted
    squares: dict[str, Any] = {
        f"{name}2": columns[name] if same else np.add.reduceat(getattr(ranking, f"{name}2"), starts)
        for name in ("pos", "neg")
    }
    return replace(ranking, score=score[starts], reach=None, **columns, **squares)


def is_unweighted(ranking: Ranking) -> bool:
    """Whether every case counts once, so that the cases can be listed."""
    return ranking.integral and ranking.is_unweighted


def has_ties(ranking: Ranking) -> bool:
    """Whether a positive and a negative have the same score."""
    return bool(((ranking.pos > 0) & (ranking.neg > 0)).any())


def rank_in_order(is_positive: Array, weights: Array | None) -> Ranking:
    """Return the ranking of cases in their given order, without ties."""
    weight = np.ones(len(is_positive), dtype=np.int64) if weights is None else weights
    pos, neg = np.where(is_positive, weight, 0), np.where(is_positive, 0, weight)
    place = np.arange(len(is_positive), 0, -1, dtype=float)
    if weights is None:
        return Ranking(place, pos, neg, pos, neg)
    return Ranking(place, pos, neg, pos * weight, neg * weight)


def _list_cases(ranking: Ranking) -> Rows:
    """Return the cases of an unweighted ranking, one by one."""
    each = np.repeat(ranking.score, ranking.pos + ranking.neg).astype(float)
    both = np.column_stack((ranking.pos, ranking.neg)).ravel()
    return Rows(np.repeat(np.tile([True, False], len(ranking)), both), each)
