"""The installed command, in a process of its own: how it starts, ends and looks."""

import gzip
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

ROOT = Path(__file__).parents[2]
COMMAND = [str(Path(sys.executable).with_name("cutline"))]


def run(*arguments, command=COMMAND, **more):
    environment = {**os.environ, "COLUMNS": "80"} | more.pop("env", {})
    words = [*command, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=environment, **more)  # noqa: S603


def test_it_evaluates_and_says_what_it_guessed(ten):
    done = run("evaluate", ten, "--measures", "auc")

    assert (done.returncode, done.stderr) == (0, "The columns were guessed: --label y --score p\n")
    assert "0.8000   [0.3267, 0.9706]     0.5000" in done.stdout
    assert "\x1b" not in done.stdout  # no colour when piped


def test_it_reads_standard_input_as_a_module(ten):
    with ten.open("rb") as stream:
        done = run(
            "evaluate", "-", "--json", "--measures", "auc", command=[sys.executable, "-m", "cutline"], stdin=stream
        )

    assert json.loads(done.stdout)["measures"][0]["value"] == pytest.approx(0.8)


def test_a_gate_fails_with_1_and_bad_input_with_2(ten):
    assert run("check", ten, "--require", "auc >= 0.9").returncode == 1
    refused = run("evaluate", ten, "--score", "q")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


@pytest.mark.posix
def test_a_named_pipe_is_read_once_by_the_command(tmp_path, ten):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(Path(ten).read_bytes(),), daemon=True)
    writer.start()

    done = run("evaluate", pipe, "--measures", "auc", "--json", timeout=100)
    assert done.returncode == 0
    assert json.loads(done.stdout)["cases"] == 10


@pytest.mark.posix
def test_models_come_from_two_pipes(tmp_path):
    cases = [("a", 1, 0.9, 0.4), ("b", 0, 0.5, 0.6), ("c", 1, 0.7, 0.8), ("d", 0, 0.2, 0.1)]
    lines = "".join(json.dumps({"id": i, "y": y, "p": p}) + "\n" for i, y, p, _ in cases)
    padding = ["x" * 1000 + str(i) for i in range(100)]  # a header of 100 kB
    wide = [["id", "y", "q", *padding], *([i, y, q, *[0] * 100] for i, y, _, q in cases)]
    contents = [gzip.compress(lines.encode()), "".join(",".join(map(str, row)) + "\n" for row in wide).encode()]
    pipes = [tmp_path / "one", tmp_path / "two"]
    for pipe, content in zip(pipes, contents, strict=True):
        os.mkfifo(pipe)
        threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True).start()

    options = ["--id", "id", "--score", "p", "--score", "q", "--measures", "auc", "--resamples", "0", "--json"]
    done = run("compare", *pipes, *options, timeout=100)

    assert done.returncode == 0, done.stderr
    models = json.loads(done.stdout)["models"]
    assert {name: model["measures"][0]["value"] for name, model in models.items()} == {"one": 1.0, "two": 0.75}


def test_old_terminals_get_ascii(ten):
    done = run("evaluate", ten, "--measures", "auc,eer", env={"PYTHONIOENCODING": "ascii"})

    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "O value, = interval, | baseline; (-) lower is better" in done.stdout


@pytest.mark.slow
def test_a_million_rows(cutline, tmp_path):
    rng = np.random.default_rng(0)
    positive = rng.random(1_000_000) < 0.3
    score = np.round(rng.normal(positive, 1), 3)
    path = tmp_path / "million.csv"
    write_csv(pa.table({"y": positive.astype(int), "p": score}), path)
    done = cutline("evaluate", path, "--measures", "auc,recall", "--json", "-q")

    found = json.loads(done.out)
    assert found["cases"] == 1_000_000
    assert found["measures"][0]["value"] == pytest.approx(0.7602, abs=0.002)  # two normals one apart: Phi(1 / sqrt 2)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("shows", ["measures", "evaluate --help", "--help"])
def test_a_reader_that_has_seen_enough_is_no_error(shows):
    command = f"set -o pipefail; '{COMMAND[0]}' {shows} | (read -r; echo line)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S603, S607

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "line\n")


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize(("bound", "code"), [("0.5", 0), ("0.9", 1)])
@pytest.mark.parametrize("more", ["", "--json"])
def test_a_verdict_stands_though_nobody_reads_it(ten, bound, code, more):
    command = f"'{COMMAND[0]}' check '{ten}' --require 'auc > {bound}' {more} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S603, S607

    assert (done.returncode, done.stderr) == (code, "The columns were guessed: --label y --score p\n")


@pytest.mark.posix
@pytest.mark.slow
def test_closed_streams_are_no_error(ten):
    for command, code in ((f"evaluate '{ten}' --json --measures auc >&-", 0), ("evaluate nowhere.csv 2>&-", 2)):
        done = subprocess.run(  # noqa: S603
            ["bash", "-c", f"'{COMMAND[0]}' {command}"],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr + done.stdout) == (code, False)


