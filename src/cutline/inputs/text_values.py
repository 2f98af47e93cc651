"""What text means as a value: missing words, numbers in several spellings, and labels that are numbers or booleans."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core.errors import shown

Array = npt.NDArray[Any]

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
WHOLE = r"[+-]?(0|[1-9][0-9]*)"  # how text spells a number; "007" is a name
NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?|[+-]?nan"
MOST_DIGITS = 17  # that a float may need to be told from its neighbours
MOST_LABELS = 1000  # more distinct values than this are no labels


class Spelling(NamedTuple):
    """A way of writing numbers that a whole column may have, and the note that says so."""

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

    def note_on(self, column: str, example: str) -> str:
        """Return the sentence that says how a column was read."""
        read_as = f"{float(self.plain(example)):g}"
        return f"Column {shown(column)} is written {self.words}: {example.strip()} is read as {read_as}."


_BODY = r"[+-]?([0-9]+{0}?[0-9]*|{0}[0-9]+)"
_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+ ?%?"
SPELLINGS = (
    Spelling(_BODY.format(r"\.") + " ?%", "%", "%", ".", True, "in percent"),
    Spelling(_BODY.format(","), ",", _THOUSANDS, ",", False, "with decimal commas"),
    Spelling(_BODY.format(",") + " ?%", ",", _THOUSANDS, ",", True, "in percent with decimal commas"),
)


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
        with suppress(ValueError):
            return np.fromiter(map(float, texts), float, len(texts))
    return np.fromiter((_number(text, i, spelling) for i, text in enumerate(texts)), float, len(texts))


def _number(cell: str, position: int, spelling: Spelling | None) -> float:
    text = cell.strip(" \r\n")
    if text in MISSING:
        return np.nan
    if not re.fullmatch(PLAIN_NUMBER if spelling is None else spelling.pattern, text, re.IGNORECASE | re.ASCII):
        raise NotNumberError(cell.rstrip("\r\n"), position)
    return float(text if spelling is None else spelling.plain(text))


def is_long_number(text: str) -> bool:
    """Whether a number has more digits than a float can tell apart.

    >>> is_long_number("0.0566342499514803"), is_long_number("0.12345678901234567890")
    (False, True)
    """
    digits = re.sub(r"[^0-9]", "", re.split("[eE]", text)[0]).strip("0")
    return len(text) > MOST_DIGITS and len(digits) > MOST_DIGITS


def have_hidden_ties(texts: Iterable[str]) -> bool:
    """Whether numbers that differ as they are written are one float."""
    exact: dict[float, Decimal] = {}
    for text in texts:
        with suppress(ValueError, InvalidOperation):
            number = Decimal(text.strip())
            if exact.setdefault(float(text), number) != number:
                return True
    return False


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
