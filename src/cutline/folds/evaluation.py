"""evaluate(folds=...): out-of-fold predictions of a cross-validation, evaluated fold by fold.

The values of folds are averaged, because scores of different models are not on one scale. What is estimated is the
performance of the model fitted on all cases; the models of the folds saw fewer, so that the mean is a little
pessimistic.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import format_number
from cutline.core.errors import CutlineError, InputError, ParameterError
from cutline.core.merging import merge
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import Table, format_value, to_json_value
from cutline.core.validation import LEVEL, check_choice, check_level, format_count
from cutline.evaluation import Evaluation, MeasuredAtCut
from cutline.inference.folds import FoldMean, estimate_hidden_share, ledell, measure_scale_distance, nadeau_bengio
from cutline.inputs import column_source
from cutline.inputs.rank import Cases, Missing, select_complete_cases
from cutline.measures import MEASURES, Family, Measure
from cutline.measures.aliases import use_alias
from cutline.measures.forms import LinearInAuc, MeanOfCases, Proportion, ShareOfPairs, SumOfRates
from cutline.measures.registry import list_measures
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import Named, list_headlines, select_measures
from cutline.results.notes import Note
from cutline.results.summary import Data, Row, Summary, SummaryOptions

if TYPE_CHECKING:
    from cutline.charts import Picture

METHODS = ("auto", "nadeau_bengio", "ledell", "nested")
CHARTS = ("roc", "precision_recall", "reliability", "folds")
FEW_IN_FOLD = 30  # cases of a class, below which a measure that small samples bias is pooled within a repeat
FEW_CASES = 60  # of the rarer class: with fewer, some intervals covered less than 92.5 % in simulations


class OutOfFold(NamedTuple):
    """The cases of a cross-validation, with a row of scores and folds for each repeat."""

    positive: Array
    scores: Array
    folds: Array


class FoldValues(NamedTuple):
    """The values of a measure, and how they were made.

    `values` has one for each fold; where folds were pooled, the jackknife's pseudo-value of each fold.
    """

    value: float
    values: Array
    pooled: str = ""  # why the folds of a repeat were pooled
    slope: float = 0.0  # how much it grows with the share of positives, which stratified folds all have alike


@public
@dataclass(frozen=True, eq=False, repr=False)
class FoldEvaluation(MeasuredAtCut):
    """The evaluation of a cross-validation. Every measure is an attribute, by name or alias: its mean over the folds.

    `parts` holds the ranking of each fold (inner) of each repeat (outer); `cases` the cases one by one, where all
    repeats hold the same cases in the same order.
    """

    parts: tuple[tuple[Ranking, ...], ...] = field(repr=False)
    test_to_train: float
    threshold: Any = None
    name: str | None = None
    quota: float | None = None
    share: float | None = None
    cases: OutOfFold | None = field(default=None, repr=False)
    warnings: tuple[Note, ...] = ()
    total: int = 0  # cases that the final model is fitted on; those of a repeat when 0
    cut: CutPoint = field(init=False)

    # ------------------------------------------------------------------ the folds

    @property
    def folds(self) -> int:
        """Return the number of folds of one repeat."""
        return len(self.parts[0])

    @property
    def repeats(self) -> int:
        """Return how many times the cases were split into folds."""
        return len(self.parts)

    @cached_property
    def ranking(self) -> Ranking:  # type: ignore[override]
        """Ranking of the cases of the first repeat, for counts and measures of probabilities."""
        return merge(self.parts[0])

    @property
    def has_both_classes(self) -> bool:
        """Whether each fold has cases of both classes."""
        return self._smallest_class > 0

    @property
    def _all(self) -> list[Ranking]:
        return [ranking for repeat in self.parts for ranking in repeat]

    def fold(self, fold: int, repeat: int = 0) -> Evaluation:
        """Return the evaluation of one fold, numbered from 0.

        Args:
            fold: The number of the fold.
            repeat: The number of the repeat.
        """
        try:
            part = self.parts[operator.index(repeat)][operator.index(fold)]
        except (IndexError, TypeError):
            missing = f"There is no fold {fold!r} in repeat {repeat!r}"
            raise ParameterError(missing, f"pass numbers below {self.folds} and {self.repeats}") from None
        return Evaluation(part, self.threshold, self.name)

    def fold_table(self, measures: Iterable[Named] | Named | None = None) -> Table:
        """Return the values of each fold as a table, a row for each fold.

        Args:
            measures: Which ones, as in `summary`; the headlines when None.
        """
        chosen = select_measures(
            list_headlines(self.cut) if measures is None else measures, None, self.ranking, self.cut
        )
        fitting = [selected for selected in chosen if selected.measure.fits(self.ranking)]
        values = [
            self._measure_folds(selected.measure, selected.resolve_parameters(self.cut)).ravel().tolist()
            for selected in fitting
        ]
        facts = [
            (repeat + 1, fold + 1, part.total.item(), part.positives.item())
            for repeat, parts in enumerate(self.parts)
            for fold, part in enumerate(parts)
        ]
        names = [str(selected.measure) for selected in fitting]
        rows = tuple((*fact, *(own[i] for own in values)) for i, fact in enumerate(facts))
        return Table(("repeat", "fold", "cases", "positives", *names), rows, title=self.design)

    @property
    def design(self) -> str:
        """Return the number of folds and repeats as text."""
        times = f", repeated {self.repeats} times" if self.repeats > 1 else ""
        return f"{format_count(self.folds, 'fold')}{times}"

    # ------------------------------------------------------------------ one number

    def _measure_folds(self, measure: Measure, parameters: Mapping[str, Any]) -> Array:
        """Return the measure in each fold (columns) of each repeat (rows)."""
        return np.array([[self._measure_part(measure, part, parameters) for part in parts] for parts in self.parts])

    def _measure_part(self, measure: Measure, part: Ranking, parameters: Mapping[str, Any]) -> float:
        arguments = dict(parameters)
        bound = measure.bound.get("quota")
        if "quota" in arguments or bound is not None:  # of all cases: a fold has its part of it
            total = float(self.ranking.total)
            quota: Any = arguments.get("quota", bound)
            places = max(round(validation.check_amount(quota, "quota") * float(part.total) / total), 1)
            if bound is not None:
                measure = replace(measure, bound={**measure.bound, "quota": places})
            else:
                arguments["quota"] = places
        data, arguments = measure.prepare(part, arguments)
        return float(measure.compute(data, **arguments))

    def fold_values(self, measure: str | Measure, **parameters: Any) -> FoldValues:
        """Return the value of a measure and its values in the folds.

        A measure that small samples bias, such as the average precision, is pooled within each repeat where a fold has
        few cases of a class, unless the folds score on different scales.

        Args:
            measure: The measure, by name or alias.
            **parameters: Its parameters, and where it is cut.
        """
        chosen = use_alias(MEASURES[measure], measure)
        return self._compute_fold_values(chosen, self.cut.complete_parameters(chosen, parameters))

    def _compute_fold_values(self, measure: Measure, parameters: Mapping[str, Any]) -> FoldValues:
        self._check_classes(measure)
        values = self._measure_folds(measure, parameters)
        undefined = int(np.isnan(values).sum())
        why = ""
        if undefined:
            why = f"{measure.title} is undefined in {undefined} of {values.size} folds"
        elif not _is_unbiased(measure) and self._smallest_class < FEW_IN_FOLD and not self._scale_shift:
            why = (
                f"A fold has only {format_count(self._smallest_class, 'case')} of a class, too few for {measure.title}"
            )
        slope = self._estimate_prevalence_slope(measure, parameters)
        if not why:
            return FoldValues(float(values.mean()), values.ravel(), slope=slope)
        pooled = np.array([self._measure_part(measure, merge(parts), parameters) for parts in self.parts])
        without = np.array(
            [
                [self._measure_part(measure, merge(parts[:k] + parts[k + 1 :]), parameters) for k in range(len(parts))]
                for parts in self.parts
            ]
        )
        pseudo = self.folds * pooled[:, None] - (self.folds - 1) * without
        return FoldValues(float(pooled.mean()), pseudo.ravel(), why, slope)

    def _estimate_prevalence_slope(self, measure: Measure, parameters: Mapping[str, Any]) -> float:
        """Return the derivative of a measure by the prevalence; 0 if it depends on each class alone."""
        if _depends_on_single_classes(measure) or not self._hidden_share:
            return 0.0
        more, less = _reweight_classes(self.ranking, 11, 10), _reweight_classes(self.ranking, 10, 11)
        try:
            above, below = (self._measure_part(measure, part, parameters) for part in (more, less))
        except CutlineError:  # a quota that has no place
            return 0.0
        distance = float(more.positives / more.total - less.positives / less.total)
        return (above - below) / distance if math.isfinite(above) and math.isfinite(below) else 0.0

    @cached_property
    def _hidden_share(self) -> float:
        """Share of the variance of the prevalence that does not vary between folds."""
        positives, sizes = (
            np.array([float(getattr(part, name)) for part in self._all]) for name in ("positives", "total")
        )
        return estimate_hidden_share(positives, sizes)

    def compute_prevalence_variance(self, slope: float) -> float:
        """Return the variance of a value that comes from the share of positives and that the folds do not show.

        Args:
            slope: How much the value grows with the share of positives.
        """
        r = self.ranking
        share = float(r.positives / r.total)
        return validation.check_amount(slope, "slope") ** 2 * share * (1 - share) / float(r.total) * self._hidden_share

    @cached_property
    def _smallest_class(self) -> int:
        """Smallest number of cases of a class in a fold."""
        return int(min(min(part.positives, part.negatives) for part in self._all))

    def _check_classes(self, measure: Measure) -> None:
        """Raise for a rank measure if a fold has cases of one class only."""
        if self._smallest_class or _is_mean_of_cases(measure):
            return
        sizes = [float(part.total) for part in self._all]
        if max(sizes) <= 1:
            raise InputError(
                f"{measure.title} cannot be computed by leave-one-out, where each fold has one case",
                "use 5 or 10 folds, or a mean over cases such as brier or accuracy",
            )
        fold = next(k for k, part in enumerate(self._all) if not (part.positives and part.negatives))
        raise InputError(
            f"Fold {fold % self.folds + 1} has cases of only one class, where {measure.title} is undefined",
            "use stratified folds, or fewer of them",
        )

    def value(self, measure: str | Measure, **parameters: Any) -> float:
        """Return the mean of a measure over the folds.

        Args:
            measure: The measure, by name or alias.
            **parameters: Its parameters, such as `beta=2`, and where it is cut: `threshold`, `quota` or `share`.
        """
        return self.fold_values(measure, **parameters).value

    # ------------------------------------------------------------------ how sure

    def estimate(
        self, measure: str | Measure, level: float = LEVEL, method: str = "auto", **parameters: Any
    ) -> Estimate:
        """Return the mean of a measure over the folds with its interval.

        Args:
            measure: The measure, by name or alias.
            level: The level of the interval.
            method: "nadeau_bengio", the default; "ledell" for the AUC of many cases; "nested" for means over cases
                such as accuracy and Brier score, which needs what `cross_validate` gives.
            **parameters: The parameters of the measure, and where it is cut.
        """
        level, method = check_level(level), check_choice(method, "method", METHODS)
        chosen = use_alias(MEASURES[measure], measure)
        if method == "ledell":
            return self._estimate_by_ledell(chosen, level)
        if method == "nested":
            return self._estimate_by_nesting(chosen, level, parameters)
        return self._estimate(chosen, self.cut.complete_parameters(chosen, parameters), level)

    def estimates(
        self, measures: Iterable[str | Measure] | str | Measure, level: float = LEVEL, method: str = "auto"
    ) -> list[Estimate]:
        """Return several measures with their intervals.

        Args:
            measures: The measures, by name or alias.
            level: The level of the intervals.
            method: How the intervals are made.
        """
        return [self.estimate(measure, level, method) for measure in list_measures(measures)]

    def _compute_mean(self, measured: FoldValues) -> FoldMean:
        more = self.compute_prevalence_variance(measured.slope)
        mean = nadeau_bengio(measured.values, self.folds, self.test_to_train, more)
        return replace(mean, value=measured.value)

    def _estimate(self, measure: Measure, parameters: Mapping[str, Any], level: float) -> Estimate:
        measured = self._compute_fold_values(measure, parameters)
        notes = [f"{measured.pooled}: the folds of each repeat were pooled."] if measured.pooled else []
        if math.isnan(measured.value) or not np.isfinite(measured.values).all():
            return Estimate(str(measure), measured.value, math.nan, math.nan, level, "", tuple(notes))
        mean = self._compute_mean(measured)
        if mean.standard_error <= 1e-12 * max(1.0, abs(mean.value)):
            notes.append("All folds have the same value, so that their spread says nothing of the uncertainty.")
            return Estimate(str(measure), mean.value, math.nan, math.nan, level, "", tuple(notes))
        return build_estimate(measure, mean.value, mean.limits(level), level, "nadeau_bengio", notes)

    def _estimate_by_ledell(self, measure: Measure, level: float) -> Estimate:
        if measure.name != "auc":
            raise ParameterError(f"ledell is a method for the AUC, not for {measure.name}", "leave method out")
        self._check_classes(measure)
        if self.cases is None:
            raise InputError(
                "ledell needs the same cases in the same order in every repeat, without weights",
                "sort the rows alike in all repeats, or leave method out",
            )
        mean = ledell(*self.cases)
        notes = []
        if len(self.cases.positive) < 1000:
            notes.append("This interval is for many cases; with fewer than 1,000 it is probably too narrow.")
        return build_estimate(measure, mean.value, mean.limits(level), level, "ledell", notes)

    def _estimate_by_nesting(self, measure: Measure, level: float, parameters: Mapping[str, Any]) -> Estimate:  # noqa: ARG002
        raise ParameterError("nested fits the model again, which scores do not allow", "use cross_validate()")

    # ------------------------------------------------------------------ many numbers

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        family: Family | str | None = None,
        intervals: bool = True,
        level: float = LEVEL,
    ) -> FoldSummary:
        """Return the measures with their means over the folds and intervals: what every view shows.

        Args:
            measures: Which ones, by name, or with parameters as in ("precision", {"quota": 500}); all when None.
            family: All measures of one question: cut, ranking, probability, quota or cost.
            intervals: Whether intervals are made.
            level: The level of the intervals.
        """
        options = SummaryOptions(
            check_level(level),
            self.cut,
            method="nadeau_bengio",
            intervals=validation.check_flag(intervals, "intervals"),
        )
        chosen = select_measures(measures, family, self.ranking, self.cut)
        rows = tuple(
            self._make_row(selected.measure, selected.resolve_parameters(self.cut), selected.at, options)
            for selected in chosen
        )
        data = Data(self.name, self.ranking)
        return FoldSummary(
            data, options, self.counts, rows, self.notes, folds=self.folds, repeats=self.repeats, design=self.design
        )

    def _make_row(
        self, measure: Measure, parameters: Mapping[str, Any], at: Mapping[str, Any], options: SummaryOptions
    ) -> Row:
        nothing = Estimate(str(measure), math.nan, math.nan, math.nan, options.level, "")
        if not measure.fits(self.ranking):
            return Row(measure, nothing, None, measure.reason(self.ranking), at)
        try:
            estimate = self._estimate(measure, parameters, options.level)
        except CutlineError as error:
            return Row(measure, nothing, None, str(error), at)
        if not options.intervals:
            estimate = replace(estimate, low=math.nan, high=math.nan, method="")
        data, arguments = measure.prepare(self.ranking, parameters)
        baseline = to_json_value(measure.baseline_value(data, **{**measure.bound, **arguments}))
        reason = measure.reason(data, **arguments) if math.isnan(estimate.value) else ""
        return Row(measure, estimate, baseline, reason, at)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on the numbers."""
        total = self.total or self.ranking.total
        share = 100 / (1 + self.test_to_train)
        percent = f"{share:.0f}" if share < 99.5 else f"{min(share, 99.9):.1f}"  # never all cases
        notes = [
            Note(
                "cross-validation",
                f"Cross-validation with {self.design}: each value is the mean over {self.folds * self.repeats} folds. "
                f"It estimates how the model fitted on all {format_number(total)} cases does on new cases, by "
                f"models that saw {percent} % of them, so that it is slightly pessimistic.",
            ),
            *self.warnings,
            *self._make_scale_notes(),
        ]
        smaller = min(self.ranking.positives, self.ranking.negatives)
        if smaller < FEW_CASES:
            text = (
                f"With {format_number(smaller)} cases of the rarer class the intervals may cover less than their "
                "level: 90 % "
                "instead of 95 % in the worst simulations (docs/cross-validation.md)."
            )
            notes.append(Note("few-cases", text, kind="warning"))
        else:
            text = (
                "The intervals are cautious: in simulations those of 95 % covered 97 % on average, and up to 100 % "
                "where the models of the folds were nearly alike (docs/cross-validation.md)."
            )
            notes.append(Note("cautious", text))
        sizes = [float(part.total) for part in self._all]
        if max(sizes) > 1.5 * min(sizes):
            text = f"The folds have {min(sizes):g} to {max(sizes):g} cases; the intervals use their mean size."
            notes.append(Note("unequal-folds", text))
        return tuple(notes)

    @cached_property
    def _scale_shift(self) -> float:
        """Largest difference between mean scores of folds, in standard deviations; 0 if it may be chance."""
        return measure_scale_distance([(part.score, part.size) for part in self._all])

    def _make_scale_notes(self) -> list[Note]:
        apart = self._scale_shift
        if not apart:
            return []
        text = (
            f"The mean scores of the folds differ by up to {apart:.1f} standard deviations: the models score on "
            "different scales, so that one threshold means different things in different folds, and a value of pooled "
            "folds mixes these scales."
        )
        return [Note("scales", text, kind="warning")]

    # ------------------------------------------------------------------ views

    def chart(self, name: str, **parameters: Any) -> Picture:
        """Draw the folds: "roc" or "precision_recall" of each with their mean, "reliability" of the out-of-fold
        probabilities, or "folds", a measure in each fold.

        Args:
            name: The name of the chart.
            **parameters: `theme` and `title`; `measure` and `level` for "folds"; those of "reliability".
        """
        check_choice(name, "name", CHARTS)
        from cutline.charts import chart, fold_charts

        if name == "reliability":
            picture: Picture = chart("reliability", {self.name or "out of fold": self}, **parameters)
            return picture
        if name == "folds":
            return self._draw_values(**parameters)
        draw = fold_charts.draw_fold_roc if name == "roc" else fold_charts.draw_fold_precision_recall
        measure = "auc" if name == "roc" else "average_precision"
        mean = self.estimate(measure) if self._smallest_class else None
        return draw(self.parts, mean, self.design, **parameters)

    def _draw_values(self, measure: str = "auc", level: float = LEVEL, **look: Any) -> Picture:
        from cutline.charts import fold_charts

        chosen = use_alias(MEASURES[measure], measure)
        values = self._measure_folds(chosen, self.cut.complete_parameters(chosen, {}))
        return fold_charts.draw_fold_values(values, self.estimate(chosen, level), chosen.title, self.design, **look)


