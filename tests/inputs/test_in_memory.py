"""The aggregation of arrays against a dictionary: GROUP BY score, class."""

import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import compare, evaluate, rank
from cutline.core import parallel, validation
from cutline.inputs import in_memory
from cutline.inputs.in_memory import ScoreCells, aggregate
from grouping import each_case

often = settings(max_examples=25, deadline=None)


COMPILED = in_memory.compiled
needs_compiled = pytest.mark.skipif(COMPILED is None, reason="the compiled part was not built here")


@pytest.fixture(
    params=[
        "short",
        "long",
        "with threads",
        "in many pieces",
        "with threads, in many pieces",
        pytest.param("compiled", marks=needs_compiled),
        pytest.param("compiled, with threads", marks=needs_compiled),
    ]
)
def engine(request, monkeypatch):
    """The aggregation of short columns, and of long ones with and without its two means, brought down to small data."""
    if "compiled" not in request.param:
        monkeypatch.setattr(in_memory, "compiled", None)
    if request.param != "short":
        monkeypatch.setattr(in_memory, "_SHORT", 0)
    if "threads" in request.param:
        monkeypatch.setattr(parallel, "WORTH_THREADS", 1)
    if "pieces" in request.param:
        monkeypatch.setattr(in_memory, "_PIECE", 2)
    return request.param


def group_by(scores, is_positive, weights, *, descending):
    """The same in plain Python, with sums that are exact for the weights used here."""
    keys = [-s if descending else s for s in scores]
    weights = [1] * len(keys) if weights is None else weights
    sums = [Counter(), Counter(), Counter(), Counter()]
    for key, positive, weight in zip(keys, is_positive, weights, strict=True):
        sums[0 if positive else 1][key] += weight
        sums[2 if positive else 3][key] += weight**2
    distinct = sorted(set(keys))
    return [distinct, *([column[key] for key in distinct] for column in sums)]


def as_list(column):
    return None if column is None else column.tolist()


def as_lists(cells):
    return [column.tolist() for column in cells]


def arrays_of(rows, weighted):
    scores, labels, weights = zip(*rows, strict=True)
    return np.array(scores, dtype=float), np.array(labels, dtype=bool), np.array(weights) if weighted else None


few_scores = st.integers(-3, 3).map(lambda k: k / 2)
many_scores = st.floats(allow_nan=False)
whole = st.integers(1, 5)
either = st.booleans()
quarters = st.integers(1, 20).map(lambda k: k / 4)


def rows_of(scores, weights, labels=either):
    return st.lists(st.tuples(scores, labels, weights), min_size=1, max_size=40)


KINDS = {
    "ties": rows_of(few_scores, whole),
    "hardly a tie": rows_of(many_scores, whole),
    "weights in quarters": rows_of(few_scores, quarters),
    "weights in quarters, hardly a tie": rows_of(many_scores, quarters),
    "positives only": rows_of(few_scores, whole, st.just(True)),
    "negatives only": rows_of(few_scores, quarters, st.just(False)),
    "all tied": rows_of(st.just(0.5), quarters),
}


@each_case("kind", [*KINDS])
@each_case("weighted", [False, True], ids=["unweighted", "weighted"])
def test_the_cells_are_those_of_a_group_by(engine, kind, weighted):
    @often
    @given(rows=KINDS[kind], descending=st.booleans())
    def check(rows, descending):
        scores, is_positive, weights = arrays_of(rows, weighted)
        cells = aggregate(scores, is_positive, weights, descending=descending)
        expected = group_by(*map(as_list, (scores, is_positive, weights)), descending=descending)

        assert as_lists(cells) == expected

    check()


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_large_data_are_grouped_alike(engine, weighted):
    rng = np.random.default_rng(7)
    scores, is_positive = rng.integers(0, 700, 3000) / 8, rng.random(3000) < 0.3
    weights = rng.integers(1, 9, 3000) / 4 if weighted else None
    cells = aggregate(scores, is_positive, weights, descending=True)

    assert as_lists(cells) == group_by(*map(as_list, (scores, is_positive, weights)), descending=True)


@pytest.mark.parametrize("scores", ["tied", "distinct"])
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_the_order_of_the_rows_does_not_matter_to_the_last_bit(engine, scores, weighted):
    rng = np.random.default_rng(3)
    n = 500
    score = rng.integers(0, 12, n) / 7 if scores == "tied" else rng.random(n)
    is_positive = rng.random(n) < 0.4
    weights = rng.random(n) * 10.0 ** rng.integers(-8, 8, n) if weighted else None  # sums of these depend on the order
    once = aggregate(score, is_positive, weights, descending=True)

    for _ in range(20):
        order = rng.permutation(n)
        again = aggregate(
            score[order], is_positive[order], None if weights is None else weights[order], descending=True
        )
        for before, after in zip(once, again, strict=True):
            assert before.tobytes() == after.tobytes()


