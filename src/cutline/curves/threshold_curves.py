"""Curves through the cuts of a ranking: one vertex for each distinct score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import check_number
from cutline.curves.curve_type import (
    FARTHEST,
    FLAGGED,
    NEAREST,
    THRESHOLD,
    Axis,
    Curve,
    CurveKind,
    Point,
    Vertices,
    make_axis,
    select_cuts,
    take_cuts,
    take_every_cut,
)
from cutline.curves.simplify import CurveLine, list_corners, simplify
from cutline.measures import Measure, Parameter, UndefinedWhen, losses
from cutline.measures.costs import net_benefit
from cutline.measures.metadata import INFINITE_SCORES, NO_POSITIVE, ONE_CLASS
from cutline.measures.precision_recall import (
    aucpr_max,
    aucpr_min,
    aucpr_minmax,
    average_precision,
    find_highest_precision,
    find_lowest_precision,
)
from cutline.measures.rates import accuracy, fnr, fpr, precision, recall
from cutline.measures.roc import auc, auch, average_gain, eer, gini, ks, max_youden_j, taks

_STEPS = 4000  # the least number of distinct floats between the scores, so that bins have a width


def make_bin_edges(r: Ranking, bins: int, through: float | None) -> Array:
    """Return the edges of bins from the most positive score to the least; `through` is one of the edges.

    An edge belongs to the bin on its positive side, as a threshold does, and the first edge to the first bin. On either
    side of `through` the bins have the same width. If `through` is the most positive score, a bin is added beyond it.
    """
    sign = 1.0 if r.higher_is_positive else -1.0
    top, bottom = float(r.key[0]), float(r.key[-1])
    if top == bottom:
        unit = (min(sign, 0.0), max(sign, 0.0))  # probabilities stay between 0 and 1
        around = max(0.5, abs(top) * 1e-6)  # 0.5 would be lost in the rounding of a large number
        bottom, top = unit if unit[0] <= top <= unit[1] else (bottom - around, top + around)
    at = math.nan if through is None else sign * float(through)
    if at == top:
        top += (top - bottom) / max(bins - 1, 1)
    if not bottom < at < top:
        return sign * np.linspace(top, bottom, bins + 1)
    if bins == 1:
        raise ParameterError(f"is 1, but the scores are divided at {through:g}", "pass 2 or more", argument="bins")
    above = min(max(round(bins * (top - at) / (top - bottom)), 1), bins - 1)
    return sign * np.append(np.linspace(top, at, above + 1), np.linspace(at, bottom, bins - above + 1)[1:])


def make_whole_bin_edges(r: Ranking, bins: int, through: float | None) -> Array | None:
    """Return the edges of about `bins` bins of equally many whole numbers; None if the scores are not whole.

    Bins of another width would show steps that are not in the data: one holds three whole numbers, the next four.

    >>> from cutline import rank
    >>> make_whole_bin_edges(rank([1, 0, 0, 1], [9, 2, 4, 7]), 5, 6)
    array([10.,  8.,  6.,  4.,  2.])
    """
    top, bottom = float(r.key[0]), float(r.key[-1])
    if r.are_probabilities or top == bottom or not (r.key == np.floor(r.key)).all():
        return None
    sign = 1.0 if r.higher_is_positive else -1.0
    at = math.nan if through is None else sign * float(through)
    start = at if bottom < at <= top else bottom
    width = math.ceil((top - bottom + 1) / bins)
    # An edge belongs to the bin on its positive side, so that the first one lies beyond the top.
    steps = np.arange(math.floor((top - start) / width) + 1, math.floor((bottom - start) / width) - 1, -1)
    return sign * (start + width * steps.astype(float))


def _take_bin_edges(r: Ranking, bins: int | None = None, through: float | None = None) -> Vertices:
    rice = int(min(max(5, 2 * float(r.total) ** (1 / 3)), 50))
    whole = make_whole_bin_edges(r, rice, through) if bins is None else None
    at = make_bin_edges(r, bins or rice, through) if whole is None else whole
    sign = 1.0 if r.higher_is_positive else -1.0
    cuts = len(r) - np.searchsorted(r.key[::-1], sign * at, side="left")
    cuts[0], cuts[-1] = 0, len(r)
    if through is not None:
        cuts[at == through] = r.cut(through)  # compared in the type of the scores, as every threshold
    tp, fp = r.tp[cuts], r.fp[cuts]
    threshold = np.append(r.thresholds[0], at[1:])
    return Vertices(r, Counts(tp, fp, r.positives - tp, r.negatives - fp, threshold), at)


def _compute_density(v: Vertices, cumulated: Array, total: Any) -> Array:
    """Return the density of a class in each bin from its cumulated counts; 0 beyond the first edge."""
    return np.append(0.0, divide(np.diff(cumulated), total) / np.abs(np.diff(v.places)))


def _has_no_scale(r: Ranking) -> bool:
    span = float(r.score.max() / 2) - float(r.score.min() / 2)
    largest = float(np.abs(r.score).max())
    if len(r) == 1:
        return FARTHEST < largest < math.inf
    nearest = max(NEAREST, _STEPS * float(np.spacing(largest)))
    return not nearest < span < FARTHEST if math.isfinite(span) else False


NO_SCALE = UndefinedWhen("the scores lie too far apart, or too near, for an axis", lambda r, **_: _has_no_scale(r))

SCORE = Axis("score", "Score", lambda v: v.places)

SCORE_DISTRIBUTION = CurveKind(
    name="score_distribution",
    title="Scores of the two classes",
    x=SCORE,
    y=Axis("positives", "Density", lambda v: _compute_density(v, v.counts.tp, v.ranking.positives), (0, math.inf)),
    also=(
        Axis("negatives", "Density", lambda v: _compute_density(v, v.counts.fp, v.ranking.negatives), (0, math.inf)),
    ),
    between="step-before",
    vertices=_take_bin_edges,
    undefined=(*ONE_CLASS, INFINITE_SCORES, NO_SCALE),
    parameters={
        "bins": Parameter("how many bins the range of the scores is divided into", low=1, high=1000, example=20),
        "through": Parameter("a threshold that is to be the edge of a bin", example=0.5),
    },
    aliases=("score_distributions", "scores"),
)


def _locate_best_cut(measure: Measure, r: Ranking) -> tuple[float, float, float]:
    """Return the threshold and the two rates of the cut at which a measure finds its value.

    The cut is used, not its threshold, because flagging nobody and flagging infinite scores have the same threshold.
    """
    cut = measure.find_cut(r)
    return float(r.thresholds[cut]), float(r.fpr[cut]), float(r.tpr[cut])


def _locate_roc_points(r: Ranking) -> Mapping[str, Point]:
    error = float(eer.compute(r))
    return {"eer": Point(eer.threshold(r), error, 1 - error), "max_youden_j": Point(*_locate_best_cut(max_youden_j, r))}


ROC = CurveKind(
    name="roc",
    title="ROC curve",
    x=make_axis(fpr),
    y=make_axis(recall),
    between="line",
    area=auc,
    measures=(auc, gini, eer, max_youden_j),
    undefined=ONE_CLASS,
    points=_locate_roc_points,
    references=("baseline", "perfect"),
    aliases=("receiver_operating_characteristic",),
)

ROC_HULL = CurveKind(
    name="roc_hull",
    title="ROC convex hull",
    x=make_axis(fpr),
    y=make_axis(recall),
    between="line",
    vertices=lambda r: take_cuts(r, r.hull),
    area=auch,
    undefined=ONE_CLASS,
    references=("baseline",),
    aliases=("hull",),
)

DET = CurveKind(
    name="det",
    title="Detection error trade-off",
    x=make_axis(fpr),
    y=make_axis(fnr),
    between="line",
    measures=(eer,),
    undefined=ONE_CLASS,
    points=lambda r: {"eer": Point(eer.threshold(r), float(eer.compute(r)), float(eer.compute(r)))},
    aliases=("detection_error_tradeoff",),
)


def _locate_ks_points(r: Ranking) -> Mapping[str, Point]:
    threshold, false_alarms, recall = _locate_best_cut(ks, r)
    return {"ks_recall": Point(threshold, threshold, recall), "ks_fpr": Point(threshold, threshold, false_alarms)}


TPR_FPR = CurveKind(
    name="tpr_fpr",
    title="TPR-FPR plot",
    x=THRESHOLD,
    y=make_axis(recall),
    also=(make_axis(fpr),),
    between="step-after",
    measures=(ks, taks),
    undefined=ONE_CLASS,
    points=_locate_ks_points,
    aliases=("ks",),
)

GAIN = CurveKind(
    name="gain",
    title="Gain chart",
    x=FLAGGED,
    y=Axis("true_positives", "True positives", lambda v: v.counts.tp, (0, np.inf), is_count=True),
    between="line",
    measures=(average_gain,),
    undefined=(NO_POSITIVE,),
    references=("baseline", "perfect"),
    parameters={"prevalence": average_gain.parameters["prevalence"]},
    aliases=("cumulative_gain",),
)

# ---------------------------------------------------------------------- precision and recall

PRECISION_RECALL = CurveKind(
    name="precision_recall",
    title="Precision-recall curve",
    x=make_axis(recall),
    y=make_axis(precision),
    between="step-before",
    area=average_precision,
    measures=(average_precision,),
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    extends_to_start=True,
    aliases=("pr",),
)

# Berrar starts the trapezoids where precision and recall are 0 (Definition 32).
_FROM_ZERO = Axis("precision", precision.title, lambda v: np.nan_to_num(precision.compute(v.counts)), precision.range)


def _make_trapezoid_kind(
    name: str, measure: Measure, title: str, vertices: Callable[..., Vertices] = take_every_cut
) -> CurveKind:
    return CurveKind(
        name=name,
        title=title,
        x=make_axis(recall),
        y=_FROM_ZERO,
        between="line",
        area=measure,
        undefined=(NO_POSITIVE,),
        vertices=vertices,
    )


PRECISION_RECALL_MIN = _make_trapezoid_kind(
    "precision_recall_min",
    aucpr_min,
    "Precision-recall, lower trapezoids",
    vertices=lambda r: take_cuts(r, find_lowest_precision(r)),
)
PRECISION_RECALL_MINMAX = _make_trapezoid_kind(
    "precision_recall_minmax", aucpr_minmax, "Precision-recall, middle trapezoids"
)
PRECISION_RECALL_MAX = _make_trapezoid_kind(
    "precision_recall_max",
    aucpr_max,
    "Precision-recall, upper trapezoids",
    vertices=lambda r: take_cuts(r, find_highest_precision(r)),
)


# ---------------------------------------------------------------------- any measure of one cut


def make_threshold_kind(measure: Measure) -> CurveKind:
    """Make the kind of curve that shows a measure of one cut over the threshold."""
    return CurveKind(
        name=str(measure),
        title=f"{measure.title} over the threshold",
        x=THRESHOLD,
        y=make_axis(measure),
        between="step-after",
        undefined=tuple(c for c in measure.undefined if c in ONE_CLASS),
    )


def compute_decision_curve(r: Ranking, low: float, high: float) -> dict[str, Array]:
    """Return the net benefit at every threshold of the risk from `low` to `high`, with the counts there.

    At each score the counts change and the curve jumps; between two scores the exchange rate of the two errors changes
    and the curve bends. So it is computed at the scores and on a fine grid.

    Args:
        r: A ranking by probabilities.
        low: The lowest threshold.
        high: The highest threshold.
    """
    scores = r.score[np.isfinite(r.score) & (r.score > low) & (r.score < high)].astype(float)
    if len(scores) > _JUMPS:
        scores = scores[np.linspace(0, len(scores) - 1, _JUMPS).astype(int)]
    at = np.unique(np.concatenate((np.linspace(low, high, _GRID), scores, np.nextafter(scores, np.inf))))
    cuts = r.cuts(at)
    counts = replace(select_cuts(r.counts, cuts), threshold=at)
    benefits = np.asarray(net_benefit.compute(counts), dtype=float)
    columns = {
        "x": at,
        "y": benefits,
        "threshold": at,
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "tn": counts.tn,
    }
    is_finite = np.isfinite(benefits)
    return {name: column[is_finite] for name, column in columns.items()}


_GRID, _JUMPS = 201, 300  # the numbers of thresholds and of scores at which a decision curve is computed


# ---------------------------------------------------------------------- the axes of DET curves


# The rates that are marked on a scale of normal deviates.
RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def compute_deviates(rates: npt.ArrayLike) -> Array:
    """Return the normal deviates of rates, which are the coordinates of a DET curve."""
    from scipy.special import ndtri  # only this curve needs it

    return np.asarray(ndtri(np.asarray(rates, dtype=float)))


def find_det_reach(curves: Iterable[Curve]) -> float:
    """Return the largest absolute deviate that the axes need to show every rate but 0 and 1."""
    deviates = compute_deviates(np.concatenate([np.concatenate((curve.x, curve.y)) for curve in curves]))
    return max(2.0, 1.05 * float(np.abs(deviates[np.isfinite(deviates)]).max(initial=0.0)))


def clip_to_edge(deviates: npt.ArrayLike, reach: float) -> Array:
    """Clip normal deviates to the axes, as those of the rates 0 and 1 are infinite.

    Args:
        deviates: The deviates.
        reach: The largest deviate on the axes.
    """
    return np.clip(deviates, -reach, reach)


def make_det_line(curve: Curve, reach: float) -> CurveLine:
    """Return the line of a DET curve on axes of normal deviates, with rates of 0 and 1 on the edges.

    Across a tie the line is straight in rates, as in the ROC curve, and so bends in deviates: points are added there.

    Args:
        curve: A DET curve.
        reach: The largest normal deviate on the axes.
    """
    from scipy.special import ndtr

    exact = list_corners(curve)
    position = exact.x - exact.y  # grows from cut to cut
    rates = ndtr(np.linspace(-reach, reach, 121))
    between = np.concatenate((np.interp(rates, exact.x, position), np.interp(-rates, -exact.y, position)))
    positions = np.union1d(position, between)
    x, y = (
        clip_to_edge(compute_deviates(np.clip(np.interp(positions, position, side), 0, 1)), reach)
        for side in (exact.x, exact.y)
    )
    vertex = exact.vertex[np.minimum(np.searchsorted(position, positions), len(position) - 1)]
    points = simplify((x / reach + 1) / 2, (y / reach + 1) / 2, spread=100)
    return CurveLine(vertex[points], x[points], y[points])


# ---------------------------------------------------------------------- losses over the margin


def compute_loss_curves(*, gamma: float = 2.0, reach: float = 3.0) -> tuple[Array, Mapping[str, Array]]:
    """Return the losses of a positive case by its margin (Berrar, Figure 7): the margins, and each loss by name.

    Args:
        gamma: The exponent of the focal loss.
        reach: The largest margin.
    """
    left = np.linspace(-reach, 0, 121)
    margin = np.concatenate((left, -left[::-1]))  # 0 stands twice, as the 0-1 loss jumps there
    label = np.ones(len(margin))
    return margin, {
        "0-1 loss": np.repeat([1.0, 0.0], len(left)),
        "Hinge loss": losses.hinge(label, margin).value,
        "Logistic loss": losses.logistic(label, margin).value,
        f"Focal loss, gamma {gamma:g}": losses.focal(label, margin, gamma=gamma).value,
    }


# ---------------------------------------------------------------------- the area between two curves


class Gap(NamedTuple):
    """The area between two lines, as the heights of both at each x; every crossing is one of the points."""

    x: Array
    y: Array
    other: Array


def find_gap(line: CurveLine, other: CurveLine) -> Gap:
    """Return the area between two lines over the same x, with points at the corners of both and where they cross.

    Args:
        line: The first line.
        other: The second line.
    """
    x = np.union1d(line.x, other.x)
    y, z = np.interp(x, line.x, line.y), np.interp(x, other.x, other.y)
    difference = y - z
    turns = np.flatnonzero(difference[:-1] * difference[1:] < 0)
    crossing = x[turns] + np.diff(x)[turns] * difference[turns] / (difference[turns] - difference[turns + 1])
    x = np.union1d(x, crossing)
    return Gap(x, np.interp(x, line.x, line.y), np.interp(x, other.x, other.y))


# ---------------------------------------------------------------------- other prevalences


def with_prevalence(r: Ranking, prevalence: float) -> Ranking:
    """Return the ranking at another prevalence, by reweighting the negatives.

    Args:
        r: The ranking.
        prevalence: The new share of positives.
    """
    if not 0 < check_number(prevalence, "prevalence") < 1:
        raise ParameterError(f"is {prevalence!r}", "pass a share above 0 and below 1", argument="prevalence")
    ROC.check_ranking(r)
    factor = float(divide(r.positives * (1 - prevalence), prevalence * r.negatives))
    return replace(r, neg=r.neg * factor, neg2=r.neg2 * factor**2)


def under_skew(r: Ranking, threshold: float, ratios: Array) -> dict[str, Array]:
    """Return accuracy, AUC and average precision of one model at other ratios of negatives to positives.

    Args:
        r: The ranking, whose score distributions in the two classes stay the same.
        threshold: The threshold of the accuracy.
        ratios: The numbers of negatives for each positive.

    Returns:
        The accuracy at the cut, the AUC, the average precision, and the accuracy of flagging nobody, at each ratio.
    """
    skewed = [with_prevalence(r, 1 / (1 + float(ratio))) for ratio in ratios]
    return {
        accuracy.title + " at the cut": np.array(
            [float(accuracy.compute(ranking.at_threshold(threshold))) for ranking in skewed]
        ),
        auc.title: np.full(len(skewed), float(auc.compute(r))),
        average_precision.title: np.array([float(average_precision.compute(ranking)) for ranking in skewed]),
        accuracy.title + " of flagging nobody": np.asarray(ratios) / (1 + np.asarray(ratios)),
    }
