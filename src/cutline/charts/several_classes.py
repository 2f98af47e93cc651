"""Charts of several classes: a ROC curve for each and their means, measures with intervals, the confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import Place, Requires, Shows, declare_chart
from cutline.charts.layers import Frame, Series, combine_layers, draw_lines
from cutline.charts.theme import DASHES, DOTTED, Theme
from cutline.charts.vega_lite import make_data
from cutline.core.array_ops import Array
from cutline.core.counts import format_number
from cutline.core.errors import InputError, ParameterError, hint_similar
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.curves import curve, describe_line, simplify_curve
from cutline.curves.curve_type import average_roc

MOST_LINES = 10  # classes that can be told apart beside their means
MOST_CELLS = 20  # classes whose cells have room for text
MACRO, MICRO, BASELINE = "macro mean", "micro mean", "baseline"


@dataclass(frozen=True)
class ClassValue:
    """A measure of a class or of a mean, with its interval; NaN where there is none."""

    measure: str
    title: str
    of: str
    is_class: bool
    value: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True, eq=False)
class ClassChartData:
    """Data of the charts of several classes.

    Attributes:
        name: The name of the model.
        rankings: The ranking of each class against the rest.
        pooled: The ranking of all pairs of a case and a class.
        values: The measures of the classes and of their means.
        table: The cases by real class and predicted class.
    """

    name: str | None
    rankings: Mapping[str, Ranking]
    pooled: Ranking
    values: Sequence[ClassValue]
    table: Array

    def of(self, measure: str) -> list[ClassValue]:
        """Return the values of one measure."""
        values = [value for value in self.values if value.measure == measure]
        if not values:
            known = list(dict.fromkeys(value.measure for value in self.values))
            raise ParameterError(
                f"is {measure!r}",
                f"pass one of {', '.join(known)}",
                argument="shown",
                hint=hint_similar(measure, known),
            )
        return values

    def describe(self) -> str:
        """Return the name of the model and the number of cases."""
        cases = f"{format_number(self.table.sum())} cases of {len(self.table)} classes"
        return f"{self.name}: {cases}" if self.name else cases


@declare_chart(
    title="ROC curve of each class",
    caption="The ROC curve of each class against the rest, with the macro and the micro mean.",
    shows=Shows.CLASSES,
    source="Hand and Till 2001",
    needs=Requires.CLASSES,
    places=Place.GALLERY,
)
def class_roc(classes: ClassChartData, theme: Theme) -> alt.Chart:
    """Draw the ROC curve of each class against the rest, with the macro average and the pooled curve."""
    defined = {name: r for name, r in classes.rankings.items() if r.positives and r.negatives}
    if not defined:
        raise InputError("No class has both cases of its own and others", "pass cases of two classes or more")
    areas = {auc.of: auc.value for auc in classes.of("auc") if auc.is_class}
    means = {auc.of: auc.value for auc in classes.of("auc") if not auc.is_class}
    chosen = sorted(defined, key=lambda name: areas[name])[:MOST_LINES]
    lines = {name: r for name, r in defined.items() if name in chosen}
    series = [
        Series(
            f"{name}: {format_value(areas[name])}", describe_line(roc, simplify_curve(roc)), theme.colour(i), DASHES[i]
        )
        for i, (name, roc) in enumerate((name, curve(r, "roc")) for name, r in lines.items())
    ]
    pooled = simplify_curve(curve(classes.pooled, "roc"))
    series.append(
        Series(f"{MICRO}: {format_value(means[MICRO])}", {"x": pooled.x, "y": pooled.y}, theme.text, (3, 2), 3)
    )
    if len(defined) == len(classes.rankings):
        x, y = average_roc(list(defined.values()))
        series.append(Series(f"{MACRO}: {format_value(means[MACRO])}", {"x": x, "y": y}, theme.text, (1, 0), 3))
    series.append(Series(BASELINE, {"x": [0.0, 1.0], "y": [0.0, 1.0]}, theme.reference, DOTTED, 1.5))
    fewer = [f"The {MOST_LINES} classes with the lowest areas are shown."] if len(defined) > MOST_LINES else []
    frame = Frame(
        x="False positive rate",
        y="Recall",
        x_domain=(0.0, 1.0),
        y_domain=(0.0, 1.0),
        title="ROC curve of each class against the rest",
        subtitle=[classes.describe(), *fewer],
        legend="Area under the ROC curve",
    )
    return combine_layers(draw_lines(series, frame), frame)


@declare_chart(
    title="A measure by class",
    caption="A measure of each class and its means over the classes as bars, with intervals and baselines.",
    shows=Shows.CLASSES,
    needs=Requires.CLASSES,
    places=Place.GALLERY,
)
def class_measures(classes: ClassChartData, theme: Theme, *, shown: str = "auc") -> alt.Chart:
    """Draw a measure of each class and its means over the classes as bars, with intervals and baselines.

    Args:
        classes: The classes.
        theme: The colours.
        shown: The measure, such as "auc" or "f1".
    """
    values = [value for value in classes.of(shown) if not math.isnan(value.value)]
    if not values:
        raise InputError(f"{classes.of(shown)[0].title} is undefined for every class", "pass cases of every class")
    title, order = values[0].title, [value.of for value in values]
    data = [_make_bar(value) for value in values]
    high = max(1.0, *(row["high"] for row in data if row["high"] is not None), *(row["value"] for row in data))
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, high], nice=False))
    room = min(200, 8 * max(map(len, order)))  # as wide as the widest font would need
    axis = alt.Axis(labelLimit=200, minExtent=room, ticks=False, domain=False)
    y = alt.Y("of:N", sort=order, title=None, axis=axis)
    numbers = {"value": title, "low": "Low", "high": "High", "baseline": "Baseline"}
    tooltip = [
        alt.Tooltip("of:N", title="Of"),
        *(alt.Tooltip(f"{name}:Q", title=number_title, format=".4f") for name, number_title in numbers.items()),
    ]
    kinds = {"class": theme.colour(0), "mean": theme.reference}
    fill = alt.Fill(
        "kind:N",
        scale=alt.Scale(domain=list(kinds), range=list(kinds.values())),
        legend=alt.Legend(title=None, symbolType="square", symbolOpacity=0.45, symbolStrokeWidth=0),
        sort=None,
    )
    base = alt.Chart(make_data(data))
    bars = base.mark("bar", opacity=0.45, height={"band": 0.7}).encode(x=x, y=y, fill=fill, tooltip=tooltip)
    with_limits = alt.Chart(make_data([row for row in data if row["low"] is not None]))
    lines = with_limits.mark("rule", strokeWidth=2, color=theme.text).encode(
        x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, tooltip=tooltip
    )
    dots = base.mark("point", filled=True, size=45, color=theme.text, opacity=1).encode(x=x, y=y, tooltip=tooltip)
    with_baseline = alt.Chart(make_data([row for row in data if row["baseline"] is not None]))
    ticks = with_baseline.mark("tick", color=theme.text, thickness=2, strokeDash=[2, 2], opacity=1, size=16)
    below = [classes.describe(), "Lines are intervals, ticks the baselines"]
    frame = Frame("", "", (0, 1), (0, 1), f"{title} by class", below, None, 420, max(80, 26 * len(data)))
    return combine_layers([bars, lines, dots, ticks.encode(x=alt.X("baseline:Q"), y=y)], frame)


def _make_bar(class_value: ClassValue) -> dict[str, Any]:
    def drop_infinite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "of": class_value.of,
        "kind": "class" if class_value.is_class else "mean",
        "value": class_value.value,
        "low": drop_infinite(class_value.low),
        "high": drop_infinite(class_value.high),
        "baseline": drop_infinite(class_value.baseline),
    }


@declare_chart(
    title="Confusion matrix of several classes",
    caption="The cases by real class and by the class of the highest score, shaded by the share of the real class.",
    shows=Shows.CLASSES,
    needs=Requires.CLASSES,
    places=Place.GALLERY,
)
def class_confusion_matrix(classes: ClassChartData, theme: Theme) -> alt.Chart:
    """Draw the cases by real class and predicted class, shaded by the share of the real class."""
    names, size = list(classes.rankings), len(classes.rankings)
    real = [f"{name} ({format_number(total)})" for name, total in zip(names, classes.table.sum(1), strict=True)]
    axis_style: dict[str, Any] = {"domain": False, "ticks": False}
    angle = -40 if size > 4 else 0
    base = alt.Chart(make_data(_list_cells(classes, real, names))).encode(
        x=alt.X(
            "said:N",
            sort=names,
            title="Predicted class",
            axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=120, **axis_style),
        ),
        y=alt.Y("real:N", sort=real, title="Real class (cases)", axis=alt.Axis(labelLimit=160, **axis_style)),
        tooltip=[
            alt.Tooltip("real:N", title="Real class"),
            alt.Tooltip("said:N", title="Predicted class"),
            alt.Tooltip("count:N", title="Cases"),
            alt.Tooltip("percent:N", title="Of the real class"),
        ],
    )
    fills = {"right": theme.colour(0), "wrong": theme.colour(1)}
    boxes = base.mark("rect", stroke=theme.grid, strokeWidth=1).encode(
        fill=alt.Fill(
            "kind:N",
            scale=alt.Scale(domain=list(fills), range=list(fills.values())),
            legend=alt.Legend(title=None, symbolType="square", symbolOpacity=0.5, symbolStrokeWidth=0),
        ),
        fillOpacity=alt.FillOpacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.0, 0.55]), legend=None),
    )
    text = [
        base.mark("text", dy=-7, fontSize=14, fontWeight="bold", color=theme.text).encode(text=alt.Text("count:N")),
        base.mark("text", dy=9, fontSize=10, color=theme.text).encode(text=alt.Text("percent:N")),
    ]
    cell = 74 if size <= 6 else 52 if size <= MOST_CELLS else 24
    width, height = cell * size, max(100, cell * size * 3 // 4)
    frame = Frame("", "", (0, 1), (0, 1), "Confusion matrix", [classes.describe()], None, width, height)
    return combine_layers([boxes, *(text if size <= MOST_CELLS else [])], frame)


def _list_cells(classes: ClassChartData, real: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each cell of the matrix."""
    totals = classes.table.sum(1)[:, None]
    shares = np.divide(classes.table, totals, out=np.zeros_like(classes.table), where=totals > 0)
    return [
        {
            "real": real[i],
            "said": names[j],
            "count": format_number(classes.table[i, j]),
            "share": float(shares[i, j]),
            "percent": f"{100 * shares[i, j]:.3g} %",
            "kind": "right" if i == j else "wrong",
        }
        for i in range(len(names))
        for j in range(len(names))
    ]
