"""The section on what the cut promises: the page finds and states what choose_cut() and cut_at() do."""

import json

import numpy as np
import pytest
from scipy.special import betainc, betaincinv

import cutline as cl
from cutline.charts import CHARTS
from cutline.cuts.guarantees import count_allowed_misses, count_needed_cases, find_local_level
from cutline.examples import load
from cutline.report import chart_specs

MEASURES = ["auc", "recall", "fpr", "precision", "specificity", "f1", "predicted_positive_rate", "expected_cost"]


def tumours():
    data = load("tumours")
    return cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive, name="tumours")


def tied():
    """Whole numbers as scores, of which low ones mean positive: 1500 cases on about 30 scores."""
    rng = np.random.default_rng(4)
    labels = rng.random(1500) < 0.2
    scores = np.round(600 + 5 * rng.normal(size=1500) - 8 * labels)
    return cl.evaluate(labels, scores, higher_is_positive=False, threshold=595, name="tied")


def long_list():
    """So many cases that bounds are shared, in single precision."""
    rng = np.random.default_rng(5)
    labels = rng.random(9000) < 0.15
    scores = np.round(1 / (1 + np.exp(-(rng.normal(size=9000) + 2 * labels - 2))), 3).astype(np.float32)
    return cl.evaluate(labels, scores, threshold=0.2, name="many")


DATA = {"tumours": tumours, "tied": tied, "many": long_list}


class Promises:
    """The section in an open page, and the evaluation of the page."""

    def __init__(self, page, ev):
        self.page, self.ev = page, ev

    def clear(self):
        self.page.click("#want-clear")

    def want(self, before=False, **fields):
        self.clear()
        self.page.set_checked("#want-before", before)
        for name, value in fields.items():
            self.page.fill(f"#want-{name}", str(value))
            self.page.dispatch_event(f"#want-{name}", "change")

    def text(self, name):
        return self.page.text_content(f"#promise-{name}").strip()

    def saved(self, folder):
        with self.page.expect_download() as download:
            self.page.click("#promise-save")
        path = folder / "cut.json"
        download.value.save_as(path)
        return path

    def called(self):
        """What the call that the page shows gives in Python."""
        text = self.text("python")
        if text.startswith("cl.choose_cut"):
            text = text[:-1] + ", resamples=0)"
        return eval(text, {"cl": cl, "ev": self.ev})  # noqa: S307 - the page's own words, of our own data


@pytest.fixture(scope="module")
def opened_reports(browser, tmp_path_factory):
    """The three reports, each in a window of its own: of a tab behind another, a click waits seconds to be drawn."""
    folder, pages = tmp_path_factory.mktemp("promises"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart_specs, "list_kinds", lambda several: [CHARTS["roc"]])
        for name, make in DATA.items():
            ev = make()
            path = ev.save(folder / f"{name}.html", measures=MEASURES, resamples=0)
            page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
            page.complaints = []
            page.on("pageerror", lambda error, page=page: page.complaints.append(str(error)))
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=true]", state="attached")
            pages[name] = Promises(page, ev)
    yield pages
    for one in pages.values():
        one.page.close()


@pytest.fixture(params=list(DATA))
def section(request, opened_reports):
    found = opened_reports[request.param]
    found.clear()
    return found


WANTED = {
    "recall": {"recall": 90},
    "recall, fixed before": {"recall": 90, "before": True},
    "recall with decimals": {"recall": 84.7},
    "quota": {"quota": 500},
    "costs": {"miss": 20},
    "costs at a prevalence": {"miss": 20, "prevalence": 1},
    "fpr": {"fpr": 12, "before": True},
    "fpr after looking": {"fpr": 12},
    "recall and costs": {"recall": 80, "miss": 3},
    "recall and fpr": {"recall": 50, "fpr": 40, "before": True},
    "precision": {"precision": 40},
    "precision and recall": {"precision": 25, "recall": 40},
    "precision elsewhere": {"precision": 15, "prevalence": 10},
    "quota and costs": {"quota": 120, "miss": 20},
}


@pytest.mark.parametrize("wanted", list(WANTED.values()), ids=list(WANTED))
def test_a_requirement_gives_the_cut_and_the_statement_of_python(section, wanted):
    section.want(**wanted)

    expected = section.called()
    assert expected.possible, expected.statement
    assert section.text("statement") == expected.statement
    assert section.page.evaluate("window.cutline.live.cut.threshold") == expected.threshold
    cut = section.page.evaluate("(({tp, fp, fn, tn}) => [tp, fp, fn, tn])(window.cutline.live.cut)")
    assert cut == [expected.counts.tp, expected.counts.fp, expected.counts.fn, expected.counts.tn]
    assert section.page.complaints == []


