"""chart(): a chart by its name, as a picture or on axes of matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

import cutline.charts.vega_lite as alt
from cutline.charts import (
    bars_and_densities,
    calibration,
    lines,
    roc_space,
    several_classes,
    several_models,
    utility,
)
from cutline.charts.chart_kind import ChartKind, Charts, Requires, Shows
from cutline.charts.layers import Evaluated, Frame, Series, Shade, VerticalLine
from cutline.charts.marks import CUT_DASH, Mark
from cutline.charts.picture import Length, Picture, finish, resize
from cutline.charts.several_classes import ClassChartData
from cutline.charts.theme import LONGEST, MOST_MODELS, find_theme
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError, UnknownNameError, hint_similar
from cutline.core.messages import join_with_and
from cutline.core.public import public
from cutline.inference.differences.difference import ConfidenceCurve
from cutline.inputs.rank import check_probabilities

CHARTS = Charts(
    roc_space.roc,
    bars_and_densities.score_distribution,
    roc_space.precision_recall,
    lines.gain,
    lines.tpr_fpr,
    lines.det,
    lines.precision_recall_readings,
    lines.lift,
    bars_and_densities.portion_lift,
    lines.hit_rate,
    lines.qrecall,
    lines.quota,
    utility.net_benefit,
    utility.standardised_net_benefit,
    utility.interventions_avoided,
    utility.cost_curve,
    utility.brier_curve,
    utility.profit,
    utility.gains_chart,
    several_models.dominance,
    several_models.shared_hull_chart,
    several_models.confidence_curve,
    lines.skew,
    lines.skew_measures,
    bars_and_densities.boundary,
    roc_space.roc_points,
    bars_and_densities.losses,
    bars_and_densities.confusion_matrix,
    bars_and_densities.ranking_table,
    calibration.reliability,
    calibration.mcb_dsc,
    calibration.risk_by_outcome,
    several_classes.class_roc,
    several_classes.class_measures,
    several_classes.class_confusion_matrix,
    over_threshold=lines.draw_over_threshold,
)
"""All charts in the order of lists, page and gallery; besides, every measure of one cut is a chart over the threshold.
"""

# Measures of one cut that the page draws over the threshold.
PAGE_MEASURES = ("f1", "mcc", "expected_cost")

UNNAMED = "model"
# The options of every chart.
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
    """Draw a chart of one evaluation, or of several.

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
    chosen, kind = find_theme(theme), CHARTS[name]
    if ax is not None:
        check_axes(ax)
        if width is not None or height is not None:
            raise ParameterError("width and height are those of a picture", "leave them out where ax has a size")
        parameters = {"histogram": False, **parameters} if "histogram" in kind.parameters else parameters
    if kind.shows is Shows.DIFFERENCE:
        curve, parameters = _find_difference(models, parameters)
        drawing = kind.draw(curve, chosen, **parameters)
    elif kind.shows is Shows.CLASSES:
        drawing = kind.draw(_find_classes(kind, models), chosen, **_check_parameters(kind, parameters))
    elif kind.shows is Shows.TABLES:
        drawing = kind.draw(_collect_tables(kind, models), chosen, **_check_parameters(kind, parameters))
    else:
        models_by_name = _collect_models(kind, models)
        which = choose_models(kind, models_by_name, parameters)
        suitable = {name: model for i, (name, model) in enumerate(models_by_name.items()) if i in which}
        drawing = kind.draw(suitable, chosen.of(which), **_check_parameters(kind, parameters))
        if not kind.names_model and len(models_by_name) == 1 and [*models_by_name] != [UNNAMED]:
            drawing = _name_model(drawing, *models_by_name)
        if len(suitable) < len(models_by_name):
            drawing = _add_line(drawing, describe_left_out(models_by_name, which))
    if title is not None:
        drawing = _replace_title(drawing, title)
    if ax is not None:
        return draw_on_axes(ax, kind.name, drawing)
    picture = finish(kind.name, drawing, chosen)
    return picture if width is None and height is None else resize(picture, width, height)


def choose_models(
    kind: ChartKind, models: Mapping[str, Evaluated], parameters: Mapping[str, Any] | None = None
) -> list[int]:
    """Return the positions of the models that a chart shows: only models with probabilities, if it needs them.

    Args:
        kind: The chart.
        models: The models by name.
        parameters: Those of the chart: with a risk of its own, the net benefit needs no probabilities.
    """
    needs_probabilities = Requires.PROBABILITIES in kind.needs and (parameters or {}).get("risk") is None
    suitable = [
        i for i, model in enumerate(models.values()) if not needs_probabilities or model.ranking.are_probabilities
    ]
    if models and not suitable:
        r = next(iter(models.values())).ranking
        low, high = sorted((float(r.score[0]), float(r.score[-1])))
        check_probabilities(f"The chart {kind.name}", low, high, higher_is_positive=r.higher_is_positive)
    return suitable


