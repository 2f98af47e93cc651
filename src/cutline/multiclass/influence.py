"""Influence of each case on a statistic of several classes; for the AUC these are DeLong's components.

A mean over classes, a mean over pairs of classes and a difference of two models are sums of such changes, so each has
its variance at once, correlations included: the squared sum of a case's changes, added up over the cases.

The limits of a sum come from the limits of its parts (MOVER; Zou and Donner, 2008): each part's own reach, by the
interval that suits it, as the length of a vector that points where its components point. With two classes, whose parts
are one and the same, this is the binary interval itself, in small samples too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide
from cutline.core.ranking import Ranking, find_scores
from cutline.inference.caveats import SEPARATED
from cutline.inference.delong import placements
from cutline.inference.effective_size import effective_sizes
from cutline.inference.influence import of_four
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimates
from cutline.inference.single.separation import find_separated_limits
from cutline.inference.single.smooth import normal_limits_on_scale
from cutline.inputs.multiclass import ClassCases
from cutline.measures import MEASURES, Measure
from cutline.results.estimate import Limits, quantile

NOTHING = 1e-12  # a length that only rounding makes
NO_SPREAD = "The standard error cannot be estimated from these data: there is no interval."


class InfluenceTerm(NamedTuple):
    """A term of a sum: its factor, its value, what each case more changes in it, and its own limits."""

    factor: float
    value: float
    units: Array
    limits: Limits
    method: str = ""
    notes: tuple[str, ...] = ()


class Sum(NamedTuple):
    """A sum of parts: its value, what each case more changes in it, and its limits."""

    value: float
    units: Array
    limits: Limits

    def variance(self, squares: Array) -> float:
        """Return the variance, given the squared weights of the cases."""
        return compute_variance(self.units, squares)


def compute_variance(units: Array, squares: Array) -> float:
    """Return the variance of what the units are changes of."""
    return float(np.einsum("i,i,i->", squares, units, units))


def add_up(parts: Iterable[InfluenceTerm], squares: Array) -> Sum:
    """Return the parts added up, with limits from their limits and from how their components are correlated.

    A part whose cases all change it alike, or which too few cases tell anything about, has no direction: its reach is
    added in full, as if it were perfectly correlated with all others.
    """
    terms, units = [], np.zeros(len(squares))
    reach = {"low": np.zeros(len(squares)), "high": np.zeros(len(squares))}
    alone = {"low": 0.0, "high": 0.0}
    for part in parts:
        terms.append(part.factor * part.value)
        units = units + part.factor * part.units
        length = math.sqrt(compute_variance(part.units, squares))
        own = {"low": part.value - part.limits.low, "high": part.limits.high - part.value}
        for side, far in own.items():
            if length > NOTHING:
                reach[side] = reach[side] + part.factor * far / length * part.units
            else:
                alone[side] += part.factor * far
    low, high = (math.sqrt(compute_variance(reach[side], squares)) + alone[side] for side in ("low", "high"))
    value = math.fsum(terms)
    return Sum(value, units, Limits(value - low, value + high))


def estimate_shares(values: Array, cases: ClassCases, level: float) -> InfluenceTerm:
    """Return what chance does to the shares of the classes where these are the weights of a mean: a part that is zero
    in sum.

    Args:
        values: What each class brings to the mean per unit of its share.
        cases: The cases.
        level: The level of the interval.
    """
    units = (values[cases.truth] - float(cases.shares @ values)) / float(cases.sizes.sum())
    reach = quantile(level) * math.sqrt(compute_variance(units, cases.squares))
    return InfluenceTerm(1.0, 0.0, units, Limits(-reach, reach))


# ---------------------------------------------------------------------- the AUC


def compute_area_units(r: Ranking, scores: Array, is_positive: Array) -> Array:
    """DeLong's components of the AUC of a ranking: what each of its cases changes, per unit of weight."""
    of_positives, of_negatives = placements(r)
    place, area, size = places_in(r, scores), MEASURES["auc"].compute(r), effective_sizes(r)
    units = np.where(
        is_positive,
        (of_positives[place] - area) * _correct_for_mean(float(size.positives)) / float(r.positives),
        (of_negatives[place] - area) * _correct_for_mean(float(size.negatives)) / float(r.negatives),
    )
    return np.asarray(units)


def places_in(r: Ranking, scores: Array) -> Array:
    """Return where the scores of cases stand in a ranking."""
    return find_scores(r, scores)


def _correct_for_mean(size: float) -> float:
    """Return the factor for the degree of freedom that the mean of a class takes; one case has no spread."""
    return math.sqrt(size / (size - 1)) if size > 1 + 1e-9 else math.nan


def estimate_area(r: Ranking, scores: Array, is_positive: Array, level: float) -> InfluenceTerm:
    """Return the AUC of a ranking with DeLong's components, and with limits by the rule for one model."""
    estimate = estimates([Estimand.of_measure(MEASURES["auc"], r, {})], IntervalRequest(level))[0]
    limits = Limits(estimate.low, estimate.high)
    return InfluenceTerm(
        1.0, estimate.value, compute_area_units(r, scores, is_positive), limits, estimate.method, estimate.notes
    )