@dataclass(frozen=True, eq=False, repr=False)
class FoldSummary(Summary):
    """The numbers of a cross-validation."""

    folds: int = 0
    repeats: int = 0
    design: str = ""

    @property
    def heading(self) -> str:
        """Return the cases, the design of the folds and the cut, in one line."""
        return f"{super().heading}; {self.design}"

    @property
    def verdict(self) -> tuple[str, ...]:
        """Return the mean AUC in a sentence, and what the means estimate."""
        row = next((row for row in self.rows if row.key == "auc" and not math.isnan(row.value)), None)
        about = tuple(note.text for note in self.notes if note.rule == "cross-validation")
        if row is None:
            return about
        limits = (
            f"{100 * self.level:g} % interval {format_value(row.estimate.low)} to {format_value(row.estimate.high)}; "
        )
        interval = limits if row.interval else ""
        return (f"Mean area under the ROC curve {format_value(row.value)} ({interval}baseline 0.5).", *about)

    @property
    def conventions(self) -> dict[str, str]:
        """Return the conventions behind the numbers."""
        return {
            "Values": "Means over the folds; where folds are too small for a measure, pooled within each repeat.",
            "Intervals": f"{100 * self.level:g} %, Student's distribution with the correction of Nadeau and Bengio.",
            "Estimates": "The model fitted on all cases, on new cases; by models that were fitted on fewer.",
        }

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        return super().document() | {"cross_validation": {"folds": self.folds, "repeats": self.repeats}}


