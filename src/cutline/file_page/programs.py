"""What the page has to know to evaluate a ranking: programs traced from the definitions of measures and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.ranking import Ranking
from cutline.inference import constants, delong, influence
from cutline.inference.caveats import rests_on
from cutline.inference.effective_size import effective
from cutline.inference.influence import JUMPING
from cutline.inference.methods import INFLUENCE, TABLE, Method
from cutline.inference.quantities import quantity_of
from cutline.inference.single import auc, closed_forms, proportions
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.binned_calibration import bin_of
from cutline.measures.kinds import LineOfAuc, MeanOfCases, ShareOfPairs, SmoothOfOrder, StandardError
from cutline.measures.tracing import Expression, Program, Traced, symbolic_ranking, trace_ranking
from cutline.results.estimate import quantile

BINS = 10  # of the reliability diagram


class ClosedForm(NamedTuple):
    """An interval by formula: the name of its method, and of the one that stands in for it.

    `limits` gives the limits, and whether they are those of the method itself; where nothing stands in for it, there
    is no interval otherwise. Limits that are NaN are none.
    """

    limits: Callable[[Ranking, float], tuple[Any, Any, Any]]
    method: str
    stand_in: str = ""


def ranking_measures() -> tuple[list[Measure], list[Measure]]:
    """Return the measures of the ranking that can be traced, and those that the page leaves out."""
    every = [m for m in MEASURES if m.needs in (Needs.RANKING, Needs.PROBABILITIES)]
    traced = [m for m in every if trace_ranking(m) is not None]
    return traced, [m for m in every if m not in traced]


def embedded(level: float) -> dict[str, Any]:
    """Return the program of all that follows from a ranking, and where in it each result stands."""
    program = Program()
    ranking = symbolic_ranking()
    return {
        "measures": [_entry(measure, ranking, program, level) for measure in ranking_measures()[0]],
        "freedom": program.add(_symbol(_freedom_to_tell(ranking))),
        "curves": {name: program.add(_symbol(getattr(ranking, name))) for name in ("tpr", "fpr", "precision")},
        "steps": program.steps,
        "rests_on": [
            str(sentence) for cases in range(1, round(constants.FEW / 2)) for sentence in rests_on(2.0 * cases)
        ],
        "z": quantile(level),
        "plenty": constants.PLENTY,
    }


def reliability_program(*, integral: bool) -> dict[str, Any]:
    """Return the program of the reliability diagram; bins of whole cases end at cases."""
    program = Program()
    sums = reliability(symbolic_ranking(integral=integral))
    return {"results": {name: program.add(_symbol(one)) for name, one in sums.items()}, "steps": program.steps}


def _entry(measure: Measure, ranking: Ranking, program: Program, level: float) -> dict[str, Any]:
    traced = trace_ranking(measure)
    assert isinstance(traced, Traced)  # noqa: S101 - only such measures are shown
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    formula = _formula(measure)
    return {
        "name": measure.name,
        "range": [low, high],
        "of_probabilities": measure.needs is Needs.PROBABILITIES,
        "value": program.add(traced.value),
        "baseline": None if traced.baseline is None else program.add(traced.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in traced.undefined],
        "limits": formula and [program.add(_symbol(x)) for x in formula.limits(ranking, level)],
        "method": formula and [formula.method, formula.stand_in],
        "resampled": is_resampled(measure),
        "alone": _program_alone(traced) if has_influence(measure) else None,
    }


def _program_alone(traced: Traced) -> dict[str, Any]:
    """Return the program of a measure by itself, which the page runs on lists with other weights."""
    program = Program()
    value = program.add(traced.value)
    return {"value": value, "steps": program.steps}


def _symbol(value: Any) -> Expression:
    assert isinstance(value, Expression)  # noqa: S101 - of a symbolic ranking everything is
    return value


# ---------------------------------------------------------------------- intervals by formula


def has_influence(measure: Measure) -> bool:
    """Whether the rule weighs cases anew where there are plenty, to see what they change in a measure."""
    return measure.needs is Needs.RANKING and measure.name not in JUMPING and _row_of(measure)[0] is INFLUENCE


def is_resampled(measure: Measure) -> bool:
    """Whether the rule resamples: no formula gives an interval, whatever the cases."""
    return not any(method.engine == "formula" and not method.is_reference for method in _row_of(measure)[1:])


def _row_of(measure: Measure) -> tuple[Method, ...]:
    """Return the row of a measure in the table of methods."""
    return TABLE[quantity_of(measure.kind, is_of_counts=False, by_quota=False)]


def _formula(measure: Measure) -> ClosedForm | None:
    """Return the closed-form interval of a measure; None if it has none."""
    kind = measure.kind
    if isinstance(kind, LineOfAuc):
        return ClosedForm(partial(line_of_auc_limits, measure), "delong_student", "newcombe_delong")
    if isinstance(kind, MeanOfCases):
        return ClosedForm(partial(mean_limits, measure), "influence", "influence_student")
    if isinstance(kind, SmoothOfOrder):
        return ClosedForm(partial(smooth_limits, measure), "influence_student")
    if isinstance(kind, ShareOfPairs):
        return ClosedForm(partial(pairs_limits, measure), "wilson")
    if isinstance(kind, StandardError) and kind.scale == "log":
        return ClosedForm(partial(log_limits, measure), next(iter(kind.methods)))
    return None


def _area(r: Ranking) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Return the AUC, its variance, the degrees of freedom of that, and the sizes of both classes."""
    return auc.area_of(r), np.nan_to_num(delong.variance(r)), auc.freedom_of_area(r), effective(r)


