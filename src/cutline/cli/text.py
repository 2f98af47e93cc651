"""Text that is safe to show: nothing that came from a file can steer the terminal."""

from __future__ import annotations

import re
import unicodedata

# Messages of the package name arguments of Python; on the command line they are options.
_AS_OPTIONS = (
    (r"higher_is_positive=False", "--lower-is-positive"),
    (r"\bpositive=True\b", "--positive true"),
    (r"\bpositive=('[^']*'|\"[^\"]*\"|[\w.+-]+)", r"--positive \1"),
    (r"\bpositive= ?", "--positive "),
    (r"missing=\"drop\"", "--missing drop"),
    (r"pass share=", "pass --share"),
    (r"overwrite=True", "--force"),
    (r"\b(quota|share|threshold|level)=(?=[ .,;:]|$)", r"--\1"),
    (r"which (label|score|weight|group)s names", r"which --\1 names"),
    (r"which id names", "which --id names"),
    (r"^groups= needs", "--group needs"),
    (r"pass for example (quota|share|threshold)=", r"pass for example --\1 "),
    (r"compare one class with the rest, for example labels == .*", "pass a column with two, such as one and the rest."),
)


def printable(text: object) -> str:
    r"""The text with control characters, escape sequences and marks that turn the line written out.

    >>> printable("a\x1b[31mb\n")
    'a\\x1b[31mb\\n'
    """
    return "".join(character if _is_plain(character) else _written_out(character) for character in str(text))


def quoted(text: object) -> str:
    """A name from a file, printable and between quotes."""
    return f"'{printable(text)}'"


def _is_plain(character: str) -> bool:
    return character == " " or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def as_options(message: str) -> str:
    """A message of the package in the words of the command line: options for arguments, rows for positions.

    >>> as_options('scores holds 1 missing value (NaN), the first at position 2: fill them, or pass missing="drop".')
    'scores holds 1 missing value (NaN), the first in row 3: fill them, or pass --missing drop.'
    """
    for argument, option in _AS_OPTIONS:
        message = re.sub(argument, option, message)
    return re.sub(r"at position (\d+)", lambda found: f"in row {int(found[1]) + 1}", message).replace(
        "--positive  with", "--positive with"
    )


def without_controls(text: object) -> str:
    """The text without the characters that XML cannot hold."""
    kept = (c for c in str(text) if c in "\t\n" or (ord(c) >= 32 and not 0xD800 <= ord(c) <= 0xDFFF))
    return "".join(c for c in kept if ord(c) not in (0xFFFE, 0xFFFF, 0x7F))
