"""The report's section on the probabilities: its verdict, its numbers and its pictures."""

import json
import re

import numpy as np
import pytest

import cutline as cl
from cutline.report import chart_specs, render_html, summarize
from cutline.report.page import NUMBERS, render_model_page, view_calibration


def predictions(seed=3, cases=200):
    rng = np.random.default_rng(seed)
    risk = rng.beta(1, 3, cases)
    labels = (rng.random(cases) < risk).astype(int)
    return labels, risk, risk**1.7 / (risk**1.7 + (1 - risk) ** 1.7)


@pytest.fixture(scope="module")
def report_of_one():
    labels, _, extreme = predictions()
    ev = cl.evaluate(labels, extreme, name="extreme")
    summary = summarize(ev, resamples=50)
    return ev, summary, render_html(ev, summary)


@pytest.fixture(scope="module")
def report_of_two():
    labels, right, extreme = predictions()
    comparison = cl.compare(labels, {"right": right, "extreme": extreme})
    return render_html(comparison, summarize(comparison, resamples=50))


def section(page):
    found = re.search(r'<section id="trust".*?</section>', page, flags=re.DOTALL)
    return found.group() if found else ""


def text_of(markup):
    return " ".join(re.sub(r"<[^>]+>", " ", markup).replace("&#39;", "'").split())


def test_the_section_says_what_the_verdict_of_the_same_numbers_says(report_of_one):
    ev, summary, page = report_of_one
    shown = text_of(section(page))
    for sentence in ev.calibration(resamples=50, seed=summary.options.seed).verdict:
        assert sentence in shown


def test_the_numbers_of_the_section_are_those_of_the_summary(report_of_one):
    _, summary, _ = report_of_one
    [group] = view_calibration({"extreme": summary})["numbers"]
    assert [row["name"] for row in group["rows"]] == list(NUMBERS)
    for row in group["rows"]:
        estimate = summary[row["name"]].estimate
        assert (row["value"], row["low"], row["high"]) == (estimate.value, estimate.low, estimate.high)


def test_one_model_has_a_diagram_and_its_risks_but_no_chart_of_a_single_point(report_of_one):
    titles = re.findall(r"<figcaption><h3>(.*?)</h3>", section(report_of_one[2]))
    assert titles == ["Probabilities by outcome"]  # the reliability diagram stands at the top of the page


def test_recalibration_is_judged_as_by_the_call(report_of_one):
    ev, summary, page = report_of_one
    found = cl.worth_recalibrating(ev, seed=summary.options.seed)
    assert found.verdict in text_of(section(page))
    assert len(view_calibration({"extreme": summary})["models"][0]["worth"]["rows"]) == len(found.candidates)


def test_several_models_each_have_their_verdict_and_share_the_charts(report_of_two):
    shown = section(report_of_two)
    titles = re.findall(r"<figcaption><h3>(.*?)</h3>", shown)
    assert titles[:2] == ["Reliability diagram", "Miscalibration and discrimination"]
    names = re.findall(r'<h3 class="name">(.*?)</h3>', shown)
    assert sorted(names) == ["extreme", "right"]  # as the verdict orders them
    assert titles[2:] == [f"Probabilities by outcome of {name}" for name in names]
    assert text_of(shown).count("Spiegelhalter's test") == 2


def test_scores_that_are_not_probabilities_get_a_plain_sentence():
    labels, risk, _ = predictions()
    ev = cl.evaluate(labels, np.log(risk / (1 - risk)))
    shown = section(render_html(ev, summarize(ev, resamples=0)))
    assert "The scores are not probabilities from 0 to 1" in text_of(shown)
    assert "<figure" not in shown


def test_a_model_without_probabilities_takes_the_section_from_no_other():
    labels, risk, extreme = predictions()
    models = cl.compare(labels, {"points": 300 + 500 * risk, "right": risk, "extreme": extreme})
    shown = section(render_html(models, summarize(models, resamples=0)))

    assert "The scores of points are not probabilities from 0 to 1" in text_of(shown)
    names = re.findall(r'<h3 class="name">(.*?)</h3>', shown)
    assert sorted(names) == ["extreme", "right"]  # as the verdict orders them
    titles = re.findall(r"<figcaption><h3>(.*?)</h3>", shown)
    assert titles[2:] == [f"Probabilities by outcome of {name}" for name in names]
    heads = re.findall(r'<th scope="col" class="number name">(.*?)</th>', shown)
    assert heads == names


def test_a_report_of_a_few_measures_has_no_section_of_unrequested_numbers():
    labels, risk, _ = predictions()
    ev = cl.evaluate(labels, risk)
    assert not section(render_html(ev, summarize(ev, measures=["auc", "brier"])))


def test_data_of_one_class_have_a_page_without_the_section():
    ev = cl.evaluate([1, 1, 1], [0.2, 0.5, 0.9], positive=1)
    assert view_calibration({"one": summarize(ev, resamples=0)}) is None


def test_the_page_computes_no_judgement(report_of_one, monkeypatch):
    _, summary, page_of_one = report_of_one
    for name in ("judge_calibration", "worth_recalibrating"):
        monkeypatch.setattr(f"cutline.calibration.summary.{name}", lambda *_, **__: pytest.fail("computed again"))

    assert text_of(section(render_model_page(summary))) == text_of(section(page_of_one))


def test_the_document_of_a_report_holds_the_judgement(report_of_one):
    ev, summary, _ = report_of_one
    found = json.loads(json.dumps(summary.document(), allow_nan=False))["probabilities"]

    assert found["recalibration"] == cl.worth_recalibrating(ev, seed=summary.options.seed).to_dict()
    assert found["calibration"]["verdict"] == list(ev.calibration(resamples=50).verdict)
    assert ev.summary(["auc"]).document()["probabilities"] is None


def test_too_few_cases_to_compare_methods_are_reported():
    ev = cl.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.2])
    found = summarize(ev, resamples=0)

    assert found.probabilities.worth is None
    assert "A class has fewer than 20 cases" in text_of(section(render_html(ev, found)))


def test_the_bands_of_the_charts_have_the_level_of_the_report():
    labels, _, extreme = predictions(cases=60)
    models = {"extreme": cl.evaluate(labels, extreme)}

    said = {
        chart["name"]: " ".join(chart["notes"]) for chart in chart_specs.draw_charts(models, trusted=True, level=0.9)
    }

    assert "90 % consistency band" in said["reliability"]
    assert "90 % interval at each threshold" in said["net_benefit"]
