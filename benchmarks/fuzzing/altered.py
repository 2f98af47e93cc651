"""Files that must be refused though a hasty reader takes them: damaged at their end, altered with a right checksum.

Compressed streams that are damaged late or cut off, ranking files and states of monitors whose checksum is right and
whose contents are not, cuts of which one value is of another type, and decimals that float64 cannot tell apart.
"""

from __future__ import annotations

import copy
import functools
import gzip
import hashlib
import io
import json
import random
from collections.abc import Callable
from typing import Any

# How often each is run among the commands.
KINDS = {"late": 3, "rankings": 3, "documents": 2, "decimals": 1}
CASES = b"p\n0.9\n0.1\n"  # of standard input
APPLIED = ["apply", "--score", "p", "--output", "made.csv", "--force"]
ASKED = ["--measures", "auc", "--resamples", "0", "--json"]


def altered(identity: str) -> tuple[str, bytes, list[str]]:
    """Return the name and the bytes of a file that must be refused, and the arguments with FILE in its place."""
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    kind = identity.rpartition("-")[0]
    if kind == "documents":
        name, document = dice.choice(list(_documents().items()))
        content = json.dumps(_altered_document(dice, document)).encode()
        return f"{name}.json", content, ["check", "--monitor", "FILE"] if name == "state" else [*APPLIED, "FILE", "-"]
    name, content = {"late": _late, "rankings": _ranking, "decimals": _decimals}[kind](dice)
    columns = [] if kind == "rankings" else ["--label", "y", "--score", "p"]
    return name, content, ["evaluate", "FILE", *columns, *ASKED]


