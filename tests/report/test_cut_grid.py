"""Which cuts the page holds."""

import numpy as np
import pytest

import cutline as cl
from cutline.curves import iso_cost
from cutline.report.chart_specs import draw_charts
from cutline.report.cut_data import build_cut_data, choose_cuts, describe_left_out
from cutline.report.html_page import pack_data
from cutline.report.page import view_ranking
from cutline.results.cut_point import group_digits

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


@pytest.fixture(scope="module")
def ten():
    return cl.evaluate(LABELS, SCORES).summary(intervals=False)


@pytest.fixture(scope="module")
def long():
    rng = np.random.default_rng(3)
    labels = rng.random(200_000) < 0.02
    ev = cl.evaluate(labels, rng.normal(size=200_000) + 1.2 * labels, threshold=1.7, name="long")
    return ev.summary(intervals=False)


def cuts_of_page(summary, models=1):
    return choose_cuts(summary.data.ranking, summary.counts, models)


def test_a_short_list_keeps_every_cut(ten):
    found = build_cut_data(ten, "ten", cuts_of_page(ten))

    assert found["tp"] == [0, 1, 2, 2, 3, 4, 4, 4, 5, 5, 5]
    assert found["fp"] == [0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 5]
    assert found["scores"] == SCORES
    assert found["kept"] is None
    assert describe_left_out(ten.data.ranking, cuts_of_page(ten)) == ""
    assert cuts_of_page(ten).place(ten.data.ranking, ten.counts) == 5


def test_infinite_scores_are_spelled():
    summary = cl.evaluate([1, 0, 1, 0], [np.inf, 0.5, 0.2, -np.inf], threshold=np.inf).summary(intervals=False)

    assert build_cut_data(summary, "ends", cuts_of_page(summary))["scores"] == ["Infinity", 0.5, 0.2, "-Infinity"]


def test_a_long_list_keeps_the_requested_cuts(long):
    r, found = long.data.ranking, cuts_of_page(long)

    assert len(found.cuts) < 6000
    assert {0, len(r), r.cut(1.7), r.cut(1.7) + 1, *range(500)} <= set(found.cuts.tolist())
    assert found.cuts[found.place(r, long.counts)] == r.cut(1.7)
    for ratio in (0.1, 1, 20, 300):
        assert r.cut(iso_cost(r, cost_fn=ratio).point.threshold) in found.cuts
    assert np.diff(r.tpr[found.cuts]).max() == found.of_positives <= 0.002
    assert np.diff(r.fpr[found.cuts]).max() == found.of_negatives <= 0.002
    assert f"{len(found.cuts)} of the {len(r) + 1} cuts" in describe_left_out(r, found)


def test_the_page_says_when_it_lacks_corners_of_the_hull(monkeypatch, long):
    assert cuts_of_page(long).has_hull
    assert "The cheapest cut is among them, whatever the costs." in describe_left_out(
        long.data.ranking, cuts_of_page(long)
    )
    monkeypatch.setattr("cutline.report.cut_data._HULL", 20)
    assert not cuts_of_page(long).has_hull
    assert "may be a little cheaper still" in describe_left_out(long.data.ranking, cuts_of_page(long))


def test_twelve_long_lists_leave_room_for_the_rest(long):
    from cutline.report.page import ChartedModel

    lists = pack_data([build_cut_data(long, f"model {i}", cuts_of_page(long, 12)) for i in range(12)])
    models = {f"model {i}": ChartedModel(long.data.ranking, 1.7, grouped=False) for i in range(12)}
    pictures = pack_data(list(draw_charts(models)))

    assert len(lists) + len(pictures) < 1_500_000  # the library, the tables and the program take as much again


def test_the_ranking_is_a_table(ten, long):
    found = view_ranking(ten.data.ranking, "ten")
    assert found["rows"][2] == ("0.75", "0", "1", "3", "2", "1", "0.4000", "0.2000", "0.6667")
    assert len(found["rows"]) == 10
    assert found["which"] == "All 10 distinct scores"
    r = long.data.ranking
    found = view_ranking(r, "long")
    assert 45 <= len(found["rows"]) <= 50
    assert found["rows"][-1][3:6] == tuple(group_digits(c) for c in (200_000, float(r.positives), float(r.negatives)))
