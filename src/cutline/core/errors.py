"""What cutline refuses, and the words it refuses it with.

CutlineError (a ValueError)
├── InputError            labels, scores or weights that cannot be ranked
├── ParameterError        a threshold, quota or parameter out of its domain, or unknown
├── UnknownNameError      a measure that does not exist (also a KeyError)
├── UnavailableError      an attribute that cannot be had (also an AttributeError)
└── NotProbabilitiesError a measure that needs probabilities, given other scores
"""

from __future__ import annotations

from collections.abc import Iterable


class CutlineError(ValueError):
    """Anything that cutline refuses; the message says what was found and what to pass instead."""


class InputError(CutlineError):
    """Labels, scores or weights that cannot be ranked."""

    def about(self, whom: str) -> InputError:
        """The same refusal, said of somebody."""
        return InputError(f"{whom}: {self}")


class PositionError(InputError):
    """A value that is not as it should be, and where it is: in an array, a position; in a file, a row."""

    def __init__(self, name: str, found: str, position: int, way_out: str, prefix: str = "") -> None:
        super().__init__(f"{prefix}{name} {found} at position {position}: {way_out}.")
        self.name, self.found, self.position, self.way_out, self.prefix = name, found, position, way_out, prefix

    def about(self, whom: str) -> PositionError:
        """The same refusal, said of somebody."""
        return PositionError(self.name, self.found, self.position, self.way_out, f"{whom}: {self.prefix}")


class ParameterError(CutlineError):
    """A threshold, quota or parameter that is unknown or out of its domain."""


class NotProbabilitiesError(CutlineError):
    """A measure of probabilities was asked of scores that are not probabilities."""


class UnknownNameError(CutlineError, KeyError):
    """A name that is not in the registry."""

    # KeyError prints the repr of its message; people should read the sentence.
    __str__ = ValueError.__str__


class UnavailableError(CutlineError, AttributeError):
    """An attribute that is no measure, or a measure that cannot be had as an attribute."""


def near(name: object, known: Iterable[str]) -> str:
    """A hint with the known names that look like `name`, or nothing: a wrong hint is worse than none.

    >>> near("recal", ["recall", "precision"]), near("acu", ["auc"]), near("psi", ["phi"])
    (' Did you mean recall?', ' Did you mean auc?', '')
    """
    from difflib import get_close_matches

    text = str(name).lower().replace("-", "_").replace(" ", "_")
    known = list(known)
    matches = get_close_matches(text, known, n=3, cutoff=0.75)
    matches += [k for k in known if sorted(k) == sorted(text) and k not in matches]
    matches += [k for k in known if len(text) > 2 and text in k and k not in matches][: 3 - len(matches)]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""


def shown(name: str) -> str:
    r"""A name as it is, or quoted where a reader or a terminal would misread it.

    >>> shown("score"), shown(" p"), shown(chr(27) + "[2J")
    ('score', "' p'", "'\\x1b[2J'")
    """
    return name if name.isprintable() and name and name == name.strip() else repr(name)
