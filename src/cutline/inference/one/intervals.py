"""From a measure to its estimate: which method by rule, its limits, and the notes that qualify them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.core.checks import LEVEL, check_flag, check_level, check_text, check_whole
from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.inference import delong, effective_size, influence
from cutline.inference.caveats import (
    BELOW,
    BEST_OF_CUTS,
    EQUAL,
    FEW_DECISIONS,
    FEW_FOR_DELONG,
    FEW_FOR_ONE_CUT,
    FEW_FOR_RESAMPLING,
    INDEPENDENT,
    NO_SPREAD,
    OPTIMISTIC,
    PLENTY,
    PLENTY_IN_A_CELL,
    SEPARATED,
    STRATIFIED_GROUPS,
    few_cases,
    finished,
    has_spread,
    redraws,
    whole_groups,
)
from cutline.inference.one import proportions, ratios
from cutline.inference.one.estimand import Estimand
from cutline.inference.one.separation import separated
from cutline.inference.resampling.bootstrap import accelerations, bca, bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler, OneModel
from cutline.measures.kinds import LineOfAuc, MeanOfCases, Proportion, Ratio, StandardError, SumOfRates
from cutline.results.estimate import Estimate, Limits

RESAMPLING = ("bootstrap", "bca")
FEW_FOR_PROPORTIONS = 5
FEW_OUT_OF_ORDER = 5  # cases of the smaller class that stand on the wrong side, in effect
_BY_KIND: dict[type, tuple[str, ...]] = {Ratio: ("log",), SumOfRates: ("square_and_add",)}
_NO_SLOPE = (
    "The infinitesimal jackknife needs a measure that changes smoothly with the order of the cases, and "
    f"{influence.FEW_FOR_THE_ORDER} cases of each class: pass method='bootstrap'."
)


class Options(NamedTuple):
    """How an interval is to be made."""

    level: float = LEVEL
    method: str = "auto"
    resamples: int = 2000
    seed: int = 0
    stratified: bool = False


def checked(options: Options) -> Options:
    """The options, if they are in their domain."""
    return options._replace(
        level=check_level(options.level),
        resamples=check_whole(options.resamples, "resamples", 2),
        stratified=check_flag(options.stratified, "stratified"),
        seed=check_whole(options.seed, "seed", 0),
    )


def methods(estimand: Estimand) -> tuple[str, ...]:
    """The methods that apply to a measure; the formulas for one cut only where a threshold makes it."""
    kind, own, smooth = estimand.kind, tuple[str, ...](), isinstance(estimand.kind, MeanOfCases)
    if isinstance(kind, LineOfAuc):
        own = ("newcombe_delong", "delong_logit", "delong", "newcombe")
    elif isinstance(kind, StandardError):
        own = tuple(kind.methods)
    elif not estimand.by_quota:
        own = tuple(proportions.METHODS) if isinstance(kind, Proportion) else (_BY_KIND.get(type(kind), ()))
        smooth = smooth or estimand.of_counts is not None
    return (*own, *RESAMPLING, *(("influence",) if smooth or estimand.is_of_order else ()))


def default(estimand: Estimand, *, grouped: bool = False) -> str:
    """The method for a measure, from what it is and from what the coverage study found (docs/coverage.md)."""
    kind = estimand.kind
    if isinstance(kind, LineOfAuc) and not grouped:
        return "newcombe_delong" if _has_few_pairs_out_of_order(estimand.ranking) else "delong_logit"
    if grouped:
        return "bootstrap"
    if isinstance(kind, StandardError):
        return next(iter(kind.methods))
    if isinstance(kind, Proportion | Ratio | SumOfRates) and not estimand.by_quota:
        return "wilson" if isinstance(kind, Proportion) else _BY_KIND[type(kind)][0]
    if _is_plentiful(estimand):
        return "influence"
    return "bootstrap" if estimand.by_quota else "bca"  # a quota makes it jump, which BCa does not like


def _has_few_pairs_out_of_order(r: Ranking) -> bool:
    """Whether DeLong's interval is too narrow: few cases of a class, or hardly any of them on the wrong side."""
    fewest, area = float(min(effective_size.effective(r))), _area(r)
    return fewest < FEW_FOR_DELONG or fewest * min(area, 1 - area) < FEW_OUT_OF_ORDER


