"""Caches of values computed from a ranking; a long ranking caches only the columns that were used last."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Self, TypeVar, overload

import numpy as np

Value = TypeVar("Value")

_LONG = 1_200_000  # scores, from which on keeping every column would take many times the memory of the predictions
_LARGE = 4_000_000  # ... and cells of a stack of shorter rankings
_MOST = 2  # columns of a long ranking that are kept, those that were used last
_HOLDERS = 4  # rankings that keep what is many times as large as they are, those that asked last

_holders: list[weakref.ref[Any]] = []
_changing = threading.Lock()


def is_long(cells: Any) -> bool:
    """Whether columns of this length are too long to cache many; see `Ranking.is_long`."""
    return bool(cells.shape[-1] >= _LONG or cells.size >= _LARGE)


def cached_value(ranking: Any, key: Hashable, make: Callable[..., Value], *arguments: Any) -> Value:
    """Return the cached value for `key`, computing it from the arguments on the first call.

    Columns of a long ranking are cached only while they are among the last used.
    """
    small: dict[Hashable, Value] = ranking.__dict__.setdefault("_values", {})
    if key in small:
        return small[key]
    if not ranking.is_long:
        value = small[key] = make(*arguments)
        return value
    columns: dict[Hashable, Value] = ranking.__dict__.setdefault("_columns", {})
    recent = columns.pop(key, None)
    value = make(*arguments) if recent is None else recent
    if not _is_column(value):
        small[key] = value
        return value
    columns[key] = value  # the one used last is the last
    for old in [*columns][:-_MOST]:  # of a copy: another thread may be changing it
        columns.pop(old, None)
    return value


def cached_large_value(ranking: Any, key: Hashable, make: Callable[[], Value]) -> Value:
    """Return a large cached value, computing it on the first call; only the last few rankings keep theirs."""
    with _changing:
        others = [holder for holder in _holders if (held := holder()) is not None and held is not ranking]
        for holder in others[: 1 - _HOLDERS]:
            if (old := holder()) is not None:
                old.__dict__.pop("_large", None)
        _holders[:] = [*others[1 - _HOLDERS :], weakref.ref(ranking)]
    large: dict[Hashable, Value] = ranking.__dict__.setdefault("_large", {})
    if key not in large:
        large[key] = make()
    return large[key]


def forget(ranking: Any) -> None:
    """Clear the cached columns of a long ranking, to free memory."""
    if "_columns" in ranking.__dict__:  # which only a long one has
        ranking.__dict__["_columns"] = {}  # a new one: another thread may be using the old


def _is_column(value: Any) -> bool:
    """Whether a value is, or holds, an array with the length of a long ranking."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, np.ndarray) and part.size >= _LONG for part in parts)


class cached_column(cached_property[Value]):  # noqa: N801 - a decorator, as cached_property is
    """A cached property with the length of the ranking; a long ranking caches only the last few that were used."""

    @overload
    def __get__(self, ranking: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, ranking: object, owner: type | None = None) -> Value: ...

    def __get__(self, ranking: Any, owner: type | None = None) -> Any:
        if ranking is None or not ranking.is_long:
            return super().__get__(ranking, owner)  # which is asked once: the value then takes the place of the name
        return self.of_long(ranking)

    def of_long(self, ranking: Any) -> Any:
        """Return the value for a long ranking."""
        return cached_value(ranking, self.attrname, self.func, ranking)


class cached_if_short(cached_column[Value]):  # noqa: N801
    """A cached property of several columns, which a long ranking does not cache."""

    def of_long(self, ranking: Any) -> Any:
        """Return the value for a long ranking."""
        return self.func(ranking)
