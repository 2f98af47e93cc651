"""The one table of the ledger: every side of every choice, by name; and how several of them make one number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from cutline.core.errors import CutlineError
from cutline.ledger import (
    case_conventions,
    cut_formulas,
    limit_formulas,
    list_formulas,
    probability_formulas,
    quota_formulas,
    resampled_formulas,
    result_conventions,
)
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention, Stage
from cutline.ledger.quantity import PrintedQuantity

SIDES: dict[str, Convention] = {
    side.name: side
    for module in (
        case_conventions, list_formulas, quota_formulas, cut_formulas, probability_formulas, limit_formulas,
        resampled_formulas, result_conventions,
    )
    for side in module.SIDES
}  # fmt: skip


def sides_of(q: PrintedQuantity) -> list[Convention]:
    """Return the sides that can change a quantity; where each needs resamples, those that change the cases are left
    out.
    """
    return [side for side in SIDES.values() if side.applies(q) and not (q.is_resampled and side.stage is Stage.CASES)]


def in_stage(sides: Iterable[Convention], stage: Stage) -> list[Convention]:
    """Return those that act at a stage."""
    return [side for side in sides if side.stage is stage]


def changed(material: Material, sides: Iterable[Convention]) -> Material:
    """Return the cases after the sides that change them."""
    for side in in_stage(sides, Stage.CASES):
        material = side.act(material)
    return material


def computed(material: Material, q: PrintedQuantity, sides: Sequence[Convention]) -> float:
    """Return the number of cases that were changed already, by the formula of the sides and as they print it."""
    formulas = in_stage(sides, Stage.FORMULA)
    value = formulas[0].act(material, q) if formulas else q.exact(material)
    for side in in_stage(sides, Stage.RESULT):
        value = side.act(value, material)
    return float(value)


def under(material: Material, q: PrintedQuantity, sides: Sequence[Convention]) -> float:
    """Return the number that a quantity is under some sides; what cannot be had from these cases is refused."""
    return computed(changed(material, sides), q, sides)


def tried(material: Material, q: PrintedQuantity, sides: Sequence[Convention]) -> float:
    """Return the same, and NaN where it cannot be had."""
    try:
        return computed(material, q, sides)
    except CutlineError:
        return math.nan
