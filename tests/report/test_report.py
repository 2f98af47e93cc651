"""The report as a file: whole, small, safe, and refused where it cannot be written."""

import base64
import csv
import gzip
import json
import re
import threading

import numpy as np
import pytest

import cutline as cl
from cutline.advice import notes
from cutline.charts import CHARTS, PAGE_MEASURES, Place, Shows
from cutline.curves import iso_cost
from cutline.examples import load
from cutline.inference.two.rows import NOT_RESAMPLED
from cutline.report import html
from cutline.report.chart_specs import charts, kinds
from cutline.report.kept_cuts import embedded, kept, left_out
from cutline.report.measure_rows import facts
from cutline.report.page import MODULES, asset, packed, script
from cutline.report.ranking_table import ranking_table
from cutline.report.verdict import grouped, verdict
from drawing import layers_of

INJECTED = "<script>alert(1)</script>"
LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


@pytest.fixture(scope="module")
def ten():
    return cl.evaluate(LABELS, SCORES, name=INJECTED)


@pytest.fixture(scope="module")
def page(ten):
    return html(ten)


@pytest.fixture(scope="module")
def long_list():
    rng = np.random.default_rng(3)
    labels = rng.random(200_000) < 0.02
    return cl.evaluate(labels, rng.normal(size=200_000) + 1.2 * labels, threshold=1.7, name="long")


def data_of(page):
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


# ---------------------------------------------------------------------- what is in it


def test_nothing_is_fetched_from_anywhere(page):
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)

    assert set(re.findall(r"\w+://[^\"\s]*", outside)) <= {"http://www.w3.org/1998/Math/MathML"}
    assert not re.search(r"<(?:link|img|iframe)[^>]*(?:href|src)=\"(?!data:)", outside)
    assert "<script src" not in page
    assert "default-src &#39;none&#39;" in page
    assert "unsafe-eval" not in page


def test_names_are_text_wherever_they_stand(page, ten):
    assert INJECTED not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert data_of(page)["models"][0]["name"] == INJECTED


def test_names_of_several_models_and_labels_are_text():
    labels = np.where(np.array(LABELS) == 1, INJECTED, "no")
    models = cl.compare(labels, {INJECTED: SCORES, "<b>": SCORES[::-1]}, positive=INJECTED)
    text = html(models)

    assert INJECTED not in text
    assert "<b></th>" not in text
    first = models[INJECTED]
    for shown in (models, first, first.counts, first.estimate("auc"), first.curve("roc")):
        assert "<script" not in shown._repr_html_()
        assert "<table" in shown._repr_html_()


def test_svg_and_json_hold_names_as_text(ten, tmp_path):
    assert "<script>" not in ten.save(tmp_path / "roc.svg").read_text(encoding="utf-8")
    assert json.loads(ten.save(tmp_path / "ten.json").read_text(encoding="utf-8"))["name"] == INJECTED


def test_every_measure_is_there_with_formula_and_source(page, ten):
    for row in ten.summary():
        assert f"<code>{row['measure']}</code>" in page
    assert page.count("<math ") >= len(ten.summary())
    assert facts(cl.MEASURES["mcc"])["sources"][-1].startswith("Matthews")


def test_three_sentences_stand_first(page):
    verdict = re.search(r'<div class="verdict">(.*?)</div>', page, flags=re.DOTALL)[1]

    assert verdict.count("<p>") == 3
    assert "5 of them positive" in verdict
    assert "AUC 0.8000" in verdict
    assert "finds 4 of the 5 positives and misses 1, with 1 false alarm." in verdict


def sentences(evaluation):
    return verdict(evaluation, notes(evaluation), 0.95)


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        (LABELS, SCORES, "The model was evaluated on 10 cases, 5 of them positive (50 %): it puts a positive before a"),
        ([1, 0] * 20, [0.5] * 40, "(ties count half) (AUC 0.5000, 95 % interval 0."),
        ([1, 0] * 20, [0.5] * 40, "which cannot be told from chance, 50 %."),
        ([0, 1] * 50, np.linspace(0, 1, 100) + np.tile([0, 0.2], 50), "), better than chance, 50 %."),
        ([0] * 50 + [1] * 50, np.linspace(0, 1, 100), "), clearly better than chance, 50 %."),
        ([1] * 50 + [0] * 50, np.linspace(0, 1, 100), "worse than chance, 50 %: the order may be reversed."),
        ([1, 1, 1], [0.2, 0.6, 0.9], "with one class alone, nothing can be said"),
    ],
)
def test_the_first_sentence_says_how_the_auc_stands_to_chance(labels, scores, words):
    assert words in sentences(cl.evaluate(labels, scores))[0]


