"""Marked points and straight lines across a chart that do not hide each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cutline.charts.vega_lite as alt
from cutline.charts.layers import (
    CUT,
    Evaluated,
    Frame,
    VerticalLine,
    clip_to_axis,
    encode_axes,
    encode_fading,
    label_line,
    make_line_legend,
)
from cutline.charts.theme import PRINT, Theme
from cutline.charts.vega_lite import count_digits, format_rule, make_data, round_value
from cutline.curves import Curve, Point


@dataclass(frozen=True)
class Mark:
    """A point of a chart with its name in the legend; `original` is the point before the axes were transformed.

    `model` is the name of its model, if there are several. `series` is the line of a cut; the cuts are on their own
    layer.
    """

    name: str
    point: Point
    shape: str
    colour: str
    original: Point | None = None
    model: str | None = None
    series: str | None = None


MarkGroup = tuple[Mark, ...]
CUT_DASH = [4, 3]


def list_cut_marks(
    models: Mapping[str, Evaluated],
    curves: Mapping[str, Curve],
    theme: Theme,
    names: Sequence[str] | None = None,
    **parameters: Any,
) -> list[Mark]:
    """Return the cut of each model, in the colour of its line if there are several.

    `names` replaces the names of the lines in the legend; the parameters are those of the curves.
    """
    several = len(models) > 1
    lines = names or [label_line(name, curves[name], len(models)) for name in models]
    return [
        Mark(
            "cut" if several else f"cut: {format_rule(model.ranking, model.threshold)}",
            curves[name].kind.locate(model.ranking, model.threshold, **parameters),
            "circle",
            theme.colour(i) if several else theme.text,
            model=name if several else None,
            series=lines[i],
        )
        for i, (name, model) in enumerate(models.items())
        if theme.name != PRINT.name or _is_chosen(model)
    ]


def _is_chosen(model: Evaluated) -> bool:
    """Whether the user chose the cut; a figure for print shows no other."""
    cut = getattr(model, "cut", None)
    return cut is None or not cut.is_default


# ---------------------------------------------------------------------- layers


def draw_marks(marks: Sequence[Mark], frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw marks, with a legend of their shapes, and leave out undefined points.

    The cuts are on their own layer, with data named "cut", so that a program can move them. It exists even if no cut
    has a place.
    """
    placed = [mark for mark in marks if math.isfinite(mark.point.x) and math.isfinite(mark.point.y)]
    cuts = group_marks([mark for mark in placed if mark.series is not None])
    others = group_marks([mark for mark in placed if mark.series is None])
    data = [
        _make_row(place, theme) | {"size": size}
        for place, size in zip([*others, *cuts], choose_sizes([*others, *cuts], frame), strict=True)
    ]
    layers = _draw_cuts(data[len(others) :], frame, theme) if any(mark.series is not None for mark in marks) else []
    layers += _draw_others(others, data[: len(others)], frame)
    return [layer.drawn_from(() if i else tuple(placed)) for i, layer in enumerate(layers)]


