"""Charts of what decisions are worth: decision, cost, Brier and profit curves, and gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.chart_kind import CutPlace, Place, Requires, Shows, declare_chart
from cutline.charts.layers import (
    Evaluated,
    Frame,
    Models,
    Series,
    Shade,
    combine_layers,
    draw_lines,
    encode_axes,
    list_rows,
    make_frame,
)
from cutline.charts.lines import draw_over_threshold, find_curves
from cutline.charts.marks import Mark, draw_marks, list_cut_marks
from cutline.charts.picture import Picture, finish
from cutline.charts.theme import DASHES, DOTTED, Theme, find_theme
from cutline.charts.vega_lite import make_data
from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.core.validation import LEVEL, check_amount, check_level, check_number, check_prevalence, check_whole
from cutline.curves import Curve, Point, compute_decision_curve
from cutline.curves.curve_type import BELOW_ZERO
from cutline.curves.gains import Gains, gains
from cutline.curves.simplify import simplify
from cutline.curves.utility import (
    EVERYBODY,
    NOBODY,
    WORDINGS,
    Line,
    Wording,
    compute_benefit_of_flagging_all,
    compute_profits,
    compute_rates,
    describe_best_quota,
    find_cost_envelope,
    make_brier_line,
    make_cost_line,
    write_band_caption,
    write_curve_title,
)
from cutline.inference.resampling.samplers import CaseSampler, OneModel
from cutline.inference.single.utility import RISKS, compute_heights, find_best_quota, make_decision_band
from cutline.results.estimate import Estimate
from cutline.results.resample_budget import FEWEST, QUICK, choose_resamples_of_rows


class OverRisks(NamedTuple):
    """A kind of decision curve, and how its band is made."""

    kind: str
    prevalence: float | None
    level: float
    resamples: int | None

    @property
    def scale(self) -> float:
        """Factor of the numbers on the chart."""
        return WORDINGS[self.kind].scale


def choose_resamples(scores: int, resamples: int | None) -> int:
    """Choose the number of bootstrap samples for a band on a chart; 0 if it would take long and was not requested.

    Args:
        scores: How many distinct scores there are.
        resamples: How many were requested, if any.
    """
    times = choose_resamples_of_rows(scores, resamples)
    return times if resamples is not None or scores * times <= QUICK else 0


@declare_chart(
    title="Decision curve",
    caption="The net benefit over the threshold of the risk with its band, beside flagging everybody and nobody.",
    source="Vickers and Elkin 2006",
    needs=Requires.PROBABILITIES,
    cut=CutPlace("threshold", "net_benefit"),
)
def net_benefit(
    models: Models,
    theme: Theme,
    *,
    risk: float | None = None,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> alt.Chart:
    """Draw the net benefit over the risk threshold with its band, beside flagging every case and no case.

    The axes hold the thresholds at which some model is useful, and benefits from a little below 0. With a `risk` of its
    own, the net benefit is computed for every cut.
    """
    request = _check_request("net_benefit", prevalence, level, resamples)
    if risk is not None:
        if prevalence is not None:
            raise ParameterError(
                "prevalence says nothing about a curve with a risk of its own", "leave one of them out"
            )
        return draw_over_threshold(models, theme, measure="net_benefit", risk=risk)
    if prevalence is not None:
        return _draw_at_prevalence(models, theme, request)
    curves = find_curves(models, "net_benefit")
    frame = make_frame(curves, models, title=write_curve_title(request.kind), y_domain=_choose_benefit_range(models))
    frame = replace(frame, x=WORDINGS[request.kind].x, y=WORDINGS[request.kind].y)
    if frame.x_domain == (0.0, 1.0):
        frame = replace(frame, x_domain=(0.0, _find_last_useful_risk(models, curves)))
    risks = np.linspace(*frame.x_domain, 201)
    benefits = compute_benefit_of_flagging_all(risks, _compute_prevalence(next(iter(models.values()))))
    series = [
        *(
            Series(name, compute_decision_curve(model.ranking, *frame.x_domain), theme.colour(i), DASHES[i])
            for i, (name, model) in enumerate(models.items())
        ),
        Series(EVERYBODY, {"x": risks, "y": benefits}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": list(frame.x_domain), "y": [0.0, 0.0]}, theme.reference, DOTTED, 1.5),
    ]
    marks = draw_marks(list_cut_marks(models, curves, theme, list(models)), frame, theme)
    band = _draw_band(models, theme, frame, RISKS[frame.x_domain[1] >= RISKS], request)
    frame = _explain_shading(frame, band, request)
    return combine_layers([*band, *draw_lines(series, replace(frame, clip=True)), *marks], frame)


def _draw_at_prevalence(models: Models, theme: Theme, request: OverRisks) -> alt.Chart:
    """Draw the decision curve at another prevalence."""
    most = float(request.prevalence or 0)
    beside = {EVERYBODY: compute_benefit_of_flagging_all(RISKS, most), NOBODY: np.zeros(len(RISKS))}
    return _draw_over_risks(models, theme, request, beside, (-BELOW_ZERO * most, most))


def _choose_benefit_range(models: Models) -> tuple[float, float]:
    """Return the range of net benefits: from a little below 0 to the largest prevalence."""
    most = max(_compute_prevalence(model) for model in models.values()) or 1.0
    return -BELOW_ZERO * most, most


def _compute_prevalence(model: Evaluated) -> float:
    return float(model.ranking.positives) / float(model.ranking.total)


def _find_last_useful_risk(models: Models, curves: dict[str, Curve]) -> float:
    """Return the largest threshold to show: where a model stops being useful, or the chosen cut."""
    worth = [x for curve in curves.values() for x in curve.x[(curve.y > 0) & np.isfinite(curve.x)].tolist()]
    cuts = [model.threshold for model in models.values() if math.isfinite(model.threshold)]
    return min(1.0, 1.1 * max([*worth, *cuts], default=1.0))


@declare_chart(
    title="Standardised decision curve",
    caption="The net benefit as a share of the prevalence over the threshold of the risk, with its band.",
    source="Kerr et al. 2016",
    needs=Requires.PROBABILITIES | Requires.BOTH_CLASSES,
    places=Place.GALLERY,
)
def standardised_net_benefit(
    models: Models,
    theme: Theme,
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> alt.Chart:
    """Draw the net benefit as a share of what finding every positive at no cost would be worth, with its band."""
    first = next(iter(models.values())).ranking
    own = compute_rates(first, RISKS, check_prevalence(prevalence)).prevalence
    beside = {EVERYBODY: divide(compute_benefit_of_flagging_all(RISKS, own), own), NOBODY: np.zeros(len(RISKS))}
    request = _check_request("standardised", prevalence, level, resamples)
    return _draw_over_risks(models, theme, request, beside, (-0.15, 1.0))


@declare_chart(
    title="Net interventions avoided",
    caption="How many cases in a hundred are spared without missing a positive, beside flagging everybody.",
    source="Vickers et al. 2008",
    needs=Requires.PROBABILITIES | Requires.BOTH_CLASSES,
    places=Place.GALLERY,
)
def interventions_avoided(
    models: Models,
    theme: Theme,
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> alt.Chart:
    """Draw how many cases in a hundred are spared without missing a positive, beside flagging everybody, with its
    band.
    """
    request = _check_request("interventions_avoided", prevalence, level, resamples)
    return _draw_over_risks(models, theme, request, {EVERYBODY: np.zeros(len(RISKS))}, (-10.0, 100.0))


def _draw_over_risks(
    models: Models,
    theme: Theme,
    request: OverRisks,
    beside: Mapping[str, Array],
    y_domain: tuple[float, float],
) -> alt.Chart:
    """Draw a number of each model over the threshold probability, with a band where there is one model."""
    title, words = write_curve_title(request.kind, request.prevalence), WORDINGS[request.kind]
    curves = {
        name: request.scale
        * compute_heights(require_both_classes(model, title), RISKS, request.kind, request.prevalence)
        for name, model in models.items()
    }
    frame = Frame(
        x=words.x, y=words.y, x_domain=(0.0, 1.0), y_domain=y_domain, title=title, clip=True,
    )  # fmt: skip
    series = [
        Series(name, {"x": RISKS, "y": values}, theme.colour(i), DASHES[i])
        for i, (name, values) in enumerate(curves.items())
    ]
    dashes = (DASHES[1], DOTTED)
    series += [
        Series(name, {"x": RISKS, "y": values}, theme.reference, dashes[i], 1.5)
        for i, (name, values) in enumerate(beside.items())
    ]
    band = _draw_band(models, theme, frame, RISKS, request)
    return combine_layers([*band, *draw_lines(series, frame)], _explain_shading(frame, band, request))


def _draw_band(models: Models, theme: Theme, frame: Frame, risks: Array, request: OverRisks) -> list[alt.Chart]:
    """Draw the band of the one model that is drawn; none of several, which would hide each other."""
    if len(models) > 1 or request.resamples == 0:
        return []
    [model] = models.values()
    times = choose_resamples(len(model.ranking), request.resamples)
    if getattr(model, "grouped", False) and not hasattr(model, "groups"):
        return []  # the groups that would be resampled whole are not known here
    if not times and request.kind == "interventions_avoided" and request.prevalence is None:
        return []  # no formula gives this band
    sampled = model if hasattr(model, "groups") else model.ranking
    how: dict[str, Any] = {"level": request.level, "resamples": times or FEWEST}
    limits = make_decision_band(sampled, risks, request.kind, prevalence=request.prevalence, **how)
    low, high = request.scale * limits.low, request.scale * limits.high
    data = list_rows({"x": risks, "y": low, "y2": high})
    area = alt.Chart(make_data(data)).mark("area", opacity=0.2, line=False, color=theme.colour(0), clip=True)
    return [area.encode(**encode_axes(frame), y2=alt.Y2("y2:Q")).drawn_from(Shade(risks, low, high, theme.colour(0)))]


def _explain_shading(frame: Frame, band: list[Any], request: OverRisks) -> Frame:
    """Add a line to the title that explains the shading."""
    if not band:
        return frame
    return replace(frame, subtitle=[*frame.subtitle, write_band_caption(request.level)])


def _check_request(kind: str, prevalence: float | None, level: float, resamples: int | None) -> OverRisks:
    times = None if resamples is None else check_whole(resamples, "resamples", 0)
    return OverRisks(kind, check_prevalence(prevalence), check_level(level), times)


def require_both_classes(model: Evaluated, what: str) -> Ranking:
    """Return the ranking of a model; raise if it has one class alone."""
    if not model.ranking.positives or not model.ranking.negatives:
        raise InputError(f"{what} needs cases of both classes: these are of one.")
    return model.ranking


# ---------------------------------------------------------------------- cost, Brier and profit curves


_LIMITS = ("low", "high")
_NO_HEIGHTS = ("p_value", "threshold")  # columns of the table that are no heights
_REFERENCES = {"flag_everybody": (EVERYBODY, DASHES[1]), "flag_nobody": (NOBODY, DOTTED)}
_LINES = {"at_threshold": "at the threshold"}


def draw_columns(
    title: str,
    columns: Mapping[str, Array],
    *,
    level: float | None = None,
    best: Estimate | None = None,
    theme: str = "light",
) -> Picture:
    """Draw the second column over the first, with its band, its references and its best place.

    Args:
        title: The title.
        columns: The columns, by name: x, the curve, and what belongs to it.
        level: The level of the band, if there is one.
        best: The best place on the x axis, if there is one.
        theme: "light", "dark" or "print".
    """
    x, *others = columns
    lines = [name for name in others if name not in (*_REFERENCES, *_LIMITS, *_NO_HEIGHTS)]
    words, chosen = WORDINGS[lines[0]], find_theme(theme)
    at = columns[x]
    heights = {name: words.scale * columns[name] for name in others if name not in _NO_HEIGHTS}
    frame = Frame(
        x=words.x,
        y=words.y,
        x_domain=(float(at.min()), float(at.max())),
        y_domain=_choose_domain([heights[name] for name in (*lines, *_LIMITS) if name in heights], words),
        title=title,
        subtitle=[
            *([f"Best quota {describe_best_quota(best)}"] if best is not None else []),
            *([write_band_caption(level)] if level is not None and "low" in columns else []),
        ],
        clip=True,
    )
    series = [
        Series(_LINES.get(name, words.y), {"x": at, "y": heights[name]}, chosen.colour(i), DASHES[i])
        for i, name in enumerate(lines)
    ]
    series += _list_references(at, heights, words, chosen)
    layers = [*_draw_limits(at, heights, frame, chosen), *draw_lines(series, frame)]
    if best is not None:
        top = Point(float("nan"), best.value, float(np.interp(best.value, at, heights[lines[0]])))
        layers += draw_marks([Mark("best quota", top, "diamond", chosen.colour(0))], frame, chosen)
    return finish(title.lower().replace(" ", "_"), combine_layers(layers, frame), chosen)


def _choose_domain(heights: Sequence[Array], words: Wording) -> tuple[float, float]:
    """Choose the range of the axis: from the lowest to the highest value, with 0 included; deep falls are cut off."""
    values = np.concatenate(heights)
    values = values[np.isfinite(values)]
    low, high = float(min(values.min(), 0)), float(max(values.max(), 0))
    if words.floor is not None and high > 0:
        low = max(low, -words.floor * high)
    return low, high if high > low else low + 1.0


def _list_references(at: Array, heights: Mapping[str, Array], words: Wording, theme: Theme) -> list[Series]:
    series = [
        Series(label, {"x": at, "y": heights[name]}, theme.reference, dash, 1.5)
        for name, (label, dash) in _REFERENCES.items()
        if name in heights
    ]
    if words.zero is not None:
        series.append(Series(words.zero, {"x": at[[0, -1]], "y": np.zeros(2)}, theme.reference, DOTTED, 1.5))
    return series


def _draw_limits(at: Array, heights: Mapping[str, Array], frame: Frame, theme: Theme) -> list[alt.Chart]:
    if "low" not in heights:
        return []
    data = list_rows({"x": at, "y": heights["low"], "y2": heights["high"]})
    area = alt.Chart(make_data(list(data))).mark("area", opacity=0.2, line=False, color=theme.colour(0), clip=True)
    return [area.encode(**encode_axes(frame), y2=alt.Y2("y2:Q"))]


@declare_chart(
    title="Cost curve",
    caption="The smallest normalised expected cost over the probability-cost: the lower envelope of all cuts.",
    source="Drummond and Holte 2006",
)
def cost_curve(models: Models, theme: Theme, *, threshold: float | None = None) -> alt.Chart:
    """Draw the smallest normalised expected cost at every probability-cost: the lower envelope of the lines of all
    cuts.

    With a `threshold`, the line of that cut is drawn along.
    """
    lines = {name: find_cost_envelope(require_both_classes(model, "A cost curve")) for name, model in models.items()}
    top = max(float(line.y.max()) for line in lines.values())
    frame = Frame(
        x=WORDINGS["cost"].x,
        y=WORDINGS["cost"].y,
        x_domain=(0.0, 1.0),
        y_domain=(0.0, min(1.0, 1.6 * top)),
        title=WORDINGS["cost"].title,
        subtitle=_describe_areas(lines, "Area under the lower envelope"),
        legend="Area" if len(lines) > 1 else None,
        clip=True,
    )
    series = _list_series(lines, theme)
    if threshold is not None:
        at = check_number(threshold, "threshold")
        series += [
            Series(
                f"{name} at {at:g}",
                _list_columns(make_cost_line(model.ranking, at)),
                theme.colour(i),
                DASHES[i + 1],
                1.5,
            )
            for i, (name, model) in enumerate(models.items())
        ]
    ends = np.array([0.0, 1.0])
    series += [
        Series(EVERYBODY, {"x": ends, "y": 1 - ends}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": ends, "y": ends}, theme.reference, DOTTED, 1.5),
    ]
    return combine_layers(draw_lines(series, frame), frame)


@declare_chart(
    title="Brier curve",
    caption="The loss over the cost proportion when the threshold is that proportion; its area is the Brier score.",
    source="Hernández-Orallo, Flach and Ferri 2011",
    needs=Requires.PROBABILITIES | Requires.BOTH_CLASSES,
)
def brier_curve(models: Models, theme: Theme) -> alt.Chart:
    """Draw the loss at every cost proportion when the threshold is that proportion; the area is the Brier score."""
    lines = {name: make_brier_line(require_both_classes(model, "A Brier curve")) for name, model in models.items()}
    p = _compute_prevalence(next(iter(models.values())))
    top = max(float(line.y.max()) for line in lines.values())
    frame = Frame(
        x=WORDINGS["loss"].x,
        y=WORDINGS["loss"].y,
        x_domain=(0.0, 1.0),
        y_domain=(0.0, 1.25 * top if top > 0 else 1.0),
        title=WORDINGS["loss"].title,
        subtitle=_describe_areas(lines, "Brier score"),
        legend="Brier score" if len(lines) > 1 else None,
        clip=True,
    )
    ends = np.array([0.0, 1.0])
    series = [
        *_list_series(lines, theme),
        Series(EVERYBODY, {"x": ends, "y": 2 * (1 - p) * ends}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": ends, "y": 2 * p * (1 - ends)}, theme.reference, DOTTED, 1.5),
    ]
    return combine_layers(draw_lines(series, frame), frame)


@declare_chart(
    title="Profit over the quota",
    caption="The profit from flagging each number of cases, with the best quota and its interval.",
)
def profit(
    models: Models,
    theme: Theme,
    *,
    value: float | None = None,
    cost: float = 1.0,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
) -> alt.Chart:
    """Draw the profit over the number of flagged cases, with the best quota and its interval.

    Without a `value`, a positive is worth as many times the cost of a case as makes flagging everybody break even.
    """
    first, *_ = [require_both_classes(model, "A profit curve") for model in models.values()]
    price = check_amount(cost, "cost")
    worth = price * float(first.total) / float(first.positives) if value is None else check_amount(value, "value")
    lines = {name: compute_profits(model.ranking, worth, price) for name, model in models.items()}
    how: dict[str, Any] = {"level": check_level(level), "seed": check_whole(seed, "seed", 0)}
    best = {name: _describe_best_quota(model, worth, price, resamples, how) for name, model in models.items()}
    frame = Frame(
        x=WORDINGS["profit"].x,
        y=WORDINGS["profit"].y,
        x_domain=(0.0, max(float(line.x[-1]) for line in lines.values())),
        y_domain=_choose_profit_range(lines.values()),
        title=WORDINGS["profit"].title,
        subtitle=[
            f"A positive is worth {format_amount(worth)}, a case flagged costs {format_amount(price)}",
            *([f"Best quota {best[next(iter(best))]}"] if len(best) == 1 else []),
        ],
        legend="Best quota" if len(best) > 1 else None,
        clip=True,
    )
    series = [
        Series(
            name if len(lines) == 1 else f"{name}: {best[name]}", _list_columns(line, frame), theme.colour(i), DASHES[i]
        )
        for i, (name, line) in enumerate(lines.items())
    ]
    series.append(Series(NOBODY, {"x": list(frame.x_domain), "y": [0.0, 0.0]}, theme.reference, DOTTED, 1.5))
    return combine_layers([*draw_lines(series, frame), *draw_marks(_mark_tops(lines, theme), frame, theme)], frame)


def _mark_tops(lines: Mapping[str, Line], theme: Theme) -> list[Mark]:
    """Return the marks of the best quotas."""
    return [
        Mark(f"best quota of {name}" if len(lines) > 1 else "best quota", _find_top(line), "diamond", theme.colour(i))
        for i, (name, line) in enumerate(lines.items())
    ]


def _choose_profit_range(lines: Iterable[Line]) -> tuple[float, float]:
    """Choose the range of profits: from a third of the highest below zero to a little above the highest."""
    every = [line.y for line in lines]
    highest, lowest = max(float(y.max()) for y in every), min(float(y.min()) for y in every)
    return (max(lowest, -0.35 * highest), 1.1 * highest) if highest > 0 else (lowest, 1.0)


@declare_chart(
    name="gains",
    title="Gains by portions of the list",
    caption="The share of positives in each tenth of the list, and the share of all positives found so far.",
    shows=Shows.ONE,
    places=Place.GALLERY,
    names_model=False,
)
def gains_chart(models: Models, theme: Theme, *, portions: int | Sequence[float] = 10) -> alt.Chart:
    """Draw the share of positives in each portion of the list as bars, and the share of all positives found so far."""
    [(_, model)] = models.items()
    table = gains(model.ranking, portions)
    frame = Frame(
        x="Portion of the list, from the top",
        y="Share",
        x_domain=(0.0, float(len(table))),
        y_domain=(0.0, 1.0),
        title="Gains by portions of the list",
        subtitle=[table.largest_distance, f"KS over all cuts: {format_value(table.ks_anywhere)}"],
    )
    x = np.arange(len(table) + 1.0)
    lines = {"positives found so far": table["cumulated_gain"], "baseline": table["cumulated_share"]}
    looks = ((theme.colour(1), DASHES[0], 2.0), (theme.reference, DOTTED, 1.5))
    series = [
        Series(name, {"x": x, "y": np.append(0.0, y)}, *look)
        for (name, y), look in zip(lines.items(), looks, strict=True)
    ]
    return combine_layers([_draw_gain_bars(table, frame, theme), *draw_lines(series, frame)], frame)


def _draw_gain_bars(table: Gains, frame: Frame, theme: Theme) -> alt.Chart:
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
    bars = alt.Chart(make_data([{**row, "bars": label} for row in list_rows({**at, **columns})])).mark(
        "rect", stroke=theme.text
    )
    return bars.encode(**encode_axes(frame), x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), fill=fill, tooltip=tips)


# ---------------------------------------------------------------------- parts


def _describe_best_quota(
    model: Evaluated, value: float, cost: float, resamples: int | None, how: dict[str, Any]
) -> str:
    """Describe the best quota with its interval."""
    r = model.ranking
    times = choose_resamples(len(r), resamples)
    return describe_best_quota(find_best_quota(r, _make_sampler(model), value=value, cost=cost, resamples=times, **how))


def _make_sampler(model: Evaluated) -> OneModel | None:
    """Return the bootstrap sampler of a model; None if its cases come in groups that are not known here."""
    groups: OneModel | None = getattr(model, "groups", None)
    if groups is not None:
        return groups
    return None if getattr(model, "grouped", False) else CaseSampler(model.ranking)


def _list_series(lines: Mapping[str, Line], theme: Theme) -> list[Series]:
    several = len(lines) > 1
    return [
        Series(
            f"{name}: {format_value(line.area)}" if several else name, _list_columns(line), theme.colour(i), DASHES[i]
        )
        for i, (name, line) in enumerate(lines.items())
    ]


def _describe_areas(lines: Mapping[str, Line], words: str) -> list[str]:
    return [f"{words} {format_value(next(iter(lines.values())).area)}"] if len(lines) == 1 else []


def _list_columns(line: Line, frame: Frame | None = None) -> dict[str, Array]:
    """Return the corners of a line that can be seen."""
    left, right = (0.0, 1.0) if frame is None else frame.x_domain
    bottom, top = (0.0, float(line.y.max()) or 1.0) if frame is None else frame.y_domain
    corners = simplify((line.x - left) / (right - left), (line.y - bottom) / (top - bottom))
    return {"x": line.x[corners], "y": line.y[corners]}


def _find_top(line: Line) -> Point:
    place = int(np.argmax(line.y))
    return Point(math.nan, float(line.x[place]), float(line.y[place]))


def format_amount(amount: float) -> str:
    """Format an amount."""
    return f"{amount:.6g}"
