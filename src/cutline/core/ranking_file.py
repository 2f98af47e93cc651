"""Rankings as files: a short header with a checksum, then the columns as Parquet.

The checksum covers the facts of the header and everything behind it, and it is compared before the columns are parsed:
a file that was cut off or altered is refused, whatever its bytes would do to a reader.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from cutline.core.atomic_write import write
from cutline.core.errors import InputError, ParameterError, shown
from cutline.core.ranking import Ranking

MAGIC = b"cutline ranking\n"
VERSION = 2  # the newest that is read; files without bins are written as version 1
SUFFIX = ".ranking"
_COLUMNS = ("score", "pos", "neg", "pos2", "neg2")
_SQUARES = ("pos2", "neg2")
_LABELS = (bool, int, float, str)  # what JSON can hold
_REACH = ("first", "last")  # of bins
_OTHERS = (".csv", ".tsv", ".json", ".html")  # which people, and their programs, would take for text


def save(ranking: Ranking, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a ranking to a file: whole, or not at all.

    Args:
        ranking: The ranking; not a stack of resamples.
        path: The file to write, usually with the suffix .ranking.
        overwrite: Whether a file of that name is replaced.
    """
    if ranking.pos.ndim > 1:
        raise ParameterError("This is a stack of rankings", "save them one by one")
    if isinstance(path, str | os.PathLike) and str(path).lower().endswith(_OTHERS):
        raise ParameterError("A ranking has a file format of its own", 'pass a name such as "monday.ranking"')
    unweighted = ranking.pos2 is ranking.pos and ranking.neg2 is ranking.neg
    kept = {name: getattr(ranking, name) for name in _COLUMNS if not (unweighted and name in _SQUARES)}
    kept |= {} if ranking.reach is None else dict(zip(_REACH, ranking.reach, strict=True))
    payload = _as_parquet(kept)
    facts = {
        "version": 1 if ranking.exact else VERSION,
        "positive": _label(ranking.positive),
        "higher_is_positive": ranking.higher_is_positive,
        "dropped": int(ranking.dropped),
    }
    other = _plain(ranking.negative)
    if isinstance(other, _LABELS):
        facts["negative"] = other
    if not ranking.exact:
        facts["exact"] = False
    header = json.dumps(facts | {"sha256": _checksum(facts, payload)}).encode() + b"\n"
    return write(path, MAGIC + header + payload, overwrite=overwrite)


def is_ranking_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is called or begins as a ranking file does; a pipe is left alone, because it can be read once."""
    try:
        if not Path(path).is_file():
            return False
        if Path(path).suffix.lower() == ".ranking":  # whatever is left of it
            return True
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def load(path: str | os.PathLike[str]) -> Ranking:
    """The ranking that a file holds.

    Args:
        path: A file that `Ranking.save` or `cutline rank` wrote.
    """
    title = shown(Path(path).name)
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"There is no file {str(path)!r}", "pass a ranking file, as `cutline rank` writes it"
        ) from None
    except OSError as error:
        raise InputError(f"{title} cannot be read ({error.strerror})", "pass a ranking file") from None
    if not content.startswith(MAGIC):
        raise InputError(f"{title} is not a ranking file", "make one with `cutline rank`, or with Ranking.save()")
    header, _, payload = content[len(MAGIC) :].partition(b"\n")
    facts = _facts(header, title)
    if _checksum(facts, payload) != facts["sha256"]:
        raise InputError(f"{title} is damaged: its contents do not match its checksum. Make it again.")
    found = _from_parquet(payload, title)
    pos, neg = found["pos"], found["neg"]
    return Ranking(
        found["score"],
        pos,
        neg,
        found.get("pos2", pos),
        found.get("neg2", neg),
        higher_is_positive=facts["higher_is_positive"],
        positive=facts["positive"],
        negative=facts.get("negative"),
        dropped=facts["dropped"],
        exact=facts.get("exact", True),
        reach=(found["first"], found["last"]) if "first" in found else None,
    )


def _checksum(facts: dict[str, Any], payload: bytes) -> str:
    named = {name: value for name, value in facts.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode() + payload).hexdigest()


def _facts(header: bytes, title: str) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(header)
        version = facts["version"]
        if type(version) is not int or version < 1 or type(facts["dropped"]) is not int:
            raise TypeError(version)
        if version > VERSION:
            raise InputError(f"{title} was written by a newer cutline (format {version}): update cutline to read it.")
        if not {"positive", "higher_is_positive", "dropped", "sha256"} <= facts.keys():
            raise KeyError("positive")
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{title} is damaged: its header cannot be read. Make it again.") from None
    return facts


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _label(positive: Any) -> Any:
    """The positive label as JSON holds it."""
    value = _plain(positive)
    if isinstance(value, _LABELS):
        return value
    raise ParameterError(
        f"is {value!r}, which a ranking file cannot hold",
        "name the positive class by a number or a text",
        argument="positive",
    )


@contextmanager
def _scratch() -> Iterator[Path]:
    """A file for a moment: without a name where the system has such, so that nothing stays if all ends at once."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        handle = os.memfd_create("cutline")
        try:
            yield Path(f"/proc/self/fd/{handle}")
        finally:
            os.close(handle)
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / "cells.parquet"


def _as_parquet(columns: dict[str, Any]) -> bytes:
    import duckdb

    with _scratch() as file, duckdb.connect(":memory:") as connection:
        connection.register("cells", {name: np.ascontiguousarray(column) for name, column in columns.items()})
        quoted = str(file).replace("'", "''")
        connection.execute(f"COPY cells TO '{quoted}' (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)")
        return file.read_bytes()


def _from_parquet(payload: bytes, title: str) -> dict[str, Any]:
    import duckdb

    with _scratch() as file, duckdb.connect(":memory:") as connection:
        file.write_bytes(payload)
        try:
            return dict(connection.execute("SELECT * FROM read_parquet(?)", [str(file)]).fetchnumpy())
        except duckdb.Error:
            raise InputError(f"{title} is damaged: its contents cannot be read. Make it again.") from None
