"""Intervals of the best over all cuts or recalibrations from samples of the smoothed data."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

import cutline as cl
from cutline.inference.single import smoothed_bootstrap
from cutline.measures import MEASURES
from cutline.measures.forms import MaximumOverCuts

BEST = [m.name for m in MEASURES if isinstance(m.form, MaximumOverCuts)]


def predictions(seed, positives=40, negatives=160, shift=1.2):
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], [positives, negatives])
    return labels, expit(rng.normal(size=len(labels)) + shift * labels - 1)


def test_they_are_the_measures_that_favour_the_sample():
    assert set(BEST) == {"ks", "max_youden_j", "auch", "h_measure", "min_expected_cost", "dsc"}


def test_the_bias_is_taken_off_where_the_bootstrap_leaves_it_in():
    """Forty positives and as many negatives: 95 % hold in at least 34 of 40 samples but for one in 1700 tests."""
    truth = 2 * float(ndtr(0.15)) - 1
    held = {"smoothed": 0, "bootstrap": 0}
    for seed in range(40):
        ev = cl.evaluate(*predictions(seed, 40, 40, 0.3))
        for method in held:
            found = ev.estimate("max_youden_j", method=method, resamples=200)
            held[method] += found.low <= truth <= found.high
    assert held["smoothed"] >= 34
    assert held["bootstrap"] <= 28


@pytest.mark.parametrize("name", BEST)
def test_a_score_without_skill_may_have_none(name):
    labels, _ = predictions(1)
    scores = np.random.default_rng(2).uniform(size=len(labels))
    found = cl.evaluate(labels, scores).estimate(name, resamples=500)
    none = {"auch": 0.5, "min_expected_cost": 0.2}.get(name, 0.0)
    assert found.low <= none <= found.high


@pytest.mark.parametrize("name", BEST)
def test_the_interval_is_around_its_value_and_says_what_chance_does(name):
    found = cl.evaluate(*predictions(3)).estimate(name)
    assert found.method == "smoothed"
    assert found.low < found.value <= found.high
    assert any("so it looks better than it is" in note for note in found.notes)
    assert not any("coverage" in note for note in found.notes)


@pytest.mark.parametrize("name", BEST)
def test_it_is_the_same_for_the_same_seed_and_beside_other_measures(name):
    ev = cl.evaluate(*predictions(4))
    alone = ev.estimate(name, resamples=500, seed=3)
    assert alone == next(one for one in ev.estimates(BEST, resamples=500, seed=3) if one.measure == name)
    assert alone != ev.estimate(name, resamples=500, seed=4)


def test_a_peak_of_few_positives_is_not_flattened():
    """Twelve of twenty positives stand together above all: H varies more than a world with a wide kernel shows."""
    rng = np.random.default_rng(8)
    scores = np.r_[rng.normal(3, 1, 12), rng.normal(0, 1, 8), rng.normal(0, 1, 1980)]
    ev = cl.evaluate(np.arange(2000) < 20, scores)
    wide = smoothed_bootstrap.smooth_risks(ev.ranking)
    statistic = MEASURES["h_measure"].function
    (values,) = smoothed_bootstrap.sample_population(ev.ranking, wide, [statistic], 400, [0])
    h = ev.estimate("h_measure", resamples=2000)
    assert h.high - h.low > 1.2 * 2 * 1.96 * values.std()


def test_classes_without_overlap_have_the_limit_that_their_numbers_allow():
    found = cl.evaluate([1] * 20 + [0] * 20, list(range(40, 0, -1))).estimate("ks")
    assert found.low == pytest.approx(2 * 20 / (20 + 1.96**2) - 1, abs=1e-4)  # recall and specificity at Wilson's limit
    assert found.high == 1


def test_a_kernel_on_nodes_is_about_the_kernel_on_every_score():
    r = cl.evaluate(*predictions(5, 300, 700)).ranking
    exact_nodes, smoothed_bootstrap._NODES = smoothed_bootstrap._NODES, 2000
    try:
        exact = smoothed_bootstrap.smooth_risks(r)
    finally:
        smoothed_bootstrap._NODES = exact_nodes
    assert np.abs(smoothed_bootstrap.smooth_risks(r) - exact).max() < 0.01


def test_ties_stay_where_they_are():
    """Three scores whose ranks are far apart: hardly any case moves."""
    labels, scores = [1] * 30 + [0] * 10 + [1] * 15 + [0] * 15 + [1] * 5 + [0] * 25, [3] * 40 + [2] * 30 + [1] * 30
    risks = smoothed_bootstrap.smooth_risks(cl.evaluate(labels, scores).ranking)
    assert risks == pytest.approx([0.75, 0.5, 1 / 6], abs=0.06)


def test_fractional_weights_and_groups_are_resampled():
    labels, scores = predictions(6)
    assert cl.evaluate(labels, scores, np.full(200, 1.5)).estimate("ks", resamples=200).method == "bias_corrected"
    assert cl.evaluate(labels, scores, groups=np.arange(200) // 4).estimate("ks", resamples=200).method == (
        "bias_corrected"
    )


def test_reversed_scores_are_known_to_be_without_use():
    labels, scores = predictions(1, 50, 150, 1.7)
    for estimate in cl.evaluate(labels, 1 - scores).estimates(["max_youden_j", "h_measure"], resamples=200):
        assert estimate.low <= estimate.value < estimate.high < 0.1
