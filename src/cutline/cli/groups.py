"""Options that belong together, as the commands take them: Typer sees their fields. Nothing here loads numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cutline.cli import engine_options as e
from cutline.cli import options as o
from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from cutline.measures import Measure

SAVED = (".html", ".json", ".csv")


# ---------------------------------------------------------------------- what is read


@dataclass(frozen=True)
class Columns:
    """The columns that the options name."""

    label: o.Label = None
    scores: o.Scores = ()
    weight: o.Weight = None
    group: o.Group = None
    id: o.Id = None
    stratum: o.Stratum = None

    @property
    def others(self) -> tuple[str, ...]:
        """Those that are neither labels nor scores."""
        return tuple(name for name in (self.weight, self.group, self.id, self.stratum) if name is not None)


@dataclass(frozen=True)
class Reading:
    """How a file of predictions is to be read; what has no option here has one in a group below."""

    columns: Columns = field(default_factory=Columns)
    weights_are: o.WeightsAre = None
    positive: o.Positive = None
    lower_is_positive: o.LowerIsPositive = False
    missing: o.MissingRows = o.Missing.error
    format: o.FileFormat = None
    threshold: float | None = None
    quota: float | None = None
    share: float | None = None
    memory: str | None = None
    exact: bool = False

    @property
    def common(self) -> dict[str, Any]:
        """What evaluate() and compare() take alike."""
        return {
            "positive": self.positive,
            "threshold": self.threshold,
            "quota": self.quota,
            "share": self.share,
            "missing": self.missing.value,
            "higher_is_positive": not self.lower_is_positive,
            "weights_are": self.weights_are and self.weights_are.value,
        }


@dataclass(frozen=True)
class ReadingAtCut(Reading):
    """The same, with the cut."""

    threshold: o.Threshold = None
    quota: o.Quota = None
    share: o.Share = None


@dataclass(frozen=True)
class LargeReading(ReadingAtCut):
    """The same for data that may be larger than memory."""

    memory: e.Memory = None
    exact: e.Exact = False


# ---------------------------------------------------------------------- which numbers


def check_resamples(asked: int | None) -> None:
    """Refuse a number of resamples that makes no interval.

    Args:
        asked: What `--resamples` got.
    """
    from cutline.core.validation import check_whole
    from cutline.results.resample_budget import FEWEST

    if asked is not None and 0 < check_whole(asked, "--resamples", 0) < FEWEST:
        raise ParameterError(
            f"--resamples is {asked}, too few for an interval",
            f"pass at least {FEWEST}, or 0 to leave the bootstrap intervals out",
        )


@dataclass(frozen=True)
class Intervals:
    """How intervals are to be made."""

    level: o.Level = 0.95
    resamples: o.Resamples = None
    seed: o.Seed = 0

    def check(self) -> None:
        """Refuse what makes no interval, before any file is read."""
        check_resamples(self.resamples)

    @property
    def how(self) -> dict[str, Any]:
        """The arguments of summaries."""
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed}


@dataclass(frozen=True)
class Named(Intervals):
    """Which measures are wanted, by name, and how their intervals are to be made."""

    measures: o.Measures = None

    def check(self) -> None:
        """Refuse measures that do not exist, before any file is read."""
        _ = self.chosen
        super().check()

    @property
    def chosen(self) -> list[tuple[Measure, dict[str, Any]]] | None:
        """The measures that are named, with their parameters."""
        from cutline.cuts.requirements import terms

        return None if self.measures is None else [(term.measure, term.parameters) for term in terms(self.measures)]

    @property
    def by_name(self) -> list[str] | None:
        """The measures that the reader asked for; what the headlines have in common needs no note."""
        chosen = self.chosen
        return None if chosen is None else [measure.name for measure, _ in chosen]


@dataclass(frozen=True)
class Asked(Named):
    """Which measures are wanted, by name, by their question or all, and how their intervals are to be made."""

    family: o.InFamily = None
    all: o.All = False

    def check(self) -> None:
        """Refuse options that contradict each other, before any file is read."""
        if self.measures is not None and (self.family or self.all):
            raise ParameterError("--measures, --family and --all each say what to show", "pass one of them")
        super().check()

    @property
    def by_name(self) -> list[str] | None:
        """The measures that the reader asked for; what the headlines have in common needs no note."""
        from cutline.measures import MEASURES

        if self.family or self.all:
            return [m.name for m in MEASURES.search(family=self.family and self.family.value)]
        return super().by_name


# ---------------------------------------------------------------------- where the results go


@dataclass(frozen=True)
class Output:
    """What is printed, and whether files may be replaced."""

    json: o.Json = False
    force: o.Force = False
    quiet: o.Quiet = False

    def said(self, message: str) -> None:
        """A message beside the result."""
        from cutline.cli import render

        if not self.quiet:
            render.say(message)

    def guessed(self, guesses: Sequence[str]) -> None:
        """Say what was guessed."""
        if guesses:
            self.said(f"The columns were guessed: {' '.join(guesses)}")


@dataclass(frozen=True)
class Files(Output):
    """What is printed, and the files that are written."""

    csv: o.Csv = False
    html: o.Html = None
    save: o.Save = ()
    png: o.Png = None

    @property
    def documents(self) -> list[Path]:
        """The documents that are to be written."""
        return [*([self.html] if self.html else []), *self.save]

    @property
    def is_whole(self) -> bool:
        """Whether a report is wanted, which shows all measures unless some are named."""
        return any(path.suffix.lower() == ".html" for path in self.documents)

    def check(self, charts: Sequence[str] = ()) -> None:
        """Refuse what cannot be written, before any work is done."""
        from cutline.core import atomic_write

        if self.json and self.csv:
            raise ParameterError(
                "--json and --csv both print to standard output", "pass one of them, and --save FILE for the other"
            )
        if self.html is not None and self.html.suffix.lower() != ".html":
            raise ParameterError(f"--html is {str(self.html)!r}", "pass a path that ends in .html")
        for path in self.save:
            if path.suffix.lower() not in SAVED:
                raise ParameterError(f"--save is {str(path)!r}", f"pass a path that ends in {', '.join(SAVED)}")
        if self.png is not None and self.png.exists() and not self.png.is_dir():
            raise ParameterError(f"--png is {str(self.png)!r}, which is a file", "pass a folder")
        wanted = [self.png / f"{name}.png" for name in charts] if self.png is not None and self.png.is_dir() else []
        for path in [*wanted, *self.documents]:
            atomic_write.check(path, overwrite=self.force)


# ---------------------------------------------------------------------- gates


@dataclass(frozen=True)
class Gate:
    """What must hold."""

    require: o.Require = ()
    against: o.Against = None
    no_worse: o.NoWorse = None
    margin: o.Margin = None
    against_score: o.AgainstScore = None
    cut: o.PromisedCut = None
    undecided: o.UndecidedIs = None
    junit: o.Junit = None
    markdown: o.Markdown = None

    def check(self) -> None:
        """Refuse a gate that checks nothing, or half of something."""
        if not self.require and not self.no_worse and self.cut is None:
            raise ParameterError("There is nothing to check", "pass --require, --cut, or --against with --no-worse")
        if self.undecided is not None and not self.require and self.cut is None:
            raise ParameterError("--undecided is about --require and --cut", "pass one of them")
        if (self.against is None) != (self.no_worse is None):
            raise ParameterError("--against and --no-worse belong together", "pass both")
        if self.against is None and (self.margin is not None or self.against_score is not None):
            raise ParameterError("--margin and --against-score belong to --against", "pass that too")
        if self.margin is not None and not self.margin >= 0:
            raise ParameterError(f"--margin is {self.margin:g}", "pass the largest acceptable loss, 0 or more")


# ---------------------------------------------------------------------- advice


@dataclass(frozen=True)
class Circumstances:
    """What the model is for, as Situation takes it."""

    goal: Annotated[
        o.Goal | None, typer.Option(help="What the model is for; asked for when left out. Example: --goal quota")
    ] = None
    prevalence: Annotated[
        float | None, typer.Option(help="The share of the cases that is positive. Example: --prevalence 0.02")
    ] = None
    wrong_inclusion_costly: Annotated[
        bool,
        typer.Option("--wrong-inclusion-costly", help="A false alarm is costly. Example: --wrong-inclusion-costly"),
    ] = False
    missed_costly: Annotated[
        bool, typer.Option("--missed-costly", help="A missed positive is costly. Example: --missed-costly")
    ] = False
    cost_fp: Annotated[
        float | None, typer.Option(help="What a false positive costs. Example: --cost-fp 1 --cost-fn 20")
    ] = None
    cost_fn: Annotated[
        float | None, typer.Option(help="What a missed positive costs. Example: --cost-fp 1 --cost-fn 20")
    ] = None
    quota_known: Annotated[
        bool | None,
        typer.Option("--quota-known/--quota-unknown", help="Whether the quota is known. Example: --quota-known"),
    ] = None
    only_top_matters: Annotated[
        bool, typer.Option("--only-top-matters", help="Only the top of the list matters. Example: --only-top-matters")
    ] = False
    several_models: Annotated[
        bool, typer.Option("--several-models", help="You choose between models. Example: --several-models")
    ] = False
