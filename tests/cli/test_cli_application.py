"""Options that belong together are one argument of a command, and one by one what a person types."""

from dataclasses import dataclass, field
from typing import Annotated

import typer
from typer.main import get_command

from cutline.cli.application import Application

Names = Annotated[tuple[str, ...], typer.Option("--name", help="A name.")]


@dataclass(frozen=True)
class Inner:
    names: Names = ()


@dataclass(frozen=True)
class Outer:
    size: Annotated[int, typer.Option(help="How many.")]
    inner: Inner = field(default_factory=Inner)


def test_a_group_is_filled_from_its_options():
    app, seen = Application(), []

    @app.command()
    def command(first: Annotated[str, typer.Argument()], group: Outer, last: Annotated[bool, typer.Option()] = False):
        seen.append((first, group, last))

    app(["x", "--size", "3", "--name", "a", "--name", "b"], standalone_mode=False)
    app(["x", "--size", "4", "--last"], standalone_mode=False)

    assert seen == [("x", Outer(3, Inner(("a", "b"))), False), ("x", Outer(4, Inner(())), True)]
    assert [p.name for p in get_command(app).params][:4] == ["first", "size", "names", "last"]


@dataclass(frozen=True)
class Plain:
    size: int = 7  # not for the command line


def test_a_field_without_an_option_keeps_its_value_beside_an_option_of_that_name():
    app, seen = Application(), []

    @app.command()
    def command(group: Outer, other: Plain):
        seen.append((group.size, other.size))

    app(["--size", "3"], standalone_mode=False)

    assert seen == [(3, 7)]


def test_a_command_of_one_model_refuses_two_columns_of_scores(cutline, tumours):
    done = cutline("evaluate", tumours, "--label", "label", "--score", "logistic", "--score", "tree")

    assert done.code == 2
    assert "--score is given 2 times: pass it once for this command" in done.err


def test_the_charts_of_a_folder_are_those_declared_for_it(cutline, tumours, tmp_path):
    from cutline.charts import CHARTS, Place, Shows

    columns = ("--label", "label", "--positive", "malignant", "--score", "logistic")
    cutline("evaluate", tumours, *columns, "--measures", "auc", "--png", "one", "-q")
    cutline("compare", tumours, *columns, "--score", "tree", "--measures", "auc", "--png", "several", "-q")

    declared = CHARTS.at(Place.FOLDER)
    assert {path.stem for path in (tmp_path / "one").iterdir()} == {kind.name for kind in declared}
    several = {kind.name for kind in declared if kind.shows is not Shows.ONE}
    assert {path.stem for path in (tmp_path / "several").iterdir()} == several


def test_an_argument_is_shown_without_a_type_and_once(capsys):
    app = Application()

    @app.command()
    def command(files: Annotated[list[str], typer.Argument(metavar="FILE...")], name: str | None = None):
        """Do it."""

    app(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out

    assert "FILE..." in shown
    assert "[OPTIONS] FILE... " in shown
    assert "list[" not in shown
    assert "<str>" in shown  # of the option


def test_no_command_shows_a_list_of_strings(cutline):
    for command in ("evaluate", "compare", "chart", "merge", "why", "measures"):
        assert "list[" not in cutline(command, "--help").out
