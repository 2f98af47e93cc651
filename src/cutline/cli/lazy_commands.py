"""All commands of the table, each loaded when it is called: the help of the whole needs none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from cutline.cli.application import Application, without_needless_types
from cutline.cli.command_table import COMMANDS, Entry

# How every command behaves; the group of them too.
BEHAVIOUR: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class CommandsOnDemand(Mapping[str, Any]):
    """The commands by name, each made when it is first asked for."""

    def __init__(self) -> None:
        self._entries = {entry.name: entry for entry in COMMANDS}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(self._entries[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _made(entry: Entry) -> Any:
    function = getattr(import_module(f"cutline.cli.{entry.module}"), entry.name)
    alone = Application(add_completion=False, **BEHAVIOUR)
    alone.command(entry.name, help=entry.whole_help, epilog=entry.example, rich_help_panel=entry.panel)(function)
    return get_command(alone)


class Commands(TyperGroup):
    """The commands together."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = CommandsOnDemand()

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as the help shows them."""
        return without_needless_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - Typer names it
        """The names, without loading what they name."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer names it
        """The help of the whole, as Typer would show it, which would load every command and all of rich for it."""
        from cutline.cli.help_page import show

        show(self, ctx, COMMANDS)
