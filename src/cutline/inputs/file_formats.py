"""What a file is, before anything reads it: where it is, its format, and the layout of a CSV file."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import tempfile
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple

from cutline.core.errors import InputError, near, shown

_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".gz": "csv",
    ".parquet": "parquet", ".pq": "parquet",
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
_STARTS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_JSON = re.compile(rb"\s*(\[\s*)?\{")  # an object, or a list of them
_GZIP = b"\x1f\x8b"
_DELIMITERS = ",;\t|^~: "  # in the order in which they are believed
_HEAD = 1 << 16
_LINES = 20


def local(path: Any) -> tuple[Path, str]:
    """A file that exists and is not empty, and what messages call it."""
    where = Path(path).expanduser()
    title = shown(where.name or str(where))
    if where.is_dir():
        raise InputError(f"{title} is a directory", "pass the path of a file")
    if where.is_symlink() and not where.exists():
        raise InputError(f"{title} is a link to a file that does not exist", "pass the path of a file")
    if not where.exists():
        folder = where.parent
        names = [shown(each.name) for each in folder.iterdir()] if folder.is_dir() else []
        hint = near(where.name, names) if folder.is_dir() else f" There is no folder {str(folder)!r}."
        raise InputError(f"There is no file {str(path)!r}.{hint}")
    try:
        with where.open("rb") as stream:
            is_empty = not stream.read(1)
    except OSError as error:
        raise InputError(f"{title} cannot be opened: {error.strerror}.") from None
    if is_empty:
        raise InputError(f"{title} is empty, 0 bytes", "pass a file with a header and rows")
    return where, title


class _Spool(type(Path())):  # type: ignore[misc]
    """A path whose temporary file goes when nobody holds it any more."""

    kept: Any


def spooled(stream: Any) -> Path:
    """What a stream holds, as a file for as long as the path is held."""
    data: IO[bytes] = sys.stdin.buffer if stream == "-" else stream
    kept = tempfile.NamedTemporaryFile(prefix="cutline-")  # noqa: SIM115 - it lives as long as its path
    while block := data.read(1 << 20):
        kept.write(block)
    kept.flush()
    if not kept.tell():
        raise InputError("standard input is empty, 0 bytes", "pass a file with a header and rows")
    path = _Spool(kept.name)
    path.kept = kept
    return path


def layout_of(path: Path) -> str:
    """The format of a file: what its name says, else what its first bytes say."""
    known = _SUFFIXES.get(path.suffix.lower())
    if known:
        return known
    with path.open("rb") as stream:
        start = stream.read(64)
    if _JSON.match(start):
        return "json"
    return next((kind for mark, kind in _STARTS.items() if start.startswith(mark)), "csv")


class Layout(NamedTuple):
    """The columns of a CSV file and what separates them."""

    columns: tuple[str, ...]
    delimiter: str
    is_gzip: bool

    @classmethod
    def of(cls, path: Path, title: str) -> Layout:
        """Looked up in the first lines; the first of all is the header."""
        text, is_gzip = _head(path, title)
        delimiter = "\t" if ".tsv" in path.suffixes else _delimiter(text)
        columns = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if twice:
            raise InputError(
                f"{title} has several columns called {', '.join(map(repr, twice))}", "give each its own name"
            )
        return cls(tuple(columns), delimiter, is_gzip)

    @property
    def names(self) -> dict[str, str]:
        """What DuckDB calls the columns: it takes no empty names, and p and P for the same."""
        return {column: f"c{i}" for i, column in enumerate(self.columns)}

    def sql(self, name: str) -> str:
        """How DuckDB reads it: all columns as text."""
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in self.names.values())
        return (
            f"read_csv({name}, delim = '{self.delimiter}', quote = '\"', escape = '\"', header = true, "
            f"auto_detect = false, compression = '{'gzip' if self.is_gzip else 'none'}', columns = {{{columns}}})"
        )


def _head(path: Path, title: str) -> tuple[str, bool]:
    """The first lines as text."""
    with path.open("rb") as stream:
        is_gzip = stream.read(2) == _GZIP
    try:
        with gzip.open(path) if is_gzip else path.open("rb") as stream:
            head = stream.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{title} is no complete gzip file", "compress it anew") from None
    if b"\0" in head:
        raise InputError(f"{title} holds NUL bytes: it is a binary file or UTF-16, not CSV in UTF-8.")
    if len(head) == _HEAD and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = head[: error.start].count(b"\n") + 1
        raise InputError(f"{title} is no UTF-8 text in line {line}", "save it as CSV in UTF-8") from None
    if not text.strip():
        raise InputError(f"{title} has no header", "pass a file with a header and rows")
    return text, is_gzip


def _delimiter(text: str) -> str:
    """The one that splits the first lines into most fields, as many in each."""

    def fields(delimiter: str) -> tuple[bool, int]:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        counts = [len(line) for line, _ in zip(lines, range(_LINES), strict=False) if line]
        return counts[0] > 1 and len(set(counts)) == 1, counts[0]

    believed = max(_DELIMITERS[:4], key=fields)
    return believed if fields(believed)[1] > 1 else max(_DELIMITERS, key=fields)
