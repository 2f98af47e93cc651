"""The sections of the page, in their order: each is an entry here and a part of the template in assets/parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.core.validation import LEVEL
from cutline.cuts import statements
from cutline.cuts.cut_at import Bands, compute_bands, cut_at, round_share
from cutline.report.cut_data import collect_sentences, compile_precision, compute_levels, explain_no_guarantee
from cutline.report.html_page import CONVENTIONS, Context, Section
from cutline.report.measure_rows import format_limits
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.cut_point import group_digits, is_inside_tie
from cutline.results.notes import Note
from cutline.results.summary import Row, Summary
from cutline.results.verdict import select_warnings

# What is promised: the name of the measure, what the page calls it, and which side the bound is on.
ROWS = (
    ("recall", "Positives that are flagged", "least"),
    ("fpr", "Negatives that are flagged", "most"),
    ("precision", "Flagged cases that are positive", "least"),
)


def describe_guarantee(summary: Summary) -> dict[str, Any]:
    """Return the context of the guarantee section for the evaluation's cut."""
    r, c = summary.data.ranking, summary.counts
    reason = explain_no_guarantee(r, grouped=bool(summary.data.groups))
    if reason:
        return {"why_not": reason}
    tied = is_inside_tie(r, c)
    cut = cut_at(r, threshold=float(c.threshold), level=summary.level)
    bounds = compute_bands(r, r.cut(float(c.threshold)), summary.level ** (1 / 3), None)
    return {
        "why_not": "",
        "confidence": statements.format_percent(summary.level),
        "tied": tied,
        "rows": [_view_guarantee_row(name, title, side, None if tied else bounds, c) for name, title, side in ROWS],
        "statement": "" if tied else cut.statement,
        "python": "" if tied else _write_call(float(c.threshold), summary.level),
        "assumptions": cut.assumptions,
    }


def _write_call(threshold: float, level: float) -> str:
    """Return the call that gives the cut."""
    at = statements.format_exact(threshold) if math.isfinite(threshold) else f'float("{threshold:g}")'
    return f"cl.cut_at(ev, threshold={at}{'' if level == LEVEL else f', level={statements.format_exact(level)}'})"


def _view_guarantee_row(name: str, title: str, side: str, bounds: Bands | None, counts: Any) -> dict[str, Any]:
    bound = (
        statements.NO_BOUND
        if bounds is None
        else statements.format_percent(round_share(getattr(bounds, name), is_floor=side == "least"))
    )
    return {
        "name": name,
        "title": title,
        "side": side,
        "bound": bound,
        "here": _describe_share(float(getattr(counts, name))),
    }


def _describe_share(share: float) -> str:
    return format_value(share) if math.isnan(share) else statements.format_percent(round(share, 4))


def build_guarantee_data(models: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the data of the page's program: the levels of each model with a guarantee, and the sentences."""
    return {
        "words": collect_sentences(),
        "precision": compile_precision(),
        "models": [_find_levels(own.data.ranking, own) for own in models.values()],
    }


def _find_levels(r: Ranking, own: Summary) -> dict[str, Any] | None:
    return None if explain_no_guarantee(r, grouped=bool(own.data.groups)) else compute_levels(r, own.level)


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


def write_verdict(summary: Summary) -> list[str]:
    """Return the verdict of the summary, with thin spaces in long numbers as elsewhere on the page."""
    return [_THOUSANDS.sub("\N{THIN SPACE}", sentence) for sentence in summary.verdict]


def write_comparison_verdict(summary: ComparisonSummary) -> list[str]:
    """Return the sentences on which model to choose for each question."""
    return list(summary.statements) or [f"No measure compares the {len(summary.models)} models."]


def order_models(summary: ComparisonSummary) -> dict[str, Summary]:
    """Return the models ordered by the measure that decides the first question, the leader first."""
    return {name: summary.models[name] for name in summary.sort_models()}


def choose_warnings(summary: Summary | ComparisonSummary) -> list[Note]:
    """Return the worst warnings, which stand below the verdict."""
    models = summary.models if isinstance(summary, ComparisonSummary) else ()
    return select_warnings(summary.notes, models)


def adapt_notes(notes: Iterable[Note]) -> list[Note]:
    """Return the notes for a page with a slider, on which no other cut is passed."""
    return [
        replace(note, text=f"{str(note.text).partition(' Pass ')[0]} Move the slider for another.")
        if note.rule == "scale"
        else note
        for note in notes
    ]


def write_captions(summary: Summary) -> dict[str, str]:
    """Return the line below each chart at the top of the page: its measures with their intervals."""
    r = summary.data.ranking
    lines = {
        "roc": _format_measures(summary, "auc"),
        "precision_recall": _format_measures(summary, "average_precision"),
        "score_distribution": f"{group_digits(r.positives)} positive and {group_digits(r.negatives)} negative cases",
        "reliability": _format_measures(summary, "oe_ratio"),
        "gain": _format_measures(summary, "ks"),
    }
    return {name: line for name, line in lines.items() if line}


def _format_measures(summary: Summary, *names: str) -> str:
    """Format measures in a line, each with its interval."""

    def parts() -> Iterator[str]:
        for name in names:
            row = _find_row(summary, name)
            if row is not None and not math.isnan(row.value):
                limits = f" ({format_limits(*row.interval)})" if row.interval else ""
                yield f"{row.title} {format_value(row.value)}{limits}"

    return ", ".join(parts())


def _find_row(summary: Summary, name: str) -> Row | None:
    return next((row for row in summary.rows if row.key == name), None)


def _has_other_measures(context: Context) -> bool:
    comparison = context["comparison"]
    return bool(context["others"] or context["more_live"] or (comparison and comparison["groups"]))


# The page of one model or of several: pictures first, then what the cut does and promises; the rest is folded.
SECTIONS = (
    Section("verdict", "Verdict", heading=False),
    Section("look", "Charts with the cut", "Charts", follows_cut=True, heading=False),
    Section(
        "models",
        "Models side by side",
        "Models",
        follows_cut=True,
        appears=lambda context: bool(context["comparison"]),
    ),
    Section("cut", "What the cut does", "The cut", follows_cut=True),
    Section("promise", "What the cut promises for future cases", "Promise", follows_cut=True),
    Section("measures", "All measures", "Measures", folded=True, appears=_has_other_measures),
    Section(
        "trust",
        "Can I trust the probabilities?",
        "Probabilities",
        folded=True,
        appears=lambda context: bool(context["trust"]),
    ),
    Section("charts", "More charts", folded=True, appears=lambda context: bool(context["charts"]["more"])),
    Section("notes", "Notes", folded=True),
    Section("ranking", "The ranking", "Ranking", folded=True, is_long=True),
    Section("tools", "What would other tools say?", "Other tools", appears=lambda context: bool(context["tools"])),
    CONVENTIONS,
)
