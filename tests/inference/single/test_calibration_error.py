"""Intervals of calibration errors by inverted tests: what they hold, and where they stand aside."""

import numpy as np
import pytest

import cutline as cl
from cutline.inference.single import calibration_error
from cutline.measures import MEASURES
from cutline.measures.forms import CalibrationError

ERRORS = [m.name for m in MEASURES if isinstance(m.form, CalibrationError)]


def predictions(seed, cases=300, power=1.0):
    rng = np.random.default_rng(seed)
    risk = rng.beta(1, 2, cases)
    labels = (rng.random(cases) < risk).astype(int)
    return labels, risk**power / (risk**power + (1 - risk) ** power)


def test_the_errors_that_chance_only_raises_are_those_of_calibration():
    assert set(ERRORS) >= {"mcb", "ici", "e50", "e90", "emax", "eci", "ece", "smooth_ece"}
    assert "dsc" not in ERRORS
    assert "brier" not in ERRORS


@pytest.mark.parametrize("name", ERRORS)
def test_a_strongly_miscalibrated_model_has_an_interval_above_nought_around_its_value(name):
    ev = cl.evaluate(*predictions(1, 600, power=4.0))
    found = ev.estimate(name, resamples=320)
    assert found.method == "inversion"
    assert 0 < found.low < found.value <= found.high


def test_a_calibrated_model_may_have_no_error_and_the_note_says_what_chance_makes_of_it():
    held = 0
    for seed in range(12):
        found = cl.evaluate(*predictions(seed)).estimate("mcb", resamples=320)
        held += found.low == 0
        assert found.low > 0 or any("Chance alone could give such a value" in note for note in found.notes)
    assert held >= 10  # 2.5 % of them do not: three of twelve in one of 3000 such tests


def test_an_upper_limit_below_the_value_is_moved_to_it_and_the_note_gives_the_limit():
    found = [cl.evaluate(*predictions(seed)).estimate("mcb", resamples=320) for seed in range(12)]
    moved = [one for one in found if any("moved to include the value" in note for note in one.notes)]
    assert moved
    assert all(one.high == one.value for one in moved)
    assert all(one.high > one.value for one in found if one not in moved)


def test_where_no_world_is_far_enough_samples_of_the_curve_at_hand_give_the_upper_limit():
    """Most cases share one score and the rest is all but separated: risks cut at 0 and 1 add nothing to the error."""
    rng = np.random.default_rng(2)
    labels = np.r_[np.ones(45), np.zeros(455)]
    odds = np.r_[rng.normal(2, 1, 30), np.zeros(15), rng.normal(0.8, 0.5, 45), np.zeros(410)] - 3
    found = cl.evaluate(labels, 1 / (1 + np.exp(-odds))).estimate("eci", resamples=320)
    assert found.high > 1.2 * found.value


def test_the_interval_holds_the_truth_where_the_bootstrap_does_not():
    held = {"inversion": 0, "bca": 0}
    rng = np.random.default_rng(8)
    risk = np.linspace(0.005, 0.995, 200)  # the same probabilities in each study, so that the truth is a sum
    said = risk**1.4 / (risk**1.4 + (1 - risk) ** 1.4)
    truth = float(np.mean((said - risk) ** 2))
    for _ in range(12):
        ev = cl.evaluate((rng.random(200) < risk).astype(int), said)
        for method in held:
            found = ev.estimate("mcb", method=method, resamples=320)
            held[method] += found.low <= truth <= found.high
    assert held["inversion"] >= 10
    assert held["bca"] <= 4


def test_it_is_the_same_for_the_same_seed_and_beside_other_measures():
    ev = cl.evaluate(*predictions(2))
    alone = ev.estimate("mcb", resamples=320, seed=3)
    assert alone == ev.estimate("mcb", resamples=320, seed=3)
    assert alone != ev.estimate("mcb", resamples=320, seed=4)


def test_a_wider_level_gives_a_wider_interval():
    ev = cl.evaluate(*predictions(2, power=2.0))
    narrow, wide = (ev.estimate("ici", level=level, resamples=640) for level in (0.8, 0.95))
    assert wide.low <= narrow.low < narrow.high <= wide.high


def test_few_simulations_for_the_level_are_noted():
    ev = cl.evaluate(*predictions(2))
    found = ev.estimate("mcb", level=0.99, resamples=80)
    assert any("too few for a level of 0.99" in note for note in found.notes)


def test_a_value_that_single_points_of_the_curve_decide_is_noted_where_the_model_is_not_calibrated():
    off, right = cl.evaluate(*predictions(1, 600, power=4.0)), cl.evaluate(*predictions(2))
    for name in ("e90", "e50", "eci"):
        assert any("single points of the curve" in note for note in off.estimate(name, resamples=320).notes)
    for ev, name in ((off, "ici"), (right, "e90")):
        assert not any("single points" in note for note in ev.estimate(name, resamples=320).notes)


