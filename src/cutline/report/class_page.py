"""The page of several classes: a view of a finished summary of one model, or of several on the same cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutline.charts import CHARTS
from cutline.charts.several_classes import DrawnClasses
from cutline.classes.class_summary import ClassRow, ClassSummary
from cutline.classes.difference_summary import ClassComparisonSummary
from cutline.core.counts import written
from cutline.core.wording import listed
from cutline.report import chart_specs, class_verdict, pictures
from cutline.report.page import asset, environment, packed, policy, script, theme_variables
from cutline.report.sections import CLASS_SECTIONS, groups

MODULES = ("files", "shell", "still")
# Each with its parameters; the confusion matrix is a real table on the page.
CHARTS_SHOWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("class_roc", {}),
    ("class_measures", {"shown": "auc"}),
    ("class_measures", {"shown": "average_precision"}),
    ("class_measures", {"shown": "f1"}),
)
CARDS = (
    ("auc", "macro mean"),
    ("hand_till_m", "all pairs"),
    ("average_precision", "macro mean"),
    ("accuracy", "all classes"),
    ("f1", "macro mean"),
    ("recall", "macro mean"),
    ("mcc", "all classes"),
    ("log_loss", "all classes"),
    ("ranked_probability_score", "all classes"),  # where the classes have an order
)


def class_page(summary: ClassSummary | ClassComparisonSummary, drawn: Mapping[str, DrawnClasses]) -> str:
    """The page as one file.

    Args:
        summary: The finished summary.
        drawn: What the charts of each model show.
    """
    is_one = isinstance(summary, ClassSummary)
    models = {summary.name or "the model": summary} if isinstance(summary, ClassSummary) else dict(summary.models)
    first = next(iter(models.values()))
    versions = ", ".join(f"{name} {number}" for name, number in summary.versions.items())
    context = {
        "title": (first.name or "Several classes") if is_one else listed(list(models)),
        "heading": first.data.words(),
        "verdict": class_verdict.verdict(summary),
        "cards": list(_cards(first)) if is_one else [],
        "differences": [] if isinstance(summary, ClassSummary) else _differences(summary),
        "models": [_model(name, own) for name, own in models.items()],
        "charts": list(_charts(drawn)),
        "notes": summary.notes,
        "level": f"{100 * summary.level:g} %",
        "conventions": summary.conventions | {"Versions": versions},
        "skip": "verdict",
    }
    scripts = {"program": script(MODULES)}
    csv = summary.to_csv()
    data = {"document": summary.document(), "csv": csv, "tabs": _tabs(summary.to_dict())}
    page: str = (
        environment()
        .get_template("page")
        .render(
            **context,
            groups=groups(context, CLASS_SECTIONS),
            policy=policy(scripts.values()),
            style=asset("style.css") + theme_variables(),
            scripts=scripts,
            data=packed(data),
        )
    )
    return page


def _tabs(rows: list[dict[str, Any]]) -> str:
    """The rows with tabs between the cells, as a spreadsheet takes them from the clipboard."""
    head = list(rows[0]) if rows else []
    lines = [head, *(["" if cell is None else str(cell) for cell in row.values()] for row in rows)]
    return "\n".join("\t".join(line) for line in lines)


def _view(row: ClassRow) -> dict[str, Any]:
    """A row as the templates read it."""
    low, high = row.interval or (None, None)
    return {
        "title": row.title,
        "of": row.of,
        "value": row.value,
        "low": low,
        "high": high,
        "range": row.range,
        "baseline": row.baseline,
        "method": row.method,
        "reason": row.reason or ("" if row.interval else " ".join(row.estimate.notes[:1])),
    }


def _cards(summary: ClassSummary) -> Iterator[dict[str, Any]]:
    by_name = {(row.measure, row.of): row for row in summary.of_scope("mean", "all")}
    for key in CARDS:
        row = by_name.get(key)
        if row is not None and row.value == row.value:
            of = "" if row.of == "all classes" else f", {row.of}"
            yield _view(row) | {"title": f"{row.title}{of}", "unit": "", "facts": {"meaning": f"{row.title}, {row.of}"}}


def _model(name: str, summary: ClassSummary) -> dict[str, Any]:
    """The tables of one model."""
    own = summary.of_scope("class")
    measures = list(dict.fromkeys(row.measure for row in own))
    by_class = {(row.of, row.measure): _view(row) for row in own}
    names = [str(label) for label in summary.data.classes]
    sizes = [written(size) for size in summary.data.sizes]
    return {
        "name": name,
        "names": names,
        "titles": list(dict.fromkeys(row.title for row in own)),
        "classes": [
            {"name": label, "cases": size, "cells": [by_class[(label, measure)] for measure in measures]}
            for label, size in zip(names, sizes, strict=True)
        ],
        "matrix": [_matrix_row(summary, i) for i in range(len(names))],
        "overall": [_view(row) for row in summary.of_scope("all", "mean")],
    }


def _matrix_row(summary: ClassSummary, i: int) -> dict[str, Any]:
    row = summary.matrix.table[i]
    total = float(row.sum())
    cells = [
        {
            "count": written(count),
            "share": f"{100 * float(count) / total:.3g} %" if total else "",
            "kind": "right" if i == j else "wrong" if count else "",
        }
        for j, count in enumerate(row)
    ]
    return {"name": str(summary.data.classes[i]), "cells": cells, "all": written(total)}


def _differences(summary: ClassComparisonSummary) -> list[dict[str, Any]]:
    return [
        {
            "title": row.title,
            "of": row.of,
            "a": row.test.a,
            "b": row.test.b,
            "value_a": row.value_a,
            "value_b": row.value_b,
            "difference": row.test.difference,
            "low": row.low if row.interval else None,
            "high": row.high if row.interval else None,
            "p_holm": row.test.p_holm,
            "conclusion": row.conclusion(summary.level),
        }
        for row in summary.rows
    ]


def _charts(drawn: Mapping[str, DrawnClasses]) -> Iterator[dict[str, Any]]:
    """The charts of each model as still pictures."""
    index = 0
    for name, one in drawn.items():
        for kind, parameters in CHARTS_SHOWN:
            if not any(value.measure == parameters.get("shown", "auc") for value in one.values):
                continue
            suffix = f" of {name}" if len(drawn) > 1 else ""
            chart = chart_specs.tried(CHARTS[kind], one, [], suffix, **parameters)
            picture = "" if chart["spec"] is None else pictures.still(chart, [], index)
            yield {"title": chart["title"], "notes": chart["notes"], "picture": picture}
            index += 1
