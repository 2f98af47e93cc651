"""Intervals where the cases are not independent: a quota ties them to each other, and so do groups; and who is told."""

import math

import numpy as np
import pandas as pd
import pytest

from cutline import MEASURES, CutlineError, Discordance, band, bootstrap_model, compare, evaluate, mcnemar, roc_band
from cutline.inference.methods import applicable_methods
from cutline.inference.resampling.bootstrap import bootstrap
from cutline.inference.single.estimand import Estimand
from cutline.measures import Needs, Proportion

RNG = np.random.default_rng(7)
LABELS = RNG.random(120) < 0.5
SCORES = 1 / (1 + np.exp(-RNG.normal(size=120) - LABELS))
OTHER = 1 / (1 + np.exp(-RNG.normal(size=120) - LABELS))
EV = evaluate(LABELS, SCORES)
FEW = [1] * 8 + [0] * 60

# ---------------------------------------------------------------------- a quota


@pytest.mark.parametrize("m", [m for m in MEASURES if m.needs is Needs.COUNTS], ids=str)
@pytest.mark.parametrize("where", [{"quota": 30}, {"share": 0.25}])
def test_a_measure_of_a_cut_by_places_is_resampled_and_has_no_formula_for_independent_decisions(m, where):
    assert EV.estimate(m, resamples=20, **where).method == "bootstrap"
    named = {method.name for method in applicable_methods(EV._make_estimand(m, where))}
    assert named <= {"bootstrap", "bca", "student", "influence", "linearised"}


def test_a_formula_for_independent_decisions_is_refused_at_a_quota():
    with pytest.raises(
        CutlineError, match="'wilson' does not apply to recall: pass 'influence', 'bootstrap', 'bca', 'student'"
    ):
        EV.estimate("recall", method="wilson", quota=30)
    assert EV.estimate("recall", method="wilson", threshold=0.5).method == "wilson"


def test_a_summary_gives_no_formula_to_a_quota():
    assert all(row["low"] is None for row in EV.summary(["qrecall", "hit_rate"], quota=30, intervals="formula"))


# ---------------------------------------------------------------------- notes


@pytest.mark.parametrize(("method", "told"), [("delong", True), ("delong_logit", True), ("newcombe", False)])
def test_delong_with_few_cases_of_a_class_is_noted(method, told):
    notes = evaluate(FEW, [i % 7 for i in range(68)]).estimate("auc", method=method).notes

    assert ("It rests on about 6 cases." in notes) == told
    assert not EV.estimate("auc", method=method).notes


def test_few_errors_are_noted_and_enough_are_not():
    labels = [1] * 40 + [0] * 40
    sure = evaluate(labels, [0.9] * 38 + [0.1] * 2 + [0.9] * 1 + [0.1] * 39)
    enough = evaluate(labels, [0.9] * 30 + [0.1] * 10 + [0.9] * 10 + [0.1] * 30)

    for method in ("mover", "bca", "influence"):
        assert "It rests on about 3 cases." in sure.estimate("mcc", method=method, resamples=100).notes
        assert not enough.estimate("mcc", method=method, resamples=100).notes


@pytest.mark.parametrize(("name", "few", "parameters"), [("average_precision", 7, {}), ("qrecall", 4, {"quota": 60})])
def test_low_prevalence_is_noted_for_measures_of_the_order(name, few, parameters):
    labels = [1] * few + [0] * (120 - few)
    found = evaluate(labels, SCORES).estimate(name, resamples=100, **parameters)

    assert any(note.startswith("It rests on about ") for note in found.notes)
    assert not EV.estimate(name, resamples=100, **parameters).notes


def test_a_summary_carries_the_notes_out_of_sight():
    rows = {row["measure"]: row for row in evaluate([1, 1, 0], [0.9, 0.2, 0.4]).summary()}

    few = "It rests on about 2 cases."
    assert rows["recall"]["note"] == few
    assert "note" not in repr(EV.summary("recall")).splitlines()[1]
    told = next(row for row in evaluate([1, 1, 0], [0.9, 0.2, 0.4]).to_dict()["measures"] if row["measure"] == "recall")
    assert told["note"].startswith("It rests on about 2 cases")


def test_values_that_differ_by_rounding_alone_have_no_spread():
    def nearly_constant(r):
        return 0.3 + 1e-16 * float(r.tp[1])

    found = EV.estimate(nearly_constant, resamples=30)
    assert any(note.startswith("Every resample has the same value") for note in found.notes)


