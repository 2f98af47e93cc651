"""Models of several classes on the same cases: differences, tests, and their documents."""

import itertools
import math

import numpy as np
import pytest

import cutline as cl
from cutline.multiclass.measures import resolve_statistic


def models(seed=0, n=300, classes=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    signal = 1.2 * np.eye(classes)[labels] + rng.normal(size=(n, classes))
    noisy = {
        name: signal + spread * rng.normal(size=(n, classes)) for name, spread in (("a", 0.0), ("b", 0.6), ("c", 1.5))
    }
    return labels, {name: np.exp(own) / np.exp(own).sum(1, keepdims=True) for name, own in noisy.items()}


LABELS, SCORES = models()
TWO = {name: SCORES[name] for name in "ab"}
ASKED = [("auc", "macro"), ("auc", "weighted"), ("auc", "micro"), ("hand_till_m", None), ("average_precision", "macro"),
         ("f1", "macro"), ("accuracy", None), ("mcc", None), ("kappa", None), ("log_loss", None)]  # fmt: skip


def test_two_classes_give_the_test_of_delong():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 120)
    first = labels + rng.normal(size=120)
    second = first + rng.normal(size=120)
    many = cl.compare_classes(labels, {"a": np.column_stack([-first, first]), "b": np.column_stack([-second, second])})
    two = cl.compare(labels, {"a": first, "b": second})
    expected = two.test("auc", method="delong")

    for name, mean in (("auc", "macro"), ("hand_till_m", None)):
        assert many.test(name, mean).p_value == pytest.approx(expected.p_value, rel=1e-9)
        assert many.difference(name, mean).low == pytest.approx(two.difference("auc", method="delong").low, abs=1e-12)


@pytest.mark.parametrize(("name", "mean"), ASKED)
def test_the_standard_error_of_a_difference_agrees_with_the_bootstrap(name, mean):
    found = cl.compare_classes(LABELS, TWO)
    statistic = resolve_statistic(name, mean)
    one, two = (model.cases for model in found.values())
    drawn = np.random.default_rng(2).multinomial(300, np.full(300, 1 / 300), size=4000)
    expected = np.std(statistic.make_function(one)(drawn) - statistic.make_function(two)(drawn))
    estimate = found.difference(name, mean)

    assert (estimate.high - estimate.low) / 2 / 1.959963984540054 == pytest.approx(expected, rel=0.05)
    assert estimate.value == pytest.approx(found["a"].value(name, mean) - found["b"].value(name, mean), abs=1e-14)


def test_a_worse_model_differs_significantly_and_an_equal_one_does_not():
    found = cl.compare_classes(LABELS, SCORES | {"again": SCORES["a"]})
    tests = {(pair.a, pair.b): pair for pair in found.test("auc", "macro")}

    assert tests["a", "c"].p_holm < 0.001
    assert tests["a", "again"].difference == 0
    assert tests["a", "again"].p_value == 1
    assert all(pair.p_holm >= pair.p_value for pair in tests.values())


def test_the_joint_test_of_two_models_equals_the_test_of_the_pair():
    found = cl.compare_classes(LABELS, SCORES)
    three = found.test("hand_till_m")

    assert len(three) == 3
    assert three.degrees == 2
    twice = cl.compare_classes(LABELS, TWO | {"copy": SCORES["b"]}).test("hand_till_m")
    assert twice.degrees == 1  # the copy takes no degree of freedom
    assert twice.p_value == pytest.approx(cl.compare_classes(LABELS, TWO).test("hand_till_m").p_value, rel=1e-6)


def test_the_order_of_the_rows_and_of_the_models_does_not_matter():
    order = np.random.default_rng(3).permutation(len(LABELS))
    one = cl.compare_classes(LABELS, TWO)
    two = cl.compare_classes(LABELS[order], {name: own[order] for name, own in TWO.items()})
    turned = cl.compare_classes(LABELS, dict(reversed(TWO.items())))
    for name, mean in ASKED:
        assert one.difference(name, mean) == two.difference(name, mean)
        assert turned.difference(name, mean).value == pytest.approx(-one.difference(name, mean).value, abs=1e-14)
        assert turned.test(name, mean).p_value == pytest.approx(one.test(name, mean).p_value, rel=1e-9)


@pytest.mark.slow
def test_the_false_alarms_of_the_test_are_as_many_as_promised():
    rejected = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 3, 120)
        signal = np.eye(3)[labels] + rng.normal(size=(120, 3))
        pair = {name: signal + rng.normal(size=(120, 3)) for name in "ab"}  # equally good
        rejected.append(cl.compare_classes(labels, pair).test("hand_till_m").p_value < 0.05)

    assert 0.01 <= np.mean(rejected) <= 0.10  # 5 % and 3 standard errors of 200 samples


def test_a_bootstrap_is_the_same_with_the_same_seed():
    found = cl.compare_classes(LABELS, TWO)
    one = found.test("auc", "macro", method="bootstrap", resamples=300, seed=7)

    assert one == found.test("auc", "macro", method="bootstrap", resamples=300, seed=7)
    assert one != found.test("auc", "macro", method="bootstrap", resamples=300, seed=8)
    assert one.p_value == pytest.approx(found.test("auc", "macro").p_value, abs=0.05)


def test_the_summary_has_a_row_for_each_measure_and_pair_and_converts():
    summary = cl.compare_classes(LABELS, SCORES).summary()
    frame = summary.to_frame()
    pairs = list(itertools.combinations("abc", 2))

    assert len(frame) == len(summary) == 12 * len(pairs)
    assert set(zip(frame.a, frame.b, strict=True)) == set(pairs)
    assert summary.document()["schema"] == "cutline/class-comparison/1"
    assert list(summary.document()["models"]) == ["a", "b", "c"]
    assert "is better" in repr(summary)
    assert summary.to_csv().count("\n") == len(summary) + 1
    assert "<table>" in summary._repr_html_()


def test_an_undefined_difference_says_why():
    labels = np.where(LABELS == 2, 1, LABELS)
    found = cl.compare_classes(labels, TWO, classes=[0, 1, 2])

    assert math.isnan(found.difference("auc", "macro").value)
    assert "for class 2 there is no positive case" in found.difference("auc", "macro").notes[0]
    assert math.isnan(found.test("auc", "macro").p_value)
    assert not math.isnan(found.test("accuracy").p_value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cl.compare_classes(LABELS, {"a": SCORES["a"]}), "fewer than two models"),
        (lambda: cl.compare_classes(LABELS, {"a": SCORES["a"], "b": SCORES["b"][:, :2]}), "several numbers of columns"),
        (lambda: cl.compare_classes(LABELS, {"a": SCORES["a"], "b": SCORES["b"][:9]}), "'b' has 9 rows"),
        (lambda: cl.compare_classes(LABELS, SCORES).difference("auc"), "name two of them"),
        (lambda: cl.compare_classes(LABELS, TWO)["d"], "no model 'd'"),
        (lambda: cl.compare_classes(LABELS, TWO).test("auc", method="mcnemar"), "method is 'mcnemar'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(call, words):
    with pytest.raises(cl.CutlineError, match=words):
        call()
