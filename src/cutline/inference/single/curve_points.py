"""Intervals of single points of the ROC and of the precision-recall curve: MOVER over every cut that may be meant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.inference import constants
from cutline.inference.caveats import SEARCHED
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.single import proportions
from cutline.inference.single.bands import interpolate_tpr
from cutline.inference.single.estimand import Estimand
from cutline.measures.forms import CurvePoint
from cutline.results.estimate import Interval, Limits

_RECALLS = 400  # at which the precision is compared with the one that is asked for


class _Points(NamedTuple):
    """Some points of a curve, with the limits of each."""

    value: Array
    low: Array
    high: Array


def curve_point_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure that is one point of a curve, and what qualifies them."""
    form = estimand.form_as(CurvePoint)
    r = estimand.ranking
    parameters = {**estimand.measure.defaults, **estimand.parameters}  # type: ignore[union-attr]
    fixed = np.array([float(parameters[form.fixed])])
    if form.is_searched:
        return Interval(_bound_recall(r, float(fixed[0]), level), [SEARCHED])
    if form.height == "precision":
        fixed = np.append(fixed, _find_other_cuts(r, float(fixed[0]), level))
    points = {"recall": _estimate_recalls, "specificity": _estimate_specificities, "precision": _estimate_precisions}[
        form.height
    ](r, fixed, level)
    return Interval(Limits(float(points.low.min()), float(points.high.max())))


def _find_other_cuts(r: Ranking, recall: float, level: float) -> list[float]:
    """Return the recalls of the cuts that may be the one that just reaches a recall: ties may put them far apart.

    These are the best cut that reaches it in the sample, the last one that does not but may in truth, and each after a
    cut that does but may not in truth: the next one, and every one that ends a large tie.
    """
    positives, n = float(compute_effective_sizes(r).positives), len(r.tpr)
    first = int(np.argmax(r.tpr >= recall))
    tied = 1 + np.flatnonzero((r.pos > constants.TIED * r.positives / 2) | (r.neg > constants.TIED * r.negatives / 2))
    later = sorted({first + 1, *(int(cut) for cut in tied if cut > first)})
    cuts = [_find_best_cut(r, recall)]
    for before, cut in ((first - 1, first - 1), *((cut - 1, cut) for cut in later)):
        if 0 < cut < n:
            low, high = proportions.wilson(float(r.tpr[before]) * positives, positives, level)
            if low <= recall <= high:
                cuts.append(cut)
    return [float(r.tpr[cut]) for cut in cuts]


def _find_best_cut(r: Ranking, recall: float) -> int:
    """Return the cut with the best precision among those that reach a recall."""
    return int(np.argmax(np.where(r.tpr >= recall, r.precision, -1.0)))


def _estimate_recalls(r: Ranking, specificity: Array, level: float) -> _Points:
    return _estimate_heights(r, 1 - specificity, level)


def _estimate_specificities(r: Ranking, recall: Array, level: float) -> _Points:
    return _estimate_heights(r.swapped(), 1 - recall, level)


def _estimate_heights(r: Ranking, fpr: Array, level: float) -> _Points:
    """Return the heights of a ROC curve: the negatives give the place of the cut, the positives the height.

    Where so few negatives are expected on one side of the cut that there may well be none, it may lie anywhere there.
    """
    positives, negatives = (float(size) for size in compute_effective_sizes(r))
    tail = (1 - level) / 2
    left, right = _bound_quantile(fpr, negatives, level)
    value = interpolate_tpr(r, fpr)
    low, high = proportions.wilson(value * positives, positives, level)
    leftmost = np.where((1 - fpr) ** negatives > tail, 0.0, interpolate_tpr(r, left))
    rightmost = np.where(fpr**negatives > tail, 1.0, interpolate_tpr(r, right))
    below, above = np.hypot(value - low, value - leftmost), np.hypot(high - value, rightmost - value)
    return _Points(value, value - below, value + above)


def _bound_quantile(share: Array, n: float, level: float) -> Limits:
    """Return between which shares of a sample a quantile of the population lies: an interval of order statistics.

    The number of cases beyond the quantile is binomial with the share that is given; it lies between two cases.
    """
    from scipy.special import bdtrik

    tail = (1 - level) / 2
    fewest, most = (np.nan_to_num(bdtrik(at, n, share)) for at in (tail, 1 - tail))
    return Limits(fewest / n, np.minimum((most + 1) / n, 1.0))


def _estimate_precisions(r: Ranking, recall: Array, level: float) -> _Points:
    """Return the precision at some recalls, from the specificity there and the prevalence."""
    there, size = _estimate_specificities(r, recall, level), float(sum(compute_effective_sizes(r)))
    share = float(r.positives / r.total)
    few, many = (float(limit) for limit in proportions.wilson(share * size, size, level))

    def precision(prevalence: float, specificity: Array) -> Array:
        hits, alarms = prevalence * recall, (1 - prevalence) * (1 - np.clip(specificity, 0, 1))
        return hits / np.maximum(hits + alarms, np.finfo(float).tiny)

    value = precision(share, there.value)
    below = np.hypot(value - precision(share, there.low), value - precision(few, there.value))
    above = np.hypot(precision(share, there.high) - value, precision(many, there.value) - value)
    return _Points(value, value - below, value + above)


def _bound_recall(r: Ranking, precision: float, level: float) -> Limits:
    """Return the recalls up to which the precision may reach a value, and up to which it surely does."""
    recall = np.linspace(0, 1, _RECALLS + 1)[1:]
    points = _estimate_precisions(r, recall, level)
    return Limits(*(_find_last(recall, reached >= precision) for reached in (points.low, points.high)))


def _find_last(recall: Array, is_reached: Array) -> float:
    return float(recall[np.flatnonzero(is_reached)[-1]]) if is_reached.any() else 0.0
