"""Several models, and very many cases, in a real browser."""

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
    page.wait_for_selector("html[data-ready=true]", state="attached")
    return page


@pytest.fixture(scope="module")
def page_of_two(browser, tmp_path_factory):
    """Two models, one of them with a name that no line holds."""
    data = load("tumours")
    scores = {"logistic": data.scores["logistic"], "a_long_name_<b>" * 12: data.scores["tree"]}
    models = cl.compare(data.labels, scores, positive=data.positive)
    page = open_report(browser, models.save(tmp_path_factory.mktemp("two") / "two.html"))
    yield page, models
    page.close()


def test_two_models_follow_one_quota_and_are_shown_side_by_side(page_of_two):
    page, models = page_of_two
    page.fill("#quota", "100")
    page.dispatch_event("#quota", "change")
    page.wait_for_selector("html[data-charts=drawn]", state="attached")
    for i, model in enumerate(models.values()):
        cells = page.evaluate(f"[...document.getElementById('model-{i}').cells].map((cell) => cell.textContent)")
        counts = model.at(quota=100)
        assert [float(cells[k]) for k in (2, 3, 4, 5)] == pytest.approx([100, counts.tp, counts.fp, counts.fn])
    marks = page.evaluate("window.cutline.markOf('roc')")
    assert [mark["y"] for mark in marks] == pytest.approx([model.at(quota=100).recall for model in models.values()])
    page.select_option("#model", "1")
    assert float(page.text_content("#cell-tp")) == pytest.approx(list(models.values())[1].at(quota=100).tp)
    assert page.complaints == []


@pytest.fixture(scope="module")
def long_list():
    """Far more distinct scores than a page keeps; from here on a page grows no more."""
    rng = np.random.default_rng(0)
    labels = rng.random(300_000) < 0.05
    return cl.evaluate(labels, 1 / (1 + np.exp(3 - rng.normal(size=300_000) - 1.5 * labels)), name="many")


@pytest.mark.usefixtures("with_pictures")
def test_very_many_scores_give_a_small_page_of_exact_cuts(browser, tmp_path, long_list):
    path = long_list.save(tmp_path / "many.html", resamples=0)
    assert path.stat().st_size < 3_000_000
    page = open_report(browser, path)
    page.wait_for_selector("html[data-charts=drawn]", state="attached")
    for index in (200, 1400, 2800):
        page.evaluate("(index) => window.cutline.live.slide(index)", index)
        cut = page.evaluate("(({tp, fp, threshold}) => ({tp, fp, threshold}))(window.cutline.live.cut)")
        counts = long_list.at(threshold=cut["threshold"])
        assert (cut["tp"], cut["fp"]) == (counts.tp, counts.fp)
        shown = long_list.at(threshold=float(page.input_value("#threshold")))
        assert (shown.tp, shown.fp) == (counts.tp, counts.fp)
    page.fill("#quota", "500")
    page.dispatch_event("#quota", "change")
    found = page.evaluate("(({tp, fp}) => [tp, fp])(window.cutline.live.cut)")
    assert found == [long_list.at(quota=500).tp, long_list.at(quota=500).fp]
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_barrier_between_several_models(page_of_two, axe, scheme):
    page, _ = page_of_two
    page.emulate_media(color_scheme=scheme)
    page.context.new_cdp_session(page).send("Page.setBypassCSP", {"enabled": True})
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])")

    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []


def test_long_names_do_not_make_the_page_wider_than_a_phone(page_of_two):
    page, _ = page_of_two
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1280, "height": 900})

    assert wide <= 390
