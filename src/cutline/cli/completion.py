"""Completion by the tab key: the script of each shell, and the names that only cutline knows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_CUTLINE_COMPLETE"


# ---------------------------------------------------------------------- names


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the measures, by any of their names, that begin so."""
    from cutline import MEASURES

    return _filter_names(incomplete, MEASURES.names)


def complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return completions of the last measure in a list."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_measure(ctx, param, last)]


def complete_chart(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem] | list[str]:
    """Return the charts that begin so; for the first argument, which is a file, let the shell offer files."""
    from cutline.charts import CHARTS

    return _filter_names(incomplete, CHARTS) if ctx.params.get("what") else [CompletionItem(incomplete, type="file")]


def complete_study(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the studies that begin so."""
    from cutline.studies import STUDIES

    return _filter_names(incomplete, STUDIES)


def _filter_names(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


# ---------------------------------------------------------------------- scripts


def make_script(command: click.Command, shell: str) -> str:
    """Return the script with which a shell completes the command."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 - one of SHELLS
    source = made(command, {}, "cutline", _VARIABLE).source()
    # Values such as auc,brier hold commas: the shell splits the kind of a value from the value, and no further.
    return source.replace('string split ","', 'string split --max 1 ","') if shell == "fish" else source


def install_completion(command: click.Command, shell: str) -> Path:
    """Write the script of a shell below the home folder, and have the shell load it; return where the script is."""
    home = Path.home()
    place = {
        "bash": home / ".bash_completions" / "cutline.sh",
        "zsh": home / ".zfunc" / "_cutline",
        "fish": home / ".config" / "fish" / "completions" / "cutline.fish",
    }[shell]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(make_script(command, shell), encoding="utf-8")
    if shell == "bash":
        _add_line(home / ".bashrc", f"source '{place}'")
    elif shell == "zsh":
        _add_line(home / ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit")
    return place


def _add_line(file: Path, line: str) -> None:
    """Add a line to a file of settings, once."""
    settings = file.read_text(encoding="utf-8") if file.exists() else ""
    if line not in settings.splitlines():
        file.write_text(f"{settings.rstrip()}\n{line}\n".lstrip(), encoding="utf-8")


def find_shell() -> str:
    """Return the shell of the reader, by its environment."""
    from cutline.core.errors import ParameterError

    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise ParameterError(
            f"The shell is unknown (SHELL is {name!r})", f"pass one of {', '.join(SHELLS)} after the option"
        )
    return name
