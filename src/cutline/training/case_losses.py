"""Losses of single cases as risks: the mean loss of the probabilities that scores stand for, as log-odds.

Log loss and balanced cross-entropy are convex; the Brier score and the focal loss are not, and need a good start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from cutline.core.logistic import focal_terms
from cutline.training.class_order import Array, Risk, Split

LOSSES = ("log_loss", "brier", "balanced_cross_entropy", "focal_loss")


@dataclass(frozen=True, eq=False)
class CaseLoss:
    """The mean over the cases of a loss of probabilities, in nats.

    Attributes:
        split: The classes of the cases, and their weights.
        name: One of `LOSSES`.
        alpha: The weight of the positives, the negatives having 1 - alpha; both have 1 when None.
        gamma: The exponent of the focal loss; 0 is the log loss.
    """

    split: Split
    name: str
    alpha: float | None = None
    gamma: float = 0.0

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        sign = np.where(split.is_positive, 1.0, -1.0)
        z = sign * scores
        if self.name == "brier":
            wrong = expit(-z)
            value, slope = wrong**2, -2 * wrong**2 * expit(z)
        else:
            value, slope, _ = focal_terms(z, self.gamma)
        weight = split.weights / (split.P + split.N)
        if self.alpha is not None:
            weight = weight * np.where(split.is_positive, self.alpha, 1 - self.alpha)
        return Risk(float(weight @ value), weight * sign * slope)
