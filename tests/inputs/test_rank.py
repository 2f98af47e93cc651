"""The door: whatever holds labels, scores and weights comes out as the same table, with nothing lost or repaired."""

import math
import warnings
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import MEASURES, CutlineError, InputError, ParameterError, Ranking, evaluate, rank
from cutline.inputs.rank import count_places, cut_ranking

LABELS = [1, 0, 1, 0, 0]
SCORES = [0.9, 0.6, 0.6, 0.2, 0.2]
TABLE = {"score": [0.9, 0.6, 0.2], "positives": [1, 1, 0], "negatives": [0, 1, 2]}

few = settings(max_examples=100, deadline=None)
weighted_rows = st.lists(
    st.tuples(st.booleans(), st.integers(-2, 2), st.integers(0, 3)), min_size=1, max_size=20
).filter(lambda rows: any(weight for _, _, weight in rows))


def kind(values):
    """What a column is made of, for the name of a test."""
    of = next((str(getattr(values, name)) for name in ("dtype", "type") if hasattr(values, name)), None)
    return f"{type(values).__name__} of {(of or type(values[0]).__name__).split('(')[0]}"


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


# ---------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True, False, False],
        LABELS,
        [1.0, 0.0, 1.0, 0.0, 0.0],
        [1, -1, 1, -1, -1],
        [1.0, -1.0, 1.0, -1.0, -1.0],
        tuple(LABELS),
        np.array(LABELS, dtype=np.uint8),
        np.array(LABELS, dtype=np.float16),
        np.array(LABELS, dtype=object),
        np.array([True, False, True, False, False], dtype=object),
        np.ma.array(LABELS),
        pd.Series(LABELS, index=[9, 8, 7, 6, 5]),
        pd.Series(LABELS, dtype="Int64"),
        pd.Series(LABELS).astype("boolean"),
        pl.Series(LABELS),
        pl.Series(LABELS).cast(pl.Boolean),
        pa.array(LABELS),
        pa.array([True, False, True, False, False]),
    ],
    ids=kind,
)
def test_labels_say_the_same_in_every_spelling(labels):
    ranking = rank(labels, SCORES)

    assert ranking.to_dict() == TABLE
    assert ranking.positive == 1


SPAM = ["spam", "ham", "spam", "ham", "ham"]


@pytest.mark.parametrize(
    "labels",
    [
        SPAM,
        np.array(SPAM),
        np.array(SPAM, dtype=object),
        np.array(SPAM, dtype=np.dtypes.StringDType()),
        pd.Categorical(SPAM),
        pd.Series(SPAM),
        pd.Series(SPAM, dtype="category"),
        pd.Series(SPAM, dtype="string"),
        pl.Series(SPAM),
        pl.Series(SPAM, dtype=pl.Categorical),
        pl.Series(SPAM, dtype=pl.Enum(["spam", "ham"])),
        pa.array(SPAM),
        pa.array(SPAM).dictionary_encode(),
        pa.chunked_array([SPAM[:2], SPAM[2:]]),
    ],
    ids=kind,
)
def test_positive_names_the_positive_class_of_any_two_values(labels):
    ranking = rank(labels, SCORES, positive="spam")

    assert ranking.to_dict() == TABLE
    assert ranking.positive == "spam"


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([2, 1, 2, 1, 1], 2),
        ([0, 1, 0, 1, 1], 0),
        ([False, True, False, True, True], False),
        ([b"y", b"n", b"y", b"n", b"n"], b"y"),
        ([math.inf, 0, math.inf, 0, 0], math.inf),
        (np.array(["2021", "2020", "2021", "2020", "2020"], dtype="M8[Y]"), np.datetime64("2021")),
    ],
)
def test_the_positive_label_may_be_any_value(labels, positive):
    assert rank(labels, SCORES, positive=positive).to_dict() == TABLE


