"""A bar while work takes longer than a second; only for people, that is when standard error is a terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from cutline.cli.render import make_console
from cutline.core.parallel import report_progress_to

_PATIENCE = 1.0  # seconds before anything is shown


class _Begun(NamedTuple):
    """The start of a pass over the data, and its progress."""

    at: float
    done: int


@contextmanager
def show_progress(what: str, *, quiet: bool = False, unit: str = "") -> Iterator[None]:
    """Show the progress and the elapsed seconds of work that takes longer than a second.

    Args:
        what: The title of the bar.
        quiet: Whether nothing is shown.
        unit: The unit of the speed, such as rows; without it, no speed is shown.
    """
    screen = make_console(error=True)
    if quiet or not screen.is_terminal:
        yield
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    speed = (TextColumn("{task.fields[speed]}"),) if unit else ()
    columns = TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), *speed
    bar = Progress(*columns, console=screen, transient=True)
    task = bar.add_task(what, total=None, speed="")  # moving to and fro until something is done
    begun = _Begun(time.monotonic(), 0)

    def update(done: int, of: int) -> None:
        nonlocal begun
        if done < begun.done:  # the next pass over the data
            begun = _Begun(time.monotonic(), 0)
        begun = begun._replace(done=done)
        passed = time.monotonic() - begun.at
        speed = f"{done / passed / 1e6:.1f} million {unit} a second" if unit and passed > _PATIENCE else ""
        bar.update(task, completed=done, total=of, speed=speed)

    timer = threading.Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with report_progress_to(update):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
