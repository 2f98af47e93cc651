"""Influence of each case on a statistic of several classes; for the AUC these are DeLong's components.

Means over classes, means over pairs of classes and differences of two models are sums of terms. The influence of a
case on the sum is the sum of its influences, so that the variance includes all correlations.

The limits of a sum come from the limits of its terms (MOVER; Zou and Donner, 2008): the distance of a term's value to
its limit is the length of a vector with the direction of its influences. With two classes, whose terms are identical,
this gives the binary interval exactly.
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
from cutline.inference.delong import compute_placements
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.influence import differentiate_cells
from cutline.inference.single import proportions
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimate_measures
from cutline.inference.single.separation import find_separated_limits
from cutline.inference.single.smooth import normal_limits_on_scale
from cutline.inputs.multiclass import ClassCases
from cutline.measures import MEASURES, Measure
from cutline.results.estimate import Limits, quantile

NOTHING = 1e-12  # a standard error below this is 0 up to rounding
NO_SPREAD = "The standard error cannot be estimated from these data: there is no interval."


class InfluenceTerm(NamedTuple):
    """A term of a sum: its factor, its value, the influence of each case, and its limits."""

    factor: float
    value: float
    influences: Array
    limits: Limits
    method: str = ""
    notes: tuple[str, ...] = ()


class Sum(NamedTuple):
    """A sum of terms: its value, the influence of each case, and its limits."""

    value: float
    influences: Array
    limits: Limits


def compute_variance(influences: Array, squares: Array) -> float:
    """Return the variance of a statistic, given its influences and the squared weights of the cases."""
    return float(np.einsum("i,i,i->", squares, influences, influences))


def add_up(parts: Iterable[InfluenceTerm], squares: Array) -> Sum:
    """Return the sum of the terms, with limits from their limits and the correlations of their influences.

    A term without variance has no direction: its distance is added in full, as if it were perfectly correlated with all
    others.
    """
    terms, influences = [], np.zeros(len(squares))
    reach = {"low": np.zeros(len(squares)), "high": np.zeros(len(squares))}
    alone = {"low": 0.0, "high": 0.0}
    for part in parts:
        terms.append(part.factor * part.value)
        influences = influences + part.factor * part.influences
        length = math.sqrt(compute_variance(part.influences, squares))
        own = {"low": part.value - part.limits.low, "high": part.limits.high - part.value}
        for side, far in own.items():
            if length > NOTHING:
                reach[side] = reach[side] + part.factor * far / length * part.influences
            else:
                alone[side] += part.factor * far
    low, high = (math.sqrt(compute_variance(reach[side], squares)) + alone[side] for side in ("low", "high"))
    value = math.fsum(terms)
    return Sum(value, influences, Limits(value - low, value + high))


def estimate_share_term(values: Array, cases: ClassCases, level: float) -> InfluenceTerm:
    """Return the term for the random variation of the class shares by which a mean is weighted; its value is 0.

    Args:
        values: The value of each class in the mean.
        cases: The cases.
        level: The level of the interval.
    """
    influences = (values[cases.truth] - float(cases.shares @ values)) / float(cases.sizes.sum())
    reach = quantile(level) * math.sqrt(compute_variance(influences, cases.squares))
    return InfluenceTerm(1.0, 0.0, influences, Limits(-reach, reach))


# ---------------------------------------------------------------------- the AUC


def compute_area_influences(r: Ranking, scores: Array, is_positive: Array) -> Array:
    """Return DeLong's components of the AUC: the influence of each case, per unit of weight."""
    of_positives, of_negatives = compute_placements(r)
    place, area, size = find_scores(r, scores), MEASURES["auc"].compute(r), compute_effective_sizes(r)
    influences = np.where(
        is_positive,
        (of_positives[place] - area) * _correct_for_mean(float(size.positives)) / float(r.positives),
        (of_negatives[place] - area) * _correct_for_mean(float(size.negatives)) / float(r.negatives),
    )
    return np.asarray(influences)


def _correct_for_mean(size: float) -> float:
    """Return the factor for the degree of freedom lost by the mean of a class; NaN for one case."""
    return math.sqrt(size / (size - 1)) if size > 1 + 1e-9 else math.nan


def estimate_area(r: Ranking, scores: Array, is_positive: Array, level: float) -> InfluenceTerm:
    """Estimate the AUC of a ranking with DeLong's components and the limits of the default method for one model."""
    estimate = estimate_measures([Estimand.of_measure(MEASURES["auc"], r, {})], IntervalRequest(level))[0]
    limits = Limits(estimate.low, estimate.high)
    return InfluenceTerm(
        1.0, estimate.value, compute_area_influences(r, scores, is_positive), limits, estimate.method, estimate.notes
    )


