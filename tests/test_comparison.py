"""compare(): tests, intervals and verdicts of models on the same cases."""

import dataclasses
import itertools
import json
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline import MEASURES, compare
from cutline.inference.resampling.pairing import estimate_delong_covariance
from cutline.measures import LinearInAuc, Needs
from grouping import each_case

# 43 patients of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988): albumin, total protein and the Krebs-Goplerud
# score, by whether surgery helped. The answers are those that SAS prints for them (SAS/STAT User's Guide, PROC
# LOGISTIC, "Comparing Receiver Operating Characteristic Curves").
HELPED = {
    "albumin": [3.2, 3.9, 3.2, 1.6, 3.8, 3.7, 3.2, 3.8, 4.1, 3.6, 4.3, 2.3, 3.5, 3.8, 4.5, 3.7, 3.1, 4.1, 4.3, 4.3, 3.2,
                2.6, 3.7, 3.3, 4.2, 3.5, 2.1, 4.0, 3.3, 3.7, 3.6],
    "protein": [6.3, 6.8, 5.8, 5.6, 5.7, 6.7, 5.4, 6.6, 6.6, 5.7, 7.0, 4.4, 5.8, 6.8, 7.4, 7.4, 6.6, 8.2, 7.0, 6.5, 5.1,
                4.7, 6.1, 6.3, 7.7, 6.2, 4.8, 7.0, 5.7, 6.9, 6.6],
    "score": [5, 3, 3, 5, 5, 6, 4, 6, 5, 5, 4, 6, 6, 7, 5, 5, 6, 6, 5, 4, 5, 6, 5, 7, 6, 5, 7, 7, 6, 5, 5],
}  # fmt: skip
NOT_HELPED = {
    "albumin": [3.0, 2.8, 0.9, 2.5, 3.6, 4.2, 4.0, 3.0, 3.3, 1.7, 2.9, 2.8],
    "protein": [5.8, 4.8, 4.0, 5.7, 6.7, 7.6, 6.6, 4.7, 6.8, 4.0, 5.7, 6.2],
    "score": [10, 6, 5, 8, 4, 4, 6, 8, 6, 7, 9, 8],
}
PATIENTS = compare(
    [1] * 31 + [0] * 12,
    {
        "albumin": HELPED["albumin"] + NOT_HELPED["albumin"],
        "protein": HELPED["protein"] + NOT_HELPED["protein"],
        "kg": [10 - score for score in HELPED["score"] + NOT_HELPED["score"]],
    },
    threshold=5,
)

LABELS = [1, 1, 1, 0, 0, 0]
A, B = [0.9, 0.8, 0.4, 0.6, 0.3, 0.1], [0.7, 0.35, 0.3, 0.8, 0.4, 0.2]


def simulated(rng, n, gap=0.0, prevalence=0.4):
    """Two models with the same signal, or one with more of it, on the same cases."""
    label = rng.random(n) < prevalence
    label[:2] = True, False
    common = rng.normal(size=n)
    scores = [label * (1 + extra) + (common + rng.normal(size=n)) / math.sqrt(2) for extra in (gap, 0.0)]
    return label, {name: 1 / (1 + np.exp(0.7 - s)) for name, s in zip("ab", scores, strict=True)}


# ---------------------------------------------------------------------- published answers


def test_the_areas_and_errors_of_delongs_patients():
    errors = np.sqrt(np.diag(estimate_delong_covariance(PATIENTS.pairing, np.eye(3))))

    assert [round(v, 4) for v in PATIENTS.values_of("auc").values()] == [0.7366, 0.6478, 0.7258]
    assert errors.round(4).tolist() == [0.0927, 0.1000, 0.1028]


