"""Distribution-free guarantees for a cut on future cases.

Everything rests on one fact. Of m independent cases, the share of the population that scores below the i-th lowest of
them is at most the i-th smallest of m uniform numbers, and ties only make it smaller. So a promise about a miss rate
is a statement about uniform order statistics: about one of them when the promise is fixed beforehand, about all of
them at once when it is read after looking. The same holds for the negatives, read from above, and for all cases.
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

# What a promise is about, and whether the requirement has to be a floor: of few missed, or of few flagged.
ABOUT = {
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
    """That few positives are missed ("recall"), or few negatives ("fpr") or few cases ("share") are flagged.

    `cases` is how many of them were seen, `allowed` how many of these may be beyond the cut (-1: no cut promises it)
    and `needed` how many there have to be. `level` is the confidence that each single order statistic gets.
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
        """Return which cuts miss no more than allowed; a bootstrap sample has its own number of cases."""
        cases = np.asarray(_count_cases(r, self.about))
        if cases.ndim == 0 and int(cases) == self.cases:
            return np.asarray(count_errors(r, self.about) <= self.allowed)
        allowed = [count_allowed_misses(int(n), self.rate, self.level) for n in cases.ravel()]
        return np.asarray(count_errors(r, self.about) <= np.reshape(allowed, cases.shape)[..., None])


def _count_cases(r: Ranking, about: str) -> Any:
    return {"recall": r.positives, "fpr": r.negatives, "share": r.total}[about]


def count_errors(r: Ranking, about: str) -> Array:
    """Return how many cases are on the wrong side of each cut: positives not flagged, negatives flagged, or cases
    flagged.
    """
    if about == "recall":
        return np.asarray(r.tp[..., -1:] - r.tp)
    return r.fp if about == "fpr" else r.ends


@dataclass(frozen=True)
class QuotaSequence:
    """Quotas that were fixed beforehand, tested one after the other, each with the whole error, until one fails."""

    quotas: tuple[int, ...]
    error: float

    def test(self, r: Ranking, least: float, total: int) -> tuple[Array, Array]:
        """Return the cut of each quota, and whether it and all before it pass; tied cases that do not all fit are left
        out.

        Args:
            r: A ranking, or a stack of them.
            least: The precision.
            total: The number of cases that the quotas are for; another number of cases has quotas in proportion.
        """
        rooms = np.floor(np.multiply.outer(np.asarray(r.total) / total, self.quotas) + 1e-9)
        rows = zip(np.atleast_2d(r.ends), np.atleast_2d(rooms), strict=True)
        cuts = np.reshape([np.searchsorted(ends, room, side="right") - 1 for ends, room in rows], rooms.shape)
        flagged, positives = (np.take_along_axis(column, cuts, axis=-1) for column in (r.ends, r.tp))
        # A cut that flags nobody cannot break the promise, so that it does not end the sequence.
        passes = (flagged == 0) | (compute_binomial_p(positives, flagged, least) <= self.error)
        return cuts, np.logical_and.accumulate(passes, axis=-1) & (flagged > 0)


