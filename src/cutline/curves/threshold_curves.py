"""Curves through the cuts of a ranking: one vertex for each distinct score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Array, Ranking
from cutline.curves.curve_type import FLAGGED, THRESHOLD, Axis, CurveKind, Point, of, some_cuts
from cutline.measures import Measure
from cutline.measures.costs import expected_cost, net_benefit
from cutline.measures.metadata import NO_POSITIVE, ONE_CLASS
from cutline.measures.precision_recall import (
    aucpr_max,
    aucpr_min,
    aucpr_minmax,
    average_precision,
    highest_precision,
    lowest_precision,
)
from cutline.measures.rates import fnr, fpr, precision, recall
from cutline.measures.roc import auc, auch, average_gain, eer, gini, ks, max_youden_j, taks


def _found_at(measure: Measure, r: Ranking) -> tuple[float, float, float]:
    """The threshold and the two rates of the cut at which a measure finds its value.

    By the cut and not by its threshold: flagging nobody and flagging infinite scores have the same one.
    """
    cut = int(measure.found_at(r))  # type: ignore[misc]
    return float(r.thresholds[cut]), float(r.fpr[cut]), float(r.tpr[cut])


def _roc_points(r: Ranking) -> Mapping[str, Point]:
    error = float(eer.compute(r))
    return {"eer": Point(eer.threshold(r), error, 1 - error), "max_youden_j": Point(*_found_at(max_youden_j, r))}


ROC = CurveKind(
    name="roc",
    title="ROC curve",
    x=of(fpr),
    y=of(recall),
    between="line",
    area=auc,
    measures=(auc, gini, eer, max_youden_j),
    undefined=ONE_CLASS,
    points=_roc_points,
    references=("baseline", "perfect"),
    aliases=("receiver_operating_characteristic",),
)

ROC_HULL = CurveKind(
    name="roc_hull",
    title="ROC convex hull",
    x=of(fpr),
    y=of(recall),
    between="line",
    vertices=lambda r: some_cuts(r, r.hull),
    area=auch,
    undefined=ONE_CLASS,
    references=("baseline",),
    aliases=("hull",),
)

DET = CurveKind(
    name="det",
    title="Detection error trade-off",
    x=of(fpr),
    y=of(fnr),
    between="line",
    measures=(eer,),
    undefined=ONE_CLASS,
    points=lambda r: {"eer": Point(eer.threshold(r), float(eer.compute(r)), float(eer.compute(r)))},
    aliases=("detection_error_tradeoff",),
)


def _ks_points(r: Ranking) -> Mapping[str, Point]:
    at, false_alarms, recall = _found_at(ks, r)
    return {"ks_recall": Point(at, at, recall), "ks_fpr": Point(at, at, false_alarms)}


TPR_FPR = CurveKind(
    name="tpr_fpr",
    title="TPR-FPR plot",
    x=THRESHOLD,
    y=of(recall),
    also=(of(fpr),),
    between="step-after",
    measures=(ks, taks),
    undefined=ONE_CLASS,
    points=_ks_points,
    aliases=("ks",),
)

GAIN = CurveKind(
    name="gain",
    title="Gain chart",
    x=FLAGGED,
    y=Axis("true_positives", "True positives", lambda v: v.counts.tp, (0, np.inf), counted=True),
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
    x=of(recall),
    y=of(precision),
    between="step-before",
    area=average_precision,
    measures=(average_precision,),
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    reach=True,
    aliases=("pr",),
)

# Berrar starts the trapezoids where precision and recall are 0 (Definition 32).
_FROM_ZERO = Axis("precision", precision.title, lambda v: np.nan_to_num(precision.compute(v.counts)), precision.range)


def _trapezoid(name: str, measure: Measure, title: str, **more: object) -> CurveKind:
    return CurveKind(
        name=name,
        title=title,
        x=of(recall),
        y=_FROM_ZERO,
        between="line",
        area=measure,
        undefined=(NO_POSITIVE,),
        **more,  # type: ignore[arg-type]
    )


PRECISION_RECALL_MIN = _trapezoid(
    "precision_recall_min",
    aucpr_min,
    "Precision-recall, lower trapezoids",
    vertices=lambda r: some_cuts(r, lowest_precision(r)),
)
PRECISION_RECALL_MINMAX = _trapezoid("precision_recall_minmax", aucpr_minmax, "Precision-recall, middle trapezoids")
PRECISION_RECALL_MAX = _trapezoid(
    "precision_recall_max",
    aucpr_max,
    "Precision-recall, upper trapezoids",
    vertices=lambda r: some_cuts(r, highest_precision(r)),
)


# ---------------------------------------------------------------------- any measure of one cut


def against_threshold(measure: Measure) -> CurveKind:
    """Return the curve of a measure of one cut over the thresholds."""
    return CurveKind(
        name=str(measure),
        title=f"{measure.title} over the threshold",
        x=THRESHOLD,
        y=of(measure),
        between="step-after",
        undefined=tuple(c for c in measure.undefined if c in ONE_CLASS),
    )


def decision_curve(r: Ranking, low: float, high: float) -> dict[str, Array]:
    """Return the net benefit at every threshold of the risk from `low` to `high`, with the counts there.

    Between two scores the counts stay and the exchange rate of the two errors changes with the threshold: the curve
    bends, so it is read on a fine grid besides at the scores, where it jumps.

    Args:
        r: A ranking by probabilities.
        low: The lowest threshold.
        high: The highest threshold.
    """
    scores = r.score[np.isfinite(r.score) & (r.score > low) & (r.score < high)].astype(float)
    if len(scores) > _JUMPS:
        scores = scores[np.linspace(0, len(scores) - 1, _JUMPS).astype(int)]
    at = np.unique(np.concatenate((np.linspace(low, high, _GRID), scores, np.nextafter(scores, np.inf))))
    cuts = np.array([r.cut(float(threshold)) for threshold in at])
    c = r.counts
    counts = Counts(c.tp[cuts], c.fp[cuts], c.fn[cuts], c.tn[cuts], at, c.is_risk)
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


def flagging_everybody(r: Ranking, thresholds: Array) -> Array:
    """Return the net benefit of flagging every case, whatever its score, at some thresholds of the risk.

    Args:
        r: The ranking.
        thresholds: The thresholds of the risk.
    """
    nobody = np.zeros(len(thresholds))
    everybody = Counts(nobody + r.positives, nobody + r.negatives, nobody, nobody, thresholds)
    return np.asarray(net_benefit.compute(everybody))


_GRID, _JUMPS = 201, 300  # thresholds of a decision curve, and scores at which it is seen to jump


# ---------------------------------------------------------------------- iso-cost lines


class IsoCost(NamedTuple):
    """The line of equal cost in ROC space that touches the curve, the cut where it does, and the cost there."""

    slope: float
    intercept: float
    point: Point
    cost: float


def iso_cost(r: Ranking, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> IsoCost:
    """Return the point of least mean cost, and the line of the points of ROC space with the same cost.

    Args:
        r: The ranking.
        cost_fp: What a false positive costs.
        cost_fn: What a missed positive costs.

    >>> from cutline import rank
    >>> ten = rank([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
    >>> line = iso_cost(ten, cost_fn=2)  # a missed positive costs twice a false alarm
    >>> line.slope, line.point.threshold, round(line.cost, 6)
    (0.5, 0.5, 0.3)
    """
    costs = expected_cost.check({"cost_fp": cost_fp, "cost_fn": cost_fn})
    if not cost_fn:
        raise ParameterError(
            "is 0, and lines of equal cost would stand upright", "pass a number above 0", argument="cost_fn"
        )
    ROC.require(r)
    cost = expected_cost.compute(r.counts, **costs)
    best = int(np.argmin(cost))
    point = Point(float(r.thresholds[best]), float(r.fpr[best]), float(r.tpr[best]))
    slope = float(divide(cost_fp * r.negatives, cost_fn * r.positives))
    return IsoCost(slope, point.y - slope * point.x, point, float(cost[best]))
