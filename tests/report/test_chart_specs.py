"""The charts of the page: all that are declared for it, their cut left to the page."""

import json

import numpy as np
import pytest

import cutline as cl
from cutline.charts import CHARTS, PAGE_MEASURES, Place
from cutline.report import page
from cutline.report.chart_specs import draw_charts
from drawing import layers_of

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def test_every_chart_has_its_place_or_a_table_instead():
    pair = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})
    drawn = {picture["name"] for picture in draw_charts(pair, [pair.confidence_curve()])}

    assert drawn & set(CHARTS) == {kind.name for kind in CHARTS.at(Place.PAGE_FIRST | Place.PAGE)}
    assert {"confusion_matrix", "ranking_table"} <= set(CHARTS) - drawn  # the page has real tables of these
    assert drawn - set(CHARTS) == {*PAGE_MEASURES}


def test_the_page_moves_the_cut_so_the_charts_hold_no_fixed_one():
    ten = cl.evaluate(LABELS, SCORES)
    for picture in draw_charts({"ten": ten}):
        text = json.dumps(picture["spec"])
        assert "cut: " not in text, picture["name"]
        assert "cut at 0" not in text, picture["name"]
        assert ({"name": "cut"} in [layer.get("data") for layer in layers_of(picture["spec"])]) == bool(picture["cut"])
        assert picture["spec"]["datasets"].get("cut", []) == [], picture["name"]
        assert picture["spec"]["datasets"].get("areas", []) == [], picture["name"]


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_the_chart_of_differences_has_the_signs_of_the_terminal(names):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 300)
    scores = {name: np.clip(0.3 * labels + rng.random(300) * 0.7, 0.01, 0.99) for name in names}
    summary = cl.compare(labels, scores).summary(["auc", "log_loss", "brier"], resamples=100)
    (chart,) = page._draw_forest(summary)
    reference = summary.reference if len(names) > 2 else "b"
    drawn = [row for rows in chart["spec"]["datasets"].values() for row in rows if "model" in row]
    shown = {(row["measure"], row["model"]): row["value"] for row in drawn}

    assert shown == {  # log loss too, as long as it does not squeeze the others
        (("AUC" if key == "auc" else f"{row.title} ↓"), name): pytest.approx(row.value)
        for key, of_models in summary.differences_from(reference).items()
        for name, row in of_models.items()
    }
