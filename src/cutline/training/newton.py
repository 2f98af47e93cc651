"""Minimise the squared hinge loss of all pairs, which is convex and smooth, by truncated Newton steps.

Products with the matrix of second derivatives cost one pass over the sorted scores, as in Lee & Lin's ranking SVM.
"""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np

from cutline.core.array_ops import Array
from cutline.training.class_order import Risk, Split, cumulate
from cutline.training.linear import Design, Effort, Solution


class PairSquares:
    """The mean of max(0, 1 - (p - q))^2 over all pairs of a positive p and a negative q, at some scores."""

    def __init__(self, split: Split, scores: Array) -> None:
        p, q = scores[split.pos], scores[split.neg]
        self.split = split
        self.order_p, self.order_q = np.argsort(p), np.argsort(q)
        self.p, self.q = p[self.order_p], q[self.order_q]
        self.weight_p = split.weights[split.pos][self.order_p]
        self.weight_q = split.weights[split.neg][self.order_q]
        self.first_q = np.searchsorted(self.q, self.p - 1, "right")  # the first negative within the margin
        self.last_p = np.searchsorted(self.p, self.q + 1, "left")
        self.scale = 1 / (split.P * split.N)

    def _sum_from(self, values: Array) -> Array:
        """Return the sum of the negatives' values that count for each positive."""
        total = cumulate(values)
        return np.asarray((total[-1] - total)[self.first_q])

    def _sum_up_to(self, values: Array) -> Array:
        """Return the sum of the positives' values that count for each negative."""
        return np.asarray(cumulate(values)[self.last_p])

    def _unsort(self, of_p: Array, of_q: Array) -> Array:
        out = np.empty(self.split.n)
        out[self.split.pos[self.order_p]], out[self.split.neg[self.order_q]] = of_p, of_q
        return out

    # Sums for the risk and for each product with the second derivatives.

    @cached_property
    def _near_q(self) -> Array:
        """Weight of the negatives that count for each positive."""
        return self._sum_from(self.weight_q)

    @cached_property
    def _sum_q(self) -> Array:
        return self._sum_from(self.weight_q * self.q)

    @cached_property
    def _near_p(self) -> Array:
        """Weight of the positives that count for each negative."""
        return self._sum_up_to(self.weight_p)

    @cached_property
    def _sum_p(self) -> Array:
        return self._sum_up_to(self.weight_p * self.p)

    def _sum_squares(self) -> Array:
        """Return the sum of the squares of the pairs of each positive."""
        gap = 1 - self.p
        return np.asarray(self._near_q * gap**2 + 2 * gap * self._sum_q + self._sum_from(self.weight_q * self.q**2))

    def compute_risk(self) -> Risk:
        """Return the mean and its gradient by the scores."""
        of_p = -2 * self.weight_p * (self._near_q * (1 - self.p) + self._sum_q)
        of_q = 2 * self.weight_q * (self._near_p * (1 + self.q) - self._sum_p)
        value = self.scale * float(self.weight_p @ self._sum_squares())
        return Risk(value, self.scale * self._unsort(of_p, of_q))

    def compute_values(self) -> Array:
        """Return for each case the sum over its pairs, so that each pair counts for both of its cases."""
        gap = 1 + self.q
        squares = self._near_p * gap**2 - 2 * gap * self._sum_p + self._sum_up_to(self.weight_p * self.p**2)
        return np.asarray(self.scale * self._unsort(self.weight_p * self._sum_squares(), self.weight_q * squares))

    def multiply_hessian(self, direction: Array) -> Array:
        """Return the product of the Hessian by the scores with a direction."""
        p = direction[self.split.pos][self.order_p]
        q = direction[self.split.neg][self.order_q]
        of_p = self.weight_p * (self._near_q * p - self._sum_from(self.weight_q * q))
        of_q = self.weight_q * (self._near_p * q - self._sum_up_to(self.weight_p * p))
        return 2 * self.scale * self._unsort(of_p, of_q)

    def compute_curvature(self) -> Array:
        """Return the diagonal of the Hessian by the scores."""
        return 2 * self.scale * self._unsort(self.weight_p * self._near_q, self.weight_q * self._near_p)


