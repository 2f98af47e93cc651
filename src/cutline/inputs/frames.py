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
from cutline.inputs.column_source import SLICE, Array, Combinations, Request, SliceTable, plain
from cutline.inputs.frame_engine import FrameEngine, table_like
from cutline.inputs.slicing import ABSENT, NOT_A_NUMBER, OUTSIDE

_COUNT = "times"
_NAMED_ERROR = re.compile(r"[\w.]*(Error|Exception): \S")  # the line of a traceback that says what happened
_ACCEPTED = "pass a data frame, a mapping of columns, or the path of a file"


def source(frame: Any, title: str = "data") -> Eager | Lazy:
    """Return the source of a data frame."""
    if frame is None or hasattr(frame, "dtype"):  # arrays and single columns have no names
        raise ParameterError(f"is a {type(frame).__name__}", _ACCEPTED, argument="data")
    try:
        known = nw.from_native(frame)
    except TypeError:
        raise ParameterError(f"is a {type(frame).__name__}", _ACCEPTED, argument="data") from None
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

    def rows(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the columns as arrays."""
        _check_decimals(
            self._frame.lazy(), {key: one._replace(column=self._names[one.column]) for key, one in requests.items()}
        )
        return {key: _array(self._frame.get_column(self._names[one.column])) for key, one in requests.items()}

    def grouped(self, requests: Mapping[Any, Request]) -> None:  # noqa: ARG002
        """Return None: the rows are in memory."""
        return

    def engine(self, requests: Mapping[Any, Request]) -> None:  # noqa: ARG002
        """Return None: the rows are in memory."""
        return

    def place(self, position: int) -> None:  # noqa: ARG002
        """Return the position, as in an array."""
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

    def rows(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the columns as arrays, in the order in which the engine gives the rows."""
        _check_decimals(self._frame, requests)
        return dict(zip(requests, collect(_select(self._frame, requests)).values(), strict=True))

    def grouped(self, requests: Mapping[Any, Request]) -> tuple[dict[Any, Array], Array]:
        """Return the distinct rows, and how often each occurs."""
        _check_decimals(self._frame, requests)
        chosen = _select(self._frame, requests)
        table = collect(chosen.group_by(*_aliases(requests)).agg(nw.len().alias(_COUNT)))
        times = table.pop(_COUNT).astype("int64")
        return dict(zip(requests, table.values(), strict=True)), times

    def engine(self, requests: Mapping[Any, Request], slices: int = 0) -> FrameEngine | None:
        """Return the engine that aggregates the columns where they live; None where scores or weights are not
        numbers.

        Args:
            requests: The columns.
            slices: How many slices the column `SLICE` numbers.
        """
        names = {"labels": "y", "scores": "x", "weights": "w", "slices": "s"}
        schema = self._frame.collect_schema()
        kinds = {role: schema[one.column] for role, one in requests.items()}
        if not requests.keys() <= names.keys() or not all(
            kinds[role].is_numeric() or kinds[role] == nw.Boolean for role in kinds if role != "labels"
        ):
            return None
        _check_decimals(self._frame, requests)
        chosen = self._frame.select(*(nw.col(one.column).alias(names[role]) for role, one in requests.items()))
        if kinds["labels"] in (nw.Categorical, nw.Enum):
            chosen = chosen.with_columns(nw.col("y").cast(nw.String))
        return FrameEngine(
            chosen,
            single=kinds["scores"] == nw.Float32,
            weighted="weights" in requests,
            integers=kinds["scores"] in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128),
            slices=slices,
        )

    def combinations(self, requests: Mapping[Any, Request], most: int) -> Combinations | None:
        """Return the distinct combinations of the values of columns; None where there are more than `most`.

        Args:
            requests: The columns, which make slices.
            most: The most combinations.
        """
        schema = self._frame.collect_schema()
        names = [f"value{i}" for i in range(len(requests))]
        cells = [
            _reduce_slices(one, schema[one.column]).alias(name)
            for one, name in zip(requests.values(), names, strict=True)
        ]
        texts = [nw.col(name).cast(nw.String).alias(f"text{i}") for i, name in enumerate(names)]
        grouped = self._frame.select(*cells).group_by(*names).agg(nw.len().alias(_COUNT))
        table = collect(grouped.with_columns(*texts).head(most + 1))
        columns = list(table.values())
        count = len(names)
        if len(columns[0]) > most:
            return None
        return Combinations(columns[:count], columns[count + 1 :], columns[count].astype(np.int64))

    def with_slices(self, slices: SliceTable) -> Lazy:
        """Return the rows that belong to a slice, with the number of it in the column `SLICE`.

        Args:
            slices: Which combinations of values belong to which slice.
        """
        schema = self._frame.collect_schema()
        texts = {f"text{i} of {SLICE}": text for i, text in enumerate(slices.texts)}
        keys = [
            _reduce_slices(one, schema[one.column]).cast(nw.String).alias(name)
            for one, name in zip(slices.requests.values(), texts, strict=True)
        ]
        table = nw.from_native(table_like(self._frame, texts | {SLICE: slices.codes.astype(np.int64)}))
        joined = self._frame.with_columns(*keys).join(table, on=list(texts), how="inner")
        return Lazy(joined.drop(*texts), self.title)

    def place(self, position: int) -> None:  # noqa: ARG002
        """Return the position, as in an array of the collected rows."""
        return


