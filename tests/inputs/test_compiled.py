"""The compiled part against numpy: the same cells to the bit, on scores that are hard to sort by their digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from cutline import rank
from cutline.inputs import in_memory

compiled = pytest.importorskip("cutline.inputs.compiled", reason="the compiled part was not built here")

rng = np.random.default_rng(11)
HARD = {
    "few": rng.random(24),
    "one more than few": rng.random(25),
    "all different": rng.random(5000),
    "all the same": np.full(300, 0.3),
    "two values": rng.integers(0, 2, 400) / 3,
    "near each other, and one far away": np.append(0.5 + rng.random(4000) * 1e-9, 1e300),
    "both signs and both zeros": np.concatenate((rng.normal(size=900), np.zeros(50), -np.zeros(50))),
    "neighbours": np.nextafter(1.0, np.arange(-2, 3)).repeat(40),
    "subnormal": rng.random(300) * 1e-310,
    "infinite": np.concatenate((rng.normal(size=60), [np.inf] * 3, [-np.inf] * 2)),
    "missing": np.where(rng.random(300) < 0.2, np.nan, rng.random(300)),
    "missing, with another sign": np.where(rng.random(90) < 0.2, -np.nan, rng.normal(size=90)),
    "in order": np.linspace(0, 1, 700),
    "many, in clusters": np.repeat(rng.random(40), 80) + rng.random(3200) * 1e-13,
}


def cells_with_and_without_compiled(scores, is_positive, *, descending, monkeypatch):
    """The bytes of the cells with the compiled part, and without."""
    with_it = in_memory.aggregate(scores, is_positive, None, descending=descending)
    with monkeypatch.context() as without:
        without.setattr(in_memory, "compiled", None)
        without.setattr(in_memory, "_SHORT", 0)  # whose sort leaves open in which order missing scores come
        plain = in_memory.aggregate(scores, is_positive, None, descending=descending)
    # What 0.0 and -0.0, or a NaN, look like inside is settled when the ranking is made.
    return [[cells[0] + 0.0, *cells[1:]] for cells in (with_it, plain)]


def assert_equal_to_the_bit(one, other):
    for mine, theirs in zip(one, other, strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")


@pytest.mark.parametrize("width", [np.float64, np.float32])
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("kind", HARD)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_the_cells_are_those_of_numpy_to_the_bit(kind, descending, width, monkeypatch):
    scores = HARD[kind].astype(width)
    for share in (0.0, 0.3, 1.0):
        is_positive = np.random.default_rng(5).random(len(scores)) < share
        assert_equal_to_the_bit(
            *cells_with_and_without_compiled(scores, is_positive, descending=descending, monkeypatch=monkeypatch)
        )


@settings(max_examples=150, deadline=None)
@given(data=st.data(), width=st.sampled_from((32, 64)), descending=st.booleans())
def test_any_floats_give_the_cells_of_numpy(data, width, descending):
    floats = st.floats(width=width)
    scores = data.draw(npst.arrays(f"f{width // 8}", st.integers(1, 60), elements=floats))
    is_positive = data.draw(npst.arrays(bool, len(scores)))
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert_equal_to_the_bit(
            *cells_with_and_without_compiled(scores, is_positive, descending=descending, monkeypatch=monkeypatch)
        )


def test_columns_that_are_not_one_block_of_memory_are_ranked_alike(monkeypatch):
    scores, labels = rng.random((300, 3)), rng.random((300, 2)) < 0.5
    apart = rank(labels[:, 1], scores[:, 1])

    assert apart == rank(labels[:, 1].copy(), scores[:, 1].copy())
    assert apart == rank(labels[:, 1], scores[:, 1].astype(">f8"))  # which it leaves to numpy
    monkeypatch.setattr(in_memory, "compiled", None)
    assert apart == rank(labels[:, 1], scores[:, 1])


def test_a_ranking_with_ties_keeps_no_memory_for_each_case():
    ranking = rank(rng.random(4000) < 0.5, rng.integers(0, 5, 4000).astype(float))

    for column in (ranking.score, ranking.pos, ranking.neg):
        assert column.base is None or column.base.nbytes == column.nbytes
        assert len(column) == 5


def test_arrays_that_do_not_belong_together_are_refused():
    scores, labels, keys = np.zeros(4), np.zeros(4, bool), np.zeros(4, np.uint64)

    with pytest.raises(ValueError, match="belong together"):
        compiled.split(scores, labels[:3], True, keys)
    with pytest.raises(ValueError, match="belong together"):
        compiled.split(scores, labels, True, keys[:3])
    with pytest.raises(ValueError, match="belong together"):
        compiled.sort(keys, keys[:2].copy(), 64)
    with pytest.raises(ValueError, match="belong together"):
        compiled.sort(keys, keys.copy(), 16)
    counts = np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="belong together"):
        compiled.count(scores, labels[:3], 1, 0.0, counts)
    with pytest.raises(ValueError, match="belong together"):
        compiled.count(scores, labels, 1, 0.0, counts[:3])
    with pytest.raises(ValueError, match="belong together"):
        compiled.merge(keys, 5, scores, counts, counts.copy())
    with pytest.raises(ValueError, match="belong together"):
        compiled.merge(keys, 2, scores, counts, counts[:3].copy())
