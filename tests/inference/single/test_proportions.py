"""Intervals of proportions, against Berrar's numbers, scipy and statsmodels."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from cutline import MEASURES, Counts, evaluate
from cutline.inference.single import proportions, reference
from cutline.measures import Proportion
from grouping import each_case

GRID = [(k, n) for n in (1, 2, 5, 10, 37, 1000) for k in sorted({0, 1, n // 3, n // 2, n - 1, n})]
LEVELS = (0.5, 0.9, 0.95, 0.999)
LABELS, SCORES = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def test_the_wald_interval_of_berrar_is_kept_and_flagged():
    found = evaluate(LABELS, SCORES, threshold=0.55).estimate("sensitivity", method="wald")

    assert (round(found.value, 4), round(found.low, 4), round(found.high, 4)) == (0.6, 0.1706, 1.0294)
    assert found.notes == (
        "The Wald interval is not valid here: n p = 3 and n (1 - p) = 2 must both exceed 5.",
        "The limit 1.0294 lies outside the range of the measure, 0 to 1.",
    )


def test_the_exact_interval_of_berrar():
    found = evaluate(LABELS, SCORES, threshold=0.55).estimate("sensitivity", method="clopper_pearson")

    assert (round(found.low, 4), round(found.high, 4)) == (0.1466, 0.9473)
    assert found.notes == ()


@pytest.mark.parametrize(("k", "n", "holds"), [(6, 12, True), (5, 12, False), (7, 12, False), (6, 11, False)])
def test_the_condition_of_wald_is_more_than_five_on_both_sides(k, n, holds):
    assert reference.wald_holds(k, n) == holds


@each_case("level", LEVELS)
@each_case(("k", "n"), GRID)
def test_scipy_agrees(k, n, level):
    for ours, theirs in ((reference.clopper_pearson, "exact"), (proportions.wilson, "wilson")):
        expected = binomtest(k, n).proportion_ci(level, method=theirs)
        np.testing.assert_allclose(ours(k, n, level), (expected.low, expected.high), rtol=1e-9, atol=1e-12)


@each_case("level", LEVELS)
@each_case(("k", "n"), GRID)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("wald", "normal"), ("agresti_coull", "agresti_coull"), ("jeffreys", "jeffreys"), ("wilson", "wilson")],
)
def test_statsmodels_agrees(k, n, level, ours, theirs):
    found = reference.METHODS[ours](k, n, level)
    expected = proportion_confint(k, n, alpha=1 - level, method=theirs)

    if ours == "jeffreys":  # at the ends ours is the end, so that the value is inside
        expected = (0 if k == 0 else expected[0], 1 if k == n else expected[1])
    np.testing.assert_allclose(np.clip(found, 0, 1), expected, rtol=1e-9, atol=1e-12)


@each_case("method", ["clopper_pearson", "wilson", "jeffreys"])
@each_case(("k", "n"), GRID)
def test_no_limit_leaves_the_range_or_passes_the_value(k, n, method):
    low, high = reference.METHODS[method](k, n, 0.95)

    assert 0 <= low <= k / n <= high <= 1


def test_no_success_has_the_closed_limits():
    assert reference.clopper_pearson(0, 10, 0.95) == pytest.approx((0, 1 - 0.025 ** (1 / 10)))
    assert reference.clopper_pearson(10, 10, 0.95) == pytest.approx((0.025 ** (1 / 10), 1))


@pytest.mark.parametrize("m", [m for m in MEASURES if isinstance(m.form, Proportion)], ids=str)
def test_a_declared_proportion_is_the_measure(m):
    counts = Counts(tp=3, fp=1, fn=2, tn=4)
    k, n = m.form.of(counts)

    assert 0 <= k <= n
    assert m.form.then(k / n) == pytest.approx(m(counts))


def test_the_proportions_are_those_that_count_cases():
    assert {m.name for m in MEASURES if isinstance(m.form, Proportion)} == {
        *("accuracy", "error_rate", "recall", "specificity", "fpr", "fnr", "precision", "npv", "fdr"),
        *("false_omission_rate", "prevalence", "predicted_positive_rate", "jaccard", "f1"),
    }


def test_the_interval_of_f1_is_that_of_the_jaccard_index_on_its_scale():
    ev = evaluate(LABELS, SCORES)
    jaccard, f1 = ev.estimate("jaccard"), ev.estimate("f1")

    assert jaccard.value == pytest.approx(4 / 6)
    assert (f1.low, f1.high) == pytest.approx([2 * j / (1 + j) for j in (jaccard.low, jaccard.high)])


def test_weights_count_as_the_effective_number_of_cases():
    weights = [1.5, 2.5, 1, 1, 1, 1, 1, 1, 1, 1]
    found = evaluate(LABELS, SCORES, weights, threshold=0.55).estimate("recall", method="wilson")
    k, n = 5.0, 7.0
    effective = n**2 / (1.5**2 + 2.5**2 + 3)

    assert found.value == pytest.approx(k / n)
    np.testing.assert_allclose((found.low, found.high), proportions.wilson(k / n * effective, effective, 0.95))
    assert "effective sample size" in found.notes[0]


def test_whole_weights_are_repeated_cases():
    weights = [3, 1, 2, 1, 1, 4, 1, 1, 2, 1]
    weighted = evaluate(LABELS, SCORES, weights).estimate("recall")
    repeated = evaluate(np.repeat(LABELS, weights), np.repeat(SCORES, weights)).estimate("recall")

    assert (weighted.low, weighted.high) == (repeated.low, repeated.high)
    assert weighted.notes[0].startswith("The weights are whole numbers: they count as 17 separate cases.")


@pytest.mark.parametrize("n", [20, 50, 100, 1000])
def test_the_modified_interval_of_a_share_holds_where_few_cases_of_a_kind_are_expected(n):
    """Exact coverage: Wilson's falls to 86 % where 0.15 cases are to be expected, at every n."""
    k = np.arange(n + 1.0)
    held = {}
    for method in ("wilson", "wilson_modified"):
        low, high = reference.METHODS[method](k, float(n), 0.95)
        held[method] = min(
            binom.pmf(k, n, share)[(low <= share) & (share <= high)].sum()
            for share in np.array([0.05, 0.15, 0.3, 0.5, 1, 1.5, 2, 3, 4, 5]) / n
        )
    assert held["wilson"] < 0.87
    assert held["wilson_modified"] > 0.93


def test_a_share_with_few_errors_has_the_modified_interval_and_says_so():
    few, more = (evaluate([0] * 100, [1.0] * errors + [0.0] * (100 - errors), threshold=0.5) for errors in (2, 4))
    assert (few.estimate("specificity").method, more.estimate("specificity").method) == ("wilson_modified", "wilson")
    assert few.estimate("specificity").high > few.estimate("specificity", method="wilson").high
