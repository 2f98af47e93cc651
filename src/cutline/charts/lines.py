"""Charts of curves: ROC, precision and recall, gain, lift, quotas, any measure over the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Place, Requires, Shows, declare_chart
from cutline.charts.layers import (
    Frame,
    Models,
    Series,
    choose_legend_title,
    combine_layers,
    describe_values,
    draw_lines,
    encode_axes,
    explain_omitted_references,
    label_line,
    list_model_series,
    list_reference_series,
    list_rows,
    make_frame,
    make_plain_series,
)
from cutline.charts.marks import Mark, draw_cut_rule, draw_marks, list_cut_marks
from cutline.charts.theme import DASHES, DOTTED, Theme
from cutline.charts.vega_lite import make_data
from cutline.core.errors import ParameterError
from cutline.core.table import format_value
from cutline.core.validation import check_number
from cutline.curves import (
    CURVES,
    Curve,
    Gap,
    Point,
    clip_to_edge,
    compute_deviates,
    curve,
    describe_line,
    find_det_reach,
    find_gap,
    make_det_line,
    simplify_curve,
    under_skew,
    with_prevalence,
)
from cutline.curves.threshold_curves import RATES

BASELINE = "baseline"
PERFECT = "perfect order"


def find_curves(models: Models, name: str, **parameters: Any) -> dict[str, Curve]:
    """Return the curve of each model."""
    return {key: curve(model.ranking, name, **parameters) for key, model in models.items()}


def draw_curves(models: Models, theme: Theme, kind: str, references: dict[str, str], **parameters: Any) -> alt.Chart:
    """Draw the curve of each model with its references, and the chosen cuts."""
    curves = find_curves(models, kind, **parameters)
    why = explain_omitted_references(curves, references)
    frame = make_frame(curves)
    frame = replace(frame, subtitle=[*frame.subtitle, *why])
    series = [*list_model_series(curves, theme), *list_reference_series(curves, theme, references)]
    marks = list_cut_marks(models, curves, theme, **parameters)
    return combine_layers([*draw_lines(series, frame), *draw_marks(marks, frame, theme)], frame)


@declare_chart(
    title="Detection error trade-off",
    caption="The two error rates against each other, on scales of normal deviates.",
    cut=CutPlace("fpr_deviate", "fnr_deviate"),
)
def det(models: Models, theme: Theme) -> alt.Chart:
    """Draw the two error rates against each other, on scales of normal deviates, with the equal error rate."""
    curves = find_curves(models, "det")
    reach = find_det_reach(curves.values())
    ticks = compute_deviates(list(RATES)).tolist()
    tick_names = {tick: f"{100 * rate:g} %" for tick, rate in zip(ticks, RATES, strict=True)}
    names = "; ".join(f"abs(datum.value - {tick:.6f}) < 0.001 ? '{name}'" for tick, name in tick_names.items())
    marked = {"values": ticks, "labelExpr": names.replace("; ", " : ") + " : ''"}
    words = describe_values(next(iter(curves.values()))) if len(curves) == 1 else []
    frame = make_frame(
        curves,
        subtitle=[*words, "Rates of 0 and 1 lie on the edges"],
        x_domain=(-reach, reach),
        y_domain=(-reach, reach),
        x_axis=marked,
        y_axis=marked,
        x_ticks=tick_names,
        y_ticks=tick_names,
    )
    series = [
        Series(
            label_line(name, model_curve, len(curves)),
            describe_line(model_curve, make_det_line(model_curve, reach)),
            theme.colour(i),
            DASHES[i],
        )
        for i, (name, model_curve) in enumerate(curves.items())
    ]
    ends = {"x": [-reach, reach], "y": [-reach, reach]}
    series.append(Series("equal error rates", ends, theme.reference, DOTTED, 1.5))
    marks = list_cut_marks(models, curves, theme)
    if len(curves) == 1:
        [model_curve] = curves.values()
        marks.append(
            Mark(
                f"EER {format_value(model_curve.values['eer'])}", model_curve.points["eer"], "diamond", theme.colour(3)
            )
        )
    marks = [replace(mark, point=_transform_point(mark.point, reach), original=mark.point) for mark in marks]
    return combine_layers([*draw_lines(series, frame), *draw_marks(marks, frame, theme)], frame)


def _transform_point(point: Point, reach: float) -> Point:
    x, y = clip_to_edge(compute_deviates([point.x, point.y]), reach).tolist()
    return Point(point.threshold, x, y)


# ---------------------------------------------------------------------- precision and recall


READINGS = (
    ("precision_recall", "steps"),
    ("precision_recall_davis_goadrich", "interpolated in counts"),
    ("precision_recall_max", "upper trapezoids"),
    ("precision_recall_minmax", "middle trapezoids"),
    ("precision_recall_min", "lower trapezoids"),
)


@declare_chart(
    title="Interpolations of the precision-recall curve",
    caption="Five ways to join the points of one precision-recall curve, each with its area.",
    shows=Shows.ONE,
    source="Berrar, Figure 6d",
    needs=Requires.POSITIVES,
    cut=CutPlace("recall", "precision"),
    curves=(
        "precision_recall_min",
        "precision_recall_minmax",
        "precision_recall_max",
        "precision_recall_davis_goadrich",
    ),
    names_model=False,
)
def precision_recall_readings(models: Models, theme: Theme) -> alt.Chart:
    """Draw the five readings of one precision-recall curve with their areas, the lowest trapezoids shaded."""
    [(name, model)] = models.items()
    readings = {label: curve(model.ranking, kind) for kind, label in READINGS}
    first = readings["steps"]
    frame = make_frame(
        {"": first}, title="Interpolations of the precision-recall curve", subtitle=(), legend="Area under"
    )
    series = [
        Series(
            f"{label}: {format_value(reading.area)}",
            describe_line(reading, simplify_curve(reading)),
            theme.colour(i),
            DASHES[i],
        )
        for i, (label, reading) in enumerate(readings.items())
    ]
    lowest = simplify_curve(readings["lower trapezoids"])
    shade = (
        alt.Chart(make_data(list_rows({"x": lowest.x, "y": lowest.y})))
        .mark("area", color=theme.colour(4), opacity=0.15, line=False)
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    )
    series += list_reference_series({"": first}, theme, {"baseline": "prevalence"})
    marks = draw_marks(list_cut_marks(models, {name: first}, theme, [series[0].name]), frame, theme)
    return combine_layers([shade, *draw_lines(series, frame), *marks], frame)


@declare_chart(
    title="ROC and precision-recall under another prevalence",
    caption="Both curves as the share of positives changes: one stays the same, the other falls.",
    shows=Shows.ONE,
    source="Sonnenburg, the slide that compares ROC and precision-recall",
    cut=CutPlace("fpr", "recall"),
    names_model=False,
)
def skew(models: Models, theme: Theme, *, prevalences: Sequence[float] = (0.5, 0.2, 0.05, 0.01)) -> alt.Chart:
    """Draw ROC and precision-recall curves side by side as the prevalence changes: the first stay, the others fall."""
    [(name, model)] = models.items()
    CURVES["roc"].check_ranking(model.ranking)
    shares = [check_number(share, "prevalences") for share in (prevalences if np.iterable(prevalences) else [])]
    if not 1 <= len(set(shares)) == len(shares) <= 6 or not all(0 < share < 1 for share in shares):
        raise ParameterError(
            f"is {prevalences!r}", "pass one to six different shares above 0 and below 1", argument="prevalences"
        )
    skewed = {f"{100 * p:g} % positive": with_prevalence(model.ranking, p) for p in shares}
    roc_curve = curve(model.ranking, "roc")
    roc_side = {label: replace(roc_curve, counts=ranking.counts) for label, ranking in skewed.items()}
    pr_side = {label: curve(ranking, "precision_recall") for label, ranking in skewed.items()}
    roc_series = _widen_lines(roc_side, theme)
    frames = [
        make_frame(
            side, width=300, height=280, clip=True, subtitle=(), legend=choose_legend_title(next(iter(side.values())))
        )
        for side in (roc_side, pr_side)
    ]
    cut = draw_marks(list_cut_marks(models, {name: roc_curve}, theme, [roc_series[0].name]), frames[0], theme)
    return alt.hconcat(
        combine_layers([*draw_lines(roc_series, frames[0]), *cut], frames[0]),
        combine_layers(draw_lines(list_model_series(pr_side, theme), frames[1]), frames[1]),
        spacing=30,
    ).resolve_scale(color="independent", strokeDash="independent", strokeWidth="independent")


def _widen_lines(curves: dict[str, Curve], theme: Theme) -> list[Series]:
    """Draw curves with different counts ever wider from the front to the back, so that all can be seen."""
    line = simplify_curve(next(iter(curves.values())))
    return [
        Series(
            label_line(label, skewed, 2),
            describe_line(skewed, line),
            theme.colour(i),
            DASHES[i],
            2.0 + 1.5 * (len(curves) - 1 - i),
        )
        for i, (label, skewed) in enumerate(curves.items())
    ]


@declare_chart(
    title="Measures under class skew",
    caption="Accuracy, AUC and average precision from one negative to a positive up to ten thousand.",
    shows=Shows.ONE,
    source="Sonnenburg, the slide that compares accuracy, auROC and auPRC",
    places=Place.GALLERY,
    names_model=False,
)
def skew_measures(models: Models, theme: Theme) -> alt.Chart:
    """Draw accuracy, AUC and average precision from one negative for each positive up to ten thousand."""
    [(_, model)] = models.items()
    power = np.linspace(0, 4, 33)
    values_by_measure = under_skew(model.ranking, model.threshold, 10**power)
    named = "pow(10, datum.value)"
    frame = Frame(
        x="Negatives to a positive",
        y="Value",
        x_domain=(0.0, 4.0),
        y_domain=(0.0, 1.0),
        title="Measures under class skew",
        x_axis={"values": [0, 1, 2, 3, 4], "labelExpr": f"'1 : ' + format({named}, ',')"},
        x_ticks={place: f"1 : {10**place:,}" for place in range(5)},
    )
    series = [
        Series(name, {"x": power, "y": values}, theme.colour(i), DASHES[i])
        for i, (name, values) in enumerate(values_by_measure.items())
    ]
    return combine_layers(draw_lines(series, frame), frame)


# ---------------------------------------------------------------------- over the threshold


@declare_chart(
    title="TPR-FPR plot",
    caption="Both rates over the threshold, with the widest gap between them, which is the KS statistic.",
    shows=Shows.ONE,
    source="Berrar, Figure 5b",
    cut=CutPlace("threshold"),
    places=Place.PAGE_FIRST | Place.GALLERY | Place.EACH,
    names_model=False,
)
def tpr_fpr(models: Models, theme: Theme) -> alt.Chart:
    """Draw both rates over the threshold, with the gap of the KS statistic and the chosen cut."""
    [(_, model)] = models.items()
    rates = curve(model.ranking, "tpr_fpr")
    frame = make_frame({"": rates}, models, y="Rate")
    titles = {None: rates.kind.y.title, "fpr": rates.kind.also[0].title}
    series = [
        Series(title, describe_line(rates, simplify_curve(rates, also, frame.x_domain)), theme.colour(i), DASHES[i])
        for i, (also, title) in enumerate(titles.items())
    ]
    top, bottom = rates.points["ks_recall"], rates.points["ks_fpr"]
    widest = Series(
        f"widest gap, KS {format_value(rates.values['ks'])}",
        {"x": np.clip([top.x, bottom.x], *frame.x_domain), "y": [top.y, bottom.y]},
        theme.colour(3),
        (1, 0),
        4,
    )
    cut = draw_cut_rule(model, model.threshold, frame, theme)
    return combine_layers([*cut, *draw_lines([widest, *series], frame)], frame)


def draw_over_threshold(models: Models, theme: Theme, *, measure: str, **parameters: Any) -> alt.Chart:
    """Draw a measure of one cut over the threshold, with the chosen cuts."""
    curves = find_curves(models, measure, **parameters)
    frame = make_frame(curves, models)
    series, marks = list_model_series(curves, theme, frame.x_domain), list_cut_marks(models, curves, theme)
    return combine_layers([*draw_lines(series, frame), *draw_marks(marks, frame, theme)], frame)


# ---------------------------------------------------------------------- over the list


@declare_chart(
    title="Gain chart",
    caption="How many positives are found among the cases flagged, beside the baseline and a perfect order.",
    source="Berrar, Figure 4a",
    needs=Requires.POSITIVES,
    cut=CutPlace("flagged", "tp"),
    places=Place.PAGE_FIRST | Place.GALLERY | Place.FOLDER,
)
def gain(models: Models, theme: Theme, *, prevalence: float | None = None) -> alt.Chart:
    """Draw how many positives are found among the first cases of the list, beside those that a prevalence lets
    expect.
    """
    return draw_curves(models, theme, "gain", {"baseline": BASELINE, "perfect": PERFECT}, prevalence=prevalence)


@declare_chart(
    title="Lift chart",
    caption="How many times more positives there are among the cases flagged than among all.",
    source="Berrar, Figure 4b",
    needs=Requires.POSITIVES,
    cut=CutPlace("flagged", "lift"),
)
def lift(models: Models, theme: Theme, *, prevalence: float | None = None) -> alt.Chart:
    """Draw how many times more positives there are among the first cases than anywhere, or than a prevalence."""
    return draw_curves(models, theme, "lift", {"baseline": BASELINE}, prevalence=prevalence)


@declare_chart(
    title="Hit rate curve",
    caption="The share of positives in a quota of any size, beside the baseline and a perfect order.",
    source="Arbel and Rokach, Figure 2",
    needs=Requires.NOTHING,
    cut=CutPlace("flagged", "precision"),
)
def hit_rate(models: Models, theme: Theme) -> alt.Chart:
    """Draw the share of positives in a quota of any size."""
    return draw_curves(models, theme, "hit_rate", {"baseline": BASELINE, "perfect": PERFECT})


@declare_chart(
    title="Qrecall curve",
    caption="The share of the positives that a quota reaches, with the areas S1 and S2 of the PEM.",
    source="Arbel and Rokach, Figures 6 to 8",
    needs=Requires.POSITIVES,
    cut=CutPlace("flagged", "recall"),
)
def qrecall(models: Models, theme: Theme) -> alt.Chart:
    """Draw the share of the positives that a quota reaches; for one model the areas of the PEM, shaded."""
    curves = find_curves(models, "qrecall")
    first = next(iter(curves.values()))
    if len(models) > 1:
        return draw_curves(models, theme, "qrecall", {"baseline": BASELINE, "perfect": PERFECT})
    s1, s2, s3 = (first.values[name] for name in ("s1", "s2", "s3"))
    summed = math.isfinite(s1)  # over whole places, so not where cases weigh parts of them
    areas = [f"PEM = (S1 - S2) / S3 = ({format_value(s1)} - {format_value(s2)}) / {format_value(s3)}"] if summed else []
    names = (f"S1: {format_value(s1)}", f"S2: {format_value(s2)}") if summed else ("S1", "S2")
    frame = make_frame(curves, subtitle=[*describe_values(first), *areas])
    baseline, best = (simplify_curve(first.beside[name]) for name in ("baseline", "perfect"))
    line = simplify_curve(first)
    shade = _shade_between(find_gap(line, baseline), {name: theme.colour(i) for i, name in enumerate(names)}, frame)
    series = [
        *list_model_series(curves, theme),
        make_plain_series(PERFECT + " (S3 lies below it)", best, theme.reference, (6, 2), 1.5),
        make_plain_series(BASELINE, baseline, theme.reference, DOTTED, 1.5),
    ]
    marks = draw_marks(list_cut_marks(models, curves, theme), frame, theme)
    return combine_layers([*shade, *draw_lines(series, frame), *marks], frame)


def _shade_between(band: Gap, colours: dict[str, str], frame: Frame) -> list[Any]:
    """Return the band between two lines, where the first is above and where it is below the other, each with its
    name.
    """
    higher, lower = (np.where(side, band.y, band.other) for side in (band.y >= band.other, band.y <= band.other))
    data = [
        row
        for name, y in zip(colours, (higher, lower), strict=True)
        for row in list_rows({"x": band.x, "y": y, "y2": band.other}, area=name)
    ]
    fill = alt.Fill(
        "area:N",
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
        legend=alt.Legend(title="Areas", symbolType="square", symbolOpacity=0.5),
        sort=None,
    )
    bands = alt.Chart(make_data(data)).mark("area", opacity=0.22, line=False)
    return [
        bands.encode(**encode_axes(frame), y2=alt.Y2("y2:Q"), fill=fill, tooltip=[alt.Tooltip("area:N", title="Area")])
    ]


@declare_chart(
    title="Hit rate and Qrecall",
    caption="Both measures of a quota over the same axis.",
    shows=Shows.ONE,
    source="Arbel and Rokach, Figure 5",
    needs=Requires.POSITIVES,
    cut=CutPlace("flagged"),
    names_model=False,
)
def quota(models: Models, theme: Theme) -> alt.Chart:
    """Draw hit rate and Qrecall of one model over the same quotas."""
    [(_, model)] = models.items()
    hit, reached = (curve(model.ranking, name) for name in ("hit_rate", "qrecall"))
    frame = make_frame(
        {"": hit},
        y="Share",
        title="Hit rate and Qrecall",
        subtitle=[*describe_values(hit), *describe_values(reached)[:1]],
    )
    series = [
        Series(
            share_curve.kind.y.title,
            describe_line(share_curve, simplify_curve(share_curve)),
            theme.colour(i),
            DASHES[i],
        )
        for i, share_curve in enumerate((hit, reached))
    ]
    cut = draw_cut_rule(model, float(model.ranking.at_threshold(model.threshold).flagged), frame, theme)
    return combine_layers([*cut, *draw_lines(series, frame)], frame)
