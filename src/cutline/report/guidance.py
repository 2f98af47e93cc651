"""What a validation of a clinical model reports: 32 measures, and how advisable each is (Van Calster et al., 2025)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Guide(NamedTuple):
    """A measure, with its parameters, and what is advised: "essential", "useful", "caution" or "avoid", and why.

    The guidance asks two things of a measure. Is it proper: do the true risks score best on average? And has it one
    focus: is it about statistics alone, or about decisions with what their errors cost?
    """

    domain: str
    title: str
    measure: str
    advice: str
    why: str
    parameters: tuple[tuple[str, Any], ...] = ()
    sign: int = 1
    is_proper: bool = True
    has_one_focus: bool = True


_RANK = "describes how risks rank; it does not depend on a threshold"
_TAIL = "mixes ranking with a choice of region, and depends on the prevalence or on the region"
_WEAK = "describes one aspect of calibration; read it beside the plot"
_FLEX = "summarises the calibration plot, and depends on how the curve is drawn"
_PROPER = "proper: the true risks score best; hard to read by itself"
_IMPROPER = "improper: wrong risks can score better than the true ones"
_CUT = "improper at any threshold but its own, and blind to what the two errors cost"
_F1 = "neither proper nor about decisions: it ignores true negatives"
_PART = "describes one side of a decision; report it with its partner"
_VALUE = "weighs the two errors by what they cost, at the threshold that is used"

# The AUPRC is one of the 32 measures, computed in two ways.
GUIDES = (
    Guide("Discrimination", "AUROC", "auc", "essential", _RANK),
    Guide("Discrimination", "AUPRC (interpolated)", "aucpr_davis_goadrich", "avoid", _TAIL, has_one_focus=False),
    Guide("Discrimination", "AUPRC (average precision)", "average_precision", "avoid", _TAIL, has_one_focus=False),
    Guide(
        "Discrimination",
        "Partial AUROC (recall 0.8 to 1)",
        "partial_auc_above_recall",
        "avoid",
        _TAIL,
        has_one_focus=False,
    ),
    Guide("Calibration", "O:E ratio", "oe_ratio", "useful", _WEAK),
    Guide("Calibration", "Calibration intercept", "calibration_intercept", "useful", _WEAK),
    Guide("Calibration", "Calibration slope", "calibration_slope", "useful", _WEAK),
    Guide("Calibration", "ECI", "eci", "caution", _FLEX),
    Guide("Calibration", "ICI", "ici", "caution", _FLEX),
    Guide("Calibration", "ECE (10 groups)", "ece", "caution", "depends on the groups, and is biased upwards"),
    Guide("Overall", "Log likelihood", "log_likelihood", "useful", _PROPER),
    Guide("Overall", "Log loss (sum over the cases)", "log_likelihood", "useful", _PROPER, sign=-1),
    Guide("Overall", "Brier score", "brier", "useful", _PROPER),
    Guide("Overall", "Scaled Brier score", "brier_skill", "useful", _PROPER),
    Guide("Overall", "McFadden R²", "mcfadden_r2", "useful", _PROPER),
    Guide("Overall", "Cox-Snell R²", "cox_snell_r2", "useful", _PROPER),
    Guide("Overall", "Nagelkerke R²", "nagelkerke_r2", "useful", _PROPER),
    Guide("Overall", "Discrimination slope", "discrimination_slope", "avoid", _IMPROPER, is_proper=False),
    Guide("Overall", "Mean absolute prediction error", "mae", "avoid", _IMPROPER, is_proper=False),
    Guide("Classification", "Accuracy", "accuracy", "avoid", _CUT, is_proper=False),
    Guide("Classification", "Balanced accuracy", "balanced_accuracy", "avoid", _CUT, is_proper=False),
    Guide("Classification", "Youden index", "youden_j", "avoid", _CUT, is_proper=False),
    Guide("Classification", "Diagnostic odds ratio", "diagnostic_odds_ratio", "avoid", _CUT, is_proper=False),
    Guide("Classification", "Kappa", "kappa", "avoid", _CUT, is_proper=False),
    Guide(
        "Classification",
        "F1",
        "f1",
        "avoid",
        _F1,
        is_proper=False,
        has_one_focus=False,
    ),
    Guide("Classification", "MCC", "mcc", "avoid", _CUT, is_proper=False),
    Guide("Classification", "Sensitivity", "recall", "caution", _PART, is_proper=False),
    Guide("Classification", "Specificity", "specificity", "caution", _PART, is_proper=False),
    Guide("Classification", "Positive predictive value", "precision", "caution", _PART, is_proper=False),
    Guide("Classification", "Negative predictive value", "npv", "caution", _PART, is_proper=False),
    Guide("Utility", "Net benefit", "net_benefit", "essential", _VALUE),
    Guide("Utility", "Standardised net benefit", "standardised_net_benefit", "useful", _VALUE),
    Guide("Utility", "Expected cost", "min_expected_cost", "useful", "the same at the best cut for the costs"),
)


class Item(NamedTuple):
    """What reporting guidelines (TRIPOD+AI, STARD) ask for, what the page holds of it, and what helps the author."""

    asked: str
    here: str = ""
    help: str = ""


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
    Item("Calibration plot and measures", "reliability diagram, O:E ratio, intercept, slope"),
    Item("Distribution of the risks by outcome", "figure"),
    Item("Clinical utility at the thresholds that matter", "net benefit with decision curve"),
    Item("Contingency table at the threshold", "table of counts"),
    Item("Performance in subgroups, fairness", help="evaluate(..., by=) compares them"),
    Item("Updating of the model, if any", help="cutline recalibrate fits an update"),
    Item("Limitations, generalisability, intended use"),
    Item("Funding, conflicts of interest, protocol, data and code availability"),
)
