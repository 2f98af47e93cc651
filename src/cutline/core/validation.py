"""Checks of user input: columns, numbers, weights and options that several functions share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sized
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import (
    Argument,
    CutlineError,
    InputError,
    ParameterError,
    PositionError,
    Text,
    hint_similar,
    shorten_repr,
)

_FILL = Text("fill them, or pass ", Argument("missing", "drop"))
NESTED = (list, tuple, dict, set, frozenset, bytes, bytearray, memoryview, np.ndarray)
_EXACT_INTEGERS = 2**53  # float64 tells all integers up to here apart
LEAST_WEIGHT, MOST_WEIGHT = 1e-50, 1e50  # of all cases together: fourth powers stay well inside the range of floats
WEIGHTS_ARE = ("counts", "sampling", "importance")


def is_single(values: Any) -> bool:
    """Whether an argument is a single value, not a list, even a ragged one."""
    try:
        return np.ndim(values) == 0
    except Exception:  # any, because values may be of any class
        return False


def is_among(value: Any, known: Iterable[Any]) -> bool:
    """Whether a value, of any class, equals one of the known values.

    >>> is_among(np.array([1, 0]), [0, 1]), is_among(np.int8(1), [0, 1])
    (False, True)
    """
    try:
        return is_single(value) and any(bool(value == candidate) for candidate in known)
    except Exception:  # any, because the value may be of any class, and some cannot be compared
        return False


def as_column(values: Any, name: str) -> Array:
    """Convert values to a one-dimensional array, masked entries to None."""
    try:
        array = np.asarray(values)
    except Exception:  # any, because values may be of any class; its own words would not help
        problem = f"cannot be read as one column (a {type(values).__name__})"
        raise InputError(problem, "pass one flat column with one value for each case", argument=name) from None
    if array.ndim != 1:
        raise _make_not_a_column_error(array, name)
    if array.dtype.names:
        fields = ", ".join(array.dtype.names)
        raise InputError(f"holds records ({fields})", "pass one simple value for each case", argument=name)
    mask = np.ma.getmask(values) if isinstance(values, np.ma.MaskedArray) else np.ma.nomask
    if mask is not np.ma.nomask and mask.any():
        array = array.astype(object)
        array[mask] = None
    return array


def _make_not_a_column_error(array: Array, name: str) -> InputError:
    shape = " x ".join(map(str, array.shape))
    problem, way_out = f"has the shape {shape}", "pass one flat column with one value for each case"
    if array.ndim == 2 and array.shape[1] == 2 and name == "scores":
        problem = f"has 2 columns ({shape}), as predict_proba returns them"
        way_out = "pass the column of the positive class, usually scores[:, 1]"
    elif array.ndim == 0:
        single = array.item()
        problem = "is None" if single is None else f"is a single {type(single).__name__}"
        if isinstance(single, str):
            problem = f"is text, {single!r}"
            way_out = Text(
                "pass a column of values, or ", Argument("data"), " with the frame or file that has this column"
            )
    return InputError(problem, way_out, argument=name)


def as_numbers(values: Any, name: str) -> Array:
    """Convert a column to real numbers; text is refused, even when it spells a number."""
    array = as_column(values, name)
    if array.dtype.kind in "fiub":
        return array if array.dtype.itemsize <= 8 else _convert_to_float64(array, name)
    if array.dtype.kind == "O":
        return _convert_objects_to_numbers(array, name)
    if array.dtype.kind in "USTV" and array.size:
        raise _make_text_error(name, array[0], 0)
    raise InputError(f"is of type {array.dtype}", "pass real numbers", argument=name)


def _convert_objects_to_numbers(array: Array, name: str) -> Array:
    numeric = []
    for position, value in enumerate(array):
        if isinstance(value, str | bytes):
            raise _make_text_error(name, value, position)
        try:
            if getattr(value, "ndim", 0) or isinstance(value, bytearray | memoryview):  # which float() reads as text
                raise TypeError  # older versions of numpy take an array of one number for the number
            number = math.nan if is_missing(value) else float(value)
        except OverflowError:
            raise PositionError("is too large for float64", "scale it down", argument=name, position=position) from None
        except (TypeError, ValueError):
            kind = type(value).__name__
            raise PositionError(f"holds a {kind}", "pass real numbers", argument=name, position=position) from None
        if isinstance(value, int) and value != number:
            raise _make_integers_error(name)
        numeric.append(number)
    exact = {value for value in array if isinstance(value, Decimal | Fraction) and value == value}
    if len({float(value) for value in exact}) < len(exact):
        raise make_decimals_error(name)
    return np.array(numeric, dtype=float)


def make_decimals_error(name: str) -> InputError:
    """Return the refusal of exact numbers that would become ties as floats."""
    return InputError("holds decimals that float64 cannot tell apart", "pass ranks, or round them", argument=name)


def _make_text_error(name: str, example: Any, position: int) -> InputError:
    shown = example if isinstance(example, bytes) else str(example)
    return PositionError(f"holds text, for example {shown!r},", "pass numbers", argument=name, position=position)


def _make_integers_error(name: str) -> InputError:
    return InputError("holds integers beyond 2**53 that float64 cannot tell apart", "pass ranks instead", argument=name)


def as_scores(values: Any, name: str = "scores") -> Array:
    """Convert scores to floats of their own width; integers and booleans to float64."""
    array = as_numbers(values, name)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.min())), abs(int(array.max()))) > _EXACT_INTEGERS:
        as_float = array.astype(float)
        if any(int(f) != i for f, i in zip(as_float.tolist(), array.tolist(), strict=True)):
            raise _make_integers_error(name)
    return array.astype(float)


def _convert_to_float64(array: Array, name: str) -> Array:
    """Convert wider floats to float64, where that loses nothing."""
    with np.errstate(over="ignore"):
        narrow = array.astype(float)
    if not np.array_equal(narrow.astype(array.dtype), array, equal_nan=True):
        problem = f"is of type {array.dtype} and holds more digits than float64 can"
        raise InputError(problem, "pass float64, or ranks", argument=name)
    return narrow


def as_weights(values: Any) -> Array:
    """Convert case weights to finite numbers of zero or more, or NaN, which is missing."""
    array = as_numbers(values, "weights")
    is_negative = array < 0
    if is_negative.any():
        first = int(np.argmax(is_negative))
        problem = f"holds {format_mask_count(is_negative, 'negative value')}, the first, {array[first]:g},"
        raise PositionError(problem, "pass weights of zero or more", argument="weights", position=first)
    if array.dtype.kind == "f" and np.isinf(array).any():
        first = int(np.argmax(np.isinf(array)))
        raise PositionError("holds an infinite value", "pass finite weights", argument="weights", position=first)
    with np.errstate(over="ignore"):
        total = float(np.nansum(array, dtype=float))
    if total and not LEAST_WEIGHT < total < MOST_WEIGHT:
        raise InputError(
            f"add up to {total:g}", "pass weights of an ordinary size, with a mean near 1", argument="weights"
        )
    least = float(np.min(array, where=array > 0, initial=math.inf)) if array.dtype.kind == "f" else 1.0
    if least < total * 1e-100:  # its square would be lost beside the others'
        position = int(np.argmax(array == least))
        problem = f"holds {least:g}, which is nothing beside a sum of {total:g},"
        raise PositionError(problem, "pass 0 to leave a case out", argument="weights", position=position)
    return array


def check_type(value: Any, *types: type) -> Any:
    """Return a value of a JSON document, or raise TypeError unless it is of one of these types; True is no number."""
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise TypeError(f"{shorten_repr(value)} is not {types[0].__name__}")
    return value


def to_json_label(label: Any) -> Any:
    """Convert the label of a class to a value that JSON can hold: a text, unless it is a finite number or a boolean.

    >>> to_json_label(np.int64(1)), to_json_label(math.inf), to_json_label(np.datetime64("2021-03-01"))
    (1, 'inf', '2021-03-01')
    """
    value = label.item() if isinstance(label, np.generic) else label
    is_plain = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_plain else str(value)


def to_integers_if_whole(array: Array) -> Array:
    """Convert whole weights to integers, so that counts stay exact; to floats where sums would overflow."""
    limit = 2**62 if array.dtype.kind in "iu" else _EXACT_INTEGERS
    is_whole = array.dtype.kind in "iu" or bool((array == np.floor(array)).all())
    return array.astype(np.int64 if is_whole and array.sum(dtype=float) < limit else float)


def convert_weights(array: Array, weights_are: str | None) -> Array:
    """Convert weights to their declared kind: integers where they count equal rows, floats otherwise.

    Nothing said, whole numbers are counts and others are not.
    """
    if weights_are is not None and weights_are not in WEIGHTS_ARE:
        listed = ", ".join(map(repr, WEIGHTS_ARE))
        raise ParameterError(f"is {weights_are!r}", f"pass one of {listed}", argument="weights_are")
    if weights_are in ("sampling", "importance"):
        return array.astype(float)
    whole = to_integers_if_whole(array)
    if weights_are == "counts" and whole.dtype.kind == "f":
        broken = array[array != np.floor(array)]
        if len(broken):
            raise InputError(
                f"holds {broken[0]:g}, but weights that are counts must be whole numbers",
                Text("pass ", Argument("weights_are", "sampling"), " or ", Argument("weights_are", "importance")),
                argument="weights",
            )
    return whole


def as_score_matrix(values: Any, name: str) -> Array:
    """Convert scores to floats, with a row for each case and a column for each class."""
    try:
        array = np.asarray(values)
        is_numeric = array.dtype.kind not in "USTV"  # text that spells numbers is text
        array = array.astype(float) if is_numeric else array
    except Exception:  # any, because the values may be of any class
        is_numeric = False
    if not is_numeric:
        raise InputError("cannot be read as a matrix of numbers", "pass a row for each case", argument=name)
    if array.ndim != 2 or array.shape[1] < 2 or not len(array):
        shape = "one flat column" if array.ndim == 1 else " x ".join(map(str, array.shape))
        raise InputError(f"is {shape}", "pass a row for each case and a column for each class", argument=name)
    return array


def encode_classes(labels: Any, order: Any, columns: int) -> tuple[Array, list[Any]]:
    """Return the class of each case, as its position in the order of the classes, and this order."""
    truth = as_column(labels, "labels")
    absent = find_missing(truth)
    if absent is not None and absent.any():
        raise make_missing_error("labels", absent, None, "fill them, or remove the rows")
    known = _sort_labels(truth) if order is None else as_column(order, "classes").tolist()
    check_simple(as_column(known, "classes"), "classes")
    check_simple(truth, "labels")
    if len(set(known)) < len(known):
        raise InputError("names a class twice", "name each class once", argument="classes")
    if len(known) != columns:
        here = f"classes has {format_count(len(known), 'name')} but there are {format_count(columns, 'column')}"
        raise InputError(f"{here}", Text("pass ", Argument("classes"), " in the order of the columns"))
    position = {label: i for i, label in enumerate(known)}
    for label in truth.tolist():
        if label not in position:
            raise InputError(
                f"holds {label!r}, which is not among classes",
                Text("pass ", Argument("classes"), " with every class"),
                argument="labels",
            )
    return np.array([position[label] for label in truth.tolist()]), known


def _sort_labels(labels: Array) -> list[Any]:
    try:
        return sorted(set(labels.tolist()))
    except TypeError:
        raise InputError(
            "holds values of several types",
            Text("pass ", Argument("classes"), " in the order of the columns"),
            argument="labels",
        ) from None


def check_simple(array: Array, name: str) -> None:
    """Raise for a column of lists, mappings or bytes, whose values can be neither compared nor named."""
    if array.dtype.kind != "O":
        return
    nested = {kind for kind in set(map(type, array)) if issubclass(kind, NESTED)}
    if nested:
        position = next(i for i, value in enumerate(array) if type(value) in nested)
        problem = f"holds a {type(array[position]).__name__}"
        way_out = "pass one simple value for each case, such as text or a number"
        raise PositionError(problem, way_out, argument=name, position=position)


def check_length(values: Sized, labels: int, name: str) -> None:
    """Raise unless a column has as many values as there are labels."""
    if len(values) != labels:
        lengths = f"has {format_count(len(values), 'value')} but labels has {labels}"
        raise InputError(lengths, "pass one for each label", argument=name)


def check_one_order(columns: Mapping[str, Any]) -> None:
    """Raise if columns have the same index in another order: by position they would be mispaired."""
    indexed = [(name, values.index) for name, values in columns.items() if hasattr(values, "iloc")]
    for (first, index), (name, other) in pairwise(indexed):
        if len(index) == len(other) and not index.equals(other) and _have_same_labels(index, other):
            problem = f"and {name} have the same index in another order"
            raise InputError(
                problem, f"bring them into one order, for example with {name}.loc[{first}.index]", argument=first
            )


def _have_same_labels(index: Any, other: Any) -> bool:
    try:
        return bool(index.is_unique and other.is_unique and index.isin(other).all())
    except (TypeError, AttributeError):
        return False


def check_number(value: Any, name: str) -> float:
    """Check that the argument is a number and return it."""
    is_text = isinstance(value, str | bytes | bool | np.bool_)
    try:
        with np.errstate(over="ignore"):
            number = math.nan if is_text or not is_single(value) else float(value)
    except Exception:  # any, because the value may be of any class
        is_text, number = True, math.nan
    if math.isnan(number):
        is_nan = not is_text and is_single(value)
        raise ParameterError(f"is {'NaN' if is_nan else shorten_repr(value)}", "pass a number", argument=name)
    return number


# ---------------------------------------------------------------------- missing values


_ALWAYS_PRESENT = {str, bytes, int, bool}  # types without a value that is missing


def find_missing(array: Array) -> Array | None:
    """Return which values are missing; None for a type without missing values."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind in "OT":
        if set(map(type, array)) <= _ALWAYS_PRESENT:  # several times as fast as asking each value
            return None
        return np.fromiter((is_missing(value) for value in array), dtype=bool, count=len(array))
    return None


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or the NA of a data frame library, which cannot be compared."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def make_missing_error(name: str, absent: Array, position: Array | None, way_out: str = _FILL) -> InputError:
    """Return the error for missing values: how many there are, and where the first is in the user's input."""
    first = int(np.argmax(absent))
    return make_missing_values_error(
        name, int(absent.sum()), first if position is None else int(position[first]), way_out
    )


