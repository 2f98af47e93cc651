"""The document of a comparison of models of several classes: the summary of each, and how they differ."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.core.table import Table, p_number, plain, shown
from cutline.inference.differences.test_results import PairTest
from cutline.multiclass.class_summary import ClassSummary
from cutline.results.base import Tabulated
from cutline.results.method_titles import method_title
from cutline.results.notes import Note

COLUMNS = (
    *("measure", "of", "a", "b", "value_a", "value_b", "difference", "low", "high"),
    *("p_value", "p_holm", "method", "note"),
)


@dataclass(frozen=True, eq=False)
class ClassDifference:
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
        """The limits, if there are any."""
        return None if math.isnan(self.low) or math.isnan(self.high) else (self.low, self.high)

    @property
    def method(self) -> str:
        """The method in words."""
        return method_title(self.test.method)

    def better_model(self, level: float) -> str:
        """Return the model that is better, where the corrected test says so; empty otherwise."""
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

    def cells(self) -> tuple[Any, ...]:
        """Return the row as the columns of a summary."""
        test = self.test
        numbers = (self.value_a, self.value_b, test.difference, self.low, self.high, test.p_value, test.p_holm)
        return self.measure, self.of, test.a, test.b, *numbers, test.method, " ".join(test.notes)


@dataclass(frozen=True, eq=False)
class ClassComparisonSummary(Tabulated):
    """The summaries of models of several classes on the same cases, and their differences."""

    models: Mapping[str, ClassSummary]
    level: float
    rows: tuple[ClassDifference, ...]
    notes: tuple[Note, ...] = ()

    @property
    def title(self) -> str:
        """What was compared, in one line."""
        data = next(iter(self.models.values())).data
        return f"{', '.join(self.models)}: {data.words()}"

    @property
    def conventions(self) -> dict[str, str]:
        """How the numbers were made, for their reader."""
        return next(iter(self.models.values())).conventions | {
            "Differences": (
                "Of the components of each case: their squared differences, added up, are the variance of the "
                "difference. p is corrected for the number of pairs of models by Holm's method."
            )
        }

    @property
    def table(self) -> Table:
        """The differences as a table."""
        return Table(COLUMNS, tuple(row.cells() for row in self.rows), title=self.title, hidden=("note",))

    def shown_table(self) -> Table:
        """Return the differences as people read them."""
        rows = [
            (
                row.title,
                row.of,
                f"{row.test.a} - {row.test.b}",
                row.value_a,
                row.value_b,
                row.test.difference,
                f"[{shown(row.low)}, {shown(row.high)}]" if row.interval else "",
                p_number(row.test.p_holm),
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
            "level": plain(self.level),
            "differences": self.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "conventions": self.conventions,
            "versions": self.versions,
        }

    def __repr__(self) -> str:
        return "\n".join([self.title, "", repr(self.shown_table()), *self.notes_as_text()])

    def _repr_html_(self) -> str:
        table = self.shown_table()._repr_html_()
        return f"<div><p>{html.escape(self.title)}</p>{table}{self.notes_as_html()}</div>"
