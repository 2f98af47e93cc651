"""From files and options to an evaluation or a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cutline.cli.guess import Chosen, choose, label_of
from cutline.cli.inputs import Predictions, open_file
from cutline.cli.text import printable, quoted
from cutline.comparison import Comparison, compare
from cutline.errors import InputError, ParameterError
from cutline.evaluation import Evaluation, evaluate


@dataclass(frozen=True)
class Columns:
    """The columns that the options name."""

    label: str | None = None
    scores: tuple[str, ...] = ()
    weight: str | None = None
    group: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Reading:
    """How a file of predictions is to be read."""

    columns: Columns = field(default_factory=Columns)
    positive: str | None = None
    lower_is_positive: bool = False
    threshold: float = 0.5
    missing: Any = "error"
    delimiter: str | None = None
    format: str | None = None

    def open(self, path: str) -> Predictions:
        """The file, opened as the options say."""
        return open_file(path, self.format, self.delimiter)

    def named_positive(self, file: Predictions, label: str) -> Any:
        """The positive label, of the type that the labels have."""
        text = self.positive
        if text is None:
            return None
        if file.is_number(label):
            try:
                return int(text) if text.strip("+-").isdigit() else float(text)
            except ValueError:
                raise ParameterError(f"--positive is {text!r}, but the labels are numbers: pass one of them.") from None
        if file.types[label] == "BOOLEAN":
            if text.lower() not in ("true", "false"):
                raise ParameterError(f"--positive is {text!r}, but the labels are true and false: pass one of them.")
            return text.lower() == "true"
        return text

    @property
    def common(self) -> dict[str, Any]:
        """What evaluate() and compare() take alike."""
        return {
            "threshold": self.threshold,
            "missing": self.missing,
            "higher_is_positive": not self.lower_is_positive,
        }


@dataclass(frozen=True)
class Read:
    """One model's columns as arrays."""

    file: Predictions
    chosen: Chosen
    values: Mapping[str, Any]

    @property
    def labels(self) -> Any:
        """The labels."""
        return self.values[self.chosen.label]

    def scores(self, column: str) -> Any:
        """The scores of a column, as numbers."""
        return self.file.scores(column, self.values[column])


def read(path: str, reading: Reading) -> Read:
    """The columns of a file that the options name, or that can only be meant."""
    file, c = reading.open(path), reading.columns
    others = {"--weight": c.weight, "--group": c.group, "--id": c.id}
    for option, column in others.items():
        if column is not None:
            file.check(column, option)
    chosen = choose(file, c.label, c.scores, tuple(others.values()))
    values = file.read([chosen.label, *chosen.scores, *(column for column in others.values() if column)])
    if c.id is not None:
        _check_ids(file.name, values[c.id])
    return Read(file, chosen, values)


def read_evaluation(path: str, reading: Reading, name: str | None) -> tuple[Evaluation, Read]:
    """The evaluation of one model, and what it was read from."""
    found, c = read(path, reading), reading.columns
    weights = None if c.weight is None else found.file.scores(c.weight, found.values[c.weight])
    groups = None if c.group is None else np.asarray(found.values[c.group])
    _check_classes(found)
    ev = evaluate(
        found.labels,
        found.scores(found.chosen.scores[0]),
        weights,
        positive=reading.named_positive(found.file, found.chosen.label),
        name=printable(name or found.chosen.scores[0]),
        groups=groups,
        **reading.common,
    )
    return ev, found


def read_comparison(paths: Sequence[str], reading: Reading) -> tuple[Comparison, tuple[str, ...]]:
    """The comparison of the models of one file, or of several files, and what was guessed."""
    if len(paths) == 1:
        return _columns_of_one(paths[0], reading)
    if reading.columns.id is None:
        raise ParameterError("Several files are joined by the names of their cases: pass --id with that column.")
    scores = reading.columns.scores
    if len(scores) not in (0, 1, len(paths)):
        raise ParameterError(f"--score is given {len(scores)} times for {len(paths)} files: pass one for all, or each.")
    each = scores if len(scores) == len(paths) else scores[:1] * len(paths) or (None,) * len(paths)
    names = names_of(paths)
    files = [
        read(path, replace(reading, columns=replace(reading.columns, scores=() if column is None else (column,))))
        for path, column in zip(paths, each, strict=True)
    ]
    return joined(dict(zip(names, files, strict=True)), reading), files[0].chosen.guesses


