"""Names, texts and missing values as SQL writes them, and what to do about a text that should be a number."""

from __future__ import annotations

import re

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
WHOLE = r"[+-]?(0|[1-9][0-9]*)"  # how text spells a number; "007" is a name
NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


def quoted(name: str) -> str:
    """A name of a column."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text."""
    return "'" + text.replace("'", "''") + "'"


def absent(column: str) -> str:
    """Whether a cell of text is a word for a missing value.

    Not `IN`: DuckDB makes a join of so many words, and a join does not keep the order of the rows.
    """
    return f"({' OR '.join(f'trim({column}) = {literal(word)}' for word in MISSING)})"


def number_hint(value: str) -> str:
    """What to do about a text that should be a number."""
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", value.strip()):
        return "write numbers with a decimal point"
    if re.fullmatch(r"[+-]?[0-9]{1,3}([,_ '][0-9]{3})+(\.[0-9]*)?", value.strip()):
        return "write numbers without separators of thousands"
    return "pass numbers"
