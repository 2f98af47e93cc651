"""One side of a choice on which tools differ, as data with the function that takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from cutline.ledger.quantity import PrintedQuantity

Applies = Callable[[PrintedQuantity], bool]


class Stage(Enum):
    """Where a side acts. Sides of different stages combine; of one formula there is only one at a time."""

    CASES = "the cases"  # act(material) -> material
    FORMULA = "the formula"  # act(material, quantity) -> number
    RESULT = "the number that is printed"  # act(number, material) -> number


@dataclass(frozen=True)
class Convention:
    """A side of a choice.

    Attributes:
        name: Its name in the ledger.
        choice: What tools differ on, such as "ties"; two sides of one choice do not combine.
        stage: Where it acts.
        words: What follows "is what you get", such as "with ties in the order of the rows".
        explanation: A sentence that says why it makes a difference.
        act: The function, by stage.
        applies: Whether it can change a quantity.
        plausible: How often it is behind a difference, from 0 to 1, as far as trackers of tools tell.
        source: Where the convention is described.
        searched: Whether `why` tries it; some are another side under a condition that only a tool knows.
        spread: How far another seed may move the number, for what is drawn at random; None for all else.
    """

    name: str
    choice: str
    stage: Stage
    words: str
    explanation: str
    act: Callable[..., Any]
    applies: Applies
    plausible: float = 0.3
    source: str = ""
    searched: bool = True
    spread: Callable[[Any, PrintedQuantity], float] | None = None

    @property
    def is_random(self) -> bool:
        """Whether the number depends on a seed, so that it can be met but not reproduced."""
        return self.spread is not None

    def __repr__(self) -> str:
        return f"<side {self.name}: {self.words}>"
