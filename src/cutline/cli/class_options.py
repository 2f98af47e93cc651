"""The option that names the columns of several classes. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from typing import Annotated

import typer

ClassScores = Annotated[
    list[str] | None,
    typer.Option(
        "--class-scores",
        metavar="COLUMNS",
        help="Several classes: the column with the scores of each, called as the class or given as CLASS=COLUMN, with "
        "commas between them. Examples: --class-scores ant,bee,cat, --class-scores ant=p_ant,bee=p_bee",
        rich_help_panel="Columns",
    ),
]
