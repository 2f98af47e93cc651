"""AUCs of slices and of the cases outside each slice, and a permutation test of each slice against the rest.

The AUC of a slice and that of its rest, with DeLong's variances, follow from sums over the cases, so that one pass over
the sorted cases gives them for all slices of many permutations at once. A case *wins* against those of the other class
that it stands right to: a positive against the negatives below it, a negative against the positives above it; a tie
counts one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.parallel import stop_if_unwanted
from cutline.core.ranking import Ranking
from cutline.inference import influence
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.simultaneous import logit, westfall_young
from cutline.measures import Measure, Needs


def find_influence(measure: Measure, ranking: Ranking, threshold: float, parameters: Any) -> Influence | None:
    """Return the influence values of a measure; None if it is not differentiable.

    Args:
        measure: The measure.
        ranking: The cases.
        threshold: The cut, for measures of one cut.
        parameters: The other parameters of the measure.
    """
    if measure.needs is Needs.COUNTS:
        parameters = {**parameters, "threshold": threshold}
    elif set(measure.required) - parameters.keys():
        return None
    data, rest = measure.prepare(ranking, parameters)
    return influence.differentiate(measure, ranking, parameters, float(measure.compute(data, **rest)))


def sum_by_group(changes: Influence, sampler: GroupSampler, codes: Array, count: int) -> Array:
    """Return the influence of each group on the measure of one slice.

    Args:
        changes: What one case of the slice changes.
        sampler: The cases of the slice with their groups.
        codes: The number that each group of the slice has among all groups.
        count: The number of all groups.
    """
    own = changes.of_cells(sampler.cell, len(sampler.ranking))
    if sampler.weight is not None:
        own = own * sampler.weight
    return np.bincount(codes[sampler.group], own, count)


def compute_group_covariance(sums: Array) -> Array:
    """Return the covariance of measures from what each group (rows) changes in each of them (columns)."""
    count = len(sums)
    return np.asarray(sums.T @ sums * (count / (count - 1)))


def compute_correlation(covariance: Array) -> Array:
    """Return the correlation of estimates; 0 where one does not vary."""
    spread = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(covariance / np.outer(spread, spread), nan=0.0, posinf=0.0, neginf=0.0)


class RestDifference(NamedTuple):
    """A slice less its rest: value of the rest, standard error of the difference, and the studentised difference."""

    rest: float
    error: float
    statistic: float


def compare_with_rest(
    value: float, rest: float, sums: Array, rest_sums: Array, shift: float, *, is_share: bool
) -> RestDifference:
    """Compare a slice with its rest, which may share groups with it; shares on the logit scale.

    Args:
        value: The value of the slice.
        rest: The value of the rest.
        sums: What each group changes in the slice.
        rest_sums: What each group changes in the rest.
        shift: The difference under the hypothesis.
        is_share: Whether the values lie between 0 and 1.
    """
    count = len(sums)
    factor = count / (count - 1)
    error = float(np.sqrt(factor * np.square(sums - rest_sums).sum()))
    if is_share and 0 < value < 1 and 0 < rest + shift < 1:
        at = rest + shift
        slopes = sums / (value * (1 - value)) - rest_sums / (at * (1 - at))
        distance = float(logit(value) - logit(at))
        spread = float(np.sqrt(factor * np.square(slopes).sum()))
    else:
        distance, spread = value - rest - shift, error
    return RestDifference(rest, error, distance / spread if spread > 0 else np.nan)


PERMUTATIONS = 999
MOST_CASES = 200_000  # for which the cases are permuted
_ROUNDING = 1e-9  # of a statistic: equal statistics must count as equal
_AT_ONCE = 2**18  # cases of all permutations that are held together: they should stay in the processor's cache


class Areas(NamedTuple):
    """AUC and DeLong variance of each slice and of its rest; the last axis holds the slices."""

    area: Array
    variance: Array
    rest: Array
    rest_variance: Array


@dataclass(frozen=True, eq=False)
class ScoresOfClass:
    """The cases of one class in ascending order of their scores."""

    score: Array  # numbers of the distinct scores
    slices: Array  # numbers of the slices
    size: Array  # cases in each slice
    is_positive: bool

    @classmethod
    def of(cls, score: Array, slices: Array, count: int, *, is_positive: bool) -> ScoresOfClass:
        """Sort the cases by score."""
        order = np.argsort(score, kind="stable")
        size = np.bincount(slices, minlength=count)
        return cls(score[order].astype(np.int64), slices[order].astype(np.int16), size, is_positive)

    @cached_property
    def starts(self) -> Array:
        """Number of cases in the slices before each."""
        return np.cumsum(self.size) - self.size

    @cached_property
    def slice_in_order(self) -> Array:
        """Slice of each case when the cases are sorted by slice."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def pair_weight(self) -> Array:
        """Number of ordered pairs of cases of a slice in which each case wins against the fewest."""
        place = np.arange(len(self.score)) - self.starts[self.slice_in_order]
        rank = self.size[self.slice_in_order] - place if self.is_positive else place + 1
        return np.asarray(2.0 * rank - 1)

    def wins(self, below: Array, others: Array | int) -> Array:
        """Turn the number of cases of the other class below into the number on the right side."""
        return below if self.is_positive else others - below

    def sums(self, values: Array) -> Array:
        """Add up values of cases that are sorted by slice, along the last axis."""
        filled = np.flatnonzero(self.size)
        totals = np.zeros((*values.shape[:-1], len(self.size)))
        totals[..., filled] = np.add.reduceat(values, self.starts[filled], axis=-1)
        return totals


