"""Charts of cross-validation and of several data sets: curves of folds with their mean, values, posteriors, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.layers import HEIGHT, WIDTH
from cutline.charts.picture import Picture, finish
from cutline.charts.theme import DOTTED, Theme, find_theme
from cutline.charts.vega_lite import make_data, round_value
from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.curves import curve, simplify_curve
from cutline.curves.curve_type import average_roc, find_precision, interpolate_recall
from cutline.inference.folds import FoldMean, Posterior
from cutline.results.estimate import Estimate

MOST_FOLDS = 40  # curves; more would be a blot
MOST_POINTS = 20_000  # of all folds, up to which curves are exact
GRID = np.linspace(0, 1, 201)


def draw_fold_roc(
    parts: Sequence[Sequence[Ranking]],
    mean: Estimate | None,
    design: str,
    *,
    theme: str = "light",
    title: str = "ROC curves of the folds",
) -> Picture:
    """Draw the ROC curve of each fold and their mean over the false positive rate.

    Args:
        parts: The rankings of the folds of each repeat.
        mean: The mean AUC with its interval.
        design: How the cases were split, in words.
        theme: "light", "dark" or "print".
        title: The title.
    """
    folds = [part for own in parts for part in own]
    is_exact = sum(map(len, folds)) <= MOST_POINTS
    mean_line = (
        average_roc(folds) if is_exact else (GRID, np.mean([interpolate_recall(fold, GRID) for fold in folds], axis=0))
    )
    lines = [
        _find_points(fold, "roc") if is_exact else (GRID, interpolate_recall(fold, GRID)) for fold in folds[:MOST_FOLDS]
    ]
    subtitle = _write_subtitle("mean AUC", mean, design, len(folds))
    axes = ("False positive rate", "Recall")
    return _draw_curves("roc", lines, mean_line, ([0.0, 1.0], [0.0, 1.0]), axes, title, subtitle, theme)


def draw_fold_precision_recall(
    parts: Sequence[Sequence[Ranking]],
    mean: Estimate | None,
    design: str,
    *,
    theme: str = "light",
    title: str = "Precision-recall curves of the folds",
) -> Picture:
    """Draw the precision-recall curve of each fold and the mean precision at each recall.

    Args:
        parts: The rankings of the folds of each repeat.
        mean: The average precision with its interval.
        design: How the cases were split, in words.
        theme: "light", "dark" or "print".
        title: The title.
    """
    folds = [part for own in parts for part in own]
    is_exact = sum(map(len, folds)) <= MOST_POINTS
    precisions = [find_precision(fold, GRID) for fold in folds]
    mean_line = (GRID, np.mean(precisions, axis=0))
    lines = [
        _find_points(fold, "precision_recall") if is_exact else (GRID, precision)
        for fold, precision in zip(folds[:MOST_FOLDS], precisions, strict=False)
    ]
    share = float(np.mean([float(fold.positives / fold.total) for fold in folds]))
    subtitle = _write_subtitle("average precision", mean, design, len(folds))
    axes = ("Recall", "Precision")
    return _draw_curves(
        "precision_recall", lines, mean_line, ([0.0, 1.0], [share, share]), axes, title, subtitle, theme
    )


def _find_points(ranking: Ranking, name: str) -> tuple[Array, Array]:
    """Return the points of a curve that can be drawn."""
    line = simplify_curve(curve(ranking, name))
    return line.x, line.y


def _write_subtitle(what: str, mean: Estimate | None, design: str, folds: int) -> list[str]:
    value = f"{what} {format_value(mean.value)}" if mean is not None else ""
    if mean is not None and mean.has_interval:
        value += f" [{format_value(mean.low)}, {format_value(mean.high)}]"
    some = f"{design}; {MOST_FOLDS} of {folds} curves drawn" if folds > MOST_FOLDS else design
    return [line for line in (value, some) if line]


def _draw_curves(
    name: str, folds: Sequence[Any], mean: Any, reference: Any, axes: Any, title: str, subtitle: Any, theme: str
) -> Picture:
    """Draw the curves of the folds, thin, with their mean and a reference line."""
    look = find_theme(theme)
    kinds = ("folds", "mean", "baseline")
    rows = [{"line": i, "kind": kinds[0], "x": _list(x), "y": _list(y)} for i, (x, y) in enumerate(folds)]
    rows.append({"line": -1, "kind": kinds[1], "x": _list(mean[0]), "y": _list(mean[1])})
    rows.append({"line": -2, "kind": kinds[2], "x": _list(reference[0]), "y": _list(reference[1])})
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=400)

    def by_kind(channel: Any, looks: list[Any], legend: Any = None) -> Any:
        return channel("kind:N", scale=alt.Scale(domain=list(kinds), range=looks), legend=legend, sort=None)

    unit = alt.Scale(domain=[0, 1], nice=False)
    chart = (
        alt.Chart(make_data(rows))
        .transform_flatten(["x", "y"])
        .mark("line", order=False, clip=True)
        .encode(
            x=alt.X("x:Q", title=axes[0], scale=unit),
            y=alt.Y("y:Q", title=axes[1], scale=unit),
            detail=alt.Detail("line:N"),
            color=by_kind(alt.Color, [look.reference, look.colour(0), look.text], legend),
            strokeWidth=by_kind(alt.StrokeWidth, [0.8, 3.0, 1.2]),
            strokeOpacity=by_kind(alt.StrokeOpacity, [0.45, 1.0, 1.0]),
            strokeDash=by_kind(alt.StrokeDash, [[1, 0], [1, 0], list(DOTTED)], legend),
        )
    )
    return _make_picture(name, chart.properties(width=WIDTH, height=WIDTH), title, subtitle, look)


def _list(values: Any) -> list[float]:
    return [round(float(value), 5) for value in values]


def _make_picture(name: str, chart: Any, title: str, subtitle: Sequence[str], look: Theme) -> Picture:
    return finish(name, chart.properties(title=alt.title(title, subtitle)), look)


def draw_fold_values(
    values: Array, mean: Estimate, measure: str, design: str, *, theme: str = "light", title: str | None = None
) -> Picture:
    """Draw a measure in each fold, a column for each repeat, with the mean and its interval.

    Args:
        values: The values of the folds (columns) of each repeat (rows).
        mean: The mean with its interval.
        measure: What the measure is called.
        design: How the cases were split, in words.
        theme: "light", "dark" or "print".
        title: The title; the name of the measure when None.
    """
    look = find_theme(theme)
    repeats, folds = values.shape
    rows = [
        {"repeat": str(r + 1), "fold": k + 1, "value": float(values[r, k])}
        for r in range(repeats)
        for k in range(folds)
        if math.isfinite(values[r, k])
    ]
    y = alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False))
    by_fold = repeats == 1
    x = alt.X(
        "fold:O" if by_fold else "repeat:O",
        title="Fold" if by_fold else "Repeat",
        sort=None,
        axis=alt.Axis(labelAngle=0),
    )
    tooltip = [
        alt.Tooltip("repeat:N", title="Repeat"),
        alt.Tooltip("fold:Q", title="Fold"),
        alt.Tooltip("value:Q", title=measure),
    ]
    points = alt.Chart(make_data(rows)).mark("circle", size=60, opacity=0.7, color=look.colour(0))
    layers = [points.encode(x=x, y=y, tooltip=tooltip)]
    rule = alt.Chart(make_data([{name: round_value(getattr(mean, name)) for name in ("value", "low", "high")}]))
    layers.append(rule.mark("rule", color=look.colour(1), strokeWidth=2).encode(y=alt.Y("value:Q")))
    if mean.has_interval:
        band = rule.mark("rect", color=look.colour(1), opacity=0.15)
        layers.insert(0, band.encode(y=alt.Y("low:Q", title=measure, scale=alt.Scale(zero=False)), y2=alt.Y2("high:Q")))
    interval = f" [{format_value(mean.low)}, {format_value(mean.high)}]" if mean.has_interval else ""
    subtitle = [f"mean {format_value(mean.value)}{interval}", design]
    chart = alt.layer(layers, width=WIDTH, height=HEIGHT)
    return _make_picture("folds", chart, title or f"{measure} in each fold", subtitle, look)


def draw_posterior(
    difference: FoldMean,
    probabilities: Posterior,
    names: tuple[str, str],
    measure: str,
    *,
    theme: str = "light",
    title: str | None = None,
) -> Picture:
    """Draw the posterior density of a difference, shaded where a is worse, practically the same, or better.

    Args:
        difference: The mean difference with its standard error.
        probabilities: The probabilities of the three regions.
        names: What the two models are called.
        measure: What the measure is called.
        theme: "light", "dark" or "print".
        title: The title.
    """
    from scipy.stats import t

    look = find_theme(theme)
    law = t(difference.degrees_of_freedom, difference.value, difference.standard_error)
    rope = probabilities.rope
    ends = law.ppf([0.001, 0.999])
    low, high = min(ends[0], -1.2 * rope), max(ends[1], 1.2 * rope)
    edges = [edge for edge in (-rope, rope) if low < edge < high]
    x = np.unique(np.concatenate([np.linspace(low, high, 201), edges]))
    a, b = names
    regions: tuple[tuple[str, float, float], ...] = (
        (f"{b} better: {100 * probabilities.worse:.1f} %", -math.inf, -rope),
        (f"practically the same: {100 * probabilities.same:.1f} %", -rope, rope),
        (f"{a} better: {100 * probabilities.better:.1f} %", rope, math.inf),
    )
    regions = regions if rope else (regions[0], regions[2])
    colours = (look.colour(1), look.reference, look.colour(0)) if rope else (look.colour(1), look.colour(0))
    rows = [
        {"region": name, "x": float(value), "y": float(law.pdf(value))}
        for name, start, end in regions
        for value in x[(x >= start) & (x <= end)]
    ]
    labels = [name for name, _, _ in regions]
    fill = alt.Fill("region:N", scale=alt.Scale(domain=labels, range=list(colours)), sort=None, title=None)
    area = alt.Chart(make_data(rows)).mark("area", opacity=0.55, line=False)
    horizontal = alt.X("x:Q", title=f"{measure}: {a} minus {b}", scale=alt.Scale(domain=[low, high], nice=False))
    vertical = alt.Y("y:Q", title="Posterior density", stack=None, axis=alt.Axis(labels=False, ticks=False, grid=False))
    layers = [area.encode(x=horizontal, y=vertical, fill=fill)]
    lines = [{"x": value} for value in (-rope, rope)] if rope else [{"x": 0.0}]
    layers.append(alt.Chart(make_data(lines)).mark("rule", color=look.text, strokeDash=[4, 3]).encode(x=alt.X("x:Q")))
    chart = alt.layer(layers, width=WIDTH, height=HEIGHT * 3 // 4)
    subtitle = [f"mean difference {format_value(difference.value)}"]
    if rope:
        subtitle.append(f"between the dashed lines, {-rope:g} and {rope:g}: practically the same")
    return _make_picture("posterior", chart, title or f"{a} against {b}", subtitle, look)


def draw_critical_difference(
    names: Sequence[str],
    means: Sequence[float],
    cliques: Sequence[Sequence[int]],
    subtitle: Sequence[str],
    *,
    difference: float | None = None,
    theme: str = "light",
    title: str = "Mean ranks",
) -> Picture:
    """Draw the critical difference diagram: models on an axis of mean ranks, bars join those that do not differ.

    Args:
        names: The models.
        means: The mean rank of each.
        cliques: Which models do not differ, by their places.
        subtitle: Lines below the title.
        difference: The critical difference, drawn as a bar above the axis; None where the test has none.
        theme: "light", "dark" or "print".
        title: The title.
    """
    look = find_theme(theme)
    k = len(names)
    order = np.argsort(means, kind="stable")
    half = math.ceil(k / 2)
    step, bar_step = 22, 9
    first = 26 + bar_step * len(cliques)
    stems, labels = [], []
    width = 460
    for place, model in enumerate(order):
        is_left = place < half
        row = place if is_left else k - 1 - place
        depth = first + step * row
        rank = float(means[model])
        end = 1 - 0.04 * (k - 1) if is_left else k + 0.04 * (k - 1)
        stems += [{"x": rank, "x2": rank, "y": 0, "y2": depth}, {"x": rank, "x2": end, "y": depth, "y2": depth}]
        text = f"{names[model]} ({rank:.2f})"
        labels.append({"x": end, "y": depth, "text": text, "side": "left" if is_left else "right"})
    pad = 0.02 * (k - 1)
    bars = [
        {"x": min(means[i] for i in clique) - pad, "x2": max(means[i] for i in clique) + pad, "y": 12 + bar_step * row}
        for row, clique in enumerate(cliques)
    ]
    depth = first + step * half + (18 if difference else 0)
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(domain=[1, k], nice=False),
        axis=alt.Axis(orient="top", tickMinStep=1, grid=False, values=list(range(1, k + 1)), format="d"),
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[depth, 0], nice=False), axis=None)
    rule: dict[str, Any] = {"color": look.text, "strokeWidth": 1.2, "clip": False}
    layers = [alt.Chart(make_data(stems)).mark("rule", **rule).encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))]
    for side in ("left", "right"):
        own = [label for label in labels if label["side"] == side]
        if own:
            words = alt.Chart(make_data(own)).mark(
                "text",
                align="right" if side == "left" else "left",
                dx=-4 if side == "left" else 4,
                color=look.text,
                fontSize=12,
            )
            layers.append(words.encode(x=x, y=y, text=alt.Text("text:N")))
    if bars:
        thick = alt.Chart(make_data(bars)).mark("rule", color=look.colour(0), strokeWidth=4.5, clip=False)
        layers.append(thick.encode(x=x, y=y, x2=alt.X2("x2:Q")))
    if difference is not None:
        bar = make_data([{"x": 1.0, "x2": 1 + difference, "y": depth - 8}])
        layers.append(
            alt.Chart(bar).mark("rule", color=look.colour(1), strokeWidth=3).encode(x=x, y=y, x2=alt.X2("x2:Q"))
        )
        name = make_data([{"x": 1 + difference, "y": depth - 8, "text": f"critical difference {difference:.2f}"}])
        words = alt.Chart(name).mark("text", align="left", dx=5, color=look.text, fontSize=11)
        layers.append(words.encode(x=x, y=y, text=alt.Text("text:N")))
    chart = alt.layer(layers, width=width, height=depth, view={"stroke": None})
    return _make_picture("critical_difference", chart, title, subtitle, look)
