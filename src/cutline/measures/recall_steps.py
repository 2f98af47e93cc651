"""Where the recall of a ranking grows: the cells that hold positives, of one ranking or of a whole stack."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Array, Ranking, dot


class RecallSteps(NamedTuple):
    """The cells at which the recall grows, of all rankings of a stack one after the other.

    `cell` is where they are in the columns of the stack read row by row, `row` which ranking they belong to,
    `length` how many scores it has, and `first` the steps with which a ranking begins.
    """

    cell: Array
    row: Array
    length: int
    first: Array

    @classmethod
    def of(cls, r: Ranking) -> RecallSteps:
        """The steps of a ranking or of a stack."""
        cell, length = np.flatnonzero(r.pos), len(r)
        if r.pos.ndim == 1:  # a single row costs no memory
            return cls(cell, np.broadcast_to(np.intp(0), cell.shape), length, np.arange(min(len(cell), 1)))
        row = cell // length
        return cls(cell, row, length, np.flatnonzero(np.diff(row, prepend=-1)))

    @property
    def cut(self) -> Array:
        """The cut before each step, in the cuts of the stack read row by row: they are one more than the scores."""
        return np.asarray(self.cell + self.row)

    @property
    def highest(self) -> Array:
        """The cut after each step: of all with that recall, the one with the highest precision."""
        return self.cut + 1

    @property
    def lowest(self) -> Array:
        """The cut before the next step, or the last one of the ranking: the one with the lowest precision."""
        found = np.append(self.cut[1:], 0)[: len(self.cell)]
        last = np.append(self.first[1:], len(found))[: len(self.first)] - 1
        found[last] = (self.row[last] + 1) * (self.length + 1) - 1
        return found

    def before(self, values: Array) -> Array:
        """Of a value at the end of each step, that at its beginning, which is 0 for the first."""
        found = np.append(0, values[:-1]).astype(values.dtype)[: len(values)]
        found[self.first] = 0
        return found

    def dot(self, a: Array, b: Array, r: Ranking) -> Any:
        """The sum of the products over the steps of each ranking."""
        if r.pos.ndim == 1:
            return dot(a, b)
        bounds = np.searchsorted(self.row, np.arange(r.pos.size // self.length + 1))
        sums = [dot(a[i:j], b[i:j]) for i, j in pairwise(bounds.tolist())]  # each in the order it has alone
        return np.reshape(sums, r.pos.shape[:-1])


def first_line(r: Ranking, *, start: float = 0.0) -> float:
    """What the straight line from the start of a curve to its first positives takes from the area: half its rise.

    A higher score that only rare positives have would leave next to nothing of it, and samples may lack such a score.
    """
    first = int(np.argmax(r.pos > 0))
    return float(r.tpr[first + 1]) * (float(r.precision[first + 1]) - start) / 2


def first_and_last_line(r: Ranking) -> float:
    """What the first line of a curve takes, and the last one if it goes down to the prevalence."""
    last = len(r) - 1 - int(np.argmax(r.pos[::-1] > 0))
    fall = float(r.precision[last + 1]) - float(r.positives / r.total)
    return first_line(r) + float(r.pos[last] / r.positives) * max(fall, 0.0) / 2
