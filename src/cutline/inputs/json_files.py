"""Names in files of JSON objects: refused if DuckDB could not tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from cutline.core.errors import InputError
from cutline.inputs.csv_layout import read_head
from cutline.inputs.file_formats import read_zstd_head
from cutline.inputs.text_table import is_long_number

MOST_NAMES = 20_000  # of columns in one file: DuckDB finds their types in a second or two
_AS_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_INFINITY = re.compile(r"[:,\[]\s*(?!-?Infinity\b)([+-]?inf(?:inity)?)\b", re.IGNORECASE)
# Eighteen digits, sixteen of a whole number, or an exponent of three.
_LONG = r"[1-9]([.]?[0-9]){15}[eE]|[1-9]([.]?[0-9]){17}|(^|[^0-9.])[1-9][0-9]{15}|[0-9.][eE][+-]?[0-9]{3}"
_LIST = re.compile(r"\s*\[\s*\{")


def find_json_form(path: Path, title: str, compression: str) -> str:
    """Return DuckDB's format of a JSON file, "array" or "auto"; raise if DuckDB could not tell its names apart.

    DuckDB is told that a list is one, because it does not see that by itself after a byte-order mark.
    """
    if compression == "zstd" and read_zstd_head(path) is None:
        return "auto"
    start = read_head(path, title, compression)
    check_keys(start, title)
    return "array" if _LIST.match(start) else "auto"


def check_keys(text: str, title: str) -> None:
    """Raise if DuckDB could not tell the names in the first lines apart."""
    names: dict[str, str] = {}
    for pairs in (keys for line in text.splitlines()[:100] for keys in _list_keys(line)):
        if len(set(pairs)) < len(pairs):
            twice = next(key for key in pairs if pairs.count(key) > 1)
            raise InputError(f"{title} has several columns called {twice!r}", "give each its own name")
        for key in pairs:
            check_differs_beyond_case(names, key, title)


def _list_keys(line: str) -> list[list[str]]:
    """Return the names in each object of a line, which may hold an object, or a list of objects or part of one."""
    try:
        objects = json.loads(
            f"[{line.strip().strip('[],')}]", object_pairs_hook=lambda pairs: [key for key, _ in pairs]
        )
    except (ValueError, RecursionError):
        return []
    return [keys for keys in objects if isinstance(keys, list) and all(isinstance(key, str) for key in keys)]


def check_differs_beyond_case(names: dict[str, str], key: str, title: str) -> None:
    """Raise if a name differs from an earlier one only in case; else add it to the names."""
    other = names.setdefault(key.lower(), key)
    if other != key:
        raise InputError(f"{title} has columns {other!r} and {key!r}, which differ only in case", "rename one")


def _write_objects_reader(reader: str) -> str:
    """Write the SQL that reads the objects of a file unparsed."""
    return re.sub(r"sample_size = -1(, map_inference_threshold = -1)?, ", "", reader).replace(
        "read_json(", "read_json_objects(", 1
    )


def check_name_count(connection: duckdb.DuckDBPyConnection, reader: str, title: str) -> None:
    """Raise if the objects have so many different names that DuckDB would take minutes to find their types."""
    names = f"SELECT unnest(json_keys(json)) AS name FROM {_write_objects_reader(reader)}"
    query = f"SELECT count(DISTINCT name) FROM ({names})"
    [(count,)] = connection.execute(query).fetchall()
    if count > MOST_NAMES:
        problem = f"{title} has {count:,} different names in its objects, of which there may be {MOST_NAMES:,}"
        raise InputError(problem, "leave some out, or write Parquet")


def check_infinities(connection: duckdb.DuckDBPyConnection, reader: str, title: str) -> None:
    """Raise if an infinity is spelt otherwise than Infinity or -Infinity, such as inf.

    Args:
        connection: The connection to DuckDB.
        reader: The SQL that reads the file.
        title: The name of the file in messages.
    """
    query = f"SELECT json FROM {_write_objects_reader(reader)} WHERE regexp_matches(json, '(?i)[:,\\[]\\s*[+-]?inf')"
    for (text,) in connection.execute(query).fetchall():
        odd = find_odd_infinity(str(text))
        if odd:
            raise InputError(f"{title} has {odd}, which is not a number in JSON", "write Infinity or -Infinity")


def find_odd_infinity(text: str) -> str:
    """Return the first infinity in JSON that is spelt otherwise than Infinity; empty if there is none.

    >>> find_odd_infinity('{"p": -inf}'), find_odd_infinity('{"p": -Infinity, "note": "x: inf"}')
    ('-inf', '')
    """
    odd = _INFINITY.search(_AS_TEXT.sub('""', text))
    return odd[1] if odd else ""


def find_long_scores(connection: duckdb.DuckDBPyConnection, reader: str, column: str) -> list[str]:
    """Return the numbers of a column that lose digits as floats, as they are written in the file.

    Args:
        connection: What reads the file.
        reader: How it does.
        column: The name of the column.
    """
    query = f"SELECT json FROM {_write_objects_reader(reader)} WHERE regexp_matches(json, '{_LONG}')"
    rows = connection.execute(query)
    numbers: list[str] = []
    while some := rows.fetchmany(10_000):
        for (text,) in some:
            with suppress(ValueError, RecursionError):
                value = json.loads(text, parse_float=str, parse_int=str).get(column)
                numbers += [value] if isinstance(value, str) and is_long_number(value) else []
    return numbers


def check_columns(connection: duckdb.DuckDBPyConnection, reader: str, own: Sequence[str], title: str) -> None:
    """Raise if names in any object differ only in case: DuckDB renames the second of p and P to P_1.

    Args:
        connection: What reads the file.
        reader: How it does.
        own: The columns that it found.
        title: What messages call the file.
    """
    low = [name.lower() for name in own]
    if not any(re.sub(r"_\d+$", "", name) in {*low} - {name} for name in low):
        return  # no name looks like one that DuckDB made
    objects = _write_objects_reader(reader)
    names: dict[str, str] = {}
    for (key,) in connection.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}").fetchall():
        check_differs_beyond_case(names, str(key), title)
