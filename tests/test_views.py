"""One run, many views: terminal, JSON, CSV and the report show the same numbers, and resample once."""

import base64
import csv
import gzip
import io
import json
import re
from html.parser import HTMLParser

import pytest

from cutline import compare, evaluate
from cutline.cli.main import main
from cutline.core.table import shown
from cutline.examples import load
from cutline.inference.one import replicates
from cutline.inference.two import rows as difference_rows

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


class Cells(HTMLParser):
    """The texts of a page's table cells."""

    def __init__(self, page):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.inside = tag in ("td", "th") or (self.inside and tag not in ("tr", "table"))
        if tag in ("td", "th"):
            self.found.append("")

    def handle_data(self, data):
        if self.inside and self.found:
            self.found[-1] += data


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
    embedded = {row["measure"]: row for row in data_of(page)["document"]["measures"]}
    assert {name: [row[n] for n in NUMBERS] for name, row in embedded.items()} == {
        name: [row[n] for n in NUMBERS] for name, row in expected.items()
    }
    text = " ".join(re.sub(r"<[^>]+>", " ", page.split("<script")[0]).split())  # the tables, without the programs
    words = set(text.split())
    for row in expected.values():
        if row["low"] is not None:
            assert shown(row["value"]) in words, row["measure"]
            assert f"{shown(row['low'])} to {shown(row['high'])}" in text, row["measure"]
    assert ev.counts.flagged == 120
    assert document["counts"] == ev.counts.to_dict()
    seen = [line for line in terminal.splitlines() if re.search(r"\[\d", line)]
    assert len(seen) > 15
    printed = {tuple(re.findall(r"-?\d+\.\d+(?:e-\d+)?", line))[:3] for line in seen}
    assert printed <= {tuple(shown(row[n]) for n in NUMBERS[:3]) for row in expected.values() if row["low"] is not None}


def test_one_run_shows_the_same_numbers_of_three_models_in_every_view(predictions, tmp_path, capsys):
    models = ("--score", "logistic", "--score", "tree", "--score", "points")
    files = ("--html", "r.html", "--save", "r.csv", "--json")
    assert main(["compare", str(predictions), *LABELS, *models, *HOW, *files, "-q"]) == 0
    document = json.loads(capsys.readouterr().out)
    inside = data_of((tmp_path / "r.html").read_text(encoding="utf-8"))["document"]
    table = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))

    assert inside == document
    numbers = ("value_a", "value_b", "difference", "low", "high", "p_value", "p_holm")
    for row, same in zip(table, document["differences"], strict=True):
        assert {name: as_number(row[name]) for name in numbers} == {name: same[name] for name in numbers}
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


def test_a_comparison_with_its_report_runs_each_bootstrap_once(predictions, monkeypatch):
    calls = []

    def counted(module, name):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, **k: calls.append(name) or real(*a, **k))

    counted(replicates, "bootstrap")
    counted(difference_rows, "bootstrap")
    monkeypatch.setattr("cutline.inference.two.paired_measure.bootstrap", lambda *a: pytest.fail("drawn again"))
    models = ("--score", "logistic", "--score", "tree")
    files = ("--html", "r.html", "--save", "r.json", "--save", "r.csv")
    assert main(["compare", str(predictions), *LABELS, *models, *HOW, *files, "-q"]) == 0
    assert len(calls) == 3  # one for each model, and one for their differences


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
    assert "margins is undefined" in rows["brier"].notes[0]


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
