"""Tests of several models on several data sets, where each data set is one observation.

Sources: Demsar (2006), Statistical comparisons of classifiers over multiple data sets; Benavoli, Corani & Mangili
(2016), Should we really use post-hoc tests based on mean-ranks?
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cutline.core.array_ops import Array

MOST_EXACT = 100  # data sets, up to which the distribution of signed ranks is counted rather than approximated


def rank_models(values: Array, *, higher_is_better: bool = True) -> Array:
    """Return the rank of each model (columns) on each data set (rows): 1 is best, tied models share their mean rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values if higher_is_better else values, axis=1))


@dataclass(frozen=True)
class FriedmanTest:
    """Friedman's test that all models are equal, with the F statistic of Iman and Davenport."""

    chi2: float
    chi2_p_value: float
    f: float
    f_p_value: float
    degrees_of_freedom: tuple[int, int]


def friedman(ranks: Array) -> FriedmanTest:
    """Return Friedman's test of ranks (data sets x models) as in Demsar (2006), without a correction for ties."""
    from scipy.special import chdtrc, fdtrc

    n, k = ranks.shape
    chi2 = max(12 * n / (k * (k + 1)) * (float((ranks.mean(axis=0) ** 2).sum()) - k * (k + 1) ** 2 / 4), 0.0)
    left = n * (k - 1) - chi2
    f = (n - 1) * chi2 / left if left > 1e-9 * n else math.inf  # all data sets rank the models alike
    freedom = (k - 1, (k - 1) * (n - 1))
    # An infinite F would have p = 0, however few the data sets; so often chance alone makes n orders of k models equal.
    p_value = float(fdtrc(*freedom, f)) if math.isfinite(f) else math.exp((1 - n) * math.lgamma(k + 1))
    return FriedmanTest(chi2, float(chdtrc(k - 1, chi2)), f, p_value, freedom)


def compute_critical_difference(models: int, datasets: int, alpha: float) -> float:
    """Return Nemenyi's critical difference: mean ranks farther apart differ at level alpha."""
    return _compute_nemenyi_quantile(models, alpha) * _compute_rank_error(models, datasets)


def _compute_nemenyi_quantile(models: int, alpha: float) -> float:
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, models, math.inf)) / math.sqrt(2)


def _compute_rank_error(models: int, datasets: int) -> float:
    """Return the standard error of the difference of two mean ranks under Friedman's hypothesis."""
    return math.sqrt(models * (models + 1) / (6 * datasets))


def nemenyi(ranks: Array) -> Array:
    """Return the p-value of each pair of models (k x k) by the studentized range of mean ranks."""
    from scipy.stats import studentized_range

    n, k = ranks.shape
    means = ranks.mean(axis=0)
    distance = np.abs(means[:, None] - means[None, :]) / _compute_rank_error(k, n)
    p = np.ones((k, k))
    for a in range(k):
        for b in range(a):
            p[a, b] = p[b, a] = float(studentized_range.sf(distance[a, b] * math.sqrt(2), k, math.inf))
    return p


@dataclass(frozen=True)
class SignedRanks:
    """Wilcoxon's signed-rank test: the rank sums of positive and negative differences, and the two-sided p-value."""

    positive: float
    negative: float
    p_value: float
    exact: bool


def run_signed_rank_test(differences: Array) -> SignedRanks:
    """Return Wilcoxon's signed-rank test of differences, one for each data set.

    Differences of 0 are ranked and their ranks split evenly between the sums (Pratt; Demsar 2006). The p-value is
    exact, also with ties, up to 100 data sets: it counts the signs that could have come.
    """
    from scipy.stats import norm, rankdata

    # differences that are equal in decimals must tie: 0.1 + 0.2 is not 0.3 in binary
    ranks = rankdata(np.round(np.abs(differences), 12))
    sign = np.sign(np.round(differences, 12))
    moving = ranks[sign != 0]
    half = float(ranks[sign == 0].sum()) / 2
    positive, negative = (float(ranks[sign == s].sum()) + half for s in (1, -1))
    if not len(moving):
        return SignedRanks(positive, negative, 1.0, exact=True)
    smaller = min(positive, negative) - half
    if len(differences) > MOST_EXACT:
        deviation = math.sqrt(float((moving**2).sum()) / 4)
        z = min((smaller + 0.5 - float(moving.sum()) / 2) / deviation, 0.0)
        return SignedRanks(positive, negative, min(1.0, 2 * float(norm.cdf(z))), exact=False)
    doubled = np.rint(2 * moving).astype(int)  # mean ranks are multiples of one half
    ways = np.ones(1)
    for step in doubled:  # each sign is as likely: the sums of those that are negative
        ways = (np.r_[ways, np.zeros(step)] + np.r_[np.zeros(step), ways]) / 2
    tail = float(ways[: round(2 * smaller) + 1].sum())
    return SignedRanks(positive, negative, min(1.0, 2 * tail), exact=True)


def find_cliques(means: Array, different: Array) -> list[tuple[int, ...]]:
    """Return the largest runs of models, in order of their mean ranks, in which no two differ.

    Args:
        means: The mean rank of each model.
        different: Whether each pair of models (k x k) differs significantly.
    """
    order = np.argsort(means, kind="stable")
    runs: list[tuple[int, ...]] = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not different[np.ix_(order[start : end + 1], order[start : end + 1])].any():
            end += 1
        if end - start > 1 and (not runs or order[end - 1] not in runs[-1]):
            runs.append(tuple(int(model) for model in order[start:end]))
    return runs
