"""The section on the probabilities: a verdict in words, the numbers, and what recalibration would bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.calibration.summary import NUMBERS, Judgement
from cutline.core.messages import listed
from cutline.report import measure_rows
from cutline.results.summary import Summary

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
    """Return the context of the calibration section; None where the probabilities were not judged.

    Args:
        models: The finished summary of each model.
    """
    of_probabilities = {name: own for name, own in models.items() if own.data.ranking.are_probabilities}
    if any(own.probabilities is None for own in of_probabilities.values()):
        return None
    without = [name for name in models if name not in of_probabilities]
    refused = _describe_refusal(without, len(models)) if without else ""
    views = [_model(name, own) for name, own in of_probabilities.items()]
    return {
        "refused": refused,
        "models": views,
        "names": list(of_probabilities),
        "numbers": _numbers(of_probabilities) if of_probabilities else [],
    }


def _describe_refusal(names: list[str], models: int) -> str:
    whose = "The scores" if models == 1 else f"The scores of {listed(names)}"
    return (
        f"{whose} are not probabilities from 0 to 1, so there is nothing to trust or distrust in them: they order the "
        "cases, and nothing more. To read them as probabilities, fit a map on cases with known labels that the model "
        "was not trained on, for example with scikit-learn's CalibratedClassifierCV, and evaluate what it gives."
    )


def _model(name: str, summary: Summary) -> View:
    judgement = summary.probabilities
    assert judgement is not None  # noqa: S101 - those without were left out
    calibration = judgement.calibration
    return {"name": name, "verdict": calibration.verdict, "notes": calibration.notes, "worth": _worth(judgement)}


def _worth(judgement: Judgement) -> View:
    """Return the gain of each recalibration method on other cases, or why it cannot be estimated."""
    worth = judgement.worth
    if worth is None:
        return {"verdict": judgement.reason, "rows": []}
    rows = [
        {
            "title": TITLES[one.method],
            "log_loss": one.log_loss,
            "brier": one.brier,
            "value": None if one.method == "none" else one.gain,
            "low": None if one.method == "none" else one.low,
            "high": one.high,
            "reason": "",
            "best": one.method == worth.best,
        }
        for one in worth.candidates
    ]
    return {"verdict": worth.verdict, "rows": rows}


def _numbers(models: Mapping[str, Summary]) -> list[View]:
    """Return the rows of the section: of one model as the tables of measures show them, of several side by side."""
    by_model = {name: {row.key: row for row in own.rows} for name, own in models.items()}
    names = [name for name in NUMBERS if any(name in own for own in by_model.values())]
    if len(models) == 1:
        [own] = by_model.values()
        rows = [measure_rows.view(own[name]) for name in names]
        return [{"question": "", "rows": rows}]
    return [{"question": "Calibration", "rows": [measure_rows.across(name, by_model) for name in names]}]
