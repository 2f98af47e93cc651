"""Expected measures without labels, and what they cannot see."""

import json

import numpy as np
import pytest

import cutline as cl

TEN = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def test_ten_cases():
    result = cl.expected(TEN, threshold=0.55)
    counts = result.at()

    assert [round(getattr(counts, cell), 9) for cell in ("tp", "fp", "fn", "tn")] == [3.1, 0.9, 1.8, 4.2]
    assert round(result.auc, 6) == 0.806122
    assert round(result.accuracy_error, 6) == 0.133417


def test_it_is_the_weighted_evaluation_of_both_labels():
    p = np.array(TEN)
    weighted = cl.evaluate(np.r_[np.ones(10), np.zeros(10)], np.r_[p, p], weights=np.r_[p, 1 - p], threshold=0.55)
    result = cl.expected(p, threshold=0.55)

    for measure in ("auc", "recall", "precision", "brier", "average_precision"):
        assert result.value(measure) == pytest.approx(weighted.value(measure))


def test_intervals_hold_the_truth_while_the_probabilities_are_right_and_not_after():
    rng = np.random.default_rng(4)
    p = rng.beta(1, 2, 2000)
    table = {row["measure"]: row for row in cl.expected(p, simulations=300).table}

    def held(probability):
        values = [cl.evaluate((rng.random(2000) < probability).astype(int), p).accuracy for _ in range(40)]
        return np.mean([table["accuracy"]["low"] <= value <= table["accuracy"]["high"] for value in values])

    odds = p / (1 - p) * np.exp(-1)
    assert held(p) > 0.8
    assert held(odds / (1 + odds)) < 0.1


def test_it_always_says_what_it_cannot_see():
    result = cl.expected(TEN)

    assert "cannot see a change of what scores mean" in repr(result)
    assert "cannot see a change of what scores mean" in result.verdict
    assert "cannot see a change of what scores mean" in json.loads(json.dumps(result.to_dict()))["note"]
    assert not hasattr(result, "alarms")


def test_rankings_are_read_without_their_labels():
    assert cl.expected(cl.rank([0, 1] * 5, TEN)).auc == cl.expected(TEN).auc


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ([0.5, 1.5], "scores holds 1.5, which is not a probability"),
        ([-0.5, 0.5], "scores holds -0.5, which is not a probability"),
        ([], "scores has no or missing values"),
        (cl.rank([0, 1], [0.1, 0.2], higher_is_positive=False), "pass probabilities"),
    ],
)
def test_refusals(scores, sentence):
    with pytest.raises(cl.CutlineError, match=sentence):
        cl.expected(scores)