def make_missing_values_error(name: str, count: int, first: int | None, way_out: str = _FILL) -> InputError:
    """Return the error for missing values of a column, with the position of the first, if known."""
    problem = f"holds {format_count(count, 'missing value')} (NaN)" + ("" if first is None else ", the first")
    return PositionError(problem, way_out, argument=name, position=first)


_OWN_GROUP = "name one for each case, its own for a single case"


def encode_groups(group: Array, argument: str = "groups", way_out: str = _OWN_GROUP) -> tuple[Array, Array]:
    """Return the names of the groups, or of the strata, and the number of the group of each row."""
    absent = find_missing(group)
    if absent is not None and absent.any():
        raise make_missing_error(argument, absent, None, way_out)
    try:
        names, code = np.unique(group, return_inverse=True)
    except TypeError:
        raise InputError(
            "holds values that cannot be compared", "pass one kind of value, such as text", argument=argument
        ) from None
    return names, code.astype(np.int64)


def format_mask_count(mask: Array, noun: str) -> str:
    """Format a count with its noun in the right number.

    >>> format_mask_count(np.array([True, True]), "missing value")
    '2 missing values'
    """
    return format_count(int(mask.sum()), noun)


def format_count(count: int, noun: str) -> str:
    """Format a number with its noun.

    >>> format_count(1, "row"), format_count(0, "row")
    ('1 row', '0 rows')
    """
    return f"{count} {noun}" + ("" if count == 1 else "s")