def test_the_contrasts_of_delongs_patients():
    albumin, protein = (PATIENTS.difference("auc", name, "kg") for name in ("albumin", "protein"))
    p = {(test.a, test.b): round(test.p_value, 4) for test in PATIENTS.test("auc")}

    assert [round(v, 4) for v in (albumin.value, albumin.low, albumin.high)] == [0.0108, -0.1761, 0.1976]
    assert [round(v, 4) for v in (protein.value, protein.low, protein.high)] == [-0.0780, -0.2830, 0.1271]
    assert (p["albumin", "kg"], p["protein", "kg"]) == (0.9102, 0.4561)


def test_the_global_test_of_delongs_patients():
    found = PATIENTS.test("auc")

    assert (round(found.chi_square, 4), found.degrees, round(found.p_value, 4)) == (2.5340, 2, 0.2817)
    assert "no difference at all: p = 0.2817, chi-square 2.5340 with 2 degrees of freedom" in repr(found)


# ---------------------------------------------------------------------- which method


@pytest.mark.parametrize(
    ("measure", "test", "interval"),
    [
        ("auc", "delong", "delong"),
        ("gini", "delong", "delong"),
        ("accuracy", "mcnemar_midp", "tango"),
        ("recall", "mcnemar_midp", "tango"),
        ("precision", "mover_paired", "mover_paired"),
        ("f1", "mover_paired", "mover_paired"),
        ("log_loss", "influence", "influence"),
        ("average_precision", "student", "student"),
        ("ks", "mover", "mover"),  # so few errors at the best cuts
        ("ece", "mover", "mover"),
    ],
)
def test_the_method_is_chosen_by_rule_and_named(measure, test, interval):
    found = compare(LABELS, {"a": A, "b": B})

    assert found.test(measure, resamples=50).method == test
    assert found.difference(measure, resamples=50).method == interval


def test_a_share_of_a_quota_is_resampled_and_of_fractional_weights_linearised():
    assert compare(LABELS, {"a": A, "b": B}).test("recall", quota=2, resamples=50).method == "student"
    weighted = compare(LABELS, {"a": A, "b": B}, [0.5, 1, 1, 1, 1, 1])
    assert weighted.test("recall", resamples=50).method == "linearised"


@pytest.mark.parametrize("measure", [m.name for m in MEASURES if isinstance(m.form, LinearInAuc)])
def test_what_is_linear_in_the_auc_has_its_p_value_and_its_scaled_interval(measure):
    of_auc, found = PATIENTS.difference("auc", "albumin", "kg"), PATIENTS.difference(measure, "albumin", "kg")
    perfect, reversed_ = (cl.evaluate([1] * 31 + [0] * 12, [sign] * 31 + [0] * 12) for sign in (1, -1))
    factor = perfect.value(measure) - reversed_.value(measure)  # by how much it grows when the AUC goes from 0 to 1

    assert found.value == pytest.approx(factor * of_auc.value)
    assert (found.low, found.high) == pytest.approx((factor * of_auc.low, factor * of_auc.high))
    assert [t.p_value for t in PATIENTS.test(measure)] == pytest.approx([t.p_value for t in PATIENTS.test("auc")])


def test_mcnemar_is_mid_p_unless_another_is_named():
    found = compare(LABELS, {"a": A, "b": B}, threshold={"a": 0.35, "b": 0.6})  # right on 2 cases alone, and on 0
    p = {method: found.test("recall", method).p_value for method in ("mcnemar", "mcnemar_exact", "mcnemar_asymptotic")}

    assert p["mcnemar"] == 1 / 4
    assert p["mcnemar_exact"] == 1 / 2
    assert p["mcnemar_asymptotic"] == pytest.approx(math.erfc(1.0))  # chi-square of 2 with one degree
    assert found.test("recall", "mcnemar").method == "mcnemar_midp"


# ---------------------------------------------------------------------- pairs


