"""`cutline evaluate --fold`, `cutline compare --fold` and `cutline datasets`."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import cutline as cl

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(0)
LABELS = np.tile([1, 0], 100)
FOLDS = np.arange(200) // 2 % 5
SCORES = {"a": RNG.normal(LABELS, 1).round(4), "b": RNG.normal(0.5 * LABELS, 1).round(4)}


@pytest.fixture
def oof(tmp_path):
    path = tmp_path / "oof.csv"
    rows = zip(LABELS, *SCORES.values(), FOLDS, strict=True)
    path.write_text("y,a,b,fold\n" + "".join(f"{y},{a},{b},{k}\n" for y, a, b, k in rows))
    return path


def test_evaluate_shows_the_means_over_folds_and_writes_the_report(cutline, oof, tmp_path):
    page = tmp_path / "folds.html"
    asked = ("evaluate", oof, "--label", "y", "--score", "a", "--fold", "fold", "--measures", "auc,recall")
    done = cutline(*asked, "--json", "--html", page)
    found = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    own = cl.evaluate(LABELS, SCORES["a"], folds=FOLDS)
    assert found["measures"][0]["value"] == own.auc
    assert found["cross_validation"] == {"folds": 5, "repeats": 1}
    assert "slightly pessimistic" in page.read_text()
    assert "slightly pessimistic" in " ".join(cutline(*asked).out.split())


def test_compare_tests_the_differences_over_folds(cutline, oof):
    asked = ("compare", oof, "--label", "y", "--score", "a", "--score", "b", "--fold", "fold", "--rope", "0.01")
    found = json.loads(cutline(*asked, "--json").out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    own = cl.compare_folds(LABELS, SCORES, FOLDS).test("auc", rope=0.01)
    assert found["tests"][0]["p_value"] == own.p_value
    assert own.verdict in cutline(*asked).out


def test_datasets_prints_the_ranks_and_the_verdict(cutline, tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("data,a,b,c\n" + "".join(f"d{i},{0.9 - i / 100},{0.8 - i / 90},{0.7 - i / 80}\n" for i in range(8)))
    done = cutline("datasets", path)
    assert "Best mean rank: a (1.00 of 3)." in done.out
    found = json.loads(cutline("datasets", path, "--json", "--test", "nemenyi").out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["mean_ranks"] == {"a": 1, "b": 2, "c": 3}
    turned = json.loads(cutline("datasets", path, "--json", "--lower-is-better").out)
    assert turned["mean_ranks"] == {"a": 3, "b": 2, "c": 1}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--repeat", "fold"), "--repeat is given without --fold"),
        (("--fold", "fould"), "no column 'fould'"),
        (("--fold", "fold", "--by", "b"), "--fold cannot be combined with --by"),
        (("--fold", "fold", "--resamples", "200"), "--fold cannot be combined with --resamples"),
        (("--fold", "y"), "only one class"),
    ],
)
def test_refusals_of_evaluate_are_one_sentence(cutline, oof, more, words):
    done = cutline("evaluate", oof, "--label", "y", "--score", "a", *more, "--measures", "recall")
    assert words in " ".join((done.out + done.err).split())
    assert done.code == (0 if words == "only one class" else 2)
