"""Two files of predictions, two numbers: what differs between them, step by step, and what each step does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core.array_ops import Array
from cutline.core.errors import InputError
from cutline.core.table import ComparedByFields, format_value
from cutline.ledger.cases import Material, Rows
from cutline.ledger.quantity import PrintedQuantity
from cutline.ledger.registry import CONVENTIONS, change_cases, try_value
from cutline.ledger.why import TextResult

DECIMALS = (8, 6, 5, 4, 3, 2, 1)  # of scores in a text file


TakeStep = Callable[[str, Rows], Rows]  # records a step in words, and returns the rows after it
Ids = tuple[npt.ArrayLike, npt.ArrayLike]  # the name of each case, in both files


class Change(NamedTuple):
    """A change of scores, with words that follow "the scores of the second file are"."""

    words: str
    of: Callable[[Array], Array]
    exact: bool = True  # whether every digit agrees afterwards; a difference from 1 moves the last one


def _round_to(decimals: int) -> Callable[[Array], Array]:
    return lambda scores: np.round(scores, decimals)


def _round_to_single(scores: Array) -> Array:
    return scores.astype(np.float32)


_SINGLE = "those of the other rounded to 32-bit numbers"
CHANGES = (
    Change(_SINGLE, lambda s: _round_to_single(s).astype(float)),
    Change(_SINGLE, lambda s: _round_to_single(s).astype(str).astype(float)),  # as a text file shows them
    *(Change(f"those of the other rounded to {d} decimals", _round_to(d)) for d in DECIMALS),
    Change("1 minus those of the first", lambda s: 1 - s, exact=False),
    Change("the negatives of those of the first", lambda s: -s, exact=False),
)


def _is_same_after(first: Array, other: Array, change: Change) -> bool:
    """Whether a change turns the first scores into the other ones."""
    moved = change.of(first)
    return np.array_equal(moved, other) if change.exact else bool(np.allclose(moved, other, rtol=0, atol=1e-12))


def _are_aligned(a: Rows, b: Rows) -> bool:
    """Whether the same labels and scores stand in the same places."""
    return np.array_equal(a.scores, b.scores) and np.array_equal(a.is_positive, b.is_positive)


def _have_one_order(a: Rows, b: Rows) -> bool:
    """Whether files of one length have the same case in each place: the same labels, or scores that tell so."""
    differ = a.is_positive != b.is_positive
    if not differ.any() or np.mean(a.scores == b.scores) >= 0.5:
        return True
    return any(
        _is_same_after(x, y, change) for x, y in ((a.scores, b.scores), (b.scores, a.scores)) for change in CHANGES
    )


def keys(rows: Rows) -> Array:
    """Return what identifies a row without an id: its score and its label."""
    pairs = np.empty(len(rows), dtype=[("score", float), ("label", bool)])
    pairs["score"], pairs["label"] = rows.scores + 0.0, rows.is_positive  # no negative zero
    return pairs


def _hold_the_same(a: Rows, b: Rows) -> bool:
    """Whether both hold the same labels and scores, in whatever order."""
    return len(a) == len(b) and np.array_equal(np.sort(keys(a)), np.sort(keys(b)))


def _match_rows(a: Rows, b: Rows) -> tuple[Array, Array] | None:
    """Match the cases of the shorter file to the longer one, when a single change leads from one to the other.

    Return None where no change makes every row of the shorter file one of the longer.
    """
    for changed_a, changed_b in _find_changes(a, b):
        first, second = keys(changed_a), keys(changed_b)
        places = _are_all_in(first, second) if len(a) >= len(b) else _are_all_in(second, first)
        if places is not None:
            return places if len(a) >= len(b) else (places[1], places[0])
    return None


def _find_changes(a: Rows, b: Rows) -> Iterator[tuple[Rows, Rows]]:
    yield a, b
    yield replace(a, is_positive=~a.is_positive), b
    for change in CHANGES:
        yield _is_near(replace(a, scores=change.of(a.scores)), exact=change.exact), _is_near(b, exact=change.exact)
        if change.exact:  # the others lead back by themselves
            yield a, replace(b, scores=change.of(b.scores))


def _is_near(rows: Rows, *, exact: bool) -> Rows:
    return rows if exact else replace(rows, scores=np.round(rows.scores, 12))


def _are_all_in(more: Array, fewer: Array) -> tuple[Array, Array] | None:
    """Return the places in the longer list of the rows of the shorter one, counted with repetitions; None if one is
    absent.
    """
    kinds, number = np.unique(np.concatenate((more, fewer)), return_inverse=True)
    long, short = number[: len(more)], number[len(more) :]
    counts = np.bincount(short, minlength=len(kinds))
    order = np.argsort(long, kind="stable")
    starts = np.cumsum(np.append(0, np.bincount(long, minlength=len(kinds))))[:-1]
    place_in_kind = np.arange(len(more)) - starts[long[order]]
    rows = order[place_in_kind < counts[long[order]]]
    return (rows, np.argsort(short, kind="stable")) if len(rows) == len(fewer) else None


@dataclass(frozen=True, eq=False)
class Step(ComparedByFields):
    """One difference between the files, and the measure before and after it."""

    words: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """Difference of the measure."""
        return self.after - self.before


@dataclass(frozen=True, repr=False, eq=False)
class FileDifference(ComparedByFields, TextResult):
    """Why a measure differs between two files."""

    measure: str
    names: tuple[str, str]
    values: tuple[float, float]
    steps: tuple[Step, ...]
    order: str = ""  # what the order inside ties does in tools that keep it

    @property
    def main(self) -> Step | None:
        """The step that changes the measure most; None when none does."""
        moving = [step for step in self.steps if step.change]
        return max(moving, key=lambda step: abs(step.change), default=None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences."""
        first, second = (_number(value) for value in self.values)
        lines = [f"{self.measure} is {first} in {self.names[0]} and {second} in {self.names[1]}."]
        if not self.steps:
            lines.append("The files hold the same cases, with the same labels, scores and weights.")
        for step in self.steps:
            effect = f"{self.measure} {_number(step.before)} -> {_number(step.after)}" if step.change else "no effect"
            lines.append(f"{step.words} ({effect}).")
        if self.main is not None and len([step for step in self.steps if step.change]) > 1:
            lines.append(f"Most of the difference is explained by this: {_first_small(self.main.words)}.")
        elif self.main is not None:
            lines.append("This explains the whole difference.")
        return (*lines, *([self.order] if self.order else []))

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain data, for JSON."""
        return {
            "schema": "cutline/why-files/1",
            "measure": self.measure,
            "files": list(self.names),
            "values": [value if math.isfinite(value) else None for value in self.values],
            "steps": [{"words": s.words, "before": s.before, "after": s.after} for s in self.steps],
            "sentences": list(self.sentences),
        }


def compare_files(
    a: Rows,
    b: Rows,
    q: PrintedQuantity,
    names: tuple[str, str],
    threshold: float | None,
    ids: Ids | None = None,
) -> FileDifference:
    """Return why a measure differs between two sets of rows.

    Args:
        a: The rows of the first file.
        b: The rows of the second file.
        q: The measure.
        names: What to call the files.
        threshold: The cut of measures of one cut.
        ids: The name of each case in both files; without, the rows are matched by their place or by what they hold.
    """
    value = _make_value_function(q, threshold)
    values = (value(a), value(b))
    order = _order_in_ties(a, b, q, threshold) if ids is None else ""
    steps: list[Step] = []

    def take(words: str, now: Rows) -> Rows:
        before = steps[-1].after if steps else values[0]
        steps.append(Step(words, before, value(now)))
        return now

    now, other = _same_cases(a, b, ids, names, take)
    _same_columns(now, other, take)
    return FileDifference(q.name, names, values, tuple(steps), order)


def _make_value_function(q: PrintedQuantity, threshold: float | None) -> Callable[[Rows], float]:
    return lambda rows: try_value(Material.of_rows(rows, threshold), q, ())


# ---------------------------------------------------------------------- which cases


def _same_cases(a: Rows, b: Rows, ids: Ids | None, names: tuple[str, str], take: TakeStep) -> tuple[Rows, Rows]:
    """Return both with the same cases in one order."""
    if ids is not None:
        return _by_ids(a, b, ids, names, take)
    if len(a) != len(b):
        return _by_content(a, b, names, take)
    if _are_aligned(a, b):
        return a, b
    if not _hold_the_same(a, b) and _have_one_order(a, b):
        return a, b
    places = _match_rows(a, b)
    if places is None:
        raise _describe_unmatched(a, b, names)
    return a.select(places[0]), b.select(places[1])


def _by_ids(a: Rows, b: Rows, ids: Ids, names: tuple[str, str], take: TakeStep) -> tuple[Rows, Rows]:
    mine, theirs = (np.asarray(column) for column in ids)
    firsts = [np.unique(column, return_index=True)[1] for column in (mine, theirs)]
    for column, first, rows, name in zip((mine, theirs), firsts, (a, b), names, strict=True):
        doubled = len(column) - len(first)
        if doubled and name == names[0]:
            a = take(f"{_rows(doubled)} of {name} repeat an id and were removed", rows.select(np.sort(first)))
            mine = mine[np.sort(first)]
    _, at_a, at_b = np.intersect1d(mine, theirs[np.sort(firsts[1])], return_indices=True)
    if not len(at_a):
        raise InputError("The two files have no case in common", "pass files of the same cases, or another --id")
    if len(at_a) < len(a):
        a = take(f"{_rows(len(a) - len(at_a))} of {names[0]} are not in {names[1]}", a.select(np.sort(at_a)))
        mine = mine[np.sort(at_a)]
    order = np.argsort(mine, kind="stable")
    a, only = a.select(order), np.sort(firsts[1])
    _, _, at_b = np.intersect1d(mine, theirs[only], return_indices=True)
    rest = np.setdiff1d(np.arange(len(b)), only[at_b])
    common = b.select(only[at_b])
    _same_columns(a, common, take)
    if len(rest):
        take(f"{_rows(len(rest))} of {names[1]} are not in {names[0]}, or repeat an id", b)
    return b, b


def _by_content(a: Rows, b: Rows, names: tuple[str, str], take: TakeStep) -> tuple[Rows, Rows]:
    """Return files of different lengths, matched by what their rows hold: rows left out, or duplicates removed."""
    for rows, name, other in ((a, names[0], b), (b, names[1], a)):
        key = keys(rows)
        _, first = np.unique(key, return_index=True)
        if len(first) == len(other) and np.array_equal(np.sort(key[first]), np.sort(keys(other))):
            take(f"{_rows(len(rows) - len(first))} of {name} are duplicates of others, which the other file lacks", b)
            return b, b
    places = _match_rows(a, b)
    if places is None:
        raise _describe_unmatched(a, b, names)
    mine, theirs = a.select(places[0]), b.select(places[1])
    if len(a) > len(b):
        return take(f"{_rows(len(a) - len(b))} of {names[0]} are missing in {names[1]}", mine), theirs
    _same_columns(mine, theirs, take)
    take(f"{_rows(len(b) - len(a))} of {names[1]} are missing in {names[0]}", b)
    return b, b


def _describe_unmatched(a: Rows, b: Rows, names: tuple[str, str]) -> InputError:
    return InputError(
        f"{names[0]} has {_rows(len(a))} and {names[1]} {_rows(len(b))}, which do not match by their labels and scores",
        "pass --id with the column that names the cases",
    )


# ---------------------------------------------------------------------- what the same cases hold


def _same_columns(a: Rows, b: Rows, take: TakeStep) -> None:
    """Return the steps from the labels, scores and weights of one file to the other, row by row."""
    now = a
    differ = now.is_positive != b.is_positive
    if differ.any():
        words = "The labels are exchanged" if differ.all() else f"The labels of {_rows(int(differ.sum()))} differ"
        now = take(words, replace(now, is_positive=b.is_positive))
    if not np.array_equal(now.scores, b.scores):
        now = take(_describe_scores(now.scores, b.scores), replace(now, scores=b.scores))
    weights = [np.ones(len(now)) if rows.weights is None else rows.weights for rows in (now, b)]
    if not np.array_equal(weights[0], weights[1]):
        take(f"The weights of {_rows(int((weights[0] != weights[1]).sum()))} differ", replace(now, weights=b.weights))


def _describe_scores(mine: Array, theirs: Array) -> str:
    """Return how the one column of scores follows from the other."""
    for way, (from_, to) in (("second", (mine, theirs)), ("first", (theirs, mine))):
        for change in CHANGES:
            if _is_same_after(from_, to, change):
                return f"The scores of the {way} file are {change.words}"
    largest = float(np.max(np.abs(mine - theirs)))
    return f"The scores of {_rows(int((mine != theirs).sum()))} differ, by up to {largest:.2g}"


def _order_in_ties(a: Rows, b: Rows, q: PrintedQuantity, threshold: float | None) -> str:
    """Return what a tool that keeps the order of the rows inside ties would make of the order of the files."""
    convention = CONVENTIONS["ties_by_rows"]
    if len(a) != len(b) or _are_aligned(a, b):
        return ""
    if not _hold_the_same(a, b):
        return "" if _have_one_order(a, b) else "The rows stand in another order, and were matched by what they hold."
    if not convention.applies(q):
        return "The rows stand in another order, which changes nothing."
    both = [try_value(change_cases(Material.of_rows(rows, threshold), [convention]), q, ()) for rows in (a, b)]
    if both[0] == both[1]:
        return "The rows stand in another order, which changes nothing."
    return (
        f"The rows stand in another order: a tool that keeps it inside ties gives {_number(both[0])} and "
        f"{_number(both[1])}. cutline's value does not depend on it."
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _number(value: float) -> str:
    return format_value(value) if math.isnan(value) else f"{value:.6g}"


def _first_small(words: str) -> str:
    return words[0].lower() + words[1:]
