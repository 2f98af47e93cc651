"""The commands `gains` and `utility`: their options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options as o


class Kind(StrEnum):
    """What decisions are worth, over what."""

    decision = "decision"
    standardised = "standardised"
    avoided = "avoided"
    difference = "difference"
    cost = "cost"
    brier = "brier"
    profit = "profit"


KindOption = Annotated[
    Kind,
    typer.Option(
        help="decision: net benefit over the risk; standardised and avoided: its variants; difference: of two models; "
        "cost, brier: over all cost ratios; profit: over the quota. Example: --kind profit --value 60 --cost 9"
    ),
]
Written = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Write the table (.csv) or a chart (.svg, .png, .pdf, .html). Example: -o gains.csv"
    ),
]
Portions = Annotated[int, typer.Option(help="Into how many portions the list is divided. Example: --portions 20")]
Value = Annotated[float | None, typer.Option(help="profit: what a true positive is worth. Example: --value 60")]
Cost = Annotated[float | None, typer.Option(help="profit: what flagging a case costs. Example: --cost 9")]
Risks = Annotated[
    list[float] | None,
    typer.Option("--risk", help="A threshold probability; 0.01 to 0.99 unless told. Example: --risk 0.1 --risk 0.2"),
]
Times = Annotated[
    int,
    typer.Option("--resamples", help="Resamples of bands and intervals; 0 leaves them out. Example: --resamples 500"),
]


def gains(
    file: o.File,
    portions: Portions = 10,
    label: o.Label = None,
    score: o.Score = None,
    weight: o.Weight = None,
    positive: o.Positive = None,
    lower_is_positive: o.LowerIsPositive = False,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    output: Written = None,
    csv: o.Csv = False,
    force: o.Force = False,
) -> None:
    """The gains table: each tenth of the list with its cases, positives, rate, lift, what is found so far, and KS."""
    from cutline.cli.reading import Columns, Reading
    from cutline.cli.utility import run_gains

    columns = Columns(label, () if score is None else (score,), weight, None)
    reading = Reading(columns, positive, lower_is_positive, 0.5, missing.value, format and format.value)
    run_gains(file, reading, portions, output, csv=csv, force=force)


def utility(
    file: o.File,
    kind: KindOption = Kind.decision,
    value: Value = None,
    cost: Cost = None,
    risk: Risks = None,
    prevalence: o.Prevalence = None,
    label: o.Label = None,
    score: o.Scores = None,
    weight: o.Weight = None,
    group: o.Group = None,
    positive: o.Positive = None,
    lower_is_positive: o.LowerIsPositive = False,
    level: o.Level = 0.95,
    resamples: Times = 1000,
    seed: o.Seed = 0,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    output: Written = None,
    csv: o.Csv = False,
    force: o.Force = False,
) -> None:
    """What decisions by the model are worth: decision, cost, Brier and profit curves, with bands and intervals."""
    from cutline.cli.reading import Columns, Reading
    from cutline.cli.utility import Asked, run_utility

    columns = Columns(label, tuple(score or ()), weight, group)
    reading = Reading(columns, positive, lower_is_positive, 0.5, missing.value, format and format.value)
    asked = Asked(kind.value, value, cost, tuple(risk or ()), prevalence, level, resamples, seed)
    run_utility(file, reading, asked, output, csv=csv, force=force)
