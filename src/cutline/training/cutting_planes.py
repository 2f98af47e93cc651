"""The structural SVM of one slack: minimise 1/2 |w|^2 + C R(w) by cutting planes, for any oracle of R.

Every tangent of R is a plane below it. The minimum of the planes is a lower bound and a direction; along it the best
point of the true objective is searched (OCAS, Franc & Sonnenburg), which costs no product with the matrix.
"""

from __future__ import annotations

import numpy as np

from cutline.training.class_order import Array, Oracle
from cutline.training.linear import VACUOUS, Design, Effort, Solution

_MIX = 0.1  # how far from the best point towards the planes' minimum the next plane touches
_LINE_SEARCH = 3
_SIZES = (0.1, 0.25, 0.5, 1.0, 2.0)  # of a start, as shares of it
_IDLE = 50
_NEARLY = 1.05
_PATIENCE = 15  # rounds without a better point than equal scores
_PROBES = (*_SIZES, 5.0, 20.0, 100.0)


def cutting_planes(
    design: Design, oracle: Oracle, *, C: float, baseline: float, effort: Effort, start: Array | None = None
) -> Solution:
    """Return the minimum, to a relative gap of `effort.tol`; stops early when the bound is vacuous, or seems so.

    `baseline` is the risk of a constant score. A `start` that points about the right way, whatever its size,
    saves half of the rounds; the minimum is the same.
    """
    planes = Planes(C, design.size)
    best = _point(oracle, np.zeros(design.size), np.zeros(design.X.shape[0]), C)
    planes.add(best.plane(design), best)
    if start is not None:
        scores = design.scores(start)
        best = min(best, *(_point(oracle, k * start, k * scores, C) for k in _SIZES), key=lambda point: point.objective)
        if best.w.any():
            planes.add(best.plane(design), best)
    lower, converged, settled, iteration = -np.inf, False, False, 0
    for iteration in range(1, effort.max_iter + 1):
        w, value = planes.minimum()
        lower = max(lower, value)
        if effort.verbose and iteration % 10 == 1:
            effort.say(f"cutting planes {iteration}: objective {best.objective:.6g}, at least {lower:.6g}")
        converged = best.objective - lower <= effort.tol * best.objective
        is_vacuous = lower >= VACUOUS * C * baseline and best.objective <= _NEARLY * C * baseline
        settled = converged or is_vacuous or (iteration > _PATIENCE and not best.w.any())
        if settled or effort.is_over:
            break
        scores, before = design.scores(w), best
        best = _line_search(best, w, scores, oracle, C, enough=0.05 * (best.objective - lower))
        touch_w, touch = (1 - _MIX) * best.w + _MIX * w, (1 - _MIX) * best.scores + _MIX * scores
        at = _point(oracle, touch_w, touch, C)
        planes.add(at.plane(design), at)
        if best is not before:
            planes.add(best.plane(design), best)
        if at.objective < best.objective:
            best = at
        planes.drop_idle()
    ratio = best.risk / baseline
    solution = Solution(best.w, best.objective, lower, iteration, converged, ratio, ratio, limited=not settled)
    if start is not None and solution.is_vacuous:
        scores = design.scores(start)
        least = min(oracle(k * scores).value for k in _PROBES) / baseline
        solution = solution._replace(reachable=min(ratio, least))
    return solution


class _Point:
    """A point of the objective, with the scores and the gradient there."""

    def __init__(self, w: Array, scores: Array, risk: float, gradient: Array, C: float) -> None:
        self.w, self.scores, self.risk, self.gradient = w, scores, risk, gradient
        self.objective = 0.5 * float(w @ w) + C * risk

    def plane(self, design: Design) -> Array:
        """Return the slope of the tangent plane by the coefficients."""
        return design.pull(self.gradient)


def _point(oracle: Oracle, w: Array, scores: Array, C: float) -> _Point:
    risk = oracle(scores)
    return _Point(w, scores, risk.value, risk.gradient, C)