def test_whole_options_may_be_floats_and_others_are_refused_in_a_sentence():
    assert EV.estimate("mcc", resamples=30.0, seed=1.0) == EV.estimate("mcc", resamples=30, seed=1)
    both = compare(LABELS, {"a": SCORES, "b": OTHER})
    assert both.difference("f1", resamples=50.0).low == both.difference("f1", resamples=50).low
    assert EV.permutation_test("auc", permutations=20.0, seed=0.0).permutations == 20
    for wrong in (10.5, "many", -3):
        with pytest.raises(CutlineError, match=r"^resamples is "):
            EV.estimate("mcc", resamples=wrong)
        with pytest.raises(CutlineError, match=r"^resamples is "):
            both.difference("f1", resamples=wrong)


# ---------------------------------------------------------------------- groups

FOUR = np.repeat(np.arange(120), 4)
ALONE = compare(LABELS, {"a": SCORES, "b": OTHER})
REPEATED = compare(LABELS[FOUR], {"a": SCORES[FOUR], "b": OTHER[FOUR]}, groups=[f"patient {i}" for i in FOUR])


@pytest.mark.parametrize("measure", ["auc", "recall", "average_precision"])
def test_repeated_cases_in_groups_do_not_narrow_a_difference(measure):
    once = ALONE.difference(measure, method="bootstrap")
    grouped = REPEATED.difference(measure)

    closed = measure != "average_precision"
    assert grouped.method == {"auc": "linearised", "recall": "linearised", "average_precision": "student"}[measure]
    assert f"120 groups were {'counted' if closed else 'resampled'} whole." in grouped.notes
    assert grouped.high - grouped.low == pytest.approx(once.high - once.low, rel=0.12)


def test_a_test_of_groups_exchanges_them_whole():
    once, grouped = (found.test("auc", "permutation", resamples=1000) for found in (ALONE, REPEATED))

    assert grouped.p_value == pytest.approx(once.p_value, abs=0.06)
    assert "Whole groups of cases are exchanged." in grouped.notes


def test_what_supposes_independent_cases_says_so():
    for method in ("delong", "mcnemar"):
        measure = "auc" if method == "delong" else "recall"
        assert any("independent" in note for note in REPEATED.test(measure, method).notes)
    assert any("independent" in note for note in REPEATED.difference("recall", method="tango").notes)


def test_the_models_of_a_comparison_know_their_groups():
    mine = evaluate(LABELS[FOUR], SCORES[FOUR], groups=FOUR).estimate("auc", resamples=300)
    theirs = REPEATED["a"].estimate("auc", resamples=300)

    assert theirs.method == "linearised"
    assert theirs.high - theirs.low == pytest.approx(mine.high - mine.low, rel=0.15)


@pytest.mark.parametrize(
    "measure", [MEASURES["recall"], MEASURES["qrecall"], MEASURES["qrecall"].with_(quota=11)], ids=str
)
def test_a_quota_is_a_share_of_resamples_of_other_lengths(measure):
    scores = {"a": range(12), "b": [5, 3, 1, 7, 8, 2, 4, 4, 9, 0, 1, 2]}
    found = compare([1, 0] * 6, scores, groups=[1] * 8 + [2, 3, 4, 5])  # 5 to 40 cases in a resample
    difference = found.difference(measure, resamples=60, **({} if measure.bound else {"quota": 11}))

    assert difference.value == found["a"].value("qrecall", quota=11) - found["b"].value("qrecall", quota=11)
    assert difference.low <= difference.value <= difference.high


def test_groups_with_weights_of_zero_and_wrong_lengths():
    weights = [1, 0, 2, 1, 1, 1]
    found = compare([1, 0, 1, 0, 1, 0], {"a": [6, 5, 4, 3, 2, 1], "b": range(6)}, weights, groups=list("aabbcc"))
    assert found.pairing.groups.number == 3
    with pytest.raises(CutlineError, match="groups has 2 values but labels has 4: pass one for each label"):
        compare([1, 0, 1, 0], {"a": range(4), "b": range(4)}, groups=[1, 2])
    with pytest.raises(CutlineError, match="groups needs complete rows"):
        compare([1, 0, 1, 0], {"a": [1, 2, None, 3], "b": range(4)}, groups=[1, 2, 3, 4], missing="drop")


def test_a_permutation_of_labels_refuses_groups():
    with pytest.raises(CutlineError, match="shuffles the labels of independent cases, but these come in groups"):
        evaluate(LABELS, SCORES, groups=FOUR[:120]).permutation_test()


