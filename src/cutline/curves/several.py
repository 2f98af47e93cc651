"""What is computed from several curves at once: who leads where, the gap to a reference, another class skew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cutline.contingency import divide
from cutline.curves._curve import Curve
from cutline.curves.simplify import Drawn, corners
from cutline.ranking import Array, Ranking

_SAME = 1e-12


class Span(NamedTuple):
    """A stretch of the x-axis, and the curves that are highest on it: more than one when they coincide."""

    start: float
    end: float
    names: tuple[str, ...]


def dominance(curves: Mapping[str, Curve]) -> list[Span]:
    """Which of several curves of one kind is highest where, from left to right (Arbel & Rokach, Figure 4)."""
    lines = [corners(curve) for curve in curves.values()]
    grid = np.unique(np.concatenate([line.x for line in lines]))
    start, slope = (np.array(part) for part in zip(*(_segments(line, grid) for line in lines), strict=True))
    left, width = grid[:-1], np.diff(grid)
    spans: list[tuple[Array, Array, Array]] = []
    begin = np.zeros_like(width)  # how far into each interval the leaders are known
    todo = np.arange(len(width))
    while len(todo):
        y = start[:, todo] + slope[:, todo] * begin[todo]
        leads = y >= y.max(0) - _SAME
        steep = np.where(leads, slope[:, todo], -np.inf).max(0)
        leads &= slope[:, todo] >= steep - _SAME  # of those that are equal here, the steepest lead from here on
        # The next to overtake: the first crossing with a steeper line.
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = np.where(slope[:, todo] > steep + _SAME, (y.max(0) - y) / (slope[:, todo] - steep), np.inf)
        end = np.minimum(begin[todo] + ahead.min(0), width[todo])
        spans.append((left[todo] + begin[todo], left[todo] + end, leads))
        begin[todo] = end
        todo = todo[end < width[todo] - _SAME]
    begins, ends, leaders = (np.concatenate(part, axis=-1) for part in zip(*spans, strict=True))
    order = np.argsort(begins, kind="stable")
    order = order[(ends - begins)[order] > _SAME]  # what is narrower is the rounding of one and the same x
    begins, leaders = begins[order], leaders[:, order]
    new = np.flatnonzero(np.concatenate(([True], (leaders[:, 1:] != leaders[:, :-1]).any(0))))
    edges = [float(grid[0]), *begins[new[1:]].tolist(), float(grid[-1])]
    return [
        Span(start, end, tuple(name for name, leads in zip(curves, leaders[:, i], strict=True) if leads))
        for start, end, i in zip(edges[:-1], edges[1:], new, strict=True)
    ]


def _segments(line: Drawn, grid: Array) -> tuple[Array, Array]:
    """The height at the start of each interval of a grid, and the slope along it; jumps lie between intervals."""
    at = np.searchsorted(line.x, grid[:-1], side="right") - 1
    inside = (at >= 0) & (at < len(line.x) - 1)
    at = np.clip(at, 0, len(line.x) - 2)
    slope = divide(line.y[at + 1] - line.y[at], line.x[at + 1] - line.x[at])
    start = line.y[at] + slope * (grid[:-1] - line.x[at])
    return np.where(inside, start, -np.inf), np.where(inside, slope, 0.0)


class Gap(NamedTuple):
    """The band between two lines: for each x the height of the one and of the other, which touch where they cross."""

    x: Array
    y: Array
    other: Array


def gap(line: Drawn, other: Drawn) -> Gap:
    """The band between a line and another over the same x, with a corner wherever one of them has one or they cross."""
    x = np.union1d(line.x, other.x)
    y, z = np.interp(x, line.x, line.y), np.interp(x, other.x, other.y)
    difference = y - z
    turns = np.flatnonzero(difference[:-1] * difference[1:] < 0)
    crossing = x[turns] + np.diff(x)[turns] * difference[turns] / (difference[turns] - difference[turns + 1])
    x = np.union1d(x, crossing)
    return Gap(x, np.interp(x, line.x, line.y), np.interp(x, other.x, other.y))


def with_prevalence(r: Ranking, prevalence: float) -> Ranking:
    """The ranking as it would be with another share of positives: the negatives weigh more, or less."""
    factor = float(divide(r.positives * (1 - prevalence), prevalence * r.negatives))
    return replace(r, neg=r.neg * factor, neg2=r.neg2 * factor**2)
