"""How the command ends: a code for each way, a word, and no traceback."""

import os
import subprocess
import sys

import pytest

from cutline.cli import main as command


def ended(monkeypatch, capsys, error):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(command, "app", broken)
    return command.main([]), capsys.readouterr().err


def test_an_error_of_ours_has_a_code_of_its_own_and_asks_for_a_report(monkeypatch, capsys):
    monkeypatch.delenv("CUTLINE_DEBUG", raising=False)
    code, said = ended(monkeypatch, capsys, RuntimeError("a\x1b[2Jb"))

    assert code == 3
    assert said.startswith("cutline: This is an error of cutline, not of your data (RuntimeError: a\\x1b[2Jb)")
    assert "report" in said
    assert "Traceback" not in said


def test_the_place_of_the_error_is_shown_to_who_asks(monkeypatch, capsys):
    monkeypatch.setenv("CUTLINE_DEBUG", "1")

    assert "Traceback" in ended(monkeypatch, capsys, RuntimeError("x"))[1]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "Stopped."),
        (MemoryError(), 2, "do not fit into memory"),
        (BaseException("a panic of a library"), 3, "an error of cutline, not of your data (BaseException: a panic"),
        (OSError(28, "No space left on device", "x.html"), 2, "x.html cannot be used: No space left on device."),
        (OSError(28, "No space left on device"), 2, "Standard output, or a temporary file, cannot be used: No space"),
    ],
)
def test_other_endings_have_a_word_too(monkeypatch, capsys, error, code, says):
    found, said = ended(monkeypatch, capsys, error)

    assert found == code
    assert says in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("level", ["nan", "95", "0", "inf"])
def test_a_level_that_is_none_is_refused_even_where_no_interval_is_made(cutline, ten, level):
    done = cutline("check", ten, "--label", "y", "--score", "p", "--require", "auc >= 0.1", "--level", level)

    assert done.code == 2
    assert "level" in done.err


def test_a_character_that_the_terminal_does_not_know_is_written_out(ten):
    asked = [sys.executable, "-m", "cutline", "evaluate", os.fspath(ten), "--label", "y", "--score", "p", "--name", "é"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    ran = subprocess.run([*asked, "--measures", "auc"], env=environment, capture_output=True, check=False)  # noqa: S603 - our own

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"\\xe9 puts a positive before a negative")


def test_a_terminal_without_a_width_is_written_to(cutline, ten, monkeypatch):
    monkeypatch.setenv("COLUMNS", "0")

    assert "ROC curve" in cutline("evaluate", ten, "--label", "y", "--score", "p", "--measures", "auc").out


def test_the_exit_code_stays_where_nothing_can_be_said(monkeypatch, capsys):
    class Full:
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.stderr", Full())

    assert ended(monkeypatch, capsys, OSError(2, "No such file or directory", "x.csv"))[0] == 2


def test_a_folder_that_is_gone_is_named(monkeypatch, capsys, tmp_path):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    said = ended(monkeypatch, capsys, FileNotFoundError(2, "No such file or directory"))[1]
    assert said == "cutline: The folder that you are in cannot be used: No such file or directory.\n"
