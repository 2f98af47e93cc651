"""How the numbers of the page were made, for its reader."""

from __future__ import annotations

import platform
from importlib.metadata import version

from cutline.evaluation import Evaluation
from cutline.report.measure_rows import resamples


def conventions(evaluation: Evaluation, level: float, models: int = 1) -> dict[str, str]:
    """Each convention by its name."""
    rule = "at or above" if evaluation.ranking.higher_is_positive else "at or below"
    versions = [f"{name} {version(name)}" for name in ("cutline", "numpy", "scipy", "altair", "vl-convert-python")]
    return {
        "Threshold": f"A case is predicted positive (flagged) when its score is {rule} the threshold.",
        "Ties": (
            "Equal scores have no order: the ROC curve crosses a tie diagonally, and a quota that ends inside a tie "
            "gets its expectation."
        ),
        "Undefined": "0/0 is undefined, with the reason; x/0 is infinite.",
        "Logarithms": "Natural, in nats.",
        "Intervals": _intervals(evaluation, resamples(evaluation, models), f"{100 * level:g} %"),
        "By chance": "What a model that knows nothing has when it flags as many cases.",
        "Weights": "A whole number equals that many equal rows; other weights count by Kish's effective number.",
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}"]),
    }


def _intervals(evaluation: Evaluation, rounds: int, level: str) -> str:
    """Which method gave which interval."""
    drawn = f"({rounds} resamples, seed 0)"
    none = "none where only resampling gives one, as the list is long: ev.estimate(measure) takes the time"
    if evaluation.groups is not None:
        return f"{level}: " + (f"whole groups of cases are resampled {drawn}." if rounds else f"{none}.")
    others = f"where no formula exists, the bootstrap {drawn}" if rounds else none
    return (
        f"{level}: Wilson for shares, logarithms for ratios, DeLong for the AUC and what is linear in it, "
        f"the infinitesimal jackknife (influence) for other measures of one cut; {others}. "
        "At a cut, also one that a quota led to, the threshold is taken as given."
    )
