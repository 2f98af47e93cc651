"""One run, many views: terminal, JSON, CSV and the report show the same numbers, and resample once."""

import base64
import csv
import gzip
import io
import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from cutline import compare, evaluate
from cutline.cli.main import main
from cutline.core.table import format_both_limits, format_p, format_value
from cutline.examples import load
from cutline.inference.differences import difference_rows
from cutline.inference.single import bootstrap
from cutline.results.measure_selection import list_headlines
from cutline.results.method_titles import format_method

pytestmark = pytest.mark.slow
HOW = ("--level", "0.8", "--seed", "7", "--resamples", "150", "--quota", "120")
LABELS = ("--label", "label", "--positive", "malignant", "--id", "id")
NUMBERS = ("value", "low", "high", "baseline")


@pytest.fixture
def predictions(tmp_path, monkeypatch):
    """Three models of the tumours; the third one gives points, not probabilities."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    example = load("tumours")
    rows = zip(example.labels, *example.scores.values(), strict=True)
    lines = [f"c{i},{label},{a},{b},{300 + 500 * a * a}" for i, (label, a, b) in enumerate(rows)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["id,label,logistic,tree,points", *lines]) + "\n", encoding="utf-8")
    return path


def data_of(page):
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


class TableRows(HTMLParser):
    """The rows of a page's tables: the texts of their cells, and the measure that a row names."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.cell, self.code = [], None, False
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag == "tr":
            self.rows.append({"cells": [], "measure": ""})
        elif tag in ("td", "th") and self.rows:
            self.rows[-1]["cells"].append("")
        self.code = tag == "code"
        self.cell = {"td": True, "th": True, "tr": False, "table": False}.get(tag, self.cell)

    def handle_endtag(self, tag):
        self.cell = self.cell and tag not in ("td", "th", "tr", "table")
        self.code = self.code and tag != "code"

    def handle_data(self, data):
        if not self.cell:
            return
        self.rows[-1]["cells"][-1] += f" {data.strip()}"
        if self.code and not self.rows[-1]["measure"]:
            self.rows[-1]["measure"] = data

    @property
    def found(self):
        return [
            {"cells": [" ".join(cell.split()) for cell in row["cells"]], "measure": row["measure"]} for row in self.rows
        ]


def limits(row, between, brackets="{}"):
    """Both limits of a row as a view writes them."""
    return "" if row["low"] is None else brackets.format(between.join(format_both_limits(row["low"], row["high"])))


def on_page(number):
    """A number of a document as people read it; what is undefined there is None here."""
    return "undefined" if number is None else format_value(number)


def baseline_of(row):
    return "" if row["baseline"] is None else format_value(row["baseline"])


def as_number(text):
    return None if text == "" else float(text)


def test_one_run_shows_the_same_numbers_of_one_model_in_every_view(predictions, tmp_path, capsys):
    files = ("--html", "r.html", "--save", "r.json", "--save", "r.csv")
    assert main(["evaluate", str(predictions), *LABELS, "--score", "tree", *HOW, *files]) == 0
    terminal = capsys.readouterr().out
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    table = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))
    example = load("tumours")
    ev = evaluate(example.labels, example.scores["tree"], positive="malignant", quota=120)
    expected = {row["measure"]: row for row in ev.summary(level=0.8, seed=7, resamples=150).to_dict()}

    assert document["options"] | {"threshold": 0} == {
        "level": 0.8,
        "method": "auto",
        "intervals": True,
        "resamples": 150,
        "resamples_used": 150,
        "seed": 7,
        "threshold": 0,
        "quota": 120.0,
        "share": None,
        "default_cut": False,
    }
    assert {row["measure"]: row for row in document["measures"]} == expected
    assert data_of(page)["document"]["measures"] == document["measures"]
    for row, same in zip(table, document["measures"], strict=True):
        assert {name: as_number(row[name]) for name in NUMBERS} == {name: same[name] for name in NUMBERS}
    assert ev.counts.flagged == 120
    assert document["counts"] == ev.counts.to_dict()
    check_the_page_of_one(page, document["measures"])
    check_the_probabilities(page, document)
    check_the_terminal_of_one(terminal, document["measures"], {m.name for m in list_headlines(ev.cut)})


