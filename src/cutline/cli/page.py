"""`cutline page`: the page that takes a file, for people without Python."""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import command, option


@command
@option(
    "--output",
    "-o",
    type=o.PATH,
    default="cutline.html",
    group=o.OUTPUT,
    help="Where the page is written; cutline.html by default. Example: -o cutline.html",
)
@o.LEVEL
@o.FORCE
def page(output: Path, level: float, force: bool) -> None:
    """Write the page, and say where it is."""
    from rich.text import Text

    from cutline.file_page import save

    path = save(output, level=level, overwrite=force)
    screen = render.make_console()
    screen.print(
        Text(f"The page is {path}: open it in a browser. It works offline, and data stay in it."), soft_wrap=True
    )