def names_of(paths: Sequence[str]) -> list[str]:
    """What to call the models of some files: the stems, or the whole paths where stems are the same."""
    stems = [printable(Path(path).stem) for path in paths]
    return stems if len(set(stems)) == len(stems) else [printable(path) for path in paths]


def joined(models: Mapping[str, Read], reading: Reading) -> Comparison:
    """The comparison of models from files of their own, joined by the ids of the cases."""
    c, frames = reading.columns, {}
    for name, found in models.items():
        frame = {"id": found.values[c.id or ""], "label": found.labels, "score": found.scores(found.chosen.scores[0])}
        if c.weight is not None:
            frame["weight"] = found.values[c.weight]
        frames[name] = frame
    first = next(iter(models.values()))
    _check_classes(first)
    positive = reading.named_positive(first.file, first.chosen.label)
    weight = None if c.weight is None else "weight"
    return compare("label", "score", weight, data=frames, id="id", positive=positive, **reading.common)


def in_one_order(models: Mapping[str, Read], reading: Reading) -> Comparison:
    """The comparison of models from files whose rows are the same cases in the same order."""
    (_, first), *others = models.items()
    for _, found in others:
        mine, theirs = (np.ma.asarray(one.labels).tolist() for one in (first, found))
        if len(mine) != len(theirs):
            raise InputError(
                f"{found.file.name} has {len(theirs)} rows but {first.file.name} has {len(mine)}: "
                "pass predictions of the same cases, or --id to join them."
            )
        differing = [row for row, (a, b) in enumerate(zip(mine, theirs, strict=True), start=1) if a != b]
        if differing:
            raise InputError(
                f"The labels of {first.file.name} and {found.file.name} differ, first in row {differing[0]}: "
                "pass the cases in one order, or --id to join them."
            )
    _check_classes(first)
    c = reading.columns
    weights = None if c.weight is None else first.file.scores(c.weight, first.values[c.weight])
    scores = {name: found.scores(found.chosen.scores[0]) for name, found in models.items()}
    positive = reading.named_positive(first.file, first.chosen.label)
    return compare(first.labels, scores, weights, positive=positive, **reading.common)


def _columns_of_one(path: str, reading: Reading) -> tuple[Comparison, tuple[str, ...]]:
    if len(reading.columns.scores) == 1:
        raise ParameterError("compare takes at least two models: pass --score once for each, or more files.")
    is_guess = not reading.columns.scores
    if is_guess:
        reading = _all_numbers(path, reading)
    found, c = read(path, reading), reading.columns
    weights = None if c.weight is None else found.file.scores(c.weight, found.values[c.weight])
    scores = {printable(column): found.scores(column) for column in found.chosen.scores}
    positive = reading.named_positive(found.file, found.chosen.label)
    _check_classes(found)
    cmp = compare(found.labels, scores, weights, positive=positive, **reading.common)
    guessed = [f"--score {printable(column)}" for column in found.chosen.scores] if is_guess else []
    return cmp, (*found.chosen.guesses, *guessed)


def _all_numbers(path: str, reading: Reading) -> Reading:
    """Without --score: the two columns of numbers that are nothing else, if there are two."""
    file, c = reading.open(path), reading.columns
    taken = [name for name in (c.label, c.weight, c.group, c.id) if name]
    label = c.label or label_of(file, taken)
    free = [column for column in file.columns if column not in (*taken, label) and file.is_number(column)]
    if len(free) != 2:
        raise ParameterError(f"Which columns of {file.name} hold the scores? Pass --score once for each model.")
    return replace(reading, columns=replace(c, scores=tuple(free)))


def _check_classes(found: Read) -> None:
    """Refuse labels that are all alike: most of what is asked of a model would have no answer."""
    known = {label for label in np.ma.asarray(found.labels).tolist() if label is not None}
    if len(known) == 1:
        raise InputError(
            f"All labels in column {quoted(found.chosen.label)} of {found.file.name} are {quoted(*known)}: "
            "pass cases of both classes."
        )


def _check_ids(name: str, ids: Any) -> None:
    seen: dict[Any, int] = {}
    for row, case in enumerate(np.ma.asarray(ids).tolist(), start=1):
        if case is None:
            raise InputError(f"{name} has no id in row {row}: name every case.")
        if case in seen:
            raise InputError(
                f"{name} repeats the id {quoted(case)} in rows {seen[case]} and {row}: pass each case once."
            )
        seen[case] = row
