"""The page of a quota in each period: what it brings, over the quota, and period by period."""

from __future__ import annotations

import os
from pathlib import Path

from cutline.core import atomic_write
from cutline.core.table import Table
from cutline.quota_periods import QuotaPeriods
from cutline.report import SUFFIXES
from cutline.report.fold_page import plain_page

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
        content = period_page(periods, level).encode()
    elif suffix == ".json":
        content = (atomic_write.json_text(summary.document()) + "\n").encode()
    elif suffix == ".csv":
        content = summary.to_csv().encode()
    else:
        content = periods.chart(level=level).render(suffix)
    return atomic_write.write(target, content, overwrite=overwrite)


def period_page(periods: QuotaPeriods, level: float) -> str:
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
    return plain_page(
        title=periods.name or "A quota in each period",
        heading=periods.title,
        verdict=list(summary.verdict),
        level=f"{100 * level:g} %",
        charts=[
            ("Hit rate over the quota", periods.chart("hit_rate", level=level)),
            ("Qrecall over the quota", periods.chart("qrecall", level=level)),
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