def check_the_page_of_one(page, measures):
    """Each measure stands in one table of the page, with the numbers of the document."""
    rows = {
        row["measure"]: row["cells"] for row in TableRows(page.split('<section id="cut"')[1]).found if row["measure"]
    }
    assert rows.keys() == {row["measure"] for row in measures}
    for row in measures:
        _, value, interval, _, baseline, method = rows[row["measure"]]
        expected = limits(row, " to ") or row["reason"]
        assert value == f"{on_page(row['value'])} {expected}".strip()
        assert interval == expected
        assert baseline == baseline_of(row)
        assert method == format_method(row["method"] or "")


def check_the_probabilities(page, document):
    """The section on the probabilities says what the document says, at its level and with its seed."""
    section = page.split('<section id="trust"')[1].split("</section>")[0]
    judged, said = document["probabilities"], unescape(re.sub(r"<[^>]+>", " ", section))
    for sentence in (*judged["calibration"]["verdict"], judged["recalibration"]["verdict"]):
        assert sentence in said
    assert (judged["calibration"]["level"], judged["recalibration"]["level"]) == (0.8, 0.8)
    tried = [row["cells"] for row in TableRows(section).found if len(row["cells"]) == 5 and row["cells"][0] != "Method"]
    assert len(tried) == 6
    for cells, row in zip(tried, judged["recalibration"]["candidates"], strict=True):
        assert cells[3:] == [on_page(row["log_loss"]), on_page(row["brier"])]
        if row["method"] != "none":
            assert cells[1].startswith(on_page(row["gain"]))
            assert cells[2] == limits(row, " to ")
    bands = {line for chart in data_of(page)["charts"] for line in chart["notes"] if "band" in line}
    assert bands == {"Grey: simultaneous 80 % consistency band,"}


def check_the_terminal_of_one(terminal, measures, usual):
    """Each headline measure stands in one line of the terminal, with the numbers of the document."""
    lines = terminal.splitlines()
    headline = [row for row in measures if row["measure"].partition("(")[0] in usual]
    assert len(headline) > 15
    for row in headline:
        title = row["title"] + (f" ({row['unit']})" if row["unit"] else "")
        [line] = [line for line in lines if line.startswith((f"{title} ", f"{title} ↓")) and ":" not in line]
        words = line[len(title) :].replace("↓", "").split()
        expected = f"{on_page(row['value'])} {limits(row, ', ', '[{}]')} {baseline_of(row)}".split()
        assert words[: len(expected)] == expected


def test_one_run_shows_the_same_numbers_of_three_models_in_every_view(predictions, tmp_path, capsys):
    models = ("--score", "logistic", "--score", "tree", "--score", "points")
    files = ("--html", "r.html", "--save", "r.csv", "--save", "r.json")
    assert main(["compare", str(predictions), *LABELS, *models, *HOW, *files, "--pairs"]) == 0
    terminal = capsys.readouterr().out
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    inside = data_of(page)["document"]
    table = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))

    assert inside == document
    numbers = ("value_a", "value_b", "difference", "low", "high", "p_value", "p_holm")
    for row, same in zip(table, document["differences"], strict=True):
        assert {name: as_number(row[name]) for name in numbers} == {name: same[name] for name in numbers}
    check_the_page_of_three(page, document)
    check_the_terminal_of_three(terminal, document)
    for summary in document["models"].values():
        assert (summary["level"], summary["options"]["seed"], summary["options"]["quota"]) == (0.8, 7, 120.0)
    example = load("tumours")
    both = compare(example.labels, example.scores, positive="malignant", quota=120)
    ks = both["tree"].estimate("ks", 0.8, resamples=150, seed=7)
    row = next(row for row in document["models"]["tree"]["measures"] if row["measure"] == "ks")
    assert (row["value"], row["low"], row["high"]) == (ks.value, ks.low, ks.high)
    pairs = {(row["a"], row["b"]): row for row in document["differences"] if row["measure"] == "brier"}
    assert pairs["logistic", "tree"]["low"] is not None  # though the third model has no probabilities
    assert pairs["tree", "points"]["difference"] is None


