"""Several models on the same cases: compare(), and compare_counts() where only their counts are known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from cutline.core.counts import Counts
from cutline.core.errors import Argument, InputError, ParameterError, Text, UnavailableError
from cutline.core.public import hint_elsewhere, public
from cutline.core.table import Table
from cutline.core.validation import LEVEL, check_choice, check_level, check_one_order, check_whole
from cutline.evaluation import Evaluation
from cutline.inference.differences.difference import ConfidenceCurve, confidence_curve
from cutline.inference.differences.difference_rows import compare_measures, run_pair_tests, share_resamples
from cutline.inference.differences.dominance import (
    CURVES,
    HEIGHTS,
    Dominance,
    Regions,
    RocTest,
    compare_curves,
    compare_thresholds,
    find_regions,
    run_venkatraman,
)
from cutline.inference.differences.methods import INTERVALS, TESTS
from cutline.inference.differences.pair_tests import (
    AreaCovariance,
    PairTests,
    estimate_area_covariance,
    make_hypothesis,
)
from cutline.inference.differences.paired import (
    MeasureComparison,
    MeasureLike,
    PairedMeasure,
    compare_measure,
    find_models,
    resolve_measure,
)
from cutline.inference.resampling.pairing import Pairing, pair_models
from cutline.inference.resampling.samplers import check_strata
from cutline.inputs.alignment import align_groups, join_frames, read_models, resolve_thresholds, share_cases
from cutline.inputs.rank import Missing, WeightsAre
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.registry import list_measures
from cutline.results.base import NamedParts, Reported
from cutline.results.comparison_summary import ComparisonSummary, describe_models
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import Named, is_default_measure, list_headlines, select_measures
from cutline.results.notes import Note, make_resampling_notes
from cutline.results.resample_budget import (
    FEWEST_CURVES,
    choose_curve_resamples,
    choose_resamples_of_rows,
    is_affordable,
)
from cutline.results.summary import SummaryOptions, format_comparison, format_comparison_as_html

if TYPE_CHECKING:
    from cutline.charts import Picture
    from cutline.curves import SharedHull


@public
def compare(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | Mapping[str, float] | None = None,
    quota: float | None = None,
    share: float | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    data: Any = None,
    id: str | None = None,
    groups: Any = None,
    strata: Any = None,
    weights_are: WeightsAre | None = None,
) -> Comparison:
    """Compare models that scored the same cases.

    With `data`, columns are given by name: of one frame that holds the scores of all models, `compare("y", {"a": "p_a",
    "b": "p_b"}, data=frame)`, or of one frame for each model, whose rows are joined by the column `id`,
    `compare("y", "p", data={"a": frame_a, "b": frame_b}, id="case")`.

    Args:
        labels: The true classes, as in `evaluate`.
        scores: The scores of each model by its name, each column in the order of `labels`.
        weights: How much each case counts.
        positive: The label of the positive class; needed unless the labels tell.
        threshold: The cut of all models, or of each by its name; without `threshold`, `quota` or `share`, that which
            suits the scores of each, as in `evaluate`.
        quota: The number of cases that the cut of each model flags.
        share: The cut that flags this share of the cases of each model.
        missing: "error" refuses a case without a score of every model, "drop" leaves it out for all of them.
        higher_is_positive: Whether high scores mean positive.
        data: A data frame or file, or one for each model.
        id: The column that names each case, where the rows of several frames are joined.
        groups: The group that each case belongs to, as in `evaluate`: whole groups are resampled and exchanged.
        strata: The stratum that each case, or each group, was sampled from, as in `evaluate`.
        weights_are: What weights are, as in `evaluate`; with sampling or importance weights each row is one case.

    Returns:
        The comparison: a mapping of the evaluations, with tests and intervals of their differences.

    >>> found = compare([1, 1, 1, 0, 0, 0], {"a": [6, 5, 3, 4, 2, 1], "b": [6, 3, 2, 5, 4, 1]}, threshold=3.5)
    >>> found.test("accuracy").p_value  # a is right on all of b's right cases, and on two more
    0.25
    """
    columns = (labels, scores, weights, groups, strata)
    labels, scores, weights, groups, strata, ids = _read_columns(*columns, data, id, positive)
    check_one_order({"labels": labels, "groups": groups, "strata": strata})
    check_strata(strata, weights_are)
    cases = share_cases(labels, scores, weights, positive=positive, missing=missing, ids=ids, weights_are=weights_are)
    names = tuple(cases.scores)
    thresholds = dict.fromkeys(names) if threshold is None else resolve_thresholds(threshold, names)
    rankings = {name: cases.of(name).rank(higher_is_positive=higher_is_positive) for name in cases.scores}
    groups = None if groups is None else align_groups(groups, cases)
    apart = None if strata is None else align_groups(strata, cases, "strata")
    scored = list(rankings.values()), list(cases.scores.values())
    pairing = pair_models(*scored, cases.is_positive, cases.weights, groups, apart)
    models = {
        name: Evaluation(r, thresholds[name], name, pairing.sampler(model), quota, share)
        for model, (name, r) in enumerate(rankings.items())
    }
    return Comparison(models, pairing)


def _read_columns(
    labels: Any, scores: Any, weights: Any, groups: Any, strata: Any, data: Any, key: str | None, positive: Any
) -> tuple[Any, ...]:
    """Return the columns themselves, where they were given by name, and the ids of the cases, if they have some."""
    if data is not None and isinstance(scores, Mapping) and key is None:
        return *read_models(labels, scores, weights, data, positive, groups, strata), None
    if data is not None:
        return tuple(join_frames(labels, scores, weights, data, key, positive, groups, strata))
    if key is not None:
        raise ParameterError(
            "names a column of the frames in data",
            Text("pass ", Argument("data"), " with one frame for each model"),
            argument="id",
        )
    return labels, scores, weights, groups, strata, None


@public
@dataclass(frozen=True, eq=False)
class Comparison(Reported, NamedParts[str, Evaluation]):
    """Models on the same cases: a mapping of their evaluations, with paired comparisons."""

    evaluations: Mapping[str, Evaluation]
    pairing: Pairing

    whole: ClassVar[Mapping[str, Any]] = {"of_models": "all"}  # a document holds all measures of each model

    @property
    def _parts(self) -> Mapping[str, Evaluation]:
        return self.evaluations

    def __getitem__(self, name: str) -> Evaluation:
        return super().__getitem__(str(name))  # the models may have been named by numbers

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the models."""
        return tuple(self.evaluations)

    def values_of(self, measure: MeasureLike, **parameters: Any) -> dict[str, float]:
        """Return the value of a measure for each model.

        Args:
            measure: A measure, or your own function.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        chosen = resolve_measure(measure, parameters)
        return {name: evaluation.value(chosen, **parameters) for name, evaluation in self.items()}

    # ------------------------------------------------------------------ tests

    def test(
        self,
        measure: MeasureLike = "auc",
        method: str = "auto",
        *,
        alternative: str = "two-sided",
        margin: float | None = None,
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> PairTests:
        """Test whether the models differ in a measure: each pair, corrected for their number.

        Args:
            measure: A measure, or your own function, as in `Evaluation.estimate`.
            method: `auto` is DeLong's test for the AUC and what is linear in it, McNemar's mid-p test for shares of
                decisions (accuracy, recall, specificity, ...), and Student's t for other smooth measures; calibration
                errors and the best over all cuts are first corrected for their bias (docs/comparing.md).
            alternative: The hypothesis that a small p-value supports, of the first model a and the second b of a pair:
                "two-sided", they differ; "greater" or "less", the number of a; "non-inferior", a is not worse by the
                margin or more; "superior", a is better by more than the margin; "equivalent", they differ by less.
            margin: The difference that does not matter, for the last three.
            resamples: How many resamples or permutations are drawn; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples or permutations.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        check_choice(method, "method", TESTS)
        count = self._choose_resamples(resamples)
        compared = self._compare_measure(measure, parameters, count, check_whole(seed, "seed", 0))
        if method != "permutation":
            (compared,) = share_resamples([compared], self.pairing, count, seed, method)
        return run_pair_tests(compared, method, self.pairing, make_hypothesis(alternative, margin, compared.measure))

    def difference(
        self,
        measure: MeasureLike = "auc",
        a: str | None = None,
        b: str | None = None,
        *,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """Estimate by how much model a exceeds model b in a measure, with an interval.

        Args:
            measure: A measure, or your own function.
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            level: The level of the interval.
            method: `auto` is DeLong's interval for the AUC and what is linear in it, Tango's for shares of decisions,
                and the one of the same difference as the test for all else.
            resamples: How many resamples are drawn; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        level = check_level(level)
        return self._compare_two(measure, a, b, method, resamples, seed, parameters).estimate(method, level)

    def ratio(
        self,
        measure: MeasureLike = "recall",
        a: str | None = None,
        b: str | None = None,
        *,
        level: float = LEVEL,
        **parameters: Any,
    ) -> Estimate:
        """Estimate the ratio of the values of model a and model b, with an interval on the log scale.

        For sensitivities, predictive values (Moskowitz & Pepe 2006), likelihood ratios and every other smooth measure
        above 0. `test(measure, method="log_ratio")` tests whether this ratio is one.

        Args:
            measure: A smooth measure.
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            level: The level of the interval.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        level = check_level(level)
        return self._compare_two(measure, a, b, "auto", None, 0, parameters).ratio(level)

    def confidence_curve(
        self,
        measure: MeasureLike = "auc",
        a: str | None = None,
        b: str | None = None,
        *,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> ConfidenceCurve:
        """Return the intervals of a difference at all levels: how compatible each true difference is with the data.

        Args:
            measure: A measure, or your own function.
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            method: The method of the intervals, as in `difference`.
            resamples: How many resamples are drawn; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        pair = self._compare_two(measure, a, b, method, resamples, seed, parameters)
        return confidence_curve(pair.title, *pair.difference(method))

    def verdict(
        self,
        measure: MeasureLike = "auc",
        *,
        level: float = LEVEL,
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> str:
        """Describe in plain words which models a measure tells apart, and how many cases the others would take.

        Args:
            measure: A measure, or your own function.
            level: The level of the tests.
            resamples: How many resamples are drawn; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Parameters of the measure, and its cut, if not that of the models.
        """
        level, count = check_level(level), self._choose_resamples(resamples)
        compared = self._compare_measure(measure, parameters, count, check_whole(seed, "seed", 0))
        (compared,) = share_resamples([compared], self.pairing, count, seed)
        return "\n".join(compared.sentences(level))

    # ------------------------------------------------------------------ many measures

    def method(self, measure: MeasureLike = "auc") -> str:
        """Return the test that `method="auto"` chooses for a measure.

        Args:
            measure: A measure, or your own function.
        """
        return self._compare_measure(measure, {}, 1, 0).choose("auto").name

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        of_models: Iterable[Named] | Literal["all"] | None = None,
        level: float = LEVEL,
        resamples: int | None = None,
        seed: int = 0,
        goal: str | None = None,
        primary: str | None = None,
    ) -> ComparisonSummary:
        """Return the models and their differences, a row for each measure and pair: what every view shows.

        All measures share the same resamples. p_holm is corrected for the pairs, not for the number of measures. What
        qualifies a row is in its column `note`; printed, each note stands once below the table.

        Args:
            measures: The measures, as in `Evaluation.summary`; the headlines when None.
            of_models: Those that the summary of each model holds; the same when None, and all of them with "all".
            level: The level of intervals and tests.
            resamples: The number of resamples; by the length of the list when None, and 0 to resample nothing.
            seed: The seed of the resamples.
            goal: The question that matters, which the verdict answers first: "rank", "probabilities", "quota" or "cut".
            primary: The measure that decides its question, which the verdict answers first.
        """
        level, seed = check_level(level), check_whole(seed, "seed", 0)
        first = next(iter(self.values()))
        chosen = select_measures(
            list_headlines(first.cut) if measures is None else measures, None, first.ranking, first.cut
        )
        count = self._limit_resamples(len(chosen), resamples)
        question = {"goal": goal, "primary": primary}
        compared = compare_measures(chosen, self.pairing, self._cuts, level, count, seed, **question)
        if isinstance(of_models, str) and of_models == "all":
            every = select_measures(None, None, first.ranking, first.cut)
            any_probabilities = any(ranking.are_probabilities for ranking in self.pairing.rankings)
            of_models = [w.measure for w in every if is_default_measure(w.measure, are_probabilities=any_probabilities)]
        model_measures = (
            [(selected.measure, selected.at) for selected in chosen] if of_models is None else list_measures(of_models)
        )
        models = {n: e.summary(model_measures, level=level, resamples=resamples, seed=seed) for n, e in self.items()}
        return ComparisonSummary(
            models,
            SummaryOptions(level, first.cut, resamples=resamples, resamples_used=count, seed=seed),
            compared.rows,
            compared.verdict,
            compared.omnibus,
            {curve: self.dominance(curve) for curve in CURVES},
            tuple(make_resampling_notes(len(self.pairing), resamples, *compared.resampling, is_wanted=True)),
            compared.confidence,
            goal,
            primary,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on the main measures, warnings first, as the terminal prints them."""
        summary = import_module("cutline.advice").add_notes(self, self.summary())
        return (*summary.notes, *summary.row_notes)

    def _limit_resamples(self, measures: int, resamples: int | None) -> int:
        """Return the number of bootstrap samples as requested, or by the budget; 0 if it would be exceeded."""
        count = self._choose_resamples(resamples, least=0)
        cost = measures * len(self)
        return count if resamples is not None or is_affordable(cost, len(self.pairing), count) else 0

    def _choose_resamples(self, resamples: int | None, least: int = 1) -> int:
        return (
            choose_resamples_of_rows(len(self.pairing))
            if resamples is None
            else check_whole(resamples, "resamples", least)
        )

    @property
    def _cuts(self) -> dict[str, CutPoint]:
        return {name: evaluation.cut for name, evaluation in self.items()}

    # ------------------------------------------------------------------ pairs of models

    def _compare_measure(
        self, measure: MeasureLike, parameters: Mapping[str, Any], resamples: int, seed: int
    ) -> MeasureComparison:
        """Return the comparison of all models, and of each pair, in a measure."""
        chosen = resolve_measure(measure, parameters)
        return compare_measure(self.pairing, self._cuts, chosen, parameters, resamples, seed, strict=True)

    def _compare_two(
        self,
        measure: MeasureLike,
        a: str | None,
        b: str | None,
        method: str,
        resamples: int | None,
        seed: int,
        parameters: Mapping[str, Any],
    ) -> PairedMeasure:
        """Return the comparison of two of the models in a measure."""
        check_choice(method, "method", INTERVALS)
        i, j = find_models(self.names, a, b)
        pairs = self._compare_measure(
            measure, parameters, self._choose_resamples(resamples), check_whole(seed, "seed", 0)
        ).pairs
        return pairs[i, j] if i < j else pairs[j, i].swap_models()

    # ------------------------------------------------------------------ curves and charts

    def auc_covariance(self) -> AreaCovariance:
        """Return the AUCs of all models and their covariance (DeLong, DeLong & Clarke-Pearson 1988)."""
        return estimate_area_covariance(self.names, self.pairing)

    def venkatraman(
        self, a: str | None = None, b: str | None = None, *, permutations: int = 2000, seed: int = 0
    ) -> RocTest:
        """Whether the whole ROC curves of two models differ, wherever that may be (Venkatraman & Begg 1996).

        Args:
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            permutations: How often the models' ranks are exchanged at random.
            seed: The seed of the permutations.
        """
        i, j = find_models(self.names, a, b)
        number = check_whole(permutations, "permutations", 1)
        names = (self.names[i], self.names[j])
        return run_venkatraman(self.pairing.of(i, j), names, number, check_whole(seed, "seed", 0))

    def hull(self) -> SharedHull:
        """Return the ROC convex hull of all models, and which of them owns which part: the best for some costs and
        skew.
        """
        from cutline.curves import shared_hull

        return shared_hull(dict(zip(self.names, self.pairing.rankings, strict=True)))

    def dominance(self, curve: str = "roc", *, measure: str | Measure = "accuracy", **parameters: Any) -> Dominance:
        """Find the part of an axis where each model is the best, and whether one dominates everywhere.

        Args:
            curve: "roc" (by false positive rate), "quota" (positives found, by places of the list), "precision_recall"
                (by recall), or "threshold" (a measure of one cut, by the threshold that all are cut at).
            measure: The measure that "threshold" compares.
            **parameters: The parameters of that measure.
        """
        check_choice(curve, "curve", (*CURVES, "threshold"))
        rankings = list(self.pairing.rankings)
        if curve != "threshold":
            return compare_curves(curve, self.names, rankings)
        chosen = MEASURES[measure]
        if chosen.needs is not Needs.COUNTS or chosen.better is None:
            raise ParameterError(f"{chosen.name} is not a measure of one cut with a better direction", "choose another")
        return compare_thresholds(chosen, self.names, rankings, **parameters)

    def regions(
        self, curve: str = "roc", *, level: float = LEVEL, resamples: int | None = None, seed: int = 0
    ) -> Regions:
        """Find the parts of a curve where a model is better than all others, with simultaneous confidence.

        `dominance` says who leads in this sample; this says where that cannot be chance.

        Args:
            curve: "roc" (by false positive rate), "precision_recall" (by recall) or "quota" (by share of the list).
            level: The confidence that everything that is said holds at once.
            resamples: How many resamples are drawn; 1000, or fewer for long lists, when None.
            seed: The seed of the resamples.
        """
        check_choice(curve, "curve", tuple(HEIGHTS))
        number = (
            choose_curve_resamples(len(self.pairing))
            if resamples is None
            else check_whole(resamples, "resamples", FEWEST_CURVES)
        )
        if not self.pairing.has_both_classes:
            raise ParameterError("All cases are of one class, and one class has no curve", "pass cases of both")
        return find_regions(self.pairing, self.names, curve, check_level(level), number, check_whole(seed, "seed", 0))

    @overload
    def chart(self, name: str, *, ax: None = None, **parameters: Any) -> Picture: ...

    @overload
    def chart(self, name: str, *, ax: object, **parameters: Any) -> Any: ...

    def chart(self, name: str, *, ax: Any = None, **parameters: Any) -> Any:
        """Return a chart by its name: a picture that shows itself in a notebook and saves itself as a file.

        Args:
            name: The name of the chart, such as "roc" (`CHARTS` lists them), or a measure of one cut.
            ax: Axes of matplotlib to draw a chart of curves on; they are returned in place of a picture.
            **parameters: Parameters of the chart, and `theme`, `title`, `width` and `height`.
        """
        from cutline.charts import chart

        return chart(name, self, ax=ax, **parameters)

    if not TYPE_CHECKING:  # which knows the methods by name

        def __getattr__(self, name: str) -> Any:
            is_measure = not name.startswith("_") and name in MEASURES
            hint = f' Use cmp.values_of("{name}").' if is_measure else hint_elsewhere(name).replace("ev.", "cmp.")
            raise UnavailableError(f"Comparison has no {name!r}.{hint}")

    # ------------------------------------------------------------------ looks

    @property
    def title(self) -> str:
        """Return the number of models and the cases, in one line."""
        return describe_models(self.evaluations)

    def _tabulate_headlines(self) -> Table:
        rows = []
        for m in list_headlines():
            values = [e.value(m) if m.fits(e.ranking) else math.nan for e in self.values()]
            rows.append((m.title + (f" ({m.unit})" if m.unit else ""), *values))
        return Table(("measure", *self.names), tuple(rows))

    def __repr__(self) -> str:
        return format_comparison(self.title, self._tabulate_headlines(), self.summary().statements)

    def _repr_html_(self) -> str:
        return format_comparison_as_html(self.title, self._tabulate_headlines(), self.summary().statements)


# ---------------------------------------------------------------------- counts alone

_EQUAL_VALUES = 1e-12


@public
def compare_counts(
    tables: Mapping[str, Counts], measures: Iterable[str | Measure] | str | Measure | None = None
) -> Table:
    """Return the measures of several hard classifiers side by side, and the order in which each puts them.

    Without the cases themselves nothing can be said of differences: `mcnemar` needs to know who was right on which.

    >>> from cutline.examples import load
    >>> table = compare_counts(load("murphy_table_4").tables, ["accuracy", "mutual_information"])
    >>> [row["order"] for row in table]
    ['A = B > C', 'B > C > A']

    Args:
        tables: The counts of each classifier by its name; shares of all cases will do.
        measures: The measures of one cut; all of them by default.
    """
    _check_tables(tables)
    chosen = (
        MEASURES.search(needs=Needs.COUNTS)
        if measures is None
        else [MEASURES[measure] for measure in list_measures(measures)]
    )
    other = next((measure for measure in chosen if measure.needs is not Needs.COUNTS), None)
    if other is not None:
        raise ParameterError(
            f"{other.name} is not a measure of one cut, and a table holds no more than that", "leave it out"
        )
    rows = []
    for measure in chosen:
        values = {name: float(measure.compute(table)) for name, table in tables.items()}
        rows.append((str(measure), measure.title, *values.values(), write_order(values, measure.better)))
    return Table(("measure", "title", *tables, "order"), tuple(rows), hidden=("title",))


def _check_tables(tables: object) -> None:
    if not isinstance(tables, Mapping) or not tables:
        raise InputError(
            "No tables were given", "pass counts by name, such as {'A': cl.Counts(tp=9, fp=1, fn=0, tn=0)}"
        )
    for name, table in tables.items():
        if not isinstance(table, Counts) or np.ndim(table.tp):
            problem = f"What is given for {name!r} is no table of one cut"
            raise InputError(problem, "pass cl.Counts, or ev.at(threshold=0.5)")


def write_order(values: Mapping[str, float], better: str | None) -> str:
    """Write the names from the best to the worst, with = between equal ones, without undefined ones.

    >>> write_order({"A": 0.9, "B": 0.9, "C": 0.88}, "higher")
    'A = B > C'
    """
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if better is None or len(known) < 2:
        return "no order"
    ranked = sorted(known, key=lambda name: (-known[name] if better == "higher" else known[name], name))
    text = ranked[0]
    for before, name in itertools.pairwise(ranked):
        same = known[before] == known[name] or abs(known[before] - known[name]) <= _EQUAL_VALUES
        text += f" {'=' if same else '>'} {name}"
    return text if len(known) == len(values) else f"{text} (the others are undefined)"
