"""Names, texts and missing values as SQL writes them."""

from __future__ import annotations

from cutline.inputs.text_values import MISSING


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
