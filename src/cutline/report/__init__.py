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
from cutline.core.public import public
from cutline.core.validation import LEVEL, check_flag, check_path
from cutline.dataset_comparison import DatasetComparison
from cutline.evaluation import Evaluation
from cutline.fold_comparison import FoldComparison
from cutline.fold_evaluation import FoldEvaluation
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
    found: Evaluation | FoldEvaluation | Comparison | OneVsRest | ClassComparison,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    summary: Any = None,
    template: str = "report",
    **options: Any,
) -> Path:
    """Write what the suffix of the path names: the report, the numbers (JSON, CSV), or the ROC curve as a picture.

    Args:
        found: The evaluation, the comparison, or what one_vs_rest() and compare_classes() give.
        path: Where to write.
        overwrite: Whether a file that exists is replaced; refused otherwise.
        summary: A finished one, whose numbers and options are written; made with `options` when None.
        template: The page: "report", "tools" for the report with what other tools would say of the same predictions,
            "clinical" for the validation report of a clinical model, a biomarker or a reader, or "credit" for score
            bands, approval rates and the bad rate among the approved.
        options: What `found.summary()` takes.
    """
    target, overwrite = check_path(path, "path", "report.html"), check_flag(overwrite, "overwrite")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        what = f"the suffix {target.suffix!r}" if suffix else "no suffix"
        raise ParameterError(f"Nothing can be saved with {what}", f"pass a path that ends in {', '.join(SUFFIXES)}")
    atomic_write.check(target, overwrite=overwrite)
    if suffix in PICTURES:
        if isinstance(found, ClassComparison):
            raise ParameterError(
                "Models of several classes are more than one picture", "save the chart('class_roc') of one of them"
            )
        name = "class_roc" if isinstance(found, OneVsRest) else "roc"
        return atomic_write.write(target, found.chart(name).render(suffix), overwrite=overwrite)
    if template == "tools" and (suffix != ".html" or not isinstance(found, Evaluation)):
        raise ParameterError(
            "What other tools would say is on the page (.html) of one model", "save an evaluation as .html"
        )
    if template not in ("report", "tools"):
        text = _of_template(found, suffix, template, summary, options)
        return atomic_write.write(target, text.encode(), overwrite=overwrite)
    if isinstance(found, FoldEvaluation):
        return atomic_write.write(target, _of_folds(found, suffix, summary, options).encode(), overwrite=overwrite)
    if isinstance(found, OneVsRest | ClassComparison):
        return atomic_write.write(target, _of_classes(found, suffix, summary, options).encode(), overwrite=overwrite)
    summary = summarized(found, **options) if summary is None else summary
    if not isinstance(summary, Summary | ComparisonSummary):
        raise ParameterError(f"is {briefly(summary)}", "pass what summary() gives", argument="summary")
    others = _tools(found) if template == "tools" else None
    text = (
        html(found, summary, others) if suffix == ".html" else _json(summary) if suffix == ".json" else summary.to_csv()
    )
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _of_folds(found: FoldEvaluation, suffix: str, summary: Any, options: dict[str, Any]) -> str:
    """The report or the numbers of a cross-validation."""
    made: Any = found.summary(**options) if summary is None else summary
    if not hasattr(made, "document"):
        raise ParameterError(f"is {briefly(made)}", "pass what summary() gives", argument="summary")
    if suffix != ".html":
        return _json(made) if suffix == ".json" else str(made.to_csv())
    from cutline.report.fold_page import fold_page

    return fold_page(found, made)


