"""one_vs_rest(): several classes, each in turn against the rest, and what they give together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.errors import ParameterError
from cutline.core.messages import capitalise
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import (
    LEVEL,
    check_choice,
    check_flag,
    check_level,
    check_text,
    clean_model_name,
    format_count,
)
from cutline.evaluation import Evaluation
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inputs.multiclass import ClassCases, read_class_cases
from cutline.inputs.rank import WeightsAre
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.registry import list_measures
from cutline.multiclass import class_means, decisions
from cutline.multiclass.class_intervals import ClassIntervalOptions, estimate_statistic, warn_of_few_cases
from cutline.multiclass.class_summary import ClassData, ClassRow, ClassSummary
from cutline.multiclass.measures import (
    CLASS_MEASURES,
    CUTS,
    WHOLE,
    list_whole_measures,
    resolve_measure,
    resolve_statistic,
)
from cutline.multiclass.multilabel import is_indicator, read_labels
from cutline.multiclass.statistic import MACRO, MEANS, MICRO, Statistic
from cutline.results.base import NamedParts, Reported
from cutline.results.estimate import Estimate
from cutline.results.notes import Note

if TYPE_CHECKING:
    from cutline.charts import Picture
    from cutline.charts.several_classes import ClassChartData


def find_notes(cases: ClassCases) -> Iterator[Note]:
    """Return the notes on some cases, in plain words."""
    if cases.dropped:
        yield Note("dropped", f"{format_count(cases.dropped, 'row')} with a missing value dropped.")
    absent = [repr(label) for label, size in zip(cases.classes, cases.sizes, strict=True) if not size]
    if absent:
        which = f"class {absent[0]} has" if len(absent) == 1 else f"the classes {', '.join(absent)} have"
        text = f"Not every class occurs: {which} no case, so what needs one is undefined."
        yield Note("absent-class", text, kind="warning")
    few = warn_of_few_cases(cases)
    if few:
        yield Note("few-cases", few, kind="warning")
    if cases.group_count:
        text = f"The cases are of {format_count(cases.group_count, 'group')}: intervals count whole groups."
        yield Note("groups", text)
    why = cases.not_probabilities
    if why:
        yield Note("sums", f"{capitalise(why)}: measures of probabilities are left out.", kind="warning")
    tied = int(((cases.scores == cases.scores.max(1, keepdims=True)).sum(1) > 1).sum())
    if tied:
        which = "1 case has its" if tied == 1 else f"{tied} cases have their"
        text = f"{which} highest score for several classes, each of which then gets an equal part."
        yield Note("tied-classes", text)


class Mean(float):
    """A mean over classes: a number, with the reason where it is undefined."""

    reason: str

    def __new__(cls, value: float, reason: str = "") -> Mean:
        """Return the number, and why it is undefined, if it is."""
        mean = super().__new__(cls, value)
        mean.reason = reason
        return mean

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.reason)


@public
def one_vs_rest(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
    missing: str = "error",
    data: Any = None,
    groups: Any = None,
    weights_are: WeightsAre | None = None,
    ordered: bool = False,
) -> OneVsRest:
    """Evaluate a model of several classes: each against the rest, their means, and all of them together.

    Args:
        labels: The class of each case; or, where a case may have several labels at once, a row for each case with 0 or
            1 for each label (with `data`, a list of columns): the result is then a `MultiLabel`.
        scores: A row for each case, with a column for each class, as `predict_proba` gives them; or the columns by
            class. With `data`, the names of the columns by class, or a list of columns that are called as the classes.
        weights: The weight of each case; all the same without.
        classes: The classes in the order of the columns; without, the sorted labels.
        name: What to call the model.
        missing: "error" refuses rows with a missing value, "drop" leaves them out and counts them.
        data: A data frame of any kind or the path of a file; the other arguments are then names of its columns.
        groups: The group of each case, such as the patient whose visits they are; intervals then count whole
            groups. With `data`, the name of a column.
        weights_are: What weights are, as in `evaluate`: "counts", "sampling" or "importance".
        ordered: Whether the classes have an order, that of `classes` or of the columns, such as lose, draw and win;
            the ranked probability score is then among the measures.

    Returns:
        A mapping of the evaluation of each class, with means, Hand and Till's M, intervals and charts.

    >>> found = one_vs_rest(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3]])
    >>> found.mean("average_precision"), found["b"].auc, found.value("accuracy")
    (1.0, 1.0, 0.6666666666666666)
    """
    if name is not None:
        check_text(name, "name", "forest")
    ordered = check_flag(ordered, "ordered")
    check_choice(missing, "missing", ("error", "drop"))
    if is_indicator(labels) or (data is not None and isinstance(labels, list | tuple)):
        others = {"weights": weights, "weights_are": weights_are, "ordered": ordered or None}
        others["missing"] = None if missing == "error" else missing
        for option, value in others.items():
            if value is not None:
                raise ParameterError("does not go with several labels of a case", "leave it out", argument=option)
        return read_labels(labels, scores, names=classes, name=name, data=data, groups=groups)  # type: ignore[return-value]
    how: dict[str, Any] = {"classes": classes, "missing": missing, "groups": groups, "weights_are": weights_are}
    how["ordered"] = ordered
    (cases,) = read_class_cases(labels, {name or "": scores}, weights, data=data, **how).values()
    return OneVsRest(cases, name)


@public
@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest(Reported, NamedParts[Any, Evaluation]):
    """Several classes: a mapping of the evaluation of each against the rest, with means and measures of all classes."""

    cases: ClassCases
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean_model_name(self.name))

    @cached_property
    def evaluations(self) -> dict[Any, Evaluation]:
        """Evaluation of each class against the rest, at a cut of its own."""
        return {
            label: Evaluation(r, name=str(label), groups=self._make_sampler(position))
            for position, (label, r) in enumerate(self.rankings.items())
        }

    def _make_sampler(self, position: int) -> GroupSampler | None:
        """Return the sampler of whole groups for one class; None if the cases are not grouped."""
        cases = self.cases
        if cases.groups is None:
            return None
        is_class, scores = cases.truth == position, cases.scores[:, position]
        weights = cases.weights if cases.has_weights else None
        return GroupSampler.of(cases.ranking(position), is_class, scores, weights, cases.groups)

    @cached_property
    def rankings(self) -> dict[Any, Ranking]:
        """Ranking of each class against the rest."""
        return {label: self.cases.ranking(position) for position, label in enumerate(self.cases.classes)}

    @cached_property
    def confusion_matrix(self) -> decisions.ConfusionMatrix:
        """Cases by real class and by the class of their highest score; its items are the counts of each class."""
        return decisions.ConfusionMatrix(self.cases.classes, decisions.count_decisions(self.cases))

    @property
    def _parts(self) -> Mapping[Any, Evaluation]:
        return self.evaluations

    @property
    def _kind(self) -> str:
        return "class"

    def __contains__(self, label: object) -> bool:
        return label in self.cases.classes

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cases.classes)

    def __len__(self) -> int:
        return len(self.cases.classes)

    # ------------------------------------------------------------------ values

    def each(self, measure: str | Measure, **parameters: Any) -> dict[Any, float]:
        """Return the value of a measure for each class; NaN where it is undefined, and `reasons` says why.

        A measure of one cut is computed with each case assigned to the class of its highest score, or at the named cut
        of each class by itself.

        Args:
            measure: The measure, or its name.
            parameters: Those of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        chosen, data, bound = self._prepare(measure, parameters)
        return {label: float(chosen.compute(counts, **bound[label])) for label, counts in data.items()}

    def reasons(self, measure: str | Measure, **parameters: Any) -> dict[Any, str]:
        """Explain for each class why a measure is undefined there.

        Args:
            measure: The measure, or its name.
            parameters: Those of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        chosen, data, bound = self._prepare(measure, parameters)
        by_label = {label: chosen.reason(counts, **bound[label]) for label, counts in data.items()}
        return {label: reason for label, reason in by_label.items() if reason}

    def _prepare(
        self, measure: str | Measure, parameters: dict[str, Any]
    ) -> tuple[Measure, dict[Any, Any], dict[Any, dict[str, Any]]]:
        """Return the measure, and for each class its data and its parameters."""
        chosen = resolve_measure(measure)
        at_highest = chosen.needs is Needs.COUNTS and not any(name in parameters for name in CUTS)
        source = self.confusion_matrix if at_highest else self.rankings
        prepared = {label: chosen.prepare(source[label], parameters) for label in self}
        return (
            chosen,
            {label: measured for label, (measured, _) in prepared.items()},
            {label: bound for label, (_, bound) in prepared.items()},
        )

    def mean(self, measure: str | Measure, average: str = MACRO, **parameters: Any) -> Mean:
        """Return the mean of a measure over the classes; of average_precision it is the mean average precision.

        It is a float. Where the measure of a class is undefined the mean is NaN, and `.reason` says which and why.

        Args:
            measure: The measure, or its name.
            average: "macro" for the plain mean, "weighted" for that by the shares of the classes, "micro" for the
                measure of all pairs of a case and a class.
            parameters: Those of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        if any(name in parameters for name in CUTS):
            reasons = self.reasons(measure, **parameters)
            reason = "; ".join(f"for class {label!r} {reason}" for label, reason in reasons.items())
            return Mean(float(np.mean(list(self.each(measure, **parameters).values()))), reason)
        statistic = resolve_statistic(measure, average, **parameters)
        return Mean(self.compute(statistic), statistic.explain_undefined(self.cases))

    def value(self, measure: str | Measure, mean: str | None = None, **parameters: Any) -> float:
        """Return a measure of all classes, such as hand_till_m, accuracy, mcc, kappa or log_loss, or a mean over the
        classes.

        Args:
            measure: The measure, or its name.
            mean: "macro", "weighted" or "micro"; without, the measure of all classes, or the macro mean.
            parameters: Those of the measure.
        """
        return self.compute(resolve_statistic(measure, mean, **parameters))

    def reason(self, measure: str | Measure, mean: str | None = None, **parameters: Any) -> str:
        """Explain why a measure is undefined; empty if it is defined.

        Args:
            measure: The measure, or its name.
            mean: The kind of mean, as in `value`.
            parameters: Those of the measure.
        """
        return resolve_statistic(measure, mean, **parameters).explain_undefined(self.cases)

    def compute(self, statistic: Statistic) -> float:
        """Return the value of a statistic; NaN where it is undefined."""
        if statistic.explain_undefined(self.cases):
            return float("nan")
        return float(statistic.make_function(self.cases)(self.cases.weights))

    # ------------------------------------------------------------------ how sure

    def estimate(
        self,
        measure: str | Measure,
        mean: str | None = None,
        *,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """Return a mean over the classes, or a measure of all of them, with its interval.

        Args:
            measure: The measure, or its name; "hand_till_m" for that of Hand and Till.
            mean: "macro", "weighted" or "micro"; without, the measure of all classes, or the macro mean.
            level: The level of the interval.
            method: "auto" is by formula: the limits of the classes, combined by the correlation of their components;
                "normal" is the standard error alone; "bootstrap" resamples the cases.
            resamples: The number of resamples of a bootstrap; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Those of the measure.

        >>> found = one_vs_rest([0, 1, 2] * 20, np.eye(3)[[0, 1, 2, 0, 1, 1] * 10])
        >>> found.estimate("accuracy")
        accuracy (all classes) 0.8333 [0.7197, 0.9069] (95 %, Wilson)
          note: Class 0 has only 20 cases: the actual coverage is probably below the nominal level.
        """
        options = ClassIntervalOptions(level, method, resamples, seed).check()
        return estimate_statistic(resolve_statistic(measure, mean, **parameters), self.cases, options).estimate

    # ------------------------------------------------------------------ all of it

    def summary(
        self,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        *,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
    ) -> ClassSummary:
        """Return all measures with their intervals: of all classes, means over them, and of each class.

        Args:
            measures: Which ones, by name; those of `CLASS_MEASURES` and all that are of all classes when None.
            level: The level of the intervals.
            method: The method of the intervals of means and of all classes, as in `estimate`.
            resamples: The number of resamples of a bootstrap.
            seed: The seed of the resamples.
        """
        options = ClassIntervalOptions(check_level(level), method, resamples, seed).check()
        whole, each = _select_measures(measures, self.cases)
        means = [class_means.MeanOverClasses(m, mean) for m in each for mean in _list_means(m)]
        rows = [
            *(self._make_row(statistic, "all", options) for statistic in whole),
            *(self._make_row(statistic, "mean", options) for statistic in means),
            *(row for measure in each for row in self._make_class_rows(measure, options.level)),
        ]
        return ClassSummary(self._data, options.level, self.confusion_matrix, tuple(rows), self.notes)

    def _make_row(self, statistic: Statistic, scope: str, options: ClassIntervalOptions) -> ClassRow:
        estimate = estimate_statistic(statistic, self.cases, options)
        return ClassRow(
            statistic.name,
            statistic.title,
            scope,
            statistic.of,
            estimate.estimate,
            estimate.se,
            statistic.compute_baseline(self.cases),
            statistic.better,
            statistic.explain_undefined(self.cases),
            statistic.range,
        )

    def _make_class_rows(self, measure: Measure, level: float) -> Iterator[ClassRow]:
        for position, label in enumerate(self.cases.classes):
            statistic = class_means.ClassStatistic(measure, position)
            yield replace(self._make_row(statistic, "class", ClassIntervalOptions(level)), of=str(label))

    @property
    def _data(self) -> ClassData:
        cases = self.cases
        return ClassData(self.name, cases.classes, tuple(cases.sizes.tolist()), cases.dropped, cases.has_weights)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the data."""
        return tuple(find_notes(self.cases))

    # ------------------------------------------------------------------ looks

    def chart(self, name: str = "class_roc", **parameters: Any) -> Picture:
        """Return a chart of all classes: class_roc, class_measures, class_confusion_matrix; or a line for each
        class.

        Args:
            name: The name of the chart; any that shows several models draws a line for each class.
            parameters: Those of the chart.
        """
        from cutline.charts import CHARTS, Shows, chart

        models = self if CHARTS[name].shows is Shows.CLASSES else self.evaluations
        picture: Picture = chart(name, models, **parameters)
        return picture

    @cached_property
    def chart_data(self) -> ClassChartData:
        """Values of the charts of several classes."""
        from cutline.multiclass.charts import collect_chart_data

        return collect_chart_data(self)

    def __repr__(self) -> str:
        classes = f"OneVsRest of {len(self)} classes: {', '.join(map(repr, self))}"
        return f"{classes}\n{self.summary().overall_table()!r}\nmore: .summary()"


def _select_measures(measures: Any, cases: ClassCases) -> tuple[list[Statistic], list[Measure]]:
    """Return the measures of all classes, and those of each class."""
    if measures is None:
        return list_whole_measures(cases), [MEASURES[name] for name in CLASS_MEASURES]
    whole: list[Statistic] = []
    each: list[Measure] = []
    for named in list_measures(measures):
        statistic = resolve_statistic(named)
        if isinstance(statistic, class_means.MeanOverClasses):
            each.append(statistic.measure)
        else:
            whole += [other for other in WHOLE if other.name == statistic.name]
    return whole, each


def _list_means(measure: Measure) -> tuple[str, ...]:
    """Return the means of a summary; the pooled mean of a measure of counts is left out, as it repeats the accuracy."""
    return MEANS if measure.needs is not Needs.COUNTS else tuple(mean for mean in MEANS if mean != MICRO)