@pytest.mark.parametrize(
    ("labels", "positive", "positives", "negatives"),
    [
        ([1, 1, 1], None, 3, 0),
        ([0, 0, 0], None, 0, 3),
        ([-1, -1, -1], None, 0, 3),
        ([True, True, True], None, 3, 0),
        (["a", "a", "a"], "a", 3, 0),
        ([5, 5, 5], 5, 3, 0),
        ([0, 0, 0], 1, 0, 3),
    ],
)
def test_cases_of_one_class_can_be_ranked(labels, positive, positives, negatives):
    ranking = rank(labels, [1, 2, 3], positive=positive)

    assert (ranking.positives, ranking.negatives) == (positives, negatives)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([1, 1, 1], "1"),
        ([True, True, True], "True"),
        (["1", "1", "1"], 1),
        (np.array(["1", "1", "1"], dtype=object), 1),
        (["a", "a", "a"], True),
        ([1, 0, 1], "1"),
        (["1", "0", "1"], 1),
    ],
)
def test_a_positive_label_of_another_kind_is_refused(labels, positive):
    with pytest.raises(InputError, match="positive"):
        rank(labels, [1, 2, 3], positive=positive)


# ---------------------------------------------------------------------- scores


@pytest.mark.parametrize("width", [np.float16, np.float32, np.float64])
def test_scores_keep_their_width_and_every_digit(width):
    scores = np.array([0.1, 0.2, 0.3, 1 / 3, 2 / 3], dtype=width)
    ranking = rank(LABELS, scores)

    assert ranking.score.dtype == width
    assert ranking.score.tolist() == sorted(scores.tolist(), reverse=True)


@pytest.mark.parametrize(
    "scores",
    [
        [4, 3, 3, 1, 1],
        np.array([4, 3, 3, 1, 1], dtype=np.uint8),
        np.array([4, 3, 3, 1, 1], dtype=np.int8),
        [Decimal(4), Decimal(3), Decimal(3), Decimal(1), Decimal(1)],
        [Fraction(4), Fraction(6, 2), Fraction(3), Fraction(1), Fraction(2, 2)],
        pd.Series([4, 3, 3, 1, 1], dtype="Int64"),
        pl.Series([4, 3, 3, 1, 1]),
        pa.array([4, 3, 3, 1, 1]),
        pa.chunked_array([[4, 3], [3, 1, 1]]),
        np.ma.array([4, 3, 3, 1, 1]),
    ],
    ids=kind,
)
def test_numbers_of_any_kind_rank_alike(scores):
    assert rank(LABELS, scores).to_dict() == TABLE | {"score": [4, 3, 1]}


def test_booleans_are_two_scores():
    ranking = rank([1, 0, 1, 0], [True, True, False, False])

    assert ranking.to_dict() == {"score": [1, 0], "positives": [1, 1], "negatives": [1, 1]}


def test_infinite_scores_come_first_and_last():
    ranking = rank([1, 0, 1, 0], [-math.inf, math.inf, 5.0, math.inf])

    assert ranking.to_dict() == {"score": [math.inf, 5, -math.inf], "positives": [0, 1, 1], "negatives": [2, 0, 0]}


@pytest.mark.parametrize("scores", [[-0.0, 0.0], [0.0, -0.0]])
@pytest.mark.parametrize("labels", [[1, 0], [1, 1]])
def test_minus_zero_and_zero_tie(labels, scores):
    ranking = rank(labels, scores)

    assert len(ranking) == 1
    assert ranking.score[0] == 0


def test_integers_that_float64_cannot_tell_apart_are_refused():
    with pytest.raises(CutlineError, match=r"beyond 2\*\*53"):
        rank([1, 0], [2**53, 2**53 + 1])


def test_integers_beyond_2_to_the_53_that_float64_holds_are_taken():
    assert rank([1, 0], [2**60, 2**60 + 2**10]).score.tolist() == [2**60 + 2**10, 2**60]


@pytest.mark.parametrize("scores", [[2**70, 2**70 + 1], [2**53, 2**53 + 1, None]])
def test_no_integer_is_rounded_in_silence(scores):
    labels = [1, 0, 1][: len(scores)]
    try:
        ranking = rank(labels, scores, missing="drop")
    except CutlineError:
        return
    assert len(ranking) == len({score for score in scores if score is not None})


# ---------------------------------------------------------------------- direction


