"""Differences of models on cases with weights, groups and strata, by linearisation."""

import numpy as np
import pytest
from scipy.stats import t

import cutline as cl
from cutline import CutlineError, compare, evaluate
from cutline.inference.differences.difference import MoverDifference
from cutline.inference.differences.paired import compare_measure

RNG = np.random.default_rng(4)
N = 240
LABELS = RNG.random(N) < 0.4
A, B = (LABELS + RNG.normal(size=N) for _ in range(2))
GROUPS = np.arange(N) // 4
STRATA = GROUPS % 3
WEIGHTS = RNG.choice([1.5, 4.0], N)


def test_the_difference_of_two_recalls_is_a_ratio_estimator_of_the_groups():
    """By hand: what a positive case adds, (a flags - b flags - difference) / positives, summed by groups in strata."""
    found = compare(
        LABELS, {"a": A, "b": B}, WEIGHTS, threshold=0.7, groups=GROUPS, strata=STRATA, weights_are="sampling"
    )
    flags = (A >= 0.7).astype(float) - (B >= 0.7)
    positive = WEIGHTS * LABELS
    value = (positive * flags).sum() / positive.sum()
    change = np.bincount(GROUPS, positive * (flags - value)) / positive.sum()
    variance, centred = 0.0, np.empty(60)
    for stratum in range(3):
        mine = np.arange(60) % 3 == stratum
        centred[mine] = change[mine] - change[mine].mean()
        variance += 20 / 19 * (centred[mine] ** 2).sum()
    square = centred[np.unique(GROUPS[LABELS])] ** 2  # of the groups that hold a positive
    free = 2 * square.sum() ** 2 / ((square**2).sum() - square.sum() ** 2 / len(square))  # Satterthwaite
    fewest = min(len(np.unique(GROUPS[mine])) for mine in (LABELS, ~LABELS)) - 3
    variance *= (fewest + 1) / fewest * 57 / 58  # the factor of the groups of the smaller class
    difference = found.difference("recall")

    assert difference.method == "linearised"
    assert difference.value == pytest.approx(value)
    reach = t.ppf(0.975, min(free, len(square) - 3))
    assert difference.high - value == pytest.approx(reach * np.sqrt(variance), rel=1e-6)
    assert found.test("recall").method == "linearised"


def test_the_difference_of_two_aucs_of_single_cases_is_delongs():
    plain, single = (compare(LABELS, {"a": A, "b": B}, strata=strata) for strata in (None, np.zeros(N)))
    one, two = plain.difference("auc"), single.difference("auc")

    assert (one.method, two.method) == ("delong", "linearised")
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=4e-3)


@pytest.mark.parametrize("measure", ["precision", "mcc", "log_loss", "average_precision"])
def test_linearised_and_resampled_differences_agree(measure):
    scores = {name: 1 / (1 + np.exp(-column)) for name, column in (("a", A), ("b", B))}
    found = compare(LABELS, scores, threshold=0.6, groups=GROUPS, strata=STRATA)
    one, two = (found.difference(measure, method=method, resamples=400) for method in ("auto", "bootstrap"))

    assert one.high - one.low == pytest.approx(two.high - two.low, rel=0.2)
    assert "The variance is that within 3 strata." in one.notes


def test_models_of_a_comparison_have_the_strata_of_an_evaluation():
    how = {"weights": WEIGHTS, "strata": STRATA, "weights_are": "sampling", "threshold": 0.7}
    assert compare(LABELS, {"a": A, "b": B}, **how)["a"].estimate("npv") == evaluate(LABELS, A, **how).estimate("npv")


def test_strata_hold_whole_groups_of_sampled_cases():
    with pytest.raises(CutlineError, match="strata divides a group: pass strata that hold whole groups"):
        compare(LABELS, {"a": A, "b": B}, groups=GROUPS, strata=np.arange(N) % 3)
    with pytest.raises(CutlineError, match="strata is given, but weights that say how much a case counts"):
        compare(LABELS, {"a": A, "b": B}, WEIGHTS, strata=STRATA, weights_are="importance")
    with pytest.raises(CutlineError, match="strata has 3 values but labels has 240: pass one for each label"):
        compare(LABELS, {"a": A, "b": B}, strata=[1, 2, 3])


