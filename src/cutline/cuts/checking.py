"""Whether a promise held on new cases: passed, failed, or undecided when the interval straddles the bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from cutline.core.checks import LEVEL
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.table import plain, shown
from cutline.cuts.cut import Cut
from cutline.cuts.requirements import Requirement, requirement
from cutline.evaluation import Evaluation
from cutline.measures import Proportion

State = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """One requirement on new cases."""

    requirement: str
    state: State
    value: float
    low: float
    high: float
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON."""
        return {name: plain(value) for name, value in self.__dict__.items()}


def state_of(one: Requirement, value: float, low: float, high: float) -> State:
    """Passed when the whole interval meets the requirement, failed when none of it does, undecided between.

    >>> [state_of(requirement("recall >= 0.9"), 0.92, *limits) for limits in ((0.9, 0.95), (0.8, 0.95), (0.7, 0.85))]
    ['passed', 'undecided', 'failed']
    """
    if math.isnan(low) or math.isnan(high):
        return "passed" if one.holds(value) else "failed"
    ends = {one.holds(low), one.holds(high)}
    return "undecided" if len(ends) > 1 else "passed" if ends == {True} else "failed"


def check_cut(cut: Cut, ev: Evaluation, *, level: float = LEVEL, resamples: int = 2000, seed: int = 0) -> list[Verdict]:
    """Test on new cases whether what a cut promised held there.

    Args:
        cut: The cut.
        ev: The evaluation of cases that did not choose the cut.
        level: The level of the intervals: Clopper and Pearson's for shares of cases, by resampling where cases have
            groups or weights.
        resamples: How many resamples, where they are needed.
        seed: The seed of the resamples.
    """
    if not isinstance(cut, Cut):
        raise InputError(f"is {briefly(cut)}", "pass a cut that choose_cut() or `cutline cut` made", argument="cut")
    cut.require()
    asked = [requirement(one.requirement) for one in cut.requirements]
    if not asked:
        raise ParameterError("The cut promises nothing", "choose it with a requirement, such as 'recall >= 0.9'")
    if cut.higher_is_positive != ev.ranking.higher_is_positive:
        high = "high" if cut.higher_is_positive else "low"
        raise ParameterError(f"The cut is for scores of which {high} ones mean positive", "rank these cases alike")
    return [_verdict(one, cut, ev, level, resamples, seed) for one in asked]


def _verdict(one: Requirement, cut: Cut, ev: Evaluation, level: float, resamples: int, seed: int) -> Verdict:
    measure = one.term.measure
    exact = isinstance(measure.kind, Proportion) and ev.groups is None and ev.ranking.integral
    method = "clopper_pearson" if exact else "auto"
    how: dict[str, Any] = {"resamples": resamples, "seed": seed, "threshold": cut.threshold, **one.term.parameters}
    found = ev.estimate(measure, level, method, **how)
    state = state_of(one, found.value, found.low, found.high)
    reason = ""
    if math.isnan(found.value):
        reason = f"undefined: {ev.reason(measure, threshold=cut.threshold, **one.term.parameters)}"
    elif state == "undecided":
        reason = "the interval holds the bound: more cases would tell"
    elif state == "failed":
        reason = f"value is {shown(found.value)}"
    return Verdict(one.text, state, found.value, found.low, found.high, reason)