def test_the_difference_is_the_first_minus_the_second():
    found = compare(LABELS, {"a": A, "b": B})

    assert found.difference("auc").value == pytest.approx(found["a"].auc - found["b"].auc)
    turned = found.difference("auc", "b", "a")
    assert (turned.low, turned.high) == pytest.approx((-found.difference("auc").high, -found.difference("auc").low))
    assert found.difference("auc").measure == "auc: a - b"
    assert turned.measure == "auc: b - a"


def test_three_models_make_three_pairs_corrected_by_holm():
    found = PATIENTS.test("auc")

    assert [(t.a, t.b) for t in found] == list(itertools.combinations(("albumin", "protein", "kg"), 2))
    assert [t.p_holm for t in found] == pytest.approx(
        [3 * found.pairs[0].p_value, 2 * found.pairs[2].p_value, 2 * found.pairs[2].p_value]
    )


def test_the_smallest_corrected_p_value_speaks_for_all_where_there_is_no_global_test():
    found = PATIENTS.test("average_precision", resamples=99)

    assert found.p_value == min(t.p_holm for t in found)


def test_a_pair_of_three_models_is_tested_as_if_the_third_were_not_there():
    """But for its cells: the draws are over the cells of all three."""
    two = compare([1] * 31 + [0] * 12, {name: scores_of(PATIENTS, name) for name in ("albumin", "kg")}, threshold=5)

    assert two.test("auc").p_value == pytest.approx(PATIENTS.test("auc").pairs[1].p_value)


def scores_of(comparison, name):
    source = {"albumin": "albumin", "protein": "protein", "kg": "score"}[name]
    column = HELPED[source] + NOT_HELPED[source]
    return [10 - score for score in column] if name == "kg" else column


# ---------------------------------------------------------------------- identical and degenerate


@pytest.mark.parametrize("method", ["auto", "bootstrap", "permutation"])
@pytest.mark.parametrize("measure", ["auc", "accuracy", "precision", "log_loss", "average_precision", "ks", "mcc"])
def test_identical_models_do_not_differ(measure, method):
    found = compare(LABELS, {"a": A, "b": A, "c": A}).test(measure, method, resamples=60)

    for test in found:
        assert test.difference == 0
        assert test.p_value == test.p_holm == 1
    assert found.p_value == 1


def test_identical_models_have_an_interval_around_nothing():
    found = compare(LABELS, {"a": A, "b": A})

    assert (found.difference("auc").low, found.difference("auc").high) == (0, 0)
    assert (found.difference("brier", resamples=50).low, found.difference("brier", resamples=50).high) == (0, 0)
    assert found.difference("accuracy").low < 0 < found.difference("accuracy").high
    assert found.verdict("auc").endswith("nothing in these cases distinguishes the two.")


