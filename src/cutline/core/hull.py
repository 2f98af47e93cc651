"""The convex hull of the ROC curve, of all rankings of a stack at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array

LONG = 1_000_000  # cells, from which on the first pass is made in blocks
_BLOCK = 1 << 17
_PASSES = 4


class Hulls(NamedTuple):
    """Cuts on the hulls of all rankings of a stack, concatenated, and the row of each cut."""

    row: Array
    cut: Array

    @property
    def is_followed(self) -> Array:
        """Whether each corner but the very last is followed by a corner of the same row."""
        return np.asarray(self.row[1:] == self.row[:-1])


def find_hulls(pos: Array, neg: Array) -> Hulls:
    """Return the cuts on the hull of each row of a stack, with its two trivial ones; empty cells are skipped."""
    from scipy.optimize import isotonic_regression

    row, cut, is_end = _list_candidates_in_blocks(pos, neg) or _list_candidates(pos, neg)
    mine, theirs = sum_between_cuts(pos, row, cut), sum_between_cuts(neg, row, cut)
    for _ in range(_PASSES):
        # A cut that is not above the line between its neighbours is not on the hull: fewer are left to pool.
        stays = is_end.copy()
        stays[1:-1] |= mine[1:-1] * theirs[2:] > mine[2:] * theirs[1:-1]
        places = np.flatnonzero(stays)
        row, cut, is_end = row[places], cut[places], is_end[places]
        starts = np.append(0, places[:-1] + 1)
        mine, theirs = np.add.reduceat(mine, starts), np.add.reduceat(theirs, starts)
    leads = np.flatnonzero(np.diff(row, prepend=-1) == 0)  # the corners that end a segment
    size = (mine + theirs)[leads]
    share = np.divide(mine[leads], size, out=np.zeros(len(leads)), where=size > 0)
    # Pooling adjacent violators on the share of positives is the upper hull of the cumulated counts. Shares that are
    # lower by 2 in each row than in the one before keep the rows apart.
    weights = np.where(size > 0, size, 1.0)
    pooled = isotonic_regression(share - 2.0 * row[leads], weights=weights, increasing=False)
    is_corner = np.diff(row, prepend=-1) > 0
    is_corner[leads[pooled.blocks[1:] - 1]] = True
    corners = np.flatnonzero(is_corner)
    return Hulls(row[corners], cut[corners])


def sum_between_cuts(cells: Array, row: Array, cut: Array) -> Array:
    """Return the sum of the cells between each cut and the one before it in its row; 0 for the first of a row."""
    sums = np.zeros(len(cut))
    if len(cells) == 1:  # a long row of its own: no columns but the sums
        if len(cut) > 1:
            sums[1:] = np.add.reduceat(cells[0], cut[:-1])
        return sums
    leads = np.flatnonzero(row[1:] == row[:-1])  # the cuts that another one of the row follows
    starts = row[leads] * cells.shape[-1] + cut[leads]
    sums[leads + 1] = np.add.reduceat(cells.ravel(), starts) if len(leads) else 0.0
    return sums


def _list_candidates(pos: Array, neg: Array) -> tuple[Array, Array, Array]:
    """Return row and cut of the points that may be on a hull, and whether each is an end of its row."""
    rows, length = pos.shape
    is_there = np.ones((rows, length + 1), dtype=bool)
    np.greater(pos + neg, 0, out=is_there[:, 1:])
    is_there[~is_there[:, 1:].any(-1), -1] = True  # as when the only case is left out
    row, cut = np.nonzero(is_there)
    ends = np.flatnonzero(np.diff(row, append=rows))
    is_end = np.zeros(len(row), dtype=bool)
    is_end[ends] = is_end[np.append(0, ends[:-1] + 1)] = True
    return row, cut, is_end


def _list_candidates_in_blocks(pos: Array, neg: Array) -> tuple[Array, Array, Array] | None:
    """Return the candidates of one long row after a first pass in blocks: whole columns take too much memory.

    None where there are several rows, or a short one, or cells without a case, which are no cuts.
    """
    rows, length = pos.shape
    if rows > 1 or length < LONG:
        return None
    stays = np.zeros(length + 1, dtype=bool)
    stays[[0, -1]] = True
    for start in range(0, length, _BLOCK):
        mine, theirs = (column[0, start : start + _BLOCK + 1].astype(float) for column in (pos, neg))
        if not (mine + theirs).all():
            return None
        stays[start + 1 : start + len(mine)] = mine[:-1] * theirs[1:] > mine[1:] * theirs[:-1]
    cut = np.flatnonzero(stays)
    is_end = np.zeros(len(cut), dtype=bool)
    is_end[[0, -1]] = True
    return np.broadcast_to(np.intp(0), cut.shape), cut, is_end
