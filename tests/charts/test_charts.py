"""Charts: valid Vega-Lite that renders, with the drawn data equal to the curves."""

import itertools
import json
import math

import altair as alt
import jsonschema
import numpy as np
import pytest

import cutline as cl
from cutline.charts import CHARTS, DARK, LIGHT, PRINT, Requires, Shows
from cutline.charts.theme import DASHES, MOST_MODELS
from cutline.examples import load
from cutline.measures import MEASURES, Needs
from drawing import layers_of, line, rows_of
from grouping import each_case
from sources import (
    ARBEL_FOUND,
    ARBEL_LABELS,
    ARBEL_SCORES,
    BERRAR_LABELS,
    BERRAR_MARGINS,
    BERRAR_SCORES,
    BERRAR_T5,
    BERRAR_TABLE,
    MURPHY_1,
    MURPHY_2,
    MURPHY_LABELS,
)

BERRAR = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES, threshold=BERRAR_T5, name="ten cases")
ARBEL = cl.evaluate(ARBEL_LABELS, ARBEL_SCORES, threshold=0.2, name="Arbel")
MURPHY = {"first": cl.evaluate(MURPHY_LABELS, MURPHY_1), "second": cl.evaluate(MURPHY_LABELS, MURPHY_2)}
TUMOURS = load("tumours")
MODELS = {m: cl.evaluate(TUMOURS.labels, s, positive=TUMOURS.positive) for m, s in TUMOURS.scores.items()}
LOW_IS_POSITIVE = cl.evaluate(MURPHY_LABELS, [-s for s in MURPHY_2], threshold=-0.5, higher_is_positive=False)

SCHEMA = jsonschema.Draft7Validator(alt.load_schema())
OF_PROBABILITIES = [name for name, kind in CHARTS.items() if Requires.PROBABILITIES in kind.needs]
OF_ONE = [
    name for name, kind in CHARTS.items() if kind.shows in (Shows.ONE, Shows.SEVERAL) and name not in OF_PROBABILITIES
]
PAIR = cl.compare(MURPHY_LABELS, {"first": MURPHY_1, "second": MURPHY_2})
CLASSES = cl.one_vs_rest(["a", "b", "c", "a", "b"], [[5, 1, 0], [2, 3, 3], [1, 2, 4], [3, 3, 1], [4, 2, 0]])
OF_SEVERAL = ["roc", "det", "precision_recall", "gain", "lift", "portion_lift", "hit_rate", "qrecall", "dominance"]


def params_of(spec):
    """The parameters of a chart and of its layers."""
    return [*spec.get("params", []), *(param for layer in spec.get("layer", []) for param in params_of(layer))]


def picture_of(name, models=BERRAR, **parameters):
    return cl.chart(name, None if name == "losses" else models, **parameters)


def marks(spec):
    return {row["mark"]: (row["x"], row["y"]) for row in rows_of(spec) if "mark" in row}


def exactly(pairs):
    return [pytest.approx((float(x), float(y)), abs=1e-5) for x, y in pairs]


# ---------------------------------------------------------------------- every chart


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CHARTS, "f1"])
def test_a_chart_is_valid_and_renders(name, checked):
    models = {Shows.TWO_OR_MORE: PAIR, Shows.DIFFERENCE: PAIR, Shows.CLASSES: CLASSES}
    picture = picture_of(name, models.get(CHARTS[name].shows, BERRAR))
    spec = picture.to_dict()

    SCHEMA.validate(spec)
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert picture.render(".png", scale=1).startswith(b"\x89PNG\r\n\x1a\n")
    drawn = picture.render(".svg").decode()
    titles = [
        part["title"]["text"] for part in (spec, *spec.get("hconcat", []), *spec.get("vconcat", [])) if "title" in part
    ]
    assert titles
    assert all(title in drawn for title in titles)
    assert rows_of(spec)


def test_a_specification_that_is_not_vega_lite_would_be_seen(checked):
    spec = BERRAR.chart("roc").to_dict()
    spec["layer"][0]["encoding"]["x"]["type"] = "nonsense"

    with pytest.raises(jsonschema.ValidationError):
        SCHEMA.validate(spec)


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize(
    "model", [ARBEL, LOW_IS_POSITIVE, next(iter(MODELS.values()))], ids=["arbel", "low", "tumours"]
)
def test_every_chart_takes_every_kind_of_scores(name, model):
    spec = picture_of(name, model).to_dict()

    assert all(math.isfinite(v) for row in rows_of(spec) for v in row.values() if isinstance(v, float))


@pytest.mark.parametrize("name", OF_PROBABILITIES)
def test_a_chart_of_probabilities_refuses_other_scores(name):
    points = cl.evaluate(TUMOURS.labels, [300 + 500 * s for s in TUMOURS.scores["tree"]], positive=TUMOURS.positive)

    with pytest.raises(cl.NotProbabilitiesError, match=f"The chart {name} needs probabilities, but scores run from"):
        points.chart(name)
    with pytest.raises(cl.NotProbabilitiesError, match="low scores mean positive here"):
        LOW_IS_POSITIVE.chart(name)


