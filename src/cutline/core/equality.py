"""One equality for results: undefined equals undefined.

Python compares dataclasses field by field, and NaN equals nothing, not even itself once it was computed anew or came
out of a pickle. Two results are the same when every field is, and NaN in the same place is the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


def same(one: Any, two: Any) -> bool:
    """Whether two values are equal, NaN being equal to NaN, in arrays, sequences and mappings too.

    >>> same((1, float("nan")), (1, float("nan"))), same(float("nan"), 1.0), same([1], (1,))
    (True, False, False)
    """
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return type(one) is type(two) and one.shape == two.shape and same(one.tolist(), two.tolist())
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple) and type(one) is type(two):
        return len(one) == len(two) and all(map(same, one, two))
    return bool(one == two) or bool(one != one and two != two)


class ComparedByFields:
    """A frozen dataclass (declared with eq=False) that equals another of its kind with the same fields."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return hash((type(self), *("NaN" if value != value else value for value in values)))
