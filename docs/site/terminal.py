"""What a command prints, as a page shows it."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from cutline.cli.main import app

WIDTH = "100"


def printed(command: str, files: Mapping[str, Path], *, code: int = 0) -> str:
    """What a `cutline` command prints in a folder that holds some files.

    Args:
        command: The command, as it is typed.
        files: The files, by the names that the command gives them.
        code: The exit code that it must end with.
    """
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, path in files.items():
            shutil.copy(path, name)
        result = CliRunner().invoke(app, shlex.split(command)[1:], env=dict(os.environ, COLUMNS=WIDTH, NO_COLOR="1"))
    if result.exit_code != code:
        raise RuntimeError(f"`{command}` ended with {result.exit_code}: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.rstrip().splitlines())
