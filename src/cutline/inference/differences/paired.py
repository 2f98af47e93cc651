"""Measures of models on the same cases: their differences with intervals, tests and sentences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cutline.core.errors import ParameterError, make_unknown_name_error
from cutline.core.ranking import Ranking
from cutline.core.table import format_p, format_value
from cutline.inference import effective_size
from cutline.inference.caveats import EQUAL, IGNORES_THE_DESIGN, INDEPENDENT, make_estimate, note_few_cases
from cutline.inference.differences.difference import (
    Difference,
    MoverDifference,
    NullTest,
    Outcome,
    ResampledDifference,
    StudentDifference,
    describe_more_cases,
    has_interval,
    is_point,
)
from cutline.inference.differences.methods import (
    BOOTSTRAP,
    METHODS,
    PERMUTATION,
    PairedMethod,
    choose_default_interval,
    choose_default_test,
    estimate_log_ratio_error,
    find_method,
)
from cutline.inference.differences.pair_tests import Hypothesis, PairTest, apply_holm
from cutline.inference.differences.paired_values import PairedValues
from cutline.inference.resampling.pairing import Pairing, Question, Resamples
from cutline.inference.single.estimand import as_measure
from cutline.inference.single.notes import describe_design
from cutline.measures import MEASURES, Measure
from cutline.measures.aliases import use_alias
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate, quantile
from cutline.results.method_titles import format_method

APART = (
    "Both models do equally well on every case here, but need not on others: the interval combines those of the "
    "single models."
)


@dataclass(frozen=True, eq=False)
class PairedMeasure(PairedValues):
    """One measure of two models on the same cases: its difference with intervals and tests."""

    def choose(self, method: str) -> PairedMethod:
        """Return the test of that name, or the default for "auto"; raise if it does not suit the measure."""
        return self._test_by_rule if method == "auto" else find_method(self, method)

    @cached_property
    def _test_by_rule(self) -> PairedMethod:
        return choose_default_test(self)

    @cached_property
    def _outcomes(self) -> dict[PairedMethod, Outcome]:
        """Cached outcomes by method, which test, interval and curve share."""
        return {}

    # ------------------------------------------------------------------ intervals

    def difference(self, method: str) -> tuple[Difference, str, tuple[str, ...]]:
        """Return the difference, the name of its method and the notes.

        If the default is a formula and gives no interval, the bootstrap replaces it.
        """
        chosen = choose_default_interval(self) if method == "auto" else find_method(self, method)
        difference, notes = self._compare_by(chosen)
        may_resample = self.resampled is not None or self.resamples > 0
        if method == "auto" and not chosen.is_random and may_resample and not has_interval(difference):
            second, more = self._compare_by(BOOTSTRAP)
            notes = (*notes, *more)
            if has_interval(second):
                difference, chosen = second, BOOTSTRAP
        if method == "auto" and abs(self.value) <= EQUAL and is_point(difference) and not self.are_one_model:
            limits = [self.find_own_limits(model, resampled=False) for model in (0, 1)]
            if limits[0] is not None and limits[1] is not None:
                apart = MoverDifference(self.values, (limits[0], limits[1]))
                return apart, "square_and_add", (*self.reasons, *notes, APART)
        return difference, chosen.name, (*self.reasons, *notes)

    def _compare_by(self, method: PairedMethod) -> Outcome:
        """Return the difference by a method, and its notes."""
        if math.isnan(self.value):
            return Outcome(StudentDifference(math.nan, math.nan))
        if method not in self._outcomes:
            outcome = method.compare(self)
            self._outcomes[method] = outcome._replace(notes=(*self._describe_design(method), *outcome.notes))
        return self._outcomes[method]

    def _describe_design(self, method: PairedMethod) -> list[str]:
        """Return notes on the effective sample size, and on a design that the method ignores."""
        sampler, ranking = self.pairing.sampler(0), self.pairing.rankings[0]
        if sampler is None or method is PERMUTATION:
            return effective_size.describe_weights(ranking)
        if method.knows_design:
            how = "resampled" if method.engine == "resamples" else "counted"
            return describe_design(sampler, how, self.quantity)
        return [*effective_size.describe_weights(ranking), IGNORES_THE_DESIGN if sampler.are_single else INDEPENDENT]

    def estimate(self, method: str, level: float) -> Estimate:
        """Return the difference with its interval, clipped to the range of differences."""
        difference, chosen, notes = self.difference(method)
        low, high = difference.interval(level)
        reach = self.measure.range[1] - self.measure.range[0]
        if isinstance(difference, ResampledDifference):
            if not math.isnan(low):
                p_value = difference.p_value()
                if (p_value <= 1 - level) != (not low <= 0 <= high):
                    conflict = f"The interval and the test (p {format_p(p_value)}) disagree about 0"
                    trust = "for a decision, trust the test, whose actual level is closer to the nominal one"
                    notes = (*notes, f"{conflict}: {trust}.")
            elif not difference.says_nothing:
                few = f"{self.resamples} resamples are too few for a level of {level:g}"
                notes = (*notes, f"{few}: pass more resamples.")
        return make_estimate(
            self.title, self.value, (low, high), (-reach, reach), level, chosen, list(notes), what="difference"
        )

    def ratio(self, level: float) -> Estimate:
        """Return the ratio of the two models' values with its interval, on the log scale."""
        method, title = find_method(self, "log_ratio"), f"{self.measure}: {self.names[0]} / {self.names[1]}"
        if self.reasons:
            return Estimate(title, math.nan, math.nan, math.nan, level, method.name, tuple(self.reasons))
        value = self.values[0] / self.values[1]
        factor = math.exp(quantile(level) * estimate_log_ratio_error(self))
        notes = self._describe_design(method) + note_few_cases(self.pairing.rankings[0])
        return Estimate(title, value, value / factor, value * factor, level, method.name, tuple(notes))

    # ------------------------------------------------------------------ tests

    def test(self, method: str, hypothesis: Hypothesis = Hypothesis()) -> PairTest:  # noqa: B008
        """Return the test of a hypothesis, of no difference by default.

        If the default gives no p-value, the permutation test replaces it.
        """
        if not hypothesis.is_two_sided:
            return self._test_one_direction(method, hypothesis)
        chosen = self.choose(method)
        difference, notes = self._compare_by(chosen)
        p_value = difference.p_value()
        if math.isnan(p_value) and method == "auto" and not self.reasons:
            chosen = PERMUTATION
            difference, more = self._compare_by(chosen)
            p_value, notes = difference.p_value(), (*notes, *more)
        notes = tuple(dict.fromkeys((*self.reasons, *notes)))
        share = difference.share() if isinstance(difference, ResampledDifference | NullTest) else math.nan
        head = (str(self.measure), *self.names, self.value, p_value, p_value, share, chosen.name, notes)
        return PairTest(*head, draws=0 if math.isnan(share) else self._count_draws(chosen))

    def _test_one_direction(self, method: str, hypothesis: Hypothesis) -> PairTest:
        """Return the test of one direction or of a margin, from the same difference as the interval."""
        if method != "auto" and not METHODS[method].has_interval:
            raise ParameterError(
                f"{method} tests no difference at all", "pass 'auto', 'tango', 'delong' or 'bootstrap'"
            )
        difference, chosen, notes = self.difference(method)
        p_value = math.nan if math.isnan(self.value) else hypothesis.p_value(difference, self.measure)
        return PairTest(
            *(str(self.measure), *self.names, self.value, p_value, p_value, math.nan, chosen, notes),
            alternative=hypothesis.alternative,
            margin=hypothesis.margin,
        )

    def _count_draws(self, method: PairedMethod) -> int:
        """Return how many permutations, or resamples that have a difference, a p-value is a share of."""
        return self.resamples if method is PERMUTATION else int(np.isfinite(self.draws[0]).all(axis=0).sum())

    @property
    def title(self) -> str:
        """Name of the difference."""
        return f"{self.measure}: {self.names[0]} - {self.names[1]}"


