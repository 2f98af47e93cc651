"""A small table that prints well and converts: what summaries and lists of measures are made of."""

from __future__ import annotations

import math
import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from cutline.core.errors import ParameterError
from cutline.core.escaping import csv_cell, html_text
from cutline.core.public import public


def is_equal(left: Any, right: Any) -> bool:
    """Whether two values are equal, NaN being equal to NaN, in arrays, frames, sequences and mappings too.

    >>> is_equal((1, float("nan")), (1, float("nan"))), is_equal(float("nan"), 1.0), is_equal([1], (1,))
    (True, False, False)
    """
    import numpy as np  # here, because the help of a command loads this module and no numbers

    if left is right:
        return True
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return type(left) is type(right) and left.shape == right.shape and is_equal(left.tolist(), right.tolist())
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(is_equal(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and type(left) is type(right):
        return len(left) == len(right) and all(map(is_equal, left, right))
    if type(left) is type(right) and hasattr(left, "equals"):  # a data frame or column, whose == gives another one
        return bool(left.equals(right))
    try:
        return bool(left == right) or bool(left != left and right != right)
    except Exception:  # of whatever compares its elements, such as a sparse matrix
        return type(left) is type(right) and pickle.dumps(left) == pickle.dumps(right)


class ComparedByFields:
    """A frozen dataclass (declared with eq=False) that equals another of its kind with the same fields."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return self is other or all(is_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        plain_values = (value for value in values if isinstance(value, str | int | float))  # others may have no hash
        return hash((type(self), *("NaN" if value != value else value for value in plain_values)))


@dataclass(frozen=True, eq=False)
class Table(ComparedByFields):
    """Rows of named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    title: str = ""
    hidden: tuple[str, ...] = ()  # columns that converting keeps and printing leaves out, as it does empty ones
    below: tuple[str, ...] = ()  # lines that are printed below the rows
    above: tuple[str, ...] = ()  # ... and between the title and the rows
    p_floor: float = 0.0  # the smallest p-value that resamples can show, for the columns of p-values

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, ready for JSON: numbers that are not finite become None."""
        return [{name: to_json_value(value) for name, value in row.items()} for row in self]

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the table as a data frame of pandas, polars or pyarrow."""
        return make_frame({name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}, backend)

    def to_csv(self) -> str:
        """Return the table as CSV; missing and non-finite numbers are empty cells."""
        import csv
        from io import StringIO

        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else csv_cell(cell) for cell in row.values()] for row in self.to_dict())
        return text.getvalue()

    @property
    def shown_columns(self) -> list[int]:
        """Indices of the columns that are printed: neither hidden nor empty."""
        return [
            i
            for i, name in enumerate(self.columns)
            if name not in self.hidden and (not self.rows or any(format_value(row[i]) for row in self.rows))
        ]

    def _cell(self, row: tuple[Any, ...], i: int) -> str:
        if self.p_floor and self.columns[i] in ("p", "p_adjusted"):
            return format_p_cell(row[i], self.p_floor)
        return format_value(row[i])

    def __repr__(self) -> str:
        chosen = self.shown_columns
        cells = [[self._cell(row, i) for i in chosen] for row in self.rows]
        lines = align_columns(
            [self.columns[i] for i in chosen], cells, [are_numbers(row[i] for row in self.rows) for i in chosen]
        )
        return "\n".join([*([self.title] if self.title else []), *self.above, *lines, *self.below])

    def _repr_html_(self) -> str:
        chosen = self.shown_columns
        style = {i: " style='text-align: right'" if are_numbers(row[i] for row in self.rows) else "" for i in chosen}
        head = "".join(f"<th scope='col'{style[i]}>{html_text(self.columns[i])}</th>" for i in chosen)
        body = "".join(
            "<tr>" + "".join(f"<td{style[i]}>{html_text(self._cell(row, i))}</td>" for i in chosen) + "</tr>"
            for row in self.rows
        )
        caption = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        above, below = ("".join(f"<p>{html_text(line)}</p>" for line in lines) for lines in (self.above, self.below))
        return f"{above}<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


