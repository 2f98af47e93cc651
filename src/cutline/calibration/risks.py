"""A population of risks: normal log odds with a given prevalence and AUC, which the size of a study depends on."""

from __future__ import annotations

import numpy as np

from cutline.core.errors import ParameterError
from cutline.core.last_axis import Array

_GRID = np.linspace(-8, 8, 4001)  # in standard deviations
_DENSITY = np.exp(-(_GRID**2) / 2)
_DENSITY /= _DENSITY.sum()


class Risks:
    """Calibrated risks whose log odds are normal.

    Args:
        mean: The mean of the log odds.
        sd: Their standard deviation.
    """

    def __init__(self, mean: float, sd: float) -> None:
        self.mean, self.sd = float(mean), float(sd)
        self.log_odds, self.risk = _at(self.mean, self.sd)

    @classmethod
    def of(cls, prevalence: float, auc: float) -> Risks:
        """The risks with a given mean, which tell the classes apart as well as is said.

        Args:
            prevalence: The mean risk.
            auc: The AUC, above 0.5.
        """
        from scipy.optimize import brentq

        def spread(sd: float) -> float:
            return _auc(*_at(_centre(prevalence, sd), sd)) - auc

        if not 0.5 < auc < 1:
            raise ParameterError(f"is {auc:g}", "pass a number between 0.5 and 1", argument="auc")
        sd = float(brentq(spread, 1e-6, 50))
        return cls(_centre(prevalence, sd), sd)

    def information(self) -> tuple[float, float, float]:
        """The information of one case on intercept, both, and slope of the calibration line."""
        curved = _DENSITY * self.risk * (1 - self.risk)
        x = self.log_odds
        return float(curved.sum()), float((curved * x).sum()), float((curved * x * x).sum())

    def rates(self, threshold: float) -> tuple[float, float]:
        """Sensitivity and specificity at a threshold of the risk."""
        above = self.risk >= threshold
        positive, negative = _DENSITY * self.risk, _DENSITY * (1 - self.risk)
        return float(positive[above].sum() / positive.sum()), float(negative[~above].sum() / negative.sum())

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Labels and risks of so many cases."""
        risk = 1 / (1 + np.exp(-rng.normal(self.mean, self.sd, n)))
        return rng.random(n) < risk, risk


def _at(mean: float, sd: float) -> tuple[Array, Array]:
    x = mean + sd * _GRID
    return x, 1 / (1 + np.exp(-x))


def _centre(prevalence: float, sd: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda mean: float(_DENSITY @ _at(mean, sd)[1]) - prevalence, -200, 200))


def _auc(_: Array, risk: Array) -> float:
    positive, negative = _DENSITY * risk, _DENSITY * (1 - risk)
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / positive.sum() / negative.sum())
