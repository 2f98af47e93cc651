"""The report and what else a result saves: one file that holds all, asks nobody, and says what the summary says."""

import base64
import csv
import gzip
import json
import math
import re
import threading

import numpy as np
import pytest

import cutline as cl
from cutline.examples import load
from cutline.inference.differences.difference_rows import NOT_RESAMPLED
from cutline.report import render_html, summarize
from cutline.report.html_page import load_asset, load_script, pack_data
from cutline.report.measure_rows import describe_measure, format_number, format_p_value, make_slug
from cutline.report.page import MODULES, render_model_page
from cutline.report.sections import SECTIONS

INJECTED = "<script>alert(1)</script>"
LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


@pytest.fixture(scope="module")
def ten():
    return cl.evaluate(LABELS, SCORES, name=INJECTED)


@pytest.fixture(scope="module")
def text(ten):
    return render_html(ten)


@pytest.fixture(scope="module")
def report_of_two():
    data = load("tumours")
    models = cl.compare(data.labels, data.scores, positive=data.positive)
    summary = summarize(models)
    return summary, render_html(models, summary)


def data_of(text):
    found = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', text)[1]
    return json.loads(gzip.decompress(base64.b64decode(found)))


def words_of(text, name):
    """The text of what has an id, without its markup."""
    inner = re.search(rf'id="{name}"[^>]*>(.*?)</(?:p|b|strong|span|tr)>', text, flags=re.DOTALL)[1]
    return re.sub(r"<[^>]*>", "", inner).strip()


# ---------------------------------------------------------------------- what is in it


def test_nothing_is_fetched_from_anywhere(text):
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)

    assert set(re.findall(r"\w+://[^\"\s]*", outside)) <= {"http://www.w3.org/1998/Math/MathML"}
    assert not re.search(r"<(?:link|img|iframe)[^>]*(?:href|src)=\"(?!data:)", outside)
    assert "<script src" not in text
    assert "default-src &#39;none&#39;" in text
    assert "unsafe-eval" not in text


def test_names_are_text_wherever_they_stand(text):
    assert INJECTED not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert data_of(text)["models"][0]["name"] == INJECTED


def test_names_of_several_models_and_labels_are_text():
    labels = np.where(np.array(LABELS) == 1, INJECTED, "no")
    models = cl.compare(labels, {INJECTED: SCORES, "<b>": SCORES[::-1]}, positive=INJECTED)
    text = render_html(models)

    assert INJECTED not in text
    assert "<b></th>" not in text
    first = models[INJECTED]
    for shown in (models, first, first.counts, first.estimate("auc"), first.curve("roc")):
        assert "<script" not in shown._repr_html_()
        assert "<table" in shown._repr_html_()


def test_svg_and_json_hold_names_as_text(ten, tmp_path):
    assert "<script>" not in ten.save(tmp_path / "roc.svg").read_text(encoding="utf-8")
    assert json.loads(ten.save(tmp_path / "ten.json").read_text(encoding="utf-8"))["name"] == INJECTED


def test_every_measure_is_there_with_formula_and_source(text, ten):
    rows = ten.summary().rows
    for row in rows:
        assert f"<code>{row.name}</code>" in text
    assert text.count("<math ") >= len(rows)
    assert describe_measure(cl.MEASURES["mcc"])["sources"][-1].startswith("Matthews")


def test_the_sections_follow_their_order_and_each_has_a_part(text, report_of_two):
    always = [section.name for section in SECTIONS if section.name != "tools"]  # which is shown on request
    one_model = [name for name in always if name != "models"]

    assert re.findall(r'<section id="(\w+)"', text) == one_model
    assert re.findall(r'<section id="(\w+)"', report_of_two[1]) == always
    assert re.findall(r'<a href="#(\w+)">', text) == one_model
    for section in SECTIONS:
        assert load_asset(f"parts/{section.name}.html")


