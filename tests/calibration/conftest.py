"""The command, for tests of what it recalibrates and plans."""

import pytest

from cutline.cli.main import main


class Ran:
    """How the command ended, and what it printed."""

    def __init__(self, exit_code, stdout, stderr):
        self.exit_code, self.stdout, self.stderr = exit_code, stdout, stderr


@pytest.fixture
def cutline(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder, as if piped into a file of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return command
