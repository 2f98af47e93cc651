"""Charts over periods: a measure day by day, the scores of two periods, and a quota in each period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import cutline.charts.vega_lite as alt
from cutline.charts.layers import Frame, Series, combine_layers, draw_lines, encode_axes, list_rows
from cutline.charts.picture import Picture, finish
from cutline.charts.theme import DASHES, DOTTED, Theme, find_theme
from cutline.charts.vega_lite import make_data
from cutline.core.array_ops import Array

WIDTH, HEIGHT = 520, 280
_DAY, _SO_FAR, _RELEASE, _LIMIT = "each day", "all days so far", "release", "limit"
_POINTS = " (points)"  # in the legend, whose symbols are lines
_A_YEAR = 300  # days, from which on the axis names months and years
_MOST_POINTS = 60  # days that are marked one by one; more become a line


def draw_monitoring(rows: Sequence[Mapping[str, Any]], title: str, subtitle: str, theme: str = "light") -> Picture:
    """Draw a measure over the days: each day, the days so far with their confidence sequence, release and alarms.

    Args:
        rows: The rows of the monitor's table for one measure.
        title: What the measure is called.
        subtitle: What the band or the limit is.
        theme: "light", "dark" or "print".
    """
    chosen = find_theme(theme)
    values = [dict(row) for row in rows if row["value"] is not None or row["cumulated"] is not None]
    x = _encode_days(values)
    y = alt.Y("y:Q", title=title, scale=alt.Scale(zero=False))
    each_day = _DAY + _POINTS if len(values) <= _MOST_POINTS else _DAY
    names = [each_day, _SO_FAR]
    has = {
        name: any(row[key] is not None for row in values) for name, key in ((_RELEASE, "release"), (_LIMIT, "limit"))
    }
    names += [name for name in (_RELEASE, _LIMIT) if has[name]]
    colours = {each_day: chosen.reference, _SO_FAR: chosen.colour(0), _RELEASE: chosen.text, _LIMIT: chosen.colour(1)}
    dashes = {each_day: [1, 0], _SO_FAR: [1, 0], _RELEASE: [6, 4], _LIMIT: list(DOTTED)}
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
        legend=alt.Legend(title=None, orient="bottom", symbolType="stroke", symbolSize=300),
    )
    dash = alt.StrokeDash(
        "series:N", scale=alt.Scale(domain=names, range=[dashes[name] for name in names]), legend=None
    )

    def series(name: str, key: str) -> list[dict[str, Any]]:
        return [{"day": row["day"], "y": row[key], "series": name} for row in values if row[key] is not None]

    band = [{"day": row["day"], "low": row["low"], "high": row["high"]} for row in values if row["low"] is not None]
    lines = [*series(_SO_FAR, "cumulated"), *series(_RELEASE, "release"), *series(_LIMIT, "limit")]
    daily = alt.Chart(make_data(series(each_day, "value")))
    marked = (
        daily.mark("point", filled=True, size=18)
        if len(values) <= _MOST_POINTS
        else daily.mark("line", strokeWidth=0.7)
    )
    layers = [
        alt.Chart(make_data(band))
        .mark("area", opacity=0.2, color=chosen.colour(0))
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        marked.encode(x=x, y=y, color=colour),
        alt.Chart(make_data(lines)).mark("line", strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash),
    ]
    # Words stand on the side where there is room: left of an early alarm they would be cut off.
    half = (len(values) + 1) // 2
    for side, away, part in (("left", 5, values[:half]), ("right", -5, values[half:])):
        days = [row["day"] for row in part if row["alarm"]]
        if days:
            at = alt.Chart(make_data([{"day": day, "text": f"alarm {day}"} for day in days]))
            layers.append(at.mark("rule", color=chosen.colour(1), strokeWidth=2).encode(x=x))
            words = at.mark("text", align=side, dx=away, y=10, fontWeight="bold", color=chosen.colour(1))
            layers.append(words.encode(x=x, text=alt.Text("text:N")))
    heading = alt.title(title, subtitle=subtitle)
    return _make_picture(layers, heading, chosen)


def _encode_days(rows: Sequence[Mapping[str, Any]]) -> alt.Spec:
    """Encode the days: as dates if all names are dates, in order otherwise."""
    try:
        days = [date.fromisoformat(row["day"]) for row in rows]
    except ValueError:
        axis = alt.Axis(labelOverlap="greedy", labelAngle=0)
        return alt.X("day:O", title=None, sort=[row["day"] for row in rows], axis=axis)
    by_day = not days or (max(days) - min(days)).days <= _A_YEAR
    axis = alt.Axis(labelOverlap="greedy", labelAngle=0, tickCount=5, format="%d %b" if by_day else "%b %Y")
    return alt.X("day:T", title=None, axis=axis)


def draw_drift(
    edges: Sequence[tuple[float, float]], shares: Mapping[str, Sequence[float]], title: str, theme: str = "light"
) -> Picture:
    """Draw the distributions of scores of two periods, as densities over common bins.

    Args:
        edges: Where each bin starts and ends.
        shares: The share of the cases in each bin, by the name of the period.
        title: The heading.
        theme: "light", "dark" or "print".
    """
    chosen, names = find_theme(theme), list(shares)
    rows = []
    for name in names:
        heights = [share / (end - start) for share, (start, end) in zip(shares[name], edges, strict=True)]
        points = [(edges[0][0], 0.0)]
        for height, (start, end) in zip(heights, edges, strict=True):
            points += [(start, height), (end, height)]
        points.append((edges[-1][1], 0.0))
        rows += [{"x": x, "y": y, "series": name, "place": i} for i, (x, y) in enumerate(points)]
    dashes = [[1, 0], [6, 3]]
    domain = alt.Scale(domain=names, range=[chosen.colour(i) for i in range(len(names))])
    colour = alt.Color("series:N", scale=domain, legend=alt.Legend(title=None, orient="bottom", symbolType="stroke"))
    line = (
        alt.Chart(make_data(rows))
        .mark("line", strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title="Score", scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("y:Q", title="Density"),
            color=colour,
            strokeDash=alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=dashes), legend=None),
            order=alt.Order("place:Q"),
        )
    )
    return _make_picture([line], alt.title(title), chosen, name="drift")


def _make_picture(layers: list[Any], title: alt.Spec, theme: Theme, name: str = "monitor") -> Picture:
    return finish(name, alt.layer(layers, title=title, width=WIDTH, height=HEIGHT), theme)


_TITLES = {"hit_rate": "Hit rate", "qrecall": "Qrecall"}


def draw_quota_curve(
    columns: Mapping[str, Array],
    measure: str,
    by: str,
    subtitle: str,
    *,
    quota: int | None,
    level: float,
    theme: str,
) -> Picture:
    """Draw the pooled measure over the quota per period, with its band.

    Args:
        columns: The columns of the curve: quota, the measure, its limits, a random order and the optimum.
        measure: The measure.
        by: What the periods are called.
        subtitle: What was evaluated, in words.
        quota: The quota that was evaluated, which is marked; None where the periods have several.
        level: The level of the band.
        theme: "light", "dark" or "print".
    """
    chosen, x, title = find_theme(theme), columns["quota"].astype(float), _TITLES[measure]
    frame = Frame(
        x=f"Quota per {by}",
        y=f"{title}, pooled",
        x_domain=(1.0, float(x.max())),
        y_domain=(0.0, 1.0),
        title=f"{title} of a quota in each {by}",
        subtitle=[subtitle, f"Shaded: {100 * level:g} % interval of each quota, between periods"],
        clip=True,
    )
    series = [
        Series(f"{title}, pooled", {"x": x, "y": columns[measure]}, chosen.colour(0), DASHES[0]),
        Series("perfect order", {"x": x, "y": columns["optimum"]}, chosen.reference, DASHES[1], 1.5),
        Series("random order", {"x": x, "y": columns["random_order"]}, chosen.reference, DOTTED, 1.5),
    ]
    band = alt.Chart(make_data(list(list_rows({"x": x, "y": columns["low"], "y2": columns["high"]}))))
    band = band.mark("area", opacity=0.2, line=False, color=chosen.colour(0), clip=True)
    layers = [band.encode(**encode_axes(frame), y2=alt.Y2("y2:Q")), *draw_lines(series, frame)]
    if quota is not None:
        rule = alt.Chart(make_data([{"x": float(quota), "name": f"quota {quota}"}]))
        rule = rule.mark("rule", color=chosen.text, strokeDash=[4, 3])
        layers.append(rule.encode(x=alt.X("x:Q"), tooltip=[alt.Tooltip("name:N", title="Line")]))
    return finish(f"quota_periods_{measure}", combine_layers(layers, frame), chosen)
