"""Kinds of measures (proportion, ratio, mean of cases, ...), on which intervals, tests and training depend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts

_ROUNDING = 1e-12  # by which equal heights may differ


class PairedShare(NamedTuple):
    """The cases among which a share is taken, the same ones for every model, and what happens to those that count.

    `among` is True for the positive cases, False for the negative ones, and None for all. Two models can be compared
    case by case.
    """

    among: bool | None
    what: Literal["flagged", "right", "wrong"]


class Proportion(NamedTuple):
    """Some cases out of those they are counted among, as functions of the counts of one cut.

    `then` turns the share into the measure, if it is not the share itself; it must be increasing.
    """

    of: Callable[[Counts], tuple[Any, Any]]
    then: Callable[[Any], Any] = float
    paired: PairedShare | None = None


class Ratio(NamedTuple):
    """How many times larger a share (or the odds) is in one class than in the other.

    Each class is named by two of its counts: those that have the property, and those that lack it.
    """

    above: tuple[str, str]
    below: tuple[str, str]
    odds: bool = False


class SumOfRates(NamedTuple):
    """A slope times the sum of recall and specificity plus an intercept: shares of different cases, so independent.

    `of_flags`: precision and negative predictive value are added instead, shares of the flagged and of the others.
    """

    slope: float
    intercept: float
    of_flags: bool = False


class LineOfAuc(NamedTuple):
    """A slope times the AUC plus an intercept, the class sizes and the parameters being given."""

    of: Callable[..., tuple[Any, Any]]


def _never(**_: Any) -> bool:
    return False


class MeanOfCases(NamedTuple):
    """The mean over the cases of what a positive, and what a negative, of each score contributes.

    `is_smooth` says of the parameters whether that is a smooth function of the probability (`core.blocks`).
    """

    of: Callable[..., tuple[Array, Array]]
    is_smooth: Callable[..., bool] = _never


class SmoothOfOrder(NamedTuple):
    """A smooth measure of the order, whose influence function is known.

    `influence` gives, for each score, what one more positive there changes in the measure, and one more negative.
    """

    influence: Callable[[Any], tuple[Array, Array]]


class Moments(NamedTuple):
    """The number of the parts of a sum, and the sums of their squares and of their fourth powers."""

    number: Any
    second: Any
    fourth: Any

    def plus(self, other: Moments) -> Moments:
        """Return the moments of the parts of both sums."""
        return Moments(*(moment + added for moment, added in zip(self, other, strict=True)))


class StandardError(NamedTuple):
    """A number whose variance has a formula, or several: by the name of the method, the default first.

    The variance is that on the scale ("identity" or "log") where the estimate is about normal. `robust` is the method
    that supposes the least: where it gives a wider interval than another, a note says so; `moments` are those of what
    each case changes, of which its variance is the sum of squares.
    """

    methods: Mapping[str, Callable[..., Any]]
    scale: str = "identity"
    robust: str = ""
    moments: Callable[..., Moments] | None = None


class CalibrationError(NamedTuple):
    """A distance of the probabilities from what happens: 0 for a calibrated model, and never lowered by chance.

    `of_places`: not the mean distance but one that single places of the curve decide, as they do a mean of squares.
    """

    of_places: bool = False


class BestOfCuts(NamedTuple):
    """The best over all cuts, or over all of something else: it favours the sample at hand.

    `of_all` gives the height of every cut of a ranking, the larger the better, where one cut is the best. `of_peaks`:
    scores at which positives are dense count most, which a wide kernel would flatten.
    """

    over: str = "cuts"
    of_all: Callable[..., Any] | None = None
    of_peaks: bool = False


def best_cuts(heights: Any) -> Array:
    """Return which cuts are the best, in the order of the list: several, where they differ by rounding alone.

    >>> best_cuts([0.0, 1 / 3, 0.2, 1 - 2 / 3]).tolist()
    [1, 3]
    """
    known = np.asarray(heights)
    return np.flatnonzero(known >= known.max() - _ROUNDING * max(1.0, abs(float(known.max()))))


class CurvePoint(NamedTuple):
    """A point of the ROC or precision-recall curve: its height where a parameter fixes the other rate."""

    height: Literal["recall", "specificity", "precision", "recall_at_precision"]
    fixed: str

    @property
    def is_searched(self) -> bool:
        """Whether the cut is the best of those that reach the fixed rate."""
        return self.height == "recall_at_precision"


class Stretch(NamedTuple):
    """An area over a stretch of one rate, whose range depends on the parameters.

    `shares` says, given the parameters, which share of the positives and of the negatives the stretch holds.
    """

    range: Callable[..., tuple[float, float]]
    shares: Callable[..., tuple[float, float]] = lambda **_: (1.0, 1.0)


class OfPrevalence(NamedTuple):
    """A function of the share of positives alone, with the parameters of the measure."""

    of: Callable[..., Any]


class ShareOfPairs(NamedTuple):
    """A share of all pairs of a positive and a negative case.

    `of` gives, for a positive of each score, the share of the negatives with which it has the property, and for a
    negative of each score the share of the positives.
    """

    of: Callable[[Any], tuple[Array, Array]]


class OpenEnds(NamedTuple):
    """An area under straight lines between the cuts, whose ends depend on which rare scores a sample happens to have.

    `lost` is how much more the area could be, given the parameters, if rarer scores shortened the lines at its ends.
    """

    lost: Callable[..., float]


class GainOfLikelihood(NamedTuple):
    """A decreasing function of the log loss, given the log loss `null` of always predicting the prevalence.

    `loss` gives the log loss of some values, and `back` the value of a log loss, both given `null`.
    """

    loss: Callable[[Array, float], Array]
    back: Callable[[float, float], float]


class TopOfList(NamedTuple):
    """A number that rests on the first cases of the list: on which share of all, given the parameters.

    `most` is what it is for the best order of a list with a given prevalence.
    """

    share: Callable[..., float]
    most: Callable[..., float] = lambda prevalence, **_: 1.0


Kind = (
    Proportion
    | Ratio
    | SumOfRates
    | LineOfAuc
    | MeanOfCases
    | SmoothOfOrder
    | StandardError
    | CalibrationError
    | BestOfCuts
    | CurvePoint
    | Stretch
    | OfPrevalence
    | ShareOfPairs
    | OpenEnds
    | GainOfLikelihood
    | TopOfList
    | None
)


class Equivalent(NamedTuple):
    """The measure that this one is another form of, for given data, and how it follows from it, in words.

    `without_ties`: only where no two cases share a score.
    """

    to: str
    how: str
    without_ties: bool = False


# How a linear classifier is trained for a measure: by which search for the table, or order, that violates most. Rows or
# diagonals of the plane of tables (boxes, for other measures of one cut); pairs of cases; the precisions at the
# positives; the first negatives of the list; the places of a quota; the places beyond those that all positives need;
# the losses of single cases.
Training = Literal["rows", "diagonals", "pairs", "precisions", "first_negatives", "quota", "later_places", "cases"]