PERFECT, REVERSED, TIED = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2], [0.2, 0.3, 0.4, 0.7, 0.8, 0.9], [0.5] * 6
DEGENERATE = {
    "perfect and reversed": (LABELS, PERFECT, REVERSED),
    "perfect and tied": (LABELS, PERFECT, TIED),
    "both perfect": (LABELS, PERFECT, [6, 5, 4, 3, 2, 1]),
    "both tied": (LABELS, TIED, TIED),
    "one positive": ([1, 0, 0, 0, 0, 0], A, B),
    "one negative": ([1, 1, 1, 1, 1, 0], A, B),
    "only positives": ([1] * 6, A, B),
    "only negatives": ([0] * 6, A, B),
    "two cases": ([1, 0], [0.9, 0.1], [0.1, 0.9]),
    "two equal cases": ([1, 0], [0.9, 0.1], [0.8, 0.2]),
    "one case": ([1], [0.9], [0.1]),
    "infinite scores": (LABELS, [math.inf, 2, 1, 0, -1, -math.inf], [1, math.inf, 0, 0, 0, -math.inf]),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", DEGENERATE)
@each_case("measure", MEASURES)
def test_there_is_a_value_or_a_reason(measure, case):
    labels, a, b = DEGENERATE[case]
    if not all(measure.fits(cl.rank(labels, scores)) for scores in (a, b)):
        return
    given = {"quota": 1} if "quota" in measure.required else {}
    found = compare(labels, {"a": a, "b": b})
    tests = [found.test(measure, method, resamples=40, **given) for method in ("auto", "bootstrap", "permutation")]
    difference = found.difference(measure, resamples=40, level=0.9, **given)

    for test in (t.pairs[0] for t in tests):
        assert 0 < test.p_value <= 1 or (math.isnan(test.p_value) and test.notes)
    assert 0 < tests[0].p_value <= 1 or math.isnan(difference.value)  # the rule finds a test wherever there is a value
    assert difference.has_interval or difference.notes
    if difference.has_interval and not math.isinf(difference.low):
        assert difference.low <= difference.high
    assert found.verdict(measure, resamples=40, **given)


def test_a_perfect_and_a_reversed_order_are_told_apart_by_exchanging_ranks():
    labels = [1] * 20 + [0] * 20
    found = compare(labels, {"a": range(40, 0, -1), "b": range(40)}, threshold=20)
    test = found.test("auc").pairs[0]

    assert (test.difference, test.method) == (1, "permutation")
    assert test.p_value == 1 / 2001
    assert "DeLong's variance is 0" in test.notes[0]
    assert not found.difference("auc").has_interval


def test_three_models_without_a_global_variance_have_the_smallest_corrected_p_value():
    labels = [1] * 20 + [0] * 20
    models = {"perfect": range(40, 0, -1), "reversed": range(40), "perfect too": range(80, 0, -2)}
    found = compare(labels, models, threshold=20).test("auc", resamples=99)

    assert [test.p_value for test in found] == [1 / 100, 1, 1 / 100]
    assert found.p_value == pytest.approx(3 / 100)
    assert found.degrees == 0


def test_two_cases_tell_no_models_apart():
    assert compare([1, 0], {"a": [0.9, 0.1], "b": [0.1, 0.9]}).test("auc").p_value > 0.4


# ---------------------------------------------------------------------- weights, order, seeds


@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4), st.integers(1, 3)), min_size=4).filter(
        lambda rows: len({row[0] for row in rows}) == 2
    )
)
def test_a_whole_weight_is_a_repetition_in_every_test(rows):
    label, a, b, weight = map(np.array, zip(*rows, strict=True))
    weighted = compare(label, {"a": a, "b": b}, weight, threshold=2)
    repeated = compare(label.repeat(weight), {"a": a.repeat(weight), "b": b.repeat(weight)}, threshold=2)

    for measure in ("auc", "accuracy", "f1"):
        one, two = (found.test(measure, resamples=20).pairs[0] for found in (weighted, repeated))
        assert one.p_value == pytest.approx(two.p_value, nan_ok=True)
        assert [note for note in one.notes if not note.startswith("The weights are whole")] == list(two.notes)


@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_a_seed_gives_the_same_p_value_whatever_the_order_of_the_rows(method):
    rng = np.random.default_rng(0)
    label, scores = simulated(rng, 80)
    order = rng.permutation(80)
    first = compare(label, scores).test("f1", method, resamples=199, seed=9)
    second = compare(label[order], {k: v[order] for k, v in scores.items()}).test("f1", method, resamples=199, seed=9)

    assert first == second
    assert first != compare(label, scores).test("f1", method, resamples=199, seed=10)


def test_zero_weights_are_absent_rows():
    with_zero = compare([*LABELS, 1], {"a": [*A, 0.0], "b": [*B, 1.0]}, [1] * 6 + [0])

    assert with_zero.test("auc") == compare(LABELS, {"a": A, "b": B}).test("auc")
    assert with_zero["a"].ranking.dropped == 0