def minimise_by_newton(design: Design, split: Split, *, C: float, effort: Effort) -> Solution:
    """Return the minimum of 1/2 |w|^2 + C times the mean squared hinge of the pairs."""
    w, scores = np.zeros(design.size), np.zeros(split.n)
    pairs = PairSquares(split, scores)
    risk = pairs.compute_risk()
    objective, gradient = C * risk.value, C * design.pull(risk.gradient)
    target = min(effort.tol, 1e-4) * float(np.linalg.norm(gradient))
    iteration = 0
    for iteration in range(1, effort.max_iter + 1):
        effort.say(f"Newton {iteration}: objective {objective:.8g}")
        step = _find_step(design, pairs, gradient, C)
        change, slope = design.compute_scores(step), float(gradient @ step)
        size = 1.0
        while True:
            new_w = w + size * step
            new_pairs = PairSquares(split, scores + size * change)
            risk = new_pairs.compute_risk()
            new_objective = 0.5 * float(new_w @ new_w) + C * risk.value
            if new_objective <= objective + 1e-4 * size * slope or size < 1e-6:
                break
            size /= 2
        w, scores, pairs, objective = new_w, scores + size * change, new_pairs, new_objective
        gradient = w + C * design.pull(risk.gradient)
        if np.linalg.norm(gradient) <= target or effort.is_over:
            break
    converged = bool(np.linalg.norm(gradient) <= target)
    return Solution(w, objective, n_iter=iteration, converged=converged, limited=not converged)


def _find_step(design: Design, pairs: PairSquares, gradient: Array, C: float) -> Array:
    """Return the Newton step by conjugate gradients, truncated at a relative residual."""
    step, residual = np.zeros(len(gradient)), -gradient
    direction, square = residual, float(residual @ residual)
    if not square:  # the gradient is 0
        return step
    enough = 0.01 * square
    for _ in range(50):
        curved = direction + C * design.pull(pairs.multiply_hessian(design.compute_scores(direction)))
        length = square / float(direction @ curved)
        step = step + length * direction
        residual = residual - length * curved
        last, square = square, float(residual @ residual)
        if square <= enough:
            break
        direction = residual + (square / last) * direction
    return step


def minimise_over_pairs(X: Array, split: Split, *, C: float, effort: Effort, squared: bool = True) -> Solution:
    """Minimise over all P x N difference vectors, as a pairwise SVM does, for small data only.

    With the squared hinge loss the minimum is that of `minimise_by_newton`; with the hinge loss that of the structural
    solver, as the worst order consists of the worst answers to single pairs.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    positives, negatives = X[split.pos], X[split.neg]
    differences = (positives[:, None, :] - negatives[None, :, :]).reshape(-1, X.shape[1])
    weight = np.outer(split.weights[split.pos], split.weights[split.neg]).ravel() / (split.P * split.N)
    sign = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)  # LinearSVC needs two classes
    differences *= sign[:, None]
    machine = LinearSVC(
        C=C,
        loss="squared_hinge" if squared else "hinge",
        dual=not squared,  # the hinge loss has no primal solver
        fit_intercept=False,
        tol=min(effort.tol, 1e-4),
        max_iter=effort.max_iter,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the caller warns for all solvers
        machine.fit(differences, sign, sample_weight=weight * 1.0)
    w, n_iter = machine.coef_[0], int(np.max(machine.n_iter_))
    short = np.maximum(0, 1 - sign * (differences @ w))
    objective = 0.5 * float(w @ w) + C * float(weight @ (short**2 if squared else short))
    limited = n_iter >= effort.max_iter
    return Solution(w, objective, n_iter=n_iter, converged=not limited, limited=limited)
