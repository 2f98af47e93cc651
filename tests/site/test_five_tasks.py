"""What a new user wants first is found from the home page by following links that say so."""

import pytest

# From the home page: the links that are followed, and what has to stand on the page where they end.
TASKS = {
    "what MCC is blind to": (["All measures", "Matthews correlation coefficient"], "What it is blind to"),
    "evaluate a file": ([], "cutline evaluate predictions.csv --label y --score p --html report.html"),
    "compare two models": (["Compare models"], "cutline compare predictions.csv --label y --score model_a"),
    "put a gate into CI": (["Gate a release"], "uses: cutline/cutline@main"),
    "add a measure": (["Define a measure"], "@cl.measure("),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_new_user_finds_it_from_the_home_page(browser, site, task):
    links, wanted = TASKS[task]
    page = browser.new_page()
    try:
        page.goto((site / "index.html").as_uri())
        for text in links:
            page.locator(f"article a:text-is('{text}')").first.click()
            page.wait_for_load_state("load")
        article = page.locator("article").inner_text()
    finally:
        page.close()

    assert wanted in article
    assert len(article[: article.index(wanted)].splitlines()) < 120  # not far down
