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
from cutline.measures.kinds import Equivalent, LineOfAuc, MeanOfCases, PairedShare, Proportion, Ratio, StandardError
from cutline.measures.metadata import Condition, Context, Parameter, ReferenceValue
from cutline.measures.registry import MEASURES, Family, Measure, Needs, measure

__all__ = [
    "MEASURES",
    "Condition",
    "Context",
    "Counts",
    "Equivalent",
    "Family",
    "LineOfAuc",
    "MeanOfCases",
    "Measure",
    "Needs",
    "PairedShare",
    "Parameter",
    "Proportion",
    "Ratio",
    "ReferenceValue",
    "StandardError",
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
