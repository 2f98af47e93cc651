"""What is computed once and kept: of a long ranking, only as many columns as are worth their memory."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Self, TypeVar, overload

import numpy as np

Found = TypeVar("Found")

_LONG = 1_200_000  # scores, from which on keeping every column would take many times the memory of the predictions
_LARGE = 4_000_000  # ... and cells of a stack of shorter rankings
_MOST = 2  # columns of a long ranking that are kept, those that were used last
_HOLDERS = 4  # rankings that keep what is many times as large as they are, those that asked last

_holders: list[weakref.ref[Any]] = []
_changing = threading.Lock()


def is_long(ranking: Any) -> bool:
    """Whether a ranking has so many cells that it keeps few columns."""
    return bool(ranking.pos.shape[-1] >= _LONG or ranking.pos.size >= _LARGE)


def remembered(ranking: Any, key: Hashable, make: Callable[[], Any]) -> Any:
    """What `make` finds, found once; what is as long as a long ranking, for as long as it is among the last used."""
    small: dict[Hashable, Any] = ranking.__dict__.setdefault("_found", {})
    if key in small:
        return small[key]
    columns: dict[Hashable, Any] = ranking.__dict__.setdefault("_columns", {})
    value = columns.pop(key, None)
    if value is None:
        value = make()
    if not is_long(ranking) or not _is_column(value):
        small[key] = value
        return value
    columns[key] = value  # the one used last is the last
    for old in [*columns][:-_MOST]:  # of a copy: another thread may be changing it
        columns.pop(old, None)
    return value


def kept_by_few(ranking: Any, key: Hashable, make: Callable[[], Any]) -> Any:
    """Something large that `make` finds: of many rankings, as of twenty models, only the last few keep it."""
    with _changing:
        others = [one for one in _holders if (held := one()) is not None and held is not ranking]
        for one in others[: 1 - _HOLDERS]:
            if (old := one()) is not None:
                old.__dict__.pop("_large", None)
        _holders[:] = [*others[1 - _HOLDERS :], weakref.ref(ranking)]
    large: dict[Hashable, Any] = ranking.__dict__.setdefault("_large", {})
    if key not in large:
        large[key] = make()
    return large[key]


def kept_if_long(ranking: Any, key: Hashable, make: Callable[[], Any]) -> Any:
    """Some numbers that a long ranking keeps, because it may not keep the columns that they are read from."""
    return remembered(ranking, key, make) if is_long(ranking) else make()


def forget(ranking: Any) -> None:
    """Let go of the columns of a long ranking, before something that needs none of them and much memory itself."""
    if is_long(ranking):
        ranking.__dict__["_columns"] = {}  # a new one: another thread may be using the old


def _is_column(value: Any) -> bool:
    """Whether a value is, or holds, an array as long as a long ranking."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, np.ndarray) and part.size >= _LONG for part in parts)


class kept_column(cached_property[Found]):  # noqa: N801 - a decorator, as cached_property is
    """A cached property that is as long as the ranking; a long ranking keeps only the few that were used last."""

    @overload
    def __get__(self, ranking: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, ranking: object, owner: type | None = None) -> Found: ...

    def __get__(self, ranking: Any, owner: type | None = None) -> Any:
        if ranking is None or not is_long(ranking):
            return super().__get__(ranking, owner)  # which is asked once: the value then takes the place of the name
        return self.of_long(ranking)

    def of_long(self, ranking: Any) -> Any:
        """The value of a long ranking."""
        return remembered(ranking, self.attrname, lambda: self.func(ranking))


class kept_if_short(kept_column[Found]):  # noqa: N801
    """A cached property of several columns, which a long ranking does not keep at all."""

    def of_long(self, ranking: Any) -> Any:
        """The value of a long ranking."""
        return self.func(ranking)
