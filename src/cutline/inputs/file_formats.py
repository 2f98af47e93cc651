"""Paths of input files, their formats and their compression."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from cutline.core.errors import InputError, hint_similar, quote_if_unclear
from cutline.core.extras import require
from cutline.core.parallel import report_progress
from cutline.core.ranking_file import MAGIC

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = range(0x184D2A50, 0x184D2A60)  # frames that hold something else than data
_DICTIONARY = (0, 1, 2, 4)  # bytes of its name, by the last two bits of the descriptor
_REPEATED, _RESERVED = 1, 3  # kinds of blocks


def starts_with_skippable_frame(start: bytes) -> bool:
    """Whether a zstd file begins with a skippable frame, which holds no data."""
    return int.from_bytes(start[:4], "little") in _SKIPPED


def is_complete_zstd(path: Path) -> bool:
    """Whether every frame of a zstd file is complete."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        while stream.tell() < size:
            if not _skip_frame(stream):
                return False
        return stream.tell() == size


def _skip_frame(stream: IO[bytes]) -> bool:
    """Go to the end of a zstd frame, and return whether its headers are valid."""
    mark = stream.read(4)
    if int.from_bytes(mark, "little") in _SKIPPED:
        stream.seek(int.from_bytes(stream.read(4), "little"), os.SEEK_CUR)
        return True
    descriptor = stream.read(1)
    if mark != ZSTD_MAGIC or not descriptor:
        return False
    flags = descriptor[0]
    is_single = bool(flags & 0x20)
    length = (int(is_single), 2, 4, 8)[flags >> 6]
    stream.seek((not is_single) + _DICTIONARY[flags & 3] + length, os.SEEK_CUR)
    while True:
        header = stream.read(3)
        block = int.from_bytes(header, "little")
        kind = block >> 1 & 3
        if len(header) < 3 or kind == _RESERVED:
            return False
        stream.seek(1 if kind == _REPEATED else block >> 3, os.SEEK_CUR)
        if block & 1:  # the last one
            break
    stream.seek(4 if flags & 4 else 0, os.SEEK_CUR)  # the checksum, which DuckDB compares
    return True


# The lines of a file, one by one, whatever is in them.
_LINES = (
    "read_csv(?, columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = '', header = false, "
    "auto_detect = false, compression = 'zstd')"
)
_BAD_LINE = re.compile(r"CSV Error on Line: (\d+)")


SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv",
    ".parquet": "parquet", ".pq": "parquet",
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel",
}  # fmt: skip
_STARTS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")  # an object, or a list of them
_COMPRESSED = {b"\x1f\x8b": "gzip", ZSTD_MAGIC: "zstd"}  # those that DuckDB reads
# What is not read, by its first bytes: its name, and the way out.
_OTHERS = {
    b"PK\x03\x04": ("a ZIP archive, or an Excel workbook without .xlsx in its name", "unpack it, or give it its name"),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook without .xls in its name", "export the sheet as CSV"),
    b"BZh": ("compressed with bzip2", "unpack it, or compress it with gzip or zstd"),
    b"\xfd7zXZ\x00": ("compressed with xz", "unpack it, or compress it with gzip or zstd"),
    b"SQLite format 3": ("an SQLite database", "export the table as CSV or Parquet"),
    b"\x89HDF": ("an HDF5 file", "export the table as CSV or Parquet"),
    MAGIC: ("a ranking file", "pass it by its path, to a command that reads rankings"),
    b"\x93NUMPY": ("a NumPy array", "load it in Python and pass the arrays"),
}
_REMOTE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_AWKWARD = {"/": re.compile(r"[*?\[\\]"), "\\": re.compile(r"[*?\[]")}  # what DuckDB would take for a pattern


def is_remote(path: str) -> bool:
    """Whether a path is an address on another machine."""
    return bool(_REMOTE.match(path))


def find_local_file(path: Any) -> tuple[Path, str]:
    """Return the path of a file that exists and is not empty, and its name in messages; copy a pipe to a file."""
    if is_remote(str(path)):
        way_out = "download it, or in Python pass a frame of Spark, Polars or DuckDB that reads it as data"
        raise InputError(f"{quote_if_unclear(str(path))} is not on this machine", way_out)
    try:
        where = Path(path).expanduser() if str(path).startswith("~") else Path(path)  # ./~a.csv is not in a home
    except RuntimeError:
        raise InputError(f"There is no home folder for {quote_if_unclear(str(path))}", "pass the whole path") from None
    title = _title_file(where)
    mode = _read_mode(where, path, title)
    if stat.S_ISDIR(mode):
        raise InputError(f"{title} is a directory", "pass the path of a file")
    try:
        with where.open("rb") as stream:
            if not stat.S_ISREG(mode):  # a pipe can be read once
                return spool(stream, title), title
            is_empty = not stream.read(1)
    except OSError as error:
        raise InputError(f"{title} cannot be opened ({error.strerror})", "pass a file that can be read") from None
    if is_empty:
        raise _make_empty_error(title)
    return where, title


