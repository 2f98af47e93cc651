"""The solvers of linear models: logistic regression, cutting planes, Newton steps and smooth risks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from cutline import Ranking
from cutline.core.array_ops import Array
from cutline.training.class_order import Oracle, Psi, Risk, Split, cumulate
from cutline.training.linear import VACUOUS, Design, Effort, Solution
from cutline.training.loss_oracles import TableLoss, find_highest
from cutline.training.newton import minimise_by_newton, minimise_over_pairs
from cutline.training.objectives import Objective

_FARTHEST = 50.0  # the largest shift of an intercept, in log-odds
_STARTING = 1000  # iterations of the logistic regression from which other solvers start


@dataclass(frozen=True)
class Recipe:
    """A solver, the measure to train for, and the settings.

    `folds` is how the cut is chosen: 0 on the training scores, a number out of fold, None not at all.
    """

    solver: str
    target: Objective
    C: float = 100.0
    psi: Psi = "auto"
    fit_intercept: bool = True
    smoothing: float = 0.5
    trust: float = 0.01
    folds: int | None = 0
    seed: int = 0
    explicit: bool = False
    effort: Effort = field(default_factory=Effort)

    def scale_to_part(self, share: float, known: Split) -> Recipe:
        """Scale the target to a part of the data."""
        return replace(self, target=self.target.scale_to_part(share, known))


@dataclass(frozen=True, eq=False)
class Model:
    """A linear model, which predicts positive for scores above 0."""

    coef: Array
    intercept: float
    solution: Solution
    is_flat: bool = False  # all scores are equal up to rounding

    def compute_scores(self, X: Any) -> Array:
        """Return the scores of cases, 0 at the cut."""
        return np.asarray(X @ self.coef) + self.intercept

    def standardise(self, X: Any, seen: Array) -> Array:
        """Return the scores of cases, standardised by the mean and deviation of the training scores."""
        scores = self.compute_scores(seen)
        return np.asarray((self.compute_scores(X) - scores.mean()) / standardise_scores(scores)[1])

    @property
    def knows_nothing(self) -> bool:
        """Whether its scores are constant, or its bound is uninformative."""
        return self.solution.is_vacuous or self.is_flat


def fit(recipe: Recipe, X: Any, split: Split, *, unseen: Array | None = None) -> Model:
    """Fit the model of a recipe, with its cut; `unseen` are finished scores of `score_out_of_fold`."""
    model = fit_scores(recipe, X, split)
    scores = model.compute_scores(X)
    model = replace(model, is_flat=_are_equal(scores))
    if recipe.folds is None:
        return model
    if recipe.folds:
        z = unseen if unseen is not None else score_out_of_fold(recipe, X, split)
        mean, (_, deviation) = scores.mean(), standardise_scores(scores)
        cut = mean + deviation * find_threshold(recipe.target, split.rank(z))
    else:
        cut = find_threshold(recipe.target, split.rank(scores))
    return replace(model, intercept=model.intercept - cut)


def find_threshold(target: Objective, ranking: Ranking) -> float:
    """Return the threshold of the best cut, half-way between the scores on both sides."""
    cut = target.find_best_cut(ranking)
    score = ranking.key
    if cut in (0, len(score)):
        spread = max(float(score[0] - score[-1]), 1e-6)
        return float(score[0] + spread / 100) if cut == 0 else float(score[-1] - spread / 100)
    return float(score[cut - 1] + score[cut]) / 2


def score_out_of_fold(recipe: Recipe, X: Any, split: Split) -> Array:
    """Return the standardised score of each case by a model that was fitted without it."""
    folds = StratifiedKFold(recipe.folds, shuffle=True, random_state=recipe.seed)
    z = np.empty(split.n)
    recipe = replace(recipe, effort=recipe.effort.relax())
    for seen, unseen in folds.split(np.zeros(split.n), split.is_positive):
        known = select_rows(split, seen)
        model = fit_scores(recipe.scale_to_part(len(seen) / split.n, known), X[seen], known)
        z[unseen] = model.standardise(X[unseen], X[seen])
    return z


def select_rows(split: Split, rows: Array) -> Split:
    """Return the classes of some of the cases."""
    return Split(split.is_positive[rows], None if split.weight is None else split.weight[rows])


# ---------------------------------------------------------------------- the solvers


def fit_scores(recipe: Recipe, X: Any, split: Split) -> Model:
    """Fit the model of a recipe, without choosing its cut."""
    if recipe.solver == "baseline":
        model = fit_logistic(X, split, fit_intercept=recipe.fit_intercept, max_iter=recipe.effort.max_iter)
        return _tune_intercept(model, recipe, X, split) if recipe.target.is_loss and recipe.fit_intercept else model
    if recipe.explicit:
        squared = recipe.solver == "newton"
        solution = minimise_over_pairs(X, split, C=recipe.C, effort=recipe.effort, squared=squared)
        return Model(solution.w, 0.0, solution)
    if recipe.solver == "newton":
        solution = minimise_by_newton(Design(X), split, C=recipe.C, effort=recipe.effort)
        return Model(solution.w, 0.0, solution)
    if recipe.solver == "smooth":
        return fit_smooth(recipe, X, split)
    design = Design(X, bias=recipe.fit_intercept and recipe.target.is_table)
    oracle = recipe.target.make_oracle(split, recipe.psi)
    baseline = recipe.target.compute_baseline_risk(split, oracle, bias=design.bias)
    start = _compute_coefficients(fit_logistic(X, split, fit_intercept=recipe.fit_intercept), design)
    solution = minimise_by_planes(design, oracle, C=recipe.C, baseline=baseline, effort=recipe.effort, start=start)
    return _make_model(solution, design)


def _compute_coefficients(model: Model, design: Design) -> Array:
    return np.append(model.coef, model.intercept) if design.bias else model.coef


def _make_model(solution: Solution, design: Design) -> Model:
    if design.bias:
        return Model(solution.w[:-1], float(solution.w[-1]), solution)
    return Model(solution.w, 0.0, solution)


def fit_logistic(X: Any, split: Split, *, fit_intercept: bool = True, max_iter: int = _STARTING) -> Model:
    """Fit logistic regression, the baseline and the start of the other solvers."""
    machine = LogisticRegression(fit_intercept=fit_intercept, max_iter=max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, split.is_positive, sample_weight=split.weight)
    w, b = machine.coef_[0], float(machine.intercept_[0]) if fit_intercept else 0.0
    n_iter = int(machine.n_iter_[0])
    limited = n_iter >= max_iter
    return Model(w, b, Solution(w, np.nan, n_iter=n_iter, converged=not limited, limited=limited))


def _tune_intercept(model: Model, recipe: Recipe, X: Any, split: Split) -> Model:
    """Tune the intercept of a model for the loss."""
    scores, risk = model.compute_scores(X), recipe.target.make_case_loss(split)
    minimum = minimize_scalar(lambda shift: risk(scores + shift).value, bracket=(-1.0, 1.0))
    is_better = np.isfinite(minimum.x) and abs(minimum.x) < _FARTHEST and minimum.fun < risk(scores).value
    return replace(model, intercept=model.intercept + float(minimum.x)) if is_better else model


# ---------------------------------------------------------------------- cutting planes


_MIX = 0.1  # the share of the way from the best point to the minimum of the planes, where the next plane touches
_LINE_SEARCH = 3
_SIZES = (0.1, 0.25, 0.5, 1.0, 2.0)  # multiples of the start that are tried
_IDLE = 50
_NEARLY = 1.05
_PATIENCE = 15  # iterations without a better point than equal scores
_PROBES = (*_SIZES, 5.0, 20.0, 100.0)


def minimise_by_planes(
    design: Design, oracle: Oracle, *, C: float, baseline: float, effort: Effort, start: Array | None = None
) -> Solution:
    """Minimise by cutting planes to a relative gap of `effort.tol`; stop early if the bound is vacuous, or seems so.

    `baseline` is the risk of a constant score. A `start` in about the right direction, of any length, saves half of the
    iterations.
    """
    planes = Planes(C, design.size)
    best = _make_point(oracle, np.zeros(design.size), np.zeros(design.X.shape[0]), C)
    planes.add(best.compute_plane(design), best)
    if start is not None:
        scores = design.compute_scores(start)
        best = min(
            best, *(_make_point(oracle, k * start, k * scores, C) for k in _SIZES), key=lambda point: point.objective
        )
        if best.w.any():
            planes.add(best.compute_plane(design), best)
    lower, converged, settled, iteration = -np.inf, False, False, 0
    for iteration in range(1, effort.max_iter + 1):
        w, value = planes.find_minimum()
        lower = max(lower, value)
        if effort.verbose and iteration % 10 == 1:
            effort.say(f"cutting planes {iteration}: objective {best.objective:.6g}, at least {lower:.6g}")
        converged = best.objective - lower <= effort.tol * best.objective
        is_vacuous = lower >= VACUOUS * C * baseline and best.objective <= _NEARLY * C * baseline
        settled = converged or is_vacuous or (iteration > _PATIENCE and not best.w.any())
        if settled or effort.is_over:
            break
        scores, before = design.compute_scores(w), best
        best = _search_line(best, w, scores, oracle, C, enough=0.05 * (best.objective - lower))
        touch_w, touch = (1 - _MIX) * best.w + _MIX * w, (1 - _MIX) * best.scores + _MIX * scores
        at = _make_point(oracle, touch_w, touch, C)
        planes.add(at.compute_plane(design), at)
        if best is not before:
            planes.add(best.compute_plane(design), best)
        if at.objective < best.objective:
            best = at
        planes.drop_idle()
    ratio = best.risk / baseline
    solution = Solution(best.w, best.objective, lower, iteration, converged, ratio, ratio, limited=not settled)
    if start is not None and solution.is_vacuous:
        scores = design.compute_scores(start)
        least = min(oracle(k * scores).value for k in _PROBES) / baseline
        solution = solution._replace(reachable=min(ratio, least))
    return solution


class _Point:
    """A point of the objective, with the scores and the gradient there."""

    def __init__(self, w: Array, scores: Array, risk: float, gradient: Array, C: float) -> None:
        self.w, self.scores, self.risk, self.gradient = w, scores, risk, gradient
        self.objective = 0.5 * float(w @ w) + C * risk

    def compute_plane(self, design: Design) -> Array:
        """Return the slope of the tangent plane by the coefficients."""
        return design.pull(self.gradient)


def _make_point(oracle: Oracle, w: Array, scores: Array, C: float) -> _Point:
    risk = oracle(scores)
    return _Point(w, scores, risk.value, risk.gradient, C)


def _search_line(best: _Point, w: Array, scores: Array, oracle: Oracle, C: float, *, enough: float) -> _Point:
    """Return the best of a few points between the best point and another, chosen by the slopes."""
    start, step, change = best, w - best.w, scores - best.scores

    def compute_slope(point: _Point) -> float:
        return float(point.w @ step) + C * float(point.gradient @ change)

    low, fall, high, rise, at = 0.0, compute_slope(start), None, 0.0, 1.0
    for _ in range(_LINE_SEARCH):
        point = _make_point(oracle, start.w + at * step, start.scores + at * change, C)
        if point.objective < best.objective:
            best = point
        slope = compute_slope(point)
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
    """The cutting planes, and the minimum of 1/2 |w|^2 + C max(planes), by its dual with active sets."""

    def __init__(self, C: float, size: int) -> None:
        self.C = C
        self.slopes = np.zeros((1, size))  # the first plane is the bound 0 of the risk
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
        """Drop planes that have been inactive for long."""
        self.idle = np.where(self.shares > 0, 0, self.idle + 1)
        self.idle[[0, -1]] = 0
        keep = np.flatnonzero(self.idle <= _IDLE)
        if len(keep) < len(self.idle) and len(self.idle) > 2 * self.slopes.shape[1]:
            self.slopes, self.offsets, self.shares = self.slopes[keep], self.offsets[keep], self.shares[keep]
            self.products, self.idle = self.products[np.ix_(keep, keep)], self.idle[keep]

    def find_minimum(self) -> tuple[Array, float]:
        """Return the coefficients at the minimum, and the objective of the planes there."""
        self.shares = maximise_on_simplex(self.products, self.offsets, self.shares, self.C)
        value = self.offsets @ self.shares - 0.5 * self.shares @ self.products @ self.shares
        return -(self.shares @ self.slopes), float(value)


def maximise_on_simplex(G: Array, b: Array, start: Array, total: float) -> Array:
    """Return the maximiser of b.x - x'Gx/2 over x >= 0 with a given sum, by active sets from a feasible start."""
    x = start.copy()
    active = np.flatnonzero(x > 0)
    small = 1e-12 * (np.abs(b).max() + total * np.abs(np.diag(G)).max())
    for _ in range(20 * len(b) + 50):
        optimum, price = _maximise_on_active(G, b, active, total)
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


