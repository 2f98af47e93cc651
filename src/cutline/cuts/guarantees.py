"""Distribution-free guarantees for a cut on future cases.

Of m independent cases, the share of the population that scores below the i-th lowest is distributed as the i-th
smallest of m uniform numbers; ties only make it smaller. So a promise about a miss rate is a statement about uniform
order statistics: about one of them if the requirement was fixed beforehand, about all of them simultaneously if the cut
was chosen after looking. The same holds for the negatives, from the highest down, and for all cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutline.core import parallel
from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.cuts.requirements import Requirement

# The rate that a measure promises, and whether the requirement must be a lower bound of the measure.
RATE_OF_MEASURE = {
    "recall": ("recall", True),
    "fnr": ("recall", False),
    "fpr": ("fpr", False),
    "specificity": ("fpr", True),
    "predicted_positive_rate": ("share", False),
    "precision": ("precision", True),
    "fdr": ("precision", False),
}


@dataclass(frozen=True)
class RatePromise:
    """The promise that few positives are missed ("recall"), or few negatives ("fpr") or cases ("share") flagged.

    `cases` is the number of these in the data, `allowed` the largest number on the wrong side of the cut (-1 if no cut
    keeps the promise) and `needed` the smallest sufficient number. `level` is the confidence of each order statistic.
    """

    requirement: Requirement
    about: str
    rate: float
    confidence: float
    cases: int
    allowed: int
    needed: float
    level: float

    def meets(self, r: Ranking) -> Array:
        """Return whether each cut has at most the allowed errors, by the number of cases of each bootstrap sample."""
        cases = np.asarray(_count_cases(r, self.about))
        if cases.ndim == 0 and int(cases) == self.cases:
            return np.asarray(count_errors(r, self.about) <= self.allowed)
        allowed = [count_allowed_misses(int(n), self.rate, self.level) for n in cases.ravel()]
        return np.asarray(count_errors(r, self.about) <= np.reshape(allowed, cases.shape)[..., None])


def _count_cases(r: Ranking, about: str) -> Any:
    return {"recall": r.positives, "fpr": r.negatives, "share": r.total}[about]


def count_errors(r: Ranking, about: str) -> Array:
    """Count the errors of each cut: positives not flagged, negatives flagged, or cases flagged."""
    if about == "recall":
        return np.asarray(r.tp[..., -1:] - r.tp)
    return r.fp if about == "fpr" else r.ends


@dataclass(frozen=True)
class QuotaSequence:
    """A sequence of fixed quotas, each tested at the whole error until one fails."""

    quotas: tuple[int, ...]
    error: float

    def test(self, r: Ranking, least: float, total: int) -> tuple[Array, Array]:
        """Return the cut of each quota, without ties that do not fit, and whether it and all before it pass.

        Args:
            r: A ranking, or a stack of them.
            least: The precision.
            total: The number of cases of the quotas; other numbers of cases have quotas in proportion.
        """
        scaled_quotas = np.floor(np.multiply.outer(np.asarray(r.total) / total, self.quotas) + 1e-9)
        rows = zip(np.atleast_2d(r.ends), np.atleast_2d(scaled_quotas), strict=True)
        cuts = np.reshape(
            [np.searchsorted(ends, quotas, side="right") - 1 for ends, quotas in rows], scaled_quotas.shape
        )
        flagged, positives = (np.take_along_axis(column, cuts, axis=-1) for column in (r.ends, r.tp))
        # A cut that flags nobody cannot break the promise, so that it does not end the sequence.
        passes = (flagged == 0) | (compute_binomial_p(positives, flagged, least) <= self.error)
        return cuts, np.logical_and.accumulate(passes, axis=-1) & (flagged > 0)


@dataclass(frozen=True)
class PrecisionAtQuotas:
    """The promise that enough of the flagged cases are positive, tested at quotas that were fixed beforehand.

    Let D(u) be the share of the population that is positive and among the u with the highest scores, minus u times the
    required precision. A cut that flags the share u breaks the promise if D(u) < 0. Condition on the number of cases
    above each zero of D. It determines which quotas end where D < 0, and nothing else about the labels: the cases above
    a zero are independent and positive with the required probability, those from there to a cut with D < 0 with a
    lower probability. So, given which quotas break the promise, the positives above each of their cuts are at most
    binomial, and the exact binomial test is valid. A sequence that stops at its first failure goes wrong only if the
    first quota that breaks the promise passes, so that its length needs no correction (a fixed sequence, as in Learn
    then Test, Angelopoulos et al. 2021). Several sequences share the error.

    Ties that do not fit a quota are left out. Then a quota can end where D < 0 while its cut does not, or the other way
    round; that no earlier cut broke the promise makes negatives more likely, never positives, and the test stays valid.
    """

    requirement: Requirement
    least: float
    confidence: float
    sequences: tuple[QuotaSequence, ...]
    total: int

    def meets(self, r: Ranking) -> Array:
        """Return whether each cut passes in one of the sequences."""
        satisfied = np.zeros(r.ends.shape, dtype=bool)
        for sequence in self.sequences:
            cuts, passed = sequence.test(r, self.least, self.total)
            if satisfied.ndim == 1:
                satisfied[cuts[passed]] = True
            else:
                rows = np.nonzero(passed)[0]
                satisfied[rows, cuts[passed]] = True
        return satisfied

    @property
    def is_in_sequence(self) -> bool:
        """Whether a sequence has several quotas; quotas named by the user are tested separately."""
        return any(len(sequence.quotas) > 1 for sequence in self.sequences)

    @property
    def positives_needed(self) -> float:
        """Return the smallest number of positives with which a test can pass, without false positives."""
        return count_needed_cases(1 - self.least, 1 - max(sequence.error for sequence in self.sequences))

    def count_allowed_negatives(self, r: Ranking, cut: int) -> int:
        """Return the largest number of flagged negatives with which the cut would still pass."""
        tests = ((sequence, *sequence.test(r, self.least, self.total)) for sequence in self.sequences)
        error = max(sequence.error for sequence, cuts, passed in tests if (passed & (cuts == cut)).any())
        return count_allowed_misses(int(r.ends[cut]), 1 - self.least, 1 - error)


# The first sequence starts at the fewest cases that can promise the precision, all of them positive. The others are for
# few distinct scores, and for scores whose highest are not the best: the first of them starts where two cases may be
# negative, each next one where twice as many may be. Of shares from 1/2 to 4/5 and factors from 2 to 6, none made more
# than a point more samples possible in simulations, averaged over populations.
FIRST_ERROR = 2 / 3  # of the whole error; the others share the rest
LATER_START, LATER_FACTOR = 2, 2


@lru_cache(maxsize=64)
def make_quota_sequences(total: int, least: float, error: float) -> tuple[QuotaSequence, ...]:
    """Return the sequences at whose quotas a precision is tested when none are named.

    Each quota is the smallest among whose cases a number of negatives is allowed; the largest is all cases.

    >>> [(round(s.error, 4), s.quotas[:4], s.quotas[-1]) for s in make_quota_sequences(60, 0.8, 0.05)]
    [(0.0333, (16, 24, 32, 39), 60), (0.0083, (40, 48, 56, 60), 60), (0.0083, (56, 60), 60)]
    """
    starts = []
    negatives = LATER_START
    while negatives + 1 <= total * (1 - least) / 2:  # half of the cases hold more
        starts.append(negatives)
        negatives *= LATER_FACTOR
    if not starts:
        return (QuotaSequence(_find_quotas(0, total, least, error), error),)
    first, later = error * FIRST_ERROR, error * (1 - FIRST_ERROR) / len(starts)
    return (
        QuotaSequence(_find_quotas(0, total, least, first), first),
        *(QuotaSequence(_find_quotas(start, total, least, later), later) for start in starts),
    )


def _find_quotas(start: int, total: int, least: float, error: float) -> tuple[int, ...]:
    """Return the smallest quotas that allow `start` negatives, one more and so on, in steps of 5 %, and all cases."""
    steps, number = [], start
    while number < total * (1 - least):
        steps.append(number)
        number += max(1, number // 20)
    negatives = np.array(steps, dtype=np.int64)
    low, high = negatives + 1, np.full(len(negatives), total)  # those that all cases do not allow end up there, too
    while (low < high).any():
        middle = (low + high) // 2
        enough = compute_binomial_p(middle - negatives, middle, least) <= error
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        low = np.minimum(low, high)
    return (*sorted({int(quota) for quota in low if quota < total}), total)


def compute_binomial_p(successes: Any, cases: Any, rate: float) -> Array:
    """Return the p-value of the exact binomial test: the probability of at least this number of successes.

    >>> compute_binomial_p([0, 14, 13], 14, 0.8).round(4).tolist()
    [1.0, 0.044, 0.1979]
    """
    from scipy.special import betainc

    successes, cases = np.asarray(successes, dtype=float), np.asarray(cases, dtype=float)
    some = successes > 0
    return np.where(some, betainc(np.where(some, successes, 1), np.where(some, cases - successes + 1, 1), rate), 1.0)


@dataclass(frozen=True)
class PrecisionAnywhere:
    """The promise of a precision at any cut, from the bands of recall and false positive rate.

    It holds in a population with the `prevalence`; if None, in the population of the cases.
    """

    requirement: Requirement
    least: float
    confidence: float
    prevalence: float | None
    part: float  # the confidence of each band, and of the bound of the prevalence

    def meets(self, r: Ranking) -> Array:
        """Return whether the lower bound of each cut is high enough."""
        return np.asarray(self.compute_bounds(r) >= self.least)

    def compute_bounds(self, r: Ranking) -> Array:
        """Compute the lower bound of the precision at every cut."""
        recall = 1 - _bound_rate(r, "recall", self.part)
        fpr = _bound_rate(r, "fpr", self.part)
        p = (
            compute_lower_bounds(r.positives, r.total, self.part)[..., None]
            if self.prevalence is None
            else self.prevalence
        )
        return np.where(r.ends > 0, compute_precision(recall, fpr, p), 0.0)


def compute_precision(recall: Any, fpr: Any, prevalence: Any) -> Any:
    """Compute the precision from the rates and the prevalence."""
    return divide(prevalence * recall, prevalence * recall + (1 - prevalence) * fpr)


def _bound_rate(r: Ranking, about: str, confidence: float) -> Array:
    """Return simultaneous upper bounds of the error rate at each cut; for a stack, at the level of its mean size."""
    cases, wrong = np.asarray(_count_cases(r, about)), count_errors(r, about)
    if cases.ndim == 0:
        return np.asarray(compute_simultaneous_bounds(int(cases), confidence)[wrong])
    level = 1 - find_local_level(round(float(cases.mean())), confidence)
    return compute_upper_bounds(wrong, cases[..., None], level)


Promise = RatePromise | PrecisionAtQuotas | PrecisionAnywhere


# ---------------------------------------------------------------------- sharing the confidence


def is_promised(requirement: Requirement) -> bool:
    """Whether a requirement can be promised at all."""
    rate = RATE_OF_MEASURE.get(requirement.term.measure.name)
    return rate is not None and requirement.term.part == "value" and rate[1] == requirement.is_floor


def make_promises(
    r: Ranking,
    requirements: Sequence[Requirement],
    confidence: float,
    *,
    after_looking: bool,
    prevalence: float | None = None,
    quotas: tuple[int, ...] = (),
) -> list[Promise]:
    """Make the promises of all requirements, with joint confidence.

    Positives and negatives are independent given their numbers, so their confidences multiply. Promises that rest on
    different parts of the data share the error: their failure probabilities add up to at most the allowed one.
    """
    about = [RATE_OF_MEASURE[condition.term.measure.name][0] for condition in requirements]
    rates = [1 - condition.bound if condition.is_floor else condition.bound for condition in requirements]
    anywhere = after_looking or prevalence is not None  # precision at another prevalence is known from the bands alone
    parts = [_name_part(name, after_looking=after_looking, anywhere=anywhere) for name in about]
    names_by_part = {part: {n for n, p in zip(about, parts, strict=True) if p == part} for part in parts}
    whole = 1 - (1 - confidence) / max(1, len(names_by_part))  # the confidence of all promises about one part
    # The highest required precision sets the quotas: if it passes, the others pass.
    precisions = [1 - rate for rate, name in zip(rates, about, strict=True) if name == "precision"]
    promises: list[Promise] = []
    for condition, name, rate, part in zip(requirements, about, rates, parts, strict=True):
        if not 0 <= rate <= 1:
            raise ParameterError(f"{condition.text!r} requires a share of {condition.bound:g}", "pass one from 0 to 1")
        each = whole ** (1 / _count_components(names_by_part[part], prevalence))
        if name != "precision":
            promises.append(_make_rate_promise(r, condition, name, rate, each, after_looking=after_looking))
        elif anywhere:
            promises.append(PrecisionAnywhere(condition, 1 - rate, whole, prevalence, each))
        else:
            sequences = _choose_sequences(int(r.total), max(precisions), 1 - whole, quotas)
            promises.append(PrecisionAtQuotas(condition, 1 - rate, whole, sequences, int(r.total)))
    return promises


def _choose_sequences(total: int, least: float, error: float, quotas: tuple[int, ...]) -> tuple[QuotaSequence, ...]:
    """Return the sequences of quotas: named ones are tested one by one, each with its share of the error."""
    if quotas:
        return tuple(QuotaSequence((quota,), error / len(quotas)) for quota in quotas)
    return make_quota_sequences(total, least, error)


def _name_part(name: str, *, after_looking: bool, anywhere: bool) -> str:
    """Return the part of the data behind a promise: the classes, all cases, or the quotas."""
    if name == "share":
        return "share"
    if name != "precision" or after_looking:
        return "classes"
    return "bands" if anywhere else "quotas"


def _count_components(names: set[str], prevalence: float | None) -> int:
    """Return the number of independent components behind promises about one part of the data."""
    if "precision" in names:
        return 2 + (prevalence is None)  # both classes, and how many of each there are
    return max(1, len(names & {"recall", "fpr"}))


def _make_rate_promise(
    r: Ranking, requirement: Requirement, about: str, rate: float, confidence: float, *, after_looking: bool
) -> RatePromise:
    cases = int(_count_cases(r, about))
    if not after_looking or not cases:
        allowed = count_allowed_misses(cases, rate, confidence) if cases else -1
        return RatePromise(
            requirement, about, rate, confidence, cases, allowed, count_needed_cases(rate, confidence), confidence
        )
    bounds, level = compute_simultaneous_bounds(cases, confidence), 1 - find_local_level(cases, confidence)
    allowed = int((bounds[:-1] <= rate).sum()) - 1
    return RatePromise(
        requirement, about, rate, confidence, cases, allowed, _count_needed_by_band(rate, confidence), level
    )


def _count_needed_by_band(rate: float, confidence: float) -> float:
    """Return the smallest number of cases for the band to promise the rate without an error."""
    needed = count_needed_cases(rate, confidence)
    while math.isfinite(needed):
        more = count_needed_cases(rate, 1 - find_local_level(int(needed), confidence))
        if more <= needed:
            break
        needed = more
    return needed


EVERY_INDEX = 1000  # the largest number of cases for which each order statistic has its own bound
_NEGLIGIBLE = 1e-18  # a probability below this counts as a failure of the band
_SMALL = 80  # steps of the count that are computed for all limits at once
_ROUNDING = 1e-9  # far more than rounding can add to a probability
_SUMMED = 10_000  # the largest number of cases whose binomial probabilities are summed
_SUMMED_TO = 1e-7  # the sums decide if they differ from the allowed probability by more
_TOO_SMALL = 1e-6  # an error below this is shared equally (Bonferroni), because of rounding


# ---------------------------------------------------------------------- fixed before looking


@lru_cache(maxsize=4096)
def count_allowed_misses(cases: int, rate: float, confidence: float) -> int:
    """Return the largest number of errors with which the rate can be promised; -1 if there is none.

    >>> [count_allowed_misses(m, 0.1, 0.95) for m in (28, 29, 59, 100)]
    [-1, 0, 1, 4]
    """
    if 0 < rate < 1 and cases <= _SUMMED:  # by sums, because loading scipy takes longer than a small file to cut
        counts = np.arange(1, cases + 1)
        steps = np.log((cases + 1 - counts) / counts) + (math.log(rate) - math.log1p(-rate))
        chances = np.cumsum(np.exp(cases * math.log1p(-rate) + np.cumsum(np.append(0.0, steps))))
        enough = int(np.searchsorted(chances, 1 - confidence, side="right"))
        if np.abs(chances[max(0, enough - 1) : enough + 1] - (1 - confidence)).min() > _SUMMED_TO:
            return min(enough, cases) - 1
    from scipy.special import betainc

    low, high = 0, cases  # the j-th uniform of `cases` is below `rate` with enough confidence for j = low
    while low < high:
        middle = (low + high + 1) // 2
        if betainc(middle, cases - middle + 1, rate) >= confidence:
            low = middle
        else:
            high = middle - 1
    return low - 1


def count_needed_cases(rate: float, confidence: float) -> float:
    """Return the smallest number of cases to promise the rate without an error; infinite for a rate of 0.

    >>> [count_needed_cases(1 - r, 0.95) for r in (0.9, 0.95, 0.99)]
    [29, 59, 299]
    """
    if rate <= 0:
        return math.inf
    if rate >= 1:
        return 1
    least = max(1, math.ceil(math.log1p(-confidence) / math.log1p(-rate)) - 1)
    while count_allowed_misses(least, rate, confidence) < 0:
        least += 1
    return least


def compute_upper_bounds(missed: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's upper bound of a rate, given `missed` of `cases`; 1 if all were missed.

    >>> float(compute_upper_bounds(0, 29, 0.95).round(4))
    0.0981
    """
    from scipy.special import betaincinv

    missed, cases = np.asarray(missed, dtype=float), np.asarray(cases, dtype=float)
    inside = missed < cases
    bounds = betaincinv(np.where(inside, missed + 1, 1), np.where(inside, cases - missed, 1), confidence)
    return np.where(inside, bounds, 1.0)


