"""What kind of number a measure is, as far as its interval depends on it: declared by the measure, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cutline.core.counts import Counts
from cutline.core.ranking import Array, Ranking


class Proportion(NamedTuple):
    """Some cases out of those they are counted among, as functions of the counts of one cut.

    `then` turns the share into the measure, if it is not the share itself; it must be increasing.
    """

    of: Callable[[Counts], tuple[Any, Any]]
    then: Callable[[Any], Any] = float


class Ratio(NamedTuple):
    """How many times larger a share (or the odds) is in one class than in the other.

    Each class is named by two of its counts: those that have the property, and those that lack it.
    """

    above: tuple[str, str]
    below: tuple[str, str]
    odds: bool = False


class LineOfAuc(NamedTuple):
    """A slope times the AUC plus an intercept, the class sizes being given."""

    of: Callable[[Ranking], tuple[Any, Any]]


class MeanOfCases(NamedTuple):
    """The mean over the cases of what a positive, and what a negative, of each score contributes."""

    of: Callable[..., tuple[Array, Array]]


class StandardError(NamedTuple):
    """A number whose variance has a formula, or several: by the name of the method, the default first.

    The variance is that on the scale ("identity" or "log") where the estimate is about normal.
    """

    methods: Mapping[str, Callable[..., Any]]
    scale: str = "identity"


Kind = Proportion | Ratio | LineOfAuc | MeanOfCases | StandardError | None
