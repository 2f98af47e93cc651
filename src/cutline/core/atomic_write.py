"""Atomic writing of files, which never replaces a file unless `overwrite` is True."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from cutline.core.errors import Argument, ParameterError, Text


def write(path: str | os.PathLike[str], content: bytes, *, overwrite: bool) -> Path:
    """Write a file, whole or not at all."""
    with write_atomically(path, overwrite=overwrite, content=content):
        return Path(path)


@contextmanager
def write_atomically(path: str | os.PathLike[str], *, overwrite: bool, content: bytes | None = None) -> Iterator[Path]:
    """Write to a temporary file and rename it on success (atomic).

    With `content` the file has no name until it is complete, where the system supports that: a process that dies
    leaves nothing unfinished behind.

    A file that is replaced keeps its mode and owner, and a link stays a link to its target. A new file gets the mode
    that the umask leaves.
    """
    from cutline.core.validation import check_flag, check_path  # which loads numpy: not for the help of a command

    path, overwrite = check_path(path, "path", "out.json"), check_flag(overwrite, "overwrite")
    check(path, overwrite=overwrite)
    target = path.resolve() if path.is_symlink() else path
    old = target.stat() if overwrite and target.exists() else None
    mode = 0o666 if old is None else 0o600
    unfinished = target.with_name(f".cutline-{os.urandom(8).hex()}")
    try:
        is_complete = content is not None and _fill_unnamed(unfinished, mode, content, old)
        if not is_complete:
            _make_empty(unfinished, mode)
            if content is not None:
                unfinished.write_bytes(content)
        yield unfinished
        if old is not None and not is_complete:
            _copy_mode(unfinished, old)
        if overwrite:
            unfinished.replace(target)
        else:
            _claim(unfinished, target)
    except BaseException as error:  # an interruption too, which may come between any two steps
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            raise ParameterError(f"{str(path)!r} cannot be written ({why})", "pass another path") from None
        raise


def _fill_unnamed(name: Path, mode: int, content: bytes, old: os.stat_result | None) -> bool:
    """Write an unnamed file and name it when it is complete; return False if the system has no unnamed files."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        handle = os.open(name.parent, os.O_TMPFILE | os.O_WRONLY, mode)
    except OSError:  # a file system without them, or a folder that is closed, which is told below
        return False
    try:
        with os.fdopen(handle, "wb", closefd=False) as file:
            file.write(content)
        if old is not None:
            _copy_mode(handle, old)
        # Python follows the link to the file only if a folder is named, which an absolute path then ignores.
        os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)
    except (OSError, AttributeError):  # Android has no links
        return False
    finally:
        os.close(handle)
    return True


def _make_empty(name: Path, mode: int) -> None:
    """Make a new empty file, with the mode that the umask leaves."""
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except OSError as error:
        raise _make_closed_error(name, error.strerror or "no file can be made there") from None


def _copy_mode(file: Path | int, old: os.stat_result) -> None:
    """Give a file the mode of another and, where that is allowed, its owner."""
    os.chmod(file, stat.S_IMODE(old.st_mode))  # noqa: PTH101 -- it may be an open file
    with suppress(OSError, AttributeError):  # Windows has no owners of this kind
        if (os.geteuid(), os.getegid()) != (old.st_uid, old.st_gid):
            os.chown(file, old.st_uid, old.st_gid)


def check_target(
    path: str | os.PathLike[str], example: str, suffixes: Iterable[str], *, overwrite: bool
) -> tuple[Path, str]:
    """Return the target path and its suffix in lower case; raise for other suffixes, and files not to be replaced.

    Args:
        path: The argument of somebody who saves a result.
        example: A path that would do.
        suffixes: The suffixes that something is written as.
        overwrite: Whether a file that exists is replaced.
    """
    from cutline.core.validation import check_flag, check_path  # here, because help loads this module and no numbers

    target = check_path(path, "path", example)
    suffix = target.suffix.lower()
    if suffix not in suffixes:
        what = f"the suffix {target.suffix!r}" if suffix else "no suffix"
        raise ParameterError(f"A result cannot be saved with {what}", f"pass a path that ends in {', '.join(suffixes)}")
    check(target, overwrite=check_flag(overwrite, "overwrite"))
    return target, suffix


def save(
    path: str | os.PathLike[str], example: str, contents: Mapping[str, Callable[[], str]], *, overwrite: bool
) -> Path:
    """Write the text that the suffix of a path names, and return the path.

    Args:
        path: The argument of somebody who saves a result.
        example: A path that would do.
        contents: What returns the text, by suffix.
        overwrite: Whether a file that exists is replaced.
    """
    target, suffix = check_target(path, example, tuple(contents), overwrite=overwrite)
    return write(target, contents[suffix]().encode(), overwrite=overwrite)


def check(target: Path, *, overwrite: bool) -> None:
    """Raise if a path cannot be written, before its content is computed."""
    try:
        target.exists()
    except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL byte
        why = getattr(error, "strerror", None) or "it is not a path"
        raise ParameterError(f"{str(target)[:60]!r} cannot be written ({why})", "pass another path") from None
    if not target.parent.is_dir():
        raise ParameterError(f"There is no folder {str(target.parent)!r}", "make it, or pass another path")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _make_closed_error(target, "Permission denied")
    if target.is_dir():
        raise ParameterError(f"{str(target)!r} is a folder", "pass the path of a file")
    if target.exists() and not target.is_file():  # a file in the place of /dev/null would break everything else
        raise ParameterError(f"{str(target)!r} is a device or a pipe, not a file", "pass the path of a file")
    if target.exists() and not overwrite:
        raise _make_taken_error(target)


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Let other processes that hold the folder wait, so that a file can be compared and then replaced.

    A process that dies lets go. Where folders cannot be locked, as on Windows, nobody waits.
    """
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with suppress(OSError):  # of file systems without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _claim(source: Path, target: Path) -> None:
    """Name a file unless the name is taken, also by another process in the meantime."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise _make_taken_error(target) from None
    except (OSError, AttributeError):  # a file system without links, or a system
        source.replace(target)
    else:
        source.unlink()


def _make_taken_error(target: Path) -> ParameterError:
    way_out = Text("pass ", Argument("overwrite", True), ", or another path")
    return ParameterError(f"{str(target)!r} exists already", way_out)


def _make_closed_error(target: Path, why: str) -> ParameterError:
    return ParameterError(f"Nothing can be written in the folder {str(target.parent)!r} ({why})", "pass another path")
