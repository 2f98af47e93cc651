"""Intervals of cases that are not a plain sample: weights, groups and strata, by linearisation, on a scale that fits.

A share has Wilson's interval with the number of cases that its linearised variance is worth; a measure of one cut the
squares of the moves of three such shares; the AUC the logit scale; a ratio the log scale; a mean its own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.inference import delong, influence
from cutline.inference.caveats import EQUAL, FEW_FOR_RESAMPLING, WEIGHTS_GO_WITH_SCORES, few_cases
from cutline.inference.effective_size import effective, go_with_scores
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import proportions
from cutline.inference.single.bootstrap import on_its_scale
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import linearised
from cutline.measures.kinds import LineOfAuc, MeanOfCases, Proportion, Ratio
from cutline.results.estimate import Limits, quantile

NO_SPREAD = "These cases do not tell the standard error: there is no interval."


def applies(estimand: Estimand) -> bool:
    """Whether a measure has a linearised interval: one cut that a threshold names, the AUC, a mean, or a slope."""
    return is_closed(estimand) or (estimand.is_of_order and estimand.influence is not None)


def is_closed(estimand: Estimand) -> bool:
    """Whether what each case changes in a measure is known exactly: one cut that a threshold names, the AUC, a mean."""
    return isinstance(estimand.kind, LineOfAuc | MeanOfCases) or estimand.is_of_one_cut


def limits(estimand: Estimand, level: float, groups: GroupSampler | None) -> tuple[Limits, list[str]]:
    """The limits by linearisation, and what qualifies them."""
    if isinstance(estimand.kind, LineOfAuc):
        return _area(estimand, level, groups)
    if isinstance(estimand.kind, MeanOfCases):
        losses = estimand.kind.of(estimand.ranking, **estimand.parameters)
        return _normal(estimand, influence.of_losses(estimand.ranking, *losses), level, groups)
    if estimand.of_counts is None or estimand.by_quota:
        found, notes = _normal(estimand, estimand.influence, level, groups)  # type: ignore[arg-type]
        return found, notes + few_cases(estimand.ranking, FEW_FOR_RESAMPLING)
    if isinstance(estimand.kind, Proportion):
        return _share(estimand, level, groups)
    if isinstance(estimand.kind, Ratio) and 0 < estimand.value < math.inf:
        return _ratio(estimand, level, groups)
    return proportions.mover_limits(estimand, level, groups), []


def _of_cut(estimand: Estimand, function: Any) -> Influence:
    counts = estimand.counts
    return influence.of_cut(function, counts, estimand.ranking, estimand.ranking.cut(float(counts.threshold)))


def _share(estimand: Estimand, level: float, groups: GroupSampler | None) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind

    def share(c: Any) -> Any:
        return divide(*kind.of(c))

    k, n = (float(x) for x in kind.of(estimand.counts))
    whole = n * divide(n, float(kind.of(estimand.second)[1])) if not estimand.ranking.integral else n
    if groups is not None:
        whole = min(float(whole), groups.groups)
    p, how = k / n, {"level": level, "groups": groups}
    size, variance = proportions.effective_share(_of_cut(estimand, share), p, float(whole), estimand.ranking, **how)
    found = Limits(*(kind.then(limit) for limit in proportions.wilson_modified(p * size, size, level)))
    if groups is None or not variance > 0:
        return found, []
    rows = float(kind.of(groups.counts(estimand.counts))[1])  # cases among which the share is taken
    worth = p * (1 - p) / variance
    return found, [f"The share is of {rows:.0f} cases, which are worth {worth:.4g} (design effect {rows / worth:.3g})."]


def _ratio(estimand: Estimand, level: float, groups: GroupSampler | None) -> tuple[Limits, list[str]]:
    known = linearised([_of_cut(estimand, estimand.of_counts)], estimand.ranking, groups)
    variance = float(known.covariance[0, 0]) / estimand.value**2
    factor = math.exp(known.quantile(level) * math.sqrt(variance)) if variance >= 0 else math.nan
    return Limits(estimand.value / factor, estimand.value * factor), []


def _area(estimand: Estimand, level: float, groups: GroupSampler | None) -> tuple[Limits, list[str]]:
    """The AUC on the logit scale, or Newcombe's interval for as many cases as there are groups where that is wider."""
    r, kind = estimand.ranking, estimand.kind
    slope, intercept = (float(x) for x in kind.of(r, **estimand.parameters))  # type: ignore[union-attr,arg-type]
    area = float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))
    of_positives, of_negatives = delong.placements(r)
    pos, neg = float(r.positives), float(r.negatives)
    found = linearised([Influence((of_positives - area) / pos, (of_negatives - area) / neg)], r, groups)
    size = effective(r)
    stretch = (found.quantile(level) / quantile(level)) ** 2
    variance = float(found.covariance[0, 0]) * stretch
    most = math.inf if groups is None else float(groups.groups)
    sizes = min(float(size.positives), most), min(float(size.negatives), most)
    few = not variance > EQUAL**2 or area in (0, 1)
    if few:
        limits = delong.newcombe(area, *sizes, level)
    elif min(sizes) * min(area, 1 - area) < 5 or min(sizes) < 30:
        limits = delong.newcombe_delong(area, variance, *sizes, level)
    else:
        limits = delong.delong_logit(area, variance, level)
    line = Limits(*(intercept + slope * float(limit) for limit in limits))
    share, total = float(r.positives / r.total), float(r.total)
    changes = Influence(np.full(len(r), (1 - share) / total), np.full(len(r), -share / total))
    worth, _ = proportions.effective_share(changes, share, float(sum(size)), r, level=level, groups=groups)
    return with_prevalence(estimand, line, level, worth), [WEIGHTS_GO_WITH_SCORES] if go_with_scores(r) else []


