"""The pages of monitoring: a folder of days since a release, and two periods side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cutline import __version__
from cutline.charts import PAGE
from cutline.core.table import format_p_cell, format_value
from cutline.monitoring.monitors import Monitor, measure_title
from cutline.monitoring.score_drift import Drift
from cutline.report.html_page import (
    CONVENTIONS,
    Context,
    Section,
    View,
    assemble_page,
    collect_numbers,
    draw_figure,
    view_cells,
)

MOST_DAYS = 60  # in the table of the page; the CSV has all
_LATEST = ("measure", "value", "cumulated", "interval", "release", "limit", "status")
_DAYS = ("day", "measure", "cases", "positives", *_LATEST[1:-1], "alarm", "status")
_HEADS = {"value": "that day", "cumulated": "since release", "limit": "alarm limit"}


def _has_rows(name: str) -> Callable[[Context], bool]:
    return lambda context: bool(context["table_of"][name]["rows"])


MONITOR_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("alarms", "Alarms", part="table", appears=_has_rows("alarms")),
    Section("pictures", "Since release", "Charts"),
    Section("latest", "The last day", "Last day", part="table", appears=_has_rows("latest")),
    Section("labels", "Labels that come late", "Labels", part="table", appears=_has_rows("labels")),
    Section("notes", "Notes"),
    Section("days", "Every day", "Days", part="table", folded=True),
    CONVENTIONS,
)
DRIFT_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("periods", "Measures of both periods", "Measures", part="table", appears=_has_rows("periods")),
    Section("pictures", "Distribution of scores", "Charts"),
    Section("bins", "Bins of scores", "Bins", part="table"),
    CONVENTIONS,
)


def render_monitor_page(monitor: Monitor) -> str:
    """Return the page of a monitor as one file.

    Args:
        monitor: The monitor.
    """
    table, settings = monitor.table, monitor.settings
    rows = [row | {"measure": _name_measure(row["measure"]), "interval": _format_interval(row)} for row in table]
    last = [row for row in rows if row["measure"] and row["day"] == max(r["day"] for r in rows if r["measure"])]
    days = sorted({row["day"] for row in rows})[-MOST_DAYS:]
    alarms = [(a.day, _name_measure(a.measure), a.value, a.release, a.acknowledged or "no") for a in monitor.alarms]
    waits = any(day.waiting for day in monitor.days) or settings.matures is not None
    all_days = len({row["day"] for row in rows})
    context = {
        "title": settings.model or "Monitoring",
        "heading": monitor.title,
        "verdict": [monitor.verdict],
        "table_of": {
            "alarms": _view_table(
                ("day", "measure", "since release", "at release", "acknowledged"),
                alarms,
                "Days on which a measure was shown to be worse than at release.",
            ),
            "latest": _view_table(
                *_select_columns(_LATEST, last),
                f"{last[0]['day']}: that day, and all days since the release." if last else "",
            ),
            "labels": _view_table(
                monitor.labels.columns,
                monitor.labels.rows[-MOST_DAYS:] if waits else (),
                "Days are used when their labels are complete.",
            ),
            "days": _view_table(
                *_select_columns(_DAYS, [row for row in rows if row["day"] in days]),
                "Every day and measure." if all_days <= MOST_DAYS else f"The last {MOST_DAYS} of {all_days} days.",
                marked="alarm",
            ),
        },
        "charts": [
            draw_figure(monitor.chart(name, theme=PAGE.name), i)
            for i, name in enumerate(settings.measures if last else ())
        ],
        "notes": [{"kind": "", "text": note, "source": ""} for note in monitor.notes],
        "row_notes": [],
        "conventions": _describe_conventions(monitor),
    }
    return assemble_page(MONITOR_SECTIONS, context, collect_numbers(monitor.to_dict(), table.to_csv()))


def _format_interval(row: dict[str, Any]) -> str:
    return "" if row["low"] is None else f"{format_value(row['low'])} to {format_value(row['high'])}"


def _name_measure(name: str) -> str:
    return measure_title(name) if name else ""


def _describe_conventions(monitor: Monitor) -> dict[str, str]:
    """Describe how the numbers were made."""
    settings = monitor.settings
    worse = ", ".join(f"{name} {value:g}" for name, value in settings.worse_by.items())
    return {
        "Cut": f"Score {settings.threshold:g}, the same on every day.",
        "Proportions": "Beta-binomial mixture e-process, exact; the limit of the release is Clopper-Pearson's.",
        "Calibration": "Mixture of bets on observed minus predicted, overall and in ten bins of probability; exact.",
        "Other measures": "Asymptotic confidence sequence on the scale of the measure, from 20 cases of each class.",
        "Error probability": f"{100 * (1 - settings.level):g} % for all measures and days together; of each measure's "
        "share, 40 % goes to the limit of the release and 60 % to the days.",
        "Tolerated loss": worse or "none",
        "Alarm": "ever" if settings.alarm == "ever" else f"every {settings.run_length:,} days at most, on average",
        "Version": f"cutline {__version__}",
    }


def render_drift_page(drift: Drift) -> str:
    """Return the page of two periods as one file.

    Args:
        drift: The result of drift().
    """
    names = (drift.reference.name, drift.sample.name)
    performance = drift.performance
    measured = [
        (
            _name_measure(row["measure"]),
            *(row[f"value of {name}"] for name in names),
            row["difference"],
            _format_interval(row),
            format_p_cell(row["p_value"]),
        )
        for row in performance or ()
    ]
    context = {
        "title": f"{names[0]} and {names[1]}",
        "heading": drift.title,
        "verdict": [drift.verdict],
        "table_of": {
            "periods": _view_table(
                ("measure", *names, "difference", "interval", "p"),
                measured,
                f"{names[1]} minus {names[0]}, as independent samples, at the same cut; "
                f"{100 * drift.level:g} % intervals.",
            ),
            "bins": _view_table(
                drift.table.columns,
                drift.table.rows,
                f"Quantiles of {names[0]}; the share of each period, and what each bin adds to the index.",
            ),
        },
        "charts": [draw_figure(drift.chart(theme=PAGE.name), 0)],
        "notes": [],
        "conventions": {
            "PSI": "Sum of (p - q) ln(p / q) over the bins, a half added to each count. Without drift it is "
            "distributed as (1/n + 1/m) chi-squared; the interval inverts the noncentral law.",
            "Kolmogorov-Smirnov": f"p-value: {drift.ks.method}.",
            "Version": f"cutline {__version__}",
        },
    }
    return assemble_page(DRIFT_SECTIONS, context, collect_numbers(drift.to_dict(), drift.table.to_csv()))


def _select_columns(
    names: Sequence[str], rows: Iterable[dict[str, Any]]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    return tuple(names), [tuple(row[name] for name in names) for row in rows]


def _view_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str, marked: str = "") -> View:
    """Return a table for the template, without empty columns."""
    rows = list(rows)
    filled = [i for i in range(len(columns)) if any(row[i] not in (None, "") for row in rows)]
    at = list(columns).index(marked) if marked else None
    return view_cells(
        [_HEADS.get(columns[i], columns[i]) for i in filled],
        [[row[i] for i in filled] for row in rows],
        caption=caption,
        marked=[] if at is None else [place for place, row in enumerate(rows) if row[at]],
    )
