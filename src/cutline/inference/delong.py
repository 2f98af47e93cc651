"""DeLong's variance of the AUC, in one pass over the ranking, and the intervals that use it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, as_array, choose, dot
from cutline.core.blocks import reduce_over_cells
from cutline.core.counts import as_floats, divide
from cutline.core.ranking import Ranking
from cutline.inference.effective_size import compute_effective_sizes, square_weights
from cutline.results.estimate import Limits, quantile


class Placements(NamedTuple):
    """Placement values at each distinct score: of a positive and of a negative, ties counted one half.

    A positive stands right to the negatives below it, a negative to the positives above it; a tie counts one half.
    """

    of_positives: Array
    of_negatives: Array


def compute_placements(r: Ranking) -> Placements:
    """Return the placement values of DeLong, DeLong and Clarke-Pearson (1988), one for each distinct score and class.

    >>> compute_placements(Ranking.of_counts([3, 2, 1], [1, 1, 0], [0, 1, 1])).of_positives.tolist()
    [1.0, 0.75, 0.25]
    """
    return Placements(_place_positives(r), _place_negatives(r))


def _place_positives(r: Ranking) -> Array:
    """Return the share of the negatives below a positive at each score, ties one half."""
    fp = r.fp
    return as_array(divide(fp[..., -1:] - fp[..., 1:] + r.neg / 2, fp[..., -1:]))


def _place_negatives(r: Ranking) -> Array:
    """Return the share of the positives above a negative at each score, ties one half."""
    tp = r.tp
    return as_array(divide(tp[..., :-1] + r.pos / 2, tp[..., -1:]))


def compute_variance(r: Ranking) -> Any:
    """Return DeLong's variance of the AUC; NaN with a single positive or negative, which has no spread.

    The ranking remembers it, as it does its cumulated counts: several measures ask for it.
    """
    of_positives, of_negatives = _cache_variance_terms(r)
    return of_positives + of_negatives


def compute_freedom(r: Ranking) -> Any:
    """Return the degrees of freedom of DeLong's variance, the sum of one for each class (Brunner and Munzel 2000).

    >>> round(float(compute_freedom(Ranking.of_counts([4, 3, 2, 1], [3, 1, 1, 0], [0, 1, 1, 3]))), 2)
    8.0
    """
    parts, sizes = _cache_variance_terms(r), compute_effective_sizes(r)
    known = sum(divide(np.square(part), size - 1) for part, size in zip(parts, sizes, strict=True))
    return divide(np.square(parts[0] + parts[1]), known)


def _cache_variance_terms(r: Ranking) -> tuple[Any, Any]:
    if "auc_variance" not in r.__dict__:
        r.__dict__["auc_variance"] = _compute_variance_terms(r)
    variances: tuple[Any, Any] = r.__dict__["auc_variance"]
    return variances


def _compute_variance_terms(r: Ranking) -> tuple[Any, Any]:
    """Return the two terms of the variance, of positives and of negatives."""
    second, sizes = square_weights(r), compute_effective_sizes(r)
    if r.is_in_blocks:
        sums = compute_placement_moments(r)
        of_positives = _compute_variance_of_sum(sums[0], r.positives, sizes.positives)
        return of_positives, _compute_variance_of_sum(sums[2], r.negatives, sizes.negatives)
    placed = _place_positives(r)
    area = divide(dot(r.pos, placed), r.positives)
    # One class after the other, each in its own column: of a long ranking, each column is many megabytes.
    first = _compute_variance_of_mean(second.pos, placed, area, r.positives, sizes.positives)
    del placed
    return first, _compute_variance_of_mean(second.neg, _place_negatives(r), area, r.negatives, sizes.negatives)


def compute_placement_moments(r: Ranking) -> tuple[Any, Any, Any, Any]:
    """Return the sums of the squares and of the fourth powers of the placements less their mean: over the positives,
    then over the negatives of a ranking that is read in blocks.
    """
    pairs = r.pairs
    sums: tuple[Any, Any, Any, Any] = _sum_placement_powers(
        r, float(divide(pairs.concordant + pairs.tied / 2, pairs.every))
    )
    return sums


@reduce_over_cells(np.add)
def _sum_placement_powers(r: Ranking, area: float) -> tuple[Any, ...]:
    above = divide(r.negatives - r.fp[1:] + r.neg / 2, r.negatives)
    below = divide(r.tp[:-1] + r.pos / 2, r.positives)
    sums = []
    for cells, placed in ((r.pos, above), (r.neg, below)):
        square = np.square(placed - area)
        weighted = cells * square
        sums += [weighted.sum(), dot(weighted, square)]
    return tuple(sums)


def _compute_variance_of_mean(square: Array, placed: Array, mean: Any, weight: Any, size: Any) -> Any:
    """Return the variance of a weighted mean: squared weights times squared deviations, corrected for the mean's own.

    The deviations take the place of the values.
    """
    deviation = np.subtract(placed, mean[..., None], out=placed)
    deviation = np.multiply(deviation, deviation, out=deviation)
    return _compute_variance_of_sum(dot(square, deviation), weight, size)


def _compute_variance_of_sum(squared: Any, weight: Any, size: Any) -> Any:
    spread = divide(squared * size, np.square(weight, dtype=float) * (size - 1))
    return np.where(as_array(size) > 1 + 1e-9, spread, np.nan)  # one case, whatever it weighs, has no spread


def delong(area: Any, variance: Any, level: float) -> Limits:
    """Return the AUC plus and minus its standard error times the normal quantile: for an AUC far from 0 and 1."""
    half = quantile(level) * np.sqrt(variance)
    return Limits(area - half, area + half)


def delong_logit(area: Any, variance: Any, level: float) -> Limits:
    """Return DeLong's limits on the scale of the log-odds of the AUC, which cannot leave (0, 1)."""
    centre = np.log(area) - np.log1p(-area)
    half = quantile(level) * np.sqrt(variance) / (area * (1 - area))
    return Limits(*(1 / (1 + np.exp(-(centre + side))) for side in (-half, half)))


