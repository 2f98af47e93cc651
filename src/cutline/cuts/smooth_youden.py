"""Ways to find the best cut that vary less from sample to sample than the raw optimum.

A smoothed criterion, and Youden's J from smooth distributions of the two classes: normal ones, or kernel estimates.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.inference.effective_size import effective

SPAN = 0.3  # share of the cuts in a window of the local regression
_SMOOTHED = 400  # cuts at which the criterion is smoothed, at most
_CELLS = 512  # of the histogram that stands in for the scores in a kernel estimate
_TRIED = 256  # thresholds at which a kernel estimate is compared


def smoothed(values: Array, share: Array) -> Array:
    """Return the criterion after local quadratic regression over the share flagged; -inf stays what it is.

    With more cuts than are worth it, some are smoothed and the others interpolated.
    """
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < 5:
        return values
    x, y = share[known], values[known]
    window = max(5, math.ceil(SPAN * len(known)))
    at = np.unique(np.linspace(0, len(known) - 1, min(len(known), _SMOOTHED)).round().astype(np.intp))
    start = np.clip(np.searchsorted(x, x[at]) - window // 2, 0, len(known) - window)
    inside = np.unique(np.linspace(0, window - 1, min(window, _SMOOTHED)).round().astype(np.intp))
    near = start[:, None] + inside
    away = x[near] - x[at][:, None]
    reach = np.maximum(np.abs(away).max(1, keepdims=True), 1e-12)
    weight = np.clip(1 - np.abs(away / reach) ** 3, 1e-9, None) ** 3  # tricube
    z = away / reach
    basis = np.stack([np.ones_like(z), z, z * z])
    gram = np.einsum("iab,ab,jab->aij", basis, weight, basis) + 1e-10 * np.eye(3)
    right = np.einsum("iab,ab,ab->ai", basis, weight, y[near])
    fitted = np.linalg.solve(gram, right[..., None])[:, 0, 0]
    density = np.full(len(values), -np.inf)
    density[known] = np.interp(x, x[at], fitted)
    return density


def moments(r: Ranking) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and standard deviation of the scores of the positives, and of the negatives; high means positive."""
    pairs = []
    for weights, n in zip(r.floats, effective(r), strict=True):
        mean = float(np.average(r.key, weights=weights))
        variance = float(np.average((r.key - mean) ** 2, weights=weights))
        pairs.append((mean, math.sqrt(variance * float(n) / max(float(n) - 1, 1e-9))))
    return pairs[0], pairs[1]


def normal_youden(r: Ranking) -> float:
    """Return the threshold with the largest J if both classes were normal: where their densities cross between the
    means.
    """
    if not np.isfinite(r.key[[0, -1]]).all():
        return math.nan
    (m1, s1), (m0, s0) = moments(r)
    if not (s1 > 0 and s0 > 0 and m1 > m0):
        return math.nan
    if math.isclose(s1, s0, rel_tol=1e-9):
        return (m1 + m0) / 2
    v1, v0 = s1 * s1, s0 * s0
    a, b = 1 / v0 - 1 / v1, m1 / v1 - m0 / v0
    c = m0 * m0 / v0 - m1 * m1 / v1 - 2 * math.log(s1 / s0)
    root = math.sqrt(max(b * b - a * c, 0.0))
    crossing = [(-b - root) / a, (-b + root) / a]
    inside = [t for t in crossing if m0 <= t <= m1]
    if inside:
        return inside[0]
    # Spreads that differ much put the crossing outside; J is then largest at whichever crossing has the larger.
    return max(crossing, key=lambda t: _sf((t - m1) / s1) - _sf((t - m0) / s0))


def _sf(z: float) -> float:
    return math.erfc(z / math.sqrt(2)) / 2


def kernel_youden(r: Ranking) -> float:
    """Return the threshold with the largest J of Gaussian kernel estimates, with Silverman's bandwidth for each
    class.
    """
    from scipy.special import ndtr

    if not np.isfinite(r.key[[0, -1]]).all():
        return math.nan
    (_, s1), (_, s0) = moments(r)
    if not (s1 > 0 and s0 > 0):
        return math.nan
    low, high = float(r.key[-1]), float(r.key[0])
    edges = np.linspace(low, high, _CELLS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    tried = np.linspace(low, high, _TRIED)
    j: Any = 0.0
    for sign, weights, spread, n in zip((1, -1), r.floats, (s1, s0), effective(r), strict=True):
        width = 0.9 * min(spread, _range(r.key, weights) / 1.34 or spread) * float(n) ** -0.2
        cells = np.histogram(r.key, edges, weights=weights)[0]
        j = j + sign * ndtr((middle - tried[:, None]) / width) @ cells / weights.sum()
    best = int(np.argmax(j))
    if not 0 < best < _TRIED - 1:
        return float(tried[best])
    before, here, after = j[best - 1 : best + 2]  # the top of the parabola through the best and its neighbours
    bend = before - 2 * here + after
    shift = 0.0 if bend == 0 else 0.5 * (before - after) / bend
    return float(tried[best] + shift * (tried[1] - tried[0]))


def _range(key: Array, weights: Array) -> float:
    """Return the distance between the quartiles."""
    total = weights.cumsum()
    upper, lower = np.searchsorted(total, (0.25 * total[-1], 0.75 * total[-1]))
    return float(key[upper] - key[lower])
