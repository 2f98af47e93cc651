"""Take the pictures of a report and a comparison for the README and the home page, in Chromium: `make pictures`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import cutline as cl

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 860}  # what a laptop shows at first


def reports(folder: Path) -> dict[str, Path]:
    """Write the page of one model and of two models on the tumours."""
    tumours = cl.examples.load("tumours")
    scores = tumours.scores
    ev = cl.evaluate(tumours.labels, scores["logistic"], positive=tumours.positive, name="logistic")
    both = cl.compare(tumours.labels, scores, positive=tumours.positive)
    return {
        "report-page.png": ev.save(folder / "report.html", resamples=500),
        "comparison-page.png": both.save(folder / "comparison.html", resamples=500),
    }


def main() -> None:
    """Open each page and write what its first screen shows."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, page in reports(Path(folder)).items():
            tab = browser.new_page(viewport=SIZE)
            tab.goto(page.as_uri())
            tab.wait_for_timeout(3000)  # until the charts are drawn
            tab.screenshot(path=str(HERE / name))
        browser.close()


if __name__ == "__main__":
    main()
