"""Simplify curves for drawing: no point is further from the drawn line than a thousandth of the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.curves.curve_type import THRESHOLD, Curve, select_cuts
from cutline.measures.rates import fpr, precision, recall

# The largest distance of a vertex of the exact curve from the drawn line, with both axes of length 1.
TOLERANCE = 0.001
# Long lines are thinned in columns first, which spends a quarter of the tolerance.
_COLUMNS = 4 / TOLERANCE
_FEW = 4000
# Points that are kept on any line, so that it can be hovered over everywhere.
_SPREAD = 100


class CurveLine(NamedTuple):
    """The corners of a drawn line, and the vertex of the exact curve to which each belongs."""

    vertex: Array
    x: Array
    y: Array


def simplify_curve(curve: Curve, also: str | None = None, over: tuple[float, float] | None = None) -> CurveLine:
    """Return the line of a curve with only the vertices that a drawing needs.

    Args:
        curve: The curve.
        also: The name of a further line over the same x, in place of the curve.
        over: The ends of the x-axis; if None, those of the curve.
    """
    x, y, vertex = _list_corners(curve, also, over)
    points = simplify(
        _rescale_to_unit(x, over or curve.domain[0]), _rescale_to_unit(y, curve.domain[1]), spread=_SPREAD
    )
    return CurveLine(vertex(points), x[points], y[points])


def _rescale_to_unit(values: Array, domain: tuple[float, float]) -> Array:
    """Rescale values from a domain to the range from 0 to 1."""
    low, high = domain
    return values if (low, high) == (0, 1) else (values - low) / (high - low)


def describe_line(curve: Curve, line: CurveLine) -> dict[str, Array]:
    """Return the columns of a drawn line: its points, with threshold, counts and rates of the exact curve.

    Args:
        curve: The exact curve.
        line: The drawn line.
    """
    c = select_cuts(curve.counts, line.vertex)
    counts = {"threshold": c.threshold, "tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
    rates = {measure.name: measure.compute(c) for measure in (recall, fpr, precision)}
    return {"x": line.x, "y": line.y} | counts | rates


def list_corners(curve: Curve, also: str | None = None, over: tuple[float, float] | None = None) -> CurveLine:
    """Return the line of a curve with all its vertices, without those whose height is not finite.

    Steps have their corners. A curve over the threshold goes to both ends of its axis, as above the highest score
    nobody is flagged, and below the lowest everybody; an infinite score lies on the end of the axis.

    Args:
        curve: The curve.
        also: The name of a further line over the same x, in place of the curve.
        over: The ends of the x-axis; if None, those of the curve.
    """
    x, y, vertex = _list_corners(curve, also, over)
    return CurveLine(vertex(np.arange(len(x))), x, y)


def _list_corners(
    curve: Curve, also: str | None, over: tuple[float, float] | None
) -> tuple[Array, Array, Callable[[Array], Array]]:
    """Return the corners of a line, and a function from positions among them to vertices of the curve."""
    kind, last_vertex = curve.kind, len(curve) - 1
    x, y = curve.x.astype(float), np.array(curve.y if also is None else curve.also[also], dtype=float)
    if kind.extends_to_start and np.isnan(y[0]) and len(y) > 1:
        y[0] = y[1]
    if kind.x is THRESHOLD:
        low, high = over or curve.domain[0]
        first, last = (high, low) if x[0] > 0 else (low, high)
        x, y = np.append(x, last), np.append(y, y[-1])
        x[0] = first
        x = np.clip(x, low, high)
    is_finite = np.isfinite(x) & np.isfinite(y)
    finite = None if is_finite.all() else np.flatnonzero(is_finite)  # None saves copies of millions of points
    if finite is not None:
        x, y = x[finite], y[finite]

    def find_vertices(place: Array) -> Array:
        return np.minimum(place if finite is None else finite[place], last_vertex)

    if kind.between == "line" or len(x) < 2:
        return x, y, find_vertices
    # Between two vertices is a corner with the x of one of them and the y of the other, to which it belongs.
    if kind.between == "step-before":
        return _interleave(x, x[:-1]), _interleave(y, y[1:]), lambda corner: find_vertices((corner + 1) // 2)
    return _interleave(x, x[1:]), _interleave(y, y[:-1]), lambda corner: find_vertices(corner // 2)


def _interleave(ends: Array, between: Array) -> Array:
    line = np.empty(2 * len(ends) - 1, ends.dtype)
    line[::2], line[1::2] = ends, between
    return line


def simplify(x: Array, y: Array, tolerance: float = TOLERANCE, *, spread: int = 2) -> Array:
    """Return the positions of the points to keep, so that all others are within `tolerance` of the line.

    Both axes have length 1.

    Args:
        x: The positions of the points, in order.
        y: Their heights.
        tolerance: The largest distance of an omitted point from the line.
        spread: The number of points, evenly spaced in the list, that are always kept.

    >>> simplify(np.array([0, 0.25, 0.5, 1]), np.array([0, 0.25, 0.5, 0]))
    array([0, 2, 3])
    """
    if len(x) < 3:
        return np.arange(len(x))
    if len(x) <= _FEW:
        return _choose_points(x, y, tolerance, spread)
    few = _find_extremes(np.floor(x * (_COLUMNS * TOLERANCE / tolerance)), y)
    return np.asarray(few[_choose_points(x[few], y[few], tolerance * 3 / 4, spread)])


def _find_extremes(column: Array, y: Array) -> Array:
    """Return the first, last, lowest and highest point of each run of points in one column.

    The line through them passes through every height of the run, so that an omitted point is at most a column away.
    """
    starts = np.flatnonzero(np.concatenate(([True], column[1:] != column[:-1])))
    lengths = np.diff(np.append(starts, len(y)))
    places = [starts, starts + lengths - 1]
    for extreme in (np.minimum, np.maximum):
        at_extreme = np.flatnonzero(y == np.repeat(extreme.reduceat(y, starts), lengths))
        places.append(at_extreme[np.searchsorted(at_extreme, starts)])  # the first in each run
    return np.unique(np.concatenate(places))


def _find_first(chosen: Array, run: Array) -> Array:
    """Return the position of the first chosen point of each run."""
    places = np.flatnonzero(chosen)
    return np.asarray(places[np.diff(run[places], prepend=-1) != 0])


def _choose_points(x: Array, y: Array, tolerance: float, spread: int) -> Array:
    """Choose points by the algorithm of Douglas and Peucker, all chords of one depth at a time."""
    points = np.unique(np.linspace(0, len(x) - 1, min(spread, len(x))).astype(int))
    while True:
        chord = np.repeat(np.arange(len(points) - 1), np.diff(points))
        distance = _compute_distances(
            x[:-1], y[:-1], x[points[chord]], y[points[chord]], x[points[chord + 1]], y[points[chord + 1]]
        )
        furthest = np.maximum.reduceat(distance, points[:-1])
        more = _find_first((distance == furthest[chord]) & (distance > tolerance), chord)
        if not len(more):
            return points
        points = np.union1d(points, more)


def _compute_distances(x: Array, y: Array, x0: Array, y0: Array, x1: Array, y1: Array) -> Array:
    """Return the distance of each point from its chord."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / np.where(square > 0, square, 1.0), 0, 1)
    return np.asarray(np.hypot(x - x0 - along * dx, y - y0 - along * dy))
