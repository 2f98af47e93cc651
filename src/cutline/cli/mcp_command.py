"""The command `mcp`: its options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def mcp(
    root: Annotated[
        Path,
        typer.Option(
            "--root", help="The folder whose files may be read; nothing outside it is. Example: --root predictions"
        ),
    ],
) -> None:
    """The command `mcp`."""
    from cutline.cli.mcp_server import run_server

    run_server(root)
