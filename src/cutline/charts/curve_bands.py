"""Bands around ROC and precision-recall curves: where the curve of all cases may run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import altair as alt

from cutline.charts.parts import Frame, Models, axes, rows
from cutline.charts.picture import inline
from cutline.charts.theme import Theme
from cutline.core.errors import ParameterError
from cutline.inference.one.bands import Band, pr_band, roc_band
from cutline.results.budget import RESAMPLES, resamples_for

# What a band holds, by its name: in words, and how it is asked for.
KINDS: dict[str, tuple[str, dict[str, bool]]] = {
    "pointwise": ("point by point", {}),
    "simultaneous": ("of the whole curve at once", {"simultaneous": True}),
    "guaranteed": ("of the whole curve at once, for any scores", {"guaranteed": True}),
}
_BANDS: dict[str, Callable[..., Band]] = {"roc": roc_band, "precision_recall": pr_band}
_MOST_MODELS = 3  # more bands hide each other


class BandAsked(NamedTuple):
    """Which band is wanted, if any, and how it is made."""

    curve: str
    kind: str | None
    level: float
    seed: int


def banded(models: Models, asked: BandAsked, frame: Frame, theme: Theme) -> tuple[list[Any], Frame]:
    """The layers of the bands, and the frame with a line that says what is shaded.

    Args:
        models: The models by name.
        asked: The band that is wanted.
        frame: The frame of the chart.
        theme: The colours.
    """
    if asked.kind is None:
        return [], frame
    known = [name for name in KINDS if asked.curve == "roc" or name != "guaranteed"]
    if not isinstance(asked.kind, str) or asked.kind not in known:
        raise ParameterError(f"is {asked.kind!r}", f"pass {', '.join(map(repr, known))}", argument="band")
    if len(models) > _MOST_MODELS:
        raise ParameterError(
            f"The bands of {len(models)} models would hide each other",
            f"draw at most {_MOST_MODELS}, or leave band out",
        )
    words, how = KINDS[asked.kind]
    layers = [_area(_found(model, asked, how), theme.colour(i), frame) for i, model in enumerate(models.values())]
    return layers, replace(frame, subtitle=[*frame.subtitle, f"Shaded: {100 * asked.level:g} % band, {words}"])


def _found(model: Any, asked: BandAsked, how: dict[str, bool]) -> Band:
    if getattr(model, "grouped", False) and not hasattr(model, "groups"):
        raise ParameterError("The groups of the cases are not known here", "draw the chart of the evaluation itself")
    data = model if hasattr(model, "groups") else model.ranking
    drawn = {} if "guaranteed" in how else {"seed": asked.seed}
    times = resamples_for(len(model.ranking))
    if drawn and times < RESAMPLES:  # a long list gets fewer, as its other intervals do
        drawn["resamples"] = times
    return _BANDS[asked.curve](data, level=asked.level, **how, **drawn)


def _area(band: Band, colour: str, frame: Frame) -> Any:
    data = rows({"x": band.x, "y": band.low, "y2": band.high})
    area = alt.Chart(inline(data)).mark_area(opacity=0.2, line=False, color=colour, clip=True)
    return area.encode(**axes(frame), y2=alt.Y2("y2:Q"))
