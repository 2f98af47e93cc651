"""The data of the charts of several classes, from a finished summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cutline.charts.several_classes import ClassValue, DrawnClasses
from cutline.multiclass.class_summary import ClassSummary

if TYPE_CHECKING:
    from cutline.multiclass.one_vs_rest import OneVsRest


def classes_to_draw(model: OneVsRest, summary: ClassSummary | None = None) -> DrawnClasses:
    """Return the classes with the values that their charts show.

    Args:
        model: The classes.
        summary: A finished summary, whose numbers are shown; made when None.
    """
    rows = (model.summary() if summary is None else summary).of_scope("class", "mean")
    values = [
        ClassValue(
            row.measure,
            row.title,
            row.of,
            row.scope == "class",
            row.value,
            row.estimate.low,
            row.estimate.high,
            math.nan if row.baseline is None else row.baseline,
        )
        for row in sorted(rows, key=lambda row: row.scope)
    ]
    rankings = {str(label): ranking for label, ranking in model.rankings.items()}
    return DrawnClasses(model.name, rankings, model.cases.pooled_ranking(), values, model.confusion_matrix.table)