@pytest.mark.parametrize("name", [name for name in OF_PROBABILITIES if CHARTS[name].shows is Shows.SEVERAL])
def test_a_chart_of_probabilities_shows_the_models_that_give_them_in_their_colours(name):
    points = {"points": [300 + 500 * s for s in TUMOURS.scores["tree"]]}
    mixed = cl.compare(TUMOURS.labels, points | TUMOURS.scores, positive=TUMOURS.positive).chart(name)
    spec = json.dumps(mixed.to_dict())

    assert "Without points, whose scores are not probabilities" in spec
    assert all(model in spec for model in TUMOURS.scores)
    assert '"points"' not in spec
    assert LIGHT.colour(0) not in spec  # that of the model which is left out
    assert LIGHT.colour(1) in spec
    assert LIGHT.colour(2) in spec


def test_the_net_benefit_at_a_risk_of_its_own_needs_no_probabilities():
    assert LOW_IS_POSITIVE.chart("net_benefit", risk=0.2).to_dict()


UNUSUAL = {
    "all scores tied": cl.evaluate([1, 0, 0, 0], [0.5] * 4),
    "a threshold beyond all scores": cl.evaluate([1, 0, 1], [3, 2, 1], threshold=math.inf),
    "a threshold far below": cl.evaluate([1, 0, 1], [3, 2, 1], threshold=-1e6),
    "fractional weights": cl.evaluate([1, 0, 1, 0, 1], [3, 2, 2, 1, 0], [0.5, 0.25, 1.5, 0.1, 3]),
    "the wrong way round": cl.evaluate([0, 1], [1, 0]),
    "narrow floats": cl.evaluate([1, 0, 1], np.array([0.7, 0.3, 0.1], dtype="float32"), threshold=0.7),
    "infinite scores": cl.evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf]),
}


EXTREME = {
    "the largest floats": [1.7e308, -1.7e308, 1e308, 0.0, 5.0, 3.0],
    "the smallest floats": [5e-324, 1e-323, -5e-324, 0.0, 0.0, 1.5e-323],
    "long doubles": np.array([0.75, 0.5, 0.5, 0.25, 0.125, 0.375], dtype=np.longdouble),
    "beyond the axis, all of them": [1e300, 2e300, 3e300, 4e300, 5e300, 6e300],
}


@pytest.mark.parametrize("threshold", ["inside", "at the end"])
@pytest.mark.parametrize("what", EXTREME)
def test_extreme_scores_are_drawn_or_refused_with_a_sentence(what, threshold):
    scores = EXTREME[what]
    ev = cl.evaluate([1, 0, 1, 0, 1, 0], scores, threshold=0.5 if threshold == "inside" else float(np.max(scores)))
    for name in [*OF_ONE, "f1", "lr_plus"]:
        if name == "score_distribution" and what != "long doubles":
            with pytest.raises(cl.InputError, match="too far apart, or too near"):
                ev.chart(name)
        else:
            numbers = [
                v for row in rows_of(ev.chart(name).to_dict()) for v in row.values() if isinstance(v, int | float)
            ]
            assert all(math.isfinite(v) and abs(v) < 1e309 for v in numbers)


@pytest.mark.slow
def test_the_largest_floats_are_rendered():
    ev = cl.evaluate([1, 0, 1, 0, 1, 0], EXTREME["the largest floats"], threshold=1.7e308, name="m")
    drawn = ev.chart("f1").render(".svg").decode()

    assert "NaN" not in drawn
    assert "Infinity" not in drawn


@pytest.mark.slow
@pytest.mark.parametrize("what", UNUSUAL)
def test_unusual_predictions_are_drawn_too(what):
    of_probabilities = ("net_benefit", "mcb_dsc") if UNUSUAL[what].ranking.are_probabilities else ()
    for name in [*OF_ONE, *of_probabilities, "f1", "lr_plus"]:
        if (what, name) != ("infinite scores", "score_distribution"):
            assert "NaN" not in UNUSUAL[what].chart(name).to_json()


@each_case("measure", MEASURES.search(needs=Needs.COUNTS), ids=str)
def test_every_measure_of_one_cut_can_be_drawn(measure):
    assert rows_of(BERRAR.chart(measure.name).to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_SEVERAL)
def test_several_models_have_lines_and_a_legend_of_their_own(name, checked):
    spec = cl.chart(name, MODELS).to_dict()
    SCHEMA.validate(spec)
    series = {row["series"] for row in rows_of(spec) if "series" in row}

    assert len([one for one in series if "logistic" in one]) == 1
    assert len([one for one in series if "tree" in one]) == 1


