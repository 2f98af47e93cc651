"""ROC space and the space of precision and recall: curves, hulls, shaded areas, lines of equal value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Place, Requires, Shows, declare_chart
from cutline.charts.layers import (
    Frame,
    Models,
    Series,
    Shade,
    combine_layers,
    draw_lines,
    encode_axes,
    explain_omitted_references,
    list_model_series,
    list_reference_series,
    list_rows,
    make_frame,
    make_line_legend,
)
from cutline.charts.lines import BASELINE, find_curves
from cutline.charts.marks import Mark, draw_marks, list_cut_marks
from cutline.charts.theme import DASHES, DOTTED, Theme
from cutline.charts.vega_lite import make_data
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.core.validation import check_text
from cutline.curves import Curve, IsoCost, Point, curve, describe_line, iso_cost, isometrics, simplify_curve
from cutline.curves.roc_space import Space
from cutline.inference.single.bands import Band, pr_band, roc_band
from cutline.measures import MEASURES
from cutline.results.resample_budget import RESAMPLES, choose_resamples

# What a band holds, by its name: in words, and how it is asked for.
KINDS: dict[str, tuple[str, dict[str, bool]]] = {
    "pointwise": ("point by point", {}),
    "simultaneous": ("of the whole curve at once", {"simultaneous": True}),
    "guaranteed": ("of the whole curve at once, for any scores", {"guaranteed": True}),
}
_BANDS: dict[str, Callable[..., Band]] = {"roc": roc_band, "precision_recall": pr_band}
_MOST_MODELS = 3  # more bands hide each other


class BandRequest(NamedTuple):
    """The band to draw, if any, and how it is made."""

    curve: str
    kind: str | None
    level: float
    seed: int


def draw_bands(models: Models, request: BandRequest, frame: Frame, theme: Theme) -> tuple[list[Any], Frame]:
    """Return the layers of the bands, and the frame with a line that explains the shading.

    Args:
        models: The models by name.
        request: The band to draw.
        frame: The frame of the chart.
        theme: The colours.
    """
    if request.kind is None:
        return [], frame
    known = [name for name in KINDS if request.curve == "roc" or name != "guaranteed"]
    if not isinstance(request.kind, str) or request.kind not in known:
        raise ParameterError(f"is {request.kind!r}", f"pass {', '.join(map(repr, known))}", argument="band")
    if len(models) > _MOST_MODELS:
        raise ParameterError(
            f"The bands of {len(models)} models would hide one another",
            f"draw at most {_MOST_MODELS}, or leave band out",
        )
    words, how = KINDS[request.kind]
    layers = [
        _shade_band(_compute_band(model, request, how), theme.colour(i), frame)
        for i, model in enumerate(models.values())
    ]
    return layers, replace(frame, subtitle=[*frame.subtitle, f"Shaded: {100 * request.level:g} % band, {words}"])


def _compute_band(model: Any, request: BandRequest, how: dict[str, bool]) -> Band:
    if getattr(model, "grouped", False) and not hasattr(model, "groups"):
        raise ParameterError("The groups of the cases are not known here", "draw the chart of the evaluation itself")
    data = model if hasattr(model, "groups") else model.ranking
    resampling = {} if "guaranteed" in how else {"seed": request.seed}
    times = choose_resamples(len(model.ranking))
    if resampling and times < RESAMPLES:  # a long list gets fewer, as its other intervals do
        resampling["resamples"] = times
    return _BANDS[request.curve](data, level=request.level, **how, **resampling)


def _shade_band(band: Band, colour: str, frame: Frame) -> Any:
    data = list_rows({"x": band.x, "y": band.low, "y2": band.high})
    area = alt.Chart(make_data(data)).mark("area", opacity=0.2, line=False, color=colour, clip=True)
    return area.encode(**encode_axes(frame), y2=alt.Y2("y2:Q")).drawn_from(Shade(band.x, band.low, band.high, colour))


HULL_WIDTH = 1.5
# The areas of Berrar's Figure 6: under the curve, between it and the diagonal, under the hull.
SHADES = ("auc", "gini", "auch")


@declare_chart(
    title="ROC curve",
    caption="The recall against the false positive rate at every cut, with the hull, the diagonal and the EER.",
    source="Berrar, Figures 5a and 6a to 6c; Murphy, Figures 1 and 2",
    cut=CutPlace("fpr", "recall"),
    places=Place.PAGE_FIRST | Place.GALLERY | Place.FOLDER,
    curves=("roc_hull",),
)
def roc(
    models: Models,
    theme: Theme,
    *,
    hull: bool = True,
    points: bool = True,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    shade: str | None = None,
    eer_line: bool = False,
    equal: str | None = None,
    band: str | None = None,
    label: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> alt.Chart:
    """Draw ROC curves with the diagonal and the chosen cuts; for one model also its hull, named points and iso-cost
    line.

    Args:
        models: The models by name.
        theme: The colours.
        hull: Whether the convex hull of one model is drawn.
        points: Whether the equal error rate and the largest J of one model are marked.
        cost_fp: What a false positive costs; with a cost, the line of the least expected cost is drawn.
        cost_fn: What a missed positive costs.
        shade: The measure of one model whose area is shaded: "auc", "gini" or "auch".
        eer_line: Whether the line FPR = 1 - TPR is drawn, on which the equal error rate is read.
        equal: A measure of one cut whose lines of equal value are drawn, such as "accuracy".
        band: The confidence band to shade: "pointwise", "simultaneous" or "guaranteed" (docs/intervals.md).
        label: What the legend calls the curve of one model, in place of its name; such as its AUC with the interval.
        level: The level of the band.
        seed: The seed of the resamples that make it.
    """
    _check_choices({"hull": hull, "points": points, "eer_line": eer_line}, shade)
    costs = {name: value for name, value in (("cost_fp", cost_fp), ("cost_fn", cost_fn)) if value is not None}
    if costs and len(models) > 1:
        raise ParameterError("cost_fp and cost_fn draw the line of one model", "pass one, or leave them out")
    if shade is not None and len(models) > 1:
        raise ParameterError("shade fills an area of one model", "pass one, or leave it out")
    curves = find_curves(models, "roc")
    bands, frame = draw_bands(models, BandRequest("roc", band, level, seed), make_frame(curves), theme)
    series, marks = list_model_series(curves, theme), list_cut_marks(models, curves, theme)
    if label is not None and len(models) == 1:
        series[0] = replace(series[0], name=check_text(label, "label", "AUC 0.84 (0.80 to 0.87)"))
        marks = [replace(mark, series=series[0].name) for mark in marks]
    if len(models) == 1:
        [model], [own_curve] = models.values(), curves.values()
        series += [_make_hull_series(curve(model.ranking, "roc_hull"), theme)] if hull or shade == "auch" else []
        marks += _list_marks(own_curve, theme) if points else []
        if costs:
            line, mark = _draw_equal_cost(iso_cost(model.ranking, **costs), theme)
            series, marks = [*series, line], [*marks, mark]
    series += list_reference_series(curves, theme, {"baseline": BASELINE})
    if eer_line:
        series.append(Series("FPR = 1 - TPR", {"x": [0, 1], "y": [1, 0]}, theme.reference, DASHES[2], 1.5))
    below = [*_shade_area(models, curves, shade, frame, theme), *draw_equal_lines(models, equal, "roc", frame, theme)]
    return combine_layers([*bands, *below, *draw_lines(series, frame), *draw_marks(marks, frame, theme)], frame)


def _check_choices(flags: Mapping[str, Any], shade: Any) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ParameterError(f"is {value!r}", "pass True or False", argument=name)
    if shade is not None and shade not in SHADES:
        raise ParameterError(f"is {shade!r}", "pass 'auc', 'gini' or 'auch'", argument="shade")


def _make_hull_series(around: Curve, theme: Theme) -> Series:
    name, columns = f"convex hull: {format_value(around.area)}", describe_line(around, simplify_curve(around))
    return Series(name, columns, theme.colour(1), DASHES[1], HULL_WIDTH, below=True)


def _list_marks(own_curve: Curve, theme: Theme) -> list[Mark]:
    best = f"max J {format_value(own_curve.values['max_youden_j'])}"
    return [
        Mark(f"EER {format_value(own_curve.values['eer'])}", own_curve.points["eer"], "diamond", theme.colour(3)),
        Mark(best, own_curve.points["max_youden_j"], "triangle-up", theme.colour(2)),
    ]


def _draw_equal_cost(line: IsoCost, theme: Theme) -> tuple[Series, Mark]:
    ends = {"x": [0, 1], "y": [line.intercept, line.intercept + line.slope]}
    series = Series(f"equal cost {format_value(line.cost)}", ends, theme.colour(4), DASHES[3], 1.5)
    return series, Mark("least cost", line.point, "square", theme.colour(4))


def _shade_area(
    models: Models, curves: Mapping[str, Curve], shade: str | None, frame: Frame, theme: Theme
) -> list[alt.Chart]:
    """Shade the area that is a measure, with its name and value."""
    if shade is None:
        return []
    [model], [own_curve] = models.values(), curves.values()
    upper = simplify_curve(curve(model.ranking, "roc_hull") if shade == "auch" else own_curve)
    diagonal = simplify_curve(own_curve.beside["baseline"])
    floor = np.interp(upper.x, diagonal.x, diagonal.y) if shade == "gini" else 0 * upper.x
    chosen = MEASURES[shade]
    name = f"{chosen.title}: {format_value(float(chosen.compute(model.ranking)))}"
    data = list_rows({"x": upper.x, "y": upper.y, "y2": floor}, area=name)
    fill = alt.Fill(
        "area:N",
        scale=alt.Scale(domain=[name], range=[theme.colour(0)]),
        legend=alt.Legend(title="Area", symbolType="square", symbolOpacity=0.5),
    )
    area = alt.Chart(make_data(data)).mark("area", opacity=0.2, line=False, order=False)
    return [
        area.encode(**encode_axes(frame), y2=alt.Y2("y2:Q"), fill=fill, tooltip=[alt.Tooltip("area:N", title="Area")])
    ]


def draw_equal_lines(models: Models, measure: str | None, space: Space, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the lines of equal value of a measure, each with its value at its end.

    They depend on the prevalence, which the models of one picture have to share.
    """
    if measure is None:
        return []
    rankings = [model.ranking for model in models.values()]
    if len({round(float(r.positives) / float(r.total), 12) for r in rankings}) > 1:
        raise InputError(
            "Lines of equal value need one prevalence, but the models have several", "pass models on the same cases"
        )
    return _draw_isometrics(rankings[0], measure, space, frame, theme)


