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

from cutline.core.counts import Counts, divide, real
from cutline.core.ranking import Array, Ranking, dot
from cutline.inference.effective_size import effective
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import linearised
from cutline.results.estimate import Interval, Limits, quantile

_NEAR_AN_END = 0.2  # of all cases: larger shares are not Poisson's
_FEW_OF_A_KIND = 3  # cases that have a property, or lack it, whose number is about Poisson's


def wilson(k: Any, n: Any, level: float) -> Limits:
    """Wilson (1927), the score interval: near its level on average over shares, below it next to 0 and 1.

    >>> [round(float(limit), 4) for limit in wilson(3, 5, 0.95)]
    [0.2307, 0.8824]
    """
    k, n, z = real(k), real(n), quantile(level)
    centre = (k + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    # At the ends a limit is the end itself, which rounding would miss.
    return Limits(np.where(k > 0, centre - half, 0.0), np.where(k < n, centre + half, 1.0))


def wilson_modified(k: Any, n: Any, level: float) -> Limits:
    """Wilson's interval with Poisson's limit where 1 to 3 cases have a property, or lack it.

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
    """`wilson_modified` of whole numbers, by arithmetic alone, so that it can be traced for the page of a report.

    >>> [round(float(limit), 4) for limit in modified_of_counts(39, 40, 0.95)]
    [0.8712, 0.9987]
    """
    from scipy.special import gammaincinv

    low, high = wilson(k, n, level)
    for few in range(1, _FEW_OF_A_KIND + 1):
        bound, is_near = float(gammaincinv(few, 1 - level)) / n, few <= np.multiply(_NEAR_AN_END, n)
        low = np.where((k == few) & is_near, np.minimum(low, bound), low)
        high = np.where((n - k == few) & is_near, np.maximum(high, 1 - bound), high)
    return Limits(low, high)


def is_modified(k: Any, n: Any) -> Any:
    """Whether so few cases have a property, or lack it, that the modified interval is not Wilson's."""
    return _are_few(k, n) | _are_few(np.subtract(n, k), n)


def _are_few(x: Any, n: Any) -> Any:
    return np.greater(x, 0) & np.less_equal(x, _FEW_OF_A_KIND) & np.less_equal(x, np.multiply(_NEAR_AN_END, n))


def square_and_add(one: tuple[float, float], two: tuple[float, float], level: float) -> Limits:
    """The sum of two independent shares, each as cases out of how many: Newcombe's (1998) squares of Wilson's reach.

    >>> [round(float(limit), 3) for limit in square_and_add((20, 20), (20, 20), 0.95)]  # no error among 40 cases
    [1.772, 2.0]
    """
    shares = [k / n for k, n in (one, two)]
    limits = [wilson_modified(k, n, level) for k, n in (one, two)]
    below = math.hypot(*(share - limit.low for share, limit in zip(shares, limits, strict=True)))
    above = math.hypot(*(limit.high - share for share, limit in zip(shares, limits, strict=True)))
    return Limits(sum(shares) - below, sum(shares) + above)


def log_shares(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Katz (1978) for (a / (a + b)) / (c / (c + d)), two shares of separate groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in log_shares(3, 2, 1, 4, 0.95)]
    [0.4516, 19.9278]
    """
    ratio = divide(divide(a, a + b), divide(c, c + d))
    return _around(ratio, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d), level)


def log_odds(a: Any, b: Any, c: Any, d: Any, level: float) -> Limits:
    """Woolf (1955) for (a / b) / (c / d), the odds in two separate groups: for counts from about 5 on.

    >>> [round(float(limit), 4) for limit in log_odds(3, 2, 1, 4, 0.95)]
    [0.3544, 101.5675]
    """
    return _around(divide(a * d, b * c), 1 / a + 1 / b + 1 / c + 1 / d, level)


def _around(ratio: Any, variance: Any, level: float) -> Limits:
    factor = np.exp(quantile(level) * np.sqrt(variance))
    return Limits(ratio / factor, ratio * factor)


def of_shares(
    a: Any, b: Any, c: Any, d: Any, level: float, limits: Callable[[Any, Any, float], Limits] = wilson_modified
) -> Limits:
    """MOVER-R (Donner and Zou, 2012) for (a / (a + b)) / (c / (c + d)), from Wilson's limits of both shares.

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


def of_prevalence(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return the limits of a function of the prevalence, which has Wilson's."""
    kind: Any = estimand.kind
    r, size = estimand.ranking, float(sum(effective(estimand.ranking)))
    share = float(r.positives / r.total)
    low, high = wilson(share * size, size, level)
    even = np.clip([share, 0.5], low, high)  # such functions are symmetric: their top is exact
    there = kind.of(np.append(np.linspace(float(low), float(high), _PLACES), even), **estimand.parameters)
    return Interval(Limits(float(np.min(there)), float(np.max(there))))


def of_pairs(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Interval:  # noqa: ARG001
    """Return Wilson's limits of a share of pairs, for as many pairs as it is worth.

    Its variance is that of what each case has, as in DeLong's, where single pairs count twice, and at least that of
    independent pairs.
    """
    kind: Any = estimand.kind
    r, share = estimand.ranking, estimand.value
    size = effective(r)
    positives, negatives = (max(float(n), 1.0) for n in size)
    single = share * (1 - share) / (positives * negatives)
    variance = -single
    for cases, total, mine, n in zip(
        (r.pos, r.neg), (float(r.positives), float(r.negatives)), kind.of(r), (positives, negatives), strict=True
    ):
        variance += float(dot(cases.astype(float), np.square(mine - share))) / total / max(n - 1, 1.0)
    worth = share * (1 - share) / max(variance, single) if single > 0 else positives * negatives
    low, high = wilson(share * worth, worth, level)
    return Interval(Limits(float(low), float(high)))


class _Shares(NamedTuple):
    """Prevalence, recall and false positive rate: values, cases in effect, and how they correlate."""

    values: Array
    sizes: Array
    correlation: Array


def mover_limits(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Limits:
    """The limits of a measure of one cut that a threshold names."""
    counts, total = estimand.counts, float(estimand.ranking.total)
    shares = _shares(estimand.ranking, counts, level, groups)
    reach = [  # a class without cases has no share, and nothing that could move
        wilson_modified(p * n, n, level) if n > 0 else (p, p) for p, n in zip(shares.values, shares.sizes, strict=True)
    ]
    at = np.repeat(shares.values[None], 7, axis=0)  # one share at its lower limit, in turn, and then at its upper one
    at[np.arange(6), np.arange(6) % 3] = [float(one[side]) for side in (0, 1) for one in reach]
    at[6, 1:] = float(divide(counts.flagged, counts.total))  # and last a cut that tells nothing
    there = _measured(estimand, at, total, counts)
    if math.isinf(estimand.value):  # the nearest to a finite value that one share alone can bring it
        ends = np.append(there[~np.isnan(there)], estimand.value)
        return Limits(float(ends.min()), float(ends.max()))
    moved = np.nan_to_num(there[:6] - estimand.value, nan=0.0, posinf=np.inf, neginf=-np.inf)
    low, high = (_reached(estimand.value, side, [moved[:3], moved[3:]], shares.correlation) for side in (-1, 1))
    if _may_tell_nothing(shares.values, reach) and not math.isnan(there[6]):  # then what is worth nothing is inside
        low, high = min(low, float(there[6])), max(high, float(there[6]))
    return Limits(low, high)


def _may_tell_nothing(values: Array, reach: list[Any]) -> bool:
    """Whether recall and false positive rate may be equal: Newcombe's interval of their difference holds 0."""
    (low_tpr, high_tpr), (low_fpr, high_fpr) = ((float(one[0]), float(one[1])) for one in reach[1:])
    _, tpr, fpr = values
    below, above = math.hypot(tpr - low_tpr, high_fpr - fpr), math.hypot(high_tpr - tpr, fpr - low_fpr)
    return bool(tpr - fpr - below <= 0 <= tpr - fpr + above)


def _measured(estimand: Estimand, shares: Array, total: float, like: Counts) -> Array:
    """The measure at some values of the three shares, a row for each."""
    prevalence, recall, fpr = shares.T
    pos, neg = total * prevalence, total * (1 - prevalence)
    cells = replace(like, tp=pos * recall, fp=neg * fpr, fn=pos * (1 - recall), tn=neg * (1 - fpr))
    return np.broadcast_to(estimand.of_counts(cells), len(shares))  # type: ignore[misc]


def _reached(value: float, side: int, moved: list[Array], correlation: Array) -> float:
    """The value and the root of the squared moves to one side, each share moved the way that goes there."""
    down, up = (side * one for one in moved)
    way = np.where(down > up, -1.0, 1.0)
    far = np.maximum(np.maximum(down, up), 0.0)
    if np.isinf(far).any():
        return side * math.inf
    step = way * far
    return value + side * math.sqrt(max(float(step @ correlation @ step), 0.0))


def _shares(r: Ranking, c: Counts, level: float, groups: GroupSampler | None) -> _Shares:
    pos, neg = float(c.positives), float(c.negatives)
    values = np.nan_to_num(np.array([pos / (pos + neg), *(float(divide(k, n)) for k, n in ((c.tp, pos), (c.fp, neg)))]))
    if r.integral and groups is None:
        return _Shares(values, np.array([pos + neg, pos, neg]), np.eye(3))
    known = linearised(_influences(r, c, values), r, groups)
    variance, spread = np.diag(known.covariance), values * (1 - values)
    kish = effective(r)
    whole = np.nan_to_num([float(sum(kish)), float(kish.positives), float(kish.negatives)], nan=1.0)
    if groups is not None:
        whole = np.minimum(whole, groups.groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.where((variance > 0) & (spread > 0), spread / variance, whole)
        correlation = known.covariance / np.sqrt(np.outer(variance, variance))
    correlation = np.where(np.isfinite(correlation), correlation, np.eye(3))
    reach = np.array([known.quantile(level, share) for share in range(3)])
    return _Shares(values, sizes * (quantile(level) / reach) ** 2, correlation)


def _influences(r: Ranking, c: Counts, values: Array) -> list[Influence]:
    """What one case changes in the three shares: flagged and not, of both classes."""
    prevalence, recall, fpr = values
    pos, neg = float(c.positives) or math.inf, float(c.negatives) or math.inf
    total, none = float(c.positives) + float(c.negatives), np.zeros(2)
    entry = (np.arange(len(r)) >= r.cut(float(c.threshold))).astype(np.int8)
    return [
        Influence(np.full(2, (1 - prevalence) / total), np.full(2, -prevalence / total), entry),
        Influence(np.array([1 - recall, -recall]) / pos, none, entry),
        Influence(none, np.array([1 - fpr, -fpr]) / neg, entry),
    ]


def effective_share(influence: Influence, p: float, whole: float, r: Ranking, **how: Any) -> tuple[float, float]:
    """The number of cases that a share rests on in effect, and its variance, by linearisation.

    Args:
        influence: What one case changes in the share.
        p: The share.
        whole: The number where the share is 0 or 1, which has no spread.
        r: The ranking.
        how: `groups`, and `level`, whose quantile is Student's where groups are few.
    """
    level, groups = how["level"], how.get("groups")
    known = linearised([influence], r, groups)
    variance = float(known.covariance[0, 0])
    size = p * (1 - p) / variance if variance > 0 and 0 < p < 1 else whole
    return size * (quantile(level) / known.quantile(level)) ** 2, variance
