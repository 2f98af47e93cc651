"""The command `datasets`. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cutline.cli import options as o
from cutline.cli.groups import Files


class PairTest(StrEnum):
    """How pairs of models are tested."""

    wilcoxon = "wilcoxon"
    nemenyi = "nemenyi"


Results = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A table with a row for each data set and a column of values for each model; text names the data sets.",
        show_default=False,
    ),
]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="Small values are good, as of the Brier score. Example: that flag")
]
TestOption = Annotated[
    PairTest,
    typer.Option(help="wilcoxon: signed ranks with Holm's correction; nemenyi: mean ranks. Example: --test nemenyi"),
]
Control = Annotated[
    str | None, typer.Option(help="The model that the others are compared with. Example: --control baseline")
]


def datasets(
    file: Results,
    output: Files,
    test: TestOption = PairTest.wilcoxon,
    control: Control = None,
    lower_is_better: LowerIsBetter = False,
    level: o.Level = 0.95,
) -> None:
    """The command `datasets`."""
    from cutline.cli.folds import run_datasets

    run_datasets(file, output, test=test.value, control=control, higher_is_better=not lower_is_better, level=level)
