"""Bands that hold a whole ROC or precision-recall curve at once, calibrated in a world that is known.

A ROC curve is moved up and to the left, and down and to the right, by so many standard steps of both rates (one over
the root of each class's size) that the same band would hold the given share of the curves of samples. Along the
direction of the move a curve is a function of one coordinate, so that the distance of two curves is that of two
functions. The band keeps its width where the curve meets an end of an axis, and with it its promise.

Samples are drawn from the smoothed data, whose curve is as smooth as that of a population: resamples of the data
themselves have steps that are two or three cases high, and stray too far. Weights and groups leave nothing to smooth;
there the resamples are of the data, and part of a step is taken off.

The precision at a recall follows from the false positive rate there and from the prevalence. Both move within an
ellipse, whose size is such that the band holds the given share of the samples' precision-recall curves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.inference.caveats import EQUAL
from cutline.inference.effective_size import effective
from cutline.inference.one import proportions
from cutline.inference.one.smoothed import known_world, samples_of_world, smoothed_risks
from cutline.inference.resampling.bootstrap import bootstrap
from cutline.inference.resampling.coarse import coarse
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler

_PLACES = 201  # along the curve, at which two of them are held against each other
_BANDWIDTH = 0.3  # of the kernel: a third of Silverman's, so that a steep curve stays steep
_LEAST = 0.75  # steps of both classes, by which a band reaches beyond a curve that hardly varies
_STEPS = 1 / 6  # of the steps of both classes, by which resamples of the data stray further than samples do
_SMOOTHED = -1 / 12  # ... and samples of the smoothed data: they stray less far
_DIRECTIONS = np.linspace(0, np.pi / 2, 7)  # from the curve alone to the prevalence alone
_MORE = 1.05  # times what samples of the smoothed data need: a steep start of the curve is smoothed away
_SIZES = np.linspace(0.6, 1.6, 51).tolist()  # of the ellipse, in units of what each of its axes needs by itself

Curve = Callable[[Array], Array]


class Drawing(NamedTuple):
    """How a band is to be calibrated: its level, and the resamples of cases or of groups."""

    level: float
    resamples: int
    seed: int
    groups: GroupSampler | None = None


class Displacement(NamedTuple):
    """How far a ROC curve may be displaced: in recall, and in the false positive rate."""

    up: float
    along: float


class _Drawn(NamedTuple):
    """A world that is like the data, some curves of samples of it, and by how many steps these stray too far."""

    world: Ranking
    samples: list[Array]
    too_far: float


def displacement(r: Ranking, how: Drawing) -> Displacement:
    """The displacement whose bands hold the whole curve at a level."""
    roots = _roots(r, how.groups)
    return _by(_reach(_drawn(r, [_along(roots)], how), roots, how.level), roots)


def _roots(r: Ranking, groups: GroupSampler | None) -> Array:
    """The roots of the class sizes; correlated cases are worth fewer, in both classes alike."""
    roots = np.sqrt([float(size) for size in effective(r)])
    return roots if groups is None else roots * np.sqrt(min(1.0, groups.groups / float(r.total)))


def _along(roots: Array) -> Callable[[Ranking], Array]:
    return partial(_heights, roots=roots, places=np.linspace(0, float(roots.sum()), _PLACES))


def _by(reach: float, roots: Array) -> Displacement:
    return Displacement(reach / float(roots[0]), reach / float(roots[1]))


def _reach(found: _Drawn, roots: Array, level: float) -> float:
    """How far the curve of the world is from those of a share of its samples, in standard steps."""
    apart = np.sort(np.abs(found.samples[0] - _along(roots)(found.world)).max(axis=1))
    step = float((1 / roots).sum())
    at = float(apart[min(int(np.ceil(level * (len(apart) + 1))) - 1, len(apart) - 1)])
    return max(at - found.too_far * step, _LEAST * step)


def _drawn(r: Ranking, curves: list[Callable[[Ranking], Array]], how: Drawing) -> _Drawn:
    """Some curves of a ranking in a world that is like it, and in samples of that world."""
    bins = coarse(r)
    short = r if bins is None else bins.ranking
    stacked = [partial(_each, curve) for curve in curves]
    if how.groups is not None or not r.integral:
        sampler = how.groups or CaseSampler(short)
        return _Drawn(r, bootstrap(sampler, stacked, how.resamples, how.seed).values, _STEPS)
    risk = smoothed_risks(short, _BANDWIDTH)
    samples = samples_of_world(short, risk, stacked, how.resamples, [how.seed, 0])
    return _Drawn(known_world(short, risk), samples, _SMOOTHED)


def _heights(r: Ranking, *, roots: Array, places: Array) -> Array:
    """How far a curve is from the middle at given places of the coordinate that displacing it leaves as it is."""
    up, right = r.tpr * roots[0], r.fpr * roots[1]
    return np.asarray(np.interp(places, up + right, (up - right) / 2))


def _each(curve: Any, stack: Ranking) -> Array:
    return curve(stack) if stack.pos.ndim == 1 else np.stack([curve(one) for one in stack.one_by_one()])


def displaced(curve: Any, x: Array, by: Displacement) -> tuple[Array, Array]:
    """The limits of a ROC curve, given as a function of the false positive rate, that is displaced both ways."""
    low = np.where(x > by.along, curve(np.maximum(x - by.along, 0)) - by.up, 0)
    high = np.where(x + by.along < 1, curve(np.minimum(x + by.along, 1)) + by.up, 1)
    return np.maximum(low, 0), np.minimum(high, 1)


class _Ellipse(NamedTuple):
    """What a precision-recall curve follows from, and how far each part of it reaches by itself."""

    curve: Curve  # the specificity at 1 - recall
    log_odds: float  # of the prevalence
    by: Displacement  # of the specificity and of the recall
    spread: float  # of the log odds

    def limits(self, recall: Array, size: float) -> tuple[Array, Array]:
        """The limits of the precision at each recall, for a size of the ellipse."""
        lows, highs = [], []
        for way in _DIRECTIONS:
            part, odds = size * float(np.cos(way)), size * float(np.sin(way)) * self.spread
            low, high = displaced(self.curve, 1 - recall, Displacement(part * self.by.up, part * self.by.along))
            lows.append(_precision(recall, low, self.log_odds - odds))
            highs.append(_precision(recall, high, self.log_odds + odds))
        return np.min(lows, axis=0), np.max(highs, axis=0)


class PrecisionCurve(NamedTuple):
    """How a precision-recall curve is read from a ranking, at some recalls."""

    recall: Array
    precision: Callable[[Ranking], Array]  # at each recall
    specificity: Callable[[Ranking, Array], Array]  # where a share of the positives is missed


def precision_band(r: Ranking, curve: PrecisionCurve, how: Drawing) -> tuple[Array, Array]:
    """The limits of the precision at each recall that hold the whole curve at a level.

    Args:
        r: The ranking.
        curve: How the curve is read from it.
        how: The level and the resamples.
    """
    roots = _roots(r, how.groups)
    found = _drawn(r, [_along(roots), curve.precision, _log_odds], how)
    up, along = _by(_reach(found, roots, how.level), roots)
    spread = float(np.quantile(np.abs(found.samples[2][:, 0] - _log_odds(found.world)[0]), how.level))

    def around(one: Ranking) -> _Ellipse:
        return _Ellipse(partial(curve.specificity, one), float(_log_odds(one)[0]), Displacement(along, up), spread)

    known, size = around(found.world), 0.0
    for size in _SIZES:
        low, high = known.limits(curve.recall, size)
        inside = (low - EQUAL <= found.samples[1]) & (found.samples[1] <= high + EQUAL)
        if inside.all(axis=1).mean() >= how.level:
            break
    return around(r).limits(curve.recall, _MORE * size)


def _log_odds(r: Ranking) -> Array:
    share = float(r.positives / r.total)
    return np.array([np.log(share / (1 - share)) if 0 < share < 1 else np.nan])


def _precision(recall: Array, specificity: Array, log_odds: float) -> Array:
    hits, alarms = recall, np.exp(-log_odds) * (1 - specificity)
    return np.asarray(np.divide(hits, hits + alarms, out=np.ones_like(recall), where=hits + alarms > 0))


def wilson_at_the_ends(tpr: Array, low: Array, high: Array, positives: float, level: float, few: int) -> Any:
    """Limits point by point, at least Wilson's where few positives lie on one side, so that resamples hardly vary."""
    limits = proportions.wilson(tpr * positives, positives, level)
    at_end = np.minimum(tpr, 1 - tpr) * positives < few
    return np.where(at_end, np.minimum(low, limits.low), low), np.where(at_end, np.maximum(high, limits.high), high)