def test_the_legend_of_several_models_can_be_clicked_and_tells_their_areas():
    spec = cl.chart("roc", MODELS).to_dict()
    [clicked] = params_of(spec)
    lines = layers_of(spec)[0]
    names = lines["encoding"]["color"]["scale"]["domain"]

    assert clicked["bind"] == "legend"
    assert clicked["select"]["fields"] == ["series"]
    assert names == [f"{m}: {MODELS[m].auc:.4f}" for m in MODELS] + ["baseline"]
    assert lines["encoding"]["strokeDash"]["scale"]["domain"] == names
    assert lines["encoding"]["color"]["legend"] == lines["encoding"]["strokeDash"]["legend"]  # so that they are merged
    assert lines["encoding"]["color"]["legend"]["title"] == MEASURES["auc"].title


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("roc", "fpr", "recall"),
        ("det", "fpr", "fnr"),
        ("precision_recall", "recall", "precision"),
        ("lift", None, "lift"),
        ("hit_rate", None, "hit_rate"),
        ("qrecall", None, "qrecall"),
        ("mcc", None, "mcc"),
    ],
)
def test_the_titles_of_the_axes_are_those_of_the_measures(name, x, y):
    encoding = layers_of(BERRAR.chart(name).to_dict())[-1]["encoding"]

    assert encoding["y"]["title"] == MEASURES[y].title
    assert x is None or encoding["x"]["title"] == MEASURES[x].title


@pytest.mark.parametrize(
    "name", ["roc", "precision_recall", "gain", "lift", "hit_rate", "qrecall", "tpr_fpr", "det", "f1"]
)
def test_a_point_tells_its_threshold_its_counts_and_its_rates(name):
    spec = BERRAR.chart(name).to_dict()
    told = [layer["encoding"]["tooltip"] for layer in layers_of(spec) if "tooltip" in layer["encoding"]]
    fields = {tooltip["field"] for tooltip in max(told, key=len)}
    rows = [row for row in rows_of(spec) if row.get("threshold") == 0.6 and "tp" in row]

    assert fields >= {"threshold", "tp", "fp", "fn", "tn", "recall", "fpr", "precision"}
    for row in rows:
        assert [row[count] for count in ("tp", "fp", "fn", "tn")] == [3, 1, 2, 4]
        assert [row[rate] for rate in ("recall", "fpr", "precision")] == [0.6, 0.2, 0.75]
    assert rows


# ---------------------------------------------------------------------- what each of them draws


def test_the_roc_chart_draws_the_curve_the_hull_the_diagonal_and_the_points():
    spec = BERRAR.chart("roc").to_dict()

    assert line(spec, "ten cases") == exactly([(0, 0), *((row[1], row[0]) for row in BERRAR_TABLE)])
    assert line(spec, "convex hull: 0.8800") == exactly([(0, 0), (0, 2 / 5), (1 / 5, 4 / 5), (3 / 5, 1), (1, 1)])
    assert line(spec, "baseline") == exactly([(0, 0), (1, 1)])
    assert marks(spec) == {
        "cut: score ≥ 0.55": pytest.approx((1 / 5, 3 / 5)),
        "EER 0.2000, max J 0.6000": pytest.approx((1 / 5, 4 / 5)),  # at one place, and neither hides the other
    }


def test_the_roc_chart_draws_a_line_of_equal_cost_when_costs_are_given():
    spec = BERRAR.chart("roc", cost_fn=2).to_dict()

    assert line(spec, "equal cost 0.3000") == exactly([(0, 0.7), (1, 1.2)])
    assert marks(spec)["EER 0.2000, max J 0.6000, least cost"] == pytest.approx((1 / 5, 4 / 5))


def test_the_roc_chart_of_murphy_has_both_of_his_curves():
    spec = cl.chart("roc", MURPHY).to_dict()

    assert (0, 1) in line(spec, "first: 1.0000")
    assert pytest.approx((1 / 4, 4 / 5)) in line(spec, "second: 0.8500")
    assert {row["mark"] for row in rows_of(spec) if "mark" in row} == {"cut"}


@pytest.mark.parametrize(("shade", "area"), [("auc", 0.8), ("gini", 0.3), ("auch", 0.88)])
def test_the_areas_of_figure_6_are_shaded_exactly(shade, area):
    shaded = [row for row in rows_of(BERRAR.chart("roc", shade=shade).to_dict()) if "area" in row]
    x, height = [row["x"] for row in shaded], [row["y"] - row["y2"] for row in shaded]

    assert np.trapezoid(height, x) == pytest.approx(area, abs=1e-5)
    assert BERRAR.chart("roc", shade=shade).render(".svg").decode().count(f">{MEASURES[shade].title}: ") == 1


def test_figure_2_of_murphy_has_the_line_on_which_the_error_rates_are_equal():
    spec = MURPHY["second"].chart("roc", shade="auc", eer_line=True).to_dict()

    assert line(spec, "FPR = 1 - TPR") == [(0, 1), (1, 0)]
    [eer] = [place for name, place in marks(spec).items() if name.startswith("EER")]
    assert eer[0] == pytest.approx(1 - eer[1])


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_lines_of_equal_value_are_drawn_with_their_values(name):
    spec = cl.chart(name, MURPHY, equal="f1").to_dict()
    levels = {row["level"] for row in rows_of(spec) if "level" in row}

    assert len(levels) >= 7
    assert {f"{level:.2g}" for level in levels} == {row["text"] for row in rows_of(spec) if "text" in row}


def test_lines_of_equal_value_need_one_prevalence():
    models = {"a": BERRAR, "b": ARBEL}

    with pytest.raises(cl.InputError, match="need one prevalence, but the models have several"):
        cl.chart("roc", models, equal="accuracy")


