"""A measure is shown under the name it was asked for, in every view; without an alias nothing changes."""

import csv
import io
import json

import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.measures.aliases import use_alias
from grouping import each_case

LABELS = [1, 0, 1, 0, 0, 1, 1, 0]
SCORES = [0.9, 0.2, 0.7, 0.6, 0.1, 0.4, 0.8, 0.3]
OTHER = SCORES[1:] + SCORES[:1]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,p,q\n" + "".join(f"{y},{p},{q}\n" for y, p, q in zip(LABELS, SCORES, OTHER, strict=True)))
    return path


def run(capsys, *arguments):
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def test_an_alias_is_the_name_of_its_row_and_the_own_name_still_finds_it():
    found = cl.evaluate(LABELS, SCORES).summary(["sensitivity", "auroc"])
    assert [row["measure"] for row in found] == ["sensitivity", "auroc"]
    assert found["sensitivity"] is found["recall"]
    assert found["recall"].key == "recall"
    assert found["auroc"].title == "AUROC"
    assert "recall" not in repr(found)


def test_parameters_stay_beside_the_alias():
    found = cl.evaluate(LABELS, SCORES).summary([("ppv", {"quota": 2})])
    assert [row.name for row in found.rows] == ["ppv(quota=2)"]
    assert [row.key for row in found.rows] == ["precision(quota=2)"]


def test_estimates_and_tests_keep_the_requested_alias():
    ev = cl.evaluate(LABELS, SCORES)
    assert repr(ev.estimate("sensitivity")).startswith("sensitivity 0.7500 [")
    assert ev.estimate("recall").measure == "recall"
    both = cl.compare(LABELS, {"a": SCORES, "b": OTHER})
    assert repr(both.test("sensitivity")).startswith("sensitivity: a - b")
    assert repr(both.difference("tpr")).startswith("tpr: a - b")
    apart = cl.compare_independent(ev, cl.evaluate(LABELS, OTHER))
    assert apart.difference("auroc").measure.startswith("auroc: ")


def test_terminal_json_csv_gates_and_page_show_it(capsys, file, tmp_path):
    given = (file, "--label", "y", "--score", "p", "--measures", "sensitivity,auroc")
    page = tmp_path / "x.html"
    code, out = run(capsys, "evaluate", *given, "--json", "--html", page, "--resamples", "0")
    assert code == 0
    assert [row["measure"] for row in json.loads(out)["measures"]] == ["sensitivity", "auroc"]
    assert "Sensitivity" in page.read_text()
    rows = list(csv.DictReader(io.StringIO(run(capsys, "evaluate", *given, "--csv")[1])))
    assert [row["measure"] for row in rows] == ["sensitivity", "auroc"]
    shown = run(capsys, "evaluate", *given)[1]
    assert "Sensitivity" in shown
    assert "Recall" not in shown
    gate = run(capsys, "check", *given[:5], "--require", "sensitivity >= 0.5", "--json")[1]
    assert json.loads(gate)["results"][0]["requirement"] == "sensitivity >= 0.5"


def test_a_comparison_shows_it_too(capsys, file):
    given = (file, "--label", "y", "--score", "p", "--score", "q", "--measures", "sensitivity,auroc")
    found = json.loads(run(capsys, "compare", *given, "--json")[1])
    assert [row["measure"] for row in found["differences"]] == ["sensitivity", "auroc"]
    assert [row["measure"] for row in found["models"]["p"]["measures"]] == ["sensitivity", "auroc"]
    shown = run(capsys, "compare", *given)[1]
    assert "Sensitivity" in shown
    assert "0.7500" in shown  # the values of each model stand beside it


@each_case("measure", [measure for measure in cl.MEASURES if measure.aliases], ids=str)
def test_every_alias_names_the_same_measure(measure):
    for alias in measure.aliases:
        asked = use_alias(measure, alias)
        assert (asked.display_name, asked.name, str(asked)) == (alias, measure.name, alias)
        assert asked.function is measure.function
    assert use_alias(measure, measure.name) is measure
    assert use_alias(measure, measure) is measure
