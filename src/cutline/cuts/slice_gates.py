"""Gates on slices: whether every slice meets a requirement, and whether the gap between slices is small enough.

"Every slice meets it" is an intersection-union claim (Berger 1982): each slice must pass at the one-sided level, and no
adjustment for their number is needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cutline.core.errors import ParameterError
from cutline.core.messages import listed
from cutline.core.table import shown
from cutline.core.validation import LEVEL, check_level
from cutline.cuts.requirements import Requirement, requirement
from cutline.results.estimate import Estimate
from cutline.slice_fairness import estimate_equalised_odds
from cutline.slices import Slices

_GAP = re.compile(r"\s*gap\(\s*(?P<measure>[^)]+?)\s*\)(?P<rest>.*)", re.DOTALL)
_ODDS = re.compile(r"\s*equali[sz]ed_odds\b(?P<rest>.*)", re.DOTALL)
_NAMED = 5  # slices that a reason names


@dataclass(frozen=True)
class SliceGate:
    """A requirement on slices and its outcome; `value` belongs to the slice that is furthest from meeting it."""

    requirement: str
    passed: bool
    value: float
    low: float
    high: float
    reason: str


def check_slices(slices: Slices, requirements: Iterable[str], *, level: float = LEVEL) -> list[SliceGate]:
    """Check requirements that every slice must meet, and those on the gap between slices.

    Args:
        slices: The slices.
        requirements: Such as "auc.low >= 0.8", or "gap(recall).high <= 0.1" or "equalised_odds.high <= 0.2".
        level: The level: of the one-sided bound of each slice, and of the interval of a gap.
    """
    level = check_level(level)
    return [_gap(slices, text, level) if _is_gap(text) else _every(slices, text, level) for text in requirements]


def _gap(slices: Slices, text: str, level: float) -> SliceGate:
    match = _GAP.match(text)
    condition = f"{match['measure']}{match['rest']}" if match else text
    odds = _ODDS.match(condition)
    if odds:
        gate = requirement(f"recall{odds['rest']}")  # it is written as either of its rates is
        estimate = _equalised_odds(slices, gate.term.parameters, level)
    else:
        gate = requirement(condition)
        estimate = slices.gap(gate.term.measure, level=level, **gate.term.parameters)
    number = _number(estimate, gate)
    passed = gate.holds(number)
    reason = "" if passed else f"{gate.term.part} is {shown(number)}. {estimate.notes[0]}"
    return SliceGate(text, passed, estimate.value, estimate.low, estimate.high, reason)


def _is_gap(text: str) -> bool:
    """Whether a requirement is on a difference between slices; otherwise it is on each of them."""
    return bool(_GAP.match(text) or _ODDS.match(text))


def _equalised_odds(slices: Slices, parameters: Mapping[str, Any], level: float) -> Estimate:
    if parameters.keys() - {"threshold"}:
        raise ParameterError(
            f"equalised_odds takes a threshold, and no {listed(sorted(parameters.keys() - {'threshold'}))}",
            "write equalised_odds@threshold=0.3, or leave it out",
        )
    cut = parameters.get("threshold")
    return estimate_equalised_odds(slices if cut is None else slices.with_threshold(cut), level)


def _number(estimate: Estimate, gate: Requirement) -> float:
    return float({"value": estimate.value, "low": estimate.low, "high": estimate.high}[gate.term.part])


def _every(slices: Slices, text: str, level: float) -> SliceGate:
    gate = requirement(text)
    one_sided = 2 * level - 1
    if gate.term.part != "value" and one_sided <= 0:
        raise ParameterError(f"is {level:g}", "pass a level above 0.5", argument="level")
    estimates = {
        key: ev.estimate(gate.term.measure, level=max(one_sided, 1e-6), **gate.term.parameters)
        for key, ev in slices.items()
    }
    failed = {key: one for key, one in estimates.items() if not gate.holds(_number(one, gate))}
    worst = _worst(estimates, gate)
    if not failed:
        return SliceGate(text, True, worst.value, worst.low, worst.high, "")
    named = [_failure(slices, key, one, gate) for key, one in list(failed.items())[:_NAMED]]
    more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    reason = f"{len(failed)} of {len(slices)} slices fail: {'; '.join(named)}{more}"
    return SliceGate(text, False, worst.value, worst.low, worst.high, reason)


def _worst(estimates: dict[Any, Estimate], gate: Requirement) -> Estimate:
    """Return the estimate that is furthest from the requirement; one without a number is the furthest."""

    def distance(one: Estimate) -> float:
        number = _number(one, gate)
        if math.isnan(number):
            return math.inf
        return gate.bound - number if gate.is_floor else number - gate.bound

    return max(estimates.values(), key=distance)


def _failure(slices: Slices, key: Any, one: Estimate, gate: Requirement) -> str:
    """Return why a slice fails, and how many cases it would need at its present value."""
    cases = float(slices[key].ranking.total)
    name = slices.title(key)
    number = _number(one, gate)
    if math.isnan(number):
        return f"{name} has no {'value' if math.isnan(one.value) else 'interval'} ({cases:g} cases)"
    text = f"{name} {shown(number)} ({cases:g} cases"
    if gate.term.part == "value" or not gate.holds(one.value):
        return text + ")"
    room, reach = abs(one.value - gate.bound), abs(one.value - number)
    needed = cases * (reach / room) ** 2 if room > 0 else math.inf
    if not math.isfinite(needed):
        return text + ")"
    return f"{text}: too few, about {float(f'{needed:.2g}'):,.0f} would do)"


def how_words(level: float, texts: Iterable[str]) -> str:
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
    return f"By slice: {listed(parts)}."