@few
@given(rows=weighted_rows)
def test_low_scores_that_mean_positive_rank_as_their_negatives_do(rows):
    labels, scores, weights = columns(rows)
    turned = rank(labels, scores, weights, higher_is_positive=False)
    negated = rank(labels, [-s for s in scores], weights)

    assert turned.score.tolist() == (-negated.score).tolist()
    for column in ("pos", "neg", "pos2", "neg2"):
        assert getattr(turned, column).tolist() == getattr(negated, column).tolist()
    assert turned.key.tolist() == negated.key.tolist()


def test_thresholds_stay_on_the_scale_of_the_user_when_low_scores_mean_positive():
    ranking = rank([1, 0, 1, 0], [1, 2, 3, 4], higher_is_positive=False)

    assert ranking.thresholds.tolist() == [-math.inf, 1, 2, 3, 4]
    for threshold, expected in [(0, (0, 0)), (1, (1, 0)), (2.5, (1, 1)), (3, (2, 1)), (9, (2, 2))]:
        counts = cut_ranking(ranking, threshold=threshold)  # score <= threshold
        assert (counts.tp, counts.fp) == expected
        assert counts.threshold == threshold


# ---------------------------------------------------------------------- weights


def by_hand(labels, scores, weights):
    """The four columns of the ranking, summed in dictionaries."""
    sums = [Counter(), Counter(), Counter(), Counter()]
    present = sorted({s for s, w in zip(scores, weights, strict=True) if w}, reverse=True)
    for label, score, weight in zip(labels, scores, weights, strict=True):
        sums[0 if label else 1][score] += weight
        sums[2 if label else 3][score] += weight**2
    return present, *([column[s] for s in present] for column in sums)


def cells(ranking):
    return tuple(getattr(ranking, name).tolist() for name in ("score", "pos", "neg", "pos2", "neg2"))


@few
@given(rows=weighted_rows)
def test_each_cell_holds_the_sum_of_the_weights_and_of_their_squares(rows):
    labels, scores, weights = columns(rows)

    assert cells(rank(labels, scores, weights)) == by_hand(labels, scores, weights)


@few
@given(rows=weighted_rows)
def test_weights_in_halves_add_up_exactly(rows):
    labels, scores, weights = columns(rows)
    halves = [weight / 2 for weight in weights]

    assert cells(rank(labels, scores, halves)) == by_hand(labels, scores, halves)


@few
@given(rows=weighted_rows)
def test_a_whole_weight_is_that_many_rows(rows):
    labels, scores, weights = map(np.array, columns(rows))
    weighted, repeated = rank(labels, scores, weights), rank(labels.repeat(weights), scores.repeat(weights))

    assert cells(weighted)[:3] == cells(repeated)[:3]
    assert repeated.pos2.tolist() == repeated.pos.tolist()
    assert repeated.neg2.tolist() == repeated.neg.tolist()
    assert weighted.integral
    assert repeated.integral


@pytest.mark.parametrize(
    ("weights", "integral"),
    [
        ([1, 2, 3, 4, 5], True),
        ([1.0, 2.0, 3.0, 4.0, 5.0], True),
        (np.array([1, 2, 3, 4, 5], dtype=np.float32), True),
        (np.array([1, 2, 3, 4, 5], dtype=np.uint8), True),
        ([True, True, True, True, True], True),
        ([Decimal(1), Decimal(2), Decimal(3), Decimal(4), Decimal(5)], True),
        (pl.Series([1.0, 2.0, 3.0, 4.0, 5.0]), True),
        ([1.0, 2.0, 3.0, 4.0, 5.5], False),
        ([1.0, 2.0, 3.0, 4.0, 2.0**53], False),
    ],
)
def test_weights_that_are_whole_become_integers(weights, integral):
    ranking = rank(LABELS, SCORES, weights)

    assert ranking.integral is integral
    assert ranking.pos.dtype.kind == ("i" if integral else "f")
    assert float(ranking.total) == sum(float(w) for w in weights)


def test_small_integer_types_do_not_overflow():
    ranking = rank([1] * 4, [1] * 4, np.array([200] * 4, dtype=np.uint8))

    assert cells(ranking) == ([1], [800], [0], [4 * 200**2], [0])


