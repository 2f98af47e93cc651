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
    """What the template shows; None where the probabilities were not judged.

    Args:
        models: The finished summary of each model.
    """
    given = {name: own for name, own in models.items() if own.data.ranking.are_probabilities}
    if any(own.probabilities is None for own in given.values()):
        return None
    without = [name for name in models if name not in given]
    refused = _refused(without, len(models)) if without else ""
    found = [_model(name, own) for name, own in given.items()]
    return {"refused": refused, "models": found, "names": list(given), "numbers": _numbers(given) if given else []}


def _refused(names: list[str], models: int) -> str:
    whose = "The scores" if models == 1 else f"The scores of {listed(names)}"
    return (
        f"{whose} are not probabilities from 0 to 1, so there is nothing to trust or distrust in them: they order the "
        "cases, and nothing more. To read them as probabilities, fit a map on cases with known labels that the model "
        "was not trained on, for example with scikit-learn's CalibratedClassifierCV, and evaluate what it gives."
    )


def _model(name: str, summary: Summary) -> View:
    found = summary.probabilities
    assert found is not None  # noqa: S101 - those without were left out
    said = found.calibration
    return {"name": name, "verdict": said.verdict, "notes": said.notes, "worth": _worth(found)}


def _worth(judgement: Judgement) -> View:
    """What each method of recalibration would bring on other cases, or why that cannot be said."""
    found = judgement.worth
    if found is None:
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
            "best": one.method == found.best,
        }
        for one in found.candidates
    ]
    return {"verdict": found.verdict, "rows": rows}


def _numbers(models: Mapping[str, Summary]) -> list[View]:
    """The rows of the section: of one model as the tables of measures show them, of several side by side."""
    by_model = {name: {row.key: row for row in own.rows} for name, own in models.items()}
    names = [name for name in NUMBERS if any(name in own for own in by_model.values())]
    if len(models) == 1:
        [own] = by_model.values()
        rows = [measure_rows.view(own[name]) for name in names]
        return [{"question": "", "rows": rows}]
    return [{"question": "Calibration", "rows": [measure_rows.across(name, by_model) for name in names]}]
