"""compare_classes(): several models of several classes on the same cases, and whether they differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cutline.core.errors import InputError, ParameterError
from cutline.core.public import public
from cutline.core.validation import LEVEL, check_choice, check_level, check_whole
from cutline.inference.differences.difference import Difference, ResampledDifference, StudentDifference, chi_square
from cutline.inference.differences.pair_tests import PairTest, PairTests, apply_holm
from cutline.inputs.multiclass import ClassCases, read_class_cases
from cutline.inputs.rank import WeightsAre
from cutline.measures import MEASURES, Measure
from cutline.measures.registry import list_measures
from cutline.multiclass.class_intervals import METHODS, ClassIntervalOptions, resample
from cutline.multiclass.class_means import NO_FORMULA, MeanOverClasses
from cutline.multiclass.class_summary import ClassComparisonSummary, ClassDifference
from cutline.multiclass.measures import list_whole_measures, resolve_statistic
from cutline.multiclass.one_vs_rest import OneVsRest
from cutline.multiclass.statistic import Statistic
from cutline.results.base import NamedParts, Reported
from cutline.results.estimate import Estimate
from cutline.results.resample_budget import choose_resamples_of_rows

# Whose differences a summary shows: a mean for every question, and what is of all classes.
HEADLINES = (("auc", "macro"), ("auc", "weighted"), ("auc", "micro"), ("average_precision", "macro"), ("f1", "macro"))


@public
def compare_classes(
    labels: Any,
    scores: Mapping[str, Any],
    weights: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    missing: str = "error",
    data: Any = None,
    groups: Any = None,
    weights_are: WeightsAre | None = None,
    ordered: bool = False,
) -> ClassComparison:
    """Compare models of several classes that scored the same cases.

    Args:
        labels: The class of each case.
        scores: The scores of each model by its name, each as in `one_vs_rest`.
        weights: The weight of each case; all the same without.
        classes: The classes in the order of the columns; without, the sorted labels.
        missing: "error" refuses a case without a score of every model, "drop" leaves it out for all of them.
        data: A data frame of any kind or the path of a file; the other arguments are then names of its columns.
        groups: The group of each case, such as the patient whose visits they are; intervals and tests then count whole
            groups. With `data`, the name of a column.
        weights_are: What weights are, as in `evaluate`: "counts", "sampling" or "importance".
        ordered: Whether the classes have an order, as in `one_vs_rest`.

    Returns:
        The comparison: a mapping of what `one_vs_rest` gives, with tests and intervals of the differences.

    >>> labels = [0, 1, 2] * 10
    >>> good, poor = np.eye(3)[labels], np.eye(3)[[0, 1, 1] * 10]
    >>> compare_classes(labels, {"good": good, "poor": poor}).test("accuracy")
    accuracy (all classes): good - poor = 0.3333, p = 0.000108 (infinitesimal jackknife)
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise InputError(
            "holds fewer than two models",
            'pass the scores of each by its name, such as {"a": scores_a, "b": scores_b}',
            argument="scores",
        )
    named = {str(name): own for name, own in scores.items()}
    how: dict[str, Any] = {"classes": classes, "missing": missing, "groups": groups, "weights_are": weights_are}
    how["ordered"] = ordered
    tables = read_class_cases(labels, named, weights, data=data, **how)
    return ClassComparison({name: OneVsRest(cases, name) for name, cases in tables.items()})