def _maximise_on_active(G: Array, b: Array, active: Array, total: float) -> tuple[Array, float]:
    """Return the maximiser with the other shares at 0 and any signs, and the multiplier of the sum."""
    m = len(active)
    system = np.ones((m + 1, m + 1))
    system[m, m] = 0
    inner = G[np.ix_(active, active)]
    system[:m, :m] = inner + np.eye(m) * (1e-13 * np.trace(inner) / m + 1e-300)
    right = np.append(b[active], total)
    try:
        solution = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:
        solution = np.linalg.lstsq(system, right, rcond=None)[0]
    return solution[:m], float(solution[m])


# ---------------------------------------------------------------------- smooth risks


def make_smooth_risk(target: Objective, split: Split, width: float) -> Oracle:
    """Make the smooth risk of a measure."""
    if target.is_loss:
        return target.make_case_loss(split)
    if target.constraint_search == "later_places":
        return SmoothAverageQrecall(split, width)
    if target.is_table:
        return SmoothTable(split, target.make_loss(split.P, split.N))
    if target.is_quota:
        return SmoothQuota(split, target.get_quota(split), width)
    if target.key == "average_precision":
        return SmoothAveragePrecision(split, width)
    return SmoothAuc(split, split.N if target.key == "auc" else target.count_false_positives(split), width)


