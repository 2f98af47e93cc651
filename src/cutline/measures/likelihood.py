"""Measures of the likelihood of probabilities (log likelihood, pseudo R²), and the discrimination slope."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Array, dot
from cutline.core.blocks import is_always_smooth, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import LogLossTransform
from cutline.measures.metadata import ONE_CLASS, ReferenceValue
from cutline.measures.probabilities import EPS, log_loss
from cutline.measures.rates import entropy
from cutline.measures.registry import Family, Needs, measure

overall = partial(
    measure,
    needs=Needs.PROBABILITIES,
    family=Family.PROBABILITY,
    range=(-math.inf, 1),
    better="higher",
    baseline=0,
    concordant=True,
)


@overall(
    title="Log likelihood",
    formula=r"\sum_i \left[y_i \ln p_i + (1 - y_i) \ln (1 - p_i)\right]",
    range=(-math.inf, 0),
    perfect=0,
    baseline=ReferenceValue(r"-n H(\pi)", lambda s, **_: -s.n * entropy(s.prevalence)),
    parameters={"eps": EPS},
    scales=False,
    source="vancalster2025",
    blind_to="The number of cases: it grows with them, so values of two data sets do not compare.",
    across_sizes="log_loss",
)
def log_likelihood(r: Ranking, *, eps: float | None = None) -> Any:
    """Sum over the cases of the log probability of what happened: minus n times the log loss, in nats."""
    return -r.total * log_loss.function(r, eps=eps)


def _compute_null_losses(r: Ranking, eps: float | None) -> tuple[Any, Any]:
    """Return the log loss, and the log loss of always predicting the prevalence; NaN where there is one class only."""
    both = (r.positives > 0) & (r.negatives > 0)
    prevalence = np.where(both, divide(r.positives, r.total), 0.5)
    return np.where(both, log_loss.function(r, eps=eps), np.nan)[()], np.asarray(entropy(prevalence))[()]


of_likelihood = partial(overall, undefined=ONE_CLASS, parameters={"eps": EPS})


def _invert_cox_snell(value: Array, null: float) -> Array:
    """Return the log loss that gives a Cox-Snell R²; none is below 0."""
    return np.maximum(null + np.log1p(-value) / 2, 0.0)


def _compute_cox_snell(loss: float, null: float) -> float:
    """Return the Cox-Snell R² of a log loss; it is largest for a loss of 0."""
    with np.errstate(over="ignore"):
        return float(-np.expm1(2 * (loss - null)))


@of_likelihood(
    title="McFadden's R²",
    formula=r"1 - \frac{\ell}{\ell_0}",
    perfect=1,
    source=("vancalster2025", "mcfadden1974"),
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def mcfadden_r2(r: Ranking, *, eps: float | None = None) -> Any:
    """Which part of the log loss of always saying the prevalence the model removes."""
    loss, null = _compute_null_losses(r, eps)
    return 1 - divide(loss, null)


@of_likelihood(
    title="Cox-Snell R²",
    formula=r"1 - e^{2(\ell_0 - \ell)/n}",
    perfect=ReferenceValue(r"1 - e^{-2 H(\pi)}", lambda s, **_: -math.expm1(-2 * entropy(s.prevalence))),
    source=("vancalster2025", "coxsnell1989"),
    form=LogLossTransform(_invert_cox_snell, _compute_cox_snell),
    blind_to=(
        "Whether an error comes from the order or from the probabilities; its largest value depends on the prevalence."
    ),
)
def cox_snell_r2(r: Ranking, *, eps: float | None = None) -> Any:
    """Generalised R² of the likelihood; a perfect model stays below 1."""
    loss, null = _compute_null_losses(r, eps)
    with np.errstate(over="ignore"):
        return -np.expm1(2 * (loss - null))


@of_likelihood(
    title="Nagelkerke R²",
    formula=r"\frac{1 - e^{2(\ell_0 - \ell)/n}}{1 - e^{2 \ell_0 / n}}",
    perfect=1,
    source=("vancalster2025", "nagelkerke1991"),
    form=LogLossTransform(
        lambda value, null: _invert_cox_snell(value * _compute_cox_snell(0.0, null), null),
        lambda loss, null: _compute_cox_snell(loss, null) / _compute_cox_snell(0.0, null),
    ),
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def nagelkerke_r2(r: Ranking, *, eps: float | None = None) -> Any:
    """Cox-Snell R² as a share of what a perfect model would reach."""
    loss, null = _compute_null_losses(r, eps)
    with np.errstate(over="ignore"):
        return divide(-np.expm1(2 * (loss - null)), -np.expm1(-2 * null))


@overall(
    title="Discrimination slope",
    formula=r"\bar p_{y=1} - \bar p_{y=0}",
    range=(-1, 1),
    perfect=1,
    undefined=ONE_CLASS,
    aliases=("tjur_r2", "coefficient_of_discrimination"),
    source=("vancalster2025", "yates1982"),
    blind_to="Whether probabilities are right: exaggerating them raises it.",
)
def discrimination_slope(r: Ranking) -> Any:
    """Difference between the mean probability of the positives and that of the negatives."""
    positive, negative = _sum_probabilities(r)
    return divide(positive, r.positives) - divide(negative, r.negatives)


@reduce_over_cells(np.add, is_smooth=is_always_smooth)
def _sum_probabilities(r: Ranking) -> tuple[Any, Any]:
    """Return the sums of the probabilities of the positives and of the negatives."""
    pos, neg = r.floats
    return dot(pos, r.key), dot(neg, r.key)


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_probabilities.share(of_probabilities=True)
