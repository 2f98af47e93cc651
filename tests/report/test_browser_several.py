"""Several models, and a million cases, in a real browser."""

import numpy as np
import pytest

import cutline as cl
from cutline.examples import load


def open_report(browser, path):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=30_000)
    return page


def test_two_models_follow_one_quota_and_stand_side_by_side(browser, tmp_path):
    data = load("tumours")
    models = cl.compare(data.labels, data.scores, positive=data.positive)
    page = open_report(browser, models.save(tmp_path / "two.html"))
    page.fill("#quota", "100")
    page.dispatch_event("#quota", "change")
    page.wait_for_selector("html[data-charts=drawn]", state="attached", timeout=60_000)
    for i, model in enumerate(models.values()):
        cells = page.evaluate(f"[...document.getElementById('model-{i}').cells].map((cell) => cell.textContent)")
        counts = model.at(quota=100)
        assert [float(cells[k]) for k in (2, 3, 4, 5)] == pytest.approx([100, counts.tp, counts.fp, counts.fn])
    marks = page.evaluate("window.cutline.markOf('roc')")
    assert [mark["y"] for mark in marks] == pytest.approx([model.at(quota=100).recall for model in models.values()])
    page.select_option("#model", "1")
    assert float(page.text_content("#cell-tp")) == pytest.approx(list(models.values())[1].at(quota=100).tp)
    assert page.complaints == []
    page.close()


@pytest.fixture(scope="module")
def million():
    rng = np.random.default_rng(0)
    labels = rng.random(1_000_000) < 0.05
    return cl.evaluate(labels, 1 / (1 + np.exp(3 - rng.normal(size=1_000_000) - 1.5 * labels)), name="a million")


def test_a_million_scores_load_in_three_seconds_and_move_in_a_tenth(browser, tmp_path, million):
    path = million.save(tmp_path / "million.html")
    assert path.stat().st_size < 3_000_000
    page = open_report(browser, path)
    ready = page.evaluate("performance.now()")
    page.wait_for_selector("html[data-charts=drawn]", state="attached", timeout=60_000)
    page.evaluate("document.getElementById('charts').scrollIntoView()")
    page.wait_for_timeout(300)
    steps = page.evaluate(
        """() => [...Array(15).keys()].map((i) => {
            const slider = document.getElementById("slider"), start = performance.now();
            slider.value = String(200 * i);
            slider.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
            return performance.now() - start;
        })"""
    )
    assert ready < 3000
    assert np.median(steps) < 100
    for index in (200, 1400, 2800):
        page.evaluate("(index) => window.cutline.live.slide(index)", index)
        cut = page.evaluate("(({tp, fp, threshold}) => ({tp, fp, threshold}))(window.cutline.live.cut)")
        counts = million.at(threshold=cut["threshold"])
        assert (cut["tp"], cut["fp"]) == (counts.tp, counts.fp)
    page.fill("#quota", "500")
    page.dispatch_event("#quota", "change")
    found = page.evaluate("(({tp, fp}) => [tp, fp])(window.cutline.live.cut)")
    assert found == [million.at(quota=500).tp, million.at(quota=500).fp]
    page.close()
