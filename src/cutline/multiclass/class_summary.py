"""Summaries of one model of several classes and of a comparison: what every view shows of them, computed once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.core.counts import format_number
from cutline.core.errors import UnknownNameError
from cutline.core.escaping import html_text
from cutline.core.table import ComparedByFields, Table, format_p_cell, format_value, to_json_value
from cutline.core.validation import format_count, to_json_label
from cutline.inference.differences.pair_tests import PairTest
from cutline.multiclass.decisions import ConfusionMatrix
from cutline.results.base import Tabulated
from cutline.results.estimate import Estimate, Estimated
from cutline.results.method_titles import format_method
from cutline.results.notes import Note, check_notes

COLUMNS = (
    *("measure", "title", "scope", "of", "value", "low", "high", "se", "method"),
    *("baseline", "better", "reason", "note"),
)
MOST_SHOWN = 12  # classes whose confusion matrix a terminal has room for


@dataclass(frozen=True, eq=False)
class ClassRow(Estimated):
    """One measure of one class, of a mean over the classes, or of all of them together.

    `scope` is "class", "mean" or "all"; `of` names the class or the mean.
    """

    measure: str
    title: str
    scope: str
    of: str
    estimate: Estimate
    se: float
    baseline: float | None = None
    better: str | None = None
    reason: str = ""
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def method(self) -> str:
        """Title of the method of the interval."""
        return format_method(self.estimate.method) if self.interval else ""

    def to_cells(self) -> tuple[Any, ...]:
        """Return the row as the columns of a summary."""
        e = self.estimate
        note = "" if self.reason else " ".join(e.notes)
        method = e.method if e.has_interval else ""
        numbers = (e.value, e.low, e.high, self.se, method, self.baseline, self.better, self.reason, note)
        return self.measure, self.title, self.scope, self.of, *numbers


@dataclass(frozen=True)
class ClassData:
    """What was evaluated: the classes, and the weight of the cases of each."""

    name: str | None
    classes: tuple[Any, ...]
    sizes: tuple[float, ...]
    dropped: int = 0
    weighted: bool = False

    @property
    def total(self) -> float:
        """Number of cases; with weights, their sum."""
        return math.fsum(self.sizes)

    def describe(self) -> str:
        """Return the data in words."""
        of_each = [
            f"{label} {format_number(size)} ({100 * size / self.total:.3g} %)"
            for label, size in zip(self.classes, self.sizes, strict=True)
        ]
        shown_classes = ", ".join(of_each[:MOST_SHOWN]) + (", ..." if len(of_each) > MOST_SHOWN else "")
        cases = (
            f"cases of weight {format_number(self.total)}" if self.weighted else format_count(int(self.total), "case")
        )
        dropped = f"; {self.dropped} dropped" if self.dropped else ""
        return f"{cases} of {len(self.classes)} classes: {shown_classes}{dropped}"

    def to_dict(self) -> dict[str, Any]:
        """Return the description, ready for JSON."""
        return {
            "name": self.name,
            "cases": self.total,
            "classes": [
                {"class": to_json_label(label), "cases": size}
                for label, size in zip(self.classes, self.sizes, strict=True)
            ],
            "dropped": self.dropped,
            "weighted": self.weighted,
        }


@dataclass(frozen=True, eq=False)
class ClassSummary(Tabulated):
    """The numbers of a model of several classes with their intervals, and what qualifies them.

    It prints, iterates over its rows as dictionaries, and converts. Terminal, notebook, JSON, CSV and report show this
    and compute nothing.
    """

    data: ClassData
    level: float
    matrix: ConfusionMatrix
    rows: tuple[ClassRow, ...]
    notes: tuple[Note, ...] = ()

    @property
    def name(self) -> str | None:
        """Name of the model."""
        return self.data.name

    @property
    def title(self) -> str:
        """Description of the data in one line."""
        return (f"{self.data.name}: " if self.data.name else "") + self.data.describe()

    @property
    def conventions(self) -> dict[str, str]:
        """Conventions behind the numbers."""
        return CONVENTIONS | {"Intervals": f"{100 * self.level:g} %: {INTERVALS}"}

    # ------------------------------------------------------------------ rows

    def row(self, measure: str, of: Any) -> ClassRow:
        """Return the row of a measure, of a class, a mean such as "macro mean", or "all classes".

        Args:
            measure: The name of the measure.
            of: The class, or the mean.
        """
        for row in self.rows:
            if row.measure == measure and row.of == str(of):
                return row
        raise UnknownNameError(f"The summary has no row {measure!r} of {of!r}")

    def of_scope(self, *scopes: str) -> tuple[ClassRow, ...]:
        """Return the rows of classes, of means, or of all classes."""
        return tuple(row for row in self.rows if row.scope in scopes)

    def with_notes(self, notes: tuple[Note, ...]) -> ClassSummary:
        """Return the same document with these notes."""
        return ClassSummary(self.data, self.level, self.matrix, self.rows, check_notes(notes))

    # ------------------------------------------------------------------ views

    @property
    def table(self) -> Table:
        """Rows as a table."""
        hidden = ("title", "scope", "se", "method", "note", "better")
        return Table(COLUMNS, tuple(row.to_cells() for row in self.rows), title=self.title, hidden=hidden)

    def overall_table(self) -> Table:
        """Return the means over the classes and the measures of all classes, as people read them."""
        rows = [
            (row.title, row.of, row.value, *(row.interval or (None, None)), row.baseline, row.reason)
            for row in self.of_scope("all", "mean")
        ]
        return Table(("measure", "of", "value", "low", "high", "baseline", "why"), tuple(rows))

    def class_table(self) -> Table:
        """Return a row for each class with its measures and their intervals, as people read them."""
        own = self.of_scope("class")
        measures = list(dict.fromkeys(row.measure for row in own))
        titles = {row.measure: row.title for row in own}
        by_class = {(row.of, row.measure): row for row in own}
        rows = [
            (
                str(label),
                format_number(size),
                *(_format_cell(by_class.get((str(label), measure))) for measure in measures),
            )
            for label, size in zip(self.data.classes, self.data.sizes, strict=True)
        ]
        return Table(("class", "cases", *(titles[measure] for measure in measures)), tuple(rows))

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        return {
            "schema": "cutline/classes/1",
            **self.data.to_dict(),
            "level": to_json_value(self.level),
            "confusion_matrix": self.matrix.to_dict()["table"],
            "measures": self.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "conventions": self.conventions,
            "versions": self.versions,
        }

    def __repr__(self) -> str:
        parts = [self.title, "", repr(self.overall_table()), "", repr(self.class_table())]
        if len(self.data.classes) <= MOST_SHOWN:
            parts += ["", repr(self.matrix)]
        return "\n".join([*parts, *self.format_notes()])

    def _repr_html_(self) -> str:
        tables = (self.overall_table(), self.class_table(), self.matrix)
        body = "".join(table._repr_html_() for table in tables)
        return f"<div><p>{html_text(self.title)}</p>{body}{self.format_notes_as_html()}</div>"


def _format_cell(row: ClassRow | None) -> str:
    """Return a value with its interval."""
    if row is None:
        return ""
    return format_value(row.value) + (
        f" [{format_value(row.interval[0])}, {format_value(row.interval[1])}]" if row.interval else ""
    )


INTERVALS = (
    "for each class as for one model (DeLong or Newcombe for the AUC, Wilson for shares of cases, F1 included, the "
    "log-odds for the average precision); for a mean, the limits of the classes combined by the correlation of their "
    "components, case by case (MOVER). Cases are taken to be independent; where groups are named, the limits are as "
    "much farther away as whole groups vary more than so many cases, with Student's quantile."
)
CONVENTIONS = {
    "Classes": "Each class in turn is positive, and all other cases are negative.",
    "Decisions": (
        "A case goes to the class of its highest score; where several classes share it, to each of them in equal parts."
    ),
    "Macro mean": "The plain mean over the classes; of the average precision it is the mean average precision.",
    "Weighted mean": "The mean over the classes by their shares of the cases, whose own uncertainty is included.",
    "Micro mean": "The measure of all pairs of a case and a class, pooled; the pairs of one case belong together.",
    "Hand and Till's M": (
        "The mean over ordered pairs of classes of the AUC of the one against the other, by the scores of the first."
    ),
    "Undefined": "0/0 is undefined, with the reason.",
    "Baseline": "The value of scores without information that choose each class as often.",
    "Weights": "A whole number counts as that many equal rows; other weights by Kish's effective sample size.",
}


# ---------------------------------------------------------------------- several models

DIFFERENCE_COLUMNS = (
    *("measure", "of", "a", "b", "value_a", "value_b", "difference", "low", "high"),
    *("p_value", "p_holm", "method", "note"),
)


@dataclass(frozen=True, eq=False)
class ClassDifference(ComparedByFields):
    """One measure of two models: both values, the difference a - b with its interval, and the test of none."""

    measure: str
    title: str
    of: str
    test: PairTest
    value_a: float
    value_b: float
    low: float
    high: float
    better: str | None = "higher"

    @property
    def interval(self) -> tuple[float, float] | None:
        """Limits of the interval, if there is one."""
        return None if math.isnan(self.low) or math.isnan(self.high) else (self.low, self.high)

    @property
    def method(self) -> str:
        """Title of the method."""
        return format_method(self.test.method)

    def better_model(self, level: float) -> str:
        """Return the significantly better model by the corrected test; empty if there is none."""
        if not self.test.p_holm <= 1 - level:  # NaN is not
            return ""
        is_a = (self.test.difference > 0) == (self.better != "lower")
        return self.test.a if is_a else self.test.b

    def conclusion(self, level: float) -> str:
        """Return the one conclusion of the row, from the corrected test."""
        if math.isnan(self.test.p_holm):
            return "no test"
        better = self.better_model(level)
        return f"{better} is better" if better else "not significant"

    def to_cells(self) -> tuple[Any, ...]:
        """Return the row as the columns of a summary."""
        test = self.test
        numbers = (self.value_a, self.value_b, test.difference, self.low, self.high, test.p_value, test.p_holm)
        return self.measure, self.of, test.a, test.b, *numbers, test.method, " ".join(test.notes)


@dataclass(frozen=True, eq=False, repr=False)
class ClassComparisonSummary(Tabulated):
    """The summaries of models of several classes on the same cases, and their differences."""

    models: Mapping[str, ClassSummary]
    level: float
    rows: tuple[ClassDifference, ...]
    notes: tuple[Note, ...] = ()

    @property
    def title(self) -> str:
        """Description of the models and the data in one line."""
        data = next(iter(self.models.values())).data
        return f"{', '.join(self.models)}: {data.describe()}"

    @property
    def conventions(self) -> dict[str, str]:
        """Conventions behind the numbers."""
        return next(iter(self.models.values())).conventions | {
            "Differences": (
                "Of the components of each case: their squared differences, added up, are the variance of the "
                "difference. p is corrected for the number of pairs of models by Holm's method."
            )
        }

    @property
    def table(self) -> Table:
        """Differences as a table."""
        return Table(DIFFERENCE_COLUMNS, tuple(row.to_cells() for row in self.rows), title=self.title, hidden=("note",))

    def format_table(self) -> Table:
        """Return the differences as people read them."""
        rows = [
            (
                row.title,
                row.of,
                f"{row.test.a} - {row.test.b}",
                row.value_a,
                row.value_b,
                row.test.difference,
                f"[{format_value(row.low)}, {format_value(row.high)}]" if row.interval else "",
                format_p_cell(row.test.p_holm),
                row.conclusion(self.level),
            )
            for row in self.rows
        ]
        interval = f"{100 * self.level:g} % interval"
        names = ("measure", "of", "models", "first", "second", "difference", interval, "p (Holm)", "conclusion")
        return Table(names, tuple(rows))

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        return {
            "schema": "cutline/class-comparison/1",
            "models": {name: summary.document() for name, summary in self.models.items()},
            "level": to_json_value(self.level),
            "differences": self.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "conventions": self.conventions,
            "versions": self.versions,
        }

    @property
    def _opening(self) -> tuple[str, ...]:
        return (self.title,)
