"""Intervals of measures of the counts of one cut: shares (Wilson), ratios, and functions of three shares (MOVER)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, as_number, choose
from cutline.core.counts import Counts, divide
from cutline.core.ranking import Ranking
from cutline.inference import constants, influence
from cutline.inference.caveats import note_effective_cases
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import proportions, reference
from cutline.inference.single.estimand import Estimand
from cutline.inference.single.proportions import ShareLimits, modified_of_counts, wilson, wilson_modified
from cutline.inference.single.separation import compute_with_errors
from cutline.inference.single.smooth import NO_LIMITS, normal_limits
from cutline.inference.survey import linearise
from cutline.measures import Needs
from cutline.measures.forms import FunctionOfPrevalence, Proportion, Ratio, SumOfRates
from cutline.results.estimate import Interval, Limits, quantile

# ---------------------------------------------------------------------- shares, sums and ratios


def wilson_limits(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits of a share, modified where 1 to 3 cases have the property, or lack it."""
    form, (k, n) = estimand.form_as(Proportion), _count_share(estimand)
    limits = Limits(*map(form.then, wilson_modified(k, n, level)))
    by = "" if proportions.is_modified(k, n) else "wilson"
    return Interval(limits, note_effective_cases(estimand.freedom_at_cut), by)


def share_limits(estimand: Estimand, level: float, *, formula: ShareLimits) -> Interval:
    """Return the limits of a share by a formula of how many cases out of how many.

    Args:
        estimand: A share at a threshold.
        level: The level of the interval.
        formula: The limits of k out of n at a level.
    """
    form = estimand.form_as(Proportion)
    k, n = _count_share(estimand)
    notes = []
    if formula is reference.wald and not reference.wald_holds(k, n):
        notes.append(
            f"The Wald interval is not valid here: n p = {k:.4g} and n (1 - p) = {n - k:.4g} must both exceed 5."
        )
    return Interval(Limits(*map(form.then, formula(k, n, level))), notes)


def _count_share(estimand: Estimand) -> tuple[float, float]:
    """Return numerator and denominator of a share, as effective numbers of cases."""
    form = estimand.form_as(Proportion)
    k, n = map(float, form.of(estimand.counts))
    if estimand.ranking.integral:
        return k, n
    scale = divide(n, float(form.of(estimand.squared_counts)[1]))
    return k * scale, n * scale


def square_and_add_limits(estimand: Estimand, level: float) -> Interval:
    """Return Newcombe's limits of a slope times the sum of two independent shares plus an intercept."""
    limits = compute_sum_limits(estimand.form_as(SumOfRates), estimand.effective_counts, level)
    return Interval(Limits(*map(float, limits)), note_effective_cases(estimand.freedom_at_cut))


def compute_sum_limits(form: SumOfRates, c: Counts, level: float, limits: ShareLimits = wilson_modified) -> Limits:
    """Return the limits of `square_and_add_limits`; it can be traced.

    Args:
        form: Which shares are added, with the slope and the intercept.
        c: The counts of the cut.
        level: The level of the interval.
        limits: Those of one share.
    """
    among = (c.flagged, c.unflagged) if form.of_flags else (c.positives, c.negatives)
    sum_limits = proportions.square_and_add((c.tp, among[0]), (c.tn, among[1]), level, limits)
    end, other_end = (form.intercept + form.slope * limit for limit in sum_limits)
    return Limits(np.minimum(end, other_end), np.maximum(end, other_end))


def mover_ratio_limits(estimand: Estimand, level: float) -> Interval:
    """Return MOVER's limits of a ratio of shares of the two classes."""
    a, b, c, d = _get_ratio_cells(estimand)
    if not (a + b and c + d):
        return Interval(NO_LIMITS)
    limits = Limits(*(float(limit) for limit in proportions.mover_ratio(a, b, c, d, level)))
    return Interval(limits, note_effective_cases(estimand.freedom_at_cut))