def test_the_program_contains_no_formula_of_a_measure():
    """The program knows operations, and by their names only the measures that it has fields and columns for."""
    names = {name for m in cl.MEASURES for name in m.names if len(name) > 3}
    words = set(re.findall(r"[a-z_0-9]+", re.sub(r"//.*", "", load_script(MODULES)).replace("-", "_")))

    known = {"recall", "precision", "error", "expected_cost", "predicted_positive_rate", "prevalence"}
    assert words & names <= known
    assert not words & {"mcc", "f1", "npv", "p4", "dor", "youden"}


def test_the_program_neither_divides_nor_weighs_the_counts_of_a_cut():
    """A rate or a cost would be a measure, stated a second time. What makes counts of counts is none."""
    count = r"(?:\w+\.)?(?:tp|fp|fn|tn|flagged|positives|negatives)(?:\[\w+\])?"
    formula = re.compile(rf"{count}\)* [*/] |[*/] \(*{count}(?![\w.(])")
    found = [line.strip() for name in MODULES for line in load_asset(f"{name}.js").splitlines() if formula.search(line)]

    counts_of_counts = (
        "inside * (this.tp[next] - this.tp[index])",  # part of a tie
        "inside * (this.fp[next] - this.fp[index])",
        "[(prevalence * total) / positives, ((1 - prevalence) * total) / negatives]",  # another prevalence
        "{ ...cut, tp: cut.tp * up, fn: cut.fn * up, fp: cut.fp * down, tn: cut.tn * down }",
    )
    assert [line for line in found if not any(known in line for known in counts_of_counts)] == []
    for line in ("return tp / (tp + fp);", "this.tp[i] / this.positives", "fp * cut.fp + fn * cut.fn", "2 * tp"):
        assert formula.search(line)


def test_the_modules_are_one_program():
    assert "import " not in re.sub(r"//.*", "", load_script(MODULES))
    assert "export " not in load_script(MODULES)
    top = r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)"
    names = [name for module in MODULES for name in re.findall(top, load_asset(f"{module}.js"), flags=re.MULTILINE)]
    assert len(names) == len(set(names))


def test_cases_that_all_share_a_score_give_a_report():
    assert "labels rather than scores" in render_html(cl.evaluate([1, 0] * 20, [0.5] * 40))


def test_infinite_scores_are_held():
    assert render_html(cl.evaluate([1, 0, 1, 0], [np.inf, 0.5, 0.2, -np.inf], threshold=0.3))


def test_one_class_gives_a_report_that_says_so():
    text = render_html(cl.evaluate([1, 1, 1], [0.2, 0.6, 0.9]))

    assert "one class" in text
    assert "The curve roc cannot be drawn" in text


# ---------------------------------------------------------------------- a view of the summary


def shown_rows(text):
    """The rows of measures in the tables of the page: name, value, interval."""
    found = {}
    for row in re.findall(r"<tr[^>]*><th scope=\"row\"><details>.*?</tr>", text, flags=re.DOTALL):
        name = re.search(r"<code>(.*?)</code>", row)[1]
        value = re.search(r'class="value">(.*?)<', row)[1]
        interval = re.search(r'class="number interval wide-only">(.*?)<', row)[1]
        found[name] = (value, interval)
    return found


def test_the_tables_show_the_numbers_of_the_summary():
    data = load("tumours")
    ev = cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive)
    summary = ev.summary(level=0.9, seed=7, resamples=150, share=0.4)
    rows = shown_rows(render_model_page(summary))

    assert set(rows) == {row.name for row in summary.rows}
    for row in summary.rows:
        interval = f"{format_number(row.interval[0])} to {format_number(row.interval[1])}" if row.interval else None
        assert rows[row.name][0] == format_number(row.value), row.name
        if interval:
            assert rows[row.name][1] == interval, row.name
        elif row.reason and row.reason != "infinite":
            assert rows[row.name][1] == row.reason.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;")


def test_the_data_hold_the_document_of_the_summary(ten):
    summary = summarize(ten, level=0.8, seed=3)
    found = data_of(render_model_page(summary))

    assert found["document"] == json.loads(json.dumps(summary.document()))


