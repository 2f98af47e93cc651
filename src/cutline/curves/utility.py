"""What decisions are worth over all cost ratios: decision, cost, Brier and profit curves of one ranking.

Pure functions, without intervals; `cutline.cuts.utility` adds these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking


class RatesAtThresholds(NamedTuple):
    """Recall and false positive rate at some thresholds, and the prevalence that they are combined with."""

    recall: Array
    fpr: Array
    prevalence: float


class Line(NamedTuple):
    """The corners of a curve."""

    x: Array
    y: Array

    @property
    def area(self) -> float:
        """The area under it."""
        return float(np.trapezoid(self.y, self.x))


def rates_at(r: Ranking, thresholds: Any, prevalence: float | None = None) -> RatesAtThresholds:
    """Return both rates when all scores at or above each threshold are flagged."""
    at = np.asarray(thresholds, dtype=r.score.dtype)  # read in the type of the scores, as by Ranking.cut
    place = np.searchsorted(-r.key, -at.astype(float), side="right")
    own = float(divide(r.positives, r.total))
    return RatesAtThresholds(r.tpr[place], r.fpr[place], own if prevalence is None else prevalence)


def net_benefits(r: Ranking, risks: Array, prevalence: float | None = None) -> Array:
    """Return the net benefit of flagging the cases whose probability reaches each risk, at the data's or another
    prevalence.

    >>> r = Ranking.of_counts([0.8, 0.3, 0.1], [2, 1, 1], [1, 1, 4])
    >>> net_benefits(r, np.array([0.25])).round(4).tolist()  # 3 found, 2 false alarms that count a third each
    [0.2333]
    """
    recall, fpr, p = rates_at(r, risks, prevalence)
    return np.asarray(p * recall - (1 - p) * fpr * divide(risks, 1 - risks))


def flag_everybody(risks: Array, prevalence: float) -> Array:
    """Return the net benefit of flagging all cases."""
    return np.asarray(prevalence - (1 - prevalence) * divide(risks, 1 - risks))


def interventions_avoided(r: Ranking, risks: Array, prevalence: float | None = None) -> Array:
    """Return how many cases in one are spared without missing a positive, beside flagging everybody."""
    p = rates_at(r, risks, prevalence).prevalence
    return np.asarray(divide(net_benefits(r, risks, prevalence) - flag_everybody(risks, p), divide(risks, 1 - risks)))


def cost_envelope(r: Ranking) -> Line:
    """Return the smallest normalised expected cost at every probability-cost: the lower envelope of the lines of all
    cuts.

    A cut is the line FNR x + FPR (1 - x); the best cuts are the corners of the ROC hull, and neighbours meet where both
    cost the same (Drummond and Holte, 2006).
    """
    fpr, fnr = r.fpr[r.hull], 1 - r.tpr[r.hull]
    moves = np.append(True, (np.diff(fpr) != 0) | (np.diff(fnr) != 0))  # weights next to nothing move no rate
    fpr, fnr = fpr[moves], fnr[moves]
    across, down = np.diff(fpr), -np.diff(fnr)
    meet = np.concatenate(([0.0], across / (across + down), [1.0]))
    at = np.append(np.arange(len(fpr)), len(fpr) - 1)  # of each corner, a cut whose line goes through it
    return Line(meet, fnr[at] * meet + fpr[at] * (1 - meet))


def cost_line(r: Ranking, threshold: float) -> Line:
    """Return the normalised expected cost of one cut at every probability-cost: a straight line."""
    c = r.at_threshold(threshold)
    return Line(np.array([0.0, 1.0]), np.array([float(c.fp / c.negatives), float(c.fn / c.positives)]))


def brier_line(r: Ranking) -> Line:
    """Return the loss at every cost proportion when the threshold is that proportion; the area is the Brier score.

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


def profits(r: Ranking, value: float, cost: float) -> Line:
    """Return what flagging as many cases is worth at every cut: a value for a true positive, a cost for a case
    flagged.
    """
    return Line(r.ends.astype(float), value * r.tp.astype(float) - cost * r.ends.astype(float))