def test_gain_and_lift_are_drawn_against_a_prevalence():
    gain, lift = (BERRAR.chart(name, prevalence=0.25).to_dict() for name in ("gain", "lift"))

    assert line(gain, "baseline")[-1:] == exactly([(10, 2.5)])
    assert line(lift, "ten cases")[-1:] == exactly([(10, 2)])
    assert {y for _, y in line(lift, "baseline")} == {1}
    assert len(line(lift, "baseline")) > 1
    assert marks(lift) == {"cut: score ≥ 0.55": pytest.approx((4, 3))}


def test_the_shared_hull_marks_its_corners_by_their_owners():
    spec = cl.chart("shared_hull", MURPHY).to_dict()

    assert line(spec, "hull of all: 1.0000") == [(0, 0), (0, 1), (1, 1)]
    assert [(row["x"], row["y"], row["owner"]) for row in rows_of(spec) if "owner" in row] == [(0, 1, "first")]
    assert spec["title"]["subtitle"] == ["No cost and no class skew makes second best"]


def test_the_boundary_chart_tells_distances_and_errors():
    rows = [row for row in rows_of(BERRAR.chart("boundary").to_dict()) if "side" in row]
    wrong = {row["x"]: row["class"] for row in rows if row["side"] == "wrong"}

    assert wrong == {0.75: "negative", 0.5: "positive", 0.25: "positive"}
    assert all(row["distance"] == pytest.approx(row["x"] - BERRAR_T5) for row in rows)


def test_the_precision_recall_chart_draws_steps_and_the_prevalence():
    spec = BERRAR.chart("precision_recall").to_dict()

    assert line(spec, "ten cases")[:6] == exactly([(0, 1), (0, 1), (0.2, 1), (0.2, 1), (0.4, 1), (0.4, 2 / 3)])
    assert {y for _, y in line(spec, "prevalence")} == {0.5}
    assert marks(spec) == {"cut: score ≥ 0.55": pytest.approx((3 / 5, 3 / 4))}


def test_the_readings_chart_names_the_five_areas():
    names = {row["series"] for row in rows_of(BERRAR.chart("precision_recall_readings").to_dict()) if "series" in row}

    assert names == {
        "steps: 0.8350",
        "interpolated in counts: 0.8177",
        "upper trapezoids: 0.7725",
        "middle trapezoids: 0.7163",
        "lower trapezoids: 0.6476",
        "prevalence",
    }


def test_the_tpr_fpr_chart_draws_the_gap_of_six_tenths_at_one_half():
    assert line(BERRAR.chart("tpr_fpr").to_dict(), "widest gap, KS 0.6000") == exactly([(0.5, 0.8), (0.5, 0.2)])


def test_the_gain_chart_draws_the_cumulated_class_and_its_random_line():
    spec = BERRAR.chart("gain").to_dict()

    assert line(spec, "ten cases") == [(0, 0), *((j, row[3]) for j, row in enumerate(BERRAR_TABLE, 1))]
    assert line(spec, "baseline") == [(0, 0), (10, 5)]
    assert line(spec, "perfect order") == [(0, 0), (5, 5), (10, 5)]


def test_the_lift_chart_draws_lift_from_the_first_place_on():
    spec = BERRAR.chart("lift").to_dict()

    assert line(spec, "ten cases") == exactly((j, row[4]) for j, row in enumerate(BERRAR_TABLE, 1))
    assert {y for _, y in line(spec, "baseline")} == {1}


def test_the_quota_charts_draw_table_2_of_arbel():
    both = ARBEL.chart("quota").to_dict()

    assert line(both, "Hit rate") == exactly((j, found / j) for j, found in enumerate(ARBEL_FOUND, 1))
    assert line(both, "Qrecall") == exactly((j, found / 4) for j, found in enumerate([0, *ARBEL_FOUND]))
    assert line(ARBEL.chart("hit_rate").to_dict(), "perfect order")[4] == exactly([(5, 4 / 5)])[0]


def test_the_qrecall_chart_shades_what_lies_above_and_below_the_random_line():
    # A positive on top, one at the end: above the random line first, below it later.
    spec = cl.evaluate([1, 0, 0, 0, 0, 1], [6, 5, 4, 3, 2, 1], name="m").chart("qrecall").to_dict()
    shaded = sorted((row for row in rows_of(spec) if "area" in row), key=lambda row: row["i"])
    areas = {row["area"] for row in shaded}
    height = {name: [row["y"] - row["y2"] for row in shaded if row["area"] == name] for name in areas}

    assert areas == {"S1: 0.5000", "S2: 0.5000"}
    assert height["S1: 0.5000"] == pytest.approx([0, 1 / 3, 1 / 6, 0, 0, 0, 0], abs=1e-5)
    assert height["S2: 0.5000"] == pytest.approx([0, 0, 0, 0, -1 / 6, -1 / 3, 0], abs=1e-5)
    assert "PEM = (S1 - S2) / S3 = (0.5000 - 0.5000) / 2.0000" in spec["title"]["subtitle"]


