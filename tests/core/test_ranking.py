"""The ranking against its definition: counting cases, one by one, in every order a tie can take."""

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline
from cutline import MEASURES, Counts, InputError, ParameterError, Ranking, auc, rank
from cutline.measures import Needs
from grouping import each_case

often = settings(max_examples=100, deadline=None)

case = st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 3))
lists = st.lists(case, min_size=1, max_size=25)


def ranking_of(rows, **options):
    labels, scores, weights = zip(*rows, strict=True)
    return rank(labels, scores, weights, **options)


def flagged(rows, threshold, higher_is_positive=True):
    """The weight of the positives and of the negatives whose score reaches the threshold."""
    reached = [(y, w) for y, s, w in rows if (s >= threshold if higher_is_positive else s <= threshold)]
    return sum(w for y, w in reached if y), sum(w for y, w in reached if not y)


def are_equal(one, other):
    """Whether two rankings are equal, cell by cell."""
    names = ("score", "pos", "neg", "pos2", "neg2", "higher_is_positive", "positive", "dropped", "exact")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


# ---------------------------------------------------------------------- cuts


@often
@given(rows=lists, higher_is_positive=st.booleans())
def test_the_counts_of_all_cuts_are_those_of_counting(rows, higher_is_positive):
    ranking = ranking_of(rows, higher_is_positive=higher_is_positive)
    counts = ranking.counts
    expected = [flagged(rows, t, higher_is_positive) for t in ranking.thresholds]

    assert list(zip(counts.tp, counts.fp, strict=True)) == expected
    assert (counts.tp + counts.fn == ranking.positives).all()
    assert (counts.fp + counts.tn == ranking.negatives).all()
    assert expected[0] == (0, 0)
    assert expected[-1] == (ranking.positives, ranking.negatives)


@pytest.mark.parametrize(("higher_is_positive", "nobody"), [(True, math.inf), (False, -math.inf)])
def test_the_first_cut_flags_nobody(higher_is_positive, nobody):
    ranking = rank([1, 0], [0.3, 0.7], higher_is_positive=higher_is_positive)

    assert ranking.thresholds[0] == nobody
    assert ranking.thresholds.tolist()[1:] == ([0.7, 0.3] if higher_is_positive else [0.3, 0.7])
    assert (ranking.tp[0], ranking.fp[0]) == (0, 0)


@often
@given(rows=lists, threshold=st.floats(-1, 7) | st.integers(-1, 7), higher_is_positive=st.booleans())
def test_a_cut_flags_the_scores_that_reach_the_threshold(rows, threshold, higher_is_positive):
    ranking = ranking_of(rows, higher_is_positive=higher_is_positive)
    counts = ranking.at_threshold(threshold)

    assert (counts.tp, counts.fp) == flagged(rows, threshold, higher_is_positive)
    assert counts.threshold == threshold
    assert ranking.at_cut(ranking.cut(threshold), threshold) == counts


@pytest.mark.parametrize("width", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7, 0.9, 2 / 3])
def test_a_threshold_is_read_in_the_type_of_the_scores(width, threshold):
    scores = np.array([threshold, np.nextafter(width(threshold), width(0)), 1.0], dtype=width)
    counts = rank([1, 1, 0], scores).at_threshold(threshold)

    assert (counts.tp, counts.fp) == (1, 1)  # the score that is written the same is flagged, the next below is not
    assert counts.threshold == threshold


@pytest.mark.parametrize(("width", "threshold"), [(np.float16, 1e6), (np.float32, 1e300), (np.float32, -1e300)])
def test_a_threshold_beyond_the_type_of_the_scores_is_beyond_the_scores(width, threshold):
    counts = rank([1, 0], np.array([0.5, 1.0], dtype=width)).at_threshold(threshold)

    assert (counts.tp, counts.fp) == ((1, 1) if threshold < 0 else (0, 0))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.just(1)), min_size=1, max_size=6),
    place=st.integers(1, 6),
)
def test_a_quota_that_ends_in_a_tie_is_the_mean_over_its_orders(rows, place):
    place = min(place, len(rows))
    orders = [
        order
        for order in itertools.permutations(rows)
        if [s for _, s, _ in order] == sorted((s for _, s, _ in rows), reverse=True)
    ]
    found = Fraction(sum(y for order in orders for y, _, _ in order[:place]), len(orders))
    counts = ranking_of(rows).at_quota(place)

    assert counts.tp == pytest.approx(float(found), rel=1e-14)
    assert counts.fp == pytest.approx(float(place - found), rel=1e-14, abs=1e-14)
    assert counts.tp + counts.fn == pytest.approx(sum(y for y, _, _ in rows))
    assert counts.threshold == orders[0][place - 1][1]


