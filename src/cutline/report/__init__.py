"""The report: one HTML file that shows all numbers and charts, and moves the cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from cutline import advice
from cutline.calibration.summary import add_judgements
from cutline.comparison import Comparison
from cutline.core import atomic_write
from cutline.core.errors import ParameterError, shorten_repr
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


Result = Evaluation | FoldEvaluation | Comparison | OneVsRest | ClassComparison


@public
def save(
    result: Result,
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
    if template != "report":
        text = _render_template(result, suffix, template, summary, options)
    else:
        finished = _make_summary(result, summary, options)
        if suffix == ".html":
            text = _render_report(result, finished)
        else:
            text = _write_json(finished) if suffix == ".json" else finished.to_csv()
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _make_summary(result: Result, summary: Any, options: dict[str, Any]) -> Any:
    """Return the summary that is given, or one with these options."""
    if isinstance(result, Evaluation | Comparison):
        finished: Any = summarize(result, **options) if summary is None else summary
        is_summary = isinstance(finished, Summary | ComparisonSummary)
    else:
        finished = result.summary(**options) if summary is None else summary
        is_summary = hasattr(finished, "document")
    if not is_summary:
        raise ParameterError(f"is {shorten_repr(finished)}", "pass what summary() gives", argument="summary")
    return finished


def _render_report(result: Result, summary: Any) -> str:
    """Return the report of any result."""
    if isinstance(result, FoldEvaluation):
        from cutline.report.table_pages import render_fold_page

        return render_fold_page(result, summary)
    if isinstance(result, OneVsRest | ClassComparison):
        return _render_classes(result, summary)
    return render_html(result, summary)


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
    from cutline.report.table_pages import render_dataset_page, render_fold_comparison_page

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
            render_fold_comparison_page(comparison, level)
            if isinstance(comparison, FoldComparison)
            else render_dataset_page(comparison)
        )
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _render_classes(classes: OneVsRest | ClassComparison, summary: Any) -> str:
    """Return the report of one or several models of several classes."""
    from cutline.multiclass.charts import collect_chart_data
    from cutline.report.class_page import render_class_page

    if isinstance(classes, OneVsRest):
        return render_class_page(summary, {classes.name or "the model": collect_chart_data(classes, summary)})
    chart_data = {name: collect_chart_data(model, summary.models[name]) for name, model in classes.items()}
    return render_class_page(summary, chart_data)


def _render_template(result: Result, suffix: str, template: str, summary: Any, options: dict[str, Any]) -> str:
    """Return the page of a template, at the cut and with the options of the summary."""
    if template not in ("tools", "clinical", "credit"):
        known = "pass 'report', 'tools', 'clinical' or 'credit'"
        raise ParameterError(f"is {template!r}", known, argument="template")
    if suffix != ".html" or not isinstance(result, Evaluation):
        limitation = (
            "The numbers of other tools are on the page" if template == "tools" else f"The {template} report is a page"
        )
        raise ParameterError(f"{limitation} (.html) of one model", "save an evaluation as .html")
    finished = _make_summary(result, summary, options)
    if template == "tools":
        return render_html(result, finished, _list_tool_values(result))
    if not isinstance(finished, Summary):
        raise ParameterError(f"is {shorten_repr(finished)}", "pass what summary() gives", argument="summary")
    if template == "credit":
        from cutline.report.credit import render_credit_page

        return render_credit_page(result, finished)
    from cutline.report.clinical import render_clinical_page

    return render_clinical_page(result, finished)


@overload
def summarize(result: Evaluation, **options: Any) -> Summary: ...
@overload
def summarize(result: Comparison, **options: Any) -> ComparisonSummary: ...
def summarize(result: Evaluation | Comparison, **options: Any) -> Summary | ComparisonSummary:
    """Return the summary of a report: all measures of each model unless options say otherwise, and all notes.

    The probabilities are judged if their measures are in it.
    """
    if isinstance(result, Comparison):
        return add_judgements(advice.add_notes(result, result.summary(**{**result.whole, **options})))
    return add_judgements(advice.add_notes(result, result.summary(**options)))


def _list_tool_values(result: Any) -> ToolTable:
    """Return the table of the values that other tools would print for one model."""
    from cutline.ledger.tool_table import tabulate_tools
    from cutline.ledger.tools import make_material

    return tabulate_tools(make_material(result))


def render_html(
    result: Evaluation | Comparison,
    summary: Summary | ComparisonSummary | None = None,
    tools: ToolTable | None = None,
) -> str:
    """Return the report as text: a view of a finished summary, or of one that is made here.

    Args:
        result: The evaluation or the comparison.
        summary: A finished summary of it.
        tools: The values that other tools would print.
    """
    from cutline.report.page import render_model_page

    if summary is not None and isinstance(result, Comparison) != isinstance(summary, ComparisonSummary):
        raise ParameterError("The summary is not one of this result", "pass that of its summary()")
    return render_model_page(summarize(result) if summary is None else add_judgements(summary), tools)


def _write_json(summary: Any) -> str:
    return json_text(summary.document()) + "\n"
