"""The page that takes a file, as one text: template, style, programs, worker and examples."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from cutline import __version__
from cutline.core.messages import listed
from cutline.cuts import statements
from cutline.file_page.programs import embedded, ranking_measures, reliability_program
from cutline.inputs.text_values import MISSING, PLAIN_NUMBER, SPELLINGS
from cutline.inputs.usual_names import LABELS, SCORES
from cutline.measures import MEASURES, Measure, Needs
from cutline.report import programs
from cutline.report.cut_data import precision_program, sentences
from cutline.report.guarantee import ROWS
from cutline.report.measure_rows import slug
from cutline.report.page import asset as report_asset
from cutline.report.page import environment, packed, theme_variables
from cutline.results.method_titles import TITLES

# In the order in which they need each other. Modules of the report are used as they are; those of this page come from
# its own folder, some of them in the place of the report's (charts, the link in the address).
OWN = frozenset((
    "student", "columns", "influence", "table_text", "cells", "make_ranking", "read_file", "columns_of_file",
    "workbook", "evaluate_ranking", "promise_levels", "worker", "chart_drawing", "no_link", "all_cuts", "show_numbers",
    "file_page",
))  # fmt: skip
WORKER = (
    "program", "student", "columns", "influence", "table_text", "cells", "read_file", "columns_of_file", "workbook",
    "make_ranking", "evaluate_ranking", "bounds", "levels", "sentences", "promise_levels", "worker",
)  # fmt: skip
PROGRAM = (
    "format", "ranking", "program", "intervals", "chart_drawing", "no_link", "live", "files", "bounds", "levels",
    "sentences", "fields", "promises", "shell", "cells", "all_cuts", "show_numbers", "file_page",
)  # fmt: skip
_POINTS = (
    "precision", "recall", "fpr", "predicted_positive_rate", "expected_cost", "total_cost", "lift", "youden_j",
)  # fmt: skip
FIRST = ("auc", "average_precision", "ks", "brier", "log_loss")
EXAMPLES = {
    "tumours": {"title": "569 tumours", "score": "logistic", "positive": "malignant"},
    "ten_cases": {"title": "Berrar's ten cases", "positive": "1"},
}
_TOO_LONG = (
    "A class has more than 300 000 cases, for which this page does not work out promises: "
    "`cutline cut` on the command line does."
)


def page(level: float) -> str:
    """Return the page as text.

    Args:
        level: The level of the intervals and of the promises.
    """
    program = script(PROGRAM)
    traced, omitted = ranking_measures()
    written: str = (
        environment()
        .from_string(_asset("page.html"))
        .render(
            title="Evaluate a classifier",
            policy=policy([program]),
            style=report_asset("style.css") + theme_variables() + _asset("file_page.css"),
            level=f"{100 * level:g} %",
            version=__version__,
            examples=[{"name": name, **about} for name, about in EXAMPLES.items()],
            ranking=_rows(traced, lambda m: m.name in FIRST),
            cut=_rows(_of_cuts(), lambda m: m.headline),
            promise={"rows": [{"name": name, "title": title, "side": side} for name, title, side in ROWS]},
            omitted=listed([m.title for m in omitted]),
            data=packed(page_data(level)),
            worker=script(WORKER),
            program=program,
        )
    )
    return written


def _of_cuts() -> list[Measure]:
    return [m for m in MEASURES if m.needs is Needs.COUNTS]


def _rows(measures: Iterable[Measure], comes_first: Any) -> dict[str, list[dict[str, str]]]:
    """Return what the tables say of measures: those that are seen at once, and those that are folded away."""
    rows: dict[str, list[dict[str, str]]] = {"first": [], "more": []}
    for m in measures:
        about = {"name": m.name, "id": slug(m.name), "title": m.title, "meaning": m.meaning}
        rows["first" if comes_first(m) else "more"].append(about)
    return rows


def page_data(level: float) -> dict[str, Any]:
    """Return what the programs of the page read."""
    of_cuts = programs.embedded([(m.name, m) for m in _of_cuts()], _POINTS, level)
    of_cuts["measures"] = [entry | {"id": slug(entry["name"])} for entry in of_cuts["measures"]]
    return {
        "level": level,
        "document": {"options": {"level": level}},
        "program": of_cuts,
        "ranking": embedded(level),
        "reliability": {
            "whole": reliability_program(integral=True),
            "weighted": reliability_program(integral=False),
        },
        "promises": {
            "words": sentences() | {"weighted": statements.WEIGHTS, "too_long": _TOO_LONG},
            "precision": precision_program(),
        },
        "methods": TITLES,
        "words": {
            "labels": LABELS,
            "scores": SCORES,
            "missing": MISSING,
            "number": PLAIN_NUMBER,
            "spellings": [spelling._asdict() for spelling in SPELLINGS],
        },
        "examples": {name: about | {"text": _example(name)} for name, about in EXAMPLES.items()},
    }


def _example(name: str) -> str:
    return (files("cutline.examples") / f"{name}.csv").read_text(encoding="utf-8")


@cache
def script(modules: tuple[str, ...]) -> str:
    """Return modules as one program."""
    text = "\n".join(_asset(f"{name}.js") if name in OWN else report_asset(f"{name}.js") for name in modules)
    return re.sub(r"^(?:import .*\n|export )", "", text, flags=re.MULTILINE)


@cache
def _asset(name: str) -> str:
    return (files("cutline.file_page") / "assets" / name).read_text(encoding="utf-8")


def policy(scripts: Iterable[str]) -> str:
    """Return what the browser may do: run these programs and a worker of the page. Nothing can be fetched or sent.

    Args:
        scripts: The programs of the page.
    """
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    rules = (
        "default-src 'none'",
        f"script-src {hashes}",
        "worker-src blob:",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
