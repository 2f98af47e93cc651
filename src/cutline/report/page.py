"""One self-contained page: template, style, program and data in one file that asks nobody for anything."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from cutline.charts import DARK, LIGHT, vega
from cutline.comparison import Comparison
from cutline.core.table import plain, shown
from cutline.evaluation import Evaluation
from cutline.inference.two.confidence_curve import ConfidenceCurve
from cutline.report import chart_specs, kept_cuts, measure_rows, ranking_table, verdict
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.estimate import quantile
from cutline.results.summary import Summary

# In the order in which they need each other: the page has them as one program.
MODULES = ("format", "ranking", "measures", "intervals", "points", "charts", "live", "numbers", "main")
AXES = {"roc": "By false positive rate", "quota": "By quota", "precision_recall": "By recall"}
MOST_ROWS = 30  # of tests of differences that stand in one open table
MOST_PAIRS = 6  # of which each gets a chart of its difference


def of_evaluation(evaluation: Evaluation, summary: Summary) -> str:
    """The page of one model."""
    library = in_background(vega)
    rows = measure_rows.rows_of(summary)
    name = evaluation.name or "the model"
    context = {
        "title": evaluation.name or "Evaluation",
        "heading": summary.title.removeprefix(f"{evaluation.name}: "),
        "verdict": verdict.verdict(evaluation, summary),
        "cards": measure_rows.cards(rows),
        "notes": summary.notes,
        "comparison": None,
        "live": measure_rows.by_question(rows, live=True),
        "others": measure_rows.by_question(rows, live=False),
    }
    return _page({name: evaluation}, context, summary, rows, library)


def of_comparison(comparison: Comparison, summary: ComparisonSummary) -> str:
    """The page of several models."""
    library = in_background(vega)
    rows = {name: measure_rows.rows_of(own) for name, own in summary.models.items()}
    context = {
        "title": " and ".join(comparison.names) if len(comparison) < 4 else f"{len(comparison)} models",
        "heading": summary.title,
        "verdict": verdict.verdict_on(comparison, summary),
        "cards": [],
        "notes": summary.notes,
        "comparison": _side_by_side(summary, rows) | {"about": ""},
        "live": measure_rows.by_question(next(iter(rows.values())), live=True),
        "others": [],
    }
    flat = [{"model": name} | row for name, own in rows.items() for row in own]
    confidence = summary.confidence if len(summary.confidence) <= MOST_PAIRS else ()
    return _page(dict(comparison.items()), context, summary, flat, library, confidence)


def _side_by_side(summary: ComparisonSummary, rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The tables of several models: measures by model, differences by pair, and who is best where."""
    by_name = {model: {row["measure"]: row for row in own} for model, own in rows.items()}
    groups = []
    for group in measure_rows.by_question(next(iter(rows.values())), live=False):
        lines = [(row, [by_name[model][row["measure"]] for model in rows]) for row in group["rows"]]
        groups.append({"question": group["question"], "rows": [row | {"cells": _best(row, c)} for row, c in lines]})
    headlines = [
        group | {"rows": own}
        for group in groups
        if (own := [row for row in group["rows"] if row["definition"].headline])
    ]
    return {
        "models": list(rows),
        "headlines": headlines,
        "groups": groups,
        "differences": _by_measure(summary),
        "verdict": summary.verdict if len(summary.verdict) > 1 else (),
        "dominance": {title: summary.dominance[curve].verdict for curve, title in AXES.items()},
    }


def _by_measure(summary: ComparisonSummary) -> list[dict[str, Any]]:
    """The tests of differences: in one table when there are few, else measure by measure, each with its outcome."""
    rows = [cells | {"title": row.title} for cells, row in zip(summary.to_dict(), summary.rows, strict=True)]
    if len(rows) <= MOST_ROWS:
        return [{"summary": "", "rows": rows}]
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["title"], []).append(row)
    return [{"summary": f"{title}: {_told_apart(own, summary.level)}", "rows": own} for title, own in groups.items()]


def _told_apart(rows: list[dict[str, Any]], level: float) -> str:
    tested = [row["p_holm"] for row in rows if row["p_holm"] is not None]
    apart = sum(p_value <= 1 - level for p_value in tested)
    return f"{apart} of {len(tested)} pairs differ significantly (Holm)" if tested else "no pair can be compared"


