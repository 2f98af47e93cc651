"""The commands `cut` and `apply`. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from typing import Annotated

import typer

from cutline.cli import cut_options as c
from cutline.cli import options as o
from cutline.cli.groups import Output, Reading


def cut(
    file: o.File, wish: c.Wish, reading: Reading, out: c.CutFile = None, *, output: Output, plugin: o.Plugin = None
) -> None:
    """The command `cut`."""
    from cutline.cli.cut import run_cut

    raise typer.Exit(0 if run_cut(file, reading, wish, out, output) else 1)


def apply(
    cut: Annotated[
        str, typer.Argument(metavar="CUT", help="A cut, or a recalibration, that cutline wrote.", show_default=False)
    ],
    file: o.File,
    output: c.Flagged = None,
    score: o.Score = None,
    column: c.FlagColumn = None,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """The command `apply`."""
    from cutline.cli.apply import Application, run_apply

    asked = Application(cut, file, output, score, column, missing is o.Missing.drop, format and format.value)
    run_apply(asked, force=force, quiet=quiet)
