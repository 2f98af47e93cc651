"""Tests of predictive values and of ratios: two models' decisions on the same cases, in closed form.

Precision and npv are shares of other cases for each model, those that it flags or not, so that McNemar's test does not
apply. Kosinski's weighted generalised score statistic (2013) compares them; Moskowitz and Pepe (2006) compare their
ratio, by the variance of its logarithm, which is that of the infinitesimal jackknife.
"""

from __future__ import annotations

import math

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Array
from cutline.inference.resampling.pairing import Pairing

PREDICTIVE = ("weighted_generalised_score",)
# By measure: whether it is of the flagged cases, and whether a positive counts.
_OF = {"precision": (True, True), "fdr": (True, False), "npv": (False, False), "false_omission_rate": (False, True)}
MEASURES_OF_THEM = tuple(_OF)


def weighted_generalised_score(pairing: Pairing, flags: tuple[Array, Array], measure: str) -> float:
    """The p-value of equal predictive values (Kosinski 2013).

    Args:
        pairing: The cases.
        flags: Which cells each model flags.
        measure: Which of the predictive values.
    """
    from scipy.special import chdtrc

    of_flagged, of_positive = _OF[measure]
    chosen = [flag == of_flagged for flag in flags]
    hit = pairing.is_positive == of_positive
    sizes = [float(pairing.cases[one].sum()) for one in chosen]
    hits = [float(pairing.cases[one & hit].sum()) for one in chosen]
    if not all(sizes):
        return math.nan
    pooled, both = sum(hits) / sum(sizes), chosen[0] & chosen[1]
    joint_hits, joint = float(pairing.cases[both & hit].sum()), float(pairing.cases[both].sum())
    shared = (joint_hits * (1 - pooled) ** 2 + (joint - joint_hits) * pooled**2) / sum(sizes)
    gap = hits[0] / sizes[0] - hits[1] / sizes[1]
    variance = (pooled * (1 - pooled) - 2 * shared) * (1 / sizes[0] + 1 / sizes[1])
    if variance <= 1e-15:
        return 1.0 if abs(gap) < 1e-12 else math.nan
    return float(chdtrc(1, gap**2 / variance))


def log_ratio_error(pairing: Pairing, changes: tuple[Array, Array], values: tuple[float, float]) -> float:
    """The standard error of the logarithm of the ratio of two models' values, given what each cell's cases change."""
    change = divide(changes[0], values[0]) - divide(changes[1], values[1])
    weighed = change if pairing.integral else change * pairing.weight
    return math.sqrt(float(np.sum(weighed**2 * pairing.cases)))