def _best(row: dict[str, Any], cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cells of a row, marked where the value is the best of all."""
    known = [cell["value"] for cell in cells if not math.isnan(cell["value"])]
    if row["better"] is None or len(known) < 2:
        return cells
    best = max(known) if row["better"] == "higher" else min(known)
    return [cell | {"best": cell["value"] == best} for cell in cells]


# ---------------------------------------------------------------------- the page


def _page(
    models: dict[str, Evaluation],
    context: dict[str, Any],
    summary: Summary | ComparisonSummary,
    rows: list[dict[str, Any]],
    library: Future[str],
    differences: Sequence[ConfidenceCurve] = (),
) -> str:
    from jinja2 import Environment

    level = summary.level
    pictures = list(chart_specs.charts(models, differences))
    data = {
        "models": [kept_cuts.embedded(evaluation, name, len(models)) for name, evaluation in models.items()],
        "measures": measure_rows.count_measures(),
        "charts": pictures,
        "level": level,
        "z": quantile(level),
        "document": summary.document(),
        "rows": [
            {key: plain(value) for key, value in row.items() if key not in ("facts", "definition")} for row in rows
        ],
    }
    scripts = {"library": library.result(), "program": script()}
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"shown": _shown, "interval": measure_rows.interval, "scale": measure_rows.scale}
    first = next(iter(models.values()))
    return environment.from_string(asset("page.html")).render(
        **context,
        policy=_policy(scripts.values()),
        style=asset("style.css") + _theme_variables(),
        scripts=scripts,
        data=packed(data),
        charts=[{key: picture[key] for key in ("name", "title", "notes")} for picture in pictures],
        models=list(models),
        rankings=[ranking_table.ranking_table(evaluation, name) for name, evaluation in models.items()],
        ranking_columns=ranking_table.COLUMNS,
        undrawn=chart_specs.undrawn(len(models)),
        conventions=_conventions(summary),
        left_out=kept_cuts.left_out(first, len(models)),
        level=f"{100 * level:g} %",
        higher=first.ranking.higher_is_positive,
        grouped=first.groups is not None,
    )


def _conventions(summary: Summary | ComparisonSummary) -> dict[str, str]:
    one = next(iter(summary.models.values())) if isinstance(summary, ComparisonSummary) else summary
    made = ", ".join(f"{name} {number}" for name, number in one.versions.items())
    return one.conventions | {"Versions": made}


def packed(data: Any) -> str:
    """Data as text that no markup can be hidden in, in a tenth of the bytes: JSON, compressed, in base 64."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=_plain)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _plain(value: Any) -> Any:
    return plain(value.item()) if isinstance(value, np.generic) else str(value)


def in_background(work: Callable[[], str]) -> Future[str]:
    """The promise of a text that another thread makes meanwhile."""
    pool = ThreadPoolExecutor(1)
    promised = pool.submit(work)
    pool.shutdown(wait=False)
    return promised


@cache
def script() -> str:
    """The modules of the page as one program."""
    text = "\n".join(asset(f"{name}.js") for name in MODULES)
    return re.sub(r"^(?:import .*\n|export )", "", text, flags=re.MULTILINE)


def asset(name: str) -> str:
    """A file of the page."""
    return (files("cutline.report") / "assets" / name).read_text(encoding="utf-8")


def _policy(programs: Any) -> str:
    """What the browser may do: run these very programs and use this style. Nothing can be fetched or sent."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(p.encode()).digest()).decode()}'" for p in programs)
    rules = ("default-src 'none'", f"script-src {hashes}", "style-src 'unsafe-inline'", "img-src data:")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def _theme_variables() -> str:
    """The colours of the charts' two themes as variables of the style."""

    def variables(theme: Any) -> str:
        named = {f"--line-{i}": colour for i, colour in enumerate(theme.lines)} | {
            "--ink": theme.text,
            "--grid": theme.grid,
            "--reference": theme.reference,
            "--ground": theme.ground,
        }
        return ";".join(f"{name}:{colour}" for name, colour in named.items())

    dark = variables(DARK)
    return (
        f"\n:root{{{variables(LIGHT)}}}\n:root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root[data-theme=dark]{{{variables(LIGHT)}}}}}\n"
    )


def _shown(value: Any) -> str:
    return "" if value is None else shown(float(value))
