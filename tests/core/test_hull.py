"""The cuts on the convex hull, and the windows of the loess, against what a search over all of them finds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cutline import rank
from cutline.core import hull, loess
from cutline.core.array_ops import cumulate
from cutline.core.hull import find_hulls
from grouping import each_case


def stack_of(seed, rows=7):
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 14))
    pos, neg = rng.integers(0, 4, (2, rows, length))
    pos[0] = neg[0] = 0  # a resample without a case
    pos[1, length // 2 :] = neg[1, length // 2 :] = 0
    return pos, neg


def is_above_every_line(x, y, i):
    """Whether no line between two other corners passes above, or through, the corner."""
    others = [j for j in range(len(x)) if (x[j], y[j]) != (x[i], y[i])]
    for a in (j for j in others if x[j] <= x[i] and y[j] <= y[i]):
        for b in (j for j in others if x[j] >= x[i] and y[j] >= y[i]):
            if (x[i] - x[a]) * (y[b] - y[a]) >= (y[i] - y[a]) * (x[b] - x[a]):
                return False
    return True


@each_case("seed", range(40))
def test_the_hulls_of_a_stack_are_the_corners_that_no_line_between_two_others_passes(seed):
    pos, neg = stack_of(seed)
    tp, fp = cumulate(pos), cumulate(neg)
    found = find_hulls(pos, neg)
    for row in range(len(pos)):
        cuts = found.cut[found.row == row]
        corners = {(int(fp[row, cut]), int(tp[row, cut])) for cut in cuts}
        points = sorted({(int(x), int(y)) for x, y in zip(fp[row], tp[row], strict=True)})
        x, y = zip(*points, strict=True)
        ends = {points[0], points[-1]}
        assert corners == ends | {points[i] for i in range(len(points)) if is_above_every_line(x, y, i)}
        assert all(a < b for a, b in pairwise(cuts.tolist()))


@each_case("seed", range(20))
def test_a_row_has_the_same_hull_in_a_stack_and_alone(seed):
    pos, neg = stack_of(seed)
    together = find_hulls(pos, neg)
    for row in range(len(pos)):
        part = slice(row, row + 1)
        alone = find_hulls(pos[part], neg[part])
        assert alone.cut.tolist() == together.cut[together.row == row].tolist()


@each_case("seed", range(20))
def test_a_window_reaches_to_the_case_that_is_as_near_as_asked_for(seed):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice(np.round(rng.random(40), 3), size=int(rng.integers(4, 30)), replace=False))
    x = np.unique(x)
    weight = rng.integers(0, 3, (5, len(x))).astype(float)
    weight[:, 0] = 1
    ends, at = weight.cumsum(-1), np.sort(rng.uniform(-0.1, 1.1, (5, 6)), axis=-1)
    near = np.maximum(np.floor(0.75 * ends[:, -1]), 1)
    radii = loess._find_radii(x, ends, at, near)
    for row in range(5):
        for place, radius in zip(at[row], radii[row], strict=True):
            distances = np.sort(np.repeat(np.abs(x - place), weight[row].astype(int)))
            assert radius == pytest.approx(distances[int(near[row]) - 1], abs=1e-15)


@pytest.mark.parametrize("block", [1, 2, 7, 1000])
@pytest.mark.parametrize("tied", [False, True])
def test_the_hull_of_a_long_ranking_is_found_in_blocks(monkeypatch, block, tied):
    rng = np.random.default_rng(block)
    labels = rng.random(500) < 0.4
    scores = rng.normal(labels, 1.0)
    r = rank(labels, np.round(scores, 1) if tied else scores)
    expected = r.hulls.cut.tolist()

    monkeypatch.setattr(hull, "LONG", 10)
    monkeypatch.setattr(hull, "_BLOCK", block)
    found = find_hulls(*(column.reshape(1, -1) for column in (r.pos, r.neg)))
    assert found.cut.tolist() == expected
    assert len(expected) > 5


def test_cells_without_a_case_are_no_cuts_of_a_long_ranking(monkeypatch):
    pos, neg = np.array([[2, 0, 1, 0, 0, 1]]), np.array([[0, 0, 1, 0, 2, 0]])
    expected = find_hulls(pos, neg)

    monkeypatch.setattr(hull, "LONG", 1)
    assert find_hulls(pos, neg).cut.tolist() == expected.cut.tolist()
