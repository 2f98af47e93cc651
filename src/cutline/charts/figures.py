"""Charts that are not lines over a curve: portions, score distributions, tables, losses, areas of dominance."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from cutline.charts.lines import curves_of, cut_marks
from cutline.charts.parts import (
    Frame,
    Models,
    Series,
    frame_of,
    heading,
    layered,
    line_layers,
    mark_layer,
    model_series,
    reference_series,
    rows,
    rule_layer,
)
from cutline.charts.picture import inline
from cutline.charts.theme import DASHES, Theme
from cutline.contingency import Counts, written
from cutline.curves import Curve, Drawn, curve, described, dominance, drawn, loss_curves
from cutline.errors import ParameterError
from cutline.measures import MEASURES
from cutline.tables import shown

# ---------------------------------------------------------------------- portions of the list


def portion_lift(models: Models, theme: Theme, *, portions: int = 10) -> Any:
    """The lift of each portion of the list, as bars; 1 is what a random order gives."""
    curves = curves_of(models, "portion_lift", portions=portions)
    first = next(iter(curves.values()))
    frame = frame_of(curves)
    data = [row for name, found in curves.items() for row in rows(_portion_columns(found), series=name)]
    names = list(curves)
    legend = alt.Legend(title=None, orient="right") if len(names) > 1 else None
    bars = (
        alt.Chart(inline(data))
        .mark_bar(strokeWidth=1, stroke=theme.text)
        .encode(
            x=alt.X("portion:O", title=first.kind.x.title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("lift:Q", title=first.kind.y.title),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=names, range=[theme.colour(i) for i in range(len(names))]),
                legend=legend,
                sort=None,
            ),
            tooltip=[
                alt.Tooltip("series:N", title="Model"),
                alt.Tooltip("portion:O", title="Portion"),
                alt.Tooltip("lift:Q", title=first.kind.y.title, format=".4~f"),
                alt.Tooltip("positives:Q", title="Positives in it", format=".4~f"),
                alt.Tooltip("threshold:Q", title="Down to the score", format=".6~g"),
            ],
        )
    )
    if len(names) > 1:
        bars = bars.encode(xOffset=alt.XOffset("series:N", sort=names))
    return layered([bars, *rule_layer({"knowing nothing": 1.0}, "y", theme)], frame)


def _portion_columns(found: Curve) -> dict[str, Any]:
    return {
        "portion": found.x[1:],
        "lift": found.y[1:],
        "positives": np.diff(found.counts.tp),
        "threshold": found.threshold[1:],
    }


# ---------------------------------------------------------------------- scores of the two classes


def score_distribution(models: Models, theme: Theme, *, bins: int | None = None) -> Any:
    """The scores of the two classes as densities, with the two kinds of errors at the cut as areas."""
    [(_, model)] = models.items()
    parameters = {"through": model.threshold} | ({} if bins is None else {"bins": bins})
    found = curve(model.ranking, "score_distribution", **parameters)
    counts = model.ranking.at_threshold(model.threshold)
    at = [model.threshold] if math.isfinite(model.threshold) else []
    low, high = found.domain[0]
    frame = frame_of({"": found}, subtitle=[heading(model)], x_domain=(min([low, *at]), max([high, *at])))
    classes = (
        ("positives", None, found.y, theme.colour(0), DASHES[0]),
        ("negatives", "negatives", found.also["negatives"], theme.colour(1), DASHES[1]),
    )
    flagged = found.x[1:] >= model.threshold if model.ranking.higher_is_positive else found.x[1:] <= model.threshold
    errors = {
        "positives": (~flagged, f"missed positives: {written(counts.fn)}"),
        "negatives": (flagged, f"false alarms: {written(counts.fp)}"),
    }
    bars, outlines = [], []
    for name, other, density, colour, dash in classes:
        inside, label = errors[name]
        columns = {"x": found.x[:-1], "x2": found.x[1:], "y": density[1:]}
        bars += [row | {"error": label, "zero": 0} for row, there in zip(rows(columns), inside, strict=True) if there]
        outlines.append(Series(name, described(found, _closed(drawn(found, other))), colour, dash))
    named = [errors["positives"][1], errors["negatives"][1]]
    areas = (
        alt.Chart(inline(bars))
        .mark_rect(opacity=0.4)
        .encode(
            x=alt.X("x:Q", title=frame.x),
            x2="x2:Q",
            y=alt.Y("y:Q", title=frame.y),
            y2="zero:Q",
            fill=alt.Fill(
                "error:N",
                scale=alt.Scale(domain=named, range=[theme.colour(0), theme.colour(1)]),
                legend=alt.Legend(title="Errors at the cut", orient="right"),
                sort=None,
            ),
            tooltip=[alt.Tooltip("error:N", title="Errors")],
        )
    )
    cut = rule_layer({f"cut at {model.threshold:g}": model.threshold}, "x", theme)
    return layered([areas, *line_layers(outlines, frame), *cut], frame)


def _closed(line: Drawn) -> Drawn:
    """The outline of a histogram, brought down to the axis at its end."""
    return Drawn(np.append(line.vertex, line.vertex[-1]), np.append(line.x, line.x[-1]), np.append(line.y, 0.0))


# ---------------------------------------------------------------------- several models


def dominance_chart(models: Models, theme: Theme, *, kind: str = "roc") -> Any:
    """The curves of several models, and below them which is highest where, as coloured spans."""
    if len(models) < 2:
        raise ParameterError("dominance compares models, but one was given: pass two or more.")
    curves = curves_of(models, kind)
    if "random" not in next(iter(curves.values())).beside:
        raise ParameterError(f"kind is {kind!r}, a curve on which higher is not simply better: pass roc, gain or lift.")
    frame = frame_of(curves, title=f"Areas of dominance: {next(iter(curves.values())).title}")
    series = [
        *model_series(curves, theme),
        *reference_series(next(iter(curves.values())), theme, {"random": "knowing nothing"}),
    ]
    labels = dict(zip(curves, (one.name for one in series), strict=False))
    data: list[dict[str, Any]] = [
        {"start": s.start, "end": s.end, "leader": labels[s.names[0]] if len(s.names) == 1 else "equal"}
        | {"names": " and ".join(s.names), "who": str(1 + list(curves).index(s.names[0])) if len(s.names) == 1 else "="}
        for s in dominance(curves)
    ]
    leaders = [*labels.values(), "equal"]
    x = alt.X("start:Q", title=None, scale=alt.Scale(domain=list(frame.x_domain), nice=False), axis=None)
    base = alt.Chart(inline(data)).encode(x=x, x2="end:Q")
    colours = [*(theme.colour(i) for i in range(len(curves))), theme.reference]
    spans = base.mark_rect(stroke=theme.ground, strokeWidth=1).encode(
        color=alt.Color("leader:N", scale=alt.Scale(domain=leaders, range=colours), legend=None),
        tooltip=[
            alt.Tooltip("names:N", title="Highest"),
            alt.Tooltip("start:Q", title="From", format=".4~f"),
            alt.Tooltip("end:Q", title="To", format=".4~f"),
        ],
    )
    wide = (frame.x_domain[1] - frame.x_domain[0]) * 0.04
    numbers = (
        alt.Chart(inline([d | {"middle": (d["start"] + d["end"]) / 2} for d in data if d["end"] - d["start"] >= wide]))
        .mark_text(fontWeight="bold", color=theme.ground)
        .encode(x=alt.X("middle:Q", title=None), text="who:N")
    )
    band = alt.layer(spans, numbers).properties(width=frame.width, height=22)
    numbered = [
        Series(f"{i + 1}  {one.name}" if i < len(curves) else one.name, one.columns, one.colour, one.dash, one.width)
        for i, one in enumerate(series)
    ]
    top = layered([*line_layers(numbered, frame), *mark_layer(cut_marks(models, curves, theme), frame, theme)], frame)
    return alt.vconcat(top, band, spacing=6).resolve_scale(color="independent", strokeDash="independent")


# ---------------------------------------------------------------------- without predictions


def losses(models: Models, theme: Theme, *, gamma: float = 2.0) -> Any:  # noqa: ARG001
    """The losses of a positive case by its margin: 0-1, hinge, logistic and focal."""
    margin, found = loss_curves(gamma=gamma)
    frame = Frame(
        "Margin (signed distance from the boundary)", "Loss", (-3.0, 3.0), (0.0, 4.0), "Losses of a positive case"
    )
    series = [
        Series(name, {"x": margin, "y": value}, theme.colour(i), DASHES[i])
        for i, (name, value) in enumerate(found.items())
    ]
    return layered(line_layers(series, frame), frame)


# ---------------------------------------------------------------------- tables as pictures


def confusion_matrix(models: Models, theme: Theme) -> Any:
    """The contingency table of the chosen cut with its rates."""
    [(_, model)] = models.items()
    c = model.ranking.at_threshold(model.threshold)
    real, said = ("positive", "negative", "all"), ("flagged", "not flagged", "all")
    cells = {
        (0, 0): ("true positives", c.tp, ("recall",)),
        (0, 1): ("false positives", c.fp, ("fpr",)),
        (1, 0): ("false negatives", c.fn, ("fnr",)),
        (1, 1): ("true negatives", c.tn, ("specificity",)),
        (0, 2): ("flagged", c.flagged, ("precision",)),
        (1, 2): ("not flagged", c.unflagged, ("npv",)),
        (2, 0): ("positives", c.positives, ("prevalence",)),
        (2, 1): ("negatives", c.negatives, ()),
        (2, 2): ("cases", c.total, ("accuracy",)),
    }
    data = [
        {
            "real": real[j],
            "said": said[i],
            "what": what,
            "count": written(count),
            "rate": " ".join(
                f"{MEASURES[name].title.lower()} {shown(float(MEASURES[name].compute(c)))}" for name in rates
            ),
            "kind": "margin" if 2 in (i, j) else ("right" if i == j else "wrong"),
        }
        for (i, j), (what, count, rates) in cells.items()
    ]
    rule = "≥" if model.ranking.higher_is_positive else "≤"
    base = alt.Chart(inline(data)).encode(
        x=alt.X(
            "real:N",
            sort=list(real),
            title="Real class",
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
        ),
        y=alt.Y("said:N", sort=list(said), title="Predicted", axis=alt.Axis(domain=False, ticks=False)),
        tooltip=[
            alt.Tooltip(f"{name}:N", title=title)
            for name, title in (("what", "What"), ("count", "Count"), ("rate", "Rate"))
        ],
    )
    fills = {"right": theme.colour(0), "wrong": theme.colour(1), "margin": theme.ground}
    boxes = base.mark_rect(stroke=theme.reference, strokeWidth=1, fillOpacity=0.22).encode(
        fill=alt.Fill("kind:N", scale=alt.Scale(domain=list(fills), range=list(fills.values())), legend=None)
    )
    text = [
        base.mark_text(dy=-22, fontSize=11, color=theme.text).encode(text="what:N"),
        base.mark_text(dy=0, fontSize=20, fontWeight="bold", color=theme.text).encode(text="count:N"),
        base.mark_text(dy=22, fontSize=11, color=theme.text).encode(text="rate:N"),
    ]
    frame = Frame(
        "",
        "",
        (0, 1),
        (0, 1),
        f"Confusion matrix at score {rule} {model.threshold:g}",
        [heading(model)],
        None,
        560,
        270,
    )
    return layered([boxes, *text], frame)


COLUMNS = ("recall", "fpr", "precision", "lift")


def ranking_table(models: Models, theme: Theme, *, rows: int = 20) -> Any:
    """The ranking as a table (Berrar's Figure 2): a row for each cut, and a line where the chosen one is."""
    [(_, model)] = models.items()
    r = model.ranking
    if not (isinstance(rows, int) and 2 <= rows <= 60):
        raise ParameterError(f"rows is {rows!r}: pass a whole number from 2 to 60.")
    chosen = np.unique(np.linspace(1, len(r), min(rows, len(r))).round().astype(int))
    c = r.counts
    at = Counts(c.tp[chosen], c.fp[chosen], c.fn[chosen], c.tn[chosen], c.threshold[chosen])
    columns = {
        "Score": [f"{value:.4g}" for value in at.threshold],
        "Positives": [written(value) for value in r.pos[chosen - 1]],
        "Negatives": [written(value) for value in r.neg[chosen - 1]],
        "True positives": [written(value) for value in at.tp],
    } | {MEASURES[name].title: [shown(float(value)) for value in MEASURES[name].compute(at)] for name in COLUMNS}
    data = [
        {"row": i, "column": name, "text": text} for name, column in columns.items() for i, text in enumerate(column)
    ]
    shown_rows = len(chosen)
    subtitle = [heading(model) + ("" if shown_rows == len(r) else f"; {shown_rows} of {len(r)} distinct scores shown")]
    base = alt.Chart(inline(data)).encode(
        x=alt.X(
            "column:N",
            sort=list(columns),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False, labelLimit=120),
        ),
        y=alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[-0.7, shown_rows - 0.3], reverse=True, nice=False)),
    )
    text = base.mark_text(fontSize=12, color=theme.text).encode(text="text:N")
    above = int(np.searchsorted(chosen, r.cut(model.threshold), side="right"))
    line = (
        alt.Chart(inline([{"row": above - 0.5, "name": f"cut at {model.threshold:g}"}]))
        .mark_rule(color=theme.colour(1), strokeWidth=2, strokeDash=[6, 3])
        .encode(y="row:Q", tooltip=[alt.Tooltip("name:N", title="Line")])
    )
    frame = Frame("", "", (0, 1), (0, 1), "Ranking table", subtitle, None, 640, 22 * shown_rows + 16)
    return layered([text, line], frame)
