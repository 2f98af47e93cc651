"""Hulls of several models and lines of equal value, against brute force and formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline.curves import isometrics, shared_hull, under_skew, with_prevalence

R = cl.rank([1, 1, 0, 0, 0], [5, 3, 4, 2, 1])  # two positives of five cases

LISTS = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=25).filter(
    lambda rows: 0 < sum(row[0] for row in rows) < len(rows)
)


@pytest.mark.slow
@given(LISTS, st.floats(0.01, 0.99))
def test_the_best_cut_of_all_models_is_on_the_shared_hull_whatever_the_costs(rows, share):
    labels, *columns = zip(*rows, strict=True)
    rankings = {name: cl.rank(labels, scores) for name, scores in zip("ab", columns, strict=True)}
    hull = shared_hull(rankings)

    def worth(tpr, fpr):
        return share * tpr - (1 - share) * fpr

    best = max(float(worth(r.tpr, r.fpr).max()) for r in rankings.values())
    assert max(worth(corner.tpr, corner.fpr) for corner in hull.corners) == pytest.approx(best)
    # No model rises above it, and its area is no less than that of any hull.
    x, y = [corner.fpr for corner in hull.corners], [corner.tpr for corner in hull.corners]
    for r in rankings.values():
        inner = r.fpr > 0
        assert (r.tpr[inner] <= np.interp(r.fpr[inner], x, y) + 1e-9).all()
        assert hull.area >= cl.auch(r) - 1e-9


@given(LISTS)
def test_the_owners_of_a_corner_have_a_cut_there(rows):
    labels, *columns = zip(*rows, strict=True)
    rankings = {name: cl.rank(labels, scores) for name, scores in zip("ab", columns, strict=True)}
    for corner in shared_hull(rankings).corners:
        for name, r in rankings.items():
            has_cut = bool(np.any((abs(r.fpr - corner.fpr) < 1e-9) & (abs(r.tpr - corner.tpr) < 1e-9)))
            assert (name in corner.owners) <= has_cut


@given(LISTS)
def test_each_owner_of_a_corner_reaches_it_at_its_own_threshold(rows):
    labels, *columns = zip(*rows, strict=True)
    scores = {"a": columns[0], "b": [100 + one for one in columns[1]]}  # no threshold of one serves the other
    rankings = {name: cl.rank(labels, own) for name, own in scores.items()}
    for corner in shared_hull(rankings).corners:
        for name, threshold in zip(corner.owners, corner.thresholds, strict=True):
            found = [rate(rankings[name], threshold=threshold) for rate in (cl.fpr, cl.recall)]
            assert found == pytest.approx([corner.fpr, corner.tpr])


def test_the_hull_of_one_model_is_its_own():
    hull = shared_hull({"a": R})

    assert hull.area == pytest.approx(cl.auch(R))
    assert [corner.fpr for corner in hull.corners] == pytest.approx(R.fpr[R.hull].tolist())


def test_a_model_below_the_others_owns_nothing():
    labels = [1, 1, 0, 0]
    found = cl.compare(labels, {"good": [4, 3, 2, 1], "bad": [1, 2, 3, 4]}, threshold=2).hull()

    assert found.owners == ("good",)
    assert [part.owners for part in found.parts] == [("good",), ("good",)]
    assert "good" in repr(found)
    with pytest.raises(cl.InputError, match="No model was given: pass at least one"):
        shared_hull({})


# ---------------------------------------------------------------------- equal values

PI = 2 / 5


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("accuracy", lambda fpr, tpr: PI * tpr + (1 - PI) * (1 - fpr)),
        ("precision", lambda fpr, tpr: PI * tpr / (PI * tpr + (1 - PI) * fpr)),
        ("f1", lambda fpr, tpr: 2 * PI * tpr / (PI * tpr + (1 - PI) * fpr + PI)),
        ("expected_cost", lambda fpr, tpr: (1 - PI) * fpr + PI * (1 - tpr)),
    ],
)
def test_a_line_of_equal_value_has_that_value_everywhere(measure, value):
    lines = isometrics(R, measure)

    assert len(lines) >= 7
    for line in lines:
        inner = (line.x > 0.01) & (line.y > 0.01)
        assert value(line.x[inner], line.y[inner]) == pytest.approx(np.full(inner.sum(), line.level), abs=2e-3)


def test_lines_of_equal_accuracy_have_the_slope_of_the_class_ratio():
    for line in isometrics(R, "accuracy"):
        if len(line.x) > 3:
            assert np.diff(line.y) == pytest.approx(3 / 2 * np.diff(line.x), abs=1e-8)


def test_lines_of_equal_f1_in_the_space_of_precision_and_recall():
    for line in isometrics(R, "f1", "precision_recall", levels=[0.4, 0.6, 0.8]):
        assert 2 * line.x * line.y / (line.x + line.y) == pytest.approx(np.full(len(line.x), line.level), abs=2e-3)


def test_a_steep_line_reaches_the_edge_of_the_picture():
    [line] = isometrics(R, "f1", "precision_recall", levels=[0.1])

    assert (line.x[0], line.y[0]) == pytest.approx((0.1 / 1.9, 1.0), abs=1e-3)  # F / (2 - F) at a precision of 1
    assert (np.diff(line.y) <= 1e-9).all()


def test_a_measure_without_a_place_in_the_picture_is_refused():
    with pytest.raises(cl.ParameterError, match="auc is not a measure of one cut: choose one"):
        isometrics(R, "auc")
    with pytest.raises(cl.ParameterError, match="net_benefit has no value in this picture"):
        isometrics(R, "net_benefit")


def test_under_skew_the_auc_stays_and_precision_falls():
    ratios = np.array([1.0, 10.0, 100.0])
    found = under_skew(R, 3.5, ratios)

    assert found["Area under the ROC curve"].tolist() == [pytest.approx(5 / 6)] * 3
    # Recall 1/2 and specificity 2/3 at the cut, weighted by the classes.
    assert found["Accuracy at the cut"] == pytest.approx((1 / 2 + ratios * 2 / 3) / (1 + ratios))
    assert found["Average precision"][1] == pytest.approx(cl.average_precision(with_prevalence(R, 1 / 11)))
    assert found["Accuracy of flagging nobody"] == pytest.approx(ratios / (1 + ratios))
