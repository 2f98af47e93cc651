"""The independent reader: what Python's own csv and json modules and pyarrow read, and the AUC by counting pairs."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
POSITIVE = {1, "1", "true", "True", "TRUE", "1.0"}
NEGATIVE = {0, -1, "0", "-1", "false", "False", "FALSE", "0.0", "-1.0"}
NOT_JUDGED = {"--format", "--against", "--threshold"}


def rows_of(path: Path) -> list[dict[str, Any]] | None:
    """The rows of a file as plain Python reads them; None where it is not sure."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    name = path.name.removesuffix(".gz")
    if name.endswith(".csv"):
        return _csv_rows(content)
    if name.endswith(".jsonl"):
        text = content.decode("utf-8-sig")
        whole = text.strip()
        found = (
            json.loads(whole)
            if whole.startswith("[")
            else [json.loads(one) for one in whole.split("\n") if one.strip()]
        )
        return found if all(isinstance(row, dict) for row in found) else None
    import pyarrow as pa
    from pyarrow import ipc, parquet

    if name.endswith(".parquet"):
        read = parquet.read_table(pa.BufferReader(content))
    elif name.endswith(".arrow"):
        opened = ipc.open_stream if content[:4] == b"\xff\xff\xff\xff" else ipc.open_file
        read = opened(pa.BufferReader(content)).read_all()
    else:
        return None
    read.validate(full=True)
    if len(set(read.column_names)) < len(read.column_names):
        return None
    return read.to_pylist()


def _csv_rows(content: bytes) -> list[dict[str, Any]] | None:
    text = content.decode("utf-8-sig")
    if "\0" in text or "\r" in text.replace("\r\n", ""):
        return None
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiters = [mark for mark in ",;\t|" if mark in first]
    if len(delimiters) != 1:
        return None
    lines = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiters[0], strict=True) if any(row)]
    header, *rows = lines
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        return None
    return [dict(zip(header, row, strict=True)) for row in rows]


def number(value: Any) -> float | None:
    """A score or a weight; None where it is missing or no number."""
    if isinstance(value, str):
        if value.strip() in MISSING or not value.isascii() or "_" in value:
            return None
        return float(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def cases(path: Path, options: dict[str, list[str]], score: str) -> list[tuple[bool, float, float]] | None:
    """Of each case whether it is positive, its score and its weight; None where that is not simple."""
    if NOT_JUDGED & {*options}:
        return None
    rows = rows_of(path)
    if not rows:
        return None
    weight = options.get("--weight", [None])[-1]
    found = []
    for row in rows:
        label, value = row.get("y"), row.get(score)
        heavy = 1.0 if weight is None else number(row.get(weight))
        # A comparison leaves out a case for all models when one of them has no score for it.
        wanted = [value, *(row[name] for name in options.get("--score", []) if name in row)]
        no_label = label is None or (isinstance(label, str) and label in MISSING)
        is_missing = no_label or any(map(_is_missing, wanted)) or heavy is None or heavy != heavy
        if is_missing:
            if options.get("--missing") == ["drop"]:
                continue
            return None
        read = number(value)
        which = _which(label, options.get("--positive", [None])[-1])
        if read is None or read != read or which is None or not heavy > 0:
            return None
        found.append((which, -read if "--lower-is-positive" in options else read, heavy))
    return found


def _is_missing(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return value is None or value != value or (isinstance(value, str) and value.strip() in MISSING)


def _which(label: Any, positive: str | None) -> bool | None:
    """Whether a label is the positive one; None where it is not simple."""
    if positive is None:
        return True if label in POSITIVE else False if label in NEGATIVE else None
    return label == positive if isinstance(label, str) and label and positive else None


def facts(found: list[tuple[bool, float, float]]) -> dict[str, float] | None:
    """The weights of both classes, and the AUC by counting pairs."""
    high = [(score, weight) for which, score, weight in found if which]
    low = [(score, weight) for which, score, weight in found if not which]
    if not high or not low:
        return None
    wins = sum(((a > b) + 0.5 * (a == b)) * v * w for a, v in high for b, w in low)
    heavy = sum(v for _, v in high), sum(w for _, w in low)
    every = heavy[0] * heavy[1]
    return {"positives": heavy[0], "negatives": heavy[1], "auc": wins / every} if 0 < every < 1e300 else None
