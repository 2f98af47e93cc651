"""Smooth risks: the measure itself with its steps rounded. Not convex, so they need a good start.

Each takes scores and gives risk and gradient, as the oracles do. Those of orders and quotas take scores of unit
deviation (`Standardised` sees to that): without it, making all scores equal would look like an improvement.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from cutline.training.class_order import Array, Oracle, Risk, Split, cumulated
from cutline.training.order_losses import highest
from cutline.training.table_losses import TableLoss

_PARTS = ((1.0, 1.0), (0.0, -2.0), (-1.0, 1.0))  # shift in widths, and sign


class Steps:
    """All pairs of two sets of scores, p above q or not."""

    def __init__(self, p: Array, q: Array, width: float, weight_p: Array, weight_q: Array) -> None:
        self.width = width
        self.order_p, self.order_q = np.argsort(p), np.argsort(q)
        self.p, self.q = p[self.order_p], q[self.order_q]
        self.weight_p, self.weight_q = weight_p[self.order_p], weight_q[self.order_q]

    @cached_property
    def _first_q(self) -> list[Array]:
        """From where on the q's count for each p, for each part of the step."""
        return [np.searchsorted(self.q, self.p - shift * self.width, "right") for shift, _ in _PARTS]

    @cached_property
    def _last_p(self) -> list[Array]:
        """Up to where the p's count for each q."""
        return [np.searchsorted(self.p, self.q + shift * self.width, "left") for shift, _ in _PARTS]

    def above(self) -> tuple[Array, Array]:
        """Return the weight of the q's above each p, and the derivative by p."""
        w, q = self.weight_q, self.q
        sums = [total[-1] - total for total in (cumulated(w), cumulated(w * q), cumulated(w * q * q))]
        number, slope = np.zeros(len(self.p)), np.zeros(len(self.p))
        for (shift, sign), first in zip(_PARTS, self._first_q, strict=True):
            gap = shift * self.width - self.p
            ones, firsts, squares = (total[first] for total in sums)
            number += sign * (ones * gap * gap + 2 * gap * firsts + squares)
            slope -= 2 * sign * (ones * gap + firsts)
        return self._unsorted(number, self.order_p), self._unsorted(slope, self.order_p)

    def slope_q(self, factor: Array) -> Array:
        """Return the derivative by each q of the sum over p of factor times step (without the weight of q)."""
        factor = factor[self.order_p]
        ones, firsts = cumulated(factor), cumulated(factor * self.p)
        slope = np.zeros(len(self.q))
        for (shift, sign), last in zip(_PARTS, self._last_p, strict=True):
            slope += 2 * sign * (ones[last] * (shift * self.width + self.q) - firsts[last])
        return self._unsorted(slope, self.order_q)

    def _unsorted(self, values: Array, order: Array) -> Array:
        out = np.empty(len(values))
        out[order] = values / (2 * self.width**2)
        return out


_ROUNDING = 1e-12  # of the largest score


@dataclass(frozen=True, eq=False)
class SmoothTable:
    """A loss of the table, at the soft counts that probabilities give."""

    split: Split
    loss: TableLoss

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        flagged = split.weights * expit(scores)
        slope = flagged * expit(-scores)
        a, b = flagged[split.pos].sum(), flagged[split.neg].sum()
        (low_a, high_a), (low_b, high_b) = _around(a, split.P), _around(b, split.N)
        value, up_a, down_a, up_b, down_b = self.loss(
            np.array([a, high_a, low_a, a, a]), np.array([b, b, b, high_b, low_b])
        )
        by_a, by_b = (up_a - down_a) / (high_a - low_a), (up_b - down_b) / (high_b - low_b)
        return Risk(float(value), slope * np.where(split.is_positive, by_a, by_b))


def _around(count: float, most: float) -> tuple[float, float]:
    """Return two counts near one, both possible, for a difference quotient."""
    step = 1e-6 * most
    return max(0.0, count - step), min(most, count + step)


@dataclass(frozen=True, eq=False)
class SmoothQuota:
    """The positives that miss a quota of places, with a soft cut that flags exactly that many cases."""

    split: Split
    quota: float
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        most = min(self.quota, split.P)

        def excess(cut: float) -> float:
            return float(split.weights @ expit((scores - cut) / self.width)) - self.quota

        reach = 40 * self.width
        cut = brentq(excess, scores.min() - reach, scores.max() + reach, xtol=1e-10)
        flagged = split.weights * expit((scores - cut) / self.width)
        slope = flagged * expit((cut - scores) / self.width) / self.width
        moved = slope[split.pos].sum() / slope.sum()  # a score that rises moves the cut for all
        return Risk(float(1 - flagged[split.pos].sum() / most), -slope * (split.is_positive - moved) / most)


