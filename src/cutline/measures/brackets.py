"""What bins leave certain of a measure: its bracket, or that it is approximate and by how much.

A measure that can only gain when a positive moves up past a negative (`Measure.concordant`) has its exact value between
its values on the two rankings of the bracket. A few others have bounds of their own, below. Of the rest, the values on
the two extreme orders show how far off the value may be, but do not prove it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import Counts
from cutline.core.ranking import Bracket, Ranking, dot
from cutline.measures.definition import Needs
from cutline.measures.measure_type import Measure
from cutline.measures.roc import youden_of_all_cuts

APPROXIMATE = "The value is approximate, because the scores were binned: with other orders inside the bins it was found"


class Bounds(NamedTuple):
    """Between which values the exact one lies; `certain` says whether that is proved."""

    low: float
    high: float
    certain: bool = True

    @property
    def note(self) -> str:
        """What qualifies the value, in words; empty where the bounds are certain."""
        return "" if self.certain else f"{APPROXIMATE} from {self.low:.10g} to {self.high:.10g}."


def bounds(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any], value: float) -> Bounds | None:
    """What the bins of a ranking leave certain of a measure; None where it is exact, or undefined.

    Args:
        measure: The measure.
        ranking: The ranking.
        parameters: Those of the measure, and its cut.
        value: The value on the ranking itself, where the cases of a bin have no order.
    """
    pair = ranking.bracket
    if pair is None or math.isnan(value):
        return None
    data = [measure.prepare(part, parameters) for part in pair]
    if measure.needs is Needs.COUNTS and _same(*(counts for counts, _ in data)):
        return None
    own = _OWN.get(measure.name)
    if own is not None:
        return _wide(own(ranking, pair), value)
    low, high = (float(measure.compute(part, **rest)) for part, rest in data)
    if math.isnan(low) or math.isnan(high):
        return Bounds(*measure.range, certain=True) if measure.concordant else Bounds(value, value, certain=False)
    return _wide((low, high), value, certain=measure.concordant)


def _wide(ends: tuple[float, float], value: float, *, certain: bool = True) -> Bounds | None:
    """The bounds in order; none where they leave nothing open. Rounding never leaves the value outside."""
    low, high = min(*ends, value), max(*ends, value)
    return None if low == high else Bounds(float(low), float(high), certain)


def _same(one: Counts, other: Counts) -> bool:
    return bool(one.tp == other.tp and one.fp == other.fp)


# ---------------------------------------------------------------------- measures with bounds of their own


def _ks(_: Ranking, pair: Bracket) -> tuple[float, float]:
    """The larger of two one-sided distances: one can only gain from a concordant swap, the other only lose."""
    above, below = zip(*((j.max(), (-j).max()) for j in map(youden_of_all_cuts, pair)), strict=True)
    return max(above[0], below[1]), max(above[1], below[0])


def _tied_pairs(r: Ranking, pair: Bracket) -> tuple[float, float]:
    """Cells of one score are tied for certain; at most, all cases of a bin are."""
    return pair.low.pairs.tied / pair.low.pairs.every, r.pairs.tied / r.pairs.every


def _average_precision(r: Ranking, _: Bracket) -> tuple[float, float]:
    """The precision at a positive of a bin: at least with all negatives of the bin above, at most with none."""
    first, last = r.reach  # type: ignore[misc]
    mixed = first != last
    pos, neg = r.floats
    tp, fp = r.tp[:-1].astype(float), r.fp[:-1].astype(float)
    least = np.where(mixed, tp + (1.0 if r.integral else 0.0), tp + pos)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Precision is concave in the number of positives above, so that its mean is above that of its two ends.
        at_end = np.nan_to_num((tp + pos) / (tp + pos + fp + neg))
        low = np.where(mixed, (np.nan_to_num(least / (least + fp + neg)) + at_end) / 2, at_end)
        high = np.where(mixed, np.nan_to_num((tp + pos) / (tp + pos + fp)), at_end)
    return float(dot(pos, low) / r.positives), float(dot(pos, high) / r.positives)


def _oe_ratio(r: Ranking, _: Bracket) -> tuple[float, float]:
    """Observed over expected: the sum of the scores lies between those of the ends of the bins."""
    first, last = (np.asarray(end, float) for end in r.reach)  # type: ignore[union-attr]
    size = r.size.astype(float)
    return float(r.positives / dot(size, first)), float(r.positives / dot(size, last))


_OWN: dict[str, Callable[[Ranking, Bracket], tuple[float, float]]] = {
    "ks": _ks,
    "tied_pairs": _tied_pairs,
    "average_precision": _average_precision,
    "oe_ratio": _oe_ratio,
}
