"""Charts of calibration: the reliability diagram, risks by outcome, and the size of a validation study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Place, Requires, Shows, declare_chart
from cutline.charts.layers import (
    WIDTH,
    Evaluated,
    Frame,
    Models,
    Series,
    Shade,
    combine_layers,
    draw_lines,
    encode_axes,
    list_rows,
)
from cutline.charts.marks import draw_cut_rule
from cutline.charts.picture import Picture, finish
from cutline.charts.theme import DASHES, DOTTED, Theme, find_theme
from cutline.charts.vega_lite import make_data
from cutline.core.array_ops import Array
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking, plural_titles
from cutline.core.table import format_value
from cutline.inference.single.bands import CALIBRATION_KINDS, Band, calibration_band, merge_scores
from cutline.inference.single.reference import METHODS
from cutline.measures import MEASURES
from cutline.measures.binned_calibration import sum_over_bins
from cutline.measures.miscalibration import fit_calibration_curve

SMOOTHS = ("isotonic", "loess", "bins")
MOST_DRAWN = 500  # points of a curve
DIAGONAL = "calibrated"
_HISTOGRAM = 20
_WORDS = {
    "consistency": "where a calibrated model's curve would lie",
    "confidence": "bootstrap around the curve",
    "honest": "where the true curve lies, if it never falls",
}


@declare_chart(
    title="Reliability diagram",
    caption="The share of positives at each probability, with a band and the distribution of the probabilities.",
    source="Dimitriadis, Gneiting and Jordan, Figure 1; Van Calster et al., 2025",
    needs=Requires.PROBABILITIES,
    cut=CutPlace("threshold"),
    places=Place.TRUST | Place.GALLERY,
    names_model=False,
)
def reliability(
    models: Models,
    theme: Theme,
    *,
    band: str = "consistency",
    smooth: str = "isotonic",
    bins: int = 10,
    histogram: bool = True,
    level: float = 0.95,
    seed: int = 0,
) -> alt.Chart:
    """Draw the share of positives at each probability, with a band, and the distribution of the probabilities.

    Args:
        models: The models by name.
        theme: The colours.
        band: The band of one model: "consistency", "confidence", "honest" or "none".
        smooth: How the curve is found: "isotonic", "loess" or "bins".
        bins: The number of bins, for "bins".
        histogram: Whether the distribution of the probabilities stands below.
        level: The level of the band.
        seed: The seed of its simulation.
    """
    _check(band, smooth)
    if any(getattr(model, "grouped", False) for model in models.values()):
        band = "none"  # bands take cases for independent
    series, layers = [], []
    for i, (name, model) in enumerate(models.items()):
        calibration = _fit_curve(model, band if len(models) == 1 else "none", smooth, level, bins, seed)
        if len(models) == 1 and isinstance(calibration, Band):
            layers.append(_shade_band(calibration, theme))
        label = f"{name}: {format_value(MEASURES['mcb'].compute(model.ranking))}" if len(models) > 1 else name
        series.append(Series(label, _list_columns(calibration), theme.colour(i), DASHES[i]))
        if smooth == "bins":
            layers.append(_draw_wilson_intervals(model.ranking, bins, level, theme.colour(i)))
    series.append(Series(DIAGONAL, {"x": [0, 1], "y": [0, 1]}, theme.reference, DOTTED, 1.5))
    frame = Frame(
        x="Probability",
        y="Share of positives",
        x_domain=(0, 1),
        y_domain=(0, 1),
        title="Reliability diagram",
        subtitle=_write_subtitle(models, band, smooth, level),
        legend=MEASURES["mcb"].title if len(models) > 1 else None,
        height=WIDTH,
        clip=True,
    )
    cut = _draw_cut(models, frame, theme) if len(models) == 1 else []
    top = combine_layers(
        [*(layer.encode(**_encode_shares(frame)) for layer in layers), *draw_lines(series, frame), *cut], frame
    )
    if not histogram:
        return top
    below = _draw_distribution(models, theme)
    return alt.vconcat(top, below, spacing=4).resolve_scale(color="independent", strokeDash="independent")


def _draw_cut(models: Models, frame: Frame, theme: Theme) -> list[alt.Chart]:
    """Draw the chosen cut of one model, as a line across the diagram."""
    [model] = models.values()
    return draw_cut_rule(model, model.threshold, frame, theme)


def _check(band: str, smooth: str) -> None:
    for name, value, known in (("band", band, (*CALIBRATION_KINDS, "none")), ("smooth", smooth, SMOOTHS)):
        if value not in known:
            raise ParameterError(f"is {value!r}", f"pass {', '.join(map(repr, known))}", argument=name)


def _fit_curve(model: Evaluated, band: str, smooth: str, level: float, bins: int, seed: int) -> Any:
    if smooth == "bins":
        observed, expected, size = sum_over_bins(model.ranking, bins, "mass")
        has_cases = size > 0
        return {"x": expected[has_cases] / size[has_cases], "y": observed[has_cases] / size[has_cases]}
    if band == "none":
        few = merge_scores(model.ranking, MOST_DRAWN)
        return {"x": few.key[::-1], "y": np.clip(fit_calibration_curve(few, smooth), 0, 1)[::-1]}
    groups = getattr(model, "groups", None) if band == "confidence" else None
    resamples = 1000 if band == "confidence" or smooth == "loess" else 5000
    return calibration_band(
        model.ranking, band, smooth=smooth, level=level, resamples=resamples, seed=seed, groups=groups
    )


def _list_columns(calibration: Any) -> dict[str, Array]:
    columns = {"x": calibration.x, "y": calibration.y} if isinstance(calibration, Band) else calibration
    some = np.unique(np.linspace(0, len(columns["x"]) - 1, MOST_DRAWN).round().astype(int))
    return {name: np.asarray(column)[some] for name, column in columns.items()}


def _encode_shares(frame: Frame) -> dict[str, Any]:
    return {key: value for key, value in encode_axes(frame).items() if key == "x"}


def _shade_band(band: Band, theme: Theme) -> alt.Chart:
    some = np.unique(np.linspace(0, len(band.x) - 1, MOST_DRAWN).round().astype(int))
    data = list_rows({"x": band.x[some], "low": band.low[some], "high": band.high[some]})
    return (
        alt.Chart(make_data(data))
        .mark("area", color=theme.reference, opacity=0.25, clip=True)
        .encode(y=alt.Y("low:Q", scale=alt.Scale(domain=[0, 1])), y2=alt.Y2("high:Q"))
        .drawn_from(Shade(band.x[some], band.low[some], band.high[some], theme.reference))
    )


def _draw_wilson_intervals(r: Ranking, bins: int, level: float, colour: str) -> Any:
    observed, expected, size = sum_over_bins(r, bins, "mass")
    limits = [
        {"x": float(e / n), "low": float(low), "high": float(high)}
        for o, e, n in zip(observed, expected, size, strict=True)
        if n > 0
        for low, high in [METHODS["wilson"](float(o), float(n), level)]
    ]
    return (
        alt.Chart(make_data(limits))
        .mark("rule", color=colour, strokeWidth=1.5)
        .encode(y=alt.Y("low:Q", scale=alt.Scale(domain=[0, 1])), y2=alt.Y2("high:Q"))
    )


def _write_subtitle(models: Models, band: str, smooth: str, level: float) -> list[str]:
    curve = {"isotonic": "isotonic (CORP)", "loess": "loess, span 0.75, degree 2", "bins": "bins of equal mass"}[smooth]
    if len(models) > 1:
        line = []
    else:
        [ranking] = (model.ranking for model in models.values())
        names = "calibration_intercept", "calibration_slope"
        line = [
            "Intercept {}, slope {}".format(*(format_value(float(MEASURES[name].compute(ranking))) for name in names))
        ]
    if smooth == "bins":
        return [*line, f"Points: {curve}, with {100 * level:g} % Wilson intervals"]
    if len(models) > 1 or band == "none":
        return [*line, f"Curve: {curve}"]
    return [*line, f"Curve: {curve}", f"Grey: simultaneous {100 * level:g} % {band} band,", _WORDS[band]]


# ---------------------------------------------------------------------- distributions


def _count_in_bins(r: Ranking, bins: int) -> tuple[Array, Array, Array]:
    """Return the edges of bins of equal width, and the weight of the positives and of the negatives in each."""
    edges = np.linspace(0, 1, bins + 1)
    where = np.clip((r.key * bins).astype(int), 0, bins - 1)
    return edges, np.bincount(where, r.floats[0], bins), np.bincount(where, r.floats[1], bins)


def _draw_distribution(models: Models, theme: Theme) -> alt.Chart:
    """Draw the distribution of the probabilities: bars of one model, outlines of several."""
    data = []
    for name, model in models.items():
        edges, pos, neg = _count_in_bins(model.ranking, _HISTOGRAM)
        share = (pos + neg) / float(model.ranking.total)
        data += list_rows({"x": edges[:-1], "x2": edges[1:], "y": share}, series=name, zero=0)
        if len(models) > 1:  # the last step goes on to the end
            data += list_rows({"x": edges[-1:], "x2": edges[-1:], "y": share[-1:]}, series=name, zero=0)
    colours = alt.Scale(domain=list(models), range=[theme.colour(i) for i in range(len(models))])
    axis = {
        "x": alt.X("x:Q", title="Probability", scale=alt.Scale(domain=[0, 1], nice=False)),
        "y": alt.Y("y:Q", title="Cases", axis=alt.Axis(format="%", tickCount=3)),
        "tooltip": [alt.Tooltip("series:N", title="Model"), alt.Tooltip("y:Q", title="Share of cases", format=".3p")],
    }
    base = alt.Chart(make_data(data), width=WIDTH, height=60)
    if len(models) == 1:
        return base.mark("bar", color=theme.colour(0), opacity=0.7).encode(
            x2=alt.X2("x2:Q"), y2=alt.Y2("zero:Q"), **axis
        )
    return base.mark("line", interpolate="step-after").encode(
        color=alt.Color("series:N", scale=colours, legend=None), **axis
    )


@declare_chart(
    title="Probabilities by outcome",
    caption="The probabilities of the positives upwards and of the negatives downwards.",
    shows=Shows.ONE,
    source="Van Calster et al., 2025",
    needs=Requires.PROBABILITIES | Requires.BOTH_CLASSES,
    places=Place.TRUST | Place.GALLERY,
    names_model=False,
)
def risk_by_outcome(models: Models, theme: Theme, *, bins: int = 20) -> alt.Chart:
    """Draw the probabilities of the positives upwards and of the negatives downwards, as shares of their class."""
    [(_, model)] = models.items()
    r = model.ranking
    edges, pos, neg = _count_in_bins(r, bins)
    shares_of = (pos / max(float(r.positives), 1e-300), -neg / max(float(r.negatives), 1e-300))
    sides: Mapping[str, Array] = dict(zip(plural_titles(r), shares_of, strict=True))
    data = [
        row
        for name, y in sides.items()
        for row in list_rows({"x": edges[:-1], "x2": edges[1:], "y": y}, series=name, zero=0)
    ]
    highest = float(max(np.abs(side).max() for side in sides.values()))
    slope = MEASURES["discrimination_slope"].compute(r)
    shares = alt.Axis(labelExpr="format(abs(datum.value), '.0%')")
    title = alt.title("Probabilities by outcome", subtitle=[f"Discrimination slope {format_value(slope)}"])
    return (
        alt.Chart(make_data(data), width=WIDTH, height=WIDTH * 2 // 3, title=title)
        .mark("bar", stroke=theme.ground, strokeWidth=0.5)
        .encode(
            x=alt.X("x:Q", title="Probability", scale=alt.Scale(domain=[0, 1], nice=False)),
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("zero:Q"),
            y=alt.Y("y:Q", title="Share of the class", scale=alt.Scale(domain=[-highest, highest]), axis=shares),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=list(sides), range=theme.fills(2)),
                legend=alt.Legend(title=None, orient="bottom"),
                sort=None,
            ),
            tooltip=[alt.Tooltip("series:N", title="Class"), alt.Tooltip("y:Q", title="Share", format=".3p")],
        )
    )


# ---------------------------------------------------------------------- miscalibration against discrimination


@declare_chart(
    title="Miscalibration and discrimination",
    caption="What isotonic recalibration would gain against what the model discriminates, for each model.",
    source="Dimitriadis, Gneiting and Jordan, 2021",
    needs=Requires.PROBABILITIES,
    places=Place.TRUST | Place.GALLERY,
)
def mcb_dsc(models: Models, theme: Theme, *, score: str = "brier") -> alt.Chart:
    """Draw miscalibration against discrimination of each model, with lines of equal score; lower right is better."""
    points: list[dict[str, Any]] = []
    for i, (name, model) in enumerate(models.items()):
        parts = {key: float(MEASURES[key](model.ranking, score=score)) for key in ("mcb", "dsc", "unc")}
        total = parts["mcb"] - parts["dsc"] + parts["unc"]
        points.append(parts | {"series": name, "score": total, "colour": theme.colour(i)})
    right, top = (1.15 * max(1e-6, *(p[key] for p in points)) for key in ("dsc", "mcb"))
    known = MEASURES["brier" if score == "brier" else "log_loss"].title
    lines = _list_equal_scores(points[0]["unc"], right, top) if len({p["unc"] for p in points}) == 1 else []
    x = alt.X("dsc:Q", title=MEASURES["dsc"].title, scale=alt.Scale(domain=[0, right], nice=False))
    y = alt.Y("mcb:Q", title=MEASURES["mcb"].title, scale=alt.Scale(domain=[0, top], nice=False))
    marks = alt.Chart(make_data(points))
    tips = [alt.Tooltip("series:N", title="Model")] + [
        alt.Tooltip(f"{key}:Q", title=title, format=".4~g")
        for key, title in (("mcb", "Miscalibration"), ("dsc", "Discrimination"), ("score", known))
    ]
    layers = [
        alt.Chart(make_data(lines))
        .mark("line", color=theme.grid, clip=True)
        .encode(x=x, y=y, detail=alt.Detail("label:N")),
        marks.mark("point", size=90, filled=True, opacity=1).encode(
            x=x, y=y, color=alt.Color("colour:N", scale=None), tooltip=tips
        ),
        marks.mark("text", align="left", dx=8, dy=-6, color=theme.text).encode(x=x, y=y, text=alt.Text("series:N")),
    ]
    subtitle = [f"{known} = MCB - DSC + UNC;", "along a line it is the same, lower right is better"]
    return alt.layer(
        layers if lines else layers[1:],
        title=alt.title("Miscalibration and discrimination", subtitle=subtitle),
        width=WIDTH,
        height=WIDTH * 3 // 4,
    )


def _list_equal_scores(uncertainty: float, right: float, top: float) -> list[dict[str, Any]]:
    """Return lines of equal score, which rises with the miscalibration."""
    levels = uncertainty + np.linspace(-right, top, 9)[1:-1]
    return [
        {"label": f"{level:.3g}", "dsc": dsc, "mcb": level - uncertainty + dsc}
        for level in levels
        for dsc in (max(0.0, uncertainty - level), min(right, uncertainty - level + top))
    ]


# ---------------------------------------------------------------------- planning a study


def draw_plan(
    sizes: Sequence[int],
    reached: Mapping[str, Sequence[float]],
    target: Mapping[str, float],
    cases: int,
    statement: str,
    theme: str = "light",
) -> Picture:
    """Draw the width of each interval, and each power, over the number of cases, with the targets and the plan.

    Args:
        sizes: The numbers of cases.
        reached: What each criterion has at them.
        target: The value that each criterion must reach.
        cases: The planned number.
        statement: The plan in words.
        theme: "light", "dark" or "print".
    """
    chosen, names = find_theme(theme), list(reached)
    rows = [
        {"n": n, "y": y, "series": f"{name} (target: {target[name]:g})"}
        for name in names
        for n, y in zip(sizes, reached[name], strict=True)
    ]
    points = [{"n": cases, "y": target[name], "series": f"{name} (target: {target[name]:g})"} for name in names]
    labels = [f"{name} (target: {target[name]:g})" for name in names]
    x = alt.X("n:Q", title="Cases", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format=",.0f", tickCount=6))
    y = alt.Y("y:Q", title="Width of the interval, or power")
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=labels, range=[chosen.colour(i) for i in range(len(labels))]),
        legend=alt.Legend(
            title=None, orient="bottom", direction="vertical", labelLimit=420, symbolType="stroke", symbolSize=500
        ),
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=labels, range=[list(d) for d in DASHES[: len(labels)]]))
    layers = [
        alt.Chart(make_data(rows)).mark("line", clip=True).encode(x=x, y=y, color=colour, strokeDash=dash),
        alt.Chart(make_data([{"n": cases}])).mark("rule", color=chosen.text, strokeDash=[4, 3]).encode(x=alt.X("n:Q")),
        alt.Chart(make_data(points)).mark("rule", strokeWidth=0.6).encode(y=alt.Y("y:Q"), color=colour),
    ]
    half = statement.find(":") + 1
    title = alt.title(f"A study of {cases:,} cases", subtitle=[statement[:half], statement[half:].strip()])
    chart = alt.layer(layers, title=title, width=WIDTH, height=WIDTH * 3 // 4)
    return finish("plan", chart, chosen)
