"""The aggregation of arrays into bins, which tests compare with that of engines."""

import numpy as np

from cutline.inputs.binning import MIDDLE, STEPS, Bins, find_part


def aggregate_arrays(score, is_positive, weight=None, edge=np.inf):
    """Return what engines do elsewhere, for arrays in memory."""
    score = score.astype(float, copy=False)

    def aggregate(divisions):
        return _of_rows(score, is_positive, weight, edge, divisions)

    return aggregate


def _of_rows(score, is_positive, weight, edge, divisions):
    number = 2 * find_magnitude(score) + (score >= edge)
    inside = np.ones(len(score), bool)
    for division in divisions:
        where = _lookup(division.number, number)
        inside = where >= 0
        at = where[inside]
        part = find_part(score[inside], division.low[at], division.span[at], division.parts[at])
        number[inside] = division.start[at] + part
    mine, heavy = score[inside], None if weight is None else weight[inside]
    distinct, code = np.unique(number[inside], return_inverse=True)
    count = len(distinct)
    top, bottom = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(top, code, mine)
    np.minimum.at(bottom, code, mine)
    classes = is_positive[inside], ~is_positive[inside]
    pos, neg = (_sum_weights(code, in_class, heavy, count) for in_class in classes)
    squares = (
        (None, None) if heavy is None else (_sum_weights(code, in_class, heavy * heavy, count) for in_class in classes)
    )
    return Bins(top, bottom, pos, neg, distinct, *squares)


def _sum_weights(code, chosen, weight, count):
    if weight is None:
        return np.bincount(code[chosen], minlength=count)
    return np.bincount(code[chosen], weights=weight[chosen], minlength=count).astype(weight.dtype)


def _lookup(known, numbers):
    """Return the position of each number among the known ones; -1 where it is unknown."""
    order = np.argsort(known)
    at = order[np.minimum(np.searchsorted(known, numbers, sorter=order), len(known) - 1)]
    return np.asarray(np.where(known[at] == numbers, at, -1))


def find_magnitude(score):
    """Return the bin of the first pass: the sign and the order of magnitude of a score, in `STEPS` steps to a
    doubling.
    """
    with np.errstate(divide="ignore"):
        size = np.floor(STEPS * np.log2(np.abs(score)))
    # Infinity is the last, nought the first.
    size = np.where(score == 0, 0.0, np.clip(size, -40_000, 40_000) + MIDDLE)
    return np.asarray(np.copysign(size, score)).astype(np.int64)
