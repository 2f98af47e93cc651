"""The aggregation of large files in SQL, which DuckDB does out of core: pass by pass, nothing but bins is collected.

The rows are a query with the columns y (label), x (score) and w (weight, where there is one).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.inputs.binning import MIDDLE, STEPS, Bins, Division
from cutline.inputs.column_source import fill_masked
from cutline.inputs.duck import create_table, report_query_progress, write_is_nan
from cutline.inputs.out_of_core import Classes, Edge

if TYPE_CHECKING:
    import duckdb

MISSING = {
    "labels": "y IS NULL",
    "scores": f"x IS NULL OR {write_is_nan('x')}",
    "weights": f"w IS NULL OR {write_is_nan('w')}",
}


def write_magnitude(x: str) -> str:
    """Write the SQL of the bin of the first pass: sign and order of magnitude of a score, `STEPS` to a doubling."""
    size = f"floor({STEPS} * log2(abs({x})))"
    return f"CASE WHEN {x} = 0 THEN 0 ELSE sign({x}) * (greatest(-40000, least(40000, {size})) + {MIDDLE}) END"


class SqlEngine:
    """The columns of a query that DuckDB answers.

    Args:
        connection: Where it runs.
        rows: The query of the columns y, x and, with weights, w.
        count: How many rows it has.
        translate_errors: Context in which an error of DuckDB becomes one sentence.
        single: Whether the scores are single floats.
        weighted: Whether there are weights.
        integers: Whether the scores are whole numbers that may be too large for floats.
        keep: Whether the rows are worth being kept, because reading them takes long.
        slices: How many slices there are; the query then has the column s, the number of each row's slice.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        rows: str,
        count: int,
        translate_errors: Callable[[], AbstractContextManager[None]],
        *,
        single: bool = False,
        weighted: bool = False,
        integers: bool = False,
        keep: bool = False,
        slices: int = 0,
    ) -> None:
        self._connection, self._translate_errors, self._integers = connection, translate_errors, integers
        self.rows, self.single, self.weighted, self.slices = count, single, weighted, slices
        self._columns = "x, p" + (", w" if weighted else "") + (", s" if slices else "")
        if weighted:  # as floats: squares of whole numbers would not fit into their own type
            rows = f"SELECT * REPLACE (CAST(w AS DOUBLE) AS w) FROM ({rows})"
        self._all = rows
        if keep:
            with translate_errors(), report_query_progress(connection, count):
                connection.execute(f"CREATE OR REPLACE TEMP TABLE cached_rows AS {rows}")
            self._all = "SELECT * FROM cached_rows"
        self._complete, self._side = self._all, "0"

    def _fetch(self, query: str) -> dict[str, Array]:
        with self._translate_errors(), report_query_progress(self._connection, self.rows):
            return {name: fill_masked(values) for name, values in self._connection.execute(query).fetchnumpy().items()}

    def count_classes(self) -> Classes:
        """Return the labels, and the checks of scores and weights that come before counting."""
        sums = {
            "cases": "count(*)",
            "no_score": f"count(*) FILTER ({MISSING['scores']})",
            "inexact": "count(*) FILTER (x <> CAST(CAST(x AS DOUBLE) AS HUGEINT))" if self._integers else "0",
        }
        if self.weighted:
            sums |= {
                "no_weight": f"count(*) FILTER ({MISSING['weights']})",
                "incomplete": f"count(*) FILTER (({MISSING['scores']}) OR ({MISSING['weights']}))",
                "negative": "count(*) FILTER (w < 0)",
                "infinite": "count(*) FILTER (isinf(w))",
                "fractions": "count(*) FILTER (w <> floor(w) AND NOT isinf(w))",
                "weight": "sum(w) FILTER (isfinite(CAST(w AS DOUBLE)))",
                "least": "min(w) FILTER (w > 0)",
            }
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in sums.items())
        where = "WHERE w IS NULL OR w <> 0" if self.weighted else ""
        by = "y, s" if self.slices else "y"
        limit = 1001 * max(self.slices, 1)
        return Classes(self._fetch(f"SELECT {by}, {chosen} FROM ({self._all}) {where} GROUP BY {by} LIMIT {limit}"))

    def find_first(self, what: str) -> tuple[int, Any]:
        """Return the position of the first row with a missing value or an invalid weight, and its weight."""
        where = {**MISSING, "negative": "w < 0", "infinite": "isinf(w)"}[what]
        weight = "w" if self.weighted else "NULL"
        lacks = f"({where})" + (" AND (w IS NULL OR w <> 0)" if self.weighted else "")
        numbered = f"SELECT row_number() OVER () - 1 AS place, * FROM ({self._all})"
        row = self._fetch(f"SELECT place, {weight} AS w FROM ({numbered}) WHERE {lacks} ORDER BY place LIMIT 1")
        return int(row["place"][0]), row["w"][0]

    def prepare(self, labels: Array, is_positive: Array, edge: Edge | None) -> None:
        """Set which labels are positive; from here on incomplete rows are left out."""
        if edge is not None:
            self._side = f"CAST(x {'>=' if edge.higher else '>'} {_write_double(edge.threshold)} AS INTEGER)"
        table = {"label": labels, "positive": is_positive.astype(bool)}
        self._register("classes", table)
        parts = [f"NOT ({MISSING['scores']})"] + ([f"NOT ({MISSING['weights']}) AND w <> 0"] if self.weighted else [])
        others = self._columns.removeprefix("x, p")
        chosen = f"SELECT CAST(x AS DOUBLE) + 0.0 AS x, positive AS p{others}"
        self._complete = f"{chosen} FROM ({self._all}) JOIN classes ON y = label WHERE {' AND '.join(parts)}"

    def estimate_distinct(self) -> int:
        """Estimate the number of distinct scores."""
        return int(self._fetch(f"SELECT approx_count_distinct(x) AS n FROM ({self._all})")["n"][0])

    def count_bins(self, divisions: list[Division]) -> Bins:
        """Return the bins of the last of the divisions."""
        rows = f"SELECT *, 2 * CAST({write_magnitude('x')} AS INTEGER) + {self._side} AS number FROM ({self._complete})"
        for i, division in enumerate(divisions):
            columns_of_division = division._asdict()
            self._register(f"division{i}", {"of": columns_of_division.pop("number"), **columns_of_division})
            # All in one number: grouping by several keys takes several times as long.
            part = "start + CAST(greatest(0, least(parts - 1, floor((abs(x) - low) / span * parts))) AS BIGINT)"
            is_last = i == len(divisions) - 1
            number, kind = (part, "") if is_last else (f"coalesce({part}, number)", "LEFT ")
            joined = f"({rows}) {kind}JOIN division{i} ON number = of"
            rows = f"SELECT {self._columns}, {number} AS number FROM {joined}"
        if self.slices:  # in one number too
            rows = f"SELECT {self._columns}, number * {self.slices} + s AS number FROM ({rows})"
        return split_numbers(self._count_groups(rows, "number"), self.slices)

    def count_cells(self, above: float | None = None, up_to: float | None = None) -> Bins:
        """Return the distinct scores in (above, up_to] as bins of one score each; None is no limit."""
        rows = self._complete + ("" if above is None else f" AND x > {_write_double(above)}")
        rows += "" if up_to is None else f" AND x <= {_write_double(up_to)}"
        return self._count_groups(rows)

    def _count_groups(self, rows: str, by: str = "") -> Bins:
        sums = {"pos": "count(*) FILTER (p)", "n": "count(*)"}
        if self.weighted:
            sums = {"pos": "sum(w) FILTER (p)", "neg": "sum(w) FILTER (NOT p)"}
            sums |= {"pos2": "sum(w * w) FILTER (p)", "neg2": "sum(w * w) FILTER (NOT p)"}
        ends = {"number": by, "top": "max(x)", "bottom": "min(x)"} if by else {"top": "x"}
        if self.slices and not by:
            ends["slice"] = "s"
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in {**ends, **sums}.items())
        keys = by or ("x, s" if self.slices else "x")
        return make_bins(self._fetch(f"SELECT {chosen} FROM ({rows}) GROUP BY {keys}"))

    def _register(self, name: str, columns: Mapping[str, Any]) -> None:
        with self._translate_errors():
            create_table(self._connection, name, columns)


def make_bins(table: Mapping[str, Array]) -> Bins:
    """Make bins of a grouped table; without numbers each score is a bin of its own."""
    top = table["top"].astype(float, copy=False)
    number = table["number"].astype(np.int64, copy=False) if "number" in table else np.zeros(len(top), np.int64)
    pos = _convert_sums(table["pos"])
    neg = _convert_sums(table["neg"]) if "neg" in table else table["n"].astype(np.int64) - pos
    squares = {name: _convert_sums(table[name]) for name in ("pos2", "neg2") if name in table}
    slices = table["slice"].astype(np.int64) if "slice" in table else None
    return Bins(top, table.get("bottom", top).astype(float, copy=False), pos, neg, number, **squares, slice=slices)


def split_numbers(bins: Bins, slices: int) -> Bins:
    """Split numbers that combine bin and slice into both."""
    if not slices:
        return bins
    return replace(bins, number=bins.number // slices, slice=bins.number % slices)


def _convert_sums(values: Array) -> Array:
    """Convert counts to integers and sums to floats; the sum of nothing is 0."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    return np.asarray(np.nan_to_num(values.astype(float)))


def _write_double(value: float | None) -> str:
    return f"CAST('{value!r}' AS DOUBLE)"
