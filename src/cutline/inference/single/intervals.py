"""From a measure to its estimate: which method by rule, and the limits that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import check_text
from cutline.inference import effective_size
from cutline.inference.caveats import FEW_FOR_DELONG, PLENTY, PLENTY_IN_A_CELL
from cutline.inference.corrected import LEVEL, Corrected
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import proportions, survey_intervals
from cutline.inference.single.binned_intervals import widened
from cutline.inference.single.bootstrap import RESAMPLING, resampled
from cutline.inference.single.calibration_error import METHOD as INVERSION
from cutline.inference.single.calibration_error import corrected_errors, inverted
from cutline.inference.single.closed_forms import area_of, closed
from cutline.inference.single.estimand import Estimand
from cutline.inference.single.interval_options import Options, checked
from cutline.inference.single.separation import few_at_quota
from cutline.inference.single.smoothed_bootstrap import METHOD as SMOOTHED
from cutline.inference.single.smoothed_bootstrap import corrected_best, smoothed
from cutline.measures.kinds import (
    BestOfCuts,
    CalibrationError,
    CurvePoint,
    Kind,
    LineOfAuc,
    MeanOfCases,
    Proportion,
    Ratio,
    StandardError,
    SumOfRates,
)
from cutline.results.estimate import Estimate

__all__ = ["SIMULATED", "Options", "by_formula", "checked", "choose", "correct_bias", "default", "estimates", "methods"]

SIMULATED = (INVERSION, SMOOTHED)  # limits from simulated data
FEW_OUT_OF_ORDER = 5  # cases of the smaller class that stand on the wrong side, in effect


def methods(estimand: Estimand) -> tuple[str, ...]:
    """The methods that apply to a measure; the formulas for one cut only where a threshold makes it."""
    kind, own, smooth = estimand.kind, tuple[str, ...](), isinstance(estimand.kind, MeanOfCases)
    if isinstance(kind, LineOfAuc):
        own = ("newcombe_delong", "delong_logit", "delong", "newcombe", "linearised")
    elif isinstance(kind, StandardError):
        own = tuple(kind.methods)
    elif _is_inverted(estimand):
        own = (INVERSION,)
    elif _is_smoothed(estimand):
        own = (SMOOTHED,)
    elif proportions.has_wilson_limits(estimand):
        own = ("wilson",)
    elif isinstance(kind, CurvePoint):
        own = ("mover",)
    elif estimand.is_of_one_cut:
        others = _of_one_cut(kind)
        own = (*(tuple(proportions.METHODS) if isinstance(kind, Proportion) else others), "linearised")
    smooth = smooth or (estimand.of_counts is not None and not estimand.by_quota)
    drawn = RESAMPLING if _is_best_of_all_cuts(estimand) else RESAMPLING[:3]
    return (*own, *drawn, *(("influence",) if smooth or estimand.is_of_order else ()))


def _of_one_cut(kind: Kind) -> tuple[str, ...]:
    """The formulas for a measure of one cut that is no share, the default first."""
    if isinstance(kind, Ratio):
        return ("log", "mover") if kind.odds else ("mover", "log")
    return ("square_and_add", "mover") if isinstance(kind, SumOfRates) else ("mover",)


def default(estimand: Estimand, groups: GroupSampler | None = None) -> str:
    """The method for a measure, from what it is and from what the coverage study found (docs/coverage.md)."""
    kind = estimand.kind
    if _is_inverted(estimand):
        return INVERSION
    if groups is not None:
        if _is_best_of_all_cuts(estimand):
            return "bias_corrected"
        return "linearised" if survey_intervals.is_closed(estimand) else "bootstrap" if estimand.by_quota else "student"
    if isinstance(kind, LineOfAuc):
        return "newcombe_delong" if _has_few_pairs_out_of_order(estimand.ranking) else "delong_logit"
    if isinstance(kind, StandardError):
        return next(iter(kind.methods))
    if estimand.is_of_one_cut:
        if not estimand.ranking.integral:
            return "linearised"
        return _wilson(estimand) if isinstance(kind, Proportion) else _of_one_cut(kind)[0]
    if isinstance(kind, CurvePoint):
        return "mover"
    if proportions.has_wilson_limits(estimand):
        return "wilson"
    if _is_plentiful(estimand):
        return "influence"
    if _is_best_of_all_cuts(estimand):
        return SMOOTHED if _is_smoothed(estimand) else "bias_corrected"
    if few_at_quota(estimand):
        return "mover"
    if estimand.by_quota:  # a quota makes it jump, so that resamples are not about normal
        return "bootstrap"
    return "bca" if estimand.needs is None else "student"  # nobody knows the range of a function of the user's


def _wilson(estimand: Estimand) -> str:
    """Return Wilson's method, by the name of the modified one where that differs: few cases of a kind."""
    k, n = (float(x) for x in estimand.kind.of(estimand.counts))  # type: ignore[union-attr]
    return "wilson_modified" if proportions.is_modified(k, n) else "wilson"


