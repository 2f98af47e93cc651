"""How sure one can be of a difference: what its intervals, its tests and its confidence curve are read from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from cutline.core.equality import ComparedByFields
from cutline.core.ranking import Array
from cutline.core.table import shown
from cutline.inference.caveats import EQUAL, IGNORES_THE_BIAS, NO_SPREAD, TOO_RARELY, has_spread
from cutline.inference.resampling.bootstrap import percentile
from cutline.measures import Measure
from cutline.measures.kinds import BestOfCuts, CalibrationError

POWER = 0.8  # how often the number of cases that is named would show the difference


class Difference(Protocol):
    """A difference of two models, for which any value can be tested and any level gives limits."""

    @property
    def value(self) -> float:
        """The difference that was observed."""

    @property
    def se(self) -> float:
        """Its standard error."""

    def p_value(self, null: float = 0.0) -> float:
        """How compatible the data are with a true difference of `null`."""

    def interval(self, level: float) -> tuple[float, float]:
        """The differences that are compatible with the data at a level."""


@dataclass(frozen=True, eq=False)
class NormalDifference(ComparedByFields):
    """A difference with a standard error and a normal distribution around it.

    >>> found = NormalDifference(0.1, 0.05)
    >>> round(found.p_value(), 4), [round(limit, 4) for limit in found.interval(0.95)]
    (0.0455, [0.002, 0.198])
    """

    value: float
    se: float

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided; NaN without a standard error, and 1 for the value itself."""
        from scipy.special import ndtr

        gap = abs(self.value - null)
        if gap <= EQUAL:
            return 1.0
        return float(2 * ndtr(-gap / self.se)) if self.se > EQUAL else math.nan

    def interval(self, level: float) -> tuple[float, float]:
        """The value and as much on either side; NaN when the standard error says nothing."""
        from scipy.special import ndtri

        if self.se <= EQUAL < abs(self.value):
            return math.nan, math.nan
        reach = float(ndtri((1 + level) / 2)) * self.se
        return self.value - reach, self.value + reach


@dataclass(frozen=True, eq=False)
class StudentDifference(ComparedByFields):
    """A difference with a standard error and Student's distribution around it.

    >>> round(StudentDifference(0.1, 0.05, 10).p_value(), 4)
    0.0734
    """

    value: float
    se: float
    freedom: float

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided; NaN without a standard error, and 1 for the value itself."""
        from scipy.special import ndtr, stdtr

        gap = abs(self.value - null)
        if gap <= EQUAL:
            return 1.0
        if not self.se > EQUAL:
            return math.nan
        t = -gap / self.se
        return float(2 * (ndtr(t) if math.isinf(self.freedom) else stdtr(self.freedom, t)))

    def interval(self, level: float) -> tuple[float, float]:
        """The value and as much on either side; NaN when the standard error says nothing."""
        from scipy.special import ndtri, stdtrit

        if self.se <= EQUAL < abs(self.value):
            return math.nan, math.nan
        upper = (1 + level) / 2
        reach = float(ndtri(upper) if math.isinf(self.freedom) else stdtrit(self.freedom, upper)) * self.se
        return self.value - reach, self.value + reach


@dataclass(frozen=True, eq=False)
class ResampledDifference:
    """A difference and what it was in resamples of the same cases."""

    value: float
    resampled: Array

    @cached_property
    def draws(self) -> Array:
        """The differences in the resamples that have one, in order."""
        return np.sort(self.resampled[~np.isnan(self.resampled)])

    @property
    def says_nothing(self) -> bool:
        """Whether every resample gave one and the same difference, and not none: too few or too clear-cut cases."""
        return not len(self.draws) or (not has_spread(self.draws) and abs(self.value) > EQUAL)

    @property
    def se(self) -> float:
        """The standard deviation over the resamples."""
        finite = self.draws[np.isfinite(self.draws)]
        return float(np.std(finite, ddof=1)) if len(finite) > 1 else math.nan

    def share(self, null: float = 0.0) -> float:
        """Twice the plain share of the resamples on the far side of `null`, up to 1."""
        return min(1.0, 2 * self._beyond(null) / len(self.draws)) if not self.says_nothing else math.nan

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided, the data at hand counted as one more resample, so that it is never 0.

        Resamples that have the null itself count half on either side, as in a mid-p test: differences of few cases or
        at a quota are steps, and whole ones would make the test err far too rarely.
        """
        return min(1.0, 2 * (1 + self._beyond(null)) / (1 + len(self.draws))) if not self.says_nothing else math.nan

    def _beyond(self, null: float) -> float:
        low, up = np.searchsorted(self.draws, [null - EQUAL, null + EQUAL], side="left")
        at_null = (up - low) / 2
        return float(min(low, len(self.draws) - up) + at_null)

    def interval(self, level: float) -> tuple[float, float]:
        """The percentile interval, its limits resamples themselves; NaN when there are too few for the level."""
        if self.says_nothing:
            return math.nan, math.nan
        low, high = percentile(self.draws, level)
        return float(low), float(high)