def test_a_band_resamples_groups_or_refuses():
    grouped = evaluate(LABELS[FOUR], SCORES[FOUR], groups=FOUR)
    once, wide = (roc_band(ev, [0.3], resamples=600) for ev in (EV, grouped))

    assert wide.notes == ("120 groups were resampled whole.",)
    assert wide.high - wide.low == pytest.approx(once.high - once.low, abs=0.08)
    assert "120 groups were resampled whole." in roc_band(grouped, simultaneous=True, resamples=200).notes
    with pytest.raises(CutlineError, match="stratified=True"):
        roc_band(grouped, stratified=True)


def test_one_group_is_singular():
    found = evaluate([1, 0, 1], [3, 2, 1], groups=["a", "a", "a"]).estimate("recall", resamples=20)
    warning, detail, *_ = found.notes
    assert warning.startswith("Only 1 group holds a positive case: ")
    assert detail == "1 group was counted whole."


# ---------------------------------------------------------------------- functions of the user's


def area(r):
    return MEASURES["auc"](r)


def caught(c):
    return c.tp / (c.tp + c.fn)


def test_a_difference_of_a_function_equals_the_one_of_its_measure():
    mine, theirs = (ALONE.difference(m, method="bootstrap", resamples=200) for m in (area, "auc"))
    assert (mine.value, mine.low, mine.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
    assert mine.measure == "area: a - b"
    for where in ({"threshold": 0.6}, {"quota": 30}):
        mine, theirs = (ALONE.difference(m, method="bootstrap", resamples=50, **where) for m in (caught, "recall"))
        assert (mine.value, mine.low, mine.high) == pytest.approx((theirs.value, theirs.low, theirs.high))


def test_a_function_can_be_tested_and_judged():
    for method in ("auto", "permutation"):
        assert 0 < ALONE.test(area, method, resamples=50).p_value <= 1
    assert "the difference in area, " in ALONE.verdict(area, resamples=50)
    with pytest.raises(CutlineError, match="delong is for auc, "):
        ALONE.test(area, "delong")


# ---------------------------------------------------------------------- identical models, degenerate data

DEGENERATE = {
    "one positive": ([0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4]),
    "one negative": ([1, 1, 0, 1], [0.9, 0.8, 0.6, 0.4]),
    "perfect": ([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.2]),
    "reversed": ([0, 0, 1, 1], [0.9, 0.8, 0.3, 0.2]),
    "all tied": ([1, 0, 1, 0], [0.5] * 4),
    "two cases": ([1, 0], [0.7, 0.3]),
}


@pytest.mark.slow
@pytest.mark.parametrize(("labels", "scores"), DEGENERATE.values(), ids=DEGENERATE)
def test_every_difference_of_degenerate_models_has_a_value_or_a_reason(labels, scores):
    same, turned = compare(labels, {"a": scores, "b": scores}), compare(labels, {"a": scores, "b": scores[::-1]})
    for m in MEASURES:
        m = m.with_(quota=1) if "quota" in m.required else m
        for both, equal in ((same, True), (turned, False)):
            found, test = both.difference(m, resamples=45), both.test(m, resamples=45)
            if math.isnan(found.value):
                assert found.notes
                assert test.notes
                assert math.isnan(test.p_value)
            elif equal:
                assert (found.value, test.p_value) == (0, 1)
                assert found.low <= 0 <= found.high or (not found.has_interval and found.notes)
            else:
                assert found.low <= found.value <= found.high or found.notes
                assert not math.isnan(test.p_value) or test.notes


def test_an_interval_contains_its_difference_and_few_cases_are_noted():
    # As even as can be against no order at all: every resample is less even, so that its percentiles miss the value.
    shifted = compare([1, 0] * 30, {"a": range(60), "b": [1] * 60}).difference(
        "ks", level=0.5, method="bootstrap", resamples=160
    )
    assert shifted.low == shifted.value == pytest.approx(1 / 30)
    assert "Resampling shifts this difference: a limit was moved to include the value." in shifted.notes
    assert shifted.warning.id == "ignored-bias"
    found = compare([1, 0] * 8, {"a": range(16), "b": range(16, 0, -1)}).difference("eer", resamples=160)
    assert "It rests on a class with only 8 cases." in found.notes
    weighted = compare([1, 0] * 8, {"a": range(16), "b": [3, 1] * 8}, np.linspace(0.5, 2, 16))
    assert any("effective sample size" in note for note in weighted.difference("auc").notes)


# ---------------------------------------------------------------------- what is public, and refitting


def test_public_names_of_the_pages():
    assert mcnemar(Discordance(8, 1, n=100), "exact") == pytest.approx(20 / 512)
    flat = band(EV.ranking, lambda r: np.array([0.5]), [0.0], resamples=40)
    assert flat.low.tolist() == flat.high.tolist() == [0.5]
    assert isinstance(MEASURES["recall"].form, Proportion)


def test_refitting_refuses_other_lengths_and_names_any_label():
    from sklearn.dummy import DummyClassifier

    x = np.zeros((6, 1))
    with pytest.raises(CutlineError, match="X has 6 rows but y has 4 labels: pass one for each row"):
        bootstrap_model(DummyClassifier(), x, [0, 1, 0, 1], resamples=2)
    with pytest.raises(CutlineError, match="y holds 1 case of 'b': a bootstrap sample"):
        bootstrap_model(DummyClassifier(), x, np.array(["a", "a", "a", "a", "a", "b"], dtype=object), resamples=2)


def uneven_groups():
    """Sixty cases in groups of one and of five, so that resamples of groups are of all lengths."""
    rng = np.random.default_rng(0)
    labels = rng.random(60) < 0.4
    return labels, rng.normal(size=60) + labels, rng.normal(size=60) + labels, np.repeat(np.arange(20), [1, 5] * 10)


def test_a_quota_of_the_whole_list_takes_all_of_every_resample_of_groups():
    labels, scores, _, groups = uneven_groups()
    ev = evaluate(labels, scores, groups=groups)

    for found in (
        ev.estimate("recall", quota=60, resamples=200),
        ev.estimate("recall", share=1, resamples=200),
        ev.estimate("qrecall", quota=60, resamples=200),
        ev.estimate(lambda counts: counts.tp / (counts.tp + counts.fn), quota=60, resamples=200),
    ):
        assert (found.low, found.value, found.high) == (1, 1, 1)


def test_a_quota_with_groups_is_the_same_share_of_each_resample():
    labels, a, _, groups = uneven_groups()
    ev = evaluate(labels, a, groups=groups)
    target = Estimand.of_measure(MEASURES["predicted_positive_rate"], ev.ranking, {"quota": 30}, ev.groups)
    drawn = bootstrap(ev.groups, [lambda r: r.total, target.statistic], 200, 0).values

    assert np.unique(drawn[0]).size > 10
    np.testing.assert_allclose(drawn[1], np.floor(drawn[0] / 2) / drawn[0])


@pytest.mark.parametrize("where", [{"quota": 1}, {"share": 0.02}])
def test_a_resample_shorter_than_the_data_still_has_a_first_place(where):
    labels, a, b, groups = uneven_groups()
    models = compare(labels, {"a": a, "b": b}, groups=groups)

    assert models.difference("recall", resamples=100, **where).has_interval
    assert models.test("recall", resamples=100, **where).p_value > 0
    assert models["a"].estimate("recall", resamples=100, **where).has_interval


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("method", ["auto", "bootstrap", "bca", "influence"])
def test_cases_of_one_class_with_fractional_weights_have_a_value_or_a_reason(label, method):
    ev = evaluate([label] * 3, [0.9, 0.6, 0.2], [0.5, 1.25, 2.0], positive=1)

    for name in ("accuracy", "f1", "expected_cost", "net_benefit", "recall", "specificity"):
        found = ev.estimate(name, method=method, resamples=50)
        assert found.has_interval or found.notes


@pytest.mark.parametrize(
    "groups", [[math.nan, 1.0, 1.0, 2.0], [None, "a", "a", "b"], pd.Series([math.nan, "a", "a", "b"])]
)
def test_a_missing_group_is_refused_and_not_pooled_with_others_that_are(groups):
    for work in (
        lambda: evaluate([1, 0, 1, 0], [4, 3, 2, 1], groups=groups),
        lambda: compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, groups=groups),
    ):
        with pytest.raises(CutlineError, match="groups holds 1 missing value"):
            work()


def test_few_groups_are_a_warning_of_measures_of_one_cut():
    """With 2 groups of positives recall missed in 9 % of the samples; measures of all cuts hold."""

    def found(groups, measure="recall"):
        return evaluate(LABELS, SCORES, groups=np.arange(120) % groups).estimate(measure, resamples=50)

    for measure in ("recall", "precision", "mcc"):
        assert found(2, measure).warning == found(2, measure).notes[0]
        assert found(2, measure).warning.id == "few-groups"
    assert "2 groups were counted whole." in found(2).notes
    assert all(found(2, measure).warning is None for measure in ("auc", "brier", "average_precision"))
    assert found(3).warning is None
    assert found(30).notes[0] == "30 groups were counted whole."