def _late(dice: random.Random) -> tuple[str, bytes]:
    """A compressed table that is damaged behind its first 64 KB, or that lacks its end."""
    rows = "".join(f"{dice.randint(0, 1)},{dice.random()}\n" for _ in range(dice.choice((6_000, 20_000))))
    text = f"y,p\n1,0.9\n0,0.1\n{rows}".encode()
    if dice.random() < 0.4:
        import pyarrow as pa

        packed = bytes(pa.compress(text, "zstd", asbytes=True))
        return "f.csv.zst", packed[: dice.randrange(len(packed) // 2, len(packed) - 1)]
    packed = bytearray(gzip.compress(text, mtime=0))
    way = dice.randrange(4)
    if way == 0:
        return "f.csv.gz", bytes(packed[: dice.randrange(len(packed) // 2, len(packed) - 1)])
    # The checksum and the length stand in the last eight bytes.
    place = dice.randrange(len(packed) - 8, len(packed)) if way == 1 else dice.randrange(len(packed) // 2, len(packed))
    packed[place] ^= 1 << dice.randrange(8)
    return "f.csv.gz", bytes(packed)


Columns = dict[str, list[Any]]


def _with(name: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[Columns, dict[str, Any]], None]:
    def alter(columns: Columns, _: dict[str, Any]) -> None:
        columns[name] = change(columns[name])

    return alter


def _fact(name: str, value: Any) -> Callable[[Columns, dict[str, Any]], None]:
    def alter(_: Columns, facts: dict[str, Any]) -> None:
        facts[name] = value

    return alter


ALTERATIONS: tuple[Callable[[Columns, dict[str, Any]], None], ...] = (
    _with("pos", lambda pos: [-1, *pos[1:]]),
    _with("neg", lambda neg: [*neg[:-1], -3]),
    _with("pos", lambda pos: [None, *pos[1:]]),
    _with("pos", lambda pos: [float("inf"), *pos[1:]]),
    _with("neg", lambda neg: [float("nan"), *neg[1:]]),
    _with("score", lambda score: score[::-1]),
    _with("score", lambda score: [score[0], *score[:-1]]),
    _with("score", lambda score: [None, *score[1:]]),
    _with("score", lambda score: [float("nan"), *score[1:]]),
    _with("score", lambda score: [str(value) for value in score]),
    _with("pos", lambda pos: [str(value) for value in pos]),
    _with("pos", lambda pos: [2**63 - 1 for _ in pos]),
    lambda columns, _: columns.__delitem__("neg"),
    lambda columns, _: columns.__delitem__("score"),
    _fact("higher_is_positive", "no"),
    _fact("higher_is_positive", 1),
    _fact("dropped", -5),
    _fact("dropped", 10**400),
    _fact("dropped", "3"),
    _fact("version", 0),
    _fact("version", "1"),
    _fact("exact", "yes"),
    _fact("positive", [1]),
)


def _ranking(dice: random.Random) -> tuple[str, bytes]:
    """A ranking file with a right checksum, whose contents are no ranking."""
    import pyarrow as pa
    from pyarrow import parquet

    n = dice.choice((3, 20))
    columns: Columns = {
        "score": sorted((dice.random() for _ in range(n)), reverse=True),
        "pos": [dice.randint(1, 3) for _ in range(n)],
        "neg": [dice.randint(1, 3) for _ in range(n)],
    }
    facts: dict[str, Any] = {"version": 1, "positive": 1, "higher_is_positive": True, "dropped": 0}
    dice.choice(ALTERATIONS)(columns, facts)
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    payload = out.getvalue()
    checksum = hashlib.sha256(json.dumps(facts, sort_keys=True).encode() + payload).hexdigest()
    return "f.ranking", b"cutline ranking\n" + json.dumps(facts | {"sha256": checksum}).encode() + b"\n" + payload


@functools.cache
def _documents() -> dict[str, Any]:
    """The state of a monitor and a cut, as JSON holds them."""
    import cutline as cl

    cases = [1, 0, 1, 1, 0, 0, 1, 0] * 5, [(i * 7 % 41) / 41 for i in range(40)]
    ev = cl.evaluate(*cases)
    days = {"2026-01-01": ev.ranking, "2026-01-02": cl.rank(cases[0], cases[1][::-1])}
    cut = cl.choose_cut(ev, "recall >= 0.5", maximize="f1", resamples=50)
    state = cl.monitor(ev, days, measures=["recall", "auc", "brier", "calibration", "psi"]).state()
    return {"state": state, "cut": cut.to_dict()}


def _leaves(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict | list) or not value:
        return [before]
    names = value if isinstance(value, dict) else range(len(value))
    return [before, *(leaf for name in names for leaf in _leaves(value[name], (*before, name)))][not before :]


def _altered_document(dice: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """A document of which one value is of a type that it is not in any; of a state with the checksum of that."""
    other = copy.deepcopy(document)
    *above, name = dice.choice(
        _leaves({key: value for key, value in other.items() if key not in ("schema", "sha256", "optimism")})
    )
    part = other
    for each in above:
        part = part[each]
    part[name] = dice.choice(([{}], {"a": [{}]}))
    if "sha256" in other:
        content = json.dumps({key: value for key, value in other.items() if key != "sha256"}, sort_keys=True)
        other["sha256"] = hashlib.sha256(content.encode()).hexdigest()
    return other


def _decimals(dice: random.Random) -> tuple[str, bytes]:
    """Decimals of which two differ beyond what a float holds."""
    import decimal

    import pyarrow as pa
    from pyarrow import ipc, parquet

    digits = dice.randint(20, 26)
    step = decimal.Decimal(1).scaleb(-digits)
    scores = [decimal.Decimal(dice.randrange(500_000, 10**6)).scaleb(-6) for _ in range(30)]
    scores = [*scores, *(score + step for score in scores[:3])]
    table = pa.table({"y": [i % 2 for i in range(33)], "p": pa.array(scores, pa.decimal128(38, digits))})
    out = io.BytesIO()
    if dice.random() < 0.5:
        parquet.write_table(table, out)
        return "f.parquet", out.getvalue()
    with ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return "f.arrow", out.getvalue()
