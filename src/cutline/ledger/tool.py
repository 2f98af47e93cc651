"""Tools that print measures: what is known of each (tools.toml), and the conventions it follows for each measure."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

How = Literal["run", "documented"]
Weights = Literal["used", "ignored", "none"]


@dataclass(frozen=True)
class ToolFunction:
    """What a tool prints for a measure.

    Attributes:
        measure: The quantity of the ledger.
        function: The function or the line of the tool's output.
        conventions: The names of the conventions by which it differs from cutline.
        weights: Whether it takes weights; with "ignored" it has none, or drops them.
        single: Whether it computes with 32-bit numbers, so that about seven digits agree.
        note: What else should be known.
        within: How far its number may be from this one, relative to it, where it rounds on the way.
        exact_up_to: How many distinct scores it may be given; with more, its number is only close to this one.
    """

    measure: str
    function: str
    conventions: tuple[str, ...] = ()
    weights: Weights = "used"
    single: bool = False
    note: str = ""
    within: float = 0.0
    exact_up_to: float = math.inf


@dataclass(frozen=True)
class Tool:
    """A tool, the version that was run or whose documentation was read, and what it prints."""

    name: str
    version: str
    how: How
    source: str
    entries: tuple[ToolFunction, ...]
    aliases: tuple[str, ...] = ()

    @property
    def known(self) -> str:
        """The name and the version, and that it was not run where its documentation is all that is known of it."""
        return f"{self.name} {self.version}" + ("" if self.how == "run" else ", not run: by its documentation")

    def entry(self, measure: str) -> ToolFunction | None:
        """Return what it prints first for a measure; None when it has none."""
        return next((entry for entry in self.entries if entry.measure == measure), None)


def load_tools() -> dict[str, Tool]:
    """Return the tools of tools.toml by name."""
    text = files("cutline.ledger").joinpath("tools.toml").read_text(encoding="utf-8")
    return {fields["name"]: _make_tool(**fields) for fields in tomllib.loads(text)["tool"]}


def _make_tool(*, entries: list[dict[str, Any]], aliases: tuple[str, ...] = (), **facts: Any) -> Tool:
    made = (ToolFunction(**{**entry, "conventions": tuple(entry.get("conventions", ()))}) for entry in entries)
    return Tool(entries=tuple(made), aliases=tuple(aliases), **facts)
