"""The cut of the evaluation in words and numbers, as the page shows it before its program has started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.core.counts import Counts
from cutline.core.ranking import Ranking
from cutline.core.table import shown
from cutline.measures.costs import total_cost
from cutline.results.cut_words import Outcomes, grouped, rule_of
from cutline.results.summary import Summary

CELLS = ("tp", "fp", "fn", "tn", "flagged", "unflagged", "positives", "negatives", "total")


def opening(models: Mapping[str, Summary], index: int, last: int) -> dict[str, Any]:
    """Return the context of the cut section: the first model, and a row for each of several.

    Args:
        models: The summaries by the names of their models.
        index: The place of the cut of the first model among those that the page holds.
        last: The last of these places.
    """
    first = next(iter(models.values()))
    c, r = first.counts, first.data.ranking
    rule = rule_of(r, c)
    share = f"{100 * float(c.predicted_positive_rate):.3g} %"
    return {
        "index": index,
        "last": last,
        "rule": rule,
        "flags": f"flags {grouped(c.flagged)} of {grouped(c.total)} ({share})",
        "sentence": _sentence(rule, r, c),
        "class_titles": c.class_titles,
        "cells": {name: grouped(getattr(c, name)) for name in CELLS},
        "models": [_row(name, summary) for name, summary in models.items()],
    }


def _sentence(rule: str, r: Ranking, c: Counts) -> str:
    found, missed, false, about = Outcomes.at(r, c)
    start = about.capitalize()
    return (
        f"{rule[0].upper()}{rule[1:]}: {grouped(c.flagged)} of {grouped(c.total)} cases are flagged. "
        f"{start}{grouped(found)} of the {grouped(c.positives)} positives {_be(found)} found, "
        f"{about}{grouped(missed)} {_be(missed)} missed; "
        f"{about}{grouped(false)} of the {grouped(c.negatives)} negatives "
        f"{'is a false alarm' if false == 1 else 'are false alarms'}."
        + (" The last places go to cases of equal score at random: the counts are expectations." if about else "")
    )


def _be(count: Any) -> str:
    return "is" if count == 1 else "are"


def _row(name: str, summary: Summary) -> dict[str, Any]:
    """Return a row of the table of all models; error costs are 1 until the reader changes them."""
    c = summary.counts
    counts = [grouped(count) for count in (c.flagged, c.tp, c.fp, c.fn)]
    rates = [_rate(rate) for rate in (c.precision, c.recall)]
    cost = grouped(float(f"{float(total_cost(c.fp, c.fn)):.9g}"))
    return {"name": name, "rule": rule_of(summary.data.ranking, c), "cells": [*counts, *rates, cost]}


def _rate(value: Any) -> str:
    return shown(float(value))