def test_the_qrecall_chart_of_fractional_weights_names_its_areas_without_sums():
    spec = UNUSUAL["fractional weights"].chart("qrecall").to_dict()

    assert {row["area"] for row in rows_of(spec) if "area" in row} == {"S1", "S2"}
    assert "undefined" not in str(spec["title"])


def test_the_portions_chart_draws_a_bar_for_each_portion():
    spec = BERRAR.chart("portion_lift", portions=2).to_dict()
    bars = [row for row in rows_of(spec) if "portion" in row]

    assert [(row["portion"], row["lift"], row["inside"]) for row in bars] == [(1, 1.6, 4), (2, 0.4, 1)]
    assert [row["y"] for row in rows_of(spec) if row.get("name") == "baseline"] == [1.0]


def test_the_distribution_chart_fills_the_two_errors_on_their_sides_of_the_cut():
    picture = BERRAR.chart("score_distribution", bins=5)
    spec, drawn = picture.to_dict(), picture.render(".svg").decode()
    assert ">missed positives: 2<" in drawn
    assert ">false alarms: 1<" in drawn
    filled = {
        name: [row for row in rows_of(spec) if row.get("error") == name]
        for name in ("missed positives", "false alarms")
    }
    area = {name: sum(row["y"] * abs(row["x"] - row["x2"]) for row in rows) for name, rows in filled.items()}

    assert area == {
        "missed positives": pytest.approx(2 / 5, abs=1e-4),
        "false alarms": pytest.approx(1 / 5, abs=1e-4),
    }
    assert all(row["x"] <= BERRAR_T5 + 1e-9 for row in filled["missed positives"])
    assert all(row["x2"] >= BERRAR_T5 - 1e-9 for row in filled["false alarms"])


def test_the_dominance_chart_draws_spans_of_the_leaders():
    spec = cl.chart("dominance", MURPHY).to_dict()
    band = layers_of(spec)[-1]

    assert [(row["start"], row["end"], row["names"], row["lane"]) for row in layers_rows(spec, "lane")] == [
        (0, 0.75, "first", ["1"]),
        (0.75, 1, "first and second", ["1", "2"]),
    ]
    # A lane for each model, below one another: no colour is needed to tell them apart.
    assert band["encoding"]["y"]["field"] == "lane"
    assert band["encoding"]["y"]["scale"]["domain"] == ["1", "2"]
    assert band["transform"] == [{"flatten": ["lane"]}]


def test_the_dominance_chart_leaves_out_where_no_model_has_a_value():
    # Above 1 nobody is flagged by b, and above 2 nobody at all: precision is undefined.
    models = {"a": cl.evaluate([1, 0], [2, 0], threshold=1), "b": cl.evaluate([1, 0], [0, 1], threshold=1)}
    rows = layers_rows(cl.chart("dominance", models, kind="precision").to_dict(), "lane")

    assert [(row["start"], row["end"], row["names"]) for row in rows] == [(0, 2, "a")]


def test_the_skew_chart_draws_one_roc_curve_and_falling_precision():
    spec = BERRAR.chart("skew", prevalences=(0.5, 0.1)).to_dict()
    roc, pr = (
        next(layer["encoding"]["color"]["scale"]["domain"] for layer in layers_of(side)) for side in spec["hconcat"]
    )

    assert roc == ["50 % positive: 0.8000", "10 % positive: 0.8000"]
    assert pr[0] == "50 % positive: 0.8350"
    # Precision 4 of 4 + 9 at the cut that flags four positives and one negative, which weighs nine.
    assert pytest.approx((4 / 5, 4 / 13), abs=1e-5) in line(spec, pr[1])


def test_the_losses_chart_draws_the_four_losses():
    spec = cl.chart("losses").to_dict()

    assert (-1, 2) in line(spec, "Hinge loss")
    assert (0, 1) in line(spec, "0-1 loss")
    assert (0, 0) in line(spec, "0-1 loss")
    assert (0, pytest.approx(math.log(2), abs=1e-5)) in line(spec, "Logistic loss")
    assert (0, pytest.approx(math.log(2) / 16, abs=1e-5)) in line(
        cl.chart("losses", gamma=4).to_dict(), "Focal loss, gamma 4"
    )


def test_the_confusion_matrix_shows_counts_and_rates():
    cells = {row["what"]: (row["count"], row["rate"]) for row in rows_of(BERRAR.chart("confusion_matrix").to_dict())}

    assert cells["true positives"] == ("3", "recall 0.6000")
    assert cells["false positives"] == ("1", "false positive rate 0.2000")
    assert cells["false negatives"] == ("2", "false negative rate 0.4000")
    assert cells["true negatives"] == ("4", "specificity 0.8000")
    assert cells["flagged"] == ("4", "precision 0.7500")
    assert cells["cases"] == ("10", "accuracy 0.7000")


def test_the_ranking_table_is_figure_2_of_berrar_with_a_line_at_t5():
    spec = BERRAR.chart("ranking_table").to_dict()
    cells = {(row["column"], row["row"]): row["text"] for row in rows_of(spec) if "column" in row}

    for i, (tpr, fpr, precision, cumulated, lift) in enumerate(BERRAR_TABLE):
        assert cells["Score", i] == f"{BERRAR_SCORES[i]:g}"
        assert cells["True positives", i] == str(cumulated)
        for title, value in (("Recall", tpr), ("False positive rate", fpr), ("Precision", precision), ("Lift", lift)):
            assert cells[title, i] == f"{float(value):.4f}"
    assert [row["row"] for row in rows_of(spec) if "name" in row] == [3.5]  # below the fourth case