def test_the_second_sentence_says_what_the_cut_does():
    def second(labels, scores, **options):
        return sentences(cl.evaluate(labels, scores, **options))[1]

    assert second(LABELS, SCORES, threshold=0.99) == "At score ≥ 0.99 it flags nobody: it misses all 5 positives."
    assert second([1, 1], [0.2, 0.6]).endswith("it finds 1 of the 2 positives and misses 1, with no false alarm.")
    many = second([1, 0] * 6000, [0.7, 0.3] * 6000)
    assert "flags 6000 of 12\N{THIN SPACE}000 cases" in many


def test_cases_that_all_share_a_score_give_a_report():
    assert "labels rather than scores" in html(cl.evaluate([1, 0] * 20, [0.5] * 40))


def test_a_list_too_long_for_resamples_has_the_intervals_of_formulas(long_list):
    found = long_list.summary(["auc", "average_precision"] * 30)

    assert found["auc"].interval is not None
    assert found["average_precision"].interval is None
    assert "nothing was resampled" in found.conventions["Intervals"]


def test_the_ranking_is_a_table(page, ten, long_list):
    found = ranking_table(ten, "ten")
    assert found["rows"][2] == ("0.75", "0", "1", "3", "2", "1", "0.4000", "0.2000", "0.6667")
    assert len(found["rows"]) == 10
    assert "<caption>All 10 distinct scores.</caption>" in page
    found = ranking_table(long_list, "long")
    assert 45 <= len(found["rows"]) <= 50
    assert found["rows"][-1][3:6] == tuple(grouped(c) for c in (200_000, *map(float, _classes(long_list))))


def _classes(evaluation):
    return evaluation.ranking.positives, evaluation.ranking.negatives


def test_every_chart_has_its_place_or_a_table_instead():
    pair = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})
    drawn = {picture["name"] for picture in charts(pair, [pair.confidence_curve()])}

    assert drawn & set(CHARTS) == {kind.name for kind in CHARTS.at(Place.PAGE_FIRST | Place.PAGE)}
    assert {"confusion_matrix", "ranking_table"} <= set(CHARTS) - drawn  # the page has real tables of these
    assert drawn - set(CHARTS) == {*PAGE_MEASURES}


def test_the_page_moves_the_cut_so_the_charts_hold_no_fixed_one(ten):
    for picture in charts({"ten": ten}):
        text = json.dumps(picture["spec"])
        assert "cut: " not in text, picture["name"]
        assert "cut at 0" not in text, picture["name"]
        assert ({"name": "cut"} in [layer.get("data") for layer in layers_of(picture["spec"])]) == bool(picture["cut"])
        assert picture["spec"]["datasets"].get("cut", []) == [], picture["name"]
        assert picture["spec"]["datasets"].get("areas", []) == [], picture["name"]


def test_infinite_scores_are_held():
    found = embedded(cl.evaluate([1, 0, 1, 0], [np.inf, 0.5, 0.2, -np.inf], threshold=np.inf), "ends")

    assert found["scores"] == ["Infinity", 0.5, 0.2, "-Infinity"]
    assert html(cl.evaluate([1, 0, 1, 0], [np.inf, 0.5, 0.2, -np.inf]))


def test_one_class_gives_a_report_that_says_so():
    text = html(cl.evaluate([1, 1, 1], [0.2, 0.6, 0.9]))

    assert "one class" in text
    assert "The curve roc cannot be drawn" in text


def test_the_modules_are_one_program():
    assert "import " not in re.sub(r"//.*", "", script())
    assert "export " not in script()
    top = r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)"
    names = [name for module in MODULES for name in re.findall(top, asset(f"{module}.js"), flags=re.MULTILINE)]
    assert len(names) == len(set(names))


# ---------------------------------------------------------------------- cuts that are kept


def test_a_short_list_keeps_every_cut(ten):
    found = embedded(ten, "ten")

    assert found["tp"] == [0, 1, 2, 2, 3, 4, 4, 4, 5, 5, 5]
    assert found["fp"] == [0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 5]
    assert found["scores"] == SCORES
    assert found["kept"] is None
    assert left_out(ten) == ""