def _area(r: Ranking) -> float:
    return float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))


def _is_plentiful(estimand: Estimand) -> bool:
    """Whether a smooth measure has so many cases that its estimate is normal; resamples would only add noise."""
    if (
        "influence" not in methods(estimand)
        or not math.isfinite(estimand.value)
        or min(effective_size.effective(estimand.ranking)) < PLENTY
    ):
        return False
    if estimand.of_counts is not None:
        counts = _counts_in_effect(estimand)
        if min(float(count) for count in (counts.tp, counts.fp, counts.fn, counts.tn)) < PLENTY_IN_A_CELL:
            return False
    return not estimand.is_of_order or estimand.influence is not None


def _counts_in_effect(estimand: Estimand) -> Counts:
    """The counts of the cut, each as the number of cases that its weights are worth."""
    if estimand.ranking.integral:
        return estimand.counts
    return effective_size.effective_counts(estimand.counts, estimand.second)


def choose(estimand: Estimand, method: str, *, grouped: bool = False) -> str:
    """The method to use: the default by rule, or the one asked for if it applies."""
    check_text(method, "method", "auto")
    if method == "auto":
        return default(estimand, grouped=grouped)
    apply = methods(estimand)
    if method not in apply:
        raise ParameterError(
            f"{method!r} does not apply to {estimand.name}", f"pass {', '.join(map(repr, apply))} or 'auto'"
        )
    return method


def estimates(estimands: Sequence[Estimand], options: Options, groups: GroupSampler | None = None) -> list[Estimate]:
    """The estimates of some measures of one ranking, all that are resampled on the same resamples."""
    options = checked(options)
    chosen = [choose(estimand, options.method, grouped=groups is not None) for estimand in estimands]
    drawn = [i for i, estimand in enumerate(estimands) if chosen[i] in RESAMPLING and not math.isnan(estimand.value)]
    found = _resampled([estimands[i] for i in drawn], [chosen[i] for i in drawn], options, groups)
    by_index = dict(zip(drawn, found, strict=True))
    return [
        by_index[i] if i in by_index else closed(estimand, method, options.level, grouped=groups is not None)
        for i, (estimand, method) in enumerate(zip(estimands, chosen, strict=True))
    ]


# ---------------------------------------------------------------------- closed forms


def by_formula(estimand: Estimand, level: float, *, grouped: bool = False) -> Estimate | None:
    """The estimate by the default method; None when that is resampling."""
    method = choose(estimand, "auto", grouped=grouped)
    return None if method in RESAMPLING else closed(estimand, method, level)


def closed(estimand: Estimand, method: str, level: float, *, grouped: bool = False) -> Estimate:
    """The estimate by a method that needs no resampling; without an interval where the measure is undefined."""
    if math.isnan(estimand.value):
        return Estimate(estimand.name, math.nan, math.nan, math.nan, level, method, (f"undefined: {estimand.reason}",))
    notes = effective_size.notes(estimand.ranking) + (_caveat(estimand) if method != "delta" else [])
    if grouped:
        notes.append(INDEPENDENT)
    if isinstance(estimand.kind, StandardError):
        limits, found = _standard_error(estimand, method, level)
    elif method == "log":
        limits, found = _log(estimand, level)
    elif method == "influence":
        limits, found = _influence(estimand, level)
    elif method == "square_and_add":
        limits, found = _sum_of_rates(estimand, level)
    elif method in proportions.METHODS:
        limits, found = _proportion(estimand, method, level)
    else:
        method, limits, found = _auc(estimand, method, level)
    return finished(estimand.name, estimand.value, limits, estimand.range, level, method, notes + found)


