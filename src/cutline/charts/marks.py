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
    axes,
    clip_to_axis,
    fading,
    label_line,
    line_legend,
)
from cutline.charts.theme import PRINT, Theme
from cutline.charts.vega_lite import digits, inline, plain, rule_text
from cutline.curves import Curve, Point


@dataclass(frozen=True)
class Mark:
    """A point of a chart with its name in the legend; `original` is its place before the axes were transformed.

    `model` is whose point it is, where there are several models. `series` is the line that a cut belongs to: a mark
    with one is a chosen cut, and stands on a layer of its own.
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


def cut_marks(
    models: Mapping[str, Evaluated],
    curves: Mapping[str, Curve],
    theme: Theme,
    names: Sequence[str] | None = None,
    **parameters: Any,
) -> list[Mark]:
    """Return the chosen cut of each model, in the colour of its line when there are several.

    `names` are those of the lines in the legend, if they are not those of `label_line`; the parameters are those of the
    curves.
    """
    several = len(models) > 1
    lines = names or [label_line(name, curves[name], len(models)) for name in models]
    return [
        Mark(
            "cut" if several else f"cut: {rule_text(model.ranking, model.threshold)}",
            curves[name].kind.at(model.ranking, model.threshold, **parameters),
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


def mark_layers(marks: Sequence[Mark], frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw marked points, with a legend of their shapes; those outside the chart are left out.

    The chosen cuts have a layer of their own, whose data are called "cut", so that a program can move them. It is
    there even when no cut has a place yet.
    """
    placed = [mark for mark in marks if math.isfinite(mark.point.x) and math.isfinite(mark.point.y)]
    cuts = group_marks([mark for mark in placed if mark.series is not None])
    others = group_marks([mark for mark in placed if mark.series is None])
    data = [
        _row(place, theme) | {"size": size}
        for place, size in zip([*others, *cuts], sizes([*others, *cuts], frame), strict=True)
    ]
    layers = _cut_layers(data[len(others) :], frame, theme) if any(mark.series is not None for mark in marks) else []
    layers += _other_layers(others, data[: len(others)], frame)
    return [layer.drawn_from(() if i else tuple(placed)) for i, layer in enumerate(layers)]


