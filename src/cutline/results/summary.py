"""The document that every view shows: the numbers of one model, how they were made, and what qualifies them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from cutline.core.counts import Counts, add_commas, format_number
from cutline.core.errors import ParameterError, shorten_repr
from cutline.core.escaping import html_text
from cutline.core.ranking import Ranking, describe_classes, format_cases, format_positive_share
from cutline.core.table import ComparedByFields, Table, format_bracket, to_json_value
from cutline.core.validation import to_json_label
from cutline.measures import MEASURES, Measure
from cutline.measures.bin_brackets import Bounds
from cutline.measures.registry import list_measures
from cutline.results.base import Tabulated, describe_conventions, format_paragraphs
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate, Estimated
from cutline.results.method_titles import RESAMPLED, format_method
from cutline.results.notes import Note, check_notes, collect_row_notes
from cutline.results.verdict import write_verdict

COLUMNS = (
    *("measure", "title", "family", "value", "low", "high", "method"),
    *("baseline", "better", "unit", "reason", "note", "at_least", "at_most"),
)
_HIDDEN = ("title", "family", "method", "note")


@dataclass(frozen=True)
class SummaryOptions:
    """The options of a summary. `resamples` is the requested number, `resamples_used` the number of the rule.

    `resamples_used` is 0 if nothing was resampled; `intervals` says which intervals were requested.
    """

    level: float
    cut: CutPoint
    method: str = "auto"
    intervals: bool | str = True
    resamples: int | None = None
    resamples_used: int = 0
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the options, ready for JSON."""
        return {
            "level": self.level,
            "method": self.method,
            "intervals": self.intervals,
            "resamples": self.resamples,
            "resamples_used": self.resamples_used,
            "seed": self.seed,
            "threshold": to_json_value(self.cut.threshold),
            "quota": self.cut.quota,
            "share": self.cut.share,
            "default_cut": self.cut.is_default,
        }


