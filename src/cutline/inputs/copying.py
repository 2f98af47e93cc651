"""Rows of a file written to another: their columns as text in CSV, and with types in formats that have them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import duckdb

from cutline.inputs.sql_text import absent, literal, quoted
from cutline.inputs.text_values import NUMBER, WHOLE

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
