"""Pages of the site in a browser, from the file system: nothing is fetched, nothing stands in people's way."""

import os
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS / "site"))

from check_links import broken  # noqa: E402

PAGES = [
    "index", "interactive", "measures/index", "measures/mcc", "measures/ks", "comparing", "choosing-a-cut", "gallery",
    "cli", "cli/evaluate", "companion/berrar", "studies/index", "ledger", "changelog", "without-python",
    "how-intervals-are-made", "test-errors",
]  # fmt: skip
if os.environ.get("SITE"):
    PAGES += ["tutorials/credit", "tutorials/fraud", "api/evaluate", "api/compare"]


@pytest.fixture
def opened(browser, site):
    """A page, opened on a screen of some width, in light or dark colours; with what it asked the network for."""
    contexts = []

    def open_page(name, width=1280, colours="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=colours)
        contexts.append(context)
        page = context.new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_every_link_of_the_site_leads_somewhere(site):
    assert list(broken(site)) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_files_of_the_site_only(opened, site, name):
    page = opened(name)
    page.wait_for_load_state("load")

    assert page.asked
    assert [url for url in page.asked if not url.startswith((site.as_uri(), "data:", "blob:", "about:"))] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_on_a_phone(opened, name):
    page = opened(name, width=390)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("name", "colours"), [*((name, "light") for name in PAGES), *((name, "dark") for name in PAGES[:5:2])]
)
def test_nothing_on_a_page_stands_in_the_way(opened, axe, name, colours):
    page = opened(name, colours=colours)
    page.evaluate(axe)
    found = page.evaluate(
        """async () => {
            const only = {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]};
            const found = await axe.run({exclude: [["iframe"]]}, {runOnly: only});
            return found.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))]);
        }"""
    )

    assert found == []


def test_the_search_finds_no_page_that_only_lists_the_others(site):
    assert "SUMMARY" not in (site / "search" / "search_index.json").read_text(encoding="utf-8")


def test_the_search_works_without_a_server(opened):
    page = opened("index")
    page.fill("input.md-search__input", "matthews")
    link = page.wait_for_selector(".md-search-result__link[href*='measures/mcc.html']", state="attached")

    assert "Matthews correlation coefficient" in link.inner_text()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("cutoff", "choosing-a-cut"), ("subgroup", "slices"), ("sample size", "words"), ("threshold", "interactive"),
        ("confidence interval", "intervals"), ("fairness", "slices"), ("drift", "monitoring"),
        ("excel", "without-python"),
    ],
)  # fmt: skip
def test_the_search_knows_the_words_of_people(opened, words, name):
    """The page is among the first five."""
    page = opened("index")
    page.fill("input.md-search__input", words)
    page.wait_for_selector(".md-search-result__item", state="attached")
    found = page.locator(".md-search-result__item > a").evaluate_all("links => links.slice(0, 5).map(a => a.href)")

    assert [link for link in found if f"/{name}.html" in link], found


def test_the_page_that_takes_a_file_opens_from_the_second_entry(opened):
    page = opened("index")
    page.locator(".md-tabs__link").nth(1).click()
    page.click("text=Open the page that takes your file")

    assert page.locator("input[type=file]").is_visible()


def test_code_on_the_home_page_fits_its_frame_on_a_phone(opened):
    page = opened("index", width=390)
    too_wide = "codes => codes.filter(c => c.scrollWidth > c.clientWidth).length"

    assert page.locator("pre code").evaluate_all(too_wide) == 0


def test_dark_colours_follow_the_machine_and_the_button(opened):
    page = opened("index", colours="dark")
    colour = "getComputedStyle(document.body).getPropertyValue('background-color')"
    dark = page.evaluate(colour)
    page.click("label[title='Light']")

    assert page.evaluate(colour) != dark


def test_code_has_a_button_that_copies_it(opened):
    page = opened("index")

    assert page.locator("button.md-clipboard, button[data-clipboard-target], .md-code__button").count() >= 2


def test_formulas_are_drawn_by_the_browser_itself(opened):
    page = opened("measures/mcc")

    assert "TP" in page.locator("math mi").all_text_contents()
    assert page.evaluate("document.querySelector('math[display=block]').getBoundingClientRect().height") > 20


def test_dragging_the_threshold_moves_the_numbers(opened):
    page = opened("interactive")
    frame = page.frame_locator("iframe.report").first
    slider = frame.locator("#slider")
    table = frame.locator("#cut table").first
    before = table.inner_text()
    slider.evaluate("s => { s.value = s.min; s.dispatchEvent(new Event('input', {bubbles: true})); }")
    frame.locator("body").evaluate("() => new Promise(done => setTimeout(done, 300))")

    assert table.inner_text() != before


def test_the_button_copies_the_code_of_a_session_without_prompts_and_answers(opened):
    page = opened("index")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.getSelection().toString(); })")
    session = page.locator(".highlight").filter(has_text=">>> ").first
    session.hover()
    session.locator("[data-clipboard-target], .md-code__button").first.click()
    page.wait_for_function("window.copied")
    lines = [line for line in page.evaluate("window.copied").splitlines() if line]

    assert lines[:2] == ["import cutline as cl", 'ev = cl.evaluate("y", "p", data="predictions.csv")']
    assert not any(line.startswith((">>>", "auc")) for line in lines)
