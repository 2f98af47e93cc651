"""Data frames of every kind that narwhals knows: pandas, Polars, pyarrow, DuckDB relations ...

An eager frame gives its columns. A lazy one is aggregated where it lives: its own engine answers one GROUP BY, and only
the distinct rows come back, with how often each occurs. Nothing is added up there, because floats added in another
order differ in the last bit; how often a row occurs is exact everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from cutline.core.errors import InputError, ParameterError
from cutline.core.validation import decimals_error
from cutline.inputs.column_source import Array, Ask, plain
from cutline.inputs.frame_engine import FrameEngine

_COUNT = "times"
_NAMED_ERROR = re.compile(r"[\w.]*(Error|Exception): \S")  # the line of a traceback that says what happened
_WANTED = "pass a data frame, a mapping of columns, or the path of a file"


def source(frame: Any, title: str = "data") -> Eager | Lazy:
    """The source of a data frame."""
    if frame is None or hasattr(frame, "dtype"):  # arrays and single columns have no names
        raise ParameterError(f"is a {type(frame).__name__}", f"{_WANTED}", argument="data")
    try:
        known = nw.from_native(frame)
    except TypeError:
        raise ParameterError(f"is a {type(frame).__name__}", f"{_WANTED}", argument="data") from None
    except DuplicateError:
        raise InputError(f"{title} has several columns of one name", "give each its own") from None
    return Lazy(known, title) if isinstance(known, nw.LazyFrame) else Eager(known, title)


class Eager:
    """A frame whose rows are in memory."""

    is_elsewhere = False

    def __init__(self, frame: nw.DataFrame[Any], title: str) -> None:
        self.title = title
        try:
            self._names = {str(name): name for name in frame.columns}
        except DuplicateError:
            raise InputError(f"{title} has several columns of one name", "give each its own") from None
        self._frame = frame

    @property
    def columns(self) -> tuple[str, ...]:
        """The names."""
        return tuple(self._names)

    def rows(self, asked: Mapping[Any, Ask]) -> dict[Any, Array]:
        """The columns as arrays."""
        _check_decimals(
            self._frame.lazy(), {key: one._replace(column=self._names[one.column]) for key, one in asked.items()}
        )
        return {key: _array(self._frame.get_column(self._names[one.column])) for key, one in asked.items()}

    def grouped(self, asked: Mapping[Any, Ask]) -> None:  # noqa: ARG002
        """The rows are here."""
        return

    def engine(self, asked: Mapping[Any, Ask]) -> None:  # noqa: ARG002
        """The rows are here."""
        return

    def place(self, position: int) -> None:  # noqa: ARG002
        """As in an array."""
        return


class Lazy:
    """A frame that another engine holds."""

    is_elsewhere = True

    def __init__(self, frame: nw.LazyFrame[Any], title: str) -> None:
        self.title = title
        self._frame = frame
        self._columns = tuple(frame.collect_schema().names())

    @property
    def columns(self) -> tuple[str, ...]:
        """The names."""
        return self._columns

    def rows(self, asked: Mapping[Any, Ask]) -> dict[Any, Array]:
        """The columns as arrays, in the order in which the engine gives the rows."""
        _check_decimals(self._frame, asked)
        return dict(zip(asked, collect(_selected(self._frame, asked)).values(), strict=True))

    def grouped(self, asked: Mapping[Any, Ask]) -> tuple[dict[Any, Array], Array]:
        """The distinct rows, and how often each occurs."""
        _check_decimals(self._frame, asked)
        chosen = _selected(self._frame, asked)
        found = collect(chosen.group_by(*_aliases(asked)).agg(nw.len().alias(_COUNT)))
        times = found.pop(_COUNT).astype("int64")
        return dict(zip(asked, found.values(), strict=True)), times

    def engine(self, asked: Mapping[Any, Ask]) -> FrameEngine | None:
        """What aggregates the columns where they live; None where scores or weights are not numbers."""
        names = {"labels": "y", "scores": "x", "weights": "w"}
        schema = self._frame.collect_schema()
        kinds = {role: schema[one.column] for role, one in asked.items()}
        if not asked.keys() <= names.keys() or not all(
            kinds[role].is_numeric() or kinds[role] == nw.Boolean for role in kinds if role != "labels"
        ):
            return None
        _check_decimals(self._frame, asked)
        chosen = self._frame.select(*(nw.col(one.column).alias(names[role]) for role, one in asked.items()))
        if kinds["labels"] in (nw.Categorical, nw.Enum):
            chosen = chosen.with_columns(nw.col("y").cast(nw.String))
        return FrameEngine(
            chosen,
            single=kinds["scores"] == nw.Float32,
            weighted="weights" in asked,
            integers=kinds["scores"] in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128),
        )

    def restricted(self, column: str, value: Any) -> Lazy:
        """The rows that have a value in a column."""
        return Lazy(self._frame.filter(nw.col(column) == value), self.title)

    def place(self, position: int) -> None:  # noqa: ARG002
        """As in an array of the collected rows."""
        return


def _aliases(asked: Mapping[Any, Ask]) -> list[str]:
    """Names of our own, so that one column may be asked for twice and none is called like another."""
    return [f"column{i}" for i in range(len(asked))]


def _selected(frame: nw.LazyFrame[Any], asked: Mapping[Any, Ask]) -> nw.LazyFrame[Any]:
    return frame.select(
        *(nw.col(one.column).alias(name) for name, one in zip(_aliases(asked), asked.values(), strict=True))
    )


def _check_decimals(frame: nw.LazyFrame[Any], asked: Mapping[Any, Ask]) -> None:
    """Refuse decimals that would become ties as floats."""
    schema = frame.collect_schema()
    for one in asked.values():
        if one.role == "scores" and schema[one.column] == nw.Decimal:
            column = nw.col(one.column)
            counts = (column.n_unique().alias("exact"), column.cast(nw.Float64).n_unique().alias("floats"))
            found = collect(frame.select(*counts))
            if found["floats"][0] < found["exact"][0]:
                raise decimals_error("scores")


def collect(frame: nw.LazyFrame[Any]) -> dict[str, Array]:
    """The columns of a lazy frame as arrays; what makes its engine fail, such as a function, is told in a sentence."""
    try:
        return _collected(frame)
    except (KeyboardInterrupt, MemoryError, ImportError, InputError):
        raise
    except Exception as error:  # of any engine
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        told = next(
            (line for line in reversed(lines) if _NAMED_ERROR.match(line)), (lines or [type(error).__name__])[0]
        )
        raise InputError(f"The engine of data failed: {told[:300].rstrip('.')}", "check what it computes") from error


def _collected(frame: nw.LazyFrame[Any]) -> dict[str, Array]:
    native = frame.to_native()
    if frame.implementation is nw.Implementation.DUCKDB:  # which needs no other package for it
        return {name: plain(values) for name, values in native.fetchnumpy().items()}
    found = frame.collect()
    return {name: _array(found.get_column(name)) for name in found.columns}


def _texts(column: nw.Series[Any]) -> Array:
    """The texts of categories; as an array of its own, pyarrow's would lose what is missing."""
    return plain(column.cast(nw.String).to_numpy())


def _array(column: nw.Series[Any]) -> Array:
    if column.dtype in (nw.Categorical, nw.Enum):
        native = column.to_native()
        categories = getattr(getattr(native, "cat", None), "categories", None)
        if categories is not None:  # of pandas, which may be numbers
            return plain(np.asarray(native)) if categories.dtype.kind in "biuf" else _texts(column)
        value_type = getattr(getattr(native, "type", None), "value_type", None)
        if value_type is None or str(value_type).endswith(("string", "string_view", "utf8")):
            return _texts(column)
        column = nw.from_native(native.cast(value_type), series_only=True)  # numbers in a dictionary of pyarrow's
    try:
        return plain(column.to_numpy())
    except NotImplementedError:  # pyarrow's, of unions
        found = f"A column is of the type {column.to_native().type}, which holds no simple values"
        raise InputError(found, "pass one for each case, such as text or a number") from None
