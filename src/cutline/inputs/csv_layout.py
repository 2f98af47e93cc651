"""The layout of a CSV file: its header and delimiter, or the reason why it cannot be read."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import tempfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from itertools import dropwhile, islice
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from cutline.core.errors import InputError
from cutline.core.validation import format_count
from cutline.inputs.column_source import check_distinct_names
from cutline.inputs.file_formats import (
    find_compression,
    find_zstd_line_not_utf8,
    make_changed_error,
    make_full_disk_error,
    read_zstd_head,
    spool,
)

_DELIMITERS = ",;\t|^~: "  # in the order in which they are believed
_HEAD = 1 << 16
_LONGEST = 2_000_000  # bytes of a header, as of every row
_MOST = 50_000  # columns: DuckDB takes about 0.4 ms for each, and cannot be interrupted meanwhile
_LINES = 20
_LOOKED_AT = 4_000_000  # bytes of a file by which its encoding is judged
_SAMPLES, _SAMPLE = 16, 1 << 16  # parts of a file that are looked at, and the bytes of each
_LINE_END = r"(?:\r\n|\n|\r)"
_BLANK = re.compile(rf"(?:[^\S\r\n]*{_LINE_END})+")


class Layout(NamedTuple):
    """Columns and delimiter of a CSV file, and the number of blank lines above its rows."""

    columns: tuple[str, ...]
    delimiter: str
    compression: str
    blank: int = 0
    mixed: bool = False  # whether lines end in several ways, blank ones come first, or a name holds a line break

    @classmethod
    def of(cls, path: Path, title: str) -> Layout:
        """Find the layout from the first lines; the first that is not blank is the header."""
        compression = find_compression(path, title)
        text = read_head(path, title, compression)
        before = _BLANK.match(text)
        body = text[before.end() :] if before else text
        blank = len(re.findall(_LINE_END, before.group())) if before else 0
        if not body.strip():
            raise InputError(f"{title} has no header", "pass a file with a header and rows")
        try:
            delimiter = "\t" if ".tsv" in path.suffixes else _guess_delimiter(body)
            lines = io.StringIO(body, newline="")
            columns = next(csv.reader(lines, delimiter=delimiter), [])
        except csv.Error as error:
            raise _make_header_error(title, error) from None
        if lines.tell() == len(body) and len(text.encode()) >= _LONGEST:  # what was read holds no end of it
            raise InputError(f"{title} has a header of more than 2 million bytes", "leave columns out, or pass Parquet")
        if len(columns) > _MOST:
            problem = f"{title} has {len(columns):,} columns, of which a CSV file may have {_MOST:,}"
            raise InputError(problem, "leave columns out, or pass Parquet")
        check_distinct_names(columns, title)
        inside = sum(max(name.count("\n"), name.count("\r")) for name in columns)  # line breaks, which DuckDB loses
        ends = text.count("\r\n"), text.count("\n") - text.count("\r\n"), text.count("\r") - text.count("\r\n")
        mixed = bool(blank or inside) or sum(map(bool, ends)) > 1
        return cls(tuple(columns), delimiter, compression, blank + inside, mixed)

    @property
    def names(self) -> dict[str, str]:
        """Names of the columns in DuckDB, which accepts no empty names and does not tell p from P."""
        return {column: f"c{i}" for i, column in enumerate(self.columns)}

    def write_reader(
        self, name: str, *, rejects: bool = False, more: str = "", types: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """Return the DuckDB expression that reads the file: columns as text but for `types`; with `rejects`, errors are
        collected.
        """
        columns = ", ".join(f"'{name}': '{types.get(name, 'VARCHAR')}'" for name in self.names.values())
        rejects_sql = ", store_rejects = true, rejects_limit = 1" if rejects else ""
        return (
            f"read_csv({name}, delim = '{self.delimiter}', quote = '\"', escape = '\"', header = true, "
            f"auto_detect = false, compression = '{self.compression}', columns = {{{columns}}}{rejects_sql}{more})"
        )


def open_unpacked(path: Path, compression: str) -> IO[bytes]:
    """Open a file, and decompress it if need be."""
    if compression == "gzip":
        return gzip.open(path)  # type: ignore[return-value]
    return path.open("rb")


def read_head(path: Path, title: str, compression: str) -> str:
    """Return the first lines as text, the whole header among them."""
    start = _read_zstd_head(path, title) if compression == "zstd" else _read_until_header_ends(path, title, compression)
    if start[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        raise InputError(f"{title} is UTF-32 text", "save it in UTF-8")
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{title} is UTF-16 text", "save it in UTF-8")
    if b"\0" in start:
        raise make_binary_error(title)
    if len(start) >= _HEAD and b"\n" in start:
        start = start[: start.rindex(b"\n") + 1]
    try:
        return start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= len(start) - 4 and len(start) >= _HEAD:  # cut in the middle of a character
            return start[: error.start].decode("utf-8-sig")
        line = start[: error.start].count(b"\n") + 1
        raise make_encoding_error(title, line) from None


def has_long_numbers(path: Path, title: str, layout: Layout) -> bool:
    """Whether samples of a file hold numbers of more digits than a float keeps."""
    marks = b"." if layout.delimiter == "," else b".,"
    many_digits = rb"0*[%s]?0*[1-9](?:[%s]?[0-9]){17}" % (marks, marks)
    pattern = re.compile(rb"(?<![0-9%s])(?:%s|[1-9][0-9]{15})" % (marks, many_digits))
    if pattern.search(read_head(path, title, layout.compression).encode()):
        return True
    if layout.compression != "none":
        return False
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for place in range(1, _SAMPLES + 1):
            file.seek(max(0, size * place // _SAMPLES - _SAMPLE))
            file.readline(_SAMPLE)  # the rest of a line, which may begin in the middle of a number
            if pattern.search(file.read(_SAMPLE)):
                return True
    return False


def _read_zstd_head(path: Path, title: str) -> bytes:
    """Return the first lines of a file that zstd compressed."""
    start = read_zstd_head(path)
    if start is not None:
        return start
    line = find_zstd_line_not_utf8(path)
    if line is not None:
        raise make_encoding_error(title, line)
    raise InputError(f"{title} cannot be unpacked as zstd", "compress it again")


def convert_to_utf8(path: Path, title: str) -> tuple[Path, str]:
    """Return the file, or a copy in UTF-8 of one in Windows-1252, which spreadsheets save, and a note on that.

    A file in which some letters are UTF-8 and others are not is damaged, and not guessed at.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
        if b"\0" in start or find_compression(path, title) != "none":
            return path, ""
        try:
            codecs.getincrementaldecoder("utf-8")().decode(start)
            return path, ""
        except UnicodeDecodeError:
            if not start.decode("utf-8", "ignore").isascii():
                return path, ""
        try:
            return _copy_as_utf8(file), f"{title} is not UTF-8 text and was read as Windows-1252."
        except UnicodeDecodeError:
            return path, ""
        except OSError as error:
            raise make_full_disk_error(error.strerror) from None


