"""The help: of all commands by their questions, and of one command with the options that most people need first."""

from __future__ import annotations

from collections.abc import Iterable
from os import environ
from typing import Any

import click
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from cutline.cli.command_table import COMMANDS, FIRST, OUTPUT, READING, Entry

_STYLES = {"option": "bold cyan", "switch": "bold green", "usage": "yellow"}


class _OptionHighlighter(RegexHighlighter):
    """Options in colour."""

    highlights = [  # noqa: RUF012 - rich declares it so
        r"(^|\W)(?P<switch>\-\w+)(?![a-zA-Z0-9])",
        r"(^|\W)(?P<option>\-\-[\w\-]+)(?![a-zA-Z0-9])",
        r"(?P<usage>Usage: )",
    ]


_coloured = _OptionHighlighter()


def show_group(ctx: click.Context) -> None:
    """Print the help of all commands together, without loading any."""
    screen = _head(ctx)
    screen.print(_panel("Options", _option_table(ctx.command.get_params(ctx))))
    longest = max(len(entry.name) for entry in COMMANDS)
    for panel in dict.fromkeys(entry.panel for entry in COMMANDS):
        screen.print(_panel(panel, _command_table((e for e in COMMANDS if e.panel == panel), longest)))
    screen.print(Padding(_coloured(Text(str(ctx.command.epilog))), 1))


def show_command(ctx: click.Context, *, everything: bool) -> None:
    """Print the help of a command.

    Args:
        ctx: The call.
        everything: Whether the advanced options are shown too.
    """
    command: Any = ctx.command
    screen = _head(ctx)
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    if arguments:
        table = _table(highlight=True)
        for param in arguments:
            table.add_row(_coloured(str(param.metavar)), _coloured(Text(str(param.help))))
        screen.print(_panel("Arguments", table))
    hidden = 0
    for title, options in grouped_options(command).items():
        shown = [option for option in options if everything or title == FIRST or not option.advanced]
        hidden += len(options) - len(shown)
        if shown:
            screen.print(_panel(title, _option_table(shown)))
    if hidden:
        more = f"{hidden} more {'option' if hidden == 1 else 'options'}: {ctx.command_path} --help-all"
        screen.print(Padding(_coloured(Text(more)), (0, 1)))
    screen.print(Padding(_coloured(Text(str(command.epilog))), 1))


def grouped_options(command: Any) -> dict[str, list[Any]]:
    """Return the options of a command by group: first those that most people need, last those of files."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    first = [option for name in command.entry.first for option in options if name in option.opts]
    groups: dict[str, list[Any]] = {FIRST: first} if first else {}
    for option in options:
        if option not in first and "--help-all" not in option.opts:
            groups.setdefault(option.group, []).append(option)  # type: ignore[attr-defined]
    for title in (OUTPUT, READING):
        if title in groups:
            groups[title] = groups.pop(title)
    return groups


def _head(ctx: click.Context) -> Console:
    """Print the usage and what the command is for."""
    forced = any(environ.get(name) for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"))
    screen = Console(theme=Theme(_STYLES), highlighter=_coloured, force_terminal=forced or None)
    screen.print(Padding(_coloured(" ".join(ctx.command.get_usage(ctx).split())), 1), style="bold")
    first, *more = str(ctx.command.help).split("\n\n")
    screen.print(Padding(_coloured(Text(first)), (0, 1)), "")
    for paragraph in more:
        screen.print(Padding(_coloured(Text(paragraph, style="dim")), (0, 1, 1, 1)))
    return screen


def _panel(title: str, table: Table) -> Panel:
    return Panel(table, border_style="dim", title=title, title_align="left")


def _table(*, highlight: bool) -> Table:
    return Table(highlight=highlight, show_header=False, expand=True, box=None, pad_edge=False, padding=(0, 1))


def _option_table(options: Iterable[Any]) -> Table:
    table = _table(highlight=True)
    for option in options:
        names = (*option.opts, *option.secondary_opts)
        long = ",".join(name for name in names if name.startswith("--"))
        short = ",".join(name for name in names if not name.startswith("--"))
        name = " ".join(part for part in (long, short, _value(option)) if part)
        table.add_row(_coloured(Text(name, overflow="fold")), _coloured(Text(f"{option.help}{_facts(option)}")))
    return table


def _value(option: click.Option) -> str:
    """Return the placeholder of an option's value, in one word; empty for a flag."""
    if option.is_flag:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "NAME"
    named = {"integer": "NUMBER", "float": "NUMBER", "text": "TEXT"}
    return " ".join([named.get(option.type.name, option.type.name.upper())] * option.nargs)


def _facts(option: click.Option) -> str:
    """Return the values that an option may have, its default, and whether it must be given."""
    facts = []
    if isinstance(option.type, click.Choice) and option.metavar is None:
        facts.append("|".join(map(str, option.type.choices)))
    if option.required:
        facts.append("required")
    elif option.default and not callable(option.default):
        facts.append(f"default: {option.default}")
    return f" [{'; '.join(facts)}]" if facts else ""


def _command_table(commands: Iterable[Entry], longest: int) -> Table:
    table = _table(highlight=False)
    table.add_column(style="bold cyan", no_wrap=True, width=longest)
    table.add_column(ratio=10)
    for command in commands:
        table.add_row(command.name, _coloured(Text(command.help)))
    return table
