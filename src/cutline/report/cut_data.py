"""What a page needs to promise at an adjustable threshold what `cut_at` promises, and to find the cut of `choose_cut`.

The page compares counts with bounds. What is hard to compute, the level at which each bound of a band stands, is
computed here, and so are the sentences: the page fills them in.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import to_json_label
from cutline.cuts import statements
from cutline.cuts.choose import NOT_REPEATED, require_exchangeable
from cutline.cuts.cut import SCHEMA
from cutline.cuts.cut_at import DECIMALS
from cutline.cuts.guarantees import (
    RatePromise,
    compute_lower_bounds,
    compute_precision,
    find_local_level,
    list_shared_bounds,
)
from cutline.cuts.requirements import parse_requirement
from cutline.measures.tracing import Program, trace_function
from cutline.results.cut_point import is_inside_tie
from cutline.results.summary import Summary

MOST = 4000  # distinct scores of which every cut is kept
FIRST = 500  # cuts at the top of a long list, of which every one is kept
_RATIO = 1.004  # from there on a cut for each 0.4 % more cases flagged ...
_STEPS = 1000  # ... and for each thousandth of the positives and of the negatives
_HULL = 3000  # corners of the hull; seldom are there more than a few hundred


class CutGrid(NamedTuple):
    """The cuts that the page can show, by their position, and the largest gap between neighbours."""

    cuts: Array
    of_positives: float
    of_negatives: float
    has_hull: bool

    def is_all(self, ranking: Ranking) -> bool:
        """Whether no cut was left out."""
        return len(self.cuts) == len(ranking) + 1

    def place(self, ranking: Ranking, counts: Counts) -> int:
        """Return the position of the cut with the given counts; for a quota inside a tie, of the cut before the tie."""
        index = ranking.cut(float(counts.threshold)) - is_inside_tie(ranking, counts)
        return int(np.searchsorted(self.cuts, index, side="right")) - 1


def choose_cuts(ranking: Ranking, counts: Counts, models: int = 1) -> CutGrid:
    """Choose the cuts that the page can show, among them the corners of the hull, which are cheapest for some costs.

    Of many models, each gets fewer cuts, so that the page stays small.

    Args:
        ranking: The ranking of a model.
        counts: The counts of the evaluation's cut, which is always among them.
        models: How many models the page has.
    """
    part = min(1.0, 3 / models)
    every = np.arange(len(ranking) + 1)
    index = every if len(ranking) <= MOST * part else _choose_places(ranking, float(counts.threshold), part)
    rates = (ranking.tpr[index], ranking.fpr[index])
    of_positives, of_negatives = (float(np.nan_to_num(np.diff(rate)).max(initial=0.0)) for rate in rates)
    has_hull = len(index) == len(every) or len(np.intersect1d(_find_hull(ranking), index)) == len(_find_hull(ranking))
    return CutGrid(index, of_positives, of_negatives, has_hull)


def _choose_places(r: Ranking, threshold: float, part: float) -> Array:
    n, last, cut, first = float(r.total), len(r), r.cut(threshold), int(FIRST * part)
    start, ratio = float(r.ends[first]), _RATIO ** (1 / part)
    places = start * ratio ** np.arange(max(0.0, math.log(n / start) / math.log(ratio)))
    steps = np.linspace(0, 1, int(_STEPS * part) + 1)
    cuts = [
        np.arange(first + 1),
        np.searchsorted(r.ends, places),
        np.searchsorted(r.tp, steps * float(r.positives)),
        np.searchsorted(r.fp, steps * float(r.negatives)),
        # The next cut too: then the page knows that nothing lies between, and any threshold there is exact.
        np.array([max(cut - 1, 0), cut, cut + 1, last]),
    ]
    hull = _find_hull(r)
    cuts.append(hull[:: 1 + len(hull) // _HULL])
    return np.unique(np.minimum(np.concatenate(cuts), last))


def _find_hull(r: Ranking) -> Array:
    """Return the cuts at the corners of the ROC hull; with one class, both ends."""
    return np.asarray(r.hull) if r.positives and r.negatives else np.array([0, len(r)])


def build_cut_data(summary: Summary, name: str, chosen: CutGrid) -> dict[str, Any]:
    """Return the data with which the page cuts the list of a model anywhere."""
    r, index = summary.data.ranking, chosen.cuts
    # Where cuts were left out, the page has to know the score after each, to write thresholds in few digits.
    following = {} if chosen.is_all(r) else {"next": _spell_scores(r.score[index[:-1]])}
    squares = {} if r.integral else {"tp2": _cumulate(r.pos2, index), "fp2": _cumulate(r.neg2, index)}
    return (
        {
            "name": name,
            "higher": r.higher_is_positive,
            "is_risk": r.are_probabilities,
            "integral": r.integral,
            "grouped": bool(summary.data.groups),
            "single": r.score.dtype.itemsize < 8,
            "start": {
                "threshold": _spell_scores(np.atleast_1d(summary.counts.threshold))[0],
                "quota": float(summary.counts.flagged) if summary.cut.by_quota else None,
            },
            "scores": _spell_scores(r.score[index[1:] - 1]),
            "tp": r.tp[index].tolist(),
            "fp": r.fp[index].tolist(),
            "kept": None if chosen.is_all(r) else index.tolist(),
        }
        | squares
        | following
    )


def _spell_scores(scores: Array) -> list[float | str]:
    """Return the scores; infinite ones, which JSON does not know, as the page's program spells them."""
    spelt: list[float | str] = scores.tolist()
    for i in np.flatnonzero(~np.isfinite(scores)):
        spelt[i] = "Infinity" if scores[i] > 0 else "-Infinity"
    return spelt


