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
    """A hint with the known names that look like `name`, or nothing.

    >>> near("recal", ["recall", "precision"])
    ' Did you mean recall?'
    """
    from difflib import get_close_matches

    text = str(name).lower().replace("-", "_").replace(" ", "_")
    known = list(known)
    matches = get_close_matches(text, known, n=3, cutoff=0.75) or get_close_matches(text, known, n=1, cutoff=0.6)
    matches += [k for k in known if len(text) > 2 and text in k and k not in matches][: 3 - len(matches)]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
