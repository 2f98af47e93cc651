"""Where results go: the terminal, documents, and a folder of charts."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from cutline.cli import render
from cutline.cli.options import FileOutput
from cutline.core.address_space import find_limit

if TYPE_CHECKING:
    from cutline.multiclass.class_summary import ClassSummary
    from cutline.multiclass.difference_summary import ClassComparisonSummary
    from cutline.results.comparison_summary import ComparisonSummary
    from cutline.results.summary import Summary

REPORT = "report"


def charts_in_folder(output: FileOutput, *, several: bool) -> list[str]:
    """Return the charts that --png draws: those declared for a folder, of one model or of several."""
    if output.png is None:
        return []
    from cutline.charts import CHARTS, Place, Shows

    return [kind.name for kind in CHARTS.at(Place.FOLDER) if not several or kind.shows is not Shows.ONE]


def show(
    output: FileOutput,
    summary: Summary | ComparisonSummary | ClassSummary | ClassComparisonSummary,
    table: RenderableType,
    *,
    warned: bool = False,
) -> None:
    """Print the results as JSON, as CSV, or as a table with its notes.

    Args:
        output: Where and how.
        summary: The results.
        table: The results as the terminal shows them.
        warned: Whether the table begins with the warnings.
    """
    if output.json:
        render.print_json(summary.document())
    elif output.csv:
        render.put(summary.to_csv())
    else:
        screen = render.console()
        screen.print(table)
        if not output.quiet:
            every = (*summary.notes, *summary.row_notes)
            screen.print(render.notes(every, verbose=output.verbose, width=screen.width, warned=warned))


def start_drawing(output: FileOutput) -> None:
    """Start the drawing program of a page on a thread, while the numbers are computed.

    Everything is imported before the thread starts: two threads that import one package see its modules half loaded.
    """
    if output.is_whole:
        import cutline.charts.renderer as renderer
        import cutline.report  # noqa: F401

        if find_limit() is not None:  # it draws in processes of its own, and is refused now rather than after the work
            renderer.start()
            return
        import vl_convert  # noqa: F401

        Thread(target=renderer.start).start()


def write(output: FileOutput, result: Any, summary: Any, charts: Sequence[str], template: str = REPORT) -> None:
    """Write the files that the options name.

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
        output.say(f"{len(charts)} charts are in {output.png}.")
    for path in output.documents:
        from cutline.report import save  # which loads all that draws: not for numbers on the screen

        is_page = path.suffix.lower() == ".html"
        save(result, path, overwrite=output.force, summary=summary, template=template if is_page else REPORT)
        output.say(f"The {'report is' if is_page else 'numbers are in'} {path}.")
