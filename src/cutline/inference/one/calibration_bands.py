"""Bands of a calibration curve, of three kinds that must not be confused.

- consistency: around the diagonal, where the curve of a calibrated model with these probabilities would lie;
- confidence: around the curve, where the bootstrap puts it;
- honest: where the true curve lies, provided that it never falls, for any number of cases.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.checks import LEVEL, check_choice, check_flag, check_level, check_whole
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Array, Ranking
from cutline.inference.caveats import whole_groups
from cutline.inference.one.bands import Band
from cutline.inference.one.honest_band import honest_limits
from cutline.inference.resampling.bootstrap import bootstrap
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.measures.miscalibration import calibration_curve

KINDS = ("consistency", "confidence", "honest")
CURVES = ("isotonic", "loess")
MOST_HONEST = 10_000  # distinct scores whose runs are all looked at
MOST_SIMULATED = 500  # distinct scores at which curves are drawn again and again
_AT_ONCE = 500  # simulated curves


def calibration_band(
    ranking: Ranking,
    kind: str = "consistency",
    *,
    smooth: str = "isotonic",
    level: float = LEVEL,
    simultaneous: bool = True,
    resamples: int = 5000,
    seed: int = 0,
    groups: GroupSampler | None = None,
) -> Band:
    """The calibration curve of a ranking at its scores, in ascending order, with a band of one of three kinds.

    Args:
        ranking: The ranking; its scores are probabilities.
        kind: "consistency", "confidence" or "honest".
        smooth: The curve, "isotonic" or "loess".
        level: How often the band is to hold.
        simultaneous: Whether the whole curve is to be inside at once, or each point by itself. An honest band is
            always simultaneous.
        resamples: How many curves are simulated, or resampled.
        seed: Makes the result reproducible.
        groups: Groups of cases that a confidence band resamples whole.

    Returns:
        The curve and the band. Notes say when neighbouring scores were put together.
    """
    if not isinstance(ranking, Ranking):
        raise InputError(f"is {briefly(ranking)}", "pass a ranking, such as ev.ranking", argument="ranking")
    check_choice(kind, "kind", KINDS)
    check_choice(smooth, "smooth", CURVES)
    simultaneous = check_flag(simultaneous, "simultaneous")
    level = check_level(level)
    resamples, seed = check_whole(resamples, "resamples", 20), check_whole(seed, "seed", 0)
    if kind == "confidence":
        return _confidence(ranking, smooth, level, simultaneous, resamples, seed, groups)

    def make() -> Band:
        if kind == "honest":
            return _honest(ranking, smooth, level)
        return _consistency(ranking, smooth, level, simultaneous, resamples, seed)

    # The verdict and the picture of one model show the same band.
    return ranking.kept(("band", kind, smooth, level, simultaneous, resamples, seed), make)  # type: ignore[no-any-return]


def together(r: Ranking, most: int) -> Ranking:
    """The ranking with neighbouring scores put together, each the mean of them, so that there are `most` at most."""
    if len(r) <= most:
        return r
    size = r.size.astype(float)
    group = np.minimum((np.cumsum(size) - size / 2) * most // size.sum(), most - 1)
    first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    pos, neg, pos2, neg2 = (np.add.reduceat(c, first) for c in (r.pos, r.neg, r.pos2, r.neg2))
    score = np.add.reduceat(size * r.key, first) / np.add.reduceat(size, first)
    return replace(r, score=score, pos=pos, neg=neg, pos2=pos2, neg2=neg2)


def _put_together(r: Ranking, of: Ranking) -> list[str]:
    if r is of:
        return []
    return [f"The band is drawn from {len(r)} groups of the {len(of)} distinct scores."]


def _consistency(r: Ranking, smooth: str, level: float, simultaneous: bool, resamples: int, seed: int) -> Band:
    few = together(r, MOST_SIMULATED)
    p = np.clip(few.key, 0, 1)
    cases = few.size if few.integral else np.maximum(np.round(few.size**2 / (few.pos2 + few.neg2)), 1).astype(int)
    drawn = np.random.default_rng(seed).binomial(cases, p, size=(resamples, len(few)))
    weight = np.ones(len(few)) if few.integral else few.size / cases
    pos, neg = (drawn, cases - drawn) if few.integral else (drawn * weight, (cases - drawn) * weight)
    curves = _curves(Ranking(few.score, pos, neg, pos, neg), smooth)
    low, high = envelope(curves, level, simultaneous=simultaneous)
    return _band(few, calibration_curve(few, smooth), low, high, level, simultaneous, _put_together(few, r))


def _curves(stack: Ranking, smooth: str) -> Array:
    """The curve of each simulation, some at a time."""
    parts = (slice(start, start + _AT_ONCE) for start in range(0, len(stack.pos), _AT_ONCE))
    found = []
    for part in parts:
        pos, neg = stack.pos[part], stack.neg[part]
        found.append(calibration_curve(replace(stack, pos=pos, neg=neg, pos2=pos, neg2=neg), smooth))
    return np.concatenate(found)


def _confidence(
    r: Ranking,
    smooth: str,
    level: float,
    simultaneous: bool,
    resamples: int,
    seed: int,
    groups: GroupSampler | None,
) -> Band:
    few = r if groups is not None else together(r, MOST_SIMULATED)
    sampler: Any = groups or CaseSampler(few, False)
    found = bootstrap(sampler, [lambda stack: calibration_curve(stack, smooth)], resamples, seed)
    curve = calibration_curve(few, smooth)
    low, high = envelope(np.asarray(found.values[0]), level, simultaneous=simultaneous)
    notes = _put_together(few, r) + ([] if groups is None else [whole_groups(groups.groups)])
    return _band(few, curve, np.minimum(low, curve), np.maximum(high, curve), level, simultaneous, notes)


def _honest(r: Ranking, smooth: str, level: float) -> Band:
    if not r.integral:
        raise ParameterError("An honest band counts cases, but the weights are not whole numbers: pass another kind.")
    few = together(r, MOST_HONEST if len(r) <= MOST_HONEST else MOST_HONEST // 5)
    low, high = (limits[::-1] for limits in honest_limits(few.pos[::-1], few.neg[::-1], level))
    if few is not r:
        # Inside a group, only the groups that end before it and those that begin after it say something.
        low, high = np.append(low[1:], 0.0), np.append(1.0, high[:-1])
    notes = [*_put_together(few, r), "The honest band supposes that a higher probability never goes with a lower risk."]
    return _band(few, calibration_curve(few, smooth), low, high, level, True, notes)


def _band(
    r: Ranking, curve: Array, low: Array, high: Array, level: float, simultaneous: bool, notes: list[str]
) -> Band:
    x, y, low, high = (np.clip(column[::-1], 0, 1) for column in (r.key, curve, low, high))
    return Band(x, y, low, high, level, simultaneous, tuple(notes))


def envelope(curves: Array, level: float, *, simultaneous: bool) -> tuple[Array, Array]:
    """Limits between which so many of the curves lie: at each place by itself, or along their whole length.

    Simultaneous limits are the k-th lowest and highest value at each place among two thirds of the curves. The others
    tell the largest k for which that share of them stays between the limits everywhere: curves would flatter limits
    that were chosen on them. Where too few stay between the extremes, these are moved out.
    """
    if not simultaneous:
        low, high = np.quantile(curves, ((1 - level) / 2, (1 + level) / 2), axis=0)
        return low, high
    others, ordered = curves[::3], np.sort(np.delete(curves, np.s_[::3], axis=0), axis=0)
    may_leave = min(math.floor((1 - level) * len(others)), len(others) - 1)

    def leave_too_often(k: int) -> bool:
        is_outside = ((others < ordered[k - 1]) | (others > ordered[-k])).any(-1)
        return int(np.count_nonzero(is_outside)) > may_leave

    k = bisect.bisect_left(range(1, (len(ordered) + 1) // 2 + 1), True, key=leave_too_often)
    return (ordered[k - 1], ordered[-k]) if k else _moved_out(ordered, others, level)


def _moved_out(ordered: Array, others: Array, level: float) -> tuple[Array, Array]:
    """The extremes, so many times as far from the middle that this share of the other curves stays between them."""
    low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    way = others - middle
    reach = np.where(way > 0, high - middle, middle - low)
    times = np.divide(np.abs(way), reach, out=np.zeros(way.shape), where=reach > 0).max(-1)
    most = max(1.0, float(np.sort(times)[min(math.ceil(level * (len(times) + 1)), len(times)) - 1]))
    return middle - most * (middle - low), middle + most * (high - middle)
