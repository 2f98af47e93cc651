"""The work of `evaluate --quota-by` and `compare --quota-by`: a quota in each period, such as each flight."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.options import FileOutput, MeasureOptions, Reading, SelectionOptions
from cutline.cli.progress import waiting
from cutline.cli.reading import open_predictions
from cutline.cli.render import show
from cutline.cli.text import printable
from cutline.core.errors import ParameterError
from cutline.core.table import p_number, shown
from cutline.core.validation import name_of
from cutline.evaluation import evaluate
from cutline.quota_periods import MEASURES, PeriodComparison, PeriodSummary, compare_periods


def run_periods(
    paths: Sequence[str],
    period: str,
    reading: Reading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    refused: Mapping[str, Any],
) -> None:
    """Evaluate a quota in each period and show the results.

    Args:
        paths: The files of predictions.
        period: The column whose values are the periods.
        reading: How the files are read.
        selection: The level of the intervals; nothing else is selected.
        output: Where the results go.
        name: What to call the model.
        refused: Options that periods have no use for, with what was given: none is read and ignored.
    """
    c = reading.columns
    _check_options(reading, selection, output, {"--family": selection.family, "--exact": reading.exact, **refused})
    if not paths:
        raise ParameterError("Pass the files of the predictions.")
    if len(c.scores) > 1:
        raise ParameterError(f"--score is given {len(c.scores)} times", "pass it once for this command")
    output.check()
    source = open_predictions(paths, reading, quota_by=period, quiet=output.quiet)
    score = source.chosen.scores[0]
    with waiting("Reading the predictions", quiet=output.quiet, unit="rows"):
        periods: Any = evaluate(
            source.chosen.label,
            score,
            c.weight,
            quota_by=period,
            data=source.file,
            name=printable(name_of(name) or score),
            memory=reading.memory,
            **reading.common,
        )
    summary = periods.summary(level=selection.level)
    output.say_guesses(source.chosen.guesses)
    for path in output.documents:
        periods.save(path, level=selection.level, overwrite=output.force)
        output.say(f"The {'report is' if path.suffix.lower() == '.html' else 'numbers are in'} {path}.")
    show(output, summary, _render(summary))


def _check_options(reading: Reading, selection: MeasureOptions, output: FileOutput, refused: Mapping[str, Any]) -> None:
    """Refuse options that quotas in periods have no use for: none is read and ignored."""
    c = reading.columns
    chosen = {"--measures": selection.by_name, "--resamples": selection.resamples, "--png": output.png}
    apart = {"--group": c.group, "--stratum": c.stratum, "--id": c.id, "--threshold": reading.threshold is not None}
    for option, value in {**refused, **chosen, **apart}.items():
        if value:
            raise ParameterError(f"--quota-by cannot be combined with {option}", "leave one of them out")


def run_period_comparison(
    paths: Sequence[str],
    period: str,
    reading: Reading,
    selection: MeasureOptions,
    output: FileOutput,
    refused: Mapping[str, Any],
) -> None:
    """Compare the models of one file that fill a quota in each period, and show the results.

    Args:
        paths: The file of the predictions.
        period: The column whose values are the periods.
        reading: How the file is read.
        selection: The level of the intervals; nothing else is selected.
        output: Where the results go.
        refused: Options that periods have no use for, with what was given: none is read and ignored.
    """
    _check_options(reading, selection, output, refused)
    if output.documents:
        raise ParameterError("compare --quota-by prints a table alone", "pass --json or --csv, and no file to write")
    if len(paths) != 1:
        raise ParameterError(f"compare --quota-by takes one file (got {len(paths)})", "pass the one with all models")
    output.check()
    c = reading.columns
    source = open_predictions(paths[0], reading, models=2, quota_by=period, quiet=output.quiet)
    models: dict[str, Any] = {}
    with waiting("Reading the predictions", quiet=output.quiet, unit="rows"):
        for score in source.chosen.scores:
            how = {"quota_by": period, "data": source.file, "name": printable(score), **reading.common}
            models[printable(score)] = evaluate(source.chosen.label, score, c.weight, **how)
    compared = compare_periods(models, level=selection.level)
    output.say_guesses(source.chosen.guesses)
    if output.json:
        render.print_json(compared.document())
    elif output.csv:
        render.put(compared.to_csv())
    else:
        render.console().print(_render_comparison(compared))


def _render_comparison(compared: PeriodComparison) -> RenderableType:
    """Render the verdict, and a line for each measure and pair of models."""
    screen = render.console()
    rows = [
        (
            f"{MEASURES[row.measure].title.partition(',')[0]}: {row.a} - {row.b}",
            shown(row.value_a),
            shown(row.value_b),
            shown(row.difference),
            render.interval(None if math.isnan(row.low) else (row.low, row.high)),
            p_number(row.p_holm),
        )
        for row in compared.rows
    ]
    interval = f"{100 * compared.level:g} % interval"
    head = ("", "first", "second", "difference", interval, "p" if len(compared.models) == 2 else "p (Holm)")
    first = render.sentences(screen, compared.verdict)
    title = Text(render.fold(printable(compared.title), screen.width))
    notes = [Text(f"- {printable(note.text)}", style="dim") for note in compared.notes]
    table = render.fitted_grid(screen, head, rows, ("second", "first"), interval)
    return Group(*first, Text(), title, Text(), table, *notes)


def _render(summary: PeriodSummary) -> RenderableType:
    """Render the title, and a line for each measure."""
    rows = [
        (
            MEASURES[e.measure].title,
            shown(e.value),
            render.interval((e.low, e.high) if e.has_interval else None),
            shown(baseline),
            shown(optimum),
        )
        for e, _, baseline, optimum in summary.rows
    ]
    head = ("", "value", f"{100 * summary.level:g} % interval", "baseline", "optimum")
    screen = render.console()
    first = render.sentences(screen, summary.verdict)
    title = Text(render.fold(printable(summary.periods.title), screen.width))
    return Group(*first, Text(), title, Text(), render.grid(screen, head, rows))