def fit_smooth(recipe: Recipe, X: Any, split: Split) -> Model:
    """Minimise a smooth risk by L-BFGS, starting from logistic regression."""
    start = fit_logistic(X, split, fit_intercept=recipe.fit_intercept)
    scores = start.compute_scores(X)
    risk = make_smooth_risk(recipe.target, split, recipe.smoothing)
    design = Design(X, bias=recipe.fit_intercept and recipe.target.has_cut)
    penalty = np.zeros(design.size)
    if recipe.target.has_cut:
        penalty[: len(start.coef)] = 1 / recipe.C
    else:
        risk = Standardised(risk, scores, recipe.trust)
    effort = recipe.effort

    def compute_objective(w: Array) -> tuple[float, Array]:
        bound = risk(design.compute_scores(w))
        return bound.value + 0.5 * float(penalty @ (w * w)), design.pull(bound.gradient) + penalty * w

    def report_progress(intermediate_result: Any) -> None:
        effort.say(f"smooth: objective {intermediate_result.fun:.8g}")
        if effort.is_over:
            raise StopIteration

    options = {"maxiter": effort.max_iter, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-6}
    minimum = minimize(
        compute_objective,
        _compute_coefficients(start, design),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=report_progress,
    )
    # L-BFGS reports a failure if no step improves the last digit, but it has converged then.
    limited = effort.is_over or int(minimum.nit) >= effort.max_iter
    solution = Solution(minimum.x, float(minimum.fun), n_iter=int(minimum.nit), converged=not limited, limited=limited)
    return _make_model(solution, design)