def test_the_ranking_table_has_the_columns_of_figure_2_with_the_thresholds_between_the_rows():
    spec = BERRAR.chart("ranking_table", ids=range(10, 0, -1)).to_dict()
    cells = {(row["column"], row["row"]): row["text"] for row in rows_of(spec) if "column" in row}

    assert [cells["Case", i] for i in range(10)] == [str(case) for case in range(10, 0, -1)]
    assert [cells["Class", i] for i in range(10)] == [str(label) for label in BERRAR_LABELS]
    assert [cells["Threshold", i - 0.5] for i in range(11)] == [f"t{i}" for i in range(1, 12)]
    assert cells["Threshold", 3.5] == "t5"  # where the line of the cut is
    by_scores = BERRAR.chart("ranking_table", ids=range(1, 11), scores=BERRAR_SCORES[::-1]).to_dict()
    assert {(row["column"], row["row"]): row["text"] for row in rows_of(by_scores) if "column" in row} == cells


def test_the_ranking_table_of_margins_has_the_hinge_losses_of_figure_8b():
    model = cl.evaluate(BERRAR_LABELS, BERRAR_MARGINS, threshold=0.0)
    spec = model.chart("ranking_table", ids=range(10, 0, -1), columns="id,class,score,hinge").to_dict()
    losses = [float(row["text"]) for row in rows_of(spec) if row.get("column") == "Hinge loss"]

    signs = [1 if label else -1 for label in BERRAR_LABELS]
    assert losses == pytest.approx([max(0, 1 - y * s) for y, s in zip(signs, BERRAR_MARGINS, strict=True)])
    assert {row["column"] for row in rows_of(spec) if "column" in row} == {"Case", "Class", "Score", "Hinge loss"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"columns": ["score", "auc"]}, "columns names 'auc': name some of threshold, id, class"),
        ({"columns": []}, "columns is empty"),
        ({"columns": "id"}, "columns names id, but the cases have no names: pass ids too"),
        ({"ids": [1, 2]}, "ids has 2 names for 10 scores"),
    ],
)
def test_columns_that_a_ranking_table_cannot_have_are_refused(given, words):
    with pytest.raises(cl.ParameterError, match=words):
        BERRAR.chart("ranking_table", **given)


def test_a_long_ranking_table_shows_some_of_its_rows():
    spec = MODELS["logistic"].chart("ranking_table", rows=7).to_dict()

    assert len({row["row"] for row in rows_of(spec) if "column" in row}) == 7
    assert "7 of 566 distinct scores shown" in spec["title"]["subtitle"][0]


# ---------------------------------------------------------------------- axes, cuts and references


@pytest.mark.parametrize("name", ["f1", "tpr_fpr"])
def test_a_cut_beyond_the_scores_lies_inside_the_frame_and_the_lines_reach_its_ends(name):
    ev = cl.evaluate([1, 0, 1, 0], [4, 3, 2, -1], threshold=6.5, name="m")
    spec = ev.chart(name).to_dict()
    [domain] = {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in layers_of(spec)[-1:]}

    assert domain == (-1, 6.5)
    for series in ["m"] if name == "f1" else ["Recall", "False positive rate"]:
        xs = [x for x, _ in line(spec, series)]
        assert (max(xs), min(xs)) == (6.5, -1)


def test_models_of_other_scales_share_the_whole_axis():
    models = {"a": cl.evaluate([1, 0], [5, 4], threshold=5), "b": cl.evaluate([1, 0], [0.5, -2], threshold=0)}
    spec = cl.chart("accuracy", models).to_dict()

    for name in models:
        xs = [x for x, _ in line(spec, name)]
        assert (max(xs), min(xs)) == (5, -2)


@pytest.mark.parametrize("scores", [[4, 3, 2, 1], [1, 1, 1, 1]], ids=["separated", "tied"])
def test_the_det_chart_has_a_line_an_eer_and_a_cut_whatever_the_scores(scores):
    spec = cl.evaluate([1, 1, 0, 0], scores, threshold=3, name="m").chart("det").to_dict()
    found = marks(spec)
    eer = 0 if scores[0] == 4 else 0.5

    assert len(line(spec, "m")) >= 2
    assert any(f"EER {eer:.4f}" in name for name in found)
    assert any("cut: score ≥ 3" in name for name in found)
    assert all(-2 <= value <= 2 for point in found.values() for value in point)
    assert {row["told_x"] for row in rows_of(spec) if "EER" in row.get("mark", "")} == {eer}  # a rate, not a deviate


