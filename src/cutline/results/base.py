"""Base classes of results: parts by name, an object with a summary, one that is saved as a report, rows as a table."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from cutline import __version__
from cutline.core.errors import ParameterError, make_unknown_name_error, shorten_repr
from cutline.core.escaping import html_text
from cutline.core.public import public
from cutline.core.table import ComparedByFields, ShownAsTable, Table
from cutline.results.notes import Note
from cutline.results.resample_budget import RULE

if TYPE_CHECKING:
    import os
    from pathlib import Path


def describe_conventions(level: float, resamples: int, seed: int, groups: int, *, higher: bool) -> dict[str, str]:
    """Describe the conventions behind the numbers of a document: thresholds, ties, intervals, resamples, weights."""
    rule = "at or above" if higher else "at or below"
    return {
        "Threshold": f"A case is predicted positive (flagged) when its score is {rule} the threshold.",
        "Ties": (
            "Equal scores have no order: the ROC curve crosses a tie diagonally, and a quota that ends inside a tie "
            "gets its expectation."
        ),
        "Undefined": "0/0 is undefined, with the reason; x/0 is infinite.",
        "Logarithms": "Natural, in nats.",
        "Intervals": _describe_intervals(f"{100 * level:g} %", resamples, seed, groups),
        "Resampling": RULE,
        "Baseline": "The value of a score without information that flags as many cases.",
        "Weights": "A whole number counts as that many equal rows; other weights by Kish's effective sample size.",
    }


def _describe_intervals(level: str, resamples: int, seed: int, groups: int) -> str:
    """Describe the methods of the intervals."""
    resampling = f"({resamples} resamples, seed {seed})"
    none = "none where there is no closed form, because nothing was resampled"
    if groups:
        return f"{level}: " + (f"whole groups of cases are resampled {resampling}." if resamples else f"{none}.")
    others = f"where there is no closed form, the bootstrap {resampling}" if resamples else none
    return (
        f"{level}: Wilson for proportions, the log scale for ratios, DeLong for the AUC and what is linear in it; "
        f"{others}. A threshold is taken as given; at a quota or a share, the threshold varies with the resample."
    )


@cache
def list_versions() -> dict[str, str]:
    """Return the versions of the packages that made the numbers, and of Python."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and only documents need it

    installed = {"cutline": __version__, "numpy": version("numpy"), "scipy": version("scipy")}
    for name in ("altair", "vl-convert-python"):  # which the core does without
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed | {"python": platform.python_version()}


def format_paragraphs(sentences: Iterable[str]) -> str:
    """Format sentences as paragraphs of HTML."""
    return "".join(f"<p>{html_text(sentence)}</p>" for sentence in sentences)


class Tabulated(ShownAsTable):
    """A summary whose rows are a table: it iterates over them as dictionaries, and converts."""

    notes: tuple[Note, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the rows."""
        return self.table.columns

    @property
    def row_notes(self) -> tuple[Note, ...]:
        """Return the notes on single rows, each once; empty if the rows show them."""
        return ()

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions of the packages that made the numbers."""
        return list_versions()

    def format_notes(self) -> list[str]:
        """Format the notes as lines of text: on the data, then on single rows."""
        return [f"Note: {note}" for note in (*self.notes, *self.row_notes)]

    def format_notes_as_html(self) -> str:
        """Format the notes as HTML for a notebook."""
        items = "".join(f"<li>{html_text(note.text)}</li>" for note in (*self.notes, *self.row_notes))
        return f"<ul>{items}</ul>" if items else ""

    @property
    def _opening(self) -> tuple[str, ...]:
        """Return the sentences that are printed above the rows."""
        return ()

    def format_table(self) -> Table:
        """Return the table as it is printed."""
        return self.table

    def __repr__(self) -> str:
        opening = [*self._opening, ""] if self._opening else []
        return "\n".join([*opening, repr(self.format_table()), *self.format_notes()])

    def _repr_html_(self) -> str:
        opening, table = format_paragraphs(self._opening), self.format_table()._repr_html_()
        return f"<div>{opening}{table}{self.format_notes_as_html()}</div>"

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, ready for JSON: numbers that are not finite become None."""
        return self.table.to_dict()

    def to_csv(self) -> str:
        """Return the rows as CSV; undefined values are empty."""
        return self.table.to_csv()


Key = TypeVar("Key")
Part = TypeVar("Part")


class NamedParts(Mapping[Key, Part]):
    """A mapping of names to parts, such as the models of a comparison, that refuses unknown names with a hint."""

    @property
    def _kind(self) -> str:
        """Return the name of a part in error messages."""
        return "model"

    @property
    @abstractmethod
    def _parts(self) -> Mapping[Key, Part]:
        """Return the mapping of names to parts."""

    def __getitem__(self, name: Key) -> Part:
        try:
            return self._parts[name]
        except (KeyError, TypeError):  # the name may not be hashable
            raise make_unknown_name_error(self._kind, name, self._parts) from None

    def __iter__(self) -> Iterator[Key]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


@public
class Summarized(ComparedByFields, ABC):
    """Base class of results with a summary, which is printed, shown in notebooks, and converted to a data frame."""

    more: ClassVar[str] = ""  # methods that the last line of the printed form names

    @abstractmethod
    def summary(self, *arguments: Any, **options: Any) -> Any:
        """Return the numbers that every view shows."""

    def to_frame(self, backend: str = "pandas", **options: Any) -> Any:
        """Return the summary as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
            options: What `summary()` takes, such as `level` or `measures`.
        """
        return self.summary(**options).to_frame(backend)

    def __repr__(self) -> str:
        return f"{self.summary()!r}\nmore: {self.more}" if self.more else repr(self.summary())

    def _repr_html_(self) -> str:
        html: str = self.summary()._repr_html_()
        return html


@public
class Reported(Summarized):
    """Base class of evaluations and comparisons, whose summary is a document that is saved as a report."""

    # The default options of summary() for the document of all numbers.
    whole: ClassVar[Mapping[str, Any]] = {}

    def to_dict(self, summary: object = None, **options: Any) -> dict[str, Any]:
        """Return the summary, ready for JSON (docs/schema.json); non-finite numbers are None, with a reason.

        Args:
            summary: A finished one; made with `options` when None.
            options: What `summary()` takes, such as `level` or `measures`.
        """
        return dict(self._ensure_summary(summary, options).document())

    def _ensure_summary(self, summary: object, options: Mapping[str, Any]) -> Any:
        """Return the given summary, or make one."""
        if summary is None:
            return self.summary(**{**self.whole, **options})
        if not hasattr(summary, "document"):
            raise ParameterError(f"is {shorten_repr(summary)}", "pass what summary() gives", argument="summary")
        return summary

    def save(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, summary: object = None, **options: Any
    ) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the ROC curve (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced; refused otherwise.
            summary: A finished one, whose numbers and options are written; made with `options` when None.
            options: What `summary()` takes, such as `level`, `quota` or `seed`.
        """
        # The report stands above what is evaluated; it is loaded by name, and only when something is saved.
        target: Path = import_module("cutline.report").save(self, path, overwrite=overwrite, summary=summary, **options)
        return target
