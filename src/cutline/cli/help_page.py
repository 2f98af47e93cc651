"""`cutline --help`: the usage, the options, and the commands by their questions, in the looks of Typer's own pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import environ
from typing import Any

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from cutline.cli.command_table import Entry

_STYLES = {"option": "bold cyan", "switch": "bold green", "usage": "yellow"}


class _Options(RegexHighlighter):
    """Options in colour."""

    highlights = [  # noqa: RUF012 - rich declares it so
        r"(^|\W)(?P<switch>\-\w+)(?![a-zA-Z0-9])",
        r"(^|\W)(?P<option>\-\-[\w\-]+)(?![a-zA-Z0-9])",
        r"(?P<usage>Usage: )",
    ]


_coloured = _Options()


def show(group: Any, ctx: Any, commands: Sequence[Entry]) -> None:
    """Print the help of all commands together.

    Args:
        group: Typer's group of the commands, with its help, its epilog and its options.
        ctx: What Typer knows of this call.
        commands: The commands, in their order.
    """
    forced = any(environ.get(name) for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"))
    screen = Console(theme=Theme(_STYLES), highlighter=_coloured, force_terminal=forced or None)
    screen.print(Padding(_coloured(group.get_usage(ctx)), 1), style="bold")
    first, _, more = group.help.partition("\n\n")
    screen.print(Padding(_coloured(Text(first)), (0, 1)), "")
    screen.print(Padding(_coloured(Text(more, style="dim")), (0, 1, 1, 1)))
    screen.print(_panel("Options", _of_options(group.get_params(ctx))))
    longest = max(len(entry.name) for entry in commands)
    for panel in dict.fromkeys(entry.panel for entry in commands):
        screen.print(_panel(panel, _of_commands((e for e in commands if e.panel == panel), longest)))
    screen.print(Padding(_coloured(Text(group.epilog)), 1))


def _panel(title: str, table: Table) -> Panel:
    return Panel(table, border_style="dim", title=title, title_align="left")


def _table(*, highlight: bool) -> Table:
    return Table(highlight=highlight, show_header=False, expand=True, box=None, pad_edge=False, padding=(0, 1))


def _of_options(options: Iterable[Any]) -> Table:
    table = _table(highlight=True)
    for option in options:
        if not option.hidden:
            long = ",".join(name for name in option.opts if name.startswith("--"))
            short = ",".join(name for name in option.opts if not name.startswith("--"))
            table.add_row(_coloured(long), _coloured(short), "", _coloured(Text(option.help)))
    return table


def _of_commands(commands: Iterable[Entry], longest: int) -> Table:
    table = _table(highlight=False)
    table.add_column(style="bold cyan", no_wrap=True, width=longest)
    table.add_column(ratio=10)
    for command in commands:
        table.add_row(command.name, _coloured(Text(command.help)))
    return table
