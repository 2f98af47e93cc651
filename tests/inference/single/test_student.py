"""Intervals by the spread of resamples: the scale they are spread on, and what is said of it."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from cutline import evaluate
from cutline.inference.caveats import FEW_WEIGH, NEAR_AN_END, RARE_SCORES, WEIGHTS_GO_WITH_CLASS

RNG = np.random.default_rng(3)
LABELS = np.arange(300) < 100
SCORES = 1 / (1 + np.exp(-(RNG.normal(size=300) + 1.2 * LABELS)))
EV = evaluate(LABELS, SCORES)


def test_functions_of_the_log_loss_have_limits_of_one_loss():
    """Nagelkerke's R² is Cox and Snell's over that of a perfect model: so are its limits, on the same resamples."""
    cox, nagelkerke = (EV.estimate(name, resamples=400) for name in ("cox_snell_r2", "nagelkerke_r2"))
    most = 1 - math.exp(-2 * math.log(3) + 4 / 3 * math.log(2))  # the prevalence is a third

    assert nagelkerke.value == pytest.approx(cox.value / most)
    assert (nagelkerke.low, nagelkerke.high) == pytest.approx((cox.low / most, cox.high / most), abs=0.02)
    assert cox.low < cox.value < cox.high < most


def test_a_heavy_tail_of_losses_is_noted_and_allowed_for():
    """Such intervals missed the truth no more often than others: that few cases decide is a detail."""
    wrong = SCORES.copy()
    wrong[[0, 299]] = 1e-30, 1 - 1e-13  # two cases make nearly all of the loss
    heavy, usual = (ev.estimate("log_loss", resamples=200) for ev in (evaluate(LABELS, wrong), EV))

    assert "It rests on about 2 cases." in heavy.notes
    assert heavy.warning is None
    assert heavy.high / heavy.value > 2 * usual.high / usual.value - 1  # twice as far away, in parts of the value


def test_few_skewed_values_without_an_end_at_hand_are_warned_of():
    few = evaluate(np.arange(100) < 5, np.r_[0.9, 0.1, 0.08, 0.05, 0.04, np.linspace(0.001, 0.1, 95)])

    assert few.estimate("discrimination_slope", resamples=200).warning == FEW_WEIGH
    assert EV.estimate("discrimination_slope", resamples=200).warning is None


@pytest.mark.parametrize(("name", "at"), [("break_even", 0.0), ("portion_lift", 10.0), ("partial_auc", 9 / 19)])
def test_a_value_at_an_end_of_its_range_is_not_a_certain_one(name, at):
    """None of 5 positives is among the first, or all are: few resamples show that it could have been otherwise."""
    labels = np.r_[np.zeros(10), np.ones(5), np.zeros(85)] if not at or at < 1 else np.r_[np.ones(5), np.zeros(95)]
    labels[[60, 10]] = labels[[10, 60]] if at < 1 else labels[[60, 10]]
    found = evaluate(labels, np.arange(100)[::-1]).estimate(name, resamples=200)

    assert found.value == pytest.approx(at)
    assert found.high - found.low > 0.3 * (10 if at == 10 else 1 - at)


def test_an_area_over_a_part_of_the_curve_has_the_degrees_of_freedom_of_the_cases_in_it():
    """Of 20 positives four are above a recall of 0.8: with Student's t of three a higher level costs more."""
    labels = np.arange(300) % 15 == 0
    ev = evaluate(labels, RNG.normal(size=300) + labels)
    reach = []
    for level in (0.95, 0.8):
        found = ev.estimate("partial_auc_above_recall", level=level, resamples=200)
        middle, high = (math.log(x / (0.2 - x)) for x in (found.value, found.high))
        reach.append(high - middle)

    assert reach[0] / reach[1] == pytest.approx(student.ppf(0.975, 3) / student.ppf(0.9, 3), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "is_warned"),
    [("average_precision", True), ("ece", True), ("bedroc", False), ("partial_auc", False), ("debiased_ece", False)],
)
def test_classes_with_weights_of_different_sizes_are_warned_of_where_intervals_miss(name, is_warned):
    """Half of the cases are positives, which stand for 2 % of the population: a few negatives at the top decide."""
    rng = np.random.default_rng(5)
    labels = np.arange(400) < 200
    scores = 1 / (1 + np.exp(-rng.normal(size=400) - 1.8 * labels))
    found, usual = (
        evaluate(labels, scores, weights=weights, weights_are="sampling").estimate(name, resamples=200)
        for weights in (np.where(labels, 1.0, 49.0), np.where(labels, 1.0, 4.0))
    )

    assert found.warning == (WEIGHTS_GO_WITH_CLASS.fill_in(49) if is_warned else None)
    assert usual.warning is None


@pytest.mark.parametrize("name", ["ks", "specificity_at_recall"])
def test_the_best_cut_and_points_of_curves_are_warned_of_where_weights_go_with_the_scores(name):
    rng = np.random.default_rng(6)
    labels = np.arange(300) < 60
    scores = rng.normal(size=300) + 1.5 * labels
    by_score, at_random = np.exp(-scores), np.exp(rng.normal(size=300))
    found, usual = (
        evaluate(labels, scores, weights=weights, weights_are="sampling").estimate(name, resamples=200)
        for weights in (by_score, at_random)
    )

    assert found.warning.id == "weights-go-with-scores"
    assert usual.warning is None


@pytest.mark.parametrize("name", ["aucpr_min", "aucpr_minmax", "aucpr_max"])
def test_a_curve_that_starts_with_a_long_line_may_hide_rarer_scores(name):
    """Three scores: the line from the origin takes half of the area over the first 60 positives."""
    scores = np.repeat([3, 2, 1, 3, 2, 1], [60, 25, 15, 20, 60, 120])
    found, other = evaluate(LABELS, scores).estimate(name, resamples=200), EV.estimate(name, resamples=200)

    assert RARE_SCORES in found.notes
    assert found.high - found.value > 0.6 * 0.75 / 2
    assert RARE_SCORES not in other.notes


def test_a_curve_that_starts_at_1_may_be_too_high_instead():
    scores = np.repeat([3, 2, 1, 3, 2, 1], [60, 25, 15, 20, 60, 120])
    found = evaluate(LABELS, scores).estimate("aucpr_minmax", start=1.0, resamples=200)

    assert found.value - found.low > 0.6 * (1 - 0.75) / 2


def test_noise_of_few_resamples_moves_no_limit():
    """A mean has no bias: with 200 resamples the limits are as far from the value as with 4000, but for the noise."""
    few, many = (EV.estimate("mae", resamples=n) for n in (200, 4000))

    assert (few.high - few.value) / (few.value - few.low) == pytest.approx(
        (many.high - many.value) / (many.value - many.low), rel=0.02
    )


def test_an_area_near_its_end_by_prevalence_alone_is_no_reason_to_warn():
    rng = np.random.default_rng(2)
    labels, noise = np.arange(300) < 291, rng.normal(size=300)

    weak, strong = (evaluate(labels, noise + shift * labels).estimate("average_precision") for shift in (1.2, 4))

    assert weak.value > 0.98
    assert weak.warning is None
    assert strong.value > 0.99
    assert strong.warning == NEAR_AN_END
