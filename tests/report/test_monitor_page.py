"""The pages of monitoring: complete, safe, and readable in a wide and a narrow window."""

import math
import re

import numpy as np
import pytest

import cutline as cl
from cutline.charts.periods import draw_monitoring
from cutline.report.html_page import load_asset
from cutline.report.monitor_page import DRIFT_SECTIONS, MONITOR_SECTIONS

WIDTHS = (1280, 390)


def sample(seed, n=300, shift=0.0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, n)
    return cl.rank((rng.random(n) < 1 / (1 + (1 - p) / p * math.exp(-shift))).astype(int), p, positive=1)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    days = [(f"2026-11-{i:02d}", sample(i, shift=0.0 if i < 8 else -1.5)) for i in range(1, 21)]
    measures = ["precision", "auc", "calibration", "psi"]
    cl.monitor(sample(50, 3000), days, measures=measures, cut=0.3, matures=3, model="<b>v3</b>").save(
        folder / "monitor.html"
    )
    cl.drift(cl.Evaluation(sample(60, 900)), cl.Evaluation(sample(61, 900, -1.0)), names=("May", "June")).save(
        folder / "drift.html"
    )
    return folder


def test_every_section_has_its_part():
    for section in (*MONITOR_SECTIONS, *DRIFT_SECTIONS):
        assert load_asset(f"parts/{section.part or section.name}.html")


def test_the_page_shows_alarms_waiting_days_and_a_picture_of_each_measure(pages):
    text = (pages / "monitor.html").read_text(encoding="utf-8")

    assert text.count("<svg") == 4
    assert "waits until it is 3 days old" in text
    assert re.search(r"on 2026-11-\d\d precision was shown to be worse", text)
    assert "&lt;b&gt;v3" in text
    assert "<b>v3" not in text
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)


def test_the_page_of_two_periods_shows_measures_and_bins(pages):
    text = (pages / "drift.html").read_text(encoding="utf-8")

    assert "June minus May, as independent samples" in text
    assert "without drift it exceeds" in text
    assert text.count("<svg") == 1


def test_a_monitor_without_days_has_a_page(tmp_path):
    cl.monitor(sample(50, 900)).save(tmp_path / "monitor.html")

    assert "No day has been recorded yet." in (tmp_path / "monitor.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["monitor", "drift"])
def test_the_pages_open_in_wide_and_narrow_windows(pages, browser, name, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((pages / f"{name}.html").as_uri())
    page.wait_for_selector("html[data-ready=true]")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".chart svg").first.is_visible()
    assert errors == []
    page.close()


def test_the_words_of_an_early_alarm_are_not_cut_off():
    row = dict.fromkeys(("low", "high", "release", "limit")) | {"value": 0.5, "cumulated": 0.5}
    rows = [row | {"day": f"2026-11-{day:02d}", "alarm": day in (1, 20)} for day in range(1, 21)]
    layers = draw_monitoring(rows, "Recall", "").to_dict()["layer"]
    words = [layer["mark"] for layer in layers if layer["mark"]["type"] == "text"]
    assert [(mark["align"], mark["dx"]) for mark in words] == [("left", 5), ("right", -5)]