def _title_file(where: Path) -> str:
    """Return the name of a file in messages; of a pipe such as /dev/fd/63 the whole path."""
    if str(where) == "/dev/stdin":
        return "standard input"
    is_device = where.is_relative_to("/dev") or where.is_relative_to("/proc")
    return quote_if_unclear(str(where) if is_device else where.name or str(where))


def _read_mode(where: Path, path: Any, title: str) -> int:
    """Return the mode of a file; a missing one is refused with similar names."""
    try:
        return where.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL byte
        why = getattr(error, "strerror", None) or "it is not a path"
        raise InputError(f"{title} cannot be opened ({why})", "pass the path of a file") from None
    if where.is_symlink():
        raise InputError(f"{title} is a link to a file that does not exist", "pass the path of a file")
    folder = where.parent
    if not folder.is_dir():
        raise InputError(f"There is no file {str(path)!r}", hint=f"There is no folder {str(folder)!r}.")
    names: list[str] = []
    with suppress(OSError):  # a folder that may be entered but not listed
        names = [quote_if_unclear(each.name) for each in folder.iterdir()]
    hint = hint_similar(where.name, names)
    raise InputError(f"There is no file {str(path)!r}", hint=hint)


def _make_empty_error(title: str) -> InputError:
    return InputError(f"{title} is empty, 0 bytes", "pass a file with a header and rows")


class _TemporaryPath(type(Path())):  # type: ignore[misc]
    """A path whose temporary file is deleted with the last reference to it."""

    cleanup: Any


def _is_endless(stream: Any) -> bool:
    """Whether a stream is of a device such as /dev/zero, and not of a terminal."""
    try:
        return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()
    except (OSError, AttributeError):  # a stream in memory
        return False


def spool(stream: Any, title: str = "standard input") -> Path:
    """Copy a stream to a temporary file that lives as long as its path object."""
    if stream == "-" and sys.stdin is None:
        raise InputError("Standard input is closed", "pass a file, or pipe the predictions into the command")
    data: IO[bytes] = sys.stdin.buffer if stream == "-" else stream
    handle, name = tempfile.mkstemp(prefix="cutline-")
    path = _TemporaryPath(name)
    path.cleanup = weakref.finalize(path, Path(name).unlink, missing_ok=True)
    try:
        with os.fdopen(handle, "wb") as file:  # closed before DuckDB opens it, which Windows asks for
            _copy_stream(data, file, title)
    except OSError as error:  # of writing: what cannot be read is refused below
        raise make_full_disk_error(error.strerror) from None
    return path


def _copy_stream(data: IO[bytes], file: IO[bytes], title: str) -> None:
    """Copy a stream to a file; raise if it is empty or endless."""
    while block := _read_block(data, title):
        if _is_endless(data):
            raise InputError(f"{title} is a device, not a file", "pass a file, or a pipe")
        file.write(block)
    if not file.tell():
        raise _make_empty_error(title)


def _read_block(data: IO[bytes], title: str) -> bytes:
    try:
        return data.read(1 << 20)
    except OSError as error:
        raise InputError(f"{title} cannot be read ({error.strerror})", "pass a file that can be read") from None


def make_full_disk_error(why: str | None = None) -> InputError:
    """Return the refusal for temporary files that cannot be written."""
    problem = (
        f"The folder of temporary files, {quote_if_unclear(tempfile.gettempdir())}, cannot take more "
        f"({why or 'it is full'})"
    )
    return InputError(problem, "make room there, or name another with TMPDIR in the environment")


def link_if_awkward(path: Path) -> Path:
    """Return the path, or a link to it if DuckDB would misread its name: as a pattern, or because it is not UTF-8."""
    whole = path.resolve()
    if is_plain_path(str(whole)):
        return path
    folder = tempfile.mkdtemp(prefix="cutline-")
    link = _TemporaryPath(Path(folder, "file"))
    link.cleanup = weakref.finalize(link, shutil.rmtree, folder, ignore_errors=True)
    try:
        link.symlink_to(whole)
    except OSError:  # Windows lets few people make links
        try:
            shutil.copyfile(whole, link)
        except OSError as error:
            raise make_full_disk_error(error.strerror) from None
    return link


