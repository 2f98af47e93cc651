"""How commands are declared: options in groups of the help, dataclasses of options, commands loaded when called.

A command is a function below `@command` and its options. An option is declared once, by `option(...)`: as a decorator
of the command, or with `.field()` as a field of a dataclass, which `@add_options` hands to the command as one argument.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from os import environ
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem
from rich.highlighter import RegexHighlighter
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from cutline.cli.command_table import COMMANDS, FIRST, OUTPUT, READING, Entry
from cutline.cli.text import Screen
from cutline.core.errors import hint_similar

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
    screen = _print_head(ctx)
    options = [param for param in ctx.command.get_params(ctx) if isinstance(param, Option)]
    screen.print(_make_panel("Options", _make_option_table(options)))
    longest = max(len(entry.name) for entry in COMMANDS)
    for panel in dict.fromkeys(entry.panel for entry in COMMANDS):
        screen.print(_make_panel(panel, _make_command_table((e for e in COMMANDS if e.panel == panel), longest)))
    screen.print(Padding(_coloured(Text(str(ctx.command.epilog))), 1))


def show_command(ctx: click.Context, *, everything: bool) -> None:
    """Print the help of a command.

    Args:
        ctx: The call.
        everything: Whether the advanced options are shown too.
    """
    command = ctx.command
    assert isinstance(command, Command)  # noqa: S101 - the option of help is one of ours
    screen = _print_head(ctx)
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    if arguments:
        table = _make_table(highlight=True)
        for param in arguments:
            table.add_row(_coloured(str(param.metavar)), _coloured(Text(str(param.help))))
        screen.print(_make_panel("Arguments", table))
    hidden = 0
    for title, options in group_options(command).items():
        shown = [option for option in options if everything or title == FIRST or not option.advanced]
        hidden += len(options) - len(shown)
        if shown:
            screen.print(_make_panel(title, _make_option_table(shown)))
    if hidden:
        more = f"{hidden} more {'option' if hidden == 1 else 'options'}: {ctx.command_path} --help-all"
        screen.print(Padding(_coloured(Text(more)), (0, 1)))
    screen.print(Padding(_coloured(Text(str(command.epilog))), 1))


def group_options(command: Command) -> dict[str, list[Option]]:
    """Group the options of a command: the most common first, those of files last."""
    options = [param for param in command.params if isinstance(param, Option)]
    first = [option for name in command.entry.first for option in options if name in option.opts]
    groups = {FIRST: first} if first else {}
    for option in options:
        if option not in first and "--help-all" not in option.opts:
            groups.setdefault(option.group, []).append(option)
    for title in (OUTPUT, READING):
        if title in groups:
            groups[title] = groups.pop(title)
    return groups


def _print_head(ctx: click.Context) -> Screen:
    """Print the usage and what the command is for."""
    forced = any(environ.get(name) for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"))
    screen = Screen(theme=Theme(_STYLES), highlighter=_coloured, force_terminal=forced or None)
    screen.print(Padding(_coloured(" ".join(ctx.command.get_usage(ctx).split())), 1), style="bold")
    first, *more = str(ctx.command.help).split("\n\n")
    screen.print(Padding(_coloured(Text(first)), (0, 1)), "")
    for paragraph in more:
        screen.print(Padding(_coloured(Text(paragraph, style="dim")), (0, 1, 1, 1)))
    return screen


def _make_panel(title: str, table: Table) -> Panel:
    return Panel(table, border_style="dim", title=title, title_align="left")


def _make_table(*, highlight: bool) -> Table:
    return Table(highlight=highlight, show_header=False, expand=True, box=None, pad_edge=False, padding=(0, 1))


def _make_option_table(options: Iterable[Option]) -> Table:
    table = _make_table(highlight=True)
    for option in options:
        names = (*option.opts, *option.secondary_opts)
        long = ",".join(name for name in names if name.startswith("--"))
        short = ",".join(name for name in names if not name.startswith("--"))
        name = " ".join(part for part in (long, short, _name_value(option)) if part)
        table.add_row(
            _coloured(Text(name, overflow="fold")), _coloured(Text(f"{option.help}{_describe_values(option)}"))
        )
    return table


def _name_value(option: click.Option) -> str:
    """Return the placeholder of an option's value; empty for a flag."""
    if option.is_flag:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "NAME"
    numbers = dict.fromkeys(("integer", "integer range", "float", "float range"), "NUMBER")
    named = {**numbers, "text": "TEXT"}
    return " ".join([named.get(option.type.name, option.type.name.upper())] * option.nargs)