def test_control_c_ends_it_with_one_word(cutline, ten, monkeypatch):
    import duckdb

    def interrupted(*_):
        raise RuntimeError("Query interrupted")

    class Interrupted:
        execute = sql = interrupted

    monkeypatch.setattr(duckdb, "connect", lambda *_, **__: Interrupted())
    lines = ten.with_suffix(".jsonl")  # which DuckDB reads
    lines.write_text('{"y": 1, "p": 0.9}\n{"y": 0, "p": 0.2}\n', encoding="utf-8")
    done = cutline("evaluate", lines)

    assert (done.code, done.out, done.err) == (130, "", "cutline: Stopped.\n")


# ---------------------------------------------------------------------- help


def test_help_loads_nothing_heavy():
    script = "import sys; from cutline.cli.main import load_commands; load_commands(); print(*sys.modules)"
    done = run("-c", script, command=[sys.executable])
    loaded = set(done.stdout.splitlines()[-1].split())

    assert not {"numpy", "scipy", "duckdb", "narwhals", "altair"} & loaded


def commands():
    from cutline.cli.main import load_commands

    return load_commands()


@pytest.mark.parametrize("name", ["evaluate", "compare", "check", "measures", "advise", "demo"])
def test_every_option_has_words_and_an_example(name):
    command = commands()[name]

    assert command.help
    assert f"cutline {name}" in command.epilog
    for parameter in command.params:
        if parameter.param_type_name == "option" and not parameter.opts[-1].startswith("--help"):
            names = (*parameter.opts, *parameter.secondary_opts)
            is_shown = "Example" in parameter.help and any(option in parameter.help for option in names)
            assert is_shown or parameter.is_flag, parameter.name
            assert not parameter.help.endswith(f"Example: {names[0]}"), "which repeats the name"


def test_a_flag_has_no_type_in_the_help(cutline):
    out = cutline("evaluate", "--help").out

    assert "--lower-is-positive" in out
    assert "bool" not in out


def maker(name):
    """A script that makes a page of the documentation."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_page_of_the_command_line_is_what_the_help_says():
    made = maker("make_cli")

    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run `make docs`"


def test_the_picture_of_a_terminal_shows_what_the_command_prints():
    made = maker("make_terminal")

    def words(picture):
        return re.findall(r"<text[^>]*>([^<]*)</text>", picture)

    assert words(made.PICTURE.read_text(encoding="utf-8")) == words(made.picture()), "run `make docs`"
    assert len(words(made.picture())) > 50


# ---------------------------------------------------------------------- looks


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_no_line_is_wider_than_the_terminal(cutline, tumours, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    columns = ("--id", "id", "--label", "label", "--positive", "malignant")
    runs = [
        cutline("evaluate", tumours, *columns, "--score", "tree", "--quota", "100", "--resamples", "100"),
        cutline("compare", tumours, *columns, "--score", "tree", "--score", "logistic", "--resamples", "100"),
        cutline("check", tumours, *columns, "--score", "tree", "--require", "f_beta@beta=2,threshold=0.3 > 0.9"),
    ]

    assert [done.code for done in runs] == [0, 0, 1]
    assert max(len(line) for done in runs for line in done.out.splitlines()) <= width
    assert ("●" in runs[0].out) == (width >= 76)
    assert "0.8152" in runs[0].out  # the value is there in every width
    heads = [line.index("value") for line in runs[0].out.splitlines() if "value " in line and "% interval" in line]
    assert (len(heads), len(set(heads))) == (4, 1)  # the numbers of all questions stand below each other


def test_the_strip_is_whole_beside_values_below_zero(cutline, tmp_path):
    rows = "\n".join(f"{y},{s}" for y, s in zip([0, 1] * 40, range(400, 640, 3), strict=True))
    rows += "\n" + "\n".join(f"0,{700 + i}" for i in range(80))
    (tmp_path / "points.csv").write_text(f"y,p\n{rows}\n")

    done = cutline("evaluate", "points.csv", "--label", "y", "--score", "p", "--measures", "accuracy,specificity,mcc")

    strips = [line.split()[-1] for line in done.out.splitlines() if "[" in line]
    assert "[-0." in done.out
    assert [len(strip) for strip in strips] == [11] * 3
    assert all("●" in strip for strip in strips)


@pytest.mark.parametrize("width", [50, 60, 80])
def test_no_word_is_broken_where_there_is_room_for_it(cutline, tumours, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    models = ("--score", "tree", "--score", "logistic")
    done = cutline("compare", tumours, "--label", "label", "--positive", "malignant", *models, "--resamples", "100")

    assert done.code == 0, done.err
    tables = done.out[done.out.index("Accuracy") : done.out.index("best, ")].split()
    for word in ("Kolmogorov-Smirnov", "Specificity", "coefficient"):
        assert word in tables, word


def test_colour_is_for_terminals_that_want_it(cutline, ten, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in cutline("evaluate", ten, "--measures", "auc").out
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = cutline("evaluate", ten, "--measures", "auc").out
    assert "\x1b[3" not in coloured  # bold may stay, colours not


def wait_until(is_so, seconds):
    """Wait until something is so, or for so long."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def test_long_work_shows_a_bar_to_people_only(monkeypatch):
    from rich.console import Console

    from cutline.cli import progress
    from cutline.core import parallel

    for is_quiet, is_person in ((True, True), (False, False), (False, True)):
        drawn, is_shown = io.StringIO(), is_person and not is_quiet

        def work(number, drawn=drawn, is_shown=is_shown):
            return wait_until(lambda: "Resampling" in drawn.getvalue(), 60 if is_shown else 0.1) or number

        screen = Console(file=drawn, force_terminal=is_person, width=80)
        monkeypatch.setattr(progress, "make_console", lambda *, error, screen=screen: screen)
        monkeypatch.setattr(progress, "_PATIENCE", 0.05)
        with progress.show_progress("Resampling", quiet=is_quiet):
            assert parallel.map_parallel(work, range(6), 10**9, reports=True) == list(range(6))
        assert ("Resampling" in drawn.getvalue()) == ("%" in drawn.getvalue()) == is_shown


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_opening_a_file_shows_a_bar_to_people(cutline, tmp_path, monkeypatch, command):
    from rich.console import Console

    from cutline.cli import progress
    from cutline.cli.reading import files

    drawn = io.StringIO()
    monkeypatch.setattr(progress, "make_console", lambda **_: Console(file=drawn, force_terminal=True, width=80))
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    read = files.read
    patience = 60

    def read_when_the_bar_is_shown(*given):
        wait_until(lambda: "Opening" in drawn.getvalue(), patience)
        return read(*given)

    monkeypatch.setattr(files, "read", read_when_the_bar_is_shown)
    (tmp_path / "f.csv").write_text("y,p,q\n" + "1,0.9,0.8\n0,0.2,0.3\n" * 20, encoding="utf-8")
    scores = ["--score", "p", *(["--score", "q"] if command == "compare" else [])]
    done = cutline(command, "f.csv", "--label", "y", *scores, "--resamples", "0")

    assert done.code == 0, done.err
    assert "Opening the predictions" in drawn.getvalue()
    drawn.truncate(0)
    patience = 0.3
    cutline(command, "f.csv", "--label", "y", *scores, "--resamples", "0", "--quiet")
    assert "Opening" not in drawn.getvalue()


