"""Copies of files with one more column, computed from the score: flags of a cut, or recalibrated probabilities."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from cutline.core.errors import Argument, InputError, ParameterError, Text
from cutline.core.validation import format_count
from cutline.inputs import arrow_files
from cutline.inputs.column_source import Request, check_columns
from cutline.inputs.csv_layout import convert_to_utf8
from cutline.inputs.duck import quote_name, quote_text, write_is_missing, write_is_number
from cutline.inputs.duckdb_files import File, is_full_disk
from cutline.inputs.excel_files import read_workbook
from cutline.inputs.file_formats import find_format, find_local_file, make_full_disk_error, spool
from cutline.inputs.files import FORMATS
from cutline.inputs.text_table import NUMBER, WHOLE

# More digits than this do not all fit into an integer of 64 bits, and as a float it would be another number.
DIGITS = 18


def write_rows(
    connection: duckdb.DuckDBPyConnection, cells: Mapping[str, str], source: str, into: Path, kind: str
) -> int:
    """Write rows to a file, in their order and never all in memory, and return their number.

    Args:
        connection: Where the source is read.
        cells: What is written, in SQL, by the names of the columns.
        source: What follows FROM.
        into: The file to write.
        kind: Its format: csv, parquet or json, the first and the last perhaps with how it is compressed ("csv.gzip").
    """
    format, _, compression = kind.partition(".")
    options = f"FORMAT {format}" + (f", COMPRESSION {compression}" if compression else "")
    if format == "csv":  # the header as a row, because DuckDB renames columns that differ in case alone
        header = ", ".join(quote_text(name) for name in cells)
        texts = ", ".join(f"CAST({cell} AS VARCHAR)" for cell in cells.values())
        query = f"SELECT {header} UNION ALL SELECT {texts} FROM {source}"
        options += ", HEADER false"
    else:
        query = f"SELECT {', '.join(f'{cell} AS {quote_name(name)}' for name, cell in cells.items())} FROM {source}"
    [(written,)] = connection.execute(f"COPY ({query}) TO {quote_text(os.fspath(into))} ({options})").fetchall()
    return int(written) - (format == "csv")


def infer_types(connection: duckdb.DuckDBPyConnection, cells: Mapping[str, str], source: str) -> dict[str, str]:
    """Return the SQL of columns of text, each with the type that all its cells spell: integers, numbers, booleans or
    text.

    A cell that stands for a missing value is none in a column of numbers. What would become another value stays text:
    "007", whole numbers of more than 18 digits, numbers beyond the largest float.

    Args:
        connection: Where the source is read.
        cells: The columns, in SQL, by their names.
        source: What follows FROM.
    """
    counts: list[str] = []
    for cell in cells.values():
        there, text = f"({cell} IS NOT NULL AND NOT {write_is_missing(cell)})", f"trim({cell})"
        whole = f"regexp_full_match({text}, {quote_text(WHOLE)}) AND length({text}) <= {DIGITS}"
        spelt = f"regexp_full_match({text}, {quote_text(NUMBER)}) AND isfinite(TRY_CAST({text} AS DOUBLE))"
        number = f"({whole}) OR ({spelt} AND regexp_matches({text}, '[.eE]'))"
        kinds = (there, whole, number, f"lower({text}) IN ('true', 'false')")
        counts += [f"count_if({there} AND ({holds}))" for holds in kinds]
    [counts_row] = connection.execute(f"SELECT {', '.join(counts)} FROM {source}").fetchall()
    made = {}
    for i, (name, cell) in enumerate(cells.items()):
        there, *spelt_as = counts_row[4 * i : 4 * i + 4]
        possible = zip(("BIGINT", "DOUBLE", "BOOLEAN"), spelt_as, strict=True)
        kind = next((kind for kind, count in possible if count == there), None) if there else None
        present = f"CASE WHEN {write_is_missing(cell)} THEN NULL ELSE trim({cell}) END"
        made[name] = cell if kind is None else f"CAST({present} AS {kind})"
    return made


class FirstCases(NamedTuple):
    """Summary of the first cases of a file by score, and of the tie that the last one is in."""

    flagged: int
    cases: int
    last: float
    tied: int  # cases with the last score
    taken: int  # of these, how many are among the first


@dataclass(frozen=True)
class Flags:
    """The column of the scores, the threshold that they have to reach, and the name of the new column."""

    score: str
    threshold: float
    higher: bool
    column: str = "flagged"
    drop: bool = False


class CaseColumns(File):
    """The cases of one file, or of standard input ("-"), to be copied with a new column while the block runs.

    The rows go through DuckDB one after the other, in their order, and never all into memory. Formats: csv, parquet,
    json or arrow, the text formats perhaps with their compression ("csv.gzip").
    """

    def __init__(self, path: Any, format: str | None = None) -> None:
        if format is not None and format not in FORMATS:
            raise ParameterError(f"is {format!r}", f"pass one of {', '.join(FORMATS)}", argument="format")
        place, title = (spool(path), "standard input") if path == "-" else find_local_file(path)
        kind = format or find_format(place)
        is_converted = kind in ("arrow", "excel")
        self._folder = tempfile.TemporaryDirectory(prefix="cutline-") if is_converted else None
        if self._folder is not None and kind == "excel":  # which DuckDB reads as CSV
            place, kind = read_workbook(place, title).write_csv(Path(self._folder.name, "rows")), "csv"
        elif self._folder is not None:  # which DuckDB reads as Parquet
            from pyarrow import parquet

            parquet.write_table(arrow_files.read_table(place, title), parquet_path := Path(self._folder.name, "rows"))
            place, kind = parquet_path, "parquet"
        if kind == "csv":
            place, _ = convert_to_utf8(place, title)
        super().__init__(place, title, kind)

    def __enter__(self) -> CaseColumns:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def flag(self, flags: Flags, into: Path, kind: str) -> tuple[int, int]:
        """Write the cases with a column of flags for scores that reach a threshold; return the numbers of flagged and
        of written cases.

        Args:
            flags: The column of the scores, the threshold, and the name of the new column.
            into: The file to write.
            kind: Its format.
        """
        score = self._request_score(flags.score, flags.column, "the flags")
        at = self._as_score(flags.threshold, flags.score)

        def reaches(value: str) -> str:
            return f"({value} {'>=' if flags.higher else '<='} {at})"

        written = self._copy(score, reaches, flags.column, into, kind, drop=flags.drop)
        with self._translate_errors():
            value = self._write_column(score)
            where = f"{reaches(value)} AND {write_is_number(value)}"
            return int(self._fetch_row(f"SELECT count(*) FROM {self._from} WHERE {where}")[0]), written

    def flag_first(self, flags: Flags, quota: int, into: Path, kind: str) -> FirstCases:
        """Write the cases with a column of flags for the first ones by score; of tied scores, the first rows.

        Args:
            flags: The column of the scores, their direction, and the name of the new column; its threshold is not used.
            quota: How many cases are flagged.
            into: The file to write.
            kind: Its format.
        """
        score = self._request_score(flags.score, flags.column, "the flags")
        self._check_numbers(score)
        value = self._write_column(score)
        if not flags.drop:
            self._check_present(score, value)
        numbers = f"SELECT {value} AS value FROM {self._from} WHERE {write_is_number(value)}"
        order, beyond = ("DESC", ">") if flags.higher else ("ASC", "<")
        with self._translate_errors():
            count = int(self._fetch_row(f"SELECT count(*) FROM ({numbers})")[0])
            if quota > count:
                raise ParameterError(
                    f"is {quota}, but {self.title} has {format_count(count, 'case')}",
                    "pass a smaller one",
                    argument="quota",
                )
            ranked = f"SELECT value FROM ({numbers}) ORDER BY value {order} LIMIT 1 OFFSET {quota - 1}"
            last = float(self._fetch_row(ranked)[0])
            at = self._as_score(last, flags.score)
            counts = f"SELECT count_if(value {beyond} {at}), count_if(value = {at}) FROM ({numbers})"
            above, tied = map(int, self._fetch_row(counts))
        so_far = f"sum(CASE WHEN {value} = {at} THEN 1 ELSE 0 END) OVER (ROWS UNBOUNDED PRECEDING)"

        def is_among(text: str) -> str:
            return f"({text} {beyond} {at} OR ({text} = {at} AND {so_far} <= {quota - above}))"

        self._copy(score, is_among, flags.column, into, kind, drop=flags.drop)
        return FirstCases(quota, count, last, tied, quota - above)

    def derive(
        self,
        score: str,
        expression: Callable[[str], str],
        into: Path,
        kind: str,
        *,
        column: str,
        drop: bool = False,
        functions: Mapping[str, Callable[[float], float]] | None = None,
    ) -> int:
        """Write the cases with a column that is computed from their score, and return their number.

        Args:
            score: The column of the scores.
            expression: The SQL of the new column, as a function of the SQL of the score.
            into: The file to write.
            kind: Its format.
            column: The name of the new column.
            drop: Whether rows without a score are left out; they are refused otherwise.
            functions: Functions that the expression calls, by name.
        """
        request = self._request_score(score, column, "the new one")
        for name, function in (functions or {}).items():
            self._connection.create_function(name, function, ["DOUBLE"], "DOUBLE")
        return self._copy(request, expression, column, into, kind, drop=drop)

    def limits(self, score: str) -> tuple[float, float]:
        """Return the smallest and the largest score.

        Args:
            score: The column of the scores.
        """
        request = Request("scores", score)
        check_columns(self, {"scores": request})
        self._check_numbers(request)
        if not self._holds_numbers(score):
            what = f"Column {score!r} holds no numbers, but {self.types[score]}"
            raise InputError(what, "pass the column of the scores")
        value = self._write_column(request)
        with self._translate_errors():
            low, high = self._fetch_row(f"SELECT min({value}), max({value}) FROM {self._from}")
        if low is None:
            raise InputError(f"Column {score!r} has no score", "pass cases with scores")
        return float(low), float(high)

    def _request_score(self, score: str, column: str, noun: str) -> Request:
        """Request the scores; raise if their column is missing, or the name of the new column is taken."""
        request = Request("scores", score)
        check_columns(self, {"scores": request})
        if column in self.columns:
            raise InputError(f"{self.title} has a column {column!r} already", f"pass another name for {noun}")
        return request

    def _as_score(self, number: float, score: str) -> str:
        """Return the SQL of a number in the type of the scores."""
        return f"CAST('{number!r}' AS {'FLOAT' if self.types[score] == 'FLOAT' else 'DOUBLE'})"

    def _copy(
        self, score: Request, expression: Callable[[str], str], column: str, into: Path, kind: str, *, drop: bool
    ) -> int:
        """Copy the rows with a new column, and return their number.

        The columns of a CSV file stay text in another CSV file, and get their types in other formats.
        """
        if kind == "arrow":  # by way of Parquet, which DuckDB writes
            with tempfile.TemporaryDirectory(prefix="cutline-") as folder:
                try:
                    count = self._copy(score, expression, column, Path(folder, "rows"), "parquet", drop=drop)
                except OSError as error:
                    raise make_full_disk_error(error.strerror) from None
                _convert_to_arrow(Path(folder, "rows"), into)
                return count
        self._check_numbers(score)
        value = self._write_column(score)
        if not drop:
            self._check_present(score, value)
        source = self._from + (f" WHERE {write_is_number(value)}" if drop else "")
        cells = {name: quote_name(self._names[name]) for name in self.columns}
        with self._translate_errors():
            if self._kind == "csv" and not kind.startswith("csv"):
                cells = infer_types(self._connection, cells, source)
            try:
                return write_rows(self._connection, cells | {column: expression(value)}, source, into, kind)
            except duckdb.Error as error:
                if is_full_disk(error) and into.name in str(error):  # the disk of the new file, not of temporary ones
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
                raise

    def _check_present(self, score: Request, value: str) -> None:
        """Refuse a row without a score."""
        numbered = f"SELECT row_number() OVER () AS place, {value} AS value FROM {self._from}"
        with self._translate_errors():
            query = f"SELECT min(place), count(*) FROM ({numbered}) WHERE NOT ({write_is_number('value')})"
            first, missing = self._fetch_row(query)
        if missing:
            problem = f"Column {score.column!r} holds {format_count(missing, 'missing value')}, the first"
            raise InputError(
                f"{problem} {self.place(first - 1)}", Text("fill them, or pass ", Argument("missing", "drop"))
            )


def _convert_to_arrow(source: Path, into: Path) -> None:
    """Copy a Parquet file to an Arrow file, some rows at a time."""
    try:
        from pyarrow import ipc, parquet
    except ImportError:
        raise ParameterError("Arrow files need pyarrow", "install pyarrow, or write .parquet") from None
    with parquet.ParquetFile(source) as opened, ipc.new_file(into, opened.schema_arrow) as sink:
        for batch in opened.iter_batches():
            sink.write(batch)
