"""The command line as Typer builds it, with what Typer has no word for: groups of options, plain help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

Function = TypeVar("Function", bound=Callable[..., Any])


def without_needless_types(params: list[Any]) -> list[Any]:
    """The parameters of a command, with types in the help only where they say something.

    Args:
        params: As Typer made them.
    """
    for param in params:
        if getattr(param, "is_bool_flag", False) and param.metavar is None:
            param.metavar = ""  # a flag takes no value
        elif param.param_type_name == "argument" and not param.type_descriptor.is_choice:
            # "FILE..." says more than "[FILE...]... <list[str]>".
            param.metavar = param.metavar or param.name.upper()
            param.display_type_rich = partial(_same, "")
            param.get_usage_pieces = partial(_same, [param.metavar if param.required else f"[{param.metavar}]"])
    return params


def _same(shown: Any, ctx: Any) -> Any:  # noqa: ARG001 - Typer names it
    """What is shown, whatever the context."""
    return shown


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as the help shows them."""
        return without_needless_types(super().get_params(ctx))


class Application(typer.Typer):
    """All commands."""

    def command(self, *arguments: Any, **options: Any) -> Callable[[Function], Function]:
        """Register a command; an argument whose type is a dataclass is a group of options, its fields."""
        register = super().command(*arguments, **{"cls": Command} | options)

        def registered(function: Function) -> Function:
            register(ungrouped(function))
            return function

        return registered


def ungrouped(function: Callable[..., None]) -> Callable[..., None]:
    """The function as Typer is to see it: in place of each group of options, the options."""
    hints = get_type_hints(function, include_extras=True)
    options: list[Parameter] = []
    for name, parameter in signature(function).parameters.items():
        options += _options(hints[name]) if is_dataclass(hints[name]) else [_option(name, hints[name], parameter)]

    @wraps(function)
    def command(**given: Any) -> None:
        groups = {name: _filled(hint, given) for name, hint in hints.items() if is_dataclass(hint)}
        return function(**{name: given[name] for name in hints if name in given} | groups)

    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _option(name: str, hint: Any, declared: Parameter) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=declared.default, annotation=hint)


def _options(group: Any) -> list[Parameter]:
    """The options of a group, and of the groups in it."""
    hints = get_type_hints(group, include_extras=True)
    found: list[Parameter] = []
    for one in fields(group):
        default = Parameter.empty if one.default is MISSING else one.default
        if is_dataclass(hints[one.name]):
            found += _options(hints[one.name])
        elif get_origin(hints[one.name]) is Annotated:  # a field of a plain type is not for the command line
            hint = _for_typer(hints[one.name])
            found.append(Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    return found


def _for_typer(hint: Any) -> Any:
    """The type of an option as Typer wants it: what can be repeated is a list there."""
    kind, *details = get_args(hint)
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        kind = list[get_args(kind)[0]]  # type: ignore[misc]
    return Annotated[kind, *details]


def _filled(group: Any, given: dict[str, Any]) -> Any:
    """A group with the values that were given; an option that can be repeated is a tuple of them.

    A field of a plain type has no option, though another group may have one of its name.
    """
    hints = get_type_hints(group, include_extras=True)
    values = {
        one.name: _filled(hints[one.name], given) if is_dataclass(hints[one.name]) else given[one.name]
        for one in fields(group)
        if is_dataclass(hints[one.name]) or (get_origin(hints[one.name]) is Annotated and one.name in given)
    }
    return group(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
