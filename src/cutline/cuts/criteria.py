"""What makes one cut better than another: a measure, costs, utilities, or a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.counts import Counts, divide
from cutline.core.errors import Argument, ParameterError, Text, near
from cutline.core.ranking import Ranking
from cutline.cuts.requirements import Term, terms
from cutline.inference.single.estimand import as_measure
from cutline.measures import MEASURES, Measure, Needs

CORNER = "corner"
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Criterion:
    """A number for each cut, and whether it should be high or low."""

    name: str
    words: str
    is_high: bool
    of: Callable[[Counts], Any]

    def values(self, c: Counts) -> Any:
        """The number at each cut, turned so that higher is better; undefined is worse than anything."""
        found = np.asarray(self.of(c), dtype=float)
        found = found if self.is_high else -found
        return np.where(np.isnan(found), -np.inf, found)


def at_prevalence(c: Counts, prevalence: float | None) -> Counts:
    """The counts as they would be expected at another prevalence, of as many cases."""
    if prevalence is None:
        return c
    positives, negatives = np.asarray(c.positives, dtype=float), np.asarray(c.negatives, dtype=float)
    total = positives + negatives
    up, down = divide(prevalence * total, positives), divide((1 - prevalence) * total, negatives)
    return Counts(c.tp * up, c.fp * down, c.fn * up, c.tn * down, c.threshold, c.is_risk)


def cuts_of(r: Ranking, prevalence: float | None) -> Counts:
    """The tables of all cuts, at a prevalence."""
    return at_prevalence(r.counts, prevalence)


def criterion(
    maximize: Any = None,
    minimize: Any = None,
    *,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    utility: Any = None,
) -> Criterion | None:
    """The criterion that the arguments name; None when they name none."""
    given = [
        name
        for name, value in (
            ("maximize", maximize),
            ("minimize", minimize),
            ("cost_fp and cost_fn", cost_fp if cost_fn is None else cost_fn),
            ("utility", utility),
        )
        if value is not None
    ]
    if len(given) > 1:
        raise ParameterError(f"One criterion can be best, but {' and '.join(given)} are given", "pass one of them")
    if utility is not None:
        return _of_utility(utility)
    if cost_fp is not None or cost_fn is not None:
        return _of_costs(cost_fp, cost_fn)
    if maximize is not None:
        return _of_measure(maximize, is_high=True)
    return None if minimize is None else _of_measure(minimize, is_high=False)


def _of_measure(asked: Any, *, is_high: bool) -> Criterion:
    verb = "maximize" if is_high else "minimize"
    if isinstance(asked, str) and asked == CORNER:
        if is_high:
            raise ParameterError(
                "The distance to the corner is better low", Text("pass ", Argument("minimize", CORNER))
            )
        return Criterion("distance to the corner", "the distance to the corner of the ROC curve", False, _corner)
    term = _term(asked, verb)
    measure = term.measure
    if measure.needs is not Needs.COUNTS:
        raise ParameterError(
            f"{measure.name} needs {measure.needs.value}, so it is the same at every cut",
            f"pass {verb}= with a measure of one cut, such as 'f1'",
        )
    if measure.better is not None and (measure.better == "higher") != is_high:
        other = "minimize" if is_high else "maximize"
        way_out = Text("pass ", Argument(other, measure.name))
        raise ParameterError(f"{measure.name} is better {_way(not is_high)}", way_out)
    parameters = measure.check(term.parameters)
    return Criterion(str(term), measure.title, is_high, partial(measure.compute, **parameters))


def _term(asked: Any, verb: str) -> Term:
    if isinstance(asked, str):
        if asked not in MEASURES and not set(asked) & set("@,"):
            hint = near(asked, [*MEASURES.names, CORNER]) or " cutline.MEASURES lists them all."
            raise ParameterError(f"{verb} is {asked!r}, which is no measure.{hint}")
        found = terms(asked)
        if len(found) > 1:
            raise ParameterError(f"{verb} names {len(found)} measures", "pass one; bound the others by requirements")
        named = {"threshold", "quota", "share"} & set(found[0].parameters)
        if named:
            raise ParameterError(
                f"{verb}={asked!r} names a cut, which is what is to be chosen", f"leave @{named.pop()} out"
            )
        return found[0]
    if isinstance(asked, Measure):
        return Term(asked)
    if callable(asked):
        return Term(as_measure(asked, {"threshold": 0.5}))
    raise ParameterError(f"{verb} is {asked!r}", "pass the name of a measure, or a function of Counts")


def _way(is_high: bool) -> str:
    return "high" if is_high else "low"


def _corner(c: Counts) -> Any:
    return np.hypot(divide(c.fp, c.negatives), divide(c.fn, c.positives))


def _of_costs(cost_fp: float | None, cost_fn: float | None) -> Criterion:
    if cost_fp is None or cost_fn is None:
        raise ParameterError("cost_fp and cost_fn belong together", "pass both")
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not 0 <= validation.check_number(cost, name) < 1e100:
            raise ParameterError(f"is {cost:g}", "pass a cost of 0 or more", argument=name)
    if not cost_fp and not cost_fn:
        raise ParameterError("cost_fp and cost_fn are both 0", "pass what at least one of the errors costs")
    of = partial(MEASURES["expected_cost"].compute, cost_fp=float(cost_fp), cost_fn=float(cost_fn))
    return Criterion(f"expected_cost@cost_fp={cost_fp:g},cost_fn={cost_fn:g}", "Expected cost", False, of)


def _of_utility(utility: Any) -> Criterion:
    """The mean utility of a case, from what each of the four outcomes is worth."""
    try:
        known = dict(utility) if isinstance(utility, Mapping) else dict(zip(_CELLS, utility, strict=True))
        worth = {name: validation.check_number(value, f"utility of {name}") for name, value in known.items()}
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            "is not a table", 'pass what outcomes are worth, such as {"tp": 90, "fp": -10}', argument="utility"
        ) from None
    unknown = [name for name in worth if name not in _CELLS]
    if unknown or not worth:
        what = f"{unknown[0]!r} is no outcome" if unknown else "no outcome is given"
        raise ParameterError(f"utility: {what}; pass some of tp, fp, fn and tn.")
    if not all(np.isfinite(value) for value in worth.values()):
        raise ParameterError("utility holds an infinite value: bound the measure with a requirement instead.")

    def mean(c: Counts) -> Any:
        return divide(sum(value * np.asarray(getattr(c, name), dtype=float) for name, value in worth.items()), c.total)

    name = "utility@" + ",".join(f"{name}={value:g}" for name, value in worth.items())
    return Criterion(name, "Mean utility", True, mean)