@dataclass(frozen=True, eq=False)
class Slicing:
    """Cases of both classes that are divided into slices."""

    positives: ScoresOfClass
    negatives: ScoresOfClass

    @classmethod
    def of(cls, is_positive: Array, score: Array, slices: Array, count: int) -> Slicing:
        """Divide cases into `count` slices; a higher score means positive."""
        numbers = np.unique(score, return_inverse=True)[1]
        return cls(
            ScoresOfClass.of(numbers[is_positive], slices[is_positive], count, is_positive=True),
            ScoresOfClass.of(numbers[~is_positive], slices[~is_positive], count, is_positive=False),
        )

    @cached_property
    def areas(self) -> Areas:
        """AUCs of the slices as they are."""
        rows = self._compute_areas(self.positives.slices[None], self.negatives.slices[None])
        return Areas(*(column[0] for column in rows))

    def permuted_areas(self, rng: np.random.Generator, permutations: int) -> Areas:
        """Return the AUCs when the slices are permuted within each class."""
        pos, neg = (
            rng.permuted(np.tile(cases.slices, (permutations, 1)), axis=1) for cases in (self.positives, self.negatives)
        )
        return self._compute_areas(pos, neg)

    @cached_property
    def _rank_among_all(self) -> tuple[_AmongAll, _AmongAll]:
        pos, neg = self.positives, self.negatives
        wins = [
            own.wins(_count_below(other.score, own.score), len(other.score)) for own, other in ((pos, neg), (neg, pos))
        ]
        return _rank_among_all(pos, neg, *wins), _rank_among_all(neg, pos, *wins[::-1])

    def _compute_areas(self, of_positives: Array, of_negatives: Array) -> Areas:
        """Return the AUCs of each row of slices, which hold as many cases of each class as they do here."""
        classes = (self.positives, self.negatives)
        scores = 1 + max(int(cases.score[-1]) for cases in classes)
        row = np.arange(len(of_positives))[:, None] * len(self.positives.size)
        # A stable sort leaves the cases of a slice in the order of their scores.
        order = [np.argsort(slices, axis=1, kind="stable") for slices in (of_positives, of_negatives)]
        keys = [(row + c.slice_in_order) * scores + c.score[o] for c, o in zip(classes, order, strict=True)]
        has_ties = self._rank_among_all[0].tied is not None
        sums = []
        for i, cases in enumerate(classes):
            other = classes[1 - i]
            below = _count_below(keys[1 - i].ravel(), keys[i].ravel(), has_ties).reshape(keys[i].shape)
            before = other.starts[cases.slice_in_order] + len(other.score) * np.arange(len(row))[:, None]
            own = cases.wins(below - before, other.size[cases.slice_in_order])
            sums.append(_sum_by_slice(cases, self._rank_among_all[i], order[i], own, keys[i]))
        pos, neg = sums
        return _combine_sums(pos, neg, *self._rank_among_all, self.positives.size, self.negatives.size)


