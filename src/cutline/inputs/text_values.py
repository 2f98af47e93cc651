"""What text means as a value: missing words, numbers in several spellings, and labels that are numbers or booleans."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
WHOLE = r"[+-]?(0|[1-9][0-9]*)"  # how text spells a number; "007" is a name
NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?|[+-]?nan"
MOST_LABELS = 1000  # more distinct values than this are no labels
_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+"


class Spelling(NamedTuple):
    """A way of writing numbers that a whole column may have, and what tells the reader that it was taken so."""

    pattern: str  # of every value that is there
    typical: str  # of at least one of them, so that it can only be meant so
    decimal: str  # the sign before the decimals
    is_percent: bool
    note: str

    def plain(self, text: str) -> str:
        """Return the number as a float is written, digit by digit.

        >>> SPELLINGS["percent"].plain("67.5 %"), SPELLINGS["comma"].plain("0,25")
        ('67.5e-2', '0.25')
        """
        text = text.replace(self.decimal, ".")
        return f"{text.rstrip('% ')}e-2" if self.is_percent else text

    def note_on(self, column: str, example: str) -> str:
        """Return the sentence that says how a column was read."""
        return self.note.format(repr(column), example, f"{float(self.plain(example)):g}")


_BODY = r"[+-]?([0-9]+{0}?[0-9]*|{0}[0-9]+)"
SPELLINGS = {
    "percent": Spelling(
        _BODY.format(r"\.") + " ?%", ".*", ".", True, "Column {0} is written in percent, such as {1}: read as {2}."
    ),
    "comma": Spelling(
        _BODY.format(","),
        rf"(?!{_THOUSANDS}$).*,.*",
        ",",
        False,
        "Column {0} is written with decimal commas, such as {1}: read as {2}.",
    ),
    "comma_percent": Spelling(
        _BODY.format(",") + " ?%",
        rf"(?!{_THOUSANDS} ?%$).*,.*",
        ",",
        True,
        "Column {0} is written in percent with decimal commas, such as {1}: read as {2}.",
    ),
}


class NotNumberError(ValueError):
    """A text that is not a number, and where it is."""

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
        try:
            numbers = np.fromiter(map(float, texts), float, len(texts))
        except ValueError:
            pass
        else:
            if not np.isinf(numbers).any():
                return numbers
    return np.fromiter((_number(text, i, spelling) for i, text in enumerate(texts)), float, len(texts))


def _number(cell: str, position: int, spelling: Spelling | None) -> float:
    text = cell.strip(" \r\n")
    if text in MISSING:
        return np.nan
    if not re.fullmatch(PLAIN_NUMBER if spelling is None else spelling.pattern, text, re.IGNORECASE | re.ASCII):
        raise NotNumberError(cell.rstrip("\r\n"), position)
    number = float(text if spelling is None else spelling.plain(text))
    if np.isinf(number) and "inf" not in text.lower():  # 1e400
        raise NotNumberError(cell.rstrip("\r\n"), position)
    return number


def number_hint(value: str) -> str:
    """Return what to do about a text that should be a number."""
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", value.strip()):
        return "write numbers with a decimal point"
    if re.fullmatch(r"[+-]?[0-9]{1,3}([,_ '][0-9]{3})+(\.[0-9]*)?", value.strip()):
        return "write numbers without separators of thousands"
    return "pass numbers"


def kind_of_labels(texts: Sequence[str]) -> str:
    """Return the type of labels: numbers where all are, true/false where all are, else text; "007" is text."""
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
    kind = "VARCHAR" if as_text else kind_of_labels(present)
    readers: dict[str, Callable[[str], Any]] = {"BIGINT": int, "DOUBLE": float, "BOOLEAN": _read_boolean}
    convert = readers.get(kind, str)
    values = np.empty(len(texts), dtype=object)
    values[:] = [None if is_missing_word(text) else convert(text) for text in texts]
    return values


def _read_boolean(text: str) -> bool:
    return text.strip().lower() == "true"
