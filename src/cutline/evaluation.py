"""evaluate(): from predictions to every measure, on demand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from cutline.core import validation
from cutline.core.counts import Counts
from cutline.core.errors import Argument, CutlineError, ParameterError, Text, UnavailableError, hint_similar
from cutline.core.measure_attributes import EveryMeasure
from cutline.core.public import hint_elsewhere, public
from cutline.core.ranking import Ranking
from cutline.core.table import Table
from cutline.core.validation import LEVEL, check_intervals, check_level, check_whole, clean_model_name
from cutline.inference.resampling.samplers import GroupSampler, make_sampler
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimate_measures
from cutline.inference.single.summary_rows import make_rows
from cutline.inputs import column_source
from cutline.inputs.rank import Missing, WeightsAre, check_weights_are, cut_ranking, rank, select_complete_cases
from cutline.measures import MEASURES, Family, Measure
from cutline.measures.aliases import use_alias
from cutline.measures.registry import list_measures
from cutline.results.base import Reported
from cutline.results.cut_point import CutPoint, cut_point
from cutline.results.estimate import Estimate, with_note
from cutline.results.measure_selection import Named, list_headlines, select_measures
from cutline.results.notes import Note, make_data_notes, make_resampling_notes
from cutline.results.resample_budget import choose_resamples, explain_fewer, is_affordable
from cutline.results.summary import Data, Summary, SummaryOptions, format_first_look, format_first_look_as_html

if TYPE_CHECKING:
    from cutline.calibration import Calibration
    from cutline.charts import Picture
    from cutline.curves import Curve
    from cutline.curves.gains import Gains
    from cutline.folds.evaluation import FoldEvaluation
    from cutline.inference.permutation import PermutationTest
    from cutline.quota_periods import QuotaPeriods
    from cutline.slices.evaluation import Slices


@overload
def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | None = None,
    quota: float | None = None,
    share: float | None = None,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    groups: Any = None,
    data: Any = None,
    weights_are: WeightsAre | None = None,
    strata: Any = None,
    exact: bool | None = None,
    memory: str | None = None,
    by: None = None,
    folds: None = None,
    repeats: None = None,
    train_sizes: None = None,
    quota_by: None = None,
) -> Evaluation: ...
@overload
def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | Mapping[Any, float] | None = None,
    quota: float | None = None,
    share: float | None = None,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    groups: Any = None,
    data: Any = None,
    weights_are: WeightsAre | None = None,
    strata: Any = None,
    exact: bool | None = None,
    memory: str | None = None,
    by: Any,
) -> Slices: ...
@overload
def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | None = None,
    quota: float | None = None,
    share: float | None = None,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    groups: Any = None,
    data: Any = None,
    weights_are: WeightsAre | None = None,
    folds: Any,
    repeats: Any = None,
    train_sizes: Any = None,
) -> FoldEvaluation: ...
@overload
def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    quota: float | Mapping[Any, float] | None = None,
    share: float | None = None,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    data: Any = None,
    weights_are: WeightsAre | None = None,
    memory: str | None = None,
    quota_by: Any,
) -> QuotaPeriods: ...
@public
def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | Mapping[Any, float] | None = None,
    quota: float | Mapping[Any, float] | None = None,
    share: float | None = None,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    groups: Any = None,
    data: Any = None,
    weights_are: WeightsAre | None = None,
    strata: Any = None,
    exact: bool | None = None,
    memory: str | None = None,
    by: Any = None,
    folds: Any = None,
    repeats: Any = None,
    train_sizes: Any = None,
    quota_by: Any = None,
) -> Any:
    """Evaluate the predictions of one model.

    Intervals and tests assume one fixed model and cases that it was not fitted on. Out-of-fold scores of a
    cross-validation come from several models: pass `folds`.

    Args:
        labels: The true classes: booleans, 0/1, -1/+1, or any two values with `positive`.
        scores: One number for each label; probabilities, points, margins.
        weights: How much each case counts; a whole number equals that many equal rows.
        positive: The label of the positive class; needed unless the labels tell.
        threshold: The cut at which measures of one cut are read: a case is predicted positive when its score is at or
            above it. Without `threshold`, `quota` or `share` it is 0.5 for scores from 0 to 1, and otherwise the score
            at which about as many cases are flagged as are positive.
        quota: The number of cases that the cut flags.
        share: The cut that flags this share of the cases.
        name: What to call the model.
        missing: "error" refuses rows with a missing value, "drop" leaves them out and counts them.
        higher_is_positive: Whether high scores mean positive.
        groups: The group that each case belongs to, such as a patient with several visits. Intervals then resample
            whole groups, because the cases of one are not independent.
        data: A data frame of any kind or the path of files (CSV, Parquet, JSON lines, Arrow): of one, of a folder, a
            pattern such as "preds/*.parquet", or a list of these. `labels`, `scores`, `weights` and `groups` are then
            names of columns.
        exact: With `data` that another engine holds: whether all distinct scores are collected. When None, more than
            four million are put into bins, and every number that this affects has a bracket.
        memory: How much memory DuckDB may use for files, such as "2GB"; beyond it works on disk.
        by: The slice that each case belongs to, such as a site, or with `data` the name of its column, several of them
            in a list, or ranges of a number, such as {"age": [0, 40, 65, 120]}: the result is then a mapping of
            evaluations at one cut, `cutline.Slices`. `threshold` may then be a mapping of slices to thresholds.
        folds: The fold of each case, where its score is from a model that was fitted without that fold, or the name of
            its column. The result is then a `cutline.FoldEvaluation`: means over the folds, with
            intervals for the model fitted on all cases.
        repeats: With `folds`, the repeat that each row belongs to, where the cases were split several times.
        train_sizes: With `folds`, how many cases the models were fitted on; by default, all but those of the fold.
        quota_by: The period that each case belongs to, such as a flight or a year, or the name of its column: the
            quota (a number, or a number by period), or the share, is then filled in each period by itself, and the
            result is a `cutline.QuotaPeriods`.
        weights_are: What weights are. "counts": numbers of equal rows. "sampling": one over the chance with which a
            case was drawn, so that the sample stands for a population; intervals are by linearisation. "importance":
            how much a case counts, in a plain sample. By default whole numbers are counts and others importance.
        strata: The stratum that each case, or each group, was sampled from; intervals follow from the spread within.

    Returns:
        The evaluation: every measure is an attribute, `estimate` adds intervals, `summary` shows all of them.

    >>> ev = evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.2])
    >>> round(ev.auc, 6), round(ev.precision, 6), round(ev.value("f_beta", beta=2), 6)
    (0.833333, 0.666667, 0.666667)
    """
    if threshold is not None and not (by is not None and isinstance(threshold, Mapping)):
        threshold = validation.check_number(threshold, "threshold")
    check_weights_are(weights_are, weights)
    how: dict[str, Any]
    if quota_by is not None:
        others = {"threshold": threshold, "by": by, "groups": groups, "strata": strata}
        how = {"positive": positive, "missing": missing, "weights_are": weights_are, "memory": memory}
        how["higher_is_positive"] = higher_is_positive
        places = {"quota": quota, "share": share, "name": name}
        return _evaluate_periods((labels, scores, weights), quota_by, data, how, places, others)
    how = {"positive": positive, "missing": missing, "weights_are": weights_are}
    cut: dict[str, Any] = {"threshold": threshold, "quota": quota, "share": share}
    if folds is not None:
        if by is not None or strata is not None:
            raise ParameterError("by and strata cannot be combined with folds", "leave them out")
        split = {"folds": folds, "repeats": repeats, "train_sizes": train_sizes, "groups": groups, "data": data}
        how |= {"higher_is_positive": higher_is_positive, "name": name}
        return _evaluate_folds((labels, scores, weights), split | how | cut)
    if repeats is not None or train_sizes is not None:
        which = "repeats" if repeats is not None else "train_sizes"
        raise ParameterError("is given without folds", Text("pass ", Argument("folds"), " too"), argument=which)
    if by is not None:
        how |= {"exact": exact, "memory": memory, "higher_is_positive": higher_is_positive}
        return _evaluate_slices((labels, scores, weights), by, data, how, cut | {"name": name}, (groups, strata))
    by_rows = groups is not None or strata is not None or (weights_are == "sampling" and weights is not None)
    if not by_rows:
        how |= {"exact": exact, "memory": memory, "threshold": threshold, "higher_is_positive": higher_is_positive}
        return Evaluation(rank(labels, scores, weights, data=data, **how), name=name, **cut)
    if data is not None:  # the cases are looked at one by one
        columns = column_source.request_columns(labels, scores, weights, groups, strata, positive=positive)
        with column_source.read_rows(column_source.open_source(data), columns, any_order=True) as rows:
            arguments: dict[str, Any] = {"name": name, "higher_is_positive": higher_is_positive, **rows, **how, **cut}
            return evaluate(**arguments)
    validation.check_one_order({"labels": labels, "groups": groups, "strata": strata})
    cases = select_complete_cases(labels, scores, weights, **how)
    ranking = cases.rank(higher_is_positive=higher_is_positive)
    return Evaluation(ranking, name=name, groups=make_sampler(ranking, cases, groups, strata, weights_are), **cut)


def _evaluate_slices(
    columns: tuple[Any, Any, Any], by: Any, data: Any, how: Any, cut: Any, apart: tuple[Any, Any]
) -> Slices:
    """Evaluate each slice. Slices are a layer above, so their module is imported by name."""
    groups, strata = apart
    if strata is not None:
        raise ParameterError("strata cannot be combined with by", "evaluate the slices one by one")
    options = {"data": data, "how": how, "cut": cut, "groups": groups}
    slices: Slices = import_module("cutline.slices.evaluation").evaluate_slices(*columns, by, **options)
    return slices


def _evaluate_folds(columns: tuple[Any, Any, Any], options: dict[str, Any]) -> Any:
    """Evaluate folds; their package is a layer above, so it is imported by name."""
    return import_module("cutline.folds.evaluation").evaluate_folds(*columns, **options)


def _evaluate_periods(
    columns: tuple[Any, Any, Any], period: Any, data: Any, options: Any, places: Any, others: Any
) -> Any:
    """Evaluate a quota in each period; its module is a layer above, so it is imported by name."""
    for name, value in others.items():
        if value is not None:
            raise ParameterError(f"{name} cannot be combined with quota_by", "leave one of them out")
    return import_module("cutline.quota_periods").evaluate_periods(
        *columns, period, data=data, options=options, **places
    )


@public
class MeasuredAtCut(Reported, EveryMeasure):
    """What evaluations have in common, of one list or of folds: every measure is an attribute, and there is one cut."""

    ranking: Ranking
    threshold: Any  # a float once __post_init__ has found the cut
    name: str | None
    quota: float | None
    share: float | None
    cut: CutPoint

    def __post_init__(self) -> None:
        cut = cut_point(self.ranking, self.threshold, self.quota, self.share)
        object.__setattr__(self, "name", clean_model_name(self.name))
        object.__setattr__(self, "cut", cut)
        object.__setattr__(self, "threshold", cut.threshold)

    @abstractmethod
    def value(self, measure: str | Measure, **parameters: Any) -> float:
        """Return the value of a measure."""

    @property
    def counts(self) -> Counts:
        """Return the counts at the cut; of folds, those of the first repeat."""
        return self.cut.counts(self.ranking)

    if not TYPE_CHECKING:  # which knows the measures by name

        def __getattr__(self, name: str) -> float:
            if name.startswith("_") or name not in MEASURES:
                hint = hint_elsewhere(name) or hint_similar(name, MEASURES.names)
                raise UnavailableError(
                    f"{type(self).__name__} has no attribute {name!r}, and there is no measure of that name.{hint}"
                )
            try:
                return self.value(name)
            except CutlineError as error:  # so that hasattr() answers instead of raising
                raise UnavailableError(str(error)) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *MEASURES.names]

    def _summarise_headlines(self) -> Summary:
        """Return the first look."""
        summary: Summary = self.summary(list_headlines())
        return summary

    def __repr__(self) -> str:
        return format_first_look(self._summarise_headlines())

    def _repr_html_(self) -> str:
        return format_first_look_as_html(self._summarise_headlines())


@public
@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(MeasuredAtCut):
    """The evaluation of one model's predictions. Every measure is an attribute, by name or alias.

    `threshold` is the score at the cut, whatever names it: a threshold, a quota, a share, or the default.
    """

    ranking: Ranking
    threshold: Any = None  # a float once __post_init__ has found the cut
    name: str | None = None
    groups: GroupSampler | None = None
    quota: float | None = None
    share: float | None = None
    cut: CutPoint = field(init=False)

    def with_cut(
        self, *, threshold: float | None = None, quota: float | None = None, share: float | None = None
    ) -> Evaluation:
        """Return the same predictions, cut elsewhere.

        Args:
            threshold: The score from which on a case is predicted positive.
            quota: How many cases are flagged.
            share: Which share of the cases is flagged.
        """
        return Evaluation(self.ranking, threshold, self.name, self.groups, quota, share)

    # ------------------------------------------------------------------ one number

    def value(self, measure: str | Measure, *, as_: str | None = None, **parameters: Any) -> float:
        """Return the value of a measure; NaN where it is undefined, and `reason` says why.

        Args:
            measure: The measure, by name or alias.
            as_: A tool, such as "torchmetrics": the number that it would print (docs/ledger.md).
            **parameters: Its parameters, such as `beta=2`, and where it is cut: `threshold`, `quota` or `share`.
        """
        if as_ is not None:  # the ledger stands above evaluations: it is loaded by name
            return float(import_module("cutline.ledger").value_as(self, measure, as_, **parameters))
        chosen = MEASURES[measure]
        data, parameters = self._prepare(chosen, parameters)
        return float(chosen.compute(data, **parameters))

    def reason(self, measure: str | Measure, **parameters: Any) -> str:
        """Return the reason why a measure is undefined here; empty when it has a value.

        Args:
            measure: The measure, by name or alias.
            **parameters: Its parameters, such as `beta=2`, and where it is cut: `threshold`, `quota` or `share`.
        """
        chosen = MEASURES[measure]
        if not chosen.fits(self.ranking):
            return chosen.reason(self.ranking)
        data, parameters = self._prepare(chosen, parameters)
        return chosen.reason(data, **parameters)

    def threshold_of(self, measure: str | Measure, **parameters: Any) -> float:
        """Return the threshold where a measure that searches the cuts, such as max_youden_j, found its value.

        Of several cuts that are equally good it is the first, with the highest scores; the estimate names the others.

        Args:
            measure: The measure, by name or alias.
            **parameters: The parameters of the measure.
        """
        return MEASURES[measure].threshold(self.ranking, **parameters)

    def _prepare(self, measure: Measure, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return measure.prepare(self.ranking, self.cut.complete_parameters(measure, parameters))

    # ------------------------------------------------------------------ chance

    def permutation_test(
        self, measure: str | Measure = "auc", *, permutations: int = 2000, seed: int = 0, **parameters: Any
    ) -> PermutationTest:
        """Whether the scores have to do with the labels: how often shuffled labels give as good a value.

        Args:
            measure: The measure, by name.
            permutations: How often the labels are shuffled.
            seed: The seed of the shuffles.
            **parameters: The parameters of the measure.

        >>> ev = evaluate([1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
        >>> ev.permutation_test("auc", permutations=999).value  # 1 of the 20 ways to place three labels does as well
        1.0
        """
        permutations, seed = check_whole(permutations, "permutations", 1), check_whole(seed, "seed", 0)
        if self.groups is not None:
            raise ParameterError(
                "permutation_test shuffles the labels of independent cases, but these come in groups",
                "ask for estimate(), whose interval resamples whole groups",
            )
        chosen = use_alias(MEASURES[measure], measure)
        from cutline.inference.permutation import permute_labels  # which loads pairs of models

        return permute_labels(
            self.ranking, chosen, self.cut.complete_parameters(chosen, parameters), permutations, seed
        )

    # ------------------------------------------------------------------ how sure

    def estimate(
        self,
        measure: str | Measure | Callable[..., float],
        level: float = LEVEL,
        method: str = "auto",
        *,
        resamples: int | None = None,
        seed: int = 0,
        stratified: bool = False,
        **parameters: Any,
    ) -> Estimate:
        """Return a measure with its interval; `method="auto"` chooses by what the measure is, and the result names the
        choice.

        Args:
            measure: A measure, or your own function: of the `Ranking`, or, with `threshold`, `quota` or `share`, of
                the `Counts` of that cut.
            level: The level of the interval.
            method: How the interval is made; docs/intervals.md lists the methods.
            resamples: The number of resamples of a bootstrap; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            stratified: Whether the bootstrap draws each class by itself, so that their sizes stay.
            parameters: Parameters of the measure, and its cut, if not that of the evaluation.

        >>> ev = evaluate([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
        >>> ev.estimate("recall", method="clopper_pearson", threshold=0.55)
        recall 0.6000 [0.1466, 0.9473] (95 %, Clopper-Pearson)
        """
        return self._estimate_all(
            [self._make_estimand(measure, parameters)], level, method, resamples, seed, stratified
        )[0]

    def estimates(
        self,
        measures: Iterable[str | Measure | Callable[..., float]] | str | Measure,
        level: float = LEVEL,
        method: str = "auto",
        *,
        resamples: int | None = None,
        seed: int = 0,
        stratified: bool = False,
    ) -> list[Estimate]:
        """Return several measures with their intervals, those of the bootstrap on the same resamples.

        Args:
            measures: Measures, or your own functions, as in `estimate`.
            level: The level of the intervals.
            method: How the intervals are made.
            resamples: The number of resamples; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            stratified: Whether the bootstrap draws each class by itself, so that their sizes stay.
        """
        names = list_measures(measures)
        estimands = [self._make_estimand(measure, {}) for measure in names]
        return self._estimate_all(estimands, level, method, resamples, seed, stratified)

    def _estimate_all(
        self, estimands: list[Estimand], level: float, method: str, resamples: int | None, seed: int, stratified: bool
    ) -> list[Estimate]:
        count = choose_resamples(len(self.ranking)) if resamples is None else resamples
        intervals = estimate_measures(estimands, IntervalRequest(level, method, count, seed, stratified))
        return with_note(intervals, explain_fewer(len(self.ranking), count, resamples))

    def _make_estimand(self, measure: str | Measure | Callable[..., float], parameters: dict[str, Any]) -> Estimand:
        if callable(measure) and not isinstance(measure, Measure):
            return Estimand.of_function(measure, self.ranking, parameters, self.groups)
        chosen = use_alias(MEASURES[measure], measure)
        completed = self.cut.complete_parameters(chosen, parameters)
        return Estimand.of_measure(chosen, self.ranking, completed, self.groups).with_bracket(completed)

    # ------------------------------------------------------------------ one cut

    def at(self, *, threshold: float | None = None, quota: float | None = None, share: float | None = None) -> Counts:
        """Return the counts of one cut: of a threshold, of a quota of places, or of a share of the list.

        Args:
            threshold: Cases whose score reaches it are flagged.
            quota: How many cases are flagged, from the top of the list.
            share: The same as a share of the cases, from 0 to 1.

        >>> evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).at(quota=2)  # the second place goes to one of two tied cases
        Counts(tp=1.5, fp=0.5, fn=0.5, tn=1.5, threshold=0.6)
        """
        return cut_ranking(self.ranking, threshold=threshold, quota=quota, share=share)

    def at_prevalence(
        self, prevalence: float, *, level: float = LEVEL, risk: float | None = None
    ) -> dict[str, Estimate]:
        """Return precision, npv, accuracy, F1 and net benefit of the cut at another prevalence, by name.

        Args:
            prevalence: The share of positives there.
            level: The level of the intervals.
            risk: The threshold probability of the net benefit; the threshold itself where that is a probability.
        """
        from cutline.inference.single.at_prevalence import at_prevalence

        return at_prevalence(self.ranking, self.threshold, prevalence, level=level, risk=risk, groups=self.groups)

    def calibration(self, **options: Any) -> Calibration:
        """Whether the probabilities can be trusted: numbers, a test, a bound and a verdict; see `calibration()`."""
        from cutline.calibration import calibration

        return calibration(self, **options)

    # ------------------------------------------------------------------ many numbers

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        family: Family | str | None = None,
        threshold: float | None = None,
        quota: float | None = None,
        share: float | None = None,
        intervals: bool | Literal["bootstrap", "formula"] = True,
        level: float = LEVEL,
        resamples: int | None = None,
        seed: int = 0,
    ) -> Summary:
        """Return the measures with values, intervals, baselines, and why one is undefined: what every view shows.

        Args:
            measures: Which ones, by name, or with parameters as in ("precision", {"quota": 500}); all when None.
            family: All measures of one question: cut, ranking, probability, quota or cost.
            threshold: Another cut than that of the evaluation, for this summary; or `quota`, or `share`.
            quota: The number of cases that the cut flags. It adds the measures of a quota.
            share: The cut that flags this share of the cases. It adds the measures of a quota.
            intervals: True for a formula where there is one and the bootstrap otherwise, as far as
                `cutline.results.resample_budget` allows; "bootstrap" for every interval, however long it takes;
                "formula" to resample nothing; False for values alone.
            level: The level of the intervals.
            resamples: The number of resamples; by the length of the list when None, and 0 to resample nothing.
            seed: The seed of the resamples.
        """
        check_intervals(intervals)
        resamples = None if resamples is None else check_whole(resamples, "resamples", 0)
        if threshold is not None or quota is not None or share is not None:
            moved = self.with_cut(threshold=threshold, quota=quota, share=share)
            return moved.summary(
                measures, family=family, intervals=intervals, level=level, resamples=resamples, seed=seed
            )
        options = SummaryOptions(check_level(level), self.cut, intervals=intervals, resamples=resamples, seed=seed)
        chosen = select_measures(measures, family, self.ranking, self.cut)
        rows, options = make_rows(chosen, self.ranking, self.groups, options)
        is_open, is_wanted = any(row.is_open for row in rows), intervals is True
        more = make_resampling_notes(len(self.ranking), resamples, options.resamples_used, is_open, is_wanted=is_wanted)
        return Summary(self._data, options, self.counts, rows, (*self.data_notes, *more))

    @property
    def _data(self) -> Data:
        return Data(self.name, self.ranking, *(self.groups.described if self.groups else ()))

    def verdict(self, *, level: float = LEVEL) -> str:
        """Describe in two sentences how well the model ranks and what its cut does: the first lines of every view.

        Args:
            level: The level of the interval.

        >>> import cutline as cl
        >>> print(cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).verdict().splitlines()[1])
        At score ≥ 0.5 it flags 3 of 4 cases: it finds 2 of the 2 positives and misses 0, with 1 false alarm.
        """
        return "\n".join(self.summary(["auc"], level=level).verdict)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on the main measures, warnings first, as the terminal prints them.

        Each note has its `text`, its `kind` ("warning", "advice" or "fact"), its `rule` and its `source`.
        """
        # Advice stands above what is evaluated; it is loaded by name, and only when somebody asks.
        summary = import_module("cutline.advice").add_notes(self, self.summary(list_headlines(self.cut)))
        return (*summary.notes, *summary.row_notes)

    @property
    def data_notes(self) -> tuple[Note, ...]:
        """Return the notes on the data alone, whatever is measured: part of `notes`, without resampling."""
        own = tuple(make_data_notes(self.ranking, self.cut, self._data.groups))
        if self.groups is None:
            return own
        from cutline.inference.folds import find_fold_notes

        return (*own, *find_fold_notes(self.groups))

    # ------------------------------------------------------------------ curves and charts

    def gains(self, portions: int | Sequence[float] = 10) -> Gains:
        """Return the gains table: what each portion of the list holds, from the top, with score ranges and KS.

        Args:
            portions: Into how many portions the list is divided; or the shares of the list at which they end, such as
                [0.01, 0.05, 0.1].
        """
        from cutline.curves.gains import gains

        return gains(self.ranking, portions)

    def curve(self, name: str, **parameters: Any) -> Curve:
        """Return a curve by its name, or any measure of one cut over the threshold: `CURVES` lists them.

        Args:
            name: The name of the curve, such as "roc", or a measure of one cut.
            **parameters: Parameters of the curve or of the measure.

        >>> import cutline as cl
        >>> cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).curve("roc").area
        0.875
        """
        from cutline.curves import curve

        return curve(self.ranking, name, **parameters)

    def places(self, ids: Sequence[Any] | None = None, scores: Any = None) -> Table:
        """Return what every place of the list brings: score, class, counts, rates, lift, hit rate, Qrecall and their
        areas.

        It is Berrar's Figure 2 (and, for signed distances, 8b) and Table 5 of Arbel and Rokach as one table. Inside a
        tie all is an expectation over the orders of the tied cases.

        >>> import cutline as cl
        >>> [row["lift"] for row in cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).places()][:2]
        [2.0, 1.5]

        Args:
            ids: The names of the cases, where no scores are tied.
            scores: The score of each named case, in the order of the names: an evaluation keeps no rows.
        """
        from cutline.curves import make_list_table

        return make_list_table(self.ranking, ids, scores)

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

    # ------------------------------------------------------------------ looks

    def _summarise_headlines(self) -> Summary:
        """Return the first look, within about a second: intervals that would take longer are left out."""
        headlines = list_headlines()
        quick = is_affordable(len(headlines), len(self.ranking), choose_resamples(len(self.ranking)), quick=True)
        return self.summary(headlines, intervals=True if quick else "formula")
