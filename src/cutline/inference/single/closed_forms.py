"""Intervals by formula, and those of single points of curves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking
from cutline.core.validation import counted
from cutline.inference import delong, effective_size, influence
from cutline.inference.caveats import (
    BELOW,
    CUT_ANYWHERE,
    CUTS_FAR_APART,
    EQUAL,
    FEW_FOR_DELONG,
    FEW_TRUE_POSITIVES,
    IGNORES_THE_DESIGN,
    INDEPENDENT,
    ON_THE_SAFE_SIDE,
    SEARCHED,
    few_cases,
    finished,
)
from cutline.inference.effective_size import effective
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import proportions, separation, survey_intervals
from cutline.inference.single.bands import tpr_at
from cutline.inference.single.bootstrap import caveats_of, design_notes, few_decisions
from cutline.inference.single.estimand import Estimand
from cutline.measures import MEASURES
from cutline.measures.kinds import CurvePoint, MeanOfCases, Ratio, StandardError
from cutline.results.caveat import Caveat
from cutline.results.estimate import Estimate, Limits, quantile, student_quantile

FEW_BEYOND = 3.7  # cases to be expected beyond the cut: with fewer, in more than 2.5 % of samples there is none
_NOTICEABLY = 0.15  # by which an interval is wider than another
_TIED = 0.2  # of the cases of a class, at one score
_RECALLS = 400  # at which the precision is compared with the one that is asked for


class _Points(NamedTuple):
    """Some points of a curve, with the limits of each."""

    value: Array
    low: Array
    high: Array


def curve_point_limits(estimand: Estimand, level: float) -> tuple[Limits, list[str]]:
    """The limits of a measure that is one point of a curve, and what qualifies them."""
    kind, r = estimand.kind, estimand.ranking
    assert isinstance(kind, CurvePoint)  # noqa: S101
    defaults = MEASURES[estimand.measure_name].defaults
    given = np.array([float(estimand.parameters.get(kind.given, defaults[kind.given]))])
    if kind.is_searched:
        return _recall(r, float(given[0]), level), [SEARCHED]
    if kind.height == "precision":
        given = np.append(given, _other_cuts(r, float(given[0]), level))
    found = {"recall": _recalls, "specificity": _specificities, "precision": _precisions}[kind.height](r, given, level)
    of_positives = kind.given == "recall"
    beyond = float(effective(r)[0 if of_positives else 1]) * (1 - float(given[0]))
    return Limits(float(found.low.min()), float(found.high.max())), _why_wide(r, kind, found, beyond)


def _why_wide(r: Ranking, kind: CurvePoint, found: _Points, beyond: float) -> list[str]:
    """What makes such an interval hold the truth more often than it says, if anything does.

    Args:
        r: The ranking.
        kind: Which point of the curve it is.
        found: The point, and the same at the other cuts that may be meant.
        beyond: How many cases are to be expected beyond the cut.
    """
    if beyond < FEW_BEYOND:
        return [CUT_ANYWHERE]
    other = float(effective(r)[0 if kind.height == "recall" else 1])  # cases of the class that the height is a share of
    width = float(found.high[0] - found.low[0])
    if len(found.low) > 1 and float(found.high.max() - found.low.min()) > (1 + _NOTICEABLY) * width:
        return [CUTS_FAR_APART]
    value = float(found.value[0])
    tied = max(float(cells.max() / cells.sum()) for cells in (r.pos, r.neg))
    if kind.height != "precision" and tied > _TIED:
        return [CUTS_FAR_APART]
    return [ON_THE_SAFE_SIDE] if min(value, 1 - value) * other < 1 else []


def _other_cuts(r: Ranking, recall: float, level: float) -> list[float]:
    """The recalls of the cuts that may be the one that just reaches a recall: ties may put them far apart.

    These are the best cut that reaches it in the sample, the last one that does not but may in truth, and the one after
    the first that does, if that may not in truth.
    """
    positives, n = float(effective(r).positives), len(r.tpr)
    first = int(np.argmax(r.tpr >= recall))
    found = [_best_cut(r, recall)]
    for cut, other in ((first - 1, first - 1), (first, first + 1)):
        if 0 < other < n:
            low, high = proportions.wilson(float(r.tpr[cut]) * positives, positives, level)
            if low <= recall <= high:
                found.append(other)
    return [float(r.tpr[cut]) for cut in found]


def _best_cut(r: Ranking, recall: float) -> int:
    """The cut with the best precision among those that reach a recall."""
    return int(np.argmax(np.where(r.tpr >= recall, r.precision, -1.0)))


def _recalls(r: Ranking, specificity: Array, level: float) -> _Points:
    return _heights(r, 1 - specificity, level)


def _specificities(r: Ranking, recall: Array, level: float) -> _Points:
    return _heights(r.swapped(), 1 - recall, level)


def _heights(r: Ranking, fpr: Array, level: float) -> _Points:
    """The heights of a ROC curve: the cut is where the negatives put it, the height what the positives say.

    Where so few negatives are expected on one side of the cut that there may well be none, it may lie anywhere there.
    """
    positives, negatives = (float(size) for size in effective(r))
    tail = (1 - level) / 2
    left, right = proportions.wilson(fpr * negatives, negatives, level)
    value = tpr_at(r, fpr)
    low, high = proportions.wilson(value * positives, positives, level)
    leftmost = np.where((1 - fpr) ** negatives > tail, 0.0, tpr_at(r, left))
    rightmost = np.where(fpr**negatives > tail, 1.0, tpr_at(r, right))
    below, above = np.hypot(value - low, value - leftmost), np.hypot(high - value, rightmost - value)
    return _Points(value, value - below, value + above)


def _precisions(r: Ranking, recall: Array, level: float) -> _Points:
    """The precision at some recalls follows from the specificity there and from the prevalence."""
    there, size = _specificities(r, recall, level), float(sum(effective(r)))
    share = float(r.positives / r.total)
    few, many = (float(limit) for limit in proportions.wilson(share * size, size, level))

    def precision(prevalence: float, specificity: Array) -> Array:
        hits, alarms = prevalence * recall, (1 - prevalence) * (1 - np.clip(specificity, 0, 1))
        return hits / np.maximum(hits + alarms, np.finfo(float).tiny)

    value = precision(share, there.value)
    below = np.hypot(value - precision(share, there.low), value - precision(few, there.value))
    above = np.hypot(precision(share, there.high) - value, precision(many, there.value) - value)
    return _Points(value, value - below, value + above)


def _recall(r: Ranking, precision: float, level: float) -> Limits:
    """The recalls up to which the precision may be as high as is asked for, and up to which it surely is."""
    recall = np.linspace(0, 1, _RECALLS + 1)[1:]
    found = _precisions(r, recall, level)
    return Limits(*(_last(recall, reached >= precision) for reached in (found.low, found.high)))


def _last(recall: Array, is_reached: Array) -> float:
    return float(recall[np.flatnonzero(is_reached)[-1]]) if is_reached.any() else 0.0


FEW_FOR_PROPORTIONS = 5
FEW_FOUND = 2.5  # true positives of a cut
FEWEST_FREE = 12.0  # degrees of freedom of DeLong's variance: with fewer, Newcombe's limits are the wider ones
FEW_ON_A_SIDE = 1.2  # cases of the smaller class on the wrong side, in effect
FEW_FOR_A_LINE = 30  # cases of a class
FEW_WEIGHTED = 15  # ... that its weights are worth
NOTICEABLY = 0.05  # by which an interval is wider than another
_NO_SLOPE = (
    "The infinitesimal jackknife needs a measure that changes smoothly with the order of the cases, and "
    f"{influence.FEW_FOR_THE_ORDER} cases of each class: use the bootstrap instead."
)


def closed(estimand: Estimand, method: str, level: float, groups: GroupSampler | None = None) -> Estimate:
    """The estimate by a method that needs no resampling; without an interval where the measure is undefined."""
    if math.isnan(estimand.value):
        return Estimate(estimand.name, math.nan, math.nan, math.nan, level, method, (f"undefined: {estimand.reason}",))
    by_design = groups is not None and method == "linearised"
    notes = design_notes(groups, "counted") if by_design else effective_size.notes(estimand.ranking)  # type: ignore[arg-type]
    notes += caveats_of(estimand) if method != "delta" else estimand.bins
    if groups is not None and not by_design:
        notes.append(IGNORES_THE_DESIGN if groups.are_single else INDEPENDENT)
    if isinstance(estimand.kind, StandardError):
        limits, found = _standard_error(estimand, method, level)
    elif method == "linearised":
        limits, found = survey_intervals.limits(estimand, level, groups)
        if not estimand.ranking.integral:
            found = [*found, *few_cases(estimand.ranking, FEW_WEIGHTED)]
    elif isinstance(estimand.kind, CurvePoint) and method == "mover":
        limits, found = curve_point_limits(estimand, level)
    elif method == "wilson" and proportions.has_wilson_limits(estimand):
        limits, found = proportions.wilson_limits(estimand, level), []
    elif method == "mover" and estimand.by_quota:
        limits, found = separation.at_quota(estimand, level)
    elif method == "mover" and isinstance(estimand.kind, Ratio) and not estimand.kind.odds:
        limits, found = _ratio(estimand, level), _few_true_positives(estimand)
    elif method == "mover":
        limits, found = proportions.mover_limits(estimand, level), _few_true_positives(estimand)
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


def area_of(r: Ranking) -> float:
    """The AUC."""
    return float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every))


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
        notes.append(Caveat("few-cases", f"It is a share of only {n:.3g} cases."))
    return Limits(*(kind.then(limit) for limit in proportions.METHODS[method](k, n, level))), notes


def _sum_of_rates(estimand: Estimand, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    c = estimand.counts_in_effect
    among = (c.flagged, c.unflagged) if kind.of_flags else (c.positives, c.negatives)
    limits = proportions.square_and_add((c.tp, among[0]), (c.tn, among[1]), level)
    return Limits(*sorted(kind.intercept + kind.slope * float(limit) for limit in limits)), []


def _ratio(estimand: Estimand, level: float) -> Limits:
    """A ratio of shares of the two classes from the limits of both."""
    kind: Any = estimand.kind
    counts = estimand.counts_in_effect
    a, b, c, d = (float(getattr(counts, name)) for name in (*kind.above, *kind.below))
    if not (a + b and c + d):
        return Limits(math.nan, math.nan)
    return Limits(*(float(limit) for limit in proportions.of_shares(a, b, c, d, level)))


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
    if kind.odds:
        notes += _few_true_positives(estimand)
    low, high = (proportions.log_odds if kind.odds else proportions.log_shares)(a, b, c, d, level)
    value = estimand.value
    return Limits(0.0 if value == 0 else low, math.inf if math.isinf(value) else high), notes


def _few_true_positives(estimand: Estimand) -> list[str]:
    """That a cut has hardly any true positive, if it has not: intervals from several shares are then wide."""
    found = float(estimand.counts_in_effect.tp)
    return [FEW_TRUE_POSITIVES.about(counted(round(found), "true positive"))] if found < FEW_FOUND else []


def _standard_error(estimand: Estimand, method: str, level: float) -> tuple[Limits, list[str]]:
    kind: Any = estimand.kind
    variance = float(kind.methods[method](estimand.ranking, **estimand.parameters))
    if not math.isfinite(variance) or not math.isfinite(estimand.value) or (kind.scale == "log" and not estimand.value):
        return Limits(math.nan, math.nan), ["These data do not tell the standard error: there is no interval."]
    if kind.scale == "identity":
        # With few cases of a class the sandwich is too small: Student's quantile allows for that.
        free = (
            max(float(min(effective_size.effective(estimand.ranking))) - 1, 1.0) if method == kind.robust else math.inf
        )
        half = student_quantile(level, free) * math.sqrt(variance)
        return Limits(estimand.value - half, estimand.value + half), _too_narrow(estimand, method, variance)
    low, high = influence.normal(math.log(estimand.value), variance, level)
    return Limits(math.exp(low), math.exp(high)), []


def _too_narrow(estimand: Estimand, method: str, variance: float) -> list[str]:
    """What makes an interval by a standard error too narrow: few cases, or that more is supposed than holds."""
    kind: Any = estimand.kind
    if not kind.robust:
        return []
    notes: list[str] = []
    if method == kind.robust and min(effective_size.effective(estimand.ranking)) < FEW_FOR_A_LINE:
        notes += few_cases(estimand.ranking, FEW_FOR_A_LINE)
    wider = math.sqrt(float(kind.methods[kind.robust](estimand.ranking, **estimand.parameters)) / variance) - 1
    if method != kind.robust and wider > NOTICEABLY:
        told = f"Assumes that the calibration line is true; the method {kind.robust!r} does not, and is"
        notes.append(Caveat("assumes-the-line", f"{told} {100 * wider:.0f} % wider: {BELOW}.", "below"))
    return notes


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
        few_decisions(estimand)
        if variance > EQUAL**2
        else ["The standard error is 0, so it cannot tell how uncertain the value is."]
    )
    return influence.normal(estimand.value, variance, level), notes


def _auc(estimand: Estimand, method: str, level: float) -> tuple[str, Limits, list[str]]:
    """DeLong for the AUC, or what stands in for it, and then the line to the measure."""
    r, kind, notes = estimand.ranking, estimand.kind, []
    slope, intercept = (float(x) for x in kind.of(r, **estimand.parameters))  # type: ignore[union-attr,arg-type]
    area, size = area_of(r), effective_size.effective(r)
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
        freedom = max(float(np.nan_to_num(delong.freedom(r))), FEWEST_FREE)
        stretch = student_quantile(level, freedom) / quantile(level)
        wrong = min(sizes) * min(area, 1 - area)
        notes += [ON_THE_SAFE_SIDE] if min(sizes) >= FEW_FOR_DELONG and 0 < wrong < FEW_ON_A_SIDE else []
        limits = delong.newcombe_delong(area, float(np.nan_to_num(delong.variance(r))) * stretch**2, *sizes, level)
        errors = delong.size_of_few_errors(r, area)
        if errors is not None:
            share = proportions.wilson(area * errors, errors, level)
            limits = Limits(min(limits.low, share.low), max(limits.high, share.high))
    elif method == "newcombe":
        limits = delong.newcombe(area, float(size.positives), float(size.negatives), level)
    else:
        limits = (delong.delong if method == "delong" else delong.delong_logit)(area, variance, level)
        notes += few_cases(r, FEW_FOR_DELONG)
    line = Limits(*(intercept + slope * limit for limit in limits))
    return method, survey_intervals.with_prevalence(estimand, line, level, float(sum(size))), notes
