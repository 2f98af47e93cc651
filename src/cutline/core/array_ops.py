"""Small operations on the columns of a ranking, whose last axis is the ranking's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Numbers = float | Array  # of one case of a stack, or of all


_SHORT = 4096


class PairWeights(NamedTuple):
    """Weights of the pairs of a positive and a negative: concordant, tied, and all pairs."""

    concordant: Any
    tied: Any
    every: Any


@cache
def keep_freed_memory() -> None:
    """Let the C library reuse the memory of freed arrays: getting new pages takes half the time of short-lived arrays.

    glibc reuses freed memory up to the size of the largest block freed so far, at most 32 MB. An untouched block costs
    nothing, and other C libraries are unaffected.
    """
    np.empty(2**25 - 2**16, dtype=np.uint8)


if TYPE_CHECKING:
    AnyType = Any  # a symbol takes the place of a number or of an array
else:
    AnyType = object


class Symbol(AnyType):  # type: ignore[misc]
    """A number, or a column, of a definition that is being traced (see `measures.tracing`)."""


def as_array(values: Any) -> Array:
    """Return values as an array; symbols of a traced definition stay symbols."""
    return values if isinstance(values, Symbol) else np.asarray(values)


def as_number(value: Any) -> Any:
    """Return a number as a float; a symbol of a traced definition stays one."""
    return value if isinstance(value, Symbol) else float(value)


def choose(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return one of two results by a condition; only this result is computed.

    Where the condition is a symbol of a traced definition, both are traced, and the program chooses.

    Args:
        condition: A truth value, or a symbol.
        yes: Makes the result where it holds: a number, or a named tuple of numbers.
        no: Makes the result where it does not.
    """
    if not isinstance(condition, Symbol):
        return yes() if condition else no()
    if_true, if_false = yes(), no()
    if isinstance(if_true, tuple):
        return type(if_true)(*(np.where(condition, a, b) for a, b in zip(if_true, if_false, strict=True)))
    return np.where(condition, if_true, if_false)


def fill(values: Any, number: float, where: Any) -> Array:
    """Set a number where a condition holds in newly computed values; arrays are filled in place."""
    if isinstance(values, Symbol):
        return np.where(where, number, values)
    array = np.asarray(values)
    np.copyto(array, number, where=where)
    return array


def cumulate(cells: Array) -> Array:
    """Return running totals along the last axis, from zero."""
    if isinstance(cells, Symbol):
        return cells.cumulate()  # type: ignore[no-any-return]
    totals = np.zeros((*cells.shape[:-1], cells.shape[-1] + 1), np.float64 if cells.dtype.kind == "f" else np.int64)
    cells.cumsum(-1, out=totals[..., 1:])
    return totals


def take(values: Array, index: Array) -> Array:
    """Return the value at one index of the last axis for each leading position; for one ranking, at any number of
    indices.
    """
    if index.ndim == 0 or values.ndim == 1:
        return values[..., index]
    if values.ndim == 2:  # as below, but it begins sooner, and a bootstrap takes from thousands of stacks
        return values[np.arange(len(values)), index]
    return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]


def count_first(holds: Array) -> Any:
    """Count the leading entries of the last axis for which a condition holds; after them it fails for all.

    >>> count_first(np.array([[True, True, False], [False, False, False]])).tolist()
    [2, 0]
    """
    if isinstance(holds, Symbol):
        return holds.sum(-1)
    return np.where(holds[..., -1], holds.shape[-1], np.argmin(holds, axis=-1))  # without a look at most of them


def dot(a: Array, b: Array) -> Any:
    """Return the sum of the products along the last axis.

    BLAS, which numpy's other ways ask for floats, would start threads of its own for long ones; on busy cores, those
    of a bootstrap included, they wait for each other a hundred times longer than the sum takes.
    """
    if a.size <= _SHORT and a.dtype.kind == b.dtype.kind == "i":
        return np.vecdot(a, b)  # which asks BLAS for floats only, and takes half as long to begin
    return np.einsum("...i,...i->...", a, b)
