"""Every measure of the sources, each defined once, with all that is known about it."""

from cutline.measures import (
    agreement,
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
from cutline.measures._measure import (
    MEASURES,
    Baseline,
    Condition,
    Family,
    Measure,
    Needs,
    Parameter,
    Situation,
    divide,
    measure,
)

__all__ = [
    "MEASURES",
    "Baseline",
    "Condition",
    "Family",
    "Measure",
    "Needs",
    "Parameter",
    "Situation",
    "agreement",
    "costs",
    "counts",
    "divide",
    "early",
    "losses",
    "measure",
    "precision_recall",
    "probabilities",
    "quotas",
    "ranks",
    "rules",
]