def compute_pooled_area_influences(r: Ranking, scores: Array, is_own: Array) -> Array:
    """Return the components of the AUC of pooled scores, summed by case, since each case has several scores.

    Args:
        r: The pooled ranking.
        scores: The scores, a row for each case.
        is_own: Whether a score is that of the class of its case.
    """
    of_positives, of_negatives = compute_placements(r)
    place, area = find_scores(r, scores), MEASURES["auc"].compute(r)
    influences = np.where(
        is_own,
        (of_positives[place] - area) / float(r.positives),
        (of_negatives[place] - area) / float(r.negatives),
    )
    return np.asarray(influences.sum(1))


# ---------------------------------------------------------------------- average precision


def compute_precision_influences(r: Ranking, scores: Array, is_positive: Array) -> Array:
    """Return the influence of each case on the average precision, through its own precision and all those below."""
    flagged, positives = r.ends[1:].astype(float), float(r.positives)
    pos, tp = r.floats[0], r.tp[1:].astype(float)
    of_own = divide(tp, flagged)
    lost = divide(pos * tp, flagged**2)
    below = np.cumsum((divide(pos, flagged) - lost)[::-1])[::-1]
    average = float(pos @ of_own) / positives
    of_positives = (of_own + below - average) / positives
    of_negatives = -np.cumsum(lost[::-1])[::-1] / positives
    place = find_scores(r, scores)
    return np.where(is_positive, of_positives[place], of_negatives[place])


def estimate_precision(r: Ranking, influences: Array, squares: Array, level: float) -> InfluenceTerm:
    """Estimate the average precision with limits on the logit scale; for a perfect order, by the numbers of cases."""
    estimand = Estimand.of_measure(MEASURES["average_precision"], r, {})
    spread = math.sqrt(compute_variance(influences, squares))
    if spread > NOTHING and 0 < estimand.value < 1:
        return InfluenceTerm(
            1.0,
            estimand.value,
            influences,
            normal_limits_on_scale(estimand.value, spread, (0, 1), level),
            "influence_logit",
        )
    perfect = find_separated_limits(estimand, level)
    if perfect is None:
        return InfluenceTerm(1.0, estimand.value, influences, Limits(math.nan, math.nan), "none", (NO_SPREAD,))
    return InfluenceTerm(
        1.0, estimand.value, influences, Limits(float(perfect.low), float(perfect.high)), "wilson", (SEPARATED,)
    )


# ---------------------------------------------------------------------- one class of a table


def compute_count_influences(measure: Measure, counts: Counts, is_class: Array, chosen: Array) -> Array:
    """Return the influence of each case on a measure of the counts of one class.

    Args:
        measure: The measure.
        counts: The counts of the class against the rest.
        is_class: Whether a case is of the class.
        chosen: The share of the case that is predicted to be of the class: 0, 1, or between if scores are tied.
    """
    tp, fp, fn, tn = differentiate_cells(measure.compute, counts)
    return np.asarray(np.where(is_class, chosen * tp + (1 - chosen) * fn, chosen * fp + (1 - chosen) * tn))


def estimate_from_counts(
    measure: Measure, counts: Counts, influences: Array, cases: ClassCases, level: float
) -> InfluenceTerm:
    """Estimate a measure of one class: Wilson's limits for a share of cases, normal limits otherwise.

    F1 is a function of a share too: 2 J / (1 + J), where J is the share of true positives among all but the true
    negatives.

    Args:
        measure: The measure.
        counts: The counts of the class against the rest.
        influences: The influence of each case.
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
        return InfluenceTerm(1.0, value, influences, Limits(low, high), "wilson")
    limits = compute_normal_limits(value, math.sqrt(compute_variance(influences, cases.squares)), measure.range, level)
    return InfluenceTerm(1.0, value, influences, limits, "influence", () if limits.low == limits.low else (NO_SPREAD,))


def compute_normal_limits(value: float, spread: float, allowed: tuple[float, float], level: float) -> Limits:
    """Return normal limits clipped to the range of the measure; NaN without a spread."""
    if not spread > NOTHING:
        return Limits(math.nan, math.nan)
    reach = quantile(level) * spread
    return Limits(max(allowed[0], value - reach), min(allowed[1], value + reach))
