"""What every view says first: the verdict on a model in two sentences, and the worst warnings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from cutline.core.counts import add_commas
from cutline.core.messages import join_with_and
from cutline.core.ranking import describe_unusual_names, format_cases, format_positive_share
from cutline.core.table import format_both_limits, format_value
from cutline.results.cut_point import Outcomes, describe_rule, describe_shared_places
from cutline.results.estimate import Estimate
from cutline.results.notes import FIRST, Note

if TYPE_CHECKING:
    from cutline.results.summary import Summary

_CLEARLY = 0.6  # the AUC that the whole interval lies above when a model is called clearly better than the baseline


def write_verdict(summary: Summary) -> tuple[str, ...]:
    """Write in two sentences how well a model ranks and what its cut does."""
    return _describe_ranking(summary), _describe_cut(summary)


def _describe_ranking(summary: Summary) -> str:
    r = summary.data.ranking
    row = next((row for row in summary.rows if row.key == "auc"), None)
    who = summary.name or "The model"
    share = f"{format_positive_share(r)}{describe_unusual_names(r)}"
    on = f"{who} was evaluated on {format_cases(r, add_commas)}, {add_commas(r.positives)} of them positive ({share})"
    if not r.positives or not r.negatives:
        return f"{on}; with only one class, nothing can be said about how well it ranks."
    if row is None:
        return f"{on}."
    area = row.estimate
    interval = (
        f", {100 * area.level:g} % interval {' to '.join(format_both_limits(area.low, area.high))}"
        if area.has_interval
        else ", no interval"
    )
    ties = " (ties count half)" if len(r) == 1 else ""
    return (
        f"{who} puts a positive before a negative in {100 * area.value:.3g} % of the pairs{ties} "
        f"(AUC {format_value(area.value)}{interval}), {_compare_with_baseline(area)}."
    )


def _compare_with_baseline(area: Estimate) -> str:
    """Return how the AUC compares with 0.5: better or worse when the whole interval is on one side, "clearly" when it
    is far.
    """
    if not area.has_interval:
        return "where the baseline is 50 %"
    if 0.5 in area:
        return "which cannot be distinguished from the baseline, 50 %"
    if area.value < 0.5:
        return "worse than the baseline, 50 %: the order may be reversed"
    return f"{'clearly ' if area.low > _CLEARLY else ''}better than the baseline, 50 %"


def _describe_cut(summary: Summary) -> str:
    c, r = summary.counts, summary.data.ranking
    at = f"With the {describe_rule(r, c)}" if not math.isfinite(c.threshold) else f"At {describe_rule(r, c)}"
    if summary.cut.is_by_prevalence(r):
        at += " (set to flag about as many cases as are positive)"
    if not c.flagged:
        misses = f": it misses all {add_commas(c.positives)} positives" if c.positives else ""
        return f"{at} it flags nobody{misses}."
    found, missed, false, about = Outcomes.at(r, c)
    flagged = f"{add_commas(c.flagged)} of {add_commas(c.total)} cases"
    flags = f"It flags the first {flagged} ({describe_shared_places(r, c)})" if about else f"{at} it flags {flagged}"
    if not c.positives:
        return f"{flags}, all of them false alarms."
    hits = f"finds {about}{add_commas(found)} of the {add_commas(c.positives)} positives"
    misses = f"misses {about}{add_commas(missed)}"
    alarms = f"{about}{add_commas(false)} false {'alarm' if false == 1 else 'alarms'}" if c.fp else "no false alarm"
    return f"{flags}: it {hits} and {misses}, with {alarms}."


# ---------------------------------------------------------------------- warnings below the verdict


MOST_WARNINGS = 3
_CLAUSE = re.compile(r"[:;.](?= |$)| \(")


def select_warnings(notes: Iterable[Note], models: Iterable[str] = ()) -> list[Note]:
    """Select the warnings below a verdict, the worst first; the same warning on several models becomes one.

    Args:
        notes: The notes on the data and on all numbers.
        models: The names of several models; a note on one of them begins with its name.
    """
    by_rule: dict[str, list[Note]] = {}
    for note in notes:
        if note.kind == "warning":
            by_rule.setdefault(note.rule, []).append(note)
    ordered = sorted(by_rule, key=lambda rule: FIRST.index(rule) if rule in FIRST else len(FIRST))
    return [_merge_notes(by_rule[rule], list(models)) for rule in ordered[:MOST_WARNINGS]]


def _merge_notes(notes: list[Note], models: list[str]) -> Note:
    """Merge the notes of one rule into one: the main clause of each, with its models."""
    if len(notes) == 1:
        return notes[0]
    clauses: dict[str, list[str]] = {}
    for note in notes:
        model = max((name for name in models if note.text.startswith(f"{name}: ")), key=len, default="")
        text = note.text.removeprefix(f"{model}: ")
        end = _CLAUSE.search(text)
        clauses.setdefault(text[: end.start()] if end else text, []).append(model)
    parts = [f"{join_with_and(names)}: {clause}" if names != [""] else clause for clause, names in clauses.items()]
    return replace(notes[0], text=f"{'; '.join(parts)}.")
