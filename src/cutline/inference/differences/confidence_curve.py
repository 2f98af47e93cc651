"""The confidence curve of a difference: every interval at once (Berrar 2017)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutline.core.ranking import Array
from cutline.core.table import Table, p_shown, shown
from cutline.inference.differences.difference import Difference
from cutline.results.method_titles import method_title

_LEVELS = np.concatenate((np.arange(100) / 100, [0.995, 0.999]))


@dataclass(frozen=True, eq=False)
class ConfidenceCurve:
    """The limits of the interval at every level, from the lowest lower limit to the highest upper one.

    `x` is a true difference and `y` its p-value, 1 minus the level of the interval that ends there; the curve peaks at
    the difference that was observed, with resamples at their median. Where y is at least 0.05 is the 95 % interval.
    """

    measure: str
    value: float
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    p_value: float
    method: str
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> Array:
        """The level of the interval that ends at each x."""
        return 1 - self.y

    @property
    def table(self) -> Table:
        """The points of the curve."""
        points = zip(self.x.tolist(), self.level.tolist(), self.y.tolist(), strict=True)
        return Table(("difference", "level", "p_value"), tuple(points))

    def to_dict(self) -> dict[str, Any]:
        """Return the curve, ready for JSON."""
        return {
            "measure": self.measure,
            "value": self.value if math.isfinite(self.value) else None,
            "p_value": self.p_value if math.isfinite(self.p_value) else None,
            "method": self.method,
            "points": self.table.to_dict(),
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the points as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def __repr__(self) -> str:
        head = f"Confidence curve of {self.measure}: {shown(self.value)}, {len(self.x)} points"
        test = f"p {p_shown(self.p_value)} for no difference ({method_title(self.method)})"
        return "\n".join([f"{head}, {test}", *(f"  note: {note}" for note in self.notes)])


def confidence_curve(measure: str, difference: Difference, method: str, notes: tuple[str, ...] = ()) -> ConfidenceCurve:
    """Return the curve of a difference, from its intervals at the levels 0 to 0.999; empty when it has none."""
    limits = np.array([difference.interval(level) for level in _LEVELS])
    known = ~np.isnan(limits).any(axis=1)
    limits, levels = limits[known], _LEVELS[known]
    x, y = np.concatenate((limits[::-1, 0], limits[:, 1])), 1 - np.concatenate((levels[::-1], levels))
    return ConfidenceCurve(measure, difference.value, x, y, difference.p_value(), method, notes)
