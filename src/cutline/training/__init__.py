"""Training for the measure that is reported: a linear classifier, its exact oracles, and losses for other trainers.

It stands on the public names of cutline, as a user's code would, and needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline import InputError, Measure
from cutline.core.validation import as_numbers
from cutline.inputs.rank import read_cases
from cutline.training.boosting import BoostingLoss, BoostingMetric, auc_pairs, boosting_loss, boosting_metric
from cutline.training.class_order import Oracle, Psi, Risk, Split
from cutline.training.classifier import Candidate, LinearMeasureClassifier, check_psi
from cutline.training.objectives import check_target, resolve_target

__all__ = [
    "BoostingLoss",
    "BoostingMetric",
    "Candidate",
    "LinearMeasureClassifier",
    "Oracle",
    "Risk",
    "auc_pairs",
    "boosting_loss",
    "boosting_metric",
    "oracle",
]


def oracle(
    measure: str | Measure | Callable[..., Any],
    labels: npt.ArrayLike,
    *,
    parameters: Mapping[str, Any] | None = None,
    psi: Psi = "auto",
    positive: object = None,
) -> Oracle:
    """Return the convex bound of a measure's loss, exactly: a function from scores to risk and gradient.

    For trainers of one's own: the risk is the largest, over all predictions that could be made instead, of their loss
    plus what the scores say in their favour.

    Args:
        measure: A measure by name, or a function of `Counts`.
        labels: The labels of the cases.
        parameters: The parameters of the measure.
        psi: How a predicted case counts in the bound: "auto", "positive", "uniform" or "balanced" (docs/training.md).
        positive: The label that is positive.

    >>> bound = oracle("auc", [1, 0, 0])
    >>> bound(np.array([0.5, 0.0, 1.0]))  # the hinge of the pairs: (0.5 + 1.5) / 2
    Risk(value=1.0, gradient=array([-1. ,  0.5,  0.5]))
    """
    is_positive, _ = read_cases(labels, np.zeros(len(np.asarray(labels))), positive=positive)
    split = Split(is_positive)
    if not len(split.pos) or not len(split.neg):
        raise InputError("All cases are of one class", "pass labels of two classes")
    goal = resolve_target(measure, parameters)
    check_target(goal, split)
    check_psi(psi, goal)
    return _Checked(goal.make_oracle(split, psi), split.n)


@dataclass(frozen=True, eq=False)
class _Checked:
    """An oracle that checks the scores of its caller."""

    oracle: Oracle
    n: int

    def __call__(self, scores: npt.ArrayLike) -> Risk:
        """Return the risk at these scores."""
        checked = as_numbers(scores, "scores").astype(float)
        if len(checked) != self.n:
            raise InputError(
                f"has {len(checked)} values for {self.n} labels", "pass one for each label", argument="scores"
            )
        if not np.isfinite(checked).all():
            at = int(np.argmin(np.isfinite(checked)))
            raise InputError(f"is {checked[at]:g} at position {at}", "pass finite scores", argument="scores")
        return self.oracle(checked)
