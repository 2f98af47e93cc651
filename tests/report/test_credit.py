"""The credit page: score bands in whole cases, approval rates, and the bad rate among the approved."""

import re
from html import unescape

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.curves.gains import divide_into_bands


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(4)
    bad = rng.random(2000) < 0.07
    return bad, np.round(680 - 55 * bad + 45 * rng.normal(size=2000))


@pytest.fixture(scope="module")
def page(scored, tmp_path_factory):
    bad, score = scored
    ev = cl.evaluate(bad, score, higher_is_positive=False, threshold=600, name="scorecard")
    path = ev.save(tmp_path_factory.mktemp("credit") / "credit.html", template="credit", resamples=50)
    return ev, path.read_text(encoding="utf-8")


def tables(text):
    """The cells of the tables, by their captions."""
    found = {}
    for title, table in re.findall(r"<h3>([^<]+)</h3>\s*<div[^>]*>\s*<table(.*?)</table>", text, flags=re.DOTALL):
        rows = [
            [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", table, flags=re.DOTALL)
        ]
        found[unescape(title).split(",")[0].split(":")[0]] = rows[1:]
    return found


def test_bands_hold_whole_cases_and_no_score_is_split(page, scored):
    bad, score = scored
    rows = tables(page[1])["Score bands"]

    assert len(rows) == 10
    for band, cases, goods, bads, rate, *_ in rows:
        low, high = map(float, band.split(" to "))
        inside = (score >= low) & (score <= high)
        assert (int(cases), int(goods), int(bads)) == (inside.sum(), (inside & ~bad).sum(), (inside & bad).sum())
        assert rate == f"{100 * bad[inside].mean():.2f} %"
    assert sum(int(row[1]) for row in rows) == 2000


def test_the_bad_rate_among_the_approved_is_the_rate_among_cases_not_rejected(page, scored):
    bad, score = scored
    for _, rule, approved, bads, rate, *_ in tables(page[1])["Approval rates and what they cost"]:
        kept = score > float(rule.split()[-1])
        assert (int(approved), int(bads)) == (kept.sum(), (kept & bad).sum())
        assert rate == f"{100 * bad[kept].mean():.2f} %"


def test_the_verdict_says_what_the_cut_approves(page, scored):
    bad, score = scored
    ev, text = page
    kept = score > 600
    said = unescape(re.search(r'<div class="verdict">(.*?)</div>', text, flags=re.DOTALL)[1])

    assert f"approves {kept.sum()} of 2000 cases" in said
    assert f"a bad rate of {100 * bad[kept].mean():.2f} % instead of {100 * bad.mean():.2f} %" in said
    assert f"KS {ev.ks:.4f}" in said


def test_ties_stay_in_one_band():
    r = cl.rank([1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 3])
    found = divide_into_bands(r, 6)

    assert found.cases.tolist() == [3, 2, 1]
    assert found.positives.tolist() == [1, 1, 0]
    assert found.approved[-1] == 1


def test_the_command_writes_the_page(scored, tmp_path):
    rows = "\n".join(f"{int(bad)},{score:g}" for bad, score in zip(*scored, strict=True))
    (tmp_path / "s.csv").write_text(f"default,score\n{rows}\n", encoding="utf-8")
    how = ("--label", "default", "--score", "score", "--lower-is-positive", "--resamples", "100", "-q")
    assert (
        main(["evaluate", str(tmp_path / "s.csv"), *how, "--template", "credit", "--html", str(tmp_path / "c.html")])
        == 0
    )
    assert "bad rate among approved" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_the_charts_speak_of_bads_and_goods(page):
    _, text = page
    drawn = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", text))
    assert {"bads", "goods", "Bads rejected", "Goods rejected"} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", text))
    for word in ("ositive", "egative", "alarm", "Recall", "lagged"):
        assert word not in drawn, word


def test_a_quota_inside_a_tie_rejects_the_whole_tie(tmp_path):
    bad, score = np.repeat([1, 0], [30, 170]), np.repeat([500, 600, 700], [10, 63, 127])
    ev = cl.evaluate(bad, score, higher_is_positive=False, quota=40)
    text = unescape(ev.save(tmp_path / "p.html", template="credit", resamples=50).read_text(encoding="utf-8"))

    assert ev.counts.fn != int(ev.counts.fn)  # places that are shared
    assert "Rejecting score ≤ 600 approves 127 of 200 cases (63.50 %), with 0 bads among them" in text
    assert "there is room for" not in text


def test_goods_named_as_the_positive_class_are_questioned(scored, tmp_path):
    bad, score = scored
    labels = np.where(bad, "bad", "good")
    for positive, is_questioned in (("good", True), ("bad", False)):
        ev = cl.evaluate(labels, score, positive=positive, higher_is_positive=positive == "good")
        text = ev.save(tmp_path / f"{positive}.html", template="credit", resamples=50).read_text(encoding="utf-8")
        assert ("name the label of the bads as the positive one" in text) == is_questioned
