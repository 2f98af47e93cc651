"""A convention: one way to compute a number where tools differ, as data with its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from cutline.ledger.cases import Material
from cutline.ledger.quantity import PrintedQuantity

Applies = Callable[[PrintedQuantity], bool]
Formula = Callable[[Material, PrintedQuantity], float]


class Stage(Enum):
    """The stage at which a convention acts. Conventions of different stages combine, with one formula at most."""

    CASES = "the cases"  # act(material) -> material
    FORMULA = "the formula"  # act(material, quantity) -> number
    RESULT = "the number that is printed"  # act(number, material) -> number


@dataclass(frozen=True)
class Convention:
    """One of several ways to do something on which tools differ.

    Attributes:
        name: Its name in the ledger.
        choice: What tools differ on, such as "ties"; two conventions of one choice do not combine.
        stage: Where it acts.
        words: What follows "is what you get", such as "with ties in the order of the rows".
        explanation: A sentence that says why it makes a difference.
        act: The function, by stage.
        applies: Whether it can change a quantity.
        plausible: How often it is behind a difference, from 0 to 1, as far as trackers of tools tell.
        source: Where the convention is described.
        searched: Whether `why` tries it; some are another convention under a condition that only a tool knows.
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
        """Whether the number depends on a seed, so that it can be bounded but not reproduced."""
        return self.spread is not None

    def __repr__(self) -> str:
        return f"<convention {self.name}: {self.words}>"


def is_one_of(*names: str) -> Applies:
    """Return the condition that a quantity is the value of one of some measures."""
    return lambda q: q.of in names and not q.is_inferred


def formula(
    name: str, of: Applies | str | tuple[str, ...], act: Formula, words: str, why: str, *more: Any
) -> Convention:
    """Return a convention of the formula; `of` names its measures, `more` is its plausibility and its source."""
    applies = is_one_of(of) if isinstance(of, str) else is_one_of(*of) if isinstance(of, tuple) else of
    plausible, source = (*more, "")[:2]
    return Convention(name, "formula", Stage.FORMULA, words, why, act, applies, plausible, source)


def other(measure: str, **parameters: Any) -> Formula:
    """Return the value of another measure of the registry, or of one with other parameters."""
    return lambda material, q: q.value(material, measure, **parameters)


def with_parameters(**parameters: Any) -> Formula:
    """Return the same measure with other parameters."""
    return lambda material, q: q.value(material, **parameters)
