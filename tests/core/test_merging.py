"""Rankings add up: the parts of a list, merged in any order, are the ranking of all its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import rank
from cutline.core.merging import merge, subtract_ranking

often = settings(max_examples=100, deadline=None)

case = st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 3))
lists = st.lists(case, min_size=1, max_size=25)


def ranking_of(rows, **options):
    labels, scores, weights = zip(*rows, strict=True)
    return rank(labels, scores, weights, **options)


def are_equal(one, other):
    """Whether two rankings are equal, cell by cell."""
    names = ("score", "pos", "neg", "pos2", "neg2", "higher_is_positive", "positive", "dropped", "exact")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@often
@given(rows=st.lists(case, min_size=2, max_size=25), data=st.data(), higher_is_positive=st.booleans())
def test_parts_merged_are_the_whole(rows, data, higher_is_positive):
    split = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    parts = [[row for row, part in zip(rows, split, strict=True) if part == i] for i in range(3)]
    rankings = [ranking_of(part, higher_is_positive=higher_is_positive) for part in parts if part]
    whole = ranking_of(rows, higher_is_positive=higher_is_positive)

    assert are_equal(sum(rankings), whole)
    assert are_equal(merge(rankings), whole)
    assert are_equal(merge(rankings[::-1]), whole)


@often
@given(a=lists, b=lists, c=lists)
def test_it_does_not_matter_what_is_merged_first(a, b, c):
    a, b, c = map(ranking_of, (a, b, c))

    assert are_equal((a + b) + c, a + (b + c))
    assert are_equal(a + b, b + a)


@often
@given(labels=st.lists(st.booleans(), min_size=2, max_size=20), data=st.data())
def test_parts_without_weights_merge_into_a_whole_without_weights(labels, data):
    scores = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    middle = len(labels) // 2
    merged = rank(labels[:middle], scores[:middle]) + rank(labels[middle:], scores[middle:])

    assert are_equal(merged, rank(labels, scores))
    assert merged.pos2 is merged.pos
    assert merged.integral


def test_merging_remembers_what_was_dropped_and_what_is_a_bound():
    parts = [rank([1, None], [2, 1], missing="drop"), rank([0, None, None], [1, 2, 3], missing="drop")]

    assert sum(parts).dropped == 3
    assert sum(parts).exact
    assert not (parts[0] + rank([1, 0], [1, 2]).coarsen(1).low).exact


def test_whole_weights_merged_with_others_are_kept_exactly():
    merged = rank([1, 0], [2, 1], [1, 3]) + rank([1, 0], [2, 1], [0.5, 0.25])

    assert merged.pos.tolist() == [1.5, 0]
    assert merged.neg2.tolist() == [0, 9 + 0.25**2]


def test_a_ranking_adds_to_rankings_only():
    with pytest.raises(TypeError):
        rank([1, 0], [1, 2]) + 1


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("higher", [False, True])
def test_the_whole_without_a_part_is_the_rest(is_weighted, higher):
    rng = np.random.default_rng(4)
    labels, scores, weights = rng.integers(0, 2, 300), rng.integers(0, 20, 300) / 10, rng.integers(1, 4, 300)
    parts = [
        rank(labels[some], scores[some], weights[some] if is_weighted else None, higher_is_positive=higher)
        for some in (slice(100), slice(100, 300))
    ]
    rest = subtract_ranking(merge(parts), parts[0])
    assert rest == parts[1]
    assert rest.pos.dtype == parts[1].pos.dtype
    assert (rest.pos2 is rest.pos) == (not is_weighted)


def test_sums_of_floats_do_not_subtract_exactly():
    parts = [rank([1, 0, 1], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), rank([1, 0], [0.1, 0.2], [0.1, 0.3])]
    assert subtract_ranking(merge(parts), parts[0]) is None