def _count_below(scores: Array, cases: Array, has_ties: bool = True) -> Array:
    """Return how many of some sorted scores are below each case, ties one half."""
    below = np.searchsorted(scores, cases, "left")
    return np.asarray((below + np.searchsorted(scores, cases, "right")) / 2 if has_ties else below)


class _AmongAll(NamedTuple):
    """Pairs that the cases of one class win among all cases."""

    wins: Array
    of_losers: Array  # the sum of the wins of the cases of the other class that win against each
    tied: Array | None  # cases of the other class with the same score; None where no case has any
    total: float
    squares: float


def _rank_among_all(cases: ScoresOfClass, others: ScoresOfClass, wins: Array, their_wins: Array) -> _AmongAll:
    low, high = (np.searchsorted(others.score, cases.score, side) for side in ("left", "right"))
    cumulated = np.concatenate(([0.0], np.cumsum(their_wins)))
    below = (cumulated[low] + cumulated[high]) / 2
    tied = (high - low).astype(float)
    return _AmongAll(
        wins.astype(float),
        cases.wins(below, cumulated[-1]),
        tied if tied.any() else None,
        float(wins.sum()),
        float(np.square(wins, dtype=float).sum()),
    )


class _PlacementSums(NamedTuple):
    """Sums over the cases of one class in each slice."""

    own: Array  # wins within the slice
    own_squares: Array
    wins: Array  # among all cases
    wins_squares: Array
    both: Array  # products of the two
    of_losers: Array
    squares_of_others: Array  # over all cases of the other class: the squared number of these that they win against


def _sum_by_slice(cases: ScoresOfClass, known: _AmongAll, order: Array, own: Array, key: Array) -> _PlacementSums:
    wins, own = known.wins[order], own.astype(float)
    squares = cases.sums(wins * cases.pair_weight)
    if known.tied is not None:  # both of a pair tie with a case: a quarter, where the weights count one half
        run = np.cumsum(np.diff(key.ravel(), prepend=-1) != 0) - 1
        squares = squares - cases.sums(np.bincount(run)[run].reshape(key.shape) * known.tied[order] / 4)
    return _PlacementSums(
        cases.sums(own),
        cases.sums(own * own),
        cases.sums(wins),
        cases.sums(wins * wins),
        cases.sums(wins * own),
        cases.sums(known.of_losers[order]),
        squares,
    )