@pytest.mark.filterwarnings("ignore:The cut flags")  # the distinct scores, of which it flags another share
@pytest.mark.parametrize("wanted", [{"recall": 90}, {"recall": 60, "fpr": 40, "before": True}, {"miss": 20}])
def test_the_saved_cut_equals_the_one_of_python_and_can_be_loaded(section, wanted, tmp_path):
    section.want(**wanted)

    loaded, expected = cl.load(section.saved(tmp_path)), section.called()

    for name in ("threshold", "statement", "assumptions", "criterion", "confidence", "after_looking"):
        assert getattr(loaded, name) == getattr(expected, name), name
    for name in ("possible", "method", "prevalence", "higher_is_positive", "positive"):
        assert getattr(loaded, name) == getattr(expected, name), name
    assert loaded.requirements == expected.requirements
    assert loaded.counts.to_dict() == expected.counts.to_dict()
    assert loaded.apparent == pytest.approx(expected.apparent, nan_ok=True)
    scores = section.ev.ranking.score
    assert (loaded.apply(scores) == expected.apply(scores)).all()


@pytest.mark.parametrize("share", [0, 0.07, 0.3, 0.62, 1])
@pytest.mark.parametrize("prevalence", ["", 2])
def test_the_promise_moves_with_the_slider_and_equals_pythons(section, share, prevalence, tmp_path):
    section.page.fill("#want-prevalence", str(prevalence))
    index = round(share * section.page.evaluate("window.cutline.live.model.last"))
    section.page.evaluate(
        "(i) => { const s = document.getElementById('slider'); s.value = i; s.dispatchEvent(new Event('input')); }",
        index,
    )

    expected = section.called()
    assert section.text("statement") == expected.statement
    loaded = cl.load(section.saved(tmp_path))
    assert (loaded.threshold, loaded.requirements) == (expected.threshold, expected.requirements)
    assert loaded.assumptions == expected.assumptions
    for one in expected.requirements:
        name, _, bound = one.requirement.split()
        assert float(section.text(name).removesuffix(" %")) == pytest.approx(100 * float(bound), abs=1e-9)


def test_the_promise_is_in_the_file_before_its_program_runs(opened_reports, browser, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(opened_reports["many"].page.url)

    assert page.text_content("#promise-statement") == cl.cut_at(opened_reports["many"].ev, threshold=0.2).statement
    context.close()


def test_moving_away_from_the_requested_cut_changes_the_statement(opened_reports):
    section = opened_reports["tumours"]
    section.want(recall=90)
    asked = section.text("statement")
    section.page.evaluate("window.cutline.live.slide(30)")

    assert section.text("python").startswith("cl.cut_at(")
    assert section.text("statement") != asked


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(("recall", "fpr"), [(99, None), (99.9, None), (100, None), (99.5, 1), (None, 0)])
def test_a_promise_that_needs_more_cases_is_refused_with_their_number(opened_reports, recall, fpr, before):
    section = opened_reports["tumours"]
    given = {"recall": recall, "fpr": fpr}
    section.want(before=before, **{name: value for name, value in given.items() if value is not None})

    asked = [f"recall >= {recall / 100:g}"] if recall else []
    asked += [f"fpr <= {fpr / 100:g}"] if fpr is not None else []
    expected = cl.choose_cut(section.ev, *asked, after_looking=not before, resamples=0)
    assert not expected.possible
    assert section.text("refusal") == expected.statement


def test_a_very_large_number_of_needed_cases_is_given_as_a_lower_bound(opened_reports):
    section = opened_reports["tumours"]
    section.want(recall=99.99)

    assert "It takes many more than 29956 positives" in section.text("refusal")


def test_no_statement_of_another_cut_is_shown_with_a_refusal(opened_reports):
    section = opened_reports["tumours"]
    section.want(recall=90)
    section.page.fill("#want-recall", "100")
    section.page.dispatch_event("#want-recall", "change")

    assert section.text("refusal")
    assert section.text("statement") == section.text("python") == ""
    assert section.page.is_disabled("#promise-save")
    assert section.page.is_disabled("#promise-copy")
    assert section.page.is_hidden("#promise-said")

    section.page.evaluate("window.cutline.live.slide(30)")
    assert section.text("refusal") == ""
    assert section.text("statement").startswith("With 95 % confidence")
    assert section.page.is_enabled("#promise-save")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"recall": 130}, "percentage"),
        ({"quota": 0}, "whole number"),
        ({"quota": 1.5}, "whole number"),
        ({"miss": -1}, "cost"),
        ({"prevalence": 100}, "prevalence"),
        ({"recall": 95, "fpr": 5}, "No cut meets all"),
    ],
)
def test_wrong_fields_are_refused_in_words(opened_reports, fields, words):
    section = opened_reports["tumours"]
    section.want(**fields)

    assert words in section.text("refusal")
    section.clear()
    assert section.text("refusal") == ""


