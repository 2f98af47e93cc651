"""Charts on the axes of a user's own figure: the finished curves, without Vega."""

import math

import numpy as np
import pytest

import cutline as cl
from cutline.charts import CHARTS
from cutline.core.errors import CutlineError

pyplot = pytest.importorskip("matplotlib.pyplot")

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.35, 0.2, 0.1]
OTHERS = [0.9, 0.8, 0.85, 0.5, 0.7, 0.3, 0.45, 0.2, 0.1, 0.15]
EV = cl.evaluate(LABELS, SCORES, name="ten", threshold=0.5)
BOTH = cl.compare(LABELS, {"ten": SCORES, "other": OTHERS})
CURVES = ("roc", "det", "precision_recall", "precision_recall_readings", "tpr_fpr", "gain", "lift", "hit_rate",
          "qrecall", "quota", "score_distribution", "reliability", "net_benefit", "standardised_net_benefit",
          "interventions_avoided", "cost_curve", "brier_curve", "profit", "skew_measures", "roc_points",
          "losses")  # fmt: skip


@pytest.fixture
def ax():
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def line(ax, name):
    return next(one for one in ax.get_lines() if one.get_label() == name)


def test_the_line_goes_through_the_vertices_of_the_curve(ax):
    assert EV.chart("roc", ax=ax, hull=False) is ax
    curve = EV.curve("roc")
    drawn = set(zip(*line(ax, "ten").get_data(), strict=True))

    assert {(0.0, 0.0), (1.0, 1.0)} <= drawn
    assert drawn <= set(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("False positive rate", "Recall")
    assert ax.get_title(loc="left").splitlines()[:2] == [
        "ROC curve",
        "Area under the ROC curve 0.8000, Gini index 0.6000",
    ]


def test_the_cut_is_where_its_counts_are(ax):
    EV.chart("roc", ax=ax)
    x, y = line(ax, "cut: score ≥ 0.5").get_data()
    assert (float(x[0]), float(y[0])) == (2 / 5, 4 / 5)


def test_several_models_and_a_title_of_ones_own(ax):
    BOTH.chart("precision_recall", ax=ax, title="Mine")
    names = [text.get_text() for text in ax.get_legend().get_texts()]

    assert [name.split(":")[0] for name in names[:2]] == ["ten", "other"]
    assert names.count("cut") == 1  # the marks of both models, in the colours of their lines
    assert len([one for one in ax.get_lines() if one.get_marker() == "o"]) == 2
    assert ax.get_title(loc="left") == "Mine"


def test_a_band_is_an_area(ax):
    EV.chart("reliability", ax=ax, band="confidence")
    assert len(ax.collections) == 1
    assert all(math.isfinite(end) for end in (*ax.get_xlim(), *ax.get_ylim()))


def test_error_rates_are_named_on_scales_of_deviates(ax):
    EV.chart("det", ax=ax)
    assert {"20 %", "50 %", "80 %"} <= {text.get_text() for text in ax.get_xticklabels()}


@pytest.mark.parametrize("name", [*CURVES, "f1"])
def test_every_chart_of_curves_is_drawn(ax, name):
    EV.chart(name, ax=ax)
    assert any(len(one.get_xdata()) > 1 and np.isfinite(one.get_ydata()).any() for one in ax.get_lines())


@pytest.mark.parametrize("name", sorted(set(CHARTS) - set(CURVES) - {"confidence_curve"}))
def test_what_is_no_curve_is_refused_in_a_sentence_and_leaves_the_axes_empty(ax, name):
    with pytest.raises(CutlineError, match=r"is not made of curves|shows one model|shows several classes"):
        draw_what_is_no_curve(BOTH, name, ax)
    with pytest.raises(CutlineError):
        draw_what_is_no_curve(EV, name, ax)
    assert not ax.get_lines()


def draw_what_is_no_curve(models, name, ax):
    models.chart(name, ax=ax)
    pytest.fail(f"{name} is drawn on axes: add it to CURVES")


def test_other_things_than_axes_and_sizes_are_refused(ax):
    with pytest.raises(
        CutlineError, match=r"ax is of type str: pass axes of matplotlib, such as fig, ax = plt.subplots"
    ):
        EV.chart("roc", ax="here")
    with pytest.raises(CutlineError, match="width and height are those of a picture"):
        EV.chart("roc", ax=ax, width=300)


def test_the_titles_of_neighbours_do_not_meet():
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4))
    EV.chart("roc", ax=axes[0])
    BOTH.chart("precision_recall", ax=axes[1], title="A title of one's own that is by far longer than its axes")
    figure.canvas.draw()
    first, second = (axis._left_title.get_window_extent() for axis in axes)
    pyplot.close(figure)

    assert first.x1 < second.x0
    assert second.x1 <= figure.bbox.x1
    assert max(first.y1, second.y1) <= figure.bbox.y1
