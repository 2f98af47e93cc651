"""`cutline mcp`: the commands as tools for assistants."""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options as o
from cutline.cli.command import command, option


@command
@option(
    "--root",
    type=o.PATH,
    required=True,
    group=o.READING,
    help="The folder whose files may be read; nothing outside it is. Example: --root predictions",
)
def mcp(root: Path) -> None:
    """Serve the tools over standard input and output."""
    from cutline.cli.mcp_server import run_server

    run_server(root)
