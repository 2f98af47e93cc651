"""Measures of early retrieval, and of a part of the ROC curve: its left end, a stretch of it, or one point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import Numbers, as_array, dot, take
from cutline.core.blocks import Block, reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import CurvePoint, PartialArea, TopOfList
from cutline.measures.metadata import NO_POSITIVE, ONE_CLASS, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.roc import order

# ---------------------------------------------------------------------- early retrieval

ALPHA = Parameter(
    "how steeply the weight falls: 20 puts 80 % of it on the first 8 % of the list",
    low=0,
    includes_low=False,
    high=700,
    example=5,
)


def _compute_best_rie(share: Numbers, alpha: float) -> Any:
    """Return the robust initial enhancement when the positives are the first `share` of the list."""
    return divide(-np.expm1(-alpha * share), -share * math.expm1(-alpha))


def _compute_worst_rie(share: Numbers, alpha: float) -> Any:
    """Return the robust initial enhancement when the positives are the last `share` of the list."""
    return np.exp(-alpha * (1 - share)) * _compute_best_rie(share, alpha)


def _rescale(value: Numbers, share: Numbers, alpha: float) -> Any:
    return divide(
        value - _compute_worst_rie(share, alpha), _compute_best_rie(share, alpha) - _compute_worst_rie(share, alpha)
    )


@order(
    title="Robust initial enhancement",
    formula=r"\frac{\frac1P \sum_i e^{-\alpha r_i / n}}{\frac1n \sum_{k=1}^n e^{-\alpha k / n}}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{1 - e^{-\alpha\pi}}{\pi(1 - e^{-\alpha})}", lambda s, alpha=20.0: _compute_best_rie(s.prevalence, alpha)
    ),
    baseline=1,
    undefined=NO_POSITIVE,
    parameters={"alpha": ALPHA},
    form=TopOfList(
        lambda alpha=20.0: 1 / alpha, lambda prevalence, alpha=20.0: float(_compute_best_rie(prevalence, alpha))
    ),
    source=("sheridan2001", "truchon2007"),
    blind_to="The rest of the list: beyond a few times 1/alpha of it, the order hardly counts.",
)
def rie(r: Ranking, *, alpha: float = 20.0) -> Any:
    """How many times more exponential weight the positives get than at random places."""
    return divide(_sum_exponential_weights(r, alpha) / -math.expm1(-alpha), divide(r.positives, r.total))


@reduce_over_cells(np.add)
def _sum_exponential_weights(r: Ranking, alpha: float) -> Any:
    """Return the weight that the positives get."""
    falls = np.asarray(divide(r.ends, as_array(r.total)[..., None]))
    falls *= -alpha
    np.exp(falls, out=falls)
    weight = falls[..., :-1] - falls[..., 1:]  # a cell shares its weight evenly; the geometric sum over it telescopes
    return dot(r.share, weight)


@order(
    title="BEDROC",
    formula=r"\frac{RIE - RIE_{\min}}{RIE_{\max} - RIE_{\min}}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{1 - RIE_{\min}}{RIE_{\max} - RIE_{\min}}", lambda s, alpha=20.0: _rescale(1, s.prevalence, alpha)
    ),
    undefined=ONE_CLASS,
    parameters={"alpha": ALPHA},
    form=TopOfList(lambda alpha=20.0: 1 / alpha),
    source="truchon2007",
    blind_to="The rest of the list: beyond a few times 1/alpha of it, the order hardly counts.",
)
def bedroc(r: Ranking, *, alpha: float = 20.0) -> Any:
    """Robust initial enhancement on a scale from the worst order, 0, to the best, 1."""
    value = _rescale(rie.function(r, alpha=alpha), divide(r.positives, r.total), alpha)
    return np.where(r.negatives > 0, np.clip(value, 0, 1), np.nan)  # one class: best and worst are the same


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_exponential_weights.share(20.0)


# ---------------------------------------------------------------------- the left end of the ROC curve


@reduce_over_cells(np.add)
def compute_area_up_to(r: Ranking, fp: Numbers) -> Any:
    """Return the area under tp as a function of fp, from no false positive to a given number; diagonal inside ties."""
    limit = np.asarray(fp, dtype=float)[..., None]
    if isinstance(r, Block) and r.above[1] >= limit:  # all that counts is in earlier blocks
        return 0.0
    stop = int((r.fp[..., :-1] < limit).sum(-1).max())  # no cell from here on begins before the limit
    pos, neg, tp = r.pos[..., :stop], r.neg[..., :stop], r.tp[..., :stop]
    width = np.clip(limit - r.fp[..., :stop], 0, neg)
    inside = divide(width, np.maximum(neg, np.finfo(float).tiny))
    return dot(width, tp + pos * inside / 2)


@order(
    title="ROC_N",
    formula=r"\frac{1}{mP} \int_0^m TP \, d\,FP",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{m}{2N}", lambda s, n=50: n / 2 / negatives if (negatives := s.n * (1 - s.prevalence)) >= n else math.nan
    ),
    undefined=(*ONE_CLASS, UndefinedWhen("there are fewer than n negative cases", lambda r, n, **_: r.negatives < n)),
    parameters={"n": Parameter("how many false positives to go", low=0, includes_low=False, example=2)},
    scales=False,
    trained_by="first_negatives",
    numbered={r"roc_?(\d+)": "n"},
    source={"sonnenburg": "Extensions", "gribskov1996": ""},
    blind_to="Everything after the first n false positives.",
    across_sizes="partial_auc",
)
def roc_n(r: Ranking, *, n: float = 50) -> Any:
    """Mean recall while the first n false positives come in, which looks at the top of the list only."""
    area = np.clip(divide(compute_area_up_to(r, n), n * r.positives.astype(float)), 0, 1)
    return np.where(r.negatives >= n, area, np.nan)


def _compute_area_range(low: float, high: float, standardised: bool | str) -> tuple[float, float]:
    """Return the least and the most that the area over a stretch can be: nothing or all of its box, as it is
    standardised.
    """
    if standardised == "box":
        return 0.0, 1.0
    width = high - low
    if not standardised:
        return 0.0, width
    by_chance = _compute_diagonal_area(width, low)
    return (1 - by_chance / (width - by_chance)) / 2, 1.0


def _compute_diagonal_area(width: float, low: float) -> float:
    """Return the area under the diagonal over a stretch of the axis."""
    return width * (low + width / 2)


@order(
    title="Partial area under the ROC curve",
    formula=r"\int_{f_0}^{f} TPR \, d\,FPR",
    better="higher",
    perfect=ReferenceValue(
        r"1 \text{ or } f - f_0",
        lambda s, max_fpr=0.1, standardised=True, min_fpr=0.0: 1 if standardised else max_fpr - min_fpr,
    ),
    baseline=ReferenceValue(
        r"\tfrac12, \tfrac{f + f_0}{2} \text{ or } \tfrac{f^2 - f_0^2}{2}",
        lambda s, max_fpr=0.1, standardised=True, min_fpr=0.0: {
            True: 0.5,
            "box": (max_fpr + min_fpr) / 2,
            False: (max_fpr**2 - min_fpr**2) / 2,
        }[standardised],
    ),
    undefined=(
        *ONE_CLASS,
        UndefinedWhen("min_fpr is not below max_fpr", lambda r, max_fpr, min_fpr, **_: not min_fpr < max_fpr),
    ),
    parameters={
        "max_fpr": Parameter("false positive rate to go up to", low=0, high=1, includes_low=False, example=0.2),
        "standardised": Parameter(
            "True maps chance to 1/2 and perfect to 1 (McClish), 'box' divides by the width, False gives the area",
            choices=(True, False, "box"),
        ),
        "min_fpr": Parameter("false positive rate to start from", low=0, high=1, includes_high=False, example=0.05),
    },
    aliases=("pauc",),
    trained_by="first_negatives",
    form=PartialArea(
        lambda max_fpr=0.1, standardised=True, min_fpr=0.0: _compute_area_range(min_fpr, max_fpr, standardised),
        lambda max_fpr=0.1, min_fpr=0.0, **_: (1.0, max_fpr - min_fpr),
    ),
    source="mcclish1989",
    blind_to="All of the ROC curve outside the chosen false positive rates.",
)
def partial_auc(r: Ranking, *, max_fpr: float = 0.1, standardised: bool | str = True, min_fpr: float = 0.0) -> Any:
    """Area under the ROC curve between two false positive rates, standardised as scikit-learn's `max_fpr` does."""
    area = divide(compute_area_up_to(r, max_fpr * r.negatives), r.pairs.every)
    if min_fpr:
        area = area - divide(compute_area_up_to(r, min_fpr * r.negatives), r.pairs.every)
    width = max_fpr - min_fpr
    if not width > 0:
        return np.full(np.shape(area), np.nan)[()]
    if standardised == "box":
        return area / width
    if not standardised:
        return area
    chance = _compute_diagonal_area(width, min_fpr)
    return (1 + (area - chance) / (width - chance)) / 2


