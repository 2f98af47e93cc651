"""The page of each measure: its formula with numbers comes to its value, and what it tells people to type works."""

import doctest
import math
import re
import sys
from pathlib import Path

import pytest

from cutline.measures import MEASURES, Needs

sys.path += [str(Path(__file__).parents[2] / "docs" / name) for name in ("site", ".")]

import by_hand
import evidence
import measure_page
import symbols
import terminal

from grouping import each_case

every_measure = each_case("measure", list(MEASURES), ids=str)
OF_ONE_CUT = [measure for measure in MEASURES if measure.needs is Needs.COUNTS]


def fences(language, text):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def value_of(latex):
    """What fractions, roots and products of numbers come to."""
    text = latex.replace(r"\cdot", "*")
    while "\\" in text:
        text = re.sub(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
        text = re.sub(r"\\sqrt\{([^{}\\]*)\}", r"((\1)**0.5)", text)
    return eval(text.replace("^", "**"), {"__builtins__": {}})  # noqa: S307


@each_case("measure", OF_ONE_CUT, ids=str)
def test_the_formula_with_the_numbers_of_ten_cases_comes_to_the_value(measure):
    inserted = by_hand.substituted(measure)
    if inserted is None:
        assert r"\sum" in measure.formula
        return

    assert value_of(inserted) == pytest.approx(by_hand.ten_cases().value(measure), abs=1e-4)


@every_measure
def test_the_example_in_python_is_true(measure):
    [code] = fences("python", measure_page._in_python(measure))
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(code, {}, measure.name, None, 0), out=lambda _: None)

    assert (runner.failures, runner.tries) == (0, 4)


@pytest.mark.slow
@every_measure
def test_the_commands_of_a_page_end_well_and_print_the_value(measure):
    [code] = fences("console", measure_page._in_terminal(measure))
    commands = [line[2:] for line in code.splitlines() if line.startswith("$ ")]
    value = by_hand.ten_cases().value(measure, **by_hand.required(measure))

    assert len(commands) == 2
    assert "All requirements passed." in code
    assert (f"{value:.4f}" in code) or not math.isfinite(value) or abs(value) < 0.001 or abs(value) > 1000
    assert terminal.session([commands[1]])[0].startswith("{")


@pytest.mark.parametrize("name", ["mcc", "auc", "brier", "hit_rate", "hinge_loss"])
def test_a_page_has_all_that_is_known(name):
    text = measure_page.page(MEASURES[name], "chart.svg")
    parts = ("blind to", "reacts to prevalence, threshold and ties", "interval", "other packages", "By hand", "Python")

    assert [part for part in parts if not re.search(rf"^## .*{part}", text, flags=re.MULTILINE)] == []
    assert MEASURES[name].blind_to in text
    assert MEASURES[name].formula in text
    assert "held the true value in" in text


def test_coverage_is_that_of_the_study():
    page = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text(encoding="utf-8")
    by_measure = page.partition("## By measure")[2]
    ample, few = re.search(r"^\| mcc \| ([\d.]+) \(\d+\) \| ([\d.]+) \(", by_measure, flags=re.MULTILINE).groups()
    text = evidence.coverage(MEASURES["mcc"])

    assert f"{ample} % of" in text
    assert f"{few} % of" in text


def test_other_packages_stand_with_their_names_and_conventions():
    text = evidence.other_tools(MEASURES["average_precision"])

    assert "`average_precision_score` | as here" in text
    assert "by the trapezoid rule" in text
    assert evidence.other_tools(MEASURES["p4"]) == ""


def test_letters_of_a_formula_are_explained_once():
    told = symbols.legend(MEASURES["mcc"])

    assert [told.count(words) for words in ("true positives", "flagged cases", "cases not flagged")] == [1, 1, 1]
    assert "threshold as a risk" not in symbols.legend(MEASURES["focal_loss"])


def test_pages_say_where_slices_are_compared():
    auc, at_quota = (measure_page._by_slice(MEASURES[name]) for name in ("auc", "hit_rate"))
    assert "`cutline slices FILE --by site --measure auc`" in auc
    assert "[Compare slices](../slices.md)" in auc
    assert at_quota == ""  # which needs a quota
