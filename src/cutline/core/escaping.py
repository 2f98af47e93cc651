"""Texts that are safe to show: in a terminal, a page, JSON and a spreadsheet."""

from __future__ import annotations

import html
import json
import unicodedata
from typing import Any

# With which a formula begins in a spreadsheet, or what it skips before one; the wide signs, where people write those.
_FORMULA = (*"=+-@\t\r\n", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}",
            "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip


def csv_cell(value: Any) -> Any:
    """Return a value for a CSV file; text that a spreadsheet would run as a formula is marked as text.

    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell(-0.5), csv_cell("a")
    ("'=1+1", '-0.5', -0.5, 'a')
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def json_text(document: Any, *, only_ascii: bool = False) -> str:
    r"""Return a document as JSON without NaN, with control characters escaped.

    >>> print(json_text({"name": "Größe \x9b"}))
    {
      "name": "Größe \u009b"
    }
    """
    text = json.dumps(document, allow_nan=False, indent=2, ensure_ascii=only_ascii)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(character if character == "\n" or is_plain(character) else _escape(character) for character in text)


def _escape(character: str) -> str:
    """Return a character as an ASCII escape of JSON."""
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def is_plain(character: str) -> bool:
    """Whether a character is safe to print: no control character, and no mark of writing direction."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def spell_out(text: str, keep: str = "") -> str:
    r"""Return a text with control characters and marks that turn the line written as escapes.

    Args:
        text: The text.
        keep: Characters that stay as they are.

    >>> spell_out("a\x1b[31mb\n", keep="\n")
    'a\\x1b[31mb\n'
    """
    if text.isprintable():
        return text
    return "".join(
        character if is_plain(character) or character in keep else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def html_text(text: Any) -> str:
    r"""Return a text as HTML, with control characters and marks that turn the line written out.

    >>> html_text("a<b \N{RIGHT-TO-LEFT OVERRIDE}")
    'a&lt;b \\u202e'
    """
    return html.escape(spell_out(str(text), keep="\t\n"))
