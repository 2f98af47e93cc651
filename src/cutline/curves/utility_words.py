"""What the curves of utility are called: titles, axes, units and references, the same wherever they are drawn."""

from __future__ import annotations

from typing import NamedTuple

from cutline.core.counts import written
from cutline.curves.curve_type import BELOW_ZERO
from cutline.results.estimate import Estimate

EVERYBODY, NOBODY = "flagging everybody", "flagging nobody"
THRESHOLDS = "Threshold probability"


class Wording(NamedTuple):
    """The words of a curve. A chart shows `scale` times its numbers, and little of what lies below `floor` of its top.

    `zero` is what has the value 0 everywhere; without a name it is not drawn.
    """

    title: str
    x: str
    y: str
    scale: float = 1.0
    zero: str | None = None
    floor: float | None = None


# By the column that holds the curve.
WORDINGS = {
    "net_benefit": Wording("Decision curve", THRESHOLDS, "Net benefit", floor=BELOW_ZERO),
    "standardised": Wording("Standardised net benefit", THRESHOLDS, "Standardised net benefit", floor=0.15),
    "interventions_avoided": Wording(
        "Net interventions avoided", THRESHOLDS, "Interventions avoided in 100 cases", 100.0, EVERYBODY, BELOW_ZERO
    ),
    "difference": Wording("Decision curves compared", THRESHOLDS, "Difference in net benefit", zero="no difference"),
    "cost": Wording("Cost curve", "Probability-cost of the positives", "Normalised expected cost"),
    "loss": Wording("Brier curve", "Cost proportion of a false alarm, and threshold", "Loss"),
    "profit": Wording("Profit over the quota", "Cases flagged", "Profit", zero=NOBODY, floor=0.35),
}


def titled(kind: str, prevalence: float | None = None) -> str:
    """Return the title of a decision curve.

    >>> titled("net_benefit", 0.01)
    'Decision curve at a prevalence of 0.01'
    """
    return WORDINGS[kind].title + ("" if prevalence is None else f" at a prevalence of {prevalence:g}")


def shaded(level: float) -> str:
    """Return what a band is."""
    return f"Shaded: {100 * level:g} % interval at each threshold"


def best_quota_told(best: Estimate) -> str:
    """Return the best quota with its interval.

    >>> best_quota_told(Estimate("best quota", 4.0, 2.0, 5.0, 0.95, "bootstrap"))
    '4 [2, 5]'
    """
    limits = f" [{written(best.low)}, {written(best.high)}]" if best.has_interval else ""
    return f"{written(best.value)}{limits}"
