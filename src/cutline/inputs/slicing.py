"""Slices of the cases: by values of columns, ranges of numbers, months of dates, and their crossing.

Where another engine holds the cases, their distinct combinations of values are looked up there, and the number of each
one's slice goes back to it (`look_up_slices`), so that it can group by slices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.messages import Argument, Text
from cutline.inputs.column_source import Request, SliceableSource, SliceTable, convert_to_plain_type

MOST = 1000  # slices
MOST_VALUES = 1_000_000  # combinations of values that are looked up in another engine
ABSENT, NOT_A_NUMBER, OUTSIDE = -3, -2, -1  # in place of the number of a range
_DAYS = 31  # different days from which on dates are taken by month
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_PERIODS = {"day": "D", "month": "M", "year": "Y"}
_WAY_OUT = "pass the edges of ranges, such as [0, 40, 65, 120], the number of ranges, or None for each value"


class CodedSlices(NamedTuple):
    """The slices by number, and the slice of each case."""

    codes: Array
    keys: list[Any]


def list_slice_columns(by: Any) -> dict[str, Any]:
    """Return the columns in `by` with their names; a single column is called "slice".

    >>> list_slice_columns({"site": ["a", "b"]}), list_slice_columns(["a", "b"])
    ({'site': ['a', 'b']}, {'slice': ['a', 'b']})
    """
    if not isinstance(by, Mapping):
        return {"slice": by}
    if not by or not all(isinstance(name, str) for name in by):
        way_out = "pass the values of each column by its name, such as {'site': sites}"
        raise ParameterError(f"is {shorten_repr(by)}", way_out, argument="by")
    return dict(by)


def list_slice_rules(by: Any) -> dict[str, Any]:
    """Return the columns named in `by`, each with the rule that makes slices of its values.

    >>> list_slice_rules("site"), list_slice_rules({"age": [0, 40, 120]})
    ({'site': None}, {'age': [0, 40, 120]})
    """
    if isinstance(by, str):
        return {by: None}
    if isinstance(by, Mapping):
        rules = dict(by)
    elif isinstance(by, Sequence) and all(isinstance(name, str) for name in by):
        rules = dict.fromkeys(by)
        if len(rules) < len(by):
            raise ParameterError("names a column twice", "name each once", argument="by")
    else:
        rules = {}
    if not rules or not all(isinstance(name, str) for name in rules):
        way_out = Text("with ", Argument("data"), ", pass the name of a column, or several in a list")
        raise ParameterError(f"is {shorten_repr(by)}", way_out, argument="by")
    return rules


def code_slices(name: str, values: Array, rule: Any = None, times: Array | None = None) -> CodedSlices:
    """Number the slices of a column without missing values.

    Args:
        name: The name of the column.
        values: Its values.
        rule: None for each value (dates of more than 31 days by month); the edges of ranges of numbers, of which the
            last includes its end; the number of ranges with about as many cases each; or "day", "month" or "year".
        times: How often each value occurs, where equal ones stand together.

    >>> code_slices("age", np.array([20, 40, 65]), [0, 40, 65])
    CodedSlices(codes=array([0, 1, 1]), keys=['[0, 40)', '[40, 65]'])
    """
    if isinstance(rule, str):
        return _code_periods(name, values, rule)
    if rule is not None:
        return _code_ranges(name, values, rule, times)
    if values.dtype.kind == "M":
        whole = values.astype("datetime64[D]")
        values = whole if np.array_equal(whole, values) or len(np.unique(values)) > MOST else values
    elif values.dtype.kind == "O":
        values = values.astype(str)
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > _DAYS and (days := _convert_to_days(distinct)) is not None and len(np.unique(days)) > _DAYS:
        months, month_codes = np.unique(days.astype("datetime64[M]"), return_inverse=True)
        return CodedSlices(month_codes[codes], months.astype(str).tolist())
    return CodedSlices(codes, distinct.tolist())


def _convert_to_days(distinct: Array) -> Array | None:
    """Convert dates, or text such as 2026-11-01, to days; None for other values."""
    if distinct.dtype.kind == "M":
        return distinct.astype("datetime64[D]")
    if distinct.dtype.kind not in "UT" or not all(_DATE.match(text) for text in distinct.tolist()):
        return None
    try:
        return np.array([text[:10] for text in distinct.tolist()], dtype="datetime64[D]")
    except ValueError:  # such as 2026-02-30
        return None


def _code_periods(name: str, values: Array, rule: str) -> CodedSlices:
    if rule not in _PERIODS:
        raise ParameterError(f"has the rule {rule!r} for {name}", "pass 'day', 'month' or 'year'", argument="by")
    if values.dtype.kind != "M":
        try:
            values = values.astype("datetime64[D]")
        except (ValueError, TypeError):
            raise InputError(f"{name} does not hold dates", f"leave {rule!r} out", argument="by") from None
    distinct, codes = np.unique(values.astype(f"datetime64[{_PERIODS[rule]}]"), return_inverse=True)
    return CodedSlices(codes, distinct.astype(str).tolist())


def convert_numeric_text(values: Array) -> Array:
    """Convert text to numbers if all of it spells numbers; return other columns unchanged.

    Codes with leading zeros, such as "07", stay text.

    >>> convert_numeric_text(np.array(["1", "2.5"])).tolist(), convert_numeric_text(np.array(["1", "07"])).tolist()
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