def _reduce_slices(one: Request, kind: Any) -> nw.Expr:
    """Return the values of a column that makes slices: as they are, by day, or as the number of a range."""
    column = nw.col(one.column)
    if one.by_day and kind == nw.Datetime:
        return column.dt.truncate("1d")
    if not one.edges:
        return column.cast(nw.String) if kind in (nw.Categorical, nw.Enum) else column
    if not kind.is_numeric():
        return nw.when(column.is_null()).then(nw.lit(ABSENT)).otherwise(nw.lit(NOT_A_NUMBER))
    is_present = ~column.is_null()
    if kind.is_float():
        is_present = nw.when(column.is_null()).then(nw.lit(False)).otherwise(~column.is_nan())
    number = nw.when(column >= one.edges[0]).then(nw.lit(0)).otherwise(nw.lit(OUTSIDE))
    for i, edge in enumerate(one.edges[1:-1], start=1):
        number = nw.when(column >= edge).then(nw.lit(i)).otherwise(number)
    number = nw.when(column > one.edges[-1]).then(nw.lit(OUTSIDE)).otherwise(number)
    return nw.when(is_present).then(number).otherwise(nw.lit(ABSENT))


def _aliases(requests: Mapping[Any, Request]) -> list[str]:
    """Return unique names of our own, so that one column may be selected twice."""
    return [f"column{i}" for i in range(len(requests))]


def _select(frame: nw.LazyFrame[Any], requests: Mapping[Any, Request]) -> nw.LazyFrame[Any]:
    return frame.select(
        *(nw.col(one.column).alias(name) for name, one in zip(_aliases(requests), requests.values(), strict=True))
    )


def _check_decimals(frame: nw.LazyFrame[Any], requests: Mapping[Any, Request]) -> None:
    """Refuse decimals that would become ties as floats."""
    schema = frame.collect_schema()
    for one in requests.values():
        if one.role == "scores" and schema[one.column] == nw.Decimal:
            column = nw.col(one.column)
            counts = (column.n_unique().alias("exact"), column.cast(nw.Float64).n_unique().alias("floats"))
            table = collect(frame.select(*counts))
            if table["floats"][0] < table["exact"][0]:
                raise decimals_error("scores")


def collect(frame: nw.LazyFrame[Any]) -> dict[str, Array]:
    """Return the columns of a lazy frame as arrays; what makes its engine fail, such as a function, is told in a
    sentence.
    """
    try:
        return _collect(frame)
    except (KeyboardInterrupt, MemoryError, ImportError, InputError):
        raise
    except Exception as error:  # of any engine
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        last_line = next(
            (line for line in reversed(lines) if _NAMED_ERROR.match(line)), (lines or [type(error).__name__])[0]
        )
        raise InputError(
            f"The engine of data failed: {last_line[:300].rstrip('.')}", "check what it computes"
        ) from error


def _collect(frame: nw.LazyFrame[Any]) -> dict[str, Array]:
    native = frame.to_native()
    if frame.implementation is nw.Implementation.DUCKDB:  # which needs no other package for it
        return {name: plain(values) for name, values in native.fetchnumpy().items()}
    table = frame.collect()
    return {name: _array(table.get_column(name)) for name in table.columns}


def _texts(column: nw.Series[Any]) -> Array:
    """Return the texts of categories with their missing values, which an array of pyarrow would lose."""
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
        problem = f"A column is of the type {column.to_native().type}, which holds no simple values"
        raise InputError(problem, "pass one for each case, such as text or a number") from None
