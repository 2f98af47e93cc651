"""Tables of predictions, ordinary and odd, written as files of every format and then damaged."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
from typing import Any

KINDS = ("csv", "json", "parquet", "arrow")
BINARY = ("parquet", "arrow")
ODD_NAMES = (
    "",
    ".txt",
    ".dat",
    "*.csv",
    "[1].csv",
    " x.csv",
    "\\.csv",
    "\x9b.csv",
)  # which DuckDB or terminals misread


def table(dice: random.Random) -> dict[str, list[Any]]:
    """Labels, scores of two models, and perhaps weights, groups, ids and a column with an odd name."""
    n = dice.choice((1, 5, 10, 40, 40, 40, 40, 120))
    label, score = _label(dice), _score(dice)
    rows: dict[str, list[Any]] = {"y": [label() for _ in range(n)], "p": [score() for _ in range(n)]}
    rows["q"] = [dice.random() for _ in range(n)]
    if dice.random() < 0.4:
        heavy = dice.choice(
            ((1, 2, 3), (1, 2, 3), (0.5, 1.5), (1, 2, 0, 0.5), (1, 1e-9, 1e-200, 1e200), (1, -1), (1, None), (2**53, 1))
        )
        rows["w"] = [dice.choice(heavy) for _ in range(n)]
    if dice.random() < 0.4:
        odd = dice.choice(("a", 1, None, [1], {"a": 1}, b"x"))
        rows["g"] = [f"g{dice.randrange(4)}" for _ in range(n)] if dice.random() < 0.7 else [odd] * n
    if dice.random() < 0.3:
        rows["i"] = [*range(n)] if dice.random() < 0.7 else [dice.randrange(n) for _ in range(n)]
    if dice.random() < 0.15:
        rows[dice.choice(("P", "p ", "", "Y", "a,b", 'a"b', "a\nb", "\x1b[2J", "x" * 70_000))] = [*range(n)]
    return rows


def _label(dice: random.Random) -> Any:
    """A function that draws a label."""
    usual = [lambda: dice.randint(0, 1), lambda: dice.choice(("yes", "no")), lambda: dice.choice((True, False))]
    odd = [
        lambda: dice.choice((-1, 1)),
        lambda: dice.choice((0, 1, None)),
        lambda: dice.choice((0, 1, 2)),
        lambda: dice.choice((0.0, 1.0)),
        lambda: dice.choice(("1", "0", "01")),
        lambda: dice.choice(("", "=1+1", "\x1b[2J", "\x9b", "é")),
    ]
    return dice.choice(usual if dice.random() < 0.9 else odd)


def _score(dice: random.Random) -> Any:
    """A function that draws a score."""
    usual = [dice.random, lambda: round(dice.random(), 1), lambda: dice.gauss(0, 1e3)]
    odd = [
        lambda: dice.choice((0.0, -0.0, 1.0)),
        lambda: dice.choice((1.7e308, -1.7e308, 5e-324, 1e-310)),
        lambda: dice.choice((1e308, math.inf, -math.inf)),
        lambda: dice.choice((0.5, None, 0.25)),
        lambda: dice.choice((0.5, math.nan)),
        lambda: dice.choice((2**53, 2**53 + 1, 2**60, 1)),
        lambda: dice.choice((0.5, "x", "1_000", "0,5", "+-1", "0x1p3", "1e400", "\N{FULLWIDTH DIGIT ONE}")),
        lambda: 0.5,
    ]
    return dice.choice(usual if dice.random() < 0.85 else odd)


def written(dice: random.Random, kind: str, rows: dict[str, list[Any]]) -> bytes:
    """A table as a file of a kind; values that the kind cannot hold become text."""
    if kind == "csv":
        return _as_csv(dice, rows)
    if kind == "json":
        lines = [json.dumps(dict(zip(rows, row, strict=True)), default=str) for row in zip(*rows.values(), strict=True)]
        return dice.choice(("\n".join(lines) + "\n", f"[{', '.join(lines)}]", "[" + ",\n".join(lines) + "]")).encode()
    import pyarrow as pa
    from pyarrow import ipc, parquet

    columns = {}
    for name, values in rows.items():
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            columns[name] = pa.array([None if value is None else str(value) for value in values])
        columns[name] = _other_type(dice, name, columns[name])
    made, out = pa.table(columns), io.BytesIO()
    if kind == "parquet":
        how = {"compression": dice.choice(("none", "snappy", "zstd")), "row_group_size": 17}
        try:
            parquet.write_table(made, out, **how)
        except pa.ArrowNotImplementedError:  # older versions have no views of text in this format
            plain = [pa.string() if pa.types.is_string_view(one.type) else one.type for one in made.schema]
            out = io.BytesIO()
            parquet.write_table(made.cast(pa.schema(zip(made.column_names, plain, strict=True))), out, **how)
    else:
        compression = dice.choice((None, None, "lz4"))
        if any(pa.types.is_string_view(one.type) for one in made.schema):  # which pyarrow below 25 packs into a crash
            compression = None
        options = ipc.IpcWriteOptions(compression=compression)
        opened = dice.choice((ipc.new_file, ipc.new_stream))
        with opened(out, made.schema, options=options) as writer:
            writer.write_table(made, max_chunksize=17)
    return out.getvalue()


def _other_type(dice: random.Random, name: str, column: Any) -> Any:
    """The column in another type that can hold it, now and then."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        if dice.random() < 0.3:
            return column.dictionary_encode()
        return column.cast(dice.choice((pa.string(), pa.large_string(), pa.binary(), pa.string_view())))
    others = {
        "p": (pa.float32(), pa.float16(), pa.decimal128(38, 10), pa.string(), pa.date32(), pa.list_(pa.float64()))
    }
    others["y"] = (pa.int8(), pa.uint64(), pa.float32(), pa.string(), pa.bool_(), pa.decimal128(5, 2))
    if dice.random() < 0.25 and name in others:
        try:
            return column.cast(dice.choice(others[name]))
        except (pa.ArrowException, NotImplementedError):
            return column
    return column


