"""`cutline study`: the published experiments, listed, or one of them run and written to a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import argument, command, option
from cutline.cli.completion import complete_study
from cutline.core.errors import ParameterError

RUN = "Run the study"


@command
@argument("name", required=False, metavar="[NAME]", shell_complete=complete_study, help="The name of a study.")
@option("--list", "is_list", is_flag=True, group=RUN, help="List the studies. Example: cutline study --list")
@option(
    "--data",
    type=o.PATH,
    group=RUN,
    help="A folder with the data sets as CSV files, for the study quota. Example: --data uci",
)
@option(
    "--out",
    type=o.PATH,
    group=RUN,
    help="The folder to write to; study-NAME by default. Example: --out results",
)
@option("--quick", is_flag=True, group=RUN, help="Run a short version, in less than two minutes.")
@o.SEED
@option(
    "--jobs",
    type=click.IntRange(min=1),
    default=2,
    group=RUN,
    help="The number of processes that run in parallel. Example: --jobs 4",
)
@o.QUIET
def study(
    name: str | None,
    is_list: bool,
    data: Path | None,
    out: Path | None,
    quick: bool,
    seed: int,
    jobs: int,
    quiet: bool,
) -> None:
    """Run a study and write its report.

    Finished parts stay in the folder, so that an interrupted run continues where it was.
    """
    from cutline.studies import StudySettings
    from cutline.studies import study as find_study

    if is_list:
        _show_list()
        return
    if name is None:
        raise ParameterError("Pass the name of a study, or --list to see them.")
    chosen = find_study(name)
    if data is not None and chosen.name != "quota":
        raise ParameterError(f"--data is for the study quota, not for {chosen.name}", "leave it out")
    folder = Path(f"study-{chosen.name}") if out is None else out
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"--out is {str(folder)!r}, which is a file", "pass a folder")
    folder.mkdir(parents=True, exist_ok=True)
    with _Bar(chosen.name, quiet=quiet) as bar:
        settings = StudySettings(seed, quick, data, jobs, folder / f"{chosen.name}.progress.jsonl", bar.advance)
        report = chosen.run(settings)
    written = report.save(folder)
    screen = render.make_console()
    if not quiet:
        for paragraph in report.answer:
            screen.print(Text(paragraph + "\n"))
        for line in report.left_out:
            screen.print(Text(f"Left out: {line}", style="dim"))
    page = next(path for path in written if path.suffix == ".html")
    screen.print(Text(f"The report is {page}; {len(written)} files are in {folder}."), soft_wrap=True)


def _show_list() -> None:
    """Show every study with its source and its question."""
    from cutline.studies import STUDIES

    screen = render.make_console()
    rows = [(Text(each.name, style="bold"), each.title, each.source) for each in STUDIES.values()]
    screen.print(render.make_grid(screen, ("study", "what it asks", "source"), rows))
    screen.print(Text("\nRun one: cutline study skew --quick", style="dim"))


class _Bar:
    """A bar that counts finished parts, for people only."""

    def __init__(self, name: str, *, quiet: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn(f"study {name}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        shown = not quiet and sys.stderr.isatty()
        self._bar = Progress(*columns, console=render.make_console(error=True), transient=True, disable=not shown)
        self._task = self._bar.add_task("", total=None)

    def advance(self, done: int, of: int) -> None:
        """Show how many parts are done."""
        self._bar.update(self._task, completed=done, total=of)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.stop()