def describe_left_out(models: Mapping[str, Evaluated], shown: Sequence[int]) -> str:
    """Describe the models that a chart of probabilities leaves out."""
    left_out = join_with_and([name for i, name in enumerate(models) if i not in shown])
    return f"Without {left_out}, whose scores are not probabilities"


def _add_line(drawing: alt.Chart, line: str) -> alt.Chart:
    """Return the chart with one more line below its title."""
    text, below = _find_title(drawing)
    return drawing.properties(title=alt.title(text, [*below, line]) if text else alt.title(line))


def _replace_title(drawing: alt.Chart, text: str) -> alt.Chart:
    """Return the chart with another title; the lines below it stay."""
    if not isinstance(text, str):
        raise ParameterError(f"is of type {type(text).__name__}", "pass a text", argument="title")
    return drawing.properties(title=alt.title(text, _find_title(drawing)[1]))


def _name_model(drawing: alt.Chart, name: str) -> alt.Chart:
    """Return a chart of one model, which has no legend to name it, with the name below its title."""
    if "vconcat" in drawing.spec:  # the first part has the title
        first, *rest = drawing.spec["vconcat"]
        return drawing.properties(vconcat=[_name_model(first, name), *rest])
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
    text, below = _find_title(drawing)
    return drawing.properties(title=alt.title(text, [name, *below]) if text else alt.title(name))


def _find_title(drawing: alt.Chart) -> tuple[str, list[str]]:
    """Return the title of a chart and the lines below it; empty if its parts have titles."""
    title = drawing.spec.get("title", {})
    return title.get("text", ""), title.get("subtitle", [])


