"""Names and texts as SQL writes them."""

from __future__ import annotations

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")


def quoted(name: str) -> str:
    """A name of a column."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text."""
    return "'" + text.replace("'", "''") + "'"


def absent(column: str) -> str:
    """Whether a cell of text is a word for a missing value."""
    return f"trim({column}) IN ({', '.join(map(literal, MISSING))})"
