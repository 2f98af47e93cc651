"""Scores on a grid are counted instead of sorted: the ranking is the same to the bit."""

import numpy as np
import pytest

import cutline as cl
from cutline.inputs import in_memory

N = in_memory.MANY + 7
COMPILED = in_memory.compiled
needs_compiled = pytest.mark.skipif(COMPILED is None, reason="the compiled part was not built here")


@pytest.fixture(params=["numpy", pytest.param("compiled", marks=needs_compiled)], autouse=True)
def counts(request, monkeypatch):
    """Everything is counted by numpy and by the compiled part."""
    monkeypatch.setattr(in_memory, "compiled", None if request.param == "numpy" else COMPILED)


@pytest.fixture
def sorted_instead(monkeypatch):
    """Ranks as if no score lay on a grid."""

    def rank(*data, **options):
        with monkeypatch.context() as patch:
            patch.setattr(in_memory, "count_on_grid", lambda *_: None)
            return cl.rank(*data, **options)

    return rank


def cases(steps, low, high, dtype, seed=3):
    rng = np.random.default_rng(seed)
    step = rng.integers(low, high, N)
    return rng.random(N) < (step - low + 1) / (high - low + 2), (step / steps).astype(dtype)


def assert_equal_rankings(one, other):
    for name in ("score", "pos", "neg", "pos2", "neg2"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype, name
        assert a.tobytes() == b.tobytes(), name


@pytest.mark.parametrize(
    ("steps", "low", "high", "dtype"),
    [
        (1000, 0, 1001, np.float64),
        (100, -50, 51, np.float64),
        (1, 300, 851, np.int64),
        (1, 0, 256, np.uint8),
        (256, 0, 256, np.float32),
        (10_000, 0, 10_001, np.float32),
        (10, -7, 8, np.float16),
        (1, 2**40, 2**40 + 60_000, np.float64),
        (1, 2**51 - 30_000, 2**51 + 30_000, np.float64),
        (10, 2**22 - 3000, 2**22 + 3000, np.float32),
    ],
)
@pytest.mark.parametrize("higher", [True, False])
def test_counting_gives_the_ranking_that_sorting_gives(steps, low, high, dtype, higher, sorted_instead):
    labels, scores = cases(steps, low, high, dtype)
    assert in_memory.count_on_grid(scores.astype(float) if scores.dtype.kind in "iu" else scores, labels) is not None
    found = cl.rank(labels, scores, higher_is_positive=higher)
    assert_equal_rankings(found, sorted_instead(labels, scores, higher_is_positive=higher))
    assert found.total == N


def test_rounded_scores_are_on_a_grid():
    scores = np.round(np.random.default_rng(0).random(N), 3)
    assert in_memory.count_on_grid(scores, scores > 0.5) is not None


@pytest.mark.parametrize("odd", [0.0005, 1e9, np.inf, -np.inf, np.nextafter(0.5, 1)])
def test_a_single_score_off_the_grid_is_ranked_where_it_belongs(odd, sorted_instead):
    labels, scores = cases(1000, 0, 1001, float)
    scores[1] = odd
    assert_equal_rankings(cl.rank(labels, scores), sorted_instead(labels, scores))


def test_a_missing_score_is_refused_with_its_row():
    labels, scores = cases(100, 0, 101, float)
    scores[12_345] = np.nan
    with pytest.raises(cl.InputError, match="12345"):
        cl.rank(labels, scores)


def test_both_zeros_are_one_score():
    labels, scores = cases(1, 0, 2, float)
    scores[::2] *= -1.0
    found = cl.rank(labels, scores)
    assert found.score.tolist() == [1.0, 0.0, -1.0]
    assert not np.signbit(found.score[1])


def test_neither_the_order_of_the_rows_nor_parts_of_them_change_it():
    labels, scores = cases(100, 0, 101, float)
    whole, order = cl.rank(labels, scores), np.random.default_rng(1).permutation(N)
    assert_equal_rankings(whole, cl.rank(labels[order], scores[order]))
    assert_equal_rankings(whole, cl.rank(labels[:1000], scores[:1000]) + cl.rank(labels[1000:], scores[1000:]))


def test_scores_without_a_grid_are_not_counted():
    rng = np.random.default_rng(0)
    assert in_memory.count_on_grid(rng.random(N), rng.random(N) < 0.5) is None
    assert in_memory.count_on_grid(rng.integers(0, 10**9, N).astype(float), rng.random(N) < 0.5) is None


@needs_compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_compiled_part_counts_as_numpy_does(dtype):
    labels, scores = cases(1000, -300, 701, dtype)
    apart = np.repeat(scores, 2)[::2], np.repeat(labels, 2)[::2]  # not one block of memory
    one, other = (in_memory.count_on_grid(*apart, by) for by in (None, COMPILED))

    for mine, theirs in zip(one, other, strict=True):
        assert mine.tobytes() == theirs.tobytes()


@needs_compiled
@pytest.mark.parametrize("odd", [0.0005, -0.001, 0.004, np.nan, np.inf, -np.inf, np.nextafter(0.002, 1)])
def test_a_score_that_has_no_cell_is_said_to_have_none(odd):
    scores, cells = np.array([0.0, 0.003, odd]), np.zeros(2 * 4, dtype=np.int64)  # 0 to 0.003, in steps of 0.001

    assert not COMPILED.count(scores, np.ones(3, dtype=bool), 1000, 0.0, cells)
    assert COMPILED.count(scores[:2], np.array([True, False]), 1000, 0.0, np.zeros(8, dtype=np.int64))
