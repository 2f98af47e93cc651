"""The limit that a shell or a batch system sets on the memory of a process (`ulimit -v`), and what needs more.

Libraries in C meet such a limit badly: OpenBLAS tries again for minutes, DuckDB and the program that draws end the
process. So that is asked beforehand. Loading this module loads nothing heavier than the errors.
"""

from __future__ import annotations

import errno
import os

from cutline.core.errors import CutlineError

NEEDED = 600 * 10**6  # bytes of address space for Python, numpy and scipy with one thread; 350 MB were too few
# Packages that need more, by their names: with 1.1 GB DuckDB and pyarrow end the process or fail, with 1.5 they read.
_NEEDED_BY = {"duckdb": 1_600 * 10**6, "pyarrow": 1_200 * 10**6}
_TITLES = {"duckdb": "DuckDB, which reads this file,"}
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # each thread reserves memory of its own
_USED_UP = ("can't start new thread", "cannot allocate memory", "out of memory", "resource temporarily unavailable")


class AddressSpaceError(CutlineError):
    """A process may use less memory than a step needs."""


def find_limit() -> int | None:
    """Return how many bytes of memory this process may map; None where there is no such limit."""
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
        raise refusal("cutline", limit, NEEDED)
    for name in _THREADS:
        os.environ.setdefault(name, "1")


def check_package(name: str) -> None:
    """Raise if a package would end the process under its limit rather than fail."""
    limit, needed = find_limit(), _NEEDED_BY.get(name, 0)
    if limit is not None and limit < needed:
        raise refusal(_TITLES.get(name, name), limit, needed)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, of any library, says that memory or the limit of this process is used up."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    text = str(error).lower()
    if isinstance(error, ImportError) and "failed to map segment" in text:
        return True
    return find_limit() is not None and any(words in text for words in _USED_UP)


def refusal(who: str, limit: int, needed: int) -> AddressSpaceError:
    """Return the refusal of a step that needs more than the limit."""
    problem = (
        f"This process may use {_format_size(limit)} of address space, and {who} needs about {_format_size(needed)}"
    )
    return AddressSpaceError(problem, "raise or lift the limit that the shell or the batch system sets (ulimit -v)")


def _format_size(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"