def _normal(
    estimand: Estimand, changes: Influence, level: float, groups: GroupSampler | None
) -> tuple[Limits, list[str]]:
    known = linearised([changes], estimand.ranking, groups)
    variance = float(known.covariance[0, 0])
    if not math.isfinite(variance):
        return Limits(math.nan, math.nan), [NO_SPREAD]
    se = known.quantile(level) / quantile(level) * float(np.sqrt(variance))
    least, most = estimand.range
    if math.isfinite(least) and least < estimand.value < most:
        return on_its_scale(estimand.value, se, estimand.range, level), []
    half = quantile(level) * se
    return Limits(estimand.value - half, estimand.value + half), []


def with_prevalence(estimand: Estimand, limits: Limits, level: float, size: float) -> Limits:
    """The limits of a line of the AUC whose slope depends on the prevalence, which varies too: squared and added.

    Args:
        estimand: What is estimated.
        limits: Those that follow from the AUC.
        level: The level of the interval.
        size: The number of cases that the prevalence is a share of, in effect.
    """
    r, kind = estimand.ranking, estimand.kind
    share = float(r.positives / r.total)
    area = float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))
    moved = []
    for end in proportions.wilson(share * size, size, level):
        scales = float(end) / share, (1 - float(end)) / (1 - share)
        pos, neg = (np.array([scale * n]) for scale, n in zip(scales, (r.positives, r.negatives), strict=True))
        there: Any = replace(r, score=r.score[:1], pos=pos, neg=neg, pos2=pos, neg2=neg)  # a line needs both sums alone
        slope, intercept = kind.of(there, **estimand.parameters)  # type: ignore[union-attr]
        moved.append(float(intercept) + float(slope) * area - estimand.value)
    if not max(map(abs, moved)) > 1e-9 * max(1.0, abs(estimand.value)):
        return limits
    below = math.hypot(estimand.value - float(limits.low), max(0.0, -min(moved)))
    above = math.hypot(float(limits.high) - estimand.value, max(0.0, *moved))
    return Limits(estimand.value - below, estimand.value + above)
