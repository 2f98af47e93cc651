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
from cutline.core.table import format_both_limits, format_bracket, format_p_cell, format_value
from cutline.measures import Family, Measure, Needs
from cutline.measures.references import load_bibliography
from cutline.results.choices import shorten_title
from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
from cutline.results.summary import Row, Summary

MOST_CARDS = 8  # up to so many measures of a summary are all shown large
_ORDER = (Family.RANKING, Family.PROBABILITY, Family.CUT, Family.QUOTA, Family.COST)  # of the cards
MOST_OPEN = 12  # measures of one cut that stand in an open table; of more, the headline measures do
AXES = {"roc": "By false positive rate", "quota": "By quota", "precision_recall": "By recall"}

View = dict[str, Any]


def view_row(row: Row) -> View:
    """Return a row as the templates read it."""
    low, high = row.interval or (None, None)
    m = row.measure
    return {
        "id": make_slug(row.name),
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
        "between": _describe_bracket(row),
        "facts": describe_measure(m),
    }


def _describe_bracket(row: Row) -> str:
    """Describe the bracket of the exact value, if scores were binned."""
    if row.bounds is None:
        return ""
    ends = format_bracket(row.bounds.low, row.bounds.high)
    return f"exact value from {ends}" if row.bounds.certain else f"approximate: from {ends}"


def make_slug(name: str) -> str:
    """Return a name as an id, which has no signs such as those of parameters."""
    return re.sub(r"[^\w.]+", "-", name).strip("-")


def is_at_cut(row: Row) -> bool:
    """Whether a row follows the cut: a measure of one cut whose parameters name no cut."""
    return row.measure.needs is Needs.COUNTS and not row.at


def group_by_question(rows: Iterable[View]) -> list[dict[str, Any]]:
    """Group the rows by question."""
    by_family: dict[Family, list[View]] = {family: [] for family in Family}
    for row in rows:
        by_family[row["family"]].append(row)
    return [{"question": family.value, "rows": own} for family, own in by_family.items() if own]


def list_live_tables(summary: Summary) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the measures of one cut, in an open table and in folded ones."""
    rows = [view_row(row) for row in summary.rows if is_at_cut(row)]
    if len(rows) <= MOST_OPEN:
        return group_by_question(rows), []
    first, rest = ([row for row in rows if row["is_headline"] == headline] for headline in (True, False))
    return [{"question": "", "rows": first}] if first else [], group_by_question(rest)


def list_others(summary: Summary) -> list[dict[str, Any]]:
    """Return the measures that do not follow the cut."""
    return group_by_question(view_row(row) for row in summary.rows if not is_at_cut(row))


def choose_cards(summary: Summary) -> list[View]:
    """Return the measures that are shown large; of a summary of few measures, all of them."""
    rows = [row for row in summary.rows if not math.isnan(row.value)]
    shown_rows = [row for row in rows if row.measure.card and not row.at] if len(rows) > MOST_CARDS else rows
    return [view_row(row) for row in sorted(shown_rows, key=lambda row: _ORDER.index(row.measure.family))]


@cache
def describe_measure(measure: Measure) -> dict[str, Any]:
    """Return the facts about a measure for its row."""
    known = load_bibliography()
    better = {"higher": "higher is better", "lower": "lower is better", None: "neither is better"}[measure.better]
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "\N{MINUS SIGN}") for bound in measure.range)
    return {
        "formula": convert_to_mathml(measure.formula) if measure.formula else "",
        "meaning": measure.meaning,
        "range": f"From {low} to {high}; {better}.",
        "undefined": measure.undefined_when,
        "aliases": ", ".join(measure.aliases),
        "sources": [_cite_source(known.get(key, key), place) for key, place in measure.source.items() if key],
    }


def _cite_source(text: str, place: str) -> str:
    """Return a reference with the place in it."""
    words = text.replace("*", "")
    return f"{words.rstrip('.')}, {place}." if place else words


def convert_to_mathml(latex: str) -> str:
    """Return a formula in MathML, which browsers draw.

    The formulas of cutline's measures are stored. A user's formula is converted if latex2mathml is installed, and
    shown in LaTeX otherwise.
    """
    stored = _load_formulas().get(latex)
    if stored is not None or not latex:  # a measure of somebody's own may have no formula
        return stored or ""
    try:
        from latex2mathml.converter import convert
    except ModuleNotFoundError:
        return f"<code>{html_text(latex)}</code>"
    return str(convert(latex))


@cache
def _load_formulas() -> dict[str, str]:
    """Return the MathML of each formula in LaTeX (written by docs/make_formulas.py)."""
    stored: dict[str, str] = json.loads(files("cutline.report").joinpath("formulas.json").read_text(encoding="utf-8"))
    return stored


# ---------------------------------------------------------------------- several models


def compare_models(summary: ComparisonSummary, order: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the tables of several models: measures by model, differences by pair, and where each model leads.

    Args:
        summary: The comparison.
        order: The models in the order of the columns; as they are when None.
    """
    by_model = {name: {row.key: row for row in summary.models[name].rows} for name in order or summary.models}
    names = list(dict.fromkeys(name for own in by_model.values() for name in own))
    rows = [
        _mark_ties(view_across_models(name, by_model), list(by_model), summary.best(name)[1]) | {"key": name}
        for name in names
    ]
    whole = [row for row in rows if not row["follows_cut"]]
    compared = {row.key for row in summary.rows}
    return {
        "headlines": group_by_question(row for row in rows if row["key"] in compared or len(rows) <= MOST_OPEN),
        "groups": group_by_question(whole),
        "differences": [_view_difference(row, summary.level) for row in summary.rows],
        "pairs": len(summary.pairs),
        "dominance": {
            AXES[curve]: dominance.verdict for curve, dominance in summary.dominance.items() if curve in AXES
        },
    }


