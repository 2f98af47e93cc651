"""How many cases the weights stand for.

A weight that is a whole number is that many equal rows, as `rank` promises, unless it is said to be a sampling or an
importance weight: n is the sum of the weights. Other weights say how much a case counts, not how many there were: n is
then Kish's effective number, (sum w)^2 / sum w^2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import Counts, divide
from cutline.core.ranking import Ranking

_OTHERWISE = "If they are sampling or importance weights, say so when you evaluate."


class Sizes(NamedTuple):
    """How many positives and how many negatives there are, in effect."""

    positives: Any
    negatives: Any


def squares(r: Ranking) -> Ranking:
    """The ranking whose cells hold what the variance of a sum of them is made of: the squared weights of the cases."""
    return r if r.integral else replace(r, pos=r.pos2, neg=r.neg2)


def effective(r: Ranking) -> Sizes:
    """The effective numbers of positives and negatives."""
    if r.integral:
        return Sizes(r.positives, r.negatives)
    return Sizes(divide(r.positives**2, r.pos2.sum(-1)), divide(r.negatives**2, r.neg2.sum(-1)))


def effective_counts(c: Counts, second: Counts) -> Counts:
    """The counts of a cut scaled, class by class, to the effective numbers of cases; `second` has squared weights."""
    of_positive, of_negative = (  # a class without cases has none in effect
        np.nan_to_num(divide(whole, squared))
        for whole, squared in ((c.positives, second.positives), (c.negatives, second.negatives))
    )
    return Counts(c.tp * of_positive, c.fp * of_negative, c.fn * of_positive, c.tn * of_negative, c.threshold)


def notes(r: Ranking) -> list[str]:
    """What the reader has to know about n."""
    if not r.integral:
        n = divide(r.total**2, (r.pos2 + r.neg2).sum())
        return [f"The weights are not counts: they are worth {n:.1f} cases, the effective number."]
    if r.pos2 is not r.pos and (r.pos2.sum() != r.pos.sum() or r.neg2.sum() != r.neg.sum()):
        return [f"The weights are whole numbers: they count as {r.total} separate cases. {_OTHERWISE}"]
    return []
