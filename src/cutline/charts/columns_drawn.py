"""A chart of finished columns over one x: what utility curves and gains tables are drawn with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from cutline.charts.parts import Frame, Series, axes, layered, line_layers, rows
from cutline.charts.picture import Picture, inline
from cutline.charts.theme import DASHES, themed
from cutline.core.ranking import Array


def drawn(
    name: str,
    columns: Mapping[str, Array],
    *,
    x: str,
    lines: Sequence[str],
    beside: Sequence[str] = (),
    y_domain: tuple[float, float] | None = None,
    theme: str = "light",
) -> Picture:
    """Lines over x, with a band where there are columns `low` and `high`.

    Args:
        name: The title.
        columns: The columns, by name.
        x: The column of the horizontal axis.
        lines: The columns that are drawn in colour.
        beside: The columns that are drawn as references.
        y_domain: From where to where the vertical axis goes; as far as the lines by default.
        theme: "light", "dark" or "print".
    """
    chosen = themed(theme)
    values = np.concatenate([columns[one] for one in (*lines, *(n for n in ("low", "high") if n in columns))])
    values = values[np.isfinite(values)]
    low, high = y_domain or (float(min(values.min(), 0)), float(values.max()))
    frame = Frame(
        x=_words(x),
        y=_words(lines[0]),
        x_domain=(float(np.min(columns[x])), float(np.max(columns[x]))),
        y_domain=(low, high if high > low else low + 1.0),
        title=name,
        clip=True,
    )
    series = [
        Series(_words(one), {"x": columns[x], "y": columns[one]}, chosen.colour(i), DASHES[i])
        for i, one in enumerate(lines)
    ]
    series += [
        Series(_words(one), {"x": columns[x], "y": columns[one]}, chosen.reference, DASHES[1 + i], 1.5)
        for i, one in enumerate(beside)
    ]
    layers: list[Any] = []
    if "low" in columns:
        band = rows({"x": columns[x], "y": columns["low"], "y2": columns["high"]})
        area = alt.Chart(inline(list(band))).mark_area(opacity=0.2, line=False, color=chosen.colour(0), clip=True)
        layers.append(area.encode(**axes(frame), y2=alt.Y2("y2:Q")))
    made = layered([*layers, *line_layers(series, frame)], frame)
    made.config = alt.Config(**chosen.config())
    return Picture(name.lower().replace(" ", "_"), made)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
