"""The calibration section of a report: the verdict on the probabilities, and the gain of recalibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cutline.calibration.compare_maps import Worth, worth_recalibrating
from cutline.calibration.verdict import BY_FORMULA, Calibration, judge_calibration
from cutline.core import parallel
from cutline.core.errors import CutlineError
from cutline.core.table import ComparedByFields
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.summary import Summary

GROUPED = (
    "The cases come in groups, which a comparison of methods of recalibration would have to keep together: it is left "
    "out."
)
# The numbers that go with the judgement, in this order; the table of all measures has the rest.
NUMBERS = (*BY_FORMULA, "mcb", "dsc", "unc", "ici", "e90", "emax", "ece", "spiegelhalter")
MOST_COMPARED = 100_000  # distinct scores, beyond which fitting each method ten times takes long

Document = TypeVar("Document", Summary, ComparisonSummary, Summary | ComparisonSummary)


@dataclass(frozen=True, eq=False)
class Judgement(ComparedByFields):
    """Whether probabilities can be trusted, and the gain of recalibration.

    The gain is None if it cannot be estimated, for the `reason`.
    """

    calibration: Calibration
    worth: Worth | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "calibration": self.calibration.to_dict(),
            "recalibration": None if self.worth is None else self.worth.to_dict(),
            "reason": self.reason,
        }


def add_judgements(summary: Document) -> Document:
    """Add to a summary the judgement of the probabilities of each model.

    It uses the estimates, the level and the seed of the summary. A model has none if its scores are not probabilities,
    if the data are of one class, or if the summary lacks measures of calibration.

    Args:
        summary: A finished summary of one model or of several.
    """
    if isinstance(summary, ComparisonSummary):
        rows = sum(len(own.data.ranking) for own in summary.models.values())
        judged_models = parallel.map_parallel(add_judgements, summary.models.values(), rows)
        return replace(summary, models=dict(zip(summary.models, judged_models, strict=True)))
    if isinstance(summary, Summary) and summary.probabilities is None:
        return replace(summary, probabilities=judge(summary))
    return summary


def judge(summary: Summary) -> Judgement | None:
    """Judge the probabilities of one model; None if that is not possible.

    Args:
        summary: Its finished summary.
    """
    r, keys = summary.data.ranking, {row.key for row in summary.rows}
    if not (r.are_probabilities and r.positives > 0 and r.negatives > 0 and keys.issuperset(BY_FORMULA)):
        return None
    estimates = [row.estimate for row in summary.rows if row.key in NUMBERS]
    grouped = summary.data.groups > 0
    calibration = judge_calibration(r, estimates, summary.level, seed=summary.options.seed, grouped=grouped)
    if grouped:
        return Judgement(calibration, None, GROUPED)
    if len(r) > MOST_COMPARED:
        return Judgement(calibration, None, f"With {len(r):,} distinct scores the methods are not compared here.")
    try:
        return Judgement(calibration, worth_recalibrating(r, level=summary.level, seed=summary.options.seed))
    except CutlineError as error:
        return Judgement(calibration, None, f"Methods of recalibration cannot be compared. {error}")
