"""The numbers of the page: the rows of a summary, each with its formula, its meaning and its source."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from cutline.core.escaping import html_text
from cutline.core.table import format_bracket, p_number, shown, shown_limits
from cutline.measures import Family, Measure, Needs
from cutline.measures.references import sources
from cutline.results.choices import shorten_title
from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
from cutline.results.summary import Row, Summary

MOST_CARDS = 8  # up to so many measures of a summary are all shown large
_ORDER = (Family.RANKING, Family.PROBABILITY, Family.CUT, Family.QUOTA, Family.COST)  # of the cards
MOST_OPEN = 12  # measures of one cut that stand in an open table; of more, the headline measures do
AXES = {"roc": "By false positive rate", "quota": "By quota", "precision_recall": "By recall"}

View = dict[str, Any]


def view(row: Row) -> View:
    """Return a row as the templates read it."""
    low, high = row.interval or (None, None)
    m = row.measure
    return {
        "id": slug(row.name),
        "name": row.name,
        "title": row.title.removesuffix(f" ({m.unit})") if m.unit else row.title,
        "unit": m.unit,
        "family": m.family,
        "range": m.range,
        "better": m.better,
        "is_headline": m.headline,
        "value": row.value,
        "low": low,
        "high": high,
        "method": row.method,
        "baseline": row.baseline,
        "reason": "" if row.reason == "infinite" else row.reason,
        "note": " ".join(row.notes),
        "between": _between(row),
        "facts": facts(m),
    }


def _between(row: Row) -> str:
    """Return where the exact value lies, if scores were binned."""
    if row.bounds is None:
        return ""
    ends = format_bracket(row.bounds.low, row.bounds.high)
    return f"exact value from {ends}" if row.bounds.certain else f"approximate: from {ends}"


def slug(name: str) -> str:
    """Return a name that can be an id: a measure with parameters has signs in it."""
    return re.sub(r"[^\w.]+", "-", name).strip("-")


def of_the_cut(row: Row) -> bool:
    """Whether a row follows the cut: a measure of one cut, unless it names a cut of its own."""
    return row.measure.needs is Needs.COUNTS and not row.at


def by_question(rows: Iterable[View]) -> list[dict[str, Any]]:
    """Return the rows under the questions that they answer."""
    listed = list(rows)
    groups = [{"question": f.value, "rows": [row for row in listed if row["family"] is f]} for f in Family]
    return [group for group in groups if group["rows"]]


def live_tables(summary: Summary) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the measures of one cut: those that stand in an open table, and those that are folded away."""
    rows = [view(row) for row in summary.rows if of_the_cut(row)]
    if len(rows) <= MOST_OPEN:
        return by_question(rows), []
    first, rest = ([row for row in rows if row["is_headline"] == headline] for headline in (True, False))
    return [{"question": "", "rows": first}] if first else [], by_question(rest)


def others(summary: Summary) -> list[dict[str, Any]]:
    """Return the measures that do not follow the cut."""
    return by_question(view(row) for row in summary.rows if not of_the_cut(row))


def cards(summary: Summary) -> list[View]:
    """Return the numbers that are shown first; of a summary of few measures, all of them."""
    rows = [row for row in summary.rows if not math.isnan(row.value)]
    shown_rows = [row for row in rows if row.measure.card and not row.at] if len(rows) > MOST_CARDS else rows
    return [view(row) for row in sorted(shown_rows, key=lambda row: _ORDER.index(row.measure.family))]


@cache
def facts(measure: Measure) -> dict[str, Any]:
    """Return the facts about a measure for its row."""
    known = sources()
    better = {"higher": "higher is better", "lower": "lower is better", None: "neither is better"}[measure.better]
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "\N{MINUS SIGN}") for bound in measure.range)
    return {
        "formula": mathml(measure.formula) if measure.formula else "",
        "meaning": measure.meaning,
        "range": f"From {low} to {high}; {better}.",
        "undefined": measure.undefined_when,
        "aliases": ", ".join(measure.aliases),
        "sources": [_source(known.get(key, key), place) for key, place in measure.source.items() if key],
    }


def _source(text: str, place: str) -> str:
    """Return a text of the literature, and the place in it."""
    words = text.replace("*", "")
    return f"{words.rstrip('.')}, {place}." if place else words


def mathml(latex: str) -> str:
    """Return a formula in MathML, which browsers draw.

    The formulas of cutline's measures are stored. A user's formula is converted where latex2mathml is installed, and
    shown in LaTeX otherwise.
    """
    stored = _stored_formulas().get(latex)
    if stored is not None or not latex:  # a measure of somebody's own may have no formula
        return stored or ""
    try:
        from latex2mathml.converter import convert
    except ModuleNotFoundError:
        return f"<code>{html_text(latex)}</code>"
    return str(convert(latex))


@cache
def _stored_formulas() -> dict[str, str]:
    """Return the MathML of each formula in LaTeX (written by docs/make_formulas.py)."""
    stored: dict[str, str] = json.loads(files("cutline.report").joinpath("formulas.json").read_text(encoding="utf-8"))
    return stored


# ---------------------------------------------------------------------- several models


