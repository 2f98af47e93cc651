"""`cutline --help`: every command in its group, and none of them loaded for it."""

import subprocess
import sys

import pytest

from cutline.cli.command_table import COMMANDS
from cutline.cli.main import load_commands


@pytest.fixture
def page(cutline, monkeypatch):
    def shown(width):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.delenv("FORCE_COLOR", raising=False)
        return cutline("--help")

    return shown


def words(lines):
    return " ".join(line.strip("│ ") for line in lines).split()


def test_every_command_stands_in_its_group_with_all_its_words(page):
    lines = page(80).out.splitlines()
    borders = [number for number, line in enumerate(lines) if line.startswith(("╭", "╰"))]
    boxes = {
        lines[top].strip("╭─╮ "): words(lines[top + 1 : end]) for top, end in zip(*[iter(borders)] * 2, strict=True)
    }

    groups = list(dict.fromkeys(entry.panel for entry in COMMANDS))
    assert list(boxes) == ["Options", *groups]
    for group in groups:
        assert boxes[group] == " ".join(f"{e.name} {e.help}" for e in COMMANDS if e.panel == group).split()


def test_every_option_of_the_whole_is_explained(page):
    told = " ".join(words(page(80).out.splitlines()))

    for option in ("--version", "--install-completion", "--show-completion", "--help -h Show this message and exit."):
        assert option in told
    assert "Exit codes: 0 fine, 1 a gate failed, 2 bad input" in told
    assert told.endswith("Try it: cutline demo")


@pytest.mark.parametrize("width", [50, 80, 140])
def test_no_line_of_it_is_wider_than_the_terminal(page, width):
    assert max(map(len, page(width).out.splitlines())) == width


def test_no_arguments_show_the_same(page, cutline):
    assert cutline().out.rstrip() == page(80).out.rstrip()


def test_it_is_coloured_for_terminals_that_want_it(cutline, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert "\x1b[1;36mevaluate" in cutline("--help").out.replace("\x1b[0m", "")


def test_it_loads_no_command_and_nothing_that_draws_markdown():
    script = "import sys; from cutline.cli.main import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    loaded = set(done.stdout.splitlines()[-1].split())

    assert not {f"cutline.cli.{entry.name}" for entry in COMMANDS} & loaded
    assert not {"cutline.cli.options", "rich.markdown", "pygments", "numpy"} & loaded


def test_the_options_that_most_people_need_come_first(cutline):
    lines = cutline("evaluate", "--help").out.splitlines()
    groups = [line.strip("╭─╮ ") for line in lines if line.startswith("╭")]
    label = next(number for number, line in enumerate(lines, 1) if "--label" in line)

    assert groups[:2] == ["Arguments", "Start here"]
    assert label < 16


def test_advanced_options_are_shown_by_help_all_alone(cutline):
    short, whole = cutline("evaluate", "--help").out, cutline("evaluate", "--help-all").out
    hidden = [option.opts[0] for option in load_commands()["evaluate"].params if getattr(option, "advanced", False)]

    assert f"{len(hidden)} more options: cutline evaluate --help-all" in short
    assert "--seed" in hidden
    for option in hidden:
        assert option not in short.replace("--help-all", "").split()
        assert option in whole.split()


def test_a_number_with_bounds_is_called_a_number_too(cutline):
    assert "--port NUMBER" in cutline("app", "--help").out
    assert "--bins NUMBER" in cutline("sql", "--help").out


def test_the_options_that_come_first_exist():
    for name, command in load_commands().items():
        declared = {spelt for option in command.params for spelt in option.opts}
        assert set(command.entry.first) <= declared, name
