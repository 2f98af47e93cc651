"""A chart of the finished columns of a utility curve over one x."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.layers import Frame, Series, axes, layered, line_layers, rows
from cutline.charts.marks import Mark, mark_layers
from cutline.charts.picture import Picture, inline
from cutline.charts.theme import DASHES, DOTTED, Theme, themed
from cutline.core.ranking import Array
from cutline.curves import Point
from cutline.curves.utility_words import EVERYBODY, NOBODY, WORDINGS, Wording, best_quota_told, shaded
from cutline.results.estimate import Estimate

_LIMITS = ("low", "high")
_NO_HEIGHTS = ("p_value", "threshold")  # columns of the table that are no heights
_REFERENCES = {"flag_everybody": (EVERYBODY, DASHES[1]), "flag_nobody": (NOBODY, DOTTED)}
_LINES = {"at_threshold": "at the threshold"}


def column_chart(
    title: str,
    columns: Mapping[str, Array],
    *,
    level: float | None = None,
    best: Estimate | None = None,
    theme: str = "light",
) -> Picture:
    """Draw the curve in the second column over the first, with its band, its references and its best place.

    Args:
        title: The title.
        columns: The columns, by name: x, the curve, and what belongs to it.
        level: The level of the band, if there is one.
        best: The best place on the x axis, if there is one.
        theme: "light", "dark" or "print".
    """
    x, *others = columns
    lines = [name for name in others if name not in (*_REFERENCES, *_LIMITS, *_NO_HEIGHTS)]
    words, chosen = WORDINGS[lines[0]], themed(theme)
    at = columns[x]
    heights = {name: words.scale * columns[name] for name in others if name not in _NO_HEIGHTS}
    frame = Frame(
        x=words.x,
        y=words.y,
        x_domain=(float(at.min()), float(at.max())),
        y_domain=_domain([heights[name] for name in (*lines, *_LIMITS) if name in heights], words),
        title=title,
        subtitle=[
            *([f"Best quota {best_quota_told(best)}"] if best is not None else []),
            *([shaded(level)] if level is not None and "low" in columns else []),
        ],
        clip=True,
    )
    series = [
        Series(_LINES.get(name, words.y), {"x": at, "y": heights[name]}, chosen.colour(i), DASHES[i])
        for i, name in enumerate(lines)
    ]
    series += _references(at, heights, words, chosen)
    layers = [*_band(at, heights, frame, chosen), *line_layers(series, frame)]
    if best is not None:
        top = Point(float("nan"), best.value, float(np.interp(best.value, at, heights[lines[0]])))
        layers += mark_layers([Mark("best quota", top, "diamond", chosen.colour(0))], frame, chosen)
    made = layered(layers, frame)
    made.config = alt.Config(**chosen.config())
    return Picture(title.lower().replace(" ", "_"), made)


def _domain(heights: Sequence[Array], words: Wording) -> tuple[float, float]:
    """Return the range of the axis: from the lowest to the highest value, with 0 included; deep falls are cut off."""
    values = np.concatenate(heights)
    values = values[np.isfinite(values)]
    low, high = float(min(values.min(), 0)), float(max(values.max(), 0))
    if words.floor is not None and high > 0:
        low = max(low, -words.floor * high)
    return low, high if high > low else low + 1.0


def _references(at: Array, heights: Mapping[str, Array], words: Wording, theme: Theme) -> list[Series]:
    made = [
        Series(label, {"x": at, "y": heights[name]}, theme.reference, dash, 1.5)
        for name, (label, dash) in _REFERENCES.items()
        if name in heights
    ]
    if words.zero is not None:
        made.append(Series(words.zero, {"x": at[[0, -1]], "y": np.zeros(2)}, theme.reference, DOTTED, 1.5))
    return made


def _band(at: Array, heights: Mapping[str, Array], frame: Frame, theme: Theme) -> list[Any]:
    if "low" not in heights:
        return []
    data = rows({"x": at, "y": heights["low"], "y2": heights["high"]})
    area = alt.Chart(inline(list(data))).mark_area(opacity=0.2, line=False, color=theme.colour(0), clip=True)
    return [area.encode(**axes(frame), y2=alt.Y2("y2:Q"))]