@often
@given(rows=lists, data=st.data())
def test_places_are_counted_in_weight(rows, data):
    ranking = ranking_of(rows)
    place = data.draw(st.floats(0, float(ranking.total)))
    filled, found = 0.0, 0.0
    for score in sorted({s for _, s, _ in rows}, reverse=True):
        pos, neg = (sum(w for y, s, w in rows if s == score and y is label) for label in (True, False))
        inside = min(1, max(0, (place - filled) / (pos + neg)))
        filled, found = filled + pos + neg, found + inside * pos

    assert ranking.at_quota(place).tp == pytest.approx(found, abs=1e-9)


# ---------------------------------------------------------------------- pairs


@often
@given(rows=lists)
def test_the_pairs_are_those_of_comparing_each_positive_with_each_negative(rows):
    pairs = [(s, t, v * w) for y, s, v in rows if y for z, t, w in rows if not z]
    found = ranking_of(rows).pairs

    assert found.concordant == sum(weight for s, t, weight in pairs if s > t)
    assert found.tied == sum(weight for s, t, weight in pairs if s == t)
    assert found.every == sum(weight for _, _, weight in pairs)


@often
@given(rows=lists)
def test_the_area_does_not_care_which_class_is_called_positive(rows):
    ranking = ranking_of(rows)
    swapped = ranking.swapped()

    assert auc(swapped) == pytest.approx(auc(ranking), nan_ok=True)
    assert swapped.to_dict() == {
        "score": ranking.score[::-1].tolist(),
        "positives": ranking.neg[::-1].tolist(),
        "negatives": ranking.pos[::-1].tolist(),
    }
    negated = rank([not y for y, _, _ in rows], [-s for _, s, _ in rows], [w for *_, w in rows])
    assert swapped.key.tolist() == negated.key.tolist()
    assert swapped.pos2.tolist() == negated.pos2.tolist()
    assert swapped.thresholds[0] == -math.inf


def exact_auc(pos, neg):
    below, won = sum(neg), Fraction(0)
    for p, n in zip(pos, neg, strict=True):
        below -= n
        won += p * (Fraction(below) + Fraction(n, 2))
    return won / (sum(pos) * sum(neg))


@pytest.mark.parametrize(
    ("pos", "neg"),
    [
        ([3 * 10**10, 10**10, 10**10], [10**10, 10**10, 2 * 10**10]),
        ([10**10], [10**10]),
        ([10**10 + 7, 12345678901, 3], [1, 98765432109, 10**10 + 9]),
        ([2**31, 2**31], [2**31, 2**31]),
        ([2**31 - 1, 2**31 - 1], [2**31 - 1, 2**31 - 1]),
    ],
)
def test_ten_thousand_million_cases_do_not_overflow(pos, neg):
    ranking = Ranking.of_counts(range(len(pos), 0, -1), pos, neg)

    assert auc(ranking) == pytest.approx(float(exact_auc(pos, neg)), rel=1e-15, abs=1e-15)


def test_small_integer_columns_do_not_overflow():
    half = np.array([50_000], dtype=np.int32)

    assert auc(Ranking.of_counts([1], half, half)) == 1 / 2


# ---------------------------------------------------------------------- binning

CONCORDANT = [m for m in MEASURES if m.concordant]
by_name = each_case("m", CONCORDANT, ids=str)


def scored(m, label_and_place):
    """Cases whose scores are of the kind that the measure reads."""
    scale = {Needs.PROBABILITIES: lambda k: k / 12, Needs.MARGINS: lambda k: (k - 6) / 3}.get(m.needs, lambda k: k / 12)
    labels, positions = zip(*label_and_place, strict=True)
    return rank(labels, [scale(k) for k in positions])


