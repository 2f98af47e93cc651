"""The quantities, which are the rows of the tables of methods for one model and for two.

A measure declares its form (`cutline.measures.forms`). Its methods depend further on whether its cut is made by a
threshold or by a quota: at a quota the cut itself is random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Protocol, TypeVar

from cutline.measures import forms
from cutline.measures.forms import Form


class Quantity(Enum):
    """A quantity, with its description."""

    SHARE = "a share at a threshold"
    SUM_OF_SHARES = "the sum of two shares at a threshold"
    RATIO = "a ratio of two shares at a threshold"
    ODDS_RATIO = "an odds ratio at a threshold"
    THREE_SHARES = "any other function of the counts at a threshold"
    AT_QUOTA = "a measure at a quota or at a share of the list"
    AUC = "the AUC and what is linear in it"
    CURVE_POINT = "one point of the ROC or of the precision-recall curve"
    MEAN = "a mean over the cases"
    SMOOTH = "any other smooth measure of the order or of probabilities"
    GAIN_OF_LIKELIHOOD = "a function of the log loss and of the prevalence"
    TOP_OF_LIST = "a measure of the first cases of the list"
    OPEN_ENDS = "an area under straight lines between cuts"
    BEST_OF_CUTS = "the best over all cuts, or over all recalibrations"
    CALIBRATION_ERROR = "a calibration error"
    STANDARD_ERROR = "the calibration line and the O:E ratio"
    PREVALENCE = "a function of the prevalence"
    PAIRS = "a share of pairs of cases"
    OWN = "a user's function"

    @property
    def is_of_one_cut(self) -> bool:
        """Whether it is a function of the decisions at one cut, by a threshold or by a quota."""
        return self in _OF_ONE_CUT


_OF_ONE_CUT = frozenset(
    {
        Quantity.SHARE,
        Quantity.SUM_OF_SHARES,
        Quantity.RATIO,
        Quantity.ODDS_RATIO,
        Quantity.THREE_SHARES,
        Quantity.AT_QUOTA,
    }
)

_AT_THRESHOLD: Mapping[type, Quantity] = {
    forms.Proportion: Quantity.SHARE,
    forms.SumOfRates: Quantity.SUM_OF_SHARES,
    forms.Ratio: Quantity.RATIO,
}
_OF_ALL_CASES: Mapping[type, Quantity] = {
    forms.LinearInAuc: Quantity.AUC,
    forms.CurvePoint: Quantity.CURVE_POINT,
    forms.MeanOfCases: Quantity.MEAN,
    forms.LogLossTransform: Quantity.GAIN_OF_LIKELIHOOD,
    forms.TopOfList: Quantity.TOP_OF_LIST,
    forms.OpenEndedArea: Quantity.OPEN_ENDS,
    forms.MaximumOverCuts: Quantity.BEST_OF_CUTS,
    forms.CalibrationError: Quantity.CALIBRATION_ERROR,
    forms.VarianceFormula: Quantity.STANDARD_ERROR,
    forms.FunctionOfPrevalence: Quantity.PREVALENCE,
    forms.ShareOfPairs: Quantity.PAIRS,
}


def find_quantity(form: Form, *, is_of_counts: bool, by_quota: bool) -> Quantity:
    """Return the quantity of a registered measure.

    Args:
        form: What its definition declares.
        is_of_counts: Whether it is a function of the counts of one cut.
        by_quota: Whether a quota or a share of the list makes the cut.
    """
    if not is_of_counts:
        return _OF_ALL_CASES.get(type(form), Quantity.AT_QUOTA if by_quota else Quantity.SMOOTH)
    if by_quota:
        return Quantity.AT_QUOTA
    quantity = _AT_THRESHOLD.get(type(form), Quantity.THREE_SHARES)
    return Quantity.ODDS_RATIO if isinstance(form, forms.Ratio) and form.odds else quantity


# ---------------------------------------------------------------------- the methods of a row


class TableMethod(Protocol):
    """A method of a table, with the conditions under which it can be chosen."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def applies(self) -> Callable[..., bool]:
        """Return the condition under which it can be chosen by name."""

    @property
    def by_rule(self) -> Callable[..., bool]:
        """Return the further condition under which it is a default."""


Chosen = TypeVar("Chosen", bound=TableMethod)


def always(*_: Any) -> bool:
    """Return True: a condition that always holds."""
    return True


def never(*_: Any) -> bool:
    """Return False: a condition that never holds."""
    return False


def choose_default(row: Iterable[Chosen], subject: Any) -> Chosen:
    """Return the default: the first method of a row whose two conditions hold.

    Args:
        row: The methods of a quantity.
        subject: The estimand, or the two models that are compared.
    """
    return next(method for method in row if method.by_rule(subject) and method.applies(subject))


def find_by_name(row: Iterable[Chosen], name: str, subject: Any) -> Chosen | None:
    """Return the first method of a row that has a name and applies; None if there is none.

    Args:
        row: The methods of a quantity.
        name: The name.
        subject: The estimand, or the two models that are compared.
    """
    return next((method for method in row if method.name == name and method.applies(subject)), None)
