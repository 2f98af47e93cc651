"""Memory: sizes such as "2GB", and the limit that a shell or a batch system sets for a process (`ulimit -v`).

Libraries in C handle such a limit badly: OpenBLAS retries for minutes, DuckDB and the chart renderer end the process.
So it is checked beforehand. This module imports nothing heavier than the errors.
"""

from __future__ import annotations

import errno
import os
import re
from typing import Any

from cutline.core.errors import CutlineError, ParameterError, shorten_repr

NEEDED = 600 * 10**6  # bytes of address space for Python, numpy and scipy with one thread; 350 MB were too few
# Packages that need more, by their names: with 1.1 GB DuckDB and pyarrow end the process or fail, with 1.5 they read.
_NEEDED_BY = {"duckdb": 1_600 * 10**6, "pyarrow": 1_200 * 10**6}
_TITLES = {"duckdb": "DuckDB, which reads this file,"}
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # each thread reserves memory of its own
_USED_UP = ("can't start new thread", "cannot allocate memory", "out of memory", "resource temporarily unavailable")


_SHARE = 0.25  # of the machine's memory, the default limit
_MOST = 2**62  # bytes that DuckDB can count
_LEAST = 200 * 10**6
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def parse_memory_size(memory: Any = None) -> int:
    """Return a limit such as "2GB" in bytes; a quarter of the machine's memory when None.

    >>> parse_memory_size("2GB"), parse_memory_size("512 MiB")
    (2000000000, 536870912)
    """
    if memory is None:
        return max(int(find_machine_memory() * _SHARE), 10**9)
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]I?)?B?\s*", str(memory).upper())
    if match is None:
        raise ParameterError(f"is {shorten_repr(memory)}", 'pass a size such as "2GB"', argument="memory")
    size = int(min(float(match[1]) * _UNITS[match[2] or ""], _MOST))
    if size < _LEAST:
        raise ParameterError(f"is {shorten_repr(memory)}", f"pass at least {_LEAST // 10**6}MB", argument="memory")
    return size


def find_machine_memory() -> int:
    """Return the memory of the machine, in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        return 8 * 10**9


class AddressSpaceError(CutlineError):
    """A process may use less memory than a step needs."""


def find_limit() -> int | None:
    """Return the limit of the address space of this process in bytes; None without a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)


def prepare_command() -> None:
    """Raise if a command has too little memory to start; under a limit, have numerical libraries use one thread.

    To be called before numpy is imported.
    """
    limit = find_limit()
    if limit is None:
        return
    if limit < NEEDED:
        raise make_address_space_error("cutline", limit, NEEDED)
    for name in _THREADS:
        os.environ.setdefault(name, "1")


def check_package(name: str) -> None:
    """Raise if a package would end the process under its limit rather than fail."""
    limit, needed = find_limit(), _NEEDED_BY.get(name, 0)
    if limit is not None and limit < needed:
        raise make_address_space_error(_TITLES.get(name, name), limit, needed)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, of any library, says that memory or the limit of this process is used up."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    text = str(error).lower()
    if isinstance(error, ImportError) and "failed to map segment" in text:
        return True
    return find_limit() is not None and any(words in text for words in _USED_UP)


def make_address_space_error(who: str, limit: int, needed: int) -> AddressSpaceError:
    """Return the refusal of a step that needs more than the limit."""
    problem = (
        f"This process may use {_format_size(limit)} of address space, and {who} needs about {_format_size(needed)}"
    )
    return AddressSpaceError(problem, "raise or lift the limit that the shell or the batch system sets (ulimit -v)")


def _format_size(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"
