"""What the page says first: the verdict in two sentences, the warnings, and a line below each of its first charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from cutline.core.table import shown, shown_limits
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.cut_words import grouped
from cutline.results.notes import Note
from cutline.results.summary import Row, Summary
from cutline.results.verdict import worst_warnings

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


def verdict(summary: Summary) -> list[str]:
    """Return the verdict of the summary, with thin spaces in long numbers as everywhere on the page."""
    return [_THOUSANDS.sub("\N{THIN SPACE}", sentence) for sentence in summary.verdict]


def verdict_on(summary: ComparisonSummary) -> list[str]:
    """Say which of several models to choose for each question."""
    return list(summary.statements) or [f"No measure compares the {len(summary.models)} models."]


def best_first(summary: ComparisonSummary) -> dict[str, Summary]:
    """Return the models in the order of the measure that decides the first question, the leader first."""
    return {name: summary.models[name] for name in summary.best_first()}


def warnings(summary: Summary | ComparisonSummary) -> list[Note]:
    """Return the worst warnings, which stand below the verdict; all notes are in a section of their own."""
    models = summary.models if isinstance(summary, ComparisonSummary) else ()
    return worst_warnings(summary.notes, models)


def page_notes(notes: Iterable[Note]) -> list[Note]:
    """Return the notes in the page's words: it has a slider, so that no other cut needs to be passed."""
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
    """Return measures in a line, each with its interval."""

    def parts() -> Iterator[str]:
        for name in names:
            row = _row(summary, name)
            if row is not None and not math.isnan(row.value):
                limits = f" ({' to '.join(shown_limits(*row.interval))})" if row.interval else ""
                yield f"{row.title} {shown(row.value)}{limits}"

    return ", ".join(parts())


def _row(summary: Summary, name: str) -> Row | None:
    return next((row for row in summary.rows if row.key == name), None)
