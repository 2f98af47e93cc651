"""Charts of what only several models can tell: which of them leads in which region, and by how much."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.layers import (
    EVERY_DIGIT,
    Frame,
    Models,
    Series,
    apart,
    axes,
    frame_of,
    heading,
    layered,
    line_layers,
    model_series,
    on_axis,
    reference_series,
)
from cutline.charts.lines import BASELINE, curves_of
from cutline.charts.marks import Mark, cut_marks, cut_rule, mark_layers, rule_layer
from cutline.charts.picture import inline
from cutline.charts.theme import DASHES, Theme
from cutline.core.array_ops import Array
from cutline.core.counts import written
from cutline.core.errors import InputError, ParameterError, near
from cutline.core.ranking import Ranking
from cutline.core.table import p_shown, shown
from cutline.core.validation import check_level
from cutline.curves import THRESHOLD, Curve, Point
from cutline.inference.differences.difference import ConfidenceCurve
from cutline.inference.differences.dominance import Dominance, of_curves, of_thresholds, visible
from cutline.measures import MEASURES, Needs
from cutline.results.method_titles import method_title

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


# ---------------------------------------------------------------------- areas of dominance

# By the kind of curve: what is compared along its axis, and the curve that is drawn. Precision and recall are compared
# as Davis and Goadrich join them, so that is what is drawn.
KINDS = {
    "roc": ("roc", "roc"),
    "precision_recall": ("precision_recall", "precision_recall_davis_goadrich"),
    "gain": ("quota", "gain"),
    "lift": ("quota", "lift"),
    "hit_rate": ("quota", "hit_rate"),
    "qrecall": ("quota", "qrecall"),
}


def dominance_chart(models: Models, theme: Theme, *, kind: str = "roc") -> Any:
    """Draw the curves of several models, and below them which of them leads in which region, as coloured spans."""
    if len(models) < 2:
        raise ParameterError("dominance compares models, but one was given", "pass two or more")
    dominance, drawn_kind = _find_leaders(models, kind)
    curves = curves_of(models, drawn_kind)
    references = {"baseline": BASELINE} if "baseline" in next(iter(curves.values())).beside else {}
    frame = frame_of(curves, models, title=f"Areas of dominance: {_title(curves)}", subtitle=apart(curves, references))
    own = model_series(curves, theme, frame.x_domain)
    numbered = [replace(line, name=f"{i}  {line.name}") for i, line in enumerate(own, 1)]
    series = [*numbered, *reference_series(curves, theme, references)]
    marks = mark_layers(cut_marks(models, curves, theme, [line.name for line in numbered]), frame, theme)
    top = layered([*line_layers(series, frame), *marks], frame)
    band = _band(dominance, frame, theme)
    return alt.vconcat(top, band, spacing=6).resolve_scale(color="independent", strokeDash="independent")


def _title(curves: dict[str, Curve]) -> str:
    return next(iter(curves.values())).title


def _find_leaders(models: Models, kind: str) -> tuple[Dominance, str]:
    """Return which model leads in which region of a kind of curve, and the curve that shows it."""
    rankings = [model.ranking for model in models.values()]
    if kind in KINDS:
        curve, drawn_kind = KINDS[kind]
        if curve == "quota" and len({(float(r.positives), float(r.total)) for r in rankings}) > 1:
            raise InputError(
                f"{kind} compares places of one list, but the models rank different cases", "pass the same"
            )
        return of_curves(curve, list(models), rankings), drawn_kind
    measure = MEASURES[kind] if kind in MEASURES else None  # noqa: SIM401
    if measure is None or measure.needs is not Needs.COUNTS or measure.better is None:
        raise ParameterError(
            f"is {kind!r}",
            f"pass {', '.join(KINDS)}, or a measure of one cut that is good or bad, such as f1",
            argument="kind",
            hint=near(kind, KINDS),
        )
    if len({r.higher_is_positive for r in rankings}) > 1:
        raise InputError("Of some models high scores are positive, of others low ones: they share no threshold.")
    return of_thresholds(measure, list(models), rankings), measure.name


LANE = 12  # the height of the lane of a model, in pixels


def _band(dominance: Dominance, frame: Frame, theme: Theme) -> Any:
    """Draw the spans below the curves, each in the lane of the model that leads: they need no colour to be told
    apart.

    Models that are equally good have a span each; where they take turns too fast to be drawn, the spans are grey.
    """
    numbers = {name: str(i) for i, name in enumerate(dominance.names, 1)}
    data = [
        {"start": span.low, "end": span.high, "in_turn": in_turn}
        | {"names": f"{', '.join(span.best)}, in turn" if in_turn else " and ".join(span.best)}
        | {"lane": [numbers[name] for name in span.best]}
        for span, in_turn in visible(dominance.spans, *frame.x_domain)
        if span.best
    ]
    colours = alt.Scale(domain=list(numbers.values()), range=[theme.colour(i) for i in range(len(numbers))])
    in_turn = {"test": "datum.in_turn", "value": theme.reference}
    own = alt.Color("lane:N", scale=colours, legend=None, condition=in_turn)
    return (
        alt.Chart(inline(data), width=frame.width, height=LANE * len(numbers))
        .transform_flatten(["lane"])
        .mark_rect()
        .encode(
            x=alt.X("start:Q", title=None, scale=alt.Scale(domain=list(frame.x_domain), nice=False), axis=None),
            x2=alt.X2("end:Q"),
            y=alt.Y("lane:N", title="Leads", sort=None, scale=alt.Scale(domain=list(numbers.values()))),
            color=own,
            tooltip=[
                alt.Tooltip("names:N", title="Leads"),
                alt.Tooltip("start:Q", title="From", format=".4~f"),
                alt.Tooltip("end:Q", title="To", format=".4~f"),
            ],
        )
    )


# ---------------------------------------------------------------------- a difference


def confidence_curve(confidence: ConfidenceCurve, theme: Theme, *, level: float = 0.95) -> Any:
    """Draw how compatible each true difference is with the data, with the line of a level and the one of no
    difference.
    """
    level = check_level(level)
    if not len(confidence.x):
        why = f": {confidence.notes[0]}" if confidence.notes else ""
        raise InputError(f"The difference {confidence.measure} has no interval{why}, so it has no confidence curve.")
    inside = confidence.x[confidence.y >= 1 - level - 1e-9]
    low, high = min(float(confidence.x.min()), 0.0), max(float(confidence.x.max()), 0.0)
    room = 0.03 * (high - low) or 1.0
    ends = f"{shown(float(inside.min()))} to {shown(float(inside.max()))}"
    words = f"{100 * level:g} % interval {ends} ({method_title(confidence.method)})"
    frame = Frame(
        "True difference",
        "p-value (1 - confidence level)",
        (low - room, high + room),
        (0.0, 1.0),
        f"Confidence curve of {confidence.measure}",
        [f"Observed {shown(confidence.value)}, p {p_shown(confidence.p_value)} (no difference)", words],
    )
    columns = {"x": confidence.x, "y": confidence.y}
    series = [
        Series("confidence curve", columns, theme.colour(0), DASHES[0]),
        Series(
            f"{100 * level:g} % level",
            {"x": list(frame.x_domain), "y": [1 - level] * 2},
            theme.colour(1),
            DASHES[1],
            1.5,
        ),
    ]
    observed = Mark("observed difference", Point(float("nan"), confidence.value, 1.0), "circle", theme.text)
    rules = rule_layer({"no difference": 0.0}, "x", frame, theme)
    return layered([*rules, *line_layers(series, frame), *mark_layers([observed], frame, theme)], frame)
