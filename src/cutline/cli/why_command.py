"""The command `why`: its options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from cutline.cli import options as o
from cutline.cli.completion import measure_names
from cutline.cli.groups import Reading


@dataclass(frozen=True)
class Question:
    """What is asked about a number."""

    measure: Annotated[
        str | None,
        typer.Option(
            help="The measure that the number is said to be; without it, all measures are searched. "
            "Example: --measure auc",
            autocompletion=measure_names,
        ),
    ] = None
    value: Annotated[
        str | None, typer.Option(help="The number, with all digits that were printed. Example: --value 0.8731")
    ] = None
    digits: Annotated[
        int | None,
        typer.Option(
            help="How many decimals the number was rounded to, if its digits do not show it. Example: --digits 4"
        ),
    ] = None
    training_prevalence: Annotated[
        float | None,
        typer.Option(
            help="The share of positives in the training data, for skill against it. Example: --training-prevalence 0.2"
        ),
    ] = None
    tools: Annotated[
        bool, typer.Option("--tools", help="What each tool would say, and why they differ. Example: --tools")
    ] = False
    as_: Annotated[
        str | None, typer.Option("--as", help="The number that a tool would print. Example: --as torchmetrics")
    ] = None


@dataclass(frozen=True)
class ReadingAtThreshold(Reading):
    """How the files are read, with the threshold of measures of one cut."""

    threshold: o.Threshold = None


def why(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE [OTHER]", help="Predictions; two files are compared.", show_default=False),
    ],
    question: Question,
    reading: ReadingAtThreshold,
    json: o.Json = False,
    plugin: o.Plugin = None,
) -> None:
    """The command `why`."""
    from cutline.cli.why import run_why

    run_why(files, reading, question, json=json)