@pytest.mark.parametrize(
    "weights", [None, np.array([1, 2, 3]), np.array([0.5, 1.5, 2.5])], ids=["none", "int", "float"]
)
def test_the_columns_have_the_type_of_the_weights(weights):
    cells = aggregate(
        np.array([1.0, 2.0, 2.0], dtype=np.float32), np.array([True, False, True]), weights, descending=True
    )

    assert cells.key.dtype == np.float32
    assert {column.dtype for column in cells[1:]} == {
        np.dtype(float if weights is not None and weights.dtype == float else np.int64)
    }


def test_without_weights_the_squares_are_the_weights_themselves():
    cells = aggregate(np.array([1.0, 1.0]), np.array([True, False]), None, descending=True)

    assert cells.pos2 is cells.pos
    assert cells.neg2 is cells.neg


@pytest.mark.parametrize("is_positive", [[True, True, False], [False, False, True], [True, True, True]])
def test_a_score_that_is_not_a_number_comes_last(engine, is_positive):
    cells = aggregate(np.array([np.nan, 2.0, 1.0]), np.array(is_positive), None, descending=True)

    assert cells.key[:-1].tolist() == [-2, -1]
    assert np.isnan(cells.key[-1])


def test_half_precision_is_ranked_as_the_same_numbers_in_single_precision(engine):
    rng = np.random.default_rng(2)
    scores, is_positive = rng.normal(size=6000).astype(np.float16), rng.random(6000) < 0.5
    half, single = (aggregate(scores.astype(width), is_positive, None, descending=True) for width in ("f2", "f4"))

    assert half.key.dtype == np.float16
    assert as_lists(half) == as_lists(single)


def test_the_input_is_not_touched(engine):
    scores, is_positive, weights = np.array([3.0, 1.0, 2.0]), np.array([True, False, True]), np.array([1.5, 2.5, 3.5])
    before = scores.tolist(), is_positive.tolist(), weights.tolist()
    aggregate(scores, is_positive, weights, descending=True)

    assert (scores.tolist(), is_positive.tolist(), weights.tolist()) == before


def test_large_data_are_worked_on_by_other_threads(monkeypatch):
    monkeypatch.setattr(parallel, "WORTH_THREADS", 1)
    monkeypatch.setattr(in_memory, "_SHORT", 0)
    monkeypatch.setattr(in_memory, "compiled", None)
    workers = []
    right = in_memory._make_run
    monkeypatch.setattr(in_memory, "_make_run", lambda *given: workers.append(threading.get_ident()) or right(*given))
    aggregate(np.array([1.0, 2.0]), np.array([True, False]), None, descending=True)

    assert len(workers) == 2
    assert threading.get_ident() not in workers


def test_the_comparison_sees_a_wrong_sum(monkeypatch):
    right = in_memory._merge
    monkeypatch.setattr(in_memory, "_SHORT", 0)
    monkeypatch.setattr(in_memory, "compiled", None)
    monkeypatch.setattr(in_memory, "_merge", lambda *given: ScoreCells(*(column + 1 for column in right(*given))))
    cells = aggregate(np.array([1.0, 2.0]), np.array([True, False]), None, descending=True)

    assert as_lists(cells) != group_by([1.0, 2.0], [True, False], None, descending=True)


@often
@given(rows=rows_of(few_scores, whole))
def test_the_trusted_door_gives_the_ranking_that_the_public_one_gives(rows):
    scores, labels, weights = arrays_of(rows, weighted=True)
    if labels.all() or not labels.any():
        labels[0] = not labels[0]

    for higher in (True, False):
        for weight in (None, weights):
            read = rank(labels, scores, weight, higher_is_positive=higher)
            trusted = in_memory.rank_cases(labels, scores, weight, higher_is_positive=higher, positive=True)
            assert read == trusted


def test_a_comparison_reads_each_column_once(monkeypatch):
    read = []
    monkeypatch.setattr(validation, "as_scores", lambda *given: read.append(given) or real(*given))

    compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, groups=[1, 1, 2, 2])
    assert len(read) == 2
    evaluate([1, 0, 1, 0], [4, 3, 2, 1], groups=[1, 1, 2, 2])
    assert len(read) == 3


real = validation.as_scores