@pytest.mark.parametrize("weights", [[4_000_000_000, 1], [4e9, 1.0], [2**62, 2**62], np.array([2**63, 1], np.uint64)])
def test_large_weights_do_not_wrap_around(weights):
    try:
        ranking = rank([1, 1], [1, 1], weights)
    except CutlineError:
        return
    assert float(ranking.positives) == pytest.approx(sum(float(w) for w in weights), rel=1e-12)
    assert float(ranking.pos2[0]) == pytest.approx(sum(float(w) ** 2 for w in weights), rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "kinds"),
    [
        ([10**8] * 4, "ii"),
        ([1e8] * 4, "ii"),
        ([4_000_000_000, 1, 1, 1], "if"),  # the square would overflow, the weight does not
        ([4e9, 1.0, 1.0, 1.0], "if"),
        ([2.0**52, 1.0, 1.0, 1.0], "if"),
        ([2.0**52, 2.0**52, 1.0, 1.0], "ff"),
        ([2**61, 2**60, 1, 1], "if"),
        ([2**61, 2**61, 1, 1], "ff"),
        (np.array([2**60, 1, 1, 1], dtype=np.uint64), "if"),
        (np.array([2**63, 1, 1, 1], dtype=np.uint64), "ff"),
    ],
)
def test_whole_weights_stay_whole_as_long_as_their_sum_fits(weights, kinds):
    ranking = rank([1, 0, 1, 0], [4, 3, 2, 1], weights)

    assert "".join(column.dtype.kind for column in (ranking.pos, ranking.neg)) == kinds[0] * 2
    assert "".join(column.dtype.kind for column in (ranking.pos2, ranking.neg2)) == kinds[1] * 2
    assert ranking.integral is (kinds[0] == "i")
    if ranking.integral:
        assert ranking.total == sum(int(w) for w in weights)
        assert ranking.pos.tolist() == [int(weights[0]), 0, int(weights[2]), 0]
    assert ranking.pos2[0] == pytest.approx(float(weights[0]) ** 2, rel=1e-15)


def test_a_weight_of_a_hundred_million_is_that_many_rows():
    data = [1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]
    many = rank(*data, [10**8] * 4)
    repeated = Ranking.of_counts([0.9, 0.6, 0.2], [10**8, 10**8, 0], [0, 10**8, 10**8])

    for name in ("mean_precision", "average_hit_rate", "average_lift", "expected_average_precision"):
        assert MEASURES[name](many) == MEASURES[name](repeated)
    # Down to x times 10**8 places the precision is 1 up to x = 1, (1 + (x - 1) / 2) / x up to 3, and 2 / x up to 4.
    limit = (1 + (1 / 2) * math.log(3) + 1 + 2 * math.log(4 / 3)) / 4
    assert MEASURES["mean_precision"](many) == pytest.approx(limit, rel=1e-7)
    assert MEASURES["mean_precision"](*data, [1] * 4) == MEASURES["mean_precision"](*data)


@pytest.mark.parametrize("weights", [[1e-51, 1e-52], [1e-300, 0], [1e50, 1], [1e300, 1e300], [5e-324, 5e-324]])
def test_weights_of_an_absurd_size_are_refused(weights):
    with pytest.raises(InputError, match="weights add up to"):
        rank([1, 0], [2, 1], weights)


def test_a_weight_that_is_lost_beside_the_others_is_refused():
    with pytest.raises(InputError, match="weights holds 1e-300, which is nothing beside a sum of 1, at position 0"):
        rank([1, 0], [2, 1], [1e-300, 1])


@pytest.mark.parametrize("weights", [[1e-49, 1e-49], [1e49, 1e49], [1e-99, 1], [math.nan, 1e49, 1e49]])
def test_weights_of_any_other_size_are_taken(weights):
    labels = [1, 0, 1][-len(weights) :]
    ranking = rank(labels, range(len(weights)), weights, missing="drop")

    assert ranking.total == np.nansum(weights)


