"""Charts, drawn by Altair from finished curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts.bars_and_densities import error_bars
from cutline.charts.chart_kind import ChartKind, Charts, CutPlace, Place, Requires, Shows
from cutline.charts.layers import AREAS, CUT, Evaluated
from cutline.charts.matplotlib_axes import check_axes, draw_on_axes
from cutline.charts.picture import Length, Picture, legends_below, resized
from cutline.charts.registry import CHARTS, PAGE_MEASURES
from cutline.charts.renderer import program as vega
from cutline.charts.several_classes import DrawnClasses
from cutline.charts.theme import DARK, LIGHT, LONGEST, MOST_MODELS, PAGE, PRINT, THEMES, Theme, themed
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError, UnknownNameError, near
from cutline.core.messages import listed
from cutline.core.public import public
from cutline.inference.differences.difference import ConfidenceCurve
from cutline.inputs.rank import check_probabilities

__all__ = [
    "AREAS",
    "CHARTS",
    "CUT",
    "DARK",
    "LIGHT",
    "MOST_MODELS",
    "PAGE",
    "PAGE_MEASURES",
    "PRINT",
    "THEMES",
    "ChartKind",
    "Charts",
    "CutPlace",
    "Evaluated",
    "Picture",
    "Place",
    "Requires",
    "Shows",
    "Theme",
    "chart",
    "drawn_of",
    "error_bars",
    "legends_below",
    "vega",
]

UNNAMED = "model"
# What every chart takes.
COMMON = ("theme", "title", "width", "height")


@overload
def chart(
    name: str, models: Evaluated | Mapping[str, Evaluated] | None = None, *, ax: None = None, **parameters: Any
) -> Picture: ...


@overload
def chart(
    name: str, models: Evaluated | Mapping[str, Evaluated] | None = None, *, ax: object, **parameters: Any
) -> Any: ...


@public
def chart(
    name: str,
    models: Evaluated | Mapping[str, Evaluated] | None = None,
    *,
    theme: str = "light",
    title: str | None = None,
    width: Length | None = None,
    height: Length | None = None,
    ax: Any = None,
    **parameters: Any,
) -> Any:
    """Draw a chart of one evaluation, or of several by name.

    Args:
        name: One of `CHARTS`, or a measure of one cut to draw over the threshold.
        models: What `evaluate` or `compare` gives, or several evaluations by name, such as
            `{"tree": ev1, "forest": ev2}`.
        theme: "light", "dark" or, for black and white, "print".
        title: A title in place of the chart's own.
        width: The width of the whole picture, in pixels or as a length such as "85mm".
        height: The height of the whole picture.
        ax: Axes of matplotlib to draw a chart of curves on, in place of making a picture.
        **parameters: Those of the chart, such as `cost_fn=5` for "roc".

    Returns:
        A picture, which shows itself in a notebook and saves itself as a file; with `ax`, these axes.
    """
    if not isinstance(name, str):
        raise UnknownNameError(
            f"is of type {type(name).__name__}", "pass the name of a chart first, such as 'roc'", argument="name"
        )
    chosen, kind = themed(theme), CHARTS[name]
    if ax is not None:
        check_axes(ax)
        if width is not None or height is not None:
            raise ParameterError("width and height are those of a picture", "leave them out where ax has a size")
        parameters = {"histogram": False, **parameters} if "histogram" in kind.parameters else parameters
    if kind.shows is Shows.DIFFERENCE:
        curve, parameters = _difference(models, parameters)
        picture_spec = kind.draw(curve, chosen, **parameters)
    elif kind.shows is Shows.CLASSES:
        picture_spec = kind.draw(_classes(kind, models), chosen, **_parameters(kind, parameters))
    elif kind.shows is Shows.TABLES:
        picture_spec = kind.draw(_tables(kind, models), chosen, **_parameters(kind, parameters))
    else:
        shown = _models(kind, models)
        which = drawn_of(kind, shown, parameters)
        suitable = {name: model for i, (name, model) in enumerate(shown.items()) if i in which}
        picture_spec = kind.draw(suitable, chosen.of(which), **_parameters(kind, parameters))
        if not kind.names_model and len(shown) == 1 and [*shown] != [UNNAMED]:
            picture_spec.title = _name_model(picture_spec.title, *shown)
        if len(suitable) < len(shown):
            picture_spec.title = _with_line(picture_spec.title, without_probabilities(shown, which))
    if title is not None:
        picture_spec.title = _replace_title(picture_spec.title, title)
    if ax is not None:
        return draw_on_axes(ax, kind.name, picture_spec)
    picture_spec.config = alt.Config(**chosen.config())
    picture = Picture(kind.name, picture_spec)
    return picture if width is None and height is None else resized(picture, width, height)


def drawn_of(
    kind: ChartKind, models: Mapping[str, Evaluated], parameters: Mapping[str, Any] | None = None
) -> list[int]:
    """Return which of the models a chart shows, by their places: of a chart of probabilities, those that give them.

    Args:
        kind: The chart.
        models: The models by name.
        parameters: Those of the chart: with a risk of its own, the net benefit needs no probabilities.
    """
    needed = Requires.PROBABILITIES in kind.needs and (parameters or {}).get("risk") is None
    suitable = [i for i, model in enumerate(models.values()) if not needed or model.ranking.are_probabilities]
    if models and not suitable:
        r = next(iter(models.values())).ranking
        low, high = sorted((float(r.score[0]), float(r.score[-1])))
        check_probabilities(f"The chart {kind.name}", low, high, higher_is_positive=r.higher_is_positive)
    return suitable


def without_probabilities(models: Mapping[str, Evaluated], shown: Sequence[int]) -> str:
    """Return which models a chart of probabilities leaves out, in words."""
    left_out = listed([name for i, name in enumerate(models) if i not in shown])
    return f"Without {left_out}, whose scores are not probabilities"


def _with_line(title: Any, note: str) -> Any:
    """Return the title with one more line below it."""
    if title is alt.Undefined:
        return alt.TitleParams(note)
    below = [] if title.subtitle is alt.Undefined else title.subtitle
    return alt.TitleParams(title.text, subtitle=[*below, note])


def _replace_title(title: Any, text: str) -> alt.TitleParams:
    """Return the title with another text."""
    if not isinstance(text, str):
        raise ParameterError(f"is of type {type(text).__name__}", "pass a text", argument="title")
    below = alt.Undefined if title is alt.Undefined else title.subtitle
    return alt.TitleParams(text, subtitle=below)


def _name_model(title: Any, name: str) -> alt.TitleParams:
    """Return the title of a chart of one model that has no legend to name it: below it stands whose chart it is."""
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
    if title is alt.Undefined:
        return alt.TitleParams(name)
    below = [] if title.subtitle is alt.Undefined else title.subtitle
    return alt.TitleParams(title.text, subtitle=[name, *below])


def _parameters(kind: ChartKind, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a chart; unknown ones are refused."""
    takes = kind.parameters
    if "measure" in takes:  # over the threshold, a measure has parameters of its own
        if "measure" in parameters:
            raise ParameterError(f"The chart {kind.name} is of that measure", "name another chart for another measure")
        return {"measure": kind.name} | parameters
    for name in parameters:
        if name not in takes:
            known = f"it takes {', '.join([*takes, *COMMON])}"
            raise ParameterError(f"The chart {kind.name} has no parameter {name!r}", known, hint=near(name, takes))
    return parameters


