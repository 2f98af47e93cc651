"""Tables of text that are read without DuckDB: CSV files, and the sheets of workbooks.

Small CSV files are read so, and all of them where DuckDB is not installed. Text has no types: the argument that names a
column says how it is read, by the rules of `text_values`, which hold for the files that DuckDB reads too.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zlib
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, PositionError, quote_if_unclear
from cutline.core.validation import make_decimals_error
from cutline.inputs.column_source import CodedColumn, Request, Source, convert_to_plain_type
from cutline.inputs.csv_layout import (
    Layout,
    make_binary_error,
    make_encoding_error,
    make_length_error,
    make_open_quote_error,
    open_unpacked,
)
from cutline.inputs.file_formats import make_changed_error

if TYPE_CHECKING:
    from cutline.inputs.out_of_core import Engine

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
WHOLE = r"[+-]?(0|[1-9][0-9]*)"  # how text spells a number; "007" is a name
NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?|[+-]?nan"
MOST_DIGITS = 17  # that a float may need to be told from its neighbours
_MAY_BE_LONG = re.compile(r"[1-9](?:\.?[0-9]){17}|^[ +-]*[0-9]{16}|[eE]|.{300}")  # which is quickly seen
MOST_LABELS = 1000  # more distinct values than this are no labels


class Spelling(NamedTuple):
    """A format of numbers that a whole column may have, such as percentages, and its note."""

    pattern: str  # of every value that is there
    sign: str  # in at least one of them
    ambiguous: str  # pattern of values with the sign that may be meant otherwise
    decimal: str  # what stands before the decimals
    is_percent: bool
    words: str

    def fits(self, text: str) -> bool:
        """Whether a text may be written so."""
        return re.fullmatch(self.pattern, text.strip(), re.ASCII) is not None

    def is_typical(self, text: str) -> bool:
        """Whether a text can only be written so."""
        return self.sign in text and not re.fullmatch(self.ambiguous, text.strip())

    def plain(self, text: str) -> str:
        """Return the number as a float is written, digit by digit.

        >>> SPELLINGS[0].plain("67.5 %"), SPELLINGS[1].plain("0,25")
        ('67.5e-2', '0.25')
        """
        text = text.strip().replace(self.decimal, ".")
        return f"{text.rstrip('% ')}e-2" if self.is_percent else text

    def describe_column(self, column: str, example: str) -> str:
        """Return the sentence that says how a column was read."""
        read_as = f"{float(self.plain(example)):g}"
        return f"Column {quote_if_unclear(column)} is written {self.words}: {example.strip()} is read as {read_as}."


_BODY = r"[+-]?([0-9]+{0}?[0-9]*|{0}[0-9]+)"
_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+ ?%?"
SPELLINGS = (
    Spelling(_BODY.format(r"\.") + " ?%", "%", "%", ".", True, "in percent"),
    Spelling(_BODY.format(","), ",", _THOUSANDS, ",", False, "with decimal commas"),
    Spelling(_BODY.format(",") + " ?%", ",", _THOUSANDS, ",", True, "in percent with decimal commas"),
)


class NotNumberError(ValueError):
    """A text that is not a number, and its position."""

    def __init__(self, text: str, position: int) -> None:
        super().__init__(text)
        self.text, self.position = text, position


def is_missing_word(text: str) -> bool:
    """Whether a cell stands for a missing value."""
    return text.strip(" ") in MISSING


def read_numbers(texts: Sequence[str], *, may_be_odd: bool = True, spelling: Spelling | None = None) -> Array:
    """Return texts as floats, with NaN for missing ones.

    Args:
        texts: The cells.
        may_be_odd: Whether a cell may hold what only Python takes for a number, such as 1_000 or other scripts' digits.
        spelling: How all of them are written; as Python writes floats when None.
    """
    if spelling is None and not may_be_odd:
        with suppress(ValueError):
            return np.fromiter(map(float, texts), float, len(texts))
    return np.fromiter((_read_number(text, i, spelling) for i, text in enumerate(texts)), float, len(texts))


def _read_number(cell: str, position: int, spelling: Spelling | None) -> float:
    text = cell.strip(" \r\n")
    if text in MISSING:
        return np.nan
    if not re.fullmatch(PLAIN_NUMBER if spelling is None else spelling.pattern, text, re.IGNORECASE | re.ASCII):
        raise NotNumberError(cell.rstrip("\r\n"), position)
    return float(text if spelling is None else spelling.plain(text))


def is_long_number(text: str) -> bool:
    """Whether a number loses information as a float: it has too many digits, or is out of range.

    >>> is_long_number("0.0566342499514803"), is_long_number("0.12345678901234567890"), is_long_number("1e999")
    (False, True, True)
    >>> is_long_number("9007199254740992"), is_long_number("9007199254740993")
    (False, True)
    >>> is_long_number("9.007199254740992e15"), is_long_number("9.007199254740993e15")
    (False, True)
    >>> is_long_number("0.51182162470025671"), is_long_number("0.511821624700256712"), is_long_number(f"0.{1:0400}")
    (False, True, True)
    """
    # As nearly all are: at most 17 digits from the first that is not 0, and a point before the sixteenth of all.
    is_short = len(text.lstrip("+-0.")) <= MOST_DIGITS and -1 < text.find(".") < MOST_DIGITS - 1 and len(text) < 40
    if (is_short and "e" not in text and "E" not in text) or not _MAY_BE_LONG.search(text):
        return False
    body = re.split("[eE]", text)[0]
    digits = re.sub(r"[^0-9]", "", body).strip("0")
    if len(digits) > MOST_DIGITS:
        return True
    with suppress(ValueError, OverflowError):
        number = float(text)
        if number == 0 or math.isinf(number):
            return bool(digits)  # which "inf" has not
        return abs(number) >= 2**53 and Decimal(text.strip()) != Decimal(number)
    return False


def find_long_numbers(texts: Sequence[str], floats: Array, spelling: Spelling | None) -> list[str]:
    """Return the numbers that lose digits as floats, in the format of floats.

    Args:
        texts: The cells.
        floats: The numbers that were read of them.
        spelling: How all of them are written; as Python writes floats when None.
    """
    if max(map(len, texts)) >= MOST_DIGITS - 1:
        some = texts
    else:  # an exponent may be beyond the range
        some = [texts[i] for i in np.flatnonzero((floats == 0) | np.isinf(floats)).tolist()]
    plain = some if spelling is None else map(spelling.plain, some)
    return [*filter(is_long_number, plain)]


def have_hidden_ties(long: Sequence[str], floats: Array) -> bool:
    """Whether numbers that differ in the file become the same float.

    Args:
        long: The numbers that lose digits as floats.
        floats: All numbers, as floats.
    """
    exact: dict[float, Decimal] = {}
    for text in long:
        with suppress(InvalidOperation):
            number = Decimal(text.strip())
            if exact.setdefault(float(text), number) != number:
                return True
    # A number that is not long is never one that is, so that every further cell with such a float is a tie.
    return bool(exact) and int(np.isin(floats, [*exact]).sum()) > len(long)


def hint_number(value: str) -> str:
    """Return the remedy for a text that should be a number."""
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", value.strip()):
        return "write numbers with a decimal point"
    if re.fullmatch(r"[+-]?[0-9]{1,3}([,_ '][0-9]{3})+(\.[0-9]*)?", value.strip()):
        return "write numbers without separators of thousands"
    return "pass numbers"


def find_label_type(texts: Sequence[str]) -> str:
    """Return the SQL type of labels: numbers or booleans if all labels are such, else text; "007" is text."""
    if len(texts) >= MOST_LABELS:
        return "VARCHAR"
    if all(re.fullmatch(WHOLE, text) and len(text) < 18 for text in texts):
        return "BIGINT"
    if all(re.fullmatch(NUMBER, text) for text in texts):
        return "DOUBLE"
    return "BOOLEAN" if all(text.lower() in ("true", "false") for text in texts) else "VARCHAR"


def read_labels(texts: Sequence[str], *, as_text: bool) -> Array:
    """Return the labels that distinct texts spell, None for missing ones, as objects."""
    present = [text.strip() for text in texts if not is_missing_word(text)]
    kind = "VARCHAR" if as_text else find_label_type(present)
    readers: dict[str, Callable[[str], Any]] = {"BIGINT": int, "DOUBLE": float, "BOOLEAN": _read_boolean}
    convert = readers.get(kind, str)
    values = np.empty(len(texts), dtype=object)
    values[:] = [None if is_missing_word(text) else convert(text) for text in texts]
    return values


def _read_boolean(text: str) -> bool:
    return text.strip().lower() == "true"


_AT_ONCE = 1 << 22  # characters of a file
_ROWS_AT_ONCE = 20_000  # of a file with quotes
MOST_CODES = 250  # distinct labels that one byte tells apart, with one for missing and one for unknown
_SPACED_QUOTE = re.compile(r' +"')
_NUMBERS = ("scores", "weights")

Cells = Sequence[Sequence[str]]  # by column


class TextTable(Source):
    """Columns of text.

    Args:
        title: What messages call the table.
        columns: The names of the columns.
        place_suffix: What messages say after "in row 3".
    """

    def __init__(self, title: str, columns: Sequence[str], place_suffix: str = "") -> None:
        super().__init__(title, columns)
        self._place_suffix = place_suffix
        self._spellings: dict[str, Spelling] = {}

    @abstractmethod
    def parts(self) -> Iterator[tuple[Cells, bool]]:
        """Yield the cells of all columns, some rows at a time, and whether they may hold odd characters."""

    @cached_property
    def count(self) -> int:
        """The number of rows."""
        return sum(len(cells[0]) for cells, _ in self.parts())

    def fits(self, limit: int) -> bool:  # noqa: ARG002
        """Return True: the columns are always read into memory."""
        return True

    def place(self, position: int) -> str:
        """Return the row, as a person counts them."""
        return f"in row {position + 1}{self._place_suffix}"

    def read_columns(self, requests: Mapping[Any, Request]) -> dict[Any, Array]:
        """Return the requested columns, row by row."""
        columns = self._read(requests)
        if not all(len(column.code if isinstance(column, CodedColumn) else column) for column in columns.values()):
            raise InputError(f"{self.title} has columns but no rows", "pass at least one case")
        return {
            key: _expand_codes(column) if isinstance(column, CodedColumn) else column for key, column in columns.items()
        }

    def scan(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn] | None:
        """Return the columns, labels as codes, the last of a missing label; None if `read_columns` is needed."""
        try:
            columns = self._read(requests)
        except InputError:
            return None
        labels = columns.get("labels")
        if not isinstance(labels, CodedColumn) or not len(labels.code) or len(labels.values) > MOST_CODES:
            return None
        present = [i for i, value in enumerate(labels.values.tolist()) if value is not None]
        code_of = np.full(len(labels.values), len(present), np.uint8)
        code_of[present] = np.arange(len(present))
        values = np.append(labels.values[present], np.array([None], dtype=object))
        return columns | {"labels": CodedColumn(values, code_of[labels.code])}

    def _read(self, requests: Mapping[Any, Request]) -> dict[Any, Array | CodedColumn]:
        """Read the columns: numbers as floats, everything else as codes of the distinct texts."""
        numbers = {request.column: request.role for request in requests.values() if request.role in _NUMBERS}
        texts = {request.column: _make_codebook() for request in requests.values() if request.role not in _NUMBERS}
        while True:
            try:
                floats, codes = self._read_parts(numbers, texts)
                break
            except _BadColumnError as bad:
                spelling = self._find_spelling(bad.column, bad.text)
                if spelling is None:
                    problem, role = f"holds text, {bad.text!r},", numbers[bad.column]
                    raise PositionError(problem, hint_number(bad.text), argument=role, position=bad.position) from None
                self._spellings[bad.column] = spelling
                texts = {column: _make_codebook() for column in texts}
        return {
            key: floats[request.column]
            if request.role in _NUMBERS
            else CodedColumn(_convert_texts([*texts[request.column]], request), codes[request.column])
            for key, request in requests.items()
        }

    def _read_parts(
        self, numbers: Mapping[str, Any], texts: Mapping[str, dict[str, int]]
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Read columns of numbers, and columns of text by the number of each distinct one in its code book."""
        floats: dict[str, list[Array]] = {column: [np.zeros(0)] for column in numbers}
        codes: dict[str, list[Array]] = {column: [np.zeros(0, np.int32)] for column in texts}
        where = {name: i for i, name in enumerate(self.columns)}
        long: dict[str, list[str]] = {column: [] for column, role in numbers.items() if role == "scores"}
        before = 0
        for cells, may_be_odd in self.parts():
            for column in numbers:
                spelling = self._spellings.get(column)
                try:
                    floats[column].append(read_numbers(cells[where[column]], may_be_odd=may_be_odd, spelling=spelling))
                except NotNumberError as error:
                    raise _BadColumnError(column, error.text, before + error.position) from None
            for column in long:
                long[column] += find_long_numbers(cells[where[column]], floats[column][-1], self._spellings.get(column))
            for column, book in texts.items():
                own = cells[where[column]]
                codes[column].append(np.fromiter(map(book.__getitem__, own), np.int32, len(own)))
            before += len(cells[0])
        whole = {column: np.concatenate(some) for column, some in floats.items()}
        if any(some and have_hidden_ties(some, whole[column]) for column, some in long.items()):
            raise make_decimals_error("scores")
        return (
            whole,
            {column: np.concatenate(some) for column, some in codes.items()},
        )

    def _find_spelling(self, column: str, text: str) -> Spelling | None:
        """Return the spelling of a whole column in which a text is not in the format of floats."""
        fitting = [spelling for spelling in SPELLINGS if spelling.fits(text)]
        if not fitting:
            return None
        where = self.columns.index(column)
        distinct = {cell for cells, _ in self.parts() for cell in {*cells[where]} if not is_missing_word(cell.strip())}
        for spelling in fitting:
            typical = sorted(filter(spelling.is_typical, distinct))
            if typical and all(map(spelling.fits, distinct)):
                self.notes[column] = spelling.describe_column(column, typical[0])
                return spelling
        return None


