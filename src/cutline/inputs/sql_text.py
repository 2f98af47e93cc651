"""Names, texts and missing values as SQL writes them."""

from __future__ import annotations

from cutline.inputs.text_table import MISSING


def quoted(name: str) -> str:
    """Return a name of a column."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text."""
    return "'" + text.replace("'", "''") + "'"


def absent(column: str) -> str:
    """Return the condition that a cell of text is a word for a missing value.

    Not `IN`: for many words DuckDB makes a join, which does not keep the order of the rows.
    """
    return f"({' OR '.join(f'trim({column}) = {literal(word)}' for word in MISSING)})"