def log_ratio_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a ratio of shares, or of odds, on the log scale; a half is added to counts with a 0."""
    form = estimand.form_as(Ratio)
    a, b, c, d = _get_ratio_cells(estimand)
    notes = []
    if min(a, b, c, d) == 0:
        a, b, c, d = (count + 0.5 for count in (a, b, c, d))
        notes.append("One of the four counts is 0: a half was added to each for the limits (Haldane, Anscombe).")
    low, high = (proportions.woolf if form.odds else proportions.katz)(a, b, c, d, level)
    value = estimand.value
    limits = Limits(0.0 if value == 0 else low, math.inf if math.isinf(value) else high)
    return Interval(limits, notes + note_effective_cases(estimand.freedom_at_cut))


def _get_ratio_cells(estimand: Estimand) -> tuple[float, ...]:
    form = estimand.form_as(Ratio)
    counts = estimand.effective_counts
    return tuple(float(getattr(counts, name)) for name in (*form.above, *form.below))


_PLACES = 401  # at which a function of the prevalence is looked at between its limits


def prevalence_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a function of the prevalence, which has Wilson's."""
    form = estimand.form_as(FunctionOfPrevalence)
    r, size = estimand.ranking, float(sum(compute_effective_sizes(estimand.ranking)))
    share = float(r.positives / r.total)
    low, high = wilson(share * size, size, level)
    even = np.clip([share, 0.5], low, high)  # such functions are symmetric: their top is exact
    there = form.of(np.append(np.linspace(float(low), float(high), _PLACES), even), **estimand.parameters)
    return Interval(Limits(float(np.min(there)), float(np.max(there))))


# ---------------------------------------------------------------------- functions of three shares


def mover_limits_of_cut(estimand: Estimand, level: float) -> Interval:
    """Return MOVER's limits of a function of prevalence, recall and false positive rate.

    With groups or weights each share has the cases that its linearised variance is worth.
    """
    freedom = estimand.freedom_at_cut
    if estimand.design is not None:
        freedom = min(freedom, *estimand.design.freedom_of_classes)
    return Interval(mover_limits(estimand, level), note_effective_cases(freedom))


class _ThreeShares(NamedTuple):
    """Prevalence, recall and false positive rate: values, counts of cases, and correlations.

    `correlation` is None where they are independent, as they are in a plain sample.
    """

    values: tuple[Any, ...]
    cases: tuple[Any, ...]
    sizes: tuple[Any, ...]
    correlation: Array | None = None

    def reach(self, level: float, limits: ShareLimits = wilson_modified) -> list[Limits]:
        """Return the limits of each; a class without cases has no share, and nothing that could move."""

        def of_share(p: Any, k: Any, n: Any) -> Limits:
            ends: Limits = choose(n > 0, lambda: limits(k, n, level), lambda: Limits(p, p))
            return ends

        return [of_share(*share) for share in zip(self.values, self.cases, self.sizes, strict=True)]

    def reach_of_numbers(self, level: float) -> list[Limits]:
        """Return the same of numbers, all three at once."""
        p, k, n = (np.array(part, dtype=float) for part in (self.values, self.cases, self.sizes))
        with np.errstate(invalid="ignore", divide="ignore"):
            ends = wilson_modified(k, n, level)
        low, high = (np.where(n > 0, end, p).tolist() for end in ends)
        return [Limits(*limits) for limits in zip(low, high, strict=True)]


class _MovedCut(NamedTuple):
    """The tables of a cut with each of its three shares at a limit in turn, and the other inputs of MOVER."""

    tables: Counts
    may_tell_nothing: Any
    correlation: Array | None


def mover_limits(estimand: Estimand, level: float) -> Limits:
    """Return the limits of a measure of one cut that a threshold names."""
    r, counts, design = estimand.ranking, estimand.counts, estimand.design
    # All measures of the cut look at the same tables.
    moved = r.cached(("moved cut", counts.threshold, level, design), lambda: _move_cut(r, counts, level, design))
    there = np.broadcast_to(estimand.of_counts(moved.tables), _PLACES_OF_A_CUT)  # type: ignore[misc]
    limits = combine_moves(estimand.value, list(there), moved.may_tell_nothing, moved.correlation)
    return Limits(*map(float, limits))


_PLACES_OF_A_CUT = 7  # three shares, each at both of its limits, and the cut that tells nothing


