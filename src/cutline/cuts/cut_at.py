"""Guarantees for a threshold chosen after looking at the data (simultaneous bounds)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from cutline.core import validation
from cutline.core.errors import ParameterError
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_level, check_prevalence
from cutline.cuts.choose import CutRequest, read_ranking, require_exchangeable
from cutline.cuts.cut import Cut
from cutline.cuts.guarantees import (
    PrecisionAnywhere,
    Promise,
    RatePromise,
    compute_simultaneous_bounds,
    find_local_level,
)
from cutline.cuts.requirements import parse_requirement
from cutline.cuts.search import CutSearch

DECIMALS = 4  # of a share that is promised; more would be noise
SCALE = 10.0**DECIMALS


class Bands(NamedTuple):
    """The bounds at one cut that hold at every cut at once."""

    recall: float
    fpr: float
    precision: float


@public(confidence="level", data="ev")
def cut_at(ev: Any, *, threshold: float, level: float = LEVEL, prevalence: float | None = None) -> Cut:
    """Return the cut at a given threshold, with what can be promised of it: recall, false positive rate and precision
    at once.

    The promise holds at every threshold at the same time. So it does not matter how this one was found: by dragging a
    slider, from habit, or by looking at all the results first.

    Args:
        ev: An evaluation or a ranking.
        threshold: The threshold.
        level: The confidence of the three promises at once.
        prevalence: The prevalence of the population that the cut is for, when it is not that of the data.

    >>> import cutline as cl
    >>> import numpy as np
    >>> scores = np.arange(200) / 200
    >>> print(cut_at(cl.evaluate(scores > 0.4995, scores), threshold=0.45).statement.split(", ")[3])
    at least 92.99 % of future positives score 0.45 or more
    """
    r, groups = read_ranking(ev, "cut_at")
    require_exchangeable(r, grouped=groups is not None)
    at, confidence = validation.check_number(threshold, "threshold"), check_level(level, "level")
    if math.isnan(at):
        raise ParameterError("is not a number", "pass a score", argument="threshold")
    prevalence = check_prevalence(prevalence)
    promises = _make_promises(r, at, confidence, prevalence)
    requirements = [promise.requirement for promise in promises]
    search = CutSearch(prevalence=prevalence)
    return CutRequest(r, groups, requirements, promises, search, confidence, True, confidence).describe(at)


def _make_promises(r: Ranking, threshold: float, confidence: float, prevalence: float | None) -> list[Promise]:
    """Return the promises of the bands at a threshold, rounded conservatively; trivial bounds are left out."""
    part = confidence ** (1 / (2 + (prevalence is None)))
    limits = compute_bands(r, r.cut(threshold), part, prevalence)
    promises: list[Promise] = []
    for about, sign, bound in (("recall", ">=", limits.recall), ("fpr", "<=", limits.fpr)):
        rate = round_share(bound, is_floor=sign == ">=")
        if 0 < bound < 1 and 0 < rate < 1:
            cases = int(r.positives if about == "recall" else r.negatives)
            level = 1 - find_local_level(cases, part)
            rates = (1 - rate if sign == ">=" else rate, part)
            promised = parse_requirement(f"{about} {sign} {rate:g}")
            allowed = int((compute_simultaneous_bounds(cases, part)[:-1] <= rates[0]).sum()) - 1
            promises.append(RatePromise(promised, about, *rates, cases, allowed, math.inf, level))
    least = round_share(limits.precision, is_floor=True)
    if least > 0:
        promised = parse_requirement(f"precision >= {least:g}")
        promises.append(PrecisionAnywhere(promised, least, confidence, prevalence, part))
    return promises


def compute_bands(r: Ranking, cut: int, part: float, prevalence: float | None) -> Bands:
    """Return the bounds at one cut; each independent part of the data has the confidence `part`."""
    missed, false = int(r.positives - r.tp[cut]), int(r.fp[cut])
    recall = 1 - float(compute_simultaneous_bounds(int(r.positives), part)[missed])
    fpr = float(compute_simultaneous_bounds(int(r.negatives), part)[false])
    anywhere = PrecisionAnywhere(parse_requirement("precision >= 0"), 0.0, part, prevalence, part)
    return Bands(recall, fpr, float(anywhere.compute_bounds(r)[cut]))


def round_share(share: float, *, is_floor: bool) -> float:
    """Round a bound conservatively: a floor down, a ceiling up.

    >>> round_share(0.12345, is_floor=True), round_share(0.12341, is_floor=False)
    (0.1234, 0.1235)
    """
    turned = share if is_floor else -share
    rounded_down = math.floor(turned * SCALE + 1e-9) / SCALE
    return rounded_down if is_floor else -rounded_down
