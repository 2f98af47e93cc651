"""Several classes: each against the rest, as scikit-learn counts them."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import cutline as cl
from cutline import one_vs_rest

CLASSES = ["ant", "bee", "cat"]
LABELS = ["ant", "bee", "cat", "ant", "bee", "bee"]
SCORES = np.array(
    [
        [0.8, 0.1, 0.1],
        [0.2, 0.7, 0.1],
        [0.3, 0.4, 0.3],
        [0.4, 0.4, 0.2],
        [0.5, 0.3, 0.2],
        [0.1, 0.8, 0.1],
    ]
)

three_classes = st.integers(3, 30).flatmap(
    lambda n: st.tuples(
        st.permutations([0, 1, 2, *(k % 3 for k in range(n - 3))]),
        st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=n, max_size=n),
        st.lists(st.integers(1, 4), min_size=n, max_size=n),
    )
)


@settings(max_examples=50, deadline=None)
@given(data=three_classes)
def test_each_class_has_the_average_precision_and_area_that_scikit_learn_gives(data):
    labels, scores, weights = (np.array(column) for column in data)
    found = one_vs_rest(labels, scores, weights)
    for name, peer in (("average_precision", average_precision_score), ("auc", roc_auc_score)):
        expected = {k: peer(labels == k, scores[:, k], sample_weight=weights) for k in range(3)}

        assert found.each(name) == pytest.approx(expected)
        assert found.mean(name) == pytest.approx(np.mean(list(expected.values())))


def test_the_mean_average_precision_can_be_counted():
    found = one_vs_rest(LABELS, SCORES)

    assert found.each("average_precision") == pytest.approx(
        {"ant": (1 / 1 + 2 / 3) / 2, "bee": (1 / 1 + 2 / 2 + 3 / 5) / 3, "cat": 1 / 1}
    )
    expected = (5 / 6 + 13 / 15 + 1) / 3
    assert found.mean("average_precision") == pytest.approx(expected)
    assert found.mean("map") == found.value("map") == found.mean("average_precision")  # as Berrar defines it


@pytest.mark.parametrize("labels", [LABELS, np.array(LABELS), pd.Series(LABELS), pd.Categorical(LABELS)])
def test_labels_come_in_any_column(labels):
    assert one_vs_rest(labels, SCORES).each("auc") == one_vs_rest(LABELS, SCORES).each("auc")


def test_it_is_a_mapping_from_the_class_to_its_evaluation():
    found = one_vs_rest(LABELS, SCORES)

    assert list(found) == CLASSES
    assert len(found) == 3
    assert "bee" in found
    assert "dog" not in found
    assert [ranking.positives for ranking in found.rankings.values()] == [2, 3, 1]
    assert [evaluation.name for evaluation in found.values()] == CLASSES
    assert found["bee"].auc == found.each("auc")["bee"]
    assert found["bee"].estimate("auc").has_interval
    assert repr(found).startswith("OneVsRest of 3 classes: 'ant', 'bee', 'cat'\n")
    with pytest.raises(cl.UnknownNameError, match="no class 'dog'"):
        found["dog"]


@pytest.mark.parametrize("kind", [int, float, object])
def test_the_classes_are_in_their_natural_order(kind):
    labels = np.arange(12).astype(kind)[::-1]
    found = one_vs_rest(labels, np.eye(12)[::-1])

    assert list(found) == list(range(12))  # and not 0, 1, 10, 11, 2
    assert found.each("auc") == dict.fromkeys(range(12), 1.0)


def test_the_classes_name_the_columns():
    turned = one_vs_rest(LABELS, SCORES[:, ::-1], classes=CLASSES[::-1])

    assert list(turned) == CLASSES[::-1]
    assert turned.each("auc") == one_vs_rest(LABELS, SCORES).each("auc")


def test_a_class_without_a_case_has_no_value():
    found = one_vs_rest(LABELS[:2], SCORES[:2], classes=CLASSES).each("auc")

    assert found["ant"] == found["bee"] == 1.0
    assert np.isnan(found["cat"])


def test_parameters_go_to_the_measure():
    found = one_vs_rest(LABELS, SCORES)

    assert found.each("precision", quota=2) == {"ant": 1 / 2, "bee": 2 / 2, "cat": (1 + 2 / 3 * 0 + 0) / 2}
    assert found.each("f_beta", beta=2, threshold=0.5) == {
        label: cl.MEASURES["f_beta"](np.equal(LABELS, label), SCORES[:, k], beta=2) for k, label in enumerate(CLASSES)
    }


@pytest.mark.parametrize(
    ("labels", "scores", "classes"),
    [
        (LABELS, SCORES[:, 0], None),
        (LABELS, SCORES[:, :2], None),
        (LABELS, SCORES, ["ant", "bee"]),
        (LABELS, SCORES, ["ant", "bee", "dog"]),
        (LABELS[:3], SCORES, CLASSES),
        (LABELS, SCORES.astype(str), None),
        (LABELS, np.where(SCORES > 0.75, np.nan, SCORES), None),
    ],
)
def test_what_does_not_fit_is_refused(labels, scores, classes):
    with pytest.raises(cl.CutlineError):
        one_vs_rest(labels, scores, classes=classes)


def test_an_unknown_measure_is_refused():
    with pytest.raises(cl.UnknownNameError):
        one_vs_rest(LABELS, SCORES).mean("nonsense")


def test_a_wrong_column_would_be_seen():
    assert one_vs_rest(LABELS, SCORES[:, [1, 0, 2]]).each("auc") != one_vs_rest(LABELS, SCORES).each("auc")


def test_an_undefined_mean_names_the_class_and_the_reason():
    found = one_vs_rest(["a", "b", "b"], [[0.1, 0.5, 0.4], [0.2, 0.5, 0.3], [0.2, 0.5, 0.3]], classes=["a", "b", "c"])

    mean = found.mean("auc")

    assert np.isnan(mean)
    assert mean.reason == "for class 'c' there is no positive case"
    assert found.reasons("auc") == {"c": "there is no positive case"}
    assert found.mean("accuracy", threshold=0.9).reason == ""


@pytest.mark.parametrize("mean", ["macro", "weighted", "micro"])
def test_whatever_is_undefined_has_a_reason(mean):
    constant = cl.one_vs_rest(["a", "b", "c"] * 4, np.full((12, 3), 1 / 3))
    absent = cl.one_vs_rest(["a", "b"] * 3, np.random.default_rng(0).dirichlet([1, 1, 1], 6), classes=["a", "b", "c"])
    undefined = 0
    for found in (constant, absent):
        for measure in cl.MEASURES:
            if measure.required:
                continue
            try:
                value, reason = found.value(measure, mean), found.reason(measure, mean)
            except cl.NotProbabilitiesError:
                continue
            except cl.ParameterError:  # the mean average precision is a macro mean
                assert measure.name == "mean_average_precision"
                continue
            assert bool(reason) == math.isnan(value), (measure.name, value, reason)
            undefined += math.isnan(value)
    assert undefined > 3
