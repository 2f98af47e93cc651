"""The commands `gains` and `utility`: their options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import cut_options as c
from cutline.cli import options as o
from cutline.cli.groups import Reading


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
Portions = Annotated[
    int | None,
    typer.Option(help="Into how many portions the list is divided; 10 by default. Example: --portions 20"),
]
Shares = Annotated[
    str | None,
    typer.Option(
        metavar="<shares>",
        help="At which shares of the list the portions end, instead; the rest is the last. Example: --shares 0.01,0.1",
    ),
]
Value = Annotated[float | None, typer.Option(help="profit: what a true positive is worth. Example: --value 60")]
Cost = Annotated[float | None, typer.Option(help="profit: what flagging a case costs. Example: --cost 9")]
Risks = Annotated[
    tuple[float, ...],
    typer.Option(
        "--risk",
        metavar="<float>",
        help="A threshold probability; by default 0.01 to 0.99. Example: --risk 0.1 --risk 0.2",
    ),
]
Times = Annotated[
    int | None,
    typer.Option(
        "--resamples",
        help="Resamples of bands and intervals that no formula gives; 2000, or fewer for long lists, by default; 0 "
        "leaves bands and intervals out. Example: --resamples 500",
    ),
]


@dataclass(frozen=True)
class Asked:
    """Which curve, and with what."""

    kind: KindOption = Kind.decision
    value: Value = None
    cost: Cost = None
    risks: Risks = ()
    prevalence: c.Prevalence = None
    level: o.Level = 0.95
    resamples: Times = None
    seed: o.Seed = 0


@dataclass(frozen=True)
class Shown:
    """What is printed, and what is written."""

    output: Written = None
    csv: o.Csv = False
    json: o.Json = False
    force: o.Force = False


def gains(file: o.File, portions: Portions = None, shares: Shares = None, *, reading: Reading, shown: Shown) -> None:
    """The command `gains`."""
    from cutline.cli.utility import portions_asked, run_gains

    run_gains(file, reading, portions_asked(portions, shares), shown)


def utility(file: o.File, asked: Asked, reading: Reading, shown: Shown) -> None:
    """The command `utility`."""
    from cutline.cli.utility import run_utility

    run_utility(file, reading, asked, shown)