def test_a_cut_inside_a_tie_promises_nothing(opened_reports):
    section = opened_reports["tied"]
    section.page.fill("#quota", str(int(section.ev.ranking.ends[5]) + 1))
    section.page.dispatch_event("#quota", "change")

    assert section.page.is_visible("#promise-tied")
    assert {section.page.inner_text(f"#promise-{name}") for name in ("recall", "fpr", "precision")} == {"nothing"}
    assert not section.page.is_visible("#promise-recall-side")
    assert section.text("statement") == ""
    assert section.page.is_disabled("#promise-save")


def test_bounds_of_the_page_are_those_of_scipy(opened_reports):
    rng = np.random.default_rng(0)
    cases = np.unique((10 ** rng.uniform(0, 5.5, 60)).astype(int))
    rows = [(int(m), int(rng.integers(0, m)), float(rng.choice([0.8, 0.95, 0.99975]))) for m in cases for _ in range(5)]
    page = opened_reports["tumours"].page

    found = page.evaluate("(rows) => rows.map(([m, j, level]) => window.cutline.bounds.upperBound(j, m, level))", rows)
    expected = [betaincinv(j + 1, m - j, level) for m, j, level in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-10)

    rates = rng.choice([0.01, 0.05, 0.1, 1 - 0.9, 0.5], len(rows)).tolist()
    tails = [[m, j + 1, rate] for (m, j, _), rate in zip(rows, rates, strict=True)]
    found = page.evaluate("(rows) => rows.map(([m, k, p]) => window.cutline.bounds.atLeast(k, m, p))", tails)
    np.testing.assert_allclose(found, [betainc(k, m - k + 1, p) for m, k, p in tails], rtol=1e-10, atol=1e-300)

    asked = [[m, rate, level] for (m, _, level), rate in zip(rows, rates, strict=True)]
    found = page.evaluate("(rows) => rows.map((row) => window.cutline.bounds.allowedBeyond(...row))", asked)
    assert found == [count_allowed_misses(*row) for row in asked]
    needed = page.evaluate("(rows) => rows.map(([, r, l]) => window.cutline.bounds.casesNeeded(r, l))", asked)
    assert needed == [count_needed_cases(rate, level) for _, rate, level in asked]


def test_the_levels_of_the_page_are_those_of_python(opened_reports):
    rows = [[cases, level] for cases in (1, 2, 29, 140) for level in (0.95, 0.95 ** (1 / 3))]
    rows.append([1313, 0.95])  # where not each order statistic has a bound of its own
    page = opened_reports["tumours"].page

    found = page.evaluate("(rows) => rows.map((row) => window.cutline.bounds.localLevel(...row))", rows)
    np.testing.assert_allclose(found, [find_local_level(*row) for row in rows], rtol=1e-8)


def test_a_percent_sign_stays_with_its_number_on_a_phone(opened_reports):
    page = opened_reports["tumours"].page
    page.set_viewport_size({"width": 390, "height": 800})
    style = "(id) => getComputedStyle(document.getElementById(id)).whiteSpace"
    styles = [page.evaluate(style, name) for name in ("promise-recall", "promise-recall-here")]
    page.set_viewport_size({"width": 1280, "height": 900})

    assert styles == ["nowrap", "nowrap"]


def test_weights_and_groups_promise_nothing_and_say_why(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.random(60) < 0.5
    weighted = cl.evaluate(labels, rng.random(60), rng.random(60) + 0.5)
    path = weighted.save(tmp_path / "weighted.html", measures=["auc"], resamples=0)

    text = path.read_text()
    assert "promises hold for cases of equal weight" in text
    assert "promise-statement" not in json.dumps(text.split("<script")[0])
