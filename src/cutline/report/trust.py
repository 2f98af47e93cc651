"""The section on the probabilities: a verdict in words, the numbers, and what recalibration would bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.calibration import worth_recalibrating
from cutline.calibration.verdict import BY_FORMULA, judged
from cutline.core.errors import CutlineError
from cutline.core.wording import listed
from cutline.report import measure_rows
from cutline.results.summary import Summary

# What the section shows of a summary, in this order; the table of all measures has the rest.
NUMBERS = (*BY_FORMULA, "mcb", "dsc", "unc", "ici", "e90", "emax", "ece", "spiegelhalter")
MOST_COMPARED = 100_000  # distinct scores, beyond which fitting each method ten times takes long
TITLES = {
    "none": "as they are",
    "intercept": "intercept: moves the log odds",
    "logistic": "logistic: moves and stretches them",
    "beta": "beta: bends them",
    "isotonic": "isotonic: the best rising curve",
    "venn_abers": "Venn-Abers: isotonic, with an interval",
}

View = dict[str, Any]


def trust(models: Mapping[str, Summary]) -> View | None:
    """What the template shows; None where the numbers were not asked for.

    Args:
        models: The finished summary of each model.
    """
    given = {name: own for name, own in models.items() if own.data.ranking.are_probabilities}
    if not all(_is_judged(own) for own in given.values()):
        return None
    without = [name for name in models if name not in given]
    refused = _refused(without, len(models)) if without else ""
    found = [_model(name, own) for name, own in given.items()]
    return {"refused": refused, "models": found, "names": list(given), "numbers": _numbers(given) if given else []}


def _is_judged(summary: Summary) -> bool:
    """Whether the summary has what the verdict is made of; data of one class have not."""
    found = {row.name for row in summary.rows}
    r = summary.data.ranking
    return found.issuperset(BY_FORMULA) and bool(r.positives > 0 and r.negatives > 0)


def _refused(names: list[str], models: int) -> str:
    whose = "The scores" if models == 1 else f"The scores of {listed(names)}"
    return (
        f"{whose} are not probabilities from 0 to 1, so there is nothing to trust or distrust in them: they order the "
        "cases, and nothing more. To read them as probabilities, fit a map on cases with known labels that the model "
        "was not trained on, for example with scikit-learn's CalibratedClassifierCV, and evaluate what it gives."
    )


def _model(name: str, summary: Summary) -> View:
    r, level = summary.data.ranking, summary.level
    estimates = [row.estimate for row in summary.rows if row.name in NUMBERS]
    found = judged(r, estimates, level, seed=summary.options.seed)
    return {"name": name, "verdict": found.verdict, "notes": found.notes, "worth": _worth(summary)}


def _worth(summary: Summary) -> View:
    """What each method of recalibration would bring on other cases, or why that cannot be said."""
    r, level = summary.data.ranking, summary.level
    if len(r) > MOST_COMPARED:
        return {"verdict": f"With {len(r):,} distinct scores the methods are not compared here.", "rows": []}
    try:
        found = worth_recalibrating(r, level=level, seed=summary.options.seed)
    except CutlineError as error:
        return {"verdict": f"Methods of recalibration cannot be compared. {error}", "rows": []}
    rows = [
        {
            "title": TITLES[one.method],
            "log_loss": one.log_loss,
            "brier": one.brier,
            "value": None if one.method == "none" else one.gain,
            "low": None if one.method == "none" else one.low,
            "high": one.high,
            "reason": "",
            "best": one.method == found.best,
        }
        for one in found.candidates
    ]
    return {"verdict": found.verdict, "rows": rows}


def _numbers(models: Mapping[str, Summary]) -> list[View]:
    """The rows of the section: of one model as the tables of measures show them, of several side by side."""
    by_model = {name: {row.name: row for row in own.rows} for name, own in models.items()}
    names = [name for name in NUMBERS if any(name in own for own in by_model.values())]
    if len(models) == 1:
        [own] = by_model.values()
        rows = [measure_rows.view(own[name]) for name in names]
        return [{"question": "", "rows": rows}]
    return [{"question": "Calibration", "rows": [measure_rows.across(name, by_model) for name in names]}]
