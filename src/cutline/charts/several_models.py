"""Charts of several models: which of them leads in which region, the hull of all, and how large a difference is."""

from __future__ import annotations

from dataclasses import replace

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Shows, declare_chart
from cutline.charts.layers import (
    Frame,
    Models,
    Series,
    combine_layers,
    draw_lines,
    encode_axes,
    explain_omitted_references,
    list_model_series,
    list_reference_series,
    make_frame,
)
from cutline.charts.lines import BASELINE, find_curves
from cutline.charts.marks import Mark, draw_marks, draw_rules, list_cut_marks
from cutline.charts.theme import DASHES, Theme
from cutline.charts.vega_lite import make_data
from cutline.core.errors import InputError, ParameterError, hint_similar
from cutline.core.table import format_p, format_value
from cutline.core.validation import check_level
from cutline.curves import Curve, Point, shared_hull
from cutline.inference.differences.difference import ConfidenceCurve
from cutline.inference.differences.dominance import Dominance, compare_curves, compare_thresholds, join_narrow_spans
from cutline.measures import MEASURES, Needs
from cutline.results.method_titles import format_method

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


@declare_chart(
    title="Areas of dominance",
    caption="The curves of several models, and below them which model leads in which region.",
    shows=Shows.TWO_OR_MORE,
    source="Arbel and Rokach, Figure 4",
    cut=CutPlace("fpr", "recall"),
)
def dominance(models: Models, theme: Theme, *, kind: str = "roc") -> alt.Chart:
    """Draw the curves of several models, and below them which of them leads in which region, as coloured spans."""
    if len(models) < 2:
        raise ParameterError("dominance compares models, but one was given", "pass two or more")
    dominance, drawn_kind = _find_leaders(models, kind)
    curves = find_curves(models, drawn_kind)
    references = {"baseline": BASELINE} if "baseline" in next(iter(curves.values())).beside else {}
    frame = make_frame(
        curves,
        models,
        title=f"Areas of dominance: {_choose_title(curves)}",
        subtitle=explain_omitted_references(curves, references),
    )
    own = list_model_series(curves, theme, frame.x_domain)
    numbered = [replace(line, name=f"{i}  {line.name}") for i, line in enumerate(own, 1)]
    series = [*numbered, *list_reference_series(curves, theme, references)]
    marks = draw_marks(list_cut_marks(models, curves, theme, [line.name for line in numbered]), frame, theme)
    top = combine_layers([*draw_lines(series, frame), *marks], frame)
    band = _draw_lanes(dominance, frame, theme)
    return alt.vconcat(top, band, spacing=6).resolve_scale(color="independent", strokeDash="independent")


def _choose_title(curves: dict[str, Curve]) -> str:
    return next(iter(curves.values())).title


def _find_leaders(models: Models, kind: str) -> tuple[Dominance, str]:
    """Find the model that leads in each region of a kind of curve, and the curve that shows it."""
    rankings = [model.ranking for model in models.values()]
    if kind in KINDS:
        curve, drawn_kind = KINDS[kind]
        if curve == "quota" and len({(float(r.positives), float(r.total)) for r in rankings}) > 1:
            raise InputError(
                f"{kind} compares positions in one list, but the models rank different cases", "pass the same cases"
            )
        return compare_curves(curve, list(models), rankings), drawn_kind
    measure = MEASURES[kind] if kind in MEASURES else None  # noqa: SIM401
    if measure is None or measure.needs is not Needs.COUNTS or measure.better is None:
        raise ParameterError(
            f"is {kind!r}",
            f"pass {', '.join(KINDS)}, or a measure of one cut that is good or bad, such as f1",
            argument="kind",
            hint=hint_similar(kind, KINDS),
        )
    if len({r.higher_is_positive for r in rankings}) > 1:
        raise InputError("High scores are positive for some models and low scores for others: they share no threshold.")
    return compare_thresholds(measure, list(models), rankings), measure.name


LANE = 12  # the height of the lane of a model, in pixels


