"""Text that mentions arguments, so that each front end can name them in its own way.

Python writes `positive='spam'` and `at position 2`, the command line `--positive spam` and `in row 3`. The text keeps
its parts, so that no finished sentence has to be parsed.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class Argument(NamedTuple):
    """An argument that a text mentions, alone or with a value to pass."""

    name: str
    value: Any = None


class Words(Protocol):
    """How a front end names what sentences mention."""

    def argument(self, mentioned: Argument) -> str:
        """Return an argument to pass, with its value if it has one."""

    def subject(self, name: str) -> str:
        """Return an argument that a sentence is about."""

    def place(self, position: int) -> str:
        """Return where something is in a column."""


class PythonWords:
    """The words of Python."""

    def argument(self, mentioned: Argument) -> str:
        """Return the argument as in a call."""
        return f"{mentioned.name}=" + ("" if mentioned.value is None else repr(mentioned.value))

    def subject(self, name: str) -> str:
        """Return the name unchanged."""
        return name

    def place(self, position: int) -> str:
        """Return a position, counted from zero."""
        return f"at position {position}"


PYTHON = PythonWords()


class Text(str):
    """A text of Python that knows which arguments it mentions.

    >>> Text("Pass ", Argument("positive", "spam"), " or ", Argument("quota"), ".")
    "Pass positive='spam' or quota=."
    """

    __slots__ = ("parts",)
    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Text:
        """Join the parts to a text."""
        flat: list[str | Argument] = []
        for part in parts:
            flat += part.parts if isinstance(part, Text) else (part,)
        self = super().__new__(cls, "".join(_render(part, PYTHON) for part in flat))
        self.parts = tuple(flat)
        return self

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that it mentions."""
        return tuple(part for part in self.parts if isinstance(part, Argument))

    def __reduce__(self) -> tuple[type[Text], tuple[str | Argument, ...]]:
        return Text, tuple(map(_make_portable, self.parts))


class Written(str):
    """The representation of a value that cannot be pickled."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _make_portable(part: str | Argument) -> str | Argument:
    """Return a part of a text that can be sent to another process: a user's function cannot."""
    if isinstance(part, Argument):
        try:
            pickle.dumps(part.value)
        except Exception:  # of whatever it is
            return part._replace(value=Written(repr(part.value)))
    return part


def _render(part: str | Argument, words: Words) -> str:
    return words.argument(part) if isinstance(part, Argument) else part


def render(text: str, words: Words = PYTHON) -> str:
    """Return the text in the words of a front end; one that mentions no argument is the same for all."""
    return "".join(_render(part, words) for part in text.parts) if isinstance(text, Text) else text


def join_with_and(parts: Sequence[str]) -> str:
    """Join parts of a sentence with commas, the last with "and".

    >>> join_with_and(["a"]), join_with_and(["a", "b"]), join_with_and(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def capitalise(text: str) -> str:
    """Return a text with a capital as its first letter."""
    return text[:1].upper() + text[1:]


# First words of titles that keep their capital inside a sentence, besides genitives and abbreviations.
_NAMES = (
    "Brier", "Cox-Snell", "Emax", "Gini", "Hand", "Hosmer-Lemeshow", "Jaccard", "Kolmogorov-Smirnov", "Matthews",
    "Nagelkerke", "Qrecall",
)  # fmt: skip


def lower_title(title: str) -> str:
    """Return a title for the middle of a sentence: in lower case, unless it starts with a name or an abbreviation.

    >>> [lower_title(title) for title in ("Log loss", "Brier score", "Cohen's kappa", "F-beta", "AUCPR")]
    ['log loss', 'Brier score', "Cohen's kappa", 'F-beta', 'AUCPR']
    """
    first = title.split(" ")[0]
    keeps_capital = not first[1:2].islower() or first.endswith("'s") or first in _NAMES
    return title if keeps_capital else title[:1].lower() + title[1:]
