"""The most profitable quota, with its interval."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import OneModel
from cutline.results.estimate import Estimate


def best_quota(
    r: Ranking, sampler: OneModel | None, *, value: float, cost: float, level: float, resamples: int, seed: int = 0
) -> Estimate:
    """The smallest quota with the largest profit, and where it lies on resamples; without a sampler, no interval."""
    best = partial(_best, value=value, cost=cost)
    low = high = float("nan")
    if sampler is not None and resamples:
        quotas = bootstrap(sampler, [best], max(2, resamples), seed).values[0]
        low, high = map(float, percentile(np.sort(quotas), level))
    return Estimate("best quota", float(best(r)), low, high, level, "bootstrap")


def _best(r: Ranking, *, value: float, cost: float) -> Any:
    profit = value * r.tp.astype(float) - cost * r.ends.astype(float)
    place = profit.argmax(-1)
    return np.take_along_axis(r.ends, place[..., None], -1)[..., 0] if r.ends.ndim > 1 else r.ends[place]
