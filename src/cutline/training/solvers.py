"""One way of training: a recipe, and the linear model that it gives."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from cutline import Ranking
from cutline.training.class_order import Array, Oracle, Psi, Split
from cutline.training.cutting_planes import cutting_planes
from cutline.training.linear import Design, Effort, Solution
from cutline.training.newton import explicit_pairs, newton_auc
from cutline.training.objectives import Objective
from cutline.training.smooth import (
    SmoothAuc,
    SmoothAveragePrecision,
    SmoothAverageQrecall,
    SmoothQuota,
    SmoothTable,
    Standardised,
    are_equal,
    standard,
)

_FARTHEST = 50.0  # log-odds by which an intercept is moved
_STARTING = 1000  # rounds of the logistic regression that others start from


@dataclass(frozen=True)
class Recipe:
    """How to train: which solver for which measure, and its settings.

    `folds` says how the cut is chosen: 0 on the training scores, more out of fold, None not at all.
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

    def for_part(self, share: float, known: Split) -> Recipe:
        """Return the same recipe for a part of the data."""
        return replace(self, target=self.target.scaled(share, known))


@dataclass(frozen=True, eq=False)
class Model:
    """A linear model: positive is what scores above 0."""

    coef: Array
    intercept: float
    solution: Solution
    is_flat: bool = False  # all the scores were the same, but for rounding

    def scores(self, X: Any) -> Array:
        """Return the scores of cases, 0 at the cut."""
        return np.asarray(X @ self.coef) + self.intercept

    def standardised(self, X: Any, seen: Any) -> Array:
        """Return the scores of cases, in deviations from the mean of those that the model has seen."""
        scores = self.scores(seen)
        return np.asarray((self.scores(X) - scores.mean()) / standard(scores)[1])

    @property
    def knows_nothing(self) -> bool:
        """Whether its scores are all the same, or might as well be."""
        return self.solution.is_vacuous or self.is_flat


def fit(recipe: Recipe, X: Any, split: Split, *, unseen: Array | None = None) -> Model:
    """Return the model of a recipe, its cut included; `unseen` are the scores of `out_of_fold`, where they are
    known.
    """
    model = fit_scores(recipe, X, split)
    scores = model.scores(X)
    model = replace(model, is_flat=are_equal(scores))
    if recipe.folds is None:
        return model
    if recipe.folds:
        z = unseen if unseen is not None else out_of_fold(recipe, X, split)
        mean, (_, deviation) = scores.mean(), standard(scores)
        cut = mean + deviation * threshold(recipe.target, split.ranked(z))
    else:
        cut = threshold(recipe.target, split.ranked(scores))
    return replace(model, intercept=model.intercept - cut)


def threshold(target: Objective, ranking: Ranking) -> float:
    """Return where the best cut of a ranking is: half-way between the scores on its two sides."""
    cut = target.best_cut(ranking)
    score = ranking.key
    if cut in (0, len(score)):
        spread = max(float(score[0] - score[-1]), 1e-6)
        return float(score[0] + spread / 100) if cut == 0 else float(score[-1] - spread / 100)
    return float(score[cut - 1] + score[cut]) / 2


def out_of_fold(recipe: Recipe, X: Any, split: Split) -> Array:
    """Return the score of each case by a model that did not see it, in deviations from the mean of that model's
    scores.
    """
    folds = StratifiedKFold(recipe.folds, shuffle=True, random_state=recipe.seed)
    z = np.empty(split.n)
    recipe = replace(recipe, effort=recipe.effort.rough())
    for seen, unseen in folds.split(np.zeros(split.n), split.is_positive):
        known = part(split, seen)
        model = fit_scores(recipe.for_part(len(seen) / split.n, known), X[seen], known)
        z[unseen] = model.standardised(X[unseen], X[seen])
    return z


def part(split: Split, rows: Array) -> Split:
    """Return the classes of some of the cases."""
    return Split(split.is_positive[rows], None if split.weight is None else split.weight[rows])


# ---------------------------------------------------------------------- the solvers


