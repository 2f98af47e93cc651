"""Local regression of a share on a score: Cleveland's loess, on distinct points with multiplicities.

Three variants that the field uses, because the number that is read off the curve depends on them:

- "loess" is what R's `loess` does by default: tricube weights, fits at the corners of a k-d tree, joined by cubics;
- "loess_direct" has the same weights, but is fitted at every point (R's `surface = "direct"`);
- "epanechnikov" is fitted at every point too, with Epanechnikov's weights (Python's `localreg`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array

SMOOTHERS = ("loess", "loess_direct", "epanechnikov")
_CELL = 0.2  # a cell of the tree holds at most this part of a window
_MARGIN = 0.005  # by which the outer corners lie beyond the data
_AT_ONCE = 1_000_000  # numbers of a stack that are held at a time
_IN_CACHE = 24_576  # distances that are worked on at once
_BLOCK = 1024  # points that are summed at a time, wherever a window starts: no sum depends on what is smoothed along
_OPEN = 1e-6  # determinant, the diagonal being 1, below which a system may have no single solution
_NARROWEST = 1e-300  # of a window: below, quotients would leave the range of floats
_TINY = 1e-12  # of all points: below, products of their moments might be nothing
_PIECE = 2**18  # points of a long list at which the curves of resamples are read together
_PIECE_OF_ONE = 2**15  # ... and one curve, cell by cell
_SEARCHED = 2**16  # points of a list, from which on windows are searched instead of listed, which then takes longer
_FEW = 64  # ... and points of the list for each place
_SMALL = 0.04  # width of a stretch that is condensed, in radii of the window
_FEWEST = 4  # distinct points below which there is nothing to smooth


def rescale_if_tiny(x: Array) -> Array:
    """Rescale tiny points by a power of two, so that their squares do not underflow.

    This is exact, and the curve does not depend on the unit of the points. Other points are left alone.

    >>> rescale_if_tiny(np.array([0.25, 0.5])), rescale_if_tiny(np.array([2.0**-200, 2.0**-199]))
    (array([0.25, 0.5 ]), array([0.25, 0.5 ]))
    """
    largest = float(np.max(np.abs(x), initial=0.0))
    return x if not 0 < largest < _TINY else np.asarray(np.ldexp(x, -math.frexp(largest)[1]))


def smooth(
    x: Array,
    weight: Array,
    y: Array,
    method: str = "loess",
    span: float = 0.75,
    degree: int = 2,
    is_whole: bool = True,
) -> Array:
    """Return the smooth curve at each of the distinct points `x`, which ascend, of cases with a weight and a mean
    response.

    `weight` and `y` may have a leading axis, of resamples on the same points; a point without weight is not there.
    A row gives the same in a stack as alone. Weights that are not counts (`is_whole` is false) have no last case.

    >>> x = np.arange(10.0)
    >>> bool(np.allclose(smooth(x, np.ones(10), 2 * x), 2 * x))
    True
    """
    weights, means = np.atleast_2d(weight), np.atleast_2d(y)
    rows = max(1, _AT_ONCE // (16 * len(x)))
    parts = [
        _smooth(x, weights[i : i + rows], means[i : i + rows], method, span, degree, is_whole)
        for i in range(0, len(means), rows)
    ]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(np.shape(y))


class Cubics(NamedTuple):
    """The curve of "loess": values and slopes at the corners of its cells, a row for each resample."""

    corners: Array
    value: Array
    slope: Array

    def at(self, x: Array) -> Array:
        """Return the curve at points that ascend."""
        values = np.empty((len(self.corners), len(x)))
        if len(values) == 1:
            for i in range(0, len(x), _PIECE_OF_ONE):
                part = slice(i, i + _PIECE_OF_ONE)
                _write_curve(x[part], self.corners[0], self.value[0], self.slope[0], out=values[0, part])
            return values
        for i in range(0, len(x), _PIECE):
            values[:, i : i + _PIECE] = _make_hermite_cubics(x[i : i + _PIECE], *self)
        return values


def fit_cubics(x: Array, weight: Array, y: Array, span: float = 0.75, degree: int = 2, is_whole: bool = True) -> Cubics:
    """Return the curve of "loess" as the few numbers that it is made of; the arguments are those of `smooth`, with
    rows.
    """
    shared = weight[:1] if _is_shared(weight) else weight
    ends, near = _count_window_cases(shared, span, degree, is_whole)
    corners = _find_corners(x, shared, ends, span, is_whole)
    value, slope = _fit_polynomials(x, shared, y, ends, corners, near, "loess", degree)
    return Cubics(np.broadcast_to(corners, value.shape), value, slope)


class Condensed(NamedTuple):
    """Points that take the place of stretches of a list: each row has the same sums of polynomials as its stretch."""

    x: Array
    size: Array
    pos: Array
    start: Array  # the place in the list with which each stretch begins
    length: int  # how many places each has
    loose: Array  # the places that are in no stretch


def fit_cubics_of_long(
    x: Array, pos: Array, neg: Array, condensed: Condensed, span: float = 0.75, degree: int = 2
) -> Cubics:
    """Return the curve of "loess" of a long list of cases, from the sums over its stretches.

    Args:
        x: The distinct points, which ascend.
        pos: The number of positives at each.
        neg: The number of negatives at each.
        condensed: The same points in stretches.
        span: The share of the cases in a window.
        degree: The degree of the local polynomial.
    """
    ends = np.add(pos, neg, dtype=float)[None]
    np.cumsum(ends[0], out=ends[0])
    near = _cases_of_windows(ends, span, degree, is_whole=True)
    corners = _find_corners(x, ends, ends, span, is_whole=True)
    radii = _find_radii(x, ends, corners, near)
    sums = [
        _sum_long_moments(x, pos, neg, condensed, *window, degree) for window in zip(corners[0], radii[0], strict=True)
    ]
    powers, rights = (np.stack(part) for part in zip(*sums, strict=True))
    value, slope = _solve_normal_equations(powers, rights, radii[0], degree)
    return Cubics(corners, value[None], slope[None])


def _sum_long_moments(
    x: Array, pos: Array, neg: Array, condensed: Condensed, at: float, radius: float, degree: int
) -> tuple[Array, Array]:
    """Return the sums in the normal equations at one point: over the points of the stretches on which the kernel is a
    polynomial, and over the cases of the others.
    """
    radius = max(radius, _NARROWEST)
    start, length = condensed.start, condensed.length
    low, high = x[start], x[start + length - 1]
    is_smooth = (low >= at - radius) & (high <= at + radius) & ((high <= at) | (low >= at))
    is_smooth &= high - low <= _SMALL * radius
    is_cut = ~is_smooth & (high > at - radius) & (low < at + radius)
    cells = np.concatenate(((start[is_cut, None] + np.arange(length)).ravel(), condensed.loose))
    u = np.concatenate((condensed.x[is_smooth].ravel(), x[cells]))
    u -= at
    u /= radius
    np.clip(u, -1.0, 1.0, out=u)
    kernel = _compute_kernel(np.abs(u), "loess")
    both = []
    for nodes, weights, highest in (
        (condensed.size, pos[cells] + neg[cells], 2 * degree),
        (condensed.pos, pos[cells], degree),
    ):
        weight = np.concatenate((nodes[is_smooth].ravel(), weights))
        weight *= kernel
        sums = []
        for _ in range(highest + 1):
            sums.append(weight.sum())
            weight *= u
        both.append(np.array(sums))
    return both[0], both[1]


def _is_shared(weight: Array) -> bool:
    """Whether all rows have the same cases at each point, so that their windows and kernels are the same."""
    return len(weight) > 1 and bool((weight[1] == weight[0]).all() and (weight == weight[0]).all())


def _count_window_cases(weight: Array, span: float, degree: int, is_whole: bool) -> tuple[Array, Array]:
    """Count the cases up to each point, and the cases of a window."""
    ends = np.cumsum(weight, axis=-1, dtype=float)
    return ends, _cases_of_windows(ends, span, degree, is_whole)


def _cases_of_windows(ends: Array, span: float, degree: int, is_whole: bool) -> Array:
    size = ends[:, -1]
    near = np.minimum(size, np.floor(size * span + 1e-5)) if is_whole else size * min(span, 1.0)
    return np.maximum(near, np.minimum(size, degree + 1.0)) if is_whole else near


def _smooth(x: Array, weight: Array, y: Array, method: str, span: float, degree: int, is_whole: bool) -> Array:
    if method == "loess":
        values = fit_cubics(x, weight, y, span, degree, is_whole).at(x)
    else:
        ends, near = _count_window_cases(weight, span, degree, is_whole)
        values = _fit_polynomials(x, weight, y, ends, np.broadcast_to(x, y.shape), near, method, degree)[0]
    few = np.count_nonzero(weight, axis=-1) < _FEWEST
    return np.where(few[:, None], y, values) if few.any() else values


def _find_corners(x: Array, weight: Array, ends: Array, span: float, is_whole: bool) -> Array:
    """Return the ends of the cells of a one-dimensional k-d tree, a row for each resample: cells are halved down to few
    cases.

    Rows that need fewer corners repeat the last one.
    """
    size = ends[:, -1:]
    most = np.floor(size * span * _CELL) if is_whole else size * span * _CELL
    first, last = x[np.argmax(weight > 0, axis=-1)], x[np.argmax(ends >= size, axis=-1)]
    margin = _MARGIN * np.maximum(last - first, 1e-10 * np.maximum(np.abs(first), np.abs(last)) + 1e-30)
    outer = (last + margin)[:, None]
    cells = np.stack((np.zeros(size.shape), size, (first - margin)[:, None], outer))  # of one level of the tree
    corners = [*cells[2:]]
    while cells.size:
        start, end, low, high = cells
        middle = np.floor((start + 1 + end) / 2) if is_whole else (start + end) / 2
        cut = _find_nearest_end(ends, middle, start, end)
        at = x[np.minimum(_count_below(ends, cut), len(x) - 1)]
        is_split = (end - start > most) & (at != low) & (at != high) & (start < cut) & (cut < end)
        some = is_split.any(0)
        corners.append(np.where(is_split, at, outer)[:, some])
        # A cell that is not split has no cases in its two halves, so that they are not split either.
        left = np.stack((start, np.where(is_split, cut, start), low, at))
        right = np.stack((np.where(is_split, cut, end), end, at, high))
        cells = np.concatenate((left, right), axis=-1)[..., np.tile(some, 2)]
    return np.sort(np.hstack(corners), axis=-1)


def _count_below(ends: Array, places: Array) -> Array:
    """Count the running totals of each row below each of its places."""
    if len(ends) == 1:  # one row is searched, which needs no column of its length
        return np.searchsorted(ends[0], places)
    return np.asarray((ends[:, None] < places[..., None]).sum(-1))


def _find_nearest_end(ends: Array, middle: Array, start: Array, end: Array) -> Array:
    """Return the end of a tie nearest to the middle of each cell, the later of two; the middle if none is
    inside.
    """
    later = np.minimum(_count_below(ends, middle), ends.shape[-1] - 1)
    up = np.take_along_axis(ends, later, -1) - middle
    down = np.where(later > 0, middle - np.take_along_axis(ends, np.maximum(later - 1, 0), -1), math.inf)
    reach = end - middle  # the search looks equally far on both sides, and stops at the end of the cell
    is_up = (up <= down) & (up < reach)
    is_down = (up > down) & (down < reach) & (middle - down > start)
    return np.where(is_up, middle + up, np.where(is_down, middle - down, middle))


def _find_radii(x: Array, ends: Array, at: Array, near: Array) -> Array:
    """Return the radius of the window around each point: the distance of its `near`-th nearest case.

    A window that starts at a point stops at the first point with which it holds enough cases. A later start has a later
    stop, so that the narrowest window around a point is where the distances to start and stop cross.
    """
    radius = np.empty(at.shape)
    last = len(x) - 1
    for totals, places, mass, radii in zip(ends, at, near * (1 - 1e-12), radius, strict=True):
        if len(x) >= max(_SEARCHED, _FEW * len(places)):
            radii[:] = _search_radii(x, totals, places, mass)
            continue
        stop = np.searchsorted(totals, np.concatenate(([0.0], totals[:-1])) + mass)
        starts = int(np.searchsorted(stop, last, side="right"))  # a window that starts later never holds enough
        stop = np.minimum(stop[: max(starts, 1)], last)
        first = np.minimum(np.searchsorted(x[: len(stop)] + x[stop], 2 * places), len(stop) - 1)
        radii[:] = np.maximum(places - x[first], x[stop[first]] - places)
        first = np.maximum(first - 1, 0)
        np.minimum(radii, np.maximum(places - x[first], x[stop[first]] - places), out=radii)
    return radius


def _search_radii(x: Array, totals: Array, places: Array, mass: float) -> Array:
    """Return the radii at a few places of a long list, searching the start of each window by bisection."""
    last = len(x) - 1

    def stops(start: Array) -> Array:
        return np.searchsorted(totals, np.where(start > 0, totals[start - 1], 0.0) + mass)

    def bisect(is_after: Callable[[Array], Array], most: Array) -> Array:
        low, high = np.zeros(most.shape, dtype=np.intp), most
        while (low < high).any():
            middle = (low + high) // 2
            after = is_after(middle)
            low, high = np.where(after | (low == high), low, middle + 1), np.where(after, middle, high)
        return low

    starts = int(bisect(lambda start: stops(start) > last, np.array([last + 1]))[0])
    most = max(starts, 1)
    first = bisect(
        lambda start: x[start] + x[np.minimum(stops(start), last)] >= 2 * places, np.full(len(places), most - 1)
    )
    radii, radii_before = (
        np.maximum(places - x[i], x[np.minimum(stops(i), last)] - places) for i in (first, np.maximum(first - 1, 0))
    )
    return np.asarray(np.minimum(radii, radii_before))


def _fit_polynomials(
    x: Array, weight: Array, y: Array, ends: Array, at: Array, near: Array, method: str, degree: int
) -> tuple[Array, Array]:
    """Return value and slope of the local polynomial at each point of each row; rows may share one row of weights."""
    radii = _find_radii(x, ends, at, near)
    owner, places, reach = np.repeat(np.arange(len(at)), at.shape[-1]), at.ravel(), radii.ravel()
    rows = _IN_CACHE // min(_BLOCK, len(x))
    parts = []
    for i in range(0, len(places), rows):
        part = slice(i, i + rows)
        parts.append(_sum_moments(x, weight, y, owner[part], places[part], reach[part], method, degree))
    powers, rights = (np.concatenate(part) for part in zip(*parts, strict=True))
    if len(y) > len(at):  # each response has its own right side
        powers, reach = np.tile(powers, (len(y), 1)), np.tile(reach, len(y))
        rights = np.concatenate(rights.swapaxes(0, 1))
    value, slope = _solve_normal_equations(powers, rights, reach, degree)
    shape = len(y), at.shape[-1]
    return value.reshape(shape), slope.reshape(shape)


def _solve_normal_equations(powers: Array, rights: Array, reach: Array, degree: int) -> tuple[Array, Array]:
    """Return value and slope of each local polynomial, from the sums in its normal equations."""
    left = powers[:, np.arange(degree + 1)[:, None] + np.arange(degree + 1)]
    scale = np.sqrt(np.maximum(np.einsum("ikk->ik", left), 1e-300))
    scaled = left / (scale[:, :, None] * scale[:, None, :])
    solved = _solve(scaled, rights / scale) / scale
    slope = np.divide(solved[:, 1], reach, out=np.zeros(len(reach)), where=reach > _NARROWEST)
    return solved[:, 0], slope


def _solve(left: Array, right: Array) -> Array:
    """Solve small linear systems; singular ones, from too few points, get their shortest solution."""
    is_lost = np.asarray(~np.isfinite(left).all(axis=(1, 2)))  # weights that are rounded away beside others
    if is_lost.any():
        left = np.where(is_lost[:, None, None], 0.0, left)
        right = np.where(is_lost[:, None], np.nan, right)
    is_open = ~(np.linalg.det(left) > _OPEN)
    inverse = np.linalg.pinv(left[is_open], rcond=1e-12, hermitian=True)
    solution = np.empty(right.shape)
    solution[is_open] = np.einsum("ijk,ik->ij", inverse, right[is_open])
    solution[~is_open] = np.linalg.solve(left[~is_open], right[~is_open, :, None])[..., 0]
    return solution


def _sum_moments(
    x: Array, weight: Array, y: Array, owner: Array, at: Array, radii: Array, method: str, degree: int
) -> tuple[Array, Array]:
    """Return the sums in the normal equations at each point, in units of the window.

    Where one row of weights serves all responses, the right sides have an axis for these in the middle.
    """
    # Where as many cases as the window holds lie on one point, that point alone counts.
    radii = np.maximum(radii, _NARROWEST)
    is_shared = len(y) > len(weight)
    powers = np.zeros((len(at), 2 * degree + 1))
    rights = np.zeros((len(at), len(y), degree + 1) if is_shared else (len(at), degree + 1))
    until = int(np.searchsorted(x, (at + radii).max(), side="right"))
    first = int(np.searchsorted(x, (at - radii).min())) // _BLOCK * _BLOCK
    for start in range(first, until, _BLOCK):
        part = slice(start, start + _BLOCK)
        u = x[part] - at[:, None]
        u /= radii[:, None]
        np.clip(u, -1.0, 1.0, out=u)
        w = _compute_kernel(np.abs(u), method)
        w *= weight[owner, part]
        response = y[:, part] if is_shared else y[owner, part]
        for k in range(2 * degree + 1):
            powers[:, k] += w.sum(-1)
            if k <= degree:
                rights[..., k] += np.einsum("ij,bj->ib" if is_shared else "ij,ij->i", w, response)
            w *= u
    return powers, rights


def _compute_kernel(distance: Array, method: str) -> Array:
    """Return the weight at a distance from 0 to 1, in units of the window."""
    if method == "epanechnikov":
        return np.asarray(1 - distance * distance)
    rest = distance * distance
    rest *= distance
    np.subtract(1, rest, out=rest)
    weight = rest * rest
    weight *= rest
    return np.asarray(weight)


def _write_curve(x: Array, corners: Array, value: Array, slope: Array, *, out: Array) -> None:
    """Write one curve at some points into `out`, cell by cell."""
    ends = np.concatenate(([0], np.searchsorted(x, corners[1:-1], side="right"), [len(x)]))
    for i in np.flatnonzero(np.diff(ends)):
        cell = slice(ends[i], ends[i + 1])
        width = corners[i + 1] - corners[i]
        rise, s0, s1 = value[i + 1] - value[i], slope[i] * width, slope[i + 1] * width
        h = x[cell] - corners[i]
        h *= 1 / width if width > _NARROWEST else 0.0
        cubic = out[cell]
        np.multiply(h, s0 + s1 - 2 * rise, out=cubic)
        for part in (3 * rise - 2 * s0 - s1, s0):
            cubic += part
            cubic *= h
        cubic += value[i]


def _make_hermite_cubics(x: Array, corners: Array, value: Array, slope: Array) -> Array:
    """Return the cubics that have the given values and slopes at the corners of each row."""
    inner = np.searchsorted(x, corners[:, 1:-1], side="right")
    lengths = np.diff(inner, axis=-1, prepend=0, append=len(x)).ravel()  # how many points are in each cell
    width = np.diff(corners, axis=-1)
    per_width = np.divide(1.0, width, out=np.zeros(width.shape), where=width > _NARROWEST)
    rise, (s0, s1) = np.diff(value, axis=-1), (slope[:, :-1] * width, slope[:, 1:] * width)
    parts = (value[:, :-1], s0, 3 * rise - 2 * s0 - s1, s0 + s1 - 2 * rise)  # by power of the way through the cell
    a, b, c, d, left, scale = [
        np.repeat(part.ravel(), lengths).reshape(len(corners), len(x)) for part in (*parts, corners[:, :-1], per_width)
    ]
    h = (x - left) * scale
    for part in (c, b, a):
        d *= h
        d += part
    return d