def _copy_as_utf8(file: IO[bytes]) -> Path:
    """Copy a file in Windows-1252 to a temporary file in UTF-8, which is deleted with its path object."""
    file.seek(0)
    with tempfile.TemporaryFile() as copy:
        while block := file.read(_LOOKED_AT):
            copy.write(block.decode("cp1252").encode())
        copy.seek(0)
        return spool(copy)


def _read_until_header_ends(path: Path, title: str, compression: str) -> bytes:
    """Return the first blocks of a file, until the header has ended."""
    start = b""
    try:
        with open_unpacked(path, compression) as stream:
            while len(start) < _LONGEST and not _has_header(start):
                block = stream.read(_HEAD)
                start += block
                if not block:
                    break
    except (OSError, EOFError, zlib.error):
        if compression == "none":
            raise
        raise InputError(f"{title} is not a complete gzip file", "compress it again") from None
    return start


def _has_header(start: bytes) -> bool:
    """Whether a line after the header has ended; a line break between quotes ends no line."""
    outside = b"".join(start.removeprefix(codecs.BOM_UTF8).lstrip().split(b'"')[::2])
    return outside.count(b"\n") >= 2


def _make_header_error(title: str, error: csv.Error) -> InputError:
    """Return the refusal of a header that the csv module cannot read."""
    if "field larger than" in str(error):
        problem = f"{title} has a name of a column of more than {csv.field_size_limit():,} characters"
        return InputError(problem, "give it a shorter one, or close its quote")
    return InputError(f"{title} cannot be read as CSV", "check its header and its quotes")


