"""Every measure of the sources, each defined once, with all that is known about it."""

from cutline.core.counts import Counts
from cutline.measures import (
    agreement,
    binned_calibration,
    calibration_line,
    combined,
    costs,
    early_retrieval,
    losses,
    miscalibration,
    overall,
    partial_roc,
    precision_recall,
    probabilities,
    quotas,
    rates,
    roc,
    scoring_rules,
)
from cutline.measures.definition import MEASURES, Family, Measure, Needs, measure
from cutline.measures.facts import Condition, Context, Parameter, ReferenceValue
from cutline.measures.kinds import Equivalent, LineOfAuc, MeanOfCases, PairedShare, Proportion, Ratio, StandardError
from cutline.measures.plug_ins import load_module

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
    "early_retrieval",
    "load_module",
    "losses",
    "measure",
    "miscalibration",
    "overall",
    "partial_roc",
    "precision_recall",
    "probabilities",
    "quotas",
    "rates",
    "roc",
    "scoring_rules",
]
