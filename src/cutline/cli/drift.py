"""`cutline drift`: whether the scores of two periods have the same distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, Fraction, add_options, argument, command, option
from cutline.cli.output import Output, PageOutput
from cutline.cli.text import escape_controls
from cutline.core.errors import InputError, ParameterError
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.monitoring.score_drift import Drift


@command
@argument("reference", type=FileName(), metavar="REFERENCE", help="The first period: a table or a ranking file.")
@argument("sample", type=FileName(), metavar="SAMPLE", help="The second period.")
@o.SCORE
@o.LABEL
@o.THRESHOLD
@option(
    "--bins",
    type=int,
    default=10,
    group=o.NUMBERS,
    help="The number of bins, by quantiles of the first period. Example: --bins 20",
)
@o.LEVEL
@option(
    "--fail-on-drift",
    is_flag=True,
    group=o.CONDITIONS,
    help="Exit 1 when the scores have drifted.",
)
@option(
    "--no-worse",
    group=o.CONDITIONS,
    help="With labels: exit 1 when the second period is worse in one of these. Example: --no-worse auc,recall",
)
@option(
    "--margin",
    type=Fraction(),
    group=o.CONDITIONS,
    help="The loss that would be acceptable: --no-worse then passes only if the interval excludes any larger one. "
    "Example: --margin 0.02",
)
@add_options(PageOutput, "output")
@click.pass_context
def drift(
    ctx: click.Context,
    reference: str,
    sample: str,
    score: str | None,
    label: str | None,
    threshold: float | None,
    bins: int,
    level: float,
    fail_on_drift: bool,
    no_worse: str | None,
    margin: float | None,
    output: PageOutput,
) -> None:
    """Compare the scores of two periods, and with --label their measures."""
    import cutline as cl

    output.check()
    if margin is not None and no_worse is None:
        raise ParameterError("--margin belongs to --no-worse", "pass that too")
    column = score or _guess_score([reference, sample], output)
    result = cl.drift(reference, sample, score=column, label=label, cut=threshold, bins=bins, level=level)
    gate = None if no_worse is None else result.no_worse([name.strip() for name in no_worse.split(",")], margin=margin)
    output.write_page(result)
    output.print(result.to_dict, result.table.to_csv, lambda screen: _show(screen, result))
    failed = [] if gate is None else [row["measure"] for row in gate if not row["passed"]]
    if failed:
        output.say(f"{result.sample.name} is worse than {result.reference.name} in {', '.join(failed)}.")
    ctx.exit(1 if failed or (fail_on_drift and result.drifted) else 0)


def _guess_score(paths: list[str], output: Output) -> str | None:
    """Return the column of the scores where only one can be meant; None if no table is read."""
    from cutline.core.ranking_file import is_ranking_file
    from cutline.inputs.column_source import SCORES, open_source

    tables = [path for path in paths if not is_ranking_file(path)]
    if not tables:
        return None
    columns = open_source(tables[0]).columns
    usual = [name for name in columns if name.strip().lower() in SCORES] or list(columns)
    if len(usual) != 1:
        raise InputError(f"Which column of {escape_controls(tables[0])} holds the scores? Pass --score.")
    output.say_guesses([f"--score {escape_controls(usual[0])}"])
    return usual[0]


def _show(screen: Console, result: Drift) -> None:
    """Print the bins, the measures where there are labels, and the verdict."""
    rows = [[format_value(cell) for cell in row] for row in result.table.rows]
    screen.print(render.make_grid(screen, result.table.columns, rows, title=result.title))
    if result.performance is not None:
        names = [name for name in result.performance.columns if name not in ("method", "note", "at_least", "at_most")]
        rows = [[format_value(row[name]) for name in names] for row in result.performance]
        screen.print(render.make_grid(screen, names, rows, title=f"{result.sample.name} minus {result.reference.name}"))
    screen.print(Text(escape_controls(result.verdict)))
