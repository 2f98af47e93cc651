"""Measures of a limited quota: who gets one of the first j places of the list (Arbel & Rokach).

A place inside a tie holds the fraction t of its cases that are positive, so a quota may end anywhere.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, count_first, dot
from cutline.core.blocks import Block, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.inputs.rank import rank
from cutline.measures.forms import Equivalent, LinearInAuc, PartialArea
from cutline.measures.metadata import (
    FLAGGED,
    FRACTIONAL_WEIGHTS,
    INFINITE_SCORES,
    NO_POSITIVE,
    ONE_CLASS,
    PREVALENCE,
    Parameter,
    ReferenceValue,
    UndefinedWhen,
)
from cutline.measures.precision_recall import compute_place_precision
from cutline.measures.registry import Family, Needs, measure
from cutline.measures.roc import gini

Quota = float | Array | None  # places at the head of the list; None is the whole list

quota_measure = partial(measure, needs=Needs.RANKING, family=Family.QUOTA, range=(0, 1), concordant=True)

QUOTA = Parameter("how many places there are; share= gives them as a share of the list", low=1, example=3)


@quota_measure(
    title="Hit rate",
    formula=r"\frac1j \sum_{k=1}^j t^{[k]}",
    better="higher",
    perfect=ReferenceValue(r"\min(1, P/j)", lambda s, quota: min(1, s.n * s.prevalence / quota)),
    baseline=PREVALENCE,
    parameters={"quota": QUOTA},
    aliases=("precision_at_quota", "precision_at_k"),
    scales=False,
    trained_by="quota",
    numbered={r"precision_at_(\d+)": "quota"},
    source={"arbel2006": "Equation 4", "an2001": ""},
    blind_to="The order within the quota, everything after it, and how many positives are missed.",
)
def hit_rate(r: Ranking, *, quota: Quota) -> Any:
    """Share of the places that go to a positive case: precision in the quota, not what Murphy calls hit rate.

    >>> hit_rate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2], quota=2)  # the second place is positive half of the time
    0.75
    """
    return np.clip(divide(r.at_quota(quota).tp, quota), 0, 1)


@quota_measure(
    title="Qrecall",
    formula=r"\frac{1}{P} \sum_{k=1}^j t^{[k]}",
    better="higher",
    perfect=ReferenceValue(r"\min(1, j/P)", lambda s, quota: min(1, quota / (s.n * s.prevalence))),
    baseline=FLAGGED,
    undefined=NO_POSITIVE,
    parameters={"quota": QUOTA},
    aliases=("quota_recall", "recall_at_quota", "recall_at_k"),
    scales=False,
    equivalent=Equivalent("hit_rate", "hit_rate quota / P"),
    trained_by="quota",
    numbered={r"recall_at_(\d+)": "quota"},
    source={"arbel2006": "Equation 6"},
    blind_to="The order within the quota, and everything after it.",
)
def qrecall(r: Ranking, *, quota: Quota) -> Any:
    """Share of the positive cases that get a place."""
    return divide(r.at_quota(quota).tp, r.positives)


@quota_measure(
    title="Enrichment factor",
    formula=r"\frac{\text{hit rate}(j)}{\pi}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(r"\min(1/\pi, n/j)", lambda s, quota: min(1 / s.prevalence, s.n / quota)),
    baseline=1,
    undefined=NO_POSITIVE,
    parameters={"quota": QUOTA},
    aliases=("enrichment_factor", "lift_at_quota"),
    scales=False,
    equivalent=Equivalent("hit_rate", "hit_rate / prevalence"),
    source="truchon2007",
    blind_to="The order within the first places, and everything after them.",
)
def enrichment(r: Ranking, *, quota: Quota) -> Any:
    """How many times more positives are among the first places than among all cases."""
    return divide(hit_rate.function(r, quota=quota), divide(r.positives, r.total))


# ---------------------------------------------------------------------- portions


def compute_lifts(r: Ranking, portions: int, first: int = 0, last: int | None = None) -> Any:
    """Return the lift of each of several equal portions of the list, from its top, or of some of them.

    Ties are spread evenly.
    """
    ends = np.multiply.outer(r.total, np.arange(portions + 1)[first:last] / portions)
    if r.pos.ndim == 1:  # of which any number of quotas can be asked at once
        hits = r.at_quota(ends).tp
    else:
        hits = np.stack([r.at_quota(ends[..., k]).tp for k in range(ends.shape[-1])], axis=-1)
    return divide(np.diff(hits), divide(r.positives, portions)[..., None])


@quota_measure(
    title="Lift of a portion",
    formula=r"\frac{\text{positives in portion } k}{P / m}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{\min(1, \max(0, \pi m - k + 1))}{\pi}",
        lambda s, portion=1, portions=10: min(1, max(0, s.prevalence * portions - portion + 1)) / s.prevalence,
    ),
    baseline=1,
    undefined=(
        NO_POSITIVE,
        UndefinedWhen("there are fewer portions", lambda r, portion, portions, **_: portion > portions),
    ),
    parameters={
        "portion": Parameter("which portion, 1 being the top", low=1, high=10_000, whole=True, example=1),
        "portions": Parameter("into how many the list is divided", low=1, high=10_000, whole=True, example=4),
    },
    concordant=False,
    form=PartialArea(lambda portion=1, portions=10: (0.0, float(portions))),
    aliases=("decile_lift",),
    source={"arbel2006": "Section 2.2.5", "coppock2002": ""},
    blind_to="All other portions of the list.",
)
def portion_lift(r: Ranking, *, portion: int = 1, portions: int = 10) -> Any:
    """How many times more positives one portion of the list holds than a portion of a random list would."""
    if portion > portions:
        return np.full(r.pos.shape[:-1], np.nan)
    return compute_lifts(r, int(portions), int(portion) - 1, int(portion) + 1)[..., 0]


# ---------------------------------------------------------------------- averages over all quotas


@quota_measure(
    title="Average hit rate",
    formula=r"\frac{1}{P} \sum_{j=1}^n t^{[j]} \, \text{HitRate}(j)",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=(NO_POSITIVE, FRACTIONAL_WEIGHTS),
    concordant=False,
    headline=True,
    scales=False,
    equivalent=Equivalent("average_precision", "average_precision", without_ties=True),
    source={"arbel2006": "Equation 12"},
    blind_to="The negatives after the last positive, and your quota: it is a mean over many.",
)
def average_hit_rate(r: Ranking) -> Any:
    """Mean hit rate over the places that hold a positive case: average precision, but for ties."""
    if not r.integral:
        return np.full(r.pos.shape[:-1], np.nan)
    return divide(_sum_hit_rates(r), r.positives)


@reduce_over_cells(np.add)
def _sum_hit_rates(r: Ranking) -> Any:
    """Return the sum of the hit rates down to the places that hold a positive case."""
    return dot(r.floats[0], compute_place_precision(r))


@reduce_over_cells(np.add)
def _compute_area_after_positives(r: Ranking) -> Any:
    """Return the area under the expected number of positives found, from place P of the list to its end."""
    place = np.asarray(r.positives, dtype=float)[..., None]
    start = int(count_first(r.ends[..., 1:] <= place).min())  # all cells before end before the place
    stop = max(start, int(count_first(r.ends[..., :-1] < place).max()))  # none from here on begins before it
    size = r.size[..., start:].astype(float)
    skipped = np.clip(place - r.ends[..., start:stop], 0, size[..., : stop - start])
    height = size.copy()
    height[..., : stop - start] += skipped
    height *= r.share[..., start:]
    height /= 2
    height += r.tp[..., start:-1]
    size[..., : stop - start] -= skipped
    return dot(size, height)


@quota_measure(
    title="Average Qrecall",
    formula=r"\frac{1}{N + 1} \sum_{j=P}^n \text{Qrecall}(j)",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"\frac{1 + \pi}{2}", lambda s, **_: (1 + s.prevalence) / 2),
    undefined=NO_POSITIVE,
    headline=True,
    scales=False,
    trained_by="later_places",
    source={"arbel2006": "Equation 13"},
    blind_to="Your quota: it is a mean over all that could hold every positive, most of them long.",
)
def average_qrecall(r: Ranking) -> Any:
    """Mean Qrecall over all quotas that could hold every positive case."""
    # Qrecall is a polygon with its corners at whole places: the sum over places is its area plus half of both ends.
    ends = (r.at_quota(r.positives).tp + r.positives) / 2
    return np.clip(divide(_compute_area_after_positives(r) + ends, (r.negatives + 1.0) * r.positives), 0, 1)


@quota_measure(
    title="Potential extract measure",
    formula=r"\frac{S_1 - S_2}{S_3} = \frac{\sum_j \text{Qrecall}(j) - (n + 1)/2}{N/2}",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=ONE_CLASS,
    aliases=("potential_extract_measure",),
    form=LinearInAuc(lambda r: (2.0, -1.0)),
    equivalent=Equivalent("auc", "2 auc - 1"),
    source={"arbel2006": "Equation 15"},
    blind_to="All that the AUC is blind to, your quota included: it is a mean over all quotas.",
)
def pem(r: Ranking) -> Any:
    """Which part of the gain of a perfect order over a random one the model has: the Gini index, ties included."""
    return gini.function(r)


class PemAreas(NamedTuple):
    """The three areas of the potential extract measure, summed over the places of the list."""

    s1: float
    s2: float
    s3: float


@public(data="labels")
def pem_areas(labels: Any, scores: Any = None, weights: Any = None, *, positive: Any = None) -> PemAreas:
    """Return the areas between the Qrecall curve and the curve of a random order: above it, below it, and for a perfect
    order.

    Args:
        labels: the label of each case, or a `Ranking`.
        scores: the score of each case, after labels.
        weights: the weight of each case; whole numbers.
        positive: the label that is positive; needed unless labels are 0/1, -1/1 or booleans.

    >>> areas = pem_areas([1, 0, 1, 1, 0, 0, 1, 0, 0, 0], range(10, 0, -1))
    >>> [round(area, 6) for area in areas]
    [1.75, 0.0, 3.0]
    """
    r = labels if isinstance(labels, Ranking) else rank(labels, scores, weights, positive=positive)
    if not r.integral or r.positives == 0:
        return PemAreas(math.nan, math.nan, math.nan)
    size = r.size
    gap = r.tpr - divide(r.ends, r.total)  # at the end of each cell
    step = np.diff(gap) / size
    # Inside a cell the gap grows by one step a place; it changes sign at most once, after `turn` places.
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.clip(np.floor(np.where(step == 0, size, -gap[:-1] / step)), 0, size)

    def summed(first: Array, last: Array) -> Any:
        """Return the sum of the gap over the places first + 1 .. last of each cell."""
        count = last - first
        return count * gap[:-1] + step * (first + 1 + last) * count / 2

    parts = np.concatenate((summed(np.zeros_like(turn), turn), summed(turn, size.astype(float))))
    return PemAreas(float(parts[parts > 0].sum()), float(np.abs(parts[parts < 0]).sum()), float(r.negatives / 2))


# ---------------------------------------------------------------------- correlation


@quota_measure(
    title="Correlation of score and share of positives",
    formula=r"\frac{\text{Cov}(p, t)}{\sigma_p \, \sigma_t}",
    range=(-1, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=(
        UndefinedWhen(
            "the scores, or the shares of positives, do not vary within the quota",
            lambda r, quota=None, **_: _is_flat(r, quota),
        ),
        INFINITE_SCORES,
        UndefinedWhen("the scores were binned, and a bin counts as a tie", lambda r, **_: r.reach is not None),
    ),
    parameters={"quota": Parameter(QUOTA.words + "; the whole list by default", low=1, example=5)},
    concordant=False,
    aliases=("pearson_correlation",),
    scales=False,
    source={"arbel2006": "Equation 11"},
    blind_to="Scores after the first places, and the scale of the scores: only their correlation counts.",
    across_sizes="discrimination_slope",
)
def pearson(r: Ranking, *, quota: Quota = None) -> Any:
    """Pearson correlation of each place's score with the share of positives there, in the first places of the list.

    A place in a tie holds the share of positives among the tied cases. Without ties it is the correlation of scores and
    labels; with many ties it is far higher than that, and two distinct scores give -1 or 1, however bad the model.
    """
    with np.errstate(invalid="ignore"):  # infinite scores
        covariance, of_scores, of_shares = _compute_co_moments(r, quota)
        correlation = divide(covariance, np.sqrt(of_scores) * np.sqrt(of_shares))
    is_undefined = _is_flat(r, quota) | (r.reach is not None)
    return np.where(is_undefined, np.nan, np.clip(correlation, -1, 1))


@reduce_over_cells(np.add)
def _sum_places(r: Ranking, quota: Quota) -> tuple[Any, Any, Any]:
    """Return the number of places, and the sums over them of the score and of the share of positives."""
    if _is_beyond(r, quota):
        return 0, 0.0, 0.0
    size, t = _count_places(r, quota)
    return size.sum(-1), dot(size, _scale_scores(r)), dot(size, t)


@reduce_over_cells(np.add)
def _compute_co_moments(r: Ranking, quota: Quota) -> tuple[Any, Any, Any]:
    """Return the sums over the places of the products of scores and shares, each less its mean."""
    if _is_beyond(r, quota):
        return 0.0, 0.0, 0.0
    n, scores, shares = _sum_places(r.whole, quota)
    size, t = _count_places(r, quota)
    p = _scale_scores(r) - np.asarray(divide(scores, n))[..., None]
    t = t - np.asarray(divide(shares, n))[..., None]
    weighted = size * p
    return dot(weighted, t), dot(weighted, p), dot(size * t, t)


def _scale_scores(r: Ranking) -> Array:
    """Return the scores in units of the largest: squares of huge ones would overflow."""
    first, last = (abs(float(r.whole.score[i])) for i in (0, -1))
    return np.asarray(r.key / max(first, last, np.finfo(float).tiny))


def _count_places(r: Ranking, quota: Quota) -> tuple[Array, Array]:
    """Return how many places of each cell are inside the quota, and the share of positives of each cell."""
    if quota is None:
        return r.size, r.share
    left = np.asarray(quota, dtype=float)[..., None] - r.ends[..., :-1]
    return np.clip(left, 0, r.size), r.share


def _is_beyond(r: Ranking, quota: Quota) -> bool | Array:
    """Whether no cell of a block has a place inside the quota."""
    return quota is not None and isinstance(r, Block) and sum(r.above) >= quota


def _is_flat(r: Ranking, quota: Quota) -> Any:
    """Whether the scores or the shares are constant over the cells that have a place."""
    cells, lowest, highest = _find_extent(r, quota)
    return (cells < 2) | (lowest == highest)  # two cells differ in their scores


@reduce_over_cells((np.add, np.minimum, np.maximum))
def _find_extent(r: Ranking, quota: Quota) -> tuple[Any, Any, Any]:
    """Return how many cells have a place, and the lowest and the highest share of positives there."""
    if _is_beyond(r, quota):
        return 0, 1.0, 0.0
    size, t = _count_places(r, quota)
    inside = size > 0
    lowest = np.min(t, axis=-1, where=inside, initial=1.0)
    return inside.sum(-1), lowest, np.max(t, axis=-1, where=inside, initial=0.0)


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_hit_rates.share()
_compute_area_after_positives.share()
_sum_places.share(None)
_find_extent.share(None)
