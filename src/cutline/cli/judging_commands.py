"""The commands `evaluate`, `compare` and `check`. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

import typer

from cutline.cli import engine_options as e
from cutline.cli import options as o
from cutline.cli.class_options import ClassScores, ClassScoresOfModels
from cutline.cli.groups import Asked, Files, Gate, Intervals, LargeReading, Named, Output, ReadingAtCut
from cutline.core.errors import ParameterError


def evaluate(
    files: e.Files = None,
    *,
    reading: LargeReading,
    asked: Asked,
    output: Files,
    name: o.Name = None,
    template: o.PageTemplate = o.Template.report,
    plugin: o.Plugin = None,
    ranking_csv: e.RankingCsv = None,
    class_scores: ClassScores = None,
    by: e.By = None,
    fold: e.Fold = None,
    repeat: e.Repeat = None,
) -> None:
    """The command `evaluate`."""
    from cutline.cli.evaluate import run_evaluate

    if fold is not None:
        from cutline.cli.folds import run_folds

        other_page = template is not o.Template.report
        unused = {"--ranking-csv": ranking_csv, "--class-scores": class_scores, "--template": other_page, "--by": by}
        run_folds(files or [], fold, repeat, reading, asked, output, name, unused)
        return
    if repeat is not None:
        raise ParameterError("--repeat is given without --fold", "pass the column of the folds too")
    if by is not None:
        from cutline.cli.slices import run_slices

        other_page = template is not o.Template.report
        unused = {"--ranking-csv": ranking_csv, "--class-scores": class_scores, "--template": other_page}
        run_slices(files or [], by, reading, asked, output, name, unused)
        return
    if class_scores:
        from cutline.cli.classes import ClassModel, run_classes

        asked_of = ClassModel(files or [], class_scores, name, template.value, ranking_csv)
        run_classes(asked_of, reading, asked, output)
        return
    run_evaluate(files or [], reading, asked, output, name=name, template=template.value, ranking_csv=ranking_csv)


def compare(
    files: o.SeveralFiles,
    reading: ReadingAtCut,
    asked: Named,
    output: Files,
    plugin: o.Plugin = None,
    class_scores: ClassScoresOfModels = None,
    independent: e.Independent = False,
    fold: e.Fold = None,
    repeat: e.Repeat = None,
    rope: e.Rope = 0.0,
) -> None:
    """The command `compare`."""
    from cutline.cli.evaluate import run_compare

    if fold is not None:
        from cutline.cli.folds import run_fold_comparison

        unused = {"--independent": independent, "--class-scores": class_scores}
        run_fold_comparison(files, fold, repeat, reading, asked, output, rope, unused)
        return
    if repeat is not None or rope:
        option = "--repeat" if repeat is not None else "--rope"
        raise ParameterError(f"{option} is given without --fold", "pass the column of the folds too")
    if independent:
        from cutline.cli.rankings import run_independent

        run_independent(files, reading, asked, output)
        return
    if class_scores:
        from cutline.cli.classes import run_class_comparison

        run_class_comparison(files, class_scores, reading, asked, output)
        return
    run_compare(files, reading, asked, output)


def check(
    file: o.File, gate: Gate, reading: ReadingAtCut, asked: Intervals, output: Output, plugin: o.Plugin = None
) -> None:
    """The command `check`."""
    from cutline.cli.check import run_check

    raise typer.Exit(0 if run_check(file, reading, asked, gate, output) else 1)