def build_estimate(
    measure: Measure, value: float, limits: tuple[float, float], level: float, method: str, notes: Sequence[str]
) -> Estimate:
    """Build the estimate with limits inside the range of the measure."""
    low, high = (min(max(limit, measure.range[0]), measure.range[1]) for limit in limits)
    return Estimate(str(measure), value, low, high, level, method, tuple(notes))


def _is_mean_of_cases(measure: Measure) -> bool:
    """Whether the measure is a mean over the cases, which is defined for a single case."""
    form = measure.form
    if isinstance(form, Proportion):
        return form.paired is not None and form.paired.among is None
    return isinstance(form, MeanOfCases)


def _reweight_classes(r: Ranking, positives: int, negatives: int) -> Ranking:
    """Multiply the weights of the positives and of the negatives by factors."""
    pos, neg = r.pos * positives, r.neg * negatives
    return replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg)


def _depends_on_single_classes(measure: Measure) -> bool:
    """Whether the measure depends on the score distributions within the classes, and not on the prevalence."""
    form = measure.form
    if isinstance(form, Proportion):
        return form.paired is not None and form.paired.among is not None
    if isinstance(form, SumOfRates):
        return not form.of_flags
    return measure.name == "auc" or isinstance(form, ShareOfPairs)


def _is_unbiased(measure: Measure) -> bool:
    """Whether the mean over folds estimates the same value for small and large folds, as for means over cases."""
    form = measure.form
    if isinstance(form, Proportion):
        return form.paired is not None
    if isinstance(form, SumOfRates):
        return not form.of_flags
    return isinstance(form, LinearInAuc | ShareOfPairs | MeanOfCases)


