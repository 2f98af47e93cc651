"""The options of `cut` and `apply`, each with what it means and an example. Nothing here loads numpy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cutline.cli import options as o
from cutline.cli.completion import measure_names
from cutline.core.errors import ParameterError

_OUTPUT = "Output"


class Method(StrEnum):
    """How the best cut is found."""

    optimum = "optimum"
    mean = "mean"
    smooth = "smooth"
    kernel = "kernel"
    normal = "normal"


Promise = Annotated[
    tuple[str, ...],
    typer.Option(
        metavar="<str>",
        help="What the cut has to keep; repeat it for more. Examples: --require 'recall >= 0.9', "
        "--require 'fpr <= 0.05', --require 'precision.low >= 0.5'",
    ),
]
Maximize = Annotated[
    str | None,
    typer.Option(
        help="The measure that should be high. Example: --maximize f_beta@beta=2", autocompletion=measure_names
    ),
]
Minimize = Annotated[
    str | None,
    typer.Option(
        help="The measure that should be low, or corner. Example: --minimize balanced_error_rate",
        autocompletion=measure_names,
    ),
]
CostFp = Annotated[float | None, typer.Option(help="What a false positive costs. Example: --cost-fp 1 --cost-fn 20")]
CostFn = Annotated[float | None, typer.Option(help="What a missed positive costs. Example: --cost-fp 1 --cost-fn 20")]
Utility = Annotated[
    str | None, typer.Option(help="What outcomes are worth, of tp, fp, fn and tn. Example: --utility tp=90,fp=-10")
]
Quotas = Annotated[
    tuple[float, ...],
    typer.Option(
        "--quota",
        metavar="<float>",
        help="How many cases can be acted on; repeated, the quotas at which precision is tested. Example: --quota 500",
    ),
]
CutShare = Annotated[
    float | None, typer.Option("--share", help="The same as a share of the list. Example: --share 0.05")
]
At = Annotated[
    float | None,
    typer.Option("--at", help="Say what can be promised at this threshold, however it was found. Example: --at 0.31"),
]
Prevalence = Annotated[
    float | None,
    typer.Option(help="The prevalence where the cut will be used, if it differs. Example: --prevalence 0.01"),
]
Confidence = Annotated[float, typer.Option(help="The confidence of all promises together. Example: --confidence 0.99")]
Estimates = Annotated[
    bool, typer.Option("--estimates", help="Check the requirements on the estimates, and promise nothing.")
]
AfterLooking = Annotated[
    bool,
    typer.Option(
        "--after-looking",
        help="Promise only what holds at every cut at once, so that you may choose after looking at the results.",
    ),
]
CutMethod = Annotated[Method, typer.Option("--method", help="How the best cut is found. Example: --method smooth")]
Repeats = Annotated[
    int | None,
    typer.Option("--resamples", help="How often the choice is repeated; 1000 on small data. Example: --resamples 2000"),
]
CutFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the cut to this file. Example: -o cut.json", rich_help_panel=_OUTPUT),
]
Flagged = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The copy: CSV, Parquet, JSON lines or Arrow by its name, also .csv.gz; without it, CSV is printed. "
        "Example: -o flagged.csv",
        rich_help_panel=_OUTPUT,
    ),
]
FlagColumn = Annotated[
    str | None,
    typer.Option(
        "--column",
        help="What the new column is called; flagged or recalibrated by default. Example: --column refer",
        rich_help_panel=_OUTPUT,
    ),
]


@dataclass(frozen=True)
class Wish:
    """What the cut is for, as choose_cut() takes it."""

    require: Promise = ()
    maximize: Maximize = None
    minimize: Minimize = None
    cost_fp: CostFp = None
    cost_fn: CostFn = None
    utility: Utility = None
    quota: Quotas = ()
    share: CutShare = None
    at: At = None
    prevalence: Prevalence = None
    confidence: Confidence = 0.95
    estimates: Estimates = False
    after_looking: AfterLooking = False
    method: CutMethod = Method.optimum
    resamples: Repeats = None
    seed: o.Seed = 0

    @property
    def chooses(self) -> bool:
        """Whether anything says how to choose a cut."""
        wishes = (self.maximize, self.minimize, self.cost_fp, self.cost_fn, self.utility, self.share)
        return bool(self.require or self.quota or self.estimates) or any(one is not None for one in wishes)

    def arguments(self) -> dict[str, Any]:
        """The keywords of choose_cut()."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        del given["require"], given["estimates"], given["confidence"]
        given.pop("at", None)
        quota = self.quota[0] if len(self.quota) == 1 else list(self.quota) or None
        utility = None if self.utility is None else _utility(self.utility)
        confidence = None if self.estimates else self.confidence
        return given | {"quota": quota, "utility": utility, "level": confidence, "method": self.method.value}


def _utility(text: str) -> dict[str, float]:
    """What outcomes are worth, from text such as tp=90,fp=-10."""
    found = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        try:
            if not sign:
                raise ValueError
            found[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(f"--utility is {text!r}", "pass values such as tp=90,fp=-10") from None
    return found
