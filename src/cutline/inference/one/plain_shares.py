"""Intervals of shares that no cut makes: of the positives among all cases, and of the pairs that have a property."""

from __future__ import annotations

import numpy as np

from cutline.core.ranking import dot
from cutline.inference.effective_size import effective
from cutline.inference.one import proportions
from cutline.inference.one.estimand import Estimand
from cutline.measures.kinds import OfPrevalence, ShareOfPairs
from cutline.results.estimate import Limits

_PLACES = 401  # at which a function of the prevalence is looked at between its limits


def applies(estimand: Estimand) -> bool:
    """Whether a measure is such a share, or a function of one."""
    return isinstance(estimand.kind, OfPrevalence | ShareOfPairs)


def limits(estimand: Estimand, level: float) -> Limits:
    """Wilson's limits, for as many cases, or pairs, as the share is worth."""
    kind = estimand.kind
    if isinstance(kind, ShareOfPairs):
        return _of_pairs(estimand, kind, level)
    assert isinstance(kind, OfPrevalence)  # noqa: S101
    r, size = estimand.ranking, float(sum(effective(estimand.ranking)))
    share = float(r.positives / r.total)
    low, high = proportions.wilson(share * size, size, level)
    even = np.clip([share, 0.5], low, high)  # such functions are symmetric: their top is exact
    there = kind.of(np.append(np.linspace(float(low), float(high), _PLACES), even), **estimand.parameters)
    return Limits(float(np.min(there)), float(np.max(there)))


def _of_pairs(estimand: Estimand, kind: ShareOfPairs, level: float) -> Limits:
    """The variance of a share of pairs is that of what each case has, as in DeLong's, where single pairs count twice.

    It is at least that of so many independent pairs.
    """
    r, share = estimand.ranking, estimand.value
    size = effective(r)
    positives, negatives = (max(float(n), 1.0) for n in size)
    single = share * (1 - share) / (positives * negatives)
    variance = -single
    for cases, total, mine, n in zip(
        (r.pos, r.neg), (float(r.positives), float(r.negatives)), kind.of(r), (positives, negatives), strict=True
    ):
        variance += float(dot(cases.astype(float), np.square(mine - share))) / total / max(n - 1, 1.0)
    worth = share * (1 - share) / max(variance, single) if single > 0 else positives * negatives
    low, high = proportions.wilson(share * worth, worth, level)
    return Limits(float(low), float(high))
