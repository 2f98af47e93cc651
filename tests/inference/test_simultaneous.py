"""Inference for slices: numbers of a worked example, brute force, identities, and small simulations."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.inference import simultaneous
from cutline.inference.delong import delong_logit
from cutline.inference.simultaneous import westfall_young
from cutline.inference.single.proportions import mid_p, wilson
from cutline.inference.slice_auc import Slicing, run_permutation_test


def example():
    """Four sites of which D ranks worse; drawn in this order."""
    r = np.random.default_rng(2026)
    n = 1200
    site = np.array(list("ABCD"))[r.integers(0, 4, n)]
    label = (r.random(n) < 0.3).astype(int)
    score = np.round(r.normal(size=n) + label * np.where(site == "D", 0.5, 1.2), 3)
    return site, label, score


@pytest.fixture(scope="module")
def areas():
    site, label, score = example()
    return Slicing.of(label == 1, score, np.unique(site, return_inverse=True)[1], 4).areas


@pytest.fixture(scope="module")
def shares():
    """True positives of positives, false positives of negatives, flagged of all, at the cut 0.6."""
    site, label, score = example()
    flagged = score >= 0.6
    among = {"tpr": label == 1, "fpr": label == 0, "flagged": label >= 0}
    return {
        name: tuple(np.array([(some & cases & (site == s)).sum() for s in "ABCD"]) for some in (flagged, cases))
        for name, cases in among.items()
    }


def brute_force(label, score):
    """The AUC and DeLong's variance over all pairs."""
    x, y = score[label][:, None], score[~label][None, :]
    won = (x > y) + 0.5 * (x == y)
    return won.mean(), won.mean(1).var(ddof=1) / len(x) + won.mean(0).var(ddof=1) / y.size


# ---------------------------------------------------------------------- AUCs of slices and of the rest


def test_areas_and_standard_errors(areas):
    assert areas.area.round(6).tolist() == [0.745758, 0.821107, 0.722775, 0.639167]
    assert np.sqrt(areas.variance).round(6).tolist() == [0.031782, 0.024534, 0.032006, 0.035118]


def test_simultaneous_limits_of_the_areas(areas):
    level = simultaneous.sidak_level(0.95, 4)
    low, high = delong_logit(areas.area, areas.variance, level)

    assert low.round(6).tolist() == [0.658941, 0.751725, 0.636542, 0.547968]
    assert high.round(6).tolist() == [0.816626, 0.874341, 0.795133, 0.721323]


@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 2)), min_size=16, max_size=50).filter(
        lambda rows: all(
            sum(label == wanted and part == s for label, _, part in rows) >= 2 for wanted in (0, 1) for s in range(3)
        )
    )
)
def test_slices_and_rest_are_those_of_all_pairs(rows):
    label, score, part = (np.array(column) for column in zip(*rows, strict=True))
    found = Slicing.of(label, score, part, 3).areas

    for s in range(3):
        own, rest = brute_force(label[part == s], score[part == s]), brute_force(label[part != s], score[part != s])
        assert (found.area[s], found.variance[s]) == pytest.approx(own, abs=1e-12)
        assert (found.rest[s], found.rest_variance[s]) == pytest.approx(rest, abs=1e-12)


def test_permuted_slices_are_those_of_all_pairs():
    r = np.random.default_rng(0)
    label, score, part = r.random(60) < 0.5, r.integers(0, 9, 60), np.arange(60) % 3
    slicing = Slicing.of(label, score, part, 3)
    found = slicing.permuted_areas(np.random.default_rng(5), 4)
    rng = np.random.default_rng(5)
    shuffled = [rng.permuted(np.tile(c.slices, (4, 1)), axis=1) for c in (slicing.positives, slicing.negatives)]
    scores = np.concatenate([slicing.positives.score, slicing.negatives.score])
    labels = np.arange(60) < label.sum()

    for row in range(4):
        parts = np.concatenate([shuffled[0][row], shuffled[1][row]])
        for s in range(3):
            area, variance = brute_force(labels[parts != s], scores[parts != s])
            assert found.rest[row, s] == pytest.approx(area)
            assert found.rest_variance[row, s] == pytest.approx(variance)


