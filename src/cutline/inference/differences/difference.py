"""Differences of two models with their standard errors, intervals, p-values and confidence curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table, format_p, format_value
from cutline.inference.caveats import EQUAL, has_spread
from cutline.inference.resampling.bootstrap import percentile
from cutline.results.estimate import quantile
from cutline.results.method_titles import format_method

_LEVELS = np.concatenate((np.arange(100) / 100, [0.995, 0.999]))


@dataclass(frozen=True, eq=False)
class ConfidenceCurve(ComparedByFields):
    """The limits of the interval at every level, from the lowest lower limit to the highest upper one.

    `x` is a true difference and `y` its p-value, 1 minus the level of the interval that ends there; the curve peaks at
    the difference that was observed, with resamples at their median. Where y is at least 0.05 is the 95 % interval.
    """

    measure: str
    value: float
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    p_value: float
    method: str
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> Array:
        """Level of the interval that ends at each x."""
        return 1 - self.y

    @property
    def table(self) -> Table:
        """Points of the curve."""
        points = zip(self.x.tolist(), self.level.tolist(), self.y.tolist(), strict=True)
        return Table(("difference", "level", "p_value"), tuple(points))

    def to_dict(self) -> dict[str, Any]:
        """Return the curve, ready for JSON."""
        return {
            "measure": self.measure,
            "value": self.value if math.isfinite(self.value) else None,
            "p_value": self.p_value if math.isfinite(self.p_value) else None,
            "method": self.method,
            "points": self.table.to_dict(),
            "notes": list(self.notes),
        }

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the points as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def __repr__(self) -> str:
        head = f"Confidence curve of {self.measure}: {format_value(self.value)}, {len(self.x)} points"
        test = f"p {format_p(self.p_value)} for no difference ({format_method(self.method)})"
        return "\n".join([f"{head}, {test}", *(f"  note: {note}" for note in self.notes)])


def confidence_curve(measure: str, difference: Difference, method: str, notes: tuple[str, ...] = ()) -> ConfidenceCurve:
    """Return the confidence curve of a difference from its intervals at the levels 0 to 0.999."""
    limits = np.array([difference.interval(level) for level in _LEVELS])
    known = ~np.isnan(limits).any(axis=1)
    limits, levels = limits[known], _LEVELS[known]
    x, y = np.concatenate((limits[::-1, 0], limits[:, 1])), 1 - np.concatenate((levels[::-1], levels))
    return ConfidenceCurve(measure, difference.value, x, y, difference.p_value(), method, notes)


_LARGEST_Z = 7.13  # the normal quantile of a level of 1 - 1e-12, beyond which no interval is looked at
_FARTHEST = 1e100  # in place of infinity in a root search
POWER = 0.8  # of the number of cases that a sentence names


class Difference(Protocol):
    """A difference of two models with a p-value for any null value and limits at any level."""

    @property
    def value(self) -> float:
        """Observed difference."""

    @property
    def se(self) -> float:
        """Standard error."""

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of a true difference of `null`."""

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence limits at a level."""


class Outcome(NamedTuple):
    """The difference by a method, and its notes."""

    difference: Difference
    notes: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class NullTest:
    """A test of no difference, without an interval.

    `share_of_draws` is the share of the permutations that are as extreme as the data.
    """

    value: float
    p_of_null: float
    share_of_draws: float = math.nan
    se: float = math.nan

    def p_value(self, null: float = 0.0) -> float:
        """Return the p-value of no difference."""
        return self.p_of_null if null == 0 else math.nan

    def share(self) -> float:
        """Return the share of the permutations that are as extreme."""
        return self.share_of_draws

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        """Return no limits."""
        return math.nan, math.nan


@dataclass(frozen=True, eq=False)
class StudentDifference(ComparedByFields):
    """A difference with a standard error and Student's quantiles; normal quantiles by default.

    >>> one = StudentDifference(0.1, 0.05)
    >>> round(one.p_value(), 4), [round(limit, 4) for limit in one.interval(0.95)]
    (0.0455, [0.002, 0.198])
    >>> round(StudentDifference(0.1, 0.05, 10).p_value(), 4)
    0.0734
    """

    value: float
    se: float
    freedom: float = math.inf

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value; NaN without a standard error, and 1 for the observed difference."""
        from scipy.special import ndtr, stdtr

        gap = abs(self.value - null)
        if gap <= EQUAL:
            return 1.0
        if not self.se > EQUAL:
            return math.nan
        t = -gap / self.se
        return float(2 * (ndtr(t) if math.isinf(self.freedom) else stdtr(self.freedom, t)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the symmetric limits; NaN when the standard error is 0 but the difference is not."""
        from scipy.special import ndtri, stdtrit

        if self.se <= EQUAL < abs(self.value):
            return math.nan, math.nan
        upper = (1 + level) / 2
        reach = float(ndtri(upper) if math.isinf(self.freedom) else stdtrit(self.freedom, upper)) * self.se
        return self.value - reach, self.value + reach


@dataclass(frozen=True, eq=False)
class ResampledDifference:
    """A difference and its values in bootstrap samples."""

    value: float
    resampled: Array

    @cached_property
    def draws(self) -> Array:
        """Defined differences of the bootstrap samples, sorted."""
        return np.sort(self.resampled[~np.isnan(self.resampled)])

    @property
    def says_nothing(self) -> bool:
        """Whether every bootstrap sample gave the same difference other than 0, or none was defined."""
        return not len(self.draws) or (not has_spread(self.draws) and abs(self.value) > EQUAL)

    @property
    def se(self) -> float:
        """Standard deviation over the bootstrap samples."""
        finite = self.draws[np.isfinite(self.draws)]
        return float(np.std(finite, ddof=1)) if len(finite) > 1 else math.nan

    def share(self, null: float = 0.0) -> float:
        """Return twice the share of the bootstrap samples beyond `null`, at most 1."""
        return min(1.0, 2 * self._beyond(null) / len(self.draws)) if not self.says_nothing else math.nan

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value, counting the data as one more bootstrap sample, so that it is never 0.

        Values equal to the null count half on either side, as in a mid-p test: differences of few cases or at a quota
        move in steps, and counting them whole would make the test far too conservative.
        """
        return min(1.0, 2 * (1 + self._beyond(null)) / (1 + len(self.draws))) if not self.says_nothing else math.nan

    def _beyond(self, null: float) -> float:
        low, up = np.searchsorted(self.draws, [null - EQUAL, null + EQUAL], side="left")
        at_null = (up - low) / 2
        return float(min(low, len(self.draws) - up) + at_null)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the percentile interval; NaN when there are too few bootstrap samples for the level."""
        if self.says_nothing:
            return math.nan, math.nan
        low, high = percentile(self.draws, level)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class MoverDifference:
    """A difference of two values that have intervals of their own at every level (MOVER).

    Newcombe (1998) squares and adds the distances of both values to their limits; Zou and Donner (2008) call it MOVER.
    A correlation of both values takes twice their product off (Zou 2007). With the ratio of the sizes of both samples,
    each limit is at least as far away as with the pooled variance. `inflation` multiplies the squared distances.

    >>> limits = lambda level: (0.5, 0.8)
    >>> [round(limit, 3) for limit in MoverDifference((0.7, 0.6), (limits, limits)).interval(0.95)]
    [-0.183, 0.241]
    """

    values: tuple[float, float]
    limits: tuple[Callable[[float], Any], Callable[[float], Any]]
    correlation: float = 0.0
    ratio_of_sizes: float | None = None
    inflation: float = 1.0

    @property
    def value(self) -> float:
        """Difference of the values."""
        return self.values[0] - self.values[1]

    @property
    def se(self) -> float:
        """Approximate standard error: half the 95 % interval over the normal quantile."""
        low, high = self.interval(0.95)
        return (high - low) / 2 / quantile(0.95)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the limits at a level."""
        if level <= EQUAL:
            return self.value, self.value
        (low_a, high_a), (low_b, high_b) = (limits(level) for limits in self.limits)
        a, b = self.values
        return self.value - self._reach(a - low_a, high_b - b), self.value + self._reach(high_a - a, b - low_b)

    def _reach(self, reach_a: float, reach_b: float) -> float:
        if math.isinf(reach_a) or math.isinf(reach_b):
            return math.inf
        squared = reach_a * reach_a + reach_b * reach_b - 2 * self.correlation * reach_a * reach_b
        if self.ratio_of_sizes is not None:
            squared = max(squared, reach_a * reach_a * self.ratio_of_sizes + reach_b * reach_b / self.ratio_of_sizes)
        return math.sqrt(max(self.inflation * squared, 0.0))

    def p_value(self, null: float = 0.0) -> float:
        """Return one minus the level of the interval that just reaches `null`."""
        if abs(self.value - null) <= EQUAL:
            return 1.0
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def reach_beyond(z: float) -> float:
            """Return how far the interval of z standard errors reaches beyond `null`."""
            low, high = self.interval(1 - 2 * float(ndtr(-z)))
            return min(null - low if self.value > null else high - null, _FARTHEST)

        bracket = [0.0]
        for z in (2.0, 4.0, _LARGEST_Z):  # limits are nearly linear in z, which far ones hide
            bracket.append(z)
            reach = reach_beyond(z)
            if math.isnan(reach):
                return math.nan
            if reach > 0:
                return 2 * float(ndtr(-brentq(reach_beyond, *bracket[-2:], xtol=1e-7)))
        return 2 * float(ndtr(-_LARGEST_Z))


def needed_cases(difference: Difference, cases: float, level: float) -> float:
    """Return about how many cases would show the difference at a level with 80 % power.

    The true difference is taken to be the observed one, and the standard error to shrink with the square root.

    >>> round(needed_cases(StudentDifference(0.1, 0.1), 100, 0.95))
    785
    """
    from scipy.special import ndtri

    if abs(difference.value) <= EQUAL:
        return math.inf
    reach = float(ndtri((1 + level) / 2) + ndtri(POWER)) * difference.se
    return cases * (reach / difference.value) ** 2


def describe_more_cases(difference: Difference, cases: int, level: float, unit: str = "cases") -> str:
    """Return how many cases a significant difference would take, as the end of a sentence.

    The number takes the observed difference for the true one. The numbers for both ends of its 80 % interval show how
    uncertain it is. Power computed afterwards adds nothing to the p-value; it is a guide for the next study.

    >>> print(describe_more_cases(StudentDifference(0.0144, 0.0469), 300, 0.95).replace("; ", ";" + chr(10)))
    about 25,000 cases would give 80 % power (you have 300) if the true difference is the one observed;
    judging by its 80 % interval, 930 or more.
    """
    low, high = difference.interval(level)
    if abs(difference.value) <= EQUAL or math.isnan(difference.se) or difference.se <= EQUAL:
        reach = max(abs(low), abs(high))
        if math.isnan(reach) or reach <= EQUAL:
            return "nothing in these cases distinguishes the two."
        return f"with {cases:,} {unit}, a true difference of up to {format_value(reach)} either way cannot be excluded."
    needed = needed_cases(difference, cases, level)
    if needed <= cases:
        return f"with {cases:,} {unit} nothing more can be said."
    likely = StudentDifference(difference.value, difference.se).interval(POWER)
    fewest = needed * (difference.value / max(map(abs, likely))) ** 2
    at_most = (
        f"{_round_cases(needed * (difference.value / min(map(abs, likely))) ** 2)}" if likely[0] * likely[1] > 0 else ""
    )
    span = f"{_round_cases(fewest)} to {at_most}" if at_most else f"{_round_cases(fewest)} or more"
    power = f"{100 * POWER:g} %"
    return (
        f"about {_round_cases(needed)} {unit} would give {power} power (you have {cases:,}) if the true difference is "
        f"the one observed; judging by its {power} interval, {span}."
    )


def _round_cases(cases: float) -> str:
    """Return a number of cases to two digits."""
    return f"{float(f'{cases:.2g}'):,.0f}"


def chi_square(differences: Array, covariance: Array) -> tuple[float, int, float]:
    """Test that several differences are all zero: return the statistic, the degrees of freedom and the p-value.

    Differences that depend linearly on others, such as those of equal models, take no degree of freedom.
    """
    from scipy.special import chdtrc

    if np.isnan(covariance).any() or np.isnan(differences).any():
        return math.nan, 0, math.nan
    if not np.abs(differences).max() > EQUAL:
        return 0.0, 0, 1.0
    size, axes = np.linalg.eigh(covariance)
    held = size > 1e-10 * max(size[-1], np.finfo(float).tiny)
    along = axes.T @ differences
    if not held.any() or np.abs(along[~held]).max(initial=0.0) > 1e-6 * np.abs(along).max():
        return math.nan, 0, math.nan  # a difference without variance
    statistic = float((along[held] ** 2 / size[held]).sum())
    return statistic, int(held.sum()), float(chdtrc(int(held.sum()), statistic))


def is_point(difference: Difference) -> bool:
    """Whether an interval is a point."""
    low, high = difference.interval(0.95)
    return not high - low > EQUAL


def has_interval(difference: Difference) -> bool:
    """Whether there is an interval."""
    return not math.isnan(difference.interval(0.5)[0])
