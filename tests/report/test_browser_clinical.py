"""The clinical page and the section on the probabilities, opened: accessible, on a phone, in the dark and on A4."""

import numpy as np
import pytest

import cutline as cl

VIOLATIONS = "async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])"
HIDDEN = "[...document.querySelectorAll('.wide')].some((e) => e.scrollWidth > e.clientWidth)"
A4 = {"width": 680, "height": 1009}  # of CSS pixels inside margins of 15 mm


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 2, 150)
    ev = cl.evaluate((rng.random(150) < risk).astype(int), risk, threshold=0.2, name="a model with a long name")
    folder = tmp_path_factory.mktemp("pages")
    ev.save(folder / "clinical.html", template="clinical")
    ev.save(folder / "report.html", resamples=40)
    return folder


@pytest.fixture
def clinical(browser, pages):
    page = browser.new_page()
    page.goto((pages / "clinical.html").as_uri())
    yield page
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_clinical_page_passes_the_accessibility_check(clinical, axe, scheme):
    clinical.emulate_media(color_scheme=scheme)
    clinical.evaluate(axe)
    assert clinical.evaluate(VIOLATIONS) == []


def test_the_clinical_page_is_no_wider_than_a_phone(clinical):
    clinical.set_viewport_size({"width": 390, "height": 844})
    assert clinical.evaluate("document.documentElement.scrollWidth") <= 390
    assert not clinical.evaluate(HIDDEN)
    cell = clinical.locator(".wide td", has_text="recommended").first
    assert cell.evaluate("(e) => getComputedStyle(e, '::before').content") == '"Advice"'


def test_every_table_of_the_clinical_page_fits_on_a4(clinical):
    clinical.emulate_media(media="print")
    clinical.set_viewport_size(A4)
    right = clinical.evaluate("[...document.querySelectorAll('table')].map((t) => t.getBoundingClientRect().right)")
    assert max(right) <= A4["width"] + 0.5
    assert not clinical.evaluate(HIDDEN)


def test_no_table_that_fits_on_a_sheet_is_cut_by_its_end(clinical):
    clinical.emulate_media(media="print")
    clinical.set_viewport_size(A4)
    breaks = "(t) => [getComputedStyle(t).breakInside, t.getBoundingClientRect().height]"
    found = clinical.evaluate(f"[...document.querySelectorAll('table')].map({breaks})")
    assert [how for how, height in found if height <= A4["height"]] == ["avoid"] * (len(found) - 1)
    [longest] = [height for how, height in found if how == "auto"]  # its rows are whole, and its head is repeated
    assert longest < 2 * A4["height"]


def test_the_section_on_the_probabilities_fits_on_a_phone_and_on_paper(browser, pages):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((pages / "report.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.wait_for_selector("#trust .chart canvas, #trust .chart svg")
    inside = "[...document.querySelectorAll('#trust figure')].map((f) => f.getBoundingClientRect().right)"
    assert max(page.evaluate(inside)) <= 390
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    assert max(page.evaluate(inside)) <= A4["width"] + 0.5
    page.close()


@pytest.mark.parametrize("template", ["clinical", "credit"])
def test_no_chart_of_three_is_alone_in_its_row(browser, tmp_path, template):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 150)
    ev = cl.evaluate(labels, np.round(50 + 10 * rng.normal(size=150) + 8 * labels))
    ev.save(tmp_path / "page.html", template=template)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    tops = page.evaluate("[...document.querySelectorAll('figure')].map((f) => f.getBoundingClientRect().top)")
    page.close()

    assert len(tops) == 3
    assert len(set(tops)) == 1


def test_a_low_chart_is_not_followed_by_white_on_a_phone(browser, tmp_path):
    rng = np.random.default_rng(0)
    labels, site = rng.integers(0, 2, 400), np.arange(400) % 3
    slices = cl.evaluate(labels, rng.normal(size=400) + labels, by={"site": site})
    slices.save(tmp_path / "slices.html")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "slices.html").as_uri())
    sizes = "[...document.querySelectorAll('.chart')].map((c) => c.clientHeight - c.firstElementChild.clientHeight)"
    white = page.evaluate(sizes)
    page.close()

    assert len(white) == 2
    assert max(white) < 40
