"""Models that are equal in truth and unequal in how they came about: default tests must not tell them apart."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

import cutline as cl
from cutline.inference.corrected import Corrected, CorrectedDifference, subtract_corrected


def sharp_and_coarse(n, seed):
    """Two calibrated models, one of which says five probabilities only."""
    rng, x = np.random.default_rng(seed), np.random.default_rng(seed + 1).normal(size=n)
    risk = expit(logit(0.3) + 1.5 * x)
    grid = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    edges = norm.ppf([0.2, 0.4, 0.6, 0.8])
    place = np.searchsorted(edges, grid)
    means = np.bincount(place, expit(logit(0.3) + 1.5 * grid)) / np.bincount(place)
    return rng.random(n) < risk, risk, means[np.searchsorted(edges, x)]


@pytest.mark.parametrize("measure", ["mcb", "ece", "smooth_ece", "ici"])
def test_calibrated_models_of_different_sharpness_do_not_differ_in_calibration(measure):
    """The bootstrap says so in 100 % of such samples for mcb, and in about 70 % for ece."""
    for seed in (0, 10):
        labels, fine, coarse = sharp_and_coarse(300, seed)
        models = cl.compare(labels, {"fine": fine, "coarse": coarse})
        found, test = models.difference(measure, resamples=200), models.test(measure, resamples=200)
        assert test.p_value > 0.05
        assert found.low <= 0 <= found.high
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("measure", ["mcb", "ece", "smooth_ece"])
def test_an_overconfident_model_differs_significantly_from_a_calibrated_one(measure):
    rng = np.random.default_rng(4)
    log_odds = -0.8 + 1.2 * rng.normal(size=1000)
    labels = rng.random(1000) < expit(log_odds)
    models = cl.compare(labels, {"sure": expit(2 * log_odds), "right": expit(log_odds)})
    assert models.test(measure, resamples=200).p_value < 0.05
    assert models.difference(measure, resamples=200).low > 0


@pytest.mark.parametrize("measure", ["ks", "max_youden_j"])
def test_a_score_is_not_better_than_its_own_best_cut(measure):
    """Both have the same true distance, and the best over all cuts of the score is always the larger one."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        labels = rng.random(400) < 0.3
        score = rng.normal(size=400) + 1.5 * labels
        models = cl.compare(labels, {"score": score, "cut": (score > 0.75).astype(float)})
        assert models.values_of(measure)["score"] >= models.values_of(measure)["cut"]
        assert models.test(measure, resamples=300).p_value > 0.05


def test_one_calibrated_model_in_two_places_is_equally_calibrated():
    rng = np.random.default_rng(3)
    sides = []
    for n in (60, 600):
        risk = expit(logit(0.3) + 1.5 * rng.normal(size=n))
        sides.append(cl.evaluate(rng.random(n) < risk, risk))
    models = cl.compare_independent(*sides)
    for measure in ("mcb", "ece", "smooth_ece", "ks"):
        found = models.test(measure, resamples=200)
        assert (found.method, found.p_value > 0.05) == ("mover", True), measure


def test_a_difference_at_a_cut_has_students_t_with_the_differing_cases_of_the_smaller_class():
    """Balanced accuracy of two versions: three positives and four negatives are decided differently."""
    labels = np.arange(40) < 10
    a, b = labels.astype(float), labels.astype(float)
    a[[0, 1, 20]] = 1 - a[[0, 1, 20]]  # two positives and a negative are wrong
    b[[2, 21, 22, 23]] = 1 - b[[2, 21, 22, 23]]
    found = cl.compare(labels, {"a": a, "b": b}, threshold=0.5).test("balanced_accuracy", "influence").pairs[0]

    change = np.zeros(40)
    change[[0, 1]], change[2] = -1 / 20, 1 / 20  # one positive in ten is half a tenth of the measure
    change[20], change[[21, 22, 23]] = -1 / 60, 1 / 60
    change[:10] -= change[:10].mean()  # what a case more changes, its class being as large as it is
    change[10:] -= change[10:].mean()
    se = np.sqrt((change**2).sum() * 40 / 39)
    assert found.p_value == pytest.approx(2 * t.sf(abs(found.difference) / se, 2), rel=1e-4)


