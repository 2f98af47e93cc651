"""The commands on CSV files with the packages of the plain installation alone."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import importlib.util, sys
absent = {"duckdb", "altair", "vl_convert", "sklearn", "joblib", "latex2mathml", "pandas", "polars", "pyarrow"}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.partition(".")[0] in absent else there(name, *more)
from cutline.cli.main import run
run()
"""


def run(folder, *arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases")
    rows = "".join(f"{i},{i % 2},{(i * 37 % 100) / 100},{(i * 61 % 100) / 100},{'NS'[i // 50]}\n" for i in range(100))
    (folder / "cases.csv").write_text("id,y,a,b,site\n" + rows)
    (folder / "cases.parquet").write_bytes(b"PAR1")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "cases.csv", "--label", "y", "--score", "a", "--json"),
        ("compare", "cases.csv", "--label", "y", "--score", "a", "--score", "b"),
        ("check", "cases.csv", "--label", "y", "--score", "a", "--require", "auc >= 0"),
        ("cut", "cases.csv", "--label", "y", "--score", "a", "--require", "recall >= 0.5"),
        ("slices", "cases.csv", "--label", "y", "--score", "a", "--by", "site"),
    ],
)
def test_csv_files_need_no_other_package(folder, command):
    done = run(folder, *command)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize(
    "command",
    [("evaluate", "cases.parquet"), ("rank", "cases.csv", "--label", "y", "--score", "a", "-o", "a.ranking")],
)
def test_what_needs_duckdb_names_the_extra(folder, command):
    done = run(folder, *command)
    assert done.returncode == 2
    assert 'pip install "cutline[files]"' in done.stderr
