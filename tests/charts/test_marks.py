"""Marks, lines across and names: none hides another, and each is told."""

import math

import altair as alt
import numpy as np
import pytest
import vl_convert

import cutline as cl
from cutline.charts import CHARTS, DARK, LIGHT, Shows
from cutline.charts.layers import Frame
from cutline.charts.marks import Mark, choose_sizes, group_marks
from cutline.curves import Point
from drawing import layers_of, line, rows_of, series_of

# Cuts in turn: two positives, a negative, a positive, three negatives.
EV = cl.evaluate([1, 1, 0, 1, 0, 0, 0], [7, 6, 5, 4, 3, 2, 1], threshold=4, name="m")
PAIR = cl.compare([1, 1, 0, 0], {"a": [4, 3, 2, 1], "b": [4, 1, 2, 3]}, threshold=2)
FRAME = Frame("x", "y", (0.0, 1.0), (0.0, 1.0), "", width=100, height=100)


def marked(picture):
    return [row for row in rows_of(picture.to_dict()) if "mark" in row]


def mark_at(x, y, name="a", **more):
    return Mark(name, Point(0.5, x, y), "circle", "#000000", **more)


# ---------------------------------------------------------------------- marks


def test_a_joined_mark_tells_the_threshold_of_each_of_its_points():
    # Two right ones, flagged in turn: of the two cuts without errors of one kind, J and the cost choose one each.
    ev = cl.evaluate([1, 0, 0, 1], [4, 3, 2, 1], threshold=0.5, name="m")
    [row] = [row for row in marked(ev.chart("roc", cost_fn=0.5)) if "max J" in row["mark"]]

    assert row["mark"] == "max J 0.5000, least cost"
    assert row["threshold"] == "4"


def test_the_cut_is_a_ring_around_what_else_is_at_its_place():
    # Of four cases, + - - +: J is greatest where the first is flagged; so is the cut at 3.5.
    ev = cl.evaluate([1, 0, 0, 1], [4, 3, 2, 1], threshold=3.5)
    spec = ev.chart("roc").to_dict()
    [best] = [row for row in marked(ev.chart("roc")) if "max J" in row["mark"]]
    [cut] = spec["datasets"]["cut"]

    assert (best["mark"], best["threshold"]) == ("max J 0.5000", "4")
    assert (cut["mark"], cut["threshold"]) == ("cut: score ≥ 3.5", "3.5")
    assert (cut["x"], cut["y"]) == (best["x"], best["y"])
    assert cut["size"] > best["size"]


@pytest.mark.parametrize("kind", CHARTS.values(), ids=lambda kind: kind.name)
def test_the_cut_is_on_a_layer_of_its_own_wherever_a_chart_is_declared_to_show_it(kind):
    one = cl.evaluate([1, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.2], name="m")
    classes = cl.one_vs_rest(["a", "b", "c"], [[5, 1, 0], [2, 3, 3], [1, 2, 4]])
    models = {Shows.ONE: one, Shows.SEVERAL: one, Shows.NOTHING: None, Shows.CLASSES: classes}.get(kind.shows, PAIR)
    spec = cl.chart(kind.name, models).to_dict()
    named = [layer.get("data", {}).get("name") for layer in layers_of(spec)]

    assert ("cut" in named) == ("cut" in spec["datasets"]) == (kind.cut is not None)
    assert not [
        row
        for rows in spec["datasets"].values()
        for row in rows
        if "mark" in row and row not in cuts(spec) and row["mark"].startswith(("cut", "chosen"))
    ]


def cuts(spec):
    return spec["datasets"].get("cut", [])


def test_the_layer_of_the_cut_is_there_before_the_cut_has_a_place():
    # Nobody is flagged, so the precision has no value yet.
    spec = cl.evaluate([1, 0], [2, 1], threshold=3).chart("precision_recall").to_dict()

    assert spec["datasets"]["cut"] == []


def test_pictures_can_be_put_together_though_each_has_a_cut():
    charts = [EV.chart("roc").altair, cl.evaluate([1, 0, 1], [3, 2, 1], threshold=2).chart("gain").altair]
    for one in charts:
        one.config = alt.Undefined
    drawn = vl_convert.vegalite_to_svg(alt.hconcat(*charts).to_dict())

    assert ">cut: score ≥ 4<" in drawn
    assert ">cut: score ≥ 2<" in drawn


def test_a_mark_alone_tells_its_threshold_and_no_more():
    [row] = marked(EV.chart("precision_recall"))

    assert row["threshold"] == "4"
    assert "model" not in row


