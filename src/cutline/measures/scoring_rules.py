"""Scoring rules: whether one is proper, and the ranked probability score for ordered classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core import columns
from cutline.core.errors import InputError, ParameterError, briefly


class Properness(NamedTuple):
    """Whether honesty is the best (proper) and the only best (strictly proper) report, and where it fails.

    When it fails, a model that believes `belief` expects `gain` more from reporting `report`.
    """

    proper: bool
    strictly_proper: bool
    belief: float | None = None
    report: float | None = None
    gain: float = 0.0


def check_proper(
    rule: Callable[[int, Any], Any], *, reward: bool = True, grid: int = 201, tolerance: float = 1e-9
) -> Properness:
    """Try a scoring rule R(y, q) on a grid of beliefs and reports: is the truth the best report (Berrar, section 1)?

    `rule(y, q)` is the reward (with `reward=False`, the loss) for reporting q when the class is y. The check looks at
    `grid` evenly spaced probabilities, so it can refute properness for certain and confirm it on the grid.

    >>> check_proper(lambda y, q: 1 - (y - q) ** 2)
    Properness(proper=True, strictly_proper=True, belief=None, report=None, gain=0.0)
    >>> check_proper(lambda y, q: abs(y - q), reward=False).proper  # better to exaggerate
    False
    """
    if not isinstance(grid, int) or not 3 <= grid <= 10_001:
        raise ParameterError(
            f"is {briefly(grid)}", "pass how many probabilities to look at, from 3 to 10001", argument="grid"
        )
    q = np.linspace(0, 1, grid)
    with np.errstate(all="ignore"):
        of_positive, of_negative = (_rewards(rule, y, q, reward) for y in (1, 0))
        # A reward that cannot happen does not count, even when it is infinite.
        by_positive = np.where(q[:, None] > 0, q[:, None] * of_positive, 0.0)
        by_negative = np.where(q[:, None] < 1, (1 - q[:, None]) * of_negative, 0.0)
    expected = by_positive + by_negative  # a row for each belief, a column for each report
    honest = np.diagonal(expected)[:, None]
    scale = tolerance * np.maximum(1.0, np.abs(np.where(np.isfinite(honest), honest, 0.0)))
    with np.errstate(invalid="ignore"):
        gain = np.where(expected == honest, 0.0, expected - honest)
    if (gain > scale).any():
        row, column = np.unravel_index(np.argmax(gain), gain.shape)
        return Properness(False, False, float(q[row]), float(q[column]), float(gain[row, column]))
    others = ~np.eye(grid, dtype=bool)
    return Properness(True, bool((gain < 0)[others].all()))


def _rewards(rule: Callable[[int, Any], Any], y: int, q: npt.NDArray[Any], reward: bool) -> npt.NDArray[Any]:
    try:
        values = np.broadcast_to(np.asarray(rule(y, q), dtype=float), q.shape)
    except (ValueError, TypeError):
        raise ParameterError(
            "does not give one number for each report", "pass one that takes arrays", argument="rule"
        ) from None
    if np.isnan(values).any():
        raise ParameterError(
            f"gives NaN for y = {y}, q = {q[np.isnan(values)][0]:g}", "pass one that is defined", argument="rule"
        )
    return values if reward else -values


def ranked_probability_score(
    labels: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    weights: npt.ArrayLike | None = None,
) -> float:
    """Mean squared distance of the cumulated probabilities from the cumulated outcome, for ordered classes.

    `probabilities` has a row for each case and a column for each class, in the order of `classes` (0, 1, 2, ... by
    default). It is divided by the number of classes less one: 0 is perfect, 1 the worst, and for two classes it is
    the Brier score.

    >>> ranked_probability_score(["lose"], [[0.5, 0.25, 0.25]], classes=["win", "draw", "lose"])  # (1/4 + 9/16) / 2
    0.40625
    """
    matrix = columns.matrix(probabilities, "probabilities")
    truth, order = columns.classes_of(labels, range(matrix.shape[1]) if classes is None else classes, matrix.shape[1])
    if len(truth) != len(matrix):
        has = f"labels has {columns.counted(len(truth), 'value')} but probabilities has {len(matrix)} rows"
        raise InputError(f"{has}", "pass one row for each label")
    if not (matrix >= 0).all() or np.abs(matrix.sum(1) - 1).max() > 1e-6:
        raise InputError(
            "has rows that are negative or do not add up to 1", "normalise the rows", argument="probabilities"
        )
    happened = truth[:, None] <= np.arange(len(order) - 1)  # cumulated: the class is this one or an earlier one
    distance = np.cumsum(matrix, axis=1)[:, :-1] - happened
    of_cases = (distance**2).sum(1) / (len(order) - 1)
    return float(np.average(of_cases, weights=None if weights is None else _case_weights(weights, len(matrix))))


def _case_weights(weights: Any, n: int) -> npt.NDArray[Any]:
    array = columns.weights(weights)
    if len(array) != n:
        has = f"weights has {columns.counted(len(array), 'value')} but there are {n} cases"
        raise InputError(f"{has}", "pass one for each")
    if np.isnan(array).any() or not array.any():
        found = "missing" if np.isnan(array).any() else "all zero"
        raise InputError(f"are {found}", "pass a weight for each case, or weights=None", argument="weights")
    return array
