"""Files of predictions: CSV, TSV, Parquet, JSON lines, Arrow, Excel workbooks; and standard input.

`read(path)` gives a source (see `column_source`). Small CSV files are read by Python, everything else by DuckDB, which
holds no more of a file than memory has room for. Without DuckDB, Python reads all CSV files, and pyarrow, Polars or
pandas Parquet, whichever is installed.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cutline.core.errors import InputError, ParameterError
from cutline.core.extras import require
from cutline.core.memory import parse_memory_size
from cutline.inputs.column_source import Source
from cutline.inputs.csv_layout import EncodingError, Layout, convert_to_utf8, make_encoding_error
from cutline.inputs.file_formats import find_zstd_line_not_utf8
from cutline.inputs.file_sets import FileSet, find_files
from cutline.inputs.text_table import CsvFile

FORMATS = ("csv", "parquet", "json", "arrow", "excel")
_SMALL = 4_000_000  # bytes of a CSV file that Python reads faster than DuckDB is loaded


def read(path: Any, format: str | None = None, memory: Any = None) -> Source:
    """Return the source of files, of standard input (`"-"`), or of an open stream of bytes.

    Args:
        path: A path, a pattern, a folder, or a list of these; "-" or a stream.
        format: The format, when the names do not tell.
        memory: How much memory DuckDB may use, such as "2GB"; a quarter of the machine's when None.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(f"is {format!r}", f"pass one of {', '.join(FORMATS)}", argument="format")
    if memory is not None:
        parse_memory_size(memory)  # which refuses what is no size
    files = find_files(path, format)
    if files.kind == "arrow":
        from cutline.inputs import arrow_files

        return arrow_files.read(files.paths, files.titles, files.title)
    if files.kind == "excel":
        if len(files.paths) > 1:
            raise InputError(f"{files.title} are several workbooks", "pass one, or export the sheets as CSV")
        from cutline.inputs.excel_files import read_workbook

        return read_workbook(files.paths[0], files.title)
    if files.kind == "csv" and len(files.paths) == 1 and not files.hive:
        path, note = convert_to_utf8(files.paths[0], files.title)
        source = _read_tables(files._replace(paths=(path,)), memory)
        if note:
            source.notes[""] = note
        return source
    return _read_tables(files, memory)


def _read_tables(files: FileSet, memory: Any) -> Source:
    """Return the source of CSV, JSON or Parquet files."""
    if len(files.paths) == 1 and not files.hive:
        source = _read_without_duckdb(files)
        if source is not None:
            return source
    require("duckdb", "files")
    from cutline.inputs import duckdb_files

    return duckdb_files.read(files, memory)


def _read_without_duckdb(files: FileSet) -> Source | None:
    """Return the source of a file that is read without DuckDB, because it is small or DuckDB is not installed."""
    path, title = files.paths[0], files.titles[0]
    has_duckdb = find_spec("duckdb") is not None
    if files.kind == "parquet" and not has_duckdb:
        return _read_parquet(path, title)
    if files.kind != "csv" or (has_duckdb and path.stat().st_size > _SMALL):
        return None
    layout = Layout.of(path, title)
    if layout.compression == "zstd":
        line = find_zstd_line_not_utf8(path)
        if line is not None:
            raise make_encoding_error(title, line)
        return None
    source = CsvFile(path, title, layout)
    if has_duckdb:
        try:
            source.check()
        except EncodingError:  # in whichever column, of which DuckDB reads only those that are used
            raise
        except InputError:  # which DuckDB tells with its own eyes
            return None
    return source


def _read_parquet(path: Path, title: str) -> Source | None:
    """Read a Parquet file with the first installed package that can; None without such a package."""
    readers = {
        "pyarrow": "pyarrow.parquet.read_table",
        "polars": "polars.read_parquet",
        "pandas": "pandas.read_parquet",
    }
    for package, name in readers.items():
        if find_spec(package) is None:
            continue
        module, _, function = name.rpartition(".")
        try:
            frame = getattr(import_module(module), function)(path)
        except Exception:  # of any of them, for a damaged file
            raise InputError(f"{title} cannot be read as Parquet", "it is damaged, or in another format") from None
        from cutline.inputs import frames

        return frames.open_frame(frame, title)
    return None
