"""The few charts that the studies need, drawn in the colours of the other charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from cutline.charts import LIGHT, Picture
from cutline.charts.theme import DASHES

_WIDTH, _HEIGHT = 520, 300


def draw_lines(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    series: str,
    title: str,
    subtitle: Sequence[str] = (),
    log_x: bool = False,
    ticks: Sequence[float] | None = None,
    legend_below: bool = False,
    band: tuple[str, str] | None = None,
    y_domain: tuple[float, float] | None = None,
    facet: str | None = None,
) -> Picture:
    """Draw lines over a common axis, one for each series, with a band where two columns give its limits.

    Ticks are those that are named; a legend of long names stands below the lines.
    """
    names = list(dict.fromkeys(str(row[series]) for row in rows))
    colours = [LIGHT.colour(i) for i in range(len(names))]
    legend = alt.Legend(orient="bottom", columns=1, labelLimit=600) if legend_below else alt.Legend()
    colour = alt.Color(f"{series}:N", scale=alt.Scale(domain=names, range=colours), sort=names, legend=legend)
    dash = alt.StrokeDash(
        f"{series}:N",
        scale=alt.Scale(domain=names, range=[list(DASHES[i]) for i in range(len(names))]),
        legend=legend,
    )
    scale = alt.Scale(type="log", nice=False) if log_x else alt.Scale(zero=False, nice=False)
    axis = alt.Axis() if ticks is None else alt.Axis(values=list(ticks), format=",~r" if max(ticks) > 1 else "~%")
    across = alt.X(f"{x}:Q", scale=scale, axis=axis)
    up = alt.Y(f"{y}:Q", scale=alt.Scale(domain=list(y_domain)) if y_domain else alt.Scale(zero=False))
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))
    layers = [base.mark_line(strokeWidth=2).encode(x=across, y=up, color=colour, strokeDash=dash)]
    if band is not None:
        area = base.mark_area(opacity=0.15).encode(
            x=across, y=alt.Y(f"{band[0]}:Q", title=y), y2=f"{band[1]}:Q", color=colour
        )
        layers.insert(0, area)
    size = {"width": _WIDTH // 2, "height": _HEIGHT * 2 // 3} if facet else {"width": _WIDTH, "height": _HEIGHT}
    chart = alt.layer(*layers).properties(**size)
    whole = chart.facet(facet=alt.Facet(f"{facet}:N", title=None), columns=2) if facet else chart
    return _finish(whole, title, subtitle)


def draw_bars(
    rows: Sequence[Mapping[str, Any]], *, x: str, y: str, title: str, subtitle: Sequence[str] = (), group: str = ""
) -> Picture:
    """Draw horizontal bars, one for each name, in the order of the rows; with `group`, several bars side by side."""
    order = list(dict.fromkeys(str(row[y]) for row in rows))
    are_counts = all(isinstance(row[x], int) for row in rows)
    encoding: dict[str, Any] = {
        "x": alt.X(f"{x}:Q", axis=alt.Axis(tickMinStep=1) if are_counts else alt.Undefined),
        "y": alt.Y(f"{y}:N", sort=order, title=None, axis=alt.Axis(labelLimit=420)),
    }
    if group:
        names = list(dict.fromkeys(str(row[group]) for row in rows))
        scale = alt.Scale(domain=names, range=[LIGHT.colour(i) for i in range(len(names))])
        encoding |= {
            "color": alt.Color(f"{group}:N", scale=scale, sort=names),
            "yOffset": alt.YOffset(f"{group}:N", sort=names),
        }
    else:
        encoding["color"] = alt.value(LIGHT.colour(0))
    chart = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).mark_bar().encode(**encoding)
    return _finish(chart.properties(width=_WIDTH, height=alt.Step(12 if group else 18)), title, subtitle)


def draw_points(
    rows: Sequence[Mapping[str, Any]], *, x: str, y: str, series: str, title: str, subtitle: Sequence[str] = ()
) -> Picture:
    """Draw points against the diagonal on which both numbers are equal."""
    names = list(dict.fromkeys(str(row[series]) for row in rows))
    scale = alt.Scale(domain=names, range=[LIGHT.colour(i) for i in range(len(names))])
    values = [float(row[name]) for row in rows for name in (x, y)]
    low, high = min(values), max(values)
    data = alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))
    dots = data.mark_point(size=50, filled=True, opacity=0.8).encode(
        x=alt.X(f"{x}:Q", scale=alt.Scale(domain=[low, high], nice=True)),
        y=alt.Y(f"{y}:Q", scale=alt.Scale(domain=[low, high], nice=True)),
        color=alt.Color(f"{series}:N", scale=scale, sort=names),
        shape=alt.Shape(f"{series}:N", scale=alt.Scale(domain=names), sort=names),
        tooltip=[alt.Tooltip(f"{name}:{'Q' if name in (x, y) else 'N'}") for name in rows[0]],
    )
    ends = alt.InlineData(values=[{x: low, y: low}, {x: high, y: high}])
    diagonal = alt.Chart(ends).mark_line(color=LIGHT.reference, strokeDash=[4, 4]).encode(x=f"{x}:Q", y=f"{y}:Q")
    return _finish(alt.layer(diagonal, dots).properties(width=360, height=360), title, subtitle)


def _finish(chart: Any, title: str, subtitle: Sequence[str]) -> Picture:
    heading = alt.TitleParams(title, subtitle=list(subtitle)) if subtitle else title
    return Picture("study", chart.properties(title=heading).configure(**LIGHT.config()))
