"""Every measure of the sources, each defined once, with all that is known about it."""

from cutline.contingency import Counts
from cutline.measures import (
    agreement,
    combined,
    costs,
    counts,
    early,
    losses,
    precision_recall,
    probabilities,
    quotas,
    ranks,
    rules,
)
from cutline.measures._facts import Baseline, Condition, Parameter, Situation
from cutline.measures._kinds import LineOfAuc, MeanOfCases, Proportion, Ratio
from cutline.measures._measure import MEASURES, Family, Measure, Needs, measure

__all__ = [
    "MEASURES",
    "Baseline",
    "Condition",
    "Counts",
    "Family",
    "LineOfAuc",
    "MeanOfCases",
    "Measure",
    "Needs",
    "Parameter",
    "Proportion",
    "Ratio",
    "Situation",
    "agreement",
    "combined",
    "costs",
    "counts",
    "early",
    "losses",
    "measure",
    "precision_recall",
    "probabilities",
    "quotas",
    "ranks",
    "rules",
]
