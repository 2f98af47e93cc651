"""`cutline why`: where a number comes from, what tools would say, and why two files differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, Fraction, add_options, argument, command, option
from cutline.cli.completion import complete_measure
from cutline.cli.options import Reading
from cutline.cli.output import print_json, write_stdout
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, name_options
from cutline.core.errors import ParameterError
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.cli.reading import PredictionFile
    from cutline.ledger.cases import Rows
    from cutline.ledger.tool_table import ToolTable
    from cutline.ledger.tools import Tool, ToolFunction
    from cutline.ledger.two_files import FileDifference

NUMBER = "Say which number"
_MEASURE = "auc"  # that two files are compared by, unless another is named


class ToolValue(NamedTuple):
    """The number that a tool prints, with its convention."""

    tool: Tool
    entry: ToolFunction
    value: float


@dataclass(frozen=True)
class WhyOptions:
    """Options of a question about a number."""

    measure: str | None = option(
        "--measure",
        shell_complete=complete_measure,
        group=NUMBER,
        help="The measure that the number is supposed to be; without it, all measures are searched. Example: "
        "--measure auc",
    ).field()
    value: str | None = option(
        "--value", group=NUMBER, help="The number, with all its printed digits. Example: --value 0.8731"
    ).field()
    digits: int | None = option(
        "--digits",
        type=int,
        group=NUMBER,
        help="The number of decimals that it was rounded to, if its digits do not show it. Example: --digits 4",
    ).field()
    training_prevalence: float | None = option(
        "--training-prevalence",
        type=Fraction(),
        group=NUMBER,
        help="The share of positives in the training data, for skill against it. Example: --training-prevalence 0.2",
    ).field()
    tools: bool = option(
        "--tools",
        is_flag=True,
        group=NUMBER,
        help="Show what each tool would report, and why they differ.",
    ).field()
    as_: str | None = option(
        "--as", group=NUMBER, help="Print the number that this tool would give. Example: --as torchmetrics"
    ).field()


@dataclass(frozen=True)
class ReadingAtThreshold(Reading):
    """How the files are read, with the threshold of measures of one cut."""

    threshold: float | None = o.THRESHOLD.field()


@command
@argument(
    "files",
    type=FileName(),
    nargs=-1,
    required=True,
    metavar="FILE [OTHER]",
    help="The predictions; two files are compared.",
)
@add_options(WhyOptions, "question")
@add_options(ReadingAtThreshold, "reading")
@o.JSON
@o.PLUGIN
def why(files: tuple[str, ...], question: WhyOptions, reading: ReadingAtThreshold, json: bool) -> None:
    """Answer the question that the options ask."""
    from cutline.ledger.tool_table import ToolTable

    _check(files, question)
    _check_columns(files, reading, question)
    with show_progress("Searching", quiet=json):
        answer = _answer(files, reading, question)
    if isinstance(answer, ToolValue):
        _print_tool_value(answer, as_json=json)
    elif json:
        print_json(answer.to_dict())
    elif isinstance(answer, ToolTable):
        _show_tools(answer, full=question.measure is not None)
    else:
        screen = render.make_console()
        for place, line in enumerate(answer.sentences):
            screen.print(Text(escape_controls(name_options(line)), style="" if place else "bold"))


def _check(files: Sequence[str], question: WhyOptions) -> None:
    asks = {"--value": question.value, "--tools": question.tools or None, "--as": question.as_}
    questions = [name for name, value in asks.items() if value is not None]
    if len(files) > 2:
        raise ParameterError(f"{len(files)} files are given", "pass one file of predictions, or two to compare them")
    if len(files) == 2 and questions:
        raise ParameterError(f"{questions[0]} is about one file", "pass one file, or leave it out")
    if len(files) == 1 and len(questions) != 1:
        raise ParameterError(
            f"Pass exactly one of --value, --tools or --as (got {' and '.join(questions) or 'none'})",
            "or pass two files to compare them",
        )
    if question.as_ is not None and question.measure is None:
        raise ParameterError("--as needs the measure", "pass --measure, such as --measure auc")
    for name, number in (("--digits", question.digits), ("--training-prevalence", question.training_prevalence)):
        if number is not None and question.value is None:
            raise ParameterError(f"{name} is about --value", "pass --value too, or leave it out")


def _check_columns(files: Sequence[str], reading: Reading, question: WhyOptions) -> None:
    """Refuse options that would change nothing here."""
    if reading.columns.stratum is not None or reading.weights_are is not None:
        name = "--stratum" if reading.columns.stratum is not None else "--weights-are"
        raise ParameterError(f"{name} is about intervals of one model", "leave it out")
    if len(files) == 1 and reading.columns.id is not None:
        raise ParameterError("--id joins two files", "leave it out, or pass the second file")
    if reading.columns.group is not None and (len(files) == 2 or question.value is None):
        raise ParameterError("--group is about --value", "leave it out")
    if len(reading.columns.scores) == 2 and (len(files) == 2 or question.tools):
        raise ParameterError("Two --score are for a test of two models", "pass it once")


def _answer(files: Sequence[str], reading: Reading, question: WhyOptions) -> Any:
    """Return the answer: an explanation, the number of a tool, the table of tools, or the difference of two files."""
    from cutline.ledger.cases import Material
    from cutline.ledger.quantity import parse_quantity
    from cutline.ledger.tool_table import MEASURES_SHOWN, tabulate_tools
    from cutline.ledger.tools import compute_printed, find_entry, find_tool

    if len(files) == 2:
        return _compare_files(files, reading, question)
    predictions = _open(files[0], reading)
    columns = _read_columns(predictions, reading)
    cut = reading.threshold
    if question.value is not None:
        return cl.why(**columns, value=question.value, measure=question.measure, digits=question.digits,
                   positive=reading.positive, missing=reading.missing, threshold=cut,
                   higher_is_positive=not reading.lower_is_positive,
                   training_prevalence=question.training_prevalence)  # fmt: skip
    material = Material.of_rows(_prepare_rows(columns, reading), _turn_threshold(cut, reading))
    if question.as_ is not None:
        q = parse_quantity(str(question.measure))
        tool = find_tool(question.as_)
        entry = find_entry(tool, q)
        return ToolValue(tool, entry, compute_printed(entry, q, material))
    return tabulate_tools(
        material, MEASURES_SHOWN if question.measure is None else (parse_quantity(question.measure).name,)
    )


def _open(path: str, reading: Reading) -> PredictionFile:
    from cutline.cli.reading import open_predictions

    if len(reading.columns.scores) > 2:
        raise ParameterError(
            f"--score is given {len(reading.columns.scores)} times", "pass it once, or twice for a test"
        )
    return open_predictions(path, reading, models=max(len(reading.columns.scores), 1))


def _read_columns(predictions: PredictionFile, reading: Reading) -> dict[str, Any]:
    """Return the columns of a file as cutline.why takes them."""
    from cutline.inputs.column_source import Request
    from cutline.inputs.column_source import read_rows as rows_of

    scores = predictions.chosen.scores
    columns: dict[Any, Request] = {"labels": Request("labels", predictions.chosen.label, reading.positive is not None),
                             "scores": Request("scores", scores[0])}  # fmt: skip
    if reading.columns.weight is not None:
        columns["weights"] = Request("weights", reading.columns.weight)
    if reading.columns.group is not None:
        columns["groups"] = Request("groups", reading.columns.group)
    if len(scores) > 1:
        columns["other"] = Request("scores", scores[1])
    if reading.columns.id is not None:
        columns["ids"] = Request("id", reading.columns.id)
    with rows_of(predictions.file, columns) as rows:
        return dict(rows)


def _prepare_rows(columns: dict[str, Any], reading: Reading) -> Rows:
    """Return the rows of a file, complete, with high scores for the positive class."""
    from cutline.ledger.why import prepare_rows

    options: dict[str, Any] = {"positive": reading.positive, "missing": reading.missing}
    options["higher_is_positive"] = not reading.lower_is_positive
    return prepare_rows(**{name: column for name, column in columns.items() if name != "ids"}, **options)


def _turn_threshold(threshold: float | None, reading: Reading) -> float | None:
    return -threshold if threshold is not None and reading.lower_is_positive else threshold


def _compare_files(files: Sequence[str], reading: Reading, question: WhyOptions) -> FileDifference:
    """Return what differs between two files."""
    from cutline.core import validation
    from cutline.inputs.rank import select_complete_cases
    from cutline.ledger import two_files
    from cutline.ledger.quantity import parse_quantity

    q = parse_quantity(question.measure or _MEASURE)
    predictions = [_open(path, reading) for path in files]
    columns = [_read_columns(prediction, reading) for prediction in predictions]
    rows = [_prepare_rows(own, reading) for own in columns]
    ids: tuple[Any, Any] | None = None
    if reading.columns.id is not None:
        options: dict[str, Any] = {"positive": reading.positive, "missing": reading.missing}
        cases = [
            select_complete_cases(own["labels"], own["scores"], own.get("weights"), **options).position
            for own in columns
        ]
        first, second = (
            validation.as_column(own["ids"], "id")[position] for own, position in zip(columns, cases, strict=True)
        )
        ids = first, second
    names = (predictions[0].name, predictions[1].name)
    if names[0] == names[1]:
        names = (escape_controls(files[0]), escape_controls(files[1]))
    return two_files.compare_files(rows[0], rows[1], q, names, _turn_threshold(reading.threshold, reading), ids)


def _print_tool_value(answer: ToolValue, *, as_json: bool) -> None:
    """Print the number alone on standard output, and its origin on standard error."""
    value, tool, entry = answer.value, answer.tool, answer.entry
    if as_json:
        known = value if math.isfinite(value) else None
        print_json({"schema": "cutline/as/1", "tool": tool.name, "version": tool.version, "how": tool.how,
                    "measure": entry.measure, "function": entry.function, "note": entry.note,
                    "value": known})  # fmt: skip
        return
    write_stdout(f"{format_value(value) if math.isnan(value) else repr(value)}\n")
    note = f": {entry.note}" if entry.note else ""
    render.make_console(error=True).print(Text(f"({tool.known}; {entry.function}{note})", style="dim"))


def _show_tools(tools: ToolTable, *, full: bool) -> None:
    """Print a line for each number, or with one measure all tools and the whole reasons."""
    screen = render.make_console()
    table = tools.full_table if full else tools.table
    rows, last = [], ""
    for measure, value, *words in table.rows:
        rows.append((Text(str(measure) if measure != last else "", style="bold"), str(value), *map(str, words)))
        last = str(measure)
    screen.print(render.make_grid(screen, table.columns, rows))
    if tools.documented:
        screen.print(Text("* not run: from the tool's documentation. All others were run.", style="dim"))
    if tools.left_out:
        screen.print(Text(f"No number here: {', '.join(tools.left_out)}.", style="dim"))