def compute_pooled_area_units(r: Ranking, scores: Array, is_own: Array) -> Array:
    """Return the components of the AUC of pooled scores, summed by case, since each case has several scores.

    Args:
        r: The pooled ranking.
        scores: The scores, a row for each case.
        is_own: Which of them are of the class of the case.
    """
    of_positives, of_negatives = placements(r)
    place, area = places_in(r, scores), MEASURES["auc"].compute(r)
    units = np.where(
        is_own,
        (of_positives[place] - area) / float(r.positives),
        (of_negatives[place] - area) / float(r.negatives),
    )
    return np.asarray(units.sum(1))


# ---------------------------------------------------------------------- average precision


def compute_precision_units(r: Ranking, scores: Array, is_positive: Array) -> Array:
    """Return what each case changes in the average precision: it moves its own precision and all those below it."""
    flagged, positives = r.ends[1:].astype(float), float(r.positives)
    pos, tp = r.floats[0], r.tp[1:].astype(float)
    of_own = divide(tp, flagged)
    lost = divide(pos * tp, flagged**2)
    below = np.cumsum((divide(pos, flagged) - lost)[::-1])[::-1]
    average = float(pos @ of_own) / positives
    of_positives = (of_own + below - average) / positives
    of_negatives = -np.cumsum(lost[::-1])[::-1] / positives
    place = places_in(r, scores)
    return np.where(is_positive, of_positives[place], of_negatives[place])


def estimate_precision(r: Ranking, units: Array, squares: Array, level: float) -> InfluenceTerm:
    """Return an average precision with limits on the scale of its log-odds; of a perfect order, those that its size
    allows.
    """
    estimand = Estimand.of_measure(MEASURES["average_precision"], r, {})
    spread = math.sqrt(compute_variance(units, squares))
    if spread > NOTHING and 0 < estimand.value < 1:
        return InfluenceTerm(
            1.0, estimand.value, units, normal_limits_on_scale(estimand.value, spread, (0, 1), level), "influence_logit"
        )
    perfect = find_separated_limits(estimand, level)
    if perfect is None:
        return InfluenceTerm(1.0, estimand.value, units, Limits(math.nan, math.nan), "none", (NO_SPREAD,))
    return InfluenceTerm(
        1.0, estimand.value, units, Limits(float(perfect.low), float(perfect.high)), "wilson", (SEPARATED,)
    )


# ---------------------------------------------------------------------- one class of a table


def compute_count_units(measure: Measure, counts: Counts, is_class: Array, chosen: Array) -> Array:
    """Return what each case changes in a measure of the counts of one class.

    Args:
        measure: The measure.
        counts: The counts of the class against the rest.
        is_class: Whether a case is of the class.
        chosen: The part of the case that is predicted to be of the class: 0, 1, or between where scores are tied.
    """
    tp, fp, fn, tn = of_four(measure.compute, counts)
    return np.asarray(np.where(is_class, chosen * tp + (1 - chosen) * fn, chosen * fp + (1 - chosen) * tn))


def estimate_from_counts(
    measure: Measure, counts: Counts, units: Array, cases: ClassCases, level: float
) -> InfluenceTerm:
    """Return a measure of one class with limits: Wilson's where it is a share of cases, else by its standard error.

    F1 is one too: 2 J / (1 + J), where J is the share of the true positives among all but the true negatives.

    Args:
        measure: The measure.
        counts: The counts of the class against the rest.
        units: What each case changes.
        cases: The cases.
        level: The level of the interval.
    """
    value, effect = float(measure.compute(counts)), float(cases.effective_sizes.sum() / cases.sizes.sum())
    tp, fp, fn = (effect * float(count) for count in (counts.tp, counts.fp, counts.fn))
    among = {"recall": tp + fn, "precision": tp + fp, "f1": tp + fp + fn}.get(measure.name, 0.0)
    if among and not measure.bound:
        low, high = (float(limit) for limit in proportions.wilson(tp, among, level))
        if measure.name == "f1":
            low, high = 2 * low / (1 + low), 2 * high / (1 + high)
        return InfluenceTerm(1.0, value, units, Limits(low, high), "wilson")
    limits = compute_normal_limits(value, math.sqrt(compute_variance(units, cases.squares)), measure.range, level)
    return InfluenceTerm(1.0, value, units, limits, "influence", () if limits.low == limits.low else (NO_SPREAD,))


def compute_normal_limits(value: float, spread: float, allowed: tuple[float, float], level: float) -> Limits:
    """Return normal limits clipped to the range of the measure; NaN without a spread."""
    if not spread > NOTHING:
        return Limits(math.nan, math.nan)
    reach = quantile(level) * spread
    return Limits(max(allowed[0], value - reach), min(allowed[1], value + reach))
