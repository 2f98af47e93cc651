"""The classes of the training cases, and the order of their scores, which all oracles share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.inputs.in_memory import rank_cases

Psi = Literal["auto", "positive", "uniform", "balanced"]


class Risk(NamedTuple):
    """A bound on the loss at some scores, and its (sub)gradient by the scores."""

    value: float
    gradient: Array


class Oracle(Protocol):
    """A function from scores to risk and gradient, through which a solver accesses a measure."""

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        ...


@dataclass(frozen=True, eq=False)
class Split:
    """The positions of the positive and the negative cases, and the weights."""

    is_positive: Array
    weight: Array | None = None

    @cached_property
    def pos(self) -> Array:
        """Positions of the positives."""
        return np.flatnonzero(self.is_positive)

    @cached_property
    def neg(self) -> Array:
        """Positions of the negatives."""
        return np.flatnonzero(~self.is_positive)

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.is_positive)

    @cached_property
    def weights(self) -> Array:
        """Weight of each case, 1 without weights."""
        return np.ones(self.n) if self.weight is None else self.weight

    @cached_property
    def P(self) -> float:  # noqa: N802
        """Weight of the positives."""
        return float(len(self.pos) if self.weight is None else self.weight[self.pos].sum())

    @cached_property
    def N(self) -> float:  # noqa: N802
        """Weight of the negatives."""
        return float(len(self.neg) if self.weight is None else self.weight[self.neg].sum())

    def rank(self, scores: Array) -> Ranking:
        """Return the ranking of the cases by valid scores."""
        return rank_cases(self.is_positive, scores, self.weight)

    def scatter(self, of_pos: Any, of_neg: Any) -> Array:
        """Return one value for each case, from the values of the two classes."""
        out = np.empty(self.n)
        out[self.pos], out[self.neg] = of_pos, of_neg
        return out

    def compute_costs(self, psi: Psi) -> tuple[float, float]:
        """Return the costs of a unit of score of a flipped positive and a flipped negative.

        Any two positive costs give a valid bound; they set the scale of C. "uniform" is Joachims' 1/n.
        """
        if psi == "balanced":
            return 0.5 / self.P, 0.5 / self.N
        cost = 1 / self.P if psi == "positive" else 1 / (self.P + self.N)
        return cost, cost


class Ordered(NamedTuple):
    """The scores of both classes in descending order, and the gain from keeping or flagging the first of them.

    `keeping[a]` is the (negative) gain of keeping only the a best positives, `flagging[b]` that of flagging the b best
    negatives; both are concave.
    """

    pos: Array
    neg: Array
    order_pos: Array
    order_neg: Array
    keeping: Array
    flagging: Array

    def compute_gradient(self, split: Split, a: int, b: int, costs: tuple[float, float]) -> Array:
        """Return the gradient of the risk when a positives are kept and b negatives flagged."""
        out = np.zeros(split.n)
        out[split.pos[self.order_pos[a:]]] = -costs[0]
        out[split.neg[self.order_neg[:b]]] = costs[1]
        return out


def sort_classes(scores: Array, split: Split, costs: tuple[float, float], above: float = -np.inf) -> Ordered:
    """Sort both classes by descending score; only the negatives above a score."""
    p, q = -scores[split.pos], -scores[split.neg]
    order_pos = np.argsort(p)
    if above == -np.inf:
        order_neg = np.argsort(q)
    else:
        some = np.flatnonzero(q < -above)
        order_neg = some[np.argsort(q[some])]
    p, q = -p[order_pos], -q[order_neg]
    sums = cumulate(p)
    return Ordered(p, q, order_pos, order_neg, costs[0] * (sums - sums[-1]), costs[1] * cumulate(q))


def cumulate(values: Array) -> Array:
    """Return the sums of the first 0, 1, 2, ... values."""
    out = np.empty(len(values) + 1)
    out[0] = 0
    np.cumsum(values, out=out[1:])
    return out
