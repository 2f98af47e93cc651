"""Rank arrays in memory: sort each class by itself, then merge the two sorted runs.

`rank_cases` is for columns that were read and checked once, by `rank` or by ourselves.

numpy's vectorised sort of values is several times faster than an argsort, and a stable sort of two sorted runs is a
linear merge. No row order survives, and none is needed. Where `compiled.c` was built, it does the same for unweighted
cases by distributing instead of comparing: the same cells to the bit, three to five times as fast. Many cases with
few distinct scores on a grid (integers, percents, thousandths) need no sort: the cases at each step are counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, keep_freed_memory
from cutline.core.errors import ParameterError, shorten_repr
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking

MANY = 200_000  # cases, from which on it is worth looking for a grid
_STEPS = (1, 10, 100, 1000, 10_000, 256)  # to a unit: points, tenths, percents, thousandths, bytes
_MOST = 2**16  # steps from the lowest score to the highest
_LOOK = 500  # scores that tell whether it is worth trying
_ROUNDED = {2: 0, 4: 2**22, 8: 2**51}  # steps, by bytes of a score, below which the compiled part rounds as numpy does
_COUNTED_AT_ONCE = 2**15  # cases that are worked on at once: they stay in the cache


def count_on_grid(scores: Array, is_positive: Array, compiled: Any = None) -> tuple[Array, Array, Array] | None:
    """Return the distinct scores in ascending order with the positives and the negatives at each; None if they have no
    grid.

    Args:
        scores: The scores as floats; NaN is on no grid.
        is_positive: A boolean for each case.
        compiled: The module that counts the scores of its type, if it is there; numpy counts otherwise.
    """
    n, half = len(scores), len(scores) // 2 + 1
    steps = None if n < MANY else _find_grid(scores[:: n // _LOOK])
    if steps is None:
        return None
    starts = (0, half)
    ends = map_parallel(lambda start: _find_range(scores[start : start + half]), starts, n)
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if not (high - low) * steps < _MOST or abs(low) * steps > 2**53:  # NaN and infinities too
        return None
    first = float(np.rint(low * steps))
    cells = 2 * round((high - low) * steps + 1)

    if max(abs(low), abs(high)) * steps >= _ROUNDED[scores.dtype.itemsize]:
        compiled = None

    def count(start: int) -> Array | None:
        """Return how often each step occurs in one half, of the negatives and of the positives in turn."""
        mine, labels = scores[start : start + half], is_positive[start : start + half]
        totals = np.zeros(cells, dtype=np.int64)
        if compiled is None:
            return _count_steps(mine, labels, steps, first, totals)
        columns = np.ascontiguousarray(mine), np.ascontiguousarray(labels)
        return totals if compiled.count(*columns, steps, first, totals) else None

    halves = [part for part in map_parallel(count, starts, n) if part is not None]
    if len(halves) < len(starts):
        return None
    neg, pos = np.add(*halves).reshape(-1, 2).T
    there = np.flatnonzero(neg + pos)
    return (first + there).astype(scores.dtype) / steps, pos[there], neg[there]


def _count_steps(scores: Array, is_positive: Array, steps: int, first: float, totals: Array) -> Array | None:
    """Add the number of times that each step occurs to `totals`, with numpy; None if a score lies between two steps."""
    for at in range(0, len(scores), _COUNTED_AT_ONCE):
        part = slice(at, at + _COUNTED_AT_ONCE)
        step = _number_steps(scores[part], steps)
        if step is None:
            return None
        step -= first
        cell = step.astype(np.intp)
        cell += cell
        cell += is_positive[part]
        totals += np.bincount(cell, minlength=len(totals))
    return totals


def _find_grid(sample: Array) -> int | None:
    """Return the number of steps per unit of the grid that a sample of scores lies on; None without a grid."""
    return next((steps for steps in _STEPS if _number_steps(sample, steps) is not None), None)


def _number_steps(scores: Array, steps: int) -> Array | None:
    """Return each score as a number of steps; None if a score lies between two steps."""
    with np.errstate(all="ignore"):
        step = np.rint(scores * steps)
        return step if np.array_equal(step / steps, scores) else None


def _find_range(scores: Array) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())


try:
    from cutline.inputs import compiled as compiled  # which multinomial.py uses too
except ImportError:  # not built here
    compiled = None  # type: ignore[assignment]
if not hasattr(compiled, "draw"):  # built from an older source
    compiled = None  # type: ignore[assignment]


_COMPILED = (np.dtype(np.float64), np.dtype(np.float32))
_LONG = 2**22  # cases beyond which memory that is asked for anew, in large pages, costs less than what was kept
_SHORT = 4096  # cases up to which the number of steps costs more than their length
# The merge goes by pieces of about this many cells, so that its scratch space stays in the cache and the peak low.
_PIECE = 65_536


class ScoreCells(NamedTuple):
    """The columns of a ranking: keys ascending (the most positive first), and the weights at each."""

    key: Array
    pos: Array
    neg: Array
    pos2: Array
    neg2: Array


class _Run(NamedTuple):
    """One class: its distinct keys ascending, with the weight and the squared weight at each (None: one case each)."""

    key: Array
    weight: Array | None
    square: Array | None


def rank_cases(
    is_positive: Array,
    scores: Array,
    weights: Array | None = None,
    *,
    times: Array | None = None,
    higher_is_positive: bool = True,
    positive: Any = 1,
    negative: Any = None,
    dropped: int = 0,
) -> Ranking:
    """Rank valid cases; nothing is checked, and NaN scores come last.

    Args:
        is_positive: A boolean for each case.
        scores: A number for each case.
        weights: A positive number for each case, whole numbers as integers; None when each counts one.
        times: How many equal cases of weight one each row stands for, in place of weights.
        higher_is_positive: Whether high scores mean positive.
        positive: The label of the positive class.
        negative: The label of the other class, where it is known.
        dropped: How many cases were left out for a missing value.

    >>> rank_cases(np.array([True, False]), np.array([0.9, 0.2])).pos.tolist()
    [1, 0]
    """
    if not isinstance(higher_is_positive, bool | np.bool_):
        raise ParameterError(
            f"is {shorten_repr(higher_is_positive)}", "pass True or False", argument="higher_is_positive"
        )
    cells = aggregate(scores, is_positive, weights if times is None else times, descending=higher_is_positive)
    if times is not None:
        cells = cells._replace(pos2=cells.pos, neg2=cells.neg)  # cases of weight one
    # The scores 0.0 and -0.0 are one, which of them came first does not matter: both become 0.0.
    (np.subtract if higher_is_positive else np.add)(0.0, cells.key, out=cells.key)
    names: dict[str, Any] = {"positive": positive, "negative": negative}
    ranking = Ranking(*cells, higher_is_positive=higher_is_positive, dropped=dropped, **names)
    if weights is None and times is None:  # then both sums are known, and need not be made
        positives = np.count_nonzero(is_positive)
        ranking.__dict__.update(positives=np.int64(positives), negatives=np.int64(len(scores) - positives))
    return ranking


def aggregate(scores: Array, is_positive: Array, weights: Array | None, *, descending: bool) -> ScoreCells:
    """Return the cells of a ranking. `is_positive` is boolean, `weights` are positive numbers; nothing is checked.

    The keys are the scores, negated when `descending`, so that ascending keys run from the most positive on. NaN scores
    come last in their class, and last of all.
    """
    n = len(scores)
    can_compile = compiled is not None and weights is None and scores.dtype in _COMPILED
    if n <= _SHORT and weights is None:
        return (_count_compiled if can_compile else _sort_together)(scores, is_positive, descending)
    if n <= _LONG:
        keep_freed_memory()
    by = compiled if can_compile else None
    on_grid = count_on_grid(scores, is_positive, by) if weights is None else None
    if on_grid is not None:
        return _make_cells(*on_grid, descending)
    if can_compile:
        return _count_compiled(scores, is_positive, descending)
    pos, neg = map_parallel(lambda mine: _make_run(scores, mine, weights, descending), (is_positive, ~is_positive), n)
    return _merge(pos, neg, n)


def _make_cells(score: Array, pos: Array, neg: Array, descending: bool) -> ScoreCells:
    """Return the cells of ascending scores."""
    way = slice(None, None, -1 if descending else 1)
    pos, neg = pos[way].copy(), neg[way].copy()
    return ScoreCells(-score[way] if descending else score, pos, neg, pos, neg)


def _count_compiled(scores: Array, is_positive: Array, descending: bool) -> ScoreCells:
    """Return the cells of unweighted cases, computed by the compiled module."""
    n = len(scores)
    keys, spare, positives = _sort_classes(scores, is_positive, descending)
    key, pos, neg = spare.view(scores.dtype), np.empty(n, np.int64), np.empty(n, np.int64)
    count = compiled.merge(keys, positives, key, pos, neg)
    if count < n:  # and let go of the rest
        key, pos, neg = key[:count].copy(), pos[:count].copy(), neg[:count].copy()
    return ScoreCells(key, pos, neg, pos, neg)


def _sort_classes(scores: Array, is_positive: Array, descending: bool) -> tuple[Array, Array, int]:
    """Return the scores as integers of the same order, the positives sorted, then the negatives; scratch; the
    positives.
    """
    kind = f"u{scores.itemsize}"
    keys, spare = np.empty(len(scores), kind), np.empty(len(scores), kind)
    positives = compiled.split(np.ascontiguousarray(scores), np.ascontiguousarray(is_positive), descending, keys)
    classes = ((keys[:positives], spare[:positives]), (keys[positives:], spare[positives:]))
    map_parallel(lambda run: compiled.sort(*run, 8 * scores.itemsize), classes, len(scores))
    return keys, spare, positives


def _sort_together(scores: Array, is_positive: Array, descending: bool) -> ScoreCells:
    """Return the cells of a short column of unweighted cases, with both classes sorted together."""
    key = np.negative(scores) if descending else scores
    order = key.argsort()
    key = key.take(order)
    pos = is_positive.take(order).astype(np.int64)
    is_new = key[1:] != key[:-1]
    if np.count_nonzero(is_new) == len(is_new):
        neg = 1 - pos
    else:
        starts = np.concatenate(([0], is_new.nonzero()[0] + 1))
        key, pos = key.take(starts), np.add.reduceat(pos, starts)
        neg = np.diff(starts, append=len(scores)) - pos
    return ScoreCells(key, pos, neg, pos, neg)


def _make_run(scores: Array, mine: Array, weights: Array | None, descending: bool) -> _Run:
    """Sort one class and add up the cases of one score."""
    key = np.compress(mine, scores)  # several times faster than scores[mine]
    if descending:
        np.negative(key, out=key)
    if weights is None:
        # numpy's own choice for 16 bits puts many negative numbers in a wrong order on processors with AVX-512.
        key.sort(kind="stable" if key.dtype == np.float16 else None)
        starts = _find_starts(key)
        if starts is None:
            return _Run(key, None, None)
        count = np.empty_like(starts)
        np.subtract(starts[1:], starts[:-1], out=count[:-1])
        count[-1] = len(key) - starts[-1]
        return _Run(key[starts], count, count)
    weight = np.compress(mine, weights)
    order = np.argsort(key)
    starts = _find_starts(key[order])
    if starts is not None and weight.dtype.kind == "f":
        # Floats added in another order may differ in the last bit; in the order of the weights they cannot.
        order = np.lexsort((weight, key))
    key, weight = key[order], weight[order]
    square = np.square(weight, dtype=float)
    if weight.dtype.kind != "f" and square.sum() < 2**62:  # whole squares stay exact where they fit
        square = square.astype(np.int64) if weight.max(initial=0) < 2**26 else weight * weight
    if starts is None:
        return _Run(key, weight, square)
    return _Run(key[starts], np.add.reduceat(weight, starts), np.add.reduceat(square, starts))


def _find_starts(key: Array) -> Array | None:
    """Return where each distinct value of a sorted array starts; None when all are distinct."""
    is_new = np.empty(len(key), dtype=bool)
    is_new[:1] = True
    np.not_equal(key[1:], key[:-1], out=is_new[1:])
    return None if is_new.all() else is_new.nonzero()[0]


def _merge(pos: _Run, neg: _Run, rows: int) -> ScoreCells:
    """Merge both runs, a score of both classes in one cell."""
    size = len(pos.key) + len(neg.key)
    key = np.empty(size, pos.key.dtype)
    # Per column: whether it is of the positives, what the class's run says (None: one case each), and where it goes.
    sources = [(True, pos.weight), (False, neg.weight)]
    if pos.square is not pos.weight or neg.square is not neg.weight:
        sources += [(True, pos.square), (False, neg.square)]
    columns = []
    for pair in (sources[:2], sources[2:]):  # weights, then their squares
        is_float = any(values is not None and values.dtype.kind == "f" for _, values in pair)
        columns += [np.empty(size, np.float64 if is_float else np.int64) for _ in pair]

    def merge_piece(bounds: tuple[int, int, int, int]) -> bool:
        """Merge one stretch of the runs into its place, a shared score still as two cells; was there one?"""
        p0, p1, n0, n1 = bounds
        here = slice(p0 + n0, p1 + n1)
        both = np.concatenate((pos.key[p0:p1], neg.key[n0:n1]))
        order = np.argsort(both, kind="stable")
        np.take(both, order, out=key[here], mode="clip")  # without a mode, numpy would buffer
        is_pos = order < p1 - p0
        for (of_pos, values), column in zip(sources, columns, strict=True):
            mine = is_pos if of_pos else ~is_pos
            column[here] = mine
            if values is not None:
                column[here][mine] = values[p0:p1] if of_pos else values[n0:n1]
        merged = key[here]
        return bool((merged[1:] == merged[:-1]).any())

    if any(map_parallel(merge_piece, _split_runs(pos.key, neg.key), rows)):
        # A score of both classes is now a cell of positives followed by a cell of negatives.
        second = 1 + (key[1:] == key[:-1]).nonzero()[0]
        for (of_pos, _), column in zip(sources, columns, strict=True):
            if not of_pos:
                column[second - 1] = column[second]
        keep = np.ones(size, dtype=bool)
        keep[second] = False
        key = key.compress(keep)
        columns = [column.compress(keep) for column in columns]
    return ScoreCells(key, *columns[:2], *columns[-2:])


def _split_runs(pos: Array, neg: Array) -> list[tuple[int, int, int, int]]:
    """Split both runs into stretches that can be merged separately, because no score lies in two of them."""
    count = 1 + (len(pos) + len(neg)) // _PIECE
    longer = pos if len(pos) >= len(neg) else neg
    pivots = longer[np.arange(1, count) * len(longer) // count]
    p = [0, *np.searchsorted(pos, pivots).tolist(), len(pos)]
    n = [0, *np.searchsorted(neg, pivots).tolist(), len(neg)]
    return list(zip(p[:-1], p[1:], n[:-1], n[1:], strict=True))
