"""The honest band of a calibration curve: wherever it rises, it holds the whole curve, whatever the number of cases.

Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2022): a curve that never falls is at each score at least the lower limit
of the share of positives in any run of scores that ends there or before, and at most the upper limit in any that begins
there or after. Each of the N (N + 1) limits is Clopper and Pearson's, at the level divided by their number.
"""

from __future__ import annotations

import numpy as np

from cutline.core.last_axis import Array

_AT_ONCE = 32  # ends of runs that are looked at together
_ROUNDING = 1e-9  # what rounding can take from a limit, relative to it, and much more


def honest_limits(pos: Array, neg: Array, level: float) -> tuple[Array, Array]:
    """The lower and the upper limit at each score, for counts in ascending order of the scores.

    >>> low, high = honest_limits(np.array([0, 100]), np.array([100, 0]), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.953], [0.047, 1.0])
    """
    alpha = (1 - level) / (len(pos) * (len(pos) + 1))
    low = _lower(pos, neg, alpha)
    # What is said of the negatives from above is said of the positives from below.
    return low, 1 - _lower(neg[::-1], pos[::-1], alpha)[::-1]


def _lower(pos: Array, neg: Array, alpha: float) -> Array:
    """The largest lower limit of all runs that end at each score or before."""
    from scipy.special import betainc, betaincinv

    positives, cases = (np.concatenate(([0], np.cumsum(cells))) for cells in (pos, pos + neg))
    # A run that begins or ends with a score without a positive is beaten by the one without it; and one that could
    # begin earlier, with a score that has positives only, by the one that does.
    ends = np.flatnonzero(pos > 0)
    starts = ends[~((np.append(0, pos[:-1])[ends] > 0) & (np.append(1, neg[:-1])[ends] == 0))]
    limit, found = 0.0, np.zeros(len(pos))
    for i in range(0, len(ends), _AT_ONCE):
        last = ends[i : i + _AT_ONCE]
        first = starts[: np.searchsorted(starts, last[-1], side="right")]
        row, column = _promising(positives, cases, last, first, limit, alpha)
        k, n = (total[last[row] + 1] - total[first[column]] for total in (positives, cases))
        if limit > 0:
            better = betainc(k, n - k + 1, limit) < alpha
            row, k, n = row[better], k[better], n[better]
        row, k, n = _leading(row, k, n, alpha)
        np.maximum.at(found, last[row], betaincinv(k, n - k + 1, alpha))
        limit = max(limit, float(found[last].max()))
    return np.maximum.accumulate(found)


def _leading(row: Array, k: Array, n: Array, alpha: float) -> tuple[Array, Array, Array]:
    """Of runs with k positives among n cases, those whose limit may be the largest of their row.

    A limit takes long to find, and it is quickly seen whether a run has a higher one than a limit that is known: so
    that of a promising run of each row is found first, and only runs that may beat it are left.
    """
    from scipy.special import betainc, betaincinv, ndtri

    if not len(row):
        return row, k, n
    share = k / n
    about = share + ndtri(alpha) * np.sqrt(share * (1 - share) / n)
    starts = np.flatnonzero(np.diff(row, prepend=-1))  # the runs come row by row
    own = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(row))))
    chosen = np.flatnonzero(about == np.maximum.reduceat(about, starts)[own])
    limits = np.zeros(len(starts))
    np.maximum.at(limits, own[chosen], betaincinv(k[chosen], n[chosen] - k[chosen] + 1, alpha))
    stays = betainc(k, n - k + 1, limits[own] * (1 - _ROUNDING)) < alpha
    stays[chosen] = True
    return row[stays], k[stays], n[stays]


def _promising(
    positives: Array, cases: Array, last: Array, first: Array, limit: float, alpha: float
) -> tuple[Array, Array]:
    """The runs whose limit may exceed that already found: those with enough positives for their length."""
    k = positives[last + 1][:, None] - positives[first]
    n = cases[last + 1][:, None] - cases[first]
    lengths = np.unique(np.geomspace(1, max(int(n.max()), 1), 300).astype(np.int64))
    needed = _needed(lengths, limit, alpha)
    row, column = np.nonzero((n > 0) & (k >= needed[np.searchsorted(lengths, np.maximum(n, 1), side="right") - 1]))
    return row, column


def _needed(n: Array, limit: float, alpha: float) -> Array:
    """How many positives of n cases it takes at least for a lower limit above the given one; it grows with n."""
    from scipy.special import betainc

    if limit <= 0:
        return np.zeros(len(n))
    # Bisection on the number of positives: the limit is exceeded when so many would be rarer than alpha.
    low, high = np.zeros(len(n)), n + 1.0
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        inside = np.clip(middle, 1, n)
        is_enough = (middle >= 1) & (betainc(inside, n - inside + 1, limit) < alpha)
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return high