@pytest.mark.slow
def test_the_page_of_a_share_opens_at_its_cut():
    data = load("tumours")
    ev = cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive)
    summary = ev.summary(share=0.4, intervals=False)
    text = render_model_page(summary)

    assert words_of(text, "cell-flagged") == "227"
    assert "flags 227 of 569 (39.9 %)" in text
    assert data_of(text)["models"][0]["start"]["quota"] == 227
    assert words_of(text, "cell-tp") == str(round(float(summary.counts.tp)))


def test_a_quota_inside_a_tie_says_that_its_counts_are_expectations():
    text = render_model_page(cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).summary(quota=2))

    assert words_of(text, "cell-tp") == "1.5"
    assert words_of(text, "sentence") == (
        "The first 2 cases (the last positions shared among ties at 0.6): 2 of 4 cases are flagged. "
        "About 2 of the 2 positives are found, about 0 are missed; about 0 of the 2 negatives are false alarms. "
        "The last positions go at random to cases of equal score: the counts are expectations."
    )
    assert {words_of(text, f"promise-{name}") for name in ("recall", "fpr", "precision")} == {"nothing"}


def test_one_case_is_said_in_the_singular():
    text = render_model_page(cl.evaluate([1, 0, 1, 0], [0.9, 0.7, 0.3, 0.2]).summary())

    assert words_of(text, "sentence").endswith(
        "1 of the 2 positives is found, 1 is missed; 1 of the 2 negatives is a false alarm."
    )


def test_few_measures_give_a_short_page():
    data = load("tumours")
    ev = cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive)
    rows = shown_rows(render_model_page(ev.summary(["auc", "precision", "mcc"])))

    assert set(rows) == {"auc", "precision", "mcc"}


def test_a_page_resamples_nothing(monkeypatch, ten):
    summary = ten.summary()

    def refuse(*_, **__):
        raise AssertionError("the page computes an interval")

    monkeypatch.setattr("cutline.inference.resampling.bootstrap.bootstrap", refuse)
    monkeypatch.setattr("cutline.evaluation.Evaluation.summary", refuse)
    monkeypatch.setattr("cutline.evaluation.Evaluation.estimate", refuse)
    assert render_model_page(summary)


def test_the_level_applies_to_every_interval(ten, tmp_path):
    text = ten.save(tmp_path / "r.html", level=0.5).read_text(encoding="utf-8")
    area = ten.estimate("auc", 0.5)

    assert f"50 % interval {area.low:.4f} to {area.high:.4f}" in text
    assert "Measures of this cut with 50 % intervals" in text
    assert "50 %: Wilson for proportions" in text
    assert json.loads(ten.save(tmp_path / "r.json", level=0.5).read_text(encoding="utf-8"))["measures"][0]["low"] > 0.6
    with pytest.raises(cl.CutlineError, match="level"):
        ten.save(tmp_path / "other.html", level=95)


def test_words_of_the_page_are_plain(text, report_of_two):
    for one in (text, report_of_two[1]):
        outside = re.sub(r"<script.*?</script>|<svg.*?</svg>", "", one, flags=re.DOTALL)
        assert not re.search(
            r"by chance|knowing nothing|live cut|ignorant|who is best|no score is enough", outside, flags=re.IGNORECASE
        )


def test_a_p_value_is_never_nought():
    assert format_p_value(0.0) == "< 1e-16"
    assert format_p_value(0.0321) == "0.0321"
    assert format_p_value(3.21e-9) == "3.21e-09"
    assert format_p_value(math.nan) == format_p_value(None) == ""


def test_names_with_parameters_are_ids():
    assert make_slug("f_beta(beta=2)") == "f_beta-beta-2"
    assert make_slug("precision") == "precision"


# ---------------------------------------------------------------------- several models


def test_two_models_are_shown_side_by_side(report_of_two):
    summary, text = report_of_two
    for words in ("Tests of differences", "Which model leads, by region", "DeLong", *summary.statements):
        assert words.replace("'", "&#39;") in text
    assert len(data_of(text)["models"]) == 2
    titles = [picture["title"] for picture in data_of(text)["charts"]]
    assert len(titles) == len(set(titles))


