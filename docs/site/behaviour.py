"""How a measure behaves, found by trying it: what it ignores, and how it moves with prevalence, cut and ties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import altair as alt
import numpy as np
from scipy.special import ndtr, ndtri

from cutline import Counts, evaluate
from cutline.charts import LIGHT, Picture
from cutline.core.errors import CutlineError
from cutline.evaluation import Evaluation
from cutline.measures import Measure, Needs

PREVALENCES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
LEVELS = (2, 3, 5, 10, 20, 50, 100, 400)
SHARES = np.linspace(0.02, 0.98, 25)
WORDS = {"tp": "true positives", "fp": "false positives", "fn": "false negatives", "tn": "true negatives"}
_TABLE = {"tp": 40.0, "fp": 30.0, "fn": 10.0, "tn": 120.0}


@cache
def _population() -> tuple[Any, Any]:
    """200 positives and 200 negatives at the quantiles of two normal distributions, with their true probabilities."""
    quantiles = (np.arange(200) + 0.5) / 200
    margins = np.concatenate([ndtri(quantiles) + 1.5, ndtri(quantiles)])
    labels = np.repeat([1, 0], 200)
    return labels, margins


def _scores(measure: Measure, margins: Any, prevalence: float) -> Any:
    """Margins as they are, or the probabilities that are right at a prevalence."""
    if measure.needs is Needs.MARGINS:
        return margins - 0.75
    odds = np.exp(1.5 * margins - 1.125) * prevalence / (1 - prevalence)
    return odds / (1 + odds)


def _example(measure: Measure) -> dict[str, Any]:
    return {name: measure.parameters[name].example for name in measure.required}


def _value(measure: Measure, ev: Evaluation) -> float:
    parameters = _example(measure)
    if "quota" in parameters:
        parameters["quota"] = round(ev.ranking.total / 5)
    try:
        return ev.value(measure, **parameters)
    except CutlineError:
        return math.nan


def over_prevalence(measure: Measure) -> list[tuple[float, float]]:
    """The value as positives become rarer, with the same scores in each class; the cut flags the same rates."""
    labels, margins = _population()
    found = []
    for prevalence in PREVALENCES:
        weights = np.where(labels == 1, prevalence, 1 - prevalence) * 400
        scores = _scores(measure, margins, prevalence)
        ev = evaluate(labels, scores, np.round(weights * 50), threshold=float(np.sort(scores)[-150]))
        found.append((prevalence, _value(measure, ev)))
    return found


def over_share(measure: Measure) -> list[tuple[float, float]]:
    """The value over the share of the cases that is flagged."""
    labels, margins = _population()
    ev = evaluate(labels, _scores(measure, margins, 0.5))
    if measure.needs is Needs.COUNTS:
        return [(float(share), _value(measure, ev.with_cut(share=float(share)))) for share in SHARES]
    if "quota" in measure.parameters:
        return [(float(share), ev.value(measure, quota=round(400 * share))) for share in SHARES]
    return []


def over_ties(measure: Measure) -> list[tuple[float, float]]:
    """The value as scores are rounded to fewer and fewer distinct ones."""
    labels, margins = _population()
    probabilities = ndtr((margins - 0.75) / 1.3)
    found = []
    for levels in LEVELS:
        rounded = np.clip(np.round(probabilities * levels) / levels, 0.001, 0.999)
        is_margin = measure.needs is Needs.MARGINS
        ev = evaluate(labels, 4 * rounded - 2 if is_margin else rounded, threshold=0.0 if is_margin else 0.5)
        found.append((float(levels), _value(measure, ev)))
    return found


def picture(measure: Measure) -> Picture | None:
    """The three small charts side by side; None where nothing is defined."""
    panels = [
        ("share of positives", "log", over_prevalence(measure)),
        ("share flagged", "linear", over_share(measure)),
        ("distinct scores", "log", over_ties(measure)),
    ]
    drawn = [_panel(title, scale, points, measure) for title, scale, points in panels if _is_drawable(points)]
    return Picture(measure.name, alt.hconcat(*drawn, spacing=24).configure(**LIGHT.config())) if drawn else None


def _is_drawable(points: list[tuple[float, float]]) -> bool:
    return sum(math.isfinite(y) for _, y in points) > 1


def _panel(title: str, scale: str, points: list[tuple[float, float]], measure: Measure) -> Any:
    rows = [{"x": x, "y": y} for x, y in points if math.isfinite(y)]
    low, high = min(row["y"] for row in rows), max(row["y"] for row in rows)
    room = 0.05 * max(high - low, 0.1)
    base = alt.Chart(alt.Data(values=rows), width=170, height=130)
    across = alt.X("x:Q", title=title, scale=alt.Scale(type=scale), axis=alt.Axis(tickCount=4))
    up = alt.Y("y:Q", title=measure.name, scale=alt.Scale(domain=[low - room, high + room], nice=False))
    return base.mark_line(point=True).encode(across, up)


# ---------------------------------------------------------------------- what it ignores


def ignored(measure: Measure) -> Iterator[str]:
    """Sentences on what a measure does not see, each found by changing just that."""
    if measure.needs is Needs.COUNTS:
        yield from _ignored_counts(measure)
        yield "It judges one cut; how the cases are ranked on either side of it does not matter."
        return
    if measure.needs is Needs.RANKING:
        yield "It sees only the order of the scores: whether they can be trusted as probabilities does not matter."
    if _same(dict(over_prevalence(measure)).values()):
        yield "It stays the same when positives become rarer, as long as the scores in each class stay the same."


def _ignored_counts(measure: Measure) -> Iterator[str]:
    def at(**changed: float) -> float:
        counts = Counts(**(_TABLE | changed))
        return float(measure(counts, **_example(measure)))

    base = at()
    blind = [WORDS[name] for name in _TABLE if _same([base, at(**{name: _TABLE[name] * 2})])]
    if blind:
        yield f"It does not look at the {' or the '.join(blind)}."
    if _same([base, at(tp=_TABLE["tp"] * 3, fn=_TABLE["fn"] * 3)]) and len(blind) < 4:
        yield "It stays the same when positives become rarer, as long as recall and specificity stay the same."
    swapped = Counts(tp=_TABLE["tn"], fp=_TABLE["fn"], fn=_TABLE["fp"], tn=_TABLE["tp"])
    if _same([base, float(measure(swapped, **_example(measure)))]):
        yield "It does not matter which class is called positive."


def _same(values: Any) -> bool:
    found = [value for value in values if math.isfinite(value)]
    return len(found) > 1 and max(found) - min(found) < 1e-9 * max(1, abs(found[0]))
