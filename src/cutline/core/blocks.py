"""Sums and extremes over the cells of a ranking: of a long one in blocks, whose columns stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial, update_wrapper
from typing import Any

import numpy as np

from cutline.core.array_ops import Array, as_array, is_symbol
from cutline.core.caching import cached_column, cached_value
from cutline.core.counts import Counts, divide
from cutline.core.parallel import stop_if_unwanted
from cutline.core.ranking import BLOCK, Ranking


@dataclass(frozen=True, eq=False)
class Block(Ranking):
    """Consecutive cells of a ranking: columns are those of the cells, P, N and n those of the whole ranking."""

    of: Ranking | None = None
    above: tuple[int, int] = (0, 0)  # the positives and the negatives before the first cell

    @property
    def whole(self) -> Ranking:
        """The ranking that the cells belong to."""
        return self if self.of is None else self.of

    @cached_property
    def is_in_blocks(self) -> bool:
        """It is one itself."""
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
        return _cumulate_from(self.above[0], self.pos)

    @cached_column
    def fp(self) -> Array:
        """Negatives at or above each cut, from the one before the first cell on."""
        return _cumulate_from(self.above[1], self.neg)

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


def _cumulate_from(start: int, cells: Array) -> Array:
    totals = np.empty(len(cells) + 1, np.int64)
    totals[0] = start
    np.cumsum(cells, out=totals[1:])
    totals[1:] += start
    return totals


def blocks_of(ranking: Ranking) -> Iterator[Block]:
    """Yield the blocks of a ranking in their order."""
    for i, above in enumerate(zip(*ranking.totals_of_blocks, strict=True)):
        stop_if_unwanted()
        cells = slice(i * BLOCK, (i + 1) * BLOCK)
        score, pos, neg = ranking.score[cells], ranking.pos[cells], ranking.neg[cells]
        yield Block(score, pos, neg, pos, neg, ranking.higher_is_positive, of=ranking, above=above)


Combine = np.ufunc | tuple[np.ufunc, ...] | Callable[[Any, Any], Any]


class OverCells:
    """One or several totals over the cells of a ranking; `combine` merges the totals of blocks.

    `combine` is a numpy operation, one for each of several totals, or a function of the totals of two stretches.

    The definition is a function of a ranking and of hashable parameters. It may read the columns of cells and of cuts,
    P, N and n. A block also has the cut before its first cell: a sum over cuts leaves out the first. Results are cached
    on the ranking.
    """

    def __init__(self, definition: Callable[..., Any], combine: Combine) -> None:
        self.definition, self.combine = definition, combine
        update_wrapper(self, definition)

    def __call__(self, ranking: Ranking, *parameters: Any) -> Any:
        """Return the value for a ranking, or for each of a stack."""
        if is_symbol(ranking.pos) or np.ndarray in map(type, parameters):  # which are no keys of a cache
            return self.definition(ranking, *parameters)
        return cached_value(ranking, (self, *parameters), lambda: self._compute(ranking, parameters))

    def _compute(self, ranking: Ranking, parameters: tuple[Any, ...]) -> Any:
        if not ranking.is_in_blocks:
            return self.definition(ranking, *parameters)
        return _walk(ranking, [(self, parameters)])[0]

    def share(self, *parameters: Any, of_probabilities: bool = False) -> None:
        """Register the parameters for `compute_together`; optionally only for probabilities."""
        _SHARED.append((self, parameters, of_probabilities))

    def join(self, one: Any, other: Any) -> Any:
        """Combine what two stretches of cells give."""
        if not isinstance(one, tuple) or not isinstance(self.combine, tuple | np.ufunc):
            return self.combine(one, other)  # type: ignore[operator]
        rules = self.combine if isinstance(self.combine, tuple) else (self.combine,) * len(one)
        return tuple(rule(a, b) for rule, a, b in zip(rules, one, other, strict=True))


_SHARED: list[tuple[OverCells, tuple[Any, ...], bool]] = []


def over_cells(combine: Combine) -> Callable[[Callable[..., Any]], OverCells]:
    """Declare a function of the cells that is computed block by block: a sum with np.add, or an extreme."""
    return lambda definition: OverCells(definition, combine)


def compute_together(ranking: Ranking) -> None:
    """Compute what measures with their default parameters need of a long ranking in one pass over its blocks.

    A block then computes its columns once for all of them.
    """
    if ranking.is_in_blocks:
        calls = [(function, rest) for function, rest, needed in _SHARED if ranking.are_probabilities or not needed]
        for (function, parameters), value in zip(calls, _walk(ranking, calls), strict=True):
            cached_value(ranking, (function, *parameters), partial(_same, value))


def _same(value: Any) -> Any:
    return value


def _walk(ranking: Ranking, calls: list[tuple[OverCells, tuple[Any, ...]]]) -> list[Any]:
    values: list[Any] = []
    for block in blocks_of(ranking):
        here = [function.definition(block, *parameters) for function, parameters in calls]
        if values:
            here = [function.join(a, b) for (function, _), a, b in zip(calls, values, here, strict=True)]
        values = here
    return values
