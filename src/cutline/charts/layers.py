"""Parts of charts: axes, lines with a legend, rows of data."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.theme import DASHES, DOTTED, SHORTENED, Theme
from cutline.charts.vega_lite import make_data, round_column
from cutline.core.counts import format_number
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.curves import FARTHEST, SCORE, THRESHOLD, Axis, Curve, CurveLine, describe_line, simplify_curve
from cutline.measures import MEASURES

REFERENCE_DASHES = {"baseline": DOTTED, "perfect": (6, 2)}
MOST_REFERENCES = 4


def list_reference_series(curves: Mapping[str, Curve], theme: Theme, names: Mapping[str, str]) -> list[Series]:
    """Return the reference lines of the curves, with their names in the legend.

    One line when all models share it, as they do on the same cases; otherwise a line for each, in the colour of the
    model; none when there would be too many to be told apart, which `explain_omitted_references` says.
    """
    series = []
    for reference, label in names.items():
        references = _group_references(curves, reference)
        dash = REFERENCE_DASHES[reference]
        if len(references) == 1:
            [line] = references.values()
            series.append(make_plain_series(label, line, theme.reference, dash, 1.5))
        elif len(references) <= MOST_REFERENCES:
            colour = {name: theme.colour(i) for i, name in enumerate(curves)}
            series += [
                make_plain_series(f"{label} ({', '.join(who)})", line, colour[who[0]], dash, 1.5)
                for who, line in references.items()
            ]
    return series


def explain_omitted_references(curves: Mapping[str, Curve], names: Mapping[str, str]) -> list[str]:
    """Explain why there is no line of a reference."""
    return [
        f"No line of {label}: the models have {len(references)} different ones."
        for reference, label in names.items()
        if len(references := _group_references(curves, reference)) > MOST_REFERENCES
    ]


def _from_the_start(line: CurveLine, curve: Curve) -> CurveLine:
    """Extend a line with a value at its end only, such as a ratio over a single tie, to the start of the curve."""
    known, seen = np.isfinite(line.y), np.isfinite(curve.y)
    if known.sum() != 1 or not seen.any():
        return line
    ends = np.array([curve.x[seen][0], line.x[known][0]], dtype=float)
    return CurveLine(np.repeat(line.vertex[known], 2), ends, np.repeat(line.y[known], 2))


def _group_references(curves: Mapping[str, Curve], reference: str) -> dict[tuple[str, ...], CurveLine]:
    """Return the different lines of a reference by the models that share them; of level lines the longest."""
    lines: list[tuple[list[str], CurveLine]] = []
    for name, curve in curves.items():
        line = _from_the_start(simplify_curve(curve.beside[reference]), curve)
        for i, (who, other) in enumerate(lines):
            if _is_same_line(line, other):
                longer = max(line, other, key=lambda candidate: float(candidate.x[-1]))
                lines[i] = ([*who, name], longer)
                break
        else:
            lines.append(([name], line))
    return {tuple(who): line for who, line in lines}


def _is_same_line(line: CurveLine, other: CurveLine) -> bool:
    level = np.ptp(line.y) == 0 and np.ptp(other.y) == 0
    if level:
        return math.isclose(line.y[0], other.y[0])
    return all(len(a) == len(b) and np.allclose(a, b) for a, b in ((line.x, other.x), (line.y, other.y)))


WIDTH, HEIGHT = 380, 300
# The data and the layers that depend on the chosen cut, by name: a program that moves the cut replaces their rows.
CUT, AREAS = "cut", "areas"


class Evaluated(Protocol):
    """The part of an evaluation that charts use."""

    @property
    def ranking(self) -> Ranking:
        """Ranking of the predictions."""

    @property
    def threshold(self) -> float:
        """Threshold of the cut."""


Models = Mapping[str, Evaluated]


@dataclass(frozen=True)
class Series:
    """A line of a chart: its name in the legend, its columns, and how it looks.

    A line that lies below the others is seen only where it leaves them: along a solid one its dashes would alternate
    with that line's colour.
    """

    name: str
    columns: Mapping[str, Any]
    colour: str
    dash: tuple[int, ...]
    width: float = 2.0
    below: bool = False


@dataclass(frozen=True)
class Frame:
    """The two axes of a chart, with title and legend."""

    x: str
    y: str
    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    title: str
    subtitle: Sequence[str] = ()
    legend: str | None = None
    width: int = WIDTH
    height: int = HEIGHT
    x_axis: Mapping[str, Any] = field(default_factory=dict)
    y_axis: Mapping[str, Any] = field(default_factory=dict)
    clip: bool = False
    x_ticks: Mapping[float, str] = field(default_factory=dict)  # names of places, where they are not their numbers
    y_ticks: Mapping[float, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shade:
    """An area between two heights over the same x."""

    x: Any
    low: Any
    high: Any
    colour: str


@dataclass(frozen=True)
class VerticalLine:
    """A straight line across a chart, at a place of its x-axis."""

    name: str
    x: float
    colour: str


# ---------------------------------------------------------------------- from curves to series


def list_model_series(
    curves: Mapping[str, Curve], theme: Theme, over: tuple[float, float] | None = None
) -> list[Series]:
    """Return a line for each model, across the whole axis, with its area in the name if there are several."""
    return [
        Series(
            label_line(name, curve, len(curves)),
            describe_line(curve, simplify_curve(curve, over=over)),
            theme.colour(i),
            DASHES[i],
        )
        for i, (name, curve) in enumerate(curves.items())
    ]


def label_line(name: str, curve: Curve, models: int) -> str:
    """Return the name of a line in the legend."""
    headline = curve.area if curve.area is not None else next(iter(curve.values.values()), None)
    return f"{name}: {format_value(headline)}" if models > 1 and headline is not None else name


def make_plain_series(name: str, line: CurveLine, colour: str, dash: tuple[int, ...], width: float = 2.0) -> Series:
    """Return a line without counts or thresholds."""
    return Series(name, {"x": line.x, "y": line.y}, colour, dash, width)


def make_frame(curves: Mapping[str, Curve], models: Models | None = None, **more: Any) -> Frame:
    """Make the axes that hold all the curves, titled by their measures; over the threshold, the cuts too."""
    first = next(iter(curves.values()))
    x, y = zip(*(curve.domain for curve in curves.values()), strict=True)
    if first.kind.x is THRESHOLD:
        cuts = (clip_to_axis(m.threshold) for m in (models or {}).values() if math.isfinite(m.threshold))
        x += tuple((cut, cut) for cut in cuts)
    highest = max(high for _, high in y) * (1.05 if math.isinf(first.kind.y.range[1]) else 1.0)  # room above bars
    x_domain, y_domain = (min(low for low, _ in x), max(high for _, high in x)), (min(low for low, _ in y), highest)
    return Frame(
        **{
            "x": first.kind.x.title,
            "y": first.kind.y.title,
            "x_domain": x_domain,
            "y_domain": y_domain,
            "x_axis": _choose_ticks(first.kind.x, x_domain),
            "y_axis": _choose_ticks(first.kind.y, y_domain),
            "title": first.title,
            "subtitle": describe_values(first) if len(curves) == 1 else (),
            "legend": choose_legend_title(first) if len(curves) > 1 else None,
            **more,
        }
    )


# Large and small numbers alike, with all the digits that neighbouring marks of an axis differ in.
EVERY_DIGIT = {"format": ",.12~g"}


def _choose_ticks(axis: Axis, domain: tuple[float, float]) -> dict[str, Any]:
    """Return the ticks of an axis: scores with all their digits, numbers of cases at whole numbers."""
    if axis.is_count:
        # Numbers such as 1,500 and 2,000 run into each other where many of them are marked.
        return {"tickMinStep": 1, "tickCount": 5, "labelOverlap": True} if domain[1] >= 2 else {}
    return dict(EVERY_DIGIT) if axis in (THRESHOLD, SCORE) else {}


def choose_legend_title(curve: Curve) -> str | None:
    """Return the title of the numbers in a legend of several models."""
    if curve.kind.area is not None:
        return curve.kind.area.title
    return curve.kind.measures[0].title if curve.kind.measures else None


def describe_values(curve: Curve) -> list[str]:
    """Return the measures of a curve with their values, two a line."""
    words = [
        f"{MEASURES[name].title} {format_value(value)}" for name, value in curve.values.items() if name in MEASURES
    ]
    return [", ".join(words[i : i + 2]) for i in range(0, len(words), 2)]


def clip_to_axis(value: float) -> float:
    """Clip a value to the end of the axis."""
    return min(max(value, -FARTHEST), FARTHEST)


# ---------------------------------------------------------------------- rows


def list_rows(columns: Mapping[str, Any], **same: Any) -> list[dict[str, Any]]:
    """Return the columns as rows for a chart."""
    names = list(columns)
    lists = [round_column(column) for column in columns.values()]
    return [same | dict(zip(names, row, strict=True)) | {"i": i} for i, row in enumerate(zip(*lists, strict=True))]


def pack_columns(columns: Mapping[str, Any], names: Iterable[str], **same: Any) -> dict[str, Any]:
    """Return the columns as one row of lists, which the chart flattens; this takes a third of the space of rows."""
    return same | {name: round_column(columns[name]) for name in names}


TOOLTIPS = {
    "portion": "Portion",
    "lift": MEASURES["portion_lift"].title,
    "inside": "Positives in it",
    "threshold": "Threshold",
    "tp": "True positives",
    "fp": "False positives",
    "fn": "False negatives",
    "tn": "True negatives",
} | {name: MEASURES[name].title for name in ("recall", "fpr", "precision")}


def list_tooltips(columns: Iterable[str]) -> list[alt.Spec]:
    """Return the tooltip of a point: its line, the threshold, the counts, the rates."""
    known = [name for name in TOOLTIPS if name in set(columns)]
    return [
        alt.Tooltip("series:N", title="Line"),
        *(alt.Tooltip(f"{name}:Q", title=TOOLTIPS[name], format=".15~g") for name in known),
    ]


# ---------------------------------------------------------------------- layers


def encode_axes(frame: Frame) -> dict[str, Any]:
    """Return the encoding of the two axes."""
    x, y = (alt.Scale(domain=list(domain), nice=False) for domain in (frame.x_domain, frame.y_domain))
    return {
        "x": alt.X("x:Q", title=frame.x, scale=x, **_encode_axis(frame.x_axis)),
        "y": alt.Y("y:Q", title=frame.y, scale=y, **_encode_axis(frame.y_axis)),
    }


def _encode_axis(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"axis": alt.Axis(**options)} if options else {}


def make_line_legend(title: str | None = None, **more: Any) -> alt.Spec:
    """Return a legend of lines, long enough for their dashes, with its rows closer together."""
    return alt.Legend(title=title, symbolType="stroke", symbolSize=500, rowPadding=-9, **more)


def draw_lines(series: Sequence[Series], frame: Frame) -> list[Any]:
    """Draw the lines, with a legend that can be clicked, and points to hover over."""
    series = _name_distinctly(series)
    names = [line.name for line in series]
    legend = make_line_legend(frame.legend, labelExpr=SHORTENED) if len(series) > 1 else None
    clicked = make_legend_selection(frame)

    def encode(channel: Any, looks: list[Any]) -> Any:
        return channel("series:N", scale=alt.Scale(domain=names, range=looks), legend=legend, sort=None)

    # The legend shows the dash beside the colour, which merging two legends of one field does.
    colour = encode(alt.Color, [line.colour for line in series])
    dash = encode(alt.StrokeDash, [list(line.dash) for line in series])
    opacity = encode_fading(frame)
    # The first lies below, as it has no gaps: where two lines are one, the dashes of the other show both.
    order = sorted(series, key=lambda line: not line.below)
    data = [pack_columns(line.columns, "xy", series=line.name, width=line.width) for line in order]
    lines = (
        alt.Chart(make_data(data))
        .transform_flatten(["x", "y"])
        .mark("line", interpolate="linear", order=False, clip=frame.clip or _leaves_frame(series, frame))
        .encode(
            **encode_axes(frame),
            color=colour,
            strokeDash=dash,
            strokeWidth=alt.StrokeWidth("width:O", scale=None, legend=None),
            opacity=opacity,
        )
        .add_params(clicked)
    )
    lines = lines.drawn_from(tuple(order))
    hovered = [line for line in series if "threshold" in line.columns]
    return [lines, _draw_hover_points(hovered, frame, colour, opacity).drawn_from(())] if hovered else [lines]


def _draw_hover_points(series: Sequence[Series], frame: Frame, colour: Any, opacity: Any) -> Any:
    """Draw the points of lines to hover over, which are visible if they are few."""
    columns: list[Any] = list(series[0].columns)
    points = [pack_columns(_thin_columns(line.columns), columns, series=line.name) for line in reversed(series)]
    few = sum(len(row["x"]) for row in points) <= 60
    return (
        alt.Chart(make_data(points))
        .transform_flatten(columns)
        .mark("circle", size=34 if few else 90, clip=not few or frame.clip)
        .encode(
            **encode_axes(frame), color=colour, opacity=opacity if few else alt.value(0), tooltip=list_tooltips(columns)
        )
    )


def _name_distinctly(series: Sequence[Series]) -> list[Series]:
    """Give each line its own name: a reference named like a model before it is marked as a reference."""
    by_name: dict[str, Series] = {}
    for line in series:
        name = line.name
        while name in by_name:
            name += " (reference)"
        by_name[name] = replace(line, name=name)
    return list(by_name.values())


def make_legend_selection(frame: Frame) -> Any:
    """Return the selection of a line by a click in the legend."""
    name = "clicked" + re.sub("[^A-Za-z0-9]", "", frame.title)
    return alt.selection_point(name=name, fields=["series"], bind="legend")


def encode_fading(frame: Frame) -> alt.Spec:
    """Return the opacity of the marks of a line, which fade when another line is picked in the legend.

    Written out, because Altair takes longer to understand `alt.when` than to draw the chart.
    """
    return alt.value(0.12, condition=[{"param": make_legend_selection(frame)["name"], "value": 1}])


# Points of a line to hover over.
MOST_POINTS = 120


def _thin_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    n = len(columns["x"])
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int))
    return {name: np.asarray(column)[chosen] for name, column in columns.items()}


def _leaves_frame(series: Sequence[Series], frame: Frame) -> bool:
    """Whether a line leaves the frame and has to be clipped, which thins lines along an edge."""
    low, high = frame.y_domain
    heights = [np.asarray(line.columns["y"], dtype=float) for line in series]
    return any(bool((np.isfinite(y) & ((y < low) | (y > high))).any()) for y in heights)


def combine_layers(layers: Sequence[alt.Chart], frame: Frame) -> alt.Chart:
    """Combine layers to a chart with its title, each layer with its own legends."""
    return alt.layer(
        layers,
        title=alt.title(frame.title, frame.subtitle),
        width=frame.width,
        height=frame.height,
        resolve={"scale": {"stroke": "independent", "shape": "independent", "fill": "independent"}},
        drawn=frame,
    )


def describe_cases(model: Evaluated) -> str:
    """Return the numbers of cases and of positives, as text."""
    r = model.ranking
    return f"{format_number(r.total)} cases, {format_number(r.positives)} positive"
