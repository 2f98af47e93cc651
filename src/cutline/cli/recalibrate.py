"""`cutline recalibrate`: fit a map to better probabilities, or compare the methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import Fraction, command, option
from cutline.cli.options import ColumnOptions, Reading
from cutline.cli.output import print_json
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls
from cutline.core import atomic_write
from cutline.core.errors import ParameterError

MAP = "Choose the map"


@command
@o.FILE
@option(
    "--method",
    type=click.Choice(["intercept", "logistic", "beta", "isotonic", "venn_abers"]),
    group=MAP,
    help="The map; without it, the methods are compared. Example: --method beta",
)
@option(
    "--to-prevalence",
    type=Fraction(),
    group=MAP,
    help="Adapt the map to another prevalence. Example: --to-prevalence 0.02",
)
@o.LABEL
@o.SCORE
@o.WEIGHT
@o.POSITIVE
@o.MISSING
@o.FORMAT
@option(
    "--folds",
    type=int,
    default=10,
    group=MAP,
    help="The number of folds in which the methods are compared. Example: --folds 5",
)
@o.SEED
@option("--output", "-o", type=o.PATH, group=o.OUTPUT, help="Write the map to this file. Example: -o model.json")
@o.JSON
@o.FORCE
@o.QUIET
def recalibrate(
    file: str,
    method: str | None,
    to_prevalence: float | None,
    label: str | None,
    score: str | None,
    weight: str | None,
    positive: str | None,
    missing: Literal["error", "drop"],
    format: str | None,
    folds: int,
    seed: int,
    output: Path | None,
    json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Fit a map, show it and write it; or compare the methods."""
    from cutline.cli.reading import read_evaluation

    if method is None and (output is not None or to_prevalence is not None):
        raise ParameterError("A map to write needs a method: pass --method, such as --method beta.")
    if output is not None:
        atomic_write.check(output, overwrite=force)
    columns = ColumnOptions(label, () if score is None else (score,), weight)
    ev, _ = read_evaluation(file, Reading(columns, positive=positive, missing=missing, format=format), None)
    with show_progress("Recalibrating", quiet=quiet or json):
        if method is None:
            result: Any = cl.worth_recalibrating(ev, folds=folds, seed=seed)
        else:
            result = cl.recalibrate(ev, method=method)
            result = result if to_prevalence is None else result.to_prevalence(to_prevalence)
    if output is not None:
        result.save(output, overwrite=force)
    if json:
        print_json(result.to_dict())
    elif not quiet:
        screen = render.make_console()
        screen.print(Text(repr(result)))
        if output is not None:
            text = f"Apply it: cutline apply {escape_controls(str(output))} new.csv -o better.csv"
            screen.print(Text(text, style="dim"))