def _cumulate(cells: Array, index: Array) -> Any:
    return np.concatenate(([0.0], np.cumsum(cells)))[index].tolist()


def describe_left_out(r: Ranking, chosen: CutGrid) -> str:
    """Describe the cuts that the page lacks and the gaps between the others; empty if it has all."""
    if chosen.is_all(r):
        return ""
    cheapest = (
        "The cheapest cut is among them, whatever the costs."
        if chosen.has_hull
        else "The ROC hull has more corners than fit, so a cut that was left out may be a little cheaper still."
    )
    return (
        f"The page holds {len(chosen.cuts)} of the {len(r) + 1} cuts. Every number is exact for the cut that is shown; "
        f"from one such cut to the next, recall moves by at most {chosen.of_positives:.2g} and the false positive rate "
        f"by at most {chosen.of_negatives:.2g}. {cheapest}"
    )


PIECES = (1, 2, 3)  # of the data that promises rest on: positives, negatives, and how many of each there are
ESTIMATED = ("recall", "precision", "specificity", "f1", "predicted_positive_rate")

FAR_TOO_FEW = (
    "It takes many more than {needed} to promise '{requirement}' with {confidence} confidence at any cut, and there "
    "are {cases}: only {way} would. choose_cut() in Python tells how many."
)


def explain_no_guarantee(r: Ranking, *, grouped: bool) -> str:
    """Return the reason why a ranking allows no guarantee; empty if it allows one."""
    if not r.positives or not r.negatives:
        return "All cases are of one class, so nothing can be promised about a cut."
    try:
        require_exchangeable(r, grouped=grouped)
    except ParameterError as error:
        return str(error)
    return ""


def compute_levels(r: Ranking, confidence: float) -> dict[str, Any]:
    """Compute the levels of the bounds on a ranking that allows a guarantee.

    `parts` are the confidences of a piece of the data when promises rest on one, two or three of them, and `anywhere`
    the levels of single bounds for which a whole band has that confidence. `shared` are the counts with a bound of
    their own, where not each has one; others take that of the next larger.

    >>> computed = compute_levels(Ranking.of_counts([2, 1], [90, 10], [20, 80]), 0.95)
    >>> round(computed["parts"][1], 4), round(1 - computed["anywhere"]["recall"][0], 6)
    (0.9747, 0.002461)
    """
    parts = [confidence ** (1 / pieces) for pieces in PIECES]
    cases = {"recall": int(r.positives), "fpr": int(r.negatives)}
    return {
        "confidence": confidence,
        "parts": parts,
        "anywhere": {name: [1 - find_local_level(n, part) for part in parts] for name, n in cases.items()},
        "shared": {name: list_shared_bounds(n) for name, n in cases.items()},
        "prevalence_low": float(compute_lower_bounds(cases["recall"], int(r.total), parts[-1])),
        "same_prevalence": statements.state_prevalence(float(r.positives / r.total)),
        "positive": to_json_label(r.positive),
    }


def compile_precision() -> dict[str, Any]:
    """Return the program that computes the bound of the precision from the bounds of the rates."""
    program = Program()
    [bound] = trace_function(lambda *inputs: [compute_precision(*inputs)], "recall", "fpr", "prevalence")
    return {"result": program.add(bound), "steps": program.steps}


def _explain_never() -> str:
    """Return the sentence on a promise that no number of cases allows."""
    certain = replace(parse_requirement("recall >= 1"), text="{requirement}")
    return statements.explain_impossible(
        [RatePromise(certain, "recall", 0.0, 0.95, 1, -1, math.inf, 0.95)], 0.95, others=False
    )


def collect_sentences() -> dict[str, Any]:
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
        "never": _explain_never(),
        "ways": statements.WAYS,
        "flags": statements.FLAGS,
        "by_score": statements.BY_SCORE,
        "nobody": statements.NOBODY,
        "everybody": statements.EVERYBODY,
        "best": statements.BEST,
        "only_rules": statements.ONLY_CONDITIONS,
        "cap": statements.QUOTA,
        "nothing": statements.NOTHING,
        "beyond": statements.BEYOND,
        "no_bound": statements.NO_BOUND,
        "basis": statements.BASIS,
        "in_advance": str(statements.IN_ADVANCE),
        "no_drift": statements.NO_DRIFT,
        "same_prevalence": statements.SAME_PREVALENCE,
        "not_repeated": str(NOT_REPEATED),
    }
