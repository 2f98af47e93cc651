"""From requirements to promises: which cuts keep them on future cases, and how they share the confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from cutline.core.counts import divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Array, Ranking, take
from cutline.cuts.guarantees import (
    cases_needed,
    local_level,
    lower_bounds,
    misses_allowed,
    simultaneous_bounds,
    upper_bounds,
)
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
# Quotas at which precision is tested when none are named, as shares of the list.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


class Promise(Protocol):
    """What a requirement promises, and where."""

    @property
    def requirement(self) -> Requirement:
        """What was asked for."""

    def meets(self, r: Ranking) -> Array:
        """Return which cuts of a ranking, or of each of a stack, keep it."""


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
        cases = np.asarray(_cases(r, self.about))
        if cases.ndim == 0 and int(cases) == self.cases:
            return np.asarray(beyond(r, self.about) <= self.allowed)
        allowed = [_count_allowed(int(n), self.rate, self.level) for n in cases.ravel()]
        return np.asarray(beyond(r, self.about) <= np.reshape(allowed, cases.shape)[..., None])


@lru_cache(maxsize=4096)
def _count_allowed(cases: int, rate: float, confidence: float) -> int:
    return misses_allowed(cases, rate, confidence)


def _cases(r: Ranking, about: str) -> Any:
    return {"recall": r.positives, "fpr": r.negatives, "share": r.total}[about]


def beyond(r: Ranking, about: str) -> Array:
    """Return how many cases are on the wrong side of each cut: positives not flagged, negatives flagged, or cases
    flagged.
    """
    if about == "recall":
        return np.asarray(r.tp[..., -1:] - r.tp)
    return r.fp if about == "fpr" else r.ends


@dataclass(frozen=True)
class PrecisionAtQuotas:
    """That enough of the flagged cases are positive, tested at quotas that were fixed beforehand.

    Given the highest score that is not flagged, the flagged cases are independent draws of those above it, so that
    their positives are binomial. Each quota is tested with its share of the error; that the quotas are few is what
    makes it sharp.
    """

    requirement: Requirement
    least: float
    confidence: float
    quotas: tuple[int, ...]
    total: int

    def meets(self, r: Ranking) -> Array:
        """Return the cuts of the quotas whose lower bound is high enough; tied cases that do not all fit are left
        out.
        """
        satisfied = np.zeros(r.ends.shape, dtype=bool)
        for quota in self.quotas:
            room = np.asarray(np.floor(quota * (r.total / self.total) + 1e-9))
            index = np.asarray((r.ends <= room[..., None]).sum(-1) - 1)
            flagged, tp = take(r.ends, index), take(r.tp, index)
            low = lower_bounds(tp, flagged, 1 - (1 - self.confidence) / len(self.quotas))
            holds = (low >= self.least) & (flagged > 0)
            if satisfied.ndim == 1:
                satisfied[index] |= holds
            else:
                rows = np.flatnonzero(holds)
                satisfied[rows, index[rows]] = True
        return satisfied


@dataclass(frozen=True)
class PrecisionAtThresholds(PrecisionAtQuotas):
    """That enough of the flagged cases are positive, tested at preset thresholds, and at quotas for other scales.

    The thresholds run from the required precision down to 0.01, and the first at which the test fails ends the
    sequence: a fixed sequence needs no correction for its length (Learn then Test, Angelopoulos et al. 2021). A
    calibrated model is more precise than its threshold, so the sequence starts well. Scores from 0 to 1 that are not
    on the scale of probabilities may fail at once; the quotas, which have the other half of the error, serve them.
    """

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The preset thresholds, in the order in which they are tested."""
        return tuple(percent / 100 for percent in range(min(99, math.floor(100 * self.least + 1e-9)), 0, -1))

    def meets(self, r: Ranking) -> Array:
        """Return which cuts pass, by the sequence of thresholds or by a quota."""
        quotas = PrecisionAtQuotas(self.requirement, self.least, self._half, self.quotas, self.total)
        passed = quotas.meets(r)
        places, holds = self._sequence(r)
        passed[..., places] |= holds
        return passed

    def threshold_at(self, r: Ranking, place: int) -> float | None:
        """Return the preset threshold at which a cut passed; None where a quota alone passed it."""
        places, holds = self._sequence(r)
        passed = np.flatnonzero(holds & (places == place))
        return self.thresholds[passed[0]] if len(passed) else None

    @property
    def _half(self) -> float:
        return 1 - (1 - self.confidence) / 2

    def _sequence(self, r: Ranking) -> tuple[Array, Array]:
        """Return the cut of each preset threshold, and whether it and all before it pass the test."""
        places = np.array([r.cut(threshold) for threshold in self.thresholds], dtype=np.intp)
        flagged, tp = r.ends[..., places], r.tp[..., places]
        passes = (lower_bounds(tp, flagged, self._half) >= self.least) & (flagged > 0)
        return places, np.logical_and.accumulate(passes, axis=-1)


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
        recall = 1 - _band(r, "recall", self.part)
        fpr = _band(r, "fpr", self.part)
        p = lower_bounds(r.positives, r.total, self.part)[..., None] if self.prevalence is None else self.prevalence
        return np.where(r.ends > 0, precision_bound(recall, fpr, p), 0.0)


