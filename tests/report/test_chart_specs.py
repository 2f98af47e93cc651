"""The charts of the page: all that are declared for it, their cut left to the page."""

import json

import cutline as cl
from cutline.charts import CHARTS, PAGE_MEASURES, Place
from cutline.report.chart_specs import charts
from drawing import layers_of

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def test_every_chart_has_its_place_or_a_table_instead():
    pair = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})
    drawn = {picture["name"] for picture in charts(pair, [pair.confidence_curve()])}

    assert drawn & set(CHARTS) == {kind.name for kind in CHARTS.at(Place.PAGE_FIRST | Place.PAGE)}
    assert {"confusion_matrix", "ranking_table"} <= set(CHARTS) - drawn  # the page has real tables of these
    assert drawn - set(CHARTS) == {*PAGE_MEASURES}


def test_the_page_moves_the_cut_so_the_charts_hold_no_fixed_one():
    ten = cl.evaluate(LABELS, SCORES)
    for picture in charts({"ten": ten}):
        text = json.dumps(picture["spec"])
        assert "cut: " not in text, picture["name"]
        assert "cut at 0" not in text, picture["name"]
        assert ({"name": "cut"} in [layer.get("data") for layer in layers_of(picture["spec"])]) == bool(picture["cut"])
        assert picture["spec"]["datasets"].get("cut", []) == [], picture["name"]
        assert picture["spec"]["datasets"].get("areas", []) == [], picture["name"]
