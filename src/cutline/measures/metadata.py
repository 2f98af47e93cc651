"""Metadata of measures: reference values, parameters, and conditions under which they are undefined."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Numbers
from cutline.core.counts import divide
from cutline.core.errors import ParameterError, shorten_repr


class Context(NamedTuple):
    """The properties of the data on which reference values may depend."""

    prevalence: float
    flagged: float = 0.5
    n: float = 1.0
    threshold: float = math.nan


@dataclass(frozen=True)
class ReferenceValue:
    """The value of a perfect model, or the baseline: as a formula to print and as a function."""

    latex: str
    function: Callable[..., float]

    def at(self, context: Context, **parameters: Any) -> float:
        """Return the value in a context, with the measure's parameters.

        Args:
            context: The data: its prevalence, its number of cases, and so on.
            **parameters: The parameters of the measure.
        """
        try:
            return float(self.function(context, **parameters))
        except (ArithmeticError, ValueError):  # such as the odds of a class that has no case
            return math.nan


def make_constant(value: float) -> ReferenceValue:
    """Make a reference value that is constant."""
    latex = {math.inf: r"\infty", -math.inf: r"-\infty"}.get(value, f"{value:g}")
    return ReferenceValue(latex, lambda s, **_: value)


PREVALENCE = ReferenceValue(r"\pi", lambda s, **_: s.prevalence)
FLAGGED = ReferenceValue("q", lambda s, **_: s.flagged)


@dataclass(frozen=True)
class UndefinedWhen:
    """A condition under which a measure is undefined: in words, and as a test of its data."""

    words: str
    holds: Callable[..., Any]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: its meaning and its allowed values."""

    words: str
    low: float = -math.inf
    high: float = math.inf
    includes_low: bool = True
    includes_high: bool = True
    choices: tuple[Any, ...] = ()
    whole: bool = False
    example: Any = None

    def check(self, name: str, value: Any, default: Any) -> None:
        """Raise if a value is outside the domain.

        Args:
            name: The name of the parameter.
            value: The value that was passed.
            default: Its default, which is always allowed.
        """
        value = bool(value) if isinstance(value, np.bool_) else value
        if any(value is choice or (isinstance(value, str) and value == choice) for choice in (*self.choices, default)):
            return
        if not self._is_number_inside(value):
            is_infinite = isinstance(value, float) and math.isinf(value)
            domain = self._describe_domain("finite " if is_infinite and self.high < math.inf else "")
            raise ParameterError(f"is {shorten_repr(value)}", f"pass {domain}", argument=name)

    @property
    def _takes_numbers(self) -> bool:
        return not self.choices or self.low > -math.inf or self.high < math.inf

    def _is_number_inside(self, value: Any) -> bool:
        if isinstance(value, bool | np.timedelta64) or not isinstance(value, int | float | np.integer | np.floating):
            return False
        value = value.item() if isinstance(value, np.generic) else value  # comparisons of numpy.float32 could overflow
        above = value >= self.low if self.includes_low else value > self.low
        below = value <= self.high if self.includes_high else value < self.high
        is_whole = isinstance(value, int) or value.is_integer()  # which infinity is not
        return bool(self._takes_numbers and above and below and (is_whole or not self.whole))

    @property
    def domain(self) -> str:
        """Allowed values, in words."""
        return self._describe_domain()

    def _describe_domain(self, prefix: str = "") -> str:
        *others, last = [repr(choice) for choice in self.choices] or [""]
        named = f"{', '.join(others)} or {last}" if others else last
        if not self._takes_numbers:
            return named
        low = "" if self.low == -math.inf else f"{'of at least' if self.includes_low else 'above'} {self.low:g}"
        high = "" if self.high >= 1e6 else f"{'up to' if self.includes_high else 'below'} {self.high:g}"
        closed = bool(low and high and self.includes_low and self.includes_high)
        bounds = f"from {self.low:g} to {self.high:g}" if closed else " and ".join(part for part in (low, high) if part)
        number = f"a {prefix}{'whole ' if self.whole else ''}number {bounds}".rstrip()
        return f"{named} or {number}" if named else number


NULL_PREVALENCE = Parameter(
    "prevalence that the null model knows; the data's own by default", low=0, high=1, includes_low=False, example=0.5
)


def compute_null_share(positives: Numbers, total: Numbers, prevalence: float | None) -> Any:
    """Return the share of positives that the null model expects: the given one, or the share in the data."""
    return divide(positives, total) if prevalence is None else prevalence


NO_CASE = UndefinedWhen("there is no case", lambda d, **_: d.total == 0)
NO_POSITIVE = UndefinedWhen("there is no positive case", lambda d, **_: d.positives == 0)
NO_NEGATIVE = UndefinedWhen("there is no negative case", lambda d, **_: d.negatives == 0)
NONE_FLAGGED = UndefinedWhen("no case is flagged", lambda c, **_: c.flagged == 0)
ALL_FLAGGED = UndefinedWhen("every case is flagged", lambda c, **_: c.unflagged == 0)
ONE_CLASS = (NO_POSITIVE, NO_NEGATIVE)
FRACTIONAL_WEIGHTS = UndefinedWhen(
    "the weights are not whole numbers, and the average runs over whole places of the list",
    lambda r, **_: not r.integral,
)
INFINITE_SCORES = UndefinedWhen("a score is infinite", lambda r, **_: not np.isfinite(r.score[[0, -1]]).all())
