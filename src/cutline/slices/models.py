"""compare_by_slice(): where one model is better or worse than another, slice by slice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutline.comparison import Comparison, compare
from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import ParameterError
from cutline.core.messages import join_with_and, lower_title
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_choice, check_level, format_count
from cutline.inference.simultaneous import holm, run_cochran_test
from cutline.inputs.column_source import Request, open_source, read_rows, request_columns
from cutline.inputs.rank import Missing
from cutline.inputs.slicing import (
    check_slice_count,
    code_slices,
    cross_slices,
    find_rows_with_slice,
    format_slice,
    list_slice_columns,
    list_slice_rules,
)
from cutline.measures import MEASURES
from cutline.results.base import NamedParts, Summarized, Tabulated
from cutline.results.choices import GOALS
from cutline.results.comparison_summary import DifferenceRow
from cutline.results.estimate import quantile
from cutline.results.measure_selection import Named
from cutline.results.notes import Note
from cutline.slices.differences import count_rarer_class
from cutline.slices.results import FEWEST

COLUMNS = (
    *("measure", "slice", "cases", "positives", "a", "b", "value_a", "value_b", "difference", "low", "high"),
    *("p_value", "p_holm"),
)
_USUAL = ("auc", "log_loss", "mcc")  # a measure for each question
_MOST_NAMED = 3  # slices that a sentence names


@public
def compare_by_slice(
    labels: Any,
    scores: Mapping[str, Any],
    by: Any,
    weights: Any = None,
    *,
    data: Any = None,
    positive: Any = None,
    threshold: float | Mapping[str, float] | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
) -> SliceComparison:
    """Compare models that scored the same cases in each slice of them.

    All slices have the cut of all cases. Slices are tested one by one, with Holm's correction for their number.

    Args:
        labels: The true classes, as in `compare`.
        scores: The scores of each model by its name; with `data`, the column of each.
        by: The slice of each case, or several columns by name, which are crossed; with `data`, the names of columns,
            in a mapping with the ranges that make slices of each, as in `evaluate`.
        weights: How much each case counts.
        data: A data frame or file that holds the columns.
        positive: The label of the positive class; needed unless the labels tell.
        threshold: The cut of all models, or of each by its name; without it, that which suits all cases.
        missing: "error" refuses a case without a score of every model or a slice, "drop" leaves it out.
        higher_is_positive: Whether high scores mean positive.

    >>> labels, sites = [1, 1, 0, 0] * 20, ["a"] * 40 + ["b"] * 40
    >>> scores = {"new": [0.9, 0.8, 0.3, 0.1] * 20, "old": [0.9, 0.8, 0.3, 0.1] * 10 + [0.2, 0.8, 0.3, 0.1] * 10}
    >>> summary = compare_by_slice(labels, scores, sites).summary(["recall"])
    >>> [(one.name, one.better(0.95)) for one in summary.rows]
    [('a', ''), ('b', 'new')]
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise ParameterError("is not a mapping of two or more models", "pass the scores by model", argument="scores")
    if data is None:
        values = list_slice_columns(by)
        rules: dict[str, Any] = dict.fromkeys(values)
    else:
        rules = list_slice_rules(by)
        cases = request_columns(labels, None, weights, positive=positive)
        del cases["scores"]
        models = {("model", name): Request("scores", column) for name, column in scores.items()}
        slices = {("by", name): Request("groups", name) for name in rules}
        with read_rows(open_source(data), {**cases, **models, **slices}) as rows:
            values = {name: rows[("by", name)] for name in rules}
            labels, weights = rows["labels"], rows.get("weights")
            scores = {name: rows[("model", name)] for name in scores}
    columns = {"labels": validation.as_column(labels, "labels")}
    if weights is not None:
        columns["weights"] = validation.as_column(weights, "weights")
    by_model = {name: validation.as_column(column, "scores") for name, column in scores.items()}
    keys = {name: validation.as_column(column, "by") for name, column in values.items()}
    length = len(columns["labels"])
    checked = [*columns.items(), *(("scores", c) for c in by_model.values()), *(("by", c) for c in keys.values())]
    for name, column in checked:
        validation.check_length(column, length, name)
    present = find_rows_with_slice(keys, missing)
    left_out = length - len(present)
    codes, names = cross_slices([code_slices(name, column[present], rules[name]) for name, column in keys.items()])
    check_slice_count(len(names))
    how: dict[str, Any] = {"missing": missing, "higher_is_positive": higher_is_positive}

    def compare_rows(rows: Array, positive: Any, threshold: Any) -> Comparison:
        own_scores = {name: column[rows] for name, column in by_model.items()}
        weights = columns["weights"][rows] if "weights" in columns else None
        return compare(columns["labels"][rows], own_scores, weights, positive=positive, threshold=threshold, **how)

    overall = compare_rows(present, positive, threshold)
    label = next(iter(overall.values())).ranking.positive
    cuts = {name: ev.threshold for name, ev in overall.items()}
    parts = {name: compare_rows(present[codes == i], label, cuts) for i, name in enumerate(names)}
    return SliceComparison(overall, parts, " and ".join(rules), left_out)


