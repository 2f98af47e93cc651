"""The report in a real browser: it asks nobody for anything, and says what the Python API says."""

import csv
import json
import math

import numpy as np
import pytest

import cutline as cl
from cutline.curves import iso_cost
from cutline.examples import load
from cutline.measures import Needs, Proportion, Ratio
from cutline.report import summarize
from cutline.report.measure_rows import format_number

COUNT_MEASURES = [m.name for m in cl.MEASURES.search(needs=Needs.COUNTS)]
INJECTED = "<script>alert(1)</script>"


def tied():
    """Heavy ties: 400 cases on eight scores."""
    rng = np.random.default_rng(1)
    labels = rng.random(400) < 0.3
    return cl.evaluate(labels, np.clip(rng.integers(0, 6, 400) + 2 * labels, 0, 7) / 7, name=INJECTED)


def weighted():
    """Weights that are not whole numbers, and low scores that mean positive."""
    rng = np.random.default_rng(2)
    labels = rng.random(300) < 0.4
    scores = rng.normal(size=300) - labels
    return cl.evaluate(labels, scores, rng.gamma(2, 1, 300), higher_is_positive=False, threshold=-0.5, name="weighted")


def tumours():
    data = load("tumours")
    return cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive, name="logistic")


DATA = {"tied": tied, "weighted": weighted, "tumours": tumours}


class Report:
    """A report that is open in the browser, and the evaluation it was made from."""

    def __init__(self, page, evaluation, summary):
        self.page, self.evaluation, self.summary = page, evaluation, summary
        self.ids = set(page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)"))

    def enter(self, field, value):
        self.page.fill(f"#{field}", str(value))
        self.page.dispatch_event(f"#{field}", "change")

    def text(self, selector):
        return self.page.text_content(selector).strip().replace("\u2009", "")

    def cells(self):
        return {name: float(self.text(f"#cell-{name}")) for name in ("tp", "fp", "fn", "tn")}

    def cut(self):
        return self.page.evaluate("(({tp, fp, fn, tn}) => ({tp, fp, fn, tn}))(window.cutline.live.cut)")

    def measures(self):
        """What the page computes by itself for the cut that is shown, also where it shows the evaluation's numbers."""
        code = """(({measures, cut, model, costs}) => measures.estimates(cut, model, costs).map((e) =>
            [e.name, ...[e.value, e.low, e.high, e.baseline].map(String), e.method, e.reason]))(window.cutline.live)"""
        return {name: (*map(_number, rest[:4]), *rest[4:]) for name, *rest in self.page.evaluate(code)}

    def estimates(self):
        code = """window.cutline.live.estimates().map(
            (e) => [e.name, ...[e.value, e.low, e.high, e.baseline].map(String), e.method])"""
        return {name: (*map(_number, rest[:4]), rest[4]) for name, *rest in self.page.evaluate(code)}


def _number(text):
    return float(text.replace("Infinity", "inf"))


@pytest.fixture(scope="module")
def opened_reports(browser, tmp_path_factory):
    """The three reports, each opened once, in a window of its own: a tab behind another is drawn once a second, and
    clicks wait for it. What the browser complains about and asks for is kept.
    """
    folder, reports = tmp_path_factory.mktemp("reports"), {}
    for name, make in DATA.items():
        evaluation = make()
        summary = summarize(evaluation)
        path = evaluation.save(folder / f"{name}.html", summary=summary)
        page = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True).new_page()
        page.complaints, page.requests = [], []
        page.on("console", lambda message, page=page: page.complaints.append(message.text))
        page.on("pageerror", lambda error, page=page: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog, page=page: page.complaints.append(dialog.message))
        page.on("request", lambda request, page=page: page.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-charts=drawn]", state="attached")
        reports[name] = Report(page, evaluation, summary)
    yield reports
    for one in reports.values():
        one.page.context.close()


@pytest.fixture(params=list(DATA))
def report(request, opened_reports):
    return opened_reports[request.param]


# ---------------------------------------------------------------------- the page


