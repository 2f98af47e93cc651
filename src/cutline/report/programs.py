"""What the page has to know to compute the measures of one cut: programs traced from their definitions.

No formula of a measure is written in the page's own code. A definition that cannot be traced is computed here at every
cut that the page holds, and the page looks it up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from cutline.core.counts import Counts
from cutline.core.ranking import Array, Ranking
from cutline.inference import influence
from cutline.inference.effective_size import squares
from cutline.inference.single import proportions
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.costs import total_cost
from cutline.measures.kinds import Ratio
from cutline.measures.tracing import Program, Traced, trace, traced
from cutline.results.estimate import quantile

COSTS = ("cost_fp", "cost_fn")  # parameters that have fields on the page


def embedded(measures: Iterable[tuple[str, Measure]], points: Iterable[str], level: float) -> dict[str, Any]:
    """The programs of some measures of one cut, by the names of their rows, and of values that are needed alone."""
    program = Program()
    entries = [_entry(name, measure, program) for name, measure in measures]
    alone = {name: found for name in dict.fromkeys(points) if (found := _point(name)) is not None}
    return {"steps": program.steps, "measures": entries, "points": alone, "intervals": _intervals(level)}


def _point(name: str) -> dict[str, Any] | None:
    """The program of one value by itself: the page looks for cuts by it, at thousands of them."""
    if name == "total_cost":
        (value,) = traced(lambda *given: (total_cost(*given),), "fp", "fn", *COSTS)
        parameters = dict.fromkeys(COSTS, 1.0)
    else:
        found = trace(MEASURES[name], COSTS) if name in MEASURES else None
        if found is None:
            return None
        value, parameters = found.value, dict(found.parameters)
    program = Program()
    result = program.add(value)
    return {"steps": program.steps, "result": result, "parameters": parameters}


def _entry(name: str, measure: Measure, program: Program) -> dict[str, Any]:
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    found = trace(measure, COSTS)
    about = {"name": name, "range": [low, high], "undefined": measure.undefined_when}
    return about | (_places(found, measure, program) if found else {"looked_up": True})


def _places(found: Traced, measure: Measure, program: Program) -> dict[str, Any]:
    """Where the results of a measure stand in the program."""
    then = Program()
    return {
        "value": program.add(found.value),
        "baseline": None if found.baseline is None else program.add(found.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in found.undefined],
        "share": None if found.share is None else [program.add(part) for part in found.share],
        "then": None if found.then is None else {"result": then.add(found.then), "steps": then.steps},
        "ratio": measure.kind._asdict() if isinstance(measure.kind, Ratio) else None,
        "parameters": dict(found.parameters),
    }


def _intervals(level: float) -> dict[str, Any]:
    """The limits of a share (k of n) and of ratios of two (a, b; c, d), and how many standard errors a level means.

    The third result of a share says whether its limits are the modified ones.
    """

    def limits(function: Any, *names: str) -> dict[str, Any]:
        program = Program()
        results = [program.add(result) for result in traced(function, *names)]
        return {"steps": program.steps, "results": results}

    def of_share(k: Any, n: Any) -> tuple[Any, ...]:
        return (*of_counts(k, n, level), proportions.is_modified(k, n))

    of_counts = proportions.modified_of_counts

    return {
        "z": quantile(level),
        "share": limits(of_share, "k", "n"),
        "ratio": limits(partial(proportions.of_shares, level=level, limits=of_counts), "a", "b", "c", "d"),
        "odds": limits(partial(proportions.log_odds, level=level), "a", "b", "c", "d"),
    }


def looked_up(
    measures: Iterable[tuple[str, Measure]], r: Ranking, cuts: Array, level: float, *, grouped: bool
) -> dict[str, Any]:
    """The measures that cannot be traced, at the cuts that the page holds: values, limits and baselines."""
    return {
        name: _at_cuts(measure, r, cuts, level, grouped=grouped)
        for name, measure in measures
        if measure.needs is Needs.COUNTS and trace(measure, COSTS) is None
    }


def _at_cuts(measure: Measure, r: Ranking, cuts: Array, level: float, *, grouped: bool) -> dict[str, Any]:
    tables = [r.at_cut(int(cut)) for cut in cuts]
    second = tables if r.integral else [squares(r).at_cut(int(cut)) for cut in cuts]
    values = [float(measure.compute(table)) for table in tables]
    limits = [
        (math.nan, math.nan) if grouped else _limits(measure, table, squared, value, level)
        for table, squared, value in zip(tables, second, values, strict=True)
    ]
    return {
        "value": _spelled(values),
        "low": _spelled([low for low, _ in limits]),
        "high": _spelled([high for _, high in limits]),
        "baseline": _spelled([measure.baseline_value(table) for table in tables]),
        "reason": [measure.reason(table) for table in tables] if any(map(math.isnan, values)) else None,
    }


def _limits(measure: Measure, table: Counts, second: Counts, value: float, level: float) -> tuple[float, float]:
    """The limits by the infinitesimal jackknife, inside the range of the measure."""
    if math.isnan(value):
        return math.nan, math.nan
    try:
        variance = influence.of_counts(lambda many: _each(measure, many), table, second)
    except Exception:
        return math.nan, math.nan
    if not math.isfinite(variance):
        return math.nan, math.nan
    low, high = influence.normal(value, variance, level)
    return min(max(float(low), measure.range[0]), value), max(min(float(high), measure.range[1]), value)


def _each(measure: Measure, many: Counts) -> Array:
    """A measure of tables one by one: what cannot be traced may not broadcast either."""
    tables = zip(many.tp, many.fp, many.fn, many.tn, strict=True)
    return np.array([float(measure.compute(Counts(*table, many.threshold, many.is_risk))) for table in tables])


def _spelled(numbers: Iterable[float]) -> list[float | str]:
    """Numbers as JSON and the page can hold them."""
    return [number if math.isfinite(number) else str(number).replace("inf", "Infinity") for number in numbers]
