"""Statistics of a model of several classes.

Each is defined once, over the weights of the cases: the data's own give its value, those of resamples the bootstrap.
Beside it stands what each case more would change, from which intervals and tests follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.inputs.multiclass import ClassCases
from cutline.results.estimate import Limits

MACRO, WEIGHTED, MICRO = "macro", "weighted", "micro"
MEANS = (MACRO, WEIGHTED, MICRO)


class ValueWithLimits(NamedTuple):
    """A statistic of the data: its value, what each case more changes (None: not known), its limits, and by what."""

    value: float
    units: Array | None
    limits: Limits
    method: str
    notes: tuple[str, ...] = ()


class Statistic(ABC):
    """A number of all classes together.

    Attributes:
        name: The measure.
        of: What it is of: a mean over the classes, or all of them.
        title: The measure as people read it.
        range: The lowest and the highest value.
        better: Whether higher or lower is better.
    """

    name: str
    of: str
    title: str
    range: tuple[float, float]
    better: str | None

    @abstractmethod
    def values(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights of the cases, over leading axes."""

    @abstractmethod
    def with_limits(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Return the value of the data with its limits; the value must be defined."""

    def reason(self, cases: ClassCases) -> str:  # noqa: ARG002
        """Return why it is undefined, in words; empty when it has a value."""
        return ""

    def baseline(self, cases: ClassCases) -> float | None:  # noqa: ARG002
        """Return the no-skill baseline; None if it is unknown."""
        return None


# ---------------------------------------------------------------------- rankings of resamples


def stack_rankings(scores: Array, is_positive: Array, rows: Array) -> Callable[[Array], Ranking]:
    """Return the rankings of some scores as a function of the weights of the cases.

    Args:
        scores: The scores.
        is_positive: Whether each is of a positive case.
        rows: The case that each belongs to.
    """
    order = np.argsort(-scores, kind="stable")
    score, is_positive, rows = scores[order], is_positive[order], rows[order]
    starts = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))

    def ranking(weights: Array) -> Ranking:
        own = weights[..., rows]
        pos, neg = (np.add.reduceat(np.where(side, own, 0), starts, axis=-1) for side in (is_positive, ~is_positive))
        return Ranking(score[starts], pos, neg, pos, neg)

    return ranking


def stack_class(cases: ClassCases, position: int) -> Callable[[Array], Ranking]:
    """Return the rankings of one class against the rest."""
    return stack_rankings(cases.scores[:, position], cases.truth == position, np.arange(len(cases)))


def stack_pooled(cases: ClassCases) -> Callable[[Array], Ranking]:
    """Return the rankings of all scores of all cases together."""
    count = len(cases.classes)
    is_own = cases.truth[:, None] == np.arange(count)
    return stack_rankings(cases.scores.ravel(), is_own.ravel(), np.repeat(np.arange(len(cases)), count))


def share_classes(cases: ClassCases) -> Callable[[Array], Array]:
    """Return the shares of the classes as a function of the weights."""
    is_class = (cases.truth[:, None] == np.arange(len(cases.classes))).astype(float)

    def shares(weights: Array) -> Array:
        sizes = np.matmul(weights.astype(float), is_class)
        return np.asarray(sizes / sizes.sum(-1, keepdims=True))

    return shares
