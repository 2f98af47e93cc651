"""Files that DuckDB reads: CSV, Parquet and JSON lines, of any size.

Text files have no types, so the argument that names a column says how it is read: scores and weights as numbers, ids
and groups as the text that stands there, labels as numbers or true/false where all of them are, else as text.
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, PositionError
from cutline.core.validation import make_decimals_error
from cutline.inputs.column_source import (
    SLICE,
    CodedColumn,
    Combinations,
    Request,
    SliceableSource,
    SliceTable,
    Source,
    check_distinct_names,
    fill_masked,
)
from cutline.inputs.csv_layout import Layout, copy_with_one_line_end, explain_reject, has_long_numbers, read_head
from cutline.inputs.duck import (
    connect,
    create_table,
    quote_name,
    quote_text,
    report_query_progress,
    write_is_missing,
    write_is_nan,
)
from cutline.inputs.file_formats import (
    find_compression,
    link_if_awkward,
    make_changed_error,
    make_full_disk_error,
    read_state,
)
from cutline.inputs.file_sets import FileSet
from cutline.inputs.json_files import (
    check_columns,
    check_infinities,
    check_name_count,
    find_json_form,
    find_long_scores,
)
from cutline.inputs.slicing import ABSENT, NOT_A_NUMBER, OUTSIDE
from cutline.inputs.sql_engine import SqlEngine
from cutline.inputs.text_table import (
    MISSING,
    MOST_CODES,
    MOST_DIGITS,
    MOST_LABELS,
    PLAIN_NUMBER,
    SPELLINGS,
    CsvFile,
    Spelling,
    find_label_type,
    have_hidden_ties,
    hint_number,
    read_labels,
)

_TEXT = ("VARCHAR", "JSON")
_NUMERIC = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|FLOAT$|DOUBLE$|DECIMAL\(|BOOLEAN$")  # types of DuckDB
_ROW_BYTES = 16  # of a row that is read to be ranked: a score and a label
_SHORTEST_LINE = 4  # bytes of a row of two columns
_FIRST_BYTES = 1 << 16  # beyond which a file's first lines tell how long the others are
_PACKED = 4  # bytes of text that a byte of a compressed file holds, about
_FIRST_ROWS = 4096  # in which labels are looked up
_UNKNOWN = 255
_MOST_DECIMALS = 38  # digits of DuckDB's decimals
_EXACT_DIGITS = 15  # decimals that every float64 tells apart


def read(files: FileSet, memory: Any = None) -> File:
    """Return the columns of one file, or of several of one format.

    Args:
        files: Which files.
        memory: How much memory DuckDB may use, such as "2GB"; a quarter of the machine's when None.
    """
    connection = connect(memory)
    parts = [File(*part, files.kind, connection) for part in zip(files.paths, files.titles, strict=True)]
    if len(parts) == 1 and not files.hive:
        return parts[0]
    return Files(parts, files, connection)


def _holds_odd_signs(path: Path) -> bool:
    """Whether a file has an underscore, or "+-", below its first line."""
    with path.open("rb") as stream:
        block = re.split(rb"[\r\n]", stream.read(1 << 20), maxsplit=1)[-1]
        end = b""
        while block:
            # A single byte is looked for several times as fast as two.
            if b"_" in block or (b"+" in block and b"+-" in block) or (end == b"+" and block[:1] == b"-"):
                return True
            end, block = block[-1:], stream.read(1 << 20)
    return False


def _write_code(column: str, texts: Sequence[str]) -> str:
    """Write the SQL that codes a text: its index, the number of texts if it is missing, 255 for another text."""
    cases = " ".join(f"WHEN {quote_text(text)} THEN {code}" for code, text in enumerate(texts))
    known = f"CASE CAST({column} AS VARCHAR) {cases} ELSE {_UNKNOWN} END" if texts else str(_UNKNOWN)
    return f"CAST(CASE WHEN {column} IS NULL THEN {len(texts)} ELSE {known} END AS UTINYINT)"


def _read_labels(texts: Sequence[str], *, as_text: bool) -> Array | None:
    """Return the labels that texts of a CSV file spell, and None for a missing one; None if a text has outer spaces."""
    if any(text != text.strip() for text in texts):
        return None
    return np.append(read_labels(texts, as_text=as_text), np.array([None], dtype=object))


def _write_plain_number(column: str, spelling: Spelling) -> str:
    """Write the SQL that converts a number to the format of floats."""
    number = f"replace(trim({column}), {quote_text(spelling.decimal)}, '.')"
    return f"concat(rtrim({number}, '% '), 'e-2')" if spelling.is_percent else number


def is_full_disk(error: Exception) -> bool:
    """Whether DuckDB failed because its temporary files could not be written; the input is not at fault."""
    message = str(error).lower()
    return any(word in message for word in ("no space left", "disk quota exceeded", "file too large"))


class UnreadableError(InputError):
    """A file that DuckDB cannot read, for an unknown reason."""


class File(SliceableSource):
    """Columns of one file, read by DuckDB."""

    _is_one_file = True
    _joined = ""  # how the table of slices is joined

    def __init__(self, path: Path, title: str, kind: str, connection: duckdb.DuckDBPyConnection | None = None) -> None:
        super().__init__(title, ())
        self._kind = kind
        self._connection = connection or connect()
        self._written, self._state = path, read_state(path, title)
        self._layout: Layout | None = None
        self._spellings: dict[str, Spelling] = {}
        if kind == "csv":
            self._layout = Layout.of(path, title)
            if self._layout.mixed:
                path, self._layout = copy_with_one_line_end(path, self._layout, title)
        self._path = link_if_awkward(path)  # kept, because what came from a stream goes when it does
        self._literal = quote_text(os.fspath(self._path.absolute()))
        self._more_names = ""
        with self._translate_errors():
            self._from = self.write_reader(self._literal)
            described = self._describe()
            if kind == "json" and len(described) == 1 and str(described[0][1]).startswith(("MAP", "JSON")):
                # Objects of more than 200 names, which DuckDB takes for a mapping.
                check_name_count(self._connection, self._from, title)
                self._more_names = ", map_inference_threshold = -1"
                self._from = self.write_reader(self._literal)
                described = self._describe()
            own = [str(row[0]) for row in described]  # DuckDB's names, which differ where ours differ in case alone
            names = self._layout.columns if self._layout else self._find_written_names(own)
        self.types = {name: str(row[1]) for name, row in zip(names, described, strict=True)}
        self._names = dict(zip(names, own, strict=True))
        self.columns = tuple(self.types)

    def _describe(self) -> list[Any]:
        return self._connection.execute(f"DESCRIBE SELECT * FROM {self._from}").fetchall()

    @property
    def literal(self) -> str:
        """Path of the file as quoted SQL text."""
        return self._literal

    @property
    def own_names(self) -> Mapping[str, str]:
        """DuckDB's name of each column."""
        return self._names

    def is_like(self, other: File) -> bool:
        """Whether one reader can read both."""
        is_read_alike = self.compression == other.compression and self.write_reader("") == other.write_reader("")
        return self._layout == other._layout and is_read_alike

    @cached_property
    def compression(self) -> str:
        """Compression of a text file: none, gzip or zstd."""
        return "none" if self._kind == "parquet" else find_compression(self._path, self.title)

    def write_reader(self, literal: str, more: str = ", hive_partitioning = false") -> str:
        """Write the SQL that reads the file, or a list of such files."""
        if self._layout is not None:
            return self._layout.write_reader(literal, more=more)
        if self._kind == "parquet":
            return f"read_parquet({literal}{more})"
        how = "uncompressed" if self.compression == "none" else self.compression  # the word that every version knows
        form = find_json_form(self._path, self.title, self.compression)
        return (
            f"read_json({literal}, format = '{form}', sample_size = -1{self._more_names}, compression = '{how}'{more})"
        )

    def read_all(self) -> None:
        """Read every value; raise if one cannot be read."""
        with self._translate_errors():
            self._connection.execute(f"SELECT count(COLUMNS(*)) FROM {self._from}").fetchall()

    def _find_written_names(self, own: Sequence[str]) -> Sequence[str]:
        """Return the names in the file: DuckDB renames the second of two columns p and p, or p and P."""
        if self._kind == "json":
            check_columns(self._connection, self._from, own, self.title)
        if self._kind != "parquet":
            return own
        nodes = self._connection.execute(f"SELECT name, num_children FROM parquet_schema({self._literal})").fetchall()
        names, deep = [], 0
        for name, children in nodes[1:]:
            if not deep:
                names.append(str(name))
            deep = max(deep - 1, 0) + (children or 0)
        if len(names) != len(own):
            return own
        check_distinct_names(names, self.title)
        return names

    @cached_property
    def count(self) -> int:
        """Number of rows."""
        with self._translate_errors(), report_query_progress(self._connection, self._estimated_count or 0):
            return int(self._fetch_row(f"SELECT count(*) FROM {self._from}")[0])

    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the requested columns, row by row."""
        try:
            return dict(zip(requests, self._fetch_arrays(self._write_typed_query(requests)), strict=True))
        except UnreadableError:
            # Python reads lines that end in several ways, and headers of gzip that DuckDB does not know.
            if self._layout is None or self._layout.compression == "zstd":
                raise
            return CsvFile(self._path, self.title, self._layout).read_columns(requests)

    def fits(self, limit: int) -> bool:
        """Whether the columns of a ranking fit into `limit` bytes; rows of text are counted if it is close."""
        most = limit // _ROW_BYTES
        likely = self._estimated_count
        return self.count <= most if likely is None or likely > most // 4 else True

    @cached_property
    def _estimated_count(self) -> int | None:
        """Estimated number of rows of a text file, from its size and first lines; None if counting takes no time."""
        if self._kind == "parquet" or not self._is_one_file:
            return None
        lines = (
            read_head(self._path, self.title, self.compression).encode().splitlines()
            if self._size > _FIRST_BYTES
            else []
        )
        length = max(sum(map(len, lines)) // len(lines) + 1, 2) if lines else _SHORTEST_LINE
        return self._size * (1 if self.compression == "none" else _PACKED) // length

    @cached_property
    def _size(self) -> int:
        return self._path.stat().st_size

    def scan(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn] | None:
        """Read the columns in one typed scan; None if a value needs the checks of `read_columns`.

        Labels that are text become codes. `read_columns` handles what DuckDB refuses or reads less strictly, because
        its errors are in plain words.
        """
        try:
            read = self._scan_csv(requests) if self._kind == "csv" else self._scan_typed(requests)
            self._check_unchanged()
            return read
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except (duckdb.Error, InputError, UnicodeDecodeError):
            return None
        except RuntimeError as error:
            if "interrupted" in str(error):
                raise KeyboardInterrupt from None
            raise

    def _scan_csv(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn] | None:
        numbers = [request for request in requests.values() if request.role in ("scores", "weights")]
        others = [request for request in requests.values() if request.role in ("labels", "slices")]
        if (
            self._layout is None
            or len(numbers) + len(others) != len(requests)
            or len({*requests.values()}) != len(requests)
        ):
            return None
        absent_words = f", nullstr = [{', '.join(map(quote_text, MISSING))}]"
        types = {self._names[request.column]: "DOUBLE" for request in numbers}
        if len(types) != len(numbers) or self._has_odd_numbers(numbers):
            return None
        for request in numbers:
            self._check_decimals(request)
        reader = self._layout.write_reader(
            self._literal, more=f", hive_partitioning = false{absent_words}", types=types
        )
        return self._scan_coded(
            requests,
            self._write_reader_with_slices(reader),
            lambda texts, request: _read_labels(texts, as_text=request.as_text),
        )

    def _scan_typed(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn] | None:
        numeric = all(
            _NUMERIC.match(self.types[request.column]) for request in requests.values() if request.role != "labels"
        )
        text = all(self.types[request.column] == "VARCHAR" or self.types[request.column].startswith("ENUM")
                   for request in requests.values() if request.role == "labels")  # fmt: skip
        if not numeric or not text or not requests.keys() <= {"labels", "scores", "weights", "slices"}:
            return None  # labels that are numbers are read as such
        for request in requests.values():
            self._check_decimals(request)
        self._check_infinities(requests)
        return self._scan_coded(requests, self._from, lambda texts, _: np.array([*texts, None], dtype=object))

    def _scan_coded(
        self, requests: Mapping[Any, Request], reader: str, read: Callable[[Sequence[str], Request], Array | None]
    ) -> dict[Any, Array | CodedColumn] | None:
        """Read numbers unchanged and text as codes; None if there are too many labels, or unusual ones.

        The labels of the first rows are looked up; where others turn up later, all of them are, and it is read again.
        """
        for whole in (False, True):
            texts = {
                key: self._list_distinct(request, reader, whole=whole)
                for key, request in requests.items()
                if request.role == "labels"
            }
            values: dict[Any, Array] = {}
            for key, some in texts.items():
                labels = read(some, requests[key]) if len(some) <= MOST_CODES else None
                if labels is None:
                    return None
                values[key] = labels
            cells = [
                _write_code(self._quote_column(request), texts[key]) if key in texts else self._quote_column(request)
                for key, request in requests.items()
            ]
            columns = ", ".join(f"{cell} AS column{i}" for i, cell in enumerate(cells))
            query = f"SELECT {columns} FROM {reader}"
            with report_query_progress(self._connection, self._estimated_count or self.count):
                arrays = [fill_masked(array) for array in self._connection.execute(query).fetchnumpy().values()]
            columns_read = dict(zip(requests, arrays, strict=True))
            if not len(arrays[0]):
                return None
            if all(int(columns_read[key].max()) < _UNKNOWN for key in texts):
                return {
                    key: CodedColumn(values[key], array) if key in texts else array
                    for key, array in columns_read.items()
                }
        return None

    def _list_distinct(self, request: Request, reader: str, *, whole: bool) -> list[str]:
        """Return the distinct texts of a column, or of its first rows."""
        column = self._quote_column(request)
        rows = reader if whole else f"(SELECT {column} FROM {reader} LIMIT {_FIRST_ROWS})"
        query = f"SELECT DISTINCT CAST({column} AS VARCHAR) FROM {rows} LIMIT {MOST_CODES + 2}"
        return sorted(str(text) for (text,) in self._connection.execute(query).fetchall() if text is not None)

    def _has_odd_numbers(self, numbers: Sequence[Request]) -> bool:
        """Whether a number may have a format that only DuckDB accepts: 1_000 or +-1."""
        if self._layout is not None and self._layout.compression == "none" and not _holds_odd_signs(self._path):
            return False
        odd = " OR ".join(
            f"contains({self._quote_column(request)}, '_') OR contains({self._quote_column(request)}, '+-')"
            for request in numbers
        )
        return bool(self._fetch_row(f"SELECT count(*) FROM {self._from} WHERE {odd}")[0])

    def engine(self, requests: Mapping[Any, Request], slices: int = 0) -> SqlEngine | None:
        """Return the engine that aggregates out of core; None if scores or weights are not numbers to DuckDB.

        Args:
            requests: The columns.
            slices: How many slices the column `SLICE` numbers.
        """
        names = {"labels": "y", "scores": "x", "weights": "w", "slices": "s"}
        kinds = {
            role: self.types[request.column] for role, request in requests.items() if role in ("scores", "weights")
        }
        if not requests.keys() <= names.keys() or (
            self._kind != "csv" and not all(_NUMERIC.match(kind) for kind in kinds.values())
        ):
            return None
        self._write_typed_query(requests)  # which refuses text
        with self._translate_errors():
            chosen = ", ".join(f"{self._write_column(request)} AS {names[role]}" for role, request in requests.items())
        return SqlEngine(
            self._connection,
            f"SELECT {chosen} FROM {self._from}",
            self.count,
            self._translate_errors,
            single=kinds["scores"] == "FLOAT",
            weighted="weights" in requests,
            integers=self._kind != "csv" and kinds["scores"] in ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"),
            keep=self._kind != "parquet",
            slices=slices,
        )

    def list_combinations(self, requests: Mapping[Any, Request], most: int) -> Combinations | None:
        """Return the distinct combinations of the values of columns; None where there are more than `most`.

        Args:
            requests: The columns, which make slices.
            most: The most combinations.
        """
        cells = [self._write_column(request) for request in requests.values()]
        values = ", ".join(f"{cell} AS value{i}" for i, cell in enumerate(cells))
        texts = ", ".join(f"CAST(value{i} AS VARCHAR) AS text{i}" for i in range(len(cells)))
        counted_values = f"SELECT *, count(*) AS times FROM (SELECT {values} FROM {self._from}) GROUP BY ALL"
        arrays = self._fetch_arrays(f"SELECT *, {texts} FROM ({counted_values} LIMIT {most + 1})")
        count = len(cells)
        if len(arrays[0]) > most:
            return None
        return Combinations(arrays[:count], arrays[count + 1 :], arrays[count].astype(np.int64))

    def with_slices(self, slices: SliceTable) -> File:
        """Return the rows that belong to a slice, with the number of it in the column `SLICE`; in no order.

        Args:
            slices: Which combinations of values belong to which slice.
        """
        names = [f"text{i}" for i in range(len(slices.texts))]
        columns = dict(zip(names, slices.texts, strict=True)) | {"slice": slices.codes.astype(np.int16)}
        with self._translate_errors():
            create_table(self._connection, "slices", columns)
        same = " AND ".join(
            f"CAST({self._write_column(request)} AS VARCHAR) = slices.{name}"
            for request, name in zip(slices.requests.values(), names, strict=True)
        )
        other = copy.copy(self)  # with the same notes and spellings: what one learns about a column holds for both
        other._joined = f"JOIN slices ON {same}"
        other._from = other._write_reader_with_slices(self._from)
        other.types, other._names = self.types | {SLICE: "SMALLINT"}, self._names | {SLICE: SLICE}
        other.columns = tuple(other.types)
        other.__dict__.pop("count", None)
        return other

    def _write_reader_with_slices(self, reader: str) -> str:
        """Write the SQL that reads the rows, with the number of each row's slice if there are slices."""
        chosen = f"source.*, slices.slice AS {quote_name(SLICE)}"
        return f"(SELECT {chosen} FROM {reader} AS source {self._joined})" if self._joined else reader

    def _fetch_arrays(self, query: str) -> list[Array]:
        # Asked in SQL, not through a frame: expressions that narwhals keeps make DuckDB complain when Python ends.
        with self._translate_errors():
            return [fill_masked(values) for values in self._connection.sql(query).fetchnumpy().values()]

    def place(self, position: int) -> str:
        """Describe the place of a row, counted from 1."""
        return f"in row {position + 1}" + (" below the header" if self._kind == "csv" else "")

    # ------------------------------------------------------------------ types

    def _write_typed_query(self, requests: Mapping[Any, Request]) -> str:
        """Write the query of the columns, with the types that their arguments need, under names that cannot collide."""
        if not self.count:
            raise InputError(f"{self.title} has columns but no rows", "pass at least one case")
        for request in requests.values():
            self._check_numbers(request)
            self._check_decimals(request)
        self._check_infinities(requests)
        with self._translate_errors():
            chosen = ", ".join(
                f"{self._write_column(request)} AS column{i}" for i, request in enumerate(requests.values())
            )
            return f"SELECT {chosen} FROM {self._from}"

    def _write_column(self, request: Request) -> str:
        """Write the SQL expression that reads a column."""
        column = self._quote_column(request)
        if request.edges:
            return self._write_range_number(request)
        if request.by_day and self.types[request.column].startswith(("DATE", "TIMESTAMP")):
            return f"CAST({column} AS DATE)"
        if request.role == "slices":
            return column
        if self._kind != "csv":
            is_enum = self.types[request.column].startswith("ENUM")
            return f"CAST({column} AS VARCHAR)" if request.as_text or is_enum else column
        if request.role in ("id", "groups"):
            return column
        if request.role in ("scores", "weights") and request.column in self._spellings:
            column = _write_plain_number(column, self._spellings[request.column])
        present = f"CASE WHEN {write_is_missing(self._quote_column(request))} THEN NULL ELSE {column} END"
        kind = "DOUBLE" if request.role in ("scores", "weights") else self._find_label_type(request, present)
        return present if kind == "VARCHAR" else f"TRY_CAST({present} AS {kind})"

    def _write_range_number(self, request: Request) -> str:
        """Write the SQL that numbers the range of a value."""
        column, kind = self._quote_column(request), self.types[request.column]
        if kind in ("VARCHAR", "JSON"):
            no_number = f"TRY_CAST({column} AS DOUBLE) IS NULL OR regexp_matches({column}, '^0[0-9]')"
            column = f"TRY_CAST({column} AS DOUBLE)"
        else:
            no_number = str(not _NUMERIC.match(kind) or kind == "BOOLEAN").upper()
        missing = f"{self._quote_column(request)} IS NULL" + (
            f" OR {write_is_nan(column)}" if kind in ("FLOAT", "DOUBLE") else ""
        )
        if no_number == "TRUE":
            return f"CASE WHEN {missing} THEN {ABSENT} ELSE {NOT_A_NUMBER} END"
        edges = [f"CAST('{edge!r}' AS DOUBLE)" for edge in request.edges]
        ranges = " ".join(
            f"WHEN {column} >= {edge} THEN {number}" for number, edge in reversed([*enumerate(edges[:-1])])
        )
        return (
            f"CASE WHEN {missing} THEN {ABSENT} WHEN {no_number} THEN {NOT_A_NUMBER} "
            f"WHEN {column} > {edges[-1]} THEN {OUTSIDE} {ranges} ELSE {OUTSIDE} END"
        )

    def _find_label_type(self, request: Request, present: str) -> str:
        """Return the SQL type of labels: numbers or booleans if all labels are such, else text; "007" is text."""
        if request.as_text:
            return "VARCHAR"
        query = f"SELECT DISTINCT {present} FROM {self._from} LIMIT {MOST_LABELS}"
        values = [value.strip() for (value,) in self._connection.execute(query).fetchall() if value is not None]
        return find_label_type(values)

    def _check_numbers(self, request: Request) -> None:
        """Raise if scores or weights are text, with the first such text and its row."""
        is_text = self._kind == "csv" or self.types[request.column] in ("VARCHAR", "JSON")
        if request.role not in ("scores", "weights") or not is_text or request.column in self._spellings:
            return
        column = self._quote_column(request)
        # DuckDB takes 1_000 and +-1 for numbers.
        is_spelt = f"regexp_full_match(trim({column}), {quote_text(PLAIN_NUMBER)}, 'i')"
        bad = f"TRY_CAST({column} AS DOUBLE) IS NULL OR NOT {is_spelt}"
        bad = f"({column} IS NOT NULL AND NOT {write_is_missing(column)} AND ({bad}))"
        with self._translate_errors():
            numbered = f"SELECT row_number() OVER () AS place, {column} AS value, {bad} AS bad FROM {self._from}"
            if not self._fetch_row(f"SELECT count(*) FROM {self._from} WHERE {bad}")[0]:
                if self._kind == "csv":
                    return
                numbered = numbered.replace(bad, f"{column} IS NOT NULL")  # text that spells numbers is text
            rows = self._connection.execute(
                f"SELECT place, value FROM ({numbered}) WHERE bad ORDER BY place LIMIT 1"
            ).fetchall()
        for place, value in rows:
            if self._kind == "csv" and self._has_other_spelling(request, str(value)):
                return
            raise PositionError(
                f"holds text, {value!r},", hint_number(str(value)), argument=request.role, position=place - 1
            )

    def _has_other_spelling(self, request: Request, text: str) -> bool:
        """Whether a whole column is written in percent or with decimal commas; it is then read so, with a note."""
        column = self._quote_column(request)
        for spelling in [spelling for spelling in SPELLINGS if spelling.fits(text)]:
            sign, ambiguous = quote_text(spelling.sign), quote_text(spelling.ambiguous)
            typical = f"contains({column}, {sign}) AND NOT regexp_full_match(trim({column}), {ambiguous})"
            other = f"{column} IS NOT NULL AND NOT regexp_full_match(trim({column}), {quote_text(spelling.pattern)})"
            is_bad = f"{other} AND NOT {write_is_missing(column)}"
            query = f"SELECT count_if({is_bad}), min({column}) FILTER ({typical}) FROM {self._from}"
            with self._translate_errors():
                others, example = self._fetch_row(query)
            if not others and example is not None:
                self._spellings[request.column] = spelling
                self.notes[request.column] = spelling.describe_column(request.column, str(example))
                return True
        return False

    def _check_infinities(self, requests: Mapping[Any, Request]) -> None:
        """Raise if an infinity in JSON is spelt otherwise than Infinity."""
        if self._kind != "json" or not self._is_one_file:
            return
        for request in requests.values():
            if request.role in ("scores", "weights") and self.types[request.column] == "DOUBLE":
                with self._translate_errors():
                    query = f"SELECT count(*) FROM {self._from} WHERE isinf({self._quote_column(request)})"
                    is_infinite = bool(self._fetch_row(query)[0])
                if is_infinite:
                    check_infinities(self._connection, self.write_reader(self._literal), self.title)

    def _check_decimals(self, request: Request) -> None:
        """Refuse decimals that would become ties as floats."""
        if request.role == "scores" and self._layout is not None and self._is_one_file:
            self._check_long_numbers(request)
            return
        if request.role == "scores" and self._kind == "json" and self._is_one_file:
            if self.types[request.column] == "DOUBLE":
                self._check_long_json(request)
            return
        if request.role == "scores" and self._kind == "parquet" and self.types[request.column] == "DOUBLE":
            self._check_wide_decimals(request)
        digits = re.match(r"DECIMAL\((\d+)", self.types[request.column])
        if request.role != "scores" or digits is None or int(digits[1]) <= _EXACT_DIGITS:
            return
        column = self._quote_column(request)
        counts = f"count(DISTINCT {column}), count(DISTINCT CAST({column} AS DOUBLE))"
        with self._translate_errors():
            exact, as_floats = self._fetch_row(f"SELECT {counts} FROM {self._from}")
        if as_floats < exact:
            raise make_decimals_error(request.role)

    def _check_wide_decimals(self, request: Request) -> None:
        """Refuse decimals of Parquet that have more digits than those of DuckDB, which reads them as floats."""
        for part in getattr(self, "_parts", [self]):
            name = quote_text(
                part.own_names.get(request.column, "")
            )  # none of a column that is in the names of folders
            with self._translate_errors():
                wide = self._fetch_row(
                    f"SELECT max(precision) FROM parquet_schema({part.literal}) "
                    f"WHERE name = {name} AND precision > {_MOST_DECIMALS}"
                )
            if wide[0] is not None:
                problem = f"holds decimals of {wide[0]} digits, of which float64 cannot tell all apart"
                raise InputError(problem, "pass ranks, or round them", argument=request.role)

    def _check_long_json(self, request: Request) -> None:
        """Refuse numbers of a JSON file that would become ties as floats."""
        with self._translate_errors():
            long = find_long_scores(self._connection, self.write_reader(self._literal), request.column)
            if not long:
                return
            query = f"SELECT CAST({self._quote_column(request)} AS DOUBLE) FROM {self._from}"
            floats = self._connection.execute(query).fetchnumpy().popitem()[1]
        if have_hidden_ties(long, np.ma.filled(floats, np.nan)):
            raise make_decimals_error(request.role)

    def _check_long_numbers(self, request: Request) -> None:
        """Refuse numbers of a CSV file that would become ties as floats, if samples of it have that many digits."""
        assert self._layout is not None  # noqa: S101 - of a CSV file
        if not has_long_numbers(self._path, self.title, self._layout):
            return
        text, spelling = f"trim({self._quote_column(request)})", self._spellings.get(request.column)
        if spelling is not None:
            text = f"rtrim(replace({text}, {quote_text(spelling.decimal)}, '.'), '% ')"
        zeros = f"regexp_replace({text}, '^[+]?0*([0-9.])', '\\1')"
        exact = f"CASE WHEN contains({text}, '.') THEN rtrim(rtrim({zeros}, '0'), '.') ELSE {zeros} END"
        digits = f"length(trim(regexp_replace({text}, '[^0-9]', '', 'g'), '0'))"
        whole = f"TRY_CAST({exact} AS HUGEINT) <> TRY_CAST(TRY_CAST({text} AS DOUBLE) AS HUGEINT)"
        is_long = f"({digits} > {MOST_DIGITS} OR (NOT contains({exact}, '.') AND {whole}))"
        is_plain = f"regexp_full_match({text}, '[+-]?[0-9]*[.]?[0-9]*')"
        cells = (
            f"SELECT {exact} AS exact, TRY_CAST({text} AS DOUBLE) AS number, {is_plain} AND {is_long} AS is_long "
            f"FROM {self._from}"
        )
        query = (
            f"WITH cells AS ({cells}), long AS (SELECT exact, number FROM cells WHERE is_long) "
            "SELECT (SELECT count(DISTINCT exact) - count(DISTINCT number) FROM long), "
            "(SELECT count(*) FROM cells WHERE NOT is_long AND number IN (SELECT number FROM long))"
        )
        with self._translate_errors():
            merged, beside = self._fetch_row(query)
        if merged or beside:
            raise make_decimals_error(request.role)

    def _holds_numbers(self, column: str) -> bool:
        """Whether DuckDB reads the column as numbers, or may: text of a CSV file may spell them."""
        return self._kind == "csv" or bool(_NUMERIC.match(self.types[column]))

    def _quote_column(self, request: Request) -> str:
        return quote_name(self._names[request.column])

    # ------------------------------------------------------------------ asking

    def _fetch_row(self, query: str) -> tuple[Any, ...]:
        return tuple(self._connection.execute(query).fetchall()[0])  # all, so that the connection is free again

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise errors of DuckDB as an InputError, and raise if the file has changed since it was opened."""
        try:
            yield
            self._check_unchanged()
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            self._check_unchanged()
            raise (make_full_disk_error() if is_full_disk(error) else self._explain_failure()) from None
        except RuntimeError as error:
            if "interrupted" in str(error):  # which is how DuckDB tells that somebody pressed Ctrl-C
                raise KeyboardInterrupt from None
            raise

    def _check_unchanged(self) -> None:
        """Raise if another program changed the file since it was opened, because every query opens it anew."""
        if read_state(self._written, self.title) != self._state:
            raise make_changed_error(self.title)

    def _explain_failure(self) -> InputError:
        """Return the reason why the file cannot be read, from DuckDB's notes about its lines."""
        what = {"csv": "CSV", "parquet": "Parquet", "json": "JSON lines"}[self._kind]
        general = UnreadableError(f"{self.title} cannot be read as {what}", "it is damaged, or in another format")
        if self._layout is None:
            return general
        try:
            noting = self._layout.write_reader(self._literal, rejects=True)
            self._connection.execute(f"SELECT count(COLUMNS(*)) FROM {noting}").fetchall()
            query = "SELECT line, error_type, csv_line FROM reject_errors ORDER BY line, column_idx LIMIT 1"
            rows = self._connection.execute(query).fetchall()
        except (duckdb.Error, UnicodeDecodeError):
            return general
        reasons = [
            explain_reject(self.title, self._layout, int(line), str(kind), str(text)) for line, kind, text in rows
        ]
        return next((reason for reason in reasons if reason is not None), general)


