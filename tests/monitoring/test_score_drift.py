"""Drift of scores between two periods, with and without labels."""

import json

import numpy as np
import pytest

import cutline as cl

rng = np.random.default_rng(3)
JANUARY, FEBRUARY, MOVED = rng.beta(2, 5, 3000), rng.beta(2, 5, 2000), rng.beta(3, 5, 2000)


def labelled(scores, seed, threshold=0.4):
    return cl.evaluate(
        (np.random.default_rng(seed).random(len(scores)) < scores).astype(int), scores, threshold=threshold
    )


def test_unchanged_scores_have_not_drifted_and_moved_ones_have():
    same, moved = cl.drift(JANUARY, FEBRUARY, cut=0.4), cl.drift(JANUARY, MOVED, cut=0.4)

    assert (same.drifted, moved.drifted) == (False, True)
    assert same.verdict.startswith("No evidence that the scores have drifted: PSI ")
    assert "without drift it exceeds 0.0141 in 5 % of such samples" in moved.verdict
    assert moved.flagged == ((JANUARY >= 0.4).mean(), (MOVED >= 0.4).mean())


def test_bins_are_quantiles_of_the_reference_and_add_up():
    result = cl.drift(JANUARY, MOVED)
    table = result.table

    assert [row[2] for row in table.rows] == pytest.approx([0.1] * 10)
    assert sum(row[3] for row in table.rows) == pytest.approx(1)
    assert sum(row[4] for row in table.rows) == pytest.approx(result.psi.value)
    assert sum(table.rows[0][1] > MOVED) / 2000 == table.rows[0][3]


def test_labels_add_the_differences_of_measures():
    before, after = labelled(JANUARY, 1), labelled(MOVED, 2)
    result = cl.drift(before, after, names=("January", "March"))
    recall = next(row for row in result.performance if row["measure"] == "recall")

    assert recall["difference"] == pytest.approx(after.recall - before.recall)
    assert recall["low"] < recall["difference"] < recall["high"]
    assert result.cut == 0.4
    assert "easures that differ" in result.verdict or "No measure differs" in result.verdict
    assert cl.drift(JANUARY, MOVED).performance is None


def test_a_gate_on_differences():
    before, after = labelled(JANUARY, 1), labelled(JANUARY, 1)
    odds = JANUARY / (1 - JANUARY) * np.exp(-1.5)
    worse = cl.evaluate((np.random.default_rng(2).random(3000) < odds / (1 + odds)).astype(int), JANUARY, threshold=0.4)

    assert [row["passed"] for row in cl.drift(before, after).no_worse(["auc", "fpr"])] == [True, True]
    assert [row["passed"] for row in cl.drift(before, worse).no_worse(["precision", "brier"])] == [False, True]
    assert [row["passed"] for row in cl.drift(before, after).no_worse("auc", margin=0.001)] == [False]
    assert [row["passed"] for row in cl.drift(before, after).no_worse("auc", margin=0.2)] == [True]
    with pytest.raises(cl.InputError, match="only if both periods have labels"):
        cl.drift(JANUARY, MOVED).no_worse("auc")


def test_rankings_and_files_give_the_same(tmp_path):
    before, after = labelled(JANUARY, 1), labelled(MOVED, 2)
    before.ranking.save(tmp_path / "jan.ranking")
    for name, scores in (("jan", JANUARY), ("mar", MOVED)):
        lines = "\n".join(repr(float(score)) for score in scores)
        (tmp_path / f"{name}.csv").write_text(f"p\n{lines}\n")
    whole = cl.drift(JANUARY, MOVED)

    assert cl.drift(tmp_path / "jan.ranking", after).psi == whole.psi
    files = cl.drift(tmp_path / "jan.csv", tmp_path / "mar.csv", score="p")
    assert files.psi == whole.psi
    assert (files.reference.name, files.sample.name) == ("jan", "mar")
    with pytest.raises(cl.ParameterError, match="score is missing: name the column"):
        cl.drift(tmp_path / "jan.csv", tmp_path / "mar.csv")


def test_scores_that_fall_are_compared_too():
    turned = [cl.rank([0, 1] * (len(scores) // 2), -scores, higher_is_positive=False) for scores in (JANUARY, MOVED)]
    result = cl.drift(*turned, cut=-0.4)

    assert result.psi == cl.drift(JANUARY, MOVED).psi
    assert result.flagged == cl.drift(JANUARY, MOVED, cut=0.4).flagged


def test_document_and_files(tmp_path):
    result = cl.drift(JANUARY, MOVED, cut=0.4)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))

    assert document["drifted"] is True
    assert document["psi"]["critical"] == result.psi.critical
    result.save(tmp_path / "drift.json")
    assert json.loads((tmp_path / "drift.json").read_text()) == document
    result.save(tmp_path / "bins.csv")
    assert len((tmp_path / "bins.csv").read_text().splitlines()) == 11


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (([], JANUARY), "reference has no scores"),
        ((JANUARY, [0.1, float("nan")]), "sample has missing scores"),
        ((JANUARY, cl.rank([0, 1], [1, 2], higher_is_positive=False)), "run in opposite directions"),
    ],
)
def test_refusals(given, sentence):
    with pytest.raises(cl.CutlineError, match=sentence):
        cl.drift(*given)
