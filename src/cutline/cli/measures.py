"""`cutline measures`: the list of measures, or one of them in full."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import argument, command
from cutline.cli.completion import complete_measure
from cutline.cli.output import print_json
from cutline.core.errors import UnknownNameError, hint_similar

if TYPE_CHECKING:
    from cutline.measures import Measure


_GREEK = {name.lower(): chr(code) for code in range(945, 970) for name in [unicodedata.name(chr(code)).split()[-1]]}
_SIGNS = _GREEK | {
    "Delta": "\N{GREEK CAPITAL LETTER DELTA}",
    "ell": "\N{SCRIPT SMALL L}",
    "sum": "\N{GREEK CAPITAL LETTER SIGMA}",
    "int": "\N{INTEGRAL}",
    "cdot": "\N{MIDDLE DOT}",
    "ge": "\N{GREATER-THAN OR EQUAL TO}",
    "le": "\N{LESS-THAN OR EQUAL TO}",
    "infty": "\N{INFINITY}",
    **dict.fromkeys((",", "quad", " "), " "),
    **dict.fromkeys(("left", "right", "text", "operatorname"), ""),
}
_ACCENTS = {"hat": "\N{COMBINING CIRCUMFLEX ACCENT}", "bar": "\N{COMBINING MACRON}"}
_PIECE = re.compile(r"\\[A-Za-z]+|\\.|[{}]|[^\\{}]")


def format_formula(latex: str) -> str:
    r"""Return a formula in one line.

    >>> format_formula(r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{P \cdot N}}")
    '(TP · TN - FP · FN)/√(P · N)'
    >>> format_formula(r"-\frac1n \sum_i (y_i - \hat p_i)^2")
    '-1/n Σ_i (y_i - p̂_i)^2'
    """
    text = _format_pieces(pieces := _PIECE.findall(latex), 0, len(pieces))
    return re.sub(r" ([)\]])", r"\1", re.sub(r" +", " ", text)).strip()


def _format_pieces(pieces: list[str], start: int, end: int) -> str:
    """Return the pieces from start to end as text."""
    parts: list[str] = []
    at = start
    while at < end:
        piece = pieces[at]
        at += 1
        name = piece[1:]
        if not piece.startswith("\\"):
            if piece == "{":
                close = _find_closing(pieces, at)
                inside = _format_pieces(pieces, at, close)
                is_index = bool(parts) and parts[-1] in ("_", "^") and not inside.isalnum()
                parts.append(f"({inside})" if is_index else inside)
                at = close + 1
            else:
                parts.append(piece)
        elif name in ("frac", "tfrac"):
            above, at = _read_argument(pieces, at)
            below, at = _read_argument(pieces, at)
            parts.append(f"{_bracket(above)}/{_bracket(below)} ")
        elif name == "sqrt":
            inside, at = _read_argument(pieces, at)
            parts.append(f"√{inside}" if len(inside) == 1 else f"√({inside})")
        elif name in _ACCENTS:
            inside, at = _read_argument(pieces, at)
            parts.append(inside + _ACCENTS[name])
        else:
            parts.append(_SIGNS.get(name, name))
    return "".join(parts)


def _read_argument(pieces: list[str], at: int) -> tuple[str, int]:
    """Return the next argument of a command, and where it ends."""
    while pieces[at] == " ":
        at += 1
    if pieces[at] != "{":
        return _format_pieces(pieces, at, at + 1), at + 1
    close = _find_closing(pieces, at + 1)
    return _format_pieces(pieces, at + 1, close), close + 1


def _find_closing(pieces: list[str], at: int) -> int:
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(pieces[at], 0)
        at += 1
    return at - 1


def _bracket(text: str) -> str:
    """Return a part of a fraction, in brackets where it is more than one factor."""
    text = text.strip()
    return text if re.fullmatch(r"[\w.√]+(\([^()]*\))?", text) else f"({text})"


@command
@argument(
    "name",
    required=False,
    metavar="[NAME]",
    shell_complete=complete_measure,
    help="A measure by name or alias, or a word to search for.",
)
@o.FAMILY
@o.JSON
@o.PLUGIN
def measures(name: str | None, family: str | None, json: bool) -> None:
    """List the measures that fit, or explain the one that is named."""
    from cutline.measures import MEASURES

    matches = find_measures(name, family)
    if json:
        print_json(describe_measures(matches))
    elif name in MEASURES:
        _explain(matches[0])
    else:
        _list(matches)


def find_measures(name: str | None, family: str | None) -> list[Measure]:
    """Return the measure with a name, or the measures that match a word or a family."""
    from cutline.measures import MEASURES

    matches = MEASURES.search(name or "", family=family)
    if name is not None and name in MEASURES:
        matches = [measure for measure in MEASURES.search(family=family) if measure is MEASURES[name]]
        if not matches:
            raise UnknownNameError(f"{name} is not a measure of the family {family!r}. Leave --family out to see it.")
    if not matches:
        hint = hint_similar(name, MEASURES.names) or " The command cutline measures lists them all."
        raise UnknownNameError(f"There is no measure {name!r}.{hint}")
    return matches


def describe_measures(measures: list[Measure]) -> dict[str, Any]:
    """Return the facts about measures, ready for JSON."""
    return {"schema": "cutline/measures/2", "measures": [describe_measure(measure) for measure in measures]}


def describe_measure(measure: Measure) -> dict[str, Any]:
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

    screen = render.make_console()
    for family in Family:
        mine = [measure for measure in measures if measure.family is family]
        if mine:
            rows = [(Text(m.name, style="bold"), m.title, m.better or "") for m in mine]
            screen.print(render.make_grid(screen, ("measure", "title", "better"), rows, family.value))
            screen.print()


def _explain(measure: Measure) -> None:
    screen = render.make_console()
    known = describe_measure(measure)
    low, high = (f"{bound:g}".replace("inf", "\N{INFINITY}") for bound in measure.range)
    parameters = "; ".join(
        f"{name}: {words}" + ("" if name in measure.required else f" (default {measure.defaults[name]!r})")
        for name, words in known["parameters"].items()
    )
    rows = [
        ("names", ", ".join(measure.names)),
        ("question", known["question"]),
        ("meaning", known["meaning"]),
        ("formula", format_formula(known["formula"])),
        ("range", f"{low} to {high}; {measure.better + ' is better' if measure.better else 'neither end is better'}"),
        ("perfect", format_formula(measure.perfect.latex)),
        ("baseline", format_formula(measure.baseline.latex)),
        ("undefined", known["undefined"] and f"when {known['undefined']}"),
        ("blind to", known["blind_to"]),
        ("parameters", parameters),
        ("source", measure.cited),
    ]
    screen.print(Text(measure.title, style="bold"))
    screen.print(render.make_grid(screen, ("", ""), [row for row in rows if row[1]], head=False))
