"""`cutline gains`: what each portion of the list holds. Also the output of tables and charts, as `utility` has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from cutline.cli import options as o
from cutline.cli.command import Fraction, command, option, options_of
from cutline.cli.options import Reading, TableOutput
from cutline.cli.text import in_options
from cutline.core import atomic_write
from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from cutline.charts.picture import Picture

TABLE = ".csv"


@dataclass(frozen=True)
class TableOrChart(TableOutput):
    """Options of the printed table, and of the table or chart that is written."""

    output: Path | None = option(
        "--output",
        "-o",
        type=o.PATH,
        group=o.OUTPUT,
        help="Write the table (.csv) or a chart (.svg, .png, .pdf, .html). Example: -o gains.csv",
    ).field()

    def check(self) -> None:
        """Raise if something cannot be printed or written, before any work is done."""
        from cutline.charts.picture import SUFFIXES

        super().check()
        if self.output is None:
            return
        if self.output.suffix.lower() not in (TABLE, *SUFFIXES):
            known = f"pass a name that ends in .csv, {', '.join(SUFFIXES)}"
            raise ParameterError(f"--output is {str(self.output)!r}", known)
        atomic_write.check(self.output, overwrite=self.force)

    def put(self, csv: str, document: dict[str, Any], text: str, draw: Callable[[], Picture]) -> None:
        """Write the table or the chart, and print JSON, CSV or text."""
        if self.output is not None and self.output.suffix.lower() == TABLE:
            atomic_write.write(self.output, csv.encode(), overwrite=self.force)
        elif self.output is not None:
            draw().save(self.output, overwrite=self.force)
        self.print(lambda: document, lambda: csv, lambda screen: screen.print(Text(text), soft_wrap=True))


@command
@o.FILE
@option(
    "--portions",
    type=int,
    group=o.NUMBERS,
    help="Into how many portions the list is divided; 10 by default. Example: --portions 20",
)
@option(
    "--shares",
    group=o.NUMBERS,
    help="At which shares of the list the portions end, instead; the rest is the last. Example: --shares 0.01,0.1",
)
@options_of(Reading, "reading")
@options_of(TableOrChart, "to")
def gains(file: str, portions: int | None, shares: str | None, reading: Reading, to: TableOrChart) -> None:
    """Show the gains table, and write it or its chart."""
    from cutline.cli.reading import read_evaluation
    from cutline.curves.gains import gains as gains_table
    from cutline.results.notes import data_notes

    divided = _divide(portions, shares)
    to.check()
    ev, _ = read_evaluation(file, reading, None)
    for note in data_notes(ev.ranking, ev.cut):
        if note.rule == "reversed":
            to.say(f"! {in_options(note.text)}")
    table = gains_table(ev.ranking, divided)
    document = {
        "schema": "cutline/gains/1",
        "portions": table.to_dict(),
        "ks": table.ks,
        "ks_portion": table.ks_portion,
        "ks_anywhere": table.ks_anywhere,
    }
    to.put(table.to_csv(), document, repr(table), lambda: ev.chart("gains", portions=divided))


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
