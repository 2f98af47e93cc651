"""Confidence sequences and e-processes: reference numbers, brute force, identities, and small simulations."""

from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest

import cutline as cl
from cutline.inference import sequential as seq


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (8, 10, 0.342479, 0.990606),
        (80, 100, 0.648358, 0.908978),
        (480, 600, 0.737465, 0.854033),
        (800, 1000, 0.751237, 0.843445),
        (0, 20, 0, 0.224006),
        (20, 20, 0.775994, 1),
        (0, 0, 0, 1),
    ],
)
def test_proportion_sequence(successes, trials, low, high):
    limits = seq.bound_proportion(successes, trials, 0.05)

    assert np.round(limits, 6).tolist() == [low, high]


def test_the_proportion_sequence_of_many_equals_each_single_one():
    successes, trials = np.array([[8, 0], [80, 0]]), np.array([[10, 20], [100, 0]])
    low, high = seq.bound_proportion(successes, trials, 0.05)

    for index in np.ndindex(2, 2):
        assert (low[index], high[index]) == seq.bound_proportion(successes[index], trials[index], 0.05)


@pytest.mark.parametrize(
    ("successes", "trials", "evidence"),
    [(70, 100, 0.627022), (80, 100, -2.855279), (60, 100, 8.283810), (350, 500, 11.099915)],
)
def test_evidence_below(successes, trials, evidence):
    assert round(float(seq.log_evidence_below(successes, trials, 0.8)), 6) == evidence


def test_evidence_above_is_the_evidence_below_of_failures():
    assert seq.log_evidence_above(30, 100, 0.2) == pytest.approx(float(seq.log_evidence_below(70, 100, 0.8)), abs=1e-12)


def test_evidence_below_is_the_mean_likelihood_ratio_over_smaller_proportions():
    """Integrate over the Jeffreys prior below 0.8 by p = sin(x)^2, under which it is uniform in x."""
    end = np.arcsin(np.sqrt(0.8))
    p = np.sin((np.arange(200_000) + 0.5) / 200_000 * end) ** 2
    likelihood = 70 * np.log(p / 0.8) + 30 * np.log((1 - p) / 0.2)

    assert seq.log_evidence_below(70, 100, 0.8) == pytest.approx(np.log(np.exp(likelihood).mean()), abs=1e-8)


def exact_evidence_far_above(successes, trials, at_least):
    """The same evidence by the series of the incomplete beta function, in exact arithmetic."""
    a, b, x = successes + Fraction(1, 2), trials - successes + Fraction(1, 2), Fraction(at_least)
    term = total = 1.0
    for k in range(2000):
        term *= float((a + b + k) / (a + 1 + k) * x)
        total += term
    prior = np.arcsin(np.sqrt(at_least)) * 2  # B(1/2, 1/2) I_x(1/2, 1/2)
    return 0.5 * log(at_least) + 0.5 * log(1 - at_least) - log(float(a)) + log(total) - log(prior)


@pytest.mark.parametrize(("successes", "trials"), [(90, 100), (1999, 2000), (99_000, 100_000)])
def test_evidence_far_above_the_promise_is_finite(successes, trials):
    expected = exact_evidence_far_above(successes, trials, 0.5)

    assert seq.log_evidence_below(successes, trials, 0.5) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("true", [0.8, 0.85, 0.99])
def test_evidence_below_has_mean_at_most_1_where_the_promise_is_kept(true):
    s = np.arange(31)
    probability = [comb(30, k) * true**k * (1 - true) ** (30 - k) for k in s]
    mean = np.dot(probability, np.exp(seq.log_evidence_below(s, 30, 0.8)))

    assert mean == pytest.approx(1, abs=1e-9) if true == 0.8 else mean < 1


def test_evidence_against_has_mean_1_at_the_truth():
    s = np.arange(31)
    probability = [comb(30, k) * 0.3**k * 0.7 ** (30 - k) for k in s]

    assert np.dot(probability, np.exp(seq.log_evidence_against(s, 30, 0.3))) == pytest.approx(1, abs=1e-12)


