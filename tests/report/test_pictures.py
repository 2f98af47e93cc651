"""Charts as still pictures."""

import re
from xml.dom.minidom import parseString

import pytest

import cutline as cl
from cutline.examples import load
from cutline.report import render_html
from cutline.report.chart_specs import _place_mark, draw_charts, render_still
from cutline.report.page import ChartedModel


@pytest.fixture(scope="module")
def tumours():
    data = load("tumours")
    return cl.evaluate(data.labels, data.scores["logistic"], positive=data.positive, name="logistic")


@pytest.fixture(scope="module")
def pictures_by_name(tumours):
    found = draw_charts({"logistic": ChartedModel(tumours.ranking, 0.5, grouped=False)})
    return {picture["name"]: picture for picture in found}


def test_a_picture_is_markup_with_names_of_its_own(pictures_by_name, tumours):
    for name in ("roc", "det", "score_distribution", "lift"):
        svg = render_still(pictures_by_name[name], [tumours.counts], 7)
        parseString(svg.replace("<svg", '<svg xmlns:xlink="http://www.w3.org/1999/xlink"', 1))  # noqa: S318
        assert all(one.startswith("chart-7-") for one in re.findall(r' id="([^"]*)"', svg))
        assert all(one.startswith("chart-7-") for one in re.findall(r"url\(#([^)]*)\)", svg))
        assert not re.search(r"\d\.\d{3,}", re.sub(r">[^<]*<", "><", svg))


def test_the_picture_has_the_cut(pictures_by_name, tumours):
    found = _place_mark(pictures_by_name["roc"]["cut"], tumours.counts, 0, pictures_by_name["roc"])
    assert (found["x"], found["y"]) == pytest.approx((tumours.counts.fpr, tumours.counts.recall))
    moved = _place_mark(pictures_by_name["roc"]["cut"], tumours.at(threshold=0.2), 0, pictures_by_name["roc"])
    assert (moved["x"], moved["y"]) == pytest.approx((tumours.at(threshold=0.2).fpr, tumours.at(threshold=0.2).recall))
    assert render_still(pictures_by_name["roc"], [tumours.counts], 0) != render_still(
        pictures_by_name["roc"], [tumours.at(threshold=0.2)], 0
    )


def test_a_cut_without_a_place_on_the_axes_is_left_out(pictures_by_name, tumours):
    nobody = tumours.ranking.at_cut(0)  # has no precision
    assert render_still(pictures_by_name["precision_recall"], [nobody], 0) != render_still(
        pictures_by_name["precision_recall"], [tumours.counts], 0
    )


def test_every_chart_of_the_page_is_there_before_its_program_starts(tumours):
    text = render_html(tumours)
    places = re.findall(r'<div class="chart" id="chart-\d+"[^>]*>(.*?)</div></figure>', text, flags=re.DOTALL)

    assert len(places) >= 15
    assert all(place.startswith("<svg") for place in places[:4])  # what is folded is drawn by the program alone
    assert all("draws this chart: open the page in a browser" in place for place in places[4:])
