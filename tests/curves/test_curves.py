"""Curves: their points are the fractions one can count, and their areas the measures."""

import math
from fractions import Fraction as F  # noqa: N817

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import det_curve, precision_recall_curve, roc_curve

import cutline as cl
from cutline.curves import (
    CURVES,
    compute_deviates,
    compute_loss_curves,
    curve,
    find_det_reach,
    find_gap,
    iso_cost,
    make_det_line,
    simplify_curve,
    with_prevalence,
)
from cutline.curves.simplify import list_corners
from cutline.measures import Needs
from grouping import each_case
from sources import (
    ARBEL_AREAS,
    ARBEL_FOUND,
    ARBEL_LABELS,
    ARBEL_SCORES,
    BERRAR_LABELS,
    BERRAR_RANKING,
    BERRAR_SCORES,
    BERRAR_TABLE,
)

BERRAR = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES)
ARBEL = cl.evaluate(ARBEL_LABELS, ARBEL_SCORES)
# One positive on top, then a positive tied with a negative, then a negative.
TIED = cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])
EVERYBODY_TIED = cl.evaluate([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5])

every_kind = pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.name)
few = settings(max_examples=25)
cases = st.lists(st.tuples(st.booleans(), st.integers(0, 8), st.integers(1, 3)), min_size=2, max_size=40).filter(
    lambda rows: len({label for label, _, _ in rows}) == 2
)


def ranking(rows):
    labels, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    return cl.rank(labels, scores / 8, weights)


def exactly(values):
    return pytest.approx([float(value) for value in values], rel=1e-12)


# ---------------------------------------------------------------------- Berrar's ten cases


def test_the_roc_curve_of_berrar_goes_through_his_table():
    roc = BERRAR.curve("roc")

    assert roc.y.tolist() == exactly([0, *(row[0] for row in BERRAR_TABLE)])
    assert roc.x.tolist() == exactly([0, *(row[1] for row in BERRAR_TABLE)])
    assert roc.threshold.tolist() == [math.inf, *BERRAR_SCORES]


def test_the_gain_and_the_lift_of_berrar_are_those_of_his_table():
    gain, lift = BERRAR.curve("gain"), BERRAR.curve("lift")

    assert gain.y.tolist() == [0, *(row[3] for row in BERRAR_TABLE)]
    assert gain.x.tolist() == list(range(11))
    assert lift.y[1:].tolist() == exactly(row[4] for row in BERRAR_TABLE)
    assert math.isnan(lift.y[0])  # nobody is flagged


def test_the_precision_recall_curve_of_berrar_is_undefined_where_no_case_is_flagged():
    found = BERRAR.curve("precision_recall")

    assert math.isnan(found.y[0])
    assert found.y[1:].tolist() == exactly(row[2] for row in BERRAR_TABLE)
    assert found.x.tolist() == exactly([0, *(row[0] for row in BERRAR_TABLE)])


@pytest.mark.parametrize(
    ("name", "recall", "precision"),
    [
        # the lowest, every, and the highest precision at each recall
        ("precision_recall_min", [0, 1, 2, 3, 4, 5], [0, 1, F(2, 3), F(3, 4), F(4, 7), F(1, 2)]),
        ("precision_recall_max", [0, 1, 2, 3, 4, 5], [0, 1, 1, F(3, 4), F(4, 5), F(5, 8)]),
        (
            "precision_recall_minmax",
            [0, 1, 2, 2, 3, 4, 4, 4, 5, 5, 5],
            [0, 1, 1, F(2, 3), F(3, 4), F(4, 5), F(4, 6), F(4, 7), F(5, 8), F(5, 9), F(1, 2)],
        ),
    ],
)
def test_the_trapezoids_of_berrar_go_through_these_points(name, recall, precision):
    found = BERRAR.curve(name)

    assert found.x.tolist() == exactly(F(r, 5) for r in recall)
    assert found.y.tolist() == exactly(precision)


def test_the_hull_of_berrar_has_five_corners_and_an_area_of_22_25ths():
    hull = BERRAR.curve("roc_hull")

    assert hull.x.tolist() == exactly([0, 0, F(1, 5), F(3, 5), 1])
    assert hull.y.tolist() == exactly([0, F(2, 5), F(4, 5), 1, 1])
    assert hull.threshold.tolist() == [math.inf, 0.8, 0.5, 0.25, 0.1]
    assert hull.area == pytest.approx(float(BERRAR_RANKING["auch"])) == pytest.approx(0.88)


