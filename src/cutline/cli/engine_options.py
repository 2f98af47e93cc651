"""The options of data that are large: which files, how much memory, bins or not. Nothing here loads numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        help="Predictions: CSV with any delimiter, Parquet, JSON lines or Arrow. Several files, a folder or a quoted "
        "pattern such as 'preds/*.parquet' are one table; a .ranking file is a finished ranking; - is standard input.",
        show_default=False,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="How much memory DuckDB may use for files before it works on disk; by default a quarter of the machine's. "
        "Example: --memory 2GB"
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Keep all distinct scores, however many there are. Without it, more than 4 million are put into bins, and "
        "the numbers that this affects have brackets. Example: --exact",
    ),
]
RankingCsv = Annotated[
    str | None,
    typer.Option(
        "--ranking-csv",
        metavar="FILE",
        help="The result of the query of `cutline sql`, in place of predictions. Example: --ranking-csv out.csv",
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        help="Evaluate each value of this column by itself, such as each site; repeat it to cross columns. "
        "Ranges of a number or periods of a date after a colon. Examples: --by site; --by age:0,40,65,120; "
        "--by day:month",
    ),
]
RankingFile = Annotated[
    Path,
    typer.Option("--output", "-o", help="The ranking file to write. Example: -o monday.ranking"),
]
Independent = Annotated[
    bool,
    typer.Option(
        "--independent",
        help="The two files hold different cases, such as two months: an unpaired comparison, which needs no --id and "
        "takes ranking files too. Example: cutline compare may.ranking june.ranking --independent",
    ),
]
SliceMeasure = Annotated[
    str, typer.Option("--measure", help="The measure that slices are compared by. Example: --measure recall")
]
Alternative = Annotated[
    str, typer.Option("--alternative", help="two-sided, worse or better. Example: --alternative worse")
]
Adjust = Annotated[
    str,
    typer.Option(
        "--adjust", help="For the number of slices: auto, westfall_young, holm, bh or none. Example: --adjust holm"
    ),
]
SliceMargin = Annotated[
    float, typer.Option("--margin", help="Worse, or better, by more than this. Example: --margin 0.05")
]
Gap = Annotated[bool, typer.Option("--gap", help="The largest difference between any two slices. Example: --gap")]
FairnessOption = Annotated[
    bool, typer.Option("--fairness", help="The criteria of group fairness at the cut. Example: --fairness")
]
Least = Annotated[
    int | None,
    typer.Option(
        "--least", help="Slices with fewer cases are left out of files (5), or of a search (50). Example: --least 20"
    ),
]
Find = Annotated[
    bool, typer.Option("--find", help="Search slices that do worse, instead of naming them. Example: --find")
]
Features = Annotated[
    str | None,
    typer.Option("--features", help="The columns that --find makes conditions of. Example: --features age,site"),
]
Depth = Annotated[
    int, typer.Option("--depth", help="The most conditions of a slice that is searched. Example: --depth 2")
]
SearchMethod = Annotated[
    str, typer.Option("--method", help="How --find tests: permutation, or split halves. Example: --method split")
]
