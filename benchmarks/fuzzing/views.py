"""Views that must hold what was passed: models in either order, names in queries and on a terminal, altered documents.

A query must name the columns that were passed, a comparison must not depend on the order of the models, a terminal
must get no commands, and a cut or recalibration file that was altered must be used or refused in one sentence.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzzing.commands import made_by_cutline
from fuzzing.verdicts import ended

# How often each is run among the commands.
KINDS = {"order": 2, "queries": 2, "terminals": 2, "documents": 4}
Command = Callable[..., tuple[int, str, str]]
Verdict = tuple[str, str]

DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "clickhouse", "spark")
NAMES = ("a\\b", "\\", "a\\", "a`b", 'a"b', "a\\`b", 'a\\"b', "a'b", "a b", "é", "a\\\\", "x`; DROP TABLE t; --")
CELLS = ("\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\u202egnp", "\u2066x", "a\rb", "a\x08b", "=1+1", "\x7f", "plain")
TURNS_LINES = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
VALUES = (
    *("null", "1" + "0" * 400, "9" * 400, str(2**63), "-1", '"x"', "[]", "{}", "true", "NaN", "Infinity", "1e400"),
    *('""', "-0.0", '"2026-13-45"', "[1e999]", "[null]", '"\\u001b[2J"', "[[[]]]", "1e308", "0.5"),
)


def run(identity: str, command: Command) -> Verdict:
    """Return how the runs ended that a name such as order-17 means; `command` runs one of them."""
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    kind = identity.rpartition("-")[0]
    return {"order": _order, "queries": _query, "terminals": _terminal, "documents": _document}[kind](dice, command)


def _order(dice: random.Random, command: Command) -> Verdict:
    """Compare two models in both orders: the limits of b - a are those of a - b with the other sign."""
    n = dice.choice((40, 200))
    rows = "".join(f"{i % 2},{dice.random() + 0.2 * (i % 2)},{dice.random()},g{i // 3}\n" for i in range(n))
    Path("f.csv").write_text(f"y,p,q,g\n{rows}", encoding="utf-8")
    measure = dice.choice(("eer", "f1", "average_precision", "ks", "ece", "auc", "mcc", "log_loss"))
    asked = ["--label", "y", "--measures", measure, "--resamples", "200", "--seed", str(dice.randrange(9)), "--json"]
    asked += dice.choice(([], [], ["--group", "g"]))
    differences = []
    for names in (("p", "q"), ("q", "p")):
        code, out, said = command(["compare", "f.csv", *asked, *[word for name in names for word in ("--score", name)]])
        if code:
            return "misread", f"refused: {said}"
        differences.append({(row["a"], row["b"]): row for row in json.loads(out)["differences"]})
    for (model, other), row in differences[0].items():
        same = differences[1].get((model, other))
        turned = differences[1].get((other, model))
        if same is None and turned is None:
            return "misread", f"{measure}: no difference of {model} and {other} in the other order"
        limits = (same["low"], same["high"]) if same else (_minus(turned["high"]), _minus(turned["low"]))
        for limit, before in zip(limits, (row["low"], row["high"]), strict=True):
            if (limit is None) != (before is None) or (limit is not None and abs(limit - before) > 1e-12):
                return "misread", f"{measure}: {before} in one order of the models, {limit} in the other"
    return "checked", ""


def _minus(limit: float | None) -> float | None:
    return None if limit is None else -limit


def _query(dice: random.Random, command: Command) -> Verdict:
    """Print the query of a ranking of columns with odd names: it must name these columns and do nothing else."""
    import sqlglot

    label, score = dice.sample(NAMES, 2)
    dialect = dice.choice(DIALECTS)
    code, out, said = command(["sql", "--label", label, "--score", score, "--from", "t", "--dialect", dialect])
    outcome, said = ended(["sql"], code, out, said)
    if outcome != "read":
        return outcome, said
    try:
        queries = sqlglot.parse(out, dialect=dialect)
    except sqlglot.errors.SqlglotError as error:
        return "misread", f"{dialect} cannot read the query of {label!r} and {score!r}: {error}"
    names = {column.name for query in queries if query for column in query.find_all(sqlglot.exp.Column)}
    is_one = len([query for query in queries if query]) == 1
    if not is_one or not {label, score} <= names:
        return "misread", f"the {dialect} query of {label!r} and {score!r} names {sorted(names)}"
    return "checked", ""


def _terminal(dice: random.Random, command: Command) -> Verdict:
    """Print a table of slices on a terminal, whose names must not steer it."""
    cell, other = dice.sample(CELLS, 2)
    rows = "".join(f'{i % 2},{dice.random()},"{dice.choice((cell, other))}"\n' for i in range(60))
    Path("f.csv").write_text(f"y,p,g\n{rows}", encoding="utf-8", newline="")
    asked = ["--label", "y", "--score", "p", "--by", "g"]
    name = dice.choice(("slices", "evaluate"))
    asked += [] if name == "slices" else ["--measures", "auc", "--resamples", "0"]
    code, out, said = command([name, "f.csv", *asked, *dice.choice((["--csv"], ["--csv"], ["--json"], []))], tty=True)
    if marks := [character for character in out + said if character in TURNS_LINES]:
        return "traceback", f"{name}: raw {marks[:3]} on a terminal"
    return ended([name], code, _without_colours(out), said)


def _without_colours(text: str) -> str:
    """Return what a terminal shows, without the colours that cutline itself writes."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _document(dice: random.Random, command: Command) -> Verdict:
    """Apply a cut or recalibration file of which one value was altered or left out."""
    document = json.loads(dice.choice(made_by_cutline()))
    place = dice.choice([*_places(document)])
    if dice.random() < 0.2:
        text = json.dumps(_altered(document, place, None))
    else:
        text = json.dumps(_altered(document, place, ("@",))).replace('"@"', dice.choice(VALUES))
    Path("made.json").write_text(text, encoding="utf-8")
    rows = "".join(f"{i % 2},{dice.random()}\n" for i in range(20))
    Path("f.csv").write_text(f"y,p\n{rows}", encoding="utf-8")
    code, out, said = command(["apply", "made.json", "f.csv", "--score", "p", "--output", "out.csv"])
    return ended(["apply", "--output"], code, out, said)


def _places(document: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value of a document."""
    inside = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inside:
        yield (*before, key)
        yield from _places(value, (*before, key))


def _altered(document: Any, place: tuple[Any, ...], value: tuple[str] | None) -> Any:
    """Return a document with another value in a place; without it when None."""
    copy = json.loads(json.dumps(document))
    inside = copy
    for key in place[:-1]:
        inside = inside[key]
    if value is None:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value[0]
    return copy