def test_strata_can_be_columns_of_one_frame_or_of_the_first_of_several():
    import pandas as pd

    frame = pd.DataFrame({"y": LABELS.astype(int), "a": A, "b": B, "s": STRATA, "case": np.arange(N)})
    given = compare(LABELS, {"a": A, "b": B}, strata=STRATA, threshold=0.7).difference("recall")
    one = compare("y", {"a": "a", "b": "b"}, data=frame, strata="s", threshold=0.7).difference("recall")
    frames = {name: frame.rename(columns={name: "p"})[::step] for name, step in (("a", 1), ("b", -1))}
    two = compare("y", "p", data=frames, id="case", strata="s", threshold=0.7).difference("recall")
    assert given == one == two


def test_means_over_the_cases_have_the_paired_t_test():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(3)
    labels = rng.random(60) < 0.3
    one, two = rng.uniform(size=60), rng.uniform(size=60)
    models = compare(labels, {"a": one, "b": two})
    expected = ttest_rel((one - labels) ** 2, (two - labels) ** 2)

    test, found = models.test("brier").pairs[0], models.difference("brier")
    assert (test.method, found.method) == ("influence", "influence")
    assert test.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_a_few_heavy_weights_leave_few_degrees_of_freedom():
    """Equal weights take none away; one of 60 among weights of 1.5 leaves hardly any, and a wider interval."""
    from cutline.inference.effective_size import compute_freedom_of_sum

    heavy = np.where(np.arange(N) == 5, 60.0, 1.5)
    assert compute_freedom_of_sum(np.full(N, 1.5)) == np.inf
    assert compute_freedom_of_sum(heavy) < 3
    even = compare(LABELS, {"a": A, "b": B}, np.full(N, 1.5), threshold=0.7)
    assert even.difference("accuracy").high - even.difference("accuracy").low < 0.2
    one = compare(LABELS, {"a": A, "b": B}, heavy, threshold=0.7).difference("precision")
    assert one.high - one.low > even.difference("precision").high - even.difference("precision").low


def pair_of(measure, labels, **design):
    rng = np.random.default_rng(8)
    a = rng.normal(size=len(labels)) + labels
    models = cl.compare(labels, {"a": a, "b": a + rng.normal(size=len(labels))}, **design)
    (pair,) = compare_measure(
        models.pairing, {name: m.cut for name, m in models.items()}, cl.MEASURES[measure], {}, 20, 0
    ).pairs.values()
    return pair


def test_the_variance_between_few_groups_of_a_class_has_the_factor_of_these_groups():
    labels = np.repeat(np.arange(66) < 6, 5)
    pair = pair_of("auc", labels, groups=np.repeat(np.arange(66), 5))
    assert pair.freedom == 5
    assert pair.inflation == pytest.approx(6 / 5 * 65 / 66)
    assert pair_of("auc", labels).inflation == 1


def test_limits_between_groups_are_farther_away_by_the_root_of_that_factor():
    limits = (lambda level: (0.5, 0.8), lambda level: (0.4, 0.7))
    plain, inflated = (MoverDifference((0.7, 0.6), limits, inflation=factor) for factor in (1.0, 1.44))
    low, high = plain.interval(0.95)
    assert inflated.interval(0.95) == pytest.approx((0.1 + 1.2 * (low - 0.1), 0.1 + 1.2 * (high - 0.1)))


def test_the_first_false_positives_of_heavy_cases_are_few():
    """With 20 negatives each in a case, 50 false positives are about 3 cases: equal models were told apart in 10 %."""
    labels = np.arange(400) < 40
    weights = np.where(labels, 1.0, 20.5)
    assert pair_of("roc_n", labels, weights=weights, weights_are="sampling").freedom == pytest.approx(50 / 20.5 - 1)
    assert pair_of("auc", labels, weights=weights, weights_are="sampling").freedom == 39


def test_a_partial_area_has_the_degrees_of_freedom_of_the_cases_in_its_part():
    """With those of all positives, equal areas above a recall of 0.8 were told apart in 12 % of samples with 15."""
    labels = np.arange(400) < 40
    assert pair_of("partial_auc_above_recall", labels).freedom == pytest.approx(0.2 * 40 - 1)
    assert pair_of("partial_auc", labels).freedom == pytest.approx(0.1 * 360 - 1)
    assert pair_of("partial_auc", labels, groups=np.arange(400) // 4).freedom == 9
    weighted = pair_of("partial_auc_above_recall", labels, weights=np.full(400, 1.5), weights_are="sampling")
    assert weighted.freedom == pytest.approx(0.2 * 40 - 1)
