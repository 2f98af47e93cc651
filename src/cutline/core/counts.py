"""The contingency table of a cut, and the division that all measures use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.errors import InputError, ParameterError, UnavailableError, hint_similar
from cutline.core.escaping import html_text
from cutline.core.measure_attributes import EveryCountMeasure
from cutline.core.public import public
from cutline.core.table import Table
from cutline.core.validation import check_flag, check_number

CLASSES = ("positive", "negative")  # what tables call them, where they have no names of their own


@dataclass(frozen=True, eq=False)
class Counts(EveryCountMeasure):
    """The contingency table of one cut, or of many: each field is a number or an array of numbers.

    Every measure of one cut is an attribute.

    >>> table = Counts(tp=3, fp=1, fn=2, tn=4)
    >>> table.precision, table.recall
    (0.75, 0.6)
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    threshold: Any = float("nan")
    is_risk: bool = True  # whether the threshold can be read as a probability of the positive class
    class_titles: tuple[str, str] = CLASSES  # what a table calls the cases that are positive, and the others

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            object.__setattr__(self, name, check_count(getattr(self, name), name))
        is_numpys = isinstance(self.threshold, np.ndarray | np.number) and self.threshold.dtype.kind in "iuf"
        if not (is_numpys or isinstance(self.threshold, float)):
            object.__setattr__(self, "threshold", check_number(self.threshold, "threshold"))
        check_flag(self.is_risk, "is_risk")
        if self.class_titles is not CLASSES and not _are_titles(self.class_titles):
            raise ParameterError(
                "must be the names of two classes", 'pass a pair such as ("ill", "well")', argument="class_titles"
            )

    @property
    def positives(self) -> Any:
        """P, the weight of the cases that are positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """N, the weight of the cases that are negative."""
        return self.fp + self.tn

    @property
    def flagged(self) -> Any:
        """O+, the weight of the cases that are predicted positive."""
        return self.tp + self.fp

    @property
    def unflagged(self) -> Any:
        """O-, the weight of the cases that are predicted negative."""
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        """n, the weight of all cases."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def shares(self) -> Counts:
        """The same table as joint shares of all cases, which add up to 1.

        >>> Counts(tp=4, fp=1, fn=1, tn=2).shares
        Counts(tp=0.5, fp=0.125, fn=0.125, tn=0.25)
        """
        total = self.total
        if np.any(np.asarray(total) == 0):
            raise InputError("The table holds no cases, so there are no shares", "pass counts above zero")
        cells = (self.tp / total, self.fp / total, self.fn / total, self.tn / total)
        return Counts(*cells, self.threshold, self.is_risk, self.class_titles)

    if not TYPE_CHECKING:  # which knows the measures by name

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise UnavailableError(f"Counts has no {name!r}.")
            from cutline import MEASURES  # the measures import Counts

            if name in MEASURES:
                measure = MEASURES[name]
                if measure.needs.name == "COUNTS":
                    return measure(self)
                raise UnavailableError(
                    f"Counts has no attribute {name!r}, which needs {measure.needs.value}", "use the ranking"
                )
            hint = hint_similar(name, [known for measure in MEASURES.search(needs="counts") for known in measure.names])
            raise UnavailableError(
                f"Counts has no attribute {name!r}: it is neither a count nor a measure of one cut.{hint}"
            )

    @classmethod
    def independent(cls, prevalence: float, flagged: float) -> Counts:
        """Return the table of a model that flags a share of the cases whatever their class.

        Args:
            prevalence: The share of the cases that are positive.
            flagged: The share of the cases that are flagged.
        """
        prevalence, flagged = check_number(prevalence, "prevalence"), check_number(flagged, "flagged")
        return cls(
            tp=prevalence * flagged,
            fp=(1 - prevalence) * flagged,
            fn=prevalence * (1 - flagged),
            tn=(1 - prevalence) * (1 - flagged),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("tp", "fp", "fn", "tn"))

    __hash__ = None  # type: ignore[assignment]

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the threshold and the counts as a data frame, a row for each cut."""
        names = ("threshold", "tp", "fp", "fn", "tn")
        columns = np.broadcast_arrays(*(np.atleast_1d(getattr(self, name)) for name in names))
        rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
        return Table(names, tuple(rows)).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the threshold (None when it is not finite) and the four counts, as plain numbers or lists."""
        threshold = np.asarray(self.threshold, dtype=float)
        known = threshold.astype(object)
        known[~np.isfinite(threshold)] = None
        return {"threshold": known.tolist()} | {
            name: np.asarray(getattr(self, name)).tolist() for name in ("tp", "fp", "fn", "tn")
        }

    def __repr__(self) -> str:
        cells = ", ".join(f"{name}={format_number(getattr(self, name))}" for name in ("tp", "fp", "fn", "tn"))
        at = (
            ""
            if np.ndim(self.threshold) or np.isnan(self.threshold)
            else f", threshold={format_number(self.threshold)}"
        )
        return f"Counts({cells}{at})"

    def _repr_html_(self) -> str:
        if np.ndim(self.tp):
            return f"<code>{self!r}</code>"
        rows = (
            ("predicted positive", self.tp, self.fp, self.flagged),
            ("predicted negative", self.fn, self.tn, self.unflagged),
            ("all", self.positives, self.negatives, self.total),
        )
        body = "".join(
            f"<tr><th scope='row'>{row[0]}</th>" + "".join(f"<td>{format_number(n)}</td>" for n in row[1:]) + "</tr>"
            for row in rows
        )
        head = "".join(f"<th scope='col'>{html_text(title)}</th>" for title in (*self.class_titles, "all"))
        return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


