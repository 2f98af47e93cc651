"""docs/ci.md: its fixture for pytest, its commands and its workflow, tried as a reader would."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import yaml

from cutline.cli.main import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
[FIXTURE] = [code for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL) if "pytest.fixture" in code]


@pytest.mark.parametrize(("noise", "ended"), [(0.2, 0), (5.0, 1)], ids=["good", "bad"])
def test_the_fixture_for_pytest_passes_a_good_model_and_fails_a_bad_one(tmp_path, monkeypatch, noise, ended):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # options for the tests of today are none of a reader's
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_model.py").write_text(FIXTURE)
    rows = f"SELECT i % 2 AS y, i % 2 + {noise} * ((i * 37 % 101) / 101 - 0.5) AS p FROM range(300) rows(i)"  # noqa: S608
    duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/tests/predictions.parquet'")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == ended, done.stdout
    assert ("1 passed" if ended == 0 else "1 failed") in done.stdout


def test_the_fixture_has_ten_lines():
    assert len([line for line in FIXTURE.splitlines() if line.strip()]) <= 10


def test_the_commands_of_the_page_are_gates_that_run(tmp_path, monkeypatch):
    """On a good model, all of them pass: 0, not the 2 of a command that is not understood."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i % 2},{(i % 2) * 0.7 + (i * 37 % 101) / 400:.4f}\n" for i in range(1200))
    for name in ("predictions.csv", "new.csv", "old.csv"):
        Path(name).write_text("case,y,p\n" + rows)
    for name in ("week1.ranking", "week2.ranking"):
        assert main(["rank", "predictions.csv", "--label", "y", "--score", "p", "-o", name]) == 0
    commands = [
        shlex.split(line.strip()) for line in PAGE.replace("\\\n", " ").splitlines() if line.startswith("    cutline ")
    ]
    assert len(commands) >= 2
    assert [main(command[1:]) for command in commands] == [0] * len(commands)


def test_the_workflow_of_the_page_gives_the_action_inputs_that_it_has():
    [workflow] = [yaml.safe_load(code) for code in re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    [gate] = [step for step in workflow["jobs"]["gate"]["steps"] if step.get("uses", "").startswith("cutline/")]
    assert set(gate["with"]) <= set(action["inputs"])
    assert {name for name, one in action["inputs"].items() if one.get("required")} <= set(gate["with"])