def _draw_isometrics(r: Ranking, measure: str, space: Space, frame: Frame, theme: Theme) -> list[alt.Chart]:
    isolines = isometrics(r, measure, space)
    name = f"equal values: {MEASURES[measure].title}"
    data = [row for line in isolines for row in list_rows({"x": line.x, "y": line.y}, level=line.level, name=name)]
    ends = [{"x": float(line.x[-1]), "y": float(line.y[-1]), "text": f"{line.level:.2g}"} for line in isolines]
    stroke = alt.Stroke(
        "name:N",
        scale=alt.Scale(domain=[name], range=[theme.reference]),
        legend=make_line_legend(symbolStrokeWidth=0.8),
    )
    lines = alt.Chart(make_data(data)).mark("line", strokeWidth=0.8, order=False, interpolate="linear")
    text = alt.Chart(make_data(ends)).mark("text", fontSize=9, color=theme.text, align="right", dx=-2, dy=6)
    return [
        lines.encode(
            **encode_axes(frame),
            detail=alt.Detail("level:N"),
            stroke=stroke,
            tooltip=[alt.Tooltip("level:Q", title=name)],
        ),
        text.encode(**encode_axes(frame), text=alt.Text("text:N")),
    ]


# ---------------------------------------------------------------------- precision and recall


