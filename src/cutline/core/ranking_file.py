"""Rankings as files: a short header with a checksum, then the columns as Parquet.

The checksum covers the facts of the header and everything behind it, and it is compared before the columns are parsed:
a file that was cut off or altered is refused, whatever its bytes would do to a reader.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.atomic_write import write
from cutline.core.errors import InputError, ParameterError, quote_if_unclear
from cutline.core.extras import require
from cutline.core.ranking import Ranking
from cutline.core.validation import LEAST_WEIGHT, MOST_WEIGHT, check_path

if TYPE_CHECKING:
    import duckdb

MAGIC = b"cutline ranking\n"
VERSION = 2  # the newest that is read; files without bins are written as version 1
SUFFIX = ".ranking"
_COLUMNS = ("score", "pos", "neg", "pos2", "neg2")
_SQUARES = ("pos2", "neg2")
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
    columns = {name: getattr(ranking, name) for name in _COLUMNS if not (ranking.is_unweighted and name in _SQUARES)}
    columns |= {} if ranking.reach is None else dict(zip(_REACH, ranking.reach, strict=True))
    payload = _write_parquet(columns)
    facts = {
        "version": 1 if ranking.exact else VERSION,
        "positive": _encode_label(ranking.positive),
        "higher_is_positive": ranking.higher_is_positive,
        "dropped": int(ranking.dropped),
    }
    other = _convert_label(ranking.negative)
    if _is_label(other):
        facts["negative"] = other
    if not ranking.exact:
        facts["exact"] = False
    header = json.dumps(facts | {"sha256": _compute_checksum(facts, payload)}).encode() + b"\n"
    return write(path, MAGIC + header + payload, overwrite=overwrite)


def is_ranking_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a ranking file by its name or first bytes; a pipe is not opened, as it can be read once."""
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
    """Return the ranking that a file holds.

    Args:
        path: A file that `Ranking.save` or `cutline rank` wrote.
    """
    path = check_path(path, "path", "monday.ranking")
    title = quote_if_unclear(path.name or str(path))
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"There is no file {str(path)!r}", "pass a ranking file, as `cutline rank` writes it"
        ) from None
    except OSError as error:
        raise InputError(f"{title} cannot be read ({error.strerror})", "pass a ranking file") from None
    if not content.startswith(MAGIC):
        raise InputError(f"{title} is not a ranking file", "make one with `cutline rank`, or with Ranking.save()")
    header, _, payload = content[len(MAGIC) :].partition(b"\n")
    facts = _read_facts(header, title)
    if _compute_checksum(facts, payload) != facts["sha256"]:
        raise InputError(f"{title} is damaged: its contents do not match its checksum. Make it again.")
    columns = _read_parquet(payload, title)
    higher_is_positive = facts["higher_is_positive"]
    reason = _find_fault(columns, higher_is_positive=higher_is_positive, exact=facts.get("exact", True))
    if reason:
        raise InputError(f"{title} is not a valid ranking: {reason}. Make it again.")
    pos, neg = columns["pos"], columns["neg"]
    return Ranking(
        columns["score"],
        pos,
        neg,
        columns.get("pos2", pos),
        columns.get("neg2", neg),
        higher_is_positive=higher_is_positive,
        positive=facts["positive"],
        negative=facts.get("negative"),
        dropped=facts["dropped"],
        exact=facts.get("exact", True),
        reach=(columns["first"], columns["last"]) if "first" in columns else None,
    )


