"""Files that zstd compressed, which DuckDB unpacks: their first lines, and whether they are whole.

DuckDB reads a file that was cut off as far as it goes and says nothing, so that some of the cases would be taken for
all. The frames and blocks of a zstd file say how long they are (RFC 8878), which is enough to see whether its end is
there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO

from cutline.core.extras import require

MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = range(0x184D2A50, 0x184D2A60)  # frames that hold something else than data
_DICTIONARY = (0, 1, 2, 4)  # bytes of its name, by the last two bits of the descriptor
_REPEATED, _RESERVED = 1, 3  # kinds of blocks


def is_skipped(start: bytes) -> bool:
    """Whether a file begins with a frame that holds something else than data, as those of some tools do."""
    return int.from_bytes(start[:4], "little") in _SKIPPED


def is_whole(path: Path) -> bool:
    """Whether every frame of a file is there to its end."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        while stream.tell() < size:
            if not _skip_frame(stream):
                return False
        return stream.tell() == size


def _skip_frame(stream: IO[bytes]) -> bool:
    """Go to the end of a frame, and return whether its parts are sound."""
    mark = stream.read(4)
    if int.from_bytes(mark, "little") in _SKIPPED:
        stream.seek(int.from_bytes(stream.read(4), "little"), os.SEEK_CUR)
        return True
    descriptor = stream.read(1)
    if mark != MAGIC or not descriptor:
        return False
    flags = descriptor[0]
    is_single = bool(flags & 0x20)
    length = (int(is_single), 2, 4, 8)[flags >> 6]
    stream.seek((not is_single) + _DICTIONARY[flags & 3] + length, os.SEEK_CUR)
    while True:
        header = stream.read(3)
        block = int.from_bytes(header, "little")
        kind = block >> 1 & 3
        if len(header) < 3 or kind == _RESERVED:
            return False
        stream.seek(1 if kind == _REPEATED else block >> 3, os.SEEK_CUR)
        if block & 1:  # the last one
            break
    stream.seek(4 if flags & 4 else 0, os.SEEK_CUR)  # the checksum, which DuckDB compares
    return True


# The lines of a file, one by one, whatever is in them.
_LINES = (
    "read_csv(?, columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = '', header = false, "
    "auto_detect = false, compression = 'zstd')"
)
_BAD_LINE = re.compile(r"CSV Error on Line: (\d+)")


def find_line_not_utf8(path: Path) -> int | None:
    """Return the first line that is not UTF-8 text, in whichever column; None where all are, as far as DuckDB reads."""
    require("duckdb", "files")
    import duckdb

    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"SELECT count(line) FROM {_LINES}", [str(path)]).fetchall()  # noqa: S608
    except duckdb.Error as error:
        line = _BAD_LINE.search(str(error)) if "unicode" in str(error).lower() else None
        return None if line is None else int(line[1])
    return None


def first_lines(path: Path) -> bytes | None:
    """Return the first lines of a file whose name is plain; None where DuckDB cannot unpack them."""
    require("duckdb", "files")
    import duckdb

    try:
        with duckdb.connect(":memory:") as connection:
            rows = connection.execute(f"SELECT line FROM {_LINES} LIMIT 20", [str(path)]).fetchall()  # noqa: S608
    except duckdb.Error:
        return None
    return "".join(f"{line or ''}\n" for (line,) in rows).encode()
