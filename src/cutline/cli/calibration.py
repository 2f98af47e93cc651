"""`cutline recalibrate` and `cutline plan`: better probabilities, and the size of a study that would tell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from cutline.calibration import plan, recalibrate, worth_recalibrating
from cutline.cli import render
from cutline.cli.evaluate import print_json
from cutline.cli.groups import Reading
from cutline.cli.progress import waiting
from cutline.cli.reading import read_evaluation
from cutline.cli.text import printable
from cutline.core import atomic_write
from cutline.core.errors import ParameterError


@dataclass(frozen=True)
class Wanted:
    """Which map, for which prevalence, and where it goes."""

    method: str | None = None
    to_prevalence: float | None = None
    out: Path | None = None
    folds: int = 10
    seed: int = 0


def run_recalibrate(file: str, reading: Reading, wanted: Wanted, *, json: bool, force: bool, quiet: bool) -> None:
    """Fit a map, show it and write it; or compare the methods.

    Args:
        file: The file of labels and probabilities.
        reading: How it is read.
        wanted: Which map, and where it goes.
        json: Whether JSON is printed.
        force: Whether a file may be replaced.
        quiet: Whether nothing else is printed.
    """
    if wanted.method is None and (wanted.out is not None or wanted.to_prevalence is not None):
        raise ParameterError("A map to write needs a method: pass --method, such as --method beta.")
    if wanted.out is not None:
        atomic_write.check(wanted.out, overwrite=force)
    ev, _ = read_evaluation(file, reading, None)
    with waiting("Recalibrating", quiet=quiet or json):
        if wanted.method is None:
            found: Any = worth_recalibrating(ev, folds=wanted.folds, seed=wanted.seed)
        else:
            found = recalibrate(ev, method=wanted.method)
            found = found if wanted.to_prevalence is None else found.to_prevalence(wanted.to_prevalence)
    if wanted.out is not None:
        found.save(wanted.out, overwrite=force)
    if json:
        print_json(found.to_dict())
    elif not quiet:
        screen = render.console()
        screen.print(Text(repr(found)))
        if wanted.out is not None:
            text = f"Apply it: cutline apply {printable(str(wanted.out))} new.csv -o better.csv"
            screen.print(Text(text, style="dim"))


def run_plan(wanted: dict[str, Any], chart: Path | None, *, json: bool, force: bool) -> None:
    """Plan a study, print the plan, and draw it where asked to.

    Args:
        wanted: The arguments of `plan`.
        chart: A picture to write.
        json: Whether JSON is printed.
        force: Whether a file may be replaced.
    """
    found = plan(**wanted)
    if chart is not None:
        atomic_write.check(chart, overwrite=force)
        found.chart().save(chart)
    if json:
        print_json(found.to_dict())
    else:
        render.console().print(Text(repr(found)))
