"""The tools of the ledger, and the number that each would print."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal

from cutline.core.errors import InputError, ParameterError, UnknownNameError, find_similar, hint_names, shorten_repr
from cutline.core.public import public
from cutline.core.validation import check_text
from cutline.evaluation import Evaluation
from cutline.inputs.rank import select_complete_cases
from cutline.ledger.cases import Material, Rows
from cutline.ledger.convention import Convention
from cutline.ledger.quantity import PrintedQuantity, parse_quantity
from cutline.ledger.registry import CONVENTIONS, compute_under
from cutline.measures import Measure

How = Literal["run", "documented"]
Weights = Literal["used", "ignored", "none"]


@dataclass(frozen=True)
class ToolFunction:
    """A function of a tool that prints a measure.

    Attributes:
        measure: The quantity of the ledger.
        function: The function or the line of the tool's output.
        conventions: The names of the conventions by which it differs from cutline.
        weights: Whether it takes weights; with "ignored" it has none, or drops them.
        single: Whether it computes with 32-bit numbers, so that about seven digits agree.
        note: What else should be known.
        within: How far its number may be from this one, relative to it, where it rounds on the way.
        exact_up_to: How many distinct scores it may be given; with more, its number is only close to this one.
    """

    measure: str
    function: str
    conventions: tuple[str, ...] = ()
    weights: Weights = "used"
    single: bool = False
    note: str = ""
    within: float = 0.0
    exact_up_to: float = math.inf


@dataclass(frozen=True)
class Tool:
    """A tool, the version that was run or whose documentation was read, and what it prints."""

    name: str
    version: str
    how: How
    source: str
    entries: tuple[ToolFunction, ...]
    aliases: tuple[str, ...] = ()

    @property
    def known(self) -> str:
        """The name and the version, and whether the tool was not run."""
        return f"{self.name} {self.version}" + ("" if self.how == "run" else ", not run: by its documentation")

    def entry(self, measure: str) -> ToolFunction | None:
        """Return its first function for a measure; None when it has none."""
        return next((entry for entry in self.entries if entry.measure == measure), None)


def _load_tools() -> dict[str, Tool]:
    """Return the tools of tools.toml by name."""
    text = files("cutline.ledger").joinpath("tools.toml").read_text(encoding="utf-8")
    return {fields["name"]: _make_tool(**fields) for fields in tomllib.loads(text)["tool"]}


def _make_tool(*, entries: list[dict[str, Any]], aliases: tuple[str, ...] = (), **facts: Any) -> Tool:
    made = (ToolFunction(**{**entry, "conventions": tuple(entry.get("conventions", ()))}) for entry in entries)
    return Tool(entries=tuple(made), aliases=tuple(aliases), **facts)


TOOLS = _load_tools()


def find_tool(name: str) -> Tool:
    """Return a tool, by its name or an alias, however it is written.

    >>> find_tool("Sklearn").name
    'scikit-learn'
    """
    known = {_normalise_name(word): tool for tool in TOOLS.values() for word in (tool.name, *tool.aliases)}
    match = known.get(_normalise_name(name))
    if match is None:
        hint = hint_names(dict.fromkeys(known[word].name for word in find_similar(_normalise_name(name), known)))
        raise UnknownNameError(f"The ledger has no tool {name!r}", f"it has {', '.join(TOOLS)}", hint=hint)
    return match


def _normalise_name(name: object) -> str:
    return str(name).lower().strip().replace("-", "_").replace(" ", "_")


def find_entry(tool: Tool, q: PrintedQuantity, function: str | None = None) -> ToolFunction:
    """Return the function of a tool for a quantity: the first, or the one with a given name."""
    mine = [entry for entry in tool.entries if entry.measure == q.name]
    if not mine:
        has = ", ".join(dict.fromkeys(entry.measure for entry in tool.entries))
        raise ParameterError(f"The ledger does not know what {tool.name} gives for {q.name}", f"it knows {has}")
    if function is None:
        return mine[0]
    check_text(function, "function", mine[0].function)
    for entry in mine:
        if entry.function == function:
            return entry
    named = ", ".join(repr(entry.function) for entry in mine)
    raise ParameterError(f"{tool.name} has no {function!r} for {q.name}", f"pass {named}")


def list_conventions(entry: ToolFunction, material: Material) -> list[Convention]:
    """Return the conventions of a tool function on some cases, "unweighted" first where it ignores weights."""
    first = [CONVENTIONS["unweighted"]] if entry.weights == "ignored" and material.is_weighted else []
    return first + [CONVENTIONS[name] for name in entry.conventions]


def compute_printed(entry: ToolFunction, q: PrintedQuantity, material: Material) -> float:
    """Return the number that a tool prints."""
    return compute_under(material, q, list_conventions(entry, material))


@public
def value_as(
    ev: Evaluation, measure: str | Measure, tool_name: str, *, function: str | None = None, rows: Any = None
) -> float:
    """Return the number that another tool would print for a measure.

    Args:
        ev: The evaluation.
        measure: The measure, by name or alias; also "recall.low" for a limit of its interval, or parameters after @.
        tool_name: The tool, such as "torchmetrics"; `cutline.ledger.TOOLS` lists them.
        function: Which of the functions of the tool, where several print the measure; the first when None.
        rows: Labels, scores and, if there are any, weights, for tools whose number depends on the order of the rows
            or which ignore weights: an evaluation does not keep them.

    Returns:
        The number; NaN where the tool prints none.

    >>> from cutline import evaluate
    >>> ev = evaluate([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.2])
    >>> value_as(ev, "recall", "scikit-learn"), ev.recall  # predict() needs more than 0.5
    (0.5, 1.0)
    """
    if not isinstance(ev, Evaluation):
        raise InputError(f"is {shorten_repr(ev)}", "pass an evaluation, as evaluate() makes it", argument="ev")
    tool, q = find_tool(tool_name), parse_quantity(measure)
    return compute_printed(find_entry(tool, q, function), q, make_material(ev, rows))


def make_material(ev: Evaluation, rows: Any = None) -> Material:
    """Return the cases of an evaluation; with their rows where these are passed."""
    if rows is None:
        return replace(Material.of_ranking(ev.ranking, float(ev.threshold)), is_default_cut=ev.cut.is_default)
    if not isinstance(rows, tuple | list) or len(rows) not in (2, 3):
        raise InputError(
            f"is {shorten_repr(rows)}", "pass (labels, scores) or (labels, scores, weights)", argument="rows"
        )
    labels, scores, *weights = rows
    complete_cases = select_complete_cases(labels, scores, weights[0] if weights else None, positive=_read_positive(ev))
    sign = 1 if ev.ranking.higher_is_positive else -1
    cases = Rows(complete_cases.is_positive, sign * complete_cases.scores, complete_cases.weights)
    return replace(Material.of_rows(cases, sign * float(ev.threshold)), is_default_cut=ev.cut.is_default)


def _read_positive(ev: Evaluation) -> Any:
    """Return the positive label if it is a text, which `complete` cannot guess."""
    positive = ev.ranking.positive
    return positive if isinstance(positive, str) else None
