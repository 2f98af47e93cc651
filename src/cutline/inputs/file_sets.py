"""Sets of input files: one or several files, a pattern such as preds/*.parquet, or a folder, perhaps of partitions."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cutline.core.errors import InputError, ParameterError, quote_if_unclear
from cutline.core.validation import format_count
from cutline.inputs.file_formats import SUFFIXES, find_format, find_local_file, is_remote, spool

_PARTITION = re.compile(r"[^=]+=.*")
MOST_FILES = 100_000  # in a folder and below it: more would be looked through for minutes
_ACCEPTED = "pass CSV, Parquet, JSON lines, Arrow or Excel files"
_NAMES = {"csv": "CSV", "parquet": "Parquet", "json": "JSON lines", "arrow": "Arrow", "excel": "Excel"}


class FileSet(NamedTuple):
    """Files of one format that are read as one table, their names in messages, and whether folders are columns."""

    paths: tuple[Path, ...]
    titles: tuple[str, ...]
    title: str
    kind: str
    hive: bool = False


def find_files(data: Any, format: str | None = None) -> FileSet:
    """Return the files that a path, a pattern, a folder, a list of these, "-" or an open stream means.

    Args:
        data: What was passed.
        format: The format, when the names do not tell.
    """
    if isinstance(data, list | tuple):
        if not data:
            raise ParameterError("is an empty list", "pass the paths of files", argument="data")
        files = [file for each in data for file in _list_files(each)]
        title = files[0][1] if len(files) == 1 else f"{quote_if_unclear(files[0][1])} and {len(files) - 1} more"
    else:
        files = list(_list_files(data))
        title = files[0][1] if len(files) == 1 else quote_if_unclear(os.fspath(data))
    paths, titles, hives = zip(*files, strict=True)
    return FileSet(tuple(paths), tuple(titles), title, format or _find_common_format(paths, titles, title), all(hives))


def _list_files(data: Any) -> Iterator[tuple[Path, str, bool]]:
    """Return the files that one path means, each with its title and whether its folders hold values."""
    if data == "-" or hasattr(data, "read"):
        yield spool(data), "standard input", False
        return
    text = os.fspath(data)
    if isinstance(text, bytes) or is_remote(text):
        yield *find_local_file(data), False
        return
    where = os.path.expanduser(text)  # noqa: PTH111 - the pattern is text until it is matched
    if os.path.isdir(where):  # noqa: PTH112 - answers False where Path would raise
        yield from _search_folder(Path(where), Path(where))
    elif os.path.lexists(where) or not glob.has_magic(where):
        yield *find_local_file(data), False
    else:
        yield from _match_pattern(where, text)


def _match_pattern(pattern: str, text: str) -> Iterator[tuple[Path, str, bool]]:
    """Return the files that a pattern matches, and those in folders that it matches."""
    matched = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - patterns may be absolute
    root = Path(*_take_fixed_parts(Path(pattern)))
    files: list[tuple[Path, str, bool]] = []
    for path in map(Path, matched):
        if os.path.isdir(path):  # noqa: PTH112 - answers False where Path would raise
            files += [] if "**" in pattern else list(_search_folder(path, root))
        elif not path.name.startswith("_"):
            files.append((*find_local_file(path), _is_hive(path, root)))
    if not files:
        raise InputError(f"No file matches {quote_if_unclear(text)}", "check the pattern, and put it between quotes")
    yield from files


def _take_fixed_parts(path: Path) -> Iterator[str]:
    for part in path.parts:
        if glob.has_magic(part):
            return
        yield part


def _search_folder(folder: Path, root: Path) -> Iterator[tuple[Path, str, bool]]:
    """Yield the files of predictions in a folder and its subfolders; skip names that begin with _ or a dot."""
    inside = sorted(_walk_folder(folder))
    named = [p for p in inside if not any(part[0] in "_." for part in p.relative_to(folder).parts)]
    files = [path for path in named if _has_suffix(path)]
    if not files:
        holds = f"holds {format_count(len(inside), 'file')}, but none with predictions" if inside else "is empty"
        raise InputError(f"The folder {quote_if_unclear(folder.name or str(folder))} {holds}", _ACCEPTED)
    for path in files:
        yield *find_local_file(path), _is_hive(path, root)


def _walk_folder(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its visible subfolders; raise if one cannot be opened."""

    def refuse(error: OSError) -> None:
        problem = f"The folder {quote_if_unclear(str(error.filename))} cannot be opened ({error.strerror})"
        raise InputError(problem, _ACCEPTED) from None

    looked_at = 0
    for root, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if name[0] not in "_."]
        looked_at += len(names)
        if looked_at > MOST_FILES:
            problem = f"The folder {quote_if_unclear(str(folder))} holds more than {MOST_FILES:,} files"
            raise InputError(problem, "pass the folder of the predictions, or a pattern")
        for name in names:
            path = Path(root, name)
            try:
                is_file = path.is_file()
            except OSError as error:  # a folder that may be listed but not entered
                refuse(OSError(error.errno, error.strerror, root))
            if is_file:
                yield path


def _has_suffix(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".gz"], [".zst"]):
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in SUFFIXES


def _is_hive(path: Path, root: Path) -> bool:
    """Whether a folder on the way to the file holds a value, as in day=2024-05-01."""
    return any(_PARTITION.fullmatch(part) for part in path.relative_to(root).parent.parts)


def _find_common_format(paths: tuple[Path, ...], titles: tuple[str, ...], title: str) -> str:
    """Return the format of all files; raise if they differ."""
    kinds: dict[str, str] = {}
    for path, title in zip(paths, titles, strict=True):
        kinds.setdefault(find_format(path), title)
    if len(kinds) > 1:
        listed = " and ".join(f"{_NAMES[kind]} ({title})" for kind, title in kinds.items())
        raise InputError(f"{title} holds files of several formats, {listed}", "pass those of one")
    return next(iter(kinds))
