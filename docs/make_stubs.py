"""Write the names of all measures where type checkers read them: `make docs`. A test compares them."""

import sys
from pathlib import Path

from cutline import MEASURES
from cutline.measures import Needs

PACKAGE = Path(__file__).parents[1] / "src" / "cutline"
STUB, ATTRIBUTES = PACKAGE / "__init__.pyi", PACKAGE / "core" / "measure_attributes.py"
MARK = "# Every measure, by its name or alias; written by docs/make_stubs.py.\n"
HEAD = '''"""The measures as attributes, for type checkers and editors; written by docs/make_stubs.py.

Nothing is assigned here: `__getattr__` of the classes that inherit these computes the value.
"""

from __future__ import annotations

from typing import Any
'''


def names(needs: Needs | None = None) -> list[str]:
    """Return the names and aliases of cutline's own measures, sorted."""
    return sorted(name for m in MEASURES if not m.own and needs in (None, m.needs) for name in m.names)


def stub() -> str:
    """Return the stub of the package with the names of today's measures."""
    listed = STUB.read_text(encoding="utf-8").partition(MARK)[0]
    # One statement for all: the stub is parsed whenever cutline is imported, and 235 statements would take 5 ms.
    return (
        listed
        + MARK
        + "_measures: tuple[Measure, ...]\n(\n"
        + "".join(f"    {n},\n" for n in names())
        + ") = _measures\n"
    )


def attributes() -> str:
    """Return the module that declares the measures as attributes."""
    blocks = [
        ("EveryMeasure", "Every measure of an evaluation, as a float.", "float", names()),
        ("EveryCountMeasure", "Every measure of one cut; arrays where the counts are.", "Any", names(Needs.COUNTS)),
    ]
    text = HEAD
    for name, docstring, kind, listed in blocks:
        text += f'\n\nclass {name}:\n    """{docstring}"""\n\n' + "".join(f"    {one}: {kind}\n" for one in listed)
    return text


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    ATTRIBUTES.write_text(attributes(), encoding="utf-8")
    sys.stdout.write(f"{len(names())} names of measures.\n")
