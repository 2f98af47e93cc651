"""`cutline chart`: draw pictures of models into files."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import add_options, argument, command, option
from cutline.cli.completion import complete_chart
from cutline.cli.options import Reading, ReadingAtCut
from cutline.cli.output import say
from cutline.core import atomic_write
from cutline.core.errors import CutlineError, ParameterError

if TYPE_CHECKING:
    from cutline.charts import ChartKind, Picture
    from cutline.comparison import Comparison
    from cutline.evaluation import Evaluation
    from cutline.multiclass.one_vs_rest import OneVsRest

EVERY = "all"
PATTERN = "{name}"
IN_A_FOLDER = ".svg"
PICTURE = "Shape the picture"
_NOT_IN_FILES = r"[^\w.-]+"


@dataclass(frozen=True)
class ChartOutput:
    """Options of the pictures: where they go, and how they look."""

    output: Path | None = option(
        "--output",
        "-o",
        type=o.PATH,
        group=o.OUTPUT,
        help="The picture: .svg, .png, .pdf, .html or .json. Several charts take a folder, or a name with {name} in "
        "it. Examples: -o roc.svg, -o charts, -o 'charts/{name}.png'",
    ).field()
    width: str | None = option(
        "--width",
        group=PICTURE,
        help="The width of the whole picture in px, mm, cm or in. Example: --width 85mm",
    ).field()
    height: str | None = option(
        "--height", group=PICTURE, help="The height of the whole picture. Example: --height 300px"
    ).field()
    dpi: float | None = option(
        "--dpi", type=float, group=PICTURE, help="Dots per inch of a .png; 192 by default. Example: --dpi 300"
    ).field()
    theme: str = option(
        "--theme",
        type=click.Choice(["light", "dark", "print"]),
        default="light",
        group=PICTURE,
        help="The colours; print is for paper, without colours. Example: --theme print",
    ).field()
    title: str | None = option("--title", group=PICTURE, help="Your own title. Example: --title 'Model of May'").field()
    parameters: tuple[str, ...] = option(
        "--set",
        multiple=True,
        group=PICTURE,
        help="A parameter of the chart; repeat it for more. Example: --set cost_fn=5",
    ).field()
    force: bool = o.FORCE.field()
    quiet: bool = o.QUIET.field()

    @property
    def look(self) -> dict[str, Any]:
        """Arguments that every chart takes."""
        return {"theme": self.theme, "title": self.title, "width": self.width, "height": self.height}

    def choose_path(self, name: str) -> Path:
        """Return the file of a picture."""
        output = Path(f"{name}{IN_A_FOLDER}") if self.output is None else self.output
        if PATTERN in str(output):
            return Path(str(output).replace(PATTERN, name))
        return output / f"{name}{IN_A_FOLDER}" if self.is_folder else output

    @property
    def is_folder(self) -> bool:
        """Whether the output is a folder, not a file or a pattern of files."""
        return self.output is not None and PATTERN not in str(self.output) and not self.output.suffix

    def check(self, names: Sequence[str]) -> None:
        """Raise if something cannot be written, before any work is done."""
        from cutline.charts.picture import SUFFIXES

        if self.output is not None and len(names) > 1 and len({self.choose_path(name) for name in names}) == 1:
            raise ParameterError(
                f"{len(names)} pictures are requested, but --output is one file",
                "pass a folder, or a name with {name} in it",
            )
        for name in names:
            target = self.choose_path(name)
            if target.suffix.lower() not in SUFFIXES:
                way_out = f"pass a name that ends in {', '.join(SUFFIXES)}"
                raise ParameterError(f"--output is {str(self.output)!r}", way_out)
            if not self.is_folder or target.parent.exists():
                atomic_write.check(target, overwrite=self.force)

    def parse_parameters(self) -> dict[str, Any]:
        """Parse the parameters of the chart."""
        values = {}
        for term in self.parameters:
            name, equals, text = term.partition("=")
            if not equals or not name.isidentifier():
                raise ParameterError(f"--set is {term!r}", "pass name=value, such as cost_fn=5")
            if name in ("name", "models"):
                raise ParameterError(f"--set is {term!r}", "pass a parameter of the chart")
            if name in self.look:
                raise ParameterError(f"--set is {term!r}", f"pass --{name}, which is an option of its own")
            values[name] = _parse_value(text)
        return values

    def save(self, name: str, kind: ChartKind, models: Any) -> Path:
        """Draw a chart of some models and write it."""
        picture: Picture = cl.chart(kind.name, models, **self.look, **self.parse_parameters())
        target = self.choose_path(name)
        if self.is_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        return picture.save(target, dpi=self.dpi, overwrite=self.force)


@command
@argument(
    "what",
    nargs=-1,
    metavar="FILE NAME...",
    shell_complete=complete_chart,
    help="The predictions, and the charts to draw by name, or all; --list shows them. losses needs no file.",
)
@option("--list", "is_list", is_flag=True, group=PICTURE, help="List all charts and exit.")
@add_options(ReadingAtCut, "reading")
@add_options(ChartOutput, "drawing")
@o.CLASS_SCORES
@o.PLUGIN
def chart(
    what: tuple[str, ...],
    is_list: bool,
    reading: ReadingAtCut,
    drawing: ChartOutput,
    class_scores: tuple[str, ...],
) -> None:
    """Draw the charts that are named."""
    if is_list:
        _show_list()
        return
    _draw_all(what, reading, drawing, class_scores)


def _show_list() -> None:
    """Print every chart with its caption, the number of its models, and its source."""
    from cutline.charts import CHARTS

    screen = render.make_console()
    for kind in CHARTS.values():
        needs = f" It needs {kind.needs.words}." if kind.needs else ""
        source = f" {kind.source}." if kind.source else ""
        screen.print(Text.assemble((kind.name, "bold"), f" ({kind.shows.value})"))
        screen.print(Text(f"    {kind.caption}{needs}{source}"))
    screen.print(Text("\nBesides, every measure of one cut is a chart over the threshold, such as f1.", style="dim"))


def _draw_all(what: Sequence[str], reading: Reading, drawing: ChartOutput, class_scores: Sequence[str]) -> None:
    """Read the models, and draw the charts that are named, or all that can be drawn."""
    from cutline.charts import CHARTS

    path, names = _split_arguments(what)
    kinds = [CHARTS[name] for name in names]
    everything = not names
    drawing.parse_parameters()
    if not everything:
        drawing.check(names)
    models = None if path is None else _read(path, reading, kinds, class_scores)
    if everything:
        kinds = [kind for kind in CHARTS.values() if _can_draw(kind, models)]
        names = [kind.name for kind in kinds]
        drawing.check(names)
    written: list[Path] = []
    for name, kind in zip(names, kinds, strict=True):
        try:
            written += _draw(name, kind, models, drawing)
        except CutlineError as error:
            if not everything:
                raise
            _say(drawing, f"{name} is left out: {error}")
    _say(drawing, f"{written[0]} is written." if len(written) == 1 else f"{len(written)} pictures are written.")


def _draw(name: str, kind: ChartKind, models: Any, drawing: ChartOutput) -> list[Path]:
    """Draw the chart of all models together, or, where it shows one, of each."""
    from cutline.charts import Shows
    from cutline.comparison import Comparison

    if kind.shows is Shows.NOTHING:
        return [drawing.save(name, kind, None)]
    if kind.shows is Shows.ONE and isinstance(models, Comparison):
        own = dict(zip(_name_files(name, models.names), models.names, strict=True))
        drawing.check(list(own))
        return [drawing.save(stem, kind, {model: models[model]}) for stem, model in own.items()]
    return [drawing.save(name, kind, models)]


def _name_files(name: str, models: Sequence[str]) -> list[str]:
    """Name the files of a chart of each model with letters that any file can have, or numbers if these are equal."""
    stems = [f"{name}-{re.sub(_NOT_IN_FILES, '_', model)}" for model in models]
    return stems if len(set(stems)) == len(stems) else [f"{name}-{i}" for i, _ in enumerate(models, 1)]


def _split_arguments(what: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the file, unless the charts need none, and the names of the charts; an empty list means all."""
    from cutline.charts import CHARTS, Shows

    if what and all(name in CHARTS and CHARTS[name].shows is Shows.NOTHING for name in what):
        return None, list(what)
    if len(what) < 2:
        raise ParameterError("No chart is named", "pass a file and the names of charts; --list shows them all")
    path, *names = what
    if EVERY in names:
        if len(names) > 1:
            raise ParameterError("all stands for every chart", "pass it alone, or name the charts")
        return path, []
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ParameterError(f"The chart {repeated} is named twice", "name each once")
    return path, names


