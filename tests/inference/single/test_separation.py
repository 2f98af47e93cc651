"""Perfect models: an interval without width would say that no error can ever happen."""

import numpy as np
import pytest

import cutline as cl
from cutline import MEASURES, evaluate
from cutline.inference.single.proportions import square_and_add, wilson, wilson_modified
from grouping import each_case

LABELS = [1] * 20 + [0] * 20
SCORES = np.linspace(0.99, 0.01, 40)
PERFECT = evaluate(LABELS, SCORES, threshold=0.5)
BOUNDED = [
    m.with_(quota=10) if "quota" in m.required else m
    for m in MEASURES
    if all(np.isfinite(m.range)) and m.fits(PERFECT.ranking) and m.better
]


@each_case("measure", BOUNDED, ids=str)
def test_no_default_interval_of_a_bounded_measure_has_no_width(measure):
    found = PERFECT.estimate(measure, resamples=50)

    assert not found.has_interval or found.low < found.high


@pytest.mark.parametrize("measure", ["auc", "recall", "mcc", "ks", "average_precision"])
def test_whole_groups_that_are_all_right_count_as_their_number(measure):
    ten = evaluate(LABELS, SCORES, threshold=0.5, groups=np.arange(40) // 4).estimate(measure, resamples=50)
    five = evaluate(LABELS, SCORES, threshold=0.5, groups=np.arange(40) // 8).estimate(measure, resamples=50)

    assert five.low < ten.low < ten.high == 1


def test_the_limit_of_a_measure_of_one_cut_is_the_root_of_the_squared_moves_of_its_shares():
    """Without an error, the prevalence moves nothing; recall and specificity go to Wilson's limits, one at a time."""
    low = wilson(20, 20, 0.95).low
    moves = [
        1 - cl.Counts(tp=20 * low, fp=0, fn=20 * (1 - low), tn=20).mcc,
        1 - cl.Counts(tp=20, fp=20 * (1 - low), fn=0, tn=20 * low).mcc,
    ]

    assert PERFECT.estimate("mcc").low == pytest.approx(1 - np.hypot(*moves))


def test_a_reversed_order_has_an_upper_limit():
    found = evaluate(LABELS, -SCORES, threshold=-0.5).estimate("mcc", resamples=50)

    assert found.value == found.low == -1 < found.high < 0


def test_square_and_add_is_the_root_of_the_squared_reaches():
    one, two = wilson(16, 20, 0.95), wilson(30, 40, 0.95)
    low, high = square_and_add((16, 20), (30, 40), 0.95)

    assert low == pytest.approx(0.8 + 0.75 - np.hypot(0.8 - one.low, 0.75 - two.low))
    assert high == pytest.approx(0.8 + 0.75 + np.hypot(one.high - 0.8, two.high - 0.75))


def test_markedness_adds_the_shares_of_the_flagged_and_of_the_others():
    ev = evaluate([1] * 5 + [0] * 95, [9, 9, 9, 1, 1] + [9] * 3 + [1] * 92, threshold=5)
    found, (low, high) = ev.estimate("markedness"), square_and_add((3, 6), (92, 94), 0.95)

    assert (found.method, found.low, found.high) == ("square_and_add", pytest.approx(low - 1), pytest.approx(high - 1))


def test_a_quota_that_leaves_no_positive_may_have_missed_some():
    """Every resample finds all five: their limits would be a point."""
    scores = np.linspace(1, 0, 1000)
    found = evaluate(np.arange(1000) % 20 == 0, scores * (np.arange(1000) < 100)).estimate("enrichment", quota=100)
    assert found.method == "bootstrap"  # half of the positives are elsewhere

    found = evaluate((np.arange(1000) % 20 == 0) & (np.arange(1000) < 100), scores).estimate("enrichment", quota=100)
    assert found.value == found.high == 10 > found.low > 5


def test_a_quota_that_ends_among_positives_allows_for_how_many_there_are():
    """All 40 flagged are positive: what varies is the number of positives, 80 of 400, of which they are a share."""
    found = evaluate(np.arange(400) < 80, np.linspace(1, 0, 400)).estimate("qrecall", quota=40)
    few, many = (400 * float(share) for share in wilson(80, 400, 0.95))

    assert found.high == pytest.approx(40 / few)
    assert found.low < 40 / many


def test_a_quota_of_half_a_list_of_positives_leaves_no_more_than_the_rest():
    """All ten others are positive; the limit of the prevalence would leave eleven."""
    found = evaluate([1] * 8 + [0] * 2 + [1] * 10, np.linspace(1, 0, 20)).estimate("lift", quota=10)

    assert 0 < found.low <= found.value <= found.high < 2


def test_one_error_does_not_rule_out_that_errors_are_very_rare():
    """A share of one in 250, 40 of which are seen: Wilson's interval holds it in 85 % of the samples."""
    chance = [0.996**40, 40 * 0.004 * 0.996**39]

    assert wilson(39, 40, 0.95).high < 0.996 < wilson_modified(39, 40, 0.95).high
    assert chance[0] < 0.86
    assert sum(chance) > 0.98


def test_balanced_accuracy_is_half_of_youdens_j_and_its_error_rate_the_rest():
    ev = evaluate([1, 1, 1, 0, 0, 0, 0], [9, 8, 3, 7, 2, 1, 0], threshold=5)
    accuracy, j, error = (ev.estimate(m) for m in ("balanced_accuracy", "youden_j", "balanced_error_rate"))

    assert (2 * accuracy.low - 1, 2 * accuracy.high - 1) == pytest.approx((j.low, j.high))
    assert (1 - error.high, 1 - error.low) == pytest.approx((accuracy.low, accuracy.high))


@pytest.mark.parametrize("positives", [20, 50])
def test_the_default_interval_of_the_auc_is_the_wider_of_two_where_either_may_fail(positives):
    rng = np.random.default_rng(2)
    scores = np.concatenate((2 + 3 * rng.normal(size=positives) ** 2, rng.normal(size=180)))
    ev = evaluate(np.arange(len(scores)) < positives, scores)
    found = ev.estimate("auc")
    parts = [ev.estimate("auc", method=method) for method in ("newcombe", "delong_logit")]

    assert found.method == "newcombe_delong"
    assert (found.low, found.high) == (min(one.low for one in parts), max(one.high for one in parts))


def test_a_value_at_an_end_that_no_resample_leaves_has_the_limit_of_a_share_of_none():
    """No positive among the first five, nor in any resample: none of five does not mean that none ever will be."""
    labels = [0] * 40 + [1] * 5 + [0] * 20  # not the reverse of a perfect order
    found = evaluate(labels, list(range(65, 0, -1))).estimate("break_even")
    assert (found.value, found.low) == (0, 0)
    assert found.high > 0.3


def test_the_lift_of_a_portion_stays_within_the_number_of_portions():
    labels = [1] * 8 + [0] * 20 + [1] * 2 + [0] * 70
    found = evaluate(labels, list(range(100, 0, -1))).estimate("portion_lift", resamples=200)
    assert 0 <= found.low < found.high <= 10


def test_an_early_enhancement_of_five_positives_may_be_much_larger_than_seen():
    """None of five positives is among the first: as for a share of none of five, the true value may be a good one."""
    labels = np.isin(np.arange(200), [60, 80, 100, 120, 140])
    found = cl.evaluate(labels, -np.arange(200.0)).estimate("rie", resamples=200)
    best = (1 - np.exp(-20 * 0.025)) / (0.025 * (1 - np.exp(-20)))
    assert found.value < 0.1
    assert found.high > best * 0.43