def _combine_sums(
    pos: _PlacementSums, neg: _PlacementSums, all_pos: _AmongAll, all_neg: _AmongAll, m: Array, n: Array
) -> Areas:
    """Return the AUCs from the sums over the cases of each slice, which has m positives and n negatives."""
    rest_m, rest_n = len(all_pos.wins) - m, len(all_neg.wins) - n
    pairs = all_pos.total - pos.wins - neg.wins + pos.own
    # A case outside the slice wins within the rest what it wins among all, less what it wins against the slice.
    squares = [
        among.squares
        - mine.wins_squares
        - 2 * (other.of_losers - mine.both)
        + other.squares_of_others
        - mine.own_squares
        for among, mine, other in ((all_pos, pos, neg), (all_neg, neg, pos))
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        return Areas(
            pos.own / (m * n),
            _compute_variance_of_mean(pos.own, pos.own_squares, m, n)
            + _compute_variance_of_mean(neg.own, neg.own_squares, n, m),
            pairs / (rest_m * rest_n),
            _compute_variance_of_mean(pairs, squares[0], rest_m, rest_n)
            + _compute_variance_of_mean(pairs, squares[1], rest_n, rest_m),
        )


def _compute_variance_of_mean(total: Array, squares: Array, count: Array, among: Array) -> Array:
    """Return the variance of the mean of `count` placements, from their sum and the sum of their squares."""
    spread = np.maximum(squares - np.square(total) / count, 0.0) / np.square(among)
    return np.asarray(np.where(count > 1, spread / ((count - 1) * count), np.nan))


# ---------------------------------------------------------------------- the test


def studentise(slicing: Slicing, areas: Areas, margin: float = 0.0) -> Array:
    """Return the difference of each slice and its rest on the logit scale, in standard errors.

    An AUC of 0 or 1 has no spread: it is moved by half a pair, and its variance is at least that of half a pair.

    Args:
        slicing: The cases.
        areas: Their AUCs.
        margin: What the AUC of the slice exceeds that of the rest by under the hypothesis.
    """
    m, n = slicing.positives.size, slicing.negatives.size
    own, own_spread = _transform_to_logits(areas.area, areas.variance, m * n)
    rest, rest_spread = _transform_to_logits(areas.rest + margin, areas.rest_variance, (m.sum() - m) * (n.sum() - n))
    return np.asarray((own - rest) / np.sqrt(own_spread + rest_spread))


def _transform_to_logits(area: Array, variance: Array, pairs: Array) -> tuple[Array, Array]:
    with np.errstate(divide="ignore", invalid="ignore"):
        half = 0.5 / pairs
        inside = np.clip(area, half, 1 - half)
        return logit(inside), np.maximum(variance, 2 * np.square(half)) / np.square(inside * (1 - inside))


class PermutationResult(NamedTuple):
    """Statistics of each slice against its rest and their p-values; NaN for a slice that is not tested."""

    statistic: Array
    p_value: Array
    adjusted: Array


def run_permutation_test(
    slicing: Slicing,
    tested: Array,
    *,
    alternative: str = "two-sided",
    margin: float = 0.0,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PermutationResult:
    """Test each slice against its rest: slices are permuted within each class (Westfall and Young 1993, step-down).

    The statistics are studentised, so that unequal spreads do no harm (Pauly, Asendorf and Konietschke 2016). Each tail
    of a two-sided test has its own maximum and half the level.

    Args:
        slicing: The cases with their slices.
        tested: Which slices are tested.
        alternative: Whether the slice is "less" or "greater" than its rest, or "two-sided".
        margin: What the AUC of the slice exceeds that of the rest by under the hypothesis.
        permutations: How many permutations.
        seed: Their seed.
    """
    rng = np.random.default_rng(seed)
    observed = studentise(slicing, slicing.areas, margin)
    size = max(1, _AT_ONCE // (len(slicing.positives.score) + len(slicing.negatives.score)))
    null = []
    for start in range(0, permutations, size):
        stop_if_unwanted()
        areas = slicing.permuted_areas(rng, min(size, permutations - start))
        null.append(studentise(slicing, areas)[:, tested])
    p = np.full((2, len(observed)), np.nan)
    p[:, tested] = compute_p_values(observed[tested], np.concatenate(null), alternative)
    return PermutationResult(observed, *p)


def compute_p_values(observed: Array, null: Array, alternative: str) -> Any:
    """Return the p-values of statistics and those adjusted for all of them; rows of `null` are permutations."""
    if alternative == "two-sided":
        tails = [compute_p_values(observed, null, side) for side in ("less", "greater")]
        return np.minimum(1.0, 2 * np.minimum(*tails))
    if alternative == "less":
        observed, null = -observed, -null
    observed = observed - _ROUNDING
    own = (1 + (null >= observed).sum(axis=0)) / (1 + len(null))
    return np.stack([own, westfall_young(observed, null)])
