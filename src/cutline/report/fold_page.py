"""The pages of a cross-validation, and of comparisons over folds or data sets: views of finished results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutline.charts import Picture
from cutline.core.table import Table, are_numbers, shown, shown_limits
from cutline.report import chart_specs, measure_rows, pictures, sections
from cutline.report.page import STILL, asset, environment, packed, policy, script, theme_variables
from cutline.report.sections import FOLD_SECTIONS, groups
from cutline.results.base import versions
from cutline.results.notes import Note
from cutline.results.summary import Row

if TYPE_CHECKING:
    from cutline.dataset_comparison import DatasetComparison
    from cutline.fold_comparison import FoldComparison
    from cutline.fold_evaluation import FoldEvaluation, FoldSummary


def fold_page(folds: FoldEvaluation, summary: FoldSummary) -> str:
    """Return the page of a cross-validation.

    Args:
        folds: The folds, which the charts show.
        summary: The finished summary.
    """
    rows = [row for row in summary.rows if row.value == row.value]
    columns = ("Measure", "Value", f"{100 * summary.level:g} % interval", "Baseline", "Interval by")
    measures = Table(columns, tuple(_cells(row) for row in rows), title="Measures")
    first = [row.measure.name for row in rows if row.measure.card][:6]
    each = folds.fold_table(first) if first else None
    charts = [("ROC curve of each fold", "roc"), ("Precision-recall curve of each fold", "precision_recall")]
    drawable = [(title, folds.chart(name)) for title, name in charts if folds.has_both_classes]
    if folds.ranking.are_probabilities:
        drawable.append(("Out-of-fold reliability", folds.chart("reliability")))
    if folds.has_both_classes:
        drawable.append(("AUC in each fold", folds.chart("folds")))
    return plain_page(
        title=folds.name or "Cross-validation",
        heading=summary.heading,
        verdict=summary.verdict,
        warnings=sections.warnings(summary),
        cards=measure_rows.cards(summary),
        level=f"{100 * summary.level:g} %",
        charts=drawable,
        tables=[measures] + ([each] if each is not None else []),
        notes=summary.notes,
        row_notes=summary.row_notes,
        conventions=summary.conventions,
        document=summary.document(),
        csv=summary.to_csv(),
    )


def _cells(row: Row) -> tuple[Any, ...]:
    interval = " to ".join(shown_limits(*row.interval)) if row.interval else ""
    return row.title, row.value, interval, row.baseline, row.method


def fold_comparison_page(comparison: FoldComparison, level: float) -> str:
    """Return the page of several models on the same folds.

    Args:
        comparison: The comparison.
        level: The level of the intervals.
    """
    table = comparison.summary(level=level)
    names = list(comparison)
    charts = [(f"{a} against {b}", comparison.chart(a=a, b=b)) for a in names for b in names if a < b][:6]
    return plain_page(
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


def dataset_page(comparison: DatasetComparison) -> str:
    """Return the page of several models on several data sets.

    Args:
        comparison: The comparison.
    """
    return plain_page(
        title=f"{len(comparison.models)} models on {len(comparison.datasets)} data sets",
        heading=comparison.friedman_line,
        verdict=[comparison.verdict],
        level=f"{100 * comparison.level:g} %",
        charts=[("Critical difference diagram", comparison.chart())],
        tables=[comparison.rank_table, comparison.table],
        notes=[Note("datasets", text) for text in comparison.notes],
        conventions={"Tests": comparison.method},
        document=comparison.to_dict(),
        csv=comparison.to_csv(),
    )


def plain_page(
    *,
    title: str,
    heading: str,
    verdict: Sequence[str],
    level: str,
    charts: Sequence[tuple[str, Picture]],
    tables: Sequence[Table],
    notes: Sequence[Note],
    conventions: Mapping[str, str],
    document: Mapping[str, Any],
    csv: str,
    cards: Sequence[Any] = (),
    row_notes: Sequence[Note] = (),
    warnings: Sequence[Note] = (),
    words: Mapping[str, str] | None = None,
) -> str:
    """Return a page of sentences, pictures and tables as one file that makes no network requests; its charts speak in
    the words that are given.
    """
    made_with = ", ".join(f"{name} {number}" for name, number in versions().items())
    context = {
        "title": title,
        "heading": heading,
        "verdict": list(verdict),
        "cards": list(cards),
        "level": level,
        "warnings": list(warnings),
        "charts": [_figure(name, picture, i, words or {}) for i, (name, picture) in enumerate(charts)],
        "tables": [_table(table) for table in tables],
        "notes": notes,
        "row_notes": row_notes,
        "conventions": dict(conventions) | {"Versions": made_with},
        "skip": "verdict",
    }
    scripts = {"program": script(STILL)}
    tabs = csv.replace(",", "\t")
    page: str = (
        environment()
        .get_template("page")
        .render(
            **context,
            groups=groups(context, FOLD_SECTIONS),
            policy=policy(scripts.values()),
            style=asset("style.css") + theme_variables(),
            scripts=scripts,
            data=packed({"document": document, "csv": csv, "tabs": tabs}),
        )
    )
    return page


def _figure(title: str, picture: Picture, index: int, words: Mapping[str, str]) -> dict[str, Any]:
    """Return a picture as the template reads it: its colours follow the page into the dark."""
    chart = chart_specs.in_words(chart_specs.of_picture(picture), words)
    notes = [] if words else chart["notes"]  # which are in the words of machine learning
    return {"title": title, "notes": notes, "picture": pictures.still(chart, [], index)}


_NUMBER = re.compile(r"[-+\d.,\s%]*\d[\d.,\s%]*( to [-\d.,\s%]+)?")


def _is_numeric(cells: Sequence[Any]) -> bool:
    """Whether a column holds numbers, or texts such as "4.79 %" and "0.1 to 0.2"."""
    written = [cell for cell in cells if cell not in ("", None)]
    return are_numbers(written) or all(isinstance(cell, str) and _NUMBER.fullmatch(cell) for cell in written)


def _table(table: Table) -> dict[str, Any]:
    """Return a table as the template reads it."""
    chosen = table.shown_columns
    return {
        "title": table.title or "Models",
        "columns": [
            {"name": table.columns[i].replace("_", " "), "is_number": _is_numeric([row[i] for row in table.rows])}
            for i in chosen
        ],
        "rows": [[shown(row[i]) for i in chosen] for row in table.rows],
    }