def said_of_resamples(found: ResampledDifference, measure: Measure) -> list[str]:
    """Return what qualifies a difference that is known from resamples.

    Args:
        found: The difference.
        measure: What it is of.
    """
    undefined = len(found.resampled) - len(found.draws)
    notes = [f"In {undefined} of {len(found.resampled)} resamples {measure} has no difference."] if undefined else []
    if found.says_nothing:
        notes.append("Every resample gives the same difference, so the bootstrap says nothing about it.")
    elif not has_spread(found.draws):
        notes.append(f"{NO_SPREAD} {TOO_RARELY}")
    elif isinstance(measure.kind, BestOfCuts | CalibrationError):
        notes.append(IGNORES_THE_BIAS)
    return notes


def needed_cases(difference: Difference, cases: float, level: float) -> float:
    """About how many such cases would show the difference at a level, with 80 % power.

    It supposes that the difference stays what it is and that its standard error shrinks with the square root.

    >>> round(needed_cases(NormalDifference(0.1, 0.1), 100, 0.95))
    785
    """
    from scipy.special import ndtri

    if abs(difference.value) <= EQUAL:
        return math.inf
    reach = float(ndtri((1 + level) / 2) + ndtri(POWER)) * difference.se
    return cases * (reach / difference.value) ** 2


def planned(difference: Difference, cases: int, level: float, unit: str = "cases") -> str:
    """What more cases would bring, as the end of a sentence about a difference that is not significant.

    The number supposes that the true difference is the one observed, which it need not be: so does the number for
    either end of its 80 % interval, and these show how little the data say about it. Power that is computed after the
    fact adds nothing to the p-value; it is a guide for the next study.

    >>> print(planned(NormalDifference(0.0144, 0.0469), 300, 0.95).replace("; ", ";" + chr(10)))
    about 25,000 cases would give 80 % power (you have 300) if the true difference is the one observed;
    judging by its 80 % interval, 930 or more.
    """
    low, high = difference.interval(level)
    if abs(difference.value) <= EQUAL or math.isnan(difference.se) or difference.se <= EQUAL:
        reach = max(abs(low), abs(high))
        if math.isnan(reach) or reach <= EQUAL:
            return "these cases hold nothing that would tell the two apart."
        return f"with {cases:,} {unit}, a true difference of up to {shown(reach)} either way cannot be excluded."
    needed = needed_cases(difference, cases, level)
    if needed <= cases:
        return f"with {cases:,} {unit} nothing more can be said."
    likely = NormalDifference(difference.value, difference.se).interval(POWER)
    fewest = needed * (difference.value / max(map(abs, likely))) ** 2
    at_most = (
        f"{_rounded(needed * (difference.value / min(map(abs, likely))) ** 2)}" if likely[0] * likely[1] > 0 else ""
    )
    span = f"{_rounded(fewest)} to {at_most}" if at_most else f"{_rounded(fewest)} or more"
    power = f"{100 * POWER:g} %"
    return (
        f"about {_rounded(needed)} {unit} would give {power} power (you have {cases:,}) if the true difference is the "
        f"one observed; judging by its {power} interval, {span}."
    )


def _rounded(cases: float) -> str:
    """A number of cases to two digits."""
    return f"{float(f'{cases:.2g}'):,.0f}"


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number (Holm 1979); one that is NaN is not counted, and stays NaN.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected = np.full(len(p), np.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(factors * p[order]))
    return corrected.tolist()


def chi_square(differences: Array, covariance: Array) -> tuple[float, int, float]:
    """The test that several differences are all zero: its statistic, its degrees of freedom and its p-value.

    Differences that follow from others, as those of equal models do, take no degree of freedom.
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
        return math.nan, 0, math.nan  # a difference without any variance: nothing to hold it against
    statistic = float((along[held] ** 2 / size[held]).sum())
    return statistic, int(held.sum()), float(chdtrc(int(held.sum()), statistic))


def has_no_width(found: Difference) -> bool:
    """Whether an interval is a point."""
    low, high = found.interval(0.95)
    return not high - low > EQUAL


def speaks(found: Difference) -> bool:
    """Whether there is an interval at all."""
    return not math.isnan(found.interval(0.5)[0])
