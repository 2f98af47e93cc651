"""Logistic regression of the class on a few functions of the score, by Newton's method, for a whole stack at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array, dot

_ITERATIONS = 100
_HALVINGS = 40
_AT_ONCE = 50_000  # weights of a stack that are worked on at a time
_BLOCK = 8192  # rows of the design that are summed at a time, however many are fitted together


class Fit(NamedTuple):
    """The coefficients and the inverse of the information at them; columns of the design are on the last axis."""

    coefficients: Array
    covariance: Array


def fit(
    design: Array,
    pos: Array,
    neg: Array,
    *,
    offset: Array | float = 0.0,
    ridge: Array | float = 0.0,
    exists: Array | bool = True,
    start: tuple[float, ...] = (),
) -> Fit:
    """Return the maximum of the likelihood for weights of positives and negatives at each row of the design.

    `pos` and `neg` may have leading axes. `ridge` is the penalty on half the square of each coefficient. Where
    `exists` is false, there is no maximum, and the coefficients are NaN. The search begins at `start`.

    >>> design = np.ones((1, 1))
    >>> bool(np.isclose(fit(design, np.array([3.0]), np.array([1.0])).coefficients[0], np.log(3)))
    True
    """
    lead, columns = pos.shape[:-1], design.shape[-1]
    positives, negatives = (cells.reshape(-1, len(design)) for cells in (pos, neg))
    total = positives.sum(-1, dtype=float) + negatives.sum(-1, dtype=float)
    rows = np.flatnonzero(np.broadcast_to(np.asarray(exists), lead).ravel() & (total > 0))
    scale = np.sqrt([np.square(column).mean() for column in design.T])
    scale = np.where(scale > 0, scale, 1.0)
    n = total[rows, None]  # per case, so that neither the steps nor the stop depend on the scale of the weights
    penalty = np.broadcast_to(np.asarray(ridge, dtype=float) / scale**2, (len(rows), columns)) / n
    shift = np.broadcast_to(np.asarray(offset, dtype=float), (len(design),))
    if len(rows) < len(total):
        positives, negatives = positives[rows], negatives[rows]
    share = np.divide(positives, n)
    size = np.divide(negatives, n)
    size += share
    beta, inverse = np.full((len(total), columns), np.nan), np.full((len(total), columns, columns), np.nan)
    problem = _Problem(design.T, scale, shift, penalty, share, size)
    at_once = max(1, _AT_ONCE // len(design))
    for i in range(0, len(rows), at_once):
        part = slice(i, i + at_once)
        beta[rows[part]], inverse[rows[part]] = _newton(problem.of(part), np.array(start or (0.0,) * columns) * scale)
    inverse[rows] /= n[:, :, None]
    covariance = inverse / scale[:, None] / scale
    return Fit((beta / scale).reshape(*lead, columns), covariance.reshape(*lead, columns, columns))


class _Problem(NamedTuple):
    """Inputs that the rows share; `penalty` has a row for each, `design` one for each coefficient, not yet scaled."""

    design: Array
    scale: Array
    offset: Array
    penalty: Array
    pos: Array
    size: Array

    def of(self, rows: Array | slice) -> _Problem:
        """Return the problem of some of the rows."""
        return self._replace(penalty=self.penalty[rows], pos=self.pos[rows], size=self.size[rows])

    def at(self, beta: Array) -> tuple[Array, Array, Array]:
        """Return the negative penalised log likelihood per case, its descent direction, and the information."""
        columns = beta.shape[-1]
        loss = (self.penalty * beta**2).sum(-1) / 2
        gradient = -self.penalty * beta
        information = np.einsum("ij,jk->ijk", self.penalty, np.eye(columns))
        # Sums of columns instead of products of matrices, whose last digits depend on how many rows they have.
        for start in range(0, len(self.offset), _BLOCK):
            part = slice(start, start + _BLOCK)
            design = self.design[:, part] / self.scale[:, None]
            pos, size = self.pos[:, part], self.size[:, part]
            eta = self.offset[part] + sum(beta[:, j, None] * design[j] for j in range(columns))
            small = np.exp(-np.abs(eta))
            rest = 1 / (1 + small)
            # log(1 + e^eta) without overflow
            loss += (size * (np.maximum(eta, 0) - np.log(rest)) - pos * eta).sum(-1)
            excess = pos - size * np.where(eta >= 0, rest, small * rest)
            curved = size * (small * rest * rest)
            for j in range(columns):
                gradient[:, j] += dot(excess, design[j])
                for k in range(j, columns):
                    information[:, j, k] += dot(curved, design[j] * design[k])
        for j in range(1, columns):
            information[:, j, :j] = information[:, :j, j]
        return loss, gradient, information


def _newton(problem: _Problem, start: Array) -> tuple[Array, Array]:
    """Take Newton steps, halved while they do not lower the loss, until every row has converged."""
    beta = np.tile(start, (len(problem.pos), 1))
    inverse = np.zeros((*beta.shape, beta.shape[-1]))
    moving, part = np.arange(len(beta)), problem
    here: tuple[Array, ...] = part.at(beta)
    for _ in range(_ITERATIONS):
        loss, gradient, information = here
        inverse[moving] = np.linalg.pinv(information, rcond=1e-15, hermitian=True)
        step = np.einsum("ijk,ik->ij", inverse[moving], gradient)
        moved, here = _descend(part, beta[moving], step, loss)
        beta[moving] += moved
        # The error is squared by each step: after one as small as this, nothing is left of it.
        goes_on = np.abs(moved).max(-1) > 1e-8 * (1 + np.abs(beta[moving]).max(-1))
        if not goes_on.any():
            break
        if not goes_on.all():
            moving, here = moving[goes_on], tuple(table[goes_on] for table in here)
            part = problem.of(moving)
    return beta, inverse


def _descend(problem: _Problem, beta: Array, step: Array, before: Array) -> tuple[Array, tuple[Array, ...]]:
    """Halve the step until it lowers the loss; return the point, and the loss with its derivatives there."""
    length = np.ones(len(beta))
    for _ in range(_HALVINGS):
        there: tuple[Array, ...] = problem.at(beta + length[:, None] * step)
        worse = ~(there[0] <= before * (1 + 1e-15) + 1e-300)
        if not worse.any():
            break
        length = np.where(worse, length / 2, length)
    return np.where(worse, 0.0, length)[:, None] * step, there


def sigmoid(z: Array) -> Array:
    """Return the logistic function."""
    return np.asarray(np.exp(-np.logaddexp(0, -z)))  # neither end overflows


def focal_terms(z: Array, gamma: float) -> tuple[Array, Array, Array]:
    """Return the focal loss of margins that are turned so that more means more right, with both derivatives.

    Args:
        z: The margins, of which those of negatives have their sign changed.
        gamma: The exponent; 0 gives the logistic loss.
    """
    p, log_p, rest = sigmoid(z), -np.logaddexp(0, -z), sigmoid(-z)
    modulation = rest**gamma
    tail = np.where(p > 0, log_p, 0.0)  # p log p is 0 at 0, and so is what else has a factor p
    slope = gamma * p * tail - rest
    return (
        -np.where(modulation > 0, modulation * log_p, 0.0),
        modulation * slope,
        p * modulation * (rest * (gamma * tail + gamma + 1) - gamma * slope),
    )
