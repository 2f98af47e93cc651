"""Restrictions by the data at hand, which promise nothing: on estimates, limits of intervals, the number flagged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cutline.core.counts import Counts
from cutline.core.ranking import Array, Ranking, take
from cutline.cuts.criteria import at_prevalence, cuts_of
from cutline.cuts.requirements import Requirement
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.inference.single.estimand import of_measure
from cutline.inference.single.intervals import Options, estimates
from cutline.inference.single.proportions import wilson
from cutline.measures.kinds import Proportion
from cutline.results.resample_budget import resamples_for

_TRIED = 400  # cuts at which an interval is made by resampling, at most


class Rule(Protocol):
    """What a cut has to meet."""

    def kept(self, r: Ranking) -> Array:
        """Which cuts of a ranking, or of each of a stack, meet it."""


@dataclass(frozen=True)
class OnEstimate:
    """A requirement on the value itself."""

    requirement: Requirement
    prevalence: float | None = None

    def kept(self, r: Ranking) -> Array:
        """Where the value meets it."""
        return np.asarray(self.requirement.hold(values_of(self.requirement, cuts_of(r, self.prevalence))))


@dataclass(frozen=True)
class OnFormula:
    """A requirement on a limit of Wilson's interval, for a measure that is a share of independent cases."""

    requirement: Requirement
    level: float

    def kept(self, r: Ranking) -> Array:
        """Where the limit meets it."""
        kind: Any = self.requirement.term.measure.kind
        k, n = (np.asarray(x, dtype=float) for x in kind.of(r.counts))
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = wilson(k, n, self.level)
            limit = limits.low if self.requirement.term.part == "low" else limits.high
            shown = limit if kind.then is float else kind.then(limit)
        return np.asarray(self.requirement.hold(np.where(n > 0, shown, np.nan)))


@dataclass(frozen=True, eq=False)
class OnLimits:
    """A requirement on a limit of the interval that the measure has at a cut, which is made at some of the cuts.

    `margin` is how far the limit is from the value at each of them.
    """

    requirement: Requirement
    ranking: Ranking
    at: Array
    limit: Array
    margin: Array
    prevalence: float | None = None

    @property
    def key(self) -> Array:
        """The thresholds of the cuts with an interval, from the top."""
        return self.ranking.key[self.at]

    def kept(self, r: Ranking) -> Array:
        """Where the limit meets it; in a resample, with the distance from the value that the data have."""
        if r is self.ranking:
            found = np.zeros(r.ends.shape, dtype=bool)
            found[self.at + 1] = self.requirement.hold(self.limit)
            return found
        values = values_of(self.requirement, cuts_of(r, self.prevalence))
        nobody = np.append(np.inf, r.key)
        margin = np.interp(-nobody, -self.key, self.margin, left=np.nan)  # key descends
        return np.asarray(self.requirement.hold(values + margin))


@dataclass(frozen=True)
class Cap:
    """At most so many of the cases at hand are flagged: a capacity."""

    quota: float
    total: float

    def kept(self, r: Ranking) -> Array:
        """Those that flag no more; a resample of groups may be longer or shorter."""
        room = np.floor(np.asarray(self.quota * (r.total / self.total), dtype=float) + 1e-6)
        return np.asarray(r.ends <= room[..., None])


def values_of(one: Requirement, counts: Counts) -> Array:
    """The measure of a requirement at every cut."""
    return np.asarray(one.term.measure.compute(counts, **one.term.parameters), dtype=float)


def on_limit(
    one: Requirement, r: Ranking, groups: GroupSampler | None, level: float, seed: int, prevalence: float | None
) -> Rule:
    """The condition on a limit of the interval that `estimate` gives at a cut; of shares of cases at every cut.

    At another prevalence it is the bootstrap interval.
    """
    if isinstance(one.term.measure.kind, Proportion) and groups is None and r.integral and prevalence is None:
        return OnFormula(one, level)
    at = np.unique(np.linspace(0, len(r) - 1, min(len(r), _TRIED)).round().astype(np.intp))
    key, is_low = r.key[at], one.term.part == "low"
    times = resamples_for(len(r))
    if prevalence is None:
        asked = [
            of_measure(one.term.measure, r, {"threshold": float(t), **one.term.parameters}, grouped=groups is not None)
            for t in r.thresholds[at + 1]
        ]
        found = estimates(asked, Options(level, resamples=times, seed=seed), groups)
        limit = np.array([estimate.low if is_low else estimate.high for estimate in found])
        return OnLimits(one, r, at, limit, limit - np.array([estimate.value for estimate in found]))

    def at_grid(stack: Ranking) -> Array:
        return np.stack(
            [values_of(one, at_prevalence(counts_at_keys(x, key), prevalence)) for x in stack.one_by_one()]
        )[0 if stack.pos.ndim == 1 else slice(None)]

    draws = np.sort(bootstrap(groups or CaseSampler(r), [at_grid], times, seed).values[0], axis=0)
    limits = percentile(draws, level)
    values = values_of(one, at_prevalence(counts_at_keys(r, key), prevalence))
    limit = np.asarray(limits.low if is_low else limits.high)
    return OnLimits(one, r, at, limit, limit - values, prevalence)


def counts_at_keys(r: Ranking, keys: Any) -> Counts:
    """The tables at thresholds on the scale on which high means positive; a stack takes one for each of its rankings.

    None is flagged where the key is NaN.
    """
    keys = np.asarray(keys, dtype=float)
    place = np.searchsorted(-r.key, -np.nan_to_num(keys, nan=np.inf), side="right")
    tp, fp = take(r.tp, np.asarray(place)), take(r.fp, np.asarray(place))
    threshold = keys if r.higher_is_positive else -keys
    return Counts(tp, fp, r.positives - tp, r.negatives - fp, threshold, r.are_probabilities)
