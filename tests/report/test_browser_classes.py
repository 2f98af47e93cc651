"""The page of several classes and the report of a study, opened: accessible, whole without a program, on a phone."""

import numpy as np
import pytest

import cutline as cl
from cutline.studies import STUDIES, StudySettings

VIOLATIONS = "async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])"
PHONE = {"width": 390, "height": 844}
CLASSES = ["ant", "a_class_with_a_name_that_no_line_of_a_phone_holds", "<b>cat</b>"]


def models():
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 150, p=[0.5, 0.3, 0.2])
    scores = {name: rng.random((150, 3)) + shift * np.eye(3)[truth] for name, shift in (("forest", 0.8), ("net", 0.4))}
    return cl.compare_classes(np.array(CLASSES)[truth], scores, classes=CLASSES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("classes")
    several = models()
    several["forest"].save(found / "one.html")
    several.save(found / "two.html")
    STUDIES["hard"].run(StudySettings()).save(found)
    return found


@pytest.fixture(params=["one", "two", "hard"])
def page(request, browser, folder):
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.complaints = []
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.on("request", lambda asked: asked.url.startswith("file:") or opened.complaints.append(asked.url))
    opened.goto((folder / f"{request.param}.html").as_uri())
    yield opened
    opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_the_accessibility_check(page, axe, scheme):
    page.emulate_media(color_scheme=scheme)
    page.evaluate(axe)

    assert [one for one in page.evaluate(VIOLATIONS) if one[0] in ("serious", "critical")] == []


def test_the_page_is_no_wider_than_a_phone_and_asks_for_nothing(page):
    page.set_viewport_size(PHONE)

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(
        "[...document.querySelectorAll('svg')].every((one) => one.getBoundingClientRect().width > 200)"
    )
    assert page.complaints == []


def test_the_page_of_two_models_shows_their_numbers(browser, folder):
    opened = browser.new_page()
    opened.goto((folder / "two.html").as_uri())
    text = opened.inner_text("#differences")
    rows = [row for row in models().summary().rows if not np.isnan(row.value_a)]
    assert len(rows) == 9
    for row in rows:
        assert f"{row.value_a:.4f}" in text
        assert f"{abs(row.test.difference):.4f}" in text
    assert "<b>cat</b>" in opened.inner_text("body")
    opened.close()
