"""The statistical form of a measure (a proportion, a ratio, a mean of cases, ...): it decides intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts

_ROUNDING = 1e-12  # by which equal heights may differ


class PairedShare(NamedTuple):
    """A proportion with the same denominator for every model, so that McNemar's test applies.

    `among` is True where the denominator is the positive cases, False for the negative ones, and None for all cases;
    `what` says which of these cases the numerator counts.
    """

    among: bool | None
    what: Literal["flagged", "right", "wrong"]


class Proportion(NamedTuple):
    """A share of cases: `of` returns the numerator and the denominator from the counts of one cut.

    `then` turns the share into the measure, if it is not the share itself; it must be increasing.
    """

    of: Callable[[Counts], tuple[Any, Any]]
    then: Callable[[Any], Any] = float
    paired: PairedShare | None = None


class Ratio(NamedTuple):
    """A ratio of two shares (or two odds) of different cases.

    Each share is named by two fields of `Counts`: the cases that have the property, and those that lack it.
    """

    above: tuple[str, str]
    below: tuple[str, str]
    odds: bool = False


class SumOfRates(NamedTuple):
    """A linear function of recall + specificity: two shares of different cases, so they are independent.

    With `of_flags` it is a linear function of precision + negative predictive value.
    """

    slope: float
    intercept: float
    of_flags: bool = False


class LinearInAuc(NamedTuple):
    """A linear function of the AUC: `of` returns slope and intercept from the class sizes and the parameters."""

    of: Callable[..., tuple[Any, Any]]


def _never(**_: Any) -> bool:
    return False


class MeanOfCases(NamedTuple):
    """A mean over the cases: `of` returns what a positive, and what a negative, of each score contributes.

    `is_smooth` says, given the parameters, whether that is a smooth function of the probability (`core.blocks`).
    """

    of: Callable[..., tuple[Array, Array]]
    is_smooth: Callable[..., bool] = _never


class RankStatistic(NamedTuple):
    """A smooth measure of the order of the cases, with its influence function.

    `influence` returns, for each score, by how much one more positive there changes the measure, and one more negative.
    """

    influence: Callable[[Any], tuple[Array, Array]]


class Moments(NamedTuple):
    """The number of terms of a sum, and the sums of their squares and of their fourth powers."""

    number: Any
    second: Any
    fourth: Any

    def plus(self, other: Moments) -> Moments:
        """Return the moments of the terms of both sums."""
        return Moments(*(moment + added for moment, added in zip(self, other, strict=True)))


class VarianceFormula(NamedTuple):
    """A measure whose variance has a formula, or several: by the name of the method, the default first.

    The variance is that of the measure, or of its logarithm, as `scale` says ("identity" or "log"): whichever is
    closer to normal. `robust` names the method with the fewest assumptions: if its interval is wider than that of
    another method, a note says so. `moments` returns the moments of the influence values, which give the degrees of
    freedom of the robust variance.
    """

    methods: Mapping[str, Callable[..., Any]]
    scale: str = "identity"
    robust: str = ""
    moments: Callable[..., Moments] | None = None


class CalibrationError(NamedTuple):
    """A distance of the probabilities from the observed frequencies: 0 if calibrated, and biased upwards by chance.

    `of_places`: single points of the calibration curve decide it, as in a maximum, a quantile or a mean of squares.
    """

    of_places: bool = False


class MaximumOverCuts(NamedTuple):
    """A maximum over all cuts (or over what `over` names), which is biased upwards.

    `of_all` returns the maximised value at every cut of a ranking, where a single cut is the best. `of_peaks`: it
    depends most on scores where positives are dense, which smoothing with a wide kernel would flatten.
    """

    over: str = "cuts"
    of_all: Callable[..., Any] | None = None
    of_peaks: bool = False


def find_best_cuts(heights: Any) -> Array:
    """Return the indices of the maxima, in the order of the list; values that differ only by rounding are equal.

    >>> find_best_cuts([0.0, 1 / 3, 0.2, 1 - 2 / 3]).tolist()
    [1, 3]
    """
    known = np.asarray(heights)
    return np.flatnonzero(known >= known.max() - _ROUNDING * max(1.0, abs(float(known.max()))))


class CurvePoint(NamedTuple):
    """A point of the ROC or precision-recall curve: its height where the parameter `fixed` sets the other rate."""

    height: Literal["recall", "specificity", "precision", "recall_at_precision"]
    fixed: str

    @property
    def is_searched(self) -> bool:
        """Whether the cut is the best one of those that reach the fixed rate."""
        return self.height == "recall_at_precision"


class PartialArea(NamedTuple):
    """An area over a part of one rate's axis. Given the parameters, `range` returns its lowest and highest value.

    `shares` returns, given the parameters, the shares of the positives and of the negatives in that part.
    """

    range: Callable[..., tuple[float, float]]
    shares: Callable[..., tuple[float, float]] = lambda **_: (1.0, 1.0)


class FunctionOfPrevalence(NamedTuple):
    """A function of the share of positives alone, with the parameters of the measure."""

    of: Callable[..., Any]


class ShareOfPairs(NamedTuple):
    """A share of all pairs of a positive and a negative case.

    `of` returns, for each score, the share of the negatives with which a positive there has the property, and the
    share of the positives with which a negative there has it.
    """

    of: Callable[[Any], tuple[Array, Array]]


class OpenEndedArea(NamedTuple):
    """An area under straight lines between the cuts, whose two ends depend on rare scores that a sample may lack.

    `lost` returns, given the parameters, how much larger the area could be with rarer scores at its ends.
    """

    lost: Callable[..., float]


class LogLossTransform(NamedTuple):
    """A decreasing function of the log loss, given `null`, the log loss of always predicting the prevalence.

    `loss` maps values of the measure to log losses, and `back` a log loss to the value of the measure.
    """

    loss: Callable[[Array, float], Array]
    back: Callable[[float, float], float]


class TopOfList(NamedTuple):
    """A measure that depends on the first cases of the list: `share` returns, given the parameters, on which share.

    `most` returns its value for a perfect order of a list with a given prevalence.
    """

    share: Callable[..., float]
    most: Callable[..., float] = lambda prevalence, **_: 1.0


Form = (
    Proportion
    | Ratio
    | SumOfRates
    | LinearInAuc
    | MeanOfCases
    | RankStatistic
    | VarianceFormula
    | CalibrationError
    | MaximumOverCuts
    | CurvePoint
    | PartialArea
    | FunctionOfPrevalence
    | ShareOfPairs
    | OpenEndedArea
    | LogLossTransform
    | TopOfList
    | None
)


class Equivalent(NamedTuple):
    """The measure of which this one is a function, for given data, and how it follows from it, in words.

    `without_ties`: only if no two cases share a score.
    """

    to: str
    how: str
    without_ties: bool = False


# How `cutline.training` finds the most violated constraint (Joachims 2005) when it trains a linear classifier for a
# measure: the set of candidates that is searched.
ConstraintSearch = Literal[
    "rows",  # contingency tables, by rows of their plane; measures of one cut that name nothing: by boxes of it
    "diagonals",  # contingency tables, by diagonals of their plane
    "pairs",  # orders, by pairs of a positive and a negative (AUC)
    "precisions",  # orders, by the precision at each positive (average precision)
    "first_negatives",  # orders, by the first negatives of the list (partial AUC)
    "quota",  # tables with a fixed number of flagged cases
    "later_places",  # orders, by the places beyond those that all positives need
    "cases",  # none: the loss is a sum over single cases
]
