"""`cutline cut`: choose a cut for the cases of a file, and say what can be promised of it."""

from __future__ import annotations

from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.cut_options import Wish
from cutline.cli.evaluate import print_json
from cutline.cli.groups import Output, Reading, check_resamples
from cutline.cli.progress import waiting
from cutline.cli.reading import read_evaluation
from cutline.cli.text import in_options, printable
from cutline.core import atomic_write
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.core.validation import check_level
from cutline.cuts.choose import choose_cut
from cutline.cuts.cut import Cut
from cutline.cuts.cut_at import cut_at
from cutline.evaluation import Evaluation


def run_cut(file: str, reading: Reading, wish: Wish, out: Path | None, output: Output) -> bool:
    """Choose a cut, show it, and write it where asked to; whether there is one.

    Args:
        file: The file of predictions.
        reading: How it is read.
        wish: What the cut is for.
        out: Where the cut is written to.
        output: What is printed; nothing but the threshold when it is quiet.
    """
    check_resamples(wish.resamples)
    if out is not None:
        atomic_write.check(out, overwrite=output.force)
    with waiting("Choosing", quiet=output.quiet):
        ev, _ = read_evaluation(file, reading, None)
        cut = _cut(ev, wish)
    if out is not None and cut.possible:
        cut.save(out, overwrite=output.force)
    if output.json:
        print_json(cut.to_dict())
    elif output.quiet:
        render.put(f"{cut.threshold!r}\n" if cut.possible else "")
    else:
        _show(cut, out)
    return cut.possible


def _cut(ev: Evaluation, wish: Wish) -> Cut:
    """Choose the cut, or take the threshold that is given."""
    check_level(wish.confidence, "confidence")
    if wish.at is None:
        return choose_cut(ev, *wish.require, **wish.arguments())
    if wish.chooses:
        raise ParameterError("--at gives the threshold, so nothing is chosen", "leave the other wishes out")
    return cut_at(ev, threshold=wish.at, level=wish.confidence, prevalence=wish.prevalence)


def _show(cut: Cut, out: Path | None) -> None:
    screen = render.console()
    screen.print(Text(printable(cut.statement), style="bold"))
    parts: list[RenderableType] = []
    if cut.possible:
        parts += [Text(printable(line)) for line in cut.details]
        rows = [
            (one.measure, shown(one.value), f"[{shown(one.low)}, {shown(one.high)}]" if one.has_interval else "")
            for one in cut.estimates
        ]
        level = cut.estimates[0].level if cut.estimates else 0.95
        parts += [Text(), render.grid(screen, (cut.table_title, "value", f"{100 * level:g} % interval"), rows)]
    for part in parts:
        screen.print(part)
    for title, lines in (("This assumes:", cut.assumptions if cut.possible else ()), ("Notes:", cut.notes)):
        if lines:
            screen.print(Text(f"\n{title}"))
            for line in lines:
                screen.print(Text(f"- {printable(in_options(line))}"))
    if out is not None and not cut.possible:
        screen.print(Text(f"\n{printable(str(out))} was not written."))
    elif out is not None:
        screen.print(Text(f"\nUse it: cutline apply {printable(str(out))} new.csv -o flagged.csv"))
