"""A file copied with one more column, which says of each case whether its score reaches a threshold."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from cutline.core.errors import InputError, ParameterError
from cutline.inputs import arrow_files
from cutline.inputs.column_source import Request, check
from cutline.inputs.csv_layout import in_utf8
from cutline.inputs.duck import absent, literal, quoted
from cutline.inputs.excel_files import read_workbook
from cutline.inputs.file_formats import layout_of, local, spooled
from cutline.inputs.files import FORMATS, open_with_duckdb
from cutline.inputs.text_table import NUMBER, WHOLE

if TYPE_CHECKING:
    from cutline.inputs.duckdb_files import File, FirstCases

Result = TypeVar("Result")


# More digits than this do not all fit into an integer of 64 bits, and as a float it would be another number.
DIGITS = 18


def write_rows(
    connection: duckdb.DuckDBPyConnection, cells: Mapping[str, str], source: str, into: Path, kind: str
) -> int:
    """Write rows to a file, in their order and never all in memory; how many.

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
        header = ", ".join(literal(name) for name in cells)
        texts = ", ".join(f"CAST({cell} AS VARCHAR)" for cell in cells.values())
        query = f"SELECT {header} UNION ALL SELECT {texts} FROM {source}"  # noqa: S608
        options += ", HEADER false"
    else:
        query = f"SELECT {', '.join(f'{cell} AS {quoted(name)}' for name, cell in cells.items())} FROM {source}"  # noqa: S608
    [(written,)] = connection.execute(f"COPY ({query}) TO {literal(os.fspath(into))} ({options})").fetchall()
    return int(written) - (format == "csv")


