"""Reading a file of predictions: its columns, their values, and one sentence when it cannot be read."""

from __future__ import annotations

import atexit
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cutline.cli.text import printable, quoted
from cutline.errors import InputError, near

_SUFFIXES = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
}
_FORMATS = {"csv": "CSV", "parquet": "Parquet", "jsonl": "JSON lines", "arrow": "Arrow"}
_MISSING = ["", "NA", "NaN", "nan", "null", "NULL"]  # how a CSV says that a value is missing
_NUMBERS = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|U?INT\d+|FLOAT|DOUBLE|REAL|DECIMAL.*)$")


@dataclass(frozen=True)
class Predictions:
    """The columns of a file, by name and type, and how to read them."""

    name: str
    relation: Any
    types: dict[str, str]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.types)

    def is_number(self, column: str) -> bool:
        """Whether all values of a column are numbers."""
        return bool(_NUMBERS.match(self.types[column]))

    def check(self, column: str, option: str) -> str:
        """The column, if the file has it."""
        if column not in self.types:
            hint = near(column, self.columns) or f" It has {_listed(self.columns)}."
            raise InputError(f"{self.name} has no column {quoted(column)}, which {option} names.{hint}")
        return column

    def read(self, columns: Sequence[str]) -> dict[str, Any]:
        """The values of some columns; missing ones are masked."""
        quoted = ", ".join(_quoted(column) for column in dict.fromkeys(columns))
        try:
            found = self.relation.project(quoted).fetchnumpy()
        except Exception as error:
            raise InputError(f"{self.name} cannot be read: {_first_sentence(error)}") from None
        values = {name: found[name] for name in found}
        if values and not len(next(iter(values.values()))):
            raise InputError(f"{self.name} has a header but no rows: pass a file with predictions.")
        return values

    def scores(self, column: str, values: Any) -> Any:
        """A column of scores as numbers, or a refusal that names the first row that is none."""
        if self.is_number(column):
            return _filled(values)
        for row, value in enumerate(np.ma.asarray(values).tolist(), start=1):
            if value is not None and not _spells_number(value):
                raise InputError(
                    f"{self.name}: the score column {quoted(column)} holds text, {quoted(value)} in row {row}: "
                    "pass a column of numbers."
                )
        raise InputError(
            f"{self.name}: the score column {quoted(column)} is of type {self.types[column]}: pass numbers."
        )


def open_file(path: str, kind: str | None = None, delimiter: str | None = None) -> Predictions:
    """The predictions of a file, or of standard input when it is called -."""
    if path == "-":
        return _opened(_standard_input(), "standard input", kind, delimiter)
    file, name = Path(path), printable(path)
    if not file.exists():
        beside = [printable(p.name) for p in file.parent.iterdir()] if file.parent.is_dir() else []
        raise InputError(f"There is no file {name}.{near(file.name, beside)}")
    if file.is_dir():
        raise InputError(f"{name} is a folder: pass a file.")
    return _opened(file, name, kind, delimiter)


@cache
def _standard_input() -> Path:
    """What comes in, kept in a file, because it can be read but once."""
    with tempfile.NamedTemporaryFile(prefix="cutline-", delete=False) as file:
        file.write(sys.stdin.buffer.read())
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return Path(file.name)


def _opened(file: Path, name: str, kind: str | None, delimiter: str | None) -> Predictions:
    import duckdb

    try:
        with file.open("rb") as stream:
            start = stream.read(65536)
    except OSError as error:
        raise InputError(f"{name} cannot be opened: {error.strerror or error}.") from None
    if not start:
        raise InputError(f"{name} is empty: pass a file with predictions.")
    kind = kind or _kind(file, start)
    if kind == "csv" and b"\0" in start:
        raise InputError(f"{name} is not text, so no CSV: pass --format if it is Parquet or Arrow.")
    try:
        relation = _relation(duckdb.connect(), file, kind, delimiter)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    except ModuleNotFoundError:
        raise InputError(f"{name} is an Arrow file, which needs the package pyarrow: install it.") from None
    except Exception as error:  # whatever the reader says, the user gets one sentence
        raise InputError(f"{name} cannot be read as {_FORMATS[kind]}: {_first_sentence(error)}") from None
    return Predictions(name, relation, types)


def _kind(file: Path, start: bytes) -> str:
    """The format, by the name of the file, or by how it begins."""
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in (".gz", ".zst")]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"ARROW1"):
        return "arrow"
    return "jsonl" if start.lstrip().startswith(b"{") else "csv"


def _relation(connection: Any, file: Path, kind: str, delimiter: str | None) -> Any:
    path = str(file)
    if kind == "parquet":
        return connection.read_parquet(path)
    if kind == "jsonl":
        return connection.read_json(path)
    if kind == "arrow":
        from pyarrow import feather

        return connection.from_arrow(feather.read_table(path))
    more = {} if delimiter is None else {"sep": delimiter}
    return connection.read_csv(path, header=True, sample_size=-1, na_values=_MISSING, **more)


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _filled(values: Any) -> Any:
    """Numbers with NaN where one is missing."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(float), np.nan) if np.ma.is_masked(values) else np.asarray(values)
    return values


def _spells_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _first_sentence(error: Exception) -> str:
    """What a library says, without its advice and what it quotes, as the end of a sentence of ours."""
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    told = [line for line in lines[1:] if line and not line.startswith(("Original", "Possible", "*", "LINE"))]
    line = re.sub(r"^[\w ]*(Error|Exception): ", "", printable(", ".join([lines[0], *told[:1]])))
    return line[:200].rstrip(" .:") + "."


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(quoted(column) for column in columns[:8])
    return shown + (f" and {len(columns) - 8} more" if len(columns) > 8 else "")