def test_the_cuts_of_several_models_at_one_place_are_one_mark_with_all_their_names():
    models = {name: cl.evaluate([1, 0], [2, 1], threshold=t) for name, t in (("a", 2), ("b", 1.5))}
    others = {"c": cl.evaluate([1, 0], [2, 1], threshold=1)}
    [row] = [row for row in marked(cl.chart("roc", models | others)) if row["model"] != "c"]
    tooltip = layers_of(cl.chart("roc", models).to_dict())[-1]["encoding"]["tooltip"]

    assert (row["model"], row["mark"], row["threshold"]) == ("a, b", "cut", "2 (a), 1.5 (b)")
    assert row["colour"] == LIGHT.text  # of neither
    assert [one["field"] for one in tooltip][:3] == ["mark", "model", "threshold"]


def test_marks_far_apart_have_one_size_and_near_ones_are_rings_around_each_other():
    apart = choose_sizes(group_marks([mark_at(0.1, 0.1), mark_at(0.9, 0.9)]), FRAME)
    near = choose_sizes(group_marks([mark_at(0.5, 0.5), mark_at(0.53, 0.5), mark_at(0.5, 0.55)]), FRAME)

    assert apart[0] == apart[1]
    assert near[0] == apart[0]
    # Each ring leaves room for the line of the one inside.
    radii = [math.sqrt(size / math.pi) for size in near]
    assert np.diff(radii).min() > 3


def test_many_near_marks_do_not_grow_without_end():
    assert max(choose_sizes(group_marks([mark_at(0.5 + i / 1000, 0.5) for i in range(12)]), FRAME)) < 3000


def test_a_mark_has_its_own_colour_in_the_legend():
    encoding = layers_of(EV.chart("roc").to_dict())[-1]["encoding"]
    names = encoding["shape"]["scale"]["domain"]

    assert encoding["stroke"]["field"] == encoding["shape"]["field"] == "mark"
    assert encoding["stroke"]["scale"]["domain"] == names
    assert encoding["stroke"]["legend"] == encoding["shape"]["legend"]  # so that they are merged
    others = [row for row in marked(EV.chart("roc")) if row["mark"] in names]
    assert [row["colour"] for row in sorted(others, key=lambda row: names.index(row["mark"]))] == (
        encoding["stroke"]["scale"]["range"]
    )


# ---------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tpr_fpr", "cut: score ≥ 4"),
        ("score_distribution", "cut: score ≥ 4"),
        ("portion_lift", "baseline"),
    ],
)
def test_a_line_across_the_chart_is_named_in_the_legend(name, words):
    picture = EV.chart(name)
    [stroke] = [
        layer["encoding"]["stroke"] for layer in layers_of(picture.to_dict()) if layer["mark"]["type"] == "rule"
    ]

    assert stroke["scale"]["domain"] == [words]
    assert stroke["legend"]["symbolDash"]
    assert f">{words}<" in picture.render(".svg").decode()


def test_equal_lines_are_both_seen_because_the_dashed_one_lies_above():
    spec = cl.chart("roc", {"a": EV, "b": EV}).to_dict()

    assert [row["series"] for row in series_of(spec)] == ["a: 0.9167", "b: 0.9167", "baseline"]
    dashes = layers_of(spec)[0]["encoding"]["strokeDash"]["scale"]["range"]
    assert dashes[0] == [1, 0]
    assert all(gap > 0 for _, gap, *_ in dashes[1:])


def test_a_hull_along_a_concave_curve_is_hidden_by_it():
    # Both positives before both negatives: the curve is its own hull.
    spec = cl.evaluate([1, 1, 0, 0], [4, 3, 2, 1], threshold=3, name="m").chart("roc").to_dict()
    dashes = dict(
        zip(*(layers_of(spec)[0]["encoding"]["strokeDash"]["scale"][k] for k in ("domain", "range")), strict=True)
    )

    assert [row["series"] for row in series_of(spec)][:2] == ["convex hull: 1.0000", "m"]  # the later lies on top
    assert dashes["m"] == [1, 0]


def test_a_model_named_like_a_reference_does_not_become_one_with_it():
    ev = cl.evaluate([1, 0], [2, 1], threshold=2, name="prevalence")
    spec = ev.chart("precision_recall").to_dict()

    assert {y for _, y in line(spec, "prevalence")} == {1.0, 0.5}
    assert {y for _, y in line(spec, "prevalence (reference)")} == {0.5}