def _cut_layers(data: Sequence[dict[str, Any]], frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the chosen cuts as rings with a halo, which fade with their line when another is picked in the legend."""
    rows = inline(_largest_first(data), name=CUT)
    encoding = {
        **axes(frame),
        "size": alt.Size("size:Q", scale=None, legend=None),
        "opacity": fading(frame),
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


def _other_layers(places: Sequence[MarkGroup], data: Sequence[dict[str, Any]], frame: Frame) -> list[Any]:
    """Draw named points that are no cuts."""
    if not places:
        return []
    looks = {row["mark"]: (place[0].shape, row["colour"]) for place, row in zip(places, data, strict=True)}
    legend = alt.Legend(title=None)
    shape = alt.Scale(domain=list(looks), range=[shape for shape, _ in looks.values()])
    colour = alt.Scale(domain=list(looks), range=[colour for _, colour in looks.values()])
    layer = (
        alt.Chart(inline(_largest_first(data)))
        .mark("point", strokeWidth=2, filled=False, opacity=1)
        .encode(
            **axes(frame),
            shape=alt.Shape("mark:N", scale=shape, legend=legend, sort=None),
            stroke=alt.Stroke("mark:N", scale=colour, legend=legend, sort=None),
            size=alt.Size("size:Q", scale=None, legend=None),
            tooltip=_mark_tooltips(data, frame),
        )
    )
    return [layer]


def _largest_first(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows in the order of drawing: the small ones on top."""
    return sorted(data, key=lambda row: -float(row["size"]))


def _mark_tooltips(data: Sequence[dict[str, Any]], frame: Frame) -> list[alt.Spec]:
    return [
        alt.Tooltip("mark:N", title="Point"),
        *([alt.Tooltip("model:N", title="Model")] if any("model" in row for row in data) else []),
        alt.Tooltip("threshold:N", title="Threshold"),
        alt.Tooltip("told_x:Q", title=frame.x, format=".4~f"),
        alt.Tooltip("told_y:Q", title=frame.y, format=".4~f"),
    ]


def _row(place: MarkGroup, theme: Theme) -> dict[str, Any]:
    """Return the data of a place: its position, its name, and the threshold of each mark there."""
    first = place[0]
    place_of_first = first.original or first.point
    names = list(dict.fromkeys(mark.name for mark in place))
    models = [mark.model for mark in place if mark.model is not None]
    at = [mark.point.threshold for mark in place]
    texts = [f"{threshold:.{digits(at)}g}" for threshold in at]
    if len(set(texts)) > 1:
        texts = [f"{text} ({mark.model or mark.name})" for mark, text in zip(place, texts, strict=True)]
    return (
        {
            "mark": ", ".join(names),
            "x": clip_to_axis(first.point.x),
            "y": first.point.y,
            "colour": first.colour if len({mark.model for mark in place}) == 1 else theme.text,
            "told_x": plain(place_of_first.x),
            "told_y": plain(place_of_first.y),
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


def sizes(places: Sequence[MarkGroup], frame: Frame) -> list[float]:
    """Return the area of each mark: larger where it must be seen around marks that are near."""
    rings: list[int] = []
    at = [
        (_share(p[0].point.x, frame.x_domain) * frame.width, _share(p[0].point.y, frame.y_domain) * frame.height)
        for p in places
    ]
    for i, place in enumerate(at):
        rings_nearby = {rings[j] for j in range(i) if math.dist(place, at[j]) < NEAR}
        rings.append(next((ring for ring in range(RINGS) if ring not in rings_nearby), RINGS))
    return [round(math.pi * (RADIUS + WIDER * ring) ** 2, 1) for ring in rings]


def _share(value: float, domain: tuple[float, float]) -> float:
    width = domain[1] - domain[0]
    return (value - domain[0]) / width if width else 0.5  # an axis of one value


def rule_layer(at: Mapping[str, float], channel: str, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw straight lines across the chart at a value of one axis, each with its name in the legend and as a
    tooltip.
    """
    data = [{"name": name, channel: value} for name, value in at.items() if math.isfinite(value)]
    if not data:
        return []
    dash = [4, 3]
    legend = line_legend(symbolDash=dash)
    names = [str(row["name"]) for row in data]
    stroke = alt.Stroke(
        "name:N", scale=alt.Scale(domain=names, range=[theme.text] * len(names)), legend=legend, sort=None
    )
    rule = alt.Chart(inline(data)).mark("rule", strokeDash=dash, strokeWidth=1.2)
    side = {channel: axes(frame)[channel]}
    return [rule.encode(**side, stroke=stroke, tooltip=[alt.Tooltip("name:N", title="Line")])]


def cut_rule(model: Evaluated, at: float, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the chosen cut of one model as a line across the chart, on the layer of the cut."""
    name = f"cut: {rule_text(model.ranking, model.threshold)}"
    data = [{"mark": name, "x": clip_to_axis(at)}] if math.isfinite(at) else []
    legend = line_legend(symbolDash=CUT_DASH)
    scale = alt.Scale(domain=[name], range=[theme.text])
    rule = alt.Chart(inline(data, name=CUT)).mark("rule", strokeDash=CUT_DASH, strokeWidth=1.5)
    stroke = alt.Stroke("mark:N", scale=scale, legend=legend if data else None, sort=None)
    rule = rule.encode(x=axes(frame)["x"], stroke=stroke, tooltip=[alt.Tooltip("mark:N", title="Line")])
    return [rule.drawn_from(VerticalLine(name, clip_to_axis(at), theme.text))]