def test_models_on_other_cases_have_references_of_their_own():
    half, third = cl.evaluate([1, 0], [2, 1], threshold=2), cl.evaluate([1, 0, 0], [3, 2, 1], threshold=2)
    spec = cl.chart("precision_recall", {"a": half, "b": third}).to_dict()

    assert {y for _, y in line(spec, "prevalence (a)")} == {0.5}
    assert {round(y, 5) for _, y in line(spec, "prevalence (b)")} == {0.33333}
    assert line(spec, "prevalence") == []
    lift = cl.chart("lift", {"a": half, "b": third}).to_dict()
    assert line(lift, "baseline")[-1] == (3, 1)  # a level line: the longest stands for all


def test_too_many_references_are_left_out_and_it_says_why():
    models = {str(n): cl.evaluate([1] + [0] * n, range(n + 1), threshold=1) for n in range(1, 7)}
    spec = cl.chart("precision_recall", models).to_dict()

    assert spec["title"]["subtitle"] == ["No line of prevalence: the models have 6 different ones."]
    assert not [row for row in rows_of(spec) if "prevalence" in str(row.get("series"))]


@pytest.mark.parametrize(
    ("kind", "series", "spans"),
    [
        ("gain", "1  up", [(0, 2, "up"), (2, 4, "down")]),
        # a flags its first above 3, b too: from the top down, each is right where its labels are.
        ("error_rate", "1  up", [(1, 2, "down"), (2, 3, "up and down"), (3, 4, "up")]),
    ],
)
def test_the_dominance_chart_draws_what_cmp_dominance_says(kind, series, spans):
    # up: + - - +, down: - + + -
    models = cl.compare([1, 0, 0, 1], {"up": [4, 3, 2, 1], "down": [3, 4, 1, 2]}, threshold=3)
    spec = models.chart("dominance", kind=kind).to_dict()
    found = models.dominance("quota") if kind == "gain" else models.dominance("threshold", measure=kind)
    drawn = [(row["start"], row["end"], row["names"]) for row in layers_rows(spec, "names")]

    assert drawn == [(one.low, one.high, " and ".join(one.best)) for one in found.spans] == spans
    assert line(spec, next(name for name in names_of(spec) if name.startswith(series)))


def layers_rows(spec, field):
    """The rows of the first layer that have a field."""
    return next(rows for rows in spec["datasets"].values() if rows and field in rows[0])


def names_of(spec):
    return {row["series"] for row in rows_of(spec) if "series" in row}


def test_the_confidence_curve_peaks_at_the_difference_and_ends_at_its_interval():
    models = cl.compare(TUMOURS.labels, dict(TUMOURS.scores), positive=TUMOURS.positive)
    names = list(models)
    picture = models.chart("confidence_curve", measure="auc", a=names[0], b=names[1])
    spec = picture.to_dict()
    found = models.difference("auc", names[0], names[1])
    points = line(spec, "confidence curve")

    assert marks(spec) == {"observed difference": (pytest.approx(found.value), 1)}
    at_95 = [x for x, y in points if y == pytest.approx(0.05)]
    assert at_95 == pytest.approx([found.low, found.high], rel=1e-4)
    assert {y for _, y in line(spec, "95 % level")} == {0.05}
    assert [row["x"] for row in rows_of(spec) if row.get("name") == "no difference"] == [0.0]
    assert cl.chart("confidence_curve", models.confidence_curve("auc")).to_dict()["datasets"] == spec["datasets"]


def test_the_axes_of_the_decision_curve_hold_useful_thresholds_and_benefits():
    # 14 % positive: no net benefit can exceed 0.14, and none above a risk of 0.5 is positive.
    labels = [1] * 7 + [0] * 43
    scores = [0.5, 0.45, 0.4, 0.4, 0.35, 0.3, 0.2] + [0.3] * 8 + [0.1] * 35
    ev = cl.evaluate(labels, scores, threshold=0.25, name="m")
    spec = ev.chart("net_benefit").to_dict()
    axes = layers_of(spec)[0]["encoding"]

    assert axes["y"]["scale"]["domain"] == pytest.approx([-0.014, 0.14])
    assert axes["x"]["scale"]["domain"] == pytest.approx([0, 0.55])
    everybody = dict(line(spec, "flagging everybody"))
    assert everybody[0] == pytest.approx(0.14)
    assert everybody[0.1375] == pytest.approx(0.14 - 0.86 * 0.1375 / 0.8625, abs=1e-5)
    assert {y for _, y in line(spec, "flagging nobody")} == {0}
    # Flagged at 0.25 are 6 positives and 8 negatives: 6/50 - 8/50 / 3.
    assert marks(spec) == {"cut: score ≥ 0.25": pytest.approx((0.25, 6 / 50 - 8 / 150))}
    # Between the scores the counts stay, and the exchange rate of the errors changes.
    own = line(spec, "m")
    for at in (0.22, 0.25, 0.28, 0.3):
        x, y = min(own, key=lambda point: abs(point[0] - at))
        assert y == pytest.approx(6 / 50 - 8 / 50 * x / (1 - x), abs=1e-4)


def test_the_decision_curve_of_a_fixed_risk_is_drawn_over_all_cuts():
    spec = BERRAR.chart("net_benefit", risk=0.2).to_dict()

    assert marks(spec)["cut: score ≥ 0.55"] == pytest.approx((0.55, 0.3 - 0.1 * 0.25))


# ---------------------------------------------------------------------- names