@pytest.mark.parametrize(
    ("label", "score"), [(None, 0.3), (math.nan, 0.3), (7, 0.3), (1, math.nan), (1, None), (None, math.nan)]
)
def test_a_case_of_weight_zero_is_absent_whatever_it_holds(label, score):
    ranking = rank([1, 0, label], [0.9, 0.2, score], [2, 1, 0])

    assert ranking.to_dict() == {"score": [0.9, 0.2], "positives": [2, 0], "negatives": [0, 1]}
    assert ranking.dropped == 0


# ---------------------------------------------------------------------- missing values


@pytest.mark.parametrize(
    ("labels", "scores", "weights", "dropped"),
    [
        ([1, None, 0], [0.9, 0.5, 0.2], None, 1),
        ([1, math.nan, 0], [0.9, 0.5, 0.2], None, 1),
        ([1, pd.NA, 0], [0.9, 0.5, 0.2], None, 1),
        (pd.Series([1, None, 0], dtype="Int64"), [0.9, 0.5, 0.2], None, 1),
        (pd.Series([True, None, False], dtype="boolean"), [0.9, 0.5, 0.2], None, 1),
        (pl.Series([1, None, 0]), pl.Series([0.9, 0.5, 0.2]), None, 1),
        (pa.array([True, None, False]), pa.array([0.9, 0.5, 0.2]), None, 1),
        (np.ma.array([1, 1, 0], mask=[0, 1, 0]), [0.9, 0.5, 0.2], None, 1),
        ([1, 1, 0], [0.9, math.nan, 0.2], None, 1),
        ([1, 1, 0], [0.9, None, 0.2], None, 1),
        ([1, 1, 0], pd.Series([0.9, None, 0.2], dtype="Float64"), None, 1),
        ([1, 1, 0], pa.array([0.9, None, 0.2]), None, 1),
        ([1, 1, 0], np.ma.array([0.9, 0.5, 0.2], mask=[0, 1, 0]), None, 1),
        ([1, 1, 0], [0.9, 0.5, 0.2], [1, math.nan, 1], 1),
        ([1, 1, 0], [0.9, 0.5, 0.2], np.ma.array([1, 5, 1], mask=[0, 1, 0]), 1),
        ([1, None, math.nan, 1, 0, 1], [0.9, 0.5, math.nan, math.nan, 0.2, 0.7], [1, 1, 1, 1, 1, math.nan], 4),
        ([1, None, 0, None], [0.9, 0.5, 0.2, 0.3], [1, 1, 1, 0], 1),  # a case of weight zero was never there
        ([1, 0], [0.9, 0.2], None, 0),
    ],
)
def test_incomplete_rows_are_dropped_and_counted_on_demand(labels, scores, weights, dropped):
    ranking = rank(labels, scores, weights, missing="drop")

    assert ranking.dropped == dropped
    assert ranking.to_dict() == {"score": [0.9, 0.2], "positives": [1, 0], "negatives": [0, 1]}


@pytest.mark.parametrize("labels", [["a", None, "b"], pd.Categorical(["a", None, "b"]), pl.Series(["a", None, "b"])])
def test_a_missing_label_is_not_a_class(labels):
    ranking = rank(labels, [3, 2, 1], positive="a", missing="drop")

    assert (ranking.positives, ranking.negatives, ranking.dropped) == (1, 1, 1)


@pytest.mark.parametrize(
    ("labels", "scores", "weights"),
    [
        ([1, None, 0], [0.9, 0.5, 0.2], None),
        ([1, 1, 0], [0.9, math.nan, 0.2], None),
        ([1, 1, 0], [0.9, 0.5, 0.2], [1, math.nan, 1]),
    ],
)
def test_incomplete_rows_are_refused_unless_told_otherwise(labels, scores, weights):
    with pytest.raises(CutlineError, match="the first at position 1"):
        rank(labels, scores, weights)


def test_the_position_of_a_missing_value_counts_the_cases_of_weight_zero():
    with pytest.raises(CutlineError, match="the first at position 2"):
        rank([1, 0, 1], [0.9, 0.2, math.nan], [1, 0, 1])


