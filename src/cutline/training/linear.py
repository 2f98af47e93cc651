"""A linear model over a dense or sparse matrix, and the limits of a solver."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array

_ROUGH = 0.01
_FEW_ROWS = 0.1  # up to this share of the rows, copying them is faster than reading all
VACUOUS = 0.99  # at this share of the risk of the baseline a bound is uninformative


@dataclass(frozen=True, eq=False)
class Design:
    """The matrix of the cases; with a bias, a last column of ones that is not stored."""

    X: Any
    bias: bool = False

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return int(self.X.shape[1]) + self.bias

    def compute_scores(self, w: Array) -> Array:
        """Return the scores of the cases."""
        return np.asarray(self.X @ w[:-1] + w[-1] if self.bias else self.X @ w)

    def pull(self, gradient: Array) -> Array:
        """Convert a gradient by the scores to one by the coefficients.

        Usually few cases have a gradient, those on the wrong side; then only their rows are read.
        """
        X, of_cases = self.X, gradient
        rows = np.flatnonzero(gradient)
        if len(rows) < _FEW_ROWS * len(gradient):
            X, of_cases = X[rows], gradient[rows]
        of_columns = np.asarray(X.T @ of_cases)
        return np.append(of_columns, gradient.sum()) if self.bias else of_columns


@dataclass(frozen=True)
class Effort:
    """When to stop, and whether to print progress."""

    tol: float = 1e-3
    max_iter: int = 1000
    seconds: float = math.inf
    verbose: int = 0
    started: float = field(default_factory=time.perf_counter)
    deadline: float = math.inf

    def start(self) -> Effort:
        """Start the clock: return the same effort with its deadline."""
        return replace(self, deadline=time.perf_counter() + self.seconds)

    def relax(self) -> Effort:
        """Return the same effort with a tolerance that suffices to compare recipes and to choose a cut."""
        return replace(self, tol=max(self.tol, _ROUGH), verbose=max(0, self.verbose - 1))

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.deadline

    def say(self, text: str) -> None:
        """Print a line of progress if `verbose`."""
        if self.verbose:
            print(f"[{time.perf_counter() - self.started:7.2f} s] {text}", flush=True)  # noqa: T201


class Solution(NamedTuple):
    """The coefficients of a solver, and how good they are.

    `objective` is the minimised value, and `bound` a lower bound of the minimum (NaN if unknown). `bound_ratio` is the
    risk divided by that of a constant score, for solvers that minimise a convex bound; `reachable` is the smallest such
    ratio along the direction of logistic regression. `limited`: the iterations or the time ran out.
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
        """Whether the bound is uninformative at the coefficients."""
        return self.bound_ratio >= VACUOUS