def _code_ranges(name: str, values: Array, rule: Any, times: Array | None) -> CodedSlices:
    values = convert_numeric_text(values)
    if values.dtype.kind not in "iuf":
        raise _make_no_numbers_error(name)
    if _is_count(rule):
        edges = np.unique(compute_quantiles(values, np.linspace(0, 1, rule + 1), times))
    else:
        edges = check_edges(name, rule)
    inside = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    codes = np.where((values < edges[0]) | (values > edges[-1]), OUTSIDE, inside)
    return name_ranges(name, edges, codes, times)


def _is_count(rule: Any) -> bool:
    """Whether a rule is the number of ranges."""
    return isinstance(rule, int) and not isinstance(rule, bool) and rule >= 2


def check_edges(name: str, rule: Any) -> Array:
    """Return the edges of ranges as ascending numbers, or raise."""
    try:
        edges = np.asarray(rule, dtype=float)
    except (TypeError, ValueError):
        edges = np.zeros(0)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ParameterError(f"has the rule {shorten_repr(rule)} for {name}", _WAY_OUT, argument="by")
    return edges


def name_ranges(name: str, edges: Array, codes: Array, times: Array | None = None) -> CodedSlices:
    """Name the ranges that hold cases; raise if a value is outside all ranges.

    Args:
        name: The name of the column.
        edges: The edges, of which the last belongs to the last range.
        codes: The number of each value's range, `OUTSIDE` or `NOT_A_NUMBER`.
        times: How often each value occurs.
    """
    if (codes == NOT_A_NUMBER).any():
        raise _make_no_numbers_error(name)
    is_outside = codes == OUTSIDE
    outside = int(is_outside.sum() if times is None else times[is_outside].sum())
    if outside:
        problem = f"{name} has {validation.format_count(outside, 'value')} outside {edges[0]:g} to {edges[-1]:g}"
        raise InputError(problem, "pass edges that include all values", argument="by")
    shown = [f"{edge:g}" for edge in edges]
    texts = [f"[{low}, {high})" for low, high in pairwise(shown)]
    texts[-1] = texts[-1][:-1] + "]"
    filled, codes = np.unique(codes, return_inverse=True)
    return CodedSlices(codes, [texts[i] for i in filled])


def _make_no_numbers_error(name: str) -> InputError:
    return InputError(f"{name} does not hold numbers, so it has no ranges", "leave its edges out", argument="by")


def compute_quantiles(values: Array, at: Array, times: Array | None = None) -> Array:
    """Return `np.quantile` of values with multiplicities.

    >>> compute_quantiles(np.array([3, 1]), np.array([0.5]), np.array([1, 3])).tolist()
    [1.0]
    """
    if times is None:
        return np.asarray(np.quantile(values, at))
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(times[order])
    # Only the two neighbours of each quantile are needed; of these two, numpy interpolates.
    place = at * (ends[-1] - 1)
    first = np.floor(place)
    both = [values[order][np.searchsorted(ends, np.minimum(i, ends[-1] - 1), side="right")] for i in (first, first + 1)]
    return np.array([np.quantile([a, b], part) for a, b, part in zip(*both, place - first, strict=True)])


