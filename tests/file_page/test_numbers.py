"""Every number that the page shows, of the ranking, the cut, its costs and its promises: the command line's."""

import csv
import json
import math

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.core.table import format_both_limits, format_value
from cutline.curves.gains import gains
from cutline.results.method_titles import format_method

pytestmark = pytest.mark.slow

NOT_ON_PAGE = "on the command line"


def spread(n, prevalence, seed, decimals=6):
    random = np.random.default_rng(seed)
    labels = (random.random(n) < prevalence).astype(int)
    return labels, (1 / (1 + np.exp(-random.normal(2 * labels - 1.5, 1.3)))).round(decimals)


def biomarker():
    labels, scores = spread(300, 0.4, 5)
    return labels, (40 + 300 * scores).round(1)


def weighted():
    return *spread(300, 0.4, 7, 2), np.random.default_rng(8).gamma(2, 1, 300).round(2)


# The cases, how their scores are written, and the options of the command line.
CASES = {
    "smooth": (spread(400, 0.4, 1), str, ()),
    "ties": (spread(250, 0.4, 2, 1), str, ()),
    "tiny": (([1, 1, 0, 1, 0, 1, 0, 0, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.55, 0.45, 0.3, 0.25, 0.2, 0.1]), str, ()),
    "perfect": (([1] * 6 + [0] * 9, [0.9] * 3 + [0.8] * 3 + [0.3] * 4 + [0.1] * 5), str, ()),
    "rare": (spread(3000, 0.004, 3), str, ()),
    "biomarker": (biomarker(), str, ()),
    "lower": (biomarker(), str, ("--lower-is-positive",)),
    "percent": (spread(300, 0.3, 6, 3), lambda score: f"{100 * score:.1f} %".replace(".", ","), ()),
    "weighted": (weighted(), str, ("--weight", "w")),
    "counted": ((*spread(200, 0.4, 9, 2), np.arange(200) % 4 + 1), str, ("--weight", "w")),
    "plenty": (spread(30_000, 0.4, 4, 3), str, ()),
}  # fmt: skip


@pytest.fixture(params=CASES)
def evaluated(request, opened, tmp_path, capsys):
    """The page after a file was dropped, and what the command line says of the same file."""
    columns, write, options = CASES[request.param]
    path = tmp_path / f"{request.param}.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream, delimiter=";")
        rows.writerow(["y", "p", "w"][: len(columns)])
        rows.writerows([row[0], write(row[1]), *row[2:]] for row in zip(*columns, strict=True))
    page = opened()
    page.tab.set_input_files("#file", path)
    page.tab.wait_for_selector("#columns", state="visible")
    if "--weight" in options:
        page.tab.select_option("#weight", "w")
    if "--lower-is-positive" in options:
        page.tab.select_option("#direction", "lower")
    page.wait_until_idle()

    def command(*more):
        capsys.readouterr()
        asked = ("evaluate", path, "--label", "y", "--score", "p", "--positive", "1", *options, *more)
        assert main([str(part) for part in (*asked, "--all", "--resamples", "0", "--json")]) == 0
        return json.loads(capsys.readouterr().out)

    own = {"weights": "w"} if "--weight" in options else {}
    own |= {"higher_is_positive": False} if "--lower-is-positive" in options else {}
    return page, command, cl.evaluate("y", "p", data=path, positive=1, **own)


def rows_of(page, kind):
    """The rows of the tables of the page: name, value, interval, method and baseline as they are shown."""
    return page.tab.eval_on_selector_all(
        f"[data-{kind}]",
        f"""rows => rows.map((row) => [row.dataset.{kind}, ...["value", "interval", "method", "baseline"]
        .map((name) => row.querySelector("." + name).textContent)])""",
    )