def values(m, ranking, *, threshold, quota):
    """The measure with parameters that suit a short list, at a few cuts when it is about one."""
    parameters = {"roc_n": {"n": 1}, "partial_auc": {"max_fpr": 0.4}}.get(m.name, {})
    if m.needs is Needs.COUNTS:
        return [m(ranking, threshold=t, **parameters) for t in (threshold, 0.25, 0.5)]
    if "quota" in m.required:
        parameters = {"quota": quota}
    return [m(ranking, **parameters)]


def no_further(low, value, high):
    """Whether the value lies between the two, in any order; what is undefined bounds nothing."""
    bounds = [bound for bound in (low, high) if not math.isnan(bound)]
    if math.isnan(value) or len(bounds) < 2:
        return True
    slack = 1e-12 * max(1, abs(value)) if math.isfinite(value) else 0
    return min(bounds) - slack <= value <= max(bounds) + slack


@by_name
@settings(max_examples=25, deadline=None)  # of each of 78 measures
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=14),
    edges=st.integers(1, 4) | st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True),
    threshold=st.integers(0, 11),
    quota=st.integers(1, 14),
)
def test_binning_brackets_what_only_gains_when_a_positive_moves_up(m, rows, edges, threshold, quota):
    exact = scored(m, rows)
    scale = (exact.score.max() - exact.score.min()) / 12
    bins = edges if isinstance(edges, int) else [exact.score.min() + scale * edge for edge in edges]
    asked = {"threshold": threshold / 12, "quota": min(quota, len(rows))}
    low, high = (values(m, part, **asked) for part in exact.coarsen(bins))

    for bottom, value, top in zip(low, values(m, exact, **asked), high, strict=True):
        assert no_further(bottom, value, top)


@by_name
def test_the_right_end_of_a_bracket_is_the_good_one(m):
    exact = rank([1, 0, 0, 1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.45, 0.3, 0.2, 0.1])
    low, high = (values(m, part, threshold=0.45, quota=3) for part in exact.coarsen(3))
    sign = -1 if m.better == "lower" else 1

    assert all(
        sign * bottom <= sign * top for bottom, top in zip(low, high, strict=True) if not math.isnan(bottom + top)
    )


def test_the_bracket_puts_the_negatives_of_a_bin_first_or_last():
    low, high = rank([1, 0, 1, 0], [4, 3, 2, 1]).coarsen([2.5])

    assert low.to_dict() == {"score": [4, 3, 2, 1], "positives": [0, 1, 0, 1], "negatives": [1, 0, 1, 0]}
    assert high.to_dict() == {"score": [4, 3, 2, 1], "positives": [1, 0, 1, 0], "negatives": [0, 1, 0, 1]}
    assert (auc(low), auc(high)) == (1 / 4, 3 / 4)
    assert not low.exact
    assert "not exact" in repr(low)


def test_a_bin_of_one_score_stays_a_tie():
    whole = rank([1, 0, 1, 0, 0], [3, 3, 2, 1, 1])

    for part in whole.coarsen([1.5, 2.5]):
        assert are_equal(part, whole)
        assert part.exact


@often
@given(rows=lists, bins=st.integers(1, 8))
def test_binning_keeps_every_case(rows, bins):
    whole = ranking_of(rows)

    for part in whole.coarsen(bins):
        assert (part.positives, part.negatives) == (whole.positives, whole.negatives)
        assert (part.pos2.sum(), part.neg2.sum()) == (whole.pos2.sum(), whole.neg2.sum())
        assert len(part) <= 2 * bins
        assert (np.diff(part.score) < 0).all()


@often
@given(rows=lists, edges=st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True))
def test_low_scores_that_mean_positive_are_binned_alike(rows, edges):
    turned = ranking_of(rows, higher_is_positive=False).coarsen([edge + 0.5 for edge in edges])
    negated = ranking_of([(y, -s, w) for y, s, w in rows]).coarsen([-edge - 0.5 for edge in edges])

    for one, other in zip(turned, negated, strict=True):
        assert one.score.tolist() == (-other.score).tolist()
        assert one.pos.tolist() == other.pos.tolist()
        assert one.neg.tolist() == other.neg.tolist()


