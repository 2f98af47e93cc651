"""Rows of the differences of several models, for summaries, and the tests of all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.inference.differences.difference import ConfidenceCurve, chi_square, confidence_curve
from cutline.inference.differences.pair_tests import Hypothesis, PairTest, PairTests
from cutline.inference.differences.paired import MeasureComparison, PairedMeasure, compare_measure
from cutline.inference.resampling.pairing import Pairing, bootstrap, estimate_delong_covariance
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
    """The rows of all measures and pairs, with the verdict, the omnibus test and the confidence curves."""

    rows: tuple[DifferenceRow, ...]
    verdict: tuple[str, ...] = ()
    omnibus: Omnibus | None = None
    confidence: tuple[ConfidenceCurve, ...] = ()
    resamples: int = 0
    is_random: bool = False

    @property
    def resampling(self) -> tuple[int, bool]:
        """Number of resamples that were used, and whether rows are empty for want of resamples."""
        used = self.resamples if self.is_random else 0
        return used, not self.resamples and any(not row.methods for row in self.rows)


def compare_measures(
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
    """Return a row for each measure and pair of models; resampled measures share their resamples.

    The verdict is on the measure that decides the first question, which `goal` or `primary` may name.
    """
    comparisons = [compare_measure(pairing, cuts, chosen.measure, chosen.at, resamples, seed) for chosen in selected]
    comparisons = share_resamples(comparisons, pairing, resamples, seed)
    pairs = list(zip(comparisons, selected, strict=True))
    rows = tuple(row for comparison, chosen in pairs for row in _make_rows(comparison, chosen.at, level, resamples))
    tested = {
        make_key(comparison.measure, chosen.at): comparison
        for comparison, chosen in pairs
        if resamples or not comparison.is_random()
    }
    is_random = any(comparison.is_random() for comparison in comparisons)
    by_quota = next(iter(cuts.values())).by_quota
    choices = choose_models(rows, level, goal=goal, primary=primary, by_quota=by_quota)
    decisive = [choice.measure for choice in choices if choice.measure in tested]
    if not tested:
        return Differences(rows, resamples=resamples, is_random=is_random)
    first = tested[decisive[0] if decisive else min(tested)]
    method = "auto" if resamples else first.choose("auto").name
    whole = run_omnibus_test(first, first.tests(method), pairing, method) if len(cuts) > 2 else None
    curves = tuple(
        confidence_curve(pair.title, *pair.difference(_name_interval_method(method))) for pair in first.pairs.values()
    )
    return Differences(rows, first.sentences(level, method), whole, curves, resamples, is_random)


def _name_interval_method(test: str) -> str:
    """Return the name of the interval that agrees with a test."""
    return "tango" if test == "mcnemar_midp" else test


def share_resamples(
    comparisons: Sequence[MeasureComparison], pairing: Pairing, resamples: int, seed: int, method: str = "auto"
) -> list[MeasureComparison]:
    """Return the comparisons, those that are resampled with resamples that all of them share."""
    places = [i for i, comparison in enumerate(comparisons) if comparison.needs_resamples(method)]
    if not places or not resamples:
        return list(comparisons)
    resampled = bootstrap(pairing, [comparisons[i].of_all for i in places], resamples, seed)
    done = {i: comparisons[i].with_resamples(resampled, place) for place, i in enumerate(places)}
    return [done.get(i, comparison) for i, comparison in enumerate(comparisons)]


def _make_rows(
    comparisons: MeasureComparison, at: Mapping[str, Any], level: float, resamples: int
) -> Iterator[DifferenceRow]:
    """Yield a row for each pair of models."""
    method = comparisons.choose("auto").name
    if not resamples and comparisons.is_random():
        yield from (
            _make_empty_row(pair, at, level, pair.reasons or (NOT_RESAMPLED,)) for pair in comparisons.pairs.values()
        )
        return
    # Without resamples, a default formula that gives no interval is not replaced by the bootstrap.
    by_test = "auto" if resamples else method
    by_interval = _name_interval_method(by_test)
    for pair, test in zip(comparisons.pairs.values(), comparisons.tests(by_test), strict=True):
        if pair.reasons:
            yield _make_empty_row(pair, at, level, pair.reasons)
        else:
            estimate = pair.estimate(by_interval, level)
            notes = tuple(dict.fromkeys((*test.notes, *estimate.notes)))
            p_values = (test.p_value, test.p_holm)
            yield DifferenceRow(pair.measure, *pair.names, *pair.values, estimate, *p_values, test.method, notes, at)


def _make_empty_row(pair: PairedMeasure, at: Mapping[str, Any], level: float, why: tuple[str, ...]) -> DifferenceRow:
    """Return a row without interval and test, with the reasons."""
    estimate = Estimate(pair.title, pair.value, math.nan, math.nan, level, "")
    return DifferenceRow(pair.measure, *pair.names, *pair.values, estimate, math.nan, math.nan, "", why, at)


def run_pair_tests(
    comparisons: MeasureComparison,
    method: str,
    pairing: Pairing,
    hypothesis: Hypothesis = Hypothesis(),  # noqa: B008
) -> PairTests:
    """Return the tests of all pairs in a measure, and the one of no difference at all."""
    tests = comparisons.tests(method, hypothesis)
    name = str(comparisons.measure)
    if not hypothesis.is_two_sided:
        return PairTests(name, tests, min((t.p_holm for t in tests if not math.isnan(t.p_holm)), default=math.nan))
    whole = run_omnibus_test(comparisons, tests, pairing, method)
    return PairTests(name, tests, whole.p_value, whole.chi_square, whole.degrees)


def run_omnibus_test(
    comparisons: MeasureComparison, tests: Sequence[PairTest], pairing: Pairing, method: str = "auto"
) -> Omnibus:
    """Test that no model differs: by DeLong's chi-square, or by the smallest p-value after Holm's correction."""
    name = str(comparisons.measure)
    if len(tests) > 1 and comparisons.choose(method).name == "delong":
        statistic, degrees, p_value = chi_square(*_contrast_areas(pairing))
        if not math.isnan(p_value):
            return Omnibus(name, p_value, statistic, degrees)
    known = [test.p_holm for test in tests if not math.isnan(test.p_holm)]
    return Omnibus(name, min(known, default=math.nan))


def _contrast_areas(pairing: Pairing) -> tuple[Array, Array]:
    """Return the differences of all AUCs from the first, and DeLong's covariance of them."""
    models = len(pairing.rankings)
    contrasts = np.column_stack((np.ones(models - 1), -np.eye(models - 1)))
    auc = np.array([MEASURES["auc"].compute(ranking) for ranking in pairing.rankings])
    return contrasts @ auc, estimate_delong_covariance(pairing, contrasts)
