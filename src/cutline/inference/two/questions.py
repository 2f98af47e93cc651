"""A measure as a question to several models on the same cases, and to each pair of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutline.core.errors import ParameterError, UnknownNameError, near
from cutline.core.ranking import Ranking
from cutline.core.table import p_shown, shown
from cutline.inference.one.estimand import as_measure
from cutline.inference.one.measured_coverage import quoted_of_test
from cutline.inference.resampling.pairing import Pairing, Question, Resamples
from cutline.inference.two.differences import planned
from cutline.inference.two.hypotheses import Hypothesis
from cutline.inference.two.paired_measure import PairedMeasure
from cutline.inference.two.suited_methods import DRAWN, RANDOM
from cutline.inference.two.test_results import PairTest, corrected
from cutline.measures import MEASURES, Measure
from cutline.measures.other_names import under
from cutline.results.cut_point import CutPoint
from cutline.results.methods import method_title

Asked = str | Measure | Callable[..., float]


@dataclass(frozen=True, eq=False)
class Questions:
    """One measure asked of all models, and of each pair by the positions of its models."""

    of_all: Question
    pairs: Mapping[tuple[int, int], PairedMeasure]

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.of_all.measure

    def chosen(self, method: str) -> str:
        """The test that a method stands for, of the first pair of models that has a difference."""
        known = [one for one in self.pairs.values() if not one.reasons] or list(self.pairs.values())
        return known[0].chosen(method)

    def needs_resamples(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared on resamples, which all pairs then share."""
        return any(not one.reasons and one.chosen(method) in DRAWN for one in self.pairs.values())

    def is_random(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared by resamples or by simulations."""
        return any(not one.reasons and one.chosen(method) in RANDOM for one in self.pairs.values())

    def sentences(self, level: float, method: str = "auto") -> tuple[str, ...]:
        """Which models can be told apart, a sentence for each pair."""
        pairs = zip(self.pairs.values(), self.tests(method), strict=True)
        return tuple(sentence(one, test, level) for one, test in pairs)

    def answered(self, resamples: Resamples, place: int) -> Questions:
        """The same questions, answered from resamples that all models share."""
        values = resamples.values[place]
        return replace(
            self,
            pairs={
                (i, j): replace(one, resampled=values[[i, j]], redrawn=resamples.redrawn)
                for (i, j), one in self.pairs.items()
            },
        )

    def tests(self, method: str = "auto", asked: Hypothesis = Hypothesis()) -> tuple[PairTest, ...]:  # noqa: B008
        """The test of each pair, corrected for their number."""
        return corrected([_quoted(one, one.test(method, asked)) for one in self.pairs.values()])


def _quoted(one: PairedMeasure, test: PairTest) -> PairTest:
    """The test with what the laboratory measured of tests like it, where that is in doubt."""
    if test.alternative != "two-sided":
        return test
    return replace(test, notes=quoted_of_test(test.method, test.notes, one.pairing.rankings[0]))


def as_asked(measure: Asked, parameters: Mapping[str, Any]) -> Measure:
    """The measure of a name, or a function as one."""
    is_function = callable(measure) and not isinstance(measure, Measure)
    return as_measure(measure, parameters) if is_function else under(MEASURES[measure], measure)  # type: ignore[index]


def ask(
    pairing: Pairing,
    cuts: Mapping[str, CutPoint],
    measure: Measure,
    parameters: Mapping[str, Any],
    resamples: int,
    seed: int,
    *,
    strict: bool = False,
) -> Questions:
    """The questions of a measure with parameters; a model whose scores do not suit it has no value.

    When `strict`, it is refused if the scores of fewer than two models suit it: then there is nothing to compare.
    """
    both = "quota" in parameters and "share" in parameters  # which is refused below
    own = {name: value for name, value in parameters.items() if name in measure.parameters and not both}
    measure = measure.with_(**own)  # so that its name says them
    rest = {name: value for name, value in parameters.items() if name not in own}
    refuse = strict and sum(measure.fits(ranking) for ranking in pairing.rankings) < 2
    names, given, values = list(cuts), [], []
    for name, ranking in zip(names, pairing.rankings, strict=True):
        mine = cuts[name].completing(measure, rest)
        values.append(_value(measure, ranking, mine) if refuse or measure.fits(ranking) else math.nan)
        given.append(_of_any_size(measure, mine, pairing, ranking))
    pairs = {
        (i, j): PairedMeasure(
            (names[i], names[j]),
            pairing.of(i, j),
            Question(measure, (given[i], given[j])),
            (values[i], values[j]),
            resamples,
            seed,
        )
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    return Questions(Question(measure, tuple(given)), pairs)


def _value(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any]) -> float:
    data, rest = measure.prepare(ranking, parameters)
    return float(measure.compute(data, **rest))


def _of_any_size(measure: Measure, parameters: dict[str, Any], pairing: Pairing, ranking: Ranking) -> Mapping[str, Any]:
    """The parameters for resamples that are not equally long: a quota is the same share of each."""
    quota = parameters.get("quota", measure.bound.get("quota"))
    if quota is None or pairing.is_of_one_size:
        return parameters
    rest = {name: value for name, value in parameters.items() if name != "quota"}
    return {**rest, "share": quota / float(ranking.total)}


def known(name: Any, models: Iterable[str]) -> str:
    """The name of one of the models, which may have been named by numbers."""
    names = list(models)
    if str(name) not in names:
        raise UnknownNameError(f"There is no model {name!r} among {', '.join(map(repr, names))}.{near(name, names)}")
    return str(name)


def two_of(names: Sequence[str], a: Any, b: Any) -> tuple[int, int]:
    """Where two models stand, by their names; of two models they need no names."""
    if a is None and b is None and len(names) == 2:
        return 0, 1
    if a is None or b is None:
        raise ParameterError(
            f"There are {len(names)} models, {', '.join(map(repr, names))}", "pass the names of two, a and b"
        )
    a, b = known(a, names), known(b, names)
    if a == b:
        raise ParameterError(f"a and b are both {a!r}", "pass the names of two models")
    return names.index(a), names.index(b)


def sentence(one: PairedMeasure, test: PairTest, level: float) -> str:
    """Whether the two can be told apart, in plain words, and about how many cases it would take."""
    a, b = one.names
    if math.isnan(test.p_value):
        return " ".join((f"{a} and {b} cannot be compared by {test.measure}.", *test.notes))
    size, how = shown(abs(one.value)), f"(p {p_shown(test.p_holm)}, {method_title(test.method)})"
    if test.p_holm <= 1 - level:
        ahead, behind = (a, b) if (one.value > 0) == (one.measure.better != "lower") else (b, a)
        word = "better" if one.measure.better else "higher"
        return f"{ahead} is {word} than {behind} by {size} in {test.measure} {how}: significant at {1 - level:.3g}."
    said = f"{a} and {b}: the difference in {test.measure}, {size}, is not significant {how}"
    pairing = one.pairing
    return f"{said}; {planned(one.difference('auto')[0], pairing.total, level, pairing.unit)}"
