"""The work of `evaluate --fold` and `compare --fold`: cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from cutline.cli import render
from cutline.cli.evaluate import render_evaluation, select_headlines
from cutline.cli.options import MeasureOptions, Reading, SelectionOptions, refuse
from cutline.cli.output import FileOutput
from cutline.cli.progress import show_progress
from cutline.cli.reading import PredictionFile, open_predictions
from cutline.cli.text import escape_controls, name_options_in_notes
from cutline.core.validation import clean_model_name
from cutline.folds.comparison import FoldComparison, compare_folds
from cutline.folds.evaluation import FoldEvaluation, evaluate_folds
from cutline.report import save, save_comparison
from cutline.results.measure_selection import list_headlines


def run_folds(
    paths: Sequence[str],
    fold: str,
    repeat: str | None,
    reading: Reading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    refused: Mapping[str, Any],
) -> None:
    """Evaluate the out-of-fold predictions of one model and show the results.

    Args:
        paths: The files of predictions.
        fold: The column of the folds.
        repeat: The column of the repeats.
        reading: How the files are read.
        selection: Which measures.
        output: Where they go.
        name: What to call the model.
        refused: Options that do not apply to folds, with their values.
    """
    _check_options(reading, selection, output, refused)
    predictions = open_predictions(paths, reading, folds=_list_columns(fold, repeat), quiet=output.quiet)
    score = predictions.chosen.scores[0]
    ev = _evaluate_model(predictions, score, fold, repeat, reading, escape_controls(clean_model_name(name) or score))
    every = selection.by_name is None and not output.is_whole
    chosen: Any = list_headlines(ev.cut) if every else selection.chosen
    with show_progress("Measuring the folds", quiet=output.quiet):
        summary = ev.summary(chosen, family=selection.family, level=selection.level)
    summary = replace(summary, notes=name_options_in_notes(summary.notes))
    printed = select_headlines(summary, selection, ev.cut)
    output.say_guesses(predictions.chosen.guesses)
    output.print_summary(printed, render_evaluation(render.make_console(), printed), warned=True)
    output.write_documents(lambda path: save(ev, path, overwrite=output.force, summary=summary))


def _check_options(reading: Reading, selection: MeasureOptions, output: FileOutput, refused: Mapping[str, Any]) -> None:
    """Raise if an option does not apply to folds, or a file cannot be written."""
    stratum = reading.columns.stratum
    refuse("--fold", {**refused, "--png": output.png, "--resamples": selection.resamples, "--stratum": stratum})
    output.check()
    selection.check()


def _list_columns(fold: str, repeat: str | None) -> list[str]:
    return [fold] if repeat is None else [fold, repeat]


def _evaluate_model(
    predictions: PredictionFile, score: str, fold: str, repeat: str | None, reading: Reading, name: str
) -> FoldEvaluation:
    c = reading.columns
    split: dict[str, Any] = {"folds": fold, "repeats": repeat, "groups": c.group}
    label, file = predictions.chosen.label, predictions.file
    return evaluate_folds(label, score, c.weight, data=file, name=name, **split, **reading.common)


def run_fold_comparison(
    paths: Sequence[str],
    fold: str,
    repeat: str | None,
    reading: Reading,
    selection: MeasureOptions,
    output: FileOutput,
    rope: float,
    refused: Mapping[str, Any],
) -> None:
    """Compare models on the same folds and show the results.

    Args:
        paths: The file of predictions.
        fold: The column of the folds.
        repeat: The column of the repeats.
        reading: How the file is read.
        selection: Which measures.
        output: Where they go.
        rope: The region of practical equivalence.
        refused: Options that do not apply to folds, with their values.
    """
    _check_options(reading, selection, output, refused)
    predictions = open_predictions(paths, reading, models=2, folds=_list_columns(fold, repeat), quiet=output.quiet)
    models = {
        name: _evaluate_model(predictions, name, fold, repeat, reading, name) for name in predictions.chosen.scores
    }
    cmp: FoldComparison = compare_folds(None, models)
    table = cmp.summary(selection.by_name, rope=rope, level=selection.level)
    output.say_guesses(predictions.chosen.guesses)

    def print_table(screen: Console) -> None:
        screen.print(Text(repr(replace(table, below=()))), soft_wrap=True)
        verdict = "\n".join(test.verdict for test in cmp.tests("auc", rope=rope, level=selection.level))
        screen.print(Text(f"\n{verdict}"), soft_wrap=True)
        if not output.quiet:
            screen.print(render.make_notes(cmp.notes))

    output.print(lambda: cmp.to_dict(rope=rope, level=selection.level), table.to_csv, print_table)
    output.write_documents(lambda path: save_comparison(cmp, path, overwrite=output.force, level=selection.level))
