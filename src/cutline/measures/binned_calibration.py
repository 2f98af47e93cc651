"""Calibration errors in bins and by a kernel, and the two classic tests' statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Array, Symbol, as_array, dot
from cutline.core.blocks import is_always_smooth, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import CalibrationError
from cutline.measures.metadata import Parameter, UndefinedWhen
from cutline.measures.miscalibration import UPWARDS, error

_GRID = 512  # places at which the kernel version is evaluated
_STEPS, _TOLERANCE = 100, 1e-12  # of the search for the width of its kernel

BINS = {
    "bins": Parameter("number of bins", low=1, high=10_000, whole=True, example=5),
    "binning": Parameter(
        "bins of equal 'mass' (at the quantiles, as in the guidance of 2025) or of equal 'width'",
        choices=("mass", "width"),
        example="width",
    ),
}
# A bin is filled by counting cases, so that a weight is a repetition.
binned = partial(error, range=(0, 1), parameters=BINS, scales=False, caveat=UPWARDS, form=CalibrationError())


def assign_bins(r: Ranking, bins: int, binning: str) -> Array:
    """Return the number of the bin of each score, from the lowest.

    Bins of equal mass end at the quantiles (type 7) of the probabilities, upper end included; ties stay together.
    """
    if binning == "width":
        return np.broadcast_to(np.clip(np.ceil(r.key * bins) - 1, 0, bins - 1).astype(np.intp), r.pos.shape)
    before = as_array(r.total)[..., None] - r.ends[..., 1:]  # how many cases have a lower probability
    if not isinstance(r.pos, Symbol) and r.pos.ndim == 1:
        return _assign_bins_of_row(before, _find_edges(r, bins))
    number: Any = 0 if isinstance(r.pos, Symbol) else np.zeros(r.pos.shape, dtype=np.int32)
    for edge, reaches in _find_edges(r, bins):
        number += (before >= edge[..., None]) & reaches[..., None]
    return number  # type: ignore[no-any-return]


def _find_edges(r: Ranking, bins: int) -> list[tuple[Any, Any]]:
    """Return the number of cases before each bin but the first, and whether the bin exists.

    A quantile that is the lowest probability ends no bin: the first bin includes its lower end.
    """
    lowest, total = _count_lowest(r.whole), r.total
    if r.integral:
        each = (total - 1) // bins  # apart from the rest, because the product would overflow for 2**61 cases
        rest = total - 1 - each * bins
        edges = [i * each + i * rest // bins + 1 for i in range(1, bins)]
        reaches = [i * each - (-i * rest // bins) + 1 for i in range(1, bins)]
    else:
        edges = reaches = [total * i / bins for i in range(1, bins)]
    return [(edge, reach > lowest) for edge, reach in zip(edges, reaches, strict=True)]


def _assign_bins_of_row(before: Array, edges: list[tuple[Any, Any]]) -> Array:
    """Return the bins of a single ranking, where each bin is a run of scores."""
    starts = [edge for edge, is_there in edges if is_there]
    ends = len(before) - np.searchsorted(before[::-1], starts[::-1]) if starts else np.zeros(0, dtype=np.intp)
    lengths = np.diff(ends, prepend=0, append=len(before))
    return np.repeat(np.arange(len(starts), -1, -1, dtype=np.int32), lengths)


def _count_lowest(r: Ranking) -> Any:
    """Return the number of cases with the lowest probability of any case: resamples may lack the last scores."""
    if isinstance(r.size, Symbol):
        return r.size[..., -1]
    if r.pos.ndim == 1 and (last := r.pos[-1] + r.neg[-1]) > 0:
        return last
    has_cases = r.size[..., ::-1] > 0
    return np.take_along_axis(r.size[..., ::-1], has_cases.argmax(-1)[..., None], -1)[..., 0]


@reduce_over_cells(np.add)
def sum_over_bins(r: Ranking, bins: int, binning: str) -> tuple[Array, Array, Array]:
    """Return observed positives, expected positives and cases of each bin, along a new last axis."""
    where = assign_bins(r, bins, binning)
    # The scores of a bin stand together, so that its sums begin where the number of the bin changes.
    changes = np.ones(where.shape, dtype=bool)
    changes[..., 1:] = where[..., 1:] != where[..., :-1]
    first = np.flatnonzero(changes)
    target = first // len(r) * bins + where.ravel()[first]
    size = r.size.astype(float)

    def sums(column: Array) -> Array:
        table = np.zeros((*where.shape[:-1], bins))
        table.ravel()[target] = np.add.reduceat(np.broadcast_to(column, where.shape).ravel(), first)
        return table

    return sums(r.floats[0]), sums(size * r.key), sums(size)


@binned(
    title="Expected calibration error",
    formula=r"\sum_b \frac{n_b}{n} \left|\bar y_b - \bar p_b\right|",
    parameters=BINS
    | {
        "average": Parameter(
            "the mean over the 'cases', or over the 'bins' that hold any, each counting the same",
            choices=("cases", "bins"),
            example="bins",
        )
    },
    aliases=("expected_calibration_error",),
    source=("vancalster2025", "naeini2015"),
    blind_to=(
        "Errors that cancel inside a bin, and whether the model can tell cases apart: always saying the prevalence "
        "has 0."
    ),
)
def ece(r: Ranking, *, bins: int = 10, binning: str = "mass", average: str = "cases") -> Any:
    """Mean distance between the share of positives and the mean probability in bins: it depends on the bins.

    It is biased upwards, even for a perfect model: `ev.calibration()` says what a calibrated one would get.

    >>> round(ece([1, 0, 1, 1], [0.2, 0.2, 0.8, 0.8], bins=2), 6)  # |0.5 - 0.2| and |1 - 0.8|, in halves
    0.25
    """
    observed, expected, size = sum_over_bins(r, int(bins), binning)
    distance = np.abs(observed - expected)
    if average == "cases":
        return divide(distance.sum(-1), r.total)
    return divide((distance / np.where(size > 0, size, 1.0)).sum(-1), np.count_nonzero(size, axis=-1))


@binned(
    title="Debiased calibration error",
    formula=r"\sqrt{\max\left(0, \sum_b \frac{n_b}{n} \left[(\bar y_b - \bar p_b)^2 "
    r"- \frac{\bar y_b (1 - \bar y_b)}{n_b - 1}\right]\right)}",
    form=CalibrationError(of_places=True),
    source=("kumar2019", "broecker2012"),
    blind_to="Errors that cancel inside a bin, and whether the model can tell cases apart.",
)
def debiased_ece(r: Ranking, *, bins: int = 10, binning: str = "mass") -> Any:
    """Root mean squared calibration error in bins, less what chance alone adds; bins of one case are left out."""
    observed, expected, size = sum_over_bins(r, int(bins), binning)
    several = size > 1
    size_or_two = np.where(several, size, 2.0)
    share = observed / size_or_two
    square = (share - expected / size_or_two) ** 2 - share * (1 - share) / (size_or_two - 1)
    return np.sqrt(np.maximum(0.0, divide(np.where(several, size * square, 0.0).sum(-1), r.total)))


def _compute_excess(r: Ranking) -> Array:
    """Return the surplus of positives at each score over the expected number, as a share of all cases."""
    pos, neg = r.floats
    return np.asarray(divide(pos - (pos + neg) * r.key, np.asarray(r.total)[..., None]))


@error(
    title="Smooth calibration error",
    formula=r"\int |K_\sigma * (y - p)|, \quad \sigma : \text{the value itself}",
    range=(0, 1),
    caveat=UPWARDS,
    form=CalibrationError(),
    source="blasiok2023",
    blind_to="Errors that cancel within the width of the kernel, and whether the model can tell cases apart.",
)
def smooth_ece(r: Ranking) -> Any:
    """Calibration error smoothed by a kernel that is as wide as the error itself: no bins to choose."""
    from scipy.fft import dct, idct

    spread, distance = _spread_excess_on_grid(r)
    # A kernel that is reflected at 0 and 1 damps each cosine by itself.
    waves, damping = dct(spread, axis=-1), np.square(math.pi * np.arange(_GRID)) / 2

    def error_at(sigma: Array, some: Array) -> Array:
        # Of waves that are damped by more than e^-50 nothing is left, and numbers that small would be slow.
        left = int(np.searchsorted(damping * np.square(sigma.min(initial=1.0)), 50.0))
        damped = np.zeros((len(some), _GRID))
        damped[:, :left] = waves[some, :left] * np.exp(np.maximum(-np.outer(sigma**2, damping[:left]), -50.0))
        return np.asarray(np.abs(idct(damped, axis=-1, overwrite_x=True)).sum(-1))

    error = _find_fixed_points(error_at, np.abs(spread).sum(-1))
    return np.where(distance <= 1e-12, 0.0, error).reshape(r.pos.shape[:-1])[()]


@reduce_over_cells(np.add)
def _spread_excess_on_grid(r: Ranking) -> tuple[Array, Array]:
    """Return how many positives are too many at each place of the grid, and the sum of all misses."""
    rows = _compute_excess(r).reshape(-1, len(r))
    place = np.clip(r.key * _GRID - 0.5, 0, _GRID - 1)
    below = np.minimum(place.astype(np.int32), _GRID - 2)
    place -= below
    spread = np.zeros((len(rows), _GRID))
    for step in (0, 1):
        target = below + step
        first = np.flatnonzero(np.concatenate(([True], target[1:] != target[:-1])))
        spread[:, target[first]] += np.add.reduceat(rows * (place if step else 1 - place), first, axis=-1)
    return spread, np.abs(rows).sum(-1)


def _find_fixed_points(function: Callable[[Array, Array], Array], high: Array) -> Array:
    """Find the fixed points of falling functions, one for each row, by secants inside a bracket (Illinois).

    `high` is where they begin, at 0.
    """
    some = np.arange(len(high))
    ends = np.stack((function(high, some), high))
    above = np.stack((function(ends[0], some), ends[0])) - ends  # by how much the function exceeds its argument
    bandwidth: Array = ends[0].copy()
    moved = np.full(len(high), -1)  # which end was moved last
    for _ in range(_STEPS):
        some = some[np.abs(above[:, some]).min(0) > _TOLERANCE]
        if not len(some):
            break
        (a, b), (u, v) = ends[:, some], above[:, some]
        bandwidth[some] = middle = a + (b - a) * (u / (u - v))
        excess = function(middle, some) - middle
        end = (excess <= 0).astype(np.intp)  # the lower end is moved where the function is above its argument
        # The end that stays for a second time counts half, or the secant would come from one side only.
        above[1 - end, some] *= np.where(moved[some] == end, 0.5, 1.0)
        ends[end, some], above[end, some], moved[some] = middle, excess, end
    return bandwidth


# ---------------------------------------------------------------------- tests

statistic = partial(error, scales=False, range=(-math.inf, math.inf), better=None)


@reduce_over_cells(np.add, is_smooth=is_always_smooth)
def _compute_spiegelhalter_variance(r: Ranking) -> Any:
    """Return the variance of Spiegelhalter's numerator under calibrated probabilities."""
    squared = r.size.astype(float) if r.integral else r.pos2 + r.neg2
    return dot(squared, (1 - 2 * r.key) ** 2 * r.key * (1 - r.key))


