"""Charts that are not lines over a curve: portions, score distributions, tables, losses."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Place, Requires, Shows, declare_chart
from cutline.charts.layers import (
    AREAS,
    EVERY_DIGIT,
    Evaluated,
    Frame,
    Models,
    Series,
    clip_to_axis,
    combine_layers,
    describe_cases,
    draw_lines,
    encode_axes,
    encode_fading,
    list_rows,
    list_tooltips,
    make_frame,
    make_legend_selection,
)
from cutline.charts.lines import find_curves
from cutline.charts.marks import draw_cut_rule, draw_rules
from cutline.charts.theme import DASHES, SHORTENED, Theme
from cutline.charts.vega_lite import format_rule, format_score, make_data
from cutline.core.array_ops import Array
from cutline.core.counts import Counts, format_number
from cutline.core.errors import ParameterError, shorten_repr
from cutline.core.ranking import Ranking, plural_titles
from cutline.core.table import format_value
from cutline.core.validation import check_number
from cutline.curves import THRESHOLD, Curve, CurveLine, compute_loss_curves, curve, describe_line, simplify_curve
from cutline.curves.curve_type import select_cuts
from cutline.curves.quota_curves import compute_hinge_losses, order_names
from cutline.measures import MEASURES, Needs

# ---------------------------------------------------------------------- portions of the list


MOST_PORTIONS = 100
MOST_BARS = 4  # side by side, in colours that differ in black and white too


@declare_chart(
    title="Lift by portions of the list",
    caption="The lift of each tenth of the list, from its top.",
    source="Arbel and Rokach, Figure 3",
    needs=Requires.POSITIVES,
    names_model=False,
)
def portion_lift(models: Models, theme: Theme, *, portions: int = 10) -> alt.Chart:
    """Draw the lift of each portion of the list as bars; as lines for many models."""
    curves = find_curves(models, "portion_lift", portions=portions)
    if portions > MOST_PORTIONS:
        raise ParameterError(
            f"is {portions}, but a chart shows {MOST_PORTIONS} at most", "pass fewer", argument="portions"
        )
    frame = make_frame(curves)
    baseline = draw_rules({"baseline": 1.0}, "y", frame, theme)
    if len(curves) <= MOST_BARS:
        return combine_layers([_draw_bars(curves, frame, theme), *baseline], frame)
    frame = replace(frame, x_domain=(1, max(portions, 2)))
    series = [
        Series(name, {"x": lift.x[1:], "y": lift.y[1:]} | _list_portions(lift), theme.colour(i), DASHES[i])
        for i, (name, lift) in enumerate(curves.items())
    ]
    return combine_layers([*baseline, *draw_lines(series, frame)], frame)


def _draw_bars(curves: Mapping[str, Curve], frame: Frame, theme: Theme) -> alt.Chart:
    """Draw a bar for each portion and model; a click in the legend picks out a model."""
    data = [row for name, lift in curves.items() for row in list_rows(_list_portions(lift), series=name)]
    names, clicked = list(curves), make_legend_selection(frame)
    legend = alt.Legend(title=None, labelExpr=SHORTENED) if len(names) > 1 else None
    bars = (
        alt.Chart(make_data(data))
        .mark("bar", strokeWidth=1, stroke=theme.text)
        .encode(
            x=alt.X("portion:O", title=frame.x, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("lift:Q", title=frame.y, scale=alt.Scale(domain=list(frame.y_domain), nice=False)),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=names, range=theme.fills(len(names))),
                legend=legend,
                sort=None,
            ),
            opacity=encode_fading(frame),
            tooltip=list_tooltips(data[0]),
        )
        .add_params(clicked)
    )
    return bars.encode(xOffset=alt.XOffset("series:N", sort=names)) if len(names) > 1 else bars


def _list_portions(lift: Curve) -> dict[str, Any]:
    columns = describe_line(lift, CurveLine(np.arange(1, len(lift)), lift.x[1:], lift.y[1:]))
    counts = {name: column for name, column in columns.items() if name not in "xy"}
    return {"portion": lift.x[1:], "lift": lift.y[1:], "inside": np.diff(lift.counts.tp)} | counts


# ---------------------------------------------------------------------- scores of the two classes


MISSED, FALSE_ALARMS = "missed positives", "false alarms"


@declare_chart(
    title="Scores of the two classes",
    caption="The scores of the positives and of the negatives as densities, with the two kinds of errors shaded.",
    shows=Shows.ONE,
    source="Arbel and Rokach, Figure 9",
    needs=Requires.BOTH_CLASSES | Requires.FINITE_SCORES,
    cut=CutPlace("threshold"),
    places=Place.PAGE_FIRST | Place.GALLERY | Place.FOLDER | Place.EACH,
    names_model=False,
)
def score_distribution(models: Models, theme: Theme, *, bins: int | None = None) -> alt.Chart:
    """Draw the scores of the two classes as densities, with the two kinds of errors at the cut as areas."""
    [(_, model)] = models.items()
    density = _find_distribution(model, bins)
    at = [model.threshold] if math.isfinite(model.threshold) else []
    x_domain = THRESHOLD.choose_domain(np.append(density.x, at))
    frame = make_frame({"": density}, subtitle=[describe_cases(model)], x_domain=x_domain)
    classes = dict(zip(plural_titles(model.ranking), (None, "negatives"), strict=True))
    outlines = [
        Series(name, describe_line(density, _close_outline(simplify_curve(density, other))), theme.colour(i), DASHES[i])
        for i, (name, other) in enumerate(classes.items())
    ]
    cut = draw_cut_rule(model, model.threshold, frame, theme)
    return combine_layers([_shade_errors(model, bins, frame, theme), *draw_lines(outlines, frame), *cut], frame)


def _find_distribution(model: Evaluated, bins: int | None) -> Curve:
    parameters = {"through": model.threshold} | ({} if bins is None else {"bins": bins})
    return curve(model.ranking, "score_distribution", **parameters)


def list_error_bars(model: Evaluated, bins: int | None = None) -> list[dict[str, Any]]:
    """Return the bars of both densities, each with the error that it shows on one side of a cut.

    `below` says on which: positives with scores below the cut are missed, negatives above it are false alarms, and the
    other way round where low scores are positive.

    Args:
        model: The evaluation.
        bins: The number of bins; chosen by the number of cases when None.
    """
    distribution = _find_distribution(model, bins)
    density = {MISSED: distribution.y, FALSE_ALARMS: distribution.also["negatives"]}
    edges = distribution.x.tolist()
    return [
        {
            "x": min(edge, next_edge),
            "x2": max(edge, next_edge),
            "y": y,
            "zero": 0,
            "below": (error == MISSED) == model.ranking.higher_is_positive,
            "error": error,
        }
        for error in density
        for edge, next_edge, y in zip(edges[:-1], edges[1:], density[error][1:].tolist(), strict=True)
    ]


def _shade_errors(model: Evaluated, bins: int | None, frame: Frame, theme: Theme) -> alt.Chart:
    """Draw the bars on the wrong side of the cut, as data called "areas", so that a program can replace them."""
    at, counts = model.threshold, model.ranking.at_threshold(model.threshold)
    wrong = [bar for bar in list_error_bars(model, bins) if (bar["x2"] <= at if bar["below"] else bar["x"] >= at)]
    numbers = {MISSED: format_number(counts.fn), FALSE_ALARMS: format_number(counts.fp)}
    label_with_count = f"datum.label + ': ' + {json.dumps(numbers)}[datum.label]"
    scale = alt.Scale(domain=list(numbers), range=[theme.colour(0), theme.colour(1)])
    return (
        alt.Chart(make_data(wrong, name=AREAS))
        .mark("rect", opacity=0.4)
        .encode(
            **encode_axes(frame),
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("zero:Q"),
            fill=alt.Fill(
                "error:N",
                scale=scale,
                legend=alt.Legend(title="Errors at the cut", labelExpr=label_with_count),
                sort=None,
            ),
            tooltip=[alt.Tooltip("error:N", title="Errors")],
        )
        .drawn_from(())  # they shade the lines, and say no more
    )


def _close_outline(line: CurveLine) -> CurveLine:
    """Return the outline of a histogram, closed at the axis."""
    return CurveLine(np.append(line.vertex, line.vertex[-1]), np.append(line.x, line.x[-1]), np.append(line.y, 0.0))


# ---------------------------------------------------------------------- without predictions


@declare_chart(
    title="Losses of a positive case",
    caption="The 0-1, hinge, logistic and focal loss by the margin.",
    shows=Shows.NOTHING,
    source="Berrar, Figure 7",
    needs=Requires.NOTHING,
)
def losses(models: Models, theme: Theme, *, gamma: float = 2.0) -> alt.Chart:  # noqa: ARG001
    """Draw the losses of a positive case by its margin: 0-1, hinge, logistic and focal."""
    margin, loss_by_name = compute_loss_curves(gamma=check_number(gamma, "gamma"))
    frame = Frame(
        "Margin (signed distance from the boundary)", "Loss", (-3.0, 3.0), (0.0, 4.0), "Losses of a positive case"
    )
    series = [
        Series(name, {"x": margin, "y": value}, theme.colour(i), DASHES[i])
        for i, (name, value) in enumerate(loss_by_name.items())
    ]
    return combine_layers(draw_lines(series, frame), frame)


# ---------------------------------------------------------------------- tables as pictures


SAID = ("flagged", "not flagged", "all")


def _list_boxes(c: Counts) -> list[dict[str, str]]:
    """Return the boxes of the contingency table, its margins included: what each counts, and the rate that belongs to
    it.
    """
    cells = {
        (0, 0): ("true positives", c.tp, "recall"),
        (0, 1): ("false positives", c.fp, "fpr"),
        (1, 0): ("false negatives", c.fn, "fnr"),
        (1, 1): ("true negatives", c.tn, "specificity"),
        (0, 2): ("flagged", c.flagged, "precision"),
        (1, 2): ("not flagged", c.unflagged, "npv"),
        (2, 0): ("positives", c.positives, "prevalence"),
        (2, 1): ("negatives", c.negatives, ""),
        (2, 2): ("cases", c.total, "accuracy"),
    }
    return [
        {
            "real": (*c.class_titles, "all")[j],
            "said": SAID[i],
            "what": what,
            "count": format_number(count),
            "rate": f"{MEASURES[rate].title.lower()} {format_value(float(MEASURES[rate].compute(c)))}" if rate else "",
            "kind": "margin" if 2 in (i, j) else ("right" if i == j else "wrong"),
        }
        for (i, j), (what, count, rate) in cells.items()
    ]


@declare_chart(
    title="Confusion matrix",
    caption="The contingency table of the chosen cut, with its rates.",
    shows=Shows.ONE,
    source="Berrar, Figure 3",
    needs=Requires.NOTHING,
    places=Place.FOLDER | Place.GALLERY,
    names_model=False,
)
def confusion_matrix(models: Models, theme: Theme) -> alt.Chart:
    """Draw the contingency table of the chosen cut with its rates."""
    [(_, model)] = models.items()
    axis_style: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 6}
    counts = model.ranking.at_threshold(model.threshold)
    above = alt.Axis(orient="top", labelAngle=0, **axis_style)
    base = alt.Chart(make_data(_list_boxes(counts))).encode(
        x=alt.X("real:N", sort=[*counts.class_titles, "all"], title="Real class", axis=above),
        y=alt.Y("said:N", sort=list(SAID), title="Predicted", axis=alt.Axis(**axis_style)),
        tooltip=[alt.Tooltip(f"{name}:N", title=name.capitalize()) for name in ("what", "count", "rate")],
    )
    fills = {"right": theme.colour(0), "wrong": theme.colour(1), "margin": theme.ground}
    boxes = base.mark("rect", stroke=theme.reference, strokeWidth=1, fillOpacity=0.22).encode(
        fill=alt.Fill("kind:N", scale=alt.Scale(domain=list(fills), range=list(fills.values())), legend=None)
    )
    text = [
        base.mark("text", dy=-22, fontSize=11, color=theme.text).encode(text=alt.Text("what:N")),
        base.mark("text", dy=0, fontSize=20, fontWeight="bold", color=theme.text).encode(text=alt.Text("count:N")),
        base.mark("text", dy=22, fontSize=11, color=theme.text).encode(text=alt.Text("rate:N")),
    ]
    title = f"Confusion matrix at {format_rule(model.ranking, model.threshold)}"
    return combine_layers([boxes, *text], Frame("", "", (0, 1), (0, 1), title, [describe_cases(model)], None, 560, 270))


PLAIN = ("score", "positives", "negatives", "tp", "recall", "fpr", "precision", "lift")
NAMED = ("threshold", "id", "class", "score", "recall", "fpr", "precision", "tp", "lift")  # Berrar's Figure 2
_TABLE_WIDTH = 640
_TITLES = {
    "threshold": "Threshold",
    "id": "Case",
    "class": "Class",
    "score": "Score",
    "positives": "Positives",
    "negatives": "Negatives",
    "tp": "True positives",
    "hinge": "Hinge loss",
}


def _write_cut_columns(
    r: Ranking, chosen: Array, columns: Sequence[str], names: Sequence[Any] | None
) -> dict[str, list[str]]:
    """Return the columns of the table at the chosen cuts; the thresholds stand between the rows."""
    c = r.counts
    at = select_cuts(c, chosen)
    formatters: dict[str, Callable[[], list[str]]] = {
        "id": lambda: [str((names or ())[cut - 1]) for cut in chosen],
        "class": lambda: [format_number(value) for value in r.share[chosen - 1]],
        "score": lambda: [format_score(r, float(value), fewer=2) for value in at.threshold],
        "positives": lambda: [format_number(value) for value in r.pos[chosen - 1]],
        "negatives": lambda: [format_number(value) for value in r.neg[chosen - 1]],
        "tp": lambda: [format_number(value) for value in at.tp],
        "hinge": lambda: [format_value(float(value)) for value in compute_hinge_losses(r)[chosen - 1]],
    }
    table = {}
    for name in columns:
        if name in formatters:
            table[_TITLES[name]] = formatters[name]()
        elif name != "threshold":
            table[MEASURES[name].title] = [format_value(float(value)) for value in MEASURES[name].compute(at)]
    return table


def _parse_columns(columns: Any, ids: Any) -> tuple[str, ...]:
    """Return the names of the columns of a ranking table; a text is split at commas."""
    if columns is None:
        return PLAIN if ids is None else NAMED
    names = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else list(columns)
    for name in names:
        is_measure = isinstance(name, str) and name in MEASURES and MEASURES[name].needs is Needs.COUNTS
        if not is_measure and name not in _TITLES:
            known = f"name some of {', '.join(_TITLES)} and measures of one cut, such as recall"
            raise ParameterError(f"names {shorten_repr(name)}", known, argument="columns")
    if not names:
        raise ParameterError("is empty", "name at least one column", argument="columns")
    if "id" in names and ids is None:
        raise ParameterError("names id, but the cases have no names", "pass ids too", argument="columns")
    return tuple(names)


def _name_cases(r: Ranking, ids: Any, scores: Any) -> Sequence[Any] | None:
    """Return the names of the cases from the top of the list."""
    if ids is None or scores is not None:
        return order_names(r, ids, scores)
    return order_names(r, ids, np.repeat(r.score, r.size.astype(int)))


@declare_chart(
    title="Ranking table",
    caption="The distinct scores in descending order, with what each cut gives.",
    shows=Shows.ONE,
    source="Berrar, Figures 2 and 8b",
    needs=Requires.NOTHING,
    places=Place.GALLERY,
    names_model=False,
)
def ranking_table(
    models: Models, theme: Theme, *, rows: int = 20, ids: Any = None, scores: Any = None, columns: Any = None
) -> alt.Chart:
    """Draw the ranking as a table (Berrar's Figures 2 and 8b): a row for each cut, and a line where the chosen one
    is.

    `ids` names the cases from the top of the list, or with `scores` in the order of these scores. `columns` are names
    such as "threshold", "id", "class", "score", "hinge" and measures of one cut.
    """
    [(_, model)] = models.items()
    r = model.ranking
    if isinstance(rows, bool) or not (isinstance(rows, int | np.integer) and 2 <= rows <= 60):
        raise ParameterError(f"is {rows!r}", "pass a whole number from 2 to 60", argument="rows")
    chosen = np.unique(np.linspace(1, len(r), min(rows, len(r))).round().astype(int))
    named = _parse_columns(columns, ids)
    table = _write_cut_columns(r, chosen, named, _name_cases(r, ids, scores))
    data = [{"row": i, "column": name, "text": text} for name, column in table.items() for i, text in enumerate(column)]
    if "threshold" in named:  # t1 is above the first row, and each other one below the row of its cut
        places = [(i - 0.5, cut) for i, cut in enumerate(chosen.tolist())]
        places.append((len(chosen) - 0.5, int(chosen[-1]) + 1))
        data += [{"row": at, "column": _TITLES["threshold"], "text": f"t{number}"} for at, number in places]
    titles = [_TITLES.get(name) or MEASURES[name].title for name in named]
    shown_rows = len(chosen)
    cut = format_rule(r, model.threshold)
    subtitle = [
        describe_cases(model) + ("" if shown_rows == len(r) else f"; {shown_rows} of {len(r)} distinct scores shown"),
        f"Above the dashed line: {cut}",
    ]
    base = alt.Chart(make_data(data)).encode(
        x=alt.X(
            "column:N",
            sort=titles,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False, labelLimit=120),
        ),
        y=alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[-0.7, shown_rows - 0.3], reverse=True, nice=False)),
    )
    text = base.mark("text", fontSize=12, color=theme.text).encode(text=alt.Text("text:N"))
    above = int(np.searchsorted(chosen, r.cut(model.threshold), side="right"))
    line = (
        alt.Chart(make_data([{"row": above - 0.5, "name": f"cut: {cut}"}]))
        .mark("rule", color=theme.colour(1), strokeWidth=2, strokeDash=[6, 3])
        .encode(y=alt.Y("row:Q"), tooltip=[alt.Tooltip("name:N", title="Line")])
    )
    if named[0] == "threshold":  # whose names stand where the line is: it begins beside them
        line = line.encode(x=alt.value(_TABLE_WIDTH / len(named)), x2=alt.value(_TABLE_WIDTH))
    frame = Frame("", "", (0, 1), (0, 1), "Ranking table", subtitle, None, _TABLE_WIDTH, 22 * shown_rows + 16)
    return combine_layers([text, line], frame)


# ---------------------------------------------------------------------- cases on both sides of the boundary


MOST_SCORES = 100


MOST_WRITTEN = 20  # distances that are written out


_SHORT = 0.08  # of the axis: a distance with no room for its number


SHAPES = ("circle", "square")


@declare_chart(
    title="Cases on both sides of the boundary",
    caption="The cases by their scores, with their distances from the boundary; errors are filled.",
    shows=Shows.ONE,
    source="Berrar, Figures 1 and 8a",
    needs=Requires.NOTHING,
    places=Place.GALLERY,
    cut=CutPlace("threshold"),
    names_model=False,
)
def boundary(models: Models, theme: Theme, *, scores: int = 40) -> alt.Chart:
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
    data = _list_rows(r, chosen, at)
    how_many = "" if len(chosen) == len(r) else f"; {len(chosen)} of {len(r)} distinct scores shown"
    values = np.array([*(row["x"] for row in data), *([at] if math.isfinite(at) else [])])
    frame = Frame(
        x="Score",
        y="",
        x_domain=THRESHOLD.choose_domain(values),
        y_domain=(0.0, len(chosen) + 1.0),
        title="Cases on both sides of the boundary",
        subtitle=[describe_cases(model) + how_many],
        width=420,
        height=min(480, 60 + 20 * len(chosen)),
        x_axis=EVERY_DIGIT,
        y_axis={"labels": False, "ticks": False, "grid": False},
    )
    cut = draw_cut_rule(model, at, frame, theme)
    return combine_layers(
        [*_draw_distances(data, frame, theme), *_draw_cases(data, r.class_titles, frame, theme), *cut], frame
    )


def _list_rows(r: Ranking, chosen: Array, at: float) -> list[dict[str, Any]]:
    """Return a row for each class that has cases of a score, from the lowest score up."""
    flagged = chosen < r.cut(at)
    return [
        {
            "x": clip_to_axis(float(r.score[cell])),
            "y": height + (0.25 - 0.5 * which if r.pos[cell] and r.neg[cell] else 0.0),
            "boundary": clip_to_axis(at) if math.isfinite(at) else at,
            "class": r.class_titles[which],
            "cases": format_number(weights[cell]),
            "distance": clip_to_axis(float(r.score[cell]) - at),
            "side": "right" if is_flagged == (which == 0) else "wrong",
        }
        for height, (cell, is_flagged) in enumerate(zip(chosen[::-1], flagged[::-1], strict=True), 1)
        for which, weights in enumerate((r.pos, r.neg))
        if weights[cell]
    ]


def _draw_distances(data: list[dict[str, Any]], frame: Frame, theme: Theme) -> list[alt.Chart]:
    finite = [row for row in data if math.isfinite(row["boundary"])]
    lines = alt.Chart(make_data(finite)).mark("rule", strokeWidth=1, stroke=theme.reference, opacity=0.6)
    return [lines.encode(**encode_axes(frame), x2=alt.X2("boundary:Q")), *_write_distances(finite, frame, theme)]


def _write_distances(data: list[dict[str, Any]], frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the distances as numbers above their lines, in a short list and if there is room."""
    low, high = frame.x_domain
    rows = [
        {"x": (row["x"] + row["boundary"]) / 2, "y": row["y"], "distance": row["distance"]}
        for row in data
        if abs(row["distance"]) > _SHORT * (high - low)
    ]
    if not rows or len(data) > MOST_WRITTEN:
        return []
    text = alt.Chart(make_data(rows)).mark("text", dy=-6, fontSize=9, color=theme.text)
    return [text.encode(**encode_axes(frame), text=alt.Text("distance:Q", format=".3~g"))]


def _draw_cases(data: list[dict[str, Any]], classes: tuple[str, str], frame: Frame, theme: Theme) -> list[alt.Chart]:
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
    points = alt.Chart(make_data(rows)).mark("point", size=70, strokeWidth=2, opacity=1)
    tooltip = [
        alt.Tooltip("class:N", title="Class"),
        alt.Tooltip("x:Q", title="Score", format=".15~g"),
        alt.Tooltip("distance:Q", title="Distance", format=".6~g"),
        alt.Tooltip("cases:N", title="Cases"),
    ]
    return [
        points.encode(
            **encode_axes(frame),
            shape=alt.Shape("class:N", scale=scale, legend=alt.Legend(title="Class", symbolFillColor=theme.ground)),
            stroke=alt.Stroke("class:N", scale=colours, legend=alt.Legend(title="Class", symbolFillColor=theme.ground)),
            fill=fill,
            tooltip=tooltip,
        )
    ]
