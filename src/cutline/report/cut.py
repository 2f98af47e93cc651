"""The cut of the evaluation in words and numbers, as the page shows it before its program has started."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cutline.core.counts import Counts, written
from cutline.core.ranking import Ranking
from cutline.core.table import shown
from cutline.measures.costs import total_cost
from cutline.results.summary import Summary

_LONG = 5  # digits from which on they are grouped by thin spaces, as the page's program does
_FEWEST_DIGITS = 6
CELLS = ("tp", "fp", "fn", "tn", "flagged", "unflagged", "positives", "negatives", "total")


def opening(models: Mapping[str, Summary], index: int, last: int) -> dict[str, Any]:
    """What the page says of the cut: of the first model, and a row for each of several.

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
        "sentence": _sentence(rule, c, is_inside_tie(r, c)),
        "class_titles": c.class_titles,
        "cells": {name: grouped(getattr(c, name)) for name in CELLS},
        "models": [_row(name, summary) for name, summary in models.items()],
    }


def _sentence(rule: str, c: Counts, inside: bool) -> str:
    return (
        f"{rule[0].upper()}{rule[1:]}: {grouped(c.flagged)} of {grouped(c.total)} cases are flagged. "
        f"{grouped(c.tp)} of the {grouped(c.positives)} positives are found, {grouped(c.fn)} are missed; "
        f"{grouped(c.fp)} of the {grouped(c.negatives)} negatives are false alarms."
        + (" The last places go to cases of equal score at random: the counts are expectations." if inside else "")
    )


def _row(name: str, summary: Summary) -> dict[str, Any]:
    """A row of the table of all models; the costs of errors are 1 until somebody changes them."""
    c = summary.counts
    counts = [grouped(count) for count in (c.flagged, c.tp, c.fp, c.fn)]
    rates = [_rate(rate) for rate in (c.precision, c.recall)]
    cost = grouped(float(f"{float(total_cost(c.fp, c.fn)):.9g}"))
    return {"name": name, "rule": rule_of(summary.data.ranking, c), "cells": [*counts, *rates, cost]}


def _rate(value: Any) -> str:
    return shown(float(value))


def is_inside_tie(r: Ranking, c: Counts) -> bool:
    """Whether a quota ends inside a tie, so that the counts are expectations."""
    return bool(math.isfinite(c.threshold) and abs(float(r.at_threshold(c.threshold).flagged - c.flagged)) > 1e-9)


def rule_of(r: Ranking, c: Counts) -> str:
    """Who is flagged, such as "score ≥ 0.5"."""
    if not math.isfinite(c.threshold) and not c.flagged:
        return f"threshold {'above' if r.higher_is_positive else 'below'} every score"
    return f"score {'≥' if r.higher_is_positive else '≤'} {spelled(r, float(c.threshold))}"


def spelled(r: Ranking, threshold: float) -> str:
    """A threshold in few digits, but so many that it still cuts at the same place: people copy it."""
    place = r.cut(threshold)
    for digits in range(_FEWEST_DIGITS, 17):
        short = float(f"{threshold:.{digits}g}")
        if r.cut(short) == place:
            return _as_the_page(short)
    return _as_the_page(threshold)


def _as_the_page(number: float) -> str:
    """A number as the page's program writes it."""
    if not math.isfinite(number):
        return "∞" if number > 0 else "\N{MINUS SIGN}∞"
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    if 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number, trim="-")
    return repr(number).replace("e-0", "e-")


def grouped(count: Any) -> str:
    """A count with thin spaces between the thousands of a large number."""
    whole, point, rest = written(count).partition(".")
    if len(whole) >= _LONG and whole.isdigit():
        whole = f"{int(whole):,}".replace(",", "\N{THIN SPACE}")
    return f"{whole}{point}{rest}"