def _move_cut(r: Ranking, counts: Counts, level: float, design: GroupSampler | None) -> _MovedCut:
    shares = _compute_shares(r, counts, level, design)
    reach = shares.reach_of_numbers(level)
    at = np.array(_move_each_share(shares.values, reach, float(divide(counts.flagged, counts.total))))
    cells = dict(zip(("tp", "fp", "fn", "tn"), _make_cells(at.T, float(r.total)), strict=True))
    return _MovedCut(replace(counts, **cells), _may_tell_nothing(shares.values, reach), shares.correlation)


def move_shares(c: Counts, level: float) -> tuple[list[tuple[Any, ...]], Any]:
    """Return the tables that `mover_limits` needs, and whether the cut may have no skill; it can be traced.

    Args:
        c: The counts of a cut, whole numbers.
        level: The level of the interval.
    """
    shares = _compute_plain_shares(c)
    reach = shares.reach(level, modified_of_counts)
    places = _move_each_share(shares.values, reach, divide(c.flagged, c.total))
    return [_make_cells(place, c.total) for place in places], _may_tell_nothing(shares.values, reach)


def combine_moves(value: Any, there: list[Any], may_tell_nothing: Any, correlation: Array | None = None) -> Limits:
    """Return MOVER's limits of a measure, given its values at the moved tables; it can be traced.

    Args:
        value: The measure.
        there: Its values where one share is at its lower limit, in turn, then at its upper one, and last at a cut that
            tells nothing.
        may_tell_nothing: Whether the cut may be such.
        correlation: That of the three shares; None where they are independent.
    """

    def from_infinity() -> Limits:  # the nearest to a finite value that one share alone can bring it
        least = most = value
        for end in there:
            least, most = np.fmin(least, end), np.fmax(most, end)
        return Limits(least, most)

    def from_value() -> Limits:
        moves = [np.where(np.isnan(end - value), 0.0, end - value) for end in there[:6]]
        low, high = (_add_squared_moves(value, side, moves[:3], moves[3:], correlation) for side in (-1, 1))
        is_inside = np.logical_and(may_tell_nothing, np.logical_not(np.isnan(there[6])))
        return Limits(
            np.where(is_inside, np.minimum(low, there[6]), low), np.where(is_inside, np.maximum(high, there[6]), high)
        )

    with np.errstate(invalid="ignore"):
        limits: Limits = choose(np.isinf(value), from_infinity, from_value)
    return limits


def _move_each_share(values: Any, reach: list[Limits], flagged: Any) -> list[list[Any]]:
    """Return the three shares with each in turn at its lower, then at its upper limit, and last without skill."""
    places = [
        [reach[j][side] if j == i else value for j, value in enumerate(values)] for side in (0, 1) for i in range(3)
    ]
    return [*places, [values[0], flagged, flagged]]


def _make_cells(shares: Any, total: Any) -> tuple[Any, ...]:
    """Return the counts tp, fp, fn and tn of given shares."""
    prevalence, recall, fpr = shares
    pos, neg = total * prevalence, total * (1 - prevalence)
    return pos * recall, neg * fpr, pos * (1 - recall), neg * (1 - fpr)


def _may_tell_nothing(values: Any, reach: list[Limits]) -> Any:
    """Whether recall and false positive rate may be equal: Newcombe's interval of their difference holds 0."""
    (low_tpr, high_tpr), (low_fpr, high_fpr) = reach[1:]
    _, tpr, fpr = values
    below, above = np.hypot(tpr - low_tpr, high_fpr - fpr), np.hypot(high_tpr - tpr, fpr - low_fpr)
    return np.logical_and(tpr - fpr - below <= 0, tpr - fpr + above >= 0)


def _add_squared_moves(value: Any, side: int, down: list[Any], up: list[Any], correlation: Array | None) -> Any:
    """Add the root of the squared moves to one side, each share moved the way that goes there."""
    far = [
        np.maximum(np.maximum(side * down_move, side * up_move), 0.0)
        for down_move, up_move in zip(down, up, strict=True)
    ]
    if correlation is None or np.isinf(far).any():
        squared = far[0] ** 2 + far[1] ** 2 + far[2] ** 2
    else:
        way = [-1.0 if side * down_move > side * up_move else 1.0 for down_move, up_move in zip(down, up, strict=True)]
        step = np.array(way) * np.array(far)
        squared = np.maximum(step @ correlation @ step, 0.0)
    return value + side * np.sqrt(squared)