@dataclass(frozen=True)
class PrecisionAtQuotas:
    """That enough of the flagged cases are positive, tested at quotas that were fixed beforehand.

    Let D(u) be the share of the population that is positive and among the u with the highest scores, minus u times the
    required precision. A cut that flags the share u breaks the promise where D(u) < 0. Now fix how many cases lie above
    each zero of D. This decides which quotas end where D < 0, and says nothing else about the labels: the cases above
    a zero are independent and positive with the required probability, those from there to a cut with D < 0 with
    a lower one. So, given which quotas break the promise, the positives above each of their cuts are at most binomial,
    and the exact binomial test is valid. A sequence that stops at its first failure goes wrong only if the first quota
    that breaks the promise passes, so that its length needs no correction (a fixed sequence, as in Learn then Test,
    Angelopoulos et al. 2021). Several sequences share the error.

    Ties that do not fit a quota are left out. Then a quota can end where D < 0 while its cut does not, or the other way
    round; that no earlier cut broke the promise makes negatives more likely, never positives, and the test stays valid.
    """

    requirement: Requirement
    least: float
    confidence: float
    sequences: tuple[QuotaSequence, ...]
    total: int

    def meets(self, r: Ranking) -> Array:
        """Return the cuts that pass in one of the sequences."""
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
        """Whether quotas follow one another; named ones are tested one by one."""
        return any(len(sequence.quotas) > 1 for sequence in self.sequences)

    @property
    def positives_needed(self) -> float:
        """Return the smallest number of positives for any test to pass, with no negative flagged."""
        return count_needed_cases(1 - self.least, 1 - max(sequence.error for sequence in self.sequences))

    def negatives_allowed(self, r: Ranking, cut: int) -> int:
        """Return how many of the flagged cases may be negative at a cut that passed."""
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
    """That enough of the flagged cases are positive at any cut, from the bands of recall and false positive rate.

    With `prevalence` it holds in a population of that prevalence; else of the one that the cases were drawn from.
    """

    requirement: Requirement
    least: float
    confidence: float
    prevalence: float | None
    part: float  # the confidence of each band, and of the bound of the prevalence

    def meets(self, r: Ranking) -> Array:
        """Return where the lower bound is high enough."""
        return np.asarray(self.bounds(r) >= self.least)

    def bounds(self, r: Ranking) -> Array:
        """Return the lower bound of the precision at every cut."""
        recall = 1 - _bound_rate(r, "recall", self.part)
        fpr = _bound_rate(r, "fpr", self.part)
        p = lower_bounds(r.positives, r.total, self.part)[..., None] if self.prevalence is None else self.prevalence
        return np.where(r.ends > 0, precision_bound(recall, fpr, p), 0.0)


def precision_bound(recall: Any, fpr: Any, prevalence: Any) -> Any:
    """Return the precision that the rates and the prevalence imply."""
    return divide(prevalence * recall, prevalence * recall + (1 - prevalence) * fpr)


def _bound_rate(r: Ranking, about: str, confidence: float) -> Array:
    """Return simultaneous upper bounds of the rate beyond each cut; for a stack, at the level of its mean size."""
    cases, wrong = np.asarray(_count_cases(r, about)), count_errors(r, about)
    if cases.ndim == 0:
        return np.asarray(simultaneous_bounds(int(cases), confidence)[wrong])
    level = 1 - local_level(round(float(cases.mean())), confidence)
    return upper_bounds(wrong, cases[..., None], level)


Promise = RatePromise | PrecisionAtQuotas | PrecisionAnywhere


# ---------------------------------------------------------------------- sharing the confidence


def is_promised(requirement: Requirement) -> bool:
    """Whether a requirement can be promised at all."""
    known = ABOUT.get(requirement.term.measure.name)
    return known is not None and requirement.term.part == "value" and known[1] == requirement.is_floor


def make_promises(
    r: Ranking,
    requirements: Sequence[Requirement],
    confidence: float,
    *,
    after_looking: bool,
    prevalence: float | None = None,
    quotas: tuple[int, ...] = (),
) -> list[Promise]:
    """Return the promises that all requirements make together, with the joint confidence.

    Positives and negatives are independent given their numbers, so their confidences multiply. Promises that rest on
    different parts of the data share the error: their failure probabilities add up to at most the allowed one.
    """
    about = [ABOUT[condition.term.measure.name][0] for condition in requirements]
    rates = [1 - condition.bound if condition.is_floor else condition.bound for condition in requirements]
    anywhere = after_looking or prevalence is not None  # precision at another prevalence is known from the bands alone
    parts = [_name_part(name, after_looking=after_looking, anywhere=anywhere) for name in about]
    names_by_part = {part: {n for n, p in zip(about, parts, strict=True) if p == part} for part in parts}
    whole = 1 - (1 - confidence) / max(1, len(names_by_part))  # the confidence of all promises about one part
    # Of several precisions the highest sets the quotas: where it passes, the others do.
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
    bounds, level = simultaneous_bounds(cases, confidence), 1 - local_level(cases, confidence)
    allowed = int((bounds[:-1] <= rate).sum()) - 1
    return RatePromise(
        requirement, about, rate, confidence, cases, allowed, _count_needed_by_band(rate, confidence), level
    )


def _count_needed_by_band(rate: float, confidence: float) -> float:
    """Return the smallest number of cases for the band to promise the rate when none is missed."""
    needed = count_needed_cases(rate, confidence)
    while math.isfinite(needed):
        more = count_needed_cases(rate, 1 - local_level(int(needed), confidence))
        if more <= needed:
            break
        needed = more
    return needed


