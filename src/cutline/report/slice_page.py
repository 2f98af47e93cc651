"""The page of slices: who is served worse, a forest plot, each slice beside the rest, and the criteria of fairness."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cutline.charts import MOST_MODELS, PAGE
from cutline.core import atomic_write
from cutline.core.errors import CutlineError
from cutline.core.escaping import json_text
from cutline.core.table import format_p_cell, format_value
from cutline.core.validation import format_count
from cutline.report import PICTURES, SUFFIXES
from cutline.report.html_page import (
    CONVENTIONS,
    Section,
    View,
    add_versions,
    assemble_page,
    collect_numbers,
    draw_figure,
    view_cells,
)
from cutline.report.measure_rows import format_limits
from cutline.slices.evaluation import Slices, build_document, tabulate_slices
from cutline.slices.fairness import Fairness
from cutline.slices.results import AgainstRest
from cutline.slices.simultaneous_intervals import describe_simultaneous_intervals

SECTIONS = (
    Section("verdict", "Verdict"),
    Section("pictures", "Charts"),
    Section("tables", "Tables"),
    Section("notes", "Notes"),
    CONVENTIONS,
)
SHOWN = ("auc", "recall", "specificity", "precision", "predicted_positive_rate")
_ENDS = 15  # slices at each end of a long table


def save(
    slices: Slices, path: str | os.PathLike[str], *, measure: Any, least: int, overwrite: bool, **options: Any
) -> Path:
    """Write what the suffix of the path names.

    Args:
        slices: The slices.
        path: Where to write.
        measure: The measure by which slices are compared.
        least: Slices with fewer cases are left out.
        overwrite: Whether a file that exists is replaced.
        options: What `against_rest` takes.
    """
    target, suffix = atomic_write.check_target(path, "slices.html", SUFFIXES, overwrite=overwrite)
    large_enough = slices.with_least(least)
    if suffix in PICTURES:
        picture = large_enough.chart("slices", measure=measure, **options)
        return atomic_write.write(target, picture.render(suffix), overwrite=overwrite)
    against_rest = large_enough.against_rest(measure, **options)
    if suffix == ".csv":
        text = large_enough.summary(level=against_rest.level).to_csv()
    elif suffix == ".json":
        text = json_text(make_document(large_enough, against_rest)) + "\n"
    else:
        text = render_slice_page(large_enough, against_rest)
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def make_document(slices: Slices, against_rest: AgainstRest) -> dict[str, Any]:
    """Return the numbers of the page, ready for JSON."""
    fairness = slices.fairness(level=against_rest.level)
    return build_document(slices, slices.summaries(level=against_rest.level)) | {
        "against_rest": against_rest.document(),
        "gap": slices.gap(against_rest.measure, level=against_rest.level).to_dict(),
        "fairness": {name: estimate.to_dict() for name, estimate in fairness.estimates.items()},
    }


def render_slice_page(slices: Slices, against_rest: AgainstRest) -> str:
    """Return the page as one file: a view of finished comparisons.

    Args:
        slices: The slices.
        against_rest: Each of them beside the rest.
    """
    fairness = slices.fairness(level=against_rest.level)
    gap = slices.gap(against_rest.measure, level=against_rest.level)
    at_cut = slices.verdict_at_cut(level=against_rest.level)
    sentences = [against_rest.verdict, _describe_gap(slices, against_rest, gap), at_cut]
    overall = slices.overall
    measures = list(dict.fromkeys((against_rest.measure.name, *SHOWN)))
    summaries = slices.summaries(measures, simultaneous=True, level=against_rest.level)
    table = tabulate_slices(slices.by, summaries)
    context: dict[str, Any] = {
        "title": f"{overall.name or 'Slices'} by {slices.by}",
        "heading": f"{format_count(len(slices), 'slice')}; {overall.summary([]).data.describe()}; "
        f"predicted positive: {slices.cut_words}",
        "verdict": [sentence for sentence in sentences if sentence],
        "cards": [],
        "charts": list(_draw_charts(slices, against_rest)),
        "tables": [
            _view_against_rest(against_rest),
            _view_measures(slices, summaries, against_rest.level),
            _view_fairness(fairness),
        ],
        "notes": slices.notes,
        "level": f"{100 * against_rest.level:g} %",
        "conventions": add_versions(
            {
                "Against the rest": against_rest.how,
                "Intervals": describe_simultaneous_intervals(against_rest.level, len(slices)),
                "Gaps": "All pairs of slices hold at once (Tukey-Kramer; shares by Newcombe's method from mid-P "
                "limits); the largest difference therefore lies between the largest lower and the largest upper limit.",
            }
        ),
    }
    return assemble_page(SECTIONS, context, collect_numbers(make_document(slices, against_rest), table.to_csv()))


def _describe_gap(slices: Slices, against_rest: AgainstRest, gap: Any) -> str:
    equal = " The slices may be equal." if gap.low == 0 else ""
    return (
        f"The largest gap in {against_rest.name} between any two slices by {slices.by} is {format_value(gap.value)} "
        f"({100 * gap.level:g} % interval {format_limits(gap.low, gap.high)}).{equal}"
    )


def _draw_charts(slices: Slices, against_rest: AgainstRest) -> Iterator[View]:
    """Draw the forest plot, and the ROC curves if they can be told apart."""
    from cutline.charts.forest import draw_slice_forest

    yield draw_figure(draw_slice_forest(against_rest.forest, theme=PAGE.name), 0)
    if len(slices) <= MOST_MODELS:
        with contextlib.suppress(CutlineError):  # a slice with one class has no curve
            yield draw_figure(slices.chart("roc", theme=PAGE.name), 1)


def _view_against_rest(against_rest: AgainstRest) -> View:
    ordered, folded = against_rest.by_value, len(against_rest.rows) > 2 * _ENDS
    if folded:
        low, high = against_rest.ends(_ENDS)
        ordered = [*low, *high]
    rows = [
        (
            row.slice,
            row.cases,
            f"{100 * row.prevalence:.1f} %",
            row.value,
            row.rest,
            (row.difference, format_limits(row.low, row.high)),
            format_p_cell(row.p_adjusted, against_rest.p_floor),
            row.verdict,
        )
        for row in ordered
    ]
    differing = [i for i, row in enumerate(ordered) if row.verdict in ("worse", "better", "lower", "higher")]
    caption = f"{against_rest.measure.title}. {against_rest.how}"
    if folded:
        caption += f" {against_rest.describe_ends(_ENDS)}"
    names = ("Slice", "Cases", "Positive", "Value", "Rest", "Difference", "p (adjusted)", "Verdict")
    return view_cells(names, rows, title="Each slice beside all other cases", caption=caption, marked=differing)


def _view_measures(slices: Slices, summaries: Any, level: float) -> View:
    first = next(iter(summaries.values()))
    rows = []
    for key, summary in list(summaries.items())[: 2 * _ENDS + 1]:
        cells: list[Any] = [slices.label(key), summary.data.cases]
        for row in summary.rows:
            low, high = row.interval or (math.nan, math.nan)
            cells.append((row.value if not math.isnan(row.value) else "undefined", format_limits(low, high)))
        rows.append(cells)
    left_out = len(summaries) - len(rows)
    more = f" {left_out} more slices are in the CSV file." if left_out else ""
    return view_cells(
        ("Slice", "Cases", *(row.title for row in first.rows)),
        rows,
        title="Measures of each slice",
        caption=describe_simultaneous_intervals(level, len(slices)) + more,
    )


def _view_fairness(fairness: Fairness) -> View:
    rows = [
        (row["criterion"], (row["value"], format_limits(row["low"], row["high"])), row["note"])
        for row in fairness.table
    ]
    return view_cells(("Criterion", "Value", "Note"), rows, title="Fairness", caption=" ".join(fairness.table.below))
