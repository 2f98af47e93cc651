"""Which columns are meant when the options do not say: taken only when there is one way to read the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cutline.cli.text import printable, quoted
from cutline.core.errors import InputError
from cutline.inputs.column_source import Ask, Source

LABELS = ("label", "labels", "y", "y_true", "target", "truth", "class", "outcome", "actual", "response")
SCORES = ("score", "scores", "p", "prob", "proba", "probability", "y_score", "y_prob", "y_pred", "prediction", "pred")


class Chosen(NamedTuple):
    """The columns to read, and what was guessed about them."""

    label: str
    scores: tuple[str, ...]
    guesses: tuple[str, ...] = ()


def choose(file: Source, label: str | None, scores: Sequence[str], taken: Sequence[str], models: int = 1) -> Chosen:
    """The columns of the labels and of the scores: as named, or guessed when only one choice can be meant."""
    guesses = []
    if label is None:
        label = _label(file, [c for c in file.columns if c not in (*scores, *taken)])
        guesses.append(f"--label {printable(label)}")
    if not scores:
        scores = _scores(file, [c for c in file.columns if c not in (label, *taken)], models)
        guesses += [f"--score {printable(score)}" for score in scores]
    return Chosen(label, tuple(scores), tuple(guesses))


def _label(file: Source, free: Sequence[str]) -> str:
    found = _called(free, LABELS) or list(free)
    if len(found) == 1:
        return found[0]
    raise _unclear(file, "labels", "--label", found)


def _scores(file: Source, free: Sequence[str], models: int) -> Sequence[str]:
    found = _called(free, SCORES) if models == 1 else []
    if len(free) != models and len(found) != models:
        found = [column for column in free if _is_number(file, column)]
    elif len(found) != models:
        found = list(free)  # text will be refused, with its row
    if len(found) == models:
        return found
    raise _unclear(file, "scores", "--score" + (" once for each model" if models > 1 else ""), found or free)


def _called(columns: Sequence[str], usual: Sequence[str]) -> list[str]:
    return [column for column in columns if column.strip().lower() in usual]


def _is_number(file: Source, column: str) -> bool:
    try:
        values = file.rows({"scores": Ask("scores", column)})["scores"]
    except InputError:
        return False
    return bool(values.dtype.kind in "iuf")


def _unclear(file: Source, what: str, option: str, found: Sequence[str]) -> InputError:
    columns = ", ".join(quoted(column) for column in (found or file.columns)[:8])
    return InputError(f"Which column of {printable(file.title)} holds the {what}, of {columns}? Pass {option}.")
