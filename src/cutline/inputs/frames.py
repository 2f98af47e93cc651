"""Data frames of every kind that narwhals knows: pandas, Polars, pyarrow, DuckDB relations ...

An eager frame gives its columns. A lazy one is aggregated where it lives: its own engine answers one GROUP BY, and only
the distinct rows come back, with how often each occurs. Nothing is added up there, because floats added in another
order differ in the last bit; how often a row occurs is exact everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.validation import make_decimals_error
from cutline.inputs.binning import MIDDLE, STEPS, Bins, Division
from cutline.inputs.column_source import SLICE, Combinations, Request, SliceableSource, SliceTable, Source, fill_masked
from cutline.inputs.duck import quote_name, quote_text
from cutline.inputs.out_of_core import Classes, Edge
from cutline.inputs.slicing import ABSENT, NOT_A_NUMBER, OUTSIDE
from cutline.inputs.sql_engine import make_bins, split_numbers

_FAR = 40_000.0


class FrameEngine:
    """Columns of a lazy frame: `y`, `x` and, with weights, `w`.

    Args:
        frame: The frame with these columns and no others.
        single: Whether the scores are single floats.
        weighted: Whether there are weights.
        integers: Whether the scores are whole numbers that may be too large for floats.
        slices: How many slices there are; the frame then has the column `s`, the number of each row's slice.
    """

    def __init__(
        self, frame: nw.LazyFrame[Any], *, single: bool, weighted: bool, integers: bool, slices: int = 0
    ) -> None:
        self.single, self.weighted, self._integers, self.slices = single, weighted, integers, slices
        self.rows = int(collect(frame.select(nw.len().alias("n")))["n"][0])
        numbers = [nw.col("x").cast(nw.Float64).alias("x")]
        numbers += [nw.col("w").cast(nw.Float64).alias("w")] if weighted else []
        self._raw, self._all = frame, frame.with_columns(*numbers)
        self._complete = self._all
        self._edge: Edge | None = None

    def count_classes(self) -> Classes:
        """Return the labels, and the checks of scores and weights that come before counting."""
        absent = _is_missing("x")
        counted: dict[str, Any] = {"no_score": absent}
        frame = self._all
        if self.weighted:
            frame = frame.filter(nw.col("w").is_null() | (nw.col("w") != 0))
            w, lacks = nw.col("w"), _is_missing("w")
            counted |= {"no_weight": lacks, "incomplete": absent | lacks, "negative": ~lacks & (w < 0)}
            counted |= {"infinite": ~lacks & (w.abs() == np.inf), "fractions": ~lacks & (w != w.floor())}
        flags = [nw.when(condition).then(1).otherwise(0).alias(name) for name, condition in counted.items()]
        sums = [nw.len().alias("cases"), *(nw.col(name).sum() for name in counted)]
        if self.weighted:
            finite = ~_is_missing("w") & (nw.col("w").abs() != np.inf)
            flags.append(nw.when(finite).then(nw.col("w")).otherwise(0.0).alias("weight"))
            sums.append(nw.col("weight").sum())
        by = ["y", "s"] if self.slices else ["y"]
        table = collect(frame.with_columns(*flags).group_by(*by).agg(*sums))
        if self._integers:
            table["inexact"] = np.resize(self._inexact(), len(table["y"])) // max(len(table["y"]), 1)
        return Classes(table)

    def _inexact(self) -> int:
        """Return a positive number if integers are too large for floats, and 0 otherwise."""
        size = self._raw.select(nw.col("x").max().alias("high"), nw.col("x").min().alias("low"))
        table = collect(size.filter(~nw.col("high").is_null()))
        if not len(table["high"]):  # every score is missing, which is told elsewhere
            return 0
        return 10**6 * int(max(abs(int(table["high"][0])), abs(int(table["low"][0]))) > 2**53)

    def find_first(self, what: str) -> tuple[None, Any]:
        """Return the smallest weight if it is invalid; never a row, because the rows of an engine have no order."""
        if what not in ("negative", "infinite"):
            return None, None
        return None, -np.inf if what == "infinite" else collect(self._all.select(nw.col("w").min()))["w"][0]

    def prepare(self, labels: Array, is_positive: Array, edge: Edge | None) -> None:
        """Set which labels are positive; from here on incomplete rows are left out."""
        is_complete = ~_is_missing("x") & ~nw.col("y").is_null()
        if self.weighted:
            is_complete = is_complete & ~_is_missing("w") & (nw.col("w") != 0)
        named = [label.item() if isinstance(label, np.generic) else label for label in labels[is_positive]]
        flag = nw.when(nw.col("y").is_in(named)).then(1).otherwise(0) if named else nw.lit(0)
        self._complete = self._all.filter(is_complete).with_columns(flag.alias("p"))
        self._edge = edge

    def estimate_distinct(self) -> int:
        """Return about how many distinct scores there are."""
        return _estimate_distinct(self._all.select("x"))

    def count_bins(self, divisions: list[Division]) -> Bins:
        """Return the bins of the last of the divisions."""
        frame = self._complete.with_columns(self._first_key().alias("number"))
        for i, division in enumerate(divisions):
            table = nw.from_native(make_table_like(self._complete, division._asdict()))
            is_last = i == len(divisions) - 1
            low, span, parts, start = (nw.col(name) for name in ("low", "span", "parts", "start"))
            if (
                not is_last
            ):  # what was not divided has none of these, and Dask makes no integer of a number that is none
                low, span, parts, start = (
                    amount.fill_null(filled) for amount, filled in ((low, 0.0), (span, 1.0), (parts, 1), (start, 0))
                )
            part = (nw.col("x").abs() - low) / span * parts
            inside = _clip(part, 0.0, parts - 1).floor().cast(nw.Int64) + start
            if not is_last:  # ... and keeps its number
                inside = nw.when(nw.col("parts").is_null()).then(nw.col("number")).otherwise(inside)
            frame = frame.join(table, on="number", how="inner" if is_last else "left")
            frame = frame.with_columns(inside.alias("number")).drop("low", "span", "parts", "start")
        if self.slices:  # in one number too
            frame = frame.with_columns((nw.col("number") * self.slices + nw.col("s")).alias("number"))
        return split_numbers(self._count_groups(frame, "number"), self.slices)

    def _first_key(self) -> nw.Expr:
        """Return the bin of the first pass, as `sql_engine.write_magnitude` finds it, and the side of the edge."""
        x = nw.col("x")
        # The logarithm of nought is none in some engines, and an error in others; and it is written down once, because
        # engines compute an expression as often as it stands in a condition.
        is_odd = (x == 0) | (x.abs() == np.inf)
        size = (nw.when(is_odd).then(1.0).otherwise(x.abs()).log(2) * STEPS).floor() + MIDDLE
        odd = nw.when(x == 0).then(0.0).otherwise(_FAR + MIDDLE)
        sign = nw.when(x < 0).then(-1.0).otherwise(1.0)
        magnitude = sign * nw.when(is_odd).then(odd).otherwise(size)
        side: Any = 0
        if self._edge is not None:
            at = self._edge.threshold
            side = nw.when(x >= at if self._edge.higher else x > at).then(1).otherwise(0)
        key: nw.Expr = magnitude.cast(nw.Int64) * 2 + side
        return key

    def count_cells(self, above: float | None = None, up_to: float | None = None) -> Bins:
        """Return the distinct scores above one score, up to another with it, as bins of one score each; None is no
        border.
        """
        frame = self._complete
        if above is not None:
            frame = frame.filter(nw.col("x") > above)
        if up_to is not None:
            frame = frame.filter(nw.col("x") <= up_to)
        return self._count_groups(frame.with_columns(nw.col("x").alias("top")), "top")

    def _count_groups(self, frame: nw.LazyFrame[Any], by: str) -> Bins:
        sums = [nw.col("p").sum().alias("pos"), nw.len().alias("n")]
        if self.weighted:
            p, w = nw.col("p"), nw.col("w")
            parts = {"pos": w * p, "neg": w * (1 - p), "pos2": w * w * p, "neg2": w * w * (1 - p)}
            frame = frame.with_columns(*(part.alias(name) for name, part in parts.items()))
            sums = [nw.col(name).sum() for name in parts]
        ends = [nw.col("x").max().alias("top"), nw.col("x").min().alias("bottom")] if by == "number" else []
        keys = [by, "s"] if self.slices and by == "top" else [by]
        table = collect(frame.group_by(*keys).agg(*ends, *sums))
        if "s" in table:
            table["slice"] = table.pop("s")
        if "n" in table:
            table["pos"] = table["pos"].astype(np.int64)
        table["top"] = table["top"] + 0.0
        return make_bins(table)


def _clip(value: nw.Expr, low: float, high: Any) -> nw.Expr:
    """Clip a number to limits, so that it can become an integer, which infinity cannot."""
    most = nw.lit(high) if isinstance(high, float) else high
    return nw.when(value < low).then(nw.lit(low)).otherwise(nw.when(value > high).then(most).otherwise(value))


def _is_missing(name: str) -> nw.Expr:
    """Return the expression that a number is missing: null or NaN."""
    return nw.when(nw.col(name).is_null()).then(nw.lit(True)).otherwise(nw.col(name).is_nan())


def make_table_like(frame: nw.LazyFrame[Any], columns: Mapping[str, Array]) -> Any:
    """Make a small table in the engine of a frame, to be joined with it."""
    kind, native = frame.implementation, frame.to_native()
    if kind is nw.Implementation.POLARS:
        import polars as pl

        return pl.LazyFrame(dict(columns))
    if kind is nw.Implementation.DUCKDB:
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        cells = ", ".join("(" + ", ".join(map(_write_exactly, row)) + ")" for row in rows)
        names = ", ".join(map(quote_name, columns))
        return native.query("predictions", f"SELECT * FROM (VALUES {cells}) AS t({names})")
    if kind is nw.Implementation.IBIS:
        import ibis
        import pyarrow as pa

        return ibis.memtable(pa.table(dict(columns)))
    if kind in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        kinds = {"i": "bigint", "f": "double", "U": "string"}
        schema = ", ".join(f"`{name}` {kinds[column.dtype.kind]}" for name, column in columns.items())
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return native.sparkSession.createDataFrame(list(rows), schema).hint("broadcast")
    import dask.dataframe as dd
    import pandas as pd

    from_pandas: Any = dd.from_pandas
    return from_pandas(pd.DataFrame(dict(columns)), npartitions=1)


def _write_exactly(value: float | str) -> str:
    """Write a number, or a text, in SQL so that it is read back exactly."""
    if isinstance(value, str):
        return quote_text(value)
    return str(value) if isinstance(value, int) else f"CAST('{value!r}' AS DOUBLE)"


def _estimate_distinct(frame: nw.LazyFrame[Any]) -> int:
    """Estimate the number of distinct values of the column `x`, by the engine's sketch if it has one."""
    kind, native = frame.implementation, frame.to_native()
    if kind is nw.Implementation.POLARS:
        import polars as pl

        return int(native.select(pl.col("x").approx_n_unique()).collect().item())
    if kind is nw.Implementation.DUCKDB:
        return int(native.query("predictions", "SELECT approx_count_distinct(x) FROM predictions").fetchall()[0][0])
    if kind is nw.Implementation.IBIS:
        return int(native["x"].approx_nunique().to_pyarrow().as_py())
    if kind in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        from pyspark.sql import functions

        return int(native.agg(functions.approx_count_distinct("x", 0.02)).collect()[0][0])
    return int(native["x"].nunique_approx().compute())


