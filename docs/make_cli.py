"""Write docs/cli.md from the help of the command: `make docs`. A test checks that the page is up to date."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from typer.main import get_command

from cutline.cli.main import app

PAGE = Path(__file__).with_name("cli.md")


def page() -> str:
    """The page of all commands and their options."""
    group: Any = get_command(app)
    lines = [
        "# The command line",
        "",
        "Written by `make docs` from `cutline --help`. Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage, with",
        "one sentence on standard error. `--json` is described by [schema.json](schema.json); gates in continuous",
        "integration are in [ci.md](ci.md). `cutline --install-completion` lets bash, zsh and fish complete commands",
        "and options.",
    ]
    for panel in dict.fromkeys(command.rich_help_panel for command in group.commands.values()):
        lines += ["", f"**{panel}**", ""]
        lines += [
            f"- [cutline {name}](#cutline-{name}): {_first(command)}"
            for name, command in group.commands.items()
            if command.rich_help_panel == panel
        ]
    for name, command in group.commands.items():
        lines += ["", f"## cutline {name}", "", *_entry(command)]
    return "\n".join(lines) + "\n"


def _first(command: Any) -> str:
    return inspect.cleandoc(command.help).split("\n\n")[0].replace("\n", " ")


def _entry(command: Any) -> list[str]:
    """One command: what it does, an example, its options."""
    lines = [inspect.cleandoc(command.help), "", f"{command.epilog}", ""]
    for parameter in command.params:
        if "--help" in parameter.opts:
            continue
        if parameter.param_type_name == "argument":
            lines.append(f"- `{parameter.metavar or parameter.name.upper()}`: {parameter.help}")
            continue
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        default = parameter.default
        is_told = default not in (None, False, ()) and not callable(default)
        lines.append(f"- {names}: {parameter.help}" + (f" Default: {_plain(default)}." if is_told else ""))
    return lines


def _plain(value: Any) -> str:
    return str(getattr(value, "value", value))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
