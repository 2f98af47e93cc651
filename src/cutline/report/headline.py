"""The verdict in three sentences: how well what was evaluated ranks, what the cut does, and the most important note."""

from __future__ import annotations

import math
from typing import Any

from cutline.core.ranking import cases_of, share_of_positives, unusual_names
from cutline.core.table import shown
from cutline.report.cut import grouped, rule_of
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.estimate import Estimate
from cutline.results.summary import Row, Summary

_OF_DIFFERENCES = ("too-small",)  # the second sentence says it
_CLEARLY = 0.6  # the AUC that the whole interval lies above when a model is called clearly better than the baseline


def verdict(summary: Summary) -> list[str]:
    """Three sentences on one model."""
    return [_ranking(summary), _cut(summary), _caveat(summary)]


def verdict_on(summary: ComparisonSummary) -> list[str]:
    """Say how well several models rank, which to choose for each question, and the most important note."""
    r = summary.data.ranking
    first = (
        f"{len(summary.models)} models scored the same {cases_of(r, grouped)}, {grouped(r.positives)} of them positive "
        f"({share_of_positives(r)}{unusual_names(r)})"
    )
    areas = {name: row.value for name, own in summary.models.items() if (row := _row(own, "auc"))}
    if areas:
        order = sorted(areas, key=lambda name: -1.0 if math.isnan(areas[name]) else areas[name], reverse=True)
        ranked = ", ".join(f"{name} {shown(areas[name])}" for name in order)
        first += f"; their areas under the ROC curve (baseline 0.5) are {ranked}"
    others = [note.text for note in summary.notes if note.rule not in _OF_DIFFERENCES]
    last = others[:1] or [f"By false positive rate: {found.verdict}" for found in _roc(summary)]
    return [f"{first}.", *summary.statements, *last]


def _roc(summary: ComparisonSummary) -> list[Any]:
    return [found for curve, found in summary.dominance.items() if curve == "roc"]


def _row(summary: Summary, name: str) -> Row | None:
    return next((row for row in summary.rows if row.key == name), None)


def _ranking(summary: Summary) -> str:
    r, row = summary.data.ranking, _row(summary, "auc")
    who = summary.name or "The model"
    share = f"{share_of_positives(r)}{unusual_names(r)}"
    on = f"{who} was evaluated on {cases_of(r, grouped)}, {grouped(r.positives)} of them positive ({share})"
    if not r.positives or not r.negatives:
        return f"{on}; with one class alone, nothing can be said about how well it ranks."
    if row is None:
        return f"{on}."
    area = row.estimate
    interval = (
        f", {100 * area.level:g} % interval {shown(area.low)} to {shown(area.high)}"
        if area.has_interval
        else ", no interval"
    )
    ties = " (ties count half)" if len(r) == 1 else ""
    return (
        f"{on}: it puts a positive before a negative in {100 * area.value:.3g} % of the pairs{ties} "
        f"(AUC {shown(area.value)}{interval}), {_against_baseline(area)}."
    )


def _against_baseline(area: Estimate) -> str:
    """How the AUC stands to a half: the whole interval has to be on one side of it; far from it, it is clear."""
    if not area.has_interval:
        return "where the baseline is 50 %"
    if 0.5 in area:
        return "which cannot be told from the baseline, 50 %"
    if area.value < 0.5:
        return "worse than the baseline, 50 %: the order may be reversed"
    return f"{'clearly ' if area.low > _CLEARLY else ''}better than the baseline, 50 %"


def _cut(summary: Summary) -> str:
    c, r = summary.counts, summary.data.ranking
    at = f"With the {rule_of(r, c)}" if not math.isfinite(c.threshold) else f"At {rule_of(r, c)}"
    if not c.flagged:
        missed = f": it misses all {grouped(c.positives)} positives" if c.positives else ""
        return f"{at} it flags nobody{missed}."
    flagged = f"{grouped(c.flagged)} of {grouped(c.total)} cases"
    found = f"finds {grouped(c.tp)} of the {grouped(c.positives)} positives and misses {grouped(c.fn)}"
    alarms = f"{grouped(c.fp)} false {'alarm' if c.fp == 1 else 'alarms'}" if c.fp else "no false alarm"
    if not c.positives:
        return f"{at} it flags {flagged}, all of them false alarms."
    return f"{at} it flags {flagged}: it {found}, with {alarms}."


def _caveat(summary: Summary) -> str:
    if summary.notes:
        return summary.notes[0].text
    r = summary.data.ranking
    fewer = min(r.positives, r.negatives)
    return f"No warnings. The numbers rest on {grouped(fewer)} cases of the rarer class, and hold for similar cases."
