"""The distribution of the scores in each class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.contingency import Counts, divide
from cutline.curves._curve import Axis, CurveKind, Vertices
from cutline.measures import Parameter
from cutline.measures._conditions import INFINITE_SCORES, ONE_CLASS
from cutline.ranking import Array, Ranking


def edges(r: Ranking, bins: int, through: float | None) -> Array:
    """The edges of bins of one width, from the most positive, such that `through` is one of them.

    An edge belongs to the bin on its positive side, as a threshold does.
    """
    sign = 1.0 if r.higher_is_positive else -1.0
    top, bottom = float(r.key[0]), float(r.key[-1])
    width = (top - bottom) / bins or 1.0
    start = bottom if through is None or not math.isfinite(through) else sign * float(through)
    above, below = math.floor((top - start) / width) + 1, math.ceil((start - bottom) / width)
    return sign * (start + width * np.arange(above, -below - 1, -1))


def _bins(r: Ranking, bins: int | None = None, through: float | None = None) -> Vertices:
    if bins is None:
        bins = int(min(max(5, 2 * float(r.total) ** (1 / 3)), 50))  # Rice's rule
    at = edges(r, bins, through)
    sign = 1.0 if r.higher_is_positive else -1.0
    cuts = len(r) - np.searchsorted(r.key[::-1], sign * at, side="left")
    tp, fp = r.tp[cuts], r.fp[cuts]
    threshold = np.append(r.thresholds[0], at[1:])
    return Vertices(r, Counts(tp, fp, r.positives - tp, r.negatives - fp, threshold), at)


def _density(v: Vertices, found: Array, of: Any) -> Array:
    """The share of a class in each bin, by its width; nothing lies beyond the first edge."""
    width = abs(float(v.places[1] - v.places[0]))
    return np.append(0.0, divide(np.diff(found), of) / width)


SCORE_DISTRIBUTION = CurveKind(
    name="score_distribution",
    title="Scores of the two classes",
    x=Axis("score", "Score", lambda v: v.places),
    y=Axis("positives", "Density", lambda v: _density(v, v.counts.tp, v.ranking.positives), (0, math.inf)),
    also=(Axis("negatives", "Density", lambda v: _density(v, v.counts.fp, v.ranking.negatives), (0, math.inf)),),
    between="step-before",
    vertices=_bins,
    undefined=(*ONE_CLASS, INFINITE_SCORES),
    parameters={
        "bins": Parameter("how many bins the range of the scores is divided into", low=1, high=1000, example=20),
        "through": Parameter("a threshold that is to be the edge of a bin", example=0.5),
    },
    aliases=("score_distributions", "scores"),
)