_COUNT = "times"
_NAMED_ERROR = re.compile(r"[\w.]*(Error|Exception): \S")  # the line of a traceback that says what happened
_ACCEPTED = "pass a data frame, a mapping of columns, or the path of a file"


def open_frame(frame: Any, title: str = "data") -> EagerFrame | ElsewhereFrame:
    """Return the source of a data frame."""
    if frame is None or hasattr(frame, "dtype"):  # arrays and single columns have no names
        raise ParameterError(f"is a {type(frame).__name__}", _ACCEPTED, argument="data")
    try:
        known = nw.from_native(frame)
    except TypeError:
        raise ParameterError(f"is a {type(frame).__name__}", _ACCEPTED, argument="data") from None
    except DuplicateError:
        raise InputError(f"{title} has several columns of one name", "give each its own") from None
    return ElsewhereFrame(known, title) if isinstance(known, nw.LazyFrame) else EagerFrame(known, title)


class EagerFrame(Source):
    """A frame whose rows are in memory."""

    def __init__(self, frame: nw.DataFrame[Any], title: str) -> None:
        try:
            self._names = {str(name): name for name in frame.columns}
        except DuplicateError:
            raise InputError(f"{title} has several columns of one name", "give each its own") from None
        super().__init__(title, self._names)
        self._frame = frame

    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the columns as arrays."""
        _check_decimals(
            self._frame.lazy(),
            {key: request._replace(column=self._names[request.column]) for key, request in requests.items()},
        )
        return {
            key: _convert_to_array(self._frame.get_column(self._names[request.column]))
            for key, request in requests.items()
        }


class ElsewhereFrame(SliceableSource):
    """A frame that another engine holds."""

    is_elsewhere = True

    def __init__(self, frame: nw.LazyFrame[Any], title: str) -> None:
        with _translate_errors():  # a lazy frame may name a column or a file that is not there
            names = frame.collect_schema().names()
        super().__init__(title, names)
        self._frame = frame

    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the columns as arrays, in the order in which the engine gives the rows."""
        _check_decimals(self._frame, requests)
        return dict(zip(requests, collect(_select(self._frame, requests)).values(), strict=True))

    def group_rows(self, requests: Mapping[Any, Request]) -> tuple[dict[Any, Array], Array]:
        """Return the distinct rows, and how often each occurs."""
        _check_decimals(self._frame, requests)
        chosen = _select(self._frame, requests)
        table = collect(chosen.group_by(*_number_columns(requests)).agg(nw.len().alias(_COUNT)))
        times = table.pop(_COUNT).astype("int64")
        return dict(zip(requests, table.values(), strict=True)), times

    def engine(self, requests: Mapping[Any, Request], slices: int = 0) -> FrameEngine | None:
        """Return the engine that aggregates the columns where they are; None unless scores and weights are numbers.

        Args:
            requests: The columns.
            slices: How many slices the column `SLICE` numbers.
        """
        names = {"labels": "y", "scores": "x", "weights": "w", "slices": "s"}
        schema = self._frame.collect_schema()
        kinds = {role: schema[request.column] for role, request in requests.items()}
        if not requests.keys() <= names.keys() or not all(
            kinds[role].is_numeric() or kinds[role] == nw.Boolean for role in kinds if role != "labels"
        ):
            return None
        _check_decimals(self._frame, requests)
        chosen = self._frame.select(*(nw.col(request.column).alias(names[role]) for role, request in requests.items()))
        if kinds["labels"] in (nw.Categorical, nw.Enum):
            chosen = chosen.with_columns(nw.col("y").cast(nw.String))
        return FrameEngine(
            chosen,
            single=kinds["scores"] == nw.Float32,
            weighted="weights" in requests,
            integers=kinds["scores"] in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128),
            slices=slices,
        )

    def list_combinations(self, requests: Mapping[Any, Request], most: int) -> Combinations | None:
        """Return the distinct combinations of the values of columns; None where there are more than `most`.

        Args:
            requests: The columns, which make slices.
            most: The most combinations.
        """
        schema = self._frame.collect_schema()
        names = [f"value{i}" for i in range(len(requests))]
        cells = [
            _reduce_slices(request, schema[request.column]).alias(name)
            for request, name in zip(requests.values(), names, strict=True)
        ]
        texts = [nw.col(name).cast(nw.String).alias(f"text{i}") for i, name in enumerate(names)]
        grouped = self._frame.select(*cells).group_by(*names).agg(nw.len().alias(_COUNT))
        table = collect(grouped.with_columns(*texts).head(most + 1))
        columns = list(table.values())
        count = len(names)
        if len(columns[0]) > most:
            return None
        return Combinations(columns[:count], columns[count + 1 :], columns[count].astype(np.int64))

    def with_slices(self, slices: SliceTable) -> ElsewhereFrame:
        """Return the rows that belong to a slice, with the number of it in the column `SLICE`.

        Args:
            slices: Which combinations of values belong to which slice.
        """
        schema = self._frame.collect_schema()
        texts = {f"text{i} of {SLICE}": text for i, text in enumerate(slices.texts)}
        keys = [
            _reduce_slices(request, schema[request.column]).cast(nw.String).alias(name)
            for request, name in zip(slices.requests.values(), texts, strict=True)
        ]
        table = nw.from_native(make_table_like(self._frame, texts | {SLICE: slices.codes.astype(np.int64)}))
        joined = self._frame.with_columns(*keys).join(table, on=list(texts), how="inner")
        return ElsewhereFrame(joined.drop(*texts), self.title)