def test_a_click_in_the_legend_fades_the_points_and_the_cuts_too():
    spec = cl.chart("roc", {"a": EV, "b": EV}).to_dict()
    lines, points, *cuts = layers_of(spec)

    assert points["mark"]["type"] == "circle"
    assert all(one["encoding"]["opacity"] == lines["encoding"]["opacity"] for one in (points, *cuts))
    other = cl.evaluate([1, 0, 1], [3, 2, 1], threshold=2)
    spec = cl.chart("roc", {"a": EV, "b": other}).to_dict()
    names = layers_of(spec)[0]["encoding"]["color"]["scale"]["domain"]
    assert {row["model"]: row["series"] for row in spec["datasets"]["cut"]} == dict(zip("ab", names, strict=False))


def test_the_lines_of_portions_tell_the_portion_and_its_lift():
    models = {str(i): EV for i in range(7)}
    spec = cl.chart("portion_lift", models, portions=7).to_dict()
    told = max((layer["encoding"].get("tooltip", []) for layer in layers_of(spec)), key=len)

    assert [one["field"] for one in told][:4] == ["series", "portion", "lift", "inside"]
    # One of the three positives in a seventh of the list.
    assert {(row["lift"], row["inside"]) for row in rows_of(spec) if row.get("portion") == 2} == {(2.33333, 1)}


# ---------------------------------------------------------------------- names and axes


@pytest.mark.parametrize(
    "name", ["tpr_fpr", "quota", "confusion_matrix", "ranking_table", "portion_lift", "f1", "skew"]
)
def test_a_picture_of_one_model_shows_its_name(name):
    assert ">m<" in EV.chart(name).render(".svg").decode()


def test_a_long_name_keeps_its_ends_and_its_number():
    long = "gradient boosting " + "with many words " * 9 + "version 2"
    several = cl.chart("roc", {long: EV, "b": EV}).render(".svg").decode()
    alone = cl.evaluate([1, 0], [2, 1], name=long).chart("f1").to_dict()["title"]["subtitle"]

    assert ">gradient boosting" in several
    assert "version 2: 0.9167<" in several
    assert len(alone[0]) == 52
    assert alone[0].startswith("gradient boosting")
    assert alone[0].endswith("version 2")


def test_a_model_without_a_name_is_not_named():
    assert "subtitle" not in cl.evaluate([1, 0], [2, 1]).chart("f1").to_dict()["title"]


@pytest.mark.parametrize("offset", [1e9, -1e12, 123456.5])
def test_scores_far_from_zero_keep_their_places(offset):
    scores = offset + np.array([0.25, 1.5, 2.75, 4.0])
    ev = cl.evaluate([0, 1, 0, 1], scores, threshold=offset + 2, name="m")
    distribution = ev.chart("score_distribution", bins=4).to_dict()

    assert sorted({x for x, _ in line(ev.chart("accuracy").to_dict(), "m")}) == pytest.approx(scores, rel=1e-15)
    for layer in layers_of(distribution):
        assert layer["encoding"]["x"]["scale"]["domain"] == [scores[0], scores[-1]]
    assert f"score ≥ {offset + 2:.15g}" in ev.chart("confusion_matrix").to_dict()["title"]["text"]
    texts = [row["text"] for row in rows_of(ev.chart("ranking_table").to_dict()) if row.get("column") == "Score"]
    assert texts == [f"{score:.15g}" for score in scores[::-1]]


@pytest.mark.parametrize(("name", "side"), [("gain", "x"), ("gain", "y"), ("lift", "x"), ("qrecall", "x")])
def test_numbers_of_cases_are_marked_at_whole_ones(name, side):
    axis = layers_of(EV.chart(name).to_dict())[-1]["encoding"][side]["axis"]
    assert (axis["tickMinStep"], axis["labelOverlap"]) == (1, True)


def test_the_gap_of_an_infinite_threshold_lies_on_the_edge():
    spec = cl.evaluate([1, 0, 0], [math.inf, 1, 0], threshold=0.5).chart("tpr_fpr").to_dict()

    assert [x for x, _ in line(spec, "widest gap, KS 1.0000")] == [1, 1]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_bars_differ_in_black_and_white(theme, count):
    def grey(colour):
        return np.array([0.299, 0.587, 0.114]) @ list(bytes.fromhex(colour[1:]))

    greys = [grey(colour) for colour in theme.fills(count)]
    assert np.abs(np.subtract.outer(greys, greys))[~np.eye(count, dtype=bool)].min() > 8


def test_a_figure_for_print_rings_no_cut_that_nobody_chose():
    labels, scores = [1, 0, 1, 0, 1], [0.9, 0.3, 0.7, 0.6, 0.2]
    default, chosen = cl.evaluate(labels, scores), cl.evaluate(labels, scores, threshold=0.4)

    assert "cut: " not in str(default.chart("roc", theme="print").drawing.to_spec())
    assert "cut: " in str(chosen.chart("roc", theme="print").drawing.to_spec())
