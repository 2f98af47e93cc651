"""The confidence band on the ROC and precision-recall charts: that of roc_band and pr_band, said in the subtitle."""

import json

import numpy as np
import pytest

import cutline as cl
from cutline.core.errors import ParameterError

rng = np.random.default_rng(5)
LABELS = rng.random(120) < 0.4
SCORES = np.round(0.3 * LABELS + rng.random(120), 2)


@pytest.fixture(scope="module")
def ev():
    return cl.evaluate(LABELS, SCORES)


def areas(chart):
    """The rows of each shaded area."""
    spec = chart.to_dict(check=False)
    drawn = [layer for layer in spec["layer"] if layer["mark"].get("type") == "area"]
    return [spec["datasets"][layer["data"]["name"]] for layer in drawn]


@pytest.mark.parametrize(
    ("chart", "kind", "band"),
    [
        ("roc", "pointwise", lambda ev: cl.roc_band(ev, level=0.9, seed=3)),
        ("roc", "simultaneous", lambda ev: cl.roc_band(ev, level=0.9, seed=3, simultaneous=True)),
        ("roc", "guaranteed", lambda ev: cl.roc_band(ev, level=0.9, guaranteed=True)),
        ("precision_recall", "pointwise", lambda ev: cl.pr_band(ev, level=0.9, seed=3)),
    ],
)
def test_the_band_that_is_drawn_is_the_band_that_is_computed(ev, chart, kind, band):
    picture = ev.chart(chart, band=kind, level=0.9, seed=3)
    [rows], found = areas(picture), band(ev)
    columns = np.array([[row["x"], row["y"], row["y2"]] for row in rows]).T
    np.testing.assert_allclose(columns, [found.x, found.low, found.high], atol=1e-6)
    assert "Shaded: 90 % band" in json.dumps(picture.to_dict(check=False))


def test_a_band_is_drawn_on_request_only(ev):
    assert areas(ev.chart("roc")) == []
    assert "Shaded" not in json.dumps(ev.chart("roc").to_dict(check=False))


def test_each_of_few_models_has_its_band_and_many_are_refused(ev):
    both = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})
    assert len(areas(both.chart("roc", band="guaranteed"))) == 2
    with pytest.raises(ParameterError, match="4 models would hide one another"):
        cl.chart("roc", dict.fromkeys("abcd", ev), band="pointwise")


@pytest.mark.parametrize(("chart", "kind"), [("roc", "wide"), ("roc", True), ("precision_recall", "guaranteed")])
def test_another_band_is_refused_with_those_that_there_are(ev, chart, kind):
    with pytest.raises(ParameterError, match="'pointwise', 'simultaneous'"):
        ev.chart(chart, band=kind)


def test_groups_are_resampled_whole():
    groups = np.repeat(np.arange(30), 4)
    alone, together = (
        areas(cl.evaluate(LABELS, SCORES, **how).chart("roc", band="pointwise"))[0] for how in ({}, {"groups": groups})
    )
    assert [row["y"] for row in alone] != [row["y"] for row in together]


def test_a_figure_of_one_column_keeps_room_for_its_axes(ev):
    """85 by 70 mm, as journals ask for: the legend goes below in two columns, or in one where names are long."""
    picture = ev.chart("roc", width="85mm", height="70mm")
    assert picture.legend_columns == 2
    assert picture.altair.height > 85  # of 265 pixels, beside a title, three lines of text and five of a legend
    names = {letter * 20: SCORES for letter in "ab"}
    assert cl.compare(LABELS, names).chart("roc", width="75mm", height="110mm").legend_columns == 1
    plain = ev.chart("roc", width="85mm", height="70mm", hull=False, points=False)
    assert plain.altair.height > 110
    assert "EER" not in json.dumps(plain.to_dict(check=False)["datasets"])
