"""Weak calibration: whether the probabilities are right on average, and neither too extreme nor too timid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cutline.core import logistic
from cutline.core.array_ops import Array, as_array, dot
from cutline.core.blocks import condense_ranking, is_always_smooth, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import Moments, VarianceFormula
from cutline.measures.metadata import ONE_CLASS, Parameter, UndefinedWhen
from cutline.measures.registry import Family, Needs, measure
from cutline.measures.roc import map_over_stack

weak = partial(measure, needs=Needs.PROBABILITIES, family=Family.PROBABILITY, better=None)

FIT = Parameter(
    "how the line is fitted: 'likelihood' (R's glm), 'ridge' (penalty 1 on the slope), or 'scikit_learn' "
    "(LogisticRegression with its defaults: that penalty, and a solver that stops early)",
    choices=("likelihood", "ridge", "scikit_learn"),
    example="ridge",
)

_PART = 1 << 20  # cells that are worked on at a time
_STEEPEST = 10  # slope up to which the likelihood is a smooth function of the probabilities
_LEAST = 1e-6  # of what is left of a case's residual, where the line goes through it


def compute_logits(r: Ranking) -> Array:
    """Return the log odds of the probabilities; 0 and 1 count as the machine epsilon of the scores and its
    complement.
    """
    bound = -math.log(np.finfo(r.score.dtype).eps)
    with np.errstate(invalid="ignore"):
        odds = np.asarray(np.subtract(*r.logs))
    return np.clip(odds, -bound, bound, out=odds)


# ---------------------------------------------------------------------- observed against expected


@reduce_over_cells(np.add, is_smooth=is_always_smooth)
def _sum_probabilities(r: Ranking) -> Any:
    """Return the sum of the probabilities of all cases."""
    return dot(r.size.astype(float), r.key)


def _compute_log_ratio_variance(r: Ranking) -> Any:
    """Return the variance of the log O:E ratio (Riley et al., 2021): (1 - prevalence) / positives, in effective numbers
    of cases.
    """
    prevalence = divide(r.positives, r.total)
    positives = r.positives if r.integral else divide(r.positives**2, r.pos2.sum(-1))
    return divide(1 - prevalence, positives)


def _compute_delta_variance(r: Ranking) -> Any:
    """Return the variance that takes into account what the probabilities say about each case."""
    expected = _sum_probabilities(r)
    ratio = as_array(divide(r.positives, expected))[..., None]
    pos2, neg2 = (r.pos, r.neg) if r.integral else (r.pos2, r.neg2)
    with np.errstate(invalid="ignore", over="ignore"):  # where probabilities are next to nothing, it is undefined
        squared = (pos2 * (1 - ratio * r.key) ** 2 + neg2 * (ratio * r.key) ** 2).sum(-1)
    return divide(squared, np.square(r.positives, dtype=float))


@weak(
    title="O:E ratio",
    formula=r"\frac{\sum_i y_i}{\sum_i p_i}",
    range=(0, math.inf),
    perfect=1,
    baseline=1,
    undefined=UndefinedWhen(
        "no positive is observed and none is expected",
        lambda r, **_: (r.positives == 0) & (_sum_probabilities(r) == 0),
    ),
    aliases=("o_e_ratio", "observed_expected_ratio"),
    caveat="The interval is too wide when the probabilities tell cases apart; the method 'delta' avoids that.",
    form=VarianceFormula({"delta": _compute_delta_variance, "log": _compute_log_ratio_variance}, scale="log"),
    source=("vancalster2025", "riley2021"),
    blind_to="Errors that cancel: half the cases too high and half too low give 1.",
)
def oe_ratio(r: Ranking) -> Any:
    """Observed positives for each expected one: 1 when the probabilities are right on average.

    >>> oe_ratio([1, 0, 1, 0], [0.5, 0.25, 0.5, 0.25])  # 2 observed, 1.5 expected
    1.3333333333333333
    """
    return divide(r.positives, _sum_probabilities(r))


# ---------------------------------------------------------------------- the logistic calibration line


@reduce_over_cells(np.logical_or)
def _is_in_doubt(r: Ranking) -> Any:
    """Whether a case has a probability between 0 and 1."""
    return ((r.size > 0) & (r.key > 0) & (r.key < 1)).any(-1)


NO_DOUBT = UndefinedWhen("every probability is 0 or 1", lambda r, **_: ~_is_in_doubt(r))


def _find_extreme_logits(r: Ranking, cells: Array) -> tuple[Array, Array]:
    """Return the highest and the lowest log odds that have a case."""
    has_cases = cells > 0
    first, last = has_cases.argmax(-1), len(r) - 1 - has_cases[..., ::-1].argmax(-1)
    if r.is_in_blocks:  # a column of logarithms is large
        ends = r.score[[first, last]]
        top, low = compute_logits(replace(r, score=ends, pos=r.pos[:2], neg=r.neg[:2], pos2=r.pos[:2], neg2=r.neg[:2]))
        return top, low
    x = compute_logits(r)
    return x[first], x[last]


def _do_classes_overlap(r: Ranking) -> Any:
    """Whether each class has a case strictly beyond one of the other, so that the likelihood has a maximum."""

    def compute() -> Any:
        (top_pos, low_pos), (top_neg, low_neg) = _find_extreme_logits(r, r.pos), _find_extreme_logits(r, r.neg)
        return (low_pos < top_neg) & (low_neg < top_pos) & (r.positives > 0) & (r.negatives > 0)

    return r.cached("overlaps", compute)


SEPARATED = UndefinedWhen(
    "the scores separate the classes or are all alike, so that no slope fits best",
    lambda r, fit="likelihood", **_: (
        (fit == "likelihood") & (r.positives > 0) & (r.negatives > 0) & ~_do_classes_overlap(r)
    ),
)


def _fit_offset(r: Ranking) -> logistic.Fit:
    def fit() -> logistic.Fit:
        exists = (r.positives > 0) & (r.negatives > 0) & ~NO_DOUBT.holds(r)
        few = condense_ranking(r)
        return logistic.fit(
            np.broadcast_to(1.0, (len(few), 1)), few.pos, few.neg, offset=compute_logits(few), exists=exists
        )

    return r.cached("offset_fit", fit)


def fit_joint(r: Ranking, fit: str = "likelihood") -> logistic.Fit:
    """Fit intercept and slope of the logistic regression of the class on the log odds of the probabilities."""
    return r.cached(("joint_fit", fit), lambda: _fit_joint(r, fit))


def _fit_joint(r: Ranking, fit: str) -> logistic.Fit:
    both = (r.positives > 0) & (r.negatives > 0)
    if fit == "scikit_learn":
        coefficients = np.reshape(map_over_stack(_fit_by_scikit_learn, r), (*np.shape(both), 2))
        return logistic.Fit(coefficients, np.full((*np.shape(both), 2, 2), np.nan))
    is_ridge = fit == "ridge"
    exists = both if is_ridge else both & _do_classes_overlap(r)
    ridge = np.array([0.0, 1.0]) if is_ridge else 0.0

    def fit_line(cells: Ranking) -> logistic.Fit:
        design = np.column_stack((np.ones(len(cells)), compute_logits(cells)))
        return logistic.fit(design, cells.pos, cells.neg, ridge=ridge, exists=exists, start=(0.0, 1.0))

    few = condense_ranking(r)
    fitted = fit_line(few)
    return fitted if few is r or abs(fitted.coefficients[1]) <= _STEEPEST else fit_line(r)


def _fit_by_scikit_learn(r: Ranking) -> Array:
    from sklearn.linear_model import LogisticRegression

    if not r.positives or not r.negatives:
        return np.full(2, math.nan)
    pos, neg = r.floats
    x = np.tile(compute_logits(r), 2)[:, None]
    has_cases = np.concatenate((pos, neg)) > 0
    labels = np.repeat([1, 0], len(r))[has_cases]
    fitted = LogisticRegression().fit(x[has_cases], labels, sample_weight=np.concatenate((pos, neg))[has_cases])
    return np.array([fitted.intercept_[0], fitted.coef_[0, 0]])


def _sum_case_influences(
    r: Ranking, x: Array, make_design: Callable[[Array], tuple[Array, Array]], covariance: Array, column: int = 0
) -> Moments:
    """Return the number of the cases, and the sums of the squares and fourth powers of what each changes.

    That is what leaving a case out changes in a coefficient, in one step: its sum of squares is the sandwich variance
    HC3 (MacKinnon and White 1985), for weights that are no counts, or where the line is not the truth. Part by part,
    because several columns of floats would take more memory than the long ranking itself.

    Args:
        r: The ranking.
        x: The logits of its scores.
        make_design: From some of the logits, the design there and the linear predictor.
        covariance: The covariance by the information.
        column: The position of the coefficient.
    """
    number: Any = 0.0
    second: Any = 0.0
    fourth: Any = 0.0
    for start in range(0, len(r), _PART):
        here = slice(start, start + _PART)
        design, eta = make_design(x[here])
        with np.errstate(over="ignore"):  # of a risk of 0
            mean = 1 / (1 + np.exp(-eta))
        rows = design @ covariance
        leverage = mean * (1 - mean) * (rows * design).sum(-1)
        for whole, squared, residual in ((r.pos, r.pos2, 1 - mean), (r.neg, r.neg2, -mean)):
            cells = whole[..., here]
            weight = 1.0 if r.integral else np.nan_to_num(divide(squared[..., here], cells))
            times = cells if r.integral else np.nan_to_num(divide(cells, weight))
            change = weight * rows[..., column] * residual / np.maximum(1 - weight * leverage, _LEAST)
            square = change**2
            number = number + times.sum(-1)
            second = second + (times * square).sum(-1)
            fourth = fourth + (times * square**2).sum(-1)
    return Moments(number, second, fourth)


def _compute_offset_variance(r: Ranking) -> Any:
    return _fit_offset(r).covariance[..., 0, 0] if r.integral else _compute_offset_moments(r).second


def _compute_offset_moments(r: Ranking) -> Moments:
    fitted = _fit_offset(r)

    def make_design(x: Array) -> tuple[Array, Array]:
        return np.ones((len(x), 1)), x + fitted.coefficients

    few = condense_ranking(r)
    return _sum_case_influences(few, compute_logits(few), make_design, fitted.covariance)


def _compute_line_variance(column: int, r: Ranking, fit: str = "likelihood") -> Any:
    if r.integral:  # by the information
        return fit_joint(r, fit).covariance[..., column, column]
    return _compute_line_moments(column, r, fit).second


def _compute_line_moments(column: int, r: Ranking, fit: str = "likelihood") -> Moments:
    fitted = fit_joint(r, fit)

    def make_design(x: Array) -> tuple[Array, Array]:
        eta = fitted.coefficients[..., :1] + fitted.coefficients[..., 1:] * x
        return np.column_stack((np.ones(len(x)), x)), eta

    few = condense_ranking(r) if abs(fitted.coefficients[..., 1]).max() <= _STEEPEST else r
    return _sum_case_influences(few, compute_logits(few), make_design, fitted.covariance, column)


def _make_variance_formula(variance: Callable[..., Any], moments: Callable[..., Moments]) -> VarianceFormula:
    """Return both variances; the default supposes only that the cases are independent, not that the line is true."""

    def sandwich(r: Ranking, **parameters: Any) -> Any:
        return moments(r, **parameters).second

    return VarianceFormula({"sandwich": sandwich, "likelihood": variance}, robust="sandwich", moments=moments)


line = partial(weak, range=(-math.inf, math.inf), source=("vancalster2025", "cox1958"))


@line(
    title="Calibration intercept",
    formula=r"\hat a \text{ in } \operatorname{logit} P(y = 1) = a + \operatorname{logit}(p)",
    perfect=0,
    baseline=0,
    undefined=(*ONE_CLASS, NO_DOUBT),
    aliases=("calibration_in_the_large",),
    form=_make_variance_formula(_compute_offset_variance, _compute_offset_moments),
    blind_to="Whether probabilities are too extreme or too timid: only their average counts.",
)
def calibration_intercept(r: Ranking) -> Any:
    """Calibration in the large: by how much the log odds are too low on average, their slope being left at 1."""
    return _fit_offset(r).coefficients[..., 0]


@line(
    title="Calibration slope",
    formula=r"\hat b \text{ in } \operatorname{logit} P(y = 1) = a + b \operatorname{logit}(p)",
    perfect=1,
    baseline=math.nan,
    undefined=(*ONE_CLASS, SEPARATED),
    parameters={"fit": FIT},
    form=_make_variance_formula(partial(_compute_line_variance, 1), partial(_compute_line_moments, 1)),
    blind_to=(
        "Whether probabilities are too high or too low on average, and miscalibration that is not a straight line."
    ),
)
def calibration_slope(r: Ranking, *, fit: str = "likelihood") -> Any:
    """Slope of the log odds of the outcome on those predicted: below 1 they are too extreme, above 1 too timid."""
    return fit_joint(r, fit).coefficients[..., 1]


@line(
    title="Intercept of the calibration line",
    formula=r"\hat a \text{ in } \operatorname{logit} P(y = 1) = a + b \operatorname{logit}(p)",
    perfect=0,
    baseline=math.nan,
    undefined=(*ONE_CLASS, SEPARATED),
    parameters={"fit": FIT},
    aliases=("cox_intercept",),
    form=_make_variance_formula(partial(_compute_line_variance, 0), partial(_compute_line_moments, 0)),
    blind_to="Whether probabilities are right on average: it is the value at even odds of a fitted line.",
)
def joint_calibration_intercept(r: Ranking, *, fit: str = "likelihood") -> Any:
    """Intercept of the joint fit with the slope. It is not calibration in the large: see calibration_intercept."""
    return fit_joint(r, fit).coefficients[..., 0]


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_probabilities.share(of_probabilities=True)
