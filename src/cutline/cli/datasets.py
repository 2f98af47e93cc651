"""`cutline datasets`: models compared over several data sets."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, add_options, argument, command, option
from cutline.cli.output import FileOutput
from cutline.cli.text import escape_controls
from cutline.core.errors import InputError


@command
@argument(
    "file",
    type=FileName(),
    metavar="FILE",
    help="A table with a row for each data set and a column of values for each model; a column of text names the data "
    "sets.",
)
@add_options(FileOutput, "output")
@option(
    "--test",
    type=click.Choice(["wilcoxon", "nemenyi"]),
    default="wilcoxon",
    group=o.NUMBERS,
    help="wilcoxon: signed ranks with Holm's correction; nemenyi: mean ranks. Example: --test nemenyi",
)
@option(
    "--control",
    group=o.NUMBERS,
    help="The model that the others are compared with. Example: --control baseline",
)
@option(
    "--lower-is-better",
    is_flag=True,
    group=o.DATA,
    help="Small values are better, as for the Brier score.",
)
@o.LEVEL
def datasets(
    file: str, output: FileOutput, test: str, control: str | None, lower_is_better: bool, level: float
) -> None:
    """Compare models over data sets and show the results."""
    from cutline.report import save_comparison
    from cutline.results.notes import Note

    output.check()
    try:
        compared = cl.compare_datasets(
            file, test=test, control=control, higher_is_better=not lower_is_better, level=level
        )
    except InputError as error:  # the table is the file, and no option
        raise error.altered(argument=escape_controls(file)) if error.argument == "table" else error from None

    def print_table(screen: Console) -> None:
        lines = (repr(compared.rank_table), compared.friedman_line, repr(compared.table), compared.verdict)
        screen.print(Text("\n\n".join(lines)), soft_wrap=True)
        if not output.quiet:
            screen.print(render.make_notes([Note("datasets", text) for text in compared.notes]))

    output.print(compared.to_dict, compared.to_csv, print_table)
    if output.png is not None:
        output.png.mkdir(parents=True, exist_ok=True)
        compared.chart().save(output.png / "critical_difference.png", overwrite=output.force)
        output.say(f"The diagram is in {output.png}.")
    output.write_documents(lambda path: save_comparison(compared, path, overwrite=output.force))
