"""Writing files: whole or not at all, and never over another without being told to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cutline.core.errors import Argument, ParameterError, Text


def write(path: str | os.PathLike[str], content: bytes, *, overwrite: bool) -> Path:
    """Write a file, whole or not at all."""
    with filling(path, overwrite=overwrite) as unfinished:
        unfinished.write_bytes(content)
    return Path(path)


@contextmanager
def filling(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """A file to fill under a name of its own, which gets the right one at the end: nobody ever sees half of it."""
    target = Path(path)
    check(target, overwrite=overwrite)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".cutline-")
    except OSError as error:
        raise _closed(target, error.strerror or "no file can be made there") from None
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(0o644)
        if overwrite:
            Path(name).replace(target)
        else:
            _claim(Path(name), target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check(target: Path, *, overwrite: bool) -> None:
    """Refuse a path that cannot be written, before the work for its content is done."""
    if not target.parent.is_dir():
        raise ParameterError(f"There is no folder {str(target.parent)!r}", "make it, or pass another path")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _closed(target, "Permission denied")
    if target.is_dir():
        raise ParameterError(f"{str(target)!r} is a folder", "pass the path of a file")
    if target.exists() and not overwrite:
        raise _taken(target)


def _claim(source: Path, target: Path) -> None:
    """Give a file its name unless the name is taken, also by somebody who was quicker."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # a file system without links
        source.replace(target)
    else:
        source.unlink()


def _taken(target: Path) -> ParameterError:
    way_out = Text("pass ", Argument("overwrite", True), ", or another path")
    return ParameterError(f"{str(target)!r} exists already", way_out)


def _closed(target: Path, why: str) -> ParameterError:
    return ParameterError(f"Nothing can be written in the folder {str(target.parent)!r} ({why})", "pass another path")
