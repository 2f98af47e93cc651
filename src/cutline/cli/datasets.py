"""`cutline datasets`: models over several data sets."""

from __future__ import annotations

import click

from cutline.cli import options as o
from cutline.cli.command import FileName, argument, command, option, options_of
from cutline.cli.options import FileOutput


@command
@argument(
    "file",
    type=FileName(),
    metavar="FILE",
    help="A table with a row for each data set and a column of values for each model; text names the data sets.",
)
@option(
    "--test",
    type=click.Choice(["wilcoxon", "nemenyi"]),
    default="wilcoxon",
    group=o.NUMBERS,
    help="How pairs are tested: signed ranks with Holm's correction, or mean ranks. Example: --test nemenyi",
)
@option(
    "--control", metavar="MODEL", group=o.NUMBERS, help="Compare the others with this model. Example: --control old"
)
@option(
    "--lower-is-better",
    is_flag=True,
    group=o.DATA,
    help="Small values are good, as of the Brier score. Example: --lower-is-better",
)
@o.LEVEL
@options_of(FileOutput, "output")
def datasets(
    file: str, test: str, control: str | None, lower_is_better: bool, level: float, output: FileOutput
) -> None:
    """Compare models over data sets and show the results."""
    from cutline.cli.folds import run_datasets

    run_datasets(file, output, test=test, control=control, higher_is_better=not lower_is_better, level=level)
