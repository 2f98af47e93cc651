"""`cutline why`: where a number comes from, what tools say, and why two files differ."""

import numpy as np
import pytest

import cutline as cl

from .test_cli_evaluate import document

RNG = np.random.default_rng(7)
LABELS = (RNG.random(150) < 0.3).astype(int)
SCORES = np.round(1 / (1 + np.exp(-(RNG.normal(size=150) + 1.2 * LABELS - 1))), 4)
OTHER = np.round(np.clip(SCORES + 0.3 * np.sin(np.arange(150)), 0, 1), 4)
COLUMNS = ("--label", "y", "--score", "p")


@pytest.fixture
def cases(tmp_path):
    def written(name, scores=SCORES, labels=LABELS):
        rows = [f"{i},{y},{p},{q}" for i, (y, p, q) in enumerate(zip(labels, scores, OTHER, strict=False))]
        (tmp_path / name).write_text("id,y,p,q\n" + "\n".join(rows) + "\n")
        return tmp_path / name

    return written


def test_the_convention_behind_a_number_is_named(cutline, cases):
    doubled = 2 * cl.brier(LABELS, SCORES)

    done = cutline("why", cases("a.csv"), *COLUMNS, "--measure", "brier", "--value", f"{doubled:.6f}")

    assert done.code == 0
    assert "as a sum over both classes, from 0 to 2" in " ".join(done.out.split())


def test_json_is_the_document_of_the_answer(cutline, cases):
    value = f"{2 * cl.auc(LABELS, SCORES) - 1:.6f}"

    found = document(cutline("why", cases("a.csv"), *COLUMNS, "--measure", "auc", "--value", value, "--json"))

    assert found == cl.why(LABELS, SCORES, measure="auc", value=value).to_dict()
    assert found["explanations"][0]["sides"] == ["gini"]


def test_what_a_tool_would_print_is_one_number(cutline, cases):
    path = cases("a.csv")

    done = cutline("why", path, *COLUMNS, "--measure", "auc", "--as", "keras")
    same = document(cutline("why", path, *COLUMNS, "--measure", "auc", "--as", "keras", "--json"))

    expected = cl.value_as(cl.evaluate(LABELS, SCORES), "auc", "keras")
    assert float(done.out) == expected == same["value"]
    assert same["tool"] == "Keras"
    assert done.err.strip() == "(Keras 3.15.1; AUC)"


def test_a_tool_that_was_not_run_says_so_beside_its_number(cutline, cases):
    path = cases("a.csv")

    done = cutline("why", path, *COLUMNS, "--measure", "auc", "--as", "bigquery")
    same = document(cutline("why", path, *COLUMNS, "--measure", "auc", "--as", "h2o", "--json"))

    assert "not run: by its documentation" in " ".join(done.err.split())
    assert same["how"] == "run"
    assert "more than 400 distinct scores" in same["note"]


def test_what_each_tool_would_say_fits_on_a_screen(cutline, cases):
    path = cases("a.csv")

    done = cutline("why", path, *COLUMNS, "--tools")
    same = document(cutline("why", path, *COLUMNS, "--tools", "--json"))

    assert len(done.out.splitlines()) <= 28
    assert "* not run: from the tool's documentation. All others were run." in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert {"auc", "average_precision", "log_loss"} <= {one["measure"] for one in same["sayings"]}


def test_two_files_are_compared(cutline, cases):
    paths = cases("a.csv"), cases("b.csv", np.round(SCORES, 1))

    done = cutline("why", *paths, *COLUMNS)
    same = document(cutline("why", *paths, *COLUMNS, "--measure", "average_precision", "--id", "id", "--json"))

    assert "rounded to 1 decimals" in " ".join(done.out.split())
    assert same["values"][1] == pytest.approx(cl.average_precision(LABELS, np.round(SCORES, 1)))


def test_a_test_of_two_models_takes_two_scores(cutline, cases):
    test = cl.compare(LABELS, {"p": SCORES, "q": OTHER}).test("accuracy", method="mcnemar_exact")

    done = cutline(
        "why", cases("a.csv"), *COLUMNS, "--score", "q", "--measure", "mcnemar", "--value", f"{test.p_value:.8f}"
    )

    assert "by the exact binomial test" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Pass exactly one of --value, --tools or --as (got none)"),
        (("--tools", "--value", "0.5"), "Pass exactly one of --value, --tools or --as (got --value and --tools)"),
        (("--as", "keras"), "--as needs the measure"),
        (("--as", "kers", "--measure", "auc"), "Did you mean Keras?"),
        (("--value", "x"), "--value is 'x': pass the number that was printed"),
        (("--value", "700", "--measure", "auc"), "--value is 700, but auc runs from 0 to 1"),
        (("--value", "0.5", "--measure", "acu"), "Did you mean auc?"),
        (("--value", "0.5", "--id", "id"), "--id joins two files"),
        (("--value", "0.5", "--weights-are", "counts"), "--weights-are is about intervals"),
        (("--value", "0.5", "--measure", "mcnemar"), "mcnemar compares two models"),
        (("--value", "0.5", "--training-prevalence", "3"), "--training-prevalence is 3: pass a share between 0 and 1"),
        (("--tools", "--digits", "3"), "--digits is about --value"),
        (("--tools", "--training-prevalence", "0.3"), "--training-prevalence is about --value"),
        (("--tools", "--group", "id"), "--group is about --value"),
        (("--tools", "--score", "q"), "Two --score are for a test of two models"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(cutline, cases, options, words):
    done = cutline("why", cases("a.csv"), *COLUMNS, *options)

    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_more_than_two_files_are_refused(cutline, cases):
    path = cases("a.csv")

    assert "3 files are given" in cutline("why", path, path, path, *COLUMNS).err
    assert "--value is about one file" in cutline("why", path, path, *COLUMNS, "--value", "0.5").err
