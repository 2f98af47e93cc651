"""Differences: their intervals and tests, Holm's correction, the chi-square test of several."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests

import cutline as cl
from cutline.inference.caveats import IGNORES_THE_BIAS, TOO_RARELY
from cutline.inference.differences.difference import (
    ResampledDifference,
    StudentDifference,
    chi_square,
    describe_more_cases,
    needed_cases,
)
from cutline.inference.resampling.bootstrap import percentile
from cutline.inference.simultaneous import holm


# Few, because the peer is slow.
@pytest.mark.parametrize(
    "p", [[0.2], [0.01, 0.04, 0.03], [0.5, 0.5, 0.5], [0.0, 1.0, 0.0], np.random.default_rng(0).random(10) / 5]
)
def test_holm_agrees_with_statsmodels(p):
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])


def test_holm_leaves_out_what_has_no_p_value():
    assert holm([0.04, math.nan, 0.01])[::2] == [0.04, 0.02]
    assert math.isnan(holm([0.04, math.nan, 0.01])[1])
    assert holm([]) == []


def test_a_normal_difference_is_tested_by_its_standard_error():
    found = StudentDifference(0.3, 0.1)

    assert found.p_value() == pytest.approx(2 * norm.sf(3))
    assert found.p_value(0.3) == 1
    assert found.interval(0.9) == pytest.approx((0.3 - 0.1 * norm.ppf(0.95), 0.3 + 0.1 * norm.ppf(0.95)))


def test_no_standard_error_says_nothing_of_a_difference_and_all_of_none():
    assert StudentDifference(0.0, 0.0).p_value() == 1
    assert StudentDifference(0.0, 0.0).interval(0.95) == (0, 0)
    assert math.isnan(StudentDifference(0.5, 0.0).p_value())
    assert all(math.isnan(limit) for limit in StudentDifference(0.5, 0.0).interval(0.95))
    assert math.isnan(StudentDifference(0.5, math.nan).p_value())


def test_a_resampled_difference_counts_the_resamples_on_the_other_side():
    draws = np.concatenate((np.full(3, -1.0), np.full(96, 1.0)))
    found = ResampledDifference(0.9, draws)

    assert found.share() == pytest.approx(2 * 3 / 99)
    assert found.p_value() == pytest.approx(2 * (3 + 1) / (99 + 1))


@given(seed=st.integers(0, 2**32), null=st.floats(-1, 1))
def test_the_interval_holds_what_its_test_does_not_reject(seed, null):
    draws = np.random.default_rng(seed).uniform(-1, 1, 199)
    found = ResampledDifference(0.1, draws)
    low, high = found.interval(0.9)

    if np.abs(null - draws).min() > 1e-9:
        assert (found.p_value(null) > 0.1 + 1e-12) == (low < null < high)


def test_the_limits_are_the_fiftieth_from_either_end_of_1999_draws():
    assert percentile(np.arange(1.0, 2000.0), 0.95) == (50, 1950)
    assert all(math.isnan(limit) for limit in percentile(np.arange(10.0), 0.95))


def test_resamples_that_all_agree_say_nothing_of_a_difference_and_all_of_none():
    clear = ResampledDifference(0.5, np.full(99, 0.5))
    equal = ResampledDifference(0.0, np.zeros(99))

    assert clear.says_nothing
    assert math.isnan(clear.p_value())
    assert math.isnan(clear.interval(0.95)[0])
    assert equal.p_value() == equal.share() == 1
    assert equal.interval(0.95) == (0, 0)


def test_undefined_resamples_do_not_count_and_infinite_ones_do():
    found = ResampledDifference(1.0, np.array([math.nan, 1.0, 2.0, math.inf, -math.inf]))

    assert found.draws.tolist() == [-math.inf, 1, 2, math.inf]
    assert found.p_value() == pytest.approx(2 * (1 + 1) / (4 + 1))
    assert found.se == pytest.approx(math.sqrt(0.5))


def test_four_times_the_cases_halve_the_standard_error():
    n = needed_cases(StudentDifference(0.1, 0.2), 100, 0.95)
    se = 0.2 * math.sqrt(100 / n)

    assert norm.sf(norm.ppf(0.975) - 0.1 / se) == pytest.approx(0.8)  # the power, but for the other tail
    assert needed_cases(StudentDifference(0.0, 0.2), 100, 0.95) == math.inf


# ---------------------------------------------------------------------- several differences


def test_the_chi_square_of_one_difference_is_its_square():
    statistic, degrees, p = chi_square(np.array([0.3]), np.array([[0.01]]))

    assert (statistic, degrees) == (pytest.approx(9), 1)
    assert p == pytest.approx(2 * norm.sf(3))


def test_the_chi_square_weighs_by_the_inverse_covariance():
    covariance, difference = np.array([[0.04, 0.01], [0.01, 0.09]]), np.array([0.2, -0.3])
    statistic, degrees, p = chi_square(difference, covariance)

    assert statistic == pytest.approx(difference @ np.linalg.inv(covariance) @ difference)
    assert (degrees, p) == (2, pytest.approx(chi2.sf(statistic, 2)))


def test_a_difference_that_follows_from_others_takes_no_degree_of_freedom():
    twice = chi_square(np.array([0.3, 0.3]), np.full((2, 2), 0.01))

    assert twice[:2] == (pytest.approx(9), 1)
    assert chi_square(np.zeros(2), np.zeros((2, 2))) == (0, 0, 1)


@pytest.mark.parametrize("covariance", [np.zeros((2, 2)), np.full((2, 2), math.nan), np.diag([0.01, 0.0])])
def test_a_difference_without_variance_has_no_chi_square(covariance):
    assert math.isnan(chi_square(np.array([0.3, 0.4]), covariance)[2])


def test_no_difference_with_a_wide_interval_is_not_said_to_be_none_for_ever():
    said = describe_more_cases(StudentDifference(0.0, 0.29), 12, 0.95)

    assert said == "with 12 cases, a true difference of up to 0.5684 either way cannot be excluded."


def test_the_number_of_cases_for_a_given_power_is_named_with_its_uncertainty():
    said = describe_more_cases(StudentDifference(0.0144, 0.009), 300, 0.95)

    assert said.startswith("about 920 cases would give 80 % power (you have 300) if the true difference is the one obs")
    assert said.endswith("judging by its 80 % interval, 280 to 23,000.")


@pytest.mark.parametrize("kind", [StudentDifference, lambda value, se: StudentDifference(value, se, 3)])
def test_a_difference_without_a_standard_error_has_no_p_value(kind):
    assert math.isnan(kind(0.5, 0.0).p_value())
    assert all(map(math.isnan, kind(0.5, 0.0).interval(0.95)))
    assert kind(0.0, 0.0).p_value() == 1


def test_resamples_at_the_null_count_half_on_either_side():
    draws = np.repeat([-1.0, 0.0, 1.0], [2, 10, 87])
    assert ResampledDifference(1.0, draws).p_value() == pytest.approx(2 * (1 + 2 + 5) / 100)
    assert ResampledDifference(1.0, -draws).p_value() == pytest.approx(2 * (1 + 2 + 5) / 100)


def test_the_bootstrap_of_what_chance_raises_says_that_it_ignores_the_bias():
    rng = np.random.default_rng(0)
    labels, noise = np.arange(300) < 60, rng.normal(size=(2, 300))
    models = cl.compare(labels, {"a": noise[0] + labels, "b": noise[1] + labels})

    assert IGNORES_THE_BIAS in models.test("ks", "bootstrap", resamples=100).pairs[0].notes
    assert IGNORES_THE_BIAS not in models.test("ks", resamples=100).pairs[0].notes
    assert IGNORES_THE_BIAS not in models.test("partial_auc", "bootstrap", resamples=100).pairs[0].notes


def test_two_models_that_no_resample_tells_apart_have_a_test_that_shows_nothing():
    scores = np.linspace(1, 0, 100)
    other = np.append(scores[:50][::-1], scores[50:])  # the first fifty, all positive, in another order
    found = cl.compare(np.arange(100) < 50, {"a": scores, "b": other}).test("qrecall", quota=10, resamples=100).pairs[0]

    assert found.p_value == 1
    assert any(TOO_RARELY in note for note in found.notes)


@pytest.mark.parametrize(("measure", "freedom"), [("auc", 4), ("average_precision", 4), ("brier", 14)])
def test_versions_of_one_model_have_the_degrees_of_freedom_of_the_cases_that_they_score_differently(measure, freedom):
    """Five of 40 positives and ten of 60 negatives are scored anew, and make all of the variance."""
    rng = np.random.default_rng(4)
    labels = np.arange(100) < 40
    old = 1 / (1 + np.exp(-rng.normal(size=100) - labels))
    new = old.copy()
    new[35:50] = rng.uniform(0.1, 0.9, 15)
    versions, others = cl.compare(labels, {"a": old, "b": new}), cl.compare(labels, {"a": old, "b": new + 1e-9})

    def ratio(models):
        wide, narrow = (models.difference(measure, level=level, resamples=200) for level in (0.95, 0.8))
        return (wide.high - wide.low) / (narrow.high - narrow.low)

    assert ratio(versions) == pytest.approx(student.ppf(0.975, freedom) / student.ppf(0.9, freedom))
    assert ratio(others) < ratio(versions)