def test_an_error_that_falls_beyond_the_curve_of_the_data_still_has_an_interval_with_a_width():
    """Probabilities without information have a flat curve; beyond, risks are cut at 0 and it grows no more."""
    for seed in range(4):
        rng = np.random.default_rng([7, seed])
        ev = cl.evaluate(rng.random(500) < 0.1, 1 / (1 + np.exp(-rng.normal(size=500))))
        found = ev.estimate("eci", resamples=320)
        assert found.low < 0.95 < 0.98 < found.high, found


def test_single_places_of_the_curve_have_at_least_what_samples_of_it_show():
    """The median error of a small sample: the isotonic curve may be right where the middle case stands."""
    labels, probabilities = predictions(4, 80, power=2.0)
    found = cl.evaluate(labels, probabilities).estimate("e50", resamples=320)
    assert found.high > 1.5 * found.value


def test_probabilities_that_leave_no_room_for_surprises_are_warned_of():
    sure = np.r_[np.full(150, 1e-4), np.full(150, 1 - 1e-4)]
    labels = np.arange(300) >= 150
    found, usual = cl.evaluate(labels, sure).estimate("ece"), cl.evaluate(*predictions(2)).estimate("ece")
    assert found.warning is not None
    assert found.warning.id == "few-surprises"
    assert usual.warning is None


def test_a_limit_that_chance_raised_is_a_detail_and_not_a_warning():
    cases = [predictions(seed, power=power) for seed in range(3) for power in (1.0, 2.5)]
    found = [cl.evaluate(*one).estimate("mcb", resamples=320) for one in cases]
    is_moved = [any("moved to include" in note for note in one.notes) for one in found]

    assert 0 < sum(is_moved) < 6
    assert not any(one.warning for one in found)


def test_probabilities_that_equal_the_observed_shares_have_an_upper_limit_above_nought():
    labels = [1, 0, 0, 0] * 10 + [1, 1, 1, 0] * 10
    found = cl.evaluate(labels, [0.25] * 40 + [0.75] * 40).estimate("mcb", resamples=320)
    assert found.value == found.low == 0
    assert found.high > 0.001


def test_groups_and_weights_are_simulated_as_the_cases_that_they_are_worth():
    """Each case four times, as a group, says no more than once; weights say less than as many equal ones."""
    labels, scores = predictions(5, 80)
    alone = cl.evaluate(labels, scores)
    groups = cl.evaluate(np.repeat(labels, 4), np.repeat(scores, 4), groups=np.repeat(np.arange(80), 4))
    assert calibration_error.compute_effective_cases(alone.ranking, None) == pytest.approx(80, rel=0.02)
    assert calibration_error.compute_effective_cases(groups.ranking, groups.groups) == pytest.approx(80, rel=0.02)
    weights = np.random.default_rng(1).uniform(0.5, 2, 80)
    weighted = cl.evaluate(labels, scores, weights)
    assert 50 < calibration_error.compute_effective_cases(weighted.ranking, None) < 80
    for ev in (groups, weighted):
        found = ev.estimate("mcb", resamples=320)
        assert found.method == "inversion"
        assert found.low == 0 < found.value <= found.high


def test_an_error_that_corrects_itself_for_chance_does_not_depend_on_the_scale_of_the_weights():
    labels, scores = predictions(6, 200)
    weights = np.random.default_rng(2).uniform(0.5, 2, 200)
    one, many = (cl.evaluate(labels, scores, k * weights).estimate("mcb", resamples=320) for k in (1, 50))
    assert (one.low, one.high) == pytest.approx((many.low, many.high))


def test_a_population_with_the_fitted_curve_has_the_error_of_that_curve():
    ev = cl.evaluate(*predictions(5, power=2.0))
    populations = calibration_error._Populations(
        ev.ranking, [ev._make_estimand("mcb", {})], 0, 40, float(ev.ranking.total), ()
    )
    assert populations.compute_true_error(0, 0.0) == pytest.approx(0, abs=1e-15)
    p, curve, size = ev.ranking.key, populations.curve, ev.ranking.size
    assert populations.compute_true_error(0, 1.0) == pytest.approx(float(size @ (p - curve) ** 2 / size.sum()))
    assert populations.compute_true_error(0, 0.5) == pytest.approx(populations.compute_true_error(0, 1.0) / 4)


def test_a_share_that_falls_where_probabilities_rise_is_warned_of():
    p = np.linspace(0.05, 0.95, 2000)
    rising, falling = p, np.where(p < 0.5, p, 1.2 - p)  # up to a half, and down again
    outcomes = np.random.default_rng(4).random(2000)

    usual, odd = (cl.evaluate(outcomes < risk, p).estimate("ece") for risk in (rising, falling))

    assert usual.warning is None
    assert odd.warning is not None
    assert odd.warning.id == "not-rising"
    assert cl.evaluate(outcomes < falling, p).estimate("mcb").warning is None