@order(
    title="Partial AUC above a recall",
    formula=r"\int_{\text{min recall}}^{\text{max recall}} (1 - FPR) \, d\,TPR",
    better="higher",
    perfect=ReferenceValue(
        r"\text{max recall} - \text{min recall}",
        lambda s, min_recall=0.8, max_recall=1.0, standardised=False, **_: (
            1 if standardised else max_recall - min_recall
        ),
    ),
    baseline=ReferenceValue(
        r"\frac{(1 - \text{min recall})^2 - (1 - \text{max recall})^2}{2}",
        lambda s, min_recall=0.8, max_recall=1.0, standardised=False, **_: (
            0.5 if standardised else ((1 - min_recall) ** 2 - (1 - max_recall) ** 2) / 2
        ),
    ),
    undefined=(
        *ONE_CLASS,
        UndefinedWhen(
            "min_recall is not below max_recall", lambda r, min_recall, max_recall, **_: min_recall >= max_recall
        ),
        UndefinedWhen("a grid goes with max_recall=1", lambda r, max_recall, grid, **_: grid > 0 and max_recall < 1),
    ),
    parameters={
        "min_recall": Parameter(
            "recall from which on the area counts", low=0, high=1, includes_high=False, example=0.5
        ),
        "max_recall": Parameter("recall up to which it counts", low=0, high=1, includes_low=False, example=0.95),
        "standardised": Parameter("True maps chance to 1/2 and perfect to 1 (McClish)", choices=(True, False)),
        "grid": Parameter(
            "number of thresholds, equally spaced from 0 to 1, at which alone the curve is read; 0 for every score",
            low=0,
            whole=True,
            example=100,
        ),
    },
    form=PartialArea(
        lambda min_recall=0.8, max_recall=1.0, standardised=False, **_: _compute_area_range(
            1 - max_recall, 1 - min_recall, standardised
        ),
        lambda min_recall=0.8, max_recall=1.0, **_: (max_recall - min_recall, 1.0),
    ),
    source=("vancalster2025", "mcclish1989"),
    blind_to="All of the ROC curve outside the chosen recalls.",
)
def partial_auc_above_recall(
    r: Ranking, *, min_recall: float = 0.8, max_recall: float = 1.0, standardised: bool = False, grid: int = 0
) -> Any:
    """Area to the right of the ROC curve between two recalls: at most their distance, unless it is standardised.

    With a `grid` the curve has the points of so many thresholds, and the area begins at the first of them that reaches
    the recall: `grid=100` is the number of the Python program beside the guidance of 2025.
    """
    # Read from the end of the list, the classes change places: recall becomes the false positive rate.
    turned, width = r.swapped(), max_recall - min_recall
    area = divide(compute_area_up_to(turned, (1 - min_recall) * r.positives), r.pairs.every)
    if grid:
        area = _compute_area_on_grid(r, min_recall, grid) if max_recall == 1 else area * np.nan
    elif max_recall < 1:
        area = area - divide(compute_area_up_to(turned, (1 - max_recall) * r.positives), r.pairs.every)
    if not width > 0:
        return np.full(np.shape(area), np.nan)[()]
    if not standardised:
        return area
    chance = _compute_diagonal_area(width, 1 - max_recall)
    return (1 + (area - chance) / (width - chance)) / 2


