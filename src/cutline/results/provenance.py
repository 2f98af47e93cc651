"""How numbers were made, for their reader: conventions and versions, from the document itself."""

from __future__ import annotations

import platform
from contextlib import suppress
from functools import cache

from cutline import __version__
from cutline.results.resample_budget import RULE


def conventions(level: float, resamples: int, seed: int, groups: int, *, higher: bool) -> dict[str, str]:
    """Return the conventions of a document by name: level, number of resamples, groups."""
    rule = "at or above" if higher else "at or below"
    return {
        "Threshold": f"A case is predicted positive (flagged) when its score is {rule} the threshold.",
        "Ties": (
            "Equal scores have no order: the ROC curve crosses a tie diagonally, and a quota that ends inside a tie "
            "gets its expectation."
        ),
        "Undefined": "0/0 is undefined, with the reason; x/0 is infinite.",
        "Logarithms": "Natural, in nats.",
        "Intervals": _intervals(f"{100 * level:g} %", resamples, seed, groups),
        "Resampling": RULE,
        "Baseline": "The value of a score without information that flags as many cases.",
        "Weights": "A whole number equals that many equal rows; other weights count by Kish's effective number.",
    }


def _intervals(level: str, resamples: int, seed: int, groups: int) -> str:
    """Return a sentence on which method gave which intervals."""
    resampling = f"({resamples} resamples, seed {seed})"
    none = "none where there is no closed form, because nothing was resampled"
    if groups:
        return f"{level}: " + (f"whole groups of cases are resampled {resampling}." if resamples else f"{none}.")
    others = f"where there is no closed form, the bootstrap {resampling}" if resamples else none
    return (
        f"{level}: Wilson for proportions, the log scale for ratios, DeLong for the AUC and what is linear in it; "
        f"{others}. A threshold is taken as given; at a quota or a share, the threshold varies with the resample."
    )


@cache
def versions() -> dict[str, str]:
    """Return the packages that made the numbers, and Python."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and only documents need it

    installed = {"cutline": __version__, "numpy": version("numpy"), "scipy": version("scipy")}
    for name in ("altair", "vl-convert-python"):  # which the core does without
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed | {"python": platform.python_version()}