LEAST_LEVEL = 1e-9  # of an interval: below it the quantiles of its two ends are one number
LEVEL = 0.95  # of intervals and tests, unless another is asked for
MOST_REPEATED = 10_000_000  # of anything: more would not end


def check_level(level: Any, name: str = "level") -> float:
    """Check the level of an interval or a test: a share between 0 and 1."""
    number = check_number(level, name)
    if not LEAST_LEVEL <= number < 1:
        hint = f" such as {number / 100:g}" if 1 < number < 100 else ""
        raise ParameterError(f"is {number:g}", f"pass a share between 0 and 1{hint}", argument=name)
    return number


def check_amount(amount: Any, name: str) -> float:
    """Check a cost or benefit: products with counts must stay in the range of floats."""
    number = check_number(amount, name)
    if not abs(number) < 1e100:
        raise ParameterError(f"is {number:g}", "pass a finite amount of an ordinary size", argument=name)
    return number


def check_prevalence(prevalence: Any) -> float | None:
    """Check the share of positives in a population; None passes."""
    if prevalence is None:
        return None
    share = check_number(prevalence, "prevalence")
    if not 0 < share < 1:
        raise ParameterError(f"is {share:g}", "pass a share between 0 and 1", argument="prevalence")
    return share


def check_whole(value: Any, name: str, least: int) -> int:
    """Check that the argument is a whole number of at least a minimum."""
    number = check_number(value, name)
    most = MOST_REPEATED if name.lstrip("-") in ("resamples", "permutations", "repeats") else math.inf
    if not math.isfinite(number) or number != number // 1 or not least <= number <= most:
        allowed = f"of at least {least}" if most == math.inf else f"from {least} to {most:,}"
        raise ParameterError(f"is {shorten_repr(value)}", f"pass a whole number {allowed}", argument=name)
    return int(number)


