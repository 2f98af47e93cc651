"""Rankings that a warehouse makes: the query to run there, and the reader of its result.

The query groups by the score, or by its order of magnitude in fine steps, which is a function of the score alone and
keeps the order. Its result is checked like any other input.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.binned_ranking import rank_bins
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.ranking import Ranking
from cutline.inputs import files
from cutline.inputs.binning import Bins, sort_bins
from cutline.inputs.column_source import Request

DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "clickhouse", "spark")
_BACKTICKS = ("bigquery", "spark", "clickhouse")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
# Words that are no names in one dialect or another ...
_RESERVED = re.compile(
    "all|analyse|analyze|and|any|array|as|asc|asof|asymmetric|at|authorization|between|binary|both|by|case|cast|"
    "check|collate|collation|column|concurrently|constraint|create|cross|current|current_catalog|current_date|"
    "current_role|current_schema|current_time|current_timestamp|current_user|default|deferrable|desc|describe|"
    "distinct|do|else|end|except|exists|exclude|extract|false|fetch|following|for|foreign|freeze|from|full|grant|"
    "group|grouping|groups|hash|having|if|ignore|ilike|in|index|initially|inner|intersect|interval|into|is|"
    "isnull|join|lambda|lateral|leading|left|like|limit|localtime|localtimestamp|lookup|merge|minus|natural|new|"
    "no|not|notnull|null|nulls|of|offset|on|only|or|order|outer|over|overlaps|partition|pivot|placing|preceding|"
    "primary|proto|qualify|range|rank|recursive|references|regexp|respect|returning|right|rlike|row|rows|select|"
    "sample|semi|session_user|set|show|similar|some|start|struct|summarize|symmetric|table|tablesample|then|to|"
    "trailing|treat|trigger|true|try_cast|unbounded|union|unique|unnest|unpivot|update|user|using|values|"
    "variadic|verbose|view|when|where|window|with|within"
)
# ... and in Snowflake, which turns names without quotes into capitals: there, only what it reserves itself.
_SNOWFLAKE = re.compile(
    "account|all|alter|and|any|as|between|by|case|cast|check|column|connect|connection|constraint|create|cross|"
    "current|current_date|current_time|current_timestamp|current_user|database|delete|distinct|drop|else|exists|"
    "false|following|for|from|full|grant|group|gscluster|having|ilike|in|increment|inner|insert|intersect|into|"
    "is|issue|join|lateral|left|like|localtime|localtimestamp|minus|natural|not|null|of|on|or|order|organization|"
    "qualify|regexp|revoke|right|rlike|row|rows|sample|schema|select|set|some|start|table|tablesample|then|to|"
    "trigger|true|try_cast|union|unique|update|using|values|view|when|whenever|where|with"
)
_TABLE = re.compile(r"[^;]+")


def write_ranking_query(
    label: str,
    score: str,
    table: str,
    dialect: str = "duckdb",
    *,
    weight: str | None = None,
    positive: str | None = None,
    bins: int | None = None,
) -> str:
    """Write the query that ranks a table: a row for each distinct score, or for each bin of scores.

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
        raise ParameterError(f"is {shorten_repr(dialect)}", f"pass one of {', '.join(DIALECTS)}", argument="dialect")
    if not _TABLE.fullmatch(table):
        raise ParameterError(
            f"is {shorten_repr(table)}", "pass one table, or one query in parentheses", argument="table"
        )
    y, x = _quote_name(label, dialect), _quote_name(score, dialect)
    parts = [_quote_name(part.strip(), dialect) for part in table.split(".")]
    of = table if table.lstrip().startswith("(") else ".".join(parts)
    of += " AS predictions" if of.startswith("(") else ""
    is_positive, row_weight = (
        f"{y} = {_quote_label(positive, dialect)}",
        "1" if weight is None else _quote_name(weight, dialect),
    )

    def summed(when: str, what: str, name: str) -> str:
        return f"sum(CASE WHEN {when} THEN {what} ELSE 0 END) AS {name}"

    lines = [f"{x} AS score"] if bins is None else [f"max({x}) AS top", f"min({x}) AS bottom"]
    lines += [summed(is_positive, row_weight, "pos"), summed(f"NOT {is_positive}", row_weight, "neg")]
    if weight is not None:
        square = f"1e0 * {row_weight} * {row_weight}"  # as floats: whole numbers would not fit into their own type
        lines += [summed(is_positive, square, "pos2"), summed(f"NOT {is_positive}", square, "neg2")]
    wrong = f"{y} IS NULL OR {x} IS NULL" + ("" if weight is None else f" OR {row_weight} IS NULL OR {row_weight} < 0")
    lines.append(summed(wrong, "1", "missing"))
    step = f"CASE WHEN {x} = 0 THEN 0 ELSE floor({bins} * ln(abs({x})) / ln(2)) END"
    by = x if bins is None else f"sign({x}), {step}"
    some = "" if weight is None else f"\nWHERE {row_weight} IS NULL OR {row_weight} <> 0"
    return "SELECT\n  " + ",\n  ".join(lines) + f"\nFROM {of}{some}\nGROUP BY {by};"