HOSTILE = "<script>alert('1')</script>"


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_a_name_is_text_whatever_it_spells(name):
    picture = cl.chart(name, {HOSTILE: MURPHY["first"], 'b"&\\': MURPHY["second"]})

    assert "<script" not in picture.render(".svg").decode()
    assert "&lt;script&gt;" in picture.render(".svg").decode()
    assert any(HOSTILE in str(row.get("series", "")) for row in rows_of(picture.to_dict()))


def test_a_name_does_not_end_the_script_of_the_page():
    plain = cl.chart("roc", MURPHY).to_html()
    page = cl.chart("roc", {HOSTILE: MURPHY["first"], "b": MURPHY["second"]}).to_html()

    assert page.lower().count("</script") == plain.lower().count("</script")
    assert page.lower().count("<script>alert") == 0


# ---------------------------------------------------------------------- large and small


@pytest.fixture(scope="module", params=[2_000, 200_000])
def many_scores(request):
    """So many distinct scores: a few thousand need as many corners as any number."""
    rng = np.random.default_rng(0)
    scores = rng.random(request.param)
    return cl.evaluate(rng.random(request.param) < scores**2, scores)


@pytest.mark.parametrize("name", [*OF_ONE, "f1"])
def test_every_chart_of_many_scores_is_small(many_scores, name):
    assert len(many_scores.chart(name).to_json()) < 300_000


@pytest.mark.parametrize("kind", ["roc", "gain", "f1"])
def test_models_that_take_turns_all_the_time_have_a_small_chart_of_dominance(kind):
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.3
    models = {name: cl.evaluate(labels, np.clip(labels * 0.2 + rng.random(20_000) * 0.8, 0, 1)) for name in "abc"}

    assert len(cl.chart("dominance", models, kind=kind).to_json()) < 300_000


def test_twelve_models_have_a_small_chart():
    models = {f"model {i}": MODELS["logistic"] for i in range(MOST_MODELS)}

    assert len(cl.chart("precision_recall", models).to_json()) < 300_000


def test_twelve_models_can_be_told_apart():
    models = {f"model {i}": MODELS["tree"] for i in range(MOST_MODELS)}
    encoding = layers_of(cl.chart("roc", models).to_dict())[0]["encoding"]
    looks = list(
        zip(encoding["color"]["scale"]["range"], map(tuple, encoding["strokeDash"]["scale"]["range"]), strict=True)
    )

    assert len(set(looks)) == MOST_MODELS + 1
    assert len(set(DASHES)) == MOST_MODELS  # in black and white too


@pytest.mark.parametrize("count", [2, 6, 7, MOST_MODELS])
def test_the_portions_of_twelve_models_can_be_told_apart_and_clicked(count):
    models = {f"model {i}": MODELS["tree"] for i in range(count)}
    spec = cl.chart("portion_lift", models).to_dict()
    encoding = next(layer["encoding"] for layer in layers_of(spec) if "opacity" in layer["encoding"])
    dashes = encoding["strokeDash"]["scale"]["range"] if "strokeDash" in encoding else [[1, 0]] * count
    looks = zip(encoding["color"]["scale"]["range"], dashes, strict=True)

    assert len({str(look) for look in looks}) == count
    assert [param["bind"] for param in params_of(spec)] == ["legend"]
    first = [row["lift"] for row in rows_of(spec) if row.get("portion") == 1]
    assert first == pytest.approx([MODELS["tree"].curve("portion_lift").y[1]] * count, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("model", [[1, 1, 1], [0, 0, 0]], ids=["positives", "negatives"])
def test_one_class_has_a_confusion_matrix_and_a_ranking_table(model):
    ev = cl.evaluate(model, [0.9, 0.6, 0.2])

    for name in ("confusion_matrix", "ranking_table", "accuracy"):
        assert ev.chart(name).render(".png", scale=1)


# ---------------------------------------------------------------------- colours


def luminance(colour):
    """The relative luminance of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, two):
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT], ids=lambda theme: theme.name)
def test_text_and_lines_stand_out_from_the_ground(theme):
    assert contrast(theme.text, theme.ground) >= 7
    assert all(contrast(colour, theme.ground) >= 3 for colour in (*theme.lines, theme.reference))


# How much of red, green and blue people without one kind of cones see (Machado, Oliveira & Fernandes 2009).
BLIND = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("kind", BLIND)
def test_neighbouring_lines_differ_for_the_colour_blind(theme, kind):
    seen = [np.array(BLIND[kind]) @ [int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in theme.lines]

    for one, two in itertools.pairwise(seen):
        assert np.linalg.norm(one - two) > 50


def test_the_dark_theme_is_drawn_on_dark_ground():
    spec = BERRAR.chart("roc", theme="dark").to_dict()

    assert spec["config"]["background"] == DARK.ground
    assert BERRAR.chart("roc").to_dict()["config"]["background"] == LIGHT.ground


def test_the_reliability_diagram_of_one_model_says_its_intercept_and_slope():
    ev = cl.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
    drawn = ev.chart("reliability").render(".svg").decode()

    assert f"Intercept {ev.value('calibration_intercept'):.4f}, slope {ev.value('calibration_slope'):.4f}" in drawn
