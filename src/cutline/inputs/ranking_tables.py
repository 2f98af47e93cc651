"""Rankings that a warehouse makes: the query to run there, and the door for its result.

The query groups by the score, or by its order of magnitude in fine steps, which is a function of the score alone and
keeps the order. Its result is checked like any other input.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cutline.core import columns
from cutline.core.binned import of_bins
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Ranking
from cutline.inputs import files
from cutline.inputs.binning import Bins, in_order
from cutline.inputs.sources import Ask

DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "clickhouse", "spark")
_BACKTICKS = ("bigquery", "spark", "clickhouse")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_RESERVED = re.compile("case|default|end|from|group|index|limit|order|rank|select|table|user|values|where|window")
_TABLE = re.compile(r"[^;]+")


def ranking_query(
    label: str,
    score: str,
    table: str,
    dialect: str = "duckdb",
    *,
    weight: str | None = None,
    positive: str | None = None,
    bins: int | None = None,
) -> str:
    """The query that makes a ranking of a table: a row for each distinct score, or for each bin of scores.

    Args:
        label: The column of the labels.
        score: The column of the scores.
        table: The table, or a query in parentheses.
        dialect: The warehouse that is to run it.
        weight: The column of the weights.
        positive: The label that is positive; 1 when None.
        bins: How many bins each doubling of the score has; None for a row for each distinct score.
    """
    if dialect not in DIALECTS:
        raise ParameterError(f"is {briefly(dialect)}", f"pass one of {', '.join(DIALECTS)}", argument="dialect")
    if not _TABLE.fullmatch(table):
        raise ParameterError(f"is {briefly(table)}", "pass one table, or one query in parentheses", argument="table")
    y, x = _name(label, dialect), _name(score, dialect)
    of = table if table.lstrip().startswith("(") else ".".join(_name(part, dialect) for part in table.split("."))
    of += " AS predictions" if of.startswith("(") else ""
    is_positive, one = f"{y} = {_literal(positive, dialect)}", "1" if weight is None else _name(weight, dialect)

    def summed(when: str, what: str, name: str) -> str:
        return f"sum(CASE WHEN {when} THEN {what} ELSE 0 END) AS {name}"

    lines = [f"{x} AS score"] if bins is None else [f"max({x}) AS top", f"min({x}) AS bottom"]
    lines += [summed(is_positive, one, "pos"), summed(f"NOT {is_positive}", one, "neg")]
    if weight is not None:
        lines += [summed(is_positive, f"{one} * {one}", "pos2"), summed(f"NOT {is_positive}", f"{one} * {one}", "neg2")]
    lines.append(
        summed(f"{y} IS NULL OR {x} IS NULL" + ("" if weight is None else f" OR {one} IS NULL"), "1", "missing")
    )
    step = f"CASE WHEN {x} = 0 THEN 0 ELSE floor({bins} * ln(abs({x})) / ln(2)) END"
    by = x if bins is None else f"sign({x}), {step}"
    return "SELECT\n  " + ",\n  ".join(lines) + f"\nFROM {of}\nGROUP BY {by};"


def _name(name: str, dialect: str) -> str:
    """A name as it is, which warehouses fold in their own way, or between their quotes."""
    name = name.strip().strip('`"')
    if _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name.lower()):
        return name
    quote = "`" if dialect in _BACKTICKS else '"'
    return quote + name.replace(quote, quote * 2) + quote


def _literal(positive: str | None, dialect: str) -> str:
    if positive is None or _NUMBER.fullmatch(positive):
        return positive or "1"
    if positive.lower() in ("true", "false"):
        return positive.lower()
    if dialect not in ("duckdb", "postgres"):  # where a backslash is a letter
        positive = positive.replace("\\", "\\\\")
    return "'" + positive.replace("'", "\\'" if dialect in ("bigquery", "spark") else "''") + "'"


# ---------------------------------------------------------------------- the door for its result


def read_ranking_table(path: Any, *, positive: Any = None, higher_is_positive: bool = True) -> Ranking:
    """The ranking that the result of such a query holds, a CSV or Parquet file.

    Args:
        path: The file.
        positive: The label that was positive.
        higher_is_positive: Whether high scores mean positive.
    """
    source = files.read(path)
    named = {name.lower(): name for name in source.columns}  # some warehouses write capitals
    ends = ("score",) if "score" in named else ("top", "bottom")
    for name in (*ends, "pos", "neg"):
        if name not in named:
            found = f"{source.title} has no column {name!r}, and is not the result of the query of `cutline sql`"
            raise InputError(found, "pass a file with the columns score (or top and bottom), pos and neg")
    wanted = [name for name in (*ends, "pos", "neg", "pos2", "neg2", "missing") if name in named]
    rows = source.rows({name: Ask("weights" if name not in ends else "scores", named[name]) for name in wanted})
    read = {name: columns.scores(rows[name], name).astype(float) for name in ends}
    counts = {name: columns.weights(rows[name]) for name in wanted if name not in ends}
    lacking = float(counts.pop("missing", np.zeros(1)).sum())
    if lacking or any(np.isnan(values).any() for values in read.values()):
        found = f"{source.title} counts rows with a missing label, score or weight"
        raise InputError(found, "leave them out of the query with WHERE ... IS NOT NULL")
    top, bottom = read[ends[0]], read[ends[-1]]
    if (top < bottom).any():
        raise InputError(f"{source.title} has a bin whose top is below its bottom", "pass the result as it is")
    pos, neg = (columns.whole_if_possible(np.nan_to_num(counts[name])) for name in ("pos", "neg"))
    number = np.zeros(len(top), np.int64)
    bins = in_order(Bins(top + 0.0, bottom + 0.0, pos, neg, number, counts.get("pos2"), counts.get("neg2")))
    how: dict[str, Any] = {"higher_is_positive": higher_is_positive, "positive": 1 if positive is None else positive}
    return of_bins(bins.top, bins.bottom, bins.pos, bins.neg, bins.pos2, bins.neg2, **how)