# The measures of the forest plot, as far as they were compared, and how many rows it has room for.
_FOREST = ("auc", "average_precision", "log_loss", "brier", "mcc", "recall", "specificity", "precision", "f1")
_FOREST_ROWS = 18
_SQUEEZED = 4  # times that an unbounded measure may reach as far as the bounded ones


def choose_forest_rows(summary: ComparisonSummary, names: Sequence[str]) -> list[View]:
    """Choose the differences of the other models from the first for the forest plot.

    A measure without bounds, such as log loss, is left out if it would squeeze the bounded ones on their scale.

    Args:
        summary: The comparison.
        names: The models, the reference first.
    """
    by_measure = summary.differences_from(names[0])
    decisive = [choice.measure for choice in summary.choices]
    keys = sorted(by_measure, key=lambda key: (key not in decisive, _rank_measure(key), key))
    most = max(1, _FOREST_ROWS // len(names)) if len(names) > 2 else _FOREST_ROWS // 2
    known = [key for key in keys if any(row.interval for row in by_measure[key].values())]
    bounded = [key for key in known if all(map(math.isfinite, next(iter(by_measure[key].values())).measure.range))]
    room = _SQUEEZED * max((_find_reach(by_measure[key]) for key in bounded), default=math.inf)
    chosen = [key for key in known if key in bounded or _find_reach(by_measure[key]) <= room][:most]
    rows = []
    for key in sorted(chosen, key=lambda key: (_rank_measure(key), key)):
        for name in names[1:]:
            row = by_measure[key].get(name)
            if row is None or row.interval is None or row.measure.better is None:
                continue
            low, high = row.interval
            shares = {"measure": shorten_title(row), "model": name, "value": row.value, "low": low, "high": high}
            less = row.measure.better == "lower"
            rows.append(shares | {"less_is_better": less, "is_significant": row.is_significant(summary.level)})
    return rows


def _find_reach(rows: Mapping[str, DifferenceRow]) -> float:
    """Return the largest distance of a limit of a measure from no difference."""
    return max((abs(limit) for row in rows.values() for limit in row.interval or ()), default=0.0)


def _rank_measure(key: str) -> int:
    name = key.partition("(")[0]
    return _FOREST.index(name) if name in _FOREST else len(_FOREST)


def view_across_models(name: str, by_model: Mapping[str, Mapping[str, Row]]) -> View:
    """Return a measure of all models; empty for models that lack it."""
    rows = [own.get(name) for own in by_model.values()]
    first = next(row for row in rows if row is not None)
    cells = [{"value": None, "low": None, "high": None, "reason": ""} if row is None else view_row(row) for row in rows]
    return view_row(first) | {"cells": _mark_best(first.measure, cells), "follows_cut": is_at_cut(first)}


def _mark_ties(row: View, models: Sequence[str], alike: Sequence[str]) -> View:
    """Mark the values of models that cannot be told from the best."""
    return row | {"cells": [cell | {"alike": name in alike} for name, cell in zip(models, row["cells"], strict=True)]}


def _mark_best(measure: Measure, cells: list[View]) -> list[View]:
    """Mark the best value of a row."""
    known = [cell["value"] for cell in cells if cell["value"] is not None and not math.isnan(cell["value"])]
    if measure.better is None or len(known) < 2:
        return cells
    best = max(known) if measure.better == "higher" else min(known)
    return [cell | {"best": cell["value"] == best} for cell in cells]


def _view_difference(row: DifferenceRow, level: float) -> View:
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


# ---------------------------------------------------------------------- formats of the templates


def place_on_scale(row: View) -> str:
    """Return the places of value, limits and baseline on the range of the measure, in percent, for a small picture."""
    low, high = row["range"]
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return ";".join(
        f"--{name}:{100 * (number - low) / (high - low):.2f}"
        for name in ("value", "low", "high", "baseline")
        if (number := row[name]) is not None and math.isfinite(number)
    )


def format_number(value: Any) -> str:
    """Format a number; empty if there is none."""
    return "" if value is None else _spell_infinity(format_value(float(value)))


def _spell_infinity(text: str) -> str:
    return text.replace("-inf", "\N{MINUS SIGN}∞").replace("inf", "∞")


def format_interval(row: View) -> str:
    """Format the limits of a row; empty if there are none."""
    return "" if row["low"] is None else _spell_infinity(format_limits(float(row["low"]), float(row["high"])))


def format_limits(low: float | None, high: float | None) -> str:
    """Format two limits; empty if one is missing.

    >>> format_limits(0.25, 0.5), format_limits(0.25, None), format_limits(math.nan, 0.5)
    ('0.2500 to 0.5000', '', '')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    return " to ".join(format_both_limits(low, high))


def format_interval_or_reason(row: View) -> str:
    """Format the limits of a row, or the reason why there is no value."""
    return format_interval(row) or str(row["reason"])


def format_p_value(value: Any) -> str:
    """Format a p-value, which is never 0; empty if there is no test."""
    return format_p_cell(value)
