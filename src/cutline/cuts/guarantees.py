"""What can be promised about a cut on future cases, whatever the distribution of the scores.

Everything rests on one fact. Of m independent cases, the share of the population that scores below the i-th lowest of
them is at most the i-th smallest of m uniform numbers, and ties only make it smaller. So a promise about a miss rate
is a statement about uniform order statistics: about one of them when the promise is fixed beforehand, about all of
them at once when it is read after looking. The same holds for the negatives, read from above, and for all cases.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from cutline.core import parallel
from cutline.core.ranking import Array

EVERY_INDEX = 1000  # cases, up to which each order statistic has a bound of its own
_NEGLIGIBLE = 1e-18  # chance that is counted as a failure of the band instead of being carried on
_SMALL = 80  # steps of the count that are worth computing of all limits at once
_ROUNDING = 1e-9  # what rounding can add to a chance, and much more
_TOO_SMALL = 1e-6  # error that rounding would blur: the bounds then share it in equal parts, which is safe


# ---------------------------------------------------------------------- fixed before looking


def misses_allowed(cases: int, rate: float, confidence: float) -> int:
    """Return how many of the cases seen may be beyond a cut that promises a rate of at most `rate`; -1 when none
    promises it.

    >>> [misses_allowed(m, 0.1, 0.95) for m in (28, 29, 59, 100)]
    [-1, 0, 1, 4]
    """
    from scipy.special import betainc

    low, high = 0, cases  # the j-th uniform of `cases` is below `rate` with enough confidence for j = low
    while low < high:
        middle = (low + high + 1) // 2
        if betainc(middle, cases - middle + 1, rate) >= confidence:
            low = middle
        else:
            high = middle - 1
    return low - 1


def cases_needed(rate: float, confidence: float) -> float:
    """Return how many cases it takes for a cut that misses none of them to promise the rate; infinite for a rate of
    0.

    >>> [cases_needed(1 - r, 0.95) for r in (0.9, 0.95, 0.99)]
    [29, 59, 299]
    """
    if rate <= 0:
        return math.inf
    if rate >= 1:
        return 1
    least = max(1, math.ceil(math.log1p(-confidence) / math.log1p(-rate)) - 1)
    while misses_allowed(least, rate, confidence) < 0:
        least += 1
    return least


def upper_bounds(missed: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's upper bound of a rate, given `missed` of `cases`; 1 when all were missed.

    >>> float(upper_bounds(0, 29, 0.95).round(4))
    0.0981
    """
    from scipy.special import betaincinv

    missed, cases = np.asarray(missed, dtype=float), np.asarray(cases, dtype=float)
    inside = missed < cases
    bounds = betaincinv(np.where(inside, missed + 1, 1), np.where(inside, cases - missed, 1), confidence)
    return np.where(inside, bounds, 1.0)


