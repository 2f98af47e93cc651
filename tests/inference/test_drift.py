"""Drift of scores: the population stability index and the Kolmogorov-Smirnov test."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from cutline.inference import drift


@pytest.mark.parametrize(
    ("n", "m", "bins", "critical"),
    [(1000, 1000, 10, 0.03384), (10_000, 500, 10, 0.03553), (10_000, 500, 20, 0.06330), (300, 300, 10, 0.11279)],
)
def test_critical_values(n, m, bins, critical):
    assert round(drift.estimate_psi(np.full(bins, n / bins), np.full(bins, m / bins)).critical, 5) == critical


def test_psi_by_hand():
    index = drift.estimate_psi([60, 40], [40, 60])
    p, q = 60.5 / 101, 40.5 / 101

    assert index.value == pytest.approx(2 * (p - q) * np.log(p / q))
    assert index.p_value == pytest.approx(stats.chi2.sf(index.value / 0.02, 1))
    assert index.low < index.value < index.high
    # Each limit makes the value as extreme as the level allows.
    for limit, tail in ((index.low, 0.975), (index.high, 0.025)):
        assert stats.ncx2.cdf(index.value / 0.02, 1, limit / 0.02) == pytest.approx(tail)


def test_psi_of_equal_histograms_has_no_drift_in_its_interval():
    index = drift.estimate_psi([50, 50, 50], [100, 100, 100])

    assert (index.value, index.low) == (0, 0)
    assert stats.ncx2.cdf(2, 2, index.high / (1 / 150 + 1 / 300)) == pytest.approx(0.025)


def test_weights_make_psi_less_certain():
    plain, weighted = drift.estimate_psi([60, 40], [40, 60]), drift.estimate_psi([60, 40], [40, 60], sizes=(50, 50))

    assert weighted.critical == pytest.approx(2 * plain.critical)


def test_psi_alarms_as_often_as_it_says_and_holds_the_truth():
    rng = np.random.default_rng(5)
    p = np.full(10, 0.1)
    q = np.diff(stats.norm.cdf(stats.norm.ppf(np.arange(11) / 10) - 0.3))
    truth = ((p - q) * np.log(p / q)).sum()
    still = [drift.estimate_psi(*rng.multinomial(1000, p, size=2)) for _ in range(400)]
    moved = [drift.estimate_psi(rng.multinomial(1000, p), rng.multinomial(1000, q)) for _ in range(400)]

    assert 0.02 < np.mean([index.value > index.critical for index in still]) < 0.08
    assert np.mean([index.low <= truth <= index.high for index in moved]) > 0.91


def cells(first, second):
    scores = np.unique(np.r_[first, second])
    return tuple(np.array([(np.asarray(values) == score).sum() for score in scores]) for values in (first, second))


def test_ks_is_scipys_without_ties():
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=60), rng.normal(0.4, size=45)
    result, expected = (
        drift.run_kolmogorov_smirnov(*cells(first, second)),
        stats.ks_2samp(first, second, method="exact"),
    )

    assert (result.value, result.p_value) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert result.method == "exact"


def test_ks_with_ties_counts_permutations():
    first, second = [1, 1, 2, 3, 3, 3], [1, 2, 2, 2]
    result = drift.run_kolmogorov_smirnov(*cells(first, second))
    pooled = np.array(first + second)

    def distance(chosen):
        others = np.delete(pooled, chosen)
        return max(abs((pooled[list(chosen)] <= x).mean() - (others <= x).mean()) for x in (1, 2, 3))

    every = [distance(chosen) for chosen in combinations(range(10), 6)]
    expected = np.mean(np.array(every) >= result.value - 1e-12)

    assert result.method == "permutation"
    assert result.value == pytest.approx(0.5)
    assert result.p_value == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 2000))


def test_ks_of_large_samples_is_asymptotic():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=12_000), rng.normal(0.02, size=12_000)
    merged = np.argsort(np.argsort(np.r_[first, second]))
    is_first = np.zeros(24_000, dtype=int)
    is_first[merged[:12_000]] = 1
    result, expected = (
        drift.run_kolmogorov_smirnov(is_first, 1 - is_first),
        stats.ks_2samp(first, second, method="asymp"),
    )

    assert result.method == "asymptotic"
    assert result.value == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue, rel=0.05)


def test_quantile_edges_and_histogram():
    scores, counts = np.arange(10, 0, -1.0), np.ones(10, dtype=int)
    edges = drift.find_quantile_edges(scores, counts, 5)

    assert edges.tolist() == [3, 5, 7, 9]
    assert drift.count_by_bin(scores, counts, edges).tolist() == [2, 2, 2, 2, 2]
    assert drift.count_by_bin(np.array([9.0, 8.5, 0.0]), np.array([3, 1, 2]), edges).tolist() == [2, 0, 0, 1, 3]


def test_ties_make_fewer_bins():
    edges = drift.find_quantile_edges(np.array([2.0, 1.0]), np.array([9, 1]), 10)
    alone = drift.find_quantile_edges(np.array([2.0]), np.array([9]), 10)

    assert (edges.tolist(), alone.tolist()) == ([2.0], [2.0])
    assert drift.count_by_bin(np.array([3.0, 2.0, 1.0]), np.array([1, 5, 7]), alone).tolist() == [7, 6]
