"""One self-contained page: a view of a finished summary, with template, style, program and data in one file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.calibration.summary import NUMBERS, Judgement
from cutline.charts import CHARTS, PAGE, Place, load_vega
from cutline.charts.forest import draw_difference_forest
from cutline.core import parallel
from cutline.core.array_ops import Array
from cutline.core.counts import Counts, TrustedCounts, format_number
from cutline.core.messages import capitalise, join_with_and
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.measures import MEASURES
from cutline.measures.costs import compute_total_cost
from cutline.report import chart_specs, cut_data, measure_rows, programs, sections
from cutline.report.html_page import View, add_versions, assemble_page
from cutline.report.measure_rows import is_at_cut, make_slug
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.cut_point import Outcomes, describe_rule, group_digits
from cutline.results.method_titles import TITLES
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.ledger.tool_table import ToolTable


CELLS = ("tp", "fp", "fn", "tn", "flagged", "unflagged", "positives", "negatives", "total")


def view_cut(models: Mapping[str, Summary], index: int, last: int) -> dict[str, Any]:
    """Return the context of the cut section: the first model, and a row for each of several.

    Args:
        models: The summaries by the names of their models.
        index: The place of the cut of the first model among those that the page holds.
        last: The last of these places.
    """
    first = next(iter(models.values()))
    c, r = first.counts, first.data.ranking
    rule = describe_rule(r, c)
    share = f"{100 * float(c.predicted_positive_rate):.3g} %"
    return {
        "index": index,
        "last": last,
        "rule": rule,
        "flags": f"flags {group_digits(c.flagged)} of {group_digits(c.total)} ({share})",
        "sentence": _describe_cut(rule, r, c),
        "class_titles": c.class_titles,
        "cells": {name: group_digits(getattr(c, name)) for name in CELLS},
        "models": [_view_model_row(name, summary) for name, summary in models.items()],
    }


def _describe_cut(rule: str, r: Ranking, c: Counts) -> str:
    found, missed, false, about = Outcomes.at(r, c)
    start = about.capitalize()
    return (
        f"{capitalise(rule)}: {group_digits(c.flagged)} of {group_digits(c.total)} cases are flagged. "
        f"{start}{group_digits(found)} of the {group_digits(c.positives)} positives {_agree(found)} found, "
        f"{about}{group_digits(missed)} {_agree(missed)} missed; "
        f"{about}{group_digits(false)} of the {group_digits(c.negatives)} negatives "
        f"{'is a false alarm' if false == 1 else 'are false alarms'}."
        + (" The last positions go at random to cases of equal score: the counts are expectations." if about else "")
    )


def _agree(count: Any) -> str:
    return "is" if count == 1 else "are"


def _view_model_row(name: str, summary: Summary) -> dict[str, Any]:
    """Return a row of the table of all models; error costs are 1 until the reader changes them."""
    c = summary.counts
    counts = [group_digits(count) for count in (c.flagged, c.tp, c.fp, c.fn)]
    rates = [_format_rate(rate) for rate in (c.precision, c.recall)]
    cost = group_digits(float(f"{float(compute_total_cost(c.fp, c.fn)):.9g}"))
    return {"name": name, "rule": describe_rule(summary.data.ranking, c), "cells": [*counts, *rates, cost]}


def _format_rate(value: Any) -> str:
    return format_value(float(value))


_HEADINGS = {
    "none": "as they are",
    "intercept": "intercept: moves the log odds",
    "logistic": "logistic: moves and stretches them",
    "beta": "beta: bends them",
    "isotonic": "isotonic: the best rising curve",
    "venn_abers": "Venn-Abers: isotonic, with an interval",
}


def view_calibration(models: Mapping[str, Summary]) -> View | None:
    """Return the context of the calibration section; None if the probabilities were not judged.

    Args:
        models: The finished summary of each model.
    """
    of_probabilities = {name: own for name, own in models.items() if own.data.ranking.are_probabilities}
    if any(own.probabilities is None for own in of_probabilities.values()):
        return None
    without = [name for name in models if name not in of_probabilities]
    refused = _describe_refusal(without, len(models)) if without else ""
    views = [_view_model(name, own) for name, own in of_probabilities.items()]
    return {
        "refused": refused,
        "models": views,
        "names": list(of_probabilities),
        "numbers": _view_numbers(of_probabilities) if of_probabilities else [],
    }


def _describe_refusal(names: list[str], models: int) -> str:
    whose = "The scores" if models == 1 else f"The scores of {join_with_and(names)}"
    return (
        f"{whose} are not probabilities from 0 to 1, so their calibration cannot be judged: they only rank the cases. "
        "To read them as probabilities, fit a map on cases with known labels that the model "
        "was not trained on, for example with scikit-learn's CalibratedClassifierCV, and evaluate the result."
    )


def _view_model(name: str, summary: Summary) -> View:
    judgement = summary.probabilities
    assert judgement is not None  # noqa: S101 - those without were left out
    calibration = judgement.calibration
    return {"name": name, "verdict": calibration.verdict, "notes": calibration.notes, "worth": _view_worth(judgement)}


def _view_worth(judgement: Judgement) -> View:
    """Return the gain of each recalibration method on other cases, or the reason why it cannot be estimated."""
    worth = judgement.worth
    if worth is None:
        return {"verdict": judgement.reason, "rows": []}
    rows = [
        {
            "title": _HEADINGS[candidate.method],
            "log_loss": candidate.log_loss,
            "brier": candidate.brier,
            "value": None if candidate.method == "none" else candidate.gain,
            "low": None if candidate.method == "none" else candidate.low,
            "high": candidate.high,
            "reason": "",
            "best": candidate.method == worth.best,
        }
        for candidate in worth.candidates
    ]
    return {"verdict": worth.verdict, "rows": rows}


def _view_numbers(models: Mapping[str, Summary]) -> list[View]:
    """Return the rows of the section: of one model as in the tables of measures, of several side by side."""
    by_model = {name: {row.key: row for row in own.rows} for name, own in models.items()}
    names = [name for name in NUMBERS if any(name in own for own in by_model.values())]
    if len(models) == 1:
        [own] = by_model.values()
        rows = [measure_rows.view_row(own[name]) for name in names]
        return [{"question": "", "rows": rows}]
    return [{"question": "Calibration", "rows": [measure_rows.view_across_models(name, by_model) for name in names]}]


MOST = 50  # rows; of a longer list the first ones, and others at equal distances
FIRST = 20
COLUMNS = (
    "Score", "Positives here", "Negatives here",
    "Flagged", "Found", "False alarms", "Recall", "False positive rate", "Precision",
)  # fmt: skip


def view_ranking(r: Ranking, name: str) -> dict[str, Any]:
    """Return the rows of the table, and the sentence on which scores they show."""
    index = choose_scores(np.asarray(r.ends[1:], float))
    tp, fp = r.tp[index + 1], r.fp[index + 1]
    table = TrustedCounts(tp, fp, r.positives - tp, r.negatives - fp)
    shares = [MEASURES[name].compute(table) for name in ("recall", "fpr", "precision")]
    counts = (r.pos[index], r.neg[index], table.flagged, tp, fp)
    cells = (
        [_spell_score(score) for score in r.score[index].tolist()],
        *([group_digits(count) for count in column.tolist()] for column in counts),
        *([format_value(float(share)) for share in column.tolist()] for column in shares),
    )
    which = (
        f"All {len(r)} distinct scores"
        if len(index) == len(r)
        else f"{len(index)} of {group_digits(len(r))} distinct scores: the first {FIRST}, then others evenly spread"
    )
    return {"name": name, "which": which, "rows": list(zip(*cells, strict=True))}


def choose_scores(ends: Array) -> Array:
    """Choose the scores of the table, by their places, from the numbers of cases with that score or a better one."""
    if len(ends) <= MOST:
        return np.arange(len(ends))
    places = np.linspace(ends[FIRST - 1], ends[-1], MOST - FIRST + 1)
    return np.unique(np.concatenate((np.arange(FIRST), np.searchsorted(ends, places))).clip(0, len(ends) - 1))


def _spell_score(score: float) -> str:
    return format_number(score) if np.isfinite(score) else "∞" if score > 0 else "\N{MINUS SIGN}∞"


# In the order in which they need each other: the page has them as one program.
MODULES = (
    "format",
    "ranking",
    "program",
    "intervals",
    "points",
    "charts",
    "link",
    "live",
    "files",
    "numbers",
    "bounds",
    "levels",
    "sentences",
    "fields",
    "promises",
    "saving",
    "tabs",
    "shell",
    "main",
)
WIDE_CHARTS = ("skew", "dominance")
MOST_PAIRS = 6  # of which each gets a chart of its difference
# Which the fields, the table of all models and the promises show, whatever the charts do.
_POINTS = ("precision", "recall", "fpr", "predicted_positive_rate", "expected_cost", "total_cost")


class ChartedModel(NamedTuple):
    """A model as charts need it; cases in groups are not resampled one by one."""

    ranking: Ranking
    threshold: float
    grouped: bool


def render_model_page(summary: Summary | ComparisonSummary, tools: ToolTable | None = None) -> str:
    """Return the page of one model or of several: a view of a finished summary."""
    if isinstance(summary, Summary):
        models, context, pairs = {summary.name or "the model": summary}, _view_one_model(summary), ()
    else:
        models, context, pairs = sections.order_models(summary), _view_several(summary), tuple(summary.confidence)
    charted_models = {
        name: ChartedModel(own.data.ranking, float(own.cut.threshold), bool(own.data.groups))
        for name, own in models.items()
    }
    probabilities = view_calibration(models)
    differences = pairs if len(pairs) <= MOST_PAIRS else ()
    has_trust = bool(probabilities and probabilities["models"])
    how: dict[str, Any] = {"seed": summary.options.seed, "resamples": summary.options.resamples}
    specs = chart_specs.draw_charts(charted_models, differences, trusted=has_trust, level=summary.level, **how)
    guarantee_data = partial(sections.build_guarantee_data, models)  # which takes long for long lists
    with parallel.run_in_background(load_vega) as library, parallel.run_in_background(guarantee_data) as promises:
        charts, stills = _render_stills(itertools.chain(_draw_forest(summary), specs), models)
        grids = {name: cut_data.choose_cuts(own.data.ranking, own.counts, len(models)) for name, own in models.items()}
        data = _collect_data(summary, models, grids, charts) | {"promises": promises()}
        context |= _view_common(summary, models, grids) | {"trust": probabilities, "tools": tools}
        context["charts"] = _arrange_figures(charts, [still.result() for still in stills], context["captions"])
        return assemble_page(sections.SECTIONS, context, data, modules=MODULES, library=library())


def _draw_forest(summary: Summary | ComparisonSummary) -> Iterator[dict[str, Any]]:
    """Draw the differences between the models: of two the first minus the second, of several each minus the best."""
    if isinstance(summary, ComparisonSummary):
        names = list(sections.order_models(summary))
        reference = names[0] if len(names) > 2 else list(summary.models)[-1]
        rows = measure_rows.choose_forest_rows(summary, [reference, *(name for name in names if name != reference)])
        if rows:
            picture = draw_difference_forest(rows, reference, names, theme=PAGE.name)
            yield chart_specs.specify_picture(picture, shrink=False) | {"name": "differences", "models": [], "panel": 2}


def _view_one_model(summary: Summary) -> dict[str, Any]:
    return {
        "title": summary.name or "Evaluation",
        "heading": summary.heading,
        "verdict": sections.write_verdict(summary),
        "captions": sections.write_captions(summary),
        "cards": measure_rows.choose_cards(summary) if len(summary.rows) <= measure_rows.MOST_CARDS else [],
        "comparison": None,
        "others": measure_rows.list_others(summary),
    }


def _view_several(summary: ComparisonSummary) -> dict[str, Any]:
    names = list(sections.order_models(summary))
    return {
        "title": join_with_and(names) if len(names) < 4 else f"{len(names)} models",
        "heading": summary.title,
        "verdict": sections.write_comparison_verdict(summary),
        "captions": {},
        "cards": [],
        "comparison": measure_rows.compare_models(summary, names),
        "others": [],
    }


def _view_common(
    summary: Summary | ComparisonSummary,
    models: Mapping[str, Summary],
    grids: Mapping[str, cut_data.CutGrid],
) -> dict[str, Any]:
    """Return the template context that one model and several share."""
    first, grid = next(iter(models.values())), next(iter(grids.values()))
    live, more_live = measure_rows.list_live_tables(first)
    return {
        "notes": sections.adapt_notes(summary.notes),
        "warnings": sections.adapt_notes(sections.choose_warnings(summary)),
        "row_notes": summary.row_notes,
        "live": live,
        "more_live": more_live,
        "models": list(models),
        "level": f"{100 * summary.level:g} %",
        "higher": first.data.ranking.higher_is_positive,
        "opening": view_cut(models, grid.place(first.data.ranking, first.counts), len(grid.cuts) - 1),
        "left_out": cut_data.describe_left_out(first.data.ranking, grid),
        "rankings": [view_ranking(own.data.ranking, name) for name, own in models.items()],
        "ranking_columns": COLUMNS,
        "conventions": add_versions(first.conventions, summary.versions),
        "promise": sections.describe_guarantee(first),
        "undrawn": chart_specs.list_undrawn(len(models)),
    }


def _collect_data(
    summary: Summary | ComparisonSummary,
    models: Mapping[str, Summary],
    grids: Mapping[str, cut_data.CutGrid],
    charts: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the data of the page's program, without the guarantees."""
    rows = [(row.name, row.measure) for row in next(iter(models.values())).rows if is_at_cut(row)]
    points = [name for picture in charts for name in _list_coordinates(picture)]
    program = programs.compile_programs(rows, (*points, *_POINTS), summary.level)
    program["measures"] = [entry | {"id": make_slug(entry["name"])} for entry in program["measures"]]
    return {
        "models": [
            cut_data.build_cut_data(own, name, grids[name])
            | {
                "looked_up": programs.tabulate_untraced(
                    rows, own.data.ranking, grids[name].cuts, summary.level, grouped=bool(own.data.groups)
                )
            }
            for name, own in models.items()
        ],
        "program": program,
        "methods": TITLES,
        "charts": charts,
        "document": summary.document(),
    }


