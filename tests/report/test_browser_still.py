"""The page without its program, on paper, and with a measure of one's own."""

import math
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.core.counts import Counts, divide
from cutline.examples import load
from cutline.measures import Family, Needs
from cutline.measures.registry import MEASURES, measure
from cutline.report import chart_specs, measure_rows, summarize


def tumours(**options):
    data = load("tumours")
    return cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive, name="logistic", **options)


PROMISED = ("promise-recall", "promise-fpr", "promise-precision")
IDS = (
    "bar-rule",
    "bar-flagged",
    "sentence",
    *PROMISED,
    *(f"cell-{n}" for n in ("tp", "fp", "fn", "tn", "flagged", "total")),
)
READ = """(ids) => [
    ...ids.map((id) => document.getElementById(id).textContent),
    ...[...document.querySelectorAll('[data-row], [id^=model-]')].flatMap(
        (row) => [...row.cells].slice(1).map((cell) => cell.textContent.trim())),
]"""


def three():
    data = load("tumours")
    scores = {
        "logistic": data.scores["logistic"],
        "tree": data.scores["tree"],
        "halved": np.divide(data.scores["logistic"], 2),
    }
    return cl.compare(data.labels, scores, positive=data.positive)


def tied():
    rng = np.random.default_rng(1)
    labels = rng.random(400) < 0.3
    return cl.evaluate(labels, np.clip(rng.integers(0, 6, 400) + 2 * labels, 0, 7) / 7)


@pytest.mark.parametrize(
    ("made", "options"),
    [(tumours, {}), (tumours, {"share": 0.4}), (tied, {"quota": 37}), (three, {}), (tumours, {"threshold": 2})],
    ids=["threshold", "share", "quota inside a tie", "three models", "nobody"],
)
def test_the_page_says_the_same_before_its_program_starts(browser, tmp_path, made, options):
    found = made()
    path = found.save(tmp_path / "still.html", resamples=100, **options)
    read = {}
    for has_program in (False, True):
        context = browser.new_context(java_script_enabled=has_program, viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(path.as_uri())
        if has_program:
            page.wait_for_selector("html[data-ready=true]", state="attached")
        read[has_program] = page.evaluate(READ, list(IDS))
        context.close()
    assert read[False] == read[True]
    assert all(read[False][: len(IDS)])


@pytest.mark.usefixtures("with_pictures")
def test_printing_at_once_leaves_nothing_blank(browser, tmp_path, print_at_once):
    path = tumours().save(tmp_path / "printed.html", resamples=100)
    assert print_at_once(path).stat().st_size > 150_000  # 17 charts and all tables
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    assert page.evaluate(
        "[...document.querySelectorAll('.chart svg')].every((one) => one.getBoundingClientRect().height > 100)"
    )
    assert page.evaluate("document.querySelector('#measures table').getBoundingClientRect().height") > 100
    # The ranking is as long as the data: it is printed where the reader has opened it.
    height = "document.querySelector('#ranking').getBoundingClientRect().height"
    assert page.evaluate(height) == 0
    page.evaluate("document.querySelector('#ranking details').open = true")
    assert page.evaluate(height) > 100
    context.close()


def test_a_print_shows_charts_that_were_not_opened(browser, tmp_path):
    path = tumours().save(tmp_path / "printed.html", resamples=100)
    page = browser.new_page()
    page.add_init_script("window.requestIdleCallback = () => 0")  # in which the program draws what is not seen
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=60_000)
    folded = "document.querySelectorAll('#charts .chart svg').length"
    assert page.evaluate(folded) == 0
    first = page.pdf()
    assert page.evaluate(folded) > 10
    assert len(first) == pytest.approx(len(page.pdf()), rel=0.01)  # nothing was drawn too late
    page.close()


def test_a_chart_that_was_not_drawn_takes_a_line_of_the_paper(browser, tmp_path):
    path = tumours().save(tmp_path / "printed.html", resamples=100)
    text = path.read_text(encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    page.evaluate("(text) => (document.querySelector('.chart').innerHTML = text)", chart_specs.LATER)
    page.emulate_media(media="print")
    assert page.evaluate("document.querySelector('.chart:has(> p.quiet)').getBoundingClientRect().height") < 100
    assert "@page { margin: 14mm; }" in text
    context.close()


# ---------------------------------------------------------------------- a measure of one's own


def distance_to_the_corner(c: Counts):
    """How far the cut is from the upper left corner of the ROC curve."""
    return np.sqrt((1 - divide(c.tp, c.positives)) ** 2 + divide(c.fp, c.negatives) ** 2)


def larger_error(c: Counts):
    """The larger of the two error rates, found by a decision that cannot be traced."""
    table = zip(*(np.ravel(cell).tolist() for cell in (c.tp, c.fp, c.fn, c.tn)), strict=True)
    found = [max(fn / (tp + fn), fp / (fp + tn)) for tp, fp, fn, tn in table]
    return np.reshape(found, np.shape(c.tp))[()]


@pytest.fixture
def own_measures(monkeypatch):
    for name in ("_measures", "_by_name"):
        monkeypatch.setattr(MEASURES, name, dict(getattr(MEASURES, name)))
    facts = {
        "formula": "x", "range": (0, math.sqrt(2)), "better": "lower", "perfect": 0, "baseline": 0.7,
        "needs": Needs.COUNTS, "family": Family.CUT, "source": (), "headline": True,
    }  # fmt: skip
    return [
        measure(title=f.__name__.replace("_", " ").capitalize(), **facts)(f)
        for f in (distance_to_the_corner, larger_error)
    ]


def test_measures_of_ones_own_follow_the_cut(browser, tmp_path, own_measures):
    ev = tumours()
    summary = summarize(ev, resamples=100)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(ev.save(tmp_path / "own.html", summary=summary).as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached")

    def row(name):
        cells = {part: page.text_content(f"#live-{name} .{part}") for part in ("value", "interval", "baseline")}
        return (
            float(cells["value"]),
            [float(limit) for limit in cells["interval"].split(" to ")],
            float(cells["baseline"]),
        )

    for own in own_measures:
        value, limits, baseline = row(own.name)
        assert value == pytest.approx(ev.value(own), abs=5e-5)
        assert limits == pytest.approx(summary[own.name].interval, abs=5e-5)
        assert baseline == 0.7
        for at in (0.11, 0.62):
            page.fill("#threshold", str(at))
            page.dispatch_event("#threshold", "change")
            found = ev.estimate(own, threshold=at)
            value, limits, baseline = row(own.name)
            assert value == pytest.approx(found.value, abs=5e-5)
            assert limits == pytest.approx((found.low, found.high), abs=5e-5)
        page.click("#reset")
    assert page.complaints == []
    page.close()


def test_numbers_are_written_alike_by_the_tables_and_by_the_program(browser):
    values = [0.0, 9.9996e-5, 9.9994e-5, -3.2e-7, 1e-300, 0.001, 0.00099996, 999.99999, 1000, 999999.4, 1234567, -1e300]
    source = (Path(measure_rows.__file__).parent / "assets" / "format.js").read_text(encoding="utf-8")
    page = browser.new_page()
    try:
        found = page.evaluate(
            """async ([source, values]) => {
                 const program = await import("data:text/javascript," + encodeURIComponent(source));
                 return values.map(program.shown);
               }""",
            [source, values],
        )
    finally:
        page.close()

    assert found == [measure_rows.format_number(value) for value in values]
