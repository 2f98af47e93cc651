"""What qualifies a single result: a warning, if something is likely wrong, or a detail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

Direction = Literal["below", "above", ""]


class Caveat(str):
    """A sentence about a result, with an id and the direction in which the coverage errs.

    It is text for whoever prints or stores it. `direction` says whether the actual coverage is probably below or above
    the nominal level; only "below" is a warning, all else is a detail.

    >>> caveat = Caveat("few-groups", "Only 4 groups hold a positive case.", "below")
    >>> print(caveat, caveat.is_warning, caveat.id)
    Only 4 groups hold a positive case. True few-groups
    """

    id: str
    direction: Direction

    def __new__(cls, id: str, text: str, direction: Direction = "") -> Self:
        """Make a sentence that knows what it says."""
        made = super().__new__(cls, text)
        made.id, made.direction = id, direction
        return made

    def __getnewargs__(self) -> tuple[str, str, Direction]:
        return self.id, str(self), self.direction

    @property
    def is_warning(self) -> bool:
        """Whether something is likely wrong."""
        return self.direction == "below"

    def about(self, *parts: object) -> Caveat:
        """Return the sentence with its gaps filled in."""
        return Caveat(self.id, str(self).format(*parts), self.direction)


def find_warning(notes: Iterable[str]) -> Caveat | None:
    """Return the warning among some notes, if there is one."""
    return next((note for note in notes if isinstance(note, Caveat) and note.is_warning), None)


def keep_one_warning(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes with the first warning before the details, each once, and no other warning."""
    listed = list(dict.fromkeys(notes))
    warning = find_warning(listed)
    details = [note for note in listed if not (isinstance(note, Caveat) and note.is_warning)]
    return tuple(details if warning is None else [warning, *details])
