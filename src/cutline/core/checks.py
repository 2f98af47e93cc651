"""Checks of options that several entry functions share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cutline.core.columns import number as check_number
from cutline.core.errors import CutlineError, ParameterError, briefly, near

LEAST_LEVEL = 1e-9  # of an interval: below it the quantiles of its two ends are one number
LEVEL = 0.95  # of intervals and tests, unless another is asked for
MOST_REPEATED = 10_000_000  # of anything: more would not end


def check_level(level: Any, name: str = "level") -> float:
    """The level of an interval or a test: a share between 0 and 1."""
    number = check_number(level, name)
    if not LEAST_LEVEL <= number < 1:
        hint = f" such as {number / 100:g}" if 1 < number < 100 else ""
        raise ParameterError(f"is {number:g}", f"pass a share between 0 and 1{hint}", argument=name)
    return number


def check_amount(amount: Any, name: str) -> float:
    """What something costs or is worth: products with counts stay in the range of floats."""
    found = check_number(amount, name)
    if not abs(found) < 1e100:
        raise ParameterError(f"is {found:g}", "pass a finite amount of an ordinary size", argument=name)
    return found


def check_prevalence(prevalence: Any) -> float | None:
    """The share of positives in a population, or none."""
    if prevalence is None:
        return None
    share = check_number(prevalence, "prevalence")
    if not 0 < share < 1:
        raise ParameterError(f"is {share:g}", "pass a share between 0 and 1", argument="prevalence")
    return share


def check_whole(value: Any, name: str, least: int) -> int:
    """A whole number that is not too small."""
    number = check_number(value, name)
    most = MOST_REPEATED if name.lstrip("-") in ("resamples", "permutations") else math.inf
    if not math.isfinite(number) or number != number // 1 or not least <= number <= most:
        up_to = "" if most == math.inf else f" to {most:,}"
        raise ParameterError(f"is {briefly(value)}", f"pass a whole number from {least}{up_to}", argument=name)
    return int(number)


def check_choice(value: Any, name: str, known: Iterable[str]) -> str:
    """One of the known words."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        way_out, hint = f"pass one of {', '.join(known)}", near(briefly(value), known)
        raise ParameterError(f"is {briefly(value)}", way_out, argument=name, hint=hint)
    return value


def check_intervals(value: Any) -> bool | str:
    """Which intervals a summary holds."""
    if not (isinstance(value, bool) or (isinstance(value, str) and value in ("bootstrap", "formula"))):
        way_out = "pass True, False, 'bootstrap' or 'formula'"
        raise ParameterError(f"is {briefly(value)}", way_out, argument="intervals")
    return value


def check_flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool) and type(value).__name__ != "bool":  # numpy has its own
        raise ParameterError(f"is {briefly(value)}", "pass True or False", argument=name)
    return bool(value)


def called(function: Callable[..., Any], name: str, *given: Any) -> Any:
    """What a function of the user's returns; its own error is told in one sentence, and kept as the cause.

    Args:
        function: The function.
        name: The argument that it came with.
        given: What it is called with.
    """
    try:
        return function(*given)
    except CutlineError:
        raise
    except Exception as error:
        taken = " and ".join(f"a {type(one).__name__}" for one in given)
        found = f"is a function that fails with {type(error).__name__} ({briefly(str(error))})"
        raise ParameterError(found, f"pass one that takes {taken}", argument=name) from error


def check_text(value: Any, name: str, example: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ParameterError(f"is {briefly(value)}", f"pass text, such as {example!r}", argument=name)
    return value


def name_of(model: Any) -> str | None:
    """What a model is called, as text; a blank name is none, since nobody could read it.

    >>> name_of("forest"), name_of(7), name_of("  "), name_of(None)
    ('forest', '7', None, None)
    """
    return None if model is None or not str(model).strip() else str(model)


def check_path(value: Any, name: str, example: str) -> Path:
    """The path of a file, which need not exist."""
    if not isinstance(value, str | os.PathLike):
        raise ParameterError(f"is {briefly(value)}", f"pass the path of a file, such as {example!r}", argument=name)
    path = os.fsdecode(value)
    if "\0" in path:
        raise ParameterError(f"is {briefly(path)}", "pass a path without NUL characters", argument=name)
    return Path(path)
