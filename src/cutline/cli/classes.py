"""The work of `evaluate --class-scores`: a model of several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.text import Text

from cutline.classes.one_vs_rest import OneVsRest, one_vs_rest
from cutline.classes.summary import MOST_SHOWN, ClassSummary
from cutline.cli import render
from cutline.cli.column_guess import choose
from cutline.cli.evaluate import REPORT, show, write
from cutline.cli.groups import Asked, Files, Reading
from cutline.cli.text import in_options, printable, quoted
from cutline.core.errors import InputError, ParameterError, near
from cutline.core.table import Table, shown
from cutline.inputs import files

CHARTS = ("class_roc", "class_measures", "class_confusion_matrix")


class ClassModel(NamedTuple):
    """What is asked of `evaluate` besides the common options."""

    paths: Sequence[str]
    class_scores: Sequence[str]
    name: str | None = None
    template: str = REPORT
    ranking_csv: str | None = None


def run_classes(model: ClassModel, reading: Reading, asked: Asked, output: Files) -> None:
    """Evaluate a model of several classes and show the results.

    Args:
        model: The file, the columns of the classes, and what to call the model.
        reading: How the file is read.
        asked: Which numbers are wanted.
        output: Where they go.
    """
    _check(model, asked)
    if len(model.paths) != 1:
        raise ParameterError("--class-scores reads one file", "pass the path of one")
    charts = CHARTS if output.png is not None else ()
    output.check(charts)
    found, guesses = read_classes(model.paths[0], model.class_scores, reading, model.name)
    measures = None if asked.measures is None else [one.strip() for one in asked.measures.split(",")]
    summary = found.summary(measures, level=asked.level)
    summary = summary.with_notes(tuple(replace(note, text=in_options(note.text)) for note in summary.notes))
    output.guessed(guesses)
    show(output, summary, _rendered(render.console(), summary))
    write(output, found, summary, charts, REPORT)


def columns_by_class(given: Sequence[str]) -> dict[str, str]:
    """The columns by class, as the options name them.

    >>> columns_by_class(["ant,bee", "cat=p_cat"])
    {'ant': 'ant', 'bee': 'bee', 'cat': 'p_cat'}
    """
    found: dict[str, str] = {}
    for term in (term.strip() for text in given for term in text.split(",")):
        label, equals, column = (part.strip() for part in term.partition("="))
        if not label or (equals and not column):
            raise ParameterError(
                f"--class-scores is {quoted(', '.join(given))}", "pass columns with commas, such as ant,bee=p_bee,cat"
            )
        if label in found:
            raise ParameterError(f"--class-scores names the class {quoted(label)} twice", "name each class once")
        found[label] = column if equals else label
    if len(found) < 2:
        raise ParameterError(
            f"--class-scores names one class, {quoted(next(iter(found)))}", "pass a column for each of two or more"
        )
    return found


def _check(model: ClassModel, asked: Asked) -> None:
    """Refuse options of `evaluate` that several classes have no use for: none is read and ignored."""
    _refuse(
        {
            "--family": asked.family is not None,
            "--all": asked.all,
            "--resamples": asked.resamples is not None,
            "--seed": asked.seed != 0,
            "--template": model.template != REPORT,
            "--ranking-csv": model.ranking_csv is not None,
        }
    )


def _check_reading(reading: Reading) -> None:
    """Refuse ways of reading that several classes have no use for."""
    c = reading.columns
    given = {
        "--score": bool(c.scores),
        "--group": c.group is not None,
        "--stratum": c.stratum is not None,
        "--id": c.id is not None,
        "--weights-are": reading.weights_are is not None,
        "--positive": reading.positive is not None,
        "--lower-is-positive": reading.lower_is_positive,
        "--threshold": reading.threshold is not None,
        "--quota": reading.quota is not None,
        "--share": reading.share is not None,
        "--exact": bool(reading.exact),
    }
    _refuse(given)


def _refuse(given: Mapping[str, bool]) -> None:
    refused = [option for option, is_given in given.items() if is_given]
    if refused:
        raise ParameterError(f"{refused[0]} has no meaning with --class-scores", "leave one of them out")


def read_classes(
    path: str, class_scores: Sequence[str], how: Reading, name: str | None = None
) -> tuple[OneVsRest, Sequence[str]]:
    """The model of several classes of a file, and what was guessed.

    Args:
        path: The file.
        class_scores: The columns of the classes, as the options name them.
        how: How the file is read.
        name: What to call the model.
    """
    _check_reading(how)
    columns = columns_by_class(class_scores)
    file, c = files.read(path, how.format, how.memory), how.columns
    for option, column in (("--label", c.label), ("--weight", c.weight)):
        if column is not None and column not in file.columns:
            raise _absent(printable(file.title), column, option, file.columns)
    for column in columns.values():
        if column not in file.columns:
            raise _absent(printable(file.title), column, "--class-scores", file.columns)
        if column in (c.label, c.weight):
            other = "--label" if column == c.label else "--weight"
            both = f"--class-scores and {other} both name {quoted(column)}"
            raise ParameterError(both, "pass another column for one of them")
    chosen = choose(file, c.label, tuple(columns.values()), c.others)
    title = printable(name or file.title)
    found = one_vs_rest(chosen.label, columns, c.weight, missing=how.missing.value, name=title, data=file)
    return found, chosen.guesses


def _absent(title: str, column: str, option: str, known: Sequence[str]) -> InputError:
    listed = ", ".join(quoted(one) for one in known[:8]) + (", ..." if len(known) > 8 else "")
    hint = near(column, known) or f"It has {listed}."
    return InputError(f"{title} has no column {quoted(column)}, which {option} names", hint=hint)


# ---------------------------------------------------------------------- looks


def _rendered(screen: Console, summary: ClassSummary) -> RenderableType:
    """What was evaluated, the measures of all classes, those of each, and the confusion matrix."""
    heading = Text(printable(summary.name or "model"), style="bold").append(f"  {printable(summary.data.words())}")
    level = f"{100 * summary.level:g} % interval"
    overall = [
        (row.title, row.of, shown(row.value), render.interval(row.interval), shown(row.baseline))
        for row in summary.of_scope("all", "mean")
    ]
    parts: list[RenderableType] = [heading, Text()]
    if overall:
        parts.append(render.grid(screen, ("", "of", "value", level, "baseline"), overall, "All classes"))
    if summary.of_scope("class"):
        parts += [Text(), _grid(screen, summary.class_table(), "Each class against the rest")]
    if len(summary.data.classes) <= MOST_SHOWN:
        parts += [Text(), _grid(screen, summary.matrix.to_table(), "Real and predicted class")]
    return Group(*parts, *_reasons(summary))


def _grid(screen: Console, table: Table, title: str) -> RenderableType:
    # An interval stays in one line: it may stand below its value, but is not broken.
    rows = [
        [shown(cell) if isinstance(cell, float) else str(cell).replace(", ", ",\xa0") for cell in row]
        for row in table.rows
    ]
    return render.grid(screen, table.columns, rows, title)


def _reasons(summary: ClassSummary) -> list[RenderableType]:
    """Why measures are undefined, each reason once with what it holds for."""
    found: dict[str, list[str]] = {}
    for row in summary.rows:
        if row.reason:
            found.setdefault(row.reason, []).append(f"{row.title} ({row.of})")
    return [
        part
        for reason, names in found.items()
        for part in (Text(), Text(printable(f"Undefined because {reason}: {', '.join(names)}"), style="yellow"))
    ]