class TrustedCounts(Counts):
    """Counts that are right by construction, or symbols of a traced definition: nothing is checked."""

    def __post_init__(self) -> None:
        """Check nothing: a search for the worst of many tables would spend a tenth of its time on it."""


def check_count(value: Any, name: str) -> Any:
    """Return a number or an array of numbers, in a type whose sums do not overflow; never below zero but by
    rounding.
    """
    number = value
    if not isinstance(value, int | float):  # Python's own numbers know no bounds
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different lengths
            array = np.asarray(None)
        if array.dtype.kind not in "biuf":
            raise InputError(f"is {value!r}", "pass a count or an array of counts", argument=name)
        is_large = array.dtype.kind == "u" and array.size > 0 and array.max() > 2**62
        with np.errstate(over="ignore"):  # a wider float
            number = array.astype(float if is_large or array.dtype.kind == "f" else np.int64, copy=False)[()]
    elif abs(value) > 2**62:
        number = check_number(value, name)
    if not np.min(number, initial=0) > -1e-6:  # NaN included
        raise InputError(f"is {format_number(np.min(number))}", "pass counts of zero or more", argument=name)
    return number


_SCALARS = (np.int64, np.float64)


def divide(numerator: Any, denominator: Any) -> Any:
    """Divide without warnings: 0/0 is NaN, x/0 is infinite. All measures divide by this function.

    >>> float(divide(1, 4)), float(divide(1, 0)), float(divide(0, 0))
    (0.25, inf, nan)
    """
    if isinstance(numerator, (int, float)):  # Python's own know no bounds
        numerator = np.float64(numerator)
    if isinstance(denominator, (int, float)):
        denominator = np.float64(denominator)
    if type(denominator) in _SCALARS and 1 <= denominator < math.inf:  # nothing to warn of: no quotient is larger
        return numerator / denominator
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.true_divide(numerator, denominator)


def as_floats(value: Any) -> Any:
    """Return counts as floats, whose products cannot overflow as integers do; a symbol of a traced definition stays
    one.
    """
    return np.multiply(np.float64(value) if isinstance(value, (int, float)) else value, 1.0)


def format_number(number: Any) -> str:
    """Return a number without a decimal point where it has no decimals.

    >>> format_number(np.float64(3.0)), format_number(2.5), format_number(12345)
    ('3', '2.5', '12345')
    """
    if np.ndim(number):
        return np.array2string(np.asarray(number), threshold=8)
    return f"{int(number)}" if np.isfinite(number) and number == int(number) else f"{float(number):.6g}"


_LONG = 10_000  # from which on thousands have a comma


def add_commas(count: Any) -> str:
    """Return a count as a sentence or a table shows it: commas between the thousands of a large number.

    >>> add_commas(569), add_commas(200_000), add_commas(12345.5)
    ('569', '200,000', '12,345.5')
    """
    whole, point, rest = format_number(count).partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.isdigit() and int(whole) >= _LONG else format_number(count)


def _are_titles(titles: Any) -> bool:
    return isinstance(titles, tuple | list) and len(titles) == 2 and all(isinstance(title, str) for title in titles)
