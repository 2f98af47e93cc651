"""Two threads for work that numpy does without holding the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# Below this many rows, starting threads costs more than they save.
WORTH_THREADS = 200_000


def each(work: Callable[[Item], Result], items: Iterable[Item], rows: int) -> list[Result]:
    """The work done on each item, on two threads when it is about that many rows."""
    if rows < WORTH_THREADS:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(work, items))