def test_the_named_points_of_the_roc_curve_of_berrar():
    points = BERRAR.curve("roc").points

    assert points["eer"] == pytest.approx((0.5, 1 / 5, 4 / 5))
    assert points["max_youden_j"] == pytest.approx((0.5, 1 / 5, 4 / 5))


def test_the_equal_error_rate_may_lie_between_two_cuts():
    # The curve goes from (0, 1/2) to (1/2, 1): it meets the falling diagonal at (1/4, 3/4).
    assert TIED.curve("roc").points["eer"] == pytest.approx((0.6, 1 / 4, 3 / 4))


def test_both_rates_run_over_the_threshold_and_part_most_at_the_ks_statistic():
    found = BERRAR.curve("tpr_fpr")

    assert found.x.tolist() == found.threshold.tolist()
    assert found.also["fpr"].tolist() == exactly([0, *(row[1] for row in BERRAR_TABLE)])
    assert found.points["ks_recall"].y - found.points["ks_fpr"].y == pytest.approx(3 / 5) == found.values["ks"]


def test_a_line_of_equal_cost_touches_the_hull():
    line = iso_cost(BERRAR.ranking, cost_fp=1, cost_fn=1)
    hull = BERRAR.curve("roc_hull")

    assert line.slope == 1  # as many negatives as positives
    assert (line.point.x, line.point.y) == pytest.approx((1 / 5, 4 / 5))
    assert line.cost == pytest.approx(2 / 10)
    assert (hull.y <= line.intercept + line.slope * hull.x + 1e-12).all()


def test_dear_misses_move_the_cut_down():
    assert iso_cost(BERRAR.ranking, cost_fn=10).point.threshold == 0.25
    assert iso_cost(BERRAR.ranking, cost_fp=10).point.threshold == 0.8


def test_any_measure_of_one_cut_runs_over_the_threshold():
    found = BERRAR.curve("f1")

    assert found.threshold.tolist() == found.x.tolist() == [math.inf, *BERRAR_SCORES]
    assert found.y[[0, 1, 4, 5]].tolist() == exactly([0, F(2, 6), F(6, 9), F(8, 10)])
    assert BERRAR.curve("f_beta", beta=2).y[5] == pytest.approx(BERRAR.value("f_beta", beta=2, threshold=0.5))


@each_case("measure", cl.MEASURES.search(needs=Needs.COUNTS), ids=str)
def test_every_measure_of_one_cut_has_a_curve(measure):
    found = BERRAR.curve(measure.name)

    if measure.name != "lift":  # whose own curve is over the list
        assert found.y[5] == pytest.approx(BERRAR.value(measure, threshold=0.5), nan_ok=True)


# ---------------------------------------------------------------------- Arbel and Rokach's quotas


def test_the_quota_curves_of_arbel_are_his_table_2():
    hit, reached = ARBEL.curve("hit_rate"), ARBEL.curve("qrecall")

    assert hit.x.tolist() == reached.x.tolist() == list(range(11))
    assert hit.y[1:].tolist() == exactly(F(found, j) for j, found in enumerate(ARBEL_FOUND, 1))
    assert reached.y.tolist() == exactly(F(found, 4) for found in [0, *ARBEL_FOUND])
    assert math.isnan(hit.y[0])


def test_the_areas_of_the_pem_come_with_the_qrecall_curve():
    values = ARBEL.curve("qrecall").values

    assert [values[name] for name in ("s1", "s2", "s3")] == exactly(ARBEL_AREAS)
    assert values["pem"] == pytest.approx(7 / 12)


def test_the_random_and_the_perfect_quota_curves_are_straight_up_to_the_number_of_positives():
    beside = ARBEL.curve("qrecall").beside
    quota = np.arange(11)

    for name, expected in (("baseline", quota / 10), ("perfect", np.minimum(1, quota / 4))):
        assert np.interp(quota, beside[name].x, beside[name].y).tolist() == exactly(expected)


