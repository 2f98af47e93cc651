"""`cutline plan`: the size of a validation study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import Declaration, Fraction, add_options, command, option
from cutline.cli.output import print_json
from cutline.core import atomic_write

EXPECT = "Say what you expect"
WIDTHS = "Say how narrow the intervals must be"
TESTS = "Compare two models"


def _declare_fraction(name: str, group: str, help: str, **settings: Any) -> Declaration:
    """Declare an option that takes a share or a width."""
    return option(name, type=Fraction(), group=group, help=help, **settings)


@dataclass(frozen=True)
class StudyOptions:
    """Assumptions and aims of a study, as plan() takes them."""

    prevalence: float = _declare_fraction(
        "--prevalence", EXPECT, "The share of positives. Example: --prevalence 0.1", required=True
    ).field()
    auc: float | None = _declare_fraction("--auc", EXPECT, "The expected AUC. Example: --auc 0.75").field()
    auc_width: float | None = _declare_fraction(
        "--auc-width", WIDTHS, "The target width of its interval. Example: --auc-width 0.1"
    ).field()
    auc_method: str = option(
        "--auc-method",
        type=click.Choice(["hanley_mcneil", "newcombe"]),
        default="hanley_mcneil",
        group=WIDTHS,
        advanced=True,
        help="The interval of the AUC. Example: --auc-method newcombe",
    ).field()
    other_auc: float | None = _declare_fraction(
        "--other-auc", TESTS, "The AUC of a second model on the same cases. Example: --other-auc 0.8"
    ).field()
    correlation: float = _declare_fraction(
        "--correlation", TESTS, "The correlation of the two estimates. Example: --correlation 0.6", default=0.5
    ).field()
    oe_width: float | None = _declare_fraction(
        "--oe-width", WIDTHS, "The target width of the O:E ratio. Example: --oe-width 0.2"
    ).field()
    slope_width: float | None = _declare_fraction(
        "--slope-width", WIDTHS, "The target width of the calibration slope. Example: --slope-width 0.2"
    ).field()
    intercept_width: float | None = _declare_fraction(
        "--intercept-width", WIDTHS, "The target width of the intercept. Example: --intercept-width 0.4"
    ).field()
    recall: float | None = _declare_fraction("--recall", EXPECT, "The expected recall. Example: --recall 0.9").field()
    recall_width: float | None = _declare_fraction(
        "--recall-width", WIDTHS, "The target width of the recall. Example: --recall-width 0.1"
    ).field()
    specificity: float | None = _declare_fraction(
        "--specificity", EXPECT, "The expected specificity. Example: --specificity 0.8"
    ).field()
    specificity_width: float | None = _declare_fraction(
        "--specificity-width", WIDTHS, "The target width of the specificity. Example: --specificity-width 0.1"
    ).field()
    threshold: float | None = _declare_fraction(
        "--threshold", EXPECT, "Cases with at least this risk are flagged. Example: --threshold 0.1"
    ).field()
    net_benefit_width: float | None = _declare_fraction(
        "--net-benefit-width",
        WIDTHS,
        "The target width of the standardised net benefit. Example: --net-benefit-width 0.2",
    ).field()
    discordant: tuple[float, float] | None = option(
        "--discordant",
        type=Fraction(),
        nargs=2,
        group=TESTS,
        help="The shares of cases that only the first and only the second model gets right. "
        "Example: --discordant 0.1 0.05",
    ).field()
    log_odds: tuple[float, float] | None = option(
        "--log-odds",
        type=float,
        nargs=2,
        group=EXPECT,
        advanced=True,
        help="The mean and standard deviation of the log odds of the risks, if they are known. "
        "Example: --log-odds -2.5 0.9",
    ).field()
    power: float = _declare_fraction(
        "--power", TESTS, "The target power of tests. Example: --power 0.9", default=0.8
    ).field()
    level: float = _declare_fraction(
        "--level", WIDTHS, "The level of the intervals. Example: --level 0.9", default=0.95
    ).field()


@command
@add_options(StudyOptions, "study")
@option(
    "--chart", type=o.PATH, group=o.OUTPUT, help="Draw the widths over the number of cases. Example: --chart plan.png"
)
@o.JSON
@o.FORCE
def plan(study: StudyOptions, chart: Path | None, json: bool, force: bool) -> None:
    """Plan a study, print the plan, and draw it."""
    planned = cl.plan(**vars(study))
    if chart is not None:
        atomic_write.check(chart, overwrite=force)
        planned.chart().save(chart)
    if json:
        print_json(planned.to_dict())
    else:
        render.make_console().print(Text(repr(planned)))
