"""What all summaries have in common: their rows are a table, which converts."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from cutline.core.table import Table
from cutline.results.conventions import versions
from cutline.results.notes import Note


class Tabulated(ABC):
    """A summary whose rows are a table: it iterates over them as dictionaries, and converts."""

    notes: tuple[Note, ...]

    @property
    @abstractmethod
    def table(self) -> Table:
        """The rows as a table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return self.table.columns

    @property
    def row_notes(self) -> tuple[Note, ...]:
        """What qualifies single rows, each thing once; empty where the rows themselves say it."""
        return ()

    @property
    def versions(self) -> dict[str, str]:
        """What the numbers were made with."""
        return versions()

    def notes_as_text(self) -> list[str]:
        """What the reader should know, a line for each note: on the data, then on single rows."""
        return [f"Note: {note}" for note in (*self.notes, *self.row_notes)]

    def notes_as_html(self) -> str:
        """The same for a notebook."""
        items = "".join(f"<li>{html.escape(note.text)}</li>" for note in (*self.notes, *self.row_notes))
        return f"<ul>{items}</ul>" if items else ""

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table)

    def to_dict(self) -> list[dict[str, Any]]:
        """One dictionary a row, ready for JSON: what is not a finite number is None."""
        return self.table.to_dict()

    def to_frame(self, backend: str = "pandas") -> Any:
        """The rows as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
        """
        return self.table.to_frame(backend)

    def to_csv(self) -> str:
        """The rows as CSV; what is undefined is empty."""
        return self.table.to_csv()
