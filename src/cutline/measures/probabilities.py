"""Measures of the scores themselves: as probabilities of the positive class, or as signed distances (margins)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core import validation
from cutline.core.array_ops import Array, Symbol, dot
from cutline.core.blocks import is_always_smooth, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.errors import InputError, ParameterError
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.inputs.rank import check_probabilities, read_cases
from cutline.measures.forms import Equivalent, MeanOfCases
from cutline.measures.metadata import ONE_CLASS, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.rates import BASE, entropy, xlogx
from cutline.measures.registry import Family, Needs, measure

probability = partial(
    measure,
    needs=Needs.PROBABILITIES,
    family=Family.PROBABILITY,
    range=(0, 1),
    better="lower",
    perfect=0,
    concordant=True,
)

EPS = Parameter(
    "smallest probability that enters a logarithm; the machine epsilon of the scores by default, 0 for none",
    low=0,
    high=0.5,
    example=1e-5,
)
SPREAD = ReferenceValue(r"\pi(1-\pi)", lambda s, **_: s.prevalence * (1 - s.prevalence))


Losses = Callable[..., tuple[Array, Array]]  # of a ranking: those of a positive and of a negative at each score


def _are_smooth(losses: Losses, *parameters: Any) -> bool:
    """Whether losses have no kink but where logarithms are cut off by default."""
    return losses in (_compute_distances, _compute_squares) or (
        losses in (_clip_logs, _compute_focal_logs) and parameters[-1] is None
    )


@reduce_over_cells(np.add, is_smooth=_are_smooth)
def sum_losses(r: Ranking, losses: Losses, *parameters: Any) -> tuple[Any, Any]:
    """Return the sums of a loss over the positives and over the negatives."""
    (pos, neg), (of_positive, of_negative) = r.floats, losses(r, *parameters)
    return _sum_weighted(pos, of_positive), _sum_weighted(neg, of_negative)


def _average_losses(r: Ranking, losses: Losses, *parameters: Any, alpha: Any = None) -> Any:
    """Return the mean of a loss that depends on the class and the score, the classes weighted by alpha and 1 -
    alpha.
    """
    positive, negative = sum_losses(r, losses, *parameters)
    if alpha is None:
        with np.errstate(over="ignore"):  # of losses next to infinity
            return divide(positive + negative, r.total)
    weight: Any = divide(r.negatives, r.total) if alpha == "balanced" else alpha
    return divide(weight * positive + (1 - weight) * negative, r.total)


def _sum_weighted(weight: Array, loss: Array) -> Any:
    # Losses are monotone in the score: one that is infinite is so at an end. Where no case has it, it is no loss.
    if not isinstance(loss, Symbol) and np.isfinite(loss[0]) and np.isfinite(loss[-1]):
        return dot(weight, loss)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(weight != 0, weight * loss, 0.0).sum(-1)


def _clip_logs(r: Ranking, eps: float | None) -> tuple[Array, Array]:
    """Return the logarithms of the probabilities given to a positive and to a negative, clipped at eps."""
    floor = np.finfo(r.score.dtype).eps if eps is None else eps
    lowest = math.log(floor) if floor > 0 else -math.inf
    # Sorted, they are lowest at one end.
    of_positive, of_negative = (
        log if not isinstance(log, Symbol) and log[0] >= lowest and log[-1] >= lowest else np.maximum(log, lowest)
        for log in r.logs
    )
    return of_positive, of_negative


# ---------------------------------------------------------------------- distances


def _compute_distances(r: Ranking) -> tuple[Array, Array]:
    return 1 - r.key, r.key


@probability(
    title="Mean absolute error",
    formula=r"\frac1n \sum_i |y_i - p_i|",
    baseline=ReferenceValue(r"2\pi(1-\pi)", lambda s, **_: 2 * s.prevalence * (1 - s.prevalence)),
    aliases=("mean_absolute_error", "mape", "mean_absolute_probability_error"),
    form=MeanOfCases(_compute_distances, is_always_smooth),
    source={"berrar2025": "Definition 17"},
    blind_to="Whether probabilities are right: exaggerating them to 0 and 1 lowers it.",
)
def mae(r: Ranking) -> Any:
    """Mean distance of the probability from the label. It is not proper: it rewards exaggeration."""
    return _average_losses(r, _compute_distances)


def _compute_squares(r: Ranking) -> tuple[Array, Array]:
    return (1 - r.key) ** 2, r.key**2


@probability(
    title="Brier score",
    formula=r"\frac1n \sum_i (y_i - p_i)^2",
    baseline=SPREAD,
    aliases=("mse", "mean_squared_error", "brier_score", "brier_score_loss"),
    headline=True,
    form=MeanOfCases(_compute_squares, is_always_smooth),
    card=True,
    trained_by="cases",
    source={"berrar2025": "Definition 18", "brier1950": ""},
    blind_to="Whether order or probabilities err; with rare positives all values are near 0.",
)
def brier(r: Ranking) -> Any:
    """Mean squared distance of the probability from the label."""
    return _average_losses(r, _compute_squares)


@probability(
    title="Root mean square error",
    formula=r"\sqrt{\frac1n \sum_i (y_i - p_i)^2}",
    baseline=ReferenceValue(r"\sqrt{\pi(1-\pi)}", lambda s, **_: np.sqrt(s.prevalence * (1 - s.prevalence))),
    aliases=("root_mean_square_error",),
    equivalent=Equivalent("brier", "the square root of brier"),
    source={"berrar2025": "Definition 19"},
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def rmse(r: Ranking) -> Any:
    """Root of the Brier score."""
    return np.sqrt(brier.function(r))


@probability(
    title="Quadratic score",
    formula=r"\frac1n \sum_i \left[1 - (y_i - p_i)^2\right]",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"1 - \pi(1-\pi)", lambda s, **_: 1 - s.prevalence * (1 - s.prevalence)),
    aliases=("quadratic_scoring_rule",),
    equivalent=Equivalent("brier", "1 - brier"),
    source={"berrar2025": "Section 1"},
    blind_to="Whether order or probabilities err; with rare positives all are near 1.",
)
def quadratic_score(r: Ranking) -> Any:
    """Mean reward by the quadratic scoring rule, which is strictly proper."""
    return 1 - brier.function(r)


@probability(
    title="Brier skill score",
    formula=r"1 - \frac{\text{Brier}}{\pi(1 - \pi)}",
    range=(-math.inf, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=ONE_CLASS,
    aliases=("brier_skill_score", "scaled_brier", "ipa"),
    equivalent=Equivalent("brier", "1 - brier / (prevalence (1 - prevalence))"),
    source="murphy1973",
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def brier_skill(r: Ranking) -> Any:
    """Which part of the Brier score of always saying the prevalence the model removes."""
    prevalence = divide(r.positives, r.total)
    ratio = divide(brier.function(r), prevalence * (1 - prevalence))
    return 1 - np.where((r.positives > 0) & (r.negatives > 0), ratio, np.nan)


# ---------------------------------------------------------------------- logarithms


def _compute_surprise(r: Ranking, eps: float | None = None, base: float = math.e) -> tuple[Array, Array]:
    """Return minus the logarithm of the probability given to the right class, for a positive and for a negative."""
    of_positive, of_negative = _clip_logs(r, eps)
    return -of_positive / math.log(base), -of_negative / math.log(base)


@probability(
    title="Log loss",
    formula=r"-\frac1n \sum_i \left[y_i \log p_i + (1 - y_i) \log (1 - p_i)\right]",
    range=(0, math.inf),
    baseline=ReferenceValue(r"H(\pi)", lambda s, base=math.e, eps=None: entropy(s.prevalence, base)),
    parameters={"base": BASE, "eps": EPS},
    aliases=("logloss", "cross_entropy", "logarithmic_loss"),
    headline=True,
    form=MeanOfCases(_compute_surprise, lambda eps=None, **_: eps is None),
    card=True,
    trained_by="cases",
    source={"berrar2025": "Definition 20"},
    blind_to="All other cases, once one happens that was called nearly impossible: it alone decides the value.",
)
def log_loss(r: Ranking, *, base: float = math.e, eps: float | None = None) -> Any:
    """Mean surprise at the true class, in nats unless `base` says otherwise."""
    return 0.0 - _average_losses(r, _clip_logs, eps) / math.log(base)


@probability(
    title="Balanced cross-entropy",
    formula=r"-\frac1n \sum_i \left[\alpha y_i \log p_i + (1 - \alpha)(1 - y_i) \log (1 - p_i)\right]",
    range=(0, math.inf),
    baseline=ReferenceValue(
        r"-\alpha\pi\log\pi - (1-\alpha)(1-\pi)\log(1-\pi)",
        lambda s, alpha=None, base=math.e, eps=None: _compute_balanced_entropy(
            s.prevalence, 1 - s.prevalence if alpha is None else alpha, base
        ),
    ),
    undefined=tuple(
        UndefinedWhen(c.words, lambda r, alpha=None, c=c, **_: (alpha is None) & c.holds(r)) for c in ONE_CLASS
    ),
    parameters={
        "alpha": Parameter(
            "weight of the positive class; the share of negatives by default", low=0, high=1, example=0.7
        ),
        "base": BASE,
        "eps": EPS,
    },
    trained_by="cases",
    source={"berrar2025": "Definition 21", "lin2017": ""},
    blind_to="The prevalence: by default it is lowest for probabilities that suppose classes of equal size.",
)
def balanced_cross_entropy(
    r: Ranking, *, alpha: float | None = None, base: float = math.e, eps: float | None = None
) -> Any:
    """Log loss with the two classes weighted, by default so that both count alike."""
    is_one_class = (alpha is None) & ((r.positives == 0) | (r.negatives == 0))
    loss = 0.0 - _average_losses(r, _clip_logs, eps, alpha="balanced" if alpha is None else alpha) / math.log(base)
    return np.where(is_one_class, np.nan, loss)  # the class that is there would weigh nothing


def _compute_balanced_entropy(prevalence: Any, alpha: Any, base: float) -> Any:
    p = prevalence
    return -(alpha * xlogx(p) + (1 - alpha) * xlogx(1 - p)) / math.log(base)


@probability(
    title="Focal loss",
    formula=r"-\frac1n \sum_i \alpha_t (1 - p_t)^\gamma \log p_t",
    range=(0, math.inf),
    baseline=ReferenceValue(
        r"-\pi(1-\pi)^\gamma\log\pi - (1-\pi)\pi^\gamma\log(1-\pi)",
        lambda s, gamma=2.0, alpha=None, base=math.e, eps=None: _compute_focal_entropy(
            s.prevalence, gamma, alpha, base
        ),
    ),
    parameters={
        "gamma": Parameter("how much easy cases are played down; 0 gives the log loss", low=0, high=1e6, example=1),
        "alpha": Parameter(
            "weight of the positive class, or 'balanced' for the share of negatives; none by default",
            low=0,
            high=1,
            choices=("balanced",),
            example="balanced",
        ),
        "base": BASE,
        "eps": EPS,
    },
    trained_by="cases",
    source={"berrar2025": "Definition 22", "lin2017": ""},
    blind_to="Cases that are easy; it is lowest for probabilities that are less sure than they should be.",
)
def focal_loss(
    r: Ranking,
    *,
    gamma: float = 2.0,
    alpha: float | str | None = None,
    base: float = math.e,
    eps: float | None = None,
) -> Any:
    """Log loss that plays down the cases that are easy to classify."""
    return 0.0 - _average_losses(r, _compute_focal_logs, gamma, eps, alpha=alpha) / math.log(base)


def _compute_focal_logs(r: Ranking, gamma: float, eps: float | None) -> tuple[Array, Array]:
    positive, negative = _clip_logs(r, eps)
    return (1 - r.key) ** gamma * positive, r.key**gamma * negative


def _compute_focal_entropy(prevalence: Any, gamma: float, alpha: float | str | None, base: float) -> Any:
    p, q = prevalence, 1 - prevalence
    a, b = (1.0, 1.0) if alpha is None else (q, p) if alpha == "balanced" else (float(alpha), 1 - float(alpha))
    return -(a * q**gamma * xlogx(p) + b * p**gamma * xlogx(q)) / math.log(base)


# ---------------------------------------------------------------------- information gained over the prior

PRIOR = Parameter(
    "prior probability of the positive class, as in the training set; the data's prevalence by default",
    low=0,
    high=1,
    includes_low=False,
    includes_high=False,
    example=0.5,
)


def compute_information(probability: Any, prior: Any, base: float) -> Any:
    """Return the information of a probability for the true class beyond the prior of that class (Berrar, eq. 24)."""
    p, prior = np.broadcast_arrays(np.asarray(probability, dtype=float), np.asarray(prior, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = np.where(p >= prior, np.log(p) - np.log(prior), np.log1p(-prior) - np.log1p(-p))
    return gained / math.log(base)


def compute_class_entropy(prior: Any, base: float) -> Any:
    """Return the entropy of the probabilities of several classes, which are the last axis."""
    p = np.asarray(prior, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(p > 0, p * np.log(p), 0.0).sum(-1) / math.log(base)


def check_prior(prior: Any, classes: Sequence[Any]) -> Array:
    """Return the prior probability of each class, in the order of the classes.

    Args:
        prior: The probabilities by class, or in the order of the classes; they add up to 1.
        classes: The classes.
    """
    if isinstance(prior, Mapping):
        lacking = [label for label in classes if label not in prior]
        if lacking or len(prior) > len(classes):
            raise ParameterError("does not name each class once", f"name {len(classes)} classes", argument="prior")
        prior = [prior[label] for label in classes]
    shares = validation.as_numbers(prior, "prior").astype(float)
    if len(shares) != len(classes) or not (shares >= 0).all() or abs(float(shares.sum()) - 1) > 1e-6:
        raise ParameterError(
            "is not a probability for each class", f"pass {len(classes)} that add up to 1", argument="prior"
        )
    return shares


@public
def information_scores(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    prior: Any = None,
    base: float = math.e,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
) -> Any:
    """Return the information score of each case, in the order of the cases (Berrar, Definition 23).

    Args:
        labels: the label of each case.
        scores: the probability of the positive class for each case; or a matrix with a column for each class.
        prior: the share of positives that was known before, or with a matrix that of each class; those of the cases
            without.
        base: of the logarithm.
        positive: the label that is positive; needed unless labels are 0/1, -1/1 or booleans.
        classes: with a matrix, the classes in the order of its columns; without, the sorted labels.

    >>> information_scores([1, 0], [0.8, 0.75], prior=0.5, base=2).round(3).tolist()
    [0.678, -0.585]
    >>> information_scores([0, 2], [[0.5, 0.3, 0.2]] * 2, prior=[0.25, 0.25, 0.5], classes=[0, 1, 2], base=2).round(3)
    array([ 1.   , -0.678])
    """
    BASE.check("base", base, math.e)
    if _has_columns(scores):
        return _compute_class_information(labels, scores, prior, base, positive, classes)
    if classes is not None:
        raise ParameterError("is for a matrix of scores", "leave it out", argument="classes")
    PRIOR.check("prior", prior, None)
    is_positive, probabilities = read_cases(labels, scores, positive=positive)
    check_probabilities("information_scores", float(probabilities.min()), float(probabilities.max()))
    prior = float(is_positive.mean()) if prior is None else prior
    if prior in (0, 1):  # one class, and no prior that could tell it from another
        return np.full(len(is_positive), np.nan)
    return compute_information(
        np.where(is_positive, probabilities, 1 - probabilities), np.where(is_positive, prior, 1 - prior), base
    )


def _has_columns(scores: Any) -> bool:
    try:
        return np.ndim(scores) == 2
    except Exception:  # any, because scores may be of any class: they are refused as a column
        return False


def _compute_class_information(
    labels: Any, scores: Any, prior: Any, base: float, positive: Any, classes: Sequence[Any] | None
) -> Array:
    """Return the information score of each case of several classes."""
    if positive is not None:
        raise ParameterError(
            "is for two classes, but scores has a column for each class", "leave it out", argument="positive"
        )
    matrix = validation.as_score_matrix(scores, "scores")
    truth, order = validation.encode_classes(validation.as_column(labels, "labels"), classes, matrix.shape[1])
    if len(truth) != len(matrix):
        problem = f"has {validation.format_count(len(truth), 'value')} but scores has {len(matrix)} rows"
        raise InputError(problem, "pass one row of scores for each label", argument="labels")
    check_probabilities("information_scores", float(matrix.min()), float(matrix.max()))
    if np.abs(matrix.sum(1) - 1).max() > 0.01:
        raise InputError("has rows that do not add up to 1", "normalise the rows", argument="scores")
    shares = np.bincount(truth, minlength=len(order)) / len(truth) if prior is None else check_prior(prior, order)
    own = matrix[np.arange(len(truth)), truth]
    return np.asarray(compute_information(own, shares[truth], base))


@probability(
    title="Information score",
    formula=r"\frac1n \sum_i I(x_i)",
    range=(-math.inf, math.inf),
    better="higher",
    perfect=ReferenceValue(r"H(\pi)", lambda s, prior=None, base=math.e: entropy(s.prevalence, base)),
    baseline=0,
    undefined=tuple(
        UndefinedWhen(c.words, lambda r, prior=None, c=c, **_: (prior is None) & c.holds(r)) for c in ONE_CLASS
    ),
    parameters={"prior": PRIOR, "base": BASE},
    source={"berrar2025": "Definition 23", "kononenko1991": ""},
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def information_score(r: Ranking, *, prior: float | None = None, base: float = math.e) -> Any:
    """Mean information that the probabilities give beyond the prior, misleading information counting against it."""
    share = _choose_prior(r, prior)
    with np.errstate(invalid="ignore"):
        mean = divide(_sum_information(r, prior, base), r.total)
    return np.where(((share > 0) & (share < 1))[..., 0], mean, np.nan)


def _choose_prior(r: Ranking, prior: float | None) -> Any:
    return divide(r.positives, r.total)[..., None] if prior is None else np.asarray([prior])


@reduce_over_cells(np.add, is_smooth=lambda prior, base: prior is None)  # a kink at the prior
def _sum_information(r: Ranking, prior: float | None, base: float) -> Any:
    """Return the sum of the information scores of the cases."""
    share = _choose_prior(r, prior)
    # What a score says for the positive class it says against the negative one.
    (log_p, log_q), (log_prior, log_rest) = r.logs, (_compute_log(share), _compute_log(1 - share))
    with np.errstate(invalid="ignore"):
        information = np.where(r.key >= share, log_p - log_prior, log_rest - log_q) / math.log(base)
        return dot(r.pos - r.neg, information)


def _compute_log(p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(p)


@probability(
    title="Relative information score",
    formula=r"\frac{\frac1n \sum_i I(x_i)}{H(\text{prior})}",
    range=(-math.inf, math.inf),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=information_score.undefined,
    parameters={"prior": PRIOR},
    source={"berrar2025": "Definition 23", "kononenko1991": ""},
    blind_to="Whether an error comes from the order or from the probabilities.",
)
def relative_information_score(r: Ranking, *, prior: float | None = None) -> Any:
    """The information score as a share of what knowing every label would give."""
    known = entropy(divide(r.positives, r.total) if prior is None else prior)
    return divide(information_score.function(r, prior=prior), known)


# ---------------------------------------------------------------------- margins


def _compute_shortfalls(r: Ranking) -> tuple[Array, Array]:
    return np.maximum(0, 1 - r.key), np.maximum(0, 1 + r.key)


@measure(
    title="Hinge loss",
    formula=r"\frac1n \sum_i \max(0, 1 - y_i s_i)",
    needs=Needs.MARGINS,
    family=Family.PROBABILITY,
    range=(0, math.inf),
    better="lower",
    perfect=0,
    baseline=1,
    concordant=True,
    form=MeanOfCases(_compute_shortfalls),
    source={"berrar2025": "Definition 35"},
    blind_to="Cases on the right side with a margin above 1; it changes when scores are multiplied by a constant.",
)
def hinge_loss(r: Ranking) -> Any:
    """Mean shortfall from a margin of 1, the scores being signed distances from the boundary.

    >>> hinge_loss([1, 0], [2.0, 0.5])
    0.75
    """
    return _average_losses(r, _compute_shortfalls)


# Statistics that several measures above share, computed in one pass if many measures are computed.
sum_losses.share(_compute_distances, of_probabilities=True)
sum_losses.share(_compute_squares, of_probabilities=True)
sum_losses.share(_clip_logs, None, of_probabilities=True)
sum_losses.share(_compute_focal_logs, 2.0, None, of_probabilities=True)
_sum_information.share(None, math.e, of_probabilities=True)