def _read(
    path: str, reading: Reading, kinds: Sequence[ChartKind], class_scores: Sequence[str]
) -> Evaluation | Comparison | OneVsRest:
    """Return the models of the file: one, or several when their columns are named or a chart compares models."""
    from cutline.charts import Shows
    from cutline.cli.classes import read_classes
    from cutline.cli.reading import read_comparison, read_evaluation

    if class_scores:
        return read_classes(path, class_scores, reading)[0]
    compares = any(kind.shows in (Shows.TWO_OR_MORE, Shows.DIFFERENCE) for kind in kinds)
    if len(reading.columns.scores) > 1 or (compares and not reading.columns.scores):
        return read_comparison([path], reading)[0]
    return read_evaluation(path, reading, None)[0]


def _can_draw(kind: ChartKind, models: Any) -> bool:
    """Whether a chart can be drawn of the models; a difference needs two."""
    from cutline.charts import Shows
    from cutline.comparison import Comparison
    from cutline.multiclass.one_vs_rest import OneVsRest

    count = len(models) if isinstance(models, Comparison) else 1
    of_classes = isinstance(models, OneVsRest)
    fits = {Shows.TWO_OR_MORE: count > 1, Shows.DIFFERENCE: count == 2, Shows.CLASSES: of_classes}
    return fits.get(kind.shows, not of_classes or kind.shows is Shows.SEVERAL)


def _parse_value(text: str) -> Any:
    """Parse a value: a number, true or false, a list of them, or a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # the last two, of a deep nest of signs
        return text


def _say(drawing: ChartOutput, message: str) -> None:
    if not drawing.quiet:
        say(message)