# ---------------------------------------------------------------------- from rows


def evaluate_folds(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    folds: Any,
    repeats: Any = None,
    train_sizes: Any = None,
    groups: Any = None,
    data: Any = None,
    positive: Any = None,
    missing: Missing = "error",
    weights_are: Any = None,
    higher_is_positive: bool = True,
    **cut: Any,
) -> FoldEvaluation:
    """Evaluate out-of-fold scores; the arguments are those of `evaluate`."""
    if data is not None:
        columns = column_source.request_columns(labels, scores, weights, positive=positive)
        more = {"folds": folds, "repeats": repeats, "groups": groups}
        columns |= {key: column_source.Request("groups", name) for key, name in more.items() if name is not None}
        with column_source.read_rows(column_source.open_source(data), columns) as values:
            how: dict[str, Any] = {"positive": positive, "missing": missing, "weights_are": weights_are}
            how |= {"higher_is_positive": higher_is_positive, "train_sizes": train_sizes, **values}
            return evaluate_folds(**how, **cut)
    validation.check_one_order({"labels": labels, "folds": folds, "repeats": repeats, "groups": groups})
    cases = select_complete_cases(labels, scores, weights, positive=positive, missing=missing, weights_are=weights_are)
    fold = _number_values(folds, "folds", cases)
    repeat = np.zeros(len(fold), dtype=int) if repeats is None else _number_values(repeats, "repeats", cases)
    group = None if groups is None else _number_values(groups, "groups", cases)
    rows = _list_fold_rows(fold, repeat)
    parts = tuple(
        tuple(_take_cases(cases, part).rank(higher_is_positive=higher_is_positive) for part in parts) for parts in rows
    )
    return FoldEvaluation(
        parts,
        _compute_size_ratio(rows, train_sizes),
        cases=_align_out_of_fold(cases, rows),
        warnings=tuple(warn_of_leaks(rows, group)),
        **cut,
    )


