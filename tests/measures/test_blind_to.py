"""Each measure says what it is blind to, and what it says is so."""

import math

import numpy as np
import pytest

import cutline as cl
from cutline.measures import MEASURES, Counts
from grouping import each_case

RARE = Counts(tp=0, fp=0, fn=1, tn=999)  # nobody is flagged
TABLE = {"tp": 40, "fp": 30, "fn": 10, "tn": 120}


@each_case("measure", list(MEASURES), ids=str)
def test_a_measure_says_what_it_is_blind_to(measure):
    assert measure.blind_to.endswith(".")
    assert measure.blind_to[0].isupper()


@pytest.mark.parametrize("name", ["f1", "f_beta", "f_alpha", "jaccard", "g_measure"])
def test_true_negatives_do_not_move_the_f_measures(name):
    few, many = (MEASURES[name](Counts(**(TABLE | {"tn": tn}))) for tn in (120, 1120))

    assert few == many


def test_flagging_no_case_or_all_cases_can_look_perfect():
    everybody = Counts(tp=5, fp=95, fn=0, tn=0)

    assert cl.accuracy(RARE) == 0.999
    assert cl.recall(everybody) == 1
    assert cl.specificity(RARE) == 1
    assert cl.npv(RARE) == 0.999
    assert cl.lr_minus(Counts(tp=5, fp=94, fn=0, tn=1)) == 0


def test_the_odds_ratio_lets_false_alarms_and_misses_cancel_out():
    half_the_alarms = Counts(tp=40, fp=15, fn=20, tn=120)  # odds of an alarm 30/120 -> 15/120, of a miss 10/40 -> 20/40

    assert cl.diagnostic_odds_ratio(half_the_alarms) == cl.diagnostic_odds_ratio(Counts(**TABLE)) == 16


def test_mutual_information_does_not_see_the_direction():
    turned = Counts(tp=10, fp=120, fn=40, tn=30)

    assert cl.mutual_information(turned) == pytest.approx(cl.mutual_information(Counts(**TABLE)))


def test_the_prevalence_threshold_sees_a_ratio_only():
    small = Counts(tp=4, fp=3, fn=46, tn=147)  # a tenth of both rates

    assert cl.prevalence_threshold(small) == pytest.approx(cl.prevalence_threshold(Counts(**TABLE)))


def test_balanced_accuracy_of_0_95_can_mean_fifty_false_alarms_for_a_hit():
    rare = Counts(tp=95, fp=4995, fn=5, tn=94905)

    assert cl.balanced_accuracy(rare) == pytest.approx(0.95)
    assert rare.fp / rare.tp == pytest.approx(52.6, abs=0.1)


def test_the_auc_counts_a_mistake_at_the_top_like_one_at_the_bottom():
    at_the_top = cl.auc([0, 1, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    at_the_bottom = cl.auc([1, 1, 0, 0, 0, 1], [6, 5, 4, 3, 2, 1])

    assert at_the_top == at_the_bottom == 6 / 9


@pytest.mark.parametrize(
    "name", ["average_precision", "expected_average_precision", "aucpr_davis_goadrich", "average_hit_rate"]
)
def test_negatives_after_the_last_positive_do_not_move_average_precision(name):
    few, many = (cl.evaluate([1, 0, 1] + [0] * n, [9, 8, 7, *range(n)]).value(name) for n in (1, 7))

    assert few == pytest.approx(many)


def test_exaggeration_pays_in_measures_that_are_not_proper():
    labels, honest = [1, 1, 1, 0, 0], [0.6] * 5
    exaggerated = [0.99] * 5

    assert cl.mae(labels, exaggerated) < cl.mae(labels, honest)
    assert cl.brier(labels, exaggerated) > cl.brier(labels, honest)
    assert cl.discrimination_slope([1, 0], [0.9, 0.1]) > cl.discrimination_slope([1, 0], [0.6, 0.4])


def test_always_saying_the_prevalence_is_calibrated():
    labels, prevalence = [1, 0, 0, 0], [0.25] * 4

    assert cl.ece(labels, prevalence) == cl.mcb(labels, prevalence) == 0
    assert cl.dsc(labels, prevalence) == 0


def test_errors_that_cancel_give_an_observed_to_expected_ratio_of_one():
    assert cl.oe_ratio([1, 0], [0.1, 0.9]) == 1


def test_one_impossible_case_decides_the_log_loss():
    said = [0.9] * 99

    assert cl.log_loss([1] * 100, [*said, 0.9]) == pytest.approx(-math.log(0.9))
    assert cl.log_loss([1] * 100, [*said, 0.0]) > 4 * -math.log(0.9)


def test_the_focal_loss_is_lowest_for_probabilities_that_are_less_sure():
    labels = np.array([1] * 9 + [0])
    said = np.linspace(0.5, 0.99, 99)
    best = said[np.argmin([cl.focal_loss(labels, np.full(10, p)) for p in said])]

    assert best < 0.9


def test_a_measure_of_your_own_declares_what_it_is_blind_to():
    @cl.measure(blind_to="Everything but the true positives.")
    def hits_alone(tp):
        return tp

    try:
        assert MEASURES["hits_alone"].blind_to == "Everything but the true positives."
    finally:
        MEASURES.remove("hits_alone")
