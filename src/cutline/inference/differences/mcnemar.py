"""Two models' decisions on the same cases: McNemar's test, Tango's interval, Kosinski's test of predictive values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.validation import check_choice, check_level, check_number
from cutline.inference.resampling.pairing import Pairing
from cutline.measures import PairedShare

_LEVEL = 0.05
Variant = Literal["exact", "midp", "asymptotic", "corrected", "unconditional"]
_SHARES = 1000  # shares of discordant cases that the unconditional test tries
# By measure: whether it is a share of the flagged cases, and whether it counts positives.
PREDICTIVE_VALUES = {
    "precision": (True, True),
    "fdr": (True, False),
    "npv": (False, False),
    "false_omission_rate": (False, True),
}
_MOST = 20_000  # cases, up to which the unconditional test is computed: beyond, all variants agree


@dataclass(frozen=True)
class Discordance:
    """Numbers of discordant cases among n: with the first model only, and with the second only."""

    first: int
    second: int
    n: int

    @property
    def value(self) -> float:
        """Difference of the two shares."""
        return (self.first - self.second) / self.n if self.n else math.nan

    @property
    def se(self) -> float:
        """Standard error of the difference."""
        b, c, n = self.first, self.second, self.n
        return math.sqrt(max(b + c - (b - c) ** 2 / n, 0)) / n if n else math.nan

    def p_value(self, null: float = 0.0) -> float:
        """Return the p-value of Tango's score test; of no difference it is McNemar's asymptotic test."""
        from scipy.special import ndtr

        null = check_number(null, "null")
        if not -1 <= null <= 1:
            raise ParameterError(f"is {null:g}", "pass a difference of shares from -1 to 1", argument="null")
        return float(2 * ndtr(-abs(self._z(null))))

    def interval(self, level: float) -> tuple[float, float]:
        """Return Tango's score interval (1998): the differences that the score test does not reject."""
        from scipy.optimize import brentq
        from scipy.special import ndtri

        if not (isinstance(level, int | float) and level == 0):  # of no confidence: a confidence curve begins with it
            level = check_level(level)
        if not self.n:
            return math.nan, math.nan
        z, value = float(ndtri((1 + level) / 2)), self.value
        if z <= 1e-9:  # the interval of no confidence is the value; rounding would leave no change of sign to find
            return value, value
        low = brentq(lambda d: self._z(d) - z, -1, value, xtol=1e-12) if value > -1 else -1.0
        high = brentq(lambda d: self._z(d) + z, value, 1, xtol=1e-12) if value < 1 else 1.0
        return float(low), float(high)

    def _z(self, null: float) -> float:
        """Return the score statistic of a difference, with the variance under the null hypothesis."""
        b, c, n = self.first, self.second, self.n
        gap = b - c - n * null
        linear = -b - c + (2 * n - b + c) * null
        constant = -c * null * (1 - null)
        likeliest = (math.sqrt(max(linear**2 - 8 * n * constant, 0)) - linear) / (4 * n)
        variance = n * (2 * likeliest + null * (1 - null))
        if variance <= 1e-12 * n:
            return 0.0 if abs(gap) <= 1e-9 else math.copysign(1e9, gap)
        return gap / math.sqrt(variance)


