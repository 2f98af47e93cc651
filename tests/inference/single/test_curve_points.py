"""One point of a curve: its interval by hand, where nothing bounds it, and how often it holds the truth."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import bdtrik
from scipy.stats import binom

import cutline as cl
from cutline.inference.caveats import SEARCHED, SEARCHED_AGAIN
from cutline.inference.single.curve_points import _bound_quantile
from cutline.inference.single.proportions import wilson
from cutline.results.notes import find_warning

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from populations import Population, bells

POINTS = ("recall_at_specificity", "specificity_at_recall", "precision_at_recall", "recall_at_precision")


def test_recall_at_a_specificity_moves_with_the_cut_and_with_the_share_beyond_it():
    labels = [1] * 40 + [0] * 50
    rng = np.random.default_rng(3)
    scores = np.concatenate((rng.normal(1.2, 1, 40), rng.normal(0, 1, 50)))
    found = cl.evaluate(labels, scores).estimate("recall_at_specificity", specificity=0.8)
    fewest, most = bdtrik([0.025, 0.975], 50, 0.2)  # of 50 negatives, beyond a quantile with a fifth beyond it
    heights = [
        cl.MEASURES["recall_at_specificity"](labels, scores, specificity=1 - end / 50) for end in (fewest, most + 1)
    ]
    low, high = wilson(found.value * 40, 40, 0.95)

    assert found.method == "mover"
    assert found.low == pytest.approx(found.value - math.hypot(found.value - float(low), found.value - heights[0]))
    assert found.high == pytest.approx(found.value + math.hypot(float(high) - found.value, heights[1] - found.value))


def test_a_quantile_lies_between_order_statistics_as_often_as_is_said():
    """Each tail of the binomial number of cases beyond the quantile holds 2.5 %."""
    low, high = _bound_quantile(np.array([0.1, 0.5]), 50.0, 0.95)
    for share, fewest, most in zip((0.1, 0.5), low * 50, high * 50 - 1, strict=True):
        for count, tail in ((fewest, 0.025), (most, 0.975)):
            assert binom.cdf(math.floor(count) - 1, 50, share) < tail <= binom.cdf(math.ceil(count), 50, share)
    assert high[0] - 0.1 > 0.1 - low[0]  # skewed as the binomial is, unlike Wilson's interval around the same share


@pytest.mark.parametrize("name", POINTS)
def test_a_perfect_order_is_not_a_certain_one(name):
    found = cl.evaluate([1] * 60 + [0] * 60, range(120, 0, -1)).estimate(name)

    assert found.value == found.high == 1
    assert 0.8 < found.low < 0.999


def test_five_positives_do_not_tell_where_nine_tenths_of_them_are():
    found = cl.evaluate([1, 1, 1, 0, 1, 1, *[0] * 94], range(100)[::-1]).estimate("specificity_at_recall", recall=0.9)

    assert found.value > 0.98
    assert found.low == 0, "with five positives, in 59 % of samples none is below the cut that nine tenths reach"


def test_points_of_nearly_perfect_curves_are_held():
    """Forty samples in which bootstrap intervals held recall at a specificity in 37 %, and now nearly all do."""
    p = Population("", 60, 60, bells(0.99, 0.5))
    truth = {name: float(cl.MEASURES[name](p.ranking())) for name in POINTS}
    held, rng = dict.fromkeys(POINTS, 0), np.random.default_rng(11)
    for _ in range(40):
        for name, found in zip(POINTS, cl.evaluate(**p.sample(rng)).estimates(POINTS), strict=True):
            held[name] += found.low - 1e-9 <= truth[name] <= found.high + 1e-9
    assert min(held.values()) >= 35, held


def test_ties_that_put_the_next_cut_far_away_leave_both_cuts_inside():
    """Recall is 0.82 at the second of three scores: it may be below 0.8 in truth, and then all cases are flagged."""
    labels = [1] * 30 + [0] * 10 + [1] * 11 + [0] * 20 + [1] * 9 + [0] * 120
    found = cl.evaluate(labels, [3] * 40 + [2] * 31 + [1] * 129).estimate("precision_at_recall", recall=0.8)
    assert found.value == pytest.approx(41 / 71)
    assert found.low <= 50 / 200


def test_a_large_tie_some_cuts_away_may_hold_the_cut_that_is_meant():
    """Recall just exceeds 0.8 before a tie of 10 of 60 positives, and one case less would flag the tie."""
    rng = np.random.default_rng(5)
    labels = np.r_[np.ones(50), np.zeros(60), np.ones(10), np.zeros(180)]
    scores = np.r_[rng.normal(3, 1, 50), rng.normal(1, 0.5, 60), np.full(190, -5.0)]
    found = cl.evaluate(labels, scores).estimate("precision_at_recall", recall=0.8)
    assert found.value > 0.5
    assert found.low <= 60 / 300


def test_a_cut_that_is_chosen_from_the_data_is_noted():
    """A plain sample has limits on the safe side; resamples of groups show too little of the search."""
    rng = np.random.default_rng(1)
    labels = rng.random(200) < 0.4
    scores = rng.normal(size=200) + 1.5 * labels
    plain = cl.evaluate(labels, scores).estimate("recall_at_precision", precision=0.7)
    grouped = cl.evaluate(labels, scores, groups=np.arange(200) // 4).estimate(
        "recall_at_precision", precision=0.7, resamples=100
    )
    assert SEARCHED in plain.notes
    assert (SEARCHED.direction, find_warning(plain.notes)) == ("above", None)
    assert find_warning(grouped.notes) == SEARCHED_AGAIN
    assert "below the nominal level" in SEARCHED_AGAIN


def test_sampling_weights_leave_the_limits_of_a_searched_cut_on_the_safe_side():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.4
    scores = rng.normal(size=300) + 1.5 * labels
    weighted = cl.evaluate(labels, scores, weights=rng.uniform(1, 9, 300), weights_are="sampling")
    found = weighted.estimate("recall_at_precision", precision=0.7)

    assert found.method == "mover"
    assert SEARCHED in found.notes
    assert find_warning(found.notes) is None


@pytest.mark.parametrize("name", ["mcc", "lr_plus", "diagnostic_odds_ratio", "mutual_information"])
def test_a_cut_with_two_true_positives_says_so(name):
    labels = np.arange(100) < 8
    scores = [np.isin(np.arange(100), [*range(found), 20, 21, 22]).astype(float) for found in (2, 5)]
    few, more = (cl.evaluate(labels, one, threshold=0.5).estimate(name) for one in scores)

    assert any(note.startswith("It rests on about ") for note in few.notes)
    assert few.notes != more.notes
