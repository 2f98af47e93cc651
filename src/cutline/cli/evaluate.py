"""The work of `evaluate` and `compare`: which numbers, and where they go."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import RenderableType

from cutline.advice import noted
from cutline.cli import render
from cutline.cli.groups import Asked, Files, Named, Reading
from cutline.cli.progress import waiting
from cutline.cli.reading import check_classes, evaluated_ranking, finished, read_comparison, read_evaluation
from cutline.cli.text import in_options
from cutline.comparison import Comparison
from cutline.core.atomic_write import json_text
from cutline.core.errors import ParameterError
from cutline.core.validation import name_of
from cutline.evaluation import Evaluation
from cutline.inputs.ranking_tables import read_ranking_table
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.measure_selection import headlines
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.multiclass.class_summary import ClassSummary
    from cutline.multiclass.difference_summary import ClassComparisonSummary

REPORT = "report"
Document = TypeVar("Document", Summary, ComparisonSummary)


def print_json(document: Mapping[str, Any]) -> None:
    """A document as JSON; it holds no NaN."""
    render.put(json_text(document, only_ascii=not _is_utf8()) + "\n")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


# ---------------------------------------------------------------------- where the results go


def charts_in_folder(output: Files, *, several: bool) -> list[str]:
    """The charts that --png draws: those declared for a folder, of one model or of several."""
    if output.png is None:
        return []
    from cutline.charts import CHARTS, Place, Shows

    return [kind.name for kind in CHARTS.at(Place.FOLDER) if not several or kind.shows is not Shows.ONE]


def show(
    output: Files, summary: Summary | ComparisonSummary | ClassSummary | ClassComparisonSummary, table: RenderableType
) -> None:
    """Print the results as they are wanted."""
    if output.json:
        print_json(summary.document())
    elif output.csv:
        render.put(summary.to_csv())
    else:
        screen = render.console()
        screen.print(table)
        if not output.quiet:
            screen.print(render.notes((*summary.notes, *summary.row_notes)))


def start_drawing(output: Files) -> None:
    """Start the drawing program of a page on a thread, while the numbers are computed.

    Everything is imported before the thread starts: two threads that import one package see its modules half loaded.
    """
    if output.is_whole:
        import vl_convert  # noqa: F401

        import cutline.charts.renderer as renderer
        import cutline.report  # noqa: F401

        Thread(target=renderer.start).start()


def write(output: Files, result: Any, summary: Any, charts: Sequence[str], template: str) -> None:
    """Write the files that are wanted.

    Args:
        output: Which files.
        result: The model, or the models, as `report.save` takes them.
        summary: The numbers.
        charts: The pictures, by name.
        template: The page that is written as HTML.
    """
    if output.png is not None:
        output.png.mkdir(parents=True, exist_ok=True)
        for name in charts:
            result.chart(name).save(output.png / f"{name}.png", overwrite=output.force)
        output.said(f"{len(charts)} charts are in {output.png}.")
    for path in output.documents:
        from cutline.report import save  # which loads all that draws: not for numbers on the screen

        is_page = path.suffix.lower() == ".html"
        save(result, path, overwrite=output.force, summary=summary, template=template if is_page else REPORT)
        output.said(f"The {'report is' if is_page else 'numbers are in'} {path}.")


# ---------------------------------------------------------------------- commands


def run_evaluate(
    paths: Sequence[str],
    reading: Reading,
    asked: Asked,
    output: Files,
    *,
    name: str | None,
    template: str = REPORT,
    ranking_csv: str | None = None,
) -> None:
    """Evaluate one model and show the results.

    Args:
        paths: The files of predictions.
        reading: How they are read.
        asked: Which numbers are wanted.
        output: Where they go.
        name: What to call the model.
        template: The page that is written as HTML.
        ranking_csv: A finished ranking, in place of predictions.
    """
    charts = charts_in_folder(output, several=False)
    output.check(charts)
    asked.check()
    if bool(paths) == bool(ranking_csv):
        raise ParameterError("Pass the files of the predictions, or --ranking-csv with a finished ranking.")
    if ranking_csv:
        ranking = read_ranking_table(
            ranking_csv, positive=reading.positive, higher_is_positive=not reading.lower_is_positive
        )
        ev = evaluated_ranking(ranking, reading, name_of(name) or Path(ranking_csv).stem, is_table=True)
        found = finished(Path(ranking_csv).name)
        check_classes(ev, found)
    else:
        ev, found = read_evaluation(paths, reading, name, quiet=output.quiet)
    start_drawing(output)
    summary = evaluated(ev, asked, whole=output.is_whole, quiet=output.quiet)
    usual = {m.name for m in headlines(ev.cut)}
    shown = summary if asked.by_name else summary.only(usual)
    output.guessed(found.chosen.guesses)
    show(output, shown, render.evaluation(render.console(), shown))
    write(output, ev, summary, charts, template)


def evaluated(ev: Evaluation, asked: Asked, *, whole: bool = False, quiet: bool) -> Summary:
    """The measures that are wanted, with their intervals and the notes on them; all of them for a report.

    Args:
        ev: The model.
        asked: Which numbers are wanted.
        whole: Whether a report is made.
        quiet: Whether the terminal shows no progress.
    """
    chosen = headlines(ev.cut) if asked.by_name is None and not whole else asked.chosen
    with waiting("Resampling for the intervals", quiet=quiet or asked.resamples == 0):
        summary = ev.summary(chosen, family=asked.family and asked.family.value, **asked.how)
    summary = _in_options(noted(ev, summary, asked.by_name))
    return _judged(summary) if whole else summary


def run_compare(paths: Sequence[str], reading: Reading, asked: Named, output: Files) -> None:
    """Compare models and show the results.

    Args:
        paths: The files of predictions.
        reading: How they are read.
        asked: Which numbers are wanted.
        output: Where they go.
    """
    charts = charts_in_folder(output, several=True)
    output.check(charts)
    asked.check()
    cmp, guesses = read_comparison(paths, reading)
    start_drawing(output)
    summary = compared(cmp, asked, whole=output.is_whole or output.json, quiet=output.quiet)
    output.guessed(guesses)
    show(output, summary, render.comparison(render.console(), summary))
    write(output, cmp, summary, charts, REPORT)


def compared(cmp: Comparison, asked: Named, *, whole: bool, quiet: bool) -> ComparisonSummary:
    """The differences that are wanted and the notes on them; with all measures of each model for a whole document."""
    of_models = "all" if asked.measures is None and whole else None
    with waiting("Resampling for the intervals", quiet=quiet or asked.resamples == 0):
        summary = cmp.summary(asked.chosen, of_models=of_models, **asked.how)
    summary = _in_options(noted(cmp, summary, asked.by_name))
    return _judged(summary) if whole else summary


def _judged(summary: Document) -> Document:
    """The summary with the judgement of the probabilities, which numbers on the screen do without."""
    from cutline.calibration.summary import judged_probabilities

    return judged_probabilities(summary)


def _in_options(summary: Document) -> Document:
    """The summary with notes that name options of the command line."""
    return summary.with_notes(tuple(replace(note, text=in_options(note.text)) for note in summary.notes))
