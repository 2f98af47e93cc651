"""Pages of finished tables: cross-validation, comparisons over folds and data sets, and a quota in each period."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.charts import PAGE
from cutline.core import atomic_write
from cutline.core.escaping import json_text
from cutline.core.table import Table
from cutline.report import SUFFIXES, measure_rows, sections
from cutline.report.html_page import render_plain_page
from cutline.results.notes import Note
from cutline.results.summary import Row

if TYPE_CHECKING:
    from cutline.dataset_comparison import DatasetComparison
    from cutline.folds.comparison import FoldComparison
    from cutline.folds.evaluation import FoldEvaluation, FoldSummary
    from cutline.quota_periods import QuotaPeriods


def render_fold_page(folds: FoldEvaluation, summary: FoldSummary) -> str:
    """Return the page of a cross-validation.

    Args:
        folds: The folds, which the charts show.
        summary: The finished summary.
    """
    rows = [row for row in summary.rows if row.value == row.value]
    columns = ("Measure", "Value", f"{100 * summary.level:g} % interval", "Baseline", "Interval by")
    measures = Table(columns, tuple(_list_cells(row) for row in rows), title="Measures")
    first = [row.measure.name for row in rows if row.measure.card][:6]
    each = folds.fold_table(first) if first else None
    charts = [("ROC curve of each fold", "roc"), ("Precision-recall curve of each fold", "precision_recall")]
    drawable = [(title, folds.chart(name, theme=PAGE.name)) for title, name in charts if folds.has_both_classes]
    if folds.ranking.are_probabilities:
        drawable.append(("Out-of-fold reliability", folds.chart("reliability", theme=PAGE.name)))
    if folds.has_both_classes:
        drawable.append(("AUC in each fold", folds.chart("folds", theme=PAGE.name)))
    return render_plain_page(
        title=folds.name or "Cross-validation",
        heading=summary.heading,
        verdict=summary.verdict,
        warnings=sections.choose_warnings(summary),
        cards=measure_rows.choose_cards(summary),
        level=f"{100 * summary.level:g} %",
        charts=drawable,
        tables=[measures] + ([each] if each is not None else []),
        notes=summary.notes,
        row_notes=summary.row_notes,
        conventions=summary.conventions,
        document=summary.document(),
        csv=summary.to_csv(),
    )


def _list_cells(row: Row) -> tuple[Any, ...]:
    return row.title, row.value, measure_rows.format_limits(*row.interval or (None, None)), row.baseline, row.method


def render_fold_comparison_page(comparison: FoldComparison, level: float) -> str:
    """Return the page of several models on the same folds.

    Args:
        comparison: The comparison.
        level: The level of the intervals.
    """
    table = comparison.summary(level=level)
    names = list(comparison)
    charts = [(f"{a} against {b}", comparison.chart(a=a, b=b, theme=PAGE.name)) for a in names for b in names if a < b][
        :6
    ]
    return render_plain_page(
        title=" and ".join(names) if len(names) < 4 else f"{len(names)} models",
        heading=table.title,
        verdict=comparison.verdict.splitlines()[:6],
        level=f"{100 * level:g} %",
        charts=charts,
        tables=[table],
        notes=comparison.notes,
        conventions={"Tests": "Student's t with the correction of Nadeau and Bengio; Holm's correction for all pairs."},
        document=comparison.to_dict(level=level),
        csv=table.to_csv(),
    )


def render_dataset_page(comparison: DatasetComparison) -> str:
    """Return the page of several models on several data sets.

    Args:
        comparison: The comparison.
    """
    return render_plain_page(
        title=f"{len(comparison.models)} models on {len(comparison.datasets)} data sets",
        heading=comparison.friedman_line,
        verdict=[comparison.verdict],
        level=f"{100 * comparison.level:g} %",
        charts=[("Critical difference diagram", comparison.chart(theme=PAGE.name))],
        tables=[comparison.rank_table, comparison.table],
        notes=[Note("datasets", text) for text in comparison.notes],
        conventions={"Tests": comparison.method},
        document=comparison.to_dict(),
        csv=comparison.to_csv(),
    )


MOST_PERIODS = 60  # in the table of the page; the JSON has all


def save_periods(periods: QuotaPeriods, path: str | os.PathLike[str], *, level: float, overwrite: bool) -> Path:
    """Write what the suffix of the path names: the page, the numbers, or the curve of the hit rate.

    Args:
        periods: The periods.
        path: Where to write.
        level: The level of the intervals.
        overwrite: Whether a file that exists is replaced.
    """
    target, suffix = atomic_write.check_target(path, "periods.html", SUFFIXES, overwrite=overwrite)
    summary = periods.summary(level=level)
    if suffix == ".html":
        content = render_period_page(periods, level).encode()
    elif suffix == ".json":
        content = (json_text(summary.document()) + "\n").encode()
    elif suffix == ".csv":
        content = summary.to_csv().encode()
    else:
        content = periods.chart(level=level).render(suffix)
    return atomic_write.write(target, content, overwrite=overwrite)


def render_period_page(periods: QuotaPeriods, level: float) -> str:
    """Return the page of a quota in each period as one file.

    Args:
        periods: The periods.
        level: The level of the intervals.
    """
    summary = periods.summary(level=level)
    every = periods.table
    first = Table(every.columns, every.rows[:MOST_PERIODS], title=f"Each {periods.by}")
    if len(every.rows) > MOST_PERIODS:
        first = Table(every.columns, first.rows, title=f"The first {MOST_PERIODS} of {len(every.rows)} periods")
    return render_plain_page(
        title=periods.name or "A quota in each period",
        heading=periods.title,
        verdict=list(summary.verdict),
        level=f"{100 * level:g} %",
        charts=[
            ("Hit rate over the quota", periods.chart("hit_rate", level=level, theme=PAGE.name)),
            ("Qrecall over the quota", periods.chart("qrecall", level=level, theme=PAGE.name)),
        ],
        tables=[Table(summary.table.columns, summary.table.rows, "All periods together", summary.table.hidden), first],
        notes=summary.notes,
        row_notes=summary.row_notes,
        conventions={
            "Quota": "The first places of each period; cases with the same score share the places that they may hold.",
            "Intervals": "Periods vary as a whole: ratio estimator over the periods, Student's distribution.",
        },
        document=summary.document(),
        csv=summary.to_csv(),
    )
