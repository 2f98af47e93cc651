"""One summary of several classes, and all its views: terminal, JSON, CSV, page, frame, charts."""

import csv
import io
import json
import math
import re
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.curves.curve_type import average_roc

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CLASSES = ["ant", "bee", "cat"]
OPTIONS = ["--label", "y", "--class-scores", "ant,bee,cat"]


def predictions(n=120, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    logits = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[truth]
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return pd.DataFrame({"y": np.array(CLASSES)[truth], **dict(zip(CLASSES, scores.T, strict=True))})


FRAME = predictions()
FOUND = cl.one_vs_rest("y", CLASSES, data=FRAME, name="forest")


@pytest.fixture
def path(tmp_path):
    FRAME.to_csv(tmp_path / "three.csv", index=False)
    return tmp_path / "three.csv"


def cutline(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


# ---------------------------------------------------------------------- the same numbers everywhere


def test_terminal_json_csv_page_and_frame_show_the_same_numbers(capsys, path, tmp_path):
    code, out, _ = cutline(
        capsys, "evaluate", path, *OPTIONS, "--json", "--html", tmp_path / "r.html", "--save", tmp_path / "r.csv"
    )
    document = json.loads(out)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))
    shown = cutline(capsys, "evaluate", path, *OPTIONS)[1]
    expected = cl.one_vs_rest("y", CLASSES, data=str(path)).summary()

    assert code == 0
    VALIDATOR.validate(document)
    assert len(document["measures"]) == len(rows) == len(expected) == len(expected.to_frame())
    for one, two, three in zip(document["measures"], rows, expected, strict=True):
        assert one["value"] == float(two["value"]) == three["value"]
        assert (one["low"], one["high"]) == (float(two["low"]), float(two["high"])) == (three["low"], three["high"])
        for view in (page, shown):
            assert f"{one['value']:.4f}" in view
            assert f"{one['low']:.4f}" in view


def test_the_summary_is_a_frozen_document_that_prints_and_converts():
    summary = FOUND.summary()

    with pytest.raises(AttributeError):
        summary.level = 0.9
    assert "forest: 120 cases of 3 classes" in repr(summary)
    assert "predicted ant" in repr(summary)
    assert "<table>" in summary._repr_html_()
    assert isinstance(summary.to_frame("polars"), pl.DataFrame)
    assert summary.row("auc", "macro mean").value == FOUND.value("auc", "macro")
    assert summary.row("f1", "bee").value == FOUND.each("f1")["bee"]
    with pytest.raises(cl.UnknownNameError):
        summary.row("auc", "dog")
    VALIDATOR.validate(FOUND.to_dict())
    pair = cl.compare_classes("y", {"a": CLASSES, "b": {"ant": "bee", "bee": "ant", "cat": "cat"}}, data=FRAME)
    VALIDATOR.validate(pair.to_dict())


def test_the_rows_of_a_class_have_the_interval_of_its_evaluation():
    summary = FOUND.summary()
    for label in CLASSES:
        row, own = summary.row("auc", label), FOUND[label].estimate("auc")
        assert (row.value, row.estimate.low, row.estimate.high) == (own.value, own.low, own.high)


def test_a_summary_of_some_measures_holds_them_alone(capsys, path):
    code, out, _ = cutline(capsys, "evaluate", path, *OPTIONS, "--measures", "f1, hand_till_m", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))

    assert code == 0
    assert {row["measure"] for row in rows} == {"f1", "hand_till_m"}
    assert len(rows) == 2 + 2 + 3  # M twice, two means, three classes


def test_every_mean_of_every_measure_says_what_it_is_measured_by():
    baselines = {(row.measure, row.of): row.baseline for row in FOUND.summary().rows}
    shares = FRAME["y"].value_counts(normalize=True)

    assert baselines["auc", "macro mean"] == baselines["hand_till_m", "all pairs"] == 0.5
    assert baselines["average_precision", "bee"] == pytest.approx(shares["bee"])
    assert baselines["average_precision", "macro mean"] == pytest.approx(1 / 3)
    assert baselines["average_precision", "weighted mean"] == pytest.approx((shares**2).sum())
    assert baselines["mcc", "all classes"] == baselines["kappa", "all classes"] == 0
    assert baselines["log_loss", "all classes"] == pytest.approx(-(shares * np.log(shares)).sum())


# ---------------------------------------------------------------------- columns