def check_choice(value: Any, name: str, known: Iterable[str]) -> str:
    """Check that the argument is one of the known words."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        way_out, hint = f"pass one of {', '.join(known)}", hint_similar(shorten_repr(value), known)
        raise ParameterError(f"is {shorten_repr(value)}", way_out, argument=name, hint=hint)
    return value


def check_intervals(value: Any) -> bool | str:
    """Check which intervals a summary should have."""
    if not (isinstance(value, bool) or (isinstance(value, str) and value in ("bootstrap", "formula"))):
        way_out = "pass True, False, 'bootstrap' or 'formula'"
        raise ParameterError(f"is {shorten_repr(value)}", way_out, argument="intervals")
    return value


def check_flag(value: Any, name: str) -> bool:
    """Check that the argument is True or False."""
    if not isinstance(value, bool) and type(value).__name__ != "bool":  # numpy has its own
        raise ParameterError(f"is {shorten_repr(value)}", "pass True or False", argument=name)
    return bool(value)


def call_user_function(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """Call a user's function; its error is reported in one sentence and becomes the cause.

    Args:
        function: The function.
        name: The argument that it came with.
        arguments: What it is called with.
    """
    try:
        return function(*arguments)
    except CutlineError:
        raise
    except Exception as error:
        types = " and ".join(f"a {type(argument).__name__}" for argument in arguments)
        problem = f"is a function that fails with {type(error).__name__} ({shorten_repr(str(error))})"
        raise ParameterError(problem, f"pass one that takes {types}", argument=name) from error


def check_text(value: Any, name: str, example: str) -> str:
    """Check that the argument is a text."""
    if not isinstance(value, str):
        raise ParameterError(f"is {shorten_repr(value)}", f"pass text, such as {example!r}", argument=name)
    return value


def list_names(values: Any, name: str) -> list[str]:
    """Return a list of names, also for a single name.

    >>> list_names("a", "models"), list_names(("a", "b"), "models")
    (['a'], ['a', 'b'])
    """
    if isinstance(values, str):
        return [values]
    try:
        listed = list(values)
    except Exception:  # any, because the values may be of any class
        listed = [None]
    if not all(isinstance(item, str) for item in listed):
        raise ParameterError(f"is {shorten_repr(values)}", "pass names in a list", argument=name)
    return listed


def clean_model_name(model: Any) -> str | None:
    """Return the name of a model as text; None for a blank name.

    >>> clean_model_name("forest"), clean_model_name(7), clean_model_name("  "), clean_model_name(None)
    ('forest', '7', None, None)
    """
    return None if model is None or not str(model).strip() else str(model)


def check_names(names: Any) -> tuple[str, str]:
    """Return the names of two samples, as text."""
    if not isinstance(names, tuple | list) or len(names) != 2:
        raise ParameterError(f"is {shorten_repr(names)}", "pass two names, such as ('May', 'June')", argument="names")
    return str(names[0]), str(names[1])


def check_path(value: Any, name: str, example: str) -> Path:
    """Convert the argument to the path of a file, which need not exist."""
    if not isinstance(value, str | os.PathLike):
        raise ParameterError(
            f"is {shorten_repr(value)}", f"pass the path of a file, such as {example!r}", argument=name
        )
    path = os.fsdecode(value)
    if "\0" in path:
        raise ParameterError(f"is {shorten_repr(path)}", "pass a path without NUL characters", argument=name)
    return Path(path)