def test_the_watcher_of_long_work_is_told_every_step():
    from cutline.core import parallel

    told = []
    with parallel.report_progress_to(lambda *step: told.append(step)):
        parallel.map_parallel(abs, [-1, -2, -3], 10**9)  # such as the values, before the resamples
        parallel.map_parallel(abs, [-1, -2, -3], 10**9, reports=True)
        parallel.map_parallel(abs, [-1, -2, -3], 1, reports=True)  # short work is not worth telling
    parallel.map_parallel(abs, [-1, -2, -3], 10**9, reports=True)

    assert told == [(1, 3), (2, 3), (3, 3)]


def test_what_a_gate_takes_is_shown_whole_in_the_help(cutline):
    out = " ".join(cutline("check", "--help").out.split())

    assert "a measure, or for its .low or .high limit; put parameters after @" in out


def test_a_measure_is_explained_beside_short_words(cutline):
    lines = cutline("measures", "mcc").out.splitlines()

    assert lines[0] == "Matthews correlation coefficient"
    assert any(line.startswith("range       -1 to 1; higher is better") for line in lines)


@pytest.mark.posix
@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("bash", {"COMP_WORDS": "cutline ev", "COMP_CWORD": "1"}),
        ("zsh", {"COMP_WORDS": "cutline ev", "COMP_CWORD": "1"}),
        ("fish", {"COMP_WORDS": "cutline ev", "COMP_CWORD": "ev"}),
    ],
)
def test_a_shell_completes_the_commands(shell, asked):
    environment = os.environ | asked | {"_CUTLINE_COMPLETE": f"{shell}_complete"}

    done = subprocess.run(
        [sys.executable, "-m", "cutline"], env=environment, capture_output=True, text=True, check=False
    )

    assert "evaluate" in done.stdout
    assert "compare" not in done.stdout


def test_the_help_shows_every_command_in_a_group(cutline):
    shown = cutline("--help").out

    groups = ("How good is it?", "Where to draw the line?", "Large data and other tools", "Learn")
    assert [shown.count(group) for group in groups] == [1, 1, 1, 1]
    assert "─ Commands ─" not in shown


def test_a_measure_of_another_family_is_refused(cutline):
    assert "Matthews" in cutline("measures", "MCC", "--family", "cut").out
    other = cutline("measures", "mcc", "--family", "cost")
    assert other.code == 2
    assert "mcc is not a measure of the family 'cost'" in other.err