def _list_coordinates(picture: Mapping[str, Any]) -> list[str]:
    """Return the measures that place the cut on a chart."""
    where = picture.get("cut") or {}
    return [where[axis].removesuffix("_deviate") for axis in ("x", "y") if where.get(axis)]


# ---------------------------------------------------------------------- charts


def _render_stills(
    charts: Iterable[dict[str, Any]], models: Mapping[str, Summary]
) -> tuple[list[dict[str, Any]], list[Future[str]]]:
    """Draw the charts, and still pictures of those at the top of the page, within its size limit.

    Another thread renders a picture while the next chart is made. Folded charts are drawn by the page's program
    alone.
    """
    counts, room = [own.counts for own in models.values()], chart_specs.MOST_BYTES

    def still(chart: Mapping[str, Any], index: int) -> str:
        nonlocal room
        if chart["spec"] is None:
            return ""
        if chart.get("panel") is None or room <= 0:
            return chart_specs.LATER
        picture = chart_specs.render_still(chart, counts, index)
        room -= len(picture)
        return picture

    pool = ThreadPoolExecutor(1)  # of one, so that the room is taken in their order
    drawn_charts, stills = [], []
    for index, chart in enumerate(charts):
        drawn_charts.append(chart)
        stills.append(pool.submit(still, chart, index))
    pool.shutdown(wait=False)
    return drawn_charts, stills


def _arrange_figures(
    charts: Sequence[Mapping[str, Any]], stills: Sequence[str], captions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the charts for the template: the panels at the top, those of the probabilities, and the folded ones."""
    every = [
        {key: chart[key] for key in ("name", "title", "notes")}
        | {"index": i, "picture": stills[i], "wide": chart["name"] in WIDE_CHARTS, "panel": chart.get("panel")}
        for i, chart in enumerate(charts)
    ]
    for chart in every:
        if chart["panel"] is not None and chart["name"] in captions:
            chart["notes"] = [captions[chart["name"]]]
    top = sorted((chart for chart in every if chart["panel"] is not None), key=lambda chart: chart["panel"])
    rest = [chart for chart in every if chart["panel"] is None]
    trusted = [kind.name for kind in CHARTS.at(Place.TRUST)]
    return {
        "panels": [list(own) for _, own in itertools.groupby(top, key=lambda chart: chart["panel"])],
        "trust": [chart for chart in rest if chart["name"] in trusted],
        "more": [chart for chart in rest if chart["name"] not in trusted],
    }
