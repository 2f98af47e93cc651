"""The clinical validation report: essentials first, every measure with advice, a checklist, nothing from elsewhere."""

import html
import json
import re

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.core.table import shown
from cutline.report.guidance import CHECKLIST, GUIDES


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 2, 200).round(2)
    ev = cl.evaluate(rng.random(200) < risk, risk, threshold=0.2, name="<model>", positive=True)
    path = tmp_path_factory.mktemp("clinical") / "validation.html"
    ev.save(path, template="clinical")
    return ev, path.read_text(encoding="utf-8")


def test_the_page_begins_with_the_four_essentials(page):
    ev, text = page

    assert "Validation of &lt;model&gt;" in text
    assert text.count("<figure>") == 4
    assert text.index("The four essentials") < text.index("<figure>") < text.index("All measures")
    assert f"{ev.auc:.4f}" in text


def test_all_measures_have_their_value_advice_and_source(page):
    text = page[1].partition("All measures, with the guidance")[2]

    assert len({guide.title.partition(" (")[0] for guide in GUIDES}) == 32  # the AUPRC is computed in two ways
    for guide in GUIDES:
        row = re.search(rf"{re.escape(guide.title)}</th><td class='n' data-of='Value'>[^<]+</td>.*?</tr>", text)
        assert f"'Advice'>{guide.advice.value}</td><td data-of='Proper'>{guide.proper.value}</td>" in row[0]
        assert re.search(r" \[[A-Z][^\]]+\]</td></tr>$", row[0])
    assert "[Austin and Steyerberg 2019]" in text


def test_what_the_author_must_write_is_said(page):
    _, text = page

    assert text.count("you must write this") == sum(not item.here for item in CHECKLIST)
    assert "sensitivity was" in text


def test_the_page_may_load_nothing_and_run_nothing(page):
    assert "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none';" in page[1]
    assert "script-src" not in page[1]  # and so nothing runs, by the default


def test_the_page_loads_nothing(page):
    _, text = page

    assert not re.search(r"(src|href)=['\"](?!data:)", text)


def test_other_pages_and_files_are_refused(page, tmp_path):
    ev, _ = page
    with pytest.raises(cl.ParameterError, match="'report', 'tools' or 'clinical'"):
        ev.save(tmp_path / "page.html", template="fancy")
    with pytest.raises(cl.ParameterError, match="page"):
        ev.save(tmp_path / "page.json", template="clinical")


# ---------------------------------------------------------------------- one run, one number


def cells(text):
    """The values and intervals of the large table, by the title of the measure."""
    found = re.findall(
        r"<th scope='row'>([^<]+)</th><td class='n' [^>]+>([^<]+)</td><td class='n' [^>]+>([^<]+)<", text
    )
    return {html.unescape(title): (value, interval) for title, value, interval in found}


def written(value, low, high):
    return shown(value), "none" if low is None else f"{shown(low)} to {shown(high)}"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One run of the command: the document that the terminal prints, and the page that it writes beside it."""
    folder = tmp_path_factory.mktemp("ran")
    rng = np.random.default_rng(1)
    risk = rng.beta(1, 2, 150).round(2)
    rows = "\n".join(f"{int(y)},{p}" for y, p in zip(rng.random(150) < risk, risk, strict=True))
    (folder / "cases.csv").write_text(f"label,score\n{rows}\n", encoding="utf-8")

    def run(*options):
        page, numbers = folder / "page.html", folder / "numbers.json"
        files = ("--html", str(page), "--save", str(numbers), "--force", "--template", "clinical")
        assert main(["evaluate", str(folder / "cases.csv"), *files, "--quiet", *options]) == 0
        document = json.loads(numbers.read_text(encoding="utf-8"))
        return document, page.read_text(encoding="utf-8")

    return run


def test_the_page_shows_the_numbers_that_the_same_run_prints(ran):
    document, text = ran("--level", "0.9", "--seed", "3", "--resamples", "100", "--threshold", "0.2")
    on_page = cells(text)
    printed = {row["measure"]: written(row["value"], row["low"], row["high"]) for row in document["measures"]}
    compared = [guide for guide in GUIDES if guide.sign > 0 and guide.measure != "min_expected_cost"]

    assert document["options"]["resamples_used"] == 100
    assert {guide.title: on_page[guide.title] for guide in compared} == {
        guide.title: printed[guide.measure] for guide in compared
    }
    assert "90 % interval" in text
    assert "95 %" not in text
    assert "100 resamples, seed 3" in text


def test_measures_that_were_not_asked_for_have_the_same_options(ran):
    _, every = ran("--level", "0.9", "--seed", "3", "--resamples", "100", "--threshold", "0.2")
    document, few = ran(
        "--level", "0.9", "--seed", "3", "--resamples", "100", "--threshold", "0.2", "--measures", "auc"
    )

    assert [row["measure"] for row in document["measures"]] == ["auc"]
    assert cells(few) == cells(every)


def test_a_page_without_intervals_has_none(page, tmp_path):
    ev, _ = page
    ev.save(tmp_path / "page.html", template="clinical", intervals=False, threshold=0.4)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert {interval for _, interval in cells(text).values()} == {"none"}
    assert cells(text)["Sensitivity"][0] == shown(ev.value("recall", threshold=0.4))
    assert "from a risk of 0.4 on" in text


def test_cases_of_one_class_have_a_page_that_says_what_is_undefined(tmp_path):
    ev = cl.evaluate([1, 1, 1, 1], [0.2, 0.4, 0.6, 0.9], positive=1)
    ev.save(tmp_path / "page.html", template="clinical")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert cells(text)["AUROC"][0] == "undefined"


def test_scores_that_are_not_probabilities_are_refused(tmp_path):
    ev = cl.evaluate([1, 0, 1, 0], [2.0, 1.0, 3.0, -1.0])
    with pytest.raises(cl.CutlineError, match="probabilities"):
        ev.save(tmp_path / "page.html", template="clinical")
    with pytest.raises(cl.ParameterError, match="summary"):
        ev.save(tmp_path / "page.html", template="clinical", summary=3)
