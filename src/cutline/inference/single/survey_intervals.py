"""Intervals of cases that are not a plain sample: weights, groups and strata, by linearisation, on a scale that fits.

A share has Wilson's interval with the number of cases that its linearised variance is worth; a measure of one cut the
squares of the moves of three such shares; the AUC the logit scale; a ratio the log scale; a mean its own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.inference import constants, influence
from cutline.inference.caveats import WEIGHTS_GO_WITH_SCORES, rests_on
from cutline.inference.effective_size import effective, go_with_scores
from cutline.inference.influence import Influence, of_area
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import auc, proportions
from cutline.inference.single.bootstrap import on_its_scale
from cutline.inference.single.closed_forms import NO_STANDARD_ERROR
from cutline.inference.single.estimand import Estimand
from cutline.inference.survey import linearise
from cutline.results.estimate import Interval, Limits, quantile, student_quantile


def _of_cut(estimand: Estimand, function: Any) -> Influence:
    counts = estimand.counts
    return influence.of_cut(function, counts, estimand.ranking, estimand.ranking.cut(float(counts.threshold)))


def share(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return Wilson's limits, modified near 0 and 1, for as many cases as the linearised variance is worth."""
    kind: Any = estimand.kind

    def share_of(c: Any) -> Any:
        return divide(*kind.of(c))

    k, n = (float(x) for x in kind.of(estimand.counts))
    whole = n * divide(n, float(kind.of(estimand.second)[1])) if not estimand.ranking.integral else n
    if groups is not None:
        whole = min(float(whole), groups.groups)
    p, how = k / n, {"level": level, "groups": groups}
    size, variance = proportions.effective_share(_of_cut(estimand, share_of), p, float(whole), estimand.ranking, **how)
    limits = Limits(*(kind.then(limit) for limit in proportions.wilson_modified(p * size, size, level)))
    if groups is None or not variance > 0:
        return Interval(limits, rests_on(2 * size * min(p, 1 - p)))
    rows = float(kind.of(groups.counts(estimand.counts))[1])  # cases among which the share is taken
    worth = p * (1 - p) / variance
    worded = f"The share is of {rows:.0f} cases, which are worth {worth:.4g} (design effect {rows / worth:.3g})."
    return Interval(limits, [worded, *rests_on(2 * size * min(p, 1 - p))])


def ratio(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return the limits of a ratio on the log scale; of 0 or infinity, those of three shares."""
    if not 0 < estimand.value < math.inf:
        return three_shares(estimand, level, groups)
    known = linearise([_of_cut(estimand, estimand.of_counts)], estimand.ranking, groups)
    variance = float(known.covariance[0, 0]) / estimand.value**2
    with np.errstate(over="ignore"):  # of few groups at a high level, infinity
        factor = float(np.exp(known.quantile(level) * math.sqrt(variance))) if variance >= 0 else math.nan
    return Interval(Limits(estimand.value / factor, estimand.value * factor), rests_on(known.own_freedom()))


def three_shares(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return MOVER's limits over three shares, each with the cases that its variance is worth."""
    free = estimand.freedom_at_cut
    if groups is not None:
        free = min(free, *groups.freedom_of_classes)
    return Interval(proportions.mover_limits(estimand, level, groups), rests_on(free))


def area(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return the limits of the AUC on the logit scale; where few groups decide, Newcombe's if these are wider."""
    r = estimand.ranking
    known = linearise([of_area(r)], r, groups)
    size = effective(r)
    most = math.inf if groups is None else float(groups.groups)
    sizes = min(float(size.positives), most), min(float(size.negatives), most)
    variance, free = float(known.covariance[0, 0]), known.own_freedom()
    # Few groups have fewer degrees of freedom than the least that single cases are given.
    least = student_quantile(level, max(free, constants.FEWEST_FREE))
    stretch = student_quantile(level, free) / least if free < constants.FEWEST_FREE else 1.0
    interval = auc.limits_of_area(auc.area_of(r), variance * stretch**2, free, sizes, level)
    share, total = float(r.positives / r.total), float(r.total)
    changes = Influence(np.full(len(r), (1 - share) / total), np.full(len(r), -share / total))
    worth, _ = proportions.effective_share(changes, share, float(sum(size)), r, level=level, groups=groups)
    limits = auc.with_prevalence(estimand, auc.on_line(estimand, interval.limits), level, worth)
    notes = [*interval.notes, *([WEIGHTS_GO_WITH_SCORES] if go_with_scores(r) else [])]
    return Interval(limits, notes)


def mean(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return the limits of a mean over the cases, on the scale of its range."""
    kind: Any = estimand.kind
    r = estimand.ranking
    losses = kind.of(r, **estimand.parameters)
    losses = [np.where(cells > 0, loss, 0.0) for cells, loss in zip((r.pos, r.neg), losses, strict=True)]
    return _normal(estimand, influence.of_losses(estimand.ranking, *losses), level, groups)


def of_order(estimand: Estimand, level: float, groups: GroupSampler | None) -> Interval:
    """Return the limits of a smooth measure of the order, on the scale of its range."""
    return _normal(estimand, estimand.influence, level, groups)  # type: ignore[arg-type]


def _normal(estimand: Estimand, changes: Influence, level: float, groups: GroupSampler | None) -> Interval:
    known = linearise([changes], estimand.ranking, groups)
    variance = float(known.covariance[0, 0])
    if not math.isfinite(variance):
        return Interval(Limits(math.nan, math.nan), [NO_STANDARD_ERROR])
    se = known.quantile(level) / quantile(level) * float(np.sqrt(variance))
    notes, (least, most) = rests_on(known.own_freedom()), estimand.range
    if math.isfinite(least) and least < estimand.value < most:
        return Interval(on_its_scale(estimand.value, se, estimand.range, level), notes)
    half = quantile(level) * se
    return Interval(Limits(estimand.value - half, estimand.value + half), notes)
