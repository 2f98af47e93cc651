"""Decision curves: the net benefit over the threshold probability and its variants, each with its band."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.layers import Evaluated, Frame, Models, Series, Shade, axes, frame_of, layered, line_layers, rows
from cutline.charts.lines import curves_of, over_threshold
from cutline.charts.marks import cut_marks, mark_layers
from cutline.charts.picture import inline
from cutline.charts.theme import DASHES, DOTTED, Theme
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_level, check_prevalence, check_whole
from cutline.curves import Curve, flagging_everybody
from cutline.curves import decision_curve as net_benefits
from cutline.curves.curve_type import BELOW_ZERO
from cutline.curves.utility import EVERYBODY, NOBODY, WORDINGS, band_caption, curve_title, flag_everybody, rates_at
from cutline.inference.single.decision_band import RISKS, decision_band, heights
from cutline.results.resample_budget import FEWEST, QUICK, resamples_of_rows


class OverRisks(NamedTuple):
    """A kind of decision curve, and how its band is made."""

    kind: str
    prevalence: float | None
    level: float
    resamples: int | None

    @property
    def scale(self) -> float:
        """What the numbers are multiplied by on the chart."""
        return WORDINGS[self.kind].scale


def resamples_on_a_chart(scores: int, resamples: int | None) -> int:
    """Return the number of bootstrap samples for a band on a chart; 0 where it would take long and was not
    requested.

    Args:
        scores: How many distinct scores there are.
        resamples: How many were requested, if any.
    """
    times = resamples_of_rows(scores, resamples)
    return times if resamples is not None or scores * times <= QUICK else 0


def decision_curve(
    models: Models,
    theme: Theme,
    *,
    risk: float | None = None,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> Any:
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
        return over_threshold(models, theme, measure="net_benefit", risk=risk)
    if prevalence is not None:
        return _elsewhere(models, theme, request)
    curves = curves_of(models, "net_benefit")
    frame = frame_of(curves, models, title=curve_title(request.kind), y_domain=_up_to_the_prevalence(models))
    frame = replace(frame, x=WORDINGS[request.kind].x, y=WORDINGS[request.kind].y)
    if frame.x_domain == (0.0, 1.0):
        frame = replace(frame, x_domain=(0.0, _where_worth_something(models, curves)))
    everybody = np.linspace(*frame.x_domain, 201)
    first = next(iter(models.values())).ranking
    series = [
        *(
            Series(name, net_benefits(model.ranking, *frame.x_domain), theme.colour(i), DASHES[i])
            for i, (name, model) in enumerate(models.items())
        ),
        Series(EVERYBODY, {"x": everybody, "y": flagging_everybody(first, everybody)}, theme.reference, DASHES[1], 1.5),
        Series(NOBODY, {"x": list(frame.x_domain), "y": [0.0, 0.0]}, theme.reference, DOTTED, 1.5),
    ]
    marks = mark_layers(cut_marks(models, curves, theme, list(models)), frame, theme)
    band = _draw_band(models, theme, frame, RISKS[frame.x_domain[1] >= RISKS], request)
    frame = _explain_shading(frame, band, request)
    return layered([*band, *line_layers(series, replace(frame, clip=True)), *marks], frame)


def _elsewhere(models: Models, theme: Theme, request: OverRisks) -> Any:
    """Draw the decision curve at another prevalence."""
    most = float(request.prevalence or 0)
    beside = {EVERYBODY: flag_everybody(RISKS, most), NOBODY: np.zeros(len(RISKS))}
    return _over_risks(models, theme, request, beside, (-BELOW_ZERO * most, most))


def _up_to_the_prevalence(models: Models) -> tuple[float, float]:
    """Return the range of net benefits: from a little below 0 to the largest prevalence."""
    most = max(float(flagging_everybody(model.ranking, np.zeros(1))[0]) for model in models.values()) or 1.0
    return -BELOW_ZERO * most, most


def _where_worth_something(models: Models, curves: dict[str, Curve]) -> float:
    """Return the largest threshold to show: where a model stops being useful, or the chosen cut."""
    worth = [x for curve in curves.values() for x in curve.x[(curve.y > 0) & np.isfinite(curve.x)].tolist()]
    cuts = [model.threshold for model in models.values() if math.isfinite(model.threshold)]
    return min(1.0, 1.1 * max([*worth, *cuts], default=1.0))


def standardised_net_benefit(
    models: Models,
    theme: Theme,
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> Any:
    """Draw the net benefit as a share of what finding every positive at no cost would be worth, with its band."""
    first = next(iter(models.values())).ranking
    own = rates_at(first, RISKS, check_prevalence(prevalence)).prevalence
    beside = {EVERYBODY: flag_everybody(RISKS, own) / own, NOBODY: np.zeros(len(RISKS))}
    request = _check_request("standardised", prevalence, level, resamples)
    return _over_risks(models, theme, request, beside, (-0.15, 1.0))


def interventions_avoided_chart(
    models: Models,
    theme: Theme,
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
) -> Any:
    """Draw how many cases in a hundred are spared without missing a positive, beside flagging everybody, with its
    band.
    """
    request = _check_request("interventions_avoided", prevalence, level, resamples)
    return _over_risks(models, theme, request, {EVERYBODY: np.zeros(len(RISKS))}, (-10.0, 100.0))


def _over_risks(
    models: Models,
    theme: Theme,
    request: OverRisks,
    beside: Mapping[str, Array],
    y_domain: tuple[float, float],
) -> Any:
    """Draw a number of each model over the threshold probability, with a band where there is one model."""
    title, words = curve_title(request.kind, request.prevalence), WORDINGS[request.kind]
    curves = {
        name: request.scale * heights(of_both_classes(model, title), RISKS, request.kind, request.prevalence)
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
    return layered([*band, *line_layers(series, frame)], _explain_shading(frame, band, request))


def _draw_band(models: Models, theme: Theme, frame: Frame, risks: Array, request: OverRisks) -> list[Any]:
    """Draw the band of the one model that is drawn; none of several, which would hide each other."""
    if len(models) > 1 or request.resamples == 0:
        return []
    [model] = models.values()
    times = resamples_on_a_chart(len(model.ranking), request.resamples)
    if getattr(model, "grouped", False) and not hasattr(model, "groups"):
        return []  # the groups that would be resampled whole are not known here
    if not times and request.kind == "interventions_avoided" and request.prevalence is None:
        return []  # no formula gives this band
    sampled = model if hasattr(model, "groups") else model.ranking
    how: dict[str, Any] = {"level": request.level, "resamples": times or FEWEST}
    limits = decision_band(sampled, risks, request.kind, prevalence=request.prevalence, **how)
    low, high = request.scale * limits.low, request.scale * limits.high
    data = rows({"x": risks, "y": low, "y2": high})
    area = alt.Chart(inline(data)).mark_area(opacity=0.2, line=False, color=theme.colour(0), clip=True)
    return [area.encode(**axes(frame), y2=alt.Y2("y2:Q")).drawn_from(Shade(risks, low, high, theme.colour(0)))]


def _explain_shading(frame: Frame, band: list[Any], request: OverRisks) -> Frame:
    """Add a line to the title that explains the shading."""
    if not band:
        return frame
    return replace(frame, subtitle=[*frame.subtitle, band_caption(request.level)])


def _check_request(kind: str, prevalence: float | None, level: float, resamples: int | None) -> OverRisks:
    times = None if resamples is None else check_whole(resamples, "resamples", 0)
    return OverRisks(kind, check_prevalence(prevalence), check_level(level), times)


def of_both_classes(model: Evaluated, what: str) -> Ranking:
    """Return the ranking of a model; one of a single class is refused."""
    if not model.ranking.positives or not model.ranking.negatives:
        raise InputError(f"{what} needs cases of both classes: these are of one.")
    return model.ranking
