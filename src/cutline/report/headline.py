"""What the page says first: the verdict in two sentences, the warnings, and a line below each of its first charts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from cutline.core.ranking import cases_of, share_of_positives, unusual_names
from cutline.core.table import shown
from cutline.report.cut import grouped, rule_of
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.estimate import Estimate
from cutline.results.notes import Note
from cutline.results.summary import Row, Summary

_CLEARLY = 0.6  # the AUC that the whole interval lies above when a model is called clearly better than the baseline
_MOST_WARNINGS = 3


def verdict(summary: Summary) -> list[str]:
    """Say in two sentences how well a model ranks and what its cut does."""
    return [_ranking(summary), _cut(summary)]


def verdict_on(summary: ComparisonSummary) -> list[str]:
    """Say which of several models to choose for each question."""
    return list(summary.statements) or [f"No measure compares the {len(summary.models)} models."]


def best_first(summary: ComparisonSummary) -> dict[str, Summary]:
    """Return the models in the order of the measure that decides the first question, the leader first."""
    order = list(summary.models)
    if summary.choices:
        choice = summary.choices[0]
        rows = {name: _row(own, choice.measure) for name, own in summary.models.items()}

        def place(name: str) -> tuple[bool, float]:
            row = rows[name]
            if row is None or math.isnan(row.value):
                return True, 0.0
            return False, -row.value if row.measure.better == "higher" else row.value

        order = [choice.leader, *(name for name in sorted(order, key=place) if name != choice.leader)]
    return {name: summary.models[name] for name in order}


def warnings(summary: Summary | ComparisonSummary) -> list[Note]:
    """Return the worst warnings, which stand below the verdict; all notes are in a section of their own."""
    found = [note for note in summary.notes if note.kind == "warning"]
    if isinstance(summary, ComparisonSummary):  # of several models with the same trouble, one stands for all
        found = list({note.rule: note for note in reversed(found)}.values())[::-1]
    return found[:_MOST_WARNINGS]


def page_notes(notes: Iterable[Note]) -> list[Note]:
    """Return the notes as the page says them: it has a slider, so that nobody has to pass another cut."""
    return [
        replace(note, text=f"{str(note.text).partition(' Pass ')[0]} Move the slider for another.")
        if note.rule == "scale"
        else note
        for note in notes
    ]


def captions(summary: Summary) -> dict[str, str]:
    """Return the line below each chart at the top of the page: the numbers that belong to it, with their intervals."""
    r = summary.data.ranking
    lines = {
        "roc": _numbers(summary, "auc"),
        "precision_recall": _numbers(summary, "average_precision"),
        "score_distribution": f"{grouped(r.positives)} positive and {grouped(r.negatives)} negative cases",
        "reliability": _numbers(summary, "oe_ratio"),
        "gain": _numbers(summary, "ks"),
    }
    return {name: line for name, line in lines.items() if line}


def _numbers(summary: Summary, *names: str) -> str:
    """Measures in a line, each with its interval."""

    def parts() -> Iterator[str]:
        for name in names:
            row = _row(summary, name)
            if row is not None and not math.isnan(row.value):
                limits = f" ({shown(row.interval[0])} to {shown(row.interval[1])})" if row.interval else ""
                yield f"{row.title} {shown(row.value)}{limits}"

    return ", ".join(parts())


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
        f"{who} puts a positive before a negative in {100 * area.value:.3g} % of the pairs{ties} "
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