def _as_csv(dice: random.Random, rows: dict[str, list[Any]]) -> bytes:
    out = io.StringIO()
    quoting = dice.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    line_end = dice.choice(("\n", "\n", "\r\n", "\r"))
    writer = csv.writer(out, delimiter=dice.choice(",,,;\t|"), lineterminator=line_end, quoting=quoting)
    writer.writerow(rows)
    writer.writerows(zip(*[["" if v is None else v for v in column] for column in rows.values()], strict=True))
    text = out.getvalue()
    if dice.random() < 0.1:
        text = dice.choice(("\n\n", "# a comment\n", "\ufeff", "sep=;\n", " ", "\n \n")) + text
    if dice.random() < 0.05:
        text = text.replace("\n", "\r\n", 2)  # mixed line ends
    if dice.random() < 0.05:
        text += dice.choice(("\n\n", "\x1a", ",,,", "1", '"', "\0"))
    encoding = dice.choice(("utf-8",) * 12 + ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"))
    return text.encode(encoding, errors="replace")


def damaged(dice: random.Random, kind: str, content: bytes) -> bytes:
    """The file, damaged in one of many ways, or left alone."""
    bad = bytearray(content)
    way = dice.randrange(16)
    if way < 7 or not bad:
        return content
    if way < 9 or (kind in BINARY and way < 12):
        for _ in range(dice.choice((1, 1, 2, 4, 8))):
            bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(8)
    elif way == 9:
        del bad[dice.randrange(len(bad)) :]
    elif way == 10:
        at = dice.randrange(len(bad))
        bad[at:at] = dice.choice((b"\0", b"\xff", b'"', b",", b"\n", b"\r", b"{", b"NaN", b"\xef\xbb\xbf", b"'", b"\\"))
    elif way == 11:
        at, size = dice.randrange(len(bad)), dice.randrange(64)
        del bad[at : at + size]
    elif way in (12, 13):
        at = dice.randrange(len(bad))
        bad[at : at + 4] = dice.choice((b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff\xff\xff\xff", b"\0\0\0\0"))
    elif way == 14:  # a stretch twice, as after a write that was repeated
        at = dice.randrange(len(bad))
        bad[at:at] = bad[at : at + dice.randrange(200)]
    else:
        lines = content.split(b"\n")
        dice.shuffle(lines) if kind in ("csv", "json") else None
        return b"\n".join(lines)
    return bytes(bad)


def file(dice: random.Random, rows: dict[str, list[Any]], stem: str) -> tuple[str, bytes]:
    """A file of a table: its name and its bytes."""
    kind = dice.choice(KINDS)
    content = damaged(dice, kind, written(dice, kind, rows))
    name = f"{stem}.{'jsonl' if kind == 'json' else kind}"
    if kind in ("csv", "json") and dice.random() < 0.08:
        content, name = damaged(dice, kind, gzip.compress(content)), name + ".gz"
    if dice.random() < 0.05:
        name = stem + dice.choice(ODD_NAMES)
    return name, content
