"""A tool that prints measures: what is known about it, and which sides it takes for each measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

How = Literal["run", "documented"]
Weights = Literal["used", "ignored", "none"]


@dataclass(frozen=True)
class Entry:
    """What a tool prints for a measure.

    Attributes:
        measure: The quantity of the ledger.
        function: The function or the line of the tool's output.
        sides: The sides that it takes, by their names; none where it agrees with cutline.
        weights: Whether it takes weights; with "ignored" it has none, or drops them.
        single: Whether it computes with 32-bit numbers, so that about seven digits agree.
        note: What else should be known.
        within: How far its number may be from this one, relative to it, where it rounds on the way.
        exact_up_to: How many distinct scores it may be given; with more, its number is only close to this one.
    """

    measure: str
    function: str
    sides: tuple[str, ...] = ()
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
    entries: tuple[Entry, ...]
    aliases: tuple[str, ...] = ()

    @property
    def known(self) -> str:
        """The name and the version, and that it was not run where its documentation is all that is known of it."""
        return f"{self.name} {self.version}" + ("" if self.how == "run" else ", not run: by its documentation")

    def entry(self, measure: str) -> Entry | None:
        """What it prints first for a measure; None when it has none."""
        return next((entry for entry in self.entries if entry.measure == measure), None)