class Files(File):
    """Columns of several files of one format."""

    _is_one_file = False

    def __init__(self, parts: Sequence[File], files: FileSet, connection: duckdb.DuckDBPyConnection) -> None:
        Source.__init__(self, files.title, ())
        self._kind, self._connection = files.kind, connection
        self._parts, self._layout = parts, None
        self.lacking = _explain_differences(parts)
        with self._translate_errors():
            self._from = self._write_union(files.hive)
            described = connection.execute(f"DESCRIBE SELECT * FROM {self._from}").fetchall()
        own = {str(row[0]): str(row[1]) for row in described}
        first = {name: duck for name, duck in parts[0].own_names.items() if name not in self.lacking}
        partitions = {name: name for name in own if name not in parts[0].own_names.values() and files.hive}
        self._names = {name: duck for name, duck in {**first, **partitions}.items() if duck in own}
        self.types = {name: own[duck] for name, duck in self._names.items()}
        self._spellings = {}
        self.columns = tuple(self.types)

    def _write_union(self, hive: bool) -> str:
        """Write the SQL that reads all files: in one call if they are alike, else as a union."""
        literals = f"[{', '.join(part.literal for part in self._parts)}]"
        folders = f"hive_partitioning = {str(hive).lower()}"
        if self._kind == "parquet":
            return f"read_parquet({literals}, {folders}, union_by_name = {str(not self._are_alike).lower()})"
        if self._are_alike:
            return self._parts[0].write_reader(
                literals, f", {folders}" + (", hive_types_autocast = false" if hive else "")
            )
        if hive:
            raise InputError(
                f"The files of {self.title} have different columns or layouts", "pass files with the same columns"
            )
        common = [name for name in self._parts[0].own_names if name not in self.lacking]
        names = {name: quote_name(self._parts[0].own_names[name]) for name in common}
        each = (
            f"SELECT {', '.join(f'{quote_name(part.own_names[name])} AS {names[name]}' for name in common)} "
            f"FROM {part.write_reader(part.literal)}"
            for part in self._parts
        )
        return f"({' UNION ALL '.join(each)})"

    @property
    def _are_alike(self) -> bool:
        first = self._parts[0]
        return all(part.own_names == first.own_names and part.is_like(first) for part in self._parts)

    def place(self, position: int) -> str:
        """Describe the place of a row, counted from 1, and its file."""
        for part in self._parts:
            if position < part.count:
                return f"{part.place(position)} of {part.title}"
            position -= part.count
        return super().place(position)

    def _check_unchanged(self) -> None:
        for part in self._parts:
            part._check_unchanged()

    def _explain_failure(self) -> InputError:
        """Return the refusal of the first file that cannot be read by itself."""
        for part in self._parts:
            try:
                part.read_all()
            except InputError as error:
                return error
        return InputError(f"The files of {self.title} cannot be read together", "pass files of one kind")


def _explain_differences(parts: Sequence[File]) -> dict[str, str]:
    """Return for each column that the files do not share the reason why."""
    first = parts[0]
    reasons: dict[str, str] = {}
    for part in parts[1:]:
        for file, other in ((first, part), (part, first)):
            for name in file.columns:
                if name not in other.columns:
                    reasons.setdefault(name, f"{other.title} has no column {name!r}, which {file.title} has")
        for name in first.columns:
            if name in part.columns and (first.types[name] in _TEXT) != (part.types[name] in _TEXT):
                text, numbers = (first, part) if first.types[name] in _TEXT else (part, first)
                reasons.setdefault(name, f"Column {name!r} is text in {text.title} but not in {numbers.title}")
    return reasons
