"""Which rows of two files are the same cases, by what they hold: also where one was rounded, turned or shuffled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cutline.core.ranking import Array
from cutline.ledger.material import Rows

DECIMALS = (8, 6, 5, 4, 3, 2, 1)  # of scores in a text file


class Change(NamedTuple):
    """What may have been done to the scores, and how it is told after "the scores of the second file are"."""

    words: str
    of: Callable[[Array], Array]
    exact: bool = True  # whether every digit agrees afterwards; a difference from 1 moves the last one


def _rounded(decimals: int) -> Callable[[Array], Array]:
    return lambda scores: np.round(scores, decimals)


def _single(scores: Array) -> Array:
    return scores.astype(np.float32)


_SINGLE = "those of the other rounded to 32-bit numbers"
CHANGES = (
    Change(_SINGLE, lambda s: _single(s).astype(float)),
    Change(_SINGLE, lambda s: _single(s).astype(str).astype(float)),  # as a text file shows them
    *(Change(f"those of the other rounded to {d} decimals", _rounded(d)) for d in DECIMALS),
    Change("1 minus those of the first", lambda s: 1 - s, exact=False),
    Change("the negatives of those of the first", lambda s: -s, exact=False),
)


def same(one: Array, other: Array, change: Change) -> bool:
    """Whether the scores of the other file are those of the one after a change."""
    moved = change.of(one)
    return np.array_equal(moved, other) if change.exact else bool(np.allclose(moved, other, rtol=0, atol=1e-12))


def are_aligned(a: Rows, b: Rows) -> bool:
    """Whether the same labels and scores stand in the same places."""
    return np.array_equal(a.scores, b.scores) and np.array_equal(a.is_positive, b.is_positive)


def stand_in_one_order(a: Rows, b: Rows) -> bool:
    """Whether files of one length have the same case in each place: the same labels, or scores that tell so."""
    differ = a.is_positive != b.is_positive
    if not differ.any() or np.mean(a.scores == b.scores) >= 0.5:
        return True
    return any(same(x, y, change) for x, y in ((a.scores, b.scores), (b.scores, a.scores)) for change in CHANGES)


def keys(rows: Rows) -> Array:
    """What identifies a row without an id: its score and its label."""
    found = np.empty(len(rows), dtype=[("score", float), ("label", bool)])
    found["score"], found["label"] = rows.scores + 0.0, rows.is_positive  # no negative zero
    return found


def hold_the_same(a: Rows, b: Rows) -> bool:
    """Whether both hold the same labels and scores, in whatever order."""
    return len(a) == len(b) and np.array_equal(np.sort(keys(a)), np.sort(keys(b)))


def matched(a: Rows, b: Rows) -> tuple[Array, Array] | None:
    """The places in both of the cases of the shorter one, as far as a single change leads from one to the other.

    None where no change makes every row of the shorter file one of the longer.
    """
    for one, other in _changed(a, b):
        first, second = keys(one), keys(other)
        places = _all_in(first, second) if len(a) >= len(b) else _all_in(second, first)
        if places is not None:
            return places if len(a) >= len(b) else (places[1], places[0])
    return None


def _changed(a: Rows, b: Rows) -> Iterator[tuple[Rows, Rows]]:
    yield a, b
    yield replace(a, is_positive=~a.is_positive), b
    for change in CHANGES:
        yield _near(replace(a, scores=change.of(a.scores)), exact=change.exact), _near(b, exact=change.exact)
        if change.exact:  # the others lead back by themselves
            yield a, replace(b, scores=change.of(b.scores))


def _near(rows: Rows, *, exact: bool) -> Rows:
    return rows if exact else replace(rows, scores=np.round(rows.scores, 12))


def _all_in(more: Array, fewer: Array) -> tuple[Array, Array] | None:
    """The places in the longer list of the rows of the shorter one, counted with repetitions; None if one is absent."""
    kinds, number = np.unique(np.concatenate((more, fewer)), return_inverse=True)
    long, short = number[: len(more)], number[len(more) :]
    counts = np.bincount(short, minlength=len(kinds))
    order = np.argsort(long, kind="stable")
    starts = np.cumsum(np.append(0, np.bincount(long, minlength=len(kinds))))[:-1]
    place_in_kind = np.arange(len(more)) - starts[long[order]]
    kept = order[place_in_kind < counts[long[order]]]
    return (kept, np.argsort(short, kind="stable")) if len(kept) == len(fewer) else None
