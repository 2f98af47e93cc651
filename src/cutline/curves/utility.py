"""Decision, cost, Brier and profit curves of one ranking, and the texts of their charts.

Intervals are added in `cutline.cuts.utility`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide, format_number
from cutline.core.ranking import Ranking
from cutline.curves.curve_type import BELOW_ZERO
from cutline.results.estimate import Estimate


class RatesAtThresholds(NamedTuple):
    """Recall and false positive rate at some thresholds, and the prevalence to weight them by."""

    recall: Array
    fpr: Array
    prevalence: float


class Line(NamedTuple):
    """The corners of a curve."""

    x: Array
    y: Array

    @property
    def area(self) -> float:
        """Area under the curve."""
        return float(np.trapezoid(self.y, self.x))


def compute_rates(r: Ranking, thresholds: Any, prevalence: float | None = None) -> RatesAtThresholds:
    """Return both rates when all scores at or above each threshold are flagged."""
    at = np.asarray(thresholds, dtype=r.score.dtype)  # compared in the type of the scores, as by Ranking.cut
    place = np.searchsorted(-r.key, -at.astype(float), side="right")
    own = float(divide(r.positives, r.total))
    return RatesAtThresholds(r.tpr[place], r.fpr[place], own if prevalence is None else prevalence)


def compute_net_benefits(r: Ranking, risks: Array, prevalence: float | None = None) -> Array:
    """Return the net benefit at each threshold of the risk, at the prevalence of the data or another.

    >>> r = Ranking.of_counts([0.8, 0.3, 0.1], [2, 1, 1], [1, 1, 4])
    >>> compute_net_benefits(r, np.array([0.25])).round(4).tolist()  # 3 found, 2 false alarms that count a third each
    [0.2333]
    """
    recall, fpr, p = compute_rates(r, risks, prevalence)
    return np.asarray(p * recall - (1 - p) * fpr * divide(risks, 1 - risks))


def compute_benefit_of_flagging_all(risks: Array, prevalence: float) -> Array:
    """Return the net benefit of flagging all cases."""
    if prevalence == 1:  # no false alarms, whatever each would cost
        return np.ones_like(risks, dtype=float)
    return np.asarray(prevalence - (1 - prevalence) * divide(risks, 1 - risks))


def compute_interventions_avoided(r: Ranking, risks: Array, prevalence: float | None = None) -> Array:
    """Return the interventions avoided per case, compared with flagging everybody, without missing a positive."""
    p = compute_rates(r, risks, prevalence).prevalence
    return np.asarray(
        divide(
            compute_net_benefits(r, risks, prevalence) - compute_benefit_of_flagging_all(risks, p),
            divide(risks, 1 - risks),
        )
    )


def find_cost_envelope(r: Ranking) -> Line:
    """Return the lower envelope of the cost lines of all cuts: the least normalised expected cost.

    The cost of a cut is the line FNR x + FPR (1 - x) over the probability-cost x; the best cuts are the corners of the
    ROC hull, and neighbouring lines meet where their costs are equal (Drummond and Holte, 2006).
    """
    fpr, fnr = r.fpr[r.hull], 1 - r.tpr[r.hull]
    moves = np.append(True, (np.diff(fpr) != 0) | (np.diff(fnr) != 0))  # tiny weights may leave the rates unchanged
    fpr, fnr = fpr[moves], fnr[moves]
    across, down = np.diff(fpr), -np.diff(fnr)
    meet = np.concatenate(([0.0], across / (across + down), [1.0]))
    at = np.append(np.arange(len(fpr)), len(fpr) - 1)  # for each corner, a cut whose line goes through it
    return Line(meet, fnr[at] * meet + fpr[at] * (1 - meet))


def make_cost_line(r: Ranking, threshold: float) -> Line:
    """Return the normalised expected cost of one cut at every probability-cost: a straight line."""
    c = r.at_threshold(threshold)
    return Line(np.array([0.0, 1.0]), np.array([float(c.fp / c.negatives), float(c.fn / c.positives)]))


def make_brier_line(r: Ranking) -> Line:
    """Return the loss at every cost proportion c, with c as the threshold; the area is the Brier score.

    Hernandez-Orallo, Flach and Ferri (2011): 2 (c FP + (1 - c) FN) / n, straight between two scores.
    """
    key = r.key[::-1]
    n = float(r.total)
    missed = np.append(0.0, r.floats[0][::-1].cumsum())  # below each score, and below all
    flagged = np.append(r.floats[1][::-1][::-1].cumsum()[::-1], 0.0)
    starts, ends = np.append(0.0, key), np.append(key, 1.0)
    x = np.column_stack((starts, ends)).ravel()
    fp, fn = np.repeat(flagged, 2), np.repeat(missed, 2)
    return Line(x, 2 * (x * fp + (1 - x) * fn) / n)


def compute_profits(r: Ranking, value: float, cost: float) -> Line:
    """Return the profit at every cut: `value` for each true positive less `cost` for each flagged case."""
    return Line(r.ends.astype(float), value * r.tp.astype(float) - cost * r.ends.astype(float))


# ---------------------------------------------------------------------- texts of the charts


EVERYBODY, NOBODY = "flagging everybody", "flagging nobody"
THRESHOLDS = "Threshold probability"


class Wording(NamedTuple):
    """The texts of a chart, whose numbers are multiplied by `scale` and cut off below `-floor` times the highest.

    `zero` names the reference whose value is 0 everywhere; it is not drawn if None.
    """

    title: str
    x: str
    y: str
    scale: float = 1.0
    zero: str | None = None
    floor: float | None = None


# The keys are the columns that hold the curves.
WORDINGS = {
    "net_benefit": Wording("Decision curve", THRESHOLDS, "Net benefit", floor=BELOW_ZERO),
    "standardised": Wording("Standardised net benefit", THRESHOLDS, "Standardised net benefit", floor=0.15),
    "interventions_avoided": Wording(
        "Net interventions avoided", THRESHOLDS, "Interventions avoided in 100 cases", 100.0, EVERYBODY, BELOW_ZERO
    ),
    "difference": Wording("Decision curves compared", THRESHOLDS, "Difference in net benefit", zero="no difference"),
    "cost": Wording("Cost curve", "Probability-cost of the positives", "Normalised expected cost"),
    "loss": Wording("Brier curve", "Cost proportion of a false alarm, and threshold", "Loss"),
    "profit": Wording("Profit over the quota", "Cases flagged", "Profit", zero=NOBODY, floor=0.35),
}


def write_curve_title(kind: str, prevalence: float | None = None) -> str:
    """Write the title of a decision curve.

    >>> write_curve_title("net_benefit", 0.01)
    'Decision curve at a prevalence of 0.01'
    """
    return WORDINGS[kind].title + ("" if prevalence is None else f" at a prevalence of {prevalence:g}")


def write_band_caption(level: float) -> str:
    """Write what the band of a chart shows."""
    return f"Shaded: {100 * level:g} % interval at each threshold"


def describe_best_quota(best: Estimate) -> str:
    """Format the best quota with its interval.

    >>> describe_best_quota(Estimate("best quota", 4.0, 2.0, 5.0, 0.95, "bootstrap"))
    '4 [2, 5]'
    """
    limits = f" [{format_number(best.low)}, {format_number(best.high)}]" if best.has_interval else ""
    return f"{format_number(best.value)}{limits}"
