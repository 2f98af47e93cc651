"""Intervals of values that bins leave open: limits that hold wherever inside its bracket the exact value lies."""

from __future__ import annotations

from dataclasses import replace

from cutline.measures.bin_brackets import Bounds
from cutline.results.estimate import Estimate

_NEGLIGIBLE = 0.05  # of the width of an interval: what bins leave open below that is within its own uncertainty
WIDENED = "The limits are widened by what the bins leave open of the value."


def widened(one: Estimate, open_to: Bounds | None, allowed: tuple[float, float]) -> Estimate:
    """The estimate with limits that allow for the bracket of its value, where that matters.

    Args:
        one: The estimate of the value with the cases of each bin tied.
        open_to: Between which values the exact one lies.
        allowed: The range of the measure.
    """
    if open_to is None or not one.has_interval:
        return one
    below, above = one.value - open_to.low, open_to.high - one.value
    if not below + above > _NEGLIGIBLE * (one.high - one.low):
        return one
    low, high = max(one.low - below, float(allowed[0])), min(one.high + above, float(allowed[1]))
    return replace(one, low=low, high=high, notes=(*one.notes, WIDENED))
