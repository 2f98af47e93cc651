"""For the reference: examples in docstrings are code; without this, Markdown takes `>>>` for quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object


def fenced(text: str) -> str:
    r"""A docstring in which each example stands in a fence of its own.

    >>> print(fenced("A sum.\n\n>>> 1 + 1\n2\n\nMore."))
    A sum.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    More.
    """
    parts = re.split(r"\n\s*\n", text)
    return "\n\n".join(_fence(part) if part.lstrip().startswith(">>>") else part for part in parts)


def _fence(part: str) -> str:
    indent = part[: len(part) - len(part.lstrip())].rpartition("\n")[2]
    return f"{indent}```python\n{part.rstrip()}\n{indent}```"


class Doctests(Extension):
    """Puts the examples of every docstring into fences."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """An object was read from its source."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
