"""Scoring rules: whether one is proper, and the ranked probability score for ordered classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core import validation
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.validation import call_user_function, check_flag


@public
def expected_reward(rule: Callable[[int, Any], Any], belief: npt.ArrayLike, report: npt.ArrayLike) -> Any:
    """Return the reward E(R) = p R(1, q) + (1 - p) R(0, q) that a model expects of a scoring rule (Berrar, section
    1).

    Args:
        rule: `rule(y, q)` is the reward for reporting q when the class is y.
        belief: p, the probability of the positive class that the model believes in; a number or an array.
        report: q, the probability that it reports; a number or an array.

    >>> round(expected_reward(lambda y, q: 1 - (y - q) ** 2, belief=0.7, report=0.7), 6)  # 1 - p (1 - p)
    0.79
    """
    p, q = _check_pair(belief, "belief", report, "report")
    with np.errstate(all="ignore"):
        expected = _expect(p, *(_compute_rewards(rule, y, q, reward=True) for y in (1, 0)))
    return _unwrap_scalar(np.asarray(expected))


def _expect(belief: Any, of_positive: Any, of_negative: Any) -> Any:
    """Return the mean reward under a belief; one that cannot happen does not count, even when it is infinite."""
    by_positive = np.where(belief > 0, belief * of_positive, 0.0)
    return by_positive + np.where(belief < 1, (1 - belief) * of_negative, 0.0)


@public
def entropy(probability: npt.ArrayLike, *, base: float = math.e) -> Any:
    """Return the entropy of two classes, given the probability of the positive one: a number or an array.

    Args:
        probability: of the positive class.
        base: of the logarithm; natural logarithms (nats) by default, and 2 gives bits, as Berrar has them.

    >>> round(entropy(0.5), 6), entropy(0.5, base=2), entropy(1.0)
    (0.693147, 1.0, 0.0)
    """
    p = _check_probabilities(probability, "probability")
    return _unwrap_scalar(_compute_cross_entropy(p, p, base))


@public
def kl_divergence(truth: npt.ArrayLike, report: npt.ArrayLike, *, base: float = math.e) -> Any:
    """Return the Kullback-Leibler divergence of a report from the truth: cross-entropy less entropy (Berrar, section
    3).

    It is what a report costs beyond what cannot be avoided, and 0 for the truth alone.

    Args:
        truth: the probability of the positive class; 0 or 1 for a known label, whose entropy is 0.
        report: the probability that is reported.
        base: of the logarithm; natural logarithms (nats) by default, and 2 gives bits, as Berrar has them.

    >>> round(kl_divergence(0.5, 0.25), 6), round(kl_divergence(0.5, 0.25, base=2), 6), kl_divergence(0.3, 0.3)
    (0.143841, 0.207519, 0.0)
    """
    p, q = _check_pair(truth, "truth", report, "report")
    return _unwrap_scalar(_compute_cross_entropy(p, q, base) - _compute_cross_entropy(p, p, base))


def _compute_cross_entropy(p: npt.NDArray[Any], q: npt.NDArray[Any], base: float) -> npt.NDArray[Any]:
    base = validation.check_number(base, "base")
    if not 1 < base < math.inf:
        raise ParameterError(f"is {base:g}", "pass a finite number above 1", argument="base")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_expect(p, -np.log(q), -np.log1p(-q)) / math.log(base))


def _check_probabilities(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return a number or an array of numbers from 0 to 1."""
    scalar = validation.is_single(values)
    array = np.asarray(
        validation.check_number(values, name) if scalar else validation.as_numbers(values, name), dtype=float
    )
    if not ((array >= 0) & (array <= 1)).all():
        example = array if scalar else array[~((array >= 0) & (array <= 1))][0]
        raise InputError(f"holds {float(example):g}", "pass probabilities from 0 to 1", argument=name)
    return array


def _check_pair(values: npt.ArrayLike, name: str, other: npt.ArrayLike, other_name: str) -> list[npt.NDArray[Any]]:
    """Return two numbers, or arrays of one length, of probabilities."""
    pair = [_check_probabilities(values, name), _check_probabilities(other, other_name)]
    if pair[0].ndim and pair[1].ndim and len(pair[0]) != len(pair[1]):
        has = f"{name} has {validation.format_count(len(pair[0]), 'value')} but {other_name} has {len(pair[1])}"
        raise InputError(has, "pass the same number of both")
    return pair


def _unwrap_scalar(value: npt.NDArray[Any]) -> Any:
    return float(value) + 0.0 if np.ndim(value) == 0 else value  # a minus before a zero is of no use


class Properness(NamedTuple):
    """Whether honesty is the best (proper) and the only best (strictly proper) report, and where it fails.

    When it fails, a model that believes `belief` expects `gain` more from reporting `report`.
    """

    proper: bool
    strictly_proper: bool
    belief: float | None = None
    report: float | None = None
    gain: float = 0.0


