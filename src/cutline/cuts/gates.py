"""Gates: whether requirements hold on new cases, for a cut that was chosen before and for every slice."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.messages import join_with_and
from cutline.core.table import ComparedByFields, format_value, to_json_value
from cutline.core.validation import LEVEL, check_level
from cutline.cuts.cut import Cut
from cutline.cuts.requirements import Requirement, parse_requirement
from cutline.cuts.search import rescale_to_prevalence as counts_at_prevalence
from cutline.evaluation import Evaluation
from cutline.inference.single.at_prevalence import at_prevalence
from cutline.measures import Proportion
from cutline.results.estimate import Estimate
from cutline.slices.evaluation import Slices
from cutline.slices.fairness import estimate_equalised_odds

OF_ONE_CLASS = ("recall", "fnr", "fpr", "specificity")  # the same at every prevalence
State = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, eq=False)
class Verdict(ComparedByFields):
    """A requirement on new cases or on slices and its outcome; undecided when the interval contains the bound.

    For slices, `value` belongs to the slice that is furthest from meeting it.
    """

    requirement: str
    state: State
    value: float
    low: float
    high: float
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether the requirement is met beyond doubt."""
        return self.state == "passed"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {name: to_json_value(value) for name, value in self.__dict__.items()}


def judge(gate: Requirement, value: float, low: float, high: float) -> State:
    """Return "passed" when the whole interval meets the requirement, "failed" when none of it does, else
    "undecided".

    >>> [judge(parse_requirement("recall >= 0.9"), 0.92, *limits) for limits in ((0.9, 0.95), (0.8, 0.95), (0.7, 0.85))]
    ['passed', 'undecided', 'failed']
    """
    if math.isnan(low) or math.isnan(high):
        return "passed" if gate.holds(value) else "failed"
    ends = {gate.holds(low), gate.holds(high)}
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
        raise InputError(
            f"is {shorten_repr(cut)}", "pass a cut that choose_cut() or `cutline cut` made", argument="cut"
        )
    cut.require()
    requirements = [parse_requirement(stated.requirement) for stated in cut.requirements]
    if not requirements:
        raise ParameterError("The cut promises nothing", "choose it with a requirement, such as 'recall >= 0.9'")
    if cut.higher_is_positive != ev.ranking.higher_is_positive:
        high = "high" if cut.higher_is_positive else "low"
        raise ParameterError(f"The cut is for scores of which {high} ones mean positive", "rank these cases alike")
    if _are_different_classes(cut.positive, ev.ranking.positive):
        raise ParameterError(
            f"The cut is for the positive class {cut.positive!r}, and here it is {ev.ranking.positive!r}",
            "name the same class as positive",
        )
    return [_judge_requirement(gate, cut, ev, level, resamples, seed) for gate in requirements]


def _are_different_classes(label: object, other: object) -> bool:
    """Whether two labels are of different classes; a number may stand for any word, such as True for "yes"."""
    numbers = [_convert_to_number(label) for label in (label, other)]
    if None in numbers:
        return numbers == [None, None] and str(label) != str(other)
    return numbers[0] != numbers[1]


def _convert_to_number(label: Any) -> float | None:
    try:
        return float(label)
    except (TypeError, ValueError):
        return None


def _judge_requirement(gate: Requirement, cut: Cut, ev: Evaluation, level: float, resamples: int, seed: int) -> Verdict:
    measure = gate.term.measure
    exact = isinstance(measure.form, Proportion) and ev.groups is None and ev.ranking.integral
    method = "clopper_pearson" if exact else "auto"
    how: dict[str, Any] = {"resamples": resamples, "seed": seed, "threshold": cut.threshold}
    if cut.prevalence is not None and measure.name not in OF_ONE_CLASS:
        estimate = _estimate_at_prevalence(gate, cut.prevalence, ev, level, how)
    else:
        estimate = ev.estimate(measure, level, method, **how, **gate.term.parameters)
    state = judge(gate, estimate.value, estimate.low, estimate.high)
    reason = ""
    if math.isnan(estimate.value):
        state = "undecided"  # no case tells
        reason = f"undefined: {ev.reason(measure, threshold=cut.threshold, **gate.term.parameters)}"
    elif state == "undecided":
        reason = "the interval contains the bound: more cases would decide"
    elif state == "failed":
        reason = f"value is {format_value(estimate.value)}"
    return Verdict(gate.text, state, estimate.value, estimate.low, estimate.high, reason)


def _estimate_at_prevalence(
    gate: Requirement, prevalence: float, ev: Evaluation, level: float, how: dict[str, Any]
) -> Estimate:
    """Return the measure at the prevalence that the cut was chosen for."""
    measure, threshold = gate.term.measure, how["threshold"]
    known = at_prevalence(ev.ranking, threshold, prevalence, level=level, groups=ev.groups)
    if measure.name in known and not gate.term.parameters:
        return known[measure.name]

    def compute_there(c: Counts) -> float:
        return float(measure.compute(counts_at_prevalence(c, prevalence), **gate.term.parameters))

    return ev.estimate(compute_there, level, **how)


# ---------------------------------------------------------------------- requirements on slices