def line_of_auc_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a linear function of the AUC, and whether more than a few cases decide them."""
    kind: Any = measure.kind
    area, variance, free, sizes = _area(r)
    limits = auc.student_limits(area, variance, free, sizes, level)
    on_line = auc.limits_on_line(kind.of, r, limits)
    low, high = auc.add_prevalence(kind.of, r, measure.function(r), on_line, level, sum(sizes))
    return low, high, np.logical_not(auc.is_decided_by_few(area, variance, free))


def _freedom_to_tell(r: Ranking) -> Any:
    area, variance, free, sizes = _area(r)
    few = auc.is_decided_by_few(area, variance, free)
    return np.where(few, auc.freedom_to_tell(area, variance, free, sizes), np.inf)


def mean_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a mean over the cases, and whether there are plenty, so that the mean is about normal."""
    value, positives, negatives = measure.function(r), *effective(r)
    variance, _ = closed_forms.variance_and_freedom(measure.kind, r, {})
    plenty = np.minimum(positives, negatives) >= constants.PLENTY
    normal, student = influence.normal(value, variance, level), smooth_limits(measure, r, level)
    low, high = (np.where(plenty, one, two) for one, two in zip(normal, student[:2], strict=True))
    return low, high, plenty


def smooth_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a measure whose influence function is known, and whether it tells how uncertain it is."""
    value, allowed = measure.function(r), measure.range
    variance, freedom = closed_forms.variance_and_freedom(measure.kind, r, {})
    is_known = closed_forms.has_scale(value, variance, allowed)
    limits = closed_forms.limits_on_scale(value, variance, freedom, allowed, level)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return low, high, is_known


def pairs_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return Wilson's limits of a share of pairs, and that there are such."""
    kind: Any = measure.kind
    share = measure.function(r)
    low, high = proportions.limits_of_pairs(r, share, kind.of(r), level)
    return low, high, share >= 0


def log_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a number by the variance of its logarithm, and whether there is one."""
    kind: Any = measure.kind
    value, variance = measure.function(r), next(iter(kind.methods.values()))(r)
    low, high = closed_forms.limits_on_log_scale(value, variance, level)
    return low, high, np.isfinite(variance) & np.isfinite(value) & (value > 0)


# ---------------------------------------------------------------------- the reliability diagram


def reliability(r: Ranking) -> dict[str, Any]:
    """Return the observed positives, the expected positives and the cases in bins of equal mass, from the lowest."""
    where = bin_of(r, BINS, "mass")
    of_bins = partial(np.bincount, where, minlength=BINS)
    return {
        "observed": of_bins(weights=r.pos),
        "expected": of_bins(weights=r.size * r.key),
        "cases": of_bins(weights=r.size),
    }
