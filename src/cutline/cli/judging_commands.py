"""The commands `evaluate`, `compare`, `slices` and `check`. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

import typer

from cutline.cli import engine_options as e
from cutline.cli import options as o
from cutline.cli.class_options import ClassScores, ClassScoresOfModels
from cutline.cli.groups import Asked, Files, Gate, Intervals, LargeReading, Named, Output, ReadingAtCut


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
) -> None:
    """The command `evaluate`."""
    from cutline.cli.evaluate import run_evaluate

    if by:
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
) -> None:
    """The command `compare`."""
    from cutline.cli.evaluate import run_compare

    if independent:
        from cutline.cli.rankings import run_independent

        run_independent(files, reading, asked, output)
        return
    if class_scores:
        from cutline.cli.classes import run_class_comparison

        run_class_comparison(files, class_scores, reading, asked, output)
        return
    run_compare(files, reading, asked, output)


def slices(
    files: e.Files = None,
    *,
    reading: LargeReading,
    asked: Intervals,
    output: Files,
    by: e.By = None,
    measure: e.SliceMeasure = "auc",
    alternative: e.Alternative = "two-sided",
    adjust: e.Adjust = "auto",
    margin: e.SliceMargin = 0.0,
    gap: e.Gap = False,
    fairness: e.FairnessOption = False,
    least: e.Least = None,
    find: e.Find = False,
    features: e.Features = None,
    depth: e.Depth = 2,
    method: e.SearchMethod = "permutation",
    plugin: o.Plugin = None,
) -> None:
    """The command `slices`."""
    from cutline.cli.slices import run_comparison, run_search
    from cutline.core.errors import ParameterError

    if find == bool(by):
        raise ParameterError("`cutline slices` compares slices or finds some", "pass --by, or --find with --features")
    if find:
        if gap or fairness or margin or output.documents or output.png:
            raise ParameterError("--find takes no --gap, --fairness, --margin or files", "leave them out")
        loss = "error_rate" if measure == "auc" else measure
        options = {"measure": loss, "depth": depth, "least": least or 50, "level": asked.level, "method": method}
        run_search(files or [], reading, features, options | {"seed": asked.seed}, output)
        return
    if features is not None:
        raise ParameterError("--features belongs to --find", "pass both, or --by")
    options = {"alternative": alternative, "adjust": adjust, "margin": margin, "level": asked.level, "seed": asked.seed}
    few = 5 if least is None else least
    run_comparison(files or [], by or [], reading, measure, options, output, gap=gap, fairness=fairness, least=few)


def check(
    file: o.File,
    gate: Gate,
    reading: ReadingAtCut,
    asked: Intervals,
    output: Output,
    plugin: o.Plugin = None,
    by: e.By = None,
) -> None:
    """The command `check`."""
    from cutline.cli.check import run_check

    raise typer.Exit(0 if run_check(file, reading, asked, gate, output, tuple(by or ())) else 1)
