"""What a validation of a clinical model reports: 32 measures, and how advisable each is (Van Calster et al., 2025)."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Proper(Enum):
    """Whether the true risks score best on average, in the words of the guidance (Table 1)."""

    STRICTLY = "strictly"  # nothing else scores as well
    ASYMPTOTICALLY = "asymptotically"  # ... with many cases
    SEMI = "semi"  # nothing scores better, but something else may score as well
    AT_A_HALF = "only at 0.5"  # a threshold of 0.5
    AT_PREVALENCE = "only at prevalence"  # a threshold that equals the prevalence
    NO = "no"

    @property
    def holds(self) -> bool:
        """Whether it is proper at any threshold."""
        return self in (Proper.STRICTLY, Proper.ASYMPTOTICALLY, Proper.SEMI)


class Advice(Enum):
    """What the guidance says of a measure (Table 2), whose own words are in the comments."""

    RECOMMENDED = "recommended"
    NOT_ESSENTIAL = "not essential"
    CAUTION = "caution"  # descriptive, beside its partner
    NOT_RECOMMENDED = "not recommended"  # inadvisable


class Guide(NamedTuple):
    """A measure, and what is advised and why.

    The guidance asks two things of a measure. Is it proper: do the true risks score best on average? And has it one
    focus: is it about statistics alone, or about decisions with what their errors cost?
    """

    domain: str
    title: str
    measure: str
    advice: Advice
    why: str
    proper: Proper = Proper.SEMI
    has_one_focus: bool = True
    sign: int = 1


_RANK = "describes how risks rank; it does not depend on a threshold or on the prevalence"
_PRECISION = "ignores true negatives, depends on the prevalence, and mixes ranking with what errors cost"
_TAIL = "mixes ranking with a choice of region that says nothing of what errors cost"
_WEAK = "one aspect of calibration; the plot shows more"
_FLEX = "a summary of the plot, without the direction of the errors; depends on how the curve is drawn"
_GROUPS = "a summary of a plot in groups: depends on the groups, and is biased upwards"
_OVERALL = "compares models on the same cases; hard to read by itself"
_WRONG = "wrong risks can score better than the true ones"
_CUT = "wrong risks can score better than the true ones, and what the two errors cost is left out"
_F1 = "neither proper nor about decisions; ignores true negatives, and changes when the classes change places"
_PART = "describes one side of the decisions; report it with its partner"
_VALUE = "weighs the two errors by what they cost, at the threshold that is used"
_BEST = "weighs the two errors by what they cost, at the best threshold for these costs"

_YES, _OPEN, _CARE, _NO = Advice


def _in(domain: str, *rows: tuple[Any, ...]) -> tuple[Guide, ...]:
    return tuple(Guide(domain, *row) for row in rows)


# The AUPRC is one of the 32 measures, computed in two ways.
GUIDES = (
    *_in(
        "Discrimination",
        ("AUROC", "auc", _YES, _RANK),
        ("AUPRC (interpolated)", "aucpr_davis_goadrich", _NO, _PRECISION, Proper.SEMI, False),
        ("AUPRC (average precision)", "average_precision", _NO, _PRECISION, Proper.SEMI, False),
        ("Partial AUROC (recall 0.8 to 1)", "partial_auc_above_recall", _NO, _TAIL, Proper.SEMI, False),
    ),
    *_in(
        "Calibration",
        ("O:E ratio", "oe_ratio", _OPEN, _WEAK),
        ("Calibration intercept", "calibration_intercept", _OPEN, _WEAK),
        ("Calibration slope", "calibration_slope", _OPEN, _WEAK),
        ("ECI", "eci", _OPEN, _FLEX),
        ("ICI", "ici", _OPEN, _FLEX),
        ("ECE (10 groups)", "ece", _OPEN, _GROUPS),
    ),
    *_in(
        "Overall",
        ("Log likelihood", "log_likelihood", _OPEN, _OVERALL, Proper.STRICTLY),
        ("Log loss (sum over the cases)", "log_likelihood", _OPEN, _OVERALL, Proper.STRICTLY, True, -1),
        ("Brier score", "brier", _OPEN, _OVERALL, Proper.STRICTLY),
        ("Scaled Brier score", "brier_skill", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("McFadden R²", "mcfadden_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Cox-Snell R²", "cox_snell_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Nagelkerke R²", "nagelkerke_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Discrimination slope", "discrimination_slope", _NO, _WRONG, Proper.NO),
        ("Mean absolute prediction error", "mae", _NO, _WRONG, Proper.NO),
    ),
    *_in(
        "Classification",
        ("Accuracy", "accuracy", _NO, _CUT, Proper.AT_A_HALF),
        ("Balanced accuracy", "balanced_accuracy", _NO, _CUT, Proper.AT_PREVALENCE),
        ("Youden index", "youden_j", _NO, _CUT, Proper.AT_PREVALENCE),
        ("Diagnostic odds ratio", "diagnostic_odds_ratio", _NO, _CUT, Proper.NO),
        ("Kappa", "kappa", _NO, _CUT, Proper.NO),
        ("F1", "f1", _NO, _F1, Proper.NO, False),
        ("MCC", "mcc", _NO, _CUT, Proper.NO),
        ("Sensitivity", "recall", _CARE, _PART, Proper.NO),
        ("Specificity", "specificity", _CARE, _PART, Proper.NO),
        ("Positive predictive value", "precision", _CARE, _PART, Proper.NO),
        ("Negative predictive value", "npv", _CARE, _PART, Proper.NO),
    ),
    *_in(
        "Clinical utility",
        ("Net benefit", "net_benefit", _YES, _VALUE),
        ("Standardised net benefit", "standardised_net_benefit", _YES, _VALUE),
        ("Expected cost", "min_expected_cost", _YES, _BEST),
    ),
)


class Item(NamedTuple):
    """What reporting guidelines (TRIPOD+AI, STARD) ask for, what the page holds of it, and what helps the author."""

    question: str
    here: str = ""
    help: str = ""
    of_risks: bool = False  # it concerns models that give risks


CHECKLIST = (
    Item("Title: a validation of a prediction model, its population and outcome"),
    Item("Source of the data, dates, setting, eligibility"),
    Item("Outcome: definition, when and how it was assessed, blinding"),
    Item("Predictors: definition, when and how they were measured"),
    Item("Sample size: how it was arrived at", help="cutline plan computes one for the wanted precision"),
    Item("Missing data: how they were handled", "number of rows left out"),
    Item("The model that is validated: where it is published, how risks are computed"),
    Item("Participants: numbers with and without the outcome", "numbers of cases and of positives"),
    Item("Discrimination with intervals", "AUROC"),
    Item("Calibration plot and measures", "reliability diagram, O:E ratio, intercept, slope", of_risks=True),
    Item("Distribution of the risks by outcome", "figure"),
    Item("Clinical utility at the thresholds that matter", "net benefit with decision curve", of_risks=True),
    Item("Contingency table at the threshold", "table of counts"),
    Item("Performance in subgroups, fairness", help="evaluate(..., by=) compares them"),
    Item("Updating of the model, if any", help="cutline recalibrate fits an update", of_risks=True),
    Item("Limitations, generalisability, intended use"),
    Item("Funding, conflicts of interest, protocol, data and code availability"),
)