def newcombe_delong(area: Any, variance: Any, positives: Any, negatives: Any, level: float) -> Limits:
    """Return the wider of Newcombe's and DeLong's limits on the logit scale, each on its side.

    Newcombe's are too narrow where the positives' scores spread more than the negatives', and DeLong's where few
    pairs are out of order; together they held where either failed (docs/coverage.md).
    """
    by_newcombe = newcombe(area, positives, negatives, level)

    def wider() -> Limits:
        by_delong = delong_logit(area, variance, level)
        return Limits(np.minimum(by_newcombe.low, by_delong.low), np.maximum(by_newcombe.high, by_delong.high))

    limits: Limits = choose((variance > 0) & (area > 0) & (area < 1), wider, lambda: by_newcombe)
    return limits


def newcombe(area: Any, positives: Any, negatives: Any, level: float) -> Limits:
    """Return the AUCs whose own standard error would allow the one observed: Newcombe's (2006) method 5.

    The variance is that of Hanley and McNeil for exponential scores, with the mean of both class sizes in the place of
    each. It needs no spread in the data: it works for an AUC of 0 or 1 and for a single positive or negative.

    >>> [round(float(limit), 3) for limit in newcombe(1.0, 10, 10, 0.95)]
    [0.8, 1.0]
    """
    area, z = as_floats(area), quantile(level)
    middle = (positives + negatives) / 2 - 1

    def excess(a: Any) -> Any:
        """Return the distance of the observed area from a, less z standard errors at a."""
        spread = a * (1 - a) * (1 + middle * ((1 - a) / (2 - a) + a / (1 + a))) / (positives * negatives)
        return np.abs(area - a) - z * np.sqrt(spread)

    def root(outside: Any, inside: Any) -> Any:
        for _ in range(60):  # halving leaves the last digit
            half = (outside + inside) / 2
            beyond = excess(half) > 0
            outside, inside = np.where(beyond, half, outside), np.where(beyond, inside, half)
        return inside

    return Limits(
        np.where(area > 0, root(np.zeros_like(area), area), 0.0), np.where(area < 1, root(np.ones_like(area), area), 1)
    )
