"""How far the probabilities are from what happens: exactly (CORP), along a smooth curve, and in bins."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutline.core import blocks, loess
from cutline.core.array_ops import Array, Numbers, dot
from cutline.core.blocks import Points, condense_cells, is_always_smooth, reduce_over_cells, split_into_blocks
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import CalibrationError, FunctionOfPrevalence, MaximumOverCuts
from cutline.measures.metadata import Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.probabilities import brier, log_loss
from cutline.measures.rates import entropy
from cutline.measures.registry import Family, Needs, measure

error = partial(
    measure,
    needs=Needs.PROBABILITIES,
    family=Family.PROBABILITY,
    range=(0, math.inf),
    better="lower",
    perfect=0,
    baseline=0,
)

# ---------------------------------------------------------------------- CORP: S = MCB - DSC + UNC

SCORE = Parameter("the scoring rule that is taken apart", choices=("brier", "log"), example="log")


def fit_isotonic(r: Ranking) -> Array:
    """Return the recalibrated probability at each score, by pooling adjacent violators; the ROC hull has the pools."""
    return r.cached("isotonic", lambda: _fit_isotonic(r))


def _fit_isotonic(r: Ranking) -> Array:
    row, cut = r.hulls
    goes_on, last = r.hulls.is_followed, np.diff(row, append=-1)[1:] != 0
    pos, neg = r.hull_pools
    lengths = np.where(last, len(r), cut[1:]) - cut[:-1]  # cells without a case may end the list
    values = np.repeat(divide(pos, pos + neg)[goes_on], lengths[goes_on])
    if values.size != r.pos.size:  # weights that are rounded away beside others left a hull without an end
        return np.full(r.pos.shape, np.nan)
    return values.reshape(r.pos.shape)


def _compute_recalibrated_score(r: Ranking, score: str) -> Any:
    """Return the mean score of the recalibrated probabilities, which are never certain and wrong."""
    if r.is_in_blocks:  # pool by pool
        pos, neg = r.hull_pools
        p = divide(pos, pos + neg)
    else:
        p, (pos, neg) = fit_isotonic(r), r.floats
    if score == "brier":
        return divide(dot(pos, (1 - p) ** 2) + dot(neg, p**2), r.total)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(pos > 0, pos * np.log(p), 0.0) + np.where(neg > 0, neg * np.log1p(-p), 0.0)
    return 0.0 - divide(loss.sum(-1), r.total)


def _compute_uncertainty(prevalence: Numbers, score: str) -> Any:
    return prevalence * (1 - prevalence) if score == "brier" else entropy(prevalence)


UNCERTAINTY = ReferenceValue(r"S(\pi)", lambda s, score="brier": _compute_uncertainty(s.prevalence, score))
UPWARDS = (
    "It is biased upwards, the more so the fewer the cases: the method 'inversion' allows for that, bootstraps do not."
)
part_of_score = partial(error, parameters={"score": SCORE}, source="dimitriadis2021")


@part_of_score(
    title="Miscalibration (CORP)",
    formula=r"\bar S(p) - \bar S(\hat p_{PAV})",
    aliases=("miscalibration",),
    caveat=UPWARDS,
    form=CalibrationError(),
    blind_to="Whether the model can tell cases apart: always saying the prevalence has 0.",
)
def mcb(r: Ranking, *, score: str = "brier") -> Any:
    """How much of the score isotonic recalibration would remove: MCB of S = MCB - DSC + UNC, exact and without bins."""
    raw = (brier if score == "brier" else log_loss).function(r)
    return np.maximum(raw - _compute_recalibrated_score(r, score), 0.0)


@part_of_score(
    title="Discrimination (CORP)",
    formula=r"\bar S(\pi) - \bar S(\hat p_{PAV})",
    better="higher",
    perfect=UNCERTAINTY,
    form=MaximumOverCuts("recalibrations", of_peaks=True),
    blind_to="Whether the probabilities are right: only their order counts.",
)
def dsc(r: Ranking, *, score: str = "brier") -> Any:
    """How much better the recalibrated probabilities score than always saying the prevalence."""
    return np.maximum(unc.function(r, score=score) - _compute_recalibrated_score(r, score), 0.0)


@part_of_score(
    title="Uncertainty (CORP)",
    formula=r"\bar S(\pi)",
    better=None,
    perfect=UNCERTAINTY,
    baseline=UNCERTAINTY,
    form=FunctionOfPrevalence(lambda prevalence, score="brier": _compute_uncertainty(prevalence, score)),
    blind_to="The model: it is a fact about the data.",
)
def unc(r: Ranking, *, score: str = "brier") -> Any:
    """The score of always saying the prevalence: a fact about the data, not about the model."""
    return np.asarray(_compute_uncertainty(divide(r.positives, r.total), score))[()]


# ---------------------------------------------------------------------- distance from a smooth curve

SMOOTH = {
    "smooth": Parameter(
        "the curve: 'loess' as R's default, 'loess_direct' fitted at every score, 'epanechnikov' as Python's "
        "localreg, or 'isotonic'",
        choices=(*loess.SMOOTHERS, "isotonic"),
        example="isotonic",
    ),
    "span": Parameter("share of the cases in a window of the loess", low=0, high=1, includes_low=False, example=0.5),
    "degree": Parameter("degree of the local polynomial", low=1, high=2, whole=True, example=1),
}


def fit_calibration_curve(r: Ranking, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> Array:
    """Return the smoothed share of positives at each score."""
    if smooth == "isotonic":
        return fit_isotonic(r)
    if smooth == "loess" and (r.is_in_blocks or (r.is_long and r.pos.ndim == 1)):
        return _fit_long_loess(r, span, degree)
    return r.cached(("curve", smooth, span, degree), lambda: _fit_loess(r, smooth, span, degree))


def _fit_long_loess(r: Ranking, span: float, degree: int) -> Array:
    """Fit the loess curve of a long ranking, which caches the cubic pieces instead of the column."""
    at = loess.rescale_if_tiny(r.key[::-1])
    return _fit_long_cubics(r, at, span, degree).at(at)[0, ::-1]


def _fit_long_cubics(r: Ranking, at: Array, span: float, degree: int) -> loess.Cubics:
    """Fit the cubic pieces of the loess curve; `at` are the ascending scores, rescaled if tiny."""

    def fit() -> loess.Cubics:
        points = condense_cells(r)
        if points is not None and at[-1] == r.key[0] and len(points.start):
            return loess.fit_cubics_of_long(
                at, r.pos[::-1], r.neg[::-1], _split_into_stretches(r, points), span, int(degree)
            )
        rising = r.size[None, ::-1].astype(float), r.share[None, ::-1]
        return loess.fit_cubics(at, *rising, span, int(degree), r.integral)

    return r.cached(("cubics", span, degree), fit)


def _split_into_stretches(r: Ranking, points: Points) -> loess.Condensed:
    """Split the points of a ranking into stretches, from the lowest score up."""
    x, pos, neg = (
        column[points.is_node].reshape(len(points.start), -1) for column in (points.score, points.pos, points.neg)
    )
    length = blocks.STRETCH
    is_loose = np.ones(len(r), dtype=bool)
    for start in points.start:
        is_loose[start : start + length] = False
    start = len(r) - length - points.start
    return loess.Condensed(x, pos + neg, pos, start, length, np.flatnonzero(is_loose[::-1]))


def _fit_loess(r: Ranking, smooth: str, span: float, degree: int) -> Array:
    def reverse(cells: Array) -> Array:
        return cells.reshape(-1, len(r))[:, ::-1] if cells.ndim > 1 else cells[::-1]

    cells = reverse(r.size.astype(float)), reverse(r.share)
    at = loess.rescale_if_tiny(r.key[::-1])
    smoothed = loess.smooth(at, *cells, smooth, span, int(degree), r.integral)
    return np.asarray(smoothed[..., ::-1].reshape(r.pos.shape))


def _compute_distances(r: Ranking, smooth: str, span: float, degree: int) -> Array:
    return np.asarray(np.abs(fit_calibration_curve(r, smooth, span, degree) - r.key))


# Windows and quantiles count cases, so that a weight is a repetition.
from_curve = partial(
    error,
    parameters=SMOOTH,
    scales=False,
    caveat=UPWARDS,
    form=CalibrationError(),
    source=("vancalster2025", "austin2019"),
)


@from_curve(
    title="Integrated calibration index",
    formula=r"\frac1n \sum_i |p_i - \hat s(p_i)|",
    aliases=("integrated_calibration_index", "e_avg"),
    blind_to=(
        "Whether the model can tell cases apart, in which direction the probabilities err, and wiggles that the "
        "curve smooths."
    ),
)
def ici(r: Ranking, *, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> Any:
    """Mean distance of the probabilities from a smooth calibration curve."""
    return divide(_sum_distances(r, smooth, span, degree)[0], r.total)


def _sum_distances(r: Ranking, smooth: str, span: float, degree: int) -> tuple[Any, Any, Any]:
    """Return the sums of the distances from the curve and of their squares, and the largest distance."""
    if smooth == "loess" and r.is_in_blocks:
        return _read_long_curve(r, span, degree)[0]

    def add_up() -> tuple[Any, Any, Any]:
        size, distance = r.size.astype(float), _compute_distances(r, smooth, span, degree)
        return dot(size, distance), dot(size, distance**2), np.where(size > 0, distance, 0.0).max(-1)

    return r.cached(("distance sums", smooth, span, degree), add_up)


def _read_long_curve(r: Ranking, span: float, degree: int) -> tuple[tuple[Any, Any, Any], dict[float, Any]]:
    """Return the sums and the quantiles of the distances of a long ranking from the curve, in one pass."""

    def compute() -> tuple[tuple[Any, Any, Any], dict[float, Any]]:
        at = loess.rescale_if_tiny(r.key[::-1])
        cubics = _fit_long_cubics(r, at, span, degree)
        distance = np.empty(len(r))
        sums = []
        for block in split_into_blocks(r):
            from_top = slice(block.first, block.first + len(block))
            from_bottom = slice(len(r) - from_top.stop, len(r) - from_top.start)  # from the lowest score
            part = np.subtract(cubics.at(at[from_bottom])[0, ::-1], block.key, out=distance[from_top])
            np.abs(part, out=part)
            size = block.size.astype(float)
            sums.append((dot(size, part), dot(size, part**2), part.max(where=size > 0, initial=0.0)))
        total, squares, largest = zip(*sums, strict=True)
        return (sum(total), sum(squares), max(largest)), _compute_quantiles(r, distance)

    return r.cached(("long curve", span, degree), compute)


@from_curve(
    title="E50",
    form=CalibrationError(of_places=True),
    formula=r"\operatorname{median}_i |p_i - \hat s(p_i)|",
    blind_to="The worse half of the errors, in which direction they go, and whether the model can tell cases apart.",
)
def e50(r: Ranking, *, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> Any:
    """Median distance of the probabilities from a smooth calibration curve."""
    return _find_quantile(r, (smooth, span, degree), 0.5)


@from_curve(
    title="E90",
    form=CalibrationError(of_places=True),
    formula=r"Q_{0.9}\, |p_i - \hat s(p_i)|",
    blind_to="The worst tenth of the errors, in which direction they go, and whether the model can tell cases apart.",
)
def e90(r: Ranking, *, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> Any:
    """90th percentile of the distances of the probabilities from a smooth calibration curve."""
    return _find_quantile(r, (smooth, span, degree), 0.9)


@from_curve(
    title="Emax",
    form=CalibrationError(of_places=True),
    formula=r"\max_i |p_i - \hat s(p_i)|",
    aliases=("e_max",),
    blind_to="All cases but the worst one, which is often where there are the fewest data.",
)
def emax(r: Ranking, *, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> Any:
    """Largest distance of a probability from a smooth calibration curve."""
    return _sum_distances(r, smooth, span, degree)[2]


def _find_quantile(r: Ranking, curve: tuple[str, float, int], q: float) -> Any:
    """Return the median or the 90th percentile of the distances; both are computed from one sort."""
    smooth, span, degree = curve
    if smooth == "loess" and r.is_in_blocks:
        return _read_long_curve(r, span, degree)[1][q]
    return r.cached(("quantiles", *curve), lambda: _compute_quantiles(r, _compute_distances(r, *curve)))[q]


def _compute_quantiles(r: Ranking, distance: Array) -> dict[float, Any]:
    """Return the quantiles of the distances: linear (type 7), or steps if the weights are not counts."""
    get_value = _select_around_quantiles(distance) if r.is_in_blocks and _has_one_each(r) else _make_lookup(r, distance)

    def compute_quantile(q: float) -> Any:
        place = np.asarray((r.total - 1) * q if r.integral else r.total * q)
        first = np.floor(place) if r.integral else place
        low = get_value(first)
        return low + (place - first) * (get_value(first + 1) - low) if r.integral else low

    return {q: compute_quantile(q) for q in _QUANTILES}


_QUANTILES = (0.5, 0.9)


@reduce_over_cells(np.logical_and)
def _has_one_each(r: Ranking) -> Any:
    """Whether each score has one case."""
    return (r.size == 1).all()


def _select_around_quantiles(values: Array) -> Callable[[Any], Any]:
    """Return a function that gives the value at a place near a quantile, if each score has one case.

    Partial sorting is faster than sorting; it changes the order of the values in place.
    """
    last = len(values) - 1
    near = [min(math.floor(last * q) + step, last) for q in _QUANTILES for step in (0, 1)]
    values.partition(near)
    return lambda position: values[np.minimum(position.astype(int), last)]


def _make_lookup(r: Ranking, values: Array) -> Callable[[Any], Any]:
    """Return a function that gives the value at a place of the list of all cases in ascending order."""
    ordered, ends, last = _sort_values(r, values)

    def get_value(position: Any) -> Any:
        cell = (ends <= position[..., None]).sum(-1) if r.integral else (ends < position[..., None]).sum(-1)
        return np.take_along_axis(ordered, np.minimum(cell, last)[..., None], -1)[..., 0]

    return get_value


def _sort_values(r: Ranking, values: Array) -> tuple[Array, Array, Array]:
    """Return the values in ascending order, the cumulated numbers of cases, and the last value that has a case."""
    order = np.argsort(np.where(r.size > 0, values, np.inf), axis=-1)
    values, size = np.take_along_axis(values, order, -1), np.take_along_axis(r.size, order, -1)
    return values, np.cumsum(size, axis=-1), np.count_nonzero(size, axis=-1) - 1


@reduce_over_cells(np.add, is_smooth=is_always_smooth)
def _sum_squares_from_prevalence(r: Ranking) -> Any:
    prevalence = np.asarray(divide(r.positives, r.total))[..., None]
    return dot(r.size.astype(float), (prevalence - r.key) ** 2)


def _average_squares_from_prevalence(r: Ranking) -> Any:
    """Return the mean squared distance of the probabilities from the prevalence."""
    return divide(_sum_squares_from_prevalence(r), r.total)


@error(
    title="Estimated calibration index",
    formula=r"\frac{\sum_i (p_i - \hat s(p_i))^2}{\sum_i (p_i - \pi)^2}",
    baseline=math.nan,
    undefined=UndefinedWhen(
        "every probability equals the prevalence",
        lambda r, scaling="relative", **_: (scaling == "relative") & (_average_squares_from_prevalence(r) == 0),
    ),
    parameters=SMOOTH
    | {
        "scaling": Parameter(
            "'relative' to a model that always says the prevalence, or 'percent': 100 times the mean square",
            choices=("relative", "percent"),
            example="percent",
        )
    },
    aliases=("estimated_calibration_index",),
    caveat=UPWARDS,
    form=CalibrationError(of_places=True),
    scales=False,
    source=("vancalster2025", "vanhoorde2015"),
    blind_to="In which direction the probabilities err, and wiggles that the curve smooths.",
)
def eci(r: Ranking, *, smooth: str = "loess", span: float = 0.75, degree: int = 2, scaling: str = "relative") -> Any:
    """Mean squared distance from a smooth calibration curve, relative to that of the probabilities from the prevalence.

    Van Hoorde et al. (2015) scaled it to 100 times the mean square; the guidance of 2025 made it relative.
    """
    square = divide(_sum_distances(r, smooth, span, degree)[1], r.total)
    if scaling == "percent":
        return 100 * square
    whole = _average_squares_from_prevalence(r)
    return np.where(whole > 0, divide(square, whole), np.nan)[()]


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_squares_from_prevalence.share(of_probabilities=True)
