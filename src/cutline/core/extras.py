"""Optional dependencies: each belongs to an extra, and a missing one is refused in one sentence."""

from __future__ import annotations

import importlib
from types import ModuleType

from cutline.core.errors import CutlineError
from cutline.core.memory import check_package

__all__ = ["EXTRAS", "MissingExtraError", "explain_missing", "require"]

# The extra that installs each optional package, by the name under which it is imported.
EXTRAS = {
    "altair": "report",
    "duckdb": "files",
    "joblib": "sklearn",
    "mcp": "mcp",
    "mlflow": "mlflow",
    "pyspark": "spark",
    "python_calamine": "excel",
    "sklearn": "sklearn",
    "starlette": "app",
    "uvicorn": "app",
    "vl_convert": "report",
}
# Packages that are installed under another name than they are imported by.
_DISTRIBUTIONS = {"python_calamine": "python-calamine", "sklearn": "scikit-learn", "vl_convert": "vl-convert-python"}


class MissingExtraError(CutlineError, ImportError):
    """An optional package is not installed."""


def require(module: str, extra: str = "") -> ModuleType:
    """Import an optional module; raise with how to install it if it is missing, or if memory is too small for it.

    Args:
        module: The name to import, such as "duckdb".
        extra: The extra of cutline that installs it; that of the table `EXTRAS` when empty.

    >>> require("json").dumps(1)
    '1'
    >>> require("no_such_package", "files")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    cutline.core.extras.MissingExtraError: This needs no_such_package, which is not installed: ...
    """
    check_package(module)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there but lacks a part of its own is broken, not missing.
        name = (error.name or "").partition(".")[0]
        if name != module.partition(".")[0]:
            raise
        raise _make_missing_error(name, extra or EXTRAS[name]) from None


def explain_missing(error: ModuleNotFoundError) -> MissingExtraError | None:
    """Return the refusal that names the extra of a missing package, or None if it is not an optional one."""
    name = (error.name or "").partition(".")[0]
    return _make_missing_error(name, EXTRAS[name]) if name in EXTRAS else None


def _make_missing_error(name: str, extra: str) -> MissingExtraError:
    distribution = _DISTRIBUTIONS.get(name, name)
    return MissingExtraError(f"This needs {distribution}, which is not installed", f'pip install "cutline[{extra}]"')
