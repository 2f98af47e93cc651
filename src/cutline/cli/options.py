"""The options that several commands share, each declared once: with its group in the help, what it means, an example.

Options that belong together are the fields of a dataclass. Nothing here loads numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from cutline.cli.command import FileName as FileName
from cutline.cli.command import Fraction, argument, nest_options, option
from cutline.cli.command_table import OUTPUT as OUTPUT
from cutline.cli.command_table import READING as READING
from cutline.cli.completion import complete_measures
from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from cutline.measures import Measure

# The groups of options in the help, by what people do.
DATA = "Describe the data"
CUT = "Set the cut"
NUMBERS = "Choose the numbers"
CONDITIONS = "Say what must hold"

PATH = FileName(Path)

# ---------------------------------------------------------------------- files

FILE = argument(
    "file",
    type=FileName(),
    metavar="FILE",
    help="Predictions: CSV with any delimiter, Excel, Parquet, JSON lines or Arrow; - reads standard input.",
)
FILES = argument(
    "files",
    type=FileName(),
    nargs=-1,
    metavar="FILE...",
    help="Predictions: CSV with any delimiter, Excel, Parquet, JSON lines or Arrow. Several files, a folder or a "
    "quoted pattern such as 'preds/*.parquet' are one table; a .ranking file is a finished ranking; "
    "- is standard input.",
)

# ---------------------------------------------------------------------- single options

LABEL = option("--label", group=DATA, help="The column of the labels. Example: --label y")
SCORE = option("--score", group=DATA, help="The column of the scores. Example: --score p")
WEIGHT = option(
    "--weight",
    group=DATA,
    help="The column of case weights: a weight of 2 counts as two equal rows. Example: --weight w",
)
POSITIVE = option(
    "--positive",
    group=DATA,
    help="The label that is positive; needed unless labels are 0/1, -1/1 or true/false. Example: --positive malignant",
)
LOWER_IS_POSITIVE = option(
    "--lower-is-positive",
    is_flag=True,
    group=DATA,
    help="Low scores mean positive.",
)
MISSING = option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    group=READING,
    advanced=True,
    help="Refuse rows with a missing value, or drop and count them. Example: --missing drop",
)
FORMAT = option(
    "--format",
    type=click.Choice(["csv", "parquet", "json", "arrow", "excel"]),
    group=READING,
    advanced=True,
    help="The format of the file, if its name does not say. Example: --format csv",
)
MEMORY = option(
    "--memory",
    group=READING,
    advanced=True,
    help="How much memory DuckDB may use for files before it works on disk; by default a quarter of the machine's "
    "memory. "
    "Example: --memory 2GB",
)
EXACT = option(
    "--exact",
    is_flag=True,
    group=READING,
    advanced=True,
    help="Keep all distinct scores, however many there are. Without it, more than 4 million distinct scores are "
    "binned, and the affected numbers have lower and upper bounds.",
)
CLASS_SCORES = option(
    "--class-scores",
    multiple=True,
    metavar="COLUMNS",
    group=DATA,
    help="Several classes: the columns with the scores of each class, separated by commas, each named after its class "
    "or given as CLASS=COLUMN. Examples: --class-scores ant,bee,cat, --class-scores ant=p_ant,bee=p_bee",
)
BY = option(
    "--by",
    multiple=True,
    group=DATA,
    help="Evaluate each value of this column by itself, such as each site; repeat it to cross columns. "
    "After a colon, give ranges of a number or a period of a date. Examples: --by site; --by age:0,40,65,120; "
    "--by day:month",
)
FOLD = option(
    "--fold",
    "--folds",
    "fold",
    group=DATA,
    help="The column of the folds of a cross-validation (the scores must be out of fold): means over the folds, with "
    "intervals for the model fitted on all cases. Example: --fold fold",
)
REPEAT = option(
    "--repeat",
    "--repeats",
    "repeat",
    group=DATA,
    advanced=True,
    help="With --fold: the column of the repeats, if the cross-validation was repeated. Example: --repeat r",
)
THRESHOLD = option(
    "--threshold",
    type=float,
    group=CUT,
    help="Scores at or above it are predicted positive. By default 0.5 for scores from 0 to 1, otherwise the score "
    "that flags about as many cases as are positive. Example: --threshold 0.3",
)
PREVALENCE = option(
    "--prevalence",
    type=Fraction(),
    group=CUT,
    help="The prevalence where the cut will be used, if it differs from that of these cases. Example: --prevalence "
    "0.01",
)


def _check_level(ctx: click.Context, param: click.Parameter, value: float) -> float:
    from cutline.core.validation import check_level

    return check_level(value)


LEVEL = option(
    "--level",
    type=Fraction(),
    default=0.95,
    callback=_check_level,
    group=NUMBERS,
    help="The level of the intervals. Examples: --level 0.9, --level 90%",
)
RESAMPLES = option(
    "--resamples",
    type=int,
    group=NUMBERS,
    advanced=True,
    help="The number of bootstrap resamples, for intervals without a closed form: by default 2000, or fewer for more "
    "than 2,500 distinct scores. At least 100, or 0 to leave these intervals out. "
    "Example: --resamples 500",
)
SEED = option(
    "--seed",
    type=int,
    default=0,
    group=NUMBERS,
    advanced=True,
    help="The seed of the resamples: the same seed gives the same numbers. Example: --seed 7",
)
FAMILY = option(
    "--family",
    type=click.Choice(["cut", "ranking", "probability", "quota", "cost"]),
    group=NUMBERS,
    help="All measures of one question. Example: --family ranking",
)
JSON = option("--json", is_flag=True, group=OUTPUT, help="Print JSON (docs/schema.json) instead of tables.")
CSV = option(
    "--csv",
    is_flag=True,
    group=OUTPUT,
    help="Print the numbers as CSV instead of tables. Example: --csv > numbers.csv",
)
HTML = option(
    "--html",
    type=PATH,
    group=OUTPUT,
    help="Also write the report, one HTML file with an adjustable threshold. Example: --html report.html",
)
FORCE = option("--force", is_flag=True, group=OUTPUT, help="Overwrite files that exist.")
QUIET = option(
    "--quiet",
    "-q",
    is_flag=True,
    group=OUTPUT,
    help="Print no notes and no progress: nothing on standard error but errors.",
)
RANKING_FILE = option(
    "--output",
    "-o",
    type=PATH,
    required=True,
    group=OUTPUT,
    help="The ranking file to write. Example: -o monday.ranking",
)


def _load_plug_ins(ctx: click.Context, param: click.Parameter, names: Sequence[str]) -> None:
    """Import the modules that define more measures, before the command looks for one; they may be in this folder."""
    if names:
        import sys

        from cutline.measures.entry_points import load_module

        sys.path.insert(0, str(Path.cwd()))
        for name in names:
            load_module(name)


PLUGIN = option(
    "--plugin",
    multiple=True,
    metavar="MODULE",
    group=NUMBERS,
    advanced=True,
    callback=_load_plug_ins,
    is_eager=True,
    expose_value=False,
    help="A module, or a .py file, that defines measures with cutline.measure. Example: --plugin our_measures",
)

# ---------------------------------------------------------------------- what is read


@dataclass(frozen=True)
class ColumnOptions:
    """The columns that the options name."""

    label: str | None = LABEL.field()
    scores: tuple[str, ...] = option(
        "--score",
        multiple=True,
        group=DATA,
        help="The column of the scores; to compare models, repeat it for each. Example: --score p",
    ).field()
    weight: str | None = WEIGHT.field()
    group: str | None = option(
        "--group",
        group=DATA,
        help="The column that tells which cases belong together; intervals resample whole groups. "
        "Example: --group patient",
    ).field()
    id: str | None = option(
        "--id", group=DATA, help="The column that identifies each case, which joins files. Example: --id case"
    ).field()
    stratum: str | None = option(
        "--stratum",
        group=DATA,
        advanced=True,
        help="The column of the strata that the cases, or groups, were sampled from. Example: --stratum region",
    ).field()

    @property
    def others(self) -> tuple[str, ...]:
        """Columns of weights, groups, ids and strata."""
        return tuple(name for name in (self.weight, self.group, self.id, self.stratum) if name is not None)


@dataclass(frozen=True)
class Reading:
    """Options of reading predictions; fields without an option have one in a class below."""

    columns: ColumnOptions = nest_options(ColumnOptions)
    weights_are: str | None = option(
        "--weights-are",
        type=click.Choice(["counts", "sampling", "importance"]),
        group=DATA,
        advanced=True,
        help="What the weights mean: counts of equal rows, sampling weights, or the importance of a case. Whole "
        "numbers are taken as counts unless you say otherwise. Example: --weights-are sampling",
    ).field()
    positive: str | None = POSITIVE.field()
    lower_is_positive: bool = LOWER_IS_POSITIVE.field()
    missing: Literal["error", "drop"] = MISSING.field()
    format: str | None = FORMAT.field()
    threshold: float | None = None
    quota: float | None = None
    share: float | None = None
    memory: str | None = None
    exact: bool = False

    @property
    def common(self) -> dict[str, Any]:
        """Arguments that evaluate() and compare() share."""
        return {
            "positive": self.positive,
            "threshold": self.threshold,
            "quota": self.quota,
            "share": self.share,
            "missing": self.missing,
            "higher_is_positive": not self.lower_is_positive,
            "weights_are": self.weights_are,
        }


@dataclass(frozen=True)
class ReadingAtCut(Reading):
    """The same, with the cut."""

    threshold: float | None = THRESHOLD.field()
    quota: float | None = option(
        "--quota",
        type=float,
        group=CUT,
        help="Cut so that this many cases are flagged, instead of at a threshold; adds the measures of a quota. "
        "Example: --quota 100",
    ).field()
    share: float | None = option(
        "--share",
        type=Fraction(),
        group=CUT,
        help="Cut so that this share of the cases is flagged. Examples: --share 0.05, --share 5%",
    ).field()


@dataclass(frozen=True)
class LargeReading(ReadingAtCut):
    """The same for data that may be larger than memory."""

    memory: str | None = MEMORY.field()
    exact: bool = EXACT.field()


def refuse(beside: str, given: Mapping[str, Any]) -> None:
    """Raise if an option cannot be combined with another.

    Args:
        beside: The other option.
        given: The options that cannot be combined with it, with their values, which are false where they are not given.
    """
    for name, value in given.items():
        if value:
            raise ParameterError(f"{beside} cannot be combined with {name}", "leave one of them out")


# ---------------------------------------------------------------------- which numbers


def check_resamples(resamples: int | None) -> None:
    """Raise if there are too few resamples for an interval.

    Args:
        resamples: The value of `--resamples`.
    """
    from cutline.core.validation import check_whole
    from cutline.results.resample_budget import FEWEST

    if resamples is not None and 0 < check_whole(resamples, "--resamples", 0) < FEWEST:
        raise ParameterError(
            f"--resamples is {resamples}, too few for an interval",
            f"pass at least {FEWEST}, or 0 to leave the bootstrap intervals out",
        )


@dataclass(frozen=True)
class IntervalOptions:
    """Options of the intervals."""

    level: float = LEVEL.field()
    resamples: int | None = RESAMPLES.field()
    seed: int = SEED.field()

    def check(self) -> None:
        """Raise if no interval can be made, before any file is read."""
        check_resamples(self.resamples)

    @property
    def how(self) -> dict[str, Any]:
        """Keyword arguments of summaries."""
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed}


@dataclass(frozen=True)
class MeasureOptions(IntervalOptions):
    """Options of the measures, by name, and of their intervals."""

    measures: str | None = option(
        "--measures",
        shell_complete=complete_measures,
        group=NUMBERS,
        help="The measures to show, by name or alias (`cutline measures` lists them), with parameters after @. "
        "Example: --measures auc,mcc,precision@quota=500",
    ).field()

    def check(self) -> None:
        """Raise if a measure does not exist, before any file is read."""
        _ = self.chosen
        super().check()

    @property
    def chosen(self) -> list[tuple[Measure, dict[str, Any]]] | None:
        """Measures of --measures, with their parameters."""
        from cutline.cuts.requirements import parse_terms

        return (
            None if self.measures is None else [(term.measure, term.parameters) for term in parse_terms(self.measures)]
        )

    @property
    def by_name(self) -> list[str] | None:
        """Names of the measures that the options choose; None for the headline measures."""
        chosen = self.chosen
        return None if chosen is None else [measure.name for measure, _ in chosen]


@dataclass(frozen=True)
class SelectionOptions(MeasureOptions):
    """Options of the measures, by name, by question or all, and of their intervals."""

    family: str | None = FAMILY.field()
    all: bool = option(
        "--all", is_flag=True, group=NUMBERS, help="Show all measures, not only the headline ones."
    ).field()

    def check(self) -> None:
        """Raise if options contradict each other, before any file is read."""
        if self.measures is not None and (self.family or self.all):
            raise ParameterError("--measures, --family and --all each say what to show", "pass one of them")
        super().check()

    @property
    def by_name(self) -> list[str] | None:
        """Names of the measures that the options choose; None for the headline measures."""
        from cutline.measures import MEASURES

        if self.family or self.all:
            return [m.name for m in MEASURES.search(family=self.family)]
        return super().by_name


# ---------------------------------------------------------------------- where the results go
