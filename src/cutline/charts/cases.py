"""The cases on both sides of the boundary, with their distances from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.layers import EVERY_DIGIT, Frame, Models, axes, heading, layered, on_axis
from cutline.charts.marks import cut_rule
from cutline.charts.picture import inline
from cutline.charts.theme import Theme
from cutline.core.counts import written
from cutline.core.errors import ParameterError
from cutline.core.ranking import Array, Ranking
from cutline.curves import THRESHOLD

MOST_SCORES = 100
MOST_WRITTEN = 20  # distances that are written out
_SHORT = 0.08  # of the axis: a distance with no room for its number
SHAPES = ("circle", "square")


def boundary(models: Models, theme: Theme, *, scores: int = 40) -> Any:
    """Draw the cases by their scores, joined to the boundary by their distance from it; those on the wrong side stand
    out.

    Args:
        models: The model by its name.
        theme: The colours.
        scores: How many distinct scores are shown at most, spread evenly over the list.
    """
    [(_, model)] = models.items()
    if isinstance(scores, bool) or not isinstance(scores, int | np.integer) or not 2 <= scores <= MOST_SCORES:
        raise ParameterError(f"is {scores!r}", f"pass a whole number from 2 to {MOST_SCORES}", argument="scores")
    r, at = model.ranking, model.threshold
    chosen = np.unique(np.linspace(0, len(r) - 1, min(int(scores), len(r))).round().astype(int))
    chosen = chosen[np.isfinite(r.score[chosen])]
    data = _rows(r, chosen, at)
    how_many = "" if len(chosen) == len(r) else f"; {len(chosen)} of {len(r)} distinct scores shown"
    values = np.array([*(row["x"] for row in data), *([at] if math.isfinite(at) else [])])
    frame = Frame(
        x="Score",
        y="",
        x_domain=THRESHOLD.domain(values),
        y_domain=(0.0, len(chosen) + 1.0),
        title="Cases on both sides of the boundary",
        subtitle=[heading(model) + how_many],
        width=420,
        height=min(480, 60 + 20 * len(chosen)),
        x_axis=EVERY_DIGIT,
        y_axis={"labels": False, "ticks": False, "grid": False},
    )
    cut = cut_rule(model, at, frame, theme)
    return layered([*_distances(data, frame, theme), *_cases(data, r.class_titles, frame, theme), *cut], frame)


def _rows(r: Ranking, chosen: Array, at: float) -> list[dict[str, Any]]:
    """Return a row for each class that has cases of a score, from the lowest score up."""
    flagged = chosen < r.cut(at)
    return [
        {
            "x": on_axis(float(r.score[cell])),
            "y": height + (0.25 - 0.5 * which if r.pos[cell] and r.neg[cell] else 0.0),
            "boundary": on_axis(at) if math.isfinite(at) else at,
            "class": r.class_titles[which],
            "cases": written(weights[cell]),
            "distance": on_axis(float(r.score[cell]) - at),
            "side": "right" if is_flagged == (which == 0) else "wrong",
        }
        for height, (cell, is_flagged) in enumerate(zip(chosen[::-1], flagged[::-1], strict=True), 1)
        for which, weights in enumerate((r.pos, r.neg))
        if weights[cell]
    ]


def _distances(data: list[dict[str, Any]], frame: Frame, theme: Theme) -> list[Any]:
    finite = [row for row in data if math.isfinite(row["boundary"])]
    lines = alt.Chart(inline(finite)).mark_rule(strokeWidth=1, stroke=theme.reference, opacity=0.6)
    return [lines.encode(**axes(frame), x2=alt.X2("boundary:Q")), *_written_distances(finite, frame, theme)]


def _written_distances(data: list[dict[str, Any]], frame: Frame, theme: Theme) -> list[Any]:
    """Draw the distances as numbers above their lines, in a short list and where there is room."""
    low, high = frame.x_domain
    rows = [
        {"x": (row["x"] + row["boundary"]) / 2, "y": row["y"], "distance": row["distance"]}
        for row in data
        if abs(row["distance"]) > _SHORT * (high - low)
    ]
    if not rows or len(data) > MOST_WRITTEN:
        return []
    text = alt.Chart(inline(rows)).mark_text(dy=-6, fontSize=9, color=theme.text)
    return [text.encode(**axes(frame), text=alt.Text("distance:Q", format=".3~g"))]


def _cases(data: list[dict[str, Any]], classes: tuple[str, str], frame: Frame, theme: Theme) -> list[Any]:
    """Draw the cases: the shape is the class, filled where the case is on the wrong side."""
    rows = [row if math.isfinite(row["boundary"]) else row | {"boundary": None, "distance": None} for row in data]
    scale = alt.Scale(domain=list(classes), range=list(SHAPES))
    colours = alt.Scale(domain=list(classes), range=[theme.colour(0), theme.colour(1)])
    fills = {"right": theme.ground, "wrong": theme.text}
    fill = alt.Fill(
        "side:N",
        scale=alt.Scale(domain=list(fills), range=list(fills.values())),
        legend=alt.Legend(title="Side of the boundary", symbolType="circle", symbolStrokeColor=theme.text),
    )
    points = alt.Chart(inline(rows)).mark_point(size=70, strokeWidth=2, opacity=1)
    tooltip = [
        alt.Tooltip("class:N", title="Class"),
        alt.Tooltip("x:Q", title="Score", format=".15~g"),
        alt.Tooltip("distance:Q", title="Distance", format=".6~g"),
        alt.Tooltip("cases:N", title="Cases"),
    ]
    return [
        points.encode(
            **axes(frame),
            shape=alt.Shape("class:N", scale=scale, legend=alt.Legend(title="Class", symbolFillColor=theme.ground)),
            stroke=alt.Stroke("class:N", scale=colours, legend=alt.Legend(title="Class", symbolFillColor=theme.ground)),
            fill=fill,
            tooltip=tooltip,
        )
    ]
