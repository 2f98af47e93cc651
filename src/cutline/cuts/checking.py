"""Whether a promise held on new cases: passed, failed, or undecided when the interval straddles the bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from cutline.core.counts import Counts
from cutline.core.equality import ComparedByFields
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.table import plain, shown
from cutline.core.validation import LEVEL
from cutline.cuts.cut import Cut
from cutline.cuts.requirements import Requirement, requirement
from cutline.cuts.search import at_prevalence as counts_at_prevalence
from cutline.evaluation import Evaluation
from cutline.inference.single.at_prevalence import at_prevalence
from cutline.measures import Proportion
from cutline.results.estimate import Estimate

OF_ONE_CLASS = ("recall", "fnr", "fpr", "specificity")  # the same at every prevalence
State = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, eq=False)
class Verdict(ComparedByFields):
    """One requirement on new cases."""

    requirement: str
    state: State
    value: float
    low: float
    high: float
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {name: plain(value) for name, value in self.__dict__.items()}


def state_of(one: Requirement, value: float, low: float, high: float) -> State:
    """Return "passed" when the whole interval meets the requirement, "failed" when none of it does, else
    "undecided".

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
    requirements = [requirement(one.requirement) for one in cut.requirements]
    if not requirements:
        raise ParameterError("The cut promises nothing", "choose it with a requirement, such as 'recall >= 0.9'")
    if cut.higher_is_positive != ev.ranking.higher_is_positive:
        high = "high" if cut.higher_is_positive else "low"
        raise ParameterError(f"The cut is for scores of which {high} ones mean positive", "rank these cases alike")
    if _differ(cut.positive, ev.ranking.positive):
        raise ParameterError(
            f"The cut is for the positive class {cut.positive!r}, and here it is {ev.ranking.positive!r}",
            "name the same class as positive",
        )
    return [_verdict(one, cut, ev, level, resamples, seed) for one in requirements]


def _differ(one: Any, other: Any) -> bool:
    """Whether two labels are of different classes; a number may stand for any word, such as True for "yes"."""
    numbers = [_number(label) for label in (one, other)]
    if None in numbers:
        return numbers == [None, None] and str(one) != str(other)
    return numbers[0] != numbers[1]


def _number(label: Any) -> float | None:
    try:
        return float(label)
    except (TypeError, ValueError):
        return None


def _verdict(one: Requirement, cut: Cut, ev: Evaluation, level: float, resamples: int, seed: int) -> Verdict:
    measure = one.term.measure
    exact = isinstance(measure.kind, Proportion) and ev.groups is None and ev.ranking.integral
    method = "clopper_pearson" if exact else "auto"
    how: dict[str, Any] = {"resamples": resamples, "seed": seed, "threshold": cut.threshold}
    if cut.prevalence is not None and measure.name not in OF_ONE_CLASS:
        estimate = _elsewhere(one, cut.prevalence, ev, level, how)
    else:
        estimate = ev.estimate(measure, level, method, **how, **one.term.parameters)
    state = state_of(one, estimate.value, estimate.low, estimate.high)
    reason = ""
    if math.isnan(estimate.value):
        state = "undecided"  # no case tells
        reason = f"undefined: {ev.reason(measure, threshold=cut.threshold, **one.term.parameters)}"
    elif state == "undecided":
        reason = "the interval contains the bound: more cases would tell"
    elif state == "failed":
        reason = f"value is {shown(estimate.value)}"
    return Verdict(one.text, state, estimate.value, estimate.low, estimate.high, reason)


def _elsewhere(one: Requirement, prevalence: float, ev: Evaluation, level: float, how: dict[str, Any]) -> Estimate:
    """Return the measure at the prevalence that the cut was chosen for."""
    measure, threshold = one.term.measure, how["threshold"]
    known = at_prevalence(ev.ranking, threshold, prevalence, level=level, groups=ev.groups)
    if measure.name in known and not one.term.parameters:
        return known[measure.name]

    def there(c: Counts) -> float:
        return float(measure.compute(counts_at_prevalence(c, prevalence), **one.term.parameters))

    return ev.estimate(there, level, **how)
