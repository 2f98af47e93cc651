"""The names in files of JSON objects: refused where DuckDB could not tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from cutline.core.errors import InputError
from cutline.inputs.csv_layout import head
from cutline.inputs.file_formats import zstd_lines

_LIST = re.compile(r"\s*\[\s*\{")


def form_of(path: Path, title: str, compression: str) -> str:
    """How the objects of a file stand in it; names that DuckDB could not tell apart are refused.

    DuckDB is told that a list is one, because it does not see that by itself after a byte-order mark.
    """
    if compression == "zstd" and zstd_lines(path) is None:
        return "auto"
    start = head(path, title, compression)
    check_keys(start, title)
    return "array" if _LIST.match(start) else "auto"


def check_keys(text: str, title: str) -> None:
    """Refuse JSON objects whose names DuckDB could not tell apart, as far as the first lines show."""
    names: dict[str, str] = {}
    for found in (keys for line in text.splitlines()[:100] for keys in _keys_in(line)):
        if len(set(found)) < len(found):
            twice = next(key for key in found if found.count(key) > 1)
            raise InputError(f"{title} has several columns called {twice!r}", "give each its own name")
        for key in found:
            check_apart(names, key, title)


def _keys_in(line: str) -> list[list[str]]:
    """The names in each object of a line, which may hold one, or a list of them, or a part of such a list."""
    try:
        found = json.loads(f"[{line.strip().strip('[],')}]", object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    except (ValueError, RecursionError):
        return []
    return [keys for keys in found if isinstance(keys, list) and all(isinstance(key, str) for key in keys)]


def check_apart(names: dict[str, str], key: str, title: str) -> None:
    """Refuse a name that differs from an earlier one in case alone; keep it otherwise."""
    other = names.setdefault(key.lower(), key)
    if other != key:
        raise InputError(f"{title} has columns {other!r} and {key!r}, which differ in case alone", "rename one")


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
    objects = reader.replace("read_json(", "read_json_objects(", 1).replace("sample_size = -1, ", "")
    names: dict[str, str] = {}
    for (key,) in connection.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}").fetchall():  # noqa: S608
        check_apart(names, str(key), title)