def test_against_the_rest(areas):
    z = simultaneous.compute_logit_z(*areas)
    p = simultaneous.compute_normal_p(z, "two-sided")

    assert (areas.area - areas.rest).round(6).tolist() == [0.016852, 0.120075, -0.013164, -0.123654]
    assert p.round(5).tolist()[::2] == [0.64856, 0.71814]
    assert p.round(6).tolist()[1::2] == [0.000421, 0.000868]
    assert simultaneous.adjust_p_values(p, "holm").round(6).tolist() == [1, 0.001684, 1, 0.002604]
    assert simultaneous.compute_normal_p(z, "less") == pytest.approx(np.where(z < 0, p / 2, 1 - p / 2))


def test_permutations_find_what_the_formula_finds():
    site, label, score = example()
    slicing = Slicing.of(label == 1, score, np.unique(site, return_inverse=True)[1], 4)
    found = run_permutation_test(slicing, np.array([True, True, True, True]), permutations=399)
    worse = run_permutation_test(slicing, np.array([True, False, True, True]), alternative="less", permutations=399)

    assert found.statistic == pytest.approx(simultaneous.compute_logit_z(*slicing.areas))
    assert (found.adjusted <= 0.05).tolist() == [False, True, False, True]
    assert (found.adjusted >= found.p_value).all()
    assert np.isnan(worse.adjusted[1])
    assert (worse.adjusted[[0, 2, 3]] <= 0.05).tolist() == [False, False, True]


def test_a_perfect_slice_is_finite():
    slicing = Slicing.of(
        np.arange(40) % 2 == 1, np.where(np.arange(40) < 20, np.arange(40) % 2, 0), np.arange(40) // 20, 2
    )

    assert slicing.areas.area.tolist() == [1.0, 0.5]
    assert np.isfinite(run_permutation_test(slicing, np.array([True, True]), permutations=19).statistic).all()


def test_few_false_alarms_among_equal_slices():
    """The quick version of benchmarks/slices.py: 60 samples of 12 slices of 20 to 60 cases with shifted scores."""
    alarms = 0
    for seed in range(60):
        r = np.random.default_rng(seed)
        part = np.repeat(np.arange(12), r.integers(20, 61, 12))
        label = r.random(len(part)) < 0.4
        score = r.normal(size=len(part)) + label
        slicing = Slicing.of(label, score, part, 12)
        tested = (slicing.positives.size >= 5) & (slicing.negatives.size >= 5)
        alarms += np.nanmin(run_permutation_test(slicing, tested, permutations=99, seed=seed).adjusted) <= 0.05
    assert alarms <= 8  # 3 are expected; 9 or more have probability 0.003


# ---------------------------------------------------------------------- gaps


def test_largest_gap_of_the_areas(areas):
    critical = simultaneous.tukey_quantile(0.95, 4)
    pairs = simultaneous.compare_by_wald(areas.area, areas.variance, critical)
    value, limits = pairs.gap

    assert round(critical, 5) == 2.56903
    assert (round(value, 6), round(limits.low, 4), round(limits.high, 4)) == (0.181940, 0.0719, 0.2920)
    assert pairs.widest == (1, 3)


def test_fairness_at_a_cut(shares):
    critical = simultaneous.tukey_quantile(0.95, 4)
    odds = [simultaneous.compare_shares(*shares[name], critical) for name in ("tpr", "fpr")]
    ratio = simultaneous.find_smallest_ratio(*shares["flagged"], critical)

    assert np.divide(*shares["tpr"]).round(6).tolist() == [0.654321, 0.663043, 0.604396, 0.555556]
    assert np.divide(*shares["fpr"]).round(6).tolist() == [0.292237, 0.229075, 0.32, 0.34]
    assert round(simultaneous.find_joint_gap(odds)[0], 6) == 0.110925
    assert round(simultaneous.compare_shares(*shares["flagged"], critical).gap[0], 6) == 0.054703
    assert round(ratio.value, 6) == 0.866231
    assert ratio.limits.low < ratio.value < ratio.limits.high == 1.0


