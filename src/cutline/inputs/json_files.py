"""The names in files of JSON objects: refused where DuckDB could not tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from cutline.core.errors import InputError
from cutline.inputs.csv_layout import head
from cutline.inputs.file_formats import read_zstd_head
from cutline.inputs.text_table import is_long_number

MOST_NAMES = 20_000  # of columns in one file: DuckDB finds their types in a second or two
_AS_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_INFINITY = re.compile(r"[:,\[]\s*(?!-?Infinity\b)([+-]?inf(?:inity)?)\b", re.IGNORECASE)
# Eighteen digits, sixteen of a whole number, or an exponent of three.
_LONG = r"[1-9]([.]?[0-9]){17}|(^|[^0-9.])[1-9][0-9]{15}|[0-9.][eE][+-]?[0-9]{3}"
_LIST = re.compile(r"\s*\[\s*\{")


def form_of(path: Path, title: str, compression: str) -> str:
    """Return how the objects of a file stand in it; names that DuckDB could not tell apart are refused.

    DuckDB is told that a list is one, because it does not see that by itself after a byte-order mark.
    """
    if compression == "zstd" and read_zstd_head(path) is None:
        return "auto"
    start = head(path, title, compression)
    check_keys(start, title)
    return "array" if _LIST.match(start) else "auto"


def check_keys(text: str, title: str) -> None:
    """Refuse JSON objects with names that DuckDB could not tell apart, judging by the first lines."""
    names: dict[str, str] = {}
    for pairs in (keys for line in text.splitlines()[:100] for keys in _keys_in(line)):
        if len(set(pairs)) < len(pairs):
            twice = next(key for key in pairs if pairs.count(key) > 1)
            raise InputError(f"{title} has several columns called {twice!r}", "give each its own name")
        for key in pairs:
            check_apart(names, key, title)


def _keys_in(line: str) -> list[list[str]]:
    """Return the names in each object of a line, which may hold one, or a list of them, or a part of such a list."""
    try:
        objects = json.loads(
            f"[{line.strip().strip('[],')}]", object_pairs_hook=lambda pairs: [key for key, _ in pairs]
        )
    except (ValueError, RecursionError):
        return []
    return [keys for keys in objects if isinstance(keys, list) and all(isinstance(key, str) for key in keys)]


def check_apart(names: dict[str, str], key: str, title: str) -> None:
    """Refuse a name that differs from an earlier one in case alone; keep it otherwise."""
    other = names.setdefault(key.lower(), key)
    if other != key:
        raise InputError(f"{title} has columns {other!r} and {key!r}, which differ only in case", "rename one")


def _objects(reader: str) -> str:
    """Return how DuckDB reads the objects of a file as they are."""
    return re.sub(r"sample_size = -1(, map_inference_threshold = -1)?, ", "", reader).replace(
        "read_json(", "read_json_objects(", 1
    )


def check_few_names(connection: duckdb.DuckDBPyConnection, reader: str, title: str) -> None:
    """Refuse objects with so many different names that finding their types would take minutes."""
    query = f"SELECT count(DISTINCT name) FROM (SELECT unnest(json_keys(json)) AS name FROM {_objects(reader)})"
    [(count,)] = connection.execute(query).fetchall()
    if count > MOST_NAMES:
        problem = f"{title} has {count:,} different names in its objects, of which there may be {MOST_NAMES:,}"
        raise InputError(problem, "leave some out, or write Parquet")


def check_infinities(connection: duckdb.DuckDBPyConnection, reader: str, title: str) -> None:
    """Refuse infinities that are spelt as no writer of JSON spells them: Infinity and -Infinity are known, inf is not.

    Args:
        connection: What reads the file.
        reader: How it does.
        title: What messages call the file.
    """
    query = f"SELECT json FROM {_objects(reader)} WHERE regexp_matches(json, '(?i)[:,\\[]\\s*[+-]?inf')"
    for (text,) in connection.execute(query).fetchall():
        odd = find_odd_infinity(str(text))
        if odd:
            raise InputError(f"{title} has {odd}, which is not a number in JSON", "write Infinity or -Infinity")


def find_odd_infinity(text: str) -> str:
    """Return the first infinity of a text of JSON that is spelt in another way than Infinity, or nothing.

    >>> find_odd_infinity('{"p": -inf}'), find_odd_infinity('{"p": -Infinity, "note": "x: inf"}')
    ('-inf', '')
    """
    odd = _INFINITY.search(_AS_TEXT.sub('""', text))
    return odd[1] if odd else ""


def find_long_scores(connection: duckdb.DuckDBPyConnection, reader: str, column: str) -> list[str]:
    """Return the numbers of a column that say more than their float holds; DuckDB has rounded them where it reads them.

    Args:
        connection: What reads the file.
        reader: How it does.
        column: The name of the column.
    """
    query = f"SELECT json FROM {_objects(reader)} WHERE regexp_matches(json, '{_LONG}')"
    rows = connection.execute(query)
    numbers: list[str] = []
    while some := rows.fetchmany(10_000):
        for (text,) in some:
            with suppress(ValueError, RecursionError):
                value = json.loads(text, parse_float=str, parse_int=str).get(column)
                numbers += [value] if isinstance(value, str) and is_long_number(value) else []
    return numbers


def check_columns(connection: duckdb.DuckDBPyConnection, reader: str, own: Sequence[str], title: str) -> None:
    """Refuse objects with names that differ in case alone, wherever they are: DuckDB calls the second of p and P P_1.

    Args:
        connection: What reads the file.
        reader: How it does.
        own: The columns that it found.
        title: What messages call the file.
    """
    low = [name.lower() for name in own]
    if not any(re.sub(r"_\d+$", "", name) in {*low} - {name} for name in low):
        return  # no name looks like one that DuckDB made
    objects = _objects(reader)
    names: dict[str, str] = {}
    for (key,) in connection.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}").fetchall():
        check_apart(names, str(key), title)
