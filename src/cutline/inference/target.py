"""What an interval is asked for: a measure of a ranking, with its parameters, or any function of one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.contingency import Counts
from cutline.inference.sizes import squares
from cutline.measures import Measure, Needs
from cutline.measures._kinds import Kind
from cutline.predictions import cut, places
from cutline.ranking import Ranking


@dataclass(frozen=True)
class Target:
    """A measure on a ranking: its value, how to find it on others, and what its interval depends on."""

    name: str
    ranking: Ranking
    statistic: Callable[[Ranking], Any]  # over a stack of rankings too
    value: float
    reason: str = ""
    range: tuple[float, float] = (-math.inf, math.inf)
    kind: Kind = None
    parameters: dict[str, Any] | None = None
    cut: Callable[[Ranking], Counts] | None = None
    of_counts: Callable[[Counts], Any] | None = None

    @property
    def counts(self) -> Counts:
        """The counts of its cut."""
        return self.cut(self.ranking)  # type: ignore[misc]

    @property
    def second(self) -> Counts:
        """The squared weights at its cut; a quota that ends inside a tie has those of the whole tie."""
        counts = self.counts
        if self.ranking.integral:
            return counts
        return squares(self.ranking).at_cut(self.ranking.cut(counts.threshold), counts.threshold)


def of_measure(measure: Measure, ranking: Ranking, parameters: dict[str, Any]) -> Target:
    """The target of a registered measure; for one cut the parameters say where it is."""
    data, rest = measure.prepare(ranking, parameters)
    value = float(measure.compute(data, **rest))
    reason = measure.reason(data, **rest) if math.isnan(value) else ""
    cutter = None
    if measure.needs is Needs.COUNTS:
        cutter = _cutter(
            ranking, {name: parameters[name] for name in ("threshold", "quota", "share") if name in parameters}
        )

        def statistic(r: Ranking) -> Any:
            return measure.compute(cutter(r), **rest)

    elif (quota := rest.get("quota", measure.defaults.get("quota"))) is not None:

        def statistic(r: Ranking) -> Any:
            return measure.compute(r, **{**rest, "quota": np.minimum(quota, r.total)})
    else:

        def statistic(r: Ranking) -> Any:
            return measure.compute(r, **rest)

    return Target(
        str(measure.with_(**{k: v for k, v in parameters.items() if k in measure.parameters})),
        ranking,
        statistic,
        value,
        reason,
        measure.range,
        measure.kind,
        rest,
        cutter,
        (lambda c: measure.compute(c, **rest)) if cutter else None,
    )


def of_function(function: Callable[..., Any], ranking: Ranking, where: dict[str, Any]) -> Target:
    """The target of a function of the user's: of the counts of the cut that is named, or else of the ranking."""
    cutter = _cutter(ranking, where) if where else None

    def one(r: Ranking) -> float:
        return float(function(cutter(r) if cutter else r))

    def statistic(r: Ranking) -> Any:
        return one(r) if r.pos.ndim == 1 else np.array([one(single) for single in r.one_by_one()])

    value = one(ranking)
    name = getattr(function, "__name__", type(function).__name__)
    reason = "the function gives NaN" if math.isnan(value) else ""
    return Target(name, ranking, statistic, value, reason, cut=cutter)


def _cutter(ranking: Ranking, where: dict[str, Any]) -> Callable[[Ranking], Counts]:
    """The same cut of any ranking: at a threshold, or after a number of places, as many as there are."""
    cut(ranking, **where)  # refuses what names no cut
    if where.get("threshold") is not None:
        threshold = float(where["threshold"])
        return lambda r: r.at_threshold(threshold)
    taken = places(ranking, **where)
    return lambda r: r.at_quota(np.minimum(taken, r.total))
