"""`cutline measures`: the list of measures, or one of them in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import argument, command
from cutline.cli.completion import measure_names
from cutline.cli.formula import plain_formula
from cutline.core.errors import UnknownNameError, near

if TYPE_CHECKING:
    from cutline.measures import Measure


@command
@argument(
    "name",
    required=False,
    metavar="[NAME]",
    shell_complete=measure_names,
    help="A measure by name or alias, or a word to look for.",
)
@o.FAMILY
@o.JSON
@o.PLUGIN
def measures(name: str | None, family: str | None, json: bool) -> None:
    """List the measures that fit, or explain the one that is named."""
    from cutline.measures import MEASURES

    matches = find_measures(name, family)
    if json:
        render.print_json(described(matches))
    elif name in MEASURES:
        _explain(matches[0])
    else:
        _list(matches)


def find_measures(name: str | None, family: str | None) -> list[Measure]:
    """Return the measure of a name, or those that a word or a family finds."""
    from cutline.measures import MEASURES

    matches = [MEASURES[name]] if name is not None and name in MEASURES else MEASURES.search(name or "", family=family)
    if not matches:
        hint = near(name, MEASURES.names) or " The command cutline measures lists them all."
        raise UnknownNameError(f"There is no measure {name!r}.{hint}")
    return matches


def described(measures: list[Measure]) -> dict[str, Any]:
    """Return the facts about measures, ready for JSON."""
    return {"schema": "cutline/measures/2", "measures": [facts(measure) for measure in measures]}


def facts(measure: Measure) -> dict[str, Any]:
    """Return the facts about a measure, ready for JSON; an infinite end of the range is null."""
    low, high = (bound if abs(bound) != float("inf") else None for bound in measure.range)
    return {
        "name": measure.name,
        "aliases": list(measure.aliases),
        "title": measure.title,
        "question": measure.family.value,
        "meaning": measure.meaning,
        "formula": measure.formula,
        "range": [low, high],
        "better": measure.better,
        "undefined": measure.undefined_when,
        "blind_to": measure.blind_to,
        "parameters": {name: parameter.words for name, parameter in measure.parameters.items()},
        "source": dict(measure.source),
    }


def _list(measures: list[Measure]) -> None:
    from cutline.measures import Family

    screen = render.console()
    for family in Family:
        mine = [measure for measure in measures if measure.family is family]
        if mine:
            rows = [(Text(m.name, style="bold"), m.title, m.better or "") for m in mine]
            screen.print(render.grid(screen, ("measure", "title", "better"), rows, family.value))
            screen.print()


def _explain(measure: Measure) -> None:
    screen = render.console()
    known = facts(measure)
    low, high = (f"{bound:g}".replace("inf", "\N{INFINITY}") for bound in measure.range)
    parameters = "; ".join(
        f"{name}: {words}" + ("" if name in measure.required else f" (default {measure.defaults[name]!r})")
        for name, words in known["parameters"].items()
    )
    rows = [
        ("names", ", ".join(measure.names)),
        ("question", known["question"]),
        ("meaning", known["meaning"]),
        ("formula", plain_formula(known["formula"])),
        ("range", f"{low} to {high}; {measure.better + ' is better' if measure.better else 'neither end is better'}"),
        ("perfect", plain_formula(measure.perfect.latex)),
        ("baseline", plain_formula(measure.baseline.latex)),
        ("undefined", known["undefined"] and f"when {known['undefined']}"),
        ("blind to", known["blind_to"]),
        ("parameters", parameters),
        ("source", measure.cited),
    ]
    screen.print(Text(measure.title, style="bold"))
    screen.print(render.grid(screen, ("", ""), [row for row in rows if row[1]], head=False))
