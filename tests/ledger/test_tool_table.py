"""What each tool would say: those that agree together, and why the others differ."""

import numpy as np
import pytest

import cutline as cl
from cutline.ledger.cases import Material, Rows
from cutline.ledger.tool_table import tabulate_tools
from cutline.ledger.tools import TOOLS

LABELS = np.array([1, 0, 1, 0, 0])
SCORES = np.array([0.9, 0.5, 0.5, 0.4, 0.2])


def table(measures=("auc", "recall"), weights=None):
    return tabulate_tools(Material.of_rows(Rows(LABELS == 1, SCORES, weights), 0.5), measures)


def test_every_tool_that_has_the_measure_says_one_number():
    found = table(("auc",))

    said = [name for one in found.sayings for name in one.tools if name != "cutline"]
    assert sorted(said) == sorted(name for name, tool in TOOLS.items() if tool.entry("auc"))
    assert found.sayings[0].is_exact
    assert found.sayings[0].value == cl.auc(LABELS, SCORES)


def test_the_reason_names_what_makes_the_difference_and_nothing_else():
    recall = {one.why: one for one in table(("recall",)).sayings}

    strict = recall["with score > threshold instead of score >= threshold"]
    assert strict.value == 0.5  # one of two positives is above 0.5
    assert {"scikit-learn", "torchmetrics", "Keras"} <= set(strict.tools)
    assert "undefined" not in strict.why


def test_tools_that_were_not_run_have_a_star():
    weka = next(one for one in table(("brier",)).sayings if "Weka" in one.tools)

    assert "Weka*" in weka.words
    assert "Weka" in table(("brier",)).documented


def test_a_table_fits_on_a_screen_and_is_plain_data():
    found = tabulate_tools(Material.of_rows(Rows(LABELS == 1, SCORES), 0.5))

    assert len(found.table.rows) <= 24
    assert all(len(words) <= 50 for *_, words in found.table.rows)
    assert any(words.endswith(" more") for *_, words in found.table.rows)  # of many that agree, a few are named
    assert all("more" not in names for *_, names, _ in found.full_table.rows)
    document = found.to_dict()
    assert document["schema"] == "cutline/tools/1"
    assert document["sayings"][0]["tools"][0] == "cutline"


def test_scores_that_are_not_probabilities_have_no_measures_of_these():
    found = tabulate_tools(Material.of_rows(Rows(LABELS == 1, 100 * SCORES), 50.0))

    assert {one.measure for one in found.sayings} == {"auc", "average_precision", "f1"}


def test_a_report_shows_it_on_request(tmp_path):
    ev = cl.evaluate(LABELS, SCORES)

    ev.save(tmp_path / "tools.html", template="tools", resamples=0)

    page = (tmp_path / "tools.html").read_text(encoding="utf-8")
    assert '<section id="tools"' in page
    assert "What would other tools say?" in page
    with pytest.raises(cl.ParameterError, match=r"on the page \(.html\) of one model"):
        ev.save(tmp_path / "tools.json", template="tools")
