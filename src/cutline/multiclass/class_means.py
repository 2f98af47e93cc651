"""Means over the classes: a measure of each class against the rest, averaged plainly, by their shares, or pooled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.inference import delong
from cutline.inference.single import proportions
from cutline.inference.single.smooth import normal_limits_on_scale
from cutline.inputs.multiclass import ClassCases
from cutline.measures import Measure, Needs
from cutline.measures.metadata import Context
from cutline.multiclass import decisions, influence
from cutline.multiclass.influence import InfluenceTerm
from cutline.multiclass.statistic import (
    MACRO,
    MICRO,
    WEIGHTED,
    ValueWithLimits,
    make_class_ranking_function,
    make_pooled_ranking_function,
    make_share_function,
)
from cutline.results.estimate import Limits


@dataclass(frozen=True)
class OneVsRestStatistic:
    """Base class of statistics with the name, title, range and direction of a measure of one class against the rest."""

    measure: Measure

    @property
    def name(self) -> str:
        """Name of the measure with its parameters."""
        return str(self.measure)

    @property
    def title(self) -> str:
        """Title of the measure."""
        return self.measure.title

    @property
    def range(self) -> tuple[float, float]:
        """Range of the measure."""
        return self.measure.range

    @property
    def better(self) -> str | None:
        """Direction of the measure."""
        return self.measure.better


@dataclass(frozen=True)
class MeanOverClasses(OneVsRestStatistic):
    """The mean of a measure over the classes: plain (macro), by their shares (weighted), or pooled (micro).

    A measure of one cut is computed with each case assigned to the class of its highest score.
    """

    mean: str = MACRO

    @property
    def of(self) -> str:
        """Kind of mean, such as "macro mean"."""
        return f"{self.mean} mean"

    @property
    def _is_of_counts(self) -> bool:
        return self.measure.needs is Needs.COUNTS

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        each = compute_by_class(self.measure, cases)
        if self.mean == MICRO:
            return self._compute_pooled(cases)
        if self.mean == MACRO:
            return lambda weights: each(weights).mean(-1)
        shares = make_share_function(cases)

        def average(weights: Array) -> Array:
            by_class, own = each(weights), shares(weights)
            return np.asarray(np.where(own > 0, own * by_class, 0.0).sum(-1))

        return average

    def _compute_pooled(self, cases: ClassCases) -> Callable[[Array], Array]:
        if not self._is_of_counts:
            ranked = make_pooled_ranking_function(cases)
            return lambda weights: np.asarray(self.measure.compute(ranked(weights)))
        chosen = decisions.share_decisions(cases)
        return lambda weights: np.asarray(
            self.measure.compute(decisions.pool_counts(decisions.tabulate(cases.truth, chosen, weights)))
        )

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain for which classes the measure is undefined."""
        if self.mean == MICRO:
            pooled: str = cases.cached(("pooled reason", str(self.measure)), lambda: self._explain_pooled(cases))
            return pooled
        reasons = explain_undefined(self.measure, cases)
        if self.mean == WEIGHTED:  # a class without cases weighs nothing
            reasons = {position: why for position, why in reasons.items() if cases.sizes[position]}
        return "; ".join(f"for class {cases.classes[position]!r} {why}" for position, why in reasons.items())

    def _explain_pooled(self, cases: ClassCases) -> str:
        counts = decisions.pool_counts(decisions.count_decisions(cases)) if self._is_of_counts else None
        return self.measure.reason(cases.pooled_ranking() if counts is None else counts)

    def compute_baseline(self, cases: ClassCases) -> float:
        """Return the mean of the baselines of the classes."""
        each = compute_baselines(self.measure, cases)
        if self.mean == MICRO:
            count = len(cases.classes)
            return self.measure.baseline.at(Context(1 / count, 1 / count, float(cases.sizes.sum()) * count))
        return float(each.mean() if self.mean == MACRO else np.where(cases.shares > 0, cases.shares * each, 0.0).sum())

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the mean with its limits."""
        if self.measure.name not in WITH_INFLUENCE and not self._is_of_counts:
            value = float(self.make_function(cases)(cases.weights))
            return ValueWithLimits(value, None, Limits(math.nan, math.nan), "none", (NO_FORMULA,))
        if self.mean == MICRO:
            return self._estimate_micro(cases, level)
        sum_ = influence.add_up(self._estimate_parts(cases, level), cases.squares)
        return ValueWithLimits(sum_.value, sum_.influences, sum_.limits, "class_mover")

    def _estimate_parts(self, cases: ClassCases, level: float) -> Iterator[InfluenceTerm]:
        occurring = np.flatnonzero(cases.sizes) if self.mean == WEIGHTED else np.arange(len(cases.classes))
        values = np.zeros(len(cases.classes))
        for position in occurring.tolist():
            part = estimate_class(self.measure, cases, position, level)
            values[position] = part.value
            factor = 1 / len(cases.classes) if self.mean == MACRO else float(cases.shares[position])
            yield part._replace(factor=factor)
        if self.mean == WEIGHTED:
            yield influence.estimate_share_term(values, cases, level)

    def _estimate_micro(self, cases: ClassCases, level: float) -> ValueWithLimits:
        if self._is_of_counts:
            return self._estimate_micro_counts(cases, level)
        r, is_own = cases.pooled_ranking(), cases.truth[:, None] == np.arange(len(cases.classes))
        of_area = self.measure.name == "auc"
        unit = influence.compute_pooled_area_influences if of_area else _compute_pooled_precision_influences
        influences = unit(r, cases.scores, is_own)
        value, n = float(self.measure.compute(r)), float(cases.effective_sizes.sum())
        spread = math.sqrt(influence.compute_variance(influences, cases.squares) * n / (n - 1))
        if spread > influence.NOTHING and 0 < value < 1:
            limits = normal_limits_on_scale(value, spread, (0, 1), level)
            return self._widen_area(ValueWithLimits(value, influences, limits, "influence_logit"), n, cases, level)
        # Without errors there is no spread, so the limit is that of a proportion of 0 or 1.
        low = float(proportions.wilson(n, n, level).low)
        limits = Limits(low, 1.0) if value > 0.5 else Limits(0.0, 1 - low)
        return ValueWithLimits(value, influences, limits, "wilson", (PERFECT,))

    def _widen_area(self, value: ValueWithLimits, n: float, cases: ClassCases, level: float) -> ValueWithLimits:
        """Return Newcombe's limits of an AUC if they are wider, as those by influence are too narrow near 1."""
        if self.measure.name != "auc":
            return value
        other = delong.newcombe(value.value, n, n * (len(cases.classes) - 1), level)
        low, high = min(value.limits.low, float(other.low)), max(value.limits.high, float(other.high))
        if (low, high) == value.limits:
            return value
        return value._replace(limits=Limits(low, high), method="newcombe_delong")

    def _estimate_micro_counts(self, cases: ClassCases, level: float) -> ValueWithLimits:
        chosen = decisions.share_decisions(cases)
        pooled = decisions.pool_counts(decisions.count_decisions(cases))
        is_own = cases.truth[:, None] == np.arange(len(cases.classes))
        influences = np.asarray(influence.compute_count_influences(self.measure, pooled, is_own, chosen).sum(1))
        value, n = float(self.measure.compute(pooled)), float(cases.effective_sizes.sum())
        if self.measure.name in ("precision", "recall", "f1"):  # pooled, all three equal the accuracy
            return ValueWithLimits(
                value, influences, Limits(*map(float, proportions.wilson(value * n, n, level))), "wilson"
            )
        spread = math.sqrt(influence.compute_variance(influences, cases.squares))
        return ValueWithLimits(
            value, influences, influence.compute_normal_limits(value, spread, self.range, level), "influence"
        )