@statistic(
    title="Spiegelhalter's z",
    formula=r"\frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}",
    undefined=UndefinedWhen(
        "every probability is 0, 0.5 or 1", lambda r, **_: ~(_compute_spiegelhalter_variance(r) > np.finfo(float).tiny)
    ),
    source="spiegelhalter1986",
    blind_to=(
        "How large a miscalibration is: with enough cases the smallest one is significant, with few the largest is not."
    ),
    across_sizes="mcb",
)
def spiegelhalter(r: Ranking) -> Any:
    """Test of calibration without bins: by how many standard errors the Brier score differs from what was promised."""
    spread = _compute_spiegelhalter_variance(r)
    z = divide(_compute_spiegelhalter_numerator(r), np.sqrt(spread))
    return np.where(spread > np.finfo(float).tiny, z, np.nan)[()]


@reduce_over_cells(np.add, is_smooth=is_always_smooth)
def _compute_spiegelhalter_numerator(r: Ranking) -> Any:
    """Return the numerator."""
    pos, neg = r.floats
    return dot(pos - (pos + neg) * r.key, 1 - 2 * r.key)


@statistic(
    title="Hosmer-Lemeshow statistic",
    formula=r"\sum_b \frac{(O_b - E_b)^2}{E_b (1 - E_b / n_b)}",
    range=(0, math.inf),
    parameters={"groups": Parameter("number of groups of equal mass", low=2, high=10_000, whole=True, example=5)},
    source="hosmer2013",
    blind_to=(
        "How large a miscalibration is, and of what kind: it grows with the number of cases and with the groups chosen."
    ),
    across_sizes="mcb",
)
def hosmer_lemeshow(r: Ranking, *, groups: int = 10) -> Any:
    """Chi-square distance of observed from expected positives in groups. Not recommended: it depends on the groups.

    Its power grows with the number of cases and it does not say where or which way the probabilities are off.
    """
    observed, expected, size = sum_over_bins(r, int(groups), "mass")
    excess = observed - expected
    spread = expected * (1 - divide(expected, size))
    with np.errstate(invalid="ignore"):
        terms = np.where(np.abs(excess) <= 1e-12 * np.maximum(size, 1), 0.0, divide(excess**2, spread))
    return np.where(size > 0, terms, 0.0).sum(-1)[()]


# Statistics that several measures above share, computed in one pass if many measures are computed.
sum_over_bins.share(10, "mass", of_probabilities=True)
_spread_excess_on_grid.share(of_probabilities=True)
_compute_spiegelhalter_variance.share(of_probabilities=True)
_compute_spiegelhalter_numerator.share(of_probabilities=True)