class _BadColumnError(ValueError):
    """A column with a text that is not a number."""

    def __init__(self, column: str, text: str, position: int) -> None:
        super().__init__(text)
        self.column, self.text, self.position = column, text, position


def _make_codebook() -> dict[str, int]:
    """Return a dictionary that numbers the texts in the order in which they are looked up."""
    book: defaultdict[str, int] = defaultdict()
    book.default_factory = book.__len__
    return book


def _convert_texts(texts: Sequence[str], request: Request) -> Array:
    """Convert distinct texts to the values that the role of a column needs."""
    texts = [text.rstrip("\r\n") for text in texts]
    if request.role not in ("id", "groups"):
        return read_labels(texts, as_text=request.as_text)
    values = np.empty(len(texts), dtype=object)
    values[:] = [text or None for text in texts]
    return values


def _expand_codes(column: CodedColumn) -> Array:
    """Return the value of each row, in an array of its own type where all are numbers or booleans."""
    if {*map(type, column.values.tolist())} == {float, type(None)}:
        return column.values.astype(float)[column.code]
    return convert_to_plain_type(column.values)[column.code]


class CsvFile(TextTable):
    """The columns of a CSV file.

    Args:
        path: Where it is.
        title: What messages call it.
        layout: Its header, and what separates the columns.
    """

    def __init__(self, path: Path, title: str, layout: Layout) -> None:
        super().__init__(title, layout.columns, " below the header")
        self._path, self._layout = path, layout
        self._whole: list[tuple[Cells, bool]] | None = None

    def engine(self, requests: Mapping[Any, Request], slices: int = 0) -> Engine | None:
        """Return DuckDB's engine, which puts scores into bins; None if DuckDB is not installed."""
        if find_spec("duckdb") is None:
            return None
        from cutline.inputs.duckdb_files import File

        return File(self._path, self.title, "csv").engine(requests, slices)

    def check(self) -> None:
        """Raise if a row is longer or shorter than the header, a quote does not end, or text is not UTF-8."""
        self._whole = list(self.parts())

    def parts(self) -> Iterator[tuple[Cells, bool]]:
        """Yield the cells of all columns, some rows at a time, and whether they may hold odd characters."""
        if self._whole is not None:
            yield from self._whole
            return
        line = 1
        stream = open_unpacked(self._path, self._layout.compression)
        try:
            with io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
                header = csv.reader(text, delimiter=self._layout.delimiter)
                names = next((row for row in header if any(map(str.strip, row))), [])
                if tuple(names) != self.columns:  # of the layout, which was found when the file was another
                    raise make_changed_error(self.title)
                line += header.line_num
                while chunk := text.read(_AT_ONCE):
                    chunk += text.readline()
                    if '"' in chunk:
                        yield from self._read_quoted_parts(chain(io.StringIO(chunk, newline=""), text), line)
                        return
                    cells = self._split(chunk, line)
                    line += len(re.findall("\r\n|\r|\n", chunk)) if "\r" in chunk else chunk.count("\n")
                    if len(cells[0]):
                        yield cells, "_" in chunk or not chunk.isascii()
        except UnicodeDecodeError:
            raise make_encoding_error(self.title, self._find_bad_line()) from None
        except (OSError, EOFError, zlib.error):  # what was found whole before
            raise make_changed_error(self.title) from None

    def _split(self, chunk: str, first_line: int) -> Cells:
        """Return the cells of whole lines without quotes; cells of the last column may end in a line break."""
        width, sign = len(self.columns), self._layout.delimiter
        if "\0" in chunk:
            raise make_binary_error(self.title)
        lines = chunk.replace("\r\n", "\n").replace("\r", "\n") if "\r" in chunk else chunk
        if not lines.endswith("\n"):
            lines += "\n"
        if lines.startswith("\n") or "\n\n" in lines:  # blank lines
            lines = re.sub("\n\n+", "\n", lines).lstrip("\n")
        count = lines.count("\n")
        cells = lines.replace("\n", "\n" + sign).split(sign)[:-1] if count else []
        by_column = [cells[i::width] for i in range(width)]
        # Every line has as many cells as the header where each line break stands in the last column.
        if len(cells) != count * width or "".join(by_column[-1]).count("\n") != count:
            rows = [*self._split_lines(chunk, first_line)]
            by_column = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in self.columns]
        return by_column

    def _split_lines(self, chunk: str, first_line: int) -> Iterator[list[str]]:
        """Yield the cells of each line without quotes; empty ones at its end may be too many."""
        for number, line in enumerate(re.split("\r\n|\r|\n", chunk), first_line):
            if line:
                yield self._fit_row(line.split(self._layout.delimiter), number)

    def _fit_row(self, row: list[str], line: int) -> list[str]:
        """Return a row without empty cells beyond the last column; raise if its length is wrong."""
        width = len(self.columns)
        if len(row) != width and (len(row) < width or any(row[width:])):
            raise make_length_error(self.title, self._layout, len(row), line)
        return row[:width]

    def _read_quoted_parts(self, lines: Iterator[str], first_line: int) -> Iterator[tuple[Cells, bool]]:
        """Yield the cells of lines with quotes."""
        records = csv.reader(lines, delimiter=self._layout.delimiter, strict=True)
        rows: list[list[str]] = []
        line = first_line
        try:
            for row in records:
                if row:
                    rows.append(self._fit_row(row, line))
                    if any(_SPACED_QUOTE.match(cell) for cell in row):
                        raise InputError(f"{self.title} has a space before a quote in line {line}", "leave it out")
                line = first_line + records.line_num
                if len(rows) == _ROWS_AT_ONCE:
                    yield list(zip(*rows, strict=True)), True
                    rows = []
        except csv.Error:
            raise make_open_quote_error(self.title, line) from None
        if rows:
            yield list(zip(*rows, strict=True)), True

    def _find_bad_line(self) -> int | None:
        """Return the first line that is not UTF-8 text."""
        with suppress(OSError, EOFError, zlib.error), open_unpacked(self._path, self._layout.compression) as stream:
            for number, line in enumerate(stream, 1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return number
        return None
