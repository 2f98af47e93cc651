"""Which slice each case belongs to: the values of columns, ranges of numbers, months of dates, and their crossing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.messages import Argument, Text

MOST = 1000  # slices
_DAYS = 31  # different days from which on dates are taken by month
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_PERIODS = {"day": "D", "month": "M", "year": "Y"}
_WAY_OUT = "pass the edges of ranges, such as [0, 40, 65, 120], the number of ranges, or None for each value"


class Coded(NamedTuple):
    """The slices by number, and the slice of each case."""

    codes: Array
    keys: list[Any]


def slice_rules(by: Any) -> dict[str, Any]:
    """Return the columns that `by` names, each with the rule that makes slices of its values.

    >>> slice_rules("site"), slice_rules({"age": [0, 40, 120]})
    ({'site': None}, {'age': [0, 40, 120]})
    """
    if isinstance(by, str):
        return {by: None}
    if isinstance(by, Mapping):
        rules = dict(by)
    elif isinstance(by, Sequence):
        rules = dict.fromkeys(by)
        if len(rules) < len(by):
            raise ParameterError("names a column twice", "name each once", argument="by")
    else:
        rules = {}
    if not rules or not all(isinstance(name, str) for name in rules):
        way_out = Text("with ", Argument("data"), ", pass the name of a column, or several in a list")
        raise ParameterError(f"is {briefly(by)}", way_out, argument="by")
    return rules


def code_slices(name: str, values: Array, rule: Any = None) -> Coded:
    """Number the slices of a column without missing values.

    Args:
        name: The name of the column.
        values: Its values.
        rule: None for each value (dates of more than 31 days by month); the edges of ranges of numbers, of which the
            last includes its end; the number of ranges with about as many cases each; or "day", "month" or "year".

    >>> code_slices("age", np.array([20, 40, 65]), [0, 40, 65])
    Coded(codes=array([0, 1, 1]), keys=['[0, 40)', '[40, 65]'])
    """
    if isinstance(rule, str):
        return _by_period(name, values, rule)
    if rule is not None:
        return _by_range(name, values, rule)
    if values.dtype.kind == "M":
        whole = values.astype("datetime64[D]")
        values = whole if np.array_equal(whole, values) else values
    elif values.dtype.kind == "O":
        values = values.astype(str)
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > _DAYS and (days := _as_days(distinct)) is not None and len(np.unique(days)) > _DAYS:
        months, month_codes = np.unique(days.astype("datetime64[M]"), return_inverse=True)
        return Coded(month_codes[codes], months.astype(str).tolist())
    return Coded(codes, distinct.tolist())


def _as_days(distinct: Array) -> Array | None:
    """Return dates, or text that is written as dates with a day (2026-11-01), as days; None if it is something else."""
    if distinct.dtype.kind == "M":
        return distinct.astype("datetime64[D]")
    if distinct.dtype.kind not in "UT" or not all(_DATE.match(text) for text in distinct.tolist()):
        return None
    try:
        return np.array([text[:10] for text in distinct.tolist()], dtype="datetime64[D]")
    except ValueError:  # such as 2026-02-30
        return None


def _by_period(name: str, values: Array, rule: str) -> Coded:
    if rule not in _PERIODS:
        raise ParameterError(f"has the rule {rule!r} for {name}", "pass 'day', 'month' or 'year'", argument="by")
    if values.dtype.kind != "M":
        try:
            values = values.astype("datetime64[D]")
        except (ValueError, TypeError):
            raise InputError(f"{name} does not hold dates", f"leave {rule!r} out", argument="by") from None
    distinct, codes = np.unique(values.astype(f"datetime64[{_PERIODS[rule]}]"), return_inverse=True)
    return Coded(codes, distinct.astype(str).tolist())


def as_numbers(values: Array) -> Array:
    """Return text as numbers where all of it is, as files without types hold them; other columns as they are.

    Codes with leading zeros, such as "07", stay text.

    >>> as_numbers(np.array(["1", "2.5"])).tolist(), as_numbers(np.array(["1", "07"])).tolist()
    ([1.0, 2.5], ['1', '07'])
    """
    if values.dtype.kind not in "OUT":
        return values
    if any(text[:1] == "0" and text[1:2].isdigit() for text in map(str, np.unique(values.astype(str)))):
        return values
    try:
        return values.astype(float)
    except (TypeError, ValueError):
        return values


def _by_range(name: str, values: Array, rule: Any) -> Coded:
    values = as_numbers(values)
    if values.dtype.kind not in "iuf":
        raise InputError(f"{name} does not hold numbers, so it has no ranges", "leave its edges out", argument="by")
    if isinstance(rule, int) and not isinstance(rule, bool) and rule >= 2:
        edges = np.unique(np.quantile(values, np.linspace(0, 1, rule + 1)))
    else:
        try:
            edges = np.asarray(rule, dtype=float)
        except (TypeError, ValueError):
            edges = np.zeros(0)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
            raise ParameterError(f"has the rule {briefly(rule)} for {name}", _WAY_OUT, argument="by")
    outside = int(((values < edges[0]) | (values > edges[-1])).sum())
    if outside:
        found = f"{name} has {validation.counted(outside, 'value')} outside {edges[0]:g} to {edges[-1]:g}"
        raise InputError(found, "pass edges that include all values", argument="by")
    codes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    shown = [f"{edge:g}" for edge in edges]
    texts = [f"[{low}, {high})" for low, high in pairwise(shown)]
    texts[-1] = texts[-1][:-1] + "]"
    filled, codes = np.unique(codes, return_inverse=True)
    return Coded(codes, [texts[i] for i in filled])


def cross_slices(columns: Sequence[Coded]) -> Coded:
    """Cross the slices of several columns: the keys are tuples, of those that have cases."""
    if len(columns) == 1:
        return columns[0]
    code = np.zeros(len(columns[0].codes), np.int64)
    for column in columns:
        code = code * len(column.keys) + column.codes
    distinct, codes = np.unique(code, return_inverse=True)
    places = np.unravel_index(distinct, [len(column.keys) for column in columns])
    keys = [tuple(c.keys[i] for c, i in zip(columns, place, strict=True)) for place in zip(*places, strict=True)]
    return Coded(codes, keys)


def check_few(count: int) -> None:
    """Refuse more slices than a table can hold."""
    if count > MOST:
        found = f"makes {count:,} slices, more than {MOST:,}"
        way_out = ("pass a column with fewer values, ranges of a number, or ", Argument("groups"))
        raise InputError(found, Text(*way_out, " for cases that belong together"), argument="by")