def precision_bound(recall: Any, fpr: Any, prevalence: Any) -> Any:
    """Return the precision of the least favourable rates and prevalence."""
    return divide(prevalence * recall, prevalence * recall + (1 - prevalence) * fpr)


def _band(r: Ranking, about: str, confidence: float) -> Array:
    """Return simultaneous upper bounds of the rate beyond each cut; for a stack, at the level of its mean size."""
    cases, wrong = np.asarray(_cases(r, about)), beyond(r, about)
    if cases.ndim == 0:
        return np.asarray(simultaneous_bounds(int(cases), confidence)[wrong])
    level = 1 - local_level(round(float(cases.mean())), confidence)
    return upper_bounds(wrong, cases[..., None], level)


# ---------------------------------------------------------------------- sharing the confidence


def is_promised(requirement: Requirement) -> bool:
    """Whether a requirement can be promised at all."""
    known = ABOUT.get(requirement.term.measure.name)
    return known is not None and requirement.term.part == "value" and known[1] == requirement.is_floor


def promises(
    r: Ranking,
    requirements: Sequence[Requirement],
    confidence: float,
    *,
    after_looking: bool,
    prevalence: float | None = None,
    quotas: tuple[int, ...] = (),
) -> list[Promise]:
    """Return the promises that all requirements make together, with the joint confidence.

    Positives and negatives are independent given their numbers, so their confidences multiply. Other promises share the
    error: their failure probabilities add up to at most the allowed one.
    """
    about = [ABOUT[one.term.measure.name][0] for one in requirements]
    anywhere = after_looking or prevalence is not None  # precision at another prevalence is known from the bands alone
    apart = {_part(name, after_looking=after_looking, anywhere=anywhere) for name in about}
    whole = 1 - (1 - confidence) / max(1, len(apart))
    made: list[Promise] = []
    for one, name in zip(requirements, about, strict=True):
        rate = 1 - one.bound if one.is_floor else one.bound
        if not 0 <= rate <= 1:
            raise ParameterError(f"{one.text!r} asks for a share of {one.bound:g}", "pass one from 0 to 1")
        together = [n for n in about if _part(n, after_looking=after_looking, anywhere=anywhere) == _part(
            name, after_looking=after_looking, anywhere=anywhere)]  # fmt: skip
        each = whole ** (1 / _components(together, prevalence))
        if name != "precision":
            made.append(_rate_promise(r, one, name, rate, each, after_looking=after_looking))
        elif anywhere:
            made.append(PrecisionAnywhere(one, 1 - rate, whole, prevalence, each))
        else:
            named = quotas or tuple(sorted({max(1, math.floor(share * int(r.total))) for share in SHARES}))
            preset = r.are_probabilities and not quotas and about.count("precision") == 1
            kind = PrecisionAtThresholds if preset else PrecisionAtQuotas
            made.append(kind(one, 1 - rate, whole, named, int(r.total)))
    return made


def _part(name: str, *, after_looking: bool, anywhere: bool) -> str:
    """Return which promises rest on the same independent pieces of the data: the classes, or all cases."""
    if name == "share":
        return "share"
    return "classes" if name != "precision" or after_looking else "bands" if anywhere else "quotas"


def _components(about: Sequence[str], prevalence: float | None) -> int:
    """Return how many independent pieces of the data the promises of one part rest on."""
    if "precision" in about:
        return 2 + (prevalence is None)  # both classes, and how many of each there are
    return max(1, len({name for name in about if name in ("recall", "fpr")}))


def _rate_promise(
    r: Ranking, requirement: Requirement, about: str, rate: float, confidence: float, *, after_looking: bool
) -> RatePromise:
    cases = int(_cases(r, about))
    if not after_looking or not cases:
        allowed = misses_allowed(cases, rate, confidence) if cases else -1
        return RatePromise(
            requirement, about, rate, confidence, cases, allowed, cases_needed(rate, confidence), confidence
        )
    bounds, level = simultaneous_bounds(cases, confidence), 1 - local_level(cases, confidence)
    allowed = int((bounds[:-1] <= rate).sum()) - 1
    return RatePromise(requirement, about, rate, confidence, cases, allowed, _needed_anywhere(rate, confidence), level)


def _needed_anywhere(rate: float, confidence: float) -> float:
    """Return how many cases it takes for the band to promise the rate at a cut that misses none of them."""
    needed = cases_needed(rate, confidence)
    while math.isfinite(needed):
        more = cases_needed(rate, 1 - local_level(int(needed), confidence))
        if more <= needed:
            break
        needed = more
    return needed
