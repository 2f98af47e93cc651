"""`cutline gains` and `cutline utility`: the tables of Python, as text, CSV and charts."""

import csv
import io
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import cutline as cl

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def cases(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.random(200) < 0.3
    one, two = (np.round(1 / (1 + np.exp(-(rng.normal(size=200) + a * labels - 1))), 3) for a in (2.0, 1.0))
    path = tmp_path / "cases.csv"
    rows = [f"{int(y)},{p},{q}" for y, p, q in zip(labels, one, two, strict=True)]
    path.write_text("y,p,q\n" + "\n".join(rows) + "\n")
    return path, labels, one, two


def test_the_gains_table_is_that_of_python(cutline, cases):
    path, labels, one, _ = cases
    expected = cl.evaluate(labels, one).gains(5)

    shown = cutline("gains", path, "--label", "y", "--score", "p", "--portions", 5, "-o", "gains.csv")
    printed = cutline("gains", path, "--label", "y", "--score", "p", "--portions", 5, "--csv")

    assert shown.code == printed.code == 0
    assert "Largest distance at the end of a portion" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    assert printed.out == expected.to_csv() == Path("gains.csv").read_text()


def test_portions_may_end_at_shares_that_are_named(cutline, cases):
    path, labels, one, _ = cases
    read = (path, "--label", "y", "--score", "p")

    done = cutline("gains", *read, "--shares", "0.01,0.05,0.1", "--csv")
    both = cutline("gains", *read, "--shares", "0.1", "--portions", 4)
    words = cutline("gains", *read, "--shares", "a tenth")

    assert done.out == cl.evaluate(labels, one).gains([0.01, 0.05, 0.1]).to_csv()
    assert (both.code, words.code) == (2, 2)
    assert "pass one of them" in " ".join(both.err.split())
    assert "such as 0.01,0.05,0.1" in " ".join(words.err.split())
    assert cutline("gains", *read, "--shares", "0.1,0.5", "-o", "gains.svg").code == 0


def test_the_json_of_both_commands_is_that_of_python(cutline, cases):
    path, labels, one, two = cases
    ev = cl.evaluate(labels, one)
    read = (path, "--label", "y", "--score", "p", "--json")

    gains = json.loads(cutline("gains", *read, "--portions", 4).out)
    curve = json.loads(cutline("utility", *read, "--risk", 0.2, "--risk", 0.4).out)
    asked = ("--kind", "difference", "--score", "q", "--risk", 0.2, "--prevalence", 0.1, "--resamples", 100)
    difference = json.loads(cutline("utility", *read, *asked).out)

    assert gains["portions"] == ev.gains(4).to_dict()
    assert gains["ks"] == ev.gains(4).ks
    assert curve == cl.decision_curve(ev, [0.2, 0.4]).to_dict()
    cmp = cl.compare(labels, {"p": one, "q": two})
    assert difference == cl.decision_difference(cmp, "p", "q", [0.2], prevalence=0.1, resamples=100).to_dict()
    asked = ("--kind", "profit", "--value", 5, "--cost", 1, "--resamples", 150)
    profit = json.loads(cutline("utility", *read, *asked).out)
    assert profit["columns"]["threshold"][0] is None  # of flagging nobody, infinite
    for document in (gains, curve, difference, profit):
        jsonschema.validate(document, SCHEMA)


def test_one_thing_is_printed(cutline, cases):
    done = cutline("gains", cases[0], "--label", "y", "--score", "p", "--json", "--csv")

    assert done.code == 2
    assert "both print to standard output" in done.err


@pytest.mark.parametrize(
    ("options", "curve"),
    [
        (
            ("--kind", "profit", "--value", 5, "--cost", 1),
            lambda ev: cl.profit_curve(ev, value=5, cost=1, resamples=150),
        ),
        (("--kind", "cost"), cl.cost_curve),
        (("--kind", "brier"), cl.brier_curve),
        (("--risk", 0.1, "--risk", 0.3), lambda ev: cl.decision_curve(ev, [0.1, 0.3], resamples=150)),
        (
            ("--kind", "avoided", "--prevalence", 0.1),
            lambda ev: cl.decision_curve(ev, kind="interventions_avoided", prevalence=0.1, resamples=150),
        ),
    ],
)
def test_a_curve_of_utility_is_that_of_python(cutline, cases, options, curve):
    path, labels, one, _ = cases

    done = cutline("utility", path, "--label", "y", "--score", "p", "--resamples", 150, "--csv", *options)

    assert done.code == 0
    assert done.out == curve(cl.evaluate(labels, one)).table.to_csv()


def test_the_difference_of_two_models_has_an_interval_and_a_test(cutline, cases):
    path, labels, one, two = cases
    common = ("utility", path, "--label", "y", "--kind", "difference", "--resamples", 100)

    done = cutline(*common, "--score", "p", "--score", "q", "--risk", 0.3, "--csv")
    [row] = csv.DictReader(io.StringIO(done.out))

    cmp = cl.compare(labels, {"p": one, "q": two})
    expected = cl.decision_difference(cmp, "p", "q", [0.3], resamples=100)
    assert float(row["difference"]) == expected["difference"][0]
    assert (float(row["low"]), float(row["p_value"])) == (expected["low"][0], expected["p_value"][0])


def test_charts_are_written_and_wrong_wishes_refused(cutline, cases, tmp_path):
    path, *_ = cases
    common = ("--label", "y", "--score", "p")

    assert cutline("gains", path, *common, "-o", "gains.svg").code == 0
    assert "<svg" in Path("gains.svg").read_text()
    assert cutline("utility", path, *common, "--kind", "brier", "-o", "brier.svg").code == 0
    for wrong, words in (
        (("--kind", "profit"), "needs --value and --cost"),
        (("--kind", "brier", "--value", 3), "--value says nothing about --kind brier"),
        (("--kind", "cost", "--score", "q"), "--score is given 2 times"),
        (("--kind", "brier", "-o", "brier.txt"), "ends in .csv"),
        (("--kind", "brier", "-o", "brier.svg"), "exists"),
    ):
        done = cutline("utility", path, *common, *wrong)
        assert done.code == 2
        assert words in " ".join(done.err.split()), done.err


def test_refusals_name_the_options(cutline, cases):
    path, *_ = cases
    common = (path, "--label", "y", "--score", "p")

    portions, risk = cutline("gains", *common, "--portions", 0), cutline("utility", *common, "--risk", 2)

    assert portions.err.startswith("cutline: --portions is 0")
    assert risk.err.startswith("cutline: --risk holds values outside 0 and 1")


def test_gains_of_scores_that_rank_the_other_way_round_are_questioned(cutline, cases):
    read = (cases[0], "--label", "y", "--score", "p")
    assert "! The AUC is below 0.5." not in cutline("gains", *read).err
    assert "leave --lower-is-positive" in cutline("gains", *read, "--lower-is-positive").err


@pytest.mark.parametrize(("quiet", "said"), [([], "! "), (["--quiet"], "")])
def test_a_reversed_list_is_said_unless_it_is_quiet(cutline, tmp_path, quiet, said):
    (tmp_path / "x.csv").write_text("y,p\n" + "0,0.9\n0,0.8\n1,0.2\n1,0.1\n" * 10)
    done = cutline("gains", "x.csv", "--label", "y", "--score", "p", *quiet)

    assert (done.code, done.err[:2]) == (0, said)