def test_two_slices_are_newcombes_difference():
    """Newcombe (1998), his example 56 of 70 against 48 of 80: method 10 gives 0.0524 to 0.3339."""
    k, n = np.array([56, 48]), np.array([70, 80])
    critical = simultaneous.tukey_quantile(0.95, 2)
    pairs = simultaneous.compare_by_mover(k / n, *wilson(k, n, simultaneous.compute_coverage(critical)))

    assert pairs.difference.tolist() == pytest.approx([0.2])
    assert (pairs.low.item(), pairs.high.item()) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_gap_is_computed_from_all_ordered_pairs():
    k, n = np.array([3, 9, 14, 0]), np.array([20, 30, 20, 25])
    critical = simultaneous.tukey_quantile(0.9, 4)
    share, (low, high) = k / n, mid_p(k, n, simultaneous.compute_coverage(critical))
    ordered = [
        (
            share[i] - share[j] - math.hypot(share[i] - low[i], high[j] - share[j]),
            share[i] - share[j] + math.hypot(high[i] - share[i], share[j] - low[j]),
        )
        for i in range(4)
        for j in range(4)
        if i != j
    ]
    value, limits = simultaneous.compare_shares(k, n, critical).gap

    assert value == 0.7
    assert limits == pytest.approx((max(low for low, _ in ordered), max(high for _, high in ordered)))


def test_a_slice_without_any_gets_half_a_case():
    corrected = simultaneous.find_smallest_ratio(np.array([0, 5]), np.array([10, 10]), 1.96)

    assert corrected.is_corrected
    assert corrected.value == 0
    assert corrected.limits.low == pytest.approx(
        math.exp(math.log(0.5 / 5.5) - 1.96 * math.sqrt(1 / 0.5 - 1 / 11 + 1 / 5.5 - 1 / 11))
    )


def test_gaps_of_equal_shares_hold_nought():
    """The quick version of benchmarks/slices.py, where the plain bootstrap of max - min never does."""
    r = np.random.default_rng(3)
    n = np.full((400, 10), 50)
    critical = simultaneous.tukey_quantile(0.95, 10)
    held = [simultaneous.compare_shares(k, n[0], critical).gap[1].low == 0 for k in r.binomial(n, 0.8)]

    assert np.mean(held) >= 0.91  # 0.95 less three standard errors and a half


# ---------------------------------------------------------------------- estimates that share cases


def test_max_t_of_independent_estimates_is_sidaks():
    covariance = np.diag([1.0, 4.0, 9.0, 0.25])

    assert simultaneous.compute_max_t(covariance, 0.95) == pytest.approx(2.490915, abs=0.02)
    assert simultaneous.compute_max_t(np.eye(4), 0.95, pairs=True) == pytest.approx(2.56903, abs=0.02)


def test_max_t_of_equal_estimates_equals_the_quantile_of_one():
    assert simultaneous.compute_max_t(np.ones((5, 5)), 0.95) == pytest.approx(1.96, abs=0.02)
    assert simultaneous.compute_max_t(np.ones((5, 5)), 0.95, pairs=True) == 0.0


# ---------------------------------------------------------------------- p-values


def test_fisher_is_the_hypergeometric_sum():
    def tail(k, n, others, of):
        total, hits = n + of, k + others
        ways = [math.comb(hits, i) * math.comb(total - hits, n - i) for i in range(k + 1)]
        return sum(ways) / math.comb(total, n)

    p = simultaneous.compute_fisher_p(
        np.array([1, 4]), np.array([10, 9]), np.array([11, 3]), np.array([14, 12]), "less"
    )
    assert p == pytest.approx([tail(1, 10, 11, 14), tail(4, 9, 3, 12)])
    both = simultaneous.compute_fisher_p(np.array([1]), np.array([10]), np.array([11]), np.array([14]), "two-sided")
    assert both == pytest.approx([2 * tail(1, 10, 11, 14)])


