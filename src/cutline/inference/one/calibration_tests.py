"""Whether probabilities are what they say: two tests that need no bins."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cutline.core.ranking import Ranking
from cutline.inference.effective_size import squares


class Calibration(NamedTuple):
    """What the probabilities promise and what was seen, each pair with its z value (NaN when there is none).

    `expected` and `observed` are the share of positives; `promised` and `brier` the Brier score.
    """

    expected: float
    observed: float
    z_share: float
    promised: float
    brier: float
    z_brier: float


def calibration(r: Ranking) -> Calibration:
    """Calibration in the large, and Spiegelhalter's test (1986), for a ranking of probabilities of independent cases.

    >>> found = calibration(Ranking.of_counts([0.8, 0.2], [8, 2], [2, 8]))  # just what they say
    >>> found.z_share, abs(round(found.z_brier, 9))
    (0.0, 0.0)
    """
    p, (pos, neg), second = r.key, r.floats, squares(r)
    n, total, spread = pos + neg, float(r.total), p * (1 - p)
    squared = second.pos.astype(float) + second.neg.astype(float)
    excess, lean = pos - p * n, 1 - 2 * p
    return Calibration(
        expected=float(p @ n) / total,
        observed=float(r.positives) / total,
        z_share=_z(float(excess.sum()), float(squared @ spread)),
        promised=float(spread @ n) / total,
        brier=float(pos @ (1 - p) ** 2 + neg @ p**2) / total,
        z_brier=_z(float(excess @ lean), float(squared @ (lean**2 * spread))),
    )


def _z(surplus: float, variance: float) -> float:
    return surplus / math.sqrt(variance) if variance > np.finfo(float).tiny else math.nan