WITH_INFLUENCE = ("auc", "average_precision")  # rank measures whose influence function is implemented
_CACHED_SCORES = 2**22  # the largest number of scores up to which the influences of all classes are cached
NO_FORMULA = "There is no closed form: ask for the bootstrap to have an interval."
PERFECT = "No case is on the wrong side: the limit is Wilson's for so many cases without an error."


def _compute_pooled_precision_influences(r: Ranking, scores: Array, is_own: Array) -> Array:
    return np.asarray(influence.compute_precision_influences(r, scores, is_own).sum(1))


# ---------------------------------------------------------------------- one class at a time


def compute_by_class(measure: Measure, cases: ClassCases) -> Callable[[Array], Array]:
    """Return a measure of each class as a function of the weights of the cases; the classes are the last axis."""
    count = len(cases.classes)
    if measure.needs is Needs.COUNTS:
        chosen = decisions.share_decisions(cases)

        def compute_from_tables(weights: Array) -> Array:
            table = decisions.tabulate(cases.truth, chosen, weights)
            return np.stack([measure.compute(decisions.count_class(table, c)) for c in range(count)], axis=-1)

        return compute_from_tables
    ranked = [make_class_ranking_function(cases, position) for position in range(count)]
    return lambda weights: np.stack([np.asarray(measure.compute(stack(weights))) for stack in ranked], axis=-1)