def _check_parameters(kind: ChartKind, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a chart; raise if one is unknown."""
    takes = kind.parameters
    if "measure" in takes:  # over the threshold, a measure has parameters of its own
        if "measure" in parameters:
            raise ParameterError(f"The chart {kind.name} is of that measure", "name another chart for another measure")
        return {"measure": kind.name} | parameters
    for name in parameters:
        if name not in takes:
            known = f"it takes {', '.join([*takes, *COMMON])}"
            raise ParameterError(
                f"The chart {kind.name} has no parameter {name!r}", known, hint=hint_similar(name, takes)
            )
    return parameters


def _find_difference(models: Any, parameters: dict[str, Any]) -> tuple[ConfidenceCurve, dict[str, Any]]:
    """Return the confidence curve, given or computed by a comparison, and the parameters of the drawing."""
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


def _find_classes(kind: ChartKind, models: Any) -> ClassChartData:
    """Return the classes to draw, given or computed by the result of one_vs_rest()."""
    classes = models if isinstance(models, ClassChartData) else getattr(models, "chart_data", None)
    if not isinstance(classes, ClassChartData):
        raise InputError(f"The chart {kind.name} shows several classes", "pass what one_vs_rest() gives")
    return classes


def _collect_tables(kind: ChartKind, models: Any) -> dict[str, Counts]:
    """Return the tables of counts by name; for an evaluation the table of its cut."""
    by_name = models if isinstance(models, Mapping) else {getattr(models, "name", None) or UNNAMED: models}
    evaluations = {name: model for name, model in by_name.items() if not isinstance(model, Counts)}
    cuts = (
        {
            name: model.ranking.at_threshold(model.threshold)
            for name, model in _collect_models(kind, evaluations).items()
        }
        if (evaluations or not by_name)
        else {}
    )
    tables = {str(name): cuts.get(str(name), model) for name, model in by_name.items()}
    if any(np.ndim(table.tp) for table in tables.values()):
        raise InputError("A table holds the counts of many cuts", "pass those of one, such as ev.at(threshold=0.5)")
    return tables


def _collect_models(kind: ChartKind, models: Any) -> dict[str, Evaluated]:
    """Return the models by name; raise if there are too few or too many for the chart."""
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
    named = _name_models(models)
    if not named:
        raise InputError(f"The chart {kind.name} shows predictions, but no model was given", "pass at least one")
    if len(named) > MOST_MODELS:
        raise InputError(
            f"{len(named)} models were given, but a chart shows at most {MOST_MODELS}", f"pass at most {MOST_MODELS}"
        )
    if len(named) > 1 and kind.shows is Shows.ONE:
        raise InputError(f"The chart {kind.name} shows one model, but {len(named)} were given", "pass one of them")
    return named


def _name_models(models: Mapping[Any, Evaluated]) -> dict[str, Evaluated]:
    """Return the models by name; raise if names are empty or read the same."""
    named = {str(key): model for key, model in models.items()}
    if len(named) < len(models):
        raise InputError("Two models have names that read the same", "give each a name of its own")
    if any(not name.strip() for name in named):
        raise InputError("The name of a model is empty", "give each a name that can be read")
    return named


# ---------------------------------------------------------------------- on axes of matplotlib

# Nothing is imported: whoever has axes has matplotlib.
_MARKERS = {"circle": "o", "diamond": "D", "triangle-up": "^", "triangle-down": "v", "square": "s", "cross": "P"}
_MORE = ("bar", "rect", "point", "circle", "text")  # what a chart says beside its lines; areas only shade them
_WIDTH_OF_A_LETTER = 0.6  # of the size of the font
_USED = ("plot", "fill_between", "axvline", "set_xlim", "legend")


def check_axes(ax: Any) -> None:
    """Raise if these are not axes of matplotlib."""
    if not all(callable(getattr(ax, name, None)) for name in _USED):
        remedy = "pass axes of matplotlib, such as fig, ax = plt.subplots()"
        raise ParameterError(f"is of type {type(ax).__name__}", remedy, argument="ax")


def draw_on_axes(ax: Any, name: str, chart: alt.Chart) -> Any:
    """Draw the lines, marks and bands of a parts chart on axes, and return these.

    Args:
        ax: The axes of matplotlib.
        name: The name of the chart, for the refusal of one that is not made of lines.
        chart: The chart, whose layers know what they were made from.
    """
    frame, layers = chart.drawn, chart.spec.get("layer", [])
    parts = list(_collect_parts(layers)) if isinstance(frame, Frame) else []
    has_more = any(layer.drawn is None and layer.spec["mark"]["type"] in _MORE for layer in layers)
    if has_more or not any(isinstance(part, Series) for part in parts):
        raise ParameterError(f"The chart {name} is not made of curves", "leave ax out, and save the picture")
    for depth, part in enumerate(parts):
        _draw(ax, part, depth)
    _set_axes(ax, frame)
    _set_title(ax, *_find_title(chart))
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(title=frame.legend, fontsize="small")
    return ax


def _collect_parts(layers: Sequence[alt.Chart]) -> Iterator[Any]:
    """Yield the lines, marks and bands from which the layers of a chart were made."""
    for layer in layers:
        yield from layer.drawn if isinstance(layer.drawn, tuple) else [layer.drawn]


def _draw(ax: Any, part: Any, depth: int) -> None:
    if isinstance(part, Series):
        style = "-" if part.dash[1:] == (0,) else (0, part.dash)
        how = {"color": part.colour, "linestyle": style, "linewidth": 0.75 * part.width, "zorder": 2 + depth / 100}
        ax.plot(part.columns["x"], part.columns["y"], label=part.name, **how)
    elif isinstance(part, Shade):
        ax.fill_between(part.x, part.low, part.high, color=part.colour, alpha=0.2, linewidth=0)
    elif isinstance(part, VerticalLine):
        ax.axvline(part.x, color=part.colour, linestyle=(0, tuple(CUT_DASH)), linewidth=1.1, label=part.name)
    elif isinstance(part, Mark):
        look = {"marker": _MARKERS[part.shape], "markeredgecolor": part.colour, "markerfacecolor": "none"}
        # Marks of several models have the colours of their lines: one entry names them all, and leaves room.
        named = part.name not in ax.get_legend_handles_labels()[1]
        label = {"label": part.name} if named or not part.model else {}
        ax.plot([part.point.x], [part.point.y], linestyle="none", markersize=8, zorder=3, **look, **label)


def _set_axes(ax: Any, frame: Frame) -> None:
    ax.set_xlabel(frame.x)
    ax.set_ylabel(frame.y)
    ax.set_xlim(*_widen(frame.x_domain))
    ax.set_ylim(*_widen(frame.y_domain))
    for ticks, side in ((frame.x_ticks, ax.set_xticks), (frame.y_ticks, ax.set_yticks)):
        low, high = frame.x_domain if side == ax.set_xticks else frame.y_domain
        inside = {place: name for place, name in ticks.items() if low <= place <= high}
        if inside:
            side(list(inside), list(inside.values()))


def _widen(domain: tuple[float, float]) -> tuple[float, float]:
    """Widen an axis a little, as matplotlib would cut lines along an edge in half."""
    room = 0.01 * (domain[1] - domain[0])
    return domain[0] - room, domain[1] + room


def _set_title(ax: Any, title: str, subtitle: Sequence[str]) -> None:
    """Set the title in lines as wide as the axes, and the subtitle if no other axes stand beside them."""
    if not title:
        return
    alone = len(ax.figure.axes) == 1
    text = ax.set_title(title, loc="left", fontsize="medium")
    points = 72 * ax.get_window_extent().width / ax.figure.dpi
    letters = max(10, int(points / (_WIDTH_OF_A_LETTER * text.get_fontsize())))
    lines = [title, *(subtitle if alone else ())]
    text.set_text("\n".join(textwrap.fill(line, letters) for line in lines))
