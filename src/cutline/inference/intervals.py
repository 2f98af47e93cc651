"""From a measure to its estimate: which method by rule, its limits, and the notes that qualify them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cutline.contingency import divide
from cutline.errors import ParameterError
from cutline.inference import delong, influence, proportions, ratios, sizes
from cutline.inference.bootstrap import accelerations, bca, bootstrap, percentile, redraws
from cutline.inference.estimate import Estimate, Limits
from cutline.inference.samplers import CaseSampler, GroupSampler, Sampler
from cutline.inference.target import Target
from cutline.measures._kinds import LineOfAuc, MeanOfCases, Proportion, Ratio

RESAMPLING = ("bootstrap", "bca")
FEW_FOR_DELONG = 30  # cases of a class; with fewer, DeLong's intervals hold the truth less often than they say
FEW_FOR_RESAMPLING = 20
FEW_FOR_PROPORTIONS = 5


class Options(NamedTuple):
    """How an interval is to be made."""

    level: float = 0.95
    method: str = "auto"
    resamples: int = 2000
    seed: int = 0
    stratified: bool = False


def checked(options: Options) -> Options:
    """The options, if they are in their domain."""
    level, resamples = options.level, options.resamples
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"level is {level!r}: pass a share above 0 and below 1, such as 0.95.")
    if not isinstance(resamples, int | np.integer) or resamples < 2:
        raise ParameterError(f"resamples is {resamples!r}: pass a whole number from 2, such as 2000.")
    if not isinstance(options.seed, int | np.integer) or options.seed < 0:
        raise ParameterError(f"seed is {options.seed!r}: pass a whole number from 0.")
    return options


def methods(target: Target) -> tuple[str, ...]:
    """The methods that apply to a measure."""
    kind = target.kind
    if isinstance(kind, Proportion):
        own: tuple[str, ...] = tuple(proportions.METHODS)
    elif isinstance(kind, Ratio):
        own = ("log",)
    elif isinstance(kind, LineOfAuc):
        own = ("delong_logit", "delong", "newcombe")
    else:
        own = ()
    smooth = ("influence",) if target.of_counts or isinstance(kind, MeanOfCases) else ()
    return (*own, *RESAMPLING, *smooth)


def default(target: Target, *, grouped: bool = False) -> str:
    """The method for a measure, from what it is and from what the coverage study found (docs/coverage.md)."""
    kind = target.kind
    if grouped:
        return "bootstrap"
    if isinstance(kind, Proportion):
        return "wilson"
    if isinstance(kind, Ratio):
        return "log"
    if isinstance(kind, LineOfAuc):
        return "newcombe" if min(sizes.effective(target.ranking)) < FEW_FOR_DELONG else "delong_logit"
    return "bootstrap" if "quota" in target.parameters else "bca"  # a quota makes it jump, which BCa does not like


def choose(target: Target, method: str, *, grouped: bool = False) -> str:
    """The method to use: the default by rule, or the one asked for if it applies."""
    if method == "auto":
        return default(target, grouped=grouped)
    apply = methods(target)
    if method not in apply:
        raise ParameterError(
            f"{method!r} does not apply to {target.name}: pass {', '.join(map(repr, apply))} or 'auto'."
        )
    return method


def estimates(targets: Sequence[Target], options: Options, groups: GroupSampler | None = None) -> list[Estimate]:
    """The estimates of some measures of one ranking, all that are resampled on the same resamples."""
    checked(options)
    chosen = [choose(target, options.method, grouped=groups is not None) for target in targets]
    drawn = [i for i, target in enumerate(targets) if chosen[i] in RESAMPLING and not math.isnan(target.value)]
    found = _resampled([targets[i] for i in drawn], [chosen[i] for i in drawn], options, groups)
    by_index = dict(zip(drawn, found, strict=True))
    return [
        by_index[i] if i in by_index else closed(target, method, options.level, grouped=groups is not None)
        for i, (target, method) in enumerate(zip(targets, chosen, strict=True))
    ]


# ---------------------------------------------------------------------- closed forms


def by_formula(target: Target, level: float, *, grouped: bool = False) -> Estimate | None:
    """The estimate by the default method; None when that is resampling."""
    method = choose(target, "auto", grouped=grouped)
    return None if method in RESAMPLING else closed(target, method, level)


def closed(target: Target, method: str, level: float, *, grouped: bool = False) -> Estimate:
    """The estimate by a method that needs no resampling; without an interval where the measure is undefined."""
    if math.isnan(target.value):
        return Estimate(target.name, math.nan, math.nan, math.nan, level, method, (f"undefined: {target.reason}",))
    notes = sizes.notes(target.ranking)
    if grouped:
        notes.append("The cases come in groups, which this method takes for independent cases: see method='bootstrap'.")
    if method == "log":
        limits, found = _log(target, level)
    elif method == "influence":
        limits, found = _influence(target, level)
    elif method in proportions.METHODS:
        limits, found = _proportion(target, method, level)
    else:
        method, limits, found = _auc(target, method, level)
    return _finished(target, limits, level, method, notes + found)


def _proportion(target: Target, method: str, level: float) -> tuple[Limits, list[str]]:
    kind: Any = target.kind
    k, n = (float(x) for x in kind.of(target.counts))
    if not target.ranking.integral:
        scale = divide(n, float(kind.of(target.second)[1]))
        k, n = k * scale, n * scale
    notes = []
    if method == "wald" and not proportions.wald_holds(k, n):
        notes.append(
            f"The Wald interval is not valid here: n p = {k:.4g} and n (1 - p) = {n - k:.4g} must both exceed 5."
        )
    elif n < FEW_FOR_PROPORTIONS and method != "clopper_pearson":
        notes.append(f"It is a share of {n:.3g} cases only: clopper_pearson alone keeps its promise there.")
    return Limits(*(kind.then(limit) for limit in proportions.METHODS[method](k, n, level))), notes


def _log(target: Target, level: float) -> tuple[Limits, list[str]]:
    kind: Any = target.kind
    counts = target.counts
    if not target.ranking.integral:
        counts = sizes.effective_counts(counts, target.second)
    a, b, c, d = (float(getattr(counts, name)) for name in (*kind.above, *kind.below))
    notes = []
    if min(a, b, c, d) == 0:
        a, b, c, d = (count + 0.5 for count in (a, b, c, d))
        notes.append("One of the four counts is 0: a half was added to each for the limits (Haldane, Anscombe).")
    low, high = (ratios.log_odds if kind.odds else ratios.log_shares)(a, b, c, d, level)
    value = target.value
    return Limits(0.0 if value == 0 else low, math.inf if math.isinf(value) else high), notes


def _influence(target: Target, level: float) -> tuple[Limits, list[str]]:
    if isinstance(target.kind, MeanOfCases):
        losses = target.kind.of(target.ranking, **target.parameters)
        variance = influence.of_mean(target.ranking, sizes.squares(target.ranking), *losses)
    else:
        variance = influence.of_counts(target.of_counts, target.counts, target.second)  # type: ignore[arg-type]
    if not math.isfinite(variance):
        return Limits(math.nan, math.nan), ["These data do not tell the standard error: there is no interval."]
    notes = [] if variance > 0 else ["The standard error is 0: the data hold no spread to tell the uncertainty from."]
    return influence.normal(target.value, variance, level), notes


def _auc(target: Target, method: str, level: float) -> tuple[str, Limits, list[str]]:
    """DeLong for the AUC, or what stands in for it, and then the line to the measure."""
    r, kind, notes = target.ranking, target.kind, []
    slope, intercept = (float(x) for x in kind.of(r))  # type: ignore[union-attr,arg-type]
    area, size = float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every)), sizes.effective(r)
    if method != "newcombe":
        variance = float(delong.variance(r))
        if not variance > 1e-24 or area in (0, 1):
            why = (
                f"With a single {'positive' if size.positives < 2 else 'negative'} case"
                if min(size) < 2
                else f"With an AUC of {area:g}"
                if area in (0, 1)
                else "As all cases of a class stand alike"
            )
            notes.append(f"{why}, DeLong's variance says nothing: Newcombe's interval stands in for it.")
            method = "newcombe"
    if method == "newcombe":
        limits = delong.newcombe(area, float(size.positives), float(size.negatives), level)
    else:
        limits = (delong.delong if method == "delong" else delong.delong_logit)(area, variance, level)
    return method, Limits(*(intercept + slope * limit for limit in limits)), notes


# ---------------------------------------------------------------------- resampling


def _resampled(
    targets: Sequence[Target], chosen: Sequence[str], options: Options, groups: GroupSampler | None
) -> list[Estimate]:
    if groups is not None and options.stratified:
        raise ParameterError("stratified=True draws cases within their class, but groups are drawn whole: pass one.")
    if not targets:
        return []
    ranking = targets[0].ranking
    sampler: Sampler = groups or CaseSampler(ranking, options.stratified)
    values, redrawn = bootstrap(sampler, [t.statistic for t in targets], options.resamples, options.seed)
    corrected = [i for i, method in enumerate(chosen) if method == "bca"]
    found = accelerations(sampler, [targets[i].statistic for i in corrected], options.seed) if corrected else []
    speeds = dict(zip(corrected, found, strict=True))
    notes = sizes.notes(ranking)
    if groups is not None:
        notes.append(f"{groups.groups} groups were resampled whole.")
    if redrawn:
        notes.append(redraws(redrawn))
    fewest = min(sizes.effective(ranking))
    if 0 < fewest < FEW_FOR_RESAMPLING:
        notes.append(f"A class has {fewest:.3g} cases only: resampling then holds the truth less often than it says.")
    return [
        from_replicates(target, values[i], speeds.get(i), options.level, list(notes))
        for i, target in enumerate(targets)
    ]


def from_replicates(
    target: Target, values: Any, acceleration: float | None, level: float, notes: list[str]
) -> Estimate:
    """The estimate from the values on resamples: plain percentiles, or BCa when the acceleration is given."""
    known = values[~np.isnan(values)]
    method = "bootstrap" if acceleration is None else "bca"
    if len(known) < len(values):
        notes.append(
            f"It is undefined on {len(values) - len(known)} of {len(values)} resamples: the limits are from the others."
        )
    if len(known) < 2:
        return Estimate(target.name, target.value, math.nan, math.nan, level, method, tuple(notes))
    limits = percentile(known, level)
    if acceleration is not None:
        better = bca(known, target.value, acceleration, level)
        if better is None:
            method = "bootstrap"
            notes.append("All resamples are on one side of the value, so BCa fails: these are plain percentiles.")
        limits = better or limits
    if known.min() == known.max():
        notes.append("Every resample has the same value: the data hold no spread to tell the uncertainty from.")
    return _finished(target, limits, level, method, notes)


# ---------------------------------------------------------------------- what every interval promises


def _finished(target: Target, limits: Limits, level: float, method: str, notes: list[str]) -> Estimate:
    """The estimate, inside the range of the measure and around its value, or with a note that says what is not."""
    value, (least, most) = target.value, target.range
    low, high = map(float, limits)
    slack = 1e-9 * max(1.0, abs(value)) if math.isfinite(value) else 0.0
    outside = [
        f"{limit:.4f}" for limit in (low, high) if not least - slack <= limit <= most + slack and not math.isnan(limit)
    ]
    if outside and method == "wald":
        notes.append(f"The limit {' and '.join(outside)} lies outside the range of the measure, {least:g} to {most:g}.")
    elif outside:
        notes.append(f"The limit {' and '.join(outside)} was cut at the range of the measure, {least:g} to {most:g}.")
    if method != "wald":
        low, high = (min(max(limit, least), most) if limit == limit else limit for limit in (low, high))
    if low > value + slack or high < value - slack:
        notes.append("Resampling shifts this measure: a limit was moved to include the value.")
    return Estimate(target.name, value, min(low, value), max(high, value), level, method, tuple(notes))