@public
@dataclass(frozen=True, eq=False, repr=False)
class SliceComparison(Summarized, NamedParts[Any, Comparison]):
    """Models on the same cases, slice by slice: a mapping of the comparison in each slice."""

    overall: Comparison
    slices: Mapping[Any, Comparison]
    by: str
    left_out: int = 0

    @property
    def _parts(self) -> Mapping[Any, Comparison]:
        return self.slices

    @property
    def _kind(self) -> str:
        return f"slice by {self.by}"

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        reference: str | None = None,
        level: float = LEVEL,
        resamples: int | None = None,
        seed: int = 0,
    ) -> SliceComparisonSummary:
        """Return the differences between the models in each slice, with intervals and tests.

        Args:
            measures: As in `Comparison.summary`; a measure for each question when None.
            reference: The model that the others are compared with; the second of two, and the leader of more, if None.
            level: The level of intervals and tests.
            resamples: How many resamples are drawn where there is no formula.
            seed: The seed of the resamples.
        """
        check_level(level)
        ranking = next(iter(self.overall.values())).ranking
        usual = [name for name in _USUAL if MEASURES[name].fits(ranking)]
        how: dict[str, Any] = {"of_models": (), "level": level, "resamples": resamples, "seed": seed}
        chosen = usual if measures is None else measures
        whole = self.overall.summary(chosen, **how)
        names = list(self.overall)
        if reference is None:
            reference = names[1] if len(names) == 2 else whole.reference
        check_choice(reference, "reference", tuple(names))
        by_slice = {key: part.summary(chosen, **how).rows for key, part in self.items()}
        rows: list[SliceDifference] = []
        for overall_row in whole.rows:
            if reference not in (overall_row.a, overall_row.b):
                continue
            both = {overall_row.a, overall_row.b}
            own = {
                key: _turn_to_reference(row, reference)
                for key, of_slice in by_slice.items()
                for row in of_slice
                if row.key == overall_row.key and {row.a, row.b} == both
            }
            tested = {key: row.p_value for key, row in own.items() if self._is_tested(key)}
            corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
            rows += [
                SliceDifference(key, row, self._count_cases(key), corrected.get(key, math.nan))
                for key, row in own.items()
            ]
        overall_rows = tuple(_turn_to_reference(row, reference) for row in whole.rows if reference in (row.a, row.b))
        return SliceComparisonSummary(self.by, tuple(rows), overall_rows, level, self._list_notes())

    def _count_cases(self, key: Any) -> tuple[float, float]:
        ranking = next(iter(self[key].values())).ranking
        return ranking.total.item(), ranking.positives.item()

    def _is_tested(self, key: Any) -> bool:
        return count_rarer_class(next(iter(self[key].values())).ranking) >= FEWEST

    def _list_notes(self) -> tuple[Note, ...]:
        few = [key for key in self if not self._is_tested(key)]
        notes = []
        if few:
            notes.append(
                f"{format_count(len(few), 'slice')} with fewer than {FEWEST} cases of a class: shown, not tested."
            )
        if self.left_out:
            notes.append(f"{format_count(self.left_out, 'row')} without {self.by} left out.")
        return tuple(Note("slices", text) for text in notes)


def _turn_to_reference(row: DifferenceRow, reference: str) -> DifferenceRow:
    """Return the difference of a model from the reference."""
    return row if row.b == reference else row.swap_models()


@dataclass(frozen=True, eq=False)
class SliceDifference(ComparedByFields):
    """The difference of two models in one measure and one slice, with its p-value after Holm's correction."""

    slice: Any
    row: DifferenceRow
    counts: tuple[float, float]
    p_holm: float

    def is_significant(self, level: float) -> bool:
        """Whether the corrected test says that the models differ."""
        return self.p_holm <= 1 - level

    def better(self, level: float) -> str:
        """Return the significantly better model in this slice; empty if there is none."""
        if self.row.measure.better is None or not self.is_significant(level):
            return ""
        return self.row.a if (self.row.value > 0) == (self.row.measure.better == "higher") else self.row.b

    @property
    def name(self) -> str:
        """Return the label of the slice."""
        return format_slice(self.slice)

    def to_cells(self) -> tuple[Any, ...]:
        """Return the columns of the table."""
        row = self.row
        low, high = row.interval or (math.nan, math.nan)
        values = (row.a, row.b, row.value_a, row.value_b, row.value, low, high, row.p_value, self.p_holm)
        return (row.name, self.name, *self.counts, *values)