def is_plain_path(path: str, separator: str = os.sep) -> bool:
    r"""Whether DuckDB takes a path for a path: no pattern in it, and printable.

    >>> is_plain_path(r"C:\\cases\\may.csv", "\\"), is_plain_path("/tmp/a*.csv", "/")
    (True, False)
    """
    return not _AWKWARD[separator].search(path) and path.isprintable()


def find_format(path: Path) -> str:
    """Return the format of a file by its suffix, or else by its first bytes, unpacked if need be."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".gz"], [".zst"]):
        suffixes.pop()
    if suffixes and suffixes[-1] in SUFFIXES:
        return SUFFIXES[suffixes[-1]]
    start = _read_start(path)
    if _JSON.match(start):
        return "json"
    return next((kind for mark, kind in _STARTS.items() if start.startswith(mark)), "csv")


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed with gzip or zstd, by its first bytes."""
    with path.open("rb") as stream:
        start = stream.read(4)
    return starts_with_skippable_frame(start) or any(start.startswith(mark) for mark in _COMPRESSED)


def _read_start(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked if need be."""
    with path.open("rb") as stream:
        start = stream.read(64)
    if start.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(path) as unpacked:
                return unpacked.read(64)
        except (OSError, EOFError, zlib.error):  # which whoever reads it will say
            return start
    is_zstd = start.startswith(ZSTD_MAGIC) or starts_with_skippable_frame(start)
    return (read_zstd_head(path) or start) if is_zstd else start


def read_zstd_head(path: Path) -> bytes | None:
    """Return the first lines of a zstd file; None if DuckDB cannot unpack them."""
    require("duckdb", "files")
    import duckdb

    named = link_if_awkward(path)  # held while DuckDB reads
    try:
        with duckdb.connect(":memory:") as connection:
            rows = connection.execute(f"SELECT line FROM {_LINES} LIMIT 20", [str(named)]).fetchall()  # noqa: S608
    except duckdb.Error:
        return None
    return "".join(f"{line or ''}\n" for (line,) in rows).encode()


def find_zstd_line_not_utf8(path: Path) -> int | None:
    """Return the number of the first line that is not UTF-8 text, in a file that zstd compressed; None where all are,
    as far as DuckDB reads.
    """
    require("duckdb", "files")
    import duckdb

    named = link_if_awkward(path)  # held while DuckDB reads
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"SELECT count(line) FROM {_LINES}", [str(named)]).fetchall()  # noqa: S608
    except duckdb.Error as error:
        line = _BAD_LINE.search(str(error)) if "unicode" in str(error).lower() else None
        return None if line is None else int(line[1])
    return None


def find_compression(path: Path, title: str) -> str:
    """Return the compression of a text file: none, gzip or zstd; raise if its format is another."""
    with path.open("rb") as stream:
        start = stream.read(16)
    for mark, (what, way_out) in _OTHERS.items():
        if start.startswith(mark):
            raise InputError(f"{title} is {what}", way_out)
    kind = next((kind for mark, kind in _COMPRESSED.items() if start.startswith(mark)), "none")
    if starts_with_skippable_frame(start):
        kind = "zstd"
    if kind == "zstd" and not is_complete_zstd(path):
        raise InputError(f"{title} is not a complete zstd file", "compress it again")
    if kind == "gzip":
        _check_gzip(path, title, read_state(path, title))
    return kind


def read_state(path: Path, title: str) -> tuple[int, int, int]:
    """Return inode, size and time of change of a file, which tell whether it was replaced or written to."""
    try:
        now = path.stat()
    except OSError:  # it was there before
        raise make_changed_error(title) from None
    return now.st_ino, now.st_size, now.st_mtime_ns


def make_changed_error(title: str) -> InputError:
    """Return the refusal of a file that another program replaced or wrote to."""
    return InputError(f"{title} changed while it was read", "read it again when it is complete")


@lru_cache(maxsize=64)
def _check_gzip(path: Path, title: str, _: tuple[int, int, int]) -> None:
    """Raise if a gzip stream is cut off or differs from its checksums: DuckDB reads on over damaged data.

    Reading all of it takes minutes for a large file, so this is done once while the file is what it was, and told.
    """
    try:
        with path.open("rb") as packed, gzip.open(packed) as stream:
            zlib.decompressobj(wbits=31).decompress(packed.read(1 << 17), 1)  # whose header Python's gzip passes over
            packed.seek(0)
            size = os.fstat(packed.fileno()).st_size
            while stream.read(1 << 20):
                report_progress(packed.tell(), size)
    except EOFError:
        raise InputError(f"{title} is not a complete gzip file", "compress it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"{title} is a damaged gzip file", "compress it again") from None
