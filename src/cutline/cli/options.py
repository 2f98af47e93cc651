"""The options of the commands, each with what it means and an example. Nothing here loads numpy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutline.cli.completion import measure_list

_COLUMNS = "Columns"
_WHAT = "What to show"
_OUTPUT = "Output"
_FILE = "Input"


class KindOfWeights(StrEnum):
    """What weights are."""

    counts = "counts"
    sampling = "sampling"
    importance = "importance"


class Missing(StrEnum):
    """What to do with rows that have a missing value."""

    error = "error"
    drop = "drop"


class Theme(StrEnum):
    """The colours of charts."""

    light = "light"
    dark = "dark"
    print = "print"


class Format(StrEnum):
    """The formats of files."""

    csv = "csv"
    parquet = "parquet"
    json = "json"
    arrow = "arrow"


class Goal(StrEnum):
    """What a model may be for."""

    rank = "rank"
    decide = "decide"
    probabilities = "probabilities"
    quota = "quota"


class FamilyName(StrEnum):
    """The questions, by the short names of the registry."""

    cut = "cut"
    ranking = "ranking"
    probability = "probability"
    quota = "quota"
    cost = "cost"


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Predictions: CSV with any delimiter, Parquet, JSON lines or Arrow; - reads standard input.",
        show_default=False,
    ),
]
SeveralFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="One file with the scores of all models, or one for each, joined by --id; - reads standard input.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None, typer.Option(help="The column of the labels. Example: --label y", rich_help_panel=_COLUMNS)
]
Score = Annotated[
    str | None, typer.Option(help="The column of the scores. Example: --score p", rich_help_panel=_COLUMNS)
]
Scores = Annotated[
    tuple[str, ...],
    typer.Option(
        "--score",
        metavar="<str>",
        help="The column of the scores; to compare models, once for each. Example: --score p",
        rich_help_panel=_COLUMNS,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(help="The column of case weights: 2 is two equal rows. Example: --weight w", rich_help_panel=_COLUMNS),
]
WeightsAre = Annotated[
    KindOfWeights | None,
    typer.Option(
        help="What the weights are: counts of equal rows, sampling weights, or how much a case counts. Whole numbers "
        "are counts unless you say otherwise. Example: --weights-are sampling",
        rich_help_panel=_COLUMNS,
    ),
]
Stratum = Annotated[
    str | None,
    typer.Option(
        help="The column of the strata that the cases, or groups, were sampled from. Example: --stratum region",
        rich_help_panel=_COLUMNS,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        help="The column that says which cases belong together; intervals resample whole groups. "
        "Example: --group patient",
        rich_help_panel=_COLUMNS,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        help="The column that names each case, once; it joins files. Example: --id case", rich_help_panel=_COLUMNS
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="The label that is positive; needed unless labels are 0/1, -1/1 or true/false. "
        "Example: --positive malignant",
        rich_help_panel=_COLUMNS,
    ),
]
LowerIsPositive = Annotated[
    bool,
    typer.Option(
        "--lower-is-positive", help="Low scores mean positive. Example: --lower-is-positive", rich_help_panel=_COLUMNS
    ),
]
MissingRows = Annotated[
    Missing,
    typer.Option(help="Refuse rows with a missing value, or drop and count them. Example: --missing drop"),
]
FileFormat = Annotated[
    Format | None,
    typer.Option("--format", help="The format of the file, if its name does not say. Example: --format csv"),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="Scores at or above it are predicted positive. By default 0.5 for scores from 0 to 1, otherwise the score "
        "that flags about as many cases as are positive. Example: --threshold 0.3",
        rich_help_panel=_WHAT,
    ),
]
Quota = Annotated[
    float | None,
    typer.Option(
        help="Cut so that this many cases are flagged, instead of at a threshold; adds the measures of a quota. "
        "Example: --quota 100",
        rich_help_panel=_WHAT,
    ),
]
Share = Annotated[
    float | None,
    typer.Option(help="The same as a share of the cases. Example: --share 0.05", rich_help_panel=_WHAT),
]


def _level(value: float) -> float:
    from cutline.core.validation import check_level

    return check_level(value)


Level = Annotated[
    float,
    typer.Option(help="The level of the intervals. Example: --level 0.9", rich_help_panel=_WHAT, callback=_level),
]
Measures = Annotated[
    str | None,
    typer.Option(
        help="The measures to show, by name or alias (`cutline measures` lists them), with parameters after @. "
        "Example: --measures auc,mcc,precision@quota=500",
        rich_help_panel=_WHAT,
        autocompletion=measure_list,
    ),
]
InFamily = Annotated[
    FamilyName | None,
    typer.Option("--family", help="All measures of one question. Example: --family ranking", rich_help_panel=_WHAT),
]
All = Annotated[
    bool,
    typer.Option("--all", help="Show all measures, not only the headline ones. Example: --all", rich_help_panel=_WHAT),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        help="Resamples of the bootstrap, for intervals without a closed form: 2000, or fewer for more than 10,000 "
        "distinct scores; 0 leaves these intervals out, otherwise at least 100. Example: --resamples 500",
        rich_help_panel=_WHAT,
    ),
]
Seed = Annotated[
    int, typer.Option(help="The seed of the resamples: the same seed gives the same numbers. Example: --seed 7")
]
Name = Annotated[str | None, typer.Option(help="What to call the model. Example: --name 'model of May'")]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON (docs/schema.json) instead of tables. Example: --json", rich_help_panel=_OUTPUT
    ),
]
Csv = Annotated[
    bool,
    typer.Option(
        "--csv",
        help="Print the numbers as CSV instead of tables. Example: --csv > numbers.csv",
        rich_help_panel=_OUTPUT,
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        help="Also write the report, one HTML file with an adjustable threshold. Example: --html report.html",
        rich_help_panel=_OUTPUT,
    ),
]
Save = Annotated[
    tuple[Path, ...],
    typer.Option(
        metavar="<path>",
        help="Also write the numbers to a file that ends in .json, .csv or .html; repeat it for more. Beside a report, "
        "the files hold all that the report shows. Example: --save numbers.json",
        rich_help_panel=_OUTPUT,
    ),
]
Png = Annotated[
    Path | None,
    typer.Option(help="Also draw the charts into this folder. Example: --png charts", rich_help_panel=_OUTPUT),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite files that exist. Example: --force", rich_help_panel=_OUTPUT)
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="No notes, no progress, nothing on standard error but errors. Example: --quiet",
        rich_help_panel=_OUTPUT,
    ),
]
Require = Annotated[
    tuple[str, ...],
    typer.Option(
        metavar="<str>",
        help="A condition that must hold; repeat it for more. Examples: --require 'auc.low >= 0.8', "
        "--require 'recall@quota=500 >= 0.6', --require 'f_beta@beta=2,threshold=0.3 > 0.5'",
    ),
]
Against = Annotated[
    str | None, typer.Option(help="The predictions of the model to beat. Example: --against old.csv", metavar="FILE")
]
NoWorse = Annotated[
    str | None,
    typer.Option(
        "--no-worse",
        help="Measures in which the model must not be worse than --against, on the interval of the paired difference. "
        "Example: --no-worse auc,log_loss",
        autocompletion=measure_list,
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        help="The loss that would be acceptable: --no-worse then passes only if the interval excludes any larger one. "
        "Example: --margin 0.01"
    ),
]
AgainstScore = Annotated[
    str | None,
    typer.Option(
        "--against-score",
        help="The column of scores in --against, when it has another name. Example: --against-score p",
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(help="Also write the results as JUnit XML. Example: --junit gate.xml", rich_help_panel=_OUTPUT),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        help="Also write the results as Markdown; - prints them instead of the table. Example: --markdown gate.md",
        rich_help_panel=_OUTPUT,
    ),
]


def load_plug_ins(names: list[str] | None) -> list[str] | None:
    """Import the modules that define more measures, before the command asks for one; they may be in this folder."""
    if names:
        import sys

        from cutline.measures.entry_points import load_module

        sys.path.insert(0, str(Path.cwd()))
        for name in names:
            load_module(name)
    return names


Plugin = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE",
        help="A module, or a .py file, that defines measures with cutline.measure. Example: --plugin our_measures",
        callback=load_plug_ins,
        is_eager=True,
        rich_help_panel=_WHAT,
    ),
]


class Undecided(StrEnum):
    """What becomes of a requirement whose interval holds the bound."""

    passes = "pass"
    fails = "fail"


PromisedCut = Annotated[
    str | None,
    typer.Option(
        "--cut",
        help="Test whether the promises of this cut held on these cases; undecided ones pass unless you say otherwise. "
        "Example: --cut cut.json",
    ),
]
UndecidedIs = Annotated[
    Undecided | None,
    typer.Option(
        "--undecided",
        help="Judge values by their intervals; one that contains the bound passes or fails. Example: --undecided fail",
    ),
]


class Template(StrEnum):
    """Which page is written."""

    report = "report"
    tools = "tools"
    clinical = "clinical"


PageTemplate = Annotated[
    Template,
    typer.Option(
        "--template",
        help="The page that --html writes: the report, the report with what other tools would say of the same "
        "predictions (tools), or the validation report of a clinical model. "
        "Example: --template clinical",
        rich_help_panel=_OUTPUT,
    ),
]
