"""Intervals for proportions (Wilson and others), ratios of proportions, and functions of three proportions (MOVER).

k of n cases: neither has to be a whole number; with weights, n is the effective sample size. The functions that give
both limits of one proportion work over arrays too, and check nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, as_number, choose, dot
from cutline.core.counts import Counts, divide, real
from cutline.core.ranking import Ranking
from cutline.inference import constants
from cutline.inference.effective_size import effective
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import linearise
from cutline.measures.forms import FunctionOfPrevalence, ShareOfPairs
from cutline.results.estimate import Interval, Limits, quantile

_HALVINGS = 55  # of what two exact limits leave open, after which floats are used up


def wilson(k: Any, n: Any, level: float) -> Limits:
    """Return Wilson's (1927) score interval: near its level on average over shares, below it next to 0 and 1.

    >>> [round(float(limit), 4) for limit in wilson(3, 5, 0.95)]
    [0.2307, 0.8824]
    """
    k, n, z = real(k), real(n), quantile(level)
    centre = (k + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    # At the ends a limit is the end itself, which rounding would miss.
    return Limits(np.where(k > 0, centre - half, 0.0), np.where(k < n, centre + half, 1.0))


def wilson_modified(k: Any, n: Any, level: float) -> Limits:
    """Return Wilson's interval with Poisson's limit where 1 to 3 cases have a property, or lack it.

    Brown, Cai and DasGupta (2001). Wilson's limit is too far from the end for so few: with 0.18 such cases to be
    expected it holds the truth in 83.8 % at every n, and the modified one in 98 %.

    >>> [round(float(limit), 4) for limit in wilson_modified(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    k, n = real(k), real(n)
    low, high = wilson(k, n, level)
    if not np.any(is_modified(k, n)):
        return Limits(low, high)
    from scipy.special import gammaincinv

    near, far = (np.where(_are_few(x, n), gammaincinv(np.maximum(x, 1e-9), 1 - level) / n, 1.0) for x in (k, n - k))
    return Limits(np.minimum(low, near), np.maximum(high, 1 - far))


def modified_of_counts(k: Any, n: Any, level: float) -> Limits:
    """Return `wilson_modified` of whole numbers, by arithmetic alone, so that it can be traced for a report.

    >>> [round(float(limit), 4) for limit in modified_of_counts(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    from scipy.special import gammaincinv

    low, high = wilson(k, n, level)
    for few in range(1, constants.FEW_OF_A_KIND + 1):
        bound, is_near = float(gammaincinv(few, 1 - level)) / n, few <= np.multiply(constants.POISSON_UP_TO, n)
        low = np.where((k == few) & is_near, np.minimum(low, bound), low)
        high = np.where((n - k == few) & is_near, np.maximum(high, 1 - bound), high)
    return Limits(low, high)


def is_modified(k: Any, n: Any) -> Any:
    """Whether so few cases have a property, or lack it, that the modified interval is not Wilson's."""
    return _are_few(k, n) | _are_few(np.subtract(n, k), n)


def _are_few(x: Any, n: Any) -> Any:
    return (
        np.greater(x, 0)
        & np.less_equal(x, constants.FEW_OF_A_KIND)
        & np.less_equal(x, np.multiply(constants.POISSON_UP_TO, n))
    )


def mid_p(k: Any, n: Any, level: float) -> Limits:
    """Return the exact interval with half the probability of the observation (Lancaster 1961).

    At a limit, half the probability of k and all of what is further away add up to half of one minus the level. Unlike
    Wilson's it keeps its level where that is far above 95 %, as the intervals of many slices need.

    >>> [round(float(limit), 4) for limit in mid_p(3, 5, 0.95)]
    [0.1824, 0.9265]
    """
    k, n, tail = real(k), real(n), (1 - level) / 2
    return Limits(1 - _mid_p_above(n - k, n, tail), _mid_p_above(k, n, tail))


def _mid_p_above(k: Any, n: Any, tail: float) -> Any:
    """Return the upper limit, between the exact ones of one case less and of k, by halving what lies between them."""
    from scipy.special import betainc, betaincinv

    rest, some, more = n - k, np.maximum(k, 1e-9), np.maximum(n - k, 1e-9)
    low = np.where(k > 0, betaincinv(some, rest + 1, 1 - tail), 0.0)
    high = np.where(rest > 0, betaincinv(k + 1, more, 1 - tail), 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fewer = np.where(k > 0, betainc(rest + 1, some, 1 - middle), 0.0)  # the probability of less than k
        is_below = (fewer + betainc(more, k + 1, 1 - middle)) / 2 > tail
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.where(rest > 0, (low + high) / 2, 1.0)


ShareLimits = Callable[[Any, Any, float], Limits]  # of k of n cases at a level


def square_and_add(
    first: tuple[Any, Any], second: tuple[Any, Any], level: float, limits: ShareLimits = wilson_modified
) -> Limits:
    """Return Newcombe's (1998) limits of the sum of two independent shares, each as cases out of how many.

    >>> [round(float(limit), 3) for limit in square_and_add((20, 20), (20, 20), 0.95)]  # no error among 40 cases
    [1.772, 2.0]
    """
    shares = [k / n for k, n in (first, second)]
    reach = [limits(k, n, level) for k, n in (first, second)]
    below = np.hypot(*(share - end.low for share, end in zip(shares, reach, strict=True)))
    above = np.hypot(*(end.high - share for share, end in zip(shares, reach, strict=True)))
    return Limits(shares[0] + shares[1] - below, shares[0] + shares[1] + above)


def log_shares(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Return Katz's (1978) limits of (a / (a + b)) / (c / (c + d)), shares of two groups: from counts of 5 on.

    >>> [round(float(limit), 4) for limit in log_shares(3, 2, 1, 4, 0.95)]
    [0.4516, 19.9278]
    """
    ratio = divide(divide(a, a + b), divide(c, c + d))
    return _around(ratio, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d), level)


def log_odds(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Return Woolf's (1955) limits of (a / b) / (c / d), the odds in two groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in log_odds(3, 2, 1, 4, 0.95)]
    [0.3544, 101.5675]
    """
    return _around(divide(a * d, b * c), 1 / a + 1 / b + 1 / c + 1 / d, level)


def _around(ratio: Any, variance: Any, level: float) -> Limits:
    factor = np.exp(quantile(level) * np.sqrt(variance))
    return Limits(ratio / factor, ratio * factor)


def of_shares(a: Any, b: Any, c: Any, d: Any, level: float, limits: ShareLimits = wilson_modified) -> Limits:
    """Return MOVER-R limits (Donner and Zou 2012) of (a / (a + b)) / (c / (c + d)), from Wilson's of both shares.

    Unlike the logarithm's, its limits hold where a share is near 0 or 1, and need nothing added to a count of 0.

    >>> [round(float(limit), 3) for limit in of_shares(30, 10, 10, 40, 0.95)]
    [2.154, 6.758]
    """
    p, q = divide(a, a + b), divide(c, c + d)
    low_p, high_p = limits(a, a + b, level)
    low_q, high_q = limits(c, c + d, level)

    def root(end: Any, other: Any, side: int) -> Any:
        inside = (p * q) ** 2 - end * other * (2 * p - end) * (2 * q - other)
        return divide(p * q + side * np.sqrt(np.maximum(inside, 0.0)), other * (2 * q - other))

    return Limits(np.where(p > 0, root(low_p, high_q, -1), 0.0), np.where(low_q > 0, root(high_p, low_q, 1), np.inf))


_PLACES = 401  # at which a function of the prevalence is looked at between its limits


def of_prevalence(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a function of the prevalence, which has Wilson's."""
    form = estimand.form_as(FunctionOfPrevalence)
    r, size = estimand.ranking, float(sum(effective(estimand.ranking)))
    share = float(r.positives / r.total)
    low, high = wilson(share * size, size, level)
    even = np.clip([share, 0.5], low, high)  # such functions are symmetric: their top is exact
    there = form.of(np.append(np.linspace(float(low), float(high), _PLACES), even), **estimand.parameters)
    return Interval(Limits(float(np.min(there)), float(np.max(there))))


def of_pairs(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits of a share of pairs, for as many pairs as it is worth.

    Its variance is that of what each case has, as in DeLong's, where single pairs count twice, and at least that of
    independent pairs.
    """
    form = estimand.form_as(ShareOfPairs)
    return Interval(limits_of_pairs(estimand.ranking, estimand.value, form.of(estimand.ranking), level))


def limits_of_pairs(r: Ranking, share: Any, of_cases: tuple[Array, Array], level: float) -> Limits:
    """Return the limits of `of_pairs`; they can be traced, so that a page computes the same.

    Args:
        r: The ranking.
        share: The share of pairs.
        of_cases: The share of the pairs of a positive, and of a negative, of each score.
        level: The level of the interval.
    """
    positives, negatives = (np.maximum(as_number(n), 1.0) for n in effective(r))
    single = share * (1 - share) / (positives * negatives)
    variance = -single
    for cases, total, mine, n in zip(
        (r.pos, r.neg), (r.positives, r.negatives), of_cases, (positives, negatives), strict=True
    ):
        spread = as_number(dot(cases.astype(float), np.square(mine - share)))
        variance += spread / as_number(total) / np.maximum(n - 1, 1.0)
    worth = choose(
        single > 0, lambda: share * (1 - share) / np.maximum(variance, single), lambda: positives * negatives
    )
    return wilson(share * worth, worth, level)


class _Shares(NamedTuple):
    """Prevalence, recall and false positive rate: values, how many cases of how many, and how they correlate.

    `correlation` is None where they are independent, as they are in a plain sample.
    """

    values: tuple[Any, ...]
    cases: tuple[Any, ...]
    sizes: tuple[Any, ...]
    correlation: Array | None = None

    def reach(self, level: float, limits: ShareLimits = wilson_modified) -> list[Limits]:
        """Return the limits of each; a class without cases has no share, and nothing that could move."""

        def of_share(p: Any, k: Any, n: Any) -> Limits:
            ends: Limits = choose(n > 0, lambda: limits(k, n, level), lambda: Limits(p, p))
            return ends

        return [of_share(*share) for share in zip(self.values, self.cases, self.sizes, strict=True)]

    def reach_of_numbers(self, level: float) -> list[Limits]:
        """Return the same of numbers, all three at once."""
        p, k, n = (np.array(part, dtype=float) for part in (self.values, self.cases, self.sizes))
        with np.errstate(invalid="ignore", divide="ignore"):
            ends = wilson_modified(k, n, level)
        low, high = (np.where(n > 0, end, p).tolist() for end in ends)
        return [Limits(*limits) for limits in zip(low, high, strict=True)]


class _MovedCut(NamedTuple):
    """The tables of a cut with one of its three shares at a limit, in turn, and what MOVER asks besides."""

    tables: Counts
    may_tell_nothing: Any
    correlation: Array | None


def mover_limits(estimand: Estimand, level: float) -> Limits:
    """Return the limits of a measure of one cut that a threshold names."""
    r, counts, design = estimand.ranking, estimand.counts, estimand.design
    # All measures of the cut look at the same tables.
    moved = r.cached(("moved cut", counts.threshold, level, design), lambda: _moved_cut(r, counts, level, design))
    there = np.broadcast_to(estimand.of_counts(moved.tables), _PLACES_OF_A_CUT)  # type: ignore[misc]
    limits = limits_of_moves(estimand.value, list(there), moved.may_tell_nothing, moved.correlation)
    return Limits(*map(float, limits))


_PLACES_OF_A_CUT = 7  # three shares, each at both of its limits, and the cut that tells nothing


def _moved_cut(r: Ranking, counts: Counts, level: float, design: GroupSampler | None) -> _MovedCut:
    shares = _shares(r, counts, level, design)
    reach = shares.reach_of_numbers(level)
    at = np.array(_move_each_share(shares.values, reach, float(divide(counts.flagged, counts.total))))
    cells = dict(zip(("tp", "fp", "fn", "tn"), _cells(at.T, float(r.total)), strict=True))
    return _MovedCut(replace(counts, **cells), _may_tell_nothing(shares.values, reach), shares.correlation)


def moved_tables(c: Counts, level: float) -> tuple[list[tuple[Any, ...]], Any]:
    """Return the tables at which `mover_limits` looks, and whether the cut may tell nothing; it can be traced.

    Args:
        c: The counts of a cut, whole numbers.
        level: The level of the interval.
    """
    shares = _plain_shares(c)
    reach = shares.reach(level, modified_of_counts)
    places = _move_each_share(shares.values, reach, divide(c.flagged, c.total))
    return [_cells(place, c.total) for place in places], _may_tell_nothing(shares.values, reach)


def limits_of_moves(value: Any, there: list[Any], may_tell_nothing: Any, correlation: Array | None = None) -> Limits:
    """Return MOVER's limits of a measure, given its values at the moved tables; it can be traced.

    Args:
        value: The measure.
        there: Its values where one share is at its lower limit, in turn, then at its upper one, and last at a cut that
            tells nothing.
        may_tell_nothing: Whether the cut may be such.
        correlation: That of the three shares; None where they are independent.
    """

    def from_infinity() -> Limits:  # the nearest to a finite value that one share alone can bring it
        least = most = value
        for end in there:
            least, most = np.fmin(least, end), np.fmax(most, end)
        return Limits(least, most)

    def from_value() -> Limits:
        moves = [np.where(np.isnan(end - value), 0.0, end - value) for end in there[:6]]
        low, high = (_reach(value, side, moves[:3], moves[3:], correlation) for side in (-1, 1))
        is_inside = np.logical_and(may_tell_nothing, np.logical_not(np.isnan(there[6])))
        return Limits(
            np.where(is_inside, np.minimum(low, there[6]), low), np.where(is_inside, np.maximum(high, there[6]), high)
        )

    with np.errstate(invalid="ignore"):
        limits: Limits = choose(np.isinf(value), from_infinity, from_value)
    return limits


def _move_each_share(values: Any, reach: list[Limits], flagged: Any) -> list[list[Any]]:
    """Return the three shares with one at its lower limit, in turn, then at its upper one, and last none told apart."""
    places = [
        [reach[j][side] if j == i else value for j, value in enumerate(values)] for side in (0, 1) for i in range(3)
    ]
    return [*places, [values[0], flagged, flagged]]


def _cells(shares: Any, total: Any) -> tuple[Any, ...]:
    """Return the counts tp, fp, fn and tn of given shares."""
    prevalence, recall, fpr = shares
    pos, neg = total * prevalence, total * (1 - prevalence)
    return pos * recall, neg * fpr, pos * (1 - recall), neg * (1 - fpr)


def _may_tell_nothing(values: Any, reach: list[Limits]) -> Any:
    """Whether recall and false positive rate may be equal: Newcombe's interval of their difference holds 0."""
    (low_tpr, high_tpr), (low_fpr, high_fpr) = reach[1:]
    _, tpr, fpr = values
    below, above = np.hypot(tpr - low_tpr, high_fpr - fpr), np.hypot(high_tpr - tpr, fpr - low_fpr)
    return np.logical_and(tpr - fpr - below <= 0, tpr - fpr + above >= 0)


def _reach(value: Any, side: int, down: list[Any], up: list[Any], correlation: Array | None) -> Any:
    """Add the root of the squared moves to one side, each share moved the way that goes there."""
    far = [
        np.maximum(np.maximum(side * down_move, side * up_move), 0.0)
        for down_move, up_move in zip(down, up, strict=True)
    ]
    if correlation is None or np.isinf(far).any():
        squared = far[0] ** 2 + far[1] ** 2 + far[2] ** 2
    else:
        way = [-1.0 if side * down_move > side * up_move else 1.0 for down_move, up_move in zip(down, up, strict=True)]
        step = np.array(way) * np.array(far)
        squared = np.maximum(step @ correlation @ step, 0.0)
    return value + side * np.sqrt(squared)


def _plain_shares(c: Counts) -> _Shares:
    """Return the three shares of whole cases, which are independent."""
    pos, neg = as_number(c.positives), as_number(c.negatives)
    cases, sizes = (pos, as_number(c.tp), as_number(c.fp)), (pos + neg, pos, neg)
    values = tuple(np.where(n > 0, divide(k, n), 0.0)[()] for k, n in zip(cases, sizes, strict=True))
    return _Shares(values, cases, sizes)


def _shares(r: Ranking, c: Counts, level: float, design: GroupSampler | None) -> _Shares:
    plain = _plain_shares(c)
    if r.integral and design is None:
        return plain
    values = np.array(plain.values, dtype=float)
    known = linearise(_influences(r, c, values), r, design)
    variance, spread = np.diag(known.covariance), values * (1 - values)
    kish = effective(r)
    whole = np.nan_to_num([float(sum(kish)), float(kish.positives), float(kish.negatives)], nan=1.0)
    if design is not None:
        whole = np.minimum(whole, design.groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.where((variance > 0) & (spread > 0), spread / variance, whole)
        correlation = known.covariance / np.sqrt(np.outer(variance, variance))
    correlation = np.where(np.isfinite(correlation), correlation, np.eye(3))
    reach = np.array([known.quantile(level, share) for share in range(3)])
    sizes = sizes * (quantile(level) / reach) ** 2
    return _Shares(tuple(values), tuple(values * sizes), tuple(sizes), correlation)


def _influences(r: Ranking, c: Counts, values: Array) -> list[Influence]:
    """Return the influence of one case on the three shares: flagged and not, of both classes."""
    prevalence, recall, fpr = values
    pos, neg = float(c.positives) or math.inf, float(c.negatives) or math.inf
    total, none = float(c.positives) + float(c.negatives), np.zeros(2)
    entry = (np.arange(len(r)) >= r.cut(float(c.threshold))).astype(np.int8)
    return [
        Influence(np.full(2, (1 - prevalence) / total), np.full(2, -prevalence / total), entry),
        Influence(np.array([1 - recall, -recall]) / pos, none, entry),
        Influence(none, np.array([1 - fpr, -fpr]) / neg, entry),
    ]


def effective_share(
    influence: Influence, p: float, whole: float, estimand: Estimand, level: float
) -> tuple[float, float]:
    """Return the effective sample size of a share, and the variance of the share, by linearisation.

    Args:
        influence: The influence function of the share.
        p: The share.
        whole: The sample size where the share is 0 or 1, and has no variance.
        estimand: The measure that depends on it, with the sample.
        level: The level of the interval; with few groups its quantile is Student's.
    """
    known = linearise([influence], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0])
    size = p * (1 - p) / variance if variance > 0 and 0 < p < 1 else whole
    return size * (quantile(level) / known.quantile(level)) ** 2, variance