@pytest.mark.parametrize("higher_is_positive", [True, False])
def test_an_edge_falls_where_a_cut_at_it_would_put_it(higher_is_positive):
    ranking = rank([1, 0, 1, 0], [1, 2, 3, 4], higher_is_positive=higher_is_positive)
    for edge in (1, 2, 3, 4):
        at_edge = ranking.at_threshold(edge)
        for part in ranking.coarsen([edge]):
            counts = part.at_threshold(edge)
            assert (counts.tp, counts.fp) == (at_edge.tp, at_edge.fp)


@often
@given(rows=lists, edges=st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True), turned=st.booleans())
def test_a_cut_at_an_edge_of_the_bins_is_exact(rows, edges, turned):
    ranking = ranking_of(rows, higher_is_positive=not turned)
    for part in ranking.coarsen(edges):
        for edge in edges:
            assert part.at_threshold(edge) == ranking.at_threshold(edge)


# ---------------------------------------------------------------------- looks


def test_a_ranking_says_what_it_holds():
    ranking = rank([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2], [1, 1, 0.5, 1])

    assert repr(ranking) == "Ranking of cases of weight 3.5, 1.5 of them positive, at 3 distinct scores"
    assert repr(rank([1], [0.5])) == "Ranking of 1 case, 1 of them positive, at 1 distinct score"
    assert repr(rank([1, 0], [2, 1])) == "Ranking of 2 cases, 1 of them positive, at 2 distinct scores"
    assert repr(rank([1, 0], [2, 1], [1, 2])).startswith("Ranking of cases of weight 3, ")
    assert repr(Ranking.of_counts([2, 1], [[1, 0], [2, 1]], [[1, 1], [0, 1]])) == (
        "Ranking of 2 distinct scores, a stack of shape (2,)"
    )
    assert len(ranking) == 3


def test_a_ranking_becomes_a_frame_and_html():
    ranking = rank([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])
    long = rank([1, 0] * 10, range(20))

    assert ranking.to_frame().to_dict("list") == ranking.to_dict()
    assert ranking.to_frame("polars").to_dict(as_series=False) == ranking.to_dict()
    html = ranking._repr_html_()
    assert html.startswith(f"<table><caption>{ranking!r}</caption>")
    assert html.count("<tr>") == 1 + 3
    assert long._repr_html_().count("<tr>") == 1 + 10  # the top of the list
    assert len(long.to_frame()) == 20
    stack = Ranking.of_counts([2, 1], [[1, 0], [2, 1]], [[1, 1], [0, 1]])
    assert stack._repr_html_() == repr(stack)


# ---------------------------------------------------------------------- columns


@each_case("name", ["score", "pos", "neg", "pos2", "neg2"])
@each_case(
    "ranking",
    [
        rank([1, 0, 1], [3, 2, 1]),
        rank([1, 0, 1], [3, 2, 1], [1.5, 1, 2]),
        Ranking.of_counts([2, 1], [1, 0], [0, 1]),
        rank([1, 0], [2, 1]) + rank([1, 0], [2, 1]),
        rank([1, 0, 1], [3, 2, 1]).swapped(),
        rank([1, 0, 1], [3, 2, 1]).coarsen(1).low,
    ],
    ids=["rank", "weights", "of_counts", "merged", "swapped", "coarsened"],
)
def test_the_columns_can_be_read_but_not_written(ranking, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(ranking, name)[0] = 7


def test_the_arrays_that_a_ranking_was_made_from_stay_writable():
    score, pos, neg = np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 1])
    ranking = Ranking.of_counts(score, pos, neg)
    score[0], pos[0], neg[0] = 9, 9, 9

    assert ranking.to_dict() == {"score": [2, 1], "positives": [1, 0], "negatives": [0, 1]}


def test_rankings_are_equal_when_their_columns_are():
    ranking = rank([1, 0, 1], [3, 2, 1])

    assert ranking == rank([1, 1, 0], [1, 3, 2])
    assert ranking == Ranking.of_counts([3, 2, 1], [1, 0, 1], [0, 1, 0])
    assert ranking != rank([1, 0, 1], [3, 2, 0])
    assert ranking != rank([1, 0, 0], [3, 2, 1])
    assert ranking != rank([1, 0, 1], [3, 2, 1], [1, 2, 1])
    assert ranking != rank(["y", "n", "y"], [3, 2, 1], positive="y")
    assert rank([1, 1], [1, 1], [1, 3]) != rank([1, 1], [1, 1], [2, 2])  # one weight, other squares
    assert rank([1, 0], [1, 1]) != rank([1, 0], [1, 1], higher_is_positive=False)
    assert ranking != "a ranking"
    with pytest.raises(TypeError):
        hash(ranking)


