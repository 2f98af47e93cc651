"""How often rows, and cells of rows, are in a resample: the same with the compiled part and without."""

import numpy as np
import pytest

from cutline.inference.resampling.samplers import RowsByCell, draw_times
from cutline.inputs import in_memory

needs_compiled = pytest.mark.skipif(in_memory.compiled is None, reason="the compiled part was not built here")
SIZES = {
    "of one row each": np.ones(9000, int),
    "small": np.random.default_rng(0).integers(1, 8, 3000),
    "one large": np.array([1, 20_000, 3]),
    "one": np.array([9000]),
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_the_counts_of_cells_are_sums_of_those_of_their_rows(sizes):
    n, cells = int(sizes.sum()), RowsByCell.of(sizes)
    of_rows = draw_times(np.random.default_rng(5), n)
    of_cells = draw_times(np.random.default_rng(5), n, cells)

    assert of_cells.tolist() == np.bincount(cells.cell, of_rows).astype(int).tolist()
    assert of_cells.sum() == n


@needs_compiled
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_the_compiled_part_draws_what_numpy_draws(sizes, monkeypatch):
    n, cells = int(sizes.sum()), RowsByCell.of(sizes)
    with_it = [draw_times(np.random.default_rng(seed), n, cells) for seed in range(20)]
    monkeypatch.setattr(in_memory, "compiled", None)
    without = [draw_times(np.random.default_rng(seed), n, cells) for seed in range(20)]

    assert np.array_equal(with_it, without)
    assert with_it[0].dtype == without[0].dtype


@needs_compiled
def test_arrays_that_do_not_belong_together_are_refused():
    part, count_of = np.zeros(10, np.uint16), np.zeros(2**16, np.int8)
    starts, sums, rows = np.array([0, 4]), np.zeros(2, np.int64), np.zeros(10, np.int64)

    assert in_memory.compiled.draw(part, count_of, starts, sums, rows) == 0
    for wrong in (
        (part, count_of[:9], starts, sums, rows),
        (part, count_of, starts, sums[:1], rows),
        (part, count_of, starts, sums, rows[:9]),
        (part, count_of, np.array([0, 11]), sums, rows),
        (part, count_of, np.array([4, 4]), sums, rows),
        (part, count_of, np.array([-1, 4]), sums, rows),
    ):
        with pytest.raises(ValueError, match="belong together"):
            in_memory.compiled.draw(*wrong)