def _take_cases(cases: Cases, rows: Array) -> Cases:
    """Return some of the cases."""
    weights = None if cases.weights is None else cases.weights[rows]
    return cases._replace(
        is_positive=cases.is_positive[rows], scores=cases.scores[rows], weights=weights, position=rows, dropped=0
    )


def _number_values(values: Any, name: str, cases: Cases) -> Array:
    """Number the distinct values of a column from 0, for the complete rows."""
    column = validation.as_column(values, name)
    validation.check_length(column, cases.rows, name)
    absent = validation.find_missing(column)
    if absent is not None and absent.any():
        raise validation.make_missing_error(name, absent, None, "fill them, or leave these rows out")
    column = column[cases.position]
    return np.unique(column.astype(str) if column.dtype.kind == "O" else column, return_inverse=True)[1]


def _list_fold_rows(fold: Array, repeat: Array) -> list[list[Array]]:
    """List the rows of each fold of each repeat."""
    repeats = []
    for r in range(int(repeat.max()) + 1):
        rows = np.flatnonzero(repeat == r)
        own = [rows[fold[rows] == k] for k in np.unique(fold[rows])]
        if len(own) < 2:
            where = f"Repeat {r + 1}" if repeat.max() else ""
            raise InputError(
                "holds one fold, and cross-validation needs two or more",
                "leave it out for a single test set",
                argument="folds",
                whom=where,
            )
        repeats.append(own)
    if len({len(own) for own in repeats}) > 1:
        sizes = sorted({len(own) for own in repeats})
        raise InputError(
            f"holds {sizes[0]} folds in one repeat and {sizes[-1]} in another",
            "pass as many in each",
            argument="folds",
        )
    return repeats


