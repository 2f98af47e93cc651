"""Losses of single cases, with the derivatives that training needs.

Each takes labels and margins (log-odds or signed distances) and gives value, gradient and curvature case by case, the
derivatives taken by the margin.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core import logistic as logistic_terms
from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.public import public
from cutline.inputs.rank import read_cases


class Loss(NamedTuple):
    """The loss of each case, and its first and second derivative by the margin."""

    value: Array
    gradient: Array
    curvature: Array


_UNIT = 1e-6  # how far a norm may be from 1 by rounding, in single precision too


class TripletLoss(NamedTuple):
    """The sum of the losses of all triplets, its gradient by each embedding, and the loss of each triplet."""

    value: float
    anchor: Array
    positive: Array
    negative: Array
    of_triplets: Array


def _turn_margins(labels: npt.ArrayLike, margins: npt.ArrayLike, positive: object) -> tuple[Array, Array, Array]:
    """Return whether each case is positive, its sign (+1 or -1), and the margins times the sign."""
    is_positive, z = read_cases(labels, margins, positive=positive, name="margins")
    sign = np.where(is_positive, 1.0, -1.0)
    return is_positive, sign, sign * z


def _weigh_classes(is_positive: Array, alpha: float | str | None) -> Any:
    if alpha is None:
        return 1.0
    if isinstance(alpha, str) and alpha == "balanced":
        share = float((~is_positive).mean())
    elif isinstance(alpha, bool | str) or not 0 <= (share := validation.check_number(alpha, "alpha")) <= 1:
        raise ParameterError(f"is {alpha!r}", "pass 'balanced' or a number from 0 to 1", argument="alpha")
    return np.where(is_positive, share, 1 - share)


def focal(
    labels: npt.ArrayLike,
    margins: npt.ArrayLike,
    *,
    gamma: float = 2.0,
    alpha: float | str | None = None,
    positive: object = None,
) -> Loss:
    """Return the focal loss of the probabilities that the margins stand for; gamma = 0 gives the logistic loss.

    >>> focal([1, 0], [0.0, 0.0], gamma=0).value.round(6).tolist()
    [0.693147, 0.693147]
    """
    if not 0 <= (gamma := validation.check_number(gamma, "gamma")) <= 1e6:
        raise ParameterError(f"is {gamma:g}", "pass a number of at least 0, usually below 10", argument="gamma")
    is_positive, sign, z = _turn_margins(labels, margins, positive)
    weight = _weigh_classes(is_positive, alpha)
    value, slope, curvature = logistic_terms.focal_terms(z, gamma)
    return Loss(weight * value, weight * sign * slope, weight * curvature)


def logistic(labels: npt.ArrayLike, margins: npt.ArrayLike, *, positive: object = None) -> Loss:
    """Return the log loss of the probabilities that the margins stand for, in nats."""
    return focal(labels, margins, gamma=0.0, positive=positive)


def balanced_cross_entropy(
    labels: npt.ArrayLike, margins: npt.ArrayLike, *, alpha: float | str = "balanced", positive: object = None
) -> Loss:
    """Return the logistic loss with the classes weighted by alpha and 1 - alpha; 'balanced' takes the share of
    negatives.
    """
    return focal(labels, margins, gamma=0.0, alpha=alpha, positive=positive)


def hinge(labels: npt.ArrayLike, margins: npt.ArrayLike, *, positive: object = None) -> Loss:
    """Return the shortfall from a margin of 1; at the kink the gradient is 0.

    >>> hinge([1, 1, 0], [2.0, 0.5, 0.5]).value.tolist()
    [0.0, 0.5, 1.5]
    """
    _, sign, z = _turn_margins(labels, margins, positive)
    return Loss(np.maximum(0, 1 - z), np.where(z < 1, -sign, 0.0), np.zeros_like(z))


def triplet(
    anchor: npt.ArrayLike,
    positive: npt.ArrayLike,
    negative: npt.ArrayLike,
    *,
    margin: float = 0.2,
    normalise: bool = False,
) -> TripletLoss:
    """Return how far anchors are from being nearer to their positive than to their negative by a margin (Definition
    34).

    Args:
        anchor: one embedding a row, each of the Euclidean norm 1.
        positive: the embeddings that should be near, in the same order.
        negative: the embeddings that should be far, in the same order.
        margin: by how much nearer, in squared distances.
        normalise: divide each embedding by its norm first, and give the gradients by the embeddings before that;
            without, norms that are not 1 are refused.

    >>> triplet([[0.0, 1.0]], [[1.0, 0.0]], [[0.0, -1.0]], margin=3.0).value  # 2 - 4 + 3
    1.0
    """
    margin = validation.check_number(margin, "margin")
    normalise = validation.check_flag(normalise, "normalise")
    if not 0 <= margin < math.inf:
        raise ParameterError(f"is {margin:g}", "pass a finite number of 0 or more", argument="margin")
    vectors = [
        _check_embeddings(x, name) for x, name in ((anchor, "anchor"), (positive, "positive"), (negative, "negative"))
    ]
    if len({x.shape for x in vectors}) > 1:
        shapes = "{}, {} and {}".format(*(x.shape for x in vectors))
        raise InputError(f"anchor, positive and negative have the shapes {shapes}", "pass equal shapes")
    norms = [
        _compute_norms(x, name, normalise) for x, name in zip(vectors, ("anchor", "positive", "negative"), strict=True)
    ]
    a, p, n = (x if norm is None else x / norm for x, norm in zip(vectors, norms, strict=True))
    excess = ((a - p) ** 2).sum(1) - ((a - n) ** 2).sum(1) + margin
    active = (excess > 0)[:, None]
    of_anchor, of_positive, of_negative = (
        _convert_gradient(np.where(active, gradient, 0.0), unit, norm)
        for gradient, unit, norm in zip((2 * (n - p), 2 * (p - a), 2 * (a - n)), (a, p, n), norms, strict=True)
    )
    losses = np.maximum(0, excess)
    return TripletLoss(float(losses.sum()), of_anchor, of_positive, of_negative, losses)


def _compute_norms(embeddings: Array, name: str, normalise: bool) -> Array | None:
    """Return the norms of the embeddings; None if they are normalised already."""
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    if normalise:
        if not norms.all():
            raise InputError("has a row of zeros, which has no direction", "leave it out", argument=name)
        return np.asarray(norms)
    off = np.flatnonzero(np.abs(norms[:, 0] - 1) > _UNIT)
    if len(off):
        problem = f"has the norm {norms[off[0], 0]:.4g} in row {off[0]}, and the triplet loss is one of unit vectors"
        raise InputError(problem, "divide each row by its norm, or pass normalise=True", argument=name)
    return None


def _convert_gradient(gradient: Array, unit: Array, norm: Array | None) -> Array:
    """Convert the gradient by a normalised embedding to the gradient by the embedding."""
    if norm is None:
        return gradient
    along = (gradient * unit).sum(1, keepdims=True)
    return np.asarray((gradient - along * unit) / norm)


def _check_embeddings(values: npt.ArrayLike, name: str) -> Array:
    try:
        raw = np.asarray(values)
        if raw.dtype.kind == "c":
            raise TypeError
        with np.errstate(over="ignore"):  # a wider float, which is infinite then
            array = np.atleast_2d(raw.astype(float))
    except (ValueError, TypeError, OverflowError):
        raise InputError("cannot be read as numbers", "pass one embedding per row", argument=name) from None
    if array.ndim != 2 or not np.isfinite(array).all():
        problem = "NaN or infinite numbers" if array.ndim == 2 else f"{array.ndim} dimensions"
        raise InputError(f"has {problem}", "pass one finite embedding per row", argument=name)
    return array


@public
def triplet_loss(
    anchor: npt.ArrayLike,
    positive: npt.ArrayLike,
    negative: npt.ArrayLike,
    *,
    margin: float = 0.2,
    normalise: bool = False,
) -> float:
    """Return the value of the triplet loss alone; see `losses.triplet`.

    Args:
        anchor: one embedding a row, each of the Euclidean norm 1.
        positive: the embeddings that should be near, in the same order.
        negative: the embeddings that should be far, in the same order.
        margin: by how much nearer, in squared distances.
        normalise: divide each embedding by its norm first.
    """
    return triplet(anchor, positive, negative, margin=margin, normalise=normalise).value
