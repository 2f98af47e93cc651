"""What the page has to know to evaluate a ranking: programs traced from the definitions of measures and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking
from cutline.inference import delong, influence
from cutline.inference.caveats import EQUAL, FEW_FOR_DELONG, FEW_OUT_OF_ORDER
from cutline.inference.effective_size import effective, squares
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.binned_calibration import bin_of
from cutline.measures.kinds import LineOfAuc, MeanOfCases
from cutline.measures.tracing import Expression, Program, Traced, symbolic_ranking, trace_ranking

BINS = 10  # of the reliability diagram
RESAMPLED = "no closed form: cutline evaluate gives a bootstrap interval"

Limits = tuple[Any, Any]


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
        "has_few": program.add(_symbol(has_few_out_of_order(ranking))),
        "curves": {name: program.add(_symbol(getattr(ranking, name))) for name in ("tpr", "fpr", "precision")},
        "steps": program.steps,
    }


def reliability_program(*, integral: bool) -> dict[str, Any]:
    """Return the program of the reliability diagram; bins of whole cases end at cases."""
    program = Program()
    sums = reliability(symbolic_ranking(integral=integral))
    return {"results": {name: program.add(_symbol(one)) for name, one in sums.items()}, "steps": program.steps}


def _entry(measure: Measure, ranking: Ranking, program: Program, level: float) -> dict[str, Any]:
    found = trace_ranking(measure)
    assert isinstance(found, Traced)  # noqa: S101 - only such measures are shown
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    limits = _limits(measure)
    return {
        "name": measure.name,
        "range": [low, high],
        "of_probabilities": measure.needs is Needs.PROBABILITIES,
        "value": program.add(found.value),
        "baseline": None if found.baseline is None else program.add(found.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in found.undefined],
        "limits": None if limits is None else [program.add(_symbol(x)) for x in limits(ranking, level)],
        "method": _METHODS.get(type(measure.kind), ["", ""]),
    }


def _symbol(value: Any) -> Expression:
    assert isinstance(value, Expression)  # noqa: S101 - of a symbolic ranking everything is
    return value


# ---------------------------------------------------------------------- intervals by formula

# The method of each kind, and what stands in for it where the third result is 0.
_METHODS: dict[Any, list[str]] = {LineOfAuc: ["delong_logit", "newcombe"], MeanOfCases: ["influence", ""]}


def _limits(measure: Measure) -> Callable[[Ranking, float], tuple[Any, ...]] | None:
    """Return the closed-form interval of a measure as a function of the ranking and the level; None if it has none."""
    kind = measure.kind
    if isinstance(kind, LineOfAuc) and measure.scales:  # others depend on the prevalence too, which varies itself
        return partial(line_of_auc_limits, kind)
    return partial(mean_limits, measure) if isinstance(kind, MeanOfCases) else None


def line_of_auc_limits(kind: LineOfAuc, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a linear function of the AUC, and whether they are DeLong's on the logit scale.

    Where DeLong's variance says nothing, because the AUC is 0 or 1 or a class has one case, they are Newcombe's.
    """
    area, variance, size = MEASURES["auc"].function(r), delong.variance(r), effective(r)
    by_variance = (variance > EQUAL**2) & (area > 0) & (area < 1)
    two = delong.delong_logit(area, variance, level)
    one = delong.newcombe(area, size.positives, size.negatives, level)
    slope, intercept = kind.of(r)
    low, high = (intercept + slope * np.where(by_variance, *pair) for pair in zip(two, one, strict=True))
    return low, high, by_variance


def has_few_out_of_order(r: Ranking) -> Any:
    """Whether DeLong's interval is too narrow, so that the package takes a wider one, which no formula gives."""
    area, size = MEASURES["auc"].function(r), effective(r)
    fewest = np.minimum(size.positives, size.negatives)
    return (fewest < FEW_FOR_DELONG) | (fewest * np.minimum(area, 1 - area) < FEW_OUT_OF_ORDER)


def mean_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a mean over the cases by its standard error, and whether there is one."""
    kind: Any = measure.kind
    variance = influence.of_mean(r, squares(r), *kind.of(r))
    low, high = influence.normal(measure.function(r), variance, level)
    return low, high, variance > EQUAL**2


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
