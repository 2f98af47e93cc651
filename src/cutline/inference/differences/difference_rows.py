"""From the questions that are questions of several models to the rows of their differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.inference.differences.difference import ConfidenceCurve, chi_square, confidence_curve
from cutline.inference.differences.pair_tests import Hypothesis, PairTest, PairTests
from cutline.inference.differences.paired import PairedMeasure, Questions, ask
from cutline.inference.resampling.pairing import Pairing, bootstrap, delong_covariance
from cutline.measures import MEASURES
from cutline.results.choices import choose_models
from cutline.results.comparison_summary import DifferenceRow, Omnibus
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import SelectedMeasure
from cutline.results.summary import make_key

NOT_RESAMPLED = "There is no closed form, and nothing was resampled: name a number of resamples, such as 200."


@dataclass(frozen=True, eq=False)
class Differences:
    """The rows of all measures and pairs, and the questions that they answer."""

    rows: tuple[DifferenceRow, ...]
    verdict: tuple[str, ...] = ()
    omnibus: Omnibus | None = None
    confidence: tuple[ConfidenceCurve, ...] = ()
    resamples: int = 0
    is_random: bool = False

    @property
    def resampling(self) -> tuple[int, bool]:
        """How many resamples gave some of the rows, and whether some would have needed them and got none."""
        used = self.resamples if self.is_random else 0
        return used, not self.resamples and any(not row.methods for row in self.rows)


def differences(
    selected: Sequence[SelectedMeasure],
    pairing: Pairing,
    cuts: Mapping[str, CutPoint],
    level: float,
    resamples: int,
    seed: int,
    *,
    goal: str | None = None,
    primary: str | None = None,
) -> Differences:
    """Return a row for each measure and pair of models; measures without a closed form share their resamples.

    The measure that decides the first question (`goal` or `primary` name it) is the one of the verdict in words.
    """
    questions = [ask(pairing, cuts, chosen.measure, chosen.at, resamples, seed) for chosen in selected]
    questions = share_resamples(questions, pairing, resamples, seed)
    pairs = list(zip(questions, selected, strict=True))
    rows = tuple(row for question, chosen in pairs for row in _rows(question, chosen.at, level, resamples))
    tested = {
        make_key(question.measure, chosen.at): question
        for question, chosen in pairs
        if resamples or not question.is_random()
    }
    is_random = any(question.is_random() for question in questions)
    by_quota = next(iter(cuts.values())).by_quota
    choices = choose_models(rows, level, goal=goal, primary=primary, by_quota=by_quota)
    decisive = [choice.measure for choice in choices if choice.measure in tested]
    if not tested:
        return Differences(rows, resamples=resamples, is_random=is_random)
    first = tested[decisive[0] if decisive else min(tested)]
    method = "auto" if resamples else first.choose("auto").name
    whole = omnibus(first, first.tests(method), pairing, method) if len(cuts) > 2 else None
    curves = tuple(
        confidence_curve(pair.title, *pair.difference(_of_interval(method))) for pair in first.pairs.values()
    )
    return Differences(rows, first.sentences(level, method), whole, curves, resamples, is_random)


def _of_interval(test: str) -> str:
    """Return the method of the interval that goes with a test."""
    return "tango" if test == "mcnemar_midp" else test


def share_resamples(
    questions: Sequence[Questions], pairing: Pairing, resamples: int, seed: int, method: str = "auto"
) -> list[Questions]:
    """Return the questions, those that the bootstrap answers from resamples that all of them share."""
    places = [i for i, question in enumerate(questions) if question.needs_resamples(method)]
    if not places or not resamples:
        return list(questions)
    resampled = bootstrap(pairing, [questions[i].of_all for i in places], resamples, seed)
    done = {i: questions[i].answered(resampled, place) for place, i in enumerate(places)}
    return [done.get(i, question) for i, question in enumerate(questions)]


def _rows(questions: Questions, at: Mapping[str, Any], level: float, resamples: int) -> Iterator[DifferenceRow]:
    """Yield a row for each pair of models."""
    method = questions.choose("auto").name
    if not resamples and questions.is_random():
        yield from (_without(pair, at, level, pair.reasons or (NOT_RESAMPLED,)) for pair in questions.pairs.values())
        return
    # Without resamples, what stands in for a formula that says nothing is not drawn either.
    by_test = "auto" if resamples else method
    by_interval = _of_interval(by_test)
    for pair, test in zip(questions.pairs.values(), questions.tests(by_test), strict=True):
        if pair.reasons:
            yield _without(pair, at, level, pair.reasons)
        else:
            estimate = pair.estimate(by_interval, level)
            notes = tuple(dict.fromkeys((*test.notes, *estimate.notes)))
            p_values = (test.p_value, test.p_holm)
            yield DifferenceRow(pair.measure, *pair.names, *pair.values, estimate, *p_values, test.method, notes, at)


def _without(pair: PairedMeasure, at: Mapping[str, Any], level: float, why: tuple[str, ...]) -> DifferenceRow:
    """Return the row of a pair without interval and test, and why."""
    estimate = Estimate(pair.title, pair.value, math.nan, math.nan, level, "")
    return DifferenceRow(pair.measure, *pair.names, *pair.values, estimate, math.nan, math.nan, "", why, at)


def all_pair_tests(
    questions: Questions,
    method: str,
    pairing: Pairing,
    hypothesis: Hypothesis = Hypothesis(),  # noqa: B008
) -> PairTests:
    """Return the tests of all pairs in a measure, and the one of no difference at all."""
    tests = questions.tests(method, hypothesis)
    name = str(questions.measure)
    if not hypothesis.is_two_sided:
        return PairTests(name, tests, min((t.p_holm for t in tests if not math.isnan(t.p_holm)), default=math.nan))
    whole = omnibus(questions, tests, pairing, method)
    return PairTests(name, tests, whole.p_value, whole.chi_square, whole.degrees)


def omnibus(questions: Questions, tests: Sequence[PairTest], pairing: Pairing, method: str = "auto") -> Omnibus:
    """Return the test that no model differs: DeLong's chi-square, or the smallest p-value after Holm's correction."""
    name = str(questions.measure)
    if len(tests) > 1 and questions.choose(method).name == "delong":
        statistic, degrees, p_value = chi_square(*_covariance_of_all(pairing))
        if not math.isnan(p_value):
            return Omnibus(name, p_value, statistic, degrees)
    known = [test.p_holm for test in tests if not math.isnan(test.p_holm)]
    return Omnibus(name, min(known, default=math.nan))


def _covariance_of_all(pairing: Pairing) -> tuple[Array, Array]:
    """Return the differences of every model's AUC from the first one's, and DeLong's covariance of them."""
    models = len(pairing.rankings)
    contrasts = np.column_stack((np.ones(models - 1), -np.eye(models - 1)))
    auc = np.array([MEASURES["auc"].compute(ranking) for ranking in pairing.rankings])
    return contrasts @ auc, delong_covariance(pairing, contrasts)
