"""What commands print, as pages show it: in a folder that holds the files of the documentation."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import chdir
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from cutline.cli.main import app

sys.path.append(str(Path(__file__).parents[1]))

import example_files

WIDTH = "100"


def session(commands: Iterable[str]) -> list[str]:
    """What each of some `cutline` commands prints, one after the other in the same folder; each must end well.

    Args:
        commands: The commands, as they are typed.
    """
    with tempfile.TemporaryDirectory() as folder, chdir(shutil.copytree(_files().name, folder, dirs_exist_ok=True)):
        return [run(command) for command in commands]


@cache
def _files() -> tempfile.TemporaryDirectory[str]:
    """A folder with the files of the documentation, until the program ends."""
    folder = tempfile.TemporaryDirectory()
    example_files.write(Path(folder.name))
    return folder


def run(command: str, codes: tuple[int, ...] = (0,)) -> str:
    """What a command prints in this folder.

    Args:
        command: The command, as it is typed.
        codes: The exit codes with which it may end.
    """
    words = shlex.split(command, comments=True)[1:]
    result = CliRunner().invoke(app, words, env=dict(os.environ, COLUMNS=WIDTH, NO_COLOR="1"))
    if result.exit_code not in codes:
        raise RuntimeError(f"`{command}` ended with {result.exit_code}: {result.output or result.exception!r}")
    return "\n".join(line.rstrip() for line in result.output.rstrip().splitlines())
