"""Sums and extremes over the cells of a ranking; a long ranking is processed in blocks that fit the CPU cache.

Sums of smooth functions of the probabilities need still less: a stretch of a thousand cells with nearly equal scores is
as good as a few points that have the same sums of all polynomials up to a degree (`condense`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, Symbol, as_array
from cutline.core.caching import cached_column, cached_value
from cutline.core.counts import Counts, divide
from cutline.core.parallel import stop_if_unwanted
from cutline.core.ranking import BLOCK, Ranking

STRETCH = 1024  # cells that are condensed together
NODES = 8  # points that take their place
_NARROW = 0.04  # width of a stretch that is condensed, as a share of the distance of its scores from 0 and from 1


@dataclass(frozen=True, eq=False)
class Block(Ranking):
    """Consecutive cells of a ranking: columns are those of the cells, P, N and n those of the whole ranking."""

    of: Ranking | None = None
    above: tuple[int, int] = (0, 0)  # the positives and the negatives before the first cell
    first: int = 0  # the place of the first cell in the whole ranking

    @property
    def whole(self) -> Ranking:
        """The ranking that the cells belong to."""
        return self if self.of is None else self.of

    @cached_property
    def is_in_blocks(self) -> bool:
        """Return False: a block is not divided again."""
        return False

    @cached_property
    def positives(self) -> Any:
        """P, the number of all positives."""
        return self.whole.positives

    @cached_property
    def negatives(self) -> Any:
        """N, the number of all negatives."""
        return self.whole.negatives

    @cached_column
    def tp(self) -> Array:
        """Positives at or above each cut, from the one before the first cell on."""
        return _cumulate_block(self.above[0], self.pos)

    @cached_column
    def fp(self) -> Array:
        """Negatives at or above each cut, from the one before the first cell on."""
        return _cumulate_block(self.above[1], self.neg)

    @cached_column
    def tpr(self) -> Array:
        """Recall at each cut; NaN when there is no positive."""
        return as_array(divide(self.tp, self.positives))

    @cached_column
    def fpr(self) -> Array:
        """False positive rate at each cut; NaN when there is no negative."""
        return as_array(divide(self.fp, self.negatives))

    @cached_property
    def counts(self) -> Counts:
        """The contingency tables of the cuts."""
        tp, fp = self.tp, self.fp
        return Counts(tp, fp, self.positives - tp, self.negatives - fp)

    @cached_property
    def condensed(self) -> Block:
        """Points that replace the cells in sums of smooth functions."""
        score, pos, neg, *_ = self.points
        return Block(score, pos, neg, pos, neg, of=self.whole)

    @cached_property
    def points(self) -> Points:
        """These points, each with the cells that it replaces."""
        return condense(self)


def _cumulate_block(start: int, cells: Array) -> Array:
    totals = np.empty(len(cells) + 1, np.int64)
    totals[0] = start
    np.cumsum(cells, out=totals[1:])
    totals[1:] += start
    return totals


def split_into_blocks(ranking: Ranking) -> Iterator[Block]:
    """Yield the blocks of a ranking in their order."""
    for i, above in enumerate(zip(*ranking.totals_of_blocks, strict=True)):
        stop_if_unwanted()
        cells = slice(i * BLOCK, (i + 1) * BLOCK)
        score, pos, neg = ranking.score[cells], ranking.pos[cells], ranking.neg[cells]
        yield Block(score, pos, neg, pos, neg, ranking.higher_is_positive, of=ranking, above=above, first=cells.start)


class Points(NamedTuple):
    """Scores with the weight of the positives and of the negatives at each, in descending order.

    `start` has the cell with which each stretch of the ranking begins that `nodes` points stand for; `is_node` says
    which points these are. All other points are cells.
    """

    score: Array
    pos: Array
    neg: Array
    is_node: Array
    start: Array


def condense(block: Block) -> Points:
    """Replace each narrow stretch of cells by a few points with the same sums of polynomials below degree `NODES`.

    The points are Chebyshev's on the stretch, so that the sum of a smooth function over them is the sum of its
    interpolating polynomial over the cells: equal to the last digits, if the function has no singularity but at 0 and
    1 and no kink but at the prevalence, where the cells themselves stay.
    """
    key, pos, neg = block.key, *block.floats
    stretches = len(key) // STRETCH
    rows = (slice(0, stretches * STRETCH), (stretches, STRETCH))
    x = key[rows[0]].reshape(rows[1])
    narrow = np.flatnonzero(_is_narrow(block, x)) if stretches and key.dtype == block.score.dtype else np.zeros(0, int)
    if not len(narrow):
        return Points(block.score, pos, neg, np.zeros(len(key), dtype=bool), narrow)
    every = len(narrow) == stretches
    x = x if every else x[narrow]
    middle, half = (x[:, :1] + x[:, -1:]) / 2, (x[:, :1] - x[:, -1:]) / 2
    columns = [column[rows[0]].reshape(rows[1]) for column in (pos, neg)]
    weights = _node_weights((x - middle) / half, [column if every else column[narrow] for column in columns])
    score = (middle + half * _CHEBYSHEV).ravel()
    stays = np.ones(len(key), dtype=bool)
    stays[rows[0]].reshape(rows[1])[narrow] = False
    start = block.first + narrow * STRETCH
    is_node = np.ones(len(score), dtype=bool)
    if not stays.any():
        return Points(score, weights[0].ravel(), weights[1].ravel(), is_node, start)
    score = np.concatenate((score, key[stays]))
    order = np.argsort(-score, kind="stable")
    both = [np.concatenate((nodes.ravel(), cells[stays])) for nodes, cells in zip(weights, (pos, neg), strict=True)]
    is_node = np.concatenate((is_node, np.zeros(len(score) - len(is_node), dtype=bool)))
    return Points(score[order], both[0][order], both[1][order], is_node[order], start)


_CHEBYSHEV = np.cos(math.pi * (np.arange(NODES) + 0.5) / NODES)  # falling, as the scores do


def _is_narrow(block: Block, x: Array) -> Array:
    """Whether each stretch is so narrow that smooth functions are polynomials on it, and has no kink."""
    high, low = x[:, 0], x[:, -1]
    bound = float(np.finfo(float).eps)  # where logarithms are cut off
    kinks = (bound, 1 - bound, float(block.positives) / float(block.total))
    has_kink = np.any([(low <= kink) & (kink <= high) for kink in kinks], axis=0)
    return np.asarray((high - low <= _NARROW * np.minimum(low, 1 - high)) & (low > 0) & (high < 1) & ~has_kink)


def _node_weights(t: Array, columns: list[Array]) -> list[Array]:
    """Return the weight of each node of each stretch, for places from -1 to 1 with the weights of `columns`."""
    moments = np.empty((len(columns), len(t), NODES))
    before, now, twice = np.ones_like(t), t, 2 * t
    for j in range(NODES):
        for column, sums in zip(columns, moments, strict=True):
            sums[:, j] = np.einsum("ij,ij->i", column, before) if j else column.sum(-1)
        before, now = now, np.subtract(twice * now, before, out=before)
    series = 2 * np.cos(np.arange(NODES)[:, None] * np.arccos(_CHEBYSHEV)) / NODES
    series[0] /= 2
    return [np.einsum("ij,jk->ik", sums, series) for sums in moments]


Combine = np.ufunc | tuple[np.ufunc, ...] | Callable[[Any, Any], Any]


class CellReduction:
    """One or several totals over the cells of a ranking; `combine` merges the totals of blocks.

    `combine` is a numpy operation, one for each of several totals, or a function of the totals of two stretches.

    The definition is a function of a ranking and of hashable parameters. It may read the columns of cells and of cuts,
    P, N and n. A block also has the cut before its first cell: a sum over cuts leaves out the first. Results are cached
    on the ranking.

    `is_smooth` says of the parameters whether the totals are sums over cells of the weights times functions of the
    probability that are smooth enough for `condense`.
    """

    def __init__(
        self, definition: Callable[..., Any], combine: Combine, is_smooth: Callable[..., bool] | None = None
    ) -> None:
        self.definition, self.combine, self.is_smooth = definition, combine, is_smooth
        update_wrapper(self, definition)

    def __call__(self, ranking: Ranking, *parameters: Any) -> Any:
        """Return the value for a ranking, or for each of a stack."""
        if isinstance(ranking.pos, Symbol) or np.ndarray in map(type, parameters):  # which are no keys of a cache
            return self.definition(ranking, *parameters)
        if not ranking.is_in_blocks:
            return cached_value(ranking, (self, *parameters), self.definition, ranking, *parameters)
        return cached_value(ranking, (self, *parameters), lambda: _reduce_blocks(ranking, [(self, parameters)])[0])

    def share(self, *parameters: Any, of_probabilities: bool = False) -> None:
        """Register the parameters for `compute_together`; optionally only for probabilities."""
        _SHARED.append((self, parameters, of_probabilities))

    def of_block(self, block: Block, parameters: tuple[Any, ...]) -> Any:
        """Return the totals of a block."""
        is_smooth = self.is_smooth is not None and block.whole.are_probabilities and self.is_smooth(*parameters)
        return self.definition(block.condensed if is_smooth else block, *parameters)

    def join(self, first: Any, second: Any) -> Any:
        """Combine the totals of two stretches of cells."""
        if not isinstance(first, tuple) or not isinstance(self.combine, tuple | np.ufunc):
            return self.combine(first, second)  # type: ignore[operator]
        rules = self.combine if isinstance(self.combine, tuple) else (self.combine,) * len(first)
        return tuple(rule(a, b) for rule, a, b in zip(rules, first, second, strict=True))


_SHARED: list[tuple[CellReduction, tuple[Any, ...], bool]] = []


def reduce_over_cells(
    combine: Combine, is_smooth: Callable[..., bool] | None = None
) -> Callable[[Callable[..., Any]], CellReduction]:
    """Declare a function of the cells that is computed block by block: a sum with np.add, or an extreme."""
    return lambda definition: CellReduction(definition, combine, is_smooth)


def is_always_smooth(*_: Any, **__: Any) -> bool:
    """Return True: a sum of smooth functions with all parameters."""
    return True


def compute_together(ranking: Ranking) -> None:
    """Compute the sums that measures with default parameters share in one pass over the blocks of a long ranking.

    A block then computes its columns once for all of them.
    """
    if ranking.is_in_blocks:
        calls = [(function, rest) for function, rest, needed in _SHARED if ranking.are_probabilities or not needed]
        for (function, parameters), value in zip(calls, _reduce_blocks(ranking, calls), strict=True):
            cached_value(ranking, (function, *parameters), partial(_return_unchanged, value))


def _return_unchanged(value: Any) -> Any:
    return value


def _reduce_blocks(ranking: Ranking, calls: list[tuple[CellReduction, tuple[Any, ...]]]) -> list[Any]:
    values: list[Any] = []
    for block in split_into_blocks(ranking):
        here = [function.of_block(block, parameters) for function, parameters in calls]
        if values:
            here = [function.join(a, b) for (function, _), a, b in zip(calls, values, here, strict=True)]
        values = here
    return values


@reduce_over_cells(operator.add)
def condense_blocks(r: Ranking) -> list[Points]:
    """Return the condensed points of each block of a long ranking of probabilities."""
    return [r.points] if isinstance(r, Block) else []


condense_blocks.share(of_probabilities=True)


def condense_cells(ranking: Ranking) -> Points | None:
    """Return points that replace all cells in sums of smooth functions of the probabilities.

    None where there is nothing to gain: of a short ranking, or of scores that are no probabilities.
    """
    if not ranking.is_in_blocks or not ranking.are_probabilities:
        return None
    return cached_value(
        ranking, "condensed", lambda: Points(*map(np.concatenate, zip(*condense_blocks(ranking), strict=True)))
    )


def condense_ranking(ranking: Ranking) -> Ranking:
    """Return a shorter ranking with the same sums of smooth functions; a short ranking unchanged."""
    points = condense_cells(ranking)
    if points is None:
        return ranking
    return Block(points.score, points.pos, points.neg, points.pos, points.neg, of=ranking)
