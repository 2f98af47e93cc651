"""Which settings of the estimator make sense, and for which solver: each refusal in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, get_args

from cutline import ParameterError
from cutline.core.errors import near
from cutline.core.validation import check_number
from cutline.training.class_order import Psi
from cutline.training.objectives import Objective

SOLVERS = ("baseline", "structural", "smooth", "newton")
METHODS = ("sorted", "pairs")

# Which solver reads a setting, for which measure; all others are read by every solver.
_READ_BY: dict[str, Callable[[str, Objective], bool]] = {
    "C": lambda solver, goal: solver in ("structural", "newton") or (solver == "smooth" and goal.has_cut),
    "psi": lambda solver, goal: solver == "structural" and goal.uses_psi,
    "smoothing": lambda solver, goal: solver == "smooth" and not goal.has_cut,
    "trust": lambda solver, goal: solver == "smooth" and not goal.has_cut,
    "tol": lambda solver, goal: solver in ("structural", "newton"),
}


def check_settings(settings: Mapping[str, Any], defaults: Mapping[str, Any], goal: Objective) -> None:
    """Refuse settings out of their domain, and those that would do nothing."""
    _check_choices(settings, goal)
    for name in ("C", "smoothing", "tol"):
        if not 0 < check_number(settings[name], name) < math.inf:
            raise ParameterError(f"is {settings[name]!r}", "pass a finite number above 0", argument=name)
    if not 0 <= check_number(settings["trust"], "trust") < math.inf:
        raise ParameterError(f"is {settings['trust']!r}", "pass a finite number from 0", argument="trust")
    if not 0 < check_number(settings["holdout"], "holdout") <= 0.5:
        raise ParameterError(f"is {settings['holdout']!r}", "pass a share above 0 and up to 0.5", argument="holdout")
    if settings["time_limit"] is not None and not check_number(settings["time_limit"], "time_limit") > 0:
        raise ParameterError(
            f"is {settings['time_limit']!r}", "pass seconds above 0, or None for no limit", argument="time_limit"
        )
    rounds = settings["max_iter"]
    if isinstance(rounds, bool) or not isinstance(rounds, Integral) or rounds < 1:
        raise ParameterError(f"is {rounds!r}", "pass a whole number from 1", argument="max_iter")
    _check_use(settings, defaults, goal)


def _check_choices(settings: Mapping[str, Any], goal: Objective) -> None:
    solver, method = settings["solver"], settings["method"]
    if solver not in (*SOLVERS, "auto"):
        raise ParameterError(
            f"is {solver!r}",
            f"pass 'auto' or one of {', '.join(SOLVERS)}",
            argument="solver",
            hint=near(solver, SOLVERS),
        )
    if method not in METHODS:
        raise ParameterError(f"is {method!r}", "pass 'sorted' or 'pairs'", argument="method")
    if goal.key != "auc" and (solver == "newton" or method == "pairs"):
        option = "solver='newton'" if solver == "newton" else "method='pairs'"
        raise ParameterError(f"{option} trains for the auc, not for {goal.noun}", "pass another, or measure='auc'")
    if goal.is_loss and solver == "structural":
        raise ParameterError(f"solver='structural' bounds decisions, and {goal.noun} is a loss", "pass solver='smooth'")
    if method == "pairs" and solver not in ("auto", "newton", "structural"):
        raise ParameterError(
            f"method='pairs' is a way of solver='newton' or 'structural', not of {solver!r}", "pass one of them"
        )
    if settings["psi"] not in get_args(Psi):
        raise _unknown_psi(settings["psi"])


def _check_use(settings: Mapping[str, Any], defaults: Mapping[str, Any], goal: Objective) -> None:
    solvers = candidates(settings["solver"], settings["method"], goal)
    for name, reads in _READ_BY.items():
        if settings[name] != defaults[name] and not any(reads(solver, goal) for solver in solvers):
            raise ParameterError(
                f"{name} does nothing for {goal.noun} with solver={settings['solver']!r}", "leave it out"
            )
    if settings["holdout"] != defaults["holdout"] and len(solvers) == 1:
        raise ParameterError(
            "does nothing without a choice of solvers", "leave it out, or pass solver='auto'", argument="holdout"
        )


def candidates(solver: str, method: str, goal: Objective) -> Sequence[str]:
    """Return the solvers to try, the baseline first; or the one to use."""
    if method == "pairs":
        return ("structural" if solver == "structural" else "newton",)
    if solver != "auto":
        return (solver,)
    if goal.is_loss:
        return ("baseline", "smooth")
    return ("baseline", "newton", "smooth") if goal.key == "auc" else ("baseline", "structural", "smooth")


def check_psi(psi: Any, goal: Objective) -> None:
    """Refuse a value that is no price of a unit of score, or a price for a bound that has none."""
    if psi not in get_args(Psi):
        raise _unknown_psi(psi)
    if psi != "auto" and not goal.uses_psi:
        raise ParameterError(
            f"does nothing for {goal.noun}, whose bound compares pairs", "leave it out", argument="psi"
        )


def _unknown_psi(psi: Any) -> ParameterError:
    names = ", ".join(repr(name) for name in get_args(Psi))
    return ParameterError(f"is {psi!r}", f"pass one of {names}", argument="psi")