def _compute_plain_shares(c: Counts) -> _ThreeShares:
    """Return the three shares of whole cases, which are independent."""
    pos, neg = as_number(c.positives), as_number(c.negatives)
    cases, sizes = (pos, as_number(c.tp), as_number(c.fp)), (pos + neg, pos, neg)
    values = tuple(np.where(n > 0, divide(k, n), 0.0)[()] for k, n in zip(cases, sizes, strict=True))
    return _ThreeShares(values, cases, sizes)


def _compute_shares(r: Ranking, c: Counts, level: float, design: GroupSampler | None) -> _ThreeShares:
    plain = _compute_plain_shares(c)
    if r.integral and design is None:
        return plain
    values = np.array(plain.values, dtype=float)
    known = linearise(_differentiate_shares(r, c, values), r, design)
    variance, spread = np.diag(known.covariance), values * (1 - values)
    kish = compute_effective_sizes(r)
    whole = np.nan_to_num([float(sum(kish)), float(kish.positives), float(kish.negatives)], nan=1.0)
    if design is not None:
        whole = np.minimum(whole, design.groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.where((variance > 0) & (spread > 0), spread / variance, whole)
        correlation = known.covariance / np.sqrt(np.outer(variance, variance))
    correlation = np.where(np.isfinite(correlation), correlation, np.eye(3))
    reach = np.array([known.quantile(level, share) for share in range(3)])
    sizes = sizes * (quantile(level) / reach) ** 2
    return _ThreeShares(tuple(values), tuple(values * sizes), tuple(sizes), correlation)


def _differentiate_shares(r: Ranking, c: Counts, values: Array) -> list[Influence]:
    """Return the influence of one case on the three shares: flagged and not, of both classes."""
    prevalence, recall, fpr = values
    pos, neg = float(c.positives) or math.inf, float(c.negatives) or math.inf
    total, none = float(c.positives) + float(c.negatives), np.zeros(2)
    entry = (np.arange(len(r)) >= r.cut(float(c.threshold))).astype(np.int8)
    return [
        Influence(np.full(2, (1 - prevalence) / total), np.full(2, -prevalence / total), entry),
        Influence(np.array([1 - recall, -recall]) / pos, none, entry),
        Influence(none, np.array([1 - fpr, -fpr]) / neg, entry),
    ]


def influence_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure of one cut, from what single cases change in it."""
    variance = influence.compute_variance_of_cut(estimand.of_counts, estimand.counts, estimand.squared_counts)  # type: ignore[arg-type]
    interval = normal_limits(estimand, variance, level)
    return interval._replace(notes=[*interval.notes, *note_effective_cases(estimand.freedom_at_cut)])


# ---------------------------------------------------------------------- weights, groups and strata, by linearisation


def compute_effective_share(
    influence: Influence, p: float, whole: float, estimand: Estimand, level: float
) -> tuple[float, float]:
    """Return the effective sample size of a share, and the variance of the share, by linearisation.

    Args:
        influence: The influence function of the share.
        p: The share.
        whole: The sample size where the share is 0 or 1, and has no variance.
        estimand: The measure that depends on it, with the sample.
        level: The level of the interval; with few groups its quantile is Student's.
    """
    known = linearise([influence], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0])
    size = p * (1 - p) / variance if variance > 0 and 0 < p < 1 else whole
    return size * (quantile(level) / known.quantile(level)) ** 2, variance


def _differentiate_cut(estimand: Estimand, function: Any) -> Influence:
    counts = estimand.counts
    return influence.differentiate_cut(
        function, counts, estimand.ranking, estimand.ranking.cut(float(counts.threshold))
    )


def linearised_share_limits(estimand: Estimand, level: float) -> Interval:
    """Return Wilson's limits, modified near 0 and 1, with the effective sample size of the linearised variance."""
    form = estimand.form_as(Proportion)

    def share_of(c: Any) -> Any:
        return divide(*form.of(c))

    k, n = (float(x) for x in form.of(estimand.counts))
    design = estimand.design
    whole = n * divide(n, float(form.of(estimand.squared_counts)[1])) if not estimand.ranking.integral else n
    if design is not None:
        whole = min(float(whole), design.groups)
    p, changes = k / n, _differentiate_cut(estimand, share_of)
    size, variance = compute_effective_share(changes, p, float(whole), estimand, level)
    limits = Limits(*(form.then(limit) for limit in wilson_modified(p * size, size, level)))
    if design is None or not variance > 0:
        return Interval(limits, note_effective_cases(2 * size * min(p, 1 - p)))
    rows = float(form.of(design.counts(estimand.counts))[1])  # cases among which the share is taken
    worth = p * (1 - p) / variance
    worded = f"The {rows:.0f} cases of the share are worth {worth:.4g} (design effect {rows / worth:.3g})."
    return Interval(limits, [worded, *note_effective_cases(2 * size * min(p, 1 - p))])


def linearised_ratio_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a ratio on the log scale; of 0 or infinity, those of three shares."""
    if not 0 < estimand.value < math.inf:
        return mover_limits_of_cut(estimand, level)
    known = linearise([_differentiate_cut(estimand, estimand.of_counts)], estimand.ranking, estimand.design)
    variance = float(known.covariance[0, 0]) / estimand.value**2
    with np.errstate(over="ignore"):  # of few groups at a high level, infinity
        factor = float(np.exp(known.quantile(level) * math.sqrt(variance))) if variance >= 0 else math.nan
    return Interval(Limits(estimand.value / factor, estimand.value * factor), note_effective_cases(known.own_freedom()))


# ---------------------------------------------------------------------- a quota

_OF_A_QUOTA = ("hit_rate", "qrecall", "enrichment")


def has_few_at_quota(estimand: Estimand) -> bool:
    """Whether resamples hardly vary: a quota flags hardly any positive or negative, or leaves hardly any positive."""
    measure = estimand.measure
    if measure is None or estimand.quota is None or not estimand.ranking.integral:
        return False
    if measure.needs is not Needs.COUNTS and measure.name not in _OF_A_QUOTA:
        return False
    counts = estimand.ranking.at_quota(estimand.quota)
    if (
        constants.NEAR_THE_POSITIVES
        < float(counts.flagged) / max(float(counts.positives), 1.0)
        < 1 / constants.NEAR_THE_POSITIVES
    ):
        return False  # then the number of positives decides, which resamples vary
    return min(float(counts.tp), float(counts.fp), float(counts.fn)) < constants.FEW_DECISIONS


def quota_limits(estimand: Estimand, level: float) -> Interval:
    """Return the limits of a measure of a quota from two shares, and what qualifies them.

    One is that of the positives among the flagged, the other that among the rest. Where hardly any of the flagged is
    negative, the quota ends among positives, and the rest has whatever it leaves of them: the other share is that among
    all. Where hardly any positive is left, the quota has whatever there are of them: the first share is that among all.
    How far the measure moves when one of them goes to its limit is squared and added.
    """
    counts = estimand.ranking.at_quota(estimand.quota)
    tp, fn, flagged, rest = (float(x) for x in (counts.tp, counts.fn, counts.flagged, counts.unflagged))
    total, fp = flagged + rest, flagged - tp
    first = total if fn < constants.FEW_DECISIONS <= min(tp, fp) else flagged
    ends = [(min(first * float(end), flagged), fn) for end in wilson_modified(tp, first, level)]
    if fp < constants.FEW_DECISIONS:
        shares = proportions.wilson(tp + fn, total, level)
        ends += [(tp, min(max(total * float(end) - tp, 0.0), rest)) for end in shares]
    elif rest:
        ends += [(tp, rest * float(end)) for end in wilson_modified(fn, rest, level)]
    below = above = 0.0
    for hits, missed in ends:
        move = compute_with_errors(estimand, hits, flagged - hits, missed, rest - missed) - estimand.value
        below, above = below + min(move, 0.0) ** 2, above + max(move, 0.0) ** 2
    limits = Limits(estimand.value - np.sqrt(below), estimand.value + np.sqrt(above))
    return Interval(limits, note_effective_cases(2 * min(tp, fp, fn)))