@pytest.mark.parametrize(
    ("score", "pos", "neg"),
    [
        ([1, 2], [1, 1], [1, 1]),
        ([2, 2], [1, 1], [1, 1]),
        ([2, math.nan], [1, 1], [1, 1]),
        ([math.nan], [1], [1]),
        ([2, 1], [1], [1, 1]),
        ([2, 1], [1, 1], [1]),
        ([2, 1], [1, 1, 1], [1, 1, 1]),
        ([2, 1], [1, -1], [1, 1]),
        ([2, 1], [1, 1], [-1, 1]),
        ([], [], []),
    ],
)
def test_finished_columns_are_checked(score, pos, neg):
    with pytest.raises(InputError):
        Ranking.of_counts(score, pos, neg)


# ---------------------------------------------------------------------- counts

TABLE = Counts(tp=3, fp=1, fn=2, tn=4, threshold=0.5)


def test_counts_know_their_margins():
    assert (TABLE.positives, TABLE.negatives, TABLE.flagged, TABLE.unflagged, TABLE.total) == (5, 5, 4, 6, 10)


def test_counts_say_what_they_hold():
    assert repr(TABLE) == "Counts(tp=3, fp=1, fn=2, tn=4, threshold=0.5)"
    assert repr(Counts(tp=1.5, fp=0.5, fn=0.5, tn=1.5)) == "Counts(tp=1.5, fp=0.5, fn=0.5, tn=1.5)"
    assert TABLE.to_dict() == {"threshold": 0.5, "tp": 3, "fp": 1, "fn": 2, "tn": 4}
    for threshold in (math.nan, math.inf, -math.inf):
        counts = Counts(1, 2, 3, 4, threshold=threshold)
        assert counts.to_dict() == {"threshold": None, "tp": 1, "fp": 2, "fn": 3, "tn": 4}


def test_counts_of_all_cuts_are_lists_in_a_dictionary():
    assert rank([1, 0], [2, 1]).counts.to_dict() == {
        "threshold": [None, 2, 1],  # JSON has no infinity
        "tp": [0, 1, 1],
        "fp": [0, 0, 1],
        "fn": [1, 0, 0],
        "tn": [1, 1, 0],
    }


def test_counts_draw_the_table_with_its_sums():
    html = TABLE._repr_html_()

    for cells in (["3", "1", "4"], ["2", "4", "6"], ["5", "5", "10"]):
        assert "".join(f"<td>{cell}</td>" for cell in cells) in html
    assert html.count("<th scope='row'>") == 3
    assert rank([1, 0], [2, 1]).counts._repr_html_().startswith("<code>Counts(")


def test_every_measure_of_one_cut_is_an_attribute_of_counts():
    of_counts = [m for m in MEASURES if m.needs is Needs.COUNTS]

    for m in of_counts:
        for name in m.names:
            assert getattr(TABLE, name) == m(TABLE)
    assert TABLE.precision == 3 / 4
    assert TABLE.tpr == 3 / 5


@pytest.mark.parametrize("name", ["auc", "brier", "precison", "_private"])
def test_counts_have_no_other_attributes(name):
    assert not hasattr(TABLE, name)


def test_counts_are_equal_when_the_four_numbers_are():
    assert Counts(1, 2, 3, 4, threshold=0.5) == Counts(1, 2, 3, 4, threshold=0.7)
    assert Counts(1, 2, 3, 4) != Counts(1, 2, 4, 3)
    assert Counts([1, 2], [2, 2], [3, 3], [4, 4]) == Counts(*np.array([[1, 2], [2, 2], [3, 3], [4, 4]]))
    assert Counts([1, 2], [2, 2], [3, 3], [4, 4]) != Counts([1, 2], [2, 2], [3, 3], [4, 5])
    assert Counts([1, 2], [2, 2], [3, 3], [4, 4]) != Counts(1, 2, 3, 4)
    assert rank([1, 0], [2, 1]).counts == rank([1, 0], [4, 3]).counts
    assert TABLE != (3, 1, 2, 4)
    with pytest.raises(TypeError):
        hash(TABLE)