def in_a_cell(row):
    return "" if row is None else f"{on_page(row['value'])} {limits(row, ' to ') or row['reason']}".strip()


def check_the_page_of_three(page, document):
    """Each measure stands in the tables of the page with the numbers of each model, and so does each difference."""
    order = [model["name"] for model in data_of(page)["models"]]
    assert sorted(order) == sorted(document["models"])
    by_model = [{row["measure"]: row for row in document["models"][name]["measures"]} for name in order]
    first = {name: row for own in reversed(by_model) for name, row in own.items()}
    cut, rest = page.split('<section id="cut"')
    seen = set()
    for part in (cut.split('<section id="trust"')[0], rest.split('<section id="measures"')[1]):
        for row in TableRows(part).found:
            name = row["measure"]
            if name and len(row["cells"]) == 5:
                seen.add(name)
                cells = [cell.replace("≈", " ") for cell in row["cells"][1:4]]
                assert [" ".join(cell.split()) for cell in cells] == [in_a_cell(own.get(name)) for own in by_model], (
                    name
                )
                assert row["cells"][4] == baseline_of(first[name])
    follow_cut = {row["measure"] for row in TableRows(rest).found if row["measure"] and len(row["cells"]) == 6}
    assert seen | follow_cut == set(first)
    tested = [row["cells"] for row in TableRows(cut).found if len(row["cells"]) == 8 and row["cells"][0] != "Measure"]
    assert len(tested) == len(document["differences"])
    for cells, row in zip(tested, document["differences"], strict=True):
        assert cells[1] == f"{row['a']} \N{MINUS SIGN} {row['b']}"
        assert cells[2] == f"{on_page(row['value_a'])}, {on_page(row['value_b'])}"
        assert cells[3].startswith(on_page(row["difference"]))
        assert cells[4] == limits(row, " to ")
        assert cells[5] == ("" if row["p_holm"] is None else format_p(row["p_holm"]).removeprefix("= "))


def check_the_terminal_of_three(terminal, document):
    """The values of each model, then a table of differences for each pair, in the order of the document."""
    lines = [" ".join(re.sub("[★≈]", " ", line).split()) for line in terminal.splitlines()]
    models = list(document["models"].values())
    names = list(dict.fromkeys(row["measure"] for row in document["differences"]))
    for name in names:
        rows = [next(row for row in model["measures"] if row["measure"] == name) for model in models]
        values = " ".join(f"{on_page(row['value'])} {limits(row, ', ', '[{}]')}".strip() for row in rows)
        assert sum(line.startswith(rows[0]["title"]) and line.endswith(values) for line in lines) >= 1, name
    for row in document["differences"]:
        p = "" if row["p_holm"] is None else format_p(row["p_holm"]).removeprefix("= ")
        numbers = f" {on_page(row['difference'])} {limits(row, ', ', '[{}]')} {p}".rstrip()
        start = lines.index(f"{row['a']} minus {row['b']}")
        assert any(numbers in line for line in lines[start : start + 3 + len(names)]), row


def test_a_comparison_with_its_report_runs_each_bootstrap_once(predictions, monkeypatch):
    calls = []

    def counted(module, name):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, **k: calls.append(name) or real(*a, **k))

    counted(bootstrap, "bootstrap_in_bins")
    counted(difference_rows, "bootstrap")
    monkeypatch.setattr("cutline.inference.differences.paired_values.bootstrap", lambda *a: pytest.fail("drawn again"))
    models = ("--score", "logistic", "--score", "tree")
    files = ("--html", "r.html", "--save", "r.json", "--save", "r.csv")
    assert main(["compare", str(predictions), *LABELS, *models, *HOW, *files, "-q"]) == 0
    assert len(calls) == 3  # one for each model, and one for their differences


