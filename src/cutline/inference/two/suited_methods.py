"""Which tests and intervals of a difference suit which measures: what does not is refused with what does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.core.errors import ParameterError
from cutline.inference.two.mcnemar import VARIANTS
from cutline.inference.two.predictive import MEASURES_OF_THEM, PREDICTIVE
from cutline.measures import MEASURES, LineOfAuc

if TYPE_CHECKING:
    from cutline.inference.two.paired_measure import PairedMeasure

TESTS = (
    "auto",
    "delong",
    *VARIANTS,
    "tango",
    *PREDICTIVE,
    "influence",
    "linearised",
    "log_ratio",
    "bootstrap",
    "student",
    "bias_corrected",
    "mover",
    "permutation",
)
DRAWN = ("bootstrap", "student", "bias_corrected")  # from resamples, which all pairs of models share
RANDOM = (*DRAWN, "mover")  # from resamples or simulations
INTERVALS = ("auto", "delong", "tango", "influence", "linearised", "bootstrap", "student", "bias_corrected", "mover")


def refuse_unsuited(one: PairedMeasure, method: str) -> None:
    """Raise if a method of a test or an interval does not suit a measure.

    Args:
        one: The measure of two models.
        method: The name of the method.
    """
    if method == "delong" and not one.is_linear_in_auc:
        lines = ", ".join(m.name for m in MEASURES if isinstance(m.kind, LineOfAuc))
        raise ParameterError(
            f"is for {lines}, not for {one.measure.name}", "pass method='bootstrap'", argument="delong"
        )
    if method.startswith(("mcnemar", "tango")) and not one.is_share:
        shares = ", ".join(m.name for m in MEASURES if m.paired)
        raise ParameterError(
            f"{method} is for {shares} at a threshold, of cases without fractional weights, not for {one.measure}",
            "pass method='bootstrap'",
        )
    if method == "bias_corrected" and not one.is_best_of_cuts:
        raise ParameterError(f"bias_corrected is for the best over all cuts, and {one.measure} is none", "pass 'auto'")
    if method == "mover" and not one.is_calibration_error:
        raise ParameterError(f"mover is for calibration errors, and {one.measure} is none", "pass 'auto'")
    if method in PREDICTIVE and not one.is_predictive:
        listed = ", ".join(MEASURES_OF_THEM)
        raise ParameterError(
            f"{method} is for {listed} at a threshold, of cases without fractional weights", "pass 'bootstrap'"
        )
    if method in ("influence", "linearised", "log_ratio") and one.influences is None:
        raise ParameterError(f"{method} needs a smooth measure, and {one.measure} is none", "pass 'bootstrap'")
    if method == "log_ratio" and not min(one.values) > 0:
        raise ParameterError("A ratio needs two values above 0", "pass another method")
