"""The forest plot of slices: the value and interval of each, beside the value of all cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import cutline.charts.vega_lite as alt
from cutline.charts.picture import Picture, finish
from cutline.charts.theme import LONGEST, SHORTENED, find_theme
from cutline.charts.vega_lite import make_data

_ROW = 22  # pixels
_MOST = 60  # slices that are drawn
_SAME, _WORSE, _BETTER = "no difference shown", "worse than the rest", "better than the rest"
_MEANING = {"worse": _WORSE, "lower": _WORSE, "better": _BETTER, "higher": _BETTER}
_LINE = 78  # characters of a subtitle


def draw_slice_forest(
    comparison: Mapping[str, Any], *, theme: str = "light", title: str | None = None, width: int = 380
) -> Picture:
    """Draw the slices in the order of their values, those that differ marked by shape and colour.

    Args:
        comparison: What is shown, as `AgainstRest.forest` gives it.
        theme: "light", "dark" or "print".
        title: A title in place of the chart's own.
        width: The width of the plot, without the names, in pixels.
    """
    chosen = find_theme(theme)
    ordered = sorted(comparison["rows"], key=lambda row: row["value"])
    left_out = max(0, len(ordered) - _MOST)
    if left_out:  # the worst and the best stay
        ordered = [*ordered[: _MOST // 2], *ordered[-_MOST // 2 :]]
    rows = [
        row | {"name": f"{row['slice']} (n = {row['cases']:g})", "meaning": _MEANING.get(row["verdict"], _SAME)}
        for row in ordered
    ]
    names = [row["name"] for row in reversed(rows)]
    ends = [row[end] for row in rows for end in ("low", "high", "value") if row[end] is not None] + [
        comparison["overall"]
    ]
    room = 0.04 * (max(ends) - min(ends) or 1.0)
    scale = alt.Scale(domain=[min(ends) - room, max(ends) + room], nice=False, zero=False)
    y = alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=220, labelExpr=SHORTENED, grid=True))
    axis = alt.Axis(tickCount=5, labelOverlap=True)
    x = alt.X("value:Q", title=comparison["measure"], scale=scale, axis=axis)
    kinds = [kind for kind in (_WORSE, _SAME, _BETTER) if any(row["meaning"] == kind for row in rows)]
    colours = {_WORSE: chosen.colour(1), _SAME: chosen.reference, _BETTER: chosen.colour(0)}
    shapes = {_WORSE: "triangle-down", _SAME: "circle", _BETTER: "triangle-up"}
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    colour = alt.Color(
        "meaning:N", legend=legend, scale=alt.Scale(domain=kinds, range=[colours[kind] for kind in kinds])
    )
    shape = alt.Shape("meaning:N", legend=legend, scale=alt.Scale(domain=kinds, range=[shapes[kind] for kind in kinds]))
    tooltip = [
        alt.Tooltip("slice:N", title="Slice"),
        alt.Tooltip("cases:Q", title="Cases"),
        alt.Tooltip("value:Q", title=comparison["measure"], format=".4f"),
        alt.Tooltip("low:Q", title="Low", format=".4f"),
        alt.Tooltip("high:Q", title="High", format=".4f"),
        alt.Tooltip("p:Q", title="p (adjusted)", format=".3~g"),
    ]
    base = alt.Chart(make_data(rows))
    bars = base.mark("rule", strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y, color=colour
    )
    points = base.mark("point", size=80, filled=True, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    overall = (
        alt.Chart(make_data([{"value": comparison["overall"]}]))
        .mark("rule", strokeDash=[4, 3], strokeWidth=1.5, color=chosen.text)
        .encode(x=x, tooltip=[alt.Tooltip("value:Q", title="All cases", format=".4f")])
    )
    folded = [f"{left_out} slices between them are not drawn"] if left_out else []
    subtitle = [f"Dashed line: all cases, {comparison['overall']:.4f}", *_wrap(comparison["words"]), *folded]
    heading = alt.title(title or f"{comparison['measure']} by {comparison['by']}", subtitle)
    size = {"width": width, "height": _ROW * len(rows)}
    padding = {"left": 16, "right": 10, "top": 5, "bottom": 5}
    return finish("slices", alt.layer([overall, bars, points], title=heading, padding=padding, **size), chosen)


def _wrap(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, _LINE)


_LESS = "↓"  # after a measure of which less is better
_APART, _EQUAL = "differs", "cannot be told apart"


def draw_difference_forest(
    rows: Sequence[Mapping[str, Any]], reference: str, models: Sequence[str], *, theme: str = "light", width: int = 200
) -> Picture:
    """Draw the differences of models from a reference, measure by measure, each with its interval.

    Args:
        rows: The differences, model minus reference: measure, model, value, low, high, whether less is better, and
            whether the difference is significant.
        reference: The model that the others are compared with.
        models: All models, in the order of their colours.
        theme: "light", "dark" or "print".
        width: The width of the plot, without the names, in pixels.
    """
    chosen = find_theme(theme)
    several = len(models) > 2
    titles = [f"{row['measure']} {_LESS}" if row["less_is_better"] else row["measure"] for row in rows]
    data = [
        dict(row)
        | {
            "measure": title,
            "row": f"{title}{_BETWEEN}{row['model']}",
            "found": _APART if row["is_significant"] else _EQUAL,
        }
        | {"colour": chosen.colour(models.index(row["model"]))}
        for row, title in zip(rows, titles, strict=True)
    ]
    order: list[str] = []
    for row in data:  # the name of a measure has a row of its own above the models
        if several and row["measure"] not in order:
            order.append(row["measure"])
        order.append(row["row"])
    ends = [row[end] for row in data for end in ("low", "high") if math.isfinite(row[end])] + [0.0]
    room = 0.04 * (max(ends) - min(ends) or 1.0)
    scale = alt.Scale(domain=[min(ends) - room, max(ends) + room], nice=False, zero=False)
    part = f"split(datum.label, '{_BETWEEN}')"
    name = f"({part}[1] || {part}[0])" if several else f"{part}[0]"
    label = alt.Axis(
        labelLimit=220,
        labelExpr=f"length({name}) > 26 ? slice({name}, 0, 13) + '…' + slice({name}, -12) : {name}",
        labelFontWeight={"condition": {"test": f"indexof(datum.label, '{_BETWEEN}') < 0", "value": 600}, "value": 400},
        grid=False,
        domain=False,
        ticks=False,
    )
    y = alt.Y("row:N", title=None, sort=order, axis=label, scale=alt.Scale(domain=order))
    direction = (
        f"right is better (for {_LESS}, left)" if any(row["less_is_better"] for row in rows) else "right is better"
    )
    x = alt.X("value:Q", title=direction, scale=scale, axis=alt.Axis(tickCount=3, labelOverlap=True))
    colour = alt.Color("colour:N", scale=None, legend=None)
    fill = alt.Fill(
        "found:N", scale=alt.Scale(domain=[_APART, _EQUAL], range=[chosen.text, chosen.ground]), legend=None
    )
    tooltip = [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("measure:N", title="Measure"),
        *(alt.Tooltip(f"{end}:Q", title=end.capitalize(), format=".4f") for end in ("value", "low", "high")),
        alt.Tooltip("found:N", title="Holm's test"),
    ]
    base = alt.Chart(make_data(data))
    bars = base.mark("rule", strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y, color=colour
    )
    points = base.mark("point", size=60, opacity=1, strokeWidth=2).encode(
        x=x, y=y, color=colour, fill=fill, tooltip=tooltip
    )
    zero = (
        alt.Chart(make_data([{"value": 0}]))
        .mark("rule", strokeDash=[4, 3], strokeWidth=1.5, color=chosen.text)
        .encode(x=x, tooltip=[alt.Tooltip("value:Q", title="No difference")])
    )
    words = f"Intervals; filled points differ significantly{' (Holm)' if several else ''}"
    heading = alt.title(f"Differences from {_shorten(reference)}", [words])
    height = max(15 if several else 24, 236 // len(order)) * len(order)
    return finish("differences", alt.layer([zero, bars, points], title=heading, width=width, height=height), chosen)


_BETWEEN = " | "  # measure and model, in the name of a row


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST // 2 else f"{name[:9]}…{name[-9:]}"
