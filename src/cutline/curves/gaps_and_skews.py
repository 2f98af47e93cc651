"""Quantities beside a curve: its gap to a reference, and its change under another class skew."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Array, Ranking
from cutline.core.validation import check_number
from cutline.curves.simplify import CurveLine
from cutline.curves.threshold_curves import ROC
from cutline.measures.precision_recall import average_precision
from cutline.measures.rates import accuracy
from cutline.measures.roc import auc


class Gap(NamedTuple):
    """The band between two lines: for each x the height of the one and of the other, which touch where they cross."""

    x: Array
    y: Array
    other: Array


def gap(line: CurveLine, other: CurveLine) -> Gap:
    """Return the band between a line and another over the same x, with a corner wherever one of them has one or they
    cross.

    Args:
        line: The one line.
        other: The other line.
    """
    x = np.union1d(line.x, other.x)
    y, z = np.interp(x, line.x, line.y), np.interp(x, other.x, other.y)
    difference = y - z
    turns = np.flatnonzero(difference[:-1] * difference[1:] < 0)
    crossing = x[turns] + np.diff(x)[turns] * difference[turns] / (difference[turns] - difference[turns + 1])
    x = np.union1d(x, crossing)
    return Gap(x, np.interp(x, line.x, line.y), np.interp(x, other.x, other.y))


def with_prevalence(r: Ranking, prevalence: float) -> Ranking:
    """Return the ranking as it would be with another share of positives: the negatives weigh more, or less.

    Args:
        r: The ranking.
        prevalence: The share of positives that it is to have.
    """
    if not 0 < check_number(prevalence, "prevalence") < 1:
        raise ParameterError(f"is {prevalence!r}", "pass a share above 0 and below 1", argument="prevalence")
    ROC.require(r)
    factor = float(divide(r.positives * (1 - prevalence), prevalence * r.negatives))
    return replace(r, neg=r.neg * factor, neg2=r.neg2 * factor**2)


def under_skew(r: Ranking, threshold: float, ratios: Array) -> dict[str, Array]:
    """Return measures of one model under growing class skew: some stay, some rise, some fall.

    Args:
        r: The ranking, which keeps its two distributions of scores.
        threshold: The cut at which the accuracy is read.
        ratios: How many negatives there are to a positive.

    Returns:
        The accuracy at the cut, the AUC, the average precision, and the accuracy of flagging nobody, at each ratio.
    """
    skewed = [with_prevalence(r, 1 / (1 + float(ratio))) for ratio in ratios]
    return {
        accuracy.title + " at the cut": np.array(
            [float(accuracy.compute(one.at_threshold(threshold))) for one in skewed]
        ),
        auc.title: np.full(len(skewed), float(auc.compute(r))),
        average_precision.title: np.array([float(average_precision.compute(one)) for one in skewed]),
        accuracy.title + " of flagging nobody": np.asarray(ratios) / (1 + np.asarray(ratios)),
    }
