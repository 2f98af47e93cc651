"""Lines of equal value of a measure, in ROC space and in the space of precision and recall."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.measures import MEASURES, Measure, Needs

Space = Literal["roc", "precision_recall"]
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FINE, _EVERY = 801, 4  # points of an axis, and which of its rows or columns are read


class Isometric(NamedTuple):
    """The points at which a measure has one value, from the left to the right."""

    level: float
    x: Array
    y: Array


def isometrics(
    r: Ranking, measure: str | Measure, space: Space = "roc", levels: Any = None, **parameters: Any
) -> list[Isometric]:
    """Return the lines of equal value of a measure at the prevalence of a ranking.

    In ROC space those of the accuracy and of the expected cost are straight and parallel; those of precision are rays
    from the origin, those of F1 from a point left of it. They are found by interpolation, to 1e-3 of the axis.

    >>> from cutline import rank
    >>> [line] = isometrics(rank([1, 0], [2, 1]), "accuracy", levels=[0.75])
    >>> [round(float(y), 6) for y in line.y[[0, -1]]], round(float(line.x[-1]), 6)
    ([0.5, 1.0], 0.5)

    Args:
        r: The ranking, of which only the prevalence matters.
        measure: A measure of one cut.
        space: "roc", or "precision_recall".
        levels: The values; tenths of the range that the measure has in the picture unless told.
        **parameters: Those of the measure.
    """
    chosen = MEASURES[measure]
    if chosen.needs is not Needs.COUNTS:
        raise ParameterError(f"{chosen.name} is not a measure of one cut", "choose one, such as accuracy or f1")
    axis = np.linspace(0, 1, _FINE)
    value = np.asarray(chosen.compute(_counts(r, axis[:, None], axis[None, :], space), **parameters), dtype=float)
    known = value[np.isfinite(value)]
    if not len(known):
        raise ParameterError(f"{chosen.name} has no value in this picture", "choose another measure")
    if levels is None:
        low, high = float(known.min()), float(known.max())
        levels = [low + share * (high - low) for share in LEVELS]
    lines = (_line(value, axis, float(level)) for level in levels)
    return [line for line in lines if len(line.x) > 1]


def _counts(r: Ranking, x: Array, y: Array, space: Space) -> Counts:
    """Return the counts at each point of the picture, as shares of all cases; undefined where no table leads there."""
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
        return _counts_unchecked(tp * out, fp * out, (positives - tp) * out, (negatives - fp) * out)
    return Counts(tp, fp, positives - tp, negatives - fp)


def _counts_unchecked(*cells: Array) -> Counts:
    """Return counts with undefined cells, which a table of real cases never has."""
    counts = Counts(0, 0, 0, 0)
    for name, cell in zip(("tp", "fp", "fn", "tn"), cells, strict=True):
        object.__setattr__(counts, name, cell)
    return counts


def _line(value: Array, axis: Array, level: float) -> Isometric:
    """Return where a value lies: read column by column, which is sharp where the line is flat, and row by row.

    A column, and a row, passes it once: these measures rise or fall upwards, and to the right.
    """
    above = value - level
    columns, at_columns = _zero_crossings(above[::_EVERY], axis)
    rows, at_rows = _zero_crossings(above.T[::_EVERY], axis)
    coarse = axis[::_EVERY]
    points = np.column_stack([np.append(coarse[columns], at_rows), np.append(at_columns, coarse[rows])]).round(9)
    x, y = np.unique(points, axis=0).T
    rises = len(x) > 1 and np.cov(x, y)[0, 1] > 0
    order = np.lexsort((y if rises else -y, x))
    return Isometric(level, x[order], y[order])


def _zero_crossings(above: Array, axis: Array) -> tuple[Array, Array]:
    """Return the rows of a picture that pass zero, and where on the axis they do."""
    with np.errstate(invalid="ignore"):
        turns = above[:, :-1] * above[:, 1:] <= 0
    rows = np.flatnonzero(turns.any(axis=1))
    at = turns[rows].argmax(axis=1)
    left, right = above[rows, at], above[rows, at + 1]
    step = np.where(left == right, 0.0, divide(left, left - right))
    return rows, axis[at] + np.nan_to_num(step) * (axis[1] - axis[0])