def test_the_input_is_left_as_it_was():
    labels, scores, weights = np.array([1, 0, 1]), np.array([0.1, 0.9, 0.5]), np.array([1.0, 2.0, 0.0])
    copies = labels.copy(), scores.copy(), weights.copy()
    rank(labels, scores, weights)

    for now, before in zip((labels, scores, weights), copies, strict=True):
        assert now.tolist() == before.tolist()


# ---------------------------------------------------------------------- cuts


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"threshold": 0.9}, (1, 0, 1, 3)),
        ({"threshold": 0.6}, (2, 1, 0, 2)),
        ({"threshold": 0.95}, (0, 0, 2, 3)),
        ({"threshold": math.inf}, (0, 0, 2, 3)),
        ({"threshold": -math.inf}, (2, 3, 0, 0)),
        ({"quota": 1}, (1, 0, 1, 3)),
        ({"quota": 2}, (3 / 2, 1 / 2, 1 / 2, 5 / 2)),
        ({"quota": 4}, (2, 2, 0, 1)),
        ({"share": 0.4}, (3 / 2, 1 / 2, 1 / 2, 5 / 2)),
        ({"share": 0.5}, (3 / 2, 1 / 2, 1 / 2, 5 / 2)),  # two and a half places are two
        ({"share": 1}, (2, 3, 0, 0)),
    ],
)
def test_a_cut_is_a_threshold_or_a_quota_or_a_share(where, expected):
    counts = cut_ranking(rank(LABELS, SCORES), **where)

    assert (counts.tp, counts.fp, counts.fn, counts.tn) == expected


@pytest.mark.parametrize(
    ("n", "share", "expected"),
    [(100, 0.29, 29), (1010, 0.05, 50), (10, 0.1, 1), (10, 0.19, 1), (3, 1 / 3, 1), (3, 2 / 3, 2), (7, 1.0, 7)],
)
def test_part_of_a_place_does_not_count(n, share, expected):
    assert count_places(Ranking.of_counts([1], [n], [0]), share=share) == expected


@pytest.mark.parametrize("n", [7, 29, 100, 1000])
def test_a_share_of_k_in_n_is_k_places(n):
    ranking = Ranking.of_counts([1], [n], [0])

    assert [count_places(ranking, share=k / n) for k in range(1, n + 1)] == list(range(1, n + 1))


def test_weights_that_are_not_whole_have_no_places_to_round_to():
    ranking = rank([1, 0], [2, 1], [1.5, 2.0])

    assert count_places(ranking, share=0.5) == 3.5 / 2
    assert count_places(ranking, quota=1.25) == 1.25


def test_a_quota_is_taken_as_it_is():
    assert count_places(rank(LABELS, SCORES), quota=3) == 3


@pytest.mark.parametrize("name", ["hit_rate", "qrecall", "enrichment", "pearson"])
@pytest.mark.parametrize("quota", [6, 2.5])
def test_a_quota_that_was_fixed_is_checked_like_one_that_is_given(name, quota):
    fixed = MEASURES[name].with_(quota=quota)
    ev = evaluate(LABELS, SCORES)
    message = "a whole number of cases" if quota == 2.5 else "there are 5 cases"

    for ask in (
        lambda: fixed(LABELS, SCORES),
        lambda: ev.value(fixed),
        lambda: ev.summary([fixed]),
        lambda: MEASURES[name](LABELS, SCORES, quota=quota),
    ):
        with pytest.raises(ParameterError, match=message):
            ask()
    assert MEASURES[name].with_(quota=5)(LABELS, SCORES) == MEASURES[name](LABELS, SCORES, quota=5)


def test_a_quota_and_a_share_are_not_given_together():
    with pytest.raises(CutlineError):
        count_places(rank(LABELS, SCORES), quota=1, share=0.8)


# ---------------------------------------------------------------------- the default cut


@pytest.mark.parametrize("scores", [[2.5, 0.3, -0.1, -1.5, -2.0], [700, 650, 640, 400, 300]], ids=["margins", "points"])
def test_without_a_cut_a_measure_and_an_evaluation_cut_margins_and_points_at_the_same_place(scores):
    import cutline as cl

    labels = [1, 0, 1, 0, 0]  # two positives: the two highest scores are flagged, one of them rightly

    assert cl.precision(labels, scores) == cl.precision(cl.rank(labels, scores)) == 1 / 2
    assert cl.evaluate(labels, scores).precision == 1 / 2
    assert cl.precision([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.2]) == 1 / 2  # probabilities: 0.9 and 0.6 reach 0.5


