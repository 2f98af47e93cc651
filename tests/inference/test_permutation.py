"""Permutation tests against the enumeration of every permutation."""

import itertools
import math
from math import comb

import numpy as np
import pytest

import cutline as cl
from cutline import MEASURES, compare, evaluate
from cutline.inference.permutation import PermutationTest, compare_with_permutations

LABELS, SCORES = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.6, 0.2]


def every_labelling(measure, labels, scores, **parameters):
    """The share of all ways to deal out the labels in which the measure is at least as good."""
    n, positives = len(labels), sum(labels)
    value = MEASURES[measure](labels, scores, **parameters)
    ways = [[i in chosen for i in range(n)] for chosen in itertools.combinations(range(n), positives)]
    values = np.array([MEASURES[measure](way, scores, **parameters) for way in ways])
    as_good = values >= value - 1e-12 if MEASURES[measure].better == "higher" else values <= value + 1e-12
    return (as_good | np.isnan(values)).mean()


def test_300_of_10_000_make_a_share_of_3_percent():
    values = np.concatenate((np.full(300, 0.8), np.full(9700, 0.4)))
    found = compare_with_permutations(MEASURES["recall"], 0.8, values, seed=0)

    assert found.extreme == 300
    assert found.share == 0.03
    assert found.p_value == 301 / 10_001


# ---------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("measure", "parameters"),
    [
        ("auc", {}),
        ("brier", {}),
        ("log_loss", {}),
        ("average_precision", {}),
        ("accuracy", {"threshold": 0.65}),
        ("precision", {"threshold": 0.75}),
        ("hit_rate", {"quota": 2}),
        ("ks", {}),
    ],
)
def test_shuffled_labels_come_as_often_as_among_all_labellings(measure, parameters):
    found = evaluate(LABELS, SCORES).permutation_test(measure, permutations=4000, **parameters)
    expected = every_labelling(measure, LABELS, SCORES, **parameters)

    assert found.value == MEASURES[measure](LABELS, SCORES, **parameters)
    assert found.share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 4000) + 1e-9)


def test_a_perfect_order_of_many_ties_is_one_of_all_ways_to_deal():
    ev = evaluate([1] * 4 + [0] * 16, [1] * 4 + [0] * 16)  # drawn cell by cell: ten cases a cell

    assert ev.permutation_test(permutations=4000).share == pytest.approx(1 / comb(20, 4), abs=0.001)


def test_a_model_without_skill_is_no_better_than_chance():
    assert evaluate([1, 0, 1, 0], [7, 7, 7, 7]).permutation_test(permutations=50).p_value == 1


@pytest.mark.parametrize("repeats", [1, 10])  # drawn case by case, and cell by cell
def test_shuffling_deals_out_all_the_labels(repeats):
    ev = evaluate(np.repeat(LABELS, repeats), np.repeat(SCORES, repeats))
    flag_everybody = ev.permutation_test("accuracy", permutations=200, threshold=-1)

    assert (flag_everybody.values == 3 / 6).all()


def test_the_same_seed_gives_the_same_permutations():
    ev = evaluate(LABELS, SCORES)

    np.testing.assert_array_equal(ev.permutation_test(seed=5).values, ev.permutation_test(seed=5).values)
    assert (ev.permutation_test(seed=5).values != ev.permutation_test(seed=6).values).any()


def test_whole_weights_are_repeated_rows():
    weighted = evaluate(LABELS, SCORES, [1, 2, 1, 1, 3, 1]).permutation_test(permutations=100)
    repeated = evaluate(np.repeat(LABELS, [1, 2, 1, 1, 3, 1]), np.repeat(SCORES, [1, 2, 1, 1, 3, 1]))

    np.testing.assert_array_equal(weighted.values, repeated.permutation_test(permutations=100).values)


def test_fractional_weights_cannot_be_shuffled_and_it_says_so():
    found = evaluate(LABELS, SCORES, [0.5, 1, 1, 1, 1, 1]).permutation_test()

    assert math.isnan(found.p_value)
    assert math.isnan(found.share)
    assert "not whole numbers" in found.notes[0]


def test_an_undefined_measure_has_its_reason():
    found = evaluate([1, 1], [0.2, 0.1]).permutation_test("auc")

    assert math.isnan(found.p_value)
    assert "there is no negative case" in found.notes[0]
    assert found.to_dict()["p_value"] is None