@dataclass(frozen=True, eq=False)
class SmoothAuc:
    """The share of pairs in the wrong order; with fewer false positives than negatives, of the highest negatives."""

    split: Split
    false_positives: float
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split, q = self.split, scores[self.split.neg]
        if self.false_positives >= split.N:
            top, share = np.arange(len(q)), split.weights[split.neg]
        else:
            top, share = self._highest(q)
        steps = Steps(scores[split.pos], q[top], self.width, split.weights[split.pos], share)
        above, slope = steps.above()
        weight = split.weights[split.pos] / (split.P * share.sum())
        gradient = np.zeros(split.n)
        gradient[split.pos] = weight * slope
        gradient[split.neg[top]] = share * steps.slope_q(weight)
        return Risk(float(weight @ above), gradient)

    def _highest(self, q: Array) -> tuple[Array, Array]:
        """Return the highest negatives, and which weight of each counts: all of it but for the last."""
        split = self.split
        most = int(np.ceil(self.false_positives - 1e-9)) if split.weight is None else len(q)
        top = highest(q, most)
        weight = split.weights[split.neg[top]]
        share = np.clip(self.false_positives - (np.cumsum(weight) - weight), 0, weight)
        return top[share > 0], share[share > 0]


@dataclass(frozen=True, eq=False)
class SmoothAveragePrecision:
    """One less the average precision, with soft ranks among the positives and among all."""

    split: Split
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        p, q, weight = scores[split.pos], scores[split.neg], split.weights[split.pos]
        others = Steps(p, q, self.width, weight, split.weights[split.neg])
        own = Steps(p, p, self.width, weight, weight)
        (above, by_above), (before, by_before) = others.above(), own.above()
        before = before + weight / 2  # a case itself counts in full, and its own step is one half
        share = weight / split.P / (before + above) ** 2
        to_before, to_above = -share * above, share * before
        gradient = np.empty(split.n)
        # What a case does to its own step cancels between the two sums.
        gradient[split.pos] = to_above * by_above + to_before * by_before + weight * own.slope_q(to_before)
        gradient[split.neg] = split.weights[split.neg] * others.slope_q(to_above)
        return Risk(float(1 - weight @ (before / (before + above)) / split.P), gradient)


@dataclass(frozen=True, eq=False)
class SmoothAverageQrecall:
    """One less the average Qrecall: by how many places positives stand beyond place P, with soft places."""

    split: Split
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        p, q, ones = scores[split.pos], scores[split.neg], np.ones(len(split.pos))
        others = Steps(p, q, self.width, ones, np.ones(len(split.neg)))
        own = Steps(p, p, self.width, ones, ones)
        (above, by_above), (before, by_before) = others.above(), own.above()
        beyond = before + 0.5 + above - split.P  # a case's own step is one half
        late = (beyond > 0) / (split.P * (split.N + 1))
        gradient = np.empty(split.n)
        gradient[split.pos] = late * (by_above + by_before) + own.slope_q(late)
        gradient[split.neg] = others.slope_q(late)
        return Risk(float(late @ beyond), gradient)


@dataclass(frozen=True, eq=False)
class Standardised:
    """A risk of the scores at mean 0 and deviation 1, plus a little for leaving the direction of a reference."""

    risk: Oracle
    reference: Array
    trust: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        z, deviation = standard(scores)
        home, _ = standard(self.reference)
        value, gradient = self.risk(z)
        near = float(z @ home) / len(z)
        gradient = gradient - self.trust * home / len(z)
        gradient = (gradient - gradient.mean() - z * (float(gradient @ z) / len(z))) / deviation
        return Risk(value + self.trust * (1 - near), gradient)


def standard(scores: Array) -> tuple[Array, float]:
    """Return the scores at mean 0 and deviation 1, and their deviation; equal scores stay equal, with deviation 1."""
    if are_equal(scores):
        return np.zeros(len(scores)), 1.0
    centred = scores - scores.mean()
    deviation = float(np.sqrt(centred @ centred / len(centred)))
    return centred / deviation, deviation


def are_equal(scores: Array) -> bool:
    """Whether scores differ by no more than rounding may make them."""
    low, high = float(scores.min()), float(scores.max())
    return high - low <= _ROUNDING * max(abs(low), abs(high))