def test_a_case_without_every_score_is_dropped_for_all_models():
    found = compare([*LABELS, 1, 0, None], {"a": [*A, None, 0.5, 0.1], "b": [*B, 0.5, math.nan, 0.1]}, missing="drop")

    assert found.test("auc") == compare(LABELS, {"a": A, "b": B}).test("auc")
    assert [ev.ranking.dropped for ev in found.values()] == [3, 3]


def test_a_monotone_change_of_scale_changes_no_test_of_the_order():
    label, scores = simulated(np.random.default_rng(1), 60)
    stretched = scores | {"b": np.exp(9 * scores["b"])}

    for method in ("delong", "bootstrap", "permutation"):
        one, two = (compare(label, s).test("auc", method, resamples=99).p_value for s in (scores, stretched))
        assert one == pytest.approx(two)


def test_low_scores_may_mean_positive():
    label, scores = simulated(np.random.default_rng(1), 60)
    turned = compare(label, {k: 1 - v for k, v in scores.items()}, higher_is_positive=False)
    usual = compare(label, scores)

    for measure, method in itertools.product(("auc", "accuracy"), ("auto", "bootstrap", "permutation")):
        one, two = (found.test(measure, method, resamples=99).p_value for found in (turned, usual))
        assert one == pytest.approx(two)


# ---------------------------------------------------------------------- size and coverage


@pytest.mark.parametrize(
    ("measure", "method"),
    [
        ("auc", "delong"),
        ("auc", "bootstrap"),
        ("auc", "permutation"),
        ("accuracy", "mcnemar"),
        ("accuracy", "mcnemar_asymptotic"),
        ("average_precision", "bootstrap"),
        ("average_precision", "permutation"),
        ("log_loss", "bootstrap"),
        ("log_loss", "permutation"),
        ("f1", "bootstrap"),
        ("f1", "permutation"),
    ],
)
@pytest.mark.slow
def test_equal_models_are_told_apart_about_one_time_in_twenty(measure, method):
    rng = np.random.default_rng(20)
    p = [compare(*simulated(rng, 100)).test(measure, method, resamples=99).p_value for _ in range(120)]

    assert 1 <= sum(value <= 0.05 for value in p) <= 13  # 6 expected; each end has a chance of 0.2 %


@pytest.mark.slow
def test_the_interval_of_a_difference_covers_it_about_nineteen_times_in_twenty():
    rng = np.random.default_rng(21)
    label, scores = simulated(rng, 200_000, gap=0.4)
    truth = {m: MEASURES[m](label, scores["a"]) - MEASURES[m](label, scores["b"]) for m in ("auc", "accuracy", "f1")}
    covered = dict.fromkeys(truth, 0)
    for _ in range(120):
        found = compare(*simulated(rng, 100, gap=0.4))
        for measure, value in truth.items():
            covered[measure] += value in found.difference(measure, resamples=99)

    assert all(106 <= count <= 119 for count in covered.values()), covered


# ---------------------------------------------------------------------- frames

