"""`cutline cut`: choose a cut for the cases of a file, and say what can be promised of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.evaluate import print_json
from cutline.cli.progress import waiting
from cutline.cli.reading import Reading, read_evaluation
from cutline.cli.text import in_options, printable
from cutline.core import writing
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.cuts.choice import choose_cut
from cutline.cuts.cut import Cut
from cutline.cuts.placed import cut_at
from cutline.evaluation import Evaluation


@dataclass(frozen=True)
class Wish:
    """What the cut is for, as choose_cut() takes it."""

    require: tuple[str, ...] = ()
    utility: str | None = None
    quota: tuple[float, ...] = ()
    estimates: bool = False
    confidence: float = 0.95
    others: tuple[tuple[str, Any], ...] = ()
    at: float | None = None

    def cut(self, ev: Evaluation) -> Cut:
        """The cut that is wanted: chosen, or at the threshold that is given."""
        if self.at is None:
            return choose_cut(ev, *self.require, **self.arguments())
        chosen = {"resamples", "seed", "method", "after_looking", "prevalence"}
        asked = [name for name, value in self.others if value is not None and name not in chosen]
        if self.require or self.utility or self.quota or self.estimates or asked:
            raise ParameterError("--at gives the threshold, so nothing is chosen", "leave the other wishes out")
        return cut_at(ev, threshold=self.at, confidence=self.confidence, prevalence=dict(self.others)["prevalence"])

    def arguments(self) -> dict[str, Any]:
        """The keywords of choose_cut()."""
        found = {name: value for name, value in self.others if value is not None}
        if self.quota:
            found["quota"] = self.quota[0] if len(self.quota) == 1 else list(self.quota)
        if self.utility is not None:
            found["utility"] = _utility(self.utility)
        return found | {"confidence": None if self.estimates else self.confidence}


def _utility(text: str) -> dict[str, float]:
    """What outcomes are worth, from text such as tp=90,fp=-10."""
    found = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        try:
            if not sign:
                raise ValueError
            found[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(f"--utility is {text!r}", "pass values such as tp=90,fp=-10") from None
    return found


def run_cut(file: str, reading: Reading, wish: Wish, out: Path | None, *, json: bool, force: bool, quiet: bool) -> bool:
    """Choose a cut, show it, and write it where asked to; whether there is one.

    Args:
        file: The file of predictions.
        reading: How it is read.
        wish: What the cut is for.
        out: Where the cut is written to.
        json: Whether JSON is printed.
        force: Whether a file may be replaced.
        quiet: Whether nothing but the threshold is printed.
    """
    if out is not None:
        writing.check(out, overwrite=force)
    with waiting("Choosing", quiet=quiet):
        ev, _ = read_evaluation(file, reading, None)
        cut = wish.cut(ev)
    if out is not None and cut.possible:
        cut.save(out, overwrite=force)
    if json:
        print_json(cut.to_dict())
    elif quiet:
        render.put(f"{cut.threshold!r}\n" if cut.possible else "")
    else:
        _show(cut, out)
    return cut.possible


def _show(cut: Cut, out: Path | None) -> None:
    screen = render.console()
    screen.print(Text(printable(cut.statement), style="bold"))
    parts: list[RenderableType] = []
    if cut.possible:
        low, high = cut.threshold_interval
        if low == low and high == high:
            parts.append(Text(f"Threshold {cut.threshold:.6g}, bootstrap interval {low:.6g} to {high:.6g}."))
        if cut.corrected is not None and cut.corrected.value == cut.corrected.value:
            found = cut.corrected
            parts.append(
                Text(
                    f"{cut.criterion}: {shown(cut.apparent)} on these cases, {shown(found.value)} "
                    f"[{shown(found.low)}, {shown(found.high)}] on new ones (optimism {shown(cut.optimism)})."
                )
            )
        rows = [
            (one.measure, shown(one.value), f"[{shown(one.low)}, {shown(one.high)}]" if one.has_interval else "")
            for one in cut.estimates
        ]
        level = cut.estimates[0].level if cut.estimates else 0.95
        parts += [Text(), render.grid(screen, ("at this cut", "value", f"{100 * level:g} % interval"), rows)]
    for part in parts:
        screen.print(part)
    for title, lines in (("This assumes:", cut.assumptions), ("Notes:", cut.notes)):
        if lines:
            screen.print(Text(f"\n{title}"))
            for line in lines:
                screen.print(Text(f"- {printable(in_options(line))}"))
    if out is not None and cut.possible:
        screen.print(Text(f"\nUse it: cutline apply {printable(str(out))} new.csv -o flagged.csv"))
