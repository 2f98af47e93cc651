"""Score bands: the list from its safest end in bands of whole cases, as credit departments read it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking


class ScoreBands(NamedTuple):
    """Bands of scores from the safest cases on, none of which splits cases of one score.

    Attributes:
        low: The lowest score of each band.
        high: The highest score of each band.
        cases: The cases in each band.
        positives: The positives in each band.
        approved: The share of all cases in this band and those before it.
        rate_approved: The share of positives among them.
        separation: The share of the positives that are not approved minus that of the negatives.
    """

    low: Array
    high: Array
    cases: Array
    positives: Array
    approved: Array
    rate_approved: Array
    separation: Array


def score_bands(r: Ranking, bands: int = 10) -> ScoreBands:
    """Divide a ranking into bands of about as many cases each; cases of one score stay together.

    Args:
        r: The ranking, whose last cases are the safest.
        bands: How many bands there are at most.

    >>> found = score_bands(Ranking.of_counts([4, 3, 2, 1], [2, 1, 1, 0], [0, 1, 1, 2]), 2)
    >>> found.cases.tolist(), found.positives.tolist(), found.approved.tolist()
    ([4.0, 4.0], [1.0, 3.0], [0.5, 1.0])
    """
    ends = np.asarray(r.ends, dtype=float)
    goal = float(r.total) * np.linspace(0, 1, bands + 1)
    after = np.searchsorted(ends, goal).clip(1, len(ends) - 1)
    nearest = np.where(goal - ends[after - 1] <= ends[after] - goal, after - 1, after)
    edges = np.unique(nearest)[::-1]  # from the safest end
    tp, fp = np.asarray(r.tp, dtype=float)[edges], np.asarray(r.fp, dtype=float)[edges]
    first, last = r.score[edges[1:]].astype(float), r.score[edges[:-1] - 1].astype(float)
    cases, positives = ends[edges[:-1]] - ends[edges[1:]], tp[:-1] - tp[1:]
    approved = np.cumsum(cases)
    return ScoreBands(
        low=np.minimum(first, last),
        high=np.maximum(first, last),
        cases=cases,
        positives=positives,
        approved=approved / float(r.total),
        rate_approved=divide(np.cumsum(positives), approved),
        separation=divide(tp[1:], float(r.positives)) - divide(fp[1:], float(r.negatives)),
    )
