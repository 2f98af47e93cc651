"""Short columns are ranked in fewer steps than long ones: the ranking is the same to the bit."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline.inputs import in_memory

SCORES = st.one_of(
    st.integers(-3, 3).map(float), st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 0.1 + 0.2, 0.3])
)


@given(st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=40), st.booleans())
def test_a_short_column_has_the_ranking_of_a_long_one(cases, higher):
    labels, scores = (np.array(column) for column in zip(*cases, strict=True))
    found = cl.rank(labels, scores, higher_is_positive=higher)
    with mock.patch.object(in_memory, "_SHORT", 0):
        expected = cl.rank(labels, scores, higher_is_positive=higher)
    for name in ("score", "pos", "neg", "pos2", "neg2"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes(), name


def test_the_callers_scores_are_left_alone():
    scores = np.array([0.3, -0.0, 0.1])
    kept = scores.tobytes()
    for higher in (True, False):
        cl.rank([1, 0, 1], scores, higher_is_positive=higher)
    assert scores.tobytes() == kept


@pytest.mark.parametrize("n", [10, in_memory._SHORT + 1])
def test_a_missing_score_is_refused_with_its_row_however_long_the_column(n):
    scores = np.linspace(0, 1, n)
    scores[7] = np.nan
    with pytest.raises(cl.InputError, match="7"):
        cl.rank(np.arange(n) % 2, scores)
