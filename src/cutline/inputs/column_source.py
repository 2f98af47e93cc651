"""The common interface to the columns of a data frame, a file or a mapping.

`open_source(data)` returns the `Source` of anything that `data=` takes. A source reads the rows of some columns, or,
where its own engine can do the work, their distinct rows with how often each occurs.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import (
    Argument,
    InputError,
    ParameterError,
    PositionError,
    Text,
    hint_similar,
    quote_if_unclear,
)
from cutline.core.validation import check_simple

if TYPE_CHECKING:
    from cutline.inputs.out_of_core import Engine

LABELS = ("label", "labels", "y", "y_true", "target", "truth", "class", "outcome", "actual", "response")
SCORES = ("score", "scores", "p", "prob", "proba", "probability", "y_score", "y_prob", "y_pred", "prediction", "pred")
IDS = ("", "id", "ids", "case", "row", "index", "uuid", "unnamed: 0")


Role = Literal["labels", "scores", "weights", "groups", "strata", "id", "slices"]
SLICE = "number of the cutline slice"  # the column that `Source.with_slices` adds


class Request(NamedTuple):
    """A requested column: its role, which is the argument that names it, and its name.

    A column that makes slices can be reduced where it lives: to the number of the range between `edges` that holds the
    value (`slicing.OUTSIDE` where none does), or to whole days.
    """

    role: Role
    column: Any
    as_text: bool = False  # labels of a file, when the positive one is named by its text
    edges: tuple[float, ...] = ()
    by_day: bool = False


class Combinations(NamedTuple):
    """The distinct combinations of the values of some columns, each column also as text, and how often each occurs."""

    values: Sequence[Array]
    texts: Sequence[Array]
    times: Array


class SliceTable(NamedTuple):
    """The number of the slice that each combination of values belongs to."""

    requests: Mapping[Any, Request]  # the columns that make slices
    texts: Sequence[Array]  # of each column, its value as text in each combination
    codes: Array


class CodedColumn(NamedTuple):
    """A column of few distinct values: these, and which of them each row has."""

    values: Array
    code: Array

    def expand(self) -> Array:
        """Return the value of each row."""
        return self.values[self.code]


class Source(ABC):
    """Named columns of a frame, a file or a mapping.

    A subclass reads rows. What else it can do depends on where they are: an engine aggregates a frame elsewhere or a
    large file, and files tell where a row stands.

    Args:
        title: What messages call it.
        columns: The names of the columns.
    """

    is_elsewhere = False  # whether another engine holds the rows, in no order
    lacking: Mapping[str, str] = MappingProxyType({})  # of several files: why a column is not in all of them

    def __init__(self, title: str, columns: Iterable[str]) -> None:
        self.title, self.columns = title, tuple(columns)
        self.notes: dict[str, str] = {}  # how columns were read, where that is worth a note; "" is the whole file

    @abstractmethod
    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the requested columns, row by row."""

    def group_rows(self, requests: Mapping[Any, Request]) -> tuple[dict[Any, Array], Array] | None:  # noqa: ARG002
        """Return the distinct rows and their counts; None if the source reads rows one by one."""
        return None

    def fits(self, limit: int) -> bool:  # noqa: ARG002
        """Whether this is a file whose columns fit into `limit` bytes, so that `scan` may read them."""
        return False

    def scan(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn] | None:  # noqa: ARG002
        """Return the columns of a file from one typed scan; None if only `read_columns` can judge them."""
        return None

    def engine(self, requests: Mapping[Any, Request], slices: int = 0) -> Engine | None:  # noqa: ARG002
        """Return the engine that aggregates the columns where they are stored; None without such an engine.

        Args:
            requests: The columns.
            slices: How many slices the column `SLICE` numbers.
        """
        return None

    def place(self, position: int) -> str | None:  # noqa: ARG002
        """Describe the place of a row, such as "in row 3"; None for arrays, whose positions count from 0."""
        return None


class SliceableSource(Source):
    """Columns in an engine that can group them by slices where they are."""

    @abstractmethod
    def list_combinations(self, requests: Mapping[Any, Request], most: int) -> Combinations | None:
        """Return the distinct combinations of the values of columns; None where there are more than `most`.

        Args:
            requests: The columns, which make slices.
            most: The most combinations.
        """

    @abstractmethod
    def with_slices(self, slices: SliceTable) -> Source:
        """Return the rows that belong to a slice, with the number of it in the column `SLICE`; in no order.

        Args:
            slices: Which combinations of values belong to which slice.
        """