_PARTS = ((1.0, 1.0), (0.0, -2.0), (-1.0, 1.0))  # shift in widths, and sign


class Steps:
    """Smooth steps over all pairs of two sets of scores, from p above q to p below q."""

    def __init__(self, p: Array, q: Array, width: float, weight_p: Array, weight_q: Array) -> None:
        self.width = width
        self.order_p, self.order_q = np.argsort(p), np.argsort(q)
        self.p, self.q = p[self.order_p], q[self.order_q]
        self.weight_p, self.weight_q = weight_p[self.order_p], weight_q[self.order_q]

    @cached_property
    def _first_q(self) -> list[Array]:
        """Position of the first q that counts for each p, for each part of the step."""
        return [np.searchsorted(self.q, self.p - shift * self.width, "right") for shift, _ in _PARTS]

    @cached_property
    def _last_p(self) -> list[Array]:
        """Position of the last p that counts for each q."""
        return [np.searchsorted(self.p, self.q + shift * self.width, "left") for shift, _ in _PARTS]

    def sum_above(self) -> tuple[Array, Array]:
        """Return the weight of all q above each p, and its derivative by p."""
        w, q = self.weight_q, self.q
        sums = [total[-1] - total for total in (cumulate(w), cumulate(w * q), cumulate(w * q * q))]
        number, slope = np.zeros(len(self.p)), np.zeros(len(self.p))
        for (shift, sign), first in zip(_PARTS, self._first_q, strict=True):
            gap = shift * self.width - self.p
            ones, firsts, squares = (total[first] for total in sums)
            number += sign * (ones * gap * gap + 2 * gap * firsts + squares)
            slope -= 2 * sign * (ones * gap + firsts)
        return self._unsort(number, self.order_p), self._unsort(slope, self.order_p)

    def compute_q_slopes(self, factor: Array) -> Array:
        """Return the derivative by each q of the sum over p of factor times step (without the weight of q)."""
        factor = factor[self.order_p]
        ones, firsts = cumulate(factor), cumulate(factor * self.p)
        slope = np.zeros(len(self.q))
        for (shift, sign), last in zip(_PARTS, self._last_p, strict=True):
            slope += 2 * sign * (ones[last] * (shift * self.width + self.q) - firsts[last])
        return self._unsort(slope, self.order_q)

    def _unsort(self, values: Array, order: Array) -> Array:
        out = np.empty(len(values))
        out[order] = values / (2 * self.width**2)
        return out


