"""Bounds of a measure of binned scores: its certified bracket, or that it is approximate and by how much.

A measure that can only gain when a positive moves up past a negative (`Measure.concordant`) has its exact value between
its values on the two rankings of the bracket. A few others have bounds of their own, below. Of the rest, the values on
the two extreme orders show how far off the value may be, but do not prove it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import dot
from cutline.core.caching import forget
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking
from cutline.core.table import format_bracket
from cutline.measures.forms import CurvePoint
from cutline.measures.measure_type import Measure
from cutline.measures.registry import Needs
from cutline.measures.roc import compute_youden

APPROXIMATE = "The value is approximate, because the scores were binned: with other orders inside the bins it was found"


class Bounds(NamedTuple):
    """The lowest and the highest value that the exact one can have; `certain` says whether that is proved."""

    low: float
    high: float
    certain: bool = True

    @property
    def note(self) -> str:
        """Note on the value; empty if the bounds are certain."""
        if self.certain:
            return ""
        if self.low == self.high:
            return "The value is approximate, because the scores were binned; nothing tells how far off it is."
        return f"{APPROXIMATE} from {self.low:.10g} to {self.high:.10g}."

    @property
    def statement(self) -> str:
        """Sentence on the bounds, for results without a column for them."""
        return self.note or f"The scores were binned: the exact value is from {format_bracket(self.low, self.high)}."


def bound_measure(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any], value: float) -> Bounds | None:
    """Return the certified bounds of a measure of a binned ranking; None where it is exact or undefined.

    Args:
        measure: The measure.
        ranking: The ranking.
        parameters: Those of the measure, and its cut.
        value: The value on the ranking itself, where the cases of a bin have no order.
    """
    return bound_measures([(measure, parameters, value)], ranking)[0]


def bound_measures(terms: Sequence[tuple[Measure, Mapping[str, Any], float]], ranking: Ranking) -> list[Bounds | None]:
    """Return the certified bounds of several measures, each with its parameters and its value.

    The two ends of the bracket are made one after the other, because each may take twice the memory of the
    ranking.
    """
    if ranking.reach is None or not (ranking.reach[0] != ranking.reach[1]).any():
        return [None] * len(terms)
    forget(ranking)
    ends = [
        _evaluate_extreme_order(terms, ranking, ranking.extreme(first_pos=first_pos)) for first_pos in (False, True)
    ]
    return [_combine_extremes(term, low, high) for term, low, high in zip(terms, *ends, strict=True)]


def _evaluate_extreme_order(
    terms: Sequence[tuple[Measure, Mapping[str, Any], float]], ranking: Ranking, part: Ranking
) -> list[Any]:
    """Return what each measure gives for one of the two extreme orders inside the bins."""

    def evaluate(term: tuple[Measure, Mapping[str, Any], float]) -> Any:
        return _evaluate_measure(term[0], part, term[1], ranking)

    count = 0 if part.is_long else len(part)  # of a long one each measure takes several columns
    return map_parallel(evaluate, terms, count)


def _evaluate_measure(measure: Measure, part: Ranking, parameters: Mapping[str, Any], ranking: Ranking) -> Any:
    """Return the value of a measure for one of the extreme orders, with the counts of a measure of one cut."""
    data, rest = measure.prepare(part, parameters)
    if measure.name in _OWN:
        return _OWN[measure.name](part, ranking)
    counts = (float(data.tp), float(data.fp)) if measure.needs is Needs.COUNTS else None
    return counts, float(measure.compute(data, **rest))


def _combine_extremes(term: tuple[Measure, Mapping[str, Any], float], first_end: Any, other_end: Any) -> Bounds | None:
    measure, _, value = term
    if math.isnan(value):
        return None
    if measure.name in _OWN:
        return _make_bounds(
            _COMBINED[measure.name](first_end, other_end) if measure.name in _COMBINED else first_end, value
        )
    (counts, low), (same, high) = first_end, other_end
    if counts is not None and counts == same and low == high == value:  # no bin straddles the cut
        return None
    if isinstance(measure.form, CurvePoint) and measure.form.is_searched and not math.isnan(high):
        # The cuts between the bins are cuts of the cases too, and none inside a bin is better than with its positives
        # first.
        return _make_bounds((value, high), value)
    if math.isnan(low) or math.isnan(high):
        return Bounds(*measure.range) if measure.concordant else Bounds(value, value, certain=False)
    return _make_bounds((low, high), value, certain=measure.concordant)


def _make_bounds(ends: tuple[float, float], value: float, *, certain: bool = True) -> Bounds | None:
    """Return the bounds in order; none where they leave nothing open. Rounding never leaves the value outside."""
    low, high = min(*ends, value), max(*ends, value)
    return None if low == high and certain else Bounds(float(low), float(high), certain)


# ---------------------------------------------------------------------- measures with bounds of their own


def _bound_ks(part: Ranking, _: Ranking) -> tuple[float, float]:
    """Return the bounds of two one-sided distances: one can only gain from a concordant swap, the other only lose."""
    j = compute_youden(part)
    return float(j.max()), float((-j).max())


def _bound_tied_pairs(part: Ranking, r: Ranking) -> tuple[float, float]:
    """Return the bounds of the tied pairs: cells of one score are tied for certain; at most, all cases of a bin are."""
    return float(part.pairs.tied / part.pairs.every), float(r.pairs.tied / r.pairs.every)


def _bound_average_precision(_: Ranking, r: Ranking) -> tuple[float, float]:
    """Return the precision at a positive of a bin: at least with all negatives of the bin above, at most with none."""
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


def _bound_oe_ratio(_: Ranking, r: Ranking) -> tuple[float, float]:
    """Return the bounds of observed over expected: the sum of the scores lies between the sums of the ends of the
    bins.
    """
    first, last = (np.asarray(end, float) for end in r.reach)  # type: ignore[union-attr]
    size = r.size.astype(float)
    return float(r.positives / dot(size, first)), float(r.positives / dot(size, last))


# What is found at an end of the bracket, from that end and from the bins; and what the two ends say together, where
# each of them does not say it alone.
_OWN: dict[str, Callable[[Ranking, Ranking], tuple[float, float]]] = {
    "ks": _bound_ks,
    "tied_pairs": _bound_tied_pairs,
    "average_precision": _bound_average_precision,
    "oe_ratio": _bound_oe_ratio,
}
_COMBINED: dict[str, Callable[[Any, Any], tuple[float, float]]] = {
    "ks": lambda low, high: (max(low[0], high[1]), max(high[0], low[1])),
}
