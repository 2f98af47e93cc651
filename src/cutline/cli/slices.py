"""The work of `evaluate --by`: one model on each slice of its cases, such as each site, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.evaluate import evaluated
from cutline.cli.options import FileOutput, Reading, SelectionOptions
from cutline.cli.progress import waiting
from cutline.cli.reading import opened
from cutline.cli.text import printable
from cutline.core.errors import ParameterError
from cutline.core.table import between, shown
from cutline.core.validation import name_of
from cutline.evaluation import evaluate
from cutline.results.summary import Row, Summary
from cutline.slices import Slices, common_table


def run_slices(
    paths: Sequence[str],
    by: str,
    reading: Reading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    unused: Mapping[str, Any],
) -> None:
    """Evaluate one model on each slice and show the results.

    Args:
        paths: The files of predictions.
        by: The column whose values are the slices.
        reading: How the files are read.
        selection: Which measures.
        output: Where they go.
        name: What to call the model.
        unused: Options that slices have no use for, with what was given: none is read and ignored.
    """
    for option, given in unused.items():
        if given:
            raise ParameterError(f"--by cannot be combined with {option}", "leave one of them out")
    if output.documents or output.png:
        raise ParameterError(
            "--by prints a table alone",
            "pass --json or --csv, and no file to write; for a report, evaluate the cases of one slice",
        )
    if not paths:
        raise ParameterError("Pass the files of the predictions.")
    output.check()
    selection.check()
    slices, guesses = _read(paths, by, reading, name, quiet=output.quiet)
    found = {value: evaluated(one, selection, quiet=True) for value, one in slices.items()}
    output.say_guesses(guesses)
    if output.json:
        parts = [{"slice": _plain(value), "evaluation": one.document()} for value, one in found.items()]
        render.print_json({"schema": "cutline/slices/1", "by": by, "slices": parts})
    elif output.csv:
        render.put(common_table(by, found).to_csv())
    else:
        render.console().print(_rendered(by, found, with_notes=not output.quiet))


def _read(
    paths: Sequence[str], by: str, how: Reading, name: str | None, *, quiet: bool
) -> tuple[Slices, tuple[str, ...]]:
    """The evaluation of each slice, and which columns were guessed."""
    c = how.columns
    if c.group or c.stratum or c.id:
        raise ParameterError("--by cannot be combined with --group, --stratum or --id", "leave one of them out")
    if len(c.scores) > 1:
        raise ParameterError(f"--score is given {len(c.scores)} times", "pass it once for this command")
    found = opened(paths, how, by=by)
    score = found.chosen.scores[0]
    with waiting("Reading the predictions", quiet=quiet, unit="rows"):
        slices: Any = evaluate(
            found.chosen.label,
            score,
            c.weight,
            by=by,
            data=found.file,
            name=printable(name_of(name) or score),
            exact=how.exact or None,
            memory=how.memory,
            **how.common,
        )
    return slices, found.chosen.guesses


def _plain(value: Any) -> Any:
    """A value of a column as JSON has it: dates and the like are text."""
    return value if isinstance(value, bool | int | float | str) else str(value)


def _rendered(by: str, found: Mapping[Any, Summary], *, with_notes: bool) -> RenderableType:
    """The slices with their sizes, then each measure with a line for each slice, then the notes."""
    screen = render.console()
    first = next(iter(found.values()))
    sizes = [
        (value, shown(one.data.cases), shown(one.data.positives), one.cut.words(one.data.ranking))
        for value, one in found.items()
    ]
    level = f"{100 * first.level:g} % interval"
    keys = {row.key: row.title for one in found.values() for row in one.rows}
    rows: list[tuple[Any, ...]] = []
    for key, title in keys.items():
        for i, (value, one) in enumerate(found.items()):
            row = next((row for row in one.rows if row.key == key), None)
            cells = ("", "", "") if row is None else (shown(row.value), render.interval(row.interval), _bracket(row))
            rows.append((title if not i else "", value, *cells))
    head = ["", by, "value", level, "exact value from"]
    if not any(row[-1] for row in rows):  # nothing was binned
        head, rows = head[:-1], [row[:-1] for row in rows]
    parts: list[RenderableType] = [
        Text(printable(f"{len(found)} slices by {by}")),
        Text(),
        render.grid(screen, (by, "cases", "positive", "flagged"), sizes),
        Text(),
        render.grid(screen, head, rows),
    ]
    return Group(*parts, *(_notes(by, found) if with_notes else ()))


def _bracket(row: Row) -> str:
    return "" if row.bounds is None else between(row.bounds.low, row.bounds.high)


def _notes(by: str, found: Mapping[Any, Summary]) -> list[RenderableType]:
    """The notes of each slice, below its value."""
    parts: list[RenderableType] = []
    for value, one in found.items():
        notes = (*one.notes, *one.row_notes)
        if notes:
            parts.append(render.notes(notes, f"Notes on {by} {value}"))
    return parts