def test_it_makes_no_requests_and_logs_no_errors(report):
    assert report.page.complaints == []
    assert [url for url in report.page.requests if not url.startswith(("file:", "data:"))] == []


def test_every_chart_is_drawn(report):
    charts = report.page.evaluate("window.cutline.data.charts.filter((c) => c.spec).map((c) => c.name)")
    drawn = report.page.evaluate("document.querySelectorAll('.chart svg').length")

    assert drawn == len(charts) >= 15


def test_names_are_text(opened_reports):
    page = opened_reports["tied"].page

    assert page.text_content("h1") == INJECTED
    assert any(INJECTED in text for text in page.locator(".chart svg").all_text_contents())


# ---------------------------------------------------------------------- the numbers


def test_the_page_knows_every_measure_of_one_cut(report):
    assert sorted(report.estimates()) == sorted(COUNT_MEASURES)


def test_twenty_cuts_have_the_values_intervals_and_baselines_of_python(report):
    ev, last = report.evaluation, len(report.evaluation.ranking)
    for index in np.unique(np.linspace(0, last, 20).astype(int)):
        report.page.evaluate("(index) => window.cutline.live.slide(index)", int(index))
        _same_as_python(report, {"threshold": float(ev.ranking.thresholds[index])})


def _same_as_python(report, where):
    ev = report.evaluation
    counts = ev.at(**where) if math.isfinite(where.get("threshold", 0)) else ev.ranking.at_cut(0)
    assert report.cut() == pytest.approx({name: float(getattr(counts, name)) for name in ("tp", "fp", "fn", "tn")})
    for name, (value, low, high, baseline, method, reason) in report.measures().items():
        measure, about = cl.MEASURES[name], f"{name} at {where}"
        assert value == pytest.approx(float(measure.compute(counts)), rel=1e-9, abs=1e-12, nan_ok=True), about
        assert reason == measure.reason(counts), about
        if not reason:
            assert baseline == pytest.approx(measure.baseline_value(counts), rel=1e-9, abs=1e-12, nan_ok=True), about
        if method and math.isfinite(counts.threshold):  # the threshold is taken as given, also where a quota led there
            found = ev.estimate(name, method=method, threshold=float(counts.threshold))
            assert (low, high) == pytest.approx((found.low, found.high), rel=1e-6, abs=1e-8, nan_ok=True), about
            if isinstance(measure.form, Proportion | Ratio) and ev.ranking.integral:  # the page has no other formula
                assert method == ev.estimate(name, threshold=float(counts.threshold)).method, about