def test_a_long_list_keeps_the_cuts_that_are_asked_for(long_list):
    r, found = long_list.ranking, kept(long_list.ranking, 1.7)

    assert len(found.cuts) < 6000
    assert {0, len(r), r.cut(1.7), r.cut(1.7) + 1, *range(500)} <= set(found.cuts.tolist())
    for ratio in (0.1, 1, 20, 300):
        assert r.cut(iso_cost(r, cost_fn=ratio).point.threshold) in found.cuts
    assert np.diff(r.tpr[found.cuts]).max() == found.of_positives <= 0.002
    assert np.diff(r.fpr[found.cuts]).max() == found.of_negatives <= 0.002
    assert f"{len(found.cuts)} of the {len(r) + 1} cuts" in left_out(long_list)


def test_the_page_says_when_it_lacks_corners_of_the_hull(monkeypatch, long_list):
    assert kept(long_list.ranking, 1.7).has_hull
    assert "The cheapest cut is there, whatever the costs." in left_out(long_list)
    monkeypatch.setattr("cutline.report.kept_cuts._HULL", 20)
    assert not kept(long_list.ranking, 1.7).has_hull
    assert "may be a little cheaper still" in left_out(long_list)


def test_a_long_list_stays_small(long_list):
    assert len(html(long_list)) < 2_000_000


def test_twelve_long_lists_leave_room_for_the_rest(long_list):
    models = {f"model {i}": long_list for i in range(12)}
    lists = packed([embedded(model, name, 12) for name, model in models.items()])
    pictures = packed(list(charts(models)))

    assert len(lists) + len(pictures) < 1_500_000  # the library, the tables and the program take as much again


# ---------------------------------------------------------------------- files


def test_the_suffix_says_what_is_written(ten, tmp_path):
    assert ten.save(tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    document = ten.save(tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(document) == json.loads(json.dumps(ten.to_dict()))
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
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("cutline.core.writing.tempfile.mkstemp", refuse)
    with pytest.raises(cl.ParameterError, match=r"Nothing can be written in the folder .* \(Permission denied\)"):
        ten.save(tmp_path / "a.json")


def test_a_file_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    from cutline.core import writing

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(writing, "_claim", fail)
    with pytest.raises(OSError, match="disk full"):
        writing.write(tmp_path / "a.txt", b"text", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_of_two_writers_one_wins_and_the_other_is_told(tmp_path):
    from cutline.core import writing

    path, told = tmp_path / "a.txt", []

    def write(content):
        try:
            writing.write(path, content, overwrite=False)
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


def test_two_models_stand_side_by_side(tmp_path):
    data = load("tumours")
    models = cl.compare(data.labels, data.scores, positive=data.positive)
    text = models.save(tmp_path / "two.html").read_text(encoding="utf-8")

    for words in ("Tests of differences", "Who is best where", "delong", models.verdict("auc")):
        assert words in text
    assert len(data_of(text)["models"]) == 2
    drawn = [picture["name"] for picture in data_of(text)["charts"]]
    assert all(drawn.count(kind.name) == 2 for kind in kinds(several=True) if kind.shows is Shows.ONE)
    titles = [picture["title"] for picture in data_of(text)["charts"]]
    assert len(titles) == len(set(titles))
    assert "ROC and precision-recall under another prevalence of tree" in titles


def test_the_tests_of_many_models_fold_away_with_their_outcome():
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.5
    scores = {f"m{i}": rng.normal(size=200) + (3 - i) * labels for i in range(4)}
    models = cl.compare(labels, scores, threshold=0.5)
    text = html(models)
    apart = sum(pair.p_holm < 0.05 for pair in models.test("auc"))

    assert 0 < apart <= 6
    assert f"<summary>Area under the ROC curve: {apart} of 6 pairs differ significantly (Holm)</summary>" in text


def test_differences_of_long_lists_are_tested_by_formula_alone(monkeypatch):
    data = load("tumours")
    models = cl.compare(data.labels, data.scores, positive=data.positive)
    monkeypatch.setattr("cutline.results.budget.WORK", 1000)
    found = {row.name: row for row in models.summary().rows}

    assert {"auc", "accuracy", "recall", "specificity"} == {name for name, row in found.items() if row.interval}
    assert found["mcc"].notes == (NOT_RESAMPLED,)


def test_the_level_is_that_of_every_interval(ten, tmp_path):
    text = ten.save(tmp_path / "r.html", level=0.5).read_text(encoding="utf-8")
    area = ten.estimate("auc", 0.5)

    assert f"50 % interval {area.low:.4f} to {area.high:.4f}" in text
    assert "With 50 % intervals" in text
    assert "50 %: Wilson for proportions" in text
    assert json.loads(ten.save(tmp_path / "r.json", level=0.5).read_text(encoding="utf-8"))["measures"][0]["low"] > 0.6
    with pytest.raises(cl.CutlineError, match="level"):
        ten.save(tmp_path / "other.html", level=95)