def _reduce_slices(request: Request, kind: Any) -> nw.Expr:
    """Reduce a column that makes slices: to days, or to the number of a range; unchanged without a rule."""
    column = nw.col(request.column)
    if request.by_day and kind == nw.Datetime:
        return column.dt.truncate("1d")
    if not request.edges:
        return column.cast(nw.String) if kind in (nw.Categorical, nw.Enum) else column
    if not kind.is_numeric():
        return nw.when(column.is_null()).then(nw.lit(ABSENT)).otherwise(nw.lit(NOT_A_NUMBER))
    is_present = ~column.is_null()
    if kind.is_float():
        is_present = nw.when(column.is_null()).then(nw.lit(False)).otherwise(~column.is_nan())
    number = nw.when(column >= request.edges[0]).then(nw.lit(0)).otherwise(nw.lit(OUTSIDE))
    for i, edge in enumerate(request.edges[1:-1], start=1):
        number = nw.when(column >= edge).then(nw.lit(i)).otherwise(number)
    number = nw.when(column > request.edges[-1]).then(nw.lit(OUTSIDE)).otherwise(number)
    return nw.when(is_present).then(number).otherwise(nw.lit(ABSENT))


def _number_columns(requests: Mapping[Any, Request]) -> list[str]:
    """Return unique names of our own, so that one column may be selected twice."""
    return [f"column{i}" for i in range(len(requests))]