def compute_lower_bounds(successes: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's lower bound of a rate, given `successes` among `cases`; 0 without successes."""
    return np.asarray(1 - compute_upper_bounds(np.subtract(cases, successes), cases, confidence))


# ---------------------------------------------------------------------- after looking


@lru_cache(maxsize=32)
def compute_simultaneous_bounds(cases: int, confidence: float) -> Array:
    """Return upper bounds of the miss rate, simultaneous over all cuts: entry j is for a cut that misses j cases.

    The bound for j is the same quantile for all j of the Beta distribution of the (j + 1)-th smallest uniform number.
    With many cases not every j has a quantile of its own; it then takes the next larger one, which is a little wider.

    >>> int((1 - compute_simultaneous_bounds(100, 0.95) >= 0.9).sum()) - 1  # misses that still promise a recall of 0.9
    2
    """
    from scipy.special import betaincinv

    index = _choose_order_statistics(cases)
    tail = find_local_level(cases, confidence)
    limits = betaincinv(index, cases - index + 1, 1 - tail)
    bounds = np.append(limits[np.searchsorted(index, np.arange(1, cases + 1))], 1.0)
    bounds.setflags(write=False)
    return bounds


@lru_cache(maxsize=1024)
def find_local_level(cases: int, confidence: float) -> float:
    """Find the error probability of each single bound with which all hold with the confidence.

    >>> [round(find_local_level(m, 0.95), 6) for m in (20, 50, 100)]
    [0.005217, 0.003287, 0.002461]
    """
    from scipy.special import betaincinv

    index = _choose_order_statistics(cases)
    if 1 - confidence < _TOO_SMALL:
        return (1 - confidence) / len(index)
    allowed = math.log1p(-confidence)
    tolerance = (
        1e-7 if cases <= EVERY_INDEX else 1e-3
    )  # of the probability that some bound fails, relative to the allowed one

    def compute_excess(log_tail: float) -> float:
        """Return the log of the probability that some bound fails, minus the log of the allowed one."""
        parallel.stop_if_unwanted()
        bounds = betaincinv(index, cases - index + 1, 1 - math.exp(log_tail))
        return math.log1p(_ROUNDING - compute_probability_below(bounds, index, cases)) - allowed

    # The probability that some bound fails is nearly proportional to that of one bound, so a few secant steps suffice.
    at = allowed - math.log(max(1.0, math.log(min(cases, 2.6 * EVERY_INDEX)) ** 1.93))
    excess, slope = compute_excess(at), 0.86
    while not -tolerance <= excess <= 0:
        before, at = (at, excess), at - (excess + tolerance / 2) / slope
        excess = compute_excess(at)
        slope = min(max((excess - before[1]) / (at - before[0]), 0.3), 3.0)
    return math.exp(at)


def compute_probability_below(bounds: Array, index: Array, cases: int) -> float:
    """Compute the probability that the uniform order statistics with these indices are all below their bounds.

    The number of uniforms below a rising limit is a Poisson process conditioned on its end, so from one bound to the
    next it moves by a Poisson step, and at the bound of the i-th smallest it must be i or more. Negligible
    probabilities are dropped, so that the result is slightly too low.
    """
    from scipy.special import xlogy

    factorial = _compute_log_factorials(cases)

    def poisson(mean: Any, first: int, last: int) -> Array:
        return np.asarray(np.exp(xlogy(np.arange(first, last + 1), mean) - mean - factorial[first : last + 1]))

    means = cases * np.diff(bounds, prepend=0.0)
    reach = 9 * np.sqrt(means) + 30
    firsts = np.maximum(0, np.floor(means - reach)).astype(int).tolist()
    lasts = np.minimum(cases, np.ceil(means + reach)).astype(int).tolist()
    # If the limit rises evenly, the count moves by few steps each time; compute all of them at once.
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


@lru_cache(maxsize=2)  # for both classes, in each step of the search for a level
def _compute_log_factorials(last: int) -> Array:
    """Return the logarithms of the factorials up to the last number."""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(last + 1) + 1.0))


