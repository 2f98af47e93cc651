"""Every measure of the sources, each defined once, with all that is known about it."""

from cutline.core.counts import Counts
from cutline.measures import (
    agreement,
    binned_calibration,
    calibration_line,
    combined,
    costs,
    likelihood,
    losses,
    miscalibration,
    partial_roc,
    precision_recall,
    probabilities,
    quotas,
    rates,
    roc,
    scoring_rules,
)
from cutline.measures.entry_points import load_module
from cutline.measures.forms import Equivalent, LinearInAuc, MeanOfCases, PairedShare, Proportion, Ratio, VarianceFormula
from cutline.measures.metadata import Context, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.registry import MEASURES, Family, Measure, Needs, measure

__all__ = [
    "MEASURES",
    "Context",
    "Counts",
    "Equivalent",
    "Family",
    "LinearInAuc",
    "MeanOfCases",
    "Measure",
    "Needs",
    "PairedShare",
    "Parameter",
    "Proportion",
    "Ratio",
    "ReferenceValue",
    "UndefinedWhen",
    "VarianceFormula",
    "agreement",
    "binned_calibration",
    "calibration_line",
    "combined",
    "costs",
    "likelihood",
    "load_module",
    "losses",
    "measure",
    "miscalibration",
    "partial_roc",
    "precision_recall",
    "probabilities",
    "quotas",
    "rates",
    "roc",
    "scoring_rules",
]
