"""From the selected measures to the rows of a summary: values, intervals, baselines and reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from cutline.core.blocks import compute_together
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking
from cutline.core.table import to_json_value
from cutline.inference.methods import Method, default_method, default_without_resamples
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand, IntervalRequest, check_request
from cutline.inference.single.intervals import estimate_by_formula, estimate_measures, widen_by_bracket
from cutline.measures.bin_brackets import Bounds, bound_measures
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import SelectedMeasure
from cutline.results.resample_budget import COST_OF_INVERSION, choose_resamples, is_affordable
from cutline.results.summary import Row, SummaryOptions

_MANY = 40  # measures of a summary, from which on what they share is computed first


def make_rows(
    selection: Sequence[SelectedMeasure], ranking: Ranking, groups: GroupSampler | None, options: SummaryOptions
) -> tuple[tuple[Row, ...], SummaryOptions]:
    """Return the rows of a summary, and its options with the number of resamples that were drawn.

    Args:
        selection: The measures.
        ranking: The cases.
        groups: How the cases were sampled, if not one by one.
        options: The cut, the level and the resamples.
    """
    fitting = [selected for selected in selection if selected.measure.fits(ranking)]
    if len(fitting) >= _MANY:
        compute_together(ranking)
    # Of a long ranking one measure at a time, because each takes several columns as long as it is.
    at_once = 0 if ranking.is_long else len(ranking)
    resolved = [(selected.measure, selected.resolve_parameters(options.cut)) for selected in fitting]
    estimands = map_parallel(lambda pair: Estimand.of_measure(pair[0], ranking, pair[1], groups), resolved, at_once)
    intervals, used = _estimate_rows(estimands, options)
    with_values = [(*pair, estimand.value) for pair, estimand in zip(resolved, estimands, strict=True)]
    known = dict(
        zip(fitting, zip(estimands, intervals, bound_measures(with_values, ranking), strict=True), strict=True)
    )
    rows = tuple(
        _make_row(selected, *known[selected], options)
        if selected in known
        else _make_undefined_row(selected, ranking, options)
        for selected in selection
    )
    return rows, replace(options, resamples_used=used)


def _estimate_rows(estimands: Sequence[Estimand], options: SummaryOptions) -> tuple[list[Estimate | None], int]:
    """Return the estimate of each measure, None without an interval, and the number of resamples behind some."""
    interval = check_request(IntervalRequest(options.level, seed=options.seed))
    intervals: list[Estimate | None] = [None] * len(estimands)
    if not options.intervals or not estimands:
        return intervals, 0
    n = len(estimands[0].ranking)
    at_once = 0 if estimands[0].ranking.is_long else n
    may_resample = options.intervals != "formula" and options.resamples != 0
    made = map_parallel(lambda t: _estimate_or_choose(t, interval.level, may_resample), estimands, at_once)
    intervals = [result if isinstance(result, Estimate) else None for result in made]
    methods = {i: result for i, result in enumerate(made) if isinstance(result, Method)}
    # Simulations of calibration errors take longer than resamples: they have a budget of their own.
    tested = [i for i, method in methods.items() if method.engine == "inversion"]
    resampled = [i for i in methods if i not in tested]
    used = 0
    for some, cost in ((resampled, 1), (tested, COST_OF_INVERSION)):
        if some and (resamples := _count_resamples(options, cost * len(some), n)):
            request, chosen = interval._replace(resamples=resamples), [methods[i] for i in some]
            for i, estimate in zip(some, estimate_measures([estimands[i] for i in some], request, chosen), strict=True):
                intervals[i] = estimate
            used = resamples
    return intervals, used


def _estimate_or_choose(estimand: Estimand, level: float, may_resample: bool) -> Estimate | Method | None:
    """Return the estimate by a formula, or the default method if it resamples or simulates; None without both."""
    method = default_method(estimand) if may_resample else default_without_resamples(estimand)
    if method is not None and method.engine == "formula":
        return estimate_by_formula(estimand, method, level)
    return method


def _count_resamples(options: SummaryOptions, measures: int, scores: int) -> int:
    """Return the number of resamples to draw for a number of measures without a closed form."""
    resamples = choose_resamples(scores, options.resamples)
    if options.intervals == "formula":
        return 0
    is_requested = options.intervals == "bootstrap" or options.resamples is not None
    return resamples if is_requested or is_affordable(measures, scores, resamples) else 0


def _make_row(
    selected: SelectedMeasure,
    estimand: Estimand,
    interval: Estimate | None,
    bracket: Bounds | None,
    options: SummaryOptions,
) -> Row:
    baseline = to_json_value(selected.measure.baseline_value(estimand.data, **estimand.parameters))
    value = estimand.value
    reason = estimand.reason or ("infinite" if math.isinf(value) else "")
    estimate = (
        widen_by_bracket(interval, bracket, estimand.range)
        if interval
        else Estimate(estimand.name, value, math.nan, math.nan, options.level, "")
    )
    return Row(selected.measure, estimate, baseline, reason, selected.at, bracket)


def _make_undefined_row(selected: SelectedMeasure, ranking: Ranking, options: SummaryOptions) -> Row:
    """Return the row of a measure that needs other scores."""
    estimate = Estimate(str(selected.measure), math.nan, math.nan, math.nan, options.level, "")
    return Row(selected.measure, estimate, None, selected.measure.reason(ranking), selected.at)
