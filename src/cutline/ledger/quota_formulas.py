"""Sides of the formula of measures of a quota: how a share is rounded, from the top or of one portion of the list."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cutline.ledger.cases import Material
from cutline.ledger.formula_convention import Formula, formula
from cutline.ledger.quantity import PrintedQuantity


def _share_as(rule: Callable[[float], float]) -> Formula:
    def act(material: Material, q: PrintedQuantity) -> float:
        share, n = q.parameters.get("share"), float(material.ranking.total)
        if share is None:
            return math.nan
        quota = min(max(rule(round(share * n, 9)), 1), n)
        return q.value(material, q.of, **{k: v for k, v in q.parameters.items() if k != "share"}, quota=quota)

    return act


def _by_quota(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.measure is not None and "quota" in q.measure.parameters


def in_portion(portions: int) -> Formula:
    """Return the value of the portion of the list that ends at the share, in place of all cases down to there."""

    def act(material: Material, q: PrintedQuantity) -> float:
        r, number = material.ranking, math.ceil(round(q.parameters["share"] * portions, 9))
        n, positives = float(r.total), float(r.positives)
        hits = [float(r.at_quota(n * end / portions).tp) for end in (number - 1, number)]
        within = hits[1] - hits[0]
        of = {"hit_rate": n / portions, "qrecall": positives}
        return float(within / of.get(q.of, positives / portions)) if positives else math.nan

    return act


def from_the_top(material: Material, q: PrintedQuantity) -> float:
    """Return the lift of all portions down to one, in place of that one alone."""
    bound = {"portion": 1, "portions": 10, **q.parameters}
    share, r = float(bound["portion"] / bound["portions"]), material.ranking
    if share > 1:
        return math.nan
    return float(r.at_quota(share * float(r.total)).tp) / (share * float(r.positives))


def of_rounded_percentages(material: Material, q: PrintedQuantity) -> float:
    """Lift with two decimals, from recall in percent with one decimal and the share in whole percent.

    The list is read in steps of whole cases that are about one percent of it; the first step that rounds to the share
    counts.
    """
    r = material.ranking
    n = round(float(r.total))
    step = max(n // 100, 1)
    sizes = np.arange(step, n + 1, step)
    percent = np.rint(100 * sizes / n)
    at = np.flatnonzero(percent == round(100 * q.parameters["share"]))
    if not len(at) or not r.integral or not r.positives:
        return math.nan
    recall = round(100 * float(r.at_quota(float(sizes[at[0]])).tp) / float(r.positives), 1)
    return round(recall / float(percent[at[0]]), 2)


def _of_portion(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.of in ("enrichment", "hit_rate", "qrecall", "lift")


def _of_lift(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.of in ("enrichment", "lift")


_PORTION = "Tables of gains give both: all cases down to a share of the list, and those of each portion by itself."
SIDES = (
    formula("share_rounded", _by_quota, _share_as(round), "with the share rounded to whole cases",
            "A share of the list is seldom a whole number of cases.", 0.4, "list sizes from a share"),
    formula("share_ceiled", _by_quota, _share_as(math.ceil), "with the share rounded up to whole cases",
            "A share of the list is seldom a whole number of cases.", 0.4, "list sizes from a share"),
    *(
        formula(f"portion_{portions}", _of_portion, in_portion(portions),
                f"in the {name} of the list that ends there, and not from the top", _PORTION, p,
                f"tables of gains with {portions} portions")
        for portions, name, p in ((10, "tenth", 0.5), (20, "twentieth", 0.3))
    ),
    formula("lift_rounded", _of_lift, of_rounded_percentages,
            "from percentages that were rounded before", "Parts that are rounded before move the last digits.", 0.35,
            "Evidently's lift table"),
    formula("from_the_top", "portion_lift", from_the_top, "from the top of the list down to there (cumulative)",
            _PORTION, 0.5, "cumulative lift"),
)  # fmt: skip