@public
@dataclass(frozen=True, eq=False, repr=False)
class ClassComparison(Reported, NamedParts[str, OneVsRest]):
    """Models of several classes on the same cases: a mapping of each, with comparisons of pairs."""

    models: Mapping[str, OneVsRest]

    more: ClassVar[str] = ".summary(), .test(), .difference()"

    @property
    def _parts(self) -> Mapping[str, OneVsRest]:
        return self.models

    def __getitem__(self, name: str) -> OneVsRest:
        return super().__getitem__(str(name))  # the models may have been named by numbers

    def values_of(self, measure: str | Measure, mean: str | None = None, **parameters: Any) -> dict[str, float]:
        """Return the value of a measure for each model.

        Args:
            measure: The measure, or its name.
            mean: The kind of mean, as in `OneVsRest.value`.
            parameters: Those of the measure.
        """
        return {name: model.value(measure, mean, **parameters) for name, model in self.items()}

    # ------------------------------------------------------------------ two models

    def difference(
        self,
        measure: str | Measure = "auc",
        mean: str | None = None,
        *,
        a: str | None = None,
        b: str | None = None,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """Estimate by how much model a exceeds model b, with an interval.

        Args:
            measure: The measure, or its name.
            mean: The kind of mean, as in `OneVsRest.estimate`.
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            level: The level of the interval.
            method: "auto" uses the influence of each case, "bootstrap" resamples the cases.
            resamples: The number of resamples of a bootstrap; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Those of the measure.
        """
        options = ClassIntervalOptions(level, method, resamples, seed).check()
        a, b = self._select_two(a, b)
        statistic = resolve_statistic(measure, mean, **parameters)
        reason, name = self._explain_undefined(statistic), f"{_name_statistic(statistic)}: {a} - {b}"
        if reason:
            nothing = (math.nan, math.nan, math.nan)
            return Estimate(name, *nothing, options.level, "none", (f"undefined: {reason}",))
        computed, notes = self._compute_difference(statistic, a, b, options)
        low, high = computed.interval(options.level)
        return Estimate(
            name, computed.value, low, high, options.level, _choose_method(statistic, options.method), notes
        )

    def _select_two(self, a: str | None, b: str | None) -> tuple[str, str]:
        if (a is None or b is None) and len(self) > 2:
            raise ParameterError(f"There are {len(self)} models", "name two of them, as a= and b=")
        first, second = list(self)[:2]
        a, b = first if a is None else str(a), second if b is None else str(b)
        return self[a].name or a, self[b].name or b

    def _explain_undefined(self, statistic: Statistic) -> str:
        reasons = {name: statistic.explain_undefined(model.cases) for name, model in self.items()}
        return "; ".join(f"of {name!r} {reason}" for name, reason in reasons.items() if reason)

    def _compute_difference(
        self, statistic: Statistic, a: str, b: str, options: ClassIntervalOptions
    ) -> tuple[Difference, tuple[str, ...]]:
        """Return the difference of two models and its notes, by influences or on bootstrap samples."""
        cases_a, cases_b = self[a].cases, self[b].cases
        if options.method == "bootstrap":
            value_a, value_b = statistic.make_function(cases_a), statistic.make_function(cases_b)
            count = choose_resamples_of_rows(len(cases_a), options.resamples)
            values, _ = resample(lambda weights: value_a(weights) - value_b(weights), cases_a, count, options.seed)
            return ResampledDifference(float(value_a(cases_a.weights) - value_b(cases_b.weights)), values), ()
        of_a, of_b = (statistic.estimate(cases, options.level) for cases in (cases_a, cases_b))
        value = of_a.value - of_b.value
        if of_a.influences is None or of_b.influences is None:
            return StudentDifference(value, math.nan), (NO_FORMULA,)
        return StudentDifference(value, math.sqrt(cases_a.covariance(of_a.influences - of_b.influences)[0, 0])), ()

    # ------------------------------------------------------------------ tests

    def test(
        self,
        measure: str | Measure = "auc",
        mean: str | None = None,
        *,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> PairTests:
        """Whether the models differ in a measure: a test of each pair, corrected for their number.

        Args:
            measure: The measure, or its name.
            mean: The kind of mean, as in `OneVsRest.estimate`.
            method: "auto" uses the influence of each case, "bootstrap" resamples the cases.
            resamples: The number of resamples of a bootstrap; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Those of the measure.
        """
        check_choice(method, "method", METHODS)
        options = ClassIntervalOptions(LEVEL, method, resamples, check_whole(seed, "seed", 0)).check()
        statistic = resolve_statistic(measure, mean, **parameters)
        pairs = apply_holm([self._test_pair(statistic, a, b, options) for a, b in itertools.combinations(self, 2)])
        if len(pairs) == 1:
            return PairTests(_name_statistic(statistic), pairs, pairs[0].p_value)
        if method == "bootstrap" or self._explain_undefined(statistic):
            smallest = min((pair.p_holm for pair in pairs if not math.isnan(pair.p_holm)), default=math.nan)
            return PairTests(_name_statistic(statistic), pairs, smallest)
        return self._test_all(statistic, pairs)

    def _test_pair(self, statistic: Statistic, a: str, b: str, options: ClassIntervalOptions) -> PairTest:
        reason, nothing = self._explain_undefined(statistic), math.nan
        if reason:
            return PairTest(_name_statistic(statistic), a, b, nothing, nothing, nothing, nothing, "none", (reason,))
        difference, notes = self._compute_difference(statistic, a, b, options)
        share = difference.share() if isinstance(difference, ResampledDifference) else math.nan
        how = _choose_method(statistic, options.method)
        return PairTest(
            _name_statistic(statistic), a, b, difference.value, difference.p_value(), nothing, share, how, notes
        )

    def _test_all(self, statistic: Statistic, pairs: tuple[PairTest, ...]) -> PairTests:
        """Test by chi-square whether any model differs from the first, by the influences on all models."""
        values = [statistic.estimate(model.cases, LEVEL) for model in self.values()]
        known = [value.influences for value in values if value.influences is not None]
        if len(known) < len(values):
            return PairTests(_name_statistic(statistic), pairs, math.nan)
        cases = next(iter(self.values())).cases
        influences = np.stack([other - known[0] for other in known[1:]])
        differences = np.array([value.value - values[0].value for value in values[1:]])
        chi2, degrees, p_value = chi_square(differences, cases.covariance(influences))
        return PairTests(_name_statistic(statistic), pairs, p_value, chi2, degrees)

    # ------------------------------------------------------------------ all of it

    def summary(
        self,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        *,
        level: float = LEVEL,
    ) -> ClassComparisonSummary:
        """Return the models and their differences, a row for each measure and pair.

        Args:
            measures: The measures, by name; the headlines when None.
            level: The level of intervals and tests.
        """
        level = check_level(level)
        statistics = _select_statistics(measures, next(iter(self.values())).cases)
        rows = [row for statistic in statistics for row in self._make_rows(statistic, level)]
        models = {name: model.summary(measures, level=level) for name, model in self.items()}
        notes = next(iter(self.values())).notes
        return ClassComparisonSummary(models, level, tuple(rows), notes)

    def _make_rows(self, statistic: Statistic, level: float) -> Iterator[ClassDifference]:
        options = ClassIntervalOptions(level)
        tests = apply_holm([self._test_pair(statistic, a, b, options) for a, b in itertools.combinations(self, 2)])
        reason = self._explain_undefined(statistic)
        for test in tests:
            low = high = math.nan
            value_a, value_b = (self[name].compute(statistic) for name in (test.a, test.b))
            if not reason:
                low, high = self._compute_difference(statistic, test.a, test.b, options)[0].interval(level)
            yield ClassDifference(
                statistic.name, statistic.title, statistic.of, test, value_a, value_b, low, high, statistic.better
            )


def _select_statistics(measures: Any, cases: ClassCases) -> list[Statistic]:
    if measures is not None:
        return [resolve_statistic(measure) for measure in list_measures(measures)]
    means = [MeanOverClasses(MEASURES[name], mean) for name, mean in HEADLINES]
    first, _, *others = list_whole_measures(cases)
    # The relative information score says the same as the absolute one.
    return [first, *means, *(other for other in others if other.name != "information_score")]


def _name_statistic(statistic: Statistic) -> str:
    return f"{statistic.name} ({statistic.of})"


def _choose_method(statistic: Statistic, method: str) -> str:
    """Return the method of a test: DeLong's components for means of AUCs."""
    if method == "bootstrap":
        return method
    return "delong" if statistic.name in ("auc", "hand_till_m") else "influence"