@dataclass(frozen=True, eq=False)
class Data(ComparedByFields):
    """The cases that were evaluated, with their groups and weights."""

    name: str | None
    ranking: Ranking = field(repr=False)
    groups: int = 0
    strata: int = 0
    rows: int = 0  # cases one by one, where they are known so; 0 where only the ranking is
    worth: float = math.nan  # how many cases the rows are in effect, by their weights

    @property
    def cases(self) -> float | int:
        """Return the number of cases; with weights, their sum."""
        cases: float | int = self.ranking.total.item()
        return cases

    @property
    def positives(self) -> float | int:
        """Return the number of positive cases; with weights, their sum."""
        positives: float | int = self.ranking.positives.item()
        return positives

    @property
    def has_weights(self) -> bool:
        """Whether cases weigh more or less than one, by weights that are not whole numbers."""
        return not self.ranking.integral

    def describe(self) -> str:
        """Describe the data: cases, classes, distinct scores, dropped rows and weights."""
        r = self.ranking
        dropped = f", {r.dropped} dropped" if r.dropped else ""
        worth = ""
        if self.has_weights and self.rows:
            effect = f"design effect {self.design_effect:.3g}"
            worth = f"; {add_commas(self.rows)} rows are worth {self.worth:.4g} cases ({effect})"
        classes = f"{add_commas(r.positives)} positive ({format_positive_share(r)}; {describe_classes(r)})"
        return f"{format_cases(r, add_commas)}, {classes}, {r.cells_in_words}{dropped}{worth}"

    @property
    def design_effect(self) -> float:
        """Return Kish's design effect of the weights; 1 without weights, NaN if the rows are not known."""
        if not self.has_weights:
            return 1.0
        return self.rows / self.worth if self.rows else math.nan

    @property
    def effective_cases(self) -> float:
        """Return the effective sample size: the number of cases, or Kish's with weights that are not counts."""
        r = self.ranking
        return float(r.total) if r.integral else float(r.total) ** 2 / float((r.pos2 + r.neg2).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the description, ready for JSON."""
        r = self.ranking
        return {
            "name": self.name,
            "positive": to_json_label(r.positive),
            "negative": None if r.negative is None else to_json_label(r.negative),
            "cases": self.cases,
            "positives": self.positives,
            "negatives": r.negatives.item(),
            "distinct_scores": len(r),
            "binned": not r.exact,
            "dropped": r.dropped,
            "weighted": self.has_weights,
            "groups": self.groups,
            "strata": self.strata,
            "effective_cases": self.effective_cases,
            "design_effect": to_json_value(self.design_effect),
            "higher_is_positive": r.higher_is_positive,
        }


class MeasureRow(Estimated):
    """A row of a summary that is about a measure; `at` is its own cut, if it has one."""

    measure: Measure
    at: Mapping[str, float]

    @cached_property
    def name(self) -> str:
        """Return the measure by the requested name with its parameters, such as hit_rate(quota=100)."""
        return make_name(self.measure, self.at)

    @cached_property
    def key(self) -> str:
        """Return the same with the measure's main name in place of an alias."""
        return make_key(self.measure, self.at)

    @cached_property
    def title(self) -> str:
        """Return the title of the measure with its parameters."""
        return make_title(self.measure, self.at)


@dataclass(frozen=True, eq=False)
class Row(MeasureRow):
    """One measure with its bound parameters, its estimate, its baseline, and the reason when it is undefined.

    `at` is the measure's own cut, where it differs from the summary's. `bounds` is the certified bracket from binned
    scores; None where the value is exact.
    """

    measure: Measure
    estimate: Estimate
    baseline: float | None = None
    reason: str = ""
    at: Mapping[str, float] = field(default_factory=dict)
    bounds: Bounds | None = None

    @cached_property
    def title(self) -> str:
        """Return the title of the measure with its parameters and unit."""
        return make_title(self.measure, self.at) + (f" ({self.measure.unit})" if self.measure.unit else "")

    @property
    def method(self) -> str:
        """Return the title of the method of the interval."""
        return format_method(self.estimate.method) if self.interval else ""

    @property
    def is_open(self) -> bool:
        """Whether there is a value but no interval was made."""
        return math.isfinite(self.value) and not self.estimate.method

    @property
    def is_resampled(self) -> bool:
        """Whether the interval is from resamples."""
        return self.interval is not None and self.estimate.method in RESAMPLED

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on the value and its interval."""
        if math.isnan(self.value):
            return ()
        return (*self.estimate.notes, *([self.bounds.note] if self.bounds and self.bounds.note else []))

    def to_cells(self) -> tuple[Any, ...]:
        """Return the row as the columns of a summary."""
        low, high = self.interval or (None, None)
        at_least, at_most = self.bounds[:2] if self.bounds else (None, None)
        m = self.measure
        note = " ".join(self.notes)
        method = self.estimate.method if self.interval else ""
        known = (self.name, make_title(m, self.at), m.family.name.lower(), self.value, low, high, method)
        return *known, self.baseline, m.better, m.unit, self.reason, note, at_least, at_most


def make_name(measure: Measure, at: Mapping[str, float]) -> str:
    """Return the requested name of a measure with its parameters and its cut."""
    return _append_parameters(measure.display_name, measure, at)


def make_key(measure: Measure, at: Mapping[str, float]) -> str:
    """Return the main name of a measure with its parameters and its cut."""
    return _append_parameters(measure.name, measure, at)


def make_title(measure: Measure, at: Mapping[str, float]) -> str:
    """Return the title of a measure with its parameters and its cut."""
    inside = _format_parameters(measure, at)
    return f"{measure.title} ({inside})" if inside else measure.title


def _append_parameters(name: str, measure: Measure, at: Mapping[str, float]) -> str:
    inside = _format_parameters(measure, at)
    return f"{name}({inside})" if inside else name


def _format_parameters(measure: Measure, at: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in {**measure.bound, **at}.items())


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Tabulated):
    """The numbers of one model, the options they were made with, what was evaluated, and the notes.

    It prints, iterates over its rows as dictionaries, and converts. Every view of a model shows this and computes
    nothing: terminal, notebook, JSON, CSV and report.
    """

    data: Data
    options: SummaryOptions
    counts: Counts
    rows: tuple[Row, ...]
    notes: tuple[Note, ...] = ()
    probabilities: Any = None  # the Judgement of the calibration, which stands above; None where nobody made it

    @property
    def name(self) -> str | None:
        """Return the name of the model."""
        return self.data.name

    @property
    def level(self) -> float:
        """Return the level of the intervals."""
        return self.options.level

    @property
    def cut(self) -> CutPoint:
        """Return the cut at which the measures of one cut are computed."""
        return self.options.cut

    @property
    def conventions(self) -> dict[str, str]:
        """Return the conventions behind the numbers."""
        options, higher = self.options, self.data.ranking.higher_is_positive
        return describe_conventions(self.level, options.resamples_used, options.seed, self.data.groups, higher=higher)

    # ------------------------------------------------------------------ rows

    def __getitem__(self, measure: str) -> Row:
        """Return the row of a measure, by its name with its parameters."""
        for row in self.rows:
            if measure in (row.name, row.key, row.measure.name):
                return row
        raise KeyError(measure)

    def only(self, measures: Collection[str]) -> Summary:
        """Return the same document with some of its measures, by their names without parameters."""
        names = list_measures(measures)
        if not all(isinstance(name, str) for name in names):
            raise ParameterError(f"is {shorten_repr(measures)}", "pass names of measures", argument="measures")
        return replace(self, rows=tuple(row for row in self.rows if row.measure.name in names))

    @property
    def row_notes(self) -> tuple[Note, ...]:
        """Return the notes on single measures, each once."""
        return collect_row_notes(self.rows, self.notes)

    def with_notes(self, notes: tuple[Note, ...]) -> Summary:
        """Return the same document with these notes."""
        return replace(self, notes=check_notes(notes))

    @property
    def used(self) -> frozenset[str]:
        """Return the short names of the methods of the intervals."""
        return frozenset(row.estimate.method for row in self.rows if row.interval)

    # ------------------------------------------------------------------ views

    @property
    def title(self) -> str:
        """Return the data and the cut in one line, after the name of the model."""
        return f"{self.data.name}: {self.heading}" if self.data.name else self.heading

    @property
    def heading(self) -> str:
        """Return the data and the cut in one line."""
        return f"{self.data.describe()}; predicted positive: {self.cut.describe(self.data.ranking)}"

    @property
    def verdict(self) -> tuple[str, ...]:
        """Return two sentences: how well the model ranks, and what its cut does."""
        return write_verdict(self)

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        return Table(COLUMNS, tuple(row.to_cells() for row in self.rows), title=self.title, hidden=_HIDDEN)

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        return {
            "schema": "cutline/evaluation/2",
            **self.data.to_dict(),
            "verdict": "\n".join(self.verdict),
            "threshold": to_json_value(self.cut.threshold),
            "counts": self.counts.to_dict(),
            "level": self.level,
            "options": self.options.to_dict(),
            "measures": self.to_dict(),
            "probabilities": None if self.probabilities is None else self.probabilities.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "conventions": self.conventions,
            "versions": self.versions,
        }

    @property
    def _opening(self) -> tuple[str, ...]:
        return self.verdict


def format_first_look(summary: Summary) -> str:
    """Format the headlines as text, with the counts above and the notes below."""
    c = summary.counts
    cells = [("tp", c.tp), ("fp", c.fp), ("fn", c.fn), ("tn", c.tn)]
    counts = ", ".join(f"{name} {format_number(count)}" for name, count in cells)
    more = f"... and {len(MEASURES) - len(summary)} more measures: .summary()"
    notes = [f"Note: {note}" for note in (*summary.notes, *_note_left_out(summary))]
    return "\n".join([*summary.verdict, "", summary.title, counts, "", repr(_make_first_look(summary)), more, *notes])


def format_first_look_as_html(summary: Summary) -> str:
    """Format the headlines as HTML for a notebook."""
    notes = "".join(f"<li>{html_text(note)}</li>" for note in (*summary.notes, *_note_left_out(summary)))
    return (
        f"<div>{format_paragraphs(summary.verdict)}<p>{html_text(summary.title)}</p>{summary.counts._repr_html_()}"
        f"{_make_first_look(summary)._repr_html_()}" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def format_comparison(title: str, headlines: Table, statements: Iterable[str]) -> str:
    """Format which model to choose, and the headlines of all models, as text."""
    return "\n".join([*statements, "", title, "", repr(headlines), "more: .summary()"])


def format_comparison_as_html(title: str, headlines: Table, statements: Iterable[str]) -> str:
    """Format which model to choose, and the headlines of all models, as HTML for a notebook."""
    return f"<div>{format_paragraphs(statements)}<p>{html_text(title)}</p>{headlines._repr_html_()}</div>"


def _note_left_out(summary: Summary) -> list[str]:
    """Return a sentence on the measures that a first look leaves out, in a list; empty when there are none."""
    waits = any(row.is_open for row in summary.rows)
    return ["Intervals that would take more than a moment are left out; .summary() has them."] if waits else []


def _make_first_look(summary: Summary) -> Table:
    rows = []
    for row in summary.rows:
        exact = None if row.bounds is None else format_bracket(row.bounds.low, row.bounds.high)
        rows.append((row.title, row.value, *(row.interval or (None, None)), row.baseline, exact, row.reason))
    return Table(("measure", "value", "low", "high", "baseline", "between (bins)", "why"), tuple(rows))
