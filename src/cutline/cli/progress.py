"""A bar while work takes longer than a second; only for people, that is when standard error is a terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cutline.cli.render import console
from cutline.core.parallel import watched

_PATIENCE = 1.0  # seconds before anything is shown


@contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show how much is done and the seconds that have passed, once the work takes longer than a second."""
    screen = console(error=True)
    if quiet or not screen.is_terminal:
        yield
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=screen, transient=True)
    task = bar.add_task(what, total=None)  # moving to and fro until something is done

    def told(done: int, of: int) -> None:
        bar.update(task, completed=done, total=of)

    timer = threading.Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with watched(told):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
