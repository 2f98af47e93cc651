"""What a page needs to promise at an adjustable threshold what `cut_at` promises, and to find the cut of `choose_cut`.

The page compares counts with bounds. What is hard to compute, the level at which each bound of a band stands, is
computed here, and so are the sentences: the page fills them in.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.cuts import statements
from cutline.cuts.choose import NOT_REPEATED, require_alike
from cutline.cuts.cut import SCHEMA
from cutline.cuts.cut_at import DECIMALS
from cutline.cuts.guarantees import local_level, lower_bounds, shared_bounds
from cutline.cuts.promises import RatePromise, precision_bound
from cutline.cuts.requirements import requirement
from cutline.measures.tracing import Program, traced

PIECES = (1, 2, 3)  # of the data that promises rest on: positives, negatives, and how many of each there are
ESTIMATED = ("recall", "precision", "specificity", "f1", "predicted_positive_rate")

FAR_TOO_FEW = (
    "It takes many more than {needed} to promise '{requirement}' with {confidence} confidence at any cut, and there "
    "are {cases}: only {way} would. choose_cut() in Python tells how many."
)


def why_not(r: Ranking, *, grouped: bool) -> str:
    """Return why nothing can be promised of a ranking; empty when something can."""
    if not r.positives or not r.negatives:
        return "All cases are of one class, so nothing can be promised of a cut."
    try:
        require_alike(r, grouped=grouped)
    except ParameterError as error:
        return str(error)
    return ""


def levels(r: Ranking, confidence: float) -> dict[str, Any]:
    """The levels of the bounds of a ranking of which something can be promised.

    `parts` are the confidences of a piece of the data when promises rest on one, two or three of them, and `anywhere`
    the levels of single bounds for which a whole band has that confidence. `shared` are the counts with a bound of
    their own, where not each has one; others take that of the next larger.

    >>> found = levels(Ranking.of_counts([2, 1], [90, 10], [20, 80]), 0.95)
    >>> round(found["parts"][1], 4), round(1 - found["anywhere"]["recall"][0], 6)
    (0.9747, 0.002461)
    """
    parts = [confidence ** (1 / pieces) for pieces in PIECES]
    cases = {"recall": int(r.positives), "fpr": int(r.negatives)}
    label = r.positive.item() if isinstance(r.positive, np.generic) else r.positive
    return {
        "confidence": confidence,
        "parts": parts,
        "anywhere": {name: [1 - local_level(n, part) for part in parts] for name, n in cases.items()},
        "shared": {name: shared_bounds(n) for name, n in cases.items()},
        "prevalence_low": float(lower_bounds(cases["recall"], int(r.total), parts[-1])),
        "same_prevalence": statements.same_prevalence(float(r.positives / r.total)),
        "positive": label if isinstance(label, str | bool | int | float) else str(label),
    }


def precision_program() -> dict[str, Any]:
    """Return how the bound of the precision follows from those of the rates, as a program."""
    program = Program()
    [bound] = traced(lambda *inputs: [precision_bound(*inputs)], "recall", "fpr", "prevalence")
    return {"result": program.add(bound), "steps": program.steps}


def _never() -> str:
    """Return the sentence for a promise that no number of cases allows."""
    certain = replace(requirement("recall >= 1"), text="{requirement}")
    return statements.impossible([RatePromise(certain, "recall", 0.0, 0.95, 1, -1, math.inf, 0.95)], 0.95, others=False)


def sentences() -> dict[str, Any]:
    """Return the sentences of a cut, with names in braces where the page puts numbers."""
    return {
        "schema": SCHEMA,
        "decimals": DECIMALS,
        "estimated": ESTIMATED,
        "clauses": statements.CLAUSES,
        "who": statements.WHO,
        "room": statements.ROOM,
        "own_prevalence": statements.OWN_PREVALENCE,
        "other_prevalence": statements.OTHER_PREVALENCE,
        "no_cut": statements.NO_CUT,
        "not_promised": statements.NOT_PROMISED,
        "too_few": statements.TOO_FEW,
        "far_too_few": FAR_TOO_FEW,
        "never": _never(),
        "ways": statements.WAYS,
        "flags": statements.FLAGS,
        "by_score": statements.BY_SCORE,
        "nobody": statements.NOBODY,
        "everybody": statements.EVERYBODY,
        "best": statements.BEST,
        "only_rules": statements.ONLY_RULES,
        "cap": statements.CAP,
        "nothing": statements.NOTHING,
        "beyond": statements.BEYOND,
        "no_bound": statements.NO_BOUND,
        "basis": statements.BASIS,
        "in_advance": str(statements.IN_ADVANCE),
        "no_drift": statements.NO_DRIFT,
        "same_prevalence": statements.SAME_PREVALENCE,
        "not_repeated": str(NOT_REPEATED),
    }
