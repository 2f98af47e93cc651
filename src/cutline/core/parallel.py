"""Two threads for work of numpy that releases the interpreter; an interruption ends them at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")
Watcher = Callable[[int, int], None]

# Below this many rows, starting threads costs more than they save.
WORTH_THREADS = 200_000

_watchers: list[Watcher] = []
_here = threading.local()  # of a thread that works for `map_parallel`: what tells it to stop


class UnwantedError(Exception):
    """Raised inside a thread whose result is no longer needed, to end it."""


def map_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], rows: int, *, reports: bool = False
) -> list[Result]:
    """Apply the work to each item, on two threads when there are enough rows.

    When one item fails, or when the caller is interrupted, the error is raised at once: items that have not begun are
    dropped, and those that have begun end at their next `stop_if_unwanted()`.

    Args:
        work: What is done to an item.
        items: The items; results come in their order.
        rows: How many rows all items have together.
        reports: Whether watchers are told of the progress.
    """
    if rows < WORTH_THREADS:
        return [work(item) for item in items]
    from concurrent.futures import as_completed

    with _open_pool(work, 2) as begin:
        waiting = [begin(item) for item in items]
        for done, future in enumerate(as_completed(waiting), start=1):
            future.result()  # raises what it raised
            if reports:
                report_progress(done, len(waiting))
    return [future.result() for future in waiting]


def iterate_parallel(work: Callable[[Item], Result], items: Iterable[Item], rows: int) -> Iterator[Result]:
    """Yield the results in the order of the items, each when it and those before it are ready.

    Args:
        work: What is done to an item.
        items: The items.
        rows: How many rows an item has.
    """
    if rows < WORTH_THREADS:
        yield from map(work, items)
        return
    with _open_pool(work, 2) as begin:
        for future in [begin(item) for item in items]:
            yield future.result()


@contextmanager
def run_in_background(work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Run the work in another thread while the block runs; yield a function that waits for the result.

    When the block fails or is interrupted, the work ends at its next `stop_if_unwanted()`.

    Args:
        work: What is done meanwhile.
    """
    with _open_pool(lambda _: work(), 1) as begin:
        yield begin(None).result


@contextmanager
def _open_pool(work: Callable[[Item], Result], number: int) -> Iterator[Callable[[Item], Future[Result]]]:
    """Yield a function that submits an item to a pool of threads; pending work is abandoned when the block fails."""
    from concurrent.futures import ThreadPoolExecutor

    unwanted = (*getattr(_here, "unwanted", ()), threading.Event())  # work inside of work stops with it

    def watched_work(item: Item) -> Result:
        _here.unwanted = unwanted
        stop_if_unwanted()
        return work(item)

    pool = ThreadPoolExecutor(max_workers=number)
    try:
        yield lambda item: pool.submit(watched_work, item)
    except BaseException:
        unwanted[-1].set()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def stop_if_unwanted() -> None:
    """End this thread's work when its result is no longer needed; long work calls this about ten times a second."""
    for event in getattr(_here, "unwanted", ()):
        if event.is_set():
            raise UnwantedError


@contextmanager
def report_progress_to(watcher: Watcher) -> Iterator[None]:
    """Report to the watcher, while the block runs, how many items of long work are done, and of how many."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def is_watched() -> bool:
    """Whether a progress display is active."""
    return bool(_watchers)


def report_progress(done: int, of: int) -> None:
    """Report to the watcher, if any, how many items are done, and of how many."""
    if _watchers:
        _watchers[-1](done, of)
