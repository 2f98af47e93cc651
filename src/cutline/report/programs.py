"""What the page has to know to compute the measures of one cut: programs traced from their definitions.

No formula of a measure is written in the page's own code. A definition that cannot be traced is computed here at every
cut that the page holds, and the page looks it up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, TrustedCounts
from cutline.core.ranking import Ranking
from cutline.inference import influence
from cutline.inference.effective_size import square_weights
from cutline.inference.single import one_cut, proportions
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.costs import compute_total_cost
from cutline.measures.forms import Ratio, SumOfRates
from cutline.measures.tracing import Program, Traced, make_symbol, trace, trace_function
from cutline.results.estimate import quantile

COSTS = ("cost_fp", "cost_fn")  # parameters that have fields on the page
_CELLS = ("tp", "fp", "fn", "tn")
_MOVES = 7  # tables at which MOVER looks
_SYMBOLS: Any = TrustedCounts(make_symbol("tp"), make_symbol("fp"), make_symbol("fn"), make_symbol("tn"))


def compile_programs(measures: Iterable[tuple[str, Measure]], points: Iterable[str], level: float) -> dict[str, Any]:
    """Compile the measures of one cut, by the names of their rows, and values that are computed alone."""
    program = Program()
    entries = [_compile_entry(name, measure, program, level) for name, measure in measures]
    alone = {name: point for name in dict.fromkeys(points) if (point := _compile_point(name)) is not None}
    return {"steps": program.steps, "measures": entries, "points": alone, "intervals": _compile_intervals(level)}


def _compile_point(name: str) -> dict[str, Any] | None:
    """Compile a single value, which the page computes at thousands of cuts."""
    if name == "total_cost":
        (value,) = trace_function(lambda *inputs: (compute_total_cost(*inputs),), "fp", "fn", *COSTS)
        parameters = dict.fromkeys(COSTS, 1.0)
    else:
        formula = trace(MEASURES[name], COSTS) if name in MEASURES else None
        if formula is None:
            return None
        value, parameters = formula.value, dict(formula.parameters)
    program = Program()
    result = program.add(value)
    return {"steps": program.steps, "result": result, "parameters": parameters}


def _compile_entry(name: str, measure: Measure, program: Program, level: float) -> dict[str, Any]:
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    formula = trace(measure, COSTS)
    about = {"name": name, "range": [low, high], "undefined": measure.undefined_when}
    return about | (_add_results(formula, measure, program, level) if formula else {"looked_up": True})


def _add_results(formula: Traced, measure: Measure, program: Program, level: float) -> dict[str, Any]:
    """Add the results of a measure to the program, and return their places in it."""
    then = Program()
    return {
        "value": program.add(formula.value),
        "baseline": None if formula.baseline is None else program.add(formula.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in formula.undefined],
        "share": None if formula.share is None else [program.add(part) for part in formula.share],
        "then": None if formula.then is None else {"result": then.add(formula.then), "steps": then.steps},
        "ratio": measure.form._asdict() if isinstance(measure.form, Ratio) else None,
        "sum": _add_sum_limits(measure.form, program, level) if isinstance(measure.form, SumOfRates) else None,
        "parameters": dict(formula.parameters),
    }


def _add_sum_limits(form: SumOfRates, program: Program, level: float) -> list[int]:
    """Add the limits of a sum of two shares to the program, and return their places in it."""
    limits = one_cut.compute_sum_limits(form, _SYMBOLS, level, proportions.modified_of_counts)
    return [program.add(limit) for limit in limits]


def _compile_intervals(level: float) -> dict[str, Any]:
    """Compile the limits of a share (k of n), of ratios of two shares (a, b; c, d), and of other measures (MOVER).

    The third result of a share says whether its limits are the modified ones. `moved` gives seven tables one after the
    other, and whether the cut may tell nothing; `three_shares` the limits, given the values there. `z` is how many
    standard errors a level means.
    """

    def compile_function(function: Any, *names: str) -> dict[str, Any]:
        program = Program()
        results = [program.add(result) for result in trace_function(function, *names)]
        return {"steps": program.steps, "results": results}

    def limit_share(k: Any, n: Any) -> tuple[Any, ...]:
        return (*of_counts(k, n, level), proportions.is_modified(k, n))

    def move_tables(*cells: Any) -> tuple[Any, ...]:
        tables, may_tell_nothing = one_cut.move_shares(TrustedCounts(*cells), level)
        return (*itertools.chain(*tables), may_tell_nothing)

    def limit_moves(value: Any, may_tell_nothing: Any, *there: Any) -> tuple[Any, ...]:
        return one_cut.combine_moves(value, list(there), may_tell_nothing)

    of_counts = proportions.modified_of_counts

    return {
        "z": quantile(level),
        "share": compile_function(limit_share, "k", "n"),
        "ratio": compile_function(partial(proportions.mover_ratio, level=level, limits=of_counts), "a", "b", "c", "d"),
        "odds": compile_function(partial(proportions.woolf, level=level), "a", "b", "c", "d"),
        "moved": compile_function(move_tables, *_CELLS),
        "three_shares": compile_function(limit_moves, "value", "may_tell_nothing", *(f"at_{i}" for i in range(_MOVES))),
    }


def tabulate_untraced(
    measures: Iterable[tuple[str, Measure]], r: Ranking, cuts: Array, level: float, *, grouped: bool
) -> dict[str, Any]:
    """Tabulate the measures that cannot be traced at the cuts of the page: values, limits and baselines."""
    return {
        name: _evaluate_at_cuts(measure, r, cuts, level, grouped=grouped)
        for name, measure in measures
        if measure.needs is Needs.COUNTS and trace(measure, COSTS) is None
    }


def _evaluate_at_cuts(measure: Measure, r: Ranking, cuts: Array, level: float, *, grouped: bool) -> dict[str, Any]:
    tables = [r.at_cut(int(cut)) for cut in cuts]
    second = [None] * len(tables) if r.integral else [square_weights(r).at_cut(int(cut)) for cut in cuts]
    values = [float(measure.compute(table)) for table in tables]
    limits = [
        (math.nan, math.nan) if grouped else _find_limits(measure, table, squared, value, level)
        for table, squared, value in zip(tables, second, values, strict=True)
    ]
    return {
        "value": _spell_numbers(values),
        "low": _spell_numbers([low for low, _ in limits]),
        "high": _spell_numbers([high for _, high in limits]),
        "method": "mover" if r.integral else "influence",
        "baseline": _spell_numbers([measure.baseline_value(table) for table in tables]),
        "reason": [measure.reason(table) for table in tables] if any(map(math.isnan, values)) else None,
    }


def _find_limits(
    measure: Measure, table: Counts, second: Counts | None, value: float, level: float
) -> tuple[float, float]:
    """Return the limits within the range of the measure; `second` has the sums of squared weights."""
    if math.isnan(value):
        return math.nan, math.nan
    try:
        if second is None:
            tables, may_tell_nothing = one_cut.move_shares(table, level)
            values = list(_evaluate_each(measure, replace(table, **dict(zip(_CELLS, np.array(tables).T, strict=True)))))
            low, high = one_cut.combine_moves(value, values, may_tell_nothing)
        else:
            low, high = influence.normal_limits(
                value,
                influence.compute_variance_of_cut(lambda many: _evaluate_each(measure, many), table, second),
                level,
            )
    except Exception:
        return math.nan, math.nan
    if not math.isfinite(high - low):
        return math.nan, math.nan
    return min(max(float(low), measure.range[0]), value), max(min(float(high), measure.range[1]), value)


def _evaluate_each(measure: Measure, many: Counts) -> Array:
    """Evaluate a measure table by table, as one that cannot be traced may not broadcast."""
    tables = zip(many.tp, many.fp, many.fn, many.tn, strict=True)
    return np.array([float(measure.compute(Counts(*table, many.threshold, many.is_risk))) for table in tables])


def _spell_numbers(numbers: Iterable[float]) -> list[float | str]:
    """Convert numbers to those that JSON and the page can hold."""
    return [number if math.isfinite(number) else str(number).replace("inf", "Infinity") for number in numbers]
