"""What a model of several classes is worth, in a few sentences."""

from __future__ import annotations

import math

import numpy as np

from cutline.classes.class_summary import ClassRow, ClassSummary
from cutline.classes.difference_summary import ClassComparisonSummary, ClassDifference
from cutline.core.counts import written
from cutline.core.table import shown


def verdict(summary: ClassSummary | ClassComparisonSummary) -> list[str]:
    """The sentences of one model, or which of several is better."""
    if isinstance(summary, ClassComparisonSummary):
        return [_difference(summary)]
    found = [_areas(summary), _decisions(summary), _ends(summary), _confused(summary)]
    return [sentence for sentence in found if sentence]


def _row(summary: ClassSummary, measure: str, of: str) -> ClassRow | None:
    found = [row for row in summary.rows if row.measure == measure and row.of == of and row.scope != "class"]
    return found[0] if found else None


def _interval(row: ClassRow, percent: bool = False) -> str:
    if row.interval is None:
        return ""
    low, high = (f"{100 * limit:.1f} %" if percent else shown(limit) for limit in row.interval)
    return f" ({100 * row.estimate.level:g} % interval {low} to {high})"


def _areas(summary: ClassSummary) -> str:
    row = _row(summary, "auc", "macro mean")
    if row is None:
        return ""
    if math.isnan(row.value):
        return f"The mean AUC over the classes is undefined: {row.reason}."
    return (
        f"On average over the {len(summary.data.classes)} classes, a case of a class gets a higher score for it than a "
        f"case of another class with probability {shown(row.value)}{_interval(row)}; scores without information reach "
        "0.5."
    )


def _decisions(summary: ClassSummary) -> str:
    row = _row(summary, "accuracy", "all classes")
    if row is None or math.isnan(row.value):
        return ""
    baseline = f"; without information, the same predictions would give {100 * float(row.baseline or 0):.1f} %"
    return (
        f"When each case goes to the class of its highest score, {100 * row.value:.1f} % of the predictions are right"
        f"{_interval(row, percent=True)}{baseline}."
    )


def _ends(summary: ClassSummary) -> str:
    """The class that is told best, and the one that is told worst."""
    rows = [row for row in summary.of_scope("class") if row.measure == "auc" and not math.isnan(row.value)]
    if len(rows) < 2:
        return ""
    worst, best = min(rows, key=lambda row: row.value), max(rows, key=lambda row: row.value)
    if worst.value == best.value:
        return ""
    return (
        f"The class told best is {best.of} (AUC {shown(best.value)}), the one told worst {worst.of} "
        f"({shown(worst.value)})."
    )


def _confused(summary: ClassSummary) -> str:
    """The most frequent error."""
    errors = summary.matrix.table - np.diag(np.diag(summary.matrix.table))
    if not errors.max() > 0:
        return "No case is predicted wrong."
    real, said = np.unravel_index(int(errors.argmax()), errors.shape)
    names = [str(label) for label in summary.data.classes]
    return f"The most frequent error: {written(errors[real, said])} cases of {names[real]} are predicted {names[said]}."


def _difference(summary: ClassComparisonSummary) -> str:
    known = [(row.measure, row.of) for row in summary.rows]
    asked = ("auc", "macro mean") if ("auc", "macro mean") in known else known[0]  # the first, where there is no AUC
    rows = [row for row in summary.rows if (row.measure, row.of) == asked]
    by = f"By {rows[0].title[0].lower()}{rows[0].title[1:]} ({rows[0].of})"
    told = [row for row in rows if row.better_model(summary.level)]
    if not told:
        return f"{by}, no two models differ significantly on these cases."
    return f"{by}: {'; '.join(_told(row, summary.level) for row in told)}."


def _told(row: ClassDifference, level: float) -> str:
    """Which of two models is better than the other, and by how much."""
    other = row.test.b if row.better_model(level) == row.test.a else row.test.a
    return f"{row.better_model(level)} is better than {other} by {shown(abs(row.test.difference))}"
