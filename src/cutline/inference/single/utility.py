"""Intervals of decision curves, and of the most profitable quota.

A decision curve has at each risk the interval of the measure itself: the band is what
`estimate("net_benefit", threshold=risk)` gives, and at another prevalence what `at_prevalence` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL
from cutline.curves.utility import (
    compute_benefit_of_flagging_all,
    compute_interventions_avoided,
    compute_net_benefits,
    compute_rates,
)
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import GroupSampler, OneModel
from cutline.inference.single.at_prevalence import at_prevalence
from cutline.inference.single.bands import Band, band, with_groups
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimate_measures
from cutline.measures.costs import net_benefit, standardised_net_benefit
from cutline.results.estimate import Estimate

KINDS = ("net_benefit", "standardised", "interventions_avoided")
RISKS = np.round(np.arange(0.01, 1.0, 0.01), 2)  # the threshold probabilities of a curve, unless others are named
_MEASURES = {"net_benefit": net_benefit, "standardised": standardised_net_benefit}


def compute_heights(r: Ranking, risks: Array, kind: str, prevalence: float | None = None) -> Array:
    """Return the curve of a kind at each risk."""
    if kind == "interventions_avoided":
        return compute_interventions_avoided(r, risks, prevalence)
    benefits = compute_net_benefits(r, risks, prevalence)
    return (
        benefits
        if kind == "net_benefit"
        else np.asarray(divide(benefits, compute_rates(r, risks, prevalence).prevalence))
    )


def make_decision_band(
    data: Any,
    risks: Array,
    kind: str = "net_benefit",
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int = 2000,
    seed: int = 0,
) -> Band:
    """Return a decision curve with the interval of each point.

    Args:
        data: An evaluation, whose groups are then counted whole, or a ranking.
        risks: The threshold probabilities.
        kind: One of KINDS.
        prevalence: The prevalence of the population; that of the data when None.
        level: The level of each interval.
        resamples: How many resamples are drawn where no formula applies.
        seed: Their seed.
    """
    r, groups = with_groups(data)
    options = IntervalRequest(level, resamples=resamples, seed=seed)
    if prevalence is None and kind in _MEASURES:
        return _make_band(risks, _estimate_points(r, groups, risks, kind, options), level)
    if prevalence is not None and groups is None:
        return _make_band(
            risks,
            _estimate_at_prevalence(r, risks, prevalence, level),
            level,
            _convert_from_net_benefit(risks, kind, prevalence),
        )
    return band(
        data,
        lambda ranking: compute_heights(ranking, risks, kind, prevalence),
        risks,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def _estimate_points(
    r: Ranking, groups: GroupSampler | None, risks: Array, kind: str, options: IntervalRequest
) -> list[Estimate]:
    estimands = [Estimand.of_measure(_MEASURES[kind], r, {"threshold": float(risk)}, groups) for risk in risks]
    return estimate_measures(estimands, options)


def _estimate_at_prevalence(r: Ranking, risks: Array, prevalence: float, level: float) -> list[Estimate]:
    return [at_prevalence(r, float(risk), prevalence, level=level)["net_benefit"] for risk in risks]


def _convert_from_net_benefit(risks: Array, kind: str, prevalence: float) -> Callable[[Array], Array]:
    """Return the line that turns a net benefit into another kind, as the prevalence is known."""
    if kind == "interventions_avoided":
        odds = divide(risks, 1 - risks)
        return lambda values: np.asarray(divide(values - compute_benefit_of_flagging_all(risks, prevalence), odds))
    return lambda values: values / (prevalence if kind == "standardised" else 1.0)


def _make_band(
    risks: Array,
    estimates: list[Estimate],
    level: float,
    convert: Callable[[Array], Array] = lambda estimates: estimates,
) -> Band:
    y, low, high = (
        convert(np.array([getattr(estimate, name) for estimate in estimates])) for name in ("value", "low", "high")
    )
    notes = tuple(dict.fromkeys(note for estimate in estimates for note in estimate.notes))
    return Band(risks, y, low, high, level, False, notes)


def find_best_quota(
    r: Ranking, sampler: OneModel | None, *, value: float, cost: float, level: float, resamples: int, seed: int = 0
) -> Estimate:
    """Return the smallest quota with the largest profit, with percentiles; without a sampler, no interval."""
    best = partial(_find_most_profitable, value=value, cost=cost)
    low = high = float("nan")
    if sampler is not None and resamples:
        quotas = bootstrap(sampler, [best], max(2, resamples), seed).values[0]
        low, high = map(float, percentile(np.sort(quotas), level))
    return Estimate("best quota", float(best(r)), low, high, level, "bootstrap")


def _find_most_profitable(r: Ranking, *, value: float, cost: float) -> Any:
    profit = value * r.tp.astype(float) - cost * r.ends.astype(float)
    place = profit.argmax(-1)
    return np.take_along_axis(r.ends, place[..., None], -1)[..., 0] if r.ends.ndim > 1 else r.ends[place]
