"""Labels of two values: which cases are positive."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import Argument, InputError, ParameterError, PositionError, Text, shorten_repr


class BinaryLabels(NamedTuple):
    """Which cases are positive, and the labels of both classes; a label is None if no case has it."""

    is_positive: Array
    positive: Any
    negative: Any


def find_positives(labels: Array, positive: Any) -> BinaryLabels:
    """Return which cases are positive, and the labels of both classes."""
    validation.check_simple(labels, "labels")
    if labels.dtype.kind == "O":
        labels = _convert_if_simple(labels)
    if positive is not None:
        return _compare_with_positive(labels, positive)
    if labels.dtype.kind == "b":
        return BinaryLabels(labels, True, False)
    if labels.dtype.kind in "iuf":
        low, high = labels.min(), labels.max()
        if low == high and low in (-1, 0, 1):
            return BinaryLabels(labels == 1, 1, None if low == 1 else _convert_to_plain_label(low))
        if low in (-1, 0) and high == 1:
            is_positive = labels == 1
            if (is_positive | (labels == low)).all():
                return BinaryLabels(is_positive, 1, _convert_to_plain_label(low))
    distinct = _list_distinct(labels)
    if len(distinct) > 2:
        raise _make_too_many_error(distinct)
    affirming = find_affirming_label(distinct)
    if affirming is not None:
        return _compare_with_positive(labels, affirming)
    way_out = Text("name the positive class, for example ", Argument("positive", _guess_positive(distinct)))
    problem = f"holds {_list_labels(distinct)}, and nothing says which is positive"
    raise PositionError(problem, way_out, argument="labels")  # of no row, but whoever reads a file names the column


_WORTH_CODES = 10_000  # rows, from which on comparing words row by row takes longer than finding the two words


class TwoWordColumn(NamedTuple):
    """A column of one or two words: the words in the order in which they appear, and which of them each row has."""

    words: tuple[str, ...]
    codes: Array

    def find_positives(self, codes: Array, positive: Any) -> BinaryLabels:
        """Return which of the rows with these codes are positive, and the labels of both classes."""
        order = [int(codes[0])] + ([1 - int(codes[0])] if codes.min() != codes.max() else [])
        few = find_positives(np.array([self.words[code] for code in order], dtype=object), positive)
        is_positive = np.zeros(2, dtype=bool)
        is_positive[order] = few.is_positive
        return few._replace(is_positive=is_positive[codes])


def read_two_words(labels: Any) -> TwoWordColumn | None:
    """Read a long column of text or categories as codes of its words; None for another column, or missing values."""
    if getattr(labels, "ndim", 1) != 1 or not hasattr(labels, "dtype") or len(labels) < _WORTH_CODES:
        return None
    if isinstance(labels, np.ma.MaskedArray):
        return None
    if labels.dtype == object:
        labels = np.asarray(labels)
        try:
            words = sorted(set(labels.tolist()), key=lambda word: word != labels[0])
        except Exception:  # any, because the values may be of any class
            return None
    elif isinstance(labels, np.ndarray):
        return None
    else:
        labels = _convert_to_words(labels)
        words = [] if labels is None else labels.unique(maintain_order=True).to_list()
    if not 1 <= len(words) <= 2 or not all(type(word) is str for word in words):
        return None
    is_second = np.asarray(labels == words[-1]) if len(words) > 1 else np.zeros(len(labels), dtype=bool)
    return TwoWordColumn(tuple(words), is_second.view(np.int8))


def _convert_to_words(labels: Any) -> Any:
    """Return a series of text or categories as one of narwhals; None for another series."""
    import narwhals as nw

    series = nw.from_native(labels, series_only=True, pass_through=True)
    is_text = isinstance(series, nw.Series) and series.dtype in (nw.String, nw.Categorical, nw.Enum)
    return series if is_text else None


def check_one_label(positive: Any) -> None:
    """Raise unless the argument can be the label of a class."""
    if validation.is_missing(positive):
        raise ParameterError(f"is {shorten_repr(positive)}", "pass one of the labels", argument="positive")
    is_nested = isinstance(positive, validation.NESTED) and not isinstance(positive, bytes)  # which numpy has for text
    is_nested |= isinstance(positive, BaseException)  # which equals itself alone
    if is_nested or not validation.is_single(positive) or any(hasattr(positive, name) for name in ("iloc", "collect")):
        raise ParameterError(f"is {shorten_repr(positive)}", "pass one label", argument="positive")


def _compare_with_positive(labels: Array, positive: Any) -> BinaryLabels:
    check_one_label(positive)
    try:
        is_positive = np.asarray(labels == positive)
    except Exception:  # any, because positive may be of any class
        raise ParameterError(f"is {shorten_repr(positive)}", "pass one label", argument="positive") from None
    if is_positive.shape != labels.shape:  # numpy answers a comparison it cannot make with a single False
        is_positive = np.fromiter((label == positive for label in labels), dtype=bool, count=len(labels))
    rest = labels[~is_positive]
    if len(rest) and not np.asarray(rest == rest[0]).all():
        distinct = _list_distinct(labels)
        if len(distinct) > 2:
            raise _make_too_many_error(distinct)
        is_not = Text(Argument("positive", positive), f" is not among the labels, {_list_labels(distinct)}")
        raise InputError(is_not, "pass one of them", argument="positive")
    is_text = isinstance(labels[0], str | bytes)
    if not is_positive.any() and is_text != isinstance(positive, str | bytes):
        example = labels[:1].tolist()[0]
        type_of_labels, type_of_positive = ("text", "a number") if is_text else ("numbers", "text")
        differ = f"are {type_of_labels}, such as {example!r}, but positive is {type_of_positive}, {positive!r}"
        raise InputError(differ, "pass the positive label exactly as it appears in the labels", argument="labels")
    return BinaryLabels(is_positive, positive, _convert_to_plain_label(rest[0]) if len(rest) else None)


def _convert_to_plain_label(label: Any) -> Any:
    """Return a label as a Python value; whole floats as integers, because columns with missing values hold floats."""
    value = label.item() if isinstance(label, np.generic) else label
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _convert_if_simple(labels: Array) -> Array:
    """Convert objects that are all numbers or all booleans to that type; return others unchanged."""
    if all(isinstance(label, bool | np.bool_) for label in labels):
        return labels.astype(bool)
    if all(isinstance(label, bool | np.bool_ | int | float | np.number) for label in labels):
        try:
            numbers = labels.astype(float)
        except OverflowError:
            raise InputError(
                "holds an integer beyond the range of float64", "pass 0 and 1", argument="labels"
            ) from None
        return (
            numbers if (numbers == labels).all() else labels
        )  # integers that float64 cannot tell apart stay as they are
    return labels


def _list_distinct(labels: Array) -> list[Any]:
    """Return the distinct labels in a fixed order, for a message."""
    return sorted(
        set(labels.tolist()),
        key=lambda label: (str(type(label)), label if isinstance(label, int | float) else str(label)),
    )


# Pairs of texts of which only one reading is possible: the second affirms what the first denies.
_DENIED_AND_AFFIRMED = frozenset(
    {
        ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("negative", "positive"), ("neg", "pos"), ("-", "+"),
        ("0", "1"), ("nein", "ja"), ("nee", "ja"), ("nej", "ja"), ("non", "oui"), ("no", "si"), ("no", "s\u00ed"),
        ("nao", "sim"), ("n\u00e3o", "sim"), ("absent", "present"), ("control", "case"), ("n", "j"),
    }
)  # fmt: skip
_AFFIRMATIVE = frozenset(affirmed for _, affirmed in _DENIED_AND_AFFIRMED) | {"bad", "event"}


def find_affirming_label(distinct: list[Any]) -> Any:
    """Return the one of two labels that must be the positive one, as "yes" beside "no"; None if it is unclear."""
    if len(distinct) != 2 or not all(isinstance(label, str) for label in distinct):
        return None
    for denied, affirmed in (distinct, reversed(distinct)):
        if (denied.strip().lower(), affirmed.strip().lower()) in _DENIED_AND_AFFIRMED:
            return affirmed
    return None


def _guess_positive(distinct: list[Any]) -> Any:
    """Return the label that is most likely positive, for an example: one that affirms, or the last."""
    return next(
        (label for label in distinct if isinstance(label, str) and label.strip().lower() in _AFFIRMATIVE), distinct[-1]
    )


def _make_too_many_error(labels: list[Any]) -> InputError:
    holds = f"holds {len(labels)} different values, {_list_labels(labels)}"
    way_out = "pass labels of two classes, or evaluate each class against the others with cutline.one_vs_rest"
    return PositionError(holds, way_out, argument="labels")


def _list_labels(labels: list[Any]) -> str:
    shown = [repr(label) for label in labels[:4]]
    return " and ".join(shown) if len(labels) == 2 else ", ".join(shown) + (", ..." if len(labels) > 4 else "")
