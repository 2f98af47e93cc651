"""How the numbers of the page were made, for its reader."""

from __future__ import annotations

import platform
from importlib.metadata import version

from cutline.evaluation import Evaluation
from cutline.report.tables import LEVEL, RESAMPLED


def conventions(evaluation: Evaluation) -> dict[str, str]:
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
        "Intervals": _intervals(evaluation),
        "By chance": "What a model that knows nothing has when it flags as many cases.",
        "Weights": "A whole number equals that many equal rows; other weights count by Kish's effective number.",
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}"]),
    }


def _intervals(evaluation: Evaluation) -> str:
    """Which method gave which interval."""
    if evaluation.groups is not None:
        return f"{100 * LEVEL:g} %: whole groups of cases are resampled (2000 resamples, seed 0)."
    if len(evaluation.ranking) <= RESAMPLED:
        others = "where no formula exists, the bootstrap (2000 resamples, seed 0)"
    else:
        others = (
            f"none where only the bootstrap gives one, as there are more than {RESAMPLED} distinct scores: "
            "ev.estimate(measure) resamples"
        )
    return (
        f"{100 * LEVEL:g} %: Wilson for shares, logarithms for ratios, DeLong for the AUC and what is linear in it, "
        f"the infinitesimal jackknife (influence) for other measures of one cut; {others}. "
        "At a cut, also one that a quota led to, the threshold is taken as given."
    )
