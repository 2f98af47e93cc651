"""The data of the charts of several classes, from a finished summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cutline.charts.several_classes import ClassChartData, ClassValue
from cutline.multiclass.class_summary import ClassSummary

if TYPE_CHECKING:
    from cutline.multiclass.one_vs_rest import OneVsRest


def collect_chart_data(model: OneVsRest, summary: ClassSummary | None = None) -> ClassChartData:
    """Collect the values that the charts of several classes show.

    Args:
        model: The classes.
        summary: A finished summary; made when None.
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
    return ClassChartData(model.name, rankings, model.cases.pooled_ranking(), values, model.confusion_matrix.table)