def _select(frame: nw.LazyFrame[Any], requests: Mapping[Any, Request]) -> nw.LazyFrame[Any]:
    return frame.select(
        *(
            nw.col(request.column).alias(name)
            for name, request in zip(_number_columns(requests), requests.values(), strict=True)
        )
    )


def _check_decimals(frame: nw.LazyFrame[Any], requests: Mapping[Any, Request]) -> None:
    """Refuse decimals, and integers that no array of numpy can hold, that would become ties as floats."""
    schema = frame.collect_schema()
    for request in requests.values():
        if request.role == "scores" and schema[request.column] in (nw.Decimal, nw.Int128, nw.UInt128):
            column = nw.col(request.column)
            counts = (column.n_unique().alias("exact"), column.cast(nw.Float64).n_unique().alias("floats"))
            table = collect(frame.select(*counts))
            if table["floats"][0] < table["exact"][0]:
                raise make_decimals_error("scores")


def collect(frame: nw.LazyFrame[Any]) -> dict[str, Array]:
    """Return the columns of a lazy frame as arrays."""
    with _translate_errors():
        return _collect(frame)


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise the errors of an engine, such as those of a user's function in it, as an InputError."""
    try:
        yield
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
        return {name: fill_masked(values) for name, values in native.fetchnumpy().items()}
    table = frame.collect()
    return {name: _convert_to_array(table.get_column(name)) for name in table.columns}


def _convert_categories(column: nw.Series[Any]) -> Array:
    """Return the texts of categories with their missing values, which an array of pyarrow would lose."""
    return fill_masked(column.cast(nw.String).to_numpy())


def _convert_to_array(column: nw.Series[Any]) -> Array:
    if column.dtype in (nw.Categorical, nw.Enum):
        native = column.to_native()
        categories = getattr(getattr(native, "cat", None), "categories", None)
        if categories is not None:  # of pandas, which may be numbers
            return fill_masked(np.asarray(native)) if categories.dtype.kind in "biuf" else _convert_categories(column)
        value_type = getattr(getattr(native, "type", None), "value_type", None)
        if value_type is None or str(value_type).endswith(("string", "string_view", "utf8")):
            return _convert_categories(column)
        column = nw.from_native(native.cast(value_type), series_only=True)  # numbers in a dictionary of pyarrow's
    if column.dtype in (nw.Int128, nw.UInt128):  # which numpy does not have
        column = column.cast(nw.Float64)
    try:
        return fill_masked(column.to_numpy())
    except NotImplementedError:  # pyarrow's, of unions
        problem = f"A column is of the type {column.to_native().type}, which holds no simple values"
        raise InputError(problem, "pass one for each case, such as text or a number") from None