def estimate_class(measure: Measure, cases: ClassCases, position: int, level: float) -> InfluenceTerm:
    """Estimate a measure of one class with its influences and limits, cached on the cases."""
    if cases.scores.size > _CACHED_SCORES:
        return _estimate_class(measure, cases, position, level)
    key = (str(measure), position, level)
    part: InfluenceTerm = cases.cached(key, lambda: _estimate_class(measure, cases, position, level))
    return part


def _estimate_class(measure: Measure, cases: ClassCases, position: int, level: float) -> InfluenceTerm:
    is_class, scores = cases.truth == position, cases.scores[:, position]
    if measure.needs is Needs.COUNTS:
        chosen = decisions.share_decisions(cases)
        counts = decisions.count_class(decisions.count_decisions(cases), position)
        influences = influence.compute_count_influences(measure, counts, is_class, chosen[:, position])
        return influence.estimate_from_counts(measure, counts, influences, cases, level)
    r = cases.ranking(position)
    if measure.name == "auc":
        return influence.estimate_area(r, scores, is_class, level)
    return influence.estimate_precision(
        r, influence.compute_precision_influences(r, scores, is_class), cases.squares, level
    )


def explain_undefined(measure: Measure, cases: ClassCases) -> dict[int, str]:
    """Explain why a measure is undefined, by the positions of the classes where it is."""
    reasons: dict[int, str] = cases.cached(("reasons", str(measure)), lambda: _explain_undefined(measure, cases))
    return reasons


def _explain_undefined(measure: Measure, cases: ClassCases) -> dict[int, str]:
    reasons, table = {}, decisions.count_decisions(cases)
    for position in range(len(cases.classes)):
        of_counts = measure.needs is Needs.COUNTS
        data: Any = decisions.count_class(table, position) if of_counts else cases.ranking(position)
        why = measure.reason(data)
        if why:
            reasons[position] = why
    return reasons


def compute_baselines(measure: Measure, cases: ClassCases) -> Array:
    """Return the baseline of a measure for each class."""
    table = decisions.count_decisions(cases)
    total = float(table.sum())
    flagged = table.sum(0) / total
    return np.array(
        [
            measure.baseline.at(Context(float(share), float(flagged_share), total))
            for share, flagged_share in zip(cases.shares, flagged, strict=True)
        ]
    )


@dataclass(frozen=True)
class ClassStatistic(OneVsRestStatistic):
    """A measure of one class against the rest, by the position of the class."""

    position: int

    of: ClassVar[str] = "class"

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        each = compute_by_class(self.measure, cases)
        return lambda weights: each(weights)[..., self.position]

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain why the measure is undefined for this class."""
        return explain_undefined(self.measure, cases).get(self.position, "")

    def compute_baseline(self, cases: ClassCases) -> float:
        """Return the baseline of the class."""
        return float(compute_baselines(self.measure, cases)[self.position])

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the value with its limits."""
        part = estimate_class(self.measure, cases, self.position, level)
        return ValueWithLimits(part.value, part.influences, part.limits, part.method, part.notes)
