"""Two files, two numbers: the difference between them is named, with what it does to the measure."""

from dataclasses import replace

import numpy as np
import pytest

import cutline as cl
from cutline.ledger.cases import Rows
from cutline.ledger.quantity import parse_quantity
from cutline.ledger.two_files import compare_files

RNG = np.random.default_rng(5)
LABELS = RNG.random(200) < 0.3
SCORES = 1 / (1 + np.exp(-(RNG.normal(size=200) + 1.2 * LABELS - 1)))
FIRST = Rows(LABELS, SCORES)
NAMES = ("a.csv", "b.csv")


def between(second, first=FIRST, measure="auc", ids=None):
    return compare_files(first, second, parse_quantity(measure), NAMES, 0.5, ids)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.round(SCORES, 4), "The scores of the second file are those of the other rounded to 4 decimals"),
        (np.round(SCORES, 2), "The scores of the second file are those of the other rounded to 2 decimals"),
        (SCORES.astype(np.float32).astype(float), "rounded to 32-bit numbers"),
        (1 - SCORES, "The scores of the second file are 1 minus those of the first"),
        (-SCORES, "The scores of the second file are the negatives of those of the first"),
    ],
)
def test_scores_that_follow_from_the_others_are_explained(scores, words):
    found = between(replace(FIRST, scores=scores))

    assert len(found.steps) == 1
    assert words in found.steps[0].words
    assert found.values == (cl.auc(LABELS, SCORES), cl.auc(LABELS, scores))
    assert found.steps[0].after == found.values[1]


def test_exchanged_labels_explain_the_complement():
    found = between(replace(FIRST, is_positive=~LABELS))

    assert [step.words for step in found.steps] == ["The labels are exchanged"]
    assert found.values[1] == pytest.approx(1 - found.values[0])
    assert found.sentences[-1] == "This explains the whole difference."


def test_rows_that_are_missing_are_counted():
    found = between(FIRST.select(np.arange(20, 200)))

    assert found.steps[0].words == "20 rows of a.csv are missing in b.csv"
    assert found.steps[0].after == cl.auc(LABELS[20:], SCORES[20:])


def test_duplicates_are_counted():
    doubled = FIRST.select(np.concatenate((np.arange(200), np.arange(30))))

    found = between(doubled)

    assert found.steps[0].words == "30 rows of b.csv are duplicates of others, which the other file lacks"


def test_weights_that_differ_are_named_and_rows_in_another_order_are_matched():
    weights = np.where(np.arange(200) < 10, 2.0, 1.0)

    found = between(replace(FIRST, weights=weights), replace(FIRST, weights=np.ones(200)))

    assert [step.words for step in found.steps] == ["The weights of 10 rows differ"]
    assert found.values[1] == cl.auc(LABELS, SCORES, weights)


def test_the_order_inside_ties_matters_only_to_tools_that_keep_it():
    labels, scores = np.array([True, False, True, False]), np.array([0.5, 0.5, 0.9, 0.1])
    found = between(Rows(labels[[1, 0, 2, 3]], scores[[1, 0, 2, 3]]), Rows(labels, scores))

    assert found.steps == ()
    assert found.values[0] == found.values[1] == 7 / 8
    assert "gives 1 and 0.75" in found.order


def test_several_differences_are_taken_one_by_one():
    found = between(
        replace(FIRST, scores=np.round(SCORES, 1), is_positive=np.where(np.arange(200) < 3, ~LABELS, LABELS))
    )

    assert [step.words.split(" of ")[0] for step in found.steps] == ["The labels", "The scores"]
    assert found.steps[0].before == found.values[0]
    assert found.steps[0].after == found.steps[1].before
    assert found.steps[1].after == found.values[1]
    assert found.main is not None


def test_cases_are_matched_by_their_ids():
    ids = np.arange(200)
    order = RNG.permutation(200)[:150]

    found = between(replace(FIRST, scores=np.round(SCORES, 2)).select(order), ids=(ids, ids[order]))

    assert [step.words for step in found.steps] == [
        "50 rows of a.csv are not in b.csv",
        "The scores of the second file are those of the other rounded to 2 decimals",
    ]
    assert found.steps[-1].after == pytest.approx(found.values[1])


def test_rows_that_do_not_match_need_an_id():
    with pytest.raises(cl.InputError, match="do not match by their labels and scores: pass --id"):
        between(Rows(LABELS[:150], SCORES[:150] + 0.01))
    with pytest.raises(cl.InputError, match="no case in common"):
        between(FIRST, ids=(np.arange(200), np.arange(200) + 1000))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda y, s: (y, np.round(s, 3)),
            "The scores of the second file are those of the other rounded to 3 decimals",
        ),
        (lambda y, s: (y, s.astype(np.float32).astype(str).astype(float)), "rounded to 32-bit numbers"),
        (lambda y, s: (~y, s), "The labels are exchanged"),
        (lambda y, s: (y, 1 - s), "The scores of the second file are 1 minus those of the first"),
    ],
)
def test_rows_in_another_order_are_matched_although_they_were_changed(change, words):
    labels, scores = change(LABELS, SCORES)
    order = np.random.default_rng(8).permutation(200)

    found = between(Rows(labels, scores).select(order))

    assert len(found.steps) == 1
    assert words in found.steps[0].words
    assert found.steps[0].after == pytest.approx(found.values[1])
    assert found.order == "The rows stand in another order, and were matched by what they hold."


def test_rows_that_are_missing_from_a_rounded_file_are_counted_in_both_directions():
    part = replace(FIRST, scores=np.round(SCORES, 4)).select(np.random.default_rng(8).permutation(200)[:170])

    forth, back = between(part), between(FIRST, part)

    assert [step.words for step in forth.steps] == [
        "30 rows of a.csv are missing in b.csv",
        "The scores of the second file are those of the other rounded to 4 decimals",
    ]
    assert [step.words for step in back.steps] == [
        "The scores of the first file are those of the other rounded to 4 decimals",
        "30 rows of b.csv are missing in a.csv",
    ]
    assert forth.values == back.values[::-1]


def test_rows_in_another_order_with_other_scores_need_an_id():
    order = np.random.default_rng(8).permutation(200)
    moved = replace(FIRST, scores=SCORES + 0.001 * np.sin(np.arange(200)))

    with pytest.raises(cl.InputError, match="do not match by their labels and scores: pass --id"):
        between(moved.select(order))
    assert len(between(moved).steps) == 1  # in the same order they need none
