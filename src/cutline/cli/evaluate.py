"""`cutline evaluate`: one model, with its measures, their intervals and what to know about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, command, option, options_of
from cutline.cli.options import FileOutput, LargeReading, SelectionOptions
from cutline.cli.progress import waiting
from cutline.cli.render import REPORT, charts_in_folder, show, start_drawing, write
from cutline.cli.text import notes_in_options
from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from cutline.cli.reading import PredictionFile
    from cutline.evaluation import Evaluation
    from cutline.results.comparison_summary import ComparisonSummary
    from cutline.results.summary import Summary

    Document = TypeVar("Document", Summary, ComparisonSummary)


@command
@o.FILES
@options_of(LargeReading, "reading")
@options_of(SelectionOptions, "selection")
@options_of(FileOutput, "output")
@option("--name", group=o.OUTPUT, advanced=True, help="What to call the model. Example: --name 'model of May'")
@option(
    "--template",
    type=click.Choice([REPORT, "tools", "clinical", "credit"]),
    default=REPORT,
    group=o.OUTPUT,
    advanced=True,
    help="The page that --html writes: the report, the report with what other tools would say of the same "
    "predictions (tools), the validation report of a clinical model, biomarker or reader, or score bands and approval "
    "rates (credit). Example: --template clinical",
)
@o.PLUGIN
@option(
    "--ranking-csv",
    type=FileName(),
    metavar="FILE",
    group=o.READING,
    advanced=True,
    help="The result of the query of `cutline sql`, in place of predictions. Example: --ranking-csv out.csv",
)
@o.CLASS_SCORES
@o.BY
@option(
    "--simultaneous",
    is_flag=True,
    group=o.DATA,
    advanced=True,
    help="With --by: the intervals of a measure hold for all slices together. Example: --by site --simultaneous",
)
@o.FOLD
@o.REPEAT
@option(
    "--quota-by",
    metavar="COLUMN",
    group=o.CUT,
    advanced=True,
    help="Fill the quota in each value of this column, such as each flight or day, and pool them. "
    "Example: --quota 20 --quota-by flight",
)
@option(
    "--ordered",
    is_flag=True,
    group=o.DATA,
    advanced=True,
    help="The classes of --class-scores stand in their order, from lowest to highest: adds the ranked probability "
    "score. Example: --class-scores lose,draw,win --ordered",
)
@option(
    "--labels",
    metavar="COLUMNS",
    group=o.DATA,
    advanced=True,
    help="Several labels of a case: the columns with 0 or 1 for each, in the order of --class-scores. "
    "Example: --labels sport,money --class-scores sport=p_sport,money=p_money",
)
def evaluate(
    files: tuple[str, ...],
    reading: LargeReading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    template: str,
    ranking_csv: str | None,
    class_scores: tuple[str, ...],
    by: tuple[str, ...],
    simultaneous: bool,
    fold: str | None,
    repeat: str | None,
    quota_by: str | None,
    ordered: bool,
    labels: str | None,
) -> None:
    """Evaluate one model and show the results."""
    if (ordered or labels) and not class_scores:
        option_name = "--ordered" if ordered else "--labels"
        raise ParameterError(f"{option_name} needs --class-scores", "pass a column of scores for each class or label")
    if simultaneous and not by:
        raise ParameterError("--simultaneous is about slices", "pass --by too")
    refused = {"--ranking-csv": ranking_csv, "--class-scores": class_scores, "--template": template != REPORT}
    if quota_by is not None:
        from cutline.cli.quota_periods import run_periods

        run_periods(files, quota_by, reading, selection, output, name, refused | {"--by": by, "--fold": fold})
        return
    if fold is not None:
        from cutline.cli.folds import run_folds

        run_folds(files, fold, repeat, reading, selection, output, name, refused | {"--by": by})
        return
    if repeat is not None:
        raise ParameterError("--repeat is given without --fold", "pass the column of the folds too")
    if by:
        from cutline.cli.slices import run_slices

        run_slices(files, by, reading, selection, output, name, refused, simultaneous=simultaneous)
        return
    if class_scores:
        from cutline.cli.classes import ClassModel, run_classes

        model = ClassModel(files, class_scores, name, template, ranking_csv, ordered, labels)
        run_classes(model, reading, selection, output)
        return
    from cutline.results.measure_selection import headlines

    charts = charts_in_folder(output, several=False)
    output.check(charts)
    selection.check()
    ev, source = _read(files, reading, name, ranking_csv, quiet=output.quiet)
    start_drawing(output)
    summary = summarize_evaluation(ev, selection, whole=output.is_whole, quiet=output.quiet)
    usual = {m.name for m in headlines(ev.cut)}
    shown = summary if selection.by_name else summary.only(usual)
    output.say_guesses(source.chosen.guesses)
    show(output, shown, render.evaluation(render.console(), shown), warned=True)
    write(output, ev, summary, charts, template)


def _read(
    files: tuple[str, ...], reading: LargeReading, name: str | None, ranking_csv: str | None, *, quiet: bool
) -> tuple[Evaluation, PredictionFile]:
    """Read the predictions, or a finished ranking in place of them."""
    from cutline.cli.reading import evaluate_ranking, ranking_file, read_evaluation
    from cutline.core.validation import name_of

    if bool(files) == bool(ranking_csv):
        raise ParameterError("Pass the files of the predictions, or --ranking-csv with a finished ranking.")
    if not ranking_csv:
        return read_evaluation(files, reading, name, quiet=quiet)
    from cutline.inputs.ranking_tables import read_ranking_table

    ranking = read_ranking_table(
        ranking_csv, positive=reading.positive, higher_is_positive=not reading.lower_is_positive
    )
    ev = evaluate_ranking(ranking, reading, name_of(name) or Path(ranking_csv).stem, is_table=True)
    return ev, ranking_file(Path(ranking_csv).name)


def summarize_evaluation(ev: Evaluation, selection: SelectionOptions, *, whole: bool = False, quiet: bool) -> Summary:
    """Return the selected measures with their intervals and the notes on them; all measures for a report.

    Args:
        ev: The model.
        selection: Which measures.
        whole: Whether a report is made.
        quiet: Whether the terminal shows no progress.
    """
    from cutline.advice import add_notes
    from cutline.results.measure_selection import headlines

    chosen = headlines(ev.cut) if selection.by_name is None and not whole else selection.chosen
    with waiting("Resampling for the intervals", quiet=quiet or selection.resamples == 0):
        summary = ev.summary(chosen, family=selection.family, **selection.how)
    return finish_summary(add_notes(ev, summary, selection.by_name), whole=whole)


def finish_summary(summary: Document, *, whole: bool) -> Document:
    """Name options in the notes; judge the probabilities for a whole document, which the screen does without."""
    summary = summary.with_notes(notes_in_options(summary.notes))
    if not whole:
        return summary
    from cutline.calibration.summary import judged_probabilities

    return judged_probabilities(summary)
