"""Any measure of one cut as a function of three shares: prevalence, recall and false positive rate.

Each share has Wilson's interval, which does not collapse where the cut has no error. How far the measure moves when
one share goes to its limit and the others stay is squared and added (Zou and Donner's MOVER, of which Newcombe's square
and add is the case of a sum). Without weights, groups and strata the three are independent.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import Counts, divide
from cutline.core.ranking import Array, Ranking
from cutline.inference.effective_size import effective
from cutline.inference.influence import Influence
from cutline.inference.linearisation import linearised
from cutline.inference.one import proportions
from cutline.inference.one.estimand import Estimand
from cutline.inference.resampling.samplers import GroupSampler
from cutline.results.estimate import Limits, quantile


class _Shares(NamedTuple):
    """Prevalence, recall and false positive rate: values, cases in effect, and how they correlate."""

    values: Array
    sizes: Array
    correlation: Array


def limits(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Limits:
    """The limits of a measure of one cut that a threshold names."""
    counts, total = estimand.counts, float(estimand.ranking.total)
    shares = _shares(estimand.ranking, counts, level, groups)
    reach = [  # a class without cases has no share, and nothing that could move
        proportions.wilson(p * n, n, level) if n > 0 else (p, p)
        for p, n in zip(shares.values, shares.sizes, strict=True)
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
    return _Shares(values, sizes * (quantile(level) / known.quantile(level)) ** 2, correlation)


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
