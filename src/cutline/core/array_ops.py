"""Small operations on the columns of a ranking, whose last axis is the ranking's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


_SHORT = 4096


class Pairs(NamedTuple):
    """The weight of the pairs of a positive and a negative: the positive ranks higher, the two tie, and all pairs."""

    concordant: Any
    tied: Any
    every: Any


def is_symbol(values: Any) -> bool:
    """Whether a definition is being traced: symbols take the place of numbers (see `measures.tracing`)."""
    return getattr(values, "is_symbol", False)


def as_array(values: Any) -> Array:
    """Return values as an array; symbols of a traced definition stay symbols."""
    return values if is_symbol(values) else np.asarray(values)


def fill(values: Any, number: float, where: Any) -> Array:
    """Return new values as an array in which a number stands where a condition holds; arrays are filled in place."""
    if is_symbol(values):
        return np.where(where, number, values)
    array = np.asarray(values)
    np.copyto(array, number, where=where)
    return array


def cumulate(cells: Array) -> Array:
    """Running totals along the last axis, from zero."""
    if is_symbol(cells):
        return cells.cumulate()  # type: ignore[attr-defined, no-any-return]
    totals = np.zeros((*cells.shape[:-1], cells.shape[-1] + 1), np.float64 if cells.dtype.kind == "f" else np.int64)
    cells.cumsum(-1, out=totals[..., 1:])
    return totals


def take(values: Array, index: Array) -> Array:
    """The value at one index of the last axis, for each leading position; of one ranking, at any number of them."""
    if index.ndim == 0 or values.ndim == 1:
        return values[..., index]
    return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]


def dot(a: Array, b: Array) -> Any:
    """The sum of the products along the last axis.

    BLAS, which numpy's other ways ask for floats, would start threads of its own for long ones; on busy cores, those
    of a bootstrap included, they wait for each other a hundred times longer than the sum takes.
    """
    if a.size <= _SHORT and a.dtype.kind == b.dtype.kind == "i":
        return np.vecdot(a, b)  # which asks BLAS for floats only, and takes half as long to begin
    return np.einsum("...i,...i->...", a, b)
