"""A table of the numbers that tools print for the same predictions, grouped by value, with the reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cutline.core.errors import CutlineError
from cutline.core.table import ComparedByFields, Table, format_value
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention
from cutline.ledger.quantity import PrintedQuantity, parse_quantity
from cutline.ledger.search import ConventionSearch
from cutline.ledger.tools import TOOLS, Tool, ToolFunction, list_conventions

MEASURES_SHOWN = ("auc", "average_precision", "brier", "log_loss", "f1")
_ROOM = 50  # letters in which a line of the table says who and why, on a screen of 80 columns
# Short words for conventions of tools; the others are written in full.
_BRIEF = {
    "strict": "score > threshold", "hard_labels": "hard labels", "other_class": "other class",
    "auto_direction": "turned by medians", "better_direction": "turned if below a half", "single": "32-bit scores",
    "logistic_outside": "logistic function", "unweighted": "no weights", "spark_bins": "1000 bins",
    "frequency_400": "400 quantiles", "frequency_100": "100 quantiles", "width_100": "100 equal widths",
    "keras_200": "200 equal widths", "river_10": "10 equal widths", "grid_200": "200 thresholds",
    "trapezoid": "trapezoid from (0, 1)", "trapezoid_first": "trapezoid", "trapezoid_late": "trapezoid, late start",
    "davis_goadrich": "Davis-Goadrich", "macro": "mean of classes", "weighted": "mean by class size",
    "micro": "both classes pooled", "undefined_0": "0/0 is 0", "best": "best threshold", "at_best_f1": "cut of best F1",
    "root": "square root", "percent": "percent", "clip_1e-15": "clipped at 1e-15", "clip_1e-16": "clipped at 1e-16",
    "clip_both_1e-15": "clipped at 1e-15", "clip_both_1e-7": "clipped at 1e-7",
}  # fmt: skip
_CLOSE = 1e-6  # relative: what 32-bit numbers leave


@dataclass(frozen=True, eq=False)
class Saying(ComparedByFields):
    """A number that tools print for a measure: who, and why it is not the exact one."""

    measure: str
    value: float
    is_exact: bool
    tools: tuple[str, ...]
    why: str
    documented: tuple[str, ...] = ()  # those of the tools that were not run
    brief: str = ""  # the reason in a few words

    @property
    def shown(self) -> str:
        """The number as it is shown."""
        return format_value(self.value)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools; a star marks tools that were not run."""
        return tuple(f"{name}*" if name in self.documented else name for name in self.tools)

    @property
    def words(self) -> str:
        """Return a brief reason, and the tools that print the number; a star marks tools that were not run."""
        names = self.names
        start = f"{self.brief}: " if self.brief else ""
        for count in range(len(names), 0, -1):
            more = len(names) - count
            line = start + ", ".join(names[:count]) + (f" and {more} more" if more else "")
            if len(line) <= _ROOM or count == 1:
                return line
        return start

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        value = self.value if math.isfinite(self.value) else None
        return {
            "measure": self.measure, "value": value, "exact": self.is_exact, "tools": list(self.tools), "why": self.why,
            "documented": list(self.documented),
        }  # fmt: skip


@dataclass(frozen=True)
class ToolTable:
    """The numbers that tools print for some predictions."""

    sayings: tuple[Saying, ...]
    left_out: tuple[str, ...] = ()  # tools whose number needs what is not there

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data, for JSON."""
        return {
            "schema": "cutline/tools/1",
            "sayings": [saying.to_dict() for saying in self.sayings],
            "left_out": list(self.left_out),
        }

    @property
    def documented(self) -> tuple[str, ...]:
        """The tools that were not run, whose documentation was read."""
        return tuple(dict.fromkeys(name for saying in self.sayings for name in saying.documented))

    @property
    def table(self) -> Table:
        """The rows for people, a line for each number; a tool by its documentation alone has a star."""
        rows = tuple((saying.measure, saying.shown, saying.words) for saying in self.sayings)
        return Table(("measure", "value", "why, and who says so"), rows)

    @property
    def full_table(self) -> Table:
        """The same with every tool and the whole reason."""
        rows = tuple((row.measure, row.shown, ", ".join(row.names), row.why or "exact") for row in self.sayings)
        return Table(("measure", "value", "who says so", "why"), rows)


def tabulate_tools(material: Material, measures: Iterable[str] = MEASURES_SHOWN) -> ToolTable:
    """Return what the tools of the ledger print for some measures.

    Args:
        material: The cases.
        measures: The quantities, by name; those that these scores do not have are left out.
    """
    search, sayings, left_out = ConventionSearch(material), [], dict[str, None]()
    for name in measures:
        q = parse_quantity(name)
        exact = search.value(q, ())
        if math.isnan(exact) and q.measure is not None and not q.measure.fits(material.ranking):
            continue
        rows, lacking = _tabulate_measure(search, q, exact)
        sayings += rows
        left_out |= dict.fromkeys(lacking)
    return ToolTable(tuple(sayings), tuple(left_out))


def _tabulate_measure(search: ConventionSearch, q: PrintedQuantity, exact: float) -> tuple[list[Saying], list[str]]:
    groups: list[tuple[float, list[tuple[Tool, ToolFunction, list[Convention]]]]] = [(exact, [])]
    lacking = []
    for tool in TOOLS.values():
        entry = tool.entry(q.name)
        if entry is None:
            continue
        try:
            conventions = list_conventions(entry, search.material)
            value = search.value(q, conventions)
        except CutlineError:
            value = math.nan
        if math.isnan(value) and not math.isnan(exact):
            lacking.append(tool.name)
            continue
        for known, members in groups:
            if _are_alike(value, known):
                members.append((tool, entry, conventions))
                break
        else:
            groups.append((value, [(tool, entry, conventions)]))
    rows = []
    for place, (value, members) in enumerate(groups):
        needed = _find_needed(search, q, members[0][2], value) if place else []
        rows.append(_make_saying(q, value, members, needed, is_exact=place == 0))
    return rows[:1] + sorted(rows[1:], key=lambda row: -row.value), lacking


def _are_alike(value: float, other: float) -> bool:
    return (math.isnan(value) and math.isnan(other)) or abs(value - other) <= _CLOSE * max(abs(value), abs(other))


def _find_needed(
    search: ConventionSearch, q: PrintedQuantity, conventions: list[Convention], value: float
) -> list[Convention]:
    """Return the conventions without which the number would be another one."""
    needed = list(conventions)
    for convention in conventions:
        rest = [other for other in needed if other is not convention]
        if _are_alike(search.value(q, rest), value):
            needed = rest
    return needed


def _make_saying(
    q: PrintedQuantity,
    value: float,
    members: list[tuple[Tool, ToolFunction, list[Convention]]],
    needed: list[Convention],
    *,
    is_exact: bool,
) -> Saying:
    names = (*(("cutline",) if is_exact else ()), *(tool.name for tool, _, _ in members))
    documented = tuple(tool.name for tool, _, _ in members if tool.how == "documented")
    why = " and ".join(convention.words for convention in needed)
    brief = ", ".join(_BRIEF.get(convention.name, convention.words) for convention in needed)
    return Saying(q.name, value, is_exact, names, why, documented, brief)
