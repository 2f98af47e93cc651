"""Loss-augmented inference: find the table or the order of the cases that violates the margin most.

For the table with a = TP and b = FP the best labeling drops the lowest positives and flags the highest negatives, so

    R(s) = max over (a, b) of  loss(a, b) + keeping[a] + flagging[b],

with keeping and flagging concave. Each oracle uses one property of the loss to find the exact maximum without the
P x N grid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cutline.core.array_ops import Array
from cutline.training.class_order import Ordered, Risk, Split, cumulate, sort_classes

# The loss of tables with a = TP and b = FP: vectorised, 0 at (P, 0).
TableLoss = Callable[[Array, Array], Array]

# ---------------------------------------------------------------------- losses of the 2x2 table

_ROUNDING = 1e-13  # a difference between branches that rounding can make
_EXACT = 1e-12
_TRIED = 9  # values of a and of b
_BRANCHES = 8
_COARSE = 16


def rewrite_as_ratio(loss: TableLoss, positives: float, negatives: float) -> TableLoss:
    """Return a faster form of the loss if it is 1 - a / (a linear function of a and b), as for F-beta and Jaccard.

    Searches evaluate the loss thousands of times on few tables. The coefficients are found from values of the loss, so
    that the definition of the measure is not repeated here.
    """
    a, b = np.array([positives, positives / 2, positives]), np.array([0.0, 0.0, negatives])
    with np.errstate(all="ignore"):
        whole, half, flagged = a / (1 - loss(a, b))
        by_a, by_b = (whole - half) / (positives / 2), (flagged - whole) / negatives
    constant = whole - by_a * positives
    if not constant > _EXACT * positives or not np.isfinite(by_b):  # the loss may be undefined where nobody is flagged
        return loss

    def compute_ratio(a: Array, b: Array) -> Array:
        return np.asarray(1 - a / (constant + by_a * a + by_b * b))

    a, b = np.linspace(0, positives, _TRIED)[:, None], np.linspace(0, negatives, _TRIED)[None, :]
    return compute_ratio if np.allclose(compute_ratio(a, b), loss(a, b), rtol=0, atol=_EXACT) else loss


@dataclass(frozen=True, eq=False)
class _TableOracle(ABC):
    split: Split
    loss: TableLoss
    costs: tuple[float, float]

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        order = sort_classes(scores, self.split, self.costs, self.floor)
        value, a, b = self.search(order)
        return Risk(value, order.compute_gradient(self.split, a, b, self.costs))

    @property
    def floor(self) -> float:
        """Lower bound of the scores at which flagging a negative can pay."""
        return -np.inf

    @abstractmethod
    def search(self, order: Ordered) -> tuple[float, int, int]:
        """Return the largest loss plus gain over all tables, and the table that has it."""


@dataclass(frozen=True, eq=False)
class LinearOracle:
    """Oracle of error, balanced error and costs, where each case is flipped independently. O(n), with weights."""

    split: Split
    miss: float
    alarm: float
    costs: tuple[float, float]

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        loss = np.where(split.is_positive, self.miss, self.alarm)
        slope = np.where(split.is_positive, -self.costs[0], self.costs[1])
        excess = split.weights * (loss + slope * scores)
        flipped = excess > 0
        return Risk(float(excess[flipped].sum()), np.where(flipped, split.weights * slope, 0.0))


class GridOracle(_TableOracle):
    """Oracle of any loss by all (P + 1)(N + 1) tables (Joachims' Algorithm 2), in O(PN): the reference for tests."""

    def search(self, order: Ordered) -> tuple[float, int, int]:
        """Return the maximum over all tables."""
        best = (-np.inf, 0, 0)
        b = np.arange(len(order.flagging), dtype=float)
        for a, gain in enumerate(order.keeping):
            row = self.loss(np.array(float(a)), b) + order.flagging
            at = int(np.argmax(row))
            best = max(best, (float(row[at] + gain), a, at))
        return best


class RowsOracle(_TableOracle):
    """Oracle of F-beta and Jaccard, whose loss is concave in b for each a and falls with a. O(n log n).

    The best b of a row comes from a binary search. Not all rows are searched: that of the left end of a block of rows
    bounds the block, since its loss falls to the right. Blocks are split until none can be better than the best row.
    Nor are all negatives sorted: none adds more to the loss than the first one does, which must outweigh its score.
    """

    @cached_property
    def floor(self) -> float:
        """Lower bound of the scores at which flagging a negative can pay."""
        a = np.arange(len(self.split.pos) + 1.0)
        return -float((self.loss(a, np.ones(1)) - self.loss(a, np.zeros(1))).max()) / self.costs[1]

    def search(self, order: Ordered) -> tuple[float, int, int]:
        """Search by branch and bound over blocks of rows."""
        rows = np.unique(np.linspace(0, len(order.pos), 16 * _BRANCHES + 1).astype(np.intp))
        column = self._find_best_columns(
            rows, order, np.zeros(len(rows), dtype=np.intp), np.full(len(rows), len(order.neg))
        )
        value = self._compute_values(rows, column, order)
        best = _choose_better((-np.inf, 0, 0), value + order.keeping[rows], rows, column)
        peak = int(np.argmax(order.keeping))
        steps = np.linspace(0, 1, _BRANCHES + 1)[1:-1]
        edges, columns, values = (np.column_stack((x[:-1], x[1:])) for x in (rows, column, value))
        while True:
            first, last = edges[:, 0], edges[:, 1]
            bound = values[:, 0] + order.keeping[np.clip(peak, first, last)]
            alive = (last - first > 1) & (bound > best[0] + _ROUNDING)
            if not alive.any():
                return best
            edges, columns, values = edges[alive], columns[alive], values[alive]
            first, last = edges[:, :1], edges[:, 1:]
            inner = (first + steps * (last - first)).astype(np.intp)
            low, high = (np.repeat(column, len(steps)) for column in (columns.min(1), columns.max(1)))
            column = self._find_best_columns(inner.ravel(), order, low, high)
            value = self._compute_values(inner.ravel(), column, order)
            best = _choose_better(best, value + order.keeping[inner.ravel()], inner.ravel(), column)
            edges, columns, values = (
                _pair_neighbours(outer, middle.reshape(inner.shape))
                for outer, middle in ((edges, inner), (columns, column), (values, value))
            )

    def _compute_values(self, a: Array, b: Array, order: Ordered) -> Array:
        return self.loss(a.astype(float), b.astype(float)) + order.flagging[b]

    def _find_best_columns(self, a: Array, order: Ordered, low: Array, high: Array) -> Array:
        """Return the best column of each row: the first from which a step gains nothing.

        Binary search between two guesses, those of the rows around; what is not found there is searched everywhere.
        """
        rows, lowest, most = a.astype(float), low, high

        def gains(column: Array) -> Array:
            after, before = self.loss(rows, np.stack((column + 1.0, column.astype(float))))
            return np.asarray(after - before + self.costs[1] * order.neg[column] > 0)

        if not len(order.neg):
            return lowest
        last = len(order.neg) - 1
        while (lowest < most).any():
            middle = (lowest + most) >> 1
            up = gains(np.minimum(middle, last)) & (lowest < most)
            lowest, most = np.where(up, middle + 1, lowest), np.where(up, most, np.minimum(middle, most))
        is_first = (lowest == 0) | gains(np.maximum(lowest - 1, 0))
        is_last = (lowest > last) | ~gains(np.minimum(lowest, last))
        missed = ~(is_first & is_last)
        if missed.any():
            lowest[missed] = self._find_best_columns(
                a[missed], order, np.zeros(missed.sum(), dtype=np.intp), np.full(missed.sum(), last + 1)
            )
        return lowest


def _pair_neighbours(outer: Array, inner: Array) -> Array:
    """Return the pairs of neighbours of the rows (first, inner ..., last), one pair a row."""
    line = np.column_stack((outer[:, 0], inner, outer[:, 1]))
    return np.column_stack((line[:, :-1].ravel(), line[:, 1:].ravel()))


class DiagonalsOracle(_TableOracle):
    """MCC, kappa, precision: for each number k = a + b of flagged cases the loss falls and is concave in a. O(n log n).

    The best a of a diagonal comes from a binary search between the fewest positives that k allows and those of the
    first k cases in order of gain. A diagonal is given up as soon as the interval that is left cannot hold the best.
    """

    def search(self, order: Ordered) -> tuple[float, int, int]:
        """Search all diagonals at once by bisection; a few of them first, for a bound that rules out most of the
        rest.
        """
        P, N = len(order.pos), len(order.neg)
        gains = np.concatenate((-self.costs[0] * order.pos, -self.costs[1] * order.neg))
        merged = np.argsort(gains, kind="stable")  # two sorted runs: linear
        k = np.arange(P + N + 1)
        high = cumulate(merged < P).astype(np.intp)
        low = np.maximum(0, k - N)
        few = slice(None, None, _COARSE)
        best = self._search(k[few], low[few], high[few], order, (-np.inf, 0, 0))
        return self._search(k, low, high, order, best)

    def _search(
        self, k: Array, low: Array, high: Array, order: Ordered, best: tuple[float, int, int]
    ) -> tuple[float, int, int]:
        while len(k):
            loss = self.loss(low.astype(float), (k - low).astype(float))
            best = _choose_better(best, loss + order.keeping[low] + order.flagging[k - low], low, k - low)
            # Up to `high` the gain grows with a while the loss falls.
            bound = loss + order.keeping[high] + order.flagging[k - high]
            alive = (high > low) & (bound > best[0] + _ROUNDING)
            k, low, high = k[alive], low[alive], high[alive]
            middle = (low + high) >> 1
            a = np.stack((middle, middle + 1))
            below, above = self.loss(a.astype(float), (k - a).astype(float)) + order.keeping[a] + order.flagging[k - a]
            up = above > below
            low, high = np.where(up, middle + 1, low), np.where(up, high, middle)
            best = _choose_better(best, np.maximum(above, below), np.where(up, low, high), k - np.where(up, low, high))
        return best


def _choose_better(best: tuple[float, int, int], value: Array, a: Array, b: Array) -> tuple[float, int, int]:
    """Return the best table so far, or the best of these."""
    if not len(value):
        return best
    at = int(np.argmax(value))
    return max(best, (float(value[at]), int(a[at]), int(b[at])))


class BoxesOracle(_TableOracle):
    """Any loss that never grows with a nor falls with b (G-mean, a callable): branch and bound on boxes of tables."""

    def search(self, order: Ordered) -> tuple[float, int, int]:
        """Split boxes in four until none can hold a better table than the best found."""
        peaks = int(np.argmax(order.keeping)), int(np.argmax(order.flagging))
        boxes = np.array([[0, len(order.pos), 0, len(order.neg)]])
        best = (-np.inf, 0, 0)
        while len(boxes):
            a0, a1, b0, b1 = boxes.T
            a_peak, b_peak = np.clip(peaks[0], a0, a1), np.clip(peaks[1], b0, b1)
            a = np.concatenate((a_peak, (a0 + a1) >> 1, a0))
            b = np.concatenate((b_peak, (b0 + b1) >> 1, b1))
            loss = self.loss(a.astype(float), b.astype(float))
            value = loss + order.keeping[a] + order.flagging[b]
            best = _choose_better(best, value, a, b)
            bound = loss[-len(boxes) :] + order.keeping[a_peak] + order.flagging[b_peak]
            boxes = _quarter_boxes(boxes[(bound > best[0] + _ROUNDING) & ((a1 > a0) | (b1 > b0))])
        return best


def _quarter_boxes(boxes: Array) -> Array:
    """Halve each box along both sides; a side of one table stays whole."""
    halves = boxes
    for side in (0, 2):
        first, last = halves[:, side], halves[:, side + 1]
        low, high = halves.copy(), halves[last > first].copy()
        middle = (first + last) >> 1
        low[:, side + 1] = middle
        high[:, side] = middle[last > first] + 1
        halves = np.concatenate((low, high))
    return halves


# ---------------------------------------------------------------------- losses of the order, and of its first places


@dataclass(frozen=True, eq=False)
class AucOracle:
    """The mean hinge of all pairs of a positive and a negative, from one sort. O(n log n), weights welcome."""

    split: Split

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        shifted = scores + ~split.is_positive
        order = np.argsort(shifted)
        weight, negative = split.weights[order], ~split.is_positive[order]
        negatives = np.cumsum(weight * negative)
        positives = np.cumsum(weight) - negatives
        # A pair counts when the positive comes before the shifted negative.
        coefficient = weight * np.where(negative, positives, negatives - split.N)
        gradient = np.empty(split.n)
        gradient[order] = coefficient / (split.P * split.N)
        return Risk(float(gradient @ shifted), gradient)


@dataclass(frozen=True, eq=False)
class PartialAucOracle:
    """The part of the AUC up to a number of false positives, not necessarily whole. O(N + (P + j) log j).

    Narasimhan & Agarwal's tight bound: among the highest j negatives, each positive chooses how many are above it. What
    it gains is concave in that number.
    """

    split: Split
    false_positives: float

    @cached_property
    def _share(self) -> Array:
        """Share of each of the highest negatives that counts."""
        places = np.arange(int(np.ceil(self.false_positives - 1e-9)))
        return np.asarray(np.minimum(1.0, self.false_positives - places))

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split, share = self.split, self._share
        top = find_highest(scores[split.neg], len(share))
        p, q = scores[split.pos], scores[split.neg[top]]
        shares, scored = cumulate(share), cumulate(share * q)
        above = np.searchsorted(-(q + 1), -p)
        gain = shares[above] + scored[above] - p * shares[above]
        scale = 1 / (len(split.pos) * share.sum())
        gradient = np.zeros(split.n)
        gradient[split.pos] = -scale * shares[above]
        gradient[split.neg[top]] = scale * share * _count_exceeding(above, len(share))
        return Risk(scale * float(gain.sum()), gradient)


@dataclass(frozen=True, eq=False)
class AveragePrecisionOracle:
    """One less the average precision, exactly. O(n log n + P log N).

    The i-th positive chooses the number m of negatives above it; what it gains,
    m / (i + m) / P - (m p_i - the sum of the m highest negative scores) / PN, is concave in m, and the only bond is
    that the numbers grow with i. So whether a number exceeds m is decided for all positives by one best suffix, and all
    numbers follow by bisection of m, every level of it at once.
    """

    split: Split

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        positives, negatives = _sort_descending(split, scores)
        p, q = scores[positives], scores[negatives]
        P, N = len(p), len(q)
        above = _find_isotonic_numbers(p, q)
        lost = above / (np.arange(1, P + 1) + above)
        scale = 1 / (P * N)
        value = lost.sum() / P - scale * (above * p - cumulate(q)[above]).sum()
        gradient = np.empty(split.n)
        gradient[positives] = -scale * above
        gradient[negatives] = scale * _count_exceeding(above, N)
        return Risk(float(value), gradient)


@dataclass(frozen=True, eq=False)
class AverageQrecallOracle:
    """One less the average Qrecall, exactly. O(n log n + P log N).

    The loss is the sum over the positives of the places by which they stand beyond place P, as a share of P (N + 1). So
    the i-th positive, with m negatives above it, gains max(0, i + m - P) / P (N + 1) - (m p_i - the sum of the m
    highest negative scores) / PN: up to m = P - i and from there on this is concave in m, and the better of two best
    numbers is chosen. One negative more gains the more the later the positive is, so the numbers grow with i.
    """

    split: Split

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        positives, negatives = _sort_descending(split, scores)
        p, q = scores[positives], scores[negatives]
        P, N = len(p), len(q)
        scale, free, sums = 1 / (P * N), np.arange(P - 1, -1, -1), cumulate(q)

        def gain(above: Array) -> Array:
            return np.asarray(np.maximum(0, above - free) / (P * (N + 1)) - scale * (above * p - sums[above]))

        early = np.minimum(np.searchsorted(-q, -p), np.minimum(free, N))
        late = np.clip(np.searchsorted(-q, N / (N + 1) - p), np.minimum(free, N), N)
        above = np.where(gain(late) > gain(early), late, early)
        gradient = np.empty(split.n)
        gradient[positives] = -scale * above
        gradient[negatives] = scale * _count_exceeding(above, N)
        return Risk(float(gain(above).sum()), gradient)


def _sort_descending(split: Split, scores: Array) -> tuple[Array, Array]:
    """Return the rows of the positives and of the negatives, the highest score of each first."""
    return split.pos[np.argsort(-scores[split.pos])], split.neg[np.argsort(-scores[split.neg])]


def _find_isotonic_numbers(p: Array, q: Array) -> Array:
    """Return the growing numbers m_1 <= ... <= m_P that gain the most, by bisection of all of them at once."""
    P, N = len(p), len(q)
    low, high = np.zeros(P, dtype=np.intp), np.full(P, N)
    open_ = np.arange(P)
    while len(open_):
        place = open_ + 1.0
        middle = (low[open_] + high[open_]) >> 1
        step = N * place / ((place + middle) * (place + middle + 1)) - (p[open_] - q[middle])
        # Positives with one interval stand together: in each such group, the best suffix goes beyond the middle.
        starts = np.flatnonzero(np.concatenate(([True], middle[1:] != middle[:-1])))
        sizes = np.diff(np.append(starts, len(open_)))
        suffix = np.cumsum(step[::-1])[::-1]
        suffix -= np.repeat(np.append(suffix[starts[1:]], 0.0), sizes)
        best = np.maximum.reduceat(suffix, starts)
        is_start = (suffix == np.repeat(best, sizes)) & (suffix > 0)
        latest = np.maximum.accumulate(np.where(is_start, np.arange(len(open_)), -1))
        beyond = latest >= np.repeat(starts, sizes)
        low[open_] = np.where(beyond, middle + 1, low[open_])
        high[open_] = np.where(beyond, high[open_], middle)
        open_ = open_[low[open_] < high[open_]]
    return low


@dataclass(frozen=True, eq=False)
class QuotaOracle:
    """What a quota of k places misses: the k cases that would do the most harm there. O(n).

    The reference is what a perfect order would put there: k/P of every positive, or all of them and a share of every
    negative. It does not change when a constant is added to the scores, and bounds the loss. With k = P it is Joachims'
    bound for the break-even point.
    """

    split: Split
    quota: int
    cost: float
    per_hit: float

    @cached_property
    def _reference(self) -> Array:
        P, N, k = self.split.P, self.split.N, self.quota
        return self.split.scatter(min(1.0, k / P), max(0.0, (k - P) / N))

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        harm = self.cost * scores - self.per_hit * self.split.is_positive
        top = find_highest(harm, self.quota, in_order=False)
        gradient = -self.cost * self._reference
        gradient[top] += self.cost
        hits = self.per_hit * min(self.quota, self.split.P)
        return Risk(float(hits + harm[top].sum() - self.cost * (self._reference @ scores)), gradient)


@dataclass(frozen=True, eq=False)
class AtMostOracle:
    """Recall in a quota that could hold every positive: all labelings that flag at most k cases. O(n)."""

    split: Split
    quota: int
    cost: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        harm = self.cost * scores - split.is_positive / split.P
        flagged = harm > 0
        if flagged.sum() > self.quota:
            flagged = np.zeros(split.n, dtype=bool)
            flagged[find_highest(harm, self.quota, in_order=False)] = True
        value = 1 + harm[flagged].sum() - self.cost * scores[split.pos].sum()
        return Risk(float(value), self.cost * (flagged.astype(float) - split.is_positive))


def find_highest(values: Array, k: int, *, in_order: bool = True) -> Array:
    """Return the positions of the k highest values, in descending order of them."""
    top = np.argpartition(-values, k - 1)[:k] if k < len(values) else np.arange(len(values))
    return top[np.argsort(-values[top])] if in_order else top


def _count_exceeding(numbers: Array, size: int) -> Array:
    """Return how many of the numbers exceed 0, 1, ..., size - 1."""
    counts = np.bincount(numbers, minlength=size + 1)
    return np.cumsum(counts[::-1])[::-1][1:]
