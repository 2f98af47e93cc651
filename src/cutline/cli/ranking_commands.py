"""The commands `rank`, `merge` and `sql`: their options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cutline.cli import engine_options as e
from cutline.cli import options as o
from cutline.cli.groups import Columns, Reading


class Dialect(StrEnum):
    """The warehouses that queries are written for."""

    duckdb = "duckdb"
    postgres = "postgres"
    bigquery = "bigquery"
    snowflake = "snowflake"
    clickhouse = "clickhouse"
    spark = "spark"


def rank(
    output: e.RankingFile,
    files: e.Files = None,
    label: o.Label = None,
    score: o.Score = None,
    weight: o.Weight = None,
    positive: o.Positive = None,
    lower_is_positive: o.LowerIsPositive = False,
    threshold: Annotated[
        float | None,
        typer.Option(help="A threshold that no bin may straddle, where scores are binned. Example: --threshold 0.3"),
    ] = None,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    memory: e.Memory = None,
    exact: e.Exact = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """The command `rank`."""
    from cutline.cli.rankings import run_rank

    how = Reading(
        Columns(label, () if score is None else (score,), weight),
        positive=positive,
        lower_is_positive=lower_is_positive,
        threshold=threshold,
        missing=missing,
        format=format,
        memory=memory,
        exact=exact,
    )
    run_rank(files or [], how, output, force=force, quiet=quiet)


def merge(
    output: e.RankingFile,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Ranking files.", show_default=False)],
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """The command `merge`."""
    from cutline.cli.rankings import run_merge

    run_merge(files, output, force=force, quiet=quiet)


def sql(
    label: Annotated[str, typer.Option(help="The column of the labels. Example: --label y")],
    score: Annotated[str, typer.Option(help="The column of the scores. Example: --score p")],
    table: Annotated[
        str, typer.Option("--from", help="The table, or a query in parentheses. Example: --from shop.predictions")
    ],
    dialect: Annotated[
        Dialect, typer.Option(help="The warehouse that is to run the query. Example: --dialect bigquery")
    ] = Dialect.duckdb,
    weight: o.Weight = None,
    positive: o.Positive = None,
    bins: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Group the scores into this many bins for each doubling, instead of one row for each distinct score; "
            "the result shows what that leaves uncertain. Example: --bins 65536",
        ),
    ] = None,
) -> None:
    """The command `sql`."""
    from cutline.cli.rankings import run_sql

    run_sql(label, score, table, dialect.value, weight, positive, bins)
