"""Dominance on curves that can be drawn by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline import compare
from cutline.core.errors import CutlineError
from cutline.inference.differences.dominance import Dominance, Span, compare_curves, join_narrow_spans

# Two positives and two negatives. First: + - - +, so the ROC curve runs at 1/2. Second: one tie, so it is the diagonal.
LABELS = [1, 0, 0, 1]
EARLY, TIED, LATE = [4, 3, 2, 1], [5, 5, 5, 5], [3, 4, 2, 1]

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20).filter(
    lambda rows: len({row[0] for row in rows}) == 2
)


def spans(found):
    return [(span.low, span.high, span.best) for span in found.spans]


def test_a_step_crosses_the_diagonal_halfway():
    found = compare(LABELS, {"step": EARLY, "tie": TIED}, threshold=3).dominance("roc")

    assert spans(found) == [(0, 1 / 2, ("step",)), (1 / 2, 1, ("tie",))]
    assert found.dominant is None
    assert found.share("step") == found.share("tie") == 1 / 2
    assert "No model dominates" in repr(found)
    assert "regions() tests which leads are real." in repr(found)
    alike = compare(LABELS, {"one": EARLY, "two": EARLY}, threshold=3).dominance("roc")
    assert repr(alike).endswith("The models are equal everywhere.")


def test_a_crossing_between_two_points_is_computed():
    # + then a tie of + - - -: from (0, 1/2) straight to (1, 1), against a tie of + + - then - -: (1/3, 1), then level.
    found = compare([1, 1, 0, 0, 0], {"a": [2, 1, 1, 1, 1], "b": [5, 5, 5, 4, 3]}, threshold=3).dominance("roc")

    crossing = 1 / 5  # 1/2 + x/2 = 3x
    assert spans(found) == [
        (0, pytest.approx(crossing), ("a",)),
        (pytest.approx(crossing), 1, ("b",)),
    ]


def test_equal_stretches_are_shared():
    # a: + - + -, b: + - - +: equal up to the first negative.
    found = compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [4, 3, 1, 2]}, threshold=3).dominance("roc")

    assert spans(found) == [(0, 1 / 2, ("a", "b")), (1 / 2, 1, ("a",))]
    assert found.dominant == "a"
    assert found.verdict.startswith("a dominates")


def test_equal_models_share_everything_and_none_dominates():
    found = compare(LABELS, {"a": EARLY, "b": EARLY, "c": EARLY}, threshold=3).dominance()

    assert spans(found) == [(0, 1, ("a", "b", "c"))]
    assert found.dominant is None
    assert found.verdict == "The models are equal everywhere."


def test_three_models_take_turns():
    """Arbel & Rokach, Figure 4: one model is the best at first, another then, and the third at last."""
    labels = [1, 1, 1, 1, 0, 0, 0, 0]
    first = [8, 7, 2, 1, 6, 5, 4, 3]  # ++----++
    second = [8, 6, 5, 1, 7, 4, 3, 2]  # +-++---+
    third = [6, 5, 4, 3, 8, 7, 2, 1]  # --++++--
    found = compare(labels, {"a": first, "b": second, "c": third}, threshold=3).dominance("roc")

    assert spans(found) == [(0, 1 / 4, ("a",)), (1 / 4, 1 / 2, ("b",)), (1 / 2, 1, ("c",))]


def test_quotas_are_counted_in_places():
    # a: + - - +, b: - + + -: after one place a has found one more, after three b has.
    found = compare(LABELS, {"a": EARLY, "b": [3, 4, 1, 2]}, threshold=3).dominance("quota")

    assert found.axis == "quota"
    assert spans(found) == [(0, 2, ("a",)), (2, 4, ("b",))]


def test_a_dominant_model_of_the_roc_space_dominates_in_precision_and_recall():
    found = compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [3, 4, 1, 2]}, threshold=3)

    assert found.dominance("roc").dominant == found.dominance("precision_recall").dominant == "a"


@given(rows=rows)
def test_one_dominates_in_roc_space_if_and_only_if_it_does_by_precision_at_each_recall(rows):
    """Davis & Goadrich (2006), Theorem 3.2."""
    label, a, b = map(np.array, zip(*rows, strict=True))
    found = compare(label, {"a": a, "b": b}, threshold=3)

    assert found.dominance("roc").dominant == found.dominance("precision_recall").dominant


@given(rows=rows)
def test_the_spans_of_the_roc_curve_hold_the_higher_curve(rows):
    label, a, b = map(np.array, zip(*rows, strict=True))
    found = compare(label, {"a": a, "b": b}, threshold=3)
    dominance = found.dominance("roc")

    assert dominance.spans[0].low == 0
    assert dominance.spans[-1].high == 1
    for span, after in zip(dominance.spans, dominance.spans[1:], strict=False):
        assert span.high == after.low
        assert span.best != after.best
    for span in dominance.spans:
        highest = []
        for x in np.linspace(span.low, span.high, 9)[1:-1]:
            heights = {name: height(ev.ranking, x) for name, ev in found.items()}
            highest.append({name for name, y in heights.items() if y == pytest.approx(max(heights.values()))})
        assert set.intersection(*highest) == set(span.best)  # curves may touch, but not all along


def height(ranking, x):
    """The ROC curve at one false positive rate between its points."""
    fpr, tpr = ranking.fpr, ranking.tpr
    for i in range(len(fpr) - 1):
        if fpr[i] < x <= fpr[i + 1]:
            return tpr[i] + (x - fpr[i]) / (fpr[i + 1] - fpr[i]) * (tpr[i + 1] - tpr[i])
    raise AssertionError(x)


# ---------------------------------------------------------------------- thresholds


def test_thresholds_between_scores_change_nothing():
    found = compare([1, 0], {"a": [0.8, 0.3], "b": [0.5, 0.4]}).dominance("threshold")

    # Accuracy of a is 1 from above 0.3 up to 0.8; of b, from above 0.4 up to 0.5.
    assert spans(found) == [(0.3, 0.4, ("a",)), (0.4, 0.5, ("a", "b")), (0.5, 0.8, ("a",))]
    assert found.dominant == "a"


def test_a_measure_that_should_be_small_is_best_where_it_is():
    by_errors = compare([1, 0], {"a": [0.8, 0.3], "b": [0.5, 0.4]}).dominance("threshold", measure="error_rate")

    assert by_errors.spans == compare([1, 0], {"a": [0.8, 0.3], "b": [0.5, 0.4]}).dominance("threshold").spans


def test_where_a_measure_is_undefined_no_model_is_the_best():
    found = compare([1, 0, 1], {"a": [0.8, 0.3, 0.1], "b": [0.5, 0.4, 0.2]}).dominance("threshold", measure="precision")

    assert found.spans[-1] == Span(0.5, 0.8, ("a",))  # b flags nobody there
    assert compare([1, 1], {"a": [0.8, 0.3], "b": [0.5, 0.4]}).dominance("threshold", measure="fpr").spans == (
        Span(0.3, 0.8, ()),
    )


def test_low_scores_may_mean_positive():
    high = compare([1, 0], {"a": [0.8, 0.3], "b": [0.5, 0.4]})
    low = compare([1, 0], {"a": [-0.8, -0.3], "b": [-0.5, -0.4]}, threshold=-0.5, higher_is_positive=False)

    assert [(-s.high, -s.low, s.best) for s in reversed(low.dominance("threshold").spans)] == spans(
        high.dominance("threshold")
    )
    assert low.dominance("roc").spans == high.dominance("roc").spans


def test_one_score_for_all_has_one_cut():
    found = compare(LABELS, {"a": TIED, "b": TIED}, threshold=3).dominance("threshold")

    assert found.spans == (Span(5, 5, ("a", "b")),)


def test_one_class_has_no_curve_and_it_says_so():
    found = compare([1, 1], {"a": [1, 2], "b": [2, 1]}, threshold=1.5).dominance("roc")

    assert found.spans == ()
    assert found.dominant is None
    assert "one class" in found.verdict
    assert found.to_dict()["share"] == {"a": None, "b": None}


def test_dominance_converts():
    found = compare(LABELS, {"step": EARLY, "tie": TIED}, threshold=3).dominance("roc")

    assert found.to_dict() == {
        "curve": "roc",
        "axis": "fpr",
        "dominant": None,
        "spans": [{"low": 0.0, "high": 0.5, "best": ["step"]}, {"low": 0.5, "high": 1.0, "best": ["tie"]}],
        "share": {"step": 0.5, "tie": 0.5},
    }
    assert found.to_frame()["best"].tolist() == ["step", "tie"]
    assert "<td>step</td>" in found._repr_html_()
    assert isinstance(cl.compare(LABELS, {"a": LATE, "b": TIED}, threshold=3).dominance("quota").table, cl.Table)


# ---------------------------------------------------------------------- other cases, and for the eye


def test_models_of_different_cases_are_compared_by_rates():
    # Of 2 positives and 1 negative: ++-; of 1 and 3: a tie of all. The one is at the top everywhere.
    good, tied = cl.rank([1, 1, 0], [3, 2, 1]), cl.rank([1, 0, 0, 0], [1, 1, 1, 1])

    assert spans(compare_curves("roc", ["good", "tied"], [good, tied])) == [(0, 1, ("good",))]


def test_spans_meet_exactly_though_thirds_are_rounded():
    rng = np.random.default_rng(0)
    for _ in range(100):
        rankings = [cl.rank([1, 0, *(rng.random(29) < 0.5)], rng.integers(0, 9, 31)) for _ in "abc"]
        found = compare_curves("roc", "abc", rankings).spans

        assert (found[0].low, found[-1].high) == (0, 1)
        assert all(one.high == two.low and one.best != two.best for one, two in itertools.pairwise(found))


def test_what_is_too_narrow_to_see_is_drawn_as_one_span_of_turns():
    narrow = [Span(0.5 + i / 10_000, 0.5 + (i + 1) / 10_000, ("ab"[i % 2],)) for i in range(100)]
    found = join_narrow_spans([Span(-np.inf, 0.5, ("a",)), *narrow, Span(narrow[-1].high, 2, ("b",))], 0, 1)

    assert [(one.low, one.high, one.best, turns) for one, turns in found] == [
        (0, 0.5, ("a",), False),
        (0.5, pytest.approx(0.51), ("a", "b"), True),
        (pytest.approx(0.51), 1, ("b",), False),
    ]


def test_a_verdict_without_a_dominant_model_says_at_which_rates_each_leads():
    found = cl.compare([1, 0, 0, 1], {"a": [4, 3, 2, 1], "b": [5, 5, 5, 5]}, threshold=3).dominance("roc")

    assert found.verdict == (
        "No model dominates. a leads for fpr 0 to 0.5 (50 % of the axis); b leads for fpr 0.5 to 1 (50 % of the axis)."
    )


def test_a_verdict_merges_ranges_with_the_same_leader():
    spans = (Span(0, 0.25, ("b",)), Span(0.25, 0.5, ("a",)), Span(0.5, 0.75, ("a", "b")), Span(0.75, 1, ("a", "c")))

    assert Dominance("roc", "fpr", ("a", "b", "c"), spans).verdict == (
        "No model dominates. a leads for fpr 0.25 to 1 (75 % of the axis); "
        "b leads for fpr 0 to 0.25 and 0.5 to 0.75 (50 % of the axis); c leads for fpr 0.75 to 1 (25 % of the axis)."
    )


def test_a_verdict_on_models_that_take_turns_all_along_names_their_shares():
    spans = tuple(Span(i / 1000, (i + 1) / 1000, ("ab"[i % 2],)) for i in range(1000))

    assert Dominance("roc", "fpr", ("a", "b", "c"), spans).verdict == (
        "No model dominates. a leads in short stretches only (50 % of the axis); "
        "b leads in short stretches only (50 % of the axis)."
    )


def crossing(cases: int, seed: int = 0):
    """One model that spreads the positives widely, and one that does not: the first leads at low rates."""
    rng = np.random.default_rng(seed)
    labels = rng.random(cases) < 0.5
    wide = np.where(labels, rng.normal(size=cases) * 3 + 2, rng.normal(size=cases))
    narrow = np.where(labels, rng.normal(size=cases) * 0.5 + 1.3, rng.normal(size=cases))
    return cl.compare(labels, {"wide": wide, "narrow": narrow})


def test_curves_that_cross_have_a_region_for_each_model_when_cases_are_many():
    found = crossing(800).regions("roc", resamples=200)
    assert found.leaders == ("wide", "narrow")
    first, last = found.spans[0], found.spans[-1]
    assert first.best == ("wide",)
    assert first.high < 0.15
    assert last.best == ("narrow",)
    assert last.low < 0.4 < last.high
    assert "wide for fpr 0 to" in found.verdict


def test_few_cases_leave_regions_open():
    assert "where the curves cross may be chance" in crossing(20).regions("roc", resamples=100).verdict


@pytest.mark.parametrize("curve", ["quota", "precision_recall"])
def test_other_curves_have_regions_too(curve):
    found = crossing(2000).regions(curve, resamples=100)
    assert set(found.leaders) == {"wide", "narrow"}
    assert all(0 <= span.low <= span.high <= 1 for span in found.spans)
    assert found.to_dict()["spans"][0]["best"] == "wide"


def test_equal_models_are_rarely_called_better_anywhere():
    rng = np.random.default_rng(1)
    called = 0
    for seed in range(40):
        labels = rng.random(150) < 0.5
        shared = rng.normal(size=150) + 1.5 * labels
        models = {name: shared + rng.normal(size=150) for name in "ab"}
        called += bool(cl.compare(labels, models).regions("roc", resamples=100, seed=seed).spans)
    assert called <= 6


def test_regions_of_what_has_no_curve_are_refused():
    with pytest.raises(CutlineError, match="one class has no curve"):
        cl.compare([1, 1, 1], {"a": [3, 2, 1], "b": [1, 2, 3]}).regions()
    with pytest.raises(CutlineError, match="curve is 'cost'"):
        crossing(20).regions("cost")
