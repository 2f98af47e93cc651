"""The clinical validation report: essentials first, every measure with advice, a checklist, nothing from elsewhere."""

import html
import json
import re

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.core.table import format_value
from cutline.report import summarize
from cutline.report.clinical import CHECKLIST, GUIDES

pytestmark = pytest.mark.slow


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
    with pytest.raises(cl.ParameterError, match="'report', 'tools', 'clinical' or 'credit'"):
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
    return format_value(value), "none" if low is None else f"{format_value(low)} to {format_value(high)}"


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


def test_measures_that_were_not_requested_have_the_same_options(ran):
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
    assert cells(text)["Sensitivity"][0] == format_value(ev.value("recall", threshold=0.4))
    assert "Cases with a risk of 0.4 or more are flagged" in text


@pytest.mark.parametrize("scores", [[0.2, 0.4, 0.6, 0.9], [i / 40 for i in range(40)]])
def test_cases_of_one_class_have_a_page_that_says_what_is_undefined(tmp_path, scores):
    ev = cl.evaluate([1] * len(scores), scores, positive=1)
    ev.save(tmp_path / "page.html", template="clinical")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert cells(text)["AUROC"][0] == "undefined"


@pytest.fixture(scope="module")
def marker(tmp_path_factory):
    rng = np.random.default_rng(5)
    labels = rng.random(200) < 0.4
    ev = cl.evaluate(labels, np.exp(rng.normal(size=200) + labels).round(3), name="marker", threshold=2.5)
    path = tmp_path_factory.mktemp("marker") / "page.html"
    ev.save(path, template="clinical")
    return ev, path.read_text(encoding="utf-8")


def test_a_biomarker_has_a_page_too(marker):
    ev, text = marker
    on_page = cells(text) | essentials(text)

    assert "The values are not risks. Cases are flagged at score ≥ 2.5." in text
    assert text.count("<figure>") == 3
    for title, name in (
        ("AUROC", "auc"),
        ("Sensitivity", "recall"),
        ("Specificity", "specificity"),
        ("Positive likelihood ratio", "lr_plus"),
        ("Negative likelihood ratio", "lr_minus"),
        ("Positive predictive value", "precision"),
    ):
        estimate = ev.estimate(name)
        assert on_page[title] == written(estimate.value, estimate.low, estimate.high), title
    assert "O:E ratio" not in text
    assert "decision curve" not in text


def test_the_cut_of_a_biomarker_has_a_promise_and_paragraphs_to_copy(marker):
    ev, text = marker
    found = re.search("<p id='promise'>(.*?)</p>", text)[1]
    assert html.unescape(found) == cl.cut_at(ev, threshold=2.5).statement
    assert "This holds however the cut was chosen; one that was chosen for a requirement can promise more." in text
    results = html.unescape(re.search("<p id='results'>(.*?)</p>", text)[1])
    assert f"The score {ev.name} was validated in" in results
    assert f"The AUROC was {ev.auc:.2f} (95 % CI" in results
    recall = ev.estimate("recall")
    shares = [f"{100 * share:.1f} %" for share in (recall.value, recall.low, recall.high)]
    assert f"sensitivity was {shares[0]} (95 % CI {shares[1]} to {shares[2]})" in results
    assert "the positive likelihood ratio was" in results.lower()
    methods = html.unescape(re.search("<p id='methods'>(.*?)</p>", text)[1])
    assert "area under the ROC curve (DeLong" in methods
    assert "))" not in methods
    assert "resamples" not in methods  # none of the intervals that it names is a bootstrap interval
    assert "Wilson" in methods


def essentials(text):
    """The values and intervals of the small tables."""
    row = r"<th scope='row'>([^<]+)</th><td class='n'>([^<]+)</td><td class='n'>([^<]+)<"
    return {title: (value, interval) for title, value, interval in re.findall(row, text)}


def test_the_legend_of_the_roc_curve_has_the_auc_with_its_interval(page, marker):
    for ev, text in (page, marker):
        area = ev.estimate("auc")
        assert (
            f"AUROC {format_value(area.value)} (95 % interval {format_value(area.low)} to {format_value(area.high)})"
            in text
        )


def test_no_note_recommends_what_the_guidance_does_not(tmp_path):
    rng = np.random.default_rng(2)
    labels = rng.random(400) < 0.1
    ev = cl.evaluate(labels, np.clip(0.1 + 0.2 * labels + 0.1 * rng.normal(size=400), 0.01, 0.99))
    ev.save(tmp_path / "page.html", template="clinical", resamples=50)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    notes = [note.text for note in summarize(ev, resamples=50).notes]
    assert any("Read recall together with precision" in text for text in notes)
    assert not any("MCC" in text for text in notes)  # which the page calls not recommended
    assert "not recommended" in text
    assert "Read recall together with precision" not in text


def test_a_model_on_its_own_fitting_data_is_reported(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    labels = rng.random(300) < 1 / (1 + np.exp(-x))
    design = np.column_stack((np.ones(300), x))
    weights = np.zeros(2)
    for _ in range(30):  # logistic regression by Newton's steps
        p = 1 / (1 + np.exp(-design @ weights))
        weights += np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, design.T @ (labels - p))
    ev = cl.evaluate(labels, 1 / (1 + np.exp(-design @ weights)))
    ev.save(tmp_path / "page.html", template="clinical", resamples=50)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert "If these cases were used to fit or recalibrate the model, this is not a validation" in text
    assert not re.search(r"intercept [-\d.]+e-", text)


def test_a_model_that_is_not_perfect_is_not_suspected(page):
    assert "this is not a validation" not in page[1]


def test_a_summary_of_another_type_is_refused(tmp_path):
    ev = cl.evaluate([1, 0, 1, 0], [2.0, 1.0, 3.0, -1.0])
    with pytest.raises(cl.ParameterError, match="summary"):
        ev.save(tmp_path / "page.html", template="clinical", summary=3)


def test_a_default_cut_is_mentioned_before_the_numbers(marker, tmp_path):
    ev, chosen = marker
    assert "The cut was not chosen" not in chosen
    text = html.unescape(
        ev.with_cut().save(tmp_path / "p.html", template="clinical", resamples=50).read_text(encoding="utf-8")
    )
    warning = text.index("The cut was not chosen: score ≥ ")
    assert warning < text.index("The essentials")
    assert "which flags about as many cases as have the outcome" in text


def test_the_charts_of_the_clinical_page_speak_of_sensitivity(marker):
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", marker[1])
    assert {"Sensitivity", "1 - specificity"} <= set(drawn)
    assert not {"Recall", "False positive rate"} & set(drawn)
