"""What a rule is, and the table that the rules enter themselves into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutline.results.notes import KINDS, Kind, Note


@dataclass(frozen=True)
class Rule:
    """When a note is given, in words and as a function that gives its text, or nothing where the rule is silent."""

    id: str
    kind: Kind
    when: str
    source: str
    find: Callable[[Any], str | None]

    def note(self, context: Any) -> Note | None:
        """The note, if there is one to give."""
        text = self.find(context)
        return Note(self.id, text, self.source, self.kind) if text else None


def in_order(notes: list[Note]) -> tuple[Note, ...]:
    """Warnings first, then advice, then facts."""
    return tuple(sorted(notes, key=lambda note: KINDS.index(note.kind)))


__all__ = ["KINDS", "Kind", "Note", "Rule", "in_order"]
