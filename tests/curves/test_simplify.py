"""A drawn line keeps within a thousandth of the axis of the exact one, with a few hundred corners."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline.curves import CURVES, TOLERANCE, curve, describe_line, list_corners, simplify, simplify_curve
from grouping import each_case


def distances(x, y, kept):
    """How far each point is from the nearest point of the line through the kept ones: slow, and obvious."""
    best = np.full(len(x), np.inf)
    for i, j in itertools.pairwise(kept):
        dx, dy = x[j] - x[i], y[j] - y[i]
        way = np.clip(((x - x[i]) * dx + (y - y[i]) * dy) / (dx * dx + dy * dy or 1), 0, 1)
        best = np.minimum(best, np.hypot(x - x[i] - way * dx, y - y[i] - way * dy))
    return best


def on_axes(found, line):
    (left, right), (bottom, top) = found.domain
    return (line.x - left) / (right - left), (line.y - bottom) / (top - bottom)


def predictions(n, seed=0, distinct=None):
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    if distinct:
        scores = np.floor(scores * distinct) / distinct
    return cl.rank(rng.random(n) < scores**2, scores)


def test_points_on_a_line_are_left_out_and_corners_are_kept():
    x = np.array([0, 0.1, 0.2, 0.5, 0.9, 1])

    assert simplify(x, x).tolist() == [0, 5]
    assert simplify(x, np.array([0, 0.1, 0.2, 0.2, 0.2, 0.2])).tolist() == [0, 2, 5]
    assert simplify(x[:2], x[:2]).tolist() == [0, 1]
    assert simplify(x[:1], x[:1]).tolist() == [0]


@given(
    seed=st.integers(0, 10_000),
    n=st.sampled_from([3, 10, 300, 6_000]),  # beyond 4000 points the columns take part
    steps=st.sampled_from(["walk", "stairs", "noise", "spikes"]),
)
@example(seed=0, n=6_000, steps="spikes")
@settings(max_examples=40)
def test_no_point_moves_by_more_than_a_thousandth_of_the_axis(seed, n, steps):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(n))
    y = {
        "walk": lambda: np.cumsum(rng.normal(size=n)) / n,
        "stairs": lambda: np.sort(np.round(rng.random(n), 2)),
        "noise": lambda: rng.random(n),
        "spikes": lambda: (rng.random(n) < 0.01).astype(float),
    }[steps]()
    kept = simplify(x, y)

    assert kept[0] == 0
    assert kept[-1] == n - 1
    assert (np.diff(kept) > 0).all()
    assert distances(x, y, kept).max() <= TOLERANCE + 1e-12


@each_case("kind", [k.name for k in CURVES] + ["f1", "mcc", "net_benefit", "lr_plus"])
@pytest.mark.parametrize(("n", "distinct"), [(50, None), (3_000, None), (3_000, 40), (20_000, None)])
def test_a_drawn_curve_keeps_close_to_the_exact_one(kind, n, distinct):
    found = curve(predictions(n, distinct=distinct), kind)
    exact, line = list_corners(found), simplify_curve(found)
    x, y = on_axes(found, exact)
    order = {(a, b): i for i, (a, b) in enumerate(zip(exact.x.tolist(), exact.y.tolist(), strict=True))}
    kept = [order[point] for point in zip(line.x.tolist(), line.y.tolist(), strict=True)]  # corners of the exact curve

    inside = (y >= -1e-9) & (y <= 1 + 1e-9)  # what the axis does not show is not drawn
    assert distances(x, y, kept)[inside].max() <= TOLERANCE + 1e-9
    assert len(line.x) <= 1000  # the decision curve bends between the scores, too


def test_a_million_scores_are_drawn_with_a_few_hundred_corners():
    big = predictions(1_000_000)
    for kind in ("roc", "precision_recall", "tpr_fpr", "gain", "lift", "hit_rate", "qrecall", "f1"):
        found = curve(big, kind)

        assert len(found) == len(np.unique(found.threshold)) > 999_000
        assert 100 <= len(simplify_curve(found).x) <= 300


def test_the_area_equals_the_area_of_the_exact_curve():
    big = predictions(100_000)
    found = curve(big, "roc")
    line = simplify_curve(found)

    assert found.area == cl.auc(big)
    assert np.trapezoid(line.y, line.x) == pytest.approx(found.area, abs=TOLERANCE)
    assert np.trapezoid(line.y, line.x) != found.area


def test_the_details_of_a_corner_come_from_the_exact_curve():
    big = predictions(100_000)
    found = curve(big, "roc")
    told = describe_line(found, simplify_curve(found))

    for i in (0, 17, -1):
        counts = big.at_threshold(told["threshold"][i])
        assert (counts.tp, counts.fp) == (told["tp"][i], told["fp"][i])
        assert told["y"][i] == told["recall"][i] == counts.recall


def test_steps_have_corners_and_a_curve_over_the_threshold_reaches_both_ends():
    three = cl.rank([1, 0, 1], [0.75, 0.5, 0.25])
    pr, f1 = list_corners(curve(three, "precision_recall")), list_corners(curve(three, "f1"))

    # Precision 1 up to recall 1/2; then down to 1/2, and 2/3 on the way to recall 1.
    assert pr.x.tolist() == [0, 0, 0.5, 0.5, 0.5, 0.5, 1]
    assert pr.y.tolist() == pytest.approx([1, 1, 1, 1 / 2, 1 / 2, 2 / 3, 2 / 3])
    # Above 0.75 nobody is flagged, from there down one, and so on: F1 is 0, 2/3, 2/4, 4/5.
    assert f1.x.tolist() == [1, 0.75, 0.75, 0.5, 0.5, 0.25, 0.25, 0, 0]
    assert f1.y.tolist() == pytest.approx([0, 0, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 4 / 5, 4 / 5, 4 / 5])
