"""What takes long to make and is the same for everybody on a machine, made once and kept in the user's cache folder.

`CUTLINE_CACHE` names another folder; set to nothing, it says that nothing is kept. A folder of no use is none.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cutline.core.errors import CutlineError
from cutline.core.writing import write


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """The content of that name: as it was kept, if its checksum is right, or made now and kept.

    Args:
        name: The name of the file, with the version of whatever makes it.
        make: Makes the content.
    """
    folder = _folder()
    if folder is None:
        return make()
    path = folder / name
    with suppress(OSError):
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum == _checksum(content):
            return content
    content = make()
    with suppress(OSError, CutlineError):  # a full disk costs time at the next call, nothing else
        write(path, _checksum(content) + b"\n" + content, overwrite=True)
    return content


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _folder() -> Path | None:
    """The folder, made if it is not there; none if another user could write into it."""
    named = os.environ.get("CUTLINE_CACHE")
    if named == "":
        return None
    try:
        folder = Path(named) if named else _of_the_system() / "cutline"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
    except (OSError, RuntimeError):  # there may be no home
        return None
    if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return folder


def _of_the_system() -> Path:
    """Where programs keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