def _convolve(first: Array, second: Array) -> Array:
    if len(first) * len(second) < 1_000_000:  # the direct sum is faster
        return np.convolve(first, second)
    from scipy import fft  # equal to scipy.signal.fftconvolve to the bit, whose import takes half a second

    length = len(first) + len(second) - 1
    both = np.zeros((2, fft.next_fast_len(length, real=True)))  # one transform of both is faster
    both[0, : len(first)], both[1, : len(second)] = first, second
    transformed = fft.rfft(both)
    return np.asarray(np.maximum(fft.irfft(transformed[0] * transformed[1], both.shape[1])[:length], 0))


def list_shared_bounds(cases: int) -> list[int] | None:
    """Return the indices of the order statistics that are bounded; None for all. The others use the next larger one."""
    return None if cases <= EVERY_INDEX else [int(index) for index in _choose_order_statistics(cases)]


def _choose_order_statistics(cases: int) -> Array:
    """Return the order statistics with their own bound: all, or a grid whose gaps are small against their deviation."""
    if cases <= EVERY_INDEX:
        return np.arange(1, cases + 1)
    # Evenly in the square root: the spread of the i-th grows like it.
    roots = np.linspace(1, math.sqrt(cases), EVERY_INDEX)
    return np.unique(np.append(np.floor(roots**2).astype(np.int64), cases))
