"""Exceptions of cutline, and how their messages are worded.

CutlineError (a ValueError)
├── InputError            labels, scores or weights that cannot be ranked
├── ParameterError        a threshold, quota or parameter out of its domain, or unknown
├── UnknownNameError      a measure that does not exist (also a KeyError)
├── UnavailableError      an attribute that cannot be had (also an AttributeError)
└── NotProbabilitiesError a measure that needs probabilities, given other scores
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Self

from cutline.core.former_names import former_name
from cutline.core.messages import PYTHON, Argument, Text, Words, render

__all__ = [
    "Argument",
    "CutlineError",
    "InputError",
    "NotProbabilitiesError",
    "ParameterError",
    "PositionError",
    "Text",
    "UnavailableError",
    "UnknownNameError",
    "find_similar",
    "format_error",
    "hint_names",
    "hint_similar",
    "make_unknown_name_error",
    "quote_if_unclear",
    "shorten_repr",
]


class CutlineError(ValueError):
    """Base class of refusals: which argument, the problem, its place, and the remedy.

    Python shows the sentence that these make; other front ends make their own from the same parts.

    Args:
        problem: What is wrong, such as "is 95"; with `argument` it is said of that argument.
        way_out: What to do instead, such as "pass a share between 0 and 1".
        argument: The argument that is refused.
        position: Where in the argument's column, counted from zero.
        place: The position in the words of whoever holds the data, such as "in row 3 below the header".
        column: The column of `data` that the argument names.
        whom: Who is refused, where several are read, such as "Model 'a'".
        hint: A sentence to add, such as "Did you mean recall?".
    """

    def __init__(
        self,
        problem: str = "",
        way_out: str = "",
        *,
        argument: str | None = None,
        position: int | None = None,
        place: str | None = None,
        column: str | None = None,
        whom: str = "",
        hint: str = "",
    ) -> None:
        self.problem, self.way_out, self.argument, self.position = problem, way_out, argument, position
        self.place, self.column, self.whom, self.hint = place, column, whom, hint
        super().__init__(format_error(self))

    found = former_name("found", "problem")

    def altered(self, **fields: Any) -> Self:
        """Return a copy with some parts replaced."""
        other = copy.copy(self)
        for name, value in fields.items():
            setattr(other, name, value)
        other.args = (format_error(other),)
        return other

    def about(self, whom: str) -> Self:
        """Return a copy with the subject that it is about."""
        return self.altered(whom=f"{whom}: {self.whom}" if self.whom else whom)


def format_error(error: CutlineError, words: Words = PYTHON) -> str:
    """Format the message of a refusal in the words of a front end."""
    argument, problem = error.argument, error.problem
    is_named = isinstance(problem, Text) and argument in [part.name for part in problem.arguments]
    subject = "" if argument is None or is_named else words.subject(argument)
    column = "" if error.column is None else f"(column {error.column!r})"
    place = error.place
    if place is None and error.position is not None:
        place = words.place(error.position)
    sentence = " ".join(part for part in (subject, column, render(problem, words), place) if part)
    if error.way_out:
        sentence = f"{sentence}: {render(error.way_out, words)}"
    if not sentence.endswith((".", "?", "!")):
        sentence += "."
    return (f"{error.whom}: " if error.whom else "") + sentence + (f" {error.hint.strip()}" if error.hint else "")


class InputError(CutlineError):
    """Labels, scores or weights that cannot be ranked."""


class PositionError(InputError):
    """An invalid value, and its place: a position in an array, a row in a file."""


class ParameterError(CutlineError):
    """A threshold, quota or parameter that is unknown or out of its domain."""


class NotProbabilitiesError(CutlineError):
    """A measure of probabilities was requested for scores that are not probabilities."""


class UnknownNameError(CutlineError, KeyError):
    """A name that is not in the registry."""

    # KeyError prints the repr of its message; people should read the sentence.
    __str__ = ValueError.__str__


class UnavailableError(CutlineError, AttributeError):
    """An attribute that is no measure, or a measure that needs arguments."""


def shorten_repr(value: object) -> str:
    """Return a value in one short line.

    >>> shorten_repr("a"), shorten_repr(list(range(100)))
    ("'a'", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,...')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of somebody else's class
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:54]}..."


def hint_similar(name: object, known: Iterable[str]) -> str:
    """Return a hint with the known names that look like `name`, or nothing: a wrong hint is worse than none.

    >>> hint_similar("recal", ["recall", "precision"]), hint_similar("acu", ["auc"]), hint_similar("psi", ["phi"])
    (' Did you mean recall?', ' Did you mean auc?', '')
    """
    return hint_names(find_similar(name, known))


def hint_names(names: Iterable[str]) -> str:
    """Return a hint with some names, or nothing.

    >>> hint_names(["auc", "gini"]), hint_names([])
    (' Did you mean auc or gini?', '')
    """
    *first, last = [*names] or [""]
    listed = f"{', '.join(first)} or {last}" if first else last
    return f" Did you mean {listed}?" if listed else ""


def find_similar(name: object, known: Iterable[str]) -> list[str]:
    """Return the known names that look like `name`."""
    from difflib import get_close_matches

    text = str(name).lower().replace("-", "_").replace(" ", "_")
    known = list(known)
    matches = get_close_matches(text, known, n=3, cutoff=0.75)
    matches += [k for k in known if sorted(k) == sorted(text) and k not in matches]
    matches += [k for k in known if len(text) > 2 and text in k and k not in matches][: 3 - len(matches)]
    return matches


def make_unknown_name_error(kind: str, name: object, known: Iterable[object]) -> UnknownNameError:
    """Return the refusal of an unknown name, with similar names or the first eight known ones.

    >>> str(make_unknown_name_error("model", "forrest", ["forest", "linear"]))
    "There is no model 'forrest' among 'forest', 'linear'. Did you mean forest?"
    """
    names = list(known)
    listed = [repr(own) for own in names[:8]] + (["..."] if len(names) > 8 else [])
    problem = f"There is no {kind} {shorten_repr(name)} among {', '.join(listed)}"
    return UnknownNameError(problem, hint=hint_similar(name, map(str, names)))


def quote_if_unclear(name: str) -> str:
    r"""Return a name, quoted if a reader or a terminal would misread it.

    >>> quote_if_unclear("score"), quote_if_unclear(" p"), quote_if_unclear(chr(27) + "[2J")
    ('score', "' p'", "'\\x1b[2J'")
    """
    return name if name.isprintable() and name and name == name.strip() else repr(name)
