"""compare_independent(): two evaluations on different cases, such as two hospitals or two years."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from cutline.core.errors import InputError
from cutline.core.merging import merge
from cutline.core.messages import Text, join_with_and, lower_title
from cutline.core.public import public
from cutline.core.ranking import format_cases
from cutline.core.table import Table, format_p_cell, format_value
from cutline.core.validation import LEVEL, check_choice, check_level, check_names, check_whole, format_count
from cutline.evaluation import Evaluation
from cutline.inference.caveats import make_estimate
from cutline.inference.differences.difference import (
    Difference,
    MoverDifference,
    ResampledDifference,
    StudentDifference,
)
from cutline.inference.differences.pair_tests import PairTest, make_hypothesis
from cutline.inference.differences.unpaired import (
    DELONG,
    METHODS,
    SQUARE_AND_ADD,
    Sample,
    Samples,
    choose,
    refuse_few_cases,
)
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inputs.rank import choose_default_threshold
from cutline.measures import MEASURES, Measure
from cutline.measures.aliases import use_alias
from cutline.results.base import Summarized
from cutline.results.choices import GOALS
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import Named, list_headlines
from cutline.results.method_titles import format_method
from cutline.results.notes import FIRST, make_data_notes
from cutline.results.resample_budget import choose_resamples, is_affordable
from cutline.results.summary import Row

UNPAIRED = (
    "The files are treated as independent samples. Models on the same cases are compared far more precisely in pairs."
)


@public
def compare_independent(a: Evaluation, b: Evaluation, *, names: tuple[str, str] | None = None) -> IndependentComparison:
    """Compare two evaluations of different cases: other patients, another site, another year.

    Models on the same cases are compared by `compare`, which is far more precise: it removes the luck that both share.
    Both are read at one cut and as one kind of score: where neither names a cut, the default for all cases together.

    Args:
        a: The first evaluation.
        b: The second one.
        names: What to call them; by default their own names, or "a" and "b".

    >>> from cutline import evaluate
    >>> one = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.2])
    >>> two = evaluate([1, 0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.2])
    >>> compare_independent(one, two).difference("recall")
    recall: a - b 0.3333 [-0.2905, 0.7923] (95 %, Newcombe (square and add))
    """
    for name, ev in (("a", a), ("b", b)):
        if not isinstance(ev, Evaluation):
            raise InputError(f"is a {type(ev).__name__}", "pass an evaluation, as evaluate() makes it", argument=name)
    if names is None:
        own = (a.name or "a", b.name or "b")
        names = own if own[0] != own[1] else ("a", "b")
    return IndependentComparison(*_align_cuts(a, b), check_names(names))


def _align_cuts(a: Evaluation, b: Evaluation) -> tuple[Evaluation, Evaluation]:
    """Read both as one kind of score and, where neither names a cut, at the default cut of all cases together.

    Each at its own default would hide a shift of the scores: both would flag about as many cases as are positive.
    """
    if a.ranking.are_probabilities != b.ranking.are_probabilities:
        a, b = _treat_as_scores(a), _treat_as_scores(b)
    same_direction = a.ranking.higher_is_positive == b.ranking.higher_is_positive
    if a.cut == b.cut or not (a.cut.is_default and b.cut.is_default) or not same_direction:
        return a, b
    together = choose_default_threshold(merge([replace(ev.ranking, positive=1) for ev in (a, b)]))
    return a.with_cut(threshold=together), b.with_cut(threshold=together)


def _treat_as_scores(ev: Evaluation) -> Evaluation:
    """Return the evaluation with its scores treated as scores, not as probabilities."""
    is_named = not (ev.cut.is_default or ev.cut.by_quota)
    ranking = replace(ev.ranking, are_scores=True)
    return Evaluation(ranking, ev.threshold if is_named else None, ev.name, ev.groups, ev.quota, ev.share)


@public
@dataclass(frozen=True, eq=False)
class IndependentComparison(Summarized):
    """Two evaluations of different cases, and how they differ."""

    a: Evaluation
    b: Evaluation
    names: tuple[str, str]

    def difference(
        self,
        measure: str | Measure = "auc",
        *,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """Estimate by how much a exceeds b in a measure, with an interval.

        Args:
            measure: A measure.
            level: The level of the interval.
            method: `auto` adds the squared distances to the limits of both, one by one (`square_and_add`,
                Newcombe 1998): by a formula where there is one, from resamples otherwise. Losses and what follows from
                them have limits at least as far away as if the cases of both varied alike (`pooled_losses`).
                Calibration errors and the best over all cuts are first corrected for their bias (`mover`).
                `delong_unpaired` is the sum of DeLong's variances.
            resamples: How many resamples are drawn of each; 2000, or fewer for long lists, when None.
            seed: The seed of the resamples.
            parameters: Parameters of the measure, and its cut, if not that of the evaluations.
        """
        level = check_level(level)
        chosen = use_alias(MEASURES[measure], measure)
        difference, method, notes = self._compute_difference(chosen, method, resamples, seed, parameters)
        reach = chosen.range[1] - chosen.range[0]
        title = f"{chosen}: {self.names[0]} - {self.names[1]}"
        limits = (math.nan, math.nan) if math.isnan(difference.value) else difference.interval(level)
        return make_estimate(title, difference.value, limits, (-reach, reach), level, method, notes, what="difference")

    def test(
        self,
        measure: str | Measure = "auc",
        method: str = "auto",
        *,
        alternative: str = "two-sided",
        margin: float | None = None,
        resamples: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> PairTest:
        """Test whether the two differ in a measure, by the test that goes with the interval of `difference`.

        Args:
            measure: A measure.
            method: As in `difference`.
            alternative: The hypothesis that a small p-value supports, as in `Comparison.test`.
            margin: The difference that does not matter, where the alternative needs one.
            resamples: How many resamples are drawn of each.
            seed: The seed of the resamples.
            parameters: Parameters of the measure, and its cut, if not that of the evaluations.
        """
        chosen = use_alias(MEASURES[measure], measure)
        tested = make_hypothesis(alternative, margin, chosen)
        difference, method, notes = self._compute_difference(chosen, method, resamples, seed, parameters)
        p_value = math.nan if math.isnan(difference.value) else tested.p_value(difference, chosen)
        share = difference.share() if isinstance(difference, ResampledDifference) else math.nan
        head = (str(chosen), *self.names, difference.value, p_value, p_value, share, method, tuple(notes))
        return PairTest(*head, alternative=tested.alternative, margin=tested.margin)

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        level: float = LEVEL,
        resamples: int | None = None,
        seed: int = 0,
    ) -> Table:
        """Return measures of both side by side, their differences with intervals, and whether these are significant.

        Args:
            measures: Names or measures, each alone or with its parameters; those that are shown first when None.
            level: The level of the intervals.
            resamples: How many resamples are drawn of each where no formula is known; 0 leaves these intervals out, as
                None does for lists so long that it would take minutes.
            seed: The seed of the resamples.
        """
        both = (self.a, self.b)
        chosen = list_headlines(self.a.cut) if measures is None else measures
        sides = [ev.summary(chosen, intervals=False).rows for ev in both]
        pairs = [
            (row_a, row_b)
            for row_a, row_b in zip(*sides, strict=True)
            if measures is not None or not (math.isnan(row_a.value) and math.isnan(row_b.value))
        ]
        own = (f"value of {name}" for name in self.names)  # no name is that of another column
        head = ("measure", *own, "difference", "low", "high", "p_value", "method", "at_least", "at_most", "note")
        longest = max(len(ev.ranking) for ev in both)
        resamples = None if resamples is None else check_whole(resamples, "resamples", 0)
        if resamples is None and not is_affordable(len(pairs), longest, choose_resamples(longest)):
            resamples = 0
        rows = tuple(self._make_row(*pair, check_level(level), resamples, seed) for pair in pairs)
        of = " and ".join(f"{format_cases(ev.ranking)} ({name})" for ev, name in zip(both, self.names, strict=True))
        title = f"{self.names[0]} minus {self.names[1]}: {of}{self._common_cut}"
        statements = self._write_statements([row.measure for row, _ in pairs], rows, level)
        above = (*self.warnings, *statements)
        return Table(head, rows, title=title, hidden=("note",), below=(UNPAIRED,), above=above)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings that question all numbers of one evaluation, such as an AUC below 0.5."""
        both = zip(self.names, (self.a, self.b), strict=True)
        notes = [(name, note) for name, ev in both for note in make_data_notes(ev.ranking, ev.cut)]
        return tuple(Text(f"{name}: ", note.text) for name, note in notes if note.rule in FIRST)

    @property
    def _common_cut(self) -> str:
        """Return the cut as text, if both have the same."""
        a, b = self.a, self.b
        return f"; predicted positive: {a.cut.describe(a.ranking)}" if a.cut == b.cut and not a.cut.by_quota else ""

    def _write_statements(
        self, measures: list[Measure], rows: tuple[tuple[Any, ...], ...], level: float
    ) -> tuple[str, ...]:
        """Write for each question whether the two differ: by its first measure that was tested, in a fixed order."""
        tested = {
            measure.name: (measure, row) for measure, row in zip(measures, rows, strict=True) if row[6] is not None
        }
        sentences = []
        for goal in GOALS.values():
            chosen = next((tested[name] for name in goal.measures if name in tested), None)
            if chosen is not None and (goal.name != "quota" or self.a.cut.by_quota):
                beside = [
                    (measure, row)
                    for measure, row in tested.values()
                    if measure.family in goal.families and measure is not chosen[0] and row[6] <= 1 - level
                ]
                sentences.append(self._write_statement(goal.words, *chosen, level) + self._name_differing(beside) + ".")
        return tuple(sentences)

    def _name_differing(self, tested: list[tuple[Measure, tuple[Any, ...]]]) -> str:
        """Name other measures of a question that differ significantly, the smallest p-values first."""
        first = sorted(tested, key=lambda pair: pair[1][6])[:2]
        texts = [f"{lower_title(m.title)} ({format_value(row[1])} and {format_value(row[2])})" for m, row in first]
        more = [format_count(len(tested) - 2, "other measure")] if len(tested) > 2 else []
        return f"; they differ in {join_with_and([*texts, *more])}" if texts else ""

    def _write_statement(self, words: str, measure: Measure, row: tuple[Any, ...], level: float) -> str:
        """Write which of the two is better in a measure, or that the difference is not significant."""
        _, value_a, value_b, difference, *_ = row
        p = format_p_cell(row[6])
        tested = f"p {p}" if p.startswith("<") else f"p = {p}"
        title, (a, b) = lower_title(measure.title), self.names
        if not row[6] <= 1 - level:
            both = f"{title} {format_value(value_a)} and {format_value(value_b)}"
            return f"{words}, {a} and {b} do not differ significantly: {both} ({tested})"
        better, worse = (a, b) if (difference > 0) == (measure.better == "higher") else (b, a)
        word = "higher" if measure.better == "higher" else "lower"
        gap = format_value(abs(difference))
        return f"{words}, {better} is better than {worse}: its {title} is {word} by {gap} ({tested})"

    def _make_row(self, row_a: Row, row_b: Row, level: float, resamples: int | None, seed: int) -> tuple[Any, ...]:
        """Return a measure of both, their difference, and between which values bins leave it."""
        values = (row_a.name, row_a.value, row_b.value, row_a.value - row_b.value)
        ends: tuple[float | None, float | None] = (None, None)
        if row_a.bounds or row_b.bounds:
            (low, high), (least, most) = (
                (row.value, row.value) if row.bounds is None else row.bounds[:2] for row in (row_a, row_b)
            )
            ends = (low - most, high - least)
        how: dict[str, Any] = {"resamples": resamples, "seed": seed, **row_a.at}
        bins = [row.bounds.note for row in (row_a, row_b) if row.bounds and row.bounds.note]
        if resamples == 0 and self._needs_resamples(row_a.measure, dict(row_a.at)):
            return (*values, None, None, None, "", *ends, " ".join(bins))
        difference, test = self.difference(row_a.measure, level=level, **how), self.test(row_a.measure, **how)
        notes = " ".join(dict.fromkeys((*difference.notes, *bins)))
        return (*values, difference.low, difference.high, test.p_value, format_method(difference.method), *ends, notes)

    def _needs_resamples(self, measure: Measure, at: dict[str, Any]) -> bool:
        """Whether the difference in a measure is resampled or simulated."""
        if not all(measure.fits(ev.ranking) for ev in (self.a, self.b)):
            return False
        samples = self._make_samples(measure, at, None, 0)
        return choose(samples, "auto").is_random(samples)

    # ------------------------------------------------------------------ asking

    def _make_samples(self, measure: Measure, parameters: dict[str, Any], resamples: int | None, seed: int) -> Samples:
        """Return the measure of both, and how each is resampled."""
        both = (self.a, self.b)
        number = max(*(choose_resamples(len(ev.ranking), resamples) for ev in both), 2)
        first, second = (
            Sample(
                Estimand.of_measure(measure, ev.ranking, ev.cut.complete_parameters(measure, parameters), ev.groups),
                IntervalRequest(resamples=number, seed=check_whole(seed, "seed", 0) + i),
            )
            for i, ev in enumerate(both)
        )
        return first, second

    def _compute_difference(
        self, measure: Measure, method: str, resamples: int | None, seed: int, parameters: dict[str, Any]
    ) -> tuple[Difference, str, list[str]]:
        check_choice(method, "method", METHODS)
        samples = self._make_samples(measure, parameters, resamples, seed)
        chosen = choose(samples, method)
        undefined = [
            f"{sample.estimand.name} of {name} is undefined: {sample.estimand.reason}."
            for sample, name in zip(samples, self.names, strict=True)
            if sample.estimand.reason
        ]
        undefined += [*self._explain_unequal_sizes(measure), *refuse_few_cases(samples, self.names, chosen)]
        if undefined:
            return StudentDifference(math.nan, math.nan), chosen.name, undefined
        difference, notes = chosen.compare(samples)
        # Where DeLong's variances are 0, both intervals stand in.
        by = SQUARE_AND_ADD if chosen is DELONG and isinstance(difference, MoverDifference) else chosen
        return difference, by.name, list(notes)

    def _explain_unequal_sizes(self, measure: Measure) -> list[str]:
        """Return why a measure that depends on the number of cases is not compared between samples of unequal sizes.

        Test statistics are compared between no samples: the Hosmer-Lemeshow statistic of equal models differed
        significantly in 12 %.
        """
        if measure.across_sizes and measure.better is None:
            why = f"{measure} tests one sample, and does not tell which is calibrated better"
            return [f"{why}: compare {measure.across_sizes}."]
        sizes = [format_cases(ev.ranking) for ev in (self.a, self.b)]
        if not measure.across_sizes or self.a.ranking.total == self.b.ranking.total:
            return []
        return [f"{measure} depends on the number of cases ({' and '.join(sizes)}): compare {measure.across_sizes}."]

    def __repr__(self) -> str:
        return "\n".join(repr(self.difference(name)) for name in ("auc", "recall", "specificity"))
