"""Logistic regression of the class on a few functions of the score, by Newton's method, for a whole stack at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutline.core.last_axis import Array

_ITERATIONS = 100
_HALVINGS = 40
_AT_ONCE = 50_000  # weights that are worked on at a time: they then stay in the cache


class Fit(NamedTuple):
    """The coefficients, and the inverse of the information at them; the last axis is that of the columns."""

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
) -> Fit:
    """The maximum of the likelihood for weights of positives and negatives at each row of the design.

    `pos` and `neg` may have leading axes. `ridge` is the penalty on half the square of each coefficient. Where
    `exists` is false, there is no maximum, and the coefficients are NaN.

    >>> design = np.ones((1, 1))
    >>> bool(np.isclose(fit(design, np.array([3.0]), np.array([1.0])).coefficients[0], np.log(3)))
    True
    """
    lead, columns = pos.shape[:-1], design.shape[-1]
    positives, negatives = (cells.reshape(-1, len(design)).astype(float) for cells in (pos, neg))
    total = (positives + negatives).sum(-1)
    rows = np.flatnonzero(np.broadcast_to(np.asarray(exists), lead).ravel() & (total > 0))
    scale = np.sqrt((design**2).mean(0))
    scale = np.where(scale > 0, scale, 1.0)
    n = total[rows, None]  # per case, so that neither the steps nor the stop depend on the scale of the weights
    penalty = np.broadcast_to(np.asarray(ridge, dtype=float) / scale**2, (len(rows), columns)) / n
    shift = np.broadcast_to(np.asarray(offset, dtype=float), (len(design),))
    at_rows = positives[rows] / n, (positives + negatives)[rows] / n
    beta, inverse = np.full((len(total), columns), np.nan), np.full((len(total), columns, columns), np.nan)
    problem = _Problem(design / scale, shift, penalty, *at_rows)
    at_once = max(1, _AT_ONCE // len(design))
    for i in range(0, len(rows), at_once):
        part = slice(i, i + at_once)
        beta[rows[part]], inverse[rows[part]] = _newton(problem.of(part))
    inverse[rows] /= n[:, :, None]
    covariance = inverse / scale[:, None] / scale
    return Fit((beta / scale).reshape(*lead, columns), covariance.reshape(*lead, columns, columns))


class _Problem(NamedTuple):
    """What the rows share; `penalty` has a row for each."""

    design: Array
    offset: Array
    penalty: Array
    pos: Array
    size: Array

    def of(self, rows: Array | slice) -> _Problem:
        """The problem of some of the rows."""
        return self._replace(penalty=self.penalty[rows], pos=self.pos[rows], size=self.size[rows])

    def loss(self, beta: Array) -> Array:
        """Minus the penalised log likelihood of a case."""
        eta = self.offset + beta @ self.design.T
        grows = np.maximum(eta, 0) + np.log1p(np.exp(-np.abs(eta)))  # log(1 + e^eta) without overflow
        return np.asarray((self.size * grows - self.pos * eta).sum(-1) + (self.penalty * beta**2).sum(-1) / 2)

    def slopes(self, beta: Array) -> tuple[Array, Array]:
        """The gradient and the information."""
        eta = self.offset + beta @ self.design.T
        small = np.exp(-np.abs(eta))
        mean = np.where(eta >= 0, 1.0, small) / (1 + small)
        gradient = (self.pos - self.size * mean) @ self.design - self.penalty * beta
        curved = self.size * (small / (1 + small) ** 2)
        information = np.stack([curved @ (self.design * column[:, None]) for column in self.design.T], axis=-1)
        return gradient, information + np.einsum("ij,jk->ijk", self.penalty, np.eye(beta.shape[-1]))


def _newton(problem: _Problem) -> tuple[Array, Array]:
    """Newton's steps, halved while they do not lower the loss, for all rows until each stands still."""
    beta = np.zeros((len(problem.pos), problem.design.shape[-1]))
    moving = np.arange(len(beta))
    for _ in range(_ITERATIONS):
        part = problem if len(moving) == len(beta) else problem.of(moving)
        gradient, information = part.slopes(beta[moving])
        step = np.einsum("ijk,ik->ij", np.linalg.pinv(information, rcond=1e-15, hermitian=True), gradient)
        beta[moving], stands = _descend(part, beta[moving], step)
        moving = moving[~stands]
        if not len(moving):
            break
    return beta, np.linalg.pinv(problem.slopes(beta)[1], rcond=1e-15, hermitian=True)


def _descend(problem: _Problem, beta: Array, step: Array) -> tuple[Array, Array]:
    """The coefficients after a step, and whether they stand still."""
    before, length = problem.loss(beta), np.ones(len(beta))
    for _ in range(_HALVINGS):
        worse = problem.loss(beta + length[:, None] * step) > before * (1 + 1e-15) + 1e-300
        if not worse.any():
            break
        length = np.where(worse, length / 2, length)
    moved = np.where(worse, 0.0, length)[:, None] * step
    return beta + moved, np.abs(moved).max(-1) <= 1e-13 * (1 + np.abs(beta).max(-1))