def test_a_test_prints_its_p_value_and_its_share():
    found = PermutationTest("recall", 0.8, np.zeros(10_000), 300, 0)

    assert repr(found) == "recall 0.8000: p = 0.0301 (300 of 10000 permutations do at least as well, a share of 0.0300)"
    assert "0.0301" in found._repr_html_()


# ---------------------------------------------------------------------- two models


def every_exchange(labels, a, b, difference):
    """The share of all ways to exchange the two scores of each case that make at least as large a difference."""
    found = []
    for swaps in itertools.product([False, True], repeat=len(labels)):
        swapped = np.array(swaps)
        found.append(difference(labels, np.where(swapped, b, a), np.where(swapped, a, b)))
    return (np.abs(found) >= abs(difference(labels, a, b)) - 1e-12).mean()


def midranks(scores):
    scores = np.asarray(scores)
    return (scores[:, None] > scores).sum(1) + (scores[:, None] == scores).sum(1) / 2


LABEL = np.array([1, 1, 1, 0, 0, 0, 0])
FIRST = np.array([0.9, 0.8, 0.6, 0.5, 0.4, 0.3, 0.7])
SECOND = np.array([0.30, 0.55, 0.2, 0.45, 0.9, 0.2, 0.1])


def within_chance(found, expected, rounds):
    assert found.share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / rounds) + 1e-9)
    assert found.p_value == pytest.approx((found.share * rounds + 1) / (rounds + 1))


@pytest.mark.parametrize("measure", ["auc", "average_precision", "ks", "average_hit_rate"])
def test_ranks_are_exchanged_for_a_measure_of_the_order(measure):
    def difference(labels, a, b):
        return MEASURES[measure](labels, a) - MEASURES[measure](labels, b)

    tests = compare(LABEL, {"a": FIRST, "b": 100 * SECOND}).test(measure, "permutation", resamples=4000)

    within_chance(tests.pairs[0], every_exchange(LABEL, midranks(FIRST), midranks(SECOND), difference), 4000)


@pytest.mark.parametrize("measure", ["brier", "log_loss"])
def test_scores_are_exchanged_for_a_measure_of_probabilities(measure):
    def difference(labels, a, b):
        return MEASURES[measure](labels, a) - MEASURES[measure](labels, b)

    tests = compare(LABEL, {"a": FIRST, "b": SECOND}).test(measure, "permutation", resamples=4000)

    within_chance(tests.pairs[0], every_exchange(LABEL, FIRST, SECOND, difference), 4000)


@pytest.mark.parametrize("measure", ["f1", "mcc", "accuracy"])
def test_predictions_are_exchanged_for_a_measure_of_one_cut(measure):
    def difference(labels, a, b):
        return MEASURES[measure](labels, a) - MEASURES[measure](labels, b)

    tests = compare(LABEL, {"a": FIRST, "b": SECOND}, threshold={"a": 0.55, "b": 0.4}).test(
        measure, "permutation", resamples=4000
    )

    within_chance(tests.pairs[0], every_exchange(LABEL, FIRST >= 0.55, SECOND >= 0.4, difference), 4000)


def test_equal_cases_are_exchanged_one_by_one():
    label, first, second = (np.repeat(column, 2) for column in (LABEL[:5], FIRST[:5], SECOND[:5]))

    def difference(labels, a, b):
        return cl.brier(labels, a) - cl.brier(labels, b)

    tests = compare(label, {"a": first, "b": second}).test("brier", "permutation", resamples=4000)

    within_chance(tests.pairs[0], every_exchange(label, first, second, difference), 4000)


def test_the_threshold_of_each_model_stays_its_own():
    found = compare(LABEL, {"a": FIRST, "b": SECOND}, threshold={"a": 0.55, "b": 0.2})
    test = found.test("net_benefit", "permutation", resamples=100).pairs[0]

    assert test.difference == pytest.approx(found["a"].net_benefit - found["b"].net_benefit)
    assert not test.notes


def test_a_correlation_of_scores_says_that_ranks_were_exchanged():
    test = compare(LABEL, {"a": FIRST, "b": SECOND}).test("pearson", "permutation", resamples=100, quota=7).pairs[0]

    assert "Ranks are exchanged" in test.notes[0]
