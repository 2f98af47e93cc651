"""What curves and charts refuse, word for word."""

import re

import numpy as np
import pytest

import cutline as cl
from cutline.charts import chart
from cutline.curves import iso_cost, with_prevalence

EV = cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])
POSITIVES = cl.evaluate([1, 1], [0.9, 0.6])
NEGATIVES = cl.evaluate([0, 0], [0.9, 0.6])
INFINITE = cl.evaluate([1, 0], [float("inf"), 0.0])

TWO = cl.compare([1, 0, 1, 0], {"a": [0.9, 0.6, 0.6, 0.2], "b": [0.2, 0.9, 0.6, 0.1]})

BOTH = "pass cases of both classes."


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: EV.curve("rocs"), "There is no curve 'rocs'. Did you mean roc?"),
        (lambda: EV.curve("precison_recall"), "There is no curve 'precison_recall'. Did you mean precision_recall"),
        (
            lambda: EV.curve("auc"),
            "There is no curve 'auc'. auc is the area under the curve roc: use that.",
        ),
        (lambda: EV.curve("gini"), "There is no curve 'gini'. gini belongs to the curve roc: use that."),
        (
            lambda: EV.curve("brier"),
            "There is no curve 'brier'. brier is one number for all cuts: only a measure of one cut has a curve.",
        ),
        (lambda: EV.chart("roc_hull"), "There is no chart 'roc_hull'. The chart roc draws that curve: ask for it."),
        (
            lambda: EV.chart("davis_goadrich"),
            "There is no chart 'davis_goadrich'. The chart precision_recall_readings draws that curve: ask for it.",
        ),
        (
            lambda: iso_cost(EV.ranking, cost_fn=0),
            "cost_fn is 0, and lines of equal cost would be vertical: pass a number above 0.",
        ),
        (lambda: iso_cost(POSITIVES.ranking), f"The curve roc cannot be drawn, there is no negative case: {BOTH}"),
        (lambda: with_prevalence(EV.ranking, 0), "prevalence is 0: pass a share above 0 and below 1."),
        (lambda: with_prevalence(EV.ranking, "x"), "prevalence is 'x': pass a number."),
        (
            lambda: with_prevalence(POSITIVES.ranking, 0.5),
            f"The curve roc cannot be drawn, there is no negative case: {BOTH}",
        ),
        (
            lambda: EV.chart("score_distribution", bins=1),
            "bins is 1, but the scores are divided at 0.5: pass 2 or more.",
        ),
        (
            lambda: EV.chart("confidence_curve"),
            "The chart confidence_curve shows a difference on the same cases: pass what compare() gives",
        ),
        (lambda: TWO.chart("confidence_curve", level=2), "level is 2"),
        (lambda: TWO.chart("dominance", kind="rok"), "kind is 'rok': pass roc, precision_recall, gain, lift, hit_rate"),
        (
            lambda: chart("dominance", {"a": EV, "b": INFINITE}, kind="gain"),
            "gain compares positions in one list, but the models rank different cases: pass the same cases.",
        ),
        (lambda: EV.curve(None), "name is None: pass text, such as 'roc'."),
        (lambda: EV.curve("roc", beta=2), "The curve roc has no parameter 'beta': it takes none."),
        (
            lambda: EV.curve("portion_lift", portion=2),
            "The curve portion_lift has no parameter 'portion': it takes portions. Did you mean portions?",
        ),
        (lambda: EV.curve("portion_lift", portions=2.5), "portions is 2.5: pass a whole number from 1 to 10000."),
        (lambda: EV.curve("portion_lift", portions=0), "portions is 0: pass a whole number from 1 to 10000."),
        (lambda: EV.curve("score_distribution", bins=0), "bins is 0: pass a number from 1 to 1000."),
        (lambda: EV.curve("f1", beta=2), "f1 has no parameter 'beta': it takes none."),
        (lambda: EV.curve("f_beta", beta=-1), "beta is -1: pass a number"),
        (
            lambda: POSITIVES.curve("roc"),
            f"The curve roc cannot be drawn, there is no negative case: {BOTH}",
        ),
        (
            lambda: NEGATIVES.curve("precision_recall"),
            f"The curve precision_recall cannot be drawn, there is no positive case: {BOTH}",
        ),
        (lambda: NEGATIVES.curve("recall"), f"The curve recall cannot be drawn, there is no positive case: {BOTH}"),
        (
            lambda: INFINITE.curve("score_distribution"),
            "The curve score_distribution cannot be drawn, a score is infinite: pass finite scores on an",
        ),
        (lambda: iso_cost(EV.ranking, cost_fp=-1), "cost_fp is -1: pass a number of at least 0"),
        (lambda: EV.chart("rok"), "There is no chart 'rok'. Did you mean roc? There are roc, "),
        (lambda: EV.chart("calibration"), "There is no chart 'calibration'. Did you mean reliability?"),
        (lambda: EV.chart("quantiles"), "There is no chart 'quantiles'. There are roc, score_distribution, "),
        (lambda: cl.compare([1, 0], {" ": [2, 1], "b": [1, 2]}), "The name of a model is empty: give each a name that"),
        (lambda: chart("roc", {" ": EV}), "The name of a model is empty: give each a name that can be read."),
        (
            lambda: EV.chart("auc"),
            "There is no chart 'auc'. auc is the area under the curve of the chart roc: use that.",
        ),
        (
            lambda: EV.chart("roc", hul=True),
            "The chart roc has no parameter 'hul': it takes hull, points, cost_fp, cost_fn, shade, eer_line, equal",
        ),
        (
            lambda: EV.chart("gain", cost_fp=1),
            "The chart gain has no parameter 'cost_fp': it takes prevalence, theme, title",
        ),
        (lambda: EV.chart("roc", theme="pink"), "theme is 'pink': pass 'light', 'dark' or 'print'."),
        (lambda: EV.chart("roc", cost_fn=-1), "cost_fn is -1: pass a number of at least 0"),
        (lambda: EV.chart("ranking_table", rows=1), "rows is 1: pass a whole number from 2 to 60."),
        (lambda: EV.chart("skew", prevalences=(0.5, 1)), "prevalences is (0.5, 1): pass one to six different shares"),
        (lambda: NEGATIVES.chart("skew"), f"The curve roc cannot be drawn, there is no positive case: {BOTH}"),
        (lambda: EV.chart("dominance"), "dominance compares models, but one was given: pass two or more."),
        (lambda: POSITIVES.chart("roc"), f"The curve roc cannot be drawn, there is no negative case: {BOTH}"),
        (
            lambda: chart("roc", {str(i): EV for i in range(13)}),
            "13 models were given, but a chart shows at most 12: pass at most 12.",
        ),
        (lambda: chart("roc", {}), "The chart roc shows predictions, but no model was given: pass at least one."),
        (lambda: chart("roc"), "The chart roc shows predictions, but none were given: pass an evaluation."),
        (
            lambda: chart("quota", {"a": EV, "b": EV}),
            "The chart quota shows one model, but 2 were given: pass one of them.",
        ),
        (
            lambda: chart("roc", {"a": EV, "b": EV}, cost_fp=2),
            "cost_fp and cost_fn draw the line of one model: pass one, or leave them out.",
        ),
        (
            lambda: EV.chart("roc").save("roc.bmp"),
            "A chart cannot be saved with the suffix '.bmp': pass a path that ends in .png, .svg, .pdf, .html, .json.",
        ),
        (lambda: EV.chart("roc").save("roc"), "A chart cannot be saved with no suffix: pass a path that ends in .png"),
        (
            lambda: EV.chart("roc").save("nowhere/roc.json"),
            "There is no folder 'nowhere': make it, or pass another path.",
        ),
        (lambda: EV.chart(["roc"]), "name is of type list: pass the name of a chart first, such as 'roc'."),
        (lambda: chart(EV, "roc"), "name is of type Evaluation: pass the name of a chart first, such as 'roc'."),
        (
            lambda: chart("roc", 3),
            "A chart shows evaluations, but one of type int was given: pass what evaluate() gives",
        ),
        (lambda: chart("roc", EV.ranking), "A chart shows evaluations, but one of type Ranking was given: pass"),
        (
            lambda: chart("roc", {1: EV, "1": EV}),
            "Two models have names that read the same: give each a name of its own.",
        ),
        (lambda: EV.chart("roc", theme=["dark"]), "theme is ['dark']: pass 'light', 'dark' or 'print'."),
        (lambda: EV.chart("roc", hull="no"), "hull is 'no': pass True or False."),
        (lambda: chart("losses", gamma="a"), "gamma is 'a': pass a number."),
        (lambda: EV.chart("skew", prevalences=0.5), "prevalences is 0.5: pass one to six different shares"),
        (lambda: EV.chart("portion_lift", portions=500), "portions is 500, but a chart shows 100 at most: pass fewer."),
        (lambda: EV.chart("ranking_table", rows=True), "rows is True: pass a whole number from 2 to 60."),
        (
            lambda: EV.chart("roc").save("roc.png", scale=0),
            "scale is 0: pass a number of dots to a pixel from 0.1 to 20.",
        ),
        (lambda: EV.chart("roc").render(".png", dpi=1), "dpi is 1: pass a number of dots to an inch from 9.6 to 1920."),
        (lambda: EV.chart("roc").render(".png", dpi=96, scale=1), "scale and dpi both say how fine a PNG is: pass one"),
        (lambda: EV.chart("roc", width="wide"), "width is 'wide': pass a number of pixels, or a length such as '85mm'"),
        (lambda: EV.chart("roc", height=9), "height is 9, which is 9 px: pass 100 to 5000 px."),
        (lambda: EV.chart("roc", width=True), "width is True: pass a number of pixels"),
        (lambda: EV.chart("confusion_matrix", width=100), "The text of the chart confusion_matrix leaves its axes no"),
        (lambda: EV.chart("roc", shade="f1"), "shade is 'f1': pass 'auc', 'gini' or 'auch'."),
        (lambda: chart("roc", {"a": EV, "b": EV}, shade="auc"), "shade fills an area of one model: pass one, or leave"),
        (lambda: EV.chart("roc", eer_line=1), "eer_line is 1: pass True or False."),
        (lambda: EV.chart("boundary", scores=1), "scores is 1: pass a whole number from 2 to 100."),
        (lambda: EV.chart("roc", title=3), "title is of type int: pass a text."),
        (lambda: EV.chart("roc").save("roc.png", scale="2"), "scale is '2': pass a number."),
        (lambda: EV.chart("roc").save(3), "path is 3: pass the path of a file, such as 'roc.png'."),
        (lambda: EV.curve("roc").to_frame("excel"), "backend is 'excel': pass one of pandas, polars, pyarrow."),
    ],
)
def test_a_mistake_gets_one_clear_sentence(call, sentence):
    with pytest.raises(cl.CutlineError) as refused:
        call()

    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_numbers_of_numpy_are_numbers():
    assert EV.chart("ranking_table", rows=np.int64(3)).name == "ranking_table"
    assert EV.chart("skew", prevalences=np.array([0.5, 0.1])).name == "skew"


def test_a_size_that_is_too_small_is_refused_with_one_that_will_do():
    with pytest.raises(cl.ParameterError) as refused:
        EV.chart("roc", width="85mm", height="30mm")
    needed = re.search(r"a height of at least (\d+)mm", str(refused.value))[1]

    assert EV.chart("roc", width="85mm", height=f"{needed}mm")
    with pytest.raises(cl.ParameterError, match="at least"):
        EV.chart("roc", width="85mm", height=f"{int(needed) - 2}mm")
