"""Intervals by the spread of resamples: the scale they are spread on, and what is said of it."""

import math

import numpy as np
import pytest

from cutline import evaluate
from cutline.inference.caveats import FEW_WEIGH, RARE_SCORES

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


def test_a_heavy_tail_of_losses_is_told_of_and_allowed_for():
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


def test_an_area_over_a_part_of_the_curve_that_holds_hardly_any_case_is_warned_of():
    labels = np.arange(300) % 30 == 0  # two of ten positives are in the part above a recall of 0.8
    few = evaluate(labels, RNG.normal(size=300) + labels)
    assert few.estimate("partial_auc_above_recall", resamples=200).warning.id == "few-in-a-stretch"
    assert few.estimate("partial_auc_above_recall", min_recall=0.5, resamples=200).warning is None
    assert EV.estimate("partial_auc_above_recall", resamples=200).warning is None


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
