"""DuckDB connections with a memory limit, progress of queries, and quoting in SQL."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.extras import require
from cutline.core.memory import find_limit, parse_memory_size
from cutline.core.parallel import is_watched, report_progress
from cutline.inputs.text_table import MISSING

if TYPE_CHECKING:
    import duckdb

_EVERY = 0.2  # seconds
_numbers = count()


def connect(memory: Any = None) -> duckdb.DuckDBPyConnection:
    """Open a new connection that loads no extensions and spills to the folder of temporary files."""
    spill = Path(tempfile.gettempdir(), f"cutline-{os.getpid()}-{next(_numbers)}")  # made when it is needed
    settings: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{parse_memory_size(memory)}B",
        "temp_directory": os.fspath(spill),
    }
    limit = find_limit()
    if limit is not None:  # threads reserve memory beside that which DuckDB counts
        settings |= {"threads": "1", "memory_limit": f"{min(parse_memory_size(memory), limit // 4)}B"}
    connection: duckdb.DuckDBPyConnection = require("duckdb", "files").connect(":memory:", config=settings)
    return connection


def write_is_nan(value: str) -> str:
    """Write the SQL condition that a value is NaN.

    Not `isnan`: Parquet's statistics pass over NaN, and by them DuckDB takes it that no row of the file has one.

    Args:
        value: The SQL of the value.
    """
    number = f"CAST({value} AS DOUBLE)"
    return f"(NOT isfinite({number}) AND NOT isinf({number}))"


def write_is_number(value: str) -> str:
    """Write the SQL condition that a value is neither NULL nor NaN."""
    return f"({value} IS NOT NULL AND NOT {write_is_nan(value)})"


def create_table(connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, Any]) -> None:
    """Create a temporary table from arrays.

    Args:
        connection: The connection.
        name: The name of the table.
        columns: The arrays by name.
    """
    arrays = {key: np.ascontiguousarray(values) for key, values in columns.items()}
    connection.register("given", {key: a.astype(object) if a.dtype.kind == "U" else a for key, a in arrays.items()})
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")  # noqa: S608
    connection.unregister("given")


@contextmanager
def report_query_progress(connection: duckdb.DuckDBPyConnection, rows: int) -> Iterator[None]:
    """Report the progress of the query in this block, as a number of rows."""
    if not is_watched() or not rows:
        yield
        return
    connection.execute(
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0"
    )
    done = threading.Event()

    def ask() -> None:
        while not done.wait(_EVERY):
            part = connection.query_progress()
            if part >= 0:
                report_progress(int(rows * min(part, 100) / 100), rows)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def quote_name(name: str) -> str:
    """Quote the name of a column for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def write_is_missing(column: str) -> str:
    """Write the SQL condition that a cell of text is a word for a missing value.

    Not `IN`: for many words DuckDB makes a join, which does not keep the order of the rows.
    """
    return f"({' OR '.join(f'trim({column}) = {quote_text(word)}' for word in MISSING)})"
