"""The table of all conventions by name, and the value of a quantity under some of them."""

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
    result_conventions,
)
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention, Stage
from cutline.ledger.quantity import PrintedQuantity

CONVENTIONS: dict[str, Convention] = {
    convention.name: convention
    for module in (
        case_conventions, list_formulas, cut_formulas, probability_formulas, limit_formulas,
        result_conventions,
    )
    for convention in module.CONVENTIONS
}  # fmt: skip


def find_conventions(q: PrintedQuantity) -> list[Convention]:
    """Return the conventions that can change a quantity.

    Those that change the cases are left out where each value needs resamples.
    """
    return [
        convention
        for convention in CONVENTIONS.values()
        if convention.applies(q) and not (q.is_resampled and convention.stage is Stage.CASES)
    ]


def select_stage(conventions: Iterable[Convention], stage: Stage) -> list[Convention]:
    """Return the conventions of a stage."""
    return [convention for convention in conventions if convention.stage is stage]


def change_cases(material: Material, conventions: Iterable[Convention]) -> Material:
    """Return the cases after the conventions that change them."""
    for convention in select_stage(conventions, Stage.CASES):
        material = convention.act(material)
    return material


def _compute_value(material: Material, q: PrintedQuantity, conventions: Sequence[Convention]) -> float:
    """Return the value on cases that are changed already, by the conventions of formula and result."""
    formulas = select_stage(conventions, Stage.FORMULA)
    value = formulas[0].act(material, q) if formulas else q.exact(material)
    for convention in select_stage(conventions, Stage.RESULT):
        value = convention.act(value, material)
    return float(value)


def compute_under(material: Material, q: PrintedQuantity, conventions: Sequence[Convention]) -> float:
    """Return the value of a quantity under some conventions; raise CutlineError where these cases have none."""
    return _compute_value(change_cases(material, conventions), q, conventions)


def try_value(material: Material, q: PrintedQuantity, conventions: Sequence[Convention]) -> float:
    """Return _compute_value(), or NaN where it raises a CutlineError."""
    try:
        return _compute_value(material, q, conventions)
    except CutlineError:
        return math.nan
