"""Tables, sentences and notes in a terminal, shared by the commands. Loads numpy only where it draws."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.cli.text import Screen, escape_controls
from cutline.core.table import format_both_limits

if TYPE_CHECKING:
    from cutline.results.notes import Note

WIDE = 100  # columns of a terminal with room for a long table
GAP, NARROW_GAP = 3, 2  # columns between two columns of a table
_DEFAULT_WIDTH = 80  # columns of a terminal that does not say how wide it is
# Tables with a line under their head and none between columns.
_LINES = box.Box("\n".join(("    ", "    ", " ── ", "    ", "    ", "    ", "    ", "    ")))
_ASCII_LINES = box.Box("\n".join(("    ", "    ", " -- ", "    ", "    ", "    ", "    ", "    ")), ascii=True)


def make_console(*, error: bool = False) -> Console:
    """Return the console of standard output or error, which does not interpret markup."""
    screen = Screen(stderr=error, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if screen.width < 1:  # as in an environment with COLUMNS=0, where nothing at all would be shown
        screen.width = _DEFAULT_WIDTH
    return screen


def is_ascii_only(screen: Console) -> bool:
    """Whether the terminal can draw plain ASCII alone."""
    return not (screen.encoding or "").lower().startswith("utf")


class Signs(NamedTuple):
    """The signs of tables: of the strip of a measure, and marks beside names and values."""

    range: str
    interval: str
    value: str
    baseline: str
    lower: str  # lower is better
    best: str
    tied: str  # cannot be told from the best
    significant: str


_SIGNS = Signs("·", "━", "●", "│", "↓", "★", "≈", "*")
_ASCII_SIGNS = Signs(".", "=", "O", "|", "(-)", "*", "~", "!")


def choose_signs(screen: Console) -> Signs:
    """Return the signs that the terminal can draw."""
    return _ASCII_SIGNS if is_ascii_only(screen) else _SIGNS


# ---------------------------------------------------------------------- sentences


def fold_sentences(screen: Console, lines: Iterable[str]) -> list[RenderableType]:
    """Return sentences folded to the width of the terminal, the first in bold."""
    return [
        Text(fold(_replace_signs(screen, line), screen.width), style="" if place else "bold")
        for place, line in enumerate(lines)
    ]


_UNBROKEN = re.compile(r"\(?p [=<] \S+|\(?[\d.,]+ %\S*|\S+")  # a word, p = 0.01, 95 %


def fold(text: str, width: int) -> str:
    """Break a sentence into lines, but never between a number and its sign.

    >>> fold("AUC 0.8382, 95 % interval (p = 0.01)", 15).splitlines()
    ['AUC 0.8382,', '95 % interval', '(p = 0.01)']
    """
    lines = [""]
    for word in _UNBROKEN.findall(text):
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(filter(None, lines))


def _replace_signs(screen: Console, text: str) -> str:
    """Replace the signs that the terminal cannot draw."""
    text = escape_controls(text)
    return text.replace("≥", ">=").replace("≤", "<=").replace("∞", "inf") if is_ascii_only(screen) else text


def explain_undefined(titles: Mapping[str, Sequence[str]]) -> Iterable[RenderableType]:
    """Yield the reasons why measures are undefined, each with the titles of its measures."""
    for reason, names in titles.items():
        yield Text()
        yield Text(escape_controls(f"Undefined because {reason}: {', '.join(names)}"), style="yellow")


def format_interval(limits: tuple[float | None, float | None] | None) -> str:
    """Format both limits; empty if one is missing.

    >>> format_interval((0.25, 0.5)), format_interval((math.nan, math.nan)), format_interval(None)
    ('[0.2500, 0.5000]', '', '')
    """
    low, high = limits or (None, None)
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    return f"[{', '.join(format_both_limits(low, high))}]"


def format_interval_title(level: float) -> str:
    """Return the title of a column of intervals.

    >>> format_interval_title(0.95)
    '95 % interval'
    """
    return f"{100 * level:g} % interval"


# ---------------------------------------------------------------------- notes

_WARNING_SIGN = Text("!", style="bold yellow")


def make_notes(
    notes: Iterable[Note],
    *,
    verbose: bool = True,
    width: int = _DEFAULT_WIDTH,
    warned: bool = False,
) -> RenderableType:
    """Render notes, warnings first; without `verbose` the first warnings alone, each in one line.

    Args:
        notes: The notes.
        verbose: Whether all of them are shown in full, each with its source.
        width: The columns of the terminal, for a note in one line.
        warned: Whether the warnings stand above the numbers already; without `verbose`, notes are then only counted.
    """
    from cutline.core.validation import format_count
    from cutline.results.notes import DATA

    ordered = sorted(notes, key=lambda note: note.kind != "warning")
    if not ordered:
        return Group()
    if verbose:
        table = Table.grid(padding=(0, 1))
        for note in ordered:
            text = Text(escape_controls(note.text))
            if note.source != DATA:
                text.append(f" ({note.source})", style="dim")
            table.add_row(_choose_note_sign(note), text)
        return Group(Text(), Text("Notes", style="bold"), table)
    if warned:
        return Group(Text(), Text(f"- {format_count(len(ordered), 'note')}: --verbose", style="dim"))
    from cutline.results.verdict import MOST_WARNINGS

    warnings = [note for note in ordered if note.kind == "warning"]
    left = len(ordered) - len(warnings[:MOST_WARNINGS])
    lines = [_render_warning_line(note, width) for note in warnings[:MOST_WARNINGS]]
    if not left:
        more = "more: --verbose" if any("…" in line.plain for line in lines) else ""
    else:
        more = f"{left} {'more ' if lines else ''}{'note' if left == 1 else 'notes'}: --verbose"
    return Group(Text(), *lines, *([Text(f"- {more}", style="dim")] if more else []))


def make_warning(text: str) -> Text:
    """Return a warning in full, behind its sign."""
    return Text.assemble(_WARNING_SIGN, " ", escape_controls(text))


def make_worst_warnings(screen: Console, notes: Iterable[Note], models: Iterable[str] = ()) -> list[RenderableType]:
    """Return the worst warnings, shown before the numbers: in full if they question all of them, else in one line."""
    from cutline.results.notes import FIRST
    from cutline.results.verdict import select_warnings

    return [
        Text.assemble(_choose_note_sign(note), " ", escape_controls(note.text))
        if note.rule in FIRST
        else _render_warning_line(note, screen.width)
        for note in select_warnings(notes, models)
    ]


def _choose_note_sign(note: Note) -> Text:
    return _WARNING_SIGN if note.kind == "warning" else Text("-", style="dim")


def _render_warning_line(note: Note, width: int) -> Text:
    """Return a warning in one line of a terminal: as many of its clauses as fit."""
    return Text.assemble(_choose_note_sign(note), " ", shorten(escape_controls(note.text), width - 2))


_CLAUSE_END = re.compile(r"[.:;,](?= |$)| (?=\()")


def shorten(text: str, room: int) -> str:
    """Return as many sentences or clauses of a text as fit into a line; a shortened text ends in "…".

    >>> shorten("The probabilities are too high: their mean is 0.289. Recalibrate them.", 70)
    'The probabilities are too high: their mean is 0.289. Recalibrate them.'
    >>> shorten("The probabilities are too high: their mean is 0.289. Recalibrate them.", 40)
    'The probabilities are too high …'
    """
    if cell_len(text) <= room:
        return text
    ends = [match.start() for match in _CLAUSE_END.finditer(text) if cell_len(text[: match.start()]) <= room - 2]
    for signs in (".:; ", ","):  # the end of a sentence or of its main clause before a comma
        fitting = [end for end in ends if text[end] in signs and end > room // 3]
        if fitting:
            return f"{text[: fitting[-1]]} …"
    return f"{text[: room - 2].rsplit(' ', 1)[0]} …"


# ---------------------------------------------------------------------- tables


def make_table(screen: Console, *, title: str = "", head: bool = True, gap: int = GAP) -> Table:
    """Return an empty table with a line under its head."""
    return Table(
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        title_style="bold",
        box=_ASCII_LINES if is_ascii_only(screen) else _LINES,
        show_header=head,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
        header_style="dim",
        show_edge=False,
    )


def make_grid(
    screen: Console, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", *, head: bool = True
) -> Table:
    """Return a table of texts, broken between words if there is room for the longest word."""
    table = make_table(screen, title=title, head=head)
    columns = [escape_controls(name) for name in columns]
    cells = [[cell if isinstance(cell, Text) else Text(escape_controls(cell)) for cell in row] for row in rows]
    widths: Sequence[int | None] = choose_widths([columns, *cells], screen.width) or [None] * len(columns)
    for name, width in zip(columns, widths, strict=True):
        table.add_column(Text(name), width=width, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def make_fitted_grid(
    screen: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], optional: Sequence[str], interval: str
) -> Table:
    """Return a table whose cells are never broken.

    If it is too wide, each interval moves below the number before it; then columns are left out.

    Args:
        screen: Where it is shown.
        columns: The names of the columns.
        rows: The cells.
        optional: The columns that may be left out, the first of them first.
        interval: The column of the intervals.
    """
    head, cells = [escape_controls(name) for name in columns], [[escape_controls(cell) for cell in row] for row in rows]

    def is_too_wide() -> bool:
        widths = [
            max(cell_len(part) for cell in column for part in cell.split("\n"))
            for column in zip(head, *cells, strict=True)
        ]
        return sum(widths) + NARROW_GAP * (len(widths) - 1) > screen.width

    if is_too_wide() and interval in head:
        place = head.index(interval)
        del head[place]
        cells = [
            [*row[: place - 1], "\n".join(row[place - 1 : place + 1]).rstrip(), *row[place + 1 :]] for row in cells
        ]
    for name in optional:
        if is_too_wide() and name in head:
            place = head.index(name)
            del head[place]
            cells = [[*row[:place], *row[place + 1 :]] for row in cells]
    table = make_table(screen, gap=NARROW_GAP)
    for place, name in enumerate(head):
        table.add_column(Text(name), justify="right" if place else "left", overflow="fold", no_wrap=bool(place))
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def choose_widths(rows: Sequence[Sequence[object]], room: int, whole: Sequence[int] = ()) -> list[int] | None:
    """Return widths of columns that break no word, and no cell of the columns `whole`; None if there is no room."""
    columns = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    most = [max(cell_len(cell) for cell in column) for column in columns]
    words = [max((cell_len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    widths = [most[i] if i in whole else word for i, word in enumerate(words)]
    left = room - sum(widths) - GAP * (len(widths) - 1)
    if left < 0:
        return None
    for _ in range(min(left, sum(most) - sum(widths))):  # the narrowest of those that want more is widened
        narrowest = min((i for i, width in enumerate(widths) if width < most[i]), key=widths.__getitem__)
        widths[narrowest] += 1
    return widths
