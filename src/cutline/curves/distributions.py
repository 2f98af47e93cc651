"""The distribution of the scores in each class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Array, Ranking
from cutline.curves.curve_type import FARTHEST, NEAREST, Axis, CurveKind, Vertices
from cutline.measures import Condition, Parameter
from cutline.measures.metadata import INFINITE_SCORES, ONE_CLASS

_STEPS = 4000  # between neighbouring numbers, at the least, over which bins can have a width


def edges(r: Ranking, bins: int, through: float | None) -> Array:
    """The edges of so many bins from the most positive score to the least, such that `through` is one of them.

    An edge belongs to the bin on its positive side, as a threshold does, and the first edge to the first bin. On either
    side of `through` the bins have one width. A threshold that only the most positive score reaches gets a bin beyond.
    """
    sign = 1.0 if r.higher_is_positive else -1.0
    top, bottom = float(r.key[0]), float(r.key[-1])
    if top == bottom:
        unit = (min(sign, 0.0), max(sign, 0.0))  # probabilities stay between 0 and 1
        around = max(0.5, abs(top) * 1e-6)  # beside a large number one half is nothing
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


def _bins(r: Ranking, bins: int | None = None, through: float | None = None) -> Vertices:
    if bins is None:
        bins = int(min(max(5, 2 * float(r.total) ** (1 / 3)), 50))  # Rice's rule
    at = edges(r, bins, through)
    sign = 1.0 if r.higher_is_positive else -1.0
    cuts = len(r) - np.searchsorted(r.key[::-1], sign * at, side="left")
    cuts[0], cuts[-1] = 0, len(r)
    if through is not None:
        cuts[at == through] = r.cut(through)  # read in the type of the scores, as every threshold is
    tp, fp = r.tp[cuts], r.fp[cuts]
    threshold = np.append(r.thresholds[0], at[1:])
    return Vertices(r, Counts(tp, fp, r.positives - tp, r.negatives - fp, threshold), at)


def _density(v: Vertices, slopes: Array, of: Any) -> Array:
    """Return the share of a class in each bin, by its width; nothing lies beyond the first edge."""
    return np.append(0.0, divide(np.diff(slopes), of) / np.abs(np.diff(v.places)))


def _has_no_scale(r: Ranking) -> bool:
    span = float(r.score.max() / 2) - float(r.score.min() / 2)
    largest = float(np.abs(r.score).max())
    if len(r) == 1:
        return FARTHEST < largest < math.inf
    nearest = max(NEAREST, _STEPS * float(np.spacing(largest)))
    return not nearest < span < FARTHEST if math.isfinite(span) else False


NO_SCALE = Condition("the scores lie too far apart, or too near, for an axis", lambda r, **_: _has_no_scale(r))

SCORE = Axis("score", "Score", lambda v: v.places)

SCORE_DISTRIBUTION = CurveKind(
    name="score_distribution",
    title="Scores of the two classes",
    x=SCORE,
    y=Axis("positives", "Density", lambda v: _density(v, v.counts.tp, v.ranking.positives), (0, math.inf)),
    also=(Axis("negatives", "Density", lambda v: _density(v, v.counts.fp, v.ranking.negatives), (0, math.inf)),),
    between="step-before",
    vertices=_bins,
    undefined=(*ONE_CLASS, INFINITE_SCORES, NO_SCALE),
    parameters={
        "bins": Parameter("how many bins the range of the scores is divided into", low=1, high=1000, example=20),
        "through": Parameter("a threshold that is to be the edge of a bin", example=0.5),
    },
    aliases=("score_distributions", "scores"),
)