_ROUNDING = 1e-12  # of the largest score


@dataclass(frozen=True, eq=False)
class SmoothTable:
    """A loss of the table, at the expected counts of the probabilities."""

    split: Split
    loss: TableLoss

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        flagged = split.weights * expit(scores)
        slope = flagged * expit(-scores)
        a, b = flagged[split.pos].sum(), flagged[split.neg].sum()
        (low_a, high_a), (low_b, high_b) = _bracket_count(a, split.P), _bracket_count(b, split.N)
        value, up_a, down_a, up_b, down_b = self.loss(
            np.array([a, high_a, low_a, a, a]), np.array([b, b, b, high_b, low_b])
        )
        by_a, by_b = (up_a - down_a) / (high_a - low_a), (up_b - down_b) / (high_b - low_b)
        return Risk(float(value), slope * np.where(split.is_positive, by_a, by_b))


def _bracket_count(count: float, most: float) -> tuple[float, float]:
    """Return two possible counts on both sides of a count, for a difference quotient."""
    step = 1e-6 * most
    return max(0.0, count - step), min(most, count + step)


@dataclass(frozen=True, eq=False)
class SmoothQuota:
    """The share of the positives beyond a quota, with a soft cut that flags the quota exactly."""

    split: Split
    quota: float
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        most = min(self.quota, split.P)

        def compute_excess(cut: float) -> float:
            return float(split.weights @ expit((scores - cut) / self.width)) - self.quota

        reach = 40 * self.width
        cut = brentq(compute_excess, scores.min() - reach, scores.max() + reach, xtol=1e-10)
        flagged = split.weights * expit((scores - cut) / self.width)
        slope = flagged * expit((cut - scores) / self.width) / self.width
        cut_slope = slope[split.pos].sum() / slope.sum()  # a rising score moves the cut for all
        return Risk(float(1 - flagged[split.pos].sum() / most), -slope * (split.is_positive - cut_slope) / most)


