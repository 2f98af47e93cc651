"""Write docs/cli.md and a page for each command in docs/cli, from the help and from running its example: `make docs`.

Tests check that the pages are up to date.
"""

from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from cutline.cli.command import group_options
from cutline.cli.main import load_commands

sys.path += [str(Path(__file__).parent), str(Path(__file__).with_name("site"))]

import example_files
from terminal import session

PAGE = Path(__file__).with_name("cli.md")
FOLDER = Path(__file__).with_name("cli")
SHOWN = 40  # lines of what an example prints
# Examples that are shown without what they print: a server that waits, a study of minutes, a tour with a report.
NOT_RUN = ("cutline app", "cutline mcp", "cutline study quota", "cutline study skew", "cutline demo")
BEFORE = {  # what has to be there before an example, and how it is made
    "apply": ["cutline cut predictions.csv --label y --score p --require 'recall >= 0.9' -o cut.json"],
    "merge": [
        "cutline rank preds/day=2024-05-06/part.parquet --label y --score p -o monday.ranking",
        "cutline rank preds/day=2024-05-07/part.parquet --label y --score p -o tuesday.ranking",
    ],
}
EXIT = """## Exit status

0: fine. 1: a gate failed. 2: bad input or usage, with one sentence on standard error."""


@cache
def commands() -> dict[str, Any]:
    """All commands, by name, in the order of the help."""
    return dict(load_commands())


def page() -> str:
    """The page that leads to all commands."""
    lines = [
        "# The command line",
        "",
        "Written by `make docs` from `cutline --help`. Each command has a page with its options and an example. Exit",
        "codes: 0 fine, 1 a gate failed, 2 bad input or usage, with one sentence on standard error. `--json` is",
        "described by [schema.json](schema.json); gates in continuous integration are in [ci.md](ci.md).",
        "`cutline --install-completion` lets bash, zsh and fish complete commands and options.",
    ]
    for panel in dict.fromkeys(command.entry.panel for command in commands().values()):
        lines += ["", f"## {panel}", ""]
        lines += [
            f"- [cutline {name}](cli/{name}.md): {_first(command)}"
            for name, command in commands().items()
            if command.entry.panel == panel
        ]
    return "\n".join(lines) + "\n"


def command_page(name: str) -> str:
    """The page of one command, in the order of a manual page."""
    command = commands()[name]
    first, *more = inspect.cleandoc(command.help).split("\n\n")
    panel = [other for other, its in commands().items() if its.entry.panel == command.entry.panel]
    others = ", ".join(f"[cutline {other}]({other}.md)" for other in panel if other != name)
    parts = [
        f"# cutline {name}",
        first.replace("\n", " "),
        f"## Synopsis\n\n```text\n{_synopsis(name, command)}\n```",
        *(["## Description", *more] if more else []),
        *_options(command),
        "## Examples",
        _examples(name, command),
        EXIT,
        f"## See also\n\n{others + ', ' if others else ''}[all commands](../cli.md)",
    ]
    return "\n\n".join(parts) + "\n"


def _synopsis(name: str, command: Any) -> str:
    arguments = [p.metavar or p.name.upper() for p in command.params if p.param_type_name == "argument"]
    required = [f"{p.opts[0]} {p.metavar or p.name.upper()}" for p in command.params if _is_required(p)]
    return " ".join(["cutline", name, *required, "[OPTIONS]", *arguments])


def _is_required(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "option" and parameter.required)


def _first(command: Any) -> str:
    return inspect.cleandoc(command.help).split("\n\n")[0].replace("\n", " ")


def _options(command: Any) -> Iterator[str]:
    """The arguments and the options, in the groups of the help."""
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    groups = ({"Arguments": arguments} if arguments else {}) | group_options(command)
    for title, parameters in groups.items():
        yield f"## {title}\n\n" + "\n".join(map(_entry, parameters))


def _entry(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"- `{parameter.metavar or parameter.name.upper()}`: {parameter.help}"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    choices = getattr(parameter.type, "choices", ())
    facts = [f"One of {', '.join(choices)}."] if choices else []
    facts += [f"Default: {parameter.default}."] if parameter.default and not parameter.required else []
    stop = "" if parameter.help.endswith(".") or not facts else "."
    return " ".join([f"- {names}: {parameter.help}{stop}", *facts])


def examples(command: Any) -> list[str]:
    """The examples of a command, as they are typed."""
    return [text.strip() for text in command.epilog.partition(":")[2].split("; ")]


def _examples(name: str, command: Any) -> str:
    """The examples with what they print, on the example data."""
    typed = [*BEFORE.get(name, []), *examples(command)]
    run = [line for line in typed if not line.startswith(NOT_RUN)]
    shown = dict(zip(run, session(run), strict=True))
    lines = [part for line in typed for part in (f"$ {line}", *_shortened(shown.get(line, "")))]
    about = "On [predictions.csv](../assets/predictions.csv), 569 tumours:\n\n" if "predictions.csv" in lines[0] else ""
    return f"{about}```console\n" + "\n".join(lines) + "\n```"


def _shortened(text: str) -> list[str]:
    lines = text.splitlines()
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], "..."]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        example_files.write(Path(made))
        for file in ("predictions.csv", "ten_cases.csv"):
            shutil.copy(Path(made, file), PAGE.with_name("assets"))
    PAGE.write_text(page(), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for one in commands():
        (FOLDER / f"{one}.md").write_text(command_page(one), encoding="utf-8")