def test_a_stack_of_margins_has_no_default_cut():
    from dataclasses import replace

    import cutline as cl

    ranking = cl.rank([1, 0, 1], [2.5, 0.3, -1.0])
    stack = replace(ranking, pos=np.stack([ranking.pos] * 2), neg=np.stack([ranking.neg] * 2))

    with pytest.raises(cl.ParameterError, match="pass threshold, quota or share"):
        cl.precision(stack)
    assert cl.precision(stack, threshold=0.3).tolist() == [1 / 2, 1 / 2]


def test_labels_beyond_floats_are_told_apart_or_refused():
    with pytest.raises(InputError, match="integer beyond the range of float64"):
        rank([0, 10**400], [0.1, 0.2])
    found = rank([2**70, 2**70 + 1, 2**70], [0.9, 0.5, 0.4], positive=2**70)
    assert (int(found.positives), int(found.negatives)) == (2, 1)


@pytest.mark.parametrize("label", [0, 1])
def test_weights_of_one_class_warn_of_nothing(label):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate([label] * 3, [0.3, 0.4, 0.9], [1.5, 2.5, 0.5]).summary(resamples=20)
    assert np.isnan(found["auc"].value)


CLOSE = [Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891"), Decimal("0.5")]


@pytest.mark.parametrize("scores", [CLOSE, [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Fraction(1)]])
def test_exact_numbers_that_floats_cannot_tell_apart_are_refused(scores):
    with pytest.raises(InputError, match="float64 cannot tell apart"):
        rank([1, 0, 1], scores)
    assert len(rank([1, 0, 1], [scores[0], scores[0], scores[2]])) == 2


@pytest.mark.parametrize("kind", ["duckdb", "polars", "lazy"])
@pytest.mark.parametrize("base", [2**53, 2**70])
def test_integers_of_128_bits_are_read_or_refused(kind, base):
    import duckdb
    import polars as pl

    def made(scores):
        cells = ", ".join(f"({i % 2}, {score}::HUGEINT)" for i, score in enumerate(scores))
        relation = duckdb.connect().sql(f"SELECT * FROM (VALUES {cells}) cases(y, p)")  # noqa: S608 - our own numbers
        frame = pl.DataFrame({"y": [i % 2 for i in range(len(scores))], "p": pl.Series(scores, dtype=pl.Int128)})
        return {"duckdb": relation, "polars": frame, "lazy": frame.lazy()}[kind]

    with pytest.raises(InputError, match="float64 cannot tell apart"):
        rank("y", "p", data=made([base, base + 1, 5]))
    assert rank("y", "p", data=made([base, 7, 5])).score.tolist() == [base, 7, 5]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "lazy", "duckdb", "parquet"])
@pytest.mark.parametrize("exact", [None, True])
def test_decimals_that_floats_cannot_tell_apart_are_refused_in_every_frame(tmp_path, kind, exact):
    import duckdb
    import polars as pl
    import pyarrow as pa
    from pyarrow import parquet

    def made(values):
        table = pa.table({"y": [1, 0, 1], "p": pa.array(values, pa.decimal128(30, 20))})
        parquet.write_table(table, tmp_path / "cases.parquet")
        return {
            "pandas": table.to_pandas,
            "polars": lambda: pl.from_arrow(table),
            "pyarrow": lambda: table,
            "lazy": lambda: pl.from_arrow(table).lazy(),
            "duckdb": lambda: duckdb.connect().read_parquet(str(tmp_path / "cases.parquet")),
            "parquet": lambda: tmp_path / "cases.parquet",
        }[kind]()

    with pytest.raises(InputError, match="float64 cannot tell apart"):
        rank("y", "p", data=made(CLOSE), exact=exact)
    assert len(rank("y", "p", data=made([Decimal("0.1"), Decimal("0.2"), Decimal("0.2")]), exact=exact)) == 2
