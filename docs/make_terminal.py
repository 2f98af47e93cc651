"""Draw docs/terminal.svg, the picture of a terminal in the README: `make docs`."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from cutline import evaluate
from cutline.cli.evaluate import render_evaluation, summarize_evaluation
from cutline.cli.options import SelectionOptions
from cutline.cli.render import make_notes
from cutline.examples import load

PICTURE = Path(__file__).with_name("terminal.svg")
# Fonts of the reader's machine: a picture in a repository should ask no server for anything.
TEMPLATE = re.sub(r"@font-face {{.*?}}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def picture() -> str:
    """The tumours as `cutline evaluate` shows them in a terminal of 100 columns."""
    tumours = load("tumours")
    ev = evaluate(tumours.labels, tumours.scores["logistic"], positive=tumours.positive, name="logistic", quota=100)
    screen = Console(record=True, width=100, force_terminal=True, file=io.StringIO(), markup=False, highlight=False)
    summary = summarize_evaluation(ev, SelectionOptions(), quiet=True)
    screen.print(render_evaluation(screen, summary))
    screen.print(make_notes(summary.notes))
    title = "cutline evaluate tumours.csv --score logistic --positive malignant --quota 100"
    return screen.export_svg(title=title, code_format=TEMPLATE, unique_id="cutline")


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
