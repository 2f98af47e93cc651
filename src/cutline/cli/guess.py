"""Which columns are meant when the options do not say: taken only when there is one way to read the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cutline.cli.inputs import Predictions
from cutline.cli.text import printable, quoted
from cutline.errors import InputError

LABELS = ("label", "labels", "y", "y_true", "target", "truth", "class", "outcome", "actual", "response")
SCORES = ("score", "scores", "p", "prob", "proba", "probability", "y_score", "y_prob", "y_pred", "prediction", "pred")


class Chosen(NamedTuple):
    """The columns to read, and what was guessed about them."""

    label: str
    scores: tuple[str, ...]
    guesses: tuple[str, ...]


def choose(file: Predictions, label: str | None, scores: Sequence[str], taken: Sequence[str | None] = ()) -> Chosen:
    """The label and the score columns: as named, or guessed when only one column can be meant."""
    named = [*scores, *(name for name in taken if name)]
    for column in scores:
        file.check(column, "--score")
    guesses = []
    if label is None:
        label = label_of(file, named)
        guesses.append(f"--label {printable(label)}")
    file.check(label, "--label")
    if not scores:
        free = [c for c in file.columns if c not in (*named, label) and file.is_number(c)]
        if not free and len(rest := [c for c in file.columns if c not in (*named, label)]) == 1:
            free = rest  # it will be refused, with the row that is no number
        scores = (_guess(file, free, SCORES, "score", "--score"),)
        guesses.append(f"--score {printable(scores[0])}")
    return Chosen(label, tuple(scores), tuple(guesses))


def label_of(file: Predictions, taken: Sequence[str]) -> str:
    """The column of the labels, among those that are nothing else."""
    return _guess(file, [c for c in file.columns if c not in taken], LABELS, "label", "--label")


def _guess(file: Predictions, free: Sequence[str], usual: Sequence[str], what: str, option: str) -> str:
    called = [column for column in free if column.strip().lower() in usual]
    if len(called) == 1:
        return called[0]
    candidates = called or list(free)
    if len(candidates) == 1:
        return candidates[0]
    columns = ", ".join(quoted(column) for column in (candidates or file.columns)[:8])
    which = f"could be any of {columns}" if candidates else f"is none of {columns}"
    raise InputError(f"Which column of {file.name} holds the {what}s? It {which}: pass {option}.")
