"""Former names of public attributes: they still work, and warn."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["former_name"]


def former_name(former: str, present: str) -> property:
    """Return a property that reads the attribute `present` under its former name, with a DeprecationWarning."""

    def read(self: Any) -> Any:
        warnings.warn(f".{former} is now called .{present}", DeprecationWarning, stacklevel=2)
        return getattr(self, present)

    return property(read, doc=f"The former name of `{present}`.")
