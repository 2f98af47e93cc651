"""Statistics of a model of several classes, as functions of the weights of the cases.

With the weights of the data such a function gives the value, with those of bootstrap samples the bootstrap. Intervals
and tests by formula follow from the influence of each case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.inputs.multiclass import ClassCases
from cutline.results.estimate import Limits

MACRO, WEIGHTED, MICRO = "macro", "weighted", "micro"
MEANS = (MACRO, WEIGHTED, MICRO)


class ValueWithLimits(NamedTuple):
    """The value of a statistic, the influence of each case (None if unknown), the limits, and their method."""

    value: float
    influences: Array | None
    limits: Limits
    method: str
    notes: tuple[str, ...] = ()


class Statistic(Protocol):
    """A measure of a model of several classes."""

    @property
    def name(self) -> str:
        """Name of the measure."""

    @property
    def of(self) -> str:
        """Classes that the value is about, such as "macro mean" or "all classes"."""

    @property
    def title(self) -> str:
        """Title of the measure."""

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest possible value."""

    @property
    def better(self) -> str | None:
        """Whether "higher" or "lower" values are better."""

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights of the cases, over leading axes."""

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the value, which must be defined, with its limits."""

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain why the value is undefined; empty if it is defined."""

    def compute_baseline(self, cases: ClassCases) -> float:
        """Return the no-skill baseline."""


# ---------------------------------------------------------------------- rankings of resamples


def make_ranking_function(scores: Array, is_positive: Array, rows: Array) -> Callable[[Array], Ranking]:
    """Return a function that makes rankings of the scores from the weights of the cases.

    Args:
        scores: The scores.
        is_positive: Whether each score belongs to a positive case.
        rows: The case of each score.
    """
    order = np.argsort(-scores, kind="stable")
    score, is_positive, rows = scores[order], is_positive[order], rows[order]
    starts = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))

    def make_ranking(weights: Array) -> Ranking:
        own = weights[..., rows]
        pos, neg = (np.add.reduceat(np.where(side, own, 0), starts, axis=-1) for side in (is_positive, ~is_positive))
        return Ranking(score[starts], pos, neg, pos, neg)

    return make_ranking


def make_class_ranking_function(cases: ClassCases, position: int) -> Callable[[Array], Ranking]:
    """Return a function that makes rankings of one class against the rest from weights."""
    return make_ranking_function(cases.scores[:, position], cases.truth == position, np.arange(len(cases)))


def make_pooled_ranking_function(cases: ClassCases) -> Callable[[Array], Ranking]:
    """Return a function that makes rankings of all pairs of a case and a class from weights."""
    count = len(cases.classes)
    is_own = cases.truth[:, None] == np.arange(count)
    return make_ranking_function(cases.scores.ravel(), is_own.ravel(), np.repeat(np.arange(len(cases)), count))


def make_share_function(cases: ClassCases) -> Callable[[Array], Array]:
    """Return a function that computes the shares of the classes from weights."""
    is_class = (cases.truth[:, None] == np.arange(len(cases.classes))).astype(float)

    def compute_shares(weights: Array) -> Array:
        sizes = np.matmul(weights.astype(float), is_class)
        return np.asarray(sizes / sizes.sum(-1, keepdims=True))

    return compute_shares
