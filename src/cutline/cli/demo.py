"""`cutline demo`: the main job on the example predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import command
from cutline.cli.evaluate import render_evaluation, summarize_evaluation
from cutline.cli.options import SelectionOptions
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.core.ranking import Ranking


@command
@o.HTML
@o.FORCE
def demo(html: Path | None, force: bool) -> None:
    """Show the ten cases of Figure 2, then the tumours: two models compared, and one in full."""
    from cutline.examples import load

    screen = render.make_console()
    ten, tumours = load("ten_cases"), load("tumours")
    cases = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive)
    screen.print(render.make_grid(screen, *_list_cuts(cases.ranking), title=f"Every cut of {ten.description}"))
    screen.print(Text(f"AUC {format_value(cases.auc)}, largest J at score >= {cases.threshold_of('max_youden_j'):g}\n"))

    together = cl.compare(tumours.labels, tumours.scores, positive=tumours.positive)
    screen.print(Text(f"{tumours.description}: {together.verdict('auc')}\n"))
    ev = together["logistic"].with_cut(quota=100)
    summary = summarize_evaluation(ev, SelectionOptions(), quiet=False)
    screen.print(render_evaluation(screen, summary))
    screen.print(render.make_notes(summary.notes))
    screen.print(Text("\nYours: cutline evaluate predictions.csv --label y --score p", style="dim"))
    if html is not None:
        ev.save(html, overwrite=force)
        screen.print(Text(f"The report is {html}"), soft_wrap=True)


def _list_cuts(r: Ranking) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return Berrar's Figure 2: each cut with its counts and rates."""
    c, names = r.counts, ("tp", "fp", "tpr", "fpr", "precision", "lift")
    columns = [c.threshold.tolist(), *(getattr(c, name).tolist() for name in names)]
    rows = [[format_value(cell) for cell in row] for row in zip(*columns, strict=True)]
    return ("score >=", "TP", "FP", "TPR", "FPR", "precision", "lift"), rows