def _compute_area_on_grid(r: Ranking, low: float, grid: int) -> Any:
    """Return the area above a recall by trapezoids between the points of some thresholds, of those that reach it."""
    at = np.searchsorted(-r.key, -np.linspace(1, 0, grid), side="right")
    x, y = r.fpr[..., at], r.tpr[..., at]
    reached = y[..., :-1] >= low
    return np.where(reached, np.diff(x) * ((y[..., 1:] + y[..., :-1]) / 2 - low), 0.0).sum(-1)


# ---------------------------------------------------------------------- one point of the ROC curve


def _count_cuts_up_to(r: Ranking, fp: Numbers) -> Any:
    """Return the number of cuts but the first with at most a given number of false positives."""
    if r.is_in_blocks and np.ndim(fp) == 0:
        return r.cuts_up_to(float(fp))
    return (r.fp[..., 1:] <= np.asarray(fp)[..., None]).sum(-1)


def _get_totals_at(r: Ranking, cut: Any) -> tuple[Any, Any]:
    """Return true and false positives at one cut of each ranking of a stack."""
    return r.totals_at(int(cut)) if r.is_in_blocks else (take(r.tp, cut), take(r.fp, cut))


def _interpolate_height(r: Ranking, fpr: float) -> Any:
    """Return the ROC curve at a false positive rate: its highest point there, diagonal inside ties."""
    place = np.asarray(fpr * r.negatives, dtype=float)
    after = 1 + _count_cuts_up_to(r, place * (1 + 1e-12))  # the first cut beyond the place; 0.3 * 10 is 3
    before, after = after - 1, np.minimum(after, len(r))
    (low, start), (high, end) = (_get_totals_at(r, cut) for cut in (before, after))
    fraction = np.clip((place - start) / np.maximum(end - start, np.finfo(float).tiny), 0, 1)
    height = divide(low + fraction * (high - low), r.positives)
    return np.where(r.negatives > 0, height, np.nan)