def test_a_difference_has_one_conclusion(report_of_two):
    summary, text = report_of_two
    table = re.search(r'<table class="numbers differences stack">.*?</table>', text, flags=re.DOTALL)[0]
    for row in summary.rows:
        assert f'<td data-of="Conclusion">{row.conclusion(summary.level)}</td>' in table
    assert "0.0000</td>" not in table.split("p (Holm)")[1].split("<tbody>")[0]


def test_the_tests_of_many_models_fold_away():
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.5
    scores = {f"m{i}": rng.normal(size=200) + (3 - i) * labels for i in range(4)}
    models = cl.compare(labels, scores, threshold=0.5)
    summary = summarize(models)
    text = render_html(models, summary)

    assert "<summary>Tests of all 6 pairs of models</summary>" in text
    assert "pairs differ significantly" not in text


def test_differences_of_long_lists_are_tested_by_formula_alone(monkeypatch):
    data = load("tumours")
    models = cl.compare(data.labels, data.scores, positive=data.positive)
    monkeypatch.setattr("cutline.results.resample_budget.WORK", 1000)
    found = {row.name: row for row in models.summary().rows}

    by_cut = {"accuracy", "recall", "specificity", "precision", "f1", "mcc", "balanced_accuracy"}
    formulas = {"auc", "brier", "log_loss", *by_cut}
    assert formulas <= {name for name, row in found.items() if row.interval}
    assert found["ks"].notes == (NOT_RESAMPLED,)


@pytest.fixture(scope="module")
def long():
    rng = np.random.default_rng(3)
    labels = rng.random(200_000) < 0.02
    return cl.evaluate(labels, rng.normal(size=200_000) + 1.2 * labels, threshold=1.7, name="long")


@pytest.mark.usefixtures("with_pictures")
def test_a_long_list_stays_small(long):
    text = render_model_page(long.summary(intervals="formula"))

    assert len(text) < 3_000_000
    assert len(pack_data(data_of(text)["models"])) < 400_000


# ---------------------------------------------------------------------- files


def test_the_suffix_decides_what_is_written(ten, tmp_path):
    assert ten.save(tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    document = ten.save(tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(document) == json.loads(json.dumps(summarize(ten).document()))
    assert ten.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(ten.save(tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert float(next(row for row in rows if row["measure"] == "auc")["value"]) == 0.8


def test_another_file_is_not_written_over(ten, tmp_path):
    path = tmp_path / "a.json"
    path.write_text("mine")
    with pytest.raises(cl.ParameterError, match="exists already: pass overwrite=True"):
        ten.save(path)
    assert path.read_text() == "mine"
    ten.save(path, overwrite=True)
    assert json.loads(path.read_text(encoding="utf-8"))["cases"] == 10


@pytest.mark.parametrize(
    ("name", "words"),
    [("a.xlsx", "the suffix '.xlsx'"), ("a", "no suffix"), ("no/such/a.html", "There is no folder")],
)
def test_what_cannot_be_saved_is_refused_in_one_sentence(ten, tmp_path, name, words):
    with pytest.raises(cl.ParameterError, match=words):
        ten.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_closed_is_named(ten, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("cutline.core.atomic_write.os.open", refuse)
    with pytest.raises(cl.ParameterError, match=r"Nothing can be written in the folder .* \(Permission denied\)"):
        ten.save(tmp_path / "a.json")


def test_a_file_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    from cutline.core import atomic_write

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(atomic_write, "_claim", fail)
    with pytest.raises(cl.ParameterError, match="disk full"):
        atomic_write.write(tmp_path / "a.txt", b"text", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_of_two_writers_one_wins_and_the_other_is_refused(tmp_path):
    from cutline.core import atomic_write

    path, told = tmp_path / "a.txt", []

    def write(content):
        try:
            atomic_write.write(path, content, overwrite=False)
        except cl.ParameterError as error:
            told.append(error)

    writers = [threading.Thread(target=write, args=(bytes([65 + i]) * 100_000,)) for i in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(told) == 3
    assert len(set(path.read_bytes())) == 1
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]