_GAP = re.compile(r"\s*gap\(\s*(?P<measure>[^)]+?)\s*\)(?P<rest>.*)", re.DOTALL)
_ODDS = re.compile(r"\s*equali[sz]ed_odds\b(?P<rest>.*)", re.DOTALL)
_NAMED = 5  # slices that a reason names


def check_slices(slices: Slices, requirements: Iterable[str], *, level: float = LEVEL) -> list[Verdict]:
    """Check requirements that every slice must meet, and those on the gap between slices.

    Args:
        slices: The slices.
        requirements: Such as "auc.low >= 0.8", or "gap(recall).high <= 0.1" or "equalised_odds.high <= 0.2".
        level: The level: of the one-sided bound of each slice, and of the interval of a gap.
    """
    level = check_level(level)
    return [
        _check_gap(slices, text, level) if _is_gap(text) else _check_every_slice(slices, text, level)
        for text in requirements
    ]


def _check_gap(slices: Slices, text: str, level: float) -> Verdict:
    match = _GAP.match(text)
    condition = f"{match['measure']}{match['rest']}" if match else text
    odds = _ODDS.match(condition)
    if odds:
        gate = parse_requirement(f"recall{odds['rest']}")  # it is written as either of its rates is
        estimate = _estimate_odds(slices, gate.term.parameters, level)
    else:
        gate = parse_requirement(condition)
        estimate = slices.gap(gate.term.measure, level=level, **gate.term.parameters)
    number = _select_number(estimate, gate)
    passed = gate.holds(number)
    reason = "" if passed else f"{gate.term.part} is {format_value(number)}. {estimate.notes[0]}"
    return Verdict(text, "passed" if passed else "failed", estimate.value, estimate.low, estimate.high, reason)


def _is_gap(text: str) -> bool:
    """Whether a requirement is on a difference between slices; otherwise it is on each of them."""
    return bool(_GAP.match(text) or _ODDS.match(text))


def _estimate_odds(slices: Slices, parameters: Mapping[str, Any], level: float) -> Estimate:
    if parameters.keys() - {"threshold"}:
        raise ParameterError(
            f"equalised_odds takes a threshold, but no {join_with_and(sorted(parameters.keys() - {'threshold'}))}",
            "write equalised_odds@threshold=0.3, or leave it out",
        )
    cut = parameters.get("threshold")
    return estimate_equalised_odds(slices if cut is None else slices.with_threshold(cut), level)


def _select_number(estimate: Estimate, gate: Requirement) -> float:
    return float({"value": estimate.value, "low": estimate.low, "high": estimate.high}[gate.term.part])


def _check_every_slice(slices: Slices, text: str, level: float) -> Verdict:
    gate = parse_requirement(text)
    one_sided = 2 * level - 1
    if gate.term.part != "value" and one_sided <= 0:
        raise ParameterError(f"is {level:g}", "pass a level above 0.5", argument="level")
    estimates = {
        key: ev.estimate(gate.term.measure, level=max(one_sided, 1e-6), **gate.term.parameters)
        for key, ev in slices.items()
    }
    worst_first = sorted(estimates, key=lambda key: _measure_shortfall(estimates[key], gate), reverse=True)
    failed = [key for key in worst_first if not gate.holds(_select_number(estimates[key], gate))]
    worst = estimates[worst_first[0]]
    if not failed:
        return Verdict(text, "passed", worst.value, worst.low, worst.high, "")
    named = [_describe_failure(slices, key, estimates[key], gate) for key in failed[:_NAMED]]
    more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    reason = f"{len(failed)} of {len(slices)} slices fail: {'; '.join(named)}{more}"
    return Verdict(text, "failed", worst.value, worst.low, worst.high, reason)


def _measure_shortfall(estimate: Estimate, gate: Requirement) -> float:
    """Return how far an estimate is from meeting the requirement; one without a number is the furthest."""
    number = _select_number(estimate, gate)
    if math.isnan(number):
        return math.inf
    return gate.bound - number if gate.is_floor else number - gate.bound


def _describe_failure(slices: Slices, key: Any, estimate: Estimate, gate: Requirement) -> str:
    """Return why a slice fails, and how many cases it would need at its present value."""
    cases = float(slices[key].ranking.total)
    name = slices.title(key)
    number = _select_number(estimate, gate)
    if math.isnan(number):
        return f"{name} has no {'value' if math.isnan(estimate.value) else 'interval'} ({cases:g} cases)"
    text = f"{name} {format_value(number)} ({cases:g} cases"
    if gate.term.part == "value" or not gate.holds(estimate.value):
        return text + ")"
    room, reach = abs(estimate.value - gate.bound), abs(estimate.value - number)
    cases_needed = cases * (reach / room) ** 2 if room > 0 else math.inf
    if not math.isfinite(cases_needed):
        return text + ")"
    return f"{text}: too few, about {float(f'{cases_needed:.2g}'):,.0f} would do)"


def describe_checks(level: float, texts: Iterable[str]) -> str:
    """Return what was checked, in a sentence."""
    parts = []
    kinds = [_is_gap(text) for text in texts]
    if not all(kinds):
        parts.append(
            f"every slice must pass by itself (intersection-union test; limits are one-sided {100 * level:g} % bounds, "
            "not adjusted)"
        )
    if any(kinds):
        parts.append(f"gaps have {100 * level:g} % intervals for all pairs of slices at once")
    return f"By slice: {join_with_and(parts)}."
