"""Several labels of a case: against scikit-learn, counts by hand, and the bootstrap written out."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import cutline as cl


def data(seed=0, n=300, count=3):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    truth = (common + rng.normal(size=(n, count)) > [0.2, 0.8, 1.2][:count]).astype(int)
    scores = 1 / (1 + np.exp(-(rng.normal(size=(n, count)) + 1.5 * truth - 0.7)))
    return truth, scores


TRUTH, SCORES = data()
FOUND = cl.one_vs_rest(TRUTH, SCORES, classes=["a", "b", "c"])


@pytest.mark.parametrize("mean", ["macro", "weighted", "micro"])
def test_means_are_those_of_scikit_learn(mean):
    flagged = (SCORES >= 0.5).astype(int)
    assert FOUND.value("auc", mean) == pytest.approx(metrics.roc_auc_score(TRUTH, SCORES, average=mean))
    assert FOUND.value("average_precision", mean) == pytest.approx(
        metrics.average_precision_score(TRUTH, SCORES, average=mean)
    )
    for name in ("precision", "recall", "f1"):
        expected = getattr(metrics, f"{name}_score")(TRUTH, flagged, average=mean)
        assert FOUND.value(name, mean) == pytest.approx(expected)


def test_whole_cases_are_those_of_scikit_learn():
    flagged = (SCORES >= 0.5).astype(int)
    assert FOUND.value("hamming_loss") == pytest.approx(metrics.hamming_loss(TRUTH, flagged))
    assert FOUND.value("subset_accuracy") == pytest.approx(metrics.accuracy_score(TRUTH, flagged))
    assert FOUND.value("hamming_loss", threshold=0.3) == pytest.approx(metrics.hamming_loss(TRUTH, SCORES >= 0.3))


def test_four_cases_counted_by_hand():
    found = cl.one_vs_rest([[1, 0], [1, 1], [0, 1], [0, 0]], [[0.9, 0.6], [0.6, 0.7], [0.4, 0.3], [0.1, 0.2]])

    assert found.value("hamming_loss") == 2 / 8  # the second label of the first and of the third case
    assert found.value("subset_accuracy") == 2 / 4
    assert found.value("precision", "micro") == 3 / 4
    assert found.each("recall") == {0: 1.0, 1: 0.5}


def test_each_label_is_an_evaluation():
    assert list(FOUND) == ["a", "b", "c"]
    assert FOUND["b"].auc == pytest.approx(metrics.roc_auc_score(TRUTH[:, 1], SCORES[:, 1]))
    with pytest.raises(cl.UnknownNameError, match="There is no label 'd' among 'a', 'b', 'c'"):
        FOUND["d"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mean"), [("auc", "macro"), ("f1", "micro"), ("recall", "weighted")])
def test_standard_errors_come_from_whole_cases(name, mean):
    rng = np.random.default_rng(7)
    values = []
    for _ in range(400):  # written out
        rows = rng.integers(0, 300, 300)
        values.append(
            cl.one_vs_rest(TRUTH[rows], SCORES[rows]).value(name, mean, threshold=None if name == "auc" else 0.5)
        )
    found = FOUND.estimate(name, mean)

    assert (found.high - found.low) / (2 * 1.97) == pytest.approx(np.std(values), rel=0.12)


def test_the_interval_of_the_subset_accuracy_is_wilsons():
    found = FOUND.estimate("subset_accuracy")
    hits = round(found.value * 300)
    from scipy.stats import binomtest

    wilson = binomtest(hits, 300).proportion_ci(method="wilson")
    assert [found.low, found.high] == pytest.approx([wilson.low, wilson.high], abs=2e-3)  # Student's quantile, n - 1


def test_whole_groups_widen_the_interval():
    twice = cl.one_vs_rest(
        np.repeat(TRUTH, 2, axis=0), np.repeat(SCORES, 2, axis=0), groups=np.repeat(np.arange(300), 2)
    )
    plain = cl.one_vs_rest(np.repeat(TRUTH, 2, axis=0), np.repeat(SCORES, 2, axis=0))
    one, two, alone = twice.estimate("auc"), plain.estimate("auc"), FOUND.estimate("auc")

    assert one.high - one.low == pytest.approx(alone.high - alone.low, rel=0.1)
    assert two.high - two.low < 0.8 * (one.high - one.low)


def test_columns_of_a_frame_and_a_mapping():
    frame = pd.DataFrame({**{f"y_{i}": TRUTH[:, i] for i in range(3)}, **{f"p_{i}": SCORES[:, i] for i in range(3)}})
    named = {f"y_{i}": f"p_{i}" for i in range(3)}
    by_frame = cl.one_vs_rest(list(named), named, data=frame)
    by_mapping = cl.one_vs_rest(TRUTH, {name: SCORES[:, i] for i, name in enumerate("abc")})

    assert by_frame.value("auc") == by_mapping.value("auc") == FOUND.value("auc")
    assert list(by_frame) == ["y_0", "y_1", "y_2"]
    assert list(by_mapping) == ["a", "b", "c"]


def test_the_summary_has_all_of_it():
    rows = {(row["measure"], row["of"]): row for row in FOUND.summary(resamples=50)}

    assert rows["hamming_loss", "cases"]["low"] < FOUND.value("hamming_loss") < rows["hamming_loss", "cases"]["high"]
    assert rows["f1", "b"]["value"] == pytest.approx(FOUND.each("f1")["b"])
    assert len(rows) == 2 + 5 * (3 + 3)


@pytest.mark.parametrize(
    ("labels", "given", "words"),
    [
        ([[1, 2], [0, 1]], {}, "labels has several columns, but not of 0 and 1 alone"),
        (TRUTH[:5], {}, "labels is 5 x 3 but scores is 300 x 3: pass equal shapes"),
        (TRUTH, {"weights": np.ones(300)}, "weights does not go with several labels of a case"),
        (TRUTH, {"missing": "drop"}, "missing does not go with several labels of a case"),
        (TRUTH, {"classes": ["a", "b"]}, "classes names 2 of 3 labels"),
    ],
)
def test_what_cannot_be_is_refused(labels, given, words):
    scores = SCORES if len(labels) != 2 else [[0.5, 0.5], [0.1, 0.2]]
    with pytest.raises(cl.CutlineError, match=words):
        cl.one_vs_rest(labels, scores, **given)


def test_a_label_that_no_case_has_makes_the_macro_mean_undefined():
    found = cl.one_vs_rest([[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.3, 0.1], [0.8, 0.4]])
    estimate = found.estimate("auc")

    assert np.isnan(estimate.value)
    assert "label 1 has no value" in estimate.notes[0]
    assert found.value("auc", "weighted") == 1.0


def test_a_column_of_text_among_the_labels_is_refused_by_its_name() -> None:
    data = {"a": [1, 0, 1], "kind": ["x", "y", "x"], "pa": [0.9, 0.2, 0.7], "pb": [0.1, 0.3, 0.6]}
    with pytest.raises(cl.InputError, match="Column 'kind' is not of 0 and 1 alone: name columns that hold 0/1"):
        cl.one_vs_rest(["a", "kind"], ["pa", "pb"], data=pd.DataFrame(data))
