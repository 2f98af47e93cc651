"""Means over the classes: a measure of each class against the rest, averaged plainly, by their shares, or pooled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

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
    Statistic,
    ValueWithLimits,
    share_classes,
    stack_class,
    stack_pooled,
)
from cutline.results.estimate import Limits


class OfMeasure(Statistic):
    """A statistic whose facts are those of a measure of one class against the rest."""

    measure: Measure

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the measure with its parameters."""
        return str(self.measure)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Title of the measure."""
        return self.measure.title

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Range of the measure."""
        return self.measure.range

    @property
    def better(self) -> str | None:  # type: ignore[override]
        """Direction of the measure."""
        return self.measure.better


@dataclass(frozen=True)
class MeanOverClasses(OfMeasure):
    """The mean of a measure over the classes, each in turn positive: plain, by their shares, or of all pooled.

    A measure of one cut is computed with each case assigned to the class of its highest score.
    """

    measure: Measure
    mean: str = MACRO

    @property
    def of(self) -> str:  # type: ignore[override]
        """Kind of mean, such as "macro mean"."""
        return f"{self.mean} mean"

    @property
    def _is_of_counts(self) -> bool:
        return self.measure.needs is Needs.COUNTS

    def values(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        each = compute_by_class(self.measure, cases)
        if self.mean == MICRO:
            return self._compute_pooled(cases)
        if self.mean == MACRO:
            return lambda weights: each(weights).mean(-1)
        shares = share_classes(cases)

        def average(weights: Array) -> Array:
            by_class, own = each(weights), shares(weights)
            return np.asarray(np.where(own > 0, own * by_class, 0.0).sum(-1))

        return average

    def _compute_pooled(self, cases: ClassCases) -> Callable[[Array], Array]:
        if not self._is_of_counts:
            ranked = stack_pooled(cases)
            return lambda weights: np.asarray(self.measure.compute(ranked(weights)))
        chosen = decisions.share_decisions(cases)
        return lambda weights: np.asarray(
            self.measure.compute(decisions.pool_counts(decisions.tabulate(cases.truth, chosen, weights)))
        )

    def reason(self, cases: ClassCases) -> str:
        """Return why the mean is undefined: for which classes, and why there."""
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

    def baseline(self, cases: ClassCases) -> float | None:
        """Return the mean of the baselines of the classes."""
        each = compute_baselines(self.measure, cases)
        if self.mean == MICRO:
            count = len(cases.classes)
            return self.measure.baseline.at(Context(1 / count, 1 / count, float(cases.sizes.sum()) * count))
        return float(each.mean() if self.mean == MACRO else np.where(cases.shares > 0, cases.shares * each, 0.0).sum())

    def with_limits(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Return the mean with its limits."""
        if self.measure.name not in KNOWN and not self._is_of_counts:
            value = float(self.values(cases)(cases.weights))
            return ValueWithLimits(value, None, Limits(math.nan, math.nan), "none", (NO_FORMULA,))
        if self.mean == MICRO:
            return self._estimate_micro(cases, level)
        sum_ = influence.add_up(self._estimate_parts(cases, level), cases.squares)
        return ValueWithLimits(sum_.value, sum_.units, sum_.limits, "class_mover")

    def _estimate_parts(self, cases: ClassCases, level: float) -> Iterator[InfluenceTerm]:
        occurring = np.flatnonzero(cases.sizes) if self.mean == WEIGHTED else np.arange(len(cases.classes))
        values = np.zeros(len(cases.classes))
        for position in occurring.tolist():
            part = estimate_class(self.measure, cases, position, level)
            values[position] = part.value
            factor = 1 / len(cases.classes) if self.mean == MACRO else float(cases.shares[position])
            yield part._replace(factor=factor)
        if self.mean == WEIGHTED:
            yield influence.estimate_shares(values, cases, level)

    def _estimate_micro(self, cases: ClassCases, level: float) -> ValueWithLimits:
        if self._is_of_counts:
            return self._estimate_micro_counts(cases, level)
        r, is_own = cases.pooled_ranking(), cases.truth[:, None] == np.arange(len(cases.classes))
        of_area = self.measure.name == "auc"
        unit = influence.compute_pooled_area_units if of_area else _compute_pooled_precision_units
        units = unit(r, cases.scores, is_own)
        value, n = float(self.measure.compute(r)), float(cases.effective_sizes.sum())
        spread = math.sqrt(influence.compute_variance(units, cases.squares) * n / (n - 1))
        if spread > influence.NOTHING and 0 < value < 1:
            limits = normal_limits_on_scale(value, spread, (0, 1), level)
            return self._widen_area(ValueWithLimits(value, units, limits, "influence_logit"), n, cases, level)
        # No case is wrong, so there is no spread: what so many cases allow.
        low = float(proportions.wilson(n, n, level).low)
        limits = Limits(low, 1.0) if value > 0.5 else Limits(0.0, 1 - low)
        return ValueWithLimits(value, units, limits, "wilson", (PERFECT,))

    def _widen_area(self, value: ValueWithLimits, n: float, cases: ClassCases, level: float) -> ValueWithLimits:
        """Return Newcombe's limits of an AUC where they are wider: near 1 few pairs show the spread."""
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
        units = np.asarray(influence.compute_count_units(self.measure, pooled, is_own, chosen).sum(1))
        value, n = float(self.measure.compute(pooled)), float(cases.effective_sizes.sum())
        if self.measure.name in ("precision", "recall", "f1"):  # which are all the accuracy
            return ValueWithLimits(value, units, Limits(*map(float, proportions.wilson(value * n, n, level))), "wilson")
        spread = math.sqrt(influence.compute_variance(units, cases.squares))
        return ValueWithLimits(
            value, units, influence.compute_normal_limits(value, spread, self.range, level), "influence"
        )


KNOWN = ("auc", "average_precision")  # measures of the order whose change by one case has a formula here
_CACHED_SCORES = 2**22  # scores, up to which the components of all classes are kept
NO_FORMULA = "There is no closed form: ask for the bootstrap to have an interval."
PERFECT = "No case is on the wrong side: the limit is Wilson's for so many cases without an error."


def _compute_pooled_precision_units(r: Ranking, scores: Array, is_own: Array) -> Array:
    return np.asarray(influence.compute_precision_units(r, scores, is_own).sum(1))


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
    ranked = [stack_class(cases, position) for position in range(count)]
    return lambda weights: np.stack([np.asarray(measure.compute(stack(weights))) for stack in ranked], axis=-1)


def estimate_class(measure: Measure, cases: ClassCases, position: int, level: float) -> InfluenceTerm:
    """Return the value of a measure for one class, with its components and limits, cached on the cases."""
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
        units = influence.compute_count_units(measure, counts, is_class, chosen[:, position])
        return influence.estimate_from_counts(measure, counts, units, cases, level)
    r = cases.ranking(position)
    if measure.name == "auc":
        return influence.estimate_area(r, scores, is_class, level)
    return influence.estimate_precision(r, influence.compute_precision_units(r, scores, is_class), cases.squares, level)


def explain_undefined(measure: Measure, cases: ClassCases) -> dict[int, str]:
    """Return why a measure is undefined, for the classes where it is, by their positions."""
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
class OneClass(OfMeasure):
    """A measure of one class against the rest, by the position of the class."""

    measure: Measure
    position: int

    of = "class"

    def values(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        each = compute_by_class(self.measure, cases)
        return lambda weights: each(weights)[..., self.position]

    def reason(self, cases: ClassCases) -> str:
        """Return why the measure is undefined for this class."""
        return explain_undefined(self.measure, cases).get(self.position, "")

    def with_limits(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Return the value with its limits."""
        part = estimate_class(self.measure, cases, self.position, level)
        return ValueWithLimits(part.value, part.units, part.limits, part.method, part.notes)
