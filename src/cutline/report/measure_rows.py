"""The numbers of the page: every measure with its interval, its formula and its source."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from cutline.core.table import plain, shown
from cutline.measures import MEASURES, Family, Measure, Needs
from cutline.measures.references import sources
from cutline.results.summary import Summary


def rows_of(summary: Summary) -> list[dict[str, Any]]:
    """The rows of a summary, each with the definition of its measure."""
    return [dict(cells) | {"definition": row.measure} for cells, row in zip(summary, summary.rows, strict=True)]


def by_question(rows: list[dict[str, Any]], *, live: bool) -> list[dict[str, Any]]:
    """The rows under the questions that they answer: those of one cut, which the page keeps alive, or the others."""
    groups = []
    for family in Family:
        own = [
            row | {"facts": facts(row["definition"])}
            for row in rows
            if row["family"] == family.name.lower() and (row["definition"].needs is Needs.COUNTS) == live
        ]
        if own:
            groups.append({"question": family.value, "rows": own})
    return groups


@cache
def facts(measure: Measure) -> dict[str, Any]:
    """What is known of a measure, for its row."""
    known = sources()
    better = {"higher": "higher is better", "lower": "lower is better", None: "neither is better"}[measure.better]
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "\N{MINUS SIGN}") for bound in measure.range)
    return {
        "formula": mathml(measure.formula),
        "meaning": measure.meaning,
        "range": f"From {low} to {high}; {better}.",
        "undefined": measure.undefined_when,
        "aliases": ", ".join(measure.aliases),
        "sources": [known.get(key, key).replace("*", "") for key in measure.source],
    }


def mathml(latex: str) -> str:
    """A formula in the markup that browsers draw by themselves."""
    from latex2mathml.converter import convert

    return str(convert(latex)) if latex else ""  # a measure of somebody's own may have no formula


def count_measures() -> list[dict[str, Any]]:
    """What the page has to know of the measures of one cut, beside how to compute them."""
    return [
        {
            "name": m.name,
            "title": m.title,
            "unit": m.unit,
            "better": m.better,
            "range": [plain(float(bound)) for bound in m.range],
            "undefined": m.undefined_when,
        }
        for m in MEASURES.search(needs=Needs.COUNTS)
    ]


# ---------------------------------------------------------------------- cards

CARDS = tuple(m.name for m in MEASURES if m.card and m.needs is not Needs.COUNTS)
CUT_CARDS = tuple(m.name for m in MEASURES if m.card and m.needs is Needs.COUNTS)


def cards(rows: list[dict[str, Any]], names: tuple[str, ...] = (*CARDS, *CUT_CARDS)) -> list[dict[str, Any]]:
    """The numbers that are shown first."""
    by_name = {row["measure"]: row for row in rows}
    found = [by_name[name] for name in names if name in by_name]
    return [
        row | {"scale": scale(row), "meaning": row["definition"].meaning}
        for row in found
        if row["value"] is not None and not math.isnan(row["value"])
    ]


def scale(row: dict[str, Any]) -> str:
    """Where value, interval and chance stand on the range of the measure, in percent, for a small picture."""
    low, high = row["definition"].range
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    places = {"value": row["value"], "low": row["low"], "high": row["high"], "chance": row["baseline"]}
    return ";".join(
        f"--{name}:{100 * (number - low) / (high - low):.2f}"
        for name, number in places.items()
        if number is not None and math.isfinite(number)
    )


def interval(row: dict[str, Any]) -> str:
    """The limits in words; empty when there are none."""
    return "" if row["low"] is None else f"{shown(float(row['low']))} to {shown(float(row['high']))}"