def typed(connection: duckdb.DuckDBPyConnection, cells: Mapping[str, str], source: str) -> dict[str, str]:
    """Return columns of text as what all their cells spell: whole numbers, numbers or true and false; else as the
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
        there, text = f"({cell} IS NOT NULL AND NOT {absent(cell)})", f"trim({cell})"
        whole = f"regexp_full_match({text}, {literal(WHOLE)}) AND length({text}) <= {DIGITS}"
        spelt = f"regexp_full_match({text}, {literal(NUMBER)}) AND isfinite(TRY_CAST({text} AS DOUBLE))"
        number = f"({whole}) OR ({spelt} AND regexp_matches({text}, '[.eE]'))"
        kinds = (there, whole, number, f"lower({text}) IN ('true', 'false')")
        counts += [f"count_if({there} AND ({holds}))" for holds in kinds]
    [counts_row] = connection.execute(f"SELECT {', '.join(counts)} FROM {source}").fetchall()  # noqa: S608
    made = {}
    for i, (name, cell) in enumerate(cells.items()):
        there, *spelt_as = counts_row[4 * i : 4 * i + 4]
        possible = zip(("BIGINT", "DOUBLE", "BOOLEAN"), spelt_as, strict=True)
        kind = next((kind for kind, count in possible if count == there), None) if there else None
        present = f"CASE WHEN {absent(cell)} THEN NULL ELSE trim({cell}) END"
        made[name] = cell if kind is None else f"CAST({present} AS {kind})"
    return made


@dataclass(frozen=True)
class Flags:
    """Which column holds the scores, what they have to reach, and what the new column is called."""

    score: str
    threshold: float
    higher: bool
    column: str = "flagged"
    drop: bool = False


class CaseColumns:
    """The cases of one file, or of standard input ("-"), while the block runs."""

    def __init__(self, path: Any, format: str | None = None) -> None:
        if format is not None and format not in FORMATS:
            raise ParameterError(f"is {format!r}", f"pass one of {', '.join(FORMATS)}", argument="format")
        place, self.title = (spooled(path), "standard input") if path == "-" else local(path)
        kind = format or layout_of(place)
        is_converted = kind in ("arrow", "excel")
        self._folder = tempfile.TemporaryDirectory(prefix="cutline-") if is_converted else None
        if self._folder is not None and kind == "excel":  # which DuckDB reads as CSV
            place, kind = read_workbook(place, self.title).write_csv(Path(self._folder.name, "rows")), "csv"
        elif self._folder is not None:  # which DuckDB reads as Parquet
            from pyarrow import parquet

            parquet.write_table(arrow_files.table(place, self.title), parquet_path := Path(self._folder.name, "rows"))
            place, kind = parquet_path, "parquet"
        if kind == "csv":
            place, _ = in_utf8(place, self.title)
        self._file: File = open_with_duckdb(place, self.title, kind)

    def __enter__(self) -> CaseColumns:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._file.columns

    def flag(self, flags: Flags, into: Path, kind: str) -> tuple[int, int]:
        """Write the cases with their flags to a file of a format; how many are flagged, of how many.

        Args:
            flags: What is flagged, and the name of the new column.
            into: The file to write.
            kind: Its format: arrow, or one that `write_rows` knows.
        """
        score, how = self._checked(flags)
        return _written(partial(self._file.flag, score, flags.threshold, **how), into, kind)

    def flag_first(self, flags: Flags, quota: int, into: Path, kind: str) -> FirstCases:
        """Write the cases with flags for the first ones by score; of equal scores, the first rows of the file.

        Args:
            flags: The column of the scores, their direction, and the name of the new column; its threshold is not used.
            quota: How many cases are flagged.
            into: The file to write.
            kind: Its format: arrow, or one that `write_rows` knows.
        """
        score, how = self._checked(flags)
        return _written(partial(self._file.flag_first, score, quota, **how), into, kind)

    def _checked(self, flags: Flags) -> tuple[Request, dict[str, Any]]:
        """Return the request of the scores and the options of the flags; refuse columns that are missing or taken."""
        score = Request("scores", flags.score)
        check(self._file, {"scores": score})
        if flags.column in self.columns:
            raise InputError(f"{self.title} has a column {flags.column!r} already", "pass another name for the flags")
        return score, {"higher": flags.higher, "column": flags.column, "drop": flags.drop}

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
        """Write the cases with a column that is computed from their score; how many.

        Args:
            score: The column of the scores.
            expression: What is computed, in SQL, of the SQL of the score.
            into: The file to write.
            kind: Its format: arrow, or one that `write_rows` knows.
            column: The name of the new column.
            drop: Whether rows without a score are left out.
            functions: Functions that the expression calls, by name.
        """
        request = Request("scores", score)
        check(self._file, {"scores": request})
        if column in self.columns:
            raise InputError(f"{self.title} has a column {column!r} already: pass another name for the new one.")
        for name, function in (functions or {}).items():
            self._file.teach(name, function)
        return _written(partial(self._file.derive, request, expression, column=column, drop=drop), into, kind)

    def limits(self, score: str) -> tuple[float, float]:
        """Return the smallest and the largest score.

        Args:
            score: The column of the scores.
        """
        check(self._file, {"scores": Request("scores", score)})
        return self._file.limits(Request("scores", score))


def _written(write: Callable[..., Result], into: Path, kind: str) -> Result:
    """Write rows to a file; to an Arrow file by way of Parquet, which DuckDB knows."""
    if kind != "arrow":
        return write(into=into, kind=kind)
    with tempfile.TemporaryDirectory(prefix="cutline-") as folder:
        between = Path(folder, "rows")
        result = write(into=between, kind="parquet")
        _as_arrow(between, into)
    return result


def _as_arrow(source: Path, into: Path) -> None:
    """Copy a Parquet file to an Arrow file, some rows at a time."""
    try:
        from pyarrow import ipc, parquet
    except ImportError:
        raise ParameterError("Arrow files need pyarrow", "install pyarrow, or write .parquet") from None
    with parquet.ParquetFile(source) as opened, ipc.new_file(into, opened.schema_arrow) as sink:
        for batch in opened.iter_batches():
            sink.write(batch)