EVERY_INDEX = 1000  # cases, up to which each order statistic has a bound of its own
_NEGLIGIBLE = 1e-18  # chance that is counted as a failure of the band instead of being carried on
_SMALL = 80  # steps of the count that are worth computing of all limits at once
_ROUNDING = 1e-9  # what rounding can add to a chance, and much more
_SUMMED = 10_000  # cases whose binomial chances are added up
_SUMMED_TO = 1e-7  # ... where the sums are not so near to the allowed chance that rounding could decide
_TOO_SMALL = 1e-6  # error that rounding would blur: the bounds then share it in equal parts, which is safe


# ---------------------------------------------------------------------- fixed before looking


@lru_cache(maxsize=4096)
def count_allowed_misses(cases: int, rate: float, confidence: float) -> int:
    """Return the largest number of errors among the cases that still promises the rate; -1 if none does.

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
    """Return the smallest number of cases to promise the rate when none is missed; infinite for a rate of 0.

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


def upper_bounds(missed: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's upper bound of a rate, given `missed` of `cases`; 1 if all were missed.

    >>> float(upper_bounds(0, 29, 0.95).round(4))
    0.0981
    """
    from scipy.special import betaincinv

    missed, cases = np.asarray(missed, dtype=float), np.asarray(cases, dtype=float)
    inside = missed < cases
    bounds = betaincinv(np.where(inside, missed + 1, 1), np.where(inside, cases - missed, 1), confidence)
    return np.where(inside, bounds, 1.0)


def lower_bounds(successes: Any, cases: Any, confidence: float) -> Array:
    """Return Clopper and Pearson's lower bound of a rate, given `successes` among `cases`; 0 without successes."""
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

    index = _choose_order_statistics(cases)
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

    index = _choose_order_statistics(cases)
    if 1 - confidence < _TOO_SMALL:
        return (1 - confidence) / len(index)
    allowed = math.log1p(-confidence)
    tolerance = 1e-7 if cases <= EVERY_INDEX else 1e-3  # of the chance that some bound fails, relative to what may be

    def compute_excess(log_tail: float) -> float:
        """Return the log of the probability that some bound fails, minus the log of the allowed one."""
        parallel.stop_if_unwanted()
        bounds = betaincinv(index, cases - index + 1, 1 - math.exp(log_tail))
        return math.log1p(_ROUNDING - chance_below(bounds, index, cases)) - allowed

    # The chance that some bound fails is nearly proportional to that of one, so that few steps lead there.
    at = allowed - math.log(max(1.0, math.log(min(cases, 2.6 * EVERY_INDEX)) ** 1.93))
    excess, slope = compute_excess(at), 0.86
    while not -tolerance <= excess <= 0:
        before, at = (at, excess), at - (excess + tolerance / 2) / slope
        excess = compute_excess(at)
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


def _convolve(first: Array, second: Array) -> Array:
    if len(first) * len(second) < 1_000_000:  # below, the plain sum is quicker
        return np.convolve(first, second)
    from scipy import fft  # as scipy.signal's fftconvolve to the bit, which takes half a second to load

    length = len(first) + len(second) - 1
    both = np.zeros((2, fft.next_fast_len(length, real=True)))  # transformed at once, in less time than one by one
    both[0, : len(first)], both[1, : len(second)] = first, second
    transformed = fft.rfft(both)
    return np.asarray(np.maximum(fft.irfft(transformed[0] * transformed[1], both.shape[1])[:length], 0))


def list_shared_bounds(cases: int) -> list[int] | None:
    """Return the order statistics with a bound of their own; the others take the bound of the next larger one."""
    return None if cases <= EVERY_INDEX else [int(index) for index in _choose_order_statistics(cases)]


def _choose_order_statistics(cases: int) -> Array:
    """Return the order statistics with a bound of their own: all, or a grid with gaps small beside their spread."""
    if cases <= EVERY_INDEX:
        return np.arange(1, cases + 1)
    # Evenly in the square root: the spread of the i-th grows like it.
    roots = np.linspace(1, math.sqrt(cases), EVERY_INDEX)
    return np.unique(np.append(np.floor(roots**2).astype(np.int64), cases))