def _guess_delimiter(text: str) -> str:
    """Return the delimiter that splits the first lines into the most fields, the same number in each."""

    def fields(delimiter: str) -> tuple[bool, int]:
        counts: list[int] = []
        with suppress(csv.Error):  # a field that is too long for Python; DuckDB will say what is wrong
            for line in islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), _LINES):
                counts += [len(line)] if line else []
        if not counts:
            return False, text.partition("\n")[0].count(delimiter)
        return counts[0] > 1 and len(set(counts)) == 1, counts[0]

    believed = max(_DELIMITERS[:4], key=fields)
    return believed if fields(believed)[1] > 1 else max(_DELIMITERS, key=fields)


def copy_with_one_line_end(path: Path, layout: Layout, title: str) -> tuple[Path, Layout]:
    """Copy a file with one kind of line end and without blank lines, as DuckDB needs it.

    The temporary file is deleted with its path object.

    """
    try:
        return _write_with_one_line_end(path, layout, title)
    except (EOFError, gzip.BadGzipFile, zlib.error):  # which was whole before
        raise make_changed_error(title) from None
    except OSError as error:
        raise make_full_disk_error(error.strerror) from None


def _write_with_one_line_end(path: Path, layout: Layout, title: str) -> tuple[Path, Layout]:
    text = io.TextIOWrapper(open_unpacked(path, layout.compression), encoding="utf-8-sig", newline="")
    with text, tempfile.TemporaryFile() as copy:
        out = io.TextIOWrapper(copy, encoding="utf-8", newline="", write_through=True)
        # Python before 3.13 quotes only the line ends that it writes itself.
        writer = csv.writer(out, delimiter=layout.delimiter, lineterminator="\r\n")
        writer.writerow(layout.names.values())
        try:
            filled = (row for row in csv.reader(text, delimiter=layout.delimiter) if row)
            rows = dropwhile(lambda row: not any(map(str.strip, row)), filled)  # lines of spaces before the header
            next(rows, None)  # the header, under names of one line
            writer.writerows(rows)
        except (csv.Error, UnicodeDecodeError):
            raise InputError(f"{title} has lines that end in several ways", "save it with one kind") from None
        copy.seek(0)
        return spool(copy, title), layout._replace(compression="none", mixed=False)


def make_binary_error(title: str) -> InputError:
    """Return the refusal of a file that is not text."""
    return InputError(f"{title} is a binary file, because it holds NUL bytes", "pass CSV, Parquet, JSON or Arrow")


def make_length_error(title: str, layout: Layout, fields: int, line: int) -> InputError:
    """Return the refusal of a line that is longer or shorter than the header."""
    problem = f"{title} has {format_count(fields, 'field')} in line {line} but {len(layout.columns)} in its header"
    return InputError(problem, "make all rows as long as the header")


def make_open_quote_error(title: str, line: int) -> InputError:
    """Return the refusal of a quote that does not end."""
    problem = f"{title} has a quote in line {line} that does not end"
    return InputError(problem, "close it, or double it inside the text")


class EncodingError(InputError):
    """Text in another encoding than UTF-8."""


def make_encoding_error(title: str, line: Any) -> EncodingError:
    """Return the refusal of text in another encoding."""
    where = "" if line is None else f" in line {line}"
    return EncodingError(f"{title} is not UTF-8 text{where}", "save it in UTF-8")


def explain_reject(title: str, layout: Layout, line: int, kind: str, text: str) -> InputError | None:
    """Return the refusal of a line, from the kind of error that DuckDB noted."""
    line += layout.blank  # which the copy that DuckDB read does not have
    where = f"in line {line}"
    if kind in ("TOO MANY COLUMNS", "MISSING COLUMNS"):
        fields = text.count(layout.delimiter) + 1
        with suppress(csv.Error):  # a line end of another kind inside the line
            fields = len(next(csv.reader([text], delimiter=layout.delimiter), []))
        return make_length_error(title, layout, fields, line)
    if kind == "INVALID ENCODING":
        return make_encoding_error(title, line)
    if kind == "UNQUOTED VALUE":
        return make_open_quote_error(title, line)
    if kind == "LINE SIZE OVER MAXIMUM":
        problem = f"{title} has a row {where} of more than 2 million bytes"
        return InputError(problem, "leave long columns out, or pass Parquet")
    return None