def _draw_cuts(data: Sequence[dict[str, Any]], frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the chosen cuts as rings with a halo, which fade with their line when another is picked in the legend."""
    rows = make_data(_sort_by_size(data), name=CUT)
    encoding = {
        **encode_axes(frame),
        "size": alt.Size("size:Q", scale=None, legend=None),
        "opacity": encode_fading(frame),
    }
    ring: dict[str, Any] = {"shape": "circle", "filled": False}
    halo = alt.Chart(rows).mark("point", **ring, strokeWidth=5, stroke=theme.ground)
    dot = alt.Chart(rows).mark("point", **ring, strokeWidth=2.5)
    names = list(dict.fromkeys(row["mark"] for row in data))
    legend = alt.Legend(title=None, symbolStrokeColor=theme.text) if names else None
    shape = alt.Shape("mark:N", scale=alt.Scale(domain=names, range=["circle"]), legend=legend, sort=None)
    return [
        halo.encode(**encoding),
        dot.encode(
            **encoding,
            **({"shape": shape} if names else {}),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            tooltip=_mark_tooltips(data, frame),
        ),
    ]


def _draw_others(places: Sequence[MarkGroup], data: Sequence[dict[str, Any]], frame: Frame) -> list[Any]:
    """Draw named points that are no cuts."""
    if not places:
        return []
    looks = {row["mark"]: (place[0].shape, row["colour"]) for place, row in zip(places, data, strict=True)}
    legend = alt.Legend(title=None)
    shape = alt.Scale(domain=list(looks), range=[shape for shape, _ in looks.values()])
    colour = alt.Scale(domain=list(looks), range=[colour for _, colour in looks.values()])
    layer = (
        alt.Chart(make_data(_sort_by_size(data)))
        .mark("point", strokeWidth=2, filled=False, opacity=1)
        .encode(
            **encode_axes(frame),
            shape=alt.Shape("mark:N", scale=shape, legend=legend, sort=None),
            stroke=alt.Stroke("mark:N", scale=colour, legend=legend, sort=None),
            size=alt.Size("size:Q", scale=None, legend=None),
            tooltip=_mark_tooltips(data, frame),
        )
    )
    return [layer]


def _sort_by_size(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort the rows for drawing, the small marks on top."""
    return sorted(data, key=lambda row: -float(row["size"]))


def _mark_tooltips(data: Sequence[dict[str, Any]], frame: Frame) -> list[alt.Spec]:
    return [
        alt.Tooltip("mark:N", title="Point"),
        *([alt.Tooltip("model:N", title="Model")] if any("model" in row for row in data) else []),
        alt.Tooltip("threshold:N", title="Threshold"),
        alt.Tooltip("told_x:Q", title=frame.x, format=".4~f"),
        alt.Tooltip("told_y:Q", title=frame.y, format=".4~f"),
    ]


def _make_row(place: MarkGroup, theme: Theme) -> dict[str, Any]:
    """Return the row of a place: its position, its name, and the threshold of each mark there."""
    first = place[0]
    place_of_first = first.original or first.point
    names = list(dict.fromkeys(mark.name for mark in place))
    models = [mark.model for mark in place if mark.model is not None]
    at = [mark.point.threshold for mark in place]
    texts = [f"{threshold:.{count_digits(at)}g}" for threshold in at]
    if len(set(texts)) > 1:
        texts = [f"{text} ({mark.model or mark.name})" for mark, text in zip(place, texts, strict=True)]
    return (
        {
            "mark": ", ".join(names),
            "x": clip_to_axis(first.point.x),
            "y": first.point.y,
            "colour": first.colour if len({mark.model for mark in place}) == 1 else theme.text,
            "told_x": round_value(place_of_first.x),
            "told_y": round_value(place_of_first.y),
            "threshold": ", ".join(dict.fromkeys(texts)),
        }
        | ({"model": ", ".join(models)} if models else {})
        | ({} if first.series is None else {"series": first.series})
    )


def group_marks(marks: Sequence[Mark]) -> list[MarkGroup]:
    """Return the places with marks, and the marks that share each."""
    places: list[MarkGroup] = []
    for mark in marks:
        for i, (other, *_) in enumerate(places):
            if all(math.isclose(mark.point[side], other.point[side], abs_tol=1e-9) for side in (1, 2)):
                places[i] = (*places[i], mark)
                break
        else:
            places.append((mark,))
    return places


# Marks nearer than this many pixels would lie on each other: each next one is a ring around those before.
NEAR = 11
RADIUS, WIDER, RINGS = 7.0, 3.5, 6


def choose_sizes(places: Sequence[MarkGroup], frame: Frame) -> list[float]:
    """Return the area of each mark: larger where it must be seen around marks that are near."""
    rings: list[int] = []
    at = [
        (
            _find_share(p[0].point.x, frame.x_domain) * frame.width,
            _find_share(p[0].point.y, frame.y_domain) * frame.height,
        )
        for p in places
    ]
    for i, place in enumerate(at):
        rings_nearby = {rings[j] for j in range(i) if math.dist(place, at[j]) < NEAR}
        rings.append(next((ring for ring in range(RINGS) if ring not in rings_nearby), RINGS))
    return [round(math.pi * (RADIUS + WIDER * ring) ** 2, 1) for ring in rings]


def _find_share(value: float, domain: tuple[float, float]) -> float:
    width = domain[1] - domain[0]
    return (value - domain[0]) / width if width else 0.5  # an axis of one value


def draw_rules(at: Mapping[str, float], channel: str, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw straight lines across the chart at a value of one axis, each with its name in the legend and as a
    tooltip.
    """
    data = [{"name": name, channel: value} for name, value in at.items() if math.isfinite(value)]
    if not data:
        return []
    dash = [4, 3]
    legend = make_line_legend(symbolDash=dash)
    names = [str(row["name"]) for row in data]
    stroke = alt.Stroke(
        "name:N", scale=alt.Scale(domain=names, range=[theme.text] * len(names)), legend=legend, sort=None
    )
    rule = alt.Chart(make_data(data)).mark("rule", strokeDash=dash, strokeWidth=1.2)
    side = {channel: encode_axes(frame)[channel]}
    return [rule.encode(**side, stroke=stroke, tooltip=[alt.Tooltip("name:N", title="Line")])]


def draw_cut_rule(model: Evaluated, at: float, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the chosen cut of one model as a line across the chart, on the layer of the cut."""
    name = f"cut: {format_rule(model.ranking, model.threshold)}"
    data = [{"mark": name, "x": clip_to_axis(at)}] if math.isfinite(at) else []
    legend = make_line_legend(symbolDash=CUT_DASH)
    scale = alt.Scale(domain=[name], range=[theme.text])
    rule = alt.Chart(make_data(data, name=CUT)).mark("rule", strokeDash=CUT_DASH, strokeWidth=1.5)
    stroke = alt.Stroke("mark:N", scale=scale, legend=legend if data else None, sort=None)
    rule = rule.encode(x=encode_axes(frame)["x"], stroke=stroke, tooltip=[alt.Tooltip("mark:N", title="Line")])
    return [rule.drawn_from(VerticalLine(name, clip_to_axis(at), theme.text))]