def is_path(data: Any) -> bool:
    """Whether it is the path of files, or a list of such."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(path, str | os.PathLike) for path in data)
    return isinstance(data, str | os.PathLike)


def open_source(data: Any, title: str = "data", memory: Any = None) -> Source:
    """Return the source of a frame, a mapping of columns, or the path of files; an open source unchanged."""
    if isinstance(data, Source):
        return data
    if is_path(data):
        from cutline.inputs import files

        return files.read(data, memory=memory)
    if isinstance(data, Mapping):
        return ColumnMapping(data, title)
    from cutline.inputs import frames

    return frames.open_frame(data, title)


def request_columns(
    labels: Any, scores: Any, weights: Any = None, groups: Any = None, strata: Any = None, *, positive: Any = None
) -> dict[Any, Request]:
    """Return the columns of one model's predictions."""
    requests = {"labels": Request("labels", labels, isinstance(positive, str)), "scores": Request("scores", scores)}
    others: dict[Role, Any] = {"weights": weights, "groups": groups, "strata": strata}
    return requests | {role: Request(role, name) for role, name in others.items() if name is not None}


def check_columns(source: Source, requests: Mapping[Any, Request]) -> None:
    """Raise if a requested column is not in the source."""
    for key, request in requests.items():
        # Slices, folds, repeats and periods are read as groups are.
        role = "by" if str(key).startswith("by") else key if key in ("folds", "repeats", "quota_by") else request.role
        role = key[0] if isinstance(key, tuple) and key[0] in ("by", "features") else role
        name = request.column
        if not isinstance(name, str):
            raise ParameterError(
                f"is a {type(name).__name__}",
                Text("with ", Argument("data"), ", pass the name of a column"),
                argument=role,
            )
        if name not in source.columns:
            if name in source.lacking:
                raise InputError(source.lacking[name], "pass files with the same columns")
            hint = (
                hint_similar(name, map(quote_if_unclear, source.columns)) or f"It has {_list_columns(source.columns)}."
            )
            problem = Text(f"{source.title} has no column {name!r}, which ", Argument(role), " names")
            raise InputError(problem, argument=role, hint=hint)


def check_distinct_names(names: Sequence[str], title: str) -> None:
    """Raise if a file has several columns of one name."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        problem = f"{title} has several columns called {', '.join(map(repr, twice))}"
        raise InputError(problem, "give each its own name")


def _list_columns(names: tuple[str, ...]) -> str:
    return (
        ", ".join(map(quote_if_unclear, names[:8])) + (" and more" if len(names) > 8 else "") if names else "no columns"
    )


@contextmanager
def read_rows(
    source: Source, requests: Mapping[Any, Request], *, any_order: bool = False
) -> Iterator[dict[Any, Array]]:
    """Yield the columns row by row; an error about one of them inside the block is raised with its name and place.

    Args:
        source: Where the columns are.
        requests: Which of them.
        any_order: Whether the rows may come in any order, so that an engine can send each distinct one once.
    """
    check_columns(source, requests)
    grouped = source.group_rows(requests) if any_order and source.is_elsewhere else None
    try:
        columns = source.read_columns(requests) if grouped is None else _repeat_rows(*grouped)
        for key, request in requests.items():
            if request.role in ("labels", "groups", "strata", "id"):
                check_simple(np.asarray(columns[key]), request.role)
        yield columns
    except PositionError as error:
        raise add_place(error if grouped is None else error.altered(position=None), source, requests) from None


def join_notes(source: Source, requests: Mapping[Any, Request]) -> str:
    """Join the notes on how the columns of a file were read."""
    names = dict.fromkeys(("", *(request.column for request in requests.values())))  # the whole file first
    return " ".join(source.notes[name] for name in names if name in source.notes)


def _repeat_rows(columns: Mapping[Any, Array], times: Array) -> dict[Any, Array]:
    """Repeat distinct rows by their counts."""
    return {key: np.repeat(values, times) for key, values in columns.items()}


def add_place(error: PositionError, source: Source, requests: Mapping[Any, Request]) -> PositionError:
    """Add the name of the column and the place in the source to a refusal."""
    column = requests[error.argument].column if error.argument in requests else None
    place = None if error.position is None else source.place(error.position)
    return error.altered(column=column, place=place)


class ColumnMapping(Source):
    """A mapping of columns."""

    def __init__(self, columns: Mapping[Any, Any], title: str) -> None:
        super().__init__(title, map(str, columns))
        self._columns = columns

    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the columns unchanged."""
        return {key: self._columns[request.column] for key, request in requests.items()}


def convert_to_plain_type(values: Array) -> Array:
    """Convert objects that are all booleans, all integers or all floats to that type; return others unchanged."""
    kinds = set(map(type, values.tolist())) if values.dtype.kind == "O" else set()
    return values.astype(next(iter(kinds))) if len(kinds) == 1 and kinds <= {bool, int, float} else values


def fill_masked(values: Any) -> Array:
    """Fill masked entries with NaN, or with None where the type has no NaN."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if values.mask is np.ma.nomask or not values.mask.any():
        return np.asarray(values.data)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    array = values.data.astype(object)
    array[values.mask] = None
    return np.asarray(array)