def _draw_lanes(dominance: Dominance, frame: Frame, theme: Theme) -> alt.Chart:
    """Draw the spans below the curves, each in the lane of the model that leads: they need no colour to be told
    apart.

    Models that are equally good have a span each; where they take turns too fast to be drawn, the spans are grey.
    """
    numbers = {name: str(i) for i, name in enumerate(dominance.names, 1)}
    data = [
        {"start": span.low, "end": span.high, "in_turn": in_turn}
        | {"names": f"{', '.join(span.best)}, in turn" if in_turn else " and ".join(span.best)}
        | {"lane": [numbers[name] for name in span.best]}
        for span, in_turn in join_narrow_spans(dominance.spans, *frame.x_domain)
        if span.best
    ]
    colours = alt.Scale(domain=list(numbers.values()), range=[theme.colour(i) for i in range(len(numbers))])
    in_turn = {"test": "datum.in_turn", "value": theme.reference}
    own = alt.Color("lane:N", scale=colours, legend=None, condition=in_turn)
    return (
        alt.Chart(make_data(data), width=frame.width, height=LANE * len(numbers))
        .transform_flatten(["lane"])
        .mark("rect")
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


@declare_chart(
    title="Confidence curve of a difference",
    caption="How compatible each true difference of two models is with the data: its intervals at all levels.",
    shows=Shows.DIFFERENCE,
    source="Berrar, reference 32",
)
def confidence_curve(confidence: ConfidenceCurve, theme: Theme, *, level: float = 0.95) -> alt.Chart:
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
    ends = f"{format_value(float(inside.min()))} to {format_value(float(inside.max()))}"
    words = f"{100 * level:g} % interval {ends} ({format_method(confidence.method)})"
    frame = Frame(
        "True difference",
        "p-value (1 - confidence level)",
        (low - room, high + room),
        (0.0, 1.0),
        f"Confidence curve of {confidence.measure}",
        [f"Observed {format_value(confidence.value)}, p {format_p(confidence.p_value)} (no difference)", words],
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
    rules = draw_rules({"no difference": 0.0}, "x", frame, theme)
    return combine_layers([*rules, *draw_lines(series, frame), *draw_marks([observed], frame, theme)], frame)


# ---------------------------------------------------------------------- the hull of all models


@declare_chart(
    name="shared_hull",
    title="ROC convex hull of several models",
    caption="The hull of all ROC curves together, its corners in the colours of the models that own them.",
    shows=Shows.TWO_OR_MORE,
    source="Arbel and Rokach, section 2.2.2; Provost and Fawcett 2001",
    cut=CutPlace("fpr", "recall"),
)
def shared_hull_chart(models: Models, theme: Theme) -> alt.Chart:
    """Draw the ROC curves of several models and the hull of them all, its corners marked by their owners."""
    curves = find_curves(models, "roc")
    hull = shared_hull({name: model.ranking for name, model in models.items()})
    idle = [name for name in models if name not in hull.owners]
    words = [f"No cost and no class skew makes {', '.join(idle)} best"] if idle else []
    frame = make_frame(curves, title="ROC convex hull of several models", subtitle=words)
    own = list_model_series(curves, theme)
    around = {"x": [corner.fpr for corner in hull.corners], "y": [corner.tpr for corner in hull.corners]}
    series = [
        *own,
        Series(f"hull of all: {format_value(hull.area)}", around, theme.text, DASHES[2], 1.5, below=True),
        *list_reference_series(curves, theme, {"baseline": BASELINE}),
    ]
    colour = {name: theme.colour(i) for i, name in enumerate(models)}
    owned = [
        {
            "x": corner.fpr,
            "y": corner.tpr,
            "owner": " and ".join(corner.owners),
            "colour": colour[corner.owners[0]],
            "threshold": " and ".join(format_value(threshold) for threshold in corner.thresholds),
        }
        for corner in hull.corners
        if 0 < corner.fpr + corner.tpr < 2
    ]
    points = (
        alt.Chart(make_data(owned))
        .mark("point", shape="circle", filled=True, size=70, opacity=1, stroke=theme.ground, strokeWidth=1)
        .encode(
            **encode_axes(frame),
            fill=alt.Fill("colour:N", scale=None),
            tooltip=[alt.Tooltip(f"{name}:N", title=name.capitalize()) for name in ("owner", "threshold")],
        )
    )
    cuts = draw_marks(list_cut_marks(models, curves, theme), frame, theme)
    return combine_layers([*draw_lines(series, frame), points, *cuts], frame)
