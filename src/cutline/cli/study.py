"""The published experiments from the command line: the list of them, and one of them run and written to a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.text import Text

from cutline.cli import render
from cutline.core.errors import ParameterError
from cutline.studies import STUDIES, Settings, Study, study


def list_studies() -> None:
    """Show every study with its source and its question."""
    screen = render.console()
    rows = [(Text(one.name, style="bold"), one.title, one.source) for one in STUDIES.values()]
    screen.print(render.grid(screen, ("study", "what it asks", "source"), rows))
    screen.print(Text("\nRun one: cutline study skew --quick", style="dim"))


def run_study(name: str, data: Path | None, out: Path | None, quick: bool, seed: int, jobs: int, quiet: bool) -> None:
    """Run a study and write its report.

    Finished parts are kept in the folder, so that an interrupted run goes on where it was.
    """
    chosen = study(name)
    if data is not None and chosen.name != "quota":
        raise ParameterError(f"--data is for the study quota, not for {chosen.name}", "leave it out")
    folder = Path(f"study-{chosen.name}") if out is None else out
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"--out is {str(folder)!r}, which is a file", "pass a folder")
    folder.mkdir(parents=True, exist_ok=True)
    with _Bar(chosen, quiet=quiet) as bar:
        settings = Settings(seed, quick, data, jobs, folder / f"{chosen.name}.progress.jsonl", bar.told)
        report = chosen.run(settings)
    written = report.save(folder)
    screen = render.console()
    if not quiet:
        for paragraph in report.answer:
            screen.print(Text(paragraph + "\n"))
        for line in report.left_out:
            screen.print(Text(f"Left out: {line}", style="dim"))
    page = next(path for path in written if path.suffix == ".html")
    screen.print(Text(f"The report is {page}; {len(written)} files are in {folder}."), soft_wrap=True)


class _Bar:
    """A bar that counts finished parts, for people only."""

    def __init__(self, chosen: Study, *, quiet: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn(f"study {chosen.name}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        shown = not quiet and sys.stderr.isatty()
        self._bar = Progress(*columns, console=render.console(error=True), transient=True, disable=not shown)
        self._task = self._bar.add_task("", total=None)

    def told(self, done: int, of: int) -> None:
        """Show how many parts are done."""
        self._bar.update(self._task, completed=done, total=of)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.stop()