def _line_search(best: _Point, w: Array, scores: Array, oracle: Oracle, C: float, *, enough: float) -> _Point:
    """Return the best of a few points between the best one and another, where the slopes found so far point to."""
    start, step, way = best, w - best.w, scores - best.scores

    def slope_at(point: _Point) -> float:
        return float(point.w @ step) + C * float(point.gradient @ way)

    low, fall, high, rise, at = 0.0, slope_at(start), None, 0.0, 1.0
    for _ in range(_LINE_SEARCH):
        here = _point(oracle, start.w + at * step, start.scores + at * way, C)
        if here.objective < best.objective:
            best = here
        slope = slope_at(here)
        if slope > 0:
            high, rise = at, slope
        else:
            low, fall = at, slope
        if high is None or (best is not start and abs(slope) * (high - low) < enough):
            break
        share = np.clip(fall / (fall - rise), 0.1, 0.9) if fall < 0 else 0.5
        at = low + share * (high - low)
    return best


class Planes:
    """The planes found so far, and the minimum of 1/2 |w|^2 + C max(planes), by its dual with active sets."""

    def __init__(self, C: float, size: int) -> None:
        self.C = C
        self.slopes = np.zeros((1, size))  # the first plane says that no risk is negative
        self.offsets = np.zeros(1)
        self.products = np.zeros((1, 1))
        self.shares = np.full(1, C)
        self.idle = np.zeros(1, dtype=int)

    def add(self, slope: Array, at: _Point) -> None:
        """Add a tangent plane."""
        column = self.slopes @ slope
        self.products = np.block([[self.products, column[:, None]], [column[None, :], np.array([[slope @ slope]])]])
        self.slopes = np.vstack((self.slopes, slope))
        self.offsets = np.append(self.offsets, at.risk - slope @ at.w)
        self.shares, self.idle = np.append(self.shares, 0.0), np.append(self.idle, 0)

    def drop_idle(self) -> None:
        """Forget planes that have not mattered for long."""
        self.idle = np.where(self.shares > 0, 0, self.idle + 1)
        self.idle[[0, -1]] = 0
        keep = np.flatnonzero(self.idle <= _IDLE)
        if len(keep) < len(self.idle) and len(self.idle) > 2 * self.slopes.shape[1]:
            self.slopes, self.offsets, self.shares = self.slopes[keep], self.offsets[keep], self.shares[keep]
            self.products, self.idle = self.products[np.ix_(keep, keep)], self.idle[keep]

    def minimum(self) -> tuple[Array, float]:
        """Return the coefficients at the minimum, and the objective of the planes there."""
        self.shares = simplex_maximum(self.products, self.offsets, self.shares, self.C)
        value = self.offsets @ self.shares - 0.5 * self.shares @ self.products @ self.shares
        return -(self.shares @ self.slopes), float(value)


def simplex_maximum(G: Array, b: Array, start: Array, total: float) -> Array:
    """Return the maximiser of b.x - x'Gx/2 over x >= 0 with a given sum, by active sets from a feasible start."""
    x = start.copy()
    active = np.flatnonzero(x > 0)
    small = 1e-12 * (np.abs(b).max() + total * np.abs(np.diag(G)).max())
    for _ in range(20 * len(b) + 50):
        optimum, price = _on_active(G, b, active, total)
        if optimum.min() >= -1e-14 * total:
            x[:] = 0
            x[active] = np.maximum(optimum, 0)
            gain = b - G @ x - price
            gain[active] = -np.inf
            entering = int(np.argmax(gain))
            if gain[entering] <= small:
                break
            active = np.append(active, entering)
        else:  # go as far as no share turns negative, and release those that would
            now = x[active]
            with np.errstate(divide="ignore", invalid="ignore"):
                reach = np.where(optimum < 0, now / (now - optimum), np.inf)
            far = reach.min()
            leaving = reach <= far * (1 + 1e-12)
            x[active] = np.where(leaving, 0.0, np.maximum(now + far * (optimum - now), 0))
            active = active[~leaving]
    return np.asarray(x * (total / x.sum()))


def _on_active(G: Array, b: Array, active: Array, total: float) -> tuple[Array, float]:
    """Return the maximiser with the other shares at 0 and no sign asked for, and the price of the sum."""
    m = len(active)
    system = np.ones((m + 1, m + 1))
    system[m, m] = 0
    inner = G[np.ix_(active, active)]
    system[:m, :m] = inner + np.eye(m) * (1e-13 * np.trace(inner) / m + 1e-300)
    right = np.append(b[active], total)
    try:
        solved = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:
        solved = np.linalg.lstsq(system, right, rcond=None)[0]
    return solved[:m], float(solved[m])
