"""Tests of directions, margins, ratios, predictive values, whole curves and independent samples."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline import Discordance, compare, compare_independent, evaluate, mcnemar
from cutline.core.errors import CutlineError
from cutline.inference.differences.difference import StudentDifference
from cutline.inference.differences.pair_tests import Hypothesis, one_sided_p_value
from grouping import each_case

FROZEN = json.loads((Path(__file__).parents[2] / "oracles" / "roc_tests.json").read_text())
OUTCOME, WOMEN = np.array(FROZEN["outcome"]), np.array(FROZEN["women"]) == 1
SCORES = {name: np.array(FROZEN[name]) for name in ("s100b", "ndka", "wfns")}

# The study of DTComPair's documentation (Paired1), by disease: both tests positive, the first only, the second, none.
DISEASED, HEALTHY = (319, 78, 22, 32), (31, 53, 22, 155)
CELLS = ((1, 1), (1, 0), (0, 1), (0, 0))


def paired(diseased=DISEASED, healthy=HEALTHY) -> cl.Comparison:
    rows = [(1, *cell, n) for cell, n in zip(CELLS, diseased, strict=True)]
    rows += [(0, *cell, n) for cell, n in zip(CELLS, healthy, strict=True)]
    label, one, two, n = (np.array(column) for column in zip(*rows, strict=True))
    return compare(label, {"one": one, "two": two}, n, threshold=0.5, weights_are="counts")


# ---------------------------------------------------------------------- other packages


@pytest.mark.parametrize(("measure", "p_value"), [("precision", 0.0193912), ("npv", 4.775012e-05)])
def test_predictive_values_are_compared_as_dtcompair_does(measure, p_value):
    """DTComPair 1.2.0, pv.wgs of Paired1."""
    assert paired().test(measure, "weighted_generalised_score").p_value == pytest.approx(p_value, rel=1e-6)


@pytest.mark.parametrize(
    ("measure", "ratio", "low", "high", "p_value"),
    [("precision", 0.9536462, 0.9171445, 0.9916006, 0.01714612), ("npv", 1.171454, 1.087723, 1.261629, 2.885568e-05)],
)
def test_relative_predictive_values_are_those_of_moskowitz_and_pepe(measure, ratio, low, high, p_value):
    """DTComPair 1.2.0, pv.rpv of Paired1."""
    found = paired().ratio(measure)
    assert (found.value, found.low, found.high) == pytest.approx((ratio, low, high), rel=1e-6)
    assert paired().test(measure, "log_ratio").p_value == pytest.approx(p_value, rel=1e-6)


def test_the_ratio_of_sensitivities_has_the_variance_of_the_discordant_cases():
    """The variance of its logarithm is (b + c) / (positives of one times positives of two), for paired tests."""
    found = paired().ratio("recall")
    se = math.sqrt((78 + 22) / (397 * 341))
    assert found.value == pytest.approx(397 / 341)
    assert math.log(found.high / found.value) == pytest.approx(1.959964 * se, rel=1e-6)


def test_the_corrected_mcnemar_agrees_with_r():
    for b, c, p_value in FROZEN["mcnemar_corrected"]:
        assert mcnemar(Discordance(b, c, 100), "corrected") == pytest.approx(p_value, rel=1e-12)


def test_independent_aucs_are_compared_as_proc_does():
    women, men = (evaluate(OUTCOME[some], SCORES["s100b"][some]) for some in (WOMEN, ~WOMEN))
    found = compare_independent(women, men).test("auc", "delong_unpaired")
    assert found.p_value == pytest.approx(FROZEN["unpaired"]["p_value"], rel=1e-10)


def test_the_covariance_of_many_aucs_agrees_with_proc():
    found = compare(OUTCOME, SCORES).auc_covariance()
    one, both, third, last = FROZEN["covariance"]
    assert found.covariance[0, 0] == pytest.approx(one, rel=1e-10)
    assert found.covariance[0, 1] == found.covariance[1, 0] == pytest.approx(both, rel=1e-10)
    assert found.covariance[0, 2] == pytest.approx(third, rel=1e-10)
    assert found.covariance[2, 2] == pytest.approx(last, rel=1e-10)
    assert compare(OUTCOME, SCORES).test("auc").pairs[0].p_value == pytest.approx(FROZEN["paired"]["p_value"], rel=1e-9)


def test_venkatramans_statistic_agrees_with_proc_where_ties_are_broken_by_order():
    first = np.arange(len(OUTCOME)) * 1e-9
    found = compare(OUTCOME, {"a": SCORES["s100b"] + first, "b": SCORES["ndka"] + first}).venkatraman()
    assert found.statistic == FROZEN["venkatraman"]["statistic"]
    assert found.p_value == pytest.approx(FROZEN["venkatraman"]["p_value"], abs=0.03)


@pytest.mark.parametrize(("name", "focus", "high", "low", "area", "corrected"), FROZEN["partial"])
def test_partial_areas_over_any_range_are_those_of_proc(name, focus, high, low, area, corrected):
    if focus == "specificity":
        limits, measure = {"min_fpr": 1 - high, "max_fpr": 1 - low}, cl.partial_auc
    else:
        limits, measure = {"min_recall": low, "max_recall": high}, cl.partial_auc_above_recall
    assert measure(OUTCOME, SCORES[name], standardised=False, **limits) == pytest.approx(area, abs=1e-12)
    if corrected is not None:  # pROC has none for a curve below the diagonal
        assert measure(OUTCOME, SCORES[name], standardised=True, **limits) == pytest.approx(corrected, abs=1e-12)


@pytest.mark.parametrize("name", ["s100b", "ndka"])
def test_points_of_the_roc_curve_are_those_of_proc(name):
    for i, at in enumerate((0.9, 0.75, 0.5)):
        recall = cl.recall_at_specificity(OUTCOME, SCORES[name], specificity=at)
        assert recall == pytest.approx(FROZEN["recall_at_specificity"][name][i], abs=1e-12)
        specificity = cl.specificity_at_recall(OUTCOME, SCORES[name], recall=at)
        assert specificity == pytest.approx(FROZEN["specificity_at_recall"][name][i], abs=1e-12)


# ---------------------------------------------------------------------- directions and margins


def test_one_sided_p_values_are_halves_and_complements():
    found = StudentDifference(0.1, 0.05)  # two standard errors
    assert one_sided_p_value(found, 0.0, upward=True) == pytest.approx(0.02275, abs=1e-5)
    assert one_sided_p_value(found, 0.0, upward=False) == pytest.approx(0.97725, abs=1e-5)
    assert one_sided_p_value(found, 0.1, upward=True) == 0.5


@pytest.mark.parametrize("measure", ["auc", "recall", "average_precision", "brier", "mcc"])
def test_a_margin_is_excluded_just_when_the_interval_of_90_percent_excludes_it(measure):
    """The test at 5 % of one side and the interval of 90 % are read from the same difference."""
    rng = np.random.default_rng(2)
    labels = rng.random(200) < 0.4
    one, two = (1 / (1 + np.exp(-(rng.normal(size=200) + 1.5 * labels - 0.5))) for _ in range(2))
    models = compare(labels, {"a": one, "b": two})
    low, high = (getattr(models.difference(measure, level=0.9, resamples=500), side) for side in ("low", "high"))
    better = cl.MEASURES[measure].better
    for margin in (0.02, 0.05, 0.1, 0.2, 0.3):
        test = models.test(measure, alternative="non-inferior", margin=margin, resamples=500)
        outside = low > -margin if better == "higher" else high < margin
        assert (test.p_value < 0.05) == outside, (measure, margin)
        alike = models.test(measure, alternative="equivalent", margin=margin, resamples=500)
        assert (alike.p_value < 0.05) == (-margin < low and high < margin)


def test_tests_of_a_direction_are_tests_of_the_other_model_turned_round():
    models = paired()
    greater = models.test("recall", alternative="greater").p_value
    less = models.test("recall", alternative="less").p_value
    assert greater + less == pytest.approx(1)
    assert greater < 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "better"}, "alternative is 'better'"),
        ({"alternative": "non-inferior"}, "alternative is 'non-inferior', and needs a margin"),
        ({"alternative": "equivalent", "margin": -1}, "margin is -1: pass a number above 0"),
        ({"margin": 0.1}, "margin is given, but alternative is 'two-sided'"),
        ({"alternative": "greater", "method": "mcnemar"}, "mcnemar tests no difference at all"),
        ({"method": "weighted_generalised_score"}, "weighted_generalised_score is for precision, "),
    ],
)
def test_hypotheses_that_make_no_sense_are_refused(options, message):
    with pytest.raises(CutlineError) as error:
        paired().test("recall", **options)
    assert message in str(error.value)


def test_the_margin_of_a_loss_is_one_of_more():
    """Of a loss, not worse means not larger by the margin."""
    small = StudentDifference(0.04, 0.01)
    assert Hypothesis("non-inferior", 0.1).p_value(small, cl.MEASURES["brier"]) < 1e-6
    assert Hypothesis("non-inferior", 0.01).p_value(small, cl.MEASURES["brier"]) > 0.99
    assert Hypothesis("superior", 0.0).p_value(small, cl.MEASURES["brier"]) > 0.99


# ---------------------------------------------------------------------- nothing to tell apart


PERFECT = np.arange(40) < 20


@pytest.mark.parametrize("measure", ["auc", "average_precision", "recall", "mcc", "ks", "balanced_accuracy"])
def test_two_different_perfect_models_are_not_certain_to_be_equal(measure):
    rng = np.random.default_rng(0)
    one, two = (np.where(PERFECT, 1.0, 0.0) + rng.random(40) / 2 for _ in range(2))
    models = compare(PERFECT, {"a": one, "b": two}, threshold=0.75)
    found = models.difference(measure, resamples=50)
    assert found.low < -0.05
    assert found.high > 0.05
    assert models.test(measure, alternative="non-inferior", margin=0.05, resamples=50).p_value > 0.05


def test_a_model_does_not_differ_from_itself_on_another_scale():
    scores = np.linspace(0, 1, 40)[::-1]
    found = compare(PERFECT, {"a": scores, "b": 2 * scores}).difference("auc")
    assert (found.low, found.high) == (0, 0)


def test_a_test_that_can_show_nothing_says_so():
    flags = np.where(PERFECT, 1.0, 0.0)
    other = flags.copy()
    other[:3] = 0
    models = compare(PERFECT, {"a": flags, "b": other}, threshold=0.5)
    assert "decide differently on 3 cases: p cannot fall below 0.12" in models.test("recall").notes[-1]


def test_tangos_interval_agrees_with_the_mid_p_test_about_no_difference():
    """Alone, it excludes 0 for four cases to none, and holds it at a level that the test of ten to none passes."""
    few, many = (compare(*_table(b=b, c=0, n=23), threshold=0.5) for b in (4, 10))
    assert few.test("accuracy").p_value > 0.05
    assert Discordance(4, 0, 24).interval(0.95)[0] > few.difference("accuracy").low == 0
    p_value = many.test("accuracy").p_value
    level = 1 - (p_value + Discordance(10, 0, 24).p_value()) / 2
    assert Discordance(10, 0, 24).interval(level)[0] < 0 < many.difference("accuracy", level=level).low


def _table(b: int, c: int, n: int):
    """Positive cases that only the first model flags, only the second, or both."""
    one, two = np.ones(n), np.ones(n)
    two[:b], one[b : b + c] = 0, 0
    return np.append(np.ones(n), 0), {"one": np.append(one, 0), "two": np.append(two, 0)}


# ---------------------------------------------------------------------- independent samples


def test_independent_shares_have_newcombes_interval():
    """Newcombe (1998), table II, example (a): 56/70 - 48/80 is 0.0524 to 0.3339 by his method 10."""
    one = evaluate([1] * 70 + [0], [1] * 56 + [0] * 14 + [0], threshold=0.5)
    two = evaluate([1] * 80 + [0], [1] * 48 + [0] * 32 + [0], threshold=0.5)
    found = compare_independent(one, two).difference("recall")
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)
    test = compare_independent(one, two).test("recall")
    edge = compare_independent(one, two).difference("recall", level=1 - test.p_value)
    assert edge.low == pytest.approx(0, abs=1e-6)


def test_independent_samples_vary_more_than_the_same_cases():
    rng = np.random.default_rng(3)
    labels = rng.random(300) < 0.5
    shared = rng.normal(size=300) + labels
    one, two = shared + 0.3 * rng.normal(size=300), shared + 0.3 * rng.normal(size=300)
    same = compare(labels, {"a": one, "b": two})
    apart = compare_independent(evaluate(labels, one), evaluate(labels, two))
    for measure in ("auc", "average_precision"):
        narrow, wide = same.difference(measure, resamples=300), apart.difference(measure, resamples=300)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_what_cannot_be_compared_is_refused():
    ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(CutlineError, match="b is a list: pass an evaluation"):
        compare_independent(ev, [1])
    with pytest.raises(CutlineError, match="delong_unpaired is for the AUC, not for ks"):
        compare_independent(ev, ev).difference("ks", method="delong_unpaired")


@each_case("m", cl.MEASURES, ids=str)
def test_every_measure_of_independent_samples_has_a_difference_by_default(m):
    rng = np.random.default_rng(5)
    labels = rng.random(80) < 0.5
    scores = 1 / (1 + np.exp(-rng.normal(size=80) - labels))
    m = m.with_(quota=20) if "quota" in m.required else m
    one, two = (evaluate(labels[some], scores[some], threshold=0.6) for some in (slice(0, 40), slice(40, 80)))
    found = compare_independent(one, two).difference(m, resamples=45)
    assert found.has_interval or found.notes or not np.isfinite(found.value)


def test_independent_samples_of_groups_have_the_limits_of_both():
    rng = np.random.default_rng(6)
    labels = rng.random(160) < 0.5
    scores = rng.normal(size=160) + labels
    how = {"groups": np.arange(80) // 4, "threshold": 0.5}
    one, two = (evaluate(labels[some], scores[some], **how) for some in (slice(0, 80), slice(80, 160)))
    found, (a, b) = compare_independent(one, two).difference("recall"), (ev.estimate("recall") for ev in (one, two))
    assert found.low == pytest.approx(found.value - np.hypot(a.value - a.low, b.high - b.value))