def test_the_threshold_that_is_shown_cuts_where_the_page_does(report):
    ev, last = report.evaluation, len(report.evaluation.ranking)
    for index in range(1, last + 1, max(last // 60, 1)):
        report.page.evaluate("(index) => window.cutline.live.slide(index)", index)
        shown = float(report.page.input_value("#threshold"))
        assert ev.at(threshold=shown).flagged == pytest.approx(float(ev.ranking.at_cut(index).flagged), rel=1e-12)


def test_a_quota_inside_a_tie_gets_its_expectation(opened_reports):
    report = opened_reports["tied"]
    for quota in (1, 37, 120, 399):
        report.enter("quota", quota)
        _same_as_python(report, {"quota": quota})
    assert "expectations" in report.text("#sentence")
    assert report.page.is_visible("#no-intervals")
    assert {method for *_, method in report.estimates().values()} == {""}


def test_a_quota_and_a_share_give_the_counts_of_python(report):
    n = float(report.evaluation.ranking.total)
    for quota in (2, 50, int(n) // 2):
        report.enter("quota", quota)
        _same_as_python(report, {"quota": quota})
    report.enter("share", 12.5)
    _same_as_python(report, {"share": 0.125})


def test_recall_and_false_positive_rate_find_the_cut_that_reaches_them(report):
    r = report.evaluation.ranking
    report.enter("recall", 80)
    strictest = int(np.flatnonzero(r.tpr >= 0.8)[0])
    assert report.cut()["tp"] == pytest.approx(float(r.tp[strictest]))
    report.enter("fpr", 10)
    widest = int(np.flatnonzero(r.fpr <= 0.1)[-1])
    assert report.cut()["fp"] == pytest.approx(float(r.fp[widest]))
    assert report.cut()["tp"] == pytest.approx(float(r.tp[widest]))


def test_the_table_shows_what_was_computed(report):
    report.enter("threshold", report.evaluation.threshold)
    counts = report.evaluation.counts
    assert report.cells() == pytest.approx(
        {name: float(getattr(counts, name)) for name in ("tp", "fp", "fn", "tn")}, rel=1e-5
    )
    assert float(report.text("#live-recall .value")) == pytest.approx(counts.recall, abs=5e-5)
    low, high = report.text("#live-recall .interval").split(" to ")
    found = report.summary["recall"].estimate
    assert (float(low), float(high)) == pytest.approx((found.low, found.high), abs=5e-5)


@pytest.mark.parametrize(("fp", "fn"), [(1, 20), (5, 1), (1, 1)])
def test_costs_show_the_cheapest_cut_and_go_there(report, fp, fn):
    ev = report.evaluation
    report.page.fill("#cost-fp", str(fp))
    report.page.fill("#cost-fn", str(fn))
    best = iso_cost(ev.ranking, cost_fp=fp, cost_fn=fn)
    total = best.cost * float(ev.ranking.total)
    assert float(report.text("#cost-best")) == pytest.approx(total, rel=1e-5)
    if report.page.is_enabled("#go-cheapest"):
        report.page.click("#go-cheapest")
    assert float(report.text("#cost-now")) == pytest.approx(total, rel=1e-5)
    assert report.cut()["fp"] == pytest.approx(best.point.x * float(ev.ranking.negatives))
    assert report.page.is_disabled("#go-cheapest")
    report.page.fill("#cost-fn", "1")
    report.page.fill("#cost-fp", "1")


@pytest.mark.parametrize(
    "chart", ["roc", "precision_recall", "gain", "lift", "det", "tpr_fpr", "qrecall", "f1", "score_distribution"]
)
def test_the_marks_are_where_python_puts_them(report, chart):
    from cutline.curves import CURVES, compute_deviates

    ev, at = report.evaluation, float(report.evaluation.ranking.score[len(report.evaluation.ranking) // 3])
    report.enter("threshold", repr(at))
    [mark] = report.page.evaluate("(name) => window.cutline.markOf(name)", chart)
    if chart in ("tpr_fpr", "score_distribution"):
        assert mark["x"] == pytest.approx(at)
    else:
        point = CURVES[chart].locate(ev.ranking, at)
        x, y = compute_deviates([point.x, point.y]) if chart == "det" else (point.x, point.y)
        assert (mark["x"], mark["y"]) == pytest.approx((x, y), abs=1e-9)


def test_the_areas_of_the_errors_end_at_the_cut(opened_reports):
    report = opened_reports["tumours"]
    report.enter("threshold", 0.333)
    areas = report.page.evaluate("window.cutline.areasOf()")
    missed = [area for area in areas if area["error"] == "missed positives"]
    alarms = [area for area in areas if area["error"] == "false alarms"]

    assert max(area["x2"] for area in missed) == min(area["x"] for area in alarms) == 0.333


# ---------------------------------------------------------------------- hands and eyes


def test_the_slider_obeys_the_keyboard(report):
    page = report.page
    page.focus("#slider")
    page.keyboard.press("Home")
    assert report.cells()["tp"] + report.cells()["fp"] == 0
    page.keyboard.press("ArrowRight")
    first = report.evaluation.ranking.at_cut(1)
    assert report.cut()["tp"] + report.cut()["fp"] == pytest.approx(float(first.flagged))
    assert "flags" in page.get_attribute("#slider", "aria-valuetext")
    page.keyboard.press("PageUp")
    assert report.cut()["tp"] + report.cut()["fp"] > float(first.flagged)
    page.keyboard.press("End")
    assert report.cells()["fn"] + report.cells()["tn"] == 0
    page.keyboard.press("Tab")  # on to what can be entered next
    assert page.evaluate("document.activeElement.matches('input, button, select, a, summary, [tabindex]')")


def test_what_cannot_be_is_refused_in_words(opened_reports):
    report = opened_reports["tumours"]
    before = report.cut()
    report.enter("quota", 5000)
    assert "from 1 to 569" in report.text("#refusal")
    assert report.page.get_attribute("#quota", "aria-invalid") == "true"
    assert report.cut() == before
    report.enter("quota", 500)
    assert report.text("#refusal") == ""
    assert report.cells()["tp"] + report.cells()["fp"] == 500


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("quota", "", "Enter a number"),
        ("quota", "0", "from 1 to 569"),
        ("quota", "2.5", "a whole number of cases"),
        ("share", "101", "a percentage from 0 to 100"),
        ("share", "0.01", "less than one of 569 cases"),
        ("recall", "-1", "a percentage from 0 to 100"),
        ("threshold", "", "Enter a number"),
    ],
)
def test_a_bad_entry_is_named_beside_the_fields_and_moves_nothing(opened_reports, field, typed, words):
    report = opened_reports["tumours"]
    before = report.cut()
    report.enter(field, typed)
    assert words in report.text("#refusal")
    assert report.page.get_attribute(f"#{field}", "aria-invalid") == "true"
    assert report.cut() == before
    report.page.click("#reset")
    assert report.text("#refusal") == ""


def test_letters_are_no_number(opened_reports):
    page = opened_reports["tumours"].page
    page.focus("#quota")
    page.keyboard.press("Control+a")
    page.keyboard.type("e+")  # of letters, browsers let only these into a field for numbers
    page.keyboard.press("Tab")
    assert "Enter a number, with a point" in page.text_content("#refusal")
    page.click("#reset")


def test_costs_are_numbers_and_one_of_them_is_above_zero(opened_reports):
    report = opened_reports["tumours"]
    page, best = report.page, report.text("#cheapest-rule")
    for fn, fp in (("", "1"), ("-1", "1"), ("0", "0")):
        page.fill("#cost-fn", fn)
        page.fill("#cost-fp", fp)
        assert "one of them is above 0" in report.text("#cost-refusal")
        assert page.get_attribute("#cost-fn", "aria-invalid") == "true"
    page.fill("#cost-fn", "0")
    page.fill("#cost-fp", "1")
    assert report.text("#cheapest-rule").startswith("threshold above every score: flags 0")
    page.fill("#cost-fn", "1")
    assert report.text("#cheapest-rule") == best
    assert report.text("#cost-refusal") == ""


def test_costs_that_tie_but_for_rounding_keep_the_strictest_cut(opened_reports):
    code = """() => {
        const { model, measures } = window.cutline.live;
        const counts = { tp: [0, 1, 2], fp: [0, 0, 3], positives: 2, negatives: 3, total: 5, last: 2 };
        const tied = Object.assign(Object.create(model), counts);
        return [[0.1, 0.3], [0.7, 2.1], [1, 3]].map(([cost_fp, cost_fn]) => {
            return tied.least((cut) => measures.point("expected_cost", cut, { cost_fp, cost_fn })).index;
        });
    }"""
    assert opened_reports["tumours"].page.evaluate(code) == [1, 1, 1]


def test_dark_and_light(opened_reports):
    page = opened_reports["tumours"].page
    ground = "getComputedStyle(document.body).backgroundColor"
    line = """getComputedStyle(document.querySelector('#chart-0 svg path[stroke="var(--line-0)"]')).stroke"""
    light = page.evaluate(f"[{ground}, {line}]")
    page.click("#theme")
    dark = page.evaluate(f"[{ground}, {line}]")
    page.click("#theme")

    assert (light[1], dark[1]) == ("rgb(0, 119, 187)", "rgb(86, 180, 233)")
    assert light[0] != dark[0]
    assert page.evaluate(f"[{ground}, {line}]") == light


def test_the_numbers_can_be_taken_away(opened_reports):
    report = opened_reports["tumours"]
    report.enter("threshold", 0.3)
    with report.page.expect_download() as download:
        report.page.click("#json")
    found = json.loads(download.value.path().read_text(encoding="utf-8"))
    cuts = found.pop("cuts")
    assert found == json.loads(json.dumps(report.summary.document()))
    assert cuts[0]["threshold"] == 0.3
    assert cuts[0]["tp"] == report.evaluation.at(threshold=0.3).tp
    with report.page.expect_download() as download:
        report.page.click("#csv")
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    rows = {row["measure"]: row for row in csv.DictReader(lines)}
    assert float(rows["recall"]["value"]) == pytest.approx(report.evaluation.at(threshold=0.3).recall)
    assert rows["recall"]["threshold"] == "0.3"
    assert float(rows["auc"]["value"]) == pytest.approx(report.evaluation.auc)
    assert rows["auc"]["threshold"] == ""
    report.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    report.page.bring_to_front()
    report.page.click("#copy")
    report.page.locator("#told", has_text="Copied.").wait_for()
    copied = report.page.evaluate("navigator.clipboard.readText()")
    assert [line.split("\t") for line in copied.splitlines()] == list(csv.reader(lines))


def test_the_numbers_to_take_away_are_those_of_the_summary_while_its_cut_is_shown(report):
    report.page.click("#reset")
    with report.page.expect_download() as download:
        report.page.click("#json")
    found = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(report.summary.document()))
    with report.page.expect_download() as download:
        report.page.click("#csv")
    rows = list(csv.DictReader(download.value.path().read_text(encoding="utf-8").splitlines()))
    expected = list(csv.DictReader(report.summary.to_csv().splitlines()))
    assert [row["measure"] for row in rows] == [row["measure"] for row in expected]
    for row, other in zip(rows, expected, strict=True):
        for name in ("value", "low", "high", "baseline"):
            if row[name] and math.isfinite(float(other[name])):
                assert float(row[name]) == float(other[name]), (row["measure"], name)


def test_the_numbers_of_the_evaluation_are_shown_until_the_cut_is_moved(report):
    """The bootstrap interval of the summary is shown at its cut, and the page's own elsewhere, which it says."""
    report.page.click("#reset")
    for row in report.summary.rows:
        if f"live-{row.name}" in report.ids and not math.isnan(row.value):
            assert report.text(f"#live-{row.name} .value") == format_number(row.value), row.name
            if row.interval:
                words = f"{format_number(row.interval[0])} to {format_number(row.interval[1])}"
                assert report.text(f"#live-{row.name} .interval") == words, row.name
                assert report.text(f"#live-{row.name} .method") == row.method
    assert report.page.is_hidden("#moved")
    report.page.evaluate("window.cutline.live.slide(window.cutline.live.cut.index + 1)")
    assert report.page.is_visible("#moved")
    by_page = "MOVER" if report.evaluation.ranking.integral else "infinitesimal jackknife"
    assert report.text("#live-mcc .method") == by_page
    report.page.click("#reset")
    assert report.text("#live-mcc .method") == report.summary["mcc"].method


def test_the_address_names_the_cut_and_leads_to_it(opened_reports):
    report = opened_reports["tumours"]
    page = report.page

    def wait_for_address(end):  # browsers allow few changes of the address, so the page waits a little
        page.wait_for_function("(end) => window.location.hash === end", arg=end)

    report.enter("threshold", 0.31)
    wait_for_address("#threshold=0.31")
    shared = page.url
    report.enter("quota", 50)
    wait_for_address("#quota=50")
    page.click("#reset")
    wait_for_address("")
    other = page.context.new_page()
    other.goto(shared)
    other.wait_for_selector("html[data-ready=true]", state="attached")
    assert float(other.text_content("#cell-tp")) == report.evaluation.at(threshold=0.31).tp
    other.evaluate("window.location.hash = '#cost_fp=1&cost_fn=20'")
    other.wait_for_function("window.cutline.live.prices.cost_fn === 20")
    assert other.is_disabled("#go-cheapest")
    other.evaluate("window.location.hash = '#quota=nonsense'")
    other.wait_for_function("document.querySelector('#refusal').textContent.includes('Enter a number')")
    other.close()


def test_the_first_screen_has_the_verdict_the_charts_and_the_slider(report):
    page = report.page
    page.evaluate("window.scrollTo(0, 0)")
    bottom = "(selector) => document.querySelector(selector).getBoundingClientRect().bottom"

    assert page.evaluate(bottom, ".verdict") < page.evaluate(bottom, "#look") < page.evaluate(bottom, ".bar") <= 900
    assert len(page.locator(".look svg").all()) == 4  # two of them are tabs
    assert page.locator(".look svg:visible").count() == 3


def test_the_slider_moves_the_cut_on_all_charts_at_the_top(opened_reports):
    page = opened_reports["tumours"].page
    names = ["roc", "precision_recall", "score_distribution", "reliability"]
    page.evaluate("window.cutline.live.slide(100)")
    before = [page.evaluate("(name) => window.cutline.markOf(name)", name) for name in names]
    page.evaluate("window.cutline.live.slide(300)")
    after = [page.evaluate("(name) => window.cutline.markOf(name)", name) for name in names]

    assert all(one and other and one != other for one, other in zip(before, after, strict=True))


def test_tabs_obey_the_mouse_and_the_keyboard(opened_reports):
    page = opened_reports["tumours"].page
    roc, other = page.locator("[role=tab]").all()
    panels = page.locator("[role=tabpanel]")
    other.click()
    assert (panels.nth(0).is_visible(), panels.nth(1).is_visible()) == (False, True)
    assert other.get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowRight")
    assert (panels.nth(0).is_visible(), panels.nth(1).is_visible()) == (True, False)
    assert roc.evaluate("(tab) => tab === document.activeElement")


@pytest.mark.parametrize(("kind", "starts"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_every_chart_can_be_saved(opened_reports, kind, starts):
    page = opened_reports["tumours"].page
    assert page.locator(f"figure .save button:has-text('{kind}')").count() == page.locator("figure .chart").count()
    with page.expect_download() as download:
        page.click(f"[aria-label='Save the chart Scores of the two classes as {kind}']")
    content = download.value.path().read_bytes()

    assert download.value.suggested_filename == f"scores-of-the-two-classes.{kind.lower()}"
    assert content.startswith(starts)
    assert len(content) > 5000
    assert b"var(--" not in content


def test_a_link_to_a_folded_section_opens_it(opened_reports):
    page = opened_reports["tumours"].page
    assert not page.is_visible("#ranking table")
    page.click("nav a[href='#ranking']")
    page.wait_for_selector("#ranking table", state="visible")  # opened when the browser tells of the new address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_barrier(opened_reports, axe, scheme):
    page = opened_reports["tumours"].page
    page.emulate_media(color_scheme=scheme)
    page.context.new_cdp_session(page).send("Page.setBypassCSP", {"enabled": True})
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])")
    page.emulate_media(color_scheme="light")

    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []


def test_folded_sections_pass_the_accessibility_check_on_a_phone(browser, opened_reports, axe):
    context = browser.new_context(viewport={"width": 390, "height": 844}, bypass_csp=True)
    page = context.new_page()
    page.goto(opened_reports["tumours"].page.url.partition("#")[0])
    page.wait_for_selector("html[data-ready=true]", state="attached")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])")
    wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()

    assert (found, wide) == ([], 390)


def test_nothing_is_wider_than_a_phone(opened_reports):
    page = opened_reports["tumours"].page
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.evaluate("document.documentElement.scrollWidth")
    name = page.evaluate("document.querySelector('#live-accuracy th').offsetWidth")
    interval = page.evaluate(
        "(({right}) => right)(document.querySelector('#live-accuracy .interval.stacked').getBoundingClientRect())"
    )
    scrolled = page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.querySelector('#cut .scroll'))"
    )
    page.set_viewport_size({"width": 1280, "height": 900})

    assert wide <= 390
    assert name >= 100  # a word of a measure's name fits
    assert 0 < interval <= 390  # and its interval is read without scrolling
    assert scrolled <= 0


def test_what_decides_fits_on_a_few_screens(opened_reports):
    page = opened_reports["tumours"].page
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = false))")
    assert page.evaluate("document.documentElement.scrollHeight") < 5000
