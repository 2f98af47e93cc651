"""Measures of one cut at another prevalence, from recall and specificity, with intervals.

Recall and specificity belong to the classes, so they carry over to a population with another share of positives;
precision and its kin do not, and are put together anew. For predictive values the interval is Mercaldo's (2007), the
delta method on the logit scale; for the others the delta method on the scale of the measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import check_level, check_number
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimate_measures
from cutline.results.estimate import Estimate, quantile

HALF_A_CASE = "A count is 0: half a case was added to each count for the limits."


class RatesAtCut(NamedTuple):
    """Recall and specificity, and how many cases each was seen on."""

    recall: float
    specificity: float
    positives: float
    negatives: float


def _make_counts(rates: RatesAtCut, p: float) -> Counts:
    return Counts(
        p * rates.recall, (1 - p) * (1 - rates.specificity), p * (1 - rates.recall), (1 - p) * rates.specificity
    )


def _compute_net_benefit(c: Counts, odds: float) -> float:
    return float(c.tp - c.fp * odds)


_RAREST = 1e-12  # share of positives: beyond, odds leave what floats can tell


def at_prevalence(
    r: Ranking,
    threshold: float,
    prevalence: float,
    *,
    level: float = 0.95,
    risk: float | None = None,
    groups: GroupSampler | None = None,
) -> dict[str, Estimate]:
    """Return precision, npv, accuracy, F1 and net benefit of a cut at another prevalence, with intervals.

    Args:
        r: The ranking.
        threshold: The cut.
        prevalence: The share of positives in the other population.
        level: The level of the intervals.
        risk: The threshold probability of the net benefit; the threshold itself where that is a probability.
        groups: The groups of the cases, which are then resampled whole.

    >>> r = Ranking.of_counts([0.9, 0.1], [80, 20], [10, 90])
    >>> found = at_prevalence(r, 0.5, 0.01)
    >>> round(found["precision"].value, 4), round(found["npv"].value, 4)
    (0.0748, 0.9978)
    """
    level = check_level(level)
    p = check_number(prevalence, "prevalence")
    if not _RAREST <= p <= 1 - _RAREST:
        raise ParameterError(f"is {p:g}", "pass a share between 0 and 1", argument="prevalence")
    c = r.at_threshold(threshold)
    if not c.positives or not c.negatives:
        raise InputError("Measures at another prevalence need cases of both classes: these are of one.")
    sizes = compute_effective_sizes(r)
    rates = RatesAtCut(float(c.recall), float(c.specificity), float(sizes.positives), float(sizes.negatives))
    at = threshold if risk is None and r.are_probabilities else risk
    at = None if at is None else check_number(at, "risk")
    of: dict[str, Callable[[Counts], float]] = {
        "accuracy": lambda t: float(t.tp + t.tn),
        "f1": lambda t: float(t.f1),
    }
    if at is not None and 0 <= at < 1:
        odds = at / (1 - at)
        of["net_benefit"] = lambda t: _compute_net_benefit(t, odds)
    if groups is not None:
        of |= {"precision": lambda t: float(t.precision), "npv": lambda t: float(t.npv)}
        return {name: _bootstrap_groups(name, function, groups, threshold, p, level) for name, function in of.items()}
    predictive = {name: _estimate_predictive_value(name, rates, p, level) for name in ("precision", "npv")}
    return predictive | {
        name: _estimate_by_delta_method(name, function, rates, p, level) for name, function in of.items()
    }


def _bootstrap_groups(
    name: str, of: Callable[[Counts], float], groups: GroupSampler, threshold: float, p: float, level: float
) -> Estimate:
    """Return the bootstrap interval, of resamples of whole groups."""

    def at_cut(c: Counts) -> float:
        return of(_make_counts(RatesAtCut(float(c.recall), float(c.specificity), 0, 0), p))

    estimand = Estimand.of_function(at_cut, groups.ranking, {"threshold": threshold}, groups)
    estimate = estimate_measures([estimand], IntervalRequest(level))[0]
    return replace(estimate, measure=name)


def _move_rates_inside(rates: RatesAtCut) -> tuple[RatesAtCut, tuple[str, ...]]:
    """Return the rates for the limits: moved inside where one is 0 or 1, which tells no spread."""
    if 0 < rates.recall < 1 and 0 < rates.specificity < 1:
        return rates, ()
    up = RatesAtCut(
        (rates.recall * rates.positives + 0.5) / (rates.positives + 1),
        (rates.specificity * rates.negatives + 0.5) / (rates.negatives + 1),
        rates.positives + 1,
        rates.negatives + 1,
    )
    return up, (HALF_A_CASE,)


def _estimate_predictive_value(name: str, rates: RatesAtCut, p: float, level: float) -> Estimate:
    """Return Mercaldo's interval, on the logit scale: the prevalence's plus the log of a likelihood ratio."""
    value = float(getattr(_make_counts(rates, p), name))
    se, sp, m, n = _move_rates_inside(rates)[0]
    if name == "precision":
        logit = math.log(p * se / ((1 - p) * (1 - sp)))
        variance = (1 - se) / (se * m) + sp / ((1 - sp) * n)
    else:
        logit = math.log((1 - p) * sp / (p * (1 - se)))
        variance = se / ((1 - se) * m) + (1 - sp) / (sp * n)
    half = quantile(level) * math.sqrt(variance)
    low, high = (1 / (1 + math.exp(-(logit + side))) for side in (-half, half))
    if not math.isnan(value):
        low, high = min(low, value), max(high, value)
    return Estimate(name, value, low, high, level, "logit", _move_rates_inside(rates)[1])


def _estimate_by_delta_method(
    name: str, of: Callable[[Counts], float], rates: RatesAtCut, p: float, level: float
) -> Estimate:
    """Return the limits of the delta method: the two rates are independent, and the gradient is numerical."""
    value = of(_make_counts(rates, p))
    inside, notes = _move_rates_inside(rates)
    step = 1e-6
    slopes = []
    for field in ("recall", "specificity"):
        around = [
            of(_make_counts(inside._replace(**{field: getattr(inside, field) + side}), p)) for side in (-step, step)
        ]
        slopes.append((around[1] - around[0]) / (2 * step))
    spread = [
        inside.recall * (1 - inside.recall) / inside.positives,
        inside.specificity * (1 - inside.specificity) / inside.negatives,
    ]
    half = quantile(level) * math.sqrt(sum(slope**2 * var for slope, var in zip(slopes, spread, strict=True)))
    low, high = value - half, value + half
    low, high = (low, min(p, high)) if name == "net_benefit" else (max(0.0, low), min(1.0, high))
    return Estimate(name, value, low, high, level, "delta", notes)
