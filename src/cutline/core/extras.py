"""Optional dependencies: each belongs to an extra, and a missing one is refused in one sentence."""

from __future__ import annotations

import importlib
from types import ModuleType

from cutline.core.errors import CutlineError

__all__ = ["MissingExtraError", "require"]


class MissingExtraError(CutlineError, ImportError):
    """An optional package is not installed."""


def require(module: str, extra: str) -> ModuleType:
    """Return an optional module, or raise an error that says how to install it.

    Args:
        module: The name to import, such as "duckdb".
        extra: The extra of cutline that installs it, such as "files".

    >>> require("json", "files").dumps(1)
    '1'
    >>> require("no_such_package", "files")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    cutline.core.extras.MissingExtraError: This needs no_such_package, which is not installed: ...
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there but lacks a part of its own is broken, not missing.
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        name = _PACKAGES.get(module, module)
        way_out = f'pip install "cutline[{extra}]"'
        raise MissingExtraError(f"This needs {name}, which is not installed", way_out) from None


# Packages that are installed under another name than they are imported by.
_PACKAGES = {"sklearn": "scikit-learn", "vl_convert": "vl-convert-python", "python_calamine": "python-calamine"}
