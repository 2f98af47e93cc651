"""Intervals of shares that no cut makes: a function of the prevalence, and the share of tied pairs."""

import numpy as np
import pytest

import cutline as cl
from cutline.inference.single import proportions


def test_a_function_of_the_prevalence_has_the_limits_of_the_prevalence():
    ev = cl.evaluate([1] * 30 + [0] * 70, np.linspace(0.9, 0.1, 100))
    low, high = (float(limit) for limit in proportions.wilson(30, 100, 0.95))
    for score, of in (("brier", lambda p: p * (1 - p)), ("log", lambda p: -p * np.log(p) - (1 - p) * np.log(1 - p))):
        found = ev.estimate("unc", score=score)
        assert found.method == "wilson"
        assert (found.low, found.high) == pytest.approx((of(low), of(high)))


def test_it_reaches_its_top_exactly_where_half_of_the_cases_may_be_positive():
    found = cl.evaluate([1] * 45 + [0] * 55, np.linspace(0.9, 0.1, 100)).estimate("unc")
    assert found.high == 0.25
    low = float(proportions.wilson(45, 100, 0.95)[0])
    assert found.low == pytest.approx(low * (1 - low))


def test_without_ties_every_pair_counts_in_the_interval():
    found = cl.evaluate([1, 0] * 20, np.linspace(0.9, 0.1, 40)).estimate("tied_pairs")
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(float(proportions.wilson(0, 400, 0.95)[1]))


def test_ties_of_whole_blocks_count_as_cases():
    """Two scores: a pair is tied when both cases are flagged or neither is, so the share moves as recall and fpr do."""
    labels, scores = [1] * 50 + [0] * 150, [1] * 35 + [0] * 15 + [1] * 40 + [0] * 110
    found = cl.evaluate(labels, scores).estimate("tied_pairs")
    recall, fpr = 35 / 50, 40 / 150
    assert found.value == pytest.approx(recall * fpr + (1 - recall) * (1 - fpr))
    se = np.sqrt(
        (2 * fpr - 1) ** 2 * recall * (1 - recall) / 49
        + (2 * recall - 1) ** 2 * fpr * (1 - fpr) / 149
        - found.value * (1 - found.value) / 50 / 150
    )
    assert found.high - found.low == pytest.approx(2 * 1.96 * se, rel=0.02)


def test_with_groups_they_are_resampled():
    rng = np.random.default_rng(1)
    ev = cl.evaluate([1, 0] * 40, rng.integers(0, 8, 80), groups=np.arange(80) // 2)
    assert ev.estimate("tied_pairs", resamples=200).method == "student"
