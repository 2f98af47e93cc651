"""The command line as Typer builds it, with flags that name no type in the help: they take no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

Function = TypeVar("Function", bound=Callable[..., Any])


def _without_types_of_flags(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_bool_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as the help shows them."""
        return _without_types_of_flags(super().get_params(ctx))


class Commands(TyperGroup):
    """The commands together."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as the help shows them."""
        return _without_types_of_flags(super().get_params(ctx))


class Application(typer.Typer):
    """All commands."""

    def command(self, *arguments: Any, **options: Any) -> Callable[[Function], Function]:
        """Register a command."""
        found: Callable[[Function], Function] = super().command(*arguments, **{"cls": Command} | options)
        return found
