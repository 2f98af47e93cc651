"""cutline tells how good a binary classifier is, how sure one can be of it, and where to draw the line.

import cutline as cl

ev = cl.evaluate(labels, scores)
ev.auc, ev.precision, ev.value("f_beta", beta=2)
cl.auc(labels, scores)      # every measure of the registry is a function of this name
cl.MEASURES                 # the registry
ev.curve("roc"), ev.chart("roc").save("roc.png")    # CURVES and CHARTS list them; chart() draws several models
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

if TYPE_CHECKING:
    from cutline.advice import Note, Recommendation, Situation, advise
    from cutline.charts import CHARTS, Picture, chart
    from cutline.classes import OneVsRest, one_vs_rest
    from cutline.comparison import Comparison, compare
    from cutline.core.counts import Counts
    from cutline.core.errors import (
        CutlineError,
        InputError,
        NotProbabilitiesError,
        ParameterError,
        UnavailableError,
        UnknownNameError,
    )
    from cutline.core.ranking import Bracket, Ranking
    from cutline.core.table import Table
    from cutline.curves import CURVES, Curve
    from cutline.cuts.choice import choose_cut
    from cutline.cuts.classifier import CutClassifier
    from cutline.cuts.cut import Cut
    from cutline.cuts.utility import (
        UtilityCurve,
        brier_curve,
        cost_curve,
        decision_curve,
        decision_difference,
        profit_curve,
    )
    from cutline.evaluation import Evaluation, evaluate
    from cutline.inference.one.bands import Band, band, roc_band
    from cutline.inference.one.refitting import ModelBootstrap, bootstrap_model, permutation_test
    from cutline.inference.two.mcnemar import Discordance, mcnemar
    from cutline.inputs.predictions import rank
    from cutline.loading import load
    from cutline.measures import MEASURES, Measure, losses
    from cutline.measures.losses import triplet_loss
    from cutline.measures.probabilities import information_scores
    from cutline.measures.quotas import PemAreas, pem_areas
    from cutline.measures.scoring_rules import Properness, check_proper, ranked_probability_score
    from cutline.results.estimate import Estimate
    from cutline.scoring import Scorer, scorer
    from cutline.training import LinearMeasureClassifier, auc_pairs, boosting_loss, boosting_metric

__version__ = "0.1.0"
# Where each public name lives; loaded when first used, so that importing cutline costs next to nothing.
_HOMES = {
    "advice": ("Note", "Recommendation", "Situation", "advise"),
    "charts": ("CHARTS", "Picture", "chart"),
    "classes": ("OneVsRest", "one_vs_rest"),
    "comparison": ("Comparison", "compare"),
    "curves": ("CURVES", "Curve"),
    "cuts.choice": ("choose_cut",),
    "cuts.classifier": ("CutClassifier",),
    "cuts.cut": ("Cut",),
    "cuts.utility": (
        "UtilityCurve",
        "brier_curve",
        "cost_curve",
        "decision_curve",
        "decision_difference",
        "profit_curve",
    ),
    "core.errors": (
        "CutlineError",
        "InputError",
        "NotProbabilitiesError",
        "ParameterError",
        "UnavailableError",
        "UnknownNameError",
    ),
    "evaluation": ("Evaluation", "evaluate"),
    "inference.one.bands": ("Band", "band", "roc_band"),
    "results.estimate": ("Estimate",),
    "inference.two.mcnemar": ("Discordance", "mcnemar"),
    "inference.one.refitting": ("ModelBootstrap", "bootstrap_model", "permutation_test"),
    "measures": ("MEASURES", "Counts", "Measure", "losses"),
    "measures.losses": ("triplet_loss",),
    "measures.probabilities": ("information_scores",),
    "measures.quotas": ("PemAreas", "pem_areas"),
    "inputs.predictions": ("rank",),
    "loading": ("load",),
    "core.ranking": ("Bracket", "Ranking"),
    "measures.scoring_rules": ("Properness", "check_proper", "ranked_probability_score"),
    "scoring": ("Scorer", "scorer"),
    "core.table": ("Table",),
    "training": ("LinearMeasureClassifier", "auc_pairs", "boosting_loss", "boosting_metric"),
}
__all__ = [
    "CHARTS",
    "CURVES",
    "MEASURES",
    "Band",
    "Bracket",
    "Comparison",
    "Counts",
    "Curve",
    "Cut",
    "CutClassifier",
    "CutlineError",
    "Discordance",
    "Estimate",
    "Evaluation",
    "InputError",
    "LinearMeasureClassifier",
    "Measure",
    "ModelBootstrap",
    "NotProbabilitiesError",
    "Note",
    "OneVsRest",
    "ParameterError",
    "PemAreas",
    "Picture",
    "Properness",
    "Ranking",
    "Recommendation",
    "Scorer",
    "Situation",
    "Table",
    "UnavailableError",
    "UnknownNameError",
    "UtilityCurve",
    "advise",
    "auc_pairs",
    "band",
    "boosting_loss",
    "boosting_metric",
    "bootstrap_model",
    "brier_curve",
    "chart",
    "check_proper",
    "choose_cut",
    "compare",
    "cost_curve",
    "decision_curve",
    "decision_difference",
    "evaluate",
    "information_scores",
    "load",
    "losses",
    "mcnemar",
    "one_vs_rest",
    "pem_areas",
    "permutation_test",
    "profit_curve",
    "rank",
    "ranked_probability_score",
    "roc_band",
    "scorer",
    "triplet_loss",
]
import lazy_loader

# The stub beside this file lists the public names; each is loaded when it is first used.
_load, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A public name, or a measure by its name or alias: `cutline.auc`, `cutline.ppv`."""
    if name in __all__:
        value = globals()[name] = _load(name)
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'cutline' has no attribute {name!r}.")
    measures = import_module("cutline.measures").MEASURES
    if name not in measures:
        hint = import_module("cutline.core.errors").near(name, [*measures.names, *__all__])
        raise AttributeError(f"module 'cutline' has no attribute {name!r}.{hint}")
    found = measures[name]
    if not found.own:  # which may be defined again
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module("cutline.measures").MEASURES.names})
