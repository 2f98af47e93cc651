"""The variance of measures from what each case changes in them: weights, groups and strata included.

Taylor linearisation, as survey statistics has it: the changes of the cases of a group are added up, and the spread of
these sums within each stratum is the variance. Without groups and strata every case is a group of its own; where only
a ranking is known, the squared weights at its scores say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.inference.effective_size import squares
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler

_LEAST = 1.0 + 1e-9  # cases in effect, with which there is a spread


class Linearised(NamedTuple):
    """The covariance of some measures, and the degrees of freedom it is known with."""

    covariance: Array
    freedom: float

    def quantile(self, level: float) -> float:
        """How many standard errors an interval reaches: Student's quantile, which the normal one is the limit of."""
        from scipy.special import ndtri, stdtrit

        upper = (1 + level) / 2
        return float(ndtri(upper) if np.isinf(self.freedom) else stdtrit(self.freedom, upper))


def linearised(influences: Sequence[Influence], r: Ranking, groups: GroupSampler | None = None) -> Linearised:
    """The covariance of measures of one ranking, given what each case changes in them.

    Args:
        influences: What one case more changes, a table for each measure.
        r: The ranking.
        groups: The cases one by one, with their groups and strata; None where the ranking is all that is known.
    """
    if groups is not None:
        return of_rows([one.of_cells(groups.cell, len(r)) for one in influences], groups)
    second = squares(r)
    size = float(r.total) ** 2 / float(second.total) if float(second.total) else np.nan
    tables = [one.spread(len(r)) for one in influences]
    pos, neg = second.floats
    found = np.array([[pos @ (a[0] * b[0]) + neg @ (a[1] * b[1]) for b in tables] for a in tables])
    return Linearised(found * (size / (size - 1)) if size > _LEAST else np.full_like(found, np.nan), np.inf)


def of_rows(changes: Sequence[Array], groups: GroupSampler) -> Linearised:
    """The covariance from the changes of single cases: the spread of the groups' sums within their strata.

    Args:
        changes: What each row changes in each measure.
        groups: The rows, with their weights, groups and strata.
    """
    weight = groups.weight
    sums = np.stack(
        [np.bincount(groups.group, one if weight is None else one * weight, groups.groups) for one in changes]
    )
    stratum = np.zeros(groups.groups, np.int64) if groups.stratum is None else groups.stratum
    number = np.bincount(stratum)
    centred = sums - np.stack([np.bincount(stratum, row)[stratum] for row in sums]) / number[stratum]
    # A stratum with a single group has no spread of its own: it is left out, as its group has nothing to differ from.
    factor = np.where(number > 1, number / np.maximum(number - 1, 1), 0.0)[stratum]
    freedom = float(groups.groups - len(number))
    if freedom < 1:
        return Linearised(np.full((len(changes), len(changes)), np.nan), np.nan)
    return Linearised((centred * factor) @ centred.T, freedom)