def test_shiryaev_roberts_is_its_sum_over_starts():
    """R_t is the sum over all starts of the product of likelihood ratios since then."""
    rng = np.random.default_rng(3)
    successes = rng.binomial(20, 0.75, size=12)
    ratios = seq.log_ratios_below(successes, 20, 0.8)
    expected = [
        log(np.mean([sum(exp(ratios[start : t + 1, j].sum()) for start in range(t + 1)) for j in range(4)]))
        for t in range(12)
    ]

    assert seq.compute_shiryaev_roberts(ratios) == pytest.approx(expected)


def test_likelihood_ratios_have_mean_1_where_nothing_changed():
    s = np.arange(21)
    probability = np.array([comb(20, k) * 0.1**k * 0.9 ** (20 - k) for k in s])

    assert probability @ np.exp(seq.log_ratios_below(s, 20, 0.1)) == pytest.approx(np.ones(4))
    assert seq.log_ratios_below(1, 1, 0.1) == pytest.approx(np.log([0.8, 0.5, 0.5, 0.5]))


def ten_cases():
    example = cl.examples.load("ten_cases")
    ranking = cl.rank(example.labels, *example.scores.values(), positive="1")
    return ranking.score, ranking.pos, ranking.neg


def test_calibration_terms_of_ten_cases():
    terms = seq.compute_calibration_terms(*ten_cases())
    expected = [
        -0.809973,
        -0.200367,
        -0.058901,
        -0.019643,
        -0.007404,
        0.002602,
        0.000404,
        -0.018526,
        -0.117293,
        -0.623001,
    ]

    assert terms.sum(0).round(6).tolist() == expected
    assert round(float(np.exp(seq.compute_log_mean(terms.sum(0)))), 6) == 0.858958


def test_calibration_terms_by_brute_force():
    """Case by case, with ties, probabilities of 0 and 1 and empty bins."""
    score, pos, neg = np.array([1.0, 0.95, 0.4, 0.05, 0.0]), np.array([2, 1, 3, 0, 0]), np.array([0, 1, 2, 4, 1])
    expected = np.zeros((10, len(seq.BETS)))
    for p, ones, zeros in zip(score, pos, neg, strict=True):
        for y in [1] * ones + [0] * zeros:
            expected[min(int(p * 10), 9)] += [log(1 + bet * (y - p)) for bet in seq.BETS]

    assert seq.compute_calibration_terms(score, pos, neg) == pytest.approx(expected, abs=1e-12)


def test_miscalibration_weighs_all_cases_together_and_each_bin_alike():
    terms = seq.compute_calibration_terms(*ten_cases())
    expected = 0.5 * np.exp(terms.sum(0)).mean() + 0.5 * np.exp(terms).mean()

    assert seq.log_evidence_of_miscalibration(terms) == pytest.approx(log(expected))
    assert seq.weight_calibration_bets().sum() == pytest.approx(1)


def test_asymptotic_half_widths():
    widths = seq.compute_half_width([50, 100, 500, 1000, 5000], 0.05, tightest_at=500)

    assert seq.find_tuning(0.05, 500) == pytest.approx(0.12598535, abs=5e-9)
    assert widths.round(6).tolist() == [0.545187, 0.336389, 0.135739, 0.096812, 0.045845]


def test_looking_every_day_alarms_rarely_with_evidence_and_often_with_a_test():
    """A year, 20 labelled positives a day, a recall of 0.8 as promised: 500 years."""
    rng = np.random.default_rng(11)
    successes = rng.binomial(20, 0.8, size=(500, 365)).cumsum(1)
    trials = np.arange(20, 20 * 365 + 1, 20)
    evidence = seq.log_evidence_below(successes, trials, 0.8)
    z = (successes / trials - 0.8) / np.sqrt(0.16 / trials)

    assert (evidence.max(1) >= log(20)).mean() < 0.05
    assert (z.min(1) < -1.645).mean() > 0.3
