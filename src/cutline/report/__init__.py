"""The report: one HTML file that shows all numbers and charts, and moves the cut."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cutline.comparison import Comparison
from cutline.core import writing
from cutline.core.checks import LEVEL, check_level, check_path
from cutline.core.errors import ParameterError
from cutline.evaluation import Evaluation

PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (".html", ".json", ".csv", *PICTURES)


def save(
    found: Evaluation | Comparison, path: str | os.PathLike[str], *, overwrite: bool = False, level: float = LEVEL
) -> Path:
    """Write what the suffix of the path names: the report, the numbers (JSON, CSV), or the ROC curve as a picture.

    `level` is that of the intervals.
    """
    check_level(level)
    target = check_path(path, "path", "report.html")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        what = f"the suffix {target.suffix!r}" if suffix else "no suffix"
        raise ParameterError(f"Nothing can be saved with {what}", f"pass a path that ends in {', '.join(SUFFIXES)}")
    writing.check(target, overwrite=overwrite)
    return writing.write(target, _content(found, suffix, level), overwrite=overwrite)


def _content(found: Evaluation | Comparison, suffix: str, level: float) -> bytes:
    if suffix in PICTURES:
        return found.chart("roc").render(suffix)
    written: dict[str, Callable[[Any, float], str]] = {".html": html, ".json": _json, ".csv": _csv}
    return written[suffix](found, level).encode()


def html(found: Evaluation | Comparison, level: float = LEVEL) -> str:
    """The report as text."""
    from cutline.report.page import of_comparison, of_evaluation

    return of_evaluation(found, level) if isinstance(found, Evaluation) else of_comparison(found, level)


def _json(found: Evaluation | Comparison, level: float) -> str:
    return json.dumps(found.to_dict(level=level), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(found: Evaluation | Comparison, level: float) -> str:
    import csv
    from io import StringIO

    table, text = found.summary(level=level), StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(["" if cell is None else writing.csv_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()
