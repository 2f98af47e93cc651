"""The command in this process, and small files whose numbers can be counted by hand."""

import pytest

from cutline.cli.main import main
from cutline.examples import load

TEN = "y,p\n1,0.95\n1,0.8\n0,0.75\n1,0.6\n1,0.5\n0,0.45\n0,0.3\n1,0.25\n0,0.2\n0,0.1\n"


class Done:
    """What a command printed, and how it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def cutline(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder, as if piped into a file of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return command


@pytest.fixture
def ten(tmp_path):
    """Berrar's ten cases."""
    path = tmp_path / "ten.csv"
    path.write_text(TEN, encoding="utf-8")
    return path


@pytest.fixture
def tumours(tmp_path):
    """Two models on 569 cases, with ids."""
    example, path = load("tumours"), tmp_path / "tumours.csv"
    rows = zip(example.labels, *example.scores.values(), strict=True)
    lines = [f"case{i},{label},{a},{b}" for i, (label, a, b) in enumerate(rows)]
    path.write_text("\n".join(["id,label,logistic,tree", *lines]) + "\n", encoding="utf-8")
    return path