def _is_best_of_all_cuts(estimand: Estimand) -> bool:
    return isinstance(estimand.kind, BestOfCuts)


def _is_smoothed(estimand: Estimand) -> bool:
    """Whether it is the best over all cuts of whole cases of both classes, which can be smoothed."""
    return _is_best_of_all_cuts(estimand) and estimand.ranking.integral and _has_both_classes(estimand.ranking)


def _is_inverted(estimand: Estimand) -> bool:
    """Whether it is a calibration error of cases of both classes, whose outcomes can be simulated."""
    return isinstance(estimand.kind, CalibrationError) and _has_both_classes(estimand.ranking)


def _has_both_classes(r: Ranking) -> bool:
    return bool(r.positives > 0 and r.negatives > 0)


def _has_few_pairs_out_of_order(r: Ranking) -> bool:
    """Whether DeLong's interval is too narrow: few cases of a class, or hardly any of them on the wrong side."""
    fewest, area = float(min(effective_size.effective(r))), area_of(r)
    return fewest < FEW_FOR_DELONG or fewest * min(area, 1 - area) < FEW_OUT_OF_ORDER


def _is_plentiful(estimand: Estimand) -> bool:
    """Whether a smooth measure has so many cases that its estimate is normal; resamples would only add noise."""
    if (
        "influence" not in methods(estimand)
        or not math.isfinite(estimand.value)
        or min(effective_size.effective(estimand.ranking)) < PLENTY
    ):
        return False
    if estimand.of_counts is not None:
        counts = estimand.counts_in_effect
        if min(float(count) for count in (counts.tp, counts.fp, counts.fn, counts.tn)) < PLENTY_IN_A_CELL:
            return False
    return not estimand.is_of_order or estimand.influence is not None


def choose(estimand: Estimand, method: str, groups: GroupSampler | None = None) -> str:
    """The method to use: the default by rule, or the one asked for if it applies."""
    check_text(method, "method", "auto")
    if method == "auto":
        return default(estimand, groups)
    apply = methods(estimand)
    if method not in apply and not (method == "linearised" and survey_intervals.applies(estimand)):
        raise ParameterError(
            f"{method!r} does not apply to {estimand.name}", f"pass {', '.join(map(repr, apply))} or 'auto'"
        )
    return method


def estimates(estimands: Sequence[Estimand], options: Options, groups: GroupSampler | None = None) -> list[Estimate]:
    """The estimates of some measures of one ranking, all that are resampled on the same resamples."""
    options = checked(options)
    chosen = [choose(estimand, options.method, groups) for estimand in estimands]
    drawn = [i for i, estimand in enumerate(estimands) if chosen[i] in RESAMPLING and not math.isnan(estimand.value)]
    found = resampled([estimands[i] for i in drawn], [chosen[i] for i in drawn], options, groups)
    by_index = dict(zip(drawn, found, strict=True))
    tested = [i for i, estimand in enumerate(estimands) if chosen[i] == INVERSION and math.isfinite(estimand.value)]
    by_index |= zip(tested, inverted([estimands[i] for i in tested], options, groups), strict=True)
    known = [i for i, estimand in enumerate(estimands) if chosen[i] == SMOOTHED and math.isfinite(estimand.value)]
    by_index |= zip(known, smoothed([estimands[i] for i in known], options), strict=True)
    made = [
        by_index[i] if i in by_index else closed(estimand, method, options.level, groups)
        for i, (estimand, method) in enumerate(zip(estimands, chosen, strict=True))
    ]
    return [widened(one, estimand.open_to, estimand.range) for one, estimand in zip(made, estimands, strict=True)]


def correct_bias(estimand: Estimand, options: Options, groups: GroupSampler | None = None) -> Corrected:
    """Return a calibration error, or a best over all cuts, without what chance added to it.

    Args:
        estimand: What is estimated.
        options: The number of resamples and their seed.
        groups: How the cases were sampled, if they come in groups.
    """
    if _is_inverted(estimand):
        return corrected_errors([estimand], options, groups)[0]
    if groups is None and _is_smoothed(estimand):
        return corrected_best([estimand], options)[0]
    (found,) = estimates([estimand], options._replace(level=LEVEL), groups)
    return Corrected.of(estimand.value, found.low, found.high)


def by_formula(estimand: Estimand, level: float, groups: GroupSampler | None = None) -> Estimate | None:
    """The estimate by the default method; None when that is resampling, or simulation."""
    method = choose(estimand, "auto", groups)
    return None if method in (*RESAMPLING, *SIMULATED) else closed(estimand, method, level, groups)
