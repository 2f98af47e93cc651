"""evaluate(by=...): the evaluation of each slice of the cases, such as each site, and who is served worse.

All slices have one cut and one kind of score, decided on all cases. A slice is a ranking, and its rest is the merge of
the others, so that every measure can be compared between slices.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import Argument, InputError, ParameterError, PositionError, Text
from cutline.core.escaping import html_text
from cutline.core.merging import merge
from cutline.core.messages import capitalise, join_with_and
from cutline.core.public import public
from cutline.core.table import Table, format_value, to_json_value
from cutline.core.validation import LEVEL, check_choice, check_level, check_whole
from cutline.evaluation import Evaluation
from cutline.inference import simultaneous
from cutline.inference.resampling.samplers import GroupSampler, make_sampler
from cutline.inference.simultaneous import sidak_level
from cutline.inference.slice_auc import PERMUTATIONS
from cutline.inputs import column_source
from cutline.inputs.out_of_core import RankedSlices, RankingOptions
from cutline.inputs.rank import rank_parts, rank_slices, select_complete_cases
from cutline.inputs.slicing import (
    check_slice_count,
    code_slices,
    cross_slices,
    find_rows_with_slice,
    format_slice,
    list_slice_columns,
    list_slice_rules,
    look_up_slices,
)
from cutline.measures import Measure
from cutline.results.base import NamedParts, Summarized
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import Named, list_headlines
from cutline.results.method_titles import format_method
from cutline.results.notes import Note
from cutline.results.summary import Summary
from cutline.slices.differences import SliceMeasure, TestOptions, count_rarer_class
from cutline.slices.fairness import Fairness, estimate_fairness
from cutline.slices.results import FEWEST, AgainstRest, PooledSlices
from cutline.slices.simultaneous_intervals import describe_simultaneous_intervals, with_simultaneous_methods

if TYPE_CHECKING:
    from pathlib import Path

    from cutline.charts import Picture

OVERALL = "(all cases)"
COLUMNS = ("measure", "value", "low", "high", "method", "reason", "note", "at_least", "at_most")
ADJUST = ("auto", "westfall_young", "holm", "bh", "none")
ALTERNATIVES = ("two-sided", "worse", "better")


@public
@dataclass(frozen=True, eq=False)
class Slices(Summarized, NamedParts[Any, Evaluation]):
    """The evaluations of slices: parts of the cases with the same value of a column, such as the site."""

    evaluations: Mapping[Any, Evaluation]
    by: str
    overall: Any = field(default=None)  # the Evaluation of all cases
    columns: tuple[str, ...] = ()
    left_out: int = 0  # rows without a slice
    few: int = 0  # slices that were left out because they have fewer cases than `least`
    least: int = 0
    incomplete: tuple[Any, ...] = ()  # slices without a complete row, which are left out
    group_codes: Mapping[Any, Array] | None = None  # of each slice: the numbers that its groups have among all groups

    def __post_init__(self) -> None:
        if self.overall is None:
            first = next(iter(self.evaluations.values()))
            merged = merge(ev.ranking for ev in self.evaluations.values())
            how: dict[str, Any] = {} if first.cut.is_default else first.cut.parameters
            object.__setattr__(self, "overall", Evaluation(merged, name=first.name, **how))
        if not self.columns:
            object.__setattr__(self, "columns", (self.by,))

    @property
    def _parts(self) -> Mapping[Any, Evaluation]:
        return self.evaluations

    @property
    def _kind(self) -> str:
        return f"slice by {self.by}"

    @property
    def together(self) -> Evaluation:
        """Return the evaluation of all slices together, which is `overall`.

        A quota is filled in each slice, so all slices together have none: `quota_by` evaluates it.
        """
        if not self.has_total:
            raise ParameterError(
                "The quota is filled in each slice, so that all slices together have no cut",
                Text("pass ", Argument("quota_by"), " instead of ", Argument("by"), " to pool them"),
            )
        whole: Evaluation = self.overall
        return whole

    @property
    def has_total(self) -> bool:
        """Whether all slices together have one cut: a quota is filled in each slice."""
        return not next(iter(self.values())).cut.by_quota

    def title(self, key: Any) -> str:
        """Return the name of a slice, such as "site 07"; of crossed slices with all columns."""
        values = key if isinstance(key, tuple) and len(self.columns) > 1 else (key,)
        return ", ".join(
            str(value) if str(value).casefold().startswith(name.casefold()) else f"{name} {value}"  # "Site 07" of site
            for name, value in zip(self.columns, values, strict=True)
        )

    def label(self, key: Any) -> str:
        """Return the values of a slice as one text."""
        return format_slice(key)

    @property
    def has_common_cut(self) -> bool:
        """Whether all slices are cut at one threshold."""
        return len({ev.threshold for ev in self.values()}) == 1

    @property
    def cut_words(self) -> str:
        """Return the cut of the slices as text, such as "score >= 0.5"; a quota is filled in each slice."""
        cut, ranking = self.overall.cut, self.overall.ranking
        if not self.has_total:
            return f"{cut.describe_places(ranking)} of each slice"
        if not self.has_common_cut:
            return f"score {'>=' if ranking.higher_is_positive else '<='} the threshold of the slice"
        words: str = cut.describe(ranking)
        return words

    # ------------------------------------------------------------------ tables

    def summaries(
        self, measures: Iterable[Named] | Named | None = None, *, simultaneous: bool = False, **options: Any
    ) -> dict[Any, Summary]:
        """Return the summary of all cases, unless a quota is filled in each slice, and of each slice, by key.

        Args:
            measures: Which ones, as in `Evaluation.summary`; the headlines when None.
            simultaneous: Whether the intervals of one measure hold for all slices together.
            options: What `Evaluation.summary` takes, such as `level` or `resamples`.
        """
        chosen = list_headlines(self.overall.cut) if measures is None else measures
        own = dict(options)
        if validation.check_flag(simultaneous, "simultaneous"):
            own["level"] = sidak_level(check_level(options.get("level", LEVEL)), len(self))
        summaries = {key: ev.summary(chosen, **own) for key, ev in self.items()}
        if simultaneous:
            summaries = {key: with_simultaneous_methods(summary, self[key]) for key, summary in summaries.items()}
        return {OVERALL: self.overall.summary(chosen, **options), **summaries} if self.has_total else summaries

    def summary(
        self, measures: Iterable[Named] | Named | None = None, *, simultaneous: bool = False, **options: Any
    ) -> Table:
        """Return one table: a row for each measure of all cases and of each slice.

        Args:
            measures: Which ones, as in `Evaluation.summary`; the headlines when None.
            simultaneous: Whether the intervals of one measure hold for all slices together (Sidak); otherwise each
                holds by itself.
            options: What `Evaluation.summary` takes, such as `level` or `resamples`.
        """
        table = tabulate_slices(self.by, self.summaries(measures, simultaneous=simultaneous, **options))
        if not simultaneous:
            return table
        level = check_level(options.get("level", LEVEL))
        return replace(table, below=(describe_simultaneous_intervals(level, len(self)),))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on all cases, and on slices that cannot be compared."""
        notes = list(self.overall.data_notes)
        if self.left_out:
            notes.append(Note("slices", f"{validation.format_count(self.left_out, 'row')} without {self.by} left out."))
        if self.incomplete:
            notes.append(Note("slices", f"{self._write_subject(list(self.incomplete))} no complete row: left out."))
        if self.few:
            text = f"{validation.format_count(self.few, 'slice')} with fewer than {self.least} cases left out."
            notes.append(Note("slices", text))
        one_class = [key for key, ev in self.items() if not ev.ranking.positives or not ev.ranking.negatives]
        if one_class:
            notes.append(
                Note("slices", f"{self._write_subject(one_class)} only one class, so that the AUC is undefined.")
            )
        few = [key for key, ev in self.items() if key not in one_class and count_rarer_class(ev.ranking) < FEWEST]
        if few:
            text = f"{self._write_subject(few)} fewer than {FEWEST} cases of a class: shown, but not tested."
            notes.append(Note("slices", text))
        if not self.has_common_cut:
            notes.append(Note("slices", "Each slice has its own threshold."))
        return tuple(notes)

    def _write_subject(self, keys: list[Any]) -> str:
        """Write slices, or their number if there are many, with "has" or "have"."""
        if len(keys) > 3:
            return f"{len(keys)} slices have"
        named = join_with_and([self.title(key) for key in keys])
        is_said = named.casefold().startswith("slice")  # as slices without a column are called
        start = capitalise(named) if is_said else f"{'Slice' if len(keys) == 1 else 'Slices'} {named}"
        return f"{start} {'has' if len(keys) == 1 else 'have'}"

    # ------------------------------------------------------------------ comparisons

    def against_rest(
        self,
        measure: str | Measure = "auc",
        *,
        adjust: str = "auto",
        alternative: str = "two-sided",
        margin: float = 0.0,
        level: float = LEVEL,
        permutations: int = PERMUTATIONS,
        seed: int = 0,
        **parameters: Any,
    ) -> AgainstRest:
        """Compare each slice with all other cases, adjusted for the number of slices.

        Args:
            measure: The measure.
            adjust: "auto" permutes the slices for the AUC of up to 200,000 cases ("westfall_young") and is "holm"
                otherwise. "holm" controls any false alarm, "bh" the share of false alarms; "none" adjusts nothing.
            alternative: "two-sided", or whether the slice is "worse" or "better".
            margin: By how much more than this a slice must be worse, or better; not for "two-sided".
            level: The simultaneous level of the intervals; one minus it is the level of the tests.
            permutations: How often the slices are permuted.
            seed: The seed of the permutations.
            parameters: Parameters of the measure.
        """
        check_choice(adjust, "adjust", ADJUST)
        check_choice(alternative, "alternative", ALTERNATIVES)
        level, margin = check_level(level), validation.check_number(margin, "margin")
        if margin < 0 or (margin and alternative == "two-sided"):
            remedy = Text("pass a margin from 0, and 'worse' or 'better' as ", Argument("alternative"))
            raise ParameterError(f"is {margin:g}", remedy, argument="margin")
        self._check_several()
        measured = SliceMeasure.of(self, measure, parameters)
        better = measured.measure.better
        if alternative != "two-sided" and better is None:
            raise ParameterError(f"{measured.measure.name} has no better direction", "pass 'two-sided'")
        side = alternative
        if alternative != "two-sided":
            side = "less" if (alternative == "worse") == (better == "higher") else "greater"
        shift = margin if side == "greater" else -margin
        options = TestOptions(side, shift, level, adjust, check_whole(permutations, "permutations", 1), seed)
        tests = measured.test_against_rest(options)
        how = (level, alternative, margin, tests.method, tests.adjust)
        is_one = tests.is_one_comparison
        floor = (2 if side == "two-sided" else 1) / (1 + options.permutations)
        return AgainstRest(
            self,
            measured.measure,
            *how,
            tests.rows,
            is_one_comparison=is_one,
            parameters=measured.parameters,
            p_floor=floor if tests.adjust == "westfall_young" else 0.0,
        )

    def gap(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> Estimate:
        """Estimate the largest difference between any two slices, with an interval that holds for all pairs at once.

        Args:
            measure: The measure.
            level: The level of the interval.
            parameters: Parameters of the measure.
        """
        self._check_several()
        measured, level = SliceMeasure.of(self, measure, parameters), check_level(level)
        return measured.estimate_gap(measured.compare_pairs(level), level)

    def pairs(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> Table:
        """Compare all pairs of slices, with intervals that hold together (Tukey-Kramer).

        Args:
            measure: The measure.
            level: The level of the intervals.
            parameters: Parameters of the measure.
        """
        self._check_several()
        measured, level = SliceMeasure.of(self, measure, parameters), check_level(level)
        pairs = measured.compare_pairs(level)
        names = [self.label(key) for key in measured.keys]
        rows = [
            (names[i], names[j], float(d), float(low), float(high), "differ" if low > 0 or high < 0 else "")
            for i, j, d, low, high in zip(*pairs, strict=True)
        ]
        title = f"{measured.measure}: first minus second"
        below = (
            f"All intervals hold together with {100 * level:g} % probability ({format_method(measured.pair_method)}).",
        )
        return Table(("first", "second", "difference", "low", "high", "verdict"), tuple(rows), title, below=below)

    def pooled(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> PooledSlices:
        """Pull the slices towards their common mean, each by how uncertain it is; and test whether all are equal.

        Args:
            measure: The measure.
            level: The level of the intervals.
            parameters: Parameters of the measure.
        """
        self._check_several()
        measured, level = SliceMeasure.of(self, measure, parameters), check_level(level)
        measured.check_two()
        values, variances, back = measured.transform_to_normal_scale()
        known = np.isfinite(values) & np.isfinite(variances) & (variances > 0)
        if known.sum() < 2:
            raise InputError(
                f"Fewer than two slices have a standard error of {measured.measure.name}", "pass another measure"
            )
        keys = [key for key, is_known in zip(measured.keys, known, strict=True) if is_known]
        pooled = simultaneous.pool_partially(values[known], variances[known])
        limits = simultaneous.morris_limits(pooled, level)
        equality = simultaneous.run_cochran_test(values[known], variances[known])
        rows = [
            (
                self.label(key),
                float(raw),
                float(back(v)),
                to_json_value(float(back(low))),
                to_json_value(float(back(high))),
                float(pull),
            )
            for key, raw, v, low, high, pull in zip(
                keys, measured.values[known], pooled.values, *limits, pooled.pull, strict=True
            )
        ]
        return PooledSlices(measured.measure, level, float(back(pooled.mean)), pooled, equality, tuple(rows))

    def fairness(self, *, cut: float | None = None, level: float = LEVEL) -> Fairness:
        """Estimate the criteria of group fairness at the cut: gaps of rates, their ratio, calibration and AUC.

        Args:
            cut: Another threshold than that of the slices.
            level: The level of the intervals; each criterion's interval holds by itself.
        """
        self._check_several()
        level = check_level(level)
        slices = self if cut is None else self.with_threshold(cut)
        return estimate_fairness(slices, level)

    def with_threshold(self, threshold: float) -> Slices:
        """Return the same slices at another cut.

        Args:
            threshold: The score from which on a case is predicted positive.
        """
        moved = {key: ev.with_cut(threshold=threshold) for key, ev in self.items()}
        return replace(self, evaluations=moved, overall=self.overall.with_cut(threshold=threshold))

    def with_least(self, least: int) -> Slices:
        """Return the slices with enough cases that no value can be traced to a few people.

        Args:
            least: The smallest number of cases.
        """
        least = check_whole(least, "least", 0)
        large = {key: ev for key, ev in self.items() if ev.ranking.total >= least}
        if not large:
            raise InputError(f"No slice by {self.by} has {least} cases", Text("pass a smaller ", Argument("least")))
        codes = None if self.group_codes is None else {key: self.group_codes[key] for key in large}
        few = self.few + len(self) - len(large)
        return replace(self, evaluations=large, few=few, least=least, group_codes=codes)

    def verdict(self, measure: str | Measure = "auc", **options: Any) -> str:
        """Return who is served worse, in a sentence.

        Args:
            measure: The measure.
            options: What `against_rest` takes.
        """
        return self.against_rest(measure, **options).verdict

    def verdict_at_cut(self, *, level: float = LEVEL) -> str:
        """Return in which error rates the slices differ at their cut, in a sentence; empty where no gap is shown.

        Args:
            level: The level of the gaps' intervals, which hold for all pairs of slices at once.
        """
        parts = []
        for name in ("recall", "specificity"):
            values = {key: ev.value(name) for key, ev in self.items()}
            known = {key: value for key, value in values.items() if not math.isnan(value)}
            if len(known) == len(values) > 1 and self.gap(name, level=level).low > 0:
                low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
                ends = [f"{format_value(known[key])} ({self.label(key)})" for key in (low, high)]
                parts.append(f"{name} runs from {' to '.join(ends)}")
        return f"At the cut, {', and '.join(parts)}." if parts else ""

    def _check_several(self) -> None:
        if len(self) < 2:
            raise InputError(
                f"makes one slice, {self.title(next(iter(self)))}, and there is no rest to compare it with",
                "pass a column with several values",
                argument="by",
            )

    # ------------------------------------------------------------------ views

    def chart(self, name: str = "slices", **parameters: Any) -> Picture:
        """Draw a chart: "slices" is the forest plot of a measure; "roc" and others show each slice as a model.

        Args:
            name: The name of the chart.
            parameters: Parameters of the chart; for "slices" `measure` and what `against_rest` takes.
        """
        if validation.check_text(name, "name", "slices") == "slices":
            from cutline.charts.forest import draw_slice_forest

            drawing = {key: parameters.pop(key) for key in ("theme", "title", "width") if key in parameters}
            return draw_slice_forest(self.against_rest(**parameters).forest, **drawing)
        from cutline.charts import chart

        picture: Picture = chart(name, {self.label(key): ev for key, ev in self.items()}, **parameters)
        return picture

    def to_dict(self, measures: Iterable[Named] | Named | None = None, **options: Any) -> dict[str, Any]:
        """Return all that is known, ready for JSON.

        Args:
            measures: Which measures; the headlines when None.
            options: What `summary()` takes.
        """
        return build_document(self, self.summaries(measures, **options))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        measure: str | Measure = "auc",
        least: int = 5,
        overwrite: bool = False,
        **options: Any,
    ) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the forest plot (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            measure: The measure by which slices are compared.
            least: The values of slices with fewer cases are left out.
            overwrite: Whether a file that exists is replaced; refused otherwise.
            options: What `against_rest` takes, such as `level`.
        """
        target: Path = import_module("cutline.report.slice_page").save(
            self, path, measure=measure, least=check_whole(least, "least", 0), overwrite=overwrite, **options
        )
        return target

    @property
    def _table(self) -> Table:
        """Return the headlines of all cases and of each slice as a table."""
        chosen = list_headlines()
        rows = []
        total = {OVERALL: self.overall} if self.has_total else {}
        for value, ev in {**total, **self.evaluations}.items():
            r = ev.ranking
            fitting = [ev.value(m) if m.fits(r) else None for m in chosen]
            rows.append((self.label(value), r.total.item(), r.positives.item(), *fitting))
        return Table((self.by, "cases", "positives", *(m.name for m in chosen)), tuple(rows))

    def __repr__(self) -> str:
        more = "more: .summary(), .against_rest(), .gap(), .fairness(), .chart('slices')"
        return f"{validation.format_count(len(self), 'slice')} by {self.by}\n{self._table!r}\n{more}"

    def _repr_html_(self) -> str:
        head = f"{validation.format_count(len(self), 'slice')} by {self.by}"
        return f"<p>{html_text(head)}</p>{self._table._repr_html_()}"


def build_document(slices: Slices, summaries: Mapping[Any, Summary]) -> dict[str, Any]:
    """Return the finished summaries of slices, ready for JSON."""
    parts = [
        {"slice": _convert_key(key), "evaluation": summary.document()}
        for key, summary in summaries.items()
        if key is not OVERALL
    ]
    return {
        "schema": "cutline/slices/1",
        "by": slices.by,
        "overall": summaries[OVERALL].document() if OVERALL in summaries else None,
        "slices": parts,
        "notes": [note.to_dict() for note in slices.notes],
    }


def _convert_key(key: Any) -> Any:
    """Convert a key to JSON: dates to text, tuples to lists."""
    if isinstance(key, tuple):
        return [_convert_key(part) for part in key]
    return key if isinstance(key, bool | int | float | str) else str(key)


def tabulate_slices(by: str, summaries: Mapping[Any, Summary]) -> Table:
    """Return the numbers of all slices, a row for each slice and measure."""
    rows: list[tuple[Any, ...]] = []
    for value, summary in summaries.items():
        name = format_slice(value) if isinstance(value, tuple) else value
        facts = (name, summary.data.cases, summary.data.positives)
        rows += [(*facts, *(row[column] for column in COLUMNS)) for row in summary]
    return Table((by, "cases", "positives", *COLUMNS), tuple(rows), hidden=("method", "note"))


# ---------------------------------------------------------------------- from rows to slices


def evaluate_slices(
    labels: Any,
    scores: Any,
    weights: Any,
    by: Any,
    *,
    data: Any,
    how: Mapping[str, Any],
    cut: Mapping[str, Any],
    groups: Any = None,
) -> Slices:
    """Evaluate each slice; `by` holds the value of each case, or with `data` names the columns that do.

    Args:
        labels: As in `evaluate`.
        scores: As in `evaluate`.
        weights: As in `evaluate`.
        by: The values; a mapping of names to values, which are crossed; or with `data` the names of columns, in a
            mapping with the ranges that make slices of each.
        data: As in `evaluate`.
        how: The options of `evaluate` for reading the columns.
        cut: The options of the cut; a mapping as threshold gives each slice its own.
        groups: As in `evaluate`; a group may have cases in several slices.
    """
    if data is None:
        values = list_slice_columns(by)
        columns = {"labels": labels, "scores": scores, "weights": weights, "groups": groups}
        rows = {key: value for key, value in columns.items() if value is not None}
        return _evaluate_rows(rows, values, dict.fromkeys(values), how, cut)
    rules = list_slice_rules(by)
    cases = column_source.request_columns(labels, scores, weights, groups, positive=how.get("positive"))
    source = column_source.open_source(data, memory=how.get("memory"))
    more = {_name_request(i): column_source.Request("groups", name) for i, name in enumerate(rules)}
    column_source.check_columns(source, {**cases, **more})
    if groups is None and isinstance(source, column_source.SliceableSource):
        aggregated = _evaluate_aggregated(source, cases, rules, how, cut)
        if aggregated is not None:
            return aggregated
    with column_source.read_rows(source, {**cases, **more}, any_order=True) as rows:
        values = {name: rows.pop(_name_request(i)) for i, name in enumerate(rules)}
        return _evaluate_rows(rows, values, rules, how, cut, column_source.join_notes(source, cases))


def _evaluate_aggregated(
    source: column_source.SliceableSource,
    cases: dict[Any, Any],
    rules: Mapping[str, Any],
    how: Mapping[str, Any],
    cut: Mapping[str, Any],
) -> Slices | None:
    """Evaluate the slices of a file or remote frame by aggregation; None if its rows must be read."""
    threshold = cut.get("threshold")
    options = RankingOptions(**{name: how[name] for name in RankingOptions._fields if name in how})
    options = options._replace(threshold=None if isinstance(threshold, Mapping) else threshold)
    try:
        slices = look_up_slices(source, rules, str(how.get("missing")))
        ranked = rank_slices(source, cases, slices.table, options)
    except PositionError:
        return None  # reading the rows finds the position of the error
    if ranked is None:
        return None
    return _build_slices(
        slices.keys, ranked, list(rules), cut, slices.left_out, column_source.join_notes(source, cases)
    )


def _name_request(number: int) -> str:
    return "by" if not number else f"by{number}"


def _build_slices(
    keys: Sequence[Any],
    ranked: RankedSlices,
    columns: Iterable[str],
    cut: Mapping[str, Any],
    left_out: int,
    read_as: str = "",
) -> Slices:
    """Evaluate the slices at one cut and as one kind of score, decided on all cases.

    Args:
        keys: The slices.
        ranked: Their rankings.
        columns: The columns that make them.
        cut: Where to cut.
        left_out: How many rows have no slice.
        read_as: A note on how the columns of a file were read, if needed.
    """
    options = dict(cut)
    own = options.pop("threshold", None)
    by_key = dict(zip(keys, ranked.rankings, strict=True))
    rankings = {key: ranking for key, ranking in by_key.items() if ranking is not None}
    merged = ranked.overall
    if merged is None:
        merged = replace(merge(rankings.values()), dropped=ranked.dropped)
    if read_as:
        merged = replace(merged, read_as=read_as)
    if not merged.are_probabilities:
        rankings = {key: replace(r, are_scores=True) if r.are_probabilities else r for key, r in rankings.items()}
    if isinstance(own, Mapping):
        lacking = [key for key in rankings if key not in own]
        if lacking:
            raise ParameterError(
                f"has no value for the slice {lacking[0]!r}", "pass one for each slice", argument="threshold"
            )
        overall = Evaluation(merged, **options)
        thresholds = {key: validation.check_number(own[key], "threshold") for key in rankings}
    else:
        overall = Evaluation(merged, threshold=own, **options)
        thresholds = dict.fromkeys(rankings, overall.threshold)
    filled = {name: options.get(name) for name in ("quota", "share")}
    has_quota = any(value is not None for value in filled.values())  # which is filled in each slice
    evaluations = {
        key: Evaluation(ranking, name=options.get("name"), **(filled if has_quota else {"threshold": thresholds[key]}))
        for key, ranking in rankings.items()
    }
    incomplete = tuple(key for key, ranking in by_key.items() if ranking is None)
    return Slices(evaluations, " and ".join(columns), overall, tuple(columns), left_out=left_out, incomplete=incomplete)


def _evaluate_rows(
    rows: Mapping[str, Any],
    values: Mapping[str, Any],
    rules: Mapping[str, Any],
    how: Mapping[str, Any],
    cut: Mapping[str, Any],
    read_as: str = "",
) -> Slices:
    """Evaluate the slices of rows in memory, each slice with its groups if there are groups.

    Args:
        rows: The columns of labels and scores, and of weights and groups if there are any.
        values: The columns that make slices.
        rules: The rule of each of them, as in `code_slices`.
        how: How the columns are read.
        cut: Where to cut.
        read_as: A note on how the columns of a file were read, if needed.
    """
    validation.check_one_order({**rows, **values})
    columns, keys, left_out = _drop_rows_without_slice(rows, values, str(how.get("missing")))
    codes, names = cross_slices([code_slices(name, column, rules[name]) for name, column in keys.items()])
    check_slice_count(len(names))
    reading = {key: how[key] for key in ("positive", "missing", "weights_are") if key in how}
    weights, direction = columns.get("weights"), how.get("higher_is_positive", True)
    cases = select_complete_cases(columns["labels"], columns["scores"], weights, **reading)
    ranked = rank_parts(cases, codes, len(names), weights, direction)
    slices = _build_slices(names, ranked, list(values), cut, left_out, read_as)
    if "groups" not in columns:
        return slices
    whole = make_sampler(slices.overall.ranking, cases, columns["groups"], None, how.get("weights_are"))
    codes = codes[cases.position]
    samplers, group_codes = {}, {}
    for number, name in enumerate(names):
        if name not in slices:
            continue
        own = np.flatnonzero(codes == number)
        part = cases.subset(own)
        group_codes[name], group = np.unique(whole.group[own], return_inverse=True)
        samplers[name] = GroupSampler.of(slices[name].ranking, part.is_positive, part.scores, part.weights, group)
    return replace(
        slices,
        evaluations={key: _add_sampler(ev, samplers[key]) for key, ev in slices.items()},
        overall=_add_sampler(slices.overall, whole),
        group_codes=group_codes,
    )


def _drop_rows_without_slice(
    rows: Mapping[str, Any], values: Mapping[str, Any], missing: str
) -> tuple[dict[str, Array], dict[str, Array], int]:
    """Return the data columns and the slice columns without rows that have no slice, and the number of these rows."""
    columns = {key: validation.as_column(value, key) for key, value in rows.items()}
    keys = {name: validation.as_column(column, "by") for name, column in values.items()}
    for name, column in (*columns.items(), *(("by", column) for column in keys.values())):
        validation.check_length(column, len(columns["labels"]), name)
    rows_given, present = len(columns["labels"]), find_rows_with_slice(keys, missing)
    if len(present) < rows_given:
        keys = {name: column[present] for name, column in keys.items()}
        columns = {key: column[present] for key, column in columns.items()}
    return columns, keys, rows_given - len(present)


def _add_sampler(ev: Evaluation, sampler: GroupSampler) -> Evaluation:
    """Add a sampler to an evaluation, so that its intervals resample whole groups."""
    cut = {"quota": ev.quota, "share": ev.share} if ev.cut.by_quota else {"threshold": ev.threshold}
    return Evaluation(ev.ranking, name=ev.name, groups=replace(sampler, ranking=ev.ranking), **cut)
