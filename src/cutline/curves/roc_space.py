"""ROC space: lines of equal cost, lines of equal value of a measure, and the convex hull of several models."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.table import ShownAsTable, Table
from cutline.curves.curve_type import Point
from cutline.curves.threshold_curves import ROC
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.costs import expected_cost

# ---------------------------------------------------------------------- lines of equal cost


class IsoCost(NamedTuple):
    """The line of equal cost in ROC space that touches the curve, with the point of contact and the cost."""

    slope: float
    intercept: float
    point: Point
    cost: float


def iso_cost(r: Ranking, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> IsoCost:
    """Return the point of least mean cost, and the line of equal cost through it in ROC space.

    Args:
        r: The ranking.
        cost_fp: What a false positive costs.
        cost_fn: What a missed positive costs.

    >>> from cutline import rank
    >>> ten = rank([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
    >>> line = iso_cost(ten, cost_fn=2)  # a missed positive costs twice a false alarm
    >>> line.slope, line.point.threshold, round(line.cost, 6)
    (0.5, 0.5, 0.3)
    """
    costs = expected_cost.check({"cost_fp": cost_fp, "cost_fn": cost_fn})
    if not cost_fn:
        raise ParameterError(
            "is 0, and lines of equal cost would be vertical", "pass a number above 0", argument="cost_fn"
        )
    ROC.check_ranking(r)
    cost = expected_cost.compute(r.counts, **costs)
    best = int(np.argmin(cost))
    point = Point(float(r.thresholds[best]), float(r.fpr[best]), float(r.tpr[best]))
    slope = float(divide(cost_fp * r.negatives, cost_fn * r.positives))
    return IsoCost(slope, point.y - slope * point.x, point, float(cost[best]))


# ---------------------------------------------------------------------- lines of equal value


Space = Literal["roc", "precision_recall"]
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FINE, _EVERY = 801, 4  # points of an axis, and the step between the rows or columns that are searched


class Isometric(NamedTuple):
    """The points at which a measure has one value, from the left to the right."""

    level: float
    x: Array
    y: Array


def isometrics(
    r: Ranking, measure: str | Measure, space: Space = "roc", levels: Any = None, **parameters: Any
) -> list[Isometric]:
    """Return the lines of equal value of a measure at the prevalence of a ranking.

    In ROC space the lines of the accuracy and of the expected cost are straight and parallel; those of precision are
    rays from the origin, those of F1 rays from a point left of it. They are interpolated, to 1e-3 of the axis.

    >>> from cutline import rank
    >>> [line] = isometrics(rank([1, 0], [2, 1]), "accuracy", levels=[0.75])
    >>> [round(float(y), 6) for y in line.y[[0, -1]]], round(float(line.x[-1]), 6)
    ([0.5, 1.0], 0.5)

    Args:
        r: The ranking, of which only the prevalence matters.
        measure: A measure of one cut.
        space: "roc", or "precision_recall".
        levels: The values; by default tenths of the range of the measure in this space.
        **parameters: Parameters of the measure.
    """
    chosen = MEASURES[measure]
    if chosen.needs is not Needs.COUNTS:
        raise ParameterError(f"{chosen.name} is not a measure of one cut", "choose one, such as accuracy or f1")
    axis = np.linspace(0, 1, _FINE)
    value = np.asarray(
        chosen.compute(_compute_counts(r, axis[:, None], axis[None, :], space), **parameters), dtype=float
    )
    known = value[np.isfinite(value)]
    if not len(known):
        raise ParameterError(f"{chosen.name} has no value in this picture", "choose another measure")
    if levels is None:
        low, high = float(known.min()), float(known.max())
        levels = [low + share * (high - low) for share in LEVELS]
    lines = (_trace_level(value, axis, float(level)) for level in levels)
    return [line for line in lines if len(line.x) > 1]


def _compute_counts(r: Ranking, x: Array, y: Array, space: Space) -> Counts:
    """Return the counts at each point of the space, as shares of all cases; NaN at points that no cut can reach."""
    positives = float(divide(r.positives, r.total))
    negatives = 1 - positives
    if space == "roc":
        tp, fp = positives * y + 0 * x, negatives * x + 0 * y
    else:
        tp = positives * x + 0 * y
        with np.errstate(divide="ignore", invalid="ignore"):
            fp = tp * (1 - y) / y
        is_reached = np.isfinite(fp) & (fp <= negatives) & (tp > 0)
        tp, fp = np.where(is_reached, tp, 0.0), np.where(is_reached, fp, 0.0)
        out = np.where(is_reached, 1.0, np.nan)
        return _make_unchecked_counts(tp * out, fp * out, (positives - tp) * out, (negatives - fp) * out)
    return Counts(tp, fp, positives - tp, negatives - fp)


def _make_unchecked_counts(*cells: Array) -> Counts:
    """Return counts with undefined cells, which a table of real cases never has."""
    counts = Counts(0, 0, 0, 0)
    for name, cell in zip(("tp", "fp", "fn", "tn"), cells, strict=True):
        object.__setattr__(counts, name, cell)
    return counts


def _trace_level(value: Array, axis: Array, level: float) -> Isometric:
    """Return the points with a value, searched by column, which is precise where the line is flat, and by row.

    The measures are monotone in each column and row, so there is one crossing in each.
    """
    above = value - level
    columns, at_columns = _find_zero_crossings(above[::_EVERY], axis)
    rows, at_rows = _find_zero_crossings(above.T[::_EVERY], axis)
    coarse = axis[::_EVERY]
    points = np.column_stack([np.append(coarse[columns], at_rows), np.append(at_columns, coarse[rows])]).round(9)
    x, y = np.unique(points, axis=0).T
    rises = len(x) > 1 and np.cov(x, y)[0, 1] > 0
    order = np.lexsort((y if rises else -y, x))
    return Isometric(level, x[order], y[order])


def _find_zero_crossings(above: Array, axis: Array) -> tuple[Array, Array]:
    """Return the rows that cross zero, and the position of the crossing on the axis."""
    with np.errstate(invalid="ignore"):
        turns = above[:, :-1] * above[:, 1:] <= 0
    rows = np.flatnonzero(turns.any(axis=1))
    at = turns[rows].argmax(axis=1)
    left, right = above[rows, at], above[rows, at + 1]
    step = np.where(left == right, 0.0, divide(left, left - right))
    return rows, axis[at] + np.nan_to_num(step) * (axis[1] - axis[0])


# ---------------------------------------------------------------------- the hull of several models


class Corner(NamedTuple):
    """A corner of the hull: its rates, the models that have a cut there, and the threshold of each of them."""

    fpr: float
    tpr: float
    owners: tuple[str, ...]
    thresholds: tuple[float, ...]


class HullSegment(NamedTuple):
    """A side of the hull: the models that own it, and the false positive rates that it spans.

    A side between corners of two models belongs to both: its points are reached by choosing between the two at random.
    """

    owners: tuple[str, ...]
    low: float
    high: float
    slope: float


@dataclass(frozen=True, repr=False)
class SharedHull(ShownAsTable):
    """The convex hull of the ROC curves of several models (Provost and Fawcett; Arbel and Rokach, 2.2.2).

    A model without a part of it is not best for any costs and class skew.
    """

    corners: tuple[Corner, ...]
    parts: tuple[HullSegment, ...]
    area: float
    names: tuple[str, ...]

    @property
    def owners(self) -> tuple[str, ...]:
        """Models that own a corner other than the two trivial ones."""
        inner = [corner for corner in self.corners if 0 < corner.fpr + corner.tpr < 2]
        return tuple(name for name in self.names if any(name in corner.owners for corner in inner))

    @property
    def table(self) -> Table:
        """Parts of the hull, from the left to the right."""
        rows = tuple((" and ".join(part.owners), part.low, part.high, part.slope) for part in self.parts)
        title = f"ROC convex hull of {len(self.names)} models, area {self.area:.4f}"
        return Table(("owner", "fpr_from", "fpr_to", "slope"), rows, title=title)


def shared_hull(rankings: Mapping[str, Ranking]) -> SharedHull:
    """Return the ROC convex hull of several models, and the models that own each part of it.

    >>> from cutline import rank
    >>> hull = shared_hull({"a": rank([1, 1, 0, 0], [4, 1, 3, 2]), "b": rank([1, 1, 0, 0], [3, 2, 4, 1])})
    >>> [(part.owners, part.low, part.high) for part in hull.parts], hull.area
    ([(('a',), 0.0, 0.0), (('a', 'b'), 0.0, 0.5), (('b',), 0.5, 1.0)], 0.875)

    Args:
        rankings: The ranking of each model, of cases of both classes.
    """
    if not rankings:
        raise InputError("No model was given", "pass at least one")
    candidates: dict[tuple[float, float], dict[str, float]] = {}
    for name, r in rankings.items():
        ROC.check_ranking(r)
        for cut in r.hull.tolist():
            at = (round(float(r.fpr[cut]), 12), round(float(r.tpr[cut]), 12))
            candidates.setdefault(at, {})[name] = float(r.thresholds[cut])
    chain: list[tuple[float, float]] = []
    for point in sorted(candidates):
        while len(chain) > 1 and not _is_right_turn(chain[-2], chain[-1], point):
            chain.pop()
        chain.append(point)
    corners = tuple(Corner(*at, tuple(candidates[at]), tuple(candidates[at].values())) for at in chain)
    x, y = np.array(chain).T
    return SharedHull(corners, _list_segments(corners), float(np.trapezoid(y, x)), tuple(rankings))


def _is_right_turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < -1e-12


def _list_segments(corners: tuple[Corner, ...]) -> tuple[HullSegment, ...]:
    """Return the sides of the hull, each with its owners."""
    parts = []
    for left, right in itertools.pairwise(corners):
        both = [name for name in left.owners if name in right.owners]
        owners = tuple(both or dict.fromkeys((*left.owners, *right.owners)))
        width = right.fpr - left.fpr
        slope = (right.tpr - left.tpr) / width if width else float("inf")
        parts.append(HullSegment(owners, left.fpr, right.fpr, slope))
    return tuple(parts)
