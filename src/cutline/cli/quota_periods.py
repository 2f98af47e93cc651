"""The work of `evaluate --quota-by` and `compare --quota-by`: a quota in each period, such as each flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.options import MeasureOptions, Reading, SelectionOptions, refuse
from cutline.cli.output import FileOutput
from cutline.cli.reading import evaluate_columns, open_predictions
from cutline.cli.text import escape_controls
from cutline.core.errors import ParameterError
from cutline.core.table import format_p_cell, format_value
from cutline.quota_periods import MEASURES, PeriodComparison, PeriodSummary, QuotaPeriods, compare_periods


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
        refused: Options that do not apply to periods, with their values.
    """
    _check_options(reading, selection, output, {"--family": selection.family, "--exact": reading.exact, **refused})
    output.check()
    source = open_predictions(paths, reading, quota_by=period, quiet=output.quiet)
    periods: QuotaPeriods = evaluate_columns(source, reading, name, quiet=output.quiet, quota_by=period)
    summary = periods.summary(level=selection.level)
    output.say_guesses(source.chosen.guesses)
    output.write_documents(lambda path: periods.save(path, level=selection.level, overwrite=output.force))
    output.print_summary(summary, _render(render.make_console(), summary))


def _check_options(reading: Reading, selection: MeasureOptions, output: FileOutput, refused: Mapping[str, Any]) -> None:
    """Raise if an option does not apply to quotas in periods."""
    c = reading.columns
    chosen = {"--measures": selection.by_name, "--resamples": selection.resamples, "--png": output.png}
    apart = {"--group": c.group, "--stratum": c.stratum, "--id": c.id, "--threshold": reading.threshold is not None}
    refuse("--quota-by", {**refused, **chosen, **apart})


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
        refused: Options that do not apply to periods, with their values.
    """
    _check_options(reading, selection, output, refused)
    if output.documents:
        raise ParameterError("compare --quota-by only prints a table", "pass --json or --csv, and no file to write")
    if len(paths) != 1:
        raise ParameterError(f"compare --quota-by takes one file (got {len(paths)})", "pass the one with all models")
    output.check()
    source = open_predictions(paths[0], reading, models=2, quota_by=period, quiet=output.quiet)
    models: dict[str, QuotaPeriods] = {
        escape_controls(score): evaluate_columns(
            source, reading, score, quiet=output.quiet, score=score, quota_by=period
        )
        for score in source.chosen.scores
    }
    compared = compare_periods(models, level=selection.level)
    output.say_guesses(source.chosen.guesses)
    output.print(compared.document, compared.to_csv, lambda screen: screen.print(_render_comparison(screen, compared)))


def _render_comparison(screen: Console, compared: PeriodComparison) -> RenderableType:
    """Render the verdict, and a line for each measure and pair of models."""
    rows = [
        (
            f"{MEASURES[row.measure].title.partition(',')[0]}: {row.a} - {row.b}",
            format_value(row.value_a),
            format_value(row.value_b),
            format_value(row.difference),
            render.format_interval((row.low, row.high)),
            format_p_cell(row.p_holm),
        )
        for row in compared.rows
    ]
    interval = render.format_interval_title(compared.level)
    head = ("", "first", "second", "difference", interval, "p" if len(compared.models) == 2 else "p (Holm)")
    first = render.fold_sentences(screen, compared.verdict)
    title = Text(render.fold(escape_controls(compared.title), screen.width))
    notes = [Text(f"- {escape_controls(note.text)}", style="dim") for note in compared.notes]
    table = render.make_fitted_grid(screen, head, rows, ("second", "first"), interval)
    return Group(*first, Text(), title, Text(), table, *notes)


def _render(screen: Console, summary: PeriodSummary) -> RenderableType:
    """Render the title, and a line for each measure."""
    rows = [
        (
            MEASURES[e.measure].title,
            format_value(e.value),
            render.format_interval((e.low, e.high)),
            format_value(baseline),
            format_value(optimum),
        )
        for e, _, baseline, optimum in summary.rows
    ]
    head = ("", "value", render.format_interval_title(summary.level), "baseline", "optimum")
    first = render.fold_sentences(screen, summary.verdict)
    title = Text(render.fold(escape_controls(summary.periods.title), screen.width))
    return Group(*first, Text(), title, Text(), render.make_grid(screen, head, rows))