@order(
    title="Recall at a specificity",
    formula=r"TPR \text{ where } FPR = 1 - \sigma",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"1 - \sigma", lambda s, specificity=0.9: 1 - specificity),
    parameters={
        "specificity": Parameter("specificity that is held", low=0, high=1, includes_low=False, example=0.5),
    },
    aliases=("sensitivity_at_specificity",),
    form=CurvePoint("recall", "specificity"),
    source="pepe2003",
    blind_to="All of the ROC curve but one point, and how rare positives are.",
)
def recall_at_specificity(r: Ranking, *, specificity: float = 0.9) -> Any:
    """The recall of the ROC curve at a fixed specificity, on the straight line between two cuts."""
    return _interpolate_height(r, 1 - specificity)


@order(
    title="Specificity at a recall",
    formula=r"1 - FPR \text{ where } TPR = \rho",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(r"1 - \rho", lambda s, recall=0.9: 1 - recall),
    parameters={"recall": Parameter("recall that is held", low=0, high=1, includes_low=False, example=0.5)},
    aliases=("specificity_at_sensitivity",),
    form=CurvePoint("specificity", "recall"),
    source="pepe2003",
    blind_to="All of the ROC curve but one point, and how rare positives are.",
)
def specificity_at_recall(r: Ranking, *, recall: float = 0.9) -> Any:
    """The specificity of the ROC curve at a fixed recall, on the straight line between two cuts."""
    return _interpolate_height(r.swapped(), 1 - recall)
