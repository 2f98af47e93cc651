"""`cutline sql`: the query that makes a ranking in a warehouse."""

from __future__ import annotations

import click

from cutline.cli import options as o
from cutline.cli.command import command, option
from cutline.cli.output import write_stdout


@command
@option("--label", required=True, group=o.DATA, help="The column of the labels. Example: --label y")
@option("--score", required=True, group=o.DATA, help="The column of the scores. Example: --score p")
@option(
    "--from",
    "table",
    required=True,
    group=o.DATA,
    help="The table, or a query in parentheses. Example: --from shop.predictions",
)
@option(
    "--dialect",
    type=click.Choice(["duckdb", "postgres", "bigquery", "snowflake", "clickhouse", "spark"]),
    default="duckdb",
    group=o.DATA,
    help="The data warehouse that will run the query. Example: --dialect bigquery",
)
@o.WEIGHT
@o.POSITIVE
@option(
    "--bins",
    type=click.IntRange(min=1),
    group=o.READING,
    help="Group the scores into this many bins for each doubling, instead of one row for each distinct score; "
    "the result shows what that leaves uncertain. Example: --bins 65536",
)
def sql(
    label: str, score: str, table: str, dialect: str, weight: str | None, positive: str | None, bins: int | None
) -> None:
    """Print the query of a ranking."""
    from cutline.inputs.ranking_tables import write_ranking_query

    write_stdout(write_ranking_query(label, score, table, dialect, weight=weight, positive=positive, bins=bins) + "\n")