def _compute_size_ratio(rows: list[list[Array]], train_sizes: Any) -> float:
    """Return the ratio of the mean size of the test folds to that of the training sets."""
    tests = np.array([len(part) for own in rows for part in own], dtype=float)
    if train_sizes is None:
        trains = np.array([sum(map(len, own)) - len(part) for own in rows for part in own], dtype=float)
    else:
        try:
            trains = np.atleast_1d(np.asarray(train_sizes, dtype=float))
        except (TypeError, ValueError):  # text, or lists of several lengths
            trains = np.array([np.nan])
        if not trains.size or not np.isfinite(trains).all() or (trains < 1).any():
            raise ParameterError(
                f"is {train_sizes!r:.40}",
                "pass the number of cases that each model was fitted on",
                argument="train_sizes",
            )
    return float(tests.mean() / trains.mean())


def _align_out_of_fold(cases: Cases, rows: list[list[Array]]) -> OutOfFold | None:
    """Return the cases one by one, where each repeat holds the same number of cases with the same labels in the same
    order.
    """
    if cases.weights is not None:
        return None
    order = [np.sort(np.concatenate(own)) for own in rows]
    if len({len(own) for own in order}) > 1:
        return None
    labels = np.stack([cases.is_positive[own] for own in order])
    if (labels != labels[0]).any():
        return None
    numbers = np.empty(len(cases.scores), dtype=int)
    for own in rows:
        for k, part in enumerate(own):
            numbers[part] = k
    folds = np.stack([numbers[own] for own in order])
    return OutOfFold(labels[0], np.stack([cases.scores[own] for own in order]), folds)


def warn_of_leaks(rows: list[list[Array]], group: Array | None) -> Iterable[Note]:
    """Warn where cases of one group are in several folds of a repeat."""
    if group is None:
        return
    across = 0
    for own in rows:
        groups_by_fold = np.concatenate([np.unique(group[part]) for part in own])
        across = max(across, int((np.unique(groups_by_fold, return_counts=True)[1] > 1).sum()))
    if across:
        has = "group has" if across == 1 else "groups have"
        text = (
            f"{across} {has} cases in several folds: models were tested on groups that they were fitted on, so that "
            "the values are probably too good. Split by group, for example with GroupKFold."
        )
        yield Note("group-leak", text, kind="warning")