@dataclass(frozen=True, eq=False, repr=False)
class SliceComparisonSummary(Tabulated):
    """Where one model is better or worse than another: a verdict, and a row for each measure, pair and slice."""

    by: str
    rows: tuple[SliceDifference, ...]
    overall: tuple[DifferenceRow, ...]
    level: float
    notes: tuple[Note, ...] = ()

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Return a sentence for each measure and pair: where each model is better, whether differences vary."""
        return tuple(self._describe(row, self.of(row)) for row in self.overall)

    def of(self, overall: DifferenceRow) -> list[SliceDifference]:
        """Return the slices of a measure and pair of models.

        Args:
            overall: The row of all cases.
        """
        return [
            difference for difference in self.rows if (difference.row.key, difference.row.a) == (overall.key, overall.a)
        ]

    def heterogeneity(self, overall: DifferenceRow) -> float:
        """Return the p-value of Cochran's Q: whether the difference varies between slices by more than chance.

        Args:
            overall: The row of all cases.
        """
        known = [
            difference.row
            for difference in self.of(overall)
            if difference.row.interval is not None and not math.isnan(difference.p_holm)
        ]
        values = np.array([row.value for row in known])
        errors = np.array([(row.estimate.high - row.estimate.low) / 2 / quantile(self.level) for row in known])
        if len(known) < 2 or not (errors > 0).all():
            return math.nan
        return run_cochran_test(values, errors**2).p_value

    def _describe(self, overall: DifferenceRow, own: Sequence[SliceDifference]) -> str:
        goal = next(goal for goal in GOALS.values() if overall.measure.family in goal.families)
        title, tested = (
            lower_title(overall.title),
            [difference for difference in own if not math.isnan(difference.p_holm)],
        )
        if not tested:
            return f"{goal.words}, no slice has enough cases to compare {overall.a} and {overall.b} in {title}."
        parts = []
        for model, other in ((overall.a, overall.b), (overall.b, overall.a)):
            ahead = sorted(
                (difference for difference in tested if difference.better(self.level) == model),
                key=lambda difference: difference.p_holm,
            )
            if ahead:
                texts = [
                    f"{difference.name} ({title} by {format_value(abs(difference.row.value))}, p "
                    f"{format_p(difference.p_holm)})"
                    for difference in ahead[:_MOST_NAMED]
                ]
                more = [format_count(len(ahead) - _MOST_NAMED, "other slice")] if len(ahead) > _MOST_NAMED else []
                parts.append(f"{model} is better than {other} in {join_with_and([*texts, *more])}")
        rest = sum(not difference.is_significant(self.level) for difference in tested)
        varies = self.heterogeneity(overall)
        tail = f"; the difference varies between slices (p {format_p(varies)})" if varies <= 1 - self.level else ""
        if not parts:
            smallest = min(difference.p_holm for difference in tested)
            return (
                f"{goal.words}, {overall.a} and {overall.b} differ significantly in none of "
                f"{format_count(rest, 'slice')}: "
                f"{title}, smallest p {format_p(smallest)} after Holm's correction{tail}."
            )
        if rest:
            parts.append(f"no significant difference in {format_count(rest, 'other slice')}")
        return f"{goal.words}, {'; '.join(parts)}{tail}."

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        rows = tuple(difference.to_cells() for difference in self.rows)
        return Table(COLUMNS, rows, title=f"Differences between models by {self.by}", above=self.statements)

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "schema": "cutline/slice-comparison/1",
            "by": self.by,
            "level": self.level,
            "verdict": list(self.statements),
            "overall": [
                {
                    "measure": row.name,
                    "a": row.a,
                    "b": row.b,
                    "difference": to_json_value(row.value),
                    "low": to_json_value(row.estimate.low),
                    "high": to_json_value(row.estimate.high),
                    "p_value": to_json_value(row.p_value),
                    "heterogeneity": to_json_value(self.heterogeneity(row)),
                }
                for row in self.overall
            ],
            "slices": self.to_dict(),
            "notes": [note.text for note in self.notes],
        }
