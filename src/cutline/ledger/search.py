"""Which conventions give a printed number: single sides, tools, then pairs, each tried on the cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cutline.core.errors import CutlineError
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention, Stage
from cutline.ledger.families import family_members
from cutline.ledger.quantity import Printed, PrintedQuantity
from cutline.ledger.registry import changed, in_stage, sides_of, tried
from cutline.ledger.tools import TOOLS, Tool, ToolFunction, sides_of_entry

MANY_ROWS = 200_000  # distinct scores from which two changes of the cases are not tried together
_EXACT = 2.0  # how plausible it is that no convention is behind the number: more than any convention
_TOOL = 1.5  # how much more plausible a convention is that a tool has by default
_PAIR = 0.06  # how much less plausible two conventions at once are than one


@dataclass(frozen=True)
class ConventionValue:
    """A quantity under some sides: the number that comes out, and how plausible it is before the number is seen."""

    quantity: PrintedQuantity
    sides: tuple[Convention, ...]
    value: float
    plausible: float
    tools: tuple[tuple[Tool, ToolFunction], ...] = ()
    spread: float = 0.0  # how far another seed may move the value

    @property
    def is_exact(self) -> bool:
        """Whether it is the number that cutline itself gives."""
        return not self.sides


class ConventionSearch:
    """Computes candidates on some cases; what several of them share is made once."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._made: dict[tuple[str, ...], Material | None] = {(): material}
        self._values: dict[tuple[str, ...], float] = {}

    def cases(self, sides: Iterable[Convention]) -> Material | None:
        """Return the cases after some sides; None where these need rows that are not there."""
        mine = in_stage(sides, Stage.CASES)
        key = tuple(side.name for side in mine)
        if key not in self._made:
            try:
                before = self.cases(mine[:-1])
                self._made[key] = None if before is None else changed(before, mine[-1:])
            except CutlineError:
                self._made[key] = None
        return self._made[key]

    def value(self, q: PrintedQuantity, sides: Sequence[Convention]) -> float:
        """Return the number, NaN where there is none; the formula is computed once for all ways to print it."""
        key = (q.name, *(side.name for side in sides if side.stage is not Stage.RESULT))
        material = self.cases(sides)
        if material is None:
            return math.nan
        if key not in self._values:
            self._values[key] = tried(material, q, [side for side in sides if side.stage is Stage.FORMULA])
        value = self._values[key]
        for side in in_stage(sides, Stage.RESULT):
            value = side.act(value, material)
        return value


def candidates(
    workshop: ConventionSearch, q: PrintedQuantity, *, pairs: bool, outside: bool = False
) -> Iterator[ConventionValue]:
    """Return all that the ledger knows of a quantity: the exact value, single sides, tools; or pairs of sides.

    Args:
        workshop: What computes them.
        q: The quantity.
        pairs: Pairs of sides, in place of all else.
        outside: Only pairs that may leave the range of the measure; changes of the cases alone never do.
    """
    searched = [side for side in sides_of(q) if side.searched and not side.is_random]
    known = _by_tools(q, workshop.material)
    if not pairs:
        yield ConventionValue(q, (), workshop.value(q, ()), _EXACT, known.pop((), ()))
        exact = workshop.value(q, ())
        for sides in dict.fromkeys([*((side,) for side in searched), *known]):
            yield from _candidate(workshop, q, sides, exact, known.get(sides, ()))
        return
    exact = workshop.value(q, ())
    large = len(workshop.material.ranking) > MANY_ROWS
    for first, second in itertools.combinations(searched, 2):
        if outside and first.stage is second.stage is Stage.CASES:
            continue
        if _combine(first, second, large=large) and (first, second) not in known:
            alone = [workshop.value(q, (side,)) for side in (first, second)]
            for candidate in _candidate(workshop, q, (first, second), exact, ()):
                if not any(_same(candidate.value, one) for one in alone):  # one of them would do
                    yield candidate


def family_candidates(workshop: ConventionSearch, q: PrintedQuantity, number: Printed) -> Iterator[ConventionValue]:
    """Yield the members of families: conventions with any number of bins or thresholds, or any cut."""
    if len(workshop.material.ranking) <= MANY_ROWS:
        for convention, value in family_members(workshop.material, q, number):
            yield ConventionValue(q, (convention,), value, convention.plausible)


def random_candidates(workshop: ConventionSearch, q: PrintedQuantity) -> Iterator[ConventionValue]:
    """Return the randomised quantities, with how far another seed may move them."""
    for side in sides_of(q):
        if side.spread is not None and not math.isnan(value := workshop.value(q, (side,))):
            yield ConventionValue(q, (side,), value, side.plausible, spread=side.spread(workshop.material, q))


def _candidate(
    workshop: ConventionSearch,
    q: PrintedQuantity,
    sides: tuple[Convention, ...],
    exact: float,
    tools: tuple[tuple[Tool, ToolFunction], ...],
) -> Iterator[ConventionValue]:
    """Return the candidate of some sides, if they make a difference on these cases."""
    value = workshop.value(q, sides)
    if math.isnan(value) or _same(value, exact):
        return
    plausible = math.prod(side.plausible for side in sides) ** (1 / len(sides))
    if tools:
        plausible *= _TOOL
    elif len(sides) > 1:
        plausible *= _PAIR
    yield ConventionValue(q, sides, value, plausible, tools)


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= 1e-12 * max(abs(one), abs(other))


def _combine(first: Convention, second: Convention, *, large: bool) -> bool:
    if first.choice == second.choice:
        return False
    return not (large and first.stage is second.stage is Stage.CASES)


def _by_tools(
    q: PrintedQuantity, material: Material
) -> dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]]:
    """Return the conventions of tools, each with the tools that have it; sides that only a tool knows are left out."""
    known: dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]] = {}
    for one in TOOLS.values():
        for entry in one.entries:
            if entry.measure == q.name:
                sides = tuple(sides_of_entry(entry, material))
                known[sides] = (*known.get(sides, ()), (one, entry))
    return known
