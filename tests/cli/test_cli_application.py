"""Options are declared once, and those that belong together are one argument of a command."""

from dataclasses import dataclass

import click
import pytest

from cutline.cli.command import Fraction, add_options, argument, nest_options, option


@dataclass(frozen=True)
class Inner:
    names: tuple[str, ...] = option("--name", multiple=True, group="Names", help="A name.").field()


@dataclass(frozen=True)
class Outer:
    size: int = option("--size", type=int, required=True, group="Sizes", help="How many.").field()
    inner: Inner = nest_options(Inner)  # noqa: RUF009 - a field
    hidden: int = 7  # not for the command line


def test_a_dataclass_is_filled_from_its_options():
    calls = []

    @click.command
    @argument("first", help="The first.")
    @add_options(Outer, "group")
    @option("--last", is_flag=True, group="Others", help="Whether it is the last.")
    def work(first, group, last):
        calls.append((first, group, last))

    work(["x", "--size", "3", "--name", "a", "--name=b"], standalone_mode=False)
    work(["--size", "4", "--last", "--", "-x"], standalone_mode=False)

    assert calls == [("x", Outer(3, Inner(("a", "b"))), False), ("-x", Outer(4, Inner(())), True)]
    assert [param.name for param in work.params] == ["first", "size", "names", "last"]
    assert [getattr(param, "group", None) for param in work.params] == [None, "Sizes", "Names", "Others"]


@pytest.mark.parametrize(("text", "number"), [("5%", 0.05), ("0.05", 0.05), (" 12.5 % ", 0.125), ("-3%", -0.03)])
def test_a_percentage_is_a_number(text, number):
    assert Fraction().convert(text, None, None) == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "%", "5%%", "five"])
def test_what_is_neither_a_number_nor_a_percentage_is_refused(text):
    with pytest.raises(click.BadParameter, match="neither a number nor a percentage"):
        Fraction().convert(text, None, None)


def test_a_share_may_be_in_percent(cutline, ten):
    shown = [cutline("evaluate", ten, "--share", share, "--measures", "precision", "--json").out for share in
             ("20%", "0.2")]  # fmt: skip

    assert '"value": 1.0' in shown[0]  # the two highest scores are positive
    assert shown[0] == shown[1]


def test_measures_may_be_written_in_any_case(cutline, ten):
    shown = [cutline("evaluate", ten, "--measures", names, "--json").out for names in ("AUC,F1", "auc,f1")]

    assert '"value": 0.8' in shown[0]
    assert shown[0] == shown[1]
    assert cutline("check", ten, "--require", "AUC >= 0.9").code == 1
    assert cutline("measures", "AUC").out == cutline("measures", "auc").out


def test_files_may_stand_after_two_dashes(cutline, ten):
    (ten.parent / "-p.csv").write_bytes(ten.read_bytes())

    assert cutline("check", "--label=y", "--require=auc >= 0.5", "--", "-p.csv").code == 0


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


def test_no_command_shows_a_list_of_strings(cutline):
    for command in ("evaluate", "compare", "chart", "merge", "why", "measures"):
        assert "list[" not in cutline(command, "--help").out