MeasureLike = str | Measure | Callable[..., float]


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """One measure of all models, and of each pair by the positions of its models."""

    of_all: Question
    pairs: Mapping[tuple[int, int], PairedMeasure]

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.of_all.measure

    def choose(self, method: str) -> PairedMethod:
        """Return the test of that name for the first pair of models that has a difference."""
        known = [pair for pair in self.pairs.values() if not pair.reasons] or list(self.pairs.values())
        return known[0].choose(method)

    def needs_resamples(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared on bootstrap samples, which all pairs then share."""
        return any(not pair.reasons and pair.choose(method).engine == "resamples" for pair in self.pairs.values())

    def is_random(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared by resamples or by simulations."""
        return any(not pair.reasons and pair.choose(method).is_random for pair in self.pairs.values())

    def sentences(self, level: float, method: str = "auto") -> tuple[str, ...]:
        """Return a sentence for each pair: whether it differs significantly."""
        pairs = zip(self.pairs.values(), self.tests(method), strict=True)
        return tuple(describe_test(pair, test, level) for pair, test in pairs)

    def with_resamples(self, resamples: Resamples, place: int) -> MeasureComparison:
        """Return the same with the bootstrap samples that all models share."""
        values = resamples.values[place]
        return replace(
            self,
            pairs={
                (i, j): replace(pair, resampled=values[[i, j]], redrawn=resamples.redrawn)
                for (i, j), pair in self.pairs.items()
            },
        )

    def tests(self, method: str = "auto", hypothesis: Hypothesis = Hypothesis()) -> tuple[PairTest, ...]:  # noqa: B008
        """Return the test of each pair, corrected for their number."""
        return apply_holm([pair.test(method, hypothesis) for pair in self.pairs.values()])


def resolve_measure(measure: MeasureLike, parameters: Mapping[str, Any]) -> Measure:
    """Return the measure of a name, or a function as one."""
    if callable(measure) and not isinstance(measure, Measure):
        return as_measure(measure, parameters)
    return use_alias(MEASURES[measure], measure)


def compare_measure(
    pairing: Pairing,
    cuts: Mapping[str, CutPoint],
    measure: Measure,
    parameters: Mapping[str, Any],
    resamples: int,
    seed: int,
    *,
    strict: bool = False,
) -> MeasureComparison:
    """Return the comparison of all models by a measure with parameters.

    A model whose scores do not suit the measure has no value. With `strict`, raise if fewer than two models have one.
    """
    both = "quota" in parameters and "share" in parameters  # which is refused below
    own = {name: value for name, value in parameters.items() if name in measure.parameters and not both}
    measure = measure.with_(**own)  # so that its name says them
    rest = {name: value for name, value in parameters.items() if name not in own}
    refuse = strict and sum(measure.fits(ranking) for ranking in pairing.rankings) < 2
    names, parameters_of, values = list(cuts), [], []
    for name, ranking in zip(names, pairing.rankings, strict=True):
        mine = cuts[name].complete_parameters(measure, rest)
        values.append(_compute(measure, ranking, mine) if refuse or measure.fits(ranking) else math.nan)
        parameters_of.append(_scale_quota(measure, mine, pairing, ranking))
    pairs = {
        (i, j): PairedMeasure(
            (names[i], names[j]),
            pairing.of(i, j),
            Question(measure, (parameters_of[i], parameters_of[j])),
            (values[i], values[j]),
            resamples,
            seed,
        )
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    return MeasureComparison(Question(measure, tuple(parameters_of)), pairs)


def _compute(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any]) -> float:
    data, rest = measure.prepare(ranking, parameters)
    return float(measure.compute(data, **rest))


def _scale_quota(measure: Measure, parameters: dict[str, Any], pairing: Pairing, ranking: Ranking) -> Mapping[str, Any]:
    """Return the parameters with a quota as a share of the list if bootstrap samples differ in size."""
    quota = parameters.get("quota", measure.bound.get("quota"))
    if quota is None or pairing.is_of_one_size:
        return parameters
    rest = {name: value for name, value in parameters.items() if name != "quota"}
    return {**rest, "share": quota / float(ranking.total)}


def check_model(name: Any, models: Iterable[str]) -> str:
    """Return the name of a model, or raise; names may be numbers."""
    names = list(models)
    if str(name) not in names:
        raise make_unknown_name_error("model", name, names)
    return str(name)


def find_models(names: Sequence[str], a: Any, b: Any) -> tuple[int, int]:
    """Return the positions of two models by their names; if there are only two, names are optional."""
    if a is None and b is None and len(names) == 2:
        return 0, 1
    if a is None or b is None:
        raise ParameterError(
            f"There are {len(names)} models, {', '.join(map(repr, names))}", "pass the names of two as a= and b="
        )
    a, b = check_model(a, names), check_model(b, names)
    if a == b:
        raise ParameterError(f"a and b are both {a!r}", "pass the names of two models")
    return names.index(a), names.index(b)


def describe_test(pair: PairedMeasure, test: PairTest, level: float) -> str:
    """Return in a sentence whether two models differ significantly, or about how many cases that would take."""
    a, b = pair.names
    if math.isnan(test.p_value):
        return " ".join((f"{a} and {b} cannot be compared by {test.measure}.", *test.notes))
    size, p = format_value(abs(pair.value)), f"p {format_p(test.p_value, test.floor)}"
    if test.p_holm != test.p_value:
        p = f"{p}, after Holm's correction {format_p(test.p_holm, test.floor_of_holm)}"
    how = f"({p}, {format_method(test.method)})"
    if test.p_holm <= 1 - level:
        ahead, behind = (a, b) if (pair.value > 0) == (pair.measure.better != "lower") else (b, a)
        word = "better" if pair.measure.better else "higher"
        return f"{ahead} is {word} than {behind} by {size} in {test.measure} {how}: significant at {1 - level:.3g}."
    both = " and ".join(sorted((a, b)))  # the same words in whichever order the models came
    conclusion = f"{both}: the difference in {test.measure}, {size}, is not significant {how}"
    pairing = pair.pairing
    return f"{conclusion}; {describe_more_cases(pair.difference('auto')[0], pairing.total, level, pairing.unit)}"