def test_a_quota_that_ends_in_a_tie_gets_its_expectation():
    # Of the two tied places one holds a positive: each counts one half.
    assert TIED.curve("hit_rate").y[1:].tolist() == exactly([1, F(3, 4), F(2, 3), F(2, 4)])
    assert TIED.curve("qrecall").y.tolist() == exactly([0, F(1, 2), F(3, 4), 1, 1])
    assert EVERYBODY_TIED.curve("hit_rate").y[1:].tolist() == exactly([F(1, 4)] * 4)


def test_a_tie_of_a_million_is_read_at_a_few_thousand_places():
    big = cl.rank([1, 0, 0], [2, 1, 1], [1, 1_000_000, 1])
    hit = curve(big, "hit_rate")

    assert len(hit) < 10_000
    assert hit.y[1:] == pytest.approx(1 / hit.x[1:])  # the one positive is on top
    middle = (hit.x[1:-1] + hit.x[2:]) / 2
    assert np.abs(np.interp(middle, hit.x[1:], hit.y[1:]) - 1 / middle).max() < 0.1  # between the first two places
    late = middle > 1000
    assert np.abs(np.interp(middle, hit.x[1:], hit.y[1:]) - 1 / middle)[late].max() < 1e-6


def test_the_lift_of_deciles_and_of_halves():
    assert BERRAR.curve("portion_lift").y[1:].tolist() == exactly([2 * label for label in BERRAR_LABELS])
    halves = BERRAR.curve("portion_lift", portions=2)
    assert halves.y[1:].tolist() == exactly([F(4, 5) * 2, F(1, 5) * 2])
    assert halves.threshold.tolist() == [math.inf, 0.5, 0.1]


# ---------------------------------------------------------------------- scores of the classes


def test_the_densities_of_the_classes_have_an_area_of_one_and_an_edge_at_the_cut():
    found = curve(BERRAR.ranking, "score_distribution", bins=5, through=0.55)
    width = np.append(0, -np.diff(found.x))

    # Two bins above the cut, three below, from the highest score to the lowest.
    assert found.x.tolist() == pytest.approx([0.95, 0.75, 0.55, 0.4, 0.25, 0.1])
    for density in (found.y, found.also["negatives"]):
        assert density @ width == pytest.approx(1)
    above = found.x >= 0.55
    assert found.y[above] @ width[above] == pytest.approx(3 / 5)
    assert found.also["negatives"][above] @ width[above] == pytest.approx(1 / 5)


@each_case("bins", [1, 2, 5, 7, 40])
@each_case("through", [None, 0.3, 0.55, 0.1, 0.95, -3.0, 2.0, math.inf])
def test_the_requested_number_of_bins_covers_the_scores_and_no_more(bins, through):
    if bins == 1 and through in (0.3, 0.55, 0.95):
        return  # these cannot have an edge inside of one bin: refused
    found = curve(BERRAR.ranking, "score_distribution", bins=bins, **({} if through is None else {"through": through}))

    assert len(found) == bins + 1
    assert through not in (0.3, 0.55, 0.95) or through in found.x
    assert found.x[-1] == pytest.approx(0.1)
    assert found.x[0] == pytest.approx(0.95) or through == 0.95  # the cut that only the highest score reaches
    assert found.counts.tp[-1] == found.counts.fp[-1] == 5
    assert (found.counts.tp[0], found.counts.fp[0]) == (0, 0)
    if through is not None and through in found.x:
        at = BERRAR.at(threshold=through)
        assert (found.counts.tp[found.x == through], found.counts.fp[found.x == through]) == (at.tp, at.fp)


def test_a_score_on_an_edge_is_flagged_by_it():
    labels, scores = [1, 1, 0, 0], [1, 2, 2, 3]
    up = curve(cl.rank(labels, scores), "score_distribution", bins=2, through=2)
    down = curve(cl.rank(labels, scores, higher_is_positive=False), "score_distribution", bins=2, through=2)

    assert up.counts.tp[up.x == 2].tolist() == [1]
    assert up.counts.fp[up.x == 2].tolist() == [2]
    assert down.counts.tp[down.x == 2].tolist() == [2]
    assert down.counts.fp[down.x == 2].tolist() == [1]