def _quote_name(name: str, dialect: str) -> str:
    """Quote a name in a dialect, unless it is a plain one; quotes around the whole name are not part of it."""
    if len(name) > 2 and name[0] == name[-1] and name[0] in '`"':
        name = name[1:-1]
    reserved = _SNOWFLAKE if dialect == "snowflake" else _RESERVED
    if _PLAIN.fullmatch(name) and not reserved.fullmatch(name.lower()):
        return name
    if dialect in ("bigquery", "clickhouse"):  # where a backslash escapes what follows, also in a name
        return "`" + _escape(name, dialect).replace("`", "\\`") + "`"
    quote = "`" if dialect in _BACKTICKS else '"'
    return quote + name.replace(quote, quote * 2) + quote


def _escape(text: str, dialect: str) -> str:
    """Return a text with the escapes of warehouses in which a backslash begins one."""
    text = text.replace("\\", "\\\\")
    # BigQuery alone ends a text in quotes at the end of its line.
    return text.replace("\n", "\\n").replace("\r", "\\r") if dialect == "bigquery" else text


def _quote_label(positive: str | None, dialect: str) -> str:
    if positive is None or _NUMBER.fullmatch(positive):
        return positive or "1"
    if positive.lower() in ("true", "false"):
        return positive.lower()
    if dialect not in ("duckdb", "postgres"):  # where a backslash is a letter
        positive = _escape(positive, dialect)
    return "'" + positive.replace("'", "\\'" if dialect in ("bigquery", "spark") else "''") + "'"


# ---------------------------------------------------------------------- the door for its result


def read_ranking_table(path: Any, *, positive: Any = None, higher_is_positive: bool = True) -> Ranking:
    """Read the result of such a query, a CSV or Parquet file, as a ranking.

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
            problem = f"{source.title} has no column {name!r}, and is not the result of the query of `cutline sql`"
            raise InputError(problem, "pass a file with the columns score (or top and bottom), pos and neg")
    names = [name for name in (*ends, "pos", "neg", "pos2", "neg2", "missing") if name in named]
    rows = source.read_columns(
        {name: Request("weights" if name not in ends else "scores", named[name]) for name in names}
    )
    read = {name: validation.as_scores(rows[name], name).astype(float) for name in ends}
    counts = {name: _read_counts(rows[name], named[name]) for name in names if name not in ends}
    if ("pos2" in counts) != ("neg2" in counts):
        raise InputError(f"{source.title} has one of the columns pos2 and neg2", "pass both, or neither")
    lacking = float(counts.pop("missing", np.zeros(1)).sum())
    if lacking or any(np.isnan(values).any() for values in read.values()):
        problem = f"{source.title} counts rows with a missing label, score or weight, or a negative weight"
        raise InputError(problem, "leave them out of the query with WHERE")
    top, bottom = read[ends[0]], read[ends[-1]]
    if (top < bottom).any():
        raise InputError(f"{source.title} has a bin whose top is below its bottom", "pass the result as it is")
    some = counts["pos"] + counts["neg"] > 0  # a score without cases is none
    if not some.any():
        raise InputError(f"{source.title} holds no cases: all its counts are 0", "pass the result as it is")
    top, bottom, counts = top[some], bottom[some], {name: values[some] for name, values in counts.items()}
    pos, neg = (validation.to_integers_if_whole(counts[name]) for name in ("pos", "neg"))
    number = np.zeros(len(top), np.int64)
    bins = sort_bins(Bins(top + 0.0, bottom + 0.0, pos, neg, number, counts.get("pos2"), counts.get("neg2")))
    how: dict[str, Any] = {"higher_is_positive": higher_is_positive, "positive": 1 if positive is None else positive}
    return rank_bins(bins.top, bins.bottom, bins.pos, bins.neg, bins.pos2, bins.neg2, **how)


def _read_counts(column: Any, name: str) -> np.ndarray:
    """Return the sums of a column; raise if one is missing or negative."""
    values = validation.as_numbers(column, name).astype(float)
    wrong = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if len(wrong):
        problem = f"Column {name!r} holds {values[wrong[0]]:g} in row {wrong[0] + 1}"
        raise InputError(problem, "pass the result as it is: sums are finite and not negative")
    return validation.as_weights(values)