@pytest.mark.parametrize("measure", ["auc", "average_precision", "brier", "f1", "ks", "ece"])
def test_p_and_interval_of_different_cases_agree_at_every_level(measure):
    rng = np.random.default_rng(8)
    sides = []
    for n, distance in ((80, 1.8), (150, 1.0)):
        labels = rng.random(n) < 0.4
        sides.append(cl.evaluate(labels, expit(rng.normal(size=n) + distance * (labels - 0.5))))
    models = cl.compare_independent(*sides)
    p_value = models.test(measure, resamples=100).p_value
    for level in (0.5, 0.8, 0.9, 0.99):
        found = models.difference(measure, level=level, resamples=100)
        assert (p_value <= 1 - level) == (not found.low <= 0 <= found.high), level


def test_a_p_value_at_the_floor_of_its_resamples_is_shown_as_below_also_after_holms_correction():
    rng = np.random.default_rng(0)
    labels = rng.random(200) < 0.4
    scores = {"a": labels + rng.normal(size=200) / 9, "b": rng.normal(size=200), "c": rng.normal(size=200)}
    text = repr(cl.compare(labels, scores).test("average_precision", "bootstrap", resamples=199))
    assert "p < 0.01 (< 0.03 after Holm's correction)" in text


def test_the_limits_of_a_corrected_difference_are_where_its_p_value_says():
    found = CorrectedDifference(value=0.05, centre=0.03, below=0.01, above=0.02)
    low, high = found.interval(0.9)
    assert (low, high) == pytest.approx((0.03 - 1.644854 * 0.01, 0.03 + 1.644854 * 0.02))
    assert (found.p_value(low), found.p_value(high)) == pytest.approx((0.1, 0.1))
    assert found.p_value(0.04) == 1  # between the observed and the corrected difference
    assert found.interval(0.1)[1] == 0.05  # which it always includes


def test_two_corrected_values_are_subtracted_by_the_squares_of_their_distances():
    a, b = Corrected.of(0.5, 0.4, 0.8), Corrected.of(0.2, 0.1, 0.6)
    low, high = subtract_corrected((0.5, 0.2), a, b).interval(0.95)
    assert low == pytest.approx(0.3 - np.hypot(0.1, 0.4))
    assert high == pytest.approx(0.3 + np.hypot(0.3, 0.1))
    assert Corrected.of(0.5, 0.6, 0.4) == (0.5, 0.5, 0.5)


def test_a_clear_difference_of_different_cases_has_a_p_value_far_in_the_tail():
    rng = np.random.default_rng(1)
    sides = []
    for n, distance in ((300, 4.0), (900, 0.5)):
        labels = rng.random(n) < 0.4
        sides.append(cl.evaluate(labels, expit(rng.normal(size=n) + distance * (labels - 0.5))))
    for measure in ("average_precision", "auc", "brier"):
        assert cl.compare_independent(*sides).test(measure, resamples=100).p_value < 1e-3


def test_a_point_of_a_curve_of_tied_scores_has_the_limits_of_both_models():
    """Student's t of resamples rejected equal models in 12 to 25 % of such samples."""
    rng = np.random.default_rng(2)
    labels = rng.random(100) < 0.15
    a, b = (np.round((rng.normal(size=100) + 1.5 * labels) / 1.5) for _ in range(2))
    models = cl.compare(labels, {"a": a, "b": b})
    test, difference = (
        models.test("specificity_at_recall", resamples=100),
        models.difference("specificity_at_recall", resamples=100),
    )
    assert test.pairs[0].method == difference.method == "mover_paired"
    assert (test.p_value <= 0.05) == (not difference.low <= 0 <= difference.high)