def fit_scores(recipe: Recipe, X: Any, split: Split) -> Model:
    """Return the model of a recipe, before its cut is chosen."""
    if recipe.solver == "baseline":
        plain = logistic(X, split, fit_intercept=recipe.fit_intercept, max_iter=recipe.effort.max_iter)
        return _tune_intercept(plain, recipe, X, split) if recipe.target.is_loss and recipe.fit_intercept else plain
    if recipe.explicit:
        squared = recipe.solver == "newton"
        solution = explicit_pairs(X, split, C=recipe.C, effort=recipe.effort, squared=squared)
        return Model(solution.w, 0.0, solution)
    if recipe.solver == "newton":
        solution = newton_auc(Design(X), split, C=recipe.C, effort=recipe.effort)
        return Model(solution.w, 0.0, solution)
    if recipe.solver == "smooth":
        return smooth(recipe, X, split)
    design = Design(X, bias=recipe.fit_intercept and recipe.target.is_table)
    oracle = recipe.target.oracle(split, recipe.psi)
    baseline = recipe.target.baseline_risk(split, oracle, bias=design.bias)
    start = _coefficients(logistic(X, split, fit_intercept=recipe.fit_intercept), design)
    solution = cutting_planes(design, oracle, C=recipe.C, baseline=baseline, effort=recipe.effort, start=start)
    return _model(solution, design)


def _coefficients(model: Model, design: Design) -> Array:
    return np.append(model.coef, model.intercept) if design.bias else model.coef


def _model(solution: Solution, design: Design) -> Model:
    if design.bias:
        return Model(solution.w[:-1], float(solution.w[-1]), solution)
    return Model(solution.w, 0.0, solution)


def logistic(X: Any, split: Split, *, fit_intercept: bool = True, max_iter: int = _STARTING) -> Model:
    """Fit plain logistic regression: the baseline, and where the other solvers start."""
    machine = LogisticRegression(fit_intercept=fit_intercept, max_iter=max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, split.is_positive, sample_weight=split.weight)
    w, b = machine.coef_[0], float(machine.intercept_[0]) if fit_intercept else 0.0
    rounds = int(machine.n_iter_[0])
    limited = rounds >= max_iter
    return Model(w, b, Solution(w, np.nan, n_iter=rounds, converged=not limited, limited=limited))


def _tune_intercept(model: Model, recipe: Recipe, X: Any, split: Split) -> Model:
    """Return the model with its intercept tuned for the loss, like the threshold of a measure of one cut."""
    scores, risk = model.scores(X), recipe.target.case_loss(split)
    minimum = minimize_scalar(lambda shift: risk(scores + shift).value, bracket=(-1.0, 1.0))
    is_better = np.isfinite(minimum.x) and abs(minimum.x) < _FARTHEST and minimum.fun < risk(scores).value
    return replace(model, intercept=model.intercept + float(minimum.x)) if is_better else model


def smooth_risk(target: Objective, split: Split, width: float) -> Oracle:
    """Return the smooth risk of a measure."""
    if target.is_loss:
        return target.case_loss(split)
    if target.how == "later_places":
        return SmoothAverageQrecall(split, width)
    if target.is_table:
        return SmoothTable(split, target.loss(split.P, split.N))
    if target.is_quota:
        return SmoothQuota(split, target.quota(split), width)
    if target.key == "average_precision":
        return SmoothAveragePrecision(split, width)
    return SmoothAuc(split, split.N if target.key == "auc" else target.false_positives(split), width)


def smooth(recipe: Recipe, X: Any, split: Split) -> Model:
    """Return a smooth risk minimised by L-BFGS from logistic regression."""
    start = logistic(X, split, fit_intercept=recipe.fit_intercept)
    scores = start.scores(X)
    risk = smooth_risk(recipe.target, split, recipe.smoothing)
    design = Design(X, bias=recipe.fit_intercept and recipe.target.has_cut)
    penalty = np.zeros(design.size)
    if recipe.target.has_cut:
        penalty[: len(start.coef)] = 1 / recipe.C
    else:
        risk = Standardised(risk, scores, recipe.trust)
    effort = recipe.effort

    def objective(w: Array) -> tuple[float, Array]:
        here = risk(design.scores(w))
        return here.value + 0.5 * float(penalty @ (w * w)), design.pull(here.gradient) + penalty * w

    def progress(intermediate_result: Any) -> None:
        effort.say(f"smooth: objective {intermediate_result.fun:.8g}")
        if effort.is_over:
            raise StopIteration

    options = {"maxiter": effort.max_iter, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-6}
    minimum = minimize(
        objective, _coefficients(start, design), jac=True, method="L-BFGS-B", options=options, callback=progress
    )
    # Where no step is better to the last digit, L-BFGS speaks of failure; that is the end of the work too.
    limited = effort.is_over or int(minimum.nit) >= effort.max_iter
    solution = Solution(minimum.x, float(minimum.fun), n_iter=int(minimum.nit), converged=not limited, limited=limited)
    return _model(solution, design)