@dataclass(frozen=True)
class MidpDifference:
    """A difference of two shares: Tango's score interval, and of no difference McNemar's mid-p test.

    Where Tango's interval and the mid-p test disagree about 0, the limit is moved to 0.

    >>> MidpDifference(Discordance(first=6, second=0, n=40)).interval(0.95)[0] > 0
    True
    """

    table: Discordance

    @property
    def value(self) -> float:
        """Difference of the two shares."""
        return self.table.value

    @property
    def se(self) -> float:
        """Standard error of the difference."""
        return self.table.se

    def p_value(self, null: float = 0.0) -> float:
        """Return the p-value of a difference."""
        return mcnemar(self.table) if null == 0 else self.table.p_value(null)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the limits at a level."""
        low, high = self.table.interval(level)
        is_rejected = self.p_value() <= 1 - level
        if math.isnan(low) or is_rejected != (low <= 0 <= high):
            return low, high
        if not is_rejected:
            return min(low, 0.0), max(high, 0.0)
        beyond = math.ulp(0.0)  # the smallest number: 0 itself is not in the interval
        return (beyond, high) if self.value > 0 else (low, -beyond)


@public
def mcnemar(table: Discordance, variant: Variant = "midp") -> float:
    """Return the p-value of no difference, given the discordant cases: 1 when there are none.

    Args:
        table: The cases that only the first model, and only the second, gets right.
        variant: "exact" is the two-sided binomial test, which errs too rarely; "midp" counts the observed table
            half and comes nearest to its level; "asymptotic" is the chi-square test without continuity correction,
            and "corrected" the one with it. "unconditional" (Suissa and Shuster 1991) is exact too, but looks at all
            tables of n cases, not only at those with as many discordant ones: nearly as powerful as "midp".

    >>> table = Discordance(first=8, second=1, n=100)
    >>> variants = ("exact", "midp", "asymptotic", "corrected", "unconditional")
    >>> [round(mcnemar(table, variant), 4) for variant in variants]
    [0.0391, 0.0215, 0.0196, 0.0455, 0.021]
    """
    from scipy.special import bdtr, chdtrc

    if not isinstance(table, Discordance):
        raise InputError(f"is {shorten_repr(table)}", "pass Discordance(first=8, second=1, n=100)", argument="table")
    check_choice(variant, "variant", get_args(Variant))
    fewer, discordant = min(table.first, table.second), table.first + table.second
    if variant in ("asymptotic", "corrected"):
        gap = max(abs(table.first - table.second) - (variant == "corrected"), 0)  # Edwards (1948)
        return float(chdtrc(1, gap**2 / discordant)) if discordant else 1.0
    if variant == "unconditional":
        return _unconditional(table)
    tail = float(bdtr(fewer, discordant, 0.5))
    below = float(bdtr(fewer - 1, discordant, 0.5)) if fewer else 0.0
    return min(1.0, 2 * tail if variant == "exact" else tail + below)


def _unconditional(table: Discordance) -> float:
    """Return the largest chance, over all shares of discordant cases, of a table as far from even as this one."""
    from scipy.special import bdtr, gammaln, xlog1py, xlogy

    n, discordant, gap = table.n, table.first + table.second, abs(table.first - table.second)
    if not gap:
        return 1.0
    if n > _MOST:
        raise ParameterError(
            f"mcnemar_unconditional is for up to {_MOST:,} cases, and there are {n:,}", "pass 'mcnemar_midp'"
        )
    number = np.arange(1, n + 1)
    few = np.floor((number - gap / math.sqrt(discordant) * np.sqrt(number)) / 2 + 1e-9)  # of the rarer kind, at most
    extreme = np.where(few >= 0, np.minimum(2 * bdtr(np.maximum(few, 0), number, 0.5), 1.0), 0.0)
    ways = gammaln(n + 1) - gammaln(number + 1) - gammaln(n - number + 1)
    worst = 0.0
    for share in np.linspace(1 / _SHARES, 1, _SHARES):
        chance = np.exp(ways + xlogy(number, share) + xlog1py(n - number, -share))
        worst = max(worst, float(chance @ extreme))
    return min(1.0, worst)


def warn_of_few_discordant(table: Discordance, variant: Variant) -> list[str]:
    """Return a warning where even the clearest outcome of so few discordant cases would not be significant."""
    discordant = table.first + table.second
    least = mcnemar(Discordance(discordant, 0, max(table.n, discordant)), variant)
    if least <= _LEVEL:
        return []
    cases = "no case" if not discordant else "1 case" if discordant == 1 else f"{discordant} cases"
    why = f"The models decide differently on {cases}: p cannot fall below {least:.2g}"
    return [f"{why}, so the test cannot reject here, and its actual error rate is 0."]


def count_discordant(pairing: Pairing, flags: Sequence[Array], share: PairedShare) -> Discordance:
    """Return the discordant cases of two models from the flags of each cell, by what the measure is a share of."""
    among, what = share
    inside = np.full(len(pairing), True) if among is None else pairing.is_positive == among
    happens = flags if what == "flagged" else [(flag == pairing.is_positive) == (what == "right") for flag in flags]
    first, second = (int(pairing.cases[inside & happens[i] & ~happens[1 - i]].sum()) for i in (0, 1))
    return Discordance(first, second, int(pairing.cases[inside].sum()))


def weighted_generalised_score(pairing: Pairing, flags: Sequence[Array], measure: str) -> float:
    """Return the p-value of equal predictive values (Kosinski 2013).

    Args:
        pairing: The cases.
        flags: Which cells each model flags.
        measure: Which of the predictive values.
    """
    from scipy.special import chdtrc

    of_flagged, of_positive = PREDICTIVE_VALUES[measure]
    chosen = [flag == of_flagged for flag in flags]
    hit = pairing.is_positive == of_positive
    sizes = [float(pairing.cases[mask].sum()) for mask in chosen]
    hits = [float(pairing.cases[mask & hit].sum()) for mask in chosen]
    if not all(sizes):
        return math.nan
    pooled, both = sum(hits) / sum(sizes), chosen[0] & chosen[1]
    joint_hits, joint = float(pairing.cases[both & hit].sum()), float(pairing.cases[both].sum())
    shared = (joint_hits * (1 - pooled) ** 2 + (joint - joint_hits) * pooled**2) / sum(sizes)
    gap = hits[0] / sizes[0] - hits[1] / sizes[1]
    variance = (pooled * (1 - pooled) - 2 * shared) * (1 / sizes[0] + 1 / sizes[1])
    if variance <= 1e-15:
        return 1.0 if abs(gap) < 1e-12 else math.nan
    return float(chdtrc(1, gap**2 / variance))
