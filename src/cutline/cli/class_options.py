"""The options that name the columns of several classes. Loading this module loads Typer and nothing heavier."""

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

ClassScoresOfModels = Annotated[
    list[str] | None,
    typer.Option(
        "--class-scores",
        metavar="MODEL:COLUMNS",
        help="Several classes, once for each model: its name, a colon, and the column of each class, with commas "
        "between them. Examples: --class-scores forest:ant=f_ant,bee=f_bee --class-scores net:ant=n_ant,bee=n_bee",
        rich_help_panel="Columns",
    ),
]
