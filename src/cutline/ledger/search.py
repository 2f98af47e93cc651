"""Which conventions give a printed number: single ones, those of tools, then pairs, each tried on the cases."""

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
from cutline.ledger.registry import change_cases, conventions_for, in_stage, try_value
from cutline.ledger.tools import TOOLS, Tool, ToolFunction, conventions_of_entry

MANY_ROWS = 200_000  # distinct scores from which two changes of the cases are not tried together
_EXACT = 2.0  # how plausible it is that no convention is behind the number: more than any convention
_TOOL = 1.5  # how much more plausible a convention is that a tool has by default
_PAIR = 0.06  # how much less plausible two conventions at once are than one


@dataclass(frozen=True)
class ConventionValue:
    """The value of a quantity under some conventions, and their plausibility before the printed number is seen."""

    quantity: PrintedQuantity
    conventions: tuple[Convention, ...]
    value: float
    plausible: float
    tools: tuple[tuple[Tool, ToolFunction], ...] = ()
    spread: float = 0.0  # how far another seed may move the value

    @property
    def is_exact(self) -> bool:
        """Whether it is the number that cutline itself gives."""
        return not self.conventions


class ConventionSearch:
    """Computes the value of quantities under conventions, and caches what these share."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._made: dict[tuple[str, ...], Material | None] = {(): material}
        self._values: dict[tuple[str, ...], float] = {}

    def cases(self, conventions: Iterable[Convention]) -> Material | None:
        """Return the cases under some conventions; None where these need rows that are not known."""
        mine = in_stage(conventions, Stage.CASES)
        key = tuple(convention.name for convention in mine)
        if key not in self._made:
            try:
                before = self.cases(mine[:-1])
                self._made[key] = None if before is None else change_cases(before, mine[-1:])
            except CutlineError:
                self._made[key] = None
        return self._made[key]

    def value(self, q: PrintedQuantity, conventions: Sequence[Convention]) -> float:
        """Return the number, NaN where there is none; the formula is computed once for all ways to print it."""
        key = (q.name, *(convention.name for convention in conventions if convention.stage is not Stage.RESULT))
        material = self.cases(conventions)
        if material is None:
            return math.nan
        if key not in self._values:
            self._values[key] = try_value(
                material, q, [convention for convention in conventions if convention.stage is Stage.FORMULA]
            )
        value = self._values[key]
        for convention in in_stage(conventions, Stage.RESULT):
            value = convention.act(value, material)
        return value


def candidates(
    search: ConventionSearch, q: PrintedQuantity, *, pairs: bool, outside: bool = False
) -> Iterator[ConventionValue]:
    """Yield the values of a quantity: exact, under single conventions and those of tools; or under pairs.

    Args:
        search: Computes the values.
        q: The quantity.
        pairs: Pairs of conventions, in place of all else.
        outside: Only pairs that may leave the range of the measure; changes of the cases alone never do.
    """
    searched = [convention for convention in conventions_for(q) if convention.searched and not convention.is_random]
    known = _by_tools(q, search.material)
    if not pairs:
        yield ConventionValue(q, (), search.value(q, ()), _EXACT, known.pop((), ()))
        exact = search.value(q, ())
        for conventions in dict.fromkeys([*((convention,) for convention in searched), *known]):
            yield from _candidate(search, q, conventions, exact, known.get(conventions, ()))
        return
    exact = search.value(q, ())
    large = len(search.material.ranking) > MANY_ROWS
    for first, second in itertools.combinations(searched, 2):
        if outside and first.stage is second.stage is Stage.CASES:
            continue
        if _combine(first, second, large=large) and (first, second) not in known:
            alone = [search.value(q, (convention,)) for convention in (first, second)]
            for candidate in _candidate(search, q, (first, second), exact, ()):
                if not any(_same(candidate.value, value) for value in alone):  # a single convention would do
                    yield candidate


def family_candidates(search: ConventionSearch, q: PrintedQuantity, number: Printed) -> Iterator[ConventionValue]:
    """Yield the members of families: conventions with any number of bins or thresholds, or any cut."""
    if len(search.material.ranking) <= MANY_ROWS:
        for convention, value in family_members(search.material, q, number):
            yield ConventionValue(q, (convention,), value, convention.plausible)


def random_candidates(search: ConventionSearch, q: PrintedQuantity) -> Iterator[ConventionValue]:
    """Yield the values of randomised conventions, and how far another seed may move them."""
    for convention in conventions_for(q):
        if convention.spread is not None and not math.isnan(value := search.value(q, (convention,))):
            yield ConventionValue(
                q, (convention,), value, convention.plausible, spread=convention.spread(search.material, q)
            )


def _candidate(
    search: ConventionSearch,
    q: PrintedQuantity,
    conventions: tuple[Convention, ...],
    exact: float,
    tools: tuple[tuple[Tool, ToolFunction], ...],
) -> Iterator[ConventionValue]:
    """Yield the candidate of some conventions, if they make a difference on these cases."""
    value = search.value(q, conventions)
    if math.isnan(value) or _same(value, exact):
        return
    plausible = math.prod(convention.plausible for convention in conventions) ** (1 / len(conventions))
    if tools:
        plausible *= _TOOL
    elif len(conventions) > 1:
        plausible *= _PAIR
    yield ConventionValue(q, conventions, value, plausible, tools)


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= 1e-12 * max(abs(one), abs(other))


def _combine(first: Convention, second: Convention, *, large: bool) -> bool:
    if first.choice == second.choice:
        return False
    return not (large and first.stage is second.stage is Stage.CASES)


def _by_tools(
    q: PrintedQuantity, material: Material
) -> dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]]:
    """Return the conventions of each tool function, with the functions that share them."""
    known: dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]] = {}
    for tool in TOOLS.values():
        for entry in tool.entries:
            if entry.measure == q.name:
                conventions = tuple(conventions_of_entry(entry, material))
                known[conventions] = (*known.get(conventions, ()), (tool, entry))
    return known
