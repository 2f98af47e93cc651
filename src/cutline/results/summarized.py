"""What an evaluation and a comparison have in common: both become a document, and show or write it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from cutline.core.errors import ParameterError, briefly

if TYPE_CHECKING:
    import os
    from pathlib import Path


class Summarized(ABC):
    """Something with a summary, which converts and saves itself."""

    # What the document of all numbers asks of summary(), unless other options are given.
    whole: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    def summary(self, *arguments: Any, **options: Any) -> Any:
        """The document that every view shows."""

    def to_dict(self, summary: Any = None, **options: Any) -> dict[str, Any]:
        """All that is known, ready for JSON (docs/schema.json); what is not a finite number is None, with its reason.

        Args:
            summary: A finished one; made with `options` when None.
            options: What `summary()` takes, such as `level` or `measures`.
        """
        return dict(self._finished(summary, options).document())

    def _finished(self, summary: Any, options: Mapping[str, Any]) -> Any:
        """The summary that was given, or one that is made now."""
        if summary is None:
            return self.summary(**{**self.whole, **options})
        if not hasattr(summary, "document"):
            raise ParameterError(f"is {briefly(summary)}", "pass what summary() gives", argument="summary")
        return summary

    def to_frame(self, backend: str = "pandas", **options: Any) -> Any:
        """The summary as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
            options: What `summary()` takes, such as `level` or `measures`.
        """
        return self.summary(**options).to_frame(backend)

    def save(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, summary: Any = None, **options: Any
    ) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the ROC curve (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced; refused otherwise.
            summary: A finished one, whose numbers and options are written; made with `options` when None.
            options: What `summary()` takes, such as `level`, `quota` or `seed`.
        """
        # The report stands above what is evaluated; it is loaded by name, and only when something is saved.
        written: Path = import_module("cutline.report").save(
            self, path, overwrite=overwrite, summary=summary, **options
        )
        return written
