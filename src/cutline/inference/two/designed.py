"""The difference of two models on cases with weights, groups or strata, by linearisation.

What each case changes in one model and not in the other is added up by groups, and the spread of these sums within
the strata is the variance, as for one model. Student's quantile has as many degrees of freedom as there are groups more
than strata, and fewer where weights leave most of the variance to a few cases.
"""

from __future__ import annotations

import math

import numpy as np

from cutline.inference.effective_size import freedom_of_sum
from cutline.inference.influence import Influence
from cutline.inference.linearisation import of_rows
from cutline.inference.resampling.pairing import Pairing, Question
from cutline.inference.two.differences import StudentDifference
from cutline.inference.two.paired_influence import changes_of


def designed(pairing: Pairing, question: Question, influences: list[Influence], value: float) -> StudentDifference:
    """The difference with the standard error that the design of the sample gives it.

    Args:
        pairing: The models on the same cases.
        question: The measure.
        influences: What one case changes in each model.
        value: The difference.
    """
    one, two = changes_of(pairing, question, influences)
    change, sampler = one - two, pairing.sampler(0)
    if pairing.groups is not None and sampler is not None:
        rows_changed = change[pairing.groups.cell]
        known = of_rows([rows_changed], sampler)
        free = known.freedom
        if sampler.are_single and sampler.weight is not None:
            free = min(free, max(freedom_of_sum((sampler.weight * rows_changed)[rows_changed != 0]), 1.0))
        return StudentDifference(value, math.sqrt(known.covariance[0, 0]), free)
    weight, matters = pairing.weight.astype(float), change != 0
    rows, squares = float(pairing.cases @ weight), float(pairing.cases @ np.square(weight))
    size = rows**2 / squares
    variance = float(pairing.cases @ np.square(weight * change))
    se = math.sqrt(variance * size / (size - 1)) if size > 1 else math.nan
    free = min(size - 1, freedom_of_sum((weight * change)[matters], pairing.cases[matters]))
    return StudentDifference(value, se, max(free, 1.0))


def paired_t(value: float, se: float, size: float) -> StudentDifference:
    """The difference of two means over the same cases, as in the paired t test.

    Args:
        value: The difference.
        se: Its standard error with the number of cases as divisor.
        size: The number of cases.
    """
    free = max(size - 1, 1.0)
    return with_freedom(value, se * math.sqrt(size / free), free)


def with_freedom(value: float, se: float, free: float) -> StudentDifference:
    """The difference with a standard error that is known with so many degrees of freedom, at least one.

    Args:
        value: The difference.
        se: Its standard error.
        free: The degrees of freedom.
    """
    return StudentDifference(value, se, max(float(free), 1.0))