@pytest.mark.parametrize("through", [None, 620, 620.5, 300, 849, 1000])
@pytest.mark.parametrize("higher_is_positive", [True, False])
def test_whole_numbers_that_are_all_alike_show_no_steps(through, higher_is_positive):
    scores = np.repeat(np.arange(300, 850), 2)
    ranking = cl.rank(np.tile([0, 1], 550), scores, higher_is_positive=higher_is_positive)
    found = curve(ranking, "score_distribution", **({} if through is None else {"through": through}))

    inside = found.y[2:-1]  # the first and the last bin may reach beyond the scores
    assert len(inside) > 10
    assert inside.tolist() == pytest.approx([1 / 550] * len(inside))
    assert found.y[1:] @ np.abs(np.diff(found.x)) == pytest.approx(1)
    if through is not None and 300 < through < 849:
        at = ranking.at_threshold(through)
        assert (found.counts.tp[found.x == through], found.counts.fp[found.x == through]) == (at.tp, at.fp)


def test_scores_that_are_all_equal_are_in_one_bin():
    for score, low, high in ((0.5, 0, 1), (0.9, 0, 1), (7, 6.5, 7.5)):
        found = cl.evaluate([1, 0, 0], [score] * 3).curve("score_distribution", bins=5)

        assert (found.x[0], found.x[-1]) == (high, low)
        assert np.count_nonzero(found.y) == np.count_nonzero(found.also["negatives"]) == 1
        assert found.y.sum() * (high - low) / 5 == pytest.approx(1)


# ---------------------------------------------------------------------- what every curve promises


@every_kind
@given(rows=cases)
@few
def test_a_curve_starts_where_no_case_is_flagged_and_its_columns_have_one_length(kind, rows):
    found = kind(ranking(rows))

    assert found.threshold[0] == math.inf
    assert found.counts.tp[0] == found.counts.fp[0] == 0
    assert len({len(column) for column in found.columns().values()}) == 1
    assert len(found) == len(found.threshold) == len(found.x) == len(found.y)


def area_of(found):
    """The area under a curve, as its rule of joining says: slow, obvious, and apart from the measures."""
    line = list_corners(found)
    return np.trapezoid(line.y, line.x)


@pytest.mark.parametrize("kind", [kind for kind in CURVES if kind.area], ids=lambda kind: kind.name)
@given(rows=cases)
@few
def test_the_area_under_the_points_is_the_measure(kind, rows):
    found = kind(ranking(rows))
    # Between its vertices the interpolation in counts bends: its polygon comes close, no more.
    close = 1e-4 if kind.name == "precision_recall_davis_goadrich" else 1e-9

    assert found.area == kind.area(ranking(rows))
    assert area_of(found) == pytest.approx(found.area, abs=close)


def test_the_area_of_a_long_list_interpolated_in_counts_is_close():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 20, 5000)
    found = curve(cl.rank(rng.random(5000) < score / 20, score), "precision_recall_davis_goadrich")

    assert area_of(found) == pytest.approx(found.area, abs=1e-5)


def test_one_negative_before_the_only_positive_bends_all_the_way():
    # Precision x / (1 + x) after a share x of the positive: the area is 1 - log 2, of a straight line it would be 1/4.
    found = cl.evaluate([0, 1], [2, 1]).curve("precision_recall_davis_goadrich")

    assert found.area == pytest.approx(1 - math.log(2))
    assert area_of(found) == pytest.approx(1 - math.log(2), abs=1e-4)


@given(rng=st.integers(0, 10_000).map(np.random.default_rng))
@few
def test_the_area_interpolated_in_counts_is_close_with_fractional_weights_too(rng):
    n = int(rng.integers(2, 30))
    labels, scores = np.append(rng.random(n) < 0.5, [True, False]), rng.integers(0, 8, n + 2)
    found = curve(cl.rank(labels, scores, rng.random(n + 2) + 0.01), "precision_recall_davis_goadrich")

    assert area_of(found) == pytest.approx(found.area, abs=1e-4)


