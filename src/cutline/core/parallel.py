"""Two threads for work that numpy does without holding the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Watcher = Callable[[int, int], None]

# Below this many rows, starting threads costs more than they save.
WORTH_THREADS = 200_000

_watchers: list[Watcher] = []


def each(work: Callable[[Item], Result], items: Iterable[Item], rows: int, *, told: bool = False) -> list[Result]:
    """The work done on each item, on two threads when it is about that many rows; watchers are told of long work."""
    if rows < WORTH_THREADS:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=2) as pool:
        if not (told and _watchers):
            return list(pool.map(work, items))
        every = list(items)
        done = []
        for result in pool.map(work, every):
            done.append(result)
            _watchers[-1](len(done), len(every))
        return done


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell the watcher, while the block runs, how many items of long work are done, and of how many."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
