"""The page of several classes: a view of a finished summary of one model, or of several on the same cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cutline.charts import CHARTS
from cutline.charts.several_classes import ClassChartData
from cutline.core.counts import format_number
from cutline.core.messages import join_with_and, lower_title
from cutline.core.table import format_value
from cutline.multiclass.class_summary import ClassComparisonSummary, ClassDifference, ClassRow, ClassSummary
from cutline.report import chart_specs
from cutline.report.html_page import CONVENTIONS, Section, add_versions, assemble_page, collect_numbers

SECTIONS = (
    Section("verdict", "Verdict"),
    Section("differences", "Models side by side", "Models", appears=lambda context: bool(context["differences"])),
    Section("pictures", "Charts"),
    Section("classes", "Each class"),
    Section("matrix", "Confusion matrix", "Confusion"),
    Section("overall", "Means over the classes, and all classes together", "All classes"),
    Section("notes", "Notes"),
    CONVENTIONS,
)


def write_verdict(summary: ClassSummary | ClassComparisonSummary) -> list[str]:
    """Return the sentences on one model, or on which of several is better."""
    if isinstance(summary, ClassComparisonSummary):
        return [_describe_difference(summary)]
    sentences = [
        _describe_areas(summary),
        _describe_decisions(summary),
        _describe_extremes(summary),
        _describe_confusion(summary),
    ]
    return [sentence for sentence in sentences if sentence]


def _find_row(summary: ClassSummary, measure: str, of: str) -> ClassRow | None:
    rows = [row for row in summary.rows if row.measure == measure and row.of == of and row.scope != "class"]
    return rows[0] if rows else None


def _format_interval(row: ClassRow, percent: bool = False) -> str:
    if row.interval is None:
        return ""
    low, high = (f"{100 * limit:.1f} %" if percent else format_value(limit) for limit in row.interval)
    return f" ({100 * row.estimate.level:g} % interval {low} to {high})"


def _describe_areas(summary: ClassSummary) -> str:
    row = _find_row(summary, "auc", "macro mean")
    if row is None:
        return ""
    if math.isnan(row.value):
        return f"The mean AUC over the classes is undefined: {row.reason}."
    probability = f"{format_value(row.value)}{_format_interval(row)}"
    return (
        f"On average over the {len(summary.data.classes)} classes, a case of a class gets a higher score for it than a "
        f"case of another class with probability {probability}; scores without information reach 0.5."
    )


def _describe_decisions(summary: ClassSummary) -> str:
    row = _find_row(summary, "accuracy", "all classes")
    if row is None or math.isnan(row.value):
        return ""
    baseline = f"; without information, the same predictions would give {100 * float(row.baseline or 0):.1f} %"
    return (
        f"When each case is assigned to the class of its highest score, {100 * row.value:.1f} % of the predictions "
        "are right"
        f"{_format_interval(row, percent=True)}{baseline}."
    )


def _describe_extremes(summary: ClassSummary) -> str:
    """Return the sentence on the classes with the highest and the lowest AUC."""
    rows = [row for row in summary.of_scope("class") if row.measure == "auc" and not math.isnan(row.value)]
    if len(rows) < 2:
        return ""
    worst, best = min(rows, key=lambda row: row.value), max(rows, key=lambda row: row.value)
    if worst.value == best.value:
        return ""
    return (
        f"The class recognised best is {best.of} (AUC {format_value(best.value)}), the one recognised worst {worst.of} "
        f"({format_value(worst.value)})."
    )


def _describe_confusion(summary: ClassSummary) -> str:
    """Return the sentence on the most frequent error."""
    errors = summary.matrix.table - np.diag(np.diag(summary.matrix.table))
    if not errors.max() > 0:
        return "No case is misclassified."
    real, predicted = np.unravel_index(int(errors.argmax()), errors.shape)
    cases, names = format_number(errors[real, predicted]), [str(label) for label in summary.data.classes]
    return f"The most frequent error: {cases} cases of {names[real]} are predicted {names[predicted]}."


def _describe_difference(summary: ClassComparisonSummary) -> str:
    known = [(row.measure, row.of) for row in summary.rows]
    deciding = ("auc", "macro mean") if ("auc", "macro mean") in known else known[0]  # the first, where there is no AUC
    rows = [row for row in summary.rows if (row.measure, row.of) == deciding]
    by = f"By {lower_title(rows[0].title)} ({rows[0].of})"
    significant = [row for row in rows if row.better_model(summary.level)]
    if not significant:
        return f"{by}, no two models differ significantly on these cases."
    return f"{by}: {'; '.join(_describe_better(row, summary.level) for row in significant)}."


def _describe_better(row: ClassDifference, level: float) -> str:
    """Describe which of two models is better, and by how much."""
    other = row.test.b if row.better_model(level) == row.test.a else row.test.a
    return f"{row.better_model(level)} is better than {other} by {format_value(abs(row.test.difference))}"


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


def render_class_page(summary: ClassSummary | ClassComparisonSummary, classes: Mapping[str, ClassChartData]) -> str:
    """Return the page as one file.

    Args:
        summary: The finished summary.
        classes: The data of the charts of each model.
    """
    is_one = isinstance(summary, ClassSummary)
    models = {summary.name or "the model": summary} if isinstance(summary, ClassSummary) else dict(summary.models)
    first = next(iter(models.values()))
    context = {
        "title": (first.name or "Several classes") if is_one else join_with_and(list(models)),
        "heading": first.data.describe(),
        "verdict": write_verdict(summary),
        "cards": list(_list_cards(first)) if is_one else [],
        "differences": [] if isinstance(summary, ClassSummary) else _list_differences(summary),
        "models": [_view_model(name, own) for name, own in models.items()],
        "charts": list(_draw_charts(classes)),
        "notes": summary.notes,
        "level": f"{100 * summary.level:g} %",
        "conventions": add_versions(summary.conventions, summary.versions),
    }
    return assemble_page(SECTIONS, context, collect_numbers(summary.document(), summary.to_csv()))


def _view_row(row: ClassRow) -> dict[str, Any]:
    """Return a row as the templates read it."""
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


def _list_cards(summary: ClassSummary) -> Iterator[dict[str, Any]]:
    by_name = {(row.measure, row.of): row for row in summary.of_scope("mean", "all")}
    for key in CARDS:
        row = by_name.get(key)
        if row is not None and row.value == row.value:
            of = "" if row.of == "all classes" else f", {row.of}"
            yield _view_row(row) | {
                "title": f"{row.title}{of}",
                "unit": "",
                "facts": {"meaning": f"{row.title}, {row.of}"},
            }


def _view_model(name: str, summary: ClassSummary) -> dict[str, Any]:
    """Return the tables of one model."""
    own = summary.of_scope("class")
    measures = list(dict.fromkeys(row.measure for row in own))
    by_class = {(row.of, row.measure): _view_row(row) for row in own}
    names = [str(label) for label in summary.data.classes]
    sizes = [format_number(size) for size in summary.data.sizes]
    return {
        "name": name,
        "names": names,
        "titles": list(dict.fromkeys(row.title for row in own)),
        "classes": [
            {"name": label, "cases": size, "cells": [by_class[(label, measure)] for measure in measures]}
            for label, size in zip(names, sizes, strict=True)
        ],
        "matrix": [_view_matrix_row(summary, i) for i in range(len(names))],
        "overall": [_view_row(row) for row in summary.of_scope("all", "mean")],
    }


def _view_matrix_row(summary: ClassSummary, i: int) -> dict[str, Any]:
    row = summary.matrix.table[i]
    total = float(row.sum())
    cells = [
        {
            "count": format_number(count),
            "share": f"{100 * float(count) / total:.3g} %" if total else "",
            "kind": "right" if i == j else "wrong" if count else "",
        }
        for j, count in enumerate(row)
    ]
    return {"name": str(summary.data.classes[i]), "cells": cells, "all": format_number(total)}


def _list_differences(summary: ClassComparisonSummary) -> list[dict[str, Any]]:
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


def _draw_charts(classes: Mapping[str, ClassChartData]) -> Iterator[dict[str, Any]]:
    """Draw the charts of each model as still pictures."""
    index = 0
    for name, model in classes.items():
        for kind, parameters in CHARTS_SHOWN:
            if not any(value.measure == parameters.get("shown", "auc") for value in model.values):
                continue
            suffix = f" of {name}" if len(classes) > 1 else ""
            chart = chart_specs.draw_chart(CHARTS[kind], model, [], suffix, **parameters)
            picture = "" if chart["spec"] is None else chart_specs.render_still(chart, [], index)
            yield {"title": chart["title"], "notes": chart["notes"], "picture": picture, "index": index}
            index += 1
