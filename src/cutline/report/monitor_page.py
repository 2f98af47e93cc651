"""The pages of monitoring: a folder of days since a release, and two periods side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cutline import __version__
from cutline.charts import Picture
from cutline.core.table import Table, p_number, plain, shown
from cutline.monitoring.monitors import Monitor, measure_title
from cutline.monitoring.score_drift import Drift
from cutline.report import chart_specs, pictures
from cutline.report.page import STILL, asset, environment, packed, policy, script, theme_variables
from cutline.report.sections import DRIFT_SECTIONS, MONITOR_SECTIONS, Section, groups

MOST_DAYS = 60  # in the table of the page; the CSV has all
_LATEST = ("measure", "value", "cumulated", "interval", "release", "limit", "status")
_DAYS = ("day", "measure", "cases", "positives", *_LATEST[1:-1], "alarm", "status")
_HEADS = {"value": "that day", "cumulated": "since release", "limit": "alarm limit"}


def monitor_page(monitor: Monitor) -> str:
    """Return the page of a monitor as one file.

    Args:
        monitor: The monitor.
    """
    table, settings = monitor.table, monitor.settings
    rows = [row | {"measure": _title(row["measure"]), "interval": _interval(row)} for row in table]
    last = [row for row in rows if row["measure"] and row["day"] == max(r["day"] for r in rows if r["measure"])]
    days = sorted({row["day"] for row in rows})[-MOST_DAYS:]
    alarms = [(a.day, _title(a.measure), a.value, a.release, a.acknowledged or "no") for a in monitor.alarms]
    waits = any(day.waiting for day in monitor.days) or settings.matures is not None
    all_days = len({row["day"] for row in rows})
    context = {
        "title": settings.model or "Monitoring",
        "heading": monitor.title,
        "verdict": [monitor.verdict],
        "alarms": _table(("day", "measure", "since release", "at release", "acknowledged"), alarms),
        "latest": _table(*_columns(_LATEST, last)),
        "latest_caption": f"{last[0]['day']}: that day, and all days since the release." if last else "",
        "labels": _table(monitor.labels.columns, monitor.labels.rows[-MOST_DAYS:] if waits else ()),
        "days": _table(*_columns(_DAYS, [row for row in rows if row["day"] in days]), marked="alarm"),
        "days_caption": "Every day and measure."
        if all_days <= MOST_DAYS
        else f"The last {MOST_DAYS} of {all_days} days.",
        "notes": [{"kind": "", "text": note, "source": ""} for note in monitor.notes],
        "row_notes": [],
        "conventions": _conventions(monitor),
    }
    charts = [monitor.chart(name) for name in settings.measures] if last else []
    return _render_page(context, charts, MONITOR_SECTIONS, table, monitor.to_dict())


def _interval(row: dict[str, Any]) -> str:
    return "" if row["low"] is None else f"{shown(row['low'])} to {shown(row['high'])}"


def _title(name: str) -> str:
    return measure_title(name) if name else ""


def _conventions(monitor: Monitor) -> dict[str, str]:
    """Return how the numbers were made, in sentences."""
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


def drift_page(drift: Drift) -> str:
    """Return the page of two periods as one file.

    Args:
        drift: What drift() returned.
    """
    names = (drift.reference.name, drift.sample.name)
    performance = drift.performance
    measured = [
        (_title(row["measure"]), *(row[f"value of {name}"] for name in names), row["difference"], _interval(row),
         p_number(row["p_value"]))
        for row in performance or ()
    ]  # fmt: skip
    context = {
        "title": f"{names[0]} and {names[1]}",
        "heading": drift.title,
        "verdict": [drift.verdict],
        "periods": _table(("measure", *names, "difference", "interval", "p"), measured),
        "periods_caption": f"{names[1]} minus {names[0]}, as independent samples, at the same cut; "
        f"{100 * drift.level:g} % intervals.",
        "bins": _table(drift.table.columns, drift.table.rows),
        "bins_caption": f"Quantiles of {names[0]}; the share of each period, and what each bin adds to the index.",
        "notes": [],
        "conventions": {
            "PSI": "Sum of (p - q) ln(p / q) over the bins, a half added to each count. Without drift it is "
            "distributed as (1/n + 1/m) chi-squared; the interval inverts the noncentral law.",
            "Kolmogorov-Smirnov": f"p-value: {drift.ks.method}.",
            "Version": f"cutline {__version__}",
        },
    }
    return _render_page(context, [drift.chart()], DRIFT_SECTIONS, drift.table, drift.to_dict())


def _render_page(
    context: dict[str, Any], charts: Iterable[Picture], sections: tuple[Section, ...], table: Table, document: Any
) -> str:
    """Return the page with its charts as still pictures."""
    specs = [chart_specs.of_picture(chart) for chart in charts]
    context["charts"] = [
        {"title": chart["title"], "notes": chart["notes"], "picture": pictures.still(chart, [], index)}
        for index, chart in enumerate(specs)
    ]
    scripts = {"program": script(STILL)}
    tabs = "\n".join("\t".join("" if v is None else str(plain(v)) for v in row) for row in (table.columns, *table.rows))
    page: str = (
        environment()
        .get_template("page")
        .render(
            **context,
            cards=[],
            skip="verdict",
            groups=groups(context, sections),
            policy=policy(scripts.values()),
            style=asset("style.css") + theme_variables(),
            scripts=scripts,
            data=packed({"document": document, "csv": table.to_csv(), "tabs": tabs}),
        )
    )
    return page


def _columns(names: Sequence[str], rows: Iterable[dict[str, Any]]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    return tuple(names), [tuple(row[name] for name in names) for row in rows]


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], marked: str = "") -> dict[str, Any]:
    """Return a table as the template reads it; columns without content are left out."""
    rows = list(rows)
    used = [i for i in range(len(columns)) if any(row[i] not in (None, "") for row in rows)]
    at = list(columns).index(marked) if marked else None
    return {
        "columns": [
            {"name": _HEADS.get(columns[i], columns[i]), "number": any(isinstance(row[i], int | float) for row in rows)}
            for i in used
        ],
        "rows": [{"cells": [shown(row[i]) for i in used], "marked": at is not None and bool(row[at])} for row in rows],
    }
