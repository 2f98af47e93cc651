"""Where results go: standard output as a table, JSON or CSV, messages on standard error, and files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console, RenderableType
from rich.text import Text

from cutline.cli.command import option
from cutline.cli.options import CSV, FORCE, HTML, JSON, OUTPUT, PATH, QUIET
from cutline.cli.render import make_console, make_notes
from cutline.cli.text import escape_controls, redirect_to_null
from cutline.core import atomic_write
from cutline.core.errors import CutlineError, ParameterError
from cutline.core.escaping import json_text
from cutline.core.memory import find_limit

if TYPE_CHECKING:
    from cutline.charts.picture import Picture
    from cutline.multiclass.class_summary import ClassComparisonSummary, ClassSummary
    from cutline.quota_periods import PeriodSummary
    from cutline.results.comparison_summary import ComparisonSummary
    from cutline.results.summary import Summary

REPORT = "report"  # the page that --html writes by default
_DOCUMENTS = (".html", ".json", ".csv")
_TABLE = ".csv"


def write_stdout(text: str) -> None:
    """Write to standard output, ignoring BrokenPipeError; on a terminal, escape control characters."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = "\n".join(map(escape_controls, text.split("\n")))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        redirect_to_null(sys.stdout)


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document, which holds no NaN, as JSON."""
    is_utf8 = (sys.stdout.encoding or "").lower().startswith("utf")
    write_stdout(json_text(document, only_ascii=not is_utf8) + "\n")


def say(message: str) -> None:
    """Print a message on standard error."""
    sys.stderr.write(escape_controls(message) + "\n")


def describe_guesses(guesses: Sequence[str]) -> str:
    """Return the options that were guessed, as a user would type them."""
    what = "Guessed" if any(guess.startswith("--positive") for guess in guesses) else "The columns were guessed"
    return f"{what}: {' '.join(guesses)}"


@dataclass(frozen=True)
class Output:
    """Options of the printed result, and whether files may be replaced."""

    json: bool = JSON.field()
    force: bool = FORCE.field()
    quiet: bool = QUIET.field()

    def say(self, message: str) -> None:
        """Print a message on standard error, unless the command is quiet."""
        if not self.quiet:
            say(message)

    def say_guesses(self, guesses: Sequence[str]) -> None:
        """Print the options that were guessed."""
        if guesses:
            self.say(describe_guesses(guesses))


@dataclass(frozen=True)
class TableOutput(Output):
    """Options of a result that is printed as a table, as JSON or as CSV."""

    csv: bool = CSV.field()

    def check(self) -> None:
        """Raise if both JSON and CSV are requested."""
        if self.json and self.csv:
            raise ParameterError("--json and --csv both print to standard output", "pass one of them")

    def print(
        self, document: Callable[[], Mapping[str, Any]], csv: Callable[[], str], table: Callable[[Console], object]
    ) -> None:
        """Print a result.

        Args:
            document: Makes its JSON.
            csv: Makes its CSV.
            table: Prints it on a console.
        """
        if self.json:
            print_json(document())
        elif self.csv:
            write_stdout(csv())
        else:
            table(make_console())


class SavesPage(Protocol):
    """A result that writes its own page."""

    def save(self, path: Path, *, overwrite: bool) -> object:
        """Write the page."""


@dataclass(frozen=True)
class PageOutput(TableOutput):
    """Options of the printed result, and of its page."""

    html: Path | None = option(
        "--html", type=PATH, group=OUTPUT, help="Also write the page, one HTML file. Example: --html page.html"
    ).field()

    def check(self) -> None:
        """Raise if the result cannot be printed or its page not be written, before any work is done."""
        super().check()
        if self.html is not None:
            atomic_write.check(self.html, overwrite=self.force)

    def write_page(self, result: SavesPage) -> None:
        """Write the page if its option is given, and say where it is."""
        if self.html is not None:
            result.save(self.html, overwrite=self.force)
            self.say(f"The page is {self.html}.")


@dataclass(frozen=True)
class FileOutput(TableOutput):
    """Options of the printed result, and of the files that are written."""

    verbose: bool = option("--verbose", is_flag=True, group=OUTPUT, help="Show all notes, with their sources.").field()
    html: Path | None = HTML.field()
    save: tuple[Path, ...] = option(
        "--save",
        type=PATH,
        multiple=True,
        group=OUTPUT,
        help="Also write the numbers to a file that ends in .json, .csv or .html; repeat it for more. Together with "
        "--html, the files hold everything that the report shows. Example: --save numbers.json",
    ).field()
    png: Path | None = option(
        "--png",
        type=PATH,
        metavar="FOLDER",
        group=OUTPUT,
        help="Also draw the charts into this folder. Example: --png charts",
    ).field()

    @property
    def documents(self) -> list[Path]:
        """Documents to write: the report, and the files of numbers."""
        return [*([self.html] if self.html else []), *self.save]

    @property
    def is_whole(self) -> bool:
        """Whether a report is written, which shows all measures unless some are named."""
        return any(path.suffix.lower() == ".html" for path in self.documents)

    def list_charts(self, *, several: bool) -> list[str]:
        """Return the charts that --png draws, of one model or of several."""
        if self.png is None:
            return []
        from cutline.charts import CHARTS, Place, Shows

        return [kind.name for kind in CHARTS.at(Place.FOLDER) if not several or kind.shows is not Shows.ONE]

    def check(self, charts: Sequence[str] = ()) -> None:
        """Raise if something cannot be written, before any work is done."""
        if self.json and self.csv:
            raise ParameterError(
                "--json and --csv both print to standard output", "pass one of them, and --save FILE for the other"
            )
        if self.html is not None and self.html.suffix.lower() != ".html":
            raise ParameterError(f"--html is {str(self.html)!r}", "pass a path that ends in .html")
        for path in self.save:
            if path.suffix.lower() not in _DOCUMENTS:
                raise ParameterError(f"--save is {str(path)!r}", f"pass a path that ends in {', '.join(_DOCUMENTS)}")
        if self.png is not None and self.png.exists() and not self.png.is_dir():
            raise ParameterError(f"--png is {str(self.png)!r}, which is a file", "pass a folder")
        pictures = [self.png / f"{name}.png" for name in charts] if self.png is not None and self.png.is_dir() else []
        for path in [*pictures, *self.documents]:
            atomic_write.check(path, overwrite=self.force)

    def refuse_files(self, command: str) -> None:
        """Raise if files are to be written by a command that only prints."""
        if self.documents or self.png:
            raise ParameterError(f"{command} only prints a table", "pass --json or --csv, and no file to write")

    def start_renderer(self) -> None:
        """Start the program that draws the charts of a page on a thread, while the numbers are computed.

        Everything is imported before the thread starts: two threads that import one package see its modules half
        loaded.
        """
        if not self.is_whole:
            return
        import cutline.charts.renderer as renderer
        import cutline.report  # noqa: F401

        if find_limit() is not None:  # it draws in processes of its own, and is refused now rather than after the work
            renderer.start()
            return
        import vl_convert  # noqa: F401

        Thread(target=renderer.start).start()

    def print_summary(
        self,
        summary: Summary | ComparisonSummary | ClassSummary | ClassComparisonSummary | PeriodSummary,
        table: RenderableType,
        *,
        warned: bool = False,
    ) -> None:
        """Print a summary as JSON, as CSV, or as a table with its notes.

        Args:
            summary: The summary.
            table: The table.
            warned: Whether the table begins with the warnings.
        """

        def print_table(screen: Console) -> None:
            screen.print(table)
            if not self.quiet:
                notes = (*summary.notes, *summary.row_notes)
                screen.print(make_notes(notes, verbose=self.verbose, width=screen.width, warned=warned))

        self.print(summary.document, summary.to_csv, print_table)

    def _draw_charts(self, result: Any, charts: Sequence[str], folder: Path) -> None:
        """Draw the charts into a folder, and say which cannot be drawn and why, such as a missing class."""
        from cutline.core.validation import format_count  # loads numpy, which --help does not need

        folder.mkdir(parents=True, exist_ok=True)
        drawn = 0
        for name in charts:
            try:
                picture = result.chart(name)
            except CutlineError as error:
                self.say(f"{name} is left out: {error}")
                continue
            picture.save(folder / f"{name}.png", overwrite=self.force)
            drawn += 1
        self.say(f"{format_count(drawn, 'chart')} {'is' if drawn == 1 else 'are'} in {folder}.")

    def write_documents(self, save: Callable[[Path], object]) -> None:
        """Write the documents, and say where they are.

        Args:
            save: Writes one of them.
        """
        for path in self.documents:
            save(path)
            self.say(f"The {'report is' if path.suffix.lower() == '.html' else 'numbers are in'} {path}.")

    def write_files(self, result: Any, summary: Any, charts: Sequence[str] = (), template: str = REPORT) -> None:
        """Write the charts and the documents.

        Args:
            result: The model, or the models, as `report.save` takes them.
            summary: The numbers.
            charts: The charts to draw, by name.
            template: The page that is written as HTML.
        """
        if self.png is not None:
            self._draw_charts(result, charts, self.png)

        def save_document(path: Path) -> None:
            from cutline.report import save  # loads the charts, which a table on the screen does not need

            page = template if path.suffix.lower() == ".html" else REPORT
            save(result, path, overwrite=self.force, summary=summary, template=page)

        self.write_documents(save_document)


@dataclass(frozen=True)
class TableOrChartOutput(TableOutput):
    """Options of the printed table, and of the table or chart that is written."""

    output: Path | None = option(
        "--output",
        "-o",
        type=PATH,
        group=OUTPUT,
        help="Write the table (.csv) or a chart (.svg, .png, .pdf, .html). Example: -o gains.csv",
    ).field()

    def check(self) -> None:
        """Raise if something cannot be printed or written, before any work is done."""
        from cutline.charts.picture import SUFFIXES

        super().check()
        if self.output is None:
            return
        if self.output.suffix.lower() not in (_TABLE, *SUFFIXES):
            known = f"pass a name that ends in .csv, {', '.join(SUFFIXES)}"
            raise ParameterError(f"--output is {str(self.output)!r}", known)
        atomic_write.check(self.output, overwrite=self.force)

    def write_and_print(self, csv: str, document: dict[str, Any], text: str, draw: Callable[[], Picture]) -> None:
        """Write the table or the chart, and print JSON, CSV or text."""
        if self.output is not None and self.output.suffix.lower() == _TABLE:
            atomic_write.write(self.output, csv.encode(), overwrite=self.force)
        elif self.output is not None:
            draw().save(self.output, overwrite=self.force)
        self.print(lambda: document, lambda: csv, lambda screen: screen.print(Text(text), soft_wrap=True))
