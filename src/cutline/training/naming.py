"""How a measure to train for may be spelled: as in the registry, or as people write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cutline import MEASURES, Measure, ParameterError

_SHORT = {"k": "quota"}  # parameters that have a shorter name elsewhere


def named(measure: str | Measure, parameters: Mapping[str, Any]) -> tuple[Measure, dict[str, Any]]:
    """Return the measure of the registry, and its parameters, those in the name included.

    >>> named("precision@100", {})
    (<measure hit_rate: Hit rate>, {'quota': 100})
    >>> named("G-mean", {})[0].name, named("recall@k", {"k": 20})[1]
    ('g_mean', {'quota': 20})
    """
    chosen, inside = _look_up(measure)
    bound = {
        _SHORT[name] if name not in chosen.parameters and _SHORT.get(name) in chosen.parameters else name: value
        for name, value in parameters.items()
    }
    if twice := [name for name in inside if name in bound]:
        raise ParameterError(
            f"is {measure!r}, and {twice[0]} is given as a parameter too", "pass one of them", argument="measure"
        )
    return chosen, inside | bound


def _look_up(measure: str | Measure) -> tuple[Measure, dict[str, Any]]:
    if isinstance(measure, str) and measure not in MEASURES:
        plain = re.sub(r"\s*@\s*", "_at_", measure.strip().lower())
        plain = re.sub(r"[\s-]+", "_", plain)
        if plain in MEASURES:
            return MEASURES[plain], {}
        for chosen in MEASURES:
            for pattern, parameter in chosen.numbered.items():
                if match := re.fullmatch(pattern, plain):
                    number = float(match[1])
                    return chosen, {parameter: int(number) if number.is_integer() else number}
    return MEASURES[measure], {}
