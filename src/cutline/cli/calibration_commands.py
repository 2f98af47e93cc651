"""The commands `recalibrate` and `plan`: their options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options as o
from cutline.cli.groups import Columns, Reading


class Map(StrEnum):
    """How probabilities are recalibrated."""

    intercept = "intercept"
    logistic = "logistic"
    beta = "beta"
    isotonic = "isotonic"
    venn_abers = "venn_abers"


class AucMethod(StrEnum):
    """How the interval of the AUC is planned."""

    hanley_mcneil = "hanley_mcneil"
    newcombe = "newcombe"


MapMethod = Annotated[
    Map | None,
    typer.Option("--method", help="The map; without it, the methods are compared. Example: --method beta"),
]
MapFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the map to this file. Example: -o model.json")
]
NewPrevalence = Annotated[
    float | None,
    typer.Option("--to-prevalence", help="Move the map to another share of positives. Example: --to-prevalence 0.02"),
]
Folds = Annotated[
    int,
    typer.Option("--folds", help="Parts of the cases in which the methods are compared. Example: --folds 5"),
]


@dataclass(frozen=True)
class Study:
    """What is known and wanted of a study, as plan() takes it."""

    prevalence: Annotated[float, typer.Option(help="The share of positives. Example: --prevalence 0.1")]
    auc: Annotated[float | None, typer.Option(help="The AUC that is expected. Example: --auc 0.75")] = None
    auc_width: Annotated[
        float | None, typer.Option(help="The wanted width of its interval. Example: --auc-width 0.1")
    ] = None
    auc_method: Annotated[AucMethod, typer.Option(help="The interval of the AUC. Example: --auc-method newcombe")] = (
        AucMethod.hanley_mcneil
    )
    other_auc: Annotated[
        float | None, typer.Option(help="The AUC of a second model on the same cases. Example: --other-auc 0.8")
    ] = None
    correlation: Annotated[
        float, typer.Option(help="The correlation of the two estimates. Example: --correlation 0.6")
    ] = 0.5
    oe_width: Annotated[
        float | None, typer.Option(help="The wanted width of the O:E ratio. Example: --oe-width 0.2")
    ] = None
    slope_width: Annotated[
        float | None, typer.Option(help="The wanted width of the calibration slope. Example: --slope-width 0.2")
    ] = None
    intercept_width: Annotated[
        float | None, typer.Option(help="The wanted width of the intercept. Example: --intercept-width 0.4")
    ] = None
    recall: Annotated[float | None, typer.Option(help="The recall that is expected. Example: --recall 0.9")] = None
    recall_width: Annotated[
        float | None, typer.Option(help="The wanted width of the recall. Example: --recall-width 0.1")
    ] = None
    specificity: Annotated[
        float | None, typer.Option(help="The specificity that is expected. Example: --specificity 0.8")
    ] = None
    specificity_width: Annotated[
        float | None, typer.Option(help="The wanted width of the specificity. Example: --specificity-width 0.1")
    ] = None
    threshold: Annotated[
        float | None, typer.Option(help="The risk from which cases are flagged. Example: --threshold 0.1")
    ] = None
    net_benefit_width: Annotated[
        float | None,
        typer.Option(help="The wanted width of the standardised net benefit. Example: --net-benefit-width 0.2"),
    ] = None
    discordant: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="The shares of cases that only the first and only the second model gets right. "
            "Example: --discordant 0.1 0.05"
        ),
    ] = None
    log_odds: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Mean and standard deviation of the log odds of the risks, where they are known. "
            "Example: --log-odds -2.5 0.9"
        ),
    ] = None
    power: Annotated[float, typer.Option(help="The wanted power of tests. Example: --power 0.9")] = 0.8
    level: Annotated[float, typer.Option(help="The level of the intervals. Example: --level 0.9")] = 0.95


def recalibrate(
    file: o.File,
    method: MapMethod = None,
    to_prevalence: NewPrevalence = None,
    label: o.Label = None,
    score: o.Score = None,
    weight: o.Weight = None,
    positive: o.Positive = None,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    folds: Folds = 10,
    seed: o.Seed = 0,
    output: MapFile = None,
    json: o.Json = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """The command `recalibrate`."""
    from cutline.cli.calibration import Wanted, run_recalibrate

    columns = Columns(label, () if score is None else (score,), weight)
    reading = Reading(columns, positive=positive, missing=missing, format=format)
    wanted = Wanted(None if method is None else method.value, to_prevalence, output, folds, seed)
    run_recalibrate(file, reading, wanted, json=json, force=force, quiet=quiet)


def plan(
    study: Study,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the widths over the number of cases. Example: --chart plan.png")
    ] = None,
    json: o.Json = False,
    force: o.Force = False,
) -> None:
    """The command `plan`."""
    from cutline.cli.calibration import run_plan

    run_plan(vars(study) | {"auc_method": study.auc_method.value}, chart, json=json, force=force)
