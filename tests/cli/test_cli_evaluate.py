"""`cutline evaluate`: every option, format and output."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import get_args

import jsonschema
import numpy as np
import pytest

from cutline import MEASURES, compare, evaluate
from cutline.advice.recommend import Goal
from cutline.cli import options
from cutline.cli.advise import GOALS
from cutline.examples import load
from cutline.inputs.files import FORMATS
from cutline.measures import Family

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

labels = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
scores = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def document(done):
    assert done.code == 0, done.err
    found = json.loads(done.out, parse_constant=pytest.fail)
    VALIDATOR.validate(found)
    return found


def values(done):
    """The values of the measures of a JSON document."""
    return {row["measure"]: row["value"] for row in document(done)["measures"]}


def test_the_table_says_what_was_evaluated(cutline, ten):
    done = cutline("evaluate", ten, "--label", "y", "--score", "p", "--resamples", "100", "--name", "model of May")

    assert done.code == 0
    assert done.out.startswith("model of May puts a positive before a negative in 80 % of the pairs")
    assert "\nmodel of May  10 cases, 5 positive (50 %; positive is 1), 10 distinct scores" in done.out
    assert "AUC interval: " in done.out
    assert "(logit" in done.out  # the scale of the interval of the AUC is named
    assert [line.split() for line in done.out.splitlines() if line.startswith(("flagged", "not flagged"))] == [
        ["flagged", "4", "1", "5"],
        ["not", "flagged", "1", "4", "5"],
    ]
    questions = ["Is the cut good?", "Does it rank well?", "Can I trust the probabilities?"]
    assert [done.out.find(question) > 0 for question in questions] == [True] * 3
    assert "Area under the ROC curve" in done.out
    assert "! There are only 5 positives" in done.out
    assert done.err == ""


def test_every_headline_has_a_value_an_interval_and_a_baseline(cutline, ten):
    rows = document(cutline("evaluate", ten, "--json", "--resamples", "100", "-q"))["measures"]

    assert [row["measure"] for row in rows] == [m.name for m in MEASURES if m.headline]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert all(row["baseline"] is not None for row in rows)


def test_the_numbers_are_those_of_the_package(cutline, ten):
    ev = evaluate(labels, scores, threshold=0.55)
    found = document(cutline("evaluate", ten, "--threshold", "0.55", "--measures", "auc,recall,mcc", "--json"))

    assert {row["measure"]: row["value"] for row in found["measures"]} == {
        "auc": pytest.approx(ev.auc),
        "recall": pytest.approx(0.6),
        "mcc": pytest.approx(ev.mcc),
    }
    assert found["counts"] == {"threshold": 0.55, "tp": 3, "fp": 1, "fn": 2, "tn": 4}
    assert found["measures"][0]["low"] == pytest.approx(ev.estimate("auc").low)


def test_the_seed_and_the_resamples_are_those_that_are_asked_for(cutline, ten):
    def limits(*more):
        (row,) = document(cutline("evaluate", ten, "--measures", "average_precision", "--json", *more))["measures"]
        return row["low"], row["high"]

    expected = evaluate(labels, scores).estimate("average_precision", 0.8, resamples=300, seed=5)
    asked = ("--resamples", "300", "--seed", "5", "--level", "0.8")
    assert limits(*asked) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert limits("--resamples", "300", "--seed", "6", "--level", "0.8") != limits(*asked)
    by_formula = evaluate(labels, scores).estimate("average_precision", method="influence_student")
    assert limits("--resamples", "0") == (pytest.approx(by_formula.low), pytest.approx(by_formula.high))


@pytest.mark.parametrize(
    ("header", "guessed"),
    [
        ("Bought,score", "--label Bought --score score"),
        ("risk,ill", "--label ill --score risk"),
        ("ill,risk", "--label ill --score risk"),
    ],
)
def test_columns_with_other_names_are_guessed_where_one_reading_is_possible(cutline, tmp_path, header, guessed):
    rows = ["0,0.2", "1,0.7", "0,0.4", "1,0.3"]
    turned = [",".join(reversed(row.split(","))) for row in rows] if header.startswith("risk") else rows
    (tmp_path / "cases.csv").write_text("\n".join([header, *turned]) + "\n")
    done = cutline("evaluate", "cases.csv", "--measures", "auc", "--json")
    assert (done.code, done.err) == (0, f"The columns were guessed: {guessed}\n")
    assert json.loads(done.out)["measures"][0]["value"] == 0.75


def test_two_columns_of_two_values_are_not_guessed(cutline, tmp_path):
    (tmp_path / "cases.csv").write_text("ill,flag\n1,0\n0,1\n")
    assert "Which column of cases.csv holds the labels, of 'ill', 'flag'?" in cutline("evaluate", "cases.csv").err


def test_columns_are_guessed_only_when_they_can_only_be_meant(cutline, ten, tumours):
    assert cutline("evaluate", ten, "--measures", "auc").err == "The columns were guessed: --label y --score p\n"
    assert cutline("evaluate", ten, "--measures", "auc", "--quiet").err == ""
    named = cutline(
        "evaluate", tumours, "--score", "tree", "--id", "id", "--positive", "malignant", "--measures", "auc"
    )
    assert named.err == "The columns were guessed: --label label\n"


def test_a_quota_adds_its_measures(cutline, ten):
    by_quota = values(cutline("evaluate", ten, "--quota", "4", "--json", "--resamples", "100"))
    by_share = values(cutline("evaluate", ten, "--share", "0.4", "--json", "--resamples", "100"))

    assert by_quota["hit_rate(quota=4)"] == 3 / 4
    assert by_quota["qrecall(quota=4)"] == 3 / 5
    assert by_quota == by_share


def test_families_all_and_parameters(cutline, ten):
    more = ("--json", "--resamples", "100")
    ranking = values(cutline("evaluate", ten, "--family", "ranking", *more))
    everything = values(cutline("evaluate", ten, "--all", *more))

    assert {MEASURES[name].family.name for name in ranking} == {"RANKING"}
    assert len(ranking) > 10
    assert len(everything) > 60
    found = values(cutline("evaluate", ten, "--measures", "f_beta@beta=2, ppv", *more))
    assert found == {"f_beta(beta=2)": pytest.approx(0.8), "ppv": 0.8}


def test_weights_groups_and_low_scores(cutline, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("y,p,w,g\n1,0.1,2,a\n0,0.2,1,a\n1,0.3,1,b\n0,0.4,3,c\n", encoding="utf-8")
    columns = ("--label", "y", "--score", "p")
    weighted = document(cutline("evaluate", path, *columns, "--weight", "w", "--measures", "auc", "--json"))
    low = values(
        cutline("evaluate", path, *columns, "--lower-is-positive", "--threshold", "0.25", "--measures", "auc", "--json")
    )
    grouped = document(cutline("evaluate", path, *columns, "--group", "g", "--measures", "auc", "--json"))

    assert (weighted["cases"], weighted["positives"]) == (7, 3)
    assert low == {"auc": 3 / 4}
    assert grouped["measures"][0]["method"] == "linearised"  # other formulas take cases for independent


def test_missing_rows_are_dropped_and_counted(cutline, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("y,p\n1,0.9\n0,\n1,NaN\n0,0.2\n", encoding="utf-8")

    assert document(cutline("evaluate", path, "--missing", "drop", "--json", "--measures", "auc"))["dropped"] == 2
    assert "2 dropped" in cutline("evaluate", path, "--missing", "drop", "--measures", "auc").out


def test_null_has_its_reason(cutline, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("y,p\n1,3\n0,2\n1,1.5\n", encoding="utf-8")
    rows = document(cutline("evaluate", path, "--measures", "brier,npv", "--threshold", "0.5", "--json"))["measures"]

    assert [row["value"] for row in rows] == [None, None]
    assert all(row["reason"] for row in rows)
    assert "the scores are not probabilities" in " ".join(cutline("evaluate", path, "--measures", "brier").out.split())


def test_csv_is_the_same_numbers(cutline, ten):
    done = cutline("evaluate", ten, "--csv", "--measures", "auc,recall", "--quiet")
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(done.out))}

    assert float(rows["auc"]["value"]) == evaluate(labels, scores).auc
    assert float(rows["recall"]["low"]) == evaluate(labels, scores).estimate("recall").low
    assert "baseline" in rows["auc"]


@pytest.mark.parametrize("suffix", ["semicolon.csv", "tab.tsv", "pipe.txt", "lines.jsonl", "p.parquet", "a.arrow"])
def test_every_format_gives_the_same(cutline, tmp_path, suffix):
    path = tmp_path / suffix
    write(path)

    assert values(cutline("evaluate", path, "--measures", "auc", "--json")) == {"auc": pytest.approx(0.8)}


def write(path):
    """The ten cases in the format of the name."""
    rows = list(zip(labels, scores, strict=True))
    if path.suffix == ".jsonl":
        path.write_text("".join(f'{{"y": {y}, "p": {p}}}\n' for y, p in rows), encoding="utf-8")
    elif path.suffix in (".parquet", ".arrow"):
        import pyarrow as pa
        from pyarrow import feather, parquet

        table = pa.table({"y": labels, "p": scores})
        (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)
    else:
        sign = {".csv": ";", ".tsv": "\t", ".txt": "|"}[path.suffix]
        path.write_text("".join(f"{a}{sign}{b}\n" for a, b in [("y", "p"), *rows]), encoding="utf-8")


def test_the_format_may_be_named(cutline, tmp_path):
    path = tmp_path / "predictions.parquet"
    path.write_text("y,p\n1,0.9\n0,0.2\n", encoding="utf-8")

    assert values(cutline("evaluate", path, "--format", "csv", "--measures", "auc", "--json")) == {"auc": 1}
    assert cutline("evaluate", path, "--measures", "auc").code == 2


def test_standard_input(cutline, ten, monkeypatch):
    class Stream:
        buffer = io.BytesIO(ten.read_bytes())

    monkeypatch.setattr(sys, "stdin", Stream)
    assert values(cutline("evaluate", "-", "--measures", "auc", "--json")) == {"auc": pytest.approx(0.8)}


@pytest.mark.slow
def test_charts_are_drawn_into_a_folder_and_not_over_others(cutline, ten, tmp_path):
    folder = tmp_path / "charts"
    done = cutline("evaluate", ten, "--png", folder, "--measures", "auc")
    again = cutline("evaluate", ten, "--png", folder, "--measures", "auc")

    assert done.code == 0
    assert {p.read_bytes()[:8] for p in folder.glob("*.png")} == {b"\x89PNG\r\n\x1a\n"}
    assert (folder / "roc.png").exists()
    assert again.code == 2
    assert "--force" in again.err
    assert again.out == ""


@pytest.mark.slow
def test_charts_that_need_both_classes_are_left_out_of_the_folder_of_one_class(cutline, tmp_path):
    (tmp_path / "one.csv").write_text("y,p\n1,0.3\n1,0.8\n")
    done = cutline("evaluate", tmp_path / "one.csv", "--png", tmp_path / "charts", "--measures", "recall")

    assert done.code == 0
    assert "roc is left out: The curve roc cannot be drawn, there is no negative case" in done.err
    pictures = len(list((tmp_path / "charts").glob("*.png")))
    assert f"{pictures} chart" in done.err


def test_the_report_is_written_and_not_over_another(cutline, ten, tumours, tmp_path):
    page = tmp_path / "report.html"
    done = cutline("evaluate", ten, "--html", page, "--measures", "auc", "--resamples", "100")
    again = cutline("evaluate", ten, "--html", page, "--measures", "auc")
    models = ("--id", "id", "--positive", "malignant", "--measures", "auc")

    assert (done.code, again.code) == (0, 2)
    assert "<html" in page.read_text(encoding="utf-8")
    assert "--force" in again.err
    over = cutline(
        "compare", tumours, *models, "--html", page, "--force", "--label", "label", "-q", "--resamples", "100"
    )
    assert (over.code, over.err) == (0, "")
    assert "logistic" in page.read_text(encoding="utf-8")
    assert "There is no folder" in cutline("evaluate", ten, "--html", tmp_path / "no" / "r.html").err


# ---------------------------------------------------------------------- compare


def test_a_model_may_come_from_standard_input(cutline, tumours, tmp_path, monkeypatch):
    """As a list of objects, whose format its first bytes tell."""
    rows = json.dumps([{"id": f"{i}", "y": i % 2, "p": i % 7} for i in range(20)])
    (tmp_path / "old.json").write_text(rows, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n" + rows.encode())))
    done = cutline(
        "compare", tmp_path / "old.json", "-", "--id", "id", "--label", "y", "--score", "p", "--measures", "auc"
    )

    assert (done.code, "the models cannot be told apart (AUC" in done.out) == (0, True)


def test_two_columns_are_compared(cutline, tumours):
    models = ("--label", "label", "--score", "logistic", "--score", "tree", "--positive", "malignant")
    found = document(cutline("compare", tumours, *models, "--measures", "auc,accuracy", "--json"))
    example = load("tumours")
    expected = compare(example.labels, example.scores, positive="malignant").difference("auc")

    row = next(row for row in found["differences"] if row["measure"] == "auc")
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((expected.value, expected.low, expected.high))
    assert set(found["models"]) == {"logistic", "tree"}


def test_two_files_are_joined_by_id(cutline, tumours, tmp_path):
    _, *rows = [line.split(",") for line in tumours.read_text(encoding="utf-8").splitlines()]
    for name, column, order in (("old", 2, 1), ("new", 3, -1)):
        lines = ["id,label,p", *(f"{row[0]},{row[1]},{row[column]}" for row in rows[::order])]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = (tmp_path / "old.csv", tmp_path / "new.csv")
    found = document(
        cutline("compare", *files, "--id", "id", "--positive", "malignant", "--measures", "auc", "--json", "-q")
    )

    assert found["differences"][0]["difference"] == pytest.approx(0.0229507, abs=1e-6)
    assert "--id" in cutline("compare", *files, "--positive", "malignant").err


def test_weights_count_in_comparisons_too(cutline, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("y,a,b,w\n1,0.9,0.1,3\n0,0.4,0.4,1\n1,0.3,0.8,1\n0,0.2,0.2,1\n", encoding="utf-8")
    models = ("--label", "y", "--score", "a", "--score", "b", "--weight", "w", "--measures", "auc", "--json", "-q")
    (row,) = document(cutline("compare", path, *models))["differences"]

    assert (row["value_a"], row["value_b"]) == (7 / 8, 2 / 8)  # 4 positives and 2 negatives: 8 pairs


def test_a_comparison_reads_as_a_table(cutline, tumours, monkeypatch):
    arguments = ("compare", tumours, "--id", "id", "--positive", "malignant", "--measures", "auc,recall")
    narrow = cutline(*arguments)
    monkeypatch.setenv("COLUMNS", "120")
    wide = cutline(*arguments)

    assert "2 models on the same 569 cases" in narrow.out
    assert "Recall" in narrow.out
    assert ".532-.663" in narrow.out  # the interval stands below its value
    assert wide.out.index("0.5991 [0.5319, 0.6627]") < wide.out.index("logistic minus tree")
    assert cutline(*arguments, "--csv", "-q").out.startswith("measure,a,b,value_a")


# ---------------------------------------------------------------------- measures, advise, demo


def test_measures_are_listed_and_explained(cutline):
    listed, one = cutline("measures"), cutline("measures", "ppv")

    assert all(measure.name in listed.out for measure in MEASURES)
    assert "Share of the flagged cases" in " ".join(one.out.split()) or MEASURES["ppv"].meaning[:30] in one.out
    assert len(document(cutline("measures", "--json"))["measures"]) == len(MEASURES)
    assert [m["name"] for m in document(cutline("measures", "matthews", "--json"))["measures"]] == ["mcc"]
    assert "Did you mean auc?" in cutline("measures", "acu").err


def test_advice_names_measures_and_sources(cutline):
    found = document(cutline("advise", "--goal", "quota", "--quota-known", "--missed-costly", "--json"))

    assert [r["measure"] for r in found["recommendations"]] == ["qrecall"]
    assert "Arbel" in cutline("advise", "--goal", "quota", "--quota-known").out
    assert "--goal" in cutline("advise").err


def test_advice_asks_people_what_it_does_not_know(cutline, monkeypatch):
    class Person(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Person("what\nquota\nmany\n0.1\ny\nn\n\n\ny\nn\nn\n"))
    done = cutline("advise")

    assert done.code == 0
    assert done.out.count("What is the model for") == 2  # the first answer is none
    assert "hit_rate" in done.out
    assert "qrecall" not in done.out


def test_the_choices_of_options_are_those_of_the_package():
    assert get_args(Goal) == GOALS
    assert options.FAMILY.settings["type"].choices == tuple(family.name.lower() for family in Family)
    assert options.FORMAT.settings["type"].choices == tuple(FORMATS)


def test_the_demo_shows_a_table_with_intervals_and_ends_with_the_path_of_its_report(cutline, tmp_path, monkeypatch):
    monkeypatch.setattr("cutline.results.resample_budget.RESAMPLES", 200)  # the limits below are by formula
    done = cutline("demo", "--html", str(tmp_path / "demo.html"))

    assert done.code == 0
    assert "[0.8032, 0.8680]" in done.out
    assert "What do I get for my quota?" in done.out
    assert done.out.rstrip().endswith("demo.html")
    assert "What the cut does" in (tmp_path / "demo.html").read_text(encoding="utf-8")


def test_what_measures_have_in_common_is_said_of_those_asked_for(cutline, ten):
    """The headlines hold pairs that are one number as well, but nobody asked for them."""
    quota = ("--quota", "4", "--resamples", "100")

    assert "These are equivalent" not in cutline("evaluate", ten, *quota).out
    assert "These are equivalent" in cutline("evaluate", ten, *quota, "--family", "quota", "--verbose").out


def test_fewer_resamples_are_said_by_every_command(cutline, tumours, monkeypatch):
    for name, value in (("ROWS", 1000), ("SHORT", 0), ("ENOUGH", 100)):
        monkeypatch.setattr(f"cutline.results.resample_budget.{name}", value)
    columns = ("--label", "label", "--positive", "malignant", "--id", "id")
    words = "The bootstrap intervals are from 100 resamples"
    one, two = (*columns, "--score", "tree"), (*columns, "--score", "tree", "--score", "logistic")
    all_notes = ("--measures", "ks", "--verbose")

    assert words in " ".join(cutline("evaluate", tumours, *one, *all_notes).out.split())
    assert words in " ".join(cutline("compare", tumours, *two, *all_notes).out.split())
    assert words in cutline("check", tumours, *one, "--require", "ks.low > 0").err
    for quiet in (("--require", "auc.low > 0"), ("--require", "ks.low > 0", "--resamples", "100")):
        assert cutline("check", tumours, *one, *quiet).err == ""


def test_no_p_value_is_nought(cutline, tmp_path):
    """Three hundred cases of each class in perfect order, against the reverse."""
    rows = [f"{int(i < 300)},{-i},{i}" for i in range(600)]
    (tmp_path / "both.csv").write_text("\n".join(["y,good,bad", *rows]), encoding="utf-8")
    models = ("--label", "y", "--score", "good", "--score", "bad", "--measures", "accuracy", "--threshold", "-299")
    out = cutline("compare", "both.csv", *models).out

    assert "< 1e-16" in out
    assert "0.0000   " not in out


def test_notes_have_the_level_and_the_options_of_the_command(cutline, tmp_path):
    path = tmp_path / "down.csv"
    path.write_text("y,p\n1,0.2\n0,0.9\n0,0.3\n1,0.4\n1,0.5\n0,0.6\n", encoding="utf-8")
    done = cutline("evaluate", path, "--label", "y", "--score", "p", "--level", "0.8", "--resamples", "100")
    said = " ".join(done.out.split())

    assert "If low scores mean positive, pass --lower-is-positive." in said
    assert "(80 % interval 0" in said
    assert "95 %" not in said
    assert "higher_is_positive" not in said


@pytest.mark.parametrize("name", ["", " "])
def test_a_blank_name_is_that_of_the_column(cutline, ten, name):
    done = cutline("evaluate", ten, "--label", "y", "--score", "p", "--name", name, "--measures", "auc")

    assert done.out.startswith("p puts a positive before a negative in 80 % of the pairs")


def test_a_measure_is_shown_under_the_name_that_was_asked_for(cutline, ten):
    asked = ("evaluate", ten, "--measures", "sensitivity,recall,ppv,roc_auc")

    shown = cutline(*asked).out
    document = json.loads(cutline(*asked, "--json").out)

    assert [title in shown for title in ("Sensitivity", "Recall", "PPV", "ROC AUC")] == [True] * 4
    assert [row["title"] for row in document["measures"]] == ["Sensitivity", "Recall", "PPV", "ROC AUC"]
    assert [row["measure"] for row in document["measures"]] == ["sensitivity", "recall", "ppv", "roc_auc"]


FIVE = {"logistic": 1.4, "forest": 1.5, "boosting": 1.45, "tree": 0.8, "rules": 0.5}


@pytest.fixture
def five(tmp_path):
    """Five models on 400 cases."""
    rng = np.random.default_rng(3)
    labels = (rng.random(400) < 0.3).astype(int)
    columns = [1 / (1 + np.exp(1 - shift * labels - rng.normal(size=400))) for shift in FIVE.values()]
    rows = [",".join([str(label), *(f"{p:.4f}" for p in row)]) for label, *row in zip(labels, *columns, strict=True)]
    path = tmp_path / "five.csv"
    path.write_text("\n".join([",".join(["y", *FIVE]), *rows]) + "\n", encoding="utf-8")
    return path, [part for name in FIVE for part in ("--score", name)]


def test_five_models_fit_on_a_screen_and_the_verdict_stands_first(cutline, five):
    path, scores = five
    lines = cutline("compare", path, "--label", "y", *scores, "--resamples", 100, "--quiet").out.splitlines()

    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(("Overall, choose ", "For ranking, "))
    assert any(line.startswith("Difference from ") for line in lines)


def test_the_verdict_is_the_same_for_measures_in_any_order(cutline, five):
    path, _ = five
    two = ("compare", path, "--label", "y", "--score", "logistic", "--score", "tree", "--json")

    def choices(measures):
        return json.loads(cutline(*two, "--measures", measures).out)["choices"]

    assert choices("recall,specificity") == choices("specificity,recall")


def test_the_reference_and_the_primary_measure_can_be_named(cutline, five):
    path, scores = five
    options = ("--label", "y", *scores, "--measures", "auc,f1", "--resamples", 100)

    done = cutline("compare", path, *options, "--reference", "rules", "--primary", "f1")
    assert done.out.splitlines()[0].startswith("At the cut, ")
    assert "Difference from rules" in done.out
    assert "Difference from" not in cutline("compare", path, *options, "--pairs").out
    assert cutline("compare", path, *options, "--reference", "nobody").code == 2
    assert cutline("compare", path, *options, "--independent", "--pairs").code == 2


def many_models(folder, models):
    rng = np.random.default_rng(7)
    signal = rng.normal(size=300)
    labels = (rng.random(300) < 1 / (1 + np.exp(1.2 - 1.2 * signal))).astype(int)
    scores = [1 / (1 + np.exp(1.2 - signal - 0.3 * i * rng.normal(size=300))) for i in range(models)]
    lines = [
        ",".join([str(y), *(f"{p:.6f}" for p in row)]) for y, row in zip(labels, np.transpose(scores), strict=True)
    ]
    names = [f"model_{i}" for i in range(models)]
    (folder / "models.csv").write_text("\n".join([",".join(["y", *names]), *lines]), encoding="utf-8")
    return [part for name in names for part in ("--score", name)]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("models", [2, 3, 5, 12])
def test_a_comparison_fits_on_a_screen_with_its_notes(cutline, tmp_path, monkeypatch, models, width):
    scores = many_models(tmp_path, models)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = cutline("compare", "models.csv", "--label", "y", *scores, "--resamples", "200").out.splitlines()

    assert len(lines) <= 60
    assert max(map(len, lines)) <= width
    assert sum(line.startswith("! ") for line in lines) <= 3
    assert any(line.startswith("For ranking, ") for line in lines[:5])


def test_a_warning_that_questions_all_numbers_stands_before_them(cutline, tmp_path):
    (tmp_path / "hard.csv").write_text("y,p\n" + "1,1\n1,0\n0,0\n0,0\n" * 20, encoding="utf-8")
    lines = cutline("evaluate", "hard.csv", "--label", "y", "--score", "p").out.splitlines()

    before = lines[: lines.index("")]
    assert before[0].startswith("p puts a positive before a negative in 75 % of the pairs")
    assert any(line.startswith("! The scores have 2 distinct values: labels rather than scores.") for line in before)
    assert sum("labels rather than scores" in line for line in lines) == 1


def test_the_notes_of_an_evaluation_are_those_that_the_terminal_prints(cutline, ten):
    done = cutline("evaluate", ten, "--label", "y", "--score", "p", "--verbose")
    printed = " ".join(done.out.split())

    notes = evaluate("y", "p", data=str(ten)).notes
    listed = done.out.splitlines()[done.out.splitlines().index("Notes") :]
    assert len(notes) == sum(line.startswith(("! ", "- ")) for line in listed)
    for note in notes:
        assert " ".join(str(note).split()) in printed


def test_limits_that_are_rounding_are_shown_as_nought():
    from cutline.core.table import format_both_limits, format_value

    assert format_value(2.11e-15) == "0.0000"
    assert format_both_limits(-1.41e-05, 0.03) == ("0.0000", "0.0300")