@given(rows=cases)
@few
def test_the_cut_of_a_threshold_lies_on_the_curve(rows):
    r = ranking(rows)
    for kind in (CURVES["roc"], CURVES["det"], CURVES["gain"], CURVES["qrecall"], CURVES["f1"]):
        found = kind(r)
        for i in range(1, len(r) + 1):
            point = kind.locate(r, float(r.thresholds[i]))
            assert (np.isclose(found.x, point.x) & np.isclose(found.y, point.y)).any()


@every_kind
def test_the_direction_of_the_scores_does_not_change_a_curve(kind):
    turned = cl.rank(ARBEL_LABELS, [-score for score in ARBEL_SCORES], higher_is_positive=False)
    up, down = kind(ARBEL.ranking), kind(turned)
    sign = -1 if kind.x.name in ("threshold", "score") else 1

    assert down.threshold.tolist() == pytest.approx((-up.threshold).tolist())
    assert down.y.tolist() == pytest.approx(up.y.tolist(), nan_ok=True)
    assert (sign * down.x).tolist() == pytest.approx(up.x.tolist())


def test_a_curve_prints_and_converts():
    found = BERRAR.curve("roc")

    assert repr(found) == "ROC curve: Recall over False positive rate, 11 points; area under the roc curve: 0.8000"
    assert "ROC curve" in found._repr_html_()
    assert found.to_frame().columns.tolist() == ["threshold", "tp", "fp", "fn", "tn", "fpr", "recall"]
    assert found.to_frame("polars").height == len(found.to_frame("pyarrow")) == 11
    assert found.to_frame()["recall"].tolist() == found.y.tolist()
    as_dict = BERRAR.curve("precision_recall").to_dict()
    assert as_dict["vertices"]["threshold"][0] is None
    assert as_dict["vertices"]["precision"][:2] == [None, 1]
    assert as_dict["area"] == pytest.approx(0.835)
    with pytest.raises(AttributeError):
        found.area = 1


def test_a_curve_is_found_by_its_aliases():
    assert CURVES["pr"] is CURVES["precision_recall"]
    assert CURVES["hull"].name == "roc_hull"
    assert "f1" in CURVES
    assert "auc" not in CURVES
    assert len(CURVES) == len(list(CURVES))
    assert "roc" in repr(CURVES)


# ---------------------------------------------------------------------- peers

data = st.integers(0, 10_000).map(np.random.default_rng)


@given(rng=data, weighted=st.booleans())
@few
def test_the_vertices_are_those_of_scikit_learn(rng, weighted):
    n = int(rng.integers(5, 60))
    labels = np.append(rng.random(n) < 0.4, [True, False])
    scores = rng.integers(0, 12, n + 2) / 12
    weights = rng.random(n + 2) + 0.1 if weighted else None
    ev = cl.evaluate(labels, scores, weights)

    fpr, tpr, threshold = roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    roc = ev.curve("roc")
    np.testing.assert_allclose([roc.x, roc.y], [fpr, tpr], atol=1e-12)
    np.testing.assert_array_equal(roc.threshold, threshold)

    precision, recall, threshold = precision_recall_curve(labels, scores, sample_weight=weights)
    pr = ev.curve("precision_recall")
    np.testing.assert_allclose([pr.x[1:], pr.y[1:]], [recall[-2::-1], precision[-2::-1]], atol=1e-12)
    np.testing.assert_array_equal(pr.threshold[1:], threshold[::-1])


def test_the_error_rates_are_those_of_scikit_learn():
    fpr, fnr, _ = det_curve(BERRAR_LABELS, BERRAR_SCORES)
    det = BERRAR.curve("det")

    assert set(zip(fpr.round(9), fnr.round(9), strict=True)) <= set(zip(det.x.round(9), det.y.round(9), strict=True))


def test_normal_deviates_are_symmetric():
    assert compute_deviates([0.5, 0.0, 1.0]).tolist() == [0, -math.inf, math.inf]
    assert (
        compute_deviates([0.025])[0]
        == pytest.approx(-compute_deviates([0.975])[0])
        == pytest.approx(-1.959964, abs=1e-6)
    )


def test_a_model_that_separates_the_classes_has_a_det_curve_along_the_edges():
    line = make_det_line(cl.evaluate([1, 1, 0, 0], [4, 3, 2, 1]).curve("det"), 2.0)

    assert (line.x[0], line.y[0]) == (-2, 2)  # nobody flagged: no false alarms, all missed
    assert (line.x[-1], line.y[-1]) == (2, -2)
    assert ((line.x == -2) | (line.y == -2)).all()