def save_comparison(
    found: FoldComparison | DatasetComparison,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    level: float = LEVEL,
) -> Path:
    """Write the page (.html), the numbers (.json, .csv) or the picture of a comparison over folds or data sets.

    Args:
        found: The comparison.
        path: Where to write.
        overwrite: Whether a file that exists is replaced; refused otherwise.
        level: The level of the intervals of folds.
    """
    from cutline.report.fold_page import dataset_page, fold_comparison_page

    target, overwrite = check_path(path, "path", "report.html"), check_flag(overwrite, "overwrite")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        what = f"the suffix {target.suffix!r}" if suffix else "no suffix"
        raise ParameterError(f"Nothing can be saved with {what}", f"pass a path that ends in {', '.join(SUFFIXES)}")
    atomic_write.check(target, overwrite=overwrite)
    if suffix in PICTURES:
        return atomic_write.write(target, found.chart().render(suffix), overwrite=overwrite)
    if suffix == ".json":
        document = found.to_dict(level=level) if isinstance(found, FoldComparison) else found.to_dict()
        text = atomic_write.json_text(document) + "\n"
    elif suffix == ".csv":
        text = found.summary(level=level).to_csv() if isinstance(found, FoldComparison) else found.to_csv()
    else:
        text = fold_comparison_page(found, level) if isinstance(found, FoldComparison) else dataset_page(found)
    return atomic_write.write(target, text.encode(), overwrite=overwrite)


def _of_classes(found: OneVsRest | ClassComparison, suffix: str, summary: Any, options: dict[str, Any]) -> str:
    """The report or the numbers of several classes."""
    made: Any = found.summary(**options) if summary is None else summary
    if not hasattr(made, "document"):
        raise ParameterError(f"is {briefly(made)}", "pass what summary() gives", argument="summary")
    if suffix != ".html":
        return _json(made) if suffix == ".json" else str(made.to_csv())
    return class_html(found, made)


def class_html(found: OneVsRest | ClassComparison, summary: Any = None) -> str:
    """The report of several classes as text: a view of a finished summary, or of one that is made here.

    Args:
        found: The model of several classes, or several of them.
        summary: A finished summary.
    """
    from cutline.multiclass.charts import classes_to_draw
    from cutline.report.class_page import class_page

    made: Any = found.summary() if summary is None else summary
    if isinstance(found, OneVsRest):
        return class_page(made, {found.name or "the model": classes_to_draw(found, made)})
    return class_page(made, {name: classes_to_draw(one, made.models[name]) for name, one in found.items()})


def _of_template(found: Any, suffix: str, template: str, summary: Any, options: dict[str, Any]) -> str:
    """Return the page of a template, at the cut and with the options of the summary."""
    if template not in ("clinical", "credit"):
        known = "pass 'report', 'tools', 'clinical' or 'credit'"
        raise ParameterError(f"is {template!r}", known, argument="template")
    if suffix != ".html" or not isinstance(found, Evaluation):
        raise ParameterError(f"The {template} report is a page (.html) of one model", "save an evaluation as .html")
    summary = summarized(found, **options) if summary is None else summary
    if not isinstance(summary, Summary):
        raise ParameterError(f"is {briefly(summary)}", "pass what summary() gives", argument="summary")
    if template == "credit":
        from cutline.report.credit import credit_page

        return credit_page(found, summary)
    from cutline.report.clinical import clinical_report

    return clinical_report(found, summary)


@overload
def summarized(found: Evaluation, **options: Any) -> Summary: ...
@overload
def summarized(found: Comparison, **options: Any) -> ComparisonSummary: ...
def summarized(found: Evaluation | Comparison, **options: Any) -> Summary | ComparisonSummary:
    """The summary that a report shows: all measures of each model unless options say otherwise, and all notes.

    The probabilities are judged, where their numbers are among them.
    """
    if isinstance(found, Comparison):
        return judged_probabilities(advice.noted(found, found.summary(**{**found.whole, **options})))
    return judged_probabilities(advice.noted(found, found.summary(**options)))


def _tools(found: Any) -> ToolTable:
    """What other tools would say of the predictions of one model."""
    from cutline.ledger.tool_table import tools_say
    from cutline.ledger.tools import material_of

    return tools_say(material_of(found))


def html(
    found: Evaluation | Comparison,
    summary: Summary | ComparisonSummary | None = None,
    tools: ToolTable | None = None,
) -> str:
    """The report as text: a view of a finished summary, or of one that is made here; with what tools say, if given."""
    from cutline.report.page import page

    if summary is not None and isinstance(found, Comparison) != isinstance(summary, ComparisonSummary):
        raise ParameterError("The summary is not one of this result", "pass that of its summary()")
    return page(summarized(found) if summary is None else judged_probabilities(summary), tools)


def _json(summary: Any) -> str:
    return atomic_write.json_text(summary.document()) + "\n"
