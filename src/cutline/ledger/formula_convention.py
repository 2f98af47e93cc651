"""How sides of the formula are written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutline.ledger.cases import Material
from cutline.ledger.convention import Applies, Convention, Stage
from cutline.ledger.quantity import PrintedQuantity
from cutline.ledger.result_conventions import named

Formula = Callable[[Material, PrintedQuantity], float]


def formula(
    name: str, of: Applies | str | tuple[str, ...], act: Formula, words: str, why: str, *more: Any
) -> Convention:
    """Return a side of the formula; `of` names the measures, `more` is how plausible it is and its source."""
    applies = named(of) if isinstance(of, str) else named(*of) if isinstance(of, tuple) else of
    plausible, source = (*more, "")[:2]
    return Convention(name, "formula", Stage.FORMULA, words, why, act, applies, plausible, source)


def other(measure: str, **parameters: Any) -> Formula:
    """Return the value of another measure of the registry, or of one with other parameters."""
    return lambda material, q: q.value(material, measure, **parameters)


def with_parameters(**parameters: Any) -> Formula:
    """Return the same measure with other parameters."""
    return lambda material, q: q.value(material, **parameters)
