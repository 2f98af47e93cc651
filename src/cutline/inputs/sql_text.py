"""Names and texts as SQL writes them."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name of a column."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text."""
    return "'" + text.replace("'", "''") + "'"
