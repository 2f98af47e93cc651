"""The report: one HTML file that shows all numbers and charts, and moves the cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from cutline import advice
from cutline.calibration.summary import judged_probabilities
from cutline.comparison import Comparison
from cutline.core import atomic_write
from cutline.core.errors import ParameterError, briefly
from cutline.core.escaping import json_text
from cutline.core.public import public
from cutline.core.validation import LEVEL
from cutline.dataset_comparison import DatasetComparison
from cutline.evaluation import Evaluation
from cutline.folds.comparison import FoldComparison
from cutline.folds.evaluation import FoldEvaluation
from cutline.multiclass.compare import ClassComparison
from cutline.multiclass.one_vs_rest import OneVsRest
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.ledger.tool_table import ToolTable

PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (".html", ".json", ".csv", *PICTURES)


@public
def save(
    result: Evaluation | FoldEvaluation | Comparison | OneVsRest | ClassComparison,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    summary: Any = None,
    template: str = "report",
    **options: Any,
) -> Path:
    """Write what the suffix of the path names: the report, the numbers (JSON, CSV), or the ROC curve as a picture.

    Args:
        result: The evaluation, the comparison, or what one_vs_rest() and compare_classes() give.
        path: Where to write.
        overwrite: Whether a file that exists is replaced; refused otherwise.
        summary: A finished one, whose numbers and options are written; made with `options` when None.
        template: The page: "report", "tools" for the report with what other tools would say of the same predictions,
            "clinical" for the validation report of a clinical model, a biomarker or a reader, or "credit" for score
            bands, approval rates and the bad rate among the approved.
        options: What `result.summary()` takes.
    """
    target, suffix = atomic_write.check_target(path, "report.html", SUFFIXES, overwrite=overwrite)
    if suffix in PICTURES:
        if isinstance(result, ClassComparison):
            raise ParameterError(
                "Models of several classes are more than one picture", "save the chart('class_roc') of one of them"
            )
        name = "class_roc" if isinstance(result, OneVsRest) else "roc"
        return atomic_write.write(target, result.chart(name).render(suffix), overwrite=overwrite)
    if template == "tools" and (suffix != ".html" or not isinstance(result, Evaluation)):
        raise ParameterError(
            "The numbers of other tools are on the page (.html) of one model", "save an evaluation as .html"
        )
    if template not in ("report", "tools"):
        text = _of_template(result, suffix, template, summary, options)
        return atomic_write.write(target, text.encode(), overwrite=overwrite)
    if isinstance(result, FoldEvaluation):
        return atomic_write.write(target, _of_folds(result, suffix, summary, options).encode(), overwrite=overwrite)
    if isinstance(result, OneVsRest | ClassComparison):
        return atomic_write.write(target, _of_classes(result, suffix, summary, options).encode(), overwrite=overwrite)
    summary = summarized(result, **options) if summary is None else summary
    if not isinstance(summary, Summary | ComparisonSummary):
        raise ParameterError(f"is {briefly(summary)}", "pass what summary() gives", argument="summary")
    others = _tools(result) if template == "tools" else None
    text = (
        html(result, summary, others)
        if suffix == ".html"
        else _json(summary)
        if suffix == ".json"
        else summary.to_csv()
    )
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _of_folds(folds: FoldEvaluation, suffix: str, summary: Any, options: dict[str, Any]) -> str:
    """Return the report or the numbers of a cross-validation."""
    made: Any = folds.summary(**options) if summary is None else summary
    if not hasattr(made, "document"):
        raise ParameterError(f"is {briefly(made)}", "pass what summary() gives", argument="summary")
    if suffix != ".html":
        return _json(made) if suffix == ".json" else str(made.to_csv())
    from cutline.report.table_pages import fold_page

    return fold_page(folds, made)


def save_comparison(
    comparison: FoldComparison | DatasetComparison,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    level: float = LEVEL,
) -> Path:
    """Write the page (.html), the numbers (.json, .csv) or the picture of a comparison over folds or data sets.

    Args:
        comparison: The comparison.
        path: Where to write.
        overwrite: Whether a file that exists is replaced; refused otherwise.
        level: The level of the intervals of folds.
    """
    from cutline.report.table_pages import dataset_page, fold_comparison_page

    target, suffix = atomic_write.check_target(path, "report.html", SUFFIXES, overwrite=overwrite)
    if suffix in PICTURES:
        return atomic_write.write(target, comparison.chart().render(suffix), overwrite=overwrite)
    if suffix == ".json":
        document = comparison.to_dict(level=level) if isinstance(comparison, FoldComparison) else comparison.to_dict()
        text = json_text(document) + "\n"
    elif suffix == ".csv":
        text = (
            comparison.summary(level=level).to_csv() if isinstance(comparison, FoldComparison) else comparison.to_csv()
        )
    else:
        text = (
            fold_comparison_page(comparison, level)
            if isinstance(comparison, FoldComparison)
            else dataset_page(comparison)
        )
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _of_classes(classes: OneVsRest | ClassComparison, suffix: str, summary: Any, options: dict[str, Any]) -> str:
    """Return the report or the numbers of several classes."""
    made: Any = classes.summary(**options) if summary is None else summary
    if not hasattr(made, "document"):
        raise ParameterError(f"is {briefly(made)}", "pass what summary() gives", argument="summary")
    if suffix != ".html":
        return _json(made) if suffix == ".json" else str(made.to_csv())
    return class_html(classes, made)


def class_html(classes: OneVsRest | ClassComparison, summary: Any = None) -> str:
    """Return the report of several classes as text: a view of a finished summary, or of one that is made here.

    Args:
        classes: The model of several classes, or several of them.
        summary: A finished summary.
    """
    from cutline.multiclass.charts import classes_to_draw
    from cutline.report.class_page import class_page

    made: Any = classes.summary() if summary is None else summary
    if isinstance(classes, OneVsRest):
        return class_page(made, {classes.name or "the model": classes_to_draw(classes, made)})
    return class_page(made, {name: classes_to_draw(model, made.models[name]) for name, model in classes.items()})


def _of_template(result: Any, suffix: str, template: str, summary: Any, options: dict[str, Any]) -> str:
    """Return the page of a template, at the cut and with the options of the summary."""
    if template not in ("clinical", "credit"):
        known = "pass 'report', 'tools', 'clinical' or 'credit'"
        raise ParameterError(f"is {template!r}", known, argument="template")
    if suffix != ".html" or not isinstance(result, Evaluation):
        raise ParameterError(f"The {template} report is a page (.html) of one model", "save an evaluation as .html")
    summary = summarized(result, **options) if summary is None else summary
    if not isinstance(summary, Summary):
        raise ParameterError(f"is {briefly(summary)}", "pass what summary() gives", argument="summary")
    if template == "credit":
        from cutline.report.credit import credit_page

        return credit_page(result, summary)
    from cutline.report.clinical import clinical_report

    return clinical_report(result, summary)


@overload
def summarized(result: Evaluation, **options: Any) -> Summary: ...
@overload
def summarized(result: Comparison, **options: Any) -> ComparisonSummary: ...
def summarized(result: Evaluation | Comparison, **options: Any) -> Summary | ComparisonSummary:
    """Return the summary that a report shows: all measures of each model unless options say otherwise, and all
    notes.

    The probabilities are judged, where their numbers are among them.
    """
    if isinstance(result, Comparison):
        return judged_probabilities(advice.add_notes(result, result.summary(**{**result.whole, **options})))
    return judged_probabilities(advice.add_notes(result, result.summary(**options)))


def _tools(result: Any) -> ToolTable:
    """Return the table of the values that other tools would print for one model."""
    from cutline.ledger.tool_table import tools_say
    from cutline.ledger.tools import material_of

    return tools_say(material_of(result))


def html(
    result: Evaluation | Comparison,
    summary: Summary | ComparisonSummary | None = None,
    tools: ToolTable | None = None,
) -> str:
    """Return the report as text: a view of a finished summary, or of one that is made here; with what tools say, if
    given.
    """
    from cutline.report.page import page

    if summary is not None and isinstance(result, Comparison) != isinstance(summary, ComparisonSummary):
        raise ParameterError("The summary is not one of this result", "pass that of its summary()")
    return page(summarized(result) if summary is None else judged_probabilities(summary), tools)


def _json(summary: Any) -> str:
    return json_text(summary.document()) + "\n"