def _proportion(estimand: Estimand, method: str, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    k, n = (float(x) for x in kind.of(estimand.counts))
    if not estimand.ranking.integral:
        scale = divide(n, float(kind.of(estimand.second)[1]))
        k, n = k * scale, n * scale
    notes = []
    if method == "wald" and not proportions.wald_holds(k, n):
        notes.append(
            f"The Wald interval is not valid here: n p = {k:.4g} and n (1 - p) = {n - k:.4g} must both exceed 5."
        )
    elif n < FEW_FOR_PROPORTIONS and method != "clopper_pearson":
        notes.append(f"It is a share of {n:.3g} cases only: clopper_pearson alone keeps its promise there.")
    return Limits(*(kind.then(limit) for limit in proportions.METHODS[method](k, n, level))), notes


def _sum_of_rates(estimand: Estimand, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    c = _counts_in_effect(estimand)
    limits = proportions.square_and_add((c.tp, c.positives), (c.tn, c.negatives), level)
    return Limits(*sorted(kind.intercept + kind.slope * float(limit) for limit in limits)), []


def _log(estimand: Estimand, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    counts = estimand.counts
    if not estimand.ranking.integral:
        counts = effective_size.effective_counts(counts, estimand.second)
    a, b, c, d = (float(getattr(counts, name)) for name in (*kind.above, *kind.below))
    notes = []
    if min(a, b, c, d) == 0:
        a, b, c, d = (count + 0.5 for count in (a, b, c, d))
        notes.append("One of the four counts is 0: a half was added to each for the limits (Haldane, Anscombe).")
    low, high = (ratios.log_odds if kind.odds else ratios.log_shares)(a, b, c, d, level)
    value = estimand.value
    return Limits(0.0 if value == 0 else low, math.inf if math.isinf(value) else high), notes


def _standard_error(estimand: Estimand, method: str, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    variance = float(kind.methods[method](estimand.ranking, **estimand.parameters))
    if not math.isfinite(variance) or not math.isfinite(estimand.value) or (kind.scale == "log" and not estimand.value):
        return Limits(math.nan, math.nan), ["These data do not tell the standard error: there is no interval."]
    if kind.scale == "identity":
        return influence.normal(estimand.value, variance, level), []
    low, high = influence.normal(math.log(estimand.value), variance, level)
    return Limits(math.exp(low), math.exp(high)), []


def _influence(estimand: Estimand, level: float) -> tuple[Limits, list[str]]:
    if isinstance(estimand.kind, MeanOfCases):
        losses = estimand.kind.of(estimand.ranking, **estimand.parameters)
        variance = influence.of_mean(estimand.ranking, effective_size.squares(estimand.ranking), *losses)
    elif estimand.is_of_order:
        if estimand.influence is None:
            return Limits(math.nan, math.nan), [_NO_SLOPE]
        variance = estimand.influence.variance(effective_size.squares(estimand.ranking))
    else:
        variance = influence.of_counts(estimand.of_counts, estimand.counts, estimand.second)  # type: ignore[arg-type]
    if not math.isfinite(variance):
        return Limits(math.nan, math.nan), ["These data do not tell the standard error: there is no interval."]
    notes = (
        _few_decisions(estimand)
        if variance > EQUAL**2
        else ["The standard error is 0, so it cannot tell how uncertain the value is."]
    )
    return influence.normal(estimand.value, variance, level), notes


def _auc(estimand: Estimand, method: str, level: float) -> tuple[str, Limits, list[str]]:
    """DeLong for the AUC, or what stands in for it, and then the line to the measure."""
    r, kind, notes = estimand.ranking, estimand.kind, []
    slope, intercept = (float(x) for x in kind.of(r, **estimand.parameters))  # type: ignore[union-attr,arg-type]
    area, size = _area(r), effective_size.effective(r)
    if method not in ("newcombe", "newcombe_delong"):
        variance = float(delong.variance(r))
        if not variance > EQUAL**2 or area in (0, 1):
            why = (
                f"With a single {'positive' if size.positives < 2 else 'negative'} case"
                if min(size) < 2
                else f"With an AUC of {area:g}"
                if area in (0, 1)
                else "As all cases of a class stand alike"
            )
            notes.append(f"{why}, DeLong's variance says nothing: Newcombe's interval stands in for it.")
            method = "newcombe"
    if method == "newcombe_delong":
        sizes = (float(size.positives), float(size.negatives))
        limits = delong.newcombe_delong(area, float(np.nan_to_num(delong.variance(r))), *sizes, level)
    elif method == "newcombe":
        limits = delong.newcombe(area, float(size.positives), float(size.negatives), level)
    else:
        limits = (delong.delong if method == "delong" else delong.delong_logit)(area, variance, level)
        notes += few_cases(r, FEW_FOR_DELONG, "DeLong's interval")
    return method, Limits(*(intercept + slope * limit for limit in limits)), notes


# ---------------------------------------------------------------------- resampling


def _resampled(
    estimands: Sequence[Estimand], chosen: Sequence[str], options: Options, groups: GroupSampler | None
) -> list[Estimate]:
    if groups is not None and options.stratified:
        raise ParameterError(STRATIFIED_GROUPS)
    if not estimands:
        return []
    ranking = estimands[0].ranking
    sampler: OneModel = groups or CaseSampler(ranking, options.stratified)
    values, redrawn = bootstrap(sampler, [t.statistic for t in estimands], options.resamples, options.seed)
    corrected = [i for i, method in enumerate(chosen) if method == "bca"]
    found = accelerations(sampler, [estimands[i].statistic for i in corrected], options.seed) if corrected else []
    speeds = dict(zip(corrected, found, strict=True))
    notes, units = effective_size.notes(ranking), math.inf if groups is None else groups.groups
    if groups is not None:
        notes.append(whole_groups(groups.groups))
    notes += redraws(redrawn)
    return [
        from_replicates(
            estimand, values[i], speeds.get(i), options.level, notes + _caveat(estimand) + _few(estimand), units
        )
        for i, estimand in enumerate(estimands)
    ]


def _caveat(estimand: Estimand) -> list[str]:
    return [estimand.caveat] if estimand.caveat else []


def _few(estimand: Estimand) -> list[str]:
    """What the study found to be too little for resampling: cases of a class, or decisions of a kind at a cut."""
    at_cut = estimand.of_counts is not None and not estimand.by_quota
    cases = few_cases(estimand.ranking, FEW_FOR_ONE_CUT if at_cut else FEW_FOR_RESAMPLING, "resampling")
    best = [OPTIMISTIC] if estimand.name.partition("(")[0] in BEST_OF_CUTS else []
    return best + (cases or _few_decisions(estimand))


def _few_decisions(estimand: Estimand) -> list[str]:
    if estimand.of_counts is None or estimand.by_quota:
        return []
    counts = _counts_in_effect(estimand)
    for count, what in ((counts.tp, "true positive"), (counts.fp + counts.fn, "error")):
        if counts.positives > 0 and count < FEW_DECISIONS:
            number = f"{count:.3g} {what}" + ("" if count == 1 else "s")
            return [f"The cut has only {number}: {BELOW}."]
    return []


def from_replicates(
    estimand: Estimand,
    values: Any,
    acceleration: float | None,
    level: float,
    notes: list[str],
    units: float = math.inf,
) -> Estimate:
    """The estimate from the values on resamples: plain percentiles, or BCa when the acceleration is given.

    Where all resamples agree because the classes are separated, the limit follows from the number of cases, or of
    `units` if these are fewer.
    """
    known = np.sort(values[~np.isnan(values)])
    method = "bootstrap" if acceleration is None else "bca"
    if len(known) < len(values):
        notes.append(
            f"It is undefined on {len(values) - len(known)} of {len(values)} resamples: the limits are from the others."
        )
    if len(known) < 2:
        return Estimate(estimand.name, estimand.value, math.nan, math.nan, level, method, tuple(notes))
    limits = percentile(known, level)
    if math.isnan(limits.low):
        notes.append(
            f"{len(known)} resamples are too few for a level of {level:g}: the limits are the extremes of them."
        )
        limits = Limits(known[0], known[-1])
    if acceleration is not None:
        better = bca(known, estimand.value, acceleration, level)
        if better is None:
            method = "bootstrap"
            notes.append("All resamples are on one side of the value, so BCa fails: these are plain percentiles.")
        limits = better or limits
    if not has_spread(known):
        stand_in = separated(estimand, level, units)
        notes.append(NO_SPREAD if stand_in is None else SEPARATED)
        limits = stand_in or limits
    return finished(estimand.name, estimand.value, limits, estimand.range, level, method, notes)