def test_columns_may_be_called_otherwise_than_the_classes(capsys, tmp_path):
    renamed = FRAME.rename(columns={name: f"p_{name}" for name in CLASSES})
    renamed.to_csv(tmp_path / "p.csv", index=False)
    given = ",".join(f"{name}=p_{name}" for name in CLASSES)
    code, out, _ = cutline(capsys, "evaluate", tmp_path / "p.csv", "--label", "y", "--class-scores", given, "--csv")

    assert code == 0
    assert out == FOUND.summary().to_csv()
    again = cl.one_vs_rest("y", {name: f"p_{name}" for name in CLASSES}, data=pl.from_pandas(renamed))
    assert again.summary().to_csv() == FOUND.summary().to_csv()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_classes_may_be_numbers_and_files_of_any_kind(capsys, tmp_path, suffix):
    numbers = FRAME.rename(columns={"ant": "0", "bee": "1", "cat": "2"})
    numbers["y"] = numbers["y"].map({"ant": 0, "bee": 1, "cat": 2})
    path = tmp_path / f"numbers.{suffix}"
    {
        "csv": lambda: numbers.to_csv(path, index=False),
        "parquet": lambda: numbers.to_parquet(path),
        "jsonl": lambda: numbers.to_json(path, orient="records", lines=True, double_precision=15),
    }[suffix]()
    code, out, _ = cutline(capsys, "evaluate", path, "--label", "y", "--class-scores", "0,1,2", "--json")

    assert code == 0
    value = json.loads(out)["measures"][0]["value"]
    assert value == pytest.approx(FOUND.value("hand_till_m"), abs=1e-12)
    assert list(cl.one_vs_rest("y", ["0", "1", "2"], data=numbers)) == [0, 1, 2]


def test_weights_and_missing_values_go_through_the_command(capsys, tmp_path):
    frame = FRAME.assign(w=np.arange(len(FRAME)) % 3 + 1)
    frame.loc[3, "bee"] = np.nan
    frame.to_csv(tmp_path / "w.csv", index=False)
    refused = cutline(capsys, "evaluate", tmp_path / "w.csv", *OPTIONS, "--weight", "w")
    code, out, _ = cutline(
        capsys, "evaluate", tmp_path / "w.csv", *OPTIONS, "--weight", "w", "--missing", "drop", "--json"
    )
    document = json.loads(out)

    assert refused[0] == 2
    assert "missing value" in refused[2]
    assert code == 0
    assert (document["dropped"], document["weighted"]) == (1, True)
    assert document["cases"] == frame["w"].drop(3).sum()


REFUSED = {
    "a class without a column": (["--class-scores", "ant,bee"], "class 'cat', which has no column"),
    "a column that is not there": (
        ["--class-scores", "ant,bee,cat,dog"],
        "no column 'dog', which --class-scores names",
    ),
    "one class": (["--class-scores", "ant"], "names one class"),
    "a class twice": (["--class-scores", "ant,bee,ant"], "names the class 'ant' twice"),
    "an empty name": (["--class-scores", "ant,,cat"], "pass columns with commas"),
    "the labels as scores": (["--class-scores", "ant=y,bee,cat"], "--class-scores and --label both name 'y'"),
    "a cut": (
        ["--class-scores", "ant,bee,cat", "--threshold", "0.5"],
        "--class-scores cannot be combined with --threshold",
    ),
    "a score": (["--class-scores", "ant,bee,cat", "--score", "ant"], "--class-scores cannot be combined with --score"),
    "a bootstrap": (["--class-scores", "ant,bee,cat", "--seed", "3"], "--class-scores cannot be combined with --seed"),
    "a measure that is none": (["--class-scores", "ant,bee,cat", "--measures", "acu"], "no measure 'acu'"),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_one_sentence_and_exit_2(capsys, path, options, words):
    code, out, err = cutline(capsys, "evaluate", path, "--label", "y", *options)

    assert code == 2
    assert not out
    assert words in err
    assert err.count("\n") == 1


def test_a_file_with_one_class_is_refused(capsys, tmp_path):
    FRAME[FRAME["y"] == "ant"].to_csv(tmp_path / "one.csv", index=False)
    code, _, err = cutline(capsys, "evaluate", tmp_path / "one.csv", *OPTIONS)

    assert code == 2
    assert "holds only one class, 'ant'" in err


def test_a_class_that_does_not_occur_is_noted_and_its_measures_say_why(capsys, tmp_path):
    FRAME[FRAME["y"] != "cat"].to_csv(tmp_path / "two.csv", index=False)
    code, out, _ = cutline(capsys, "evaluate", tmp_path / "two.csv", *OPTIONS, "--json")
    document = json.loads(out)
    rows = {(row["measure"], row["of"]): row for row in document["measures"]}

    assert code == 0
    VALIDATOR.validate(document)
    assert rows["auc", "macro mean"]["value"] is None
    assert rows["auc", "macro mean"]["reason"] == "for class 'cat' there is no positive case"
    assert "class 'cat' has no case" in document["notes"][0]["text"]
    shown = cutline(capsys, "evaluate", tmp_path / "two.csv", *OPTIONS)[1]
    assert "Undefined because for class 'cat' there is no positive case" in re.sub(r"\s+", " ", shown)


def test_probabilities_that_do_not_add_up_are_only_noted(capsys, tmp_path):
    frame = FRAME.copy()
    frame["ant"] *= 0.5
    frame.to_csv(tmp_path / "half.csv", index=False)
    code, out, _ = cutline(capsys, "evaluate", tmp_path / "half.csv", *OPTIONS, "--json")
    document = json.loads(out)

    assert code == 0
    assert any("do not add up to 1" in note["text"] for note in document["notes"])
    assert {row["measure"]: row["value"] for row in document["measures"]}["log_loss"] is None


# ---------------------------------------------------------------------- charts and the page


def test_the_area_under_the_mean_curve_is_the_macro_mean():
    rng = np.random.default_rng(5)
    for digits in (1, 8):
        scores = np.round(rng.random((60, 4)), digits)
        found = cl.one_vs_rest(np.arange(60) % 4, scores)
        x, y = average_roc(list(found.rankings.values()))
        assert np.trapezoid(y, x) == pytest.approx(found.value("auc"), abs=1e-12)
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) >= -1e-15).all()


