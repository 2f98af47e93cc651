"""McNemar's tests against statsmodels, Tango's interval against the test it inverts."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, norm
from statsmodels.stats.contingency_tables import mcnemar as peer

from cutline import MEASURES, CutlineError, compare
from cutline.inference.differences.mcnemar import Discordance, count_discordant, mcnemar
from grouping import each_case

GRID = [(b, c) for b in range(13) for c in range(13)] + [(0, 40), (25, 3), (100, 130), (1000, 900)]


@each_case(("b", "c"), GRID)
def test_the_exact_test_agrees_with_statsmodels(b, c):
    assert mcnemar(Discordance(b, c, 3000), "exact") == pytest.approx(peer([[7, b], [c, 9]], exact=True).pvalue)


@each_case(("b", "c"), [pair for pair in GRID if sum(pair)])
def test_the_asymptotic_test_agrees_with_statsmodels(b, c):
    expected = peer([[7, b], [c, 9]], exact=False, correction=False).pvalue

    assert mcnemar(Discordance(b, c, 3000), "asymptotic") == pytest.approx(expected)


@each_case(("b", "c"), GRID)
def test_mid_p_counts_the_table_at_hand_half(b, c):
    fewer = min(b, c)
    expected = 2 * (binom.cdf(fewer, b + c, 0.5) - binom.pmf(fewer, b + c, 0.5) / 2)

    assert mcnemar(Discordance(b, c, 3000), "midp") == pytest.approx(min(1, expected))
    assert mcnemar(Discordance(b, c, 3000), "midp") <= mcnemar(Discordance(b, c, 3000), "exact") + 1e-15


@pytest.mark.parametrize("variant", ["exact", "midp", "asymptotic"])
def test_without_discordant_cases_nothing_differs(variant):
    assert mcnemar(Discordance(0, 0, 20), variant) == 1
    assert mcnemar(Discordance(6, 6, 20), variant) == pytest.approx(1)


# ---------------------------------------------------------------------- Tango


@each_case(("b", "c", "n"), [(12, 2, 50), (0, 0, 30), (5, 5, 20), (1, 0, 44), (0, 9, 9), (40, 3, 44)])
@each_case("level", [0.5, 0.9, 0.95, 0.999])
def test_the_limits_are_where_the_score_test_rejects(b, c, n, level):
    table = Discordance(b, c, n)
    low, high = table.interval(level)

    assert -1 <= low <= table.value <= high <= 1
    for limit in (low, high):
        if abs(limit) < 1:
            assert table.p_value(limit) == pytest.approx(1 - level, abs=1e-6)


@each_case(("b", "c"), [pair for pair in GRID if sum(pair)])
def test_the_score_test_of_no_difference_is_mcnemars(b, c):
    assert Discordance(b, c, 3000).p_value(0) == pytest.approx(mcnemar(Discordance(b, c, 3000), "asymptotic"))


def test_no_discordant_case_of_n_leaves_the_limits_that_the_score_test_leaves():
    z2 = norm.ppf(0.975) ** 2

    assert Discordance(0, 0, 30).interval(0.95) == pytest.approx((-z2 / (30 + z2), z2 / (30 + z2)))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_every_case_discordant_the_same_way_reaches_the_end(n):
    low, high = Discordance(n, 0, n).interval(0.95)

    assert high == 1
    assert -1 < low < 1
    assert Discordance(0, n, n).interval(0.95) == pytest.approx((-high, -low))


def test_turning_the_models_around_turns_the_interval_around():
    low, high = Discordance(12, 2, 50).interval(0.95)

    assert Discordance(2, 12, 50).interval(0.95) == pytest.approx((-high, -low))


def test_no_case_has_no_share():
    assert math.isnan(Discordance(0, 0, 0).value)
    assert all(math.isnan(limit) for limit in Discordance(0, 0, 0).interval(0.95))


# ---------------------------------------------------------------------- which cases


@pytest.mark.parametrize("name", [m.name for m in MEASURES if m.paired])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 2, 3, 1, 2]])
def test_the_discordant_cases_make_the_difference_of_the_measure(name, weights):
    labels = [1, 1, 1, 1, 0, 0, 0, 0]
    found = compare(labels, {"a": [1, 1, 0, 0, 1, 0, 0, 0], "b": [1, 0, 0, 1, 1, 1, 0, 1]}, weights)
    flags = found.pairing.index < np.array([[1], [1]])
    a, b = found.values_of(name).values()

    assert count_discordant(found.pairing, flags, MEASURES[name].paired).value == pytest.approx(a - b)


def test_every_share_of_the_same_cases_is_declared():
    """A measure of one cut is such a share when its denominator does not depend on the flags."""
    denominators = {"accuracy", "error_rate", "recall", "fnr", "specificity", "fpr", "predicted_positive_rate"}

    assert {m.name for m in MEASURES if m.paired} == denominators


@pytest.mark.parametrize("table", [(3, 10, 24), (6, 0, 10), (5, 1, 12), (1, 0, 4)])
def test_the_unconditional_test_is_the_worst_over_all_shares_of_discordant_cases(table):
    """By brute force over all tables of n cases, and over many shares."""
    first, second, n = table
    z = abs(first - second) / math.sqrt(first + second)
    worst = 0.0
    for share in np.linspace(0.001, 1, 1000):
        chance = 0.0
        for b, c in itertools.product(range(n + 1), repeat=2):
            if 0 < b + c <= n and abs(b - c) / math.sqrt(b + c) >= z - 1e-9:
                ways = math.comb(n, b + c) * math.comb(b + c, b)
                chance += ways * (share / 2) ** (b + c) * (1 - share) ** (n - b - c)
        worst = max(worst, chance)
    assert mcnemar(Discordance(first, second, n=n), "unconditional") == pytest.approx(worst, abs=1e-9)


def test_the_unconditional_test_knows_its_ends():
    assert mcnemar(Discordance(4, 4, n=20), "unconditional") == 1
    with pytest.raises(CutlineError, match="mcnemar_unconditional is for up to 20,000 cases, and there are 30,000"):
        mcnemar(Discordance(4, 1, n=30_000), "unconditional")
