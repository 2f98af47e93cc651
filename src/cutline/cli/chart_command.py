"""The command `chart`: its options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cutline.cli import options as o
from cutline.cli.class_options import ClassScores
from cutline.cli.completion import chart_names
from cutline.cli.groups import ReadingAtCut

_PICTURE = "Picture"

What = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE NAME...",
        help="The predictions, and the charts to draw by name, or all; --list shows them. losses needs no file.",
        show_default=False,
        autocompletion=chart_names,
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        help="The picture: .svg, .png, .pdf, .html or .json. Several charts take a folder, or a name with {name} in "
        "it. Examples: -o roc.svg, -o charts, -o 'charts/{name}.png'",
        rich_help_panel=_PICTURE,
    ),
]
Listed = Annotated[bool, typer.Option("--list", help="Show all charts and end. Example: --list")]
Width = Annotated[
    str | None,
    typer.Option(
        help="The width of the whole picture in px, mm, cm or in. Example: --width 85mm", rich_help_panel=_PICTURE
    ),
]
Height = Annotated[
    str | None,
    typer.Option(help="The height of the whole picture. Example: --height 300px", rich_help_panel=_PICTURE),
]
Dpi = Annotated[
    float | None,
    typer.Option(help="Dots per inch of a .png; 192 by default. Example: --dpi 300", rich_help_panel=_PICTURE),
]
Theme = Annotated[
    o.Theme,
    typer.Option(help="print is for paper without colours. Example: --theme print", rich_help_panel=_PICTURE),
]
Title = Annotated[
    str | None,
    typer.Option(help="A title of your own. Example: --title 'Model of May'", rich_help_panel=_PICTURE),
]
Set = Annotated[
    tuple[str, ...],
    typer.Option(
        "--set",
        metavar="<str>",
        help="A parameter of the chart; repeat it for more. Example: --set cost_fn=5",
        rich_help_panel=_PICTURE,
    ),
]


@dataclass(frozen=True)
class Look:
    """How a picture looks."""

    width: Width = None
    height: Height = None
    dpi: Dpi = None
    theme: Theme = o.Theme.light
    title: Title = None
    parameters: Set = ()

    @property
    def common(self) -> dict[str, Any]:
        """What every chart takes."""
        return {"theme": self.theme.value, "title": self.title, "width": self.width, "height": self.height}


def chart(
    what: What = None,
    output: Out = None,
    list_charts: Listed = False,
    *,
    reading: ReadingAtCut,
    look: Look,
    class_scores: ClassScores = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
    plugin: o.Plugin = None,
) -> None:
    """The command `chart`."""
    from cutline.cli.chart import Drawing, run_chart, show_charts

    if list_charts:
        show_charts()
        return
    out = None if output is None else Path(output)
    drawing = Drawing(out, look.common, look.parameters, look.dpi, force, quiet)
    run_chart(what or [], reading, drawing, class_scores or ())