@public
def check_proper(
    rule: Callable[[int, Any], Any], *, reward: bool = True, grid: int = 201, tolerance: float = 1e-9
) -> Properness:
    """Try a scoring rule R(y, q) on a grid of beliefs and reports: is the truth the best report (Berrar, section 1)?

    It can refute properness for certain, and confirm it on the grid.

    Args:
        rule: `rule(y, q)` is the reward for reporting q when the class is y.
        reward: whether the rule gives rewards; False if it gives losses.
        grid: how many evenly spaced probabilities are tried.
        tolerance: by how much a gain has to exceed rounding.

    >>> check_proper(lambda y, q: 1 - (y - q) ** 2)
    Properness(proper=True, strictly_proper=True, belief=None, report=None, gain=0.0)
    >>> check_proper(lambda y, q: abs(y - q), reward=False).proper  # better to exaggerate
    False
    """
    if not isinstance(grid, int) or not 3 <= grid <= 10_001:
        raise ParameterError(
            f"is {shorten_repr(grid)}", "pass the number of probabilities to check, from 3 to 10001", argument="grid"
        )
    tolerance, reward = validation.check_number(tolerance, "tolerance"), check_flag(reward, "reward")
    q = np.linspace(0, 1, grid)
    with np.errstate(all="ignore"):
        of_positive, of_negative = (_compute_rewards(rule, y, q, reward) for y in (1, 0))
        expected = _expect(q[:, None], of_positive, of_negative)  # a row for each belief, a column for each report
    honest = np.diagonal(expected)[:, None]
    scale = tolerance * np.maximum(1.0, np.abs(np.where(np.isfinite(honest), honest, 0.0)))
    with np.errstate(invalid="ignore"):
        gain = np.where(expected == honest, 0.0, expected - honest)
    if (gain > scale).any():
        row, column = np.unravel_index(np.argmax(gain), gain.shape)
        return Properness(False, False, float(q[row]), float(q[column]), float(gain[row, column]))
    others = ~np.eye(grid, dtype=bool)
    return Properness(True, bool((gain < 0)[others].all()))


def _compute_rewards(rule: Callable[[int, Any], Any], y: int, q: npt.NDArray[Any], reward: bool) -> npt.NDArray[Any]:
    if not callable(rule):
        raise ParameterError(f"is {shorten_repr(rule)}", "pass a function of the class and the report", argument="rule")
    try:
        values = np.broadcast_to(np.asarray(call_user_function(rule, "rule", y, q), dtype=float), q.shape)
    except (ValueError, TypeError):
        raise ParameterError(
            "does not give one number for each report", "pass a rule that takes arrays", argument="rule"
        ) from None
    if np.isnan(values).any():
        first = np.atleast_1d(q)[np.isnan(np.atleast_1d(values))][0]
        raise ParameterError(
            f"gives NaN for y = {y}, q = {first:g}", "pass a rule that is defined there", argument="rule"
        )
    return values if reward else -values


@public
def ranked_probability_score(
    labels: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    weights: npt.ArrayLike | None = None,
) -> float:
    """Mean squared distance of the cumulated probabilities from the cumulated outcome, for ordered classes.

    It is divided by the number of classes less one: 0 is perfect, 1 the worst, and for two classes it is the Brier
    score.

    Args:
        labels: the class of each case.
        probabilities: a row for each case, with a column for each class.
        classes: the classes in their order; 0, 1, 2, ... by default.
        weights: the weight of each case; all the same without.

    >>> ranked_probability_score(["lose"], [[0.5, 0.25, 0.25]], classes=["win", "draw", "lose"])  # (1/4 + 9/16) / 2
    0.40625
    """
    matrix = validation.as_score_matrix(probabilities, "probabilities")
    truth, order = validation.encode_classes(
        labels, range(matrix.shape[1]) if classes is None else classes, matrix.shape[1]
    )
    if len(truth) != len(matrix):
        has = f"labels has {validation.format_count(len(truth), 'value')} but probabilities has {len(matrix)} rows"
        raise InputError(f"{has}", "pass one row for each label")
    if not (matrix >= 0).all() or np.abs(matrix.sum(1) - 1).max() > 1e-6:
        raise InputError(
            "has rows that are negative or do not add up to 1", "normalise the rows", argument="probabilities"
        )
    happened = truth[:, None] <= np.arange(len(order) - 1)  # cumulated: the class is this one or an earlier one
    distance = np.cumsum(matrix, axis=1)[:, :-1] - happened
    of_cases = (distance**2).sum(1) / (len(order) - 1)
    return float(np.average(of_cases, weights=None if weights is None else _check_weights(weights, len(matrix))))


def _check_weights(weights: Any, n: int) -> npt.NDArray[Any]:
    array = validation.as_weights(weights)
    if len(array) != n:
        has = f"weights has {validation.format_count(len(array), 'value')} but there are {n} cases"
        raise InputError(f"{has}", "pass one for each")
    if np.isnan(array).any() or not array.any():
        problem = "missing" if np.isnan(array).any() else "all zero"
        raise InputError(f"are {problem}", "pass a weight for each case, or weights=None", argument="weights")
    return array