def test_a_clinical_report_has_the_numbers_of_its_command(predictions, tmp_path, capsys):
    how = ("--level", "0.8", "--seed", "7", "--resamples", "100", "--threshold", "0.3")
    files = ("--html", "r.html", "--template", "clinical", "--save", "r.json")
    assert main(["evaluate", str(predictions), *LABELS, "--score", "tree", *how, *files]) == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    known = {row["measure"]: row for row in document["measures"]}
    cells = {row["cells"][0]: row["cells"] for row in TableRows(page).found if len(row["cells"]) == 7}

    assert "Cases with a risk of 0.3 or more are flagged" in page
    assert "80 % interval" in page
    assert "95 %" not in page
    for title, name in (("AUROC", "auc"), ("Brier score", "brier"), ("MCC", "mcc"), ("F1", "f1"), ("ICI", "ici")):
        assert cells[title][1:3] == [on_page(known[name]["value"]), limits(known[name], " to ")], name
    for sentence in document["probabilities"]["calibration"]["verdict"]:
        assert sentence in unescape(page)


def test_the_chart_of_a_difference_has_the_level_of_its_page(predictions, tmp_path):
    models = ("--score", "logistic", "--score", "tree")
    assert main(["compare", str(predictions), *LABELS, *models, *HOW, "--html", "r.html", "-q"]) == 0
    charts = data_of((tmp_path / "r.html").read_text(encoding="utf-8"))["charts"]
    [notes] = [chart["notes"] for chart in charts if chart["name"] == "confidence_curve"]

    assert notes[1].startswith("80 % interval")


def test_a_saved_document_has_the_intervals_of_the_command(predictions, tmp_path, capsys):
    assert (
        main(["evaluate", str(predictions), *LABELS, "--score", "tree", "--all", "--json", "--resamples", "100"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    example = load("tumours")
    ev = evaluate(example.labels, example.scores["tree"], positive="malignant", name="tree")
    saved = json.loads(ev.save(tmp_path / "s.json", resamples=100).read_text(encoding="utf-8"))

    assert saved["measures"] == printed["measures"]
    assert sum(row["low"] is not None for row in saved["measures"]) > 60


def test_the_level_of_a_comparison_is_that_of_its_models():
    example = load("tumours")
    found = compare(example.labels, example.scores, positive="malignant").to_dict(level=0.9, resamples=100)

    assert {found["level"], *(model["level"] for model in found["models"].values())} == {0.9}


@pytest.mark.parametrize("turned", [False, True])
def test_margins_and_probabilities_are_compared_in_either_order(tmp_path, turned):
    example = load("tumours")
    scores = {"margins": [8 * score - 4 for score in example.scores["logistic"]], "tree": example.scores["tree"]}
    models = dict(reversed(scores.items())) if turned else scores
    found = compare(example.labels, models, positive="malignant")

    assert found.save(tmp_path / "r.html", resamples=100).exists()
    rows = {row.name: row for row in found.summary(["brier", "auc"], resamples=100).rows}
    assert rows["brier"].interval is None
    assert rows["auc"].interval is not None
    assert "undefined for margins" in rows["brier"].notes[0]


def test_a_row_has_one_conclusion():
    labels = [1] * 20 + [0] * 20
    scores = {"a": list(range(40, 0, -1)), "b": [*range(39, 0, -1), 40], "c": [i % 7 for i in range(40)]}
    found = compare(labels, scores, threshold={"a": 20.5, "b": 20.5, "c": 3})
    rows = found.summary(["auc", "accuracy"], resamples=200).rows

    for row in rows:
        significant = row.p_holm <= 0.05
        assert bool(row.better(0.95)) == significant
        assert row.conclusion(0.95) == (f"{row.better(0.95)} is better" if significant else "not significant")
    assert {row.conclusion(0.95) for row in rows} > {"not significant"}