def _difference(models: Any, parameters: dict[str, Any]) -> tuple[ConfidenceCurve, dict[str, Any]]:
    """Return the confidence curve to draw, given as such or asked of a comparison, and the parameters of the
    drawing.
    """
    if isinstance(models, ConfidenceCurve):
        return models, parameters
    if not hasattr(models, "confidence_curve"):
        raise InputError(
            "The chart confidence_curve shows a difference on the same cases",
            "pass what compare() gives, or its confidence_curve()",
        )
    own = {name: parameters[name] for name in ("level",) if name in parameters}
    requested = {name: value for name, value in parameters.items() if name not in own}
    return models.confidence_curve(**requested), own


def _classes(kind: ChartKind, models: Any) -> DrawnClasses:
    """Return the classes to draw, finished or asked of what one_vs_rest() gives."""
    classes = models if isinstance(models, DrawnClasses) else getattr(models, "chart_data", None)
    if not isinstance(classes, DrawnClasses):
        raise InputError(f"The chart {kind.name} shows several classes", "pass what one_vs_rest() gives")
    return classes


def _tables(kind: ChartKind, models: Any) -> dict[str, Counts]:
    """Return the tables of counts by name; for an evaluation the table of its cut."""
    by_name = models if isinstance(models, Mapping) else {getattr(models, "name", None) or UNNAMED: models}
    evaluations = {name: model for name, model in by_name.items() if not isinstance(model, Counts)}
    cuts = (
        {name: model.ranking.at_threshold(model.threshold) for name, model in _models(kind, evaluations).items()}
        if (evaluations or not by_name)
        else {}
    )
    tables = {str(name): cuts.get(str(name), model) for name, model in by_name.items()}
    if any(np.ndim(table.tp) for table in tables.values()):
        raise InputError("A table holds the counts of many cuts", "pass those of one, such as ev.at(threshold=0.5)")
    return tables


def _models(kind: ChartKind, models: Any) -> dict[str, Evaluated]:
    """Return the models by name: at least one where one is needed, and no more than can be told apart."""
    if models is None:
        if kind.shows is Shows.NOTHING:
            return {}
        raise InputError(f"The chart {kind.name} shows predictions, but none were given", "pass an evaluation")
    if not isinstance(models, Mapping):
        models = {getattr(models, "name", None) or UNNAMED: models}
    for model in models.values():
        if not (hasattr(model, "ranking") and hasattr(model, "threshold")):
            raise InputError(
                f"A chart shows evaluations, but one of type {type(model).__name__} was given",
                "pass what evaluate() gives, or several of them by name, such as {'tree': ev1, 'forest': ev2}",
            )
    named = _told_apart(models)
    if not named:
        raise InputError(f"The chart {kind.name} shows predictions, but no model was given", "pass at least one")
    if len(named) > MOST_MODELS:
        raise InputError(
            f"{len(named)} models were given, but a chart tells {MOST_MODELS} apart", f"pass at most {MOST_MODELS}"
        )
    if len(named) > 1 and kind.shows is Shows.ONE:
        raise InputError(f"The chart {kind.name} shows one model, but {len(named)} were given", "pass one of them")
    return named


def _told_apart(models: Mapping[Any, Evaluated]) -> dict[str, Evaluated]:
    """Return the models by names that can be read and differ."""
    named = {str(key): model for key, model in models.items()}
    if len(named) < len(models):
        raise InputError("Two models have names that read the same", "give each a name of its own")
    if any(not name.strip() for name in named):
        raise InputError("The name of a model is empty", "give each a name that can be read")
    return named
