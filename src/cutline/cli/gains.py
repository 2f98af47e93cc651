"""`cutline gains`: what each portion of the list holds."""

from __future__ import annotations

from cutline.cli import options as o
from cutline.cli.command import Fraction, add_options, command, option
from cutline.cli.options import Reading
from cutline.cli.output import TableOrChartOutput
from cutline.cli.text import name_options
from cutline.core.errors import ParameterError


@command
@o.FILE
@option(
    "--portions",
    type=int,
    group=o.NUMBERS,
    help="The number of portions of the list; 10 by default. Example: --portions 20",
)
@option(
    "--shares",
    group=o.NUMBERS,
    help="The shares of the list at which the portions end, instead of equal portions; the rest is the last one. "
    "Example: --shares 0.01,0.1",
)
@add_options(Reading, "reading")
@add_options(TableOrChartOutput, "to")
def gains(file: str, portions: int | None, shares: str | None, reading: Reading, to: TableOrChartOutput) -> None:
    """Show the gains table, and write it or its chart."""
    from cutline.cli.reading import read_evaluation
    from cutline.curves.gains import gains as gains_table
    from cutline.results.notes import make_data_notes

    divided = _divide(portions, shares)
    to.check()
    ev, _ = read_evaluation(file, reading, None)
    for note in make_data_notes(ev.ranking, ev.cut):
        if note.rule == "reversed":
            to.say(f"! {name_options(note.text)}")
    table = gains_table(ev.ranking, divided)
    document = {
        "schema": "cutline/gains/1",
        "portions": table.to_dict(),
        "ks": table.ks,
        "ks_portion": table.ks_portion,
        "ks_anywhere": table.ks_anywhere,
    }
    to.write_and_print(table.to_csv(), document, repr(table), lambda: ev.chart("gains", portions=divided))


def _divide(portions: int | None, shares: str | None) -> int | list[float]:
    """Return how many portions there are, or the shares at which they end, from text such as "0.01,0.05,10%"."""
    if shares is None:
        return 10 if portions is None else portions
    if portions is not None:
        raise ParameterError("--portions and --shares both divide the list", "pass one of them")
    try:
        return [Fraction.read(part) for part in shares.split(",")]
    except ValueError:
        raise ParameterError(f"--shares is {shares!r}", "pass shares of the list such as 0.01,0.05,0.1") from None