def lower_bounds(successes: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's lower bound of a rate, given `found` of `cases`; 0 when none was found."""
    return np.asarray(1 - upper_bounds(np.subtract(cases, successes), cases, confidence))


# ---------------------------------------------------------------------- after looking


@lru_cache(maxsize=32)
def simultaneous_bounds(cases: int, confidence: float) -> Array:
    """Return upper bounds of the miss rate, simultaneous over all cuts: entry j is for a cut that misses j cases.

    The bound for j is the same quantile for all j of the Beta distribution of the (j + 1)-th smallest uniform number.
    With many cases not every j has a quantile of its own; it then takes the next larger one, which is a little wider.

    >>> int((1 - simultaneous_bounds(100, 0.95) >= 0.9).sum()) - 1  # misses that still promise a recall of 0.9
    2
    """
    from scipy.special import betaincinv

    index = _indices(cases)
    tail = local_level(cases, confidence)
    limits = betaincinv(index, cases - index + 1, 1 - tail)
    bounds = np.append(limits[np.searchsorted(index, np.arange(1, cases + 1))], 1.0)
    bounds.setflags(write=False)
    return bounds


@lru_cache(maxsize=1024)
def local_level(cases: int, confidence: float) -> float:
    """Return the chance a with which each single bound may fail so that all hold with the confidence.

    >>> [round(local_level(m, 0.95), 6) for m in (20, 50, 100)]
    [0.005217, 0.003287, 0.002461]
    """
    from scipy.special import betaincinv

    index = _indices(cases)
    if 1 - confidence < _TOO_SMALL:
        return (1 - confidence) / len(index)
    allowed = math.log1p(-confidence)
    tolerance = 1e-7 if cases <= EVERY_INDEX else 1e-3  # of the chance that some bound fails, relative to what may be

    def too_much(log_tail: float) -> float:
        """Return the log of the probability that some bound fails, minus the log of the allowed one."""
        parallel.stop_if_unwanted()
        bounds = betaincinv(index, cases - index + 1, 1 - math.exp(log_tail))
        return math.log1p(_ROUNDING - chance_below(bounds, index, cases)) - allowed

    # The chance that some bound fails is nearly proportional to that of one, so that few steps lead there.
    at = allowed - math.log(max(1.0, math.log(min(cases, 2.6 * EVERY_INDEX)) ** 1.93))
    excess, slope = too_much(at), 0.86
    while not -tolerance <= excess <= 0:
        before, at = (at, excess), at - (excess + tolerance / 2) / slope
        excess = too_much(at)
        slope = min(max((excess - before[1]) / (at - before[0]), 0.3), 3.0)
    return math.exp(at)


def chance_below(bounds: Array, index: Array, cases: int) -> float:
    """Return the chance that the uniform order statistics with these indices are all below their bounds, a little too
    low.

    The number of uniforms below a rising limit is a Poisson process with a known end, so from one bound to the next it
    moves by a Poisson step, and at the bound of the i-th smallest it must be i or more. Chances that no float
    notices in the end are dropped, that is, taken for failures.
    """
    from scipy.special import xlogy

    factorial = _log_factorials(cases)

    def poisson(mean: Any, first: int, last: int) -> Array:
        return np.asarray(np.exp(xlogy(np.arange(first, last + 1), mean) - mean - factorial[first : last + 1]))

    means = cases * np.diff(bounds, prepend=0.0)
    reach = 9 * np.sqrt(means) + 30
    firsts = np.maximum(0, np.floor(means - reach)).astype(int).tolist()
    lasts = np.minimum(cases, np.ceil(means + reach)).astype(int).tolist()
    # A limit that rises evenly moves the count by the same few steps each time: all of them at once.
    small = poisson(means[:, None], 0, _SMALL) if cases > _SMALL and means.max() < _SMALL / 8 else None
    chance, start = np.ones(1), 0
    for i, (mean, least) in enumerate(zip(means.tolist(), index.tolist(), strict=True)):
        step = poisson(mean, firsts[i], lasts[i]) if small is None else small[i]
        first = firsts[i] if small is None else 0
        chance, start = _convolve(chance, step), start + first
        chance = chance[max(0, least - start) : max(0, cases + 1 - start)]
        start = max(start, least)
        likely = (chance > _NEGLIGIBLE).nonzero()[0]
        if not len(likely):
            return 0.0
        chance, start = chance[likely[0] : likely[-1] + 1], start + int(likely[0])
    rest = poisson(cases * (1 - float(bounds[-1])), cases - start - len(chance) + 1, cases - start)[::-1]
    whole = math.exp(cases * math.log(cases) - cases - float(factorial[cases]))
    return float(chance @ rest) / whole


@lru_cache(maxsize=2)  # of both classes: the search for a level asks for them again and again
def _log_factorials(last: int) -> Array:
    """Return the logarithms of the factorials up to the last number."""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(last + 1) + 1.0))


def _convolve(one: Array, two: Array) -> Array:
    if len(one) * len(two) < 1_000_000:  # below, the plain sum is quicker
        return np.convolve(one, two)
    from scipy import fft  # as scipy.signal's fftconvolve to the bit, which takes half a second to load

    length = len(one) + len(two) - 1
    both = np.zeros((2, fft.next_fast_len(length, real=True)))  # transformed at once, in less time than one by one
    both[0, : len(one)], both[1, : len(two)] = one, two
    transformed = fft.rfft(both)
    return np.asarray(np.maximum(fft.irfft(transformed[0] * transformed[1], both.shape[1])[:length], 0))


def shared_bounds(cases: int) -> list[int] | None:
    """Return the order statistics with a bound of their own; the others take the bound of the next larger one."""
    return None if cases <= EVERY_INDEX else [int(one) for one in _indices(cases)]


def _indices(cases: int) -> Array:
    """Return the order statistics with a bound of their own: all, or a grid with gaps small beside their spread."""
    if cases <= EVERY_INDEX:
        return np.arange(1, cases + 1)
    # Evenly in the square root: the spread of the i-th grows like it.
    roots = np.linspace(1, math.sqrt(cases), EVERY_INDEX)
    return np.unique(np.append(np.floor(roots**2).astype(np.int64), cases))
