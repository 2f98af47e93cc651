"""Charts of what decisions are worth: cost, Brier and profit curves, and gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.decision_curves import of_both_classes, resamples_on_a_chart
from cutline.charts.layers import Evaluated, Frame, Models, Series, axes, layered, line_layers, rows
from cutline.charts.marks import Mark, mark_layers
from cutline.charts.picture import Picture, inline
from cutline.charts.theme import DASHES, DOTTED, Theme, themed
from cutline.core.array_ops import Array
from cutline.core.table import shown
from cutline.core.validation import LEVEL, check_amount, check_level, check_number, check_whole
from cutline.curves import Point
from cutline.curves.gains import Gains, gains
from cutline.curves.simplify import simplify
from cutline.curves.utility import (
    EVERYBODY,
    NOBODY,
    WORDINGS,
    Line,
    Wording,
    band_caption,
    brier_line,
    cost_envelope,
    cost_line,
    describe_best_quota,
    profits,
)
from cutline.inference.resampling.samplers import CaseSampler, OneModel
from cutline.inference.single.best_quota import best_quota
from cutline.results.estimate import Estimate

_LIMITS = ("low", "high")
_NO_HEIGHTS = ("p_value", "threshold")  # columns of the table that are no heights
_REFERENCES = {"flag_everybody": (EVERYBODY, DASHES[1]), "flag_nobody": (NOBODY, DOTTED)}
_LINES = {"at_threshold": "at the threshold"}


def column_chart(
    title: str,
    columns: Mapping[str, Array],
    *,
    level: float | None = None,
    best: Estimate | None = None,
    theme: str = "light",
) -> Picture:
    """Draw the curve in the second column over the first, with its band, its references and its best place.

    Args:
        title: The title.
        columns: The columns, by name: x, the curve, and what belongs to it.
        level: The level of the band, if there is one.
        best: The best place on the x axis, if there is one.
        theme: "light", "dark" or "print".
    """
    x, *others = columns
    lines = [name for name in others if name not in (*_REFERENCES, *_LIMITS, *_NO_HEIGHTS)]
    words, chosen = WORDINGS[lines[0]], themed(theme)
    at = columns[x]
    heights = {name: words.scale * columns[name] for name in others if name not in _NO_HEIGHTS}
    frame = Frame(
        x=words.x,
        y=words.y,
        x_domain=(float(at.min()), float(at.max())),
        y_domain=_domain([heights[name] for name in (*lines, *_LIMITS) if name in heights], words),
        title=title,
        subtitle=[
            *([f"Best quota {describe_best_quota(best)}"] if best is not None else []),
            *([band_caption(level)] if level is not None and "low" in columns else []),
        ],
        clip=True,
    )
    series = [
        Series(_LINES.get(name, words.y), {"x": at, "y": heights[name]}, chosen.colour(i), DASHES[i])
        for i, name in enumerate(lines)
    ]
    series += _references(at, heights, words, chosen)
    layers = [*_band(at, heights, frame, chosen), *line_layers(series, frame)]
    if best is not None:
        top = Point(float("nan"), best.value, float(np.interp(best.value, at, heights[lines[0]])))
        layers += mark_layers([Mark("best quota", top, "diamond", chosen.colour(0))], frame, chosen)
    made = layered(layers, frame)
    made.config = alt.Config(**chosen.config())
    return Picture(title.lower().replace(" ", "_"), made)


def _domain(heights: Sequence[Array], words: Wording) -> tuple[float, float]:
    """Return the range of the axis: from the lowest to the highest value, with 0 included; deep falls are cut off."""
    values = np.concatenate(heights)
    values = values[np.isfinite(values)]
    low, high = float(min(values.min(), 0)), float(max(values.max(), 0))
    if words.floor is not None and high > 0:
        low = max(low, -words.floor * high)
    return low, high if high > low else low + 1.0


def _references(at: Array, heights: Mapping[str, Array], words: Wording, theme: Theme) -> list[Series]:
    made = [
        Series(label, {"x": at, "y": heights[name]}, theme.reference, dash, 1.5)
        for name, (label, dash) in _REFERENCES.items()
        if name in heights
    ]
    if words.zero is not None:
        made.append(Series(words.zero, {"x": at[[0, -1]], "y": np.zeros(2)}, theme.reference, DOTTED, 1.5))
    return made


def _band(at: Array, heights: Mapping[str, Array], frame: Frame, theme: Theme) -> list[Any]:
    if "low" not in heights:
        return []
    data = rows({"x": at, "y": heights["low"], "y2": heights["high"]})
    area = alt.Chart(inline(list(data))).mark_area(opacity=0.2, line=False, color=theme.colour(0), clip=True)
    return [area.encode(**axes(frame), y2=alt.Y2("y2:Q"))]


def cost_curve(models: Models, theme: Theme, *, threshold: float | None = None) -> Any:
    """Draw the smallest normalised expected cost at every probability-cost: the lower envelope of the lines of all
    cuts.

    With a `threshold`, the line of that cut is drawn along.
    """
    lines = {name: cost_envelope(of_both_classes(model, "A cost curve")) for name, model in models.items()}
    top = max(float(line.y.max()) for line in lines.values())
    frame = Frame(
        x=WORDINGS["cost"].x,
        y=WORDINGS["cost"].y,
        x_domain=(0.0, 1.0),
        y_domain=(0.0, min(1.0, 1.6 * top)),
        title=WORDINGS["cost"].title,
        subtitle=_areas(lines, "Area under the lower envelope"),
        legend="Area" if len(lines) > 1 else None,
        clip=True,
    )
    series = _lines(lines, theme)
    if threshold is not None:
        at = check_number(threshold, "threshold")
        series += [
            Series(f"{name} at {at:g}", _columns(cost_line(model.ranking, at)), theme.colour(i), DASHES[i + 1], 1.5)
            for i, (name, model) in enumerate(models.items())
        ]
    ends = np.array([0.0, 1.0])
    series += [
        Series(EVERYBODY, {"x": ends, "y": 1 - ends}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": ends, "y": ends}, theme.reference, DOTTED, 1.5),
    ]
    return layered(line_layers(series, frame), frame)


def brier_curve(models: Models, theme: Theme) -> Any:
    """Draw the loss at every cost proportion when the threshold is that proportion; the area is the Brier score."""
    lines = {name: brier_line(of_both_classes(model, "A Brier curve")) for name, model in models.items()}
    first = next(iter(models.values())).ranking
    p = float(first.positives) / float(first.total)
    top = max(float(line.y.max()) for line in lines.values())
    frame = Frame(
        x=WORDINGS["loss"].x,
        y=WORDINGS["loss"].y,
        x_domain=(0.0, 1.0),
        y_domain=(0.0, 1.25 * top if top > 0 else 1.0),
        title=WORDINGS["loss"].title,
        subtitle=_areas(lines, "Brier score"),
        legend="Brier score" if len(lines) > 1 else None,
        clip=True,
    )
    ends = np.array([0.0, 1.0])
    series = [
        *_lines(lines, theme),
        Series(EVERYBODY, {"x": ends, "y": 2 * (1 - p) * ends}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": ends, "y": 2 * p * (1 - ends)}, theme.reference, DOTTED, 1.5),
    ]
    return layered(line_layers(series, frame), frame)


def profit(
    models: Models,
    theme: Theme,
    *,
    value: float | None = None,
    cost: float = 1.0,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
) -> Any:
    """Draw the profit over the number of flagged cases, with the best quota and its interval.

    Without a `value`, a positive is worth as many times the cost of a case as makes flagging everybody break even.
    """
    first, *_ = [of_both_classes(model, "A profit curve") for model in models.values()]
    price = check_amount(cost, "cost")
    worth = price * float(first.total) / float(first.positives) if value is None else check_amount(value, "value")
    lines = {name: profits(model.ranking, worth, price) for name, model in models.items()}
    how: dict[str, Any] = {"level": check_level(level), "seed": check_whole(seed, "seed", 0)}
    best = {name: _best(model, worth, price, resamples, how) for name, model in models.items()}
    frame = Frame(
        x=WORDINGS["profit"].x,
        y=WORDINGS["profit"].y,
        x_domain=(0.0, max(float(line.x[-1]) for line in lines.values())),
        y_domain=_around_the_profits(lines.values()),
        title=WORDINGS["profit"].title,
        subtitle=[
            f"A positive is worth {shown_amount(worth)}, a case flagged costs {shown_amount(price)}",
            *([f"Best quota {best[next(iter(best))]}"] if len(best) == 1 else []),
        ],
        legend="Best quota" if len(best) > 1 else None,
        clip=True,
    )
    series = [
        Series(name if len(lines) == 1 else f"{name}: {best[name]}", _columns(line, frame), theme.colour(i), DASHES[i])
        for i, (name, line) in enumerate(lines.items())
    ]
    series.append(Series(NOBODY, {"x": list(frame.x_domain), "y": [0.0, 0.0]}, theme.reference, DOTTED, 1.5))
    return layered([*line_layers(series, frame), *mark_layers(_tops(lines, theme), frame, theme)], frame)


def _tops(lines: Mapping[str, Line], theme: Theme) -> list[Mark]:
    """Return the marks of the best quotas."""
    return [
        Mark(f"best quota of {name}" if len(lines) > 1 else "best quota", _top(line), "diamond", theme.colour(i))
        for i, (name, line) in enumerate(lines.items())
    ]


def _around_the_profits(lines: Iterable[Line]) -> tuple[float, float]:
    """Return the profits that matter: a third of the highest below zero, and a little above it."""
    every = [line.y for line in lines]
    highest, lowest = max(float(y.max()) for y in every), min(float(y.min()) for y in every)
    return (max(lowest, -0.35 * highest), 1.1 * highest) if highest > 0 else (lowest, 1.0)


def gains_chart(models: Models, theme: Theme, *, portions: int | Sequence[float] = 10) -> Any:
    """Draw the share of positives in each portion of the list as bars, and the share of all positives found so far."""
    [(_, model)] = models.items()
    table = gains(model.ranking, portions)
    frame = Frame(
        x="Portion of the list, from the top",
        y="Share",
        x_domain=(0.0, float(len(table))),
        y_domain=(0.0, 1.0),
        title="Gains by portions of the list",
        subtitle=[table.largest_distance, f"KS over all cuts: {shown(table.ks_anywhere)}"],
    )
    x = np.arange(len(table) + 1.0)
    lines = {"positives found so far": table["cumulated_gain"], "baseline": table["cumulated_share"]}
    looks = ((theme.colour(1), DASHES[0], 2.0), (theme.reference, DOTTED, 1.5))
    series = [
        Series(name, {"x": x, "y": np.append(0.0, y)}, *look)
        for (name, y), look in zip(lines.items(), looks, strict=True)
    ]
    return layered([_gain_bars(table, frame, theme), *line_layers(series, frame)], frame)


def _gain_bars(table: Gains, frame: Frame, theme: Theme) -> Any:
    names = ("portion", "first_score", "last_score", "cases", "positives", "rate", "lift")
    columns = {name: table[name] for name in names}
    at = {"x": table["portion"] - 0.9, "x2": table["portion"] - 0.1, "y": table["rate"], "y2": np.zeros(len(table))}
    tips = [alt.Tooltip(f"{name}:Q", title=name.replace("_", " ").capitalize(), format=".6~g") for name in names]
    label = "positives in the portion"
    fill = alt.Fill(
        "bars:N",
        scale=alt.Scale(domain=[label], range=theme.fills(1)),
        legend=alt.Legend(title=None, symbolType="square", symbolStrokeWidth=0),
    )
    bars = alt.Chart(inline([{**row, "bars": label} for row in rows({**at, **columns})])).mark_rect(stroke=theme.text)
    return bars.encode(**axes(frame), x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), fill=fill, tooltip=tips)


# ---------------------------------------------------------------------- parts


def _best(model: Evaluated, value: float, cost: float, resamples: int | None, how: dict[str, Any]) -> str:
    """Return the best quota with its interval, in words."""
    r = model.ranking
    times = resamples_on_a_chart(len(r), resamples)
    return describe_best_quota(best_quota(r, _sampler(model), value=value, cost=cost, resamples=times, **how))


def _sampler(model: Evaluated) -> OneModel | None:
    """Return the bootstrap sampler of a model; None where its cases come in groups that are not known here."""
    groups: OneModel | None = getattr(model, "groups", None)
    if groups is not None:
        return groups
    return None if getattr(model, "grouped", False) else CaseSampler(model.ranking)


def _lines(lines: Mapping[str, Line], theme: Theme) -> list[Series]:
    several = len(lines) > 1
    return [
        Series(f"{name}: {shown(line.area)}" if several else name, _columns(line), theme.colour(i), DASHES[i])
        for i, (name, line) in enumerate(lines.items())
    ]


def _areas(lines: Mapping[str, Line], words: str) -> list[str]:
    return [f"{words} {shown(next(iter(lines.values())).area)}"] if len(lines) == 1 else []


def _columns(line: Line, frame: Frame | None = None) -> dict[str, Array]:
    """Return the corners that the eye needs."""
    left, right = (0.0, 1.0) if frame is None else frame.x_domain
    bottom, top = (0.0, float(line.y.max()) or 1.0) if frame is None else frame.y_domain
    corners = simplify((line.x - left) / (right - left), (line.y - bottom) / (top - bottom))
    return {"x": line.x[corners], "y": line.y[corners]}


def _top(line: Line) -> Point:
    place = int(np.argmax(line.y))
    return Point(math.nan, float(line.x[place]), float(line.y[place]))


def shown_amount(amount: float) -> str:
    """Return an amount of money, or of whatever is counted."""
    return f"{amount:.6g}"