def cross_slices(columns: Sequence[CodedSlices]) -> CodedSlices:
    """Cross the slices of several columns: the keys are tuples; empty combinations are left out."""
    if len(columns) == 1:
        return columns[0]
    code = np.zeros(len(columns[0].codes), np.int64)
    for column in columns:
        code = code * len(column.keys) + column.codes
    distinct, codes = np.unique(code, return_inverse=True)
    places = np.unravel_index(distinct, [len(column.keys) for column in columns])
    keys = [tuple(c.keys[i] for c, i in zip(columns, place, strict=True)) for place in zip(*places, strict=True)]
    return CodedSlices(codes, keys)


def find_rows_with_slice(keys: Mapping[str, Array], missing: str) -> Array:
    """Return the rows with a value in every column that makes slices; raise if others may not be dropped.

    Args:
        keys: The columns.
        missing: "error" or "drop".
    """
    absent = np.zeros(len(next(iter(keys.values()))), bool)
    for column in keys.values():
        mask = validation.find_missing(column)
        if mask is not None and mask.any():
            if missing != "drop":
                raise validation.make_missing_error("by", mask, None)
            absent |= mask
    if absent.all():
        raise InputError("holds no value", "pass a column with values", argument="by")
    return np.flatnonzero(~absent)


def format_slice(key: Any) -> str:
    """Format the value of a slice, or the values of crossed columns.

    >>> format_slice(("f", 7)), format_slice(7)
    ('f, 7', '7')
    """
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def check_slice_count(count: int) -> None:
    """Raise if there are more slices than a table can hold."""
    if count > MOST:
        problem = f"makes {count:,} slices, more than {MOST:,}"
        way_out = ("pass a column with fewer values, ranges of a number, or ", Argument("groups"))
        raise InputError(problem, Text(*way_out, " for cases that belong together"), argument="by")


# ---------------------------------------------------------------------- where another engine holds the cases


class SlicesElsewhere(NamedTuple):
    """Slices of cases in another engine: of each combination of values, their keys, and the number of rows left out."""

    table: SliceTable
    keys: list[Any]
    left_out: int


def look_up_slices(source: SliceableSource, rules: Mapping[str, Any], missing: str) -> SlicesElsewhere:
    """Find the slices of a source from the distinct combinations of values, which its engine lists.

    Args:
        source: The source; see `column_source`.
        rules: The columns, each with its rule as in `code_slices`.
        missing: "drop" leaves rows without a slice out, "error" refuses them.
    """
    requests = {name: _make_request(name, rule) for name, rule in rules.items()}
    combinations = source.list_combinations(requests, MOST_VALUES)
    if combinations is None and not all(request.edges for request in requests.values()):  # perhaps there are times
        requests = {name: request._replace(by_day=not request.edges) for name, request in requests.items()}
        combinations = source.list_combinations(requests, MOST_VALUES)
    if combinations is None:
        problem = f"has more than {MOST_VALUES:,} different values in {' and '.join(rules)}"
        raise InputError(problem, "pass the edges of ranges, such as [0, 40, 65, 120]", argument="by")
    absent = np.zeros(len(combinations.times), bool)
    for request, column in zip(requests.values(), combinations.values, strict=True):
        mask = column == ABSENT if request.edges else validation.find_missing(column)
        absent |= False if mask is None else mask
    left_out = int(combinations.times[absent].sum())
    if left_out and missing != "drop":
        raise validation.make_missing_values_error("by", left_out, None)
    if absent.all():
        raise InputError("holds no value", "pass a column with values", argument="by")
    times = combinations.times[~absent]
    columns = []
    for (name, request), values in zip(requests.items(), combinations.values, strict=True):
        present = values[~absent]
        if request.edges:
            columns.append(name_ranges(name, np.array(request.edges), present.astype(np.int64), times))
        else:
            columns.append(code_slices(name, convert_to_plain_type(present), rules[name], times))
    codes, keys = cross_slices(columns)
    check_slice_count(len(keys))
    texts = [column[~absent].astype(str) for column in combinations.texts]
    return SlicesElsewhere(SliceTable(requests, texts, codes), keys, left_out)


def _make_request(name: str, rule: Any) -> Request:
    """Request a column that its engine reduces to few values."""
    is_period = isinstance(rule, str)
    edges = () if rule is None or is_period or _is_count(rule) else tuple(check_edges(name, rule).tolist())
    return Request("groups", name, edges=edges, by_day=is_period)