CASES = ["p1", "p2", "p3", "p4", "p5", "p6"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_frames_are_joined_by_id(frame):
    shuffled = [3, 0, 5, 1, 2, 4]
    first = frame({"case": CASES, "y": LABELS, "p": A})
    second = frame({k: [v[i] for i in shuffled] for k, v in {"case": CASES, "y": LABELS, "p": B}.items()})
    found = compare("y", "p", data={"a": first, "b": second}, id="case")

    assert found.test("auc") == compare(LABELS, {"a": A, "b": B}).test("auc")


def test_a_refused_value_of_a_joined_frame_is_named_by_its_case():
    """A position would be that of the first frame, where nobody finds it."""
    first = pd.DataFrame({"case": ["a", "b", "c", "d"], "y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.8, 0.1]})
    second = first.assign(p=[0.9, math.nan, 0.8, 0.1]).iloc[::-1]

    with pytest.raises(
        cl.InputError, match=r"^Model 'new': scores holds 1 missing value \(NaN\), the first of case 'b':"
    ):
        compare("y", "p", data={"old": first, "new": second}, id="case")


def test_groups_of_joined_frames_are_those_of_the_first():
    first = pd.DataFrame({"case": range(6), "y": LABELS, "p": A, "g": [1, 1, 2, 2, 3, 3]})
    second = pd.DataFrame({"case": range(6), "y": LABELS, "p": B}).iloc[::-1]
    found = compare("y", "p", data={"a": first, "b": second}, id="case", groups="g")
    expected = compare(LABELS, {"a": A, "b": B}, groups=[1, 1, 2, 2, 3, 3])

    assert found.difference("brier", resamples=50) == expected.difference("brier", resamples=50)


def test_the_frames_may_name_their_scores_differently_and_hold_weights():
    first = pd.DataFrame({"case": range(6), "y": LABELS, "p": A, "w": range(1, 7)})
    second = pd.DataFrame({"case": range(6), "y": LABELS, "q": B, "w": range(1, 7)}).iloc[::-1]
    found = compare("y", {"a": "p", "b": "q"}, "w", data={"a": first, "b": second}, id="case")

    assert found.test("auc") == compare(LABELS, {"a": A, "b": B}, range(1, 7)).test("auc")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_one_frame_may_hold_the_scores_of_all_models(frame):
    found = compare("y", {"a": "p", "b": "q"}, data=frame({"y": LABELS, "p": A, "q": B}))

    assert found.test("auc") == compare(LABELS, {"a": A, "b": B}).test("auc")


# ---------------------------------------------------------------------- looks


def test_a_comparison_is_a_mapping_of_evaluations():
    found = compare(LABELS, {"a": A, "b": B}, threshold={"a": 0.5, "b": 0.3})

    assert list(found) == ["a", "b"]
    assert found["b"].threshold == 0.3
    assert found["a"].name == "a"
    assert found.values_of("auc") == {"a": cl.auc(LABELS, A), "b": cl.auc(LABELS, B)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.pairing = None


def test_a_verdict_names_the_better_model():
    rng = np.random.default_rng(4)
    label, scores = simulated(rng, 400, gap=1.5)
    found = compare(label, scores)

    assert found.verdict("auc").startswith("a is better than b by ")
    assert found.verdict("log_loss").startswith("a is better than b by ")
    assert found.verdict("log_loss").endswith(": significant at 0.05.")


def test_a_verdict_says_how_many_cases_it_would_take():
    verdict = PATIENTS.verdict("auc").splitlines()[1]

    assert verdict.startswith("albumin and kg: the difference in auc, 0.0108, is not significant (p = 0.9")
    z = 1.959964 + 0.841621
    needed = 43 * (z * 0.0953 / 0.0108) ** 2  # the standard error and the difference that SAS prints
    assert float(verdict.split("about ")[1].split(" cases")[0].replace(",", "")) == pytest.approx(needed, rel=0.05)


def test_a_summary_has_a_row_for_each_measure_and_pair():
    table = PATIENTS.summary(["auc", "accuracy", "precision"], resamples=99)
    rows = list(table)

    assert [(row["measure"], row["a"], row["b"]) for row in rows] == [
        (measure, a, b)
        for measure in ("auc", "accuracy", "precision")
        for a, b in itertools.combinations(("albumin", "protein", "kg"), 2)
    ]
    assert rows[0]["p_value"] == PATIENTS.test("auc").pairs[0].p_value
    assert rows[0]["low"] == PATIENTS.difference("auc", "albumin", "protein").low
    precision = PATIENTS.test("precision", resamples=99).pairs[2]
    assert (rows[8]["p_value"], rows[8]["p_holm"]) == (precision.p_value, precision.p_holm)
    assert rows[3]["method"] == "tango, mcnemar_midp"


def test_a_summary_of_scores_that_are_no_probabilities_says_so():
    rows = {row["measure"]: row for row in PATIENTS.summary(resamples=39)}

    assert {m.name for m in MEASURES if m.headline} == set(rows)
    assert rows["brier"]["note"].startswith("It is undefined for protein: the scores are not probabilities")
    assert math.isnan(rows["brier"]["difference"])


def test_a_comparison_is_written_as_json():
    found = compare(LABELS, {"a": A, "b": B})
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))

    assert written["cases"] == 6
    assert set(written["models"]) == {"a", "b"}
    assert written["dominance"]["dominant"] == "a"
    assert len(written["differences"]) == sum(m.headline for m in MEASURES)
    tests = json.loads(json.dumps(found.test("auc").to_dict(), allow_nan=False))
    assert tests["pairs"][0]["a"] == "a"


def test_a_comparison_prints_and_converts():
    found = compare(LABELS, {"a": A, "<b>": B})

    assert "For ranking, the models cannot be told apart (AUC, p = " in repr(found)
    assert "\n2 models on the same 6 cases, 3 positive (50 %; positive is 1)\n" in repr(found)
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    assert list(found.to_frame()["measure"]) == [m.name for m in MEASURES if m.headline]
    assert found.test("auc").to_frame("polars")["p_value"][0] == found.test("auc").p_value
    assert len(found.test("auc")) == 1
    assert "p = " in found.test("auc")._repr_html_()


def test_no_limit_leaves_what_a_difference_can_be_without_saying_so():
    label = [1, 1, 0, 0]
    found = compare(label, {"a": [0.9, 0.4, 0.3, 0.2], "b": [0.1, 0.5, 0.3, 0.6]}).difference("auc", level=0.999)

    assert found.high == 1
    assert "cut at the range of the difference, -1 to 1" in found.notes[-1]


@each_case("measure", [m for m in MEASURES if m.needs is Needs.COUNTS], ids=str)
def test_every_measure_of_one_cut_has_a_difference(measure):
    label, scores = simulated(np.random.default_rng(2), 80)
    found = compare(label, scores).difference(measure, resamples=40, level=0.9)

    assert found.has_interval or found.notes


def test_a_summary_prints_each_note_once_below_and_keeps_them_by_row():
    few = compare([1] * 5 + [0] * 25, {"a": np.arange(30) % 7, "b": np.arange(30) % 5, "c": np.arange(30) % 4})
    table = few.summary(["auc", "average_precision", "eer"], resamples=50)
    text = "It rests on a class with only 5 cases."

    assert repr(table).count(text) == 1
    every = "Area under the ROC curve, Average precision, Equal error rate"
    assert f"\nNote: {every}: {text}" in repr(table)
    assert f"<li>{every}: {text}</li>" in table._repr_html_()
    assert max(map(len, repr(table).splitlines()[1:14])) < 120
    assert all(text in row["note"] for row in table.to_dict())
    drawn = "Only 50 resamples were drawn"  # DeLong's test of the AUC draws none
    assert f"\nNote: Average precision, Equal error rate: {drawn}" in repr(table)
    assert [drawn in row["note"] for row in table.to_dict()] == [False] * 3 + [True] * 6


def test_a_summary_prints_p_values_and_conclusions_in_words():
    label, scores = simulated(np.random.default_rng(0), 400)
    scores = {"a": label + 0.1 * scores["a"], "b": -np.arange(400.0)}
    printed = repr(compare(label, scores).summary(["auc", "accuracy"], resamples=50))
    lines = printed.splitlines()

    assert lines[0].startswith("For ranking, choose a: AUC 1.0000 against 0.")
    assert lines[1].startswith("At the cut, choose a: accuracy ")
    assert all(line.endswith("(p < 0.001).") for line in lines[:2])
    assert lines[2] == "Overall, choose a: best in both."
    assert lines[5].split()[-2:] == ["p", "conclusion"]
    assert re.search(r"^auc +a +b .* < 1e-16 +a is better$", printed, flags=re.MULTILINE)
    assert not re.search(r"e-\d\d+|mcnemar_|delong|tango", printed.replace("< 1e-16", ""))


def test_a_comparison_counts_its_cases_as_its_models_do():
    label, scores = simulated(np.random.default_rng(4), 60)
    weights = np.tile([0.5, 1.25, 2.0], 20)
    found = compare(label, scores, weights).to_dict(measures=["auc"], of_models=["auc"], resamples=0)

    assert found["cases"] == 75.0
    assert {model["cases"] for model in found["models"].values()} == {75.0}
    assert "60 rows" in found["verdict"] or "you have 60" in found["verdict"]
    assert "60 cases" not in found["verdict"]


def test_a_note_on_many_measures_gives_their_number():
    few = compare([1] * 5 + [0] * 25, {"a": np.arange(30) % 7, "b": np.arange(30) % 5})

    names = ["average_precision", "partial_auc", "bedroc", "mean_precision", "eer"]
    assert "Note: 5 measures: It rests on a class with only 5" in repr(few.summary(names, resamples=50))


def test_the_name_of_a_difference_says_its_parameters():
    models = compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, threshold=2.5)

    assert models.difference("f_beta", beta=2, resamples=50).measure == "f_beta(beta=2): a - b"
    assert models.test("hit_rate", quota=2, resamples=50).measure == "hit_rate(quota=2)"
    assert "in f_beta(beta=2)" in models.verdict("f_beta", beta=2, resamples=50)
    with pytest.raises(cl.CutlineError, match="quota and share are both given"):
        models.difference("hit_rate", quota=2, share=0.5)


def test_a_summary_of_one_measure_needs_no_list():
    models = compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})

    assert [row["measure"] for row in models.summary("auc", resamples=20)] == ["auc"]
    assert repr(models.summary(MEASURES["auc"], resamples=20)) == repr(models.summary(["auc"], resamples=20))


