"""What a test asks of a difference: none at all, one direction, not worse by a margin, or alike within a margin."""

from __future__ import annotations

import math
from typing import NamedTuple

from cutline.core.errors import Argument, ParameterError, Text
from cutline.core.validation import check_choice, check_number
from cutline.inference.caveats import EQUAL
from cutline.inference.differences.difference import Difference
from cutline.measures import Measure

ALTERNATIVES = ("two-sided", "greater", "less", "non-inferior", "superior", "equivalent")
_WITH_MARGIN = ("non-inferior", "superior", "equivalent")


class Hypothesis(NamedTuple):
    """What is to be shown of a - b.

    `greater` and `less` are of the numbers. `non-inferior` is that a is not worse than b by the margin or more,
    `superior` that it is better by more than the margin, `equivalent` that they differ by less than it, either way.
    """

    alternative: str = "two-sided"
    margin: float = 0.0

    @property
    def is_two_sided(self) -> bool:
        """Whether any difference will do."""
        return self.alternative == "two-sided"

    def p_value(self, difference: Difference, measure: Measure) -> float:
        """Return how compatible the data are with the opposite."""
        if self.is_two_sided:
            return difference.p_value()
        if self.alternative in ("greater", "less"):
            return one_sided(difference, 0.0, upward=self.alternative == "greater")
        if self.alternative == "equivalent":
            return max(
                one_sided(difference, -self.margin, upward=True), one_sided(difference, self.margin, upward=False)
            )
        upward = measure.better != "lower"
        shift = self.margin if self.alternative == "superior" else -self.margin
        return one_sided(difference, shift if upward else -shift, upward=upward)


def hypothesis(alternative: str, margin: float | None, measure: Measure) -> Hypothesis:
    """Return the hypothesis, if it makes sense for the measure."""
    check_choice(alternative, "alternative", ALTERNATIVES)
    if alternative not in _WITH_MARGIN:
        if margin is not None:
            raise ParameterError(
                f"is given, but alternative is {alternative!r}",
                f"pass alternative={' or '.join(map(repr, _WITH_MARGIN))}, or leave it out",
                argument="margin",
            )
        return Hypothesis(alternative)
    if margin is None and alternative != "superior":
        way_out = Text("pass ", Argument("margin"), ", the largest loss that does not matter")
        raise ParameterError(f"is {alternative!r}, and needs a margin", way_out, argument="alternative")
    size = 0.0 if margin is None else check_number(margin, "margin")
    if not 0 <= size < math.inf or (size == 0 and alternative != "superior"):
        raise ParameterError(f"is {size:g}", "pass a number above 0", argument="margin")
    if measure.better is None and alternative != "equivalent":
        what = f"{measure.name} is neither good nor bad when it grows"
        raise ParameterError(what, "pass 'greater', 'less' or 'equivalent'")
    return Hypothesis(alternative, size)


def one_sided(difference: Difference, null: float, *, upward: bool) -> float:
    """Return the p-value of a true difference that is at most `null`, or with `upward` false at least that."""
    two, gap = difference.p_value(null), difference.value - null
    if math.isnan(two) or math.isnan(gap):
        return math.nan
    if abs(gap) <= EQUAL:
        return 0.5
    return two / 2 if (gap > 0) == upward else 1 - two / 2