def _describe_values(option: click.Option) -> str:
    """Describe the values of an option, its default, and whether it is required."""
    facts = []
    if isinstance(option.type, click.Choice) and option.metavar is None:
        facts.append("|".join(map(str, option.type.choices)))
    if option.required:
        facts.append("required")
    elif option.default and not callable(option.default):
        facts.append(f"default: {option.default}")
    return f" [{'; '.join(facts)}]" if facts else ""


def _make_command_table(commands: Iterable[Entry], longest: int) -> Table:
    table = _make_table(highlight=False)
    table.add_column(style="bold cyan", no_wrap=True, width=longest)
    table.add_column(ratio=10)
    for command in commands:
        table.add_row(command.name, _coloured(Text(command.help)))
    return table


Function = TypeVar("Function", bound=Callable[..., Any])
_BY_NAME = {entry.name: entry for entry in COMMANDS}
_OPTION, _OPTIONS = "option", "options"  # keys of the metadata of a field


# ---------------------------------------------------------------------- parameters


class Option(click.Option):
    """An option with its group in the help; advanced options are shown by --help-all alone."""

    def __init__(self, *arguments: Any, group: str = "Options", advanced: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group, self.advanced = group, advanced


class CommandArgument(click.Argument):
    """An argument that is explained in the help."""

    def __init__(self, *arguments: Any, help: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.help = help


class Declaration:
    """Declaration of an option: a decorator of commands, or a field of a dataclass of options."""

    def __init__(self, names: tuple[str, ...], settings: dict[str, Any]) -> None:
        self.names, self.settings = names, settings

    def __call__(self, function: Function) -> Function:
        """Add the option to a command."""
        return click.option(*self.names, cls=Option, **self.settings)(function)

    def field(self) -> Any:
        """Return a field of a dataclass that holds the option's value."""
        is_required = self.settings.get("required", False)
        default = dataclasses.MISSING if is_required else self.settings["default"]
        return dataclasses.field(default=default, metadata={_OPTION: self})

    def rename(self, name: str) -> Declaration:
        """Return the same option, handed to the command as the argument `name`."""
        return Declaration((*self.names, name), self.settings)


def option(*names: str, group: str, help: str, advanced: bool = False, **settings: Any) -> Declaration:
    """Declare an option.

    Args:
        names: As people type it, such as `--output` and `-o`.
        group: The group of the help in which it stands.
        help: What it means, with an example.
        advanced: Whether it is shown by --help-all alone.
        settings: What `click.option` takes besides.
    """
    if isinstance(settings.get("type"), click.Choice):
        settings["type"].case_sensitive = False
    if not settings.get("required"):
        settings.setdefault("default", () if settings.get("multiple") else False if settings.get("is_flag") else None)
    return Declaration(names, {"group": group, "help": help, "advanced": advanced, **settings})


def argument(name: str, *, help: str, **settings: Any) -> Callable[[Function], Function]:
    """Declare an argument with its help."""
    return click.argument(name, cls=CommandArgument, help=help, **settings)


# ---------------------------------------------------------------------- groups of options


def nest_options(group: Any) -> Any:
    """Return a field of a dataclass of options that is itself a dataclass of options."""
    return dataclasses.field(default_factory=group, metadata={_OPTIONS: group})


def add_options(group: Any, name: str) -> Callable[[Function], Function]:
    """Add the options that a dataclass declares; the command takes the dataclass as its argument `name`.

    Args:
        group: The dataclass.
        name: The argument of the command.
    """
    declared = _collect_options(group)

    def decorate(function: Function) -> Function:
        @wraps(function)
        def call_with_options(**values_by_name: Any) -> Any:
            values = {field: values_by_name.pop(field) for field in declared}
            return function(**values_by_name, **{name: _fill(group, values)})

        for field, declaration in reversed(declared.items()):
            declaration.rename(field)(call_with_options)
        return call_with_options  # type: ignore[return-value]

    return decorate


def _collect_options(group: Any) -> dict[str, Declaration]:
    """Return the options of a dataclass, and of the dataclasses in it, by the names of the fields."""
    options: dict[str, Declaration] = {}
    for field in dataclasses.fields(group):
        if _OPTIONS in field.metadata:
            options |= _collect_options(field.metadata[_OPTIONS])
        elif _OPTION in field.metadata:
            options[field.name] = field.metadata[_OPTION]
    return options


def _fill(group: Any, values: dict[str, Any]) -> Any:
    """Build a dataclass of options from the values of all its options."""
    own = {field.name: values[field.name] for field in dataclasses.fields(group) if _OPTION in field.metadata}
    parts = {
        field.name: _fill(field.metadata[_OPTIONS], values)
        for field in dataclasses.fields(group)
        if _OPTIONS in field.metadata
    }
    return group(**own, **parts)


# ---------------------------------------------------------------------- types


class Fraction(click.ParamType):  # type: ignore[type-arg]
    """A number that may be given in percent.

    >>> Fraction().convert("5%", None, None)
    0.05
    """

    name = "number"

    @staticmethod
    def read(text: str) -> float:
        """Read a number or a percentage; raise ValueError if it is neither."""
        text = text.strip()
        if not text.endswith("%"):
            return float(text)
        number = float(text.removesuffix("%"))
        # 99.9 / 100 is not the float nearest to 0.999, which its digits with another exponent are.
        return float(f"{number!r}e-2") if math.isfinite(number) and "e" not in repr(number) else number / 100

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number."""
        try:
            return self.read(str(value))
        except ValueError:
            self.fail(f"{value!r} is neither a number nor a percentage.", param, ctx)


class FileName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file, which the shell completes."""

    name = "file"

    def __init__(self, make: Callable[[str], Any] = str) -> None:
        self._make = make

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or the path."""
        return self._make(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the marker that lets the shell complete files."""
        return [CompletionItem(incomplete, type="file")]


# ---------------------------------------------------------------------- commands


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        if isinstance(ctx.command, LazyGroup):
            show_group(ctx)
        else:
            show_command(ctx, everything="--help-all" in param.opts)
        ctx.exit()


def _make_help_option(*names: str, help: str) -> Option:
    return Option(names, is_flag=True, default=False, is_eager=True, expose_value=False, help=help, callback=_show_help)


class Command(click.Command):
    """A command, whose help is in the table of commands."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.params.append(_make_help_option("--help-all", help="Show every option, the advanced ones too."))

    @property
    def entry(self) -> Entry:
        """Entry in the table of commands."""
        return _BY_NAME[str(self.name)]

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """Return the option that shows our help page."""
        return _make_help_option("-h", "--help", help="Show this message and exit.")


def command(function: Callable[..., Any]) -> Command:
    """Make a command of a function that is in the table of commands."""
    entry = _BY_NAME[function.__name__]
    return click.command(entry.name, cls=Command, help=entry.whole_help, epilog=entry.example)(function)


class LazyGroup(click.Group):
    """Group of the commands of the table, each imported when it is called."""

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """Return the option that shows our help page."""
        return _make_help_option("-h", "--help", help="Show this message and exit.")

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, without loading what they name."""
        return list(_BY_NAME)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Import the command."""
        entry = _BY_NAME.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(f"cutline.cli.{entry.name}"), entry.name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; of a wrong name, say which was meant."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in _BY_NAME:
            hint = hint_similar(args[0], _BY_NAME) or " The command cutline --help lists them all."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where no command is named, which is a wrong usage."""
        if not args and not ctx.resilient_parsing:
            show_group(ctx)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interruption ends it without click's empty line."""
        from cutline.core.memory import prepare_command

        prepare_command()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)