def test_lists_of_counts_are_arrays():
    counts = Counts([3, 1], [1, 0], (2, 4), [4, 5])

    assert counts.precision.tolist() == [3 / 4, 1]
    assert counts.total.tolist() == [10, 10]
    assert Counts([0.5, 1.0], 1, 1, 1).tp.dtype == float


@each_case("wrong", [-1, -0.5, np.int64(-3), [1, -1], "many", "3", ["3"], ["a"], [[1], [1, 2]]], ids=repr)
@each_case("name", ["tp", "fp", "fn", "tn"])
def test_what_is_no_count_is_refused(name, wrong):
    with pytest.raises(InputError, match=rf"^{name} is "):
        Counts(**{"tp": 1, "fp": 1, "fn": 1, "tn": 1} | {name: wrong})


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32])
@pytest.mark.parametrize("shape", [(), (1,)])
def test_narrow_integers_are_widened(kind, shape):
    counts = Counts(*(np.full(shape, 100, dtype=kind)[()] for _ in range(4)))

    assert counts.total == 400
    assert counts.tp.dtype == np.int64


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_counts_become_a_frame_with_a_row_for_each_cut(backend):
    one, cuts = TABLE.to_frame(backend), rank([1, 0], [0.7, 0.2]).counts.to_frame(backend)
    names = one.column_names if backend == "pyarrow" else list(one.columns)

    assert names == ["threshold", "tp", "fp", "fn", "tn"]
    assert [np.asarray(one[name]).tolist() for name in names] == [[0.5], [3], [1], [2], [4]]
    assert [np.asarray(cuts[name]).tolist() for name in names] == [
        [math.inf, 0.7, 0.2],
        [0, 1, 1],
        [0, 0, 1],
        [1, 0, 0],
        [1, 1, 0],
    ]


def test_the_counts_of_a_ranking_know_whether_their_threshold_is_a_risk():
    for scores, options, is_risk in (
        ([0.7, 0.2], {}, True),
        ([1.2, 0.2], {}, False),
        ([0.7, 0.2], {"higher_is_positive": False}, False),
    ):
        ranking = rank([1, 0], scores, **options)
        for counts in (ranking.counts, ranking.at_threshold(0.5), ranking.at_quota(1), ranking.at_cut(1)):
            assert counts.is_risk is is_risk
            assert np.isnan(counts.net_benefit).all() == (not is_risk)
            assert not np.isnan(MEASURES["net_benefit"](counts, risk=0.2)).any()
    assert TABLE.is_risk
    assert math.isnan(Counts(3, 1, 2, 4, threshold=0.5, is_risk=False).net_benefit)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("higher", [True, False])
def test_the_cut_of_a_threshold_counts_the_scores_that_reach_it(kind, higher):
    scores = np.array([0.9, 0.7, 0.3, 0.1], kind)[:: 1 if higher else -1]
    cases = np.ones(4, np.int64)
    ranking = Ranking(scores, cases, cases, cases, cases, higher)
    thresholds = [-np.inf, 0.0, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1.0, np.inf]
    reached = [sum(kind(t) <= s if higher else s <= kind(t) for s in scores) for t in thresholds]
    assert ranking.cuts(np.array(thresholds)).tolist() == reached
    assert [ranking.cut(t) for t in thresholds] == reached


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda r: r.at_quota(-1),
            "quota is -1, but the list has 3 places: pass a number",
        ),
        (
            lambda r: r.at_quota(5),
            "quota is 5, but the list has 3 places: pass a number",
        ),
        (lambda r: r.at_quota("x"), "quota is 'x'"),
        (lambda r: r.at_threshold("x"), "threshold is 'x': pass a number."),
        (lambda r: r.at_threshold([1, 2]), "threshold is [1, 2]: pass a number."),
        (lambda r: r.at_threshold(None), "threshold is None: pass a number."),
    ],
)
def test_an_invalid_cut_is_refused_with_a_short_traceback(call, message):
    with pytest.raises(ParameterError) as error:
        call(rank([1, 0, 1], [0.9, 0.5, 0.2]))
    assert str(error.value).startswith(message)
    assert sum(entry.path.is_relative_to(Path(cutline.__file__).parent) for entry in error.traceback) <= 2
