"""Arrow and Feather files: read whole and fully validated before a value is used.

A file that was damaged on its way may hold offsets that point outside its buffers. pyarrow follows them unless it is
told to validate, and then reads memory that belongs to something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cutline.core.errors import InputError
from cutline.core.memory import check_package
from cutline.inputs import frames
from cutline.inputs.column_source import Source

_STREAM = b"\xff\xff\xff\xff"
_OLD_FEATHER = b"FEA1"


def read(paths: Sequence[Path], titles: Sequence[str], title: str) -> Source:
    """Return the source of Arrow files, Arrow streams or Feather files."""
    tables = [read_table(path, own) for path, own in zip(paths, titles, strict=True)]
    if len(tables) == 1:
        return frames.open_frame(tables[0], title)
    from pyarrow import ArrowException, concat_tables

    try:
        return frames.open_frame(concat_tables(tables, promote_options="permissive"), title)
    except (ArrowException, ValueError):
        raise InputError(f"The files of {title} have columns of different types", "pass files of one kind") from None


def read_table(path: Path, title: str) -> Any:
    """Read an Arrow file as a table of pyarrow."""
    check_package("pyarrow")
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise InputError(f"{title} is an Arrow file, which needs pyarrow", "install pyarrow, or pass Parquet") from None
    try:
        table = _parse_table(path)
        table.validate(full=True)
    except (ArrowException, OSError, ValueError, OverflowError):
        raise InputError(f"{title} cannot be read as Arrow: it is damaged, or in another format.") from None
    except MemoryError:  # as for a damaged length, which pyarrow 16 believes
        raise InputError(f"{title} cannot be read as Arrow: it is damaged, or does not fit into memory.") from None
    return table


def _parse_table(path: Path) -> Any:
    """Read the table on this thread alone: a damaged file must not leave other threads waiting."""
    from pyarrow import feather, ipc

    options = ipc.IpcReadOptions(use_threads=False)
    with path.open("rb") as stream:
        start = stream.read(4)
        stream.seek(0)
        if start == _OLD_FEATHER:
            return feather.read_table(stream, use_threads=False)
        open_reader = ipc.open_stream if start == _STREAM else ipc.open_file
        with open_reader(stream, options=options) as reader:
            return reader.read_all()
