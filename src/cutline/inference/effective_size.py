"""Effective sample sizes of weighted cases.

A weight that is a whole number is that many equal rows, as `rank` promises, unless it is said to be a sampling or an
importance weight: n is the sum of the weights. Other weights say how much a case counts, not how many there were: n is
then Kish's effective number, (sum w)^2 / sum w^2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, as_number, choose
from cutline.core.counts import Counts, divide
from cutline.core.ranking import Ranking
from cutline.inference import constants
from cutline.measures.forms import Moments

_OTHERWISE = "If they are sampling or importance weights, say so when you evaluate."


class Sizes(NamedTuple):
    """Effective numbers of positives and of negatives."""

    positives: Any
    negatives: Any


def square_weights(r: Ranking) -> Ranking:
    """Return the ranking of squared weights, for the variance of a weighted sum."""
    return r if r.integral else r.squared


def compute_effective_sizes(r: Ranking) -> Sizes:
    """Return the effective numbers of positives and negatives."""
    if r.integral:
        return Sizes(r.positives, r.negatives)
    of_positives, of_negatives = r.squared_weights
    return Sizes(divide(r.positives**2, of_positives), divide(r.negatives**2, of_negatives))


def scale_to_effective_counts(c: Counts, second: Counts) -> Counts:
    """Return the counts of a cut scaled to each class's effective sample size; `second` has squared weights."""
    of_positive, of_negative = (  # a class without cases has none in effect
        np.nan_to_num(divide(whole, squared))
        for whole, squared in ((c.positives, second.positives), (c.negatives, second.negatives))
    )
    return Counts(c.tp * of_positive, c.fp * of_negative, c.fn * of_positive, c.tn * of_negative, c.threshold)


def has_weight_trend(r: Ranking) -> bool:
    """Whether the weights of a class rise or fall with the scores, as when high scores are sampled more often."""
    if r.integral:
        return False
    for cells, second in ((r.pos, r.pos2), (r.neg, r.neg2)):
        some = cells > 0
        weight = np.log(divide(second[some], cells[some]))
        number, place = cells[some] ** 2 / second[some], -np.cumsum(cells)[some] / cells.sum()
        if len(weight) < constants.SCORES_FOR_A_TREND:
            continue
        spread = np.cov(weight, place, aweights=number)
        if spread[0, 0] > constants.WEIGHTS_SPREAD**2 and abs(spread[0, 1]) > constants.WEIGHTS_TREND * np.sqrt(
            spread[0, 0] * spread[1, 1]
        ):
            return True
    return False


def compute_freedom_of_sum(parts: Array, times: Any = 1) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of squares: few if a few squares make most of it.

    Equal squares take none away: the number is infinite.

    Args:
        parts: What is squared: the weight of a case times what it changes.
        times: How many cases have each of them.

    >>> compute_freedom_of_sum(np.array([1.0, -1.0, 1.0]))
    inf
    >>> round(compute_freedom_of_sum(np.array([1.0, 1.0, 1.0, 10.0])), 2)
    2.89
    """
    return float(compute_freedom_of_moments(compute_moments_of_sum(parts, times)))


def compute_moments_of_sum(parts: Array, times: Any = 1) -> Moments:
    """Return the sums of squares and fourth powers of the parts of a sum.

    Args:
        parts: What is squared.
        times: How many cases have each of them.
    """
    square = np.square(parts, dtype=float)
    number = times.sum() if np.shape(times) == square.shape else (times * np.ones_like(square)).sum()
    return Moments(*map(as_number, (number, (times * square).sum(), (times * square**2).sum())))


def compute_freedom_of_moments(moments: Moments) -> Any:
    """Return the degrees of freedom of a variance, given the moments of the sum that it is of."""
    number, second, fourth = moments
    beyond = fourth - np.where(number > 0, divide(second**2, number), fourth)
    return choose(beyond > 1e-9 * fourth, lambda: 2 * second**2 / beyond, lambda: np.inf)


def describe_weights(r: Ranking) -> list[str]:
    """Return the notes on the effective sample size, in a new list."""
    return list(r.cached("notes on weights", lambda: _describe_weights(r)))


def _describe_weights(r: Ranking) -> list[str]:
    if not r.integral:
        n = divide(r.total**2, (r.pos2 + r.neg2).sum())
        return [f"The weights are not counts: they are worth {n:.1f} cases, the effective sample size."]
    if r.pos2 is not r.pos and (r.pos2.sum() != r.pos.sum() or r.neg2.sum() != r.neg.sum()):
        return [f"The weights are whole numbers: they count as {r.total} separate cases. {_OTHERWISE}"]
    return []