class ShownAsTable(ComparedByFields, ABC):
    """Base class of results that print, convert and show as a table.

    A dataclass is declared with eq=False and repr=False, or its fields are printed.
    """

    @property
    @abstractmethod
    def table(self) -> Table:
        """The rows as a table."""

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rows as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
        """
        return self.table.to_frame(backend)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def make_frame(columns: Mapping[str, Any], backend: str = "pandas") -> Any:
    """Return columns of one length as a data frame of pandas, polars or pyarrow."""
    from cutline.core.validation import check_choice  # which loads numpy: not for the help of a command

    check_choice(backend, "backend", ("pandas", "polars", "pyarrow"))
    data = dict(columns)
    try:
        if backend == "pandas":
            import pandas as pd

            return pd.DataFrame(data)
        if backend == "polars":
            import polars as pl

            return pl.DataFrame(data, strict=False)
        import pyarrow as pa

        return pa.table(data)
    except ImportError:
        way_out = f"install {backend}, pass another backend, or use to_dict()"
        raise ParameterError(f"{backend} is not installed", way_out) from None


def align_columns(columns: Sequence[str], cells: Sequence[Sequence[str]], to_the_right: Sequence[bool]) -> list[str]:
    """Return the lines of a table with aligned columns."""
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]

    def line(row: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, to_the_right, strict=True)
        )
        return "  ".join(padded).rstrip()

    return [line(columns), "  ".join("-" * width for width in widths), *(line(row) for row in cells)]


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether the values that are not None are numbers, and there is at least one value."""
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) for value in known)


_MILLIONTH = 1e-6
_ROUNDING = 1e-12  # what is smaller than this is rounding


def format_value(value: Any) -> str:
    """Format a value for people: four decimals, whole numbers without decimals, empty for None.

    >>> [format_value(number) for number in (0.123456, 3, float("nan"), 12345.678, 2.1e-15, 6.65e-05)]
    ['0.1235', '3', 'undefined', '12345.7', '0.0000', '0.0000665']
    """
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value) or abs(value) >= 1000:
        return f"{value:g}"
    if abs(value) < _ROUNDING:
        return "0.0000"
    return f"{value:.4f}" if abs(value) >= 0.001 else _three_digits(value)


def _three_digits(value: float) -> str:
    """Format a number below 0.001 with three digits; with a power of ten only below a millionth."""
    text = f"{value:.3g}"
    if "e" not in text or abs(float(text)) < _MILLIONTH:
        return text
    return f"{float(text):.{2 - math.floor(math.log10(abs(float(text))))}f}".rstrip("0")


def format_both_limits(low: float, high: float) -> tuple[str, str]:
    """Format both limits of an interval: a small limit beside a larger one has four decimals too.

    >>> format_both_limits(-1.41e-05, 0.0213), format_both_limits(1.2e-05, 4.1e-05)
    (('0.0000', '0.0213'), ('0.000012', '0.000041'))
    """
    size = max(abs(low), abs(high))
    texts = [
        f"{limit:.4f}".replace("-0.0000", "0.0000") if abs(limit) < 0.001 <= size else format_value(limit)
        for limit in (low, high)
    ]
    return texts[0], texts[1]


def format_bracket(low: float, high: float) -> str:
    """Format the two ends of a bracket with two digits of their distance, rounded outwards.

    >>> format_bracket(0.87654321, 0.87654398), format_bracket(0.25, 0.5), format_bracket(10.0, math.inf)
    ('0.87654321 to 0.87654398', '0.2500 to 0.5000', '10 to inf')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{low:g} to {high:g}"
    digits = min(max(4, 1 - math.floor(math.log10(high - low))), 12) if high > low else 4
    step = 10.0**digits
    slack = 1e-9  # of a digit, for what is no more than rounding
    return f"{math.floor(low * step + slack) / step:.{digits}f} to {math.ceil(high * step - slack) / step:.{digits}f}"


def format_p(value: float, floor: float = 0.0) -> str:
    """Format a p-value with its sign, such as "< 0.001"; a p-value is never shown as 0.

    Args:
        value: The p-value.
        floor: The smallest one that its resamples can show: what is not above it is shown as below.

    >>> format_p(0.0321), format_p(0.0), format_p(1 / 2001, floor=1 / 2001)
    ('= 0.0321', '< 1e-16', '< 0.0005')
    """
    number = format_p_cell(value, floor)
    return number if number.startswith("<") else f"= {number}"


def format_p_cell(value: float | None, floor: float = 0.0) -> str:
    """Format a p-value for a column; empty where there is no test.

    >>> format_p_cell(0.0321), format_p_cell(3.21e-14), format_p_cell(0.0), format_p_cell(float("nan"))
    ('0.0321', '3.21e-14', '< 1e-16', '')
    """
    if value is None or math.isnan(value):
        return ""
    if 0 < value <= floor * (1 + 1e-9):
        return f"< {float(f'{floor:.2g}'):g}"
    if value < 1e-16:
        return "< 1e-16"
    return f"{value:.4f}" if value >= 0.001 else f"{value:.3g}"  # of which none is 0.0000


def to_json_value(value: Any) -> Any:
    """Convert a value to one that JSON can hold."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