def _find_fault(columns: dict[str, Any], *, higher_is_positive: bool, exact: bool) -> str:
    """Return why the columns are not a valid ranking, or nothing; a checksum does not show that they are valid."""
    sums = [name for name in _COLUMNS[1:] if name in columns]
    scores = ["score", *(_REACH if not exact else ())]
    required = {*scores, "pos", "neg", *(_SQUARES if "pos2" in columns or "neg2" in columns else ())}
    if required != columns.keys():
        return "its columns are not those of a ranking"
    for name, values in columns.items():
        if np.ma.is_masked(values) or (values.dtype.kind == "f" and np.isnan(values).any()):
            return f"column {name!r} holds a missing value"
    for name in scores:
        if columns[name].dtype.kind != "f":
            return f"column {name!r} does not hold floats"
    for name in sums:
        values = columns[name]
        if values.dtype not in (np.dtype(np.int64), np.dtype(np.float64)):
            return f"column {name!r} does not hold counts or weights"
        if not (values >= 0).all() or np.isinf(values).any():
            return f"column {name!r} holds a count that is negative or not finite"
        with np.errstate(over="ignore"):
            total = values.sum(dtype=float)
        if total >= (2**62 if values.dtype.kind == "i" else MOST_WEIGHT ** (2 if name in _SQUARES else 1)):
            return f"the sum of column {name!r} is too large"
    counts = np.concatenate([columns["pos"], columns["neg"]], dtype=float)
    total = float(counts.sum())
    if not total:
        return "it holds no cases"
    if not ((columns["pos"] > 0) | (columns["neg"] > 0)).all():
        return "it holds a score without cases"
    least = float(counts.min(where=counts > 0, initial=np.inf))
    if total <= LEAST_WEIGHT or least < total * 1e-100:
        return "its weights are too small"
    for name in _SQUARES if "pos2" in columns else ():
        sums, squares = columns[name.removesuffix("2")].astype(float), columns[name].astype(float)
        least_squares = sums**2 / 2**62  # of equal weights of as many cases as a file can count
        if not ((squares <= sums**2 * (1 + 1e-9)) & (squares >= least_squares) & ((squares > 0) == (sums > 0))).all():
            return f"column {name!r} does not hold the sums of squared weights"
    direction = -1 if higher_is_positive else 1
    first, last = (columns["score"],) * 2 if exact else (columns[name] for name in _REACH)
    if not (direction * first[1:] > direction * last[:-1]).all() or not (direction * first <= direction * last).all():
        return "its scores are not distinct and in order"
    if (
        not (direction * first <= direction * columns["score"]).all()
        or not (direction * columns["score"] <= direction * last).all()
    ):
        return "a score lies outside its bin"
    return ""


def _compute_checksum(facts: dict[str, Any], payload: bytes) -> str:
    named = {name: value for name, value in facts.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode() + payload).hexdigest()


def _read_facts(header: bytes, title: str) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(header)
        version = facts["version"]
        if type(version) is not int or version < 1:
            raise TypeError(version)
        if version > VERSION:
            raise InputError(f"{title} was written by a newer cutline (format {version}): update cutline to read it.")
        if not {"positive", "higher_is_positive", "dropped", "sha256"} <= facts.keys():
            raise KeyError("positive")
        if type(facts["dropped"]) is not int or not 0 <= facts["dropped"] < 2**62:
            raise ValueError(facts["dropped"])
        if type(facts["higher_is_positive"]) is not bool or type(facts.get("exact", True)) is not bool:
            raise TypeError("higher_is_positive")
        for label in (facts["positive"], facts.get("negative", 0)):
            if not _is_label(label):
                raise TypeError(label)
        if facts["positive"] == facts.get("negative"):
            raise ValueError(facts["positive"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{title} is damaged: its header cannot be read. Make it again.") from None
    return facts


def _is_label(label: Any) -> bool:
    """Whether JSON can hold a label."""
    return isinstance(label, bool | int | str) or (isinstance(label, float) and math.isfinite(label))


def _convert_label(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _encode_label(positive: Any) -> Any:
    """Convert the positive label to JSON."""
    value = _convert_label(positive)
    if _is_label(value):
        return value
    raise ParameterError(
        f"is {value!r}, which a ranking file cannot hold",
        "name the positive class by a number or a text",
        argument="positive",
    )


@contextmanager
def _open_scratch_file() -> Iterator[Path]:
    """Yield a temporary file, without a name where the system supports that, so that nothing is left if the process
    dies.
    """
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        handle = os.memfd_create("cutline")
        try:
            yield Path(f"/proc/self/fd/{handle}")
        finally:
            os.close(handle)
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / "cells.parquet"


@cache
def _connect_database(process: int) -> duckdb.DuckDBPyConnection:  # noqa: ARG001 - a forked process needs its own
    """Return the database of a process: opening one takes longer than reading the ranking of a day."""
    require("duckdb", "files")
    import duckdb

    database = duckdb.connect(":memory:")
    with suppress(duckdb.Error):  # of versions that have no such cache
        database.execute("SET enable_external_file_cache = false")  # every scratch file has the same name
    return database


def _write_parquet(columns: dict[str, Any]) -> bytes:
    with _open_scratch_file() as file, _connect_database(os.getpid()).cursor() as connection:
        connection.register("cells", {name: np.ascontiguousarray(column) for name, column in columns.items()})
        quoted = str(file).replace("'", "''")
        connection.execute(f"COPY cells TO '{quoted}' (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)")
        return file.read_bytes()


def _read_parquet(payload: bytes, title: str) -> dict[str, Any]:
    import duckdb

    with _open_scratch_file() as file, _connect_database(os.getpid()).cursor() as connection:
        file.write_bytes(payload)
        try:
            return dict(connection.execute("SELECT * FROM read_parquet(?)", [str(file)]).fetchnumpy())
        except duckdb.Error:
            raise InputError(f"{title} is damaged: its contents cannot be read. Make it again.") from None
