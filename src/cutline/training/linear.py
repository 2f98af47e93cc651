"""A linear model over a matrix, dense or sparse, and how long a solver may work on it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array

_ROUGH = 0.01
_FEW_ROWS = 0.1  # up to this share of them, rows are copied out sooner than all are read
VACUOUS = 0.99  # at this share of the baseline's risk a bound says nothing


@dataclass(frozen=True, eq=False)
class Design:
    """The matrix of the cases; with a bias, a last column of ones that is not stored."""

    X: Any
    bias: bool = False

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return int(self.X.shape[1]) + self.bias

    def scores(self, w: Array) -> Array:
        """Return the scores of the cases."""
        return np.asarray(self.X @ w[:-1] + w[-1] if self.bias else self.X @ w)

    def pull(self, gradient: Array) -> Array:
        """Return a gradient by the scores as one by the coefficients.

        Most bounds touch few cases, those that are missed or falsely flagged: only their rows are read.
        """
        X, of_cases = self.X, gradient
        rows = np.flatnonzero(gradient)
        if len(rows) < _FEW_ROWS * len(gradient):
            X, of_cases = X[rows], gradient[rows]
        of_columns = np.asarray(X.T @ of_cases)
        return np.append(of_columns, gradient.sum()) if self.bias else of_columns


@dataclass(frozen=True)
class Effort:
    """When to stop, and whether to say what happens."""

    tol: float = 1e-3
    max_iter: int = 1000
    seconds: float = math.inf
    verbose: int = 0
    started: float = field(default_factory=time.perf_counter)
    deadline: float = math.inf

    def start(self) -> Effort:
        """Return the same effort with its seconds counted from now."""
        return replace(self, deadline=time.perf_counter() + self.seconds)

    def rough(self) -> Effort:
        """Return the same effort with a tolerance that is enough to compare, and to choose a cut."""
        return replace(self, tol=max(self.tol, _ROUGH), verbose=max(0, self.verbose - 1))

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.deadline

    def say(self, text: str) -> None:
        """Print a line of progress, if progress is wanted."""
        if self.verbose:
            print(f"[{time.perf_counter() - self.started:7.2f} s] {text}", flush=True)  # noqa: T201


class Solution(NamedTuple):
    """The coefficients of a solver, and what is known about them.

    `objective` is what was minimised and `bound` a number below its minimum (nan: none is known). `bound_ratio` is the
    risk as a share of that of a constant score, for solvers that minimise a convex bound; `reachable` the
    least such share seen along the direction of logistic regression. `limited`: the rounds or the time ran out.
    """

    w: Array
    objective: float
    bound: float = math.nan
    n_iter: int = 0
    converged: bool = True
    bound_ratio: float = math.nan
    reachable: float = math.nan
    limited: bool = False

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound says nothing at the coefficients."""
        return self.bound_ratio >= VACUOUS