def test_a_tie_is_crossed_straight_in_rates_on_the_det_curve():
    found = EVERYBODY_TIED.curve("det")
    line = make_det_line(found, find_det_reach([found]))

    assert line.x == pytest.approx(-line.y)  # fpr + fnr = 1
    # One positive on top, then a positive and two negatives tied, then a negative: 1/2 - fpr / (2/3) * 1/2 are missed.
    tied = cl.evaluate([1, 1, 0, 0, 0], [3, 2, 2, 2, 1]).curve("det")
    line = make_det_line(tied, find_det_reach([tied]))
    rates = np.array([0.5 * (1 + math.erf(d / math.sqrt(2))) for d in line.x])
    inside = (np.abs(line.x) < 2) & (np.abs(line.y) < 2)
    assert inside.sum() > 20
    assert line.y[inside] == pytest.approx(compute_deviates(0.5 - 0.75 * rates[inside]))


# ---------------------------------------------------------------------- beside a curve


def test_infinite_scores_lie_on_the_ends_of_the_axis():
    # F1 is 0, 2/3, 2/4, 4/5 and 4/6 from the cut beyond all scores to the one of all; -inf is never reached.
    found = cl.evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf]).curve("f1")
    line = simplify_curve(found)
    between = {x: np.interp(-x, -line.x, line.y) for x in (0.9, 0.6, 0.4, 0.3, 0.1, 0.01)}

    assert (line.x.max(), line.x.min()) == (1, 0)
    assert between == pytest.approx({0.9: 2 / 3, 0.6: 2 / 3, 0.4: 1 / 2, 0.3: 1 / 2, 0.1: 4 / 5, 0.01: 4 / 5})


def test_the_band_between_two_lines_touches_where_they_cross():
    up = list_corners(curve(cl.rank([0, 1], [2, 1]), "qrecall"))  # 0, 0, 1
    random = list_corners(curve(cl.rank([0, 1], [1, 1]), "qrecall"))  # 0, 1/2, 1
    band = find_gap(up, random)

    assert band.x.tolist() == [0, 1, 2]
    assert (band.y - band.other).tolist() == [0, -1 / 2, 0]


def test_skew_moves_precision_and_leaves_the_roc_curve():
    rare = with_prevalence(BERRAR.ranking, 1 / 100)

    assert rare.positives / rare.total == pytest.approx(1 / 100)
    roc, pr = curve(rare, "roc"), curve(rare, "precision_recall")
    np.testing.assert_allclose([roc.x, roc.y], [BERRAR.curve("roc").x, BERRAR.curve("roc").y])
    assert pr.y[5] == pytest.approx(4 / (4 + 99))  # every negative weighs 99 times as much
    assert pr.area < BERRAR.curve("precision_recall").area


def test_the_losses_of_berrar_figure_7():
    margin, losses = compute_loss_curves()
    at = {name: dict(zip(margin.tolist(), values.tolist(), strict=True)) for name, values in losses.items()}

    assert at["Hinge loss"][-1.0] == 2
    assert at["Hinge loss"][1.0] == 0
    assert at["0-1 loss"][-0.5] == 1
    assert at["0-1 loss"][0.5] == 0
    assert at["Logistic loss"][0.0] == pytest.approx(math.log(2))
    assert at["Focal loss, gamma 2"][0.0] == pytest.approx(math.log(2) / 4)


@pytest.mark.parametrize("higher_is_positive", [True, False])
def test_the_best_cut_may_flag_no_case_although_a_score_is_infinite(higher_is_positive):
    # Positives below negatives: no cut is better than none, and the KS gap is the widest below the infinite scores.
    scores = np.array([-math.inf, 0.0, 1.0, math.inf])
    ev = cl.evaluate([1, 1, 0, 0], scores if higher_is_positive else -scores, higher_is_positive=higher_is_positive)
    _, x, y = ev.curve("roc").points["max_youden_j"]
    points = ev.curve("tpr_fpr").points

    assert (x, y) == (0, 0)
    assert (points["ks_recall"].y, points["ks_fpr"].y) == (0, 1)
