"""The document of a comparison: the summary of each model, and how the models differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from cutline.core.counts import add_commas
from cutline.core.messages import join_with_and
from cutline.core.ranking import describe_classes, format_positive_share
from cutline.core.table import ComparedByFields, Table, format_p_cell, to_json_value
from cutline.core.validation import check_text
from cutline.measures import Measure
from cutline.results.base import Tabulated
from cutline.results.choices import ModelChoice, choose_models, recommend_overall
from cutline.results.estimate import Estimate
from cutline.results.method_titles import format_methods
from cutline.results.notes import Note, check_notes, collect_row_notes
from cutline.results.summary import Data, MeasureRow, Summary, SummaryOptions

COLUMNS = (
    *("measure", "a", "b", "value_a", "value_b", "difference", "low", "high"),
    *("p_value", "p_holm", "method", "note"),
)


_UNEQUAL = 1.25  # times as many cases that a model flags at a common cut
_MOST_SHARES = 5


class ComparedRegions(Protocol):
    """The regions of an axis in which each model leads."""

    @property
    def verdict(self) -> str:
        """Return a sentence on the regions."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""

    @property
    def statement(self) -> str:
        """Return the verdict with the remark that it is about this sample."""


@dataclass(frozen=True, eq=False)
class DifferenceRow(MeasureRow):
    """One measure of two models: both values, the difference a - b with its interval, and the test of none.

    `p_holm` is corrected for the number of pairs of models. `test` is the method of the test, `estimate.method` that
    of the interval.
    """

    measure: Measure
    a: str
    b: str
    value_a: float
    value_b: float
    estimate: Estimate
    p_value: float
    p_holm: float
    test: str = ""
    notes: tuple[str, ...] = ()
    at: Mapping[str, float] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods of the interval and of the test."""
        return tuple(dict.fromkeys(method for method in (self.estimate.method, self.test) if method))

    @property
    def method(self) -> str:
        """Return the titles of the methods."""
        return format_methods(self.methods)

    def is_significant(self, level: float) -> bool:
        """Whether the corrected test rejects that the models are equal, at 1 - level."""
        return self.p_holm <= 1 - level  # NaN is not

    def better(self, level: float) -> str:
        """Return the significantly better model by the corrected test; empty if there is none."""
        if self.measure.better is None or not self.is_significant(level):
            return ""
        return self.a if (self.value > 0) == (self.measure.better == "higher") else self.b

    def conclusion(self, level: float) -> str:
        """Return the conclusion of the test: which model is better, or "not significant"."""
        if math.isnan(self.p_holm):
            return "no test"
        if not self.is_significant(level):
            return "not significant"
        return f"{self.better(level)} is better" if self.measure.better else "they differ"

    def swap_models(self) -> DifferenceRow:
        """Return the row with the models exchanged: b - a."""
        e = self.estimate
        opposite = replace(e, value=-e.value, low=-e.high, high=-e.low)
        return replace(self, a=self.b, b=self.a, value_a=self.value_b, value_b=self.value_a, estimate=opposite)

    @property
    def p_shown(self) -> str:
        """Return the corrected p-value as text; empty without a test."""
        return format_p_cell(self.p_holm)

    def to_cells(self) -> tuple[Any, ...]:
        """Return the row as the columns of a summary."""
        numbers = (self.value_a, self.value_b, self.value, self.estimate.low, self.estimate.high)
        names = (self.name, self.a, self.b)
        return *names, *numbers, self.p_value, self.p_holm, ", ".join(self.methods), " ".join(self.notes)


@dataclass(frozen=True, eq=False)
class Omnibus(ComparedByFields):
    """The test that no model differs from any other in a measure."""

    measure: str
    p_value: float
    chi_square: float = math.nan
    degrees: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        names = ("measure", "p_value", "chi_square", "degrees")
        return {name: to_json_value(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonSummary(Tabulated):
    """The summaries of models on the same cases, and their differences: a row for each measure and pair.

    It prints, iterates over its rows as dictionaries, and converts. Every view of a comparison shows this and computes
    nothing: terminal, notebook, JSON, CSV and report.
    """

    models: Mapping[str, Summary]
    options: SummaryOptions
    rows: tuple[DifferenceRow, ...]
    verdict: tuple[str, ...] = ()  # a sentence for each pair
    omnibus: Omnibus | None = None
    dominance: Mapping[str, ComparedRegions] = field(default_factory=dict)  # by the name of the curve
    notes: tuple[Note, ...] = ()
    confidence: tuple[Any, ...] = ()  # the confidence curve of each pair, in the measure of the verdict
    goal: str | None = None  # the question that matters, and the measure that decides it, where they were named
    primary: str | None = None

    @cached_property
    def choices(self) -> tuple[ModelChoice, ...]:
        """Return the model to choose for each question; the question that was named comes first."""
        how = {"goal": self.goal, "primary": self.primary}
        return choose_models(self.rows, self.level, **how, by_quota=self.options.cut.by_quota)

    @property
    def statements(self) -> tuple[str, ...]:
        """Return the sentences that come first: an answer to each question, the best model overall, details from other
        measures, and the number of cases that a decision needs.
        """
        sentences = [choice.sentence for choice in self.choices]
        sentences.append(recommend_overall(self.choices, len(self.models)))
        sentences += [choice.detail for choice in self.choices]
        if len(self.models) == 2 and not any(choice.is_decided for choice in self.choices):
            sentences += self.verdict
        sentences.append(self._advise_recalibration())
        return tuple(filter(None, sentences))

    def _advise_recalibration(self) -> str:
        """Return the advice to recalibrate the model that ranks best, if its probabilities are poor; else empty."""
        by_goal = {choice.goal: choice for choice in self.choices}
        if not {"rank", "probabilities"} <= by_goal.keys():
            return ""
        first, trusted = by_goal["rank"].leader, by_goal["probabilities"]
        is_off = any(note.rule == "calibration" and note.text.startswith(f"{first}: ") for note in self.notes)
        if first in (trusted.leader, *trusted.equal) or not by_goal["rank"].is_decided or not is_off:
            return ""
        return (
            f"{first} ranks best, and recalibration keeps its order: recalibrate it before you choose "
            f"{trusted.leader} for its probabilities."
        )

    def differences_from(self, reference: str | None = None) -> dict[str, dict[str, DifferenceRow]]:
        """Return the difference of each other model from a reference, by the key of the measure and the model.

        Args:
            reference: The model that the others are compared with; the leader of the first choice when None.
        """
        base = self.reference if reference is None else check_text(reference, "reference", "a")
        rows: dict[str, dict[str, DifferenceRow]] = {}
        for row in self.rows:
            if base in (row.a, row.b):
                turned = row if row.b == base else row.swap_models()
                rows.setdefault(row.key, {})[turned.a] = turned
        return rows

    @property
    def reference(self) -> str:
        """Return the model that the others are compared with: the leader of the first choice."""
        return self.choices[0].leader if self.choices else next(iter(self.models))

    def best(self, key: str) -> tuple[str, tuple[str, ...]]:
        """Return the best model in a measure and those not distinguishable from it; empty if none is better."""
        rows = [row for row in self.rows if row.key == check_text(key, "key", "auc")]
        choices = choose_models(rows, self.level)
        return (choices[0].leader, choices[0].equal) if choices else ("", ())

    def sort_models(self) -> list[str]:
        """Return the models by the measure that decides the first question, the best first."""
        if not self.choices:
            return list(self.models)
        rows = [row for row in self.rows if row.key == self.choices[0].measure]
        values: dict[str, float] = {}
        for row in rows:
            values |= {row.a: row.value_a, row.b: row.value_b}
        sign = -1 if rows[0].measure.better == "higher" else 1
        leader = self.choices[0].leader

        def place(name: str) -> tuple[bool, bool, float]:
            value = values.get(name, math.nan)
            return name != leader, math.isnan(value), sign * value

        return sorted(self.models, key=place)

    @property
    def level(self) -> float:
        """Return the level of intervals and tests."""
        return self.options.level

    @property
    def data(self) -> Data:
        """Return the description of the cases, which all models share."""
        return next(iter(self.models.values())).data

    @property
    def cases(self) -> float | int:
        """Return the number of cases; with weights, their sum."""
        return self.data.cases

    @property
    def used(self) -> frozenset[str]:
        """Return the short names of the methods of intervals and tests."""
        return frozenset(method for row in self.rows for method in row.methods)

    @property
    def row_notes(self) -> tuple[Note, ...]:
        """Return the notes on single differences, each once."""
        return collect_row_notes(self.rows, self.notes)

    def with_notes(self, notes: tuple[Note, ...]) -> ComparisonSummary:
        """Return the same document with these notes."""
        return replace(self, notes=check_notes(notes))

    @property
    def pairs(self) -> dict[tuple[str, str], list[DifferenceRow]]:
        """Return the rows of each pair of models."""
        by_pair: dict[tuple[str, str], list[DifferenceRow]] = {}
        for row in self.rows:
            by_pair.setdefault((row.a, row.b), []).append(row)
        return by_pair

    # ------------------------------------------------------------------ views

    @property
    def title(self) -> str:
        """Return the number of models and the cases, in one line."""
        return describe_models({name: summary.data for name, summary in self.models.items()})

    @property
    def cut_words(self) -> str:
        """Return a sentence with the cut of all models, or of each."""
        first = next(iter(self.models.values()))
        rules = {name: own.cut.describe(own.data.ranking) for name, own in self.models.items()}
        why = (
            "; set to flag about as many cases as are positive"
            if first.cut.is_by_prevalence(first.data.ranking)
            else ""
        )
        if len(set(rules.values())) == 1:
            return f"Cut: {next(iter(rules.values()))}{why}{self._describe_unequal_shares()}."
        each = ", ".join(f"{name} {rule}" for name, rule in rules.items())
        return f"Cuts: {each}{why}."

    def _describe_unequal_shares(self) -> str:
        """Return the share that each model flags at a common cut, where these are so unequal that models are hard to
        compare there.
        """
        shares = {name: float(own.counts.flagged / own.counts.total) for name, own in self.models.items()}
        if max(shares.values()) <= _UNEQUAL * min(shares.values()) or len(shares) > _MOST_SHARES:
            return ""
        return ", which flags " + join_with_and([f"{100 * share:.1f} % ({name})" for name, share in shares.items()])

    def list_undefined_measures(self) -> dict[str, list[str]]:
        """Return the titles of measures that are undefined for every model, by the reason."""
        own = {row.key: row for summary in self.models.values() for row in summary.rows}
        titles: dict[str, dict[str, None]] = {}
        for row in self.rows:
            if math.isnan(row.value_a) and math.isnan(row.value_b) and row.key in own:
                titles.setdefault(own[row.key].reason, {})[row.title] = None
        return {reason: list(names) for reason, names in titles.items() if reason}

    @property
    def table(self) -> Table:
        """Return the differences as a table."""
        return Table(COLUMNS, tuple(row.to_cells() for row in self.rows), title=self.title)

    def format_table(self) -> Table:
        """Return the differences with p as text and the conclusion of each test."""
        p = "p (Holm)" if len(self.models) > 2 else "p"
        rows = [
            (*row.to_cells()[: COLUMNS.index("p_value")], row.p_shown, row.conclusion(self.level)) for row in self.rows
        ]
        return Table((*COLUMNS[: COLUMNS.index("p_value")], p, "conclusion"), tuple(rows), title=self.title)

    @property
    def values(self) -> Table:
        """Return a table of the value of each measure for each model, with its interval."""
        names = list(self.models)
        columns = ("measure", *(f"{name}{part}" for name in names for part in ("", " low", " high")))
        by_model = [{row.name: row for row in summary.rows} for summary in self.models.values()]
        rows = []
        for name in dict.fromkeys(name for own in by_model for name in own):
            own_rows = [own.get(name) for own in by_model]
            cells = [(row.value, *(row.interval or (None, None))) if row else (None,) * 3 for row in own_rows]
            rows.append((name, *(cell for three in cells for cell in three)))
        return Table(columns, tuple(rows))

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        curves = {curve: dominance.to_dict() for curve, dominance in self.dominance.items()}
        return {
            "schema": "cutline/comparison/2",
            "level": self.level,
            "options": self.options.to_dict(),
            "models": {name: summary.document() for name, summary in self.models.items()},
            "cases": self.cases,
            "differences": self.to_dict(),
            "omnibus": None if self.omnibus is None else self.omnibus.to_dict(),
            "verdict": "\n".join(self.statements),
            "choices": [choice.to_dict() for choice in self.choices],
            "dominance": curves.get("roc", {}),
            "notes": [note.to_dict() for note in self.notes],
            "versions": self.versions,
        }

    @property
    def _opening(self) -> tuple[str, ...]:
        return tuple(self.statements)


def describe_models(models: Mapping[str, Any]) -> str:
    """Return how many models, on what cases, in one line; each has its ranking."""
    r = next(iter(models.values())).ranking
    dropped = f", {r.dropped} dropped" if r.dropped else ""
    return (
        f"{len(models)} models on the same {add_commas(r.total)} cases, {add_commas(r.positives)} positive "
        f"({format_positive_share(r)}; {describe_classes(r)}){dropped}"
    )
