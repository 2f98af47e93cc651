"""cutline tells how good a binary classifier is, how sure one can be of it, and where to draw the line.

import cutline as cl

ev = cl.evaluate(labels, scores)
ev.auc, ev.precision, ev.value("f_beta", beta=2)
cl.auc(labels, scores)      # every measure of the registry is a function of this name
cl.MEASURES                 # the registry
"""

from __future__ import annotations

from typing import Any

from cutline.classes import OneVsRest, one_vs_rest
from cutline.errors import CutlineError, InputError, NotProbabilitiesError, ParameterError, UnknownNameError
from cutline.evaluation import Evaluation, evaluate
from cutline.measures import MEASURES, Measure, losses
from cutline.measures.losses import triplet_loss
from cutline.measures.probabilities import information_scores
from cutline.measures.quotas import PemAreas, pem_areas
from cutline.measures.rules import Properness, check_proper, ranked_probability_score
from cutline.predictions import rank
from cutline.ranking import Bracket, Counts, Ranking
from cutline.scoring import Scorer, scorer
from cutline.tables import Table

__version__ = "0.1.0"

__all__ = [
    "MEASURES",
    "Bracket",
    "Counts",
    "CutlineError",
    "Evaluation",
    "InputError",
    "Measure",
    "NotProbabilitiesError",
    "OneVsRest",
    "ParameterError",
    "PemAreas",
    "Properness",
    "Ranking",
    "Scorer",
    "Table",
    "UnknownNameError",
    "check_proper",
    "evaluate",
    "information_scores",
    "losses",
    "one_vs_rest",
    "pem_areas",
    "rank",
    "ranked_probability_score",
    "scorer",
    "triplet_loss",
]


def __getattr__(name: str) -> Any:
    """Every measure, by name or alias: `cutline.auc`, `cutline.ppv`."""
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module 'cutline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *MEASURES.names})
