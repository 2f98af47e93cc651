"""Losses and measures in the form that LightGBM and XGBoost accept; neither is imported.

With an objective of one's own both libraries predict margins. Boost from `start`: LightGBM takes it as init_score and
does not add it back to what it predicts; XGBoost takes it as base_score and does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cutline import InputError, Measure, ParameterError, UnknownNameError, losses, rank, scorer
from cutline.core.array_ops import Array
from cutline.core.errors import hint_similar, shorten_repr
from cutline.core.public import public
from cutline.core.validation import as_numbers, check_number
from cutline.inputs.rank import read_cases
from cutline.measures.losses import Loss
from cutline.training.class_order import Split
from cutline.training.newton import PairSquares
from cutline.training.objectives import find_measure


@public
def auc_pairs(
    labels: npt.ArrayLike, margins: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, positive: object = None
) -> Loss:
    """Squared hinge of all pairs of a positive and a negative, shared out: the mean of the values is that of the pairs.

    It needs O(n log n), not the pairs. The curvature is the diagonal of the second derivatives. With weights a pair
    weighs the product of its two, which is in the values: their sum over that of the weights is the mean of the pairs.

    Args:
        labels: the label of each case.
        margins: the score of each case, on any scale.
        weights: the weight of each case; all the same without.
        positive: the label that is positive; needed unless labels are 0/1, -1/1 or booleans.

    >>> auc_pairs([1, 0, 0], [0.5, 0.0, 1.0]).value.mean()  # (0.25 + 2.25) / 2
    np.float64(1.25)
    """
    is_positive, scores = read_cases(labels, margins, positive=positive)
    weight = None if weights is None else _read_weights(weights, len(scores))
    heavy = np.ones(len(scores)) if weight is None else weight
    if not heavy[is_positive].any() or not heavy[~is_positive].any():
        raise InputError("The cases with a weight above 0 are of one class", "pass cases of both")
    _check_squared(scores, heavy)
    pairs = PairSquares(Split(is_positive, weight), scores)
    total = pairs.split.P + pairs.split.N
    return Loss(
        total * pairs.compute_values() / 2, total * pairs.compute_risk().gradient, total * pairs.compute_curvature()
    )


def _check_squared(scores: Array, weights: Array) -> None:
    """Refuse scores and weights whose squares and products leave the range of floats."""
    if not np.abs(scores).max() < 1e100:
        raise InputError("holds scores of 1e100 or more", "pass scores of an ordinary size", argument="margins")
    if not 1e-100 < weights.sum() < 1e100:
        raise InputError(f"add up to {weights.sum():g}", "pass weights with a mean near 1", argument="weights")


def _read_weights(weights: npt.ArrayLike, n: int) -> Array:
    weight = as_numbers(weights, "weights").astype(float)
    if len(weight) != n:
        raise InputError(f"has {len(weight)} values for {n} cases", "pass one for each case", argument="weights")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise InputError(
            "has values that are negative or not finite", "pass finite weights of zero or more", argument="weights"
        )
    return weight


LOSSES: dict[str, Callable[..., Loss]] = {
    "logistic": losses.logistic,
    "balanced_cross_entropy": losses.balanced_cross_entropy,
    "focal": losses.focal,
    "hinge": losses.hinge,
    "auc_pairs": auc_pairs,
}


@dataclass(frozen=True)
class BoostingLoss:
    """A loss as an objective: call it as LightGBM or XGBoost do, with their data sets or as their estimators.

    Trees divide by the curvature, so it has a floor: the focal loss is not convex everywhere, and the hinge is flat,
    for which 1 is taken.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    floor: float = 1e-6

    def _make_loss(self, labels: npt.ArrayLike, margins: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Loss:
        """Return the loss of each case, with its weight in it."""
        function = partial(LOSSES[self.name], **self.parameters)
        if self.name == "auc_pairs":  # whose weights are of pairs
            return function(labels, margins, weights)
        loss = function(labels, margins)
        return loss if weights is None else Loss(*(_read_weights(weights, len(part)) * part for part in loss))

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Return gradient and curvature, of (margins, data set) or of (labels, margins, weights)."""
        labels, margins, weights = _unpack(first, second, sample_weight)
        loss = self._make_loss(labels, margins, weights)
        weight = np.ones(len(margins)) if weights is None else weights
        floored = np.ones_like(weight) if self.name == "hinge" else np.full(len(weight), self.floor)
        return loss.gradient, np.maximum(loss.curvature, floored * weight)

    def start(self, labels: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
        """Return the equal margin of all cases that has the least loss, to boost from.

        For the focal loss it is not the log-odds of the prevalence: from there, rare positives would not be learnt.

        Args:
            labels: The labels of the training cases.
            weights: Their weights.
        """
        from scipy.optimize import brentq

        if self.name == "auc_pairs":
            return 0.0
        n = np.size(labels)
        if self.name == "hinge":
            return min((-1.0, 1.0), key=lambda margin: self._make_loss(labels, np.full(n, margin), weights).value.sum())

        if len(np.unique(np.asarray(labels))) < 2:
            raise InputError("All labels are of one class, so that no margin is best", "pass labels of two classes")

        def slope(margin: float) -> float:
            return float(self._make_loss(labels, np.full(n, margin), weights).gradient.sum())

        return float(brentq(slope, -30, 30))

    def probabilities(self, margins: npt.ArrayLike, *, prevalence: float | None = None) -> Array:
        """Return the probability of the positive class for which each margin has the least expected loss.

        For the logistic loss it is the logistic function; the focal and the balanced loss pull margins towards 0, or
        towards the rare class, and this takes it back.

        Args:
            margins: The margins that were predicted.
            prevalence: The share of positives among the training cases, which a loss that balances the classes needs.

        >>> boosting_loss("balanced_cross_entropy").probabilities([0.0], prevalence=0.02).round(6).tolist()
        [0.02]
        """
        if self.name in ("hinge", "auc_pairs"):
            raise ParameterError(f"The margins of {self.name} are not log-odds", "calibrate them, or rank by them")
        z = np.asarray(margins, dtype=float)
        of_positive, of_negative = (self._compute_slopes(z.ravel(), label, prevalence) for label in (1, 0))
        return np.asarray(of_negative / (of_negative - of_positive)).reshape(z.shape)

    def _compute_slopes(self, margins: Array, label: int, prevalence: float | None) -> Array:
        """Return the gradients of the loss at some margins, were all the cases of one class."""
        alpha = self.parameters.get("alpha", "balanced" if self.name == "balanced_cross_entropy" else None)
        parameters = self.parameters
        if isinstance(alpha, str):
            if prevalence is None or not 0 < check_number(prevalence, "prevalence") < 1:
                raise ParameterError(
                    f"{self.name} weighs the classes by their shares, and prevalence is {prevalence!r}",
                    "pass the share of positives in the training cases, above 0 and below 1",
                )
            parameters = {**parameters, "alpha": 1 - prevalence}
        elif prevalence is not None:
            raise ParameterError(
                f"has no effect for {self.name} with alpha={alpha!r}", "leave it out", argument="prevalence"
            )
        labels = np.append(np.full(len(margins), label), 1 - label)  # a loss wants to see two classes
        return np.asarray(LOSSES[self.name](labels, np.append(margins, 0.0), **parameters).gradient[:-1])


@public
def boosting_loss(
    name: Literal["logistic", "balanced_cross_entropy", "focal", "hinge", "auc_pairs"], **parameters: Any
) -> BoostingLoss:
    """Return a loss as an objective for LightGBM and XGBoost.

    Args:
        name: which loss.
        parameters: of the loss, such as `gamma=` of the focal loss.

    >>> focal = boosting_loss("focal", gamma=2.0)
    >>> round(focal.start([1] + [0] * 49), 3), round(boosting_loss("logistic").start([1] + [0] * 49), 3)
    (-1.448, -3.892)
    """
    if not isinstance(name, str) or name not in LOSSES:
        raise UnknownNameError(
            f"There is no loss {shorten_repr(name)}",
            f"pass one of {', '.join(LOSSES)}",
            hint=hint_similar(name, LOSSES),
        )
    loss = BoostingLoss(name, parameters)
    try:
        loss([1, 0], [0.0, 0.0])
    except TypeError:
        raise ParameterError(f"{name} does not take {', '.join(parameters)}", "see its definition") from None
    return loss


class BoostingMetric:
    """A measure for the evaluation during training: `.lightgbm` for `feval` and `eval_metric`, `.xgboost` for its own.

    XGBoost takes smaller for better: tell its `EarlyStopping` with `maximize=metric.greater_is_better`.
    """

    def __init__(self, measure: Measure, parameters: dict[str, Any]) -> None:
        self.measure, self.parameters = measure, parameters
        self.name = str(measure)

    @property
    def greater_is_better(self) -> bool:
        """Whether a model should have more of it."""
        return self.measure.better == "higher"

    def value(self, labels: npt.ArrayLike, scores: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
        """Return the value for labels and scores.

        Args:
            labels: The labels.
            scores: The scores.
            weights: The weights of the cases.
        """
        return float(self.measure(rank(np.asarray(labels) > 0, scores, weights), **self.parameters))

    def lightgbm(self, first: Any, second: Any, weight: Any = None) -> tuple[str, float, bool]:
        """Name, value and whether greater is better.

        Args:
            first: The labels, or the predictions, depending on LightGBM's interface.
            second: The predictions, or the data set.
            weight: The weights of the cases.
        """
        labels, scores, weights = _unpack(first, second, weight)
        return self.name, self.value(labels, scores, weights), self.greater_is_better

    @property
    def xgboost(self) -> Callable[..., Any]:
        """Function that returns name and value for a data set, and the value alone for an estimator."""
        return _XgboostMetric(self)

    def __repr__(self) -> str:
        return f"boosting_metric({self.name!r})"


class _XgboostMetric:
    """A metric with a name, as XGBoost asks of functions; not a nested one, which no stored model can hold."""

    def __init__(self, metric: BoostingMetric) -> None:
        self.metric = metric
        self.__name__ = metric.name

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        labels, scores, weights = _unpack(first, second, sample_weight)
        value = self.metric.value(labels, scores, weights)
        return (self.metric.name, value) if hasattr(second, "get_label") else value


@public
def boosting_metric(measure: str | Measure, **parameters: Any) -> BoostingMetric:
    """Return a measure of the registry for the evaluation of LightGBM and XGBoost.

    Args:
        measure: the measure, or its name.
        parameters: of the measure. One of one cut takes `threshold=`: 0 for margins, as an objective of one's own
            gives them; 0.5 without.

    >>> boosting_metric("average_precision").lightgbm([1, 0, 1], [0.9, 0.8, 0.7])
    ('average_precision', 0.8333333333333333, True)
    """
    chosen, parameters = find_measure(measure, parameters)
    scorer(chosen, **parameters)  # refuses here what would otherwise end a training after its first round
    return BoostingMetric(chosen, parameters)


def _unpack(first: Any, second: Any, weight: Any) -> tuple[Array, Array, Any]:
    """Return labels, scores and weights, from (scores, data set) or from (labels, scores)."""
    if hasattr(second, "get_label"):
        first, second, weight = second.get_label(), first, second.get_weight()
    labels, scores = np.asarray(first), np.asarray(second, dtype=float).ravel()
    is_weighted = weight is not None and np.size(weight) > 0  # a data set of XGBoost without weights has none of them
    return labels, scores, _read_weights(weight, len(scores)) if is_weighted else None