@dataclass(frozen=True, eq=False)
class SmoothAuc:
    """The share of misordered pairs, with all negatives or only the highest ones, as many as `false_positives`."""

    split: Split
    false_positives: float
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split, q = self.split, scores[self.split.neg]
        if self.false_positives >= split.N:
            top, share = np.arange(len(q)), split.weights[split.neg]
        else:
            top, share = self._find_highest(q)
        steps = Steps(scores[split.pos], q[top], self.width, split.weights[split.pos], share)
        above, slope = steps.sum_above()
        weight = split.weights[split.pos] / (split.P * share.sum())
        gradient = np.zeros(split.n)
        gradient[split.pos] = weight * slope
        gradient[split.neg[top]] = share * steps.compute_q_slopes(weight)
        return Risk(float(weight @ above), gradient)

    def _find_highest(self, q: Array) -> tuple[Array, Array]:
        """Return the highest negatives and their weights, of the last only the part that counts."""
        split = self.split
        most = int(np.ceil(self.false_positives - 1e-9)) if split.weight is None else len(q)
        top = find_highest(q, most)
        weight = split.weights[split.neg[top]]
        share = np.clip(self.false_positives - (np.cumsum(weight) - weight), 0, weight)
        return top[share > 0], share[share > 0]


@dataclass(frozen=True, eq=False)
class SmoothAveragePrecision:
    """One less the average precision, with soft ranks among the positives and among all."""

    split: Split
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        p, q, weight = scores[split.pos], scores[split.neg], split.weights[split.pos]
        others = Steps(p, q, self.width, weight, split.weights[split.neg])
        own = Steps(p, p, self.width, weight, weight)
        (above, by_above), (before, by_before) = others.sum_above(), own.sum_above()
        before = before + weight / 2  # a case itself counts in full, and its own step is one half
        share = weight / split.P / (before + above) ** 2
        to_before, to_above = -share * above, share * before
        gradient = np.empty(split.n)
        # The derivative of a case's own step cancels between the two sums.
        gradient[split.pos] = to_above * by_above + to_before * by_before + weight * own.compute_q_slopes(to_before)
        gradient[split.neg] = split.weights[split.neg] * others.compute_q_slopes(to_above)
        return Risk(float(1 - weight @ (before / (before + above)) / split.P), gradient)


@dataclass(frozen=True, eq=False)
class SmoothAverageQrecall:
    """One less the average Qrecall: the mean number of soft places beyond place P of the positives."""

    split: Split
    width: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        p, q, ones = scores[split.pos], scores[split.neg], np.ones(len(split.pos))
        others = Steps(p, q, self.width, ones, np.ones(len(split.neg)))
        own = Steps(p, p, self.width, ones, ones)
        (above, by_above), (before, by_before) = others.sum_above(), own.sum_above()
        beyond = before + 0.5 + above - split.P  # a case's own step is one half
        late = (beyond > 0) / (split.P * (split.N + 1))
        gradient = np.empty(split.n)
        gradient[split.pos] = late * (by_above + by_before) + own.compute_q_slopes(late)
        gradient[split.neg] = others.compute_q_slopes(late)
        return Risk(float(late @ beyond), gradient)


@dataclass(frozen=True, eq=False)
class Standardised:
    """A risk of the standardised scores, with a penalty for the angle to reference scores."""

    risk: Oracle
    reference: Array
    trust: float

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        z, deviation = standardise_scores(scores)
        reference, _ = standardise_scores(self.reference)
        value, gradient = self.risk(z)
        correlation = float(z @ reference) / len(z)
        gradient = gradient - self.trust * reference / len(z)
        gradient = (gradient - gradient.mean() - z * (float(gradient @ z) / len(z))) / deviation
        return Risk(value + self.trust * (1 - correlation), gradient)


def standardise_scores(scores: Array) -> tuple[Array, float]:
    """Return the scores at mean 0 and deviation 1, and their deviation; equal scores have deviation 1."""
    if _are_equal(scores):
        return np.zeros(len(scores)), 1.0
    centred = scores - scores.mean()
    deviation = float(np.sqrt(centred @ centred / len(centred)))
    return centred / deviation, deviation


def _are_equal(scores: Array) -> bool:
    """Whether scores are equal up to rounding."""
    low, high = float(scores.min()), float(scores.max())
    return high - low <= _ROUNDING * max(abs(low), abs(high))
