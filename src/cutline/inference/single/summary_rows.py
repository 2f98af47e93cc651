"""From the selected measures to the rows of a summary: values, intervals, baselines and reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from cutline.core.blocks import compute_together
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking
from cutline.core.table import plain
from cutline.inference.methods import Method
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand, IntervalRequest, checked, of_measure
from cutline.inference.single.intervals import by_formula, estimates, widen_by_bracket
from cutline.measures.bin_brackets import Bounds, all_bounds
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import SelectedMeasure
from cutline.results.resample_budget import COST_OF_INVERSION, choose_resamples, is_affordable
from cutline.results.summary import Row, SummaryOptions

_MANY = 40  # measures of a summary, from which on what they share is computed first


def rows_of(
    selection: Sequence[SelectedMeasure], ranking: Ranking, groups: GroupSampler | None, options: SummaryOptions
) -> tuple[tuple[Row, ...], SummaryOptions]:
    """The rows of a summary, and the options with the number of resamples that were drawn."""
    fitting = [selected for selected in selection if selected.measure.fits(ranking)]
    grouped = groups is not None
    if len(fitting) >= _MANY:
        compute_together(ranking)
    # Of a long ranking one measure at a time, because each takes several columns as long as it is.
    at_once = 0 if ranking.is_long else len(ranking)
    estimands = map_parallel(
        lambda selected: of_measure(
            selected.measure, ranking, selected.resolve_parameters(options.cut), grouped=grouped
        ),
        fitting,
        at_once,
    )
    intervals, used = _estimates(estimands, groups, options)
    with_values = [
        (selected.measure, selected.resolve_parameters(options.cut), t.value)
        for selected, t in zip(fitting, estimands, strict=True)
    ]
    known = dict(zip(fitting, zip(estimands, intervals, all_bounds(with_values, ranking), strict=True), strict=True))
    rows = tuple(
        _row(selected, *known[selected], options) if selected in known else _undefined(selected, ranking, options)
        for selected in selection
    )
    return rows, replace(options, resamples_used=used)


def _estimates(
    estimands: Sequence[Estimand], groups: GroupSampler | None, options: SummaryOptions
) -> tuple[list[Estimate | None], int]:
    """The estimates with the intervals that are requested, and how many resamples gave some of them."""
    interval = checked(IntervalRequest(options.level, seed=options.seed))
    intervals: list[Estimate | None] = [None] * len(estimands)
    if not options.intervals or not estimands:
        return intervals, 0
    n = len(estimands[0].ranking)
    at_once = 0 if estimands[0].ranking.is_long else n
    may_resample = options.intervals != "formula" and options.resamples != 0
    made = map_parallel(lambda t: by_formula(t, interval.level, groups, may_resample=may_resample), estimands, at_once)
    intervals = [result if isinstance(result, Estimate) else None for result in made]
    methods = {i: result for i, result in enumerate(made) if isinstance(result, Method)}
    # Simulations of calibration errors take longer than resamples: they have a budget of their own.
    tested = [i for i, method in methods.items() if method.engine == "inversion"]
    resampled = [i for i in methods if i not in tested]
    used = 0
    for some, cost in ((resampled, 1), (tested, COST_OF_INVERSION)):
        if some and (resamples := _resamples(options, cost * len(some), n)):
            request, chosen = interval._replace(resamples=resamples), [methods[i] for i in some]
            for i, estimate in zip(some, estimates([estimands[i] for i in some], request, groups, chosen), strict=True):
                intervals[i] = estimate
            used = resamples
    return intervals, used


def _resamples(options: SummaryOptions, measures: int, scores: int) -> int:
    """How many resamples are to be drawn for so many measures that have no closed form."""
    resamples = choose_resamples(scores, options.resamples)
    if options.intervals == "formula":
        return 0
    is_requested = options.intervals == "bootstrap" or options.resamples is not None
    return resamples if is_requested or is_affordable(measures, scores, resamples) else 0


def _row(
    selected: SelectedMeasure,
    estimand: Estimand,
    interval: Estimate | None,
    open_to: Bounds | None,
    options: SummaryOptions,
) -> Row:
    baseline = plain(selected.measure.baseline_value(estimand.data, **estimand.parameters))
    value = estimand.value
    reason = estimand.reason or ("infinite" if math.isinf(value) else "")
    estimate = (
        widen_by_bracket(interval, open_to, estimand.range)
        if interval
        else Estimate(estimand.name, value, math.nan, math.nan, options.level, "")
    )
    return Row(selected.measure, estimate, baseline, reason, selected.at, open_to)


def _undefined(selected: SelectedMeasure, ranking: Ranking, options: SummaryOptions) -> Row:
    """The row of a measure that the scores are not made for."""
    estimate = Estimate(str(selected.measure), math.nan, math.nan, math.nan, options.level, "")
    return Row(selected.measure, estimate, None, selected.measure.reason(ranking), selected.at)