def test_false_discovery_rate_is_scipys():
    from scipy.stats import false_discovery_control

    p = np.array([0.001, 0.2, 0.03, 0.012, 0.8])
    assert simultaneous.adjust_p_values(p, "bh") == pytest.approx(false_discovery_control(p))
    assert simultaneous.adjust_p_values(p, "none").tolist() == p.tolist()


def test_step_down_is_no_larger_than_single_step():
    r = np.random.default_rng(1)
    observed, null = r.normal(size=6) + 1, r.normal(size=(99, 6))
    single = (1 + (null.max(axis=1)[:, None] >= observed).sum(axis=0)) / 100

    found = westfall_young(observed, null)
    assert (found <= single + 1e-12).all()
    assert found[observed.argmax()] == single[observed.argmax()]


# ---------------------------------------------------------------------- equality and pooling


def test_cochran(areas):
    found = simultaneous.run_cochran_test(
        simultaneous.logit(areas.area), areas.variance / (areas.area * (1 - areas.area)) ** 2
    )

    assert (round(found.statistic, 4), found.freedom) == (18.0101, 3)
    assert f"{found.p_value:.3e}" == "4.377e-04"


def test_pooling(areas):
    variance = areas.variance / (areas.area * (1 - areas.area)) ** 2
    pooled = simultaneous.pool_partially(simultaneous.logit(areas.area), variance)

    assert round(pooled.tau2, 6) == 0.128031
    assert simultaneous.expit(pooled.mean).round(6) == 0.736655
    assert simultaneous.expit(pooled.values).round(6).tolist() == [0.744135, 0.807721, 0.725112, 0.655161]
    assert pooled.pull.round(4).tolist() == [0.18, 0.1789, 0.1662, 0.1533]
    assert np.isnan(pooled.variances).all()  # four slices are too few for intervals


def slow_pooling(values, variances):
    """The same by plain sums and halving, written from Morris (1983) and Paule and Mandel (1982)."""
    count = len(values)

    def weights(tau2):
        return [1 / (v + tau2) for v in variances]

    def mean(tau2):
        return sum(w * x for w, x in zip(weights(tau2), values, strict=True)) / sum(weights(tau2))

    def q(tau2):
        return sum(w * (x - mean(tau2)) ** 2 for w, x in zip(weights(tau2), values, strict=True))

    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if q(middle) > count - 1 else (low, middle)
    tau2, found = low, []
    for value, variance in zip(values, variances, strict=True):
        b = variance / (variance + tau2)
        smaller = b * (count - 3) / (count - 1)
        spread = (1 - smaller) * variance + smaller**2 / sum(weights(tau2))
        spread += 2 / (count - 3) * smaller**2 * (value - mean(tau2)) ** 2
        centre = b * mean(tau2) + (1 - b) * value
        z = NormalDist().inv_cdf(0.975)
        found.append((centre, centre - z * spread**0.5, centre + z * spread**0.5))
    return tau2, found


def test_pooled_intervals_of_six_slices():
    values, variances = [1.2, 0.8, 1.5, 0.3, 1.1, 0.9], [0.04, 0.09, 0.05, 0.08, 0.03, 0.12]
    tau2, slow = slow_pooling(values, variances)
    pooled = simultaneous.pool_partially(np.array(values), np.array(variances))
    low, high = simultaneous.morris_limits(pooled, 0.95)

    assert pooled.tau2 == pytest.approx(tau2, abs=1e-10)
    assert np.transpose([pooled.values, low, high]) == pytest.approx(np.array(slow), abs=1e-9)


def test_equal_slices_are_pulled_to_their_mean():
    pooled = simultaneous.pool_partially(np.array([1.0, 1.1, 0.9, 1.0, 1.05]), np.full(5, 0.2))

    assert pooled.tau2 == 0
    assert pooled.pull.tolist() == [1] * 5
    assert pooled.values == pytest.approx([1.01] * 5)