def check_rows(page, kind, expected, *, without=()):
    """Compare every row with that of the command line; return how many have an interval."""
    seen = 0
    for name, value, interval, method, baseline in rows_of(page, kind):
        row = expected[name]
        if row["value"] is None:
            assert value in ("undefined", "∞"), name
            continue
        assert value == format_value(float(row["value"])), name
        assert baseline == ("" if row["baseline"] is None else format_value(float(row["baseline"]))), name
        if interval == NOT_ON_PAGE or interval in without:
            continue
        if not row["method"] or (row["low"] is None and row["high"] is None):
            assert " to " not in interval, (name, interval, row)
            continue
        low, high = (math.inf if row[end] is None else row[end] for end in ("low", "high"))
        ends = [end.replace("inf", "∞") for end in format_both_limits(float(low), float(high))]
        assert interval == " to ".join(ends), (name, interval, row)
        assert method == format_method(row["method"]), name
        seen += 1
    return seen


def test_every_row_is_that_of_the_command_line(evaluated):
    page, command, ev = evaluated
    are_counts = ev.ranking.integral
    assert page.tab.is_visible("#no-groups") != are_counts
    for quota in (None, 3, ev.ranking.total / 4):
        if quota is not None:
            page.tab.fill("#quota", str(round(float(quota))))
            page.tab.press("#quota", "Enter")
        if page.tab.is_visible("#no-intervals"):  # inside a tie
            continue
        threshold = page.tab.input_value("#threshold")
        document = command("--threshold", threshold)
        expected = {row["measure"]: row for row in document["measures"]}
        assert check_rows(page, "measure", expected) >= 3
        assert check_rows(page, "row", expected, without=() if are_counts else ("",)) >= (20 if are_counts else 0)
        for name in ("tp", "fp", "fn", "tn"):
            assert float(page.text(f"#cell-{name}")) == pytest.approx(document["counts"][name], rel=1e-5)
    assert page.errors == []


def test_gains_costs_quota_and_promises_are_those_of_the_command_line(evaluated):
    page, _, ev = evaluated
    table = gains(ev.ranking)
    cells = page.tab.eval_on_selector_all(
        "#gains-rows tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[4] for row in cells] == [format_value(float(x)) for x in table["cumulated_gain"]]
    assert [row[5] for row in cells] == [format_value(float(x)) for x in table["cumulated_lift"]]
    assert [row[6] for row in cells] == [format_value(float(x)) for x in table["ks"]]

    page.tab.fill("#cost-fn", "5")
    page.tab.press("#cost-fn", "Enter")
    cheapest = cl.choose_cut(ev, cost_fp=1, cost_fn=5, resamples=0)
    counts = ev.ranking.at_threshold(cheapest.threshold)
    assert float(page.text("#cost-best")) == pytest.approx(float(counts.fp + 5 * counts.fn), rel=1e-8)
    if page.tab.is_enabled("#go-cheapest"):  # else it is the cut that is shown, perhaps by another threshold
        page.tab.click("#go-cheapest")
        assert float(page.tab.input_value("#threshold")) == cheapest.threshold
    page.tab.fill("#share", "20")
    page.tab.press("#share", "Enter")
    flagged = ev.ranking.at_quota(0.2 * ev.ranking.total)
    assert float(page.text("#cell-tp")) == pytest.approx(float(flagged.tp), rel=1e-4)

    if not ev.ranking.integral or "w" in page.tab.input_value("#weight"):
        assert page.text("#promise-waiting").startswith("The cases have weights")
        return
    page.wait_for_promises()
    for before in (False, True):
        page.tab.set_checked("#want-before", before)
        for field, asked in (("recall", "recall >= 0.8"), ("fpr", "fpr <= 0.3"), ("precision", "precision >= 0.5")):
            page.tab.fill(f"#want-{field}", asked.rpartition(" ")[2].replace("0.", "") + "0")
            page.tab.press(f"#want-{field}", "Enter")
            after = not before or field == "precision"  # which the page promises for all cuts at once
            found = cl.choose_cut(ev, asked, after_looking=after, resamples=0)
            if found.possible:
                assert page.text("#promise-statement") == found.statement
            else:
                assert page.text("#promise-refusal")
            page.tab.fill(f"#want-{field}", "")
            page.tab.press(f"#want-{field}", "Enter")
    page.tab.click("#want-clear")
    assert (
        page.text("#promise-statement") == cl.cut_at(ev, threshold=float(page.tab.input_value("#threshold"))).statement
    )
    assert page.errors == []
