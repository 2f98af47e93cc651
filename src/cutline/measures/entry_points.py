"""Measures that others define: modules that are named, and packages that announce theirs when they are installed."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "cutline.measures"


def load_module(name: str) -> None:
    """Import a module that defines measures with `cutline.measure`.

    Args:
        name: what `import` takes, such as `our_measures` or `package.measures`, or the path of a Python file.
    """
    try:
        if name.endswith(".py"):
            _load_file(Path(name))
        else:
            import_module(name)
    except Exception as error:  # whatever a module of somebody else's may raise
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise ParameterError(
                f"There is no module {name!r}", "pass the name of one that Python can import, or the path of a .py file"
            ) from error
        raise ParameterError(
            f"The plug-in {name} cannot be loaded ({_describe_error(error)})", "correct it, or leave it out"
        ) from error


def _load_file(path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or path.stem in sys.modules:
        raise ImportError(f"its name {path.stem!r} is the name of a module that is already loaded: rename the file")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)


def load_installed() -> None:
    """Load what installed packages announce in the entry point group `cutline.measures`.

    One that is broken is left out, with a warning that names it: the measures of all others can still be used.
    """
    if not any(map(_may_announce, sys.path)):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            warnings.warn(
                f"{_name_owner(point)} cannot be loaded, and its measures are missing ({_describe_error(error)}).",
                stacklevel=2,
            )


def _may_announce(folder: str) -> bool:
    """Whether packages in a folder announce measures: importlib.metadata, which can tell more, takes long to load."""
    try:
        packages = [entry.path for entry in os.scandir(folder or ".") if entry.name.endswith("-info")]
    except FileNotFoundError:
        return False
    except OSError:  # an archive may
        return True
    return any(GROUP.encode() in _read(Path(package, "entry_points.txt")) for package in packages)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # most packages announce nothing
        return b""


def _name_owner(point: EntryPoint) -> str:
    package = f" of the package {point.dist.name}" if point.dist else ""
    return f"The plug-in {point.name}{package}"


def _describe_error(error: Exception) -> str:
    """Return an error in a parenthesis: its kind and its words, on one line, without its full stop."""
    words = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