def test_the_method_that_auto_chooses_is_told():
    models = compare([1, 1, 0, 0], {"a": [4, 3, 2, 1], "b": [4, 2, 3, 1]}, threshold=2.5)

    for measure, chosen in {"auc": "delong", "accuracy": "mcnemar_midp", "f1": "mover_paired"}.items():
        assert models.method(measure) == chosen == next(iter(models.test(measure, resamples=2))).method


def test_models_may_be_named_by_numbers():
    labels = [1, 0, 1, 0] * 9
    both = cl.compare(labels, {0: [0.1, 0.2, 0.3, 0.4] * 9, 1: [0.3, 0.2, 0.1, 0.5] * 9}, threshold={0: 0.5, 1: 0.3})

    assert both[0] is both["0"]
    assert (both[0].threshold, both[1].threshold) == (0.5, 0.3)
    assert both.difference("auc", 0, 1).value == both[0].auc - both[1].auc


def test_a_list_of_columns_is_told_to_need_names():
    frame = {"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.8, 0.4], "q": [0.9, 0.2, 0.3, 0.4]}
    with pytest.raises(cl.InputError, match="scores is a list: pass the columns by the names of their models"):
        compare("y", ["p", "q"], data=pd.DataFrame(frame))


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_is_mirrored_when_the_models_are_named_in_another_order(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(120) < 0.4
    scores = {name: np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1).round(2) for name in ("a", "b", "c")}
    turned = dict(reversed(scores.items()))
    for measure in ("average_precision", "ks"):
        one = cl.compare(y, scores).difference(measure, "a", "b", resamples=60, method="bootstrap")
        other = cl.compare(y, turned).difference(measure, "b", "a", resamples=60, method="bootstrap")
        assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    rows = rng.permutation(120)
    mixed = cl.compare(y[rows], {name: values[rows] for name, values in turned.items()})
    other = mixed.difference("ks", "b", "a", resamples=60, method="bootstrap")
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
