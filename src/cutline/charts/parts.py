"""The parts that charts are made of: lines with a legend, marked points, shaded bands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import altair as alt
import numpy as np

from cutline.charts.picture import inline
from cutline.charts.theme import DASHES, Theme
from cutline.contingency import written
from cutline.curves import THRESHOLD, Curve, Drawn, Point, described, drawn
from cutline.measures import MEASURES
from cutline.ranking import Ranking
from cutline.tables import shown

WIDTH, HEIGHT = 380, 300


class Evaluated(Protocol):
    """What a chart needs of an evaluation."""

    @property
    def ranking(self) -> Ranking:
        """The ranking of the predictions."""

    @property
    def threshold(self) -> float:
        """The chosen cut."""


Models = Mapping[str, Evaluated]


@dataclass(frozen=True)
class Series:
    """A line of a chart: its name in the legend, its columns, and how it looks."""

    name: str
    columns: Mapping[str, Any]
    colour: str
    dash: tuple[int, ...]
    width: float = 2.0


@dataclass(frozen=True)
class Mark:
    """A point of a chart with its name in the legend; `told` is what it says of its place where axes have a scale."""

    name: str
    point: Point
    shape: str
    colour: str
    told: Point | None = None


@dataclass(frozen=True)
class Frame:
    """The two axes of a chart and what is written around them."""

    x: str
    y: str
    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    title: str
    subtitle: Sequence[str] = ()
    legend: str | None = None
    width: int = WIDTH
    height: int = HEIGHT
    axis: Mapping[str, Any] = field(default_factory=dict)
    clip: bool = False


# ---------------------------------------------------------------------- from curves to series


def model_series(curves: Mapping[str, Curve], theme: Theme, over: tuple[float, float] | None = None) -> list[Series]:
    """A line for each model, named with its area when there are several, from one end of the axis to the other."""
    return [
        Series(
            labelled(name, curve, len(curves)), described(curve, drawn(curve, over=over)), theme.colour(i), DASHES[i]
        )
        for i, (name, curve) in enumerate(curves.items())
    ]


def labelled(name: str, curve: Curve, models: int) -> str:
    """The name of a line in the legend."""
    headline = curve.area if curve.area is not None else next(iter(curve.values.values()), None)
    return f"{name}: {shown(headline)}" if models > 1 and headline is not None else name


def plain_series(name: str, line: Drawn, colour: str, dash: tuple[int, ...], width: float = 2.0) -> Series:
    """A line of which no more is known than where it goes."""
    return Series(name, {"x": line.x, "y": line.y}, colour, dash, width)


def frame_of(curves: Mapping[str, Curve], models: Models | None = None, **more: Any) -> Frame:
    """The axes that hold all the curves, titled by their measures; over the threshold, the cuts too."""
    first = next(iter(curves.values()))
    x, y = zip(*(curve.domain for curve in curves.values()), strict=True)
    if first.kind.x is THRESHOLD:
        x += tuple((m.threshold, m.threshold) for m in (models or {}).values() if math.isfinite(m.threshold))
    highest = max(high for _, high in y) * (1.05 if math.isinf(first.kind.y.range[1]) else 1.0)  # room above bars
    return Frame(
        **{
            "x": first.kind.x.title,
            "y": first.kind.y.title,
            "x_domain": (min(low for low, _ in x), max(high for _, high in x)),
            "y_domain": (min(low for low, _ in y), highest),
            "title": first.title,
            "subtitle": figures(first) if len(curves) == 1 else (),
            "legend": legend_title(first) if len(curves) > 1 else None,
            **more,
        }
    )


def legend_title(curve: Curve) -> str | None:
    """What the numbers in a legend of several models are."""
    if curve.kind.area is not None:
        return curve.kind.area.title
    return curve.kind.measures[0].title if curve.kind.measures else None


def figures(curve: Curve) -> list[str]:
    """The measures that belong to a curve, in words, two a line."""
    words = [f"{MEASURES[name].title} {shown(value)}" for name, value in curve.values.items() if name in MEASURES]
    return [", ".join(words[i : i + 2]) for i in range(0, len(words), 2)]


def cut_mark(curve: Curve, model: Evaluated, theme: Theme, colour: str | None = None) -> Mark:
    """The chosen cut on a curve."""
    rule = "≥" if model.ranking.higher_is_positive else "≤"
    name = f"cut: score {rule} {model.threshold:g}" if colour is None else "chosen cut"
    return Mark(name, curve.kind.at(model.ranking, model.threshold), "circle", colour or theme.text)


# ---------------------------------------------------------------------- rows


def rows(columns: Mapping[str, Any], **same: Any) -> list[dict[str, Any]]:
    """The columns as rows for a chart: six digits, whole numbers as such, nothing for what is not finite."""
    names = list(columns)
    lists = [[_number(value) for value in column] for column in columns.values()]
    return [same | dict(zip(names, row, strict=True)) | {"i": i} for i, row in enumerate(zip(*lists, strict=True))]


def packed(columns: Mapping[str, Any], names: Iterable[str], **same: Any) -> dict[str, Any]:
    """The columns as one row of lists, which a chart flattens: a third of the size of as many rows."""
    return same | {name: [_number(value) for value in columns[name]] for name in names}


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else float(f"{number:.6g}")


TOOLTIPS = {
    "threshold": "Threshold",
    "tp": "True positives",
    "fp": "False positives",
    "fn": "False negatives",
    "tn": "True negatives",
} | {name: MEASURES[name].title for name in ("recall", "fpr", "precision")}


def tooltips(columns: Iterable[str]) -> list[alt.Tooltip]:
    """What is shown at a point: its line, the threshold, the counts, the rates."""
    known = [name for name in TOOLTIPS if name in set(columns)]
    return [
        alt.Tooltip("series:N", title="Line"),
        *(alt.Tooltip(f"{name}:Q", title=TOOLTIPS[name], format=".6~g") for name in known),
    ]


# ---------------------------------------------------------------------- layers


def axes(frame: Frame) -> dict[str, Any]:
    """The encoding of the two axes."""
    return {
        "x": alt.X("x:Q", title=frame.x, scale=alt.Scale(domain=list(frame.x_domain), nice=False), **_axis(frame)),
        "y": alt.Y("y:Q", title=frame.y, scale=alt.Scale(domain=list(frame.y_domain), nice=False), **_axis(frame)),
    }


def _axis(frame: Frame) -> dict[str, Any]:
    return {"axis": alt.Axis(**frame.axis)} if frame.axis else {}


def line_layers(series: Sequence[Series], frame: Frame) -> list[Any]:
    """The lines, with a legend that can be clicked, and points to hover over."""
    names = [one.name for one in series]
    legend = (
        alt.Legend(title=frame.legend, orient="right", symbolType="stroke", symbolSize=500) if len(series) > 1 else None
    )
    clicked = clickable(frame)
    # The legend shows the dash beside the colour, which merging two legends of one field does.
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=names, range=[one.colour for one in series]), legend=legend, sort=None
    )
    dash = alt.StrokeDash(
        "series:N", scale=alt.Scale(domain=names, range=[list(one.dash) for one in series]), legend=legend, sort=None
    )
    width = alt.StrokeWidth("width:N", scale=None, legend=None)
    opacity = alt.when(clicked).then(alt.value(1)).otherwise(alt.value(0.12))
    # The first of them lies on top.
    data = [packed(one.columns, "xy", series=one.name, width=one.width) for one in reversed(series)]
    lines = (
        alt.Chart(inline(data))
        .transform_flatten(["x", "y"])
        .mark_line(interpolate="linear", order=False, clip=frame.clip or _leaves(series, frame))
        .encode(
            **axes(frame),
            color=colour,
            strokeDash=dash,
            strokeWidth=width,
            opacity=opacity,
        )
        .add_params(clicked)
    )
    told = [one for one in series if "threshold" in one.columns]
    if not told:
        return [lines]
    columns: list[Any] = list(told[0].columns)
    points = [packed(_some(one.columns), columns, series=one.name) for one in reversed(told)]
    few = sum(len(row["x"]) for row in points) <= 60
    hover = (
        alt.Chart(inline(points))
        .transform_flatten(columns)
        .mark_circle(size=34 if few else 90, opacity=1 if few else 0, clip=not few)
        .encode(**axes(frame), color=colour, tooltip=tooltips(columns))
    )
    return [lines, hover]


def clickable(frame: Frame) -> Any:
    """The selection of a line by a click in the legend."""
    name = "clicked" + "".join(letter for letter in frame.title if letter.isascii() and letter.isalnum())
    return alt.selection_point(name=name, fields=["series"], bind="legend")


# So many points of a line can be pointed at, from one end to the other.
MOST_POINTS = 120


def _some(columns: Mapping[str, Any]) -> dict[str, Any]:
    n = len(columns["x"])
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int))
    return {name: np.asarray(column)[chosen] for name, column in columns.items()}


def _leaves(series: Sequence[Series], frame: Frame) -> bool:
    """Whether a line leaves the frame, and has to be cut off at its edges (which thins what runs along an edge)."""
    low, high = frame.y_domain
    return any(not low <= y <= high for one in series for y in one.columns["y"] if math.isfinite(y))


def mark_layer(marks: Sequence[Mark], frame: Frame, theme: Theme) -> list[Any]:
    """Marked points, with a legend of their shapes; those without a place are left out."""
    there = together([mark for mark in marks if math.isfinite(mark.point.x) and math.isfinite(mark.point.y)])
    if not there:
        return []
    data = [
        {"mark": mark.name, "x": mark.point.x, "y": mark.point.y, "colour": mark.colour}
        | {"told_x": _number(told.x), "told_y": _number(told.y), "threshold": _number(told.threshold)}
        for mark in there
        for told in [mark.told or mark.point]
    ]
    names = list(dict.fromkeys(mark.name for mark in there))
    shapes = [next(mark.shape for mark in there if mark.name == name) for name in names]
    layer = (
        alt.Chart(inline(data))
        .mark_point(size=150, strokeWidth=2, filled=False, opacity=1)
        .encode(
            **axes(frame),
            shape=alt.Shape(
                "mark:N",
                scale=alt.Scale(domain=names, range=shapes),
                legend=alt.Legend(title=None, orient="right", symbolStrokeColor=theme.text),
                sort=None,
            ),
            stroke=alt.Stroke("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("mark:N", title="Point"),
                alt.Tooltip("threshold:Q", title="Threshold", format=".6~g"),
                alt.Tooltip("told_x:Q", title=frame.x, format=".4~f"),
                alt.Tooltip("told_y:Q", title=frame.y, format=".4~f"),
            ],
        )
    )
    return [layer]


def together(marks: Sequence[Mark]) -> list[Mark]:
    """Marks of different names at one place as one mark with all their names: none hides another."""
    found: list[Mark] = []
    for mark in marks:
        for i, other in enumerate(found):
            here = math.isclose(mark.point.x, other.point.x, abs_tol=1e-9) and math.isclose(
                mark.point.y, other.point.y, abs_tol=1e-9
            )
            if here and mark.name not in other.name.split(", "):
                found[i] = replace(other, name=f"{other.name}, {mark.name}")
                break
        else:
            found.append(mark)
    return found


def rule_layer(at: Mapping[str, float], channel: str, theme: Theme, dash: tuple[int, ...] = (4, 3)) -> list[Any]:
    """Straight lines across the chart at a value of one axis, each with its name as a tooltip."""
    data = [{"name": name, channel: value} for name, value in at.items() if math.isfinite(value)]
    rule = alt.Chart(inline(data)).mark_rule(color=theme.text, strokeDash=list(dash), strokeWidth=1.2)
    return [rule.encode(**{channel: f"{channel}:Q"}, tooltip=[alt.Tooltip("name:N", title="Line")])] if data else []


def layered(layers: Sequence[Any], frame: Frame) -> Any:
    """The layers as one chart with its title, each layer with legends of its own."""
    resolve = alt.Resolve(scale=alt.ScaleResolveMap(stroke="independent", shape="independent", fill="independent"))
    more: dict[str, Any] = {"subtitle": list(frame.subtitle)} if frame.subtitle else {}
    # All at once: each method of a chart would copy its data.
    return alt.LayerChart(
        layer=list(layers),
        title=alt.TitleParams(frame.title, **more),
        width=frame.width,
        height=frame.height,
        resolve=resolve,
    )


def heading(model: Evaluated) -> str:
    """How many cases there are, in words."""
    r = model.ranking
    return f"{written(r.total)} cases, {written(r.positives)} positive"