def test_the_roc_chart_has_a_line_for_each_class_and_two_means():
    spec = FOUND.chart("class_roc").to_dict()
    names = {row["series"] for rows in spec["datasets"].values() for row in rows if "series" in row}

    assert names == {
        *(f"{label}: {FOUND.each('auc')[label]:.4f}" for label in CLASSES),
        f"macro mean: {FOUND.value('auc', 'macro'):.4f}",
        f"micro mean: {FOUND.value('auc', 'micro'):.4f}",
        "baseline",
    }


def test_the_bars_have_the_intervals_of_the_summary():
    spec = FOUND.chart("class_measures", shown="f1").to_dict()
    bars = {row["of"]: row for rows in spec["datasets"].values() for row in rows if "kind" in row}
    for row in FOUND.summary(["f1"]).rows:
        assert (bars[row.of]["value"], bars[row.of]["low"]) == (row.value, row.estimate.low)
    with pytest.raises(cl.ParameterError, match="pass one of auc"):
        FOUND.chart("class_measures", shown="log_loss")


def test_a_chart_of_several_models_draws_a_line_for_each_class():
    spec = FOUND.chart("precision_recall").to_dict()
    names = {row["series"] for rows in spec["datasets"].values() for row in rows if "series" in row}

    assert {name.partition(":")[0] for name in names} >= set(CLASSES)


def test_of_many_classes_only_as_many_are_drawn_as_can_be_distinguished():
    rng = np.random.default_rng(6)
    labels = np.arange(400) % 20
    found = cl.one_vs_rest(labels, rng.random((400, 20)) + np.eye(20)[labels])
    spec = found.chart("class_roc").to_dict()
    names = {row["series"] for rows in spec["datasets"].values() for row in rows if "series" in row}

    assert len(names) == 10 + 3
    assert "10 classes with the lowest areas" in spec["title"]["subtitle"][1]
    assert found.chart("class_confusion_matrix").render(".svg")


def test_a_chart_of_classes_refuses_one_model():
    with pytest.raises(cl.InputError, match="shows several classes"):
        cl.evaluate([1, 0], [0.9, 0.1]).chart("class_roc")


def test_the_page_is_one_file_with_all_sections(tmp_path):
    page = FOUND.save(tmp_path / "r.html").read_text(encoding="utf-8")
    sections = ["verdict", "pictures", "classes", "matrix", "overall", "notes", "conventions"]

    assert re.findall(r'<section id="(\w+)"', page) == sections
    assert re.findall(r'<a href="#(\w+)">', page) == sections
    assert page.count("<svg") == 4
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)  # nothing is fetched
    assert "&lt;" not in page.split("<main>")[0]
    pair = cl.compare_classes("y", {"a": CLASSES, "b": {"ant": "bee", "bee": "ant", "cat": "cat"}}, data=FRAME)
    both = pair.save(tmp_path / "two.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="(\w+)"', both)[:2] == ["verdict", "differences"]
    assert "a is better than b by" in both
    with pytest.raises(cl.ParameterError, match="more than one picture"):
        pair.save(tmp_path / "two.png")


def test_names_from_a_file_cannot_write_markup(tmp_path):
    labels = ["<b>", "a&b", "'c'"] * 10
    found = cl.one_vs_rest(labels, np.random.default_rng(7).random((30, 3)), name="<script>")
    page = found.save(tmp_path / "r.html").read_text(encoding="utf-8")

    assert "<b>" not in re.sub(r"<b>[\d.]+</b>", "", page)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_pictures_and_numbers_are_saved_by_their_suffix(tmp_path):
    assert FOUND.save(tmp_path / "r.svg").read_text(encoding="utf-8").startswith("<svg")
    assert json.loads(FOUND.save(tmp_path / "r.json").read_text(encoding="utf-8"))["schema"] == "cutline/classes/1"
    assert FOUND.save(tmp_path / "r.csv").read_text(encoding="utf-8") == FOUND.summary().to_csv()
    assert not math.isnan(FOUND.summary().rows[0].se)