@declare_chart(
    title="Precision-recall curve",
    caption="The precision against the recall at every cut, as steps, with the prevalence as the baseline.",
    source="Berrar, Figure 5c; Murphy, Figure 3",
    needs=Requires.POSITIVES,
    cut=CutPlace("recall", "precision"),
    places=Place.PAGE_FIRST | Place.GALLERY | Place.FOLDER,
)
def precision_recall(
    models: Models,
    theme: Theme,
    *,
    equal: str | None = None,
    band: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> alt.Chart:
    """Draw precision-recall curves as steps, with the prevalence and the chosen cuts.

    Args:
        models: The models by name.
        theme: The colours.
        equal: A measure of one cut whose lines of equal value are drawn, such as "f1".
        band: The confidence band to shade: "pointwise" or "simultaneous" (docs/intervals.md).
        level: The level of the band.
        seed: The seed of the resamples that make it.
    """
    curves = find_curves(models, "precision_recall")
    references = {"baseline": "prevalence"}
    frame = make_frame(curves)
    frame = make_frame(curves, subtitle=[*frame.subtitle, *explain_omitted_references(curves, references)])
    bands, frame = draw_bands(models, BandRequest("precision_recall", band, level, seed), frame, theme)
    series = [*list_model_series(curves, theme), *list_reference_series(curves, theme, references)]
    marks = draw_marks(list_cut_marks(models, curves, theme), frame, theme)
    below = draw_equal_lines(models, equal, "precision_recall", frame, theme)
    return combine_layers([*bands, *below, *draw_lines(series, frame), *marks], frame)


# ---------------------------------------------------------------------- several models


@declare_chart(
    title="Hard classifiers in ROC space",
    caption="A point for each table of counts, with lines of equal value if wanted.",
    shows=Shows.TABLES,
    source="Murphy, Table 4",
    places=Place.GALLERY,
)
def roc_points(tables: Mapping[str, Counts], theme: Theme, *, equal: str | None = None) -> alt.Chart:
    """Draw hard classifiers as points of ROC space: a table of counts each, with lines of equal value if wanted.

    Args:
        tables: The counts of each classifier, by name.
        theme: The colours.
        equal: A measure of one cut whose lines of equal value are drawn; the classifiers then share one prevalence.
    """
    points = {name: Point(float("nan"), float(table.fpr), float(table.recall)) for name, table in tables.items()}
    shapes = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
    marks = [
        Mark(name, point, shapes[i % len(shapes)], theme.colour(i)) for i, (name, point) in enumerate(points.items())
    ]
    x, y = MEASURES["fpr"].title, MEASURES["recall"].title
    frame = Frame(x, y, (0.0, 1.0), (0.0, 1.0), "Hard classifiers in ROC space")
    diagonal = Series(BASELINE, {"x": [0, 1], "y": [0, 1]}, theme.reference, DOTTED, 1.5)
    below = []
    if equal is not None:
        first = next(iter(tables.values()))
        r = Ranking.of_counts([1.0, 0.0], [first.tp, first.fn], [first.fp, first.tn])
        if any(abs(table.prevalence - first.prevalence) > 1e-9 for table in tables.values()):
            raise InputError("Lines of equal value need one prevalence, but the tables have several", "leave equal out")
        below = _draw_isometrics(r, equal, "roc", frame, theme)
    return combine_layers([*below, *draw_lines([diagonal], frame), *draw_marks(marks, frame, theme)], frame)
