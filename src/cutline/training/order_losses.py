"""Loss-augmented inference for losses of the whole order, and of the first places of it: which ranking is the worst?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cutline.core.array_ops import Array
from cutline.training.class_order import Risk, Split, cumulate


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
        """Which share of each of the highest negatives counts."""
        places = np.arange(int(np.ceil(self.false_positives - 1e-9)))
        return np.asarray(np.minimum(1.0, self.false_positives - places))

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split, share = self.split, self._share
        top = highest(scores[split.neg], len(share))
        p, q = scores[split.pos], scores[split.neg[top]]
        shares, scored = cumulate(share), cumulate(share * q)
        above = np.searchsorted(-(q + 1), -p)
        gain = shares[above] + scored[above] - p * shares[above]
        scale = 1 / (len(split.pos) * share.sum())
        gradient = np.zeros(split.n)
        gradient[split.pos] = -scale * shares[above]
        gradient[split.neg[top]] = scale * share * _how_many_exceed(above, len(share))
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
        positives, negatives = _highest_first(split, scores)
        p, q = scores[positives], scores[negatives]
        P, N = len(p), len(q)
        above = _isotonic_numbers(p, q)
        lost = above / (np.arange(1, P + 1) + above)
        scale = 1 / (P * N)
        value = lost.sum() / P - scale * (above * p - cumulate(q)[above]).sum()
        gradient = np.empty(split.n)
        gradient[positives] = -scale * above
        gradient[negatives] = scale * _how_many_exceed(above, N)
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
        positives, negatives = _highest_first(split, scores)
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
        gradient[negatives] = scale * _how_many_exceed(above, N)
        return Risk(float(gain(above).sum()), gradient)


def _highest_first(split: Split, scores: Array) -> tuple[Array, Array]:
    """Return the rows of the positives and of the negatives, the highest score of each first."""
    return split.pos[np.argsort(-scores[split.pos])], split.neg[np.argsort(-scores[split.neg])]


def _isotonic_numbers(p: Array, q: Array) -> Array:
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
        top = highest(harm, self.quota, in_order=False)
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
            flagged[highest(harm, self.quota, in_order=False)] = True
        value = 1 + harm[flagged].sum() - self.cost * scores[split.pos].sum()
        return Risk(float(value), self.cost * (flagged.astype(float) - split.is_positive))


def highest(values: Array, k: int, *, in_order: bool = True) -> Array:
    """Return the positions of the k highest values, in descending order of them."""
    top = np.argpartition(-values, k - 1)[:k] if k < len(values) else np.arange(len(values))
    return top[np.argsort(-values[top])] if in_order else top


def _how_many_exceed(numbers: Array, size: int) -> Array:
    """Return how many of the numbers exceed 0, 1, ..., size - 1."""
    counts = np.bincount(numbers, minlength=size + 1)
    return np.cumsum(counts[::-1])[::-1][1:]
