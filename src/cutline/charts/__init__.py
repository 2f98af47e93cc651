"""Charts, drawn by Altair from finished curves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from cutline.charts import comparisons, figures, lines
from cutline.charts.parts import Evaluated
from cutline.charts.picture import Picture
from cutline.charts.theme import DARK, LIGHT, LONGEST, MOST_MODELS, THEMES, Theme, themed
from cutline.core.errors import InputError, ParameterError, UnknownNameError, near
from cutline.curves import CURVES
from cutline.inference.two.confidence_curve import ConfidenceCurve
from cutline.measures import MEASURES, Needs

__all__ = ["CHARTS", "DARK", "LIGHT", "MOST_MODELS", "THEMES", "Picture", "Theme", "chart"]

# Every chart by name; beside them, every measure of one cut is drawn over the threshold.
CHARTS: dict[str, Callable[..., Any]] = {
    "roc": lines.roc,
    "det": lines.det,
    "precision_recall": lines.precision_recall,
    "precision_recall_readings": lines.precision_recall_readings,
    "tpr_fpr": lines.tpr_fpr,
    "gain": lines.gain,
    "lift": lines.lift,
    "portion_lift": figures.portion_lift,
    "hit_rate": lines.hit_rate,
    "qrecall": lines.qrecall,
    "quota": lines.quota,
    "score_distribution": figures.score_distribution,
    "dominance": comparisons.dominance_chart,
    "confidence_curve": comparisons.confidence_curve,
    "skew": lines.skew,
    "losses": figures.losses,
    "confusion_matrix": figures.confusion_matrix,
    "ranking_table": figures.ranking_table,
}
ONE_MODEL = frozenset(
    {
        "precision_recall_readings",
        "tpr_fpr",
        "quota",
        "score_distribution",
        "skew",
        "confusion_matrix",
        "ranking_table",
    }
)
# Charts of one model that have no line with its name.
WITHOUT_NAME = frozenset({*(CHARTS[name] for name in ONE_MODEL), figures.portion_lift, lines.over_threshold})
UNNAMED = "model"
WITHOUT_MODELS = frozenset({"losses"})
CONFIDENCE_CURVE = "confidence_curve"
# Curves that have no chart of their own, and the chart that draws them.
DRAWN_BY = {
    "roc_hull": "roc",
    "precision_recall_min": "precision_recall_readings",
    "precision_recall_minmax": "precision_recall_readings",
    "precision_recall_max": "precision_recall_readings",
    "precision_recall_davis_goadrich": "precision_recall_readings",
}


def chart(
    name: str,
    models: Evaluated | Mapping[str, Evaluated] | None = None,
    *,
    theme: str = "light",
    **parameters: Any,
) -> Picture:
    """A chart of one evaluation, or of several by name, such as {"tree": evaluation, "forest": evaluation}.

    `name` is one of `CHARTS`, or a measure of one cut to draw over the threshold; `theme` is "light" or "dark".
    """
    if not isinstance(name, str):
        raise UnknownNameError(
            f"is of type {type(name).__name__}", "pass the name of a chart first, such as 'roc'", argument="name"
        )
    chosen = themed(theme)
    if name == CONFIDENCE_CURVE:
        found, parameters = _difference(models, parameters)
        draw, parameters = _resolve(name, parameters)
        drawn = draw(found, chosen, **parameters)
    else:
        draw, parameters = _resolve(name, parameters)
        shown = _models(name, models)
        drawn = draw(shown, chosen, **parameters)
        if draw in WITHOUT_NAME and len(shown) == 1 and [*shown] != [UNNAMED]:
            drawn.title = _named(drawn.title, *shown)
    drawn.config = alt.Config(**chosen.config())
    return Picture(name, drawn)


def _named(title: Any, name: str) -> alt.TitleParams:
    """The title of a chart of one model that has no legend to name it: below it stands whose chart it is."""
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
    if title is alt.Undefined:
        return alt.TitleParams(name)
    below = [] if title.subtitle is alt.Undefined else title.subtitle
    return alt.TitleParams(title.text, subtitle=[name, *below])


def _resolve(name: str, parameters: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """What draws a chart, and with which parameters; unknown names and parameters are refused."""
    draw = CHARTS.get(name)
    if draw is None and name in CURVES and CURVES[name].name in CHARTS:
        draw = CHARTS[CURVES[name].name]
    if draw is None:
        if name in MEASURES and MEASURES[name].needs is Needs.COUNTS:
            if "measure" in parameters:
                raise ParameterError(f"The chart {name} is of that measure", "name another chart for another measure")
            return lines.over_threshold, {"measure": name} | parameters
        raise UnknownNameError(f"There is no chart {name!r}.{_hint(name)}")
    takes = [p.name for p in inspect.signature(draw).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for given in parameters:
        if given not in takes:
            words = f"it takes {', '.join([*takes, 'theme'])}"
            raise ParameterError(f"The chart {name} has no parameter {given!r}: {words}.{near(given, takes)}")
    return draw, parameters


def _hint(name: str) -> str:
    """Where to look instead of a name that is no chart."""
    if name in CURVES:
        return f" The chart {DRAWN_BY[CURVES[name].name]} draws that curve: ask for it."
    if name in MEASURES:
        return CURVES.hint(name).replace("the curve", "the chart").replace("has a curve", "has a chart")
    return near(name, [*CHARTS, *(n for m in MEASURES.search(needs=Needs.COUNTS) for n in m.names)])


def _difference(models: Any, parameters: dict[str, Any]) -> tuple[ConfidenceCurve, dict[str, Any]]:
    """The confidence curve to draw, given as such or asked of a comparison, and the parameters of the drawing."""
    if isinstance(models, ConfidenceCurve):
        return models, parameters
    if not hasattr(models, CONFIDENCE_CURVE):
        raise InputError(
            "The chart confidence_curve shows a difference on the same cases",
            "pass what compare() gives, or its confidence_curve()",
        )
    own = {name: parameters[name] for name in ("level",) if name in parameters}
    asked = {name: value for name, value in parameters.items() if name not in own}
    return models.confidence_curve(**asked), own


def _models(name: str, models: Any) -> dict[str, Evaluated]:
    """The models by name: at least one where one is needed, and no more than can be told apart."""
    if models is None:
        if name in WITHOUT_MODELS:
            return {}
        raise InputError(f"The chart {name} shows predictions, but none were given", "pass an evaluation")
    if not isinstance(models, Mapping):
        models = {getattr(models, "name", None) or UNNAMED: models}
    for model in models.values():
        if not (hasattr(model, "ranking") and hasattr(model, "threshold")):
            raise InputError(
                f"A chart shows evaluations, but one of type {type(model).__name__} was given",
                "pass what evaluate() gives, or several of them by name, such as {'tree': ev1, 'forest': ev2}",
            )
    named = {str(key): model for key, model in models.items()}
    if len(named) < len(models):
        raise InputError("Two models have names that read the same", "give each a name of its own")
    if not named:
        raise InputError(f"The chart {name} shows predictions, but no model was given", "pass at least one")
    if len(named) > MOST_MODELS:
        raise InputError(
            f"{len(named)} models were given, but a chart tells {MOST_MODELS} apart", f"pass at most {MOST_MODELS}"
        )
    if len(named) > 1 and name in ONE_MODEL:
        raise InputError(f"The chart {name} shows one model, but {len(named)} were given", "pass one of them")
    return named
