"""Fewer vertices for drawing: no point of the curve is further from the drawn line than a thousandth of the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.curves.curve_type import THRESHOLD, Curve
from cutline.measures.rates import fpr, precision, recall

# A vertex of the exact curve and the drawn line: the largest distance, both axes taken as 1.
TOLERANCE = 0.001
# A quarter of it is spent on columns, which bring a million vertices down to a few thousand; the rest on the line.
_COLUMNS = 4 / TOLERANCE
_FEW = 4000
# So many points are kept wherever the line goes, for a hand to point at.
_SPREAD = 100


class CurveLine(NamedTuple):
    """The corners of a line to draw, and the vertex of the exact curve that each belongs to."""

    vertex: Array
    x: Array
    y: Array


def curve_line(curve: Curve, also: str | None = None, over: tuple[float, float] | None = None) -> CurveLine:
    """Return the line of a curve, or of what else is drawn over the same x, with the vertices that the eye and hand
    need.

    Args:
        curve: The curve.
        also: The name of what else is drawn over the same x, in place of the curve.
        over: Where the x-axis starts and ends, if not where the curve does.
    """
    x, y, vertex = _outline(curve, also, over)
    points = simplify(_of_length_1(x, over or curve.domain[0]), _of_length_1(y, curve.domain[1]), spread=_SPREAD)
    return CurveLine(vertex(points), x[points], y[points])


def _of_length_1(values: Array, domain: tuple[float, float]) -> Array:
    """Return values on an axis that goes from 0 to 1 instead of over its domain."""
    low, high = domain
    return values if (low, high) == (0, 1) else (values - low) / (high - low)


def describe_line(curve: Curve, line: CurveLine) -> dict[str, Array]:
    """Return the columns of a line to draw: where it goes, and the threshold, counts and rates of the exact curve
    there.

    Args:
        curve: The exact curve.
        line: The line that is drawn of it.
    """
    c = curve.counts
    tp, fp, fn, tn, threshold = (np.asarray(column)[line.vertex] for column in (c.tp, c.fp, c.fn, c.tn, c.threshold))
    at = Counts(tp, fp, fn, tn, threshold, c.is_risk)
    counted = {"threshold": at.threshold, "tp": at.tp, "fp": at.fp, "fn": at.fn, "tn": at.tn}
    rates = {measure.name: measure.compute(at) for measure in (recall, fpr, precision)}
    return {"x": line.x, "y": line.y} | counted | rates


def corners(curve: Curve, also: str | None = None, over: tuple[float, float] | None = None) -> CurveLine:
    """Return the line of a curve with all its vertices: steps have corners; heights that are not finite are left out.

    A curve over the threshold goes to both ends of its axis: beyond the highest score nobody is flagged, below the
    lowest everybody. An infinite score lies on the end of the axis, so that its cut changes nothing before.

    Args:
        curve: The curve.
        also: The name of what else is drawn over the same x, in place of the curve.
        over: Where the x-axis starts and ends, if not where the curve does.
    """
    x, y, vertex = _outline(curve, also, over)
    return CurveLine(vertex(np.arange(len(x))), x, y)


def _outline(
    curve: Curve, also: str | None, over: tuple[float, float] | None
) -> tuple[Array, Array, Callable[[Array], Array]]:
    """Return the corners of a line, and what tells the vertices that some of them belong to: few are asked for."""
    kind, last_vertex = curve.kind, len(curve) - 1
    x, y = curve.x.astype(float), np.array(curve.y if also is None else curve.also[also], dtype=float)
    if kind.reach and np.isnan(y[0]) and len(y) > 1:
        y[0] = y[1]
    if kind.x is THRESHOLD:
        low, high = over or curve.domain[0]
        first, last = (high, low) if x[0] > 0 else (low, high)
        x, y = np.append(x, last), np.append(y, y[-1])
        x[0] = first
        x = np.clip(x, low, high)
    is_finite = np.isfinite(x) & np.isfinite(y)
    there = None if is_finite.all() else np.flatnonzero(is_finite)  # most are: no choice among millions, then
    if there is not None:
        x, y = x[there], y[there]

    def vertex(place: Array) -> Array:
        return np.minimum(place if there is None else there[place], last_vertex)

    if kind.between == "line" or len(x) < 2:
        return x, y, vertex
    # Between two vertices stands a corner with the x of the one and the y of the other, to which it belongs.
    if kind.between == "step-before":
        return _woven(x, x[:-1]), _woven(y, y[1:]), lambda corner: vertex((corner + 1) // 2)
    return _woven(x, x[1:]), _woven(y, y[:-1]), lambda corner: vertex(corner // 2)


def _woven(ends: Array, between: Array) -> Array:
    line = np.empty(2 * len(ends) - 1, ends.dtype)
    line[::2], line[1::2] = ends, between
    return line


def simplify(x: Array, y: Array, tolerance: float = TOLERANCE, *, spread: int = 2) -> Array:
    """Return the positions of the points to keep, so that no other is further from the line between them than
    `tolerance`.

    The axes are taken to be of length 1.

    Args:
        x: The positions of the points, in order.
        y: Their heights.
        tolerance: How far a point that is left out may be from the line.
        spread: How many points, at equal distances in the list, are kept in any case.

    >>> simplify(np.array([0, 0.25, 0.5, 1]), np.array([0, 0.25, 0.5, 0]))
    array([0, 2, 3])
    """
    if len(x) < 3:
        return np.arange(len(x))
    if len(x) <= _FEW:
        return _line(x, y, tolerance, spread)
    few = _extremes(np.floor(x * (_COLUMNS * TOLERANCE / tolerance)), y)
    return np.asarray(few[_line(x[few], y[few], tolerance * 3 / 4, spread)])


def _extremes(column: Array, y: Array) -> Array:
    """Return the first, last, lowest and highest point of each run of points in one column.

    The line through them passes every height that the run has, so that a point left out is a column's width away.
    """
    starts = np.flatnonzero(np.concatenate(([True], column[1:] != column[:-1])))
    lengths = np.diff(np.append(starts, len(y)))
    places = [starts, starts + lengths - 1]
    for extreme in (np.minimum, np.maximum):
        reaching = np.flatnonzero(y == np.repeat(extreme.reduceat(y, starts), lengths))
        places.append(reaching[np.searchsorted(reaching, starts)])  # the first of each run, which has one
    return np.unique(np.concatenate(places))


def _first(chosen: Array, run: Array) -> Array:
    """Return the position of the first chosen point of each run."""
    places = np.flatnonzero(chosen)
    return np.asarray(places[np.diff(run[places], prepend=-1) != 0])


def _line(x: Array, y: Array, tolerance: float, spread: int) -> Array:
    """Choose points by Douglas and Peucker, all chords of one depth at a time."""
    points = np.unique(np.linspace(0, len(x) - 1, min(spread, len(x))).astype(int))
    while True:
        chord = np.repeat(np.arange(len(points) - 1), np.diff(points))
        distance = _distance(
            x[:-1], y[:-1], x[points[chord]], y[points[chord]], x[points[chord + 1]], y[points[chord + 1]]
        )
        furthest = np.maximum.reduceat(distance, points[:-1])
        more = _first((distance == furthest[chord]) & (distance > tolerance), chord)
        if not len(more):
            return points
        points = np.union1d(points, more)


def _distance(x: Array, y: Array, x0: Array, y0: Array, x1: Array, y1: Array) -> Array:
    """Return the distance of each point from its chord."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    way = np.clip(((x - x0) * dx + (y - y0) * dy) / np.where(square > 0, square, 1.0), 0, 1)
    return np.asarray(np.hypot(x - x0 - way * dx, y - y0 - way * dy))
