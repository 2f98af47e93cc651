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
    str | None,
    typer.Option(
        "--by",
        help="Evaluate each value of this column by itself, such as each site, and show one table of all. "
        "Example: --by site",
    ),
]
Fold = Annotated[
    str | None,
    typer.Option(
        "--fold",
        "--folds",
        help="The column of the folds of a cross-validation, whose scores are of cases that their model did not see: "
        "means over the folds, with intervals for the model fitted on all cases. Example: --fold fold",
    ),
]
Repeat = Annotated[
    str | None,
    typer.Option(
        "--repeat",
        "--repeats",
        help="With --fold: the column of the repeats, where the cases were split several times. Example: --repeat r",
    ),
]
Rope = Annotated[
    float,
    typer.Option(
        "--rope",
        help="With --fold: the region of practical equivalence, the largest difference that does not matter. "
        "Example: --rope 0.01",
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
