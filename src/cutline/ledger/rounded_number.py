"""A printed number: its value, and how far rounding may have moved it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.errors import ParameterError, briefly
from cutline.core.validation import check_whole

_NUMBER = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?\s*(%?)")
_SLACK = 1e-9  # relative: what sums in another order make


@dataclass(frozen=True)
class Printed:
    """A printed number; `reach` is half a unit of its last digit, and `digits` how many of them say something."""

    text: str
    value: float
    reach: float
    digits: int

    def fits(self, value: float, spread: float = 0.0) -> bool:
        """Whether a value prints as this number, or would with a seed that moves it by some spread."""
        return abs(value - self.value) <= self.reach * (1 + 1e-6) + _SLACK * abs(value) + spread

    def distance(self, value: float) -> float:
        """Return how far a value is from this number, in units of its last digit."""
        return abs(value - self.value) / (2 * self.reach)


def printed(value: Any, digits: int | None = None) -> Printed:
    """Return a number as it was printed: a text keeps zeros at its end, a float has the digits that repr() shows.

    Args:
        value: The number, as text or as a float; "87.3%" is 0.873.
        digits: How many decimals it was rounded to, where zeros at the end are lost.

    >>> found = printed("0.8730")
    >>> found.value, found.reach, found.digits
    (0.873, 5e-05, 4)
    """
    text = value.strip() if isinstance(value, str) else _of_number(value)
    match = _NUMBER.fullmatch(text)
    if not match:
        raise ParameterError(
            f"is {briefly(value)}", "pass the number that was printed, such as 0.8731", argument="value"
        )
    sign, mantissa, exponent, percent = match.groups()
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * bool(percent)
    if digits is not None:
        decimals = check_whole(digits, "digits", 0)
    number = float(f"{sign}{mantissa}e{exponent or 0}") / (100 if percent else 1)
    if not math.isfinite(number):
        raise ParameterError(f"is {briefly(value)}", "pass a finite number, such as 0.8731", argument="value")
    reach = 0.5 * 10.0 ** -min(max(decimals, -300), 300)
    return Printed(text, number, reach, _significant(number, decimals))


def _of_number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return "" if value is None or not isinstance(value, int) else "?"
    return str(value) if isinstance(value, np.floating) else repr(value)


def _significant(number: float, decimals: int) -> int:
    """Return how many digits tell: those after the point, and those before it that are not leading zeros."""
    before = len(str(int(abs(number)))) if abs(number) >= 1 else 0
    return max(before + decimals, 0)
