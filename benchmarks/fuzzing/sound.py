"""Runs whose right end is known: sound files in odd but legal layouts, names that mean two columns, few resamples.

A refusal is a good end of a hostile file, but not of a sound one; and a number that nobody has a second opinion of is a
good end, but not where another run of the same command gives one.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# How often each is run among the commands.
KINDS = {"sound": 10, "twins": 3, "resamples": 2}
FORMULA = ("=cmd|' /C calc'!A0", "@SUM(A1:A9)", "=1+1", "+1+1", "-2+3")
NAMES = ("p", "p", "p", "P", "é", "a b", "a,b", 'a"b', "p.low", "x;y", *FORMULA)
FILES = ("f", "f", "f", "f*", "f[1]", "f\\*", "f\\[a]", " f", "~f", "é", "f\udcff", "-f", "f'", 'f"', "%s", "{0}")
LABELS = ((1, 0), (1, 0), (True, False), ("yes", "no"), ("=1+1", "@x"), ("\x9b", "a"), ("é", "e"), ("1", "0"))
WAYS = ("path", "path", "path", "-", "pipe")


class Run(NamedTuple):
    """A run of the command, and what must come of it."""

    name: str  # of the file
    content: bytes
    way: str  # how it comes: by its path, on standard input, or through a named pipe
    arguments: list[str]  # with FILE where the file is named
    must: str  # "read" or "refuse"
    truth: dict[str, list[tuple[bool, float, float]]]  # of each model, its cases


def run(identity: str) -> Run:
    """The run that a name such as sound-17 stands for."""
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    return _twins(dice) if identity.startswith("twins") else _sound(dice)


def _columns(dice: random.Random) -> tuple[dict[str, list[Any]], tuple[Any, Any]]:
    """A sound table: labels of both classes, and the scores of two models."""
    n, pair = dice.choice((10, 40, 120)), dice.choice(LABELS)
    labels = [*pair, *(dice.choice(pair) for _ in range(n))]
    draw = dice.choice(
        (
            dice.random,
            lambda: round(dice.random(), 1),
            lambda: dice.gauss(0, 1e3),
            lambda: dice.choice((1.7e308, -1.7e308, 1e-310, 5e-324, 0.0, -0.0, 0.5)),
            lambda: dice.choice((1e-9, 1e-200, 1.0)),
        )
    )
    first = dice.choice(NAMES)
    second = "p" if first == "P" else dice.choice([name for name in NAMES if name.casefold() != first.casefold()])
    return {"y": labels, first: [draw() for _ in labels], second: [dice.random() for _ in labels]}, pair


def _sound(dice: random.Random) -> Run:
    rows, pair = _columns(dice)
    _, first, second = rows
    kind = dice.choice(("csv", "csv", "csv", "json", "parquet", "arrow"))
    if {first, second} == {"p", "P"} and kind != "csv":
        kind = "csv"  # DuckDB's names of columns do not tell them apart: see `_twins`
    content = WRITERS[kind](dice, [*rows], [[*row] for row in zip(*rows.values(), strict=True)])
    name = f"{dice.choice(FILES)}.{'jsonl' if kind == 'json' else kind}"
    command = dice.choice(("evaluate", "evaluate", "compare"))
    models = [first] if command == "evaluate" else [first, second]
    arguments = [command, "FILE", "--label", "y", *_scores(models), "--measures", "auc", "--resamples", "0"]
    arguments += [] if pair[0] in (1, "1" if kind == "csv" else 1) else [f"--positive={pair[0]}"]
    arguments += [dice.choice(("--json", "--json", "--json", "--csv"))]
    truth = {
        model: [(label == pair[0], score, 1.0) for label, score in zip(rows["y"], rows[model], strict=True)]
        for model in models
    }
    return Run(name, content, dice.choice(WAYS), arguments, "read", truth)


def _scores(models: list[str]) -> list[str]:
    return [f"--score={model}" for model in models]


def _twins(dice: random.Random) -> Run:
    """A file in which the name of a column that is asked for means two."""
    n = dice.choice((4, 10, 40))
    twin = dice.choice(("p", "y"))
    names = ["y", "p", dice.choice((twin, twin, twin.upper()))]
    rows = [[1, 0.9, 1], [0, 0.1, 0], *([dice.randint(0, 1), dice.random(), dice.randint(0, 1)] for _ in range(n))]
    kind = dice.choice(("csv", "json", "parquet", "arrow"))
    content = WRITERS[kind](dice, names, rows)
    score = dice.choice(names[1:]) if names[2] == "P" else "p"
    arguments = ["evaluate", "FILE", "--label", "y", "--score", score, "--measures", "auc", "--resamples", "0"]
    place = names.index(score)
    truth = {} if len({*names}) < len(names) else {score: [(bool(row[0]), row[place], 1.0) for row in rows]}
    return Run(f"f.{kind}", content, "path", [*arguments, "--json"], "either" if truth else "refuse", truth)


# ---------------------------------------------------------------------- writing


def _csv(dice: random.Random, names: list[str], rows: list[list[Any]]) -> bytes:
    """A CSV file that every reader of CSV reads, laid out in one of many ways."""
    if dice.random() < 0.2:  # a header beyond any buffer
        more = dice.choice((["x" * 70_000], [f"column {number}" for number in range(7_000)], ["a\nb" * 25_000]))
        names, rows = [*names, *more], [[*row, *[1] * len(more)] for row in rows]
    out = io.StringIO()
    quoting = dice.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    end = dice.choice(("\n", "\n", "\r\n"))
    writer = csv.writer(out, delimiter=dice.choice(",,,;\t|"), lineterminator=end, quoting=quoting)
    writer.writerows([names, *rows])
    text = out.getvalue()
    odd = dice.randrange(8)
    if odd == 0:
        text = dice.choice(("\n", "\n\n\n", "\r\n\r\n")) + text
    elif odd == 1 and "\n" not in "".join(names):  # mixed line ends
        first, _, rest = text.partition(end)
        text = first + dice.choice(("\n", "\r\n")) + rest
    elif odd == 2:
        text += end * dice.choice((1, 3))
    elif odd == 3:
        text = text.removesuffix(end)
    return text.encode(dice.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig")))


def _json(dice: random.Random, names: list[str], rows: list[list[Any]]) -> bytes:
    lines = ["{" + ", ".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in zip(names, row, strict=True)) + "}"
             for row in rows]  # fmt: skip
    text = dice.choice(("\n".join(lines), "\n".join(lines) + "\n", f"[{', '.join(lines)}]", "\r\n".join(lines)))
    return text.encode(dice.choice(("utf-8", "utf-8", "utf-8-sig")))


def _binary(dice: random.Random, names: list[str], rows: list[list[Any]], kind: str) -> bytes:
    import pyarrow as pa
    from pyarrow import ipc, parquet

    table = pa.Table.from_arrays([pa.array(column) for column in zip(*rows, strict=True)], names=names)
    out = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, out, row_group_size=dice.choice((7, 1000)))
        return out.getvalue()
    with dice.choice((ipc.new_file, ipc.new_stream))(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=dice.choice((7, 1000)))
    return out.getvalue()


WRITERS: dict[str, Callable[[random.Random, list[str], list[list[Any]]], bytes]] = {
    "csv": _csv,
    "json": _json,
    "parquet": lambda dice, names, rows: _binary(dice, names, rows, "parquet"),
    "arrow": lambda dice, names, rows: _binary(dice, names, rows, "arrow"),
}

# ---------------------------------------------------------------------- what few resamples must not say

Command = Callable[[list[str]], tuple[int, str, str]]


def few_resamples(identity: str, command: Command) -> tuple[str, str]:
    """Whether a gate or a test says on few resamples what it does not say on many; `command` runs one."""
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    rows = "".join(f"{i % 2},{dice.random()},{dice.random()}\n" for i in range(60))
    Path("f.csv").write_text(f"y,p,q\n{rows}", encoding="utf-8")
    measure, side = dice.choice(("mcc", "eer", "f1", "average_precision")), dice.choice(("low", "high"))
    few = dice.choice(("0", "0", "1", "2", "10", "50"))
    asked = ["f.csv", "--label", "y", "--seed", str(dice.randrange(9))]
    if dice.random() < 0.5:
        return _test_on_few(measure, few, ["compare", *asked, "--score", "p", "--score", "q", "--json"], command)
    asked += ["--score", "p"]
    code, out, _ = command(["evaluate", *asked, "--measures", measure, "--resamples", few, "--json"])
    if code == 0 and "bootstrap" not in str(json.loads(out)["measures"][0]["method"]):
        return "checked", ""  # a formula, which no resamples change
    code, out, said = command(["evaluate", *asked, "--measures", measure, "--resamples", "2000", "--json"])
    if code:
        return "misread", f"refused: {said}"
    [row] = json.loads(out)["measures"]
    step = 1e-9 if side == "low" else -1e-9
    gate = f"{measure}.{side} {'>=' if side == 'low' else '<='} {row[side] + step!r}"
    code, out, said = command(["check", *asked, "--require", gate, "--resamples", few, "--json"])
    if code == 0:
        return "misread", f"{gate} passes on {few} resamples"
    return ("refused", said) if code == 2 else ("checked", "")


def _test_on_few(measure: str, few: str, asked: list[str], command: Command) -> tuple[str, str]:
    """Whether a comparison gives a p-value on few resamples that many do not give."""
    found = []
    for resamples in (few, "2000"):
        code, out, said = command([*asked, "--measures", measure, "--resamples", resamples])
        if code:
            return ("refused", said) if code == 2 and resamples == few else ("misread", f"refused: {said}")
        found.append([row["p_value"] for row in json.loads(out)["differences"]])
    for some, many in zip(*found, strict=True):
        if some is not None and (many is None or abs(some - many) > 1e-9):
            return "misread", f"{measure}: p = {some} on {few} resamples, {many} on 2000"
    return "checked", ""