def side_by_side(summary: ComparisonSummary, order: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the tables of several models: measures by model, differences by pair, and where each model leads.

    Args:
        summary: The comparison.
        order: The models in the order of the columns; as they are when None.
    """
    by_model = {name: {row.key: row for row in summary.models[name].rows} for name in order or summary.models}
    names = list(dict.fromkeys(name for own in by_model.values() for name in own))
    rows = [_mark_ties(across(name, by_model), list(by_model), summary.best(name)[1]) | {"key": name} for name in names]
    whole = [row for row in rows if not row["follows_cut"]]
    compared = {row.key for row in summary.rows}
    return {
        "headlines": by_question(row for row in rows if row["key"] in compared or len(rows) <= MOST_OPEN),
        "groups": by_question(whole),
        "differences": [_difference(row, summary.level) for row in summary.rows],
        "pairs": len(summary.pairs),
        "dominance": {
            AXES[curve]: dominance.verdict for curve, dominance in summary.dominance.items() if curve in AXES
        },
    }


# The measures of the forest plot, as far as they were compared, and how many rows it has room for.
_FOREST = ("auc", "average_precision", "log_loss", "brier", "mcc", "recall", "specificity", "precision", "f1")
_FOREST_ROWS = 18
_SQUEEZED = 4  # times that an unbounded measure may reach as far as the bounded ones


def forest_rows(summary: ComparisonSummary, names: Sequence[str]) -> list[View]:
    """Return the headline differences of the other models from the first.

    A measure without bounds, such as log loss, is left out beside bounded ones where it would squeeze them on their
    scale.

    Args:
        summary: The comparison.
        names: The models, the reference first.
    """
    by_measure = summary.differences_from(names[0])
    decisive = [choice.measure for choice in summary.choices]
    keys = sorted(by_measure, key=lambda key: (key not in decisive, _place(key), key))
    most = max(1, _FOREST_ROWS // len(names)) if len(names) > 2 else _FOREST_ROWS // 2
    known = [key for key in keys if any(row.interval for row in by_measure[key].values())]
    bounded = [key for key in known if all(map(math.isfinite, next(iter(by_measure[key].values())).measure.range))]
    room = _SQUEEZED * max((_reach(by_measure[key]) for key in bounded), default=math.inf)
    chosen = [key for key in known if key in bounded or _reach(by_measure[key]) <= room][:most]
    rows = []
    for key in sorted(chosen, key=lambda key: (_place(key), key)):
        for name in names[1:]:
            row = by_measure[key].get(name)
            if row is None or row.interval is None or row.measure.better is None:
                continue
            low, high = row.interval
            shares = {"measure": shorten_title(row), "model": name, "value": row.value, "low": low, "high": high}
            less = row.measure.better == "lower"
            rows.append(shares | {"less_is_better": less, "is_significant": row.is_significant(summary.level)})
    return rows


def _reach(rows: Mapping[str, DifferenceRow]) -> float:
    """Return how far the intervals of a measure reach from no difference."""
    return max((abs(limit) for row in rows.values() for limit in row.interval or ()), default=0.0)


def _place(key: str) -> int:
    name = key.partition("(")[0]
    return _FOREST.index(name) if name in _FOREST else len(_FOREST)


def across(name: str, by_model: Mapping[str, Mapping[str, Row]]) -> View:
    """Return a measure of all models; one that a model does not have is empty there."""
    rows = [own.get(name) for own in by_model.values()]
    first = next(row for row in rows if row is not None)
    cells = [{"value": None, "low": None, "high": None, "reason": ""} if row is None else view(row) for row in rows]
    return view(first) | {"cells": _best(first.measure, cells), "follows_cut": of_the_cut(first)}


def _mark_ties(row: View, models: Sequence[str], alike: Sequence[str]) -> View:
    """Return the row, with a mark on the values of models that cannot be told from the best."""
    return row | {"cells": [cell | {"alike": name in alike} for name, cell in zip(models, row["cells"], strict=True)]}


def _best(measure: Measure, cells: list[View]) -> list[View]:
    """Return the cells of a row, marked where the value is the best of all."""
    known = [cell["value"] for cell in cells if cell["value"] is not None and not math.isnan(cell["value"])]
    if measure.better is None or len(known) < 2:
        return cells
    best = max(known) if measure.better == "higher" else min(known)
    return [cell | {"best": cell["value"] == best} for cell in cells]


def _difference(row: DifferenceRow, level: float) -> View:
    low, high = row.interval or (None, None)
    return {
        "title": row.title,
        "a": row.a,
        "b": row.b,
        "value_a": row.value_a,
        "value_b": row.value_b,
        "value": row.value,
        "low": low,
        "high": high,
        "p_holm": row.p_holm,
        "is_significant": row.is_significant(level),
        "conclusion": row.conclusion(level),
        "method": row.method,
    }


# ---------------------------------------------------------------------- in words


def scale(row: View) -> str:
    """Return where value, interval and baseline stand on the range of the measure, in percent, for a small picture."""
    low, high = row["range"]
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return ";".join(
        f"--{name}:{100 * (number - low) / (high - low):.2f}"
        for name in ("value", "low", "high", "baseline")
        if (number := row[name]) is not None and math.isfinite(number)
    )


def number(value: Any) -> str:
    """Return a number as people read it; nothing where there is none."""
    return "" if value is None else _infinite(shown(float(value)))


def _infinite(text: str) -> str:
    return text.replace("-inf", "\N{MINUS SIGN}∞").replace("inf", "∞")


def interval(row: View) -> str:
    """Return the limits in words; empty when there are none."""
    return "" if row["low"] is None else _infinite(" to ".join(shown_limits(float(row["low"]), float(row["high"]))))


def interval_or_reason(row: View) -> str:
    """Return the limits in words, or why there is no value."""
    return interval(row) or str(row["reason"])


def p_value(value: Any) -> str:
    """Return a p-value, which is never nought; nothing where there is no test."""
    return p_number(value)
